"""Lemmas 1, 2 and 8 of Menart, Ullah, Arora, Bassily and Guzman: the estimates of KL Spider, and what they assume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.spider import formulas as spider
from dpref.terms import TERM
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.kl_condition import erratum, obligation
from proofs.papers.kl_condition.spider import (
    BOUND,
    GAMMA,
    KAPPA,
    PHI,
    RHO,
    THETA,
    D,
    F,
    H,
    K,
    L,
    N,
    S,
    W,
    X,
    Y,
)
from proofs.registry import Goal, equal, goal, refutation
from proofs.search import grow, nonnegative, numbers, positive, unit
from proofs.topics.gaussian import scaled_erfc
from proofs.topics.zcdp import exp_above_line, log_below_line

J, A, B, U, BETA = sp.symbols("j a b u beta")
ONE, TWO = sp.S.One, sp.Integer(2)
_S: Final = "spider"
_FROM_ONE: Final = 1 + J  # kappa in [1, 2]
_J: Final = numbers("j", lo=0, hi=1, ends="[]")


def _below(above: sp.Expr, slack: sp.Expr) -> sp.Expr:
    """A positive number that is at most another: by a factor exp(-slack)."""
    return above * sp.exp(-slack)


# ------------------------------------------------------------------------------------ Lemma 1


@obligation("PO-8", item="remark after Theorem 1", about=(f"{_S}.condition",))
def po_8() -> Sequence[Goal]:
    r"""The public bound on the start's excess risk.

    $F_0=(\gamma L_0)^\kappa$ gives $F_0^{-(2-\kappa)/\kappa}\gamma^2L_1=\frac{\gamma^\kappa L_1}{L_0^{2-\kappa}}$.
    """
    gap = spider.power(TERM, GAMMA * BOUND, KAPPA)
    left = spider.condition(TERM, gap, GAMMA, KAPPA, L)
    right = spider.power(TERM, GAMMA, KAPPA) * L / spider.power(TERM, BOUND, 2 - KAPPA)
    return [goal(left - right, "==", positive("G", "gamma", "kappa", "L"))]


@obligation("PO-9", item="Lemmas 1 and 2", about=(f"{_S}.length",))
def po_9() -> Sequence[Goal]:
    r"""A round's length times its step.

    $\hat\Phi^{1/\kappa}\big(\frac{F_0}{\hat\Phi}\big)^{(2-\kappa)/\kappa}=F_0^{(2-\kappa)/\kappa}
    \hat\Phi^{(\kappa-1)/\kappa}\le F_0^{1/\kappa}$ for $0<\hat\Phi=F_0e^{-s}\le F_0$ and $\kappa=1+j\in[1,2]$.
    """

    def travelled(target: sp.Expr, kappa: sp.Expr) -> sp.Expr:
        return spider.power(TERM, target, 1 / kappa) * spider.length(TERM, F, target, kappa)

    product = spider.power(TERM, F, (2 - KAPPA) / KAPPA) * spider.power(TERM, PHI, (KAPPA - 1) / KAPPA)
    most = spider.power(TERM, F, 1 / _FROM_ONE)
    return [
        goal(travelled(PHI, KAPPA) - product, "==", positive("f", "phi", "kappa")),
        goal(most - travelled(_below(F, S), _FROM_ONE), ">=", positive("f") + nonnegative("s") + _J),
    ]


@obligation("PO-12", item="Lemma 1", about=(f"{_S}.condition", f"{_S}.step_length"))
def po_12() -> Sequence[Goal]:
    r"""The terms of the radius.

    $(1+64F_0^{-(2-\kappa)/\kappa}\gamma^2L_1)\frac{F_0^{1/\kappa}}{4\gamma L_1}=\frac{F_0^{1/\kappa}}{4\gamma L_1}
    +16F_0^{(\kappa-1)/\kappa}\gamma$.
    """
    step = spider.step_length(TERM, F, GAMMA, KAPPA, L)
    rounds = 1 + 64 * spider.condition(TERM, F, GAMMA, KAPPA, L)
    second = 16 * GAMMA * spider.power(TERM, F, (KAPPA - 1) / KAPPA)
    return [goal(rounds * step - step - second, "==", positive("f", "gamma", "kappa", "L"))]


@obligation("PO-58", item="Lemma 1", about=(f"{_S}.radius", f"{_S}.step_length", f"{_S}.length"), premises=("PO-9",))
def po_58() -> Sequence[Goal]:
    r"""The ball in which a run stays.

    A round of $N=\theta T_k$ steps, $\theta\in[0,1]$, moves by at most $\frac{F_0^{1/\kappa}}{4\gamma L_1}$, K rounds
    by at most K times that, and with one round of updates that are thrown away the radius is
    $\frac{(K+1)F_0^{1/\kappa}}{4\gamma L_1}$.
    """
    target, kappa = _below(F, S), _FROM_ONE
    longest = spider.step_length(TERM, F, GAMMA, kappa, L)
    moved = THETA * spider.length(TERM, F, target, kappa) * spider.step_length(TERM, target, GAMMA, kappa, L)
    domain = positive("f", "gamma", "L") + nonnegative("s") + _J
    radius = spider.radius(TERM, K, F, GAMMA, kappa, L)
    return [
        goal(longest - moved, ">=", domain + numbers("theta", lo=0, hi=1, ends="[]"), note="a round"),
        goal(radius - K * longest - longest, "==", domain + positive("K"), note="K rounds and one more"),
    ]


@erratum(
    "E3", item="Lemma 8",
    about=(f"{_S}.radius", f"{_S}.step_length"), repaired_by="PO-58",
)  # fmt: skip
def e_3() -> Sequence[Goal]:
    r"""The set on which the losses have to be Lipschitz and smooth.

    Lemma 8 asks for both on a ball around $w^*$, which depends on the data. The proof of Lemma 1 derives the radius
    $\frac{KF_0^{1/\kappa}}{4\gamma L_1}$ around $w_0$. It leaves out the update that line 17 discards: if K rounds
    at $\hat\Phi_k=F_0$ all step in one direction, and the last round makes the discarded update as well, the algorithm
    asks for a gradient $K+1$ steps from $w_0$. Theorem 1 has the ball around $w_0$, and its radius up to constants and
    logarithms, so that it is not touched.
    """
    step = spider.step_length(TERM, F, GAMMA, KAPPA, L)
    reached = spider.radius(TERM, K, F, GAMMA, KAPPA, L)
    domain = positive("f", "gamma", "kappa", "L", "K")
    return [refutation(K * step - reached, ">=", domain, f=1, gamma=1, kappa=2, L=1, K=3)]


# ------------------------------------------------------------------------------------ Lemma 2


def chi_square_below() -> k.Fact:
    """``d (u - 1 - log u) - u + 2 log 2 >= 0`` for d >= 2, u >= 1: its minimum over u grows from 0 at d = 2."""
    rows, domain = numbers("d", lo=2, ends="[)"), numbers("d", lo=2, ends="[)") + numbers("u", lo=1, ends="[)")
    f = D * (U - 1 - sp.log(U)) - U + 2 * sp.log(TWO)
    least = D * sp.log((D - 1) / D) + 2 * sp.log(TWO)
    inside = numbers("d", lo=2)
    rise = k.instantiate(log_below_line(), ((X, D / (D - 1)),), inside)
    low = grow(least, D, rows, growth=rise)
    above = k.minimum(f, U, D / (D - 1), k.sign(D / U**2, ">=", domain), domain)
    return k.combine(f, ">=", ((ONE, above), (ONE, low)), domain)


def tail_below() -> k.Fact:
    """``exp(-y^2) - erfc(y) >= 0`` for y >= 0: it rises up to 1/sqrt(pi), and beyond Mills' ratio is known."""
    edge = 1 / sp.sqrt(sp.pi)
    f = sp.exp(-(Y**2)) - sp.erfc(Y)
    # The box's ends are rational: y = v / sqrt(pi), v up to 1 and from 1 on.
    v = sp.Symbol("v")
    near_box, far_box = numbers("v", lo=0, hi=1, ends="[]"), numbers("v", lo=1, ends="[)")
    scaled = f.subs(Y, v * edge)
    near = grow(scaled, v, near_box)
    placed = k.instantiate(scaled_erfc(), ((Y, v * edge),), far_box)
    weight = sp.exp(-((v * edge) ** 2)) / (v * edge)
    rest = k.sign(sp.exp(-((v * edge) ** 2)) * (1 - 1 / v), ">=", far_box)
    # The root of pi comes first, times zero: a normal form keeps an exponent in the letters that it has met by then.
    nothing = k.sign(sp.S.Zero, ">=", far_box)
    beyond = k.combine(scaled, ">=", ((edge, nothing), (weight, placed), (ONE, rest)), far_box)
    both = k.join(near, beyond, v)
    return k.instantiate(both, ((v, Y * sp.sqrt(sp.pi)),), nonnegative("y"))


