"""The ledger: a frozen tree of mechanism events that documents completely what an algorithm spends.

An algorithm *describes* itself by a ledger; accountants judge it (the split is the one of Google's ``dp_accounting``).
The ledger that is computed from a plan must equal the one that a curator observes on the transcript.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from fractions import Fraction
from typing import Generic, Literal, TypeAlias, TypeVar, final

from dpref.checks import natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.allocation import RandomAllocation, Shuffled
from dpref.privacy.events.custom import Custom
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.guarantees import Approximate, Concentrated, Profile
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, SampledColumn, ToeplitzGaussian, TreeGaussian
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.events.parallel import Parallel
from dpref.privacy.events.sampled import Group, MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select
from dpref.units import Adjacency, known_adjacency

A = TypeVar("A", bound=Adjacency)


@final
@dataclass(frozen=True)
class NonPrivate:
    """An answer without noise: no accountant gives it a finite loss."""

    def __str__(self) -> str:
        return "nonprivate()"


@final
@dataclass(frozen=True)
class Gaussian:
    """One answer with Gaussian noise of standard deviation ``noise_multiplier`` times the l2 sensitivity.

    Attributes:
        noise_multiplier: sigma / Delta_2, exact and positive.
    """

    noise_multiplier: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))

    def __str__(self) -> str:
        return f"gaussian(noise_multiplier={self.noise_multiplier})"


@final
@dataclass(frozen=True)
class VarianceReducedGaussian:
    r"""One answer $\frac1b\sum_{i\in B}(g_i-h_i)+\frac1n\sum_{i\le n}h_i+N(0,\sigma^2I)$, all of norm at most G.

    B is a fresh uniform set of b of the n records, drawn without replacement and kept secret; $g_i$ and $h_i$ are
    vectors of record i alone, of norm at most G each.

    Attributes:
        noise_multiplier: sigma / G, exact and positive.
        batch: b, at least 1 and below n (with b = n nothing is sampled and the answer is a plain `Gaussian`).
        records: n.
    """

    noise_multiplier: Fraction
    batch: int
    records: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))
        _store_naturals(self, "batch", "records")
        if self.batch >= self.records:
            raise InvalidArgumentError("batch", self.batch, f"must be below the number of records, {self.records}")

    def __str__(self) -> str:
        return (
            f"variance_reduced_gaussian(noise_multiplier={self.noise_multiplier}, batch={self.batch},"
            f" records={self.records})"
        )


@final
@dataclass(frozen=True)
class GeneralizedGaussian:
    r"""One answer with noise of density proportional to ``exp(-norm_plus(x)^2 / (2 sigma^2))``.

    The sensitivity is measured in a kappa-regular norm, and ``norm_plus`` is the norm associated with it.  The answer
    is as private as a Gaussian one with $\mu^2 = \kappa/z^2$, or more (`dpref.privacy.closed_forms.divergences`).

    Attributes:
        noise_multiplier: sigma over the sensitivity, exact and positive.
        regularity: kappa, exact, at least 1.
    """

    noise_multiplier: Fraction
    regularity: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))
        object.__setattr__(self, "regularity", positive_rational("regularity", self.regularity))
        if self.regularity < 1:
            raise InvalidArgumentError("regularity", self.regularity, "must be at least 1")

    def __str__(self) -> str:
        return f"generalized_gaussian(noise_multiplier={self.noise_multiplier}, regularity={self.regularity})"


@final
@dataclass(frozen=True)
class FilteredGaussians:
    r"""Gaussian answers whose noise is chosen on the way: all that a zCDP filter of a budget lets through.

    On every path $\sum_i\frac{\Delta_i^2}{2\sigma_i^2}\le\rho$, which makes them together $\sqrt{2\rho}$-GDP, as one
    Gaussian answer of that loss (Smith and Thakurta, "Fully adaptive composition for Gaussian differential privacy",
    2022).

    Attributes:
        rho: The budget of the filter, exact and positive.
    """

    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive_rational("rho", self.rho))

    def __str__(self) -> str:
        return f"filtered_gaussians(rho={self.rho})"


@final
@dataclass(frozen=True)
class Laplace:
    """One answer with Laplace noise of scale ``scale`` times the l1 sensitivity (it is 1/scale-DP).

    Attributes:
        scale: b / Delta_1, exact and positive.
    """

    scale: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive_rational("scale", self.scale))

    def __str__(self) -> str:
        return f"laplace(scale={self.scale})"


@final
@dataclass(frozen=True)
class RandomizedResponse:
    """One answer out of ``categories``: each other answer is e^epsilon times less likely than the true one.

    Attributes:
        epsilon: Exact and positive.
        categories: Number of possible answers, at least 2.
        null: What answers in place of a record that is zeroed out or not sampled: ``"uniform"``, any answer with the
            same probability; ``"category"``, a record of some fixed category; None, not said: nothing is then claimed
            to be attained, and the upper end holds for any mixture of the categories' answers.
    """

    epsilon: Fraction
    categories: int = 2
    null: Literal["uniform", "category"] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_rational("epsilon", self.epsilon))
        _store_naturals(self, "categories", least=2)
        if self.null not in {None, "uniform", "category"}:
            raise InvalidArgumentError("null", self.null, "must be one of uniform, category, or None")

    def __str__(self) -> str:
        null = "" if self.null is None else f", null={self.null}"
        return f"randomized_response(epsilon={self.epsilon}, categories={self.categories}{null})"


@final
@dataclass(frozen=True)
class Exponential:
    """One use of the exponential mechanism: the log-ratio of two outcomes' probabilities moves by at most epsilon.

    A null record leaves the scores where they are; the sensitivity bounds how far any record moves them from there.

    Attributes:
        epsilon: Exact and positive; probabilities are proportional to exp(epsilon * score / (2 * sensitivity)).
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_rational("epsilon", self.epsilon))

    def __str__(self) -> str:
        return f"exponential(epsilon={self.epsilon})"


