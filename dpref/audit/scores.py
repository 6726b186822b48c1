r"""Log-likelihood ratios of what a run released, by forced answers.

A run on one data set is repeated on the other with the same answers forced on it.  Both runs are then at the same
points, and what they asked tells how likely the answers were on either.  Points or noise scales that differ by a bit
show that the algorithm's kernel has touched the data other than through a query: that is refused.  So is an answer that
is not its query with the noise of its scale, since the ratio is read off queries, scales and noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from dpref.errors import LeakError
from dpref.kernels.records import Trace
from dpref.reals import FloatArray

_NOT_RUN: Final = "what is scored is not what is run"


def same_points(seen: Trace, forced: Trace) -> None:
    """Refuse two runs with the same answers that were not at the same points, or not with noise of the same scales.

    Args:
        seen: The run that was answered with noise.
        forced: The one on which its answers were forced.

    Raises:
        LeakError: If a point or a scale differs, or their number.

    >>> one = Trace(np.zeros((2, 1)), np.zeros((1, 1)), np.ones(1), np.zeros((1, 1)))
    >>> same_points(one, one._replace(queries=np.ones((1, 1))))
    >>> same_points(one, one._replace(points=np.full((2, 1), 1e-9)))
    Traceback (most recent call last):
    dpref.errors.LeakError: the same answers led to other points: the kernel reads the data beside its queries
    """
    if seen.points.shape != forced.points.shape or seen.points.tobytes() != forced.points.tobytes():
        raise LeakError("the same answers led to other points: the kernel reads the data beside its queries")
    if seen.scales.tobytes() != forced.scales.tobytes():
        raise LeakError("the same answers led to other noise: the kernel reads the data beside its queries")


def answered(seen: Trace, noise: FloatArray) -> None:
    """Refuse a run whose answers are not its queries with the noise of their scales.

    Args:
        seen: The run.
        noise: Its unit draws, shape (K, d), or longer.

    Raises:
        LeakError: If an answer differs by a bit.

    >>> one = Trace(np.zeros((2, 1)), np.zeros((1, 1)), np.ones(1), np.ones((1, 1)))
    >>> answered(one, np.ones((1, 1)))
    >>> answered(one, np.full((1, 1), 2.0))
    Traceback (most recent call last):
    dpref.errors.LeakError: an answer is not its query with the noise of its scale: what is scored is not what is run
    """
    said = seen.queries + seen.scales[:, None] * noise[: len(seen.queries)]
    if said.tobytes() != seen.answers.tobytes():
        raise LeakError(f"an answer is not its query with the noise of its scale: {_NOT_RUN}")


def drawn(seen: Trace, noise: FloatArray, counts: FloatArray, rows: int) -> None:
    """Refuse a run whose vertices do not have the largest noisy scores.

    Args:
        seen: The run.
        noise: Its standard Gumbel draws, end to end, or longer.
        counts: How many vertices each player draws from each query, shape (T,).
        rows: Number of the first player's vertices; all of them where there is one player.

    Raises:
        LeakError: If another vertex has.

    >>> one = Trace(np.zeros((2, 3)), np.array([[0.0, 1.0, 0.0]]), np.ones(1), np.array([1.0, 0.0]))
    >>> drawn(one, np.zeros(3), np.ones(1), 2)
    >>> drawn(one, np.array([2.0, 0.0, 0.0]), np.ones(1), 2)
    Traceback (most recent call last):
    dpref.errors.LeakError: a vertex does not have the largest noisy score: what is scored is not what is run
    """
    said: list[float] = []
    for query, count in zip(seen.queries, counts.astype(int), strict=True):
        for block in (part for part in (query[:rows], query[rows:]) if part.size):
            draws, noise = noise[: count * block.size], noise[count * block.size :]
            said += (block + draws.reshape(count, block.size)).argmax(axis=1).tolist()
    if said != seen.answers.tolist():
        raise LeakError(f"a vertex does not have the largest noisy score: {_NOT_RUN}")


def gaussian(seen: Trace, forced: Trace, noise: FloatArray) -> float:
    """How much likelier the answers are where they were seen than where they were forced, of Gaussian noise.

    Args:
        seen: The run that was answered with noise.
        forced: The one on which its answers were forced.
        noise: Unit draws of the first, shape (K, d), or longer.

    Returns:
        The log-likelihood ratio; infinite if an answer without noise would have been another one.

    >>> one = Trace(np.zeros((2, 1)), np.zeros((1, 1)), np.ones(1), np.zeros((1, 1)))
    >>> gaussian(one, one._replace(queries=np.ones((1, 1))), np.zeros((1, 1)))
    0.5
    """
    noisy = seen.scales > 0
    if (seen.queries[~noisy] != forced.queries[~noisy]).any():
        return math.inf
    z = noise[: len(seen.queries)][noisy]
    gap = (seen.queries - forced.queries)[noisy] / seen.scales[noisy, None] + z
    return float(np.sum(gap * gap - z * z)) / 2


def exponential(seen: Trace, forced: Trace, counts: FloatArray, rows: int) -> float:
    """The same of vertices drawn with probabilities that are the softmax of scores, player by player.

    Args:
        seen: The run that was answered with noise; its points are averages of the drawn vertices.
        forced: The one on which its choices were forced.
        counts: How many vertices each average is of, shape (T,).
        rows: Number of the first player's vertices.

    >>> one = Trace(np.array([[1.0, 0.0, 1.0], [0, 0, 0]]), np.zeros((1, 3)), np.ones(1), np.zeros(2))
    >>> other = one._replace(queries=np.log(np.array([[1.0, 3.0, 1.0]])))  # 1/2 on one data set, 1/4 on the other
    >>> round(exponential(one, other, np.ones(1), 2), 6)
    0.693147
    """
    steps, total = len(counts), 0.0
    for block in (slice(0, rows), slice(rows, None))[: 1 + (rows < seen.queries.shape[1])]:
        gap = _log_softmax(seen.queries[:steps, block]) - _log_softmax(forced.queries[:steps, block])
        total += float((seen.points[:steps, block] * counts[:, None] * gap).sum())
    return total


def selections(seen: Trace, noise: FloatArray, sizes: Sequence[int], counts: Sequence[int]) -> None:
    """Refuse a run whose choices do not have the largest noisy scores; it leaves the scores of one selection a row.

    Args:
        seen: The run.
        noise: Its standard Gumbel draws, end to end, or longer.
        sizes: Number of candidates of each selection.
        counts: How many are chosen each time.

    Raises:
        LeakError: If another candidate has.

    >>> one = Trace(np.zeros((1, 3)), np.array([[0.0, 1.0, 0.0]]), np.full(1, 0.5), np.ones(1))
    >>> selections(one, np.array([1.5, 0.0]), [2], [1])
    >>> selections(one, np.array([2.5, 0.0]), [2], [1])
    Traceback (most recent call last):
    dpref.errors.LeakError: a candidate does not have the largest noisy score: what is scored is not what is run
    """
    said: list[int] = []
    for query, scale, size, count in zip(seen.queries, seen.scales, sizes, counts, strict=True):
        draws, noise = noise[: count * size], noise[count * size :]
        said += (query[:size] / scale + draws.reshape(count, size)).argmax(axis=1).tolist()
    if said != seen.answers.tolist():
        raise LeakError(f"a candidate does not have the largest noisy score: {_NOT_RUN}")


def selected(seen: Trace, forced: Trace, sizes: Sequence[int], counts: Sequence[int]) -> float:
    """How much likelier the choices are where they were seen than where they were forced, one selection a row.

    Args:
        seen: The run that was answered with noise.
        forced: The one on which its choices were forced.
        sizes: Number of candidates of each selection.
        counts: How many are chosen each time.

    >>> one = Trace(np.zeros((1, 3)), np.zeros((1, 3)), np.full(1, 0.5), np.zeros(1))
    >>> other = one._replace(queries=np.log(np.array([[1.0, 3.0, 1.0]])) / 2)  # 1/2 on one data set, 1/4 on the other
    >>> round(selected(one, other, [2], [1]), 6)
    0.693147
    """
    total, done = 0.0, 0
    for row, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        here, there = (_log_softmax(t.queries[row : row + 1, :size] / t.scales[row])[0] for t in (seen, forced))
        total += float((here - there)[seen.answers[done : done + count].astype(int)].sum())
        done += count
    return total


def _log_softmax(scores: FloatArray) -> FloatArray:
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def nodes(shift: FloatArray, draws: FloatArray, index: float) -> FloatArray:
    r"""The same of the nodes of many runs of a tree whose noise has density $\propto e^{-N(z)^2/2}$, shape (trials,).

    Args:
        shift: How far each node moves from the run to the other data set, over the noise, shape (k, d); the same in all
            runs.
        draws: Unit draws of the nodes of each run, shape (trials, k, d).
        index: Of the norm N.

    >>> nodes(np.ones((1, 1)), np.zeros((2, 1, 1)), 2.0).tolist()
    [0.5, 0.5]
    """
    losses = _norm_squared(draws - shift, index) - _norm_squared(draws, index)
    return np.asarray(losses.sum(axis=1) / 2)


def _norm_squared(z: FloatArray, index: float) -> FloatArray:
    """The squared formula norm of the last axis."""
    return np.asarray(np.sum(np.abs(z) ** index, axis=-1) ** (2 / index))
