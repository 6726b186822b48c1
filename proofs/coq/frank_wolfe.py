"""Corollaries about noisy Frank-Wolfe: how far the noise of a node goes, and what a step gains."""

from __future__ import annotations

from typing import Final

import sympy as sp

from dpref.algorithms.online_frank_wolfe import utility as online
from dpref.algorithms.polyhedral_frank_wolfe import utility as polyhedral
from dpref.terms import TERM
from proofs.coq.corollary import Corollary

SIGMA, DIMENSION, LENGTH, RISK, BETA, DIAMETER, ERROR, T, CURVATURE = sp.symbols("sigma d l h beta D e t C")
ROOT, PULL = sp.symbols("r c")
_STEP: Final = (
    "forall V (f gradient estimate : _ -> R) here vertex other slope {numbers}, 0 < v_t -> {before}"
    "@noisy_step V f gradient estimate here vertex other slope ({gain}) ({error}) ({curvature}) -> "
    "f (moved here vertex (/ (v_t + 1))) - {least} <= "
)
_RISK: Final = {"before": "let v_h := f here - f other in ", "gain": "v_h", "least": "f other"}
_PROOF: Final = """pose proof (frank_wolfe_step f gradient estimate here vertex other slope _ _ _ (/ (t + 1)) H) as K.
        assert (B : 0 <= / (t + 1) <= 1).
        { split. left. apply Rinv_0_lt_compat. lra. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
        specialize (K B). match goal with |- _ <= ?x => match type of K with _ <= ?y =>
          replace x with (y - least); [lra |] end end."""

FRANK_WOLFE: Final = (
    Corollary(
        "private-online-frank-wolfe/PO-17",
        "node_length",
        "GammaTail.gamma_tail",
        ("online-frank-wolfe.node_length",),
        """forall v_sigma v_d v_l p P, 0 < v_sigma -> 0 < v_d -> 0 <= v_l ->
        gamma_density (v_d / 2) (2 * (v_sigma * v_sigma)) p ->
        probability p (beyond ({length} * {length})) P -> P <= exp (- v_l)""",
        lambda: {"length": online.node_length(TERM, SIGMA, DIMENSION, LENGTH)},
        """intros s d l p P S D L G H. apply (gamma_tail (d / 2) (2 * (s * s)) p l P G); auto; try nra.
        match goal with H : probability _ (beyond ?x) _ |- probability _ (beyond ?y) _ =>
          replace y with x; [exact H |] end.
        replace (2 * (d / 2) * l) with (d * l) by field.
        pose proof (sqrt_pos (d * l)).
        match goal with |- s * sqrt ?r * (s * sqrt _) = _ =>
          replace (s * sqrt r * (s * sqrt r)) with (s * s * (sqrt r * sqrt r)) by ring; rewrite sqrt_sqrt by lra end.
        field.""",
    ),
    Corollary(
        "private-online-frank-wolfe/theorem-A.1",
        "risk_step",
        "FrankWolfeStep.frank_wolfe_step",
        ("online-frank-wolfe.risk_step",),
        _STEP.format(numbers="v_beta v_D v_e v_t", error="v_D * v_e", curvature="v_beta * (v_D * v_D)", **_RISK)
        + "{step}",
        lambda: {"step": online.risk_step(TERM, RISK, BETA, DIAMETER, ERROR, T)},
        "intros V f gradient estimate here vertex other slope beta D e t T h H. set (least := f other). "
        + _PROOF
        + " unfold h. fold least. field. lra.",
    ),
    Corollary(
        "private-online-frank-wolfe/theorem-3.5",
        "polyhedral_risk_step",
        "FrankWolfeStep.frank_wolfe_step",
        ("polyhedral-frank-wolfe.risk_step",),
        _STEP.format(numbers="v_C v_e v_t", error="v_e", curvature="v_C", **_RISK) + "{step}",
        lambda: {"step": polyhedral.risk_step(TERM, RISK, CURVATURE, ERROR, T)},
        "intros V f gradient estimate here vertex other slope C e t T h H. set (least := f other). "
        + _PROOF
        + " unfold h. fold least. field. lra.",
    ),
    Corollary(
        "private-online-frank-wolfe/theorem-A.2",
        "interior_step",
        "FrankWolfeStep.frank_wolfe_step",
        ("online-frank-wolfe.interior_step",),
        _STEP.format(
            numbers="least v_r v_c v_C v_e v_t",
            error="v_e",
            curvature="v_C",
            before="f here - least = v_r * v_r -> ",
            gain="v_c * v_r",
            least="least",
        )
        + "{step}",
        lambda: {"step": online.interior_step(TERM, ROOT, CURVATURE, ERROR, PULL, T)},
        "intros V f gradient estimate here vertex other slope least r c C e t T E H. "
        + _PROOF
        + " replace (f here) with (least + r * r) by lra. field. lra.",
    ),
)
