r"""Mirror descent with bias-reduced vertex sampling (Gonzalez, Guzman, Paquette 2024, Algorithms 2 and 3).

Algorithm 2 at a level N draws $2^{N+1}$ vertices of each player, averages all of them, $\bar x_+$, and the first half,
$\bar x_-$, and returns, with $\Phi=(\nabla_xF,-\nabla_yF)$ on a batch,

.. math:: g=C_M2^N\big(\Phi(\bar x_+,\bar y_+)-\Phi(\bar x_-,\bar y_-)\big)+\Phi(\hat x^1,\hat y^1).

For $P(N=k)=2^{-k}/C_M$ its mean is that of $\Phi$ at an average of $2^{M+1}$ vertices.  Algorithm 3 iterates
$x\propto xe^{-\tau g_x}$, $y\propto ye^{-\tau g_y}$ on batches of $\max(1,\lceil2^N/\alpha\rceil)$ records while
$\sum2^{N_i}\le U-2^M$, and returns the average of one fresh vertex an iteration.

Source and adjacency: see `dpref.algorithms.saddle.mirror_descent`.  Cost: at most three gradients a record.
Obligations: ``private-saddle-points/P33`` to ``P39``, ``P64``, ``E3``.

What differs from the print, and why:

* The score's sensitivity is $(4C_M+1)\tau\alpha L_0<9\tau\alpha L_0$, twice the printed $4.5\tau\alpha L_0$, and
  attained (E3).  Proposition 3.17 survives, because a draw is $\frac{\Delta^2}2$-zCDP and zCDP adds up adaptively; with
  pure DP alone the step would have to be halved (``calibration="pure"``).  ``"printed"`` is Proposition 3.17's step,
  ``"zcdp"``, the repaired form's default, replaces its 9 by $4C_M+1$.
* $C_M=2-2^{-M}$; the print asserts $C_M\le1$ (E2).  Batches are rounded up (E19).
* The sign of the y-step (E1), and the output, which as printed also averages the iterate after the last step (E4).
* The levels are drawn before the run, without the data, and are public: they belong to the plan.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Final, Generic, Literal, TypeVar, get_args

from dpref.algorithms.choices import check_choices
from dpref.algorithms.forms import Form
from dpref.algorithms.saddle.vertex_plan import Plan, average, check_range, differing, finish, init, iterate, ledger
from dpref.checks import natural, open_unit, positive_rational
from dpref.curator import Curator, Indices
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.problems.games import Game, GameRecords
from dpref.reals import BALL, RATIONAL, Array, Ops, T, ball, evaluate, exact, float_down, lower
from dpref.units import Adjacency, Linf, Sensitivity

__all__ = [
    "Calibration",
    "Params",
    "estimate",
    "gradient_range",
    "ledger",
    "level_range",
    "lowest_level_range",
    "plan",
    "run",
    "stopping_step",
    "used_levels",
]

A = TypeVar("A", bound=Adjacency)
Calibration = Literal["printed", "zcdp", "pure"]

_MOST_LEVEL: Final = 64  # a batch is twice as large with each level

# ------------------------------------------------------------------------------------ formulas


def gradient_range(o: Ops[T], C: T) -> T:
    r"""$4C_M+1$: how far an estimate on one batch moves, in units of $\alpha L_0$, at the worst level, N = 1.

    Twice the sum of the coefficients' sizes, over the batch's $2^N/\alpha$ records (E3; 4.5 in Proof 3.18).

    Args:
        C: $C_M$.

    >>> gradient_range(RATIONAL, normaliser(RATIONAL, 10))
    Fraction(2303, 256)
    """
    return 4 * C + 1


def level_range(o: Ops[T], C: T, power: T) -> T:
    r"""$4C_M+2\cdot2^{-N}$ for $N\ge1$, as a function of $2^N$: twice the coefficients $2C_M2^N+1$, over $2^N$.

    How far an estimate of that level moves, in units of $\alpha L_0$ (E3).

    Args:
        C: $C_M$.
        power: $2^N$, at least 2.

    >>> level_range(RATIONAL, normaliser(RATIONAL, 1), Fraction(2)), gradient_range(RATIONAL, normaliser(RATIONAL, 1))
    (Fraction(7, 1), Fraction(7, 1))
    """
    return 4 * C + 2 / power


def lowest_level_range(o: Ops[T], C: T) -> T:
    r"""$4C_M-2$ at N = 0, where the half average is the first vertex: coefficients $C_M$ and $1-C_M$ (E3).

    Args:
        C: $C_M$, at least 1.

    >>> lowest_level_range(RATIONAL, normaliser(RATIONAL, 1))
    Fraction(4, 1)
    """
    return 4 * C - 2


def stopping_step(o: Ops[T], width: T, epsilon: T, alpha: T, L0: T, U: T, log_inverse_delta: T) -> T:
    r"""$\tau=\frac\varepsilon{w\,\alpha L_0\sqrt{48U\ln(1/\delta)}}$.

    This is $U=\frac{\varepsilon^2}{48\ln(1/\delta)(w\tau\alpha L_0)^2}$ (Proposition 3.17 with w = 9).

    Args:
        width: w.
        epsilon: Privacy budget.
        alpha: The batch parameter.
        L0: Bound on every entry of a record's gradient; half of it if a record is nulled instead of replaced.
        U: Budget of the stopping rule.
        log_inverse_delta: $\ln(1/\delta)$.

    >>> from dpref.reals import FLOAT
    >>> stopping_step(FLOAT, 8.0, 3.0, 0.5, 1.0, 3.0, 1.0)
    0.0625
    """
    return epsilon / (width * alpha * L0 * o.sqrt(48 * U * log_inverse_delta))


# ------------------------------------------------------------------------------------ plan


@dataclass(frozen=True)
class Params(Generic[A]):
    """What the user chooses.

    Attributes:
        epsilon: Privacy budget, exact, positive, below 8 ln(1/delta).
        delta: Privacy slack, exact, in (0, 1).
        stopping: U of the stopping rule, at least 2^M.
        truncation: M, at least 1.
        alpha: The batch parameter, exact, positive.
        levels: N of each iteration, drawn without the data
            (`dpref.mechanisms.truncated_geometric.draw_levels`); those that the stopping rule leaves over are ignored.
        adjacency: Replace-one or zero-out, always explicit.
        form: As printed or repaired.
        calibration: How tau is computed; as printed "printed" only.
        step_size: A smaller tau, exact; never a larger one.
    """

    epsilon: Fraction
    delta: Fraction
    stopping: Fraction
    truncation: int
    alpha: Fraction
    levels: tuple[int, ...]
    adjacency: type[A]
    form: Form = Form.REPAIRED
    calibration: Calibration | None = None
    step_size: Fraction | None = None


def used_levels(levels: Sequence[int], stopping: Fraction, truncation: int) -> tuple[int, ...]:
    r"""The levels up to and with the first at which $\sum2^{N_i}>U-2^M$.

    Args:
        levels: N of each iteration, in the order in which they were drawn.
        stopping: U of the stopping rule.
        truncation: M, the highest level.

    Raises:
        InvalidArgumentError: If a level lies outside 0, ..., M, or there are too few.

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 3, line 2.

    >>> used_levels((0, 1, 0, 0, 0, 0), Fraction(6), 1)
    (0, 1, 0, 0)
    """
    for level in levels:
        if natural("levels", level, least=0) > truncation:
            raise InvalidArgumentError("levels", level, f"must be at most M = {truncation}")
    for count, total in enumerate(accumulate(2**level for level in levels), start=1):
        if total > stopping - 2**truncation:
            return tuple(levels[:count])
    raise InvalidArgumentError("levels", len(levels), f"are too few for the stopping sum {stopping}")


def plan(problem: Game, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        params: The user's choices: budget, length of the run, options.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, a hypothesis of Proposition 3.17 fails, or the batches
            need more records than there are (never if U is at most n/2 and n alpha/2).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 3, Proposition 3.17.

    >>> from dpref.units import ReplaceOne
    >>> params = Params(Fraction(1), Fraction(1, 10**5), Fraction(6), 1, Fraction(1), (0, 1, 0, 0), ReplaceOne)
    >>> made = plan(Game(n=8, rows=2, columns=2), params)
    >>> made.batches, made.oracle_calls, made.draws
    ((1, 2, 1, 1), 12, 28)
    """
    check_choices(params)
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    M, U = natural("truncation", params.truncation, most=_MOST_LEVEL), positive_rational("stopping", params.stopping)
    alpha, times = positive_rational("alpha", params.alpha), differing(params.adjacency)
    if 2**M > U:
        raise InvalidArgumentError("stopping", U, f"must be at least 2^M = {2**M}, or nothing is run")
    printed = params.form is Form.AS_PRINTED
    calibration = params.calibration or ("printed" if printed else "zcdp")
    if calibration not in get_args(Calibration) or (printed and calibration != "printed"):
        raise InvalidArgumentError("calibration", calibration, "must be printed, zcdp or pure; as printed the first")
    check_range(epsilon, delta, "Proposition 3.17")
    levels = used_levels(params.levels, U, M)
    batches = tuple(max(1, math.ceil(2**level / alpha)) for level in levels)
    if sum(batches) > problem.n:
        raise InvalidArgumentError(
            "stopping", U, f"needs {sum(batches)} of {problem.n} records (U <= n min(1, alpha)/2)"
        )
    moves = gradient_range(RATIONAL, normaliser(RATIONAL, M))
    width = {"printed": Fraction(9), "zcdp": moves, "pure": 2 * moves}[calibration]
    L0 = problem.lipschitz * times / 2
    step = evaluate(
        lambda: stopping_step(BALL, ball(width), ball(epsilon), ball(alpha), ball(L0), ball(U), -ball(delta).log())
    )
    tau = exact(lower(step))
    if params.step_size is not None:
        tau = min(tau, exact(float_down(positive_rational("step_size", params.step_size))))
    if tau == 0:
        raise InvalidArgumentError("step_size", params.step_size, "must allow a step that is a positive double")
    return Plan(
        adjacency=params.adjacency,
        form=params.form,
        calibration=calibration,
        claimed=(epsilon, delta),
        sensitivity=Sensitivity(moves * tau * alpha * L0, Linf, params.adjacency),
        batches=batches,
        vertices=tuple(2 ** (level + 1) for level in levels),
        step_size=float(tau),
        rows=problem.rows,
        columns=problem.columns,
        levels=levels,
        truncation=M,
        spare_output=printed,
    )


