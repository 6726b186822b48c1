"""Lemma C.7 and Theorem 4.6, repaired (4.6-C), for every number of steps: each recursion is a loop of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.terms import TERM
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import fixed, nonnegative, numbers, positive, unit
from proofs.sums import after, loop_goal

_D = "dynamic-gradient-descent."
GAMMA, ETA, KAPPA, M, P, Q, W, S, Y = sp.symbols("gamma eta_0 kappa M P Q w s y")
ONE, NIL = sp.S.One, sp.S.Zero
RATIO = sp.Symbol("b")
BETA = RATIO * GAMMA  # beta < gamma, as b gamma with b in (0, 1)
_BELOW = unit("b", "gamma")


def tail(n: sp.Expr, power: sp.Expr, beta: sp.Expr) -> sp.Expr:
    """``sum of k beta^k for k >= n``, where power is beta^n."""
    return (n * power + beta * power / (1 - beta)) / (1 - beta)


def drift_of(p: sp.Expr, q: sp.Expr, beta: sp.Expr) -> sp.Expr:
    """``sum of u_j tail(j)``, where p is the sum of u_j beta^j and q the sum of j u_j beta^j."""
    return (q + beta / (1 - beta) * p) / (1 - beta)


def summed_by_parts() -> Goal:
    """``sum k beta^k S_k + S_n tail(n + 1) == drift_of(P, Q)`` with ``S_k = u_1 + ... + u_k``, one more k at a time."""
    beta = sp.Symbol("beta")
    n, power, total, left, u = sp.symbols("n power S_n left u")
    more = n * power
    states = (
        *fixed(beta),
        (n, ONE, n + 1),
        (power, sp.Symbol("beta_0"), beta * power),
        (total, NIL, total + u),
        (left, NIL, left + more * (total + u)),
        (P, NIL, P + power * u),
        (Q, NIL, Q + more * u),
    )
    domain = unit("beta", "beta_0") + nonnegative("n", "power", "S_n", "left", "P", "Q", "u")
    # at the start power is beta_0, so the invariant is stated with the tail that begins at the next n
    invariant = drift_of(P, Q, beta) - left - total * tail(n, power, beta)
    note = "every t: what is left out is not negative"
    moved = after(invariant, states) - invariant
    return loop_goal(invariant, "==", states, domain, note, step=lambda: k.identity(moved, NIL, domain))


@obligation("lemma-C.6", item="Lemma C.6", premises=("PO-23", "PO-24", "PO-25", "PO-29"))
def lemma_c6() -> Sequence[Goal]:
    r"""The drift of the gradients.

    $\sum_{i\le t}\beta^{t-i}\|\nabla_t-\nabla_i\|^2\le\frac{\eta_0^2}{4(1-\beta)^2}\sum_kk\beta^kS_k$ with
    $S_k=\|v_t\|^2+\dots+\|v_{t-k+1}\|^2$, for an M-Lipschitz gradient and $\eta=\frac{\eta_0}{2M}$:
    $\|\nabla_t-\nabla_{t-k}\|^2\le M^2\|\theta_t-\theta_{t-k}\|^2$, Cauchy-Schwarz (PO-23), $b_i\ge1-\beta$; and
    $\sum_kk\beta^kS_k\le\frac1{1-\beta}\big[Q+\frac\beta{1-\beta}P\big]$ for every t, with $P=\sum_ju_j\beta^j$,
    $Q=\sum_jju_j\beta^j$, $u_j=\|v_{t-j+1}\|^2$, by summation by parts.
    """
    beta, number = sp.Symbol("beta"), sp.Symbol("k")
    eta = ETA / (2 * M)
    # k u: |sum of k steps|^2 <= k sum |eta v / b_i|^2 with b_i = 1 - beta y in [1 - beta, 1]
    one = M**2 * number * (eta / (1 - beta * Y)) ** 2 * W
    gap = ETA**2 / (4 * (1 - beta) ** 2) * number * W - one
    return [
        goal(
            gap,
            ">=",
            unit("beta") + positive("eta_0", "M") + nonnegative("k", "w") + numbers("y", lo=0, hi=1, ends="[]"),
            note="one of the k steps between two gradients",
        ),
        summed_by_parts(),
        goal(
            tail(sp.Symbol("n"), sp.Symbol("power"), beta) * sp.Symbol("S_n"),
            ">=",
            unit("beta") + nonnegative("n", "power", "S_n"),
            note="what is left out",
        ),
    ]


def c7_weights() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """What P and Q will still add to the left side, and the lemma's constant."""
    u, v = 1 / (1 - BETA), BETA / (1 - BETA) ** 2
    c = BETA * u / (GAMMA - BETA)
    a = BETA * (u + v + c) / (GAMMA - BETA)
    return a, c, 2 * BETA * GAMMA / ((GAMMA - BETA) ** 2 * (1 - BETA))


