r"""Balls that hold the exact value of a formula and whatever doubles may compute for it, in whatever order they add.

With $u=2^{-53}$: an operation on members of two balls is in the ball of the results, widened by u of its size (four
units in the last place for a function of the mathematical library; numpy's own are within them) and by the least
positive double, for what underflows.  A sum of k terms, each of them in a ball, may be added in any order, with or
without fused products: it is in the ball of the exact sums, widened by $k u(1+2^{-20})\sum|x_i|$, which is more than
$\gamma_{k-1}\sum|x_i|$ (Higham 2002, Section 4.2).  A number therefore remembers what it is the sum of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from flint import arb

from dpref.reals import BALL, Array, Ops, ball

U: Final = 2.0**-53
LIBRARY: Final = 8 * U
TINY: Final = 2.0**-1074


class Enclosure(arb):
    """A ball, and the sum that it is made of.

    Attributes:
        exact: The ball of the exact sum.
        terms: How many were added.
        size: The sum of their sizes.
    """

    exact: arb
    terms: int
    size: arb

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        o = enclosure(other)
        terms, size = self.terms + o.terms, self.size + o.size
        made = Enclosure(self.exact + o.exact + arb(0, 1) * (size * (terms * U * (1 + 2.0**-20))))
        made.exact, made.terms, made.size = self.exact + o.exact, terms, size
        return made

    __radd__ = __add__

    def __neg__(self) -> Enclosure:
        made = Enclosure(-arb(self))
        made.exact, made.terms, made.size = -self.exact, self.terms, self.size
        return made

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + -enclosure(other)

    def __rsub__(self, other: Any) -> Any:
        return enclosure(other) + -self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return enclosure(arb(self) * arb(enclosure(other)), U)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return enclosure(arb(self) / arb(enclosure(other)), U)

    def __rtruediv__(self, other: Any) -> Any:
        return enclosure(other) / self


def enclosure(x: Any, rounding: float = 0.0) -> Enclosure:
    """One term: a number, and the doubles that round it."""
    if isinstance(x, Enclosure):
        return x
    exact = arb(x if isinstance(x, arb | int) else float(x))
    if rounding > 0:
        exact += arb(0, 1) * (abs(exact).upper() * rounding + TINY)
    made = Enclosure(exact)
    made.exact, made.terms, made.size = exact, 1, abs(exact).upper()
    return made


def _elementwise(f: Callable[..., Any], rounding: float = 0.0, arity: int = 1) -> Callable[..., Array]:
    one = np.frompyfunc(lambda *x: enclosure(f(*(arb(enclosure(v)) for v in x)), rounding), arity, 1)
    return lambda *x: np.asarray(one(*x), dtype=object)


ENCLOSURE_ARRAY: Final[Ops[Array]] = Ops(
    name="enclosure array",
    number=lambda x: np.asarray(enclosure(ball(x), U), dtype=object),
    lift=_elementwise(lambda x: x),
    pi=lambda: np.asarray(enclosure(BALL.pi(), U), dtype=object),
    exp=_elementwise(BALL.exp, LIBRARY),
    expm1=_elementwise(BALL.expm1, LIBRARY),
    log=_elementwise(BALL.log, LIBRARY),
    log1p=_elementwise(BALL.log1p, LIBRARY),
    sqrt=_elementwise(BALL.sqrt, LIBRARY),
    tanh=_elementwise(BALL.tanh, LIBRARY),
    erfc=_elementwise(BALL.erfc, LIBRARY),
    maximum=_elementwise(BALL.maximum, arity=2),
    minimum=_elementwise(BALL.minimum, arity=2),
)
