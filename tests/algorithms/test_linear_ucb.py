"""Of arms whose scores differ by their last digits, kernel and reference take the first; of others the best."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpref.algorithms.linear_ucb import algorithm, kernel
from dpref.kernels.twin import interpreted

D, ARMS = 2, 3
CONTEXT = np.array([0.6, 0.8])


def billboard(favoured: int, by: float) -> Any:
    """Sums that are the same for all arms, but for the rewards of one; off the diagonal they carry a root of two."""
    side = D * ARMS + 1
    gram = np.kron(np.eye(ARMS), np.array([[3.0, 0.7], [0.7, 2.0]]))
    rewards = np.tile([1.1, 0.3], ARMS)
    rewards[favoured * D : (favoured + 1) * D] *= 1 + by
    whole = np.zeros((side, side))
    whole[:-1, :-1], whole[:-1, -1] = gram, rewards
    whole[np.triu_indices(side, 1)] *= np.sqrt(2.0)
    return whole[np.triu_indices(side)]


@pytest.mark.parametrize("favoured", [1, 2])
@pytest.mark.parametrize(("by", "taken"), [(1e-15, False), (1e-12, False), (-1e-13, False), (1e-6, True), (0.5, True)])
def test_arms_that_differ_by_rounding_are_equal(favoured: int, by: float, taken: bool) -> None:
    sums, expected = billboard(favoured, by), favoured if taken else 0
    problem: Any = SimpleNamespace(dimension=D, arms=ARMS)
    plan: Any = SimpleNamespace(upsilon=0.5, widths=(0.25,))
    assert algorithm.action(problem, plan, sums, CONTEXT, 1) == expected
    numbers = kernel.Numbers(1.0, 0.5, np.array([0.25]), ARMS)
    side = D * ARMS
    rooms = np.empty((side, side)), np.empty((side, ARMS + 1))
    assert interpreted(kernel.best_arm)(numbers, sums, CONTEXT, 1, *rooms) == expected
