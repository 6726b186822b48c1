r"""What the plans of DP-SVRG and DP-SVRG++ choose where the user does not, from public numbers alone.

A batch that is as small as the proved range $\varepsilon\le c_1(b/n)^2K$ allows makes a step cheap.  What is certified
for sampled answers then asks for two to three times the noise of full gradients, so that it is taken only where the
noise's floor stays below half of what the start can lose; else the whole data are the batch, and nothing is sampled.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np

from dpref.algorithms.svrg.calibration import PROVED_RANGE
from dpref.algorithms.svrg.utility import noise_per_epoch
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Linear, exact_lipschitz
from dpref.reals import FLOAT, FloatArray

_LONG: Final = 0.5  # of 8 L eta, from which on the theorem's bound says more about its proof than about the noise


def smallest_batch(epsilon: Fraction, steps: int, records: int) -> int:
    r"""$\min(n,\lceil n\sqrt{\varepsilon/(c_1K)}\rceil)$, the proved $c_1$ (errata 3.6.3).

    Args:
        epsilon: Privacy budget.
        steps: K, as the theorem counts them.
        records: n.

    >>> smallest_batch(Fraction(1), 20, 569), smallest_batch(Fraction(1), 20, 2), smallest_batch(Fraction(200), 20, 9)
    (49, 1, 9)
    """
    square = math.ceil(epsilon * records**2 / (PROVED_RANGE * steps))
    return min(records, math.isqrt(square - 1) + 1)


def start_risk(problem: ERMProblem, start: FloatArray) -> float:
    r"""A public bound on $F(\tilde x_0)-F_*$: the losses are convex and not negative, or they are linear on a ball.

    Args:
        start: The first snapshot, shape (p,).

    >>> from dpref.problems.examples import logistic_problem
    >>> problem = logistic_problem()
    >>> round(start_risk(problem, np.zeros(problem.dimension)), 4)
    0.6931
    """
    loss, radius, distance = problem.loss, problem.domain.radius, float(np.linalg.norm(start))
    most, ridge = float(problem.feature_bound) * distance, float(problem.ridge) / 2 * distance**2
    across = math.inf
    if radius is not None:
        across = float(exact_lipschitz(loss, problem.feature_bound, radius)) * (float(radius) + distance)
    if isinstance(loss, Linear):
        return across + ridge
    return min(across, max(loss.value(FLOAT, s, y) for s in (-most, most) for y in (-1.0, 1.0))) + ridge


def noise_floor(eta: float, smoothness: float, std: float, dimension: int) -> float:
    r"""What noise leaves of the risk: $\frac{2\eta}{1-8L\eta}\sigma^2p$ an epoch, $\eta\sigma^2p$ if the step is long.

    Args:
        eta: Step size.
        smoothness: L of the losses.
        std: Noise of an answer, per coordinate.
        dimension: p, the number of parameters.

    >>> round(noise_floor(1 / 48, 1.0, 1.0, 1), 12), noise_floor(1.0, 1.0, 0.5, 4)
    (0.05, 1.0)
    """
    variance = std * std
    if 8 * smoothness * eta >= _LONG:
        return eta * variance * dimension
    return noise_per_epoch(FLOAT, eta, smoothness, variance, float(dimension))


def epoch_floor(eta: float, strong_convexity: float, std: float, dimension: int, inner: int) -> float:
    r"""What the noise of an epoch's gradient leaves of the risk: $\min(m\eta,\frac1{2\mu})\sigma_2^2p$.

    The m steps of an epoch move against the same noise, as one step of $m\eta$ does, and no further than to the
    minimiser of $F+\langle u,\cdot\rangle$, which costs $\frac{\|u\|^2}{2\mu}$ (``dp-erm-revisited/3.6.4``).

    Args:
        eta: Step size.
        strong_convexity: mu of the objective, not negative.
        std: Noise of an epoch's gradient, per coordinate.
        dimension: p, the number of parameters.
        inner: m, the steps of the longest epoch.

    >>> epoch_floor(0.5, 0.0, 1.0, 3, 4), epoch_floor(0.5, 0.5, 1.0, 3, 4)
    (6.0, 3.0)
    """
    reach = inner * eta
    if strong_convexity > 0:
        reach = min(reach, 1 / (2 * strong_convexity))
    return reach * std * std * dimension


def warning(floor: float, risk: float) -> str:
    """What a plan says before it starts, and with its result, if it cannot beat its start; else nothing.

    Args:
        floor: What the noise leaves of the risk, however long the run is.
        risk: What the start can lose at most.

    >>> warning(2.0, 0.5)
    "n is too small: the noise's floor, 2, exceeds the start's risk, 0.5"
    >>> warning(0.1, 0.5)
    ''
    """
    if floor < risk:
        return ""
    return f"n is too small: the noise's floor, {floor:.3g}, exceeds the start's risk, {risk:.3g}"
