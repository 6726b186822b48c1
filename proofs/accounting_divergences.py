"""Rényi divergences and conversions: closed forms as sums over pieces, bounds with their citations."""

# ruff: noqa: D103 - the statement of an obligation is its documentation

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy import conversions, divergences, renyi, subsampled_gaussian, without_replacement
from dpref.reals import TERM
from proofs import kernel as k
from proofs.algebra import slope
from proofs.registry import Goal, cited, goal, obligation, reader
from proofs.search import numbers, positive

ALPHA, S, X, EPSILON, Q, V, D, L, MU, RHO = sp.symbols("alpha s x epsilon q v D L mu rho")
_ORDER = numbers("alpha", lo=1)


@obligation(
    "renyi/laplace",
    item="Proposition 6",
    title="Rényi divergence of Laplace noise",
    statement=r"The moment $\int p^\alpha q^{1-\alpha}$ of $\mathrm{Lap}(s,1)$ against $\mathrm{Lap}(0,1)$ is "
    r"$\frac12e^{(\alpha-1)s}+\frac12e^{-\alpha s}+\frac12e^{-\alpha "
    r"s}\int_0^se^{(2\alpha-1)x}dx=\frac\alpha{2\alpha-1}"
    r"e^{(\alpha-1)s}+\frac{\alpha-1}{2\alpha-1}e^{-\alpha s}$.",
    citation="mironov2017renyi",
    about=("dpref.privacy.renyi.laplace_renyi",),
)
def laplace() -> Sequence[Goal]:
    domain = _ORDER + positive("s")
    rate = 2 * ALPHA - 1
    between = sp.exp(-ALPHA * S) * (sp.exp(rate * S) - 1) / rate
    moment = (sp.exp((ALPHA - 1) * S) + sp.exp(-ALPHA * S) + between) / 2
    closed = sp.exp((ALPHA - 1) * renyi.laplace_renyi(TERM, ALPHA, S))
    inner, primitive = sp.exp(rate * X), sp.exp(rate * X) / rate
    return [
        goal(
            slope(primitive, X) - inner, "==", _ORDER + numbers("x"),
            lambda c: k.derivative(primitive, X, inner, c.domain), "the piece between the two centres",
        ),
        goal(moment - closed, "==", domain, note="the three pieces add up"),
        cited("the divergence is the logarithm of the moment over alpha - 1 (Proposition 6)", "mironov2017renyi"),
    ]  # fmt: skip


@reader("dpref.privacy.renyi.randomised_response_renyi")
def read_response() -> Sequence[sp.Expr]:
    return [renyi.randomised_response_renyi(TERM, ALPHA, EPSILON, n) for n in (2, 5)]


@obligation(
    "renyi/randomised-response",
    item="Proposition 5",
    title="Rényi divergence of randomised response",
    statement=r"$\sum p^\alpha "
    r"q^{1-\alpha}=\frac{e^{\alpha\varepsilon}+e^{(1-\alpha)\varepsilon}+k-2}{e^\varepsilon+k-1}$: "
    r"one answer is $e^\varepsilon$ times likelier, one as much less, all others as likely; with two answers it is the "
    r"largest divergence of any $\varepsilon$-DP mechanism.",
    citation="bun2016concentrated",
    about=("dpref.privacy.renyi.randomised_response_renyi", "dpref.privacy.renyi.pure_renyi"),
)
def randomised_response() -> Sequence[Goal]:
    domain = _ORDER + positive("epsilon")

    def gap(n: int) -> sp.Expr:
        total = sp.exp(EPSILON) + n - 1
        truth = sp.exp(ALPHA * EPSILON) / total
        other = sp.exp((1 - ALPHA) * EPSILON) / total
        closed = sp.exp((ALPHA - 1) * renyi.randomised_response_renyi(TERM, ALPHA, EPSILON, n))
        return truth + other + (n - 2) / total - closed

    return [
        *(goal(gap(n), "==", domain, note=f"{n} answers") for n in (2, 3, 5)),
        goal(
            renyi.pure_renyi(TERM, ALPHA, EPSILON) - renyi.randomised_response_renyi(TERM, ALPHA, EPSILON, 2),
            "==", domain,
        ),
        cited("two answers are the worst case of epsilon-DP (Proposition 3.3)", "bun2016concentrated"),
    ]  # fmt: skip


