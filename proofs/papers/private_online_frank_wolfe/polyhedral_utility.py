"""Han et al., "On Private Online Convex Optimization": the utility of DP-POFW, Theorems 3.5 and 3.6."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.polyhedral_frank_wolfe import utility
from dpref.terms import TERM
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.private_online_frank_wolfe import erratum, obligation
from proofs.registry import Goal, goal, proven, refutation
from proofs.search import nonnegative, numbers, positive, unit
from proofs.topics.zcdp import exp_above_line

T, X, H, A, B, G, V, N, SCALE = sp.symbols("t x h a b G V n s")
BETA, D, L, GAMMA, MU, ALPHA, DIMENSION, ERROR = sp.symbols("beta D L gamma mu alpha d e")
_FOLDER = "polyhedral-frank-wolfe"
_NOW, _NEXT = sp.sqrt(T + 1), sp.sqrt(T + 2)


@obligation(
    "PO-35",
    item="Eq. (A.19)",
    about=(f"{_FOLDER}.choice_error",),
    theorems=(proven("Tails.laplace_quantile", "the tail of the Laplace distribution"),),
)
def po_35() -> Sequence[Goal]:
    r"""The largest of N Laplace draws.

    $P(\max_j|\mathrm{Lap}(b)|>b\ln\frac N\alpha)\le N\,e^{-\ln(N/\alpha)}=\alpha$; the reported vertex is then within
    twice that of the best.
    """
    length = sp.log(N / ALPHA)
    return [
        goal(N * sp.exp(-length) - ALPHA, "==", positive("n") + unit("alpha"), note="the union of the tails"),
        goal(
            utility.choice_error(TERM, SCALE, A) - (SCALE * A + SCALE * A), "==", positive("s", "a"),
            note="noise up at the one, down at the other",
        ),
    ]  # fmt: skip


@obligation("PO-36", numbers=True, item="Eq. (A.20)")
def po_36() -> Sequence[Goal]:
    r"""The constant of the noise term.

    $2\cdot4\sqrt{\frac{t+1}t}\le16$ for $t\ge1$, and at most $8\sqrt2$: squared, $64\frac{t+1}t\le128$.
    """
    domain = numbers("t", lo=1, ends="[)")
    square = 64 * (T + 1) / T
    return [goal(128 - square, ">=", domain), goal(16**2 - square, ">=", domain)]


def _roots(claim: Claim) -> k.Fact:
    """With s, r the roots of t + 1 and t + 2: ``1/(2 s^3) - 1/s + 1/r = (r - s)^2 (r + 2 s) / (2 s^3 r)``."""
    weight = (_NEXT + 2 * _NOW) / (2 * _NOW**3 * _NEXT)
    return k.squares(claim.expr, ((weight, _NEXT - _NOW),), claim.domain)


def _difference() -> sp.Expr:
    return 1 / (2 * _NOW**3) - (1 / _NOW - 1 / _NEXT)


@obligation("PO-38", numbers=True, item="Theorem 3.5, proof")
def po_38() -> Sequence[Goal]:
    r"""The difference of two inverse roots.

    $\frac1{\sqrt{t+1}}-\frac1{\sqrt{t+2}}\le\frac1{2(t+1)^{3/2}}$.
    """
    return [goal(_difference(), ">=", nonnegative("t"), _roots)]


@obligation(
    "PO-37",
    item="Theorem 3.5, proof",
    about=(f"{_FOLDER}.convex_bound", f"{_FOLDER}.risk_step"),
    premises=("PO-38", "PO-26"),
)
def po_37() -> Sequence[Goal]:
    r"""The induction of Theorem 3.5.

    From $h_t\le\frac{3X}{\sqrt{t+1}}$ with an error of at most $\frac A{\sqrt{t+1}}$, $X=\beta D^2+A$, the library's
    step gives at most $\frac{3X}{\sqrt{t+1}}-\frac{3X}{(t+1)^{3/2}}+\frac X{(t+1)^{3/2}}\le\frac{3X}{\sqrt{t+2}}$.
    """
    size, domain = A + B, nonnegative("a", "b", "t")
    bound = utility.convex_bound(TERM, size, T)
    step = utility.risk_step(TERM, bound, B, A / _NOW, T)
    later = utility.convex_bound(TERM, size, T + 1)
    known = 3 * size / _NOW - 2 * size / _NOW**3

    def halved(c: Claim) -> k.Fact:  # b / s^3 - b / (2 s^4), s >= 1
        return k.sign(c.expr, c.relation, c.domain)

    def prove(c: Claim) -> k.Fact:
        fact = _roots(Claim(_difference(), ">=", nonnegative("t")))
        inner = k.instantiate(fact, (), c.domain)
        rest = k.sign(size / (2 * _NOW**3), ">=", c.domain)
        return k.combine(c.expr, ">=", ((3 * size, inner), (sp.S.One, rest)), c.domain)

    return [
        goal((known - step).subs(T, H**2 - 1), ">=", nonnegative("a", "b") + numbers("h", lo=1, ends="[)"), halved,
             "the step, with h for the root of t + 1"),
        goal(later - known, ">=", domain, prove, "below the next bound"),
    ]  # fmt: skip


@obligation("PO-39", item="Theorem 3.6, proof", about=(f"{_FOLDER}.strongly_convex_bound",), premises=("PO-37",))
def po_39() -> Sequence[Goal]:
    r"""The constant of Theorem 3.6, and where its induction switches (E-12).

    $\gamma\sqrt{2\mu B}=3\sqrt2X$ for $B=\frac{9X^2}{\gamma^2\mu}$. The step needs
    $\frac B{\sqrt{t+1}}\le(3\sqrt2-1)X$, Theorem 3.5 serves while $3X\sqrt{t+1}\le B$: with $\frac BX\ge9$ the interval
    between is at least $81\big(\frac19-\frac1{(3\sqrt2-1)^2}\big)>1.29$ long, and holds a t to switch at.
    """
    full = 9 * X**2 / (GAMMA**2 * MU)
    bound = utility.strongly_convex_bound(TERM, X, GAMMA, MU, T)
    gap = sp.Rational(1, 9) - 1 / (3 * sp.sqrt(2) - 1) ** 2
    domain, least = positive("gamma", "mu", "x", "t"), sp.Rational(129, 100)

    def longer(c: Claim) -> k.Fact:
        facts = [balls.cover(e, (), "0", 64) for e in (81 * gap - least, gap)]
        return k.combine(c.expr, ">", ((sp.S.One, facts[0]), (18 * A + A**2, facts[1])), c.domain)

    return [
        goal(GAMMA * sp.sqrt(2 * MU * full) - 3 * sp.sqrt(2) * X, "==", domain),
        goal(bound - full / (T + 1), "==", domain, note="the library's bound is B / (t + 1)"),
        goal((9 + A) ** 2 * gap - least, ">", nonnegative("a"), longer, "B / X = 9 + a"),
    ]


@obligation("PO-40", numbers=True, item="Proposition A.3")
def po_40() -> Sequence[Goal]:
    r"""The tail of Proposition A.3 is the weaker one.

    $2e^{-x/2}\le4e^{-x/4}$ for $x\ge0$: their quotient is $2e^{x/4}\ge1$.
    """
    domain = nonnegative("x")

    def prove(c: Claim) -> k.Fact:
        line = k.instantiate(exp_above_line(), ((sp.Symbol("u"), X / 4),), domain)
        return k.combine(
            c.expr,
            ">=",
            ((4 * sp.exp(-X / 2), line), (sp.S.One, k.sign(2 * sp.exp(-X / 2) + X * sp.exp(-X / 2), ">=", domain))),
            domain,
        )

    return [goal(4 * sp.exp(-X / 4) - 2 * sp.exp(-X / 2), ">=", domain, prove)]


@obligation("PO-54", item="Theorems 3.5 and 3.6, proofs")
def po_54() -> Sequence[Goal]:
    r"""The failure probabilities.

    $\alpha_1=\alpha_2=\frac\alpha{2n}$ for each of n rounds: the logarithms are of
    $\frac{4d}{\alpha_1}=\frac{8dn}\alpha$ and $\frac{2d}{\alpha_2}=\frac{4dn}\alpha$, and all failures add to $\alpha$.
    """
    share, domain = ALPHA / (2 * N), positive("n", "d") + unit("alpha")
    return [
        goal(4 * DIMENSION / share - 8 * DIMENSION * N / ALPHA, "==", domain),
        goal(2 * DIMENSION / share - 4 * DIMENSION * N / ALPHA, "==", domain),
        goal(2 * N * share - ALPHA, "==", domain),
    ]


@obligation(
    "lemma-A.2",
    item="Lemma A.2, repaired",
    about=(f"{_FOLDER}.gradient_error",),
    premises=("PO-18",),
    theorems=(
        proven("AnyDialogues.said_azuma_symmetric", "Azuma's inequality, entry by entry, on any output space"),
        proven("Martingale.azuma_symmetric", "on finite output spaces, where every moment exists"),
    ),
)
def lemma_a_2() -> Sequence[Goal]:
    r"""The error of the gradient's largest entry.

    With the weights 1/t the squares of the martingale's differences add to $c=\frac{(2\beta D+G)^2}t$ in every entry,
    and Azuma's $2d\,e^{-\lambda^2/(2c)}$ is $\alpha_1$ at the library's $\lambda$.
    """
    length = sp.log(2 * DIMENSION / ALPHA)
    square = (2 * B + G) ** 2 / T
    found = utility.gradient_error(TERM, B, G, X, T)
    return [
        goal(found**2 / (2 * square) - X, "==", positive("b", "G", "t", "x"), note="the exponent"),
        goal(2 * DIMENSION * sp.exp(-length) - ALPHA, "==", positive("d") + unit("alpha"), note="the union"),
    ]


@obligation(
    "theorem-3.5",
    item="Theorem 3.5",
    about=(f"{_FOLDER}.printed_deviation", f"{_FOLDER}.risk_step"),
    theorems=(proven("FrankWolfeStep.frank_wolfe_step", "the descent lemma and the best vertex, in any dimension"),),
)
def theorem_3_5() -> Sequence[Goal]:
    r"""The step of the bound, and the printed deviation.

    $h_{t+1}\le(1-\frac1{t+1})h_t+\frac{De_t+2b_tl_t}{t+1}+\frac{\beta D^2}{2(t+1)^2}$, and A as printed.
    """
    curvature = sp.Symbol("C")
    step = utility.risk_step(TERM, H, curvature, ERROR, T)
    plain = (1 - 1 / (T + 1)) * H + ERROR / (T + 1) + curvature / (2 * (T + 1) ** 2)
    printed = utility.printed_deviation(TERM, D, BETA, L, G, A, B, X)
    terms = 8 * D * (BETA * D + G) * sp.sqrt(A) + 16 * D * (BETA * D + L) * B * X
    return [
        goal(step - plain, "==", positive("t") + numbers("h", "C", "e")),
        goal(printed - terms, "==", positive("D", "beta", "L", "G", "a", "b", "x")),
    ]


@obligation("PO-43", item="Theorem 3.6 (E-13, E-14), repaired")
def po_43() -> Sequence[Goal]:
    r"""Strong convexity with respect to the l_1 norm, or any l_p with p < 2, hides the dimension.

    Signs s at random: $E\,v^\top Hv=\mathrm{tr}(H)d^{-2/p}$ for $v=sd^{-1/p}$, $\|v\|_p=1$, and $H_{jj}\le\beta$ gives
    $\mu\le\beta d^{1-2/p}$, at p = 1 $\beta/d$. In two dimensions the cross terms cancel in the mean over signs; an
    interior minimiser's $E[XX^\top]\succeq u\lambda I$ is $\frac{u\lambda}d$-strong convexity in l_1, by
    $\|v\|_1^2\le d\|v\|_2^2$.
    """
    h11, h12, h22, p, log_d = sp.symbols("h_1 h_2 h_3 p l")
    both = [
        (first**2 * h11 + 2 * first * second * h12 + second**2 * h22) / 4
        for first, second in ((1, 1), (1, -1), (-1, 1), (-1, -1))
    ]
    everything = numbers("h_1", "h_2", "h_3")
    mean = sp.exp(log_d) * BETA * sp.exp(-2 * log_d / p)
    return [
        goal(sum(both, sp.S.Zero) - (h11 + h22), "==", everything, note="the mean over signs is the trace"),
        goal(mean - BETA * sp.exp((1 - 2 / p) * log_d), "==", positive("beta", "p") + nonnegative("l")),
        goal(mean.subs(p, 1) - BETA * sp.exp(-log_d), "==", positive("beta") + nonnegative("l"), note="p = 1"),
        goal(
            2 * (A**2 + B**2) - (A + B) ** 2, ">=", numbers("a", "b"),
            lambda c: k.squares(c.expr, ((sp.S.One, A - B),), c.domain), "Cauchy-Schwarz in two dimensions",
        ),
    ]  # fmt: skip


@erratum("E-14", numbers=True, item="Theorem 3.6, Lemma B.1", repaired_by="PO-43")
def e_14() -> Sequence[Goal]:
    r"""Strong convexity in l_1 from the eigenvalues.

    As printed (Lemma B.1): $E[XX^\top]\succeq u\lambda I$ makes the loss $\mu u\lambda$-strongly convex in the l_1
    norm: $v^\top v\ge\|v\|_1^2$. False at $v=(1,1)$: 2 against 4; the constant is lower by the factor d, so that the
    rates "poly-logarithmic in d" carry a power of d.
    """
    return [refutation(A**2 + B**2 - (A + B) ** 2, ">=", nonnegative("a", "b"), a=1, b=1)]
