"""The compiled twins of this family on a recorded tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent import plan as vertex_plan_plan
from dpref.curator import Indices
from dpref.problems.games import Game, GameData
from dpref.reals import FloatArray


def game_arguments(problem: Game, data: GameData) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """The arguments that every kernel of the saddle family takes first: records and the width of the ramps.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        data: The private records: payoff matrices, shape (n, d_x, d_y).

    Returns:
        Payoffs, shape (n, d_x, d_y); slopes, shape (n, d_x); offsets, shape (n,); the width, 0 for a bilinear game.

    >>> data = GameData.bilinear(np.zeros((5, 2, 3)))
    >>> payoffs, slopes, offsets, ramp = game_arguments(Game(n=5, rows=2, columns=3), data)
    >>> payoffs.shape, slopes.shape, offsets.shape, ramp
    ((5, 2, 3), (5, 2), (5,), 0.0)
    """
    return data.payoffs, data.slopes, data.offsets, 0.0 if problem.ramp is None else float(problem.ramp)


def toward(plan: vertex_plan_plan.Plan[Any]) -> float:
    return 1.0 if plan.form is Form.REPAIRED else -1.0


def run_mirror_descent(
    problem: Game,
    data: GameData,
    plan: vertex_plan_plan.Plan[Any],
    noise: FloatArray,
    indices: Indices | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Run Algorithm 1 of the saddle-point paper compiled, on recorded Gumbel noise.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        data: The private records: payoff matrices, shape (n, d_x, d_y).
        plan: What `plan` computed: batches, numbers of vertices, step size, sensitivity.
        noise: Standard Gumbel draws in the order in which the reference draws them, of any shape.
        indices: Unused: this family samples no records.

    Returns:
        The average vertices of each iteration and then the output, shape (T + 1, d_x + d_y), and the scores that each
        iteration draws from, shape (T, d_x + d_y).

    >>> from dpref.algorithms import examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("mirror_descent"):  # x takes vertices 0, then 1; y 1, then 0
    ...     run_mirror_descent(*examples.mirror_descent(1, 1, 1), np.eye(2)[[0, 1, 1, 0]])[0].tolist()
    [[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]
    """
    from dpref.algorithms.mirror_descent import kernel  # noqa: PLC0415

    counts = np.array(plan.batches, dtype=np.int64), np.array(plan.vertices, dtype=np.int64)
    return kernel.run(*game_arguments(problem, data), *counts, plan.step_size, toward(plan), noise.ravel())
