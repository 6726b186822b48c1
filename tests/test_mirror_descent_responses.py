"""Variance-reduced Frank-Wolfe in place of the routine that Algorithm 4 names: what it answers, and what that costs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import boosted_mirror_descent as package
from dpref.algorithms.boosted_mirror_descent import algorithm
from dpref.algorithms.boosted_mirror_descent.plan import Params, Plan, ledger, plan
from dpref.algorithms.boosted_mirror_descent.routines import FrankWolfe
from dpref.algorithms.forms import Form
from dpref.algorithms.variance_reduced_frank_wolfe import algorithm as alone
from dpref.algorithms.variance_reduced_frank_wolfe import plan as planning
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.kernels.twin import interpreted_run
from dpref.privacy.accountants import certify
from dpref.privacy.events.walks import alternatives
from dpref.problems.games import Game, GameData
from dpref.transcript import Transcript
from dpref.units import ReplaceOne, ZeroOut

ONE, SMALL = Fraction(1), Fraction(1, 10**5)
GAME = Game(n=96, rows=3, columns=2, ramp=Fraction(1, 4))
GOOD: dict[str, Any] = {
    "epsilon": ONE, "delta": SMALL, "runs": 2, "responses": 1, "stopping": Fraction(8), "truncation": 1,
    "alpha": ONE, "levels": (0, 1, 0, 0) * 8, "routine": FrankWolfe(2), "adjacency": ReplaceOne,
}  # fmt: skip
RNG = np.random.default_rng(0)
DATA = GameData(RNG.uniform(-0.5, 0.5, (96, 3, 2)), RNG.uniform(-0.5, 0.5, (96, 3)), RNG.uniform(-0.5, 0.5, 96))


def made(game: Game = GAME, **change: Any) -> Plan[Any]:
    return plan(game, Params(**(GOOD | change)))


def recorded(chosen: Plan[Any], seed: int = 0) -> Any:
    curator: Any = RecordingCurator(GAME.read(DATA), chosen.sensitivity.adjacency, np.random.default_rng(seed))
    return algorithm.run(GAME, chosen, curator), curator


@pytest.mark.parametrize(
    "change", [{}, {"routine": FrankWolfe(1, 2, "laplace")}, {"adjacency": ZeroOut}, {"form": Form.AS_PRINTED}]
)
def test_the_observed_ledger_is_the_planned_one_and_within_the_budget(change: dict[str, Any]) -> None:
    chosen = made(**change)
    _, curator = recorded(chosen)
    assert curator.ledger == ledger(chosen)
    assert certify(ledger(chosen), delta=SMALL).upper <= 1
    depths = alternatives(planning.ledger(chosen.responders[0]).event)
    assert len(depths) > 1
    assert set(depths) < set(alternatives(ledger(chosen).event))  # a record of a response is of one depth


def test_a_response_is_what_the_algorithm_answers_alone_on_its_records() -> None:
    """On the same draws: with the other player's point, and the records of its part."""
    chosen = made()
    _, curator = recorded(chosen)
    entries = curator.transcript.answers
    first = 2 * sum(run.steps for run in chosen.candidates)
    with interpreted_run("boosted_mirror_descent"):
        point = package.ALGORITHM.trace(GAME, DATA, chosen, curator.transcript.noise()).points
    for row, (player, i) in enumerate((p, i) for p in ("first", "second") for i in range(2)):
        own, reads = chosen.responders[row // 2], chosen.reads_response(player, i, 0)
        opponent = point[i, 3:] if player == "first" else point[i, :3]
        tape = Transcript(entries[first + row * own.steps : first + (row + 1) * own.steps])
        replay: Any = ReplayingCurator(GAME.read(DATA).part(reads), ReplaceOne, tape, force="noise")
        found = alone.run(replace(GAME, n=len(reads)), replace(own, opponent=tuple(opponent.tolist())), replay)
        answered = point[2 + row, :3] if player == "first" else point[2 + row, 3:]
        assert np.abs(found - answered).max() <= 1e-12


@pytest.mark.parametrize("change", [{}, {"responses": 2, "routine": FrankWolfe(1)}])
def test_reference_and_kernel_agree_on_a_tape(change: dict[str, Any]) -> None:
    chosen = made(**change)
    for seed in range(5):
        output, curator = recorded(chosen, seed)
        with interpreted_run("boosted_mirror_descent"):
            trace = package.ALGORITHM.trace(GAME, DATA, chosen, curator.transcript.noise())
        assert np.abs(trace.points[-1] - output).max() <= 1e-12
        for entry, row in zip(curator.transcript.answers, trace.queries, strict=True):
            assert np.abs(entry.query - row[: entry.query.size]).max() <= 1e-12


def test_oracle_calls_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = Game.operator, []

    def counted(self: Game, o: Any, x: Any, y: Any, records: Any, batch: range) -> Any:
        calls.append(len(batch))
        return honest(self, o, x, y, records, batch)

    monkeypatch.setattr(Game, "operator", counted)
    chosen = made()
    algorithm.run(GAME, chosen, LiveCurator(GAME.read(DATA), ReplaceOne, np.random.default_rng(0)))
    assert sum(calls) == chosen.oracle_calls


def test_planted_bug_a_tree_whose_nodes_add_up_is_seen_in_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is spent on a node's records is written down for all records: safe, and dear."""
    honest = RecordingCurator.noisy_max
    monkeypatch.setattr(
        RecordingCurator, "noisy_max", lambda self, scores, parts=None, **how: honest(self, scores, **how)
    )
    chosen = made()
    _, curator = recorded(chosen)
    assert curator.ledger != ledger(chosen)
    assert certify(curator.ledger, delta=SMALL).upper > 1


@pytest.mark.parametrize(
    ("routine", "named"),
    [(FrankWolfe(3, 9), "batch"), (FrankWolfe(0), "phases"), (FrankWolfe(9), "batch"), (FrankWolfe(2, 2, "x"), "law")],  # type: ignore[arg-type]
)
def test_a_routine_that_does_not_fit_is_named(routine: FrankWolfe, named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"routine.*{named}"):
        made(routine=routine)
