"""Plain torch and the real Opacus on a tape."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import pytest

from dpref.errors import InvalidArgumentError
from dpref.foreign.replay import ForeignRun, RunsDifferError, Tape, UnexpectedDraw, assert_same_run
from dpref.foreign.replay.adapters.torch import replay_opacus, replay_torch, taped_torch
from dpref.foreign.replay.recording import Conventions
from tests.foreign_loops import CLIP, reference

torch = pytest.importorskip("torch", reason="torch is not installed: nox -s peers_torch")


def tensors(dtype: Any) -> tuple[Any, Any]:
    run = reference()
    return tuple(torch.tensor(run.problem[name], dtype=dtype) for name in ("features", "labels"))


def plain(draw: str, bug: str = "", dtype: Any = None) -> ForeignRun:
    """A loop of one's own, with each of the four ways to draw."""
    run, dtype = reference(), dtype or torch.float64
    x, y = tensors(dtype)
    w, n = torch.zeros(3, dtype=dtype), run.records
    draws = {
        "randn_like": lambda: torch.randn_like(w),
        "randn": lambda: torch.randn(3, dtype=dtype),
        "normal": lambda: torch.normal(0.0, 1.0, (3,), dtype=dtype),
        "normal_": lambda: torch.empty(3, dtype=dtype).normal_(),
    }

    def step(t: int) -> None:
        rows = (-y * torch.sigmoid(-y * (x @ w)))[:, None] * x
        rows = rows * (CLIP / rows.norm(dim=1).clamp(min=1e-30)).clamp(max=1.0)[:, None]
        noise = run.noise_multiplier(CLIP) * CLIP * draws[draw]()
        w.sub_(run.parameters["step_size"] * (rows.sum(0) + (noise / 2 if bug and t == 3 else noise)) / n)

    return replay_torch(run, step, lambda: [w])


@pytest.mark.parametrize("draw", ["randn_like", "randn", "normal", "normal_"])
def test_a_plain_loop_takes_the_same_steps(draw: str) -> None:
    assert assert_same_run(reference(), plain(draw)).largest < 1e-15


def test_planted_bug_in_a_plain_loop_is_named() -> None:
    with pytest.raises(RunsDifferError, match=r"as if of the noise: .*1/2") as caught:
        assert_same_run(reference(), plain("randn_like", "halved"))
    assert caught.value.step == 3


def test_single_precision_passes_as_such() -> None:
    run = plain("randn_like", dtype=torch.float32)
    assert assert_same_run(reference(), run).worst < 1
    with pytest.raises(RunsDifferError):
        assert_same_run(reference(), run, dtype="float64")


def test_code_that_draws_nothing_is_refused_and_all_is_put_back() -> None:
    real = torch.randn, torch.Tensor.normal_
    with pytest.raises(UnexpectedDraw, match=r"never called torch\.normal"), taped_torch(Tape(reference())):
        pass
    assert (torch.randn, torch.Tensor.normal_) == real


# ------------------------------------------------------------------------------------ Opacus


def opacus_run(bug: str = "", dtype: Any = None, **options: Any) -> ForeignRun:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("opacus", reason="opacus is not installed: nox -s peers_torch")
        from opacus.grad_sample import GradSampleModule
        from opacus.optimizers import DPOptimizer

        class Planted(DPOptimizer):  # type: ignore[misc]  # Opacus has no types here
            """Halves its noise multiplier at the fourth step."""

            count = 0

            def add_noise(self) -> None:
                own: float = vars(self)["noise_multiplier"]
                self.noise_multiplier = own / (2 if self.count == 3 else 1)
                super().add_noise()
                self.noise_multiplier, self.count = own, self.count + 1

        run, dtype = reference(), dtype or torch.float64
        x, y = tensors(dtype)
        linear = torch.nn.Linear(3, 1, bias=False, dtype=dtype)
        torch.nn.init.zeros_(linear.weight)
        model = GradSampleModule(linear)
        optimizer = (Planted if bug else DPOptimizer)(
            torch.optim.SGD(model.parameters(), lr=run.parameters["step_size"]),
            noise_multiplier=run.noise_multiplier(CLIP),
            max_grad_norm=CLIP,
            expected_batch_size=run.records,
            **options,
        )

        def backward() -> None:
            torch.nn.functional.softplus(-y * model(x)[:, 0]).mean().backward()

        return replay_opacus(run, optimizer, backward)


def test_opacus_takes_the_same_steps_but_for_its_slack() -> None:
    run = opacus_run()
    found = assert_same_run(reference(), run)
    assert found.quantities == ("query", "noise", "answer", "iterate")
    assert found.worst < 1
    with pytest.raises(RunsDifferError) as caught:
        assert_same_run(reference(), replace(run, conventions=Conventions()))
    assert (caught.value.step, caught.value.quantity) == (0, "query")


def test_opacus_in_single_precision_passes_as_such() -> None:
    run = opacus_run(dtype=torch.float32)
    assert assert_same_run(reference(), run).worst < 1
    with pytest.raises(RunsDifferError):
        assert_same_run(reference(), run, dtype="float64")


def test_planted_bug_in_opacus_is_named() -> None:
    with pytest.raises(RunsDifferError, match="1/2") as caught:
        assert_same_run(reference(), opacus_run("halved"))
    assert (caught.value.step, caught.value.quantity) == (3, "noise")


def test_the_secure_mode_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="secure_mode"):
        opacus_run(secure_mode=True)