# ------------------------------------------------------------------------------------ run


def estimate(
    problem: Game, truncation: int, o: Ops[Array], x: Indices, y: Indices, records: GameRecords, batch: range
) -> tuple[Array, Array]:
    """The bias-reduced gradients of both players (Algorithm 2); at N = 0 the half average is the first vertex.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        truncation: M, the highest level.
        x: Drawn vertices of the first player, shape (2^(N+1),).
        y: Those of the second, shape (2^(N+1),).
        records: The private records, as arrays of the number system.
        batch: Positions of the records to average over.

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 2.

    >>> import numpy as np
    >>> from dpref.algorithms import examples
    >>> game, o, records = examples.penny_game(), examples.mirror_descent().ops, examples.mirror_descent().records
    >>> estimate(game, 1, o, np.array([0, 1]), np.array([1, 0]), records, range(8))  # N = 0
    (array([ 0.5, -0.5]), array([ 0.5, -0.5]))
    """
    half = x.size // 2

    def at(first: int) -> tuple[Array, Array]:
        points = average(o, x[:first], problem.rows), average(o, y[:first], problem.columns)
        return problem.operator(o, *points, records, batch)

    whole, one = at(x.size), at(1)
    part = one if half == 1 else at(half)
    coefficient = normaliser(o, truncation) * half
    return coefficient * (whole[0] - part[0]) + one[0], coefficient * (whole[1] - part[1]) + one[1]


def run(problem: Game, plan: Plan[A], curator: Curator[GameRecords, A]) -> Array:
    """Run Algorithm 3 and return the average of the output vertices.

    Args:
        problem: The public game: number of records, choices of each player, bound on the payoffs.
        plan: What `plan` computed: batches, numbers of vertices, step size, sensitivity.
        curator: The private side; holds the records, the scores and the noise.

    Returns:
        x and then y, each a point of its simplex, shape (d_x + d_y,).

    References:
        Gonzalez, Guzman and Paquette 2024, Algorithm 3.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.bias_reduced_mirror_descent().live()
    >>> point = run(problem, made, curator)
    >>> point.shape, point[:2].sum().item(), point[2:].sum().item()
    ((4,), 1.0, 1.0)
    """
    state = init(problem, plan, curator)
    for _ in range(plan.steps):
        state = iterate(problem, plan, partial(estimate, problem, plan.truncation), state, curator)
    return finish(problem, plan, state, curator)
