"""The compiled twin on a recorded tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.mirror_descent import plan as vertex_plan_plan
from dpref.algorithms.mirror_descent.compiled import game_arguments, toward
from dpref.curator import Indices
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.problems.games import Game, GameData
from dpref.reals import FLOAT, FloatArray


def run_bias_reduced_mirror_descent(
    problem: Game,
    data: GameData,
    plan: vertex_plan_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Run Algorithm 3 of the saddle-point paper compiled, on recorded Gumbel noise.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        data: The private records: payoff matrices, shape (n, d_x, d_y).
        plan: What `plan` computed: batches, levels, numbers of vertices, step size.
        noise: Standard Gumbel draws in the order in which the reference draws them, of any shape.
        indices: Unused: this family samples no records.

    Returns:
        The average vertices of each iteration and then the output, shape (T + 1, d_x + d_y), and the scores that are
        drawn from, shape (T or T + 1, d_x + d_y).

    >>> from dpref.algorithms.examples import bias_reduced_mirror_descent as example
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("bias_reduced_mirror_descent"):  # x takes vertices 0, 1, 0; y 1, 0, 0
    ...     run_bias_reduced_mirror_descent(*example((0,), 1), np.eye(2)[[0, 1, 0, 1, 0, 0]])[0].tolist()
    [[0.5, 0.5, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]
    """
    from dpref.algorithms.bias_reduced_mirror_descent import kernel  # noqa: PLC0415

    counts = np.array(plan.batches, dtype=np.int64), np.array(plan.vertices, dtype=np.int64)
    C, spare = normaliser(FLOAT, plan.truncation), int(plan.spare_output)
    arguments = (*game_arguments(problem, data), *counts, C, plan.step_size, toward(plan), spare)
    return kernel.run(*arguments, noise.ravel())
