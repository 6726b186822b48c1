r"""Dominated measures: the privacy loss of a pair, merged on the points of a grid.

If the cell $[b,b']$ of the line is merged, its masses P and Q remain and its loss becomes $\ln(P/Q)$; merging only
loses information. So that the merged losses lie on the grid $s+ih$, the edges are the solution of

$$M_i = \int_{b_i}^{b_{i+1}}(r-r_i)\,\varphi = 0,\qquad r_i = e^{s+ih}-(1-q),$$

found in floats by Newton's method: one linear recurrence from the left up to where the density has fallen far, one
from the right down to there (the stable directions), and one odd cell between. The grid's start s is the merged loss
of the left tail. What remains of $M_i$ is certified: if it cannot be told to be non-negative, a sliver of the cell's
lower end is left out so that the rest is; leaving mass out only lowers $\delta$ (obligation ``fast-path/dominated``).
For the reversed pair a sliver of the upper end is left out in the same way.  How wide a sliver must be, and in which
cells that is known without balls, is what five constants say (obligation ``fast-path/sliver``).
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
from dpref.privacy.fast.cells import REACH, Narrow, Pair, is_narrow, nodes
from dpref.privacy.fast.exp import GEOMETRIC_ERROR, UNIT, geometric
from dpref.privacy.fast.measure import LEAST_MASS, GridMeasure
from dpref.privacy.fast.upper import LARGEST_GRID
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
_NEWTON_STEPS: Final = 3
_FALLEN: Final = 14.0  # nats by which the density has fallen where the two recurrences meet
_LOOK_AHEAD: Final = 64
_MOST_RESCUED: Final = 256
_BISECTIONS: Final = 24
_BITS: Final = 128


@final
@dataclass(frozen=True)
class Merged:
    """Cells and the grid points onto which they are merged.

    Attributes:
        pair: Sampling rate and noise multiplier.
        start: s, a double.
        step: h, the width of the grid's cells.
        skip: Index of the second point that holds mass; the first is index zero.
        edges: b, shape (n + 1,), nowhere falling: the first cell is (-inf, b[0]], the others lie between neighbours.
        odd: Which cell is not merged onto its own point: the one where the recurrences meet.
        exps: e^(s + i h) at index 0 and at every cell's index, shape (n + 1,).
    """

    pair: Pair
    start: float
    step: Fraction
    skip: int
    edges: FloatArray
    odd: int
    exps: FloatArray


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
    for i in [-1, *np.flatnonzero(~narrow).tolist()]:
        forward[i + 1], backward[i + 1] = _ball_masses(m, i)
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


def merge(pair: Pair, step: Fraction, reach: float = REACH) -> Merged:
    """The edges: nothing here needs to be exact, what is built on them is certified."""
    h = float(step)
    first, start, skip = _left_tail(pair, h, _smooth_offset(pair, h, reach), reach)
    last = max(skip + 1, math.ceil((pair.loss(reach + pair.mu) - start) / h))
    if last >= LARGEST_GRID:
        raise PrecisionError(f"a grid of {last} points is too fine")
    with precision(_BITS):
        exps = geometric(arb(start), ball(step), last + 1)
    ratio = exps[skip:] - pair.rest
    losses = start + np.arange(skip, last + 1, dtype=np.float64) * h
    points = _points(pair, losses)
    density = np.log((ratio + pair.rest) ** 2 / ratio) - points * points / 2  # of the loss under P, up to a constant
    rise = np.clip(np.gradient(density) if len(density) > 1 else density, -3, 3)
    offset = np.append((h / 2 - rise) / 12, 0.0)  # of the edges from half-way, to second order in h
    edges = _points(pair, np.append(losses, losses[-1] + h) + (offset - 0.5) * h)
    marched = _march(pair, h, first, start, skip, min(_LOOK_AHEAD, len(ratio)))
    edges[: len(marched)] = marched
    # An alternating error grows as the geometric mean of the loss's densities under P and Q falls.
    stable = density - losses / 2
    odd = int(min(max(np.flatnonzero(stable > stable.max() - _FALLEN)[-1], 1), len(ratio) - 1))
    for _ in range(_NEWTON_STEPS):
        edges = _newton(pair, edges, ratio, odd)
    # On a coarse grid a step may carry an edge past its neighbour; cells that overlap would count mass twice.
    edges = np.maximum.accumulate(edges)
    return Merged(pair, start, step, skip, edges, odd, np.concatenate([exps[:1], exps[skip:]]))


def _march(pair: Pair, h: float, first: float, start: float, skip: int, count: int) -> list[float]:
    """The first edges one after another, until they have gone astray by 0.4 of a cell."""
    edges, root = [first], math.sqrt(0.5)
    for i in range(skip, skip + count):
        loss, low = start + i * h, edges[-1]
        ratio = math.exp(loss) - pair.rest
        left = pair.q * math.erfc((pair.mu - low) * root) - ratio * math.erfc(-low * root)
        z = pair.point(2 * loss - pair.loss(low))
        for _ in range(_NEWTON_STEPS):
            moment = pair.q * math.erfc((pair.mu - z) * root) - ratio * math.erfc(-z * root) - left
            there = pair.q * math.exp(pair.mu * z - pair.mu * pair.mu / 2)
            slope = (there - ratio) * math.exp(-z * z / 2) * math.sqrt(2 / math.pi)
            if not slope > 0:
                return edges
            z -= min(max(moment / slope, -0.5), 0.5)
        edges.append(z)
        if not abs((pair.loss(z) - loss) / h - 0.5) < 0.4:
            break
    return edges


def _smooth_offset(pair: Pair, h: float, reach: float) -> float:
    r"""How far the first edge lies from half-way, in units of h, so that the edges do not alternate around smooth ones.

    An edge's offset and the next one's have a sum that varies smoothly, so that an error of the first offset comes back
    at every edge with alternating sign (and grows where the density falls).  Its sign at a later edge tells whether the
    first offset was too large: bisection.
    """
    low, high = -0.3, 0.3
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        first, start, skip = _left_tail(pair, h, middle, reach)
        count = min(_LOOK_AHEAD, max(4, int((pair.loss(reach) - start) / h) - skip))
        edges = _march(pair, h, first, start, skip, count)
        if len(edges) < 4:
            return middle
        before, at, after = (pair.loss(z) for z in edges[-3:])
        alternation = (2 * at - before - after) * (-1) ** len(edges)
        low, high = (middle, high) if alternation < 0 else (low, middle)
    return (low + high) / 2


def _points(pair: Pair, losses: FloatArray) -> FloatArray:
    """z of the losses, in floats; far to the left if there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if pair.plain:
            return np.asarray(losses / pair.mu + pair.mu / 2)
        logs = np.log((np.expm1(losses) + pair.q) / pair.q)
    return np.asarray(np.where(np.isfinite(logs), logs, -4 * REACH) / pair.mu + pair.mu / 2)


