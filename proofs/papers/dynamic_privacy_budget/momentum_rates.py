"""Lemma C.8 and Theorems 4.7 and 4.8, on the repaired Theorem 4.6."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import grow, natural, nonnegative, numbers, positive, unit

_D = "dynamic-gradient-descent."
BETA, GAMMA, ETA, KAPPA, ALPHA, R, T, H, U, D, V = sp.symbols("beta gamma eta_0 kappa alpha R T h u d v")
ONE = sp.S.One
_BOTH = unit("beta", "gamma")


def _log_weight(u: sp.Expr) -> sp.Expr:
    """``log((1 - beta^(1+u)) / (1 - beta))``: concave, and zero at u = 0."""
    return sp.log(1 - BETA ** (1 + u)) - sp.log(1 - BETA)


def slower() -> k.Fact:
    """``f(u) (u + d) - f(u + d) u >= 0``: a concave f that vanishes at 0 has a falling f(u) / u."""
    beta, f = unit("beta"), _log_weight(U)
    at_start = grow(f - U * sp.diff(f, U), U, beta + nonnegative("u"))
    later = sp.diff(f, U).subs(U, U + D)
    rising = grow(f - U * later, D, beta + nonnegative("u", "d"), start=at_start)
    inside = beta + nonnegative("u") + positive("d")
    growth = k.combine(f - U * later, ">=", ((ONE, rising),), inside)
    return grow(f * (U + D) - _log_weight(U + D) * U, D, beta + nonnegative("u", "d"), growth=growth)


@obligation("lemma-C.8", item="Lemma C.8", about=(_D + "turning_profile",))
def lemma_c8() -> Sequence[Goal]:
    r"""The bias correction before and after the turning step.

    For real $1\le t\le\hat T$ with $h(\hat T)\ge1-\beta$: $\frac{1-\beta}{1-\beta^t}\le\gamma^{t-1}$; for $t>\hat T$:
    $\frac{1-\beta}{1-\beta^t}<\gamma^{\hat T-1}$. With $t=1+u$, $\hat T=1+u+d$ the first is $u\ln\gamma+f(u)\ge\frac
    u{u+d}\big[(u+d)\ln\gamma+f(u+d)\big]$ for the concave $f(u)=\ln\frac{1-\beta^{1+u}}{1-\beta}$, $f(0)=0$; the
    bracket is $\ln\frac{h(\hat T)}{1-\beta}\ge0$.
    """
    domain = _BOTH + nonnegative("u") + positive("d")
    here = U * sp.log(GAMMA) + _log_weight(U)
    there = (U + D) * sp.log(GAMMA) + _log_weight(U + D)
    profile = schedules.turning_profile(TERM, BETA, GAMMA, 1 + U)
    late = GAMMA ** (H - 1) - (1 - BETA) / (1 - BETA ** (H + V))
    slack = (schedules.turning_profile(TERM, BETA, GAMMA, H) - (1 - BETA)) / (1 - BETA**H)

    def early(c: Claim) -> k.Fact:
        return k.combine(c.expr, ">=", ((1 / (U + D), slower()),), c.domain)

    return [
        goal(here - U / (U + D) * there, ">=", domain, early, "t up to That: f(u) / u falls"),
        equal(sp.log(profile) - sp.log(1 - BETA), here, _BOTH + nonnegative("u"), note="the logarithm of h"),
        equal(GAMMA**U - (1 - BETA) / (1 - BETA ** (1 + U)), (profile - (1 - BETA)) / (1 - BETA ** (1 + U)),
            _BOTH + nonnegative("u"), note="h(t) >= 1 - beta is the bound of the weight",
        ),
        goal(late - slack, ">", _BOTH + numbers("h", lo=1, ends="[)") + positive("v"), note="t = That + v"),
    ]  # fmt: skip


@obligation(
    "theorem-4.7",
    item="Theorem 4.7, repaired",
    about=(_D + "momentum_noise_bound", _D + "momentum_uniform_steps"),
    premises=("theorem-4.6-C", "PO-37", "lemma-C.8", "PO-60"),
)
def theorem_4_7() -> Sequence[Goal]:
    r"""Momentum with uniform noise.

    With 4.6-C's $\gamma$ and $\sigma_t^2=T/R$: $\mathrm{ERUB}\le\gamma^T\Big(1+\frac{\eta_0\alpha}\gamma T\big(\hat
    T+\frac{\gamma^{\hat T-T}-1}{1-\gamma}\big)\Big)$ for $T\ge\hat T$, and with $T$ in the bracket for $T\le\hat T$,
    where it never falls below $\gamma(1-\beta)$ (PO-60). At $T=\frac1\ell\ln(1+\frac{\eta_0}{\kappa\alpha})$,
    $\gamma^T=\frac{\kappa\alpha}{\kappa\alpha+\eta_0}$. The printed rate is not stated: its constants depend on
    $\kappa$, $\eta_0$ and $\hat T$ (T15).
    """
    noise = risk_bounds.momentum_noise_bound(TERM, GAMMA, R, T, H)
    printed = GAMMA**T * (1 + ETA * ALPHA / GAMMA * T * (H + (GAMMA ** (H - T) - 1) / (1 - GAMMA)))
    early = T / R * T * GAMMA ** (T - 1)  # PO-37 for T <= That
    domain = unit("gamma") + positive("R", "T", "h", "eta_0", "alpha")
    steps = schedules.momentum_uniform_steps(TERM, KAPPA, ALPHA, ETA, GAMMA)
    return [
        equal(GAMMA**T + R * ETA * ALPHA * noise, printed, domain, note="T >= That"),
        equal(GAMMA**T + R * ETA * ALPHA * early, GAMMA**T * (1 + ETA * ALPHA / GAMMA * T * T), domain,
             note="T <= That"),
        equal(GAMMA**steps, KAPPA * ALPHA / (KAPPA * ALPHA + ETA),
             unit("gamma") + positive("kappa", "alpha", "eta_0")),
    ]  # fmt: skip


@obligation(
    "theorem-4.8",
    item="Theorem 4.8, repaired",
    about=(_D + "momentum_influence_split",),
    premises=("theorem-4.6-C", "PO-10", "PO-43", "PO-44"),
)
def theorem_4_8() -> Sequence[Goal]:
    r"""Momentum with the split schedule.

    With 4.6-C's $\gamma$ and $q_t=c_1\gamma^{T+t}$ for $t\le\hat T$, $q_t=c_2\gamma^{\hat T-1}\gamma^{T-t}$ beyond
    ($c_1=\frac2{\gamma(\gamma-\beta^2)}$, $c_2=\frac{\gamma^{\hat T}}{\gamma-\beta^2}$):
    $\mathrm{ERUB}\le\gamma^T+R\eta_0\alpha\sum_tq_t\sigma_t^2$ (PO-43), at Lemma 4.4's schedule
    $\gamma^T+\eta_0\alpha(\sum_t\sqrt{q_t})^2$ (PO-10), with the two sums of PO-44. The printed rate is not stated: its
    constants depend on $\kappa$, $\eta_0$ and $\hat T$ (T15), and the schedule can be worse than uniform (T14).
    """
    root, b = sp.sqrt(GAMMA), sp.Symbol("b")
    beta = b * GAMMA
    gap = GAMMA - beta**2
    goals = []
    for steps, turn in ((2, 1), (3, 1), (3, 2)):
        q = [schedules.momentum_influence_split(TERM, beta, GAMMA, steps, turn, t) for t in range(1, steps + 1)]
        first = sp.sqrt(2) / sp.sqrt(GAMMA) / sp.sqrt(gap) * root**steps * sum(root**t for t in range(1, turn + 1))
        late = (root ** (turn - steps - 1) - 1 / root) / (1 - root)
        second = root ** (turn + steps) / sp.sqrt(gap) * late
        expr = sum(map(sp.sqrt, q)) - first - second
        goals.append(goal(expr, "==", unit("gamma", "b"), note=f"PO-44's sums, T = {steps}, That = {turn}"))
    n = natural("n")[0].symbol
    up = (root ** (-n - 1) - 1 / root) / (1 - root)
    goals.append(goal(up, ">=", unit("gamma") + nonnegative("n"), note="the second sum"))
    return goals
