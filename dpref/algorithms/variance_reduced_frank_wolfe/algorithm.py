r"""Private variance-reduced Frank-Wolfe: gradients along the branches of a tree (Asi, Feldman, Koren, Talwar 2021).

It minimises a mean of convex losses over one simplex: of a game the first player's, against a public point of the
second player, or the second player's.  Phase $t=1,\dots,T$ walks a binary tree of depth t, depth first, from the point
x where the phase before it ended.  With $S_s$ fresh records of node s, $b_k=\lceil b/2^k\rceil$ of them at depth k, and
$x_s$ the point at which the walk comes to s,

.. math::
    v_{\mathrm{root}}&=\nabla F(x;S_{\mathrm{root}}),\qquad
    v_{\mathrm{left}}=v_{\mathrm{parent}},\qquad
    v_s=v_{\mathrm{parent}}+\nabla F(x_s;S_s)-\nabla F(x_{\mathrm{parent}};S_s)\text{ of a right child},\\
    i&=\arg\min_jv_j+\text{noise of scale }\lambda_t,\qquad
    x\leftarrow x+\frac2{2^t+s+1}(e_i-x)\quad\text{at leaf }s=0,\dots,2^t-1.

The estimates stay with the curator; the chosen vertices, and so all points, are public.

Source: H. Asi, V. Feldman, T. Koren, K. Talwar, "Private stochastic convex optimization: optimal rates in l_1
geometry", ICML 2021: the variance-reduced Frank-Wolfe method, for which Gonzalez, Guzman and Paquette 2024 ask in
Algorithm 4, lines 7 and 8, and which they quote in Theorem 3.22 without pseudocode.  Adjacency: replace-one or
zero-out.  Cost: $bT(T+3)/2<2n$ gradients, one pass over the records.
Obligations: ``private-saddle-points/tree-distance``, ``tree-moves``, ``tree-noise``, ``E32``, ``parallel``.

What rests on the source, and what does not:

* Only the source's abstract was at hand.  Tree, batches and steps are a reconstruction from the specification; they
  bear on utility alone, and what they are good for is derived here (`utility`).
* No constant of the source enters the privacy.  A record is read by one node, and moves the scores at the $2^{t-k}$
  leaves below it: by at most $\frac{4L_0}b$ (in span, replaced) at the root, and by
  $\frac4{b_k}\min(2L_0,L_1\|x_s-x_{\mathrm{parent}}\|_1)$ below it, whatever was chosen.  At all other leaves the
  choice has the same law on both data sets.  $\lambda_t$ is the least for which no record spends more than the budget,
  and what records of different nodes spend is not added up.
* Noise: ``"gumbel"``, the exponential mechanism, of range epsilon, by default; ``"laplace"``, as the specification has
  it, is epsilon-DP and no more (PO-32), and needs twice the scale.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpref.algorithms.variance_reduced_frank_wolfe.formulas import step_size
from dpref.algorithms.variance_reduced_frank_wolfe.plan import Plan
from dpref.curator import Curator, Held
from dpref.problems.games import Game, GameRecords
from dpref.problems.players import player_gradient
from dpref.reals import RATIONAL, Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the walk stands."""

    point: Array  # (d,) x, public
    branch: tuple[Array, ...]  # (d,) each: the points of the nodes of depth 0, ..., t on the way to the latest leaf
    reads: tuple[range | None, ...]  # the records of these nodes; None of a left child, which has its parent's gradient
    estimates: Held  # ((T + 1) d,) handle to their gradients, the leaf's repeated to the end; the curator's alone
    used: int  # records used so far
    leaf: int  # s, the next one of the phase


def init(plan: Plan[A], curator: Curator[GameRecords, A]) -> State:
    """The state before the first phase: the centre, and no gradient yet.

    >>> from dpref.algorithms import game_examples as examples
    >>> _, made, curator = examples.variance_reduced_frank_wolfe().live()
    >>> state = init(made, curator)
    >>> state.point.tolist(), state.leaf
    ([0.5, 0.5], 0)
    """
    start = curator.ops.lift(np.array(plan.start))
    zero = np.tile(0 * start, plan.phases + 1)
    return State(start, (), (), curator.hold(lambda _: zero, label="no gradient yet"), 0, 0)


