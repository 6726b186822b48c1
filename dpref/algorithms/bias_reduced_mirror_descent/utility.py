"""Theorem 3.14 of bias-reduced mirror descent: its parameters."""

from __future__ import annotations

import math
from typing import NamedTuple

from dpref.errors import InvalidArgumentError


class Theorem314(NamedTuple):
    r"""The parameters of Theorem 3.14.

    Attributes:
        truncation: M, the highest level.
        C: $L_0^2+L_2^2+\ell ML_1^2$.
        stopping: U of the stopping rule.
        step_size: tau.
        alpha: The batch parameter.
    """

    truncation: int
    C: float
    stopping: float
    step_size: float
    alpha: float


def theorem_3_14(
    n: int,
    epsilon: float,
    delta: float,
    ell: float,
    constants: tuple[float, float, float] = (1.0, 1.0, 1.0),
    width: float = 9.0,
) -> Theorem314:
    r"""The parameters of Theorem 3.14, a circular system: the largest M with $M\le\frac12\log_2U(M)$ is kept (E18).

    Args:
        n: Number of records.
        epsilon: Privacy budget.
        delta: Privacy slack.
        ell: $\ln d_x+\ln d_y$.
        constants: L0, L1 and L2.
        width: 9 as printed; 18 if only pure DP is to be composed.

    Raises:
        InvalidArgumentError: If no M fits, which means that U would be below 4.

    References:
        Gonzalez, Guzman and Paquette 2024, Theorem 3.14.

    >>> found = theorem_3_14(10**6, 1.0, 1e-6, 2 * math.log(100))
    >>> found.truncation, round(found.stopping, 3), round(found.alpha, 8)
    (6, 5379.216, 0.01075843)
    """
    (L0, L1, L2), L = constants, -math.log(delta)
    best = None
    for M in range(1, 64):
        C = L0**2 + L2**2 + ell * M * L1**2
        U = min(n * epsilon * math.sqrt(C) / (math.sqrt(4 * 48 * width**2 * ell * L) * L0), n / 2)
        if math.log2(U) < 2 * M:
            break
        tau = math.sqrt(ell / (C * U))
        alpha = (2 * epsilon**2 / (48 * width**2 * L * (tau * L0) ** 2 * n)) ** (1 / 3)
        best = Theorem314(M, C, U, tau, alpha)
    if best is None:
        raise InvalidArgumentError("n", n, "is too small: U would be below 4")
    return best
