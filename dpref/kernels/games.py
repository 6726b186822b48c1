"""The saddle operator of a batch of game records and the choice of vertices, compiled.

Scalar loops over ``math.*`` and sequential sums, so that the compiled and the interpreted text agree bit for bit.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.kernels.records import Indices, Payoffs, Tape, Vector


@njit(cache=False, nogil=True, error_model="python")
def operator(game: Payoffs, start: int, stop: int, point: Vector) -> Vector:
    """The mean over records start, ..., stop - 1 of (gradient in x, minus gradient in y), shape (d_x + d_y,).

    Args:
        game: The records.
        start: First record.
        stop: One past the last record.
        point: x and then y, shape (d_x + d_y,).

    >>> coins = Payoffs(np.array([[[1.0, -1.0], [-1.0, 1.0]]]), np.zeros((1, 2)), np.zeros(1), 0.0)
    >>> operator.py_func(coins, 0, 1, np.array([1.0, 0.0, 1.0, 0.0])).tolist()
    [1.0, -1.0, -1.0, 1.0]
    """
    payoffs, slopes, offsets, ramp = game.payoffs, game.slopes, game.offsets, game.ramp
    rows, columns = payoffs.shape[1], payoffs.shape[2]
    total, mean = np.zeros(rows + columns), np.zeros((rows, columns))
    for k in range(start, stop):
        for i in range(rows):
            for j in range(columns):
                mean[i, j] += payoffs[k, i, j]
    for i in range(rows):
        s = 0.0
        for j in range(columns):
            s += mean[i, j] * point[rows + j]
            total[rows + j] -= mean[i, j] * point[i]
        total[i] = s
    if ramp > 0.0:
        for k in range(start, stop):
            s = 0.0
            for i in range(rows):
                s += slopes[k, i] * point[i]
            height = max(-1.0, min(1.0, (s - offsets[k]) / ramp))
            for i in range(rows):
                total[i] += slopes[k, i] * height
    for i in range(rows + columns):
        total[i] /= stop - start
    return total


@njit(cache=False, nogil=True, error_model="python")
def part(game: Payoffs, start: int, stop: int) -> Payoffs:
    """The records start, ..., stop - 1 alone.

    >>> coins = Payoffs(np.zeros((3, 2, 2)), np.zeros((3, 2)), np.arange(3.0), 0.0)
    >>> part.py_func(coins, 1, 3).offsets.tolist()
    [1.0, 2.0]
    """
    return Payoffs(game.payoffs[start:stop], game.slopes[start:stop], game.offsets[start:stop], game.ramp)


@njit(cache=False, nogil=True, error_model="python")
def mean_loss(game: Payoffs, x: Vector, y: Vector) -> float:
    """The mean of all records' losses at x and y, shapes (d_x,) and (d_y,), less those at x = 0.

    >>> coins = Payoffs(np.ones((1, 2, 2)), np.array([[1.0, 0.0]]), np.zeros(1), 0.5)
    >>> float(mean_loss.py_func(coins, np.array([0.25, 0.75]), np.array([1.0, 0.0])))
    1.0625
    """
    records, rows, columns = game.payoffs.shape
    total = 0.0
    for k in range(records):
        for i in range(rows):
            s = 0.0
            for j in range(columns):
                s += game.payoffs[k, i, j] * y[j]
            total += x[i] * s
    if game.ramp > 0.0:
        for k in range(records):
            s = 0.0
            for i in range(rows):
                s += game.slopes[k, i] * x[i]
            argument, nought = s - game.offsets[k], -game.offsets[k]
            height, low = max(-1.0, min(1.0, argument / game.ramp)), max(-1.0, min(1.0, nought / game.ramp))
            total += height * (argument - game.ramp * height / 2.0) - low * (nought - game.ramp * low / 2.0)
    mean: float = total / records
    return mean


@njit(cache=False, nogil=True, error_model="python")
def choose(tape: Tape, scores: Vector, used: Indices, start: int, stop: int, chosen: Indices) -> None:
    """Draw vertices among start, ..., stop - 1 by the largest noisy score, or take those that the tape forces.

    Args:
        tape: Standard Gumbel draws end to end, shape (L,), or forced choices one after another.
        scores: Shape (d,).
        used: How many draws and how many choices were used so far, shape (2,); moved on.
        start: First candidate.
        stop: One past the last candidate.
        chosen: Receives the indices, counted from ``start``.

    Raises:
        ValueError: If the tape is too short.

    >>> tape, used, chosen = Tape(np.zeros(2), np.empty(0), np.empty(0, int)), np.zeros(2, int), np.zeros(1, int)
    >>> choose.py_func(tape, np.array([0.0, 5.0]), used, 0, 2, chosen)
    >>> chosen.tolist(), used.tolist()
    ([1], [2, 1])
    """
    forced = tape.answers.shape[0] > 0
    for k in range(chosen.shape[0]):
        if forced:
            if used[1] >= tape.answers.shape[0]:
                raise ValueError("the tape is too short for this run")
            chosen[k] = int(tape.answers[used[1]])
        else:
            first = used[0]
            if first + stop - start > tape.noise.shape[0]:
                raise ValueError("the tape is too short for this run")
            best, largest = 0, scores[start] + tape.noise[first]
            for i in range(1, stop - start):
                value = scores[start + i] + tape.noise[first + i]
                if value > largest:
                    best, largest = i, value
            chosen[k] = best
            used[0] += stop - start
        used[1] += 1


@njit(cache=False, nogil=True, error_model="python")
def draw(
    tape: Tape, scores: Vector, used: Indices, rows: int, answers: Vector, output: Vector, count: int
) -> tuple[Indices, Indices]:
    """Draw ``count`` vertices of each player, x before y, write them down, and count the first of each for the output.

    Args:
        tape: As for `choose`.
        scores: Shape (d_x + d_y,).
        used: As for `choose`.
        rows: d_x.
        answers: Receives what was chosen, one after another.
        output: How often each vertex was drawn for the output, shape (d_x + d_y,); added to.
        count: How many of each player.

    >>> from dpref.kernels.twin import interpreted
    >>> tape, answers, output = Tape(np.zeros(4), np.empty(0), np.empty(0, int)), np.zeros(2), np.zeros(4)
    >>> chosen = interpreted(draw)(tape, np.array([0.0, 1.0, 1.0, 0.0]), np.zeros(2, int), 2, answers, output, 1)
    >>> answers.tolist(), output.tolist()
    ([1.0, 0.0], [0.0, 1.0, 1.0, 0.0])
    """
    x, y = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    done = used[1]
    choose(tape, scores, used, 0, rows, x)
    choose(tape, scores, used, rows, scores.shape[0], y)
    for k in range(count):
        answers[done + k], answers[done + count + k] = x[k], y[k]
    output[x[0]] += 1.0
    output[rows + y[0]] += 1.0
    return x, y


@njit(cache=False, nogil=True, error_model="python")
def place(point: Vector, x: Indices, y: Indices, rows: int, first: int, last: int) -> None:
    """Write the averages of the vertices first, ..., last - 1 of both players into ``point``, shape (d_x + d_y,).

    >>> point = np.zeros(4)
    >>> place.py_func(point, np.array([0, 1]), np.array([1, 1]), 2, 0, 2)
    >>> point.tolist()
    [0.5, 0.5, 0.0, 1.0]
    """
    point[:] = 0.0
    for k in range(first, last):
        point[x[k]] += 1.0
        point[rows + y[k]] += 1.0
    for i in range(point.shape[0]):
        point[i] /= last - first


@njit(cache=False, nogil=True, error_model="python")
def descend(scores: Vector, gradient: Vector, step_size: float, toward: float, rows: int) -> None:
    """Move the scores, shape (d,), along the estimate, in place; ``toward`` is 1, or -1 for the printed y-step.

    >>> scores = np.zeros(2)
    >>> descend.py_func(scores, np.array([1.0, 1.0]), 0.5, -1.0, 1)
    >>> scores.tolist()
    [-0.5, 0.5]
    """
    for i in range(scores.shape[0]):
        scores[i] -= step_size * (gradient[i] if i < rows else toward * gradient[i])


@njit(cache=False, nogil=True, error_model="python")
def add_softmax(scores: Vector, total: Vector) -> None:
    """Add the weights that are proportional to the exponentials of the scores to ``total``; both of shape (d,).

    >>> total = np.zeros(2)
    >>> add_softmax.py_func(np.zeros(2), total)
    >>> total.tolist()
    [0.5, 0.5]
    """
    largest, norm = scores[0], 0.0
    for i in range(1, scores.shape[0]):
        largest = max(largest, scores[i])
    for i in range(scores.shape[0]):
        norm += math.exp(scores[i] - largest)
    for i in range(scores.shape[0]):
        total[i] += math.exp(scores[i] - largest) / norm
