"""Han et al., "On Private Online Convex Optimization": DP-POFW, Theorem 3.4, and the range of its choices."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.polyhedral_frank_wolfe import formulas
from dpref.mechanisms import exponential
from dpref.terms import TERM
from proofs import balls, induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.private_online_frank_wolfe import erratum, obligation
from proofs.registry import Goal, equal, goal, of_fact, proven, refutation
from proofs.search import grow, natural, nonnegative, numbers, positive
from proofs.topics.zcdp import exp_above_line, log_below_line

T, N, J, X, Y, Z, W, E = sp.symbols("t n j x y z w e")
BETA, D, L, S, EPSILON, LAMBDA, LOG_N, RHO, HARMONIC, WEIGHT, SPAN, B = sp.symbols(
    "beta D L S epsilon Lambda l rho H w_t Delta b"
)
_FOLDER = "polyhedral-frank-wolfe"
_LOSS = "exponential-mechanism.noisy_max_epsilon"


@obligation(
    "PO-32",
    item="Theorem 3.4, proof",
    about=(_LOSS, f"{_FOLDER}.choice_scale"),
    theorems=(
        proven("Laplace.laplace_above", "the tail of the Laplace distribution"),
        proven("Laplace.laplace_above_left", "and what is beyond a threshold below its centre"),
        proven("NoisyMax.laplace_noisy_max", "the choice, as an integral over the noise of one candidate"),
    ),
)
def po_32() -> Sequence[Goal]:
    r"""Reporting the best noisy score: Laplace noise hides the span.

    With all other noises fixed a candidate is reported where its own exceeds a threshold, and scores that move by
    $\delta_v\in[m,M]$ move the threshold by at most $M-\delta_v\le M-m=\Delta$. The tail of $\mathrm{Lap}(b)$ falls by
    at most the factor $e^{-\Delta/b}$: with $y=e^{x/b}$, $z=e^{\Delta/b}$ it is $\frac1{2y}$ above zero and
    $1-\frac y2$ below. So the choice is $\frac\Delta b$-DP, and $\varepsilon_t$-DP at the library's scale.
    """
    low, room, own = sp.symbols("m p q")  # delta_v = m + q, M = m + q + p
    above, below = 1 / (2 * Y * Z), 1 - Y / 2
    inside = below.subs(Y, W / Z)  # w = y z <= 1
    return [
        goal((low + own + room - low) - (low + own + room - (low + own)), ">=", numbers("m") + nonnegative("p", "q")),
        goal(above - (1 / (2 * Y)) / Z, "==", positive("y", "z"), note="threshold and moved threshold above zero"),
        goal(above - below / Z, ">=", positive("y", "z"), _square_over, "threshold below, moved threshold above"),
        goal(
            ((1 - W / 2) - inside / Z).subs(W, 1 / (1 + X)).subs(Z, 1 + E), ">=", nonnegative("x", "e"),
            note="both below: y z = 1 / (1 + x), z = 1 + e",
        ),
        equal(
            exponential.noisy_max_epsilon(TERM, SPAN, formulas.choice_scale(TERM, SPAN, X, T)),
            X / sp.sqrt(T),
            positive("Delta", "x", "t"),
            "epsilon_t = c_n / sqrt(t)",
        ),
    ]  # fmt: skip


def _square_over(claim: Claim) -> k.Fact:
    """``(1 - y)^2 / (2 y z)``."""
    return k.squares(claim.expr, ((1 / (2 * Y * Z), 1 - Y),), claim.domain)


def _race(gap: sp.Expr) -> sp.Expr:
    """The probability that of two Laplace draws of scale 1 one exceeds the other by at least that gap."""
    return sp.exp(-gap) * (2 + gap) / 4


@erratum(
    "E-7",
    item="Theorem 3.4, proof",
    repaired_by="PO-32",
)
def e_7() -> Sequence[Goal]:
    r"""Report-noisy-max at the scale of a monotone query.

    As cited (Dwork and Roth, Claim 3.9): with noise of scale b no probability moves by more than the factor $e^{s/b}$,
    $s=\max_v|\delta_v|$. That is for monotone queries. Two candidates whose scores move by s in opposite directions:
    $P(g)=\frac14e^{-g/b}(2+g/b)$ at the gap g, and $P(g)\le e^{s/b}P(g+2s)$ is false at $b=s=1$, $g=10$. The theorem
    uses the diameter, which bounds the span 2s.
    """
    s = sp.Symbol("s")
    return [
        refutation(
            sp.exp(s) * _race(X + 2 * s) - _race(X), ">=", positive("s", "x"), s=1, x=10, note="opposite directions"
        )
    ]


@obligation("S-9", item="Theorem 3.4, proof (S-6, S-8, S-9)", about=(f"{_FOLDER}.repaired_span",), premises=("PO-5",))
def s_9() -> Sequence[Goal]:
    r"""The sensitivity of the differences of scores in round t.

    With the weights 1/t, $td_t$ is a sum of increments, of which a record enters one, which moves by
    $2(\beta D+L)$ (PO-3, PO-5): $\|d_t-d_t'\|_\infty\le\frac{2(\beta D+L)}t$, and the span of
    $\langle d_t-d_t',v\rangle$ over the vertices is at most D times that, whether or not C holds the origin.
    """
    moved = 2 * (BETA * D + L)
    domain = positive("beta", "D", "L", "t")
    return [equal(D * moved / T, formulas.repaired_span(TERM, D, BETA * D + L, T), domain, "the declared span")]


@erratum(
    "S-7",
    item="Theorem 3.4, proof (S-7; E-4)",
    about=(f"{_FOLDER}.printed_span",),
    repaired_by="S-9",
)
def s_7() -> Sequence[Goal]:
    r"""The first record in the printed recursion.

    As printed: $\|d_t-d_t'\|_\infty\le\frac{2(\beta D+L)}{t+1}$ for every record. The printed recursion starts from
    $d_1=\nabla f(\theta_1;x_1)$, so that $(t+1)d_t=2\nabla f(\theta_1;x_1)+\dots$, and the first record moves $d_t$ by
    $\frac{4L}{t+1}$. False at $\beta=0$; the library declares the larger of both.
    """
    g, start = sp.symbols("g f")
    first = g + (1 - 1 / (T + 1)) * (start - X)  # one step from d_{t-1} = 2 f / t
    declared = formulas.printed_span(TERM, sp.Integer(1), sp.Integer(1), sp.Integer(1), T)
    return [
        goal(
            (T + 1) * first.subs({g: 0, X: 0, start: 2 * S / T}) - 2 * S, "==", positive("t") + numbers("S"),
            note="the first gradient keeps its weight 2 / (t + 1)",
        ),
        goal(declared - 4 / (T + 1), "==", positive("t"), note="declared at D = L = 1, beta = 0"),
        refutation(2 * (BETA * D + L) - 4 * L, ">=", nonnegative("beta") + positive("D", "L"), beta=0, D=1, L=1),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------ Theorem 3.4


def _log_step() -> k.Fact:
    """``log(t) - log(t - 1) >= t / (t + 1)^2`` for t >= 3, from ``log(1 - 1/t) <= -1/t``."""
    later = natural("t", 3)
    line = k.instantiate(log_below_line(), ((sp.Symbol("x"), (T - 1) / T),), later)
    rest = k.sign(1 / T - T / (T + 1) ** 2, ">=", later)
    return k.combine(sp.log(T) - sp.log(T - 1) - T / (T + 1) ** 2, ">=", ((sp.S.One, line), (sp.S.One, rest)), later)


def _squares_below_log() -> k.Fact:
    """``log t - log 2 >= Sum(j / (j + 1)^2, j = 3..t)``."""
    start = k.sign(sp.S.Zero, ">=", ())
    return induction.summation(
        J / (J + 1) ** 2, J, 3, T, sp.log(T) - sp.log(2), ">=", sp.S.One, start, _log_step(), natural("t", 2)
    )


def _printed(t: sp.Expr) -> sp.Expr:
    """Epsilon of choice t, of a record after the first, with the noise of line 8."""
    span = formulas.repaired_span(TERM, D, S, t + 1)  # 2 D S / (t + 1)
    scale = formulas.printed_scale(TERM, D, S, LOG_N, LAMBDA, EPSILON, t)
    found: sp.Expr = exponential.noisy_max_epsilon(TERM, span, scale)
    return found


@obligation(
    "PO-33",
    item="Theorem 3.4, repaired",
    about=(f"{_FOLDER}.printed_scale", f"{_FOLDER}.printed_epsilon", _LOSS),
    premises=("PO-32", "PO-34"),
    theorems=(
        proven("Failures.approximate_dp_filter", "advanced composition of choices among finitely many vertices"),
    ),
)
def po_33() -> Sequence[Goal]:
    r"""The privacy loss of the printed noise.

    Line 8 adds $\frac{t+1}t$ times the noise of the proof, so that of a record after the first choice t is
    $\frac t{t+1}\varepsilon_t$-DP. For $n\ge2$, $\sum_{t\le n}\frac t{(t+1)^2}\le\ln n$, so that the squares add to at
    most $\frac{\varepsilon^2}{4\Lambda}$, $\Lambda=\ln\frac1\delta$, and the total is at most
    $\frac{\varepsilon^2}{8\Lambda}+\frac\varepsilon{\sqrt2}\le\varepsilon$ for
    $\varepsilon\le8(1-\frac1{\sqrt2})\Lambda$.
    """
    domain = positive("D", "S", "l", "Lambda", "epsilon", "t")
    proof = formulas.printed_epsilon(TERM, LOG_N, LAMBDA, EPSILON, T)
    squares = EPSILON**2 / (4 * LAMBDA)
    share = sp.Symbol("c")  # what the deviation leaves of epsilon
    found = _squares_below_log().claim
    return [
        goal(_printed(T) - T / (T + 1) * proof, "==", domain, note="epsilon of a choice"),
        goal(_printed(T) ** 2 - squares / LOG_N * (T / (T + 1) ** 2), "==", domain, note="its square"),
        of_fact(_squares_below_log, found.expr, found.relation, found.domain, "the sum from its third term on"),
        goal(
            sp.log(2) - sp.Rational(1, 4) - sp.Rational(2, 9), ">", (), lambda c: balls.cover(c.expr, (), "0", 64),
            "its first two terms",
        ),
        goal(
            sp.sqrt(2 * LAMBDA * squares) - EPSILON / sp.sqrt(2), "==", domain,
            note="the deviation, with the squares in full",
        ),
        goal(
            (EPSILON * share - squares / 2).subs(LAMBDA, EPSILON / (8 * share) + X), ">=",
            positive("epsilon", "c") + nonnegative("x"), note="Lambda = epsilon / (8 c) + x with c = 1 - 1 / sqrt 2",
        ),
    ]  # fmt: skip


@erratum(
    "E-5",
    item="Theorem 3.4",
    about=(f"{_FOLDER}.printed_scale",),
    repaired_by="PO-33",
)
def e_5() -> Sequence[Goal]:
    r"""Theorem 3.4 for every n, epsilon and delta.

    As printed: with the noise of the proof $\frac{\varepsilon^2H_n}{4\ln n\ln\frac1\delta}
    +\varepsilon\sqrt{\frac{H_n}{2\ln n}}\le\varepsilon$, and the scale of line 8 is positive. False at $n=2$,
    $\varepsilon=1$, $\delta=\frac1{10}$ (1.28), and, for large n, at $\varepsilon=100$, $\delta=\frac1{10}$,
    $n=100$, even with $\frac{t}{t+1}\varepsilon_t$; at $n=1$ the scale is zero.
    """
    scale = formulas.printed_scale(TERM, D, S, sp.S.Zero, LAMBDA, EPSILON, T)

    def total(epsilon: int, log_n: sp.Expr, squares: sp.Expr) -> sp.Expr:
        spent = sp.Integer(epsilon) ** 2 * squares / (4 * log_n * sp.log(10))
        return spent + sp.sqrt(2 * sp.log(10) * spent)

    harmonic = sp.Rational(3, 2)
    shrunk = sum((sp.Rational(t, (t + 1) ** 2) for t in range(1, 101)), sp.S.Zero)
    return [
        refutation(1 - total(1, sp.log(2), harmonic), ">=", (), note="n = 2, epsilon = 1, delta = 1/10"),
        refutation(100 - total(100, sp.log(100), shrunk) / 2, ">=", (), note="n = 100, epsilon = 100, half of it"),
        refutation(scale, ">", positive("D", "S", "Lambda", "epsilon", "t"),
                   D=1, S=1, Lambda=1, epsilon=1, t=1, note="the scale at n = 1"),
        equal(formulas.printed_scale(TERM, D, S, X, LAMBDA, EPSILON, T), 4 * D * S * sp.sqrt(X * LAMBDA / T) / EPSILON,
              positive("D", "S", "x", "Lambda", "epsilon", "t"), "the scale of line 8, x = ln n"),
    ]  # fmt: skip


def _response() -> sp.Expr:
    """The divergence of randomised response."""
    found: sp.Expr = E * (sp.exp(E) - 1) / (sp.exp(E) + 1)
    return found


@obligation(
    "PO-34",
    item="Theorem 3.4, proof",
    theorems=(
        proven("Concentrated.expected_loss", "no choice that is epsilon-DP has a larger divergence"),
        proven("Mechanisms.response_attains_the_mean_loss", "randomised response has that divergence"),
    ),
)
def po_34() -> Sequence[Goal]:
    r"""The divergence of a choice.

    $\varepsilon$-DP implies $\mathrm{KL}\le\varepsilon\tanh\frac\varepsilon2\le\frac{\varepsilon^2}2$, the value of
    randomised response; and $\varepsilon(e^\varepsilon-1)\ge\varepsilon^2$, the printed bound, is not below it.
    """
    domain = positive("e")
    likely = sp.exp(E) / (sp.exp(E) + 1)
    slope = E * (sp.exp(E) + 1) / 2 - sp.exp(E) + 1  # grows from 0

    def prove(c: Claim) -> k.Fact:
        flat = grow(sp.diff(slope, E), E, domain)
        return k.combine(c.expr, ">=", ((E / (sp.exp(E) + 1), grow(slope, E, domain, growth=flat)),), domain)

    def above(c: Claim) -> k.Fact:
        line = k.instantiate(exp_above_line(), ((sp.Symbol("u"), E),), domain)
        return k.combine(c.expr, ">=", ((E, line),), domain)

    return [
        goal(likely * E - (1 - likely) * E - _response(), "==", domain, note="randomised response"),
        goal(E**2 / 2 - _response(), ">=", domain, prove, "at most half of the square"),
        goal(E * (sp.exp(E) - 1) - E**2, ">=", domain, above, "the printed bound is larger"),
    ]


# ------------------------------------------------------------------------------------ what the library calibrates


@obligation(
    "choices-zcdp",
    item="Theorem 3.4, safe form (A-4)",
    about=(f"{_FOLDER}.choice_rate", f"{_FOLDER}.choice_scale"),
    premises=("PO-32", "exponential-mechanism/zcdp", "zcdp/rho-of-epsilon"),
)
def choices_zcdp() -> Sequence[Goal]:
    r"""Algorithm 2 with the weights 1/t and mended noise is rho-zCDP for every n.

    The differences of the scores of round t move by at most $\Delta=\frac{2D(\beta D+L)}t$ (S-9). With noise of the
    scale $\frac{\Delta\sqrt t}{c_n}$ the choice has $\varepsilon_t=\frac{c_n}{\sqrt t}$: it costs
    $w\varepsilon_t^2$ in zCDP, with $w=\frac12$ for Laplace noise and $w=\frac18$ for Gumbel noise. At
    $c_n=\sqrt{\rho/(wH_n)}$, $H_n=\sum_{t\le n}\frac1t$, the n choices add to $\rho$. No condition on n,
    $\varepsilon$ or $\delta$ is needed.
    """
    domain = positive("rho", "H", "w_t", "t", "Delta")
    rate = formulas.choice_rate(TERM, RHO, HARMONIC, WEIGHT)
    spent = exponential.noisy_max_epsilon(TERM, SPAN, formulas.choice_scale(TERM, SPAN, rate, T))
    return [
        goal(WEIGHT * spent**2 - RHO / (HARMONIC * T), "==", domain, note="of choice t; the sum of 1/t is H"),
    ]
