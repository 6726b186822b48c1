"""KL Spider: targets, noise, cost, the trivial regime, what the print gets wrong, and the utility theorem."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.spider import ALGORITHM, formulas
from dpref.algorithms.spider import algorithm as spider_algorithm
from dpref.algorithms.spider import plan as spider_plan
from dpref.curator import RecordingCurator
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import L2Ball
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.problems.datasets import Dataset, synthetic
from dpref.problems.erm import ERMProblem, Records
from dpref.problems.losses import Huber, Logistic, Squared
from dpref.reals import FLOAT, Array
from dpref.units import Adjacency, ReplaceOne, ZeroOut
from tests.oracle_calls import counted_gradients

RHO = Fraction(1)
SMALL = ERMProblem(Huber(Fraction(1, 2)), n=1500, dimension=2)
DATA = synthetic(1500, 2, seed=0)


def params(adjacency: type[Adjacency] = ReplaceOne, **changes: Any) -> spider_plan.Params[Any]:
    """Rounds of several updates unless something is changed."""
    base: dict[str, Any] = {
        "rho": RHO, "failure": Fraction(1, 20), "gamma": Fraction(1, 256), "kappa": Fraction(1),
        "adjacency": adjacency,
    }  # fmt: skip
    return spider_plan.Params(**{**base, **changes})


def recorded(plan: Any, seed: int = 0) -> tuple[Array, RecordingCurator[Records, Any]]:
    curator = RecordingCurator(SMALL.read(DATA), plan.sensitivity.adjacency, np.random.default_rng(seed))
    return spider_algorithm.run(SMALL, plan, curator), curator


# ------------------------------------------------------------------------------------ schedule


@pytest.mark.parametrize("kappa", [Fraction(1), Fraction(3, 2), Fraction(2)])
def test_the_targets_solve_their_recursion(kappa: Fraction) -> None:
    """Line 6, target by target, with c and the floor from the formulas in doubles."""
    made = spider_plan.plan(ERMProblem(Logistic(), n=10**6, dimension=3), params(kappa=kappa, gamma=Fraction(1, 8)))
    gamma, k, smoothness, count = 1 / 8, float(kappa), 1 / 4, len(made.rounds)
    gap = gamma**k
    c = formulas.contraction(FLOAT, formulas.condition(FLOAT, gap, gamma, k, smoothness))
    least = formulas.least_excess(FLOAT, gamma, 1.0, 3.0, 1e6, 1.0)
    floor = formulas.floor(FLOAT, 40.0, least, count, formulas.failure_each(FLOAT, 0.05, count, least, gap, k), k)
    before = gap
    for r in made.rounds:
        before = max(before / c, min(floor, gap))
        assert r.target == pytest.approx(before, rel=1e-9)
        assert r.updates == max(1, math.floor((gap / before) ** ((2 - k) / k) * (1 + 1e-9)))
        assert r.length == pytest.approx(before ** (1 / k) / (4 * gamma * smoothness), rel=1e-9)
    assert made.rounds[-1].target < gap
    assert {r.updates for r in made.rounds} == {1} or kappa < 2


@pytest.mark.parametrize("adjacency", [ReplaceOne, ZeroOut])
def test_the_repaired_noise_shares_the_budget_in_halves(adjacency: type[Adjacency]) -> None:
    made = spider_plan.plan(SMALL, params(adjacency))
    count = len(made.rounds)
    outer = count * (made.sensitivity.value / Fraction(made.outer_std)) ** 2 / 2
    inner = [(r.sensitivity / Fraction(r.std)) ** 2 / 2 * r.updates * count for r in made.rounds]
    for spent in (outer, *inner):
        assert RHO / 2 * (1 - Fraction(1, 2**40)) <= spent <= RHO / 2
    assert any(r.differences for r in made.rounds)
    assert zcdp(spider_plan.ledger(made)).value < RHO


@pytest.mark.parametrize("kappa", [Fraction(1), Fraction(5, 4), Fraction(2)])
@pytest.mark.parametrize(("adjacency", "least", "most"), [(ReplaceOne, 2.125, 2.25), (ZeroOut, 0.53125, 0.5625)])
def test_the_printed_noise_costs_what_the_errata_say(
    kappa: Fraction, adjacency: type[Adjacency], least: float, most: float
) -> None:
    """E1: the composition bound of every answer that the printed loop makes."""
    made = spider_plan.plan(SMALL, params(adjacency, kappa=kappa, form=Form.AS_PRINTED))
    assert least * (1 - 1e-9) <= zcdp(spider_plan.ledger(made)).value <= most


def test_where_the_theorem_promises_nothing_nothing_is_asked() -> None:
    """E13: the start is the answer, and no budget is spent."""
    made = spider_plan.plan(SMALL, params(rho=Fraction(1, 100)))
    output, curator = recorded(made)
    assert made.rounds == ()
    assert curator.transcript.answers == ()
    assert zcdp(curator.ledger).value == 0
    assert np.array_equal(output, np.zeros(2))


@pytest.mark.parametrize(
    ("kappa", "gamma", "rho"),
    [(Fraction(1), Fraction(1, 256), 400), (Fraction(3, 2), Fraction(1, 8), 400), (Fraction(2), Fraction(1, 8), 400)],
)
def test_a_plan_that_does_nothing_says_so_and_names_the_least_n_at_which_it_starts(
    kappa: Fraction, gamma: Fraction, rho: int
) -> None:
    """Every n below is planned: none of them starts; and from there on all do."""
    asked = params(kappa=kappa, gamma=gamma, rho=Fraction(rho))

    def made(n: int) -> spider_plan.Plan[Any]:
        return spider_plan.plan(ERMProblem(Logistic(), n=n, dimension=3), asked)

    idle = made(2)
    least = int(idle.warning.rpartition("it starts at n = ")[2])
    assert idle.warning.startswith("n is too small: the targets' floor, ")
    assert "returns its start and asks nothing" in idle.warning
    assert all(made(n).rounds == () and made(n).warning for n in range(1, least))
    assert all(made(n).rounds and not made(n).warning for n in range(least, least + 5))


def test_the_printed_form_says_that_no_target_is_below_the_start() -> None:
    made = spider_plan.plan(SMALL, params(rho=Fraction(1, 100), form=Form.AS_PRINTED))
    assert {r.target for r in made.rounds} == {made.rounds[0].target}
    assert "no target is below it; the repaired form starts at n = " in made.warning


def test_planted_bug_a_floor_that_forgets_a_factor_starts_too_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least n is the plan's own: where the floor is wrong, so is it."""
    problem = ERMProblem(Logistic(), n=2, dimension=3)
    right, true = spider_plan.least_records(problem, params(rho=Fraction(100))), formulas.floor
    monkeypatch.setattr(formulas, "floor", lambda o, constant, *rest: true(o, constant / 2, *rest))
    assert spider_plan.least_records(problem, params(rho=Fraction(100))) < right


