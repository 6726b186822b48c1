"""A plan is a function of its arguments: the precision that balls happen to have around it changes no digit of it."""

from __future__ import annotations

from typing import Any

import pytest

from dpref.algorithms.declaration import Algorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue
from dpref.audit.claims import Claim
from dpref.reals import precision

# One printed and one repaired claim of each algorithm, and of the Gaussian mechanism, which has no plan.
CHOSEN = {
    (c.algorithm, c.form.partition("-")[0]): c
    for c in catalogue()
    if c.algorithm in {*ALGORITHMS, "gaussian-mechanism"}
}


def planned(claim: Claim) -> str:
    """Everything of a claim's subject that was planned, to the last digit."""
    subject: Any = build(claim)
    plan = getattr(subject, "plan", None) or getattr(getattr(subject, "run", None), "plan", None)
    return repr(plan) if plan is not None else repr(subject.ledger())


@pytest.mark.slow
@pytest.mark.parametrize("claim", CHOSEN.values(), ids=lambda c: c.id)
def test_a_plan_is_the_same_at_every_precision_around_it(claim: Claim) -> None:
    found = set()
    for bits in (30, 53, 300):
        with precision(bits):
            found.add(planned(claim))
    assert len(found) == 1


def test_planted_bug_a_plan_that_is_not_made_at_a_precision_of_its_own_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planning function by itself, past the door that sets the precision."""
    claim = next(c for c in catalogue() if c.algorithm == "mirror-descent")
    with precision(300):
        right = planned(claim)
    monkeypatch.setattr(Algorithm, "plan", lambda self, problem, params: self.planning.plan(problem, params))
    with precision(300):
        assert planned(claim) != right
