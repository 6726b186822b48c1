r"""The formulas of Theorem 5's selection: what proofs read.

Notation: $L_0$ (``bound``) is the largest norm of a record's gradient, n the number of records, $\rho$ the budget of
the descent in zCDP, $\Delta$ the sensitivity of a gradient's norm, $\lambda$ (``scale``) that of the Gumbel noise,
R (``candidates``) the number of iterates to choose from, $\nu$ (``error``) the largest error of a noisy norm.

Source: Menart et al. 2024, Theorem 5 and Appendix D.6; the erratum E8, the errata's 3.4.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def selection_scale(o: Ops[T], bound: T, n: T, rho: T) -> T:
    r"""$\lambda=\frac{2L_0}{n\sqrt\rho}$: iterate t has a probability $\propto e^{-\|\nabla F(w_t)\|/\lambda}$.

    >>> from dpref.reals import FLOAT
    >>> selection_scale(FLOAT, 1.0, 10.0, 0.25)
    0.4
    """
    return 2 * bound / (n * o.sqrt(rho))


def selection_error(o: Ops[T], scale: T, candidates: T, beta: T) -> T:
    r"""$\lambda\ln\frac R\beta$: the chosen norm exceeds the least by more with probability at most $\beta$ (PO-39).

    >>> from dpref.reals import FLOAT
    >>> selection_error(FLOAT, 0.5, 2.0, 2.0)
    0.0
    """
    return scale * o.log(candidates / beta)


def free_error(o: Ops[T], error: T) -> T:
    r"""$2\nu$: the iterate of the least noisy norm, if every noisy norm is within $\nu$ of the exact one (3.4).

    >>> from dpref.reals import FLOAT
    >>> free_error(FLOAT, 0.25)
    0.5
    """
    return 2 * error
