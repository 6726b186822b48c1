"""Accelerated mirror descent: an own implementation, noise and cost, Theorem 5.4, what the print shows, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.accelerated_mirror_descent import ALGORITHM, Params, Plan, utility
from dpref.algorithms.forms import Form
from dpref.audit.builders import run_of
from dpref.audit.catalogue import catalogue, find
from dpref.audit.linear_losses import linear_losses
from dpref.audit.papers.dp_erm_revisited.accelerated import lattice_epsilon
from dpref.curator import LiveCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry.gaussian_width import gaussian_width
from dpref.geometry.linear_minimization import LpBall, Polytope, simplex
from dpref.geometry.sets import L2Ball
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.gaussian import gdp
from dpref.problems.datasets import Dataset, synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Linear, Logistic, Squared
from dpref.reals import FLOAT, FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

N, D, R = 40, 5, 3
PROBLEM = ERMProblem(Logistic(), n=N, dimension=D, domain=L2Ball(Fraction(R)))
DATA = synthetic(N, D, seed=2)
FORMS: dict[str, dict[str, Any]] = {
    "coupled": {},
    "noisy": {"y_step": "noisy"},
    "printed": {"form": Form.AS_PRINTED, "constant": Fraction(16)},
}


def params(adjacency: type[Adjacency] = ReplaceOne, **changes: Any) -> Params[Any]:
    base: dict[str, Any] = {"epsilon": Fraction(1), "delta": Fraction(1, 10**5), "adjacency": adjacency, "steps": 12}
    return Params(**{**base, **changes})


class Tape:
    """Unit draws, one row an answer, where a curator asks its generator."""

    def __init__(self, rows: FloatArray) -> None:
        self._rows = iter(rows)

    def standard_normal(self, shape: tuple[int, ...]) -> FloatArray:
        row: FloatArray = next(self._rows)
        assert row.shape == shape
        return row


def run(plan: Plan[Any], noise: FloatArray, problem: ERMProblem = PROBLEM, data: Dataset = DATA) -> FloatArray:
    """The reference on a tape of unit noise, one row an iteration (what an answer without noise draws is not used)."""
    rng: Any = Tape(np.repeat(noise, plan.steps // plan.iterations, axis=0))
    return np.asarray(ALGORITHM.run(problem, plan, LiveCurator(problem.read(data), plan.sensitivity.adjacency, rng)))


# ------------------------------------------------------------------------------------ an own implementation


def own_run(y_step: str, noise: FloatArray, L: float, mirror: Callable[[FloatArray, FloatArray], FloatArray],
            norm_L: float) -> FloatArray:  # fmt: skip
    """Algorithm 3 on the Euclidean ball, from the paper; ``norm_L`` is what stands in line 4."""
    rows, labels = DATA.features, DATA.labels
    y = z = np.zeros(D)
    for k, b in enumerate(noise):
        alpha, r = (k + 2) / (4 * norm_L), 2 / (k + 2)
        x = r * z + (1 - r) * y
        gradient = -(labels / (1 + np.exp(labels * (rows @ x)))) @ rows / N
        z = mirror(z, alpha * (gradient + b))
        if y_step == "coupled":
            y = r * z + (1 - r) * y
        else:
            y = x - R**2 * ((gradient + b) / (2 * norm_L) if y_step == "noisy" else gradient / (L * (2 * R) ** 2))
            y *= R / max(R, float(np.linalg.norm(y)))
    return y


def euclidean(z: FloatArray, v: FloatArray) -> FloatArray:
    moved = z - R**2 * v
    return np.asarray(moved * R / max(R, float(np.linalg.norm(moved))))


def of_three_halves(z: FloatArray, v: FloatArray) -> FloatArray:
    """w = |x|_p^2 / (2 (p - 1) R^2), p = 3/2, whose gradient is inverted by that of the conjugate's norm, q = 3."""
    size = (np.abs(z) ** 1.5).sum() ** (2 / 3)
    theta = 2 / R**2 * (np.sign(z) * np.sqrt(np.abs(z)) * math.sqrt(size)) - v
    dual = (np.abs(theta) ** 3).sum() ** (1 / 3)
    u = R**2 / 2 * np.sign(theta) * theta**2 / dual
    return np.asarray(u * R / max(R, float((np.abs(u) ** 1.5).sum() ** (2 / 3))))


