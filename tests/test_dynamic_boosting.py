"""Boosting: what its runs and comparisons spend, on which records, who is returned, and what an exact choice shows."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import dynamic_boosting as package
from dpref.algorithms.dynamic_boosting import algorithm, formulas
from dpref.algorithms.dynamic_boosting.plan import Params, Plan, ledger, plan
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Momentum, Uniform
from dpref.algorithms.forms import Form
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator, Transcript
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.kernels.twin import interpreted_run
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.privacy.closed_forms.parallel import heaviest
from dpref.privacy.events.ledger import Exponential, Gaussian, Ledger, NonPrivate, Repeat
from dpref.privacy.events.walks import multiplicities
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Logistic
from dpref.problems.neighbours import replace_record
from dpref.reals import FLOAT, RATIONAL, FloatArray
from dpref.units import L2, AddOrRemoveOne, ReplaceOne, Sensitivity, ZeroOut

PROBLEM, DATA = ERMProblem(Logistic(), n=100, dimension=3, ridge=Fraction(1, 10)), synthetic(100, 3, seed=1)
GOOD: dict[str, Any] = {
    "budget": Fraction(1), "failure": Fraction(1, 8), "steps": 4, "schedule": Uniform(), "adjacency": ReplaceOne,
}  # fmt: skip


def made(**change: Any) -> Plan[Any]:
    return plan(PROBLEM, Params(**(GOOD | change)))


# ------------------------------------------------------------------------------------ what is spent


@pytest.mark.parametrize(
    ("failure", "runs"), [(Fraction(9, 10), 1), (Fraction(1, 2), 1), (Fraction(49, 100), 2), (Fraction(1, 1024), 10)]
)
def test_there_are_the_least_runs_that_make_the_failure_as_rare(failure: Fraction, runs: int) -> None:
    assert formulas.repetitions(failure) == runs
    assert Fraction(1, 2**runs) <= failure
    assert runs == 1 or Fraction(1, 2 ** (runs - 1)) > failure


def test_runs_and_comparisons_on_shared_records_spend_the_budget_together() -> None:
    """Three runs of R/4 in four steps, 2G/n = 1/50: noise 1/50 sqrt(16); two comparisons of R/8."""
    shared = made()
    assert shared.base.stds == pytest.approx((0.08,) * 4, rel=1e-15)
    assert shared.std == pytest.approx(0.02 * math.sqrt(8), rel=1e-15)
    assert 0 <= Fraction(1, 2) - zcdp(ledger(shared)).value < Fraction(1, 10**15)
    thrifty = made(comparing=Fraction(1, 100))
    assert 0 <= Fraction(1, 2) - zcdp(ledger(thrifty)).value < Fraction(1, 10**15)
    assert thrifty.std > shared.std
    alone = made(failure=Fraction(1, 2))
    assert (alone.comparisons, alone.base.budget, alone.stds) == (0, Fraction(1), alone.base.stds)


def test_on_parts_every_run_has_the_whole_budget_and_a_quarter_of_the_records() -> None:
    parts = made(split="parts")
    assert (parts.part, parts.base.budget, parts.sensitivity.value) == (25, Fraction(1), Fraction(2, 25))
    assert [parts.reads(j) for j in (0, 3)] == [range(25), range(75, 100)]
    assert 0 <= Fraction(1, 2) - zcdp(ledger(parts)).value < Fraction(1, 10**15)


def test_as_printed_the_runs_share_all_of_the_budget_and_the_choice_is_exact() -> None:
    printed = made(form=Form.AS_PRINTED)
    assert (printed.base.budget, printed.base.steps, printed.std) == (Fraction(1, 3), 3, 0.0)
    assert NonPrivate() in multiplicities(ledger(printed).event)
    assert printed.promise is None


def moved_answers(chosen: Plan[Any], place: int) -> list[str]:
    """Labels of the answers that change when the record at a place is replaced, with all answers forced."""
    curator: Any = RecordingCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(0))
    algorithm.run(PROBLEM, chosen, curator)
    neighbour = replace_record(DATA, place, -DATA.features[place], DATA.labels[place])
    replay: Any = ReplayingCurator(PROBLEM.read(neighbour), ReplaceOne, curator.transcript, force="answers")
    algorithm.run(PROBLEM, chosen, replay)
    recorded = zip(curator.transcript.answers, replay.queries, strict=True)
    return [entry.label for entry, query in recorded if not np.array_equal(entry.query, query)]


@pytest.mark.parametrize(("place", "reader"), [(0, "run 1"), (25, "run 2"), (74, "run 3"), (99, "slope")])
def test_on_parts_a_record_moves_the_answers_of_its_part_alone(place: int, reader: str) -> None:
    moved = moved_answers(made(split="parts"), place)
    assert moved
    assert all(label.startswith(reader) for label in moved)


def test_planted_bug_runs_that_read_one_part_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run says that it reads its own part, and is given the first's."""
    honest = Records.part
    monkeypatch.setattr(Records, "part", lambda self, rows: honest(self, range(25)))
    assert len({label[:5] for label in moved_answers(made(split="parts"), 0)}) == 4


