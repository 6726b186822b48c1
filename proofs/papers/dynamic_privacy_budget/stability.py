"""Section 4.4, repaired: Theorems 4.13 and 4.14 and Eq. (15), from stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne, ZeroOut
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Sum, total
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, equal, goal, of_fact
from proofs.search import natural, nonnegative, numbers, positive, unit
from proofs.sums import loop_goal

_D = "dynamic-gradient-descent."
_SENSITIVITY = "erm.mean_gradient_sensitivity"
D, G, N, MU, T, F, P, S, ETA, R, W, C = sp.symbols("d G n mu T f p s eta r w c")
ONE, NIL = sp.S.One, sp.S.Zero


def compared() -> Goal:
    """``d <- r d + c - s`` stays below ``w <- r w + c`` from the same start, for all r >= 0, s >= 0 and real c."""
    start = sp.Symbol("d_1")
    states = ((D, start, R * D + C - S), (W, start, R * W + C))
    domain = nonnegative("r", "s") + numbers("c", "d", "w", "d_1")
    return loop_goal(W - D, ">=", states, domain, "every T", step=lambda: k.sign(S, ">=", nonnegative("s")), ratio=R)


@obligation("recursion", item="Theorems 4.2, 4.14")
def recursion() -> Sequence[Goal]:
    r"""A recursion that is an inequality.

    $\delta_{t+1}\le r_t\delta_t+c_t$, $r_t\ge0$: $\delta_{T+1}$ is at most what the equation gives from the same
    $\delta_1$, for every T.
    """
    return [compared()]


@obligation(
    "stability",
    item="Theorem 4.14, repaired",
    about=(_D + "stability", _D + "stability_as_printed", _SENSITIVITY),
    premises=("smooth/non-expansive", "recursion", "sensitivity/replace-one"),
)
def stability() -> Sequence[Goal]:
    r"""Stability of convex gradient descent.

    For convex, M-smooth, G-Lipschitz losses and $\eta\le\frac2M$, gradient descent is s-uniformly stable with
    $s=\frac{2G^2T\eta}N$ where a record is replaced. A step does not expand distances, the replaced record adds
    $\frac{2G\eta}N$, and the loss is G-Lipschitz. Where a record is zeroed out, $s=\frac{G^2T\eta}N$, which is the
    printed constant.
    """
    domain, step = positive("G", "eta", "n") + natural("T"), sp.Symbol("t")

    def every_step(adjacency: Any, closed: sp.Expr, note: str) -> Goal:
        # d' <= d + eta (moved mean gradient): the recursion with r = 1, of T equal terms
        term = G * ETA * erm.mean_gradient_sensitivity(G, N, adjacency)
        nothing = k.identity(NIL, NIL, ())
        return of_fact(
            lambda: induction.summation(term, step, 1, T, closed, "==", ONE, nothing, nothing, domain),
            closed - Sum(term, step, ONE, T), "==", domain, note,
        )  # fmt: skip

    return [
        every_step(ReplaceOne, risk_bounds.stability(TERM, G, ETA, T, N), "replace-one, T steps added up"),
        every_step(ZeroOut, risk_bounds.stability_as_printed(TERM, G, ETA, T, N), "zero-out, the printed constant"),
        goal(G * D - G * (D - S), ">=", positive("G") + nonnegative("d", "s"), note="the loss moves by at most G d"),
    ]  # fmt: skip


@obligation(
    "theorem-4.13",
    item="Theorem 4.13",
    not_proved="That the mean over independent records does not change when a record and a fresh one are exchanged "
    "(Fubini). The two rearrangements of sums over pairs are written out for three values of a record.",
)
def theorem_4_13() -> Sequence[Goal]:
    r"""Stability bounds the gap between true and empirical risk.

    If no exchange of one record by another raises the loss at that other one by more than s, then $\mathbb
    E[F(A(d))-f_d(A(d))]\le s$. For one record x and a fresh y, the others fixed: with $g_{xy}=f(A(x);y)$, the two
    orders of the pair add $[g_{xy}-g_{yy}]+[g_{yx}-g_{xx}]\le2s$, each at most s by stability, and over all unordered
    pairs with masses $p_xp_y$ that is at most $2s\sum_{x<y}p_xp_y\le s$.
    """
    # a, b: slacks of stability in the two orders; m the product of the two masses
    a, b, m = sp.symbols("a b m")
    domain = nonnegative("a", "b", "m") + numbers("s")
    term = m * (2 * S - ((S - a) + (S - b)))
    parts = ((ONE, m * a), (ONE, m * b))

    def added() -> k.Fact:
        one = k.sign(term, ">=", domain)
        return induction.accumulate(one, parts)

    sums = total(m * a) + total(m * b)
    p, q, r = sp.symbols("p q r")
    g = {x + y: sp.Symbol(f"g_{x}{y}") for x in "pqr" for y in "pqr"}
    mass = {"p": p, "q": q, "r": r}
    gap = sum(mass[x] * mass[y] * (g[x + y] - g[y + y]) for x in "pqr" for y in "pqr")
    pairs = sum(mass[x] * mass[y] * ((g[x + y] - g[y + y]) + (g[y + x] - g[x + x])) for x, y in ("pq", "pr", "qr"))
    values = numbers("p", "q", "r", *(str(v) for v in g.values()))
    return [
        goal(term, ">=", domain, note="one pair of records"),
        of_fact(added, sums, ">=", domain, "all pairs, any number of them: the slacks add up"),
        goal(gap - pairs, "==", values, note="the mean over ordered pairs, written over unordered ones: three values"),
        goal((p + q + r) ** 2 - (p**2 + q**2 + r**2) - 2 * (p * q + p * r + q * r), "==", values,
             note="2 sum p_x p_y = 1 - sum p_x^2 <= 1: three values"),
    ]  # fmt: skip


@obligation("erm-stability", item="Theorem 4.11, repaired")
def erm_stability() -> Sequence[Goal]:
    r"""Stability of the empirical minimiser.

    Replacing one record moves the minimiser of a mean of $\mu$-strongly convex, G-Lipschitz losses by at most
    $\frac{2G}{\mu N}$, so its stability is $s=\frac{2G^2}{\mu N}$: strong convexity at both minimisers adds to
    $\mu\delta^2\le\frac{2G\delta}N$.
    """
    # at the other's minimiser each empirical risk exceeds its least value by mu/2 d^2 + slack
    kept, other, u = sp.symbols("l l_1 u")
    excess = MU / 2 * D**2 + S + MU / 2 * D**2 + u
    # the difference of the two risks is (new - old) / N at each point: l is what the common records contribute
    old, new, old_, new_ = sp.symbols("x y x_1 y_1")
    first, second = (kept + old) / N, (kept + new) / N
    domain = positive("mu", "n", "d") + nonnegative("s", "u", "c")
    lipschitz = (excess + C) * N / (2 * D)  # G, from 2 G d / N = mu d^2 + slacks
    risks = numbers("x", "y", "x_1", "y_1", "l", "l_1") + positive("n")
    moved = ((other + old_) / N - first) + (second - (other + new_) / N)
    return [
        goal(moved - ((old_ - old) - (new_ - new)) / N, "==", risks, note="only the replaced record's losses are left"),
        goal(2 * lipschitz / (MU * N) - D, ">=", domain, note="G = N (mu d^2 + slacks) / (2 d)"),
        goal(
            2 * G**2 / (MU * N) - G * (2 * G / (MU * N) - S),
            ">=",
            positive("G", "mu", "n") + nonnegative("s"),
            note="times G: s",
        ),
    ]


@obligation(
    "equation-15-repaired",
    item="Eq. (15), repaired",
    about=(_D + "true_excess_risk",),
    premises=("PO-52", "PO-53", "theorem-4.13", "erm-stability", "markov"),
    not_proved="The means over data sets: what Theorem 4.13 and PO-52 leave out.",
)
def equation_15() -> Sequence[Goal]:
    r"""Population risk from empirical risk.

    With probability at least $1-p$ over the data, for every $\theta$: $F(\theta)-F^*\le
    G\|\theta-\hat\theta\|+[F(\hat\theta)-F^*]\le\sqrt{\frac{2G^2}\mu}\sqrt{f(\theta)-f(\hat\theta)}+\frac{4G^2}{p\mu
    N}$. The first term is PO-53; $\mathbb E[F(\hat\theta)-F^*]\le s=\frac{2G^2}{\mu N}$ by Theorem 4.13 and PO-52, and
    Markov's inequality at $\frac{4G^2}{p\mu N}$ fails with probability at most $\frac p2$.
    """
    bound = risk_bounds.true_excess_risk(TERM, G, MU, N, P, F)
    parts = sp.sqrt(2 * G**2 / MU * F) + 4 * G**2 / (P * MU * N)
    excess = G**2 / (2 * MU)
    at = risk_bounds.true_excess_risk(TERM, G, MU, N, P, excess) - excess
    domain = positive("G", "mu", "n") + unit("p")
    level, mean = 4 * G**2 / (P * MU * N), 2 * G**2 / (MU * N)
    return [
        equal(bound, parts, domain + nonnegative("f"), "its two terms"),
        goal(P - mean / level, ">", domain, note="Markov: the mean over the level is p / 2"),
        goal(at, ">", domain, note="it covers the counter-example to the print"),
    ]
