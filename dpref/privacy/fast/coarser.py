r"""A measure on a grid, put on every m-th point of it: once so that it dominates, once so that it is dominated.

With $A_j=e^{L_j}$ at the coarse points, $H = mh$, and $\delta(\alpha) = \sum_kp_k(1-\alpha e^{-x_k})_+$:

*Above*, a mass at the distance $kh$ above $L_j$ is split to the two coarse points beside it, in the shares
$\lambda_k = \frac{e^{H-kh}-1}{e^H-1}$ and $\rho_k = \frac{1-e^{-kh}}{1-e^{-H}}$, which interpolates $\delta$ linearly
in $\alpha$ and so lies nowhere below it (obligation ``fast-path/dominating``).

*Below*, the interpolation is lowered by $C_j\ge0$ at every coarse point.  Within a cell it lies above $\delta$ by the
*gap*, which is concave, zero at both ends, linear between the masses, and at the mass at $kh$ equal to

$$g_k = (e^{kh}-1)\sum_{l\ge k}\lambda_lp_l + (1-e^{kh-H})\sum_{l<k}\rho_lp_l .$$

With $a=\sum_l\lambda_lp_l$ and $b=\sum_l\rho_lp_l$ a cell is covered (obligation ``fast-path/lowered-chords``)

* if both its ends are lowered by its largest gap;
* or its upper end alone by $a(e^H-1)$: the gap's slope at the lower end bounds it;
* or its lower end alone by $b(1-e^{-H})$: so does its slope at the upper end.

The first way costs least.  Where masses rise by more than a factor of two from cell to cell the second one is taken,
and where they fall so the third.
Beyond the last point nothing lies, so that nothing can be lowered there: what the last cell holds is moved down to its
lower end, and the cell below that one is covered in the third way too.  What is left is convex in $\alpha$, and so a
measure, if its masses

$$u_j + C_j\Bigl(\frac1{e^H-1}+\frac1{1-e^{-H}}\Bigr) - \frac{C_{j+1}}{e^H-1} - \frac{C_{j-1}}{1-e^{-H}},
\qquad C_{-1}=C_0,$$

are not negative, u being those above; where one would be, its point is lowered further (obligation
``fast-path/lowered-masses``).  Everything is local: no recurrence runs along the grid, and no edge is searched.

Rounding, with $u = 2^{-53}$: shares and factors are balls, rounded; a sum of m positive products is off by at most
(m + 4)u relatively, in whatever order it is added, and a gap by (m + 8)u, which is granted to it; the C that are used
are doubles and exact.  The mass of a point is a sum of a few such terms: (m + 2 ``SPARE``)u of the sum of their
magnitudes is taken off it.

References:
    Ghazi, Kamath, Kumar and Manurangsi, "Faster privacy accounting via evolving discretization", 2022.
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots: tighter discrete approximations of privacy loss
    distributions", 2022, Section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.checks import natural
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.fast.exp import UNIT
from dpref.privacy.fast.measure import LEAST_MASS, GridMeasure
from dpref.reals import FloatArray, ball, precision

SPARE: Final = 16  # roundings that are granted to a bound beside those of its sum; there are fewer than ten
MOST_TIMES: Final = 64  # as wide a step as that, for which the count of roundings is proved
_BITS: Final = 128
_LOWERINGS: Final = 64
_MORE: Final = 1.9  # times what would do by itself: its neighbours are to be lowered next
_STEEP: Final = 2.0  # masses that rise by more from cell to cell do not bear that chords are lowered at both ends
_WASTE: Final = 4.0  # times the sum of all gaps, that may be lowered in all: with more of it another way is better
_WORTH: Final = 1 / 64  # part of the cells that may be moved down at the upper end
_WIDEST: Final = 256.0  # nats of a coarse cell: a share is above 2**-370, so that no mass of 2**-600 underflows with it


@final
@dataclass(frozen=True)
class _Cells:
    """The masses of a measure by coarse cells, and the numbers that depend on a mass's place in its cell alone.

    Attributes:
        masses: Shape (n, m): those from each coarse point up to the next one.
        to_left: Shares of the lower point, shape (m,).
        to_right: Shares of the upper point, shape (m,).
        rise: $e^{kh}-1$, shape (m,).
        fall: $1-e^{kh-H}$, shape (m,).
        slopes: $1/(e^H-1)$ and $1/(1-e^{-H})$.
        skipped: How many fine points without mass precede the first cell.
    """

    masses: FloatArray
    to_left: FloatArray
    to_right: FloatArray
    rise: FloatArray
    fall: FloatArray
    slopes: tuple[float, float]
    skipped: int

    @classmethod
    def of(cls, measure: GridMeasure, times: int) -> _Cells:
        if natural("times", times) > MOST_TIMES:
            raise InvalidArgumentError("times", times, f"must be at most {MOST_TIMES}")
        k = np.flatnonzero(measure.masses)
        first, last = int(k[0]), int(k[-1])
        masses = np.zeros((-(-(last + 1 - first) // times), times))
        masses.reshape(-1)[: last + 1 - first] = measure.masses[first : last + 1]
        with precision(_BITS):
            h = ball(measure.step)
            whole = h * times
            if not whole < _WIDEST:
                raise PrecisionError("the cells of a coarser grid are too wide")
            up, down = 1 / whole.expm1(), -1 / (-whole).expm1()
            rise, fall = [(h * i).expm1() for i in range(times)], [-(h * i - whole).expm1() for i in range(times)]
            # Not from fall and rise: next to one, with a step of many nats, too few digits tell fall from it.
            to_left = _rounded([(whole - h * i).expm1() * up for i in range(times)])
            to_right = _rounded([-(-h * i).expm1() * down for i in range(times)])
            slopes = float(up.mid()), float(down.mid())
            return cls(masses, to_left, to_right, _rounded(rise), _rounded(fall), slopes, first)


def _rounded(balls: list[arb]) -> FloatArray:
    return np.array([float(x.mid()) for x in balls])


def coarser_above(measure: GridMeasure, times: int) -> GridMeasure:
    """What dominates a measure, on a grid of a step that is so many times as wide.

    >>> from fractions import Fraction
    >>> one = GridMeasure(Fraction(0), Fraction(1, 8), np.array([0.5, 0.5]))
    >>> coarser_above(one, 2).masses.round(4).tolist(), coarser_above(one, 2).step
    ([0.7344, 0.2656], Fraction(1, 4))
    """
    cells = _Cells.of(measure, times)
    masses = _spread((cells.masses * cells.to_left).sum(axis=1), (cells.masses * cells.to_right).sum(axis=1))
    masses = np.where((masses > 0) & (masses < LEAST_MASS), LEAST_MASS, masses)
    return _measure(measure, cells, masses, (times + SPARE) * UNIT)


def coarser_below(measure: GridMeasure, times: int) -> GridMeasure:
    """What a measure dominates, on a grid of a step that is so many times as wide.

    Raises:
        PrecisionError: If none was found: where masses rise or fall very steeply from cell to cell.

    >>> from fractions import Fraction
    >>> found = coarser_below(GridMeasure(Fraction(0), Fraction(1, 8), np.full(33, 1 / 33)), 4)
    >>> bool(0.9 < found.masses.sum() < 1), found.step
    (True, Fraction(1, 2))
    """
    cells = _Cells.of(measure, times)
    left, right = cells.masses * cells.to_left, cells.masses * cells.to_right
    gaps = np.cumsum(left[:, ::-1], axis=1)[:, ::-1] * cells.rise
    gaps[:, 1:] += np.cumsum(right, axis=1)[:, :-1] * cells.fall[1:]
    granted = (times + SPARE) * UNIT
    gap = gaps.max(axis=1) * (1 + granted)
    masses = below_chords(left.sum(axis=1), right.sum(axis=1), gap, cells.slopes, granted)
    return _measure(measure, cells, np.where(masses < LEAST_MASS, 0.0, masses), 0.0)


def below_chords(
    left: FloatArray, right: FloatArray, gap: FloatArray, slopes: tuple[float, float], granted: float, off: float = 0.0
) -> FloatArray:
    """Masses at the lower ends of cells that are dominated, from what each cell gives to its two ends.

    Args:
        left: To the lower end, so that the mass under P and Q is what it was, shape (n,): not more.
        right: To the upper end, shape (n,): not more.
        gap: At least what the chord of each cell lies above the curve, shape (n,).
        slopes: $1/(e^H-1)$ and $1/(1-e^{-H})$ for cells of width H, rounded.
        granted: The relative rounding error of what is given.
        off: By how much more, relatively, what is given may have to be.

    Returns:
        Shape of at most (n,), not negative.

    Raises:
        PrecisionError: If none were found: where masses rise or fall very steeply from cell to cell.
    """
    moved = 1
    while moved <= max(1, len(left) * _WORTH):
        masses = _lowered(left, right, gap, slopes, (granted, off), moved)
        if masses is not None:
            return masses
        moved *= 4
    raise PrecisionError("masses are too steep for a coarser grid")


def _lowered(
    left: FloatArray,
    right: FloatArray,
    gap: FloatArray,
    slopes: tuple[float, float],
    doubts: tuple[float, float],
    moved: int,
) -> FloatArray | None:
    """The masses, if the last few cells are moved down to where they begin; None if one would be negative."""
    size, (up, down), (granted, off) = len(left), slopes, doubts
    kept_left, kept_right = (np.append(x[: size - moved], 0.0) for x in (left, right))
    end = float(left[size - moved :].sum() + right[size - moved :].sum())
    kept_left[-1] = end * (1 - granted - (2 * moved + SPARE) * UNIT)
    above = np.append(kept_left, 0.0) + np.append(0.0, kept_right)
    beyond = 1 + off + granted + SPARE * UNIT
    rising, falling = _steep(left + right)
    at_lower = np.where(rising, 0.0, np.where(falling, right / down * beyond, gap))[: size - moved]
    at_upper = np.where(falling, 0.0, np.where(rising, left / up * beyond, gap))[: size - moved - 1]
    lowered = np.append(at_lower, (0.0, 0.0))
    lowered[1:-2] = np.maximum(lowered[1:-2], at_upper)
    if size > moved:
        lowered[-3] = max(lowered[-3], float(kept_right[-2]) / down * beyond)
    both = up + down
    for _ in range(_LOWERINGS):
        more = above + lowered * both
        less = np.append(0.0, lowered[:-1] * down)
        less[:-1] += lowered[1:] * up
        less[0] += lowered[0] * down  # left of the first point all is lowered alike
        masses = (more - less) - (more + less) * (granted + SPARE * UNIT)
        short = np.flatnonzero(masses[:-2] < 0)
        if not short.size:
            # Left of the first point what is lowered there is lost at all orders.
            wasted = not float(lowered.sum()) + lowered[0] * down <= _WASTE * float(gap.sum())
            return None if wasted or masses[-2] < 0 else np.asarray(masses[:-1])
        lowered[short] -= masses[short] / both * _MORE
    return None


def _steep(whole: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which cells come before masses rise steeply for the last time, and from which ones they fall steeply."""
    place, top = np.arange(len(whole)), int(np.argmax(whole))
    rises = np.flatnonzero(whole[1 : top + 1] > _STEEP * whole[:top])
    rising = place <= (rises[-1] if rises.size else -1)
    falling = (place >= top) & (np.append(whole[1:], 0.0) * _STEEP < whole)
    return rising, falling & ~rising


def _spread(left: FloatArray, right: FloatArray) -> FloatArray:
    """The parts of every cell, added at its ends."""
    return np.asarray(np.append(left, 0.0) + np.append(0.0, right))


def _measure(measure: GridMeasure, cells: _Cells, masses: FloatArray, relative: float) -> GridMeasure:
    start = measure.start + measure.step * cells.skipped
    times = len(cells.to_left)
    return GridMeasure(start, measure.step * times, masses, measure.infinity, measure.relative + relative)
