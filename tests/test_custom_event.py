"""A mechanism of the user's own: what is assumed composes like what is known, is marked everywhere, or is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import certify, survey
from dpref.privacy.closed_forms.curves import gaussian_curve
from dpref.privacy.event_calibration import calibrate
from dpref.privacy.events.custom import AssumedPair, CurvePair, Custom, FinitePair, GibbsPair
from dpref.privacy.events.expression import parse_template
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Gaussian,
    Ledger,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.pld.accountant import pld_delta
from dpref.privacy.pld.pairs import gaussian_pair, pairs
from dpref.privacy.renyi.accountant import event_curve
from dpref.privacy.renyi.curves import compose, renyi_to_delta, renyi_to_epsilon
from dpref.privacy.renyi.selection import select
from dpref.reals import BALL, ball, lower, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

DELTA = Fraction(1, 10**6)
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
COIN = FinitePair((3 * QUARTER, QUARTER), (QUARTER, 3 * QUARTER), attained=True)
LOPSIDED = FinitePair((HALF, HALF), (QUARTER, 3 * QUARTER), attained=True)
# (ln 3, 1/100)-DP, as an outcome that gives the record away.
LEAKY = FinitePair(
    (Fraction(1, 100), Fraction(0), Fraction(297, 400), Fraction(99, 400)),
    (Fraction(0), Fraction(1, 100), Fraction(99, 400), Fraction(297, 400)),
    attained=True,
)


def everywhere(pair: AssumedPair, name: str = "mine") -> Custom:
    """One pair under every adjacency."""
    return Custom(name, pair, pair, pair)


def response(epsilon: Fraction, categories: int) -> Custom:
    """Randomised response as a user would write it."""
    first = (epsilon, *[Fraction(0)] * (categories - 1))
    return everywhere(GibbsPair(first, (first[1], first[0], *first[2:]), attained=True))


# ------------------------------------------------------------------------------------ what the library knows as well

RR3 = RandomizedResponse(Fraction(1), 3, null="category")
WRITTEN: list[tuple[Callable[[Event], Event], type[Adjacency]]] = [
    (lambda e: e, ReplaceOne),
    (lambda e: Repeat(e, 5), AddOrRemoveOne),
    (lambda e: Compose((e, Gaussian(Fraction(2)), Repeat(Gaussian(Fraction(3)), 2), e)), ZeroOut),
]


def everywhere_said(
    custom: Custom, known: Event, wrap: Callable[[Event], Event], adjacency: type[Adjacency]
) -> tuple[list[Any], list[Any]]:
    """What every accountant says of a custom event, and of the library's own one, marked as the custom one is."""
    ours, others = (survey(Ledger(wrap(event), adjacency), delta=DELTA) for event in (custom, known))
    marked = [o.interval and replace(o.interval, assumed=("mine",)) for o in others]
    return [o.interval for o in ours], marked


@pytest.mark.parametrize(("wrap", "adjacency"), WRITTEN)
def test_randomised_response_as_a_custom_event_is_the_librarys_own(
    wrap: Callable[[Event], Event], adjacency: type[Adjacency]
) -> None:
    ours, known = everywhere_said(response(Fraction(1), 3), RR3, wrap, adjacency)
    assert ours == known
    assert len(ours) - ours.count(None) >= 2


@pytest.mark.parametrize("epsilon", [Fraction(101, 100), Fraction(99, 100)])
def test_planted_bug_another_epsilon_is_another_interval(epsilon: Fraction) -> None:
    ours, known = everywhere_said(response(epsilon, 3), RR3, lambda e: e, ReplaceOne)
    assert not any(one == other for one, other in zip(ours, known, strict=True) if one is not None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrap", "adjacency"),
    [
        (lambda e: Repeat(Poisson(e, Fraction(1, 10)), 4), AddOrRemoveOne),
        (lambda e: Repeat(SampleWithoutReplacement(e, 1, 10), 4), ReplaceOne),
        (lambda e: Poisson(e, Fraction(1)), AddOrRemoveOne),
    ],
)
def test_sampling_keeps_the_upper_end_and_claims_nothing_attained(
    wrap: Callable[[Event], Event], adjacency: type[Adjacency]
) -> None:
    ours = certify(Ledger(wrap(response(Fraction(1), 3)), adjacency), delta=DELTA, accountant="pld")
    known = certify(Ledger(wrap(RR3), adjacency), delta=DELTA, accountant="pld")
    assert ours.upper == pytest.approx(known.upper, rel=1e-3)
    assert known.lower <= ours.upper
    assert ours.lower in {0.0, known.lower}
    assert ours.assumed == ("mine",)


