"""Synthetic data (Theorem 1.1): the noise, the error and the rate of a reconstruction."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.synthetic_data import formulas, utility
from dpref.mechanisms import exponential
from dpref.terms import TERM
from proofs.papers.private_saddle_points import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive

B, E, G, K, L, M, N, Q, RHO, S, T, T0, TAU, U, V, X, Z = sp.symbols("b e g K L m n q rho s T T0 tau u v x z")
_FOLDER, _TESTS = "synthetic-data.", "tests/test_synthetic_data.py"


@obligation(
    "synthetic-noise",
    item="Theorem 1.1 (errata, 3.7)",
    about=(_FOLDER + "score_sensitivity", _FOLDER + "budget_step", "exponential-mechanism.bounded_range_zcdp"),
    premises=("exponential-mechanism/zcdp", "zcdp/composition", "zcdp/to-dp"),
)
def noise() -> Sequence[Goal]:
    r"""The privacy loss of the drawn queries.

    Given the drawn queries the law on the universe is the same on both data sets; of a mean of B answers in $[-1,1]$
    one changes from u to v, which moves a score by $\frac{\tau(v-u)}B\le\frac{2\tau}B$, or by $\frac\tau B$ if it is
    nulled. TK draws of range twice that are $\rho$-zCDP at $\tau=\frac B\kappa\sqrt{\frac{2\rho}{TK}}$.
    """
    answers = positive("tau", "b") + nonnegative("u", "v")
    sizes = positive("b", "T", "K", "rho")

    def spent() -> sp.Expr:
        tau = formulas.budget_step(TERM, B, T, K, RHO, sp.Integer(2))
        epsilon = 2 * formulas.score_sensitivity(TERM, tau, B, sp.Integer(2))
        return T * K * exponential.bounded_range_zcdp(TERM, epsilon)

    replaced, nulled = TAU * ((1 - V) - (-1 + U)) / B, TAU * (1 - V) / B
    return [
        goal(formulas.score_sensitivity(TERM, TAU, B, sp.Integer(2)) - replaced, ">=", answers, note="replaced"),
        goal(formulas.score_sensitivity(TERM, TAU, B, sp.S.One) - nulled, ">=", answers, note="nulled"),
        equal(spent(), RHO, sizes, "all draws"),
    ]


@obligation(
    "synthetic-error",
    item="Theorem 1.1 (errata, 3.7)",
    about=(
        *(_FOLDER + name for name in ("regret", "deviation", "error_bound", "query_step", "law_step")),
    ),
    premises=("P23",),
    tests=(f"{_TESTS}::test_the_bound_holds_at_a_known_value_over_thirty_seeds",),
    not_proved="The regret of mirror descent along any gains (P23, tested) and the maximal inequality for means of"
    " numbers in $[-1,1]$; that the terms bound the mean of the largest error is a statement about random sequences.",
)  # fmt: skip
def error() -> Sequence[Goal]:
    r"""The error of the answers of the law.

    For every query j, $a_j-\langle q_j,x\rangle=u_j+(a_j-\hat a_j)$ with $u=\hat a-V^\top x$; the weights' regret
    bounds the sum of the $u_j$ by that of $\langle u,y\rangle$, whose mean is that of
    $\langle q_{\hat y},D-x\rangle$, the law's regret against the population's law D. The sum is
    $\frac{\ln|Q|}{\tau_yT}+2\tau_y+\frac{\ln|Z|}{\tau_xTK}+\frac{\tau_x}2$ and the deviation
    $\sqrt{2\ln|Q|/(BT)}$; at both steps the regrets are $\sqrt{8\ln|Q|/T}$ and $\sqrt{2\ln|Z|/(TK)}$.
    """
    a, mean = sp.symbols("a c")
    sizes = positive("T", "K", "b", "tau", "s") + numbers("q", "z", lo=1)
    whole = utility.error_bound(TERM, Q, Z, T, K, B, TAU, S)
    parts = sp.log(Q) / (TAU * T) + 2 * TAU + sp.log(Z) / (S * T * K) + S / 2 + utility.deviation(TERM, Q, B * T)
    wanted, free = formulas.query_step(TERM, Q, T), formulas.law_step(TERM, Z, T, K)
    one, two = positive("T") + numbers("q", lo=1), positive("T", "K") + numbers("z", lo=1)
    return [
        equal(a - X, (mean - X) + (a - mean), numbers("a", "c", "x"), "a query's error"),
        equal(whole, parts, sizes, "the bound"),
        equal(2 * T * wanted**2, sp.log(Q), one, "tau_y, squared"),
        equal(T * K * free**2, 2 * sp.log(Z), two, "tau_x, squared"),
        equal(utility.regret(TERM, Q, TAU, T, sp.Integer(4)) * TAU * T, sp.log(Q) + 2 * T * TAU**2,
              positive("T", "tau") + numbers("q", lo=1), "the weights' regret, times tau T"),
        equal(utility.regret(TERM, Z, TAU, T, sp.S.One) * TAU * T, sp.log(Z) + T * TAU**2 / 2,
              positive("T", "tau") + numbers("z", lo=1), "the law's regret, times tau T"),
    ]  # fmt: skip


@obligation(
    "E28",
    item="Theorem 1.1",
    about=(_FOLDER + "budget_step",),
    premises=("synthetic-noise", "synthetic-error", "P20", "P61"),
    tests=(f"{_TESTS}::test_with_its_parameters_the_bound_is_the_rate_of_theorem_1_1",),
    not_proved="That the paper's variant is this one: it is not printed. What `synthetic-error` does not prove.",
)
def e28() -> Sequence[Goal]:
    r"""Theorem 1.1's rate, reached also where T is n.

    With $N=n\varepsilon$, $q=\ln|Q|$, $z=\ln|Z|$, $T_0=\frac{N\sqrt z}{q\sqrt L}$, $T=\min(n,T_0)$ and
    $K=\lceil T_0/T\rceil$ draws a round: $T_0\le TK\le2T_0$, so that the law's regret is at most that of $T_0$ draws,
    and what privacy costs the weights, $\frac q{\tau T}$ at $\rho=\frac{\varepsilon^2}{16L}$ on batches of $\frac nT$,
    is $\frac{4\sqrt2\,q\sqrt{TKL}}N\le\frac{8q\sqrt{T_0L}}N$, eight times the printed term (P61). The weights' own
    regret is of order $\sqrt{q/T}$: at T = n the printed $\sqrt{q/n}$, at $T_0$, for $q\le Cz$, at most
    $\sqrt C$ times $\sqrt{z/T_0}$, the printed term. One draw a round would leave $\sqrt{z/n}$ at T = n.
    """
    budget = E**2 / (16 * L)
    tau = formulas.budget_step(TERM, N / T, T, K, budget, sp.Integer(2))
    cost = (Q / (tau * T)) ** 2
    sizes, c = positive("n", "T", "K", "e", "L", "q"), sp.Symbol("c")
    rest = positive("q", "L", "e", "n", "T0") + nonnegative("s")
    return [
        equal(cost, 32 * Q**2 * T * K * L / (N * E) ** 2, sizes, "what privacy costs, squared"),
        goal((64 * T0 - 32 * (2 * T0 - S)) * Q**2 * L / (N * E) ** 2, ">=", rest, note="T K = 2 T0 - s"),
        goal(2 * Z / T0 - 2 * Z / (T0 + S), ">=", positive("z", "T0") + nonnegative("s"), note="the law, T K = T0 + s"),
        goal(c * Z / T0 - (c * Z - S) / T0, ">=", positive("z", "T0", "c") + nonnegative("s"), note="q = C z - s"),
    ]
