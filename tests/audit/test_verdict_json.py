"""The numbers of a verdict for a program: each stands at its own place, in the unit of that place, rounded outward."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dpref.audit.catalogue import find
from dpref.audit.known import Ends
from dpref.audit.verdict import Verdict, audit
from dpref.audit.verdict_json import verdict_to_json


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return audit(find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one"), trials=100)


def test_no_number_of_a_verdict_stands_at_another_s_place(verdict: Verdict) -> None:
    """Numbers of which no two are equal, as of a claim that is stated in another unit than epsilon."""
    third = Fraction(1, 3)
    made = replace(
        verdict,
        certified=Ends(third, 2 * third),
        epsilon=Ends(4 * third, 5 * third),
        claimed_epsilon=7 * third,
        empirical=replace(verdict.empirical, epsilon=0.125, mu=0.25, gaussian_epsilon=0.375),
    )
    document = verdict_to_json(made)
    for place, ends in ((document, made.certified), (document["epsilon"], made.epsilon)):
        low, high = (Fraction(place["certified"][end]) for end in ("lower", "upper"))
        assert low <= ends.lower <= low + Fraction(1, 10**12)
        assert high - Fraction(1, 10**12) <= ends.upper <= high
    assert 0 <= Fraction(document["epsilon"]["claimed"]) - 7 * third < Fraction(1, 10**12)
    assert Fraction(document["epsilon"]["empirical"]) == Fraction(1, 8)
    assert Fraction(document["gaussian"]["mu"]) == Fraction(1, 4)
    assert Fraction(document["gaussian"]["epsilon"]) == Fraction(3, 8)
    slack = [Fraction(document["slack"][end]) for end in ("lower", "upper")]
    claimed = made.claim.claimed.value
    assert slack[0] <= claimed - 2 * third < claimed - third <= slack[1]
