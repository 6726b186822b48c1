r"""Running errors: a double that carries a bound on its distance from the exact value through every operation.

Read over a kernel's own text (`bounded_run`), it bounds the rounding error of the compiled kernel, which computes the
same doubles; no algorithm needs a bound of its own.  With $u=2^{-53}$ and $\omega=2^{-1074}$, a number is a double
v and a double $e\ge|v-x|$, x being the exact value.  Doubles round to nearest, so that what an operation on the
doubles adds is at most

* at a sum or a difference a double, which Knuth's TwoSum computes (they cannot underflow);
* $u|v|+\omega$ at a product or a quotient, and nothing if a factor is zero;
* $u|v|$ at a square root, which IEEE 754 rounds correctly;
* $4u|v|+\omega$ at ``exp`` and ``log``: two units in the last place, which is *assumed* of the mathematical library,
  as it is of ``expm1`` and ``log1p`` in the bounds (glibc documents 1 for these four on x86-64).

What the errors of the operands add, with x, y exact and a, b their errors, is at most $a+b$ at a sum;
$|\hat x|b+|\hat y|a+ab$ at a product; $(a+|\hat x/\hat y|b)/(|\hat y|-b)$ at a quotient, if $b<|\hat y|$;
$a/(\sqrt{\hat x}+\sqrt{\max(\hat x-a,0)})$, and never more than $\sqrt a$, at a root; $e^{\hat x}(e^a-1)$ at exp;
$\ln(1+a/(\hat x-a))$ at log; $a$ at an absolute value and, a being the larger error, at a maximum or a minimum.
Every bound is made of less than sixteen operations, none of which cancels, on non-negative doubles, and of at most two
values of the library; it is multiplied by $1+2^{-46}$, which is more than $(1-4u)^{-24}$ and so covers their rounding.
What underflows in it, in at most four products, is covered by $4\omega$.

A comparison is decided when the doubles are further apart than the sum of their errors, or are exact; else it raises
`Undecided`.  A choice between two continuous pieces (`dpref.kernels.branches`) needs no decision: it is read as the
hull of both.

References:
    D. E. Knuth, "The art of computer programming", vol. 2, 3rd ed., 1997, Section 4.2.2, Theorem B (TwoSum).
    N. J. Higham, "Accuracy and stability of numerical algorithms", 2nd ed., 2002, Section 3.3 (running error analysis).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType, SimpleNamespace
from typing import Any, ClassVar, Final

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm, given_numbers, numbers_of
from dpref.curator import Indices
from dpref.kernels.records import Tape, Trace
from dpref.reals import Array, FloatArray

U: Final = 2.0**-53
TINY: Final = 2.0**-1074
LIBRARY: Final = 4 * U
SAFETY: Final = 1.0 + 2.0**-46


class Undecided(ArithmeticError):
    """What the error bounds leave open: a comparison, or a divisor that may be zero."""


class Running:
    """A double and a bound on its distance from the exact value.

    Args:
        v: What was computed.
        e: The bound; none for what is exact.

    Raises:
        Undecided: If the double is not a number, or the bound is not finite.

    >>> (Running(1.0) / 3).v
    0.3333333333333333
    >>> Running(1.0) / 3 * 3 > 1
    Traceback (most recent call last):
    dpref.running.Undecided: 1.0 +- 2.2e-16 and 1.0 +- 0.0e+00 are not told apart
    """

    __slots__ = ("e", "v")
    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equality may be undecided

    def __init__(self, v: float, e: float = 0.0) -> None:
        if math.isnan(v) or not e < math.inf:
            raise Undecided(f"{v} has no error bound")
        self.v: float = v
        self.e: float = e

    def __repr__(self) -> str:
        return f"{self.v} +- {self.e:.1e}"

    @property
    def null(self) -> bool:
        """Whether it is zero for certain."""
        return self.v == 0 and self.e == 0

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        o = running(other)
        v = self.v + o.v
        other_part = v - self.v
        lost = (self.v - (v - other_part)) + (o.v - other_part)
        return bounded(v, self.e + o.e + abs(lost))

    __radd__ = __add__

    def __neg__(self) -> Running:
        return Running(-self.v, self.e)

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self + -running(other)

    def __rsub__(self, other: Any) -> Any:
        return running(other) - self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        o = running(other)
        v = self.v * o.v
        if self.null or o.null:
            return Running(v)
        return bounded(v, abs(self.v) * o.e + abs(o.v) * self.e + self.e * o.e + U * abs(v) + TINY)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        o = running(other)
        if not abs(o.v) > o.e:
            raise Undecided(f"{o} may be zero and divides")
        v = self.v / o.v
        if self.null:
            return Running(v)
        return bounded(v, (self.e + (abs(v) + TINY) * o.e) / (abs(o.v) - o.e) + U * abs(v) + TINY)

    def __rtruediv__(self, other: Any) -> Any:
        return running(other) / self

    def __abs__(self) -> Running:
        return Running(abs(self.v), self.e)

    def __eq__(self, other: object) -> bool:
        return _order(self, running(other)) == 0

    def __gt__(self, other: Any) -> bool:
        return _order(self, running(other)) > 0

    def __lt__(self, other: Any) -> bool:
        return _order(self, running(other)) < 0

    def __ge__(self, other: Any) -> bool:
        return _order(self, running(other)) >= 0

    def __le__(self, other: Any) -> bool:
        return _order(self, running(other)) <= 0


def running(x: Any) -> Running:
    """A number of the system; a double or an integer is exact.

    Args:
        x: A number of the system, a double, or an integer that is a double.

    >>> running(0.5)
    0.5 +- 0.0e+00
    """
    return x if isinstance(x, Running) else Running(float(x))


def bounded(v: float, e: float) -> Running:
    """A double with a bound that was itself computed in doubles, made safe (`SAFETY`).

    >>> bounded(1.0, 1e-16).e > 1e-16
    True
    """
    return Running(v, SAFETY * e + 4 * TINY if e else 0.0)


def _order(a: Running, b: Running) -> int:
    if a.e == b.e == 0:
        return (a.v > b.v) - (a.v < b.v)
    if not _apart(a, b):
        raise Undecided(f"{a} and {b} are not told apart")
    return 1 if a.v > b.v else -1


def _apart(a: Running, b: Running) -> bool:
    return abs(a.v - b.v) > SAFETY * (a.e + b.e)


# ------------------------------------------------------------------------------------ functions


def _sqrt(x: Any) -> Running:
    x = running(x)
    v = math.sqrt(x.v)
    if x.e == 0:
        return bounded(v, U * v)
    spread = v + math.sqrt(max(x.v - x.e, 0.0))
    root = math.sqrt(x.e)
    return bounded(v, (min(root, x.e / spread) if spread > 0 else root) + U * v)


def _exp(x: Any) -> Running:
    x = running(x)
    v = math.exp(x.v)
    return bounded(v, (v + TINY) * math.expm1(x.e) * (1 + LIBRARY) + LIBRARY * v + TINY)


def _log(x: Any) -> Running:
    x = running(x)
    if not x.v > x.e:
        raise Undecided(f"{x} may be zero and its logarithm is taken")
    v = math.log(x.v)
    return bounded(v, math.log1p(x.e / (x.v - x.e)) + LIBRARY * abs(v))


def _extreme(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Maximum or minimum: nonexpansive in the larger of two errors, and the chosen number where they are apart."""

    def found(a: Any, b: Any) -> Any:
        if not (isinstance(a, Running) or isinstance(b, Running)):
            return choose(a, b)
        x, y = running(a), running(b)
        chosen = x if choose(x.v, y.v) == x.v else y
        return chosen if _apart(x, y) else Running(chosen.v, max(x.e, y.e))

    return found


