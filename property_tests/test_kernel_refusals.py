"""What the kernel refuses before any rule looks at it: heads inside heads, jumps, lost poles, hidden premises."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import copy
import dataclasses
import itertools
import random
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from proofs import balls, induction
from proofs import kernel as k
from proofs.algebra import Ring
from proofs.search import box, natural, numbers, positive, unit
from proofs.terms import Claim, Interval, Rejected, Sum, limit_of, loop_of, slope, total
from property_tests.ball_points import Reader, Unclear, Undefined, ball
from tests.effort import part

X, Y, N, T = sp.symbols("x y n t")
ZERO, ONE = sp.S.Zero, sp.S.One
HEADS = {
    "total": total,
    "Sum": lambda e: Sum(e, T, ONE, N),
    "slope": lambda e: slope(e, X),
    "limit": lambda e: limit_of(e, X, ZERO, ONE),
    "loop": lambda e: loop_of(e, X, ZERO, X + 1),
}
DOMAIN = numbers("x", "y", "t") + natural("n")

# ------------------------------------------------------------------------------------ heads


@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(HEADS, repeat=2)))
def test_no_head_stands_inside_another(outer: str, inner: str) -> None:
    e = HEADS[outer](X * HEADS[inner](X) + 1)
    with pytest.raises(Rejected, match="a head inside another"):
        k.decode(k.encode(e))
    with pytest.raises(Rejected, match="a head inside another"):
        k.identity(e, e, DOMAIN)


@pytest.mark.parametrize(("outer", "place"), [("Sum", 3), ("limit", 2), ("loop", 2), ("loop", 3)])
@pytest.mark.parametrize("inner", HEADS)
def test_no_head_stands_in_another_part_of_a_head(outer: str, place: int, inner: str) -> None:
    args = list(HEADS[outer](Y).args)
    args[place] = HEADS[inner](Y)
    with pytest.raises(Rejected, match=r"a head inside another|not a term"):
        k.decode(k.encode(HEADS[outer](Y).func(*args)))


@pytest.mark.parametrize("head", HEADS)
def test_a_rule_that_needs_continuity_takes_no_head_that_involves_its_symbol(head: str) -> None:
    """Even where x is the head's own symbol: the rule does not look into heads."""
    h, domain = HEADS[head](X * Y), unit("x") + numbers("y", "t") + natural("n")
    rest, opened = domain[1:], domain
    nothing, at_end = k.sign(ZERO, ">=", opened), k.sign(ZERO, ">=", rest)
    known = k.identity(h, h, domain)
    refused = f"{head}.* is not known to be continuous in x"
    with pytest.raises(Rejected, match=refused):
        k.derivative(h, X, ZERO, domain)
    with pytest.raises(Rejected, match=refused):
        k.monotone(h, X, "lo", nothing, at_end, domain)
    with pytest.raises(Rejected, match=refused):
        k.minimum(h, X, sp.Rational(1, 2), nothing, domain)
    with pytest.raises(Rejected, match=refused):
        k.limit(ZERO, X, ZERO, ZERO, k.combine(h**2, ">=", ((ONE, k.squares(h**2, ((ONE, h),), domain)),), domain),
                nothing, domain)  # fmt: skip
    assert known.claim.expr == 0


@pytest.mark.parametrize("head", HEADS)
def test_capture_is_refused_in_both_directions(head: str) -> None:
    """A bound symbol is not replaced, and a symbol of an image is not bound."""
    h = HEADS[head](X + Y + T + N)
    fact = k.squares(h**2, ((ONE, h),), DOMAIN)
    own = T if head == "Sum" else X
    for to in ((own, ONE), (Y, own), (Y, own + 1)):
        with pytest.raises(Rejected, match="replaced or captured"):
            k.instantiate(fact, (to,), DOMAIN)
    if head in ("Sum", "slope", "limit"):
        assert k.instantiate(fact, ((Y, sp.Integer(3)),), DOMAIN).claim.expr == HEADS[head](X + T + N + 3) ** 2


def test_only_an_instance_puts_a_place_into_a_head() -> None:
    h = Sum(T * Y, T, ONE, N)
    two = k.sign(sp.Integer(2), ">", natural("n", 1))
    with pytest.raises(Rejected, match="inside a head"):
        induction.cases(h, ">=", N, (k.sign(ZERO, ">="[:2], ()),), two, natural("n"))
    equal = k.identity(Y, Y + 0, numbers("y", "n"))
    with pytest.raises(Rejected, match="inside a head"):
        k.congruence(h, Y, Y, Y, equal, numbers("y", "n"))


def test_a_total_may_be_the_value_of_a_parameter_outside_totals() -> None:
    """The sequence is the same on both sides: this is how a parameter is optimised."""
    domain = positive("x") + numbers("y")
    many = induction.accumulate(
        k.squares((X - Y) ** 2, ((ONE, X - Y),), domain), ((ONE, X**2), (-2 * Y, X), (Y**2, ONE))
    )
    best = k.instantiate(many, ((Y, total(X) / total(ONE)),), positive("x"))
    assert best.claim.expr == total(X**2) - total(X) ** 2 / total(ONE)


