r"""Privacy losses on a grid: two discrete pairs between which a dominating pair lies, in exact integers.

A measure of Q-mass on the points $\alpha_i = e^{ih}$ has the curve $v(\alpha) = \sum_j Q_j(\alpha_j-\alpha)_+$, convex
and piecewise linear with its kinks at the grid.  If v lies above (below) the curve h of a pair for every
$\alpha \ge 0$, then so do all increasing convex functionals, and with them every composition.

* Above: v interpolates h at the grid points ("connect the dots"); beyond the last one the loss is infinite.
* Below: between two grid points h lies above its tangent at the middle, so v must not exceed, at each grid point, the
  tangents of the two cells that meet there.  The largest such v is the lower convex hull of these values.  It is found
  roughly, made smaller by the factor $1-2^{-60}$, rounded down, and then checked in balls: the check is the proof.

P-masses $P_i = \alpha_iQ_i$ are integers in units of $2^{-\text{bits}}$, rounded up above and down below; a functional
$\sum_i P_i f(ih)$ with $f \ge 0$ is monotone in them.

References:
    Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots: tighter discrete approximations of privacy loss
    distributions", 2022.
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from flint import arb, fmpz_poly

from dpref.errors import PrecisionError
from dpref.privacy.pld.pair import Curve, Pair
from dpref.privacy.searches import bisected
from dpref.privacy.time_limit import checkpoint
from dpref.reals import ball, precision

GUARD_BITS: Final = 128
_SHRINK_BITS: Final = 60
_FARTHEST: Final = 1 << 24  # cells searched for the ends of a pair


@final
@dataclass(frozen=True)
class Masses:
    """The probabilities of a discrete privacy loss under P, in whole units.

    Attributes:
        first: Grid index of the first coefficient: its loss is ``first * step``.
        masses: Non-negative integers, in units of ``2**-bits``.
        infinite: Mass of infinite loss, in the same units.
        bits: The unit.
        above: True if it bounds the composition from above (roundings go up), False from below.
    """

    first: int
    masses: fmpz_poly
    infinite: int
    bits: int
    above: bool


@final
@dataclass(frozen=True)
class Grid:
    """An equally spaced grid, onto which losses are put.

    Attributes:
        step: The grid is all multiples of this number.
        bits: Masses are multiples of ``2**-bits``.
        stride: Far from zero only each so many-th multiple is used.
        core: Grid index up to which, on either side of zero, all are.
        points: The grid indices that are used, increasing, if they are chosen one by one.
    """

    step: Fraction
    bits: int
    stride: int = 1
    core: int = 0
    points: tuple[int, ...] = ()

    @property
    def precision(self) -> int:
        """Working precision of the balls from which masses are made."""
        return self.bits + GUARD_BITS

    def at(self, index: int) -> arb:
        """The grid point, as a ball."""
        checkpoint()
        return ball(index * self.step)

    def middle(self, left: int, right: int) -> arb:
        """The middle between two grid points, as a ball."""
        return ball((left + right) * self.step / 2)

    def used(self, first: int, last: int) -> list[int]:
        """The grid indices onto which losses are put, from one at most ``first`` to one at least ``last``.

        >>> Grid(Fraction(1), 64, stride=4, core=1).used(-6, 3)
        [-8, -4, -1, 0, 1, 4]
        >>> Grid(Fraction(1), 64, points=(-4, -1, 0, 5)).used(-2, 7)
        [-4, -1, 0, 5, 7]
        """
        if self.points:
            left, right = bisect_right(self.points, first) - 1, bisect_left(self.points, last)
            inner = self.points[max(0, left) : right + 1]
            return sorted({*inner, min(first, inner[0]), max(last, inner[-1])})
        if self.stride == 1:
            return list(range(first, last + 1))
        wide = range(first // self.stride * self.stride, last + self.stride, self.stride)
        return sorted({*wide, *range(max(first, -self.core), min(last, self.core) + 1)})


@final
@dataclass(frozen=True)
class _Measure:
    """A pair of finite measures: the curve and all mass of P and of Q."""

    curve: Curve
    p: arb
    q: arb

    def left(self, alpha: arb) -> arb:
        """The curve left of every loss: its lower bound everywhere."""
        return self.p - alpha * self.q


def discretise_above(pair: Pair, grid: Grid) -> Masses:
    """Connect the dots: the smallest discrete pair on the grid that dominates; atoms on the grid stay where they are.

    Raises:
        PrecisionError: If the pair does not fit on a grid of reasonable size.
    """
    return _collected(*spread_above(pair, grid), grid, above=True)


def spread_above(pair: Pair, grid: Grid) -> tuple[dict[int, int], int]:
    """The masses of `discretise_above` by their grid indices, and the infinite one, in units of the grid.

    Args:
        pair: The pair that is dominated.
        grid: Where its losses are put.
    """
    with precision(grid.precision):
        atoms, rest = _parts(pair, grid)
        masses = {index: _round_up(p, grid.bits) for index, p in atoms}
        infinite = 0 if pair.finite is None else _round_up(1 - pair.finite()[0], grid.bits)
        if pair.split is not None and atoms:
            infinite += _round_up(pair.split.above(), grid.bits)
            masses[atoms[0][0]] += _round_up(pair.split.below(), grid.bits)
        if rest is not None:
            dots, beyond = _dots(rest, grid)
            infinite += beyond
            for i, mass in dots:
                masses[i] = masses.get(i, 0) + mass
        return masses, infinite


def _dots(measure: _Measure, grid: Grid) -> tuple[list[tuple[int, int]], int]:
    used = grid.used(*_range(measure, grid))
    alphas = [grid.at(i).exp() for i in used]
    values = [measure.curve(grid.at(i))[0].nonnegative_part() for i in used]
    falls = [(values[i] - values[i + 1]) / (alphas[i + 1] - alphas[i]) for i in range(len(used) - 1)]
    # Left of the grid v is the line from the total P-mass, right of it what is left: an infinite loss.
    falls = [(measure.p - values[0]) / alphas[0], *falls, arb(0)]
    masses = [_round_up(a * (falls[i] - falls[i + 1]), grid.bits) for i, a in enumerate(alphas)]
    return list(zip(used, masses, strict=True)), _round_up(values[-1], grid.bits)


def discretise_below(pair: Pair, grid: Grid) -> Masses:
    """The hull of tangents of the cells: a discrete pair on the grid that is dominated; atoms stay where they are.

    Raises:
        PrecisionError: If the pair does not fit on a grid of reasonable size, or the final check fails.
    """
    return _collected(*gathered_below(pair, grid), grid, above=False)


def gathered_below(pair: Pair, grid: Grid) -> tuple[dict[int, int], int]:
    """The masses of `discretise_below` by their grid indices, and the infinite one, in units of the grid.

    Args:
        pair: The pair that dominates.
        grid: Where its losses are put.
    """
    with precision(grid.precision):
        atoms, rest = _parts(pair, grid)
        masses = {index: max(0, _floor(p * arb(2) ** grid.bits)) for index, p in atoms}
        if rest is not None:
            used = grid.used(*_range(rest, grid))
            alphas = [arb(0), *(grid.at(i).exp() for i in used)]
            limits = _limits(rest, grid, used, alphas)
            hull = _hull_masses(alphas, limits, grid.bits)
            _check_below(alphas, limits, hull, grid.bits)
            for i, mass in zip(used, hull[1:], strict=True):
                masses[i] = masses.get(i, 0) + mass
        infinite = 0 if pair.finite is None else max(0, _floor((1 - pair.finite()[0]) * arb(2) ** grid.bits))
        return masses, infinite


def _parts(pair: Pair, grid: Grid) -> tuple[list[tuple[int, arb]], _Measure | None]:
    """Atoms with their grid indices, and the rest; no atoms if the grid does not contain their lattice."""
    split = pair.split
    if split is None or (split.lattice / grid.step).denominator != 1:
        return [], _finite_losses(pair)
    ratio = (split.lattice / grid.step).numerator
    atoms = [(ratio * k, p) for k, p in split.atoms()]
    return atoms, None if split.rest is None else _Measure(split.rest, *split.rest_total())


def _finite_losses(pair: Pair) -> _Measure:
    """A pair without its infinite losses."""
    if pair.finite is None:
        return _Measure(pair.curve, arb(1), arb(1))
    p, q = pair.finite()

    def curve(x: arb) -> tuple[arb, arb]:
        value, mass = pair.curve(x)
        return value - (1 - p), mass

    return _Measure(curve, p, q)


def _collected(masses: dict[int, int], infinite: int, grid: Grid, *, above: bool) -> Masses:
    first, last = min(masses), max(masses)
    if last - first > 2 * _FARTHEST:  # atoms on their lattice reach as far as they do, however little they weigh
        raise PrecisionError("a privacy loss needs too many cells: choose a wider grid")
    dense = [masses.get(i, 0) for i in range(first, last + 1)]
    return Masses(first, fmpz_poly(dense), infinite, grid.bits, above)


def _limits(measure: _Measure, grid: Grid, used: list[int], alphas: list[arb]) -> list[arb]:
    """What v may be at 0 and at the grid points; zero at the last one, where v ends."""
    lines = [_line(measure, grid, *cell) for cell in pairwise([used[0] - grid.stride, *used])]
    # Cell c lies left of alphas[c + 1]; the line of the first whole cell also limits v at 0.
    inner = [_smaller(lines[c](alphas[c + 1]), lines[c + 1](alphas[c + 1])) for c in range(len(used) - 1)]
    return [lines[1](alphas[0]), *inner, arb(0)]


def _line(measure: _Measure, grid: Grid, before: int, after: int) -> Callable[[arb], arb]:
    """A line below the curve, close to it between two grid points: the tangent at the middle, where it is of use.

    Where that tangent passes below the line of all mass on its left, v could not be convex: the tangent at the left
    grid point is taken.  Where it turns negative inside the cell, the zero line is.  Ending at zero is no reason: where
    all losses lie inside one cell around zero, the line of all mass is all that is known of them.
    """
    left, right = grid.at(before).exp(), grid.at(after).exp()
    tangent = _tangent(measure, grid.middle(before, after))
    if not tangent(left) >= measure.left(left):
        tangent = _tangent(measure, grid.at(before))
    return (lambda _: arb(0)) if tangent(right) < 0 else tangent


def _tangent(measure: _Measure, x: arb) -> Callable[[arb], arb]:
    value, fall = measure.curve(x)
    at = x.exp()
    return lambda alpha: value - fall * (alpha - at)


def _smaller(a: arb, b: arb) -> arb:
    return a if a.lower() < b.lower() else b


def _hull_masses(alphas: list[arb], limits: list[arb], bits: int) -> list[int]:
    """Masses at the kinks of the lower convex hull of the limits, a little less than they could be."""
    xs, ys = [a.mid() for a in alphas], [max(arb(0), u.lower()) for u in limits]
    hull: list[int] = []
    for i in range(len(xs)):
        checkpoint()
        while len(hull) > 1 and _is_above(xs, ys, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    falls = [(ys[a] - ys[b]) / (xs[b] - xs[a]) for a, b in pairwise(hull)]
    masses = [0] * len(xs)
    shrink = 1 - arb(2) ** -_SHRINK_BITS
    for k, (left, right) in enumerate(zip(falls, [*falls[1:], arb(0)], strict=True), start=1):
        kink = (xs[hull[k]] * (left - right) * shrink * arb(2) ** bits).mid()
        masses[hull[k]] = max(0, _floor(kink))
    return masses


def _is_above(xs: list[arb], ys: list[arb], a: int, b: int, c: int) -> bool:
    """Whether point b lies above the line from a to c (roughly: balls' midpoints)."""
    rise = ((ys[b] - ys[a]) * (xs[c] - xs[a])).mid()
    return bool(rise >= ((ys[c] - ys[a]) * (xs[b] - xs[a])).mid())


def _check_below(alphas: list[arb], limits: list[arb], masses: list[int], bits: int) -> None:
    """Certify that v stays below the limits at 0 and at every grid point: then it stays below the curve everywhere."""
    unit = arb(2) ** -bits
    value = fall = arb(0)
    for i in range(len(alphas) - 1, -1, -1):
        checkpoint()
        if i < len(alphas) - 1:
            value += fall * (alphas[i + 1] - alphas[i])
        if not (value <= limits[i]) and not value.is_zero():
            raise PrecisionError("the lower discretisation of a privacy loss could not be certified")
        if i > 0 and masses[i]:
            fall += masses[i] * unit / alphas[i]


def range_of(pair: Pair, bits: int) -> Fraction:
    """Roughly how far a loss reaches, as a power of two: the larger of both sides, up to ``2**-bits`` of mass."""
    with precision(bits + GUARD_BITS):
        measure = _finite_losses(pair)
        unit = arb(2) ** -bits

        def beyond(x: Fraction) -> bool:
            return _little_above(measure, ball(x), unit) and _little_below(measure, ball(-x), unit)

        size = Fraction(1)
        while not beyond(size):
            size *= 2
            if size > _FARTHEST:
                raise PrecisionError("a privacy loss reaches too far to be put on a grid")
        while size > Fraction(1, _FARTHEST**4) and beyond(size / 2):
            size /= 2
        return size


def _little_above(measure: _Measure, x: arb, unit: arb) -> bool:
    return bool(measure.curve(x)[0] < unit)


def _little_below(measure: _Measure, x: arb, unit: arb) -> bool:
    value, mass = measure.curve(x)
    return bool(measure.p - value - x.exp() * mass < unit)


def _range(measure: _Measure, grid: Grid) -> tuple[int, int]:
    """Grid indices beyond which less than half a unit of mass lies, on either side."""
    unit = arb(2) ** -(grid.bits + 1)
    last = _least(lambda i: _little_above(measure, grid.at(i), unit))
    first = -_least(lambda i: _little_below(measure, grid.at(-i), unit))
    return min(first, last - 1), last


def _least(good: Callable[[int], bool]) -> int:
    """The least index with an increasing property, by galloping and bisection; negative ones are searched too."""
    if good(0):
        low, high, stride = -1, 0, 1
        while good(low):
            low, high, stride = low - 2 * stride, low, 2 * stride
            if -low > _FARTHEST:
                return low
    else:
        low, high, stride = 0, 1, 1
        while not good(high):
            low, high, stride = high, high + 2 * stride, 2 * stride
            if high > _FARTHEST:
                raise PrecisionError("a privacy loss needs too many cells: choose a wider grid")
    return bisected(good, low, high)


def _round_up(x: arb, bits: int) -> int:
    return max(0, -_floor(-(x * arb(2) ** bits).upper()))


def _floor(x: arb) -> int:
    if not x.is_finite():
        raise PrecisionError("a mass is not finite")
    whole = x.lower().floor().unique_fmpz()
    if whole is None:
        raise PrecisionError("a mass could not be rounded")
    return int(whole)
