"""Growth and the KL condition (Appendix A of Menart et al., and what the assumptions entail together)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.privacy.closed_forms import conversions
from dpref.terms import TERM
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.kl_condition import obligation
from proofs.registry import Goal, derivative, equal, goal
from proofs.search import grow, nonnegative, numbers, positive
from proofs.topics.zcdp import exp_above_line, log_below_line

A, B, D, E, G, J, L, R, S, T, U, X = sp.symbols("a b d e g j L r s t u x")
GAMMA, KAPPA, THETA = sp.symbols("gamma kappa theta")
ONE, TWO = sp.S.One, sp.Integer(2)
_KAPPA: Final = 1 + J  # kappa > 1
_TAU: Final = (1 + J) / J  # kappa / (kappa - 1)


def power(x: sp.Expr, e: sp.Expr) -> sp.Expr:
    """A real power of a positive number."""
    return sp.exp(e * sp.log(x))


def line_above(u: sp.Expr, c: Claim) -> k.Fact:
    """``exp u - 1 - u >= 0`` at a term of the claim's box."""
    return k.instantiate(exp_above_line(), ((U, u),), c.domain)


def doubled_above() -> k.Fact:
    """``(2 t)^j - (1 + t)^j >= 0`` for t >= 1 and j >= 0."""
    domain = numbers("t", lo=1, ends="[)") + nonnegative("j")
    ratio = sp.log(TWO) + sp.log(T) - sp.log(1 + T)
    start = k.identity(ratio.subs(T, 1), sp.S.Zero, nonnegative("j"))
    longer = grow(ratio, T, domain, start=start)
    line = k.instantiate(exp_above_line(), ((U, J * ratio),), domain)
    low = power(1 + T, J)
    return k.combine(power(2 * T, J) - low, ">=", ((low, line), (low * J, longer)), domain)


def convex_power() -> k.Fact:
    """``2^j (1 + t^(1 + j)) - (1 + t)^(1 + j) >= 0`` for t >= 1 and j >= 0: it grows from zero."""
    domain = numbers("t", lo=1, ends="[)") + nonnegative("j")
    f = power(TWO, J) * (1 + power(T, _KAPPA)) - power(1 + T, _KAPPA)
    inside = k.instantiate(doubled_above(), (), numbers("t", lo=1) + nonnegative("j"))
    rise = k.combine(sp.diff(f, T), ">=", ((_KAPPA, inside),), inside.claim.domain)
    return grow(f, T, domain, growth=rise, start=k.identity(f.subs(T, 1), sp.S.Zero, nonnegative("j")))


@obligation("PO-26", item="Lemma 11")
def po_26() -> Sequence[Goal]:
    r"""The power of a sum.

    $(a+b)^\kappa\le2^{\kappa-1}(a^\kappa+b^\kappa)$ for $a,b\ge0$, $\kappa=1+j\ge1$; here for $a=tb\ge b>0$ (for
    $b=0$ it is $2^{\kappa-1}\ge1$, and the sum is symmetric).
    """
    gap = power(TWO, J) * (power(T * B, _KAPPA) + power(B, _KAPPA)) - power(T * B + B, _KAPPA)
    domain = numbers("t", lo=1, ends="[)") + nonnegative("j") + positive("b")

    def prove(c: Claim) -> k.Fact:
        return k.combine(c.expr, ">=", ((power(B, _KAPPA), k.instantiate(convex_power(), (), c.domain)),), c.domain)

    return [
        goal(gap, ">=", domain, prove),
        goal(power(TWO, J) - 1, ">=", nonnegative("j"), note="b = 0"),
    ]


@obligation("PO-36", numbers=True, item="Theorem 8")
def po_36() -> Sequence[Goal]:
    r"""A power of two in the power of a sum.

    $2^{\tau-1}\le2$ for $\tau=2-j\in[1,2]$. Theorem 8 uses it after PO-26, which has
    $(|u|+|v|)^\tau\le2^{\tau-1}(|u|^\tau+|v|^\tau)$.
    """
    return [goal(2 - power(TWO, 1 - J), ">=", numbers("j", lo=0, hi=1, ends="[]"), note="2^(tau - 1) is at most 2")]


@obligation("PO-27", item="Lemma 6")
def po_27() -> Sequence[Goal]:
    r"""The KL condition from growth.

    $E\le GD$ (convexity, Cauchy-Schwarz) and $D\le\gamma E^{(\kappa-1)/\kappa}$ (growth) give $E\le\gamma^\kappa
    G^\kappa$, for $E>0$, $\kappa\ge1$: here $D=\gamma E^{(\kappa-1)/\kappa}e^{-a}$ and $G=\frac EDe^b$.
    """
    distance = GAMMA * power(E, (KAPPA - 1) / KAPPA) * sp.exp(-A)
    gradient = E / distance * sp.exp(B)
    domain = positive("e", "gamma", "kappa") + nonnegative("a", "b")
    return [goal(power(GAMMA * gradient, KAPPA) - E, ">=", domain)]


