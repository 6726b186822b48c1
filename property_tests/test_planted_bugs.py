"""Known mistakes, planted one at a time: each must be caught by the test that is named for it.

The instances are every registered algorithm's own examples on one small problem of its kind: a mistake must be caught
on one of them, and nothing is where nothing is planted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from dpref.algorithms.adaptive_gradient_descent import algorithm as adaptive_gradient_descent_algorithm
from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_gradient_descent_plan
from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe import algorithm as online_frank_wolfe_algorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import RecordingCurator
from dpref.kernels.records import Trace
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.filters import ZCDPFilter
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game
from dpref.units import ReplaceOne
from property_tests import test_algorithms, test_budgets
from property_tests.algorithm_cases import CASES, Case, failure
from property_tests.small_instances import PROBLEMS, small_instances
from property_tests.strategies import Instance, kind_of
from tests.effort import WHOLE

SEEDS = 60
FEW = pytest.mark.sampled(8)
DEAR = CASES if WHOLE else [case for case in CASES if case.adjacency is ReplaceOne]  # of what takes a second a case
OF_KIND = {kind: [case for case in CASES if kind_of(ALGORITHMS[case.name]) is kind] for kind in PROBLEMS}
ON_MEANS, ON_STREAMS, ON_VERTICES, ON_BANDITS, ON_GRAMS, ON_GAMES, ON_QUERIES = OF_KIND.values()


def caught(test: Callable[..., None], broken: Iterable[Instance]) -> bool:
    """Whether the test fails on one of them."""
    return any(failure(test, instance) is not None for instance in broken)


def with_plans(case: Case, change: Callable[[Any], Any]) -> list[Instance]:
    return [replace(instance, plan=change(instance.plan)) for instance in small_instances(case)]


def inside(plan: Any, change: Callable[[Any], Any]) -> Any:
    """The plan with a change; one that runs others, with the change in the plans of these runs."""
    if isinstance(getattr(plan, "candidates", None), tuple):
        return replace(plan, candidates=tuple(map(change, plan.candidates)))
    return change(plan)


def wrong_kernel(case: Case, monkeypatch: pytest.MonkeyPatch, change: Callable[[Trace], Trace]) -> None:
    """The algorithm's kernel leaves another trace than it should."""
    kernel = ALGORITHMS[case.name].kernel
    honest = kernel.run
    monkeypatch.setattr(kernel, "run", lambda *arguments: change(honest(*arguments)))


@pytest.mark.slow
def test_every_declaration_has_instances() -> None:
    assert all(small_instances(case) for case in CASES)


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_checks_pass_without_a_bug(case: Case) -> None:
    for instance in small_instances(case):
        for test in (
            test_algorithms.test_no_query_moves_too_far_on_the_worst_pair,
            test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed,
            test_algorithms.test_a_transcript_and_a_trace_are_the_same_record,
            test_budgets.test_every_answer_is_its_query_plus_the_declared_noise,
            test_budgets.test_a_repaired_plan_spends_at_most_what_it_was_given,
        ):
            assert failure(test, instance) is None


# ------------------------------------------------------------------------------------ sensitivities