def test_what_is_undefined_in_a_head_is_an_unknown_number() -> None:
    """Of Sum(1/t, t, 0, n) only what holds for every number is provable; its value is not."""
    s = Sum(1 / T, T, ZERO, N)
    k.identity((s + 1) ** 2, s**2 + 2 * s + 1, natural("n"))
    with pytest.raises(Rejected, match="sign"):
        k.sign(s, ">=", natural("n"))
    with pytest.raises(Rejected, match="vanish"):
        k.sign(1 / s**2, ">", natural("n"))
    with pytest.raises(Rejected, match="vanish"):
        induction.summation(1 / T, T, 0, N, N + 1, ">=", ONE, k.sign(ZERO, ">=", ()), k.sign(ONE, ">", natural("n")),
                            numbers("n", lo=-1, ends="[)", integer=True))  # fmt: skip


def test_a_head_needs_the_intervals_of_its_symbols() -> None:
    for h in (f(X + Y) for f in HEADS.values()):
        with pytest.raises(Rejected, match="no meaning"):
            Ring(numbers("x", "t") + natural("n")).normal(h)


# ------------------------------------------------------------------------------------ places at which a part vanishes


def test_a_part_that_cancels_at_a_place_is_seen() -> None:
    """The closed form is 0/0 at its base where y = 0; sympy's substitution would give 0."""
    y, t = box(y=(0, 1)), sp.Symbol("t")
    closed = 2 * N * (N + Y) / (N + Y) * (2 * N + 2 * Y) / (2 * N + Y)
    base = k.identity(ZERO, ZERO, y)
    with pytest.raises(Rejected):
        induction.summation(ONE, t, 1, N, closed, "==", ONE, base, base, natural("n") + y)
    for f in ((X + Y) / (X * X + Y), sp.log(X + Y) - sp.log(X + Y + 0 * X), (X + Y) ** -1):
        equal = k.identity(X - X, ZERO, numbers("y"))
        if f.has(X):
            with pytest.raises(Rejected, match="may vanish"):
                k.congruence(f, X, ZERO, ZERO, equal, numbers("y"))


def random_term(rng: random.Random, depth: int) -> tuple[sp.Expr, sp.Expr]:
    """A term as it is written, and as sympy leaves it."""
    if depth == 0 or rng.random() < 0.15:
        leaf = rng.choice((X, Y, X, Y, ZERO, ONE, -ONE, sp.Rational(1, 2), sp.Integer(2), sp.pi))
        return leaf, leaf
    kind: Any = rng.choice((sp.Add, sp.Add, sp.Mul, sp.Mul, sp.Pow, sp.Pow, sp.exp, sp.log, sp.erfc, sp.tanh))
    parts = [random_term(rng, depth - 1) for _ in range(2 if kind in (sp.Add, sp.Mul, sp.Pow) else 1)]
    if kind is sp.Pow and rng.random() < 0.8:
        p = rng.choice((sp.Integer(2), -ONE, sp.Rational(1, 2), sp.Rational(-1, 2), sp.Rational(2, 3), sp.Integer(3)))
        parts[1] = (p, p)
    return kind(*(w for w, _ in parts), evaluate=False), kind(*(e for _, e in parts))


@pytest.mark.slow
@pytest.mark.parametrize("seed", part(range(10), 4))
def test_automatic_evaluation_keeps_the_value_of_what_is_defined(seed: int) -> None:
    """The one thing for which it is trusted: where every part of a term has a value, what is left has the same."""
    rng = random.Random(seed)
    reader, compared = Reader(Claim(ZERO, "==", ()), rng), 0
    for _ in range(150):
        written, left = random_term(rng, 4)
        for _ in range(4):
            at = {s: Fraction(rng.choice((0, 1, -1, 2, -3)), rng.choice((1, 2, 7))) for s in (X, Y)}
            try:
                value = reader.value(written, at)
            except (Undefined, Unclear, OverflowError):
                continue
            compared += 1
            assert k.decode(k.encode(left)) == left
            try:
                other = reader.value(left, at)
            except Unclear:
                continue
            assert ball(value).overlaps(ball(other)), (written, left, at)
    assert compared > 50


def test_a_refutation_needs_a_value_at_its_witness() -> None:
    """(x - 1) log y becomes 0 at x = 1, y = -1 by complex arithmetic, where it has no value."""
    with pytest.raises(Rejected, match="does not refute"):
        balls.refute((X - 1) * sp.log(Y), ">", box(x=(0, 2), y=(-1, 1)), ((X, ONE), (Y, -ONE)), 64)


