"""A record moves the mean gradient of a batch by twice the gradient's bound over the batch, in every block."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from dpref.algorithms import local_mirror_descent as package
from dpref.privacy.events.walks import multiplicities
from dpref.reals import exact
from dpref.units import Adjacency, ReplaceOne, ZeroOut
from tests.algorithms.test_noise_rounded_up import LIPSCHITZ, problem


@pytest.mark.parametrize(("adjacency", "records"), [(ReplaceOne, 2), (ZeroOut, 1)])
def test_a_block_is_charged_for_its_own_batch(adjacency: type[Adjacency], records: int) -> None:
    params = package.plan.Params(Fraction(8), Fraction(1, 1000), adjacency)
    made = package.ALGORITHM.plan(problem(1000), params)
    assert len({block.batch for block in made.blocks}) > 2
    events: Iterable[Any] = multiplicities(package.plan.ledger(made).event)
    charged = {(event.batch, event.records): event.event.noise_multiplier for event in events}
    for block, std in zip(made.blocks, made.scheduled_stds, strict=True):
        moved = records * LIPSCHITZ / block.batch
        assert made.moved(block).value == moved
        assert charged[block.batch, block.records] == exact(std) / moved