@obligation(
    "PO-2",
    item="Lemma 2",
    not_proved="Chernoff's bound itself, from the moments of a chi-square variable.",
)
def po_2() -> Sequence[Goal]:
    r"""Norm of a Gaussian vector.

    $P(\|\sigma Z\|\ge\tau)\le2e^{-\tau^2/(2d\sigma^2)}$. With $u=\frac{\tau^2}{d\sigma^2}$ Chernoff's bound is
    $(ue^{1-u})^{d/2}$, and for $d\ge2$, $u\ge1$ that is at most $2e^{-u/2}$ because $d(u-1-\ln u)\ge u-2\ln2$; for
    $u\le1$ the right side exceeds one. For $d=1$ the probability is $\mathrm{erfc}(y)\le e^{-y^2}$,
    $y=\frac\tau{\sqrt2\sigma}$.
    """
    domain = numbers("d", lo=2, ends="[)") + numbers("u", lo=1, ends="[)")
    best = (1 - 1 / U) / 2  # the parameter of Chernoff's bound
    exponent = -D / 2 * sp.log(1 - 2 * best) - best * D * U - D / 2 * (sp.log(U) + 1 - U)
    small = k.instantiate(log_below_line(), ((X, 1 / TWO),), ())
    return [
        goal(exponent, "==", positive("d", "u"), note="Chernoff's bound at the best parameter"),
        goal(chi_square_below().claim.expr, ">=", domain, lambda _: chi_square_below(), "d >= 2, u >= 1"),
        goal(
            sp.log(TWO) - U / 2, ">=", numbers("u", lo=0, hi=1, ends="[]"),
            lambda c: k.combine(
                c.expr, ">=", ((ONE, k.instantiate(small, (), c.domain)), (ONE, k.sign((1 - U) / 2, ">=", c.domain))),
                c.domain,
            ),
            "u <= 1: the bound is at least one",
        ),
        goal(sp.exp(-(Y**2)) - sp.erfc(Y), ">=", nonnegative("y"), lambda _: tail_below(), "d = 1"),
    ]  # fmt: skip


