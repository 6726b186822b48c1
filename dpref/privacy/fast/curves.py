r"""The fast path for dominating pairs that are known by their curve alone, and are smooth.

`dpref.privacy.pld.discretisation` puts each pair on a grid in balls, once above and once below; the fast path composes
these masses in doubles with proved errors.  Other than there, the grid is not refined until both ends meet: what bounds
such an answer need not be attained.  Its points lie where the composition's losses weigh most
(`dpref.privacy.fast.placement`), so that a few hundred values of each curve are enough.

A pair is *smooth* if no loss but perhaps zero has a mass of its own: every fine grid holds it closely.  Of any other
pair the bounds here would hold as well, but `dpref.privacy.pld.accountant` puts its atoms where they are.

References:
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots: tighter discrete approximations of privacy loss
    distributions", 2022.
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias, final

import numpy as np

from dpref.checks import open_unit, positive_rational
from dpref.errors import DprefError, PrecisionError, UnsupportedEventError
from dpref.privacy.events.guarantees import Approximate, Profile
from dpref.privacy.events.ledger import (
    Event,
    Gaussian,
    Ledger,
    Poisson,
    SampleWithoutReplacement,
    VarianceReducedGaussian,
)
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.fast.accountant import Side
from dpref.privacy.fast.doubles import in_doubles, loss_in_doubles
from dpref.privacy.fast.exp import UNIT
from dpref.privacy.fast.fft import BITS
from dpref.privacy.fast.measure import Cumulants, GridMeasure
from dpref.privacy.fast.placement import Tilted, place
from dpref.privacy.interval import Interval
from dpref.privacy.pld.discretisation import Grid, gathered_below, range_of, spread_above
from dpref.privacy.pld.pair import Pair, PairSet
from dpref.privacy.pld.pairs import gaussian_pair, pairs
from dpref.privacy.time_limit import checkpoint
from dpref.reals import Exact, float_down, float_up
from dpref.units import Adjacency, ReplaceOne, ZeroOut

METHOD: Final = "fast privacy loss distribution of curves"
DEFAULT_WIDTH: Final = Fraction(1, 2000)
EQUAL_WIDTH: Final = Fraction(1, 250)  # of cells that are equal away from zero
_FIRST_CELLS: Final = 32
_MOST_CELLS: Final = 1 << 11
_SPARE_BITS: Final = 40
_LEAST_DOUBLE_BITS: Final = 1075  # below 2**-1074 a delta is shown as less than the least double
_GRID_BITS: Final = 6
_MOST_HALVINGS: Final = 6  # of the step near zero
_FINER: Final = 4  # steps there for each loss as large as the rate
_CORE: Final = 3
_PARTS: Final = 4  # of the losses that a curve is asked at

Parts: TypeAlias = tuple[tuple[Pair, int], ...]
_Sampled: TypeAlias = VarianceReducedGaussian | SampleWithoutReplacement | Poisson


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether a ledger may hold an event: one whose pairs are smooth, so that every fine grid holds them closely.

    A guarantee, whose pair has atoms, may stand beside smooth ones.

    >>> supports(VarianceReducedGaussian(Fraction(2), batch=1, records=10), ReplaceOne)
    True
    """
    try:
        found = pairs(event, adjacency)
    except DprefError:
        return False
    return found.smooth or isinstance(event, Approximate | Profile)


