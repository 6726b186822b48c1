"""Theorems 4.3 and 4.5: iteration counts and rates (PO-14 to PO-18, PO-55)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim, limit_of
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.papers.dynamic_privacy_budget.gd import line_at, rate_is_positive
from proofs.registry import Goal, equal, goal
from proofs.search import grow, nonnegative, numbers, positive, strongest, sum_of_squares, unit

_D = "dynamic-gradient-descent."
T, GAMMA, ALPHA, KAPPA, X, A, ELL, Y = sp.symbols("T gamma alpha kappa x a ell y")
ONE = sp.S.One
_KAPPA = numbers("kappa", lo=1)


@obligation("PO-14", item="Theorem 4.5", about=(_D + "contraction", _D + "noise_floor"))
def po14() -> Sequence[Goal]:
    r"""The constant of the dynamic schedule.

    $(1-\sqrt\gamma)^{-1}=\kappa(1+\sqrt\gamma)\in[\kappa,2\kappa]$,
    $(1-\sqrt\gamma)^{-2}=\kappa(2\kappa-1+2\sqrt{\kappa(\kappa-1)})$ for $\gamma=1-\frac1\kappa$.
    """
    root = sp.sqrt(schedules.contraction(TERM, KAPPA))
    kappa = 1 / (1 - GAMMA)
    inverse = 1 / (1 - sp.sqrt(GAMMA))
    floor = risk_bounds.noise_floor(TERM, GAMMA, ALPHA)
    return [
        equal(KAPPA * (1 + root) * (1 - root), 1, _KAPPA),
        goal(inverse - kappa, ">=", numbers("gamma", lo=0, hi=1, ends="[)")),
        goal(2 * kappa - inverse, ">", unit("gamma")),
        equal((KAPPA * (1 + root)) ** 2, KAPPA * (2 * KAPPA - 1 + 2 * sp.sqrt(KAPPA * (KAPPA - 1))), _KAPPA),
        equal(floor, ALPHA * (kappa * (1 + sp.sqrt(GAMMA))) ** 2, unit("gamma") + positive("alpha")),
    ]


@obligation(
    "PO-15",
    item="Eq. (27)",
    about=(_D + "erub_dynamic", _D + "erub_dynamic_minimum", _D + "noise_floor", _D + "dynamic_steps"),
)
def po15() -> Sequence[Goal]:
    r"""The minimum over the number of steps.

    $x^2+a(1-x)^2-\frac a{1+a}=(1+a)\big(x-\frac a{1+a}\big)^2\ge0$ with $x=\gamma^{T/2}$,
    $a=\alpha(1-\sqrt\gamma)^{-2}$; Eq. (27)'s $T^*$ attains it.
    """
    domain = unit("gamma") + positive("alpha", "T")
    a, x = risk_bounds.noise_floor(TERM, GAMMA, ALPHA), sp.sqrt(GAMMA) ** T
    least = risk_bounds.erub_dynamic_minimum(TERM, GAMMA, ALPHA)
    steps = schedules.dynamic_steps(TERM, KAPPA, ALPHA)
    gamma = schedules.contraction(TERM, KAPPA)
    gap = 1 - sp.sqrt(gamma)

    def attained(c: Claim) -> k.Fact:
        square = k.squares(gap**2, ((ONE, gap),), _KAPPA)
        positive_ = k.combine(
            ALPHA + gap**2, ">", ((ONE, square), (ONE, k.sign(ALPHA, ">", positive("alpha")))), c.domain
        )
        away = k.combine(gap, ">", ((1 / (1 + sp.sqrt(gamma)), k.sign(1 / KAPPA, ">", _KAPPA)),), _KAPPA)
        apart = k.combine(gap**2, ">", ((gap, away),), _KAPPA, (away,))
        floor = k.sign(ALPHA / gap**2, ">", c.domain, (away, apart))
        above = k.combine(1 + ALPHA / gap**2, ">", ((ONE, floor), (ONE, k.sign(ONE, ">", ()))), c.domain, (away, apart))
        return k.identity(c.expr, sp.S.Zero, c.domain, (rate_is_positive(), away, apart, positive_, above))

    return [
        goal(
            risk_bounds.erub_dynamic(TERM, GAMMA, ALPHA, T) - least, ">=", domain,
            sum_of_squares((1 + a, x - a / (1 + a))),
        ),
        goal(
            risk_bounds.erub_dynamic(TERM, gamma, ALPHA, steps) - risk_bounds.erub_dynamic_minimum(TERM, gamma, ALPHA),
            "==", _KAPPA + positive("alpha"), attained, "at the T of Eq. (27)",
        ),
    ]  # fmt: skip


@obligation("PO-16", item="Theorem 4.5, Eq. (11)", about=(_D + "erub_dynamic_minimum",))
def po16() -> Sequence[Goal]:
    r"""The two-sided rate of the dynamic schedule.

    $\frac{\kappa^2\alpha}{1+\kappa^2\alpha}\le\frac a{1+a}\le\frac{4\kappa^2\alpha}{1+4\kappa^2\alpha}$, hence the
    printed $\frac14\frac{\kappa^2\alpha}{\kappa^2\alpha+1}\le\cdot\le4\frac{\kappa^2\alpha}{\kappa^2\alpha+1}$.
    """
    domain = unit("gamma") + positive("alpha")
    least, unit_ = risk_bounds.erub_dynamic_minimum(TERM, GAMMA, ALPHA), ALPHA / (1 - GAMMA) ** 2
    return [
        goal(least - unit_ / (1 + unit_), ">=", domain),
        goal(4 * unit_ / (1 + 4 * unit_) - least, ">=", domain),
        goal(least - unit_ / (1 + unit_) / 4, ">=", domain, note="as printed"),
        goal(4 * unit_ / (1 + unit_) - least, ">=", domain, note="as printed"),
    ]


@obligation("PO-17", item="after Theorem 4.5", about=(_D + "erub_dynamic", _D + "noise_floor"))
def po17() -> Sequence[Goal]:
    r"""Running too long costs little.

    $x^2+a(1-x)^2\le a$ for $0\le x\le\frac a{1+a}$: beyond $T^*$ the dynamic bound never exceeds a.
    """
    x = Y * A / (1 + A)
    a = risk_bounds.noise_floor(TERM, GAMMA, ALPHA)
    left = sp.sqrt(GAMMA) ** T
    return [
        goal(A - x**2 - A * (1 - x) ** 2, ">=", positive("a") + numbers("y", lo=0, hi=1, ends="[]")),
        equal(
            risk_bounds.erub_dynamic(TERM, GAMMA, ALPHA, T),
            left**2 + a * (1 - left) ** 2,
            unit("gamma") + positive("alpha", "T"),
            "the bound",
        ),
    ]  # fmt: skip


@obligation("PO-18", numbers=True, item="Theorem 4.3 (T6)")
def po18() -> Sequence[Goal]:
    r"""What Eq. (24) tends to for ill-conditioned losses.

    $\lim_{\ell\to0}\frac1\ell\ln(1+\frac\ell\alpha)=\frac1\alpha$, squeezed between $\frac1{\alpha+\ell}$ and
    $\frac1\alpha$; the paper says that this T tends to 0 as $\kappa\to\infty$.
    """
    domain = positive("ell", "alpha")
    f = sp.log(1 + ELL / ALPHA) / ELL

    def squeezed(_: Claim) -> k.Fact:
        up = k.combine(1 / ALPHA - f, ">=", ((1 / ELL, line_at(1 + ELL / ALPHA, domain)),), domain)
        low = k.combine(f - 1 / (ALPHA + ELL), ">=", ((1 / ELL, line_at(1 / (1 + ELL / ALPHA), domain)),), domain)
        return k.limit(f, ELL, sp.S.Zero, 1 / ALPHA, low, up, domain)

    return [goal(limit_of(f, ELL, sp.S.Zero, sp.S.One) - 1 / ALPHA, "==", positive("alpha"), squeezed)]


@obligation("PO-55", item="note 3 of the specification", about=(_D + "uniform_over_dynamic",))
def po55() -> Sequence[Goal]:
    r"""Uniform over dynamic noise at the same T.

    $T\frac{1-\gamma^T}{1-\gamma}\big(\frac{1-\sqrt\gamma}{1-\gamma^{T/2}}\big)^2=T\frac{\tanh(\ell/4)}{\tanh(\ell
    T/4)}\ge1$ for $T\ge1$, $\gamma=e^{-\ell}$.
    """
    domain = positive("ell", "T")
    ratio = risk_bounds.uniform_over_dynamic(TERM, sp.exp(-ELL), T)
    one = numbers("T", lo=1, ends="[)")
    slow, fast = sp.tanh(X), sp.tanh(T * X)

    def faster() -> k.Fact:
        u = sp.Symbol("u")
        gap = k.sign(sp.tanh((1 + u) * X) - sp.tanh(X), ">=", nonnegative("u") + positive("x"))
        return k.instantiate(gap, ((u, T - 1),), one + positive("x"))

    def ahead(_: Claim) -> k.Fact:
        domain_ = one + nonnegative("x")
        inside = one + positive("x")
        f = T * slow - fast
        grown = k.combine(sp.diff(f, X), ">=", ((T * (fast + slow), faster()),), inside)
        return grow(f, X, domain_, growth=grown, start=strongest(f.subs(X, 0), one, ()))

    return [
        equal(ratio, T * sp.tanh(ELL / 4) / sp.tanh(ELL * T / 4), domain),
        goal(T * slow - fast, ">=", one + nonnegative("x"), ahead, "x = ell / 4"),
    ]
