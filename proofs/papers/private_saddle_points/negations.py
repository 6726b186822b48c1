"""Printed privacy statements of private-saddle-points that are false, each with the Coq theorem that negates it."""

from __future__ import annotations

from typing import Final

from proofs.negation import REPLACE, Negation

NEGATIONS: Final = (
    Negation(
        "private-saddle-points, Proof 3.18: every vertex that Algorithm 3 draws is 9 tau alpha L0-DP "
        "(Proposition 3.17, which the proof is for, holds)",
        REPLACE,
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
        REPLACE,
        "SaddlePointsDraw",
        "proof_3_18_sensitivity_is_false",
        "the same two data sets and draws; the first score",
        "none: the score is a number before anything is drawn from it",
        "it moves by (4 C_M + 1) tau alpha L0, which is at least 7 tau alpha L0",
        claims=("private-saddle-points/proof-3.18-sensitivity",),
        obligations=("private-saddle-points/E3",),
    ),
)