def _merged_loss(pair: Pair, edge: float) -> float:
    """The loss of the cell left of an edge, in floats."""
    ratio = math.erfc((pair.mu - edge) / math.sqrt(2)) / math.erfc(-edge / math.sqrt(2))
    return math.log(ratio) if pair.plain else math.log1p(pair.q * (ratio - 1))


def _left_tail(pair: Pair, h: float, offset: float, reach: float) -> tuple[float, float, int]:
    """An edge whose left tail merges onto a grid, the grid's start, and the index of the next point.

    The edge lies ``offset`` steps right of half-way between two points of that grid.
    """
    low, high = -reach, reach

    def gap(edge: float) -> float:
        return pair.loss(edge) - _merged_loss(pair, edge)

    skip = max(1, round(gap(low) / h + 0.5))
    low -= 2.0
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) < (skip - 0.5 + offset) * h else (low, middle)
    start = _merged_loss(pair, low)
    return low, start - (abs(start) + 2.0**-6) * 2.0**-46, skip  # certainly not above the exact merged loss


def _newton(pair: Pair, edges: FloatArray, ratio: FloatArray, odd: int) -> FloatArray:
    """One step for M = 0 in all cells but the odd one; no edge moves by more than a quarter of a cell."""
    low, width = edges[:-1], np.diff(edges)
    half = pair.mu * pair.mu / 2
    total = np.zeros_like(low)
    for t, v in zip(*nodes(), strict=True):
        z = low + width * t
        total += v * (pair.q * np.exp(pair.mu * z - half) - ratio) * np.exp(-z * z / 2)
    total *= width
    slope = pair.q * np.exp(pair.mu * edges - half)
    density = np.exp(-edges * edges / 2)
    alpha = (ratio - slope[:-1]) * density[:-1]
    beta = (slope[1:] - ratio) * density[1:]
    with np.errstate(all="ignore"):
        right = (np.nan_to_num(total / beta).tolist(), np.nan_to_num(alpha / beta).tolist())
        left = (np.nan_to_num(total / alpha).tolist(), np.nan_to_num(beta / alpha).tolist())
    move = [0.0] * len(edges)
    for i in range(odd):
        move[i + 1] = -right[0][i] - right[1][i] * move[i]
    for i in range(len(ratio) - 1, odd, -1):
        move[i] = -left[0][i] - left[1][i] * move[i + 1]
    room = np.minimum(width, np.append(width[1:], width[-1])) / 4
    moves = np.nan_to_num(np.array(move))
    moves[1:] = np.clip(moves[1:], -room, room)
    return np.asarray(edges + moves)


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


def _integrals(m: Merged, i: int, low: float | None, high: float) -> tuple[arb, arb, arb]:
    """P, Q and M of a cell, in balls."""
    pair = m.pair
    moved, still = pair.masses(None if low is None else arb(low), arb(high))
    ratio = _loss(m, i).expm1() + ball(pair.rate)
    p = ball(pair.rate) * moved + ball(1 - pair.rate) * still
    return p, still, ball(pair.rate) * moved - ratio * still


def _ball_masses(m: Merged, i: int) -> tuple[float, float]:
    """Lower bounds on what is merged from one cell in both directions; an end moves until the sign is certain."""
    start: float | None = None if i < 0 else float(m.edges[i])
    end = float(m.edges[i + 1])
    if start is not None and start >= end:
        return 0.0, 0.0
    with precision(2 * _BITS):
        p, q, moment = _integrals(m, i, start, end)
        forward, backward = p if moment >= 0 else arb(0), q if moment <= 0 else arb(0)
        ratio = _loss(m, i).expm1() + ball(m.pair.rate)
        for attempt in range(2, 6):
            if forward.is_zero() and start is not None:
                low = start + _sliver(m.pair, moment, ratio, start, attempt)
                p, _, rest = _integrals(m, i, low, end) if low < end else (arb(0), arb(0), arb(1))
                forward = p if rest >= 0 else arb(0)
            if backward.is_zero():
                high = end - _sliver(m.pair, moment, ratio, end, attempt)
                _, q, rest = _integrals(m, i, start, high) if start is None or start < high else (p, arb(0), arb(-1))
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
