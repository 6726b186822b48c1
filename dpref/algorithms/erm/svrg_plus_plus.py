r"""DP-SVRG++: DP-SVRG for objectives that are not strongly convex (Wang, Ye, Xu 2017, Algorithm 2).

The update is that of `dpref.algorithms.erm.svrg`, with $m_s=2^sm$ inner steps in epoch s, and with an inner loop that
goes on from the last iterate, $x_0^{s+1}=x_{m_s}^s$, while the snapshot is the epoch's average.

Privacy: Theorem 4.3 with $\sigma^2$ of Eq. (6); utility: Theorem 4.4.

Source: D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited", 2017.
Adjacency: replace-one in the paper; replace-one or zero-out here.  Cost: $Tn+2(2^{T+1}-2)mb$ gradients.
Obligations: ``dp-erm-revisited/P71`` to ``P73``, ``P76``.

What differs from the print, and why: as for DP-SVRG.  Eq. (6) counts $2^Tm$ of the $(2^{T+1}-2)m$ answers, so that the
proved constant is c = 6160; its logarithm is $\ln\frac2\delta$.  $m=\Theta(L)$ of Theorem 4.4 is a count that is said
to be proportional to a curvature (E18): here m is simply given.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, TypeVar

from dpref.algorithms.choices import check_choices
from dpref.algorithms.erm.hypotheses import Hypothesis, common_hypotheses
from dpref.algorithms.erm.svrg import run
from dpref.algorithms.erm.svrg_plan import (
    Calibrated,
    Params,
    Plan,
    default_step_size,
    effective_regulariser,
    ledger,
    make_plan,
    smoothness,
)
from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.problems.erm import ERMProblem
from dpref.reals import Ops, T, exact
from dpref.units import Adjacency

__all__ = ["PROVED_CONSTANT", "Params", "Plan", "counted_steps", "ledger", "plan", "risk_bound", "run"]

A = TypeVar("A", bound=Adjacency)

PROVED_CONSTANT: Final = Fraction(6160)
_MOST_EPOCHS: Final = 40


def risk_bound(o: Ops[T], gap: T, distance: T, eta: T, L: T, variance: T, dimension: T, inner: T, epochs: int) -> T:
    r"""$\frac{\Delta_0}{2^{T-1}}+\frac{\|\tilde x_0-x_*\|^2}{2^T\cdot4\eta m/3}+\frac{\sigma^2p}{4L}$ (Eq. 57).

    Args:
        gap: $\Delta_0=F^r(\tilde x_0)-F^r(x_*)$.
        distance: $\|\tilde x_0-x_*\|^2$.
        eta: At most $1/(13L)$.
        L: Smoothness of the losses.
        variance: sigma squared.
        dimension: p, the number of parameters.
        inner: m; epoch s has $2^sm$ inner steps.
        epochs: T, the number of epochs.

    >>> from dpref.reals import RATIONAL
    >>> eta, inner = Fraction(1, 13), Fraction(3)
    >>> risk_bound(RATIONAL, Fraction(1), Fraction(4), eta, Fraction(1), Fraction(4), Fraction(1), inner, 2)
    Fraction(19, 4)
    """
    double = o.number(2**epochs)
    return 2 * gap / double + 3 * distance / (double * 4 * eta * inner) + variance * dimension / (4 * L)


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


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        params: The user's choices; ``inner`` is m, so that the first epoch has 2 m steps.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, epsilon is outside the formula's range, or (with
            ``utility``) a hypothesis of Theorem 4.4 fails.

    References:
        Wang, Ye and Xu 2017, Algorithm 2, Eq. (6), Theorems 4.3 and 4.4.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(), Params(Fraction(1), Fraction(1, 10**5), 3, 5, ReplaceOne))
    >>> made.lengths, made.oracle_calls
    ((10, 20, 40), 440)
    """
    check_choices(params)
    epochs, inner = natural("epochs", params.epochs), natural("inner", params.inner)
    if epochs > _MOST_EPOCHS:
        raise InvalidArgumentError("epochs", epochs, f"must be at most {_MOST_EPOCHS}: the steps double with each")
    lengths = tuple(2**s * inner for s in range(1, epochs + 1))
    calibrated = Calibrated("Theorem 4.3", counted_steps(epochs, inner), sum(lengths), 2, PROVED_CONSTANT)
    eta = default_step_size(problem, params, 13)
    hypotheses = (
        *common_hypotheses(problem, "theorem-4.4"),
        Hypothesis("theorem-4.4/step-size", "eta <= 1/(13 L)", exact(eta) * smoothness(problem) <= Fraction(1, 13)),
    )
    regulariser = effective_regulariser(problem, params.regulariser)
    return make_plan(problem, params, calibrated, lengths, eta, regulariser, hypotheses, carry=True)
