"""How the noise of DP-SVRG and DP-SVRG++ is computed: certified by an accountant, or by Eqs. (3) and (6) as printed."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, NamedTuple

from flint import arb

from dpref.algorithms.forms import Form
from dpref.algorithms.svrg.formulas import largest_epsilon, logarithmic_range, printed_variance
from dpref.checks import finite, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.variance_reduced import variance_reduced_sensitivity
from dpref.privacy.calibration import gaussian_noise_multiplier
from dpref.privacy.fast.variance_reduction import noise_multiplier
from dpref.privacy.interval import sign
from dpref.privacy.renyi import variance_reduction as renyi
from dpref.reals import BALL, RATIONAL, ball, evaluate, exact, float_up, upper
from dpref.units import Adjacency

Calibration = Literal["accountant", "renyi", "formula", "remark-4.1"]

PROVED_CONSTANT: Final = Fraction(3080)
PROVED_RANGE: Final = Fraction(7)


class Calibrated(NamedTuple):
    """What Theorem 4.1 or 4.3 says, as one printed formula.

    Attributes:
        theorem: Its name.
        steps: What the formula and its range call the number of steps (Tm or 2^T m).
        answers: K, how many answers there are.
        log_ratio: The formula's logarithm is ln(log_ratio / delta).
        constant: The proved c.
    """

    theorem: str
    steps: int
    answers: int
    log_ratio: int
    constant: Fraction


class Setting(NamedTuple):
    """What an answer's noise depends on, exact and checked.

    Attributes:
        gradient_bound: G.
        records: n.
        batch: b.
        adjacency: The neighbouring relation.
        epsilon: Privacy budget.
        delta: Privacy slack.
    """

    gradient_bound: Fraction
    records: int
    batch: int
    adjacency: type[Adjacency]
    epsilon: Fraction
    delta: Fraction


def noise_std(
    setting: Setting,
    calibrated: Calibrated,
    form: Form,
    calibration: Calibration,
    constant: Fraction | None = None,
    range_constant: Fraction | None = None,
) -> float:
    """The standard deviation that the calibration asks for, rounded up to a double.

    Args:
        setting: What the noise depends on.
        calibrated: The privacy theorem's formula.
        form: As printed or repaired.
        calibration: How sigma is computed.
        constant: c of the formula, or None for the proved one.
        range_constant: c_1 of its range, or None for the proved one; as printed, unchecked if None.

    Raises:
        InvalidArgumentError: If form, calibration and constants do not fit together, epsilon is out of range, or the
            noise exceeds every double.

    >>> from dpref.units import ReplaceOne
    >>> setting = Setting(Fraction(1), 2, 1, ReplaceOne, Fraction(1), Fraction(1, 100))
    >>> theorem = Calibrated("Theorem 4.1", 25, 25, 1, PROVED_CONSTANT)
    >>> round(noise_std(setting, theorem, Form.AS_PRINTED, "formula", Fraction(4)), 4)
    10.7298
    """
    allowed = ("formula", "remark-4.1") if form is Form.AS_PRINTED else ("accountant", "renyi", "formula")
    if calibration not in allowed:
        raise InvalidArgumentError("calibration", calibration, f"must be one of {', '.join(allowed)} ({form.value})")
    if calibration in {"accountant", "renyi"}:
        if constant is not None or range_constant is not None:
            raise InvalidArgumentError("constant", constant, "belongs to the formula, not to the accountant")
        return _certified_std(setting, calibrated.answers, calibration)
    if form is Form.AS_PRINTED:
        c = _printed_constant(setting, calibrated, constant, range_constant)
    else:
        c = _proved_constant(setting, calibrated, constant, range_constant)

    def std() -> arb:
        L = (ball(calibrated.log_ratio) / ball(setting.delta)).log()
        common = (ball(setting.gradient_bound), ball(calibrated.steps), L, ball(setting.records), ball(setting.epsilon))
        sigma = BALL.sqrt(printed_variance(BALL, ball(c), *common))
        if calibration == "remark-4.1":
            return sigma * (ball(calibrated.answers) / ball(setting.delta)).log()
        return sigma

    return finite("noise", upper(evaluate(std)))


def _certified_std(setting: Setting, answers: int, calibration: Calibration) -> float:
    bound, n, batch, adjacency, epsilon, delta = setting
    if batch == n:
        multiplier = gaussian_noise_multiplier(epsilon, delta, steps=answers)
        return float_up(exact(multiplier) * variance_reduced_sensitivity(bound, batch, n, adjacency).value)
    certified = noise_multiplier if calibration == "accountant" else renyi.noise_multiplier
    multiplier = certified(epsilon, delta, steps=answers, batch=batch, records=n, adjacency=adjacency)
    return float_up(exact(multiplier) * bound)


def _printed_constant(
    setting: Setting, calibrated: Calibrated, constant: Fraction | None, range_constant: Fraction | None
) -> Fraction:
    """The c that is given, after the range has been checked, if one is."""
    if setting.batch != 1:
        raise InvalidArgumentError("batch", setting.batch, "must be 1: the printed algorithm samples one index")
    if range_constant is not None:
        _check_range(setting, calibrated, positive_rational("range_constant", range_constant))
    if constant is None:
        raise InvalidArgumentError("constant", None, f"is needed: {calibrated.theorem} does not say what it is")
    return positive_rational("constant", constant)


def _proved_constant(
    setting: Setting, calibrated: Calibrated, constant: Fraction | None, range_constant: Fraction | None
) -> Fraction:
    """c, after both conditions of its range have been checked."""
    name = calibrated.theorem
    c = calibrated.constant if constant is None else positive_rational("constant", constant)
    c1 = PROVED_RANGE if range_constant is None else positive_rational("range_constant", range_constant)
    if c < calibrated.constant or c1 > PROVED_RANGE:
        rule = f"{name} is proved for c >= {calibrated.constant} and c_1 <= {PROVED_RANGE}; form as-printed takes any"
        raise InvalidArgumentError("constant", (c, c1), rule)
    _check_range(setting, calibrated, c1)
    if sign(lambda: logarithmic_range(BALL, -ball(setting.delta).log()) - ball(setting.epsilon), limit=1024) <= 0:
        raise InvalidArgumentError("epsilon", setting.epsilon, f"{name} needs epsilon <= 2 ln(1/delta) (E9)")
    return c


def _check_range(setting: Setting, calibrated: Calibrated, c1: Fraction) -> None:
    n, b = Fraction(setting.records), Fraction(setting.batch)
    most = largest_epsilon(RATIONAL, c1, b, n, Fraction(calibrated.steps))
    if setting.epsilon > most:
        rule = f"{calibrated.theorem} needs epsilon <= c_1 (b/n)^2 {calibrated.steps} = {float(most):.6g} (E2)"
        raise InvalidArgumentError("epsilon", setting.epsilon, rule)
