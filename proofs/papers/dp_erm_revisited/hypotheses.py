"""What the theorems assume of losses and domains (P61, P63, P69; E15, E26, E32)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.problems.losses import Logistic
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim, slope
from proofs.papers.dp_erm_revisited import erratum, obligation
from proofs.registry import Goal, goal, read_as, refutation
from proofs.search import nonnegative, numbers, positive

A, B, C, D, E, M, Q, R, S, T, V, X, Y = sp.symbols("a b c d e m q r s t v x y")
G, L, MU = sp.symbols("G L mu")
ONE = sp.S.One
_LOGISTIC: Final = "losses.Logistic"


def _derivatives(at: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The derivative of the logistic loss in the prediction, for the labels 1 and -1."""
    return Logistic().derivative(TERM, at, ONE), Logistic().derivative(TERM, at, -ONE)


read_as(
    _LOGISTIC,
    lambda: (*_derivatives(S), Logistic().lipschitz(TERM, R, None), Logistic().smoothness(TERM, R)),
)


@obligation("P63", item="Section 5 of the specification", about=(_LOGISTIC,))
def p63() -> Sequence[Goal]:
    r"""The constants of the logistic loss.

    For the sigmoid S: $0<S(t)<1$ and $0<S'(t)\le\frac14$. So the logistic loss of a record with $\|x\|\le r$ has $G=r$
    and $L=\frac{r^2}4$, for both labels.
    """
    goals = []
    for label, rate in zip((1, -1), _derivatives(S), strict=True):
        second = (1 - sp.tanh(S / 2) ** 2) / 4
        sigmoid = -label * rate

        def differentiated(c: Claim, f: sp.Expr = rate, g: sp.Expr = second) -> k.Fact:
            return k.derivative(f, S, g, c.domain)

        goals += [
            goal(sigmoid, ">", numbers("s"), note=f"label {label}: positive"),
            goal(Logistic().lipschitz(TERM, R, None) - sigmoid * R, ">", numbers("s") + positive("r"), note="G"),
            goal(slope(rate, S) - second, "==", numbers("s"), differentiated, "the second derivative"),
            goal(second, ">", numbers("s"), note="positive"),
            goal(Logistic().smoothness(TERM, R) - second * R**2, ">=", numbers("s") + positive("r"), note="L"),
        ]
    return goals


@erratum(
    "E26",
    numbers=True,
    item="Appendix A",
    about=(_LOGISTIC,),
    repaired_by="P63",
)
def e26() -> Sequence[Goal]:
    r"""The printed loss of the experiments is the logistic loss.

    A larger margin $m=y\langle w,x\rangle$ costs less under the logistic loss. Under the printed $\ln(1+e^{1+y\langle
    w,x\rangle})$ it costs more, here $m=1$ against $m=0$. What is printed is the logistic loss of the other label,
    $-y$, at the prediction $\langle w,x\rangle+y$. It is convex and Lipschitz all the same. Perhaps $\ln(1+e^{-y\langle
    w,x\rangle})$ is meant.
    """

    def printed(margin: sp.Expr) -> sp.Expr:
        return sp.log(1 + sp.exp(1 + margin))

    slack = printed(M) - printed(M + 1)
    goals: list[Goal] = [refutation(slack, ">=", numbers("m"), m=0)]
    for label, other in ((1, 1), (-1, 0)):
        rate = label * sp.exp(1 + label * S) / (1 + sp.exp(1 + label * S))
        goals.append(goal(_derivatives(S + label)[other] - rate, "==", numbers("s"), note=f"its slope, label {label}"))
    return goals


