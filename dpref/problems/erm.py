r"""Empirical risk minimisation, $\min_{\theta\in C}\frac1n\sum_i\ell(x_i^\top\theta,y_i)+\frac\lambda2\|\theta\|^2$.

A problem is public: the loss, the number n by which sums are divided, the bounds and the constraint set.  The data are
private and reach an algorithm only through a curator.  The ridge term is data-independent and stays outside the query.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np
from flint import arb

from dpref.checks import finite_array, instance, natural, positive_double, positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import WHOLE_SPACE, ConstraintSet, shrink
from dpref.kernels.records import Linear
from dpref.problems.datasets import Dataset
from dpref.problems.losses import Loss, exact_lipschitz
from dpref.problems.neighbours import NeighbourPair, random_neighbour, worst_case_pair
from dpref.reals import BALL, FLOAT_ARRAY, RATIONAL, Array, FloatArray, Ops, ball, evaluate, lower
from dpref.units import L2, Adjacency, Sensitivity, differing_records

A = TypeVar("A", bound=Adjacency)


class Records(NamedTuple):
    """A data set as one number system reads it."""

    features: Array  # (n, d)
    labels: Array  # (n,)

    def record(self, t: int) -> tuple[Array, Array]:
        """Features, shape (d,), and label of record t, counted from one."""
        return self.features[t - 1], self.labels[t - 1]

    def part(self, rows: range) -> Records:
        """The records at these places, counted from zero, each and in order."""
        if rows.step != 1 or rows.start < 0:
            raise InvalidArgumentError("rows", rows, "must be places in order, counted from zero")
        return Records(self.features[rows.start : rows.stop], self.labels[rows.start : rows.stop])


@dataclass(frozen=True)
class ERMProblem:
    """The public side of an empirical risk minimisation problem.

    Attributes:
        loss: The per-record loss.
        n: The public number of records, the divisor of every mean.
        dimension: Number of parameters d.
        feature_bound: Bound r on the Euclidean norm of a record's features, exact.
        clip: Per-example clipping norm of the gradient, or None.
        ridge: Weight of the regulariser, exact, >= 0.
        domain: Constraint set, or the whole space.

    >>> from dpref.problems.losses import Logistic
    >>> ERMProblem(Logistic(), n=100, dimension=3).gradient_bound
    Fraction(1, 1)
    """

    loss: Loss
    n: int
    dimension: int
    feature_bound: Fraction = Fraction(1)
    clip: Fraction | None = None
    ridge: Fraction = Fraction(0)
    domain: ConstraintSet = WHOLE_SPACE

    def __post_init__(self) -> None:
        natural("n", self.n)
        natural("dimension", self.dimension)
        positive_rational("feature_bound", self.feature_bound)
        rational("ridge", self.ridge)
        if self.clip is not None:
            positive_double("clip", self.clip)  # a kernel reads the double, and divides by it
        if self.clip is None and self.loss.needs_parameter_bound and self.domain.radius is None:
            rule = f"the {self.loss.name} loss is Lipschitz on a ball only: give a bounded domain or a clipping norm"
            raise InvalidArgumentError("domain", self.domain.name, rule)

    @property
    def gradient_bound(self) -> Fraction:
        """G: the largest norm of a (clipped) per-record gradient, exact."""
        if self.loss.needs_parameter_bound and self.domain.radius is None:
            return Fraction(self.clip or 0)
        lipschitz = exact_lipschitz(self.loss, self.feature_bound, self.domain.radius)
        return lipschitz if self.clip is None else min(lipschitz, self.clip)

    @property
    def smoothness(self) -> Fraction:
        """M: the smoothness constant of the regularised objective (without clipping), exact."""
        return self.loss.smoothness(RATIONAL, self.feature_bound) + self.ridge

    def strong_convexity(self, gram_eigenvalue: Fraction) -> float:
        r"""$\lambda+c\,\lambda_{\min}(\frac1n\sum x_ix_i^\top)$ with c the loss's least curvature, rounded down.

        Args:
            gram_eigenvalue: A public lower bound on the least eigenvalue of the second-moment matrix, exact.
        """
        eigenvalue = rational("gram_eigenvalue", gram_eigenvalue)
        radius = self.domain.radius

        def value() -> arb:
            bound = None if radius is None else ball(radius)
            return ball(self.ridge) + ball(eigenvalue) * self.loss.curvature(BALL, ball(self.feature_bound), bound)

        return lower(evaluate(value))

    def start(self, given: FloatArray | None) -> tuple[float, ...]:
        """Where a run begins: at the given point, by default the origin; shape (d,).

        Args:
            given: Data-independent, shape (d,), or None.

        Raises:
            InvalidArgumentError: If it has another shape, or an entry that is not finite.
        """
        found = np.zeros(self.dimension) if given is None else finite_array("start", given, ndim=1)
        if found.shape != (self.dimension,):
            raise InvalidArgumentError("start", found.shape, f"must have shape ({self.dimension},)")
        return tuple(found.tolist())

    def sensitivity(self, adjacency: type[A]) -> Sensitivity[L2, A]:
        """l2 sensitivity of the mean gradient: 2G/n when a record is replaced, G/n when it is zeroed, added, removed.

        >>> from dpref.problems.losses import Logistic
        >>> from dpref.units import ReplaceOne
        >>> ERMProblem(Logistic(), n=100, dimension=3).sensitivity(ReplaceOne).value
        Fraction(1, 50)
        """
        return Sensitivity(mean_gradient_sensitivity(self.gradient_bound, self.n, adjacency), L2, adjacency)

    def read(self, data: Dataset, o: Ops[Array] = FLOAT_ARRAY) -> Records:
        """The data in a number system, after checking that they are an instance of this problem.

        Raises:
            InvalidArgumentError: If the size, the dimension or a row's norm does not fit.
        """
        instance("data", data, Dataset)
        if data.dimension != self.dimension:
            raise InvalidArgumentError("data", data.features.shape, f"must have {self.dimension} features")
        if abs(data.n - self.n) > 1:
            raise InvalidArgumentError("data", data.features.shape, f"must have {self.n} records, give or take one")
        if not data.rows_within(self.feature_bound):
            raise InvalidArgumentError("features", data.name, f"rows must have norm at most {self.feature_bound}")
        return Records(o.lift(data.features), o.lift(data.labels))

    def arrays(self, data: Dataset) -> Linear:
        """The data and the public problem as a kernel reads them.

        >>> from dpref.problems.losses import Huber
        >>> problem = ERMProblem(Huber(Fraction(1, 2)), n=1, dimension=2, clip=Fraction(1, 4))
        >>> problem.arrays(Dataset(np.array([[0.6, 0.8]]), np.array([1.0])))[2:]
        (1, 2, 0.5, 0.25, 0.0, inf)
        """
        clip, radius = (math.inf if x is None else float(x) for x in (self.clip, self.domain.radius))
        loss = self.loss.code, float(self.loss.parameter)
        return Linear(data.features, data.labels, self.n, *loss, clip, float(self.ridge), radius)

    def random_neighbour(self, data: Dataset, adjacency: type[Adjacency], rng: np.random.Generator) -> Dataset:
        """A neighbour in which a random record is replaced, nulled, or removed."""
        return random_neighbour(data, adjacency, rng)

    def worst_case_pair(self, data: Dataset, adjacency: type[Adjacency]) -> NeighbourPair:
        """A pair whose gradients differ as much as the adjacency allows; the first record is overwritten."""
        return worst_case_pair(data, adjacency)

    def mean_gradient(self, o: Ops[Array], theta: Array, records: Records) -> Array:
        r"""$\frac1n\sum_i\mathrm{clip}(\ell'(\langle x_i,\theta\rangle,y_i)\,x_i)$, shape (d,); n is public.

        Args:
            theta: Parameter, shape (d,).
            records: The private data in that system.
        """
        slopes = self.loss.derivative(o, records.features @ theta, records.labels)
        rows = slopes[:, None] * records.features
        if self.clip is not None:
            rows = shrink(o, rows, o.number(self.clip))
        mean: Array = rows.sum(axis=0) / self.n
        return mean

    def mean_slope(self, o: Ops[Array], theta: Array, other: Array, distance: Array, records: Records) -> Array:
        r"""$\frac1n\sum_i\mathrm{clip}\big(\frac{\ell_i(\theta')-\ell_i(\theta)}r\big)$, shape (1,); n is public.

        A record's part is cut off at $\pm G$, so that the sensitivity is that of the mean gradient; nothing is cut off
        where the losses are G-Lipschitz and no gradient is clipped.

        Args:
            theta: $\theta$, shape (d,).
            other: $\theta'$, shape (d,).
            distance: r, a positive number, at least $\|\theta'-\theta\|$.
            records: The private data in that system.
        """
        before, after = (self.loss.value(o, records.features @ x, records.labels) for x in (theta, other))
        bound = o.number(self.gradient_bound)
        slopes = o.maximum(-bound, o.minimum(bound, (after - before) / distance))
        mean: Array = slopes.sum(keepdims=True) / self.n
        return mean

    def regularised(self, o: Ops[Array], theta: Array, gradient: Array) -> Array:
        r"""The noisy mean gradient plus $\lambda\theta$: post-processing."""
        return gradient if self.ridge == 0 else gradient + o.number(self.ridge) * theta

    def objective(self, o: Ops[Array], theta: Array, records: Records) -> Array:
        r"""$F(\theta)$, a number."""
        losses = self.loss.value(o, records.features @ theta, records.labels)
        risk: Array = losses.sum() / self.n + o.number(self.ridge) / 2 * (theta * theta).sum()
        return risk


def mean_gradient_sensitivity(gradient_bound: Fraction, n: int, adjacency: type[Adjacency]) -> Fraction:
    r"""$2G/n$ under replace-one, $G/n$ under zero-out and under add-or-remove-one with a public divisor n.

    Obligations ``sensitivity/replace-one``, ``sensitivity/zero-out``; the first is attained by two opposite gradients.

    >>> from dpref.units import ReplaceOne
    >>> mean_gradient_sensitivity(Fraction(1), 100, ReplaceOne)
    Fraction(1, 50)
    """
    return differing_records(adjacency) * gradient_bound / n


def step_size(problem: ERMProblem) -> float:
    """1 / M rounded down, the step of every theorem of the two gradient-descent papers.

    >>> from dpref.problems.losses import Logistic
    >>> step_size(ERMProblem(Logistic(), n=100, dimension=3))
    4.0
    """
    return lower(1 / ball(problem.smoothness))
