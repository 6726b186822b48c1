"""Compositions at their ends: one answer, every delta, no loss at all, and guarantees that may fail."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import pytest
from mpmath import mpf

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.closed_forms import composition
from dpref.privacy.closed_forms.composition import optimal_delta, optimal_epsilon, parallel
from dpref.privacy.closed_forms.concentrated import concentrated, event_rho
from dpref.privacy.events.factorization import squared_mu
from dpref.privacy.events.guarantees import Concentrated
from dpref.privacy.events.ledger import FilteredGaussians, Gaussian, Ledger, Repeat
from dpref.privacy.events.matrix import TreeGaussian
from dpref.reals import exact
from dpref.units import ApproximateDP, PrivacyLoss, PureDP, ReplaceOne, ZeroOut
from tests.losses import approximate, pure


def best_epsilon(loss: mpf, failure: mpf, steps: int, delta: mpf) -> mpf:
    """The least epsilon at which the sum over the outcomes of randomised responses is at most delta: a maximum.

    At the epsilon of a vertex the sum of P - e^epsilon Q over the largest losses is what is left of delta.
    """
    heads = mpmath.exp(loss) / (1 + mpmath.exp(loss))
    left = 1 - (1 - delta) / (1 - failure) ** steps
    found = mpf(0)
    for last in range(steps + 1):
        above = sum(mpmath.binomial(steps, i) * heads ** (steps - i) * (1 - heads) ** i for i in range(last + 1))
        below = sum(mpmath.binomial(steps, i) * (1 - heads) ** (steps - i) * heads**i for i in range(last + 1))
        if above > left:
            found = max(found, mpmath.log((above - left) / below))
    return found


def mp(x: Fraction | float) -> mpf:
    return mpf(Fraction(x).numerator) / Fraction(x).denominator


CASES = [
    (Fraction(epsilon), Fraction(failure), steps, Fraction(delta))
    for epsilon, failure, steps in product(("1/2", "2"), ("0", "1/50"), (1, 2, 3, 4, 7))
    for delta in ("3/20", "2/5", "7/10")
]


@pytest.mark.parametrize(("epsilon", "failure", "steps", "delta"), CASES)
def test_the_optimal_epsilon_is_the_largest_over_the_corners(
    epsilon: Fraction, failure: Fraction, steps: int, delta: Fraction
) -> None:
    found = optimal_epsilon(approximate(epsilon, failure), steps, delta)
    with mpmath.workdps(40):
        expected = best_epsilon(mp(epsilon), mp(failure), steps, mp(delta))
        assert mp(found.lower) <= expected <= mp(found.upper)
    assert found.upper - found.lower <= 1e-14 * found.upper
    if found.upper > 0:
        assert optimal_delta(approximate(epsilon, failure), steps, exact(found.upper)).lower <= delta
        assert optimal_delta(approximate(epsilon, failure), steps, exact(found.lower)).upper >= delta


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_beyond_the_sum_of_losses_only_failures_are_left(steps: int) -> None:
    loss, failure = Fraction(1, 2), Fraction(1, 10**12)
    for epsilon in (steps * loss, steps * loss + 1):
        assert (optimal_delta(pure(loss), steps, epsilon).lower, optimal_delta(pure(loss), steps, epsilon).upper) == (
            0,
            0,
        )
        found = optimal_delta(approximate(loss, failure), steps, epsilon)
        expected = 1 - (1 - failure) ** steps
        assert found.lower <= expected <= found.upper
        assert Fraction(found.upper) < expected * (1 + Fraction(1, 2**51))
    assert optimal_delta(pure(loss), steps, steps * loss - Fraction(1, 100)).lower > 0


def test_a_delta_is_at_most_one() -> None:
    """A loss of 200 is told apart but for 10^-87: one to the last digit, and no more."""
    certain = optimal_delta(pure(Fraction(200)), 1, 0)
    assert certain.upper == 1.0
    assert certain.lower > 1 - 2.0**-51
    with mpmath.workdps(30):
        value = (mpmath.exp(5) - 1) / (mpmath.exp(5) + 1)
        assert optimal_delta(pure(Fraction(5)), 1, 0).lower <= value <= optimal_delta(pure(Fraction(5)), 1, 0).upper


def test_a_million_steps_are_the_most() -> None:
    assert composition._steps(1_000_000) == 1_000_000
    with pytest.raises(InvalidArgumentError, match="must be at most 1000000"):
        composition._steps(1_000_001)


def test_the_largest_of_parallel_losses_and_of_their_failures() -> None:
    one = approximate(Fraction(1), Fraction(1, 10))
    assert parallel([one], partition="by position") == one
    both = parallel([one, approximate(Fraction(2), Fraction(1, 50))], partition="by position")
    assert both == PrivacyLoss(Fraction(2), ApproximateDP, ReplaceOne, Fraction(1, 10))
    nulled = [PrivacyLoss(Fraction(k), PureDP, ZeroOut) for k in (1, 3, 2)]
    assert parallel(nulled, partition="by record") == nulled[1]


def test_the_rho_of_an_event() -> None:
    quarter = Fraction(1, 4)
    assert event_rho(Concentrated(quarter, Fraction(0))) == event_rho(FilteredGaussians(quarter)) == quarter
    with pytest.raises(UnsupportedEventError):
        event_rho(Concentrated(quarter, Fraction(1)))
    tree = TreeGaussian(Fraction(3), 8, 2, 4)
    rho = squared_mu(tree, ReplaceOne).squared / 2
    assert concentrated(Ledger(tree, ReplaceOne)).value == rho > 0
    assert concentrated(Ledger(Repeat(Gaussian(Fraction(3)), 9), ReplaceOne)).value == Fraction(1, 2)
