"""A statement's lower bound: the ways in which it can be wrong share one error."""

from __future__ import annotations

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
