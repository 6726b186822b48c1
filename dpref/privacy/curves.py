r"""Whole curves of a ledger, certified from both sides: the privacy profile and the trade-off function.

The privacy profile is $\delta(\varepsilon)$ at every real $\varepsilon$, the larger of the curves $h$ of all directions
(`dpref.privacy.directions`).  The trade-off function of a direction is the least type II error of a test between the
data sets at each type I error (the null hypothesis is the data set whose law stands second in $h$: without the record
where it is removed), and by duality

$$f(a) = \sup_{x\in\mathbb R}\ 1-h(x)-e^xa .$$

* *Lower end.* Every single x bounds f from below, with any upper end of h: whatever x is tried, the bound holds.  The
  best one is where h, as a function of $e^x$, has the slope $-a$.
* *Upper end.* Where neighbours attain a pair (or what it dominates), its test "loss above x" has errors
  $(a_x, b_x)$, both rounded up.  Their trade-off function is convex: between two such points it lies below the chord.

Of two directions each function is the inverse of the other one, so that a point $(a,b)$ of one is a point $(b,a)$ of
the other; a mechanism's own function is the smaller of both at each a.

References:
    Dong, Roth and Su, "Gaussian differential privacy", 2022, Proposition 2.12.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Final, final

from dpref.checks import instance
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.accountants import BEST, accountant_named, certify
from dpref.privacy.composed import Measure
from dpref.privacy.directions import Direction, directions
from dpref.privacy.events.given import Number, exactly
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.events.walks import assumed
from dpref.privacy.interval import Interval
from dpref.privacy.time_limit import time_limit
from dpref.reals import DEFAULT_PRECISION, ball, exact, float_up, lower, precision

_MOST_POINTS: Final = 10_000
_FARTHEST: Final = Fraction(10) ** 6
_BEYOND: Final = 1000  # a loss at which delta is so many times less than the least error asked for says no more of it
_SPARE: Final = Fraction(5, 4)  # losses may end a little farther, and their last atom counts
_LEAST_ERROR: Final = Fraction(1, 10**300)
FIRST, SECOND = 0, 1  # of the two errors of a test
_HALVED: Final = 4  # each so many-th step of a search halves
_MARGIN: Final = 6
_LEAST_SCORED: Final = 1e-300
_UNIT: Final = 2.0**-53
_ROUGH: Final = "renyi"  # knows about how far losses reach
_FARTHER: Final = (1, 2, 4, 8, 16)


@final
@dataclass(frozen=True)
class Band:
    """Certified ends of a curve at some points: doubles, one for each.

    Attributes:
        lower: Not above the curve.
        upper: Not below it.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        for low, high in zip(self.lower, self.upper, strict=True):
            if not low <= high:
                raise PrecisionError(f"the certified ends of a curve contradict each other: [{low}, {high}]")

    def __len__(self) -> int:
        return len(self.lower)


@final
@dataclass(frozen=True)
class CertifiedCurve:
    """A curve of a ledger at some points.

    Attributes:
        ledger: Whose.
        quantity: ``"delta"`` or ``"type ii error"``.
        points: Epsilons, or type I errors, exact, in increasing order.
        band: The ledger's own: the larger delta, or the smaller error, of all directions.
        directions: The same of each direction, by its name: removed and added, or replaced.
        method: How the compositions were computed.
        precision: In bits.
        assumed: The names of the events whose spending is assumed.
    """

    ledger: Ledger[Any]
    quantity: str
    points: tuple[Fraction, ...]
    band: Band
    directions: Mapping[str, Band]
    method: str
    precision: int
    assumed: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.points)

    def intervals(self) -> tuple[Interval, ...]:
        """The band as one interval for each point.

        >>> from dpref.privacy.events.ledger import Gaussian
        >>> from dpref.units import ReplaceOne
        >>> print(privacy_profile(Ledger(Gaussian(Fraction(1)), ReplaceOne), [1]).intervals()[0])
        delta in [0.1269367375, 0.1269367376]
        """
        adjacency = self.ledger.adjacency
        return tuple(
            Interval(low, high, self.quantity, self.method, self.precision, adjacency, assumed=self.assumed)
            for low, high in zip(self.band.lower, self.band.upper, strict=True)
        )


# ------------------------------------------------------------------------------------ the privacy profile


