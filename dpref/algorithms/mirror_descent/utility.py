r"""The utility theorems of vertex sampling: their parameters and their bounds, with explicit constants.

Theorem 3.1 gives T, K and $\tau$ up to constants only; here every ``~`` is read as equality and then rounded, and the
bound is the errata's explicit form

.. math::
    \mathbb E\,\mathrm{Gap}(\tilde x,\tilde y)\le
    \frac{4L_1}T+4L_1\sqrt{\ell/T}+\frac{2\ell}{\tau T}+5\tau L_0^2+4b_K,

with $\ell=\ln d_x+\ln d_y$, T ``steps``, K ``samples`` that a gradient averages, $L_0$ a bound on every entry of a
gradient, $L_1$ its smoothness and $L_2$ that of the partial derivatives with respect to the l1 norm of (x, y), and
$b_K=4\sqrt2L_1/\sqrt K$, $4L_2/K$ or 0 for first-order smooth, second-order smooth and quadratic objectives.

References:
    Gonzalez, Guzman and Paquette 2024, Theorems 3.1 and 3.14, Proofs 3.13 and 3.19.
"""

from __future__ import annotations

import math
from typing import Literal

from dpref.errors import InvalidArgumentError
from dpref.reals import Ops, T

Smoothness = Literal["first-order", "second-order", "quadratic"]


def first_order_bias(o: Ops[T], L1: T, samples: T) -> T:
    r"""$b_K=\frac{4\sqrt2L_1}{\sqrt K}$: the bias, in the largest entry, of a gradient at an average of vertices.

    Corollary 2.6 on a product of two simplices, where an average of K pairs takes 2K martingale steps (E6).

    >>> from dpref.reals import FLOAT
    >>> first_order_bias(FLOAT, 3.0, 32.0)
    3.0
    """
    return 4 * o.sqrt(o.number(2)) * L1 / o.sqrt(samples)


def second_order_bias(o: Ops[T], L2: T, samples: T) -> T:
    r"""$b_K=\frac{4L_2}K$: the same where every partial derivative is $L_2$-smooth (Corollary 2.4; E6).

    >>> from dpref.reals import FLOAT
    >>> second_order_bias(FLOAT, 0.5, 8.0)
    0.25
    """
    return 4 * L2 / samples


def sampled_gap(o: Ops[T], L1: T, ell: T, steps: T) -> T:
    r"""$\frac{4L_1}T+4L_1\sqrt{\ell/T}$: what sampling the output adds to the gap (Lemma 3.11, with 4 for 2; E8).

    >>> from dpref.reals import FLOAT
    >>> sampled_gap(FLOAT, 1.0, 4.0, 16.0)
    2.25
    """
    return 4 * L1 / steps + 4 * L1 * o.sqrt(ell / steps)


def gap_bound(o: Ops[T], L0: T, L1: T, ell: T, steps: T, tau: T, bias: T) -> T:
    r"""The explicit bound on the expected gap of Algorithm 1's output, in units of the loss.

    References:
        Gonzalez, Guzman and Paquette 2024, Eq. (8), Lemmas 3.8 and 3.11.

    >>> from dpref.reals import FLOAT
    >>> round(gap_bound(FLOAT, 1.0, 1.0, 9.2, 88649.0, 4.4e-4, 0.0), 2)
    0.51
    """
    return sampled_gap(o, L1, ell, steps) + 2 * ell / (tau * steps) + 5 * tau * L0 * L0 + 4 * bias


def regret_step(o: Ops[T], L0: T, ell: T, steps: T) -> T:
    r"""$\tau=\sqrt{\frac{2\ell}{5T}}/L_0$, which minimises $\frac{2\ell}{\tau T}+5\tau L_0^2$ (Eq. (8)).

    >>> from dpref.reals import FLOAT
    >>> regret_step(FLOAT, 2.0, 10.0, 4.0)
    0.5
    """
    return o.sqrt(2 * ell / (5 * steps)) / L0


def theorem_3_1(smoothness: Smoothness, n: int, epsilon: float, delta: float, ell: float) -> tuple[int, int]:
    r"""T and K of Theorem 3.1, every ``~`` read as equality, T rounded down and K up.

    Args:
        smoothness: Which of Eqs. (5), (6), (7).
        n: Number of records.
        epsilon: Privacy budget.
        delta: Privacy slack.
        ell: $\ln d_x+\ln d_y$.

    Returns:
        T, at least 1, and K, at least 1.

    Raises:
        InvalidArgumentError: If the smoothness is unknown.

    References:
        Gonzalez, Guzman and Paquette 2024, Theorem 3.1, Proof 3.13.

    >>> theorem_3_1("quadratic", 10**6, 1.0, 1e-6, 2 * math.log(100))
    (88649, 1)
    """
    size, L = n * epsilon, -math.log(delta)
    if smoothness == "first-order":
        steps = max(1, math.floor(min(n, size ** (2 / 3) / L ** (1 / 3))))
        return steps, max(1, math.ceil(steps / ell))
    if smoothness == "second-order":
        steps = max(1, math.floor(min(n, size ** (4 / 5) / (ell ** (1 / 5) * L ** (2 / 5)))))
        return steps, max(1, math.ceil(math.sqrt(steps / ell)))
    if smoothness == "quadratic":
        return max(1, math.floor(min(n, size / math.sqrt(ell * L)))), 1
    raise InvalidArgumentError("smoothness", smoothness, "must be first-order, second-order or quadratic")
