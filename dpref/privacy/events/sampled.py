"""Events of further samplers, and of groups of records: truncated Poisson batches, draws with replacement, mixtures.

What they sample is an event of `dpref.privacy.events.ledger`, which is above this module.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, final

from dpref.checks import natural, positive_rational, rational
from dpref.errors import InvalidArgumentError


@final
@dataclass(frozen=True)
class TruncatedPoisson:
    """An event on a Poisson sample of which a uniform subset is kept where it is larger than a batch may be.

    Attributes:
        event: What is done with the batch.
        rate: Probability with which a record is drawn, exact, in (0, 1].
        batch: Most records that are kept.
        records: Number of records, public, at least ``batch``; under add-or-remove-one of the larger data set.  A null
            record is drawn, and takes up a place, as any other.
        contribution: As of `dpref.privacy.events.ledger.Poisson`.
    """

    event: Any
    rate: Fraction
    batch: int
    records: int
    contribution: Literal["ball"] | None = field(default=None, metadata={"silent": True})

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive_rational("rate", self.rate))
        if self.rate > 1:
            raise InvalidArgumentError("rate", self.rate, "must not exceed 1")
        _store_batch(self, self.batch, self.records)
        if self.batch > self.records:
            raise InvalidArgumentError("batch", self.batch, f"must not exceed the number of records, {self.records}")
        if self.contribution not in {"ball", None}:
            raise InvalidArgumentError("contribution", self.contribution, "must be ball, or not be given")

    def __str__(self) -> str:
        stated = f", contribution={self.contribution}" if self.contribution else ""
        sizes = f"rate={self.rate}, batch={self.batch}, records={self.records}"
        return f"truncated_poisson({self.event}, {sizes}{stated})"


@final
@dataclass(frozen=True)
class SampleWithReplacement:
    """An event on ``batch`` draws from the records, each uniform and independent of the others.

    A record that is drawn k times counts k times, and stands in for k others.

    Attributes:
        event: What is done with the batch; its parameters are stated as of
            `dpref.privacy.events.ledger.SampleWithoutReplacement`, for a record that is drawn once.
        batch: Number of draws.
        records: Number of records, public; under add-or-remove-one of the larger data set.
    """

    event: Any
    batch: int
    records: int

    def __post_init__(self) -> None:
        _store_batch(self, self.batch, self.records)

    def __str__(self) -> str:
        return f"sample_with_replacement({self.event}, batch={self.batch}, records={self.records})"


@final
@dataclass(frozen=True)
class MixtureGaussian:
    r"""One Gaussian answer that moves by a random amount: $\sum_iw_iN(s_i,\sigma^2)$ against $N(0,\sigma^2)$.

    That is the worst of all answers whose law is a mixture of normal laws, the i-th at most $s_i$ away from the one law
    of the other data set, in any dimension: what a group of records spends of which a random number is sampled.

    Attributes:
        shifts: How far the answer moves, exact, not negative, not all zero.
        weights: The probability of each, exact, positive, of sum one.
        noise_multiplier: Standard deviation of the noise in the unit of the shifts, exact and positive.
    """

    shifts: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    noise_multiplier: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        for name in ("shifts", "weights"):
            object.__setattr__(self, name, tuple(rational(name, x) for x in getattr(self, name)))
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))
        if not any(self.shifts):
            raise InvalidArgumentError("shifts", self.shifts, "must not all be zero")
        if len(self.weights) != len(self.shifts):
            raise InvalidArgumentError("weights", len(self.weights), f"must be as many as shifts, {len(self.shifts)}")
        if sum(self.weights) != 1 or not all(self.weights):
            raise InvalidArgumentError("weights", self.weights, "must be positive and have the sum one")

    def __str__(self) -> str:
        shifts, weights = (", ".join(map(str, part)) for part in (self.shifts, self.weights))
        noise = f"noise_multiplier={self.noise_multiplier}"
        return f"mixture_gaussian(shifts=[{shifts}], weights=[{weights}], {noise})"


@final
@dataclass(frozen=True)
class Group:
    """An event whose neighbours differ in several records at once, such as all records of a user.

    The event's parameters are stated for one record.  Of a composition the group is the same throughout.

    Attributes:
        event: What is done, with its sampler if there is one: records of a group are sampled one by one.
        size: Number of records in which neighbours differ; all are removed (or zeroed, or replaced), or all are added.
    """

    event: Any
    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", natural("size", self.size))

    def __str__(self) -> str:
        return f"group({self.event}, size={self.size})"


def _store_batch(event: object, batch: object, records: object) -> None:
    object.__setattr__(event, "batch", natural("batch", batch))
    object.__setattr__(event, "records", natural("records", records))
