"""The mirror steps of `dpref.geometry.mirror`, compiled: the same text over scalar loops."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpref.kernels.branches import power, where_positive
from dpref.kernels.gradients import euclidean
from dpref.kernels.records import CUT, HALVINGS, THRESHOLDED, MirrorNumbers, Vector


@njit(cache=False, nogil=True, error_model="python")
def largest(x: Vector) -> int:
    """The place of the first entry of the largest size; x has shape (d,).

    >>> largest.py_func(np.array([1.0, -3.0, 3.0]))
    1
    """
    best = 0
    for j in range(1, x.shape[0]):
        if abs(x[j]) > abs(x[best]):
            best = j
    return best


@njit(cache=False, nogil=True, error_model="python")
def vector_norm(x: Vector, index: float) -> float:
    """The l_p norm of a vector of shape (d,) for a finite p.

    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(vector_norm)(np.array([3.0, -4.0]), 2.0)
    5.0
    """
    if index == 2.0:
        return euclidean(x)
    best, total = largest(x), 1.0
    top = abs(x[best])
    if top == 0.0:
        return 0.0
    for j in range(x.shape[0]):
        if j != best:
            share = abs(x[j]) / top
            total += share * power(share, index - 1.0)
    found: float = top * power(total, 1.0 / index)
    return found


@njit(cache=False, nogil=True, error_model="python")
def half_square_gradient(x: Vector, index: float, found: Vector) -> None:
    """The gradient of half the squared l_a norm at x, into ``found``; both of shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> found = np.zeros(2)
    >>> interpreted(half_square_gradient)(np.array([0.0, -4.0]), 1.5, found)
    >>> (0.0 + found).tolist()
    [0.0, -4.0]
    """
    for j in range(x.shape[0]):
        found[j] = x[j]
    best, total = largest(x), 0.0
    top = abs(x[best])
    if index == 2.0 or top == 0.0:
        return
    for j in range(x.shape[0]):
        share = abs(x[j]) / top if j != best else 1.0
        bent = power(share, index - 1.0)
        found[j] = where_positive(x[j], bent, -bent)
        total += share * bent
    factor = top * power(total, (2.0 - index) / index)
    for j in range(x.shape[0]):
        found[j] *= factor


@njit(cache=False, nogil=True, error_model="python")
def threshold(h: Vector, dual: float, kept: Vector, image: Vector) -> None:
    """The soft threshold of h whose image has an l1 norm of one, or h where its own has less, into ``kept``.

    Args:
        h: Shape (d,).
        dual: b.
        kept: Shape (d,).
        image: Scratch, shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> kept = np.zeros(3)
    >>> interpreted(threshold)(np.array([2.0, -1.5, 0.5]), 2.0, kept, np.zeros(3))
    >>> kept.round(12).tolist()
    [0.75, -0.25, 0.0]
    """
    for j in range(h.shape[0]):
        kept[j] = h[j]
    best, low = largest(h), 0.0
    top = abs(h[best])
    if top == 0.0:
        return
    high = min(top, 1.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        for j in range(h.shape[0]):
            kept[j] = max(middle - (top - abs(h[j])), 0.0) if j != best else middle
        half_square_gradient(kept, dual, image)
        room = 1.0
        for j in range(h.shape[0]):
            room -= image[j]
        low, high = where_positive(room, middle, low), where_positive(room, high, middle)
    for j in range(h.shape[0]):
        size = max(low - (top - abs(h[j])), 0.0) if j != best else low
        kept[j] = where_positive(h[j], size, -size)


@njit(cache=False, nogil=True, error_model="python")
def mirror_step(mirror: MirrorNumbers, z: Vector, g: Vector, alpha: float) -> Vector:
    """The mirror step from z along g, shape (d,).

    Args:
        mirror: The map.
        z: Shape (d,).
        g: Shape (d,).
        alpha: Positive.

    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(mirror_step)(MirrorNumbers(0, 2.0, 2.0, 1.0, 1.0), np.zeros(2), np.array([-3.0, 4.0]), 2.0).tolist()
    [0.6, -0.8]
    """
    d, radius = z.shape[0], mirror.radius
    h, point, image = np.empty(d), np.empty(d), np.empty(d)
    half_square_gradient(z, mirror.exponent, h)
    reach = mirror.scale * radius * alpha
    for j in range(d):
        h[j] = h[j] / radius - reach * g[j]
    if mirror.kind == CUT:
        for j in range(d):
            point[j] = radius * max(min(h[j], 1.0), -1.0)
        return point
    if mirror.kind == THRESHOLDED:
        threshold(h, mirror.dual, point, image)
        half_square_gradient(point, mirror.dual, image)
        for j in range(d):
            point[j] = radius * image[j]
        return point
    size = max(vector_norm(h, mirror.dual), 1.0)
    half_square_gradient(h, mirror.dual, image)
    for j in range(d):
        point[j] = radius * image[j] / size
    return point


@njit(cache=False, nogil=True, error_model="python")
def retract(y: Vector, index: float, radius: float) -> None:
    """Bring a point back into the ball of an index and radius, in place; shape (d,).

    >>> from dpref.kernels.twin import interpreted
    >>> y = np.array([3.0, -4.0])
    >>> interpreted(retract)(y, 2.0, 2.5), y.tolist()
    (None, [1.5, -2.0])
    """
    if index == math.inf:
        for j in range(y.shape[0]):
            y[j] = max(-radius, min(radius, y[j]))
        return
    factor = radius / max(radius, vector_norm(y, index))
    for j in range(y.shape[0]):
        y[j] *= factor
