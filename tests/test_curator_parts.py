"""Answers that are not added up: a record is in one part, and a place of the ledger is for choices that share it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpref.curator import LiveCurator
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.mechanisms.noise import GaussianNoise
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.composition import basic
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Compose, Exponential, Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.events.parallel import Parallel
from dpref.privacy.events.walks import alternatives
from dpref.privacy.filters import agrees
from dpref.problems.erm import Records
from dpref.units import L2, AddOrRemoveOne, ApproximateDP, Linf, PrivacyLoss, ReplaceOne, Sensitivity, Span, billboard

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


# ------------------------------------------------------------------------------------ choices that some records move


def choose_of(of: Any, parts: dict[range, int], **how: Any) -> None:
    """A choice that a record of a part moves by so many halves, and no other record moves."""
    moved = {part: Sensitivity(Fraction(halves, 2), Span, of.adjacency) for part, halves in parts.items()}
    one, noise = Sensitivity(Fraction(1), Span, of.adjacency), ChoiceNoise("gumbel", 1.0)
    of.noisy_max(lambda records: records.labels, sensitivity=one, noise=noise, label="", parts=moved, **how)


def test_a_record_pays_for_the_choices_that_its_part_moves() -> None:
    """The records of one part move two choices a little, those of two others one of them, as far as may be."""
    of, small, large = curator(), Exponential(Fraction(1, 2)), Exponential(Fraction(1))
    choose_of(of, {range(5): 1, range(5, 10): 2})
    choose_of(of, {range(5): 1, range(10, 12): 2})
    assert of.ledger == Ledger(Parallel((Repeat(small, 2), large)), ReplaceOne)
    choose(of)  # all records move this one
    assert isinstance(of.ledger.event, Compose)
    assert Exponential(Fraction(1)) not in of.ledger.event.events  # Laplace noise has no range


@pytest.mark.parametrize(
    ("parts", "how", "named"),
    [
        ({range(5): 3}, {}, "parts"),
        ({range(5): 1, range(4, 6): 1}, {}, "disjoint"),
        ({range(0, 4, 2): 1}, {}, "^part"),
        ({range(5): 1}, {"place": 0}, "^place"),
        ({range(5): 0}, {}, "sensitivity"),
    ],
)
def test_parts_of_a_choice_are_checked(parts: dict[range, int], how: dict[str, Any], named: str) -> None:
    of = curator()
    with pytest.raises(InvalidArgumentError, match=named):
        choose_of(of, parts, **how)


def test_no_part_of_a_choice_is_told_where_records_change_places() -> None:
    with pytest.raises(InvalidArgumentError, match="places"):
        choose_of(curator(AddOrRemoveOne), {range(5): 1})


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


# ------------------------------------------------------------------------------------ parts with any mechanism


def noted(seen: list[Any], records: Records) -> Any:
    """The labels as scores, written down."""
    seen.append(records.labels.tolist())
    return records.labels


def draw(of: Any, epsilon: Fraction = Fraction(1)) -> int:
    one = Sensitivity(Fraction(1), Linf, of.adjacency)
    return int(of.select(lambda records: records.labels, sensitivity=one, epsilon=epsilon, label="")[0])


def test_a_restricted_curator_has_the_records_of_its_part_and_a_ledger_of_its_own() -> None:
    of, seen = curator(), list[Any]()
    with of.restricted(range(5, 8)) as own:
        own.select(
            partial(noted, seen), sensitivity=Sensitivity(Fraction(1), Linf, ReplaceOne), epsilon=Fraction(1), label=""
        )
        assert own.ledger == Ledger(Exponential(Fraction(1)), ReplaceOne)
    assert seen == [[5.0, 6.0, 7.0]]
    with of.restricted(range(5)) as own:
        draw(own)
    assert of.ledger == Ledger(Exponential(Fraction(1)), ReplaceOne)  # as much as one of them
    draw(of)
    assert of.ledger == Ledger(Repeat(Exponential(Fraction(1)), 2), ReplaceOne)


def test_parts_that_cross_are_kept_apart_and_the_costliest_is_certified() -> None:
    of, small = curator(), Fraction(1, 10**6)
    with of.restricted(range(10)) as own:
        for _ in range(100):
            draw(own, Fraction(1, 10))
    with of.restricted(range(10, 20)) as own:
        draw(own, Fraction(3, 2))
    assert isinstance(of.ledger.event, Parallel)
    each = [certify(Ledger(event, ReplaceOne), delta=small) for event in of.ledger.event.events]
    assert certify(of.ledger, delta=small).upper == pytest.approx(max(found.upper for found in each))
    assert each[0].upper > each[1].upper > 1


def test_planted_bug_parts_that_overlap_are_refused_and_nothing_is_spent() -> None:
    of = curator()
    with of.restricted(range(10)) as own:
        draw(own)
    with pytest.raises(InvalidArgumentError, match="disjoint"), of.restricted(range(9, 12)):
        draw(of)
    assert of.ledger == Ledger(Exponential(Fraction(1)), ReplaceOne)


def test_what_was_held_outside_is_out_of_reach_within_and_is_there_again_after() -> None:
    of = curator()
    held = of.hold(lambda records: records.labels, label="all")
    with of.restricted(range(3)) as own, pytest.raises(InvalidArgumentError, match="handle"):
        own.hold(lambda _, labels: labels, given=held, label="")
    of.hold(lambda _, labels: labels, given=held, label="")


def test_an_answer_that_fails_within_a_part_has_still_been_counted() -> None:
    of = curator()

    def failing() -> None:
        with of.restricted(range(3)) as own:
            draw(own)
            own.hold(lambda records: records.labels + np.inf, label="")

    with pytest.raises(InvalidArgumentError, match="finite"):
        failing()
    assert of.ledger == Ledger(Exponential(Fraction(1)), ReplaceOne)
    assert draw(of) < 20


def response(record: int, asked: int) -> list[float]:
    """A mechanism of three outcomes: randomised response of epsilon = 1 (asked 0) or 1/2, of another bit each."""
    epsilon = 1.0 if asked == 0 else 0.5
    bit = (record >> asked) & 1
    kept = math.exp(epsilon) / (1 + math.exp(epsilon))
    return [kept, 1 - kept] if bit else [1 - kept, kept]


def joint(first: int, second: int, *, shared: bool = False) -> list[float]:
    """The law of an answer about one record and of one about another, whose question the first answer chooses."""
    found = []
    for outcome, chance in enumerate(response(first, 0)):
        found += [chance * p for p in response(first if shared else second, outcome)]
    return found


def hockey(p: list[float], q: list[float], epsilon: float) -> float:
    return sum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.5, 0.9])
def test_what_is_asked_of_a_part_may_depend_on_what_others_answered(epsilon: float) -> None:
    """Exactly: whichever record is replaced, the divergence is at most the largest over the parts at that epsilon."""
    worst = max(
        hockey(joint(a, b), joint(c, d), epsilon)
        for a, b, c, d in itertools.product(range(4), repeat=4)
        if (a == c) != (b == d)
    )
    most = max(hockey(response(3, k), response(0, k), epsilon) for k in range(2))
    assert worst == pytest.approx(most)


def test_planted_bug_one_record_in_two_parts_costs_more() -> None:
    worst = hockey(joint(3, 0, shared=True), joint(0, 0, shared=True), 0.9)
    assert worst > max(hockey(response(3, k), response(0, k), 0.9) for k in range(2)) + 0.01


def test_an_accountant_that_knows_nothing_of_one_part_answers_nothing() -> None:
    event = parse_event("parallel(gaussian(1), exponential(1))")
    ledger = Ledger(event, ReplaceOne)
    for accountant in ("gaussian", "zcdp"):
        with pytest.raises(UnsupportedEventError):
            certify(ledger, delta=Fraction(1, 100), accountant=accountant)
    alone = certify(Ledger(Gaussian(Fraction(1)), ReplaceOne), delta=Fraction(1, 100)).upper
    assert certify(ledger, delta=Fraction(1, 100)).upper == pytest.approx(alone)
    with pytest.raises(UnsupportedEventError):
        certify(Ledger(Poisson(event, Fraction(1, 2)), ReplaceOne), delta=Fraction(1, 100))
    with pytest.raises(UnsupportedEventError, match="choices of parts"):
        alternatives(Compose((event,) * 10))
    with pytest.raises(InvalidArgumentError, match="at least two"):
        Parallel((event,))
