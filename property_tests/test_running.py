"""Rounding errors: the kernel and the reference of every algorithm lie as near to the exact run as is claimed."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from flint import arb
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit

from dpref.algorithms.registry import ALGORITHMS
from dpref.curator import Indices, RecordingCurator, ReplayingCurator, Transcript
from dpref.enclosures import ENCLOSURE_ARRAY
from dpref.errors import InvalidArgumentError
from dpref.kernels.twin import interpreted_run
from dpref.problems.datasets import Dataset, synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Logistic
from dpref.reals import BALL, BALL_ARRAY, FLOAT_ARRAY, Array, FloatArray, Ops, ball, exact, lower, precision
from dpref.running import (
    BRANCHES,
    READINGS,
    Running,
    Undecided,
    bounded_run,
    errors,
    nearest,
    running,
    values,
    with_errors,
)
from dpref.transcript import Answer
from dpref.units import ReplaceOne
from property_tests.algorithm_cases import for_every_case
from property_tests.strategies import Instance
from tests.effort import runs


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p", "sqrt", "tanh", "erfc"])
@given(at=st.floats(2.0**-40, 20))
def test_an_enclosure_holds_what_doubles_compute(name: str, at: float) -> None:
    computed = getattr(FLOAT_ARRAY, name)(FLOAT_ARRAY.lift(at)).item()
    held = getattr(ENCLOSURE_ARRAY, name)(ENCLOSURE_ARRAY.lift(at)).item()
    assert held.contains(computed)
    assert not held.contains(computed + 2.0**-40 * (1 + abs(computed)))


def test_an_enclosure_holds_pi() -> None:
    held = ENCLOSURE_ARRAY.pi().item()
    assert held.contains(arb.pi())
    assert held.contains(math.pi)
    assert not held.contains(math.pi * (1 + 2.0**-40))


def recorded(instance: Instance) -> tuple[FloatArray, Transcript]:
    """The reference's output in doubles, and its transcript."""
    records, rng = instance.problem.read(instance.data), np.random.default_rng(instance.seed)
    curator: Any = RecordingCurator(records, instance.plan.sensitivity.adjacency, rng)
    return instance.algorithm.run(instance.problem, instance.plan, curator), curator.transcript


def replayed(
    instance: Instance, transcript: Transcript, force: Literal["answers", "noise"], ops: Ops[Array]
) -> list[Array]:
    """The queries of a replay in another number system, and then its output."""
    records, adjacency = instance.problem.read(instance.data, ops), instance.plan.sensitivity.adjacency
    curator: Any = ReplayingCurator(records, adjacency, transcript, force=force, ops=ops)
    output = instance.algorithm.run(instance.problem, instance.plan, curator)
    return [*curator.queries, output]


def tape_of(transcript: Transcript) -> tuple[FloatArray, Indices]:
    """What a kernel runs on."""
    return transcript.noise(), np.array(transcript.indices, dtype=np.int64)


def within(computed: FloatArray, bound: FloatArray, run: Array) -> bool:
    """Whether no double is for certain further from the ball of its exact value than its bound."""
    return all(lower(abs(ball(exact(float(v))) - x)) <= e for v, e, x in zip(computed, bound, run, strict=True))


def widened_run_holds_kernel(instance: Instance, kernel_plan: Any = None) -> bool:
    """Whether the kernel's output, run on the plan or on another one, is in the ball run widened by its bound."""
    _, transcript = recorded(instance)
    plan = instance.plan if kernel_plan is None else kernel_plan
    try:
        trace = bounded_run(instance.algorithm, instance.problem, instance.data, plan, *tape_of(transcript))
    except Undecided:
        assume(False)
    # The interpreted text gives the compiled kernel's bits, which has its own test.
    with interpreted_run(instance.algorithm.name.replace("-", "_")):
        plain = instance.algorithm.trace(instance.problem, instance.data, plan, *tape_of(transcript))
    for found, bits in zip(trace[:3], plain[:3], strict=True):
        assert values(found).tobytes() == bits.tobytes()
    row = trace.points[instance.plan.released(transcript.indices)]
    assert errors(row).max() < 1e-9 * (1 + np.abs(values(trace.points)).max()) ** 2
    with precision(160):
        return within(values(row), errors(row), replayed(instance, transcript, "noise", BALL_ARRAY)[-1])


