"""The bound of an audit by one run: against all mechanisms at once, against its definition, and its level."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dpref.algorithms.forms import Form
from dpref.foreign.claims import DPClaim, GDPClaim, ZCDPClaim
from dpref.foreign.one_run_bound import (
    e_value,
    largest_refuted,
    one_run_p_value,
    p_value,
    right_side,
    right_side_as_printed,
)
from dpref.reals import RATIONAL

ERROR = Fraction(1, 1000)
SOLVER = 1e-6  # the feasibility tolerance of the linear program is 1e-7 a constraint


# ------------------------------------------------------------------------------------ the bound


@cache
def best_of_all_mechanisms(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The largest probability of so many right guesses that any (epsilon, delta)-DP mechanism has: a linear program.

    Averaging over all ways to name canaries and sides leaves privacy and the probability as they are.  What remains
    of a mechanism is the probability f(w) of each vector of guesses with w wrong ones.  Toggling a guessed canary
    turns w into w + 1 or back; the excess of either over exp(epsilon) times the other sums to at most delta.
    """
    from scipy.optimize import linprog

    r, ways = guesses, math.comb(canaries, guesses)
    vectors = [ways * math.comb(r, w) for w in range(r + 1)]
    toggled = [math.comb(canaries - 1, r - 1) * math.comb(r - 1, w) for w in range(r)]
    # Variables: f(0..r), then the excess of w over w + 1, then that of w + 1 over w.
    size, odds = 3 * r + 1, math.exp(epsilon)
    rows, limits = [], []
    for w in range(r):
        for one, other, excess in ((w, w + 1, r + 1 + w), (w + 1, w, 2 * r + 1 + w)):
            row = np.zeros(size)
            row[one], row[other], row[excess] = 1, -odds, -1
            rows.append(row)
            limits.append(0.0)
    rows.append(np.array([0.0] * (r + 1) + toggled + toggled))
    limits.append(delta)
    gain = np.zeros(size)
    gain[: r - right + 1] = vectors[: r - right + 1]
    total = np.array([*vectors, *[0] * (2 * r)], dtype=float)[None]
    found = linprog(-gain, A_ub=np.array(rows), b_ub=limits, A_eq=total, b_eq=[1.0])
    assert found.status == 0
    return float(-found.fun)


CASES = [
    (m, r, eps, delta)
    for m, r in ((1, 1), (2, 1), (2, 2), (3, 2), (4, 4), (6, 3), (6, 6))
    for eps in (0.5, 2.0)
    for delta in (0.001, 0.05)
]


def test_no_mechanism_guesses_better_than_the_bound_and_one_attains_it() -> None:
    for (m, r, eps, delta), v in itertools.product(CASES, range(1, 7)):
        if v <= r:
            bound = one_run_p_value(m, r, v, Fraction(eps), Fraction(delta))
            assert best_of_all_mechanisms(m, r, v, eps, delta) == pytest.approx(bound, abs=SOLVER), (
                m,
                r,
                v,
                eps,
                delta,
            )


def test_the_linear_program_is_that_of_all_mechanisms() -> None:
    """Without any averaging: 16 probabilities of two guesses given two coins, all eight directions of privacy."""
    from scipy.optimize import linprog

    eps, delta, pairs = 0.5, 0.05, list(itertools.product(range(4), range(4)))
    size, odds = 32, math.exp(eps)
    rows, limits = [], []
    gain, total = np.zeros((2, 64)), np.zeros((4, 64))
    excess: dict[tuple[int, int, int], int] = {}
    for x, bit in itertools.product(range(4), (1, 2)):
        budget = np.zeros(64)
        for y in range(4):
            at = 16 + len(excess)
            excess[x, bit, y] = at
            row = np.zeros(64)
            row[4 * x + y], row[4 * (x ^ bit) + y], row[at] = 1, -odds, -1
            rows.append(row)
            limits.append(0.0)
            budget[at] = 1
        rows.append(budget)
        limits.append(delta)
    assert len(excess) == size
    for x, y in pairs:
        total[x, 4 * x + y] = 1
        right = 2 - (x ^ y).bit_count()
        gain[0, 4 * x + y] = right >= 1
        gain[1, 4 * x + y] = right >= 2
    for v in (1, 2):
        found = linprog(
            -gain[v - 1, :48] / 4, A_ub=np.array(rows)[:, :48], b_ub=limits, A_eq=total[:, :48], b_eq=[1.0] * 4
        )
        assert -found.fun == pytest.approx(best_of_all_mechanisms(2, 2, v, eps, delta), abs=1e-9)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(9, 10)])