@final
@dataclass(frozen=True)
class NoisyMax:
    """The index of the largest noisy score; what a null record does is said at `Exponential`.

    Attributes:
        epsilon: Exact and positive; the noise has scale 2 * sensitivity / epsilon.
        noise: ``"gumbel"`` (equal to the exponential mechanism) or ``"laplace"``.
    """

    epsilon: Fraction
    noise: Literal["gumbel", "laplace"]

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive_rational("epsilon", self.epsilon))
        if self.noise not in {"gumbel", "laplace"}:
            raise InvalidArgumentError("noise", self.noise, "must be one of gumbel, laplace")

    def __str__(self) -> str:
        return f"noisy_max(epsilon={self.epsilon}, noise={self.noise})"


@final
@dataclass(frozen=True)
class Poisson:
    """An event on a random batch in which every record takes part independently.

    Under zero-out the answer to a batch with a null record must be the one to the batch without it, as of a sum: a mean
    over as many records as were drawn tells one from the other, and is not what is accounted.

    Attributes:
        event: What is done with the batch.
        rate: Probability of taking part, exact, in (0, 1].
        contribution: Under replace-one, ``"ball"`` says that what any record adds to a Gaussian answer is at most half
            of the sensitivity away from what an absent one adds, as after clipping; None says nothing of the kind.
    """

    event: Event
    rate: Fraction
    contribution: Literal["ball"] | None = dataclass_field(default=None, metadata={"silent": True})

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive_rational("rate", self.rate))
        if self.rate > 1:
            raise InvalidArgumentError("rate", self.rate, "must not exceed 1")
        if self.contribution not in {"ball", None}:
            raise InvalidArgumentError("contribution", self.contribution, "must be ball, or not be given")

    def __str__(self) -> str:
        stated = f", contribution={self.contribution}" if self.contribution else ""
        return f"poisson({self.event}, rate={self.rate}{stated})"


@final
@dataclass(frozen=True)
class SampleWithoutReplacement:
    """An event on a uniform batch of fixed size; with ``batch=1`` it is one uniform index.

    Attributes:
        event: What is done with the batch.  Its parameters are stated under the ledger's adjacency as everywhere:
            under add-or-remove-one and zero-out the sensitivity is how far a record moves the answer to a batch that it
            joins, and a record in the place of another one moves it by twice as much.
        batch: Number of records in the batch.
        records: Number of records, public, at least ``batch``; under add-or-remove-one of the larger data set.
    """

    event: Event
    batch: int
    records: int

    def __post_init__(self) -> None:
        _store_naturals(self, "batch", "records")
        if self.batch > self.records:
            raise InvalidArgumentError("batch", self.batch, f"must not exceed the number of records, {self.records}")

    def __str__(self) -> str:
        return f"sample_without_replacement({self.event}, batch={self.batch}, records={self.records})"


@final
@dataclass(frozen=True)
class Compose:
    """Adaptive composition of several events.

    Attributes:
        events: The events, in the order in which they happened.
    """

    events: tuple[Event, ...]

    def __str__(self) -> str:
        return "compose(" + ", ".join(map(str, self.events)) + ")"


@final
@dataclass(frozen=True)
class Repeat:
    """Adaptive composition of ``count`` equal events.

    Attributes:
        event: The event.
        count: How often it happened, at least once.
    """

    event: Event
    count: int

    def __post_init__(self) -> None:
        _store_naturals(self, "count")

    def __str__(self) -> str:
        return f"compose({self.event}, {self.count})"


Event: TypeAlias = (
    NonPrivate
    | Gaussian
    | VarianceReducedGaussian
    | GeneralizedGaussian
    | FilteredGaussians
    | Laplace
    | DiscreteGaussian
    | GriddedGaussian
    | DiscreteLaplace
    | RandomizedResponse
    | Exponential
    | ExponentialMixture
    | NoisyMax
    | MatrixGaussian
    | ToeplitzGaussian
    | PrefixSumSqrt
    | TreeGaussian
    | SampledColumn
    | Custom
    | Approximate
    | Concentrated
    | Profile
    | Poisson
    | SampleWithoutReplacement
    | TruncatedPoisson
    | SampleWithReplacement
    | MixtureGaussian
    | Group
    | RandomAllocation
    | Shuffled
    | Select
    | Parallel
    | Compose
    | Repeat
)


@final
@dataclass(frozen=True)
class Ledger(Generic[A]):
    """Events together with the adjacency under which their multipliers are stated.

    Attributes:
        event: What is spent.
        adjacency: The neighbouring relation of the guarantee.
    """

    event: Event
    adjacency: type[A]

    def __post_init__(self) -> None:
        known_adjacency(self.adjacency)

    def __str__(self) -> str:
        return f"{self.event} under {self.adjacency.name}"

    def __add__(self, other: Ledger[A]) -> Ledger[A]:
        if self.adjacency is not other.adjacency:
            raise InvalidArgumentError("other", other.adjacency.name, "ledgers compose within one adjacency")
        return Ledger(Compose(_parts(self.event) + _parts(other.event)), self.adjacency)


def _store_naturals(event: object, *fields: str, least: int = 1) -> None:
    """Counts as Python's integers: those of numpy wrap round, and a ledger of 400 answers would count 144."""
    for field in fields:
        object.__setattr__(event, field, natural(field, getattr(event, field), least=least))


def _parts(event: Event) -> tuple[Event, ...]:
    # Sums of many ledgers stay flat, so that no function that recurses over the tree can overflow.
    return event.events if isinstance(event, Compose) else (event,)
