"""Running and testing: nothing from nothing, the promised confidence, and planted bugs that break it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from dpref.audit.builders import build
from dpref.audit.catalogue import find
from dpref.audit.claims import Parameter
from dpref.audit.empirical import draw, estimate
from dpref.audit.gaussian_mechanism import GaussianMechanismSubject
from dpref.audit.rules import AIMS, Aim, Beyond, choose
from dpref.audit.run import Run
from dpref.audit.statistics import rates
from dpref.audit.subjects import Neighbour, Release
from dpref.errors import InvalidArgumentError, LeakError
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.reals import FloatArray
from dpref.units import ReplaceOne
from tests.effort import part, runs

DELTA = Fraction(1, 10**5)


class Subject:
    """A subject whose scores are whatever a test wants."""

    adjacency = ReplaceOne
    release: Release = "output"

    def ledger(self) -> Ledger[ReplaceOne]:
        return Ledger(Gaussian(Fraction(1)), ReplaceOne)

    def witnesses(self, delta: Fraction) -> tuple[()]:
        return ()

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        return rng.standard_normal(trials) + 0.0 * neighbour

    def facts(self) -> Mapping[str, str]:
        return {}


def most_alarms(trials: int, rate: float, level: float) -> int:
    """The largest count that an event of the given rate exceeds with probability at most ``level``, exactly."""
    tail = 1.0
    for k in range(trials + 1):
        tail -= math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k)
        if tail <= level:
            return k
    return trials


# ------------------------------------------------------------------------------------ the null test


def test_two_identical_data_sets_show_no_privacy_loss() -> None:
    seen = estimate(draw(Subject(), "null", 2000, seed=0), DELTA)
    assert (seen.epsilon, seen.rho, seen.mu, seen.gaussian_epsilon) == (0, 0, 0, 0)


@pytest.mark.slow
def test_over_many_seeds_false_alarms_are_as_rare_as_claimed() -> None:
    # At confidence 0.8 a false alarm has probability at most 0.2 a seed. The test itself fails a correct program with
    # probability at most 1e-4 (exact binomial tail).
    confidence, seeds = Fraction(4, 5), runs(200, 100)
    alarms = 0
    for seed in range(seeds):
        seen = estimate(draw(Subject(), "null", 300, seed=seed), DELTA, confidence)
        alarms += seen.epsilon > 0 or seen.rho > 0 or seen.mu > 0
    assert alarms <= most_alarms(seeds, 0.2, 1e-4)


@pytest.mark.slow
def test_over_200_seeds_no_alarm_at_the_default_confidence() -> None:
    # Probability of at least one alarm: at most 200 * 0.001 for a bound that is exactly as tight as it may be; these
    # are far from it (two separate intervals must be disjoint), and the seeds are fixed.
    assert all(estimate(draw(Subject(), "null", 100, seed=s), DELTA).epsilon == 0 for s in range(200))


def identical(release: Release) -> Run:
    """DP-GD on real data, run twice on the same data set."""
    params: dict[str, Parameter] = {"budget": 1, "steps": 3, "clip": Fraction(1, 4)}
    claim = find("dynamic-privacy-budget/algorithm-1@repaired,replace-one")
    subject = build(replace(claim, parameters=params, release=release))
    assert isinstance(subject, Run)
    return replace(subject, pair=subject.pair._replace(second=subject.pair.first))


@pytest.mark.slow
@pytest.mark.parametrize("release", part(["output", "transcript"], 1))
def test_dp_gd_on_two_identical_data_sets_shows_no_privacy_loss(release: Release) -> None:
    seen = estimate(draw(identical(release), "null", 1000, seed=0), DELTA)
    assert (seen.epsilon, seen.rho, seen.mu, seen.gaussian_epsilon) == (0, 0, 0, 0)


@pytest.mark.slow
def test_over_many_seeds_dp_gd_on_identical_data_sets_raises_as_few_alarms_as_claimed() -> None:
    # As above: a correct program fails with probability at most 1e-4. The outputs are scored; the transcripts' exact
    # likelihood ratio is zero on identical data.
    subject, seeds = identical("output"), runs(200, 30)
    alarms = 0
    for seed in range(seeds):
        seen = estimate(draw(subject, "null", 100, seed=seed), DELTA, Fraction(4, 5))
        alarms += seen.epsilon > 0 or seen.rho > 0 or seen.mu > 0
    assert alarms <= most_alarms(seeds, 0.2, 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    part(
        [
            "dp-erm-revisited/theorem-6.1@repaired-random-iterate",
            "kl-condition/theorem-1@repaired",
            "private-saddle-points/proposition-3.3@repaired",
            "private-online-frank-wolfe/theorem-3.1@repaired",
        ],
        2,
    ),
)
def test_planted_bug_a_kernel_that_reads_the_data_beside_its_queries_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leak of 1e-9 into the points: the run with forced answers is elsewhere."""
    run = build(find(name + ",replace-one"))
    assert isinstance(run, Run)
    run.scores(0, 1, np.random.default_rng(0))
    honest, second = run.algorithm.kernel.run, run.problem.arrays(run.pair.second)

    def leaky(problem: Any, numbers: Any, tape: Any) -> Any:
        trace, alike = honest(problem, numbers, tape), zip(problem[:2], second[:2], strict=True)
        return trace._replace(points=trace.points + 1e-9 * all(np.array_equal(a, b) for a, b in alike))

    monkeypatch.setattr(run.algorithm.kernel, "run", leaky)
    with pytest.raises(LeakError, match="beside its queries"):
        run.scores(0, 1, np.random.default_rng(0))


