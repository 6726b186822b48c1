"""Rényi divergences and conversions: closed forms as sums over pieces, bounds with their citations."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.closed_forms import conversions, divergences
from dpref.privacy.renyi import divergences as renyi
from dpref.privacy.renyi import subsampled_gaussian, without_replacement
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.registry import Goal, cited, derivative, goal, obligation, proven, read_as
from proofs.search import States, fixed, loop_value, numbers, positive, sum_of_squares
from proofs.topics.convexity import BETA, Y, bernoulli, moment, nothing, two_points
from proofs.topics.zcdp import exp_above_line, spare

ALPHA, S, X, EPSILON, Q, V, D, L, MU, RHO, T = sp.symbols("alpha s x epsilon q v D L mu rho t")
_ORDER = numbers("alpha", lo=1)


@obligation(
    "renyi/laplace",
    published="Proposition 6",
    item="Proposition 6",
    citation="mironov2017renyi",
    about=("renyi.laplace_renyi",),
    not_proved="That the integral is the sum of its three pieces, each the difference of a primitive at its ends.",
)
def laplace() -> Sequence[Goal]:
    r"""Rényi divergence of Laplace noise.

    The moment $\int p^\alpha q^{1-\alpha}$ of $\mathrm{Lap}(s,1)$ against $\mathrm{Lap}(0,1)$ is
    $\frac12e^{(\alpha-1)s}+\frac12e^{-\alpha s}+\frac12e^{-\alpha
    s}\int_0^se^{(2\alpha-1)x}dx=\frac\alpha{2\alpha-1}e^{(\alpha-1)s}+\frac{\alpha-1}{2\alpha-1}e^{-\alpha s}$.
    The divergence is by definition its logarithm over $\alpha-1$.
    """
    domain = _ORDER + positive("s")
    rate = 2 * ALPHA - 1
    between = sp.exp(-ALPHA * S) * (sp.exp(rate * S) - 1) / rate
    moment = (sp.exp((ALPHA - 1) * S) + sp.exp(-ALPHA * S) + between) / 2
    closed = sp.exp((ALPHA - 1) * renyi.laplace_renyi(TERM, ALPHA, S))
    inner, primitive = sp.exp(rate * X), sp.exp(rate * X) / rate
    return [
        derivative(primitive, X, inner, _ORDER + numbers("x"), "the piece between the two centres"),
        goal(moment - closed, "==", domain, note="the three pieces add up"),
    ]  # fmt: skip


read_as(
    "renyi.randomised_response_renyi",
    lambda: [renyi.randomised_response_renyi(TERM, ALPHA, EPSILON, n) for n in (2, 5)],
)


@obligation(
    "renyi/randomised-response",
    item="Proposition 5",
    citation="bun2016concentrated",
    about=("renyi.randomised_response_renyi", "renyi.pure_renyi"),
    premises=("renyi/bounded-range",),
)
def randomised_response() -> Sequence[Goal]:
    r"""Rényi divergence of randomised response, and of any pure mechanism.

    $\sum p^\alpha q^{1-\alpha}=\frac{e^{\alpha\varepsilon}+e^{(1-\alpha)\varepsilon}+k-2}{e^\varepsilon+k-1}$: one
    answer of k is $e^\varepsilon$ times likelier, one as much less, all others as likely. The ratios of an
    $\varepsilon$-DP mechanism lie in $[e^{-\varepsilon},e^\varepsilon]$, of range $2\varepsilon$, and the two points
    with those ratios and mean one are randomised response with two answers: no $\varepsilon$-DP mechanism on a finite
    output space has a larger divergence.
    """
    answers = sp.Symbol("k")
    domain = _ORDER + positive("epsilon")
    total = sp.exp(EPSILON) + answers - 1
    terms = (sp.exp(ALPHA * EPSILON) + sp.exp((1 - ALPHA) * EPSILON) + answers - 2) / total
    closed = sp.exp((ALPHA - 1) * renyi.randomised_response_renyi(TERM, ALPHA, EPSILON, answers))
    low, share = sp.exp(-EPSILON), 1 / (1 + sp.exp(EPSILON))
    points = (1 - share) * low**ALPHA + share * (low * sp.exp(2 * EPSILON)) ** ALPHA
    return [
        goal(
            moment(sp.exp(EPSILON) / total, 1 / total) + moment(1 / total, sp.exp(EPSILON) / total)
            + (answers - 2) * moment(1 / total, 1 / total) - terms, "==", domain + numbers("k", lo=2, ends="[)"),
            note="the sum over k answers",
        ),
        goal(terms - closed, "==", domain + numbers("k", lo=2, ends="[)"), note="the library's formula"),
        goal((1 - share) * low + share * low * sp.exp(2 * EPSILON) - 1, "==", domain, note="two points of mean one"),
        goal(points - sp.exp((ALPHA - 1) * renyi.pure_renyi(TERM, ALPHA, EPSILON)), "==", domain, note="their moment"),
    ]  # fmt: skip


_J, _SHARE = sp.symbols("j m")
_LOW, _HIGH = sp.exp(-T), sp.exp(EPSILON - T)
_RATIO = _LOW * (1 + _J * (sp.exp(EPSILON) - 1))  # j of the way from the lowest to the highest
_SUMS = sp.symbols("Q P M")  # of q, of p and of p^alpha q^(1 - alpha)


def _chord() -> sp.Expr:
    """The sums' moment if all ratios were the lowest or the highest, less their moment."""
    ends = (_HIGH**ALPHA - _LOW**ALPHA) / (_HIGH - _LOW)
    return _SUMS[0] * _LOW**ALPHA + (_SUMS[1] - _LOW * _SUMS[0]) * ends - _SUMS[2]


