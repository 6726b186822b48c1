"""Gonzalez, Guzman and Paquette, private stochastic saddle points: one module a part of the paper."""

from __future__ import annotations

from typing import Final

PARTS: Final = (
    "sparsification",
    "mirror_descent",
    "bias_reduced",
    "convex",
    "errata",
)
