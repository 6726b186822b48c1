r"""The accountant of the fast path: certified intervals for Gaussians and Poisson-subsampled Gaussians in milliseconds.

A dominating measure gives the upper end, a dominated one the lower end, and `dpref.privacy.fast.pld` composes both
with proved errors. Under add-or-remove-one (and zero-out) adjacency a record is removed in all steps or added in all,
so the larger of the two directions is exact; plain Gaussians are the same in both directions and under every
adjacency. Anything else is refused.

The grid, the window and the tilt are found in floats; they decide how wide the interval is, never whether it holds.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 10 and
    Proposition 30.
    Doroshenko et al., "Connect the dots: tighter discrete approximations of privacy loss distributions", 2022.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, final

from dpref.checks import open_unit
from dpref.errors import InvalidArgumentError, OutOfTimeError, PrecisionError, UnsupportedEventError
from dpref.privacy.events.ledger import Event, Gaussian, Ledger, Poisson, SampleWithoutReplacement
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.fast import grids, stages
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.doubles import FARTHEST, float_width, in_doubles, loss_in_doubles
from dpref.privacy.fast.fft import BITS
from dpref.privacy.fast.grids import METHOD, Pairs
from dpref.privacy.fast.measure import Cumulants, Factors
from dpref.privacy.fast.pld import Curve, compose
from dpref.privacy.interval import Interval
from dpref.privacy.time_limit import checkpoint
from dpref.reals import Exact, exact
from dpref.units import AddOrRemoveOne, Adjacency, ZeroOut

DEFAULT_WIDTH: Final = Fraction(1, 100)
RELATIVE_WIDTH: Final = 5e-4  # of epsilon, where that is less than the default width
_LEAST_WIDTH: Final = 1e-7
_GOOD: Final = 1e-6  # relative error of delta up to which a curve tilted for another delta is used
_WIDE: Final = 2.0  # an interval that is this many times wider than wanted is computed again on a finer grid
_REFINEMENTS: Final = 3
_ROOM: Final = 8.0  # times the width wanted, by which a direction spends less that is put on a grid of its own
_WORTH_IT: Final = 0.7
_SHORT: Final = 1 << 19  # points of a step
_MANY: Final = 10**6  # steps, from which on tilts are so large that what is cut off would matter to a search
_NOTHING: Final = (0.0, 0.0)  # the lower ends where nothing bounds from below
_LEAST_LOG, _LARGEST_TILT = -300.0, 1e4  # of a curve


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether the fast path has a theorem for one mechanism event under an adjacency.

    >>> supports(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), AddOrRemoveOne)
    True
    """
    match event:
        case Gaussian():
            return True
        case Poisson(event=Gaussian()):
            return adjacency in {AddOrRemoveOne, ZeroOut}
        case SampleWithoutReplacement(event=Gaussian()):
            return adjacency is AddOrRemoveOne
        case _:
            return False


def epsilon(ledger: Ledger[Any], delta: Exact, *, width: Exact = DEFAULT_WIDTH) -> Interval:
    r"""$\varepsilon(\delta)$ of a ledger, certified.

    Args:
        ledger: Gaussians, and Gaussians on Poisson samples (under add-or-remove-one or zero-out) or on batches of fixed
            size (under add-or-remove-one).
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        width: About how wide the interval may be; the width is the lesser of this and a two-thousandth of epsilon.
            By default it may be 7e-5 of a very large epsilon.

    Returns:
        An interval that holds the exact value (its upper end is infinite if delta is below what can be certified).

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        UnsupportedEventError: If an event is not supported under the ledger's adjacency.
        PrecisionError: If doubles do not suffice.

    >>> from dpref.privacy.events.ledger import Repeat
    >>> event = Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), 1000)
    >>> found = epsilon(Ledger(event, AddOrRemoveOne), Fraction(1, 10**6))
    >>> 2.12 < found.lower < 2.1245 < found.upper < 2.13
    True
    """
    return epsilons(ledger, [delta], width=width)[0]