@obligation(
    "PO-28",
    item="Lemma 7",
    not_proved="That the gradient flow of g reaches a minimiser, on a path at least as long as the distance to the "
    "minimisers: that is Lemma 7's proof, and the kernel has no flows.",
)
def po_28() -> Sequence[Goal]:
    r"""Growth from the KL condition.

    $g=\frac\kappa{\kappa-1}E^{(\kappa-1)/\kappa}$ has $g'=E^{-1/\kappa}E'$, so that $\|\nabla g\|\ge\frac1\gamma$; a
    path of length D along its flow gives $g\ge\frac D\gamma$, that is $E\ge\big[\frac{\kappa-1}{\kappa\gamma}D\big]^{
    \kappa/(\kappa-1)}$ (here $\kappa=1+j$, $D=\gamma ge^{-a}$). Tight for $E=D^p$, $p=\frac\kappa{\kappa-1}$,
    $\gamma=\frac1p$.
    """
    g = KAPPA / (KAPPA - 1) * power(E, (KAPPA - 1) / KAPPA)
    far = GAMMA * _TAU * power(E, 1 / _TAU) * sp.exp(-A)
    bracket = J / ((1 + J) * GAMMA)
    domain = positive("e", "gamma", "j") + nonnegative("a")
    return [
        derivative(g, E, power(E, -1 / KAPPA), positive("e") + numbers("kappa", lo=1)),
        goal(E - power(bracket * far, _TAU), ">=", domain),
        goal(power(bracket.subs(GAMMA, 1 / _TAU) * D, _TAU) - power(D, _TAU), "==", positive("d", "j"), note="tight"),
    ]


def _entropy() -> sp.Expr:
    """``log 2 - j (log(1 + j) - log j)``."""
    return sp.log(TWO) - J * (sp.log(1 + J) - sp.log(J))


@obligation("PO-29", item="Corollary 1")
def po_29() -> Sequence[Goal]:
    r"""The exponents of Corollary 1.

    For $\tau=\frac\kappa{\kappa-1}$, $\kappa=1+j$: $\frac1{\tau-1}=\kappa-1$, $\frac\tau{\tau-1}=\kappa$, and
    $\tau^{-1/(\tau-1)}=\big(\frac\kappa{\kappa-1}\big)^{1-\kappa}$, which lies in $[\frac12,1)$ for $\kappa\in(1,2]$:
    its logarithm is $-j\ln\frac{1+j}j$, which falls to $-\ln2$ at $j=1$.
    """
    constant = power(_TAU, -1 / (_TAU - 1))
    unit = numbers("j", lo=0, hi=1, ends="(]")

    def falls(c: Claim) -> k.Fact:
        inside = numbers("j", lo=0, hi=1)
        rate = k.instantiate(log_below_line(), ((X, J / (1 + J)),), inside)
        start = k.identity(_entropy().subs(J, 1), sp.S.Zero, ())
        return grow(_entropy(), J, c.domain, anchor="hi", growth=rate, start=start)

    def above(c: Claim) -> k.Fact:
        half = sp.Rational(1, 2)
        line = line_above(_entropy(), c)
        low = goal(_entropy(), ">=", c.domain).claim
        return k.combine(c.expr, ">=", ((half, line), (half, falls(low))), c.domain)

    return [
        equal(1 / (_TAU - 1), J, positive("j"), "kappa - 1"),
        equal(_TAU / (_TAU - 1), 1 + J, positive("j"), "kappa"),
        goal(_entropy(), ">=", unit, falls, "the logarithm"),
        goal(constant - sp.Rational(1, 2), ">=", unit, above, "at least a half"),
        goal(1 - constant, ">", unit, note="and below one"),
    ]


