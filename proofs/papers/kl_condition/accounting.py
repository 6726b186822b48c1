"""Sections 5 and 6 of the specification: what the paper's queries move by, and what their answers cost together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sympy as sp

from dpref.algorithms.adaptive_gradient_descent import formulas as adaptive
from dpref.algorithms.noisy_gradient_descent import formulas as noisy
from dpref.algorithms.spider import formulas as spider
from dpref.terms import TERM
from proofs.papers.kl_condition import obligation
from proofs.papers.kl_condition.spider import BOUND, GAMMA, KAPPA, PHI, RHO, ROOT, cost
from proofs.registry import Goal, equal, goal
from proofs.search import natural, nonnegative, numbers, positive

D, K, L, M, N, P, Q, S, T, W, X = sp.symbols("d K L m n p q s T w x")
_S: Final = "spider"


@obligation(
    "PO-55",
    item="Section 5 of the specification (S1 to S7)",
    about=(f"{_S}.step_length",),
    premises=("sensitivity/replace-one", "sensitivity/zero-out"),
)
def po_55() -> Sequence[Goal]:
    r"""The sensitivity of the queries.

    S1, S4, S5 and S7 are the mean gradient's, $\frac{2L_0}n$ (a regulariser cancels). S2: a record's difference of
    gradients is at most $L_1s$ long for a step of length s, so that the mean moves by $\frac{2L_1s}n=
    \frac{\hat\Phi^{1/\kappa}}{2\gamma n}$ with the step of Algorithm 1, the same on both data sets (S6). S3: norms move
    by no more than vectors, $(\|x\|-\|y\|)^2\le\|x-y\|^2$, with equality for parallel ones.
    """
    step = spider.step_length(TERM, PHI, GAMMA, KAPPA, L)
    moved = spider.power(TERM, PHI, 1 / KAPPA) / (2 * GAMMA * N)
    domain = positive("phi", "gamma", "kappa", "L", "n")
    # <x, y> = p q - w with w >= 0, by Cauchy and Schwarz
    apart = P**2 + Q**2 - 2 * (P * Q - W)
    return [
        goal(2 * L * step / N - moved, "==", domain, note="S2"),
        goal(apart - (P - Q) ** 2, ">=", nonnegative("p", "q", "w"), note="S3"),
        goal(apart.subs(W, 0) - (P - Q) ** 2, "==", nonnegative("p", "q"), note="S3, attained"),
        equal((P + X) / N - (Q + X) / N, (P - Q) / N, positive("n") + numbers("p", "q", "x"), "S4, a coordinate"),
    ]


@obligation(
    "PO-56",
    item="Section 6 of the specification (A1 to A11)",
    about=(f"{_S}.printed_inner_noise", "noisy-gradient-descent.printed_variance"),
    premises=("PO-13", "PO-46", "E9", "zcdp/composition"),
)
def po_56() -> Sequence[Goal]:
    r"""The privacy loss of the answers together.

    KL Spider as printed (Lemma 8): if a record is replaced, the $\lfloor T_k\rfloor+1$ differences of a round cost
    more than $\frac\rho{8K}$ and at most $\frac\rho{4K}$. With the gradients, which cost $2\rho$, the transcript costs
    at most $\frac94\rho$.

    Algorithm 3 with $N_t\ge0$ (Theorem 3): recorded charges of at most $\frac\rho2$ cost at most $\rho$, and with the
    last norm the run costs at most $\rho+\frac{2\sqrt\rho}n$. A selection that costs $\frac\rho2$ keeps the sum within
    $2\rho$ where $n\sqrt\rho\ge4$ (Theorem 5).

    Algorithms 2 and 4: T calls of budget $\frac\rho T$ each cost less than $\frac\rho2$ together.

    These are A2 to A4, A7, A9 and A10 of the specification. A1, A5 and A6 are PO-13 and PO-46, and A11 is
    `zcdp/to-dp`.
    """
    inner = spider.printed_inner_noise(TERM, PHI, GAMMA, KAPPA, T, K, N, RHO)
    moved = spider.power(TERM, PHI, 1 / KAPPA) / (2 * GAMMA * N)
    each = cost(moved, inner)
    domain = positive("phi", "gamma", "kappa", "n", "r", "K")
    rounds = natural("m", 1) + numbers("x", lo=0, hi=1, ends="[)")  # T = m + x, m its whole part
    several = ((M + 1) * each).subs(T, M + X)
    calls = K * D * cost(2 * BOUND / N, sp.sqrt(noisy.printed_variance(TERM, BOUND, D + 1, N, RHO / K)))
    norm = cost(2 * BOUND / N, adaptive.printed_norm_noise(TERM, BOUND, N, RHO))
    large = 4 / ROOT**2 + S
    return [
        goal(several - RHO / (8 * K), ">", domain + rounds, note="A2: no less"),
        goal(RHO / (4 * K) - several, ">=", domain + rounds, note="A2: no more"),
        goal(RHO / 2 - calls, ">", positive("G", "n", "r", "K", "d"), note="A4, A10: d = T - 1 answers a call"),
        goal(RHO + 2 * ROOT**2 / N - (2 * (RHO / 2 - S) + norm), ">=", positive("G", "n", "r") + nonnegative("s"),
             note="A7"),
        goal(2 * RHO - (RHO + 2 * ROOT**2 / large + RHO / 2), ">=", positive("r") + nonnegative("s"), note="A9"),
    ]  # fmt: skip