def epsilons(ledger: Ledger[Any], deltas: Sequence[Exact], *, width: Exact = DEFAULT_WIDTH) -> tuple[Interval, ...]:
    """`epsilon` at several deltas, which share grids, and where possible compositions.

    Args:
        ledger: As for `epsilon`.
        deltas: Each exact, in (0, 1); at least one.
        width: As for `epsilon`.
    """
    checked = [open_unit("delta", delta) for delta in deltas]
    if not checked:
        raise InvalidArgumentError("deltas", deltas, "must not be empty")
    pairs, w = ledger_pairs(ledger), float_width(width)
    with in_doubles():
        return _narrowed(pairs, checked, w, ledger.adjacency)


def _narrowed(pairs: Pairs, checked: Sequence[Fraction], w: float, adjacency: type[Adjacency]) -> tuple[Interval, ...]:
    """Epsilon at several deltas on finer and finer grids, until the intervals are about as narrow as wanted."""
    many = sum(count for _, count in pairs) > _MANY
    far = grids.reach(pairs, _log(min(checked))) if many else grids.ROUGH_REACH
    rough = {way: grids.rough(pairs, way, far) for way in _directions(pairs)}
    tilts = {way: r.tilt_for_delta(_log(max(checked))) for way, r in rough.items()}
    leading = max(rough, key=lambda way: rough[way].at(tilts[way])[1])
    typical = rough[leading].at(tilts[leading])[1]
    goal = made_for = _width(w, typical)
    if w == float(DEFAULT_WIDTH):
        goal = made_for = stages.enough(pairs, rough[leading], tilts[leading], goal, typical)
    (found, below), cut = _epsilons(pairs, rough, checked, made_for, adjacency, cut=True), True
    for _ in range(_REFINEMENTS):
        widest = max(interval.width for interval in found)
        endless = cut and widest == math.inf
        if not (endless or (below and _WIDE * goal < widest < math.inf)):
            break
        if not cut:
            # What the grid adds to the variance, and so to the width, falls with the square of its step.
            made_for *= goal / widest
        cut = False
        try:
            finer, below = _epsilons(pairs, rough, checked, made_for, adjacency, cut=False)
        except (PrecisionError, OutOfTimeError):  # the grid is as fine as it can be, or as there is time for
            break
        found = tuple(a if a.width <= b.width else b for a, b in zip(found, finer, strict=True))
        if max(interval.width for interval in found) > _WORTH_IT * widest:
            break
    return found


