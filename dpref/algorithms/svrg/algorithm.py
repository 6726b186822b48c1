r"""DP-SVRG: noisy stochastic variance-reduced gradients with a prox step (Wang, Ye, Xu 2017, Algorithm 1).

For $s=1,\dots,T$, with $\tilde x=\tilde x_{s-1}$, $\tilde v=\nabla F(\tilde x,D)$, $x_0=\tilde x$, and for
$t=1,\dots,m$ with a fresh uniform index i and $u_t\sim N(0,\sigma^2I_p)$,

.. math::
    v_t = \nabla f(x_{t-1},z_i)-\nabla f(\tilde x,z_i)+\tilde v+u_t,\qquad
    x_t = \mathrm{prox}_{\eta r}(x_{t-1}-\eta v_t);\qquad \tilde x_s=\frac1m\sum_{t=1}^m x_t.

The output is $\tilde x_T$.  Privacy: Theorem 4.1 with $\sigma^2$ of Eq. (3); utility: Theorem 4.2.

Source: D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited", 2017.
Adjacency: replace-one in the paper; replace-one or zero-out here.  Cost: $T(n+2m)$ gradients ($T(n+2mb)$ with batches).
Obligations: ``dp-erm-revisited/P12``, ``P13``, ``P71`` to ``P73``, ``P76``.

What differs from the print, and why:

* Eq. (3) leaves its constant c open and holds for $\varepsilon\le c_1Tm/n^2$ only, $c_1$ open too.  With c = 3080,
  $c_1=7$ and $\varepsilon\le2\ln\frac1\delta$ added it is proved (errata, Theorem 6.3; E9); outside it fails for every
  c (E2).  ``calibration="formula"`` checks the range and refuses to run outside; ``"accountant"``, the default,
  searches the noise that `dpref.privacy.fast.variance_reduction` certifies by the answer's dominating pair, and
  ``"renyi"`` what `dpref.privacy.renyi.variance_reduction` does alone.  ``Form.AS_PRINTED`` takes c from the
  caller and checks nothing but a $c_1$ that is given; its ``"remark-4.1"`` is the larger noise that the paper claims
  for every epsilon (E4).
* One index may be a batch of b, drawn without replacement (errata 3.6.3), which widens the range by $b^2$; where none
  is given, an accountant's plan chooses it (`dpref.algorithms.svrg.defaults`), and warns where n is too small.
* ``noise="two-part"`` adds $N(0,\sigma_2^2I)$ once an epoch to $\tilde v$ and $N(0,\sigma_1^2I)$ to each sampled
  difference (errata 3.6.4, `dpref.algorithms.svrg.two_part`), which is asked for T full gradients instead of K.  An
  epoch's noise is then the same in all of its steps: Theorem 4.2's bound is not for it, ``dp-erm-revisited/3.6.4`` is.
* Theorem 4.2's condition $\eta\le1/(12L)$ is not enough for its Eq. (4): $\eta<1/(24L)$ is needed (E7).  The theorem's
  conditions are hypotheses of the plan, by name; ``utility=True`` refuses a plan that breaks one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from dpref.algorithms.svrg.plan import Plan
from dpref.curator import Curator, Held, Indices
from dpref.errors import InvalidArgumentError
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where the run stands inside an epoch."""

    x: Array  # (p,) x_t
    snapshot: Array  # (p,) the point at which the full gradient was taken
    full: Held | Array  # handle to the full gradient there, or its noisy answer (p,) where noise is in two parts
    total: Array  # (p,) x_1 + ... + x_t of this epoch
    t: int  # steps done in this epoch


def init(problem: ERMProblem, plan: Plan[A], o: Ops[Array]) -> Array:
    """The first snapshot, projected on the set of the regulariser.

    Returns:
        Shape (p,).

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.svrg().live()
    >>> init(problem, replace(made, start=(3.0,)), curator.ops).tolist()  # the parameter lies in [-2, 2]
    [2.0]
    """
    return plan.regulariser.project(o, o.lift(plan.start))


