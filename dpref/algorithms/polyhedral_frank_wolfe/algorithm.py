r"""DP-POFW: online Frank-Wolfe on a polytope, each vertex chosen by its noisy score (Han et al., Algorithm 2).

For $t=1,\dots,n$, with record $x_t$, $\theta_0=\theta_1$ a point of the polytope C and fresh noise on every vertex,

.. math::
    d_t &= \nabla f(\theta_t;x_t)+\Big(1-\frac1t\Big)\big(d_{t-1}-\nabla f(\theta_{t-1};x_t)\big), \\
    v_t &= \arg\min_v\langle d_t,v\rangle+n_v^t,\qquad \theta_{t+1}=\theta_t+\frac c{t+1}(v_t-\theta_t).

$d_t$ stays with the curator; $v_t$ and $\theta_{t+1}$ are published.  Privacy: Theorem 3.4; utility: Theorems 3.5, 3.6.

Source: Y. Han, Z. Liang, Z. Liang, Y. Wang, Y. Yao, J. Zhang, "On private online convex optimization: optimal
algorithms in l_p-geometry and high dimensional contextual bandits".  Adjacency: replace-one in the paper; replace-one
or zero-out here.  Cost: 2n - 1 gradients, n choices of O(V d), on the l_1 ball O(d).
Obligations: ``private-online-frank-wolfe/PO-3``, ``PO-5``, ``PO-32``, ``PO-33``, ``E-4``, ``E-5``, ``E-7``, ``E-17``.

What differs from the print, and why:

* The printed weights $\rho_t=\frac1{t+1}$ with $d_1=\nabla f(\theta_1;x_1)$ count the first gradient twice, so that its
  record moves $d_t$ by $\frac{4L}{t+1}$ where the proof has $\frac{2(\beta D+L)}{t+1}$ (E-4).  With the weights 1/t no
  record moves it further than $\frac{2(\beta D+L)}t$.
* The printed scale is zero at n = 1, and Theorem 3.4 has no condition on epsilon (E-5).  Here the choices get
  $\varepsilon_t=c_n/\sqrt t$ with $c_n$ from the zCDP of the whole stream, which is never undefined.
* "For all v in C sample" means the vertices (E-17); what counts of a change of scores is its span, which the diameter
  bounds, so that $\mathrm{Lap}(S_t/\varepsilon_t)$ is enough although no query is monotone (E-7).
* Noise: ``"laplace"``, the paper's, is $\varepsilon_t$-DP and no more; ``"gumbel"`` is the exponential mechanism, of
  range $\varepsilon_t$, and needs half of the scale for the same loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from dpref.algorithms.forms import Form
from dpref.algorithms.polyhedral_frank_wolfe.plan import Plan
from dpref.curator import Curator, Held
from dpref.geometry import candidates
from dpref.problems.stream import Stream, VertexStream
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the stream stands."""

    theta: Array  # (d,) theta_{t+1}, the latest published iterate
    previous: Array  # (d,) theta_t
    estimate: Held  # d_t, shape (d,), which only the curator sees
    t: int  # records seen


def init(problem: VertexStream, plan: Plan[A], curator: Curator[Any, A]) -> State:
    """The state before the first record (line 1).

    >>> from dpref.algorithms import examples
    >>> state = init(*examples.polyhedral_frank_wolfe().live())
    >>> state.theta.tolist(), state.t
    ([0.0, 0.0], 0)
    """
    start = curator.ops.lift(plan.start)
    zero = 0 * start
    return State(start, start, curator.hold(lambda _: zero, label="no gradient yet"), 0)


def step(problem: VertexStream, plan: Plan[A], state: State, curator: Curator[Any, A]) -> State:
    """Take in the next record: its gradient, a noisy choice of a vertex, a Frank-Wolfe step (lines 3 to 10).

    Raises:
        InvalidArgumentError: If a gradient is not finite.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.polyhedral_frank_wolfe().live()
    >>> abs(step(problem, made, init(problem, made, curator), curator).theta).sum().item()  # half of the way
    0.5
    """
    o, t = curator.ops, state.t + 1
    estimate = curator.hold(
        partial(recursion, problem, plan.form, o, state.theta, state.previous, t),
        given=state.estimate,
        instead=True,
        label=f"gradient {t}",
    )
    (chosen,) = curator.noisy_max(
        lambda _, d: candidates.scores(o, problem.domain, d),
        given=estimate,
        sensitivity=plan.moved(t),
        noise=plan.noise(t),
        label=f"vertex {t}",
    )
    vertex = candidates.vertex(o, problem.domain, problem.dimension, chosen)
    theta = state.theta + o.number(plan.step_scale / (t + 1)) * (vertex - state.theta)
    return State(theta, state.theta, estimate, t)


def recursion(
    problem: VertexStream,
    form: Form,
    o: Ops[Array],
    theta: Array,
    previous: Array,
    t: int,
    stream: Stream,
    estimate: Array,
) -> Array:
    r"""$d_t=\nabla f(\theta_t;x_t)+(1-\rho_t)(d_{t-1}-\nabla f(\theta_{t-1};x_t))$, shape (d,) (lines 3 to 7).

    $\rho_t=\frac1t$, or as printed $\frac1{t+1}$ from t = 2 on.

    Args:
        form: As printed or repaired.
        theta: $\theta_t$, shape (d,).
        previous: $\theta_{t-1}$, shape (d,).
        t: Number of the record, from 1.
        stream: What holds the records.
        estimate: $d_{t-1}$, shape (d,).

    >>> from dpref.algorithms import examples
    >>> example = examples.polyhedral_frank_wolfe()
    >>> at = *map(example.ops.lift, ([0.0, 0.0], [0.0, 0.0])), 1, example.records, example.ops.lift([1.0, 1.0])
    >>> [recursion(example.problem, form, example.ops, *at)[0].item() for form in Form]
    [-0.5, -0.5]
    """
    record = stream.record(t)
    gradient = problem.gradient(o, theta, record)
    if t == 1:
        return gradient
    later = t if form is Form.REPAIRED else t + 1
    return gradient + (later - 1) * (estimate - problem.gradient(o, previous, record)) / later


def releases(problem: VertexStream, plan: Plan[A], curator: Curator[Any, A]) -> Iterator[Array]:
    r"""The online interface: $\theta_2,\dots,\theta_{n+1}$, each computed when it is asked for.

    Yields:
        The iterate after each record, shape (d,).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.polyhedral_frank_wolfe().live()
    >>> [theta.shape for theta in releases(problem, made, curator)]  # one record, one iterate
    [(2,)]
    """
    state = init(problem, plan, curator)
    for _ in range(plan.records):
        state = step(problem, plan, state, curator)
        yield state.theta


def run(problem: VertexStream, plan: Plan[A], curator: Curator[Any, A]) -> Array:
    """Run Algorithm 2 on a whole stream and return the last iterate, shape (d,).

    Raises:
        InvalidArgumentError: As for `step`.

    >>> from dpref.algorithms.polyhedral_frank_wolfe.plan import ledger
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.polyhedral_frank_wolfe().live()
    >>> run(problem, made, curator).shape, curator.ledger == ledger(made)
    ((2,), True)
    """
    theta = curator.ops.lift(plan.start)
    for released in releases(problem, plan, curator):
        theta = released
    return theta
