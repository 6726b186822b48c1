"""Which sets of outcomes an adversary tries: rare leaks are found, and any double is an outcome."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpref.audit import rules
from dpref.audit.bit_patterns import Bits
from dpref.audit.empirical import estimate
from dpref.audit.reach import reach
from dpref.audit.rules import OUTERMOST, Atom, Beyond, Rule, outermost
from dpref.audit.subjects import Neighbour
from dpref.reals import FloatArray

DELTA = Fraction(1, 10**5)
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


@pytest.mark.slow
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
        ([0.0, -0.0, math.nan, math.inf], Bits(0, 0, 1), 1),
        ([0.0, -0.0, math.nan, math.inf], Bits(-1, -1, -1), 3),
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


def quiet_nans(sign: int, seed: int) -> FloatArray:
    """NaN of one sign, hardly two of one payload."""
    payloads = np.random.default_rng(seed).integers(1, 2**50, size=1000)
    return np.copysign((payloads | 0x7FF8000000000000).view(np.float64), sign)


@pytest.mark.parametrize(
    ("zero", "one"),
    [
        (np.zeros(1000), -np.zeros(1000)),
        (quiet_nans(1, 0), quiet_nans(-1, 1)),
        (np.full(1000, np.nan), quiet_nans(1, 0)[:1].repeat(1000)),
    ],
    ids=["the sign of zero", "the sign of NaN", "the payload of NaN"],
)
def test_outcomes_that_differ_in_bits_alone_are_told_apart(zero: FloatArray, one: FloatArray) -> None:
    most = reach(1000, DELTA).epsilon
    for scores in ((zero, one), (one, zero)):
        assert estimate(scores, DELTA).epsilon > most - 0.01
    assert estimate((zero, zero), DELTA).epsilon == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308])
def test_outcomes_that_are_all_one_value_show_nothing(value: float) -> None:
    same = np.full(300, value)
    seen = estimate((same, same), DELTA)
    assert (seen.epsilon, seen.rho, seen.mu) == (0, 0, 0)
    apart = estimate((same, np.zeros(300)), DELTA)
    assert apart.epsilon == reach(300, DELTA).epsilon
