r"""LocalMD: mirror descent in blocks, each around the mean of the one before (Asi, Feldman, Koren, Talwar 2021).

Block $i=1,2,\dots$ has $n_i=\lfloor2^{-i}n\rfloor$ records of its own, $\varepsilon_i=2^{-i}\varepsilon$,
$\eta_i=2^{-4i}\eta$, and with $b_i=\lfloor\max(\sqrt{n_i/\ln d},\sqrt{d/\varepsilon_i})\rfloor$ takes
$T_i=\lfloor n_i^2/b_i^2\rfloor$ steps from $y_0=x_{i-1}$:

.. math::
    y_j=\arg\min_{x\in X_i}\langle g_j,x\rangle+\tfrac1{\eta_i}D_{h_i}(x,y_{j-1}),\qquad
    h_i(x)=\frac{\|x-x_{i-1}\|_p^2}{2(p-1)},\qquad X_i=\{\|x-x_{i-1}\|_p\le2L\eta_in_i(p-1)\},

with $g_j$ the mean gradient of a fresh secret batch plus $N(0,\sigma_i^2I)$; $x_i$ is the mean of the $y_j$.  A block
of fewer than two steps ends the run.  It is the baseline of Section 5.3 that "does not converge".

Source: H. Asi, V. Feldman, T. Koren, K. Talwar, "Private stochastic convex optimization: optimal rates in l_1
geometry", ICML 2021, Algorithms 5 and 6, reconstructed: Han et al. run it without printing it.  Adjacency: replace-one
or zero-out.  Cost: $\sum_ib_iT_i$ gradients.
Obligations: ``sensitivity/replace-one``, ``sensitivity/zero-out``, ``private-online-frank-wolfe/A-7``.

What differs from the print, and why:

* what it promises: printed $(\varepsilon,\delta)$ by the constant 100; repaired what an accountant certifies
  (``certify``) for any ``noise_constant``.  The ledger composes the blocks one after another, though they share no
  record: as the budgets halve that costs less than a factor of two;
* $X_i\cap C$ has no closed form: a point outside C is brought back along its ray, which changes no answer's privacy;
* for $p=1$ and $p=\infty$ the map of `dpref.geometry.mirror` stands in, with its modulus for $p-1$.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from dpref.algorithms.local_mirror_descent.plan import Block, Plan
from dpref.curator import Curator, Indices
from dpref.geometry.mirror import retract
from dpref.problems.erm import Records
from dpref.problems.stream import StreamProblem
from dpref.reals import Array, Ops
from dpref.units import A


class State(NamedTuple):
    """Where a block stands."""

    y: Array  # (d,) y_j
    total: Array  # (d,) y_1 + ... + y_j
    j: int  # steps taken


def init(center: Array) -> State:
    """A block before its first step.

    Args:
        center: $x_{i-1}$, shape (d,).

    >>> import numpy as np
    >>> init(np.ones(1)).total.tolist()
    [0.0]
    """
    return State(center, center - center, 0)


def step(
    problem: StreamProblem, plan: Plan[A], at: tuple[Block, float, Array], state: State, curator: Curator[Any, A]
) -> State:
    r"""One noisy mean gradient of a batch, and one mirror step.

    Args:
        at: The block, the noise of its answers, and $x_{i-1}$, shape (d,).

    Raises:
        InvalidArgumentError: If a gradient is not finite.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.local_mirror_descent().live()
    >>> start = curator.ops.lift(made.start)
    >>> step(problem, made, (made.blocks[0], 0.0, start), init(start), curator).y.round(4).tolist()
    [0.0312, 0.0]
    """
    o, (block, std, center) = curator.ops, at
    g = curator.sampled_gaussian(
        partial(batch_gradient, problem, o, block.first, state.y),
        sampling="fixed",
        batch=block.batch,
        records=block.records,
        sensitivity=plan.moved(block),
        std=std,
        label=f"step {state.j + 1} of the block from record {block.first + 1}",
    )
    reach = o.lift(block.radius)
    moved = plan.mirror.step(o, (state.y - center) / reach, g, o.lift(block.alpha) * reach)
    y = retract(plan.body, o, center + reach * moved)
    return State(y, state.total + y, state.j + 1)


def batch_gradient(
    problem: StreamProblem, o: Ops[Array], first: int, y: Array, records: Records, drawn: Indices
) -> Array:
    r"""The mean gradient of a batch of a block, shape (d,).

    Args:
        first: The block's first record, counted from zero.
        y: Shape (d,).
        records: The private data.
        drawn: The batch's indices within the block, counted from zero.

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> example = examples.local_mirror_descent()
    >>> (0.0 + batch_gradient(example.problem, example.ops, 0, np.zeros(2), example.records, np.array([1]))).tolist()
    [-0.5, 0.0]
    """
    rows = first + drawn
    return problem.mean_gradient(o, y, Records(records.features[rows], records.labels[rows]))


def run(problem: StreamProblem, plan: Plan[A], curator: Curator[Any, A]) -> Array:
    """Run every block and return the mean of the last one.

    Returns:
        Shape (d,).

    Raises:
        InvalidArgumentError: As for `step`.

    >>> from dpref.algorithms.local_mirror_descent.plan import ledger
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.local_mirror_descent().live()
    >>> run(problem, made, curator).shape, curator.ledger == ledger(made)
    ((2,), True)
    """
    center = curator.ops.lift(plan.start)
    for block, std in zip(plan.blocks, plan.scheduled_stds, strict=True):
        state = init(center)
        for _ in range(block.steps):
            state = step(problem, plan, (block, std, center), state, curator)
        center = state.total / block.steps
    return center
