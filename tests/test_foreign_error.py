"""The error of a statement: a correct mechanism is refuted as seldom as promised."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpref.foreign.outputs import Outputs
from dpref.foreign.statement import Statement
from tests.test_foreign_mechanism import ONE


def run_many(learn_late: bool, seeds: int, error: Fraction) -> int:
    """How often a mechanism on the boundary is refuted; learn_late: by events chosen from the runs they are bet on."""
    refuted = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        runs = [Outputs.of((rng.laplace(size=300) + side).round(2).tolist()) for side in (0, 1)]
        parts = [[side.take(slice(0, 150)) for side in runs], [side.take(slice(150, 300)) for side in runs]]
        test = Statement("values", ONE, (), error)
        if learn_late:
            test.see(runs[0], runs[1], 0)
        else:
            test.see(parts[0][0], parts[0][1], 150)
        test.learn()
        test.see(parts[1][0], parts[1][1], 300)
        refuted += test.refuted
    return refuted


@pytest.mark.slow
def test_a_mechanism_on_the_boundary_is_refuted_as_seldom_as_promised() -> None:
    from scipy.stats import binom

    assert run_many(False, 300, Fraction(1, 20)) <= binom.ppf(0.9999, 300, 0.05)


@pytest.mark.slow
def test_planted_bug_events_chosen_from_the_runs_they_are_bet_on_refute_what_is_correct() -> None:
    from scipy.stats import binom

    assert run_many(True, 50, Fraction(1, 20)) > binom.ppf(0.9999, 50, 0.05)
