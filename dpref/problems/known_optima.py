r"""Stochastic problems on simplices whose optimum is known in closed form: what utility theorems are checked on.

* `vertex_regression`: a least-squares problem over one simplex, for convex optimisation.
* `query_release`: synthetic data that answer queries as the population does, the paper's Eq. (3); value 0.
* `cube_queries`: the same with universe and queries public, and the records' answers alone private.
* `worst_group`: the largest of several groups' losses, the paper's second example; its value is the groups' share.

Records are independent draws; risk, gap and optimum are those of the population, not of the records.

References:
    T. Gonzalez, C. Guzman, C. Paquette, "Mirror descent algorithms with nearly dimension-independent rates for
    differentially-private stochastic saddle-point problems", 2024, Section 1.4.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from dpref.checks import finite_array, natural
from dpref.errors import InvalidArgumentError
from dpref.problems.games import Game, GameData, sampled_game
from dpref.problems.queries import Queries, QueryData
from dpref.reals import FloatArray

_MOST_BITS: Final = 8


class Known(NamedTuple):
    """A problem whose optimum is known.

    Attributes:
        problem: The public side.
        data: Records drawn from the population.
        excess: From a point of the first player's simplex to how far its population risk exceeds the least one.

    >>> vertex_regression(5, 3, seed=0).excess(np.array([1.0, 0.0, 0.0]))
    0.0
    """

    problem: Game
    data: GameData
    excess: Callable[[FloatArray], float]


def vertex_regression(n: int, dimension: int, seed: int) -> Known:
    r"""Least squares whose solution is the first vertex: $f(x;z)=\frac14(\langle c_z,x\rangle-1)^2$ on the simplex.

    The first entry of c is 1, the others are independent signs, so that the population risk is
    $\frac14\big((x_1-1)^2+\sum_{j>1}x_j^2\big)$, least at $e_1$, where it vanishes.  As a game's ramp records of width
    2, which end outside the simplex: $L_0=1$, $L_1=\frac12$, $L_2=0$.

    Args:
        n: Number of records.
        dimension: d, at least 2.
        seed: Of the generator.

    Raises:
        InvalidArgumentError: If there are no records, or fewer than two vertices.

    >>> vertex_regression(1000, 4, seed=1).excess(np.full(4, 0.25))
    0.1875
    """
    natural("n", n)
    natural("dimension", dimension, least=2)
    rng = np.random.default_rng(seed)
    slopes = rng.choice([-1.0, 1.0], (n, dimension))
    slopes[:, 0] = 1.0
    data = GameData(np.zeros((n, dimension, 1)), slopes, np.ones(n), "vertex regression")

    def excess(x: FloatArray) -> float:
        return float((x[0] - 1) ** 2 + (x[1:] ** 2).sum()) / 4

    return Known(Game(n=n, rows=dimension, columns=1, ramp=Fraction(2)), data, excess)


class KnownGame(NamedTuple):
    """A game whose population and value are known.

    Attributes:
        problem: The public side.
        data: Records drawn from the population.
        mean: The population's payoffs, from which `dpref.problems.games.duality_gap` is exact, shape (d_x, d_y).
        value: What both players can secure, exact.
        solution: The first player's optimal point, shape (d_x,).

    >>> known = worst_group(10, 2, seed=0)
    >>> known.mean.tolist(), known.value
    ([[0.5, 0.0], [0.0, 0.5]], Fraction(1, 4))
    """

    problem: Game
    data: GameData
    mean: FloatArray
    value: Fraction
    solution: FloatArray


def query_release(n: int, law: FloatArray, seed: int) -> KnownGame:
    r"""Synthetic data for queries on the cube: $\min_x\max_y\mathbb E_z\sum_jy_j(q_j(z)-\langle q_j,x\rangle)$.

    The universe has $2^k$ elements, vectors of k signs; the queries are their entries and the products of two of them,
    and the negatives of all these, so that the largest difference is the largest error.  Its value is 0, at the law
    itself.  Payoffs lie in [-2, 2], $L_0=2$.

    Args:
        n: Number of records.
        law: The population's weights, shape ($2^k$,), for k from 1 to 8.
        seed: Of the generator.

    Raises:
        InvalidArgumentError: If there are no records, or the weights are no law on a cube.

    References:
        Gonzalez, Guzman and Paquette 2024, Eq. (3).

    >>> known = query_release(5, np.array([0.5, 0.0, 0.0, 0.5]), seed=0)
    >>> known.problem.rows, known.problem.columns, float((known.solution @ known.mean).max())
    (4, 6, 0.0)
    """
    (queries, records, answers), weights = cube_queries(n, law, seed), finite_array("law", law, ndim=1)
    data = GameData.bilinear(records.answers[:, None, :] - queries.values[None], "query release")
    problem = Game(n=n, rows=queries.elements, columns=queries.queries, lipschitz=Fraction(2))
    return KnownGame(problem, data, answers - queries.values, Fraction(0), weights)


class KnownQueries(NamedTuple):
    """Queries whose answers on the population are known: the population's law makes no error.

    Attributes:
        problem: The public side.
        data: Records drawn from the population.
        answers: What the queries answer on the population, shape (queries,).
    """

    problem: Queries
    data: QueryData
    answers: FloatArray


def cube_queries(n: int, law: FloatArray, seed: int) -> KnownQueries:
    """The same with the universe and the queries public, as an algorithm for synthetic data wants them.

    Args:
        n: Number of records.
        law: The population's weights, shape ($2^k$,), for k from 1 to 8.
        seed: Of the generator.

    Raises:
        InvalidArgumentError: If there are no records, or the weights are no law on a cube.

    >>> from dpref.problems.queries import largest_error
    >>> law = np.array([0.5, 0.0, 0.0, 0.5])
    >>> problem, data, answers = cube_queries(5, law, seed=0)
    >>> problem.values[0].tolist(), largest_error(problem, law, answers)
    ([1.0, 1.0, 1.0, -1.0, -1.0, -1.0], 0.0)
    """
    weights = finite_array("law", law, ndim=1)
    bits = weights.size.bit_length() - 1
    if not 1 <= bits <= _MOST_BITS or weights.size != 2**bits:
        raise InvalidArgumentError("law", weights.shape, f"must have 2^k weights, k from 1 to {_MOST_BITS}")
    if (weights < 0).any() or abs(weights.sum() - 1) > 2.0**-40:
        raise InvalidArgumentError("law", law, "must be weights that are not negative and sum to 1")
    universe = np.array(list(product((1.0, -1.0), repeat=bits)))
    pairs = [universe[:, i] * universe[:, j] for i in range(bits) for j in range(i)]
    problem = Queries.closed(natural("n", n), np.column_stack([universe, *pairs]))
    drawn = np.random.default_rng(seed).choice(weights.size, n, p=weights / weights.sum())
    return KnownQueries(problem, problem.data(drawn), weights @ problem.values)


def worst_group(n: int, groups: int, seed: int) -> KnownGame:
    r"""The largest of several losses: $\min_x\max_i\mathbb Ef_i(x;z)=\min_x\max_y\mathbb E\sum_iy_if_i(x;z)$.

    Group i loses $\frac12$ on average at the vertex i, and nothing at the others; records are signs.  The value is
    $\frac1{2d}$, where all vertices have the same weight.

    Args:
        n: Number of records.
        groups: d, at least 1.
        seed: Of the generator.

    Raises:
        InvalidArgumentError: If there are no records, or no groups.

    >>> worst_group(10, 4, seed=0).value
    Fraction(1, 8)
    """
    mean = np.eye(natural("groups", groups)) / 2
    problem = Game(n=natural("n", n), rows=groups, columns=groups)
    return KnownGame(problem, sampled_game(n, mean, seed), mean, Fraction(1, 2 * groups), np.full(groups, 1 / groups))
