r"""One player's side of a game: a mean of convex losses over one simplex, against a public point of the other player.

The first player minimises $f(\cdot,u;z)$, the second $-f(u,\cdot;z)$.  With one column (row) that is plain stochastic
convex optimisation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, TypeAlias

import numpy as np

from dpref.checks import finite_array
from dpref.errors import InvalidArgumentError
from dpref.problems.games import Game, GameRecords
from dpref.reals import Array, FloatArray, Ops, exact, float_down

Player: TypeAlias = Literal["first", "second"]
_ROUNDING: Final = 2.0**-50


def player_gradient(
    problem: Game,
    player: Player,
    opponent: tuple[float, ...],
    o: Ops[Array],
    point: Array,
    records: GameRecords,
    batch: range,
) -> Array:
    """The gradient of the player's loss, averaged over a batch.

    Args:
        problem: The game.
        player: Whose loss.
        opponent: The other player's point.
        o: The number system.
        point: A point of the player's simplex, shape (d,).
        records: The private data.
        batch: Positions of the records to average over.

    Returns:
        Shape (d,); every entry is at most L0.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> from dpref.problems.examples import matching_pennies, penny_game
    >>> game, centre = penny_game(8), np.array([0.5, 0.5])  # the second player shows its first side
    >>> player_gradient(game, "first", (1.0, 0.0), FLOAT_ARRAY, centre, game.read(matching_pennies(8)), range(6))
    array([ 1., -1.])
    """
    other = o.lift(np.array(opponent))
    if player == "first":
        return problem.operator(o, point, other, records, batch)[0]
    return problem.operator(o, other, point, records, batch)[1]


def sides(problem: Game, player: Player) -> tuple[int, int]:
    """How many vertices the player has, and how many the other one.

    >>> from dpref.problems.examples import penny_game
    >>> sides(penny_game(8), "second")
    (2, 2)
    """
    return (problem.rows, problem.columns) if player == "first" else (problem.columns, problem.rows)


def opponent_point(given: FloatArray | None, dimension: int) -> tuple[float, ...]:
    """The other player's point, by default the centre of its simplex.

    Args:
        given: None, or a point of the simplex, shape (dimension,); its entries may sum to one up to rounding.
        dimension: Number of the other player's vertices.

    Raises:
        InvalidArgumentError: If it is not a point of the simplex.

    >>> opponent_point(None, 2), opponent_point(np.array([1.0, 0.0]), 2)
    ((0.5, 0.5), (1.0, 0.0))
    """
    if given is None:
        return centre(dimension)
    point = finite_array("opponent", given, ndim=1)
    if point.shape != (dimension,) or (point < 0).any() or abs(point.sum() - 1) > dimension * _ROUNDING:
        raise InvalidArgumentError("opponent", given, f"must be {dimension} weights that are not negative and sum to 1")
    # Weights that sum to more than one, if only by rounding, would let a gradient exceed L0.
    shrunk = point if sum(map(exact, point.tolist())) <= 1 else point * (1 - dimension * _ROUNDING)
    return tuple(shrunk.tolist())


def centre(dimension: int) -> tuple[float, ...]:
    """Equal weights, which sum to at most one.

    >>> centre(4)
    (0.25, 0.25, 0.25, 0.25)
    """
    return (float_down(Fraction(1, dimension)),) * dimension