def _below_chord(c: Claim, states: States) -> k.Fact:
    """An outcome adds q times what the chord is above x^alpha at its ratio: the tangent there, at both ends."""
    log = sp.log(1 + _J * (sp.exp(EPSILON) - 1))
    low, high = (k.instantiate(bernoulli(), ((Y, y), (BETA, ALPHA - 1)), c.domain) for y in (-log, EPSILON - log))
    step = Q * ((1 - _J) * _LOW**ALPHA + _J * _HIGH**ALPHA - _RATIO**ALPHA)
    at = Q * _RATIO**ALPHA
    fact = k.combine(step, ">=", ((at * (1 - _J), low), (at * _J, high)), c.domain)
    return induction.loop(_chord(), ">=", states, sp.S.One, nothing(c, states), fact, c.domain)


@obligation(
    "renyi/bounded-range",
    stated_by=("bounded_range",),
    citation="cesar2021bounding",
    about=("conversions.bounded_range_zcdp", "conversions.zcdp_renyi"),
    theorems=(proven("Concentrated.bounded_range_zcdp", "bounded range is zCDP"),),
)
def bounded_range() -> Sequence[Goal]:
    r"""Bounded range is zCDP with an eighth of its square.

    On finite output spaces, with likelihood ratios in $[e^{-t},e^{\varepsilon-t}]$: the chord of $x^\alpha$ lies above
    it, so that the moment is at most that of two points with those ratios, however many outcomes there are; with masses
    $1-m$ and m and mean one that is $(1+mA)(1+mB)^{-\alpha}$, $A=e^{\alpha\varepsilon}-1$, $B=e^\varepsilon-1$.
    $f(\alpha)=\frac{\alpha(\alpha-1)\varepsilon^2}8-\ln(1+mA)+\alpha\ln(1+mB)$ vanishes at 0 and 1, and
    $f''=\frac{\varepsilon^2}4\big(\frac{1-m-me^{\alpha\varepsilon}}{1-m+me^{\alpha\varepsilon}}\big)^2\ge0$: $f\ge0$
    beyond, which is $\frac{\varepsilon^2}8$-zCDP.
    """
    many, one = sp.exp(ALPHA * EPSILON) - 1, sp.exp(EPSILON) - 1
    p, low = Q * _RATIO, 1 / (1 + _SHARE * one)
    added = (Q, p, moment(p, Q))
    states = (*fixed(ALPHA, EPSILON, T), *((x, sp.S.Zero, x + e) for x, e in zip(_SUMS, added, strict=True)))
    domain = _ORDER + positive("epsilon", "epsilon_0", "q") + numbers("t", "t_0") + numbers("alpha_0", lo=1)
    domain += numbers("j", lo=0, hi=1, ends="[]") + numbers(*(x.name for x in _SUMS))
    two = positive("epsilon") + numbers("m", lo=0, hi=1, ends="[]")
    rho = conversions.bounded_range_zcdp(TERM, EPSILON)
    log = sp.log(1 + _SHARE * many) - ALPHA * sp.log(1 + _SHARE * one)
    masses = (1 - _SHARE) * low**ALPHA + _SHARE * (low * sp.exp(EPSILON)) ** ALPHA
    return [
        goal(loop_value(_chord(), states), ">=", domain, lambda c: _below_chord(c, states), "two points are the worst"),
        goal(masses - sp.exp(log), "==", _ORDER + two, note="their moment"),
        goal((1 - _SHARE) * low + _SHARE * low * sp.exp(EPSILON) - 1, "==", two, note="of mean one"),
        goal(
            (ALPHA - 1) * conversions.zcdp_renyi(TERM, rho, ALPHA) - log, ">=",
            numbers("alpha", lo=1, ends="[)") + two, lambda _: two_points(), "the logarithm of their moment",
        ),
    ]  # fmt: skip


