"""Theorems 4.2 and 4.3: the risk bound of gradient descent (PO-1 to PO-9)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim, Domain, Sum
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, derivative, equal, goal, of_fact
from proofs.search import ZERO, grow, natural, nonnegative, numbers, positive, sum_of_squares, unit
from proofs.sums import Series, after, loop_goal
from proofs.topics.zcdp import log_below_line

_D = "dynamic-gradient-descent."
MU, M, D, G, N, R, GAP, SIGMA, T, T_, GAMMA, ALPHA, KAPPA, W, X, C, U, Y = sp.symbols(
    "mu M D G n R gap sigma T t gamma alpha kappa w x c u y"
)
ONE = sp.S.One
_KAPPA = numbers("kappa", lo=1)
_LINE_X = sp.Symbol("x")


def line_at(e: sp.Expr, domain: Domain, side: k.Side = ()) -> k.Fact:
    """``e - 1 - log e >= 0``."""
    return k.instantiate(log_below_line(), ((_LINE_X, e),), domain, side)


def rate_is_positive() -> k.Fact:
    """``-log(1 - 1/kappa) > 0`` for kappa > 1."""
    rest = k.sign(1 / KAPPA, ">", _KAPPA)
    return k.combine(-sp.log(1 - 1 / KAPPA), ">", ((ONE, line_at(1 - 1 / KAPPA, _KAPPA)), (ONE, rest)), _KAPPA)


@obligation("PO-1", item="Theorem 4.2", about=(_D + "step_factor", _D + "contraction"))
def po1() -> Sequence[Goal]:
    r"""The contraction of one step at the step size 1/M.

    $1-2\mu\eta(1-\frac M2\eta)=1-\frac\mu M=\gamma$ at $\eta=\frac1M$, $\kappa=M/\mu$; and no other step size leaves
    less.
    """
    domain, eta = positive("mu", "M"), sp.Symbol("eta")
    at = risk_bounds.step_factor(TERM, MU, M, 1 / M)
    other = risk_bounds.step_factor(TERM, MU, M, eta)

    return [
        equal(risk_bounds.step_factor(TERM, MU, M, 1 / M), schedules.contraction(TERM, M / MU), domain, "gamma"),
        equal(risk_bounds.step_factor(TERM, MU, M, 1 / M), 1 - MU / M, domain, "1 - mu / M"),
        goal(
            other - at, ">=", domain + positive("eta"), sum_of_squares((MU * M, eta - 1 / M)),
            "the step size is optimal",
        ),
    ]  # fmt: skip


@obligation("PO-2", item="Theorem 4.2, Eq. (4)", about=(_D + "step_noise", _D + "noise_unit"))
def po2() -> Sequence[Goal]:
    r"""The variance that one step's noise adds.

    $\frac{MD}2\big(\frac{G\sigma}{MN}\big)^2=R\alpha\sigma^2\Delta_1$ with $\alpha$ of Eq. (4).
    """
    noise = risk_bounds.step_noise(TERM, M, D, G, N, SIGMA, 1 / M)
    unit_ = risk_bounds.noise_unit(TERM, D, G, R, M, N, GAP)
    return [equal(noise, R * unit_ * SIGMA**2 * GAP, positive("M", "D", "G", "n", "sigma", "R", "gap"), "Eq. (4)")]


def unrolled() -> Goal:
    """The linear recursion, as a loop: e <- r e + c, first <- first, P <- r P, W <- r W + c."""
    e, first, p, w, r, c, start = sp.symbols("e first P W r c e_1")
    states = ((e, start, r * e + c), (first, start, first), (p, ONE, r * p), (w, sp.S.Zero, r * w + c))
    domain = numbers("e", "first", "P", "W", "r", "c", "e_1")
    invariant = e - first * p - w

    def step() -> k.Fact:
        return k.identity(after(invariant, states), r * invariant, domain)

    return loop_goal(invariant, "==", states, domain, "every T", step=step, ratio=r)


@obligation("PO-3", item="Theorems 4.2, 4.6, 4.9", about=(_D + "erub",))
def po3() -> Sequence[Goal]:
    r"""Unrolling a linear recursion.

    $e_{t+1}=r_te_t+c_t\Rightarrow e_{T+1}=e_1\prod_tr_t+\sum_tc_t\prod_{i>t}r_i$ for every T and all real $r_t,c_t$:
    the product P and the weighted sum W of the right side satisfy $P\leftarrow rP$, $W\leftarrow rW+c$; $e-e_1P-W=0$ is
    invariant. For $r_t=\gamma$, $c_t=R\alpha\sigma_t^2$ this is the bound of Eq. (7).
    """
    goals = [unrolled()]
    for steps in (2, 4):
        v = sp.symbols(f"v1:{steps + 1}")
        e = ONE
        for x in v:
            e = GAMMA * e + R * ALPHA * x
        bound = risk_bounds.erub(TERM, v, GAMMA, ALPHA, R)
        goals.append(equal(bound, e, unit("gamma") + positive("alpha", "R", *map(str, v)), note=f"T = {steps}"))
    return goals


def geometric() -> k.Fact:
    """``(1 - gamma^T) / (1 - gamma) - Sum(gamma^(T-t), t, 1, T) == 0``."""
    closed, term = (1 - GAMMA**T) / (1 - GAMMA), GAMMA ** (T - T_)
    return Series(closed, term, T_, T, unit("gamma"), GAMMA, ZERO).fact()


@obligation("PO-4", item="Eq. (9)", about=(_D + "erub_uniform", _D + "erub", _D + "uniform_variance", _D + "influence"))
def po4() -> Sequence[Goal]:
    r"""The geometric sum.

    $\sum_{t=1}^T\gamma^{T-t}=\frac{1-\gamma^T}{1-\gamma}=\kappa(1-\gamma^T)$ for every T, so uniform noise
    $\sigma_t^2=T/R$ turns Eq. (7) into Eq. (9).
    """
    closed = (1 - GAMMA**T) / (1 - GAMMA)
    gamma = schedules.contraction(TERM, KAPPA)
    goals = [
        of_fact(geometric, closed - Sum(GAMMA ** (T - T_), T_, ONE, T), "==", unit("gamma") + natural("T")),
        equal(schedules.influence(TERM, GAMMA, ALPHA, T, T_), ALPHA * GAMMA ** (T - T_),
                unit("gamma") + positive("alpha") + numbers("T", "t"), "a step's weight"),
        equal(1 / (1 - gamma), KAPPA, _KAPPA, "the sum's factor"),
    ]  # fmt: skip
    for steps in (2, 3):
        v = [schedules.uniform_variance(TERM, R, sp.Integer(steps))] * steps
        gap = risk_bounds.erub(TERM, v, gamma, ALPHA, R) - risk_bounds.erub_uniform(
            TERM, KAPPA, ALPHA, sp.Integer(steps)
        )
        goals.append(goal(gap, "==", _KAPPA + positive("alpha", "R"), note=f"Eq. (7) is Eq. (9) at T = {steps}"))
    return goals


@obligation("PO-5", item="Theorem 4.3", about=(_D + "erub_uniform", _D + "erub_uniform_slope"))
def po5() -> Sequence[Goal]:
    r"""The derivative of Eq. (9).

    $\frac d{dT}[\gamma^T+\alpha\kappa(1-\gamma^T)T]=\gamma^T\ln\gamma+\alpha\kappa(1-\gamma^T)-\alpha\kappa
    T\gamma^T\ln\gamma$.
    """
    domain = _KAPPA + positive("alpha", "T")
    f = risk_bounds.erub_uniform(TERM, KAPPA, ALPHA, T)
    g = risk_bounds.erub_uniform_slope(TERM, KAPPA, ALPHA, T)
    return [derivative(f, T, g, domain)]


@obligation(
    "PO-6",
    item="Theorem 4.3 (repaired)",
    about=(
        _D + "erub_uniform",
        _D + "erub_uniform_slope",
        _D + "erub_uniform_minimum",
        _D + "uniform_steps_stationarity",
    ),
)
def po6() -> Sequence[Goal]:
    r"""The minimiser of Eq. (9) has a closed form.

    Let $w=\gamma^{-T}>1$. The derivative of Eq. (9) in T is $\frac{\alpha\kappa}w\big(w+\ln
    w-1-\frac\ell{\alpha\kappa}\big)$, where $\ell=\ln\frac1\gamma$, and its bracket grows with $w$. So it has one zero,
    the minimiser, and the least value is $\frac{w-1+w\ln w}{w(w+\ln w-1)}\le1$.
    """
    rate = -sp.log(1 - 1 / KAPPA)
    steps = sp.log(W) / rate
    domain = _KAPPA + numbers("w", lo=1)
    bracket = schedules.uniform_steps_stationarity(TERM, KAPPA, ALPHA, W)
    at = risk_bounds.erub_uniform_slope(TERM, KAPPA, ALPHA, steps)
    best = rate / (KAPPA * (W + sp.log(W) - 1))
    value = risk_bounds.erub_uniform(TERM, KAPPA, best, steps)
    least = risk_bounds.erub_uniform_minimum(TERM, W)

    def with_rate(c: Claim) -> k.Fact:
        return k.identity(c.expr, sp.S.Zero, c.domain, (rate_is_positive(),))

    def at_most_one(c: Claim) -> k.Fact:
        below = k.squares((W - 1) ** 2, ((ONE, W - 1),), numbers("w", lo=1))
        return k.combine(c.expr, ">=", ((1 / (W * (W + sp.log(W) - 1)), below),), c.domain)

    return [
        goal(at - ALPHA * KAPPA / W * bracket, "==", domain + positive("alpha"), with_rate),
        derivative(bracket, W, 1 + 1 / W, domain + positive("alpha")),
        goal(value - least, "==", domain, with_rate, "alpha chosen so that the bracket vanishes"),
        goal(1 - least, ">=", numbers("w", lo=1), at_most_one),
    ]  # fmt: skip


def surrogate_side() -> tuple[k.Fact, ...]:
    """``alpha - log(1 - 1/kappa) > 0``, and the rate alone."""
    domain = _KAPPA + positive("alpha")
    rate = rate_is_positive()
    return rate, k.combine(
        ALPHA - sp.log(1 - 1 / KAPPA), ">", ((ONE, rate), (ONE, k.sign(ALPHA, ">", positive("alpha")))), domain
    )


@obligation(
    "PO-7", item="Eq. (25)", about=(_D + "erub_uniform", _D + "erub_uniform_surrogate", _D + "uniform_steps_surrogate")
)
def po7() -> Sequence[Goal]:
    r"""The value of Eq. (9) at the T of Eq. (24).

    At $T=\frac1\ell\ln(1+\frac\ell\alpha)$, $\gamma^T=\frac\alpha{\alpha+\ell}$ and
    $E=\frac1{1+\ell/\alpha}[1+\kappa\ln(1+\frac\ell\alpha)]$.
    """
    steps = schedules.uniform_steps_surrogate(TERM, KAPPA, ALPHA)
    value = risk_bounds.erub_uniform(TERM, KAPPA, ALPHA, steps)
    printed = risk_bounds.erub_uniform_surrogate(TERM, KAPPA, ALPHA)
    return [
        goal(value - printed, "==", _KAPPA + positive("alpha"),
             lambda c: k.identity(c.expr, sp.S.Zero, c.domain, surrogate_side()))
    ]  # fmt: skip


@obligation("PO-8", item="Theorem 4.3")
def po8() -> Sequence[Goal]:
    r"""Bounds of the rate.

    $\frac1\kappa\le\ln\frac\kappa{\kappa-1}\le\frac1{\kappa-1}$ for $\kappa>1$; for $0<c<1$,
    $\frac1{\kappa-1}\le\frac1{c\kappa}$ when $\kappa\ge\frac1{1-c}$ and not when $1<\kappa<\frac1{1-c}$.
    """
    rate = sp.log(KAPPA / (KAPPA - 1))
    gap = 1 / (C * KAPPA) - 1 / (KAPPA - 1)
    beyond, before = 1 / (1 - C) + U, 1 + Y * C / (1 - C)
    return [
        goal(rate - 1 / KAPPA, ">=", _KAPPA, lambda c: _from_line(c, 1 - 1 / KAPPA)),
        goal(1 / (KAPPA - 1) - rate, ">=", _KAPPA, lambda c: _from_line(c, KAPPA / (KAPPA - 1))),
        goal(gap.subs(KAPPA, beyond), ">=", unit("c") + nonnegative("u")),
        goal(-gap.subs(KAPPA, before), ">", unit("c", "y")),
    ]


def _from_line(c: Claim, e: sp.Expr) -> k.Fact:
    return k.combine(c.expr, ">=", ((ONE, line_at(e, c.domain)),), c.domain)


@obligation("PO-9", numbers=True, item="Theorem 4.3")
def po9() -> Sequence[Goal]:
    r"""Moving a constant out of the logarithm.

    $\ln(1+\frac xc)\le\ln(1+x)+\ln\frac1c$ and $\ln(1+\frac xc)\le\frac1c\ln(1+x)$ for $x\ge0$, $0<c<1$.
    """
    domain = unit("c") + nonnegative("x")
    f = sp.log(1 + X) / C - sp.log(1 + X / C)

    def first(c: Claim) -> k.Fact:
        ratio = (1 + Y / C) / ((1 + Y) / C)  # y for x: the line's own symbol is x
        below = k.instantiate(
            k.combine(-sp.log(ratio), ">=",
                      ((ONE, line_at(ratio, unit("c") + nonnegative("y"))),
                       (ONE, k.sign(1 - ratio, ">", unit("c") + nonnegative("y")))), unit("c") + nonnegative("y")),
            ((Y, X),), domain,
        )  # fmt: skip
        return k.combine(c.expr, ">=", ((ONE, below),), c.domain)

    return [
        goal(sp.log(1 + X) + sp.log(1 / C) - sp.log(1 + X / C), ">=", domain, first),
        goal(f, ">=", domain, lambda c: grow(f, X, c.domain)),
    ]
