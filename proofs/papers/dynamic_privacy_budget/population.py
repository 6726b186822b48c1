"""Section 4.4 and Lemma C.5: population risk and the squared loss (PO-51 to PO-58), T16, T17, T19, T21."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.problems import erm
from dpref.terms import TERM
from dpref.units import ReplaceOne, ZeroOut
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.dynamic_privacy_budget import erratum, obligation
from proofs.papers.dynamic_privacy_budget.gd import geometric
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import fixed, natural, nonnegative, numbers, positive, unit
from proofs.sums import loop_goal

_D = "dynamic-gradient-descent."
_SENSITIVITY = "erm.mean_gradient_sensitivity"
X, Y, S, D, G, N, MU, R, T, GAMMA, KAPPA, Q, B, F, RHO, P, NORM, ETA = sp.symbols(
    "x y s D G n mu R T gamma kappa q b f r p theta eta"
)
ONE = sp.S.One


@obligation(
    "PO-51",
    item="Theorem 4.14, strongly convex",
    about=(_D + "strongly_convex_stability", "dynamic-gradient-descent.contraction", _SENSITIVITY),
    premises=("smooth/strongly-convex-contraction", "recursion", "PO-3", "PO-4"),
)
def po51() -> Sequence[Goal]:
    r"""Stability of strongly convex gradient descent.

    With the step size $\eta=\frac1M$ a step contracts distances by $\gamma=1-\frac1\kappa$, and a replaced record adds
    $\frac{2G}{MN}$. So $\delta_{t+1}\le\gamma\delta_t+\frac{2G}{MN}$, which gives $G\delta_{T+1}\le\frac{2G^2}{\mu
    N}(1-\gamma^T)$. The solution of the recursion is the geometric sum (PO-3, PO-4), and
    $\frac{2G}{MN}\kappa=\frac{2G}{\mu N}$.
    """
    gamma = schedules.contraction(TERM, KAPPA)
    smoothness = MU / (1 - GAMMA)  # M = kappa mu
    moved = erm.mean_gradient_sensitivity(G, N, ReplaceOne) / smoothness
    bound = risk_bounds.strongly_convex_stability(TERM, G, MU, N, GAMMA, T)
    drift = G * moved * (1 - GAMMA**T) / (1 - GAMMA)

    def sums(c: Claim) -> k.Fact:
        return k.combine(c.expr, "==", ((ONE, geometric()),), c.domain)

    return [
        equal(drift, bound, positive("G", "n", "mu", "T") + unit("gamma"), "G times the recursion's solution"),
        equal(1 / (1 - gamma), KAPPA, numbers("kappa", lo=1), "M / mu is 1 / (1 - gamma)"),
        goal(geometric().claim.expr, "==", unit("gamma") + natural("T"), sums),
    ]


def _averaged() -> Goal:
    """One more data set at a time, of mass p: the means of the four risks, and what the minimum leaves.

    On it the chosen point has the true risk x and the empirical one y, the best point theta* the empirical one z, and
    the least empirical risk is z - s.
    """
    p, x, y, z, s = sp.symbols("p x y z s")
    gap, excess, true, best = sp.symbols("A B C D")
    states = (
        (gap, sp.S.Zero, gap + p * (x - y)),
        (excess, sp.S.Zero, excess + p * (y - (z - s))),
        (true, sp.S.Zero, true + p * x),
        (best, sp.S.Zero, best + p * z),
    )
    domain = nonnegative("p", "s") + numbers("x", "y", "z", "A", "B", "C", "D")
    invariant = gap + excess - (true - best)
    return loop_goal(
        invariant, ">=", states, domain, "any number of data sets", step=lambda: k.sign(p * s, ">=", domain)
    )


@obligation("PO-52", item="Section 4.4", not_proved="That the mean of $f_d$ at a fixed point is F there.")
def po52() -> Sequence[Goal]:
    r"""True excess risk from empirical excess risk.

    $\mathbb E[F(\theta)]-\mathbb E[f_d(\theta^*)]\le\mathbb E[F(\theta)-f_d(\theta)]+\mathbb E[f_d(\theta)-\min f_d]$
    over any finite number of data sets, $\theta$ depending on d: the difference is $\mathbb E[f_d(\theta^*)-\min
    f_d]\ge0$. With $\mathbb E f_d(\theta^*)=F(\theta^*)=F^*$ the left side is the true excess risk.
    """
    return [_averaged()]


def distance_bound(c: Claim) -> k.Fact:
    """``sqrt(d^2 + 2 s / mu) >= d``: rationalise."""
    root = sp.sqrt(X**2 + 2 * S / MU)
    return k.combine(c.expr, ">=", ((1 / (root + X), k.sign(2 * S / MU, ">=", c.domain)),), c.domain)


@obligation("PO-53", item="Eq. (15), corrected", about=(_D + "true_excess_risk",))
def po53() -> Sequence[Goal]:
    r"""Distance from excess risk.

    $\|\theta-\hat\theta\|\le\sqrt{\frac2\mu(f(\theta)-f(\hat\theta))}$ by strong convexity at the minimiser
    ($f(\theta)-f(\hat\theta)=\frac\mu2\|\theta-\hat\theta\|^2+s$, $s\ge0$); times G it is the first term of the
    repaired Eq. (15).
    """
    domain = positive("x", "mu") + nonnegative("s")
    excess = MU / 2 * X**2 + S
    bound = risk_bounds.true_excess_risk(TERM, G, MU, N, P, excess) - 4 * G**2 / (P * MU * N)
    rest = domain + positive("G", "n") + unit("p")
    return [
        goal(sp.sqrt(X**2 + 2 * S / MU) - X, ">=", domain, distance_bound),
        equal(bound, G * sp.sqrt(2 / MU * excess), rest, "the first term of the repaired Eq. (15)"),
        goal(2 / MU * excess - (X**2 + 2 * S / MU), "==", domain),
    ]


@obligation("PO-54", item="Lemma C.5", about=(_D + "squared_loss_sensitivity",))
def po54() -> Sequence[Goal]:
    r"""The squared loss's sensitivity.

    The gradient $x(x^\top\theta-1)$ has the norm $|r|\,\|x\|=\sqrt{2f}\,\|x\|$, $r=x^\top\theta-1$, $f=\frac{r^2}2$;
    $\frac1N|x^\top\theta-1|\|x\|\le\frac{\|\theta\|+1}N$ for $\|x\|\le1$ ($|x^\top\theta-1|\le\|x\|\|\theta\|+1$).
    """
    b = numbers("b", lo=0, hi=1, ends="[]")  # |x|
    gap = risk_bounds.squared_loss_sensitivity(TERM, NORM, N) - (B * NORM + 1 - S) * B / N
    return [
        goal(gap, ">=", b + nonnegative("theta", "s") + positive("n"), note="|r| = b |theta| + 1 - s"),
        equal(
            risk_bounds.squared_loss_sensitivity(TERM, NORM, N),
            (NORM + 1) / N,
            nonnegative("theta") + positive("n"),
            "at |x| = 1 and |r| = |theta| + 1",
        ),
    ]


@obligation(
    "PO-56", item="Definition C.2", about=(_SENSITIVITY,), premises=("sensitivity/zero-out", "sensitivity/replace-one")
)
def po56() -> Sequence[Goal]:
    r"""Leave one out, replace one.

    $\frac1N\sum_{j\ne n}g_j-\frac1N\sum_jg_j=-\frac{g_n}N$; replace-one: $\frac{g_n'-g_n}N$; so $G/N$ and $2G/N$.
    """
    rest = sp.Symbol("rest")
    domain = numbers("rest", "x", "y") + positive("n")
    null = erm.mean_gradient_sensitivity(G, N, ZeroOut)
    return [
        goal(rest / N - (rest + X) / N + X / N, "==", domain),
        goal((rest + Y) / N - (rest + X) / N - (Y - X) / N, "==", domain),
        equal(erm.mean_gradient_sensitivity(G, N, ReplaceOne), 2 * null, positive("G", "n"), "twice"),
        equal(G / N, null, positive("G", "n"), "zero-out"),
    ]


def _spread(r: sp.Expr, n: sp.Expr) -> sp.Expr:
    return r**2 / (2 * (n - 1)) - r / n + sp.Rational(1, 2) - 1 / n


@obligation(
    "PO-57",
    item="Lemma C.5",
    premises=("PO-23", "PO-54"),
    not_proved="That D times the largest eigenvalue of the mean of $x_jx_j^\\top$ is at least its trace, and M at "
    "least that eigenvalue.",
)
def po57() -> Sequence[Goal]:
    r"""Lemma C.5 for three records or more.

    For $N\ge3$ and all r, $\frac{r^2}{2(N-1)}-\frac rN+\frac12-\frac1N>0$: it is a square plus $\frac{N^2-3N+1}{2N^2}$.
    Lemma C.5 follows for $N\ge3$. Its left side is at most $\frac{r+1}N$, where $r=\|\theta\|$ (PO-54). The records
    other than a unit vector $x_i$ add up to $-x_i$, so
    $\frac1N\sum_j\|x_j\|^2\ge\frac1N\big(1+\frac1{N-1}\big)=\frac1{N-1}$ by Cauchy-Schwarz, and $DM\ge\frac1{N-1}$.
    """
    domain = numbers("r") + numbers("n", lo=3, ends="[)")
    root = RHO - (N - 1) / N

    def prove(c: Claim) -> k.Fact:
        square = k.squares(root**2, ((ONE, root),), domain)
        rest = k.sign((N**2 - 3 * N + 1) / (2 * N**2), ">", numbers("n", lo=3, ends="[)"))
        return k.combine(c.expr, ">", ((1 / (2 * (N - 1)), square), (ONE, rest)), c.domain)

    def lemma(c: Claim) -> k.Fact:
        more = k.sign(S * RHO**2 / 2, ">=", c.domain)
        return k.combine(c.expr, ">", ((ONE, prove(Claim(_spread(RHO, N), ">", domain))), (ONE, more)), c.domain)

    whole = natural("n", 3)
    remainder = N**2 - 3 * N + 1

    def counted(c: Claim) -> k.Fact:
        three = k.sign(remainder.subs(N, 3), ">", ())
        return induction.cases(c.expr, ">", N, (three,), k.sign(remainder, ">", natural("n", 4)), whole)

    return [
        goal(_spread(RHO, N), ">", domain, prove),
        goal(remainder, ">", whole, counted, "the remainder for whole N: 3, and 4 or more"),
        goal((1 + 1 / (N - 1)) / N - 1 / (N - 1), "==", numbers("n", lo=1), note="the trace, at its least"),
        goal(
            ((1 / (N - 1) + S) * RHO**2 + 1) / 2 - (RHO + 1) / N, ">", nonnegative("r", "s") + domain[1:], lemma,
            "Lemma C.5: D M = 1 / (N - 1) + s, r the norm of theta",
        ),
    ]  # fmt: skip


@erratum("T21", item="Lemma C.5", about=(), repaired_by="PO-57")
def t21() -> Sequence[Goal]:
    r"""Lemma C.5 for two records.

    The lemma says, for every N, that $\max_i\frac1N\sqrt{2f(\theta;x_i)}\|x_i\|\le\frac12(DM\|\theta\|^2+1)$. It is
    false for $D=1$, $N=2$, $x=\pm1$ and $\theta=\frac12$: the left side is 0.75 and the right side is 0.625.
    """
    left = sp.sqrt(2 * (NORM + 1) ** 2 / 2) / 2  # the record x = -1
    right = (NORM**2 + 1) / 2  # D = M = 1
    return [
        refutation(right - left, ">=", nonnegative("theta"), theta="1/2"),
        refutation(_spread(RHO, N), ">=", nonnegative("r") + numbers("n", lo=2, ends="[)"), r="1/2", n=2),
    ]


@obligation("PO-58", item="Lemma C.5, for every N")
def po58() -> Sequence[Goal]:
    r"""A form of Lemma C.5 that holds for every N.

    $\frac1N\sqrt{2f_i}\|x_i\|\le f(\theta)+\frac1{2N}$ for $\|x_i\|\le1$, $f_i\ge0$, $f=\frac1N\sum f_j$: with
    $y=\sqrt{2f_i}$, $\frac12(y-b)^2+\frac12(1-b^2)$ and the other losses are left.
    """
    domain = nonnegative("y", "s") + numbers("b", lo=0, hi=1, ends="[]") + positive("n")
    gap = (Y**2 / 2 + S) / N + 1 / (2 * N) - Y * B / N

    def prove(c: Claim) -> k.Fact:
        square = k.squares((Y - B) ** 2 / 2, ((sp.Rational(1, 2), Y - B),), domain)
        rest = k.sign((1 - B**2) / 2 + S, ">=", domain)
        return k.combine(c.expr, ">=", ((1 / N, square), (1 / N, rest)), c.domain)

    return [goal(gap, ">=", domain, prove)]


# ------------------------------------------------------------------------------------ errata


@erratum(
    "T16a",
    item="Section 4.4, Table 2",
    about=(_D + "strongly_convex_stability",),
    repaired_by="PO-51",
)
def t16a() -> Sequence[Goal]:
    r"""The dropped stability term dominates.

    The stability rows of Table 2 say that the true risk is at most a constant times $\frac D{N^2R}$. (The text says
    that a term is dropped in the comparison; the table does not.) The dropped term, $\frac{2G^2}{\mu N}(1-\gamma^T)$,
    exceeds a thousand times that at $N=10^6$ and $D=R=G=\mu=1$. The row itself is false for
    $f(\theta;x)=\frac12(\theta-x)^2$ on $|\theta|\le\frac12$, with $x=\pm\frac12$ equally likely. A step of size
    $\frac1M=1$ ends at the mean of the records, and noise only adds. Its true excess risk is $\frac12\mathbb E\bar
    x^2=\frac1{8N}$.
    """
    term = risk_bounds.strongly_convex_stability(TERM, G, MU, N, GAMMA, T)
    row = 1000 * D / (N**2 * R)
    return [
        refutation(row - term, ">=", positive("G", "mu", "n", "T", "D", "R") + unit("gamma"),
                   G=1, mu=1, n=10**6, T=10, D=1, R=1, gamma="1/2", note="the dropped term"),
        goal(((X + 1) ** 2 + (X - 1) ** 2) / 2 - (X**2 + 1), "==", numbers("x"),
             note="one sign more adds one to the mean square of the sum, so N signs have N"),
        refutation(row - N / (2 * N) ** 2 / 2, ">=", positive("n", "D", "R"), n=10**6, D=1, R=1,
                   note="the true excess risk of the mean against a thousand times the row"),
    ]  # fmt: skip


@erratum(
    "T16b",
    item="Theorem 4.11, Eq. (15)",
    about=(_D + "true_excess_risk_as_printed",),
    repaired_by="equation-15-repaired",
)
def t16b() -> Sequence[Goal]:
    r"""Eq. (15) carries a spurious 1/N.

    The paper says that $\mathrm{TER}\le\sqrt{\frac{2G^2}{\mu N}}\sqrt{f(\theta)-f^*}+\frac{4G^2}{p\mu N}$ with
    probability $1-p$. It is false for $f(\theta;x)=\frac\mu2\theta^2$ on $|\theta|\le G/\mu$ at $\theta=G/\mu$, with
    $G=\mu=1$, $N=10^6$ and $p=0.1$: the true excess risk is $\frac12$, and the bound is 0.00104.
    """
    excess = G**2 / (2 * MU)
    bound = risk_bounds.true_excess_risk_as_printed(TERM, G, MU, N, P, excess)
    domain = positive("G", "mu", "n") + unit("p")
    text = sp.sqrt(2 * G**2 / (MU * N)) * sp.sqrt(F) + 4 * G**2 / (P * MU * N)
    printed = risk_bounds.true_excess_risk_as_printed(TERM, G, MU, N, P, F)
    return [
        refutation(bound - excess, ">=", domain, G=1, mu=1, n=10**6, p="1/10"),
        goal(printed - text, "==", domain + positive("f"), note="the print"),
    ]


@erratum("T17", item="Section 4.4", repaired_by="markov")
def t17() -> Sequence[Goal]:
    r"""Boosting without Markov's factor two.

    The paper says, by Markov's inequality, that one of $k=\log_2\frac1p$ repetitions has at most the mean risk $F(R/k)$
    with probability $1-2^{-k}$. That needs each to have at most its mean with probability at least $\frac12$. A risk of
    1 with probability $\frac9{10}$ and 0 otherwise is at most its mean $\frac9{10}$ only with probability $\frac1{10}$.
    Markov's inequality gives $\frac12$ at twice the mean.
    """
    # X = 1 with probability q, else 0: P(X <= E X) = 1 - q
    return [refutation(1 - Q - sp.Rational(1, 2), ">=", unit("q"), q="9/10")]


@obligation("markov", item="Section 4.4, repaired")
def markov() -> Sequence[Goal]:
    r"""Markov's inequality on a finite space.

    $P(X\ge a)\le\frac{\mathbb EX}a$ for $X\ge0$, $a>0$; at $a=2\,\mathbb EX$ it is $\frac12$: the mean m is at least a
    times the mass of the event ($x\ge a$ there).
    """
    # every value is x = a i + s with i = 1 on the event, 0 off it, and s >= 0; p its mass; m the mean, P the event
    mass, level, inside, slack, mean, event = sp.symbols("p a i s m P")
    value = level * inside + slack
    states = (
        *fixed(level),
        (mean, sp.S.Zero, mean + mass * value),
        (event, sp.S.Zero, event + mass * inside),
    )
    domain = nonnegative("p", "s") + numbers("i", "m", "P") + positive("a", "a_0")
    invariant = mean - level * event

    def one() -> k.Fact:
        return k.sign(mass * slack, ">=", domain)

    return [
        goal(mass * value - level * (mass * inside), ">=", domain, note="one outcome: p x - a p i = p s"),
        loop_goal(invariant, ">=", states, domain, "any number of outcomes: m - a P(event)", step=one),
        goal(
            sp.Rational(1, 2) - (mean - slack) / (2 * mean),
            ">=",
            positive("m") + nonnegative("s"),
            note="at a = 2 m: from m - a P = s >= 0, P = (m - s) / (2 m)",
        ),
    ]


@erratum(
    "T19",
    item="Theorem 4.14",
    about=(_D + "stability_as_printed", _SENSITIVITY),
    repaired_by="stability",
)
def t19() -> Sequence[Goal]:
    r"""The stability constant under replace-one.

    The paper says, for neighbours that differ in one sample, that $s=\frac{G^2T\eta}N$. For $f(\theta;x)=Gx\theta$ and
    $x=\pm1$, replacing one record moves $\theta$ by $\frac{2GT\eta}N$ and the loss by $\frac{2G^2T\eta}N$.
    """
    moved = T * ETA * erm.mean_gradient_sensitivity(G, N, ReplaceOne)
    printed = risk_bounds.stability_as_printed(TERM, G, ETA, T, N)
    return [refutation(printed - G * moved, ">=", positive("G", "T", "eta", "n"), G=1, T=20, eta="1/10", n=10)]
