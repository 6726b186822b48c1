r"""Online convex optimisation: $\min_{\theta\in C}\mathbb E\,\ell(\langle x,\theta\rangle,y)$, record by record.

The set C is measured in a norm $\|\cdot\|_p$ and the features in its dual $\|\cdot\|_q$, so that with
$\|x\|_q\le r$ the gradient $\ell'(\langle x,\theta\rangle,y)\,x$ has $\|\cdot\|_q$-norm at most L and is
$\beta$-Lipschitz from $\|\cdot\|_p$ to $\|\cdot\|_q$, with the constants of `dpref.problems.losses`.  Clipping the
derivative $\ell'$ at c keeps $\beta$ and makes L at most $cr$.

A problem is public.  The records are private; they reach an algorithm through a curator only, as
`dpref.problems.erm.Records` (a stream that is there already) or as `Arrivals` (one record at a time).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeVar

import numpy as np

from dpref.checks import finite_array, instance, natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry import candidates
from dpref.geometry.linear_minimization import LinearMinimizationOracle
from dpref.geometry.norms import Index, dual_index
from dpref.kernels.records import LinearStream
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.erm import Records
from dpref.problems.losses import Loss, exact_lipschitz
from dpref.problems.neighbours import NeighbourPair, replace_record, zero_record
from dpref.reals import FLOAT_ARRAY, RATIONAL, Array, FloatArray, Ops
from dpref.units import Adjacency, Norm, ReplaceOne, Sensitivity, ZeroOut, differing_records, lq

A = TypeVar("A", bound=Adjacency)


class Stream(Protocol):
    """What holds the records of a stream: `Arrivals` and `dpref.problems.erm.Records` do."""

    def record(self, t: int) -> tuple[Array, Array]:
        """Features, shape (d,), and label of record t, counted from one."""


@dataclass(frozen=True)
class StreamProblem:
    """The public side of an online problem.

    Attributes:
        loss: The per-record loss.
        n: The most records that the stream may have.
        dimension: d.
        domain: The constraint set, with its norm.
        feature_bound: r, a bound on the dual norm of the features, exact.
        clip: c, a bound on the size of the loss's derivative, exact, or None.

    >>> from dpref.geometry.linear_minimization import LpBall
    >>> from dpref.problems.losses import Logistic
    >>> problem = StreamProblem(Logistic(), n=100, dimension=3, domain=LpBall(Fraction(3, 2), Fraction(2)))
    >>> problem.lipschitz, problem.smoothness, problem.sensitivity(ReplaceOne).value
    (Fraction(1, 1), Fraction(1, 4), Fraction(4, 1))
    """

    loss: Loss
    n: int
    dimension: int
    domain: LinearMinimizationOracle
    feature_bound: Fraction = Fraction(1)
    clip: Fraction | None = None

    def __post_init__(self) -> None:
        natural("n", self.n)
        natural("dimension", self.dimension)
        positive_rational("feature_bound", self.feature_bound)
        if self.clip is not None:
            positive_rational("clip", self.clip)
        vertices = self.domain.encoding().vertices
        if vertices.size and vertices.shape[1] != self.dimension:
            raise InvalidArgumentError("domain", vertices.shape, f"must lie in dimension {self.dimension}")

    @property
    def dual(self) -> Index:
        """q: gradients and features are measured in this norm."""
        return dual_index(self.domain.index)

    @property
    def lipschitz(self) -> Fraction:
        """L: the largest dual norm of a (clipped) gradient, exact."""
        bound = exact_lipschitz(self.loss, self.feature_bound, self.domain.radius_bound())
        return bound if self.clip is None else min(bound, self.clip * self.feature_bound)

    @property
    def smoothness(self) -> Fraction:
        """beta: gradients are beta-Lipschitz from the norm to its dual, exact."""
        return self.loss.smoothness(RATIONAL, self.feature_bound)

    def sensitivity(self, adjacency: type[A], step_scale: Fraction = Fraction(1)) -> Sensitivity[Norm, A]:
        r"""How far an increment of the recursive gradient moves: $2(c\beta D+L)$, half if the record is nulled.

        Args:
            adjacency: Replace-one or zero-out.
            step_scale: c: step t is at most $c/(t+1)$ long.

        Raises:
            InvalidArgumentError: Under add-or-remove-one, where every later record would enter another element.

        References:
            Han et al., proof of Theorem 3.1; obligation ``private-online-frank-wolfe/PO-5``.
        """
        if adjacency not in {ReplaceOne, ZeroOut}:
            raise InvalidArgumentError("adjacency", adjacency.name, "records keep their place: replace-one or zero-out")
        value = increment_sensitivity(self.smoothness, self.domain.diameter(), self.lipschitz, step_scale, adjacency)
        return Sensitivity(value, lq(self.dual), adjacency)

    def read(self, data: Dataset, o: Ops[Array] = FLOAT_ARRAY) -> Records:
        """The data in a number system, after checking that they are an instance of this problem.

        Raises:
            InvalidArgumentError: If the size, the dimension or a row's norm does not fit.
        """
        instance("data", data, Dataset)
        if data.features.shape != (self.n, self.dimension):
            raise InvalidArgumentError("data", data.features.shape, f"must have shape {(self.n, self.dimension)}")
        if not data.rows_within(self.feature_bound, self.dual):
            raise InvalidArgumentError("features", data.name, f"rows must have l_{self.dual} norm at most r")
        return Records(o.lift(data.features), o.lift(data.labels))

    def gradient(self, o: Ops[Array], theta: Array, record: tuple[Array, Array]) -> Array:
        r"""$\mathrm{clip}(\ell'(\langle x,\theta\rangle,y))\,x$, shape (d,)."""
        x, y = record
        found: Array = self._slopes(o, x @ theta, y) * x
        return found

    def _slopes(self, o: Ops[Array], predictions: Array, labels: Array) -> Array:
        found = self.loss.derivative(o, predictions, labels)
        return found if self.clip is None else o.maximum(-o.number(self.clip), o.minimum(o.number(self.clip), found))

    def mean_gradient(self, o: Ops[Array], theta: Array, records: Records) -> Array:
        r"""$\frac1b\sum_i\mathrm{clip}(\ell'(\langle x_i,\theta\rangle,y_i))\,x_i$ of b records, shape (d,).

        Args:
            theta: Parameter, shape (d,).
            records: Those of the batch, at least one.

        >>> from dpref.algorithms import examples
        >>> example = examples.online_frank_wolfe()
        >>> example.problem.mean_gradient(example.ops, np.zeros(2), example.records).tolist()
        [-0.5, 0.0]
        """
        slopes = self._slopes(o, records.features @ theta, records.labels)
        found: Array = (slopes[:, None] * records.features).sum(axis=0) / len(records.labels)
        return found

    def arrays(self, data: Dataset) -> LinearStream:
        """The data and the public problem as a kernel reads them.

        >>> from dpref.problems.examples import equal_records, stream_problem
        >>> stream_problem().arrays(equal_records(1)).radius
        1.0
        """
        kind, dual, radius, vertices = self.domain.encoding()
        clip = math.inf if self.clip is None else float(self.clip)
        loss = self.loss.code, float(self.loss.parameter)
        return LinearStream(data.features, data.labels, *loss, clip, kind, dual, radius, np.ascontiguousarray(vertices))

    def random_neighbour(self, data: Dataset, adjacency: type[Adjacency], rng: np.random.Generator) -> Dataset:
        """The data with one random record replaced or nulled."""
        index = int(rng.integers(data.n))
        if adjacency is ZeroOut:
            return zero_record(data, index)
        row = scale_rows(rng.standard_normal((1, data.dimension)) * rng.choice([0.1, 1.0, 10.0]), self.dual)[0]
        return replace_record(data, index, row * float(self.feature_bound) * _BELOW, float(rng.choice([-1.0, 1.0])))

    def worst_case_pair(self, data: Dataset, adjacency: type[Adjacency]) -> NeighbourPair:
        """The first record is a coordinate vector as long as allowed; in the neighbour it is flipped, or null.

        With linear losses the increment then moves by exactly the sensitivity.
        """
        direction = np.eye(self.dimension)[0]
        first = replace_record(data, 0, direction * float(self.feature_bound) * _exactly(self.feature_bound), 1.0)
        if adjacency is ZeroOut:
            return NeighbourPair(first, zero_record(first, 0), direction)
        return NeighbourPair(first, replace_record(first, 0, first.features[0], -1.0), direction)


@dataclass(frozen=True)
class VertexStream(StreamProblem):
    """A stream over a polytope that lists its vertices, as a choice among them needs it: an l_1 ball, or any other.

    >>> from dpref.geometry.linear_minimization import simplex
    >>> from dpref.problems.losses import Logistic
    >>> VertexStream(Logistic(), n=100, dimension=3, domain=simplex(3)).domain.diameter()
    Fraction(2, 1)
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        candidates.count(self.domain, self.dimension)
        if self.domain.diameter() == 0:
            raise InvalidArgumentError("domain", self.domain.name, "must have more than one vertex")


def increment_sensitivity(
    smoothness: Fraction, diameter: Fraction, lipschitz: Fraction, step_scale: Fraction, adjacency: type[Adjacency]
) -> Fraction:
    r"""$2(c\beta D+L)$ under replace-one, $c\beta D+L$ under zero-out: how far $t\,g-(t-1)g'$ moves with its record.

    Obligations ``private-online-frank-wolfe/PO-5`` and ``private-online-frank-wolfe/PO-6``.

    Args:
        smoothness: beta, from the norm of the domain to its dual.
        diameter: D of the domain, in its norm.
        lipschitz: L, a bound on the dual norm of a gradient.
        step_scale: c: step t is at most $c/(t+1)$ long.
        adjacency: Replace-one, or zero-out, where one of the two increments is null.

    Returns:
        Exact, in the dual norm and in units of the gradient.

    References:
        Han et al., "On private online convex optimization", proof of Theorem 3.1.

    >>> increment_sensitivity(Fraction(1), Fraction(4), Fraction(4), Fraction(1), ReplaceOne)
    Fraction(16, 1)
    """
    return differing_records(adjacency) * (step_scale * smoothness * diameter + lipschitz)


_BELOW = 1.0 - 2.0**-40


def _exactly(bound: Fraction) -> float:
    """One if the bound is a double, else a hair less."""
    return 1.0 if Fraction(float(bound)) == bound else _BELOW


class Arrivals:
    """A stream of which only the latest record is kept: it is put in, used once, and gone.

    Args:
        problem: The public side, which every record is checked against.

    >>> from dpref.problems.examples import stream_problem
    >>> arrivals = Arrivals(stream_problem(n=2))
    >>> arrivals.put(np.array([0.6, 0.0]), 1.0)
    >>> arrivals.record(1)[0].tolist()
    [0.6, 0.0]
    """

    def __init__(self, problem: StreamProblem) -> None:
        self._problem = replace(problem, n=1)
        self._latest: Records | None = None
        self._count = 0

    def put(self, features: FloatArray, label: float) -> None:
        """The next record: features of shape (d,) and a label -1 or +1.

        Raises:
            InvalidArgumentError: If it is not a record of the problem.
        """
        row = finite_array("features", features, ndim=1)
        self._latest = self._problem.read(Dataset(row[None, :], np.array([label])))
        self._count += 1

    def record(self, t: int) -> tuple[Array, Array]:
        """Record t, if it is the latest one.

        Raises:
            InvalidArgumentError: If record t has not arrived yet, or is gone.
        """
        if self._latest is None or t != self._count:
            raise InvalidArgumentError("t", t, f"must be the latest record, number {self._count}")
        return self._latest.record(1)
