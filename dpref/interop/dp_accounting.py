r"""Ledgers to and from the ``DpEvent`` trees of dp_accounting (optional: ``pip install 'dpref[crosscheck]'``).

Three things differ between the two, and none is glossed over:

* **Numbers.** Ours are exact, theirs are doubles.  A double is taken as the rational that it is.  A rational that is no
  double is refused, or, with ``outward=True``, rounded to the side on which more is spent.
* **Adjacency.** A ``DpEvent`` has none, a ledger always has one; `neighboring_relation` translates it.
* **Multipliers under replace-one.** `dpref.privacy.events.ledger.Gaussian` divides by the sensitivity under the
  adjacency, ``GaussianDpEvent`` by the norm bound of one record.  They agree when a record is added, removed or zeroed,
  and differ by a factor of two when one is replaced.  dp_accounting 0.6 itself is of two minds: its PLD accountant
  doubles the sensitivity under ``REPLACE_ONE``, its RDP accountant does not.  So under replace-one the caller must say
  what a multiplier divides by: ``"record"`` or ``"sensitivity"``.  ``DiscreteLaplaceDpEvent`` has no multiplier but a
  ``sensitivity``, the l1 norm bound of one record; under replace-one the sum moves by twice that, and the divisor says
  whether the field means the one or the other.

What has no exact counterpart is refused, in both directions; `dpref.interop.dp_accounting_reader.REFUSED` says
why, of each class that is not read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias, TypeVar

from dpref.errors import InvalidArgumentError, MissingExtraError, UnsupportedEventError
from dpref.interop.dp_accounting_reader import known_divisor, moves, read_event, stated_ball
from dpref.privacy.closed_forms.roots import rational_root
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.factorization import squared_mu
from dpref.privacy.events.guarantees import Concentrated
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Gaussian,
    Laplace,
    Ledger,
    NonPrivate,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.events.matrix import (
    Factored,
    MatrixGaussian,
    PrefixSumSqrt,
    SampledColumn,
    ToeplitzGaussian,
    TreeGaussian,
)
from dpref.privacy.events.sampled import MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select
from dpref.privacy.events.walks import multiplicities
from dpref.reals import ball, float_down, float_up, lower
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

A = TypeVar("A", bound=Adjacency)
Divisor: TypeAlias = Literal["record", "sensitivity"]

_RELATIONS: Final = {AddOrRemoveOne: "ADD_OR_REMOVE_ONE", ReplaceOne: "REPLACE_ONE", ZeroOut: "REPLACE_SPECIAL"}


def neighboring_relation(adjacency: type[Adjacency]) -> Any:
    """The member of ``dp_accounting.NeighboringRelation`` for an adjacency.

    Raises:
        MissingExtraError: If dp_accounting is not installed.
        InvalidArgumentError: If there is no such adjacency.
    """
    if adjacency not in _RELATIONS:
        raise InvalidArgumentError("adjacency", adjacency, "must be one of " + ", ".join(a.name for a in _RELATIONS))
    return getattr(_module("dp_accounting").NeighboringRelation, _RELATIONS[adjacency])


def to_dp_event(ledger: Ledger[Any], *, divisor: Divisor | None = None, outward: bool = False) -> Any:
    """The ``DpEvent`` that says what a ledger says.

    Args:
        ledger: Events and their adjacency.
        divisor: What a multiplier of the result divides by; required under replace-one, see the module.
        outward: Round what is no double to the side on which more is spent, instead of refusing it.

    Returns:
        A ``dp_accounting.DpEvent``; account for it under ``neighboring_relation(ledger.adjacency)``.

    Raises:
        MissingExtraError: If dp_accounting is not installed.
        UnsupportedEventError: If an event has no exact counterpart.
        InvalidArgumentError: If a number is no double (and ``outward`` is False), or the divisor is missing.
    """
    factor = _factor(ledger.adjacency, divisor)
    return _Writer(_module("dp_accounting.dp_event"), factor, outward, ledger.adjacency).event(ledger.event)


def from_dp_event(
    event: Any, adjacency: type[A], *, divisor: Divisor | None = None, outward: bool = False
) -> Ledger[A]:
    """The ledger that says what a ``DpEvent`` says, every double taken as the rational number that it is.

    Args:
        event: A ``dp_accounting.DpEvent``.
        adjacency: The neighbouring relation under which it is meant.
        divisor: What its multipliers divide by; required under replace-one, see the module.
        outward: Round what is no rational number, the epsilon of a randomized response, to the side on which more is
            spent, instead of refusing it; the ledger is then one of a little more than the event.

    Returns:
        The ledger.

    Raises:
        MissingExtraError: If dp_accounting is not installed.
        UnsupportedEventError: If an event has no exact counterpart.
        InvalidArgumentError: If a number is out of its domain, or the divisor is missing.
    """
    factor = _factor(adjacency, divisor)
    found = read_event(event, _module("dp_accounting.dp_event"), adjacency, factor, outward=outward)
    return Ledger(found, adjacency)


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError("dp_accounting is not installed: pip install 'dpref[crosscheck]'") from None


def _factor(adjacency: type[Adjacency], divisor: str | None) -> Fraction | None:
    """Their multiplier over ours; None if it was not said."""
    if adjacency not in _RELATIONS:
        raise InvalidArgumentError("adjacency", adjacency, "must be one of " + ", ".join(a.name for a in _RELATIONS))
    if divisor not in {None, "record", "sensitivity"}:
        raise InvalidArgumentError("divisor", divisor, "must be record or sensitivity")
    if adjacency is not ReplaceOne:
        return Fraction(1)
    return None if divisor is None else Fraction(2 if divisor == "record" else 1)


@dataclass(frozen=True)
class _Writer:
    """Events to ``DpEvent``."""

    module: Any
    factor: Fraction | None
    outward: bool
    adjacency: type[Adjacency]

    def event(self, event: Event) -> Any:  # noqa: PLR0911 - one return for each kind
        m = self.module
        match event:
            case Compose(()):
                return m.NoOpDpEvent()
            case Compose(events):
                return m.ComposedDpEvent([self.event(e) for e in events])
            case Repeat(inner, count):
                return m.SelfComposedDpEvent(self.event(inner), count)
            case Poisson(inner, rate, stated) if self.says(stated):
                return m.PoissonSampledDpEvent(self.number(rate, float_up), self.event(inner))
            case SampleWithoutReplacement(inner, batch, records):
                return m.SampledWithoutReplacementDpEvent(records, batch, self.event(inner))
            case SampleWithReplacement(inner, batch, records):
                return m.SampledWithReplacementDpEvent(records, batch, self.event(inner))
            case TruncatedPoisson(Gaussian(multiplier), rate, batch, records, stated) if self.says(stated):
                noise = self.number(multiplier * known_divisor(self.factor), float_down)
                return m.TruncatedSubsampledGaussianDpEvent(records, self.number(rate, float_up), batch, noise)
            case Poisson() | TruncatedPoisson(Gaussian()):
                why = "divisor=record says contribution=ball, divisor=sensitivity does not; let both say the same"
                raise UnsupportedEventError(f"{event} under {self.adjacency.name}: {why}")
            case Select(inner):
                return m.RepeatAndSelectDpEvent(self.event(inner), *self.runs(event))
            case _:
                return self.mechanism(event)

    def says(self, stated: str | None) -> bool:
        """Whether a sampled event says the same of contributions as a multiplier over this divisor does."""
        return self.adjacency is not ReplaceOne or stated == stated_ball(self.adjacency, self.factor)

    def runs(self, event: Select) -> tuple[float, float]:
        """The mean and the shape of a law of runs; a larger mean is costlier."""
        if event.eta is None:
            return self.number(event.mean or Fraction(0), float_up), math.inf
        mean = event.mean
        if mean is None:
            if event.eta != 1 or event.gamma is None:
                raise UnsupportedEventError(f"{event}: their law is given by its mean, not by gamma; give the mean")
            mean = 1 / event.gamma
        shape = float(event.eta)
        if Fraction(shape) != event.eta:
            raise InvalidArgumentError("event", event.eta, "is not a double, and neither side is known to be costlier")
        return self.number(mean, float_up), shape

    def mechanism(self, event: Event) -> Any:  # noqa: PLR0911 - one return for each kind
        m = self.module
        match event:
            case NonPrivate():
                return m.NonPrivateDpEvent()
            case Gaussian(multiplier):
                return m.GaussianDpEvent(self.number(multiplier * known_divisor(self.factor), float_down))
            case Laplace(scale):
                return m.LaplaceDpEvent(self.number(scale * known_divisor(self.factor), float_down))
            case DiscreteLaplace(scale, sensitivity):
                bound = sensitivity / known_divisor(self.factor)
                if bound.denominator != 1 and not self.outward:
                    rule = "is no even sensitivity, so that no integer bounds one record; outward=True rounds it up"
                    raise InvalidArgumentError("event", sensitivity, rule)
                return m.DiscreteLaplaceDpEvent(self.number(1 / scale, float_up), math.ceil(bound))
            case RandomizedResponse():
                return self.response(event)
            case MixtureGaussian(shifts, weights, noise) if self.adjacency is not ReplaceOne:
                numbers = ([self.exactly(x) for x in part] for part in (shifts, weights))
                return m.MixtureOfGaussiansDpEvent(self.number(noise, float_down), *numbers)
            case Concentrated(rho, xi):
                return m.ZCDpEvent(self.number(rho, float_up), self.number(xi, float_up) if xi else 0.0)
            case TreeGaussian(multiplier, leaves, 1, padded=False):
                theirs = multiplier * known_divisor(self.factor) / moves(self.adjacency)
                return m.SingleEpochTreeAggregationDpEvent(self.number(theirs, float_down), leaves)
            case MatrixGaussian() | ToeplitzGaussian() | PrefixSumSqrt() | TreeGaussian() | SampledColumn():
                return self.matrix(event)
            case _:
                raise UnsupportedEventError(f"{event} has no exact counterpart in dp_accounting")

    def matrix(self, event: Factored | SampledColumn) -> Any:
        """Of a matrix mechanism the Gaussian answer, of a sampled one its rounds; the roots have to be rounded."""
        if not self.outward:
            raise UnsupportedEventError(f"{event} is Gaussian of a root; outward=True rounds it to the costlier side")
        if not isinstance(event, SampledColumn) and getattr(event, "rate", None) is not None:
            return self.event(Compose(tuple(Repeat(column, k) for column, k in multiplicities(event).items())))
        multiplier = rational_root(1 / squared_mu(event, self.adjacency).squared, up=False)
        made = self.event(Gaussian(multiplier))
        if not isinstance(event, SampledColumn):
            return made
        return self.module.PoissonSampledDpEvent(self.number(event.rate, float_up), made)

    def response(self, event: RandomizedResponse) -> Any:
        """A uniform answer with a chance that is no rational number."""
        if self.adjacency is AddOrRemoveOne or (self.adjacency is not ReplaceOne and event.null != "uniform"):
            why = "theirs is of replaced records, or of null ones that answer uniformly"
            raise UnsupportedEventError(f"{event} under {self.adjacency.name}: {why}")
        if not self.outward:
            raise InvalidArgumentError("event", event.epsilon, "has no rational chance; outward=True rounds it")
        chance = lower(event.categories / (ball(event.epsilon).exp() + (event.categories - 1)))
        return self.module.RandomizedResponseDpEvent(max(math.ulp(0.0), chance), event.categories)

    def exactly(self, value: Fraction) -> float:
        """A double that must not be rounded: a weight that is, would move another one."""
        if Fraction(float(value)) != value:
            raise InvalidArgumentError("event", value, "is not a double, and rounding it would change the others' sum")
        return float(value)

    def number(self, value: Fraction, toward: Callable[[Fraction], float]) -> float:
        rounded = toward(value)
        if self.outward and 0 < rounded < float("inf"):
            return rounded
        if rounded in {0.0, float("inf")} or Fraction(rounded) != value:
            raise InvalidArgumentError("event", value, "is not a double; outward=True rounds it to the costlier side")
        return rounded