_max, _min = _extreme(max), _extreme(min)


def _where_positive(x: Any, a: Any, b: Any) -> Any:
    """The hull of both pieces where the sign is undecided."""
    x, a, b = running(x), running(a), running(b)
    chosen, other = (a, b) if x.v > 0 else (b, a)
    if x.e == 0 or _apart(x, running(0.0)):
        return chosen
    return bounded(chosen.v, max(chosen.e, abs(chosen.v - other.v) + other.e))


def _power(x: Any, exponent: Any) -> Running:
    """x ** exponent, x >= 0: by its logarithm well away from zero, else by the values at both ends, as it grows."""
    x, a = running(x), running(exponent)
    if x.v > 2 * x.e:
        return _exp(a * _log(x))
    if x.null:
        return Running(0.0)
    v = math.exp(a.v * math.log(x.v)) if x.v > 0 else 0.0
    top = SAFETY * (x.v + x.e)
    if not a.v > a.e:
        raise Undecided(f"{a} may be zero and is the exponent of zero")
    most = _exp(Running(a.v, a.e) * _log(Running(top)))
    return bounded(v, max(v, most.v + most.e))


def _loosened(x: Any, factor: float, share: float) -> Running:
    """A number times a factor near one, which the exact run rounds in its own way, within a share of it."""
    x = running(x)
    return bounded(x.v * factor, x.e + share * (abs(x.v * factor) + x.e) + TINY)


# ------------------------------------------------------------------------------------ a kernel's own text


