r"""Boosted mirror descent: the best of several runs by held-out proxies (Gonzalez, Guzman, Paquette 2024, Algorithm 4).

The records are split into four parts.  On shares of one, I runs of Algorithm 3 give candidates $(x_i,y_i)$; on shares
of two others a routine gives J responses of each player to each candidate,
$x_{ij}\approx\arg\min_xF(x,y_i)$ and $y_{ij}\approx\arg\max_yF(x_i,y)$; on the last part $S_4$, of m records,

.. math::
    G_i=\max_jF_{S_4}(x_i,y_{ij})-\min_jF_{S_4}(x_{ij},y_i), \qquad
    P(i^*=i)\propto e^{-\varepsilon mG_i/(8B)}, \qquad \text{output } (x_{i^*},y_{i^*}).

A record is in one part and one share of it, and what disjoint parts spend is not added up, also where what is asked of
one depends on what others answered: all together are $(\varepsilon,\delta)$-DP (Proof 3.21).  The curator keeps each
routine to its part (`dpref.curator.Curator.restricted`), and the ledger has one event for all of them,
`dpref.privacy.events.parallel.Parallel`.

Source and adjacency: see `dpref.algorithms.mirror_descent.plan`.  Cost: I runs of Algorithm 3, 2 I J of the routine,
and 2 I J losses a record of the last part.
Obligations: ``private-saddle-points/P45``, ``P46``, ``E31``, ``S8``, ``chosen-gap``.

What differs from the print, and why:

* The print's exponent has n/4 for m, which is right for four equal parts; here n need not be divisible (E31).
* The print names a routine without saying what it does (the variance-reduced Frank-Wolfe method of Asi et al. 2021,
  here `dpref.algorithms.variance_reduced_frank_wolfe`): any that keeps to the budget is plugged in
  (`dpref.algorithms.boosted_mirror_descent.routines`).
* B is $L_0$: losses of a game count from that at x = 0, which changes no difference of two of them.
* The part that the choice reads comes first.  As printed, the runs and responses are those of their printed forms.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from dpref.algorithms.bias_reduced_mirror_descent import algorithm as descent
from dpref.algorithms.boosted_mirror_descent.plan import Plan
from dpref.curator import Curator
from dpref.problems.games import Game, GameRecords
from dpref.reals import Array, FloatArray, Ops, middle
from dpref.units import A


class Candidate(NamedTuple):
    """A run's output and the responses to it."""

    point: Array  # (d_x + d_y,) x and then y
    first: tuple[Array, ...]  # (d_x,) each: answers to y
    second: tuple[Array, ...]  # (d_y,) each: answers to x


def candidate(problem: Game, plan: Plan[A], number: int, curator: Curator[GameRecords, A]) -> Array:
    """One run of Algorithm 3 on its own records (line 5): x and then y, shape (d_x + d_y,).

    Args:
        number: Of the run, from zero.

    >>> from dpref.algorithms import game_examples as examples
    >>> point = candidate(*examples.boosted_mirror_descent().live()[:2], 0, examples.boosted_mirror_descent().live()[2])
    >>> point.shape, point[:2].sum().item()
    ((4,), 1.0)
    """
    reads = plan.reads_run(number)
    with curator.restricted(reads) as own:
        return descent.run(plan.local(problem, reads), plan.candidates[number], own)


def respond(
    problem: Game,
    plan: Plan[A],
    player: Literal["first", "second"],
    place: tuple[int, int],
    point: Array,
    curator: Curator[GameRecords, A],
) -> Array:
    """One response of a player to the other's point, on its own records (lines 7 and 8), shape (d,).

    Args:
        player: Who responds.
        place: Numbers of the run and of the response, from zero.
        point: x and then y of the run, shape (d_x + d_y,).

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.boosted_mirror_descent().live()
    >>> respond(problem, made, "second", (0, 0), np.array([1.0, 0.0, 0.5, 0.5]), curator).shape
    (2,)
    """
    reads = plan.reads_response(player, *place)
    opponent = point[plan.rows :] if player == "first" else point[: plan.rows]
    with curator.restricted(reads) as own:
        chosen = plan.responders[0 if player == "first" else 1]
        return plan.routine.answer(plan.local(problem, reads), chosen, doubles(opponent), own)


def doubles(point: Array) -> FloatArray:
    """A point as doubles, shape (d,): a mean of drawn vertices, whose double is the one nearest to a ball's middle.

    >>> doubles(np.array([0.5, 0.5])).tolist()
    [0.5, 0.5]
    """
    return np.array([middle(np.asarray(x)) for x in point])


def proxies(problem: Game, rows: int, o: Ops[Array], candidates: tuple[Candidate, ...], records: GameRecords) -> Array:
    r"""$-G_i$ of every candidate, shape (I,) (line 9).

    Args:
        rows: d_x.
        candidates: With their responses.
        records: Those of the last part.

    The second player wins one by matching, the first by not matching:

    >>> from dpref.algorithms import game_examples as examples
    >>> example, corners = examples.boosted_mirror_descent(), np.eye(2)
    >>> one = Candidate(np.array([1.0, 0.0, 0.0, 1.0]), tuple(corners), tuple(corners))
    >>> proxies(example.problem, 2, example.ops, (one,), example.records).tolist()
    [-2.0]
    """

    def largest(losses: list[Array]) -> Array:
        found = losses[0]
        for loss in losses[1:]:
            found = o.maximum(found, loss)
        return np.asarray(found)

    made = []
    for point, first, second in candidates:
        x, y = point[:rows], point[rows:]
        up = largest([problem.mean_loss(o, x, answer, records) for answer in second])
        down = largest([np.asarray(-problem.mean_loss(o, answer, y, records)) for answer in first])
        made.append(np.asarray(-(up + down)))
    return np.stack(made)


def run(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> Array:
    """Run Algorithm 4 and return the chosen candidate.

    Returns:
        x and then y, each a point of its simplex, shape (d_x + d_y,).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 4.

    >>> from dpref.algorithms import game_examples as examples
    >>> point = run(*examples.boosted_mirror_descent().live())
    >>> point.shape, point[:2].sum().item(), point[2:].sum().item()
    ((4,), 1.0, 1.0)
    """
    points = [candidate(problem, plan, i, curator) for i in range(plan.runs)]
    answers: dict[Any, tuple[Array, ...]] = {}
    for player in ("first", "second"):
        for i, point in enumerate(points):
            numbers = range(plan.responses)
            answers[player, i] = tuple(respond(problem, plan, player, (i, j), point, curator) for j in numbers)
    made = tuple(Candidate(point, answers["first", i], answers["second", i]) for i, point in enumerate(points))
    with curator.restricted(plan.reads_choice) as own:
        (chosen,) = own.select(
            partial(proxies, problem, plan.rows, curator.ops, made),
            sensitivity=plan.sensitivity,
            epsilon=plan.epsilon,
            label="candidate",
        )
    best: Array = points[chosen]
    return best
