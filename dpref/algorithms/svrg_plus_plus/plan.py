"""The numbers of DP-SVRG++: longer epochs than DP-SVRG's, and Eq. (6)'s count of answers."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpref.algorithms.hypotheses import Hypothesis, common_hypotheses
from dpref.algorithms.svrg.calibration import Calibrated
from dpref.algorithms.svrg.plan import (
    Params,
    Plan,
    default_step_size,
    effective_regulariser,
    examples,
    ledger,
    make_plan,
    smoothness,
)
from dpref.algorithms.svrg_plus_plus.utility import risk_bound
from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT, exact
from dpref.units import A

PROVED_CONSTANT: Final = Fraction(6160)
_MOST_EPOCHS: Final = 40
__all__ = ["examples", "ledger", "plan"]


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, epsilon is outside the formula's range, or (with
            ``utility``) a hypothesis of Theorem 4.4 fails.

    References:
        Wang, Ye and Xu 2017, Algorithm 2, Eq. (6), Theorems 4.3 and 4.4.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(), Params(Fraction(1), Fraction(1, 10**5), 3, 5, ReplaceOne, batch=100))
    >>> made.lengths, made.oracle_calls, made.warning.split(":")[0]
    ((10, 20, 40), 14300, 'n is too small')
    """
    epochs, inner = natural("epochs", params.epochs), natural("inner", params.inner)
    if epochs > _MOST_EPOCHS:
        raise InvalidArgumentError("epochs", epochs, f"must be at most {_MOST_EPOCHS}: the steps double with each")
    lengths = tuple(2**s * inner for s in range(1, epochs + 1))
    calibrated = Calibrated("Theorem 4.3", counted_steps(epochs, inner), sum(lengths), 2, PROVED_CONSTANT)
    eta = default_step_size(problem, params, 13)
    hypotheses: tuple[Hypothesis, ...] = (
        *common_hypotheses(problem, "theorem-4.4"),
        Hypothesis("theorem-4.4/step-size", "eta <= 1/(13 L)", exact(eta) * smoothness(problem) <= Fraction(1, 13)),
    )
    if params.noise == "two-part":
        statement = "every answer has noise of its own: that of an epoch's gradient is in all of its steps (3.6.4)"
        hypotheses = (*hypotheses, Hypothesis("theorem-4.4/noise", statement, holds=False))
    regulariser = effective_regulariser(problem, params.regulariser)

    def floor(std: float) -> float:
        """The noise's part of Eq. (57), which the start's risk does not enter."""
        curvature = float(smoothness(problem))
        return risk_bound(FLOAT, 0.0, 0.0, eta, curvature, std * std, float(problem.dimension), float(inner), epochs)

    return make_plan(problem, params, calibrated, lengths, eta, regulariser, hypotheses, floor, carry=True)


def counted_steps(epochs: int, inner: int) -> int:
    r"""$2^Tm$: how many answers Eq. (6) counts; there are $\sum_{s=1}^T2^sm=(2^{T+1}-2)m$.

    Args:
        epochs: T, the number of epochs.
        inner: m; epoch s has $2^sm$ inner steps.

    >>> counted_steps(3, 5)
    40
    """
    steps: int = 2**epochs * inner
    return steps
