r"""DP-TOFW: online Frank-Wolfe on a recursive gradient that a tree releases (Han et al., Algorithms 1, 4 and 5).

For $t=1,\dots,n$, with record $x_t$ and $\theta_0=\theta_1$ a point of C,

.. math::
    g_t &= t\,\nabla f(\theta_t;x_t)-(t-1)\,\nabla f(\theta_{t-1};x_t),\qquad
    d_t = \frac1t\Big(\sum_{i\le t}g_i+\text{noise of the tree}\Big), \\
    v_t &= \arg\min_{v\in C}\langle d_t,v\rangle,\qquad
    \theta_{t+1}=\theta_t+\frac c{t+1}(v_t-\theta_t).

$\theta_{t+1}$ is published as soon as $x_t$ has been seen.  Privacy: Theorem 3.1; utility: Theorems 3.2 and 3.3.

Source: Y. Han, Z. Liang, Z. Liang, Y. Wang, Y. Yao, J. Zhang, "On private online convex optimization: optimal
algorithms in l_p-geometry and high dimensional contextual bandits".  Adjacency: replace-one in the paper; replace-one
or zero-out here.  Cost: 2n - 1 gradients and n linear minimisations (the paper's 2n counts the first one twice).
Obligations: ``private-online-frank-wolfe/PO-3``, ``PO-5``, ``PO-9``, ``gaussian-dp``, ``E-1``, ``E-2``, ``E-4``.

What differs from the print, and why:

* The associated norm has the index of `dpref.geometry.norms.regularity`, not $\min\{q-1,\ln d-1\}$ (E-1), and the
  radius of the noise the Gamma scale $2\sigma_+^2$, not $2\sigma_+$ (E-2: an epsilon of 6 to 7.5 where 1 is claimed).
  ``Form.AS_PRINTED`` runs both slips; ``repairs`` mends one of them, so that each can be audited alone.
* The print's $g_t=(t+1)\nabla f(\theta_t;x_t)-t\,\nabla f(\theta_{t-1};x_t)$, $d_t=G_t/(t+1)$ is biased by
  $-\nabla F(\theta_1)/(t+1)$ (E-4).  The weights above are not, and an increment still moves by $2(c\beta D+L)$.
* Noise: ``"accountant"``, the default, counts the nodes that a record can be in (E-20) and takes the exact loss
  where the associated norm is Euclidean, the best zCDP conversion elsewhere; ``"zcdp"`` is the closed form, about four
  times below ``"eq-3.2"``, the paper's, at n = 1000.
* C need not hold the origin: the first iterate is any public point of it.  p = 1 is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe.plan import Plan
from dpref.curator import Curator, Held
from dpref.problems.stream import Stream, StreamProblem
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the stream stands."""

    theta: Array  # (d,) theta_{t+1}, the latest published iterate
    previous: Array  # (d,) theta_t
    tree: Held  # the sums of the increments
    t: int  # records seen


def init(problem: StreamProblem, plan: Plan[A], curator: Curator[Any, A]) -> State:
    """The state before the first record: the first iterate and an empty tree (line 1).

    Raises:
        InvalidArgumentError: If the curator's adjacency is not the plan's.

    >>> from dpref.algorithms import examples
    >>> state = init(*examples.online_frank_wolfe().live())
    >>> state.theta.tolist(), state.t
    ([0.0, 0.0], 0)
    """
    start = curator.ops.lift(plan.start)
    tree = curator.tree(leaves=plan.records, sensitivity=plan.sensitivity, noise=plan.noise, label="recursive gradient")
    return State(start, start, tree, 0)


def step(problem: StreamProblem, plan: Plan[A], state: State, curator: Curator[Any, A]) -> State:
    """Take in the next record: its increment, the noisy sum, a Frank-Wolfe step (lines 3 to 7).

    Raises:
        InvalidArgumentError: If a gradient is not finite, or the plan's records have all been seen.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.online_frank_wolfe().live()
    >>> state = step(problem, made, init(problem, made, curator), curator)
    >>> round(float(state.theta @ state.theta), 12), state.t  # half of the way to a point of the unit circle
    (0.25, 1)
    """
    o, t = curator.ops, state.t + 1
    total = curator.prefix_sum(
        state.tree, partial(increment, problem, plan.form, o, state.theta, state.previous, t), label=f"increment {t}"
    )
    estimate = total / (t if plan.form is Form.REPAIRED else t + 1)
    vertex = problem.domain.minimise(o, estimate)
    theta = state.theta + o.number(plan.step_scale / (t + 1)) * (vertex - state.theta)
    return State(theta, state.theta, state.tree, t)


def increment(
    problem: StreamProblem, form: Form, o: Ops[Array], theta: Array, previous: Array, t: int, stream: Stream
) -> Array:
    r"""$g_t$: $t\,\nabla f(\theta_t;x_t)-(t-1)\nabla f(\theta_{t-1};x_t)$, or with the printed weights; shape (d,).

    Eq. (3.1); the printed weights, $t+1$ and $t$, leave a bias (E-4).

    Args:
        form: As printed or repaired.
        theta: $\theta_t$, shape (d,).
        previous: $\theta_{t-1}$, shape (d,).
        t: Number of the record, from 1.
        stream: What holds the records.

    >>> from dpref.algorithms import examples
    >>> example = examples.online_frank_wolfe()
    >>> at = example.ops.lift([1.0, 0.0]), example.ops.lift([0.0, 0.0]), 1, example.records
    >>> [increment(example.problem, form, example.ops, *at)[0].round(3).item() for form in Form]  # 2 g - g' and g
    [-0.038, -0.269]
    """
    record = stream.record(t)
    here, there = (t, t - 1) if form is Form.REPAIRED else (t + 1, t)
    found = here * problem.gradient(o, theta, record)
    return found if there == 0 else found - there * problem.gradient(o, previous, record)


def releases(problem: StreamProblem, plan: Plan[A], curator: Curator[Any, A]) -> Iterator[Array]:
    r"""The online interface: $\theta_2,\dots,\theta_{n+1}$, each computed when it is asked for.

    With `dpref.problems.stream.Arrivals` as the curator's data, put a record in before each ``next``.

    Yields:
        The iterate after each record, shape (d,).

    Raises:
        InvalidArgumentError: As for `init` and `step`.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.online_frank_wolfe().live()
    >>> [theta.shape for theta in releases(problem, made, curator)]  # one record, one iterate
    [(2,)]
    """
    state = init(problem, plan, curator)
    for _ in range(plan.records):
        state = step(problem, plan, state, curator)
        yield state.theta


def run(problem: StreamProblem, plan: Plan[A], curator: Curator[Any, A]) -> Array:
    """Run Algorithm 1 on a whole stream and return the last iterate.

    Returns:
        The last iterate, shape (d,).

    Raises:
        InvalidArgumentError: As for `init` and `step`.

    >>> from dpref.algorithms.online_frank_wolfe.plan import ledger
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.online_frank_wolfe().live()
    >>> run(problem, made, curator).shape, curator.ledger == ledger(made)
    ((2,), True)
    """
    theta = curator.ops.lift(plan.start)
    for released in releases(problem, plan, curator):
        theta = released
    return theta
