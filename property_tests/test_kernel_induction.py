"""Attacks on the rules of instances and of induction."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

from proofs import induction
from proofs import kernel as k
from proofs.algebra import Rejected, Sum, total
from proofs.search import ZERO, natural, nonnegative, numbers, positive, unit

X, Y, N, A = sp.symbols("x y n a")
ONE = sp.S.One


def test_cases_are_all_there() -> None:
    """n^2 - 5n + 7 > 0: 3, 1, 1 at n = 1, 2, 3, and (n - 4)(n - 1) + 3 beyond."""
    expr = N**2 - 5 * N + 7
    each = tuple(k.sign(expr.subs(N, j), ">", ()) for j in (1, 2, 3))
    beyond = k.sign(expr, ">", natural("n", 4))
    assert induction.cases(expr, ">", N, each, beyond, natural("n", 1)).claim.domain == natural("n", 1)
    for few in (each[:2], each[1:], each[::-1], (*each, each[1])):
        with pytest.raises(Rejected):
            induction.cases(expr, ">", N, few, beyond, natural("n", 1))
    for domain in (natural("n"), positive("n"), numbers("n")):
        with pytest.raises(Rejected):
            induction.cases(expr, ">", N, each, beyond, domain)
    weak = k.sign(expr, ">=", natural("n", 4))
    with pytest.raises(Rejected, match="relation"):
        induction.cases(expr, ">", N, each, weak, natural("n", 1))
    induction.cases(expr, ">=", N, each, weak, natural("n", 1))


def test_instantiate_stays_in_the_box() -> None:
    fact = k.sign(X, ">", positive("x"))
    assert k.instantiate(fact, ((X, Y + 1),), nonnegative("y")).claim.expr == Y + 1
    for image, domain in ((Y, nonnegative("y")), (Y - 1, positive("y")), (1 / Y, nonnegative("y"))):
        with pytest.raises(Rejected):
            k.instantiate(fact, ((X, image),), domain)


def test_instantiate_an_integer() -> None:
    fact = k.sign(N, ">=", natural("n"))
    k.instantiate(fact, ((N, N + 1),), natural("n"))
    for image, domain in ((Y, nonnegative("y")), (N / 2, natural("n")), (N - 1, natural("n"))):
        with pytest.raises(Rejected):
            k.instantiate(fact, ((N, image),), domain)


def squares_sum() -> tuple[sp.Expr, k.Fact]:
    closed = N * (N + 1) / 2
    step = k.identity(closed - closed.subs(N, N - 1) - N, sp.S.Zero, natural("n", 1))
    return closed, step


def test_summation() -> None:
    closed, step = squares_sum()
    t = sp.Symbol("t")
    fact = induction.summation(t, t, 1, N, closed, "==", ONE, ZERO, step, natural("n"))
    assert fact.claim.expr == closed - Sum(t, t, ONE, N)
    for change in (
        {"closed": closed + 1},
        {"term": t + 1},
        {"ratio": sp.Integer(2)},
        {"domain": nonnegative("n")},
        {"domain": natural("n", 1)},
        {"first": 2},
        {"term": t * N},
    ):
        arguments: dict[str, Any] = {
            "term": t, "t": t, "first": 1, "n": N, "closed": closed, "relation": "==", "ratio": ONE,
            "base": ZERO, "step": step, "domain": natural("n"), **change,
        }  # fmt: skip
        with pytest.raises(Rejected):
            induction.summation(**arguments)


def test_accumulate_keeps_parameters_apart() -> None:
    domain = positive("x") + numbers("a")
    fact = k.squares((X - A) ** 2, ((ONE, X - A),), domain)
    many = induction.accumulate(fact, ((ONE, X**2), (-2 * A, X), (A**2, ONE)))
    assert many.claim.expr == total(X**2) - 2 * A * total(X) + A**2 * total(ONE)
    with pytest.raises(Rejected, match="runs"):
        induction.accumulate(fact, ((ONE, X**2), (-2 * A * X, ONE), (ONE, A**2)))
    with pytest.raises(Rejected, match="runs"):
        induction.accumulate(fact, ((ONE, X**2), (-2 * X, A), (A**2, ONE)))


def test_bound_symbols_are_neither_replaced_nor_captured() -> None:
    many = induction.accumulate(k.sign(X, ">", positive("x")), ((ONE, X),))
    with pytest.raises(Rejected, match="bound"):
        k.instantiate(many, ((X, X + 1),), positive("x"))
    closed, step = squares_sum()
    t = sp.Symbol("t")
    fact = induction.summation(t, t, 1, N, closed, "==", ONE, ZERO, step, natural("n"))
    with pytest.raises(Rejected):
        k.instantiate(fact, ((N, t),), natural("t"))
    with pytest.raises(Rejected):
        k.derivative(total(X), X, ONE, positive("x"))


def test_loop() -> None:
    s = sp.Symbol("s")
    states = ((s, sp.S.Zero, s + X),)
    domain = numbers("s") + nonnegative("x")
    base, step = k.sign(sp.S.Zero, ">=", nonnegative("x")), k.sign(X, ">=", domain)
    induction.loop(s, ">=", states, ONE, base, step, domain)
    with pytest.raises(Rejected, match="step"):
        induction.loop(s, ">=", ((s, sp.S.Zero, s - X),), ONE, base, step, domain)
    with pytest.raises(Rejected, match="base"):
        induction.loop(s - 1, ">=", states, ONE, base, step, domain)
    with pytest.raises(Rejected, match="leaves"):
        induction.loop(s, ">=", states, ONE, base, step, unit("s") + nonnegative("x"))


def test_an_axiom_is_seen() -> None:
    fact = k.axiom(X, ">=", positive("x"), "somebody")
    other = k.combine(2 * X, ">=", ((sp.Integer(2), fact),), positive("x"))
    assert other.assumptions() == {"somebody"}
    assert "axiom" in other.rules()
