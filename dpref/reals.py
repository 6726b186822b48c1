"""One formula, read in several number systems; with `dpref.terms` the only file of dpref that knows them.

A formula is a plain function ``f(o: Ops[T], ...) -> T``.  It is written once and read as

* ``FLOAT``: an IEEE double, which runs;
* ``BALL``: a ball of real numbers (Arb, through python-flint), which certifies: the ball holds the exact value;
* ``RATIONAL``: an exact fraction, for formulas without transcendental functions (the others refuse);
* ``TERM`` (`dpref.terms`): a sympy expression, which is what ``proofs/`` reasons about;
* ``FLOAT_ARRAY`` and ``BALL_ARRAY``: numpy arrays of doubles and of balls, for the algorithms.

Rounding to a double happens once, at the end, and always outward (`upper`, `lower`).

References:
    F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", 2017.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from threading import RLock
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from dpref.errors import InvalidArgumentError, PrecisionError

Array: TypeAlias = NDArray[Any]
FloatArray: TypeAlias = NDArray[np.float64]
Exact: TypeAlias = int | Fraction


class Real(Protocol):
    """What the formulas use of a number: field operations with itself and with integers."""

    def __add__(self, other: Any, /) -> Self: ...
    def __radd__(self, other: Any, /) -> Self: ...
    def __sub__(self, other: Any, /) -> Self: ...
    def __rsub__(self, other: Any, /) -> Self: ...
    def __mul__(self, other: Any, /) -> Self: ...
    def __rmul__(self, other: Any, /) -> Self: ...
    def __truediv__(self, other: Any, /) -> Self: ...
    def __rtruediv__(self, other: Any, /) -> Self: ...
    def __pow__(self, other: Any, /) -> Self: ...
    def __neg__(self) -> Self: ...


T = TypeVar("T", bound=Real)


@dataclass(frozen=True)
class Ops(Generic[T]):
    """The elementary functions of one number system.

    Attributes:
        name: ``"float"``, ``"ball"``, ``"term"``, ``"float array"`` or ``"ball array"``.
        number: An exact rational, as a number of the system (rounded only in ``float``).
        lift: A double (or an array of doubles, in the array systems), embedded without rounding.
        pi: The constant pi.
        exp: Exponential.
        expm1: ``exp(x) - 1`` without cancellation.
        log: Natural logarithm.
        log1p: ``log(1 + x)`` without cancellation.
        sqrt: Square root of a non-negative number.
        tanh: Hyperbolic tangent.
        erfc: Complementary error function.
        maximum: The larger of two numbers.
        minimum: The smaller of two numbers.
    """

    name: str
    number: Callable[[Exact], T]
    lift: Callable[[Any], T]
    pi: Callable[[], T]
    exp: Callable[[T], T]
    expm1: Callable[[T], T]
    log: Callable[[T], T]
    log1p: Callable[[T], T]
    sqrt: Callable[[T], T]
    tanh: Callable[[T], T]
    erfc: Callable[[T], T]
    maximum: Callable[[T, T], T]
    minimum: Callable[[T, T], T]


def _float_log(x: float) -> float:
    return math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan)


FLOAT: Final[Ops[float]] = Ops(
    name="float",
    number=float,
    lift=float,
    pi=lambda: math.pi,
    exp=math.exp,
    expm1=math.expm1,
    log=_float_log,
    log1p=math.log1p,
    sqrt=math.sqrt,
    tanh=math.tanh,
    erfc=math.erfc,
    maximum=max,
    minimum=min,
)


def ball(x: Exact) -> arb:
    """The ball around an exact rational, as narrow as the current precision allows."""
    return arb(x) if isinstance(x, int) else arb(fmpq(x.numerator, x.denominator))


def _ball_sqrt(x: arb) -> arb:
    # A sum of squares is known to be non-negative, but its enclosure may reach below zero.
    return x.nonnegative_part().sqrt() if x.contains(0) else x.sqrt()


def _ball_erfc(x: arb) -> arb:
    # Far out, Arb bounds the effect of the radius with a 30-bit magnitude of x * x, which is hopeless beyond 2**14 at
    # any precision.  erfc decreases, so its values at the two ends enclose it.
    if abs(x) < 64 or x.is_exact():
        return x.erfc()
    return x.lower().erfc().union(x.upper().erfc())


BALL: Final[Ops[arb]] = Ops(
    name="ball",
    number=ball,
    lift=lambda x: arb(float(x)),
    pi=arb.pi,
    exp=arb.exp,
    expm1=arb.expm1,
    log=arb.log,
    log1p=arb.log1p,
    sqrt=_ball_sqrt,
    tanh=arb.tanh,
    erfc=_ball_erfc,
    maximum=arb.max,
    minimum=arb.min,
)


def _irrational(name: str) -> Callable[..., Fraction]:
    def refuse(*args: Fraction) -> Fraction:
        raise InvalidArgumentError(name, args, "is not a rational function; use BALL")

    return refuse


RATIONAL: Final[Ops[Fraction]] = Ops(
    name="rational",
    number=Fraction,
    lift=lambda x: Fraction(float(x)),
    pi=_irrational("pi"),
    exp=_irrational("exp"),
    expm1=_irrational("expm1"),
    log=_irrational("log"),
    log1p=_irrational("log1p"),
    sqrt=_irrational("sqrt"),
    tanh=_irrational("tanh"),
    erfc=_irrational("erfc"),
    maximum=max,
    minimum=min,
)


def _elementwise(f: Callable[..., Any], arity: int = 1) -> Callable[..., Array]:
    vectorised = np.frompyfunc(f, arity, 1)

    def call(*args: Any) -> Array:
        return np.asarray(vectorised(*args), dtype=object)

    return call


def _float_erfc(x: Array) -> Array:
    return np.asarray(_elementwise(math.erfc)(x), dtype=np.float64)


FLOAT_ARRAY: Final[Ops[Array]] = Ops(
    name="float array",
    number=lambda x: np.asarray(float(x)),
    lift=lambda x: np.asarray(x, dtype=np.float64),
    pi=lambda: np.asarray(math.pi),
    exp=np.exp,
    expm1=np.expm1,
    log=np.log,
    log1p=np.log1p,
    sqrt=np.sqrt,
    tanh=np.tanh,
    erfc=_float_erfc,
    maximum=np.maximum,
    minimum=np.minimum,
)

BALL_ARRAY: Final[Ops[Array]] = Ops(
    name="ball array",
    number=lambda x: np.asarray(ball(x), dtype=object),
    lift=_elementwise(lambda x: arb(float(x))),
    pi=lambda: np.asarray(arb.pi(), dtype=object),
    exp=_elementwise(arb.exp),
    expm1=_elementwise(arb.expm1),
    log=_elementwise(arb.log),
    log1p=_elementwise(arb.log1p),
    sqrt=_elementwise(_ball_sqrt),
    tanh=_elementwise(arb.tanh),
    erfc=_elementwise(_ball_erfc),
    maximum=_elementwise(arb.max, 2),
    minimum=_elementwise(arb.min, 2),
)


def exact(x: float) -> Fraction:
    """The rational number that a double is: the one place where a float becomes exact.

    Raises:
        InvalidArgumentError: If ``x`` is NaN or infinite.

    >>> exact(0.1)
    Fraction(3602879701896397, 36028797018963968)
    """
    if not math.isfinite(x):
        raise InvalidArgumentError("x", x, "must be finite to be an exact number")
    return Fraction(x)


# ------------------------------------------------------------------------------------ precision

# All threads have one working precision: another one's block would leave tables of doubles less exact than is proved.
_ONE_THREAD: Final = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_ONE_THREAD.acquire, after_in_parent=_ONE_THREAD.release, after_in_child=_ONE_THREAD.release
    )
DEFAULT_PRECISION: Final = 128
PRECISION_LIMIT: Final = 1 << 17
_DOUBLE: Final = 53


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Run a block at a working precision of ``bits`` and restore the old one; other threads wait with theirs.

    >>> with precision(200):
    ...     two = BALL.sqrt(ball(2))
    >>> two.rel_accuracy_bits() > 190
    True
    """
    if bits < 2:
        raise InvalidArgumentError("bits", bits, "must be at least 2")
    with _ONE_THREAD:
        old, ctx.prec = ctx.prec, bits
        try:
            yield
        finally:
            ctx.prec = old


