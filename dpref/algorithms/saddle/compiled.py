"""The compiled twins of this family on a recorded tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.saddle import vertex_plan
from dpref.curator import Indices
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.problems.games import Game, GameData
from dpref.reals import FLOAT, FloatArray


def game_arguments(problem: Game, data: GameData) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """The arguments that every kernel of the saddle family takes first: records and the width of the ramps."""
    return data.payoffs, data.slopes, data.offsets, 0.0 if problem.ramp is None else float(problem.ramp)


def _toward(plan: vertex_plan.Plan[Any]) -> float:
    return 1.0 if plan.form is Form.REPAIRED else -1.0


def run_mirror_descent(
    problem: Game,
    data: GameData,
    plan: vertex_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    """Algorithm 1 of the saddle-point paper on a tape of Gumbel noise."""
    from dpref.kernels.saddle import mirror_descent as kernel  # noqa: PLC0415

    counts = np.array(plan.batches, dtype=np.int64), np.array(plan.vertices, dtype=np.int64)
    return kernel.run(*game_arguments(problem, data), *counts, plan.step_size, _toward(plan), noise.ravel())


def run_bias_reduced_mirror_descent(
    problem: Game,
    data: GameData,
    plan: vertex_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,  # noqa: ARG001
) -> tuple[FloatArray, FloatArray]:
    """Algorithm 2 of the saddle-point paper on a tape of Gumbel noise."""
    from dpref.kernels.saddle import bias_reduced_mirror_descent as kernel  # noqa: PLC0415

    counts = np.array(plan.batches, dtype=np.int64), np.array(plan.vertices, dtype=np.int64)
    C, spare = normaliser(FLOAT, plan.truncation), int(plan.spare_output)
    arguments = (*game_arguments(problem, data), *counts, C, plan.step_size, _toward(plan), spare)
    return kernel.run(*arguments, noise.ravel())
