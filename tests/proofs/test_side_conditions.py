"""A certificate that one side condition alone refuses is accepted by a kernel without it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sympy as sp

from proofs import kernel as k
from proofs.search import nonnegative
from proofs.terms import Rejected, slope
from property_tests.false_theorems import FOUND, step
from property_tests.side_conditions import conditions, kernel_without

X = sp.Symbol("x")
HALVES = sp.Rational(3, 2)
_SLOPE = slope(X**HALVES, X) - HALVES * sp.sqrt(X)
# At x = 0 there is no derivative: on one side the function has no value.
AT_THE_END: dict[str, Any] = {
    "claim": k.encode((_SLOPE, "==", nonnegative("x"))),
    **step("derivative", X**HALVES, X, HALVES * sp.sqrt(X), nonnegative("x"), [])["fact"],
}
REAL = next(f.certificate for f in FOUND if f.name == "a premise about integers on a real box")
# The function that refuses it, the part that does, and the refusal.
REFUSED = [
    pytest.param("within", "i.integer", REAL, "not known for all values of n", id="integers"),
    pytest.param("power", "self.smooth", AT_THE_END, "a root of x, which may vanish", id="smooth"),
]


@pytest.mark.parametrize(("function", "part", "certificate", "why"), REFUSED)
def test_planted_bug_a_kernel_without_the_condition_accepts_it(
    function: str, part: str, certificate: dict[str, Any], why: str
) -> None:
    certificate = json.loads(json.dumps(certificate))
    with pytest.raises(Rejected, match=why):
        k.replay(certificate)
    with pytest.raises(Exception, match=why):
        kernel_without(None).replay(certificate)
    (condition,) = (c for c in conditions() if (c.function, c.text) == (function, part))
    weakened = kernel_without(condition)
    fact = weakened.replay(certificate)
    assert json.dumps(weakened.encode(tuple(fact.claim))) == json.dumps(certificate["claim"])