def privacy_profile(
    ledger: Ledger[Any], epsilons: Iterable[Number], *, limit: float | Fraction | None = None
) -> CertifiedCurve:
    r"""$\delta(\varepsilon)$ of a ledger at many epsilons, certified, from compositions that all of them share.

    Args:
        ledger: Any events that some accountant supports.
        epsilons: Numbers of any sign, exact, text, or floats, which are read as the decimal that they print.
        limit: Seconds of processor time; None for any time.

    Returns:
        Delta at each epsilon, in increasing order: the least one for which no neighbours have
        $P(S)>e^\varepsilon Q(S)+\delta$.

    Raises:
        InvalidArgumentError: If there is no epsilon, or one is beyond a million in size.
        UnsupportedEventError: If no accountant supports the ledger.
        PrecisionError: If none reaches a certified answer.
        OutOfTimeError: If time is over before the compositions are there.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ReplaceOne
    >>> [round(x, 6) for x in privacy_profile(Ledger(Gaussian(Fraction(1)), ReplaceOne), [-1, 0, 1]).band.upper]
    [0.678818, 0.382925, 0.126937]
    """
    instance("ledger", ledger, Ledger)
    points = _points("epsilons", epsilons, -_FARTHEST, _FARTHEST)
    farthest = max(map(abs, points))
    with time_limit(limit):
        found = directions(ledger, farthest)
        return _curve(ledger, "delta", points, found, max, lambda way: _profile(way, points))


def _profile(direction: Direction, points: Sequence[Fraction]) -> Band:
    trivial = [0.0 if x >= 0 else _least_of_all(x) for x in points]
    lows = [max(direction.least(x), least) for x, least in zip(points, trivial, strict=True)]
    return Band(tuple(lows), tuple(max(direction.most(x), low) for x, low in zip(points, lows, strict=True)))


def _least_of_all(loss: Fraction) -> float:
    """What every profile is at least: one less e to a negative loss."""
    with precision(DEFAULT_PRECISION):
        return max(0.0, lower(-ball(loss).expm1()))


# ------------------------------------------------------------------------------------ the trade-off function


def tradeoff_curve(
    ledger: Ledger[Any], alphas: Iterable[Number], *, limit: float | Fraction | None = None
) -> CertifiedCurve:
    r"""The trade-off function of a ledger at many type I errors, certified from both sides.

    Args:
        ledger: Any events that some accountant supports.
        alphas: Type I errors in [0, 1], exact, text, or floats, which are read as the decimal that they print.
        limit: Seconds of processor time; None for any time.

    Returns:
        The least type II error at each of them, in increasing order.  No test between neighbours has less than the
        lower end; some test between some neighbours has at most the upper one.

    Raises:
        InvalidArgumentError: If there is no type I error, or one is outside of [0, 1].
        UnsupportedEventError: If no accountant supports the ledger.
        PrecisionError: If none reaches a certified answer.
        OutOfTimeError: If time is over before the compositions are there.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ReplaceOne
    >>> found = tradeoff_curve(Ledger(Gaussian(Fraction(1)), ReplaceOne), ["0.05"])
    >>> round(found.band.lower[0], 12), round(found.band.upper[0], 12)
    (0.740488977159, 0.740488977159)
    """
    instance("ledger", ledger, Ledger)
    points = _points("alphas", alphas, Fraction(0), Fraction(1))
    errors = [x for a in points for x in (a, 1 - a) if x > 0]
    least = max(min(errors), _LEAST_ERROR)
    with time_limit(limit):
        reach = _reach(ledger, least)
        found = directions(ledger, reach)
        return _curve(ledger, "type ii error", points, found, min, lambda way: _tradeoff(way, points, reach))


def _reach(ledger: Ledger[Any], least: Fraction) -> Fraction:
    """The largest loss that matters for type I errors of at least this: where slopes are as steep, or delta is tiny."""
    steepest = Fraction(math.ceil(-math.log(least.numerator) + math.log(least.denominator)) + 1)
    quick = BEST if accountant_named(_ROUGH).refused(ledger) else _ROUGH
    try:
        found = certify(ledger, delta=min(Fraction(1, 2), least / _BEYOND), accountant=quick)
    except PrecisionError:
        return steepest
    return min(steepest, _SPARE * exact(found.upper)) if found.upper < math.inf else steepest


def _tradeoff(direction: Direction, points: Sequence[Fraction], reach: Fraction) -> Band:
    lows = tuple(_no_test_below(direction, a, reach) for a in points)
    highs = tuple(_some_test_at(direction, a, reach) for a in points)
    return Band(lows, highs)


def _no_test_below(direction: Direction, a: Fraction, reach: Fraction) -> float:
    """The best of all tangents that were tried."""
    tried = {Fraction(0)} if a else {k * reach for k in _FARTHER}  # without false alarms no loss is too far
    for measure in direction.above:
        tried.update(_bracket(measure, FIRST, a, reach))
    for measure in direction.opposite_above:
        tried.update(-x for x in _bracket(measure, SECOND, a, reach))
    with precision(DEFAULT_PRECISION):
        found = (lower(1 - ball(exact(direction.most(x))) - ball(x).exp() * ball(a)) for x in tried)
        return max(0.0, *found)


