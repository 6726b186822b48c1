"""Appendix C: the lemmas of momentum, one by one (PO-19 to PO-31)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs import induction
from proofs import kernel as k
from proofs.algebra import Claim, Sum, total
from proofs.coordinates import in_coordinates
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import ZERO, fixed, natural, nonnegative, numbers, positive, unit
from proofs.sums import Series, after, loop_goal

_D = "dynamic-gradient-descent."
X, Y, W, A, B, C, J, N, S, T, I_, BETA, GAMMA, ETA, M = sp.symbols("x y w a b c j n s T i beta gamma eta_0 M")
ONE = sp.S.One
RATIO = sp.Symbol("b")
_BELOW = {BETA: RATIO * GAMMA}  # beta < gamma, as b gamma with b in (0, 1)


@obligation("PO-19", item="Eq. (28), corrected")
def po19() -> Sequence[Goal]:
    r"""Polarisation, with its factor one half.

    $-\langle u,v\rangle=\frac12(\|u-v\|^2-\|u\|^2-\|v\|^2)$ in every dimension, coordinate by coordinate.
    """
    half = sp.Rational(1, 2)
    terms = ((ONE, X * Y), (half, (X - Y) ** 2), (-half, X**2), (-half, Y**2))
    expr = sum((c * total(phi) for c, phi in terms), sp.S.Zero)

    def prove(_: Claim) -> k.Fact:
        return induction.accumulate(k.identity(sum(c * phi for c, phi in terms), sp.S.Zero, numbers("x", "y")), terms)

    return [goal(expr, "==", numbers("x", "y"), prove)]


def bias_corrected() -> Goal:
    """Eqs. (3) and (13) side by side: v - (1 - beta^t) m == 0 after every step, p = beta^t."""
    v, m, p, g = sp.symbols("v m p g")
    new = (BETA * (1 - p) * m + (1 - BETA) * g) / (1 - BETA * p)
    states = (
        *fixed(BETA),
        (p, ONE, BETA * p),
        (v, sp.S.Zero, BETA * v + (1 - BETA) * g),
        (m, sp.S.Zero, new),
    )
    domain = unit("beta", "beta_0") + numbers("p", lo=0, hi=1, ends="(]") + numbers("v", "m", "g")
    invariant = v - (1 - p) * m

    def step() -> k.Fact:
        return k.identity(after(invariant, states), BETA * invariant, domain)

    return loop_goal(invariant, "==", states, domain, "every number of steps", step=step, ratio=BETA)


@obligation("PO-20", item="Eqs. (3), (13)", about=(_D + "bias_corrected_weight",))
def po20() -> Sequence[Goal]:
    r"""Two forms of bias-corrected momentum.

    $(1-\beta)\sum_{i=1}^t\beta^{t-i}=1-\beta^t$; Eq. (3) and Eq. (13) give $v_{t+1}=(1-\beta^t)m_{t+1}$ after every
    step, whatever the gradients; after three steps the weights are those of `bias_corrected_weight`.
    """
    closed, term = 1 - BETA**T, (1 - BETA) * BETA ** (T - I_)

    g, v, m = sp.symbols("g1:4"), sp.S.Zero, []
    for t, x in enumerate(g, 1):
        v = BETA * v + (1 - BETA) * x
        m.append(v / (1 - BETA**t))
    spread = sum(schedules.bias_corrected_weight(TERM, BETA, 3, t) * x for t, x in enumerate(g, 1))
    return [
        Series(closed, term, I_, T, unit("beta"), BETA, ZERO).goal(""),
        bias_corrected(),
        equal(sum(m), spread, unit("beta") + numbers(*map(str, g)), note="the library's weights, T = 3"),
    ]


def jensen() -> tuple[sp.Expr, k.Fact]:
    """``total(w) total(w a^2) - total(w a)^2 >= 0`` over total(w): Cauchy-Schwarz with weights."""
    m, domain = sp.Symbol("m"), positive("w") + numbers("a", "m")
    term = k.squares(W * A**2 - 2 * m * W * A + m**2 * W, ((W, A - m),), domain)
    many = induction.accumulate(term, ((ONE, W * A**2), (-2 * m, W * A), (m**2, W)))
    rest = positive("w") + numbers("a")
    at = k.instantiate(many, ((m, total(W * A) / total(W)),), rest)
    expr = total(W) * total(W * A**2) - total(W * A) ** 2
    return expr, k.combine(expr, ">=", ((total(W), at),), rest)


@obligation("PO-21", item="proof of Theorem 4.6", premises=("PO-20",))
def po21() -> Sequence[Goal]:
    r"""Jensen for the momentum's weights.

    $\|\sum_iw_ia_i\|^2\le\sum_iw_i\sum_iw_i\|a_i\|^2$ for positive weights, coordinate by coordinate; with
    $w_i=(1-\beta)\beta^{t-i}$, $\sum w_i=1-\beta^t=b_t$.
    """
    expr, _ = jensen()
    return [goal(expr, ">=", positive("w") + numbers("a"), lambda _: jensen()[1])]


@obligation("PO-22", item="proof of Theorem 4.6")
def po22() -> Sequence[Goal]:
    r"""The square of a sum.

    $\|x+y\|^2\le2\|x\|^2+2\|y\|^2$ in every dimension, coordinate by coordinate: the difference is $\|x-y\|^2$.
    """
    expr = 2 * total(X**2) + 2 * total(Y**2) - total((X + Y) ** 2)
    return [goal(expr, ">=", numbers("x", "y"), in_coordinates((ONE, X - Y)))]


@obligation("PO-23", item="Lemma C.6")
def po23() -> Sequence[Goal]:
    r"""Cauchy-Schwarz.

    $\|\sum c_iv_i\|^2\le\sum c_i^2\sum\|v_i\|^2$ for $c_i>0$, coordinate by coordinate (and for real $c_i$ by a sign of
    $v_i$).
    """
    domain, m = positive("c") + numbers("a"), sp.Symbol("m")
    expr = total(C**2) * total(A**2) - total(C * A) ** 2

    def prove(_: Claim) -> k.Fact:
        term = k.squares(A**2 - 2 * m * C * A + m**2 * C**2, ((ONE, A - m * C),), domain + numbers("m"))
        many = induction.accumulate(term, ((ONE, A**2), (-2 * m, C * A), (m**2, C**2)))
        at = k.instantiate(many, ((m, total(C * A) / total(C**2)),), domain)
        return k.combine(expr, ">=", ((total(C**2), at),), domain)

    return [goal(expr, ">=", domain, prove)]


def swapped() -> Goal:
    """Eq. (21), one more k at a time: p = beta^n, s = sum of the u so far, left and right."""
    p, s, left, right, u, n = sp.symbols("p s left right u n")
    more = n * p
    states = (
        *fixed(BETA),
        (n, ONE, n + 1),
        (p, sp.Symbol("beta_0"), BETA * p),
        (s, sp.S.Zero, s + u),
        (left, sp.S.Zero, left + more * (s + u)),
        (right, sp.S.Zero, (right + s * more) + u * more),
    )
    domain = unit("beta", "beta_0") + numbers("n", lo=0) + numbers("p", lo=0) + numbers("s", "left", "right", "u")

    def step() -> k.Fact:
        return k.identity(after(left - right, states), left - right, domain)

    return loop_goal(left - right, "==", states, domain, "every t; u_j stands for w_(t-j)", step=step)


@obligation("PO-24", item="Eq. (21)")
def po24() -> Sequence[Goal]:
    r"""Swapping the sums.

    $\sum_{k=0}^{t-1}k\beta^k\sum_{i=t-k}^{t-1}w_i=\sum_{i=1}^{t-1}w_i\sum_{k=t-i}^{t-1}k\beta^k$: one more k adds
    $k\beta^k$ times the weights so far to both sides; written out for $t\le6$.
    """
    goals = [swapped()]
    for t in range(3, 7):
        w = dict(enumerate(sp.symbols(f"w1:{t}"), 1))
        left = sum((j * BETA**j * sum(w[i] for i in range(t - j, t)) for j in range(1, t)), sp.S.Zero)
        right = sum((w[i] * sum(j * BETA**j for j in range(t - i, t)) for i in w), sp.S.Zero)
        goals.append(equal(left, right, unit("beta") + numbers(*map(str, w.values())), note=f"t = {t}"))
    return goals


@obligation("PO-25", item="Lemma C.7, corrected")
def po25() -> Sequence[Goal]:
    r"""The inner sum of Lemma C.7.

    $\sum_{k=j}^{t-1}k\beta^k=\frac1{1-\beta}\big[j\beta^j+\frac{\beta^{j+1}-\beta^t}{1-\beta}-(t-1)\beta^t\big]\
    \le\frac1{1-\beta}\big[j\beta^j+\frac{\beta^{j+1}}{1-\beta}\big]$, $j=t-i\ge1$.
    """
    last = J + N  # t
    closed = (J * BETA**J + (BETA ** (J + 1) - BETA**last) / (1 - BETA) - (last - 1) * BETA**last) / (1 - BETA)
    bound = (J * BETA**J + BETA ** (J + 1) / (1 - BETA)) / (1 - BETA)
    term = (J + S - 1) * BETA ** (J + S - 1)
    rest = unit("beta") + numbers("j", lo=1, ends="[)")

    return [
        Series(closed, term, S, N, rest).goal("k = j + s - 1, t = j + n"),
        goal(bound - closed, ">=", rest + nonnegative("n")),
    ]


def arithmetic_geometric(a: sp.Expr) -> sp.Expr:
    """``sum of j a^j for j = 1..J`` in closed form."""
    return (a - a ** (J + 1)) / (1 - a) ** 2 - J * a ** (J + 1) / (1 - a)


@obligation("PO-26", item="Lemma C.7")
def po26() -> Sequence[Goal]:
    r"""The first moment of a geometric sequence.

    $\sum_{j=1}^Jja^j=\frac{a-a^{J+1}}{(1-a)^2}-J\frac{a^{J+1}}{1-a}\le\frac a{(1-a)^2}$ for $0<a<1$ and every J.
    """
    closed = arithmetic_geometric(A)
    return [
        Series(closed, S * A**S, S, J, unit("a")).goal(""),
        goal(A / (1 - A) ** 2 - closed, ">=", unit("a") + nonnegative("j")),
    ]


@obligation("PO-27", item="Lemma C.7")
def po27() -> Sequence[Goal]:
    r"""The constant two.

    $\frac a{(1-a)^2}+\frac\beta{1-\beta}\frac a{1-a}\le\frac{2a}{(1-a)^2}$ for $0<\beta\le a<1$;
    $\frac{2a}{(1-a)^2}=\frac{2\beta\gamma}{(\gamma-\beta)^2}$ at $a=\beta/\gamma$.
    """
    beta = A * RATIO
    gap = 2 * A / (1 - A) ** 2 - A / (1 - A) ** 2 - beta / (1 - beta) * A / (1 - A)
    a = BETA / GAMMA
    same = 2 * a / (1 - a) ** 2 - 2 * BETA * GAMMA / (GAMMA - BETA) ** 2
    return [
        goal(gap, ">=", unit("a") + numbers("b", lo=0, hi=1, ends="(]")),
        goal(same.subs(_BELOW), "==", unit("gamma", "b")),
    ]


@obligation("PO-28", item="Lemma C.7, with beta < gamma", premises=("PO-24", "PO-25", "PO-27"))
def po28() -> Sequence[Goal]:
    r"""Lemma C.7 for beta below gamma.

    For $0<\beta<\gamma<1$, the coefficient of every $\|v_{i+1}\|^2$:
    $\sum_{j=1}^J\gamma^{-j}\big[j\beta^j+\frac{\beta^{j+1}}{1-\beta}\big]\le\frac{2\beta\gamma}{(\gamma-\beta)^2}$ for
    every J; with PO-24 and PO-25 this is the lemma.
    """
    beta = A * GAMMA
    weight = beta / (1 - beta)
    term = (S + weight) * A**S
    closed = arithmetic_geometric(A) + weight * A * (1 - A**J) / (1 - A)
    bound = 2 * beta * GAMMA / (GAMMA - beta) ** 2

    def prove(c: Claim) -> k.Fact:
        rest = unit("a", "gamma")
        below = k.sign(bound - closed, ">=", rest + nonnegative("j"))
        return k.combine(c.expr, ">=", ((ONE, Series(closed, term, S, J, rest).fact()), (ONE, below)), c.domain)

    one = GAMMA ** (-S) * (S * beta**S + beta ** (S + 1) / (1 - beta))
    return [
        goal(bound - Sum(term, S, ONE, J), ">=", unit("a", "gamma") + natural("j"), prove, "beta = a gamma"),
        equal(one, term, unit("a", "gamma") + numbers("s", lo=1, ends="[)"), note="the same terms"),
    ]


@obligation("PO-29", item="Lemma C.6", about=(_D + "momentum_amplification",))
def po29() -> Sequence[Goal]:
    r"""The constant of Lemma C.6.

    $2(1-\beta)\frac{\eta_0}{2M}\cdot\frac{\eta_0^2}{4(1-\beta)^2}\cdot\frac1{1-\beta}\cdot\
    \frac{2\beta\gamma}{(\gamma-\beta)^2(1-\beta)}=\frac{\eta_0^3\beta\gamma}{2M(1-\beta)^3(\gamma-\beta)^2}=\
    \frac{\eta_0}{2M}A\eta_0^2$.
    """
    left = 2 * (1 - BETA) * ETA / (2 * M) * ETA**2 / (4 * (1 - BETA) ** 2) / (1 - BETA)
    left *= 2 * BETA * GAMMA / ((GAMMA - BETA) ** 2 * (1 - BETA))
    printed = ETA**3 * BETA * GAMMA / (2 * M * (1 - BETA) ** 3 * (GAMMA - BETA) ** 2)
    domain = unit("gamma", "b") + positive("eta_0", "M")
    amplified = ETA / (2 * M) * risk_bounds.momentum_amplification(TERM, BETA, GAMMA) * ETA**2
    return [goal((x - left).subs(_BELOW), "==", domain) for x in (printed, amplified)]


@obligation(
    "PO-30",
    item="Theorem 4.6, 4.6-C",
    about=(
        _D + "momentum_step_limit",
        _D + "momentum_step_limit_as_printed",
        _D + "momentum_amplification",
        _D + "momentum_slack",
        _D + "momentum_slack_as_printed",
    ),
)
def po30() -> Sequence[Goal]:
    r"""The step-size conditions.

    $1-\frac{\eta_0}2-A\eta_0^2\ge0\Leftrightarrow\eta_0\le\frac4{1+\sqrt{1+16A}}$, and with $\frac{\eta_0}4$ the
    printed $\frac8{1+\sqrt{1+64A}}$: at y times the limit the slack is $(1-y)(1+yA\eta^2)$, $\eta$ the limit.
    """
    goals = []
    a = sp.Symbol("A")
    amplification = risk_bounds.momentum_amplification(TERM, BETA, GAMMA)
    for limit, slack, part in (
        (risk_bounds.momentum_step_limit, schedules.momentum_slack, 2),
        (risk_bounds.momentum_step_limit_as_printed, schedules.momentum_slack_as_printed, 4),
    ):
        eta = limit(TERM, a)
        domain = positive("A") + nonnegative("y")
        product = (1 - Y) * (1 + Y * a * eta**2)
        goals += [
            equal(1 - Y * eta / part - a * (Y * eta) ** 2, product, domain),
            goal(1 + Y * a * eta**2, ">", domain),
        ]
        whole = (1 - ETA / part - amplification * ETA**2).subs(_BELOW)
        left = slack(TERM, BETA, GAMMA, ETA).subs(_BELOW)
        goals.append(equal(left, whole, unit("gamma", "b") + positive("eta_0"), "the condition"))
    return goals


@obligation("PO-31", item="Theorem 4.6-C", about=(_D + "noise_unit",))
def po31() -> Sequence[Goal]:
    r"""The noise coefficient of momentum.

    $\frac{(1-\beta)^2\eta}{b_t^2}\frac{G^2D}{N^2}=R\eta_0\alpha\Delta_1\frac{(1-\beta)^2}{b_t^2}$ at
    $\eta=\frac{\eta_0}{2M}$ (the print has twice both).
    """
    g, d, r, gap = sp.symbols("G D R gap")
    eta = ETA / (2 * M)
    alpha = risk_bounds.noise_unit(TERM, d, g, r, M, N, gap)
    left = (1 - BETA) ** 2 * eta / B**2 * g**2 * d / N**2
    domain = unit("beta", "b") + positive("G", "D", "R", "gap", "n", "M", "eta_0")
    return [equal(left, r * ETA * alpha * gap * (1 - BETA) ** 2 / B**2, domain, "the noise's coefficient")]
