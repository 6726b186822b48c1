"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited": what DP-GD rests on."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.erm import gradient_descent
from dpref.privacy import conversions, divergences
from dpref.problems import erm
from dpref.reals import TERM
from dpref.units import ReplaceOne
from proofs import kernel as k
from proofs.registry import Goal, goal, obligation, refutation
from proofs.search import numbers, positive

G, N, T, EPSILON, L, ALPHA, LAMBDA, SIGMA, RHO, CONST = sp.symbols("G n T epsilon L alpha lambda sigma rho c")
_PRINTED = "dpref.algorithms.erm.gradient_descent.printed_variance"
_SAFE = "dpref.algorithms.erm.gradient_descent.safe_variance"
_ALL = positive("G", "n", "T", "epsilon", "L")


def _sensitivity() -> sp.Expr:
    return erm.mean_gradient_sensitivity(G, N, ReplaceOne)


@obligation(
    "dp-erm-revisited/P47",
    item="Eqs. (19), (26)",
    title="The log moment of one noisy gradient",
    statement=r"$\lambda D_{\lambda+1}=\frac{2\lambda(\lambda+1)G^2}{n^2\sigma^2}$ at shift $2G/n$.",
    citation="wang2017revisited",
    about=("dpref.privacy.divergences.gaussian_renyi", "dpref.problems.erm.mean_gradient_sensitivity"),
    premises=("gaussian/renyi", "sensitivity/replace-one"),
)
def p47() -> Sequence[Goal]:
    moment = LAMBDA * divergences.gaussian_renyi(TERM, LAMBDA + 1, _sensitivity() / SIGMA)
    printed = 2 * LAMBDA * (LAMBDA + 1) * G**2 / (N**2 * SIGMA**2)
    return [goal(moment - printed, "==", positive("lambda", "sigma", "G", "n"))]


@obligation(
    "dp-erm-revisited/P48",
    item="Theorem 6.1, proof B.3",
    title="The variance that the proof of Theorem 6.1 gives, for every epsilon",
    statement=r"$\sigma^2=\frac{4G^2T(2L+\varepsilon)}{n^2\varepsilon^2}$, $L=\ln\frac1\delta$: at order "
    r"$\alpha=1+2L/\varepsilon$ the "
    r"Rényi conversion of $T$ noisy gradients gives exactly $\varepsilon$; and $2L+\varepsilon\le4L$ for "
    r"$\varepsilon\le2L$, so that "
    r"$c=16$ works there.",
    citation="wang2017revisited",
    about=(_SAFE, "dpref.privacy.conversions.renyi_epsilon", _PRINTED),
    premises=("gaussian/renyi", "zcdp/composition", "zcdp/to-dp", "sensitivity/replace-one"),
)
def p48() -> Sequence[Goal]:
    sigma2 = gradient_descent.safe_variance(TERM, _sensitivity(), T, L, EPSILON)
    order = 1 + 2 * L / EPSILON
    spent = T * divergences.gaussian_renyi(TERM, order, _sensitivity() / sp.sqrt(sigma2))
    found = conversions.renyi_epsilon(TERM, spent, order, L)
    b = sp.Symbol("b")
    gap = gradient_descent.printed_variance(TERM, sp.Integer(16), G, T, L, N, EPSILON) - sigma2
    return [
        goal(found - EPSILON, "==", _ALL),
        goal(gap.subs(EPSILON, 2 * L * b), ">=", positive("G", "n", "T", "L") + numbers("b", lo=0, hi=1, ends="(]")),
    ]


@obligation(
    "dp-erm-revisited/P49",
    item="Section 6.2 of the specification",
    title="The zCDP variance is smaller than the proof's",
    statement=r"$\sigma^2=\frac{\Delta^2T}{2\rho}$, $\rho=(\sqrt{L+\varepsilon}-\sqrt L)^2$, spends exactly "
    r"$\varepsilon$ by "
    r"$\rho+2\sqrt{\rho L}$, and $\frac1{2\rho}\le\frac{2L+\varepsilon}{\varepsilon^2}$.",
    citation="bun2016concentrated",
    about=("dpref.algorithms.erm.gradient_descent.zcdp_variance", _SAFE),
    premises=("zcdp/rho-of-epsilon", "gaussian/zcdp", "zcdp/composition"),
)
def p49() -> Sequence[Goal]:
    delta = sp.Symbol("Delta")
    domain = positive("Delta", "T", "epsilon", "L")
    sigma2 = gradient_descent.zcdp_variance(TERM, delta, T, L, EPSILON)
    spent = T * divergences.gaussian_zcdp(TERM, delta / sp.sqrt(sigma2))
    gap = gradient_descent.safe_variance(TERM, delta, T, L, EPSILON) - sigma2
    root = delta * sp.sqrt(T) * (sp.sqrt(EPSILON + L) - sp.sqrt(L)) / EPSILON
    return [
        goal(conversions.zcdp_epsilon(TERM, spent, L) - EPSILON, "==", domain),
        goal(gap, ">=", domain, lambda c: k.squares(c.expr, ((sp.Rational(1, 2), root),), c.domain)),
    ]


