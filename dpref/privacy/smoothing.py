r"""The accountant of gridded answers: those of continuous noise of nearby variances, through the smoothing lemma.

`dpref.privacy.closed_forms.smoothing` puts a ledger of discrete Gaussian answers between two ledgers of continuous
ones.  Both are asked of the other accountants, and their answers moved outward by the factor $e^{\pm H}$ and the shift
$2H$.  With $s^2=4$ a coordinate of an answer adds $2\cdot10^{-34}$ to H.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

from dpref.checks import open_unit, rational
from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.roots import rational_root
from dpref.privacy.closed_forms.smoothing import distortion, larger_variance, smaller_variance, theta_excess
from dpref.privacy.events.discrete import DiscreteGaussian
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.pld.pairs import LARGEST_SIGMA
from dpref.privacy.pld.pairs import supports as has_pair
from dpref.reals import BALL, RATIONAL, Exact, ball, exact, float_down, float_up, precision, upper
from dpref.units import Adjacency

METHOD: Final = "smoothing"
SMOOTHING: Final = Fraction(4)  # s^2
_BITS: Final = 256
_LARGEST_LOG: Final = 700  # e^H must be a double

Variance = Callable[[Any, Fraction, Fraction], Fraction]


class _Between(NamedTuple):
    """A ledger of gridded answers between two of continuous ones.

    Attributes:
        below: With less noise.
        above: With more noise, and moves that integers attain.
        shift: 2H, rounded up.
        factor: e^H, rounded up.
    """

    below: Ledger[Any]
    above: Ledger[Any]
    shift: Fraction
    factor: Fraction


def gridded(event: Event) -> GriddedGaussian | None:
    """The gridded answer of a mechanism event, on a random sample or not; None if it is none.

    A discrete Gaussian answer is one where its sums are too long to be added up.

    >>> gridded(Gaussian(Fraction(1))) is None
    True
    """
    while isinstance(event, Poisson | SampleWithoutReplacement):
        event = event.event
    if isinstance(event, DiscreteGaussian) and event.sigma > LARGEST_SIGMA:
        return GriddedGaussian(event.sigma, event.sensitivity**2)
    return event if isinstance(event, GriddedGaussian) else None


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether a mechanism event is a gridded answer whose noise is wide enough, sampled in a way that has a theorem.

    >>> from dpref.units import ReplaceOne
    >>> supports(GriddedGaussian(Fraction(100), 1), ReplaceOne), supports(GriddedGaussian(Fraction(2), 1), ReplaceOne)
    (True, False)
    """
    found = gridded(event)
    if found is None or found.sigma**2 <= SMOOTHING:
        return False
    return has_pair(_continuous(event, _below), adjacency)


def epsilon(ledger: Ledger[Any], delta: Exact) -> Interval:
    r"""$\varepsilon(\delta)$ of a ledger of gridded answers, certified.

    Args:
        ledger: Gridded answers alone.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Raises:
        InvalidArgumentError: If delta is out of its domain or a float.
        UnsupportedEventError: If another event is in the ledger, or noise is too narrow.

    >>> from dpref.units import ReplaceOne
    >>> print(epsilon(Ledger(GriddedGaussian(Fraction(2**20), 2**40), ReplaceOne), Fraction(1, 10**6)))
    epsilon in [4.886554117, 4.886554118]
    """
    d, between = open_unit("delta", delta), _between(ledger)
    below, above = float_down(d / between.factor), d * between.factor
    if below <= 0:
        raise PrecisionError(f"{METHOD}: delta = {float(d)!r} is too small")
    most = certify(between.below, delta=exact(below))
    high = float_up(exact(most.upper) + between.shift) if math.isfinite(most.upper) else math.inf
    if above >= 1:
        return _interval(0.0, high, most, most)
    least = certify(between.above, delta=above)
    low = float_down(exact(least.lower) - between.shift) if math.isfinite(least.lower) else high
    return _interval(max(0.0, low), high, most, least)