def of_the_l1_ball(z: FloatArray, v: FloatArray) -> FloatArray:
    """w = kappa |x|_a^2 / (2 (a - 1) R^2), a = 1 + 1 / ln d: soft thresholds of the dual point, by bisection."""
    a = 1 + 1 / math.log(D)
    b, c = a / (a - 1), D ** (2 * (1 - 1 / a)) / (a - 1) / R**2
    norm = (np.abs(z) ** a).sum() ** (1 / a)
    theta = c * np.sign(z) * np.abs(z) ** (a - 1) * norm ** (2 - a) - v

    def image(cut: float) -> FloatArray:
        soft = np.maximum(np.abs(theta) - cut, 0)
        size = (soft**b).sum() ** (1 / b)
        return np.asarray(np.sign(theta) * soft ** (b - 1) * size ** (2 - b) / c)

    low, high = 0.0, float(np.abs(theta).max())
    if np.abs(image(low)).sum() <= R:
        return image(low)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.abs(image(middle)).sum() > R else (low, middle)
    return image(low)


NOISE = np.random.default_rng(5).standard_normal((12, D))


@pytest.mark.parametrize("name", FORMS)
def test_the_reference_is_the_paper_s_algorithm_on_the_same_tape(name: str) -> None:
    """Line 4 has the norm's smoothness, R^2 L, in the repaired forms, and L as printed."""
    for scale in (0.02, 3.0):
        plan = replace(ALGORITHM.plan(PROBLEM, params(**FORMS[name])), std=scale)
        L = 0.25
        mine = own_run(name, scale * NOISE, L, euclidean, L if name == "printed" else L * R**2)
        assert np.abs(run(plan, NOISE) - mine).max() <= 1e-12


@pytest.mark.parametrize(("p", "mirror"), [(Fraction(3, 2), of_three_halves), (Fraction(1), of_the_l1_ball)])
def test_the_reference_is_the_paper_s_algorithm_on_other_balls(p: Fraction, mirror: Any) -> None:
    for scale in (0.02, 3.0):
        plan = replace(ALGORITHM.plan(PROBLEM, params(constraint=LpBall(p, Fraction(R)), diameter="whole")), std=scale)
        mine = own_run("coupled", scale * NOISE, 0.25, mirror, 0.25 * (2 * R) ** 2)
        assert np.abs(run(plan, NOISE) - mine).max() <= 1e-12


def test_planted_bug_the_other_y_step_is_another_run() -> None:
    plan = replace(ALGORITHM.plan(PROBLEM, params()), std=0.02)
    assert np.abs(run(plan, NOISE) - own_run("noisy", 0.02 * NOISE, 0.25, euclidean, 0.25 * R**2)).max() > 1e-4


# ------------------------------------------------------------------------------------ noise, cost, parameters


@pytest.mark.parametrize("adjacency", [ReplaceOne, ZeroOut, AddOrRemoveOne])
@pytest.mark.parametrize("y_step", ["coupled", "noisy"])
def test_both_repaired_forms_spend_the_budget_and_no_more(y_step: Any, adjacency: type[Adjacency]) -> None:
    spent = ALGORITHM.ledger(ALGORITHM.plan(PROBLEM, params(adjacency, y_step=y_step)))
    assert 1 - 1e-9 <= certify(spent, delta=Fraction(1, 10**5)).upper <= 1


def test_equation_9_is_selectable_and_promises_nothing() -> None:
    plan = ALGORITHM.plan(PROBLEM, params(calibration="printed", constant=Fraction(16)))
    assert plan.std == pytest.approx(math.sqrt(16 * 12 * math.log(1e5)) / N, rel=1e-14)
    assert plan.promise is None
    assert ALGORITHM.plan(PROBLEM, params()).promise is not None
    assert float(gdp(ALGORITHM.ledger(plan)).value) == pytest.approx(12 * (2 / N / plan.std) ** 2, rel=1e-12)


def test_the_printed_form_s_ledger_says_that_it_asks_without_noise() -> None:
    plan = ALGORITHM.plan(PROBLEM, params(**FORMS["printed"]))
    assert (plan.steps, plan.iterations, plan.stds[:2]) == (24, 12, (0.0, plan.std))
    assert certify(ALGORITHM.ledger(plan), delta=Fraction(1, 2)).upper == math.inf
    assert plan.excess_bound == math.inf