@obligation(
    "dp-erm-revisited/P52",
    item="Section 6.2 of the specification",
    title="T answers are one Gaussian with mu times the square root of T",
    statement=r"$T$ answers of multiplier $z$ have the Rényi divergence of one Gaussian with $\mu=\sqrt T/z$, whose "
    r"privacy "
    r"curve falls in $\varepsilon$ and grows in $\mu$.",
    citation="balle2018improving",
    about=("dpref.privacy.divergences.gaussian_renyi",),
    premises=("gaussian/composition", "gaussian/delta-decreasing", "gaussian/delta-increasing"),
)
def p52() -> Sequence[Goal]:
    z = sp.Symbol("z")
    many = T * divergences.gaussian_renyi(TERM, ALPHA, 1 / z)
    one = divergences.gaussian_renyi(TERM, ALPHA, sp.sqrt(T) / z)
    return [goal(many - one, "==", positive("T", "z") + numbers("alpha", lo=1))]


def _printed_delta_slack() -> sp.Expr:
    """``delta - delta(epsilon)`` for T answers with the variance of Eq. (11)."""
    sigma2 = gradient_descent.printed_variance(TERM, CONST, G, T, L, N, EPSILON)
    mu = sp.sqrt(T * _sensitivity() ** 2 / sigma2)
    return sp.exp(-L) - divergences.gaussian_delta(TERM, EPSILON, mu)


@obligation(
    "dp-erm-revisited/E9",
    item="Theorem 6.1, Eq. (11)",
    title="Eq. (11) for every epsilon, with the constant of its own proof",
    statement=r"As printed, read with $c=16$: $\sigma^2=16\,\frac{G^2T\ln(1/\delta)}{n^2\varepsilon^2}$ is "
    r"$(\varepsilon,\delta)$-DP for "
    r"every $\varepsilon>0$. False at $\varepsilon=100$, $L=11.5$; and at $c=1000$ for $\varepsilon=10^4$: no "
    r"constant works.",
    citation="wang2017revisited",
    about=(_PRINTED, "dpref.privacy.divergences.gaussian_delta"),
    refutes=True,
    repaired_by="dp-erm-revisited/P48",
)
def e9() -> Sequence[Goal]:
    slack = _printed_delta_slack()
    return [
        refutation(slack.subs(CONST, 16), ">=", _ALL, G=1, n=1, T=1, epsilon=100, L="23/2"),
        refutation(slack.subs(CONST, 1000), ">=", _ALL, G=1, n=1, T=1, epsilon=10000, L="23/2"),
    ]


@obligation(
    "dp-erm-revisited/E10",
    item="Definition 3.4",
    title="The classical calibration without a bound on epsilon",
    statement=r"As printed: $\sigma\ge\sqrt{2\ln(1.25/\delta)}\,\Delta_2/\varepsilon$ is $(\varepsilon,\delta)$-DP, "
    r"with no restriction on "
    r"$\varepsilon$. False at $\varepsilon=10.5$, $\delta=e^{-11.5}$.",
    citation="wang2017revisited",
    about=("dpref.privacy.conversions.classical_gaussian_multiplier", "dpref.privacy.divergences.gaussian_delta"),
    refutes=True,
    repaired_by="gaussian/classical-calibration",
)
def e10() -> Sequence[Goal]:
    mu = 1 / conversions.classical_gaussian_multiplier(TERM, EPSILON, L)
    slack = sp.exp(-L) - divergences.gaussian_delta(TERM, EPSILON, mu)
    return [refutation(slack, ">=", positive("epsilon", "L"), epsilon="21/2", L="23/2")]