_ELL = sp.Symbol("ell")
_ALL: Final = positive("G", "gamma", "d", "K", "n", "r", "ell")


def _noise(bound: sp.Expr = BOUND) -> sp.Expr:
    """X of Lemma 2: with log(1/beta') = ell, the noise of a round's first gradient."""
    return spider.printed_outer_noise(TERM, bound, K, N, RHO) * sp.sqrt(D * _ELL)


def _floor_of(constant: int, kappa: sp.Expr) -> sp.Expr:
    least = spider.least_excess(TERM, GAMMA, BOUND, D, N, RHO)
    return spider.floor(TERM, sp.Integer(constant), least, K, sp.exp(-_ELL), kappa)


@obligation(
    "PO-3",
    item="Lemma 2",
    about=tuple(f"{_S}.{n}" for n in ("floor", "least_excess", "length", "printed_outer_noise", "printed_inner_noise")),
    premises=("PO-9",),
)
def po_3() -> Sequence[Goal]:
    r"""The chain for the error of an estimate.

    With $X=\frac{L_0\sqrt{Kd\ell}}{n\sqrt\rho}$, $\ell=\log\frac1{\beta'}$:
    $\sqrt{d\ell}(\hat\sigma+\sqrt{T_k}\sigma_k)= X+\frac X{\gamma
    L_0}\hat\Phi^{(\kappa-1)/\kappa}F_0^{(2-\kappa)/\kappa}\le2X$ for $\hat\Phi\le F_0\le(\gamma L_0)^\kappa$, and
    $4X\le\frac{\hat\Phi^{1/\kappa}}{8\gamma}$ where $\hat\Phi$ is at least the floor. Repaired, with twice the first
    noise and half of the second, $5X\le\frac{\hat\Phi^{1/\kappa}}{8\gamma}$ at the constant 40.
    """
    # L_0 such that F_0 = f is at most (gamma L_0)^kappa.
    kappa, bound = _FROM_ONE, spider.power(TERM, F, 1 / _FROM_ONE) * sp.exp(A) / GAMMA
    target = _below(F, B)
    steps = spider.length(TERM, F, target, kappa)
    inner = spider.printed_inner_noise(TERM, target, GAMMA, kappa, steps, K, N, RHO)
    domain = positive("f", "gamma", "d", "K", "n", "r", "ell") + nonnegative("a", "b") + _J
    floors = _ALL + nonnegative("s") + numbers("kappa", lo=1, hi=2, ends="[]")

    def allowed(constant: int) -> sp.Expr:
        return spider.power(TERM, _floor_of(constant, KAPPA) * sp.exp(S), 1 / KAPPA) / (8 * GAMMA)

    return [
        goal(
            _noise(bound) - sp.sqrt(D * _ELL) * sp.sqrt(steps) * inner, ">=", domain, note="the differences of a round"
        ),
        goal(allowed(32) - 4 * _noise(), ">=", floors, note="as printed"),
        goal(allowed(40) - 5 * _noise(), ">=", floors, note="repaired"),
    ]