@obligation(
    "renyi/pure-zcdp",
    stated_by=("Concentrated.pure_zcdp",),
    item="Proposition 1.4",
    citation="bun2016concentrated",
    about=("conversions.pure_zcdp", "conversions.zcdp_renyi"),
    premises=("renyi/bounded-range",),
    theorems=(proven("Concentrated.pure_zcdp", "pure privacy is zCDP"),),
)
def pure_zcdp() -> Sequence[Goal]:
    r"""Pure DP is zCDP.

    $\varepsilon$-DP implies $\frac12\varepsilon^2$-zCDP on finite output spaces: its ratios have the range
    $2\varepsilon$, and $\frac{(2\varepsilon)^2}8=\frac{\varepsilon^2}2$.
    """
    domain = numbers("alpha", lo=1, ends="[)") + positive("epsilon") + numbers("m", lo=0, hi=1, ends="[]")
    many, one = sp.exp(2 * ALPHA * EPSILON) - 1, sp.exp(2 * EPSILON) - 1
    points = sp.log(1 + _SHARE * many) - ALPHA * sp.log(1 + _SHARE * one)
    divergence = conversions.zcdp_renyi(TERM, conversions.pure_zcdp(TERM, EPSILON), ALPHA)
    return [
        goal(
            (ALPHA - 1) * divergence - points, ">=", domain,
            lambda c: k.instantiate(two_points(), ((EPSILON, 2 * EPSILON),), c.domain), "two points of range 2 epsilon",
        )
    ]  # fmt: skip


@obligation(
    "renyi/to-dp",
    item="Proposition 3",
    citation="mironov2017renyi",
    about=(
        "conversions.renyi_delta",
        "conversions.renyi_epsilon",
        "conversions.zcdp_delta",
        "conversions.zcdp_rho_optimised",
    ),
    theorems=(
        proven("Conversion.renyi_to_dp", "a divergence of order alpha is (epsilon, delta)-DP, on finite output spaces"),
        proven("Conversion.zcdp_to_dp", "zCDP is (epsilon, delta)-DP, on finite output spaces"),
    ),
    premises=("zcdp/to-dp-optimised",),
)
def to_dp() -> Sequence[Goal]:
    r"""Rényi to approximate DP, and back to delta.

    $\delta=e^{(\alpha-1)(D_\alpha-\varepsilon)}$ is above the optimised conversion's, and $\varepsilon=D_\alpha+\frac
    L{\alpha-1}$ inverts it. For $\rho$-zCDP no order gives less than $e^{-(\varepsilon-\rho)^2/(4\rho)}$, attained at
    $\varepsilon=\rho(2\alpha-1)$; the optimised $\rho$ spends $\delta$ exactly.
    """
    domain = _ORDER + numbers("D") + positive("L")
    inverse = conversions.renyi_epsilon(TERM, D, ALPHA, L)
    delta, least = conversions.renyi_delta(TERM, D, ALPHA, EPSILON), conversions.zcdp_delta(TERM, RHO, EPSILON)
    curve = conversions.renyi_delta(TERM, conversions.zcdp_renyi(TERM, RHO, ALPHA), ALPHA, EPSILON)
    rho = conversions.zcdp_rho_optimised(TERM, EPSILON, ALPHA, L)
    spent = conversions.renyi_delta_optimised(TERM, conversions.zcdp_renyi(TERM, rho, ALPHA), ALPHA, EPSILON)
    square = (RHO, ALPHA - (EPSILON + RHO) / (2 * RHO))
    best = {EPSILON: RHO * (2 * ALPHA - 1)}
    return [
        goal(
            delta - conversions.renyi_delta_optimised(TERM, D, ALPHA, EPSILON), ">", _ORDER + numbers("D", "epsilon"),
            _markov, "the plain conversion is the weaker one",
        ),
        goal(conversions.renyi_delta(TERM, D, ALPHA, inverse) - sp.exp(-L), "==", domain),
        goal(
            sp.log(curve) - sp.log(least), ">=", _ORDER + positive("rho", "epsilon"),
            sum_of_squares(square), "no order gives less",
        ),
        goal((curve - least).subs(best), "==", _ORDER + positive("rho"), note="attained"),
        goal(spent - sp.exp(-L), "==", _ORDER + positive("epsilon", "L"), note="delta is spent"),
    ]  # fmt: skip


