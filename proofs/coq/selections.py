"""Corollaries about the best of a random number of runs, and about samples without replacement at integer orders."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Final

import sympy as sp

from dpref.privacy.closed_forms import best_of
from dpref.privacy.renyi import selection, without_replacement
from dpref.terms import TERM
from proofs.coq.corollary import PAIR, Corollary

ALPHA, D, ORDER, VALUE, ETA, GAMMA = sp.symbols("alpha D order value eta gamma")
MEAN, MU, TAU, DELTA, RATIO, EPSILON, RATE = sp.symbols("mean mu tau delta r epsilon q")
_ORDERS: Final = (2, 3, 4)

# What selections have in common: a mechanism whose finitely many outcomes have different ranks.
_RUNS = """forall D O (neighbours : D -> D -> Prop) (l : list O) (rank : O -> nat) (M : D -> O -> R),
  NoDup (map rank l) -> mechanism l M -> (forall d d', neighbours d d' -> neighbours d' d) -> """
_RANKED = PAIR.replace("distribution l p", "forall rank : O -> nat, NoDup (map rank l) -> distribution l p", 1)
_LAW = "-1 < v_eta -> 0 < v_gamma < 1 -> "
_RDP = "match goal with H : RDP _ _ _ ?x _ |- RDP _ _ _ ?y _ => replace y with x; [exact H |] end."
_SAME = "match goal with H : _ <= 1 - ?x |- _ <= 1 - ?y => replace y with x; [exact H |] end."


# ------------------------------------------------------------------------------------ samples at integer orders


def _minima(order: int, *, pure: bool) -> sp.Expr:
    """The library's formula, each of its minima read as any number between its sides: m1, m2, ... are the weights."""
    weights = map(sp.Symbol, (f"m{i}" for i in itertools.count(1)))

    def between(a: sp.Expr, b: sp.Expr) -> sp.Expr:
        weight = next(weights)
        return weight * a + (1 - weight) * b

    found: sp.Expr = without_replacement.amplified_divergence(
        replace(TERM, minimum=between), order, RATE, lambda j: sp.Symbol(f"D{j}"), EPSILON if pure else None
    )
    return found


def _amplified(order: int, *, pure: bool) -> Corollary:
    """Theorem 9 at one order; the weights of `_minima` are those of m_2, of the term of order two, of m_3, ..."""
    js = range(2, order + 1)
    weights = [f"v_m{i}" for i in range(1, order + 1 if pure else 2)]
    outer = weights[1] if pure else weights[0]
    of = {2: weights[0]} | {j: f"v_m{j}" for j in js if j > 2}

    def factor(j: int) -> str:
        return f"({of[j]} * 2 + (1 - {of[j]}) * (exp v_epsilon - 1) ^ {j})" if pure else "2"

    bounds = {2: f"{outer} * (4 * (exp v_D2 - 1)) + (1 - {outer}) * (exp v_D2 * {factor(2)})"}
    bounds |= {j: f"exp ((INR {j} - 1) * v_D{j}) * {factor(j)}" for j in js if j > 2}

    def cases(of_order: dict[int, str]) -> str:
        return f"(fun j => match j with {' '.join(f'| {j}%nat => {e}' for j, e in of_order.items())} | _ => 0 end)"

    split = f"destruct j as {'[ | ' * (order + 1)}j{']' * (order + 1)}; try lia"
    deeper = "apply Rmult_le_compat_l; [left; apply exp_pos | apply smaller_between; assumption]"
    second = "apply smaller_between; assumption"
    if pure:
        second = (
            f"eapply Rle_trans; [apply (smaller_between {outer}); assumption | apply Rplus_le_compat_l; "
            f"apply Rmult_le_compat_l; [lra | {deeper}]]"
        )
    powers = " ".join(f"replace ((INR {j} - 1) * v_D{j}) with ({j - 1} * v_D{j}) by (simpl; ring)." for j in js[1:])
    return Corollary(
        "renyi/amplified",
        f"amplified_{'pure' if pure else 'any'}_{order}",
        "AmplifiedOrders.amplified_at_most",
        ("without-replacement.amplified_divergence",),
        f"""forall X O (l : list O) m n (M : list X -> O -> R) {" ".join(f"v_D{j}" for j in js)}
        {"v_epsilon" * pure} {" ".join(weights)}, let v_q := INR m / INR n in (0 < m <= n)%nat -> mechanism l M ->
        (forall s s', Permutation.Permutation s s' -> forall o, M s o = M s' o) ->
        {"".join(f"RDP replace_one l (INR {j}) v_D{j} M -> " for j in js)}
        {"0 <= v_epsilon -> DP replace_one l v_epsilon 0 M -> " * pure}
        {"".join(f"0 <= {w} <= 1 -> " for w in weights)}
        RDP (replace_one_of n) l (INR {order}) {{divergence}} (sampled m M)""",
        lambda: {"divergence": _minima(order, pure=pure)},
        f"""intros X O l m n M {" ".join(f"v_D{j}" for j in js)} {"v_epsilon" * pure} {" ".join(weights)} v_q L P U
        {" ".join(f"H{j}" for j in js)} {"E0 E" * pure} {" ".join(f"W{i}" for i in range(len(weights)))}.
        pose proof (amplified_at_most l m n {order} M {cases({j: f"v_D{j}" for j in js})}
          {"(Some v_epsilon)" if pure else "None"} {cases(bounds)} L ltac:(lia) P U) as H.
        assert (HD : forall j, (2 <= j <= {order})%nat -> RDP replace_one l (INR j)
          ({cases({j: f"v_D{j}" for j in js})} j) M) by (intros j J; {split}; assumption).
        specialize (H HD {"(conj E0 E)" if pure else "I"}).
        match type of H with ?A -> _ => assert (HB : A) end.
        {{ intros j J. {split}; unfold gap_bound, gap_factor; cbn [Nat.eqb].
          {second}. {" ".join((deeper if pure else "apply Rle_refl") + "." for _ in js[1:])} }}
        specialize (H HB). fold v_q in H. rewrite sampled_total_{order} in H. cbv beta iota in H. {_RDP}
        {powers} replace (INR {order} - 1) with {order - 1} by (simpl; ring).
        match goal with |- ln ?u / _ = ?y => match y with context [ln ?w] => replace w with u by ring end end.
        field.""",
    )


# ------------------------------------------------------------------------------------ the best of several runs

SELECTIONS: Final = (
    *(_amplified(order, pure=pure) for order in _ORDERS for pure in (False, True)),
    Corollary(
        "composition/selection",
        "negative_binomial_mean",
        "Repetitions.negative_binomial_has_mean",
        ("selection.expected_repetitions",),
        """forall v_eta v_gamma, -1 < v_eta -> v_eta <> 0 -> 0 < v_gamma < 1 ->
        has_mean (negative_binomial v_eta v_gamma) {mean}""",
        lambda: {"mean": best_of.expected_repetitions(TERM, ETA, GAMMA)},
        """intros e g A N G. pose proof (negative_binomial_has_mean e g A N G) as H.
        match goal with |- has_mean _ ?y => replace y with (negative_binomial_mean e g); [exact H |] end.
        pose proof (denominator e g N G) as K. rewrite Rpower_Ropp in K. unfold negative_binomial_mean, Rpower in *.
        assert (1 - exp (e * ln g) <> 0) by
          (intros F; apply K; replace (exp (e * ln g)) with 1 by lra; rewrite Rinv_1; ring).
        field. repeat split; lra.""",
    ),
    Corollary(
        "composition/selection",
        "logarithmic_mean",
        "Repetitions.logarithmic_has_mean",
        ("selection.expected_repetitions_logarithmic",),
        """forall v_gamma, 0 < v_gamma < 1 ->
        has_mean (logarithmic v_gamma) {mean}""",
        lambda: {"mean": best_of.expected_repetitions_logarithmic(TERM, GAMMA)},
        """intros g G. pose proof (logarithmic_has_mean g G) as H. pose proof (ln_negative g G).
        match goal with |- has_mean _ ?y => replace y with (logarithmic_mean g); [exact H |] end.
        unfold logarithmic_mean. field. lra.""",
    ),
    Corollary(
        "composition/selection",
        "poisson_selection",
        "SelectionPrivacy.poisson_selection_renyi",
        ("selection.poisson_selection_renyi",),
        _RUNS
        + """forall v_alpha v_D v_epsilon v_delta v_mu, 0 < v_mu -> 1 < v_alpha ->
        exp v_epsilon <= 1 + / (v_alpha - 1) -> RDP neighbours l v_alpha v_D M ->
        DP neighbours l v_epsilon v_delta M ->
        RDP neighbours (some_or_none l) v_alpha {divergence} (selection rank (poisson v_mu) l M)""",
        lambda: {"divergence": selection.poisson_selection_renyi(TERM, ALPHA, D, DELTA, MU)},
        f"""intros D O n l rank M K P Sy a r e d m M0 A E H C.
        pose proof (poisson_selection_renyi n l rank m M a r e d K M0 P Sy A E H C) as G.
        {_RDP.replace("H :", "G :").replace("exact H", "exact G")}
        replace ((-1 + a) * (r + d * m)) with ((a - 1) * (r + m * d)) by ring. replace (-1 * m) with (- m) by ring.
        rewrite (Rplus_comm (m * _)). field. lra.""",
    ),
    Corollary(
        "composition/selection-negative-binomial",
        "truncated_selection",
        "SelectionPrivacy.truncated_selection_renyi",
        ("selection.negative_binomial_renyi",),
        _RUNS
        + f"""forall v_eta v_gamma v_alpha v_D v_order v_value, {_LAW} 1 < v_alpha -> 1 < v_order ->
        RDP neighbours l v_alpha v_D M -> RDP neighbours l v_order v_value M ->
        let v_mean := truncated_mean v_eta v_gamma in
        RDP neighbours (some_or_none l) v_alpha {{divergence}} (selection rank (truncated v_eta v_gamma) l M)""",
        lambda: {
            "divergence": selection.negative_binomial_renyi(TERM, ALPHA, D, (ORDER, VALUE), ETA, GAMMA, MEAN),
        },
        f"""intros D O n l rank M K P Sy e g a ra b rb A G A1 B1 Ha Hb m.
        pose proof (truncated_selection_renyi n l rank e g M a b ra rb K A G P Sy A1 B1 Ha Hb) as H. fold m in H.
        {_RDP} field. lra.""",
    ),
    Corollary(
        "guarantees/best-of",
        "poisson_curve",
        "SelectionPrivacy.poisson_selection_curve",
        ("selection.poisson_shift",),
        _RANKED
        + """forall v_m v_tau x, 0 < v_m -> 0 <= x -> 0 <= v_tau -> hockey l 0 q p <= v_tau ->
        hockey (some_or_none l) (x + {shift}) (best_of rank (poisson v_m) l p) (best_of rank (poisson v_m) l q)
        <= v_m * hockey l x p q""",
        lambda: {"shift": best_of.poisson_shift(TERM, sp.Symbol("m"), TAU)},
        """intros O l p q rank K P Q m t x M0 X T C. now apply poisson_selection_curve.""",
    ),
    Corollary(
        "guarantees/best-of",
        "truncated_curve",
        "SelectionPrivacy.truncated_selection_curve",
        ("selection.negative_binomial_ratio", "selection.negative_binomial_shift"),
        _RANKED
        + f"""forall v_eta v_gamma v_epsilon v_delta v_r x, {_LAW} 0 <= v_delta -> 0 <= x -> exp v_epsilon <= v_r ->
        {{ratio}} <= v_r -> close l v_epsilon v_delta q p ->
        hockey (some_or_none l) (x + {{shift}}) (best_of rank (truncated v_eta v_gamma) l p)
          (best_of rank (truncated v_eta v_gamma) l q) <= truncated_mean v_eta v_gamma * hockey l x p q""",
        lambda: {
            "ratio": best_of.negative_binomial_ratio(TERM, GAMMA, DELTA),
            "shift": best_of.negative_binomial_shift(TERM, ETA, RATIO),
        },
        """intros O l p q rank K P Q e g eps d r x A G D0 X R1 R2 C.
        apply truncated_selection_curve with eps d; auto. eapply Rle_trans. 2: exact R2. right. field. lra.""",
    ),
    Corollary(
        "guarantees/best-of",
        "poisson_apart",
        "SelectionPrivacy.best_apart",
        ("selection.poisson_generating",),
        _RANKED
        + """forall v_m v_tau, 0 < v_m -> 0 <= v_tau <= 1 -> hockey l 0 p q <= v_tau ->
        hockey (some_or_none l) 0 (best_of rank (poisson v_m) l p) (best_of rank (poisson v_m) l q) <= 1 - {same}""",
        lambda: {"same": best_of.poisson_generating(TERM, sp.Symbol("m"), TAU)},
        f"""intros O l p q rank K P Q m t M T C.
        pose proof (best_apart rank l (poisson m) (poisson_generating m) p q t K (poisson_is_law m M)
          (poisson_generates m) P Q T C) as H. unfold poisson_generating in H. {_SAME} f_equal. ring.""",
    ),
    Corollary(
        "guarantees/best-of",
        "negative_binomial_apart",
        "SelectionPrivacy.best_apart",
        ("selection.negative_binomial_generating",),
        _RANKED
        + f"""forall v_eta v_gamma v_tau, {_LAW} v_eta <> 0 -> 0 <= v_tau <= 1 -> hockey l 0 p q <= v_tau ->
        hockey (some_or_none l) 0 (best_of rank (negative_binomial v_eta v_gamma) l p)
          (best_of rank (negative_binomial v_eta v_gamma) l q) <= 1 - {{same}}""",
        lambda: {"same": best_of.negative_binomial_generating(TERM, ETA, GAMMA, TAU)},
        f"""intros O l p q rank K P Q e g t A G N T C.
        pose proof (best_apart rank l _ _ p q t K (negative_binomial_is_law e g A N G)
          (negative_binomial_generates e g A N G) P Q T C) as H.
        pose proof (denominator e g N G) as Z. unfold negative_binomial_generating, Rpower in *. {_SAME}
        replace (1 - (1 - g) * (1 - t)) with (g + t * (1 + -1 * g)) by ring. set (w := ln (g + _)).
        replace (-1 * e * ln g) with (- e * ln g) by ring. replace (-1 * e * w) with (- e * w) by ring. field. lra.""",
    ),
    Corollary(
        "guarantees/best-of",
        "logarithmic_apart",
        "SelectionPrivacy.best_apart",
        ("selection.logarithmic_generating",),
        _RANKED
        + """forall v_gamma v_tau, 0 < v_gamma < 1 -> 0 <= v_tau <= 1 -> hockey l 0 p q <= v_tau ->
        hockey (some_or_none l) 0 (best_of rank (logarithmic v_gamma) l p) (best_of rank (logarithmic v_gamma) l q)
        <= 1 - {same}""",
        lambda: {"same": best_of.logarithmic_generating(TERM, GAMMA, TAU)},
        f"""intros O l p q rank K P Q g t G T C.
        pose proof (best_apart rank l _ _ p q t K (logarithmic_is_law g G) (logarithmic_generates g G) P Q T C) as H.
        pose proof (ln_negative g G). unfold logarithmic_generating in H. {_SAME}
        replace (1 - (1 - g) * (1 - t)) with (g + t * (1 + -1 * g)) by ring. field. lra.""",
    ),
)