def test_line_4_and_line_6_have_the_constants_that_are_asked_for() -> None:
    """E8 and E28: L as printed; L |C|^2 or a quarter of it repaired; on the box |C|^2 / 4 is d R^2."""
    L = 0.25
    plans = {name: ALGORITHM.plan(PROBLEM, params(**changes)) for name, changes in FORMS.items()}
    assert [plans[name].step_size for name in FORMS] == pytest.approx([1 / (4 * L * R**2)] * 2 + [1 / (4 * L)])
    assert [plans[name].descent for name in FORMS] == pytest.approx([0, 1 / (2 * L), 1 / (4 * L)])
    whole = ALGORITHM.plan(PROBLEM, params(diameter="whole", constraint=LpBall(math.inf, Fraction(1))))
    assert whole.step_size == pytest.approx(1 / (4 * L * 4 * D))


def test_without_a_number_of_steps_the_theorem_s_is_taken() -> None:
    """Eq. (77) with its constant: T^2 = 4 L_C sqrt(B / (a W)), a the variance that a step adds."""
    problem = replace(PROBLEM, n=10_000)
    plan = ALGORITHM.plan(problem, params(steps=None))
    one = ALGORITHM.plan(problem, params(steps=1)).std
    width = gaussian_width(LpBall(Fraction(2), Fraction(R)), D).value
    L_C, B, W = 0.25 * R**2, 0.5, width**2 + R**2
    assert plan.steps == math.ceil(math.sqrt(4 * L_C * math.sqrt(B / (one**2 * W))))
    assert plan.steps > 5
    around = [ALGORITHM.plan(problem, params(steps=plan.steps * k // 4)).excess_bound for k in (1, 4, 16)]
    assert around[1] == plan.excess_bound <= 4 * one * math.sqrt(B * W)
    assert around[1] < min(around[0], around[2])


# ------------------------------------------------------------------------------------ Theorem 5.4


def quadratic(radius: Fraction, curvatures: FloatArray, best: FloatArray) -> tuple[ERMProblem, Dataset, FloatArray]:
    """Half squares along the axes whose minimiser ``best`` is in the ball: F(x) - F* = sum c_j^2 (x_j - s_j)^2 / 2d."""
    d, copies = len(best), 20
    rows = np.repeat(np.eye(d) * curvatures[:, None], copies, axis=0)
    share = np.round((1 + best * curvatures) / 2 * copies)
    labels = np.concatenate([np.where(np.arange(copies) < s, 1.0, -1.0) for s in share])
    exact = (2 * share / copies - 1) / curvatures
    problem = ERMProblem(Squared(), n=d * copies, dimension=d, domain=L2Ball(radius))
    return problem, Dataset(rows, labels), exact


@pytest.mark.parametrize("name", ["coupled", "noisy"])
@pytest.mark.parametrize(("std", "steps"), [(0.0, 40), (0.05, 40), (0.5, 10)])
def test_theorem_5_4_bounds_the_mean_excess_risk_with_its_constants(name: str, std: float, steps: int) -> None:
    """Quadratics whose optimum is known, 32 seeds, six standard errors."""
    curvatures = np.array([1.0, 0.7, 0.1])
    problem, data, best = quadratic(Fraction(2), curvatures, np.array([0.9, -0.5, 0.6]))
    plan = replace(ALGORITHM.plan(problem, params(steps=steps, **FORMS[name])), std=std)
    seeds = 32 if std else 1
    gaps = []
    for seed in range(seeds):
        y = run(plan, np.random.default_rng(seed).standard_normal((steps, 3)), problem, data)
        gaps.append(float((curvatures**2 * (y - best) ** 2).sum() / 6))
    width = gaussian_width(plan.mirror.ball, 3).value
    spread = utility.spread(FLOAT, width, 4.0)
    bound = utility.excess_bound(FLOAT, 4.0, float(best @ best) / 8, float(steps), std**2 * spread)
    assert np.mean(gaps) + 6 * np.std(gaps) / math.sqrt(seeds) <= bound
    assert np.mean(gaps) > bound / 2000  # not vacuous


@pytest.mark.parametrize("name", ["coupled", "noisy"])
def test_without_noise_the_rate_is_that_of_an_accelerated_method(name: str) -> None:
    """The error falls faster than 1 / T, at least like 1 / T^2, on a badly conditioned quadratic."""
    curvatures = np.array([1.0, 0.05])
    problem, data, best = quadratic(Fraction(20), curvatures, np.array([0.5, 15.0]))
    gaps = []
    for steps in (10, 160):
        plan = replace(ALGORITHM.plan(problem, params(steps=steps, **FORMS[name])), std=0.0)
        gaps.append(float((curvatures**2 * (run(plan, np.zeros((steps, 2)), problem, data) - best) ** 2).sum() / 4))
    assert gaps[1] < gaps[0] / 100


def test_line_4_as_printed_breaks_the_bound_on_a_wide_set() -> None:
    """E8: the mirror step of the printed constants overshoots where |C| is not one; the repaired ones do not."""
    problem, data, best = quadratic(Fraction(4), np.array([1.0]), np.array([0.5]))
    excess = []
    for name in ("printed", "coupled"):
        plan = replace(ALGORITHM.plan(problem, params(steps=2, diameter="whole", **FORMS[name])), std=0.0)
        excess.append(float((run(plan, np.zeros((2, 1)), problem, data) - best)[0] ** 2 / 2))
    bound = utility.excess_bound(FLOAT, 4.0 * 16, float(best[0]) ** 2 / 32, 2.0, 0.0)
    assert excess[1] <= bound < excess[0]


# ------------------------------------------------------------------------------------ what the print shows


LINE = [c.id for c in catalogue() if c.item == "theorem-5.3" and c.parameters.get("instance") == "line"]


def own_line(steps: int, radius: float, threshold: float, std: float, g: float, draws: FloatArray) -> FloatArray:
    """The printed algorithm in one dimension with a linear loss of slope g; L = 1."""
    y, z = np.zeros(len(draws)), np.zeros(len(draws))
    for k in range(steps):
        x = y + 2 / (k + 2) * (z - y)
        z = np.clip(z - (k + 2) / 4 * radius**2 * (g + std * draws[:, k]), -radius, radius)
        y = np.clip(x - g / 4, -radius, radius)
    return y


@pytest.mark.parametrize("name", LINE)
def test_the_lattice_of_the_last_y_is_there_as_often_as_the_witness_says(name: str) -> None:
    """In an own simulation: on the lattice of its data set but for a probability p, never on that of the other."""
    of = run_of(find(name))
    steps, radius, G = of.plan.iterations, float(of.instance.radius), float(of.instance.threshold)  # type: ignore[attr-defined]
    draws = np.random.default_rng(3).standard_normal((4000, steps))
    hits = []
    for g in (-G, 0.0):  # of two records, one turned round
        y = own_line(steps, radius, G, of.plan.std, g, draws)
        width = 4 * radius / (steps * (steps + 1))
        away = [(y + (steps + 2) * slope / 12 - radius + width / 2) / width for slope in (-G, 0.0)]
        hits.append([float(np.mean(np.abs(a - np.round(a)) < 1e-9)) for a in away])
    harmonic = sum(1 / k for k in range(2, steps + 1))
    p = 2 * harmonic / (radius / 4 * of.plan.std * math.sqrt(2 * math.pi))
    assert min(hits[0][0], hits[1][1]) >= 1 - p - 6 * math.sqrt(p / 4000)
    assert max(hits[0][1], hits[1][0]) <= p
    shown = lattice_epsilon(of, Fraction(1, 10**5))
    assert shown == math.inf if steps == 1 else shown == pytest.approx(math.log((1 - p - 1e-5) / p), rel=1e-9)
    assert shown > float(find(name).claimed.value)


def test_the_first_y_as_printed_is_a_function_of_the_data_alone() -> None:
    """E1: whatever the noise, one value on each data set of the pair, and not the same; coupled, every run differs."""
    of = run_of(find(LINE[0]))
    noises = np.random.default_rng(6).standard_normal((4, 1, 1))
    sides = (of.pair.first, of.pair.second)
    first, second = ({float(run(of.plan, b, of.problem, side)[0]) for b in noises} for side in sides)
    assert len(first) == len(second) == 1
    assert first != second
    coupled = ALGORITHM.plan(of.problem, params(steps=1))
    assert len({float(run(coupled, 0.01 * b, of.problem, of.pair.first)[0]) for b in noises}) == 4


def test_planted_bug_a_witness_that_forgets_the_noise_free_answers_leaves_a_finite_loss() -> None:
    """The generic witness of a transcript is infinite as printed, and finite if those answers are left out."""
    plan = ALGORITHM.plan(PROBLEM, params(**FORMS["printed"]))
    moves = plan.moves(PROBLEM)
    (found,) = linear_losses(moves, ReplaceOne, "transcript")
    assert (found.unit, found.value) == ("epsilon", math.inf)
    (blind,) = linear_losses([move for move in moves if move.std > 0], ReplaceOne, "transcript")
    assert blind.unit == "mu-squared"


def test_a_line_on_which_a_y_would_be_cut_off_is_refused() -> None:
    claim = find(LINE[2])
    for change, named in (({"threshold": Fraction(1, 40)}, "threshold"), ({"radius": 2}, "threshold")):
        with pytest.raises(InvalidArgumentError, match=rf"parameters\.{named}"):
            run_of(replace(claim, parameters={**claim.parameters, **change}))


# ------------------------------------------------------------------------------------ refusals


TRIANGLE = Polytope(np.array([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]), name="triangle")
SQUARE = Polytope(np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), name="square")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": Fraction(0)}, "^epsilon"),
        ({"delta": Fraction(1)}, "^delta"),
        ({"steps": 0}, "^steps"),
        ({"steps": 2.5}, "^steps"),
        ({"form": "repaired"}, "^form"),
        ({"y_step": "exact"}, "^y_step.*must be coupled or noisy"),
        ({"y_step": "silent"}, "^y_step"),
        ({"form": Form.AS_PRINTED, "constant": Fraction(16), "y_step": "noisy"}, "^y_step.*must be exact"),
        ({"form": Form.AS_PRINTED}, "^constant"),
        ({"form": Form.AS_PRINTED, "constant": Fraction(16), "steps": None}, "^steps.*is needed by the printed form"),
        ({"form": Form.AS_PRINTED, "constant": Fraction(16), "diameter": "half"}, "^diameter.*must be whole"),
        ({"constant": Fraction(16)}, "^constant"),
        ({"calibration": "printed"}, "^constant"),
        ({"calibration": "magic"}, "^calibration"),
        ({"smoothness": Fraction(1, 8)}, "^smoothness.*at least the problem's own, 1/4"),
        ({"start": np.zeros(2)}, "^start"),
        ({"start": np.full(D, 2.0)}, "^start.*must lie in the constraint set"),
        ({"start": np.eye(D)[0] * R * (1 + 2.0**-39)}, "^start.*must lie in the constraint set"),
        ({"constraint": simplex(D)}, "^constraint = 'simplex'.*must be centrally symmetric"),
        ({"constraint": TRIANGLE}, "^constraint = 'triangle'.*must be centrally symmetric"),
        ({"constraint": SQUARE}, "^constraint = 'square'.*has no mirror map here"),
        ({"constraint": LpBall(Fraction(3), Fraction(1))}, "^p = .*must be at most 2"),
        ({"constraint": LpBall(Fraction(2), Fraction(4))}, "^constraint.*must lie within the problem's domain"),
        ({"constraint": LpBall(math.inf, Fraction(2))}, "^constraint.*must lie within the problem's domain"),
        ({"constraint": LpBall(Fraction(1), Fraction(1)), "y_step": "noisy"}, "^y_step.*couple y instead"),
        ({"constraint": "ball"}, "^constraint"),
    ],
)
def test_bad_parameters_are_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        ALGORITHM.plan(PROBLEM, params(**changes))


def test_a_start_that_rounding_put_outside_is_taken_back() -> None:
    """Beyond the edge the gradients exceed G, and with them the sensitivity."""
    edge = np.eye(D)[0] * R * (1 + 2.0**-41)
    start = ALGORITHM.plan(PROBLEM, params(start=edge)).start
    assert R * (1 - 1e-12) < np.linalg.norm(start) < R


def test_a_set_and_a_smoothness_that_are_missing_are_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^constraint = None: must be given"):
        ALGORITHM.plan(ERMProblem(Logistic(), n=N, dimension=D), params())
    linear = ERMProblem(Linear(), n=N, dimension=D, domain=L2Ball(Fraction(1)))
    with pytest.raises(InvalidArgumentError, match=r"^smoothness.*must be positive"):
        ALGORITHM.plan(linear, params())
    assert ALGORITHM.plan(linear, params(smoothness=Fraction(1))).steps == 12
