"""Printed privacy statements of private-online-frank-wolfe that are false, with the Coq theorems that negate them."""

from __future__ import annotations

from typing import Final

from proofs.negation import HALF_LINE, LARGE, REPLACE, SIGNS, Negation

NEGATIONS: Final = (
    Negation(
        "private-online-frank-wolfe, Lemma 2.1: noise with density proportional to exp(-|z|^2 / (2 sigma^2)), "
        "sigma^2 = 2 kappa ln(1 / delta) s^2 / epsilon^2, makes a query of sensitivity s (epsilon, delta)-private",
        REPLACE,
        "OnlineFrankWolfe",
        "lemma_2_1_is_false_for_large_epsilon",
        "a bit, released with the noise, in dimension one",
        HALF_LINE,
        LARGE,
        claims=("private-online-frank-wolfe/lemma-2.1",),
        obligations=("private-online-frank-wolfe/E-6",),
        stronger=("lemma_2_1_fails",),
    ),
    Negation(
        "private-online-frank-wolfe, Algorithm 4 with Theorem 3.1: DP-TOFW with sigma_+ of Eq. (3.2), the squared "
        "radius of the noise drawn with the Gamma scale 2 sigma_+, is (epsilon, delta)-private",
        REPLACE,
        "OnlineFrankWolfe",
        "theorem_3_1_with_algorithm_4_is_false",
        f"{SIGNS}; dimension one; the first published iterate; every epsilon, delta and length of the stream, G large",
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
        REPLACE,
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
        REPLACE,
        "OnlineFrankWolfeChoice",
        "theorem_3_4_is_false",
        f"{SIGNS}; dimension one; a stream of one record, at which ln n and with it the printed scale are zero; the "
        "first published iterate; that large epsilon fail at longer streams is certified, and no theorem here",
        "the iterate is negative",
        "1 against 0",
        claims=("private-online-frank-wolfe/theorem-3.4@as-printed-n-1",),
        obligations=("private-online-frank-wolfe/E-5",),
        stronger=("one_record_is_shown",),
    ),
    Negation(
        "private-online-frank-wolfe, Theorem 4.1: DP-HDB (Algorithm 3, over Algorithm 2 with the horizon T in the "
        "noise of line 8) is (epsilon, delta)-jointly private, for every epsilon, delta and T",
        "one entry of the stream changes, and the actions after it are seen (Definition 4.1)",
        "OnlineFrankWolfeBandit",
        "theorem_4_1_is_false",
        "two arms, dimension one, the identity as link; contexts 1, rewards 97 or -97; one warm-up round an arm and "
        "T = 3; delta = exp(-1/1600) and every epsilon from 4 on (at usual deltas a certificate sums over longer "
        "streams, and no theorem here)",
        "the third action is the first arm, of which the changed reward decides the first vertex",
        "at least 1 - exp(-4 epsilon) against at most 2 exp(-4 epsilon)",
        claims=("private-online-frank-wolfe/theorem-4.1",),
        obligations=("private-online-frank-wolfe/E-5",),
        stronger=("third_action_shows",),
    ),
)
