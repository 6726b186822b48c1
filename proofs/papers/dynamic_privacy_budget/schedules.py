"""Lemma 4.4 and the schedules of Theorems 4.3 and 4.5."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import total
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, equal, goal, of_fact
from proofs.search import ZERO, fixed, natural, numbers, positive, unit
from proofs.sums import Series, loop_goal

A, Q, R, T, T_, INDEX, GAMMA, ALPHA, LAM, SCALE = sp.symbols("a q R T t i gamma alpha lambda u")
_OPTIMAL = "dynamic-gradient-descent.optimal_variances"
_DYNAMIC = "dynamic-gradient-descent.dynamic_variance"
_SHARE = "dynamic-gradient-descent.dynamic_share"
_UNIFORM = "dynamic-gradient-descent.uniform_variance"


def cauchy_schwarz() -> tuple[k.Fact, k.Fact, k.Fact]:
    """Termwise, added up, and at the best multiplier: ``total(q a) - total(sqrt q)^2 / total(1/a) >= 0``."""
    domain = positive("q", "a", "lambda")
    term = Q * A + LAM**2 / A - 2 * LAM * sp.sqrt(Q)
    one = k.squares(term, ((sp.S.One, sp.sqrt(Q * A) - LAM / sp.sqrt(A)),), domain)
    many = induction.accumulate(one, ((sp.S.One, Q * A), (LAM**2, 1 / A), (-2 * LAM, sp.sqrt(Q))))
    best = total(sp.sqrt(Q)) / total(1 / A)
    at = k.instantiate(many, ((LAM, best),), positive("q", "a"))
    bound = total(Q * A) - total(sp.sqrt(Q)) ** 2 / total(1 / A)
    return one, many, k.combine(bound, ">=", ((sp.S.One, at),), positive("q", "a"))


def spending(note: str, *, cost: bool) -> Goal:
    """At ``a = s / (R sqrt q)``, one more step at a time: what is spent is R / s of the roots so far, the cost s."""
    s, x, root, sum_ = sp.symbols("s x root sum")
    variance = s / (R * x)  # x = sqrt q
    states = (
        *fixed(R, s),
        (root, sp.S.Zero, root + x),
        (sum_, sp.S.Zero, sum_ + (R * x**2 * variance if cost else 1 / variance)),
    )
    domain = positive("R", "R_0", "s", "s_0", "x") + numbers("root", "sum", lo=0, ends="[)")
    invariant = sum_ - s * root if cost else s * sum_ - R * root
    return loop_goal(invariant, "==", states, domain, note)


@obligation("PO-10", item="Lemma 4.4", about=(_OPTIMAL,))
def po10() -> Sequence[Goal]:
    r"""The optimal schedule, for every number of steps.

    $\sum_t\sigma_t^{-2}\sum_tq_t\sigma_t^2\ge(\sum_t\sqrt{q_t})^2$ for every T and all positive $q_t,\sigma_t^2$ (term
    by term $q a+\lambda^2/a-2\lambda\sqrt q=(\sqrt{qa}-\lambda/\sqrt a)^2$, added up, at $\lambda=\sum\sqrt
    q/\sum\frac1a$); the square vanishes exactly at $a=\lambda/\sqrt q$, which is
    $\sigma_t^2=\frac1R\sum_i\sqrt{q_i/q_t}$; for every T that schedule spends R and attains the bound; the library's
    function is this schedule for $T\le4$.
    """
    term = Q * A + LAM**2 / A - 2 * LAM * sp.sqrt(Q)
    many = total(Q * A) + LAM**2 * total(1 / A) - 2 * LAM * total(sp.sqrt(Q))
    bound = total(Q * A) - total(sp.sqrt(Q)) ** 2 / total(1 / A)
    goals = [
        goal(term, ">=", positive("q", "a", "lambda"), lambda _: cauchy_schwarz()[0], "term by term"),
        goal(many, ">=", positive("q", "a", "lambda"), lambda _: cauchy_schwarz()[1], "added up"),
        goal(bound, ">=", positive("q", "a"), lambda _: cauchy_schwarz()[2], "at the best multiplier"),
        equal(term.subs(A, LAM * SCALE / sp.sqrt(Q)), LAM * sp.sqrt(Q) * (1 - SCALE) ** 2 / SCALE,
            positive("q", "lambda", "u"), note="at u times the best variance: zero for u = 1 alone",
        ),
        spending("every T: s times what is spent is R times the sum of the roots, so R at s = that sum", cost=False),
        spending("every T: the cost is s times the sum of the roots, so its square", cost=True),
    ]  # fmt: skip
    for count in range(1, 5):
        q = sp.symbols(f"q1:{count + 1}")
        a = schedules.optimal_variances(TERM, q, R)
        domain, root = positive("R", *map(str, q)), sum(map(sp.sqrt, q))
        spent, cost = sum(1 / v for v in a), R * sum(x * v for x, v in zip(q, a, strict=True))
        goals += [
            equal(spent, R, domain, f"spends R, T = {count}"),
            equal(cost, root**2, domain, f"attains, T = {count}"),
        ]
        for x, v in zip(q, a, strict=True):
            goals.append(equal(v, root / R / sp.sqrt(x), domain, f"a variance, T = {count}"))
    return goals


@obligation("PO-11", item="Eq. (26)", about=(_OPTIMAL, _UNIFORM))
def po11() -> Sequence[Goal]:
    r"""The gap to the uniform schedule is a variance.

    $T\sum_tq_t-(\sum_t\sqrt{q_t})^2=T^2\,\mathrm{Var}_t[\sqrt{q_t}]$: with $m=\frac1T\sum\sqrt q$, $\sum(\sqrt
    q-m)^2=\sum q-2m\sum\sqrt q+m^2T$; so uniform is never better.
    """
    m, one = sp.Symbol("m"), sp.S.One
    spread = total(Q) - total(sp.sqrt(Q)) ** 2 / total(one)

    def never_better() -> k.Fact:
        term = k.squares(Q - 2 * m * sp.sqrt(Q) + m**2, ((one, sp.sqrt(Q) - m),), positive("q", "m"))
        many = induction.accumulate(term, ((one, Q), (-2 * m, sp.sqrt(Q)), (m**2, one)))
        at = k.instantiate(many, ((m, total(sp.sqrt(Q)) / total(one)),), positive("q"))
        return k.combine(spread, ">=", ((one, at),), positive("q"))

    q = sp.symbols("q1:4")
    best = schedules.optimal_variances(TERM, q, R)
    uniform = schedules.uniform_variance(TERM, R, sp.Integer(3))
    average = sum(map(sp.sqrt, q)) / 3
    variance = sum((sp.sqrt(x) - average) ** 2 for x in q) / 3
    saved = R * sum(x * (uniform - v) for x, v in zip(q, best, strict=True))
    return [
        of_fact(never_better, spread, ">=", positive("q"), "the sum of squares about the mean, for every T"),
        equal(
            total(one) * spread,
            total(one) ** 2 * (total(Q) / total(one) - (total(sp.sqrt(Q)) / total(one)) ** 2),
            positive("q"),
            note="the variance: mean square less squared mean, for every T",
        ),
        equal(saved, 9 * variance, positive("R", *map(str, q)), note="T = 3, the library's schedules"),
    ]


@obligation("PO-12", item="Theorem 4.5", about=(_DYNAMIC, _SHARE, _OPTIMAL, "dynamic-gradient-descent.influence"))
def po12() -> Sequence[Goal]:
    r"""The closed form of the dynamic schedule.

    $\sigma_t^2=\frac1R\sum_{i=1}^T\sqrt{\gamma^{t-i}}=\frac1R\frac{\gamma^{-T/2}-1}{1-\sqrt\gamma}\gamma^{t/2}$ for
    every T, by induction; the library's two functions give one schedule, Lemma 4.4's for $q_t=\gamma^{T-t}\alpha$, for
    $T\le3$.
    """
    rest = unit("gamma") + positive("R") + numbers("t")
    term = sp.sqrt(GAMMA ** (T_ - INDEX))
    closed = R * schedules.dynamic_variance(TERM, GAMMA, R, T, T_)

    share = schedules.dynamic_share(TERM, GAMMA, T, T_)
    goals = [
        Series(closed, term, INDEX, T, rest).goal("induction over T"),
        equal(share * closed, 1, rest + natural("T", 1)),
    ]
    for steps in range(1, 4):
        q = [schedules.influence(TERM, GAMMA, ALPHA, steps, t) for t in range(1, steps + 1)]
        best = schedules.optimal_variances(TERM, q, R)
        goals += [
            equal(v, schedules.dynamic_variance(TERM, GAMMA, R, sp.Integer(steps), sp.Integer(t)),
                 unit("gamma") + positive("R", "alpha"), note=f"Lemma 4.4 at T = {steps}, t = {t}")
            for t, v in enumerate(best, 1)
        ]  # fmt: skip
    return goals


@obligation("PO-13", item="Theorems 4.3, 4.5", about=(_SHARE, _UNIFORM, _DYNAMIC), premises=("PO-10", "PO-12"))
def po13() -> Sequence[Goal]:
    r"""The schedules spend exactly R.

    $\sum_t\sigma_t^{-2}=R$: uniform, $T\cdot\frac RT$; dynamic,
    $\sum_{t=1}^T\frac{(1-\sqrt\gamma)\gamma^{(T-t)/2}}{1-\gamma^{T/2}}=1$ for every T by induction; from influences,
    PO-10.
    """
    root = sp.sqrt(GAMMA)
    term = (1 - root) * root ** (T - T_)
    closed = 1 - root**T
    share = schedules.dynamic_share(TERM, GAMMA, T, T_)
    spent = 1 / schedules.dynamic_variance(TERM, GAMMA, R, T, T_)
    positive_steps = unit("gamma") + numbers("t") + natural("T", 1)
    return [
        equal(T / schedules.uniform_variance(TERM, R, T), R, positive("R", "T"), "uniform"),
        equal(share * closed, term, positive_steps, "a share of the dynamic schedule"),
        Series(closed, term, T_, T, unit("gamma"), root, ZERO).goal("induction over T"),
        equal(spent, R * share, positive_steps + positive("R")),
    ]
