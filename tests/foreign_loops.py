"""A private gradient descent in plain numpy, right and wrong in the ways that implementations are wrong."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dpref.foreign.replay import Recording, Step
from dpref.foreign.replay.recording import example
from dpref.reals import FloatArray

CLIP = 0.0625
STEPS = 6


@cache
def reference(steps: int = STEPS) -> Recording:
    """Ten records in three dimensions, each gradient clipped to 1/16."""
    return example(steps)


def numpy_loop(run: Recording, rng: Any, bug: str = "", dtype: Any = np.float64, data: Any = None) -> list[Step]:
    """Sums, multiplies the clip into the noise, and divides at the end: not the order of the library."""
    features, labels = (np.asarray(run.problem[k] if data is None else data[k]) for k in ("features", "labels"))
    x, y, clip, n = features.astype(dtype), labels.astype(dtype), dtype(CLIP), run.records
    multiplier, eta = run.noise_multiplier(CLIP), dtype(run.parameters["step_size"])
    w, steps, last = np.zeros(x.shape[1], dtype), [], np.zeros(x.shape[1], dtype)
    for t in range(run.steps):
        rows = (-y / (1 + np.exp(y * (x @ w))))[:, None] * x
        if bug == "batch":
            total = n * clipped(rows.sum(axis=0, keepdims=True) / n, clip)[0]
        elif bug == "unclipped":
            total = rows.sum(axis=0)
        else:
            total = clipped(rows, clip).sum(axis=0)
        z = np.asarray(rng.standard_normal(w.size)).astype(dtype)
        z, last = (last if bug == "twice" and t == 3 else z), z
        noise = dtype(multiplier) * clip * z
        noise *= {("halved", 3): 0.5, ("silent", run.steps - 1): 0.0, ("sign", 1): -1.0}.get((bug, t), 1.0)
        noise = noise / n if bug == "mean" and t >= 2 else noise
        noise = noise[::-1] if bug == "order" and t == 2 else noise
        answer = (total + noise) / dtype(n if bug != "divisor" or t < 1 else n - 1)
        w = w - (eta * answer if bug != "momentum" or t < 2 else 2 * eta * answer)
        steps.append(Step(query=total / n, noise=noise / n, answer=answer, iterate=w.copy()))
    return steps


def clipped(rows: FloatArray, bound: Any) -> FloatArray:
    """Each row shortened to a norm."""
    sizes = np.maximum(np.linalg.norm(rows, axis=1), np.finfo(rows.dtype).tiny)
    return np.asarray(rows * np.minimum(1, bound / sizes)[:, None].astype(rows.dtype))
