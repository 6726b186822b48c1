"""DP-SVRG++, compiled; the noise and the indices are arguments.

The twin of ``dpref.algorithms.svrg_plus_plus.plan``: an epoch goes on from the last iterate.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpref.algorithms.svrg.kernel import epoch

Vector = NDArray[np.float64]


Indices = NDArray[np.int64]


@njit(cache=False, nogil=True, error_model="python")
def run(
    features: Vector,
    labels: Vector,
    code: int,
    parameter: float,
    clip: float,
    regulariser: Vector,
    start: Vector,
    step_size: float,
    std: float,
    lengths: Indices,
    noise: Vector,
    indices: Indices,
) -> tuple[Vector, Vector]:
    """Run T epochs on a tape of standard normal noise and of indices.

    Args:
        features: Shape (n, d).
        labels: Shape (n,).
        code: Loss number.
        parameter: Loss parameter.
        clip: Clipping norm, or infinity.
        regulariser: l1, l2, low, high, radius of the prox, shape (5,); -inf, inf, inf where there is no set.
        start: The first snapshot, in the set, shape (d,).
        step_size: eta.
        std: sigma.
        lengths: Inner steps of each epoch, shape (T,).
        noise: Standard normal draws, shape (K, d), K the sum of the lengths.
        indices: Batches, shape (K, b).

    Returns:
        The point of each query and then the output, shape (K + 1, d), and exact queries, shape (K, d).

    >>> from dpref.kernels.twin import interpreted
    >>> problem = np.ones((2, 1)), np.ones(2), 2, 1.0, np.inf, np.array([0, 0, -np.inf, np.inf, np.inf])
    >>> tape = np.array([2, 1]), np.array([[1.0], [0.0], [0.0]]), np.array([[0], [1], [1]])  # lengths, noise, batches
    >>> interpreted(run)(*problem, np.zeros(1), 0.5, 0.5, *tape)[0].ravel().tolist()
    [0.0, 0.25, 0.625, 0.8125]
    """
    steps, d = noise.shape
    iterates = np.empty((steps + 1, d))
    queries = np.empty((steps, d))
    snapshot = start.copy()
    x = start.copy()
    k = 0
    for length in lengths:
        snapshot = epoch(
            features, labels, code, parameter, clip, regulariser, step_size, std, noise[k : k + length],
            indices[k : k + length], snapshot, x, iterates[k : k + length], queries[k : k + length],
        )  # fmt: skip
        k += length
    iterates[steps] = snapshot
    return iterates, queries
