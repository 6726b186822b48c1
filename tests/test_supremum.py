"""Delta = 0: the largest loss, exact where it is rational, against enumeration, curves and the command line."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb
from typer.testing import CliRunner, Result

from dpref.cli import app
from dpref.errors import BudgetError, InvalidArgumentError, UnsupportedEventError
from dpref.privacy import supremum
from dpref.privacy.accountants import certify, survey
from dpref.privacy.closed_forms import amplification
from dpref.privacy.closed_forms.pure import pure_epsilon
from dpref.privacy.event_calibration import calibrate
from dpref.privacy.events.expression import parse_event, parse_template
from dpref.privacy.events.ledger import Ledger, RandomizedResponse
from dpref.privacy.pld.pairs import pairs
from dpref.reals import BALL, FLOAT, ball, exact, precision
from dpref.units import ADJACENCIES, AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

MILLIONTH = Fraction(1, 10**6)


def ledger(text: str, adjacency: type[Adjacency]) -> Ledger[Any]:
    return Ledger(parse_event(text), adjacency)


def shell(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def spent(text: str, adjacency: type[Adjacency]) -> tuple[float, float]:
    found = certify(ledger(text, adjacency), delta=0)
    return found.lower, found.upper


def test_ten_samples_of_a_laplace_answer() -> None:
    low, high = spent("compose(poisson(laplace(1), rate=1/10), 10)", AddOrRemoveOne)
    assert low == pytest.approx(1.58565078740429, abs=1e-14)
    assert high - low < 1e-14


@pytest.mark.parametrize("adjacency", ADJACENCIES.values())
def test_rational_losses_are_exact(adjacency: type[Adjacency]) -> None:
    text = "compose(compose(laplace(10), 5), discrete_laplace(3, 2), exponential(1/2), noisy_max(1/4, laplace))"
    total = Fraction(1, 2) + Fraction(2, 3) + Fraction(1, 2) + Fraction(1, 4)
    low, high = spent(text, adjacency)
    assert Fraction(low) <= total <= Fraction(high)
    assert high <= math.nextafter(low, math.inf)
    assert pure_epsilon(ledger(text, adjacency)) == total
    assert spent("compose(laplace(10), 10)", adjacency) == (1.0, 1.0)
    assert spent("compose()", adjacency) == (0.0, 0.0)


BOUNDED = [
    ("laplace(3/2)", ReplaceOne),
    ("discrete_laplace(2, 3)", ZeroOut),
    ("randomized_response(1, 3)", ReplaceOne),
    ("randomized_response(1, 3, uniform)", ZeroOut),
    ("randomized_response(2, 2, uniform)", AddOrRemoveOne),
    ("randomized_response(1, 4, category)", AddOrRemoveOne),
    ("poisson(randomized_response(1, 3, uniform), rate=1/3)", ZeroOut),
    ("poisson(randomized_response(1, 3, category), rate=1/3)", AddOrRemoveOne),
    ("poisson(laplace(1), rate=1/4)", AddOrRemoveOne),
    ("poisson(poisson(laplace(1), rate=1/2), rate=1/4)", ZeroOut),
    ("poisson(discrete_laplace(1, 2), rate=1/4)", AddOrRemoveOne),
    ("poisson(exponential(2), rate=1/3)", AddOrRemoveOne),
    ("poisson(noisy_max(2, gumbel), rate=1/3)", ZeroOut),
    ("exponential_mixture(2)", ReplaceOne),
    ("sample_without_replacement(laplace(1), 2, 7)", ReplaceOne),
    ("sample_without_replacement(exponential(1), 2, 7)", ReplaceOne),
    ("sample_without_replacement(randomized_response(1, 2, category), 2, 7)", ReplaceOne),
    ("custom(a, zero_out=finite([1/2, 1/2], [1/4, 3/4], attained=true))", ZeroOut),
    ("custom(a, replace_one=finite([1/2, 1/2], [1/8, 7/8], attained=true))", ReplaceOne),
    ("custom(a, add_or_remove_one=gibbs([1, 0, 1/2], [0, 1, 1/3], attained=true))", AddOrRemoveOne),
    ("approximate(3/2, 0, worst_case=true)", ReplaceOne),
    ("profile([1, 2, 3], [1/2, 0, 0], [1/3, 1/3, 0], worst_case=true)", ZeroOut),
]


@pytest.mark.parametrize(("text", "adjacency"), BOUNDED, ids=[text for text, _ in BOUNDED])
def test_the_largest_loss_is_where_the_curve_reaches_zero(text: str, adjacency: type[Adjacency]) -> None:
    """The dominating pair has no mass above the answer, and some a hair below it."""
    low, high = spent(text, adjacency)
    found = pairs(parse_event(text), adjacency)
    with precision(400):
        above, below = ball(exact(math.nextafter(high, math.inf))), ball(exact(low * (1 - 1e-9)))
        assert max(float(pair.curve(above)[0].upper()) for pair in (found.remove, found.add)) <= 1e-60
        assert max(float(pair.curve(below)[0].lower()) for pair in (found.remove, found.add)) > 0
    assert high - low <= 1e-14 * high


@pytest.mark.slow
def test_a_response_to_samples_against_enumeration() -> None:
    """Fifty random ones: the largest ratio of two answers, for a record in the sample by chance and one who is not."""
    random = np.random.default_rng(1)
    with mpmath.workdps(50):
        for _ in range(50):
            epsilon, rate = Fraction(int(random.integers(1, 40)), 8), Fraction(int(random.integers(1, 20)), 20)
            k, steps = int(random.integers(2, 6)), int(random.integers(1, 5))
            null = str(random.choice(["uniform", "category"]))
            up = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
            truth = [up / (up + k - 1)] + [1 / (up + k - 1)] * (k - 1)
            absent = truth[::-1] if null == "category" else [mpmath.mpf(1) / k] * k
            q = mpmath.mpf(rate.numerator) / rate.denominator
            mixed = [q * t + (1 - q) * a for t, a in zip(truth, absent, strict=True)]
            ratios = [m / a for m, a in zip(mixed, absent, strict=True)]
            expected = steps * max(mpmath.log(max(ratios)), -mpmath.log(min(ratios)))
            text = f"compose(poisson(randomized_response({epsilon}, {k}, {null}), rate={rate}), {steps})"
            low, high = spent(text, AddOrRemoveOne)
            assert low <= expected * (1 + mpmath.mpf(10) ** -30)
            assert expected * (1 - mpmath.mpf(10) ** -30) <= high
            assert high - low <= 1e-14 * high


def test_directions_are_not_mixed() -> None:
    """A pair with losses 1 and -3 and its reverse, composed: 1 + 3 in either direction, not 3 + 3."""
    p, q = Fraction(9, 10), Fraction(1, 2)
    one = f"custom(a, zero_out=finite([{p}, {1 - p}], [{q}, {1 - q}], attained=true))"
    other = f"custom(b, zero_out=finite([{q}, {1 - q}], [{p}, {1 - p}], attained=true))"
    exactly = max(
        math.log(Fraction(a * c) / (b * d))
        for (a, b), (c, d) in product([(p, q), (1 - p, 1 - q)], [(q, p), (1 - q, 1 - p)])
    )
    low, high = spent(f"compose({one}, {other})", ZeroOut)
    assert low == 0.0  # two assumed mechanisms need not attain theirs on the same neighbours
    assert high == pytest.approx(exactly)


@pytest.mark.parametrize(
    ("text", "adjacency", "low", "named"),
    [
        ("compose(laplace(1), gaussian(1))", ReplaceOne, math.inf, "gaussian(noise_multiplier=1)"),
        ("nonprivate()", ReplaceOne, math.inf, "nonprivate()"),
        ("discrete_gaussian(100000)", ReplaceOne, math.inf, "discrete_gaussian"),
        ("gridded_gaussian(100, 1)", ZeroOut, math.inf, "gridded_gaussian"),
        ("poisson(gaussian(1), rate=1/10)", AddOrRemoveOne, math.inf, "poisson"),
        ("sample_without_replacement(gaussian(1), 1, 10)", ZeroOut, math.inf, "sample_without_replacement"),
        ("variance_reduced_gaussian(4, 1, 100)", ReplaceOne, math.inf, "variance_reduced_gaussian"),
        ("approximate(1, 1e-9, worst_case=true)", ReplaceOne, math.inf, "approximate"),
        ("tree_gaussian(1, 8)", ZeroOut, math.inf, "tree_gaussian"),
        ("prefix_sum_sqrt(1, 8, bands=2, min_separation=2, rate=1/4)", AddOrRemoveOne, math.inf, "sampled_column"),
        ("approximate(1, 1e-9)", ReplaceOne, 0.0, "approximate"),
        ("compose(laplace(2), zcdp(1))", ReplaceOne, 0.5, "zcdp"),
    ],
)
def test_what_bounds_nothing_is_infinite_and_named(
    text: str, adjacency: type[Adjacency], low: float, named: str
) -> None:
    found = certify(ledger(text, adjacency), delta=0)
    assert (found.lower, found.upper) == (low, math.inf)
    assert f"nothing bounds that of {named}" in found.method


def test_an_added_record_of_a_sample_has_a_bounded_loss_whatever_the_noise() -> None:
    losses = supremum.largest_losses(parse_event("poisson(gaussian(1), rate=1/10)"), AddOrRemoveOne)
    assert float(losses.add) == pytest.approx(-math.log(0.9))
    assert losses.remove == arb.pos_inf()


def test_parts_of_the_data_cost_as_much_as_the_worst_of_them() -> None:
    assert spent("compose(parallel(laplace(1), laplace(2)), laplace(4))", ZeroOut) == (1.25, 1.25)


def test_refusals() -> None:
    with pytest.raises(UnsupportedEventError, match="null=uniform"):
        spent("randomized_response(1, 3)", AddOrRemoveOne)
    with pytest.raises(UnsupportedEventError, match="contribution"):
        spent("poisson(gaussian(1), rate=1/2)", ReplaceOne)
    with pytest.raises(InvalidArgumentError, match="name none"):
        certify(ledger("laplace(1)", ZeroOut), delta=0, accountant="pld")
    assert [outcome.accountant for outcome in survey(ledger("laplace(1)", ZeroOut), delta=0)] == ["supremum"]


# ------------------------------------------------------------------------------------ calibration, the command line


def test_calibration_at_delta_zero() -> None:
    def found(text: str, adjacency: type[Adjacency]) -> tuple[Fraction, float]:
        made = calibrate(parse_template(text), epsilon=Fraction(1, 2), delta=0, adjacency=adjacency)
        return made.value, made.spent.upper

    assert found("compose(laplace(?), 10)", ReplaceOne) == (Fraction(20), 0.5)
    assert found("compose(randomized_response(1/7), ?)", ReplaceOne)[0] == 3
    rate, upper = found("poisson(laplace(1), rate=?)", AddOrRemoveOne)
    assert upper <= 0.5
    assert float(rate) == pytest.approx((math.exp(0.5) - 1) / (math.e - 1), rel=1e-5)
    with pytest.raises(BudgetError):
        found("gaussian(?)", ReplaceOne)


def test_the_command_line_takes_zero() -> None:
    asked = ["certify", "laplace(2)", "--delta", "0", "--adjacency", "zero-out", "--json"]
    answer = shell(*asked)
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["epsilon"] == {"lower": "0.5", "upper": "0.5"}
    unbounded = shell("certify", "gaussian(2)", "--delta", "0", "--adjacency", "zero-out")
    assert unbounded.exit_code == 3
    assert "epsilon in [inf, inf]" in unbounded.stdout
    assert "nothing bounds that of gaussian" in unbounded.stdout


# ------------------------------------------------------------------------------------ one answer, in closed form


@pytest.mark.slow
def test_the_inverse_of_a_sampled_response_is_its_interval() -> None:
    removed, added = 2.11692512407193, 0.0240076308602990
    assert amplification.sampled_response_removed(FLOAT, 0.0238, 5.73, 1e-6) == pytest.approx(removed, rel=1e-12)
    assert amplification.sampled_response_added(FLOAT, 0.0238, 5.73, 1e-6) == pytest.approx(added, rel=1e-12)
    found = certify(
        ledger("poisson(randomized_response(5.73, 2, category), rate=0.0238)", AddOrRemoveOne), delta=MILLIONTH
    )
    assert found.lower <= removed * (1 + 1e-14)
    assert found.upper >= removed * (1 - 1e-14)
    assert found.width < 1e-14
    random = np.random.default_rng(2)
    for _ in range(50):
        loss, rate = Fraction(int(random.integers(1, 60)), 10), Fraction(int(random.integers(1, 100)), 100)
        share = Fraction(int(random.integers(1, 90)), 100)
        event = parse_event(f"poisson(randomized_response({loss}, 2, category), rate={rate})")
        top = pairs(event, AddOrRemoveOne).add.curve(ball(0))[0]  # at zero both directions' curves are alike
        delta = share * exact(float(top)) / 2
        ways = (amplification.sampled_response_removed, amplification.sampled_response_added)
        inverse = max(float(way(BALL, ball(rate), ball(loss), ball(delta))) for way in ways)
        answer = certify(Ledger(event, AddOrRemoveOne), delta=delta)
        assert answer.lower <= inverse * (1 + 1e-14)
        assert answer.upper >= inverse * (1 - 1e-14)


@pytest.mark.parametrize("text", ["exponential(1)", "exponential_mixture(2)", "poisson(exponential(2), rate=1/5)"])
def test_a_single_choice_has_both_ends(text: str) -> None:
    """At each loss two candidates with fitting scores attain the bound: their chances, enumerated."""
    found = certify(ledger(text, AddOrRemoveOne), epsilon=Fraction(1, 10))
    assert found.width <= 1e-6 * found.upper
    epsilon, rate = (2.0, 0.2) if "poisson" in text else (2.0, 1.0) if "mixture" in text else (1.0, 1.0)
    best = 0.0
    for odds in np.linspace(-6, 6, 4001):
        p, q = (1 / (1 + math.exp(-odds - move)) for move in (epsilon / 2, -epsilon / 2))
        for with_it, without in ((p, q), (1 - q, 1 - p)):
            mixed = rate * with_it + (1 - rate) * without
            best = max(best, mixed - math.exp(0.1) * without, (1 - without) - math.exp(0.1) * (1 - mixed))
    assert best == pytest.approx(found.lower, rel=1e-5)
    assert best <= found.upper


# ------------------------------------------------------------------------------------ planted bugs


def test_planted_bug_a_sample_that_multiplies_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rate times epsilon is below the truth."""
    monkeypatch.setattr(supremum, "sampled_loss", lambda o, rate, epsilon: rate * epsilon)
    assert spent("compose(poisson(laplace(1), rate=1/10), 10)", AddOrRemoveOne)[1] < 1.58565078740429


def test_planted_bug_the_wrong_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supremum, "_amplified", supremum._amplified_reversed)
    assert spent("compose(poisson(laplace(1), rate=1/10), 10)", AddOrRemoveOne)[1] < 1.58565078740429 / 2


def test_planted_bug_a_lower_end_where_no_null_answer_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "poisson(randomized_response(1, 3), rate=1/2)"
    assert spent(text, ZeroOut)[0] == 0.0
    original = supremum._responses
    stated = RandomizedResponse(Fraction(1), 3, "category")
    monkeypatch.setattr(supremum, "_responses", lambda event, adjacency: original(stated, adjacency))
    known = pairs(parse_event("poisson(laplace(1), rate=1/2)"), ZeroOut)
    monkeypatch.setattr(supremum, "pairs", lambda event, adjacency: known)
    assert spent(text, ZeroOut)[0] > 0.6
