"""How many records are drawn: tails, laws on few numbers that bound it from both sides, and what they rest on."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import pytest
from flint import arb

from dpref.errors import PrecisionError
from dpref.privacy.closed_forms import binomial
from dpref.reals import ball, precision

THIRD, HALF = Fraction(1, 3), Fraction(1, 2)
Law = tuple[tuple[int, Fraction], ...]


def masses(trials: int, rate: Fraction) -> list[Fraction]:
    return [math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(trials + 1)]


def at_least(law: Law, k: int) -> Fraction:
    return sum((w for j, w in law if j >= k), Fraction(0))


# ------------------------------------------------------------------------------------ tails


@pytest.mark.parametrize("bits", [24, 53, 200])
@pytest.mark.parametrize(("trials", "rate"), [(1, THIRD), (9, HALF), (40, Fraction(1, 50)), (40, Fraction(49, 50))])
def test_a_tail_and_its_complement_hold_the_exact_sums(bits: int, trials: int, rate: Fraction) -> None:
    exact = masses(trials, rate)
    for least in range(1, trials + 2):
        with precision(bits):
            tail, rest = binomial.binomial_tail(trials, rate, least)
        with precision(bits + 200):
            assert tail.overlaps(ball(sum(exact[least:], Fraction(0))))
            assert rest.overlaps(ball(sum(exact[:least], Fraction(0))))
            small = min((tail, rest), key=lambda x: float(x.mid()))
            assert small.rad() <= abs(small.mid()) * arb(2) ** (8 - bits)


def test_a_number_is_rounded_in_both_directions_to_320_bits() -> None:
    unit = Fraction(1, 2**320)
    with precision(500):
        third = ball(THIRD)
        assert binomial._rational(third, up=True) == math.ceil(THIRD / unit) * unit
        assert binomial._rational(third, up=False) == math.floor(THIRD / unit) * unit
        wide = arb(0).union(arb(1))
        assert binomial._rational(wide, up=True) >= 1
        assert binomial._rational(wide, up=False) <= 0
        with pytest.raises(PrecisionError):
            binomial._rational(arb("nan"), up=True)


def test_a_tail_of_a_million_terms_is_summed_and_of_more_is_refused() -> None:
    """At most 60 roots of the variance, rounded up and one added: here 60 16666 = 999,960 and 60 16667 = 1,000,020."""
    for trials, rate in ((4 * (16667**2 - 2), HALF), (10**9, Fraction(1, 10**9)), (900, HALF)):
        binomial._check_work(trials, rate)
    for trials in (4 * (16667**2 - 2) + 1, 4 * (16667**2 - 1)):
        with pytest.raises(PrecisionError, match="too long to be summed"):
            binomial._check_work(trials, HALF)
    binomial._check_work(10**6, Fraction(1, 3))
    assert binomial._check_work(16667**2 * 9 // 2 - 18, THIRD) is None  # type: ignore[func-returns-value]
    with pytest.raises(PrecisionError, match="too long to be summed"):
        binomial._check_work(16667**2 * 9 // 2, THIRD)


def test_what_a_cut_does_to_a_record_is_bounded_on_the_private_side() -> None:
    """Its share from above and its rate from below, both exact sums within their last bits."""
    rate, batch, records = Fraction(1, 5), 3, 9
    others, everyone = masses(records - 1, rate), masses(records, rate)
    full = sum(others[batch:], Fraction(0))
    kept = Fraction(batch, records) * sum(everyone[batch + 1 :], Fraction(0))
    unit = Fraction(1, 2**300)
    for bits in (53, 128, 400):
        with precision(bits):
            found = binomial.truncation(rate, batch, records)
        with precision(500):
            assert found.full.overlaps(ball(full))
            assert found.free.overlaps(ball(1 - full))
        assert kept / full <= found.share_above < kept / full + unit
        true = (1 - full) * rate + kept
        assert true - unit < found.rate_below <= true


# ------------------------------------------------------------------------------------ few numbers


@pytest.mark.parametrize(
    ("trials", "rate", "most"), [(60, THIRD, 5), (60, THIRD, 59), (60, Fraction(1, 50), 20), (200, HALF, 30)]
)
def test_two_laws_on_few_numbers_bound_the_number_that_is_drawn(trials: int, rate: Fraction, most: int) -> None:
    """Each is the law itself with the mass between two numbers moved to one of them, up to the last bits."""
    exact = masses(trials, rate)
    tails = [sum(exact[k:], Fraction(0)) for k in range(trials + 2)]
    draws = binomial.binomial_draws(trials, rate, most)
    assert sum(w for _, w in draws.above) == sum(w for _, w in draws.below) == 1
    assert all(w > 0 for _, w in (*draws.above, *draws.below))
    points = binomial._told_apart(trials, rate, most)
    tiny = Fraction(1, 2**300)
    for a, b in itertools.pairwise(points):
        assert tails[a + 1] <= at_least(draws.above, b) < tails[a + 1] + tiny
        assert tails[b] - tiny < at_least(draws.below, b) <= tails[b]
    assert {k for k, _ in (*draws.above, *draws.below)} <= set(points)


@pytest.mark.parametrize(("trials", "rate"), [(1, THIRD), (5, THIRD), (12, Fraction(1, 7))])
def test_a_short_law_is_exact(trials: int, rate: Fraction) -> None:
    for most in (trials, trials + 3):
        draws = binomial.binomial_draws(trials, rate, most)
        assert draws.above == draws.below == tuple(enumerate(masses(trials, rate)))
    assert binomial.binomial_draws(trials, Fraction(1), 1).above == ((trials, Fraction(1)),)
    assert binomial.binomial_draws(trials, Fraction(1), 1).below == ((trials, Fraction(1)),)


def test_weights_are_positive_where_a_tail_is_one_or_zero_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least one of 2000 coins shows heads but for 2^-2000: rounded up that is one, and no more."""
    draws = binomial.binomial_draws(2000, HALF, 7)
    assert all(w > 0 for _, w in (*draws.above, *draws.below))
    honest = binomial.binomial_tail

    def unsure(trials: int, rate: Fraction, least: int) -> tuple[arb, arb]:
        tail, rest = honest(trials, rate, least)
        return (tail.union(arb(-(2.0**-300))), rest) if least == trials else (tail, rest)

    monkeypatch.setattr(binomial, "binomial_tail", unsure)
    draws = binomial.binomial_draws(60, THIRD, 5)
    assert all(w > 0 for _, w in (*draws.above, *draws.below))
    assert sum(w for _, w in draws.above) == sum(w for _, w in draws.below) == 1


