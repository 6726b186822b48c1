r"""Dominating pairs of several answers at once: the product of their pairs, known between two discrete pairs.

What several answers on one batch spend is the curve of $(\bigotimes P_i,\bigotimes Q_i)$, to which a sampler is applied
as to that of a single answer.  The curve has no formula.  It is composed once on a fine grid from above, and once from
below; both are curves of discrete losses, $h(x)=P(\infty)+\sum_{ih>x}P_i(1-e^{x-ih})$, and lie on either side of the
true one at every x, so that all that is monotone in a curve (mixtures, compositions) keeps the order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from typing import Final, TypeAlias, final

from flint import arb, ctx

from dpref.errors import PrecisionError
from dpref.privacy.pld.convolution import compose
from dpref.privacy.pld.discretisation import Grid, Masses, discretise_above, discretise_below, range_of
from dpref.privacy.pld.pair import Pair, PairSet, common_lattice, on_lattice
from dpref.privacy.time_limit import checkpoint
from dpref.reals import ball

Parts: TypeAlias = tuple[tuple[Pair, int], ...]

_BITS: Final = 128  # of a mass: what is below is moved in its direction
_CELLS: Final = 1 << 12  # of the widest single loss
_MOST_CELLS: Final = 1 << 16  # of it on a lattice
_FREE: Final = 16  # answers up to which the grid is as fine as that; with more it grows with the deviation of their sum
_TRIMMED: Final = 1 << 8  # units of mass moved or dropped at the ends


def composed(name: str, parts: Sequence[tuple[PairSet, int]]) -> PairSet:
    """The pairs of a composition as one mechanism; nothing is computed before its curve is asked.

    Args:
        name: What the pairs are called.
        parts: The pairs of its answers, each with how often it is composed.
    """

    def direction(choose: Callable[[PairSet], Pair | None]) -> Parts:
        return tuple((pair, count) for p, count in parts if (pair := choose(p)) is not None)

    grid = _LazyGrid(tuple(pair for p, _ in parts for pair in (p.remove, p.add)), sum(count for _, count in parts))

    def pair(chosen: Parts, *, above: bool) -> Pair:
        losses = _Losses(chosen, grid, above=above)
        smooth = any(part.smooth for part, _ in chosen)  # a sum of losses one of which has no atoms has none
        return Pair(f"{name}, {'above' if above else 'below'}", losses.curve, finite=losses.finite, smooth=smooth)

    remove, add = direction(lambda p: p.remove), direction(lambda p: p.add)
    real, other = direction(lambda p: p.attained_remove), direction(lambda p: p.attained_add)
    first = pair(remove, above=True)
    below = pair(real, above=False) if real else None
    return PairSet(
        first,
        first if add == remove else pair(add, above=True),
        below,
        below if other == real else pair(other, above=False) if other else None,
    )


@final
class _LazyGrid:
    """One grid for all directions, made when it is first needed."""

    def __init__(self, pairs: tuple[Pair, ...], count: int) -> None:
        self._pairs = tuple({id(pair): pair for pair in pairs}.values())
        self._count = count

    @cached_property
    def made(self) -> Grid:
        """The grid; the lattice itself where all losses lie on one that is not too fine."""
        splits = [pair.split for pair in self._pairs if pair.split is not None]
        lattices = [split.lattice for split in splits] + [pair.kinks for pair in self._pairs if pair.kinks]
        lattice = reduce(common_lattice, lattices) if lattices else None
        reach = max(range_of(pair, _BITS) for pair in self._pairs)
        on_it = len(splits) == len(self._pairs) and all(split.rest is None for split in splits)
        if lattice is not None and on_it and reach <= _MOST_CELLS * lattice:
            return Grid(lattice, _BITS)
        spread = max(1, math.isqrt(self._count // _FREE))
        fine = lattice is not None and reach > _MOST_CELLS * lattice  # as good as none
        return Grid(on_lattice(reach * spread / _CELLS, None if fine else lattice), _BITS)


@final
class _Losses:
    """The curve of composed discrete losses."""

    def __init__(self, parts: Parts, grid: _LazyGrid, *, above: bool) -> None:
        self._parts = parts
        self._grid = grid
        self._above = above
        self._table = lru_cache(maxsize=4)(self._sums)

    @cached_property
    def _masses(self) -> Masses:
        checkpoint("several answers on one batch")
        put = discretise_above if self._above else discretise_below
        made = [(put(pair, self._grid.made), count) for pair, count in self._parts]
        return compose(made, Fraction(_TRIMMED))

    def finite(self) -> tuple[arb, arb]:
        """P-mass and Q-mass of finite losses."""
        return 1 - ball(Fraction(self._masses.infinite, 1 << self._masses.bits)), arb(1)

    def curve(self, x: arb) -> tuple[arb, arb]:
        """h(x) and q(x), as balls that hold both sides where a ball straddles a loss."""
        step, first = ball(self._grid.made.step), self._masses.first
        found = (_above(end / step, up=up) for end, up in ((x.lower(), False), (x.upper(), True)))
        # Beyond all losses one line holds, and an astronomical quotient is not known to one cell.
        low, high = (min(max(index, first), first + len(self._masses.masses)) for index in found)
        if high - low > 1:
            (a, p), (b, q) = self.curve(x.lower()), self.curve(x.upper())
            return a.union(b), p.union(q)
        value, mass = self._line(low, x)
        if high > low:
            other, more = self._line(high, x)
            value, mass = value.union(other), mass.union(more)
        return value, mass

    def _line(self, index: int, x: arb) -> tuple[arb, arb]:
        """With the losses from a grid index on."""
        firsts, seconds = self._table(ctx.prec)
        place = min(max(0, index - self._masses.first), len(firsts) - 1)
        value, mass = firsts[place] - x.exp() * seconds[place], seconds[place]
        if self._above or value > -x.expm1():
            return value, mass
        # What is dropped below is missing on the left, where every curve is at least this line.
        return (-x.expm1(), arb(1)) if value < -x.expm1() else (value.max(-x.expm1()), mass.union(arb(1)))

    def _sums(self, _: int) -> tuple[list[arb], list[arb]]:
        """P-mass (infinite losses included) and Q-mass from each loss on, at the working precision."""
        masses, unit = self._masses, arb(2) ** -self._masses.bits
        whole, second = masses.infinite, arb(0)
        firsts, seconds = [whole * unit], [second]
        coefficients = masses.masses.coeffs()
        for place in range(len(coefficients) - 1, -1, -1):
            mass = int(coefficients[place])
            whole += mass
            second += mass * unit * (-self._grid.made.at(masses.first + place)).exp()
            firsts.append(whole * unit)
            seconds.append(second)
        return firsts[::-1], seconds[::-1]


def _above(t: arb, *, up: bool) -> int:
    """The least integer above a number, or above what its ball holds at one end."""
    end = (t.upper() if up else t.lower()).floor().unique_fmpz()
    if end is None:
        raise PrecisionError("a privacy loss could not be put on a grid")
    return int(end) + 1