def evaluate(
    f: Callable[[], arb], *, bits: int = 60, start: int = DEFAULT_PRECISION, limit: int = PRECISION_LIMIT
) -> arb:
    """A ball that holds the value of ``f()`` to ``bits`` correct bits.

    The precision doubles until the relative accuracy is there (an exact zero counts as accurate).

    Args:
        f: Evaluates the formula in balls at whatever precision is set.
        bits: Wanted relative accuracy.
        start: First working precision.
        limit: Largest working precision tried.

    Returns:
        The enclosure.

    Raises:
        PrecisionError: If ``limit`` is reached first, or the value is not a number.

    >>> evaluate(lambda: BALL.exp(ball(-1000)), bits=100).rel_accuracy_bits() >= 100
    True
    """
    p = start
    while p <= limit:
        with precision(p):
            value = f()
            if value.is_finite() and (value.is_zero() or value.rel_accuracy_bits() >= bits):
                return value
        p *= 2
    raise PrecisionError(f"no enclosure with {bits} correct bits at up to {limit} bits of working precision")


# ------------------------------------------------------------------------------------ rounding outward


def upper(x: arb) -> float:
    """The least double that is at least every point of the ball (``inf`` for a NaN: fail closed).

    >>> upper(ball(Fraction(1, 3))) > Fraction(1, 3)
    True
    """
    if x.is_nan():
        return math.inf
    if ctx.prec < _DOUBLE:  # a caller's, at which an end would be rounded to fewer bits
        with precision(_DOUBLE):
            return upper(x)
    top = x.upper()
    f = float(top)
    while not arb(f) >= top:
        f = math.nextafter(f, math.inf)
    return f


