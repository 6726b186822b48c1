"""Estimators for scikit-learn, and a table for them; scikit-learn is loaded when one is made."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.reals import FloatArray

ASK: dict[str, Any] = {"delta": "1e-5", "adjacency": "replace-one", "bounds": 4, "random_state": 0}


def classifier(**given: Any) -> Any:
    from dpref.sklearn import PrivateLogisticRegression

    return PrivateLogisticRegression(**{**ASK, "epsilon": 2, "parameters": {"steps": 20}, **given})


def regression(**given: Any) -> Any:
    from dpref.sklearn import PrivateLinearRegression

    more = {"epsilon": 10, "target_bounds": (-3, 3), "parameters": {"steps": 60}}
    return PrivateLinearRegression(**{**ASK, **more, **given})


def table(n: int = 60, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Records of norm at most 3 with labels 0 and 1."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 3))
    rows *= 3 * rng.uniform(size=(n, 1)) / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows, (rows[:, 0] > 0).astype(float)
