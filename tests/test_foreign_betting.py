"""The bets: that none of them wins on average under the claim, that the last word is a ball, and what runs can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb

from dpref.foreign.betting import GRAIN, STAKES, Expert, Round, certified_wealth, crossed, log_epoch, log_factors, split
from dpref.foreign.claims import Claim, DPClaim, GDPClaim, ZCDPClaim
from dpref.foreign.events import Event, Field
from dpref.foreign.layout import MOST_TRIALS, bet_on, epoch_ends, looks, slots, start_of
from dpref.foreign.limits import ceiling, grid, trials_needed
from dpref.foreign.process import Bound

ERROR = Fraction(1, 1000)


def some_round(experts: int, counts: list[list[int]], seed: int = 0) -> Round:
    rng = np.random.default_rng(seed)
    return Round(split(3 * rng.normal(size=experts)), split(3 * rng.normal(size=(experts, 10))), np.array(counts))


def mean_wealth(epsilon: float, delta: float, p: float, q: float, runs: int) -> float:
    """The mean of the wealth of an expert whose event has probability p on one data set and q on the other."""
    chances = np.array([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)])
    total, factors = 0.0, log_factors(np.array([epsilon]), np.array([delta]))
    for counts in product(range(runs + 1), repeat=4):
        if sum(counts) == runs:
            ways = math.factorial(runs) / math.prod(math.factorial(n) for n in counts)
            played = some_round(1, [list(counts)])
            wealth = math.exp(log_epoch(played.shares, played.stakes, played.counts, factors))
            total += ways * float(np.prod(chances ** np.array(counts))) * wealth
    return total


@pytest.mark.parametrize(
    ("epsilon", "delta", "q"), [(1.0, 0.0, 0.2), (0.0, 0.0, 0.5), (0.5, 0.1, 0.3), (2.0, 0.01, 0.01)]
)
def test_no_bet_wins_on_average_at_the_boundary_of_the_claim(epsilon: float, delta: float, q: float) -> None:
    p = math.exp(epsilon) * q + delta
    assert mean_wealth(epsilon, delta, p, q, 6) <= 1 + 1e-12
    assert mean_wealth(epsilon, delta, p, q, 6) > 0.99


def test_planted_bug_a_bet_against_less_than_the_claim_wins() -> None:
    assert mean_wealth(0.9, 0.0, math.e * 0.2, 0.2, 6) > 1.001
    assert mean_wealth(0.5, 0.0, math.exp(0.5) * 0.3 + 0.1, 0.3, 6) > 1.001


def test_the_ball_is_the_formula() -> None:
    """With e^epsilon = 2 in the formula of the module's head, in fractions."""
    counts = [[3, 7, 1, 9], [0, 4, 2, 14]]
    played = some_round(2, counts)
    exact, delta = Fraction(0), Fraction(1, 50)
    for k, (both, hit, alarm, none) in enumerate(counts):
        for i, u in enumerate(STAKES):
            rate = u / (2 + delta)
            term = (1 + rate * (1 - 2 - delta)) ** both * (1 + rate * (1 - delta)) ** hit
            weight = Fraction(int(played.shares[k]) * int(played.stakes[k, i]), GRAIN**2)
            exact += weight * term * (1 - u) ** alarm * (1 - rate * delta) ** none
    two = Fraction(math.log(2))  # a double: e to it is 2 up to 1e-16
    found = certified_wealth([played], [[Expert((two, delta), (two, delta))] * 2], within=math.inf)
    assert abs(float(found) / float(exact) - 1) < 1e-13
    kept = certified_wealth([played], [[Expert((two, delta), (two, delta))] * 2], within=1.0)
    assert 0 < kept < found


@pytest.mark.parametrize(
    "claim", [DPClaim(Fraction(1), Fraction(1, 100)), GDPClaim(Fraction(1)), ZCDPClaim(Fraction(1, 2))]
)
def test_neighbouring_claims_are_certified_together(claim: Claim) -> None:
    rng = np.random.default_rng(1)
    values = [claim.value * (1 + Fraction(i, 50)) for i in range(8)]
    for _ in range(5):
        played = some_round(2, rng.integers(0, 40, (2, 4)).tolist(), int(rng.integers(99)))

        def points(value: Fraction) -> tuple[Fraction, Fraction]:
            at = value if isinstance(claim, DPClaim) else Fraction(3, 4)
            return at, claim.at(value).delta_of(at)

        ends = (points(values[0]), points(values[-1]))
        together = certified_wealth([played], [[Expert(*ends)] * 2]).lower()
        each = [certified_wealth([played], [[Expert(points(v), points(v))] * 2], math.inf).upper() for v in values]
        assert all(together <= alone for alone in each)


