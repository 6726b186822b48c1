r"""The hard instances of the lower bounds under the KL condition, as problems with data whose optimum is known exactly.

Notation: F the empirical risk, $w^*$ its minimiser, n records, d parameters; $(\gamma,\kappa)$ of the KL condition
$F(w)-F(w^*)\le\gamma^\kappa\|\nabla F(w)\|^\kappa$; $\tau=\kappa/(\kappa-1)$ the exponent of growth.

* `fingerprints` (Theorem 7): $F(w)=\frac1n\sum_i\langle w,x_i\rangle+\lambda H(w)$ with N records of signs and the rest
  null, $\lambda=\frac{NL_0}{2nD}$.  The printed H is $\|w\|^2$ up to $4D$ and $4D\|w\|$ beyond, which is not convex;
  repaired, $8D\|w\|-16D^2$ beyond (E32).  All that the theorem compares lies within $4D$, where both are the ridge:
  the problem is that, on the ball.
* `two_points` (Theorem 8): on $[-a,a]$ every record's risk is linear, $a\mp w$, and the minimisers of two data sets
  lie at the two ends.  Beyond, the print goes on with $|w\mp a|^\tau$, which is neither 1-Lipschitz nor of growth on
  every ball (E33).  Both risks fall when a point is projected to $[-a,a]$, so that this domain costs no algorithm
  anything; on it F is 1-Lipschitz and (1, kappa)-KL, with equality at the far end.
* `growth` (Theorem 6): the reduction's first regularised problem, on d lines: $\tau$-growth for every whole
  $\tau\ge2$, hence KL with $\kappa=\tau/(\tau-1)\le2$.

Source: Menart et al. 2024, Theorems 6 to 8 (Appendices B.4, B.6, C.3); the errata's E31 to E33.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from dpref.checks import natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import L2Ball
from dpref.problems.datasets import Dataset
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Power
from dpref.reals import BALL, RATIONAL, Ops, T, ball, evaluate, exact, lower, upper

HALF: Final = Fraction(1, 2)


@dataclass(frozen=True)
class HardInstance:
    """A problem with data, and what is known of its risk.

    Attributes:
        item: The theorem whose instance it is.
        problem: The public side; its domain is where the rest holds.
        data: The records.
        minimiser: w*, exact, shape (d,).
        least: F(w*), exact.
        gamma: Scale of the KL condition on the domain, exact (rounded up where it is a root).
        kappa: Its exponent.
    """

    item: str
    problem: ERMProblem
    data: Dataset
    minimiser: tuple[Fraction, ...]
    least: Fraction
    gamma: Fraction
    kappa: Fraction


# ------------------------------------------------------------------------------------ Theorem 7


def inside(o: Ops[T], length: T) -> T:
    r"""$H$ up to $4D$, printed and repaired: $\|w\|^2$.

    Args:
        length: $\|w\|$, at most 4 D.

    >>> from dpref.reals import FLOAT
    >>> inside(FLOAT, 4.0)
    16.0
    """
    return length * length


def printed_outside(o: Ops[T], length: T, distance: T) -> T:
    r"""$H$ beyond $4D$ as printed: $4D\|w\|$, whose slope is half of that within (E32).

    Args:
        length: $\|w\|$, at least 4 D.
        distance: D.

    >>> from dpref.reals import FLOAT
    >>> printed_outside(FLOAT, 5.0, 1.0)
    20.0
    """
    return 4 * distance * length


def repaired_outside(o: Ops[T], length: T, distance: T) -> T:
    r"""$H$ beyond $4D$ repaired: $8D\|w\|-16D^2$, Huber's function.

    Args:
        length: $\|w\|$, at least 4 D.
        distance: D.

    >>> from dpref.reals import FLOAT
    >>> repaired_outside(FLOAT, 5.0, 1.0)
    24.0
    """
    return 8 * distance * length - 16 * distance * distance


def weight(o: Ops[T], marked: T, bound: T, n: T, distance: T) -> T:
    r"""$\lambda=\frac{NL_0}{2nD}$: no minimiser is then further than D from the origin.

    Args:
        marked: N, the records that are not null.
        bound: $L_0$, their length.
        n: Number of records.
        distance: D.

    >>> from dpref.reals import FLOAT
    >>> weight(FLOAT, marked=4.0, bound=1.0, n=8.0, distance=0.5)
    0.5
    """
    return marked * bound / (2 * n * distance)


def fingerprints(n: int, dimension: int, marked: int, distance: Fraction = Fraction(1), seed: int = 0) -> HardInstance:
    r"""Theorem 7: N rows of signs $\pm L_0/\sqrt d$, biased by column as a fingerprinting code is, the rest null.

    $w^*=-\frac1{2n\lambda}\sum_ix_i$, $F(w)-F(w^*)=\lambda\|w-w^*\|^2$, hence $(\gamma,2)$-KL with
    $\gamma^2=\frac1{4\lambda}$, all exact.  The unit of the risk is such that $L_0D=\frac1{16}$: a Huber loss is then
    linear on the whole ball, so that algorithms that need a smooth loss run too (F is shifted by $\frac38$).

    Args:
        n: Number of records.
        dimension: d.
        marked: N, at most n; the theorem takes the whole part of $\min\{\sqrt d/\varepsilon,n\}$.
        distance: D, exact: the domain has radius 4 D.
        seed: Of the code's columns and rows.

    Raises:
        InvalidArgumentError: If more records are marked than there are.

    >>> instance = fingerprints(8, dimension=4, marked=4)
    >>> sum(x**2 for x in instance.minimiser) <= 1, instance.problem.ridge, instance.gamma
    (True, Fraction(1, 32), Fraction(4, 1))
    """
    if natural("marked", marked) > natural("n", n):
        raise InvalidArgumentError("marked", marked, f"must be at most n = {n}")
    far = positive_rational("distance", distance)
    bound = 1 / (16 * far)
    rng = np.random.default_rng(seed)
    biases = np.sin(rng.uniform(0.0, np.pi / 2, natural("dimension", dimension))) ** 2
    entry = lower(evaluate(lambda: 2 * ball(bound) / ball(dimension).sqrt()))
    rows = np.zeros((n, dimension))
    rows[:marked] = np.where(rng.uniform(size=(marked, dimension)) < biases, entry, -entry)
    lam = weight(RATIONAL, Fraction(marked), bound, Fraction(n), far)
    sums = [sum(map(exact, column), Fraction(0)) / 2 for column in rows[:marked].T]
    minimiser = tuple(-x / (2 * n * lam) for x in sums)
    return HardInstance(
        item="Theorem 7",
        problem=ERMProblem(Huber(HALF), n, dimension, feature_bound=2 * bound, ridge=2 * lam, domain=L2Ball(4 * far)),
        data=Dataset(rows, -np.ones(n), f"{marked} rows of a fingerprinting code among null records"),
        minimiser=minimiser,
        least=Fraction(3, 8) - lam * sum(x * x for x in minimiser),
        gamma=_up_root(1 / (4 * lam), 2),
        kappa=Fraction(2),
    )


# ------------------------------------------------------------------------------------ Theorem 8


def offset(o: Ops[T], bias: T, kappa: T) -> T:
    r"""$a=\frac12\rho^{\kappa-1}$: the minimisers of the two data sets are a and -a.

    Args:
        bias: $\rho$, the share of the records in which they differ.
        kappa: Exponent of the KL condition, at least 2.

    >>> from dpref.reals import FLOAT
    >>> round(offset(FLOAT, bias=0.25, kappa=2.0), 12)
    0.125
    """
    return o.exp((kappa - 1) * o.log(bias)) / 2


def group_delta(o: Ops[T], epsilon: T, delta: T, differing: T) -> T:
    r"""$\delta_m=\delta\frac{e^{m\varepsilon}-1}{e^\varepsilon-1}$: delta for data that differ in m records.

    >>> from dpref.reals import FLOAT
    >>> round(group_delta(FLOAT, epsilon=0.5, delta=0.01, differing=1.0), 12)
    0.01
    """
    return delta * o.expm1(differing * epsilon) / o.expm1(epsilon)


def least_mean_excess(o: Ops[T], apart: T, bias: T, epsilon: T, delta: T) -> T:
    r"""$2a\rho\frac{1-\delta'}{1+e^{\varepsilon'}}$: no $(\varepsilon',\delta')$-indistinguishable answer is better.

    The mean of the excess risks on both data sets is linear in the probabilities, so that a two-point test bounds it.

    Args:
        apart: 2 a, the distance of the minimisers.
        bias: $\rho$.
        epsilon: Of the whole group that differs.
        delta: Of the whole group.

    >>> from dpref.reals import FLOAT
    >>> least_mean_excess(FLOAT, apart=0.5, bias=0.25, epsilon=0.0, delta=0.0)
    0.0625
    """
    return apart * bias * (1 - delta) / (1 + o.exp(epsilon))


def two_points(n: int, differing: int, kappa: int) -> tuple[HardInstance, HardInstance]:
    r"""Theorem 8: two data sets on the line that differ in $m=n\rho$ records, with minimisers a and -a.

    A record's risk on $[-a,a]$ is $\frac38\mp w$ (a Huber loss that is linear there), hence $F(w)=\frac38\mp\rho w$.

    Args:
        n: Number of records.
        differing: m, the number of records in which they differ, $1/\varepsilon$ in the theorem; n + m is even.
        kappa: Exponent of the KL condition, at least 2.

    Raises:
        InvalidArgumentError: If there is no such pair.

    >>> first, second = two_points(8, differing=2, kappa=2)
    >>> first.minimiser, second.minimiser, first.least
    ((Fraction(1, 8),), (Fraction(-1, 8),), Fraction(11, 32))
    """
    if natural("differing", differing) > n // 2 or (natural("n", n) + differing) % 2:
        raise InvalidArgumentError("differing", differing, f"must be at most n / 2, and n + differing even (n = {n})")
    if natural("kappa", kappa) == 1:
        raise InvalidArgumentError("kappa", kappa, "must be at least 2")
    bias = Fraction(differing, n)
    a = bias ** (kappa - 1) / 2
    # Huber's loss with threshold 1/2 at the prediction 2 w, label +-1: linear, of slope -+1, while |w| <= 1/4.
    problem = ERMProblem(Huber(HALF), n, 1, feature_bound=Fraction(2), domain=L2Ball(a))

    def one(sign: int) -> HardInstance:
        labels = np.where(np.arange(n) < (n + sign * differing) // 2, 1.0, -1.0)
        data = Dataset(np.full((n, 1), 2.0), labels, f"two points, bias {sign * bias}")
        least = Fraction(3, 8) - bias * a
        return HardInstance("Theorem 8", problem, data, (sign * a,), least, Fraction(1), Fraction(kappa))

    return one(1), one(-1)


# ------------------------------------------------------------------------------------ Theorem 6


def growth_scale(o: Ops[T], exponent: T, dimension: T) -> T:
    r"""$\lambda^\tau=\frac{2^{2-\tau}}{\tau d^{\tau/2}}$: $F(w)-F(w^*)\ge\lambda^\tau\|w-w^*\|^\tau$ for `growth`.

    $\frac1\tau|x|^\tau$ is uniformly convex with $\frac{2^{2-\tau}}\tau$, and
    $\frac1d\sum_j|u_j|^\tau\ge d^{-\tau/2}\|u\|^\tau$.

    >>> from dpref.reals import FLOAT
    >>> round(growth_scale(FLOAT, exponent=4.0, dimension=1.0), 12)
    0.0625
    """
    return o.exp((2 - exponent) * o.log(o.number(2)) - exponent / 2 * o.log(dimension)) / exponent


def growth(each: int, dimension: int, exponent: int, at: Fraction = HALF) -> HardInstance:
    r"""Theorem 6: linear losses and a $\tau$-th power, of $(\lambda,\tau)$-growth, on every coordinate axis alike.

    $F(w)=\frac1d\sum_j\big(\frac1\tau|w_j|^\tau-b_jw_j\big)$ with $b_j=\pm q^{\tau-1}$ and q the distance ``at``, so
    that $w^*_j=\pm q$ (signs in turn) and $F(w^*)=-(1-\frac1\tau)q^\tau$.  Convex with growth, hence
    $(\frac1\lambda,\frac\tau{\tau-1})$-KL (obligation ``kl-condition/PO-27``).

    Args:
        each: Records on each axis; ``each (1 + at**(exponent - 1)) / 2`` must be whole.
        dimension: d.
        exponent: tau, at least 2.
        at: q, exact, at most one over the root of d.

    Raises:
        InvalidArgumentError: If the numbers of records are not whole, or the minimiser leaves the unit ball.

    >>> instance = growth(16, dimension=2, exponent=4)
    >>> instance.minimiser, instance.least, instance.kappa
    ((Fraction(1, 2), Fraction(-1, 2)), Fraction(-3, 64), Fraction(4, 3))
    """
    q, tau = positive_rational("at", at), natural("exponent", exponent)
    if q * q * natural("dimension", dimension) > 1:
        raise InvalidArgumentError("at", q, f"must be at most 1 / sqrt({dimension}): the minimiser lies in the ball")
    loss = Power(Fraction(tau))
    up = natural("each", each) * (1 + q ** (tau - 1)) / 2
    if up.denominator != 1:
        raise InvalidArgumentError("each", each, f"must make each (1 + at**{tau - 1}) / 2 = {up} a whole number")
    signs = [1 - 2 * (j % 2) for j in range(dimension)]
    first = np.where(np.arange(each) < int(up), 1.0, -1.0)
    rows = np.repeat(np.eye(dimension), each, axis=0)
    labels = np.concatenate([sign * first for sign in signs])
    inverse = evaluate(lambda: 1 / growth_scale(BALL, ball(tau), ball(dimension)))
    return HardInstance(
        item="Theorem 6",
        problem=ERMProblem(loss, each * dimension, dimension, domain=L2Ball(Fraction(1))),
        data=Dataset(rows, labels, f"linear losses and a power of {tau} on {dimension} axes"),
        minimiser=tuple(sign * q for sign in signs),
        least=-(1 - Fraction(1, tau)) * q**tau,
        gamma=_up_root(exact(upper(inverse)), tau),
        kappa=Fraction(tau, tau - 1),
    )


def _up_root(x: Fraction, degree: int) -> Fraction:
    """The root of a positive number, rounded up to a double; itself where that is a root."""
    found = exact(upper(evaluate(lambda: BALL.exp(BALL.log(ball(x)) / degree))))
    near = found.limit_denominator(2**20)
    return near if near**degree == x else found


def examples() -> tuple[HardInstance, ...]:
    """One small instance of each theorem, and of Theorem 6 and 8 with another exponent.

    >>> [instance.item for instance in examples()]
    ['Theorem 6', 'Theorem 6', 'Theorem 7', 'Theorem 8', 'Theorem 8', 'Theorem 8']
    """
    return (
        growth(8, dimension=2, exponent=3),
        growth(16, dimension=1, exponent=4),
        fingerprints(12, dimension=4, marked=8),
        *two_points(12, differing=4, kappa=2),
        two_points(12, differing=4, kappa=3)[0],
    )
