r"""How good the chosen candidate is, as formulas over ``Ops[T]``: Eqs. (16) and (17) of Section 4.4, and their repair.

Notation: N records (``n``), dimension D, Lipschitz constant G, strong convexity $\mu$, $\kappa=M/\mu$ (smoothness M),
budget R of all runs together, k runs, p a probability of failure.  Of a comparison: r the distance of the two
candidates, s the standard deviation of the noise of their mean slope, of which there are $k-1$.  Arguments carry the
symbols' names; ``dimension`` is D, ``budget`` is R, ``runs`` is k, ``distance`` is the largest r, ``std`` is s.
Budgets are those of zero-out: under replace-one the runs' noise is that of R/4 (T1).

Obligations: ``dynamic-privacy-budget/comparison``, ``equation-17-repaired``, ``boosting-on-parts``, ``markov``,
``T17``.
"""

from __future__ import annotations

from dpref.algorithms.dynamic_gradient_descent.utility import true_excess_risk, true_excess_risk_as_printed
from dpref.reals import Ops, T


def boosted_gap_as_printed(o: Ops[T], mean: T) -> T:
    r"""$\mathbb E[f(\theta)]-f^*$: what the best of k runs is said to have with probability $1-2^{-k}$ (T17).

    >>> from dpref.reals import FLOAT
    >>> boosted_gap_as_printed(FLOAT, 0.5)
    0.5
    """
    return mean


def boosted_gap(o: Ops[T], mean: T) -> T:
    r"""$2(\mathbb E[f(\theta)]-f^*)$: what Markov's inequality gives the best of k runs with probability $1-2^{-k}$.

    Args:
        mean: The mean excess risk of one run.

    >>> from dpref.reals import FLOAT
    >>> boosted_gap(FLOAT, 0.5)
    1.0
    """
    return 2 * mean


def comparison_error(o: Ops[T], distance: T, std: T, runs: T, p: T) -> T:
    r"""$2rs\sqrt{2\ln\frac{k-1}p}$: how much worse than the best the chosen candidate is, with probability $1-p$.

    Each of the $k-1$ draws exceeds $t$ in absolute value with probability at most $e^{-t^2/2}$; if none does, every
    difference is off by at most $rst$, and the chosen one is at most $2rst$ worse.

    >>> from dpref.reals import FLOAT
    >>> from math import exp
    >>> round(comparison_error(FLOAT, 3.0, 0.5, 2.0, exp(-2)), 9)
    6.0
    """
    return 2 * distance * std * o.sqrt(2 * o.log((runs - 1) / p))


def held_out_error(o: Ops[T], distance: T, G: T, n: T, runs: T, p: T) -> T:
    r"""$2rG\sqrt{\frac2n\ln\frac{2(k-1)}p}$: the same for mean slopes of n fresh records in place of the population's.

    A record's slope is at most G in absolute value: Hoeffding's inequality, with probability $1-p$.

    >>> from dpref.reals import FLOAT
    >>> from math import exp
    >>> round(held_out_error(FLOAT, 3.0, 0.5, 4.0, 2.0, 2 * exp(-2)), 9)
    3.0
    """
    return 2 * distance * G * o.sqrt(2 * o.log(2 * (runs - 1) / p) / n)


def shared_true_excess_as_printed(o: Ops[T], G: T, mu: T, n: T, dimension: T, budget: T, p: T) -> T:
    r"""$\frac{G^2}{\mu N}\big(\sqrt{\frac{D\ln(1/p)}{NR}}+\frac4p\big)$ (Eq. 17, without what its $\tilde O$ hides).

    >>> from dpref.reals import FLOAT
    >>> from math import exp
    >>> round(shared_true_excess_as_printed(FLOAT, 1.0, 1.0, 4.0, 4.0, 1.0, exp(-1)) - exp(1), 9)
    0.25
    """
    return G * G / (mu * n) * (o.sqrt(dimension * o.log(1 / p) / (n * budget)) + 4 / p)


def shared_true_excess(o: Ops[T], G: T, mu: T, kappa: T, n: T, dimension: T, budget: T, runs: T, p: T) -> T:
    r"""$\frac{G^2}{\mu N}\big(\sqrt{\frac{8\kappa Dk}R}+\frac4p\big)$: Eq. (17), repaired, before the comparisons.

    With probability $1-2p$: Theorem 4.5's bound for the budget R/k, Markov's factor two, Eq. (15) without its spurious
    1/N.

    >>> from dpref.reals import FLOAT
    >>> shared_true_excess(FLOAT, 1.0, 1.0, 2.0, 4.0, 4.0, 1.0, 4.0, 0.5)  # 16 and 8, over 4
    6.0
    """
    return G * G / (mu * n) * (o.sqrt(8 * kappa * dimension * runs / budget) + 4 / p)


def printed_chosen_excess(o: Ops[T], G: T, mu: T, n: T, p: T, mean: T) -> T:
    r"""Eq. (15) as printed at a run's mean excess risk: said to hold with probability $1-p$ (T16b, T17).

    >>> from dpref.reals import FLOAT
    >>> printed_chosen_excess(FLOAT, 1.0, 2.0, 4.0, 0.5, 1.0)
    1.5
    """
    return true_excess_risk_as_printed(o, G, mu, n, p, boosted_gap_as_printed(o, mean))


def shared_chosen_excess(o: Ops[T], G: T, mu: T, n: T, p: T, mean: T, compared: T) -> T:
    r"""Eq. (15), repaired, at twice a run's mean excess risk and what the comparisons add: with probability $1-3p$.

    ``mean`` is the mean empirical excess risk of one run, ``compared`` what `comparison_error` gives.

    >>> from dpref.reals import FLOAT
    >>> shared_chosen_excess(FLOAT, 1.0, 2.0, 4.0, 0.5, 0.25, 0.5)
    2.0
    """
    return true_excess_risk(o, G, mu, n, p, boosted_gap(o, mean) + compared)


def parts_chosen_excess(o: Ops[T], mean: T, stability: T, compared: T, held_out: T) -> T:
    r"""$2(\mathbb E[f(\theta)]-f^*+s)+e+h$: the true excess risk where each run has records of its own.

    The runs are then independent over noise and data, so that Markov's inequality boosts the whole true excess risk,
    whose mean is at most the empirical one and the stability s (Theorem 4.13), and no $\frac4p$ is left: with
    probability $1-3p$.

    Args:
        mean: The mean empirical excess risk of one run on its part.
        stability: s on a part, under replace-one.
        compared: What `comparison_error` gives.
        held_out: What `held_out_error` gives.

    >>> from dpref.reals import FLOAT
    >>> parts_chosen_excess(FLOAT, 0.25, 0.25, 0.5, 0.5)
    2.0
    """
    return boosted_gap(o, mean + stability) + compared + held_out