@obligation("P61", item="Footnote 2 (errata, E15)")
def p61() -> Sequence[Goal]:
    r"""Convex and smooth on C only.

    $\mathcal C=[-1,1]\times\{0\}$, $f_{1,2}(x,y)=\frac{x^2}2\pm axy$: convex on $\mathcal C$, and smooth there with
    $L=\sqrt{1+a^2}$. At $x=1$, $\tilde x=-1$ the variance of the sampled difference is $4a^2$, and the bound of Eq.
    (35) is $8L[\frac12+\frac12]=8\sqrt{1+a^2}$: too small exactly for $a^2>2+2\sqrt2$; without its spare factor of two
    it is too small at $a=2$ already.
    """
    f, sign = X**2 / 2 + C * A * X * Y, numbers("c", "a", "x", "y")
    step = numbers("a", "x", "s")
    q = 2 + 2 * sp.sqrt(2)

    def gap(square: sp.Expr) -> sp.Expr:  # each difference is (2, 2 c a), so the variance is 4 a^2
        return 4 * square - 8 * sp.sqrt(1 + square)

    def over(c: Claim) -> k.Fact:
        square = q + S
        difference = k.sign(S * (S + 4 * sp.sqrt(2)), ">", c.domain)
        return k.combine(c.expr, ">", ((4 / (square + 2 * sp.sqrt(1 + square)), difference),), c.domain)

    def under(c: Claim) -> k.Fact:
        square = q * B
        difference = k.sign((q - square) * (square - 2 + 2 * sp.sqrt(2)), ">=", c.domain)
        return k.combine(c.expr, ">=", ((4 / (square + 2 * sp.sqrt(1 + square)), difference),), c.domain)

    return [
        goal(slope(f, X) - X - C * A * Y, "==", sign, lambda c: k.derivative(f, X, X + C * A * Y, c.domain), "in x"),
        goal(slope(f, Y) - C * A * X, "==", sign, lambda c: k.derivative(f, Y, C * A * X, c.domain), "in y"),
        goal((X - S) ** 2 + (A * X - A * S) ** 2 - (1 + A**2) * (X - S) ** 2, "==", step, note="L on C, c = 1 or -1"),
        goal(gap(q + S), ">", positive("s"), over, "too small beyond"),
        goal(-gap(q * B), ">=", numbers("b", lo=0, hi=1, ends="(]"), under, "and not before"),
        goal(
            4 * A**2 - 4 * sp.sqrt(1 + A**2), ">", numbers("a", lo=2, ends="[)"), _without_spare, "without the factor"
        ),
    ]


def _without_spare(c: Claim) -> k.Fact:
    """``4 (q^2 - 1 - q) / (q + sqrt(1 + q))`` at q = a^2 >= 4."""
    q = A**2
    return k.combine(
        c.expr, ">", ((4 / (q + sp.sqrt(1 + q)), k.sign(q**2 - 1 - q, ">", c.domain)),), c.domain
    )  # fmt: skip


@erratum("E15", item="Footnote 2", premises=("P61",), repaired_by="P7a")
def e15() -> Sequence[Goal]:
    r"""Eq. (35) holds on any closed convex set.

    Footnote 2 says that all of Section 4 is applicable to closed convex $\mathcal C$, with f convex and smooth over
    $\mathcal C$. Then Eq. (35) says that the $4a^2$ of P61 is at most $8\sqrt{1+a^2}$, which is false at
    $a=\frac{11}5$. Co-coercivity needs f convex and smooth on $\mathbb R^p$ (P7a).
    """
    return [refutation(8 * sp.sqrt(1 + A**2) - 4 * A**2, ">=", positive("a"), a="11/5")]


@obligation("P69", item="Theorem 4.2, Eq. (39) (errata, E2)")
def p69() -> Sequence[Goal]:
    r"""The bound that strong convexity gives.

    $\|x-x_*\|^2\le\frac2\mu(F^r(x)-F^r_*)$. Without any step: if $x_0$ minimises r and f is G-Lipschitz,
    $F^r(x_0)-F^r_*\le G\|x_0-x_*\|$; both together give $\|x_0-x_*\|\le\frac{2G}\mu$ and $F^r(x_0)-F^r_*\le
    \frac{2G^2}\mu$.
    """
    far = 2 * G / MU + V
    distance = 2 * G / MU * B
    return [
        goal(2 / MU * (MU / 2 * D + S) - D, ">=", positive("mu") + nonnegative("d", "s"), note="d = |x - x_*|^2"),
        goal(G * D - ((G * D - S) - T), ">=", positive("G") + nonnegative("d", "s", "t"),
             note="F(x_0) - F(x_*) is at most G d, and r(x_0) no more than r(x_*)"),
        goal(MU / 2 * far**2 - G * far, ">", positive("mu", "G", "v"), note="no distance is beyond 2 G / mu"),
        goal(2 * G**2 / MU - (G * distance - S), ">=",
             positive("mu", "G") + nonnegative("s") + numbers("b", lo=0, hi=1, ends="[]"), note="2 G^2 / mu"),
    ]  # fmt: skip


@obligation("E32", item="Theorem 4.2")
def e32() -> Sequence[Goal]:
    r"""The strong convexity must come from the regulariser or from F.

    A G-Lipschitz f on all of $\mathbb R^p$ is not strongly convex: $\langle\nabla f(x)-\nabla f(y),x-y\rangle\ge\mu
    \|x-y\|^2$ and at most $2G\|x-y\|$, so $\|x-y\|\le\frac{2G}\mu$ for all points. In Theorem 4.2 it comes from r, or
    from a bounded set.
    """
    far = 2 * G / MU + V
    return [goal(MU * far**2 - 2 * G * far, ">", positive("mu", "G", "v"), note="at any larger distance")]
