"""Sums of discrete privacy losses: exact products of integer polynomials, rounded in one direction.

Nothing here is a float: a product of masses is rounded up if it bounds from above and down if it bounds from below;
mass far out on the left is moved up to the first cell kept (above) or dropped (below), mass far out on the right gets
an infinite loss (above) or is dropped (below).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Final, final

from flint import arb, fmpz, fmpz_poly

from dpref.errors import PrecisionError
from dpref.privacy.pld.discretisation import Grid, Masses
from dpref.privacy.time_limit import checkpoint
from dpref.reals import ball, float_up, lower, precision, upper

_DECAY_BITS: Final = 64  # bits of the fixed-point factor exp(-step) beyond those of the masses
LONGEST_PRODUCT: Final = 1 << 22  # coefficients: a longer one is known to take too long before it is begun


def power(part: Masses, count: int, spare: Fraction) -> Masses:
    """The distribution of the sum of ``count`` independent losses, by repeated squaring.

    Args:
        part: One loss.
        count: At least 1.
        spare: Mass that the whole composition may move or drop, in units; a share of it is used at each level.
    """
    result: Masses | None = None
    reached, square, done = 1, part, 0
    while True:
        if count & reached:
            done += reached
            result = square if result is None else product(result, square, spare * done / (64 * count))
        if reached > count // 2:
            break
        reached *= 2
        square = product(square, square, spare * reached / (64 * count))
    if result is None:
        raise PrecisionError("nothing to compose")
    return result


def product(a: Masses, b: Masses, spare: Fraction) -> Masses:
    """The distribution of the sum of two independent losses; ``spare`` units of mass may be moved at either end."""
    checkpoint(f"a product of {len(a.masses)} and {len(b.masses)} masses")
    if len(a.masses) + len(b.masses) > LONGEST_PRODUCT:
        raise PrecisionError(f"so many answers need {len(a.masses) + len(b.masses)} grid points, which takes too long")
    scale = fmpz(1) << a.bits
    exact = a.masses * b.masses
    if a.above:
        # Rounding up by adding first: the quotient of polynomials takes a negative coefficient above -scale for zero.
        exact += fmpz_poly([scale - 1] * len(exact))
    rounded = exact // scale
    return trimmed(Masses(a.first + b.first, rounded, _either(a, b, spare), a.bits, a.above), math.floor(spare))


def _either(a: Masses, b: Masses, spare: Fraction) -> int:
    """The chance that either loss is infinite, in units.

    Above, where the chance of both is no more than what may be moved, the sum of both chances is taken.
    """
    whole = 1 << a.bits
    if not a.above:
        return a.infinite + b.infinite + -a.infinite * b.infinite // whole
    one, other = min(a.infinite, whole), min(b.infinite, whole)
    both = one * other // whole
    return one + other - both if both > spare else a.infinite + b.infinite


def trimmed(losses: Masses, spare: int) -> Masses:
    """The losses without at most ``spare`` units of mass at either end, moved or dropped as the direction demands."""
    masses = losses.masses.coeffs()
    start, stop = 0, len(masses)
    left = right = fmpz(0)
    while stop > 1 and right + masses[stop - 1] <= spare:
        stop -= 1
        right += masses[stop]
    while start < stop - 1 and left + masses[start] <= spare:
        left += masses[start]
        start += 1
    kept = masses[start:stop]
    infinite = losses.infinite
    if losses.above:
        if kept:
            kept[0] += left
        infinite += int(right)
    return Masses(losses.first + start, fmpz_poly(kept), infinite, losses.bits, losses.above)


def compose(parts: Sequence[tuple[Masses, int]], spare: Fraction) -> Masses:
    """The distribution of the sum of all losses, each ``count`` times."""
    result: Masses | None = None
    for part, count in parts:
        whole = power(part, count, spare / len(parts))
        result = whole if result is None else product(result, whole, spare / (64 * len(parts)))
    if result is None:
        raise PrecisionError("nothing to compose")
    return result


def epsilon_at(losses: Masses, grid: Grid, delta: Fraction) -> float:
    """The epsilon at which the discrete losses have that delta, rounded in their direction; infinite if none does."""
    goal = delta * 2 ** (losses.bits + _DECAY_BITS)
    infinite = losses.infinite << _DECAY_BITS
    if infinite > goal or (losses.above and infinite == goal):
        return math.inf
    # The first value, from the right, that is above the goal (or at it, for a lower bound).
    enough = math.floor(goal) + 1 if losses.above else math.ceil(goal)
    for j, s, w in _sweep(losses, grid):
        if infinite + (s << _DECAY_BITS) - w >= enough:
            return max(0.0, _root(losses, grid, j, infinite + (s << _DECAY_BITS) - goal, w))
        if j <= 0:
            return 0.0
    raise AssertionError  # the sweep does not end by itself


def _root(losses: Masses, grid: Grid, j: int, excess: Fraction, weight: int) -> float:
    """Where the curve between grid points j and j + 1, which falls by its weight times e^x, meets its goal."""
    with precision(grid.precision):
        if weight == 0:  # only above, where it is rounded down: a step so wide that nothing of its decay is left
            return upper(grid.at(j + 1))
        x = grid.at(j) + ball(excess / weight).log()
        # Beyond the next grid point the formula falls below the curve: that point itself has been seen to be enough.
        return min(upper(x), upper(grid.at(j + 1))) if losses.above else lower(x)


def delta_at(losses: Masses, grid: Grid, epsilon: Fraction) -> float:
    """The delta of the discrete losses at an epsilon, rounded in their direction."""
    goal = math.floor(epsilon / grid.step)
    unit = Fraction(1, 1 << losses.bits)
    for j, s, w in _sweep(losses, grid):
        if j <= goal:
            with precision(grid.precision):
                growth = (ball(epsilon) - grid.at(goal)).exp()
                # To the right of all masses both sums are empty, whatever j.
                inner = ball((losses.infinite + s) * unit) - growth * ball(w * unit / (1 << _DECAY_BITS))
            return min(1.0, max(0.0, upper(inner) if losses.above else lower(inner)))
    raise AssertionError  # the sweep does not end by itself


def _sweep(losses: Masses, grid: Grid) -> Iterator[tuple[int, int, int]]:
    r"""From the right: j, $S_j = \sum_{i>j}P_i$ and $W_j = \sum_{i>j}P_ie^{(j-i)h}$, without end on the left.

    S is in units of the masses, W in units that are ``2**64`` times smaller, rounded down for an upper bound of delta
    (which subtracts it) and up for a lower one.
    """
    masses = losses.masses.coeffs()
    shift = losses.bits + _DECAY_BITS
    with precision(shift + _DECAY_BITS):
        decay = (ball(-grid.step).exp() * arb(2) ** shift).lower().floor().unique_fmpz()
    if decay is None:
        raise PrecisionError("the decay from cell to cell could not be rounded")
    factor = decay if losses.above else decay + 2
    nudge = 0 if losses.above else 1
    s = w = fmpz(0)
    j = losses.first + len(masses) - 1
    while True:
        checkpoint()
        yield j, int(s), int(w)
        mass = masses[j - losses.first] if j >= losses.first else fmpz(0)
        s += mass
        w = ((w + (mass << _DECAY_BITS)) * factor >> shift) + nudge
        j -= 1


@final
class Tails:
    """All of `delta_at`, and the errors of all threshold tests, from one sweep.

    Args:
        losses: The distribution of a composition.
        grid: The grid on which it lies.

    >>> grid = Grid(Fraction(1), 64)
    >>> losses = Masses(-1, fmpz_poly([1 << 62, 0, 3 << 62]), 0, 64, above=False)
    >>> Tails(losses, grid).delta(Fraction(0)) == delta_at(losses, grid, Fraction(0))
    True
    """

    origin: Fraction = Fraction(0)
    method = "privacy loss distribution"

    def __init__(self, losses: Masses, grid: Grid) -> None:
        self.losses = losses
        self.grid = grid
        self.step: Fraction = grid.step
        self.precision: int = grid.precision
        self._last = losses.first + len(losses.masses) - 1
        self._sums = [(s, w) for _, s, w in islice(_sweep(losses, grid), len(losses.masses) + 1)]

    def _at(self, loss: Fraction) -> tuple[int, int, int]:
        """The grid point at or below a loss (none of the masses lies between), S and W there."""
        j = min(max(math.floor(loss / self.step), self.losses.first - 1), self._last)
        return j, *self._sums[self._last - j]

    def delta(self, loss: Fraction) -> float:
        """The delta of the discrete losses at a loss, which may be negative, rounded in their direction."""
        j, s, w = self._at(loss)
        unit = Fraction(1, 1 << self.losses.bits)
        with precision(self.grid.precision):
            growth = (ball(loss) - self.grid.at(j)).exp()
            inner = ball((self.losses.infinite + s) * unit) - growth * ball(w * unit / (1 << _DECAY_BITS))
        return min(1.0, max(0.0, upper(inner) if self.losses.above else lower(inner)))

    def test(self, loss: Fraction) -> tuple[float, float]:
        """The errors of the test "above this loss", both rounded up."""
        j, s, w = self._at(loss)
        unit = Fraction(1, 1 << self.losses.bits)
        with precision(self.grid.precision):
            first = (-self.grid.at(j)).exp() * ball(w * unit / (1 << _DECAY_BITS))
        return min(1.0, upper(first)), min(1.0, max(0.0, float_up(1 - (self.losses.infinite + s) * unit)))
