"""Han et al., "On Private Online Convex Optimization": the algebra of the utility theorems of DP-TOFW."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.online_frank_wolfe import utility as risk_bounds
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.papers.private_online_frank_wolfe import erratum, obligation
from proofs.registry import Goal, cited, derivative, equal, goal, of_fact, proven, refutation
from proofs.search import natural, nonnegative, numbers, positive, sum_of_squares
from proofs.sums import equal_terms

T, J, B, G, H, X, GAMMA, MU, D, L, BETA = sp.symbols("t j b G h x gamma mu D L beta")


@obligation("PO-18", item="Eq. (A.6)", about=("online-frank-wolfe.gradient_error",))
def po_18() -> Sequence[Goal]:
    r"""The size of a martingale difference.

    Printed weights: $\frac{2\beta D}\tau\cdot\frac\tau{t+1}+\frac G{\tau+1}\cdot\frac{\tau+1}{t+1}=\frac{2\beta
    D+G}{t+1}$; with the weights 1/t each is at most $\frac{2\beta D+G}t$, so that the squares of t of them add to
    $\frac{(2\beta D+G)^2}t$.
    """
    everything = positive("t", "j") + nonnegative("b", "G")
    count = sp.Symbol("n")
    square, many = ((2 * B + G) / T) ** 2, positive("t") + nonnegative("b", "G") + natural("n")

    return [
        goal(2 * B / J * (J / (T + 1)) + G / (J + 1) * ((J + 1) / (T + 1)) - (2 * B + G) / (T + 1), "==", everything),
        equal_terms(square, J, count, many, "n squares"),
        goal(
            ((2 * B + G) ** 2 / T - count * square).subs(T, count + sp.Symbol("s")), ">=",
            natural("n", 1) + nonnegative("b", "G", "s"), note="for n <= t, equal at n = t",
        ),
        equal(
            risk_bounds.gradient_error(TERM, B, G, J, X, T),
            (sp.sqrt(2 * sp.E * J) + sp.sqrt(2) * X) * (2 * B + G) / sp.sqrt(T),
            everything + nonnegative("x"),
            "the bound itself, with j for kappa and x for lambda",
        ),
    ]  # fmt: skip


@obligation("PO-19", item="Proposition A.2, proof")
def po_19() -> Sequence[Goal]:
    r"""The squares of the printed differences.

    $\frac{4(b+G)^2}{t+1}-c_1^2-(t-1)\big(\frac{2b+G}{t+1}\big)^2\ge0$ for $c_1=\frac G{t+1}$ (printed) and for
    $c_1=\frac{2G}{t+1}$ (right), $t\ge1$.
    """
    domain = nonnegative("b", "G") + numbers("t", lo=1, ends="[)")
    total = 4 * (B + G) ** 2 / (T + 1) - (T - 1) * ((2 * B + G) / (T + 1)) ** 2
    return [goal(total - (c * G / (T + 1)) ** 2, ">=", domain, note=f"c_1 = {c} G / (t + 1)") for c in (1, 2)]


@obligation("PO-23", item="Theorem A.1, proof")
def po_23() -> Sequence[Goal]:
    r"""The recursion of the risk, unrolled.

    $h_{t+1}=(1-\frac1{t+1})h_t+a_t$ gives $(t+1)h_{t+1}=th_t+(t+1)a_t$: the products telescope.
    """
    after = (1 - 1 / (T + 1)) * H + X
    return [goal((T + 1) * after - (T * H + (T + 1) * X), "==", positive("t") + numbers("h", "x"))]


def _root_sum() -> k.Fact:
    """``2 sqrt(t) - 2 >= Sum(1/sqrt(j), j = 2..t)``: the step is a square over a root."""
    later, start = natural("t", 2), k.sign(sp.S.Zero, ">=", ())
    step = 2 * sp.sqrt(T) - 2 * sp.sqrt(T - 1) - 1 / sp.sqrt(T)
    grown = k.squares(step, ((1 / sp.sqrt(T), sp.sqrt(T) - sp.sqrt(T - 1)),), later)
    return induction.summation(
        1 / sp.sqrt(J), J, 2, T, 2 * sp.sqrt(T) - 2, ">=", sp.S.One, start, grown, natural("t", 1)
    )


@obligation("PO-24", numbers=True, item="Theorem A.1, proof")
def po_24() -> Sequence[Goal]:
    r"""The sum of the inverse roots.

    $\sum_{j=2}^tj^{-1/2}\le2\sqrt t-2$, by induction.
    """
    found = _root_sum().claim
    return [of_fact(_root_sum, found.expr, found.relation, found.domain)]


@erratum(
    "E-8",
    numbers=True,
    item="Theorem A.1, Eq. (A.9)",
    repaired_by="PO-24",
)
def e_8() -> Sequence[Goal]:
    r"""The printed sum of the inverse roots.

    As printed, in the last display of its proof:
    $\frac1{t+1}\sum_{k=1}^t\frac{C_1}{\sqrt{k+1}}\le\frac{C_1}{\sqrt{t+1}}$, that is
    $\sum_{k=1}^t(k+1)^{-1/2}\le\sqrt{t+1}$. False at $t=5$; the sum is close to twice that.
    """
    total = sum((1 / sp.sqrt(sp.Integer(i + 1)) for i in range(1, 6)), sp.S.Zero)
    return [refutation(sp.sqrt(T + 1) - total, ">=", numbers("t", lo=5, hi=5, ends="[]"), t=5)]


@obligation("PO-26", item="Theorem A.1, proof")
def po_26() -> Sequence[Goal]:
    r"""The first risk is at most L D.

    $h_1=F(\theta_1)-F(\theta^*)\le LD$ without an interior minimiser: it is the distance of the two points, at most D,
    times a difference quotient of F between them, at most L; attained by $F(\theta)=-L\theta$ on $[-\frac D2,\frac D2]$
    from its left end.
    """
    quotient, distance = (1 - X) * L, (1 - B) * D
    domain = positive("L", "D") + numbers("x", "b", lo=0, hi=1, ends="[]")
    first = _slanted(-D / 2) - _slanted(D / 2)
    return [
        goal(L * D - quotient * distance, ">=", domain),
        goal(
            first.subs({X: 0, BETA: 0}) - (1 - B) * L * D, ">",
            positive("L", "D") + numbers("b", lo=0, hi=1, ends="(]"), note="no smaller bound serves",
        ),
    ]  # fmt: skip


def _slanted(theta: sp.Expr) -> sp.Expr:
    """``beta/2 theta^2 - (L + x) theta``: convex and beta-smooth, least at the right end where its slope is large."""
    return BETA / 2 * theta**2 - (L + X) * theta


@erratum("E-9", item="Theorem A.1, proof", repaired_by="PO-26")
def e_9() -> Sequence[Goal]:
    r"""The first risk is at most beta D^2 / 2.

    As printed, by smoothness: $h_1\le\frac{\beta D^2}2$; Assumption 3.1 (an interior minimiser) is not made there.
    $F(\theta)=\frac\beta2\theta^2-g\theta$ on $[-\frac D2,\frac D2]$ is convex and $\beta$-smooth, and for
    $g\ge\frac{\beta D}2$ least at $\frac D2$; from $\theta_1=-\frac D2$, $h_1=gD$. False at $\beta=\frac1{10}$, $D=2$,
    $g=1$: 2 against $\frac15$. (Shifted by $\frac D2$ the start is the printed $\theta_1=0$.)
    """
    far, near = sp.symbols("s w")
    least = _slanted(D / 2 - far) - _slanted(D / 2)
    sizes = nonnegative("beta", "w", "s") + positive("D")
    first = _slanted(-D / 2) - _slanted(D / 2)
    rate = BETA * G - (L + X)
    return [
        goal(
            least.subs(X, BETA * D / 2 + near - L), ">=", sizes + positive("L"),
            note="D / 2 is the minimiser where g = beta D / 2 + w",
        ),
        derivative(
            _slanted(G), G, rate, nonnegative("beta") + numbers("G", "L", "x"),
            "its slope, which grows at the rate beta",
        ),
        refutation(BETA * D**2 / 2 - first, ">=", nonnegative("beta", "x") + positive("D", "L"),
                   beta="1/10", D=2, L=1, x=0),
    ]  # fmt: skip


@obligation("PO-27", numbers=True, item="Theorem A.2, proof")
def po_27() -> Sequence[Goal]:
    r"""Differences of inverse powers.

    $\frac1{t+1}-\frac1{t+2}\le\frac1{(t+1)^2}$ and $\frac1{(t+1)^2}-\frac1{(t+2)^2}\le\frac2{(t+1)^3}$, $t\ge0$.
    """
    first = 1 / (T + 1) ** 2 - (1 / (T + 1) - 1 / (T + 2))
    second = 2 / (T + 1) ** 3 - (1 / (T + 1) ** 2 - 1 / (T + 2) ** 2)
    return [goal(first, ">=", nonnegative("t")), goal(second, ">=", nonnegative("t"))]


@obligation("PO-28", numbers=True, item="Theorem A.2, proof")
def po_28() -> Sequence[Goal]:
    r"""The square of a mean.

    $a^2+b^2\ge\frac{(a+b)^2}4$ for $a,b\ge0$, so that $\sqrt{a^2+b^2}\ge\frac{a+b}2$: the difference is
    $\frac34(a^2+b^2)-\frac{ab}2$.
    """
    half = sp.Rational(1, 2)
    prove = sum_of_squares((half**2, X - B), (half, X), (half, B))
    return [goal(X**2 + B**2 - (X + B) ** 2 / 4, ">=", nonnegative("x", "b"), prove)]


@obligation("PO-29", item="Theorem A.2, proof")
def po_29() -> Sequence[Goal]:
    r"""The constant of the strongly convex case.

    $\frac\gamma2\sqrt{2\mu\cdot\frac{18C^2}{\gamma^2\mu}}=3C$.
    """
    value = GAMMA / 2 * sp.sqrt(2 * MU * (18 * X**2 / (GAMMA**2 * MU)))
    return [goal(value - 3 * X, "==", positive("gamma", "mu", "x"))]


@obligation(
    "theorem-A.1",
    item="Theorem A.1",
    about=("online-frank-wolfe.risk_step",),
    premises=("PO-18", "PO-23", "PO-26"),
    theorems=(proven("FrankWolfeStep.frank_wolfe_step", "the descent lemma and the best vertex, in any dimension"),),
)
def theorem_a_1() -> Sequence[Goal]:
    r"""The risk of DP-TOFW with the repaired weights.

    With $e_k$ a bound on $\|d_k-\nabla F(\theta_k)\|_q$: $h_{t+1}\le(1-\frac1{t+1})h_t+\frac{De_t}{t+1}+\frac{\beta
    D^2}{2(t+1)^2}$, hence $(t+1)h_{t+1}\le th_t+De_t+\frac{\beta D^2}{2(t+1)}$: the library's step of the bound.
    """
    beta, error = sp.symbols("beta e")
    step = risk_bounds.risk_step(TERM, H, beta, D, error, T)
    recursion = (1 - 1 / (T + 1)) * H + D * error / (T + 1) + beta * D**2 / (2 * (T + 1) ** 2)
    domain = positive("t", "D") + nonnegative("h", "e", "beta")
    return [
        goal(step - recursion, "==", domain),
        goal((T + 1) * step - (T * H + D * error + beta * D**2 / (2 * (T + 1))), "==", domain),
        cited("Azuma-Hoeffding in regular spaces (Proposition A.1)", "juditsky2008large"),
    ]


@obligation(
    "theorem-A.2",
    item="Theorems A.2 and 3.6, the step",
    about=("online-frank-wolfe.interior_step",),
    premises=("PO-30", "PO-46b"),
    theorems=(proven("FrankWolfeStep.frank_wolfe_step", "the descent lemma and the best vertex, in any dimension"),),
)
def theorem_a_2() -> Sequence[Goal]:
    r"""The risk after a record where the minimiser lies inside the set (A.10, A.21), with the repaired weights.

    $h_{t+1}\le h_t-\frac{c\sqrt{h_t}}{t+1}+\frac{e_t}{t+1}+\frac{\beta D^2}{2(t+1)^2}$, $c=\gamma\sqrt{2\mu}$. For all
    $0\le u\le r$ and $k\le r$: $(r^2-kr)-(u^2-ku)=(r-u)(r+u-k)\ge0$, so that with $k=\frac c{t+1}$ the library's step
    at $r=\max(\sqrt H,k)$ bounds it for every $h_t\le H$. With $\frac B{\sqrt{t+1}}$ small enough it keeps below
    $\frac B{t+1}$ (PO-39, PO-55).
    """
    beta, error, pull, root, gap, over = sp.symbols("beta e c r y z")
    step = risk_bounds.interior_step(TERM, root, beta, error, pull, T)
    plain = root**2 - pull * root / (T + 1) + error / (T + 1) + beta / (2 * (T + 1) ** 2)
    largest = X + gap  # r = u + y, and k = r - z
    return [
        goal(step - plain, "==", positive("t") + nonnegative("r", "c", "e", "beta")),
        goal(
            largest**2 - (largest - over) * largest - (X**2 - (largest - over) * X), ">=",
            nonnegative("x", "y", "z"), note="x for u",
        ),
    ]  # fmt: skip
