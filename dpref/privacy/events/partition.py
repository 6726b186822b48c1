"""Answers that share no record: what all of them spend together is what the costliest spends.

A record that is replaced, or nulled, keeps its place and so its part.  Given the answers before it, an answer about
another part has the same law on both data sets, however its query was chosen: only the answer about the record's own
part tells them apart, and what is made of the answers is post-processing.

References:
    McSherry, "Privacy integrated queries", 2009, Theorem 4.
"""

from __future__ import annotations

from collections.abc import Iterable

from dpref.errors import UnsupportedEventError
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.ledger import Compose, Event, Gaussian, GeneralizedGaussian, NonPrivate


def costliest(events: Iterable[Event]) -> Event:
    """The one of several noisy answers that dominates all others: of one kind of noise, that with the least of it.

    Args:
        events: One an answer, each `Gaussian`, `GeneralizedGaussian` or `NonPrivate`; of gridded ones all equal.

    Raises:
        UnsupportedEventError: If two of them are of different kinds, so that neither is known to dominate.

    >>> from fractions import Fraction
    >>> print(costliest([Gaussian(Fraction(3)), Gaussian(Fraction(2))]))
    gaussian(noise_multiplier=2)
    """
    found: Event = Compose(())
    for event in events:
        found = _costlier(found, event)
    return found


def _costlier(first: Event, second: Event) -> Event:
    match first, second:
        case (Compose(()), other) | (other, Compose(())):
            return other
        case (NonPrivate(), _) | (_, NonPrivate()):
            return NonPrivate()
        case GriddedGaussian(), GriddedGaussian() if first == second:
            return first
        case Gaussian(least), Gaussian(multiplier):
            return Gaussian(min(least, multiplier))
        case GeneralizedGaussian(least, kappa), GeneralizedGaussian(multiplier, same) if kappa == same:
            return GeneralizedGaussian(min(least, multiplier), kappa)
        case _:
            raise UnsupportedEventError(f"of {first} and {second} neither is known to dominate the other")
