"""Banded matrix mechanisms with cyclic Poisson sampling beside other events, where a group misses some round."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpref.privacy.accountants import certify
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.pld.pairs import pairs
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

# Columns of squared norms 1, 4 and 1: the first and the last are one group's, the largest another one's.
BANDED = "matrix_gaussian(1, [1, 0, 2, 0, 0, 1], min_separation=2, rate=1/2)"


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ReplaceOne, ZeroOut])
def test_a_round_in_which_nothing_is_attained_has_no_pair_below(adjacency: type[Adjacency]) -> None:
    largest, last = multiplicities(parse_event(BANDED))
    assert pairs(largest, adjacency).attained_remove is not None
    assert pairs(last, adjacency).attained_remove is None
    assert pairs(last, adjacency).attained_add is None


def test_rounds_beside_laplace_noise_are_between_the_rounds_of_each_group_and_of_the_largest_columns() -> None:
    delta = Fraction(1, 1000)
    both = certify(Ledger(parse_event(f"compose({BANDED}, laplace(1))"), ZeroOut), delta=delta)
    rounds = "poisson(gaussian(1/2), 1/2), laplace(1)"
    least = certify(Ledger(parse_event(f"compose({rounds})"), ZeroOut), delta=delta)
    most = certify(Ledger(parse_event(f"compose({rounds}, poisson(gaussian(1), 1/2))"), ZeroOut), delta=delta)
    assert both.lower == pytest.approx(least.lower, rel=1e-2)
    assert both.upper == pytest.approx(most.upper, rel=1e-2)
    assert both.lower <= least.upper < most.lower <= both.upper
