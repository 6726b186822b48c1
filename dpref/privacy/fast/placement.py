r"""Where the points of a grid should lie: close together where a composition's losses weigh most.

Spreading the losses of a cell of width w to its ends (and gathering them, for a lower end) moves the variance of the
sum by at most a quarter of $w^2$ for each of them, and so $\varepsilon$ by about $(1+\theta)/8$ times
$\sum_cT\tilde m_cw_c^2$, where $\tilde m_c$ is the cell's share of the mass that is tilted by $\theta$.  A cell is
halved while its term is above its share of what a grid may add.  Of a mechanism that is seldom sampled nearly all mass
lies near zero, and a few hundred cells do what a grid of equal ones needs a million for.

Everything here decides how wide an interval is, never whether it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeAlias, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.privacy.fast.measure import Cumulants
from dpref.privacy.pld.pair import Pair
from dpref.privacy.time_limit import checkpoint
from dpref.reals import FloatArray, ball, precision

FINEST_BITS: Final = 18  # the narrowest cell is the reach of the losses over two to this
MOST_CELLS: Final = 1 << 12  # of one pair
_WORST: Final = 1 / 16  # cells are halved that add more than this of what the worst one does
_FIRST_CELLS: Final = 16
_BITS: Final = 128
_PASSES: Final = 64
_NO_MASS: Final = 1e-300
_LITTLE: Final = 1e-7  # what a cell may add at most to be passed over

Parts: TypeAlias = Sequence[tuple[Pair, int]]
Tilted: TypeAlias = Callable[[Cumulants], tuple[float, float]]  # a tilt of interest, and ln delta there


@final
@dataclass(frozen=True)
class Placement:
    """A common step, and which of its multiples each pair's losses are put on.

    Attributes:
        step: Exact.
        points: Increasing grid indices, by the identity of the pair.
        log_delta: The least logarithm of delta that a direction was tilted for.
    """

    step: Fraction
    points: dict[int, tuple[int, ...]]
    log_delta: float


@final
@dataclass
class _Cells:
    """The cells of one pair: their ends, in units, and what the pair's laws give to the losses beyond each end."""

    pair: Pair
    unit: Fraction
    ends: list[int]
    beyond: dict[int, tuple[arb, arb]] = field(default_factory=dict)
    known: tuple[FloatArray, FloatArray, FloatArray] | None = None

    def measured(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The logarithm of each cell's mass under P, about where its losses lie, and its width."""
        if self.known is not None:
            return self.known
        for i in self.ends:
            if i not in self.beyond:
                checkpoint()
                x = ball(i * self.unit)
                value, mass = self.pair.curve(x)
                self.beyond[i] = value + x.exp() * mass, mass
        tails = [self.beyond[i] for i in self.ends]
        p, q = (
            np.array([max(float((a[side] - b[side]).mid()), _NO_MASS) for a, b in pairwise(tails)]) for side in range(2)
        )
        ends = np.array(self.ends, dtype=np.float64) * float(self.unit)
        self.known = np.log(p), np.clip(np.log(p) - np.log(q), ends[:-1], ends[1:]), np.diff(ends)
        return self.known

    def halve(self, chosen: set[int]) -> bool:
        """Put a point into the middle of each chosen cell that is wider than a unit; whether there was one.

        A wider cell above it is halved too: from there losses are gathered.
        """
        widths = [b - a for a, b in pairwise(self.ends)]
        above = {i + 1 for i in chosen if i + 1 < len(widths) and widths[i + 1] > widths[i]}
        middles = [self.ends[i] + widths[i] // 2 for i in chosen | above if widths[i] > 1]
        if middles:
            self.ends, self.known = sorted([*self.ends, *middles]), None
        return bool(middles)


def place(
    above: Sequence[Parts], below: Sequence[Parts], reach: Fraction, tilts: Sequence[Tilted], width: float
) -> Placement:
    """Points for all pairs of a composition, so that its grid moves epsilon by about a relative width.

    Args:
        above: The pairs that bound, with how often each is composed, for each direction.
        below: Those that are attained.
        reach: How far the losses reach, roughly, exact.
        tilts: Each the tilt of interest of a composition, and the logarithm of delta there.
        width: About how much the grid may add to epsilon, relatively.

    >>> from dpref.privacy.pld.pairs import gaussian_pair
    >>> one = gaussian_pair(Fraction(1, 4))
    >>> found = place([[(one, 10)]], [], Fraction(8), [lambda c: (c.tilt_for_delta(-9.0), -9.0)], 0.01)
    >>> found.points[id(one)][0] * found.step, len(found.points[id(one)]) < 200
    (Fraction(-8, 1), True)
    """
    unit = reach / (1 << FINEST_BITS)
    whole = 1 << (FINEST_BITS + 1)
    cells = {
        id(pair): _Cells(pair, unit, [k * whole // _FIRST_CELLS - whole // 2 for k in range(_FIRST_CELLS + 1)])
        for parts in (*above, *below)
        for pair, _ in parts
    }
    least = 0.0
    with precision(_BITS):
        for _ in range(_PASSES):
            least, chosen = 0.0, dict[int, set[int]]()
            for tilted in tilts:
                upper = [_Direction.of(parts, cells, tilted, gathered=False) for parts in above]
                lower = [_Direction.of(parts, cells, tilted, gathered=True) for parts in below]
                least = min(least, *(d.log_delta for d in (*upper, *lower)))
                goal = width * max(width, *(d.loss for d in upper))
                for directions in (upper, lower):
                    leading = max((d.loss for d in directions), default=0.0)
                    for direction in directions:
                        # A direction that spends less needs only be told from the leading one.
                        for key, found in direction.coarse(max(goal, (leading - direction.loss) / 2)):
                            chosen.setdefault(key, set()).update(found)
            halved = [cells[key].halve(found) for key, found in chosen.items()]
            if not any(halved) or max(len(c.ends) for c in cells.values()) > MOST_CELLS:
                break
    shared = math.gcd(*(i for c in cells.values() for i in c.ends))
    return Placement(unit * shared, {key: tuple(i // shared for i in c.ends) for key, c in cells.items()}, least)


@final
@dataclass(frozen=True)
class _Direction:
    """One composition on the cells so far: where it is tilted, and what each cell adds to epsilon."""

    keys: tuple[int, ...]
    loss: float
    log_delta: float
    added: tuple[FloatArray, ...]

    @classmethod
    def of(cls, parts: Parts, cells: dict[int, _Cells], tilted: Tilted, *, gathered: bool) -> _Direction:
        measured = [cells[id(pair)].measured() for pair, _ in parts]
        counts = tuple(count for _, count in parts)
        cumulants = Cumulants(tuple(x for _, x, _ in measured), tuple(m for m, _, _ in measured), counts)
        theta, log_delta = tilted(cumulants)
        added = []
        for (logs, losses, widths), count in zip(measured, counts, strict=True):
            exponent = logs + theta * losses
            share = np.exp(exponent - exponent.max())
            share /= share.sum()
            each = count * (1 + theta) / 8
            moved = each * share * widths**2
            if gathered:
                matters = each * share * (losses[-1] - losses[0]) ** 2 > _LITTLE
                moved += each * _gathered(np.exp(logs), share, losses, widths, matters)
            added.append(moved)
        return cls(tuple(id(pair) for pair, _ in parts), cumulants.at(theta)[1], log_delta, tuple(added))

    def coarse(self, goal: float) -> list[tuple[int, set[int]]]:
        """The cells that add more than their share of the goal, if all together add more than that."""
        if sum(float(a.sum()) for a in self.added) <= goal:
            return []
        share = max(goal / sum(len(a) for a in self.added), _WORST * max(float(a.max()) for a in self.added))
        return [(key, set(np.flatnonzero(a > share).tolist())) for key, a in zip(self.keys, self.added, strict=True)]


def _gathered(
    mass: FloatArray, share: FloatArray, losses: FloatArray, widths: FloatArray, matters: NDArray[np.bool_]
) -> FloatArray:
    """Four times the variance that is lost where a cell's losses are lifted to its end by others above them.

    What lies in a cell of a lower end's grid moves to a grid point together with so much of what lies above that the
    mean stays: where nearly all mass lies in one cell, what must be gathered with it lies far away.
    """
    i = np.flatnonzero(matters)
    x, least = losses[i], mass[i] * widths[i] / 2
    weights, means = np.append(0.0, np.cumsum(mass)), np.append(0.0, np.cumsum(mass * losses))

    def lifted(j: NDArray[np.int64]) -> FloatArray:
        """By how much the cells above i, up to j, could lift a mass: their first moment about its loss."""
        return np.asarray((means[j] - means[i + 1]) - x * (weights[j] - weights[i + 1]))

    low, high = i + 1, np.full(len(i), len(mass))
    for _ in range(len(mass).bit_length()):
        middle = (low + high) // 2
        enough = lifted(middle) >= least
        low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
    powers = [np.append(0.0, np.cumsum(share * losses**k)) for k in range(3)]
    zeroth, first, second = (s[high] - s[i + 1] for s in powers)
    part = np.minimum(1.0, least / np.maximum(lifted(high), _NO_MASS))
    lost = np.zeros(len(mass))
    lost[i] = 4 * part * np.maximum(0.0, second - 2 * x * first + x * x * zeroth)
    return lost
