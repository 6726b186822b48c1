"""A batch summed in parts: the first part is kept by name, and the name's array is written again."""

from __future__ import annotations

from typing import Final

import numpy as np

from dpref.museum.exhibit import Loop, Source, Steps
from dpref.reals import FloatArray


def _descent(data: FloatArray, tape: FloatArray, *, copied: bool) -> Steps:
    """Steps on the mean of (x - record)^2 / 2, gradients cut to norm 1, summed over two halves of the records."""
    place, steps = np.zeros(data.shape[1]), []
    gradient = np.empty_like(place)
    for unit in tape:
        total: FloatArray | None = None
        for half in np.split(data, 2):
            each = place - half
            gradient[:] = (each / np.maximum(1, np.linalg.norm(each, axis=1, keepdims=True))).sum(0)
            if total is None:
                total = gradient.copy() if copied else gradient
            else:
                total += gradient
        assert total is not None  # noqa: S101  there are two halves
        noise = 0.5 * unit
        answer = total + noise
        place = place - 0.1 * answer / len(data)
        steps.append({"query": total.copy(), "noise": noise, "answer": answer, "iterate": place})
    return steps


def kept_by_name(data: FloatArray, tape: FloatArray) -> Steps:
    """The running sum is the gradient's own array, so the second half is counted twice and the first not at all."""
    return _descent(data, tape, copied=False)


def kept_as_copy(data: FloatArray, tape: FloatArray) -> Steps:
    """The running sum is an array of its own."""
    return _descent(data, tape, copied=True)


EXHIBITS: Final = (
    Loop(
        id="opacus-accumulated-by-name",
        title="The accumulated gradient is the array into which the next part is written.",
        bug_class="state",
        sources=(Source("https://github.com/meta-pytorch/opacus/pull/707"),),
        broken=kept_by_name,
        fixed=kept_as_copy,
        data=np.array([[0.2, 0.1], [0.4, -0.3], [-0.5, 0.6], [0.1, 0.9]]),
        tape=np.random.default_rng(707).standard_normal((5, 2)),
        differs=(0, "query"),
    ),
)
