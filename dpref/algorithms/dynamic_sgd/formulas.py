r"""The budget of mini-batches in "Dynamic Privacy Budget Allocation", Section 4.3, as formulas over ``Ops[T]``.

The schedules, and R, $\sigma_t$, $\beta$ and $\gamma$, are those of
`dpref.algorithms.dynamic_gradient_descent.formulas`.  A batch has n of the N records, $p=n/N$.

Obligations: ``dynamic-privacy-budget/batch-budget``, ``T18``, ``sampled-steps``.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def batch_size_as_printed(o: Ops[T], budget: T, records: T) -> T:
    r"""$n=N\sqrt R$, of which the print takes at least 1 (Theorems 4.9 and 4.10): then $R'=1$, whatever R is (T18).

    Args:
        budget: R; above one there is no such batch.
        records: N.

    >>> from dpref.reals import FLOAT
    >>> batch_size_as_printed(FLOAT, 0.25, 1000.0)
    500.0
    """
    return records * o.sqrt(budget)


def batch_budget(o: Ops[T], budget: T, batch: T, records: T) -> T:
    r"""$R'=R/p^2=N^2R/n^2$ (Section 4.3): what the $\sigma_t^{-2}$ of a run on batches sum to.

    Args:
        budget: R, what the print says that they cost.
        batch: n.
        records: N.

    >>> from fractions import Fraction
    >>> from dpref.reals import RATIONAL
    >>> batch_budget(RATIONAL, Fraction(1, 100), Fraction(50), Fraction(1000))
    Fraction(4, 1)
    """
    rate = batch / records
    return budget / (rate * rate)


def step_cost_as_printed(o: Ops[T], c: T, rate: T, sigma: T) -> T:
    r"""$c\,p^2/\sigma_t^2$, the budget of one step on a sampled batch (Section 4.3, which prints $\sigma_t$; T18).

    Args:
        c: "Some constant", which the constraint on the schedule takes for one.
        rate: p.
        sigma: $\sigma_t$.

    >>> from dpref.reals import FLOAT
    >>> step_cost_as_printed(FLOAT, 1.0, 0.5, 2.0)
    0.0625
    """
    return c * rate * rate / (sigma * sigma)


def order_that_shows(o: Ops[T], rate: T, gap: T) -> T:
    r"""$\alpha=1+\ln\frac1q/g$: from there on a sampled step shows $\frac1{2\sigma^2}-g$ of its rho, or more (T18).

    Args:
        rate: q, the probability that the record is sampled (in every step that is looked at).
        gap: g.

    >>> from dpref.reals import FLOAT
    >>> round(order_that_shows(FLOAT, 0.5, 0.1), 4)
    7.9315
    """
    return 1 - o.log(rate) / gap
