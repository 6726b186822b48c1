"""Wang, Ye and Xu, "Differentially Private Empirical Risk Minimization Revisited": what DP-GD rests on."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.gradient_descent import formulas as gradient_descent_formulas
from dpref.algorithms.svrg import formulas as svrg_plan_formulas
from dpref.mechanisms import gaussian as mechanism
from dpref.privacy.closed_forms import conversions, divergences
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim, Domain
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import fixed, nonnegative, numbers, positive, sum_of_squares
from proofs.sums import loop_goal
from proofs.topics.gaussian import scaled_erfc

G, N, T, EPSILON, L, LAMBDA, SIGMA, CONST = sp.symbols("G n T epsilon L lambda sigma c")
_PRINTED = "gradient-descent.printed_variance"
_SAFE = "gradient-descent.safe_variance"
_ALL = positive("G", "n", "T", "epsilon", "L")


def _sensitivity() -> sp.Expr:
    return erm.mean_gradient_sensitivity(G, N, ReplaceOne)


@obligation(
    "P47",
    item="Eqs. (19), (26)",
    about=("divergences.gaussian_renyi", "erm.mean_gradient_sensitivity"),
    premises=("gaussian/renyi", "sensitivity/replace-one"),
)
def p47() -> Sequence[Goal]:
    r"""The log moment of one noisy gradient.

    $\lambda D_{\lambda+1}=\frac{2\lambda(\lambda+1)G^2}{n^2\sigma^2}$ at shift $2G/n$ and noise $\sigma$; no less with
    less noise, no more with more.
    """
    printed = 2 * LAMBDA * (LAMBDA + 1) * G**2 / (N**2 * SIGMA**2)
    return [
        equal(
            LAMBDA * divergences.gaussian_renyi(TERM, LAMBDA + 1, _sensitivity() / SIGMA),
            printed,
            positive("lambda", "sigma", "G", "n"),
            "the printed moment",
        )
    ]


@obligation(
    "P48",
    item="Theorem 6.1, proof B.3",
    about=(_SAFE, "conversions.renyi_epsilon", _PRINTED),
    premises=("gaussian/zcdp", "zcdp/composition", "zcdp/to-dp", "sensitivity/replace-one"),
)
def p48() -> Sequence[Goal]:
    r"""DP-GD with the variance that its proof reaches is private for every epsilon.

    Let $\sigma^2=\frac{4G^2T(2L+\varepsilon)}{n^2\varepsilon^2}$, $L=\ln\frac1\delta$. At the order
    $\alpha=1+2L/\varepsilon$ the Rényi conversion of T noisy gradients, each of sensitivity $\frac{2G}n$, gives exactly
    $\varepsilon$. For $\varepsilon\le2L$ this is $2L+\varepsilon\le4L$, so that Eq. (11) with $c=16$ is enough there.
    """
    sigma2 = gradient_descent_formulas.safe_variance(TERM, _sensitivity(), T, L, EPSILON)
    order = 1 + 2 * L / EPSILON
    spent = T * divergences.gaussian_renyi(TERM, order, _sensitivity() / sp.sqrt(sigma2))
    found = conversions.renyi_epsilon(TERM, spent, order, L)
    b = sp.Symbol("b")
    gap = gradient_descent_formulas.printed_variance(TERM, sp.Integer(16), G, T, L, N, EPSILON) - sigma2
    return [
        goal(found - EPSILON, "==", _ALL),
        goal(gap.subs(EPSILON, 2 * L * b), ">=", positive("G", "n", "T", "L") + numbers("b", lo=0, hi=1, ends="(]")),
    ]


@obligation(
    "P49",
    item="Section 6.2 of the specification",
    citation="bun2016concentrated",
    about=("gradient-descent.zcdp_variance", _SAFE),
    premises=("zcdp/rho-of-epsilon", "gaussian/zcdp", "zcdp/composition"),
)
def p49() -> Sequence[Goal]:
    r"""The zCDP variance is smaller than the proof's.

    $\sigma^2=\frac{\Delta^2T}{2\rho}$, $\rho=(\sqrt{L+\varepsilon}-\sqrt L)^2$, spends exactly $\varepsilon$ by
    $\rho+2\sqrt{\rho L}$, and $\frac1{2\rho}\le\frac{2L+\varepsilon}{\varepsilon^2}$.
    """
    delta = sp.Symbol("Delta")
    domain = positive("Delta", "T", "epsilon", "L")
    sigma2 = gradient_descent_formulas.zcdp_variance(TERM, delta, T, L, EPSILON)
    spent = T * divergences.gaussian_zcdp(TERM, delta / sp.sqrt(sigma2))
    gap = gradient_descent_formulas.safe_variance(TERM, delta, T, L, EPSILON) - sigma2
    root = delta * sp.sqrt(T) * (sp.sqrt(EPSILON + L) - sp.sqrt(L)) / EPSILON
    return [
        goal(conversions.zcdp_epsilon(TERM, spent, L) - EPSILON, "==", domain),
        goal(gap, ">=", domain, sum_of_squares((sp.Rational(1, 2), root))),
    ]


def _joint_loss() -> Goal:
    """One more answer at a time: n of them, s the sum of the noisy numbers, l the sum of the privacy losses."""
    z, x, n, s, total_, first = sp.symbols("z x n s l x_1")

    def one(number: sp.Expr, multiplier: sp.Expr) -> sp.Expr:
        return mechanism.privacy_loss(TERM, number, 1 / multiplier)

    start = sp.Symbol("z_0")
    states = (
        *fixed(z),
        (n, sp.S.One, n + 1),
        (s, first, s + x),
        (total_, one(first, start), total_ + one(x, z)),
    )
    domain = positive("z", "z_0") + numbers("n", lo=1, ends="[)") + numbers("s", "l", "x", "x_1")
    invariant = total_ - mechanism.privacy_loss(TERM, s / sp.sqrt(n), sp.sqrt(n) / z)
    return loop_goal(invariant, "==", states, domain, "every number of answers: the privacy loss")


def _joint_divergence() -> Goal:
    """One more answer at a time: n of them, d the sum of their divergences."""
    z, order, n, d = sp.symbols("z alpha n d")
    start, order_0 = sp.symbols("z_0 alpha_0")
    states = (
        *fixed(z, order),
        (n, sp.S.One, n + 1),
        (d, divergences.gaussian_renyi(TERM, order_0, 1 / start), d + divergences.gaussian_renyi(TERM, order, 1 / z)),
    )
    domain = positive("z", "z_0") + numbers("alpha", "alpha_0", lo=1) + numbers("n", lo=1, ends="[)") + numbers("d")
    invariant = d - divergences.gaussian_renyi(TERM, order, sp.sqrt(n) / z)
    return loop_goal(invariant, "==", states, domain, "the Rényi divergences")


@obligation(
    "P52",
    item="Section 6.2 of the specification",
    citation="balle2018improving",
    about=("divergences.gaussian_renyi", "gaussian-mechanism.privacy_loss"),
    premises=("gaussian/renyi", "gaussian/composition", "gaussian/delta-decreasing", "gaussian/delta-increasing"),
)
def p52() -> Sequence[Goal]:
    r"""T answers are one Gaussian with mu times the square root of T.

    T answers of multiplier $z$, their queries fixed beforehand: after every number of them the privacy losses of the
    noisy numbers $x_1,\dots,x_T$ add up to the loss of the one number $\frac1{\sqrt T}\sum x_t$ (normal again) at
    $\mu=\sqrt T/z$, and the Rényi divergences add up to that of one answer with this $\mu$. Its privacy curve falls in
    $\varepsilon$ and grows in $\mu$ (premises).
    """
    return [_joint_loss(), _joint_divergence()]


def _printed_delta_slack() -> sp.Expr:
    """``delta - delta(epsilon)`` for T answers with the variance of Eq. (11)."""
    sigma2 = gradient_descent_formulas.printed_variance(TERM, CONST, G, T, L, N, EPSILON)
    mu = sp.sqrt(T * _sensitivity() ** 2 / sigma2)
    return sp.exp(-L) - divergences.gaussian_delta(TERM, EPSILON, mu)


@erratum(
    "E9",
    item="Theorem 6.1, Eq. (11)",
    about=(_PRINTED, "divergences.gaussian_delta"),
    repaired_by="P48",
)
def e9() -> Sequence[Goal]:
    r"""Eq. (11) with one constant is enough for every epsilon.

    As printed, read with $c=16$, $\sigma^2=16\,\frac{G^2T\ln(1/\delta)}{n^2\varepsilon^2}$ makes DP-GD
    $(\varepsilon,\delta)$-DP for every $\varepsilon>0$. This is false at $\varepsilon=100$, $\ln\frac1\delta=11.5$, and
    with $c=1000$ at $\varepsilon=10^4$. That no constant is enough is `dp-erm-revisited/no-constant`.
    """
    slack = _printed_delta_slack()
    return [
        refutation(slack.subs(CONST, 16), ">=", _ALL, G=1, n=1, T=1, epsilon=100, L="23/2"),
        refutation(slack.subs(CONST, 1000), ">=", _ALL, G=1, n=1, T=1, epsilon=10000, L="23/2"),
    ]


@erratum(
    "E10",
    item="Definition 3.4",
    about=("conversions.classical_gaussian_multiplier", "divergences.gaussian_delta"),
    repaired_by="gaussian/classical-calibration",
)
def e10() -> Sequence[Goal]:
    r"""The classical calibration holds without a bound on epsilon.

    As printed, $\sigma\ge\sqrt{2\ln(1.25/\delta)}\,\frac{\Delta_2}\varepsilon$ is $(\varepsilon,\delta)$-DP, with no
    restriction on $\varepsilon$. This is false at $\varepsilon=10.5$, $\delta=e^{-11.5}$.
    """
    mu = 1 / conversions.classical_gaussian_multiplier(TERM, EPSILON, L)
    slack = sp.exp(-L) - divergences.gaussian_delta(TERM, EPSILON, mu)
    return [refutation(slack, ">=", positive("epsilon", "L"), epsilon="21/2", L="23/2")]


# ------------------------------------------------------------------------------------ no constant


def _tail_bound(mu: sp.Expr, domain: Domain) -> k.Fact:
    """``1/sqrt(pi) - y exp(y^2) erfc(y) >= 0`` at ``y = mu / sqrt 2``: Mills' ratio of the normal tail."""
    return k.instantiate(scaled_erfc(), ((sp.Symbol("y"), mu / sp.sqrt(2)),), domain)


