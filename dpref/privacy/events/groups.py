"""What a group of records spends on an event, where that is an event again."""

from __future__ import annotations

from dataclasses import replace

from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Exponential,
    FilteredGaussians,
    Gaussian,
    GeneralizedGaussian,
    Laplace,
    NoisyMax,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.events.sampled import Group, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select


def of_a_group(event: Group) -> Event:
    """The same spending with the group taken into a composition, or into a mechanism's sensitivity, as far as possible.

    A mechanism that adds noise in proportion to a sensitivity knows records by the sensitivity alone, and a group of m
    of them moves its answer by m times as much; what a group spends on a composition is composed of what it spends on
    each part.

    >>> from fractions import Fraction
    >>> print(of_a_group(Group(Repeat(Gaussian(Fraction(6)), 10), 3)))
    compose(gaussian(noise_multiplier=2), 10)
    """
    inner, size = event.event, event.size
    match inner:
        case _ if size == 1:
            return _event(inner)
        case Compose(events):
            return Compose(tuple(of_a_group(Group(e, size)) for e in events))
        case Repeat(repeated, count):
            return Repeat(of_a_group(Group(repeated, size)), count)
        case Group(grouped, smaller):
            return of_a_group(Group(grouped, smaller * size))
        case _:
            return _moved(event)


def _event(event: Event) -> Event:
    return of_a_group(event) if isinstance(event, Group) else event


def _moved(event: Group) -> Event:
    inner, size = event.event, event.size
    match inner:
        case Gaussian(multiplier) | GeneralizedGaussian(multiplier):
            return replace(inner, noise_multiplier=multiplier / size)
        case FilteredGaussians(rho):
            return FilteredGaussians(rho * size**2)
        case Laplace(scale):
            return Laplace(scale / size)
        case DiscreteGaussian() | DiscreteLaplace():
            return replace(inner, sensitivity=inner.sensitivity * size)
        case Exponential(epsilon) | NoisyMax(epsilon):
            return replace(inner, epsilon=epsilon * size)
        case _:
            return event


def on_fewer_records(event: Event, gone: int) -> Event:
    """The same event on a data set of so many records less: a sampler that draws from all of them has fewer.

    Args:
        event: An event, not of a group.
        gone: How many records are missing.

    Raises:
        InvalidArgumentError: If too few are left for a batch.

    >>> from fractions import Fraction
    >>> print(on_fewer_records(SampleWithoutReplacement(Gaussian(Fraction(1)), 2, 10), 3))
    sample_without_replacement(gaussian(noise_multiplier=1), batch=2, records=7)
    """
    match event:
        case SampleWithoutReplacement() | SampleWithReplacement():
            return replace(event, records=event.records - gone)
        case TruncatedPoisson(batch=batch, records=records):  # of no more records than a batch nothing is cut off
            return replace(event, records=max(batch, records - gone))
        case Select(run):
            return replace(event, event=on_fewer_records(run, gone))
        case Compose(events):
            return Compose(tuple(on_fewer_records(e, gone) for e in events))
        case Repeat(inner, count):
            return Repeat(on_fewer_records(inner, gone), count)
        case _:
            return event


def holds_group(event: Event) -> bool:
    """Whether some event of a composition is about groups.

    >>> from fractions import Fraction
    >>> holds_group(Repeat(Group(Gaussian(Fraction(1)), 2), 3))
    True
    """
    match event:
        case Compose(events):
            return any(map(holds_group, events))
        case Repeat(inner):
            return holds_group(inner)
        case _:
            return isinstance(event, Group)