@pytest.mark.parametrize("e", [1 / X, sp.log(X), sp.sqrt(X), 1 / sp.log(X)])
@pytest.mark.parametrize("tame", [sp.tanh, sp.erfc])
def test_a_bounded_function_of_what_is_undefined_is_undefined(tame: Any, e: sp.Expr) -> None:
    with pytest.raises(Rejected, match="not positive"):
        balls.cover(tame(e) + 3, box(x=(-1, 1)), "0", 64)


@pytest.mark.parametrize(("lo", "hi", "ends"), [(1, 0, "[]"), (0, 0, "()"), (0, 0, "[)"), (0, 0, "(]")])
def test_no_rule_works_on_an_empty_box(lo: int, hi: int, ends: str) -> None:
    empty = numbers("x", lo=lo, hi=hi, ends=ends)
    good = k.sign(X**2, ">=", numbers("x"))
    with pytest.raises(Rejected, match="not an interval"):
        k.identity(ONE, ONE, empty)
    with pytest.raises(Rejected, match="not an interval"):
        k.combine(X**2, ">=", ((ONE, good),), empty)
    with pytest.raises(Rejected, match="not an interval"):
        k.instantiate(good, (), empty)
    with pytest.raises(Rejected, match="not an interval"):
        k.axiom(-ONE, ">", empty, "nobody")
    with pytest.raises(Rejected, match="not an interval"):
        balls.refute(X, ">", empty, ((X, ZERO),), 64)
    with pytest.raises(Rejected, match="not an interval"):
        k.derivative(X, X, ONE, empty)


def test_a_single_point_has_no_inside() -> None:
    with pytest.raises(Rejected, match="not an interval"):
        k.monotone(X, X, "lo", k.sign(ONE, ">", ()), k.sign(ZERO, ">=", ()), box(x=(0, 0)))


# ------------------------------------------------------------------------------------ hidden premises


def test_a_premise_cannot_hide() -> None:
    """An axiom that is a side condition is listed, in whatever container it comes."""
    fact = k.axiom(X - 1, ">", numbers("x"), "nobody")
    open_ = k.sign(X - 1, ">", numbers("x"), (fact,))
    assert open_.assumptions() == {"nobody"}
    five: Any = Interval(*[fact] * 5)  # type: ignore[arg-type]
    others: list[Any] = [five, [fact], {fact}, (fact for _ in "1")]
    for side in others:
        with pytest.raises(Rejected, match="the argument side is not of its type"):
            k.sign(X - 1, ">", numbers("x"), side)
    c = open_.certificate()
    c["args"][3] = {"interval": c["args"][3] * 5}
    with pytest.raises(Rejected, match="the argument side is not of its type"):
        k.replay(c)


def test_a_fact_is_not_copied_onto_another_claim() -> None:
    fact = k.sign(ONE, ">", ())
    with pytest.raises(TypeError, match="never by hand"):
        dataclasses.replace(fact, claim=Claim(-ONE, ">", ()))
    assert copy.copy(fact).claim == fact.claim


def test_symbols_of_one_name_are_one_symbol() -> None:
    for other in (sp.Symbol("x", positive=True), sp.Symbol("x", integer=True), sp.Dummy("x")):
        with pytest.raises(Rejected, match=r"not an interval|not a term"):
            k.sign(other**2, ">=", (Interval(other, ZERO, ONE, "[]"),))
        with pytest.raises(Rejected, match="not a term"):
            k.axiom(other, ">", numbers("x"), "nobody")


@pytest.mark.parametrize("e", [sp.zoo, sp.nan, sp.oo, sp.I, sp.Float(1), sp.Abs(X), sp.sin(X)])
def test_what_is_no_term_is_in_no_claim(e: sp.Expr) -> None:
    with pytest.raises(Rejected, match="not a term"):
        k.axiom(e, ">=", numbers("x"), "nobody")


def test_a_fraction_over_nothing_is_no_number() -> None:
    """A third argument of sympy's Rational is divided by unchecked: -5 / 1 by 2 is the rational number -3 / 0."""
    with pytest.warns(DeprecationWarning, match="gcd"):
        e = sp.Rational(-5, 1, 2)
    assert e.is_Rational
    with pytest.raises(Rejected, match="not a term"):
        k.sign(e, ">=", ())
    for interval in (Interval(X, e, e, "[]"), Interval(X, e, ONE, "[]")):
        with pytest.raises(Rejected, match="not an interval"):
            k.sign(ONE, ">", (interval,))


def test_a_side_condition_that_is_zero_says_nothing() -> None:
    """Nothing is divided by it; what other conditions say is still heard."""
    zero = k.sign(sp.S.Zero, ">=", numbers("x"))
    hidden = k.combine((X + 1) ** 2 - X**2 - 2 * X - 1, ">=", ((ONE, zero),), numbers("x"))
    with pytest.raises(Rejected, match="not certain"):
        k.sign(X, ">=", numbers("x"), (zero, hidden))
    known = k.sign(X, ">", positive("x"))
    assert k.sign(X * (X + 1), ">", positive("x"), (zero, hidden, known)).claim.relation == ">"
