"""Portfolios of bets: that none wins on average under the claim, that the last word is a ball, and what they gain."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpref.foreign.betting import GRAIN, STAKES, log_factors, split
from dpref.foreign.claims import Claim, DPClaim, GDPClaim
from dpref.foreign.events import EACH, Event, Field
from dpref.foreign.mechanism import audit_mechanism
from dpref.foreign.portfolios import MOST_BETS, Bet, Play, Portfolio
from dpref.foreign.wealth import COLUMNS, Shared, Wealth, certified, choose
from dpref.reals import FloatArray
from property_tests.foreign_mechanisms import BROKEN

ABOVE, BELOW = Event(0, "above", 0.5, (), 1), Event(0, "below", -0.5, (), 0)
HIGHER, ODD = Event(0, "above", -0.5, (), 1), Event(0, "in", 0.0, (-1.0, 1.0), 0)
THIRD = GRAIN // 3
CLAIM = DPClaim(Fraction(1))
PAIRED = Portfolio((Bet(ABOVE, None), Bet(BELOW, None)), (GRAIN // 2, GRAIN // 2))
STEPS = Portfolio((Bet(ABOVE, None), Bet(HIGHER, None), Bet(ODD, None)), (THIRD, THIRD, THIRD))
OUTCOMES = np.array([[-1.0], [0.0], [1.0]])


def play_of(portfolio: Portfolio, claim: Claim) -> Play:
    return Play.begin(claim, [portfolio], np.array([GRAIN]), split(np.zeros((1, len(STAKES)))))


def grown(portfolio: Portfolio, claim: Claim, first: FloatArray, second: FloatArray) -> FloatArray:
    """What each stake comes to in some runs, a logarithm."""
    play = play_of(portfolio, claim).after(first, second)
    cases, times = play.seen(0)
    return np.asarray(portfolio.logs(claim, cases) @ times)


def factors(portfolio: Portfolio, claim: Claim) -> FloatArray:
    """What the middle stake multiplies by, of each pair of outcomes, shape (d0, d1)."""
    return np.array([[math.exp(grown(portfolio, claim, x[None], y[None])[6]) for y in OUTCOMES] for x in OUTCOMES])


def laws(epsilon: float, delta: float) -> list[tuple[FloatArray, FloatArray]]:
    """Pairs of laws on three outcomes at the edge of the claim: for some event, nothing is left."""
    e, found = math.exp(epsilon), []
    for q in (0.02, 0.1, 0.3):
        p = min(e * q + delta, 1.0)
        for rest in (0.0, 0.5, 1.0):
            first, second = [(1 - q) * rest, (1 - q) * (1 - rest), q], [(1 - p) * rest, (1 - p) * (1 - rest), p]
            found.append((np.array(first), np.array(second)))
    high = (e + delta) / (1 + e)  # randomised response: nothing is left in either order
    return [*found, (np.array([high, 0, 1 - high]), np.array([1 - high, 0, high]))]


def allowed(first: FloatArray, second: FloatArray, epsilon: float, delta: float) -> bool:
    e = math.exp(epsilon)
    over = [np.maximum(x - e * y, 0).sum() for x, y in ((first, second), (second, first))]
    return bool(max(over) <= delta + 1e-12)


def coupled(first: FloatArray, second: FloatArray) -> list[FloatArray]:
    """Joint laws with these margins: independent, as alike as can be, and as unlike."""
    found = [np.outer(first, second)]
    for order in (slice(None), slice(None, None, -1)):
        joint, x, y = np.zeros((3, 3)), first.copy(), second[order].copy()
        for i, j in itertools.product(range(3), range(3)):
            mass = min(x[i], y[j])
            joint[i, j] += mass
            x[i], y[j] = x[i] - mass, y[j] - mass
        found.append(joint[:, order])
    return found


@pytest.mark.parametrize("portfolio", [PAIRED, STEPS, Portfolio.alone(ABOVE, None)])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.0, 0.0), (0.5, 0.1), (2.0, 0.01), (0.0, 0.2)])
def test_no_portfolio_wins_on_average_under_the_claim_however_the_two_runs_depend(
    portfolio: Portfolio, epsilon: float, delta: float
) -> None:
    won = factors(portfolio, DPClaim(Fraction(epsilon), Fraction(delta)))
    tried = [(x, y) for x, y in laws(epsilon, delta) if allowed(x, y, epsilon, delta)]
    means = [float((joint * won).sum()) for x, y in tried for joint in coupled(x, y)]
    assert len(means) >= 6
    assert max(means) <= 1 + 1e-12
    assert won.min() > 0


def test_the_edge_of_the_claim_is_reached() -> None:
    """So that the test above could fail: against a little less, the paired portfolio wins on randomised response."""
    first, second = laws(1.0, 0.0)[-1]
    joint = np.outer(first, second)
    assert float((joint * factors(PAIRED, DPClaim(Fraction(1)))).sum()) == pytest.approx(1, abs=1e-12)
    assert float((joint * factors(PAIRED, DPClaim(Fraction(9, 10)))).sum()) > 1.001


def test_planted_bug_a_portfolio_that_stakes_more_than_there_is_is_refused() -> None:
    """Two bets at full stake each: both lose where the outcomes are exchanged, and the factor would be negative."""
    with pytest.raises(ArithmeticError, match="stakes more than there is"):
        Portfolio(PAIRED.bets, (GRAIN, GRAIN))
    with pytest.raises(ArithmeticError, match="stakes more than there is"):
        Portfolio(PAIRED.bets, (GRAIN + 1, -1))
    with pytest.raises(ArithmeticError, match="do not fit"):
        Portfolio(PAIRED.bets, (GRAIN,))
    with pytest.raises(ArithmeticError, match="do not fit"):
        Portfolio((Bet(ABOVE, None),) * (MOST_BETS + 1), (1,) * (MOST_BETS + 1))
    with pytest.raises(ArithmeticError, match="more than one feature"):
        Portfolio((Bet(ABOVE, None), Bet(Event(1, "above", 0.5, (), 1), None)), (1, 1))


def test_an_epoch_cannot_stake_more_than_there_is() -> None:
    stakes = split(np.zeros((2, len(STAKES))))
    with pytest.raises(ArithmeticError, match="stake more than there is"):
        Play.begin(CLAIM, [PAIRED, STEPS], np.array([GRAIN, 1]), stakes)
    with pytest.raises(ArithmeticError, match="stake more than there is"):
        Play.begin(CLAIM, [PAIRED, STEPS], split(np.zeros(2)), stakes + GRAIN)
    with pytest.raises(ArithmeticError, match="do not fit"):
        Play.begin(CLAIM, [PAIRED], split(np.zeros(2)), stakes)


def test_the_ball_is_the_formula() -> None:
    """With e^epsilon = 2 in the formula of the module's head, run by run and in fractions."""
    delta, two = Fraction(1, 50), Fraction(math.log(2))  # a double: e to it is 2 up to 1e-16
    rng = np.random.default_rng(0)
    first, second = (OUTCOMES[rng.integers(0, 3, 40)] for _ in range(2))
    claim = DPClaim(two, delta)
    play = play_of(STEPS, claim).after(first[:15], second[:15]).after(first[15:], second[15:])
    exact = Fraction(0)
    for stake, weight in zip(STAKES, play.stakes[0].tolist(), strict=True):
        term = Fraction(weight, GRAIN)
        for x, y in zip(first, second, strict=True):
            won = Fraction(0)
            for (event, _), part in zip(STEPS.bets, STEPS.parts, strict=True):
                there, other = (y, x) if event.speaks_for else (x, y)
                payoff = int(event.of(there[None])[0]) - 2 * int(event.of(other[None])[0]) - delta
                won += Fraction(part, GRAIN) * payoff / (2 + delta)
            term *= 1 + stake * won
        exact += term
    found = play.certified(within=math.inf)
    assert abs(float(found.mid()) / float(exact) - 1) < 1e-13
    assert float(np.exp(play.logs()).sum()) == pytest.approx(float(exact), rel=1e-9)
    assert 0 < play.certified(within=0.5) < found


