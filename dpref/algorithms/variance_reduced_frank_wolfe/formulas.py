r"""The formulas of variance-reduced Frank-Wolfe over any number system: what proofs read.

Notation: phase t has a binary tree of $m=2^t$ leaves (``leaves``), counted from zero; at leaf s a step
$\eta_s=\frac2{m+s+1}$ is made toward a vertex.  A node of depth k has $2^{t-k}$ leaves (``below``) and reads $b_k$
records of its own (``batch``): the root (k = 0) for a gradient, a right child for the change of the gradient since its
parent's point, which is ``away`` in the l1 norm.  $L_0$ bounds every entry of a record's gradient, $L_1$ is its
smoothness with respect to the l1 norm.  $\lambda$ (``scale``) is the scale of the noise on scores, w what a choice of
epsilon costs in zCDP over epsilon squared, and ``differing`` is 2 where a record is replaced, 1 where it is nulled.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def step_size(o: Ops[T], leaves: T, leaf: T) -> T:
    r"""$\eta_s=\frac2{m+s+1}$.

    >>> from dpref.reals import FLOAT
    >>> step_size(FLOAT, leaves=4.0, leaf=3.0)
    0.25
    """
    return 2 / (leaves + leaf + 1)


def kept(o: Ops[T], leaves: T, first: T, steps: T) -> T:
    r"""$\prod_{s=a}^{a+N-1}(1-\eta_s)=\frac{(m+a-1)(m+a)}{(m+a+N-1)(m+a+N)}$: what N steps from leaf a on keep.

    >>> from dpref.reals import FLOAT
    >>> kept(FLOAT, leaves=2.0, first=0.0, steps=1.0), 1 - step_size(FLOAT, 2.0, 0.0)
    (0.3333333333333333, 0.33333333333333337)
    """
    at = leaves + first
    return (at - 1) * at / ((at + steps - 1) * (at + steps))


def away(o: Ops[T], leaves: T, below: T) -> T:
    r"""$2\Big(1-\frac{(m-1)m}{(m+N-1)(m+N)}\Big)$: how far N steps lead, in the l1 norm; farthest from leaf 0 on.

    What is not kept is an average of vertices, at most 2 from where the steps began.

    >>> from dpref.reals import RATIONAL
    >>> from fractions import Fraction
    >>> away(RATIONAL, Fraction(2), Fraction(1))
    Fraction(4, 3)
    """
    return 2 * (1 - kept(o, leaves, 0 * leaves, below))


def change(o: Ops[T], L0: T, L1: T, distance: T) -> T:
    r"""$\min(2L_0,L_1\|x-y\|_1)$: a bound on every entry of the difference of a record's gradients at x and y.

    >>> from dpref.reals import FLOAT
    >>> change(FLOAT, L0=1.0, L1=3.0, distance=0.5), change(FLOAT, L0=1.0, L1=3.0, distance=1.0)
    (1.5, 2.0)
    """
    return o.minimum(2 * L0, L1 * distance)


def span(o: Ops[T], bound: T, batch: T, differing: T) -> T:
    r"""$\frac{2\kappa B}b$: how far the differences of scores move, whose terms are within $\pm B$ in every entry.

    $\kappa$ (``differing``) of the b terms of a mean differ, and each spans at most 2B.

    >>> from dpref.reals import FLOAT
    >>> span(FLOAT, bound=1.0, batch=8.0, differing=2.0)
    0.5
    """
    return 2 * differing * bound / batch


def choice_scale(o: Ops[T], moved: T, below: T, rho: T, weight: T) -> T:
    r"""$\lambda=\Delta\sqrt{Nw/\rho}$: N choices whose scores move by the span $\Delta$ are then $\rho$-zCDP.

    >>> from dpref.reals import FLOAT
    >>> choice_scale(FLOAT, moved=0.5, below=4.0, rho=0.25, weight=0.25)
    1.0
    """
    return moved * o.sqrt(below) * o.sqrt(weight) / o.sqrt(rho)


def node_rho(o: Ops[T], moved: T, scale: T, below: T, weight: T) -> T:
    r"""$\rho=Nw(\Delta/\lambda)^2$: what a record of a node with N leaves costs, in zCDP.

    >>> from dpref.reals import FLOAT
    >>> node_rho(FLOAT, moved=0.5, scale=1.0, below=8.0, weight=0.125)
    0.25
    """
    epsilon = moved / scale
    return below * weight * epsilon * epsilon
