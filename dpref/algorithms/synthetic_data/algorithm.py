r"""Synthetic data by mirror descent, for Theorem 1.1 of Gonzalez, Guzman and Paquette 2024: a reconstruction.

From uniform laws $x$ on the universe Z and $y^1$ on the queries, for $t=1,\dots,T$ with a fresh batch of
$B=\lfloor n/T\rfloor$ records,

.. math::
    \hat y^{t,k}\sim y^t,\qquad x^{t,k+1}\propto x^{t,k}e^{\tau_xq_{\hat y^{t,k}}},\qquad k=1,\dots,K;\qquad
    u^t_j=\frac1B\sum_{z\in B^t}q_j(z)-\langle q_j,\hat x^t\rangle,\quad\hat x^t=\frac1K\sum_kx^{t,k};\qquad
    y^{t+1}\propto y^te^{\tau_yu^t}.

The output is the law $\bar x=\frac1T\sum_t\hat x^t$; `dpref.problems.queries.synthetic_records` draws records from it.

Source: the paper states the theorem for "a variant" of its Algorithm 1 and gives neither pseudocode nor proof.
**This is not the paper's text**: steps and privacy follow a reconstruction in the specification (K = 1), and K draws a
round are this library's way to close the case T = n that the reconstruction leaves open (E28).  Adjacency: replace-one
in the paper; replace-one or zero-out here.  Cost: $(T-1)B\le n$ records' answers.
Obligations: ``private-saddle-points/P61``, ``E28``, ``synthetic-noise``, ``synthetic-error``.

Why it is private: the law's steps read the drawn queries alone, so that every $x^{t,k}$ is public; the scores of the
queries read the data, and of these only the mean of a batch's answers, so that one record moves a score by at most
$\frac{2\tau_y}B$ (S11).  Each of the TK draws is an exponential mechanism of range $\frac{4\tau_y}B$.  The step after
the last round would reach no output: it is not taken.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpref.algorithms.synthetic_data.plan import Plan
from dpref.curator import Curator, Held
from dpref.mechanisms.exponential import softmax
from dpref.problems.queries import Queries, QueryRecords
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands."""

    scores: Held  # (queries,) handle to the scores of y^t, which only the curator sees
    law_scores: Array  # (elements,) those of x^{t,1}, public
    total: Array  # (elements,) the sum of the rounds' averages so far
    used: int  # records used so far
    t: int  # rounds done


def init(problem: Queries, curator: Curator[QueryRecords, A]) -> State:
    """The state before the first round: all scores are zero, so that both laws are uniform.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, _, curator = examples.synthetic_data().live()
    >>> init(problem, curator).law_scores.tolist()
    [0.0, 0.0]
    """
    zero, o = np.zeros(problem.queries), curator.ops
    start = o.lift(np.zeros(problem.elements))
    return State(curator.hold(lambda _: o.lift(zero), label="first scores"), start, start, 0, 0)


def advance(
    problem: Queries, plan: Plan[Any], o: Ops[Array], law: Array, batch: range, records: QueryRecords, scores: Array
) -> Array:
    r"""$s\leftarrow s+\tau_yu$: queries that the law answers too low gain.

    Args:
        law: $\hat x^t$, shape (elements,).
        batch: Places of the records to average over.
        records: The private data.
        scores: Shape (queries,).

    >>> from dpref.algorithms import game_examples as examples
    >>> example = examples.synthetic_data()
    >>> moved = advance(*example[::2], example.ops, np.array([0.5, 0.5]), range(2), example.records, np.zeros(2))
    >>> (moved / example.plan.step_size).tolist()  # one coin of each kind
    [0.0, 0.0]
    """
    mean = records.answers[batch.start : batch.stop].sum(axis=0) / len(batch)
    moved: Array = scores + o.lift(plan.step_size) * (mean - law @ o.lift(problem.values))
    return moved


def iterate(problem: Queries, plan: Plan[A], state: State, curator: Curator[QueryRecords, A]) -> State:
    """One round: draw queries, move the law along each, and then the queries' weights.

    >>> from dpref.algorithms import game_examples as examples
    >>> problem, made, curator = examples.synthetic_data().live()
    >>> state = iterate(problem, made, init(problem, curator), curator)
    >>> state.used, state.t, state.total.sum().item()
    (2, 1, 1.0)
    """
    o, t = curator.ops, state.t
    drawn = curator.select(
        lambda _, scores: scores,
        given=state.scores,
        sensitivity=plan.sensitivity,
        epsilon=plan.epsilon_per_draw,
        label=f"queries of round {t + 1}",
        draws=plan.vertices[t],
    )
    law_scores, walked = state.law_scores, 0 * state.total
    for query in drawn:
        walked = walked + softmax(o, law_scores)
        law_scores = law_scores + o.lift(plan.law_step) * o.lift(problem.values[:, query].copy())
    law = walked / len(drawn)
    if t == plan.steps - 1:
        return State(state.scores, law_scores, state.total + law, state.used, t + 1)
    batch = range(state.used, state.used + plan.batches[t])
    scores = curator.hold(
        partial(advance, problem, plan, o, law, batch), given=state.scores, instead=True, label=f"scores {t + 2}"
    )
    return State(scores, law_scores, state.total + law, batch.stop, t + 1)


def run(problem: Queries, plan: Plan[A], curator: Curator[QueryRecords, A]) -> Array:
    r"""Run all rounds and return the law $\bar x$.

    Returns:
        Weights on the universe, shape (elements,).

    References:
        Gonzalez, Guzman and Paquette 2024, Theorem 1.1 (reconstructed).

    >>> from dpref.algorithms import game_examples as examples
    >>> law = run(*examples.synthetic_data().live())
    >>> law.shape, round(law.sum().item(), 12)
    ((2,), 1.0)
    """
    state = init(problem, curator)
    for _ in range(plan.steps):
        state = iterate(problem, plan, state, curator)
    law: Array = state.total / plan.steps
    return law