# ------------------------------------------------------------------------------------ runs


@pytest.mark.parametrize("form", list(Form))
def test_oracle_calls_are_n_an_answer(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = counted_gradients(monkeypatch)
    made = spider_plan.plan(SMALL, params(form=form))
    _, curator = recorded(made)
    answers = len(curator.transcript.answers)
    assert sum(counted) == SMALL.n * answers
    assert len(made.rounds) <= answers <= made.steps
    assert any("difference" in a.label for a in curator.transcript.answers)


@pytest.mark.slow
def test_the_printed_form_keeps_the_iterate_before_the_last() -> None:
    """E11: line 17; in both forms the kernel goes the same way."""
    for form in Form:
        made = spider_plan.plan(SMALL, params(form=form, start=np.array([0.4, 0.4])))
        output, curator = recorded(made)
        transcript = curator.transcript
        points = ALGORITHM.trace(SMALL, DATA, made, transcript.noise()).points
        assert np.allclose(output, points[-1], rtol=1e-9)
        last = max(k for k, a in enumerate(transcript.answers) if "difference" not in a.label)
        updates = len(transcript.answers) - last - 1
        if form is Form.AS_PRINTED and updates:
            assert np.array_equal(points[-1], points[-3] if updates > 1 else points[last])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"kappa": Fraction(5, 2)}, "kappa"),
        ({"gamma": Fraction(0)}, "gamma"),
        ({"rho": Fraction(0)}, "rho"),
        ({"failure": Fraction(1)}, "failure"),
        ({"gap": Fraction(1)}, "gap"),
        ({"smoothness": Fraction(1, 10**6)}, "smoothness"),
        ({"start": np.zeros(3)}, "start"),
        ({"rho": 1.0}, "rho"),
        ({"rho": Fraction(1, 10**9), "form": Form.AS_PRINTED}, "rho"),
        ({"gamma": Fraction(1), "kappa": Fraction(2), "smoothness": Fraction(10**9)}, "gamma"),
    ],
)
def test_bad_input_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        spider_plan.plan(SMALL, params(**changes))


@pytest.mark.slow
def test_a_tape_that_is_too_short_is_refused() -> None:
    made = spider_plan.plan(SMALL, params())
    with pytest.raises(ValueError, match="too short"):
        ALGORITHM.trace(SMALL, DATA, made, np.zeros((1, 2)))


# ------------------------------------------------------------------------------------ Theorem 1


def quadratic(n: int) -> tuple[ERMProblem, Dataset]:
    r"""$F(w)=\frac12(w-\bar y)^2+$ const on $[-1,1]$: the KL condition with gamma = 1/sqrt(2), kappa = 2; L_0 = 2."""
    problem = ERMProblem(Squared(), n=n, dimension=1, domain=L2Ball(Fraction(1)))
    return problem, Dataset(np.ones((n, 1)), np.where(np.arange(n) < 0.8 * n, 1.0, -1.0))


@pytest.mark.slow
def test_theorem_1_bounds_the_excess_risk_on_a_quadratic() -> None:
    """The last target, over thirty seeds; each run may fail with probability at most beta = 1e-6."""
    problem, data = quadratic(20_000)
    # gamma = 0.7072 is a little above 1/sqrt(2): a valid constant.
    made = spider_plan.plan(problem, params(failure=Fraction(1, 10**6), gamma=Fraction(442, 625), kappa=Fraction(2)))
    best, target = float(data.labels.mean()), made.rounds[-1].target
    assert target < best**2 / 2
    rng = np.random.default_rng(0)
    for _ in range(30):
        points = ALGORITHM.trace(problem, data, made, rng.standard_normal((made.steps, 1))).points
        excess = (points[-1, 0] - best) ** 2 / 2
        assert excess <= target
        assert excess < best**2 / 4  # half of the start's excess: it has moved


@pytest.mark.parametrize("kappa", [Fraction(1), Fraction(3, 2), Fraction(2)])
def test_the_bound_of_theorem_1_falls_like_n_to_the_minus_kappa(kappa: Fraction) -> None:
    """Log-log slope of the last target over n, up to the logarithms in K and beta'."""
    sizes = (10**6, 10**7, 10**8, 10**9)
    targets = [
        spider_plan.plan(
            ERMProblem(Logistic(), n=n, dimension=5), params(kappa=kappa, gamma=Fraction(1, 8))
        ).rounds[-1].target
        for n in sizes
    ]  # fmt: skip
    slope = np.polyfit(np.log(sizes), np.log(targets), 1)[0]
    assert -float(kappa) <= slope <= -float(kappa) * 0.9
