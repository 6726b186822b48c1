r"""Dominated measures: the privacy loss of a pair, merged on the points of a grid.

If the cell $[b,b']$ of the line is merged, its masses P and Q remain and its loss becomes $\ln(P/Q)$; merging only
loses information. So that the merged losses lie on the grid $s+ih$, the edges are the solution of

$$M_i = \int_{b_i}^{b_{i+1}}(r-r_i)\,\varphi = 0,\qquad r_i = e^{s+ih}-(1-q),$$

found in floats (`dpref.privacy.fast.edges`). What remains of $M_i$ is certified: if it cannot be told to be
non-negative, a sliver of the cell's lower end is left out so that the rest is; leaving mass out only lowers $\delta$
(obligation ``fast-path/dominated``). For the reversed pair a sliver of the upper end is left out in the same way.  How
wide a sliver must be, and in which cells that is known without balls, is what five constants say (obligation
``fast-path/sliver``).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.privacy.fast.cells import REACH, Narrow, Pair, Tails, is_narrow
from dpref.privacy.fast.edges import Merged, merge
from dpref.privacy.fast.exp import GEOMETRIC_ERROR, UNIT
from dpref.privacy.fast.measure import LEAST_MASS, GridMeasure
from dpref.privacy.time_limit import checkpoint
from dpref.reals import FloatArray, Ops, T, ball, exact, lower, precision

# A sliver has SLIVER times the mass that would do if nothing were blurred, and LEFT_OUT times its mass is left out, in
# cells whose ratio rises by at most RISE of its distance from an end's to the grid point's, of which the sliver is at
# most one part in SHARE, where that distance is at least SETTLED times its own error and masses are off by ROUGHEST.
SLIVER: Final = 2
LEFT_OUT: Final = 2
RISE: Final = Fraction(39, 10)
SHARE: Final = 64
SETTLED: Final = 4
ROUGHEST: Final = Fraction(1, 1024)
_MOST_RESCUED: Final = 256
_BITS: Final = 128


def dominated(pair: Pair, step: Fraction, reach: float = REACH) -> tuple[GridMeasure, GridMeasure]:
    """The dominated measures of the pair (P, Q) and of the reversed pair (Q, P).

    Args:
        pair: Sampling rate and noise multiplier.
        step: h, the width of the grid's cells, exact.
        reach: How many standard deviations are kept on either side.

    Returns:
        Removal, addition.

    Raises:
        PrecisionError: If the grid cannot be built.

    >>> remove, add = dominated(Pair(Fraction(1, 100), Fraction(1)), Fraction(1, 1024))
    >>> bool(0.999999 < remove.masses.sum() <= 1 + 1e-12)
    True
    """
    m = merge(pair, step, reach)
    forward, backward = np.zeros(len(m.edges)), np.zeros(len(m.edges))
    narrow = is_narrow(pair, m.edges[:-1], m.edges[1:])
    index = np.flatnonzero(narrow)
    relative = 64 * UNIT
    if index.size:
        forward[index + 1], backward[index + 1], relative = _narrow_masses(m, index)
    ends = _Ends()
    for i in [-1, *np.flatnonzero(~narrow).tolist()]:
        checkpoint()
        forward[i + 1], backward[i + 1] = _ball_masses(m, i, ends)
    _rescue(m, forward, backward)
    size = m.skip + len(m.edges) - 1
    dense = np.zeros((2, size))
    dense[:, 0], dense[:, m.skip :] = (forward[0], backward[0]), (forward[1:], backward[1:])
    dense[dense < LEAST_MASS] = 0.0
    start = exact(m.start)
    return (
        GridMeasure(start, step, dense[0], 0.0, relative),
        GridMeasure(-start - step * (size - 1), step, dense[1][::-1], 0.0, relative),
    )


def sliver_surplus(o: Ops[T], density: T, blur: T, rounding: T) -> T:
    """What leaving out a sliver adds to a cell's moment, over what the moment lacks, less one: it must be positive.

    The sliver takes at most ``part`` of the cell's width, on which the ratio rises by at most ``rise`` of its distance
    from the grid point's; that distance is known up to ``blur`` of it.

    Args:
        o: The number system.
        density: By how much the normal density varies within the cell, at most.
        blur: The relative error of the ratio's distance.
        rounding: The relative error of the cell's masses.
    """
    part = density * (1 + rounding) / o.number(SHARE)
    rise = part * (1 + rounding) * (o.number(RISE) + 2 * blur)
    return o.number(SLIVER) * (1 - rounding) * (1 - blur - rise) - 1


def left_out_surplus(o: Ops[T], rounding: T) -> T:
    """What is left out of a cell's mass, less a sliver's mass at its most, over it: it must be positive."""
    return o.number(LEFT_OUT) * (1 - rounding) - (1 + rounding)


def _narrow_masses(m: Merged, index: NDArray[np.int64]) -> tuple[FloatArray, FloatArray, float]:
    """Lower bounds (up to a relative error) on what is merged from narrow cells, in both directions."""
    pair, low, high = m.pair, m.edges[index], m.edges[index + 1]
    cells = Narrow(pair, (low + high) / 2, high - low)
    exps = m.exps[index + 1]
    ratio = exps - pair.rest
    middle = pair.ratio(cells.centre)
    mass_p, mass_q, moment = np.zeros_like(low), np.zeros_like(low), np.zeros_like(low)
    for weight, there in cells.ratios(middle):
        mass_p += weight * (there + pair.rest)
        mass_q += weight
        moment += weight * (there - ratio)
    scale = cells.scale()
    reach = float(np.max(np.abs(m.edges)))
    relative = cells.rounding() + pair.ratio_error(reach) + 4 * UNIT * (reach + 1) * float(np.max(1 / cells.width))
    left, right = pair.ratio(low), pair.ratio(high)
    # The moment's terms are at most (e^h - 1) e^x in size; r and r_i are off by their own errors.
    size = (right - left) * (1 + 2.0**-20)
    blur = pair.ratio_error(reach) * right + (GEOMETRIC_ERROR + 12) * UNIT * (exps + right)
    doubt = (
        mass_q * (cells.rounding() * size + cells.truncation() * (exps + right) + blur)
        + 4 * UNIT * (reach + 1) / cells.width * size * mass_q
    )
    below, above = (ratio - left), (right - ratio)
    sliver_low = SLIVER * np.maximum(doubt - moment, 0) / below
    sliver_high = SLIVER * np.maximum(doubt + moment, 0) / above
    inside = (below > 0) & (above > 0) & (relative <= ROUGHEST)  # where the doubt and the surplus are proved
    sound_low = inside & (SETTLED * blur <= below) & (right - left <= float(RISE) * below)
    sound_high = inside & (SETTLED * blur <= above) & (cells.width * pair.mu * right <= float(RISE) * above)
    sound_low &= SHARE * sliver_low <= mass_q
    sound_high &= SHARE * sliver_high <= mass_q
    forward = np.where(sound_low, (mass_p - LEFT_OUT * exps * sliver_low) * scale, 0.0)
    backward = np.where(sound_high, (mass_q - LEFT_OUT * sliver_high) * scale, 0.0)
    return forward, backward, 1.01 * relative + 8 * UNIT


def _loss(m: Merged, i: int) -> arb:
    """The grid point of a cell (the first cell has index -1), in balls."""
    return ball(exact(m.start)) + ball(m.step) * (0 if i < 0 else m.skip + i)


@final
class _Ends:
    """Edges as balls, one for each, and what lies beyond them: neighbouring cells share it."""

    def __init__(self) -> None:
        self.tails = Tails()
        self._balls: dict[float, arb] = {}

    def at(self, z: float) -> arb:
        """The ball of an edge."""
        return self._balls.setdefault(z, arb(z))


def _integrals(m: Merged, i: int, low: float | None, high: float, ends: _Ends | None = None) -> tuple[arb, arb, arb]:
    """P, Q and M of a cell, in balls; what is remembered of its ends is of one precision."""
    pair, known = m.pair, _Ends() if ends is None else ends
    moved, still = pair.masses(None if low is None else known.at(low), known.at(high), known.tails)
    ratio = _loss(m, i).expm1() + ball(pair.rate)
    p = ball(pair.rate) * moved + ball(1 - pair.rate) * still
    return p, still, ball(pair.rate) * moved - ratio * still


def _ball_masses(m: Merged, i: int, ends: _Ends) -> tuple[float, float]:
    """Lower bounds on what is merged from one cell in both directions; an end moves until the sign is certain."""
    start: float | None = None if i < 0 else float(m.edges[i])
    end = float(m.edges[i + 1])
    if start is not None and start >= end:
        return 0.0, 0.0
    with precision(2 * _BITS):
        p, q, moment = _integrals(m, i, start, end, ends)
        forward, backward = p if moment >= 0 else arb(0), q if moment <= 0 else arb(0)
        ratio = _loss(m, i).expm1() + ball(m.pair.rate)
        for attempt in range(2, 6):
            if forward.is_zero() and start is not None:
                low = start + _sliver(m.pair, moment, ratio, start, attempt)
                p, _, rest = _integrals(m, i, low, end, ends) if low < end else (arb(0), arb(0), arb(1))
                forward = p if rest >= 0 else arb(0)
            if backward.is_zero():
                high = end - _sliver(m.pair, moment, ratio, end, attempt)
                _, q, rest = (
                    _integrals(m, i, start, high, ends) if start is None or start < high else (p, arb(0), arb(-1))
                )
                backward = q if rest <= 0 else arb(0)
        return max(0.0, lower(forward)), max(0.0, lower(backward))


def _sliver(pair: Pair, moment: arb, ratio: arb, edge: float, attempt: int) -> float:
    """A width whose removal at an edge changes the moment by more than itself, in floats."""
    density = (-(arb(edge) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()
    slope = abs(ratio - pair.ball_ratio(arb(edge))) * density
    width = float((abs(moment) / slope).mid()) * 2.0**attempt if slope > 0 else 1.0
    return width + abs(edge) * 2.0**-51


def _rescue(m: Merged, forward: FloatArray, backward: FloatArray) -> None:
    """Cells that could not stay, the odd one first, go one point down (up, for the reversed pair)."""
    stray = np.flatnonzero((forward[1:] == 0) | (backward[1:] == 0)).tolist()
    for i in [m.odd, *(i for i in stray if i != m.odd)][:_MOST_RESCUED]:
        if m.edges[i] >= m.edges[i + 1]:
            continue
        with precision(2 * _BITS):
            p, q, moment = _integrals(m, i, float(m.edges[i]), float(m.edges[i + 1]))
            low, high = (m.pair.ball_ratio(arb(float(m.edges[j]))) - ball(m.pair.rate) for j in (i, i + 1))
            if (i == m.odd or forward[i + 1] == 0) and not moment >= 0 and low >= _loss(m, i - 1).expm1():
                forward[i] += max(0.0, lower(p))
                forward[i + 1] = 0.0
            last = i + 2 >= len(backward)
            if (
                (i == m.odd or backward[i + 1] == 0)
                and not moment <= 0
                and not last
                and high <= _loss(m, i + 1).expm1()
            ):
                backward[i + 2] += max(0.0, lower(q))
                backward[i + 1] = 0.0