@obligation("PO-4", item="Lemma 2")
def po_4() -> Sequence[Goal]:
    r"""Two roots.

    $\sqrt{2\log(2/\beta')(a+b)}\le2\sqrt{\log(1/\beta')}(\sqrt a+\sqrt b)$ for $\beta'=\frac12e^{-h}\le\frac12$,
    $a=x^2>0$ and $b=y^2\ge0$: the difference of the squares is $2h(a+b)+8(\log2+h)\sqrt{ab}$.
    """
    failure = sp.exp(-H) / 2
    left = sp.sqrt(2 * sp.log(2 / failure) * (X**2 + Y**2))
    right = 2 * sp.sqrt(sp.log(1 / failure)) * (X + Y)
    domain = positive("x") + nonnegative("y", "h")

    def prove(c: Claim) -> k.Fact:
        squares = k.sign(2 * H * (X**2 + Y**2) + 8 * (sp.log(TWO) + H) * X * Y, ">=", c.domain)
        return k.combine(c.expr, ">=", ((1 / (right + left), squares),), c.domain)

    return [goal(right - left, ">=", domain, prove)]


@obligation("PO-10", item="Lemma 2", about=tuple(f"{_S}.{n}" for n in ("length", "floor", "failure_each")))
def po_10() -> Sequence[Goal]:
    r"""Sum of the lengths.

    Where $\hat\Phi_k$ is at least the floor with constant a and $a^2\log\frac1{\beta'}\ge1$ (32 and 40 have it for
    $\beta'\le\frac12$), $KT_k\le K\big(\frac{F_0^{1/\kappa}}{q\sqrt K}\big)^{2-\kappa}=\frac\beta{\beta'}$: so is the
    sum of K lengths.
    """
    least, more = sp.Symbol("q"), (2 - KAPPA) * W
    low = spider.floor(TERM, sp.exp(W) / sp.sqrt(_ELL), least, K, sp.exp(-_ELL), KAPPA)
    steps = K * spider.length(TERM, F, low, KAPPA)
    allowed = BETA / spider.failure_each(TERM, BETA, K, least, F, KAPPA)
    domain = positive("f", "q", "K", "ell", "beta") + nonnegative("w") + numbers("kappa", lo=1, hi=2, ends="[]")

    def prove(c: Claim) -> k.Fact:
        above = k.instantiate(exp_above_line(), ((sp.Symbol("u"), more),), c.domain)
        return k.combine(c.expr, ">=", ((steps, above), (steps, k.sign(more, ">=", c.domain))), c.domain)

    return [
        goal(32**2 * sp.log(TWO) - 1, ">", (), lambda c: balls.cover(c.expr, (), "0", 64), "the constant is enough"),
        goal(allowed - steps, ">=", domain, prove, "targets with the constant exp(w) / sqrt(ell), w >= 0"),
    ]


