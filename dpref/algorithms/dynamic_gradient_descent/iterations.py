r"""How many steps: the iteration counts of "Dynamic Privacy Budget Allocation", printed and repaired.

All arguments are exact: $\kappa$ the condition number, $\alpha>0$ the noise unit of Eq. (4), $\beta$ the momentum
factor and $\gamma$ the contraction of a step, both in (0, 1), $\eta_0>0$ twice the step size times the smoothness.
Kappa and alpha must come from public bounds: a count that is read off the data leaks (T10).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from flint import arb

from dpref.algorithms.dynamic_gradient_descent import formulas as schedules
from dpref.algorithms.forms import Form
from dpref.checks import open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.reals import BALL, FLOAT, RATIONAL, Ops, ball, evaluate, precision, upper

_SEARCH_LIMIT: Final = 10**7


def turning_step(beta: Fraction, gamma: Fraction) -> int:
    r"""$\hat T$: the last t with $\gamma^{t-1}(1-\beta^t)\ge1-\beta$ (Theorem 4.7, Lemma C.8), decided exactly.

    Raises:
        InvalidArgumentError: If an argument is outside its range.

    >>> turning_step(Fraction(1, 2), Fraction(9, 10)), turning_step(Fraction(9, 10), Fraction(99, 100))
    (7, 230)
    """
    open_unit("beta", beta)
    open_unit("gamma", gamma)
    t = 1
    while t < _SEARCH_LIMIT and _turned_not_yet(beta, gamma, t + 1):
        t += 1
    return t


def _turned_not_yet(beta: Fraction, gamma: Fraction, t: int) -> bool:
    # h is unimodal with h(1) = 1 - beta, so the first t with h(t) < 1 - beta ends the search.
    for bits in (128, 512):
        with precision(bits):
            excess = schedules.turning_profile(BALL, ball(beta), ball(gamma), ball(t)) - ball(1 - beta)
            if excess > 0 or excess < 0:
                return bool(excess > 0)
    return schedules.turning_profile(RATIONAL, beta, gamma, Fraction(t)) >= 1 - beta


def uniform_steps(kappa: Fraction, alpha: Fraction, form: Form = Form.REPAIRED) -> int:
    r"""T of the uniform schedule (Theorem 4.3).

    As printed, $\lceil\kappa\ln(1+\frac1{\kappa\alpha})\rceil$; repaired, the minimiser
    of Eq. (9), rounded to the better side (T6).

    Raises:
        InvalidArgumentError: If an argument is outside its range.

    >>> uniform_steps(Fraction(10), Fraction(1, 10**4))
    44
    """
    _condition(kappa, alpha)
    k, a = float(kappa), float(alpha)
    if form is Form.AS_PRINTED:
        return _ceil(schedules.uniform_steps_as_printed, kappa, alpha)
    rate = -FLOAT.log1p(-1 / k)
    w = 1.0
    for _ in range(200):
        w *= (2 - FLOAT.log(w) + rate / (a * k)) / (1 + w)
    real = FLOAT.log(w) / rate
    return _better(lambda t: (1 - 1 / k) ** t + a * k * (1 - (1 - 1 / k) ** t) * t, real)


def dynamic_steps(kappa: Fraction, alpha: Fraction, form: Form = Form.REPAIRED) -> int:
    r"""T of the dynamic schedule (Theorem 4.5).

    As printed, $\lceil2\kappa\ln(1+\frac1{\kappa\alpha})\rceil$; repaired, Eq. (27)
    of its proof, rounded to the better side (T7).

    Raises:
        InvalidArgumentError: If an argument is outside its range.

    >>> dynamic_steps(Fraction(10), Fraction(1, 10**4))
    63
    """
    _condition(kappa, alpha)
    if form is Form.AS_PRINTED:
        return _ceil(schedules.dynamic_steps_as_printed, kappa, alpha)
    k, a = float(kappa), float(alpha)
    root = (1 - 1 / k) ** 0.5
    return _better(
        lambda t: root ** (2 * t) + a * ((1 - root**t) / (1 - root)) ** 2, schedules.dynamic_steps(FLOAT, k, a)
    )


def momentum_rate(eta0: Fraction, kappa: Fraction, beta: Fraction, form: Form = Form.REPAIRED) -> Fraction:
    r"""The contraction $\gamma$ of Theorem 4.6, after checking the theorem's own condition on the step size.

    Printed: $\gamma=1-\eta_0/\kappa$ and $\zeta\ge0$.  Repaired (4.6-C): $\gamma=1-\frac{\eta_0}{2\kappa}$,
    $\zeta_C\ge0$ and $\beta<\gamma$.

    Raises:
        InvalidArgumentError: If the condition fails; the message names the theorem.

    >>> momentum_rate(Fraction(1, 5), Fraction(10), Fraction(1, 2))
    Fraction(99, 100)
    """
    positive_rational("eta0", eta0)
    open_unit("beta", beta)
    if positive_rational("kappa", kappa) < 1:
        raise InvalidArgumentError("kappa", kappa, "must be at least 1")
    printed = form is Form.AS_PRINTED
    gamma = 1 - eta0 / kappa if printed else 1 - eta0 / (2 * kappa)
    slack = schedules.momentum_slack_as_printed if printed else schedules.momentum_slack
    if not 0 < gamma < 1 or gamma == beta or slack(RATIONAL, beta, gamma, eta0) < 0:
        name = "Theorem 4.6 as printed" if printed else "the repaired Theorem 4.6"
        raise InvalidArgumentError(
            "eta0", eta0, f"breaks the step-size condition of {name} at kappa={kappa}, beta={beta}"
        )
    if not printed and beta >= gamma:
        raise InvalidArgumentError("beta", beta, f"must be below gamma = {gamma} (T4b)")
    return gamma


def _condition(kappa: Fraction, alpha: Fraction) -> None:
    if positive_rational("kappa", kappa) <= 1:
        raise InvalidArgumentError("kappa", kappa, "must exceed 1 (at 1 a single step solves the problem)")
    positive_rational("alpha", alpha)


def _ceil(formula: Callable[[Ops[arb], arb, arb], arb], kappa: Fraction, alpha: Fraction) -> int:
    return max(1, math.ceil(upper(evaluate(lambda: formula(BALL, ball(kappa), ball(alpha))))))


def _better(bound: Callable[[int], float], real: float) -> int:
    candidates = {max(1, math.floor(real)), max(1, math.ceil(real))}
    return min(sorted(candidates), key=bound)
