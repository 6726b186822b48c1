"""How the registry calls the compiled twins of the online algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe.plan import Plan
from dpref.curator import Indices
from dpref.problems.datasets import Dataset
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray


def online_frank_wolfe(
    problem: StreamProblem,
    data: Dataset,
    plan: Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Run DP-TOFW compiled, on recorded unit noise.

    Args:
        problem: The public problem: loss, length of the stream, bounds, constraint set.
        data: The private records in order: features, shape (n, d), and labels, shape (n,).
        plan: What `plan` computed: length of the stream, noise, step scale, start.
        noise: Unit draws, one node a row, shape (n, d).
        indices: The algorithm draws none.

    Returns:
        All iterates, the first included, shape (n + 1, d), and the exact sums of the nodes, shape (n, d).

    The example runs the kernel's interpreted twin, which gives the same bits and has nothing to compile:

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("online_frank_wolfe"):
    ...     online_frank_wolfe(*examples.online_frank_wolfe(), np.zeros((1, 2)))[0].tolist()
    [[0.0, 0.0], [0.5, 0.0]]
    """
    from dpref.algorithms.online_frank_wolfe import kernel  # noqa: PLC0415

    kind, dual, radius, vertices = problem.domain.encoding()
    return kernel.run(
        data.features,
        data.labels,
        problem.loss.code,
        float(problem.loss.parameter),
        np.inf if problem.clip is None else float(problem.clip),
        kind,
        dual,
        radius,
        np.ascontiguousarray(vertices),
        np.array(plan.start),
        float(plan.step_scale),
        int(plan.form is Form.AS_PRINTED),
        plan.std,
        np.ascontiguousarray(noise),
    )