def _epsilons(
    pairs: Pairs,
    rough: dict[str, Cumulants],
    deltas: Sequence[Fraction],
    width: float,
    adjacency: type[Adjacency],
    *,
    cut: bool,
) -> tuple[tuple[Interval, ...], bool]:
    """Epsilon at several deltas on the grid that is made for a width, or on a few in turn where that saves time.

    Returns:
        The intervals, and whether anything bounds them from below.
    """
    least = _log(min(deltas))
    tilts = {way: r.tilt_for_delta(least) for way, r in rough.items()}
    losses = {way: r.at(tilts[way])[1] for way, r in rough.items()}
    leading = max(losses, key=lambda way: losses[way])
    if cut:
        sides = _staged(pairs, rough, tilts, leading, width, least)
    else:
        sides = _needed(pairs, rough, tilts, leading, width, least)
    if len(deltas) > 1:  # a tilt for the middle one
        _epsilon_interval(sides, leading, sorted(deltas)[len(deltas) // 2], adjacency)
    return tuple(_epsilon_interval(sides, leading, d, adjacency) for d in deltas), ("lower", leading) in sides


def delta(ledger: Ledger[Any], epsilon: Exact, *, width: Exact = DEFAULT_WIDTH) -> Interval:
    r"""$\delta(\varepsilon)$ of a ledger, certified.

    Args:
        ledger: As for `epsilon`.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.
        width: About how wide the interval may be in epsilon.

    >>> from dpref.privacy.events.ledger import Repeat
    >>> event = Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), 1000)
    >>> found = delta(Ledger(event, AddOrRemoveOne), Fraction(2))
    >>> 2.6e-6 < found.lower < found.upper < 2.7e-6
    True
    """
    e = loss_in_doubles(epsilon)
    pairs, w = ledger_pairs(ledger), float_width(width)
    with in_doubles():
        return _delta(pairs, e, w, ledger.adjacency)


def _delta(pairs: Pairs, e: Fraction, w: float, adjacency: type[Adjacency]) -> Interval:
    rough = {way: grids.rough(pairs, way) for way in _directions(pairs)}
    tilts = {way: r.tilt_for_loss(float(e)) for way, r in rough.items()}
    logs = {way: min(-1.0, r.log_delta(tilts[way])[0]) for way, r in rough.items()}
    leading = max(logs, key=lambda way: logs[way])
    # Near epsilon delta falls by about exp(tilt) for each unit of it: so wide is what a relative width of delta allows.
    wide = _width(w, float(e))
    narrow = min(wide, RELATIVE_WIDTH / max(1.0, tilts[leading]))
    try:
        sides = _staged(pairs, rough, tilts, leading, narrow, logs[leading])
    except PrecisionError:  # that grid is too long: the one for epsilon says what it can
        sides = _sides(pairs, rough, tilts[leading], wide, logs[leading])
    ends = {key: side.delta(e) for key, side in sides.items() if key[0] == "upper" or key[1] == leading}
    low, inner = ends.get(("lower", leading), _NOTHING)
    high = max(end[1] for key, end in ends.items() if key[0] == "upper")
    slack = max(0.0, ends["upper", leading][0] - inner)
    return Interval(low, high, "delta", METHOD, BITS, adjacency, slack)


def composed(ledger: Ledger[Any], loss: Exact, *, width: Exact = DEFAULT_WIDTH) -> dict[str, tuple[Side, Side]]:
    """Upper and lower end of the composition itself, in each direction, on the grid that `delta` takes at a loss.

    Args:
        ledger: As for `epsilon`.
        loss: The farthest one that is asked for, exact, not negative.
        width: As for `delta`.
    """
    e = loss_in_doubles(loss)
    pairs, w = ledger_pairs(ledger), float_width(width)
    with in_doubles():
        rough = {way: grids.rough(pairs, way) for way in _directions(pairs)}
        tilts = {way: r.tilt_for_loss(float(e)) for way, r in rough.items()}
        logs = {way: min(-1.0, r.log_delta(tilts[way])[0]) for way, r in rough.items()}
        leading = max(logs, key=lambda way: logs[way])
        log_delta = max(_LEAST_LOG, logs[leading])
        sides = _sides(pairs, rough, min(tilts[leading], _LARGEST_TILT), _width(w, float(e)), log_delta)
        return {way: (sides["upper", way], sides["lower", way]) for way in rough}


def ledger_pairs(ledger: Ledger[Any]) -> Pairs:
    """The pairs of a ledger with their multiplicities.

    Raises:
        UnsupportedEventError: If an event is not supported under the ledger's adjacency, or there is none.
        PrecisionError: If a number of an event is beyond the range of doubles.
    """
    pairs: dict[Pair, int] = {}
    for event, count in multiplicities(ledger.event).items():
        if not supports(event, ledger.adjacency):
            raise UnsupportedEventError(f"the fast path has no theorem for {event} under {ledger.adjacency.name}")
        match event:
            case Poisson(event=Gaussian(multiplier), rate=rate):
                pair = Pair(rate, multiplier)
            case SampleWithoutReplacement(Gaussian(multiplier), batch, records):
                pair = Pair(Fraction(batch, records), multiplier / 2)  # another record stands in for an absent one
            case Gaussian(multiplier):
                pair = Pair(Fraction(1), multiplier)
            case _:
                raise UnsupportedEventError(f"the fast path has no theorem for {event}")
        if max(pair.noise_multiplier, 1 / pair.noise_multiplier, 1 / pair.rate) > FARTHEST:
            raise PrecisionError(f"{event} is beyond the range of doubles")
        pairs[pair] = pairs.get(pair, 0) + count
    if not pairs:
        raise UnsupportedEventError("the fast path needs at least one event")
    return tuple(pairs.items())


def _directions(pairs: Pairs) -> tuple[str, ...]:
    return ("remove",) if all(pair.plain for pair, _ in pairs) else ("remove", "add")


def _log(delta: Fraction) -> float:
    return math.log(delta.numerator) - math.log(delta.denominator)


def _width(width: float, loss: float) -> float:
    return min(width, max(_LEAST_WIDTH, RELATIVE_WIDTH * loss))


def _sides(
    pairs: Pairs, rough: dict[str, Cumulants], tilt: float, width: float, log_delta: float
) -> dict[tuple[str, str], Side]:
    """Dominating and dominated measures of every pair in every direction, on one grid."""
    grid = grids.chosen(pairs, rough, tilt, width, log_delta)
    return {key: Side(found) for key, found in grids.factors(pairs, grids.all_keys(rough), grid).items()}


def _staged(
    pairs: Pairs, rough: dict[str, Cumulants], tilts: dict[str, float], leading: str, width: float, log_delta: float
) -> dict[tuple[str, str], Side]:
    """The sides that an interval needs: in stages where one transform would be long, and where doubles suffice.

    Where stages bound from above alone, one transform bounds from below, if it is short and doubles suffice.
    """
    try:
        staged = stages.factors(pairs, rough, tilts, leading, width, log_delta)
    except PrecisionError:
        staged = None
    if staged is None:
        return _needed(pairs, rough, tilts, leading, width, log_delta)
    found, below = dict(staged), ("lower", leading)
    if below not in found:
        try:
            grid = grids.chosen(pairs, rough, tilts[leading], width, log_delta)
            if grids.extent(pairs, grid.reach) < _SHORT * float(grid.step):
                found[below] = grids.factors(pairs, [below], grid)[below]
        except PrecisionError:
            pass
    return {key: Side(factors) for key, factors in found.items()}


def _needed(
    pairs: Pairs, rough: dict[str, Cumulants], tilts: dict[str, float], leading: str, width: float, log_delta: float
) -> dict[tuple[str, str], Side]:
    """The sides that an interval needs; a direction that spends less need only be told from the leading one."""
    grid = grids.chosen(pairs, rough, max(tilts.values()), width, log_delta)
    losses = {way: cumulants.at(tilts[way])[1] for way, cumulants in rough.items()}
    keys, found = list(grids.all_keys([leading])), dict[tuple[str, str], Factors]()
    for way in rough.keys() - {leading}:
        room = (losses[leading] - losses[way]) / 2
        if room > _ROOM * width and len(pairs) <= grids.FEW:
            own = grids.chosen(pairs, {way: rough[way]}, tilts[way], room, log_delta)
            found.update(grids.factors(pairs, [("upper", way)], own))
        else:
            keys.append(("upper", way))
    found.update(grids.factors(pairs, keys, grid))
    return {key: Side(factors) for key, factors in found.items()}


@final
@dataclass
class Side:
    """One composition, tilted anew whenever the tilts so far do not tell delta accurately.

    Attributes:
        factors: Measures and how often each is composed.
        curves: The compositions so far.
    """

    factors: Factors
    curves: list[Curve] = field(default_factory=list)

    def epsilon(self, delta: Fraction) -> tuple[float, float]:
        """Lower and upper end of epsilon."""
        for curve in self.curves:
            ends = curve.epsilon(delta)
            if math.isfinite(ends[1]) and _accurate(curve, *curve.delta(exact(ends[1]))):
                return ends
        checkpoint(METHOD)
        cumulants = Cumulants.of(self.factors)
        self.curves.append(compose(self.factors, theta=cumulants.tilt_for_delta(_log(delta))))
        return self.curves[-1].epsilon(delta)

    def delta(self, epsilon: Fraction) -> tuple[float, float]:
        """Lower and upper end of delta."""
        for curve in self.curves:
            ends = curve.delta(epsilon)
            if _accurate(curve, *ends):
                return ends
        checkpoint(METHOD)
        cumulants = Cumulants.of(self.factors)
        self.curves.append(compose(self.factors, theta=cumulants.tilt_for_loss(float(epsilon))))
        return self.curves[-1].delta(epsilon)


def _accurate(curve: Curve, low: float, high: float) -> bool:
    """Whether another tilt would not make a relative error much smaller."""
    return high - low <= (_GOOD + 4 * curve.doubt) * low


def _epsilon_interval(
    sides: dict[tuple[str, str], Side], leading: str, delta: Fraction, adjacency: type[Adjacency]
) -> Interval:
    ends = {key: side.epsilon(delta) for key, side in sides.items() if key[0] == "upper" or key[1] == leading}
    low, inner = ends.get(("lower", leading), _NOTHING)
    high = max(end[1] for key, end in ends.items() if key[0] == "upper")
    slack = max(0.0, ends["upper", leading][0] - inner)
    return Interval(low, high, "epsilon", METHOD, BITS, adjacency, slack if math.isfinite(slack) else 0.0)
