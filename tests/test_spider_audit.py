"""The audit of KL Spider: instances inside every assumption of the paper, and the two witnesses against the kernel."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.algorithms.spider import plan as spider_plan
from dpref.audit.builders import build
from dpref.audit.catalogue import find
from dpref.audit.papers.kl_condition.instances import OnTheLine, Squares, reach
from dpref.audit.papers.kl_condition.witnesses import against_the_gradient, event_rho
from dpref.audit.run import Run
from dpref.audit.subjects import Neighbour
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber
from dpref.reals import FLOAT, exact
from dpref.units import ReplaceOne
from tests.effort import runs
from tests.witnessed import witnessed

SIDES: tuple[Neighbour, Neighbour] = (0, 1)


def subject(form: str) -> Run:
    built = build(find(f"kl-condition/theorem-1@{form}"))
    assert isinstance(built, Run)
    return built


def line(built: Run) -> OnTheLine:
    assert isinstance(built.instance, OnTheLine)
    return built.instance


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "least", "most"),
    [
        ("as-printed-transcript,replace-one", 1.779, 2.25),
        ("as-printed,zero-out", 0.4999, 0.5626),
        ("repaired,replace-one", 0.4999, 0.5),
    ],
)
def test_every_iterate_stays_where_the_instance_is_what_it_says(form: str, least: float, most: float) -> None:
    """Within the reach, the gradients of the two data sets differ by one and the same number at every point."""
    built = subject(form)
    rng, rounds = np.random.default_rng(0), len(built.plan.rounds)
    mu_squared = float(witnessed(built, "mu-squared"))
    for side in SIDES:
        data, other = built.sides(side)
        seen = built.sample(data, rng)
        begins = seen.trace.scales == built.plan.outer_std
        assert np.abs(seen.trace.points - float(line(built).begin.start)).max() <= float(reach(built.plan))
        assert int(begins.sum()) == rounds, "every round is asked, whatever the noise is"
        gaps = np.abs(built.forced(other, seen).queries - seen.trace.queries)
        assert gaps[begins] == pytest.approx(gaps[0, 0], rel=1e-6)
        assert gaps[~begins] == pytest.approx(0.0, abs=1e-6 * gaps[0, 0]), "a difference does not move"
        assert rounds * (gaps[0, 0] / built.plan.outer_std) ** 2 == pytest.approx(mu_squared, rel=1e-6)
    assert least < mu_squared / 2 < most


def test_the_excess_risk_of_the_start_is_what_the_data_have() -> None:
    built = subject("as-printed-transcript,replace-one")
    labels = [data.labels for data in built.pair[:2]]
    found = max(float(np.mean((float(line(built).begin.start) - y) ** 2) - np.var(y)) / 2 for y in labels)
    assert found == pytest.approx(float(line(built).begin.excess_risk), rel=1e-9)
    assert line(built).begin.excess_risk <= line(built).gap


@pytest.mark.slow
def test_one_round_ends_against_the_gradient_as_often_as_the_witness_says() -> None:
    """The kernel on both data sets, thousands of runs each, five standard errors."""
    built, trials = subject("as-printed,replace-one"), runs(20_000, 5_000)
    (only,) = built.plan.rounds
    numbers = built.plan.outer_std, only.std, only.threshold, only.length
    for side in SIDES:
        least, most = against_the_gradient(FLOAT, 2 * side / built.problem.n, *numbers)
        scores = built.scores(side, trials, np.random.default_rng(side))
        seen, error = float((scores < -only.length / 2).mean()), 5 * math.sqrt(least / trials)
        assert least - error <= seen <= most + error
    assert witnessed(built, "rho") == pytest.approx(1.4899, abs=0.0002)


def test_noisy_differences_are_bounded_on_both_sides() -> None:
    """Loud inner noise, where the two bounds are apart: simulated, five standard errors."""
    rng, trials = np.random.default_rng(3), 200_000
    mean, outer, inner, edge, length = 0.1, 1.0, 0.4, 0.6, 0.5
    g = mean + outer * rng.standard_normal(trials)
    after = g + length + inner * rng.standard_normal(trials)
    seen = float(((g <= -edge) & (np.abs(after) >= edge)).mean())
    least, most = against_the_gradient(FLOAT, mean, outer, inner, edge, length)
    error = 5 * math.sqrt(0.25 / trials)
    assert least - error <= seen <= most + error
    assert most - least > error


def test_planted_bug_the_right_noise_gives_the_event_less_than_the_claim() -> None:
    built = subject("as-printed,replace-one")
    twice = replace(built, plan=replace(built.plan, outer_std=2 * built.plan.outer_std))
    assert 0 < witnessed(twice, "rho") < 0.5
    several = replace(built, plan=replace(built.plan, rounds=built.plan.rounds * 2))
    assert several.witnesses(Fraction(1, 10)) == ()
    assert event_rho(FLOAT, 0.5, 0.5, 2.0) < 0


def test_above_the_floor_the_gradients_alone_cost_as_much() -> None:
    """What the reading says of n = 10^7: F_0 above the floor of line 6, every assumption met, at least 1.68."""
    n, h, start = 10**7, Fraction(109, 100), Fraction(1, 500)
    problem = ERMProblem(Huber(h), n=n, dimension=1)
    gap = Squares(records=n, start=start, threshold=h, gap=Fraction(1)).begin.excess_risk
    params = spider_plan.Params(
        Fraction(1), Fraction(1, 20), Fraction(7072, 10_000), Fraction(2), ReplaceOne, gap,
        form=Form.AS_PRINTED, start=np.array([float(start)]),
    )  # fmt: skip
    plan = spider_plan.plan(problem, params)
    assert plan.rounds[-1].target < plan.rounds[0].target < float(gap)
    assert start + reach(plan) <= h - 1
    assert len(plan.rounds) * (Fraction(2, n) / exact(plan.outer_std)) ** 2 / 2 > Fraction(168, 100)