class _Tracked(np.ndarray[Any, Any]):
    """An array whose entries stay numbers of the system: plain doubles, once counted up, would divide untracked."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, _tracked(value) if isinstance(value, np.ndarray) else running(value))


def _tracked(x: Array) -> Array:
    return np.asarray(np.frompyfunc(running, 1, 1)(x), dtype=object).view(_Tracked)


def _full(shape: Any, value: Any) -> Array:
    return np.asarray(np.full(shape, running(value), dtype=object)).view(_Tracked)


def _zeros(shape: Any, dtype: Any = None) -> Array:
    return _full(shape, 0.0) if dtype is None else np.zeros(shape, dtype=dtype)


_NUMPY: Final = SimpleNamespace(int64=np.int64, empty=_zeros, zeros=_zeros, full=_full, ones=lambda n: _full(n, 1.0))
_MATH: Final = SimpleNamespace(sqrt=_sqrt, exp=_exp, log=_log, inf=math.inf)
READINGS: Final[dict[str, Any]] = {"np": _NUMPY, "math": _MATH, "max": _max, "min": _min}
BRANCHES: Final[dict[str, Callable[..., Any]]] = {
    "where_positive": _where_positive,
    "power": _power,
    # In the exact run a double too: rounded upward there (2 u), and perhaps divided in doubles before its use (u).
    "as_double": lambda x: _loosened(x, 1.0, 4 * U),
    # There a charge is rounded upward by less than 4 u, and tested against a budget that is not rounded (2 u).
    "upward": lambda x: _loosened(x, 1 + 8 * U, 16 * U),
}


def with_errors(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel's source, read in this number system, with every compiled function that it calls.

    Args:
        kernel: A numba dispatcher.

    Returns:
        A plain function; it takes what `lifted` gives, and its doubles are those of the compiled kernel.

    Raises:
        AttributeError, KeyError: If the kernel uses a function that has no reading here.

    >>> from numba import njit
    >>> third = with_errors(njit(lambda x: x / 3.0))(Running(1.0))
    >>> third.v == 1 / 3, third.e > 0
    (True, True)
    """
    source = getattr(kernel, "py_func", None)  # a dispatcher's, of a class that would load numba
    if not isinstance(source, FunctionType):
        return kernel
    if source.__module__ == "dpref.kernels.branches":
        return BRANCHES[source.__name__]
    scope = dict(source.__globals__) | READINGS
    for name in set(source.__code__.co_names) & set(source.__globals__) - set(READINGS):
        scope[name] = with_errors(scope[name])
    literals = tuple(Running(x) if isinstance(x, float) else x for x in source.__code__.co_consts)  # 1.0 / t rounds too
    code = source.__code__.replace(co_consts=literals)
    return FunctionType(code, scope, source.__name__, source.__defaults__, source.__closure__)


def nearest(v: float) -> Running:
    """The double that is nearest to an exact number, which is not known here.

    >>> nearest(0.1).e > 2**-57, nearest(0.0).e
    (True, 0.0)
    """
    return bounded(v, U * abs(v) + TINY) if v != 0 and math.isfinite(v) else Running(v)


def bounded_run(
    algorithm: AnyAlgorithm, problem: Any, data: Any, plan: Any, noise: FloatArray, indices: Indices | None = None
) -> Trace:
    """A run of an algorithm's kernel on a tape of noise, as `Algorithm.trace` gives it, every double with its bound.

    The exact run is the reference's in exact arithmetic on the plan's own numbers: what the problem and the plan give
    as rationals reaches the kernel as nearest doubles, and the start of an algorithm that projects it before its
    kernel runs, with a relative error of at most $(d+8)u$ in each entry.

    Args:
        algorithm: A registered one.
        problem: The public problem.
        data: The private records, exact.
        plan: What the algorithm's ``plan`` computed.
        noise: The tape, exact.
        indices: The random indices, one after another.

    Raises:
        Undecided: If a decision lies within the error of what is decided on.

    >>> from dpref.algorithms import examples
    >>> from dpref.algorithms.gradient_descent import ALGORITHM
    >>> bounded_run(ALGORITHM, *examples.gradient_descent(), np.zeros((2, 1))).points[-1, 0]
    0.75 +- 1.1e-15
    """
    numbers, records = numbers_of(algorithm, plan), problem.arrays(data)
    tape = Tape(_exact(noise), np.empty((0, *noise.shape[1:])), np.empty(0, np.int64) if indices is None else indices)
    found: Trace = with_errors(algorithm.kernel.run)(
        type(records)(*(nearest(x) if isinstance(x, float) else _exact(x) for x in records)),
        type(numbers)(*map(_as_planned, numbers, given_numbers(algorithm, plan))),
        tape,
    )
    return found


def _exact(x: Any) -> Any:
    """Doubles without errors; what counts or decides stays what it is."""
    if isinstance(x, np.ndarray):
        return _tracked(x) if x.dtype == np.float64 else x
    return Running(x) if isinstance(x, float) else x


def _as_planned(x: Any, given: Any) -> Any:
    """A kernel's number, with its distance from what the plan gave it for."""
    if isinstance(given, Fraction) and isinstance(x, float):
        return nearest(x)
    if isinstance(given, np.ndarray):  # computed from the plan: a projected start
        return _tracked(x) * Running(1.0, (given.size + 8) * U)
    return _exact(x)


def values(x: Array) -> FloatArray:
    """The doubles of an array of the system.

    >>> values(np.array([Running(1.0, 0.5)], dtype=object))
    array([1.])
    """
    return np.asarray(np.frompyfunc(lambda r: r.v, 1, 1)(x), dtype=np.float64)


def errors(x: Array) -> FloatArray:
    """The error bounds of an array of the system.

    >>> errors(np.array([Running(1.0, 0.5)], dtype=object))
    array([0.5])
    """
    return np.asarray(np.frompyfunc(lambda r: r.e, 1, 1)(x), dtype=np.float64)
