"""Theorems 4.3 and 4.9 as wholes, and the repaired forms of how parameters and data are prepared."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim, Domain
from proofs.papers.dynamic_privacy_budget import declare, obligation
from proofs.papers.dynamic_privacy_budget.gd import line_at, surrogate_side
from proofs.registry import Goal, equal, goal
from proofs.search import numbers, positive, unit

_D = "dynamic-gradient-descent."
KAPPA, ALPHA, C, Y, R, T, D, G, M, N, GAP, BATCH = sp.symbols("kappa alpha c y R T D G M n gap batch")
ONE = sp.S.One
_KAPPA = numbers("kappa", lo=1)


def grows(low: sp.Expr, high: sp.Expr, more: k.Fact, domain: Domain) -> k.Fact:
    """``log high - log low >= 0`` from ``more``: high - low >= 0 (both positive)."""
    line = line_at(low / high, domain)
    return k.combine(sp.log(high) - sp.log(low), ">=", ((ONE, line), (1 / high, more)), domain)


@obligation(
    "theorem-4.3",
    item="Theorem 4.3, repaired",
    about=(_D + "erub_uniform_surrogate",),
    premises=("PO-4", "PO-7", "PO-8", "PO-9"),
)
def theorem_4_3() -> Sequence[Goal]:
    r"""The rate of the uniform schedule, at the T of Eq. (24).

    At the T of Eq. (24), for $0<c<1$, $\kappa\ge\frac1{1-c}$ and every $\alpha>0$:
    $\frac{c\kappa}{c\kappa+1/\alpha}\big[1+\kappa\ln(1+\frac1{\kappa\alpha})\big]\le
    E\le\frac\kappa{\kappa+1/\alpha}\big[1+\kappa\ln(1+\frac1{c\kappa\alpha})\big]$, and the last logarithm is at most
    $\frac1c\ln(1+\frac1{\kappa\alpha})$ (PO-9). It is the value at that T, not the least one (T6).
    """
    # E(rate) = (1 + kappa log(1 + rate / alpha)) / (1 + rate / alpha), 1/kappa <= rate <= 1/(c kappa) by PO-8
    low, high = 1 / KAPPA, 1 / (C * KAPPA)
    rate = low + Y * (high - low)
    domain = _KAPPA + unit("c") + positive("alpha") + numbers("y", lo=0, hi=1, ends="[]")

    def value(over: sp.Expr, under: sp.Expr) -> sp.Expr:
        return (1 + KAPPA * sp.log(1 + over / ALPHA)) / (1 + under / ALPHA)

    def between(c: Claim, logs: tuple[sp.Expr, sp.Expr], parts: tuple[sp.Expr, sp.Expr], inner: sp.Expr) -> k.Fact:
        """The logarithm grows from the one rate to the other; the denominator falls."""
        one, two = (1 + x / ALPHA for x in logs)
        low_part, high_part = (1 + x / ALPHA for x in parts)
        rise = grows(one, two, k.sign(two - one, ">=", domain), domain)
        rest = k.sign(1 + KAPPA * (1 - 1 / inner), ">=", domain)
        bracket = 1 + KAPPA * sp.log(inner)
        side = (k.combine(bracket, ">=", ((KAPPA, line_at(1 / inner, domain)), (ONE, rest)), domain),)
        fall = k.sign(1 / low_part - 1 / high_part, ">=", domain)
        return k.combine(c.expr, ">=", ((KAPPA / low_part, rise), (bracket, fall)), c.domain, side)

    at = value(rate, rate)
    printed = risk_bounds.erub_uniform_surrogate(TERM, KAPPA, ALPHA)
    exact = -sp.log(1 - 1 / KAPPA)
    return [
        goal(printed - value(exact, exact), "==", _KAPPA + positive("alpha"), _with_rate, "Eq. (25) at the exact rate"),
        goal(value(high, low) - at, ">=", domain,
             lambda c: between(c, (rate, high), (low, rate), 1 + rate / ALPHA), "upper bound"),
        goal(at - value(low, high), ">=", domain,
             lambda c: between(c, (low, rate), (rate, high), 1 + low / ALPHA), "lower bound"),
        equal(1 / (1 + low / ALPHA), KAPPA / (KAPPA + 1 / ALPHA), _KAPPA + positive("alpha")),
        equal(1 / (1 + high / ALPHA), C * KAPPA / (C * KAPPA + 1 / ALPHA),
             _KAPPA + unit("c") + positive("alpha")),
    ]  # fmt: skip


def _with_rate(c: Claim) -> k.Fact:
    return k.identity(c.expr, sp.S.Zero, c.domain, surrogate_side())


@obligation(
    "theorem-4.9",
    item="Theorem 4.9",
    about=(_D + "noise_unit", _D + "step_noise"),
    premises=("theorem-4.2", "PO-4", "PO-49"),
    not_proved="That batches behave like the model: the error of a mean of n samples has variance proportional to 1/n, "
    "which the model meets only for sigma_g growing with the root of n (T20). No privacy is claimed: see T18.",
)
def theorem_4_9() -> Sequence[Goal]:
    r"""The risk bound with mini-batches, in the paper's model of batch noise.

    If a batch mean is $\nabla_t+\sigma_g\xi_t/n$ with $\mathbb E\|\xi_t\|^2\le D$ and $n^2R'=N^2R$:
    $\mathrm{ERUB}\le\gamma^T+\alpha_g\sigma_g^2+R'\sum_tq_t\sigma_t^2$ with the same $q_t=\gamma^{T-t}\alpha$: the
    batch noise adds $R'\alpha\frac{\sigma_g^2}{G^2}\sum_t\gamma^{T-t}\le\frac{R'\kappa\alpha}{G^2}\sigma_g^2$.
    """
    gamma = schedules.contraction(TERM, KAPPA)
    batch_noise = sp.Symbol("sigma_g")
    added = risk_bounds.step_noise(TERM, M, D, ONE, BATCH, batch_noise, 1 / M)  # G = 1: noise sigma_g xi / n
    unit_ = risk_bounds.noise_unit(TERM, D, G, R, M, N, GAP)
    kept = N**2 * R / BATCH**2 * unit_ * batch_noise**2 / G**2 * GAP  # R' alpha sigma_g^2 / G^2, times the gap
    free = positive("D", "G", "R", "M", "n", "gap", "batch", "sigma_g")
    return [
        equal(added, kept, free, "one step's batch noise"),
        goal(KAPPA - (1 - gamma**T) / (1 - gamma), ">=", _KAPPA + positive("T"), note="the geometric sum"),
        equal(
            risk_bounds.noise_unit(TERM, D, G, N**2 * R / BATCH**2, M, BATCH, GAP), unit_, free,
            "alpha is unchanged: n^2 R' = N^2 R",
        ),
    ]  # fmt: skip


@obligation("public-schedule", item="Theorems 4.3 to 4.8, repaired", premises=("theorem-3.5",))
def public_schedule() -> Sequence[Goal]:
    r"""A schedule from public numbers.

    If T and all $\sigma_t$ are functions of public numbers, they are the same for two neighbours: the number of steps
    tells nothing, and Theorem 3.5 applies.
    """
    return []  # Theorem 3.5 is about any schedule that is the same for two neighbours


@obligation("public-preprocessing", item="Section 5, repaired")
def public_preprocessing() -> Sequence[Goal]:
    r"""Preprocessing with public constants.

    Centring at a public point c and scaling by a public $s>0$ read one record at a time, so they move no other record,
    and the replaced one by $\frac{y-x}s$.
    """
    x, y, c, s = sp.symbols("x y c s")
    domain = numbers("x", "y", "c") + positive("s")
    return [
        goal((y - c) / s - (x - c) / s - (y - x) / s, "==", domain, note="the replaced record"),
    ]


declare(
    "T25-prior-rows",
    item="Tables 1 and 2",
    title="The rows of earlier work",
    statement=r"As printed: the bounds of the earlier algorithms, in "
    r"$R_{\varepsilon,\delta}=\varepsilon^2/\ln\frac1\delta$. "
    r"Some look misquoted: $\frac1N$ for $\frac1{N^2}$ in the row of GD+Adv, $R_{\varepsilon,\delta}$ where "
    r"$\sqrt{R_{\varepsilon,\delta}}$ would fit, $16D/R^2$ where the bound needs $16D/R$.",
    open_because="the rows belong to other papers; whether they are quoted rightly was not checked against them",
)