def test_planted_bug_experts_who_stake_more_than_there_is_are_refused() -> None:
    shares, stakes, counts = np.array([GRAIN, 1]), split(np.zeros((2, 10))), np.zeros((2, 4), dtype=np.int64)
    with pytest.raises(ArithmeticError, match="stake more than there is"):
        Round(shares, stakes, counts)
    with pytest.raises(ArithmeticError, match="stake more than there is"):
        Round(split(np.zeros(2)), stakes + GRAIN, counts)


def test_weights_never_sum_to_more_than_one() -> None:
    rng = np.random.default_rng(0)
    for scale in (0.0, 1.0, 1e3, 1e6):
        weights = split(scale * rng.normal(size=(200, 10)))
        assert weights.sum(axis=-1).max() <= GRAIN
        assert weights.min() >= 0


def test_a_wealth_in_doubt_has_not_crossed() -> None:
    assert crossed(arb(1000.0001), ERROR)
    assert not crossed(arb(1000, 1e-9), ERROR)


# ------------------------------------------------------------------------------------ what runs can show


@pytest.mark.parametrize(("trials", "most"), [(500, 3.68), (2_000, 5.45), (20_000, 7.86), (200_000, 10.16)])
def test_the_ceiling_is_what_an_expert_that_is_never_wrong_reaches(trials: int, most: float) -> None:
    found = ceiling(DPClaim(Fraction(1)), trials, ERROR)
    assert round(found, 2) == most
    assert bet_on(trials) * math.log1p(0.99 / math.exp(found)) == pytest.approx(math.log(1000))


@pytest.mark.parametrize("claim", [DPClaim(Fraction(6)), DPClaim(Fraction(3), Fraction(1, 10)), GDPClaim(Fraction(3))])
def test_the_runs_needed_are_the_least_whose_ceiling_is_above_the_claim(claim: Claim) -> None:
    needed = trials_needed(claim, ERROR)
    assert needed is not None
    if isinstance(claim, DPClaim):
        assert ceiling(claim, needed, ERROR) >= float(claim.value) > ceiling(claim, needed - 1, ERROR)
    else:
        assert ceiling(claim, needed, ERROR) >= float(claim.value)


def test_a_claim_that_nothing_could_refute_needs_no_number() -> None:
    assert trials_needed(DPClaim(Fraction(1000)), ERROR) is None


@pytest.mark.parametrize("batched", [False, True])
def test_every_run_has_its_place(batched: bool) -> None:
    for trials in (220, 230, 400, 1999, 2000, 2001, 2050, 5000, 12_800, 20_050, 51_200, 51_201, 200_000):
        plan = list(slots(trials, batched=batched))
        assert sum(slot.size for slot in plan) == trials
        assert [slot.start for slot in plan] == [start_of(slot.number, batched=batched) for slot in plan]
        bets = [slot.size for slot in plan if slot.start >= 200 and slot.purpose == "runs"]
        assert bet_on(trials, batched=batched) == sum(bets)
        assert next(slot.start for slot in plan if slot.purpose == "control") < 200
        ends = {slot.start + slot.size for slot in plan}
        assert set(looks(trials, batched=batched)) <= ends
        assert set(epoch_ends(trials)) <= set(looks(trials, batched=batched))
        assert looks(trials, batched=batched)[:-1] == looks(trials)[:-1]


def test_the_grid_of_the_bound_reaches_what_the_longest_audit_can_show() -> None:
    for claim in (DPClaim(Fraction(1)), GDPClaim(Fraction(1)), ZCDPClaim(Fraction(1, 8))):
        most = ceiling(claim, MOST_TRIALS, ERROR)
        values = [c.value for c in grid(claim, ERROR)]
        assert values == sorted(set(values))
        assert values[0] <= claim.value / 4
        assert float(values[-1]) >= most


@pytest.mark.parametrize("claim", [DPClaim(Fraction(1, 5)), GDPClaim(Fraction(1, 8))])
def test_a_longer_audit_bets_as_a_shorter_one_on_what_both_can_show(claim: Claim) -> None:
    """Of claims within reach of both, whatever lies beyond; planted bug: a grid that ends there."""
    rng = np.random.default_rng(3)
    values = grid(claim, ERROR)
    shifts = np.linspace(0.2, 3, 24)
    past, now = ([rng.laplace(k * shifts, 1 + k * shifts[::-1], (400, 24)) for k in (0, 1)] for _ in range(2))

    def asked(most: float, over: Sequence[Claim]) -> tuple[set[Event], float]:
        events: set[Event] = set()

        def counts(event: Event) -> tuple[int, int, int, int]:
            events.add(event)
            return event.counts(now[0], now[1])

        bound = Bound(over, ERROR, most)
        bound.begin(Field(past[0], past[1]), claim)
        bound.end(counts)
        return events, bound.value

    short, long = asked(3.0, values), asked(5.0, values)
    assert 0 < short[1] <= long[1]
    assert short[0] <= long[0]
    assert not asked(3.0, [value for value in values if value.value <= 3])[0] <= long[0]