@erratum(
    "E13", item="Lemma 2, step (iii)",
    about=(f"{_S}.floor", f"{_S}.least_excess"), repaired_by="PO-3",
)  # fmt: skip
def e_13() -> Sequence[Goal]:
    r"""The case in which the floor is above the start.

    The proof of Lemma 2 uses $4X\le\frac{\hat\Phi_k^{1/\kappa}}{8\gamma}$ for every target of line 6, which is at
    least $\min\{\text{floor},F_0\}$. Where the floor exceeds $F_0$, the targets are $F_0$, and the inequality is
    false. In the example the floor is four times $F_0$, and $\kappa=2$. The repaired plan returns its start there, and
    says so.
    """
    noise = _noise()
    gap = _floor_of(32, KAPPA) / 4
    slack = spider.power(TERM, gap, 1 / KAPPA) / (8 * GAMMA) - 4 * noise
    return [refutation(slack, ">=", _ALL + positive("kappa"), G=1, gamma=1, d=1, K=4, n=1000, r=1, ell=3, kappa=2)]


# ------------------------------------------------------------------------------------ line 17, and public numbers


@erratum(
    "E11", item="Algorithm 1, line 17",
    about=(f"{_S}.threshold", f"{_S}.step_length"), premises=("PO-11",), repaired_by="PO-15",
)  # fmt: skip
def e_11() -> Sequence[Goal]:
    r"""The iterate that a round keeps.

    Line 17 keeps $w_{k,t-1}$, and the proof of Theorem 1 says that its excess risk is at most $\hat\Phi_k$. Take
    $F=\frac{w^2}2$, with $\kappa=2$, $\gamma^2=\frac12$ and $L_1=1$. The estimate at $w_{k,t}$ can be just below the
    threshold, with an error of just below $\frac{\hat\Phi^{1/2}}{8\gamma}$. Then $w_{k,t-1}$ is a step further out, at
    nearly $\frac54\hat\Phi^{1/2}/\gamma$, and its excess risk is nearly $\frac{25}{16}\hat\Phi$. At $t=0$ it is not
    defined.
    """
    unit_ = spider.power(TERM, PHI, 1 / KAPPA) / GAMMA
    edge = spider.threshold(TERM, PHI, GAMMA, KAPPA)
    kept = (edge + unit_ / 8) * (1 - S) + spider.step_length(TERM, PHI, GAMMA, KAPPA, ONE)
    domain = positive("phi", "gamma", "kappa") + unit("s")
    slack = PHI - kept**2 / 2
    return [refutation(slack, ">=", domain, phi=1, gamma="7071068/10000000", kappa=2, s="1/100")]


