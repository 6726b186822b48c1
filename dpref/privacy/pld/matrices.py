"""Dominating pairs of matrix mechanisms, and of the rounds of banded ones with cyclic Poisson sampling."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from flint import arb

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.curves import gaussian_curve
from dpref.privacy.closed_forms.three_laws import poisson_replaced
from dpref.privacy.events.factorization import squared_mu
from dpref.privacy.events.matrix import Factored, SampledColumn
from dpref.privacy.pld.pair import Pair, PairSet
from dpref.privacy.pld.sampling import poisson
from dpref.reals import BALL, ball
from dpref.units import Adjacency, ReplaceOne

_LONGEST_BITS: Final = 1 << 10  # of a number that is written out


def matrix_pairs(event: Factored | SampledColumn, adjacency: type[Adjacency]) -> PairSet:
    """One Gaussian answer of the event's squared sensitivity; of a round, to a Poisson sample.

    Under replace-one the two records' columns lie opposite to each other, at the same distance from an absent one's.

    Args:
        event: A matrix mechanism without sampling, or a round.
        adjacency: The neighbouring relation.

    Raises:
        UnsupportedEventError: If the mechanism is sampled: it is then a composition of rounds.

    >>> from dpref.privacy.events.matrix import TreeGaussian
    >>> matrix_pairs(TreeGaussian(Fraction(2), 8), ReplaceOne).remove.name
    'tree_gaussian(noise_multiplier=2, leaves=8, min_separation=1, padded=false), mu^2 = 120'
    """
    if getattr(event, "rate", None) is not None and not isinstance(event, SampledColumn):
        raise UnsupportedEventError(f"{event} under {adjacency.name}: it is a composition of rounds")
    found = squared_mu(event, adjacency)
    if isinstance(event, SampledColumn) and adjacency is ReplaceOne and event.rate < 1:
        bound = _replaced(event, found.squared)
        attained = bound if found.exact else _replaced(event, found.attained) if found.attained else None
        return PairSet(bound, bound, attained, attained)
    bound = _gaussian(event, found.squared)
    attained = bound if found.exact else _gaussian(event, found.attained) if found.attained else None
    plain = PairSet(bound, bound, attained, attained)
    return poisson(str(event), plain, event.rate) if isinstance(event, SampledColumn) else plain


def _gaussian(event: Factored | SampledColumn, mu_squared: Fraction) -> Pair:
    def curve(x: arb) -> tuple[arb, arb]:
        return gaussian_curve(BALL, x, BALL.sqrt(ball(mu_squared)))

    long = max(mu_squared.numerator, mu_squared.denominator).bit_length() > _LONGEST_BITS
    shown = ball(mu_squared).str(10, radius=False) if long else str(mu_squared)
    return Pair(f"{event}, mu^2 = {shown}", curve, smooth=True)


def _replaced(event: SampledColumn, squared_diameter: Fraction) -> Pair:
    def curve(x: arb) -> tuple[arb, arb]:
        return poisson_replaced(ball(event.rate), BALL.sqrt(ball(squared_diameter / 4)), x)

    return Pair(f"{event}, replaced", curve, smooth=True)
