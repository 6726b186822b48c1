r"""Balls that hold the exact value of a formula and whatever doubles may compute for it, in whatever order they add.

With unit roundoff $u$ ($2^{-53}$ for doubles): an operation on members of two balls is in the ball of the results,
widened by u of its size (four units in the last place for a function of the mathematical library; numpy's own are
within them) and by the least positive number, for what underflows.  A sum of k terms, each of them in a ball, may be
added in any order, with or without fused products: it is in the ball of the exact sums, widened by
$k u(1+2^{-20})\sum|x_i|$, which is more than $\gamma_{k-1}\sum|x_i|$ (Higham 2002, Section 4.2).  A number therefore
remembers what it is the sum of.

References:
    N. J. Higham, "Accuracy and stability of numerical algorithms", 2nd ed., 2002, Section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Final, Self

import numpy as np
from flint import arb

from dpref.reals import BALL, Array, Ops, ball

U: Final = 2.0**-53
TINY: Final = 2.0**-1074


class Enclosure(arb):
    """A ball, and the sum that it is made of.

    Attributes:
        unit: The unit roundoff.
        tiny: What an operation adds at most where it underflows.
        exact: The ball of the exact sum.
        terms: How many were added.
        size: The sum of their sizes.
    """

    unit: ClassVar[float] = U
    tiny: ClassVar[float] = TINY
    exact: arb
    terms: int
    size: arb

    @classmethod
    def of(cls, x: Any, rounding: float = 0.0) -> Self:
        """One term: a number, and what rounds it.

        Args:
            x: A number of this system, a ball, an integer or a double.
            rounding: Relative error at most.
        """
        if isinstance(x, cls):
            return x
        exact = arb(x if isinstance(x, arb | int) else float(x))
        if rounding > 0:
            exact += arb(0, 1) * (abs(exact).upper() * rounding + cls.tiny)
        return cls._sum(exact, exact, 1, abs(exact).upper())

    @classmethod
    def _sum(cls, widened: arb, exact: arb, terms: int, size: arb) -> Self:
        made = cls(widened)
        made.exact, made.terms, made.size = exact, terms, size
        return made

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        o = self.of(other)
        terms, size, exact = self.terms + o.terms, self.size + o.size, self.exact + o.exact
        return self._sum(exact + arb(0, 1) * (size * (terms * self.unit * (1 + 2.0**-20))), exact, terms, size)

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)

    def __neg__(self) -> Self:
        return self._sum(-arb(self), -self.exact, self.terms, self.size)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + -self.of(other)

    def __rsub__(self, other: Any) -> Any:
        return self.of(other) + -self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.of(arb(self) * arb(self.of(other)), self.unit)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.of(arb(self) / arb(self.of(other)), self.unit)

    def __rtruediv__(self, other: Any) -> Any:
        return self.of(other) / self


@cache
def enclosure_array(unit: float = U, tiny: float = TINY, lifted: float = 0.0) -> Ops[Array]:
    """Arrays of enclosures of what a floating-point system may compute.

    Args:
        unit: Its unit roundoff, times how often an implementation may round where the formula rounds once.
        tiny: What an operation adds at most where it underflows.
        lifted: Relative error with which doubles enter it; zero for doubles.

    >>> o = enclosure_array(2.0**-24, 2.0**-149, 2.0**-24)
    >>> (o.lift([1.0]) / o.lift([3.0])).item().contains(float(np.float32(1) / np.float32(3)))
    True
    """
    kind: type[Enclosure] = type("Enclosure", (Enclosure,), {"unit": unit, "tiny": tiny})
    library = 8 * unit

    def elementwise(f: Callable[..., Any], rounding: float = 0.0, arity: int = 1) -> Callable[..., Array]:
        one = np.frompyfunc(lambda *x: kind.of(f(*(arb(kind.of(v)) for v in x)), rounding), arity, 1)
        return lambda *x: np.asarray(one(*x), dtype=object)

    return Ops(
        name="enclosure array",
        number=lambda x: np.asarray(kind.of(ball(x), unit), dtype=object),
        lift=elementwise(lambda x: x, lifted),
        pi=lambda: np.asarray(kind.of(BALL.pi(), unit), dtype=object),
        exp=elementwise(BALL.exp, library),
        expm1=elementwise(BALL.expm1, library),
        log=elementwise(BALL.log, library),
        log1p=elementwise(BALL.log1p, library),
        sqrt=elementwise(BALL.sqrt, library),
        tanh=elementwise(BALL.tanh, library),
        erfc=elementwise(BALL.erfc, library),
        maximum=elementwise(BALL.maximum, arity=2),
        minimum=elementwise(BALL.minimum, arity=2),
    )


ENCLOSURE_ARRAY: Final = enclosure_array()
