"""Theorem 4.4: the risk of DP-SVRG++ for convex objectives, step by step (P2, P16 to P25)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.svrg import formulas
from dpref.algorithms.svrg_plus_plus import utility
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim, total
from proofs.coordinates import counted, every_step, in_coordinates, summed
from proofs.papers.dp_erm_revisited import obligation
from proofs.papers.dp_erm_revisited.strongly_convex import shifted
from proofs.papers.dp_erm_revisited.variance_reduction import COUNTED, all_answers
from proofs.registry import Goal, goal
from proofs.search import nonnegative, numbers, positive, unit

A, B, C, D, E, F, M, N, P, Q, R, S, T, U, V, W, X, Y = sp.symbols("a b c d e f m n p q r s t u v w x y")
ETA, G, L, EPSILON, LAMBDA, GAP, PHI, FIRST = sp.symbols("eta G L epsilon Lambda gap phi first")
ONE, ZERO = sp.S.One, sp.S.Zero
_BOUND = "svrg-plus-plus.risk_bound"


@obligation("P2", item="Theorem 4.4, Eq. (48)")
def p2() -> Sequence[Goal]:
    r"""Three points.

    $\langle a-b,a-c\rangle=\frac12(\|a-b\|^2+\|a-c\|^2-\|b-c\|^2)$ in every dimension.
    """
    squares = (total((A - B) ** 2) + total((A - C) ** 2) - total((B - C) ** 2)) / 2
    return [goal(total((A - B) * (A - C)) - squares, "==", numbers("a", "b", "c"), in_coordinates())]


@obligation("P16", item="Theorem 4.4, Eqs. (44) to (46)")
def p16() -> Sequence[Goal]:
    r"""Two inequalities of F, added.

    If $F(y)\le F(x)+q+\frac L2\|y-x\|^2$ and $F(x_*)\ge F(x)-p$, then $F(y)-F(x_*)\le p+q+\frac L2\|y-x\|^2$: the
    difference is $s+u$, where s is what the first inequality leaves and u what the second does. With $p=\langle\nabla
    F(x),x-x_*\rangle$ and $q=\langle\nabla F(x),y-x\rangle$ the two are what an L-smooth F and a convex F meet.
    """
    f_y = F + Q + L / 2 * D - S  # p = <grad F(x), x - x_*>, q = <grad F(x), y - x>, d = |y - x|^2
    f_star = F - P + U
    domain = positive("L") + numbers("f", "p", "q") + nonnegative("d", "s", "u")
    return [goal(P + Q + L / 2 * D - (f_y - f_star), ">=", domain)]


@obligation("P17", item="Theorem 4.4, Eq. (48)", premises=("P2",))
def p17() -> Sequence[Goal]:
    r"""Optimality of the prox step.

    $x^+=\mathrm{prox}_{\eta r}(x-\eta v)$, r convex: $\langle v,x-x_*\rangle+r(x^+)-r(x_*)\le\langle v,x-x^+\rangle+
    \frac1{2\eta}(\|x-x_*\|^2-\|x^+-x_*\|^2-\|x^+-x\|^2)$ for every $x_*$, in every dimension: the difference is the
    slack of the subgradient $\frac1\eta(x-x^+)-v$ of r at $x^+$.
    """
    # coordinates: w = x - x_*, y = x^+ - x_*, v; r(x_*) - r(x^+) is the subgradient times x_* - x^+ = -y, and s
    falls = total((W - Y) * Y) / ETA - total(V * Y) - S
    right = total(V * (W - Y)) + (total(W**2) - total(Y**2) - total((W - Y) ** 2)) / (2 * ETA)
    domain = positive("eta") + numbers("w", "y", "v") + nonnegative("s")
    return [goal(right - total(V * W) - falls, ">=", domain, in_coordinates(rest=S))]


@obligation("P18", item="Theorem 4.4, Eq. (49)")
def p18() -> Sequence[Goal]:
    r"""The terms of Eq. (49), collected.

    $\langle\nabla F,y-x\rangle+\langle v,x-y\rangle=\langle v-\nabla F,x-y\rangle$ in every dimension, and $\frac
    L2-\frac1{2\eta}=-\frac{1-\eta L}{2\eta}$.
    """
    gap = total(F * (Y - X)) + total(V * (X - Y)) - total((V - F) * (X - Y))
    return [
        goal(gap, "==", numbers("f", "v", "x", "y"), in_coordinates()),
        goal(L / 2 - 1 / (2 * ETA) + (1 - ETA * L) / (2 * ETA), "==", positive("eta", "L")),
    ]


@obligation("P19", item="Theorem 4.4, Eq. (50)")
def p19() -> Sequence[Goal]:
    r"""Young's inequality with the weight of Eq. (50).

    $\langle a,b\rangle\le\frac\eta{2(1-\eta L)}\|a\|^2+\frac{1-\eta L}{2\eta}\|b\|^2$ for $0<\eta L<1$, in every
    dimension: coordinate by coordinate a square.
    """
    eta = C / L  # eta L = c
    weight = eta / (2 * (1 - C))
    terms = ((weight, A**2), (1 / (4 * weight), B**2), (-ONE, A * B))
    domain = positive("L") + unit("c") + numbers("a", "b")

    def square(c: Claim) -> k.Fact:
        return k.squares(c.expr, ((weight, A - B / (2 * weight)),), c.domain)

    return [goal(sum((m * total(e) for m, e in terms), ZERO), ">=", domain, summed(terms, square))]


@obligation("P20", item="Theorem 4.4, Eqs. (51) and (52)")
def p20() -> Sequence[Goal]:
    r"""The value of Eq. (51) at the step size 1/(13 L).

    $\frac\eta{2(1-\eta L)}(8L\Delta+2\sigma^2p)=\frac{4\eta L}{1-\eta L}\Delta+\frac\eta{1-\eta L}\sigma^2p$; of the
    $\eta<\frac1L$, $\frac{4\eta L}{1-\eta L}\le\frac13$ and $\frac\eta{1-\eta L}\le\frac1{12L}$ exactly where
    $\eta\le\frac1{13L}$, with equality there.
    """
    both = 4 * ETA * L / (1 - ETA * L) * GAP + ETA / (1 - ETA * L) * V * P
    split = ETA / (2 * (1 - ETA * L)) * (8 * L * GAP + 2 * V * P) - both
    terms = goal(split.subs(ETA, B / L), "==", positive("L", "gap", "v", "p") + unit("b"), note="Eq. (51)")
    return [terms, *third(2)]


def third(factor: int) -> list[Goal]:
    """Where the terms of Eq. (51) are at most 1/3 and 1/(12 L), the variance ``factor`` times what it has to be."""
    divisor = 6 * factor + 1

    def terms(eta: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        return 2 * factor * eta * L / (1 - eta * L), factor * eta / (2 * (1 - eta * L))

    below, beyond = terms(B / (divisor * L)), terms((1 + (divisor - 1) * B) / (divisor * L))
    up, over = numbers("b", lo=0, hi=1, ends="(]"), unit("b")
    return [
        made
        for most, less, more in zip((sp.Rational(1, 3), 1 / (12 * L)), below, beyond, strict=True)
        for made in (
            goal(most - less, ">=", positive("L") + up, note=f"up to 1/({divisor} L)"),
            goal(more - most, ">", positive("L") + over, note="and not beyond"),
        )
    ]


@obligation("P21", item="Theorem 4.4, Eq. (53)")
def p21() -> Sequence[Goal]:
    r"""The average from 0 and the average from 1.

    $\frac1m\sum_{t=0}^{m-1}a_t=\frac1m\sum_{t=1}^ma_t+\frac{a_0-a_m}m$ for every m.
    """
    average = (B + P - A) / M - P / M - (B - A) / M  # q = b + p - a is what the loop says
    return [shifted(), goal(average, "==", positive("m") + numbers("a", "b", "p"), note="over m")]


def _potential(gap: sp.Expr, distance: sp.Expr, inner: sp.Expr) -> sp.Expr:
    """What the start of an epoch adds to the snapshot's gap: its own gap and its distance."""
    return distance / (4 * ETA * inner / 3) + gap / (2 * inner)


