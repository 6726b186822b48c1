r"""Theorem 4.2 of anytime mirror descent: its parameters, and its bound with explicit constants.

The theorem gives $\tau$ up to constants only; the bound here is the errata's explicit form

.. math::
    \mathbb EF(\hat w^T)-\min F\le\frac{2L_1}K+\frac{\ln d}{\tau T}+\frac{\tau L_0^2}2+2b_K
    +\frac{4L_1q(1+\ln(T/q))}T+\tau q\,m_K,

with d vertices, T ``steps``, K ``samples`` that a gradient averages, q ``round_length``, $L_0$ a bound on every entry
of a gradient, $L_1$ its smoothness and $L_2$ that of the partial derivatives with respect to the l1 norm,
$\gamma=1+\ln2d$; $b_K=\frac{4L_1}{\sqrt K}$ or $\frac{2L_2}K$ is the bias of a gradient at an average of K vertices
(Corollaries 2.6 and 2.4), and $m_K$ its second moment, $\frac{8L_2^2}{K^2}+\frac{16L_1^2\gamma}K$ (Corollary 2.12, safe
form) or $(4+\sqrt{2\gamma})^2\frac{L_1^2}K$ (E41).

References:
    Gonzalez, Guzman and Paquette 2024, Theorem 4.2, Proof 4.5.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from dpref.checks import one_of
from dpref.reals import Ops, T

Smoothness = Literal["first-order", "second-order"]


def first_order_bias(o: Ops[T], L1: T, samples: T) -> T:
    r"""$b_K=\frac{4L_1}{\sqrt K}$ (Corollary 2.6, one simplex).

    >>> from dpref.reals import FLOAT
    >>> first_order_bias(FLOAT, 1.0, 16.0)
    1.0
    """
    return 4 * L1 / o.sqrt(samples)


def second_order_bias(o: Ops[T], L2: T, samples: T) -> T:
    r"""$b_K=\frac{2L_2}K$ (Corollary 2.4, one simplex).

    >>> from dpref.reals import FLOAT
    >>> second_order_bias(FLOAT, 1.0, 16.0)
    0.125
    """
    return 2 * L2 / samples


def first_order_moment(o: Ops[T], L1: T, dimension: T, samples: T) -> T:
    r"""$m_K=(4+\sqrt{2\gamma})^2\frac{L_1^2}K$: by McDiarmid's inequality (E41).

    >>> from dpref.reals import FLOAT
    >>> round(first_order_moment(FLOAT, 1.0, 4.0, 100.0), 3)
    0.42
    """
    root = 4 + o.sqrt(2 * (1 + o.log(2 * dimension)))
    return root * root * L1 * L1 / samples


def second_order_moment(o: Ops[T], L1: T, L2: T, dimension: T, samples: T) -> T:
    r"""$m_K=\frac{8L_2^2}{K^2}+\frac{16L_1^2\gamma}K$ (Corollary 2.12, with the constant that survives E5).

    >>> from dpref.reals import FLOAT
    >>> round(second_order_moment(FLOAT, 1.0, 1.0, 4.0, 100.0), 3)
    0.494
    """
    return 8 * L2 * L2 / (samples * samples) + 16 * L1 * L1 * (1 + o.log(2 * dimension)) / samples


def excess_bound(
    o: Ops[T], L0: T, L1: T, dimension: T, steps: T, round_length: T, samples: T, tau: T, bias: T, moment: T
) -> T:
    r"""The explicit bound on the expected excess risk of Algorithm 5's output with steps tau, in units of the loss.

    ``bias`` is $b_K$, ``moment`` $m_K$.

    References:
        Gonzalez, Guzman and Paquette 2024, Eq. (11).

    >>> from dpref.reals import FLOAT
    >>> round(excess_bound(FLOAT, 1.0, 1.0, 4.0, 1e4, 10.0, 1e3, 0.01, 0.0, 0.0), 4)
    0.0525
    """
    waiting = 4 * L1 * round_length * (1 + o.log(steps / round_length)) / steps
    regret = o.log(dimension) / (tau * steps) + tau * L0 * L0 / 2
    return 2 * L1 / samples + regret + 2 * bias + waiting + tau * round_length * moment


def regret_step(o: Ops[T], L0: T, dimension: T, steps: T, round_length: T, moment: T) -> T:
    r"""$\tau=\sqrt{\frac{\ln d}{T(L_0^2/2+q\,m_K)}}$, which minimises the bound (Proof 4.5, constants explicit).

    >>> from dpref.reals import FLOAT
    >>> round(regret_step(FLOAT, 1.0, 4.0, 100.0, 2.0, 0.25), 4)
    0.1177
    """
    return o.sqrt(o.log(dimension) / (steps * (L0 * L0 / 2 + round_length * moment)))


class Theorem42(NamedTuple):
    """The parameters of Theorem 4.2.

    Attributes:
        steps: T.
        round_length: q.
        samples: K.
    """

    steps: int
    round_length: int
    samples: int


def theorem_4_2(smoothness: Smoothness, n: int, epsilon: float, delta: float, dimension: int) -> Theorem42:
    r"""T, q and K of Theorem 4.2: T rounded down, q to the nearest integer, K up; each at least 1 (E30).

    Args:
        smoothness: Which of the two cases.
        n: Number of records.
        epsilon: Privacy budget.
        delta: Privacy slack.
        dimension: d, at least 2.

    Raises:
        InvalidArgumentError: If the smoothness is unknown.

    References:
        Gonzalez, Guzman and Paquette 2024, Theorem 4.2, Proof 4.5.

    >>> theorem_4_2("second-order", 10**6, 1.0, 1e-6, 100)
    Theorem42(steps=58421, round_length=113, samples=517)
    >>> theorem_4_2("first-order", 10**6, 1.0, 1e-6, 100)
    Theorem42(steps=11982, round_length=24, samples=2602)
    """
    one_of("smoothness", smoothness, ("first-order", "second-order"))
    size, L, ell = n * epsilon, -math.log(delta), math.log(dimension)
    if smoothness == "second-order":
        steps = max(1, math.floor(min(n, size / (ell * math.sqrt(L)))))
        length = max(1, round(math.sqrt(steps / ell)))
        return Theorem42(steps, length, math.ceil(steps / length))
    steps = max(1, math.floor(min(n, size ** (4 / 5) / (ell * L) ** (2 / 5))))
    return Theorem42(steps, max(1, round(math.sqrt(steps) / ell)), math.ceil(steps / ell))
