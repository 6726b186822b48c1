r"""Proximal operators of simple regularisers, over ``Ops[Array]``.

.. math::
    r(x) = \lambda_1\|x\|_1 + \tfrac{\lambda_2}2\|x\|_2^2 + \iota_S(x), \qquad
    \mathrm{prox}_{\eta r}(y) = \arg\min_x\ \tfrac12\|x-y\|_2^2 + \eta\,r(x),

where S is the whole space, a box, or a Euclidean ball around the origin.  With $\mathrm{soft}(y,c)$ the soft threshold,

.. math:: \mathrm{prox}_{\eta r}(y) = P_S\!\left(\frac{\mathrm{soft}(y,\eta\lambda_1)}{1+\eta\lambda_2}\right).

Why the projection may come last: in a box the problem splits into coordinates, and the minimum of a convex function on
an interval is its free minimum, cut off.  In a ball the multiplier of $\|x\|^2\le R^2$ adds to $\lambda_2$ and so only
shortens the free solution.

References:
    Parikh and Boyd, "Proximal algorithms", 2014, Sections 2 and 6.
    Wang, Ye and Xu, "Differentially private empirical risk minimization revisited", 2017, Lemma B.2 (nonexpansiveness).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpref.checks import positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import shrink
from dpref.reals import Array, Exact, Ops


@dataclass(frozen=True)
class Regulariser:
    r"""$r(x)=\lambda_1\|x\|_1+\frac{\lambda_2}2\|x\|^2$ on a box, on a ball, or everywhere; data-independent.

    Attributes:
        l1: lambda_1, exact, >= 0.
        l2: lambda_2, exact, >= 0; also r's modulus of strong convexity.
        box: Lowest and highest value of each coordinate, exact, or None.
        radius: Radius of the ball, exact, positive, or None; not together with a box.
    """

    l1: Fraction = Fraction(0)
    l2: Fraction = Fraction(0)
    box: tuple[Fraction, Fraction] | None = None
    radius: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "l1", rational("l1", self.l1))
        object.__setattr__(self, "l2", rational("l2", self.l2))
        if self.radius is not None:
            object.__setattr__(self, "radius", positive_rational("radius", self.radius))
        if self.box is None:
            return
        if self.radius is not None:
            raise InvalidArgumentError("box", self.box, "has no closed prox together with a ball: give one of them")
        low, high = (_end(v) for v in self.box)
        if low >= high:
            raise InvalidArgumentError("box", self.box, "must have its lower end first")
        object.__setattr__(self, "box", (low, high))

    def __add__(self, other: Regulariser) -> Regulariser:
        """The sum of two regularisers: weights add, sets intersect.

        Raises:
            InvalidArgumentError: If a box meets a ball, or two boxes do not meet.
        """
        boxes = [r.box for r in (self, other) if r.box is not None]
        radii = [r.radius for r in (self, other) if r.radius is not None]
        box = (max(low for low, _ in boxes), min(high for _, high in boxes)) if boxes else None
        return Regulariser(self.l1 + other.l1, self.l2 + other.l2, box, min(radii) if radii else None)

    @property
    def name(self) -> str:
        """Name in tables.

        >>> (elastic_net(Fraction(1), Fraction(2)) + ball(Fraction(3))).name
        'elastic net on a ball'
        """
        net = {(1, 0): "l1", (0, 1): "squared l2", (1, 1): "elastic net"}.get((self.l1 > 0, self.l2 > 0))
        region = "box" if self.box is not None else "ball" if self.radius is not None else None
        return f"{net} on a {region}" if net and region else net or region or "none"

    @property
    def is_zero(self) -> bool:
        """Whether the prox is the identity."""
        return self == NONE

    def value(self, o: Ops[Array], x: Array) -> Array:
        r"""$\lambda_1\|x\|_1+\frac{\lambda_2}2\|x\|^2$ at a point of the set (not checked), shape (d,)."""
        total: Array = o.number(self.l1) * o.maximum(x, -x).sum() + o.number(self.l2) / 2 * (x * x).sum()
        return total

    def project(self, o: Ops[Array], x: Array) -> Array:
        """The nearest point of the set, shape (d,)."""
        if self.box is not None:
            low, high = self.box
            return o.maximum(o.number(low), o.minimum(o.number(high), x))
        return x if self.radius is None else shrink(o, x, o.number(self.radius))

    def prox(self, o: Ops[Array], eta: Array, y: Array) -> Array:
        r"""$\mathrm{prox}_{\eta r}(y)$.

        Args:
            eta: Step size, a positive number of that system.
            y: Shape (d,).

        Returns:
            Shape (d,).

        References:
            Parikh and Boyd 2014, Sections 6.5.2 and 6.6.1.

        >>> from dpref.reals import FLOAT_ARRAY as o
        >>> elastic_net(Fraction(1), Fraction(1)).prox(o, o.lift(1.0), o.lift([3.0, -0.5, -2.0])).tolist()
        [1.0, 0.0, -0.5]
        """
        if self.l1 > 0:
            cut = eta * o.number(self.l1)
            y = y - o.maximum(-cut, o.minimum(cut, y))
        if self.l2 > 0:
            y = y / (1 + eta * o.number(self.l2))
        return self.project(o, y)


def _end(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise InvalidArgumentError("box", value, "must have exact ends (int or Fraction)")
    return Fraction(value)


NONE: Final = Regulariser()


def l1(weight: Exact) -> Regulariser:
    r"""$\lambda\|x\|_1$: the prox is the soft threshold.

    Raises:
        InvalidArgumentError: If the weight is not exact and positive.

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> l1(Fraction(1, 2)).prox(o, o.lift(2.0), o.lift([3.0, -0.5])).tolist()
    [2.0, 0.0]
    """
    return Regulariser(l1=positive_rational("weight", weight))


def squared_l2(weight: Exact) -> Regulariser:
    r"""$\frac\lambda2\|x\|^2$: the prox divides by $1+\eta\lambda$.

    Raises:
        InvalidArgumentError: If the weight is not exact and positive.

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> squared_l2(Fraction(1, 2)).prox(o, o.lift(2.0), o.lift([3.0, -0.5])).tolist()
    [1.5, -0.25]
    """
    return Regulariser(l2=positive_rational("weight", weight))


def elastic_net(first: Exact, second: Exact) -> Regulariser:
    r"""$\lambda_1\|x\|_1+\frac{\lambda_2}2\|x\|^2$: the prox is the soft threshold, divided by $1+\eta\lambda_2$.

    Args:
        first: $\lambda_1$, exact.
        second: $\lambda_2$, exact; also the modulus of strong convexity.

    Raises:
        InvalidArgumentError: If a weight is not exact and positive.

    >>> elastic_net(1, 2).l2
    Fraction(2, 1)
    """
    return Regulariser(positive_rational("first", first), positive_rational("second", second))


def box(low: Exact, high: Exact) -> Regulariser:
    """The indicator of a box: every coordinate between two exact numbers.

    Raises:
        InvalidArgumentError: If an end is not exact, or the ends are not in order.

    >>> from dpref.reals import FLOAT_ARRAY as o
    >>> box(-1, 1).prox(o, o.lift(2.0), o.lift([3.0, -0.5])).tolist()
    [1.0, -0.5]
    """
    return Regulariser(box=(_end(low), _end(high)))


def ball(radius: Exact) -> Regulariser:
    """The indicator of the Euclidean ball of a radius around the origin.

    Raises:
        InvalidArgumentError: If the radius is not exact and positive.

    >>> ball(2).radius
    Fraction(2, 1)
    """
    return Regulariser(radius=positive_rational("radius", radius))
