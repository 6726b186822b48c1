"""Adaptive noisy gradient descent, compiled; the noise is an argument.

The twin of ``dpref.algorithms.adaptive_gradient_descent.algorithm``: the same rounds, the same decisions.
The examples run the interpreted text, which gives the same bits and has nothing to compile.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpref.kernels.gradients import mean_gradient, project

Vector = NDArray[np.float64]


UP = 1.0 + 2.0**-50  # more than the roundings of one charge


@njit(cache=False, nogil=True, error_model="python")
def euclidean(x: Vector) -> float:
    """Euclidean norm of a vector of shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(euclidean)(np.array([3.0, 4.0]))
    5.0
    """
    square = 0.0
    for j in range(x.shape[0]):
        square += x[j] * x[j]
    return math.sqrt(square)


@njit(cache=False, nogil=True, error_model="python")
def gradient_size(reading: int, noisy: float) -> float:
    """N_t from the noisy norm: 0 scalar, 1 norm of a vector, 2 absolute value, 3 clamped at zero.

    >>> from dpref.kernels.twin import interpreted
    >>> [interpreted(gradient_size)(reading, -0.5) for reading in range(4)]
    [-0.5, -0.5, 0.5, 0.0]
    """
    if reading == 2:
        return abs(noisy)
    if reading == 3:
        return max(noisy, 0.0)
    return noisy


@njit(cache=False, nogil=True, error_model="python")
def tape(noise: Vector, used: int, width: int) -> Vector:
    """The next ``width`` draws of the tape, shape (width,).

    Args:
        noise: The whole tape, shape (m,).
        used: Draws used so far.
        width: How many are needed.

    Raises:
        ValueError: If there are fewer.

    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(tape)(np.array([0.5, 1.5, 2.5]), 1, 2).tolist()
    [1.5, 2.5]
    """
    if used + width > noise.shape[0]:
        raise ValueError("the tape of noise is too short")
    return noise[used : used + width]


@njit(cache=False, nogil=True, error_model="python")
def noisy_size(
    reading: int, ridge: float, gradient: Vector, w: Vector, std: float, draws: Vector, query: Vector
) -> float:
    """N_t at w.

    Args:
        reading: How N_t is made, a number (see `gradient_size`).
        ridge: Weight of the regulariser.
        gradient: The mean gradient at w, without the regulariser's, shape (d,).
        w: Shape (d,).
        std: Noise of the norm.
        draws: Shape (d,) where ``reading`` is 1, else (1,).
        query: Receives the exact query, shape (d,), a scalar one in its first entry.

    >>> from dpref.kernels.twin import interpreted
    >>> query, noise = np.zeros(2), np.array([0.5])
    >>> size = interpreted(noisy_size)(0, 0.0, np.array([3.0, 4.0]), np.zeros(2), 2.0, noise, query)
    >>> float(size), query.tolist()  # 5 + 2 / 2 and 5
    (6.0, [5.0, 0.0])
    """
    full = gradient.copy()
    if ridge > 0.0:
        for j in range(full.shape[0]):
            full[j] += ridge * w[j]
    if reading == 1:
        query[:] = full
        for j in range(full.shape[0]):
            full[j] += std * draws[j]
        return euclidean(full)
    query[0] = size = euclidean(full)
    return gradient_size(reading, size + std * draws[0])


@njit(cache=False, nogil=True, error_model="python")
def recorded(size: float, numbers: Vector) -> float:
    """What the printed form charges for a round.

    Args:
        size: N_t.
        numbers: As for `run`, shape (9,).

    >>> from dpref.kernels.twin import interpreted
    >>> numbers = np.array([0.0, 0.0, 0.0, 0.25, 0.125, 0.5, 0.0, 0.0, 0.0])  # norm_cost, charge, cap
    >>> [float(interpreted(recorded)(size, numbers)) for size in (0.0, 1.0)]  # capped, and not
    [0.75, 0.375]
    """
    norm_cost, charge, cap = numbers[3], numbers[4], numbers[5]
    square = size * size
    total: float = (cap if cap * square <= charge else charge / square) + norm_cost
    return total


@njit(cache=False, nogil=True, error_model="python")
def move(w: Vector, gradient: Vector, ridge: float, step_size: float, std: float, draws: Vector) -> None:
    """A noisy gradient step, in place.

    Args:
        w: The point, shape (d,).
        gradient: The mean gradient there, shape (d,).
        ridge: Weight of the regulariser.
        step_size: Its length.
        std: Noise of the gradient.
        draws: Standard normal, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> w = np.ones(2)
    >>> interpreted(move)(w, np.array([2.0, 0.0]), 0.0, 0.5, 1.0, np.array([0.0, -2.0]))
    >>> w.tolist()
    [0.0, 2.0]
    """
    for j in range(w.shape[0]):
        answer = gradient[j] + std * draws[j]
        if ridge > 0.0:
            answer += ridge * w[j]
        w[j] -= step_size * answer


@njit(cache=False, nogil=True, error_model="python")
def run(
    features: Vector,
    labels: Vector,
    n: int,
    code: int,
    parameter: float,
    clip: float,
    ridge: float,
    radius: float,
    start: Vector,
    step_size: float,
    reading: int,
    repaired: bool,
    numbers: Vector,
    rounds: int,
    noise: Vector,
) -> tuple[Vector, Vector, Vector]:
    """Run until the budget, a small gradient or the number of rounds ends it.

    Args:
        features: Shape (records, d).
        labels: Shape (records,).
        n: Public divisor of the mean gradient.
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        ridge: Weight of the regulariser.
        radius: Radius of the constraint ball, or infinity.
        start: w_0, shape (d,).
        step_size: 1 / (2 L_1).
        reading: How N_t is made, a number (see `gradient_size`).
        repaired: Whether each answer is asked of the filter before it is made.
        numbers: norm_std, floor_std, spread, norm_cost, charge, cap, limit, stop_norm, sensitivity; shape (9,).
        rounds: The most rounds.
        noise: Standard normal draws, one answer after another, shape (m,).

    Returns:
        The point of each query and then the output, shape (K + 1, d); exact queries, shape (K, d), a scalar one in the
        first column; and the noise of each answer, shape (K,).

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.array([[1.0, 0.5]]), np.ones(1), 1, 0, 0.0, math.inf, 0.0, math.inf  # one record, logistic
    >>> numbers = np.array([1.0, 0.0, 2.0, 0.125, 0.0, 0.0, 1.0, 0.0, 0.125])
    >>> interpreted(run)(*problem, np.zeros(2), 2.0, 3, True, numbers, 1, np.zeros(3))[0][-1].tolist()
    [1.0, 0.5]
    """
    d = start.shape[0]
    norm_std, floor_std, spread, norm_cost = numbers[0], numbers[1], numbers[2], numbers[3]
    limit, stop_norm, sensitivity = numbers[6], numbers[7], numbers[8]
    width = d if reading == 1 else 1
    capacity = 2 * min(rounds, noise.shape[0] // width + 1) + 1
    iterates, queries, stds = np.zeros((capacity + 1, d)), np.zeros((capacity, d)), np.zeros(capacity)
    w = start.copy()
    project(w, radius)
    k = used = 0
    spent = 0.0
    for _ in range(rounds):
        if repaired and (spent + norm_cost) * UP > limit:
            break
        gradient = mean_gradient(features, labels, n, code, parameter, clip, w)
        iterates[k], stds[k] = w, norm_std
        size = noisy_size(reading, ridge, gradient, w, norm_std, tape(noise, used, width), queries[k])
        used += width
        k += 1
        spent = (spent + norm_cost) * UP if repaired else spent + recorded(size, numbers)
        if size <= stop_norm or (not repaired and spent > limit):
            break
        std = max(size / spread, floor_std)
        if repaired:
            ratio = sensitivity / std
            spent = (spent + ratio * ratio / 2.0 * UP) * UP
            if spent > limit:
                break
        iterates[k], stds[k], queries[k] = w, std, gradient
        move(w, gradient, ridge, step_size, std, tape(noise, used, d))
        project(w, radius)
        used += d
        k += 1
    iterates[k] = w
    return iterates[: k + 1], queries[:k], stds[:k]
