"""Section 3 and Appendix C: adjacency, zCDP of Algorithm 1, and the conversions of Section 4.1.3."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.privacy.closed_forms import conversions, divergences
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne, ZeroOut
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.dynamic_privacy_budget import erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import numbers, positive

G, N, SIGMA, EPSILON, L, Y = sp.symbols("G n sigma epsilon L y")
_SENSITIVITY = "erm.mean_gradient_sensitivity"
_RHO, _BUDGET = "dynamic-gradient-descent.printed_rho", "dynamic-gradient-descent.printed_budget"
_BOTH = positive("epsilon", "L")


def step_cost(adjacency: type) -> sp.Expr:
    """Return the zCDP of one answer of Algorithm 1, whose noise has the standard deviation ``G sigma / n``."""
    moved = erm.mean_gradient_sensitivity(G, N, adjacency)
    return divergences.gaussian_zcdp(TERM, moved / (G * SIGMA / N))


@obligation(
    "theorem-3.5",
    item="Theorem 3.5",
    about=("divergences.gaussian_zcdp", _SENSITIVITY),
    premises=("gaussian/zcdp", "zcdp/composition", "zcdp/post-processing", "sensitivity/zero-out"),
)
def theorem_3_5() -> Sequence[Goal]:
    r"""Algorithm 1 spends half its budget, where a record is zeroed out.

    When one record's gradient is zeroed out, the mean gradient moves by at most $\frac GN$. A step with noise of
    deviation $\frac{G\sigma_t}N$ then costs $\frac1{2\sigma_t^2}$ of zCDP. So $\sum_t\sigma_t^{-2}\le R$ gives
    $\frac12R$-zCDP.
    """
    return [equal(step_cost(ZeroOut), 1 / (2 * SIGMA**2), positive("G", "n", "sigma"), "the cost of a step")]


@erratum(
    "T1",
    item="Definition 3.4, Theorem 3.5",
    about=("divergences.gaussian_zcdp", _SENSITIVITY),
    repaired_by="theorem-3.5",
)
def t1() -> Sequence[Goal]:
    r"""Under replace-one the budget is four times as large.

    The paper says that a step costs $\frac1{2\sigma_t^2}$ of zCDP, for neighbours of equal size that differ in one
    sample (Definition 3.4). Its sensitivity $\frac GN$ is that of one gradient left out (Eq. (1), Definition C.2). When
    a record is replaced, the mean gradient moves by up to $\frac{2G}N$. The step then costs $\frac2{\sigma_t^2}$, four
    times as much.
    """
    domain = positive("G", "n", "sigma")
    return [
        refutation(1 / (2 * SIGMA**2) - step_cost(ReplaceOne), ">=", domain, G=1, n=1, sigma=1),
        equal(step_cost(ReplaceOne), 4 * step_cost(ZeroOut), domain, "the factor is four"),
    ]


@erratum(
    "printed-rho",
    item="after Lemma C.4",
    about=(_RHO, "conversions.zcdp_epsilon", "divergences.gaussian_delta"),
    repaired_by="zcdp/rho-of-epsilon",
)
def printed_rho() -> Sequence[Goal]:
    r"""The printed root of the conversion.

    The paper says that $\rho=\varepsilon+2L+2\sqrt{L(\varepsilon+L)}$ is the $\rho$ for which $\rho$-zCDP gives
    $(\varepsilon,\delta)$-DP, where $L=\ln\frac1\delta$. That number solves $\rho-2\sqrt{\rho L}=\varepsilon$; the
    equation has a plus. At $\varepsilon=4$ and $L=18.42$ the exact $\delta$ of a Gaussian mechanism that spends it is
    above $0.99$.
    """
    return _wrong_root(schedules.printed_rho(TERM, EPSILON, L))


@erratum(
    "printed-budget",
    item="Section 4.1.3",
    about=(_BUDGET, "conversions.zcdp_epsilon", "divergences.gaussian_delta"),
    repaired_by="zcdp/rho-of-epsilon",
)
def printed_budget() -> Sequence[Goal]:
    r"""The printed root, as a budget.

    The paper says that $R=2\rho=2\varepsilon+4L+4\sqrt{L(\varepsilon+L)}$ is the budget that gives
    $(\varepsilon,\delta)$-DP, where $L=\ln\frac1\delta$. It has the same wrong sign as `printed-rho`.
    """
    return _wrong_root(schedules.printed_budget(TERM, EPSILON, L) / 2)


def _other_sign(rho: sp.Expr) -> Goal:
    """``rho - 2 sqrt(rho L) - epsilon == 0``, because rho is the square of ``sqrt(L) + sqrt(epsilon + L)``."""
    x, root = sp.Symbol("x"), sp.sqrt(L) + sp.sqrt(EPSILON + L)

    def prove(c: Claim) -> k.Fact:
        equal = k.identity(rho, root**2, _BOTH)
        same = k.congruence(x - 2 * sp.sqrt(x * L) - EPSILON, x, rho, root**2, equal, _BOTH)
        end = k.identity(root**2 - 2 * sp.sqrt(root**2 * L) - EPSILON, sp.S.Zero, _BOTH)
        return k.combine(c.expr, "==", ((sp.S.One, same), (sp.S.One, end)), c.domain)

    return goal(rho - 2 * sp.sqrt(rho * L) - EPSILON, "==", _BOTH, prove, "the equation that it solves")


def _wrong_root(rho: sp.Expr) -> list[Goal]:
    spent = conversions.zcdp_epsilon(TERM, rho, L)
    exact = divergences.gaussian_delta(TERM, EPSILON, sp.sqrt(2 * rho))
    return [
        refutation(EPSILON - spent, ">=", _BOTH, epsilon=4, L="1842/100", note="what Lemma C.4 gives at (4, 1e-8)"),
        refutation(sp.exp(-L) - exact, ">=", _BOTH, epsilon=4, L="1842/100", note="the exact delta"),
        refutation(sp.Rational(99, 100) - exact, ">=", _BOTH, epsilon=4, L="1842/100"),
        goal(spent - EPSILON, ">", _BOTH, note="everywhere"),
        _other_sign(rho),
    ]


@obligation("PO-46", item="Lemma C.4", about=("conversions.zcdp_rho", _RHO), premises=("zcdp/rho-of-epsilon",))
def po46() -> Sequence[Goal]:
    r"""The root of the conversion that is a budget.

    $\sqrt\rho=\sqrt{\varepsilon+L}-\sqrt L$ solves $\rho+2\sqrt{\rho L}=\varepsilon$; the printed root solves the other
    sign.
    """
    root = sp.sqrt(conversions.zcdp_rho(TERM, EPSILON, L))
    return [
        equal(root**2 + 2 * root * sp.sqrt(L), EPSILON, _BOTH),
        equal(root, sp.sqrt(EPSILON + L) - sp.sqrt(L), _BOTH),
        _other_sign(schedules.printed_rho(TERM, EPSILON, L)),
    ]


@obligation("PO-47", item="Section 4.1.3", about=("conversions.zcdp_rho",))
def po47() -> Sequence[Goal]:
    r"""The zCDP budget is less than half of the moments accountant's, and of the same order.

    With $\rho=(\sqrt{\varepsilon+L}-\sqrt L)^2$, $L=\ln\frac1\delta$, the budget $2\rho$ is less than
    $\frac{\varepsilon^2}{2L}$ for all $\varepsilon,L>0$. So it never exceeds the budget
    $R_{MA}=\frac{\varepsilon^2}L$ of the moments accountant. For $\varepsilon\le2L$ it is at least
    $\frac{\varepsilon^2}{4L}$.
    """

    def prove(c: Claim) -> k.Fact:
        total = sp.sqrt(L) + sp.sqrt(EPSILON + L)
        gain = EPSILON / total
        grown = k.sign(gain**2 + 4 * gain * sp.sqrt(L), ">", _BOTH)
        return k.combine(c.expr, ">", ((EPSILON**2 / (2 * L * total**2), grown),), c.domain)

    spent = 2 * conversions.zcdp_rho(TERM, EPSILON, L)
    below = positive("L") + numbers("y", lo=0, hi=2, ends="(]")
    least = (spent - EPSILON**2 / (4 * L)).subs(EPSILON, Y * L)

    def prove_least(c: Claim) -> k.Fact:
        # with the roots r <= q of L and L + epsilon: 8 L - (q + r)^2 = 2 (2 L - epsilon) + (q - r)^2
        small, large = sp.sqrt(L), sp.sqrt(L + Y * L)
        scale = (Y * L) ** 2 / (4 * L * (large + small) ** 2)
        room = k.sign(2 * (2 * L - Y * L), ">=", below)
        square = k.squares((large - small) ** 2, ((sp.S.One, large - small),), below)
        return k.combine(c.expr, ">=", ((scale, room), (scale, square)), c.domain)

    return [
        goal(EPSILON**2 / (2 * L) - spent, ">", _BOTH, prove),
        goal(least, ">=", below, prove_least, "epsilon = y L, y at most 2"),
    ]


@erratum(
    "T5",
    item="Section 4.1.3",
    about=("conversions.zcdp_rho",),
    repaired_by="PO-47",
)
def t5() -> Sequence[Goal]:
    r"""The comparison of accountants.

    The paper says that $R_{zCDP}>R_{MA}=\frac{\varepsilon^2}L$ for $\varepsilon\le2L$, where $L=\ln\frac1\delta$ and
    $R_{zCDP}=2\rho$ is the budget that Lemma C.4 allows. With the right root of Lemma C.4 it is false for every
    $\varepsilon$ and $\delta$ (PO-47). The paper argues with the root that has the wrong sign (`printed-budget`).
    """
    gap = 2 * conversions.zcdp_rho(TERM, EPSILON, L) - EPSILON**2 / L
    return [refutation(gap, ">", _BOTH, epsilon=4, L="1842/100")]
