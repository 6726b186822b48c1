"""Theorem 4.6 and Lemma C.7 as printed, PO-59 and PO-61."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs.papers.dynamic_privacy_budget import erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import numbers, positive, unit

_D = "dynamic-gradient-descent."
BETA, GAMMA, ETA, KAPPA = sp.symbols("beta gamma eta_0 kappa")
ONE = sp.S.One
RATIO = sp.Symbol("b")


@erratum("lemma-C.7-as-printed", item="Lemma C.7", repaired_by="lemma-C.7")
def lemma_c7() -> Sequence[Goal]:
    r"""Lemma C.7 without beta < gamma.

    As printed, for the variables of Theorem 4.6, $\beta\ne\gamma$:
    $\sum_t\gamma^{T-t}\sum_{i<t}\|v_{i+1}\|^2\sum_{k=t-i}^{t-1}k\beta^k\le\
    \frac{2\beta\gamma}{(\gamma-\beta)^2(1-\beta)}\sum_i\gamma^{T-i}\|v_{i+1}\|^2$. False at $\gamma=\frac1{100}$,
    $\beta=\frac12$, $T=20$, only $v_2\ne0$; with $\kappa=1$ that theorem's condition on $\eta_0=1-\gamma$ holds. Its
    $\zeta\ge0$, which is printed as a consequence, would imply $\beta<\gamma$ if it were assumed: for $\gamma\le\beta$
    it needs $(1-\beta)^2\le\eta_0^2\le\beta(1-\beta)^3$. Then the lemma holds.
    """
    left = sum(GAMMA ** (20 - t) * (t - 1) * BETA ** (t - 1) for t in range(2, 21))
    right = 2 * BETA * GAMMA / ((GAMMA - BETA) ** 2 * (1 - BETA)) * GAMMA**19
    limit = 8 / (sp.sqrt(1 + 64 * BETA * GAMMA / ((GAMMA - BETA) ** 2 * (1 - BETA) ** 3)) + 1)
    at: dict[str, Any] = {"gamma": "1/100", "beta": "1/2"}
    return [
        refutation(right - left, ">=", unit("gamma", "beta"), **at, note="T = 20, only v_2"),
        refutation(1 - GAMMA - limit, ">=", unit("gamma", "beta"), **at, note="the condition on the step size holds"),
        goal((1 - BETA) ** 2 - BETA * (1 - BETA) ** 3, ">", unit("beta"), note="zeta >= 0 asks for beta < gamma"),
    ]


@obligation("PO-59", item="Theorem 4.6", about=(_D + "momentum_contraction_as_printed",))
def po59() -> Sequence[Goal]:
    r"""One step without noise breaks the printed bound.

    $(1-\frac x2)^2>1-x$ for $x\ne0$, $x=\eta_0/\kappa$: on $f=\frac\mu2\theta^2$ with $T=1$, $\sigma=0$ the excess risk
    is $(1-\frac{\eta_0}{2\kappa})^2\Delta_1$ and the printed bound $\gamma\Delta_1=(1-\frac{\eta_0}\kappa)\Delta_1$.
    """
    gap = (1 - ETA / (2 * KAPPA)) ** 2 - risk_bounds.momentum_contraction_as_printed(TERM, ETA, KAPPA)
    return [goal(gap, ">", positive("eta_0") + numbers("kappa", lo=1, ends="[)"))]


@erratum(
    "T4",
    item="Theorem 4.6",
    about=(
        _D + "momentum_contraction_as_printed",
        _D + "momentum_slack_as_printed",
        _D + "momentum_step_limit_as_printed",
    ),
    repaired_by="theorem-4.6-C",
)
def t4() -> Sequence[Goal]:
    r"""Theorem 4.6 as printed.

    The paper says that $\mathrm{EER}\le(\gamma^T+2R\eta_0\alpha
    U_3)\Delta_1-\zeta\frac{\eta_0}{2M}\sum_t\gamma^{T-t}\mathbb E\|v_{t+1}\|^2$ with $\gamma=1-\frac{\eta_0}\kappa$.
    For $f=\frac12\theta^2$, $\theta_1=1$, $\beta=\frac12$, $\eta_0=\frac1{20}$, $\sigma=0$ and $T=1$ the excess risk is
    0.4753125. The bound is 0.475, and 0.4691 with its momentum term.
    """
    start = sp.Rational(1, 2)  # f(theta_1), theta_1 = 1, M = mu = 1
    gamma = risk_bounds.momentum_contraction_as_printed(TERM, ETA, ONE)
    excess = (1 - ETA / 2) ** 2 * start
    v = 1 - BETA  # v_2 = (1 - beta) times the gradient 1
    term = schedules.momentum_slack_as_printed(TERM, BETA, gamma, ETA) * ETA / 2 * v**2
    limit = risk_bounds.momentum_step_limit_as_printed(TERM, risk_bounds.momentum_amplification(TERM, BETA, gamma))
    at: dict[str, Any] = {"eta_0": "1/20", "beta": "1/2"}
    domain = unit("beta", "eta_0")
    return [
        refutation(gamma * start - excess, ">=", domain, **at, note="without the momentum term"),
        refutation(gamma * start - term - excess, ">=", domain, **at, note="with it"),
        refutation(ETA - limit, ">=", domain, **at, note="the theorem's condition on the step size holds there"),
    ]


@obligation("PO-61", item="Theorem 4.6-C", about=(_D + "momentum_slack", _D + "momentum_contraction"))
def po61() -> Sequence[Goal]:
    r"""The repaired condition implies beta < gamma.

    For $\kappa\ge1$, $0<\gamma<\beta<1$ and $\eta_0=2\kappa(1-\gamma)$: $1-\frac{\eta_0}2-A\eta_0^2<0$.
    """
    gamma = BETA * RATIO
    eta = 2 * KAPPA * (1 - gamma)
    slack = schedules.momentum_slack(TERM, BETA, gamma, eta)
    domain = unit("beta", "b") + numbers("kappa", lo=1, ends="[)")
    return [
        goal(-slack, ">", domain),
        equal(risk_bounds.momentum_contraction(TERM, eta, KAPPA), gamma, domain, "gamma"),
    ]