@obligation(
    "renyi/bounded-range",
    title="Rényi divergence of bounded range",
    statement=r"The likelihood ratio lies in $[e^{-t},e^{\varepsilon-t}]$; two points of masses $1-q$ and q with "
    r"mean one "
    r"give the moment $(1+qA)/(1+qB)^\alpha$, $A=e^{\alpha\varepsilon}-1$, $B=e^\varepsilon-1$, which is stationary "
    r"in q "
    r"at $q=\frac{A-\alpha B}{(\alpha-1)AB}$ and has the closed form's value there; its limit in zCDP is "
    r"$\varepsilon^2/8$.",
    citation="cesar2021bounding",
    about=("dpref.privacy.conversions.bounded_range_zcdp",),
    not_proved="That a convex function of a ratio in an interval is largest at two points.",
)
def bounded_range() -> Sequence[Goal]:
    a, b = sp.symbols("A B")
    domain = positive("A", "B") + _ORDER
    at = (a - ALPHA * b) / ((ALPHA - 1) * a * b)
    rate = a * (1 + at * b) - ALPHA * b * (1 + at * a)
    return [
        goal(rate, "==", domain, note="the numerator of the moment's derivative in q"),
        goal(conversions.bounded_range_zcdp(TERM, EPSILON) * 8 - EPSILON**2, "==", positive("epsilon")),
        cited("bounded range to zCDP, by Hoeffding's lemma", "cesar2021bounding"),
    ]


@obligation(
    "renyi/pure-zcdp",
    item="Proposition 1.4",
    title="Pure DP is zCDP",
    statement=r"$\varepsilon$-DP implies $\frac12\varepsilon^2$-zCDP.",
    citation="bun2016concentrated",
    about=("dpref.privacy.conversions.pure_zcdp",),
)
def pure_zcdp() -> Sequence[Goal]:
    return [
        goal(2 * conversions.pure_zcdp(TERM, EPSILON) - EPSILON**2, "==", positive("epsilon")),
        cited("epsilon-DP implies epsilon^2/2-zCDP (Proposition 1.4)", "bun2016concentrated"),
    ]


@obligation(
    "renyi/to-dp",
    item="Proposition 3",
    title="Rényi to approximate DP, and back to delta",
    statement=r"$\delta=e^{(\alpha-1)(D_\alpha-\varepsilon)}$ and $\varepsilon=D_\alpha+\frac L{\alpha-1}$ are "
    r"inverse to "
    r"each other, and so are the zCDP forms.",
    citation="mironov2017renyi",
    about=(
        "dpref.privacy.conversions.renyi_delta",
        "dpref.privacy.conversions.zcdp_delta",
        "dpref.privacy.conversions.zcdp_rho_optimised",
    ),
    premises=("zcdp/to-dp-optimised",),
)
def to_dp() -> Sequence[Goal]:
    domain = _ORDER + numbers("D") + positive("L")
    inverse = conversions.renyi_epsilon(TERM, D, ALPHA, L)
    best = 1 + (EPSILON - RHO) / (2 * RHO)
    curve = conversions.renyi_delta(TERM, conversions.zcdp_renyi(TERM, RHO, best), best, EPSILON)
    rho = conversions.zcdp_rho_optimised(TERM, EPSILON, ALPHA, L)
    spent = conversions.renyi_epsilon_optimised(TERM, conversions.zcdp_renyi(TERM, rho, ALPHA), ALPHA, L)
    return [
        goal(conversions.renyi_delta(TERM, D, ALPHA, inverse) - sp.exp(-L), "==", domain),
        goal(
            conversions.zcdp_delta(TERM, RHO, EPSILON) - curve, "==", positive("rho", "epsilon"),
            note="at the best order",
        ),
        goal(spent - EPSILON, "==", _ORDER + positive("epsilon", "L")),
        cited("Markov's inequality for the privacy loss's exponential (Proposition 3)", "mironov2017renyi"),
    ]  # fmt: skip


