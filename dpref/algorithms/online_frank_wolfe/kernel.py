"""DP-TOFW, compiled; the noise is an argument.

The twin of ``dpref.algorithms.online_frank_wolfe.plan``: the same update, step for step, with O(d log n) memory.
The examples run the interpreted text, which gives the same bits and has nothing to compile.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpref.kernels.gradients import loss_derivative

Vector = NDArray[np.float64]


@njit(cache=False, nogil=True, error_model="python")
def slope(x: Vector, y: float, code: int, parameter: float, clip: float, theta: Vector) -> float:
    """The loss's clipped derivative at the prediction of one record.

    Args:
        x: Features, shape (d,).
        y: Label.
        code: Loss number.
        parameter: Loss parameter.
        clip: Bound on the derivative, or infinity.
        theta: Shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> squared = np.array([1.0, 2.0]), 1.0, 1, 0.0  # at a prediction of 3
    >>> [float(interpreted(slope)(*squared, clip, np.ones(2))) for clip in (math.inf, 0.5)]
    [2.0, 0.5]
    """
    s = 0.0
    for j in range(theta.shape[0]):
        s += x[j] * theta[j]
    found = loss_derivative(code, parameter, s, y)
    if clip < math.inf:
        found = max(-clip, min(clip, found))
    return found


@njit(cache=False, nogil=True, error_model="python")
def best_vertex(g: Vector, vertices: Vector, v: Vector) -> None:
    """The first of the vertices with the least inner product with g.

    Args:
        g: Shape (d,).
        vertices: Shape (V, d).
        v: Receives the vertex, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> v = np.zeros(2)
    >>> interpreted(best_vertex)(np.array([2.0, 1.0]), np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), v)
    >>> v.tolist()
    [-1.0, 0.0]
    """
    best, least = 0, math.inf
    for i in range(vertices.shape[0]):
        score = 0.0
        for j in range(g.shape[0]):
            score += vertices[i, j] * g[j]
        if score < least:
            best, least = i, score
    for j in range(g.shape[0]):
        v[j] = vertices[best, j]


@njit(cache=False, nogil=True, error_model="python")
def minimise(g: Vector, kind: int, dual: float, radius: float, vertices: Vector, v: Vector) -> None:
    """A minimiser of <g, v> over the set, into v; kinds as in ``dpref.geometry.linear_minimization``.

    Args:
        g: Shape (d,).
        kind: 0 ball with 1 < p < inf, 1 box, 2 ball with p = 1, 3 vertices.
        dual: q, for kind 0.
        radius: r, for kinds 0 to 2.
        vertices: Shape (V, d), for kind 3.
        v: Receives the minimiser, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> g, v, box = np.array([3.0, -4.0]), np.zeros(2), 1
    >>> interpreted(minimise)(g, box, 2.0, 5.0, np.zeros((0, 0)), v)
    >>> v.tolist()
    [-5.0, 5.0]
    """
    d = g.shape[0]
    if kind == 3:
        best_vertex(g, vertices, v)
        return
    top, size = 0, 0.0
    for j in range(d):
        v[j] = 0.0
        if abs(g[j]) > size:
            top, size = j, abs(g[j])
    if size == 0.0:
        return
    if kind == 2:
        v[top] = -radius if g[top] > 0.0 else radius
        return
    total = 0.0
    for j in range(d):
        if g[j] != 0.0:
            total += math.exp(dual * math.log(abs(g[j]) / size))
    scale = 1.0 if kind == 1 else math.exp((dual - 1.0) / dual * math.log(total))
    for j in range(d):
        if g[j] != 0.0:
            weight = radius if kind == 1 else radius * math.exp((dual - 1.0) * math.log(abs(g[j]) / size)) / scale
            v[j] = -weight if g[j] > 0.0 else weight


@njit(cache=False, nogil=True, error_model="python")
def run(
    features: Vector,
    labels: Vector,
    code: int,
    parameter: float,
    clip: float,
    kind: int,
    dual: float,
    radius: float,
    vertices: Vector,
    start: Vector,
    step_scale: float,
    ahead: int,
    std: float,
    noise: Vector,
) -> tuple[Vector, Vector]:
    """Run a stream of n records on a tape of unit noise.

    Args:
        features: Shape (n, d).
        labels: Shape (n,).
        code: Loss number.
        parameter: Loss parameter.
        clip: Bound on the loss's derivative, or infinity.
        kind: Kind of set, as for `minimise`.
        dual: q.
        radius: r.
        vertices: Shape (V, d).
        start: The first iterate, shape (d,).
        step_scale: c.
        ahead: 1 with the printed weights (t + 1, t), 0 with the repaired ones (t, t - 1).
        std: The factor before the unit noise.
        noise: Unit draws, shape (n, d).

    Returns:
        All iterates, the first included, shape (n + 1, d), and the exact sums of the nodes, shape (n, d).

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.array([[1.0, 0.5]]), np.ones(1), 0, 0.0, math.inf  # one record, logistic
    >>> box = 1, 1.0, 1.0, np.zeros((0, 0))
    >>> [part[-1].tolist() for part in interpreted(run)(*problem, *box, np.zeros(2), 1.0, 0, 1.0, np.zeros((1, 2)))]
    [[0.5, 0.5], [-0.5, -0.25]]
    """
    n, d = noise.shape
    levels = 1
    while (1 << levels) <= n:
        levels += 1
    iterates, queries = np.empty((n + 1, d)), np.empty((n, d))
    exact, noisy = np.empty((levels, d)), np.empty((levels, d))
    heights = np.empty(levels, dtype=np.int64)
    total, estimate, vertex = np.empty(d), np.empty(d), np.empty(d)
    for j in range(d):
        iterates[0, j] = start[j]
    live = 0
    for t in range(1, n + 1):
        x = features[t - 1]
        theta = iterates[t - 1]
        previous = iterates[t - 2] if t > 1 else theta
        here = (t + ahead) * slope(x, labels[t - 1], code, parameter, clip, theta)
        there = 0.0
        if t - 1 + ahead > 0:
            there = (t - 1 + ahead) * slope(x, labels[t - 1], code, parameter, clip, previous)
        for j in range(d):
            total[j] = here * x[j] - there * x[j]
        height = 0
        while live > 0 and heights[live - 1] == height:
            live -= 1
            height += 1
            for j in range(d):
                total[j] = exact[live, j] + total[j]
        heights[live] = height
        for j in range(d):
            exact[live, j] = total[j]
            queries[t - 1, j] = total[j]
            noisy[live, j] = total[j] + std * noise[t - 1, j]
        live += 1
        for j in range(d):
            prefix = noisy[0, j]
            for k in range(1, live):
                prefix += noisy[k, j]
            estimate[j] = prefix / (t + ahead)
        minimise(estimate, kind, dual, radius, vertices, vertex)
        eta = step_scale / (t + 1)
        for j in range(d):
            iterates[t, j] = theta[j] + eta * (vertex[j] - theta[j])
    return iterates, queries
