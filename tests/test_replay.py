"""Runs on a tape: an honest implementation passes, and of a wrong one the first wrong step and quantity are named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import dynamic_sgd, examples
from dpref.algorithms.dynamic_gradient_descent.schedules import Uniform
from dpref.algorithms.gradient_descent import ALGORITHM, Params
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import InvalidArgumentError
from dpref.foreign.replay import (
    Conventions,
    ForeignRun,
    Leaf,
    RunsDifferError,
    Step,
    TapeGenerator,
    UnexpectedDraw,
    assert_same_run,
    record,
)
from dpref.foreign.replay.patching import patched
from dpref.foreign.replay.recording import Source, example, memoryless
from dpref.foreign.replay.tape import Tape
from dpref.foreign.replay.tolerance import expected
from dpref.kernels.twin import interpreted_run
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.examples import huber_problem
from dpref.problems.losses import Huber
from dpref.units import ReplaceOne, ZeroOut
from property_tests.algorithm_cases import CASES, Case
from property_tests.small_instances import small_instances
from tests.foreign_loops import STEPS, numpy_loop, reference

# What is planted, where it must be found, and a word of what must be said about it.
PLANTED = {
    "halved": (3, "noise", "1/2"),
    "silent": (STEPS - 1, "noise", "no noise was added"),
    "sign": (1, "noise", "-1"),
    "mean": (2, "noise", "= 1/n"),
    "twice": (3, "noise", "it is the noise of step 2"),
    "order": (2, "noise", "the same draws in another order"),
    "batch": (0, "query", "the batch was clipped"),
    "unclipped": (0, "query", "nothing was clipped"),
    "divisor": (1, "answer", "foreign / reference = 1.11111"),
    "momentum": (2, "iterate", ""),
}


@pytest.mark.parametrize("mode", ["global", "local"])
def test_an_honest_loop_is_the_same_run(mode: Any) -> None:
    run = reference()
    found = assert_same_run(run, numpy_loop(run, TapeGenerator(run)), mode=mode)
    assert found.steps == STEPS
    assert found.quantities == ("query", "noise", "answer", "iterate")
    assert 0 < found.worst < 1


@pytest.mark.parametrize("mode", ["global", pytest.param("local", marks=pytest.mark.slow)])
@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bug_is_named_with_its_step_and_quantity(bug: str, mode: Any) -> None:
    run = reference()
    step, quantity, word = PLANTED[bug]
    with pytest.raises(RunsDifferError) as caught:
        assert_same_run(run, numpy_loop(run, TapeGenerator(run), bug), mode=mode)
    assert (caught.value.step, caught.value.quantity) == (step, quantity)
    assert word in str(caught.value)


@pytest.mark.parametrize("bug", ["halved", "silent", "mean", "twice"])
def test_planted_bug_in_the_noise_is_read_off_the_iterates_alone(bug: str) -> None:
    run = reference()
    step, _, word = PLANTED[bug]
    with pytest.raises(RunsDifferError, match="as if of the noise") as caught:
        assert_same_run(run, [s.iterate for s in numpy_loop(run, TapeGenerator(run), bug) if s.iterate is not None])
    assert (caught.value.step, caught.value.quantity) == (step, "iterate")
    assert word in str(caught.value)


def test_single_precision_passes_as_such_and_fails_as_double() -> None:
    run = reference()
    steps = numpy_loop(run, TapeGenerator(run), dtype=np.float32)
    assert assert_same_run(run, steps, dtype="float32").worst < 1
    with pytest.raises(RunsDifferError, match="single precision") as caught:
        assert_same_run(run, steps)
    assert (caught.value.step, caught.value.quantity) == (0, "query")
    declared = ForeignRun(steps=tuple(steps), conventions=Conventions(dtype="float32"))
    assert assert_same_run(run, declared).worst < 1
    with pytest.raises(RunsDifferError, match="single precision"):
        assert_same_run(run, declared, dtype="float64")


@pytest.mark.parametrize("bug", PLANTED)
def test_planted_bug_is_found_in_single_precision_too(bug: str) -> None:
    run = reference()
    with pytest.raises(RunsDifferError) as caught:
        assert_same_run(run, numpy_loop(run, TapeGenerator(run), bug, np.float32), dtype="float32")
    assert (caught.value.step, caught.value.quantity) == PLANTED[bug][:2]


def test_swapped_leaves_are_named() -> None:
    run = example().with_layout(Leaf("bias", (1,)), Leaf("middle", (1,)), Leaf("weights", (1,)))
    noise = run.noise(1)[[1, 0, 2]]
    steps = [Step(noise=run.noise(t)) for t in range(3)]
    steps[1] = Step(noise=noise)
    with pytest.raises(RunsDifferError, match="leaf 'bias' has the draws of leaf 'middle'") as caught:
        assert_same_run(run, steps)
    assert caught.value.step == 1
    with pytest.raises(InvalidArgumentError, match="have 4 coordinates"):
        example().with_layout(Leaf("weights", (2, 2)))


def test_a_run_that_speaks_in_sums_is_translated() -> None:
    run = reference()
    n = run.records
    steps = tuple(
        Step(query=n * s.query, noise=n * s.noise, answer=n * s.answer, iterate=s.iterate)
        for s in numpy_loop(run, TapeGenerator(run))
        if s.query is not None and s.noise is not None and s.answer is not None
    )
    summed = ForeignRun(steps=steps, conventions=Conventions(gradient="sum"))
    assert assert_same_run(run, summed).worst < 1
    with pytest.raises(RunsDifferError, match="a sum was taken for a mean"):
        assert_same_run(run, steps)


def test_a_clip_with_slack_passes_only_where_it_is_declared() -> None:
    run = reference()
    steps = numpy_loop(run, TapeGenerator(run))
    moved = tuple(Step(query=s.query + 9e-7) for s in steps if s.query is not None)
    slack = Conventions(clip_slack=Fraction(1, 10**6))
    assert assert_same_run(run, ForeignRun(steps=moved, conventions=slack)).worst < 1
    with pytest.raises(RunsDifferError):
        assert_same_run(run, moved)
    further = tuple(replace(s, query=s.query + 2e-7) for s in moved if s.query is not None)
    with pytest.raises(RunsDifferError):
        assert_same_run(run, ForeignRun(steps=further, conventions=slack))


# ------------------------------------------------------------------------------------ what a run must be


def test_a_run_of_another_length_is_another_run() -> None:
    run = reference()
    with pytest.raises(RunsDifferError, match="5 steps, the reference has 6"):
        assert_same_run(run, numpy_loop(run, TapeGenerator(run))[:-1])


def test_nothing_to_compare_and_a_tape_that_was_left_are_no_agreement() -> None:
    run = reference()
    with pytest.raises(InvalidArgumentError, match="no quantity"):
        assert_same_run(run, [Step()] * STEPS)
    whole = tuple(numpy_loop(run, TapeGenerator(run)))
    with pytest.raises(RunsDifferError, match="3 draws of the tape were never read"):
        assert_same_run(run, ForeignRun(steps=whole, unread=3))


def test_nan_and_another_shape_are_differences() -> None:
    run = reference()
    points = [x.copy() for x in run.iterates]
    points[2][0] = np.nan
    with pytest.raises(RunsDifferError, match="step 2 of 6, iterate: differs in 1 of 3"):
        assert_same_run(run, points)
    with pytest.raises(RunsDifferError, match="has 4 coordinates"):
        assert_same_run(run, [np.zeros(4)] * STEPS)


@pytest.mark.slow
def test_a_run_that_amplifies_rounding_is_compared_step_by_step() -> None:
    """Steps six times as long as the curvature allows: after thirty the ball run knows nothing of the iterates."""
    problem = ERMProblem(Huber(Fraction(1000)), n=4, dimension=3)
    params = Params(Fraction(1), Fraction(1, 1000), 30, ReplaceOne, step_size=Fraction(6))
    plan = replace(ALGORITHM.plan(problem, params), std=0.01)
    run = record((ALGORITHM, problem, synthetic(4, 3, seed=1), plan))
    with pytest.raises(InvalidArgumentError, match='compare with mode="local"'):
        assert_same_run(run, run.iterates)
    assert assert_same_run(run, run.iterates, mode="local").worst < 1
    wrong = [*run.iterates]
    wrong[20] = wrong[20] * (1 + 1e-9)
    with pytest.raises(RunsDifferError) as caught:
        assert_same_run(run, wrong, mode="local")
    assert (caught.value.step, caught.value.quantity) == (20, "iterate")


def test_what_cannot_be_compared_by_itself_is_refused() -> None:
    """Momentum is carried along beside the iterate; of DP-SVRG only queries, answers and the output are known."""
    momentum = record((ALGORITHMS["dynamic-gradient-descent"], *examples.dynamic_gradient_descent()))
    assert assert_same_run(momentum, momentum.iterates).worst < 1
    with pytest.raises(InvalidArgumentError, match="is not decided by the iterate alone"):
        assert_same_run(momentum, momentum.iterates, mode="local")
    reduced = record((ALGORITHMS["svrg"], *examples.svrg()))
    assert reduced.iterates == ()
    assert not memoryless(Source(ALGORITHMS["svrg"], None, None, None))
    last = [Step(answer=np.asarray(a.answer)) for a in reduced.transcript.answers]
    last[-1] = replace(last[-1], iterate=reduced.output)
    assert assert_same_run(reduced, last).quantities == ("answer", "iterate")
    with pytest.raises(InvalidArgumentError, match="give only the last one"):
        assert_same_run(reduced, [Step(iterate=reduced.output)] * reduced.steps)


# ------------------------------------------------------------------------------------ the tolerance


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_kernel_of_every_algorithm_passes_with_one_rounding_an_operation(case: Case) -> None:
    """The tolerance that grants no room (one rounding where the formula has one) holds the kernel, in another order."""
    instance = small_instances(case)[0]
    algorithm = instance.algorithm
    run = record((algorithm, instance.problem, instance.data, instance.plan))
    with interpreted_run(case.name.replace("-", "_")):
        indices = np.array(run.transcript.indices, dtype=np.int64)
        assert run.source is not None
        trace = algorithm.trace(*run.source[1:], run.transcript.noise(), indices)
    steps = [step["query"] for step in expected(run, room=1.0)]
    value, tolerance = (np.concatenate([getattr(e, k).ravel() for e in steps]) for k in ("value", "tolerance"))
    by_step = len(trace.queries) == run.steps
    rows = (
        [q[: e.value.size] for q, e in zip(trace.queries, steps, strict=True)] if by_step else [trace.queries.ravel()]
    )
    found = np.concatenate(rows)[: value.size]
    assert np.isfinite(tolerance).all()
    assert (np.abs(found - value) <= tolerance).all()


def test_a_tolerance_of_ones_own_takes_the_place_of_the_proved_one() -> None:
    run = reference()
    moved = [x + 1e-4 for x in run.iterates]
    assert assert_same_run(run, moved, tolerance=1e-3).worst < 1
    with pytest.raises(RunsDifferError):
        assert_same_run(run, moved, tolerance=1e-5)


# ------------------------------------------------------------------------------------ the tape


def test_the_tape_refuses_what_was_not_recorded() -> None:
    run = example()
    rng = TapeGenerator(run)
    with pytest.raises(UnexpectedDraw, match=r"Generator\.exponential is not on the tape"):
        rng.exponential()
    with pytest.raises(UnexpectedDraw, match="gumbel asks for 3 draws that are gumbel; those of step 0 are gaussian"):
        rng.gumbel(size=3)
    with pytest.raises(UnexpectedDraw, match="asks for 10 draws at step 0, where the tape has 9 left"):
        rng.normal(size=10)
    with pytest.raises(UnexpectedDraw, match="asks for 1 indices, where the tape has 0"):
        rng.integers(10)
    assert rng.normal(1.0, 2.0, (2, 3)).tolist() == (1 + 2 * np.array(run.draws[:2])).tolist()
    with pytest.raises(UnexpectedDraw, match="3 draws of the tape were never read, from step 2 on"):
        rng.tape.finish()
    assert isinstance(rng.standard_normal(), float)
    assert rng.standard_normal(2, np.float32).dtype == np.float32
    rng.tape.finish()
    assert [note.scale for note in rng.tape.notes] == [2.0, 1.0, 1.0]


def test_indices_are_those_that_were_drawn() -> None:
    run = record((ALGORITHMS["noisy-sgd"], *examples.noisy_sgd()))
    drawn = list(run.transcript.indices)
    assert [int(TapeGenerator(run).integers(2)), *TapeGenerator(run).choice([7, 8], 2)] == [
        drawn[0],
        *(7 + i for i in drawn[:2]),
    ]
    assert sorted(TapeGenerator(run).permutation(2).tolist()) == sorted(drawn[:2])
    with pytest.raises(UnexpectedDraw, match="indices below 1"):
        [TapeGenerator(run).integers(1, size=len(drawn))]
    steps = [Step(indices=(i,), query=a.query) for i, a in zip(drawn, run.transcript.answers, strict=False)]
    assert assert_same_run(run, steps).quantities == ("indices", "query")
    wrong = [replace(s, indices=(1 - s.indices[0],)) if k == 1 and s.indices else s for k, s in enumerate(steps)]
    with pytest.raises(RunsDifferError) as caught:
        assert_same_run(run, wrong)
    assert (caught.value.step, caught.value.quantity) == (1, "indices")


def test_each_step_has_its_own_batch_in_any_order() -> None:
    run = record((ALGORITHMS["dynamic-sgd"], *examples.dynamic_sgd()))
    batches = [run.batch(t) for t in range(run.steps)]
    assert [len(batch) for batch in batches] == [2, 2]

    def compared(*given: Any) -> Any:
        steps = [Step(indices=i, query=a.query) for i, a in zip(given, run.transcript.answers, strict=True)]
        return assert_same_run(run, steps).quantities

    assert compared(*batches) == ("indices", "query")
    assert compared(*(batch[::-1] for batch in batches)) == ("indices", "query")
    assert compared(None, batches[1]) == ("indices", "query")
    for wrong in (((0,), (0, 1)), ((0, 1), (0, 1, 0)), ((0, 0), (0, 1)), ((), ())):
        with pytest.raises(RunsDifferError, match="indices: are"):
            compared(*wrong)
    with pytest.raises(InvalidArgumentError, match="does not say which step drew them"):
        assert_same_run(replace(run, sampled=()), [Step(indices=()), Step(indices=())])


def test_a_poisson_batch_is_its_records_and_not_the_draws_that_chose_them() -> None:
    problem = huber_problem()
    params = dynamic_sgd.Params(Fraction(1), 4, 1, Uniform(), ZeroOut, sampling="poisson")
    run = record(
        (ALGORITHMS["dynamic-sgd"], problem, examples.dynamic_sgd().data, dynamic_sgd.plan.plan(problem, params))
    )
    drawn = run.transcript.indices
    batches = [tuple(i for i in (0, 1) if drawn[2 * t + i] == 0) for t in range(4)]
    assert [run.batch(t) for t in range(4)] == batches
    steps = [Step(indices=i, query=a.query) for i, a in zip(batches, run.transcript.answers, strict=True)]
    assert assert_same_run(run, steps).steps == 4
    if set(batches) == {drawn[2 * t : 2 * t + 2] for t in range(4)}:
        pytest.fail("the draws would pass for the records")


@pytest.mark.parametrize("sampling", ["fixed", "poisson"])
def test_a_run_on_batches_that_speaks_in_sums_is_divided_by_their_size(sampling: Any) -> None:
    problem = replace(huber_problem(), n=4, clip=Fraction(1, 2))
    params = dynamic_sgd.Params(Fraction(1), 3, 2, Uniform(), ZeroOut, sampling=sampling)
    plan = dynamic_sgd.plan.plan(problem, params)
    run = record((ALGORITHMS["dynamic-sgd"], problem, synthetic(4, 1, seed=1), plan))
    sums = tuple(
        Step(query=2 * a.query, noise=run.noise_multiplier(0.5, t) * 0.5 * a.noise)
        for t, a in enumerate(run.transcript.answers)
    )
    summed = ForeignRun(steps=sums, conventions=Conventions(gradient="sum"))
    assert assert_same_run(run, summed).quantities == ("query", "noise")
    with pytest.raises(RunsDifferError, match="4 steps, the reference has 3"):
        assert_same_run(run, replace(summed, steps=(*sums, Step())))
    assert [run.divisor(t) for t in range(run.steps)] == [2, 2, 2]


class Library:
    """Stands for a package with a function that draws."""

    @staticmethod
    def normal(size: int) -> Any:
        return np.full(size, np.nan)


def test_a_patch_is_taken_back_and_must_be_called_and_does_not_nest() -> None:
    real, tape = Library.normal, Tape(example())
    calls: list[int] = []

    def stand_in(size: int) -> Any:
        calls.append(size)
        return tape.take("gaussian", (size,), "Library.normal")

    with patched(Library, {"normal": stand_in}, lambda: len(calls)):
        assert Library.normal(3).tolist() == example().draws[0].tolist()
        with pytest.raises(UnexpectedDraw, match="do not nest"), patched(Library, {"normal": stand_in}, lambda: 0):
            pass
    assert Library.normal is real
    with (
        pytest.raises(UnexpectedDraw, match=r"never called Library\.normal"),
        patched(Library, {"normal": stand_in}, int),
    ):
        pass
    with pytest.raises(ZeroDivisionError), patched(Library, {"normal": stand_in}, int):
        raise ZeroDivisionError
    assert Library.normal is real
