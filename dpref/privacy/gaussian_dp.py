r"""The Gaussian-DP parameter of any ledger, certified from above and below.

A ledger is $\mu$-GDP if no test between neighbours does better than one between N(0, 1) and $N(\mu,1)$: if
$\delta(\varepsilon)\le\mathrm H_\mu(\varepsilon)$ for **all** $\varepsilon\ge0$ (negative ones follow), with
$\mathrm H_\mu$ the Gaussian's own privacy profile.  So the least $\mu$ is $\sup_\varepsilon m(\varepsilon)$, where
$\mathrm H_{m(\varepsilon)}(\varepsilon)=\delta(\varepsilon)$.

* *Below*: m at any epsilon, of a lower end of delta.  Of Gaussians on samples from which a record may be removed it is
  known better: far out only the case counts in which the record is in every sample, so that no $\mu$ below that of the
  same answers without sampling suffices.
* *Above, on a range*: between two epsilons delta lies below the chord of its upper ends (it is convex in
  $e^\varepsilon$), and $\mathrm H_\mu$ above its tangent; where the tangent lies above the chord $\mu$ suffices.
* *Above, everywhere*: what lies beyond a range is known where losses end inside of it.  Else the squares of the
  parameters of single answers add up, and a sampled answer has at most that of the answer itself.

Because tails decide, the least $\mu$ of a long training can lie far above the one that describes it wherever delta is
not astronomically small; so the answer has both.

References:
    Dong, Roth and Su, "Gaussian differential privacy", 2022, Corollary 2.13 and Corollary 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, final

from flint import arb

from dpref.checks import instance, open_unit
from dpref.errors import UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.curves import gaussian_curve
from dpref.privacy.closed_forms.divergences import gaussian_delta
from dpref.privacy.directions import Direction, directions
from dpref.privacy.events.factorization import is_factored, squared_mu
from dpref.privacy.events.given import Number, exactly
from dpref.privacy.events.ledger import Event, Gaussian, Ledger, NonPrivate, Poisson, SampleWithoutReplacement
from dpref.privacy.events.matrix import SampledColumn
from dpref.privacy.events.walks import alternatives, assumed, multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.time_limit import checkpoint, time_limit
from dpref.reals import BALL, DEFAULT_PRECISION, ball, exact, float_up, lower, precision, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

METHOD: Final = "Gaussian profiles above and below"
DEFAULT_DELTA: Final = Fraction(1, 10**10)
_CELLS: Final = 32
_SPLITS: Final = 400
_CLOSE: Final = 1e-4  # relative distance of both ends at which nothing more is tried
_NEAR: Final = 1e-9
_NOT_MUCH: Final = 1.5
_SMALLEST, _LARGEST = 2.0**-60, 2.0**60
_LONGEST: Final = 1 << 10  # losses searched for the end of a single answer's


@final
@dataclass(frozen=True)
class GaussianParameter:
    """The least mu for which a ledger is mu-GDP.

    Attributes:
        everywhere: The interval of mu where all epsilons count; its upper end is infinite if no finite one is proved.
        on_range: The interval of mu where epsilons from minus to plus ``range_end`` count.
        range_end: Exact.
        range_delta: Delta there, an upper end: beyond the range delta is no larger.
    """

    everywhere: Interval
    on_range: Interval
    range_end: Fraction
    range_delta: float

    def __str__(self) -> str:
        end, (_, delta) = float(self.range_end), (0.0, self.range_delta)
        return f"{self.everywhere}; where |epsilon| <= {end:.6g} (delta >= {delta:.3g}): {self.on_range}"


def gdp_parameter(
    ledger: Ledger[Any], *, delta: Number = DEFAULT_DELTA, limit: float | Fraction | None = None
) -> GaussianParameter:
    r"""The least $\mu$ for which a ledger is $\mu$-Gaussian-DP, certified from both sides.

    Args:
        ledger: Any events that some accountant supports.
        delta: Down to which delta the range of epsilons reaches, in (0, 1).
        limit: Seconds of processor time; None for any time.

    Returns:
        The interval of mu over all epsilons, and over those up to the epsilon at ``delta``.

    Raises:
        InvalidArgumentError: If delta is out of its domain.
        UnsupportedEventError: If no accountant supports the ledger.
        PrecisionError: If none reaches a certified answer.
        OutOfTimeError: If time is over before the compositions are there.

    >>> from dpref.privacy.events.ledger import RandomizedResponse
    >>> found = gdp_parameter(Ledger(RandomizedResponse(Fraction(1)), ReplaceOne))
    >>> round(found.everywhere.lower, 3), round(found.everywhere.upper, 3)
    (1.232, 1.232)
    """
    instance("ledger", ledger, Ledger)
    d = open_unit("delta", exactly("delta", delta))
    with time_limit(limit):
        end, ended = _end(ledger, d)
        ways = tuple(way for part in directions(ledger, end) for way in part)
        low, high = _on_range(ways, end)
        least, most = _everywhere(ledger)
        high, most = min(high, most), high if ended else most
        found = Interval(min(low, high), high, "mu", METHOD, DEFAULT_PRECISION, ledger.adjacency)
        found = replace(found, assumed=assumed(ledger.event))
        whole = replace(found, lower=min(max(low, least), most), upper=most)
        return GaussianParameter(whole, found, end, 0.0 if ended else max(way.most(end) for way in ways))


def _end(ledger: Ledger[Any], delta: Fraction) -> tuple[Fraction, bool]:
    """The end of the range, and whether no loss lies beyond it: where all losses end, if that is not much farther."""
    found = certify(ledger, delta=delta).upper
    ends = [_losses_of(replace(ledger, event=part)) for part in alternatives(ledger.event)]
    last = max(ends)
    if last <= _NOT_MUCH * found and last < math.inf:
        return exact(last), True
    return exact(found) if 0 < found < math.inf else Fraction(1), False


def _losses_of(ledger: Ledger[Any]) -> float:
    """A sum of losses beyond which there is none; infinite if an answer has no such end."""
    counts = multiplicities(ledger.event)
    ends = ((count, _losses_end(event, ledger.adjacency)) for event, count in counts.items())
    total = Fraction(0)
    for count, end in ends:
        if end is None:
            return math.inf
        total += count * end
    return float_up(total)


def _losses_end(event: Event, adjacency: type[Adjacency]) -> Fraction | None:
    """A loss beyond which a single answer's delta is proved to be zero, near the least one; None if none is found."""
    try:
        found = pairs(event, adjacency)
    except UnsupportedEventError:
        return None
    curves = {id(pair): pair.curve for pair in (found.remove, found.add)}.values()

    def ended(x: Fraction) -> bool:
        with precision(DEFAULT_PRECISION):
            return all(upper(curve(ball(x))[0]) <= 0 for curve in curves)

    if not ended(Fraction(_LONGEST)):
        return None
    low, high = Fraction(0), Fraction(_LONGEST)
    while high - low > high / _LONGEST:
        middle = (low + high) / 2
        low, high = (low, middle) if ended(middle) else (middle, high)
    return high


