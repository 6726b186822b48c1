r"""Linear minimisation oracles: $\arg\min_{v\in C}\langle g,v\rangle$ for the sets that Frank-Wolfe runs on.

The oracles are formulas over ``Ops[Array]``.  Where a minimiser jumps (the sign of a coordinate, the best vertex),
balls that do not decide which side they are on raise `PrecisionError`: a run in balls never follows two vertices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple, Protocol, runtime_checkable

import numpy as np
from flint import arb

from dpref.checks import finite_array, positive_rational
from dpref.errors import PrecisionError
from dpref.geometry.norms import Index, check_index, dual_index
from dpref.reals import Array, FloatArray, Ops, ball, evaluate, exact, upper


class Encoding(NamedTuple):
    """A set as a kernel reads it.

    >>> LpBall(Fraction(1), Fraction(2)).encoding().kind == CROSS_POLYTOPE
    True
    """

    kind: int  # 0 ball with 1 < p < inf, 1 box, 2 ball with p = 1, 3 vertices
    dual: float  # q, where kind is 0
    radius: float  # r, where kind is below 3
    vertices: FloatArray  # (V, d), where kind is 3


POWER_BALL, BOX, CROSS_POLYTOPE, VERTICES = range(4)
_NO_VERTICES: Final = np.zeros((0, 0))


@runtime_checkable
class LinearMinimizationOracle(Protocol):
    """A compact convex set that answers linear problems."""

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def index(self) -> Index:
        """The index of the norm in which diameter and radius are measured."""

    def minimise(self, o: Ops[Array], g: Array) -> Array:
        """A minimiser of <g, v> over the set; g and the answer have shape (d,)."""

    def start(self, dimension: int) -> FloatArray:
        """A point of the set that does not depend on any data, shape (d,)."""

    def radius_bound(self) -> Fraction:
        """The largest norm of a point of the set, or a little more."""

    def diameter(self) -> Fraction:
        """The largest distance of two points of the set, or a little more."""

    def encoding(self) -> Encoding:
        """The set as a kernel reads it."""


def power(o: Ops[Array], x: Array, exponent: Fraction) -> Array:
    """``x ** exponent`` for entries that are positive or exactly zero, and a positive exponent.

    Args:
        x: Shape (d,).
        exponent: Exact.

    Raises:
        PrecisionError: If a ball neither is zero nor stays away from it.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> power(FLOAT_ARRAY, np.array([0.0, 4.0]), Fraction(1, 2)).tolist()
    [0.0, 2.0]
    """
    positive = _decided(x)
    found = np.zeros_like(x) if x.dtype != object else o.lift(np.zeros(x.shape))
    if positive.any():
        found[positive] = o.exp(o.number(exponent) * o.log(x[positive]))
    return found


def _decided(x: Array) -> Array:
    """Which entries are positive, when each is either positive or zero."""
    positive, zero = np.asarray(x > 0, dtype=bool), np.asarray(x == 0, dtype=bool)
    if not (positive | zero).all():
        raise PrecisionError("a ball does not decide whether it is zero; raise the working precision")
    return positive


def _signs(x: Array) -> Array:
    """-1, 0 or 1 for each entry, as doubles."""
    positive, negative = np.asarray(x > 0, dtype=bool), np.asarray(x < 0, dtype=bool)
    if not (positive | negative | np.asarray(x == 0, dtype=bool)).all():
        raise PrecisionError("a ball does not decide its sign; raise the working precision")
    return np.where(positive, 1.0, np.where(negative, -1.0, 0.0))


def _least(scores: Array) -> int:
    """The index of the least score, the first of equal ones."""
    best = 0
    for j in range(1, scores.shape[0]):
        if scores[j] < scores[best]:
            best = j
        elif not scores[j] >= scores[best]:
            raise PrecisionError("balls do not decide which vertex is best; raise the working precision")
    return best


@dataclass(frozen=True)
class LpBall:
    r"""The ball $\{\|v\|_p\le r\}$.

    Attributes:
        p: Norm index, exact, at least 1, or infinity.
        radius: r, exact, positive.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> LpBall(Fraction(1), Fraction(2)).minimise(FLOAT_ARRAY, np.array([-0.5, -3.0]))
    array([0., 2.])
    """

    p: Index
    radius: Fraction
    name: str = "lp ball"

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", check_index(self.p))
        object.__setattr__(self, "radius", positive_rational("radius", self.radius))

    @property
    def index(self) -> Index:
        """p."""
        return self.p

    def minimise(self, o: Ops[Array], g: Array) -> Array:
        r"""$v_j=-r\,\mathrm{sign}(g_j)|g_j|^{q-1}/\|g\|_q^{q-1}$; the origin if g = 0, a vertex if p = 1."""
        r, signs = o.number(self.radius), o.lift(_signs(g))
        if np.asarray(g == 0, dtype=bool).all():
            return o.lift(np.zeros(g.shape))
        if self.p == math.inf:
            return -r * signs
        sizes = signs * g
        largest = _least(-sizes)
        if self.p == 1:
            chosen = np.zeros(g.shape)
            chosen[largest] = 1.0
            return -r * signs * o.lift(chosen)
        q = Fraction(dual_index(self.p))
        weights = sizes / sizes[largest]
        total = power(o, np.asarray(power(o, weights, q).sum(keepdims=True)), (q - 1) / q)
        return -r * signs * power(o, weights, q - 1) / total

    def start(self, dimension: int) -> FloatArray:
        """The origin."""
        return np.zeros(dimension)

    def radius_bound(self) -> Fraction:
        """r."""
        return self.radius

    def diameter(self) -> Fraction:
        """2 r."""
        return 2 * self.radius

    def encoding(self) -> Encoding:
        """The kind, q and r."""
        kind = {Fraction(1): CROSS_POLYTOPE, math.inf: BOX}.get(self.p, POWER_BALL)
        return Encoding(kind, float(dual_index(self.p)), float(self.radius), _NO_VERTICES)


@dataclass(frozen=True, eq=False)
class Polytope:
    """The convex hull of given vertices.

    Attributes:
        vertices: Shape (V, d); of equal ones the first is kept (balls could not decide between them).
        p: The norm in which it is measured, l_1 unless told otherwise.

    >>> square = Polytope(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]))
    >>> square.radius_bound(), square.diameter()
    (Fraction(2, 1), Fraction(4, 1))
    """

    vertices: FloatArray
    name: str = "polytope"
    p: Index = Fraction(1)

    def __post_init__(self) -> None:
        given = finite_array("vertices", self.vertices, ndim=2)
        object.__setattr__(self, "vertices", np.array(list(dict.fromkeys(map(tuple, given.tolist())))))
        object.__setattr__(self, "p", check_index(self.p))

    @property
    def index(self) -> Index:
        """p."""
        return self.p

    def minimise(self, o: Ops[Array], g: Array) -> Array:
        """The first vertex with the least inner product."""
        return o.lift(self.vertices[_least(o.lift(self.vertices) @ g)])

    def start(self, dimension: int) -> FloatArray:
        """The first vertex."""
        return np.array(self.vertices[0])

    def radius_bound(self) -> Fraction:
        """The largest norm of a vertex, rounded up."""
        return self._sizes[0]

    def diameter(self) -> Fraction:
        """The largest distance of two vertices, rounded up."""
        return self._sizes[1]

    @cached_property
    def _sizes(self) -> tuple[Fraction, Fraction]:
        rows = [[exact(x) for x in v] for v in self.vertices]
        norms = [_norm_above(v, self.p) for v in rows]
        pairs = ((v, w) for k, v in enumerate(rows) for w in rows[:k])
        gaps = [_norm_above([a - b for a, b in zip(v, w, strict=True)], self.p) for v, w in pairs]
        return max(norms), max(gaps, default=Fraction(0))

    def encoding(self) -> Encoding:
        """The vertices."""
        return Encoding(VERTICES, 1.0, 0.0, self.vertices)


def _norm_above(x: list[Fraction], p: Index) -> Fraction:
    """The l_p norm of a vector of rationals: exact for p = 1 and infinity, else rounded up."""
    sizes = [abs(v) for v in x if v != 0]
    if p == math.inf:
        return max(sizes, default=Fraction(0))
    if p == 1 or len(sizes) <= 1:
        return sum(sizes, Fraction(0))
    q = Fraction(p)

    def value() -> arb:
        return sum(((ball(v).log() * ball(q)).exp() for v in sizes), arb(0)) ** (1 / ball(q))

    return exact(upper(evaluate(value)))


def simplex(dimension: int) -> Polytope:
    """The probability simplex in R^d, measured in l_1; its vertices are the coordinate vectors.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> simplex(3).minimise(FLOAT_ARRAY, np.array([0.2, -1.0, 0.0]))
    array([0., 1., 0.])
    """
    return Polytope(np.eye(dimension), "simplex")
