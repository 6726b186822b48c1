r"""Anytime private mirror descent with vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithm 5).

It minimises a mean of convex losses over one simplex: of a game the first player's, against a public point of the
second player, or the second player's.  From uniform $x^1$, for $t=1,\dots,T$ with a fresh batch of
$B=\lfloor n/T\rfloor$ records:

.. math::
    w^t=\frac1t\sum_{i\le t}x^i;\qquad \hat w^t=\frac1K\sum_{k=1}^K\hat w^{t,k},\ \hat w^{t,k}\sim w^t
    \text{ if }t\le q\text{ or }q\mid t,\text{ else }\hat w^{t-1};\qquad
    g^t=\nabla F(\hat w^t;B^t);\qquad x^{t+1}\propto x^te^{-\tau g^t}.

The output is the average of K fresh vertices drawn from $w^T$.

Source and adjacency: see `dpref.algorithms.mirror_descent.plan`.  Cost: $(T-1)B\le n$ gradients.
Obligations: ``private-saddle-points/P47`` to ``P53``, ``E10``.

What differs from the print, and why:

* $w^t$ is a *mixture* of exponential mechanisms and none itself: proof 4.4 drops the iterates' normalisers (E10).
  Proposition 4.3 survives, since every part keeps its probabilities within $e^{\pm4\tau L_0/B}$ and a mixture keeps
  that; a mixture has no bounded range (P51), so that its draws have an event of their own in the ledger.
* Proposition 4.3 composes pure DP over $TK/q+qK$ draws (``calibration="pure"``, the printed form's).  A mixture is
  $\frac12(2\tau L_0/B)^2$-zCDP, by quasi-convexity, which allows twice the step: ``"zcdp"``, the default.
* The step after the last iterate would reach no output (E26): it is not taken, nor are vertices drawn for it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpref.algorithms.anytime_mirror_descent.plan import Plan
from dpref.algorithms.mirror_descent.algorithm import average
from dpref.curator import Curator, Held
from dpref.mechanisms.exponential import softmax
from dpref.problems.games import Game, GameRecords
from dpref.problems.players import player_gradient
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    path: Held  # (2 d,) handle to the scores of x^t and the sum of x^1, ..., x^t, which only the curator sees
    point: Array  # (d,) the average of the vertices drawn last
    used: int  # records used so far
    t: int  # iterates so far


def init(plan: Plan[A], curator: Curator[GameRecords, A]) -> State:
    """The state at the first iterate: scores of zero, and the uniform weights as the only summand.

    >>> from dpref.algorithms import game_examples as examples
    >>> _, made, curator = examples.anytime_mirror_descent().live()
    >>> state = init(made, curator)
    >>> state.point.tolist(), state.used, state.t
    ([0.0, 0.0], 0, 1)
    """
    zero = np.zeros(plan.dimension)
    path = curator.ops.lift(np.concatenate([zero, zero]))
    path[plan.dimension :] = softmax(curator.ops, path[: plan.dimension])
    return State(curator.hold(lambda _: path, label="first iterate"), curator.ops.lift(zero), 0, 1)


def draw(plan: Plan[A], state: State, curator: Curator[GameRecords, A]) -> Array:
    """The average of fresh vertices from the running average, or of those drawn before (lines 3 to 6).

    Returns:
        A point of the simplex, shape (d,).

    >>> from dpref.algorithms import game_examples as examples
    >>> _, made, curator = examples.anytime_mirror_descent().live()
    >>> draw(made, init(made, curator), curator).sum().item()
    1.0
    """
    count = plan.vertices[state.t - 1]
    if count == 0:
        return state.point
    drawn = curator.select(
        partial(log_weights, curator.ops, plan.dimension, state.t),
        given=state.path,
        sensitivity=plan.sensitivity,
        epsilon=plan.epsilon_per_draw,
        label=f"vertices of w^{state.t}",
        draws=count,
        mixture=True,
    )
    return average(curator.ops, drawn, plan.dimension)


def log_weights(o: Ops[Array], dimension: int, t: int, records: GameRecords, path: Array) -> Array:
    """The logarithms of the running average's weights, shape (d,).

    Args:
        dimension: d.
        t: How many iterates have been summed up.
        records: Unused: the path is all that is known of them.
        path: Scores and sum of the iterates, shape (2 d,).

    >>> from dpref.reals import FLOAT_ARRAY
    >>> log_weights(FLOAT_ARRAY, 1, 2, None, np.array([0.5, 2.0])).tolist()
    [0.0]
    """
    weights: Array = o.log(path[dimension:] / t)
    return weights


def advance(
    problem: Game, plan: Plan[Any], o: Ops[Array], point: Array, batch: range, records: GameRecords, path: Array
) -> Array:
    r"""$s\leftarrow s-\tau g$ and the sum of the iterates with the next one (lines 9 and 2).

    Args:
        point: Where the gradient is taken, shape (d,).
        batch: Positions of the records to average over.
        records: The private data.
        path: Scores and sum of the iterates, shape (2 d,).

    Returns:
        The next scores and sum, shape (2 d,).

    >>> from dpref.algorithms import game_examples as examples
    >>> example, path = examples.anytime_mirror_descent(), np.array([0.0, 0.0, 0.5, 0.5])
    >>> moved = advance(example.problem, example.plan, example.ops, path[2:], range(6), example.records, path)
    >>> (moved[:2] / example.plan.step_size).tolist(), moved[2:].sum().item()
    ([-1.0, 1.0], 2.0)
    """
    d = plan.dimension
    gradient = player_gradient(problem, plan.player, plan.opponent, o, point, records, batch)
    scores = path[:d] - o.lift(plan.step_size) * gradient
    return np.concatenate([scores, path[d:] + softmax(o, scores)])


def run(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> Array:
    """Run Algorithm 5 and return the average of the vertices drawn last.

    Returns:
        A point of the player's simplex, shape (d,).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 5.

    >>> from dpref.algorithms import game_examples as examples
    >>> point = run(*examples.anytime_mirror_descent().live())
    >>> point.shape, point.sum().item()
    ((2,), 1.0)
    """
    state = init(plan, curator)
    for _ in plan.batches:
        state = iterate(problem, plan, state, curator)
    return draw(plan, state, curator)


def iterate(problem: Game, plan: Plan[A], state: State, curator: Curator[GameRecords, A]) -> State:
    """One step: draw vertices if it is time, and step along the gradient at their average.

    Returns:
        Where it stands next.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.anytime_mirror_descent().live()
    >>> state = iterate(problem, made, init(made, curator), curator)
    >>> state.used, state.t
    (1, 2)
    """
    point = draw(plan, state, curator)
    batch = range(state.used, state.used + plan.batches[state.t - 1])
    path = curator.hold(
        partial(advance, problem, plan, curator.ops, point, batch),
        given=state.path,
        label=f"iterate {state.t + 1}",
    )
    return State(path, point, batch.stop, state.t + 1)
