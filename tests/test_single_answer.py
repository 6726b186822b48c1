"""A single answer: its curve inverted, against explicit inverses, exact enumeration and the accountant by grids."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.accountants import accountant_named, certify
from dpref.privacy.events.expression import parse_event, parse_number
from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, RandomizedResponse
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.pld import single_answer
from dpref.privacy.pld.accountant import pld_delta, pld_epsilon
from dpref.privacy.pld.pairs import pairs
from dpref.reals import ball, exact, precision
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

MILLIONTH = Fraction(1, 10**6)


def ledger(text: str, adjacency: type[Adjacency]) -> Ledger[Any]:
    return Ledger(parse_event(text), adjacency)


EVENTS = [
    ("poisson(gaussian(2), rate=1/10)", AddOrRemoveOne, "1e-6"),
    ("poisson(laplace(1/2), rate=1/3)", AddOrRemoveOne, "1e-3"),
    ("poisson(discrete_gaussian(3, 2), rate=1/4)", ZeroOut, "1e-4"),
    ("discrete_laplace(2, 3)", ZeroOut, "1/50"),
    ("poisson(exponential(2), rate=1/5)", ZeroOut, "1/100"),
    ("poisson(poisson(laplace(1), rate=1/2), rate=1/5)", AddOrRemoveOne, "1/1000"),
    ("sample_without_replacement(discrete_gaussian(0.499,3), 2, 10)", ReplaceOne, ".0996"),
    ("sample_without_replacement(laplace(1), 3, 7)", ReplaceOne, "1/50"),
    ("sample_without_replacement(gaussian(1), 2, 9)", ReplaceOne, "1/10000"),
    ("laplace(1/3)", ReplaceOne, "1/4"),
    ("randomized_response(2, 5)", ReplaceOne, "1/4"),
    ("exponential(1)", ReplaceOne, "1/10"),
    ("noisy_max(1, laplace)", ReplaceOne, "1/10"),
    ("compose(compose(discrete_laplace(1, 2), 1))", ReplaceOne, "1/10"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "adjacency", "at"), EVENTS, ids=[text for text, *_ in EVENTS])
def test_the_grids_hold_what_the_curve_says(text: str, adjacency: type[Adjacency], at: str) -> None:
    event, d = ledger(text, adjacency), parse_number(at)
    found, grid = single_answer.epsilon(event, d), pld_epsilon(event, d, relative_width=Fraction(1, 50))
    assert grid.lower <= found.lower * (1 + 1e-14)
    assert found.upper <= grid.upper * (1 + 1e-14)
    back, coarse = single_answer.delta(event, exact(found.upper)), pld_delta(event, 1, relative_width=Fraction(1, 20))
    assert back.upper <= d * (1 + Fraction(1, 10**12))
    here = single_answer.delta(event, 1)
    assert coarse.lower <= here.upper
    assert here.lower <= coarse.upper


TIGHT = [case for case in EVENTS if "exponential" not in case[0] and "noisy_max" not in case[0]]


@pytest.mark.parametrize(("text", "adjacency", "at"), TIGHT, ids=[text for text, *_ in TIGHT])
def test_both_ends_are_neighbours_and_each_is_proved(text: str, adjacency: type[Adjacency], at: str) -> None:
    event, d = ledger(text, adjacency), parse_number(at)
    found = single_answer.epsilon(event, d)
    assert found.upper <= math.nextafter(found.lower, math.inf) * (1 + 2e-15)
    leaf = multiplicities(event.event)
    (pair_set,) = (pairs(e, adjacency) for e in leaf)
    with precision(400):
        assert all(pair.curve(ball(exact(found.upper)))[0] <= ball(d) for pair in (pair_set.remove, pair_set.add))
        attained = [p for p in (pair_set.attained_remove, pair_set.attained_add) if p is not None]
        assert any(pair.curve(ball(exact(found.lower)))[0] >= ball(d) for pair in attained)


def test_sampled_randomized_response_has_an_explicit_inverse() -> None:
    with mpmath.workdps(40):
        rate, d = mpmath.mpf("0.0238"), mpmath.mpf("1e-6")
        p = 1 / (1 + mpmath.exp(-mpmath.mpf("5.73")))
        truth = mpmath.log(1 + rate * ((p - d / rate) / (1 - p) - 1))
        assert mpmath.nstr(truth, 15) == "2.11692512407193"
        found = single_answer.epsilon(
            ledger("poisson(randomized_response(5.73),rate=.0238)", AddOrRemoveOne), MILLIONTH
        )
        assert found.lower - 4e-15 <= truth <= found.upper + 4e-15


def test_a_sampled_gaussian_is_its_formula() -> None:
    with mpmath.workdps(40):
        rate, mu, e = mpmath.mpf(1) / 100, mpmath.mpf(1), mpmath.mpf(1)
        z = mpmath.log((mpmath.exp(e) - 1 + rate) / rate) / mu + mu / 2
        removal = rate * mpmath.ncdf(mu - z) - (mpmath.exp(e) - 1 + rate) * mpmath.ncdf(-z)
        found = single_answer.delta(ledger("poisson(gaussian(1), rate=1/100)", AddOrRemoveOne), 1)
        assert found.relative_width < 1e-15
        assert found.lower <= removal <= found.upper
        assert mpmath.nstr(removal, 12) == "2.73200926155e-9"


def test_one_answer_is_answered_by_its_curve_alone() -> None:
    event = ledger("poisson(gaussian(1), rate=1/100)", AddOrRemoveOne)
    assert certify(event, delta=MILLIONTH).method == single_answer.METHOD
    assert certify(event, epsilon=1).method == single_answer.METHOD
    twice = ledger("compose(poisson(gaussian(1), rate=1/100), 2)", AddOrRemoveOne)
    with pytest.raises(UnsupportedEventError, match="curve: answers for a single event, not for a composition"):
        certify(twice, delta=MILLIONTH, accountant="curve")
    assert accountant_named("curve").refused(twice)
    for two in (twice, ledger("compose(laplace(1), laplace(2))", ReplaceOne), ledger("compose()", ReplaceOne)):
        with pytest.raises(UnsupportedEventError, match="single event"):
            single_answer.epsilon(two, MILLIONTH)


def test_the_ends_of_the_line() -> None:
    assert single_answer.epsilon(ledger("laplace(2)", ReplaceOne), Fraction(1, 2)).upper == 0
    assert single_answer.delta(ledger("laplace(2)", ReplaceOne), 7).upper == 0
    at_the_end = single_answer.delta(ledger("laplace(2)", ReplaceOne), Fraction(1, 2))
    assert at_the_end.lower == 0 <= at_the_end.upper < 1e-150
    tiny = single_answer.epsilon(ledger("poisson(gaussian(1), rate=1e-12)", AddOrRemoveOne), Fraction(1, 10**300))
    assert 9 < tiny.lower <= tiny.upper < 10
    far = single_answer.delta(ledger("poisson(gaussian(1), rate=1/2)", ZeroOut), 10**60)
    assert far.lower == 0
    for wrong in (0, 1, 1e-6, True):
        with pytest.raises(InvalidArgumentError):
            single_answer.epsilon(ledger("laplace(2)", ReplaceOne), wrong)  # type: ignore[arg-type]


def test_an_unattained_bound_has_a_lower_end_of_what_is_attained() -> None:
    assert single_answer.epsilon(ledger("noisy_max(1, laplace)", ReplaceOne), Fraction(1, 10)).lower == 0
    found = single_answer.epsilon(ledger("variance_reduced_gaussian(2, 1, 10)", ReplaceOne), Fraction(1, 20))
    assert 0 < found.lower < found.upper * (1 - 1e-3)
    assert found.slack >= found.upper - found.lower


def test_planted_bug_a_curve_that_is_too_low_contradicts_the_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = Poisson(RandomizedResponse(Fraction(2), 2, "category"), Fraction(1, 3))
    event = Ledger(sampled, AddOrRemoveOne)
    grid = pld_epsilon(event, Fraction(1, 100))
    honest = single_answer._bounds

    def halved(found: Any) -> Any:
        return [lambda x, c=curve: tuple(part / 2 for part in c(x)) for curve in honest(found)]

    monkeypatch.setattr(single_answer, "_bounds", halved)
    assert single_answer._crossing(halved(pairs(event.event, AddOrRemoveOne)), Fraction(1, 100), 1.0, above=False)[
        0
    ] < (grid.lower)


def test_planted_bug_an_undecided_sign_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def blurred(x: arb) -> tuple[arb, arb]:
        return arb(0).union(arb(1)), arb(1)

    assert single_answer._crossing([blurred], Fraction(1, 100), 1.0, above=False)[0] == math.inf
    assert single_answer._crossing([blurred], Fraction(1, 100), 1.0, above=True)[0] == 0
    pair_set = pairs(Gaussian(Fraction(1)), ReplaceOne)
    monkeypatch.setattr(single_answer, "_bounds", lambda _: [blurred])
    assert single_answer.epsilon(Ledger(Gaussian(Fraction(1)), ReplaceOne), Fraction(1, 100)).upper == math.inf
    assert pair_set.remove is pair_set.add
