"""Zero-concentrated differential privacy: composition and conversions."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy import conversions
from dpref.reals import TERM
from proofs import kernel as k
from proofs.algebra import Claim, slope
from proofs.registry import Goal, cited, goal, obligation
from proofs.search import grow, numbers, positive

ALPHA, RHO, L, EPSILON, D, W, X, U = sp.symbols("alpha rho L epsilon D w x u")
_ORDER = numbers("alpha", lo=1)


def log_below_line() -> k.Fact:
    """``x - 1 - log x >= 0`` for every x > 0."""
    f = X - 1 - sp.log(X)
    left = grow(f, X, numbers("x", lo=0, hi=1, ends="(]"), anchor="hi")
    return k.join(left, grow(f, X, numbers("x", lo=1, ends="()")), X)


def exp_above_line() -> k.Fact:
    """``exp u - 1 - u >= 0`` for every real u."""
    f = sp.exp(U) - 1 - U
    left = grow(f, U, numbers("u", hi=0, ends="(]"), anchor="hi")
    return k.join(left, grow(f, U, numbers("u", lo=0, ends="()")), U)


@obligation(
    "zcdp/log-below-line",
    title="log x is at most x - 1",
    statement=r"$\ln x\le x-1$ for every $x>0$, and $e^u\ge1+u$ for every real $u$.",
    citation="bun2016concentrated",
)
def lines() -> Sequence[Goal]:
    return [
        goal(X - 1 - sp.log(X), ">=", numbers("x", lo=0), lambda _: log_below_line()),
        goal(sp.exp(U) - 1 - U, ">=", numbers("u"), lambda _: exp_above_line()),
    ]


@obligation(
    "zcdp/composition",
    item="Lemma 1.7",
    title="zCDP composes additively",
    statement=r"$\rho_1$-zCDP followed adaptively by $\rho_2$-zCDP is $(\rho_1+\rho_2)$-zCDP.",
    citation="bun2016concentrated",
    about=("dpref.privacy.conversions.zcdp_renyi",),
)
def composition() -> Sequence[Goal]:
    a, b = sp.symbols("rho_1 rho_2")
    both = conversions.zcdp_renyi(TERM, a, ALPHA) + conversions.zcdp_renyi(TERM, b, ALPHA)
    return [
        goal(conversions.zcdp_renyi(TERM, a + b, ALPHA) - both, "==", _ORDER + positive("rho_1", "rho_2")),
        cited("Rényi divergences of adaptively composed mechanisms add (Lemma 1.7)", "bun2016concentrated"),
    ]


@obligation(
    "zcdp/post-processing",
    item="Lemma 1.8",
    title="zCDP survives post-processing",
    statement=r"A function of a $\rho$-zCDP output is $\rho$-zCDP.",
    citation="bun2016concentrated",
)
def post_processing() -> Sequence[Goal]:
    return [cited("Rényi divergence does not grow under a kernel (Lemma 1.8)", "bun2016concentrated")]


def pointwise_log() -> tuple[sp.Expr, k.Fact]:
    """``log c - (alpha-1) w - log(1 - exp(-w)) >= 0``, c the constant of the optimised conversion, for w > 0."""
    domain = _ORDER + positive("w")
    v = sp.exp(-W)
    first, second = ALPHA * (1 - v), v * ALPHA / (ALPHA - 1)
    line = log_below_line()
    one = k.instantiate(line, ((X, first),), domain)
    two = k.instantiate(line, ((X, second),), domain)
    gap = (ALPHA - 1) * sp.log(1 - 1 / ALPHA) - sp.log(ALPHA) - sp.log(1 - v) + (ALPHA - 1) * W
    return gap, k.combine(gap, ">=", ((sp.S.One, one), (ALPHA - 1, two)), domain)


def _pointwise(c: Claim) -> k.Fact:
    """From the logarithm to the thing itself: exp b - exp a >= exp a (b - a)."""
    gap, fact = pointwise_log()
    low = 1 - sp.exp(-W)
    line = k.instantiate(exp_above_line(), ((U, gap),), fact.claim.domain)
    return k.combine(c.expr, ">=", ((low, line), (low, fact)), c.domain)


@obligation(
    "zcdp/to-dp-optimised",
    item="Proposition 12",
    title="The optimised conversion, point by point",
    statement=r"For a privacy loss $z>\varepsilon$ and every $\alpha>1$: $1-e^{\varepsilon-z}\le "
    r"e^{(\alpha-1)(z-\varepsilon)}\,\frac1\alpha(1-\frac1\alpha)^{\alpha-1}$, by two instances of $\ln x\le x-1$; "
    r"the mean "
    r"of the right side is $\delta$ of the conversion, and $\varepsilon$ of the conversion inverts it.",
    citation="canonne2020discrete",
    about=(
        "dpref.privacy.conversions.renyi_delta_optimised",
        "dpref.privacy.conversions.renyi_epsilon_optimised",
    ),
    not_proved="Taking the mean over the privacy loss on both sides.",
)
def to_dp_optimised() -> Sequence[Goal]:
    domain = _ORDER + positive("w") + numbers("epsilon")
    point = conversions.renyi_delta_optimised(TERM, EPSILON + W, ALPHA, EPSILON)
    inverse = conversions.renyi_epsilon_optimised(TERM, D, ALPHA, L)
    back = conversions.renyi_delta_optimised(TERM, D, ALPHA, inverse)
    return [
        goal(point - (1 - sp.exp(-W)), ">=", domain, _pointwise, "z = epsilon + w"),
        goal(back - sp.exp(-L), "==", _ORDER + numbers("D", "L")),
    ]


def _never_below(c: Claim) -> k.Fact:
    """log(alpha) / (alpha - 1) > 0 and log(1 - 1/alpha) <= -1/alpha."""
    line = k.instantiate(log_below_line(), ((X, 1 - 1 / ALPHA),), _ORDER)
    parts = (sp.log(ALPHA) / (ALPHA - 1), 1 / ALPHA)
    return k.combine(c.expr, ">", ((sp.S.One, line), *((sp.S.One, k.sign(p, ">", _ORDER)) for p in parts)), c.domain)


@obligation(
    "zcdp/to-dp",
    item="Proposition 1.3",
    title="zCDP to approximate DP",
    statement=r"$\rho+2\sqrt{\rho L}=\min_{\alpha>1}\big(\rho\alpha+\frac L{\alpha-1}\big)$, $L=\ln(1/\delta)$, "
    r"attained at "
    r"$\alpha=1+\sqrt{L/\rho}$; and $\rho\alpha+\frac L{\alpha-1}$ is never below the optimised conversion.",
    citation="bun2016concentrated",
    about=(
        "dpref.privacy.conversions.zcdp_epsilon",
        "dpref.privacy.conversions.renyi_epsilon",
        "dpref.privacy.conversions.zcdp_renyi",
    ),
    premises=("zcdp/to-dp-optimised",),
)
def to_dp() -> Sequence[Goal]:
    domain = _ORDER + positive("rho", "L")
    curve = conversions.renyi_epsilon(TERM, conversions.zcdp_renyi(TERM, RHO, ALPHA), ALPHA, L)
    least = conversions.zcdp_epsilon(TERM, RHO, L)
    s = sp.sqrt(ALPHA - 1)
    slack = conversions.renyi_epsilon(TERM, D, ALPHA, L) - conversions.renyi_epsilon_optimised(TERM, D, ALPHA, L)
    return [
        goal(
            curve - least, ">=", domain,
            lambda c: k.squares(c.expr, ((sp.S.One, sp.sqrt(RHO) * s - sp.sqrt(L) / s),), c.domain),
            "one square",
        ),
        goal(curve.subs(ALPHA, 1 + sp.sqrt(L / RHO)) - least, "==", positive("rho", "L"), note="attained"),
        goal(slack, ">", _ORDER + numbers("D") + positive("L"), _never_below),
    ]  # fmt: skip


@obligation(
    "zcdp/rho-of-epsilon",
    item="Proposition 1.3",
    title="The rho that spends a given epsilon",
    statement=r"$\rho=(\sqrt{\varepsilon+L}-\sqrt L)^2$ is the inverse of $\rho\mapsto\rho+2\sqrt{\rho L}$, which "
    r"grows with "
    r"$\rho$.",
    citation="bun2016concentrated",
    about=("dpref.privacy.conversions.zcdp_rho", "dpref.privacy.conversions.zcdp_epsilon"),
)
def rho_of_epsilon() -> Sequence[Goal]:
    rho = conversions.zcdp_rho(TERM, EPSILON, L)
    epsilon = conversions.zcdp_epsilon(TERM, RHO, L)
    rate = sp.diff(epsilon, RHO)
    return [
        goal(rho - (sp.sqrt(EPSILON + L) - sp.sqrt(L)) ** 2, "==", positive("epsilon", "L")),
        goal(conversions.zcdp_epsilon(TERM, rho, L) - EPSILON, "==", positive("epsilon", "L")),
        goal(conversions.zcdp_rho(TERM, epsilon, L) - RHO, "==", positive("rho", "L")),
        goal(
            slope(epsilon, RHO) - rate, "==", positive("rho", "L"),
            lambda c: k.derivative(epsilon, RHO, rate, c.domain),
        ),
        goal(rate, ">", positive("rho", "L")),
    ]  # fmt: skip
