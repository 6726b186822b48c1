r"""The Gaussian width $G_C=\mathbb E\sup_{w\in C}\langle b,w\rangle$, $b\sim N(0,I_d)$, of sets around the origin.

Of the ball $\{\|x\|_p\le R\}$ it is $R\,\mathbb E\|b\|_q$ with $\frac1p+\frac1q=1$:

* $p=2$: $R\sqrt2\,\Gamma(\frac{d+1}2)/\Gamma(\frac d2)$; $p=\infty$: $Rd\sqrt{2/\pi}$, in closed form;
* else at most $R\,(d\,m_r)^{1/r}$ for every finite $r\le q$, with
  $m_r=\mathbb E|b_1|^r=2^{r/2}\Gamma(\frac{r+1}2)/\sqrt\pi$ (as $\|b\|_q\le\|b\|_r$, and by Jensen); for $p<2$ also at
  most the width of the Euclidean ball, and for $p=1$ at most $R\sqrt{2\ln(2d)}$.

Of any other set it is estimated with its linear minimisation oracle.  The supremum is Lipschitz in b with the constant
$\max_C\|w\|_2$, so that the mean of N draws is off by more than $\max_C\|w\|_2\sqrt{2\ln(2/\beta)/N}$ with probability
at most $\beta$.

References:
    D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited", 2017, Definition 5.2.
    S. Boucheron, G. Lugosi, P. Massart, "Concentration inequalities", 2013, Theorems 2.5 and 5.6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, Literal

import numpy as np
from flint import arb

from dpref.checks import finite_array, natural
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LinearMinimizationOracle, LpBall
from dpref.geometry.norms import dual_index
from dpref.reals import FLOAT_ARRAY, FloatArray, ball, evaluate, upper

How = Literal["closed form", "upper bound", "Monte Carlo"]
FAILURE: Final = 1e-6


@dataclass(frozen=True)
class Width:
    """A Gaussian width.

    Attributes:
        value: The width, or an upper bound on it, rounded up; of a simulation the mean.
        how: Which of them it is.
        error: How far a simulation's mean may be off, but for a probability of 1e-6; else zero.

    >>> gaussian_width(LpBall(Fraction(2), Fraction(1)), 1).how
    'closed form'
    """

    value: float
    how: How
    error: float = 0.0


def gaussian_width(body: LinearMinimizationOracle, dimension: int) -> Width:
    """The certified Gaussian width of a ball, or an upper bound on it.

    Args:
        body: A ball of an l_p norm.
        dimension: d.

    Raises:
        InvalidArgumentError: If it is another set, whose width `simulated_width` estimates.

    >>> round(gaussian_width(LpBall(Fraction(2), Fraction(3)), 2).value, 6)  # 3 root of pi / 2
    3.759942
    """
    if not isinstance(body, LpBall):
        raise InvalidArgumentError("body", body.name, "has no certified width here: use simulated_width")
    d = natural("dimension", dimension)

    def euclidean() -> arb:
        found: arb = ball(body.radius) * arb(2).sqrt() * (arb(d + 1) / 2).gamma() / (arb(d) / 2).gamma()
        return found

    if body.p == 2 or d == 1:
        return Width(upper(evaluate(euclidean)), "closed form")
    if body.p == math.inf:
        return Width(upper(evaluate(lambda: ball(body.radius) * d * (2 / arb.pi()).sqrt())), "closed form")
    q = dual_index(body.p)
    top = 2 * math.log(2 * d) + 4 if q == math.inf else float(q)
    orders = [Fraction(k, 2) for k in range(2, 1 + math.floor(2 * top))]
    orders += [] if q == math.inf else [Fraction(q)]
    found = min(upper(evaluate(partial(_moment_bound, body.radius, d, r))) for r in orders)
    if q > 2:
        found = min(found, upper(evaluate(euclidean)))
    if q == math.inf:
        found = min(found, upper(evaluate(lambda: ball(body.radius) * (2 * arb(2 * d).log()).sqrt())))
    return Width(found, "upper bound")


def _moment_bound(radius: Fraction, d: int, r: Fraction) -> arb:
    """R (d m_r) ** (1 / r)."""
    order = ball(r)
    moment: arb = (arb(2).log() * order / 2).exp() * ((order + 1) / 2).gamma() / arb.pi().sqrt()
    return ball(radius) * ((d * moment).log() / order).exp()


def simulated_width(body: LinearMinimizationOracle, draws: FloatArray) -> Width:
    """The Gaussian width of any set with a linear minimisation oracle, from draws: no certificate.

    Args:
        body: The set; its ``radius_bound`` must bound Euclidean norms too, as it does for an index of at most 2.
        draws: Standard normal, shape (N, d).

    Raises:
        InvalidArgumentError: If there is no draw, or the set is measured in a norm of an index above 2.

    >>> from dpref.geometry.linear_minimization import simplex
    >>> of_simplex = simulated_width(simplex(2), np.array([[1.0, 0.0], [0.0, -1.0]]))
    >>> of_simplex.value, of_simplex.how
    (0.5, 'Monte Carlo')
    """
    if body.index > 2:
        raise InvalidArgumentError("body", body.name, "must be measured in a norm of an index of at most 2")
    count = natural("draws", len(finite_array("draws", draws, ndim=2)))
    sizes = [-float(b @ body.minimise(FLOAT_ARRAY, b)) for b in draws]
    error = float(body.radius_bound()) * math.sqrt(2 * math.log(2 / FAILURE) / count)
    return Width(float(np.mean(sizes)), "Monte Carlo", error)
