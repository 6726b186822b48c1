"""Section 6: the risk of DP-GD, with and without the PL inequality (P41 to P46, P55, P56, P70, P75)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.gradient_descent import formulas, utility
from dpref.privacy.closed_forms import divergences
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne
from proofs import kernel as k
from proofs.algebra import slope, total
from proofs.coordinates import counted, every_step, in_coordinates
from proofs.papers.dp_erm_revisited import declare, erratum, obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import nonnegative, numbers, positive, unit
from proofs.topics.zcdp import log_below_line

A, B, C, D, E, F, G, M, N, P, Q, S, T, U, V, W, X, Y, Z = sp.symbols("a b c d e f g m n p q s t u v w x y z")
L, MU, BOUND, GAP, FIRST, LAMBDA, EPSILON, KAPPA, PHI = sp.symbols("L mu G gap first Lambda epsilon kappa phi")
ONE, ZERO = sp.S.One, sp.S.Zero
_A: Final = "gradient-descent"
_NOISE: Final = f"{_A}.step_noise"
_RISK: Final = f"{_A}.risk_bound"
_PRINTED_RISK: Final = f"{_A}.risk_bound_as_printed"
_GRADIENT: Final = f"{_A}.gradient_bound"
_STEPS: Final = f"{_A}.steps_polyak_lojasiewicz"
_VARIANCE: Final = f"{_A}.printed_variance"
_SENSITIVITY: Final = "erm.mean_gradient_sensitivity"


@obligation("P41", item="Eqs. (79) and (84)", about=(_NOISE,))
def p41() -> Sequence[Goal]:
    r"""A step of 1/L along the gradient and noise.

    $-\frac1L\langle g,g+z\rangle+\frac1{2L}\|g+z\|^2=-\frac{\|g\|^2}{2L}+\frac{\|z\|^2}{2L}$ in every dimension and
    without a mean; with $\mathbb E\|z\|^2=p\sigma^2$ the noise adds $\frac{p\sigma^2}{2L}$.
    """
    step = -total(G * (G + Z)) / L + total((G + Z) ** 2) / (2 * L) + total(G**2) / (2 * L) - total(Z**2) / (2 * L)
    noise = [equal(utility.step_noise(TERM, L, V, P), P * V / (2 * L), positive("L", "v", "p"), "the noise")]
    return [goal(step, "==", positive("L") + numbers("g", "z"), in_coordinates()), *noise]


@obligation("P42", item="Eq. (80)", about=(_NOISE,), premises=("P41",))
def p42() -> Sequence[Goal]:
    r"""The PL inequality in one step.

    $\|\nabla F\|^2\ge2\mu(F-F^*)$ gives $-\frac1{2L}\|\nabla F\|^2\le-\frac\mu L(F-F^*)$, and with P41 $\mathbb E
    F(x_{k+1})-F^*\le(1-\frac\mu L)(F(x_k)-F^*)+\frac{p\sigma^2}{2L}$.
    """
    square = 2 * MU * E + S
    after = E - square / (2 * L) + P * V / (2 * L) - T  # t: the slack of smoothness
    domain = positive("L", "mu") + nonnegative("e", "s", "v", "p", "t")
    return [
        goal(square / (2 * L) - MU / L * E, ">=", domain),
        goal((1 - MU / L) * E + utility.step_noise(TERM, L, V, P) - after, ">=", domain, note="Eq. (80)"),
    ]


def _unrolled(bound: sp.Expr, note: str) -> Goal:
    """The bound after T steps, of Eq. (80) with the slack s; mu = b L."""
    states = ((A, sp.Symbol("gap_0"), (1 - B) * A + P * V / (2 * L) - S), (T, ZERO, T + 1))
    domain = positive("L") + unit("b") + nonnegative("v", "p", "gap", "t", "s") + numbers("a")
    return every_step(bound - A, ">=", states, domain, parameters=(L, B, V, P, GAP), ratio=1 - B, note=note)


def _risks() -> tuple[sp.Expr, sp.Expr]:
    """After T steps, mu = b L: as printed (Eq. 81), and unrolled exactly."""
    given = TERM, L, B * L, V, P, GAP, T
    return utility.risk_bound_as_printed(*given), utility.risk_bound(*given)


@obligation("P43", item="Theorem 6.2, Eq. (81)", about=(_RISK, _PRINTED_RISK), premises=("P42",))
def p43() -> Sequence[Goal]:
    r"""All steps.

    $a_{k+1}\le(1-q)a_k+N$, $q=\frac\mu L\in(0,1)$, $N=\frac{p\sigma^2}{2L}$: $a_T\le(1-q)^Ta_0+N\frac{1-(1-q)^T}q\le
    (1-q)^Ta_0+\min(TN,\frac Nq)$ for every T, $\frac Nq=\frac{p\sigma^2}{2\mu}$. (For $q=1$, $a_{k+1}\le N$ at once.)
    """
    printed, exact = _risks()
    domain = positive("L") + unit("b") + nonnegative("v", "p", "gap", "t")
    most = (1 - B) ** T * GAP + P * V / (2 * B * L)
    return [
        _unrolled(exact, "unrolled"),
        _unrolled(printed, "Eq. (81): T N"),
        goal(most - exact, ">=", domain, note="N / q"),
    ]


@obligation("P44", item="Theorem 6.3, Eqs. (85) and (86)", about=(_GRADIENT,), premises=("P41",))
def p44() -> Sequence[Goal]:
    r"""The steps of Theorem 6.3, added up.

    $\sum_{k<T}(F_k-F_{k+1})=F_0-F_T$, so that Eq. (85) times $\frac{2L}T$ gives $\frac1T\sum_k\mathbb E\|\nabla
    F(x_k)\|^2\le\frac{2L(F_0-F_T)}T+p\sigma^2\le\frac{2L\Delta_0}T+p\sigma^2$.
    """
    # f: F_k from `first` on, u the next; q: the sum of the squares; s the slack of Eq. (85); e = F_T - F^*
    square = 2 * L * (F - U) + P * V - S
    states = ((F, sp.Symbol("first_0"), U), *counted((T, ONE), (Q, square)))
    domain = positive("L") + numbers("f", "u", "first", "q") + nonnegative("p", "v", "s", "t")
    telescoped = ((F, sp.Symbol("first_0"), U), *counted((Q, F - U)))
    mean = (2 * L * (GAP - E) + T * P * V - W) / T
    bound = utility.gradient_bound(TERM, L, V, P, GAP, T)
    return [
        every_step(Q - FIRST + F, "==", telescoped, numbers("f", "u", "first", "q"), parameters=(FIRST,),
                   note="telescoping"),
        every_step(
            2 * L * (FIRST - F) + T * P * V - Q, ">=", states, domain, parameters=(L, P, V, FIRST), note="Eq. (86)"
        ),
        goal(bound - mean, ">=", positive("L", "t") + nonnegative("gap", "e", "p", "v", "w"), note="over T"),
    ]  # fmt: skip


@obligation(
    "P45",
    item="Theorem 6.3, Eqs. (87) and (14)",
    about=(_GRADIENT, f"{_A}.balanced_gradient", f"{_A}.steps_nonconvex", _VARIANCE),
    premises=("P44",),
)
def p45() -> Sequence[Goal]:
    r"""The best number of steps.

    With $\sigma^2=c\frac{G^2T\ln(1/\delta)}{n^2\varepsilon^2}$, $\frac{2L\Delta_0}T+p\sigma^2$ is least at
    $T=\frac{n\varepsilon}G\sqrt{\frac{2L\Delta_0}{cp\ln(1/\delta)}}$, where it is $\frac{2G}{n\varepsilon}\sqrt{2cL
    \Delta_0p\ln(1/\delta)}$.
    """
    one = formulas.printed_variance(TERM, C, BOUND, ONE, LAMBDA, N, EPSILON)
    steps = formulas.steps_nonconvex(TERM, L, GAP, one, P)
    least = utility.balanced_gradient(TERM, C, BOUND, L, P, GAP, LAMBDA, N, EPSILON)

    def risk(count: sp.Expr) -> sp.Expr:
        variance = formulas.printed_variance(TERM, C, BOUND, count, LAMBDA, N, EPSILON)
        return utility.gradient_bound(TERM, L, variance, P, GAP, count)

    domain = positive("c", "G", "L", "p", "gap", "Lambda", "n", "epsilon")
    root = sp.sqrt(2 * L * GAP) - X * sp.sqrt(P * one)
    return [
        goal(risk(X) - least, ">=", domain + positive("x"), lambda c: k.squares(c.expr, ((1 / X, root),), c.domain)),
        goal(risk(U * steps) - (1 / U + U) / 2 * least, "==", domain + positive("u"), note="u times the best T, u = 1"),
    ]


@obligation("P46", item="S1, Eqs. (19) and (26)", about=(_SENSITIVITY,), premises=("sensitivity/replace-one",))
def p46() -> Sequence[Goal]:
    r"""The sensitivity of a full gradient.

    $\|\nabla F(x,D)-\nabla F(x,D')\|\le\frac{2G}n$ when one record is replaced.
    """
    return [equal(erm.mean_gradient_sensitivity(BOUND, N, ReplaceOne), 2 * BOUND / N, positive("G", "n"), "2 G / n")]


@obligation("P55", item="Theorem 6.2 (errata, E11)", not_proved="That the flow along the negative gradient is at least "
            "as long as the distance, and ends in a minimiser. It is superseded by P75.")  # fmt: skip
def p55() -> Sequence[Goal]:
    r"""Quadratic growth under the PL inequality.

    $F-F^*\ge\frac\mu2\mathrm{dist}(x,X^*)^2$: for $\varphi=\sqrt{F-F^*}$, $\|\nabla\varphi\|\ge\sqrt{\mu/2}$, so a flow
    of length l that ends in $X^*$ starts at $\varphi\ge l\sqrt{\mu/2}$. If F is G-Lipschitz as well,
    $\mathrm{dist}\le\frac{2G}\mu$.
    """
    square = (2 * MU * E + S) / (4 * E)  # |grad phi|^2 = |grad F|^2 / (4 (F - F^*))
    far = 2 * BOUND / MU + V
    grown = (sp.sqrt(MU / 2) * (D + X) + Y) ** 2
    return [
        goal(slope(sp.sqrt(E), E) - 1 / (2 * sp.sqrt(E)), "==", positive("e"),
             lambda c: k.derivative(sp.sqrt(E), E, 1 / (2 * sp.sqrt(E)), c.domain), "the slope of the root"),
        goal(square - MU / 2, ">=", positive("e", "mu") + nonnegative("s"), note="|grad phi|^2"),
        goal(grown - MU / 2 * D**2, ">=", positive("mu") + nonnegative("d", "x", "y"), note="growth"),
        goal(MU / 2 * far**2 - BOUND * far, ">", positive("mu", "G", "v"), note="no distance is beyond 2 G / mu"),
    ]  # fmt: skip


@obligation("P56", item="Theorem 6.2 (errata, E11)")
def p56() -> Sequence[Goal]:
    r"""The risk where PL holds and the gradient is short.

    $\|\nabla F(x)\|^2\ge2\mu(F(x)-F^*)$ and $\|\nabla F(x)\|\le G$ give $F(x)-F^*\le\frac{G^2}{2\mu}$.
    """
    risk = (BOUND**2 - T - S) / (2 * MU)  # s and t: the slacks
    return [goal(BOUND**2 / (2 * MU) - risk, ">=", positive("mu", "G") + nonnegative("s", "t"))]


declare(
    "P70",
    item="Definition 6.1",
    title="Strong convexity gives PL",
    statement=r"$\|\nabla F\|^2\ge2\mu(F-F^*)$ for $\mu$-strongly convex F, with the same $\mu$.",
    premises=("smooth/strong-convexity-gives-pl",),
)


def _uphill() -> Goal:
    """Steps of 1/L uphill: the risk is at least ``first (1 + t mu / L)`` after t of them."""
    step = A + (2 * MU * A + S) / (2 * L) + U  # s, u: the slacks of PL and of smoothness
    states = ((A, sp.Symbol("first_0"), step), (T, ZERO, T + 1))
    domain = positive("L", "mu", "first") + nonnegative("a", "t", "s", "u")
    grown = A - FIRST * (1 + T * MU / L)
    return every_step(grown, ">=", states, domain, parameters=(L, MU, FIRST), ratio=1 + MU / L, note="uphill")


@obligation("P75", item="Theorem 6.2 (errata, E11)", premises=("P56",))
def p75() -> Sequence[Goal]:
    r"""PL, short gradients and smoothness on the whole space leave only constants.

    From $F(x)-F^*=e_0>0$, a step of $\frac1L$ uphill multiplies the risk by at least $1+\frac\mu L$, so that T steps
    give $e_0(1+T\frac\mu L)$ or more, which is beyond the $\frac{G^2}{2\mu}$ of P56 for large T: F is constant. Along a
    polygon of unit speed, made of steps of length $h=\frac{2b}L\sqrt{2\mu e_0}$, $b\le1$, and of length $\ell$ in all,
    F grows by at least $(1-b)\ell\sqrt{2\mu e_0}$ (the curve of steepest ascent is $b\to0$).
    """
    # e_0 = first, and the risk is first (1 + x); a step gains h |grad F| - L h^2 / 2, |grad F|^2 >= 2 mu first (1 + x),
    # and h sqrt(2 mu first) = 4 mu b first / L
    gain = 4 * MU * B / L * (sp.sqrt(1 + X) + S - B)
    states = ((X, ZERO, X + gain + U), (T, ZERO, T + 1))
    domain = positive("L", "mu") + numbers("b", lo=0, hi=1, ends="(]") + nonnegative("x", "t", "s", "u")
    enough = BOUND**2 * L / (2 * MU**2 * FIRST) + W
    return [
        _uphill(),
        goal(FIRST * (1 + enough * MU / L) - BOUND**2 / (2 * MU), ">",
             positive("L", "mu", "first", "G") + nonnegative("w"), note="too far"),
        every_step(X - T * 4 * MU * B / L * (1 - B), ">=", states, domain, parameters=(L, MU, B), note="the polygon"),
    ]  # fmt: skip


@erratum(
    "E11",
    item="Theorem 6.2",
    premises=("P75",),
    repaired_by="P43",
)
def e11() -> Sequence[Goal]:
    r"""A function that is not constant meets the hypotheses of Theorem 6.2 on the whole space.

    Read on $\mathbb R^p$, the theorem supposes an F with $\|\nabla F\|\le G$ that is smooth and PL. By P75, T steps
    uphill from $F(x)-F^*=e_0$ would have to stay below $\frac{G^2}{2\mu}$, that is $e_0(1+T\frac\mu
    L)\le\frac{G^2}{2\mu}$. This is false for every $e_0>0$ and T large, here at $e_0=\frac14$, $G=\mu=L=1$, $T=10$. The
    proof of the utility does not use the bound on the gradient, which privacy alone needs, and clipping gives it.
    """
    slack = BOUND**2 / (2 * MU) - FIRST * (1 + T * MU / L)
    return [
        refutation(slack, ">=", positive("G", "mu", "L", "first", "t"), G=1, mu=1, L=1, first="1/4", t=10),
        goal(-slack.subs(T, BOUND**2 * L / (2 * MU**2 * FIRST) + W), ">",
             positive("G", "mu", "L", "first") + nonnegative("w"), note="every risk above zero"),
    ]  # fmt: skip


@obligation(
    "E12", item="Theorem 6.2, Eqs. (81) and (13)", about=(_RISK, _PRINTED_RISK, _NOISE, _STEPS), premises=("P43",)
)
def e12() -> Sequence[Goal]:
    r"""Eq. (81) is loose by a logarithm.

    $\frac{p\sigma^2}{2\mu}(1-(1-\frac\mu L)^T)\le T\frac{p\sigma^2}{2L}$ for every T, so the exact sum is never above
    the printed one; at $T=\kappa\ln s$, $s=\frac{n^2\varepsilon^2}{pG^2\ln(1/\delta)}$, the printed noise is $\ln s$
    times $\frac{p\sigma^2}{2\mu}$: $\ln^2n$ of Eq. (13) becomes $\ln n$.
    """
    printed, exact = _risks()
    domain = positive("L") + unit("b") + nonnegative("v", "p", "gap", "t")
    steps = formulas.steps_polyak_lojasiewicz(TERM, L / MU, sp.exp(Y))
    return [
        every_step(printed - exact, ">=", ((T, ZERO, T + 1),), domain, parameters=(L, B, V, P, GAP), ratio=1 - B,
                   note="every T"),
        equal(
            utility.step_noise(TERM, L, V, P) * steps,
            Y * P * V / (2 * MU),
            positive("L", "mu", "v", "p", "y"),
            "the printed noise, s = exp y",
        ),
    ]  # fmt: skip


@obligation("theorem-6.2", item="Theorem 6.2, Eq. (13)", about=(_RISK, _STEPS, _VARIANCE), premises=("P43",))
def theorem_6_2() -> Sequence[Goal]:
    r"""Theorem 6.2 with its constants.

    $T=\kappa\ln s$, $s=\frac{n^2\varepsilon^2}{pG^2\ln(1/\delta)}$: $(1-\frac1\kappa)^T\le\frac1s$, as
    $-\ln(1-\frac1\kappa)\ge\frac1\kappa$; with $\sigma^2=c\frac{G^2T\ln(1/\delta)}{n^2\varepsilon^2}$ the noise is
    $\frac{p\sigma^2}{2\mu}=\frac{cL}{2\mu^2}\cdot\frac{\ln s}s$, so $\mathbb E F(x_T)-F^*\le\frac1s\big(\Delta_0+
    \frac{cL}{2\mu^2}\ln s\big)$.
    """
    rate = X + 1 / KAPPA  # -log(1 - 1/kappa), x >= 0 by the first goal
    steps = formulas.steps_polyak_lojasiewicz(TERM, KAPPA, sp.exp(Y))
    left = sp.exp(-steps * rate)
    scale = N**2 * EPSILON**2 / (P * BOUND**2)  # ln(1 / delta) is scale exp(-y), so that s = exp y
    variance = formulas.printed_variance(TERM, C, BOUND, steps.subs(KAPPA, L / MU), scale * sp.exp(-Y), N, EPSILON)
    limit = utility.risk_bound(TERM, L, MU, variance, P, GAP, T).subs((1 - MU / L) ** T, Z * sp.exp(-Y))
    stated = (GAP + C * L / (2 * MU**2) * Y) * sp.exp(-Y)
    above = numbers("kappa", lo=1)
    domain = positive("L", "mu", "c", "G", "n", "epsilon", "p") + nonnegative("gap", "y")
    return [
        goal(-sp.log(1 - 1 / KAPPA) - 1 / KAPPA, ">=", above,
             lambda c: k.instantiate(log_below_line(), ((X, 1 - 1 / KAPPA),), c.domain), "the rate"),
        goal(sp.exp(-Y) - left, ">=", above + nonnegative("x", "y"), note="what is left of the start, s = exp y"),
        goal(stated - limit, ">=", domain + numbers("z", lo=0, hi=1, ends="(]"), note="(1 - mu/L)^T = z / s"),
    ]  # fmt: skip


@erratum("E14", item="Theorem 6.1, Algorithm 4", about=(_SENSITIVITY, "divergences.normal_cdf"),
         repaired_by="sensitivity/clipping")  # fmt: skip
def e14() -> Sequence[Goal]:
    r"""The gradients of Algorithm 4 have the sensitivity 2G/n without a projection.

    As printed, f is G-Lipschitz over $x\in\mathcal C$, and Algorithm 4 does not project. On $\mathcal C=[-1,1]$ with
    $f(x,z)=\frac G2zx^2$, $|z|\le1$, the noise takes $x_0=0$ beyond 1 with probability $\Phi(-\frac1{\eta\sigma})>0$.
    At $x=2$, replacing $z=1$ by $-1$ moves the mean gradient by $\frac{4G}n$. With $\mathcal C=\mathbb R^p$, where Eq.
    (10) minimises, the sensitivity is $\frac{2G}n$. Clipping gives it wherever the iterates are.
    """
    slack = erm.mean_gradient_sensitivity(BOUND, N, ReplaceOne) - (BOUND * X - (-BOUND * X)) / N
    return [
        refutation(slack, ">=", positive("G", "n", "x"), G=1, n=10, x=2),
        goal(divergences.normal_cdf(TERM, -1 / S), ">", positive("s"), note="the noise leaves C"),
    ]


@erratum(
    "E17",
    item="Theorems 4.2, 4.4, 5.4, 6.2 and 6.3",
    about=(_RISK,),
    repaired_by="theorem-6.2",
)
def e17() -> Sequence[Goal]:
    r"""The rate holds for every number of steps up to the printed order.

    As printed, the rate (13) holds for $T=\tilde O(\log\frac{n^2\varepsilon^2}{pG^2\log(1/\delta)})$, an upper bound,
    and the other four utility theorems have the same form. A choice of that order is meant: proof B.4 takes T such that
    what is left of the start is of the order of the noise. To the letter, $T=1$ is allowed. One step of $\frac1L$ on
    $F=\frac\mu2x^2$ leaves $(1-\frac\mu L)^2\Delta_0$ and adds $\frac{\mu\sigma^2}{2L^2}$ for the noise. For any
    constant C this is more than $C\frac{G^2p\ln^2n\ln(1/\delta)}{n^2\varepsilon^2}$ for n large, here for $C=1000$ at
    $n=10^6$. Too large a T makes $\sigma^2$ too large.
    """
    left = (1 - B) ** 2 * GAP
    rate = C * BOUND**2 * P * sp.log(N) ** 2 * LAMBDA / (N**2 * EPSILON**2)
    bound = utility.risk_bound(TERM, L, B * L, V, ONE, GAP, 1)
    domain = positive("c", "G", "p", "n", "Lambda", "epsilon", "gap") + unit("b")
    return [
        refutation(rate - left, ">=", domain, c=1000, G=1, p=1, n=10**6, Lambda=12, epsilon=1, gap=1, b="1/2"),
        goal(bound - left - B * V / (2 * L), ">=", unit("b") + positive("L") + nonnegative("v", "gap"),
             note="what one step leaves, mu = b L"),
    ]  # fmt: skip
