"""Gonzalez, Guzman and Paquette, private stochastic saddle points: one module a part of the paper."""

from __future__ import annotations

from typing import Final

from proofs.registry import Paper

PARTS: Final = (
    "sparsification",
    "lemmas",
    "mirror_descent",
    "bias_reduced",
    "convex",
    "boosted",
    "frank_wolfe",
    "synthetic",
    "errata",
    "gaps",
)

PAPER: Final = Paper("private-saddle-points", "gonzalez2024mirror")
obligation, erratum, declare = PAPER.obligation, PAPER.erratum, PAPER.declare