def entered(phase: int, leaf: int) -> int:
    """The depth of the node with records of its own that the walk enters on its way to a leaf.

    That is the root for leaf 0; for another, the right child at the last one of its binary number.

    Args:
        phase: t.
        leaf: s, in range(2^t).

    >>> [entered(2, leaf) for leaf in range(4)]
    [0, 2, 1, 2]
    """
    return phase - ((leaf & -leaf).bit_length() - 1) if leaf else 0


def refined(
    problem: Game,
    plan: Plan[Any],
    o: Ops[Array],
    points: tuple[Array, Array],
    batch: range,
    depth: int,
    records: GameRecords,
    estimates: Array,
) -> Array:
    """The gradients along the branch with that of the node which is entered, shape ((T + 1) d,).

    Args:
        points: The node's and its parent's, shape (d,) each; of a root twice its own.
        batch: Places of the node's records.
        depth: Of the node.
        records: The private data.
        estimates: The gradients so far, shape ((T + 1) d,).

    >>> from dpref.algorithms import game_examples as examples
    >>> example, point = examples.variance_reduced_frank_wolfe(), np.array([0.5, 0.5])
    >>> run = (example.problem, example.plan, example.ops, (point, point), range(2))
    >>> refined(*run, 2, example.records, np.arange(6.0)).tolist()
    [0.0, 1.0, 2.0, 3.0, 2.0, 3.0]
    """
    d = plan.dimension
    found = player_gradient(problem, plan.player, plan.opponent, o, points[0], records, batch)
    if depth:
        there = player_gradient(problem, plan.player, plan.opponent, o, points[1], records, batch)
        found = estimates[(depth - 1) * d : depth * d] + found - there
    return np.concatenate([estimates[: depth * d], *[found] * (plan.phases + 1 - depth)])


def step(problem: Game, plan: Plan[A], phase: int, state: State, curator: Curator[GameRecords, A]) -> State:
    """Go to the next leaf of a phase: a gradient, a noisy choice of a vertex, a Frank-Wolfe step.

    Args:
        phase: t, from 1.

    Raises:
        InvalidArgumentError: If a gradient is not finite.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.variance_reduced_frank_wolfe().live()
    >>> state = step(problem, made, 1, init(made, curator), curator)
    >>> round(abs(state.point - 0.5).max().item(), 9), state.used, state.reads  # two thirds of the way to a vertex
    (0.333333333, 2, (range(0, 2), None))
    """
    o, leaf, depth = curator.ops, state.leaf, entered(phase, state.leaf)
    batch = range(state.used, state.used + plan.batches[phase - 1][depth])
    branch = state.branch[:depth] + (state.point,) * (phase + 1 - depth)
    reads = (*state.reads[:depth], batch, *[None] * (phase - depth))
    estimates = curator.hold(
        partial(refined, problem, plan, o, (state.point, branch[max(0, depth - 1)]), batch, depth),
        given=state.estimates,
        instead=True,
        label=f"gradient at leaf {leaf} of phase {phase}",
    )
    moved = {part: plan.moved(phase, k) for k, part in enumerate(reads) if part is not None}
    (chosen,) = curator.noisy_max(
        lambda _, gradients: -gradients[-plan.dimension :],
        given=estimates,
        sensitivity=max(moved.values(), key=lambda sensitivity: sensitivity.value),
        noise=plan.noise(phase),
        parts=moved,
        label=f"vertex at leaf {leaf} of phase {phase}",
    )
    vertex = o.lift(np.eye(plan.dimension)[chosen])
    length = o.number(step_size(RATIONAL, RATIONAL.number(2**phase), RATIONAL.number(leaf)))
    return State(state.point + length * (vertex - state.point), branch, reads, estimates, batch.stop, leaf + 1)


def run(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> Array:
    """Walk the trees of all phases and return the last point.

    Returns:
        A point of the player's simplex, shape (d,).

    References:
        Asi, Feldman, Koren and Talwar 2021.

    >>> from dpref.algorithms import game_examples as examples
    >>> from dpref.algorithms.variance_reduced_frank_wolfe.plan import ledger
    >>> problem, made, curator = examples.variance_reduced_frank_wolfe().live()
    >>> round(run(problem, made, curator).sum().item(), 12), curator.ledger == ledger(made)
    (1.0, True)
    """
    state = init(plan, curator)
    for phase in range(1, plan.phases + 1):
        state = state._replace(branch=(), reads=(), leaf=0)
        for _ in range(2**phase):
            state = step(problem, plan, phase, state, curator)
    return state.point
