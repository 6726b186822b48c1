"""Vertex sampling: plans against the specification's numbers, oracle calls, the estimator, games, and refusals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.bias_reduced_mirror_descent import algorithm as bias_reduced_mirror_descent_algorithm
from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_mirror_descent_plan
from dpref.algorithms.bias_reduced_mirror_descent.algorithm import estimate
from dpref.algorithms.bias_reduced_mirror_descent.utility import theorem_3_14
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent import algorithm as mirror_descent_algorithm
from dpref.algorithms.mirror_descent import plan as mirror_descent_plan
from dpref.algorithms.mirror_descent.plan import Plan
from dpref.algorithms.mirror_descent.utility import (
    first_order_bias,
    gap_bound,
    regret_step,
    second_order_bias,
    theorem_3_1,
)
from dpref.curator import LiveCurator
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.truncated_geometric import draw_levels, expected_power, normaliser
from dpref.privacy.events.ledger import Exponential, Repeat
from dpref.problems.games import Game, GameData, duality_gap, sampled_game
from dpref.reals import FLOAT, FLOAT_ARRAY, RATIONAL, Array, exact
from dpref.units import AddOrRemoveOne, Linf, ReplaceOne, Sensitivity, ZeroOut

SMALL = Fraction(1, 10**6)
ONE = Fraction(1)
BIG = Game(n=10**6, rows=100, columns=100)
ELL = 2 * math.log(100)
GAME = Game(n=60, rows=3, columns=2, ramp=Fraction(1, 4))


def first(problem: Game = GAME, **changes: Any) -> Plan[Any]:
    given = {"epsilon": ONE, "delta": SMALL, "steps": 7, "samples": 3, "adjacency": ReplaceOne, **changes}
    return mirror_descent_plan.plan(problem, mirror_descent_plan.Params(**given))


def third(problem: Game = GAME, **changes: Any) -> Plan[Any]:
    given = {
        "epsilon": ONE, "delta": SMALL, "stopping": Fraction(12), "truncation": 2, "alpha": Fraction(2, 3),
        "levels": (1, 0, 2, 0, 1, 0, 0, 0), "adjacency": ReplaceOne, **changes,
    }  # fmt: skip
    return bias_reduced_mirror_descent_plan.plan(problem, bias_reduced_mirror_descent_plan.Params(**given))


# ------------------------------------------------------------------------------------ numbers of the specification


@pytest.mark.parametrize(
    ("smoothness", "steps", "samples", "batch", "privacy", "regret", "bound"),
    [
        ("first-order", 4167, 453, 239, 2.921829e-3, 2.973419e-2, 2.7797),
        ("second-order", 14157, 40, 70, 1.544959e-3, 1.613178e-2, 1.3522),
        ("quadratic", 88649, 1, 11, 4.392758e-4, 6.446603e-3, 0.5160),
    ],
)
def test_the_test_vectors_of_theorem_3_1(
    smoothness: Any, steps: int, samples: int, batch: int, privacy: float, regret: float, bound: float
) -> None:
    assert theorem_3_1(smoothness, 10**6, 1.0, 1e-6, ELL) == (steps, samples)
    plan = first(BIG, steps=steps, samples=samples, calibration="pure")
    assert plan.batches == (batch,) * steps
    assert plan.step_size == pytest.approx(privacy, rel=1e-6)
    assert regret_step(FLOAT, 1.0, ELL, float(steps)) == pytest.approx(regret, rel=1e-6)
    bias = {
        "first-order": first_order_bias(FLOAT, 1.0, float(samples)),
        "second-order": second_order_bias(FLOAT, 1.0, float(samples)),
        "quadratic": 0.0,
    }[smoothness]
    assert gap_bound(FLOAT, 1.0, 1.0, ELL, float(steps), plan.step_size, bias) == pytest.approx(bound, abs=1e-4)
    doubled = first(BIG, steps=steps, samples=samples)
    assert doubled.step_size == pytest.approx(2 * privacy, rel=1e-6)


@pytest.mark.parametrize(
    ("n", "width", "expected"),
    [
        (10**6, 9.0, (6, 57.26204, 5379.216, 5.468207e-3, 1.075843e-2)),
        (10**6, 18.0, (5, 48.05170, 2463.826, 8.820201e-3, 4.927651e-3)),
        (10**8, 9.0, (9, None, 654970.39, None, None)),
    ],
)
def test_the_test_vectors_of_theorem_3_14(n: int, width: float, expected: tuple[Any, ...]) -> None:
    found = theorem_3_14(n, 1.0, 1e-6, ELL, width=width)
    for value, wanted in zip(found, expected, strict=True):
        assert wanted is None or value == pytest.approx(wanted, rel=1e-6)


def test_the_parameters_of_theorem_3_14_give_a_plan() -> None:
    found = theorem_3_14(10**6, 1.0, 1e-6, ELL)
    levels = draw_levels(found.truncation, int(found.stopping) + 1, np.random.default_rng(0))
    numbers = {"stopping": exact(found.stopping), "truncation": found.truncation, "alpha": exact(found.alpha)}
    plan = third(BIG, **numbers, levels=levels, calibration="printed")
    assert plan.step_size == pytest.approx(found.step_size, rel=1e-9)
    assert sum(plan.batches) <= 10**6
    assert plan.draws <= 6 * found.stopping


# ------------------------------------------------------------------------------------ plans


def test_plans_state_what_is_spent() -> None:
    plan = first()
    tau = exact(plan.step_size)
    assert plan.batches == (8,) * 7
    assert plan.sensitivity == Sensitivity(2 * tau / 8, Linf, ReplaceOne)
    assert mirror_descent_plan.ledger(plan).event == Repeat(Exponential(4 * tau / 8), 2 * 7 * 4)
    half = first(adjacency=ZeroOut, step_size=tau)
    assert half.sensitivity.value * 2 == plan.sensitivity.value
    assert first(adjacency=ZeroOut).step_size == pytest.approx(2 * plan.step_size)
    biased = third()
    assert biased.levels == (1, 0, 2, 0, 1)
    assert biased.batches == (3, 2, 6, 2, 3)
    assert biased.vertices == (4, 2, 8, 2, 4)
    assert biased.sensitivity.value == 8 * exact(biased.step_size) * Fraction(2, 3)
    ratio = third(calibration="pure").step_size / biased.step_size, third(calibration="printed").step_size
    assert ratio[0] == pytest.approx(0.5)
    assert ratio[1] / biased.step_size == pytest.approx(8 / 9)
    assert third(step_size=Fraction(1, 10**9)).step_size <= 1e-9


@pytest.mark.parametrize("form", list(Form))
def test_oracle_calls_are_counted_and_equal_the_stated_complexity(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    """T B for Algorithm 1; two or three points a record, at most 3 n, for Algorithm 3; no record is used twice."""
    honest, batches = Game.operator, []

    def counted(self: Game, o: Any, x: Array, y: Array, records: Any, batch: range) -> Any:
        batches.append(batch)
        return honest(self, o, x, y, records, batch)

    monkeypatch.setattr(Game, "operator", counted)
    data = GameData.bilinear(np.zeros((60, 3, 2)))
    for module, plan in (
        (mirror_descent_algorithm, first(form=form)),
        (bias_reduced_mirror_descent_algorithm, third(form=form)),
    ):
        batches.clear()
        module.run(GAME, plan, LiveCurator(GAME.read(data), ReplaceOne, np.random.default_rng(0)))
        assert sum(map(len, batches)) == plan.oracle_calls <= 3 * 60
        used = [i for batch in dict.fromkeys(batches) for i in batch]
        assert len(used) == len(set(used)) == sum(plan.batches)
    assert first().oracle_calls == 7 * 8
    assert third().oracle_calls == 3 * 3 + 2 * 2 + 3 * 6 + 2 * 2 + 3 * 3


def test_the_printed_output_averages_one_iterate_more() -> None:
    """E4: five iterations, six vertices in the printed average."""
    data = sampled_game(60, np.zeros((3, 2)), seed=0)
    for form, count in ((Form.REPAIRED, 5), (Form.AS_PRINTED, 6)):
        plan = third(Game(60, 3, 2), form=form)
        curator = LiveCurator(Game(60, 3, 2).read(data), ReplaceOne, np.random.default_rng(1))
        output = bias_reduced_mirror_descent_algorithm.run(Game(60, 3, 2), plan, curator)
        assert np.allclose(output * count, np.round(output * count))
        assert output[:3].sum() == pytest.approx(1)
        assert len(plan.scales) == 2 * count


# ------------------------------------------------------------------------------------ the estimator


def test_the_bias_reduced_estimate_has_the_mean_of_many_vertices() -> None:
    """Lemma 3.15 at M = 1, every draw of two vertices enumerated, on a ramp record whose gradient is not linear."""
    problem = Game(n=1, rows=2, columns=1, ramp=Fraction(1, 4))
    data = GameData(np.array([[[0.2], [-0.1]]]), np.array([[0.6, -0.5]]), np.array([0.3]))
    records, weights = problem.read(data), np.array([0.3, 0.7])

    def mean(size: int, value: Callable[[np.ndarray[Any, Any]], Array]) -> Array:
        total = np.zeros(2)
        for draw in itertools.product((0, 1), repeat=size):
            total += np.prod(weights[list(draw)]) * value(np.array(draw))
        return total

    ones = np.zeros(8, dtype=np.int64)

    def level(n: int) -> Array:
        size = 2 ** (n + 1)
        return mean(size, lambda x: estimate(problem, 1, FLOAT_ARRAY, x, ones[:size], records, range(1))[0])

    def plain(x: np.ndarray[Any, Any]) -> Array:
        return problem.operator(FLOAT_ARRAY, np.bincount(x, minlength=2) / 4, np.ones(1), records, range(1))[0]

    C = normaliser(FLOAT, 1)
    assert np.allclose(level(0) / C + level(1) / (2 * C), mean(4, plain), atol=1e-14)
    assert not np.allclose(level(0), mean(4, plain), atol=1e-3)


def test_levels_follow_the_truncated_geometric_law() -> None:
    """Five standard errors a level: a true law fails with probability below 1e-5."""
    drawn = np.bincount(draw_levels(3, 30_000, np.random.default_rng(0)), minlength=4) / 30_000
    law = np.array([2.0**-k for k in range(4)]) / normaliser(FLOAT, 3)
    assert (np.abs(drawn - law) < 5 * np.sqrt(law * (1 - law) / 30_000)).all()
    assert sum(Fraction(1, 2**k) for k in range(4)) == normaliser(RATIONAL, 3)
    assert expected_power(RATIONAL, 3) == 4 / normaliser(RATIONAL, 3)


# ------------------------------------------------------------------------------------ games


def test_the_gap_is_exact_and_vanishes_at_a_saddle_point() -> None:
    rock = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    third_ = np.full(3, 0.25)
    assert duality_gap(rock, third_, third_) == 0
    assert duality_gap(rock, np.array([1.0, 0, 0]), third_) == 1
    tiny = np.array([[0.1, 0.3]])
    assert duality_gap(tiny, np.ones(1), np.array([1.0, 0.0])) == exact(0.3) - exact(0.1)


def test_the_operator_is_the_gradient() -> None:
    """Central differences of f at a point where no ramp ends; errors of the difference quotient are below 1e-7."""
    data = GameData(
        np.random.default_rng(0).uniform(-0.5, 0.5, (60, 3, 2)), np.full((60, 3), 0.4), np.linspace(0.1, 0.3, 60)
    )
    records, batch, w = GAME.read(data), range(5, 25), 0.25

    def objective(x: Array, y: Array) -> float:
        t = (records.slopes[5:25] @ x - records.offsets[5:25]) / w
        huber = np.where(np.abs(t) <= 1, t * t / 2, np.abs(t) - 0.5)
        return float(x @ records.payoffs[5:25].mean(axis=0) @ y + w * huber.mean())

    x, y, h = np.array([0.2, 0.3, 0.45]), np.array([0.6, 0.4]), 1e-6
    gx, gy = GAME.operator(FLOAT_ARRAY, x, y, records, batch)
    for i, e in enumerate(np.eye(3)):
        assert (objective(x + h * e, y) - objective(x - h * e, y)) / (2 * h) == pytest.approx(gx[i], abs=1e-7)
    for j, e in enumerate(np.eye(2)):
        assert (objective(x, y + h * e) - objective(x, y - h * e)) / (2 * h) == pytest.approx(-gy[j], abs=1e-7)
    assert GAME.smoothness == 4


def test_neighbours_differ_in_one_record_and_stay_instances() -> None:
    data, rng = sampled_game(60, np.zeros((3, 2)), seed=3), np.random.default_rng(0)
    odd = Game(60, 3, 2, lipschitz=Fraction(4, 3))
    for problem, adjacency in itertools.product((GAME, Game(60, 3, 2), odd), (ReplaceOne, ZeroOut)):
        for other in (problem.random_neighbour(data, adjacency, rng), problem.worst_case_pair(data, adjacency).second):
            base = data if other.n == 60 else None
            assert base is not None
            problem.read(other)
        pair = problem.worst_case_pair(data, adjacency)
        problem.read(pair.first)
        differ = np.flatnonzero((pair.first.payoffs != pair.second.payoffs).any(axis=(1, 2)))
        assert differ.tolist() == [0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: first(steps=61),
        lambda: first(samples=0),
        lambda: first(adjacency=AddOrRemoveOne),
        lambda: first(form=Form.AS_PRINTED, calibration="zcdp"),
        lambda: first(calibration="exact"),
        lambda: first(epsilon=Fraction(200)),
        lambda: first(delta=Fraction(1)),
        lambda: first(epsilon=0.5),
        lambda: first(step_size=Fraction(1, 10**400)),
        lambda: first(epsilon=Fraction(1, 10**400)),
        lambda: third(step_size=Fraction(1, 10**400)),
        lambda: third(levels=(0, 1)),
        lambda: third(levels=(3, 0)),
        lambda: third(levels=(-1, 0)),
        lambda: third(truncation=4),
        lambda: third(truncation=0),
        lambda: third(alpha=Fraction(1, 100)),
        lambda: third(adjacency=AddOrRemoveOne),
        lambda: third(epsilon=Fraction(200)),
        lambda: third(calibration="exact"),
        lambda: theorem_3_1("cubic", 10, 1.0, 0.1, 1.0),  # type: ignore[arg-type]
        lambda: theorem_3_14(10, 1.0, 1e-6, 1.0),
        lambda: Game(n=0, rows=1, columns=1),
        lambda: Game(n=1, rows=1, columns=1, lipschitz=Fraction(0)),
        lambda: Game(n=1, rows=1, columns=1, ramp=Fraction(0)),
        lambda: GameData(np.zeros((2, 2, 2)), np.zeros((2, 3)), np.zeros(2)),
        lambda: GameData.bilinear(np.full((1, 1, 1), math.nan)),
        lambda: GameData.bilinear(np.zeros((1, 1, 1))).replaced(1, np.zeros((1, 1)), np.zeros(1), 0.0),
        lambda: GAME.read(GameData.bilinear(np.zeros((59, 3, 2)))),
        lambda: GAME.read(GameData.bilinear(np.full((60, 3, 2), 1.0 + 2.0**-50))),
        lambda: Game(60, 3, 2).read(GameData(np.zeros((60, 3, 2)), np.ones((60, 3)), np.zeros(60))),
        lambda: GAME.random_neighbour(GameData.bilinear(np.zeros((60, 3, 2))), AddOrRemoveOne, np.random.default_rng()),
        lambda: GAME.worst_case_pair(GameData.bilinear(np.zeros((60, 3, 2))), AddOrRemoveOne),
        lambda: duality_gap(np.eye(2), np.ones(3), np.ones(2)),
        lambda: duality_gap(np.eye(2), np.array([math.nan, 0]), np.ones(2)),
        lambda: draw_levels(2, 0, np.random.default_rng(0)),
    ],
)
def test_bad_input_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgumentError):
        call()