def test_the_observed_ledger_counts_the_heaviest_part() -> None:
    for change in ({"split": "parts"}, {"split": "parts", "adjacency": ZeroOut, "failure": Fraction(1, 4)}, {}):
        chosen = made(**change)
        curator: Any = LiveCurator(PROBLEM.read(DATA), chosen.sensitivity.adjacency, np.random.default_rng(0))
        algorithm.run(PROBLEM, chosen, curator)
        assert curator.ledger == ledger(chosen)


# ------------------------------------------------------------------------------------ disjoint parts


FOUR = Records(np.zeros((4, 1)), np.zeros(4))


def asked(curator: Any, part: range | None, std: float = 2.0) -> None:
    one = Sensitivity(Fraction(1), L2, curator.adjacency)
    curator.gaussian(lambda data: data.labels[:1], sensitivity=one, std=std, label="", part=part)


def test_disjoint_parts_do_not_add_up_and_everything_else_does() -> None:
    curator: Any = LiveCurator(FOUR, ReplaceOne, np.random.default_rng(0))
    for part in (range(2), range(2, 4), range(2), None):
        asked(curator, part)
    assert zcdp(curator.ledger).value == Fraction(3, 8)  # two answers on the first part, and one on all
    asked(curator, range(2, 4), std=0.5)
    assert zcdp(curator.ledger).value == Fraction(1, 8) + Fraction(1, 8) + 2


def test_planted_bug_overlapping_parts_are_refused() -> None:
    curator: Any = LiveCurator(FOUR, ReplaceOne, np.random.default_rng(0))
    asked(curator, range(2))
    with pytest.raises(InvalidArgumentError, match="disjoint"):
        asked(curator, range(1, 3))
    assert zcdp(curator.ledger).value == Fraction(1, 8)


def test_parts_need_records_that_keep_their_places() -> None:
    curator: Any = LiveCurator(FOUR, AddOrRemoveOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="places"):
        asked(curator, range(2))


