r"""Synthetic data for queries: $\min_x\max_jE_z\big[q_j(z)-\langle q_j,x\rangle\big]$ over laws x on a universe Z.

The universe and the queries are public; a record is told by its answers $q_1(z),q_2(z),\dots$ alone.  As a game on two
simplices it is Eq. (3) of the paper on saddle points: bilinear, of value 0, and the first player's gradient,
$-\sum_jy_jq_j$, does not read the data.

References:
    T. Gonzalez, C. Guzman, C. Paquette, "Mirror descent algorithms with nearly dimension-independent rates for
    differentially-private stochastic saddle-point problems", 2024, Section 1.4, Eq. (3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpref.checks import finite_array, instance, natural
from dpref.errors import InvalidArgumentError
from dpref.kernels.records import QueryAnswers
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops
from dpref.transcript import Indices
from dpref.units import Adjacency, ReplaceOne, ZeroOut


@dataclass(frozen=True, eq=False)
class QueryData:
    """What the records answer.

    Attributes:
        answers: $q_j(z_i)$, shape (n, queries); all zero for a null record.
        name: What the data are.

    >>> QueryData(np.ones((5, 2))).n
    5
    """

    answers: FloatArray
    name: str = "answers"

    def __post_init__(self) -> None:
        array = finite_array("answers", self.answers, ndim=2)
        array.setflags(write=False)
        object.__setattr__(self, "answers", array)

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.answers.shape[0])

    def replaced(self, index: int, answers: FloatArray) -> QueryData:
        """The data with another record at an index."""
        if not 0 <= index < self.n:
            raise InvalidArgumentError("index", index, f"must lie in range({self.n})")
        changed = self.answers.copy()
        changed[index] = answers
        return QueryData(changed, self.name)


class QueryRecords(NamedTuple):
    """A data set as one number system reads it.

    Attributes:
        answers: Shape (n, queries).
    """

    answers: Array

    def part(self, rows: range) -> QueryRecords:
        """The records at these places, counted from zero.

        >>> QueryRecords(np.eye(3)).part(range(1, 3)).answers.shape
        (2, 3)
        """
        return QueryRecords(self.answers[rows.start : rows.stop])


class QueryPair(NamedTuple):
    """Two data sets that differ in one record."""

    first: QueryData
    second: QueryData


@dataclass(frozen=True, eq=False)
class Queries:
    """The public side: a universe and queries on it.

    Attributes:
        n: Number of records.
        values: $q_j(z)$ for every element and query, shape (elements, queries), in [-1, 1]; two of each at least.

    >>> Queries.closed(10, np.array([[1.0], [-1.0]])).values.tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """

    n: int
    values: FloatArray

    def __post_init__(self) -> None:
        natural("n", self.n)
        array = finite_array("values", self.values, ndim=2)
        if min(array.shape) < 2 or np.abs(array).max() > 1:
            raise InvalidArgumentError(
                "values", array.shape, "must have two elements and two queries at least, with values in [-1, 1]"
            )
        array.setflags(write=False)
        object.__setattr__(self, "values", array)

    @classmethod
    def closed(cls, n: int, values: FloatArray) -> Queries:
        """With the negatives of all queries, so that the largest difference is the largest error.

        Args:
            n: Number of records.
            values: Shape (elements, queries), in [-1, 1].
        """
        array = finite_array("values", values, ndim=2)
        return cls(n, np.column_stack([array, -array]))

    @property
    def elements(self) -> int:
        """Number of elements of the universe."""
        return int(self.values.shape[0])

    @property
    def queries(self) -> int:
        """Number of queries."""
        return int(self.values.shape[1])

    def data(self, drawn: Indices, name: str = "elements of the universe") -> QueryData:
        """The records that are these elements of the universe.

        Args:
            drawn: Their numbers, counted from zero, shape (n,).
            name: What they are.

        >>> Queries(2, np.eye(3)).data(np.array([2, 0])).answers.tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
        """
        return QueryData(self.values[drawn], name)

    def read(self, data: QueryData, o: Ops[Array] = FLOAT_ARRAY) -> QueryRecords:
        """The data in a number system, after checking that they are an instance of this problem.

        Raises:
            InvalidArgumentError: If a shape does not fit, or an answer lies outside [-1, 1].
        """
        instance("data", data, QueryData)
        if data.answers.shape != (self.n, self.queries):
            raise InvalidArgumentError("answers", data.answers.shape, f"must have shape {(self.n, self.queries)}")
        if np.abs(data.answers).max() > 1:
            raise InvalidArgumentError("answers", "a record", "must lie in [-1, 1]")
        return QueryRecords(o.lift(data.answers))

    def arrays(self, data: QueryData) -> QueryAnswers:
        """The data and the queries, as a kernel reads them.

        >>> problem = Queries(2, np.eye(3))
        >>> problem.arrays(problem.data(np.array([2, 0]))).values.shape
        (3, 3)
        """
        return QueryAnswers(self.values, data.answers)

    def random_neighbour(self, data: QueryData, adjacency: type[Adjacency], rng: np.random.Generator) -> QueryData:
        """A neighbour in which a random record is replaced by any answers in [-1, 1], or nulled."""
        index = int(rng.integers(data.n))
        if adjacency is ZeroOut:
            return data.replaced(index, np.zeros(self.queries))
        _only_replaced(adjacency)
        return data.replaced(index, rng.choice([-1.0, 1.0, 0.3], self.queries))

    def worst_case_pair(self, data: QueryData, adjacency: type[Adjacency]) -> QueryPair:
        """The first record answers 1 to even queries and -1 to odd ones; it is turned round, or nulled."""
        signs = np.where(np.arange(self.queries) % 2 == 0, 1.0, -1.0)
        first = data.replaced(0, signs)
        if adjacency is not ZeroOut:
            _only_replaced(adjacency)
        return QueryPair(first, first.replaced(0, 0 * signs if adjacency is ZeroOut else -signs))


def _only_replaced(adjacency: type[Adjacency]) -> None:
    if adjacency is not ReplaceOne:
        raise InvalidArgumentError("adjacency", adjacency.name, "the batches divide a fixed number of records")


def largest_error(problem: Queries, law: FloatArray, answers: FloatArray) -> float:
    r"""$\max_j\big(a_j-\langle q_j,x\rangle\big)$: of queries closed under negation the largest error in size.

    Args:
        problem: The queries.
        law: x, shape (elements,).
        answers: a, what the queries answer on the population or on the records, shape (queries,).

    >>> largest_error(Queries.closed(1, np.array([[1.0], [-1.0]])), np.array([0.75, 0.25]), np.array([0.0, 0.0]))
    0.5
    """
    return float((answers - law @ problem.values).max())


def synthetic_records(
    problem: Queries, law: FloatArray, size: int, rng: np.random.Generator
) -> tuple[Indices, QueryData]:
    """Independent draws from a law that was released: they cost nothing.

    Args:
        problem: The queries.
        law: Weights on the universe, shape (elements,), whose sum is one up to rounding.
        size: How many.
        rng: The source of randomness.

    Returns:
        Numbers of elements of the universe, shape (size,), and what these answer.

    Raises:
        InvalidArgumentError: If the weights are no law on the universe.

    >>> from dpref.problems.examples import coin_queries
    >>> drawn, data = synthetic_records(coin_queries(), np.array([0.0, 1.0]), 3, np.random.default_rng(0))
    >>> drawn.tolist(), data.answers[0].tolist()
    ([1, 1, 1], [-1.0, 1.0])
    """
    weights = finite_array("law", law, ndim=1)
    if weights.shape != (problem.elements,) or (weights < 0).any() or abs(weights.sum() - 1) > 2.0**-30:
        raise InvalidArgumentError("law", weights.shape, f"must be {problem.elements} weights, not negative, of sum 1")
    drawn = rng.choice(problem.elements, natural("size", size), p=weights / weights.sum())
    return drawn, problem.data(drawn, "synthetic")
