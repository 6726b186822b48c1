r"""Mirror descent with bias-reduced vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithms 2 and 3).

Algorithm 2 at a level N draws $2^{N+1}$ vertices of each player, averages all of them, $\bar x_+$, and the first half,
$\bar x_-$, and returns, with $\Phi=(\nabla_xF,-\nabla_yF)$ on a batch,

.. math:: g=C_M2^N\big(\Phi(\bar x_+,\bar y_+)-\Phi(\bar x_-,\bar y_-)\big)+\Phi(\hat x^1,\hat y^1).

For $P(N=k)=2^{-k}/C_M$ its mean is that of $\Phi$ at an average of $2^{M+1}$ vertices.  Algorithm 3 iterates
$x\propto xe^{-\tau g_x}$, $y\propto ye^{-\tau g_y}$ on batches of $\max(1,\lceil2^N/\alpha\rceil)$ records while
$\sum2^{N_i}\le U-2^M$, and returns the average of one fresh vertex an iteration.

Source and adjacency: see `dpref.algorithms.mirror_descent.plan`.  Cost: at most three gradients a record.
Obligations: ``private-saddle-points/P33`` to ``P39``, ``P64``, ``E3``.

What differs from the print, and why:

* The score's sensitivity is $(4C_M+1)\tau\alpha L_0<9\tau\alpha L_0$, twice the printed $4.5\tau\alpha L_0$, and
  attained (E3).  Proposition 3.17 survives, because a draw is $\frac{\Delta^2}2$-zCDP and zCDP adds up adaptively; with
  pure DP alone the step would have to be halved (``calibration="pure"``).  ``"printed"`` is Proposition 3.17's step,
  ``"zcdp"``, the repaired form's default, replaces its 9 by $4C_M+1$.
* $C_M=2-2^{-M}$; the print asserts $C_M\le1$ (E2).  Batches are rounded up (E19).
* The sign of the y-step (E1), and the output, which as printed also averages the iterate after the last step (E4).
* The levels are drawn before the run, without the data, and are public: they belong to the plan.
"""

from __future__ import annotations

from functools import partial

from dpref.algorithms.mirror_descent.algorithm import average, finish, init, iterate
from dpref.algorithms.mirror_descent.plan import Plan
from dpref.curator import Curator, Indices
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.problems.games import Game, GameRecords
from dpref.reals import Array, Ops
from dpref.units import A


def estimate(
    problem: Game, truncation: int, o: Ops[Array], x: Indices, y: Indices, records: GameRecords, batch: range
) -> tuple[Array, Array]:
    """The bias-reduced gradients of both players (Algorithm 2); at N = 0 the half average is the first vertex.

    Args:
        truncation: M, the highest level.
        x: Drawn vertices of the first player, shape (2^(N+1),).
        y: Those of the second, shape (2^(N+1),).
        batch: Positions of the records to average over.

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 2.

    >>> import numpy as np
    >>> from dpref.algorithms import game_examples as examples
    >>> game, o, records = examples.penny_game(), examples.mirror_descent().ops, examples.mirror_descent().records
    >>> estimate(game, 1, o, np.array([0, 1]), np.array([1, 0]), records, range(8))  # N = 0
    (array([ 0.5, -0.5]), array([ 0.5, -0.5]))
    """
    half = x.size // 2

    def at(first: int) -> tuple[Array, Array]:
        points = average(o, x[:first], problem.rows), average(o, y[:first], problem.columns)
        return problem.operator(o, *points, records, batch)

    whole, one = at(x.size), at(1)
    part = one if half == 1 else at(half)
    coefficient = normaliser(o, truncation) * half
    return coefficient * (whole[0] - part[0]) + one[0], coefficient * (whole[1] - part[1]) + one[1]


def run(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> Array:
    """Run Algorithm 3 and return the average of the output vertices.

    Returns:
        x and then y, each a point of its simplex, shape (d_x + d_y,).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 3.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.bias_reduced_mirror_descent().live()
    >>> point = run(problem, made, curator)
    >>> point.shape, point[:2].sum().item(), point[2:].sum().item()
    ((4,), 1.0, 1.0)
    """
    state = init(problem, plan, curator)
    for _ in range(plan.steps):
        state = iterate(problem, plan, partial(estimate, problem, plan.truncation), state, curator)
    return finish(problem, plan, state, curator)
