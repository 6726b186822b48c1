"""Which accountants are asked, and how finely: the boundaries of what counts as narrow, single, or out of time."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from dpref.privacy import accountants as front
from dpref.privacy.accountant import Accountant
from dpref.privacy.accountants import certify, survey
from dpref.privacy.events.ledger import Compose, Gaussian, Ledger, NonPrivate, Repeat
from dpref.privacy.interval import Interval
from dpref.units import ReplaceOne

MILLIONTH = Fraction(1, 10**6)
LEDGER = Ledger(Gaussian(Fraction(1)), ReplaceOne)


def between(low: float, high: float, name: str = "x", quantity: str = "epsilon") -> Interval:
    return Interval(low, high, quantity, name, 128, ReplaceOne)


def fixed(name: str, low: float, high: float, **more: Any) -> Accountant:
    """An accountant that always says the same."""
    return Accountant(
        name, name, more.pop("supports", lambda event, adjacency: True),
        lambda ledger, at: between(low, high, name), lambda ledger, at: between(low, high, name, "delta"), **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "narrow"),
    [
        (999.1, 1000.0, True),
        (999.0005, 1000.0, True),
        (998.9, 1000.0, False),
        (0.0, 0.0, True),
        (math.inf, math.inf, False),
        (0.0, 1.0, False),
    ],
)
def test_an_answer_is_narrow_up_to_a_thousandth_of_its_upper_end(low: float, high: float, narrow: bool) -> None:
    assert front._is_narrow(between(low, high)) is narrow
    assert front._is_narrow(None) is False


@pytest.mark.parametrize(("high", "asked"), [(1000.0, []), (1001.5, ["slow"])])
def test_a_slow_accountant_is_asked_after_a_wide_answer_alone(
    monkeypatch: pytest.MonkeyPatch, high: float, asked: list[str]
) -> None:
    monkeypatch.setattr(front, "_ACCOUNTANTS", {})
    front.register(fixed("quick", 999.1, high))
    front.register(fixed("slow", 999.5, 1000.0, slow=True))
    found = [o.accountant for o in front._outcomes(LEDGER, MILLIONTH, None, front.accountants(), impatient=True)]
    assert found == ["quick", *asked]
    assert [o.accountant for o in survey(LEDGER, delta=MILLIONTH)] == ["quick", "slow"]


def test_who_composes_the_same_pairs_slower_is_not_asked_after_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "_ACCOUNTANTS", {})
    front.register(fixed("refuses", 1.0, 2.0, supports=lambda event, adjacency: False))
    front.register(fixed("answers", 1.0, 2.0))
    front.register(fixed("same as refuses", 1.0, 2.0, after=("refuses",)))
    front.register(fixed("same as answers", 1.0, 2.0, after=("refuses", "answers")))
    found = [o.accountant for o in front._outcomes(LEDGER, MILLIONTH, None, front.accountants(), impatient=True)]
    assert found == ["refuses", "answers", "same as refuses"]


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Repeat(Gaussian(Fraction(1)), 2), "answers for a single event, not for a composition"),
        (Gaussian(Fraction(1)), f"no theorem for {Gaussian(Fraction(1))}"),
    ],
)
def test_who_answers_for_single_events_says_so_of_two(monkeypatch: pytest.MonkeyPatch, event: Any, said: str) -> None:
    never = fixed("one", 1.0, 2.0, single=True, supports=lambda event, adjacency: False)
    monkeypatch.setattr(front, "_ACCOUNTANTS", {"one": never})
    assert [o.refusal for o in survey(Ledger(event, ReplaceOne), delta=MILLIONTH)] == [said]


@pytest.mark.parametrize(("count", "more"), [(3, ""), (4, ", ...")])
def test_a_refusal_names_three_events(monkeypatch: pytest.MonkeyPatch, count: int, more: str) -> None:
    monkeypatch.setattr(front, "_ACCOUNTANTS", {"no": fixed("no", 1.0, 2.0, supports=lambda event, adjacency: False)})
    events = [Gaussian(Fraction(k)) for k in range(1, count + 1)]
    (outcome,) = survey(Ledger(Compose(tuple(events)), ReplaceOne), delta=MILLIONTH)
    assert outcome.refusal == "no theorem for " + ", ".join(map(str, events[:3])) + more


@pytest.mark.parametrize(("asked", "most"), [({"delta": MILLIONTH}, math.inf), ({"epsilon": 1}, 1.0)])
def test_what_is_not_proved_in_time_is_what_holds_of_everything(asked: dict[str, Any], most: float) -> None:
    ticks = iter(range(10**6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpref.privacy.time_limit.clock", lambda: float(next(ticks)))
        found = certify(LEDGER, **asked, limit=0.5)
    assert (found.lower, found.upper, found.wide) == (0.0, most, True)


@pytest.mark.parametrize(
    ("first", "width", "finer"),
    [
        (between(1.0, 1.5), Fraction(between(1.0, 1.5).width), None),  # as narrow as asked, and no narrower
        (between(0.0, 0.0), Fraction(0), None),
        (between(0.0, math.inf), Fraction(1), None),  # no end to be narrow at
        (between(1.0, 2.0), Fraction(1, 2), Fraction(1, 4)),
        (between(0.125, 0.5), Fraction(1, 4), Fraction(1, 2)),
        (between(0.0, 0.5), Fraction(1, 4), Fraction(1, 2)),
        (between(1.0, 2.0), MILLIONTH, Fraction(1, 10**5)),  # no finer than in reasonable time
    ],
)
def test_a_grid_of_balls_is_made_finer_where_its_interval_is_too_wide(
    monkeypatch: pytest.MonkeyPatch, first: Interval, width: Fraction, finer: Fraction | None
) -> None:
    last = between(1.0, 1.0)

    def answer(_ledger: object, _delta: object, relative_width: Fraction | None = None) -> Interval:
        if relative_width is None:
            return first
        assert relative_width == finer
        return last

    monkeypatch.setattr(front, "pld_epsilon", answer)
    assert front._pld_within(LEDGER, MILLIONTH, width) is (first if finer is None else last)


def test_balls_have_a_theorem_for_curves_and_for_answers_without_noise() -> None:
    balls = front.accountant_named("pld")
    assert balls.supports(Gaussian(Fraction(1)), ReplaceOne)
    assert balls.supports(NonPrivate(), ReplaceOne)