def test_the_heaviest_ledger_is_of_gaussians_only() -> None:
    light, heavy = (Ledger(Repeat(Gaussian(Fraction(2)), count), ReplaceOne) for count in (2, 3))
    bare, other = Ledger(NonPrivate(), ReplaceOne), Ledger(Exponential(Fraction(1)), ReplaceOne)
    assert (heaviest([light, heavy]), heaviest([heavy, light, bare])) == (heavy, bare)
    with pytest.raises(UnsupportedEventError):
        heaviest([light, other])
    with pytest.raises(InvalidArgumentError, match="partition"):
        heaviest([Ledger(light.event, AddOrRemoveOne)] * 2)


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"budget": Fraction(0)}, "budget"),
        ({"failure": Fraction(0)}, "failure"),
        ({"failure": Fraction(1)}, "failure"),
        ({"failure": 0.1}, "failure"),
        ({"comparing": Fraction(1)}, "comparing"),
        ({"comparing": Fraction(1, 2), "split": "parts"}, "comparing"),
        ({"comparing": Fraction(1, 2), "form": Form.AS_PRINTED}, "comparing"),
        ({"split": "halves"}, "split"),
        ({"split": "parts", "form": Form.AS_PRINTED}, "split"),
        ({"split": "parts", "adjacency": AddOrRemoveOne}, "split"),
        ({"split": "parts", "failure": Fraction(1, 2**100)}, "failure"),
        ({"failure": Fraction(1, 2**10000), "steps": 10**4}, "failure"),
        ({"steps": 0}, "steps"),
        ({"momentum": Fraction(1)}, "momentum"),
        ({"start": np.zeros(2)}, "start"),
    ],
)
def test_a_plan_refuses(change: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        made(**change)


# ------------------------------------------------------------------------------------ written again


def written_again(chosen: Plan[Any], tape: Transcript) -> FloatArray:
    """Section 4.4 in plain numpy, for the logistic loss with a ridge: runs, mean slopes, the least."""
    x, y, z, lam, m = DATA.features, DATA.labels, iter(tape.noise()), 0.1, chosen.part
    part = [slice(j * m, (j + 1) * m) if m else slice(None) for j in range(chosen.repetitions + 1)]
    candidates = []
    for j in range(chosen.repetitions):
        theta, v, beta = np.zeros(3), np.zeros(3), chosen.base.momentum
        for t, std in enumerate(chosen.base.stds, start=1):
            rows, labels = x[part[j]], y[part[j]]
            g = -(rows * (labels / (1 + np.exp(labels * (rows @ theta))))[:, None]).mean(axis=0)
            v = beta * v + (1 - beta) * (g + std * next(z) + lam * theta)
            theta = theta - chosen.base.step_size * v / (1 - beta**t)
        candidates.append(theta)
    rows, labels, risks = x[part[-1]], y[part[-1]], [0.0]
    for theta in candidates[1:]:
        first, r = candidates[0], max(np.linalg.norm(theta - candidates[0]), chosen.nearest)
        losses = [np.log1p(np.exp(-labels * (rows @ p))) for p in (first, theta)]
        slope = np.clip((losses[1] - losses[0]) / r, -1, 1).mean() + chosen.std * next(z)[0]
        risks.append(r * slope + lam / 2 * (theta @ theta - first @ first))
    return candidates[int(np.argmin(risks))]


RUNS: list[dict[str, Any]] = [
    {},
    {"split": "parts", "failure": Fraction(1, 4)},
    {"form": Form.AS_PRINTED, "schedule": Dynamic(Fraction(9, 10))},
    {"schedule": Momentum(Fraction(1, 2), Fraction(9, 10)), "momentum": Fraction(1, 2), "adjacency": ZeroOut},
]


def farthest(change: dict[str, Any]) -> float:
    """How far the reference or the kernel's text is from the lines above on one tape, relatively, at ten seeds."""
    chosen, found = made(**change), 0.0
    for seed in range(10):
        curator: Any = RecordingCurator(PROBLEM.read(DATA), chosen.sensitivity.adjacency, np.random.default_rng(seed))
        output, tape = algorithm.run(PROBLEM, chosen, curator), curator.transcript
        with interpreted_run("dynamic_boosting"):
            trace = package.ALGORITHM.trace(PROBLEM, DATA, chosen, tape.noise())
        written = written_again(chosen, tape)
        apart = max(np.abs(written - other).max() for other in (output, trace.points[-1]))
        found = max(found, float(apart / (1 + np.abs(output).max())))
    return found


@pytest.mark.parametrize("change", RUNS)
def test_the_reference_is_the_paper_written_again(change: dict[str, Any]) -> None:
    assert farthest(change) <= 1e-12


def test_planted_bug_a_choice_that_forgets_the_ridge_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = algorithm.advantage
    monkeypatch.setattr(
        algorithm, "advantage", lambda problem, *rest: honest(replace(problem, ridge=Fraction(0)), *rest)
    )
    assert farthest({"budget": Fraction(1, 4)}) > 1e-6


# ------------------------------------------------------------------------------------ all repetitions are released


def spent(**change: Any) -> Fraction:
    """Rho of a plan that chooses nothing."""
    return Fraction(zcdp(ledger(made(choice="none", **change))).value)


def test_all_repetitions_share_the_whole_budget() -> None:
    """R/2 as repaired under both relations, and as printed under zero-out; replacing a record then costs four times."""
    for form, adjacency, times in (
        (Form.REPAIRED, ReplaceOne, 1), (Form.REPAIRED, ZeroOut, 1), (Form.AS_PRINTED, ReplaceOne, 4),
    ):  # fmt: skip
        chosen = made(choice="none", form=form, adjacency=adjacency)
        share = Fraction(chosen.base.steps, GOOD["steps"])  # the printed test loses a run's last step
        assert abs(spent(form=form, adjacency=adjacency) - times * share / 2) < Fraction(1, 10**12)
    assert spent(split="parts", failure=Fraction(1, 4)) <= Fraction(1, 2)


def test_where_nothing_is_chosen_the_first_candidate_is_returned() -> None:
    chosen = made(choice="none")
    curator: Any = RecordingCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(0))
    output = algorithm.run(PROBLEM, chosen, curator)
    assert len(curator.transcript.answers) == chosen.steps == 3 * chosen.base.steps
    assert curator.ledger == ledger(chosen)
    first: Any = LiveCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(0))
    assert np.array_equal(output, algorithm.candidate(PROBLEM, chosen, 0, first))
    with interpreted_run("dynamic_boosting"):
        trace = package.ALGORITHM.trace(PROBLEM, DATA, chosen, curator.transcript.noise())
    np.testing.assert_allclose(trace.points[-1], output, rtol=0, atol=1e-12)


