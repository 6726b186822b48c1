"""A statement: the ways in which its lower bound can be wrong share one error, and what it says was seen was seen."""

from __future__ import annotations

import operator
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.foreign import DPClaim, statement
from dpref.foreign.betting import crossed
from dpref.foreign.outputs import Outputs
from dpref.foreign.process import Bound

CLAIM = DPClaim(Fraction(1))
GRID = [DPClaim(Fraction(k, 8)) for k in range(1, 17)]


def test_a_value_of_the_grid_and_the_claim_itself_are_wrongly_passed_within_one_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Either way gives a lower bound that is too large, so that what they are allowed adds up to the error at most."""
    allowed: dict[str, set[Fraction]] = {"grid": set(), "claim": set()}

    def of_the_grid(grid: Any, error: Fraction, most: float) -> Any:
        allowed["grid"].add(error)
        return Bound(grid, error, most)

    def of_the_claim(wealth: Any, error: Fraction) -> bool:
        allowed["claim"].add(error)
        return crossed(wealth, error)

    monkeypatch.setattr(statement, "Bound", of_the_grid)
    monkeypatch.setattr(statement, "crossed", of_the_claim)
    error = Fraction(1, 20)
    test = statement.Statement("values", CLAIM, GRID, error)
    runs = [Outputs.of((np.random.default_rng(side).laplace(size=400) + 9 * side).round(2).tolist()) for side in (0, 1)]
    for half in (slice(0, 200), slice(200, 400)):
        test.see(runs[0].take(half), runs[1].take(half), half.stop)
        test.close()
        test.learn()
    assert test.lower() >= 1
    assert max(allowed["grid"]) + min(allowed["claim"]) <= error


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("law", ["far apart", "half of them"])
def test_the_data_set_that_is_named_is_the_one_on_which_the_event_was_seen_more_often(
    law: str, order: tuple[int, int]
) -> None:
    """The event is read again from its words, and counted on the runs that were bet on."""
    rng, count = np.random.default_rng(0), 400
    drawn = [rng.laplace(size=count), rng.laplace(size=count) + 9] if law == "far apart" else [
        np.zeros(count), (rng.random(count) < 0.5).astype(float)
    ]  # fmt: skip
    sides = [drawn[i] for i in order]
    runs = [Outputs.of(side.tolist()) for side in sides]
    test = statement.Statement("values", CLAIM, (), Fraction(1, 20))
    test.see(runs[0].take(slice(0, 200)), runs[1].take(slice(0, 200)), 200)
    test.learn()
    test.see(runs[0].take(slice(200, count)), runs[1].take(slice(200, count)), count)
    found = test.found()
    words = re.fullmatch(r"the output ([<>]) (\S+)", found.event)
    assert found.refuted
    assert words is not None
    compare = operator.gt if words[1] == ">" else operator.lt
    seen = {
        name: int(compare(side[200:], float(words[2])).sum()) for name, side in zip(("d0", "d1"), sides, strict=True)
    }
    other = "d1" if found.more_often_on == "d0" else "d0"
    assert seen[found.more_often_on] > seen[other]
    assert found.counts == (seen[found.more_often_on], seen[other], 200)
