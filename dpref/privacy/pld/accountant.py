r"""The accountant by privacy loss distributions: both ends certified, for every event that has a dominating pair.

Each event's pair is put between two discrete pairs on a common grid (`dpref.privacy.pld.discretisation`); these are
composed by multiplying polynomials of integers, every rounding in the direction of its bound, and epsilon is read off

$$\delta(\varepsilon) = P(\infty) + \sum_{ih>\varepsilon} P_i\,(1-e^{\varepsilon-ih}),$$

which is exact between grid points too.  The upper end dominates; the lower end belongs to pairs that a mechanism
attains (`dpref.privacy.pld.pairs.PairSet`).  The grid is refined until the width is what was asked for; every grid's
ends are valid, so the best of each is kept.

References:
    Koskela, Jälkö and Honkela, "Computing tight differential privacy guarantees using FFT", 2020.
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots: tighter discrete approximations of privacy loss
    distributions", 2022.
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias, TypeVar, final

from dpref.checks import natural, open_unit, positive_rational, rational
from dpref.errors import OutOfTimeError, PrecisionError
from dpref.privacy.closed_forms.gaussian import NO_NOISE
from dpref.privacy.composed import Composition, Compositions
from dpref.privacy.events.guarantees import with_one_concentrated
from dpref.privacy.events.ledger import Gaussian, Ledger, NonPrivate
from dpref.privacy.events.walks import assumed, customs, multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.pld.convolution import Tails, compose, delta_at, epsilon_at
from dpref.privacy.pld.discretisation import Grid, Masses, discretise_above, discretise_below, range_of
from dpref.privacy.pld.pair import Pair, PairSet, binary_log, common_lattice, on_lattice
from dpref.privacy.pld.pairs import gaussian_pair, pairs
from dpref.privacy.time_limit import checkpoint
from dpref.reals import DEFAULT_PRECISION, Exact, exact
from dpref.units import Adjacency

A = TypeVar("A", bound=Adjacency)


Parts: TypeAlias = tuple[tuple[Pair, int], ...]
METHOD: Final = "privacy loss distribution"
DEFAULT_WIDTH: Final = Fraction(1, 2500)
MOST_CELLS: Final = 1 << 20
MOST_WORK: Final = 1 << 31  # bits of all products together, beyond which no finer grid is begun
_FIRST_CELLS: Final = 32  # of the widest single loss, on the first grid
_SPARE_BITS: Final = 24  # mass moved by rounding is 2**-24 of delta
_TRIM_BITS: Final = 17  # mass moved by trimming is 2**-17 of delta
_ROUNDS: Final = 12
_PLATEAU: Final = 0.8  # a finer grid that leaves more than this of the width is the last one
_SETTLED: Final = (
    4.0  # so is one whose upper end moves by at most this times the wanted width, where nothing attains it
)


_LEAST_DELTA_BITS: Final = 1 << 10  # smaller ones are hardly doubles
_PROBE_CELLS: Final = 1 << 9
_CURVE_BITS: Final = 96  # the least delta of a curve that is known accurately is about 2 to minus this
_MOST_CURVE_CELLS: Final = 1 << 15
_CURVE_WIDTH: Final = Fraction(1, 1000)
_FLAT: Final = 1 / 8


def pld_epsilon(
    ledger: Ledger[A], delta: Exact, *, relative_width: Exact = DEFAULT_WIDTH, most_cells: int = MOST_CELLS
) -> Interval:
    r"""The least epsilon for which a ledger is $(\varepsilon,\delta)$-DP, certified from both sides.

    Args:
        ledger: Any events that have dominating pairs under the ledger's adjacency.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        relative_width: The grid is refined until ``upper - lower`` is at most this times ``upper``.
        most_cells: It is refined no further than this; the interval is then wider, and says so.

    Returns:
        An interval; its slack is its width, which comes from the grid and from events whose worst case is not attained.

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        UnsupportedEventError: If an event has no dominating pair under the adjacency.
        PrecisionError: If a loss does not fit on any grid.

    >>> from dpref.privacy.events.ledger import Poisson, Repeat
    >>> from dpref.units import AddOrRemoveOne
    >>> steps = Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), 100)
    >>> print(pld_epsilon(Ledger(steps, AddOrRemoveOne), Fraction(1, 10**6), relative_width=Fraction(1, 100)))
    epsilon in [0.9511116942, 0.9555408172]
    """
    d = open_unit("delta", delta)
    wanted, most_cells = positive_rational("relative_width", relative_width), natural("most_cells", most_cells)
    if _is_infinite(ledger):
        return Interval(math.inf, math.inf, "epsilon", NO_NOISE, DEFAULT_PRECISION, ledger.adjacency)
    plan = _plan(ledger)

    def read(masses: Masses, grid: Grid) -> float:
        return epsilon_at(masses, grid, d)

    low, high, grid = _refined(plan, d, read, (0.0, math.inf), wanted, most_cells)
    return _interval(low, high, "epsilon", grid, ledger)


def pld_delta(
    ledger: Ledger[A], epsilon: Exact, *, relative_width: Exact = DEFAULT_WIDTH, most_cells: int = MOST_CELLS
) -> Interval:
    r"""The least delta for which a ledger is $(\varepsilon,\delta)$-DP, certified from both sides.

    Args:
        ledger: Any events that have dominating pairs under the ledger's adjacency.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.
        relative_width: The grid is refined until ``upper - lower`` is at most this times ``upper``.
        most_cells: It is refined no further than this.

    Returns:
        An interval inside [0, 1].

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a float.
        UnsupportedEventError: If an event has no dominating pair under the adjacency.
        PrecisionError: If a loss does not fit on any grid.

    >>> from dpref.privacy.events.ledger import RandomizedResponse, Repeat
    >>> from dpref.units import ReplaceOne
    >>> print(pld_delta(Ledger(Repeat(RandomizedResponse(Fraction(1)), 2), ReplaceOne), 1))
    delta in [0.3378347121, 0.3378347122]
    """
    e = rational("epsilon", epsilon)
    wanted, most_cells = positive_rational("relative_width", relative_width), natural("most_cells", most_cells)
    if _is_infinite(ledger):
        return Interval(1.0, 1.0, "delta", NO_NOISE, DEFAULT_PRECISION, ledger.adjacency)
    plan = _plan(ledger)

    def read(masses: Masses, grid: Grid) -> float:
        return delta_at(masses, grid, e)

    bits, cells = 64, min(most_cells, _PROBE_CELLS)
    made: Interval | None = None
    while True:
        # The unit of mass must be far below the delta that comes out, whose size is not known before: a coarse grid
        # finds about how small it is.
        try:
            low, high, grid = _refined(plan, Fraction(1, 1 << bits), read, (0.0, 1.0), wanted, cells)
        except OutOfTimeError:
            if made is None:
                raise
            return made
        made = _interval(low, high, "delta", grid, ledger)
        if high <= math.ldexp(1.0, -_LEAST_DELTA_BITS):  # hardly a double: no finer grid says more
            return made
        if high <= math.ldexp(1.0, -bits) and 2 * bits <= _LEAST_DELTA_BITS:
            bits *= 2
        elif cells < most_cells:
            cells = most_cells
        else:
            return made


def pld_composed(
    ledger: Ledger[A], loss: Exact, *, relative_width: Exact = _CURVE_WIDTH, most_cells: int = _MOST_CURVE_CELLS
) -> Compositions:
    r"""The compositions themselves, both directions, on a grid that is fine enough for delta up to a loss.

    Args:
        ledger: As for `pld_delta`, with noise in every answer.
        loss: The farthest one that is asked for, exact, not negative.
        relative_width: The grid is refined until the sum of $\delta^{1/8}$ at five losses is known so well.
        most_cells: It is refined no further than this.

    >>> from dpref.privacy.events.ledger import RandomizedResponse, Repeat
    >>> from dpref.units import ReplaceOne
    >>> removed, _ = pld_composed(Ledger(Repeat(RandomizedResponse(Fraction(1)), 2), ReplaceOne), 1)
    >>> round(removed.above.delta(Fraction(1)), 8)
    0.33783471
    """
    e, plan = rational("loss", loss), _plan(ledger)
    wanted, most_cells = positive_rational("relative_width", relative_width), natural("most_cells", most_cells)
    whole = len(plan.above) + sum(map(bool, plan.below))
    kept: dict[Grid, list[Tails]] = {}

    def read(masses: Masses, grid: Grid) -> float:
        tails = Tails(masses, grid)
        kept.setdefault(grid, []).append(tails)
        return math.fsum(tails.delta(e * k / 4) ** _FLAT for k in range(5))

    _refined(plan, Fraction(1, 1 << _CURVE_BITS), read, (0.0, math.inf), wanted, most_cells, both=True)
    found = [found for found in kept.values() if len(found) == whole][-1]
    highs = [tails for tails in found if tails.losses.above]
    rest = iter([tails for tails in found if not tails.losses.above])
    lows = [next(rest) if parts else None for parts in plan.below]
    return Composition(highs[0], lows[0]), Composition(highs[-1], lows[-1])


def _interval(low: float, high: float, quantity: str, grid: Grid | None, ledger: Ledger[A]) -> Interval:
    slack = 0.0 if low == high else math.nextafter(high - low, math.inf)
    method = METHOD if grid is None else f"{METHOD} (grid {float(grid.step):.3g})"
    bits = DEFAULT_PRECISION if grid is None else grid.precision
    return Interval(low, high, quantity, method, bits, ledger.adjacency, slack, assumed=assumed(ledger.event))


@final
@dataclass(frozen=True)
class _Plan:
    """Pairs with their counts, one tuple for each direction that must be composed by itself."""

    above: tuple[Parts, ...]
    below: tuple[Parts, ...]
    count: int

    @property
    def all_pairs(self) -> tuple[Pair, ...]:
        found = {id(pair): pair for parts in (*self.above, *self.below) for pair, _ in parts}
        return tuple(found.values())


def _is_infinite(ledger: Ledger[A]) -> bool:
    """Whether some answer has no noise; unsupported events are refused first."""
    events = multiplicities(ledger.event)
    for event in events:
        if not isinstance(event, NonPrivate):
            pairs(event, ledger.adjacency)
    return any(isinstance(event, NonPrivate) for event in events)


def _plan(ledger: Ledger[A]) -> _Plan:
    counts = with_one_concentrated(multiplicities(ledger.event))
    gaussians = {e: k for e, k in counts.items() if isinstance(e, Gaussian)}
    # Gaussians of different multipliers compose to one Gaussian exactly: one grid error instead of many.
    others = {e: k for e, k in counts.items() if len(gaussians) < 2 or e not in gaussians}
    found = [(pairs(e, ledger.adjacency), k) for e, k in others.items()]
    if len(customs(ledger.event)) > 1:
        # Each attains its pair on neighbours of its own, which need not be the same ones.
        found = [
            (replace(p, attained_remove=None, attained_add=None) if assumed(e) else p, k)
            for e, (p, k) in zip(others, found, strict=True)
        ]
    if len(gaussians) > 1:
        one = gaussian_pair(sum((k / e.noise_multiplier**2 for e, k in gaussians.items()), Fraction(0)))
        found.append((PairSet(one, one, one, one), 1))

    def direction(choose: Callable[[PairSet], Pair | None]) -> Parts:
        chosen = ((choose(p), count) for p, count in found)
        return tuple((pair, count) for pair, count in chosen if pair is not None)

    above = (direction(lambda p: p.remove), direction(lambda p: p.add))
    below = (direction(lambda p: p.attained_remove), direction(lambda p: p.attained_add))
    return _Plan(_distinct(above), _distinct(below), sum(count for _, count in found))


def _distinct(directions: tuple[Parts, Parts]) -> tuple[Parts, ...]:
    first, second = directions
    return (first,) if first == second else directions


def _refined(
    plan: _Plan,
    delta: Fraction,
    read: Callable[[Masses, Grid], float],
    ends: tuple[float, float],
    wanted: Fraction,
    most_cells: int,
    *,
    both: bool = False,
) -> tuple[float, float, Grid | None]:
    """Both ends on finer and finer grids, until they are close or the grid is as fine as it may be."""
    low, high = ends
    if not plan.count:
        return 0.0, 0.0, None
    bits = math.ceil(-binary_log(delta)) + plan.count.bit_length() + most_cells.bit_length() + _SPARE_BITS
    spare = delta * 2 ** (bits - _TRIM_BITS)
    lattice = _common_lattice(plan)
    exact_on_lattice = all(pair.split is not None and pair.split.rest is None for pair in plan.all_pairs)
    grid = Grid(on_lattice(_first_step(plan, bits), lattice), bits)
    previous = math.inf
    for _ in range(_ROUNDS):
        highest = high
        try:
            checkpoint(f"{METHOD}: grid {float(grid.step):.3g}")
            cells, above, below = _composed(plan, grid, spare)
            highs, lows = [read(m, grid) for m in above], [read(m, grid) for m in below]
        except (OutOfTimeError, PrecisionError):  # the coarser grids' ends hold
            if (low, high) == ends:
                raise
            break
        high, low = min(high, max(highs)), max(low, max(lows, default=0.0))
        width, goal = 0.0 if low == high else high - low, float(wanted) * high
        # Where the worst case is not attained, or the losses lie on the grid, a finer one has nothing to add.
        if width <= goal or (exact_on_lattice and grid.step == lattice) or width > _PLATEAU * previous:
            break
        if (plan.above != plan.below or _bends_between(plan, grid)) and highest - high <= _SETTLED * goal:
            break
        previous = width if width < high else math.inf
        plan = plan if both else _worst_direction(plan, highs, low)
        factor = max(1 / 8, min(0.7, math.sqrt(0.8 * goal / width))) if math.isfinite(width) else 1 / 4
        step = on_lattice(grid.step * exact(factor), lattice)
        if exact_on_lattice and lattice is not None:
            step = max(step, lattice)
        if cells * (grid.step / step) > most_cells:
            step = on_lattice(grid.step * Fraction(9 * cells, 8 * most_cells), lattice)
            if step * 4 > grid.step * 3:
                break
        # How long the next round takes is known before it begins: a product for each binary digit of the count.
        if cells * (grid.step / step) * plan.count.bit_length() * bits * len(plan.all_pairs) > MOST_WORK:
            break
        grid = Grid(step, bits)
    return min(low, high), high, grid


def _worst_direction(plan: _Plan, highs: list[float], low: float) -> _Plan:
    """Without the directions that provably spend less than the other one."""
    kept = [i for i, high in enumerate(highs) if high >= low]
    if len(kept) == len(plan.above) or len(plan.below) != len(plan.above):
        return plan
    return _Plan(tuple(plan.above[i] for i in kept), tuple(plan.below[i] for i in kept), plan.count)


def _composed(plan: _Plan, grid: Grid, spare: Fraction) -> tuple[int, list[Masses], list[Masses]]:
    made: dict[tuple[int, bool], Masses] = {}

    def made_of(pair: Pair, *, is_above: bool) -> Masses:
        key = (id(pair), is_above)
        if key not in made:
            made[key] = discretise_above(pair, grid) if is_above else discretise_below(pair, grid)
        return made[key]

    above = [compose([(made_of(p, is_above=True), k) for p, k in parts], spare) for parts in plan.above]
    below = [compose([(made_of(p, is_above=False), k) for p, k in parts], spare) for parts in plan.below if parts]
    cells = max(len(m.masses) for m in (*above, *below, *made.values()))
    return cells, above, below


def _first_step(plan: _Plan, bits: int) -> Fraction:
    """A step that gives the widest loss a few cells."""
    return max(range_of(pair, bits) for pair in plan.all_pairs) / _FIRST_CELLS


def _common_lattice(plan: _Plan) -> Fraction | None:
    """The largest number of which the losses of all atoms are multiples, if there are atoms on lattices."""
    lattices = [pair.split.lattice for pair in plan.all_pairs if pair.split is not None]
    lattices += [pair.kinks for pair in plan.all_pairs if pair.kinks]
    return reduce(common_lattice, lattices) if lattices else None


def _bends_between(plan: _Plan, grid: Grid) -> bool:
    """Whether a curve has kinks between grid points: what lies below it then comes nearer no faster than the grid."""
    kinks = (pair.kinks for pair in plan.all_pairs if pair.kinks is not None)
    return any(at == 0 or (at / grid.step).denominator != 1 for at in kinks)
