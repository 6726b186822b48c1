r"""Stochastic problems on simplices whose optimum is known in closed form: what utility theorems are checked on.

* `vertex_regression`: a least-squares problem over one simplex, for convex optimisation.

Records are independent draws; risk, gap and optimum are those of the population, not of the records.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dpref.checks import natural
from dpref.problems.games import Game, GameData
from dpref.reals import FloatArray


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

    >>> known = vertex_regression(1000, 4, seed=1)
    >>> known.problem.smoothness, known.excess(np.full(4, 0.25))
    (Fraction(1, 2), 0.1875)
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
