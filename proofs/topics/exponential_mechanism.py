"""The exponential mechanism: the ratio of two output probabilities, for any finite set of candidates."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.mechanisms import exponential
from dpref.privacy.closed_forms import conversions
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.registry import Goal, goal, obligation, proven, read_as
from proofs.search import States, fixed, loop_value, numbers, positive
from proofs.topics.convexity import two_points

D, TAU, ALPHA, EPSILON = sp.symbols("Delta lambda alpha epsilon")
X, Y, G, M, A, B = sp.symbols("x y g m a b")
_MOVE = numbers("g", "m", lo=0, hi=2, ends="[]")  # scores move by Delta (g - 1) and Delta (1 - m)
# The candidate that is looked at, any other one, and their weights on both sides; the two sums of weights are a and b.
_OWN, _OTHER = (sp.exp(X / TAU), sp.exp((X + D * (G - 1)) / TAU)), (sp.exp(Y / TAU), sp.exp((Y + D * (1 - M)) / TAU))


def _pure(claim: Claim, states: States) -> k.Fact:
    """The first candidate is the one that is looked at; the others join the sums one after the other.

    When weights w and w' join a and b, ``exp(epsilon) p'/b - p/a`` becomes ``a b / ((a + w) (b + w'))`` times itself
    and ``(exp(epsilon) p' w - p w') / ((a + w) (b + w'))``, which is not negative.
    """
    w, moved = _OTHER
    joined = (A + w) * (B + moved)
    rest = tuple(d for d in claim.domain if d.symbol not in [x for x, _, _ in states])
    epsilon = exponential.selection_range(TERM, D, TAU)
    step = k.sign((sp.exp(epsilon) * _OWN[1] * w - _OWN[0] * moved) / joined, ">=", claim.domain)
    base = k.sign(_ratio().subs({x: x0 for x, x0, _ in states}, simultaneous=True), ">=", rest)
    return induction.loop(_ratio(), ">=", states, A * B / joined, base, step, claim.domain)


def _ratio() -> sp.Expr:
    """``exp(epsilon) P'_i - P_i``."""
    return sp.exp(exponential.selection_range(TERM, D, TAU)) * _OWN[1] / B - _OWN[0] / A


@obligation(
    "exponential-mechanism/pure-dp",
    stated_by=("exponential_pure",),
    item="Theorem 6",
    citation="mcsherry2007mechanism",
    about=("exponential-mechanism.selection_range",),
    theorems=(proven("Mechanisms.exponential_pure", "the exponential mechanism is purely private"),),
)
def pure_dp() -> Sequence[Goal]:
    r"""The exponential mechanism is epsilon-DP.

    Candidates drawn with probability $P_i=e^{s_i/\lambda}/\sum_je^{s_j/\lambda}$, scores $s'_j$ on a neighbour with
    $|s'_j-s_j|\le\Delta$: $P_i\le e^\varepsilon P'_i$ with $\varepsilon=\frac{2\Delta}\lambda$ for every finite number
    of candidates, all real scores and every i. Candidate i comes first, and the others join the sums one after the
    other.
    """
    own = fixed(D, TAU, X, G)
    first = [p.subs({x: x0 for x, x0, _ in own}, simultaneous=True) for p in _OWN]
    states = (*own, (A, first[0], A + _OTHER[0]), (B, first[1], B + _OTHER[1]))
    domain = positive("Delta", "lambda", "a", "b", "Delta_0", "lambda_0") + numbers("x", "y", "x_0") + _MOVE
    domain += numbers("g_0", lo=0, hi=2, ends="[]")
    return [
        goal(
            loop_value(_ratio(), states), ">=", domain, lambda c: _pure(c, states),
            "exp(epsilon) P'_i - P_i, however many candidates have joined the sums a and b",
        )
    ]  # fmt: skip


@obligation(
    "exponential-mechanism/zcdp",
    stated_by=("Mechanisms.exponential_range", "exponential_zcdp"),
    item="Lemma 3.2",
    citation="cesar2021bounding",
    about=(
        "exponential-mechanism.selection_range",
        "exponential-mechanism.bounded_range_zcdp",
        "conversions.zcdp_renyi",
    ),
    premises=("renyi/bounded-range",),
    theorems=(
        proven("Mechanisms.exponential_range", "the exponential mechanism is of bounded range"),
        proven("Mechanisms.exponential_zcdp", "the exponential mechanism is zCDP"),
        proven("GumbelMax.gumbel_noisy_max", "the largest score with Gumbel noise is drawn by it"),
    ),
)
def zcdp() -> Sequence[Goal]:
    r"""The exponential mechanism is of bounded range, and so zCDP with an eighth of its square.

    If finitely many candidates have scores that move by at most $\Delta$ and are drawn with probability $P_i\propto
    e^{s_i/\lambda}$, then the ratios $\ln\frac{P_i}{P'_i}$ lie in an interval of length
    $\varepsilon=\frac{2\Delta}\lambda$, and the mechanism is $\frac{\varepsilon^2}8$-zCDP. The formulas:
    $\ln\frac{P_i}{P'_i}-\ln\frac{P_j}{P'_j}\le\varepsilon$ whatever the normalisers a and b are, with equality for
    opposite moves, and two points of that range.
    """
    width, domain = exponential.selection_range(TERM, D, TAU), positive("Delta", "lambda")
    drawn = domain + positive("a", "b") + numbers("x", "y")

    def loss(weights: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
        return sp.log(weights[0] / A) - sp.log(weights[1] / B)

    divergence = conversions.zcdp_renyi(TERM, exponential.bounded_range_zcdp(TERM, width), ALPHA)
    many, one, mass = sp.exp(ALPHA * width) - 1, sp.exp(width) - 1, sp.Symbol("m")
    points = sp.log(1 + mass * many) - ALPHA * sp.log(1 + mass * one)
    most = (loss(_OWN) - loss(_OTHER)).subs({G: 0, M: 0})
    return [
        goal(width - (loss(_OWN) - loss(_OTHER)), ">=", drawn + _MOVE, note="the range"),
        goal(width - most, "==", drawn, note="attained by opposite moves"),
        goal(
            (ALPHA - 1) * divergence - points, ">=",
            domain + numbers("m", lo=0, hi=1, ends="[]") + numbers("alpha", lo=1, ends="[)"),
            lambda c: k.instantiate(two_points(), ((EPSILON, width),), c.domain), "two points of that range",
        ),
    ]  # fmt: skip


read_as(
    "exponential-mechanism.permute_and_flip_probabilities",
    lambda: exponential.permute_and_flip_probabilities(TERM, (A, B)),
)


@obligation(
    "exponential-mechanism/permute-and-flip",
    stated_by=("permute_and_flip", "PermuteFlip.permute_and_flip_never_worse", "two_candidates"),
    citation="mckenna2020permute",
    about=("exponential-mechanism.permute_and_flip_probabilities", "exponential-mechanism.selection_range"),
    theorems=(
        proven("PermuteFlip.permute_and_flip_pure", "permute-and-flip is purely private"),
        proven("PermuteFlip.permute_and_flip_never_worse", "and never worse than the exponential mechanism"),
        proven("Flips.permute_and_flip_two", "its law for two candidates"),
    ),
)
def permute_and_flip() -> Sequence[Goal]:
    r"""Permute-and-flip is epsilon-DP and never worse than the exponential mechanism.

    Finitely many candidates in random order are each taken with probability $a_i=e^{(s_i-\max s)/\lambda}$ when they
    are reached. With scores that move by at most $\Delta$ this is $\frac{2\Delta}\lambda$-DP, and whatever one gains
    from the scores, if more is never worth less, one gains on average at least as much as with probabilities $\propto
    e^{s_i/\lambda}$. Of two candidates with $a=1$ and $a=b$ the second is taken with probability $\frac b2$; the
    formulas compare that with the exponential mechanism's $\frac b{1+b}$.
    """
    domain = numbers("b", lo=0, hi=1, ends="(]")
    first, second = exponential.permute_and_flip_probabilities(TERM, (sp.S.One, B))
    return [
        goal(first + second - 1, "==", domain, note="one in all"),
        goal(second - B / 2, "==", domain, note="the worse candidate"),
        goal(B / (1 + B) - second, ">=", domain, note="the exponential mechanism takes it no less often"),
        goal(exponential.selection_range(TERM, D, TAU) - 2 * D / TAU, "==", positive("Delta", "lambda")),
    ]