def c7_loop() -> Goal:
    """``K B - A - a P - c Q >= 0``: A the left side of Lemma C.7, B the sum on its right."""
    left, right = sp.symbols("A B")
    a, c, bound = c7_weights()
    moved_p, moved_q = BETA * (P + W), BETA * (Q + P + W)
    states = (
        *fixed(RATIO, GAMMA),
        (P, NIL, moved_p),
        (Q, NIL, moved_q),
        (left, NIL, GAMMA * left + drift_of(moved_p, moved_q, BETA)),
        (right, NIL, GAMMA * (right + W)),
    )
    domain = unit("b", "gamma", "b_0", "gamma_0") + nonnegative("P", "Q", "A", "B", "w")
    invariant = bound * right - left - a * P - c * Q

    def step() -> k.Fact:
        spare = k.sign(bound - a, ">=", _BELOW)
        return k.combine(after(invariant, states) - GAMMA * invariant, ">=", ((GAMMA * W, spare),), domain)

    return loop_goal(invariant, ">=", states, domain, "every T and all w", step=step, ratio=GAMMA)


@obligation("lemma-C.7", item="Lemma C.7, with beta < gamma", premises=("PO-25", "PO-27"))
def lemma_c7_repaired() -> Sequence[Goal]:
    r"""Lemma C.7, every number of steps at once.

    For $0<\beta<\gamma<1$ and all $w_i\ge0$: $\sum_{t\le T}\gamma^{T-t}\sum_{i<t}w_i\sum_{k\ge
    t-i}k\beta^k\le\frac{2\beta\gamma}{(\gamma-\beta)^2(1-\beta)}\sum_{i<T}\gamma^{T-i}w_i$ for every T (the inner sum
    of the lemma stops at $k=t-1$, so it is smaller). With $P=\sum_iw_i\beta^{t-i}$, $Q=\sum_i(t-i)w_i\beta^{t-i}$ the
    inner sums are $\frac1{1-\beta}[Q+\frac\beta{1-\beta}P]$ (PO-25), and left side plus $aP+cQ$, what P and Q will
    still add, stays below the right side.
    """
    a, c, bound = c7_weights()
    return [
        c7_loop(),
        goal(a, ">", _BELOW, note="what P will add"),
        goal(c, ">", _BELOW, note="what Q will add"),
        goal(bound - a, ">=", _BELOW, note="one new weight"),
    ]


# ------------------------------------------------------------------------------------ Theorem 4.6-C


def chain() -> Goal:
    r"""The risk, one step at a time; z noise, w the square of v, s all slacks of one step, h = zeta eta_0 / (4 M).

    F is gamma^T e_1, V the weighted sum of the noise, B the weighted sum of w, and a P + c Q what P and Q will add.
    """
    beta, a, c, h, e, noise, momentum, start, z = sp.symbols("beta a c h e V B F z")
    grown = GAMMA * e + z + (GAMMA - beta) * c * Q + ((GAMMA - beta) * a - beta * c) * P - (h + (a + c) * beta) * W - S
    states = (
        *fixed(beta, GAMMA, a, c, h),
        (e, sp.Symbol("e_1"), grown),
        (P, NIL, beta * (P + W)),
        (Q, NIL, beta * (Q + P + W)),
        (momentum, NIL, GAMMA * momentum + W),
        (noise, NIL, GAMMA * noise + z),
        (start, sp.Symbol("e_1"), GAMMA * start),
    )
    domain = (
        unit("beta", "gamma", "beta_0", "gamma_0")
        + positive("a", "a_0", "c", "c_0")
        + numbers("h", "h_0", "e", "e_1", "V", "F", "z")
        + nonnegative("P", "Q", "B", "w", "s")
    )
    invariant = start + noise - h * momentum - e - a * P - c * Q

    def step() -> k.Fact:
        return k.combine(after(invariant, states) - GAMMA * invariant, ">=", ((S, k.sign(ONE, ">", ())),), domain)

    return loop_goal(invariant, ">=", states, domain, "every T: the steps, chained", step=step, ratio=GAMMA)


