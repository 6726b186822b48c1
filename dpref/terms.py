"""The number system of sympy expressions: a formula read in it is what ``proofs/`` reasons about."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from dpref.reals import Exact, Ops


def _sympy(name: str) -> Callable[..., Any]:
    """A sympy function, imported when it is first used (sympy takes half a second to load)."""

    def call(*args: Any) -> Any:
        import sympy  # noqa: PLC0415

        return getattr(sympy, name)(*args)

    return call


def _number(x: Exact) -> Any:
    return _sympy("Rational")(x.numerator, x.denominator)


TERM: Final[Ops[Any]] = Ops(
    name="term",
    number=_number,
    lift=lambda x: _number(Fraction(float(x))),
    pi=lambda: _sympy("sympify")("pi"),
    exp=_sympy("exp"),
    expm1=lambda x: _sympy("exp")(x) - 1,
    log=_sympy("log"),
    log1p=lambda x: _sympy("log")(1 + x),
    sqrt=_sympy("sqrt"),
    tanh=_sympy("tanh"),
    erfc=_sympy("erfc"),
    maximum=_sympy("Max"),
    minimum=_sympy("Min"),
)
