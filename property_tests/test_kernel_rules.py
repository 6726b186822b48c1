"""Attacks on every rule, and the normal forms against a second evaluation."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

from proofs import balls, induction
from proofs import kernel as k
from proofs.algebra import Claim, Rejected, Sum, slope, total
from proofs.search import ZERO, bisect, box, grow, natural, nonnegative, numbers, positive, strongest, taylor, unit

X, Y, N, A = sp.symbols("x y n a")
ONE = sp.S.One


# ------------------------------------------------------------------------------------ facts and certificates


def test_a_fact_is_not_made_by_hand() -> None:
    with pytest.raises(TypeError, match="never by hand"):
        k.Fact(Claim(-ONE, ">", ()), "sign", ())


def test_replay_needs_the_recorded_claim() -> None:
    c = k.sign(X, ">", positive("x")).certificate()
    assert k.replay(c).claim.relation == ">"
    with pytest.raises(Rejected, match="another claim"):
        k.replay({**c, "claim": k.encode((X + 1, ">", positive("x")))})


@pytest.mark.parametrize(
    "c",
    [{}, {"rule": "sign"}, {"rule": "nothing", "args": [], "claim": []}, {"rule": "sign", "args": [1, 2], "claim": []}],
)
def test_replay_rejects_what_is_not_a_certificate(c: dict[str, Any]) -> None:
    with pytest.raises(Rejected):
        k.replay(c)


@pytest.mark.parametrize("ends", ["[)", "()", "(]", "[]"])
@pytest.mark.parametrize(("lo", "hi"), [(1, 0), (0, 0), ("oo", "oo"), ("-oo", "-oo"), ("0", "oo")])
def test_empty_and_infinite_intervals(lo: object, hi: object, ends: str) -> None:
    domain = numbers("x", lo=lo, hi=hi, ends=ends)
    good = (lo, hi, ends) == (0, 0, "[]") or ((lo, hi) == ("0", "oo") and ends[1] == ")")
    if good:
        k.sign(X + 1, ">", domain)
    else:
        with pytest.raises(Rejected, match="not an interval"):
            k.sign(X + 1, ">", domain)


# ------------------------------------------------------------------------------------ identities and signs


@pytest.mark.parametrize(
    ("left", "right", "domain"),
    [
        ((X + Y) ** 2, X**2 + Y**2, numbers("x", "y")),
        (sp.exp(X + Y), sp.exp(X) + sp.exp(Y), numbers("x", "y")),
        (sp.sqrt(X**2), X, numbers("x")),  # |x|
        (sp.log(X**2), 2 * sp.log(X), numbers("x", lo=0, ends="[)")),  # not defined at 0
        (X / X**2, 1 / X, numbers("x")),  # a pole inside
        (1 / (X - 1), (X + 1) / (X**2 - 1), positive("x")),
        (sp.log(X - 1), sp.log(X - 1), positive("x")),
        (sp.sqrt(X - 1), sp.sqrt(X - 1), positive("x")),
        (X**Y, X**Y, numbers("x", "y")),  # a negative base
        (sp.erfc(X), sp.erfc(-X), numbers("x")),
        (A, A, ()),  # a symbol without a box
    ],
)
def test_false_or_undefined_identities(left: sp.Expr, right: sp.Expr, domain: Any) -> None:
    with pytest.raises(Rejected):
        k.identity(left, right, domain)


@pytest.mark.parametrize(
    ("left", "right", "domain"),
    [
        (sp.sqrt(X**2), X, nonnegative("x")),
        (sp.sqrt(X**2), -X, numbers("x", hi=0)),
        (sp.log(X * Y), sp.log(X) + sp.log(Y), positive("x", "y")),
        (X ** (N + 1), X * X**N, positive("x") + numbers("n")),
        (sp.tanh(X), (sp.exp(X) - sp.exp(-X)) / (sp.exp(X) + sp.exp(-X)), numbers("x")),
        (sp.sqrt(X + 1) - sp.sqrt(X), 1 / (sp.sqrt(X + 1) + sp.sqrt(X)), nonnegative("x")),
    ],
)
def test_true_identities(left: sp.Expr, right: sp.Expr, domain: Any) -> None:
    assert k.identity(left, right, domain).claim == Claim(left - right, "==", domain)


@pytest.mark.parametrize(
    ("expr", "relation", "domain"),
    [
        (X, ">", nonnegative("x")),  # the closed end
        (1 - X, ">", numbers("x", lo=0, hi=1, ends="[]")),
        (1 - X, ">", numbers("x", lo=0, hi=1, ends="(]")),
        (1 / (1 - X), ">", numbers("x", lo=0, hi=2, ends="()")),  # a pole
        (1 / X, ">", nonnegative("x")),
        (X**2, ">", numbers("x")),
        (X**2 - 1, ">=", numbers("x", lo=0)),
        (sp.log(X), ">=", positive("x")),
        (X - Y, ">=", positive("x", "y")),
        (1 - X**Y, ">", unit("x") + nonnegative("y")),  # y = 0
    ],
)
def test_signs_that_are_not_certain(expr: sp.Expr, relation: str, domain: Any) -> None:
    with pytest.raises(Rejected):
        k.sign(expr, relation, domain)


@pytest.mark.parametrize(
    ("expr", "relation", "domain"),
    [
        (1 - X, ">", numbers("x", lo=0, hi=1, ends="[)")),
        (1 - X, ">=", numbers("x", lo=0, hi=1, ends="[]")),
        (1 - X**Y, ">", unit("x") + positive("y")),
        ((1 - X**Y) / (1 - sp.sqrt(X)), ">=", unit("x") + nonnegative("y")),
        (sp.log(X) / (X - 1), ">", numbers("x", lo=1)),
        (X**2 - 2 * X * Y + Y**2, ">=", numbers("x", "y")),
        (sp.erfc(X) - 1, ">=", numbers("x", hi=0, ends="(]")),
    ],
)
def test_signs_that_are_certain(expr: sp.Expr, relation: str, domain: Any) -> None:
    assert k.sign(expr, relation, domain).claim == Claim(expr, relation, domain)


def test_a_weight_that_may_be_negative() -> None:
    with pytest.raises(Rejected, match="weight"):
        k.squares(X * Y**2, ((X, Y),), numbers("x", "y"))
    with pytest.raises(Rejected, match="not that sum"):
        k.squares(Y**2 + 1, ((ONE, Y),), numbers("y"))


def test_a_multiplier_that_may_be_negative() -> None:
    fact = k.sign(Y, ">=", nonnegative("y"))
    with pytest.raises(Rejected, match="multiplier"):
        k.combine(X * Y, ">=", ((X, fact),), nonnegative("y") + numbers("x"))
    with pytest.raises(Rejected, match="relation"):
        k.combine(Y, ">", ((ONE, fact),), nonnegative("y"))
    with pytest.raises(Rejected, match="all values of y"):
        k.combine(Y, ">=", ((ONE, fact),), numbers("y"))


def test_a_refutation_is_no_premise() -> None:
    fact = balls.refute(X - 1, ">=", positive("x"), ((X, sp.Rational(1, 2)),), 64)
    with pytest.raises(Rejected):
        k.combine(X - 1, ">=", ((ONE, fact),), positive("x"))
    with pytest.raises(Rejected):
        k.sign(X, ">", positive("x"), (fact,))
    for to, domain in ((((X, sp.Integer(2)),), ()), ((), numbers("x", lo=1))):  # true at 2, and beyond 1
        with pytest.raises(Rejected, match="other points"):
            k.instantiate(fact, to, domain)


# ------------------------------------------------------------------------------------ analysis


def test_monotone_does_not_cross_a_pole() -> None:
    f = 1 / (1 - X) - 1  # vanishes at 0, has slope > 0, and is negative beyond 1
    slope = k.squares(sp.diff(f, X), ((ONE, 1 / (1 - X)),), unit("x"))
    k.monotone(f, X, "lo", slope, ZERO, unit("x"))
    with pytest.raises(Rejected):
        k.monotone(f, X, "lo", slope, ZERO, numbers("x", lo=0, hi=2))


def test_monotone_needs_continuity_at_its_anchor() -> None:
    f = X - 1 - sp.log(X)  # not defined at 0
    slope = k.sign(1 / X - 1, ">", unit("x"))
    with pytest.raises(Rejected):
        k.monotone(f, X, "lo", slope, ZERO, unit("x"))


def test_monotone_is_not_strict_at_its_anchor() -> None:
    closed = grow(X**2, X, nonnegative("x"))
    assert closed.claim.relation == ">="
    assert grow(X**2, X, positive("x")).claim.relation == ">"


def test_monotone_wants_the_slope_of_that_function_from_that_end() -> None:
    slope = k.sign(2 * X, ">", positive("x"))
    with pytest.raises(Rejected, match="derivative"):
        k.monotone(X**3, X, "lo", slope, ZERO, positive("x"))
    with pytest.raises(Rejected, match="derivative"):
        k.monotone(X**2 - 1, X, "hi", slope, ZERO, numbers("x", lo=0, hi=1))
    with pytest.raises(Rejected, match="value at the end"):
        k.monotone(X**2 - 1, X, "lo", slope, ZERO, positive("x"))


def test_a_root_is_not_smooth_where_it_vanishes() -> None:
    with pytest.raises(Rejected, match="may vanish"):
        k.derivative(sp.sqrt(X), X, 1 / (2 * sp.sqrt(X)), nonnegative("x"))
    k.derivative(sp.sqrt(X), X, 1 / (2 * sp.sqrt(X)), positive("x"))
    with pytest.raises(Rejected, match="not the derivative"):
        k.derivative(sp.exp(X**2), X, sp.exp(X**2), positive("x"))


def test_taylor_of_an_empty_interval() -> None:
    f = sp.exp(X) - 1 - X
    taylor(f, X, box(x=(0, 1)), 2)
    for end in (0, -1):
        with pytest.raises(Rejected):
            taylor(f - X**2, X, box(x=(0, end)), 2)


def test_minimum() -> None:
    domain = numbers("x") + positive("a")
    f = (X - A) ** 2
    curvature = k.sign(sp.Integer(2), ">", domain)
    assert k.minimum(f, X, A, curvature, domain).claim.expr == f
    with pytest.raises(Rejected, match="stationary"):
        k.minimum(f, X, 2 * A, curvature, domain)
    with pytest.raises(Rejected, match="depend"):
        k.minimum(f, X, X, curvature, domain)
    with pytest.raises(Rejected, match="outside"):
        k.minimum(f, X, A, k.sign(sp.Integer(2), ">", unit("x") + positive("a")), unit("x") + positive("a"))
    with pytest.raises(Rejected, match="second derivative"):
        k.minimum(-f, X, A, curvature, domain)


def test_limit() -> None:
    domain, f = unit("x"), (1 + X) ** 2
    below, above = k.sign(f - 1, ">", domain), k.sign(1 + 3 * X - f, ">", domain)
    assert str(k.limit(f, X, sp.S.Zero, ONE, below, above, domain).claim.expr) == "limit((x + 1)**2, x, 0, 1) - 1"
    with pytest.raises(Rejected, match="another value"):
        k.limit(f, X, sp.S.Zero, sp.Integer(2), below, above, domain)
    with pytest.raises(Rejected, match="another value"):
        k.limit(f, X, ONE, ONE, below, above, domain)
    with pytest.raises(Rejected):  # the bound 1/x has no value at the end
        k.limit(f, X, sp.S.Zero, ONE, below, k.sign(f + 1 / X - f, ">", domain), domain)


def test_limits_from_the_two_sides_are_two_numbers() -> None:
    step = sp.sqrt(X**2) / X
    sides = [(numbers("x", lo=0, hi=1), ONE), (numbers("x", lo=-1, hi=0), -ONE)]
    right, left = (
        k.limit(step, X, sp.S.Zero, v, k.sign(step - v, ">=", d), k.sign(v - step, ">=", d), d) for d, v in sides
    )
    with pytest.raises(Rejected, match="not that combination"):
        k.combine(sp.Integer(2), "==", ((ONE, left), (-ONE, right)), ())


# ------------------------------------------------------------------------------------ heads that bind symbols


def test_a_substitution_captures_no_dummy() -> None:
    linear = k.derivative(X * Y, X, Y, numbers("x", "y"))
    with pytest.raises(Rejected, match="captured"):  # the slope of 2 x * x is not 2 x
        k.instantiate(linear, ((Y, slope(X**2, X)),), numbers("x"))
    domain, later = natural("n") + numbers("x"), natural("n", 1) + numbers("x")
    constant = induction.summation(
        X, A, 1, N, N * X, "==", ONE,
        k.identity(sp.S.Zero, sp.S.Zero, numbers("x")), k.identity(sp.S.Zero, sp.S.Zero, later), domain,
    )  # fmt: skip
    with pytest.raises(Rejected, match="captured"):  # a is a dummy in one place and a parameter in another
        k.instantiate(constant, ((X, A + Sum(A, A, ONE, N)),), natural("n") + numbers("a"))


def test_totals_over_two_boxes_are_not_joined() -> None:
    """On [0, 1] no point is above 1, on [1, 2] none is below; a sequence of both refutes what holds on each."""
    low, high = (numbers("x", lo=i, hi=i + 1, ends="[]") for i in (0, 1))
    expr = (total(ONE) - total(X)) * total((1 - X) ** 3)
    below = induction.accumulate(k.sign(1 - X, ">=", low), ((ONE, ONE), (-ONE, X)))
    above = induction.accumulate(k.sign(X - 1, ">=", high), ((ONE, X), (-ONE, ONE)))
    left, right = k.sign(expr, ">=", low, (below,)), k.sign(expr, ">=", high, (above,))
    with pytest.raises(Rejected, match="all points"):
        k.join(left, right, X)


def test_a_loop_is_about_its_own_states() -> None:
    """With x += y for a new y in [-1, 1] at every step, x y >= 0 is true of the y just added, not of the next one."""
    domain = box(y=(-1, 1)) + numbers("x")
    base, step = k.sign(sp.S.Zero, ">=", domain[:1]), k.sign(Y**2, ">=", domain)
    with pytest.raises(Rejected, match="invariant"):
        induction.loop(X * Y, ">=", ((X, sp.S.Zero, X + Y),), ONE, base, step, domain)
    twice = ((X, sp.S.Zero, X + 1), (X, sp.Integer(5), X + 1))
    base, step = k.sign(sp.S.Zero, ">=", ()), k.sign(ONE, ">=", numbers("x"))
    with pytest.raises(Rejected, match="invariant"):
        induction.loop(X - 5, ">=", twice, ONE, base, step, numbers("x"))
    induction.loop(X - 5, ">=", twice[1:], ONE, base, step, numbers("x"))


# ------------------------------------------------------------------------------------ boxes


def test_cover_needs_every_leaf_and_a_closed_box() -> None:
    claim = Claim(X**2 + sp.Rational(1, 10), ">", box(x=(-1, 1)))
    fact = bisect(claim)
    splits = fact.args[2]
    for bad in ("", splits[:-2], splits + " 0", "x0 " + splits, "x1 0 0", "x-1 0 0"):
        with pytest.raises((Rejected, IndexError, ValueError)):
            balls.cover(claim.expr, claim.domain, bad, 64)
    for domain in (numbers("x", lo=-1, hi=1), numbers("x")):
        with pytest.raises(Rejected, match="closed box"):
            balls.cover(claim.expr, domain, "0", 64)


@pytest.mark.parametrize(
    "expr", [sp.log(X), 1 / X, sp.sqrt(X) + 1, X ** sp.Rational(1, 3) + 1, sp.log(X) - sp.log(X) + 1 / X]
)
def test_cover_of_a_box_where_the_expression_is_undefined(expr: sp.Expr) -> None:
    with pytest.raises(Rejected):
        balls.cover(expr, box(x=(-1, 1)), "0", 64)


def test_a_search_finds_a_witness_against_a_false_claim() -> None:
    fact = bisect(Claim(X**2 - sp.Rational(1, 10), ">", box(x=(-1, 1))))
    assert fact.claim.relation == "not >"


def test_refute_needs_a_point_of_the_box() -> None:
    with pytest.raises(Rejected, match="outside"):
        balls.refute(X - 1, ">=", positive("x"), ((X, sp.S.Zero),), 64)
    with pytest.raises(Rejected, match="outside"):
        balls.refute(X - 1, ">=", natural("x", 1), ((X, sp.S.Zero),), 64)
    with pytest.raises(Rejected, match="does not refute"):
        balls.refute(X - 1, ">=", positive("x"), ((X, ONE),), 64)
    balls.refute(X - 1, ">", positive("x"), ((X, ONE),), 64)


def test_distinguish() -> None:
    half, all_ = (sp.Rational(1, 2),) * 2, (ONE, sp.S.Zero)
    balls.distinguish(all_, half, (0,), sp.Rational(1, 10), sp.Rational(1, 10), 64)
    with pytest.raises(Rejected, match="does not break"):
        balls.distinguish(all_, half, (0,), sp.Integer(1), sp.S.Zero, 64)
    for p, event in (((ONE, ONE), (0,)), ((sp.Integer(2), -ONE), (0,)), (all_, (0, 0)), (all_, (5,))):
        with pytest.raises(Rejected):
            balls.distinguish(p, half, event, sp.S.Zero, sp.S.Zero, 64)


def test_join_needs_boxes_that_touch() -> None:
    def known(lo: int, hi: int, ends: str) -> k.Fact:
        return k.sign(X + 1, ">", numbers("x", lo=lo, hi=hi, ends=ends))

    assert k.join(known(0, 1, "[]"), known(1, 2, "()"), X).claim.domain == numbers("x", lo=0, hi=2, ends="[)")
    for left, right in ((known(0, 1, "[)"), known(1, 2, "(]")), (known(0, 1, "[]"), known(2, 3, "[]"))):
        with pytest.raises(Rejected, match="touch"):
            k.join(left, right, X)


def test_strongest_prefers_the_stronger_relation() -> None:
    assert strongest(X - X, positive("x"), ()).claim.relation == "=="
    assert strongest(X, positive("x"), ()).claim.relation == ">"
    assert strongest(X, nonnegative("x"), ()).claim.relation == ">="
