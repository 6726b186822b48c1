r"""DP-HDB: a contextual bandit with one private online Frank-Wolfe an arm (Han et al., Algorithm 3).

Arms are pulled in turn, $t_0$ times each; then, for the user with context $X_t$, from the public estimates,

.. math::
    \hat K_t=\big\{i:\zeta(\langle X_t,\theta_i^{\mathrm{warm}}\rangle)
        >\max_j\zeta(\langle X_t,\theta_j^{\mathrm{warm}}\rangle)-m\big\},\qquad
    a_t=\arg\max_{i\in\hat K_t}\zeta(\langle X_t,\theta_i\rangle),

she is given arm $a_t$, which pays $r_t$.  Arm $a_t$ takes the row $(X_t,r_t)$, every other arm the synthetic row
$(0,\zeta(0))$, whose gradient is zero but with which its recursion and its noise go on: the steps of Algorithm 2, at
the arm's own number of rows.  The estimates of all arms are a public billboard; actions are told to their users alone.

Source: Y. Han, Z. Liang, Z. Liang, Y. Wang, Y. Yao, J. Zhang, "On private online convex optimization: optimal
algorithms in l_p-geometry and high dimensional contextual bandits".  Privacy: joint differential privacy (Theorem 4.1);
the ledger is the billboard's, and `dpref.units.billboard` carries it over.  Adjacency: one user replaced, or nulled.
Cost: 2T - K gradients (the paper's 2K a round counts the zero ones).
Obligations: ``private-online-frank-wolfe/billboard``, ``E-16``, ``PO-6``, ``PO-45``, ``PO-51``.

What differs from the print, and why:

* Step "t" of Algorithm 2 is the step of the arm's own row count $|I_i|$ (E-30): after the warm-up all counts are
  $t-(K-1)t_0$.  Line 14 compares the latest public estimates, made before $X_t$ is seen.
* A user whose action differs on the neighbour moves *two* arms.  Each of them sees a real row against a synthetic one,
  which moves it by $\beta D+L$, half of a replaced row, so that all choices of a round together are
  $\varepsilon_s$-DP (E-16): the curator is asked for one choice of K blocks, with the spans of the blocks added up.
* The margin is $\frac{\mu h}2$: the gap h is one of predictions, line 13 compares their $\zeta$ (E-31).
* Weights and noise are those of the repaired Algorithm 2 (E-4, E-5); ``Form.AS_PRINTED`` has the printed ones, and
  the margin $\frac h2$.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from dpref.algorithms.forms import Form
from dpref.algorithms.high_dimensional_bandit.plan import Plan
from dpref.curator import Curator, Held, Indices
from dpref.geometry import candidates
from dpref.problems.bandit import Bandit, Users
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the stream stands."""

    theta: Array  # (K, d) the billboard: the latest estimate of every arm
    previous: Array  # (K, d) the estimates one row before
    warm: Array  # (K, d) the estimates at the end of the warm-up (until then the latest ones)
    gradients: Held  # (K d,) the gradient estimates of all arms, which only the curator sees
    places: tuple[int, ...]  # of the costs that the arms' warm-ups share, row by row; none after them
    t: int  # rounds done


def init(problem: Bandit, plan: Plan[A], curator: Curator[Any, A]) -> State:
    """The state before the first round: no arm has a row.

    >>> from dpref.algorithms import examples
    >>> state = init(*examples.high_dimensional_bandit().live())
    >>> state.theta.tolist(), state.t
    ([[0.0, 0.0], [0.0, 0.0]], 0)
    """
    start = curator.ops.lift(np.tile(plan.start, (plan.arms, 1)))
    zero = 0 * start.reshape(-1)
    places = tuple(curator.share() for _ in range(plan.warm_up))
    return State(start, start, start, curator.hold(lambda _: zero, label="no gradients yet"), places, 0)


