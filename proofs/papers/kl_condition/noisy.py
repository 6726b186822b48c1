"""Menart et al., Appendix E: noisy gradient descent for regularised Lipschitz losses (Algorithm 4, Theorem 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.noisy_gradient_descent import formulas, utility
from dpref.terms import TERM
from proofs.papers.kl_condition import obligation
from proofs.papers.kl_condition.spider import cost
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive

BOUND, N, D, RHO, ELL, STEPS, MU, ANSWERS, DELTA = sp.symbols("G n d rho ell T mu K Delta")
THETA, NEAR, NEXT, TIME, TOTAL, POINT, SQUARE, NOISE = sp.symbols("theta x y t s w m v")
MORE, STD, ROOT_D, ROOT_STEPS, TAIL = sp.symbols("h z q r p")
_A: Final = "noisy-gradient-descent"


@obligation("PO-18", item="Theorem 9", about=(f"{_A}.radius",))
def po_18() -> Sequence[Goal]:
    r"""The radius of line 3 and twice the Lipschitz constant.

    $L_0+2\mu\theta r\le2L_0$ for $0\le\theta\le1$, where $r=\frac{L_0}{2\mu}$ is the library's radius. Theorem 9 uses
    it at $\|w-w_0\|=\theta r$, where the left side bounds the gradient of $f+\mu\|w-w_0\|^2$ by the triangle
    inequality.
    """
    away = THETA * formulas.radius(TERM, BOUND, MU)
    domain = positive("G", "mu") + numbers("theta", lo=0, hi=1, ends="[]")
    return [goal(2 * BOUND - (BOUND + 2 * MU * away), ">=", domain, note="theta: the distance over the radius")]


@obligation(
    "PO-19",
    item="Theorem 9",
    about=(f"{_A}.iterations", f"{_A}.printed_variance"),
    premises=("gaussian/renyi", "sensitivity/replace-one"),
)
def po_19() -> Sequence[Goal]:
    r"""The printed parameters determine each other.

    With $T=\frac{n^2\rho\ell^2}d$ and $\sigma^2=\frac{4L_0^2T}{n^2\rho}$: $d\sigma^2=4L_0^2\ell^2$,
    $\frac{d\sigma^2}T=\frac{4L_0^2d}{n^2\rho}$, and an answer of sensitivity $\frac{2L_0}n$ costs $\frac\rho{2T}$.
    """
    domain = positive("G", "n", "d", "rho", "ell", "T")
    wanted = formulas.iterations(TERM, N, RHO, ELL, D)

    def noise(steps: sp.Expr) -> sp.Expr:
        return formulas.printed_variance(TERM, BOUND, steps, N, RHO)

    std = sp.sqrt(noise(STEPS))
    return [
        equal(D * noise(wanted), 4 * BOUND**2 * ELL**2, domain, "the noise of a vector"),
        equal(D * noise(STEPS) / STEPS, 4 * BOUND**2 * D / (N**2 * RHO), domain, "over T"),
        equal(cost(2 * BOUND / N, std), RHO / (2 * STEPS), domain, "an answer"),
    ]


@obligation(
    "E9",
    item="Theorem 9, privacy",
    about=(f"{_A}.printed_variance", f"{_A}.variance"),
    premises=("gaussian/zcdp", "zcdp/composition", "sensitivity/replace-one"),
)
def e_9() -> Sequence[Goal]:
    r"""The printed noise spends less than half, the repaired one all of the budget.

    Under replace-one, $T-1$ answers with $\sigma^2=\frac{4L_0^2T}{n^2\rho}$ cost $\frac\rho2\frac{T-1}T<\frac\rho2$; K
    answers of sensitivity $\Delta$ with $\sigma^2=\frac{\Delta^2K}{2\rho}$ cost $\rho$.
    """
    domain = positive("G", "n", "rho", "K", "Delta")
    printed = sp.sqrt(formulas.printed_variance(TERM, BOUND, ANSWERS + 1, N, RHO))
    spent, share = ANSWERS * cost(2 * BOUND / N, printed), RHO * ANSWERS / (2 * (ANSWERS + 1))
    repaired = sp.sqrt(formulas.variance(TERM, DELTA, ANSWERS, RHO))
    return [
        goal(RHO / 2 - spent, ">", domain, note="as printed, K = T - 1"),
        equal(ANSWERS * cost(2 * BOUND / N, printed), share, domain, "as printed"),
        equal(ANSWERS * cost(DELTA, repaired), RHO, domain, "repaired"),
    ]


@obligation("PO-45", item="Algorithm 4, line 5", about=(f"{_A}.average",))
def po_45() -> Sequence[Goal]:
    r"""The running form of the weighted mean.

    If $\bar w_{t-1}=\frac2{(t-1)t}\sum_{s<t}s\,w_s$ then $\bar w_{t-1}+\frac2{t+1}(w_t-\bar
    w_{t-1})=\frac2{t(t+1)}\sum_{s\le t}s\,w_s$, for $t\ge2$.
    """
    before, after = 2 * TOTAL / ((TIME - 1) * TIME), 2 * (TOTAL + TIME * POINT) / (TIME * (TIME + 1))
    domain = numbers("t", lo=2, ends="[)") + numbers("s", "w")
    return [goal(formulas.average(TERM, before, POINT, TIME) - after, "==", domain)]


@obligation(
    "E35",
    item="Theorem 9, utility",
    about=(f"{_A}.telescoping_step", f"{_A}.printed_step", f"{_A}.excess_bound", f"{_A}.tail_bound"),
    not_proved="The step itself (projection is nonexpansive, the noise is independent of the iterate), the two tails "
    "(a Gaussian vector's, PO-52; a supermartingale's, by Markov's inequality), and the printed bound of Eq. (17), "
    "whose constants are not given.",
)
def e_35() -> Sequence[Goal]:
    r"""The step size with which the weights telescope.

    With $D_t=\|w_t-w^*\|^2$, $\mu$-strong convexity and gradients of squared length at most $M$, a step $\eta_t$ gives
    $t(\tilde F(w_t)-\tilde F^*)\le\frac t{2\eta_t}(D_t-D_{t+1})-\frac{t\mu}2D_t+\frac{t\eta_t}2M$. For
    $\eta_t=\frac2{\mu(t+1)}$ the first part is $\frac\mu4(t(t-1)D_t-t(t+1)D_{t+1})$, which telescopes, and the last is
    at most $\frac M\mu$, so that the mean is within $\frac{2M}{\mu(T+1)}$. For the printed $\eta_t=\frac1{\mu t}$ it is
    $\frac\mu2(t(t-1)D_t-t^2D_{t+1})$, and $\frac\mu2tD_{t+1}$ is left over.

    In the tail: if $\tilde F$ is $\frac32\mu$-strongly convex, $-\frac\mu4tD_t$ is left over, and with
    $\theta=\frac\mu{2T\sigma^2}$ the mean of $\exp\theta(-t\langle\xi_t,w_t-w^*\rangle-\frac\mu4tD_t)$, whose
    exponent is $\frac{\theta^2}2t^2\sigma^2D_t-\theta\frac\mu4tD_t$, is at most one: the sum over t exceeds
    $\frac x\theta$ with probability at most $e^{-x}$. With $\|\xi\|\le\sigma(\sqrt{dT}+\sqrt{2x})$ for all noise
    together the rest is at most
    $\frac1\mu\big(2L_0\sqrt T+\sigma(\sqrt{dT}+\sqrt{2x})\big)^2$, and both over $\frac{T(T+1)}2$ are the bound.
    """
    domain = positive("mu") + numbers("t", lo=1, ends="[)") + nonnegative("x", "y", "m")

    def part(eta: sp.Expr, convexity: sp.Expr = MU) -> sp.Expr:
        return TIME / (2 * eta) * (NEAR - NEXT) - TIME * convexity / 2 * NEAR

    repaired, printed = (f(TERM, MU, TIME) for f in (formulas.telescoping_step, formulas.printed_step))
    telescopes = MU / 4 * (TIME * (TIME - 1) * NEAR - TIME * (TIME + 1) * NEXT)
    leaves = MU / 2 * (TIME * (TIME - 1) * NEAR - TIME * (TIME + 1) * NEXT) + MU / 2 * TIME * NEXT
    whole = utility.excess_bound(TERM, BOUND, MU, NOISE, STEPS) * (STEPS + 1) / 2
    tilt = MU / (2 * (TIME + MORE) * STD**2)  # at T = t + h
    length = 2 * BOUND * ROOT_STEPS + STD * (ROOT_D * ROOT_STEPS + TAIL)
    steps = ROOT_STEPS**2
    tail = utility.tail_bound(TERM, BOUND, MU, STD, ROOT_D**2, steps, TAIL**2 / 2)
    everything = positive("mu", "G", "z", "q", "r", "p")
    return [
        goal(
            part(repaired, sp.Rational(3, 2) * MU) - (telescopes - MU / 4 * TIME * NEAR), "==", domain,
            note="the tail: what is left over",
        ),
        goal(
            tilt * MU / 4 * TIME * NEAR - (tilt * TIME * STD) ** 2 / 2 * NEAR, ">=",
            positive("mu", "z") + numbers("t", lo=1, ends="[)") + nonnegative("h", "x"),
            note="the tail: the exponent, at T = t + h",
        ),
        goal(
            steps * (steps + 1) / 2 * tail - length**2 / MU - 2 * steps * STD**2 * TAIL**2 / (2 * MU), "==", everything,
            note="the tail: the sum, with p^2 = 2 x, r^2 = T, q^2 = d",
        ),
        goal(part(repaired) - telescopes, "==", domain, note="repaired"),
        goal(SQUARE / MU - TIME * repaired / 2 * SQUARE, ">=", domain, note="repaired: the noise of a step"),
        goal(part(printed) - leaves, "==", domain, note="as printed: what is left over"),
        goal(
            whole - TIME * repaired / 2 * (4 * BOUND**2 + NOISE), ">=",
            positive("mu", "G", "T") + numbers("t", lo=1, ends="[)") + nonnegative("v"),
            note="the mean of the terms is within the bound",
        ),
    ]  # fmt: skip
