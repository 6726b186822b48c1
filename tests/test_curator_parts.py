"""Answers that are not added up: a record is in one part, and a place of the ledger is for choices that share it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.curator import LiveCurator
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.mechanisms.noise import GaussianNoise
from dpref.privacy.closed_forms.composition import basic
from dpref.privacy.events.ledger import Exponential, Gaussian, Ledger, Repeat
from dpref.privacy.filters import agrees
from dpref.problems.erm import Records
from dpref.units import L2, AddOrRemoveOne, ApproximateDP, PrivacyLoss, ReplaceOne, Sensitivity, Span, billboard

DATA = Records(np.zeros((20, 1)), np.arange(20.0))


def curator(adjacency: Any = ReplaceOne) -> Any:
    return LiveCurator(DATA, adjacency, np.random.default_rng(0))


def ask(of: Any, part: range) -> None:
    one = Sensitivity(Fraction(1), L2, of.adjacency)
    of.gaussian(lambda records: records.labels, sensitivity=one, std=1.0, label="", part=part)


def choose(of: Any, place: int | None = None) -> None:
    one, noise = Sensitivity(Fraction(1), Span, of.adjacency), ChoiceNoise("laplace", 1.0)
    of.noisy_max(lambda records: records.labels, sensitivity=one, noise=noise, label="", place=place)


@pytest.mark.parametrize("part", [range(9, -1, -1), range(-12, -2), range(0, 4, 2), range(5, 5)])
def test_planted_bug_a_part_that_is_no_stretch_of_places_is_refused(part: range) -> None:
    of = curator()
    ask(of, range(10, 15))
    with pytest.raises(InvalidArgumentError, match=r"^part"):
        ask(of, part)
    assert of.ledger == Ledger(Gaussian(Fraction(1)), ReplaceOne)


def test_a_part_that_overlaps_is_refused_before_the_query_sees_it() -> None:
    of, seen = curator(), list[Any]()
    ask(of, range(3))
    one = Sensitivity(Fraction(1), L2, ReplaceOne)
    with pytest.raises(InvalidArgumentError, match="disjoint"):
        of.gaussian(seen.append, sensitivity=one, std=1.0, label="", part=range(2, 5))
    assert seen == []


def test_choices_that_share_a_place_cost_as_much_as_one_and_others_add_up() -> None:
    of, alone = curator(), curator()
    choose(alone)
    place = of.share()
    for _ in range(3):
        choose(of, place)
    assert of.ledger == alone.ledger
    choose(of)
    assert of.ledger == Ledger(Repeat(alone.ledger.event, 2), ReplaceOne)


def test_planted_bug_a_place_that_was_never_shared_is_refused() -> None:
    of, tree = curator(), curator()
    choose(of)
    tree.tree(leaves=4, sensitivity=Sensitivity(Fraction(1), L2, ReplaceOne), noise=GaussianNoise(1.0), label="sums")
    for one in (of, tree):
        with pytest.raises(InvalidArgumentError, match=r"^place"):
            choose(one, 0)


def test_nothing_is_shared_where_records_change_places() -> None:
    with pytest.raises(InvalidArgumentError, match="places"):
        curator(AddOrRemoveOne).share()
    with pytest.raises(InvalidArgumentError, match="place"):
        billboard(PrivacyLoss(Fraction(1), ApproximateDP, AddOrRemoveOne, Fraction(1, 10)))


def test_joint_losses_do_not_add() -> None:
    """One mechanism tells a user her own record, the next tells everybody what the first told her."""
    joint = billboard(PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne))
    with pytest.raises(InvalidArgumentError, match="billboards"):
        joint + joint
    with pytest.raises(InvalidArgumentError):
        basic([joint, joint])


def test_no_rho_of_choices_pays_for_answers() -> None:
    chosen, answered = Ledger(Exponential(Fraction(4)), ReplaceOne), Ledger(Gaussian(Fraction(1, 2)), ReplaceOne)
    assert not agrees("filtered", chosen, answered)
    assert agrees("filtered", chosen, chosen)