@pytest.mark.slow
@for_every_case()
def test_the_kernel_lies_in_the_ball_run_widened_by_its_running_error(instance: Instance) -> None:
    assert widened_run_holds_kernel(instance)


def enclosures_hold_reference(instance: Instance) -> bool:
    """Whether every query and the output of the reference, and those of the ball run, lie in the enclosures.

    On forced answers the run is the recorded one and each query is judged by itself; on forced noise the errors add up,
    which is asked where the noise is Gaussian and of a scale that no answer decides (that scale is a double).
    """
    output, transcript = recorded(instance)
    computed = [*(a.query for a in transcript.answers), output]
    fixed = instance.algorithm.spending != "filtered" and all(isinstance(a, Answer) for a in transcript.answers)
    modes: tuple[Literal["answers", "noise"], ...] = ("answers", "noise") if fixed else ("answers",)
    for force in modes:
        with precision(160):
            try:
                enclosed = replayed(instance, transcript, force, ENCLOSURE_ARRAY)
            except InvalidArgumentError:  # a query that nothing encloses, after a root near zero
                assume(False)
            run = replayed(instance, transcript, force, BALL_ARRAY)
            # Of a root at a number that may be zero no slope is finite: nothing is said of such a run.
            assume(all(arb(x).is_finite() for wide in enclosed for x in wide))
            for doubles, wide, narrow in zip(computed, enclosed, run, strict=True):
                triples = zip(wide, doubles, narrow, strict=True)
                if not all(x.contains(arb(float(v))) and x.overlaps(n) for x, v, n in triples):
                    return False
                size = 1 + float(np.abs(doubles).max())
                # Not vacuous: so narrow that errors which add up from answer to answer could not hide a wrong one.
                assert max(float(arb(x).rad()) for x in wide) < 1e-10 * size**2 * len(computed)
    return True


@pytest.mark.slow
@for_every_case()
def test_the_reference_lies_in_the_enclosure_of_what_doubles_may_compute(instance: Instance) -> None:
    assert enclosures_hold_reference(instance)


# ------------------------------------------------------------------------------------ one operation at a time

DOUBLES = st.floats(-1e3, 1e3) | st.sampled_from([0.0, 1.0, -0.5, 1e-160, 3e-308, 5e-324, 1e150])
NUMBERS = st.tuples(DOUBLES, st.sampled_from([0.0, 1e-18, 1e-9, 0.3]), st.fractions(-1, 1, max_denominator=9))
OPERATIONS: dict[str, tuple[Any, Any]] = {
    "sum": (lambda x, y: x + y, lambda x, y: x + y),
    "difference": (lambda x, y: x - y, lambda x, y: x - y),
    "product": (lambda x, y: x * y, lambda x, y: x * y),
    "quotient": (lambda x, y: x / y, lambda x, y: x / y),
    "root": (lambda x, _: READINGS["math"].sqrt(abs(x)), lambda x, _: abs(x).sqrt()),
    "exponential": (lambda x, _: READINGS["math"].exp(x), lambda x, _: x.exp()),
    "logarithm": (lambda x, _: READINGS["math"].log(x), lambda x, _: x.log()),
    "maximum": (READINGS["max"], BALL.maximum),
    "minimum": (READINGS["min"], BALL.minimum),
    "power": (lambda x, y: BRANCHES["power"](abs(x), abs(y)), lambda x, y: (abs(y) * abs(x).log()).exp()),
    "hull": (lambda x, y: BRANCHES["where_positive"](x, x * y, y * 0.0), lambda x, y: x * y if x > 0 else arb(0)),
    "double": (lambda x, _: BRANCHES["as_double"](x), lambda x, _: x * (1 + arb(2) ** -52)),
}


def operation_is_bounded(name: str, first: Any, second: Any) -> bool:
    """Whether the result for exact values within the errors lies within the bound that the operation gives."""
    computed, truth = OPERATIONS[name]
    given = [Running(v, e) for v, e, _ in (first, second)]
    points = [exact(v) + exact(e) * share for v, e, share in (first, second)]
    try:
        found = computed(*given)
    except (Undecided, OverflowError, ValueError):
        assume(False)
    with precision(256):
        x, y = (ball(p) for p in points)
        if name == "power":
            assume(x != 0 and y != 0)
        distance: float = lower(abs(truth(x, y) - ball(exact(found.v))))
    return bool(distance <= found.e)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
