r"""Whether a query moves by no more than is declared: on given pairs, and on what climbing from the worst one finds.

A sensitivity is a statement about every pair of neighbours; a pair on which the query moves by more refutes it.  The
query is evaluated in exact rationals where it can be (its arithmetic and comparisons are those of numbers: sums, means,
cuts at bounds), else in the doubles that it computes, whose distance is then decided exactly.  Evaluated in doubles a
sum moves by its rounding too, also when the records are only put into another order: ask for it with
``arithmetic="doubles"``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dpref.checks import one_of
from dpref.errors import InvalidArgumentError
from dpref.foreign import pairs
from dpref.foreign.pairs import Pair
from dpref.foreign.replay.climbing import Climb, places
from dpref.reals import decimal_up, exact
from dpref.units import L1, L2, Linf, Norm

Query: TypeAlias = Callable[[Any], Any]
Arithmetic = Literal["auto", "exact", "doubles"]


class SensitivityError(AssertionError):
    """A query moves by more than is declared.

    Attributes:
        pair: On which.
        distance: By how much, an upper end within 1e-12 of it.
        step: At which step of a run; None of a single query.
    """

    def __init__(self, message: str, pair: Pair, distance: Fraction, step: int | None = None) -> None:
        super().__init__(message)
        self.pair: Pair = pair
        self.distance: Fraction = distance
        self.step: int | None = step


@dataclass(frozen=True)
class Largest:
    """The largest distance that was found.

    Attributes:
        distance: Of the two answers, rounded up; zero without a pair.
        pair: On which.
        evaluated: How many pairs were tried.
        exactly: Whether all were evaluated in exact rationals.
    """

    distance: Fraction
    pair: pairs.Pair | None
    evaluated: int
    exactly: bool


# ------------------------------------------------------------------------------------ distances


def _power_of(a: Sequence[Fraction], b: Sequence[Fraction], norm: type[Norm]) -> Fraction:
    """The distance, for l2 its square: exact."""
    moved = [abs(x - y) for x, y in zip(a, b, strict=True)]
    if norm is L1:
        return sum(moved, Fraction(0))
    if norm is Linf:
        return max(moved, default=Fraction(0))
    if norm is L2:
        return sum((x * x for x in moved), Fraction(0))
    raise InvalidArgumentError("norm", norm.name, "must be l1, l2 or linf")


def _root_up(square: Fraction) -> Fraction:
    """A rational at or above the root, within 1e-12 of it relatively."""
    scale = 10**30
    return Fraction(math.isqrt(square.numerator * scale * scale // square.denominator) + 1, scale) if square else square


def distance(a: Sequence[Fraction], b: Sequence[Fraction], norm: type[Norm] = L2) -> Fraction:
    """The distance of two exact vectors; that in l2 rounded up, by less than 1e-29.

    Args:
        a: The one.
        b: The other, as long.
        norm: l1, l2 or linf.

    >>> distance([Fraction(3), Fraction(0)], [Fraction(0), Fraction(4)], L1)
    Fraction(7, 1)
    """
    found = _power_of(a, b, norm)
    return _root_up(found) if norm is L2 else found


def exceeds(a: Sequence[Fraction], b: Sequence[Fraction], norm: type[Norm], bound: Fraction) -> bool:
    """Whether two exact vectors are further apart than a bound, decided exactly.

    Args:
        a: The one.
        b: The other, as long.
        norm: l1, l2 or linf.
        bound: Exact.

    >>> exceeds([Fraction(3), Fraction(0)], [Fraction(0), Fraction(4)], L2, Fraction(5))
    False
    """
    return _power_of(a, b, norm) > (bound * bound if norm is L2 else bound)


# ------------------------------------------------------------------------------------ evaluation


def evaluated(query: Query, data: Any, arithmetic: Arithmetic = "auto") -> tuple[list[Fraction], bool]:
    """A query's value, and whether it was evaluated in exact rationals.

    Args:
        query: Function of the data, with values that are numbers or arrays.
        data: An array, or tuples, lists and dicts of arrays.
        arithmetic: ``"exact"`` refuses a query that cannot, ``"doubles"`` does not try.

    Raises:
        InvalidArgumentError: If a value is no finite real number, or the query refuses exact numbers and must not.

    >>> evaluated(lambda rows: rows.sum(axis=0), np.array([[0.5], [0.25]]))
    ([Fraction(3, 4)], True)
    """
    one_of("arithmetic", arithmetic, ("auto", "exact", "doubles"))
    if arithmetic != "doubles":
        try:
            numbers = _numbers(query(_rational(data)))
        except (TypeError, AttributeError, ValueError, ArithmeticError) as error:  # such as 0/0, or infinity as data
            if arithmetic == "exact":
                raise InvalidArgumentError("query", query, f"cannot be evaluated exactly: {error}") from None
        else:
            if all(isinstance(x, Fraction | int) for x in numbers):
                return [Fraction(x) for x in numbers], True
            if arithmetic == "exact":
                raise InvalidArgumentError("query", query, "answers what is no exact number")
    numbers = _numbers(query(data))
    if not all(isinstance(x, Real | Decimal) for x in numbers):
        raise InvalidArgumentError("query", query, "answers what is no real number")
    if not all(math.isfinite(x) for x in numbers):
        raise InvalidArgumentError("query", query, "answers a number that is not finite")
    return [Fraction(x) if isinstance(x, Rational | Decimal) else exact(float(x)) for x in numbers], False


def _rational(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        if data.dtype.kind == "f":
            return np.frompyfunc(Fraction, 1, 1)(data) if data.size else data.astype(object)
        return data
    if isinstance(data, float):
        return Fraction(data)
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(_rational, data))
    if isinstance(data, tuple | list):
        return type(data)(map(_rational, data))
    return {k: _rational(v) for k, v in data.items()} if isinstance(data, dict) else data


def _numbers(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [x for part in value for x in _numbers(part)]
    if isinstance(value, dict):
        return [x for name in sorted(value) for x in _numbers(value[name])]
    return list(np.asarray(value).ravel().tolist()) if not isinstance(value, Fraction) else [value]


# ------------------------------------------------------------------------------------ the worst pair


def as_pairs(pairs: Any) -> Iterator[Pair]:
    """Pairs as a caller gave them: a `dpref.foreign.pairs.Pair`, a callable that yields some, or 2-tuples of data sets.

    Args:
        pairs: Any of these.

    Raises:
        InvalidArgumentError: If one is none.

    >>> [pair.second for pair in as_pairs([(0, 1), (0, 2)])]
    [1, 2]
    """
    given = pairs() if callable(pairs) else pairs
    for one in [given] if isinstance(given, Pair) else given:
        if not (isinstance(one, Pair) or (isinstance(one, tuple) and len(one) == 2)):
            raise InvalidArgumentError("pairs", one, "must hold 2-tuples of data sets")
        yield one if isinstance(one, Pair) else Pair(*one)


class _Moved(NamedTuple):
    """How far a query moves on a pair: the distance, for l2 its square."""

    power: Fraction
    pair: Pair

    def more(self, before: _Moved | None) -> _Moved:
        """The one that moves more, of two that move alike the earlier one."""
        return self if before is None or self.power > before.power else before


_NOT_CLIMBED: Final = "no pair can be climbed: give arrays of doubles that differ by one record, or no climbs"


def search(
    query: Query,
    pairs: Iterable[Any] | Callable[[], Iterable[Any]] | Pair,
    *,
    norm: type[Norm] = L2,
    arithmetic: Arithmetic = "auto",
    climbs: int = 0,
    bounds: tuple[float, float] | None = None,
    seed: int = 0,
) -> Largest:
    """The pair on which a query moves the most, of those given and of what climbing from the best of them finds.

    Args:
        query: Function of the data.
        pairs: Pairs of neighbours, such as `dpref.foreign.replay.worst_pairs` gives, or a callable that yields them.
        norm: In which the distance is measured.
        arithmetic: As for `evaluated`.
        climbs: How many random changes of the differing record are tried, each kept if the query moves more, from the
            worst of those pairs that are arrays of doubles and differ by one record in one place.
        bounds: Within which an entry stays while climbing; by default between the least and the largest of that pair.
        seed: Makes the changes.

    Raises:
        InvalidArgumentError: If climbs are asked for and no pair can be climbed.

    >>> square = lambda rows: (rows * rows).sum(axis=0)
    >>> search(square, [(np.array([[2.0]]), np.array([[0.0]]))], norm=L1).distance
    Fraction(4, 1)
    """
    largest: _Moved | None = None
    highest: _Moved | None = None
    count, exactly = 0, True
    for pair in as_pairs(pairs):
        found, one = _moved(query, pair, norm, arithmetic)
        largest, count, exactly = found.more(largest), count + 1, exactly and one
        if climbs and places(pair) is not None:
            highest = found.more(highest)
    if largest is None:
        return Largest(Fraction(0), None, 0, exactly)
    if climbs:
        if highest is None:
            raise InvalidArgumentError("climbs", climbs, _NOT_CLIMBED)
        climb = Climb(highest.pair, bounds, seed)
        for number in range(climbs):
            found, one = _moved(query, climb.changed(highest.pair, number), norm, arithmetic)
            highest, exactly = found.more(highest), exactly and one
        largest, count = highest.more(largest), count + climbs
    return Largest(_root_up(largest.power) if norm is L2 else largest.power, largest.pair, count, exactly)


def _moved(query: Query, pair: Pair, norm: type[Norm], arithmetic: Arithmetic) -> tuple[_Moved, bool]:
    (a, b), exactly = _both(query, pair, arithmetic)
    return _Moved(_power_of(a, b, norm), pair), exactly


def _both(query: Query, pair: Pair, arithmetic: Arithmetic) -> tuple[tuple[list[Fraction], list[Fraction]], bool]:
    (a, first), (b, second) = (evaluated(query, d, arithmetic) for d in (pair.first, pair.second))
    if len(a) != len(b):
        raise InvalidArgumentError(
            "query", query, f"answers {len(a)} numbers on one data set and {len(b)} on the other"
        )
    if first != second:  # the same arithmetic on both sides, or rounding would pass for a move
        (a, _), (b, _) = (evaluated(query, d, "doubles") for d in (pair.first, pair.second))
    return (a, b), first and second


# ------------------------------------------------------------------------------------ assertions


def assert_sensitivity(
    query: Query,
    pairs: Iterable[Any] | Callable[[], Iterable[Any]] | Pair,
    declared: Fraction | int,
    *,
    norm: type[Norm] = L2,
    slack: Fraction | int = 0,
    arithmetic: Arithmetic = "auto",
    climbs: int = 0,
    bounds: tuple[float, float] | None = None,
    seed: int = 0,
) -> Largest:
    """Refuse a declared sensitivity that a pair of neighbours exceeds.

    Args:
        query: Function of the data.
        pairs: Pairs of neighbours, such as `dpref.foreign.replay.worst_pairs` gives, or a callable that yields them.
        declared: What the query moves at most, exact.
        norm: In which.
        slack: What it may move besides, such as a bound on its rounding.
        arithmetic: ``"auto"`` is exact where the query can, ``"doubles"`` asks what the code itself computes.
        climbs: As for `search`.
        bounds: As for `search`.
        seed: As for `search`.

    Returns:
        The pair on which it moved the most.

    Raises:
        SensitivityError: If it moves by more; an `AssertionError` with the pair, both answers and their distance.

    >>> pair = np.array([[0.5], [1.0]]), np.array([[0.5], [0.0]])
    >>> assert_sensitivity(lambda rows: rows.sum(axis=0), [pair], 1).exactly
    True
    """
    bound = Fraction(declared) + Fraction(slack)
    found = search(query, pairs, norm=norm, arithmetic=arithmetic, climbs=climbs, bounds=bounds, seed=seed)
    if found.pair is None:
        raise InvalidArgumentError("pairs", pairs, "must hold at least one pair")
    (a, b), exactly = _both(query, found.pair, arithmetic)
    if exceeds(a, b, norm, bound):
        raise SensitivityError(said(found.pair, a, b, norm, bound, exactly), found.pair, found.distance)
    return found


def said(pair: Pair, a: list[Fraction], b: list[Fraction], norm: type[Norm], bound: Fraction, exactly: bool) -> str:
    """The message of an error: distance, bound, pair, both answers.

    Args:
        pair: On which the query moved.
        a: Its answer on the first data set.
        b: On the second.
        norm: In which they are compared.
        bound: What was declared.
        exactly: How they were evaluated.

    >>> one = [Fraction(1)], [Fraction(3)], L1, Fraction(1)
    >>> said(Pair(0, 1), *one, exactly=True).partition(" (")[0]
    'the query moves by 2 in l1, 1 is declared'
    """
    moved = distance(a, b, norm)
    how = "exactly" if exactly else "as the doubles that it computes"
    over = moved / bound if bound else None
    lines = [
        f"the query moves by {decimal_up(moved, 8)} in {norm.name}, {decimal_up(bound, 8)} is declared"
        + (f" ({decimal_up(over, 4)} times it)" if over else ""),
        f"  on {pair.name or 'the pair'}: {_differing(pair)}",
        f"  answers, evaluated {how}: {_short(a)} and {_short(b)}",
    ]
    if not exactly and over is not None and over < 1 + Fraction(1, 10**9):
        lines.append("  so little more is rounding: declare it, or give it as slack")
    return "\n".join(lines)


def _short(values: Sequence[Fraction]) -> str:
    shown = ", ".join(f"{float(x):.8g}" for x in values[:6])
    return f"[{shown}{', ...' if len(values) > 6 else ''}]"


def _differing(pair: Pair) -> str:
    d0, d1 = pair.first, pair.second
    if isinstance(d0, np.ndarray) and isinstance(d1, np.ndarray):
        if d0.shape != d1.shape:
            return f"{len(d0)} and {len(d1)} records"
        places = [k for k, (x, y) in enumerate(zip(d0, d1, strict=True)) if not np.array_equal(x, y)]
        shown = "; ".join(f"record {k} is {d0[k]!s} and {d1[k]!s}" for k in places[:1])
        return shown + (f" (and {len(places) - 1} more places differ)" if len(places) > 1 else "")
    return f"{str(d0)[:80]} and {str(d1)[:80]}"
