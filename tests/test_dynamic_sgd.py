"""Stochastic descent with a dynamic budget: its noise, its batches, what it promises, and what the print claims."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms import dynamic_sgd as package
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Momentum, Schedule, Uniform
from dpref.algorithms.dynamic_gradient_descent.utility import batch_noise_unit, subsampled_renyi_lower
from dpref.algorithms.dynamic_sgd import algorithm, utility
from dpref.algorithms.dynamic_sgd import formulas as batches
from dpref.algorithms.dynamic_sgd.plan import Params, Plan, ledger, plan
from dpref.algorithms.forms import Form
from dpref.audit.builders import run_of
from dpref.audit.catalogue import find
from dpref.audit.papers.dynamic_privacy_budget.witnesses import always_drawn
from dpref.curator import LiveCurator, RecordingCurator, Transcript
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.kernels.twin import interpreted_run
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.problems.datasets import Dataset, synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic, Squared
from dpref.reals import FLOAT, FloatArray, lower
from dpref.units import L2, AddOrRemoveOne, ReplaceOne, Sensitivity, ZeroOut

PROBLEM = ERMProblem(Logistic(), n=100, dimension=3)
GOOD: dict[str, Any] = {
    "budget": Fraction(1, 100), "steps": 4, "batch": 10, "schedule": Uniform(), "adjacency": ReplaceOne,
}  # fmt: skip


def made(**change: Any) -> Plan[Any]:
    return plan(PROBLEM, Params(**(GOOD | change)))


# ------------------------------------------------------------------------------------ noise and ledger


def test_the_noise_is_that_of_the_batches_budget() -> None:
    """R' = 1, so sigma_t = 2, over batches of 10: 2G/n under replace-one, G/n under zero-out and as printed."""
    assert made().stds == (0.4,) * 4
    assert made(adjacency=ZeroOut).stds == (0.2,) * 4
    assert made(form=Form.AS_PRINTED).stds == (0.2,) * 3  # the printed test loses the last step
    growing = made(schedule=Dynamic(Fraction(81, 100)), adjacency=ZeroOut).stds
    assert growing == pytest.approx(0.1 * np.sqrt([4.71742112, 4.24567901, 3.82111111, 3.439]), rel=1e-8)


def test_ledgers_name_the_sampler() -> None:
    step = "gaussian(noise_multiplier="
    assert str(ledger(made()).event).startswith(f"compose(sample_without_replacement({step}")
    assert ", batch=10, records=100), 4)" in str(ledger(made()))
    assert "rate=1/10" in str(ledger(made(adjacency=ZeroOut, sampling="poisson")))
    full = made(batch=100)
    assert str(ledger(full)).startswith(f"compose({step}")
    assert zcdp(ledger(full)).value <= Fraction(1, 200)  # R/2 of full batches, as without batches
    with pytest.raises(UnsupportedEventError):
        zcdp(ledger(made()))


def test_the_printed_batch_has_the_same_budget_whatever_r_is() -> None:
    for budget in (0.01, 0.0625, 0.64):
        size = batches.batch_size_as_printed(FLOAT, budget, 1000.0)
        assert batches.batch_budget(FLOAT, budget, size, 1000.0) == pytest.approx(1.0, rel=1e-12)


# ------------------------------------------------------------------------------------ promises


