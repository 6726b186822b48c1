"""Boosted mirror descent, Algorithm 4 of the paper with all that it calls, written again in plain numpy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import boosted_mirror_descent as package
from dpref.algorithms.boosted_mirror_descent import algorithm
from dpref.algorithms.boosted_mirror_descent.plan import Plan
from dpref.algorithms.boosted_mirror_descent.routines import Anytime, Vertex
from dpref.curator import RecordingCurator
from dpref.kernels.twin import interpreted_run
from dpref.reals import FloatArray
from dpref.units import ReplaceOne
from tests.test_mirror_descent_boosted import DATA, GAME, made

CORNERS = np.eye(3), np.eye(2)


def losses(rows: range, x: FloatArray, y: FloatArray) -> float:
    """The mean loss of some records, less what it is at x = 0."""
    t = [(DATA.slopes[rows] @ p - DATA.offsets[rows]) / 0.25 for p in (x, 0 * x)]
    huber = [np.where(np.abs(v) <= 1, v * v / 2, np.abs(v) - 0.5) for v in t]
    return float((np.einsum("i,kij,j->k", x, DATA.payoffs[rows], y) + 0.25 * (huber[0] - huber[1])).mean())


def slopes(rows: range, x: FloatArray, y: FloatArray) -> list[FloatArray]:
    """Both players' mean gradients, each in the sense in which it descends."""
    clipped = np.clip((DATA.slopes[rows] @ x - DATA.offsets[rows]) / 0.25, -1, 1)
    ridge = (DATA.slopes[rows] * clipped[:, None]).mean(axis=0)
    return [DATA.payoffs[rows].mean(axis=0) @ y + ridge, -(x @ DATA.payoffs[rows].mean(axis=0))]


def candidate(one: Any, rows: range, draws: Iterator[Any]) -> list[FloatArray]:
    """Algorithm 3 on some records."""
    scores, out, used = [np.zeros(3), np.zeros(2)], [np.zeros(3), np.zeros(2)], rows.start
    C = 2 - 2.0**-one.truncation
    for level, batch in zip(one.levels, one.batches, strict=True):
        drawn = [CORNERS[p][(scores[p] + next(draws)).argmax(axis=1)] for p in range(2)]
        out = [out[p] + drawn[p][0] for p in range(2)]
        whole, half, first = (
            slopes(range(used, used + batch), *(v[1 : 1 + k].mean(axis=0) for v in drawn))
            for k in (2 ** (level + 1), 2**level, 1)
        )
        used += batch
        for p in range(2):
            scores[p] = scores[p] - one.step_size * (C * 2**level * (whole[p] - half[p]) + first[p])
    return [total / len(one.levels) for total in out]


def response(player: int, rows: range, own: Any, other: FloatArray, draws: Iterator[Any]) -> FloatArray:
    """The response to another player's point: Algorithm 5, or the choice of a vertex where there is no plan of it."""

    def both(p: FloatArray) -> tuple[FloatArray, FloatArray]:
        return (p, other) if player == 0 else (other, p)

    if own is None:
        found = np.array([(2 * player - 1) * losses(rows, *both(e)) for e in CORNERS[player]])
        return np.asarray(CORNERS[player][np.argmax(found / (4 / len(rows)) + next(draws)[0])])
    score, weights, used = np.zeros(3 - player), [np.full(3 - player, 1 / (3 - player))], rows.start
    point = weights[0]
    for t, count in enumerate(own.vertices):
        if count:
            point = CORNERS[player][(np.log(np.mean(weights, axis=0)) + next(draws)).argmax(axis=1)].mean(axis=0)
        if t < len(own.batches):
            score = score - own.step_size * slopes(range(used, used + own.batches[t]), *both(point))[player]
            weights, used = [*weights, np.exp(score) / np.exp(score).sum()], used + own.batches[t]
    return np.asarray(point)


def written_again(chosen: Plan[Any], tape: Any) -> FloatArray:
    """Algorithm 4 straight from its pseudocode: candidates, responses to each, and the least gap of proxies."""
    draws = iter([entry.noise for entry in tape.answers])
    points = [candidate(one, chosen.reads_run(i), draws) for i, one in enumerate(chosen.candidates)]
    own = [None if isinstance(chosen.routine, Vertex) else of for of in chosen.responders]
    answers = [
        [
            [response(p, chosen.reads_response(name, i, j), own[p], point[1 - p], draws) for j in range(2)]
            for i, point in enumerate(points)
        ]
        for p, name in enumerate(("first", "second"))
    ]
    gaps = [
        max(losses(range(24), x, a) for a in answers[1][i]) - min(losses(range(24), a, y) for a in answers[0][i])
        for i, (x, y) in enumerate(points)
    ]
    return np.concatenate(points[int(np.argmax(-np.array(gaps) / (8 / 24) + next(draws)[0]))])


def farthest(change: dict[str, Any]) -> float:
    """How far the reference or the kernel's text is from the lines above on one tape, on long steps."""
    chosen, found = made(**change), 0.0
    chosen = replace(chosen, candidates=tuple(replace(run, step_size=0.7) for run in chosen.candidates))
    for seed in range(10):
        curator: Any = RecordingCurator(GAME.read(DATA), ReplaceOne, np.random.default_rng(seed))
        output, tape = algorithm.run(GAME, chosen, curator), curator.transcript
        with interpreted_run("boosted_mirror_descent"):
            trace = package.ALGORITHM.trace(GAME, DATA, chosen, tape.noise())
        written = written_again(chosen, tape)
        asked = ((entry.query, row[: entry.query.size]) for entry, row in zip(tape.answers, trace.queries, strict=True))
        compared = [(written, output), (written, trace.points[-1]), *asked]
        found = max(found, *(float(np.abs(a - b).max()) for a, b in compared))
    return found


@pytest.mark.parametrize("change", [{}, {"routine": Anytime(5, 2, 3)}])
def test_the_reference_is_the_paper_written_again(change: dict[str, Any]) -> None:
    assert farthest(change) <= 1e-12


def test_planted_bug_responses_to_the_wrong_player_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Vertex.plan
    monkeypatch.setattr(
        Vertex, "plan", lambda self, game, budget, player, form: honest(self, game, budget, "first", form)
    )
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        farthest({})
