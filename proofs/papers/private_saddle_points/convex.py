"""Section 4: mirror descent for convex optimisation on one simplex (Algorithm 5, which the library does not run)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from proofs import induction, kernel
from proofs.algebra import Claim, Sum
from proofs.papers.private_saddle_points import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import bisect, box, natural, nonnegative, numbers, positive

B, D, ELL, J, L1, Q, S, T, U, W = sp.symbols("b Delta ell j L1 q s T u w")


@obligation("P50", item="Proposition 4.3 (E10)")
def p50() -> Sequence[Goal]:
    r"""A mixture keeps the ratio of its parts.

    $p_i\le b\,q_i$ for both parts gives $\lambda p_1+(1-\lambda)p_2\le b(\lambda q_1+(1-\lambda)q_2)$: each draw of
    Algorithm 5 is $\frac{4\tau L_0}B$-DP, as printed, though not by the printed argument.
    """
    # p_i = b q_i - s_i with slacks s, u >= 0; the mixture's weight is w.
    other = sp.Symbol("p")
    mixture = W * (B * Q - S) + (1 - W) * (B * other - U)
    domain = positive("b", "q", "p") + nonnegative("s", "u") + numbers("w", lo=0, hi=1, ends="[]")
    return [goal(B * (W * Q + (1 - W) * other) - mixture, ">=", domain)]


def _mixtures(shift: sp.Expr) -> list[sp.Expr]:
    """The average of two softmaxes whose scores are moved by (-shift, shift, shift, -shift)."""
    parts = []
    for scores in ((-6, -20, 0, -20), (-20, -6, -20, 0)):
        weights = [sp.exp(s + sign * shift) for s, sign in zip(scores, (-1, 1, 1, -1), strict=True)]
        parts.append([w / sum(weights) for w in weights])
    return [(a + b) / 2 for a, b in zip(*parts, strict=True)]


@obligation("P51", item="Proposition 4.3 (E10)")
def p51() -> Sequence[Goal]:
    r"""A mixture does not keep the bounded range of its parts.

    A trap, not a claim of the paper: the average of two exponential mechanisms, each of range $2\Delta$, may have a
    range above $2\Delta$. For the scores $(-6,-20,0,-20)$ and $(-20,-6,-20,0)$, moved by $\Delta(-1,1,1,-1)$, it has at
    every $\frac14\le\Delta\le1$ (nearly $4\Delta$). Bounded-range composition must not be used for Algorithm 5; P50
    may.
    """
    before, after = _mixtures(sp.S.Zero), _mixtures(D)
    gap = (after[1] / before[1]) * (before[0] / after[0]) - sp.exp(2 * D)
    return [goal(gap, ">", box(Delta=("1/4", 1)), bisect, "the ratio of two outputs' ratios, above exp(2 Delta)")]


@obligation("P57", item="Proof 4.5")
def p57() -> Sequence[Goal]:
    r"""How far the running average moves between refreshes.

    $2L_1\sum_{k=t_0}^{t-1}\frac2{k+1}\le\frac{4L_1q}{t_0+1}$ for $t-t_0\le q$: by induction over the number of terms,
    each of which is at most the first.
    """
    n = sp.Symbol("n")
    term, first = 4 * L1 / (T + J), 4 * L1 / (T + 1)  # k = t0 + j - 1
    rest = positive("L1") + nonnegative("T")

    def induct(_: Claim) -> kernel.Fact:
        step = kernel.sign(first - term.subs(J, n), ">=", rest + natural("n", 1))
        base = kernel.sign(sp.S.Zero, ">=", ())
        return induction.summation(term, J, 1, n, n * first, ">=", sp.S.One, base, step, rest + natural("n"))

    return [
        goal(n * first - Sum(term, J, sp.S.One, n), ">=", rest + natural("n"), induct, "n = t - t0 terms"),
        goal((4 * L1 * Q / (T + 1) - n * first).subs(Q, n + S), ">=", rest + natural("n") + nonnegative("s"),
             note="q = n + s"),
    ]  # fmt: skip


@obligation("P59", item="Theorem 4.2")
def p59() -> Sequence[Goal]:
    r"""The parameters of Theorem 4.2 balance its terms.

    Second-order: $q=\sqrt{T/\ell}$, $K=\sqrt{T\ell}$ give $\frac{q\ell}K=1$, $\frac{TK}q=T\ell$; first-order:
    $q=\frac{\sqrt T}\ell$, $K=\frac T\ell$ give $q\sqrt{\ell/K}=1$, $\frac{TK}q=T^{3/2}$.
    """
    goals = []
    for q, k, root, draws in (
        (sp.sqrt(T / ELL), sp.sqrt(T * ELL), False, T * ELL),
        (sp.sqrt(T) / ELL, T / ELL, True, T * sp.sqrt(T)),
    ):
        balance = q * sp.sqrt(ELL / k) if root else q * ELL / k
        goals.append(goal(balance - 1, "==", positive("T", "ell")))
        goals.append(equal(T * k / q, draws, positive("T", "ell"), "the draws"))
    return goals