def test_planted_bug_a_smaller_term_for_delta_is_beaten_by_a_mechanism(share: Fraction) -> None:
    beaten = 0
    for m, r, eps, delta in CASES:
        for v in range(1, r + 1):
            full, pure = (one_run_p_value(m, r, v, Fraction(eps), Fraction(d)) for d in (delta, 0.0))
            changed = pure + float(share) * (full - pure)
            beaten += best_of_all_mechanisms(m, r, v, eps, delta) > changed + SOLVER
    assert beaten > 20


def test_the_printed_bound_is_above_the_repaired_one_at_the_levels_of_tests() -> None:
    for m, r, eps, delta in [*CASES, (40, 40, 1.0, 0.001), (100, 50, 3.0, 1e-5)]:
        for v in range(1, r + 1):
            printed, repaired = (one_run_p_value(m, r, v, Fraction(eps), Fraction(delta), form) for form in Form)
            if printed <= 0.5:
                assert repaired <= printed


def test_the_printed_bound_is_beaten_by_a_mechanism_that_is_checked_in_fractions() -> None:
    """Two canaries, at least one guess right, odds 7: every event, every pair of neighbours, nothing rounded."""
    odds, delta = Fraction(7), Fraction(1, 1000)
    both_wrong = (1 - delta * (odds + 2)) / (odds + 1) ** 2
    one_wrong = odds * both_wrong + delta
    law = {0: odds * one_wrong, 1: one_wrong, 2: both_wrong}  # of each vector of guesses, by how many are wrong
    assert law[0] + 2 * law[1] + law[2] == 1

    def probability(coins: int, event: Sequence[int]) -> Fraction:
        return sum((law[(coins ^ guess).bit_count()] for guess in event), Fraction(0))

    events = [event for size in range(5) for event in itertools.combinations(range(4), size)]
    for coins, toggled, event in itertools.product(range(4), (1, 2), events):
        assert probability(coins, event) <= odds * probability(coins ^ toggled, event) + delta
    attained = 1 - both_wrong
    assert attained > right_side_as_printed(RATIONAL, odds, delta, 2, 2, 1)
    assert attained == right_side(RATIONAL, odds, delta, 2, 2, 1)


def test_the_formulas_against_their_definitions_in_fractions() -> None:
    for m, r, v in ((5, 4, 3), (6, 6, 1), (3, 3, 3)):
        q, delta = Fraction(3, 4), Fraction(1, 50)
        at = [math.comb(r, k) * q**k * (1 - q) ** (r - k) for k in range(r + 1)]
        steepest = max(sum(at[v - i : v]) / i for i in range(1, v + 1))
        assert right_side_as_printed(RATIONAL, Fraction(3), delta, m, r, v) == sum(at[v:]) + 2 * m * delta * steepest
        # The proof's maximum, over every place where delta may be spent.
        spent = max((sum(at[max(j, v) :]) - sum(at[j:]) * sum(at[v:])) / (j * at[j]) for j in range(1, r + 1))
        assert right_side(RATIONAL, Fraction(3), delta, m, r, v) == sum(at[v:]) + m * delta * spent


def test_p_values_are_rounded_up_and_lower_bounds_are_below_the_level() -> None:
    # Exact: two coins, both right, at odds 3 (epsilon = ln 3 is just above its double).
    double = Fraction(math.log(3))
    assert 0 <= one_run_p_value(2, 2, 2, double, 0) - 9 / 16 < 1e-15
    assert one_run_p_value(5, 5, 0, 1, 0) == 1
    found = largest_refuted(DPClaim(Fraction(9), Fraction(1, 10**5)), 200, 100, 90, ERROR)
    claim = DPClaim(Fraction(found), Fraction(1, 10**5))
    assert p_value(claim, 200, 100, 90) < ERROR
    assert p_value(claim.at(Fraction(found) + Fraction(1, 1000)), 200, 100, 90) > ERROR
    assert largest_refuted(claim, 200, 100, 50, ERROR) == 0


