"""No certificate of something false replays, and every refusal that stops one is shown to matter."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import json
import random

import pytest

from proofs import kernel as k
from proofs.terms import Claim, Rejected
from property_tests.ball_points import Reader, at_point
from property_tests.false_theorems import FOUND, FalseTheorem
from property_tests.side_conditions import kernel_without

BY_NAME = [pytest.param(f, id=f.name) for f in FOUND]


@pytest.mark.parametrize("f", BY_NAME)
def test_a_false_theorem_is_refused(f: FalseTheorem) -> None:
    with pytest.raises(Rejected, match=f.why):
        k.replay(f.certificate)


@pytest.mark.slow
@pytest.mark.parametrize("f", BY_NAME)
def test_what_it_claims_is_false(f: FalseTheorem) -> None:
    claim = Claim(*k.decode(f.certificate["claim"]))
    rng = random.Random(0)
    said = set()
    for _ in range(300):
        reader = Reader(claim, rng)
        said.add(at_point(claim, claim.relation, reader, reader.somewhere(rng)))
    assert said & {"false", "undefined"}


@pytest.mark.slow
@pytest.mark.parametrize("f", BY_NAME)
def test_a_weakened_rule_is_caught(f: FalseTheorem) -> None:
    """Without its conditions the false theorem is accepted: so they matter, and their loss would be noticed."""
    weakened = kernel_without(*f.without)
    fact = weakened.replay(f.certificate)
    assert json.dumps(weakened.encode(tuple(fact.claim))) == json.dumps(f.certificate["claim"])
    assert "axiom" not in fact.rules()


def test_a_copy_without_nothing_refuses_them_too() -> None:
    """The copies differ from the kernel in the conditions alone."""
    copy = kernel_without()
    for f in FOUND:
        with pytest.raises(Exception, match=f.why):
            copy.replay(f.certificate)
