"""Theorems 3.1, 4.1 and 4.3: what sampling and noise do to privacy (P50, P51, P53, P54, P64 to P66, P68)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.svrg import formulas
from dpref.mechanisms import variance_reduced
from dpref.privacy.closed_forms import divergences
from dpref.terms import TERM
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.coordinates import counted, every_step
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.papers.dp_erm_revisited.variance_reduction import exponential_below
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import box, grow, nonnegative, numbers, positive, unit
from proofs.topics.zcdp import log_below_line

A, B, C, D, E, H, M, N, P, Q, R, S, T, U, W, X, Y = sp.symbols("a b c d e h m n p q r s t u w x y")
G, K, GAMMA, DELTA, SIGMA, LAM, LAMBDA, EPSILON = sp.symbols("G K gamma delta sigma lambda Lambda epsilon")
ONE, ZERO = sp.S.One, sp.S.Zero
_PRINTED: Final = "svrg.printed_variance"
_RANGE: Final = "svrg.largest_epsilon"
_MOVE: Final = "variance-reduced.largest_move"
_UP_TO_ONE: Final = numbers("b", lo=0, hi=1, ends="(]")


def _number(expr: sp.Expr) -> k.Fact:
    return balls.cover(expr, (), "0", 64)


@obligation("P50", numbers=True, item="Lemma B.1 (errata, E4)")
def p50() -> Sequence[Goal]:
    r"""The exponential is below its chord, e^x - 1 <= 2 x, up to about 1.2564 only.

    $e^x-1\le2x$ on $[0,1]$, and further up to a root between 1.2564 and 1.2565. From there on $e^x-1>2x$.
    """
    low, high = sp.Rational(12564, 10000), sp.Rational(12565, 10000)
    f, beyond = sp.exp(Y) - 1 - 2 * Y, numbers("y", lo=high, ends="[)")

    def above(c: Claim) -> k.Fact:
        slope = grow(sp.exp(Y) - 2, Y, c.domain, start=_number(sp.exp(high) - 2))
        rise = k.instantiate(slope, (), numbers("y", lo=high))
        return grow(f, Y, c.domain, growth=rise, start=_number(f.subs(Y, high)))

    return [
        goal(-f, ">=", box(y=(0, low)), lambda _: exponential_below(low), "up to 1.2564"),
        goal(f, ">", beyond, above, "from 1.2565 on"),
    ]


@obligation("P51", item="Lemma B.1", premises=("P50",))
def p51() -> Sequence[Goal]:
    r"""Sampling amplifies privacy by two gamma for epsilon' up to one.

    An $\varepsilon'$-DP algorithm on a random share $\gamma$ of the records is $\ln(1+\gamma(e^y-1))$-DP,
    $y=\varepsilon'$. This is at most $\gamma(e^y-1)$ for $\gamma\in[0,1]$ and $y\ge0$, and so at most $2\gamma y$ on
    $[0,1]$.
    """
    amplified, rest = GAMMA * (sp.exp(Y) - 1), numbers("gamma", lo=0, hi=1, ends="[]")
    line = k.instantiate(log_below_line(), ((X, 1 + amplified),), rest + nonnegative("y"))

    def below(c: Claim) -> k.Fact:
        return k.combine(c.expr, ">=", ((ONE, line),), c.domain)

    def both(c: Claim) -> k.Fact:
        return k.combine(c.expr, ">=", ((ONE, line), (GAMMA, exponential_below())), c.domain)

    return [
        goal(amplified - sp.log(1 + amplified), ">=", rest + nonnegative("y"), below),
        goal(2 * GAMMA * Y - sp.log(1 + amplified), ">=", rest + box(y=(0, 1)), both, "on [0, 1]"),
    ]


def _sampled_share(constant: sp.Expr) -> sp.Expr:
    """The variance of Eq. (23), G = 1."""
    return formulas.printed_variance(TERM, constant**2, ONE, K, LAMBDA, N, EPSILON)


@obligation("P53", item="Theorem 4.1, Eqs. (22) to (24)", about=(_PRINTED,))
def p53() -> Sequence[Goal]:
    r"""The condition on the order of the moment is a condition on epsilon.

    Let $\sigma_1^2=c^2\frac{K\Lambda}{n^2\varepsilon^2}$ (Eq. 23, $\Lambda=\ln\frac1\delta$),
    $\lambda=\frac{2\Lambda}\varepsilon$ and $0<\sigma_1<n$. Then $\lambda\le\sigma_1^2\ln\frac n{\sigma_1}$ (Eq. 22)
    exactly where $2n^2\varepsilon\le c^2K\ln\frac n{\sigma_1}$. The goals write h for the logarithm, which is positive.
    """
    gap = _sampled_share(C) * H - 2 * LAMBDA / EPSILON
    factor = LAMBDA / (N**2 * EPSILON**2)
    domain = positive("c", "K", "Lambda", "n", "epsilon", "h")
    return [
        goal(gap - factor * (C**2 * K * H - 2 * N**2 * EPSILON), "==", domain, note="the same condition"),
        goal(factor, ">", domain, note="times a positive number"),
        goal(sp.log(N / (N * X)), ">", positive("n") + unit("x"), note="x = sigma_1 / n"),
    ]


@obligation("P54", item="Section 6.2 of the specification")
def p54() -> Sequence[Goal]:
    r"""The best split of the noise.

    $\frac as+\frac bt\ge\frac{(\sqrt a+\sqrt b)^2}{s+t}$ for positive numbers, with equality at $s:t=\sqrt a:\sqrt b$.
    """
    gap = A / S + B / T - (sp.sqrt(A) + sp.sqrt(B)) ** 2 / (S + T)
    root = sp.sqrt(A) * T - sp.sqrt(B) * S
    domain = positive("a", "b", "s", "t")
    return [
        goal(gap, ">=", domain, lambda c: k.squares(c.expr, ((1 / (S * T * (S + T)), root),), c.domain)),
        goal(gap.subs({S: sp.sqrt(A) * U, T: sp.sqrt(B) * U}), "==", positive("a", "b", "u"), note="equality"),
    ]


@obligation("P64", item="Theorems 4.1, 5.3 and 6.1, proofs B.2 and B.3")
def p64() -> Sequence[Goal]:
    r"""The conversion of a moment to delta.

    $\alpha_M(\lambda)\le\frac{\lambda\varepsilon}2$ and $e^{-\lambda\varepsilon/2}\le\delta$ give
    $e^{\alpha_M(\lambda)-\lambda\varepsilon}\le\delta$.
    """
    moment, delta = LAM * EPSILON / 2 - S, sp.exp(-LAM * EPSILON / 2) + T
    return [goal(delta - sp.exp(moment - LAM * EPSILON), ">=", positive("lambda", "epsilon") + nonnegative("s", "t"))]


@obligation("P65", item="Theorems 4.1 and 4.3 (errata, 3.6.3)", about=(_RANGE,))
def p65() -> Sequence[Goal]:
    r"""A batch of this size brings every number of steps into the range of Theorems 4.1 and 4.3.

    With a batch of $b=n\sqrt{\frac\varepsilon{c_1K}}$ records the end of the range, $c_1(b/n)^2K$, is exactly
    $\varepsilon$. K steps then ask for $2Kb=2n\sqrt{\frac{\varepsilon K}{c_1}}$ gradients.
    """
    batch = N * sp.sqrt(EPSILON / (C * K))
    domain = positive("n", "epsilon", "c", "K")
    end = [equal(formulas.largest_epsilon(TERM, C, batch, N, K), EPSILON, domain, "the end of the range")]
    return [*end, equal(2 * K * batch, 2 * N * sp.sqrt(EPSILON * K / C), domain, "gradients")]


@obligation("P66", item="Theorem 4.1, Eqs. (19) to (22)")
def p66() -> Sequence[Goal]:
    r"""The smaller terms of the moment.

    $\lambda(\lambda+1)\le2\lambda^2$ for $\lambda\ge1$; $\frac{\lambda^3}{n^3\sigma^3}\le\frac{\lambda^2}{n^2\sigma^2}$
    exactly for $\lambda\le n\sigma$, which $\lambda\le\sigma^2\ln\frac n\sigma$ implies: $t\ln\frac1t\le\frac1e\le1$ at
    $t=\frac\sigma n$.
    """
    share = LAM**2 / (N**2 * SIGMA**2) - LAM**3 / (N**3 * SIGMA**3)
    free = positive("n", "sigma")

    def line(c: Claim) -> k.Fact:
        at = k.instantiate(log_below_line(), ((X, 1 / (U * sp.E)),), positive("u"))
        return k.combine(c.expr, ">=", ((U, at),), c.domain)

    entropy = 1 / sp.E + U * sp.log(U)  # 1/e - u ln(1/u)

    def within(c: Claim) -> k.Fact:
        at = k.instantiate(log_below_line(), ((X, N / SIGMA),), free)
        return k.combine(c.expr, ">", ((SIGMA**2, at), (ONE, k.sign(SIGMA**2, ">", free))), c.domain)

    return [
        goal(2 * LAM**2 - LAM * (LAM + 1), ">=", numbers("lambda", lo=1, ends="[)")),
        goal(share.subs(LAM, B * N * SIGMA), ">=", free + _UP_TO_ONE, note="lambda up to n sigma"),
        goal(-share.subs(LAM, (1 + B) * N * SIGMA), ">", free + positive("b"), note="and no further"),
        goal(entropy, ">=", positive("u"), line, "t ln(1/t) <= 1/e"),
        goal(N * SIGMA - SIGMA**2 * sp.log(N / SIGMA), ">", free, within, "so it is implied"),
        goal(1 - 1 / sp.E, ">", (), note="1/e < 1"),
    ]


@obligation("P68", item="S4, Theorems 4.1 and 4.3", about=(_MOVE,))
def p68() -> Sequence[Goal]:
    r"""The sensitivity of a variance-reduced answer when the record is sampled.

    $\|\frac1b(g-g')-(\frac1b-\frac1n)(h-h')\|\le\frac{4G}b-\frac{2G}n$ for gradients of norm at most G, in every
    dimension (b = 1 in the print): $(\sum_ic_i)\sum_ic_i\|v_i\|^2-\|\sum_i\pm c_iv_i\|^2$ is a sum of squares. A record
    that contributes nothing moves it by half of that, and one outside the batch by at most $\frac{2G}n$.
    """
    # c = 1/b, e = 1/b - 1/n; coordinates g, a = g', h, d = h'; sums of squares p, q, r, s, and w of the moved answer
    g, whole = sp.Symbol("g"), 2 * C + 2 * E
    sums = counted((P, g**2), (Q, A**2), (R, H**2), (S, D**2), (W, (C * (g - A) - E * (H - D)) ** 2))
    pairs = ((C * C, g + A), (C * E, g + H), (C * E, g - D), (C * E, A - H), (C * E, A + D), (E * E, H + D))
    domain = positive("c") + nonnegative("e") + numbers("g", "a", "h", "d", "p", "q", "r", "s", "w")
    means = 1 / B, (1 - X) / B  # n = b / x
    slack = [G**2 - v for v in (P, Q, R, S)]
    left = variance_reduced.largest_move(TERM, G, B, B / X, sp.Integer(2)) ** 2
    moved = (whole * (C * (slack[0] + slack[1]) + E * (slack[2] + slack[3]))).subs({C: means[0], E: means[1]})
    public = positive("G", "b") + numbers("x", lo=0, hi=1, ends="(]")

    return [
        every_step(
            whole * (C * P + C * Q + E * R + E * S) - W, ">=", sums, domain, parameters=(C, E),
            step=lambda c: k.squares(c.expr, pairs, c.domain), note="any number of coordinates",
        ),
        goal(left - moved, ">=", public + nonnegative("p", "q", "r", "s"), note="p, q, r, s: the slacks of G^2"),
        equal(
            variance_reduced.largest_move(TERM, G, B, B / X, ONE),
            (2 - X) * G / B,
            public,
            "a record that contributes nothing",
        ),
    ]  # fmt: skip


@erratum(
    "E6",
    item="Theorem 4.1, proof B.2",
    about=(_PRINTED,),
    premises=("P53",),
    repaired_by="P72",
)
def e6() -> Sequence[Goal]:
    r"""Proof B.2 checks the conditions of the lemma on sampled Gaussians.

    As printed, with $\sigma_1$ of Eq. (23) every $\varepsilon\le c_3\frac K{n^2}$ meets Eq. (22),
    $\lambda=\frac{2\Lambda}\varepsilon\le\sigma_1^2\ln\frac n{\sigma_1}$ with $\Lambda=\ln\frac1\delta$, and the lemma
    of [1], which asks for $\sigma_1\ge2$ (G = 1). Two points at $c_3=c_4=1$ show that this is not so. A very small
    $\varepsilon$ makes $\sigma_1>n$ and the logarithm negative ($n=10$, $K=1$, $\Lambda=10$, $\varepsilon=10^{-3}$). An
    $\varepsilon$ much larger than $\Lambda$ makes $\sigma_1<2$ ($K=10^4$, $\varepsilon=100$). The theorem has another
    proof for $\varepsilon\le2\Lambda$ (P72).
    """
    variance = _sampled_share(C)
    order = variance * sp.log(N / sp.sqrt(variance)) - 2 * LAMBDA / EPSILON
    domain = positive("c", "K", "Lambda", "n", "epsilon")
    return [
        refutation(order, ">=", domain, c=1, K=1, Lambda=10, n=10, epsilon="1/1000", note="(22)"),
        refutation(variance - 4, ">=", domain, c=1, K=10**4, Lambda=10, n=10, epsilon=100, note="sigma_1 >= 2 G"),
    ]


@obligation("E29", item="Algorithms 1 and 2, Eq. (47)")
def e29() -> Sequence[Goal]:
    r"""The index must be uniform.

    The boxes do not say how $i_t^s$ is picked. Uniform: the mean over i of $\nabla f(x,z_i)-\nabla f(\tilde x,z_i)+
    \nabla F(\tilde x)$ is $\nabla F(x)$ (47), coordinate by coordinate, for any number of records. Not uniform: with
    the weights $\frac13,\frac23$ on two records it is not.
    """
    # g, h: a coordinate of the two gradients of a record; p, q, r: the sums over the records, each over n
    sums = counted((P, (M - H) / N), (Q, H / N), (R, M / N))
    domain = positive("n") + numbers("m", "h", "p", "q", "r")
    biased = W * X + (1 - W) * Y - (X + Y) / 2
    return [
        every_step(P + Q - R, "==", sums, domain, parameters=(N,), note="uniform"),
        refutation(biased, "==", unit("w") + numbers("x", "y"), w="1/3", x=1, y=0, note="not uniform"),
    ]


@obligation("E33", item="Theorem 3.1", about=("divergences.gaussian_zcdp",))
def e33() -> Sequence[Goal]:
    r"""The noise of Theorem 3.1 is that of a sum.

    In [1] the noise $G\sigma$ is added to the sum of l gradients of norm at most G: to the mean that is
    $\frac{G\sigma}l$, and a step costs $\frac1{2\sigma^2}$ before sampling is counted. Read as noise on the mean,
    $G\sigma$ costs $\frac1{2l^2\sigma^2}$: the two are the same for $l=1$ only.
    """
    domain = positive("G", "sigma", "m")

    def cost(std: sp.Expr) -> sp.Expr:
        return divergences.gaussian_zcdp(TERM, G / M / std)

    return [
        equal(cost(G * SIGMA / M), 1 / (2 * SIGMA**2), domain, "on the sum, l = m"),
        equal(cost(G * SIGMA), 1 / (2 * M**2 * SIGMA**2), domain, "on the mean"),
    ]
