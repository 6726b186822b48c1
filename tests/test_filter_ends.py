"""A filter of approximate DP where balls decide nothing, and where nothing is spent."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpref.privacy import filters
from dpref.privacy.events.ledger import Exponential, Gaussian
from dpref.privacy.filters import ApproximateDPFilter
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
