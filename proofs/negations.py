"""Printed privacy statements that are false, each with the Coq theorem that is its negation.

A negation is about the released output of the algorithm, written in Coq as the paper's recursion: the statement with
its quantifiers, neighbouring data sets, an event, and the inequality that contradicts it. `NEGATIONS` names them beside
the claims of the catalogue and the obligations that they settle; `WITHOUT` lists the claims that have none, and why.
`proofs.findings.negated` says that no finding is left out. What reads and compiles the sources is
`proofs.negations_in_coq`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from proofs.negation import Negation

# What is proved of the definitions themselves: they are those of the continuous theory, and true statements stay true.
AGREEMENT: Final = ("functional_bind", "private_is_line_DP", "enough_noise_is_private")

_REPLACE: Final = "replace-one"
_SIGNS: Final = "records are signs s, the loss is s G x; n plus signs against n - 1 plus signs and a minus"
_HALF_LINE: Final = "the output lies on the far side of the one data set's mean, moved by u standard deviations"
_LARGE: Final = (
    "normal_cdf u against at most exp(-(gap - u)^2 / 2) / 2, the gap in standard deviations growing like epsilon"
)
_FAR: Final = "the output lies a times the gap beyond the other data set's mean, a the order"
_EXACT_TAILS: Final = "normal_cdf(-(a - 1) gap) against normal_cdf(-a gap), at a large order a"

_MARKED: Final = (
    "n records, of which one or none has a kinked loss with the others' slope at 0; two inner steps from 0; "
    "every c and epsilon, delta = 1 / n^2, n large"
)
_MOVED: Final = "the average of the two iterates is below the other data set's mean by half a step"
_SAMPLED: Final = "at least 1 / (4 n), the index being drawn, against at most exp(-G^2 / (10 sigma^2)) / 2"

NEGATIONS: Final = (
    Negation(
        "dp-erm-revisited, Definition 3.4: normal noise of standard deviation sqrt(2 ln(1.25 / delta)) Delta / "
        "epsilon "
        "makes a query of sensitivity Delta (epsilon, delta)-private, for every epsilon",
        _REPLACE,
        "ErmRevisited",
        "gaussian_mechanism_is_not_private_for_every_epsilon",
        "a bit, released with the noise",
        _HALF_LINE,
        _LARGE,
        claims=("dp-erm-revisited/definition-3.4",),
        obligations=("dp-erm-revisited/E10",),
        stronger=("classical_calibration_fails", "definition_3_4_at_its_claim"),
        numbers={
            "definition_3_4_at_its_claim": (
                "dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5", ("epsilon", "delta"),
            )
        },
    ),
    Negation(
        "dp-erm-revisited, Theorem 6.1: for some constant c, DP-GD with sigma^2 = c G^2 T ln(1 / delta) / (n^2 "
        "epsilon^2) "
        "is (epsilon, delta)-private for all epsilon, delta > 0",
        _REPLACE,
        "ErmRevisited",
        "gradient_descent_is_not_private_for_every_epsilon",
        f"{_SIGNS}; the output after T steps, for every T, n, G and step size",
        _HALF_LINE,
        _LARGE,
        claims=("dp-erm-revisited/theorem-6.1",),
        obligations=("dp-erm-revisited/E9",),
        stronger=("gradient_descent_fails", "theorem_6_1_at_its_claim"),
        numbers={
            "theorem_6_1_at_its_claim": (
                "dp-erm-revisited/theorem-6.1@as-printed-epsilon-100", ("epsilon", "delta", "steps", "constant"),
            )
        },
    ),
    Negation(
        "dp-erm-revisited, Theorem 5.3: for some constant c, DP-AccMD with sigma^2 = c G^2 T ln(1 / delta) / "
        "(n^2 epsilon^2) "
        "is (epsilon, delta)-private",
        _REPLACE,
        "ErmRevisited",
        "theorem_5_3_is_false",
        f"{_SIGNS}; the set is [-R, R], one round from 0, and the release is y_1, an exact gradient step; every "
        "c, epsilon, delta",
        "y_1 lies below the midpoint of the two possible points",
        "1 against 0",
        claims=("dp-erm-revisited/theorem-5.3",),
        obligations=("dp-erm-revisited/E1",),
        stronger=("accelerated_mirror_descent_is_not_private", "one_round_is_exact"),
    ),
    Negation(
        "dp-erm-revisited, Theorem 4.1: for some constants c and c_1, DP-SVRG with "
        "sigma^2 = c G^2 T m ln(1 / delta) / (n^2 epsilon^2) is (epsilon, delta)-private for epsilon <= c_1 T m "
        "/ n^2",
        _REPLACE,
        "ErmVarianceReduction",
        "theorem_4_1_is_false_for_every_constants",
        f"{_SIGNS}; a quadratic regulariser; one epoch, as long as the range asks; the release is the epoch's "
        "average; for delta up to 1/4, every epsilon from 1 + 4 c ln(1 / delta) on fails",
        _HALF_LINE,
        _LARGE,
        claims=("dp-erm-revisited/theorem-4.1",),
        obligations=("dp-erm-revisited/P76",),
        stronger=("variance_reduced_descent_fails", "variance_reduced_descent_fails_from"),
    ),
    Negation(
        "dp-erm-revisited, Theorem 4.3: for some constants c and c_1, DP-SVRG++ with "
        "sigma^2 = c G^2 2^T m ln(2 / delta) / (n^2 epsilon^2) is (epsilon, delta)-private for epsilon <= c_1 "
        "2^T m / n^2",
        _REPLACE,
        "ErmVarianceReduction",
        "theorem_4_3_is_false_for_every_constants",
        f"{_SIGNS}; no regulariser; the first epoch's average; for delta up to 1/4, every epsilon from "
        "1 + 4 c ln(2 / delta) on fails",
        _HALF_LINE,
        _LARGE,
        claims=("dp-erm-revisited/theorem-4.3",),
        obligations=("dp-erm-revisited/P76",),
        stronger=("variance_reduced_descent_plus_plus_fails", "variance_reduced_descent_plus_plus_fails_from"),
    ),
    Negation(
        "dp-erm-revisited, Remark 4.1: the bound on epsilon may go if the noise of Eq. (3) is multiplied by c' "
        "ln(T / delta)",
        _REPLACE,
        "ErmVarianceReduction",
        "remark_4_1_is_false_for_every_constants",
        f"{_SIGNS}; one epoch of one step, where the remark's factor does not depend on epsilon; that every epsilon "
        "fails is proved at the step size 6 / L alone",
        _HALF_LINE,
        _LARGE,
        claims=("dp-erm-revisited/remark-4.1",),
        obligations=("dp-erm-revisited/E4",),
        stronger=("remark_4_1_fails_at_every_epsilon",),
    ),
    Negation(
        "dp-erm-revisited, Eq. (3) without the range of epsilon: for some constant c, DP-SVRG with that noise is "
        "(epsilon, delta)-private for all epsilon and delta, at any step size (Theorem 4.1 does not claim this)",
        _REPLACE,
        "ErmRange",
        "equation_3_needs_its_range",
        _MARKED,
        _MOVED,
        _SAMPLED,
        claims=("dp-erm-revisited/equation-3",),
        obligations=("dp-erm-revisited/P73",),
        stronger=("equation_3_fails_at_every_epsilon", "equation_3_at_its_claim", "sampled_index_shows"),
        numbers={
            "equation_3_at_its_claim": (
                "dp-erm-revisited/equation-3@without-range-output",
                ("epsilon", "delta", "records", "constant", "epochs", "inner"),
            )
        },
    ),
    Negation(
        "dp-erm-revisited, Eq. (6) without the range of epsilon: for some constant c, DP-SVRG++ with that noise is "
        "(epsilon, delta)-private for all epsilon and delta (Theorem 4.3 does not claim this)",
        _REPLACE,
        "ErmRange",
        "equation_6_needs_its_range",
        _MARKED,
        _MOVED,
        _SAMPLED,
        claims=("dp-erm-revisited/equation-6",),
        obligations=("dp-erm-revisited/P73",),
        stronger=("equation_6_fails_at_every_epsilon", "equation_6_at_its_claim"),
        numbers={
            "equation_6_at_its_claim": (
                "dp-erm-revisited/equation-6@without-range-output",
                ("epsilon", "delta", "records", "constant", "epochs", "inner"),
            )
        },
    ),
    Negation(
        "dp-erm-revisited, Appendix A: DP-SVRG with the noise of Eq. (3) and c = 16 is (0.2, 0.001)-private at the "
        "numbers of the experiments, all iterates released, as the proof of Theorem 4.1 composes them",
        _REPLACE,
        "ErmTranscript",
        "appendix_a_is_false",
        "200,000 records, of which one or none has a kinked loss; a quadratic regulariser whose centre is away from "
        "the start; the step size of Theorem 4.2, 1 / (12 L); every c up to 25, which leaves the output alone open",
        "one of the 5,000 steps of the first epoch moves less than half as far as without noise",
        "at least 0.012, the mark being sampled, against at most 0.0025",
        claims=("dp-erm-revisited/appendix-a",),
        obligations=("dp-erm-revisited/E5", "dp-erm-revisited/P73"),
        stronger=("appendix_a_fails", "first_epoch_shows"),
        numbers={
            "appendix_a_fails": (
                "dp-erm-revisited/appendix-a@as-printed",
                ("epsilon", "delta", "records", "epochs", "inner"),
            )
        },
    ),
    Negation(
        "dynamic-privacy-budget, Theorem 3.5: gradient descent privatised by Algorithm 1 with the budget R is "
        "R/2-zCDP, "
        "for neighbours of equal size",
        _REPLACE,
        "DynamicBudget",
        "theorem_3_5_is_false",
        f"{_SIGNS}; one step whose cost is between a quarter of the budget and all of it, so that Algorithm 1 "
        "makes it",
        _FAR,
        _EXACT_TAILS,
        claims=("dynamic-privacy-budget/algorithm-1@as-printed", "dynamic-privacy-budget/theorem-3.5"),
        obligations=("dynamic-privacy-budget/T1",),
        stronger=("replace_one_costs_four_times", "theorem_3_5_with_the_schedule_of_theorem_4_5_is_false"),
    ),
    Negation(
        "dynamic-privacy-budget, Algorithm 1: with n raw gradients of N records and noise divided by N it is "
        "R/2-zCDP",
        "zero-out",
        "DynamicBudget",
        "batch_claim_is_false",
        "one record and n - 1 null records against n null records, N at least 2 n; one step within the budget",
        _FAR,
        _EXACT_TAILS,
        claims=("dynamic-privacy-budget/algorithm-1-batch",),
        obligations=("dynamic-privacy-budget/T3",),
        stronger=("batch_noise_is_too_small",),
    ),
    Negation(
        "dynamic-privacy-budget, Section 4.3: for some constant c, a step on a Poisson batch of rate p costs c "
        "p^2 / sigma^2",
        "zero-out",
        "DynamicSampling",
        "section_4_3_is_false_for_poisson_batches",
        "one record and N - 1 null records against N null records; one step, which momentum makes in the same way",
        _FAR,
        "at least p normal_cdf(-(a - 1) gap) against normal_cdf(-a gap), at a large order a",
        claims=("dynamic-privacy-budget/section-4.3@as-printed-poisson", "dynamic-privacy-budget/theorem-4.10"),
        obligations=("dynamic-privacy-budget/T18",),
        stronger=("poisson_sampling_does_not_amplify", "section_4_3_budget_is_false"),
    ),
    Negation(
        "dynamic-privacy-budget, Section 4.3: the same of a batch of n of N records, drawn without replacement",
        _REPLACE,
        "DynamicSampling",
        "section_4_3_is_false_for_batches_without_replacement",
        "N - 1 plus signs and a minus against N plus signs; one step",
        _FAR,
        "at least q normal_cdf(-(a - 1) gap) against normal_cdf(-a gap), q the chance that the record is drawn",
        claims=("dynamic-privacy-budget/section-4.3@as-printed",),
        obligations=("dynamic-privacy-budget/T18",),
        stronger=("batches_do_not_amplify",),
    ),
    Negation(
        "dynamic-privacy-budget, Appendix C.1: Lemma C.4 gives (epsilon, delta) from "
        "rho = epsilon + 2 L + 2 sqrt(L (epsilon + L)), L = ln(1 / delta)",
        _REPLACE,
        "DynamicBudget",
        "lemma_c_4_inversion_is_false",
        "a bit with normal noise, which is rho-zCDP exactly; every epsilon, every delta up to 1/4",
        "above the mean",
        "1/2 against less than exp(-rho) / 2",
        claims=("dynamic-privacy-budget/lemma-c.4-inversion",),
        obligations=("dynamic-privacy-budget/printed-rho",),
        stronger=("printed_rho_is_not_private", "printed_rho_at_its_claim"),
        numbers={
            "printed_rho_at_its_claim": ("dynamic-privacy-budget/lemma-c.4-inversion@as-printed", ("epsilon", "delta"))
        },
    ),
    Negation(
        "dynamic-privacy-budget, Section 4.1.3: the budget R = 2 epsilon + 4 L + 4 sqrt(L (epsilon + L)) gives "
        "(epsilon, delta)",
        _REPLACE,
        "DynamicBudget",
        "section_4_1_3_is_false",
        "as for the root of Appendix C.1, half of the budget being the rho",
        "above the mean",
        "1/2 against less than exp(-R / 2) / 2",
        claims=("dynamic-privacy-budget/section-4.1.3",),
        obligations=("dynamic-privacy-budget/printed-budget",),
        stronger=("printed_rho_at_its_claim",),
        numbers={"printed_rho_at_its_claim": ("dynamic-privacy-budget/section-4.1.3@as-printed", ("epsilon", "delta"))},
    ),
    Negation(
        "kl-condition, Theorem 1: KL Spider (Algorithm 1) is rho-zCDP, for losses that are Lipschitz and smooth where "
        "the run stays, with the KL inequality; here at kappa = 2, in dimension one",
        _REPLACE,
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
    Negation(
        "private-online-frank-wolfe, Lemma 2.1: noise with density proportional to exp(-|z|^2 / (2 sigma^2)), "
        "sigma^2 = 2 kappa ln(1 / delta) s^2 / epsilon^2, makes a query of sensitivity s (epsilon, delta)-private",
        _REPLACE,
        "OnlineFrankWolfe",
        "lemma_2_1_is_false_for_large_epsilon",
        "a bit, released with the noise, in dimension one",
        _HALF_LINE,
        _LARGE,
        claims=("private-online-frank-wolfe/lemma-2.1",),
        obligations=("private-online-frank-wolfe/E-6",),
        stronger=("lemma_2_1_fails",),
    ),
    Negation(
        "private-online-frank-wolfe, Algorithm 4 with Theorem 3.1: DP-TOFW with sigma_+ of Eq. (3.2), the squared "
        "radius of the noise drawn with the Gamma scale 2 sigma_+, is (epsilon, delta)-private",
        _REPLACE,
        "OnlineFrankWolfe",
        "theorem_3_1_with_algorithm_4_is_false",
        f"{_SIGNS}; dimension one; the first published iterate; every epsilon, delta and length of the stream, G large",
        "the iterate is negative",
        "normal_cdf(G / sqrt(sigma_+)) against normal_cdf(-G / sqrt(sigma_+))",
        claims=("private-online-frank-wolfe/algorithm-4",),
        obligations=("private-online-frank-wolfe/E-2",),
        stronger=("first_iterate_fails", "sign_refutes"),
    ),
    Negation(
        "private-online-frank-wolfe, Lemma 3.2 with Theorem 3.1: DP-TOFW with sigma_+ of Eq. (3.2) and noise of the "
        "density exp(-|z|^2 / (2 sigma_+^2)), norm and constant from Lemma 3.2, is (epsilon, delta)-private, "
        "for epsilon <= 1",
        _REPLACE,
        "OnlineFrankWolfeNorm",
        "lemma_3_2_is_false",
        "records along the diagonal (1, 1, 1) or against it; three dimensions, the set is a cube, p = 3/2; the first "
        "published iterate of a stream of 1000 records",
        "every coordinate of the iterate is negative",
        "at least 1/8 against at most 8 exp(-3 |g|^2 / (8 sigma_+^2)), |g| being more than 60,000",
        claims=("private-online-frank-wolfe/lemma-3.2",),
        obligations=("private-online-frank-wolfe/E-1",),
        stronger=("diagonal_refutes", "lemma_3_2_at_its_claim"),
        numbers={
            "lemma_3_2_at_its_claim": (
                "private-online-frank-wolfe/lemma-3.2@as-printed-d-3-output",
                ("epsilon", "delta", "records", "dimension", "p"),
            )
        },
    ),
    Negation(
        "private-online-frank-wolfe, Theorem 3.4: DP-POFW with Laplace noise of the scale of line 8 is (epsilon, "
        "delta)-private, for every length n of the stream",
        _REPLACE,
        "OnlineFrankWolfeChoice",
        "theorem_3_4_is_false",
        f"{_SIGNS}; dimension one; a stream of one record, at which ln n and with it the printed scale are zero; the "
        "first published iterate; that large epsilon fail at longer streams is certified, and no theorem here",
        "the iterate is negative",
        "1 against 0",
        claims=("private-online-frank-wolfe/theorem-3.4@as-printed-n-1",),
        obligations=("private-online-frank-wolfe/E-5",),
        stronger=("one_record_is_shown",),
    ),
    Negation(
        "private-saddle-points, Proof 3.18: every vertex that Algorithm 3 draws is 9 tau alpha L0-DP "
        "(Proposition 3.17, which the proof is for, holds)",
        _REPLACE,
        "SaddlePointsDraw",
        "proof_3_18_draw_is_false",
        "one record whose gradient turns round between the two averages, 199 others; four vertices, after one "
        "iteration of level 1, given its draws; tau alpha L0 = 1/4, and every truncation M from 1 on",
        "the last vertex is drawn",
        "0.44 against at most 0.023, at M = 1, and the factor is exp(9/4)",
        claims=("private-saddle-points/proof-3.18-draw",),
        obligations=("private-saddle-points/P64",),
        stronger=("a_drawn_vertex_is_not_private",),
    ),
    Negation(
        "private-saddle-points, Proof 3.18: the scores of Algorithm 3 have sensitivity 9/2 tau alpha L0",
        _REPLACE,
        "SaddlePointsDraw",
        "proof_3_18_sensitivity_is_false",
        "the same two data sets and draws; the first score",
        "none: the score is a number before anything is drawn from it",
        "it moves by (4 C_M + 1) tau alpha L0, which is at least 7 tau alpha L0",
        claims=("private-saddle-points/proof-3.18-sensitivity",),
        obligations=("private-saddle-points/E3",),
    ),
)  # fmt: skip

WITHOUT: Final[Mapping[str, str]] = MappingProxyType({
    "dynamic-privacy-budget/section-4.4": "the print does not say who finds the good one of the runs: releasing all of "
    "them is R/2-zCDP as printed, and what is refuted is one way to fill the gap",
    "private-online-frank-wolfe/theorem-4.1": "it rests on Theorem 3.4, of which there is a negation at n = 1; that "
    "its own rounds fail at large epsilon is a sum over a hundred choices, certified and not written in Coq",
})  # fmt: skip