def step(problem: Bandit, plan: Plan[A], state: State, curator: Curator[Any, A]) -> State:
    """Take in the next user: in the warm-up one arm makes a step, then all of them do (lines 3 to 18).

    Raises:
        InvalidArgumentError: If a gradient is not finite.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.high_dimensional_bandit().live()
    >>> abs(step(problem, made, init(problem, made, curator), curator).theta).sum(axis=1).tolist()  # one arm moves
    [0.5, 0.0]
    """
    o, t = curator.ops, state.t + 1
    early = t <= plan.arms * plan.warm_up
    arms = range((t - 1) // plan.warm_up, (t - 1) // plan.warm_up + 1) if early else range(plan.arms)
    rows = (t - 1) % plan.warm_up + 1 if early else t - (plan.arms - 1) * plan.warm_up
    gradients = curator.hold(
        partial(take_in, problem, plan, o, state, arms, rows),
        given=state.gradients,
        instead=True,
        label=f"gradients of round {t}",
    )
    d = problem.dimension
    chosen = curator.noisy_max(
        lambda _, all_arms: np.concatenate(
            [candidates.scores(o, problem.domain, all_arms[i * d : (i + 1) * d]) for i in arms]
        ),
        given=gradients,
        sensitivity=plan.moved(rows),
        noise=plan.noise(rows),
        blocks=len(arms),
        place=state.places[rows - 1] if early else None,
        label=f"vertices of round {t}",
    )
    theta, previous, length = state.theta.copy(), state.previous.copy(), o.number(plan.step_scale / (rows + 1))
    for i, number in zip(arms, chosen, strict=True):
        vertex = candidates.vertex(o, problem.domain, d, int(number))
        theta[i] = state.theta[i] + length * (vertex - state.theta[i])
        previous[i] = state.theta[i]
    return State(theta, previous, theta if early else state.warm, gradients, state.places if early else (), t)


def take_in(
    problem: Bandit, plan: Plan[Any], o: Ops[Array], state: State, arms: range, rows: int, users: Users, given: Array
) -> Array:
    r"""The gradient estimates of the arms that take a row, a real one of the arm that is pulled; shape (K d,).

    Args:
        state: Whose estimates decide which arm is pulled, and at which the gradients are taken.
        arms: Those that take a row: in the warm-up one, which is pulled.
        rows: How many rows they then have.
        users: The private side.
        given: The estimates one row before, shape (K d,).

    >>> from dpref.algorithms import examples
    >>> example = examples.high_dimensional_bandit()
    >>> state = init(*example.live())
    >>> take_in(example.problem, example.plan, example.ops, state, range(1), 1, example.records, np.ones(4)).tolist()
    [-1.0, -0.0, 1.0, 1.0]
    """
    context, rewards = users.user(state.t + 1)
    pulled = arms[0] if len(arms) == 1 else action(problem, plan.margin, o, state.warm, state.theta, context)
    later = rows + (1 if plan.form is Form.AS_PRINTED else 0)
    found, d = given.copy(), problem.dimension
    for i in arms:
        own = slice(i * d, (i + 1) * d)
        here = there = 0 * given[own]
        if i == pulled:
            here = problem.gradient(o, state.theta[i], context, rewards[i])
            there = problem.gradient(o, state.previous[i], context, rewards[i]) if rows > 1 else there
        found[own] = here if rows == 1 else here + (later - 1) * (given[own] - there) / later
    return found


def action(problem: Bandit, margin: float, o: Ops[Array], warm: Array, theta: Array, context: Array) -> int:
    r"""The arm that a user is given (lines 13 and 14); balls are compared by their midpoints.

    Args:
        margin: m.
        warm: The estimates at the end of the warm-up, shape (K, d).
        theta: The latest estimates, shape (K, d).
        context: Shape (d,).

    Returns:
        Counted from zero; the first of several best ones.

    >>> from dpref.algorithms import examples
    >>> problem, theta = examples.high_dimensional_bandit().problem, np.array([[0.0, 0.2], [0.1, 0.0]])
    >>> [action(problem, m, FLOAT_ARRAY, theta, theta[::-1], np.ones(2)) for m in (0.05, 0.5)]  # one is left out
    [0, 1]
    """

    def worth(estimates: Array) -> list[float]:
        means: list[Any] = [np.asarray(problem.mean_reward(o, np.asarray(context @ e)))[()] for e in estimates]
        return [float(mean.mid() if isinstance(mean, arb) else mean) for mean in means]

    before, now = worth(warm), worth(theta)
    eligible = [i for i, value in enumerate(before) if value > max(before) - margin]
    return max(eligible, key=lambda i: now[i])


def actions(problem: Bandit, plan: Plan[Any], points: FloatArray, contexts: FloatArray) -> Indices:
    """What every user is told, from the billboard and her own context: nobody else is told it.

    Args:
        points: The billboard before each round and after the last, shape (T + 1, K d).
        contexts: Shape (T, d).

    Returns:
        Pulled arms, counted from zero, shape (T,).

    >>> from dpref.algorithms import examples
    >>> problem, made, _ = examples.high_dimensional_bandit().live()
    >>> actions(problem, made, np.zeros((5, 4)), np.ones((4, 2))).tolist()  # each arm once, then the first
    [0, 1, 0, 0]
    """
    first = plan.arms * plan.warm_up
    told = np.repeat(np.arange(plan.arms), plan.warm_up).tolist()
    thetas = points.reshape(len(points), plan.arms, -1)
    told += [
        action(problem, plan.margin, FLOAT_ARRAY, thetas[first], thetas[t], contexts[t])
        for t in range(first, len(contexts))
    ]
    return np.array(told)


def releases(problem: Bandit, plan: Plan[A], curator: Curator[Any, A]) -> Iterator[Array]:
    """The billboard after each round, shape (K, d).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.high_dimensional_bandit().live()
    >>> [theta.shape for theta in releases(problem, made, curator)]
    [(2, 2), (2, 2), (2, 2), (2, 2)]
    """
    state = init(problem, plan, curator)
    for _ in range(plan.records):
        state = step(problem, plan, state, curator)
        yield state.theta


def run(problem: Bandit, plan: Plan[A], curator: Curator[Any, A]) -> Array:
    """Run Algorithm 3 on a whole stream and return the last estimates of all arms, shape (K d,).

    Raises:
        InvalidArgumentError: As for `step`.

    >>> from dpref.algorithms.high_dimensional_bandit.plan import ledger
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.high_dimensional_bandit().live()
    >>> run(problem, made, curator).shape, curator.ledger == ledger(made)
    ((4,), True)
    """
    theta = curator.ops.lift(np.tile(plan.start, plan.arms))
    for released in releases(problem, plan, curator):
        theta = released.reshape(-1)
    return theta
