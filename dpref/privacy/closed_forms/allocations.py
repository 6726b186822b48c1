r"""The steps by which the law of a mean of likelihood ratios is bounded, each in one direction.

An epoch in which a record is in one of t steps spends $\mathbb E(\bar Y-K)_+$ and $\mathbb E(K-\bar Y)_+$, and $\bar Y$
is put between two laws of atoms (`dpref.privacy.pld.ratio_laws`): a cell's mass goes to both of its ends, and errors of
places are kept as one relative number.  Obligations ``allocation/*``.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def upper_share(o: Ops[T], mass: T, moment: T, left: T, right: T) -> T:
    r"""$\frac{m_1-ml}{r-l}$: what of a mass m with first moment $m_1$ goes to the right end of a cell; the rest stays.

    Args:
        mass: m, of the cell.
        moment: $m_1$, of the cell.
        left: l.
        right: r, above l.

    >>> from dpref.reals import FLOAT
    >>> upper_share(FLOAT, 1.0, 1.25, 1.0, 2.0)
    0.25
    """
    return (moment - mass * left) / (right - left)


def joint_doubt(o: Ops[T], first: T, second: T) -> T:
    r"""$e+d+ed$: the relative error of what is right within $1\pm e$ of something right within $1\pm d$.

    >>> from dpref.reals import FLOAT
    >>> joint_doubt(FLOAT, 0.5, 0.5)
    1.25
    """
    return first + second + first * second


def in_two_steps(o: Ops[T], first: T, second: T, growth: T) -> T:
    r"""$a+e^{x_1}b$: two changes one after the other, the first one's curve at $x_1$ and the second one's at $x-x_1$.

    >>> from dpref.reals import FLOAT
    >>> in_two_steps(FLOAT, 0.5, 0.25, 2.0)
    1.0
    """
    return first + growth * second
