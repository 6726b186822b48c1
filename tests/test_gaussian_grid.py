"""Composed Gaussians by privacy loss distributions: never below the closed form, at most a thousandth above it.

A sample runs always; all 140 cases (minutes in balls) with ``DPREF_GAUSSIAN_GRID=full``.
"""

from __future__ import annotations

import os
from fractions import Fraction

import pytest

from dpref.crosscheck.cases import GAUSSIAN_GRID, Case, gaussian_case
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.pld.accountant import pld_epsilon
from tests.effort import part

WHOLE = os.environ.get("DPREF_GAUSSIAN_GRID") == "full"
SAMPLE = (
    gaussian_case(0.1, 10**3, 1e-14),
    gaussian_case(1.0, 10**3, 1e-6),
    gaussian_case(3.0, 10**4, 1e-8),
    gaussian_case(10.0, 10**3, 1e-12),
    gaussian_case(5.0, 10**4, 1e-13),
)


def test_the_grid_is_the_one_that_is_promised() -> None:
    assert len(set(GAUSSIAN_GRID)) == 140
    assert set(SAMPLE) <= set(GAUSSIAN_GRID)


@pytest.mark.slow
@pytest.mark.parametrize("case", GAUSSIAN_GRID if WHOLE else part(SAMPLE, 3), ids=str)
def test_balls_are_never_below_the_truth_and_within_a_thousandth_above(case: Case) -> None:
    truth = gaussian.epsilon(case.ledger, case.exact_delta)
    found = pld_epsilon(case.ledger, case.exact_delta)
    assert found.lower <= truth.lower
    assert truth.upper <= found.upper
    assert Fraction(found.upper) <= Fraction(truth.lower) * Fraction(1001, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("case", GAUSSIAN_GRID if WHOLE else part(GAUSSIAN_GRID[:105:7], 7), ids=str)
def test_the_fast_path_holds_the_truth(case: Case) -> None:
    truth = gaussian.epsilon(case.ledger, case.exact_delta)
    found = fast_accountant.epsilon(case.ledger, case.exact_delta)
    assert found.lower <= truth.lower
    assert truth.upper <= found.upper
    # Steps of very little noise each lose a few thousandths: doubles cannot tell finer grids.
    assert found.upper <= truth.lower * 1.005