# ------------------------------------------------------------------------------------ on a range


def _on_range(ways: tuple[Direction, ...], end: Fraction) -> tuple[float, float]:
    """Both ends of the least mu for epsilons from 0 to the end; cells that the goal does not cover are split."""
    most: dict[Fraction, float] = {}
    low = goal = 0.0

    def read(x: Fraction) -> None:
        """Raise both ends to what an epsilon asks for, the upper one with some room for tangents."""
        nonlocal low, goal
        checkpoint(METHOD)
        most[x] = max(way.most(x) for way in ways)
        low = _mu_below(x, max(way.least(x) for way in ways), low)
        goal = max(goal, low * (1 + _CLOSE))
        if not covers(goal, (x, x), (most[x], most[x])):
            goal = _least_covering(goal, (x, x), (most[x], most[x])) * (1 + _CLOSE)

    points = [end * k / _CELLS for k in range(_CELLS + 1)]
    for x in points:
        read(x)
    cells, splits = list(pairwise(points)), 0
    while cells and goal < math.inf:
        left, right = cells.pop()
        if covers(goal, (left, right), (most[left], most[right])):
            continue
        if splits == _SPLITS:
            goal = _least_covering(goal, (left, right), (most[left], most[right]))
            continue
        splits, middle = splits + 1, (left + right) / 2
        read(middle)
        cells += [(left, middle), (middle, right)]
    return low, max(low, goal)


def _mu_below(epsilon: Fraction, delta: float, start: float) -> float:
    """A mu whose delta is proved to be below this one, so that none up to it suffices; or the start."""

    def too_small(mu: float) -> bool:
        with precision(DEFAULT_PRECISION):
            return bool(gaussian_delta(BALL, ball(epsilon), arb(mu)) < arb(delta))

    if delta <= 0 or not too_small(start or _SMALLEST):
        return start
    return _bisected(too_small, start or _SMALLEST)[0]