def test_counts_do_not_depend_on_how_runs_come_in() -> None:
    rng = np.random.default_rng(1)
    first, second = (OUTCOMES[rng.integers(0, 3, 300)] for _ in range(2))
    whole = play_of(STEPS, CLAIM).after(first, second)
    parts = play_of(STEPS, CLAIM)
    for i in range(0, 300, 7):
        parts = parts.after(first[i : i + 7], second[i : i + 7])
    assert np.array_equal(whole.seen(0), parts.seen(0))
    assert int(whole.seen(0)[1].sum()) == 300
    assert repr(whole.certified()) == repr(parts.certified())


def test_a_portfolio_on_both_tails_grows_faster_than_a_bet_on_either() -> None:
    """Laplace noise at seven tenths of its scale."""
    rng = np.random.default_rng(2)
    first, second = rng.laplace(0, 0.7, (2000, 1)), rng.laplace(1, 0.7, (2000, 1))
    upper, lower = Event(0, "above", 1.0, (), 1), Event(0, "below", 0.0, (), 0)
    both = Portfolio((Bet(upper, None), Bet(lower, None)), (GRAIN // 2, GRAIN // 2))
    alone = max(grown(Portfolio.alone(event, None), CLAIM, first, second).max() for event in (upper, lower))
    assert alone > 0
    assert grown(both, CLAIM, first, second).max() > 1.3 * alone


@pytest.mark.parametrize(
    "claim", [DPClaim(Fraction(1, 2)), DPClaim(Fraction(1, 4), Fraction(1, 100)), GDPClaim(Fraction(1, 2))]
)
def test_the_choice_is_frozen_and_is_made_of_events_in_both_orders(claim: Claim) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.laplace(0, 1, (400, 2)), rng.laplace(1, 1, (400, 2))
    portfolios, won = choose(claim, Field(first, second))
    again, _ = choose(claim, Field(first.copy(), second.copy()))
    several = [p for p in portfolios if len(p.bets) > 1]
    assert portfolios == again
    assert won.shape == (len(portfolios), len(STAKES))
    assert 0 < len(several) <= COLUMNS
    assert {bet.event.speaks_for for bet in several[0].bets} == {0, 1}
    assert all(sum(p.parts) <= GRAIN for p in portfolios)


def test_a_pool_counts_what_was_seen() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(0, 1, (500, 1)), rng.normal(2, 1, (500, 1))
    field = Field(first, second)
    (pool,) = field.pools(log_factors(np.array([1.0]), np.zeros(1)), 3)
    assert 2 < len(pool.events) <= 2 * EACH
    assert int(pool.times.sum()) == 500
    for j, event in enumerate(pool.events):
        both, hit, alarm, _ = event.counts(first, second)
        assert int(pool.times @ pool.hits[:, j]) == both + hit
        assert int(pool.times @ pool.alarms[:, j]) == both + alarm


@pytest.mark.slow
def test_the_wealth_under_the_claim_is_no_more_than_the_error_allows() -> None:
    """Randomised response at the claim's edge, with all that an audit chooses: 300 games, looked at throughout."""
    from scipy.stats import binom

    rng, claim, high, last = np.random.default_rng(5), DPClaim(Fraction(1)), math.e / (1 + math.e), 0.0
    peaks = []
    for _ in range(300):
        first = (rng.random((800, 1)) > high).astype(float)
        second = (rng.random((800, 1)) < high).astype(float)
        wealth, peak = Wealth(claim), 0.0
        for begin, end in ((200, 400), (400, 800)):
            wealth.begin(Field(first[:begin], second[:begin]))
            peak = max(peak, *(wealth.see(first[i : i + 100], second[i : i + 100]) for i in range(begin, end, 100)))
        peaks.append(peak)
        last = float(certified([wealth.plays]).lower())
    assert np.count_nonzero(np.exp(peaks) >= 20) <= binom.ppf(0.9999, 300, 1 / 20)
    assert last > 0


def test_parts_of_a_wealth_are_averaged() -> None:
    rng, claim = np.random.default_rng(6), DPClaim(Fraction(1))
    first, second = rng.laplace(0, 0.4, (800, 1)), rng.laplace(1, 0.4, (800, 1))
    together, alone, nothing = Shared(claim, 2), Wealth(claim), Field(first[:200, :0], second[:200, :0])
    together.begin(0, Field(first[:200], second[:200]))
    together.begin(1, nothing)  # it keeps its half
    alone.begin(Field(first[:200], second[:200]))
    log, own = together.see(first[200:], second[200:]), alone.see(first[200:], second[200:])
    assert own > 5
    assert log == pytest.approx(math.log((math.exp(own) + 1) / 2))
    assert float(certified(together.plays()).mid()) == pytest.approx(math.exp(log))
    assert certified(together.plays()) < certified([alone.plays])
    assert together.strongest is together.parts[0]
    assert certified(()) == 1


def test_a_learned_score_costs_half_of_the_wealth_at_the_most() -> None:
    """On cut-off noise a classifier of a few hundred runs sees what is not there, and 2,000 runs refuted nothing."""
    pytest.importorskip("sklearn")
    mechanism = next(m for m in BROKEN if m.name == "noise_cut_off")
    found = [
        audit_mechanism(
            mechanism.run,
            (mechanism.d0, mechanism.d1),
            DPClaim(mechanism.epsilon, mechanism.delta),
            adjacency=mechanism.adjacency,
            learn=learn,
            seed=2,
        ).statements[0]
        for learn in (False, True)
    ]
    assert found[0].e_value > 100
    assert found[1].e_value >= found[0].e_value / 2 * (1 - 1e-9)