@pytest.mark.slow
def test_a_curve_of_the_users_own_is_the_librarys_own() -> None:
    curve = CurvePair(gaussian_pair(QUARTER).curve, symmetric=True, attained=True)
    ours = everywhere(replace(curve), "mine")
    for count in (1, 3):
        ledgers = (Ledger(Repeat(e, count), ReplaceOne) for e in (ours, Gaussian(Fraction(2))))
        one, other = (certify(ledger, delta=DELTA, accountant="pld") for ledger in ledgers)
        assert one == replace(other, assumed=("mine",))


def test_the_reverse_of_a_curve_is_the_curve_of_the_reverse() -> None:
    given = pairs(everywhere(LOPSIDED), AddOrRemoveOne)
    turned = pairs(everywhere(CurvePair(given.remove.curve)), AddOrRemoveOne).add
    for x in (Fraction(k, 7) for k in range(-10, 11)):
        for one, other in zip(given.add.curve(ball(x)), turned.curve(ball(x)), strict=True):
            assert one.overlaps(other)


# ------------------------------------------------------------------------------------ a second computation


def enumerated(pair: FinitePair, count: int, mu: Fraction, epsilon: Fraction) -> arb:
    """Delta of ``count`` answers with finitely many outcomes and a Gaussian one: the sum over all sequences."""
    total, sequences = arb(0), [(Fraction(1), Fraction(1))]
    for _ in range(count):
        sequences = [
            (p * u, q * v) for p, q in sequences for u, v in zip(pair.first, pair.second, strict=True) if u or v
        ]
    for p, q in sequences:
        if p and q:
            total += ball(p) * gaussian_curve(BALL, ball(epsilon) - ball(p / q).log(), ball(mu))[0]
        elif p:
            total += ball(p)
    return total


# The losses of a lopsided pair are no multiples of one number: what lies below is then as rough as the grid.
@pytest.mark.slow
@pytest.mark.parametrize(("pair", "width"), [(COIN, 0.01), (LEAKY, 0.01), (LOPSIDED, 0.25)])
def test_a_composition_with_a_gaussian_holds_the_enumeration(pair: FinitePair, width: float) -> None:
    event = Compose((Repeat(everywhere(pair), 2), Gaussian(Fraction(2))))
    for epsilon in (HALF, Fraction(2)):
        backward = FinitePair(pair.second, pair.first)
        both = [enumerated(p, 2, HALF, epsilon) for p in (pair, backward)]
        found = pld_delta(Ledger(event, AddOrRemoveOne), epsilon, relative_width=Fraction(1, 100))
        assert found.lower <= max(map(upper, both))
        assert found.upper >= max(map(lower, both))
        assert found.width <= width * found.upper


def test_planted_bug_mass_that_is_lost_below_the_interval_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = FinitePair.outcomes
    monkeypatch.setattr(FinitePair, "outcomes", lambda pair: outcomes(pair)[1:])
    with pytest.raises((AssertionError, PrecisionError)):
        test_a_composition_with_a_gaussian_holds_the_enumeration(COIN, 0.01)


def test_one_infinite_loss_is_never_within_a_smaller_delta() -> None:
    for count in (1, 3):
        found = certify(Ledger(Repeat(everywhere(LEAKY), count), ReplaceOne), delta=DELTA)
        assert found.lower >= 1.7e308
        assert found.upper == float("inf")
    sampled = Ledger(Poisson(everywhere(LEAKY), Fraction(1, 10)), AddOrRemoveOne)
    assert certify(sampled, delta=Fraction(1, 1001)).upper == float("inf")
    assert certify(sampled, delta=Fraction(1, 999)).upper < float("inf")


def test_where_records_are_replaced_both_orders_count() -> None:
    ledger = Ledger(everywhere(LOPSIDED), ReplaceOne)
    found = certify(ledger, epsilon=Fraction(0))
    assert found.lower <= 0.25 <= found.upper
    # ln 2 one way, ln 3/2 the other.
    assert certify(ledger, delta=DELTA).lower == pytest.approx(0.69314718, abs=1e-4)
    turned = everywhere(FinitePair(LOPSIDED.second, LOPSIDED.first, attained=True))
    assert certify(Ledger(turned, ReplaceOne), delta=DELTA) == certify(ledger, delta=DELTA)


def test_two_mechanisms_that_attain_their_pairs_need_not_attain_them_together() -> None:
    a, b = everywhere(COIN, "a"), everywhere(COIN, "b")
    alone, both = (certify(Ledger(event, ReplaceOne), delta=DELTA) for event in (Repeat(a, 2), Compose((a, b))))
    assert alone.lower > 2
    assert both.lower == 0
    assert both.upper == pytest.approx(alone.upper, rel=1e-3)
    assert both.assumed == ("a", "b")


