r"""Dominating measures: the privacy loss of a pair, spread to the two neighbouring points of a grid.

The mass of a cell between the losses $x_i$ and $x_{i+1} = x_i+h$ is split so that the masses under both distributions
stay what they are,

$$a = \frac{1}{e^h-1}\int(e^{x_{i+1}-x}-1)\,dP,\qquad b = \frac1{1-e^{-h}}\int(1-e^{x_i-x})\,dP,$$

which interpolates $\delta$ linearly in $e^\varepsilon$ between the points and so lies nowhere below it ("connecting
the dots", obligation ``fast-path/dominating``). Since $dP - e^{x_i}dQ = (r-r_i)\,dQ$, both integrals are sums of
positive terms: $a(e^h-1) = r_{i+1}\int(1-e^{-\mu(z_{i+1}-z)})\varphi$ and $b(1-e^{-h}) =
r_i\int(e^{\mu(z-z_i)}-1)\varphi$; nothing cancels. The same measure, read backwards, dominates the reversed pair.

References:
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots: tighter discrete approximations of privacy loss
    distributions", 2022, Section 3.
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.errors import PrecisionError
from dpref.privacy.fast.cells import REACH, Narrow, Pair, Tails, is_narrow
from dpref.privacy.fast.exp import GEOMETRIC_ERROR, LESS_ERROR, UNIT, geometric, geometric_less
from dpref.privacy.fast.measure import LEAST_MASS, GridMeasure
from dpref.privacy.time_limit import checkpoint
from dpref.reals import FloatArray, ball, evaluate, precision, upper

LARGEST_GRID: Final = 1 << 21
_MOVED: Final = 15.0  # relative effect on a rise of moving an end by the width, for a narrow cell
_BITS: Final = 128
_ENOUGH_BITS: Final = 60


@final
@dataclass(frozen=True)
class Grid:
    """Grid points with the places at which the loss reaches them.

    Attributes:
        pair: Sampling rate and noise multiplier.
        step: h, the width of the grid's cells.
        first: Index of the first point, i h.
        exps: e^(i h), shape (n,).
        ratio: e^(i h) - (1 - q), shape (n,), each within ``LESS_ERROR`` u; zero at a point below all losses.
        points: z of every loss above ln(1 - q), in floats; minus infinity where there is none.
    """

    pair: Pair
    step: Fraction
    first: int
    exps: FloatArray
    ratio: FloatArray
    points: FloatArray


def grid(pair: Pair, step: Fraction, reach: float = REACH) -> Grid:
    """Grid points from just below all losses that matter to just above.

    Raises:
        PrecisionError: If there would be too many.
    """
    h = float(step)
    last = math.ceil(pair.loss(reach + pair.mu) / h)
    first = math.floor(pair.loss(-reach) / h)
    if not pair.plain:
        with precision(_BITS):
            least = ball(1 - pair.rate).log() / ball(step)
            first = math.floor(float(least.mid()))
            if not (arb(first) <= least < arb(first + 1)):
                raise PrecisionError("the least loss cannot be told from a grid point")
    last = max(last, first + 2)
    if last - first >= LARGEST_GRID:
        raise PrecisionError(f"a grid of {last - first} points is too fine")
    with precision(_BITS):
        exps = geometric(ball(step) * first, ball(step), last - first + 1)
        ratio = np.zeros(len(exps))
        held = 0 if pair.plain else 1
        ratio[held:] = geometric_less(ball(step) * (first + held), ball(step), len(exps) - held, ball(1 - pair.rate))
    points = np.full(len(ratio), -math.inf)
    points[ratio > 0] = (np.log(ratio[ratio > 0]) - math.log(pair.q)) / pair.mu + pair.mu / 2
    return Grid(pair, step, first, exps, ratio, points)


def dominating(pair: Pair, step: Fraction, reach: float = REACH) -> tuple[GridMeasure, GridMeasure]:
    """The dominating measures of the pair (P, Q) and of the reversed pair (Q, P).

    Args:
        pair: Sampling rate and noise multiplier.
        step: h, the width of the grid's cells, exact.
        reach: How many standard deviations are kept on either side; what lies beyond counts as an infinite loss.

    Returns:
        Removal, addition.

    Raises:
        PrecisionError: If the grid cannot be built.

    >>> remove, add = dominating(Pair(Fraction(1, 100), Fraction(1)), Fraction(1, 1024))
    >>> bool(abs(remove.masses.sum() - 1) < 1e-9 and abs(add.masses.sum() - 1) < 1e-9)
    True
    """
    g = grid(pair, step, reach)
    cells = split(g)
    return _measures(g, cells, np.zeros(len(cells.own)), cells.relative + float(np.max(cells.own)))


def raised(pair: Pair, step: Fraction, reach: float = REACH) -> tuple[GridMeasure, GridMeasure]:
    """The same with each mass raised by what the rounded ends of its own cell may be off.

    On a fine grid the worst cell, far out, is off by much more than those that weigh most.  What these measures are
    off by besides does not depend on the grid.

    >>> remove, _ = raised(Pair(Fraction(1, 100), Fraction(1)), Fraction(1, 1024))
    >>> remove.relative < dominating(Pair(Fraction(1, 100), Fraction(1)), Fraction(1, 1024))[0].relative
    True
    """
    g = grid(pair, step, reach)
    cells = split(g)
    return _measures(g, cells, cells.own, cells.relative)


def _measures(g: Grid, cells: Split, own: FloatArray, relative: float) -> tuple[GridMeasure, GridMeasure]:
    masses = np.zeros(len(g.points))
    masses[:-1] += cells.left * (1 + own)
    masses[1:] += cells.right * (1 + own)
    below, infinite, rest = _ends(g)
    masses[0] += below
    start, relative = g.step * g.first, relative + (GEOMETRIC_ERROR + 16) * UNIT
    backward = np.maximum(masses / g.exps, LEAST_MASS)[::-1]
    return (
        GridMeasure(start, g.step, np.maximum(masses, LEAST_MASS), infinite, relative),
        GridMeasure(-start - g.step * (len(masses) - 1), g.step, backward, rest, relative),
    )


@final
@dataclass(frozen=True)
class Split:
    """What every cell gives to its two ends, so that its mass under P and Q is what it was.

    Attributes:
        left: a, to the lower end, shape (n - 1,).
        right: b, to the upper end, shape (n - 1,).
        own: By how much both may be off relatively because the cell's ends are rounded, shape (n - 1,).
        relative: And for all other reasons.
    """

    left: FloatArray
    right: FloatArray
    own: FloatArray
    relative: float


def split(g: Grid) -> Split:
    """The masses under P of all cells, split.

    Raises:
        PrecisionError: If the grid is too fine.
    """
    low, high = g.points[:-1], g.points[1:]
    narrow = is_narrow(g.pair, low, high)
    with precision(_BITS):
        divisors = float(ball(g.step).expm1().mid()), float(-(-ball(g.step)).expm1().mid())
    left, right, own, relative = np.zeros(len(low)), np.zeros(len(low)), np.zeros(len(low)), 64 * UNIT
    if np.any(narrow):
        left[narrow], right[narrow], own[narrow], relative = _narrow_splits(g, narrow)
    wide, tails = np.flatnonzero(~narrow).tolist(), Tails()
    with precision(_BITS):
        ends = {j: _point(g, j) for j in {*wide, *(i + 1 for i in wide)}}
    for i in wide:
        checkpoint()
        left[i], right[i] = _ball_split(g, i, (ends[i], ends[i + 1]), tails)
    return Split(left / divisors[0], right / divisors[1], own, relative + 4 * UNIT)


def _narrow_splits(g: Grid, narrow: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """a (e^h - 1) and b (1 - e^-h) of the narrow cells, with what their ends and what all else make them be off."""
    pair, index = g.pair, np.flatnonzero(narrow)
    low, high = g.points[index], g.points[index + 1]
    cells = Narrow(pair, (low + high) / 2, high - low)
    from_left, from_right = cells.rises()
    here, there = g.ratio[index], g.ratio[index + 1]
    # How far the ratios at the rounded points are from those at the exact ones, and so how far the points are.
    reach = np.maximum(np.abs(low), np.abs(high))
    doubt = (LESS_ERROR + 3) * UNIT + pair.ratio_error(reach)
    gap = np.maximum(np.abs(pair.ratio(low) / here - 1), np.abs(pair.ratio(high) / there - 1)) + doubt
    moved = gap * 1.01 / pair.mu + 4 * UNIT * (reach + 1)
    worst = moved / cells.width * _MOVED
    if not np.all(worst < 2.0**-12):
        raise PrecisionError("the grid is too fine for doubles")
    own = 1.02 * worst + 1.01 * doubt
    return there * from_right, here * from_left, own, cells.rounding() * 1.01 + 12 * UNIT


def _point(g: Grid, j: int) -> arb | None:
    """z of a grid point in balls; None below all losses."""
    return None if j == 0 and not g.pair.plain else g.pair.ball_point(ball(g.step) * (g.first + j))


def _ball_split(g: Grid, i: int, ends: tuple[arb | None, arb | None], tails: Tails) -> tuple[float, float]:
    """The same for one cell, in balls: exact to the last place."""
    pair, step = g.pair, g.step

    def rises(low: arb | None, high: arb | None, known: Tails | None = None) -> tuple[arb, arb]:
        moved, still = pair.masses(low, high, known)
        moved *= ball(pair.rate)
        here, there = ((ball(step) * (g.first + j)).expm1() + ball(pair.rate) for j in (i, i + 1))
        return there * still - moved, moved - here * still

    # Both at once, from the same four values; with more bits only where too many cancel.
    with precision(_BITS):
        left, right = rises(*ends, tails)
    if min(left.rel_accuracy_bits(), right.rel_accuracy_bits()) < _ENOUGH_BITS:
        left, right = (evaluate(lambda k=k: rises(_point(g, i), _point(g, i + 1))[k], bits=64) for k in range(2))  # type: ignore[misc]  # bound now
    return float(left.mid()), float(right.mid())


def _ends(g: Grid) -> tuple[float, float, float]:
    """Upper bounds: mass left of the grid (P), mass at infinity, mass at infinity for the reversed pair."""
    pair = g.pair
    with precision(_BITS):
        top = pair.ball_point(ball(g.step) * (g.first + len(g.points) - 1))
        moved, still = pair.masses(top, None)
        infinite = ball(pair.rate) * moved + ball(1 - pair.rate) * still
        if not pair.plain:
            return 0.0, upper(infinite), upper(still)
        moved_low, still_low = pair.masses(None, pair.ball_point(ball(g.step) * g.first))
        return upper(moved_low), upper(infinite), upper(still + still_low)
