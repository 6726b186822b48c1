"""Printed privacy statements of kl-condition that are false, each with the Coq theorem that is its negation."""

from __future__ import annotations

from typing import Final

from proofs.negation import REPLACE, Negation

NEGATIONS: Final = (
    Negation(
        "kl-condition, Theorem 1: KL Spider (Algorithm 1) is rho-zCDP, for losses that are Lipschitz and smooth where "
        "the run stays, with the KL inequality; here at kappa = 2, in dimension one",
        REPLACE,
        "KlCondition",
        "theorem_1_is_false",
        "10^5 records, one linear and the others quadratic; rho = 1/100, gamma = L0 = L1 = 1, and F0 with which the "
        "printed number of rounds is 1; both data sets meet the hypotheses",
        "the output is negative: the noisy gradient was above the threshold of the second step",
        "at least 0.539 against at most 0.461; at order 2 the divergence is above ln(1.024), and 2 rho is 0.02",
        claims=("kl-condition/theorem-1",),
        obligations=("kl-condition/E1",),
        stronger=("two_cells_refute", "round_probability"),
    ),
    Negation(
        "kl-condition, Theorem 3: releasing w_0, ..., w_T of adaptive noisy gradient descent (Algorithm 3, with the "
        "norm's noise as printed, a number that may be negative) is rho-zCDP; here in dimension one",
        "replace-one",
        "KlShortSteps",
        "theorem_3_is_false",
        "one record of slope L0 turned round, the others constant; rho = 16, n = 10^24, six rounds of which the noisy "
        "norms are not seen",
        "each of the first six steps lies between 2 and 6 times the least noise",
        "at least 0.2498^6 against at most 0.000181^6; at order 2 the divergence is above 34, and 2 rho is 32",
        claims=("kl-condition/theorem-3",),
        obligations=("kl-condition/E4",),
        stronger=("theorem_3_is_false_for_null_records", "short_steps_refute"),
    ),
)