def halved_sensitivity(plan: Any) -> Any:
    if hasattr(plan, "gradient_bound"):
        return replace(plan, gradient_bound=plan.gradient_bound / 2)
    return replace(plan, sensitivity=plan.sensitivity.scale(Fraction(1, 2)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_halved_sensitivity_is_caught_by_replay_on_the_worst_pair(case: Case) -> None:
    """At one of some seeds: a gradient that turns moves an estimate if vertices are drawn on both sides of the turn."""
    halved = with_plans(case, halved_sensitivity)
    seeded = (replace(instance, seed=seed) for seed in range(SEEDS) for instance in halved)
    assert caught(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, seeded)


@pytest.mark.parametrize("case", ON_MEANS, ids=str)
def test_dropped_clipping_is_caught_by_replay_on_the_worst_pair(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = ERMProblem.mean_gradient
    monkeypatch.setattr(ERMProblem, "mean_gradient", lambda self, *rest: honest(replace(self, clip=None), *rest))
    assert caught(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, small_instances(case))


def test_a_batch_that_is_used_twice_is_caught_by_replay_on_the_worst_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Game.operator
    monkeypatch.setattr(
        Game, "operator", lambda self, o, x, y, records, batch: honest(self, o, x, y, records, range(len(batch)))
    )
    assert caught(
        test_algorithms.test_no_query_moves_too_far_on_the_worst_pair,
        small_instances(Case("mirror-descent", ReplaceOne)),
    )


def test_a_record_that_enters_two_increments_is_caught_by_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every increment carries a sixth of the first record's: each node moves by little, but all of them move."""
    honest = online_frank_wolfe_algorithm.increment

    def leaking(problem: Any, form: Any, o: Any, theta: Any, previous: Any, t: int, stream: Any) -> Any:
        first = honest(problem, form, o, theta, previous, 1, stream)
        return (honest(problem, form, o, theta, previous, t, stream) + first) / 6

    monkeypatch.setattr(online_frank_wolfe_algorithm, "increment", leaking)
    streams = small_instances(Case("online-frank-wolfe", ReplaceOne))
    assert caught(test_algorithms.test_no_query_moves_too_far_on_the_worst_pair, streams)


# ------------------------------------------------------------------------------------ noise


@pytest.mark.parametrize("case", [*ON_MEANS, *ON_STREAMS, *ON_GRAMS], ids=str)
def test_halved_noise_in_the_run_is_caught_on_the_transcript(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = RecordingCurator._answer

    def quiet(self: Any, value: Any, sensitivity: Any, std: float, label: str, **how: Any) -> Any:
        answer = honest(self, value, sensitivity, std / 2, label, **how)
        self._answers[-1] = replace(self._answers[-1], std=std)
        return answer

    monkeypatch.setattr(RecordingCurator, "_answer", quiet)
    assert caught(test_budgets.test_every_answer_is_its_query_plus_the_declared_noise, small_instances(case))


def loud_steps(plan: Any) -> dict[str, Any]:
    """What makes scores as large as the noise: long steps; of choices with noise of their own, a fraction of it."""
    if "scales" in plan.__dataclass_fields__:
        return {"scales": tuple(scale / 16 for scale in plan.scales)}
    return {"step_size": 2.0}


@pytest.mark.parametrize("case", [*ON_GAMES, *ON_VERTICES, *ON_BANDITS, *ON_QUERIES], ids=str)
def test_quieter_choices_in_the_run_are_caught_on_the_transcript(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """On steps so long that the noise does not drown the scores."""
    honest = RecordingCurator._selected

    def quiet(self: Any, unanswered: Any) -> Any:
        answer = honest(self, replace(unanswered, scale=unanswered.scale / 8))
        self._answers[-1] = replace(self._answers[-1], scale=unanswered.scale)
        return answer

    loud = with_plans(case, lambda plan: inside(plan, lambda own: replace(own, **loud_steps(own))))
    said = test_budgets.test_every_answer_is_its_query_plus_the_declared_noise
    assert [failure(said, instance) for instance in loud] == [None] * len(loud)
    monkeypatch.setattr(RecordingCurator, "_selected", quiet)
    assert caught(said, loud)


def halved_noise(plan: Any) -> Any:
    """The plan with the noise of its answers halved; of choices, with scores that move six times as far."""
    if isinstance(getattr(plan, "candidates", None), tuple):
        return inside(plan, halved_noise)
    if hasattr(plan, "scheduled_stds"):
        return replace(plan, scheduled_stds=tuple(std / 2 for std in plan.scheduled_stds))
    if "scales" in plan.__dataclass_fields__:
        return replace(plan, scales=tuple(scale / 2 for scale in plan.scales))
    if hasattr(plan, "vertices"):
        return replace(plan, sensitivity=plan.sensitivity.scale(6), step_size=6 * plan.step_size)
    name = "outer_std" if hasattr(plan, "outer_std") else "std"
    return replace(plan, **{name: getattr(plan, name) / 2})


# A filter spends what the noise costs: with half of the noise it only admits fewer answers.
@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", [case for case in DEAR if ALGORITHMS[case.name].spending != "filtered"], ids=str)
def test_halved_noise_in_the_plan_is_caught_by_the_budget(case: Case) -> None:
    assert caught(test_budgets.test_a_repaired_plan_spends_at_most_what_it_was_given, with_plans(case, halved_noise))


# ------------------------------------------------------------------------------------ ledgers


@pytest.mark.parametrize("case", ON_MEANS, ids=str)
def test_a_step_that_is_not_recorded_is_caught_by_the_observed_ledger(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = RecordingCurator._answer

    def forgetful(self: Any, *arguments: Any, **how: Any) -> Any:
        if len(self._events) == 2:
            self._events.pop()
        return honest(self, *arguments, **how)

    monkeypatch.setattr(RecordingCurator, "_answer", forgetful)
    assert caught(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, small_instances(case))


def has_scales(case: Case) -> bool:
    """Whether a plan has the noise of every round of choices, not how many vertices are drawn."""
    return "scales" in small_instances(case)[0].plan.__dataclass_fields__


@pytest.mark.parametrize("case", [case for case in [*ON_GAMES, *ON_QUERIES] if not has_scales(case)], ids=str)
def test_a_forgotten_draw_is_caught_by_the_observed_ledger(case: Case) -> None:
    honest = ALGORITHMS[case.name]

    def forgetful(plan: Any) -> Any:
        return honest.ledger(inside(plan, lambda p: replace(p, vertices=(p.vertices[0] - 1, *p.vertices[1:]))))

    wrong = replace(honest, planning=SimpleNamespace(plan=honest.planning.plan, ledger=forgetful))
    broken = [replace(instance, algorithm=wrong) for instance in small_instances(case)]
    assert caught(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, broken)


@pytest.mark.parametrize("case", [*ON_VERTICES, *ON_BANDITS, *filter(has_scales, ON_GAMES)], ids=str)
def test_a_forgotten_round_is_caught_by_the_observed_ledger(case: Case) -> None:
    honest = ALGORITHMS[case.name]

    def forgetful(plan: Any) -> Any:
        return honest.ledger(replace(plan, scales=plan.scales[:-1]))

    wrong = replace(honest, planning=SimpleNamespace(plan=honest.planning.plan, ledger=forgetful))
    broken = [replace(instance, algorithm=wrong) for instance in small_instances(case)]
    assert caught(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, broken)


@pytest.mark.parametrize("case", [*ON_STREAMS, *ON_GRAMS], ids=str)
def test_a_tree_that_does_not_count_its_root_is_caught_by_the_observed_ledger(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other algorithms on streams add nothing up in a tree."""
    honest, trees = TreeAggregation.add, set[int]()

    def shallow(self: Any, element: Any, release: Any) -> Any:
        trees.add(id(self))

        def counted(total: Any) -> Any:
            self.depth = min(self.depth, 2)
            return release(total)

        return honest(self, element, counted)

    monkeypatch.setattr(TreeAggregation, "add", shallow)
    found = caught(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, small_instances(case))
    assert found == bool(trees) == (case.name in {"online-frank-wolfe", "linear-ucb"})


def filtered() -> Instance:
    """The declaration whose answers a filter admits, not its variant; rounds enough for the budget to end the run."""
    (name,) = (name for name, of in ALGORITHMS.items() if of.spending == "filtered" and not of.variant_of)
    algorithm, (problem, data) = ALGORITHMS[name], PROBLEMS[ERMProblem]
    params = [p for p in algorithm.examples(problem, ReplaceOne) if p.form is Form.REPAIRED and p.rho == 200]
    return Instance(algorithm, problem, data, algorithm.plan(problem, replace(params[0], rounds=50)), seed=5)


def test_a_filter_that_admits_everything_is_caught_by_the_observed_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    assert failure(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, filtered()) is None
    monkeypatch.setattr(ZCDPFilter, "admits", lambda *_: True)
    assert caught(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, [filtered()])


def test_a_filter_that_is_told_too_little_is_caught_by_the_observed_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = adaptive_gradient_descent_plan.exact_cost
    monkeypatch.setattr(adaptive_gradient_descent_algorithm, "exact_cost", lambda *arguments: honest(*arguments) / 2)
    assert caught(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, [filtered()])


def test_a_round_without_its_stopping_rule_is_caught_by_the_observed_ledger() -> None:
    honest = ALGORITHMS["spider"]

    def overrunning(problem: Any, plan: Any, curator: Any) -> Any:
        endless = tuple(r._replace(updates=r.updates + 3, differences=r.differences + 3, threshold=0.0)
                        for r in plan.rounds)  # fmt: skip
        return honest.run(problem, replace(plan, rounds=endless), curator)

    broken = [
        replace(instance, algorithm=replace(honest, run=overrunning))
        for instance in small_instances(Case("spider", ReplaceOne))
    ]
    assert caught(test_algorithms.test_ledger_of_the_plan_is_the_ledger_observed, broken)


# ------------------------------------------------------------------------------------ kernels


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_kernel_that_skips_a_step_is_caught_by_the_reference(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def skipping(trace: Trace) -> Trace:
        return trace._replace(points=trace.points[[*range(len(trace.points) - 1), -2]])

    wrong_kernel(case, monkeypatch, skipping)
    assert caught(
        test_algorithms.test_with_every_answer_forced_the_kernel_goes_the_same_way_bit_for_bit, small_instances(case)
    )


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_kernel_that_asks_a_stale_question_is_caught_by_the_reference(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NoisySFW of linear losses asks a single question here, which cannot be stale."""
    once = max(instance.plan.steps for instance in small_instances(case)) == 1
    assert once == (case.name == "noisy-frank-wolfe")
    if once:
        return

    def stale(trace: Trace) -> Trace:
        return trace._replace(queries=trace.queries[[*range(len(trace.queries) - 1), 0]])

    wrong_kernel(case, monkeypatch, stale)
    for test in (
        test_algorithms.test_a_transcript_and_a_trace_are_the_same_record,
        test_algorithms.test_reference_and_kernel_ask_the_same_questions_of_a_neighbour,
    ):
        assert caught(test, small_instances(case))


@pytest.mark.slow
@FEW
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_kernel_that_adds_other_noise_is_caught_by_the_reference(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_kernel(case, monkeypatch, lambda trace: trace._replace(scales=trace.scales / 2))
    assert caught(test_algorithms.test_a_transcript_and_a_trace_are_the_same_record, small_instances(case))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in ON_GAMES if "toward" in small_instances(case)[0].plan.numbers], ids=str
)
def test_a_kernel_with_the_printed_sign_is_caught_by_the_reference(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ALGORITHMS[case.name].kernel
    honest = kernel.run
    monkeypatch.setattr(kernel, "run", lambda problem, plan, tape: honest(problem, plan._replace(toward=-1.0), tape))
    assert caught(test_algorithms.test_a_transcript_and_a_trace_are_the_same_record, small_instances(case))