_MU, _S = sp.symbols("mu s")
_FAR = numbers("mu", lo=2, ends="[)") + nonnegative("s")


def _not_private(delta: sp.Expr, least: sp.Rational) -> k.Fact:
    """``1/2 - exp(mu^2/2) Phi(-mu) - delta > 0`` for mu >= 2, where ``least <= 0.3`` bounds delta."""
    half, root = sp.Rational(1, 2), sp.sqrt(2 * sp.pi)
    constant = half - 1 / (2 * root) - least
    parts = (
        (1 / (sp.sqrt(2) * _MU), _tail_bound(_MU, _FAR)),
        (sp.S.One, k.sign(1 / (2 * root) - 1 / (root * _MU), ">=", _FAR)),
        (sp.S.One, balls.cover(constant, (), "0", 64)),
        (sp.S.One, _below(delta, least)),
    )
    curve = half - sp.exp(_MU**2 / 2) * sp.erfc(_MU / sp.sqrt(2)) / 2
    return k.combine(curve - delta, ">", parts, _FAR)


def _below(delta: sp.Expr, least: sp.Rational) -> k.Fact:
    """``least - delta >= 0``: delta falls in s, and its value at s = 0 is a number."""
    start = delta.subs(_S, 0)
    return k.combine(
        least - delta, ">=",
        ((sp.S.One, balls.cover(least - start, (), "0", 64)), (sp.S.One, k.sign(start - delta, ">=", _FAR))), _FAR,
    )  # fmt: skip


