"""Vertex sampling over random inputs: what its proofs use, and planted bugs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from flint import arb
from hypothesis import assume, given
from hypothesis import strategies as st

from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_mirror_descent_plan
from dpref.mechanisms.exponential import softmax
from dpref.mechanisms.truncated_geometric import draw_levels
from dpref.privacy.events.ledger import Exponential
from dpref.privacy.renyi.accountant import event_curve
from dpref.problems.games import duality_gap
from dpref.reals import BALL_ARRAY, FLOAT_ARRAY, FloatArray, ball, lower, precision, upper
from dpref.units import ReplaceOne
from property_tests.strategies import fractions

ROUNDING = 1e-12
VECTOR = st.lists(st.floats(-8, 8).map(lambda x: round(x, 5)), min_size=4, max_size=4).map(np.array)
SMALL = st.lists(st.floats(-1, 1).map(lambda x: round(x, 5)), min_size=4, max_size=4).map(np.array)


def simplex(scores: FloatArray) -> FloatArray:
    return softmax(FLOAT_ARRAY, scores)


def log_sum_exp(scores: FloatArray) -> float:
    return float(np.logaddexp.reduce(scores))


# ------------------------------------------------------------------------------------ what the proofs use


@given(VECTOR, SMALL, fractions(Fraction(11, 10), Fraction(40)))
def test_selections_are_of_bounded_range_and_zcdp(scores: FloatArray, moves: FloatArray, order: Fraction) -> None:
    """P17, P18, P19 and P65 at scale 1, in balls: range 2 D, and divergence at most alpha (2 D)^2 / 8."""
    moved = float(np.abs(moves).max())
    assume(moved > 0)
    with precision(160):
        size = max((abs(arb(float(m))) for m in moves), key=lower)
        p, q = (softmax(BALL_ARRAY, BALL_ARRAY.lift(s)) for s in (scores, scores + moves))
        ratios = [(a / b).log() for a, b in zip(p, q, strict=True)]
        slack = arb(2.0**-40)
        assert lower(max(ratios, key=upper) - min(ratios, key=lower) - 2 * size - slack) <= 0
        assert lower(max((abs(r) for r in ratios), key=upper) - 2 * size - slack) <= 0
        alpha = ball(order)
        moment = sum((b * (alpha * (a / b).log()).exp() for a, b in zip(p, q, strict=True)), arb(0))
        divergence = moment.log() / (alpha - 1)
        assert lower(divergence - alpha * (2 * size) ** 2 / 8 - slack) <= 0
        curve = event_curve(Exponential(2 * Fraction(moved)), ReplaceOne).at(order)
        assert lower(divergence) <= curve.upper + 2.0**-40


@given(VECTOR, VECTOR)
def test_p3(first: FloatArray, second: FloatArray) -> None:
    a, x = simplex(first), simplex(second)
    assert np.abs(a - x).sum() <= 2
    assert np.abs(np.eye(4)[0] - x).sum() == pytest.approx(2 * (1 - x[0]), abs=ROUNDING)


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 2), st.integers(1, 30), VECTOR)
def test_p23(seed: int, tau: float, steps: int, point: FloatArray) -> None:
    gradients = np.random.default_rng(seed).uniform(-1, 1, (steps, 4)) * 3
    scores = -tau * np.vstack([np.zeros(4), np.cumsum(gradients, axis=0)])
    x = simplex(point)
    regret = sum(float(g @ (simplex(s) - x)) for g, s in zip(gradients, scores[:-1], strict=True))
    assert regret <= math.log(4) / tau + tau / 2 * float((np.abs(gradients).max(axis=1) ** 2).sum()) + 1e-9


@given(VECTOR, st.floats(0.05, 5))
def test_p28(values: FloatArray, width: float) -> None:
    smooth = width * log_sum_exp(values / width)
    assert values.max() - 1e-9 <= smooth <= values.max() + width * math.log(4) + 1e-9


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.integers(0, 100))
def test_p42(seed: int, truncation: int, extra: int) -> None:
    """Whatever the levels: the budget is kept, and the rule stops where the print says, one iteration later (E4)."""
    budget = Fraction(2**truncation + extra)
    levels = draw_levels(truncation, extra + 1, np.random.default_rng(seed))
    used = bias_reduced_mirror_descent_plan.used_levels(levels, budget, truncation)
    sums = list(accumulate(2**level for level in used))
    last = sum(total <= budget - 2**truncation for total in sums)
    assert sums[-1] <= budget
    assert len(used) == last + 1 <= budget
    assert sum(2 * (2 ** (level + 1) + 1) for level in used) <= 6 * budget


@given(VECTOR, VECTOR)
def test_p49(u: FloatArray, v: FloatArray) -> None:
    assert abs(log_sum_exp(u) - log_sum_exp(v)) <= np.abs(u - v).max() + ROUNDING


@given(VECTOR, VECTOR)
def test_p54(u: FloatArray, v: FloatArray) -> None:
    assert np.abs(simplex(u) - simplex(v)).sum() <= np.abs(u - v).max() + ROUNDING


@given(st.integers(1, 120), st.integers(0, 400))
def test_p58(q: int, more: int) -> None:
    T = q + more
    assert sum(1 / (q * (t // q) + 1) for t in range(q + 1, T + 1)) <= 1 + math.log(T / q) + ROUNDING


@given(st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_p62(seed: int, level: int) -> None:
    drawn = np.random.default_rng(seed).integers(4, size=2 ** (level + 1))
    whole, half = (np.bincount(v, minlength=4) / v.size for v in (drawn, drawn[: 2**level]))
    assert np.abs(whole - half).sum() <= 1


@given(st.integers(0, 2**32 - 1), VECTOR, VECTOR)
def test_p63(seed: int, first: FloatArray, second: FloatArray) -> None:
    payoff = np.random.default_rng(seed).uniform(-1, 1, (4, 4))
    assert -ROUNDING <= duality_gap(payoff, simplex(first), simplex(second)) <= 4


# ------------------------------------------------------------------------------------ mixtures


def paths(seed: int, steps: int, moved: float) -> tuple[FloatArray, FloatArray]:
    """Scores of iterates on two data sets: running sums that differ by the same vector from some step on."""
    rng = np.random.default_rng(seed)
    first = np.cumsum(rng.normal(0, 2, (steps, 4)), axis=0)
    late = (np.arange(steps) >= rng.integers(steps))[:, None]
    return first, first + late * moved * rng.choice([-1.0, 1.0], 4)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0.01, 2))
def test_e10(seed: int, steps: int, moved: float) -> None:
    """E10 and P50: an average of exponential mechanisms keeps the ratio of its parts, and is none itself."""
    first, second = paths(seed, steps, moved)
    mixed, other = (np.mean([simplex(s) for s in side], axis=0) for side in (first, second))
    assert np.abs(np.log(mixed / other)).max() <= 2 * moved + ROUNDING
    printed = np.exp(first - first.max()).sum(axis=0)
    assert steps == 1 or np.abs(printed / printed.sum() - mixed).max() > 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0.01, 2), fractions(Fraction(11, 10), Fraction(30)))
def test_p52(seed: int, steps: int, moved: float, order: Fraction) -> None:
    """Quasi-convexity of Renyi divergences, and so the zCDP of a draw from a mixture."""
    alpha, (first, second) = float(order), paths(seed, steps, moved)
    share = np.random.default_rng(seed).dirichlet(np.ones(steps))

    def divergence(p: FloatArray, q: FloatArray) -> float:
        return log_sum_exp(alpha * np.log(p) + (1 - alpha) * np.log(q)) / (alpha - 1)

    parts = [(simplex(a), simplex(b)) for a, b in zip(first, second, strict=True)]
    mixed = [sum(w * part[side] for w, part in zip(share, parts, strict=True)) for side in (0, 1)]
    largest = max(divergence(p, q) for p, q in parts)
    assert divergence(mixed[0], mixed[1]) <= largest + 1e-9
    assert largest <= alpha * (2 * moved) ** 2 / 8 + 1e-9
