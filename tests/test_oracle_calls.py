"""Single-record gradients are counted as they are evaluated, and are as many as each declaration states.

For algorithms that ask for mean gradients and have no other test of it; `COUNTED` names the tests of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import numpy as np
import pytest

from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import RecordingCurator
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.units import ReplaceOne
from tests.miscounted import How, Miscount, arguments_of
from tests.oracle_calls import counted_gradients

N: Final = 40
PROBLEM, DATA = ERMProblem(Logistic(), n=N, dimension=3), synthetic(N, 3, seed=0)
# What `oracle_cost` of a declaration says, for a plan.
STATED: Final[dict[str, Callable[[Any], int]]] = {
    "gradient-descent": lambda plan: N * plan.steps,
    "dynamic-gradient-descent": lambda plan: N * plan.steps,
    "noisy-gradient-descent": lambda plan: N * (plan.iterates - 1),
    "accelerated-mirror-descent": lambda plan: N * plan.steps,
    "dynamic-sgd": lambda plan: plan.batch * plan.steps,
    "dynamic-boosting": lambda plan: N * plan.base.steps * plan.repetitions,
}
COUNTED: Final[dict[str, str]] = {
    "svrg": "test_svrg.oracle_calls_are_the_stated_complexity",
    "svrg-plus-plus": "test_svrg.oracle_calls_are_the_stated_complexity",
    "adaptive-gradient-descent": "test_adaptive_gradient_descent.oracle_calls_are_n_a_round",
    "stationary-point": "test_stationary_point.the_oracle_is_called_n_a_round_and_not_for_the_selection",
    "spider": "test_spider.oracle_calls_are_n_an_answer",
    "proximal-point": "test_proximal_point.the_oracle_is_called_n_p_t_minus_one_times",
    "online-frank-wolfe": "test_online_frank_wolfe.oracle_calls_are_the_stated_ones",
    "noisy-frank-wolfe": "test_noisy_frank_wolfe.gradients_are_counted",
    "local-mirror-descent": "test_local_mirror_descent.gradients_are_counted",
    "polyhedral-frank-wolfe": "test_polyhedral_frank_wolfe.oracle_calls_are_the_stated_ones",
    "noisy-sgd": "test_noisy_sgd.one_gradient_is_asked_for_a_step",
    "synthetic-data": "test_synthetic_data.every_record_is_read_once_and_the_law_reads_none",
    "high-dimensional-bandit": "test_high_dimensional_bandit.oracle_calls_are_the_stated_ones",
    "mirror-descent": "test_mirror_descent.oracle_calls_are_counted_and_equal_the_stated_complexity",
    "bias-reduced-mirror-descent": "test_mirror_descent.oracle_calls_are_counted_and_equal_the_stated_complexity",
    "anytime-mirror-descent": "test_anytime_mirror_descent.oracle_calls_are_counted_and_no_record_is_used_twice",
    "boosted-mirror-descent": "test_mirror_descent_boosted.oracle_calls_are_counted",
    "variance-reduced-frank-wolfe": (
        "test_variance_reduced_frank_wolfe.oracle_calls_are_counted_and_every_record_is_read_by_one_node"
    ),
}

UNCOUNTED: Final = {"linear-ucb"}  # it states none: it solves with Gram matrices


def test_every_algorithm_has_its_gradients_counted_somewhere() -> None:
    assert not set(STATED) & set(COUNTED)
    assert {*STATED, *COUNTED, *UNCOUNTED} == set(ALGORITHMS)
    assert all(callable(counting_test(name)) for name in COUNTED)


def counting_test(name: str) -> Callable[..., None]:
    """The test that counts an algorithm's calls."""
    if name in STATED:
        return test_full_gradients_are_as_many_as_stated
    module, test = COUNTED[name].split(".")
    found: Callable[..., None] = getattr(import_module(f"tests.{module}"), f"test_{test}")
    return found


@pytest.mark.parametrize("name", STATED)
def test_full_gradients_are_as_many_as_stated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    algorithm = ALGORITHMS[name]
    plan = algorithm.plan(PROBLEM, algorithm.examples(PROBLEM, ReplaceOne)[0])
    sizes = counted_gradients(monkeypatch)
    curator: Any = RecordingCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(0))
    algorithm.run(PROBLEM, plan, curator)
    assert sum(sizes) == STATED[name](plan) > 0


@pytest.mark.parametrize("how", ["too many", "too few"])
@pytest.mark.parametrize("name", [*STATED, *COUNTED])
def test_planted_bug_one_call_of_the_oracle_more_or_less_is_seen(name: str, how: How) -> None:
    """By the test that counts the algorithm's calls, in every choice of its parameters in which the algorithm runs."""
    test, planted = counting_test(name), 0
    for arguments in arguments_of(test):
        with pytest.MonkeyPatch.context() as patch:
            given: Any = Miscount(patch, name, how)
            try:
                test(**arguments, monkeypatch=given)
            except AssertionError:
                assert given.planted
            else:
                assert not given.planted
            planted += given.planted
    assert planted > 0
