r"""Private stochastic mirror descent with vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithm 1).

From uniform $x^1,y^1$, for $t=1,\dots,T$ with a fresh batch of $B=\lfloor n/T\rfloor$ records:

.. math::
    (\hat x^t,\hat y^t)=\frac1K\sum_{k=1}^K(\hat x^{t,k},\hat y^{t,k}),\quad
    \hat x^{t,k}\sim x^t,\ \hat y^{t,k}\sim y^t;\qquad
    g^t=(\nabla_xF,-\nabla_yF)(\hat x^t,\hat y^t;B^t);\qquad
    x^{t+1}\propto x^te^{-\tau g_x^t},\quad y^{t+1}\propto y^te^{-\tau g_y^t}.

The output is $\frac1T\sum_t(\tilde x^t,\tilde y^t)$ with fresh vertices $\tilde x^t\sim x^t$, $\tilde y^t\sim y^t$.

Source: T. Gonzalez, C. Guzman, C. Paquette, "Mirror descent algorithms with nearly dimension-independent rates for
differentially-private stochastic saddle-point problems", 2024.  Adjacency: replace-one in the paper; replace-one or
zero-out here.  Cost: $TB\le n$ gradients of both players.
Obligations: ``private-saddle-points/P20`` to ``P22``, ``E1``.

What differs from the print, and why:

* Line 6 as printed is $y^{t+1}\propto y^te^{+\tau g_y^t}$ with $g_y=-\nabla_yF$: both players minimise (E1).
  ``Form.AS_PRINTED`` runs that; privacy does not depend on the sign.
* Proposition 3.3 composes pure DP (``calibration="pure"``, the printed form's).  A draw is of bounded range, hence
  $\frac{\Delta^2}2$-zCDP, which allows twice the step: ``"zcdp"``, the repaired form's default.
* B is the integer $\lfloor n/T\rfloor$, also in the step size: with $n/T$ instead, the sensitivity would be too small.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Generic, Literal, TypeVar, get_args

from dpref.algorithms.choices import check_choices
from dpref.algorithms.forms import Form
from dpref.algorithms.saddle.vertex_plan import (
    Plan,
    average,
    check_range,
    differing,
    finish,
    init,
    iterate,
    ledger,
)
from dpref.checks import natural, open_unit, positive_rational
from dpref.curator import Curator, Indices
from dpref.errors import InvalidArgumentError
from dpref.problems.games import Game, GameRecords
from dpref.reals import BALL, Array, Ops, T, ball, evaluate, exact, float_down, lower
from dpref.units import Adjacency, Linf, Sensitivity

__all__ = [
    "Calibration",
    "Params",
    "estimate",
    "ledger",
    "plan",
    "printed_step",
    "run",
    "score_sensitivity",
    "zcdp_step",
]

A = TypeVar("A", bound=Adjacency)
Calibration = Literal["pure", "zcdp"]

# ------------------------------------------------------------------------------------ formulas


def score_sensitivity(o: Ops[T], tau: T, batch: T, L0: T) -> T:
    r"""$\frac{2L_0\tau}B$: how far a score moves when one record is replaced (half of it when one is nulled).

    Proof of Proposition 3.3 (3.7): only the batch that holds the record moves, by at most $2L_0/B$ in every entry.

    Args:
        tau: The step size.
        batch: B, records.
        L0: Bound on every entry of a record's gradient.

    >>> from dpref.reals import RATIONAL
    >>> score_sensitivity(RATIONAL, Fraction(1, 2), Fraction(4), Fraction(1))
    Fraction(1, 4)
    """
    return 2 * L0 * tau / batch


def printed_step(o: Ops[T], batch: T, epsilon: T, L0: T, steps: T, samples: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac{B\varepsilon}{16L_0\sqrt{T(K+1)\ln(1/\delta)}}$ (Proposition 3.3).

    Args:
        batch: B, the integer number of records of an iteration.
        epsilon: Privacy budget.
        L0: Bound on every entry of a record's gradient; half of it if a record is nulled instead of replaced.
        steps: T, the number of steps.
        samples: K, the vertices that one gradient is taken at the average of.
        log_inverse_delta: $\ln(1/\delta)$.

    >>> from dpref.reals import FLOAT
    >>> printed_step(FLOAT, 16.0, 1.0, 1.0, 4.0, 3.0, 1.0)
    0.25
    """
    return batch * epsilon / (16 * L0 * o.sqrt(steps * (samples + 1) * log_inverse_delta))