def epsilon(ledger: Ledger[Any], delta: Exact, *, width: Exact = DEFAULT_WIDTH) -> Interval:
    r"""$\varepsilon(\delta)$ of a ledger of smooth pairs, certified.

    Args:
        ledger: Events that `supports` takes under the ledger's adjacency.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        width: About how much the grid may add to the upper end, relatively.

    Returns:
        An interval that holds the least epsilon of the worst answers; its lower end belongs to the pairs that are
        attained (of variance-reduced answers by a record whose gradient at every iterate is opposite to that at the
        snapshot: an algorithm's own answers may spend less).

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        UnsupportedEventError: If an event is not supported under the ledger's adjacency, or there is none.
        PrecisionError: If a loss does not fit on a grid, or doubles do not suffice.

    >>> from dpref.privacy.events.ledger import Repeat
    >>> steps = Repeat(VarianceReducedGaussian(Fraction(3), batch=1, records=10), 2)
    >>> 0 < epsilon(Ledger(steps, ReplaceOne), Fraction(1, 20), width=Fraction(1, 20)).upper < 0.5
    True
    """
    d, w = open_unit("delta", delta), positive_rational("width", width)
    with in_doubles():
        found = _placed(ledger, w, _tilted_for(d))
        high = max(side.epsilon(d)[1] for side in found.above())
        low = min(high, _largest(found.below(), lambda side: side.epsilon(d)[0]))
        return _interval(low, high, "epsilon", ledger)


def epsilon_above(ledger: Ledger[Any], delta: Exact, *, width: Exact = EQUAL_WIDTH) -> float:
    """The upper end of epsilon alone, on a grid of equal cells: it changes evenly with the noise, as a search wants.

    >>> event = VarianceReducedGaussian(Fraction(3), batch=1, records=10)
    >>> epsilon_above(Ledger(event, ReplaceOne), Fraction(1, 20), width=Fraction(1, 20)) < 0.5
    True
    """
    d, w = open_unit("delta", delta), positive_rational("width", width)
    with in_doubles():
        return max(side.epsilon(d)[1] for side in _grid(ledger, w, _tilted_for(d)).above())


