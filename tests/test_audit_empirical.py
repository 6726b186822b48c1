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

from dpref.audit import rules
from dpref.audit.builders import build
from dpref.audit.catalogue import find
from dpref.audit.claims import Claim, Parameter
from dpref.audit.empirical import draw, estimate
from dpref.audit.gaussian_mechanism import GaussianMechanismSubject
from dpref.audit.gradient_run import GradientRun
from dpref.audit.reach import reach, trials_needed
from dpref.audit.rules import AIMS, OUTERMOST, Aim, Atom, Beyond, Rule, choose, outermost
from dpref.audit.statistics import rates
from dpref.audit.subjects import Neighbour, Release
from dpref.errors import InvalidArgumentError
from dpref.privacy.ledger import Gaussian, Ledger
from dpref.reals import FloatArray
from dpref.units import ZCDP, ApproximateDP, PrivacyLoss, ReplaceOne

DELTA = Fraction(1, 10**5)


class Subject:
    """A subject whose scores are whatever a test wants."""

    adjacency = ReplaceOne
    release: Release = "output"

    def ledger(self) -> Ledger[ReplaceOne]:
        return Ledger(Gaussian(Fraction(1)), ReplaceOne)

    def witness_mu_squared(self) -> None:
        return None

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


def test_over_200_seeds_false_alarms_are_as_rare_as_claimed() -> None:
    # At confidence 0.8 a false alarm has probability at most 0.2 a seed. The test itself fails a correct program with
    # probability at most 1e-4 (exact binomial tail).
    confidence = Fraction(4, 5)
    alarms = 0
    for seed in range(200):
        seen = estimate(draw(Subject(), "null", 300, seed=seed), DELTA, confidence)
        alarms += seen.epsilon > 0 or seen.rho > 0 or seen.mu > 0
    assert alarms <= most_alarms(200, 0.2, 1e-4)


def test_over_200_seeds_no_alarm_at_the_default_confidence() -> None:
    # Probability of at least one alarm: at most 200 * 0.001 for a bound that is exactly as tight as it may be; these
    # are far from it (two separate intervals must be disjoint), and the seeds are fixed.
    assert all(estimate(draw(Subject(), "null", 100, seed=s), DELTA).epsilon == 0 for s in range(200))


def identical(release: Release) -> GradientRun:
    """DP-GD on real data, run twice on the same data set."""
    params: dict[str, Parameter] = {"budget": 1, "steps": 3, "clip": Fraction(1, 4)}
    claim = find("dynamic-privacy-budget/algorithm-1@repaired,replace-one")
    subject = build(replace(claim, parameters=params, release=release))
    assert isinstance(subject, GradientRun)
    return replace(subject, pair=subject.pair._replace(second=subject.pair.first))


@pytest.mark.parametrize("release", ["output", "transcript"])
def test_dp_gd_on_two_identical_data_sets_shows_no_privacy_loss(release: Release) -> None:
    seen = estimate(draw(identical(release), "null", 1000, seed=0), DELTA)
    assert (seen.epsilon, seen.rho, seen.mu, seen.gaussian_epsilon) == (0, 0, 0, 0)


def test_over_200_seeds_dp_gd_on_identical_data_sets_raises_as_few_alarms_as_claimed() -> None:
    # As above: a correct program fails with probability at most 1e-4. The outputs are scored; the transcripts' exact
    # likelihood ratio is zero on identical data.
    subject = identical("output")
    alarms = 0
    for seed in range(200):
        seen = estimate(draw(subject, "null", 100, seed=seed), DELTA, Fraction(4, 5))
        alarms += seen.epsilon > 0 or seen.rho > 0 or seen.mu > 0
    assert alarms <= most_alarms(200, 0.2, 1e-4)


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


# ------------------------------------------------------------------------------------ rare leaks, and odd outcomes

RUNS, LEAK = 200_000, 1e-3