def _middle(c: Claim) -> k.Fact:
    """``erfc(a) - 1 == 0`` for the term of the claim whose argument a is mu/2 - epsilon/mu, which is zero here."""
    x, zero = sp.Symbol("x"), sp.S.Zero
    (a,) = (e.args[0] for e in c.expr.atoms(sp.erfc) if e.args[0].subs(_MU, 3).subs(_S, 1) == 0)
    return k.congruence(sp.erfc(x), x, a, zero, k.identity(a, zero, c.domain), c.domain)


@obligation(
    "no-constant",
    item="Eqs. (3), (6), (11)",
    about=(_PRINTED, "svrg.printed_variance", "divergences.gaussian_delta"),
    premises=("gaussian/privacy-curve", "gaussian/delta-increasing"),
)
def no_constant() -> Sequence[Goal]:
    r"""No constant serves every epsilon.

    For every $c>0$: with $\mu\ge2$ so large that $\ln\frac1\delta=\frac{\mu^2}c\ge2$, at $\varepsilon=\frac{\mu^2}2$
    the exact $\delta(\varepsilon)$ of T answers with the noise of Eq. (11) is above the printed $\delta$. In the same
    way for the one epoch of P76, whose $\mu^2$ is at least $\frac{3\varepsilon^2}{c\Lambda}$: $\Lambda=\ln\frac1\delta$
    (Eq. (3)) or $\ln\frac2\delta$ (Eq. (6)) is $\frac{3\mu^2}{4c}\ge2$ or $3$. At these points
    $\delta(\varepsilon)=\frac12-e^{\mu^2/2}\Phi(-\mu)$, above $\frac3{10}$ by Mills' ratio; to any c there is such a
    $\mu$.
    """
    epsilon, steps = _MU**2 / 2, sp.Symbol("m")

    def above(curve: sp.Expr, delta: sp.Expr, *free: str) -> Goal:
        def prove(c: Claim) -> k.Fact:
            parts = ((sp.S.One, _not_private(delta, sp.Rational(3, 10))), (sp.Rational(1, 2), _middle(c)))
            return k.combine(c.expr, ">", parts, c.domain)

        return goal(curve - delta, ">", _FAR + positive(*free), prove)

    log = 2 + _S
    slack = _printed_delta_slack().subs({CONST: _MU**2 / log, L: log, EPSILON: epsilon}, simultaneous=True)
    goals = [above(sp.exp(-log) - slack, sp.exp(-log), "G", "n", "T")]  # Eq. (11), the slack of E9
    for least, times in ((2, sp.S.One), (3, sp.Integer(2))):  # Eqs. (3) and (6)
        log = least + _S
        variance = svrg_plan_formulas.printed_variance(TERM, 3 * _MU**2 / (4 * log), G, steps, log, N, epsilon)
        mu = sp.sqrt(_sensitivity() ** 2 / variance * 3 * steps / 4)
        goals.append(above(divergences.gaussian_delta(TERM, epsilon, mu), times * sp.exp(-log), "G", "n", "m"))
    return goals