@obligation("PO-41", item="Section 2 (2.3)")
def po_41() -> Sequence[Goal]:
    r"""Smoothness and the KL condition.

    $E\le\gamma^\kappa G^\kappa$, $G^2\le2L_1E$ and $E>0$ give $E^{(2-\kappa)/\kappa}\le2\gamma^2L_1$: at $\kappa=2$,
    $\gamma^2L_1\ge\frac12$; at $\kappa=2+j$, $E\ge(2\gamma^2L_1)^{-\kappa/(\kappa-2)}$. Here
    $G^2=2L_1Ee^{-a}$ and $\gamma^\kappa G^\kappa=Ee^{b}$.
    """

    def doubled(kappa: sp.Expr) -> sp.Expr:  # 2 gamma^2 L_1
        gradient = 2 * L * E * sp.exp(-A)
        return 2 * L * power(E * sp.exp(B), 2 / kappa) / gradient

    domain = positive("e", "L") + nonnegative("a", "b")
    steep = doubled(2 + J)
    return [
        goal(doubled(KAPPA) - power(E, (2 - KAPPA) / KAPPA), ">=", domain + positive("kappa")),
        goal(doubled(TWO) / 2 - sp.Rational(1, 2), ">=", domain, note="kappa = 2"),
        goal(
            (2 + J) / J * sp.log(steep) + sp.log(E), ">=", domain + positive("j"),
            lambda c: k.combine(
                c.expr, ">=", ((ONE, k.sign(2 * B / J + (2 + J) / J * A, ">=", c.domain)),), c.domain
            ),
            "kappa > 2, on logarithms",
        ),
    ]  # fmt: skip


@obligation("PO-49", item="Theorem 6 (errata, E31)")
def po_49() -> Sequence[Goal]:
    r"""Growth and a Lipschitz constant bound the ball.

    $\lambda^\tau r^\tau\le L_0r$ and $r\ge B>0$ give $B\le(L_0/\lambda^\tau)^{1/(\tau-1)}$ (with one minimiser, so that
    the ball has a point at a distance r of at least B from it): for a larger $r=(L_0/\lambda^\tau)^{1/(\tau-1)}e^s$,
    $\tau=1+j$, the growth exceeds what the Lipschitz constant allows.
    """
    far = power(L / G, 1 / J) * sp.exp(S)  # g is lambda^tau
    return [
        goal(G * power(far, J) - L, ">", positive("G", "g", "L", "j", "s"), note="over r"),
        goal(R + S - R, ">", positive("r", "s"), note="and B is at most r"),
    ]


@obligation(
    "PO-54",
    item="Section 7 of the specification",
    tests=("tests/test_kl_constants.py::test_the_constant_of_the_waves_is_that_of_the_specification",),
    not_proved="The constant of $w^2+3\\sin^2w$, which the kernel has no sine for: a test covers the line in balls.",
)
def po_54() -> Sequence[Goal]:
    r"""Losses whose constants are known.

    $F=\|w\|^p$ with $p=\frac\kappa{\kappa-1}$ satisfies $F=\gamma^\kappa\|\nabla F\|^\kappa$, $\gamma=\frac1p$, at
    every point (here $\kappa=1+j$). For $F=w^2+3\sin^2w$, $\sup F/F'^2<2.849$.
    """
    gradient = _TAU * power(R, _TAU - 1)
    return [goal(power(gradient / _TAU, _KAPPA) - power(R, _TAU), "==", positive("r", "j"))]


@obligation(
    "PO-40",
    item="Section 2 (2.3)",
    about=("conversions.zcdp_epsilon", "conversions.zcdp_rho"),
    premises=("zcdp/rho-of-epsilon",),
)
def po_40() -> Sequence[Goal]:
    r"""The budget for a given epsilon.

    $\rho=(\sqrt{\varepsilon+\ell}-\sqrt\ell)^2$ gives $\rho+2\sqrt{\rho\ell}=\varepsilon$. So little is needed as
    $\rho=\frac{\varepsilon^2}{6\ell}$, $\ell=\log\frac1\delta=r^2\ge1$, where $\varepsilon=\theta r\le\sqrt\ell$;
    with 5 for 6 it would not do.
    """
    epsilon, ell = THETA * R, R**2
    domain = numbers("r", lo=1, ends="[)") + numbers("theta", lo=0, hi=1, ends="(]")

    def spent(constant: int) -> sp.Expr:
        return conversions.zcdp_epsilon(TERM, epsilon**2 / (constant * ell), ell)

    number = 1 - sp.Rational(1, 6) - 2 / sp.sqrt(6)

    def enough(c: Claim) -> k.Fact:
        positive_ = k.instantiate(balls.cover(number, (), "0", 64), (), c.domain)
        rest = k.sign(epsilon / 6 * (1 - THETA / R), ">=", c.domain)
        return k.combine(c.expr, ">", ((epsilon, positive_), (ONE, rest)), c.domain)

    return [
        goal(conversions.zcdp_epsilon(TERM, conversions.zcdp_rho(TERM, E, L), L) - E, "==", positive("e", "L")),
        goal(epsilon - spent(6), ">", domain, enough),
        goal(
            (spent(5) - epsilon).subs({THETA: 1, R: 1}), ">", (), lambda c: balls.cover(c.expr, (), "0", 64),
            "5 is not enough, at epsilon = ell = 1",
        ),
    ]  # fmt: skip
