"""How the registry calls the compiled twins of the online algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.online.online_frank_wolfe import Plan
from dpref.curator import Indices
from dpref.problems.datasets import Dataset
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray


def online_frank_wolfe(
    problem: StreamProblem,
    data: Dataset,
    plan: Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    """DP-TOFW on a tape of unit noise, shape (n, d)."""
    from dpref.kernels.online import online_frank_wolfe as kernel  # noqa: PLC0415

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
