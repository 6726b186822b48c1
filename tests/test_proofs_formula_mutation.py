"""Formulas with one thing wrong: of every formula that an obligation is about, some mutant must break a proof."""

from __future__ import annotations

import random

import pytest

from proofs.registry import reading
from property_tests.formula_mutants import SURVIVE, Mutant, covered, killed, mutants, planted


@pytest.mark.parametrize("name", covered())
def test_a_mutant_of_the_formula_cannot_be_proved(name: str) -> None:
    chosen = _chosen(name)
    with planted(chosen):
        try:
            changed = reading(name)
        except Exception:  # noqa: BLE001 - a mutant may not evaluate at all
            changed = None
    assert changed != reading(name), "the drift check compares readings"
    if name not in SURVIVE:
        assert killed(chosen), chosen.change


def _chosen(name: str) -> Mutant:
    return random.Random(name).choice(mutants(name))  # noqa: S311 - a sample, not a secret