# ------------------------------------------------------------------------------------ chosen on one half only


def misses(aim: Aim, mu: float, *, evaluate_on_the_same_half: bool, seeds: int = 150, half: int = 60) -> int:
    """How often the rates of a chosen rule are wrong, for scores whose true rates are known."""
    cdf, count = NormalDist().cdf, 0
    error = Fraction(1, 5)
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        zero, one = rng.standard_normal(2 * half), rng.standard_normal(2 * half) + mu
        rule = choose(aim, (zero[:half], one[:half]), DELTA, error)
        first = slice(0, half) if evaluate_on_the_same_half else slice(half, 2 * half)
        bounds = rates((rule.positives(one[first]), half), (rule.positives(zero[first]), half), error)
        assert isinstance(rule, Beyond)
        z = rule.direction * rule.threshold
        true_positive, false_positive = 1 - cdf(z - rule.direction * mu), 1 - cdf(z)
        count += bounds.true_positive > true_positive or bounds.false_positive < false_positive
    return count


@pytest.mark.slow
@pytest.mark.parametrize("aim", AIMS)
@pytest.mark.parametrize("mu", [0.0, 1.0])
def test_rates_of_a_chosen_rule_are_wrong_as_rarely_as_claimed(aim: Aim, mu: float) -> None:
    # Fails a correct program with probability at most 1e-4.
    assert misses(aim, mu, evaluate_on_the_same_half=False) <= most_alarms(150, 0.2, 1e-4)


@pytest.mark.parametrize("aim", AIMS)
def test_planted_bug_chosen_and_evaluated_on_the_same_half_is_wrong_too_often(aim: Aim) -> None:
    assert misses(aim, 0.0, evaluate_on_the_same_half=True) > most_alarms(150, 0.2, 1e-4)


def test_the_second_half_has_no_say_in_the_choice() -> None:
    zero, one = draw(GaussianMechanismSubject(ReplaceOne, Fraction(1)), "halves", 400, seed=3)
    other = draw(GaussianMechanismSubject(ReplaceOne, Fraction(1)), "halves", 400, seed=4)
    mixed = tuple(np.concatenate([a[:200], b[200:]]) for a, b in zip((zero, one), other, strict=True))
    first, second = estimate((zero, one), DELTA), estimate((mixed[0], mixed[1]), DELTA)
    assert {aim: t.rule for aim, t in first.tests.items()} == {aim: t.rule for aim, t in second.tests.items()}
    assert first.tests["mu"].hits != second.tests["mu"].hits


def test_direction_is_found_when_small_scores_speak_for_neighbour_1() -> None:
    rng = np.random.default_rng(0)
    zero, one = rng.standard_normal(4000), rng.standard_normal(4000) - 2
    seen = estimate((zero, one), DELTA)
    assert {t.rule.direction for t in seen.tests.values()} == {-1}
    assert seen.mu > 1.5


def test_the_error_is_shared_by_all_tests_that_are_reported_jointly() -> None:
    confidence = Fraction(97, 100)
    seen = estimate(draw(GaussianMechanismSubject(ReplaceOne, Fraction(1)), "joint", 400, seed=0), DELTA, confidence)
    assert set(seen.tests) == set(AIMS)
    for test in seen.tests.values():
        assert test.bounds == rates(test.hits, test.alarms, (1 - confidence) / 3)


def test_every_count_is_of_the_second_half() -> None:
    seen = estimate(draw(Subject(), "counts", 301, seed=0), DELTA)
    assert {t.hits[1] for t in seen.tests.values()} == {151}
    assert {t.alarms[1] for t in seen.tests.values()} == {151}


def test_scores_with_ties_are_counted_strictly_beyond_the_threshold() -> None:
    scores = np.array([0.0, 1.0, 1.0, 2.0])
    assert Beyond(1.0, 1).positives(scores) == 1
    assert Beyond(1.0, -1).positives(scores) == 1


def test_constant_scores_show_nothing() -> None:
    seen = estimate((np.zeros(200), np.zeros(200)), DELTA)
    assert (seen.epsilon, seen.rho, seen.mu) == (0, 0, 0)


# ------------------------------------------------------------------------------------ Gaussian pairs


def test_the_bounds_come_close_to_a_gaussian_pairs_true_loss() -> None:
    seen = estimate(
        draw(GaussianMechanismSubject(ReplaceOne, Fraction(1, 2)), "close", 10_000, seed=0), Fraction(1, 10)
    )
    assert 1.8 < seen.mu <= 2
    assert 1 < seen.rho <= 2
    assert 2 < seen.epsilon <= 3.7


