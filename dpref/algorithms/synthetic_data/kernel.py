"""Synthetic data by mirror descent, compiled: the steps of ``algorithm.py``, line for line, on a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dpref.kernels.games import add_softmax, choose
from dpref.kernels.records import Indices, QueryAnswers, Tape, Trace, Vector


class Numbers(NamedTuple):
    """What the kernel reads of the plan."""

    batches: Indices  # (T - 1,) records of each round
    vertices: Indices  # (T,) queries drawn in each round
    step_size: float  # tau_y
    law_step: float  # tau_x


@njit(cache=False, nogil=True, error_model="python")
def add_gap(problem: QueryAnswers, first: int, last: int, law: Vector, step: float, scores: Vector) -> None:
    """Add ``step`` times what records first, ..., last - 1 answer above a law, on average, to the queries' scores.

    >>> from dpref.kernels.twin import interpreted
    >>> problem, scores = QueryAnswers(np.eye(2), np.array([[1.0, 0.0]])), np.zeros(2)
    >>> interpreted(add_gap)(problem, 0, 1, np.array([0.25, 0.75]), 2.0, scores), scores.tolist()
    (None, [1.5, -1.5])
    """
    queries = scores.shape[0]
    mean, told = np.zeros(queries), np.zeros(queries)
    for i in range(first, last):
        for j in range(queries):
            mean[j] += problem.answers[i, j]
    for z in range(law.shape[0]):
        for j in range(queries):
            told[j] += law[z] * problem.values[z, j]
    for j in range(queries):
        scores[j] += step * (mean[j] / (last - first) - told[j])


@njit(cache=False, nogil=True, error_model="python")
def run(problem: QueryAnswers, plan: Numbers, tape: Tape) -> Trace:
    """All rounds on a tape of Gumbel draws.

    The queries are the scores, the points the averages of each round, and at last the law that is released.

    >>> from dpref.algorithms import game_examples as examples, synthetic_data as package
    >>> from dpref.kernels.twin import interpreted_run
    >>> with interpreted_run("synthetic_data"):
    ...     package.ALGORITHM.trace(*examples.synthetic_data(), np.zeros(16)).points[:, 0].round(3).tolist()
    [0.598, 0.769, 0.598, 0.882, 0.712]
    """
    rounds, (elements, queries) = plan.vertices.shape[0], problem.values.shape
    points, asked = np.zeros((rounds + 1, elements)), np.empty((rounds, queries))
    answers, scores, law_scores = np.empty(plan.vertices.sum()), np.zeros(queries), np.zeros(elements)
    used, first = np.zeros(2, dtype=np.int64), 0
    for t in range(rounds):
        count, done = plan.vertices[t], used[1]
        asked[t] = scores
        chosen = np.empty(count, dtype=np.int64)
        choose(tape, scores, used, 0, queries, chosen)
        for k in range(count):
            answers[done + k] = chosen[k]
            add_softmax(law_scores, points[t])
            for z in range(elements):
                law_scores[z] += plan.law_step * problem.values[z, chosen[k]]
        for z in range(elements):
            points[t, z] /= count
            points[rounds, z] += points[t, z]
        if t < rounds - 1:
            add_gap(problem, first, first + plan.batches[t], points[t], plan.step_size, scores)
            first += plan.batches[t]
    for z in range(elements):
        points[rounds, z] /= rounds
    return Trace(points, asked, np.ones(rounds), answers)
