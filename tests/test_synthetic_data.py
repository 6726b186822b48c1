"""Synthetic data by mirror descent: an own computation, what is spent, the bound at a known value, the printed rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import synthetic_data as package
from dpref.algorithms.forms import Form
from dpref.algorithms.synthetic_data import algorithm, utility
from dpref.algorithms.synthetic_data.plan import Params, Plan, ledger, plan
from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.kernels.twin import interpreted_run
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Exponential, Ledger, Repeat
from dpref.problems.known_optima import cube_queries, query_release
from dpref.problems.queries import Queries, QueryData, largest_error, synthetic_records
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Linf, ReplaceOne, Sensitivity, ZeroOut

ONE, SMALL = Fraction(1), Fraction(1, 10**6)
RNG = np.random.default_rng(3)
PROBLEM = Queries(60, RNG.choice([-1.0, 0.25, 1.0], (5, 4)))
DATA = PROBLEM.data(RNG.integers(5, size=60))
LAW = np.array([0.4, 0.1, 0.2, 0.3])


def made(problem: Queries = PROBLEM, **changes: Any) -> Plan[Any]:
    given = {"epsilon": ONE, "delta": SMALL, "rounds": 7, "draws": 2, "adjacency": ReplaceOne}
    return plan(problem, Params(**{**given, **changes}))


# ------------------------------------------------------------------------------------ numbers


def test_plans_state_what_is_spent() -> None:
    chosen = made(epsilon=Fraction(1, 10))
    rho = (math.sqrt(0.1 + 6 * math.log(10)) - math.sqrt(6 * math.log(10))) ** 2
    assert chosen.batches == (8,) * 6
    assert chosen.step_size == pytest.approx(8 / 2 * math.sqrt(2 * rho / 14))
    assert chosen.sensitivity == Sensitivity(2 * Fraction(chosen.step_size) / 8, Linf, ReplaceOne)
    assert ledger(chosen) == Ledger(Repeat(Exponential(2 * chosen.sensitivity.value), 14), ReplaceOne)
    assert made(epsilon=Fraction(1, 10), adjacency=ZeroOut).step_size == pytest.approx(2 * chosen.step_size)
    assert chosen.law_step == pytest.approx(math.sqrt(2 * math.log(5) / 14))
    assert made(epsilon=Fraction(10**4)).step_size == pytest.approx(math.sqrt(math.log(4) / 14))
    assert made(step_size=Fraction(1, 10**5)).step_size <= 1e-5
    assert made(rounds=1).batches == ()


@pytest.mark.parametrize("change", [{}, {"adjacency": ZeroOut}, {"rounds": 60, "draws": 5}])
def test_the_certified_epsilon_is_within_the_budget(change: dict[str, Any]) -> None:
    chosen = made(epsilon=Fraction(1, 2), **change)
    curator: Any = LiveCurator(PROBLEM.read(DATA), chosen.sensitivity.adjacency, np.random.default_rng(0))
    algorithm.run(PROBLEM, chosen, curator)
    assert curator.ledger == ledger(chosen)
    assert 0.1 < certify(curator.ledger, delta=SMALL).upper <= 0.5


def test_every_record_is_read_once_and_the_law_reads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, batches = algorithm.advance, []

    def counted(problem: Any, chosen: Any, o: Any, law: Any, batch: range, *rest: Any) -> Any:
        batches.append(batch)
        return honest(problem, chosen, o, law, batch, *rest)

    monkeypatch.setattr(algorithm, "advance", counted)
    chosen = made()
    algorithm.run(PROBLEM, chosen, LiveCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(0)))
    read = [place for batch in batches for place in batch]
    assert len(read) == len(set(read)) == chosen.oracle_calls == 48


# ------------------------------------------------------------------------------------ written again


def written_again(chosen: Plan[Any], noise: list[FloatArray]) -> tuple[FloatArray, list[FloatArray]]:
    """The rounds in weights instead of scores, each law multiplied up and divided by its sum."""
    law, weights = np.full(5, 1 / 5), np.full(4, 1 / 4)
    laws, asked = list[FloatArray](), list[FloatArray]()
    batch = 60 // len(chosen.vertices)
    for t, rows in enumerate(noise):
        asked.append(np.log(weights))
        walked = []
        for row in rows:
            walked.append(law)
            query = np.argmax(np.log(weights) + row)
            law = law * np.exp(chosen.law_step * PROBLEM.values[:, query])
            law = law / law.sum()
        laws.append(np.mean(walked, axis=0))
        gap = DATA.answers[t * batch : (t + 1) * batch].mean(axis=0) - laws[-1] @ PROBLEM.values
        weights = weights * np.exp(chosen.step_size * gap)
        weights = weights / weights.sum()
    return np.mean(laws, axis=0), asked


def farthest(chosen: Plan[Any]) -> float:
    found = 0.0
    for seed in range(10):
        curator: Any = RecordingCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(seed))
        output, tape = algorithm.run(PROBLEM, chosen, curator), curator.transcript
        with interpreted_run("synthetic_data"):
            trace = package.ALGORITHM.trace(PROBLEM, DATA, chosen, tape.noise())
        law, asked = written_again(chosen, [entry.noise for entry in tape.answers])
        pairs = [(law, output), (law, trace.points[-1])]
        for a, entry, row in zip(asked, tape.answers, trace.queries, strict=True):
            pairs += [(a - a[0], q - q[0]) for q in (entry.query, row)]  # weights know scores up to a constant
        found = max(found, *(float(np.abs(a - b).max()) for a, b in pairs))
    return found


@pytest.mark.parametrize("change", [{}, {"draws": 1}, {"rounds": 1}, {"law_step": Fraction(3)}])
def test_an_own_computation_agrees_to_the_last_digits(change: dict[str, Any]) -> None:
    assert farthest(replace(made(**change), step_size=0.7)) <= 1e-12


def test_planted_bug_a_step_along_all_records_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = algorithm.advance

    def all_of_them(problem: Any, chosen: Any, o: Any, law: Any, batch: range, *rest: Any) -> Any:
        return honest(problem, chosen, o, law, range(60), *rest)

    monkeypatch.setattr(algorithm, "advance", all_of_them)
    assert farthest(replace(made(), step_size=0.7)) > 1e-3


def test_the_law_is_public_given_the_drawn_queries() -> None:
    """With the draws forced, no record moves any of the law's points: it costs nothing, whatever its step."""
    chosen = made(law_step=Fraction(5))
    curator: Any = RecordingCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(0))
    output, other = algorithm.run(PROBLEM, chosen, curator), QueryData(-DATA.answers)
    replay: Any = ReplayingCurator(PROBLEM.read(other), ReplaceOne, curator.transcript, force="answers")
    assert algorithm.run(PROBLEM, chosen, replay).tobytes() == output.tobytes()