def begin(problem: ERMProblem, plan: Plan[A], snapshot: Array, last: Array, curator: Curator[Records, A]) -> State:
    """Begin an epoch: the full gradient at the snapshot, which stays with the curator (lines 2 to 4).

    With noise in two parts it is answered instead, once for all steps of the epoch.

    Args:
        snapshot: Where the full gradient is taken, shape (p,).
        last: The last epoch's last iterate, shape (p,); the start of this epoch where the plan carries it over.
        curator: The private side; keeps the gradient, or answers it.

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.svrg().live()
    >>> begin(problem, made, snapshot=np.array([1.0]), last=np.array([2.0]), curator=curator).x.tolist()
    [1.0]
    """
    query, label = partial(problem.mean_gradient, curator.ops, snapshot), "full gradient at the snapshot"
    full: Held | Array
    if plan.epoch_std is None:
        full = curator.hold(query, label=label)
    else:
        sensitivity = problem.sensitivity(plan.sensitivity.adjacency)
        full = curator.gaussian(query, sensitivity=sensitivity, std=plan.epoch_std, label=label)
    x = last if plan.carry else snapshot
    return State(x, snapshot, full, curator.ops.lift([0.0] * problem.dimension), 0)


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State:
    """One inner step: a noisy variance-reduced gradient, then a prox step (lines 6 to 8).

    Args:
        curator: The private side; draws the batch and the noise.

    A step without noise, from 0 against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.svrg().live()
    >>> snapshot = init(problem, made, curator.ops)
    >>> step(problem, made, begin(problem, made, snapshot, snapshot, curator), curator).x.tolist()
    [0.5]
    """
    o = curator.ops
    v = noisy_gradient(problem, plan, state, curator)
    eta = o.lift(plan.step_size)
    x = plan.regulariser.prox(o, eta, state.x - eta * v)
    return State(x, state.snapshot, state.full, state.total + x, state.t + 1)


def noisy_gradient(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> Array:
    """v_t of line 7: one answer, or with noise in two parts the epoch's answer and one of its own, shape (p,).

    Args:
        curator: The private side; draws the batch and the noise.

    Without noise, at the snapshot 0, where the gradient is x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.svrg().live()
    >>> snapshot = init(problem, made, curator.ops)
    >>> noisy_gradient(problem, made, begin(problem, made, snapshot, snapshot, curator), curator).tolist()
    [-1.0]
    """
    o, of, at = curator.ops, f"gradient at x_{state.t}", (state.x, state.snapshot)
    if isinstance(state.full, Held):
        return curator.variance_reduced_gaussian(
            partial(variance_reduced_gradient, problem, plan.batch, o, *at),
            held=state.full,
            gradient_bound=plan.gradient_bound,
            batch=plan.batch,
            records=plan.records,
            std=plan.std,
            label=f"variance-reduced {of}",
        )
    difference = curator.sampled_gaussian(
        partial(sampled_difference, problem, plan.batch, o, *at),
        sampling="fixed",
        batch=plan.batch,
        records=plan.records,
        sensitivity=plan.sensitivity,
        std=plan.std,
        label=f"difference of the {of}",
    )
    v: Array = difference + state.full
    return v


def variance_reduced_gradient(
    problem: ERMProblem,
    batch: int,
    o: Ops[Array],
    x: Array,
    snapshot: Array,
    records: Records,
    drawn: Indices,
    full: Array,
) -> Array:
    r"""$\frac1b\sum_{i\in B}(\nabla f(x,z_i)-\nabla f(\tilde x,z_i))+\tilde v$, shape (p,).

    Args:
        batch: b, the number of records in a sampled batch.
        x: Inner iterate, shape (p,).
        snapshot: Shape (p,).
        drawn: Indices of the batch, counted from zero, shape (b,).
        full: Full gradient at the snapshot, shape (p,).

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> problem, o, records = examples.huber_problem(), examples.svrg().ops, examples.svrg().records
    >>> variance_reduced_gradient(problem, 1, o, np.ones(1), np.zeros(1), records, np.array([0]), np.array([-0.75]))
    array([0.25])
    """
    value: Array = sampled_difference(problem, batch, o, x, snapshot, records, drawn) + full
    return value


def sampled_difference(
    problem: ERMProblem, batch: int, o: Ops[Array], x: Array, snapshot: Array, records: Records, drawn: Indices
) -> Array:
    r"""$\frac1b\sum_{i\in B}(\nabla f(x,z_i)-\nabla f(\tilde x,z_i))$, shape (p,); the arguments are the same.

    Raises:
        InvalidArgumentError: If the data do not have exactly n records, which is what the batch was drawn from.

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> problem, o, records = examples.huber_problem(), examples.svrg().ops, examples.svrg().records
    >>> sampled_difference(problem, 1, o, np.ones(1), np.zeros(1), records, np.array([0])).tolist()
    [1.0]
    """
    if records.features.shape[0] != problem.n:
        raise InvalidArgumentError("data", records.features.shape, f"must have exactly {problem.n} records")
    rows, part = Records(records.features[drawn], records.labels[drawn]), replace(problem, n=batch)
    return part.mean_gradient(o, x, rows) - part.mean_gradient(o, snapshot, rows)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Run Algorithm 1, or Algorithm 2 with a plan that carries the last iterate over.

    Returns:
        The last epoch's average, shape (p,).

    Two steps without noise, to 0.5 and 0.75, whose average is released:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.svrg().live()
    >>> run(problem, made, curator).tolist()
    [0.625]
    """
    snapshot = last = init(problem, plan, curator.ops)
    for length in plan.lengths:
        state = begin(problem, plan, snapshot, last, curator)
        for _ in range(length):
            state = step(problem, plan, state, curator)
        snapshot, last = state.total / length, state.x
    return snapshot
