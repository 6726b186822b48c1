r"""The formulas of synthetic data by mirror descent over any number system: what proofs read.

Notation: T ``rounds`` on batches of B records (``batch``), K ``draws`` of a query in each; $\tau_x$ is the step of the
law on the universe, $\tau_y$ (``tau``) that of the weights on the queries; ``differing`` is 2 where a record is
replaced, 1 where it is nulled.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def score_sensitivity(o: Ops[T], tau: T, batch: T, differing: T) -> T:
    r"""$\frac{\kappa\tau_y}B$: how far the score of a query moves; of B answers in [-1, 1] one differs (S11).

    >>> from dpref.reals import FLOAT
    >>> score_sensitivity(FLOAT, tau=0.5, batch=4.0, differing=2.0)
    0.25
    """
    return differing * tau / batch


def budget_step(o: Ops[T], batch: T, rounds: T, draws: T, rho: T, differing: T) -> T:
    r"""$\tau_y=\frac B\kappa\sqrt{\frac{2\rho}{TK}}$: TK draws, each of range twice the sensitivity, are $\rho$-zCDP.

    >>> from dpref.reals import FLOAT
    >>> budget_step(FLOAT, batch=4.0, rounds=8.0, draws=1.0, rho=1.0, differing=2.0)
    1.0
    """
    return batch * o.sqrt(2 * rho) / (differing * o.sqrt(rounds * draws))


def query_step(o: Ops[T], queries: T, rounds: T) -> T:
    r"""$\tau_y=\sqrt{\frac{\ln|Q|}{2T}}$, which the error wants.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> query_step(FLOAT, queries=exp(4), rounds=8.0)
    0.5
    """
    return o.sqrt(o.log(queries) / (2 * rounds))


def law_step(o: Ops[T], elements: T, rounds: T, draws: T) -> T:
    r"""$\tau_x=\sqrt{\frac{2\ln|Z|}{TK}}$, which the error wants; it costs nothing.

    >>> from math import exp
    >>> from dpref.reals import FLOAT
    >>> law_step(FLOAT, elements=exp(2), rounds=8.0, draws=2.0)
    0.5
    """
    return o.sqrt(2 * o.log(elements) / (rounds * draws))