@settings(max_examples=runs(60, 30))
@given(first=NUMBERS, second=NUMBERS)
def test_the_bound_of_each_operation_holds(name: str, first: Any, second: Any) -> None:
    assert operation_is_bounded(name, first, second)


def test_comparisons_are_made_when_they_are_decided() -> None:
    assert Running(1.0, 0.1) < Running(2.0, 0.1)
    assert Running(1.0, 0.1) != Running(2.0, 0.1)
    assert Running(1.0) == 1.0
    with pytest.raises(Undecided):
        assert Running(1.0, 0.6) < Running(2.0, 0.6)
    with pytest.raises(Undecided):
        assert Running(1.0) / Running(0.1, 0.2)


# ------------------------------------------------------------------------------------ planted bugs


def logistic_instance() -> Instance:
    algorithm, problem = ALGORITHMS["gradient-descent"], ERMProblem(Logistic(), n=6, dimension=2)
    plan = algorithm.plan(problem, algorithm.examples(problem, ReplaceOne)[0])
    return Instance(algorithm, problem, synthetic(6, 2, seed=3), replace(plan, steps=4), seed=5)


def test_planted_bug_a_step_that_is_off_beyond_the_bound_is_caught() -> None:
    instance = logistic_instance()
    assert widened_run_holds_kernel(instance)
    off = replace(instance.plan, step_size=instance.plan.step_size * (1 + 1e-12))
    assert not widened_run_holds_kernel(instance, off)


@pytest.mark.parametrize("name", ["__add__", "__mul__", "__truediv__"])
def test_planted_bug_an_operation_that_forgets_its_error_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true, case = getattr(Running, name), ((0.1, 1e-9, Fraction(1)), (0.7, 1e-9, Fraction(1, 3)))
    operation = {"__add__": "sum", "__mul__": "product", "__truediv__": "quotient"}[name]
    assert operation_is_bounded(operation, *case)
    monkeypatch.setattr(Running, name, lambda x, y: Running(true(x, y).v))
    assert not operation_is_bounded(operation, *case)


def test_planted_bug_a_branch_that_follows_the_double_alone_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    case = ((-1e-10, 1e-9, Fraction(1)), (1.0, 0.0, Fraction(0)))
    assert operation_is_bounded("hull", *case)
    monkeypatch.setitem(BRANCHES, "where_positive", lambda x, a, b: running(a if x.v > 0 else b))
    assert not operation_is_bounded("hull", *case)


def test_planted_bug_a_double_that_left_the_system_is_caught() -> None:
    with pytest.raises(AttributeError):
        errors(np.array([Running(0.5), 0.5], dtype=object))


def test_a_literal_over_a_count_carries_its_rounding() -> None:
    """1/99 is rounded before it multiplies, by more than the bound of that product alone."""
    found = with_errors(njit(lambda count, x: x * (1.0 / count)))(99, Running(102.0))
    distance = abs(exact(found.v) - Fraction(102, 99))
    assert exact((Running(102.0) * (1 / 99)).e) < distance <= exact(found.e)


def test_a_budget_that_the_kernel_rounds_upward_over_its_edge_is_undecided() -> None:
    """A draw for which the reference asks one more answer, within the budget by 2e-15, and the kernel does not."""
    adaptive, problem = ALGORITHMS["adaptive-gradient-descent"], ERMProblem(Huber(Fraction(1, 2)), n=50, dimension=1)
    params = adaptive.params(Fraction(1), Fraction(1, 20), ReplaceOne, rounds=12)
    plan, data = adaptive.plan(problem, params), Dataset(np.ones((50, 1)), np.ones(50))
    small = [15.0, 2.361123035465189] * 6  # rounds that cost little, after two that cost nearly half each
    draws = [-3.05, 24.21664651759168, -2.1999999999999997, 16.865164539037064, *small, -0.7011980448024782, 0.0]
    noise = np.array([*draws, -1e3, 0.0])[:, None]
    with interpreted_run("adaptive_gradient_descent"):
        assert len(adaptive.trace(problem, data, plan, noise).answers) == 17
    with pytest.raises(Undecided, match="not told apart"):
        bounded_run(adaptive, problem, data, plan, noise)


@pytest.mark.parametrize("power", [310, 323])
def test_the_nearest_double_of_a_small_number_is_not_taken_for_exact(power: int) -> None:
    small = Fraction(1, 3 * 10**power) * 7
    found = nearest(float(small))
    assert 0 < abs(exact(found.v) - small) <= exact(found.e)
