"""Promises of the front door on mixed ledgers: any two intervals overlap, order is free, more never costs less."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpref.privacy.accountants import survey
from dpref.privacy.events.guarantees import Concentrated
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Ledger,
    Poisson,
    RandomizedResponse,
)
from dpref.privacy.events.ledger import Repeat as Repeated
from dpref.privacy.events.selection import Select
from dpref.privacy.pld.accountant import pld_epsilon
from dpref.units import AddOrRemoveOne
from tests.effort import runs

noise = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(4)])
steps: st.SearchStrategy[Event] = st.one_of(
    noise.map(Gaussian),
    noise.map(Laplace),
    st.builds(RandomizedResponse, st.sampled_from([Fraction(1, 4), Fraction(1)]), st.just(2), st.just("category")),
    st.sampled_from([Fraction(1, 4), Fraction(1)]).map(Exponential),
    st.builds(Poisson, noise.map(Gaussian), st.sampled_from([Fraction(1, 50), Fraction(1, 4)])),
    st.sampled_from([Concentrated(Fraction(1, 32)), Select(Laplace(Fraction(4)), mean=Fraction(1))]),
)
ledgers = st.lists(st.builds(Repeated, steps, st.integers(1, 8)), min_size=1, max_size=2)
deltas = st.sampled_from([Fraction(1, 100), Fraction(1, 10**5)])


def under(parts: list[Repeated]) -> Ledger[AddOrRemoveOne]:
    return Ledger(Compose(tuple(parts)), AddOrRemoveOne)


@pytest.mark.slow
@settings(max_examples=runs(8, 4))
@given(ledgers, deltas)
def test_the_intervals_of_any_two_accountants_overlap(parts: list[Repeated], delta: Fraction) -> None:
    found = [o.interval for o in survey(under(parts), delta=delta) if o.interval is not None]
    assert len(found) >= 2
    for a, b in combinations(found, 2):
        assert a.lower <= b.upper
        assert b.lower <= a.upper


@pytest.mark.slow
@settings(max_examples=runs(8, 4))
@given(ledgers, steps, deltas)
def test_balls_compose_in_any_order_and_more_never_costs_less(
    parts: list[Repeated], more: Event, delta: Fraction
) -> None:
    def spent(events: list[Repeated], d: Fraction) -> tuple[float, float]:
        found = pld_epsilon(under(events), d, relative_width=Fraction(1, 20))
        return found.lower, found.upper

    here, backwards = spent(parts, delta), spent(parts[::-1], delta)
    assert max(here[0], backwards[0]) <= min(here[1], backwards[1])
    assert spent([*parts, Repeated(more, 1)], delta)[1] >= here[0]
    assert spent([Repeated(p.event, p.count + 1) for p in parts], delta)[1] >= here[0]
    assert spent(parts, delta / 10)[1] >= here[0]
