"""The front door: who is asked, what is refused, who wins; calibration and its two certificates."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpref.errors import BudgetError, InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy import accountants as front
from dpref.privacy.accountant import Accountant
from dpref.privacy.accountants import accountant_named, accountants, certify, register, survey
from dpref.privacy.calibration import gaussian_noise_multiplier, largest_steps
from dpref.privacy.closed_forms.gaussian import epsilon as gaussian_epsilon
from dpref.privacy.event_calibration import Calibration, calibrate
from dpref.privacy.events.expression import parse_event, parse_number, parse_template
from dpref.privacy.events.ledger import Compose, Event, Exponential, Gaussian, Ledger, NonPrivate, Poisson, Repeat
from dpref.privacy.interval import Interval
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

MILLIONTH = Fraction(1, 10**6)
G = Gaussian(Fraction(10))
LEDGER = Ledger(Repeat(G, 100), ReplaceOne)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> dict[str, Accountant]:
    copy = dict(front._ACCOUNTANTS)
    monkeypatch.setattr(front, "_ACCOUNTANTS", copy)
    return copy


def fixed(name: str, low: float, high: float, **more: Any) -> Accountant:
    """An accountant that always says the same."""

    def say(quantity: str) -> Any:
        return lambda ledger, at: Interval(low, high, quantity, name, 128, ledger.adjacency)

    return Accountant(name, name, lambda event, adjacency: True, say("epsilon"), say("delta"), **more)


def test_a_closed_form_ends_the_search(registry: dict[str, Accountant]) -> None:
    asked: list[str] = []
    for name, accountant in list(registry.items()):

        def spying(ledger: Ledger[Any], at: Fraction, accountant: Accountant = accountant) -> Interval:
            asked.append(accountant.name)
            return accountant.epsilon(ledger, at)

        registry[name] = replace(accountant, epsilon=spying)
    assert certify(LEDGER, delta=MILLIONTH) == gaussian_epsilon(LEDGER, MILLIONTH)
    assert asked == ["gaussian"]


@pytest.mark.slow
def test_every_accountant_holds_the_closed_form() -> None:
    truth = gaussian_epsilon(LEDGER, MILLIONTH)
    outcomes = {o.accountant: o for o in survey(LEDGER, delta=MILLIONTH)}
    assert {"gaussian", "zcdp", "renyi"} <= {name for name, o in outcomes.items() if o.interval is not None}
    for outcome in outcomes.values():
        if outcome.interval is not None:
            assert outcome.interval.lower <= truth.upper
            assert outcome.interval.upper >= truth.lower
            assert outcome.interval.adjacency is ReplaceOne


def test_best_is_the_intersection_and_says_who_won(registry: dict[str, Accountant]) -> None:
    registry.clear()
    register(fixed("low", 1.0, 5.0))
    register(fixed("high", 0.5, 3.0))
    found = certify(LEDGER, delta=MILLIONTH)
    assert (found.lower, found.upper) == (1.0, 3.0)
    assert found.method == "lower: low; upper: high"
    assert certify(LEDGER, delta=MILLIONTH, accountant="high").upper == 3.0


@pytest.mark.slow
def test_planted_bug_an_accountant_that_lies_is_caught(registry: dict[str, Accountant]) -> None:
    registry["gaussian"] = replace(registry["gaussian"], closed_form=False)
    truth = gaussian_epsilon(LEDGER, MILLIONTH)
    register(fixed("liar", 0.0, truth.lower / 2))
    with pytest.raises(PrecisionError, match="disjoint"):
        certify(LEDGER, delta=MILLIONTH)


def test_an_undecided_accountant_is_passed_over_but_not_forgotten(registry: dict[str, Accountant]) -> None:
    def undecided(ledger: Ledger[Any], at: Fraction) -> Interval:
        raise PrecisionError("too hard")

    registry.clear()
    register(replace(fixed("hard", 0.0, 1.0), epsilon=undecided, delta=undecided))
    with pytest.raises(PrecisionError, match="hard: too hard"):
        certify(LEDGER, delta=MILLIONTH)
    register(fixed("easy", 0.0, 9.0))
    assert certify(LEDGER, delta=MILLIONTH).upper == 9.0
    assert [(o.refusal, o.undecided) for o in survey(LEDGER, epsilon=1)] == [("too hard", True), ("", False)]


def test_what_nobody_supports_is_refused_by_name(registry: dict[str, Accountant]) -> None:
    with pytest.raises(UnsupportedEventError, match=r"replace-one adjacency: poisson\(.*nearest that is supported"):
        certify(Ledger(Poisson(G, Fraction(1, 2)), ReplaceOne), delta=MILLIONTH)
    with pytest.raises(UnsupportedEventError) as refused:
        certify(Ledger(Poisson(G, Fraction(1, 2)), ReplaceOne), delta=MILLIONTH)
    assert str(refused.value).count("is not stated") == 1
    assert "say contribution=ball (any is at most half the sensitivity away), or use add-or-remove" in str(
        refused.value
    )
    with pytest.raises(UnsupportedEventError, match=r"say contribution=ball .*poisson\(compose\("):
        certify(Ledger(Poisson(Repeat(G, 2), Fraction(1, 2)), ReplaceOne), delta=MILLIONTH)
    with pytest.raises(UnsupportedEventError, match="gaussian"):
        certify(Ledger(Exponential(Fraction(1)), ZeroOut), delta=MILLIONTH, accountant="gaussian")
    registry.clear()
    with pytest.raises(UnsupportedEventError):
        certify(LEDGER, delta=MILLIONTH)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"delta": MILLIONTH, "epsilon": 1},
        {"delta": 0, "accountant": "gaussian"},
        {"delta": 1},
        {"delta": 1e-6},
        {"delta": float("nan")},
        {"epsilon": -1},
        {"epsilon": 0.5},
        {"epsilon": True},
        {"delta": MILLIONTH, "accountant": "nobody"},
        {"delta": MILLIONTH, "accountant": None},
    ],
)
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        certify(LEDGER, **arguments)


def test_bad_ledgers() -> None:
    no_ledgers: tuple[Any, ...] = (None, G)
    for ledger in no_ledgers:
        with pytest.raises(InvalidArgumentError):
            certify(ledger, delta=MILLIONTH)
    wrong: tuple[Any, ...] = (Adjacency, None, "replace-one")
    for adjacency in wrong:
        with pytest.raises(InvalidArgumentError):
            Ledger(G, adjacency)


def test_without_noise_nothing_is_finite() -> None:
    ledger = Ledger(Compose((G, NonPrivate())), ZeroOut)
    assert certify(ledger, delta=MILLIONTH).lower == math.inf
    assert certify(ledger, epsilon=3).lower == 1
    assert all(o.interval is None or o.interval.upper == math.inf for o in survey(ledger, delta=MILLIONTH))


def test_names() -> None:
    assert [accountant_named(a.name) for a in accountants()] == list(accountants())
    for name in ("best", accountants()[0].name):
        with pytest.raises(InvalidArgumentError, match="registered already"):
            register(fixed(name, 0.0, 1.0))


# ------------------------------------------------------------------------------------ calibration

TENTH = Fraction(1, 10**5)


def budget(epsilon: Fraction | int = 1, **more: Any) -> dict[str, Any]:
    return {"epsilon": epsilon, "delta": TENTH, "adjacency": ReplaceOne, **more}


def spends(event: Event) -> Interval:
    return certify(Ledger(event, ReplaceOne), delta=TENTH)


def test_noise_of_gaussians_agrees_with_the_closed_form() -> None:
    for steps in (1, 1000):
        found = calibrate(parse_template(f"compose(gaussian(?), {steps})"), **budget(digits=12))
        least = Fraction(gaussian_noise_multiplier(1, TENTH, steps=steps))
        assert found.beyond is not None
        assert found.beyond < least <= found.value
        assert found.value - found.beyond == found.unit
        assert found.digits == 12


def test_more_digits_than_a_double_has() -> None:
    found = calibrate(parse_template("gaussian(?)"), **budget(digits=40))
    # mpmath at 60 digits: 3.73063163481594183224982257503742781884345584...
    assert found.decimal(found.value) == "3.730631634815941832249822575037427818844"
    assert found.spent.upper <= 1
    assert found.overspent is not None
    assert found.overspent.lower >= 1


def test_counts_are_exact() -> None:
    found = calibrate(parse_template("compose(gaussian(100), ?)"), **budget())
    assert found.value == largest_steps(100, 1, TENTH)
    assert found.beyond == found.value + 1
    coarse = calibrate(parse_template("compose(gaussian(100000), ?)"), **budget(digits=3))
    assert coarse.decimal(coarse.value) == "718000000"
    assert coarse.beyond == 719_000_000


def test_the_two_certificates_hold() -> None:
    template = parse_template("compose(gaussian(?), compose(gaussian(20), 7))")
    found = calibrate(template, **budget())
    assert found.beyond is not None
    assert spends(template.fill(found.value)).upper <= 1 < spends(template.fill(found.beyond)).lower


def test_budgets_that_nothing_or_everything_meets() -> None:
    with pytest.raises(BudgetError, match="no value of noise_multiplier"):
        calibrate(parse_template("compose(gaussian(?), gaussian(1))"), **budget())
    with pytest.raises(BudgetError, match="no value of count"):
        calibrate(parse_template("compose(gaussian(1), ?)"), **budget())
    with pytest.raises(BudgetError, match="every value of count"):
        calibrate(parse_template("compose(gaussian(100000000000), ?)"), **budget(1000))
    with pytest.raises(BudgetError, match="every value of count"):  # of at most 10^12: 10^15 answers are the most
        calibrate(parse_template("compose(compose(gaussian(1000000000), ?), 1000)"), **budget())


def test_an_accountant_without_a_lower_end_decides_nothing() -> None:
    found = calibrate(parse_template("gaussian(?)"), **budget(accountant="zcdp"))
    assert (found.beyond, found.overspent, found.decided) == (None, None, False)
    less = Ledger(Gaussian(found.value - found.unit), ReplaceOne)
    spent = certify(less, delta=budget()["delta"], accountant="zcdp")
    assert found.spent.upper <= budget()["epsilon"] < spent.upper
    with pytest.raises(PrecisionError, match="accountant zcdp; not even one can"):
        calibrate(parse_template("gaussian(?)"), **budget(accountant="zcdp"), digits=2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": 1.0},
        {"delta": 0, "accountant": "gaussian"},
        {"delta": 1e-5},
        {"digits": 0},
        {"digits": 61},
        {"digits": 2.5},
        {"accountant": "nobody"},
        {"adjacency": None},
    ],
)
def test_bad_budgets(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        calibrate(parse_template("gaussian(?)"), **{**budget(), **arguments})


def test_unsupported_templates() -> None:
    with pytest.raises(UnsupportedEventError):
        calibrate(parse_template("poisson(gaussian(?), rate=1/2)"), **budget())
    with pytest.raises(InvalidArgumentError, match="can only calibrate"):
        calibrate(parse_template("randomized_response(epsilon=1, categories=?)"), **budget())


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (Fraction(5, 4), Fraction(1, 100), "1.25"),
        (Fraction(1), Fraction(1, 1000), "1.000"),
        (Fraction(1, 10**5), Fraction(1, 10**7), "0.0000100"),
        (Fraction(700), Fraction(100), "700"),
    ],
)
def test_the_places_of_a_value_are_shown(value: Fraction, unit: Fraction, text: str) -> None:
    spent = Interval(0.0, 1.0, "epsilon", "x", 128, ReplaceOne)
    found = Calibration("x", value, None, unit, 3, spent, None)
    assert found.decimal(value) == text
    with pytest.raises(InvalidArgumentError):
        found.decimal(value + unit / 3)


FAR_OUT = [
    ("gaussian(1e-1000)", "delta", "1e-6"),
    ("gaussian(1e1000)", "delta", "1e-6"),
    ("gaussian(1e-50)", "epsilon", "1"),
    ("gaussian(1e50)", "epsilon", "1"),
    ("gaussian(1e50)", "delta", "1e-6"),
    ("poisson(gaussian(1e-50), rate=1/2)", "epsilon", "1"),
    ("poisson(gaussian(1), rate=1e-1000)", "delta", "1e-6"),
    ("poisson(gaussian(1e50), rate=1e-50)", "delta", "999/1000"),
    ("poisson(gaussian(1), rate=1/2)", "epsilon", "1e400"),
    ("variance_reduced_gaussian(1e1000, 1, 10)", "delta", "1e-6"),
    ("variance_reduced_gaussian(1e-1000, 1, 10)", "epsilon", "1"),
    ("variance_reduced_gaussian(3, 1, 10)", "delta", "1e-1000"),
    ("variance_reduced_gaussian(3, 1, 10)", "epsilon", "1e400"),
]


@pytest.mark.parametrize(("text", "asked", "at"), FAR_OUT)
def test_numbers_that_are_no_doubles_are_answered_or_refused(text: str, asked: str, at: str) -> None:
    ledger = Ledger(parse_event(text), ZeroOut)
    for accountant in ("fast", "variance-reduced"):
        try:
            found = certify(ledger, **{asked: parse_number(at)}, accountant=accountant)
        except (PrecisionError, UnsupportedEventError):
            continue
        assert {asked, found.quantity} == {"delta", "epsilon"}  # and no other error on the way


def test_sampling_rate_one_is_the_end(registry: dict[str, Accountant]) -> None:
    registry.clear()
    register(fixed("generous", 0.1, 0.2))
    template = parse_template("poisson(gaussian(1), rate=?)")
    found = calibrate(template, **{**budget(), "adjacency": AddOrRemoveOne})
    assert found.value == 1
    assert found.beyond is None
    assert found.overspent is None
    assert parse_event("poisson(gaussian(1), rate=1)") == template.fill(found.value)
