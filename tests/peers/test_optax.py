"""The real optax on a tape: it takes the same steps, and of what is planted in its aggregation each is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.foreign.replay import ForeignRun, RunsDifferError, UnexpectedDraw, assert_same_run
from dpref.foreign.replay.adapters.jax import replay_optax, taped_normal
from dpref.foreign.replay.tape import Tape
from tests.foreign_loops import CLIP, STEPS, reference
from tests.peers.planted_optax import BUGS, aggregate

jax = pytest.importorskip("jax", reason="jax is not installed: nox -s peers")
optax = pytest.importorskip("optax", reason="optax is not installed: nox -s peers")

PLANTED = {
    "halved": (3, "noise", "1/2"),
    "silent": (STEPS - 1, "noise", "no noise was added"),
    "mean": (2, "noise", "= 1/n"),
    "leaves": (0, "noise", "the same draws in another order"),
    "batch": (0, "query", "the batch was clipped"),
    "twice": (3, "noise", "it is the noise of step 2"),
}


def run_of(transformation: Any = None, dtype: Any = np.float64, parameters: Any = None) -> ForeignRun:
    """Logistic regression with the parameters in two leaves."""
    run, numbers = reference(), jax.numpy
    with jax.enable_x64(dtype == np.float64):
        x, y = (numbers.asarray(run.problem[k], dtype) for k in ("features", "labels"))

        def loss(p: Any, row: Any, label: Any) -> Any:
            return numbers.logaddexp(0.0, -label * (row[:1] @ p["first"] + row[1:] @ p["rest"]))

        per_example = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))
        start = {"first": numbers.zeros(1, dtype), "rest": numbers.zeros(2, dtype)}
        made = transformation or optax.contrib.differentially_private_aggregate(
            CLIP, run.noise_multiplier(CLIP), key=jax.random.key(0)
        )
        step = optax.sgd(run.parameters["step_size"])
        return replay_optax(
            run, made, step, lambda p: per_example(p, x, y), start if parameters is None else parameters
        )


def test_optax_takes_the_same_steps_to_the_last_digit() -> None:
    run = run_of()
    found = assert_same_run(reference(), run)
    assert found.quantities == ("query", "noise", "answer", "iterate")
    assert found.largest < 1e-15
    assert run.conventions.dtype == "float64"
    assert [leaf.size for leaf in run.conventions.layout] == [1, 2]


def test_optax_in_single_precision_passes_as_such_and_fails_as_double() -> None:
    run = run_of(dtype=np.float32)
    assert run.conventions.dtype == "float32"
    assert assert_same_run(reference(), run).worst < 1
    with pytest.raises(RunsDifferError, match="single precision"):
        assert_same_run(reference(), run, dtype="float64")


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bug_in_optax_is_named_with_its_step_and_quantity(bug: str) -> None:
    run = reference()
    made = aggregate(bug, CLIP, run.noise_multiplier(CLIP), STEPS)
    with pytest.raises(RunsDifferError) as caught:
        assert_same_run(run, run_of(made))
    assert (caught.value.step, caught.value.quantity, PLANTED[bug][2] in str(caught.value)) == (*PLANTED[bug][:2], True)


def test_the_aggregation_without_a_mistake_passes() -> None:
    run = reference()
    assert assert_same_run(run, run_of(aggregate("", CLIP, run.noise_multiplier(CLIP), STEPS))).worst < 1


def test_a_compiled_draw_and_code_that_draws_nothing_are_refused() -> None:
    run, real = reference(), jax.random.normal
    with pytest.raises(UnexpectedDraw, match="traced key"), taped_normal(Tape(run)):
        jax.make_jaxpr(lambda key: jax.random.normal(key, (3,)))(jax.random.key(0))
    with pytest.raises(UnexpectedDraw, match=r"never called jax\.random\.normal"), taped_normal(Tape(run)):
        pass
    assert jax.random.normal is real
    with pytest.raises(InvalidArgumentError, match="have 4 coordinates, an answer has 3"):
        run_of(parameters={"first": np.zeros(2), "rest": np.zeros(2)})
    with pytest.raises(UnexpectedDraw, match="one key draws the shapes"), taped_normal(Tape(run)):
        [jax.random.normal(jax.random.key(0), shape) for shape in ((1,), (2,))]