@obligation("E17", item="Theorem 1, hypotheses", about=(f"{_S}.radius",), premises=("PO-28",))
def e_17() -> Sequence[Goal]:
    r"""A ball on which the hypotheses hold.

    A Lipschitz F that is KL on a ball of radius B with one minimiser has $B\le\frac\kappa{\kappa-1}\gamma\,
    (\gamma L_0)^{\kappa-1}$ (Lemma 7). With $F_0=(\gamma L_0)^\kappa$ the radius of Lemma 1 is at least
    $16(1+h)\gamma(\gamma L_0)^{\kappa-1}$ where K is at least $64(1+h)$ times the condition, hence larger where
    $16(1+h)>\frac\kappa{\kappa-1}$: at $\kappa=2$ always. Privacy asks for neither.
    """
    gap = spider.power(TERM, GAMMA * BOUND, KAPPA)
    rounds = 64 * (1 + H) * spider.condition(TERM, gap, GAMMA, KAPPA, L)
    unit_ = GAMMA * spider.power(TERM, GAMMA * BOUND, KAPPA - 1)
    radius = spider.radius(TERM, rounds, gap, GAMMA, KAPPA, L)
    domain = positive("G", "gamma", "kappa", "L") + nonnegative("h")
    return [
        goal(radius - 16 * (1 + H) * unit_, ">", domain, note="what the theorem asks for"),
        goal(
            (16 * (1 + H) - (2 - J) / (1 - J)) * unit_, ">",
            positive("G", "gamma", "kappa") + nonnegative("h") + numbers("j", lo=0, hi=sp.Rational(13, 15), ends="[]"),
            note="what it allows, for kappa = 2 - j from 17/15 on",
        ),
    ]  # fmt: skip


@erratum(
    "E10",
    item="Algorithm 1, inputs",
    about=(f"{_S}.printed_outer_noise",),
    repaired_by="PO-8",
)
def e_10() -> Sequence[Goal]:
    r"""A bound that is read off the data.

    Algorithm 1 takes any bound $F_0$ on $F(w_0;S)-F(w^*;S)$, and the text does not say that it must not depend on the
    data. If it is that number itself, neighbours can have 2 and 1 rounds. Their first answers are then normal with
    variances v and w in the ratio of 2 to 1. The Rényi divergence of order $\alpha$ is finite only while
    $\alpha w+(1-\alpha)v>0$. At $\alpha=3$ this fails, and no $\rho$ is enough. The number
    $F_0=(\gamma L_0)^\kappa$, which Section 2 and the text after Theorem 1 name, is public.
    """
    first, second = (spider.printed_outer_noise(TERM, BOUND, c, N, RHO) ** 2 for c in (K, ONE))
    order = sp.Symbol("alpha")
    domain = positive("G", "n", "r", "K") + numbers("alpha", lo=1)
    return [refutation(order * second + (1 - order) * first, ">", domain, G=1, n=10, r=1, K=2, alpha=3)]


@obligation("PO-57", item="Algorithms 1 and 2")
def po_57() -> Sequence[Goal]:
    r"""The targets in closed form.

    $\hat\Phi_k=\max\{c^{-k}F_0,m\}$ solves $\hat\Phi_k=\max\{\hat\Phi_{k-1}/c,m\}$, $\hat\Phi_0=F_0\ge m$. With
    $x=c^{-(k-1)}F_0$: if $x\ge m$ the two sides are the same text; if $x\le m$, $\hat\Phi_{k-1}=m$, and neither
    $\frac mc$ nor $\frac xc$ exceeds m.
    """
    low, factor, start = sp.symbols("m c x")
    domain = numbers("c", lo=1, ends="[)") + positive("m")
    power = spider.power(TERM, factor, -K)
    return [
        goal(low - low / factor, ">=", domain, note="m stays m"),
        goal(low - low * sp.exp(-S) / factor, ">=", domain + nonnegative("s"), note="and what is below it stays below"),
        equal(power * start / factor, spider.power(TERM, factor, -K - 1) * start, numbers("c", lo=1, ends="[)")
              + positive("x", "K"), "the next power"),
    ]  # fmt: skip
