"""Section 9 of the specification: errata of Algorithm 1 and of gradient descent, and the repaired theorems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.privacy.closed_forms import conversions, divergences
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne, ZeroOut
from proofs.papers.dynamic_privacy_budget import erratum, obligation
from proofs.registry import Goal, cited, equal, goal, refutation
from proofs.search import ZERO, nonnegative, numbers, positive, unit
from proofs.sums import Series

_D = "dynamic-gradient-descent."
_SENSITIVITY = "erm.mean_gradient_sensitivity"
GAMMA, ALPHA, KAPPA, R, T, T_, G, N, SIGMA, MU, X, Y, S, BATCH = sp.symbols(
    "gamma alpha kappa R T t G n sigma mu x y s batch"
)
ONE = sp.S.One
_KAPPA = numbers("kappa", lo=1)


@obligation(
    "theorem-4.2",
    item="Theorem 4.2",
    about=(_D + "step_factor", _D + "step_noise"),
    premises=("PO-1", "PO-2", "PO-3", "recursion"),
    not_proved="The mean over the noise; the hypotheses are empty on all of R^D (T8).",
)
def theorem_4_2() -> Sequence[Goal]:
    r"""The risk bound of private gradient descent.

    $\mathrm{EER}\le\big(\gamma^T+R\sum_t\gamma^{T-t}\alpha\sigma_t^2\big)\Delta_1$ at the step size $\frac1M$: the
    descent lemma with $\langle\nabla,g\rangle$ and $\|g\|^2$ in the mean, PL, then PO-1, PO-2, PO-3 (and `recursion`,
    since a step is an inequality).
    """
    # q = |grad|^2 = 2 mu e + s by PL; the mean of |g|^2 is q + D (G sigma / n)^2
    m, q, e, eta, d = sp.symbols("M q e eta D")
    noise = d * (G * SIGMA / N) ** 2
    after = e - eta * q + m / 2 * eta**2 * (q + noise)
    bound = risk_bounds.step_factor(TERM, MU, m, eta) * e + risk_bounds.step_noise(TERM, m, d, G, N, SIGMA, eta)
    gap = (bound - after).subs(q, 2 * MU * e + S).subs(eta, 2 * Y / m)
    domain = nonnegative("e", "s") + positive("mu", "M", "D", "G", "n", "sigma") + numbers("y", lo=0, hi=1, ends="(]")
    return [goal(gap, ">=", domain, note="any step size up to 2/M")]


@obligation(
    "theorem-4.5",
    item="Theorem 4.5, repaired",
    about=(_D + "erub_dynamic", _D + "erub", _D + "dynamic_variance"),
    premises=("PO-10", "PO-12", "PO-13", "PO-14", "PO-15", "PO-16", "PO-17"),
)
def theorem_4_5() -> Sequence[Goal]:
    r"""The dynamic schedule, with the T of Eq. (27).

    With $\sigma_t^2$ of Theorem 4.5, the bound of Eq. (7) is
    $\gamma^T+\alpha\big(\frac{1-\gamma^{T/2}}{1-\sqrt\gamma}\big)^2$ (PO-10, PO-12), least at Eq. (27)'s T (PO-15), of
    order $\frac{\kappa^2\alpha}{1+\kappa^2\alpha}$ (PO-16), and never far above when T is too long (PO-17).
    """
    root = sp.sqrt(GAMMA)
    closed, term = root**T * (1 - root**T) / (1 - root), root ** (2 * T - T_)
    noise = schedules.dynamic_variance(TERM, GAMMA, R, T, T_) * GAMMA ** (T - T_)
    floor = risk_bounds.noise_floor(TERM, GAMMA, ALPHA) * (1 - root**T) ** 2
    every = unit("gamma") + positive("T", "R", "alpha") + numbers("t")

    weight = (root ** (-T) - 1) / (1 - root) / R
    goals = [
        goal(noise - weight * term, "==", every, note="the weighted variance of step t"),
        Series(closed, term, T_, T, unit("gamma"), GAMMA, ZERO).goal("added up, every T"),
        goal(R * ALPHA * weight * closed - floor, "==", every, note="the noise term, every T"),
    ]
    for steps in (1, 2, 3):
        v = [schedules.dynamic_variance(TERM, GAMMA, R, sp.Integer(steps), sp.Integer(t)) for t in range(1, steps + 1)]
        gap = risk_bounds.erub(TERM, v, GAMMA, ALPHA, R) - risk_bounds.erub_dynamic(
            TERM, GAMMA, ALPHA, sp.Integer(steps)
        )
        goals.append(goal(gap, "==", unit("gamma") + positive("alpha", "R"), note=f"T = {steps}"))
    return goals


@erratum(
    "T2",
    item="Algorithm 1, line 2",
    about=(_D + "uniform_variance",),
    repaired_by="PO-13",
)
def t2() -> Sequence[Goal]:
    r"""The strict test loses the last step.

    Algorithm 1 runs a step if $\rho_t<R_t$, and the schedules spend exactly R. Before the last step $R_T=\rho_T$, so it
    does not run.
    """
    cost = 1 / schedules.uniform_variance(TERM, R, T)
    left = R - (T - 1) * cost
    domain = positive("R") + numbers("T", lo=1, ends="[)")
    return [
        refutation(left - cost, ">", domain, R=1, T=3),
        goal(left - cost, "==", domain, note="always a tie"),
    ]


@erratum(
    "T3",
    item="Algorithm 1, line 4",
    about=(_SENSITIVITY, "divergences.gaussian_zcdp"),
    repaired_by="batch-noise",
)
def t3() -> Sequence[Goal]:
    r"""Batch noise divided by N.

    Line 4 of the pseudocode adds noise $\frac{G\sigma_t}N\nu_t$ to the mean of n gradients, and charges
    $\frac1{2\sigma_t^2}$. It is a slip: Section 4.3 replaces N by n. The mean of n gradients moves by $\frac Gn$ when
    one of them is zeroed out. So the step costs $(N/n)^2$ times what is charged, without sampling.
    """
    moved = erm.mean_gradient_sensitivity(G, BATCH, ZeroOut)
    domain = positive("G", "n", "sigma", "batch")
    cost = divergences.gaussian_zcdp(TERM, moved / (G * SIGMA / N))
    return [
        refutation(1 / (2 * SIGMA**2) - cost, ">=", domain, G=1, n=100, sigma=1, batch=10),
        equal(cost, (N / BATCH) ** 2 / (2 * SIGMA**2), domain, "what it costs"),
    ]


@obligation(
    "batch-noise",
    item="Algorithm 1, line 4, repaired",
    about=(_SENSITIVITY, "divergences.gaussian_zcdp"),
    premises=("gaussian/zcdp", "sensitivity/zero-out", "sensitivity/replace-one"),
)
def batch_noise() -> Sequence[Goal]:
    r"""Batch noise divided by n.

    Noise $\frac{G\sigma}n$ on a batch mean costs $\frac1{2\sigma^2}$ under zero-out, and noise $\frac{2G\sigma}n$ the
    same under replace-one.
    """
    domain = positive("G", "batch", "sigma")
    goals = list[Goal]()
    for adjacency, std in ((ZeroOut, G * SIGMA / BATCH), (ReplaceOne, 2 * G * SIGMA / BATCH)):
        moved = erm.mean_gradient_sensitivity(G, BATCH, adjacency) / std
        goals.append(equal(divergences.gaussian_zcdp(TERM, moved), 1 / (2 * SIGMA**2), domain, adjacency.name))
    return goals


@erratum(
    "T6",
    item="Theorem 4.3, Section 4.1.3",
    about=(_D + "erub_uniform", _D + "erub_uniform_surrogate"),
    repaired_by="PO-6",
)
def t6() -> Sequence[Goal]:
    r"""The least uniform bound does not grow with the condition number.

    The paper says that for constant $\alpha$ and $\kappa\gg\frac1\alpha$ the least bound over T is
    $\Theta(\kappa\ln(1+\frac1{\kappa\alpha}))=\Theta(\frac1\alpha)$, which is large for small $\alpha$. That is the
    value at the T of Eq. (24), which is not the minimiser. The least value over real T is at most 1 (PO-6). At
    $\alpha=10^{-4}$ and $\kappa=1000$ Eq. (24) gives more than 217, and $T=5$ gives less than 1. At $\kappa=10^6$ a
    single step gives less than 1.001, and $\frac1\alpha=10^4$. The paper says that the T of Eq. (24) tends to 0; it
    does not (PO-18).
    """
    found = risk_bounds.erub_uniform_surrogate(TERM, KAPPA, ALPHA)
    other = risk_bounds.erub_uniform(TERM, KAPPA, ALPHA, T)
    rate = KAPPA * sp.log(1 + 1 / (KAPPA * ALPHA))
    domain = _KAPPA + positive("alpha", "T")
    at: dict[str, Any] = {"kappa": 1000, "alpha": "1/10000", "T": 5}
    sharp: dict[str, Any] = {"kappa": 10**6, "alpha": "1/10000", "T": 1}
    return [
        refutation(other - found, ">=", domain, **at, note="Eq. (24) is not the minimiser"),
        refutation(217 - found, ">=", domain, **at),
        refutation(other - 1, ">=", domain, **at),
        refutation(other - rate / 9800, ">=", domain, **sharp, note="a single step against the printed rate"),
        refutation(other - sp.Rational(1001, 1000), ">=", domain, **sharp),
    ]


@erratum(
    "T7",
    item="Theorem 4.5",
    about=(_D + "erub_dynamic", _D + "dynamic_steps_as_printed", _D + "contraction"),
    repaired_by="theorem-4.5",
)
def t7() -> Sequence[Goal]:
    r"""Theorem 4.5's T has kappa where its proof has kappa squared.

    The paper says that the T that minimises the bound is $\lceil2\kappa\ln(1+\frac1{\kappa\alpha})\rceil$, and that the
    least bound is of order $\frac{\kappa^2\alpha}{\kappa^2\alpha+1}$ (it is at most 4 times that, PO-16). At
    $\alpha=10^{-4}$ and $\kappa=1000$ the bound at the printed T is more than 300.
    """
    gamma = schedules.contraction(TERM, KAPPA)
    steps = schedules.dynamic_steps_as_printed(TERM, KAPPA, ALPHA)
    found = risk_bounds.erub_dynamic(TERM, gamma, ALPHA, steps)
    rate = KAPPA**2 * ALPHA / (KAPPA**2 * ALPHA + 1)
    domain = _KAPPA + positive("alpha")
    at: dict[str, Any] = {"kappa": 1000, "alpha": "1/10000"}
    return [
        refutation(4 * rate - found, ">=", domain, **at),
        refutation(300 - found, ">=", domain, **at),
        equal(sp.exp(steps / (2 * KAPPA)), 1 + 1 / (KAPPA * ALPHA), domain, "the print"),
    ]


@obligation("T8", item="Section 4")
def t8() -> Sequence[Goal]:
    r"""On the whole space every point lies near a minimiser.

    On $\mathbb R^D$ the Polyak-Lojasiewicz condition and a G-Lipschitz loss give $\frac\mu2\mathrm{dist}^2\le
    f-f^*\le\frac{G^2}{2\mu}$, where dist is the distance from the set of minimisers. So every point lies within $\frac
    G\mu$ of a minimiser: beyond, the left side is the larger one. No loss with a bounded set of minimisers meets both
    hypotheses on $\mathbb R^D$. The paper's definitions speak of the domain of f; on a bounded domain both can be met,
    and the noise leaves it.
    """
    gap = MU / 2 * X**2 - G**2 / (2 * MU)
    return [
        goal(gap.subs(X, G / MU + S), ">", positive("G", "mu", "s"), note="at distance G / mu + s"),
        goal(G**2 / (2 * MU) - (G**2 - S) / (2 * MU), ">=", positive("G", "mu") + nonnegative("s"),
             note="|grad|^2 = G^2 - s >= 2 mu e"),
        cited("PL gives quadratic growth (Theorem 2)", "karimi2016linear"),
    ]  # fmt: skip


@obligation("T9", item="Table 1", about=(_D + "erub",))
def t9() -> Sequence[Goal]:
    r"""The non-private row is no lower bound.

    A remark: the table's row for non-private gradient descent, $\frac D{N^2R}$, is an upper bound after the T of its
    caption. It is no limit of non-private descent: for every $\alpha<1$ and $T>\frac{\ln\alpha}{\ln\gamma}$ the bound
    of Eq. (7) without noise, $\gamma^T$, is below $\alpha$.
    """
    silent = risk_bounds.erub(TERM, [sp.S.Zero] * 20, GAMMA, ALPHA, R)
    steps = sp.log(ALPHA) / sp.log(GAMMA) + S
    return [
        goal(ALPHA - GAMMA**steps, ">", unit("gamma", "alpha") + positive("s"), note="T = ln alpha / ln gamma + s"),
        goal(
            GAMMA**19 - silent,
            ">",
            unit("gamma") + positive("alpha", "R"),
            note="20 steps",
        ),
    ]


@obligation("T23", item="Section 5")
def t23() -> Sequence[Goal]:
    r"""Preprocessing on the private data moves every record.

    A remark, not a claim of the paper, which leaves the cost unaccounted: centring, scaling and PCA are functions of
    all records. Replacing one record x by y moves the mean, and so every other centred record, by $\frac{x-y}N$:
    neighbours do not stay neighbours.
    """
    rest, other = sp.symbols("rest other")
    moved = (other - (rest + Y) / N) - (other - (rest + X) / N)
    domain = numbers("rest", "other", "x", "y") + positive("n")
    return [
        goal(moved - (X - Y) / N, "==", domain),
        goal(moved.subs(X, Y + S), ">", numbers("rest", "other", "y") + positive("n", "s"), note="x = y + s: it moves"),
    ]


@obligation("T26", item="Lemma C.1", about=("conversions.zcdp_renyi",), premises=("zcdp/composition",))
def t26() -> Sequence[Goal]:
    r"""The range of the second parameter of Lemma C.1.

    A remark, not a false statement: Lemma C.1 speaks of $(\rho,a)$-zCDP, defines no a, and concludes without one. Read
    as an offset, $D_\alpha\le a+\rho\alpha$ (Bun and Steinke 2016, Definition 8.1, call it $\xi$), the two bounds add
    up to $2a+(\rho_1+\rho_2)\alpha$, which is the lemma's conclusion for $a=0$ and exceeds it for every $a>0$: only
    plain zCDP, `zcdp/composition`, is meant.
    """
    first, second, offset = sp.symbols("rho_1 rho_2 a")
    bounds = [conversions.zcdp_renyi(TERM, rho, ALPHA) for rho in (first, second)]
    concluded = conversions.zcdp_renyi(TERM, first + second, ALPHA)
    losses = positive("rho_1", "rho_2") + numbers("alpha", lo=1)
    return [
        equal(sum(bounds, sp.S.Zero), concluded, losses, "a = 0"),
        goal(sum((offset + bound for bound in bounds), -concluded), ">", positive("a") + losses, note="a > 0"),
    ]
