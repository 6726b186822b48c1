r"""Private stochastic mirror descent with vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithm 1).

From uniform $x^1,y^1$, for $t=1,\dots,T$ with a fresh batch of $B=\lfloor n/T\rfloor$ records:

.. math::
    (\hat x^t,\hat y^t)=\frac1K\sum_{k=1}^K(\hat x^{t,k},\hat y^{t,k}),\quad
    \hat x^{t,k}\sim x^t,\ \hat y^{t,k}\sim y^t;\qquad
    g^t=(\nabla_xF,-\nabla_yF)(\hat x^t,\hat y^t;B^t);\qquad
    x^{t+1}\propto x^te^{-\tau g_x^t},\quad y^{t+1}\propto y^te^{-\tau g_y^t}.

The output is $\frac1T\sum_t(\tilde x^t,\tilde y^t)$ with fresh vertices $\tilde x^t\sim x^t$, $\tilde y^t\sim y^t$.

Source: T. Gonzalez, C. Guzman, C. Paquette, "Mirror descent algorithms with nearly dimension-independent rates for
differentially-private stochastic saddle-point problems", 2024.  Adjacency: replace-one in the paper; replace-one or
zero-out here.  Cost: $TB\le n$ gradients of both players.
Obligations: ``private-saddle-points/P20`` to ``P22``, ``E1``.

What differs from the print, and why:

* Line 6 as printed is $y^{t+1}\propto y^te^{+\tau g_y^t}$ with $g_y=-\nabla_yF$: both players minimise (E1).
  ``Form.AS_PRINTED`` runs that; privacy does not depend on the sign.
* Proposition 3.3 composes pure DP (``calibration="pure"``, the printed form's).  A draw is of bounded range, hence
  $\frac{\Delta^2}2$-zCDP, which allows twice the step: ``"zcdp"``, the repaired form's default.
* B is the integer $\lfloor n/T\rfloor$, also in the step size: with $n/T$ instead, the sensitivity would be too small.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.plan import Plan
from dpref.curator import Curator, Held, Indices
from dpref.problems.games import Game, GameRecords
from dpref.reals import Array, Ops
from dpref.units import A


def estimate(
    problem: Game, o: Ops[Array], x: Indices, y: Indices, records: GameRecords, batch: range
) -> tuple[Array, Array]:
    """The gradients of both players at the average of the drawn vertices (line 5).

    Args:
        x: Drawn vertices of the first player, shape (K,).
        y: Those of the second, shape (K,).
        batch: Positions of the records to average over.

    Returns:
        The gradient in x, shape (d_x,), and minus the gradient in y, shape (d_y,).

    >>> import numpy as np
    >>> from dpref.algorithms import game_examples as examples
    >>> game, o, records = examples.penny_game(), examples.mirror_descent().ops, examples.mirror_descent().records
    >>> estimate(game, o, np.array([0, 0]), np.array([0, 1]), records, range(8))  # averages (1, 0) and (1/2, 1/2)
    (array([0., 0.]), array([-1.,  1.]))
    """
    return problem.operator(o, average(o, x, problem.rows), average(o, y, problem.columns), records, batch)


def run(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> Array:
    """Run Algorithm 1 and return the average of the output vertices.

    Returns:
        x and then y, each a point of its simplex, shape (d_x + d_y,).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 1.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> point = run(problem, made, curator)
    >>> point.shape, point[:2].sum().item(), point[2:].sum().item()
    ((4,), 1.0, 1.0)
    """
    state = init(problem, plan, curator)
    for _ in range(plan.steps):
        state = iterate(problem, plan, partial(estimate, problem), state, curator)
    return finish(problem, plan, state, curator)


Estimator = Callable[[Ops[Array], Indices, Indices, GameRecords, range], tuple[Array, Array]]


class State(NamedTuple):
    """Where the run stands."""

    scores: Held  # (d_x + d_y,) handle to s_x and s_y, which only the curator sees
    outputs: Array  # (d_x + d_y,) how often each vertex was drawn for the output
    used: int  # records used so far
    t: int  # iterations done


def init(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> State:
    """The state before the first iteration: all scores are zero, so that the iterates are uniform (line 1).

    >>> from dpref.algorithms import game_examples as examples
    >>> state = init(*examples.mirror_descent().live())
    >>> state.outputs.tolist(), state.used, state.t
    ([0.0, 0.0, 0.0, 0.0], 0, 0)
    """
    zero = curator.ops.lift(np.zeros(problem.dimension))
    return State(curator.hold(lambda _: zero, label="first scores"), np.zeros(problem.dimension), 0, 0)


def draw(plan: Plan[A], state: State, curator: Curator[GameRecords, A], count: int) -> tuple[Indices, Indices]:
    """Draw vertices of both players from the current iterates, each by one exponential mechanism.

    Args:
        count: How many of each player.

    Returns:
        Indices in range(d_x) and in range(d_y), shape (count,) each.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> x, y = draw(made, init(problem, made, curator), curator, 3)
    >>> x.shape, y.shape, set(x.tolist()) | set(y.tolist()) <= {0, 1}
    ((3,), (3,), True)
    """
    blocks = {"x": slice(0, plan.rows), "y": slice(plan.rows, None)}
    x, y = (
        curator.select(
            partial(_block, block),
            given=state.scores,
            sensitivity=plan.sensitivity,
            epsilon=plan.epsilon_per_draw,
            label=f"vertices of {name}^{state.t + 1}",
            draws=count,
        )
        for name, block in blocks.items()
    )
    return x, y


def _block(block: slice, records: GameRecords, scores: Array) -> Array:
    return scores[block]


def average(o: Ops[Array], drawn: Indices, dimension: int) -> Array:
    r"""$\frac1k\sum e_i$ of k drawn vertices, shape (dimension,).

    Args:
        drawn: Indices of the vertices, shape (k,).
        dimension: Number of vertices.

    >>> from dpref.reals import FLOAT_ARRAY
    >>> average(FLOAT_ARRAY, np.array([0, 2, 2, 1]), 3).tolist()
    [0.25, 0.25, 0.5]
    """
    mean: Array = o.lift(np.bincount(drawn, minlength=dimension).astype(np.float64)) / drawn.size
    return mean


def descend(
    plan: Plan[Any],
    o: Ops[Array],
    estimate: Callable[[GameRecords, range], tuple[Array, Array]],
    batch: range,
    records: GameRecords,
    scores: Array,
) -> Array:
    r"""$s\leftarrow s-\tau g$ for both players; as printed $s_y\leftarrow s_y+\tau g_y$ (E1).

    Args:
        plan: Of what `plan` computed, the step size and the form are used.
        estimate: From records and a batch to the operator's two blocks, shapes (d_x,) and (d_y,).
        batch: Positions of the records to average over.
        scores: Shape (d_x + d_y,).

    Returns:
        The next scores, shape (d_x + d_y,).

    >>> from dpref.algorithms import game_examples as examples
    >>> example, estimate = examples.mirror_descent(), (np.array([1.0, 0.0]), np.array([-1.0, 0.5]))
    >>> scores = descend(example.plan, example.ops, lambda *_: estimate, range(1), example.records, np.zeros(4))
    >>> (scores / example.plan.step_size).tolist()
    [-1.0, 0.0, 1.0, -0.5]
    """
    first, second = estimate(records, batch)
    tau = o.lift(plan.step_size)
    toward = second if plan.form is Form.REPAIRED else -second
    moved: Array = scores - tau * np.concatenate([first, toward])
    return moved


def iterate(
    problem: Game, plan: Plan[A], estimator: Estimator, state: State, curator: Curator[GameRecords, A]
) -> State:
    """One iteration: draw vertices, one for the output, and step along the estimate that the others give.

    Args:
        estimator: From the number system, the vertices of both players, the records and a batch to the operator.

    Returns:
        Where it stands next.

    >>> from dpref.algorithms import game_examples as examples
    >>> pass
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> iterate(problem, made, partial(estimate, problem), init(problem, made, curator), curator).used
    2
    """
    x, y = draw(plan, state, curator, 1 + plan.vertices[state.t])
    batch = range(state.used, state.used + plan.batches[state.t])
    estimate = partial(estimator, curator.ops, x[1:], y[1:])
    scores = curator.hold(
        partial(descend, plan, curator.ops, estimate, batch), given=state.scores, label=f"scores of step {state.t + 2}"
    )
    return State(scores, state.outputs + output_vertices(problem, x[0], y[0]), batch.stop, state.t + 1)


def output_vertices(problem: Game, x: int, y: int) -> Array:
    """One vertex of each player, as counts, shape (d_x + d_y,).

    Args:
        x: A vertex in range(d_x).
        y: A vertex in range(d_y).

    >>> output_vertices(Game(n=1, rows=2, columns=3), 1, 2).tolist()
    [0.0, 1.0, 0.0, 0.0, 1.0]
    """
    counts = np.zeros(problem.dimension)
    counts[[x, problem.rows + y]] = 1
    return counts


def finish(problem: Game, plan: Plan[A], state: State, curator: Curator[GameRecords, A]) -> Array:
    """The average of the output vertices, shape (d_x + d_y,); as printed, Algorithm 3 draws one more pair (E4).

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> state = init(problem, made, curator)._replace(outputs=np.array([3.0, 1.0, 0.0, 4.0]))
    >>> finish(problem, made, state, curator).tolist()
    [0.75, 0.25, 0.0, 1.0]
    """
    outputs, count = state.outputs, plan.steps
    if plan.spare_output:
        x, y = draw(plan, state, curator, 1)
        outputs, count = outputs + output_vertices(problem, x[0], y[0]), count + 1
    mean: Array = curator.ops.lift(outputs) / count
    return mean
