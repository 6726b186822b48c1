"""Theorem 4.2: the risk of DP-SVRG for strongly convex objectives, step by step (P3 to P11, P14, P15)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.svrg import formulas, utility
from dpref.mechanisms import gaussian
from dpref.privacy.closed_forms import divergences
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim, limit_of, slope, total
from proofs.coordinates import counted, every_step, in_coordinates
from proofs.papers.dp_erm_revisited import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive, unit
from proofs.topics.sensitivity import parallelogram
from proofs.topics.zcdp import exp_above_line

A, B, C, D, E, F, M, N, P, Q, S, T, U, V, W, X, Y = sp.symbols("a b c d e f m n p q s t u v w x y")
ETA, G, GRAD, L, MU, R, EPSILON, LAMBDA, KAPPA, GAP, RISK = sp.symbols("eta g h L mu r epsilon Lambda kappa gap A")
MU_F, MU_R, F_STAR, F_NEXT, F_NOW, R_NEXT, R_STAR = sp.symbols("mu_F mu_r F_s F_n F_x r_n r_s")
ONE, ZERO_, TWO = sp.S.One, sp.S.Zero, sp.Integer(2)


@obligation("P3", item="Theorem 4.2, Eq. (28)")
def p3() -> Sequence[Goal]:
    r"""The distance after a step.

    $\|x-\eta g-y\|^2=\|x-y\|^2-2\eta\langle g,x-y\rangle+\eta^2\|g\|^2$ in every dimension.
    """
    sums = counted((P, (X - ETA * G - Y) ** 2), (D, (X - Y) ** 2), (Q, G * (X - Y)), (S, G**2))
    domain = positive("eta") + numbers("x", "g", "y", "q", "p", "d", "s")
    invariant = P - D + 2 * ETA * Q - ETA**2 * S
    return [every_step(invariant, "==", sums, domain, parameters=(ETA,), note="any number of coordinates")]


@obligation("P4", item="Theorem 4.2, Eq. (30)", premises=("P3",))
def p4() -> Sequence[Goal]:
    r"""Eq. (30) from Eqs. (28) and (29).

    With $\|x_t-x_*\|^2=\|x_{t-1}-x_*\|^2-2\eta\langle g_t,x_{t-1}-x_*\rangle+\eta^2\|g_t\|^2$ (28), Eq. (29) times
    $2\eta$ and $\mu_F,\mu_r\ge0$: $\|x_t-x_*\|^2\le\|x_{t-1}-x_*\|^2-2\eta[F^r(x_t)-F^r(x_*)]-2\eta\langle v_t-\nabla
    F(x_{t-1}),x_t-x_*\rangle$.
    """
    # d, n: the distances before and after; e = <v - grad F, x_t - x_*>; s the slack of Eq. (29), solved for p = <g, .>
    right = F_STAR - F_NEXT - MU_F / 2 * D - MU_R / 2 * N - E
    after = D - 2 * ETA * (ETA * Q / 2 - right + S) + ETA**2 * Q
    domain = positive("eta") + nonnegative("d", "n", "q", "s", "mu_F", "mu_r") + numbers("F_s", "F_n", "e")
    return [goal(D - 2 * ETA * (F_NEXT - F_STAR) - 2 * ETA * E - after, ">=", domain)]


@obligation("P4a", item="Theorem 4.2, Eq. (29)")
def p4a() -> Sequence[Goal]:
    r"""Eq. (29): one prox step.

    F $\mu_F$-strongly convex and L-smooth, r $\mu_r$-strongly convex, $0<\eta\le\frac1L$, $x^+=\mathrm{prox}_{\eta
    r}(x-\eta v)$, $g=\frac1\eta(x-x^+)$: $-\langle g,x-x_*\rangle+\frac\eta2\|g\|^2\le
    F^r(x_*)-F^r(x^+)-\frac{\mu_F}2\|x-x_*\|^2-\frac{\mu_r}2\|x^+-x_*\|^2-\langle v-\nabla F(x),x^+-x_*\rangle$ for
    every $x_*$, in every dimension. The difference is the slacks of strong convexity of F at x, of its smoothness, of
    the subgradient $g-v$ of r at $x^+$, and $\frac{1-\eta L}{2\eta}\|x^+-x\|^2$.
    """
    # coordinates: w = x - x_*, y = x^+ - x_*, a of grad F(x), v; eta = b / L; s, t, u the three slacks
    eta = B / L
    moved, inner = total((W - Y) ** 2), total((W - Y) * Y)
    f_next = F_NOW + total(A * (Y - W)) + L / 2 * moved - S
    f_star = F_NOW - total(A * W) + MU_F / 2 * total(W**2) + T
    r_star = R_NEXT - inner / eta + total(V * Y) + MU_R / 2 * total(Y**2) + U
    left = -total((W - Y) * W) / eta + moved / (2 * eta)
    right = f_star + r_star - f_next - R_NEXT - MU_F / 2 * total(W**2) - MU_R / 2 * total(Y**2) - total((V - A) * Y)
    domain = positive("L") + numbers("b", lo=0, hi=1, ends="(]") + numbers("w", "y", "a", "v", "F_x", "r_n")
    domain += nonnegative("mu_F", "mu_r", "s", "t", "u")
    prove = in_coordinates(((1 - B) / (2 * eta), W - Y), rest=S + T + U)
    return [goal(right - left, ">=", domain, prove, "the right side less the left one")]


@obligation("P5", item="Lemma B.2, Eq. (33)")
def p5() -> Sequence[Goal]:
    r"""A prox does not expand.

    $\|\mathrm{prox}_r(a)-\mathrm{prox}_r(b)\|\le\|a-b\|$ for closed convex r, in every dimension: with $p,q$ the two
    values, $a-p$ and $b-q$ are subgradients of r there, and $\|a-b\|^2-\|p-q\|^2$ is a square and twice the slacks of
    the two subgradient inequalities. At $a=x-\eta v$, $b=x-\eta\nabla F(x)$: $\|x_t-\hat x_t\|\le\eta\|v-\nabla
    F(x)\|$.
    """
    first = R_STAR - R_NEXT - total((A - P) * (Q - P))  # r(q) - r(p) - <a - p, q - p>
    second = R_NEXT - R_STAR - total((B - Q) * (P - Q))
    gap = total((A - B) ** 2) - total((P - Q) ** 2) - 2 * first - 2 * second
    domain = numbers("a", "b", "p", "q", "r_n", "r_s")
    sums = counted((S, (A - B) ** 2), (D, (V - F) ** 2))
    places = {A: X - ETA * V, B: X - ETA * F}
    return [
        goal(gap, ">=", domain, in_coordinates((ONE, A - B - P + Q)), "the squares, less twice the slacks"),
        every_step(
            (S - ETA**2 * D), "==", tuple((s, z, new.xreplace(places)) for s, z, new in sums),
            positive("eta") + numbers("x", "v", "f", "s", "d"), parameters=(ETA,), note="Eq. (33)",
        ),
    ]  # fmt: skip


@obligation("P6", item="Theorem 4.2, Eq. (35)")
def p6() -> Sequence[Goal]:
    r"""The square of a sum of two vectors.

    $\|a+b\|^2\le2\|a\|^2+2\|b\|^2$ in every dimension: the difference is $\|a-b\|^2$.
    """
    law, domain = parallelogram(), numbers("x", "y")
    gap = 2 * total(X**2) + 2 * total(Y**2) - total((X + Y) ** 2)
    square = total((X - Y) ** 2)

    def at_least(c: Claim) -> k.Fact:
        return k.combine(c.expr, ">=", ((-ONE, law), (ONE, k.sign(square, ">=", c.domain))), c.domain)

    return [
        goal(gap - square, "==", domain, lambda c: k.combine(c.expr, "==", ((-ONE, law),), c.domain)),
        goal(gap, ">=", domain, at_least),
    ]


def _vanishing(power: int) -> Goal:
    """``exp(-1 / (2 s^2)) / s^power`` tends to 0 with s: it is at most 2 s^(2 - power), as e^u is above its line."""
    tail, domain = sp.exp(-1 / (2 * S**2)), positive("s")
    term, most = tail / S**power, 2 * S ** (2 - power)

    def squeezed(_: Claim) -> k.Fact:
        line = k.instantiate(exp_above_line(), ((U, 1 / (2 * S**2)),), domain)
        above = ((most * tail, line), (ONE, k.sign(most * tail, ">", domain)))
        upper = k.combine(most - term, ">=", above, domain)
        return k.limit(term, S, ZERO_, ZERO_, k.sign(term, ">=", domain), upper, domain)

    return goal(limit_of(term, S, ZERO_, ONE), "==", (), squeezed, f"phi and x^{power} at the ends")


@obligation(
    "P7",
    item="Eqs. (35), (79), (84)",
    about=("divergences.normal_cdf", "gaussian-mechanism.log_density"),
    not_proved="That Phi tends to 0 and to 1, which says that the normal density integrates to one.",
)
def p7() -> Sequence[Goal]:
    r"""Noise adds its variance in every coordinate.

    $\mathbb E\|a+u\|^2=\|a\|^2+p\sigma^2$ for $u\sim N(0,\sigma^2I_p)$ independent of a. With $\varphi$ the normal
    density, $(a^2+\sigma^2)\Phi(x)-(2a\sigma+\sigma^2x)\varphi(x)$ has the slope $(a+\sigma x)^2\varphi(x)$; $\Phi$
    goes from 0 to 1, while $\varphi(x)$ and $x\varphi(x)$ vanish at both ends ($x=\frac1s$, and by symmetry), so the
    mean of $(a+\sigma x)^2$ is $a^2+\sigma^2$; p such coordinates add up.
    """
    bell = sp.exp(gaussian.log_density(TERM, X, ZERO_, ONE))
    area = (A**2 + S**2) * divergences.normal_cdf(TERM, X) - (2 * A * S + S**2 * X) * bell
    coordinates = counted((C, ONE), (N, A**2), (S, A**2 + V))
    rate = (A + S * X) ** 2 * bell
    return [
        goal(slope(area, X) - rate, "==", numbers("a", "x") + positive("s"),
             lambda c: k.derivative(area, X, rate, c.domain), "one coordinate, s = sigma"),
        _vanishing(0),
        _vanishing(1),
        every_step(
            S - N - C * V, "==", coordinates, numbers("a") + nonnegative("v", "c", "n", "s"), parameters=(V,),
            note="any number of coordinates",
        ),
    ]  # fmt: skip


@obligation("P7a", item="Theorem 4.2, Eq. (35)", premises=("smooth/co-coercivity", "P6"))
def p7a() -> Sequence[Goal]:
    r"""The variance of a sampled difference.

    $f_i$ convex and L-smooth on $\mathbb R^p$: $\|\nabla f_i(x)-\nabla f_i(y)\|^2\le2L\beta_i(x)$,
    $\beta_i(x)=f_i(x)-f_i(y)-\langle\nabla f_i(y),x-y\rangle$ (the first half of co-coercivity). At $y=x_*$, with
    $d_i=\nabla f_i(x)-\nabla f_i(\tilde x)$: $\mathbb E_i\|d_i-\mathbb E d\|^2\le\mathbb E_i\|d_i\|^2\le4L\,\mathbb
    E_i[\beta_i(x)+\beta_i(\tilde x)]\le4L[F^r(x)-F^r_*+F^r(\tilde x)-F^r_*]$, as $-\nabla F(x_*)$ is a subgradient of r
    at $x_*$.
    """
    # records: b, c of beta_i(x), beta_i(x~); s, t, u the slacks of the two bounds and of P6
    square = 2 * (2 * L * B - S) + 2 * (2 * L * C - T) - U
    sums = counted((P, B), (Q, C), (V, square))
    spread = counted((N, ONE), (P, D), (Q, D**2), (V, (D - M) ** 2))
    gaps = 4 * L * ((B + S) + (C + T)) - 4 * L * (B + C)  # a gap is beta and the slack of r's subgradient
    return [
        every_step(
            4 * L * (P + Q) - V, ">=", sums,
            positive("L") + numbers("v") + nonnegative("b", "c", "s", "t", "u", "p", "q"),
            parameters=(L,), note="squares of any number of records",
        ),
        every_step(
            V - Q + 2 * M * P - M**2 * N, "==", spread, numbers("d", "m", "p", "q", "v") + nonnegative("n"),
            parameters=(M,), note="squares around any m, coordinate by coordinate",
        ),
        goal(
            2 * (P / N) * P - (P / N) ** 2 * N, ">=", positive("n") + numbers("p"),
            note="around the mean, m = p / n, they are no more than around zero",
        ),
        goal(gaps, ">=", positive("L") + nonnegative("b", "c", "s", "t"), note="and the gaps of F^r"),
    ]  # fmt: skip


@obligation("P8", item="Theorem 4.2, Eqs. (31) to (36)", premises=("P4", "P5"))
def p8() -> Sequence[Goal]:
    r"""Eq. (36): one step in expectation.

    $2\eta^2(8L\Delta+2\sigma^2p)=16\eta^2L\Delta+4\eta^2\sigma^2p$. With $w=v_t-\nabla F(x_{t-1})$, of mean zero, and
    $\|x_t-\hat x_t\|\le\eta\|w\|$, $-2\eta\langle w,x_t-x_*\rangle\le2\eta^2\|w\|^2-2\eta\langle w,\hat
    x_t-x_*\rangle$; so Eq. (30) and $\mathbb E\|w\|^2\le8L\Delta+2\sigma^2p$ give $\mathbb
    E\|x_t-x_*\|^2\le\|x_{t-1}-x_*\|^2-2\eta a_t+ 16\eta^2L\Delta+4\eta^2\sigma^2p$, $a_t$ the gap at $x_t$ and $\Delta$
    those at $x_{t-1}$ and $\tilde x$ together.
    """
    # w = |v - grad F|, |x_t - x^_t| = eta w - s, <w, x^_t - x_t> = w (eta w - s) - t; e: the term of mean zero
    cross = 2 * ETA * (W * (ETA * W - S) - T) - 2 * ETA * E
    square = 8 * L * GAP + 2 * V * P - U
    after = D - 2 * ETA * A + 2 * ETA**2 * square
    short = positive("eta") + nonnegative("w", "s", "t") + numbers("e")
    domain = positive("eta", "L") + nonnegative("gap", "v", "p", "d", "a", "u")
    bound = D - 2 * ETA * A + 16 * ETA**2 * L * GAP + 4 * ETA**2 * V * P
    return [
        goal(2 * ETA**2 * W**2 - 2 * ETA * E - cross, ">=", short, note="Eqs. (31) to (34)"),
        goal(2 * ETA**2 * (square + U) + D - 2 * ETA * A - bound, "==", domain, note="the constants"),
        goal(bound - after, ">=", domain, note="Eq. (36)"),
    ]


def shifted() -> Goal:
    """``a_0 + sum of a_1..a_t - sum of a_0..a_(t-1) - a_t == 0``: p of the one sum, q of the other, u the next one."""
    states = ((A, sp.Symbol("B_0"), U), (B, sp.Symbol("B_0"), B), *counted((P, U), (Q, A)))
    domain = nonnegative("a", "b", "u", "p", "q", "B_0")
    return every_step(B + P - Q - A, "==", states, domain, note="the two sums, after any number of steps")


def epoch(factor: int, note: str) -> Goal:
    """Eq. (36) added up over an epoch; the variance of an answer is ``factor`` times 4 L [...] + sigma^2 p."""
    # d: |x_t - x_*|^2 from f on; a: a_t from b = a_0 on; s: their sum; v = sigma^2 p; w the slack of Eq. (36)
    after = D - 2 * ETA * U + 8 * factor * ETA**2 * L * (A + B) + 2 * factor * ETA**2 * V - W
    states = ((A, sp.Symbol("b_0"), U), (D, sp.Symbol("f_0"), after), *counted((M, ONE), (S, U)))
    own = 8 * factor * L * ETA**2
    bound = F + own * (M + 1) * B + 2 * factor * M * ETA**2 * V - (2 * ETA - own) * S
    domain = positive("eta", "L") + nonnegative("a", "b", "u", "v", "w", "m", "s") + numbers("d", "f")
    return every_step(bound - own * A - D, ">=", states, domain, parameters=(ETA, L, V, B, F), note=note)


@obligation("P9", item="Theorem 4.2, Eqs. (37) and (38)", premises=("P8",))
def p9() -> Sequence[Goal]:
    r"""An epoch, added up.

    $\sum_{t=1}^ma_{t-1}\le a_0+\sum_{t=1}^ma_t$ for $a_t\ge0$ (the difference is $a_m$),
    $m\cdot16\eta^2L+16\eta^2L=16L\eta^2(m+1)$, $2\eta-16\eta^2L=2\eta(1-8\eta L)$; so Eq. (36), with $x_0=\tilde x$,
    gives Eq. (38) after every number of steps: $\|x_m-x_*\|^2+2\eta(1-8\eta L)\sum_ta_t\le\|\tilde
    x-x_*\|^2+16L\eta^2(m+1)a_0+4m\eta^2\sigma^2p$.
    """
    return [
        shifted(),
        epoch(2, "Eq. (38), with what it drops"),
        goal(2 * ETA - 16 * ETA**2 * L - 2 * ETA * (1 - 8 * ETA * L), "==", positive("eta", "L")),
        goal(M * 16 * ETA**2 * L + 16 * ETA**2 * L - 16 * L * ETA**2 * (M + 1), "==", positive("eta", "L", "m")),
    ]  # fmt: skip


_SHORT = positive("L", "mu", "m") + unit("b") + nonnegative("v", "p")  # eta = b / (8 L)


@obligation(
    "P10",
    item="Theorem 4.2, Eq. (39)",
    about=("svrg.contraction", "svrg.noise_per_epoch"),
    premises=("P9", "P69"),
)
def p10() -> Sequence[Goal]:
    r"""An epoch contracts the risk.

    For $0<8L\eta<1$: Eq. (38) over $2m\eta(1-8L\eta)$, with $\|\tilde x-x_*\|^2\le\frac2\mu a_0$, has the factor A of
    Eq. (4) on $a_0$ and the noise $\frac{2\eta}{1-8L\eta}\sigma^2p$; so $\mathbb E F^r(\tilde x_s)-F^r_*\le A(\mathbb E
    F^r(\tilde x_{s-1})-F^r_*)+\frac{2\eta}{1-8L\eta}\sigma^2p$, since m times $F^r$ at the mean of m points is at most
    the sum of its values there (Jensen).
    """
    eta = B / (8 * L)
    divisor = 2 * M * eta * (1 - 8 * L * eta)
    factor = utility.contraction(TERM, eta, L, MU, M)
    noise = utility.noise_per_epoch(TERM, eta, L, V, P)
    spread = TWO / MU * (A - S)  # strong convexity, slack s; w the slack of Eq. (38)
    mean = (spread + 16 * L * eta**2 * (M + 1) * A + 4 * M * eta**2 * V * P - W) / divisor
    convex = ((N, ONE, N + 1), (F, sp.Symbol("y"), (N * F + U) / (N + 1) - S), (Q, sp.Symbol("y"), Q + U))
    return [
        goal((TWO / MU + 16 * L * eta**2 * (M + 1)) / divisor - factor, "==", _SHORT, note="A"),
        equal(4 * M * eta**2 * V * P / divisor, noise, _SHORT, "the noise"),
        goal(factor * A + noise - mean, ">=", _SHORT + nonnegative("a", "s", "w"), note="Eq. (39)"),
        every_step(
            Q - N * F, ">=", convex, numbers("n", lo=1, ends="[)") + numbers("f", "u", "q", "y") + nonnegative("s"),
            note="Jensen, one more point at a time: f the value at the mean of n points, q the sum of their values",
        ),
    ]  # fmt: skip


@obligation("P11", item="Theorem 4.2, after Eq. (39)", about=("svrg.noise_per_epoch",))
def p11() -> Sequence[Goal]:
    r"""The noise of an epoch is below half of the variance over L.

    For $0<8L\eta<1$: $\frac{2\eta}{1-8L\eta}<\frac1{2L}$ exactly for $\eta<\frac1{12L}$.
    """

    def gap(eta: sp.Expr) -> sp.Expr:
        return V * P / (2 * L) - utility.noise_per_epoch(TERM, eta, L, V, P)

    domain = positive("L", "v", "p")
    return [
        goal(gap(B / (12 * L)), ">", domain + unit("b"), note="below 1/(12 L)"),
        goal(-gap((2 + B) / (24 * L)), ">=", domain + numbers("b", lo=0, hi=1, ends="[)"), note="and from there on"),
    ]


@obligation("P14", item="Theorem 4.2, Eq. (41)", about=("svrg.risk_bound", "svrg.noise_per_epoch"), premises=("P10",))
def p14() -> Sequence[Goal]:
    r"""All epochs.

    $a_s\le Aa_{s-1}+N$, $0<A<\frac12$: $a_T\le A^Ta_0+N\frac{1-A^T}{1-A}\le A^Ta_0+2N$; with the N of Eq. (39) and
    $\eta<\frac1{12L}$ that is at most $A^Ta_0+\frac{\sigma^2p}L$ (41).
    """
    half = numbers("A", lo=0, hi=sp.Rational(1, 2))
    bound = utility.risk_bound(TERM, RISK, N, GAP, T)
    states = ((A, sp.Symbol("gap_0"), RISK * A + N - S), (T, ZERO_, T + 1))
    domain = half + nonnegative("n", "gap", "s", "t") + numbers("a")
    noise = utility.noise_per_epoch(TERM, B / (12 * L), L, V, P)
    whole = RISK**T * GAP + V * P / L - utility.risk_bound(TERM, RISK, noise, GAP, T)
    return [
        every_step(bound - A, ">=", states, domain, parameters=(RISK, N, GAP), ratio=RISK, note="every T"),
        goal(RISK**T * GAP + 2 * N - bound, ">=", half + nonnegative("n", "gap", "t")),
        goal(whole, ">=", half + nonnegative("gap", "t", "v", "p") + positive("L") + unit("b"), note="Eq. (41)"),
    ]


@obligation("P15", item="Theorem 4.2, Eq. (43)", about=("svrg.printed_variance",))
def p15() -> Sequence[Goal]:
    r"""The noise of all epochs in terms of n and epsilon.

    With $m=r\kappa$, $\kappa=L/\mu$, and $\sigma^2$ of Eq. (3) for $Tm$ steps:
    $\frac{\sigma^2p}L=rc\,\frac{pG^2T\ln(1/\delta)}{n^2\varepsilon^2\mu}$.
    """
    variance = formulas.printed_variance(TERM, C, G, T * R * L / MU, LAMBDA, N, EPSILON)
    value = R * C * P * G**2 * T * LAMBDA / (N**2 * EPSILON**2 * MU)
    domain = positive("c", "g", "T", "r", "L", "mu", "Lambda", "n", "epsilon", "p", "t")
    return [equal(variance * P / L, value, domain, "Eq. (43)")]


@obligation(
    "theorem-4.2",
    item="Theorem 4.2, Eq. (5)",
    about=("svrg.risk_bound", "svrg.noise_per_epoch", "svrg.printed_variance"),
    premises=("P4a", "P7", "P7a", "P8", "P9", "P10", "P13", "P14"),
)
def theorem_4_2() -> Sequence[Goal]:
    r"""Theorem 4.2 with its constants.

    At $\eta=\frac1{48L}$ and an $m=r\kappa$ for which $A<\frac12$ (P13): after T epochs the mean risk is at most
    $2^{-T}\Delta_0+\frac{\sigma^2p}{10L}$. With $\sigma^2$ of Eq. (3) and $2^T=\frac{n^2\varepsilon^2\mu\Delta_0}
    {pG^2\ln(1/\delta)}$ that is $\frac{pG^2\ln(1/\delta)}{n^2\varepsilon^2\mu}\big(1+\frac{rc}{10}T\big)$.
    """
    factor = 1 / (2 * (1 + X))  # A
    noise = utility.noise_per_epoch(TERM, 1 / (48 * L), L, V, P)
    risk = utility.risk_bound(TERM, factor, noise, GAP, T)
    left = N**2 * EPSILON**2 * MU * GAP / (P * G**2 * LAMBDA)
    variance = formulas.printed_variance(TERM, C, G, T * R * L / MU, LAMBDA, N, EPSILON)
    rate = P * G**2 * LAMBDA / (N**2 * EPSILON**2 * MU)
    public = positive("c", "g", "r", "L", "mu", "Lambda", "n", "epsilon", "p", "gap", "t")
    return [
        goal(GAP / 2**T + V * P / (10 * L) - risk, ">=", positive("L", "x") + nonnegative("v", "p", "gap", "t")),
        equal((GAP / left + variance * P / (10 * L)), rate * (1 + R * C * T / 10), public, "Eq. (5)"),
    ]
