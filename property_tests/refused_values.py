"""Values that a number from outside must not have, as strategies: each question draws from them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb
from hypothesis import strategies as st

from dpref.privacy.events.ledger import Laplace, Ledger, Poisson
from dpref.units import ZCDP, AddOrRemoveOne, ApproximateDP, PrivacyLoss, PureDP, ReplaceOne

Strategy = st.SearchStrategy[Any]
TENTH = Fraction(1, 10)
UNKNOWN = Ledger(Poisson(Laplace(Fraction(1)), TENTH), ReplaceOne)  # no accountant has a theorem for it
RHO = PrivacyLoss(TENTH, ZCDP, ReplaceOne)

# Not an exact number at all; a float is refused too, since it is never silently taken for the decimal that was meant.
JUNK = st.one_of(
    st.sampled_from([float("nan"), float("inf"), -float("inf"), 0.5, True, False, None, "1", "", 1j, ()]),
    st.just("nan").map(arb), st.floats(), st.text(max_size=3), st.booleans(), st.lists(st.integers(), max_size=2),
)  # fmt: skip
NEGATIVE = st.one_of(st.sampled_from([-1, Fraction(-1, 2), -(10**400)]), st.fractions(max_value=Fraction(-1, 10**9)))
ZERO = st.sampled_from([0, Fraction(0)])
NO_REAL = st.one_of(JUNK, NEGATIVE)  # neither zero nor positive
NO_POSITIVE = st.one_of(NO_REAL, ZERO)
NO_LIMIT = st.sampled_from([0, -1, 0.0, float("nan"), float("inf"), -float("inf"), True, "1", 1j, ()])
ABOVE_ONE = st.one_of(st.sampled_from([Fraction(10**9 + 1, 10**9), 2, 10**400]), st.fractions(Fraction(1000001, 10**6)))
NO_CHANCE = st.one_of(NO_POSITIVE, ABOVE_ONE)  # outside (0, 1]
NO_SHARE = st.one_of(NO_REAL, ABOVE_ONE)  # outside [0, 1]
# Where floats and text are read as the decimals that they print: what is no number, or none that is positive.
NO_NUMBER = st.sampled_from([float("nan"), float("inf"), "nan", "1/0", "", "x", True, False, None, 1j, ()])
NO_POSITIVE_NUMBER = st.one_of(NO_NUMBER, st.sampled_from([0, "0", 0.0, -0.5, "-1/2", -1, Fraction(-1, 2)]))
NO_DELTA = st.one_of(NO_CHANCE, st.just(1))  # outside (0, 1)
NO_FAILURE = st.one_of(NO_SHARE, st.just(1))  # outside [0, 1)
NO_DISTRIBUTION = st.one_of(NO_REAL.map(lambda x: (x, 1)), NO_POSITIVE.map(lambda x: (x,)), st.just((TENTH, TENTH)))
NO_WEIGHTS = st.one_of(JUNK.map(lambda x: (x, 0)), st.sampled_from([(), (0,), (10**5, 0), (0, Fraction(-(10**5)))]))
NO_COUNT = st.one_of(NO_POSITIVE, st.just(Fraction(1, 2)))
NO_ORDER = st.one_of(NO_REAL, st.sampled_from([0, 1, Fraction(1, 2), 10**9, 1 + Fraction(1, 1 << 300)]))
# Hypothesis draws words of the source too: no name that is known has less than three letters, but one has three.
NO_WORD = st.one_of(st.text(max_size=2), st.sampled_from([0, 1, None, True, 0.5]))


def made_ball(ends: tuple[Any, Any]) -> arb:
    """A ball from its middle and its radius; strategies must not hold balls, which cannot be hashed."""
    return arb(*ends)


NO_BALL = st.sampled_from([("inf", 0), (-1, 0), (0, 1), ("nan", 0), (1, 2)]).map(made_ball)  # not >= 0
NO_EVENT = st.sampled_from([None, 0, 1.5, "gaussian(noise_multiplier=1)", ()])
NO_LEDGER = st.sampled_from([UNKNOWN])
NO_LOSS = st.one_of(
    NO_EVENT, st.just(PrivacyLoss(TENTH, ApproximateDP, AddOrRemoveOne, TENTH)), st.just(Fraction(1, 10))
)
NO_PURE_LOSS = st.one_of(NO_EVENT, st.just(RHO), st.just(PrivacyLoss(Fraction(0), PureDP, ReplaceOne)))


def given_only(strategy: Strategy) -> Strategy:
    """Without None, where that means that the argument is not given."""
    return strategy.filter(lambda x: x is not None)


def in_a_list(strategy: Strategy) -> Strategy:
    """Lists of wrong values, and no values at all."""
    return st.one_of(st.just([]), strategy.map(lambda x: [x]), strategy.map(lambda x: [Fraction(3), x]))