@pytest.mark.parametrize("adjacency", [ZeroOut, ReplaceOne])
def test_nor_on_a_batch_that_is_all_of_the_data(adjacency: type[Adjacency]) -> None:
    a, b = everywhere(COIN, "a"), everywhere(LOPSIDED, "b")
    for pair in ((a, b), (a, a)):
        inner = Compose(pair)
        event = SampleWithoutReplacement(inner, 3, 3) if adjacency is ReplaceOne else Poisson(inner, Fraction(1))
        found = certify(Ledger(event, adjacency), epsilon=Fraction(1, 10))
        assert (found.lower == 0) == (pair == (a, b))
        assert found.upper > 0


def test_two_pairs_of_one_name_are_two_mechanisms() -> None:
    # Each alone has no loss above ln 3; a lower end at 3/2 would need one pair of neighbours that attains both.
    event = Compose((everywhere(COIN), everywhere(LOPSIDED)))
    found = certify(Ledger(event, AddOrRemoveOne), epsilon=Fraction(3, 2))
    assert found.lower == 0 < found.upper
    assert found.assumed == ("mine",)


def test_a_sample_of_a_sample_at_rate_one_is_a_sample() -> None:
    sampled, twice = (Poisson(inner, HALF) for inner in (everywhere(COIN), Poisson(everywhere(COIN), Fraction(1))))
    one, other = (certify(Ledger(event, AddOrRemoveOne), epsilon=Fraction(1, 10)) for event in (sampled, twice))
    assert one == other
    assert other.lower == 0


# ------------------------------------------------------------------------------------ divergences


def test_a_curve_of_divergences_says_what_it_rests_on() -> None:
    run = event_curve(everywhere(COIN), ReplaceOne)
    several = compose([run.repeat(2), event_curve(Gaussian(Fraction(1)), ReplaceOne)])
    best = select(several, eta=1, gamma=HALF)
    intervals = [run.at(2), several.at(2), renyi_to_epsilon(several, DELTA), renyi_to_delta(best, 9), best.at(2)]
    assert {interval.assumed for interval in intervals} == {("mine",)}


def test_a_divergence_of_the_users_own_is_taken_and_one_that_contradicts_the_pair_is_refused() -> None:
    assert event_curve(everywhere(COIN), ReplaceOne).at(2).upper == pytest.approx(0.8472978603872036)
    bounded = Custom("mine", replace_one=COIN, renyi=ball)
    assert event_curve(bounded, ReplaceOne).at(2).upper == 2
    wrongs: list[Any] = [lambda order: ball(order) / 100, lambda _: arb(-1), lambda _: arb("nan"), lambda _: 1.0]
    for wrong in wrongs:
        with pytest.raises(InvalidArgumentError, match="renyi = "):
            Custom("mine", replace_one=COIN, renyi=wrong)
    # A pair that is not attained may be far above what is spent.
    Custom("mine", replace_one=replace(COIN, attained=False), renyi=lambda order: ball(order) / 100)


def test_a_divergence_is_held_against_a_curve_too() -> None:
    curve = CurvePair(gaussian_pair(Fraction(4)).curve, symmetric=True, attained=True)
    Custom("mine", replace_one=curve, renyi=lambda order: 2 * ball(order))
    with pytest.raises(InvalidArgumentError, match="contradicts replace_one at order"):
        Custom("mine", replace_one=curve, renyi=lambda order: ball(order) / 100)
    with pytest.raises(UnsupportedEventError, match="no Rényi curve is assumed"):
        event_curve(Custom("mine", replace_one=curve), ReplaceOne)


# ------------------------------------------------------------------------------------ what is refused

