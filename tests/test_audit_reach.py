"""What runs can show at most, and how many a claim needs."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpref.audit.catalogue import find
from dpref.audit.claims import Claim
from dpref.audit.empirical import estimate
from dpref.audit.reach import reach, trials_needed
from dpref.units import ZCDP, ApproximateDP, PrivacyLoss, ReplaceOne

DELTA = Fraction(1, 10**5)


@pytest.mark.parametrize("trials", [100, 101, 2000])
@pytest.mark.parametrize("delta", [Fraction(0), DELTA, Fraction(1, 10)])
def test_a_test_without_errors_shows_what_is_said_beforehand(trials: int, delta: Fraction) -> None:
    seen = estimate((np.zeros(trials), np.ones(trials)), delta)
    said = reach(trials, delta)
    assert (seen.epsilon, seen.rho, seen.mu) == (said.epsilon, said.rho, said.mu)


@pytest.mark.parametrize("seed", range(5))
def test_no_runs_show_more_than_is_said_beforehand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen = estimate((rng.standard_normal(400), rng.standard_normal(400) + 3 * seed), DELTA)
    said = reach(400, DELTA)
    assert seen.epsilon <= said.epsilon
    assert seen.rho <= said.rho
    assert seen.mu <= said.mu


def of_epsilon(epsilon: Fraction, delta: Fraction = DELTA) -> Claim:
    claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")
    return replace(claim, claimed=PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, delta))


@pytest.mark.parametrize("epsilon", [Fraction(2), Fraction(19, 4), Fraction(8), Fraction(12)])
@pytest.mark.parametrize("delta", [Fraction(0), DELTA])
def test_the_number_of_runs_that_a_claim_needs_is_the_least(epsilon: Fraction, delta: Fraction) -> None:
    needed = trials_needed(of_epsilon(epsilon, delta))
    assert needed is not None
    assert reach(needed, delta).epsilon > epsilon >= reach(needed - 1, delta).epsilon
    # The closed form of the help text: 2 ln(6000) runs for each unit of exp(epsilon).
    assert needed == pytest.approx(2 * math.log(6000) * math.exp(epsilon), rel=0.2)


def test_a_zcdp_claim_needs_what_rho_or_its_epsilon_needs() -> None:
    claim = find("dynamic-privacy-budget/algorithm-1@as-printed,replace-one")
    loud = replace(claim, claimed=PrivacyLoss(Fraction(5), ZCDP, ReplaceOne))
    needed = trials_needed(loud)
    assert needed is not None
    assert reach(needed, loud.delta).rho > 5 >= reach(needed - 1, loud.delta).rho


def test_claims_that_no_runs_can_refute_are_told_so() -> None:
    assert trials_needed(of_epsilon(Fraction(20))) is None