# ------------------------------------------------------------------------------------ the error


def test_the_problem_is_the_game_of_the_paper() -> None:
    """Eq. (3): its payoffs are the records' answers less the queries' values, and the population's law has no error."""
    known, (problem, data, answers) = query_release(500, LAW, seed=1), cube_queries(500, LAW, seed=1)
    assert np.abs(known.mean - (answers - problem.values)).max() <= 1e-12
    assert np.array_equal(known.data.payoffs, data.answers[:, None, :] - problem.values[None])
    assert abs(largest_error(problem, LAW, answers)) <= 1e-12
    assert largest_error(problem, np.full(4, 0.25), answers) == pytest.approx(0.4)


def errors(problem: Queries, chosen: Plan[Any], runs: int, law: FloatArray, size: int = 0) -> FloatArray:
    """Largest errors of the released law, or of so many records drawn from it, on fresh records."""
    found = []
    for run in range(runs):
        _, data, answers = cube_queries(problem.n, law, seed=run)
        noise = np.random.default_rng(1000 + run).gumbel(size=chosen.draws * problem.queries)
        released = package.ALGORITHM.trace(problem, data, chosen, noise).points[-1]
        if size:
            _, drawn = synthetic_records(problem, released, size, np.random.default_rng(run))
            found.append(float((answers - drawn.answers.mean(axis=0)).max()))
        else:
            found.append(largest_error(problem, released, answers))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 20_000])
