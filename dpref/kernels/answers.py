"""How a kernel is answered: the query with its noise, or what the tape forces."""

from __future__ import annotations

import numpy as np
from numba import njit

from dpref.kernels.records import Tape, Vector


@njit(cache=False, nogil=True, error_model="python")
def answer(tape: Tape, k: int, query: Vector, scale: float) -> Vector:
    """The answer to query k, shape (d,): ``query + scale * noise``, or the one that the tape forces.

    Args:
        tape: Noise, and answers where they are forced, one a row.
        k: Number of the query.
        query: Exact, shape (d,).
        scale: The factor of the noise.

    Raises:
        ValueError: If the tape is too short.

    >>> from dpref.kernels.twin import interpreted
    >>> tape = Tape(np.ones((1, 2)), np.empty((0, 2)), np.empty(0, dtype=np.int64))
    >>> interpreted(answer)(tape, 0, np.zeros(2), 0.5).tolist()
    [0.5, 0.5]
    """
    forced = tape.answers.shape[0] > 0
    if k >= (tape.answers.shape[0] if forced else tape.noise.shape[0]):  # compiled code reads past an end unasked
        raise ValueError("the tape is too short for this run")
    found = np.empty(query.shape[0])
    for j in range(query.shape[0]):
        found[j] = tape.answers[k, j] if forced else query[j] + scale * tape.noise[k, j]
    return found


@njit(cache=False, nogil=True, error_model="python")
def put(row: Vector, values: Vector) -> None:
    """Copy values, shape (d,), into a row of as many.

    The compiler takes seconds for an assignment to a slice, whose shapes it lets differ; and none for a loop.

    Raises:
        ValueError: If there are more or fewer.

    >>> from dpref.kernels.twin import interpreted
    >>> points = np.zeros((2, 2))
    >>> interpreted(put)(points[1], np.ones(2))
    >>> points.tolist()
    [[0.0, 0.0], [1.0, 1.0]]
    """
    if row.shape[0] != values.shape[0]:
        raise ValueError("the values are more or fewer than their place has room for")
    for j in range(row.shape[0]):
        row[j] = values[j]
