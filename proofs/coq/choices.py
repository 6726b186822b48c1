"""Corollaries about the choice of one candidate: noisy maxima, permute-and-flip."""

from __future__ import annotations

from typing import Final

import sympy as sp

from dpref.mechanisms import exponential
from dpref.terms import TERM
from proofs.coq.corollary import EQUAL, Corollary

SPAN, SCALE, FIRST, SECOND = sp.symbols("Delta lambda a b")

CHOICES: Final = (
    Corollary(
        "private-online-frank-wolfe/PO-32",
        "laplace_noisy_max",
        "NoisyMax.laplace_noisy_max",
        ("exponential-mechanism.noisy_max_epsilon",),
        """forall D O (neighbours : D -> D -> Prop) (dec : forall x y : O, {{x = y}} + {{x <> y}}) (l : list O)
        (score : D -> O -> R) v_lambda v_Delta, 0 < v_lambda -> 0 <= v_Delta ->
        (forall d d', neighbours d d' ->
          forall u v, (score d u - score d v) - (score d' u - score d' v) <= v_Delta) ->
        DP neighbours l {epsilon} 0 (noisy_max dec (laplace 0 v_lambda) (laplace_cdf v_lambda) l score)""",
        lambda: {"epsilon": exponential.noisy_max_epsilon(TERM, SPAN, SCALE)},
        """intros D O n dec l score b s B S0 S. exact (laplace_noisy_max n dec l score b s B S0 S).""",
    ),
    Corollary(
        "exponential-mechanism/permute-and-flip",
        "permute_and_flip",
        "PermuteFlip.permute_and_flip_pure",
        ("exponential-mechanism.selection_range",),
        """forall D O (neighbours : D -> D -> Prop) (dec : forall x y : O, {{x = y}} + {{x <> y}}) (l : list O)
        (score : D -> O -> R) v_lambda v_Delta, l <> nil -> 0 < v_lambda ->
        (forall d d', neighbours d d' -> forall o, Rabs (score d o - score d' o) <= v_Delta) ->
        DP neighbours l {epsilon} 0 (permute_and_flip dec l score v_lambda)""",
        lambda: {"epsilon": exponential.selection_range(TERM, SPAN, SCALE)},
        f"""intros D O n dec l score t s L T S. pose proof (permute_and_flip_pure n dec l score t s L T S) as H. {EQUAL}
        field. lra.""",
    ),
    Corollary(
        "exponential-mechanism/permute-and-flip",
        "two_candidates",
        "Flips.permute_and_flip_two",
        ("exponential-mechanism.permute_and_flip_probabilities",),
        """forall O (accept : O -> R) (x y : O) (f : O -> R), let v_a := accept x in let v_b := accept y in
        flips accept 2 (x :: y :: nil) f = f x * {one} + f y * {other}""",
        lambda: dict(
            zip(("one", "other"), exponential.permute_and_flip_probabilities(TERM, (FIRST, SECOND)), strict=True)
        ),
        """intros O c x y f a b. rewrite permute_and_flip_two. fold a b. field.""",
    ),
)
