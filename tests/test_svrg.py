"""DP-SVRG and DP-SVRG++: plans, ranges, hypotheses, cost, utility, and planted bugs in the reference."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref import curator as curators
from dpref.algorithms import svrg, svrg_plus_plus
from dpref.algorithms.forms import Form
from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.svrg import algorithm as svrg_algorithm
from dpref.algorithms.svrg import calibration as svrg_calibration
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.algorithms.svrg_plus_plus import plan as svrg_plus_plus_plan
from dpref.curator import Held, Indices, LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry.prox import NONE, Regulariser, box, elastic_net, l1, squared_l2
from dpref.geometry.prox import ball as ball_indicator
from dpref.geometry.sets import L2Ball
from dpref.mechanisms.variance_reduced import variance_reduced_sensitivity
from dpref.privacy.events.ledger import Gaussian, Repeat, VarianceReducedGaussian
from dpref.problems.datasets import Dataset, scale_rows, synthetic
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Huber, Logistic
from dpref.problems.neighbours import replace_record
from dpref.reals import BALL, FLOAT_ARRAY, Array, FloatArray, exact
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut
from tests.effort import part
from tests.oracle_calls import counted_gradients

N, D = 40, 3
PROBLEM, DATA = ERMProblem(Logistic(), n=N, dimension=D), synthetic(N, D, seed=4)
SMALL = Fraction(1, 10**5)
FORMULA = {"form": Form.REPAIRED, "calibration": "formula", "constant": None}
VARIANTS: list[Any] = [svrg.ALGORITHM, svrg_plus_plus.ALGORITHM]
BOTH = pytest.mark.parametrize("algorithm", VARIANTS, ids=lambda a: a.name)


def params(**changes: Any) -> svrg_plan.Params[ReplaceOne]:
    """A quick printed plan unless something is changed."""
    base: dict[str, Any] = {
        "epsilon": Fraction(1), "delta": SMALL, "epochs": 2, "inner": 3, "adjacency": ReplaceOne,
        "form": Form.AS_PRINTED, "constant": Fraction(16),
    }  # fmt: skip
    return svrg_plan.Params(**{**base, **changes})


def recorded(plan: Any, problem: ERMProblem = PROBLEM, data: Dataset = DATA, seed: int = 0) -> tuple[Array, Any]:
    curator = RecordingCurator(problem.read(data), plan.sensitivity.adjacency, np.random.default_rng(seed))
    return svrg_algorithm.run(problem, plan, curator), curator


def replayed_by_the_kernel(plan: Any, curator: Any, name: str = "svrg") -> FloatArray:
    indices = np.array(curator.transcript.indices)
    return ALGORITHMS[name].trace(PROBLEM, DATA, plan, curator.transcript.noise(), indices).points


# ------------------------------------------------------------------------------------ cost


@pytest.mark.parametrize("batch", [1, 4, N])
@BOTH
def test_oracle_calls_are_the_stated_complexity(algorithm: Any, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """T (n + 2 m b) and T n + 2 (2^(T+1) - 2) m b single-record gradients, counted as they are evaluated."""
    epochs, inner, counted = 3, 5, counted_gradients(monkeypatch)
    form = {**FORMULA, "epsilon": Fraction(1, 100)}
    plan = algorithm.plan(PROBLEM, params(epochs=epochs, inner=inner, batch=batch, **form))
    recorded(plan)
    steps = epochs * inner if algorithm is svrg.ALGORITHM else (2 ** (epochs + 1) - 2) * inner
    assert plan.oracle_calls == sum(counted) == epochs * N + 2 * steps * batch
    assert plan.steps == steps


# ------------------------------------------------------------------------------------ noise


@BOTH
def test_the_printed_noise_is_the_printed_formula(algorithm: Any) -> None:
    plan = algorithm.plan(PROBLEM, params(epochs=3, inner=7))
    steps = 21 if algorithm is svrg.ALGORITHM else 8 * 7
    log = -math.log(SMALL) if algorithm is svrg.ALGORITHM else math.log(2) - math.log(SMALL)
    assert plan.std**2 == pytest.approx(16 * steps * log / N**2, rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "calibration"), part(itertools.product(VARIANTS, [None, "renyi"]), 2, seed=1))
def test_the_repaired_default_meets_its_budget_and_nothing_below_does(algorithm: Any, calibration: Any) -> None:
    """By the dominating pair, or by Rényi divergences alone, which ask for more noise."""
    from dpref.privacy.fast.curves import epsilon_above
    from dpref.privacy.renyi.variance_reduction import epsilon

    plan = algorithm.plan(PROBLEM, params(form=Form.REPAIRED, constant=None, batch=2, calibration=calibration))
    assert plan.calibration == (calibration or "accountant")

    def spent(std: float) -> float:
        ledger = algorithm.ledger(replace(plan, std=std))
        return epsilon_above(ledger, SMALL) if calibration is None else epsilon(ledger, SMALL).upper

    assert spent(plan.std) <= 1 < spent(plan.std * 0.98)
    assert (calibration is None) == (epsilon(algorithm.ledger(plan), SMALL).upper > 1.5)


def test_planted_bug_noise_without_the_root_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = replace(BALL, sqrt=lambda x: x)
    monkeypatch.setattr(svrg_calibration, "BALL", broken)
    with pytest.raises(AssertionError):
        test_the_printed_noise_is_the_printed_formula(svrg.ALGORITHM)


# ------------------------------------------------------------------------------------ range


@BOTH
def test_the_formula_is_refused_outside_its_range(algorithm: Any) -> None:
    """E2: epsilon <= 7 K / n^2; and the exact end of the range is still inside."""
    steps = 6 if algorithm is svrg.ALGORITHM else 12
    end = Fraction(7 * steps, N**2)
    assert algorithm.plan(PROBLEM, params(**FORMULA, epsilon=end)).std > 0
    with pytest.raises(InvalidArgumentError, match=r"Theorem 4\.[13] needs epsilon <= c_1"):
        algorithm.plan(PROBLEM, params(**FORMULA, epsilon=end * Fraction(1001, 1000)))
    wider = algorithm.plan(PROBLEM, params(**FORMULA, epsilon=end * 99, batch=10))
    assert wider.batch == 10
    with pytest.raises(InvalidArgumentError, match=r"needs epsilon <= 2 ln\(1/delta\)"):
        algorithm.plan(PROBLEM, params(**FORMULA, epsilon=Fraction(231, 10), batch=N, inner=30))


@BOTH
def test_the_printed_form_runs_outside_and_checks_a_range_that_it_is_given(algorithm: Any) -> None:
    plan = algorithm.plan(PROBLEM, params(epsilon=Fraction(50)))
    output, _ = recorded(plan)
    assert np.isfinite(output).all()
    with pytest.raises(InvalidArgumentError, match="c_1"):
        algorithm.plan(PROBLEM, params(epsilon=Fraction(50), range_constant=Fraction(7)))


@BOTH
@pytest.mark.parametrize(
    ("changes", "argument"),
    [
        ({"constant": None}, "constant"),
        ({"constant": Fraction(0)}, "constant"),
        ({"batch": 2}, "batch"),
        ({"calibration": "accountant"}, "calibration"),
        ({"calibration": "other"}, "calibration"),
        ({"form": Form.REPAIRED}, "constant"),
        ({"form": Form.REPAIRED, "calibration": "remark-4.1"}, "calibration"),
        ({**FORMULA, "constant": Fraction(3079)}, "constant"),
        (
            {"form": Form.REPAIRED, "calibration": "formula", "constant": None, "range_constant": Fraction(8)},
            "constant",
        ),
        ({"form": Form.REPAIRED, "constant": None, "batch": N + 1}, "batch"),
        ({"form": Form.REPAIRED, "constant": None, "batch": 0}, "batch"),
        ({"form": Form.REPAIRED, "constant": None, "adjacency": AddOrRemoveOne}, "adjacency"),
        ({"epsilon": 1.0}, "epsilon"),
        ({"epsilon": Fraction(0)}, "epsilon"),
        ({"delta": Fraction(1)}, "delta"),
        ({"epochs": 0}, "epochs"),
        ({"inner": 0}, "inner"),
        ({"inner": True}, "inner"),
        ({"start": np.zeros(D + 1)}, "start"),
        ({"start": np.array([math.nan] * D)}, "start"),
        ({"step_size": Fraction(0)}, "step_size"),
        ({"step_size": Fraction(1, 10**400), "strong_convexity": Fraction(1)}, "step_size"),
        ({"step_size": Fraction(10**400)}, "step_size"),
        ({"constant": Fraction(10**700)}, "noise"),
        ({"adjacency": AddOrRemoveOne}, "adjacency"),
        ({"strong_convexity": Fraction(-1)}, "strong_convexity"),
    ],
)
def test_bad_parameters_are_refused_by_name(algorithm: Any, changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        algorithm.plan(PROBLEM, params(**changes))
    assert caught.value.argument == argument


def test_a_box_does_not_meet_a_ball_and_epochs_do_not_explode() -> None:
    bounded = replace(PROBLEM, domain=L2Ball(Fraction(1)))
    with pytest.raises(InvalidArgumentError, match="closed prox"):
        svrg_plan.plan(bounded, params(regulariser=box(-1, 1)))
    with pytest.raises(InvalidArgumentError, match="double"):
        svrg_plus_plus_plan.plan(PROBLEM, params(epochs=41))
    with pytest.raises(InvalidArgumentError, match="exactly 40 records"):
        recorded(svrg_plan.plan(PROBLEM, params()), data=synthetic(N - 1, D, seed=1))


# ------------------------------------------------------------------------------------ hypotheses


def test_the_printed_step_size_breaks_equation_4_and_the_plan_says_so() -> None:
    """E7: eta = 1/(12 L) satisfies the printed condition and never Eq. (4)."""
    ridge = replace(PROBLEM, ridge=Fraction(1, 4))  # L = 1/4, kappa = 1
    valid = svrg_plan.plan(ridge, params(inner=200, utility=True))
    assert all(h.holds for h in valid.hypotheses)
    for changes, name in (
        ({"step_size": Fraction(1, 3)}, "theorem-4.2/step-size"),
        ({"inner": 192}, "theorem-4.2/contraction"),
    ):
        with pytest.raises(InvalidArgumentError, match=name):
            svrg_plan.plan(ridge, params(**{"inner": 200, "utility": True, **changes}))
    with pytest.raises(InvalidArgumentError, match=r"theorem-4\.2/strong-convexity"):
        svrg_plan.plan(PROBLEM, params(utility=True, inner=10**6))
    with pytest.raises(InvalidArgumentError, match=r"theorem-4\.2/gradients"):
        svrg_plan.plan(replace(ridge, clip=Fraction(1, 2)), params(utility=True, inner=200))
    assert svrg_plan.plan(replace(PROBLEM, clip=Fraction(1)), params(inner=200)).hypotheses[0].holds


def test_theorem_4_4_wants_a_short_step() -> None:
    assert all(h.holds for h in svrg_plus_plus_plan.plan(PROBLEM, params(utility=True)).hypotheses)
    with pytest.raises(InvalidArgumentError, match=r"theorem-4\.4/step-size"):
        svrg_plus_plus_plan.plan(PROBLEM, params(utility=True, step_size=Fraction(4, 12)))


# ------------------------------------------------------------------------------------ the curator


def test_indices_are_uniform_fresh_and_without_repetition() -> None:
    """Seeded; a correct sampler fails the two bounds (six standard errors each) with probability below 1e-7."""
    rng = np.random.default_rng(5)
    ones = np.concatenate([curators.draw_batch(rng, 10, 1) for _ in range(5000)])
    assert np.abs(np.bincount(ones, minlength=10) - 500).max() < 6 * math.sqrt(450)
    assert abs(np.mean(ones[1:] == ones[:-1]) - 0.1) < 6 * 0.3 / math.sqrt(5000)
    batches = [curators.draw_batch(rng, 10, 3) for _ in range(3000)]
    assert all(np.unique(b).size == 3 for b in batches)
    assert np.abs(np.bincount(np.concatenate(batches), minlength=10) - 900).max() < 6 * math.sqrt(630)


@pytest.mark.parametrize(
    "bug",
    [
        lambda rng, count, size: np.zeros(size, dtype=np.int64),
        lambda rng, count, size: rng.integers(count, size=size),
        lambda rng, count, size: rng.choice(count - 1, size, replace=False),
    ],
    ids=["the same index again and again", "with replacement", "the last record never"],
)
def test_planted_bug_wrong_indices_are_seen(bug: Callable[..., Indices], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curators, "draw_batch", bug)
    with pytest.raises(AssertionError):
        test_indices_are_uniform_fresh_and_without_repetition()


@pytest.mark.parametrize("batch", [1, 3])
def test_a_replay_forces_the_recorded_batches(batch: int) -> None:
    plan = svrg_plan.plan(PROBLEM, params(form=Form.REPAIRED, constant=None, calibration="formula", batch=batch,
    inner=20,
                                     epsilon=Fraction(1, 100)))  # fmt: skip
    output, curator = recorded(plan)
    assert len(curator.transcript.indices) == plan.steps * batch
    replay = ReplayingCurator(PROBLEM.read(DATA), ReplaceOne, curator.transcript, force="noise")
    assert np.array_equal(svrg_algorithm.run(PROBLEM, plan, replay), output)
    neighbour = PROBLEM.read(replace_record(DATA, 0, np.array([0.0, 0.0, 1.0]), -1.0))
    other = ReplayingCurator(neighbour, ReplaceOne, curator.transcript, force="answers")
    svrg_algorithm.run(PROBLEM, plan, other)
    sampled = [0 in curator.transcript.indices[k * batch : (k + 1) * batch] for k in range(plan.steps)]
    declared, full = float(plan.sensitivity.value), 2 / N
    for answer, query, hit in zip(curator.transcript.answers, other.queries, sampled, strict=True):
        # A record that is not in the batch is seen through the full gradient alone.
        assert np.linalg.norm(answer.query - query) <= (declared if hit else full) * (1 + 1e-12)


def test_planted_bug_indices_drawn_anew_on_the_neighbour_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    monkeypatch.setattr(
        ReplayingCurator,
        "_indices",
        lambda self, count, size: curators.draw_batch(rng, count, size),
    )
    with pytest.raises(AssertionError):
        test_a_replay_forces_the_recorded_batches(1)


def test_what_the_curator_refuses() -> None:
    curator: Any = LiveCurator(PROBLEM.read(DATA), ReplaceOne, np.random.default_rng(0))
    held = curator.hold(lambda data: data.features[0], label="row")
    good = {"held": held, "gradient_bound": Fraction(1), "batch": 1, "records": N, "std": 1.0, "label": "x"}

    def query(data: Records, batch: Indices, full: Array) -> Array:
        return np.asarray(data.features[batch].sum(axis=0) + full)

    curator.variance_reduced_gaussian(query, **good)
    bad: tuple[dict[str, Any], ...] = (
        {"batch": N + 1}, {"batch": 0}, {"std": -1.0}, {"std": math.nan}, {"held": Held(1, "unknown")},
        {"gradient_bound": Fraction(0)}, {"gradient_bound": 1.0},
    )  # fmt: skip
    for changes in bad:
        with pytest.raises(InvalidArgumentError):
            curator.variance_reduced_gaussian(query, **{**good, **changes})
    with pytest.raises(InvalidArgumentError, match="finite"):
        curator.hold(lambda data: data.features[0] * math.inf, label="row")
    assert curator.ledger.event == VarianceReducedGaussian(Fraction(1), 1, N)


def test_the_whole_data_as_a_batch_is_a_plain_gaussian() -> None:
    plan = svrg_plan.plan(PROBLEM, params(form=Form.REPAIRED, constant=None, batch=N, adjacency=ZeroOut))
    _, curator = recorded(plan)
    assert curator.ledger == svrg_plan.ledger(plan)
    assert curator.ledger.event == Repeat(Gaussian(exact(plan.std) * N), plan.steps)


def test_the_declared_sensitivity_is_nearly_attained_in_the_plane() -> None:
    """S3: two Hubers along directions far apart, and a step across both kinks: 4 G sin(theta) - 2 G / n."""
    n, sine = 50, 0.96
    rows = np.tile([1.0, 0.0], (n, 1))
    rows[0] = [0.28, sine]
    data = Dataset(scale_rows(rows), np.ones(n))
    other = replace_record(data, 0, data.features[0] * np.array([1.0, -1.0]), 1.0)
    problem = ERMProblem(Huber(Fraction(1)), n=n, dimension=2)
    start = np.array([-100.0, 0.0])
    queries = []
    for side in (data, other):
        records = problem.read(side)
        # Labels are +1 or -1; the snapshot lies on one side of every kink, the iterate on the other.
        snapshot = svrg_algorithm.variance_reduced_gradient(
            problem, 1, FLOAT_ARRAY, -start, start, records, np.array([0]),
            problem.mean_gradient(FLOAT_ARRAY, start, records),
        )  # fmt: skip
        queries.append(snapshot)
    moved = float(np.linalg.norm(queries[0] - queries[1]))
    declared = variance_reduced_sensitivity(Fraction(1), 1, n, ReplaceOne).value
    assert moved == pytest.approx(4 * sine - 2 * sine / n, rel=1e-12)
    assert 0.95 * declared < moved <= declared


# ------------------------------------------------------------------------------------ planted bugs in the reference


def agrees_with_the_kernel(name: str = "svrg") -> bool:
    """Whether the reference's output is the kernel's, up to rounding."""
    algorithm = ALGORITHMS[name]
    plan = algorithm.plan(PROBLEM, params(epochs=3, step_size=Fraction(1)))
    output, curator = recorded(plan)
    return np.allclose(output, replayed_by_the_kernel(plan, curator, name)[-1], rtol=1e-12, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["svrg", "svrg-plus-plus"])
def test_reference_and_kernel_agree_on_one_tape(name: str) -> None:
    assert agrees_with_the_kernel(name)


@pytest.mark.slow
def test_planted_bug_a_snapshot_that_is_not_refreshed_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = svrg_algorithm.begin

    def stale(problem: Any, plan: Any, snapshot: Array, last: Array, curator: Any) -> svrg_algorithm.State:
        state = honest(problem, plan, FLOAT_ARRAY.lift(plan.start), last, curator)
        return state._replace(x=last if plan.carry else snapshot)

    monkeypatch.setattr(svrg_algorithm, "begin", stale)
    assert not agrees_with_the_kernel()


@pytest.mark.slow
def test_planted_bug_an_average_that_includes_x_0_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = svrg_algorithm.begin

    def counting(*arguments: Any) -> svrg_algorithm.State:
        state = honest(*arguments)
        return state._replace(total=state.x)

    monkeypatch.setattr(svrg_algorithm, "begin", counting)
    assert not agrees_with_the_kernel()


@pytest.mark.slow
def test_planted_bug_the_inner_loop_of_svrg_plus_plus_from_the_average_is_seen() -> None:
    plan = svrg_plus_plus_plan.plan(PROBLEM, params(epochs=3, step_size=Fraction(1)))
    output, curator = recorded(replace(plan, carry=False))
    assert not np.allclose(output, replayed_by_the_kernel(plan, curator, "svrg-plus-plus")[-1], rtol=1e-9)


# ------------------------------------------------------------------------------------ regularisers


@pytest.mark.slow
@pytest.mark.parametrize(
    "r",
    part([NONE, l1(Fraction(1, 50)), squared_l2(1), elastic_net(Fraction(1, 50), 1), box(-1, 1), ball_indicator(2)], 3),
)
def test_without_noise_svrg_converges_to_a_minimiser(r: Regulariser) -> None:
    """At a minimiser x = prox(x - eta grad F(x)): a fixed point, to 1e-9."""
    problem = replace(PROBLEM, ridge=Fraction(1, 10))
    plan = replace(svrg_plan.plan(problem, params(regulariser=r, epochs=60, inner=60, step_size=Fraction(1))), std=0.0)
    output, curator = recorded(plan, problem)
    records = problem.read(DATA)
    gradient = problem.mean_gradient(FLOAT_ARRAY, output, records)
    moved = plan.regulariser.prox(FLOAT_ARRAY, FLOAT_ARRAY.lift(1.0), output - gradient)
    assert np.abs(moved - output).max() < 1e-9
    assert "nonprivate" in str(curator.ledger)
