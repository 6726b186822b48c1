"""What Theorem 2 of the proximal point method claims, and what its solver is taken to reach.

Notation: that of ``formulas``; X (``noise``) is L_0 sqrt(T d log(.)) / (n sqrt(rho)), and a (``constant``) one constant
for both, as the proof has it.  What the repaired form promises is in its plan's targets.
"""

from __future__ import annotations

from dpref.reals import Ops, T


def printed_floor(o: Ops[T], constant: T, gamma: T, kappa: T, noise: T) -> T:
    r"""$(a\gamma X)^\kappa$: the excess risk of Theorem 2, which the print does not reach for $\kappa>2$ (E18).

    >>> from dpref.reals import FLOAT
    >>> round(printed_floor(FLOAT, constant=2.0, gamma=0.5, kappa=3.0, noise=2.0), 12)
    8.0
    """
    return o.exp(kappa * o.log(constant * gamma * noise))


def printed_error(o: Ops[T], constant: T, weak_convexity: T, noise: T) -> T:
    r"""$\tau=\frac{aX^2}{\tilde L_1}$: the excess of a subproblem's solution (Lemma 3).

    >>> from dpref.reals import FLOAT
    >>> printed_error(FLOAT, constant=2.0, weak_convexity=0.5, noise=3.0)
    36.0
    """
    return constant * noise * noise / weak_convexity