@obligation(
    "P22",
    item="Theorem 4.4, Eqs. (52) to (57)",
    about=(_BOUND,),
    premises=("P16", "P17", "P18", "P19", "P20", "P21", "P7a"),
)
def p22() -> Sequence[Goal]:
    r"""The potential halves.

    P16 to P19 give $a_t\le\frac1{2\eta}(\|x_{t-1}-x_*\|^2-\|x_t-x_*\|^2)+\frac\eta{2(1-\eta L)}\|v_t-\nabla F\|^2$ in
    the mean. At $\eta\le\frac1{13L}$ the steps of an epoch of $m_s=2m_{s-1}$ steps add up to $2\Phi_s\le\Phi_{s-1}+c$,
    $c=\frac{\sigma^2p}{4L}$, where $\Phi_s=\mathbb E[F^r(\tilde x_s)-F^r_*]+\frac{\mathbb E\|x_0^{s+1}-x_*\|^2} {4\eta
    m_s/3}+\frac{\mathbb E[F^r(x_0^{s+1})-F^r_*]}{2m_s}$; so $\Phi_T\le2^{-T}\Phi_0+c(1-2^{-T})$ for every T. With
    $\Phi_0\le2\Delta_0+\frac{\|\tilde x_0-x_*\|^2}{4\eta m/3}$ (P23) that is below the bound of Eq. (57).
    """
    # one step: n = |v - grad F|^2, e = <v - grad F, x - y>, d = |y - x|^2, q = <grad F, y - x>; s, t, u: slacks of
    # P16, P17 and P19; f, r: the distance before and after; <v, x - x_*> has the mean <grad F, x - x_*>
    weight = C / L / (2 * (1 - C))  # eta = c / L
    inner = weight * N + D / (4 * weight) - U
    gained = Q + L / 2 * D - S + (inner - Q) + (F - R - D) * L / (2 * C) - T
    left = (F - R) * L / (2 * C) + weight * N - gained
    own = positive("L") + unit("c") + nonnegative("n", "d", "s", "t", "u", "f", "r") + numbers("q")
    # one epoch: d the distance, from r on; a the gap at the iterate, from b on; e the snapshot's; q the gaps' sum,
    # n the iterates; s the slack of a step, (52) before it is averaged
    half = 1 / (2 * ETA)
    step = D - 2 * ETA * (U - (A + E) / 3 - V * P / (12 * L) + S)
    states = ((A, sp.Symbol("b_0"), U), (D, sp.Symbol("r_0"), step), *counted((N, ONE), (Q, U)))
    added = half * (R - D) + (Q + B - A + N * E) / 3 + N * V * P / (12 * L) - Q
    domain = positive("eta", "L") + nonnegative("a", "b", "u", "e", "v", "p", "n", "q", "s") + numbers("d", "r")
    # the epoch, divided: w its slack; f the mean gap, which is no less than the gap at the mean by t
    mean = (half * (R - D) + (B - A + M * E) / 3 + M * V * P / (12 * L) - W) * sp.Rational(3, 2) / M
    previous = E + _potential(B, R, M / 2)
    after = mean - T + _potential(A, D, M)
    noise = V * P / (4 * L)
    epoch = positive("eta", "L", "m") + nonnegative("a", "b", "d", "r", "e", "v", "p", "w", "t")
    halved = ((PHI, sp.Symbol("first_0"), (PHI + C - S) / 2), (T, ZERO, T + 1))
    bound = FIRST / 2**T + C * (1 - ONE / 2**T)
    whole = utility.risk_bound(TERM, GAP, D, ETA, L, V, P, M, T)
    start = 2 * GAP + _potential(ZERO, D, M) - S
    return [
        goal(left, ">=", own, note="Eqs. (49) and (50): the gap at the new iterate"),
        every_step(added, ">=", states, domain, parameters=(ETA, L, V, P, E, B, R), note="the steps of an epoch"),
        goal(previous + noise - 2 * after, ">=", epoch, note="Eqs. (54) and (55)"),
        every_step(
            bound - PHI, ">=", halved, numbers("phi") + nonnegative("c", "s", "first", "t"), parameters=(C, FIRST),
            ratio=sp.Rational(1, 2), note="every T",
        ),
        goal(
            whole - bound.subs({FIRST: start, C: noise}), ">=",
            positive("eta", "L", "m") + nonnegative("gap", "d", "v", "p", "t", "s"), note="Eq. (57)",
        ),
    ]  # fmt: skip