def test_a_law_whose_weights_are_long_is_not_exact() -> None:
    """8192 bits are what is written down: 32 times 256, and not 33 times 256 or 32 times 257."""
    rate, longer = Fraction(1, 2**255), Fraction(1, 2**256)
    assert binomial.binomial_draws(32, rate, 40).above[0][1] == (1 - rate) ** 32
    assert binomial.binomial_draws(33, rate, 40).above[0][1] != (1 - rate) ** 33
    assert binomial.binomial_draws(32, longer, 40).above[0][1] != (1 - longer) ** 32


@pytest.mark.parametrize(
    ("trials", "rate", "most"),
    [
        (300, THIRD, 5),
        (10**6, Fraction(1, 10), 1000),
        (10**6, Fraction(9, 10), 100),
        (10**6, Fraction(1, 10**6), 28),
        (10**6, Fraction(1, 10**6), 40),
        (1000, HALF, 1000),
        (1000, HALF, 999),
        (1000, Fraction(9, 10), 1000),
        (10**6, Fraction(9, 11), 10**5),
        (40, Fraction(1, 50), 60),
        (10, 1 - Fraction(1, 10**40), 3),
    ],
)
def test_numbers_are_told_apart_from_12_deviations_below_the_mean_to_14_and_14_more_above(
    trials: int, rate: Fraction, most: int
) -> None:
    mean = trials * float(rate)
    deviation = math.sqrt(trials * float(rate) * float(1 - rate))
    first, last = max(mean - 12 * deviation, 0.0), min(mean + 14 * deviation + 14, float(trials))
    if last <= most:
        expected = set(range(min(trials, most) + 1))
    else:
        stride = max(math.ceil((last - first) / most), 1)
        begin, end = math.floor(first), min(math.ceil(last), trials)
        expected = {k for k in range(begin, end + 1) if (k - begin) % stride == 0}
    assert binomial._told_apart(trials, rate, most) == sorted({0, trials} | expected)


@pytest.mark.parametrize(("records", "group", "batch"), [(10, 2, 5), (10, 5, 2), (12, 4, 9), (7, 1, 1)])
def test_the_records_of_a_group_in_a_batch(records: int, group: int, batch: int) -> None:
    whole, ways = min(group, batch), math.comb(records, batch)
    exact = [Fraction(math.comb(group, k) * math.comb(records - group, batch - k), ways) for k in range(whole + 1)]
    draws = binomial.hypergeometric_draws(records, group, batch, whole)
    assert dict(draws.above) == dict(draws.below) == {k: p for k, p in enumerate(exact) if p}
    for most in range(whole):
        draws = binomial.hypergeometric_draws(records, group, batch, most)
        missing = sum(exact[most + 1 :], Fraction(0))
        above = [*exact[: most + 1], *[Fraction(0)] * (whole - most)]
        above[whole] += missing
        below = [exact[0] + missing, *exact[1 : most + 1]]
        assert {k: sum(w for j, w in draws.above if j == k) for k, _ in draws.above} == {
            k: p for k, p in enumerate(above) if p
        }
        assert dict(draws.below) == {k: p for k, p in enumerate(below) if p}


@pytest.mark.parametrize("spared", [False, True])
@pytest.mark.parametrize(
    ("records", "few"), [(2**17 - 1, 2**20 // 17), (2**18, 2**20 // 19), (2**31, 2**15), (2**31 - 1, 2**20 // 31)]
)
def test_the_ways_to_draw_a_batch_are_counted_up_to_a_million_bits(
    records: int, few: int, spared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many numbers as 2^20 bits hold are drawn, or left out; one more is too many.  They are not counted here."""
    monkeypatch.setattr(binomial, "math", SimpleNamespace(comb=lambda *_: 1))
    batch, more = (records - few, records - few - 1) if spared else (few, few + 1)
    assert binomial.hypergeometric_draws(records, 1, batch, 1).above[0] == (0, Fraction(1))
    with pytest.raises(PrecisionError, match="too many to be counted"):
        binomial.hypergeometric_draws(records, 1, more, 1)