def _one_step() -> list[Goal]:
    """Descent, polarisation, PL, Jensen, and the noise: what one step leaves of the risk."""
    # d = <grad, v>, q = |grad|^2, w = |v|^2, b = b_t, e = excess risk, s the slack in PL, mu = M / kappa
    d, q, e, b, drift, noise = sp.symbols("d q e b u_2 z")
    beta, eta = sp.Symbol("beta"), ETA / (2 * M)
    descent = -eta / b * d + M / 2 * (eta / b) ** 2 * W
    distance = b**2 * q - 2 * b * d + W  # |b grad - v|^2
    parts = -eta / 2 * q + eta / (2 * b**2) * distance - eta / (2 * b**2) * (1 - ETA / 2) * W
    pl = 2 * M / KAPPA * e + S
    gamma = risk_bounds.momentum_contraction(TERM, ETA, KAPPA)
    domain = numbers("d") + nonnegative("q", "w", "e", "s") + positive("eta_0", "M") + numbers("kappa", lo=1, ends="[)")
    correction = numbers("b", lo=0, hi=1, ends="(]")
    split = 2 * (1 - beta) * b * drift + 2 * (1 - beta) ** 2 * noise  # PO-21, PO-22
    kept = eta * (1 - beta) / b * drift + (1 - beta) ** 2 * eta / b**2 * noise
    rest = unit("beta") + correction + nonnegative("u_2", "z") + positive("eta_0", "M")
    return [
        equal(parts, descent, domain + correction, note="descent and polarisation"),
        goal(gamma * e - (e - eta / 2 * pl), ">=", domain, note="PL: the factor is gamma"),
        equal(eta / (2 * b**2) * split, kept, rest, note="drift and noise (PO-31) of |b grad - v|^2"),
    ]


def _coefficients() -> list[Goal]:
    """The coefficients of the loop are at least those of the theorem's one step, for b_t in [1 - beta, 1]."""
    correction = 1 - BETA * Y
    turned = numbers("y", lo=0, hi=1, ends="[]")
    room = numbers("eta_0", lo=0, hi=2, ends="(]")
    half = ETA / (4 * M)
    # eta (1 - beta) / b_t times eta_0^2 / (4 (1 - beta)^2) times drift_of(P, Q)
    drift = ETA / (2 * M) * (1 - BETA) / correction * ETA**2 / (4 * (1 - BETA) ** 2) * drift_of(P, Q, BETA)
    unit_drift = ETA**3 / (8 * M * (1 - BETA) ** 3)
    c = unit_drift / (GAMMA - BETA)
    a = (unit_drift * BETA / (1 - BETA) + BETA * c) / (GAMMA - BETA)
    allowed = (GAMMA - BETA) * c * Q + ((GAMMA - BETA) * a - BETA * c) * P
    amplified = risk_bounds.momentum_amplification(TERM, BETA, GAMMA) * ETA**2
    h = schedules.momentum_slack(TERM, BETA, GAMMA, ETA) * half
    small = _BELOW + room + positive("M")

    def momentum_term(claim: Claim) -> k.Fact:
        grows = k.sign(1 / correction**2 - 1, ">=", _BELOW + turned)
        fits = k.sign(half * amplified - (a + c) * BETA, ">=", small)
        return k.combine(claim.expr, ">=", ((half * (1 - ETA / 2), grows), (ONE, fits)), claim.domain)

    return [
        goal(allowed - drift, ">=", small + turned + nonnegative("P", "Q"), note="the drift fits"),
        goal(
            half / correction**2 * (1 - ETA / 2) - h - (a + c) * BETA, ">=", small + turned, momentum_term,
            "the momentum term pays for it: zeta_C",
        ),
        equal(
            schedules.momentum_slack(TERM, BETA, GAMMA, ETA) + amplified,
            1 - ETA / 2,
            _BELOW + positive("eta_0"),
            "zeta_C >= 0 gives eta_0 <= 2",
        ),
    ]  # fmt: skip


@obligation(
    "theorem-4.6-C",
    item="Theorem 4.6, repaired",
    about=(_D + "momentum_contraction", _D + "momentum_slack", _D + "momentum_amplification"),
    premises=("lemma-C.6", "PO-19", "PO-20", "PO-21", "PO-22", "PO-23", "PO-25", "PO-29", "PO-30", "PO-31"),
    not_proved="The mean over the noise: that the noise has mean zero given the past, and that the squared norm of D "
    "standard normal variables has mean D.",
)
def theorem_4_6_c() -> Sequence[Goal]:
    r"""Momentum's risk bound, repaired.

    With an M-Lipschitz gradient, PL, $\eta=\frac{\eta_0}{2M}$, $\gamma=1-\frac{\eta_0}{2\kappa}$, $0<\beta<\gamma$,
    $\zeta_C=1-\frac{\eta_0}2-A\eta_0^2\ge0$: $\mathrm{EER}\le(\gamma^T+R\eta_0\alpha
    U_3)\Delta_1-\zeta_C\frac{\eta_0}{4M}\sum_t\gamma^{T-t}\mathbb E\|v_{t+1}\|^2$ for every T. One step by polarisation
    and PL, with the Gram variables $\langle\nabla,v\rangle$, $\|\nabla\|^2$, $\|v\|^2$, leaves $\gamma e_t$, the noise,
    the drift of Lemma C.6 and $-\frac{\eta_0}{4M}\frac1{b_t^2}(1-\frac{\eta_0}2)\|v_{t+1}\|^2$; the steps are chained
    by one loop whose invariant keeps $aP+cQ$ in reserve for the drift still to come.
    """
    return [
        *_one_step(),
        *_coefficients(),
        chain(),
    ]
