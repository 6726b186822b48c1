r"""The events of matrix mechanisms: $Cx+\sigma z$ with a lower triangular C; row t of x is a sum over records.

Every record's contribution to a row has norm at most the clipping norm, and the noise multiplier is $\sigma$ over that
norm under *every* adjacency, as in practice; where a record is replaced by another one, rows move by up to twice as
much, which accounting sees to (other than of `dpref.privacy.events.ledger.Gaussian`, whose multiplier is over the
sensitivity under the ledger's adjacency).  A record takes part in at most ``max_participations`` steps (None: in as
many as fit), any two of them at least ``min_separation`` apart.

With a ``rate`` the steps are divided into ``min_separation`` groups, step t being of group t mod b; each record is of
one group, and takes part in each of its steps independently with that probability (cyclic Poisson sampling).  At most b
diagonals of C may then be nonzero, so that one record's columns do not overlap.

What these events spend is computed by `dpref.privacy.events.factorization`.

References:
    Denisov, McMahan, Rush, Smith and Guha Thakurta, "Improved differential privacy for SGD via optimal private linear
    operators on adaptive streams", 2022.
    Choquette-Choo et al., "(Amplified) banded matrix factorization: a unified approach to private training", 2023.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, TypeAlias, final

from dpref.checks import instance, natural, positive_rational, rational
from dpref.errors import InvalidArgumentError

MOST_STEPS: Final = 1_000_000
MOST_ROWS: Final = 1_024  # of a matrix that is given entry by entry
_MOST_BITS: Final = 1 << 28  # of all numbers of a mechanism over a common denominator


_TOO_WIDE: Final = "must be at least the number of nonzero diagonals, where records are sampled"
_SILENT: Final = MappingProxyType({"silent": True})  # a text leaves such fields out where they say nothing


@final
@dataclass(frozen=True)
class MatrixGaussian:
    """A matrix mechanism with any lower triangular matrix.

    Attributes:
        noise_multiplier: Standard deviation of the noise over the clipping norm, exact and positive.
        matrix: The rows up to the diagonal, one after another: 1, 2, 3, ... exact numbers.
        max_participations: k, or None for as many as fit.
        min_separation: b; two steps of one record are at least that far apart.
        rate: Of cyclic Poisson sampling with b groups; None without sampling.
    """

    noise_multiplier: Fraction
    matrix: tuple[Fraction, ...]
    max_participations: int | None = field(default=None, metadata=_SILENT)
    min_separation: int = 1
    rate: Fraction | None = field(default=None, metadata=_SILENT)

    def __post_init__(self) -> None:
        _check_pattern(self)
        entries = _numbers("matrix", self.matrix)
        object.__setattr__(self, "matrix", entries)
        steps = self.steps
        if steps * (steps + 1) != 2 * len(entries):
            rule = "must be the rows up to the diagonal, one after another: 1, 3, 6, 10, ... numbers"
            raise InvalidArgumentError("matrix", len(entries), rule)
        if steps > MOST_ROWS:
            raise InvalidArgumentError("matrix", steps, f"must not have more than {MOST_ROWS} rows")
        _check_size("matrix", entries, steps * steps)
        if not any(entries):
            raise InvalidArgumentError("matrix", entries, "must not be zero")
        if self.rate is not None and any(any(row[: max(0, t + 1 - self.min_separation)]) for t, row in self.rows()):
            raise InvalidArgumentError("min_separation", self.min_separation, _TOO_WIDE)

    @property
    def steps(self) -> int:
        """The number of rows."""
        return (math.isqrt(8 * len(self.matrix) + 1) - 1) // 2

    def __hash__(self) -> int:
        """Of a few entries: those of a large matrix are many, and events are asked for their hash often."""
        few = (self.matrix[:4], self.matrix[-4:], len(self.matrix))
        return hash((self.noise_multiplier, few, self.max_participations, self.min_separation, self.rate))

    def rows(self) -> Iterator[tuple[int, tuple[Fraction, ...]]]:
        """The rows up to the diagonal, counted from zero."""
        for t in range(self.steps):
            start = t * (t + 1) // 2
            yield t, self.matrix[start : start + t + 1]

    def __str__(self) -> str:
        return _text("matrix_gaussian", self)


@final
@dataclass(frozen=True)
class ToeplitzGaussian:
    """A matrix mechanism whose matrix has constant diagonals; banded, if there are fewer coefficients than steps.

    Attributes:
        noise_multiplier: Standard deviation of the noise over the clipping norm, exact and positive.
        coefficients: The first column, exact numbers; zero after the last one given.
        steps: Number of rows.
        inverse: Whether the matrix is the inverse of the one with these coefficients.
        max_participations: k, or None for as many as fit.
        min_separation: b; two steps of one record are at least that far apart.
        rate: Of cyclic Poisson sampling with b groups; None without sampling.
    """

    noise_multiplier: Fraction
    coefficients: tuple[Fraction, ...]
    steps: int
    inverse: bool = False
    max_participations: int | None = field(default=None, metadata=_SILENT)
    min_separation: int = 1
    rate: Fraction | None = field(default=None, metadata=_SILENT)

    def __post_init__(self) -> None:
        _check_pattern(self)
        object.__setattr__(self, "coefficients", _numbers("coefficients", self.coefficients))
        object.__setattr__(self, "steps", natural("steps", self.steps, most=MOST_STEPS))
        instance("inverse", self.inverse, bool)
        _check_size("coefficients", self.coefficients, self.steps * (self.steps if self.inverse else 1))
        if self.inverse:
            if self.coefficients[0] == 0:
                raise InvalidArgumentError(
                    "coefficients", 0, "must begin with one that is not zero, to have an inverse"
                )
            if self.steps > MOST_ROWS or self.rate is not None:
                rule = f"of an inverse at most {MOST_ROWS} steps, without sampling, are supported"
                raise InvalidArgumentError("inverse", self.inverse, rule)
        if not any(self.coefficients[: self.steps]):
            raise InvalidArgumentError("coefficients", self.coefficients, "must not all be zero")
        if self.rate is not None and any(self.coefficients[self.min_separation : self.steps]):
            raise InvalidArgumentError("min_separation", self.min_separation, _TOO_WIDE)

    def __str__(self) -> str:
        return _text("toeplitz_gaussian", self)


@final
@dataclass(frozen=True)
class PrefixSumSqrt:
    r"""The Toeplitz mechanism of the square root of prefix sums: $C^2$ is the matrix of ones on and below the diagonal.

    Its coefficients are $\binom{2j}j4^{-j}$: 1, 1/2, 3/8, 5/16, ...

    Attributes:
        noise_multiplier: Standard deviation of the noise over the clipping norm, exact and positive.
        steps: Number of rows.
        bands: How many diagonals are kept; None for all.
        max_participations: k, or None for as many as fit.
        min_separation: b; two steps of one record are at least that far apart.
        rate: Of cyclic Poisson sampling with b groups; None without sampling.
    """

    noise_multiplier: Fraction
    steps: int
    bands: int | None = field(default=None, metadata=_SILENT)
    max_participations: int | None = field(default=None, metadata=_SILENT)
    min_separation: int = 1
    rate: Fraction | None = field(default=None, metadata=_SILENT)

    def __post_init__(self) -> None:
        _check_pattern(self)
        object.__setattr__(self, "steps", natural("steps", self.steps, most=MOST_STEPS))
        if self.bands is not None:
            object.__setattr__(self, "bands", natural("bands", self.bands))
        if self.rate is not None and min(self.steps, self.bands or self.steps) > self.min_separation:
            raise InvalidArgumentError("min_separation", self.min_separation, _TOO_WIDE)

    def __str__(self) -> str:
        return _text("prefix_sum_sqrt", self)


@final
@dataclass(frozen=True)
class TreeGaussian:
    """The binary tree of `dpref.privacy.events.tree`, with Gaussian noise at each node: DP-FTRL over several epochs.

    Attributes:
        noise_multiplier: Standard deviation of a node's noise over the clipping norm, exact and positive.
        leaves: Number of steps.
        max_participations: k, or None for as many as fit.
        min_separation: b; two steps of one record are at least that far apart.
        padded: Whether nodes that reach beyond the last leaf are released too.
    """

    noise_multiplier: Fraction
    leaves: int
    max_participations: int | None = field(default=None, metadata=_SILENT)
    min_separation: int = 1
    padded: bool = False

    def __post_init__(self) -> None:
        _check_pattern(self)
        object.__setattr__(self, "leaves", natural("leaves", self.leaves))
        instance("padded", self.padded, bool)

    def __str__(self) -> str:
        return _text("tree_gaussian", self)


@final
@dataclass(frozen=True)
class SampledColumn:
    """One round of a banded matrix mechanism with cyclic Poisson sampling: what a record spends in one of its steps.

    Attributes:
        noise_multiplier: Standard deviation of the noise over the clipping norm, exact and positive.
        squared_norm: The squared norm of the step's column of the matrix, or what it is at most.
        rate: Probability of taking part, exact, in (0, 1].
        attained: The squared norm that some record's column has in this round; None if it is the one above.
    """

    noise_multiplier: Fraction
    squared_norm: Fraction
    rate: Fraction
    attained: Fraction | None = field(default=None, metadata=_SILENT)

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))
        object.__setattr__(self, "squared_norm", positive_rational("squared_norm", self.squared_norm))
        object.__setattr__(self, "rate", _rate(self.rate))
        if self.attained is not None:
            object.__setattr__(self, "attained", rational("attained", self.attained))
            if self.attained > self.squared_norm:
                raise InvalidArgumentError("attained", self.attained, "must not be above squared_norm")

    def __str__(self) -> str:
        return _text("sampled_column", self)


Factored: TypeAlias = MatrixGaussian | ToeplitzGaussian | PrefixSumSqrt | TreeGaussian
Banded: TypeAlias = MatrixGaussian | ToeplitzGaussian | PrefixSumSqrt


def _check_pattern(event: Factored) -> None:
    """What all of them have: the noise, the pattern, and the rate of sampling."""
    object.__setattr__(event, "noise_multiplier", positive_rational("noise_multiplier", event.noise_multiplier))
    object.__setattr__(event, "min_separation", natural("min_separation", event.min_separation))
    if event.max_participations is not None:
        object.__setattr__(event, "max_participations", natural("max_participations", event.max_participations))
    rate = getattr(event, "rate", None)
    if rate is None:
        return
    object.__setattr__(event, "rate", _rate(rate))
    if event.max_participations is not None:
        rule = "must not be given where records are sampled: how often one takes part is then random"
        raise InvalidArgumentError("max_participations", event.max_participations, rule)


def _rate(value: object) -> Fraction:
    rate = positive_rational("rate", value)
    if rate > 1:
        raise InvalidArgumentError("rate", value, "must not exceed 1")
    return rate


def _numbers(argument: str, values: object) -> tuple[Fraction, ...]:
    if not isinstance(values, tuple) or not values:
        raise InvalidArgumentError(argument, values, "must be a tuple of exact numbers, at least one")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            raise InvalidArgumentError(argument, value, "must hold exact numbers (int or Fraction)")
    return tuple(map(Fraction, values))


def _check_size(argument: str, numbers: tuple[Fraction, ...], count: int) -> None:
    """Refuses what would make integers over a common denominator too long to work with."""
    denominator = 1
    for x in numbers:
        denominator = math.lcm(denominator, x.denominator)
        if count * denominator.bit_length() > _MOST_BITS:
            break
    bits = denominator.bit_length() + max(x.numerator.bit_length() for x in numbers)
    if count * bits > _MOST_BITS:
        rule = "must be shorter numbers over a common denominator: round them to decimals"
        raise InvalidArgumentError(argument, f"{len(numbers)} numbers", rule)


def _text(name: str, event: Any) -> str:
    """The expression of an event, what it does not state left out."""
    written = ((f.name, getattr(event, f.name)) for f in fields(event))
    return f"{name}(" + ", ".join(f"{key}={_word(value)}" for key, value in written if value is not None) + ")"


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)