@obligation("P23", item="Theorem 4.4, Eq. (57)")
def p23() -> Sequence[Goal]:
    r"""The potential at the start.

    $(1+\frac1{2m})a\le2a$ for $m\ge1$, $a\ge0$: so $\Phi_0=\Delta_0+\frac{\|\tilde x_0-x_*\|^2}{4\eta m/3}+
    \frac{\Delta_0}{2m}\le2\Delta_0+\frac{\|\tilde x_0-x_*\|^2}{4\eta m/3}$.
    """
    steps = numbers("m", lo=1, ends="[)")
    first = GAP + _potential(GAP, D, M)
    return [
        goal(2 * A - (1 + 1 / (2 * M)) * A, ">=", steps + nonnegative("a")),
        goal(2 * GAP + _potential(ZERO, D, M) - first, ">=", steps + positive("eta") + nonnegative("gap", "d")),
    ]


@obligation(
    "P24",
    item="Theorem 4.4, Eqs. (58) and (7)",
    about=(_BOUND, "svrg-plus-plus.balanced_risk", "svrg.printed_variance"),
)
def p24() -> Sequence[Goal]:
    r"""The best number of epochs.

    $\frac Ax+Bx\ge2\sqrt{AB}$ for $x>0$, with equality at $x=\sqrt{A/B}$. With the noise of Eq. (6) the bound of Eq.
    (57) is that at $x=2^T$, with $A=2\Delta_0+\frac{\|\tilde x_0-x_*\|^2}{4\eta m/3}$ and
    $B=\frac{cG^2mp\ln(2/\delta)}{4Ln^2\varepsilon^2}$; so it is never below $\frac G{n\varepsilon}\sqrt{\frac{Acmp
    \ln(2/\delta)}L}$, and at $2^T=\sqrt{A/B}$ it is that: Eq. (7) with its constant.
    """
    variance = formulas.printed_variance(TERM, C, G, X * M, LAMBDA, N, EPSILON)
    bound = utility.risk_bound(TERM, GAP, D, ETA, L, variance, P, M, T).subs(2**T, X)
    start, noise = 2 * GAP + D / (4 * ETA * M / 3), C * G**2 * M * P * LAMBDA / (4 * L * N**2 * EPSILON**2)
    least = utility.balanced_risk(TERM, start, C, G, L, P, M, LAMBDA, N, EPSILON)
    domain = positive("gap", "d", "eta", "L", "c", "G", "p", "m", "Lambda", "n", "epsilon", "x")
    root = sp.sqrt(A) - X * sp.sqrt(B)
    free = positive("a", "b", "x", "c", "G", "p", "m", "Lambda", "n", "epsilon", "L")
    return [
        goal(A / X + B * X - 2 * sp.sqrt(A * B), ">=", positive("a", "b", "x"),
             lambda c: k.squares(c.expr, ((1 / X, root),), c.domain)),
        goal((A / X + B * X).subs(X, sp.sqrt(A / B) * U) - (1 / U + U) * sp.sqrt(A * B), "==", positive("a", "b", "u"),
             note="u times the best x, u = 1"),
        goal(bound - start / X - noise * X, "==", domain, note="Eq. (58)"),
        goal(
            2 * sp.sqrt(A * noise) - utility.balanced_risk(TERM, A, C, G, L, P, M, LAMBDA, N, EPSILON), "==", free,
            note="Eq. (7)",
        ),
        goal(bound.subs(X, sp.sqrt(start / noise)) - least, "==", domain, note="Eq. (58) at its best"),
    ]  # fmt: skip


@obligation("P25", numbers=True, item="Theorem 4.3, proof B.2", about=(COUNTED,))
def p25() -> Sequence[Goal]:
    r"""The number of noisy answers of DP-SVRG++.

    $\sum_{s=1}^T2^sm=(2^{T+1}-2)m$ for every T; twice the $2^Tm$ that Eq. (6) counts is $2m$ more.
    """
    return all_answers()