@obligation(
    "renyi/generalized-gaussian",
    title="Rényi divergence of generalised Gaussian noise",
    statement=r"$D_\alpha\le\alpha\kappa\mu^2/2$ for noise $\propto e^{-\lVert z\rVert_+^2/2}$ under a "
    r"$\kappa$-regular "
    r"norm; with $\kappa=1$ it is the Gaussian mechanism's.",
    citation="gil2013renyi",
    about=("dpref.privacy.divergences.regular_gaussian_renyi",),
    not_proved="The smoothness argument for a general norm.",
)
def generalized_gaussian() -> Sequence[Goal]:
    gap = divergences.regular_gaussian_renyi(TERM, ALPHA, MU, sp.S.One) - divergences.gaussian_renyi(TERM, ALPHA, MU)
    return [
        goal(gap, "==", _ORDER + numbers("mu")),
        cited("the closed form of the Euclidean case", "gil2013renyi"),
    ]


@reader("dpref.privacy.subsampled_gaussian.integer_moment")
def read_moment() -> Sequence[sp.Expr]:
    return [subsampled_gaussian.integer_moment(TERM, n, Q, V) for n in (2, 4)]


@obligation(
    "renyi/sampled-gaussian",
    item="Section 3.3",
    title="The sampled Gaussian's moment at integer orders",
    statement=r"$\mathbb E(1-q+qr)^\alpha=\sum_k\binom\alpha kq^k(1-q)^{\alpha-k}\mathbb Er^k$ with $\mathbb Er^k="
    r"e^{k(k-1)/(2\sigma^2)}$, minus one; removal is the worse direction at every order.",
    citation="mironov2019sampled",
    about=("dpref.privacy.subsampled_gaussian.integer_moment",),
    premises=("gaussian/renyi",),
    not_proved="Fractional orders are enclosed by rigorous integration, with proved tails, in balls.",
)
def sampled_gaussian() -> Sequence[Goal]:
    domain = numbers("q", lo=0, hi=1, ends="[]") + positive("v")

    def moment(n: int) -> sp.Expr:
        terms = (
            sp.binomial(n, j) * Q**j * (1 - Q) ** (n - j) * sp.exp(sp.Integer(j * (j - 1)) * V / 2)
            for j in range(n + 1)
        )
        return sum(terms, sp.S.Zero) - 1 - subsampled_gaussian.integer_moment(TERM, n, Q, V)

    return [
        *(goal(moment(n), "==", domain, note=f"order {n}") for n in (2, 3, 4)),
        cited(
            "the sampled pair dominates, and removal is the worse direction (Theorems 4 and 5)", "mironov2019sampled"
        ),
    ]


@reader("dpref.privacy.without_replacement.shifted_mixture")
def read_mixture() -> Sequence[sp.Expr]:
    return [without_replacement.shifted_mixture(TERM, n, Q, S) for n in (2, 3)]


@reader("dpref.privacy.without_replacement.small_shift")
def read_small_shift() -> Sequence[sp.Expr]:
    return [without_replacement.small_shift(TERM, n, Q, S) for n in (2, 3)]


@obligation(
    "renyi/without-replacement",
    item="Theorem 9",
    title="Sampling without replacement",
    statement=r"Wang, Balle and Kasiviswanathan's bound at integer orders; for small shifts "
    r"$\frac{4\alpha^2+(2\alpha-1)^2}"
    r"{\alpha-1}\gamma^2s^2$ is the weak triangle inequality of two mixtures, "
    r"$\frac{2\alpha-1}{2(\alpha-1)}D_{2\alpha}+"
    r"D_{2\alpha-1}$.",
    citation="wang2019subsampled",
    about=(
        "dpref.privacy.without_replacement.shifted_mixture",
        "dpref.privacy.without_replacement.small_shift",
        "dpref.privacy.renyi.weak_triangle",
    ),
)
def sampling_without_replacement() -> Sequence[Goal]:
    domain = positive("q", "s")

    def gap(n: int) -> sp.Expr:
        first = without_replacement.shifted_mixture(TERM, 2 * n, Q, S)
        second = without_replacement.shifted_mixture(TERM, 2 * n - 1, Q, S)
        return without_replacement.small_shift(TERM, n, Q, S) - renyi.weak_triangle(TERM, sp.Integer(n), first, second)

    return [
        *(goal(gap(n), "==", domain, note=f"order {n}") for n in (2, 3, 7)),
        cited("amplification at integer orders (Theorem 9)", "wang2019subsampled"),
    ]
