r"""Where the line is cut for dominated measures: edges of cells that merge onto the points of a grid.

The edges solve $\int_{b_i}^{b_{i+1}}(r-r_i)\,\varphi = 0$ (`dpref.privacy.fast.lower`) by Newton's method: one linear
recurrence from the left up to where the density has fallen far, one from the right down to there (the stable
directions), and one odd cell between.  The grid's start s is the merged loss of the left tail.

The first edge is free, and all but one choice of it make later edges alternate around smooth ones.  A march *down*,
from an edge about half-way between two points, forgets where it began as far as the density falls, and so ends near the
smooth first edge; where the density rises from the left instead, a bisection over marches up finds it.

Nothing here needs to be exact: all is in floats, and what is built on the edges is certified.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from flint import arb

from dpref.errors import PrecisionError
from dpref.privacy.fast.cells import NODES, REACH, Pair, nodes
from dpref.privacy.fast.exp import geometric
from dpref.privacy.fast.upper import LARGEST_GRID
from dpref.reals import FloatArray, ball, precision

_NEWTON_STEPS: Final = 3
_NEWTON_NODES: Final = (4, NODES)  # of one step after the other
_FALLEN: Final = 14.0  # nats by which the density has fallen where the two recurrences meet
_LOOK_AHEAD: Final = 64
_LARGEST_OFFSET: Final = 0.3
_ASTRAY: Final = 0.4  # of a cell, from half-way
_BISECTIONS: Final = 24
_MARCHES: Final = 6
_SETTLED: Final = 1e-4  # one step of the secant method later it is much less
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


def merge(pair: Pair, step: Fraction, reach: float = REACH) -> Merged:
    """The edges, and the points onto which the cells between them are merged.

    Raises:
        PrecisionError: If there would be too many.
    """
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
    for count in _NEWTON_NODES:
        edges = _newton(pair, edges, ratio, odd, count)
    # On a coarse grid a step may carry an edge past its neighbour; cells that overlap would count mass twice.
    edges = np.maximum.accumulate(edges)
    return Merged(pair, start, step, skip, edges, odd, np.concatenate([exps[:1], exps[skip:]]))


def _march(pair: Pair, h: float, first: float, start: float, skip: int, count: int) -> list[float]:
    """The first edges one after another, until they have gone astray."""
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
        if not abs((pair.loss(z) - loss) / h - 0.5) < _ASTRAY:
            break
    return edges


def _smooth_offset(pair: Pair, h: float, reach: float) -> float:
    """How far the first edge lies from half-way, in units of h, so that the edges do not alternate around smooth ones.

    The first edge decides the grid's start, on which the march down to it depends a little: the offset that comes out
    as it went in is found by the secant method.
    """
    offset = slope = 0.0
    before: tuple[float, float] | None = None
    for _ in range(_MARCHES):
        _, start, skip = _left_tail(pair, h, offset, reach)
        edge = _march_down(pair, h, start, skip, _looked_at(pair, h, start, skip, reach))
        if edge is None:
            return _bisected_offset(pair, h, reach)
        out = (pair.loss(edge) - start) / h - skip + 0.5
        if before is not None and offset != before[0]:
            slope = min(max((out - before[1]) / (offset - before[0]), -0.9), 0.9)
        before, settled = (offset, out), abs(out - offset) < _SETTLED
        offset = min(max(offset + (out - offset) / (1 - slope), -_LARGEST_OFFSET), _LARGEST_OFFSET)
        if settled:
            break
    return offset


def _looked_at(pair: Pair, h: float, start: float, skip: int, reach: float) -> int:
    """How many cells tell what the first edge should be."""
    return min(_LOOK_AHEAD, max(4, int((pair.loss(reach) - start) / h) - skip))


def _march_down(pair: Pair, h: float, start: float, skip: int, count: int) -> float | None:
    """The first edge, marching down over so many cells from one that lies about half-way; None if it goes astray."""
    loss, root = start + (skip + count - 0.5) * h, math.sqrt(0.5)
    below, above = (_log_density(pair, loss + sign * h / 2) for sign in (-1, 1))
    high = pair.point(loss + (h / 2 - min(max(above - below, -3.0), 3.0)) / 12 * h)
    for i in range(skip + count - 1, skip - 1, -1):
        loss = start + i * h
        ratio = math.exp(loss) - pair.rest
        right = pair.q * math.erfc((pair.mu - high) * root) - ratio * math.erfc(-high * root)
        z = pair.point(2 * loss - pair.loss(high))
        for _ in range(_NEWTON_STEPS):
            moment = pair.q * math.erfc((pair.mu - z) * root) - ratio * math.erfc(-z * root) - right
            slope = (pair.q * math.exp(pair.mu * z - pair.mu * pair.mu / 2) - ratio) * math.exp(-z * z / 2)
            if not slope < 0:
                return None
            z -= min(max(moment / (slope * math.sqrt(2 / math.pi)), -0.5), 0.5)
        high = z
        if not abs((loss - pair.loss(z)) / h - 0.5) < _ASTRAY:
            return None
    return high


def _log_density(pair: Pair, loss: float) -> float:
    """The logarithm of a loss's density under P, up to a constant."""
    ratio, z = math.expm1(loss) + pair.q, pair.point(loss)
    return 2 * loss - math.log(max(ratio, 1e-300)) - z * z / 2


def _bisected_offset(pair: Pair, h: float, reach: float) -> float:
    r"""The same by bisection.

    An edge's offset and the next one's have a sum that varies smoothly, so that an error of the first offset comes back
    at every edge with alternating sign (and grows where the density falls).  Its sign at a later edge tells whether the
    first offset was too large.
    """
    low, high = -_LARGEST_OFFSET, _LARGEST_OFFSET
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        first, start, skip = _left_tail(pair, h, middle, reach)
        edges = _march(pair, h, first, start, skip, _looked_at(pair, h, start, skip, reach))
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


def _newton(pair: Pair, edges: FloatArray, ratio: FloatArray, odd: int, count: int) -> FloatArray:
    """One step for M = 0 in all cells but the odd one; no edge moves by more than a quarter of a cell."""
    low, width = edges[:-1], np.diff(edges)
    half = pair.mu * pair.mu / 2
    total = np.zeros_like(low)
    for t, v in zip(*nodes(count), strict=True):
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