def lower(x: arb) -> float:
    """The largest double that is at most every point of the ball (``-inf`` for a NaN).

    >>> lower(ball(Fraction(1, 3))) < Fraction(1, 3)
    True
    """
    if ctx.prec < _DOUBLE:
        with precision(_DOUBLE):
            return lower(x)
    return -upper(-x)


def as_double(x: Array) -> float:
    """One number of an array system as a double, which an algorithm may decide on: itself, or a ball's `upper` end.

    A decision on a ball could be undecided; one on the double is the same text in every system.

    >>> as_double(FLOAT_ARRAY.lift([0.5])), as_double(BALL_ARRAY.lift([0.5]))
    (0.5, 0.5)
    """
    value = x.item()
    return upper(value) if isinstance(value, arb) else float(value)


def middle(x: Array) -> float:
    """One number of an array system as a double: itself, or the double that is nearest to a ball's middle.

    >>> middle(FLOAT_ARRAY.lift([0.5])), middle(BALL_ARRAY.lift([0.5]))
    (0.5, 0.5)
    """
    value = x.item()
    return float(value.mid() if isinstance(value, arb) else value)


def float_up(x: Fraction) -> float:
    """The least double that is not below a rational number.

    >>> float_up(Fraction(1, 10)) >= Fraction(1, 10)
    True
    """
    try:
        f = float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.nextafter(math.inf, 0.0)
    return f if math.isinf(f) or Fraction(f) >= x else math.nextafter(f, math.inf)


def float_down(x: Fraction) -> float:
    """The largest double that is not above a rational number.

    >>> float_down(Fraction(1, 10)) <= Fraction(1, 10)
    True
    """
    return -float_up(-x)


def _decimal(x: float | Exact, digits: int, rounding: str) -> str:
    if isinstance(x, float) and not math.isfinite(x):
        return "inf" if x > 0 else ("-inf" if x < 0 else "nan")
    q = Fraction(x)
    context = Context(prec=digits, rounding=rounding, Emin=-999_999_999, Emax=999_999_999)
    value = context.divide(Decimal(q.numerator), Decimal(q.denominator))
    return format(value.normalize(context), "f" if -7 < value.adjusted() < digits else "")


def decimal_up(x: float | Exact, digits: int = 17) -> str:
    """Decimal text that is not below ``x`` (an upper bound as a human or JSON reads it).

    >>> decimal_up(Fraction(1, 3), 5)
    '0.33334'
    """
    return _decimal(x, digits, ROUND_CEILING)


def decimal_down(x: float | Exact, digits: int = 17) -> str:
    """Decimal text that is not above ``x``.

    >>> decimal_down(Fraction(1, 3), 5)
    '0.33333'
    """
    return _decimal(x, digits, ROUND_FLOOR)
