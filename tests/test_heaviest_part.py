"""Answers with any noise on disjoint parts: how many parts neighbours can tell apart, and which part counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.curator import LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.noise import GaussianNoise
from dpref.privacy.accountants import accountants
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.closed_forms.gaussian import gdp
from dpref.privacy.closed_forms.parallel import heaviest
from dpref.privacy.events.ledger import Compose, Event, Gaussian, GeneralizedGaussian, Ledger, NonPrivate
from dpref.problems.erm import Records
from dpref.units import L2, AddOrRemoveOne, Adjacency, ReplaceOne, Sensitivity, ZeroOut

DATA = Records(np.zeros((20, 1)), np.arange(20.0))


def answer(
    of: Any, part: range, std: float = 1.0, query: Callable[[Any], Any] = lambda records: records.labels
) -> None:
    one = Sensitivity(Fraction(1), L2, of.adjacency)
    of.on_part(query, part=part, sensitivity=one, noise=GaussianNoise(std), label="")


def test_what_is_no_part_of_its_own_is_refused_before_the_query_sees_it() -> None:
    of: Any = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    seen: list[Any] = []
    answer(of, range(3))
    for part in (range(2, 5), range(9, 3, -1), range(-12, -2), range(4, 8, 2), range(5, 5)):
        with pytest.raises(InvalidArgumentError, match=r"^part"):
            answer(of, part, query=seen.append)
    assert seen == []
    assert of.ledger == Ledger(Gaussian(Fraction(1)), ReplaceOne)


def test_answers_with_any_noise_on_one_part_add_up_and_on_two_do_not() -> None:
    of: Any = LiveCurator(DATA, ReplaceOne, np.random.default_rng(0))
    for part in (range(3), range(3, 6), range(3)):
        answer(of, part)
        answer(of, part, std=0.5)
    assert gdp(of.ledger).value == 2 * (1 + 4)


# ------------------------------------------------------------------------------------ which parts differ

Rows = tuple[int | None, ...]  # two kinds of records, and the null record
FIVE: list[Rows] = list(itertools.product((0, 1, None), repeat=5))


def by_position(rows: Rows) -> list[Rows]:
    return [rows[:2], rows[2:]]


def by_record(rows: Rows) -> list[Rows]:
    return [tuple(r for r in rows if r == kind) for kind in (0, 1)]


def neighbours(rows: Rows, adjacency: type[Adjacency]) -> list[Rows]:
    """All data sets that one record makes of this one."""
    if adjacency is AddOrRemoveOne:
        return [rows[:i] + rows[i + 1 :] for i in range(5)]
    others: Rows = (None,) if adjacency is ZeroOut else (0, 1, None)
    return [(*rows[:i], other, *rows[i + 1 :]) for i in range(5) for other in others]


def most_that_differ(split: Callable[[Rows], list[Rows]], adjacency: type[Adjacency]) -> int:
    """How many of the parts two neighbours can tell apart, over all data sets of five records."""
    pairs = [(rows, other) for rows in FIVE for other in neighbours(rows, adjacency)]
    return max(sum(a != b for a, b in zip(split(rows), split(other), strict=True)) for rows, other in pairs)


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ReplaceOne, ZeroOut])
@pytest.mark.parametrize(("partition", "split"), [("by position", by_position), ("by record", by_record)])
def test_the_heaviest_part_counts_exactly_where_neighbours_differ_in_one(
    partition: Any, split: Callable[[Rows], list[Rows]], adjacency: type[Adjacency]
) -> None:
    """Planted: a record that is replaced leaves one part by record and enters another, and both of them differ."""
    two, three = (Ledger(Gaussian(Fraction(z)), adjacency) for z in (2, 3))
    differ = most_that_differ(split, adjacency)
    if differ == 1:
        assert heaviest([three, two], partition=partition) == two
    else:
        assert differ == 2
        with pytest.raises(InvalidArgumentError, match="more than one part"):
            heaviest([three, two], partition=partition)


def answers_that_move(data: Any) -> int:
    """Of one answer on each half of the places, how many queries another record at the first place changes."""

    def asked(of: Any) -> Any:
        for part in (range(10), range(10, 20)):
            answer(of, part)
        return of

    of = asked(RecordingCurator(data, ReplaceOne, np.random.default_rng(0)))
    neighbour = type(data)(data.features, np.array([30.0, *data.labels[1:]]))
    replay = asked(ReplayingCurator(neighbour, ReplaceOne, of.transcript, force="answers"))
    return sum(not np.array_equal(a.query, b) for a, b in zip(of.transcript.answers, replay.queries, strict=True))


class InOrder(Records):
    """A planted bug: the places are those after sorting, so that a record that changes moves to another part."""

    def part(self, rows: range) -> Records:
        return Records(self.features, np.sort(self.labels)).part(rows)


def test_planted_bug_a_record_that_moves_to_another_part_moves_two_answers() -> None:
    assert answers_that_move(DATA) == 1
    assert answers_that_move(InOrder(*DATA)) == 2


# ------------------------------------------------------------------------------------ which part is heaviest


def test_generalised_gaussians_are_compared_by_what_is_known_of_them() -> None:
    def one(event: Event) -> Ledger[ReplaceOne]:
        return Ledger(event, ReplaceOne)

    regular = GeneralizedGaussian(Fraction(3), Fraction(2))
    assert heaviest([one(GeneralizedGaussian(Fraction(4), Fraction(2))), one(regular)]) == one(regular)
    for z, most in ((2, Gaussian(Fraction(2))), (3, regular)):  # 1/4 and 1/9 against 2/9
        assert heaviest([one(Gaussian(Fraction(z))), one(regular)]) == one(most)
    assert heaviest([one(regular), one(NonPrivate()), one(Gaussian(Fraction(1)))]) == one(NonPrivate())
    assert heaviest([one(regular), one(Compose(()))]) == one(regular)


@pytest.mark.slow
def test_every_accountant_takes_a_generalised_gaussian_at_its_bound() -> None:
    """What `heaviest` rests on: a finer bound of one part would say nothing about the parts that it was larger than."""
    regular = Ledger(GeneralizedGaussian(Fraction(4), Fraction(4)), ReplaceOne)
    plain, tail = Ledger(Gaussian(Fraction(2)), ReplaceOne), Fraction(1, 1000)
    able = [accountant for accountant in accountants() if not accountant.refused(regular)]
    assert len(able) >= 4
    assert all(accountant.epsilon(regular, tail).upper >= gaussian.epsilon(plain, tail).lower for accountant in able)
