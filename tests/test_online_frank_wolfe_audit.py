"""The audit of DP-TOFW: each slip of the print alone, the witnesses against simulation, what the builder refuses."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue, find
from dpref.audit.claims import Claim
from dpref.audit.papers.private_online_frank_wolfe.witnesses import (
    all_signs_epsilon,
    coordinate_moment,
    gaussian_nodes,
    negative_signs,
    node_epsilon,
    nodes_of_the_first,
    sign_epsilon,
)
from dpref.audit.run import Run
from dpref.audit.verdict import Verdict, audit
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.generalized_gaussian import unit_draws
from dpref.reals import upper
from tests.effort import part
from tests.witnessed import witnessed

CLAIMS = {f"{c.item}@{c.form}": c for c in catalogue() if c.algorithm == "online-frank-wolfe"}
DEAR = [
    "algorithm-4@as-printed-iterates",
    "lemma-3.2@as-printed-d-3-output",
    "lemma-3.2@as-printed-d-4-output",
    "lemma-3.2@as-printed-p-2-d-100-output",
]


@cache
def audited(form: str) -> Verdict:
    """The default number of runs and a fixed seed."""
    return audit(CLAIMS[form])


def subject(form: str, **changes: Any) -> Run:
    claim = CLAIMS[form]
    built = build(replace(claim, parameters={**claim.parameters, **changes}))
    assert isinstance(built, Run)
    return built


@pytest.mark.slow
@pytest.mark.parametrize("form", [*sorted(set(CLAIMS) - set(DEAR)), *part(DEAR, 1, seed=1)])
def test_every_claim_has_its_recorded_verdict(form: str) -> None:
    """The empirical bounds hold jointly with probability 0.999."""
    verdict = audited(form)
    assert verdict.outcome == verdict.claim.expected
    assert verdict.alarms == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "expected"), [("algorithm-4@as-printed-p-2", 6.78), ("algorithm-4@as-printed-p-2-n-10000", 7.50)]
)
def test_e_2_spends_6_78_to_7_5_where_one_is_claimed(form: str, expected: float) -> None:
    verdict = audit(CLAIMS[form], trials=100)
    assert float(verdict.certified.lower) == pytest.approx(expected, abs=0.005)
    assert float(verdict.certified.upper) == pytest.approx(expected, abs=0.005)
    assert "certified" in verdict.evidence


def test_e_1_in_three_dimensions_is_certified_to_hide_nothing() -> None:
    verdict = audit(CLAIMS["lemma-3.2@as-printed-d-3"], trials=100)
    assert verdict.certified.lower > 10**5
    assert verdict.certified.upper == math.inf


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "trials", "shown"), [(4, 2000, 2.0), (5, 100_000, 1.05)])
def test_e_1_is_refuted_by_as_many_runs_as_the_claim_asks_for(dimension: int, trials: int, shown: float) -> None:
    verdict = audited(f"lemma-3.2@as-printed-d-{dimension}")
    assert verdict.empirical.trials == trials
    assert verdict.as_recorded
    assert verdict.outcome == "refuted"
    assert verdict.empirical.epsilon > shown


@pytest.mark.slow
def test_the_scores_are_log_likelihood_ratios() -> None:
    """E exp(score) = 1 on data set 0: within six standard errors, for a tame noise level."""
    quiet = subject("theorem-3.1@repaired-p-1.5")
    scores = np.exp(quiet.scores(0, 20_000, np.random.default_rng(0)))
    assert abs(scores.mean() - 1) < 6 * scores.std() / math.sqrt(20_000)
    other = quiet.scores(1, 2000, np.random.default_rng(1))
    assert other.mean() > 0 > quiet.scores(0, 2000, np.random.default_rng(2)).mean()


@pytest.mark.parametrize(("dimension", "index"), [(3, 0.4), (4, 1.0), (5, 3.0)])
def test_the_moment_of_a_coordinate_is_that_of_the_sampler(dimension: int, index: float) -> None:
    """Six standard errors."""
    sizes = np.abs(unit_draws(index, 40_000, dimension, np.random.default_rng(9))[:, 0])
    expected = float(coordinate_moment(dimension, index, Fraction(1)).mid())
    assert abs(sizes.mean() - expected) < 6 * sizes.std() / 200


def test_the_event_of_the_witness_happens_as_often_as_it_says() -> None:
    """One node in three dimensions: nearly always on the shifted side, never in 20 000 draws on the other."""
    index = math.log(3) - 1
    assert node_epsilon(3, index, Fraction(1, 40), Fraction(3), Fraction(1, 1000)) > 10**5
    h = 3 ** (-1 / 3) / 40
    draws = unit_draws(index, 20_000, 3, np.random.default_rng(4))
    beyond = (draws + h > h / 2).all(axis=1), (draws > h / 2).all(axis=1)
    assert beyond[0].mean() > 0.95
    assert beyond[1].sum() == 0


def test_planted_bug_the_right_noise_gives_the_witness_nothing() -> None:
    assert node_epsilon(3, 3.0, Fraction(1, 40), Fraction(3), Fraction(1, 1000)) == 0
    mended = subject("theorem-3.1@repaired-eq-3.2-p-1.5")
    assert mended.witnesses(Fraction(1, 1000)) == ()
    assert upper(coordinate_moment(5, 2.0, Fraction(2))) == pytest.approx(1)


def test_a_nulled_record_costs_half_the_shift() -> None:
    claim = CLAIMS["theorem-3.1@repaired"]
    nulled = find(claim.id)
    built = build(nulled)
    assert isinstance(built, Run)
    whole = witnessed(built, "mu-squared")
    assert whole is not None
    assert float(whole) == pytest.approx(len(nodes_of_the_first(built.plan.records)) * (16 / built.plan.std) ** 2)


@pytest.mark.parametrize(
    "changes",
    [
        {"records": 20_000},
        {"direction": "up"},
        {"p": "infinite"},
        {"repairs": "E-3"},
        {"calibration": "zcdp"},
        {"steps": 3},
        {"dimension": 0},
    ],
    ids=str,
)
def test_the_builder_refuses_what_does_not_fit(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        subject("algorithm-4@as-printed-p-2", **changes)


def test_iterates_are_audited_in_one_dimension_only() -> None:
    claim: Claim = CLAIMS["theorem-3.1@repaired-p-inf"]
    with pytest.raises(InvalidArgumentError, match="one dimension, or along the diagonal"):
        build(replace(claim, release="output"))


def test_the_sampler_is_refuted_by_the_runs_in_the_papers_own_dimensions() -> None:
    """At p = 3/2; the number of runs and the seed are the default ones."""
    for suffix in ("", "-d-10", "-d-20"):
        verdict = audit(CLAIMS["algorithm-4@as-printed" + suffix])
        assert verdict.evidence == ("empirical",)
        assert 1 < verdict.empirical.epsilon < verdict.certified.upper


def test_the_first_step_goes_along_the_record_in_three_dimensions() -> None:
    """The certified event of the iterates: P at least 0.95 on one side, and never seen on the other in 200 runs."""
    built = subject("lemma-3.2@as-printed-d-3-output")
    assert witnessed(built, "epsilon", Fraction(1, 1000)) > 10**5
    up, down = (built.scores(side, 200, np.random.default_rng(side)) for side in (0, 1))
    assert up.max() < 0 < down.min() or down.max() < 0 < up.min()
    near = all_signs_epsilon(3, 3.0, Fraction(1, 80), Fraction(3), Fraction(1, 1000))
    assert near == 0, "of a proper norm the signs of one node show nothing"


@pytest.mark.slow
def test_the_signs_of_the_iterates_are_as_often_right_as_the_witness_says() -> None:
    """Ten signs a run, 400 runs, six standard errors."""
    built = subject("algorithm-4@as-printed-iterates")
    right = 0.5 * math.erfc(-8 / built.plan.std / math.sqrt(2))
    up, down = ((built.scores(side, 400, np.random.default_rng(side)).mean() + 10) / 20 for side in (0, 1))
    error = 6 * math.sqrt(0.25 / 4000)
    assert abs(1 - up - right) < error
    assert abs(down - right) < error
    assert sign_epsilon(10, Fraction(8, 27), Fraction(1, 1000)) > 4


@pytest.mark.parametrize(("dimension", "shift"), [(2, 0.4), (3, 1.5), (12, 0.1)])
def test_the_law_of_the_signs_is_that_of_sampled_noise(dimension: int, shift: float) -> None:
    """Each frequency is within 5 of its standard errors: a false alarm has a probability below 1e-5."""
    draws, rng = 200_000, np.random.default_rng(5)
    sizes = unit_draws(1.0, draws, dimension, rng)
    counted = np.bincount((sizes + shift < 0).sum(axis=1), minlength=dimension + 1) / draws
    law = np.array([float(p) for p in negative_signs(dimension, Fraction(shift))])
    assert law.sum() == pytest.approx(1)
    assert (np.abs(counted - law) <= 5 * np.sqrt(law * (1 - law) / draws)).all()
    # Planted bugs: noise of another level, and the other direction.
    for wrong in (shift * 1.1, -shift):
        other = np.bincount((sizes + wrong < 0).sum(axis=1), minlength=dimension + 1) / draws
        assert not (np.abs(other - law) <= 5 * np.sqrt(law * (1 - law) / draws)).all()


def test_planted_bug_noise_of_the_l1_norm_is_not_taken_for_gaussian_noise() -> None:
    run = subject("lemma-3.2@as-printed-p-2-d-100-output")
    assert run.plan.index == 1
    assert gaussian_nodes(run) == ()
    assert len(gaussian_nodes(subject("theorem-3.1@repaired"))) == 1
