"""The Gaussian mechanism: divergences, the exact privacy curve, the classical calibration."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.mechanisms import gaussian as mechanism
from dpref.privacy.closed_forms import conversions, divergences
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.coq.taken import by_coq
from proofs.registry import Goal, Paper, derivative, goal, proven
from proofs.search import ZERO, bisect, box, fixed, loop_value, nonnegative, numbers, positive

obligation = Paper("gaussian", "balle2018improving").obligation
X, MU, NU, ALPHA, EPSILON, L = sp.symbols("x mu nu alpha epsilon L")
_ORDER = numbers("alpha", lo=1)


def scaled_erfc() -> k.Fact:
    """``1/sqrt(pi) - y exp(y^2) erfc(y) >= 0`` for y >= 0, from Coq: Abramowitz and Stegun 1964, 7.1.13."""
    y = sp.Symbol("y")
    claim = 1 / sp.sqrt(sp.pi) - y * sp.exp(y**2) * sp.erfc(y)
    return by_coq("ErfcFacts.scaled", claim, ">=", nonnegative("y"))


def density(mean: sp.Expr) -> sp.Expr:
    """The logarithm of a normal density of variance one at x."""
    value: sp.Expr = mechanism.log_density(TERM, X, mean, sp.S.One)
    return value


def _mixture() -> sp.Expr:
    return ALPHA * density(MU) + (1 - ALPHA) * density(sp.S.Zero)


@obligation(
    "renyi",
    stated_by=("gaussian_renyi", "GaussianStatements.renyi_of_unit_noise_in_coordinates"),
    item="Table 2",
    citation="gil2013renyi",
    about=("divergences.gaussian_renyi", "gaussian-mechanism.log_density"),
    theorems=(
        proven("GaussianStatements.renyi_of_unit_noise", "a normal density integrates to one: the divergence"),
        proven("GaussianStatements.renyi_of_unit_noise_in_coordinates", "and in any number of coordinates"),
    ),
)
def renyi() -> Sequence[Goal]:
    r"""Rényi divergence of two Gaussians.

    $D_\alpha(N(\mu,1)\,\|\,N(0,1)) = \alpha\mu^2/2$ for every $\alpha>1$: completing the square gives $\alpha\ln
    p+(1-\alpha)\ln q=\ln n_{\alpha\mu}+(\alpha-1)\,\alpha\mu^2/2$ with $n_m$ the density of $N(m,1)$; with any number
    of coordinates the logarithms add up, and so do the squares of $\mu$.
    """
    square = density(ALPHA * MU) + (ALPHA - 1) * divergences.gaussian_renyi(TERM, ALPHA, MU)
    # m, n: the sums of the mixture and of ln n_(alpha mu) over the coordinates so far; r: of the squares of mu.
    m, n, r = sp.symbols("m n r")
    slack = m - n - (ALPHA - 1) * divergences.gaussian_renyi(TERM, ALPHA, sp.sqrt(r))
    added = ((m, _mixture()), (n, density(ALPHA * MU)), (r, MU**2))
    states = (*fixed(ALPHA), *((x, sp.S.Zero, x + e) for x, e in added))
    domain = _ORDER + numbers("alpha_0", lo=1) + nonnegative("r") + numbers("x", "mu", "m", "n")

    def coordinates(c: Claim) -> k.Fact:
        step = k.identity(_mixture() - square, sp.S.Zero, c.domain)
        return induction.loop(slack, "==", states, sp.S.One, ZERO, step, c.domain)

    return [
        goal(_mixture() - square, "==", _ORDER + numbers("x", "mu")),
        goal(loop_value(slack, states), "==", domain, coordinates, "any number of coordinates"),
    ]


@obligation(
    "zcdp",
    stated_by=("GaussianVector.vector_gaussian_zCDP", "GaussianVector.vector_gaussian_zCDP_least"),
    item="Proposition 1.6",
    citation="bun2016concentrated",
    about=("divergences.gaussian_zcdp", "conversions.zcdp_renyi", "gaussian-mechanism.log_density"),
    premises=("renyi",),
    theorems=(
        proven("GaussianVector.vector_gaussian_zCDP", "the Gaussian mechanism is zCDP"),
        proven("GaussianVector.vector_gaussian_zCDP_least", "with no smaller constant"),
        proven("AnyDialogues.gaussian_concentrated", "as a law that composes on any output space"),
    ),
)
def zcdp() -> Sequence[Goal]:
    r"""The Gaussian mechanism is zCDP.

    In any number of coordinates, a query of Euclidean sensitivity $\Delta$ with normal noise of standard deviation
    $\sigma$ in each is $\frac{\Delta^2}{2\sigma^2}$-zCDP, and no smaller constant will do where the answers of two
    neighbours are $\Delta$ apart. The formulas, at $\sigma=1$ and in one coordinate:
    $D_\alpha(N(\mu,1)\,\|\,N(0,1))=\rho\,\alpha$ with $\rho=\mu^2/2$ at every order, as $\alpha\ln p+(1-\alpha)\ln
    q=\ln n_{\alpha\mu}+(\alpha-1)\rho\,\alpha$.
    """
    spent = conversions.zcdp_renyi(TERM, divergences.gaussian_zcdp(TERM, MU), ALPHA)
    return [goal(_mixture() - density(ALPHA * MU) - (ALPHA - 1) * spent, "==", _ORDER + numbers("x", "mu"))]


@obligation(
    "privacy-curve",
    stated_by=(
        "gaussian_curve",
        "GaussianStatements.curve_of_unit_noise_in_coordinates",
        "GaussianVectorCurve.vector_gaussian_DP_iff",
    ),
    item="Theorem 8",
    about=(
        "divergences.gaussian_delta",
        "divergences.normal_cdf",
        "gaussian-mechanism.privacy_loss",
        "gaussian-mechanism.log_density",
    ),
    theorems=(
        proven("GaussianStatements.curve_of_unit_noise", "the curve is the least delta"),
        proven("GaussianStatements.curve_of_unit_noise_in_coordinates", "and in any number of coordinates"),
        proven(
            "GaussianVectorCurve.vector_gaussian_DP_iff", "the Gaussian mechanism is private exactly for these deltas"
        ),
    ),
)
def privacy_curve() -> Sequence[Goal]:
    r"""The exact privacy curve.

    $\delta(\varepsilon)=\Phi(\mu/2-\varepsilon/\mu)-e^\varepsilon\Phi(-\mu/2-\varepsilon/\mu)$: the privacy loss is
    $\mu x-\mu^2/2$, it exceeds $\varepsilon$ exactly for $x>\varepsilon/\mu+\mu/2$, and the two terms are the
    probabilities of that event under $N(\mu,1)$ and $N(0,1)$. A test that takes a point x with the share i gains
    $i(e^{\mathrm{loss}}-e^\varepsilon)$ times $N(0,1)$'s density, at most what the event does; that is integrated
    in Coq.
    """
    one, zero = sp.S.One, sp.S.Zero
    loss = mechanism.log_density(TERM, X, MU, one) - mechanism.log_density(TERM, X, zero, one)
    edge = EPSILON / MU + MU / 2
    curve = divergences.normal_cdf(TERM, MU - edge) - sp.exp(EPSILON) * divergences.normal_cdf(TERM, -edge)
    std = numbers("s", lo=0)
    s, t, share = sp.symbols("s t i")
    beyond, before = (mechanism.privacy_loss(TERM, edge + at, MU) for at in (t, -t))
    tests = numbers("epsilon") + positive("mu", "t") + numbers("i", lo=0, hi=1, ends="[]")
    moved = mechanism.log_density(TERM, X, MU, s) - mechanism.log_density(TERM, (X - MU) / s, zero, one)
    bell = sp.exp(mechanism.log_density(TERM, X, zero, one))
    cdf = divergences.normal_cdf(TERM, X)
    return [
        goal(loss - mechanism.privacy_loss(TERM, X, MU), "==", numbers("x", "mu")),
        goal(moved + sp.log(s), "==", numbers("x", "mu") + std, note="a change of scale"),
        goal(mechanism.privacy_loss(TERM, edge, MU) - EPSILON, "==", numbers("epsilon") + positive("mu")),
        goal((1 - share) * (sp.exp(beyond) - sp.exp(EPSILON)), ">=", tests, note="no test takes more beyond the edge"),
        goal(-share * (sp.exp(before) - sp.exp(EPSILON)), ">=", tests, note="and loses before it"),
        derivative(cdf, X, bell, numbers("x"), "Phi is an antiderivative of the density"),
        goal(divergences.gaussian_delta(TERM, EPSILON, MU) - curve, "==", numbers("epsilon") + positive("mu")),
    ]  # fmt: skip


@obligation("delta-decreasing", numbers=True, about=("divergences.gaussian_delta", "divergences.gaussian_delta_slope"))
def delta_decreasing() -> Sequence[Goal]:
    r"""delta falls with epsilon.

    $\partial\delta/\partial\varepsilon=-e^\varepsilon\Phi(-\mu/2-\varepsilon/\mu)<0$ for every real $\varepsilon$ and
    every $\mu>0$, so that bracketing $\delta$ brackets $\varepsilon$.
    """
    domain = numbers("epsilon") + positive("mu")
    curve = divergences.gaussian_delta(TERM, EPSILON, MU)
    rate = divergences.gaussian_delta_slope(TERM, EPSILON, MU)
    return [
        derivative(curve, EPSILON, rate, domain),
        goal(-rate, ">", domain),
    ]


@obligation(
    "delta-increasing", numbers=True, about=("divergences.gaussian_delta", "divergences.gaussian_delta_mu_slope")
)
def delta_increasing() -> Sequence[Goal]:
    r"""delta grows with mu.

    $\partial\delta/\partial\mu=\varphi(\mu/2-\varepsilon/\mu)>0$, $\varphi$ the standard normal density.
    """
    domain = numbers("epsilon") + positive("mu")
    curve = divergences.gaussian_delta(TERM, EPSILON, MU)
    bell = sp.exp(mechanism.log_density(TERM, MU / 2 - EPSILON / MU, sp.S.Zero, sp.S.One))
    rate = divergences.gaussian_delta_mu_slope(TERM, EPSILON, MU)
    return [
        derivative(curve, MU, bell, domain),
        derivative(curve, MU, rate, domain, "the library's slope, which Newton's method uses"),
        goal(rate, ">", domain),
    ]  # fmt: skip


@obligation(
    "composition",
    item="Corollary 3.3",
    about=("divergences.gaussian_renyi", "gaussian-mechanism.privacy_loss", "gaussian-mechanism.log_density"),
    premises=("renyi", "privacy-curve"),
    theorems=(
        proven(
            "GaussianComposition.adaptive_answers_gaussian", "the next query may be chosen after the answers so far"
        ),
        proven("GaussianStatements.curve_of_two_answers", "the curve of two answers"),
    ),
    not_proved="For a next query that depends on the answers in a way that has no improper Riemann integrals: Dong, "
    "Roth and Su 2022, Theorem 3.2.",
)
def composition() -> Sequence[Goal]:
    r"""Gaussians compose to a Gaussian.

    Answers with $\mu_1,\mu_2$ have the joint privacy loss of one answer with $\mu^2=\mu_1^2+\mu_2^2$ along the
    direction $(\mu_1,\mu_2)/\mu$, in which two independent standard normal coordinates are standard normal: the joint
    log-density is that of the direction and of the one across. So their divergences are those of one answer (the Rényi
    divergence and the privacy curve of the premises), and the moments $e^{(\alpha-1)D_\alpha}$ multiply. That the
    second query may be chosen after the first answer is proved in Coq.
    """
    y = sp.Symbol("y")
    norm, one, zero = sp.sqrt(MU**2 + NU**2), sp.S.One, sp.S.Zero
    along, across = (MU * X + NU * y) / norm, (NU * X - MU * y) / norm

    def pair(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        return mechanism.log_density(TERM, left, zero, one) + mechanism.log_density(TERM, right, zero, one)

    means = pair(X - MU, y - NU) - pair(X, y)
    joint = mechanism.privacy_loss(TERM, along, norm)
    first, second, whole = (sp.exp((ALPHA - 1) * divergences.gaussian_renyi(TERM, ALPHA, mu)) for mu in (MU, NU, norm))
    domain = numbers("x", "y") + positive("mu", "nu")
    return [
        goal(means - joint, "==", domain, note="the joint privacy loss"),
        goal(pair(X, y) - pair(along, across), "==", domain, note="the joint density, along and across"),
        goal(whole - first * second, "==", _ORDER + positive("mu", "nu"), note="the moments multiply"),
    ]


@obligation(
    "classical-calibration",
    published="Theorem A.1",
    item="Theorem A.1",
    citation="dwork2014foundations",
    about=("conversions.classical_gaussian_multiplier", "divergences.gaussian_delta"),
    not_proved="Smaller epsilon and smaller delta: the box is what ball arithmetic covers.",
)
def classical_calibration() -> Sequence[Goal]:
    r"""The classical calibration holds for epsilon up to one.

    Gaussian noise of standard deviation $\sigma\ge\frac{c\Delta_2}\varepsilon$ with $c^2>2\ln\frac{1.25}\delta$ is
    $(\varepsilon,\delta)$-DP for every $\varepsilon\in(0,1)$. The formulas have the border,
    $\frac\sigma{\Delta_2}=\frac1\varepsilon\sqrt{2\ln(1.25/\delta)}$, for every $\varepsilon\in[\frac1{20},1]$ and
    $\delta\in[e^{-30},e^{-1}]$.
    """
    mu = 1 / conversions.classical_gaussian_multiplier(TERM, EPSILON, L)
    slack = 1 - sp.exp(L) * divergences.gaussian_delta(TERM, EPSILON, mu)
    tail = (EPSILON / mu) ** 2 / 2 - (L + sp.log(5) - 2 * sp.log(2))
    return [
        goal(slack, ">", box(epsilon=(sp.Rational(1, 20), 1), L=(1, 30)), bisect, "1 - delta(epsilon) / delta"),
        goal(tail, "==", positive("epsilon", "L"), note="(sigma epsilon)^2 / 2 = ln(1.25 / delta)"),
    ]