def leaking(outcome: FloatArray | float, seed: int = 1, side: Neighbour = 1) -> tuple[FloatArray, FloatArray]:
    """Standard normal outcomes, which on one side are something else in one run of a thousand."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(RUNS), rng.standard_normal(RUNS)
    leaks = rng.random(RUNS) < LEAK
    scores[side][leaks] = (outcome + np.zeros(RUNS))[leaks]
    return scores


LEAKS: dict[str, FloatArray | float] = {
    "far": 20 + np.random.default_rng(0).standard_normal(RUNS),
    "far below": -20 - np.random.default_rng(0).standard_exponential(RUNS),
    "one far number": 1e9,
    "one number in the middle": 0.123,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "NaN": math.nan,
}


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", LEAKS)
def test_a_rare_leak_shows(name: str, side: Neighbour) -> None:
    """100 of 100,000 runs against none: 2.06 at the expected count, and the count has a standard deviation of 10."""
    seen = estimate(leaking(LEAKS[name], side=side), Fraction(1, 10**6))
    assert seen.epsilon >= 1.9


def test_planted_bug_evenly_spaced_thresholds_alone_miss_most_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    far = leaking(LEAKS["one far number"])
    monkeypatch.setattr(rules, "_atoms", lambda *_: iter(()))
    assert estimate(far, Fraction(1, 10**6)).epsilon >= 1.9
    monkeypatch.setattr(rules, "outermost", lambda n: np.linspace(0, n - 1, 4096).astype(int))
    assert estimate(far, Fraction(1, 10**6)).epsilon < 1


def test_planted_bug_dropping_nan_and_infinities_hides_the_leak() -> None:
    zero, one = leaking(LEAKS["NaN"])
    size = np.isfinite(one).sum()
    assert estimate((zero[:size], one[np.isfinite(one)]), Fraction(1, 10**6)).epsilon == 0


@pytest.mark.parametrize("count", [1, 5, 6143, 6145, 200_000, 10**7])
def test_thresholds_keep_the_outermost_ranks(count: int) -> None:
    ranks = outermost(count)
    assert ranks[0] == 0
    assert ranks[-1] == count - 1
    assert (np.diff(ranks) > 0).all()
    kept = min(OUTERMOST, count)
    assert kept == min(1024, count)
    assert (ranks[:kept] == np.arange(kept)).all()
    assert (ranks[-kept:] == np.arange(count - kept, count)).all()
    # No leak is missed by much: the ranks from either end grow slowly, and none are far apart.
    gaps, inside = np.diff(ranks), np.minimum(ranks[:-1], count - 1 - ranks[1:])
    assert (gaps <= 1 + np.maximum(inside, OUTERMOST) / 128).all()
    assert gaps.max(initial=1) <= 1 + count / 4095


@pytest.mark.parametrize(
    ("scores", "rule", "count"),
    [
        ([0.0, 1.0, math.nan, math.inf], Beyond(0.5, 1), 2),
        ([0.0, 1.0, math.nan, math.inf], Beyond(0.5, 1, nan=True), 3),
        ([0.0, 1.0, math.nan, -math.inf], Beyond(0.5, -1, nan=True), 3),
        ([0.0, 1.0, math.nan, math.inf], Beyond(math.inf, 1, nan=True), 1),
        ([0.0, 1.0, math.nan, math.inf], Atom(math.inf, 1), 1),
        ([0.0, 1.0, math.nan, math.inf], Atom(math.nan, -1), 3),
        ([0.0, -0.0, math.nan, math.inf], Atom(0.0, 1), 2),
    ],
)
def test_every_double_is_an_outcome(scores: list[float], rule: Rule, count: int) -> None:
    assert rule.positives(np.array(scores)) == count


EXTREMES = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 1.0, math.nextafter(1.0, 2.0), 1e308, -1e308]


@pytest.mark.parametrize("seed", range(20))
def test_no_rule_counts_otherwise_than_the_search_did(seed: int) -> None:
    """Cuts lie between neighbouring outcomes, down to neighbouring doubles, with infinities and NaN in their places."""
    rng = np.random.default_rng(seed)
    scores = rng.choice(EXTREMES, 300), rng.choice(EXTREMES[seed % 5 :], 300)
    tried = 0
    for family in rules._families(scores):
        for i in range(family.hits.size):
            rule = family.rule(i)
            assert (rule.positives(scores[0]), rule.positives(scores[1])) == (family.alarms[i], family.hits[i])
            tried += 1
    assert tried > 20
    assert estimate(scores, DELTA).epsilon >= 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308])
def test_outcomes_that_are_all_one_value_show_nothing(value: float) -> None:
    same = np.full(300, value)
    seen = estimate((same, same), DELTA)
    assert (seen.epsilon, seen.rho, seen.mu) == (0, 0, 0)
    apart = estimate((same, np.zeros(300)), DELTA)
    assert apart.epsilon == reach(300, DELTA).epsilon


def test_a_subject_may_return_nan_and_infinities_and_integers() -> None:
    zero, one = draw(Broken(np.array([math.nan, math.inf] * 50)), "odd", 100, seed=0)
    assert np.isnan(zero).sum() == np.isinf(one).sum() == 50
    assert draw(Broken(np.arange(100)), "odd", 100, seed=0)[0].dtype == np.float64


# ------------------------------------------------------------------------------------ what runs can show


@pytest.mark.parametrize("trials", [100, 101, 2000])
@pytest.mark.parametrize("delta", [Fraction(0), DELTA, Fraction(1, 10)])
def test_a_test_without_errors_shows_what_is_said_beforehand(trials: int, delta: Fraction) -> None:
    seen = estimate((np.zeros(trials), np.ones(trials)), delta)
    said = reach(trials, delta)
    assert (seen.epsilon, seen.rho, seen.mu) == (said.epsilon, said.rho, said.mu)


@pytest.mark.parametrize("seed", range(5))
def test_no_runs_show_more_than_is_said_beforehand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen = estimate((rng.standard_normal(400), rng.standard_normal(400) + 3 * seed), DELTA)
    said = reach(400, DELTA)
    assert seen.epsilon <= said.epsilon
    assert seen.rho <= said.rho
    assert seen.mu <= said.mu


def of_epsilon(epsilon: Fraction, delta: Fraction = DELTA) -> Claim:
    claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")
    return replace(claim, claimed=PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, delta))


@pytest.mark.parametrize("epsilon", [Fraction(2), Fraction(19, 4), Fraction(8), Fraction(12)])
@pytest.mark.parametrize("delta", [Fraction(0), DELTA])
def test_the_number_of_runs_that_a_claim_needs_is_the_least(epsilon: Fraction, delta: Fraction) -> None:
    needed = trials_needed(of_epsilon(epsilon, delta))
    assert needed is not None
    assert reach(needed, delta).epsilon > epsilon >= reach(needed - 1, delta).epsilon
    # The closed form of the help text: 2 ln(6000) runs for each unit of exp(epsilon).
    assert needed == pytest.approx(2 * math.log(6000) * math.exp(epsilon), rel=0.2)


def test_a_zcdp_claim_needs_what_rho_or_its_epsilon_needs() -> None:
    claim = find("dynamic-privacy-budget/algorithm-1@as-printed,replace-one")
    loud = replace(claim, claimed=PrivacyLoss(Fraction(5), ZCDP, ReplaceOne))
    needed = trials_needed(loud)
    assert needed is not None
    assert reach(needed, loud.delta).rho > 5 >= reach(needed - 1, loud.delta).rho


def test_claims_that_no_runs_can_refute_are_told_so() -> None:
    assert trials_needed(of_epsilon(Fraction(20))) is None


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


@pytest.mark.parametrize("confidence", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_confidence_must_lie_between_0_and_1(confidence: Fraction) -> None:
    with pytest.raises(InvalidArgumentError, match="confidence"):
        estimate((np.zeros(100), np.zeros(100)), DELTA, confidence)
