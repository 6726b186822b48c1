r"""Compositions of very many steps, in stages: a block of steps, put on a coarser grid, then a block of blocks.

One transform for T steps needs a grid that is fine enough for a single loss and a window that is wide enough for the
sum.  A block of $T/n$ steps needs a window of its own width only, and what it is put on next may be coarser by
$\sqrt{T/n}$ for the same effect on the variance of the sum.  Each stage dominates the last one (or is dominated by it:
`dpref.privacy.fast.coarser`), so that both ends stay certified (obligation ``fast-path/monotone``).

`block` returns the masses of a composition themselves, where `dpref.privacy.fast.pld.compose` returns sums of them.
Its convolution is tilted as there, so that an error E of every coefficient is small beside those that matter.

*Above*, E is added to every coefficient; what lies below the window is moved up to its first point, and what lies above
it counts as an infinite loss; what wraps round into the window only adds to it.

*Below*, E and all that may have wrapped round are subtracted from every coefficient; what lies outside is left out.

Both are Chernoff's bounds, of masses that are not tilted for what is moved (obligation ``fast-path/aliasing``).  A mass
undoes the tilt by one product with an entry of a geometric table, $6.15u + 2u$ with the sum's own rounding
(obligation ``fast-path/block``).

References:
    Ghazi, Kamath, Kumar and Manurangsi, "Faster privacy accounting via evolving discretization", 2022.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from flint import arb

from dpref.errors import PrecisionError
from dpref.privacy.fast.coarser import coarser_above, coarser_below
from dpref.privacy.fast.exp import GEOMETRIC_ERROR, UNIT, geometric
from dpref.privacy.fast.fft import BITS, LARGEST_LEVEL, convolution_power
from dpref.privacy.fast.measure import LEAST_MASS, Cumulants, Factors, GridMeasure, common_step
from dpref.privacy.fast.pld import TILT_ERROR, chernoff, mass_at_infinity, tilted_masses
from dpref.privacy.time_limit import checkpoint
from dpref.reals import ball, lower, precision, upper

UNDO_ERROR: Final = GEOMETRIC_ERROR + 3.05  # units by which an untilted mass is off: the table, a product, a sum
_BLOCK_NATS: Final = 40.0  # what wraps round is subtracted from every coefficient of a lower bound: it must be tiny
_ABOVE: Final = 4.0
_LARGEST_RELATIVE: Final = 2.0**-11


@final
@dataclass(frozen=True)
class Stages:
    """How a composition is cut: first into so many blocks, on a grid so many times as coarse; then these again.

    Attributes:
        tilt: Under which every block is composed.
        far: Nats: what lies above a block's window has less mass than e to minus this.
        cuts: For each stage the number of blocks and the ratio of the steps.
    """

    tilt: float
    far: float
    cuts: tuple[tuple[int, int], ...]

    def compose(self, factors: Factors, *, above: bool) -> Factors:
        """The factors of the last stage.

        Args:
            factors: Those of the first one.
            above: Whether they bound from above.

        Raises:
            PrecisionError: If doubles do not suffice.
        """
        coarser = coarser_above if above else coarser_below
        for blocks, times in self.cuts:
            checkpoint()
            whole = [(measure, count // blocks) for measure, count in factors if count >= blocks]
            rest = [(measure, count % blocks) for measure, count in factors if count % blocks]
            # A factor without steps in every block is in the rest alone.
            parts = [(part, many) for part, many in ((whole, blocks), (rest, 1)) if part]
            factors = [(coarser(block(part, self, above=above), times), many) for part, many in parts]
        return factors


def block(factors: Factors, stages: Stages, *, above: bool) -> GridMeasure:
    """A composition as a measure on the grid of its factors.

    Args:
        factors: Measures on grids of one step, each with how often it is composed.
        stages: The tilt, and how far up the window reaches.
        above: Whether the measure dominates the composition, or is dominated by it.

    Raises:
        InvalidArgumentError: If the factors do not fit together.
        PrecisionError: If the window would be too long, or a number leaves the range of doubles.

    >>> coin = GridMeasure(Fraction(-1, 8), Fraction(1, 4), np.array([0.46875, 0.53125]))
    >>> found = block([(coin, 2)], Stages(1.0, 40.0, ()), above=True)
    >>> float(found.start), found.masses.round(6).tolist()
    (-0.25, [0.219727, 0.498047, 0.282227])
    """
    if len(factors) == 1 and factors[0][1] == 1:
        return factors[0][0]
    step, cumulants, theta = common_step(factors), Cumulants.of(factors), stages.tilt
    origin = sum((measure.start * count for measure, count in factors), Fraction(0))
    support = sum(count * (len(measure.masses) - 1) for measure, count in factors)
    found = [
        _window_end(cumulants, sign, [(theta, _BLOCK_NATS), (0.0, nats)])
        for sign, nats in ((-1, _BLOCK_NATS), (1, stages.far))
    ]
    ends = [(end - float(origin)) / float(step) for _, end in found]
    longest = max(len(measure.masses) for measure, _ in factors)
    needed = max(longest, min(support + 1, math.ceil(ends[1]) - math.floor(ends[0]) + 2))
    levels = (needed - 1).bit_length()
    if levels > LARGEST_LEVEL:
        raise PrecisionError(f"a window of {needed} grid points is too long; use a coarser grid")
    size = 1 << levels
    first = max(0, min(math.floor(ends[0]), support + 1 - size))
    with precision(BITS):
        tilt = arb(theta) * ball(step)
        tilted, alpha = tilted_masses(factors, tilt)
        power = convolution_power([(w, count) for w, (_, count) in zip(tilted, factors, strict=True)], levels)
        values = np.roll(power.values, -(first % size))[: min(math.ceil(ends[1]) + 2, support + 1) - first]
        back = geometric(-alpha - tilt * first, -tilt, len(values))
        spread = sum((count * (arb(TILT_ERROR * UNIT) + arb(m.relative)) for m, count in factors), arb(0))
        relative = upper((spread * (1 + arb(2) ** -9)).expm1() + arb(UNDO_ERROR * UNIT))
        if not relative < _LARGEST_RELATIVE:
            raise PrecisionError("a block has too many steps for doubles")
        plain = [measure.masses for measure, _ in factors]
        slopes = [edge * float(step) for edge, _ in found]
        infinity = mass_at_infinity(factors)
        if above:
            values = (values + power.error) * back
            slack = 1 + arb(relative) * 2
            if first > 0:
                values[0] += upper(chernoff(plain, factors, slopes[0], first - 1, above=False) * slack)
            if first + len(values) <= support:
                infinity += chernoff(plain, factors, slopes[1], first + len(values), above=True) * slack
            values = np.where(values < LEAST_MASS, LEAST_MASS, values)
            return GridMeasure(origin + step * first, step, values, min(1.0, upper(infinity)), relative)
        wrapped = arb(0)
        if first > 0:
            wrapped += chernoff(tilted, factors, slopes[0] - float(tilt.mid()), first - 1, above=False)
        if first + size <= support:
            wrapped += chernoff(tilted, factors, slopes[1] - float(tilt.mid()), first + size, above=True)
        # Masses that are not well above what they may be off are left out: they would rise and fall at random.
        off = upper((arb(power.error) + wrapped) * (1 + arb(2) ** -40))
        kept = np.flatnonzero(values > _ABOVE * off)
        if not kept.size:
            raise PrecisionError("no mass of a block is above its error")
        values = (values[: kept[-1] + 1] - off) * back[: kept[-1] + 1]
        values[: kept[0]] = 0.0
        values[values < LEAST_MASS] = 0.0
        return GridMeasure(origin + step * first, step, values, max(0.0, lower(infinity)), relative)


def _window_end(cumulants: Cumulants, sign: int, wanted: list[tuple[float, float]]) -> tuple[float, float]:
    """A tilt and a loss: beyond the loss there is less than e**-nats under each wanted tilt, about."""
    found = []
    for theta, nats in wanted:
        edge = cumulants.edge(theta, nats, sign)
        value = cumulants.at(edge)[0] - cumulants.at(theta)[0]
        found.append((sign * (value + nats) / (edge - theta), edge))
    farthest, edge = max(found)
    return edge, sign * farthest