def _markov(c: Claim) -> k.Fact:
    """The ratio of the two is ``alpha^alpha / (alpha - 1)^(alpha - 1)``, the exponential of `spare` at alpha - 1."""
    room = k.instantiate(spare(), ((S, ALPHA - 1),), c.domain)
    line = k.instantiate(exp_above_line(), ((sp.Symbol("u"), room.claim.expr),), c.domain)
    optimised = conversions.renyi_delta_optimised(TERM, D, ALPHA, EPSILON)
    return k.combine(c.expr, ">", ((optimised, line), (optimised, room)), c.domain)


@obligation(
    "renyi/generalized-gaussian",
    citation="gil2013renyi",
    about=("divergences.regular_gaussian_renyi", "divergences.gaussian_renyi"),
    premises=("private-online-frank-wolfe/PO-9",),
    theorems=(
        proven("GaussianStatements.renyi_of_unit_noise_in_coordinates", "the closed form of the Euclidean case"),
    ),
)
def generalized_gaussian() -> Sequence[Goal]:
    r"""Rényi divergence of generalised Gaussian noise.

    $D_\alpha\le\alpha\kappa\mu^2/2$ for noise $\propto e^{-\lVert z\rVert_+^2/2}$ under a $\kappa$-regular norm (PO-9);
    with $\kappa=1$ it is the Gaussian mechanism's.
    """
    gap = divergences.regular_gaussian_renyi(TERM, ALPHA, MU, sp.S.One) - divergences.gaussian_renyi(TERM, ALPHA, MU)
    return [
        goal(gap, "==", _ORDER + numbers("mu")),
    ]


read_as(
    "subsampled-gaussian.integer_moment", lambda: [subsampled_gaussian.integer_moment(TERM, n, Q, V) for n in (2, 4)]
)


@obligation(
    "renyi/sampled-gaussian",
    item="Section 3.3",
    citation="mironov2019sampled",
    about=("subsampled-gaussian.integer_moment",),
    premises=("gaussian/renyi",),
    not_proved="Larger integer orders, by the same sum; fractional orders, which are enclosed by rigorous integration.",
)
def sampled_gaussian() -> Sequence[Goal]:
    r"""The sampled Gaussian's moment at the orders 2 to 6.

    For $\alpha=2,\dots,6$: $\mathbb E(1-q+qr)^\alpha=\sum_k\binom\alpha kq^k(1-q)^{\alpha-k}\mathbb Er^k$ with $\mathbb
    Er^k=e^{k(k-1)/(2\sigma^2)}$, minus one; removal is the worse direction at every order.
    """
    domain = numbers("q", lo=0, hi=1, ends="[]") + positive("v")

    def moment(n: int) -> sp.Expr:
        terms = (
            sp.binomial(n, j) * Q**j * (1 - Q) ** (n - j) * sp.exp(sp.Integer(j * (j - 1)) * V / 2)
            for j in range(n + 1)
        )
        return sum(terms, sp.S.Zero) - 1 - subsampled_gaussian.integer_moment(TERM, n, Q, V)

    return [
        *(goal(moment(n), "==", domain, note=f"order {n}") for n in range(2, 7)),
        cited(
            "the sampled pair dominates, and removal is the worse direction (Theorems 4 and 5)", "mironov2019sampled"
        ),
    ]


@obligation(
    "renyi/without-replacement",
    item="Theorem 9",
    citation="wang2019subsampled",
    about=("without-replacement.mixture_bound", "without-replacement.difference_bound", "renyi.weak_triangle"),
    theorems=(
        proven("EventAmplification.amplification_on", "amplification at integer orders (Theorem 9), any output space"),
    ),
)
def sampling_without_replacement() -> Sequence[Goal]:
    r"""Sampling without replacement.

    Wang, Balle and Kasiviswanathan's bound at integer orders; for small shifts
    $\frac{4\alpha^2+(2\alpha-1)^2}{\alpha-1}\gamma^2s^2$ is the weak triangle inequality of two mixtures,
    $\frac{2\alpha-1}{2(\alpha-1)}D_{2\alpha}+D_{2\alpha-1}$.
    """
    domain = _ORDER + positive("q", "s")
    first = without_replacement.mixture_bound(TERM, 2 * ALPHA, Q, S)
    second = without_replacement.mixture_bound(TERM, 2 * ALPHA - 1, Q, S)
    found = without_replacement.difference_bound(TERM, ALPHA, Q, S)
    return [
        goal(found - renyi.weak_triangle(TERM, ALPHA, first, second), "==", domain, note="two mixtures"),
    ]
