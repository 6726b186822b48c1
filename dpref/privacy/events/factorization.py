r"""What matrix mechanisms spend: their certified sensitivity, and with it one Gaussian answer.

The release $Cx+\sigma z$ of all rows, where each row of x may depend on what was released before it, is as private as
one Gaussian answer of $\mu=\mathrm{sens}/\sigma$ (`dpref.privacy.events.participation` has sens).  Given the rows
before, the mean of row t differs between neighbours by $\sum_{s\le t}C_{ts}u_s$ with $u_s$ known by then, as C is
lower triangular, and on every path the squares of these differences add up to at most $\mathrm{sens}^2$: that is what
a filter of Gaussian answers lets through (Denisov et al. 2022, Theorem 2.1; Smith and Thakurta 2022).  A record that
is replaced moves each of its rows by the difference of two vectors of the ball, any vector of twice its radius: sens is
twice as large.  It is attained by contributions that do not adapt.

With cyclic Poisson sampling and at most b nonzero diagonals the columns that one record may take part in have no row in
common, so that the release is a composition of $\lceil n/b\rceil$ Gaussian answers to Poisson samples, each of
sensitivity the norm of its column: an identity of ledgers (Choquette-Choo et al. 2023).

References:
    Denisov, McMahan, Rush, Smith and Guha Thakurta, "Improved differential privacy for SGD via optimal private linear
    operators on adaptive streams", 2022, Theorem 2.1.
    Smith and Thakurta, "Fully adaptive composition for Gaussian differential privacy", 2022.
    Choquette-Choo et al., "(Amplified) banded matrix factorization: a unified approach to private training", 2023.
    Henzinger, Upadhyay and Upadhyay, "Almost tight error bounds on differentially private continual counting", 2023
    (the square root of prefix sums).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeGuard, final, get_args

from flint import arb, fmpq, fmpz_mat

from dpref.errors import InvalidArgumentError
from dpref.privacy.events.matrix import (
    Banded,
    Factored,
    MatrixGaussian,
    PrefixSumSqrt,
    SampledColumn,
    ToeplitzGaussian,
    TreeGaussian,
)
from dpref.privacy.events.participation import (
    TOEPLITZ,
    Pattern,
    SquaredSensitivity,
    column_norms,
    of_gram,
    of_toeplitz,
    squared_sum,
)
from dpref.privacy.events.tree import tree_sensitivity
from dpref.reals import precision
from dpref.units import Adjacency, ReplaceOne

MOST_EXACT: Final = 512  # steps of a square root, whose coefficients have twice as many bits
_COLUMN: Final = "norm of one column"
_BITS: Final = 192  # of balls beyond


def is_factored(event: object) -> TypeGuard[Factored]:
    """Whether an event is a matrix mechanism.

    >>> is_factored(TreeGaussian(Fraction(1), 8))
    True
    """
    return isinstance(event, get_args(Factored))


@final
class _WithoutNoise:
    """A mechanism as the key of its sensitivity, which a search for the noise multiplier asks for again and again."""

    __slots__ = ("event",)

    def __init__(self, event: Factored) -> None:
        self.event = event

    def __hash__(self) -> int:
        return hash((type(self.event), self.event.max_participations, self.event.min_separation))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _WithoutNoise) and self._stated() == other._stated()

    def _stated(self) -> tuple[object, ...]:
        kept = (f.name for f in fields(self.event) if f.name not in {"noise_multiplier", "rate"})
        return (type(self.event), *(getattr(self.event, name) for name in kept))


def sensitivity(event: Factored) -> SquaredSensitivity:
    """The squared sensitivity of a matrix mechanism, in units of the clipping norm, of a record that is absent or null.

    Of the steps of `Factored.rate`, where it is given, all count: nothing is said here of sampling.

    Args:
        event: The mechanism.

    >>> found = sensitivity(PrefixSumSqrt(Fraction(1), 8, max_participations=2, min_separation=4))
    >>> str(found.squared), found.exact
    ('18034413/4194304', True)
    """
    if not is_factored(event):
        raise InvalidArgumentError("event", event, "must be a matrix mechanism")
    return _sensitivity(_WithoutNoise(event))


@lru_cache(maxsize=64)
def _sensitivity(key: _WithoutNoise) -> SquaredSensitivity:
    event = key.event
    k, b = event.max_participations, event.min_separation
    match event:
        case TreeGaussian(leaves=leaves, padded=padded):
            return tree_sensitivity(leaves, k, b, padded=padded)
        case MatrixGaussian() if (diagonals := _diagonals(event)) is not None:
            coefficients, unit = _over_one_denominator(diagonals)
            return of_toeplitz(coefficients, unit, Pattern.of(event.steps, k, b))
        case MatrixGaussian():
            columns, unit = _scaled(event)
            product = columns * columns.transpose()
            gram = [[int(x) for x in row] for row in product.tolist()]
            return of_gram(gram, unit * unit, Pattern.of(event.steps, k, b))
        case ToeplitzGaussian(steps=steps):
            coefficients, unit = _over_one_denominator(_coefficients(event))
            return of_toeplitz(coefficients, unit, Pattern.of(steps, k, b))
        case PrefixSumSqrt(steps=steps, bands=bands):
            pattern, kept = Pattern.of(steps, k, b), min(steps, bands or steps)
            if kept <= MOST_EXACT:
                return of_toeplitz(_square_root(kept), Fraction(1, 4 ** (kept - 1)), pattern)
            return _in_balls(kept, pattern)


@lru_cache(maxsize=64)
def rounds(event: Banded) -> tuple[tuple[SampledColumn, int], ...]:
    r"""The composition that a banded mechanism with cyclic Poisson sampling is: $\lceil n/b\rceil$ columns of a record.

    Records of the group that starts at step i take part in the columns i, i + b, ...; each round counts the largest
    norm over the groups.  Where no one group has all of them, what the group with the largest sum has is attained.

    Args:
        event: A mechanism with a rate.

    >>> banded = ToeplitzGaussian(Fraction(2), (Fraction(1), Fraction(1, 2)), 5, min_separation=2, rate=Fraction(1, 9))
    >>> [(str(column.squared_norm), count) for column, count in rounds(banded)]
    [('5/4', 2), ('1', 1)]
    """
    if not isinstance(event, get_args(Banded)) or event.rate is None:
        raise InvalidArgumentError("event", event, "must be a matrix mechanism with a rate")
    most, reached = _norms_of_rounds(event)
    made = []
    for (high, low), run in groupby(zip(most, reached, strict=True)):
        if high:
            column = SampledColumn(event.noise_multiplier, high, event.rate, None if low == high else low)
            made.append((column, sum(1 for _ in run)))
    return tuple(made)


def _norms_of_rounds(event: Banded) -> tuple[list[Fraction], list[Fraction]]:
    """Squared norms of the columns round by round, the largest and those of one group."""
    b = event.min_separation
    match event:
        case MatrixGaussian(steps=n):
            columns, unit = _scaled(event)
            squares = [Fraction(sum(int(x) ** 2 for x in column)) * unit * unit for column in columns.tolist()]
            groups = [squares[i::b] + [Fraction(0)] * (-(-n // b) - len(squares[i::b])) for i in range(min(b, n))]
            return list(map(max, zip(*groups, strict=True))), max(groups, key=sum)
        case ToeplitzGaussian(steps=n):
            coefficients, unit = _over_one_denominator(event.coefficients)
            found = [x * unit * unit for x in column_norms(coefficients, n)[::b]]
            return found, found
        case PrefixSumSqrt(steps=n, bands=bands):
            kept = min(n, bands or n)
            if kept <= MOST_EXACT:
                found = [Fraction(x, 16 ** (kept - 1)) for x in column_norms(_square_root(kept), n)[::b]]
                return found, found
            with precision(_BITS):
                balls = column_norms(_square_root_in_balls(kept), n)[::b]
                return [_ends(x)[1] for x in balls], [_ends(x)[0] for x in balls]


def squared_mu(event: Factored | SampledColumn, adjacency: type[Adjacency]) -> SquaredSensitivity:
    """The squared Gaussian-DP parameter of the one answer that an event's release is, or that a round has on a sample.

    Args:
        event: A matrix mechanism, or a round of one.
        adjacency: The neighbouring relation; a record in the place of another one moves rows by twice as much.

    >>> event = TreeGaussian(Fraction(2), 8, max_participations=2, min_separation=4)
    >>> squared_mu(event, ReplaceOne).squared
    Fraction(10, 1)
    """
    scale = (4 if adjacency is ReplaceOne else 1) / event.noise_multiplier**2
    if isinstance(event, SampledColumn):
        most = event.squared_norm
        return SquaredSensitivity(most * scale, (most if event.attained is None else event.attained) * scale, _COLUMN)
    found = sensitivity(event)
    return SquaredSensitivity(found.squared * scale, found.attained * scale, found.rule)


def _diagonals(event: MatrixGaussian) -> list[Fraction] | None:
    """The first column, if all entries of a diagonal are equal."""
    last = [row for _, row in event.rows()][-1]
    first = list(reversed(last))
    return first if all(row == last[-len(row) :] for _, row in event.rows()) else None


def _scaled(event: MatrixGaussian) -> tuple[fmpz_mat, Fraction]:
    """The transposed matrix in whole units, and the unit."""
    numbers, unit = _over_one_denominator(event.matrix)
    n = event.steps
    entries = [numbers[t * (t + 1) // 2 + i] if i <= t else 0 for i in range(n) for t in range(n)]
    return fmpz_mat(n, n, entries), unit


def _over_one_denominator(numbers: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    common = math.lcm(*{x.denominator for x in numbers})
    return [x.numerator * (common // x.denominator) for x in numbers], Fraction(1, common)


def _coefficients(event: ToeplitzGaussian) -> Sequence[Fraction]:
    """The first column of the matrix; of an inverse, of the power series that is the inverse of the given one."""
    if not event.inverse:
        return event.coefficients
    first, *rest = (fmpq(x.numerator, x.denominator) for x in event.coefficients[: event.steps])
    found = [1 / first]
    for j in range(1, event.steps):
        found.append(-sum((a * x for a, x in zip(rest, found[j - 1 :: -1], strict=False)), fmpq(0)) / first)
    return [Fraction(int(x.p), int(x.q)) for x in found]


def _square_root(count: int) -> list[int]:
    r"""The coefficients $\binom{2j}j4^{-j}$ for j below the count, in units of $4^{1-\mathrm{count}}$."""
    found = [4 ** (count - 1)]
    for j in range(1, count):
        found.append(found[-1] * (2 * j - 1) // (2 * j))
    return found


def _square_root_in_balls(count: int) -> list[arb]:
    found = [arb(1)]
    for j in range(1, count):
        found.append(found[-1] * (2 * j - 1) / (2 * j))
    return found


def _in_balls(kept: int, pattern: Pattern) -> SquaredSensitivity:
    """Of many diagonals of the square root: coefficients fall, and sums of squares are enclosed."""
    with precision(_BITS):
        low, high = _ends(squared_sum(_square_root_in_balls(kept), pattern))
    return SquaredSensitivity(high, low, TOEPLITZ)


def _ends(x: arb) -> tuple[Fraction, Fraction]:
    """Exact ends of a ball."""
    low, high = (
        Fraction(int(man)) * Fraction(2) ** int(exp) for man, exp in (x.lower().man_exp(), x.upper().man_exp())
    )
    return low, high
