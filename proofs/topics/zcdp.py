"""Zero-concentrated differential privacy: composition and conversions."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.privacy.closed_forms import conversions
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.registry import Goal, Paper, derivative, goal, proven
from proofs.search import States, fixed, grow, loop_value, nonnegative, numbers, positive, sum_of_squares
from proofs.topics.convexity import ALPHA, BETA, Y, bernoulli, moment, nothing

obligation = Paper("zcdp", "bun2016concentrated").obligation
RHO, L, EPSILON, D, W, X, U = sp.symbols("rho L epsilon D w x u")
P, Q, SHARE, R, M, S, J, GAIN = sp.symbols("p q i r M S j d")
ALL_P, ALL_Q = sp.symbols("P Q")
_ORDER = numbers("alpha", lo=1)


def log_below_line() -> k.Fact:
    """``x - 1 - log x >= 0`` for every x > 0."""
    f = X - 1 - sp.log(X)
    left = grow(f, X, numbers("x", lo=0, hi=1, ends="(]"), anchor="hi")
    return k.join(left, grow(f, X, numbers("x", lo=1, ends="()")), X)


def exp_above_line() -> k.Fact:
    """``exp u - 1 - u >= 0`` for every real u."""
    f = sp.exp(U) - 1 - U
    left = grow(f, U, numbers("u", hi=0, ends="(]"), anchor="hi")
    return k.join(left, grow(f, U, numbers("u", lo=0, ends="()")), U)


@obligation("log-below-line", numbers=True)
def lines() -> Sequence[Goal]:
    r"""log x is at most x - 1.

    $\ln x\le x-1$ for every $x>0$, and $e^u\ge1+u$ for every real $u$.
    """
    return [
        goal(X - 1 - sp.log(X), ">=", numbers("x", lo=0), lambda _: log_below_line()),
        goal(sp.exp(U) - 1 - U, ">=", numbers("u"), lambda _: exp_above_line()),
    ]


@obligation(
    "composition",
    stated_by=("zcdp_composition", "AnyOutputs.zcdp_after"),
    item="Lemma 1.7",
    about=("conversions.zcdp_renyi",),
    theorems=(
        proven("AnyOutputs.zcdp_after", "adaptive composition of zCDP (Lemma 1.7), on any output space"),
        proven("AnyOutputs.zcdp_answers", "and of any number of answers"),
        proven("AnyOutputs.divergence_of_masses", "where the divergence is at most that of masses"),
        proven("AnyOutputs.divergence_of_densities", "and at most that of positive densities"),
        proven("AnyOutputs.divergence_seen", "and what is seen through finitely many outcomes has no larger one"),
        proven("Renyi.zcdp_composition", "adaptive composition on finite output spaces, by moments"),
        proven("Renyi.zcdp_k_fold", "and of any number of mechanisms"),
    ),
)
def composition() -> Sequence[Goal]:
    r"""zCDP composes additively.

    $\rho_1$-zCDP followed adaptively by $\rho_2$-zCDP is $(\rho_1+\rho_2)$-zCDP. Where answers are finitely many, the
    joint moment $\sum_yp_y^\alpha q_y^{1-\alpha}M_y$, $M_y\le e^{(\alpha-1)\rho_2\alpha}$ the second mechanism's after
    the answer y, is at most $e^{(\alpha-1)\rho_2\alpha}\sum_yp_y^\alpha q_y^{1-\alpha}$, for any number of answers; on
    any output space Hölder's inequality, first given y and then for y, says the same of every test.
    """
    a, b, u, v = sp.symbols("rho_1 rho_2 u v")
    both = conversions.zcdp_renyi(TERM, a, ALPHA) + conversions.zcdp_renyi(TERM, b, ALPHA)
    most = sp.exp((ALPHA - 1) * conversions.zcdp_renyi(TERM, b, ALPHA))
    # An answer of the first mechanism adds m to its moment M, and m j most, j in [0, 1], to the joint one, S.
    own = fixed(ALPHA, b)
    states = (*own, (M, sp.S.Zero, M + moment(P, Q)), (S, sp.S.Zero, S + moment(P, Q) * J * most))
    domain = _ORDER + numbers("alpha_0", lo=1) + positive("rho_2", "rho_2_0", "p", "q") + nonnegative("M", "S")
    domain += numbers("j", lo=0, hi=1, ends="[]")

    def prove(c: Claim) -> k.Fact:
        step = k.sign(moment(P, Q) * most * (1 - J), ">=", c.domain)
        return induction.loop(most * M - S, ">=", states, sp.S.One, nothing(c, states), step, c.domain)

    return [
        goal(moment(P * u, Q * v) - moment(P, Q) * moment(u, v), "==", _ORDER + positive("p", "q", "u", "v")),
        goal(loop_value(most * M - S, states), ">=", domain, prove, "the joint moment, answer by answer"),
        goal(conversions.zcdp_renyi(TERM, a + b, ALPHA) - both, "==", _ORDER + positive("rho_1", "rho_2")),
    ]


@obligation(
    "post-processing",
    stated_by=("Renyi.zcdp_post_processing",),
    item="Lemma 1.8",
    theorems=(
        proven("Renyi.zcdp_post_processing", "zCDP survives post-processing (Lemma 1.8)"),
        proven("PostProcessing.zcdp_on_post", "on any output space, seen through finitely many outcomes"),
        proven("Events.map_on", "for a map of the output, at every order"),
    ),
)
def post_processing() -> Sequence[Goal]:
    r"""zCDP survives post-processing.

    On finite output spaces a (random) function of the output has no larger Rényi divergence: when outcomes lead to one
    answer, $(\sum p_i)^\alpha(\sum q_i)^{1-\alpha}\le\sum p_i^\alpha q_i^{1-\alpha}$, however many, by
    $x^\alpha\ge1+\alpha(x-1)$, and an outcome that only q has lowers the left side; an outcome that is split with
    shares j keeps its term, as the shares add up to one.
    """
    own, merged = fixed(ALPHA), (P + ALL_P, Q + ALL_Q)
    start = {x: sp.Symbol(f"{x.name}_0") for x in (ALPHA, P, Q)}
    first = (moment(P, Q).subs(start, simultaneous=True), start[P], start[Q])
    states = (*own, (M, first[0], M + moment(P, Q)), (ALL_P, first[1], merged[0]), (ALL_Q, first[2], merged[1]))
    domain = _ORDER + numbers("alpha_0", lo=1) + positive("M", "P", "Q", "p", "q", "p_0", "q_0")
    slack = M - moment(ALL_P, ALL_Q)

    def tangent(p: sp.Expr, q: sp.Expr) -> k.Fact:
        y = sp.log(p) - sp.log(q) - sp.log(merged[0]) + sp.log(merged[1])
        return k.instantiate(bernoulli(), ((Y, y), (BETA, ALPHA - 1)), domain)

    def prove(c: Claim) -> k.Fact:
        at = sp.exp(ALPHA * (sp.log(merged[0]) - sp.log(merged[1])))
        step = moment(ALL_P, ALL_Q) + moment(P, Q) - moment(*merged)
        both = ((ALL_Q * at, tangent(ALL_P, ALL_Q)), (Q * at, tangent(P, Q)))
        grown = k.combine(step, ">=", both, c.domain)
        return induction.loop(slack, ">=", states, sp.S.One, nothing(c, states), grown, c.domain)

    return [
        goal(loop_value(slack, states), ">=", domain, prove, "outcomes that are merged, p and q positive"),
        goal(
            moment(ALL_P, ALL_Q) - moment(ALL_P, ALL_Q + Q), ">=", _ORDER + positive("P", "Q") + nonnegative("q"),
            lambda c: grow(c.expr, Q, c.domain), "one more, of p = 0",
        ),
        goal(moment(P * J, Q * J) - J * moment(P, Q), "==", _ORDER + positive("p", "q", "j"), note="one that is split"),
    ]  # fmt: skip


def pointwise_log() -> tuple[sp.Expr, k.Fact]:
    """``log c - (alpha-1) w - log(1 - exp(-w)) >= 0``, c the constant of the optimised conversion, for w > 0."""
    domain = _ORDER + positive("w")
    v = sp.exp(-W)
    first, second = ALPHA * (1 - v), v * ALPHA / (ALPHA - 1)
    line = log_below_line()
    one = k.instantiate(line, ((X, first),), domain)
    two = k.instantiate(line, ((X, second),), domain)
    gap = (ALPHA - 1) * sp.log(1 - 1 / ALPHA) - sp.log(ALPHA) - sp.log(1 - v) + (ALPHA - 1) * W
    return gap, k.combine(gap, ">=", ((sp.S.One, one), (ALPHA - 1, two)), domain)


def _pointwise(c: Claim) -> k.Fact:
    """From the logarithm to the thing itself: exp b - exp a >= exp a (b - a)."""
    gap, fact = pointwise_log()
    low = 1 - sp.exp(-W)
    line = k.instantiate(exp_above_line(), ((U, gap),), fact.claim.domain)
    return k.combine(c.expr, ">=", ((low, line), (low, fact)), c.domain)


def everywhere() -> k.Fact:
    """The same for every real w: for w <= 0 the left side, ``1 - exp(-w)``, is not positive."""
    point = conversions.renyi_delta_optimised(TERM, EPSILON + W, ALPHA, EPSILON)
    claim = point - (1 - sp.exp(-W))
    rest = _ORDER + numbers("epsilon")
    below = k.sign(claim, ">", rest + numbers("w", hi=0, ends="(]"))
    return k.join(below, _pointwise(Claim(claim, ">=", rest + numbers("w", lo=0))), W)


def _gain(claim: Claim, states: States) -> k.Fact:
    """An outcome adds ``p ((1 - i) c(w) + i (c(w) - (1 - exp(-w)))) + r``, w its privacy loss less epsilon."""
    loss, outcome = sp.log(P) - sp.log(Q), (ALPHA, EPSILON, P, Q, SHARE, R)
    domain = tuple(d for d in claim.domain if d.symbol in outcome)
    point = conversions.renyi_delta_optimised(TERM, loss, ALPHA, EPSILON)
    known = k.instantiate(everywhere(), ((W, loss - EPSILON),), domain)
    least = k.sign((1 - SHARE) * P * point + R, ">=", domain)
    step = P * point - SHARE * (P - sp.exp(EPSILON) * Q) + R
    fact = k.combine(step, ">=", ((sp.S.One, least), (SHARE * P, known)), domain)
    starts = {x: sp.Symbol(f"{x.name}_0") for x in outcome}
    rest = tuple(d for d in claim.domain if d.symbol not in [x for x, _, _ in states])
    base = k.instantiate(fact, tuple(starts.items()), rest)
    return induction.loop(_slack(), ">=", states, sp.S.One, base, fact, claim.domain)


def _slack() -> sp.Expr:
    """delta of the conversion, less what the test has gained."""
    return conversions.renyi_delta_optimised(TERM, sp.log(M) / (ALPHA - 1), ALPHA, EPSILON) - GAIN


@obligation(
    "to-dp-optimised",
    stated_by=("renyi_to_dp_optimised",),
    item="Proposition 12",
    citation="canonne2020discrete",
    about=("conversions.renyi_delta_optimised", "conversions.renyi_epsilon_optimised"),
    theorems=(
        proven("Conversion.renyi_to_dp_optimised", "a divergence of order alpha is (epsilon, delta)-DP"),
        proven("Events.renyi_on_to_dp_optimised", "on any output space, seen through finitely many outcomes"),
    ),
)
def to_dp_optimised() -> Sequence[Goal]:
    r"""The optimised conversion of a Rényi divergence.

    On finite output spaces, $D_\alpha(P\|Q)\le D$ at an $\alpha>1$ implies $P(E)\le e^\varepsilon Q(E)+\delta$ for
    every event E, with $\delta=\frac{e^{(\alpha-1)(D-\varepsilon)}}{\alpha-1}(1-\frac1\alpha)^\alpha$. The formulas say
    it of tests that count an outcome with a share in $[0,1]$, outcome by outcome and however many, as $1-e^{-w}\le
    e^{(\alpha-1)w}\,\frac1\alpha(1-\frac1\alpha)^{\alpha-1}$ for every real w, by two instances of $\ln x\le x-1$; and
    $\varepsilon$ of the conversion inverts its $\delta$.
    """
    domain = _ORDER + positive("w") + numbers("epsilon")
    point = conversions.renyi_delta_optimised(TERM, EPSILON + W, ALPHA, EPSILON)
    inverse = conversions.renyi_epsilon_optimised(TERM, D, ALPHA, L)
    back = conversions.renyi_delta_optimised(TERM, D, ALPHA, inverse)
    # An outcome adds to the moment M, and i (p - exp(epsilon) q) - r to the gain; r >= 0: outcomes with p = 0 lose.
    orders = _ORDER + numbers("alpha_0", lo=1) + numbers("epsilon", "epsilon_0")
    own, gain = fixed(ALPHA, EPSILON), SHARE * (P - sp.exp(EPSILON) * Q) - R
    starts = {x: sp.Symbol(f"{x.name}_0") for x in (ALPHA, EPSILON, P, Q, SHARE, R)}
    first = [e.subs(starts, simultaneous=True) for e in (moment(P, Q), gain)]
    states = (*own, (M, first[0], M + moment(P, Q)), (GAIN, first[1], GAIN + gain))
    outcomes = positive("p", "q", "p_0", "q_0") + nonnegative("r", "r_0")
    outcomes += numbers("i", "i_0", lo=0, hi=1, ends="[]") + positive("M") + numbers("d")
    return [
        goal(point - (1 - sp.exp(-W)), ">=", domain, _pointwise, "z = epsilon + w"),
        goal(
            loop_value(_slack(), states), ">=", orders + outcomes,
            lambda c: _gain(c, states), "delta of the moment, less what a test gains, however many outcomes there are",
        ),
        goal(back - sp.exp(-L), "==", _ORDER + numbers("D", "L")),
    ]  # fmt: skip


def _never_below(c: Claim) -> k.Fact:
    """log(alpha) / (alpha - 1) > 0 and log(1 - 1/alpha) <= -1/alpha."""
    line = k.instantiate(log_below_line(), ((X, 1 - 1 / ALPHA),), _ORDER)
    parts = (sp.log(ALPHA) / (ALPHA - 1), 1 / ALPHA)
    return k.combine(c.expr, ">", ((sp.S.One, line), *((sp.S.One, k.sign(p, ">", _ORDER)) for p in parts)), c.domain)


def spare() -> k.Fact:
    """``(1 + s) log(1 + s) - s log s > 0`` for s > 0: ``s (log(1 + s) - log s) + log(1 + s)``."""
    s = sp.Symbol("s")
    line = k.instantiate(log_below_line(), ((X, s / (1 + s)),), positive("s"))
    rest = k.sign(s / (1 + s) + sp.log(1 + s), ">", positive("s"))
    return k.combine((1 + s) * sp.log(1 + s) - s * sp.log(s), ">", ((s, line), (sp.S.One, rest)), positive("s"))


def _chain(c: Claim) -> k.Fact:
    """The ratio of the two is exp of `spare`, which is above one plus `spare`."""
    s = sp.Symbol("s")
    room = spare()
    line = k.instantiate(exp_above_line(), ((U, room.claim.expr),), c.domain)
    delta = sp.exp(-RHO * s**2 - room.claim.expr)
    return k.combine(c.expr, ">", ((delta, line), (delta, k.instantiate(room, (), c.domain))), c.domain)


@obligation(
    "to-dp",
    published="Proposition 1.3",
    item="Proposition 1.3",
    about=("conversions.zcdp_epsilon", "conversions.renyi_epsilon", "conversions.zcdp_renyi"),
    premises=("to-dp-optimised",),
)
def to_dp() -> Sequence[Goal]:
    r"""zCDP to approximate DP.

    A $\rho$-zCDP mechanism is $(\rho+2\sqrt{\rho L},\delta)$-DP for every $\delta\in(0,1)$, with $L=\ln\frac1\delta$.
    The formulas: $\rho+2\sqrt{\rho L}=\min_{\alpha>1}\big(\rho\alpha+\frac L{\alpha-1}\big)$, attained at
    $\alpha=1+\sqrt{L/\rho}$, and $\rho\alpha+\frac L{\alpha-1}$ is never below the optimised conversion.
    """
    domain = _ORDER + positive("rho", "L")
    curve = conversions.renyi_epsilon(TERM, conversions.zcdp_renyi(TERM, RHO, ALPHA), ALPHA, L)
    least = conversions.zcdp_epsilon(TERM, RHO, L)
    s = sp.sqrt(ALPHA - 1)
    root = sp.Symbol("s")
    log, spent = RHO * root**2, conversions.zcdp_renyi(TERM, RHO, 1 + root)
    epsilon = conversions.zcdp_epsilon(TERM, RHO, log)
    slack = conversions.renyi_epsilon(TERM, D, ALPHA, L) - conversions.renyi_epsilon_optimised(TERM, D, ALPHA, L)
    return [
        goal(
            curve - least, ">=", domain,
            sum_of_squares((sp.S.One, sp.sqrt(RHO) * s - sp.sqrt(L) / s)),
            "one square",
        ),
        goal(curve.subs(ALPHA, 1 + sp.sqrt(L / RHO)) - least, "==", positive("rho", "L"), note="attained"),
        goal(slack, ">", _ORDER + numbers("D") + positive("L"), _never_below),
        goal(
            sp.exp(-log) - conversions.renyi_delta_optimised(TERM, spent, 1 + root, epsilon), ">",
            positive("rho", "s"), _chain, "the whole chain at alpha = 1 + s, L = rho s^2",
        ),
    ]  # fmt: skip


@obligation(
    "rho-of-epsilon",
    numbers=True,
    item="Proposition 1.3",
    about=("conversions.zcdp_rho", "conversions.zcdp_epsilon"),
)
def rho_of_epsilon() -> Sequence[Goal]:
    r"""The rho that spends a given epsilon.

    $\rho=(\sqrt{\varepsilon+L}-\sqrt L)^2$ is the inverse of $\rho\mapsto\rho+2\sqrt{\rho L}$, which grows with $\rho$.
    """
    rho = conversions.zcdp_rho(TERM, EPSILON, L)
    epsilon = conversions.zcdp_epsilon(TERM, RHO, L)
    rate = sp.diff(epsilon, RHO)
    return [
        goal(rho - (sp.sqrt(EPSILON + L) - sp.sqrt(L)) ** 2, "==", positive("epsilon", "L")),
        goal(conversions.zcdp_epsilon(TERM, rho, L) - EPSILON, "==", positive("epsilon", "L")),
        goal(conversions.zcdp_rho(TERM, epsilon, L) - RHO, "==", positive("rho", "L")),
        derivative(epsilon, RHO, rate, positive("rho", "L")),
        goal(rate, ">", positive("rho", "L")),
    ]  # fmt: skip