LEANING = pairs(everywhere(LOPSIDED), AddOrRemoveOne).remove.curve  # ln 2 one way, ln 3 / 2 the other
COMPLAINTS: list[tuple[Callable[[], object], str]] = [
    (lambda: FinitePair((HALF, QUARTER), (HALF, HALF)), "first = 3/4: must sum to one; add the missing mass"),
    (lambda: FinitePair((HALF, HALF), (Fraction(3, 2), -HALF)), "second = -1/2: must not be negative"),
    (lambda: FinitePair((HALF, HALF), (Fraction(1),)), "second = 1: must have as many outcomes as first, 2"),
    (lambda: FinitePair((), ()), "first = 0: must sum to one"),
    (lambda: FinitePair((0.5, 0.5), (HALF, HALF)), "must be an exact number"),  # type: ignore[arg-type]
    (lambda: GibbsPair((HALF,), (Fraction(10**5),)), "second = 100000: must lie between -10000 and 10000"),
    (lambda: GibbsPair((True,), (HALF,)), "first = True: must be an exact number"),  # type: ignore[arg-type]
    (lambda: GibbsPair((-(10**5),), (1,)), "first = -100000: must lie between"),  # type: ignore[arg-type]
    (lambda: FinitePair((HALF,) * 2, (HALF,) * 2, attained="no"), "must be a bool"),  # type: ignore[arg-type]
    (lambda: GibbsPair((HALF,), (HALF,), attained=1), "attained = 1: must be a bool"),  # type: ignore[arg-type]
    (lambda: CurvePair(LEANING, symmetric=True), "symmetric = True: contradicts the curve"),
    (lambda: CurvePair(LEANING, symmetric="no"), "symmetric = 'no': must be a bool"),  # type: ignore[arg-type]
    (lambda: Custom(None, replace_one=COIN), "name = None: must be a letter"),  # type: ignore[arg-type]
    (lambda: GibbsPair((), ()), "must have from 1 to 1000 outcomes"),
    (lambda: CurvePair(lambda x: (arb(0), arb(0))), "curve = .*no mass may be missing"),
    (lambda: CurvePair(lambda x: (1 - x.exp() / 2, arb(1) / 2)), "curve = .*between max"),
    (lambda: CurvePair(lambda x: (arb(1), arb(1))), "must be convex"),
    (lambda: CurvePair(lambda x: (arb("nan"), arb(0))), "must return two finite balls"),
    (lambda: Custom("mine"), "needs a pair for one adjacency: replace_one, add_or_remove_one, zero_out"),
    (lambda: everywhere(COIN, "two words"), "name = 'two words': must be a letter"),
    (lambda: Custom("mine", replace_one=COIN.first), "must be a FinitePair"),  # type: ignore[arg-type]
]


def test_weights_may_be_negative_integers() -> None:
    assert GibbsPair((1, -1), (-1, 1)) == GibbsPair((Fraction(1), Fraction(-1)), (Fraction(-1), Fraction(1)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("make", "complaint"), COMPLAINTS)
def test_what_is_no_pair_is_refused(make: Callable[[], object], complaint: str) -> None:
    with pytest.raises(InvalidArgumentError, match=complaint):
        make()


def scaled(share: Fraction) -> CurvePair:
    """A Gaussian pair that has lost mass."""
    curve = gaussian_pair(Fraction(1)).curve
    return CurvePair(lambda x: (ball(share) * curve(x)[0], ball(share) * curve(x)[1]))


def test_planted_bug_a_curve_that_has_lost_mass_is_seen() -> None:
    scaled(Fraction(1))
    with pytest.raises(InvalidArgumentError, match="no mass may be missing"):
        scaled(Fraction(999, 1000))


@pytest.mark.parametrize(
    ("event", "adjacency", "why"),
    [
        (Custom("mine", replace_one=COIN), ZeroOut, "no pair is assumed under it; give zero_out"),
        (Poisson(everywhere(COIN), HALF), ZeroOut, "give a pair for add_or_remove_one"),
        (Poisson(Poisson(everywhere(COIN), Fraction(1)), HALF), ZeroOut, "give a pair for add_or_remove_one"),
        (Poisson(everywhere(COIN), HALF), ReplaceOne, "use add-or-remove-one or zero-out"),
        (SampleWithoutReplacement(everywhere(COIN), 1, 2), ZeroOut, "use replace-one"),
        (Poisson(Repeat(everywhere(COIN), 2), HALF), ZeroOut, "give a pair for add_or_remove_one"),
    ],
)
def test_what_is_not_assumed_is_not_guessed(event: Event, adjacency: type[Adjacency], why: str) -> None:
    with pytest.raises(UnsupportedEventError, match=why):
        certify(Ledger(event, adjacency), delta=DELTA)


# ------------------------------------------------------------------------------------ marks


@pytest.mark.slow
def test_every_interval_says_what_it_rests_on() -> None:
    ledger = Ledger(Compose((everywhere(COIN), Poisson(everywhere(COIN, "other"), HALF))), AddOrRemoveOne)
    for outcome in survey(ledger, delta=DELTA):
        assert outcome.interval is None or outcome.interval.assumed == ("mine", "other")
    best = certify(ledger, delta=DELTA)
    assert str(best).endswith("(assumed: mine, other)")
    plain = replace(best, assumed=())
    assert best.intersection(plain).assumed == plain.intersection(best).assumed == best.assumed
    template = parse_template(f"compose({everywhere(COIN)}, ?)")
    assert calibrate(template, epsilon=2, delta=DELTA, adjacency=ReplaceOne).spent.assumed == ("mine",)
