"""The library's formulas in the theorems of privacy: what Coq says of the formula of an obligation that rests on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import sympy as sp

from dpref.mechanisms import exponential
from dpref.privacy.closed_forms import (
    amplification,
    composition,
    conversions,
    curves,
    divergences,
    guarantees,
    tradeoff,
)
from dpref.privacy.renyi import divergences as renyi
from dpref.terms import TERM
from proofs.coq.choices import CHOICES
from proofs.coq.corollary import EQUAL, PAIR, Corollary
from proofs.coq.frank_wolfe import FRANK_WOLFE
from proofs.coq.selections import SELECTIONS

EPSILON, ALPHA, DELTA, RHO, GAMMA, L, K, X, C = sp.symbols("epsilon alpha delta rho gamma L k x c")
MEAN, SQUARES, SLACK, A, B, D, MU, SCALE, FIRST, SECOND = sp.symbols("mean squares slack a b D mu lambda D1 D2")

# What adaptive interactions have in common: mechanisms on a finite output space, asked in turn.
_ASKED = """forall D O (neighbours : D -> D -> Prop) (l : list O) (it : interaction D O),
  (forall d d', neighbours d d' -> neighbours d' d) -> asks_mechanisms l it -> """
_LOSSES = "forall losses, (forall x, In x losses -> 0 < fst x /\\ 0 <= snd x <= 1) -> 0 < total_square losses -> "


def _picked(*sides: int) -> Any:
    """The number system in which each maximum is one of its sides: a formula with maxima, line by line."""
    left = list(sides)
    return replace(TERM, maximum=lambda *both: both[left.pop()])


COROLLARIES: Final = (
    Corollary(
        "composition/advanced",
        "advanced",
        "Advanced.advanced_composition",
        ("composition.advanced_epsilon",),
        _ASKED
        + """forall (k : nat) v_epsilon v_delta v_L, let v_k := INR k in
        0 < v_epsilon -> 0 <= v_delta <= 1 -> 0 < v_L -> (0 < k)%nat -> at_most k it ->
        every (DP neighbours l v_epsilon v_delta) it ->
        DP neighbours (transcripts l it) {epsilon} (v_k * v_delta + exp (- v_L)) (mass it)""",
        lambda: {"epsilon": composition.advanced_epsilon(TERM, EPSILON, K, L)},
        f"""intros D O n l it Sy P k e d L vk E X L0 K A V. pose proof (lt_0_INR k K) as K0.
        pose proof (advanced_composition n l e d k it L Sy E X L0 K P A V) as H. fold vk in H. {EQUAL}
        replace (2 * vk * L) with (2 * (L * vk)) by ring. rewrite sqrt_mult by (unfold vk; nra). ring.""",
    ),
    Corollary(
        "composition/advanced",
        "heterogeneous_last",
        "Advanced.heterogeneous_last",
        ("composition.concentrated_epsilon", "composition.expected_loss"),
        _ASKED
        + _LOSSES
        + """forall v_L, 0 < v_L -> asks_dp neighbours l losses it ->
        let v_mean := sum_over losses (fun x => let v_epsilon := fst x in {mean}) in
        let v_squares := sum_over losses (fun x => fst x * fst x) in
        DP neighbours (transcripts l it) {epsilon} (1 - (1 - exp (- v_L)) * no_failure losses) (mass it)""",
        lambda: {
            "mean": composition.expected_loss(TERM, EPSILON),
            "epsilon": composition.concentrated_epsilon(TERM, MEAN, SQUARES, L),
        },
        f"""intros D O n l it Sy P losses Lo V L L0 B m s.
        assert (M : total_mean losses = m) by apply total_mean_tanh.
        pose proof (heterogeneous_last n l losses it L Sy Lo V L0 P B) as H. rewrite M in H.
        change (total_square losses) with s in H, V. {EQUAL}
        replace (2 * s * L) with (2 * (L * s)) by ring. rewrite sqrt_mult by nra. ring.""",
    ),
    Corollary(
        "composition/advanced",
        "heterogeneous_middle",
        "Advanced.heterogeneous_middle",
        ("composition.small_loss_epsilon",),
        _ASKED
        + _LOSSES
        + """forall v_slack, 0 < v_slack -> asks_dp neighbours l losses it ->
        let v_mean := sum_over losses (fun x => let v_epsilon := fst x in {mean}) in
        let v_squares := sum_over losses (fun x => fst x * fst x) in
        DP neighbours (transcripts l it) {epsilon} (1 - (1 - v_slack) * no_failure losses) (mass it)""",
        lambda: {
            "mean": composition.expected_loss(TERM, EPSILON),
            "epsilon": composition.small_loss_epsilon(TERM, MEAN, SQUARES, SLACK),
        },
        f"""intros D O n l it Sy P losses Lo V L L0 B m s.
        assert (M : total_mean losses = m) by apply total_mean_tanh.
        pose proof (heterogeneous_middle n l losses it L Sy Lo V L0 P B) as H. rewrite M in H.
        change (total_square losses) with s in H, V. {EQUAL}
        replace (sqrt s / L) with (/ L * sqrt s) by (unfold Rdiv; ring). set (w := ln _).
        replace (2 * w * s) with (2 * (s * w)) by ring.
        rewrite (sqrt_mult 2 (s * w)). ring. lra. apply Rmult_le_pos. lra. unfold w. rewrite <- ln_1.
        left. apply ln_increasing. lra. pose proof (exp_ineq1 1 ltac:(lra)). pose proof (sqrt_lt_R0 s V).
        pose proof (Rmult_lt_0_compat _ _ (Rinv_0_lt_compat _ L0) H1). lra.""",
    ),
    Corollary(
        "composition/expected-loss",
        "expected_loss",
        "Concentrated.expected_loss",
        ("composition.expected_loss",),
        PAIR + "forall v_epsilon, 0 < v_epsilon -> pure l v_epsilon p q -> kl l p q <= {loss}",
        lambda: {"loss": composition.expected_loss(TERM, EPSILON)},
        """intros O l p q P Q e E H. rewrite <- mean_loss_tanh. now apply expected_loss.""",
    ),
    Corollary(
        "composition/filters",
        "filter",
        "Failures.approximate_dp_filter",
        ("composition.concentrated_epsilon",),
        _ASKED
        + """forall loss v_squares v_delta v_L, let v_mean := v_squares / 2 in
        0 < v_squares -> 0 < v_L -> spends_squares neighbours l loss v_squares v_delta it ->
        DP neighbours (transcripts l it) {epsilon} (v_delta + exp (- v_L)) (mass it)""",
        lambda: {"epsilon": composition.concentrated_epsilon(TERM, MEAN, SQUARES, L)},
        f"""intros D O n l it Sy P loss s d L m V L0 B.
        pose proof (approximate_dp_filter n l loss s d L it Sy V L0 P B) as H. {EQUAL}
        replace (2 * s * L) with (2 * (L * s)) by ring. rewrite sqrt_mult by nra. unfold m. ring.""",
    ),
    Corollary(
        "composition/approximate-zcdp",
        "approximate_zcdp",
        "Failures.approximate_zcdp_to_dp",
        ("conversions.zcdp_delta",),
        """forall D O (neighbours : D -> D -> Prop) (l : list O) v_delta v_rho v_epsilon M part, 0 <= v_delta <= 1 ->
        0 < v_rho -> v_rho < v_epsilon -> mechanism l M -> approximate_zCDP neighbours l v_delta v_rho M part ->
        DP neighbours l v_epsilon (v_delta + (1 - v_delta) * {delta}) M""",
        lambda: {"delta": conversions.zcdp_delta(TERM, RHO, EPSILON)},
        """intros D O n l d r e M part X R0 E P A. pose proof (approximate_zcdp_to_dp n l d r e M part X R0 E P A) as H.
        match goal with H : DP _ _ _ (_ + _ * exp ?x) _ |- DP _ _ _ (_ + _ * exp ?y) _ =>
          replace y with x; [exact H | field; lra] end.""",
    ),
    Corollary(
        "composition/trade-off-dp",
        "trade_off",
        "Tests.dp_region",
        ("tradeoff.dp_tradeoff",),
        PAIR
        + """forall v_epsilon v_delta g, test g -> close l v_epsilon v_delta p q -> close l v_epsilon v_delta q p ->
        let v_a := first_error l q g in
        {zero} <= second_error l p g /\\ {steep} <= second_error l p g /\\ {flat} <= second_error l p g""",
        lambda: {
            "zero": tradeoff.dp_tradeoff(_picked(0, 0), A, EPSILON, DELTA),
            "steep": tradeoff.dp_tradeoff(_picked(1, 0), A, EPSILON, DELTA),
            "flat": tradeoff.dp_tradeoff(_picked(1, 1), A, EPSILON, DELTA),
        },
        """intros O l p q P Q e d g G C C' a. pose proof (dp_region l e d p q g P Q G C C') as H.
        unfold dp_trade_off in H.
        fold a in H. clearbody a. pose proof (Rmax_l 0 (Rmax (1 - d - exp e * a) (exp (- e) * (1 - d - a)))).
        pose proof (Rmax_r 0 (Rmax (1 - d - exp e * a) (exp (- e) * (1 - d - a)))).
        pose proof (Rmax_l (1 - d - exp e * a) (exp (- e) * (1 - d - a))).
        pose proof (Rmax_r (1 - d - exp e * a) (exp (- e) * (1 - d - a))). replace (-1 * e) with (- e) by ring.
        repeat split; lra.""",
    ),
    Corollary(
        "composition/trade-off",
        "test_says",
        "Tests.test_says_delta",
        ("tradeoff.tradeoff_delta",),
        """forall O (l : list O) (p q : O -> R) g v_epsilon, test g ->
        let v_a := first_error l q g in let v_b := second_error l p g in {says} <= hockey l v_epsilon p q""",
        lambda: {"says": tradeoff.tradeoff_delta(TERM, A, B, EPSILON)},
        """intros O l p q g e G a b. pose proof (test_says_delta l e p q g G) as H. unfold says in H. fold a b in H.
        lra.""",
    ),
    Corollary(
        "pld/sampling",
        "sampled_curves",
        "Cells.removed_curve",
        ("curves.removed_order", "curves.added_factor", "curves.added_order"),
        """forall O (l : list O) (p q : O -> R) v_gamma v_x, 0 < v_gamma ->
        hockey l v_x (mix v_gamma p q) q = v_gamma * stick l 1 {removed} p q
        /\\ (let v_c := {factor} in 0 < v_c -> hockey l v_x p (mix v_gamma q p) = v_c * stick l 1 {added} p q)""",
        lambda: {
            "removed": curves.removed_order(TERM, GAMMA, X),
            "factor": curves.added_factor(TERM, 1 - GAMMA, X),
            "added": curves.added_order(TERM, GAMMA, C, X),
        },
        """intros O l p q g x G. rewrite !hockey_stick, removed_curve, added_curve. split.
        rewrite <- stick_scal by lra. f_equal. ring. field. lra.
        intros c C0. rewrite <- stick_scal by lra. f_equal. unfold c; ring. field. lra.""",
    ),
    Corollary(
        "guarantees/samples",
        "poisson_sample",
        "Sampling.poisson_amplification",
        ("amplification.sampled_loss",),
        """forall X O (l : list O) v_gamma_s v_x v_delta (M : list X -> O -> R), 0 <= v_gamma_s <= 1 -> 0 <= v_x ->
        0 <= v_delta -> mechanism l M -> DP add_or_remove_one l v_x v_delta M ->
        DP add_or_remove_one l {loss} (v_gamma_s * v_delta) (poisson v_gamma_s M)""",
        lambda: {"loss": amplification.sampled_loss(TERM, sp.Symbol("gamma_s"), X)},
        f"""intros X O l g x d M G E D P H0. pose proof (poisson_amplification l g x d M G E D P H0) as H.
        unfold amplified in H. {EQUAL} f_equal. ring.""",
    ),
    Corollary(
        "guarantees/samples",
        "batch_sample",
        "Replacement.without_replacement_amplification",
        ("amplification.sampled_loss",),
        """forall X O (l : list O) m n v_x v_delta (M : list X -> O -> R), let v_gamma_s := INR m / INR n in
        (0 < m <= n)%nat -> 0 <= v_x -> 0 <= v_delta -> mechanism l M ->
        (forall s s', Permutation.Permutation s s' -> forall o, M s o = M s' o) -> DP replace_one l v_x v_delta M ->
        DP (replace_one_of n) l {loss} (v_gamma_s * v_delta) (sampled m M)""",
        lambda: {"loss": amplification.sampled_loss(TERM, sp.Symbol("gamma_s"), X)},
        f"""intros X O l m n x d M g L E D P U H0.
        pose proof (without_replacement_amplification l m n x d M L E D P U H0) as H.
        fold g in H. unfold amplified in H. {EQUAL} f_equal. ring.""",
    ),
    Corollary(
        "guarantees/samples",
        "sampled_reversed",
        "Sampling.sampled_ratio_reversed",
        ("amplification.sampled_loss_reversed",),
        """forall O (l : list O) (p r : O -> R) v_gamma_s v_x, 0 <= v_gamma_s <= 1 -> (forall o, 0 <= p o) ->
        (forall o, In o l -> p o <= exp v_x * r o) -> forall o, In o l -> p o <= exp {loss} * mix v_gamma_s r p o""",
        lambda: {"loss": amplification.sampled_loss_reversed(TERM, sp.Symbol("gamma_s"), X)},
        """intros O l p r g x G P H o I. pose proof (sampled_ratio_reversed l g x p r G P H o I) as K.
        match goal with K : _ <= exp ?x * _ |- _ <= exp ?y * _ => replace y with x; [exact K |] end.
        replace (-1 * x) with (- x) by ring. replace (-1 + exp (- x)) with (exp (- x) - 1) by ring. ring.""",
    ),
    Corollary(
        "guarantees/table",
        "reversed_table",
        "Pairs.reversed_guarantee",
        ("guarantees.reversed_delta",),
        PAIR
        + """forall v_epsilon v_delta, close l v_epsilon v_delta q p ->
        let v_alpha := exp (- v_epsilon) in hockey l (- v_epsilon) p q <= {delta}""",
        lambda: {"delta": guarantees.reversed_delta(TERM, ALPHA, DELTA)},
        """intros O l p q P Q e d C a. pose proof (reversed_guarantee l p q e d P Q C) as H. fold a in H. lra.""",
    ),
    Corollary(
        "dp-erm-revisited/P71",
        "weak_triangle",
        "Conversion.weak_triangle",
        ("renyi.weak_triangle",),
        """forall O (l : list O) v_alpha v_D1 v_D2 (p r q : O -> R), 1 < v_alpha -> (forall o, 0 <= p o) ->
        (forall o, 0 <= r o) -> (forall o, 0 <= q o) -> renyi l (2 * v_alpha) v_D1 p r ->
        renyi l (2 * v_alpha - 1) v_D2 r q -> renyi l v_alpha {divergence} p q""",
        lambda: {"divergence": renyi.weak_triangle(TERM, ALPHA, FIRST, SECOND)},
        """intros O l a s1 s2 p r q A P R0 Q H1 H2. pose proof (weak_triangle l a s1 s2 p r q A P R0 Q H1 H2) as H.
        match goal with H : renyi _ _ ?x _ _ |- renyi _ _ ?y _ _ => replace y with x; [exact H | field; lra] end.""",
    ),
    Corollary(
        "renyi/to-dp",
        "renyi_to_dp",
        "Conversion.renyi_to_dp",
        ("conversions.renyi_delta", "conversions.zcdp_delta"),
        """forall O (l : list O) v_alpha v_D v_epsilon (p q : O -> R), 1 < v_alpha -> (forall o, 0 <= p o) ->
        (forall o, 0 <= q o) -> renyi l v_alpha v_D p q -> close l v_epsilon {delta} p q""",
        lambda: {"delta": conversions.renyi_delta(TERM, D, ALPHA, EPSILON)},
        """intros O l a d e p q A P Q H0. pose proof (renyi_to_dp l a d e p q A P Q H0) as H.
        match goal with H : close _ _ (exp ?x) _ _ |- close _ _ (exp ?y) _ _ =>
          replace y with x; [exact H | ring] end.""",
    ),
    Corollary(
        "zcdp/to-dp-optimised",
        "renyi_to_dp_optimised",
        "Conversion.renyi_to_dp_optimised",
        ("conversions.renyi_delta_optimised",),
        """forall O (l : list O) v_alpha v_D v_epsilon (p q : O -> R), 1 < v_alpha -> (forall o, 0 <= p o) ->
        (forall o, 0 <= q o) -> renyi l v_alpha v_D p q -> close l v_epsilon {delta} p q""",
        lambda: {"delta": conversions.renyi_delta_optimised(TERM, D, ALPHA, EPSILON)},
        """intros O l a d e p q A P Q H0. pose proof (renyi_to_dp_optimised l a d e p q A P Q H0) as H.
        match goal with H : close _ _ ?x _ _ |- close _ _ ?y _ _ => replace y with x; [exact H |] end.
        unfold conversion_factor. replace (1 + -1 * / a) with (1 - / a) by ring. rewrite exp_plus.
        replace ((-1 + a) * (d + -1 * e)) with ((a - 1) * (d - e)) by ring. field. lra.""",
    ),
    Corollary(
        "zcdp/composition",
        "zcdp_composition",
        "AnyOutputs.zcdp_after",
        ("conversions.zcdp_renyi",),
        """forall D A C (neighbours : D -> D -> Prop) rho1 rho2 (M : D -> means A) (N : A -> D -> means C),
        (forall d, is_law (M d)) -> (forall x d, is_law (N x d)) -> concentrated neighbours rho1 M ->
        (forall x, concentrated neighbours rho2 (N x)) -> let v_rho := rho1 + rho2 in
        forall d d' v_alpha, neighbours d d' -> 1 < v_alpha ->
        divergence v_alpha {divergence} (after (M d) (fun x => N x d)) (after (M d') (fun x => N x d'))""",
        lambda: {"divergence": conversions.zcdp_renyi(TERM, RHO, ALPHA)},
        """intros D A C n r1 r2 M N LM LN H1 H2 r d d' a E A1. rewrite (Rmult_comm a).
        now apply (zcdp_after n r1 r2 M N LM LN H1 H2).""",
    ),
    Corollary(
        "renyi/bounded-range",
        "bounded_range",
        "Concentrated.bounded_range_zcdp",
        ("conversions.bounded_range_zcdp", "conversions.zcdp_renyi"),
        PAIR
        + """forall v_epsilon v_alpha, 0 < v_epsilon -> bounded_range l v_epsilon p q -> 1 < v_alpha ->
        let v_rho := {rho} in renyi l v_alpha {divergence} p q""",
        lambda: {
            "rho": conversions.bounded_range_zcdp(TERM, EPSILON),
            "divergence": conversions.zcdp_renyi(TERM, RHO, ALPHA),
        },
        """intros O l p q P Q e a E B A r. pose proof (bounded_range_zcdp l e p q E P Q B a A) as H.
        match goal with H : renyi _ _ ?x _ _ |- renyi _ _ ?y _ _ =>
          replace y with x; [exact H | unfold r; field] end.""",
    ),
    Corollary(
        "exponential-mechanism/pure-dp",
        "exponential_pure",
        "Mechanisms.exponential_pure",
        ("exponential-mechanism.selection_range",),
        """forall D O (neighbours : D -> D -> Prop) (l : list O) (score : D -> O -> R) v_lambda v_Delta, l <> [] ->
        0 < v_lambda -> 0 <= v_Delta ->
        (forall d d', neighbours d d' -> forall o, Rabs (score d o - score d' o) <= v_Delta) ->
        DP neighbours l {epsilon} 0 (exponential l score v_lambda)""",
        lambda: {"epsilon": exponential.selection_range(TERM, sp.Symbol("Delta"), SCALE)},
        f"""intros D O n l score t s L T S0 S. pose proof (exponential_pure n l score t s L T S0 S) as H. {EQUAL}
        field. lra.""",
    ),
    Corollary(
        "exponential-mechanism/zcdp",
        "exponential_zcdp",
        "Mechanisms.exponential_zcdp",
        ("exponential-mechanism.selection_range", "exponential-mechanism.bounded_range_zcdp"),
        """forall D O (neighbours : D -> D -> Prop) (l : list O) (score : D -> O -> R) v_lambda v_Delta, l <> [] ->
        0 < v_lambda -> 0 < v_Delta ->
        (forall d d', neighbours d d' -> forall o, Rabs (score d o - score d' o) <= v_Delta) ->
        let v_epsilon := {epsilon} in zCDP neighbours l {rho} (exponential l score v_lambda)""",
        lambda: {
            "epsilon": exponential.selection_range(TERM, sp.Symbol("Delta"), SCALE),
            "rho": exponential.bounded_range_zcdp(TERM, EPSILON),
        },
        """intros D O n l score t s L T S0 S e. pose proof (exponential_zcdp n l score t s L T S0 S) as H.
        match goal with H : zCDP _ _ ?x _ |- zCDP _ _ ?y _ =>
          replace y with x; [exact H | unfold e; field; lra] end.""",
    ),
    Corollary(
        "gaussian/renyi",
        "gaussian_renyi",
        "GaussianStatements.renyi_of_unit_noise",
        ("divergences.gaussian_renyi",),
        "forall v_alpha v_mu, line_renyi v_alpha (normal v_mu 1) (normal 0 1) {divergence}",
        lambda: {"divergence": divergences.gaussian_renyi(TERM, ALPHA, MU)},
        """intros a m. pose proof (renyi_of_unit_noise a m) as H.
        match goal with H : line_renyi _ _ _ ?x |- line_renyi _ _ _ ?y => replace y with x; [exact H | field] end.""",
    ),
    Corollary(
        "gaussian/privacy-curve",
        "gaussian_curve",
        "GaussianStatements.curve_of_unit_noise",
        ("divergences.gaussian_delta",),
        """forall v_epsilon v_delta v_mu, 0 < v_mu ->
        line_close v_epsilon v_delta (normal v_mu 1) (normal 0 1) <-> {delta} <= v_delta""",
        lambda: {"delta": divergences.gaussian_delta(TERM, EPSILON, MU)},
        """intros e d m M. rewrite (curve_of_unit_noise e d m M). unfold gaussian_delta, normal_cdf.
        assert (P : sqrt 2 <> 0) by (apply Rgt_not_eq, sqrt_lt_R0; lra).
        assert (K : forall x, erfc (x / sqrt 2) = erfc (x * (1 / 2 * sqrt 2))).
        { intros x. f_equal. apply (Rmult_eq_reg_r (sqrt 2)); auto. unfold Rdiv.
          rewrite !Rmult_assoc, Rinv_l, sqrt_sqrt by (auto; lra). field. }
        rewrite !K.
        match goal with |- ?x <= _ <-> ?y <= _ => replace y with x; [tauto |] end.
        replace (- (m / 2 - e / m) * (1 / 2 * sqrt 2)) with (1 / 2 * sqrt 2 * (-1 / 2 * m + e * / m)) by (field; lra).
        replace (- (- m / 2 - e / m) * (1 / 2 * sqrt 2)) with (1 / 2 * sqrt 2 * (1 / 2 * m + e * / m)) by (field; lra).
        field.""",
    ),
    *CHOICES,
    *FRANK_WOLFE,
    *SELECTIONS,
)
