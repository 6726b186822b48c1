"""The numbers of bias-reduced mirror descent: what is chosen, the levels that are used, the plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, Final, Generic, Literal, get_args

from dpref.algorithms.bias_reduced_mirror_descent.formulas import gradient_range, stopping_step
from dpref.algorithms.choices import Choices
from dpref.algorithms.forms import Form
from dpref.algorithms.mirror_descent.plan import Plan, capped, check_range, differing, ledger
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.truncated_geometric import normaliser
from dpref.problems.games import Game
from dpref.reals import BALL, RATIONAL, ball, evaluate, exact, lower
from dpref.units import A, Adjacency, ApproximateDP, Linf, PrivacyLoss, Sensitivity

Calibration = Literal["printed", "zcdp", "pure"]
__all__ = ["Params", "Plan", "examples", "ledger", "plan"]
_MOST_LEVEL: Final = 64  # a batch is twice as large with each level


@dataclass(frozen=True)
class Params(Choices, Generic[A]):
    """The budget, the levels that were drawn, and when they end.

    Attributes:
        epsilon: Privacy budget, exact, positive, below 8 ln(1/delta).
        delta: Privacy slack, exact, in (0, 1).
        stopping: U of the stopping rule, at least 2^M.
        truncation: M, at least 1.
        alpha: The batch parameter, exact, positive.
        levels: N of each iteration, drawn without the data
            (`dpref.mechanisms.truncated_geometric.draw_levels`); those that the stopping rule leaves over are ignored.
        adjacency: Replace-one or zero-out, always explicit.
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
    calibration: Calibration | None = None
    step_size: Fraction | None = None


def plan(problem: Game, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

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
    tau = capped(exact(lower(step)), params.step_size)
    return Plan(
        form=params.form,
        calibration=calibration,
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
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


def examples(problem: Game, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.game_examples import bias_reduced_mirror_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    4
    """
    levels = (0, 2, 0, 1, 0, 0, 3, 0) * 8
    base = Params(Fraction(1), Fraction(1, 10**6), Fraction(64), 3, Fraction(2), levels, adjacency)
    # On n records every choice of levels fits a stopping sum of n / 2.
    short = replace(base, stopping=Fraction(problem.n, 2), truncation=1, levels=(0, 1) * problem.n)
    high = replace(base, stopping=Fraction(problem.n, 2), truncation=2, levels=(2, 0, 1, 0) * problem.n)
    return (
        *([base] if problem.n >= 2 * base.stopping else []),
        replace(short, calibration="zcdp"),
        replace(short, calibration="printed"),
        replace(high, calibration="pure"),
        replace(high, form=Form.AS_PRINTED),
    )
