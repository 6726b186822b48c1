"""Section 5: the identities behind accelerated mirror descent (P1, P26 to P35) and its exact runs (P59, P60, P74)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.accelerated_mirror_descent import formulas, utility
from dpref.mechanisms import gaussian
from dpref.privacy.closed_forms import divergences
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim, total
from proofs.coordinates import counted, every_step, in_coordinates
from proofs.papers.dp_erm_revisited import obligation
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import grow, nonnegative, numbers, positive
from proofs.sums import Series

A, B, C, D, E, J, P, Q, R, S, T, U, V, W, X, Y, Z = sp.symbols("a b c d e j p q r s t u v w x y z")
K, L, N, G, RADIUS, ALPHA, SIGMA, LAMBDA, EPSILON = sp.symbols("k L n g R alpha sigma Lambda epsilon")
W_A, W_B, W_C = sp.symbols("w_a w_b w_c")
ONE = sp.S.One
_A: Final = "accelerated-mirror-descent"
_WEIGHT: Final = f"{_A}.mirror_weight"
_COUPLING: Final = f"{_A}.coupling"
_BETWEEN: Final = f"{_A}.between"
_NOISE_STEPS: Final = f"{_A}.noise_steps"
_STEP: Final = numbers("k", lo=0, ends="[)")


def _weight(at: sp.Expr) -> sp.Expr:
    """alpha with the number ``at``; L is the smoothness in the norm of C."""
    value: sp.Expr = formulas.mirror_weight(TERM, L, at - 1)
    return value


@obligation("P1", item="Theorem 5.4, Eq. (61)")
def p1() -> Sequence[Goal]:
    r"""Three points and a Bregman divergence.

    $\langle\nabla w(a)-\nabla w(b),c-a\rangle=B_w(c,b)-B_w(c,a)-B_w(a,b)$ for differentiable w, in every dimension.
    """

    # p, q: coordinates of the gradients at a and b
    def divergence(top: sp.Expr, low: sp.Expr, inner: sp.Expr) -> sp.Expr:
        return top - low - total(inner)

    right = divergence(W_C, W_B, Q * (C - B)) - divergence(W_C, W_A, P * (C - A)) - divergence(W_A, W_B, Q * (A - B))
    domain = numbers("a", "b", "c", "p", "q", "w_a", "w_b", "w_c")
    return [goal(total((P - Q) * (C - A)) - right, "==", domain, in_coordinates())]


@obligation("P26", item="Theorem 5.4, Eq. (64)")
def p26() -> Sequence[Goal]:
    r"""Young's inequality for a pair of norms.

    $\alpha\langle b,d\rangle\le\alpha^2\|b\|_*^2+\frac14\|d\|^2$, as $\langle b,d\rangle\le\|b\|_*\|d\|$ for a norm and
    its dual: with s and t the two norms the difference is a square and $\alpha$ times the slack.
    """
    gap = ALPHA**2 * S**2 + T**2 / 4 - ALPHA * (S * T - U)
    domain = positive("alpha") + nonnegative("s", "t", "u")
    square = (ONE, ALPHA * S - T / 2), (ALPHA * U, ONE)
    return [goal(gap, ">=", domain, lambda c: k.squares(c.expr, square, c.domain))]


@obligation("P27", item="Theorem 5.4, Eq. (66)", about=(_BETWEEN, _COUPLING))
def p27() -> Sequence[Goal]:
    r"""The point that the analysis compares with.

    $x=rz+(1-r)y$, $v=rz^++(1-r)y$: $x-v=r(z-z^+)$, and v lies in $\mathcal C$ with y and $z^+$, as both of its weights
    are not negative and add up to one.
    """
    point, other = (formulas.between(TERM, Y, at, R) for at in (Z, W))
    share = formulas.coupling(TERM, K)
    return [
        goal(point - other - R * (Z - W), "==", numbers("y", "z", "w", "r")),
        goal(other - R * W - (1 - R) * Y, "==", numbers("y", "w", "r"), note="a mean"),
        goal(share, ">", _STEP, note="r"),
        goal(1 - share, ">=", _STEP, note="1 - r"),
    ]


@obligation("P28", item="Theorem 5.4, Eq. (67)", about=(_WEIGHT, _COUPLING))
def p28() -> Sequence[Goal]:
    r"""Lines 4 and 6 of Algorithm 3 need the same smoothness constant.

    With $r_k=\frac1{2\alpha_{k+1}L}=\frac2{k+2}\in(0,1]$: $\frac\alpha r=2\alpha^2L$ and
    $\frac1{4r^2}=\alpha^2L^2=2\alpha^2L\cdot\frac L2$, which Eq. (67) needs. This L is the one in $\alpha$ (E8).
    """
    share = formulas.coupling(TERM, K)
    alpha = _weight(K + 1)
    domain = positive("L") + _STEP

    return [
        goal(1 - share, ">=", _STEP, note="at most one"),
        equal(1 / (2 * alpha * L), share, domain, "r"),
        equal(alpha / share, 2 * alpha**2 * L, domain, "alpha / r"),
        equal((alpha * L) ** 2, 1 / (4 * share**2), domain, "1 / (4 r^2)"),
    ]


@obligation("P29", item="Theorem 5.4, after Eq. (71)", about=(_WEIGHT, _COUPLING, _BETWEEN))
def p29() -> Sequence[Goal]:
    r"""The step between the query point and both of its ends.

    $x=rz+(1-r)y$: $r(x-z)=(1-r)(y-x)$, and $\alpha\frac{1-r}r=2\alpha^2L-\alpha$.
    """
    point, share, alpha = formulas.between(TERM, Y, Z, R), formulas.coupling(TERM, K), _weight(K + 1)
    return [
        goal(R * (point - Z) - (1 - R) * (Y - point), "==", numbers("y", "z", "r")),
        goal(alpha * (1 - share) / share - 2 * alpha**2 * L + alpha, "==", positive("L") + _STEP),
    ]


@obligation("P30", numbers=True, item="Theorem 5.4, before Eq. (74)", about=(_WEIGHT,))
def p30() -> Sequence[Goal]:
    r"""The weights telescope.

    $\alpha_k=\frac{k+1}{4L}$: $2\alpha_k^2L=2\alpha_{k+1}^2L-\alpha_{k+1}+\frac1{8L}$.
    """
    after = 2 * _weight(K + 1) ** 2 * L - _weight(K + 1) + 1 / (8 * L)
    return [goal(2 * _weight(K) ** 2 * L - after, "==", positive("L", "k"))]


@obligation("P31", item="Theorem 5.4, Eq. (74)", about=(_WEIGHT,))
def p31() -> Sequence[Goal]:
    r"""The first weight.

    $2\alpha_1^2L-\alpha_1=0$: the start's risk does not enter.
    """
    first = _weight(ONE)
    return [equal(2 * first.subs(L, L) ** 2 * L, first, positive("L"), "2 alpha_1^2 L")]


@obligation("P32", numbers=True, item="Theorem 5.4, Eqs. (74) to (76)", about=(_WEIGHT,))
def p32() -> Sequence[Goal]:
    r"""The weights, added up.

    $\sum_{k=1}^T\alpha_k=\frac{T(T+3)}{8L}=2\alpha_T^2L+\frac{T-1}{8L}$ for every T.
    """
    closed = T * (T + 3) / (8 * L)
    last = 2 * _weight(T) ** 2 * L + (T - 1) / (8 * L)
    return [
        Series(closed, _weight(J), J, T, positive("L")).goal(),
        goal(last - closed, "==", positive("L", "t"), note="in terms of the last"),
    ]


@obligation("P33", numbers=True, item="Theorem 5.4, Eq. (75)", about=(_NOISE_STEPS,))
def p33() -> Sequence[Goal]:
    r"""The squares, added up.

    $\sum_{k=1}^T(k+1)^2=\frac{T(2T^2+9T+13)}6$ for every T, which is $2(T+1)^2N_T$.
    """
    closed = T * (2 * T**2 + 9 * T + 13) / 6
    scaled = 2 * (T + 1) ** 2 * utility.noise_steps(TERM, T)
    return [
        Series(closed, (J + 1) ** 2, J, T, ()).goal(),
        goal(scaled - closed, "==", nonnegative("t"), note="N_T"),
    ]


@obligation("P34", item="Theorem 5.4 (errata, 4.4.2)", about=(_NOISE_STEPS, _WEIGHT))
def p34() -> Sequence[Goal]:
    r"""The noise that T steps add.

    $\frac{\sum_{k\le T}\alpha_k^2}{2\alpha_T^2L}=\frac{N_T}L$ for every T, with $N_T=\frac{T(2T^2+9T+13)}{12(T+1)^2}
    \le\frac T2$ for $T\ge1$, and $\frac16\le\frac{N_T}T\le\frac16+\frac1T$.
    """
    steps, from_one = utility.noise_steps(TERM, T), numbers("t", lo=1, ends="[)")
    return [
        Series(2 * _weight(T) ** 2 * steps, _weight(J) ** 2, J, T, positive("L")).goal(),
        goal(T / 2 - steps, ">=", from_one, note="at most T / 2"),
        goal(steps / T - sp.Rational(1, 6), ">=", from_one, note="N_T / T from below"),
        goal(sp.Rational(1, 6) + 1 / T - steps / T, ">=", from_one, note="and from above"),
    ]


@obligation(
    "P35",
    item="Theorem 5.4, Eq. (77)",
    about=(f"{_A}.iterations", f"{_A}.printed_variance", f"{_A}.excess_bound", _NOISE_STEPS),
    premises=("P34",),
)
def p35() -> Sequence[Goal]:
    r"""The best number of rounds.

    $\sigma^2=aT$, $a=c\frac{G^2\Lambda}{n^2\varepsilon^2}$, $W\ge\mathbb E\|b\|_{C*}^2/\sigma^2$: for $T\ge1$ the bound
    is at most $\frac{8L_CB}{T^2}+\frac{aT^2W}{2L_C}$, which is least at $T^2=4L_C\sqrt{\frac B{aW}}$, where it is
    $4\sqrt{aBW}=\frac{4G\sqrt{c\Lambda BW}}{n\varepsilon}$.
    """
    own = formulas.printed_variance(TERM, C, G, ONE, LAMBDA, N, EPSILON)
    domain = positive("L", "b", "c", "g", "Lambda", "n", "epsilon", "w")
    least = 4 * sp.sqrt(A * B * W)

    def risk(square: sp.Expr) -> sp.Expr:
        return 8 * L * B / square + A * square * W / (2 * L)

    root = sp.sqrt(8 * L * B) - X * sp.sqrt(A * W / (2 * L))
    best = formulas.iterations(TERM, L, B, A, W)
    bound = utility.excess_bound(TERM, L, B, T, A * T * W)
    free = positive("L", "b", "a", "w")
    return [
        goal(risk(T**2) - bound, ">=", free + numbers("t", lo=1, ends="[)"), note="the bound"),
        goal(risk(X) - least, ">=", free + positive("x"), lambda c: k.squares(c.expr, ((1 / X, root),), c.domain)),
        goal(risk(U * best**2) - (1 / U + U) / 2 * least, "==", free + positive("u"), note="u times the best T^2"),
        goal(least.subs(A, own) - 4 * G * sp.sqrt(C * LAMBDA * B * W) / (N * EPSILON), "==", domain, note="its value"),
    ]


# ------------------------------------------------------------------------------------ runs of the printed algorithm

_DESCENT: Final = f"{_A}.descent_length"
_SMOOTH: Final = f"{_A}.smoothness_in_norm"


def _in_norm() -> sp.Expr:
    """L_C of the interval [-R, R], whose diameter is 2 R."""
    value: sp.Expr = formulas.smoothness_in_norm(TERM, L, 2 * RADIUS)
    return value


def _down(gradient: sp.Expr) -> sp.Expr:
    """How far line 6 goes."""
    return -gradient * formulas.descent_length(TERM, _in_norm(), RADIUS)


@obligation("P59", item="Algorithm 3, line 6 (errata, E1)", about=(_DESCENT, _SMOOTH))
def p59() -> Sequence[Goal]:
    r"""The output of one round.

    $T=1$, one dimension, a linear loss with mean gradient g, $\mathcal C=[-R,R]$, $x_0=0$: $y_1$ minimises
    $\frac{L_C}{2R^2}y^2+gy$ on $\mathcal C$; it is $-\frac{gR^2}{L_C}$ where that lies inside, and the end on its side
    otherwise: a function of the data alone.
    """
    line_6 = _in_norm() / 2 * (Y / RADIUS) ** 2 + G * Y
    curvature, at = _in_norm() / RADIUS**2, _down(G)
    steep = _in_norm() / RADIUS + U  # |g| beyond L_C / R
    public = positive("L", "R")

    def smallest(c: Claim) -> k.Fact:
        return k.minimum(line_6, Y, at, k.sign(curvature, ">", c.domain), c.domain)

    falls = -sp.diff(line_6, Y).subs({G: -steep, Y: RADIUS * X})
    return [
        goal(line_6 - line_6.subs(Y, at), ">=", public + numbers("y", "g"), smallest, "the free minimiser"),
        goal(falls, ">=", public + nonnegative("u") + numbers("x", lo=-1, hi=1, ends="[]"),
             note="g < -L_C / R: the objective falls all over C, so y_1 = R; in the same way -R for g > L_C / R"),
    ]  # fmt: skip


@obligation("P60", item="Algorithm 3 (errata, E1)", about=(_DESCENT, _SMOOTH, _WEIGHT, _COUPLING, _BETWEEN))
def p60() -> Sequence[Goal]:
    r"""The output of two rounds.

    As P59 with $T=2$, $\alpha$ with $L_C$ (E8) and no projection: $y_2=-\frac1L(\frac5{12}g+\frac1{12}b_1)$. The ratio
    of its effective parameter to that of two noisy gradients is $\frac{5/12}{\sqrt2\cdot1/12}=\frac5{\sqrt2}$.
    """
    alpha = formulas.mirror_weight(TERM, _in_norm(), sp.S.Zero)
    mirrored = -alpha * RADIUS**2 * (G + B)
    second = formulas.between(TERM, _down(G), mirrored, formulas.coupling(TERM, ONE)) + _down(G)
    signal, noise = -sp.diff(second, G), -sp.diff(second, B)
    public = positive("L", "R")
    return [
        goal(second + (5 * G + B) / (12 * L), "==", public + numbers("g", "b")),
        equal(signal / (sp.sqrt(2) * noise), 5 / sp.sqrt(2), public, "the ratio"),
    ]


@obligation(
    "P74",
    item="Algorithm 3 (errata, E1)",
    about=(_DESCENT, _SMOOTH, _WEIGHT, _COUPLING, _BETWEEN, "divergences.normal_cdf", "gaussian-mechanism.log_density"),
)
def p74() -> Sequence[Goal]:
    r"""The output of T rounds, and how often the projection is idle.

    As P60 for every T, the y never projected: $y_T=\sum_{k=1}^{T-1}\frac{2(k+1)}{T(T+1)}z_k-\frac{T+2}{12L}g$. A $z_k$
    lies inside $(-R,R)$ with probability at most $\frac{2R}{\alpha_kR^2\sigma\sqrt{2\pi}}=\frac{32RL}{(k+1)\sigma
    \sqrt{2\pi}}$, the interval's length times the density's maximum; so some $z_k$, $1\le k<T$, does with probability
    at most $\frac{32RL}{\sigma\sqrt{2\pi}}\sum_{k=2}^T\frac1k$.
    """
    # k: the number of y's so far; y the last, z its mirror point, s: the sum of (j + 1) z_j, j < k
    after = formulas.between(TERM, Y, Z, formulas.coupling(TERM, K)) + _down(G)
    start = {x: sp.Symbol(f"{x}_0") for x in (L, RADIUS, G)}
    states = ((K, ONE, K + 1), (Y, _down(G).xreplace(start), after), *counted((S, (K + 1) * Z)))
    domain = positive("L", "R") + numbers("k", lo=1, ends="[)") + numbers("y", "z", "s", "g")
    invariant = Y - 2 * S / (K * (K + 1)) + (K + 2) * G / (12 * L)
    alpha = formulas.mirror_weight(TERM, _in_norm(), K - 1)
    peak = sp.exp(gaussian.log_density(TERM, A, A, ONE))
    inside = T * peak - divergences.normal_cdf(TERM, A + T) + divergences.normal_cdf(TERM, A)
    whole = 32 * RADIUS * L / (SIGMA * sp.sqrt(2 * sp.pi))

    def longer(c: Claim) -> k.Fact:
        most = k.sign(peak * (1 - sp.exp(-(X**2) / 2)), ">=", numbers("x"))
        return grow(inside, T, c.domain, growth=k.instantiate(most, ((X, A + T),), numbers("a") + positive("t")))

    return [
        every_step(invariant, "==", states, domain, parameters=(L, RADIUS, G), ratio=K / (K + 2), note="every T"),
        goal(inside, ">=", numbers("a") + nonnegative("t"), longer, "an interval of length t, from a on"),
        equal(
            2 * RADIUS / (alpha * RADIUS**2 * SIGMA) * peak,
            whole / (K + 1),
            positive("L", "R", "sigma", "k"),
            "of length 2 R, in units of alpha_k R^2 sigma",
        ),
        every_step(whole * S - Q, ">=", (*counted((S, 1 / (K + 1)), (Q, whole / (K + 1) - U)), (K, ONE, K + 1)),
                   positive("L", "R", "sigma") + numbers("k", lo=1, ends="[)") + nonnegative("u", "s") + numbers("q"),
                   parameters=(L, RADIUS, SIGMA), note="any of them"),
    ]  # fmt: skip


@obligation(
    "E28",
    item="Definition 5.1, Lemma 5.1",
    about=(_SMOOTH,),
    premises=("P36",),
    not_proved="That the Minkowski functional is a norm just there.",
)
def e28() -> Sequence[Goal]:
    r"""The constant of Lemma 5.1 is twice what it has to be.

    For a centrally symmetric bounded $\mathcal C$, x and $-x$ are $2\|x\|_2$ apart, so $\|x\|_2\le\frac12\|\mathcal
    C\|_2$ on $\mathcal C$, and $v=\|v\|_{\mathcal C}x$ has $\|v\|_2\le\frac12\|\mathcal C\|_2\|v\|_{\mathcal C}$; no
    smaller constant serves a ball. A smoothness of L in the Euclidean norm is $\frac14L\|\mathcal C\|_2^2$ in that of
    $\mathcal C$, which is a norm only where $\mathcal C$ is bounded and 0 lies inside.
    """
    diameter = 2 * X + S  # x = |x|_2, s: how much longer the diameter is; v the norm of v in C
    smaller = diameter / 2 * sp.Rational(999, 1000) * V - V * X

    domain = nonnegative("x", "s", "v")
    return [
        refutation(smaller, ">=", domain, x=1, s=0, v=1, note="on a ball"),
        equal(formulas.smoothness_in_norm(TERM, L, D / 2), L * D**2 / 4, positive("L", "d"), "the smoothness"),
    ]
