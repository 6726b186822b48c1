"""Obligations that no single paper owns: mechanisms, conversions, composition, sensitivities."""

from __future__ import annotations

from typing import Final

PARTS: Final = (
    "gaussian",
    "zcdp",
    "sensitivity",
    "exponential_mechanism",
    "smooth",
    "divergences",
    "composition",
    "guarantees",
    "pairs",
    "samplers",
    "allocations",
    "whole_curves",
    "variance_reduction",
    "mechanisms",
    "matrices",
    "discrete_gaussian",
    "fast_path",
    "fast_path_measures",
    "fast_path_stages",
)