def zcdp_step(o: Ops[T], batch: T, epsilon: T, L0: T, steps: T, samples: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac{B\varepsilon}{8L_0\sqrt{T(K+1)\ln(1/\delta)}}$, twice the printed step.

    The $2T(K+1)$ draws are then $\frac{\varepsilon^2}{16\ln(1/\delta)}$-zCDP.  The arguments are `printed_step`'s.

    >>> from dpref.reals import FLOAT
    >>> tau = zcdp_step(FLOAT, 16.0, 1.0, 1.0, 4.0, 3.0, 1.0)
    >>> tau, 2 * 4 * (3 + 1) * score_sensitivity(FLOAT, tau, 16.0, 1.0) ** 2 / 2 == 1 / 16
    (0.5, True)
    """
    return batch * epsilon / (8 * L0 * o.sqrt(steps * (samples + 1) * log_inverse_delta))


# ------------------------------------------------------------------------------------ plan


@dataclass(frozen=True)
class Params(Generic[A]):
    """What the user chooses.

    Attributes:
        epsilon: Privacy budget, exact, positive, below 8 ln(1/delta).
        delta: Privacy slack, exact, in (0, 1).
        steps: T, the number of steps.
        samples: K, the vertices that one gradient is taken at the average of.
        adjacency: Replace-one or zero-out, always explicit.
        form: As printed or repaired.
        calibration: How tau is computed; as printed "pure" only.
        step_size: A smaller tau, exact, where the budget allows more than the regret wants; never a larger one.
    """

    epsilon: Fraction
    delta: Fraction
    steps: int
    samples: int
    adjacency: type[A]
    form: Form = Form.REPAIRED
    calibration: Calibration | None = None
    step_size: Fraction | None = None


def plan(problem: Game, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        params: The user's choices: budget, length of the run, options.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule or a hypothesis of Proposition 3.3 fails.

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 1, Proposition 3.3.

    >>> from dpref.units import ReplaceOne
    >>> made = plan(Game(n=1000, rows=4, columns=4), Params(Fraction(1), Fraction(1, 10**5), 100, 2, ReplaceOne))
    >>> made.batches[0], made.draws, made.oracle_calls
    (10, 600, 1000)
    """
    check_choices(params)
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    steps, samples = natural("steps", params.steps), natural("samples", params.samples)
    if steps > problem.n:
        raise InvalidArgumentError("steps", steps, f"must be at most the number of records, {problem.n}")
    batch, times = problem.n // steps, differing(params.adjacency)
    calibration = params.calibration or ("pure" if params.form is Form.AS_PRINTED else "zcdp")
    if calibration not in get_args(Calibration) or (params.form is Form.AS_PRINTED and calibration != "pure"):
        raise InvalidArgumentError("calibration", calibration, "must be pure or zcdp, as printed pure")
    check_range(epsilon, delta, "Proposition 3.3")
    formula = printed_step if calibration == "pure" else zcdp_step
    L0 = problem.lipschitz * times / 2

    def private() -> Fraction:
        found = evaluate(
            lambda: formula(BALL, ball(batch), ball(epsilon), ball(L0), ball(steps), ball(samples), -ball(delta).log())
        )
        return exact(lower(found))

    tau = private()
    if params.step_size is not None:
        tau = min(tau, exact(float_down(positive_rational("step_size", params.step_size))))
    if tau == 0:
        raise InvalidArgumentError("step_size", params.step_size, "must allow a step that is a positive double")
    moved = times * problem.lipschitz * tau / batch
    return Plan(
        adjacency=params.adjacency,
        form=params.form,
        calibration=calibration,
        claimed=(epsilon, delta),
        sensitivity=Sensitivity(moved, Linf, params.adjacency),
        batches=(batch,) * steps,
        vertices=(samples,) * steps,
        step_size=float(tau),
        rows=problem.rows,
        columns=problem.columns,
    )


# ------------------------------------------------------------------------------------ run


def estimate(
    problem: Game, o: Ops[Array], x: Indices, y: Indices, records: GameRecords, batch: range
) -> tuple[Array, Array]:
    """The gradients of both players at the average of the drawn vertices (line 5).

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        x: Drawn vertices of the first player, shape (K,).
        y: Those of the second, shape (K,).
        records: The private records, as arrays of the number system.
        batch: Positions of the records to average over.

    Returns:
        The gradient in x, shape (d_x,), and minus the gradient in y, shape (d_y,).

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> game, o, records = examples.penny_game(), examples.mirror_descent().ops, examples.mirror_descent().records
    >>> estimate(game, o, np.array([0, 0]), np.array([0, 1]), records, range(8))  # averages (1, 0) and (1/2, 1/2)
    (array([0., 0.]), array([-1.,  1.]))
    """
    return problem.operator(o, average(o, x, problem.rows), average(o, y, problem.columns), records, batch)


def run(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> Array:
    """Run Algorithm 1 and return the average of the output vertices.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        plan: What `plan` computed: batches, numbers of vertices, step size, sensitivity.
        curator: The private side; holds the records, the scores and the noise.

    Returns:
        x and then y, each a point of its simplex, shape (d_x + d_y,).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 1.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.mirror_descent().live()
    >>> point = run(problem, made, curator)
    >>> point.shape, point[:2].sum().item(), point[2:].sum().item()
    ((4,), 1.0, 1.0)
    """
    state = init(problem, plan, curator)
    for _ in range(plan.steps):
        state = iterate(problem, plan, partial(estimate, problem), state, curator)
    return finish(problem, plan, state, curator)
