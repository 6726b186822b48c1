"""A filter of approximate DP where balls decide nothing, and where nothing is spent."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpref.privacy import filters
from dpref.privacy.events.ledger import Compose, Event, Exponential, Gaussian, Ledger
from dpref.privacy.filters import ApproximateDPFilter, Spending, agrees
from dpref.units import PrivacyLoss, PureDP, ReplaceOne

THOUSANDTH = Fraction(1, 1000)


@pytest.mark.parametrize(("decision", "admitted"), [(1, True), (0, False), (-1, False)])
def test_a_loss_that_balls_cannot_decide_is_not_admitted(
    monkeypatch: pytest.MonkeyPatch, decision: int, admitted: bool
) -> None:
    monkeypatch.setattr(filters, "sign", lambda _difference, *, limit: decision)
    room = ApproximateDPFilter(Fraction(1), THOUSANDTH, Fraction(0), ReplaceOne)
    assert room.admits(PrivacyLoss(Fraction(1, 100), PureDP, ReplaceOne)) is admitted


def test_a_release_that_loses_nothing_is_admitted() -> None:
    room = ApproximateDPFilter(THOUSANDTH, THOUSANDTH, Fraction(0), ReplaceOne)
    assert room.admits(PrivacyLoss(Fraction(0), PureDP, ReplaceOne))
    assert not room.admits(PrivacyLoss(THOUSANDTH, PureDP, ReplaceOne))


def test_what_answers_add_up_to_leaves_choices_aside() -> None:
    choice = Exponential(Fraction(1))
    assert filters._gaussian_rho({Gaussian(Fraction(2)): 3, choice: 5}) == Fraction(3, 8)
    assert filters._gaussian_rho({choice: 5}) == 0


ANSWER, OTHER, CHOICE = Gaussian(Fraction(2)), Gaussian(Fraction(3)), Exponential(Fraction(1))


@pytest.mark.parametrize(
    ("spending", "observed", "agreed"),
    [
        ("stopped", (ANSWER, ANSWER), True),
        ("stopped", (ANSWER, ANSWER, ANSWER), False),
        ("stopped", (OTHER,), False),
        ("stopped", (CHOICE, CHOICE, CHOICE), False),
        ("filtered", (OTHER, OTHER, OTHER), True),
        ("filtered", (CHOICE,), True),
        ("filtered", (CHOICE, CHOICE), True),
        ("filtered", (CHOICE, CHOICE, CHOICE), False),
        ("filtered", (Exponential(Fraction(2)),), False),
        ("filtered", (ANSWER, ANSWER, OTHER), False),
    ],
)
def test_a_run_agrees_with_no_more_than_was_planned(
    spending: Spending, observed: tuple[Event, ...], agreed: bool
) -> None:
    planned = Ledger(Compose((ANSWER, ANSWER, CHOICE, CHOICE)), ReplaceOne)
    assert agrees(spending, planned, Ledger(Compose(observed), ReplaceOne)) is agreed
