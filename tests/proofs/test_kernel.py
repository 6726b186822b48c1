"""A combination of facts is strict only where no point of the box makes it vanish."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
import sympy as sp

from proofs import kernel as k
from proofs.terms import Domain, Interval, Rejected

X, Y = sp.symbols("x y")
ZERO, ONE = sp.S.Zero, sp.S.One
ENDS = ("[]", "[)", "(]", "()")
MULTIPLIERS = (ZERO, ONE, X, ONE - X, 1 + X, X * (1 - X), X**2)


def points(i: Interval) -> list[sp.Expr]:
    """The closed ends of [0, 1] or its like, and some points inside."""
    inside = [sp.Rational(f.numerator, f.denominator) for f in (Fraction(1, 9), Fraction(1, 2), Fraction(8, 9))]
    return [ZERO] * (i.ends[0] == "[") + inside + [ONE] * (i.ends[1] == "]")


def accepted(multiplier: sp.Expr, relation: str, domain: Domain) -> bool:
    """Whether the kernel concludes ``multiplier y > 0`` from ``y > 0`` or ``y >= 0``."""
    try:
        k.combine(multiplier * Y, ">", ((multiplier, k.sign(Y, relation, domain)),), domain)
    except Rejected:
        return False
    return True


@pytest.mark.parametrize("of_y", ENDS)
@pytest.mark.parametrize("of_x", ENDS)
def test_a_strict_combination_is_positive_at_every_point(of_x: str, of_y: str) -> None:
    x, y = Interval(X, ZERO, ONE, of_x, False), Interval(Y, ZERO, ONE, of_y, False)
    strict = of_y[0] == "("
    for multiplier in MULTIPLIERS:
        values = [(multiplier * Y).subs({X: a, Y: b}) for a, b in itertools.product(points(x), points(y))]
        assert accepted(multiplier, ">=", (x, y)) is False
        if strict:
            assert accepted(multiplier, ">", (x, y)) is all(value > 0 for value in values)


def test_nothing_times_a_strict_fact_is_not_strict() -> None:
    fact = k.sign(Y, ">", (Interval(Y, ZERO, sp.oo, "()", False),))
    with pytest.raises(Rejected, match="not that relation"):
        k.combine(ZERO, ">", ((ZERO, fact),), fact.claim.domain)
    assert k.combine(ZERO, ">=", ((ZERO, fact),), fact.claim.domain).claim.relation == ">="


@pytest.mark.parametrize("ends", ENDS)
def test_a_root_is_positive_only_where_its_radicand_is(ends: str) -> None:
    domain = (Interval(X, ZERO, ONE, ends, False),)
    for root in (sp.sqrt(X), sp.sqrt(1 - X), sp.sqrt(X) * sp.sqrt(1 - X), X ** sp.Rational(1, 3), sp.sqrt(1 + X)):
        try:
            strict = k.sign(root, ">", domain).claim.relation == ">"
        except Rejected:
            strict = False
        assert strict is all(root.subs(X, point) > 0 for point in points(domain[0]))
        assert k.sign(root, ">=", domain).claim.relation == ">="
