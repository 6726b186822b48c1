"""Plans at their boundaries: one step, one iterate, answers without noise, and rounding toward privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest

from dpref.algorithms.adaptive_gradient_descent.plan import exact_cost
from dpref.algorithms.anytime_mirror_descent.formulas import zcdp_step
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.plan import differing
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.mirror import mirror_map
from dpref.privacy.directions import Direction
from dpref.privacy.events.ledger import NonPrivate
from dpref.privacy.events.walks import multiplicities
from dpref.reals import BALL, ball, exact, precision
from dpref.units import L1, ReplaceOne
from tests import test_accelerated_mirror_descent as accelerated
from tests import test_adaptive_gradient_descent as adaptive
from tests import test_anytime_mirror_descent as anytime
from tests import test_noisy_frank_wolfe as frank_wolfe
from tests import test_noisy_gradient_descent as gradient_descent
from tests import test_proximal_point as proximal_point
from tests import test_spider as spider

MILLIONTH, ZERO, ONE = Fraction(1, 10**6), Fraction(0), Fraction(1)


def test_an_answer_without_noise_stays_in_the_ledger_beside_the_noisy_one() -> None:
    given = accelerated.params(form=Form.AS_PRINTED, constant=Fraction(16))
    plan = ALGORITHMS["accelerated-mirror-descent"].plan(accelerated.PROBLEM, given)
    counts = multiplicities(ALGORITHMS["accelerated-mirror-descent"].ledger(plan).event)
    assert sorted(counts.values()) == [plan.iterations, plan.iterations]
    assert NonPrivate() in counts


def test_a_step_that_pays_for_privacy_is_the_double_just_below_its_formula() -> None:
    plan = anytime.made()
    lipschitz = anytime.GAME.lipschitz * Fraction(differing(ReplaceOne), 2)
    with precision(400):
        batch, pure, slope, draws = (ball(Fraction(v)) for v in (plan.batches[0], ONE, lipschitz, plan.draws))
        limit = zcdp_step(BALL, batch, pure, slope, draws, -ball(anytime.SMALL).log())
        assert ball(exact(plan.step_size)) <= limit < ball(exact(plan.step_size + 4 * math.ulp(plan.step_size)))


@pytest.mark.parametrize(("records", "iterations"), [(2, 1), (3, 1), (4, 2)])
def test_a_run_of_one_step_asks_for_no_difference(records: int, iterations: int) -> None:
    plan = frank_wolfe.made(frank_wolfe.problem(n=records))
    assert (plan.iterations, plan.steps) == (iterations, iterations)
    assert (plan.difference is None, plan.difference_std == 0.0) == (iterations == 1, iterations == 1)


def test_a_run_is_moved_along_an_axis_only_by_plain_gaussian_noise() -> None:
    problem = frank_wolfe.problem(Fraction(2))
    plan = frank_wolfe.made(problem)
    assert [move.std for move in plan.moves(problem)] == [plan.std]
    assert replace(plan, index=1.5).moves(problem) == ()
    elsewhere: Any = replace(plan.sensitivity, norm=L1)
    assert replace(plan, sensitivity=elsewhere).moves(problem) == ()


@pytest.mark.parametrize("form", list(Form))
def test_one_iterate_asks_nothing_and_needs_no_noise(form: Form) -> None:
    plan = ALGORITHMS["noisy-gradient-descent"].plan(
        gradient_descent.PROBLEM, gradient_descent.params(form=form, iterates=1)
    )
    assert plan.std == 0.0
    two = ALGORITHMS["noisy-gradient-descent"].plan(
        gradient_descent.PROBLEM, gradient_descent.params(form=form, iterates=2)
    )
    assert two.std > 0.0


def test_a_printed_filter_spends_a_little_more_than_its_doubles_say() -> None:
    plan = ALGORITHMS["adaptive-gradient-descent"].plan(
        adaptive.PROBLEM, adaptive.params(form=Form.AS_PRINTED, reading="vector")
    )
    (rho,) = vars(ALGORITHMS["adaptive-gradient-descent"].ledger(plan).event).values()
    norm = exact_cost(plan.sensitivity, plan.norm_std)
    counted = norm / exact(plan.norm_cost) * plan.rho / 2 + norm
    assert rho == counted * (1 + Fraction(1, 2**30))


@pytest.mark.parametrize("gap", [MILLIONTH, MILLIONTH / 1000])
def test_a_printed_spider_without_rounds_is_refused(gap: Fraction) -> None:
    given = spider.params(form=Form.AS_PRINTED, gap=gap)
    with pytest.raises(InvalidArgumentError, match="K and beta' of the printed form do not exist"):
        ALGORITHMS["spider"].plan(spider.SMALL, given)


@pytest.mark.parametrize(("rho", "iterates"), [(MILLIONTH, 1), (Fraction(1, 1000), 4)])
def test_a_small_budget_leaves_a_solver_one_iterate(rho: Fraction, iterates: int) -> None:
    plan = ALGORITHMS["proximal-point"].plan(proximal_point.PROBLEM, proximal_point.params(iterates=None, rho=rho))
    assert plan.iterates == iterates


def test_the_map_of_a_cube_is_the_euclidean_one() -> None:
    found = mirror_map(LpBall(math.inf, Fraction(3)), 4)
    assert [found.index, found.scale] == [Fraction(2), ONE]


class Constant:
    """A measure with one delta everywhere."""

    def __init__(self, delta: float) -> None:
        self._delta = delta

    def delta(self, _loss: Fraction) -> float:
        return self._delta


def test_of_several_measures_the_largest_bounds_a_curve_on_both_sides_of_zero() -> None:
    measures: Any = (Constant(0.25), Constant(0.5), Constant(0.125))
    direction = Direction("add", measures, measures, measures, measures)
    largest = replace(direction, above=measures[1:2], opposite_above=measures[1:2])
    for loss in (Fraction(-1), Fraction(0), Fraction(1)):
        assert direction.most(loss) == largest.most(loss)
    assert direction.most(Fraction(1)) == 0.5


DEFAULTS: Mapping[str, Mapping[str, Fraction]] = {
    "dynamic-boosting": {"momentum": ZERO},
    "dynamic-gradient-descent": {"momentum": ZERO},
    "dynamic-sgd": {"momentum": ZERO},
    "high-dimensional-bandit": {"step_scale": ONE},
    "linear-ucb": {"failure": Fraction(1, 100), "spread": Fraction(1, 20), "size": ONE},
    "local-mirror-descent": {"step_scale": ONE, "noise_constant": Fraction(100)},
    "noisy-frank-wolfe": {"step_scale": ONE},
    "noisy-sgd": {"step_scale": ONE, "noise_scale": ONE},
    "online-frank-wolfe": {"step_scale": ONE},
    "polyhedral-frank-wolfe": {"step_scale": ONE},
    "proximal-point": {"weak_convexity": ZERO},
    "svrg": {"strong_convexity": ZERO},
    "svrg-plus-plus": {"strong_convexity": ZERO},
}


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_a_number_that_is_not_given_is_what_it_was(name: str) -> None:
    given = {f.name: f.default for f in fields(ALGORITHMS[name].params) if isinstance(f.default, Fraction)}
    assert given == DEFAULTS.get(name, {})
