"""Boosted mirror descent, compiled: the kernels of what it runs, each on its part and on its stretch of the tape."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.algorithms.anytime_mirror_descent.kernel import Numbers as AnytimeNumbers
from dpref.algorithms.anytime_mirror_descent.kernel import run as anytime
from dpref.algorithms.bias_reduced_mirror_descent.kernel import Numbers as DescentNumbers
from dpref.algorithms.bias_reduced_mirror_descent.kernel import run as descent
from dpref.algorithms.variance_reduced_frank_wolfe.kernel import Numbers as FrankWolfeNumbers
from dpref.algorithms.variance_reduced_frank_wolfe.kernel import run as frank_wolfe
from dpref.kernels.games import choose, mean_loss, part
from dpref.kernels.records import Indices, Payoffs, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    run_lengths: Indices  # (I,) iterations of each run
    run_batches: Indices  # of all runs, end to end
    run_vertices: Indices  # the same
    run_step: float  # tau of a run
    run_scale: float  # of the Gumbel noise of a run
    normaliser: float  # C_M
    toward: float  # 1, or -1 for the printed sign of the y-step
    spare_output: bool  # whether a run's output also averages the iterate after the last step
    run_part: int  # records of a run
    routine: int  # what responds: a single choice of a vertex (0), Algorithm 5 (1) or Frank-Wolfe (2)
    responses: int  # J
    response_part: int  # records of a response
    response_batches: Indices  # records of each step of a response
    response_vertices: Indices  # vertices drawn before each step, and for the output
    response_step: float  # tau of a response
    response_starts: Vector  # the weight of every vertex where a response starts, of the first and second player
    response_scales: Vector  # of the noise of a response, of each of its phases
    part: int  # records of the choice
    scale: float  # of the Gumbel noise of the choice


@njit(cache=False, nogil=True, error_model="python")
def cut(tape: Tape, used: Indices, numbers: int, choices: int) -> Tape:
    """The next stretch of a tape, of so many draws and of so many choices; ``used`` is moved on.

    >>> tape, used = Tape(np.arange(6.0), np.arange(3.0), np.empty(0, int)), np.zeros(2, int)
    >>> cut.py_func(tape, used, 4, 2).noise.tolist(), used.tolist()
    ([0.0, 1.0, 2.0, 3.0], [4, 2])
    """
    noise, answers = tape.noise[used[0] : used[0] + numbers], tape.answers[used[1] : used[1] + choices]
    if tape.answers.shape[0] > 0 and answers.shape[0] < choices:
        raise ValueError("the tape is too short for this run")
    used[0] += numbers
    used[1] += choices
    return Tape(noise, answers, tape.indices)


@njit(cache=False, nogil=True, error_model="python")
def vertex(problem: Payoffs, first: bool, scale: float, opponent: Vector, tape: Tape) -> Trace:
    """One vertex of a player by the exponential mechanism over its mean losses against the other's point.

    >>> coins = Payoffs(np.array([[[1.0, -1.0], [-1.0, 1.0]]]), np.zeros((1, 2)), np.zeros(1), 0.0)
    >>> tape = Tape(np.zeros(2), np.empty(0), np.empty(0, int))
    >>> from dpref.kernels.twin import interpreted
    >>> interpreted(vertex)(coins, True, 1.0, np.array([1.0, 0.0]), tape).points.tolist()
    [[0.0, 1.0]]
    """
    d = problem.payoffs.shape[1] if first else problem.payoffs.shape[2]
    scores, chosen = np.empty(d), np.empty(1, dtype=np.int64)
    for i in range(d):
        e = np.zeros(d)
        e[i] = 1.0
        scores[i] = -mean_loss(problem, e, opponent) if first else mean_loss(problem, opponent, e)
    choose(tape, scores / scale, np.zeros(2, dtype=np.int64), 0, d, chosen)
    point, answers = np.zeros(d), np.empty(1)
    point[chosen[0]], answers[0] = 1.0, chosen[0]
    return Trace(point.reshape(1, d), scores.reshape(1, d), np.full(1, scale), answers)


@njit(cache=False, nogil=True, error_model="python")
def candidate(problem: Payoffs, plan: Numbers, number: int, tape: Tape, used: Indices) -> Trace:
    """A run of Algorithm 3 on its records, which follow those of the choice; ``used`` is moved on.

    >>> candidate.__name__
    'candidate'
    """
    first = plan.run_lengths[:number].sum()
    last = first + plan.run_lengths[number]
    batches, vertices = plan.run_batches[first:last], plan.run_vertices[first:last]
    numbers = DescentNumbers(
        batches, vertices, plan.normaliser, plan.run_step, plan.toward, plan.spare_output, plan.run_scale
    )
    count = last - first + vertices.sum() + (1 if plan.spare_output else 0)
    place, d = plan.part + number * plan.run_part, problem.payoffs.shape[1] + problem.payoffs.shape[2]
    stretch = cut(tape, used, count * d, 2 * count)
    return descent(part(problem, place, place + plan.run_part), numbers, stretch)


@njit(cache=False, nogil=True, error_model="python")
def respond(
    problem: Payoffs, plan: Numbers, player: int, number: int, opponent: Vector, tape: Tape, used: Indices
) -> Trace:
    """A response of player 0 or 1 to the other's point, on its records; ``used`` is moved on.

    >>> respond.__name__
    'respond'
    """
    place = (2 + player) * plan.part + number * plan.response_part
    own, count = part(problem, place, place + plan.response_part), plan.response_vertices.sum()
    stretch = cut(tape, used, count * problem.payoffs.shape[1 + player], count)
    if plan.routine == 0:
        return vertex(own, player == 0, plan.response_scales[0], opponent, stretch)
    if plan.routine == 2:
        start = np.full(problem.payoffs.shape[1 + player], plan.response_starts[player])
        roots = plan.response_batches[0]
        return frank_wolfe(own, FrankWolfeNumbers(start, roots, plan.response_scales, player == 0, opponent), stretch)
    numbers = AnytimeNumbers(plan.response_batches, plan.response_vertices, plan.response_step, player == 0, opponent)
    return anytime(own, numbers, stretch)


@njit(cache=False, nogil=True, error_model="python")
def proxy(held_out: Payoffs, x: Vector, y: Vector, first: Vector, second: Vector) -> float:
    """Minus the proxy of the gap at x and y, with the responses of both players in rows.

    >>> from dpref.kernels.twin import interpreted
    >>> coins = Payoffs(np.array([[[1.0, -1.0], [-1.0, 1.0]]]), np.zeros((1, 2)), np.zeros(1), 0.0)
    >>> float(interpreted(proxy)(coins, np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.eye(2), np.eye(2)))
    -2.0
    """
    up, down = -math.inf, -math.inf
    for j in range(first.shape[0]):
        up, down = max(up, mean_loss(held_out, x, second[j])), max(down, -mean_loss(held_out, first[j], y))
    return -(up + down)


@njit(cache=False, nogil=True, error_model="python")
def run(problem: Payoffs, plan: Numbers, tape: Tape) -> Trace:
    """All runs, all responses of the first player, all of the second, and the choice, on a tape of Gumbel draws.

    The queries are the scores of each selection, one a row, the points the candidates, the responses and the output.

    >>> from dpref.algorithms import boosted_mirror_descent as package, game_examples as examples
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("boosted_mirror_descent"):
    ...     package.ALGORITHM.trace(*examples.boosted_mirror_descent(), np.zeros(60)).points[-1].tolist()
    [0.5, 0.5, 1.0, 0.0]
    """
    rows, columns = problem.payoffs.shape[1], problem.payoffs.shape[2]
    runs, J, spare = plan.run_lengths.shape[0], plan.responses, 1 if plan.spare_output else 0
    asked = 0
    for count in plan.response_vertices:
        asked += 1 if count > 0 else 0
    total = 2 * (plan.run_lengths.sum() + runs * spare) + 2 * runs * J * asked + 1
    drawn = 2 * (plan.run_lengths.sum() + plan.run_vertices.sum() + runs * spare)
    drawn += 2 * runs * J * plan.response_vertices.sum() + 1
    wide = max(rows, columns)
    queries, scales = np.zeros((total, max(wide, runs))), np.full(total, plan.run_scale)
    points, answers = np.zeros((runs + 2 * runs * J + 1, rows + columns)), np.empty(drawn)
    used, at, said = np.zeros(2, dtype=np.int64), 0, 0
    for i in range(runs):
        seen = candidate(problem, plan, i, tape, used)
        points[i] = seen.points[-1]
        for scores in seen.queries:
            queries[at, :rows], queries[at + 1, :columns] = scores[:rows], scores[rows:]
            at += 2
        answers[said : said + seen.answers.shape[0]] = seen.answers
        said += seen.answers.shape[0]
    row = runs
    for player in range(2):
        start, size = (0, rows) if player == 0 else (rows, columns)
        for i in range(runs):
            opponent = points[i, rows:].copy() if player == 0 else points[i, :rows].copy()
            for j in range(J):
                seen = respond(problem, plan, player, i * J + j, opponent, tape, used)
                points[row, start : start + size] = seen.points[-1]
                row += 1
                queries[at : at + asked, :size], scales[at : at + asked] = seen.queries, seen.scales
                at += asked
                answers[said : said + seen.answers.shape[0]] = seen.answers
                said += seen.answers.shape[0]
    held_out, scales[at] = part(problem, 0, plan.part), plan.scale
    for i in range(runs):
        first = points[runs + i * J : runs + (i + 1) * J, :rows].copy()
        second = points[runs + (runs + i) * J : runs + (runs + i + 1) * J, rows:].copy()
        queries[at, i] = proxy(held_out, points[i, :rows].copy(), points[i, rows:].copy(), first, second)
    best = np.empty(1, dtype=np.int64)
    choose(cut(tape, used, runs, 1), queries[at, :runs] / plan.scale, np.zeros(2, dtype=np.int64), 0, runs, best)
    answers[said], points[-1] = best[0], points[best[0]]
    return Trace(points, queries, scales, answers)
