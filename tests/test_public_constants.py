"""The numbers that dp_accounting and prv_accountant test themselves with lie in the certified intervals.

Which do not is written down here and on the page about them: there the interval, which is proved, says otherwise.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb

from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.tradeoff import gaussian_tradeoff_at
from dpref.privacy.events.expression import parse_event, parse_number
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.events.tree import most_nodes
from dpref.privacy.interval import Interval
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.renyi.accountant import divergence
from dpref.reals import ball, exact, precision
from dpref.units import adjacency_named
from tests.public_constants import (
    CLOSED_FORMS,
    DELTAS,
    DIVERGENCES,
    DOTS,
    EPSILONS,
    NOISE,
    NOT_REACHED,
    SPENT,
    TRUE_POSITIVES,
    Answer,
    Delta,
    Divergence,
    Dots,
    Epsilon,
    LeastNoise,
)

PRINTED = Fraction(1, 2 * 10**7)  # what their tests allow where they do not say
TOO_LARGE = {6.70579741e-04, 1.0, 0.67379294682, 3.20956502598}  # see the page


def ledger(text: str, adjacency: str) -> Ledger[Any]:
    return Ledger(parse_event(text), adjacency_named(adjacency))


def curve_at(event: str, adjacency: str, x: Fraction, *, added: bool) -> arb:
    """h of one direction, as a ball."""
    found = pairs(parse_event(event), adjacency_named(adjacency))
    return (found.add if added else found.remove).curve(ball(x))[0]


def reaches(found: Interval, value: float, within: float | Fraction) -> bool:
    """Whether an interval has a number, to within what its author allows."""
    return exact(found.lower) - Fraction(within) <= exact(value) <= exact(found.upper) + Fraction(within)


@pytest.mark.parametrize("row", DELTAS, ids=str)
def test_the_deltas_of_one_answer(row: Delta) -> None:
    with precision(200):
        found = curve_at(row.event, row.adjacency, signed(row.epsilon), added=row.added)
    assert abs(found - ball(exact(row.delta))) <= ball(PRINTED)
    if signed(row.epsilon) >= 0:  # and what is answered, which is for both directions, is no smaller
        assert certify(ledger(row.event, row.adjacency), epsilon=signed(row.epsilon)).upper >= row.delta - float(
            PRINTED
        )


@pytest.mark.parametrize("row", DOTS, ids=str)
def test_the_masses_of_a_grid_that_has_the_curve(row: Dots) -> None:
    """Summed to the curve at the points of the grid; each mass is printed to 7 places at least."""
    step = parse_number(row.step)
    for number in range(min(row.masses), max(row.masses) + 1):
        with precision(200):
            summed = arb(0)
            for other, mass in row.masses.items():
                if other > number:
                    summed += ball(exact(mass)) * (1 - (ball((number - other) * step)).exp())
            for added in (False, True) if row.added is None else (row.added,):
                found = curve_at(row.event, "zero-out", number * step, added=added)
                assert abs(found - summed) <= ball(len(row.masses) * PRINTED)


@pytest.mark.parametrize(("event", "mu_squared", "points"), CLOSED_FORMS)
def test_gaussian_answers_at_the_closed_form(event: str, mu_squared: str, points: tuple[str, ...]) -> None:
    for point in points:
        found = certify(ledger(event, "add-or-remove-one"), epsilon=parse_number(point))
        with mpmath.workdps(30):
            mu, x = mpmath.sqrt(mpmath.mpf(float(Fraction(mu_squared)))), mpmath.mpf(point)
            delta = mpmath.ncdf(-x / mu + mu / 2) - mpmath.exp(x) * mpmath.ncdf(-x / mu - mu / 2)
        assert found.lower * (1 - 1e-12) <= delta <= found.upper * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("row", EPSILONS, ids=lambda row: row.event)
def test_the_epsilons_of_ledgers(row: Epsilon) -> None:
    found = certify(ledger(row.event, "add-or-remove-one"), delta=parse_number(row.delta))
    assert reaches(found, row.epsilon, row.within)


@pytest.mark.slow
@pytest.mark.parametrize("row", SPENT, ids=lambda row: row.event)
def test_what_ledgers_spend(row: Answer) -> None:
    found = certify(ledger(row.event, row.adjacency), epsilon=exact(row.epsilon))
    assert reaches(found, row.delta, row.within)


def meets(row: LeastNoise, parameter: Fraction) -> Interval:
    """Epsilon of a ledger with another parameter."""
    event = row.event.format(parameter) if "1/{}" not in row.event else row.event.replace("1/{}", str(1 / parameter))
    return certify(ledger(event, "add-or-remove-one"), delta=parse_number(row.delta))


@pytest.mark.slow
@pytest.mark.parametrize("row", NOISE, ids=lambda row: row.event)
def test_the_least_noise_of_a_budget(row: LeastNoise) -> None:
    """More noise than the number allows meets the budget, less does not; with discrete noise, more is less."""
    low, high = (meets(row, exact(row.parameter) + sign * exact(row.within)) for sign in (-1, 1))
    if "1/{}" in row.event:
        low, high = high, low
    enough, too_little = high.upper <= float(row.epsilon), low.lower >= float(row.epsilon)
    assert (enough and too_little) == (row.parameter not in TOO_LARGE)


@pytest.mark.parametrize("row", DIVERGENCES, ids=str)
def test_the_renyi_divergences(row: Divergence) -> None:
    found = divergence(ledger(row.event, row.adjacency), parse_number(row.order))
    assert reaches(found, row.value, row.within * row.value) == (row.value not in TOO_LARGE)


@pytest.mark.parametrize("rate", TRUE_POSITIVES)
def test_the_power_of_tests_of_a_gaussian_answer(rate: str) -> None:
    found = gaussian_tradeoff_at(1, parse_number(rate))
    power = TRUE_POSITIVES[rate]
    assert (
        1 - exact(found.upper) - Fraction(power) / 1000
        <= exact(power)
        <= 1 - exact(found.lower) + Fraction(power) / 1000
    )


@pytest.mark.parametrize(("event", "adjacency", "epsilon", "delta"), NOT_REACHED)
def test_the_bounds_of_a_tree(event: str, adjacency: str, epsilon: float, delta: str) -> None:
    assert most_nodes(1600) == 11
    assert certify(ledger(event, adjacency), delta=parse_number(delta)).upper < epsilon


@pytest.mark.slow
def test_the_wrong_constants_are_wrong_by_more_than_their_tests_allow() -> None:
    """Each is too large, so that nobody who used it spent more than was said."""
    ours = divergence(ledger("compose(poisson(gaussian(2.5), rate=0.01), 50)", "add-or-remove-one"), Fraction(3, 2))
    assert 1.0315 < 6.70579741e-04 / ours.upper < 1.0316
    most = divergence(ledger("exponential(1)", "replace-one"), 1000)
    assert most.upper < 0.993
    enough = parse_number("0.67379289247")
    assert (
        certify(ledger(f"poisson(gaussian({enough}), rate=0.01)", "add-or-remove-one"), delta=Fraction(1, 10**5)).upper
        <= 1
    )
    assert 0.67379294682 - float(enough) > float(PRINTED)
    less = parse_number("3.2095645")
    steps = f"compose(poisson(gaussian({less / 6}), rate=0.001), 25)"
    assert certify(ledger(steps, "add-or-remove-one"), delta=Fraction(1, 10**5)).upper <= 1


def test_planted_bug_a_constant_that_is_off_by_a_digit_is_seen() -> None:
    found = certify(ledger("gaussian(1)", "zero-out"), epsilon=Fraction(1))
    assert reaches(found, 0.12693674, PRINTED)
    assert not reaches(found, 0.12693684, PRINTED)


def signed(text: str) -> Fraction:
    """An exact number of either sign."""
    return -parse_number(text[1:]) if text.startswith("-") else parse_number(text)