def test_the_bound_holds_at_a_known_value_over_thirty_seeds(size: int) -> None:
    """Six standard errors; the bound is below the error of the uniform law, 0.4, and so is that of drawn records."""
    problem, _, _ = cube_queries(20_000, LAW, seed=0)
    rounds, draws = utility.theorem_1_1(problem, ONE, SMALL)
    chosen = plan(problem, Params(ONE, SMALL, rounds, draws, ReplaceOne))
    bound = utility.largest_error_bound(problem, chosen)
    bound += math.sqrt(2 * math.log(problem.queries) / size) if size else 0.0
    found = errors(problem, chosen, 30, LAW, size)
    mean, error = float(found.mean()), float(found.std() / math.sqrt(30))
    assert mean - 6 * error > 0
    assert mean + 6 * error < bound < 0.4


@pytest.mark.slow
def test_planted_bug_a_law_against_the_queries_exceeds_the_bound() -> None:
    problem, _, _ = cube_queries(20_000, LAW, seed=0)
    rounds, draws = utility.theorem_1_1(problem, ONE, SMALL)
    chosen = plan(problem, Params(ONE, SMALL, rounds, draws, ReplaceOne))
    assert errors(problem, replace(chosen, law_step=-chosen.law_step), 3, LAW).min() > 0.4


def test_the_bound_in_plain_numbers() -> None:
    chosen, log = made(rounds=10, draws=3), math.log
    y, x = chosen.step_size, chosen.law_step
    plain = log(4) / (y * 10) + 2 * y + log(5) / (x * 30) + x / 2 + math.sqrt(2 * log(4) / 60)
    assert utility.largest_error_bound(PROBLEM, chosen) == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("elements", [4, 256])
@pytest.mark.parametrize("queries", [4, 60, 4000])
def test_with_its_parameters_the_bound_is_the_rate_of_theorem_1_1(elements: int, queries: int) -> None:
    r"""E28: at most $5\sqrt{q/n}+(14+4\sqrt C)P$, also where T is n, for which one draw a round is not enough."""
    values, capped = np.ones((elements, queries)), set()
    q, z = math.log(queries), math.log(elements)
    for n in (100, 10_000, 1_000_000):
        for epsilon in (Fraction(1, 10), ONE, Fraction(10)):
            for delta in (SMALL, Fraction(1, 4)):
                log, problem = -math.log(delta), Queries(n, values)
                if epsilon >= 8 * log:
                    continue
                rounds, draws = utility.theorem_1_1(problem, epsilon, delta)
                capped.add(rounds == n)
                chosen = plan(problem, Params(epsilon, delta, rounds, draws, ReplaceOne))
                printed = (log * z) ** 0.25 * math.sqrt(q / (n * float(epsilon)))
                rate = 5 * math.sqrt(q / n) + (14 + 4 * math.sqrt(q / z)) * printed
                assert utility.largest_error_bound(problem, chosen) <= rate
    assert False in capped
    assert True in capped or queries > 4 * elements


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: made(rounds=61), "^rounds"),
        (lambda: made(rounds=0), "^rounds"),
        (lambda: made(draws=0), "^draws"),
        (lambda: made(epsilon=Fraction(0)), "^epsilon"),
        (lambda: made(delta=ONE), "^delta"),
        (lambda: made(step_size=Fraction(0)), "^step_size"),
        (lambda: made(law_step=Fraction(-1)), "^law_step"),
        (lambda: made(form=Form.AS_PRINTED), "^form.*without an algorithm"),
        (lambda: made(adjacency=AddOrRemoveOne), "^adjacency"),
        (lambda: Queries(0, np.ones((2, 2))), "^n"),
        (lambda: Queries(5, np.ones((2, 1))), "^values.*two"),
        (lambda: Queries(5, 2 * np.ones((2, 2))), r"^values.*\[-1, 1\]"),
        (lambda: PROBLEM.read(QueryData(np.ones((60, 3)))), "^answers.*shape"),
        (lambda: PROBLEM.read(QueryData(2 * np.ones((60, 4)))), r"^answers.*\[-1, 1\]"),
        (lambda: PROBLEM.read(np.ones((60, 4))), "^data"),  # type: ignore[arg-type]
        (lambda: synthetic_records(PROBLEM, np.ones(5), 1, RNG), "^law"),
        (lambda: synthetic_records(PROBLEM, np.full(5, 0.2), 0, RNG), "^size"),
        (lambda: DATA.replaced(60, np.ones(4)), "^index"),
        (lambda: PROBLEM.worst_case_pair(DATA, AddOrRemoveOne), "^adjacency"),
    ],
)
def test_bad_input_is_refused(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        call()
