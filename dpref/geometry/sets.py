"""Constraint sets and their Euclidean projections, over ``Ops[Array]``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol

from dpref.checks import positive_rational
from dpref.reals import Array, Ops, T


class ConstraintSet(Protocol):
    """A closed convex set around the origin.

    Attributes:
        name: Its name in tables.
        radius: The largest Euclidean norm in it, or None if unbounded; exact.
    """

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def radius(self) -> Fraction | None:
        """Largest norm in the set."""

    def project(self, o: Ops[Array], x: Array) -> Array:
        """The nearest point of the set; x has shape (d,)."""


def norm(o: Ops[Array], x: Array) -> Array:
    """Euclidean norm of the rows of an array of shape (..., d), shape (...).

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> norm(o, o.lift([[3.0, 4.0], [0.0, 2.0]])).tolist()
    [5.0, 2.0]
    """
    return o.sqrt(o.maximum((x * x).sum(axis=-1), o.number(0)))


def shrink_factor(o: Ops[T], radius: T, length: T) -> T:
    r"""$\frac r{\max(r,\|x\|)}$: what a vector of a length is multiplied with (obligation ``sensitivity/clipping``).

    Args:
        radius: r, positive.
        length: $\|x\|$, in the unit of r.

    >>> from dpref.reals import FLOAT
    >>> shrink_factor(FLOAT, 5.0, 10.0)
    0.5
    """
    return radius / o.maximum(radius, length)


def shrink(o: Ops[Array], x: Array, radius: Array) -> Array:
    r"""$x\cdot\frac{r}{\max(r,\|x\|)}$ for each row: the projection onto the ball, and per-example clipping alike.

    Args:
        x: Shape (d,), or (n, d) for n rows.
        radius: r, positive, in the unit of x.

    Returns:
        The shape of x; no row is longer than r (up to rounding, in doubles).

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> shrink(o, o.lift([[6.0, 8.0], [0.0, 2.0]]), o.lift(5.0)).tolist()
    [[3.0, 4.0], [0.0, 2.0]]
    """
    factor: Array = shrink_factor(o, radius, norm(o, x))
    return x * factor[..., None] if x.ndim > 1 else x * factor


@dataclass(frozen=True)
class WholeSpace:
    """No constraint.

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> WHOLE_SPACE.project(o, o.lift([6.0, 8.0])).tolist()
    [6.0, 8.0]
    """

    name: str = "whole space"
    radius: Fraction | None = None

    def project(self, o: Ops[Array], x: Array) -> Array:
        """x itself."""
        return x


WHOLE_SPACE: Final = WholeSpace()


@dataclass(frozen=True)
class L2Ball:
    """The Euclidean ball of a radius around the origin.

    Attributes:
        radius: Exact, positive.

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> L2Ball(Fraction(5)).project(o, o.lift([6.0, 8.0])).tolist()
    [3.0, 4.0]
    """

    radius: Fraction
    name: str = "l2 ball"

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive_rational("radius", self.radius))

    def project(self, o: Ops[Array], x: Array) -> Array:
        r"""$x\cdot r/\max(r,\|x\|)$."""
        return shrink(o, x, o.number(self.radius))
