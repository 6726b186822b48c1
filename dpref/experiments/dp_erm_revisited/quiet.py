"""What an algorithm would reach without its noise."""

from __future__ import annotations

from typing import Any, TypeVar, final

import numpy as np

from dpref.curator import DrawingCurator
from dpref.curator.interface import Draw
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.mechanisms.noise import standard_normal
from dpref.reals import Array, FloatArray
from dpref.units import A, Sensitivity

D = TypeVar("D")


@final
class QuietCurator(DrawingCurator[D, A]):
    """Answers exactly: for comparison alone, since nothing that it answers is private."""

    def _answer(
        self, value: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw = standard_normal
    ) -> Array:
        return value

    def _unit_scores(self, noise: ChoiceNoise, shape: tuple[int, int], label: str) -> FloatArray:
        return np.zeros(shape)