def test_delta_costs_and_the_published_ceiling() -> None:
    every = [
        largest_refuted(DPClaim(Fraction(1), d), 1000, 1000, 1000, ERROR) for d in (Fraction(0), Fraction(1, 10**6))
    ]
    assert every[0] > every[1] > 4
    assert every[0] == pytest.approx(-math.log(10 ** (3 / 1000) - 1), abs=1e-5)


def test_a_curve_is_tested_at_its_best_point() -> None:
    for claim in (GDPClaim(Fraction(1, 2)), ZCDPClaim(Fraction(1, 8))):
        points = [DPClaim(e, claim.delta_of(e)) for e in claim.points() if claim.delta_of(e) < 1]
        assert p_value(claim, 60, 30, 27) == min(p_value(point, 60, 30, 27) for point in points)
    assert 0.3 < largest_refuted(GDPClaim(Fraction(1)), 20, 10, 10, Fraction(1, 20)) < 3


# ------------------------------------------------------------------------------------ its level


def test_the_level_of_randomised_response_on_the_boundary() -> None:
    from scipy.stats import binom

    rng, repeats = np.random.default_rng(5), 4_000
    for m, eps in ((100, 1), (1000, 3)):
        right = rng.binomial(m, math.exp(eps) / (1 + math.exp(eps)), size=repeats)
        p = {int(v): one_run_p_value(m, m, int(v), eps, 0) for v in np.unique(right)}
        found = np.array([p[int(v)] for v in right])
        for level in (0.05, 0.01):
            assert (found <= level).sum() <= binom.ppf(0.9999, repeats, level)
        assert (found <= 0.05).sum() >= binom.ppf(0.0001, repeats, 0.03)  # and it has power on the boundary


def test_the_level_with_delta_spent_on_disclosing_everything() -> None:
    from scipy.stats import binom

    m, eps, delta, repeats, rng = 100, 1, Fraction(1, 100), 4_000, np.random.default_rng(6)
    right = rng.binomial(m, math.exp(eps) / (1 + math.exp(eps)), size=repeats)
    right = np.where(rng.random(repeats) < float(delta), m, right)
    p = {int(v): one_run_p_value(m, m, int(v), eps, delta) for v in np.unique(right)}
    assert sum(p[int(v)] <= 0.05 for v in right) <= binom.ppf(0.9999, repeats, 0.05)
    ignored = {v: one_run_p_value(m, m, v, eps, 0) for v in p}
    assert sum(ignored[int(v)] <= 0.01 for v in right) > binom.ppf(0.9999, repeats, 0.01)


def test_planted_bug_the_best_of_many_looks_is_wrong_more_often_than_promised() -> None:
    from scipy.stats import binom

    m, eps, repeats, rng = 1000, 1, 2_000, np.random.default_rng(7)
    right = rng.random((repeats, m)) < math.exp(eps) / (1 + math.exp(eps))
    counts = right.cumsum(axis=1)
    looks = range(50, m + 1, 50)
    # The least count at each look whose p-value is at most the level, so that no repetition asks for a ball.
    least = [int(binom.isf(0.05, r, math.exp(eps) / (1 + math.exp(eps)))) + 1 for r in looks]
    assert all(
        one_run_p_value(r, r, v, eps, 0) <= 0.05 < one_run_p_value(r, r, v - 1, eps, 0)
        for r, v in zip(looks, least, strict=True)
    )
    often = (counts[:, [r - 1 for r in looks]] >= np.array(least)).any(axis=1).sum()
    assert often > binom.ppf(0.9999, repeats, 0.05)
    assert (counts[:, -1] >= least[-1]).sum() <= binom.ppf(0.9999, repeats, 0.05)


def test_e_values_average_to_at_most_one() -> None:
    """Of a p-value with any law under which it is valid; here the exact one of twenty coins."""
    at = [math.comb(20, v) / 2**20 for v in range(21)]
    values = [e_value(one_run_p_value(20, 20, v, 0, 0)) for v in range(21)]
    assert sum(p * e for p, e in zip(at, values, strict=True)) <= 1