def test_a_choice_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="choice = 'worst': must be one of best, none"):
        made(choice="worst")
    with pytest.raises(InvalidArgumentError, match="needs candidates that are compared"):
        made(choice="none", comparing=Fraction(1, 2))


# ------------------------------------------------------------------------------------ which candidate is returned


def improvement() -> tuple[float, float]:
    """Mean empirical risk of the chosen candidate less that of the first, over 60 seeds, and its standard error."""
    chosen = made(budget=Fraction(1, 10), comparing=Fraction(3, 4))
    records, differences = PROBLEM.read(DATA), []
    for seed in range(60):
        first: Any = LiveCurator(records, ReplaceOne, np.random.default_rng(seed))
        best: Any = LiveCurator(records, ReplaceOne, np.random.default_rng(seed))
        points = algorithm.run(PROBLEM, chosen, best), algorithm.candidate(PROBLEM, chosen, 0, first)
        risks = [float(PROBLEM.objective(first.ops, point, records)) for point in points]
        differences.append(risks[0] - risks[1])
    return float(np.mean(differences)), float(np.std(differences)) / math.sqrt(60)


def test_the_chosen_candidate_is_better_than_the_first() -> None:
    mean, error = improvement()
    assert mean < -3 * error


def test_planted_bug_the_largest_estimate_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = algorithm.advantage
    monkeypatch.setattr(algorithm, "advantage", lambda *arguments: -honest(*arguments))
    mean, error = improvement()
    assert mean > 3 * error


# ------------------------------------------------------------------------------------ a choice without noise


def tail(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("shift", [0.0, 0.01, 1.0])
def test_the_event_of_an_exact_choice_shows_what_the_formula_says(runs: int, shift: float) -> None:
    """The largest of k draws from N(m, 1) exceeds c; on the neighbour the smallest of k from N(-m, 1) does."""
    alpha = formulas.order_of_a_choice(FLOAT, float(runs))
    shown = []
    for c in (0.5, 2.0, 5.0):
        hit, alarm = -math.expm1(runs * math.log1p(-tail(c - shift))), tail(c + shift) ** runs
        divergence = (alpha * math.log(hit) + (1 - alpha) * math.log(alarm)) / (alpha - 1)
        bound = formulas.chosen_rho(FLOAT, -math.log(tail(c)), alpha, float(runs))
        assert 0 < bound <= divergence / alpha
        shown.append(bound)
    assert shown == sorted(shown)  # and grows without end as c moves out


def test_planted_bug_at_a_small_order_an_exact_choice_shows_nothing() -> None:
    """Below k/(k - 1) the divergence is finite: of two runs at 3/2 the same bound is negative."""
    assert formulas.chosen_rho(RATIONAL, Fraction(100), Fraction(3, 2), Fraction(2)) < 0
    assert formulas.chosen_rho(RATIONAL, Fraction(100), Fraction(4), Fraction(2)) == Fraction(100, 6)
