r"""Noisy stochastic gradient descent with a dynamic privacy budget (Hong, Wang, Zhou 2022, Section 4.3).

.. math::
    g_t = \frac1n\sum_{i\in B_t}\nabla f(\theta_t;x_i) + s\,\sigma_t\nu_t,\quad \nu_t \sim N(0, I_D), \qquad
    \theta_{t+1} = \Pi_C\Big(\theta_t - \eta\,\frac{v_{t+1}}{1-\beta^t}\Big)

with a fresh secret batch $B_t$ of n of the N records, and $v_{t+1}=\beta v_t+(1-\beta)g_t$ as in
`dpref.algorithms.dynamic_gradient_descent`, whose schedules share out $R'=R/p^2$, $p=n/N$.

Source: J. Hong, Z. Wang, J. Zhou, "Dynamic privacy budget allocation improves data efficiency of differentially
private gradient descent", FAccT 2022, Theorems 4.9 and 4.10.  Claim: a step costs $cp^2/\sigma_t^2$ of the budget, the
schedule takes c = 1, and so R is what all steps cost.
Adjacency: the paper's definition reads replace-one, its sensitivity is the one of zero-out; replace-one or zero-out
here.  Cost: n gradients a step.
Obligations: ``dynamic-privacy-budget/T18``, ``sampled-steps``, ``batch-budget``, ``batch-variance``, ``T20``.

``Form.AS_PRINTED`` against the default ``Form.REPAIRED``:

* what it claims: printed R/2-zCDP by amplification, which no sampled Gaussian answer has (T18); repaired an
  $(\varepsilon,\delta)$ that an accountant certifies for the sampler that is run, and nothing in zCDP;
* the batch: printed "random subsampling", said to be with replacement; here n without replacement, or a Poisson batch,
  the two that have a proved accountant;
* noise scale s and budget test: as in `dpref.algorithms.dynamic_gradient_descent` (T1, T2), over n as the proofs have
  it (Algorithm 1 prints N, T3).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from dpref.algorithms.dynamic_gradient_descent.algorithm import State, init, update
from dpref.algorithms.dynamic_gradient_descent.plan import admits
from dpref.algorithms.dynamic_sgd.plan import Plan
from dpref.curator import Curator, Indices
from dpref.errors import InvalidArgumentError
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import Array, Ops
from dpref.units import A


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State | None:
    """One private step on a fresh batch and the update of the parameter, or None if the budget ends the run.

    Args:
        state: The iterate and the counters after the steps so far.

    A step without noise, from 0 against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_sgd().live()
    >>> step(problem, made, init(problem, made, curator.ops), curator).theta
    array([0.5])
    """
    if not admits(plan.form, plan.requests[state.t - 1], state.residual):
        return None
    g = curator.sampled_gaussian(
        partial(batch_gradient, problem, plan.batch, curator.ops, state.theta),
        sampling=plan.sampling,
        batch=plan.batch,
        records=plan.records,
        sensitivity=plan.sensitivity,
        std=plan.scheduled_stds[state.t - 1],
        label=f"batch gradient at theta_{state.t}",
    )
    return update(problem, plan, state, g, curator.ops)


def batch_gradient(
    problem: ERMProblem, batch: int, o: Ops[Array], theta: Array, records: Records, drawn: Indices
) -> Array:
    r"""$\frac1n\sum_{i\in B}\nabla f(\theta;x_i)$, shape (D,), clipped where the problem clips; n is public.

    Args:
        batch: n, the divisor.
        theta: The iterate, shape (D,).
        records: The private data.
        drawn: Indices of the batch, counted from zero.

    Raises:
        InvalidArgumentError: If the data do not have exactly N records, which is what the batch was drawn from.

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> problem, o, records = examples.huber_problem(), examples.dynamic_sgd().ops, examples.dynamic_sgd().records
    >>> batch_gradient(problem, 2, o, np.zeros(1), records, np.array([1]))
    array([-0.5])
    """
    if records.features.shape[0] != problem.n:
        raise InvalidArgumentError("data", records.features.shape, f"must have exactly {problem.n} records")
    if drawn.size == 0:  # as a Poisson batch may be
        return theta - theta
    rows = Records(records.features[drawn], records.labels[drawn])
    return replace(problem, n=batch).mean_gradient(o, theta, rows)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Take every step that the budget admits, and return the last parameter.

    Returns:
        The last iterate, shape (D,).

    Two steps without noise, against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.dynamic_sgd().live()
    >>> run(problem, made, curator).tolist()
    [0.75]
    """
    state = init(problem, plan, curator.ops)
    for _ in range(plan.steps):
        following = step(problem, plan, state, curator)
        if following is None:
            break
        state = following
    return state.theta