def composes(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether `epsilon_above` may be asked for a ledger with an event.

    >>> composes(SampleWithoutReplacement(Gaussian(Fraction(1)), 1, 10), ReplaceOne)
    True
    """
    match event:
        case Poisson(event=Gaussian(), contribution="ball"):
            return adjacency is ReplaceOne
        case SampleWithoutReplacement(event=Gaussian()):
            return adjacency is ReplaceOne
        case _:
            return isinstance(event, Gaussian | VarianceReducedGaussian) and adjacency in {ReplaceOne, ZeroOut}


def _tilted_for(delta: Fraction) -> Tilted:
    goal = math.log(delta.numerator) - math.log(delta.denominator)
    return lambda rough: (rough.tilt_for_delta(goal), goal)


def delta(ledger: Ledger[Any], epsilon: Exact, *, width: Exact = DEFAULT_WIDTH) -> Interval:
    r"""$\delta(\varepsilon)$ of a ledger of smooth pairs, certified; as `epsilon`.

    Args:
        ledger: As for `epsilon`.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.
        width: As for `epsilon`.

    >>> event = VarianceReducedGaussian(Fraction(3), batch=1, records=10)
    >>> 0 < delta(Ledger(event, ReplaceOne), 1, width=Fraction(1, 20)).upper < 0.01
    True
    """
    e, w = loss_in_doubles(epsilon), positive_rational("width", width)
    with in_doubles():
        found = _placed(ledger, w, _tilted_to(e))
        high = max(side.delta(e)[1] for side in found.above())
        low = min(high, _largest(found.below(), lambda side: side.delta(e)[0]))
        return _interval(low, high, "delta", ledger)


def composed(
    ledger: Ledger[Any], loss: Exact, *, width: Exact = DEFAULT_WIDTH
) -> tuple[tuple[Side, ...], tuple[Side, ...]]:
    """The compositions that bound from above and from below, one a direction, on a grid for all losses up to one.

    A direction of which nothing is attained has a side without factors.

    Args:
        ledger: As for `epsilon`.
        loss: The farthest one that is asked for, exact, not negative.
        width: As for `epsilon`.
    """
    e, w = loss_in_doubles(loss), positive_rational("width", width)
    with in_doubles():
        found = _placed(ledger, w, *(_tilted_to(e * k / _PARTS) for k in range(_PARTS + 1)))
        return tuple(found.above()), tuple(found.each_below())


def _tilted_to(loss: Fraction) -> Tilted:
    def tilted(rough: Cumulants) -> tuple[float, float]:
        tilt = rough.tilt_for_loss(float(loss))
        return tilt, min(-1.0, rough.log_delta(tilt)[0])

    return tilted


def _largest(sides: list[Side], read: Callable[[Side], float]) -> float:
    """The largest lower end; a side that no double tilts to where the question is says nothing."""
    found = 0.0
    for side in sides:
        try:
            found = max(found, read(side))
        except PrecisionError:
            continue
    return found


def _interval(low: float, high: float, quantity: str, ledger: Ledger[Any]) -> Interval:
    slack = math.nextafter(high - low, math.inf) if low < high < math.inf else 0.0
    return Interval(low, high, quantity, METHOD, BITS, ledger.adjacency, slack)


@final
@dataclass(frozen=True)
class _Gridded:
    """A ledger's pairs, with the grid to put each on; all have one step."""

    pairs: list[tuple[PairSet, int]]
    grid: Callable[[Pair], Grid]

    def above(self) -> list[Side]:
        """Compositions that bound from above, one for each direction."""
        return self._sides(_above(self.pairs), above=True)

    def below(self) -> list[Side]:
        """Compositions that bound from below: of the directions of which anything is attained."""
        return [side for side in self.each_below() if side.factors]

    def each_below(self) -> list[Side]:
        """The same, one for each direction; without factors where nothing is attained, or left of it on the grid."""
        sides = []
        for parts in _below(self.pairs):
            try:
                sides += self._sides((parts,), above=False)
            except PrecisionError:
                sides.append(Side(()))
        return sides

    def _sides(self, directions: tuple[Parts, ...], *, above: bool) -> list[Side]:
        made: dict[int, GridMeasure] = {}
        for pair, _ in (part for parts in directions for part in parts):
            checkpoint(METHOD)
            if id(pair) not in made:
                made[id(pair)] = _measure(pair, self.grid(pair), above=above)
        return [Side(tuple((made[id(pair)], k) for pair, k in parts)) for parts in directions]


def _placed(ledger: Ledger[Any], width: Fraction, *tilts: Tilted) -> _Gridded:
    """Grids whose points lie where the losses of the composition weigh most."""
    found = _pairs(ledger, supports)
    above, below = _above(found), _below(found)
    reach = max(range_of(pair, _SPARE_BITS) for parts in (*above, *below) for pair, _ in parts)
    placement = place(above, tuple(filter(None, below)), reach, tilts, float(width))
    bits = _bits(placement.log_delta, found)
    return _Gridded(found, lambda pair: Grid(placement.step, bits, points=placement.points[id(pair)]))


def _bits(log_delta: float, found: list[tuple[PairSet, int]]) -> int:
    """The unit of masses: what all of them lose to rounding and beyond the grid is little of delta or of a double."""
    small = math.ceil(min(-log_delta / math.log(2), _LEAST_DOUBLE_BITS))
    return small + sum(k for _, k in found).bit_length() + _SPARE_BITS


def _grid(ledger: Ledger[Any], width: Fraction, tilted: Tilted) -> _Gridded:
    """One grid that is fine enough for the width: about how much it may add to epsilon, relatively."""
    w = float(width)
    found = _pairs(ledger, composes)
    count = sum(k for _, k in found)
    reach = max(range_of(pair, _SPARE_BITS) for p, _ in found for pair in (p.remove, p.add))
    coarse = Grid(_short(reach / _FIRST_CELLS), 2 * _SPARE_BITS)
    rough = [Cumulants.of(side.factors) for side in _Gridded(found, lambda _: coarse).above()]
    tilts = [tilted(cumulants) for cumulants in rough]
    losses = [cumulants.at(tilt)[1] for cumulants, (tilt, _) in zip(rough, tilts, strict=True)]
    tilt, least = max(t for t, _ in tilts), min(d for _, d in tilts)
    # Spreading adds a variance of about h^2/6 + h^2/12 a step, which moves epsilon by (1 + tilt)/2 times that.
    step = math.sqrt(8 * w * max(*losses, w) / (count * (1 + tilt)))
    finest = float(reach) / _MOST_CELLS
    step = min(max(step, finest), float(coarse.step))
    # What is not sampled has a loss near zero: a grid that is too coarse for it leaves nothing of the lower end.
    events = multiplicities(ledger.event)
    rate = min((_rate(e) for e in events if isinstance(e, _Sampled)), default=1.0)
    stride = 1 << max(0, min(_MOST_HALVINGS, math.ceil(math.log2(_FINER * step / rate))))
    grid = Grid(_short(Fraction(step / stride)), _bits(least, found), stride, _CORE * stride)
    return _Gridded(found, lambda _: grid)


def _rate(event: _Sampled) -> float:
    return float(event.rate) if isinstance(event, Poisson) else event.batch / event.records


def _pairs(ledger: Ledger[Any], takes: Callable[[Event, type[Adjacency]], bool]) -> list[tuple[PairSet, int]]:
    """The pairs of a ledger; Gaussians of any multipliers are one."""
    counts = multiplicities(ledger.event)
    for event in counts:
        if not takes(event, ledger.adjacency):
            raise UnsupportedEventError(f"no curve on the fast path for {event} under {ledger.adjacency.name}")
    if not counts:
        raise UnsupportedEventError("the fast path needs at least one event")
    found = [(pairs(e, ledger.adjacency), k) for e, k in counts.items() if not isinstance(e, Gaussian)]
    if all(isinstance(e, Approximate | Profile) for e in counts):
        raise UnsupportedEventError("guarantees alone have atoms, which a grid of their own holds where they are")
    squares = (k / e.noise_multiplier**2 for e, k in counts.items() if isinstance(e, Gaussian))
    if total := sum(squares, Fraction(0)):
        one = gaussian_pair(total)
        found.append((PairSet(one, one, one, one), 1))
    return found


def _above(found: list[tuple[PairSet, int]]) -> tuple[Parts, ...]:
    return _directions(found, lambda p: (p.remove, p.add))


def _below(found: list[tuple[PairSet, int]]) -> tuple[Parts, ...]:
    return _directions(found, lambda p: (p.attained_remove, p.attained_add))


def _directions(
    found: list[tuple[PairSet, int]], choose: Callable[[PairSet], tuple[Pair | None, Pair | None]]
) -> tuple[Parts, ...]:
    first, second = (tuple((pair, k) for p, k in found if (pair := choose(p)[way]) is not None) for way in range(2))
    return (first,) if first == second else (first, second)


def _measure(pair: Pair, grid: Grid, *, above: bool) -> GridMeasure:
    """Whole units as doubles: each is off by half a unit in the last place, the infinite mass in its direction."""
    put, infinite = (spread_above if above else gathered_below)(pair, grid)
    # Ends without mass would only widen the range of losses, and with it the exponents of the tilted sums.
    masses = {index: mass for index, mass in put.items() if mass} or put
    first = min(masses)
    dense = np.zeros(max(masses) - first + 1)
    for index, mass in masses.items():
        dense[index - first] = float(mass)
    beyond = Fraction(infinite, 1 << grid.bits)
    infinity = min(1.0, float_up(beyond)) if above else float_down(beyond)
    return GridMeasure(first * grid.step, grid.step, dense * 2.0**-grid.bits, infinity, 2 * UNIT)


def _short(step: Fraction) -> Fraction:
    """A step that is not larger, as a short binary fraction."""
    unit = Fraction(2) ** (math.floor(math.log2(float(step))) - _GRID_BITS)
    return math.floor(step / unit) * unit