def delta(ledger: Ledger[Any], epsilon: Exact) -> Interval:
    r"""$\delta(\varepsilon)$ of a ledger of gridded answers, certified; as `epsilon`.

    Below $\varepsilon=2H$ the upper end is $e^H(\delta(\varepsilon)+e^{2H}-1)$: lowering epsilon by x raises
    delta by at most $e^x-1$.

    >>> from dpref.units import ReplaceOne
    >>> print(delta(Ledger(GriddedGaussian(Fraction(2**20), 2**40), ReplaceOne), 1))
    delta in [0.1269367375, 0.1269367376]
    """
    e, between = rational("epsilon", epsilon), _between(ledger)
    near = e < between.shift
    most = certify(between.below, epsilon=e if near else e - between.shift)
    slack = between.factor**2 - 1 if near else 0
    high = float_up(min(Fraction(1), between.factor * (exact(most.upper) + slack)))
    least = certify(between.above, epsilon=e + between.shift)
    return _interval(float_down(exact(least.lower) / between.factor), high, most, least)


def _interval(low: float, high: float, most: Interval, least: Interval) -> Interval:
    """What is left of both answers; its slack is its width, as nothing attains the continuous ones."""
    slack = 0.0 if low >= high else math.nextafter(high - low, math.inf)
    method = f"{METHOD}, {most.method}" if most.method == least.method else f"{METHOD}, {least.method}; {most.method}"
    return replace(
        most, lower=min(low, high), upper=high, method=method, slack=slack if math.isfinite(slack) else 0.0,
        precision=max(most.precision, least.precision), wide=most.wide or least.wide,
    )  # fmt: skip


def _between(ledger: Ledger[Any]) -> _Between:
    counts = multiplicities(ledger.event)
    coordinates = 0
    for event, count in counts.items():
        found = gridded(event)
        if found is None or found.sigma**2 <= SMOOTHING:
            raise UnsupportedEventError(f"{METHOD}: {event} is no gridded answer of noise above {SMOOTHING}")
        coordinates += count * found.dimension
    with precision(_BITS):
        eta = distortion(BALL, theta_excess(BALL, ball(SMOOTHING)))
        total = exact(upper(eta * coordinates))
        if total > _LARGEST_LOG:
            raise PrecisionError(f"{METHOD}: too many coordinates, whose factor e^H is beyond a double")
        factor = exact(upper(ball(total).exp()))

    def continuous(nearby: Callable[[GriddedGaussian], Fraction]) -> Ledger[Any]:
        events = tuple(Repeat(_continuous(event, nearby), count) for event, count in counts.items())
        return Ledger(events[0] if len(events) == 1 else Compose(events), ledger.adjacency)

    return _Between(continuous(_below), continuous(_above), 2 * total, factor)


def _continuous(event: Event, nearby: Callable[[GriddedGaussian], Fraction]) -> Event:
    """The event with a continuous answer in place of the gridded one."""
    if isinstance(event, Poisson | SampleWithoutReplacement):
        return replace(event, event=_continuous(event.event, nearby))
    found = gridded(event)
    return event if found is None else Gaussian(nearby(found))


def _below(event: GriddedGaussian) -> Fraction:
    """The noise multiplier of the continuous answer that it is made of, rounded down."""
    return rational_root(smaller_variance(RATIONAL, event.sigma**2, SMOOTHING) / event.squared_sensitivity, up=False)


def _above(event: GriddedGaussian) -> Fraction:
    """The noise multiplier of the continuous answer that can be made of it, rounded up.

    The largest sum of that many squares is not known to be attained below four of them (Lagrange): one square is.
    """
    moves = event.squared_sensitivity
    attained = moves if event.dimension >= 4 else math.isqrt(moves) ** 2
    return rational_root(larger_variance(RATIONAL, event.sigma**2, SMOOTHING) / attained, up=True)
