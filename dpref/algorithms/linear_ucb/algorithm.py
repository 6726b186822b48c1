r"""DP-UCB: linear UCB on a Gram matrix that a tree releases (Shariff and Sheffet 2018; a baseline of Han et al.).

Arm a and context X make the action $x\in\mathbb R^{dK}$ that has X in the block of a.  From the noisy, shifted sums so
far, $V=\sum xx^\top+\text{noise}+2\Upsilon I$ and $u=\sum yx+\text{noise}$, the user of round t is given

.. math:: a_t=\arg\max_a\ \langle V^{-1}u,x_a\rangle+\beta_t\sqrt{x_a^\top V^{-1}x_a},

and her $zz^\top$, $z=(x_{a_t},y_t)$, becomes the tree's next leaf.  The noisy sums are a public billboard; actions are
told to their users alone.

Source: R. Shariff, O. Sheffet, "Differentially private contextual linear bandits", 2018, with additive Gaussian noise;
reconstructed as Han et al. run it.  Privacy: joint, by the billboard lemma.  Adjacency: one user replaced, or nulled.
Cost: no gradients; one matrix of order dK is solved a round.
Obligations: ``private-online-frank-wolfe/ucb-leaf``, ``gaussian/composition``, ``billboard``.

What differs from the source, and why:

* A leaf is kept as its $\frac{P(P+1)}2$ coordinates, those off the diagonal times $\sqrt2$: an isometry for the
  Frobenius norm, under which the symmetric noise $(Z+Z^\top)/\sqrt2$ is plain Gaussian noise, of standard deviation
  $\sqrt2\sigma$, so that the loss is exact.  ``Form.AS_PRINTED`` has the source's $\sigma$ under
  replace-one, and as many times the sensitivity under zero-out; the repaired form has the least.
* Scores that differ by rounding count as equal, and the first arm is taken.
* Actions are made of public numbers and the own context, so that they are computed in doubles in every number system.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.algorithms.linear_ucb.plan import Plan
from dpref.curator import Curator, Held, Indices
from dpref.problems.bandit import LinearBandit, Users
from dpref.reals import Array, FloatArray, Ops
from dpref.units import A

TIES: Final = 1e-9  # scores so close, of the best one's size, are equal


class State(NamedTuple):
    """Where the stream stands."""

    sums: Array  # (P (P + 1) / 2,) the billboard: the noisy sum of all leaves
    tree: Held
    t: int  # rounds done


def init(problem: LinearBandit, plan: Plan[A], curator: Curator[Any, A]) -> State:
    """The state before the first round: sums of nothing.

    >>> from dpref.algorithms import examples
    >>> init(*examples.linear_ucb().live()).sums.shape
    (15,)
    """
    tree = curator.tree(leaves=plan.records, sensitivity=plan.sensitivity, noise=plan.noise, label="Gram matrix")
    side = problem.dimension * problem.arms + 1
    return State(curator.ops.lift(np.zeros(side * (side + 1) // 2)), tree, 0)


def step(problem: LinearBandit, plan: Plan[A], state: State, curator: Curator[Any, A]) -> State:
    """Take in the next user: her leaf, and the noisy sum of all so far.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.linear_ucb().live()
    >>> step(problem, made, init(problem, made, curator), curator).t
    1
    """
    leaf = partial(taken, problem, plan, curator.ops, state)
    sums = curator.prefix_sum(state.tree, leaf, label=f"leaf {state.t + 1}")
    return State(sums, state.tree, state.t + 1)


def taken(problem: LinearBandit, plan: Plan[Any], o: Ops[Array], state: State, users: Users) -> Array:
    r"""The coordinates of $zz^\top$ of the next user, shape (P (P + 1) / 2,).

    >>> from dpref.algorithms import examples
    >>> example = examples.linear_ucb()
    >>> state = init(*example.live())
    >>> [round(v, 3) for v in taken(example.problem, example.plan, example.ops, state, example.records).tolist()][:5]
    [1.0, 0.0, 0.0, 0.0, 1.414]
    """
    context, rewards = users.user(state.t + 1)
    d, arm = problem.dimension, action(problem, plan, doubles(state.sums), doubles(context), state.t + 1)
    z = o.lift(np.zeros(d * problem.arms + 1))
    z[arm * d : (arm + 1) * d] = context
    z[-1] = rewards[arm]
    root = o.sqrt(o.number(2))
    rows = [np.concatenate([z[i : i + 1] * z[i : i + 1], root * z[i] * z[i + 1 :]]) for i in range(len(z))]
    found: Array = np.concatenate(rows)
    return found


def doubles(x: Array) -> FloatArray:
    """The doubles of an array, of balls their midpoints.

    >>> from dpref.reals import BALL_ARRAY
    >>> doubles(BALL_ARRAY.lift([0.5, 1.0])).tolist()
    [0.5, 1.0]
    """
    return np.array([float(v.mid()) for v in x]) if x.dtype == object else x


def action(problem: LinearBandit, plan: Plan[Any], sums: FloatArray, context: FloatArray, t: int) -> int:
    """The arm that the user of round t is given, counted from zero.

    Args:
        sums: The billboard before the round, shape (P (P + 1) / 2,).
        context: Shape (d,).
        t: From 1.

    >>> from dpref.algorithms import examples
    >>> problem, made, _ = examples.linear_ucb().live()
    >>> action(problem, made, np.zeros(15), np.ones(2), 1)
    0
    """
    d, side = problem.dimension, problem.dimension * problem.arms
    upper = np.zeros((side + 1, side + 1))
    upper[np.triu_indices(side + 1)] = sums
    diagonal = np.diag(np.diag(upper))
    whole = (upper - diagonal) / 2**0.5
    gram = whole + whole.T + diagonal
    shifted = gram[:side, :side] + 2 * plan.upsilon * np.eye(side)
    actions = np.zeros((side, problem.arms))
    for arm in range(problem.arms):
        actions[arm * d : (arm + 1) * d, arm] = context
    solved = np.linalg.solve(shifted, np.column_stack([gram[:side, side], actions]))
    bonus = np.sqrt(np.maximum((actions * solved[:, 1:]).sum(axis=0), 0))
    scores = solved[:, 0] @ actions + plan.widths[t - 1] * bonus
    return int(np.argmax(scores >= scores.max() - TIES * abs(scores).max()))


def actions(problem: LinearBandit, plan: Plan[Any], points: FloatArray, contexts: FloatArray) -> Indices:
    """What every user is told, from the billboard and her own context.

    Args:
        points: The billboard before each round and after the last, shape (T + 1, P (P + 1) / 2).
        contexts: Shape (T, d).

    Returns:
        Pulled arms, counted from zero, shape (T,).

    >>> from dpref.algorithms import examples
    >>> problem, made, _ = examples.linear_ucb().live()
    >>> actions(problem, made, np.zeros((5, 15)), np.ones((4, 2))).tolist()
    [0, 0, 0, 0]
    """
    return np.array([action(problem, plan, points[t], contexts[t], t + 1) for t in range(len(contexts))])


def releases(problem: LinearBandit, plan: Plan[A], curator: Curator[Any, A]) -> Iterator[Array]:
    """The billboard after each round, shape (P (P + 1) / 2,).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.linear_ucb().live()
    >>> len(list(releases(problem, made, curator)))
    4
    """
    state = init(problem, plan, curator)
    for _ in range(plan.records):
        state = step(problem, plan, state, curator)
        yield state.sums


def run(problem: LinearBandit, plan: Plan[A], curator: Curator[Any, A]) -> Array:
    """Run DP-UCB on a whole stream and return the last noisy sum of leaves, shape (P (P + 1) / 2,).

    >>> from dpref.algorithms.linear_ucb.plan import ledger
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.linear_ucb().live()
    >>> run(problem, made, curator).shape, curator.ledger == ledger(made)
    ((15,), True)
    """
    *_, last = releases(problem, plan, curator)
    return last
