"""Printed privacy statements of dp-erm-revisited that are false, each with the Coq theorem that is its negation."""

from __future__ import annotations

from typing import Final

from proofs.negation import HALF_LINE, LARGE, REPLACE, SIGNS, Negation

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
        REPLACE,
        "ErmRevisited",
        "gaussian_mechanism_is_not_private_for_every_epsilon",
        "a bit, released with the noise",
        HALF_LINE,
        LARGE,
        claims=("dp-erm-revisited/definition-3.4",),
        obligations=("dp-erm-revisited/E10",),
        stronger=("classical_calibration_fails", "definition_3_4_at_its_claim"),
        numbers={
            "definition_3_4_at_its_claim": (
                "dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5",
                ("epsilon", "delta"),
            )
        },
    ),
    Negation(
        "dp-erm-revisited, Theorem 6.1: for some constant c, DP-GD with sigma^2 = c G^2 T ln(1 / delta) / (n^2 "
        "epsilon^2) "
        "is (epsilon, delta)-private for all epsilon, delta > 0",
        REPLACE,
        "ErmRevisited",
        "gradient_descent_is_not_private_for_every_epsilon",
        f"{SIGNS}; the output after T steps, for every T, n, G and step size",
        HALF_LINE,
        LARGE,
        claims=("dp-erm-revisited/theorem-6.1",),
        obligations=("dp-erm-revisited/E9",),
        stronger=("gradient_descent_fails", "theorem_6_1_at_its_claim"),
        numbers={
            "theorem_6_1_at_its_claim": (
                "dp-erm-revisited/theorem-6.1@as-printed-epsilon-100",
                ("epsilon", "delta", "steps", "constant"),
            )
        },
    ),
    Negation(
        "dp-erm-revisited, Theorem 5.3: for some constant c, DP-AccMD with sigma^2 = c G^2 T ln(1 / delta) / "
        "(n^2 epsilon^2) "
        "is (epsilon, delta)-private",
        REPLACE,
        "ErmRevisited",
        "theorem_5_3_is_false",
        f"{SIGNS}; the set is [-R, R], one round from 0, and the release is y_1, an exact gradient step; every "
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
        REPLACE,
        "ErmVarianceReduction",
        "theorem_4_1_is_false_for_every_constants",
        f"{SIGNS}; a quadratic regulariser; one epoch, as long as the range asks; the release is the epoch's "
        "average; for delta up to 1/4, every epsilon from 1 + 4 c ln(1 / delta) on fails",
        HALF_LINE,
        LARGE,
        claims=("dp-erm-revisited/theorem-4.1",),
        obligations=("dp-erm-revisited/P76",),
        stronger=("variance_reduced_descent_fails", "variance_reduced_descent_fails_from"),
    ),
    Negation(
        "dp-erm-revisited, Theorem 4.3: for some constants c and c_1, DP-SVRG++ with "
        "sigma^2 = c G^2 2^T m ln(2 / delta) / (n^2 epsilon^2) is (epsilon, delta)-private for epsilon <= c_1 "
        "2^T m / n^2",
        REPLACE,
        "ErmVarianceReduction",
        "theorem_4_3_is_false_for_every_constants",
        f"{SIGNS}; no regulariser; the first epoch's average; for delta up to 1/4, every epsilon from "
        "1 + 4 c ln(2 / delta) on fails",
        HALF_LINE,
        LARGE,
        claims=("dp-erm-revisited/theorem-4.3",),
        obligations=("dp-erm-revisited/P76",),
        stronger=("variance_reduced_descent_plus_plus_fails", "variance_reduced_descent_plus_plus_fails_from"),
    ),
    Negation(
        "dp-erm-revisited, Remark 4.1: the bound on epsilon may go if the noise of Eq. (3) is multiplied by c' "
        "ln(T / delta)",
        REPLACE,
        "ErmVarianceReduction",
        "remark_4_1_is_false_for_every_constants",
        f"{SIGNS}; one epoch of one step, where the remark's factor does not depend on epsilon; that every epsilon "
        "fails is proved at the step size 6 / L alone",
        HALF_LINE,
        LARGE,
        claims=("dp-erm-revisited/remark-4.1",),
        obligations=("dp-erm-revisited/E4",),
        stronger=("remark_4_1_fails_at_every_epsilon",),
    ),
    Negation(
        "dp-erm-revisited, Eq. (3) without the range of epsilon: for some constant c, DP-SVRG with that noise is "
        "(epsilon, delta)-private for all epsilon and delta, at any step size (Theorem 4.1 does not claim this)",
        REPLACE,
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
        REPLACE,
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
        REPLACE,
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
)