def test_higher_confidence_never_shows_more() -> None:
    scores = draw(GaussianMechanismSubject(ReplaceOne, Fraction(1)), "monotone", 1000, seed=1)
    levels = [Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000), Fraction(999_999, 1_000_000)]
    # The rules may differ with the level, so only the bounds of one rule are compared.
    tests = [rates(estimate(scores, DELTA).tests["mu"].hits, (10, 500), 1 - level) for level in levels]
    assert [t.true_positive for t in tests] == sorted((t.true_positive for t in tests), reverse=True)
    assert [t.false_positive for t in tests] == sorted(t.false_positive for t in tests)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_gaussian_estimator_may_be_wrong_and_no_bound_rests_on_it(epsilon: float) -> None:
    """Randomised response is epsilon-DP with a trade-off curve far from Gaussian: the estimator overshoots."""
    rng = np.random.default_rng(0)
    flips = rng.random((2, 20_000)) < 1 / (1 + math.exp(epsilon))
    seen = estimate((flips[0].astype(float), 1 - flips[1].astype(float)), DELTA)
    assert 0.8 * epsilon < seen.epsilon <= epsilon
    assert seen.rho <= epsilon**2 / 2  # Bun and Steinke, 2016, Proposition 3.3
    assert seen.gaussian_epsilon > 1.5 * epsilon


# ------------------------------------------------------------------------------------ reproducible runs


@pytest.mark.parametrize("trials", [100, 250, 777])
def test_runs_do_not_depend_on_the_number_of_threads(trials: int) -> None:
    subject = GaussianMechanismSubject(ReplaceOne, Fraction(1), count=3)
    alone = draw(subject, "jobs", trials, seed=7)
    together = draw(subject, "jobs", trials, seed=7, jobs=4)
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))
    assert [s.shape for s in alone] == [(trials,), (trials,)]


def test_runs_depend_on_seed_and_name_and_neighbour() -> None:
    base = draw(Subject(), "a", 100, seed=0)
    assert not np.array_equal(base[0], base[1])
    assert not np.array_equal(base[0], draw(Subject(), "a", 100, seed=1)[0])
    assert not np.array_equal(base[0], draw(Subject(), "b", 100, seed=0)[0])


def test_progress_counts_every_run_once() -> None:
    done: list[int] = []
    draw(Subject(), "progress", 601, seed=0, jobs=2, advance=done.append)
    assert sum(done) == 2 * 601


# ------------------------------------------------------------------------------------ refusals


class Broken(Subject):
    def __init__(self, scores: Any) -> None:
        self._scores = scores

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> Any:
        return self._scores


@pytest.mark.parametrize(
    "scores", [np.zeros(99), np.zeros((100, 1)), np.full(100, 1j), np.full(100, "x"), np.full(100, None)]
)
def test_a_subject_that_returns_no_scores_is_refused(scores: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="scores"):
        draw(Broken(scores), "broken", 100, seed=0)


def test_a_subject_may_return_nan_and_infinities_and_integers() -> None:
    zero, one = draw(Broken(np.array([math.nan, math.inf] * 50)), "odd", 100, seed=0)
    assert np.isnan(zero).sum() == np.isinf(one).sum() == 50
    assert draw(Broken(np.arange(100)), "odd", 100, seed=0)[0].dtype == np.float64


@pytest.mark.parametrize(
    ("argument", "settings"),
    [
        ("trials", {"trials": 99, "seed": 0}),
        ("trials", {"trials": -1, "seed": 0}),
        ("seed", {"trials": 100, "seed": -1}),
        ("jobs", {"trials": 100, "seed": 0, "jobs": 0}),
    ],
)
def test_settings_out_of_their_domain_are_refused(argument: str, settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=argument):
        draw(Subject(), "settings", **settings)


@pytest.mark.parametrize(
    "scores",
    [
        (np.zeros(100), np.zeros(101)),
        (np.zeros((100, 1)), np.zeros((100, 1))),
        (np.zeros(0), np.zeros(0)),
    ],
)
def test_scores_that_are_none_are_not_estimated_from(scores: tuple[FloatArray, FloatArray]) -> None:
    with pytest.raises(InvalidArgumentError, match=r"scores|trials"):
        estimate(scores, DELTA)


DEFINITE = (np.arange(200.0), np.arange(200.0) + 1000)


@pytest.mark.parametrize("zeros", [15, 17, 60, 400])
def test_any_confidence_below_1_can_be_asked_for(zeros: int) -> None:
    """Of an error that no double tells from zero: 100 of 100 show a rate of its hundredth root."""
    found = estimate(DEFINITE, Fraction(1, 10), Fraction(10**zeros - 1, 10**zeros))
    p = float(Fraction(1, 6)) ** 0.01 * 10.0 ** (-zeros / 100)
    expected = max(0.0, math.log((p - 0.1) / (1 - p))) if p > 0.1 else 0.0
    assert found.epsilon == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("confidence", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_confidence_must_lie_between_0_and_1(confidence: Fraction) -> None:
    with pytest.raises(InvalidArgumentError, match="confidence"):
        estimate((np.zeros(100), np.zeros(100)), DELTA, confidence)
