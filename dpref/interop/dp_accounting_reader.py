"""Reading ``DpEvent`` trees: which class becomes which event, and which none (`dpref.interop.dp_accounting`)."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal

from dpref.checks import natural, rational
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.guarantees import Approximate, Concentrated
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Gaussian,
    Laplace,
    NonPrivate,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.events.matrix import TreeGaussian
from dpref.privacy.events.sampled import MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select
from dpref.privacy.events.syntax import DEEPEST
from dpref.reals import ball, exact, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

# The classes of dp_accounting 0.6 that are not read, and why.
REFUSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "DpEvent": "it describes no mechanism",
        "UnsupportedDpEvent": "it stands for what has no description",
    }
)
_TRUNCATED: Final = ("truncated_batch_size", "dataset_size")
_MOST_MISSING: Final = Fraction(1, 10**9)  # of the sum of doubles


def moves(adjacency: type[Adjacency]) -> int:
    """How far a record moves a row of a matrix mechanism, in units of the norm that its multiplier divides by."""
    return 2 if adjacency is ReplaceOne else 1


def stated_ball(adjacency: type[Adjacency], factor: Fraction | None) -> Literal["ball"] | None:
    """What a sampled event says of contributions: a norm bound of each record is a ball around an absent one's zero.

    A sensitivity is none: records that contribute 0 to 1 have the sensitivity 1, and no ball of radius 1/2 around zero.
    """
    return "ball" if adjacency is ReplaceOne and factor == moves(adjacency) else None


def known_divisor(factor: Fraction | None) -> Fraction:
    """Their multiplier over ours, which the caller has to have said.

    Raises:
        InvalidArgumentError: If it was not said.

    >>> known_divisor(Fraction(2))
    Fraction(2, 1)
    """
    if factor is None:
        rule = "must be record or sensitivity under replace-one: what a noise multiplier divides by"
        raise InvalidArgumentError("divisor", None, rule)
    return factor


def read_event(event: Any, module: Any, adjacency: type[Adjacency], factor: Fraction | None, *, outward: bool) -> Event:
    """The event that a ``DpEvent`` is.

    Args:
        event: A ``DpEvent``.
        module: ``dp_accounting.dp_event``: an object of any other class is refused.
        adjacency: Under which it is meant.
        factor: Its multipliers over ours; None if that was not said.
        outward: Whether what is no rational number is rounded to the costlier side, or refused.

    Raises:
        UnsupportedEventError: If its class is none that is read.
        InvalidArgumentError: If a number is out of its domain.
    """
    return _Reader(module, factor, adjacency, outward).event(event, 1)


@dataclass(frozen=True)
class _Reader:
    """``DpEvent`` to events."""

    module: Any
    factor: Fraction | None
    adjacency: type[Adjacency]
    outward: bool

    def event(self, event: Any, depth: int) -> Event:
        if depth > DEEPEST:
            raise InvalidArgumentError("event", "...", f"must not be nested deeper than {DEEPEST}")
        name = type(event).__name__
        # A class of the same name from elsewhere, or a subclass, may mean something else.
        reader = _READERS.get(name)
        if reader is None or type(event) is not getattr(self.module, name, None):
            why = REFUSED.get(name, "no class of dp_accounting that is known here")
            raise UnsupportedEventError(f"{name} has no exact counterpart in dpref: {why}")
        return reader(self, event, depth)

    def composed(self, event: Any, depth: int) -> Event:
        if not isinstance(event.events, Sequence):
            raise InvalidArgumentError("events", event.events, "must be a sequence of events")
        return Compose(tuple(self.event(e, depth + 1) for e in event.events))

    def repeated(self, event: Any, depth: int) -> Event:
        inner, count = self.event(event.event, depth + 1), natural("count", event.count, least=0)
        return Repeat(inner, count) if count else Compose(())

    def gaussian(self, event: Any, _: int) -> Event:
        multiplier = _number("noise_multiplier", event.noise_multiplier)
        return Gaussian(multiplier / known_divisor(self.factor)) if multiplier else NonPrivate()

    def laplace(self, event: Any, _: int) -> Event:
        multiplier = _number("noise_multiplier", event.noise_multiplier)
        return Laplace(multiplier / known_divisor(self.factor)) if multiplier else NonPrivate()

    def discrete_laplace(self, event: Any, _: int) -> Event:
        parameter = _number("noise_parameter", event.noise_parameter)
        if parameter == 0:
            raise InvalidArgumentError("noise_parameter", event.noise_parameter, "must be positive")
        return DiscreteLaplace(
            1 / parameter, int(known_divisor(self.factor)) * natural("sensitivity", event.sensitivity)
        )

    def response(self, event: Any, _: int) -> Event:
        chance, k = _number("noise_parameter", event.noise_parameter), natural("num_buckets", event.num_buckets)
        if chance > 1:
            raise InvalidArgumentError("noise_parameter", event.noise_parameter, "must not exceed 1")
        if k == 1 or chance == 1:
            return Compose(())
        if chance == 0:
            return NonPrivate()
        if self.adjacency is AddOrRemoveOne:
            raise UnsupportedEventError("RandomizedResponseDpEvent: nothing answers in place of an absent record")
        if not self.outward:
            rule = "makes an epsilon that is no rational number; outward=True rounds it"
            raise InvalidArgumentError("noise_parameter", event.noise_parameter, rule)
        epsilon = exact(upper((1 + k * (1 - ball(chance)) / ball(chance)).log()))
        return RandomizedResponse(epsilon, k, None if self.adjacency is ReplaceOne else "uniform")

    def concentrated(self, event: Any, _: int) -> Event:
        rho, xi = _number("rho", event.rho), _number("xi", event.xi)
        if rho:
            return Concentrated(rho, xi)
        return Approximate(xi, Fraction(0)) if xi else Compose(())

    def selection(self, event: Any, depth: int) -> Event:
        inner, mean = self.event(event.event, depth + 1), _number("mean", event.mean)
        shape = _shape(event.shape)
        return Select(inner, mean=mean) if shape is None else Select(inner, eta=shape, mean=mean)

    def mixture(self, event: Any, _: int) -> Event:
        """Of shifts and weights; weights whose doubles do not add up to one are mended to the costlier side."""
        if self.adjacency is ReplaceOne:
            raise UnsupportedEventError("MixtureOfGaussiansDpEvent: a mixture against a mixture has no pair known")
        noise = _number("standard_deviation", event.standard_deviation)
        shifts = [_number("sensitivities", x) for x in event.sensitivities]
        weights = [_number("sampling_probs", x) for x in event.sampling_probs]
        if len(shifts) != len(weights) or not weights:
            raise InvalidArgumentError(
                "sampling_probs", len(weights), f"must be as many as sensitivities, {len(shifts)}"
            )
        found = sorted((s, w) for s, w in zip(shifts, weights, strict=True) if w)
        missing = 1 - sum((w for _, w in found), Fraction(0))
        if missing and not self.outward:
            rule = "must have the sum one; outward=True mends it to the costlier side"
            raise InvalidArgumentError("sampling_probs", event.sampling_probs, rule)
        if not found or abs(missing) > _MOST_MISSING or found[0][1] + min(missing, Fraction(0)) <= 0:
            raise InvalidArgumentError("sampling_probs", event.sampling_probs, "must have the sum one")
        # What is missing is given to the largest shift, and what is too much is taken from the smallest one.
        at = -1 if missing > 0 else 0
        found[at] = (found[at][0], found[at][1] + missing)
        if not any(s for s, _ in found):
            return Compose(())
        kept = tuple(s for s, _ in found), tuple(w for _, w in found)
        return MixtureGaussian(*kept, noise) if noise else NonPrivate()

    def with_replacement(self, event: Any, depth: int) -> Event:
        inner = self.event(event.event, depth + 1)
        return SampleWithReplacement(inner, event.sample_size, event.source_dataset_size)

    def truncated(self, event: Any, _: int) -> Event:
        noise = _number("noise_multiplier", event.noise_multiplier)
        rate = _number("sampling_probability", event.sampling_probability)
        batch, records = (natural(name, getattr(event, name), least=0) for name in _TRUNCATED)
        if not rate or not batch or not records:
            return Compose(())
        if not noise:
            return NonPrivate()
        stated = stated_ball(self.adjacency, self.factor)
        answer = Gaussian(noise / known_divisor(self.factor))
        if batch >= records:  # nothing is ever cut off
            return Poisson(answer, rate, stated)
        return TruncatedPoisson(answer, rate, batch, records, stated)

    def tree(self, event: Any, _: int) -> Event:
        """A record is in one leaf of one of the trees, of which the largest counts."""
        multiplier = _number("noise_multiplier", event.noise_multiplier)
        counts = event.step_counts if isinstance(event.step_counts, Sequence) else [event.step_counts]
        leaves = max((natural("step_counts", count) for count in counts), default=0)
        if not leaves:
            return Compose(())
        ours = multiplier * moves(self.adjacency) / known_divisor(self.factor)
        return TreeGaussian(ours, leaves, 1) if multiplier else NonPrivate()

    def poisson(self, event: Any, depth: int) -> Event:
        inner, rate = self.event(event.event, depth + 1), _number("sampling_probability", event.sampling_probability)
        return Poisson(inner, rate, stated_ball(self.adjacency, self.factor)) if rate else Compose(())

    def without_replacement(self, event: Any, depth: int) -> Event:
        inner = self.event(event.event, depth + 1)
        return SampleWithoutReplacement(inner, event.sample_size, event.source_dataset_size)


_READERS: Final[dict[str, Callable[[_Reader, Any, int], Event]]] = {
    "NoOpDpEvent": lambda reader, event, depth: Compose(()),
    "NonPrivateDpEvent": lambda reader, event, depth: NonPrivate(),
    "GaussianDpEvent": _Reader.gaussian,
    "LaplaceDpEvent": _Reader.laplace,
    "DiscreteLaplaceDpEvent": _Reader.discrete_laplace,
    "SingleEpochTreeAggregationDpEvent": _Reader.tree,
    "MixtureOfGaussiansDpEvent": _Reader.mixture,
    "PoissonSampledDpEvent": _Reader.poisson,
    "SampledWithReplacementDpEvent": _Reader.with_replacement,
    "TruncatedSubsampledGaussianDpEvent": _Reader.truncated,
    "RandomizedResponseDpEvent": _Reader.response,
    "RepeatAndSelectDpEvent": _Reader.selection,
    "ZCDpEvent": _Reader.concentrated,
    "SampledWithoutReplacementDpEvent": _Reader.without_replacement,
    "ComposedDpEvent": _Reader.composed,
    "SelfComposedDpEvent": _Reader.repeated,
}

READ: Final = frozenset(_READERS)  # the classes that are read


def _number(argument: str, value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidArgumentError(argument, value, "must be a number")
    return rational(argument, Fraction(value) if isinstance(value, numbers.Rational) else exact(float(value)))


def _shape(value: Any) -> Fraction | None:
    """Of a law of runs; None for the infinite one of a Poisson law."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidArgumentError("shape", value, "must be a number")
    shape = float(value)
    if shape == math.inf:
        return None
    if not math.isfinite(shape):
        raise InvalidArgumentError("shape", value, "must be above -1")
    return Fraction(shape)