def _some_test_at(direction: Direction, a: Fraction, reach: Fraction) -> float:
    """The lowest of all chords between tests, those of the other direction with their errors exchanged."""
    own = ([measure.test(x) for x in _bracket(measure, FIRST, a, reach)] for measure in direction.below)
    exchanged = (
        [measure.test(x)[::-1] for x in _bracket(measure, SECOND, a, reach)] for measure in direction.opposite_below
    )
    return float_up(max(Fraction(0), min((_chord(ends, a) for ends in (*own, *exchanged)), default=1 - a)))


def _bracket(measure: Measure, which: int, a: Fraction, reach: Fraction) -> tuple[Fraction, ...]:
    """Neighbouring losses at which the measure may bend, around the one where an error of its tests passes a.

    Some on either side of it, since at an atom itself a test may be known badly; where the error passes a nowhere up to
    the reach, they lie there.  Where they lie decides how good a bound is, never whether it holds.
    """
    goal = _normal_score(float(a))
    sign = -1 if which == FIRST else 1

    def at(index: int) -> Fraction:
        return measure.origin + index * measure.step

    def excess(index: int) -> float:
        """Increasing, and for Gaussian losses linear."""
        return sign * (_normal_score(measure.test(at(index))[which]) - goal)

    low = math.floor((-reach - measure.origin) / measure.step)
    high = math.ceil((reach - measure.origin) / measure.step)
    at_low, at_high = excess(low), excess(high)
    if at_low >= 0:
        high = low
    elif at_high < 0:
        low = high
    steps = 0
    while high - low > 1:
        steps += 1
        share = 0.5 if steps % _HALVED == 0 or not at_high > at_low else -at_low / (at_high - at_low)
        margin = max(1, (high - low) >> _MARGIN)
        middle = min(max(low + math.floor(share * (high - low)), low + margin), high - margin)
        value = excess(middle)
        if value >= 0:
            high, at_high, at_low = middle, value, at_low / 2  # the end that stays counts half: both come nearer
        else:
            low, at_low, at_high = middle, value, at_high / 2
    return tuple(at(high + k) for k in range(-2, 2))


def _normal_score(error: float) -> float:
    """The quantile of an error, roughly."""
    return NormalDist().inv_cdf(min(max(error, _LEAST_SCORED), 1 - _UNIT))


def _chord(ends: Sequence[tuple[float, float]], a: Fraction) -> Fraction:
    """The convex function through two tests, that which always says no and that which always says yes, at a."""
    corners = sorted([(Fraction(0), Fraction(1)), *((exact(x), exact(y)) for x, y in ends), (Fraction(1), Fraction(0))])
    best = Fraction(1)
    for i, (left, high) in enumerate(corners):
        for right, low in corners[i:]:
            if left <= a <= right:
                best = min(best, high if left == right else high + (low - high) * (a - left) / (right - left))
    return best


# ------------------------------------------------------------------------------------ both


def _points(argument: str, given: Iterable[Number], least: Fraction, most: Fraction) -> tuple[Fraction, ...]:
    points = tuple(sorted({exactly(argument, value) for value in given}))
    if not 0 < len(points) <= _MOST_POINTS:
        raise InvalidArgumentError(argument, len(points), f"must be at least one number and at most {_MOST_POINTS}")
    outside = [x for x in points if not least <= x <= most]
    if outside:
        raise InvalidArgumentError(argument, outside[0], f"must lie in [{least}, {most}]")
    return points


def _curve(
    ledger: Ledger[Any],
    quantity: str,
    points: tuple[Fraction, ...],
    found: tuple[tuple[Direction, ...], ...],
    worst: Callable[..., float],
    read: Callable[[Direction], Band],
) -> CertifiedCurve:
    """Of parallel parts and of directions the worst."""
    bands: dict[str, list[Band]] = {}
    for direction in (direction for part in found for direction in part):
        bands.setdefault(direction.name, []).append(read(direction))
    each = {name: _worst(made, worst) for name, made in bands.items()}
    methods = dict.fromkeys(m.method for m in _measures(found))
    bits = max(m.precision for m in _measures(found))
    whole = _worst(list(each.values()), worst)
    return CertifiedCurve(ledger, quantity, points, whole, each, "; ".join(methods), bits, assumed(ledger.event))


def _measures(found: tuple[tuple[Direction, ...], ...]) -> Iterator[Measure]:
    return (m for part in found for direction in part for m in (*direction.above, *direction.below))


def _worst(bands: Sequence[Band], worst: Callable[..., float]) -> Band:
    lows, highs = (zip(*(getattr(band, end) for band in bands), strict=True) for end in ("lower", "upper"))
    return Band(tuple(map(worst, map(list, lows))), tuple(map(worst, map(list, highs))))
