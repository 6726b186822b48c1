"""What an algorithm would reach without its noise."""

from __future__ import annotations

from typing import Any, TypeVar, final

import numpy as np

from dpref.curator import Curator, Indices, draw_batch
from dpref.curator.interface import Draw
from dpref.mechanisms.noise import standard_normal
from dpref.reals import Array, FloatArray
from dpref.units import Adjacency, Sensitivity

A = TypeVar("A", bound=Adjacency)
D = TypeVar("D")


@final
class QuietCurator(Curator[D, A]):
    """Answers exactly: for comparison alone, since nothing that it answers is private."""

    def __init__(self, data: D, adjacency: type[A], rng: np.random.Generator) -> None:
        super().__init__(data, adjacency)
        self._rng = rng

    def _answer(
        self, value: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw = standard_normal
    ) -> Array:
        return value

    def _indices(self, count: int, size: int) -> Indices:
        return draw_batch(self._rng, count, size)

    def _independent(self, count: int, size: int) -> Indices:
        return self._rng.integers(count, size=size)

    def _gumbel(self, shape: tuple[int, int], label: str) -> FloatArray:
        return np.zeros(shape)