def covers(mu: float, cell: tuple[Fraction, Fraction], ends: tuple[float, float]) -> bool:
    """Whether a Gaussian's tangent is proved to lie above the chord of two numbers, at both ends of a cell.

    Args:
        mu: The Gaussian's parameter.
        cell: Two epsilons.
        ends: Upper ends of delta there.

    >>> covers(1.01, (Fraction(1), Fraction(9, 8)), (0.1269, 0.1062))
    True
    """
    if max(ends) <= 0:
        return True
    if mu <= 0:
        return False
    with precision(DEFAULT_PRECISION):
        middle, alphas = ball((cell[0] + cell[1]) / 2), [ball(x).exp() for x in cell]
        value, fall = gaussian_curve(BALL, middle, arb(mu))
        return all(value - fall * (a - middle.exp()) >= arb(h) for a, h in zip(alphas, ends, strict=True))


def _least_covering(start: float, cell: tuple[Fraction, Fraction], ends: tuple[float, float]) -> float:
    """About the least mu that covers a cell, from one that does not; infinite if there is none."""
    if max(ends) >= 1:
        return math.inf
    return _bisected(lambda mu: not covers(mu, cell, ends), start or _SMALLEST)[1]


def _bisected(short: Callable[[float], bool], start: float) -> tuple[float, float]:
    """Two numbers, relatively near to each other, of which the first is too short and the second is not."""
    low, high = start, 2 * start
    while short(high):
        low, high = high, 2 * high
        if high > _LARGEST:
            return low, math.inf
    while high - low > _NEAR * high:
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return low, high


# ------------------------------------------------------------------------------------ everywhere


def _everywhere(ledger: Ledger[Any]) -> tuple[float, float]:
    """Both ends that hold for all epsilons, from the answers one by one; 0 and infinity where nothing is known."""
    ends = [_composed(replace(ledger, event=part)) for part in alternatives(ledger.event)]
    return max(low for low, _ in ends), max(high for _, high in ends)


def _composed(ledger: Ledger[Any]) -> tuple[float, float]:
    least, most = Fraction(0), Fraction(0)
    unbounded = False
    for event, count in multiplicities(ledger.event).items():
        if isinstance(event, NonPrivate):
            return math.inf, math.inf
        least += count * _tail(event, ledger.adjacency)
        square = _square(event, ledger.adjacency)
        unbounded |= square is None
        most += count * (square or 0)
    return _root(least, lower), math.inf if unbounded else _root(most, upper)


def _root(square: Fraction, end: Callable[[arb], float]) -> float:
    with precision(DEFAULT_PRECISION):
        return max(0.0, end(BALL.sqrt(ball(square))))


def _tail(event: Event, adjacency: type[Adjacency]) -> Fraction:
    """A mu squared below which the far tail of one answer's losses does not fit; zero if nothing is known."""
    if gaussian.supports(event):
        return gaussian.attained_gdp(Ledger(event, adjacency))
    match event:
        case Poisson(event=Gaussian(multiplier)) if adjacency is not ReplaceOne:
            return 1 / multiplier**2
        case SampleWithoutReplacement(event=Gaussian(multiplier)) if adjacency is AddOrRemoveOne:
            return 4 / multiplier**2
        case SampledColumn() if adjacency is not ReplaceOne:
            return squared_mu(event, adjacency).attained
        case _:
            return squared_mu(event, adjacency).attained if is_factored(event) else Fraction(0)


def _square(event: Event, adjacency: type[Adjacency]) -> Fraction | None:
    """A mu squared that one answer has at most, or None."""
    if gaussian.supports(event) or isinstance(event, SampledColumn):
        one = squared_mu(event, adjacency) if isinstance(event, SampledColumn) else None
        return one.squared if one else gaussian.gdp(Ledger(event, adjacency)).value
    match event:
        case Poisson(inner):
            return _square(inner, adjacency)
        case SampleWithoutReplacement(Gaussian(multiplier)) if adjacency is AddOrRemoveOne:
            return 4 / multiplier**2
        case SampleWithoutReplacement(inner) if adjacency is not AddOrRemoveOne:
            return _square(inner, adjacency)
    end = _losses_end(event, adjacency)
    if end is None:
        return None
    ways = tuple(way for part in directions(Ledger(event, adjacency), end) for way in part)
    high = _on_range(ways, end)[1]
    return exact(high) ** 2 if high < math.inf else None
