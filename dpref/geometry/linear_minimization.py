r"""Linear minimisation oracles: $\arg\min_{v\in C}\langle g,v\rangle$ for the sets that Frank-Wolfe runs on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from dpref.checks import finite_array, positive_rational
from dpref.geometry.norms import Index, check_index, dual_index
from dpref.reals import FloatArray


class LinearMinimizationOracle(Protocol):
    """A compact convex set that contains the origin and answers linear problems."""

    @property
    def name(self) -> str:
        """Name in tables."""

    def minimise(self, g: FloatArray) -> FloatArray:
        """A minimiser of <g, v> over the set; g and the answer have shape (d,)."""

    def diameter(self) -> float:
        """Diameter in the set's own norm."""


@dataclass(frozen=True)
class LpBall:
    r"""The ball $\{\|v\|_p\le r\}$.

    Attributes:
        p: Norm index, exact, at least 1, or infinity.
        radius: r, exact, positive.

    >>> LpBall(Fraction(1), Fraction(2)).minimise(np.array([0.5, -3.0]))
    array([0., 2.])
    """

    p: Index
    radius: Fraction
    name: str = "lp ball"

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", check_index(self.p))
        object.__setattr__(self, "radius", positive_rational("radius", self.radius))

    def minimise(self, g: FloatArray) -> FloatArray:
        r"""$v_j=-r\,\mathrm{sign}(g_j)|g_j|^{q-1}/\|g\|_q^{q-1}$; the origin if g = 0, a vertex if p = 1."""
        r = float(self.radius)
        if not g.any():
            return np.zeros_like(g)
        if self.p == 1:
            v = np.zeros_like(g)
            j = int(np.argmax(np.abs(g)))
            v[j] = -r * np.sign(g[j])
            return v
        if self.p == math.inf:
            return np.asarray(-r * np.sign(g))
        q = float(dual_index(self.p))
        weights = np.abs(g) / np.abs(g).max()
        powers = weights ** (q - 1)
        scale = float(np.sum(weights**q)) ** ((q - 1) / q)
        return np.asarray(-r * np.sign(g) * powers / scale)

    def diameter(self) -> float:
        """2 r."""
        return 2 * float(self.radius)


@dataclass(frozen=True, eq=False)
class Polytope:
    """The convex hull of given vertices.

    Attributes:
        vertices: Shape (V, d).
    """

    vertices: FloatArray
    name: str = "polytope"

    def __post_init__(self) -> None:
        object.__setattr__(self, "vertices", finite_array("vertices", self.vertices, ndim=2))

    def minimise(self, g: FloatArray) -> FloatArray:
        """The first vertex with the least inner product."""
        return np.asarray(self.vertices[int(np.argmin(self.vertices @ g))])

    def diameter(self) -> float:
        """The largest l_1 distance of two vertices."""
        return max(float(np.abs(self.vertices - v).sum(axis=1).max()) for v in self.vertices)


def simplex(dimension: int) -> Polytope:
    """The probability simplex in R^d.

    >>> simplex(3).minimise(np.array([0.2, -1.0, 0.0]))
    array([0., 1., 0.])
    """
    return Polytope(np.eye(dimension), "simplex")
