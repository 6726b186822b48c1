r"""The formulas of boosting over any number system: how many runs and responses, what a choice spends.

Notation: I runs, J responses to each player of a run, $\beta$ the probability of failure; the choice reads m records
(``size``) of n.  B bounds a record's loss in absolute value, and is half of the bound if a record is nulled instead of
replaced; a game, whose losses count from that at x = 0, has $B=L_0$.  $\gamma$ and $\alpha$ are the probabilities
with which the choice, or the held-out records, may mislead.

Obligations: ``private-saddle-points/P45``, ``P46``, ``E31``.
"""

from __future__ import annotations

from fractions import Fraction

from dpref.reals import Ops, T


def doublings(ratio: Fraction) -> int:
    r"""$\lceil\log_2r\rceil$, exact, at least 1.

    >>> doublings(Fraction(16)), doublings(Fraction(17)), doublings(Fraction(1, 2))
    (4, 5, 1)
    """
    return max(1, (-(-ratio.numerator // ratio.denominator) - 1).bit_length())


def repetitions(failure: Fraction) -> tuple[int, int]:
    r"""$I=\lceil\log_2\frac4\beta\rceil$ and $J=\lceil\log_2\frac{8I}\beta\rceil$ (Proof 3.25, rounded up).

    >>> repetitions(Fraction(1, 10))
    (6, 9)
    """
    runs = doublings(4 / failure)
    return runs, doublings(8 * runs / failure)


def choice_sensitivity(o: Ops[T], B: T, size: T) -> T:
    r"""$\frac{4B}m$: how far a proxy of the gap moves, a sum of two largest mean losses (S8).

    >>> from dpref.reals import RATIONAL
    >>> choice_sensitivity(RATIONAL, Fraction(1), Fraction(16))
    Fraction(1, 4)
    """
    return 4 * B / size


def printed_choice_epsilon(o: Ops[T], epsilon: T, n: T, size: T) -> T:
    r"""$\varepsilon\frac n{4m}$: what the printed exponent $\frac{n\varepsilon G}{32B}$ spends on m records (E31).

    >>> from dpref.reals import RATIONAL
    >>> printed_choice_epsilon(RATIONAL, Fraction(1), Fraction(7), Fraction(1))
    Fraction(7, 4)
    """
    return epsilon * n / (4 * size)
