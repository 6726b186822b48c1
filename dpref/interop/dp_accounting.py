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

What has no exact counterpart is refused, in both directions.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias, TypeVar

from dpref.checks import natural, rational
from dpref.errors import InvalidArgumentError, MissingExtraError, UnsupportedEventError
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Gaussian,
    Laplace,
    Ledger,
    NonPrivate,
    Poisson,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.events.syntax import DEEPEST
from dpref.reals import exact, float_down, float_up
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
    return _Writer(_module("dp_accounting.dp_event"), _factor(ledger.adjacency, divisor), outward).event(ledger.event)


def from_dp_event(event: Any, adjacency: type[A], *, divisor: Divisor | None = None) -> Ledger[A]:
    """The ledger that says what a ``DpEvent`` says, every double taken as the rational number that it is.

    Args:
        event: A ``dp_accounting.DpEvent``.
        adjacency: The neighbouring relation under which it is meant.
        divisor: What its multipliers divide by; required under replace-one, see the module.

    Returns:
        The ledger.

    Raises:
        MissingExtraError: If dp_accounting is not installed.
        UnsupportedEventError: If an event has no exact counterpart.
        InvalidArgumentError: If a number is out of its domain, or the divisor is missing.
    """
    reader = _Reader(_module("dp_accounting.dp_event"), _factor(adjacency, divisor))
    return Ledger(reader.event(event, 1), adjacency)


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


def _known(factor: Fraction | None) -> Fraction:
    if factor is None:
        rule = "must be record or sensitivity under replace-one: what a noise multiplier divides by"
        raise InvalidArgumentError("divisor", None, rule)
    return factor


@dataclass(frozen=True)
class _Writer:
    """Events to ``DpEvent``."""

    module: Any
    factor: Fraction | None
    outward: bool

    def event(self, event: Event) -> Any:
        m = self.module
        match event:
            case Compose(()):
                return m.NoOpDpEvent()
            case Compose(events):
                return m.ComposedDpEvent([self.event(e) for e in events])
            case Repeat(inner, count):
                return m.SelfComposedDpEvent(self.event(inner), count)
            case Poisson(inner, rate):
                return m.PoissonSampledDpEvent(self.number(rate, float_up), self.event(inner))
            case SampleWithoutReplacement(inner, batch, records):
                return m.SampledWithoutReplacementDpEvent(records, batch, self.event(inner))
            case _:
                return self.mechanism(event)

    def mechanism(self, event: Event) -> Any:
        m = self.module
        match event:
            case NonPrivate():
                return m.NonPrivateDpEvent()
            case Gaussian(multiplier):
                return m.GaussianDpEvent(self.number(multiplier * _known(self.factor), float_down))
            case Laplace(scale):
                return m.LaplaceDpEvent(self.number(scale * _known(self.factor), float_down))
            case DiscreteLaplace(scale, sensitivity):
                bound = sensitivity / _known(self.factor)
                if bound.denominator != 1 and not self.outward:
                    rule = "is no even sensitivity, so that no integer bounds one record; outward=True rounds it up"
                    raise InvalidArgumentError("event", sensitivity, rule)
                return m.DiscreteLaplaceDpEvent(self.number(1 / scale, float_up), math.ceil(bound))
            case _:
                raise UnsupportedEventError(f"{event} has no exact counterpart in dp_accounting")

    def number(self, value: Fraction, toward: Callable[[Fraction], float]) -> float:
        rounded = toward(value)
        if self.outward and 0 < rounded < float("inf"):
            return rounded
        if rounded in {0.0, float("inf")} or Fraction(rounded) != value:
            raise InvalidArgumentError("event", value, "is not a double; outward=True rounds it to the costlier side")
        return rounded


@dataclass(frozen=True)
class _Reader:
    """``DpEvent`` to events."""

    module: Any
    factor: Fraction | None

    def event(self, event: Any, depth: int) -> Event:
        if depth > DEEPEST:
            raise InvalidArgumentError("event", "...", f"must not be nested deeper than {DEEPEST}")
        name = type(event).__name__
        # A class of the same name from elsewhere, or a subclass, may mean something else.
        reader = _READERS.get(name)
        if reader is None or type(event) is not getattr(self.module, name, None):
            raise UnsupportedEventError(f"{name} has no exact counterpart in dpref")
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
        return Gaussian(multiplier / _known(self.factor)) if multiplier else NonPrivate()

    def laplace(self, event: Any, _: int) -> Event:
        multiplier = _number("noise_multiplier", event.noise_multiplier)
        return Laplace(multiplier / _known(self.factor)) if multiplier else NonPrivate()

    def discrete_laplace(self, event: Any, _: int) -> Event:
        parameter = _number("noise_parameter", event.noise_parameter)
        if parameter == 0:
            raise InvalidArgumentError("noise_parameter", event.noise_parameter, "must be positive")
        return DiscreteLaplace(1 / parameter, int(_known(self.factor)) * natural("sensitivity", event.sensitivity))

    def poisson(self, event: Any, depth: int) -> Event:
        inner, rate = self.event(event.event, depth + 1), _number("sampling_probability", event.sampling_probability)
        return Poisson(inner, rate) if rate else Compose(())

    def without_replacement(self, event: Any, depth: int) -> Event:
        inner = self.event(event.event, depth + 1)
        return SampleWithoutReplacement(inner, event.sample_size, event.source_dataset_size)


_READERS: Final[dict[str, Callable[[_Reader, Any, int], Event]]] = {
    "NoOpDpEvent": lambda reader, event, depth: Compose(()),
    "NonPrivateDpEvent": lambda reader, event, depth: NonPrivate(),
    "GaussianDpEvent": _Reader.gaussian,
    "LaplaceDpEvent": _Reader.laplace,
    "DiscreteLaplaceDpEvent": _Reader.discrete_laplace,
    "PoissonSampledDpEvent": _Reader.poisson,
    "SampledWithoutReplacementDpEvent": _Reader.without_replacement,
    "ComposedDpEvent": _Reader.composed,
    "SelfComposedDpEvent": _Reader.repeated,
}


def _number(argument: str, value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidArgumentError(argument, value, "must be a number")
    return rational(argument, Fraction(value) if isinstance(value, numbers.Rational) else exact(float(value)))
