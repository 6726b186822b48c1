r"""Boosting to high probability, as formulas over ``Ops[T]``: what runs and comparisons are given, what a choice shows.

Notation: p is the probability that no run is good, k the number of runs, R the budget, c the share of it that the
comparisons get.  ``failure`` is p, ``runs`` is k, ``budget`` is R, ``share`` is c.

Obligations: ``dynamic-privacy-budget/boosting-budget``, ``exact-choice``.
"""

from __future__ import annotations

from fractions import Fraction

from dpref.reals import Ops, T


def repetitions(failure: Fraction) -> int:
    r"""$k=\lceil\log_2\frac1p\rceil$, exact: the least k with $2^{-k}\le p$ (Section 4.4 prints no ceiling).

    >>> repetitions(Fraction(1, 10)), repetitions(Fraction(1, 16))
    (4, 4)
    """
    return max(1, (-(-failure.denominator // failure.numerator) - 1).bit_length())


def run_budget(o: Ops[T], budget: T, share: T, runs: T) -> T:
    r"""$\frac{(1-c)R}k$: of each of k runs on the same records; the print has c = 0.

    >>> from dpref.reals import RATIONAL
    >>> run_budget(RATIONAL, Fraction(1), Fraction(1, 4), Fraction(3))
    Fraction(1, 4)
    """
    return (1 - share) * budget / runs


def comparison_budget(o: Ops[T], budget: T, share: T, runs: T) -> T:
    r"""$\frac{cR}{k-1}$: of each of the $k-1$ comparisons with the first run's candidate.

    >>> from dpref.reals import RATIONAL
    >>> comparison_budget(RATIONAL, Fraction(1), Fraction(1, 4), Fraction(3))
    Fraction(1, 8)
    """
    return share * budget / (runs - 1)


def order_of_a_choice(o: Ops[T], runs: T) -> T:
    r"""$\alpha=\frac{2k}{k-1}$: an order at which a choice without noise has no finite divergence.

    >>> from dpref.reals import RATIONAL
    >>> order_of_a_choice(RATIONAL, Fraction(2))
    Fraction(4, 1)
    """
    return 2 * runs / (runs - 1)


def chosen_rho(o: Ops[T], log_inverse_tail: T, alpha: T, runs: T) -> T:
    r"""$L\big(\frac k\alpha-\frac1{\alpha-1}\big)$: a lower bound on the $\rho$ of the best of k by its exact risk.

    On data whose mean slope is negative the largest candidate is chosen, and exceeds c with probability at least
    $Q=e^{-L}$, as each does; on a neighbour where it is positive the smallest is, with probability at most $Q^k$.  So
    $D_\alpha\ge\frac1{\alpha-1}\ln\big(Q^\alpha Q^{k(1-\alpha)}\big)$, whatever the noise, and c may be as far out as
    one likes.

    Args:
        log_inverse_tail: L, at least $\ln2$.
        alpha: The order, above 1.
        runs: k.

    >>> from dpref.reals import RATIONAL
    >>> chosen_rho(RATIONAL, Fraction(6), Fraction(4), Fraction(2))
    Fraction(1, 1)
    """
    return log_inverse_tail * (runs / alpha - 1 / (alpha - 1))