def gaussian_tail(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


def one_sampled_step(epsilon: float, rate: float, sigma: float) -> float:
    """The larger delta of one Poisson-sampled Gaussian answer, by where its loss crosses epsilon."""
    removed = sigma * sigma * math.log1p(math.expm1(epsilon) / rate) + 0.5
    by_removal = rate * gaussian_tail((removed - 1) / sigma)
    by_removal += (1 - rate - math.exp(epsilon)) * gaussian_tail(removed / sigma)
    rest = math.exp(-epsilon) - (1 - rate)
    if rest <= 0:
        return by_removal
    added = sigma * sigma * math.log(rest / rate) + 0.5
    below, shifted = gaussian_tail(-added / sigma), gaussian_tail((1 - added) / sigma)
    return max(by_removal, below - math.exp(epsilon) * ((1 - rate) * below + rate * shifted))


@pytest.mark.parametrize("how", [{"adjacency": ZeroOut, "sampling": "poisson"}, {}])
def test_the_promise_of_one_sampled_step_is_its_epsilon(how: dict[str, Any]) -> None:
    """R = 1/100 at p = 1/10 in one step is sigma = 1: an integral in closed form, the same for both samplers."""
    one = made(steps=1, delta=Fraction(1, 1000), **how)
    promised = one.promise
    assert promised is not None
    assert (promised.delta, promised.adjacency) == (Fraction(1, 1000), one.sensitivity.adjacency)
    epsilon = float(promised.value)
    assert one_sampled_step(epsilon, 0.1, 1.0) <= 1e-3 < one_sampled_step(epsilon * (1 - 1e-3), 0.1, 1.0)
    assert made(**how).promise is None  # no delta was asked for


def test_planted_bug_a_promise_for_twice_the_noise_is_seen() -> None:
    one = made(adjacency=ZeroOut, sampling="poisson", steps=1, delta=Fraction(1, 1000), budget=Fraction(1, 400))
    assert one.promised is not None
    assert one_sampled_step(float(one.promised.value), 0.1, 1.0) > 1e-3


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"budget": Fraction(0)}, "budget"),
        ({"budget": 0.5}, "budget"),
        ({"steps": 0}, "steps"),
        ({"batch": 0}, "batch"),
        ({"batch": 101}, "batch"),
        ({"sampling": "shuffled"}, "sampling"),
        ({"sampling": "poisson"}, "sampling"),
        ({"adjacency": AddOrRemoveOne}, "adjacency"),
        ({"delta": Fraction(1)}, "delta"),
        ({"delta": Fraction(1, 100), "form": Form.AS_PRINTED}, "delta"),
        ({"momentum": Fraction(1)}, "momentum"),
        ({"start": np.zeros(2)}, "start"),
    ],
)
def test_a_plan_refuses(change: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        made(**change)


def test_data_of_another_size_are_refused() -> None:
    """Another number of records would change how often each is drawn."""
    data = synthetic(99, 3, seed=1)
    curator = LiveCurator(PROBLEM.read(data), ReplaceOne, np.random.default_rng(0))
    with pytest.raises(InvalidArgumentError, match="exactly 100 records"):
        algorithm.run(PROBLEM, made(), curator)


# ------------------------------------------------------------------------------------ the paper, written again


def from_the_paper(plan: Plan[Any], data: Dataset, tape: Transcript) -> FloatArray:
    """Section 4.3 in plain numpy, for the logistic loss: batches, noise, Eq. (13)."""
    x, y, z = data.features, data.labels, iter(tape.noise())
    draws = np.array(tape.indices).reshape(plan.steps, -1)
    theta, v, beta = np.zeros(data.dimension), np.zeros(data.dimension), plan.momentum
    for t, (std, row) in enumerate(zip(plan.stds, draws, strict=True), start=1):
        batch = np.nonzero(row < plan.batch)[0] if plan.sampling == "poisson" else row
        g = np.zeros(data.dimension)
        for i in batch:
            g -= y[i] * x[i] / (1 + np.exp(y[i] * (x[i] @ theta))) / plan.batch
        v = beta * v + (1 - beta) * (g + std * next(z))
        theta = theta - plan.step_size * v / (1 - beta**t)
    return theta


RUNS: list[dict[str, Any]] = [
    {},
    {"adjacency": ZeroOut, "sampling": "poisson"},
    {"adjacency": ZeroOut, "sampling": "poisson", "batch": 1},  # some batches are empty
    {"schedule": Momentum(Fraction(1, 2), Fraction(9, 10)), "momentum": Fraction(1, 2), "steps": 7},
    {"form": Form.AS_PRINTED, "schedule": Dynamic(Fraction(9, 10))},
]


def apart(change: dict[str, Any], seed: int = 3) -> float:
    """How far the reference or the kernel's text is from the paper's lines on one tape, relatively."""
    drawn, data = made(**change), synthetic(100, 3, seed=1)
    curator = RecordingCurator(PROBLEM.read(data), drawn.sensitivity.adjacency, np.random.default_rng(seed))
    output, tape = algorithm.run(PROBLEM, drawn, curator), curator.transcript
    with interpreted_run("dynamic_sgd"):
        trace = package.ALGORITHM.trace(PROBLEM, data, drawn, tape.noise(), np.array(tape.indices))
    written = from_the_paper(drawn, data, tape)
    farther = max(np.abs(written - other).max() for other in (output, trace.points[-1]))
    return float(farther / (1 + np.abs(output).max()))


@pytest.mark.parametrize("change", RUNS)
def test_the_reference_is_the_paper_written_again(change: dict[str, Any]) -> None:
    assert apart(change) <= 1e-12


def over_its_own_size(problem: Any, batch: int, o: Any, theta: Any, records: Any, drawn: Any) -> Any:
    return HONEST(problem, max(1, drawn.size), o, theta, records, drawn)


def of_its_neighbour(problem: Any, batch: int, o: Any, theta: Any, records: Any, drawn: Any) -> Any:
    return HONEST(problem, batch, o, theta, records, (drawn + 1) % problem.n)


HONEST = algorithm.batch_gradient


@pytest.mark.parametrize("bug", [over_its_own_size, of_its_neighbour])
def test_planted_bug_another_batch_is_seen(bug: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A Poisson batch that is divided by its own, private size; a batch of other records."""
    monkeypatch.setattr(algorithm, "batch_gradient", bug)
    assert apart(RUNS[1]) > 1e-6


# ------------------------------------------------------------------------------------ how batches are drawn


def poisson_sizes() -> tuple[float, float]:
    """Standard deviations by which records' shares (1/4 of 20 records) and the batches' variance are off."""
    records, batch, times = 20, 5, 4000
    curator = LiveCurator(np.eye(records), ZeroOut, np.random.default_rng(11))
    how: dict[str, Any] = {
        "sampling": "poisson", "batch": batch, "records": records, "label": "who", "std": 0.0,
        "sensitivity": Sensitivity(Fraction(1), L2, ZeroOut),
    }  # fmt: skip
    seen = np.array([curator.sampled_gaussian(lambda eye, b: eye[b].sum(axis=0), **how) for _ in range(times)])
    sizes = seen.sum(axis=1)
    shares = np.abs(seen.mean(axis=0) - 0.25).max() / math.sqrt(0.25 * 0.75 / times)
    return float(shares), float(abs(sizes.var() - 20 * 0.25 * 0.75) / (3.75 * math.sqrt(2.2 / times)))


def test_poisson_batches_take_every_record_alone() -> None:
    assert max(poisson_sizes()) <= 5


@pytest.mark.parametrize(
    "bug",
    [
        lambda self, count, size: self._rng.integers(2 * count, size=size),
        lambda self, count, size: np.repeat(self._rng.integers(count, size=size // 2), 2),
    ],
)
def test_planted_bug_uneven_or_dependent_draws_are_seen(bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LiveCurator, "_independent", bug)
    assert max(poisson_sizes()) > 5


# ------------------------------------------------------------------------------------ what the print claims


def binomial_divergence(order: int, rate: float, sigma: float) -> float:
    """The divergence of a Poisson-sampled Gaussian at an integer order, by its binomial formula in logarithms."""
    terms = [
        math.lgamma(order + 1) - math.lgamma(k + 1) - math.lgamma(order - k + 1)
        + k * math.log(rate) + (order - k) * math.log1p(-rate) + k * (k - 1) / (2 * sigma * sigma)
        for k in range(order + 1)
    ]  # fmt: skip
    top = max(terms)
    return (top + math.log(sum(math.exp(t - top) for t in terms))) / (order - 1)


@pytest.mark.parametrize(("order", "ratio"), [(2, 1.032), (64, 1.076), (256, 4221), (4096, 9640)])
def test_small_orders_hide_what_large_orders_show(order: int, ratio: float) -> None:
    """T18 at q = 1/100, sigma = 4: near the claim up to order 64, thousands of times above it beyond."""
    exact = binomial_divergence(order, 0.01, 4.0)
    assert exact / (order * 0.01**2 / 32) == pytest.approx(ratio, rel=1e-3)
    assert subsampled_renyi_lower(FLOAT, float(order), 4.0, 0.01) <= exact


def test_the_witness_is_all_of_the_unsampled_rho() -> None:
    """R'/2 times 9/10 as printed under zero-out; 200 times p^2 of that was claimed."""
    run = run_of(find("dynamic-privacy-budget/section-4.3@as-printed-poisson,zero-out"))
    (witness,) = always_drawn(run)
    unsampled = (569 / 57) ** 2 / 100 / 2 * 0.9
    assert lower(witness.value) == pytest.approx(unsampled, rel=1e-9)  # type: ignore[arg-type]
    assert lower(witness.value) > 80 * Fraction(1, 200)  # type: ignore[arg-type]


def test_planted_bug_a_witness_of_runs_that_never_draw_the_record_shows_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a small order the same bound shows nothing: the order is what refutes."""
    from dpref.audit.papers.dynamic_privacy_budget import witnesses

    run = run_of(find("dynamic-privacy-budget/section-4.3@as-printed-poisson,zero-out"))
    monkeypatch.setattr(witnesses, "SHOWING_ORDER", 8)
    assert lower(always_drawn(run)[0].value) < 0  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------ utility


def test_the_risk_after_a_step_is_the_batch_variance_and_the_noise() -> None:
    """Losses (theta - y)^2/2 with labels +-1 and steps of 1: the bound is attained, at n = 4 of N = 20."""
    records, batch, steps = 20, 4, 2
    problem = ERMProblem(Squared(), n=records, dimension=1, clip=Fraction(8))
    data = Dataset(np.ones((records, 1)), np.repeat([1.0, -1.0], records // 2))
    drawn = plan(problem, Params(Fraction(2000), steps, batch, Uniform(), ReplaceOne))
    risks = []
    records_read = problem.read(data)
    for seed in range(600):
        theta = algorithm.run(problem, drawn, LiveCurator(records_read, ReplaceOne, np.random.default_rng(seed)))
        risks.append(float(theta[0]) ** 2 / 2)
    error = 5 * np.std(risks) / math.sqrt(len(risks))
    sampled = utility.fixed_batch_variance(FLOAT, 1.0, batch, records)
    variances = [std * std for std in drawn.stds]
    bound = utility.batch_risk_bound(FLOAT, 0.0, 0.0, 1.0, 1.0, variances, sampled)
    assert abs(np.mean(risks) - bound) <= error
    # Theorem 4.9's unit with sigma_g^2 D = V falls as 1/n^2: far below what is seen (T20).
    printed = batch_noise_unit(FLOAT, 1.0, 1.0, float(records), (batch / records) ** 2, 1.0)
    assert np.mean(risks) > printed + sum(variances[-1:]) / 2 + error


def test_the_variance_of_a_poisson_batch_is_its_formula() -> None:
    """All 2^5 batches of five gradients, weighted."""
    g, rate = np.array([1.0, -2.0, 0.5, 3.0, -1.0]), 0.4
    error = 0.0
    for code in range(32):
        who = np.array([code >> i & 1 for i in range(5)], dtype=bool)
        weight = rate ** who.sum() * (1 - rate) ** (5 - who.sum())
        error += weight * (g[who].sum() / 2 - g.mean()) ** 2
    assert error == pytest.approx(utility.poisson_batch_variance(FLOAT, (g * g).mean(), 2.0, 5.0), rel=1e-12)


def test_the_schedules_are_those_of_full_batches() -> None:
    schedules: list[Schedule] = [Uniform(), Dynamic(Fraction(9, 10))]
    for schedule in schedules:
        shares = [r / sum(made(schedule=schedule).requests) for r in made(schedule=schedule).requests]
        full = [
            r / sum(made(schedule=schedule, batch=100).requests) for r in made(batch=100, schedule=schedule).requests
        ]
        assert shares == full
        assert replace(made(schedule=schedule)).budget == 1
