"""Section 4.3 on random batches: what sampling hides, what the schedule is given, how far a batch is off (T18, T20)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from dpref.algorithms.dynamic_gradient_descent import utility as risk_bounds
from dpref.algorithms.dynamic_sgd import formulas, utility
from dpref.terms import TERM
from proofs.papers.dynamic_privacy_budget import obligation
from proofs.registry import Goal, equal, goal
from proofs.search import nonnegative, numbers, positive, unit

_S = "dynamic-sgd."
ALPHA, SIGMA, Q, G, R, N, B, T, V, U, X, Y, M, GAP, GAMMA, D = sp.symbols(
    "alpha sigma q g R N n T V u x y M gap gamma D"
)
ONE = sp.S.One


@obligation(
    "sampled-steps",
    item="Section 4.3",
    about=(_S + "order_that_shows", "dynamic-gradient-descent.subsampled_renyi_lower"),
    premises=("dynamic-privacy-budget/PO-50",),
)
def sampled_steps() -> Sequence[Goal]:
    r"""A sampled step costs, over all orders, what the step costs without sampling.

    A step with noise $\sigma$ on a batch that has the record with probability q shows $\rho\ge\frac1{2\sigma^2}-g$ at
    the order $1+\frac1g\ln\frac1q$, for every $g>0$ (PO-50). So no $\rho$ below $\frac1{2\sigma^2}$ bounds its
    divergence at all orders, whatever q is. Independent steps, or a sum of their answers, add up: the bound with $q^2$
    and with the squared parameters x and y summed is the sum of the two bounds.
    """

    def bound(order: sp.Expr, sigma: sp.Expr, rate: sp.Expr) -> sp.Expr:
        return risk_bounds.subsampled_renyi_lower(TERM, order, sigma, rate)

    order = formulas.order_that_shows(TERM, Q, G)
    both = bound(ALPHA, 1 / sp.sqrt(X + Y), Q * Q)
    each = bound(ALPHA, 1 / sp.sqrt(X), Q) + bound(ALPHA, 1 / sp.sqrt(Y), Q)
    return [
        equal(bound(order, SIGMA, Q) / order, 1 / (2 * SIGMA**2) - G, positive("sigma", "g") + unit("q"), "one step"),
        goal(order - 1, ">", positive("g") + unit("q"), note="it is an order"),
        equal(both, each, numbers("alpha", lo=1) + positive("x", "y") + unit("q"), "two steps"),
    ]


@obligation(
    "batch-budget",
    item="Section 4.3, Theorems 4.9, 4.10",
    about=(_S + "batch_budget", _S + "batch_size_as_printed", _S + "step_cost_as_printed"),
)
def batch_budget() -> Sequence[Goal]:
    r"""The budget of batches.

    Steps that cost $p^2/\sigma_t^2$ each, with $\sigma_t^2=T/R'$ and $R'=R/p^2$, cost R in all: the print's
    bookkeeping is consistent. At the printed batch size $n=N\sqrt R$ it is $R'=1$, whatever R is (T18).
    """
    inner = formulas.batch_budget(TERM, R, B, N)
    size = formulas.batch_size_as_printed(TERM, R, N)
    cost = T * formulas.step_cost_as_printed(TERM, ONE, B / N, sp.sqrt(T / inner))
    return [
        equal(cost, R, positive("R", "n", "N", "T"), "T equal steps"),
        equal(formulas.batch_budget(TERM, R, size, N), ONE, positive("R", "N"), "the printed batch"),
    ]


@obligation(
    "batch-variance",
    item="Theorem 4.9",
    about=(_S + "fixed_batch_variance", _S + "poisson_batch_variance", _S + "batch_risk_bound"),
    premises=("dynamic-privacy-budget/PO-1", "dynamic-privacy-budget/PO-3"),
    not_proved="The covariance of two draws and the variance of a Poisson sum, which the goals begin with.",
)
def batch_variance() -> Sequence[Goal]:
    r"""The variance of the mean of a batch.

    Of n of N records without replacement, with $V=\frac1N\sum\|g_i-\nabla\|^2$: two different draws have covariance
    $-\frac V{N-1}$, so the mean has variance $\frac1{n^2}(nV-n(n-1)\frac V{N-1})=\frac{N-n}{n(N-1)}V$. Of a Poisson
    batch over n, with $u=\frac1N\sum\|g_i\|^2$: $\frac1{n^2}Np(1-p)u$. Both fall as $1/n$, not as the $1/n^2$ of
    Section 4.3 (T20). With the step 1/M, where $f(\theta_{t+1})\le f(\theta_t)-\frac1{2M}(\|\nabla\|^2-\|e\|^2)$ in
    the mean (PO-1), the bound on the risk is $\gamma^T\Delta_1+\frac1{2M}\sum_t\gamma^{T-t}(Ds_t^2+V_b)$.
    """
    fixed, rate = utility.fixed_batch_variance(TERM, V, B, N), B / N
    sizes = numbers("N", lo=1) + positive("n")
    first, second = sp.symbols("s_1 s_2")
    risk = utility.batch_risk_bound(TERM, GAP, GAMMA, M, D, [first, second], V)
    unrolled = GAMMA**2 * GAP + (GAMMA * (D * first + V) + D * second + V) / (2 * M)
    return [
        equal((B * V - B * (B - 1) * V / (N - 1)) / B**2, fixed, sizes + nonnegative("V"), "without replacement"),
        equal(N * rate * (1 - rate) * U / B**2, utility.poisson_batch_variance(TERM, U, B, N),
              positive("n", "N") + nonnegative("u"), "Poisson"),
        equal(risk, unrolled, positive("M", "D") + unit("gamma") + nonnegative("gap", "V", "s_1", "s_2"), "two steps"),
    ]  # fmt: skip
