"""Every public question about privacy refuses what is no number of its kind: an error, never a guess, never zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpref.errors import DprefError
from dpref.privacy import (
    accountants,
    calibration,
    composition,
    event_calibration,
    fast_accountant,
    fast_point,
    gaussian,
    loss_distribution,
    renyi_accountant,
    selection,
    subsampled_gaussian,
    tradeoff,
    tree,
    without_replacement,
    zcdp,
)
from dpref.privacy.expression import parse_event, parse_template
from dpref.privacy.ledger import Gaussian, Laplace, Ledger, NonPrivate, Poisson, Repeat
from dpref.units import AddOrRemoveOne, PrivacyLoss, PureDP, ReplaceOne

TENTH = Fraction(1, 10)
SAMPLED = Ledger(Repeat(Poisson(Gaussian(Fraction(2)), TENTH), 3), AddOrRemoveOne)
PLAIN = Ledger(Gaussian(Fraction(2)), ReplaceOne)
PURE = PrivacyLoss(TENTH, PureDP, ReplaceOne)

# Not a rational number at all (a float is refused too: it is never silently taken for the decimal that was meant).
junk = st.one_of(
    st.floats(), st.none(), st.text(max_size=3).filter(lambda t: not t.strip().isdigit()), st.complex_numbers(),
    st.booleans(), st.lists(st.integers(), max_size=2),
)  # fmt: skip
negative = st.one_of(st.integers(max_value=-1), st.fractions(max_value=Fraction(-1, 10**6)))
no_delta = st.one_of(junk, negative, st.just(0), st.integers(1, 10**6), st.fractions(min_value=1))
no_epsilon = st.one_of(junk, negative)
no_count = st.one_of(junk, negative, st.just(0), st.just(Fraction(1, 2)))

Question = tuple[str, Callable[[Any], Any], st.SearchStrategy[Any]]
QUESTIONS: tuple[Question, ...] = (
    ("certify, delta", lambda x: accountants.certify(SAMPLED, delta=x), no_delta.filter(lambda x: x is not None)),
    ("certify, epsilon", lambda x: accountants.certify(SAMPLED, epsilon=x), no_epsilon.filter(lambda x: x is not None)),
    ("certify, ledger", lambda x: accountants.certify(x, delta=TENTH), junk),
    ("certify, accountant", lambda x: accountants.certify(PLAIN, delta=TENTH, accountant=x), junk),
    ("certify_within, width", lambda x: accountants.certify_within(SAMPLED, TENTH, x), no_epsilon),
    ("survey", lambda x: accountants.survey(PLAIN, delta=x), no_delta),
    ("gaussian.epsilon", lambda x: gaussian.epsilon(PLAIN, x), no_delta),
    ("gaussian.delta", lambda x: gaussian.delta(PLAIN, x), no_epsilon),
    ("gaussian_epsilon, mu", lambda x: gaussian.gaussian_epsilon(x, TENTH), no_epsilon),
    ("zcdp_to_epsilon, rho", lambda x: zcdp.zcdp_to_epsilon(x, TENTH), no_epsilon),
    ("zcdp_to_epsilon, delta", lambda x: zcdp.zcdp_to_epsilon(TENTH, x), no_delta),
    ("zcdp_to_delta", lambda x: zcdp.zcdp_to_delta(TENTH, x), no_epsilon),
    ("renyi.epsilon", lambda x: renyi_accountant.epsilon(SAMPLED, x), no_delta),
    ("renyi.delta", lambda x: renyi_accountant.delta(SAMPLED, x), no_epsilon),
    ("renyi.divergence", lambda x: renyi_accountant.divergence(SAMPLED, x), st.one_of(no_epsilon, st.just(1))),
    ("pld_epsilon", lambda x: loss_distribution.pld_epsilon(SAMPLED, x), no_delta),
    ("pld_delta", lambda x: loss_distribution.pld_delta(SAMPLED, x), no_epsilon),
    ("fast.epsilon", lambda x: fast_accountant.epsilon(SAMPLED, x), no_delta),
    ("fast.delta", lambda x: fast_accountant.delta(SAMPLED, x), no_epsilon),
    ("point.epsilon", lambda x: fast_point.epsilon(SAMPLED, x), no_delta),
    ("point.delta", lambda x: fast_point.delta(SAMPLED, x), no_epsilon),
    ("optimal_delta, steps", lambda x: composition.optimal_delta(PURE, x, 1), no_count),
    ("optimal_delta, epsilon", lambda x: composition.optimal_delta(PURE, 3, x), no_epsilon),
    ("optimal_epsilon", lambda x: composition.optimal_epsilon(PURE, 3, x), st.one_of(junk, negative)),
    ("advanced, steps", lambda x: composition.advanced(PURE, x, TENTH), no_count),
    ("advanced, slack", lambda x: composition.advanced(PURE, 3, x), no_delta),
    ("heterogeneous", lambda x: composition.heterogeneous([PURE], x), no_delta),
    ("random_stopping", lambda x: composition.random_stopping(Gaussian(TENTH), most_steps=x), no_count),
    ("tree_event", lambda x: tree.tree_event(Gaussian(TENTH), x), no_count),
    ("select_pure", lambda x: selection.select_pure(PURE, eta=x), st.one_of(junk, st.just(-1))),
    ("dp_tradeoff_at", lambda x: tradeoff.dp_tradeoff_at(PURE, x), no_epsilon),
    ("gaussian_tradeoff_at", lambda x: tradeoff.gaussian_tradeoff_at(x, TENTH), no_epsilon),
    ("laplace_tradeoff_at", lambda x: tradeoff.laplace_tradeoff_at(x, TENTH), no_epsilon),
    (
        "poisson_gaussian_renyi",
        lambda x: subsampled_gaussian.poisson_gaussian_renyi(
            x, rate=TENTH, noise_multiplier=1, adjacency=AddOrRemoveOne, direction="remove"
        ),
        st.one_of(no_epsilon, st.just(1)),
    ),
    ("gaussian_noise_multiplier", lambda x: calibration.gaussian_noise_multiplier(x, TENTH, steps=1), no_epsilon),
    ("largest_steps", lambda x: calibration.largest_steps(1, 1, x), no_delta),
    (
        "calibrate",
        lambda x: event_calibration.calibrate(
            parse_template("gaussian(?)"), epsilon=x, delta=TENTH, adjacency=ReplaceOne
        ),
        no_epsilon,
    ),
    ("parse_event", parse_event, st.one_of(st.text(max_size=8), st.just("gaussian(nan)"), st.just("laplace(inf)"))),
)


@pytest.mark.parametrize(("name", "ask", "wrong"), QUESTIONS, ids=[name for name, _, _ in QUESTIONS])
def test_what_is_out_of_the_domain_is_refused(
    name: str, ask: Callable[[Any], Any], wrong: st.SearchStrategy[Any]
) -> None:
    @given(wrong)
    def refuses(value: Any) -> None:
        with pytest.raises(DprefError):
            ask(value)

    assert name
    refuses()


@given(st.integers(1, 10**4))
def test_no_noise_is_infinite_for_every_accountant(digits: int) -> None:
    ledger = Ledger(Repeat(NonPrivate(), 2), AddOrRemoveOne)
    for outcome in accountants.survey(ledger, delta=Fraction(1, 10**digits)):
        assert outcome.interval is None or outcome.interval.upper == math.inf


@given(st.integers(60, 5000))
def test_a_delta_below_what_can_be_certified_is_an_error_or_infinite(digits: int) -> None:
    for ask in (fast_accountant.epsilon, fast_point.epsilon):
        try:
            found = ask(SAMPLED, Fraction(1, 10**digits))
        except DprefError:
            continue
        assert (found if isinstance(found, float) else found.upper) > 1


def test_an_unsupported_event_is_refused_by_every_specialist() -> None:
    ledger = Ledger(Poisson(Laplace(Fraction(1)), TENTH), ReplaceOne)
    for ask in (
        fast_accountant.epsilon, fast_point.epsilon, gaussian.epsilon, renyi_accountant.epsilon,
        loss_distribution.pld_epsilon,
    ):  # fmt: skip
        with pytest.raises(DprefError):
            ask(ledger, TENTH)
    with pytest.raises(DprefError):
        without_replacement.without_replacement_renyi(2, rate=-1, noise_multiplier=1)
