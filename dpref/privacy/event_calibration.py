r"""Calibration through any accountant: the least noise, the most steps or the largest sampling rate within a budget.

The search is in floats and promises nothing.  What is returned is decided twice by certified intervals: at the value,
the upper end of epsilon is within the budget; one unit of the last printed place beyond, the lower end exceeds it.
Neither certificate needs to know that the loss is monotone.  How many places can be printed is therefore a question of
how narrow the intervals are; ledgers of Gaussians are decided in balls of growing precision, to as many as are wanted.
An interval that does not decide is narrowed; a value that stays undecided is passed over, and counted in the answer.
Where no lower end is known that could exceed a budget, the value still meets it, and the answer says that nothing
beyond is decided.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, final

from dpref.checks import half_open_unit, natural, positive_double
from dpref.errors import BudgetError, InvalidArgumentError, OutOfTimeError, PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import BEST, certify, quick_accountant
from dpref.privacy.closed_forms.divergences import gaussian_delta
from dpref.privacy.closed_forms.gaussian import gdp
from dpref.privacy.decimal_places import last_place, unit_of
from dpref.privacy.events.expression import MOST_ANSWERS, Template
from dpref.privacy.events.ledger import Event, Gaussian, Ledger
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval, sign
from dpref.privacy.narrowing import FINER, narrowing
from dpref.privacy.pld.single_answer import is_single
from dpref.privacy.searches import crossing, gallop
from dpref.privacy.time_limit import checkpoint, time_limit
from dpref.reals import BALL, Exact, ball, float_down, float_up
from dpref.units import Adjacency

# Whether a larger value spends more (1) or less (-1), and the largest value that makes sense.
DIRECTIONS: Final[Mapping[str, tuple[int, Fraction | None]]] = MappingProxyType(
    dict.fromkeys(("noise_multiplier", "scale", "sigma"), (-1, None))
    | dict.fromkeys(("epsilon", "rho", "mean"), (1, None))
    | dict.fromkeys(("count", "steps"), (1, Fraction(MOST_ANSWERS)))
    | {"rate": (1, Fraction(1))}
)

MOST_DIGITS: Final = 60
DEFAULT_DIGITS: Final = 6
_LEAST, _MOST = 1e-12, 1e15
_WIDEN: Final = 8.0  # far outside, where hardly a record is ever sampled, both ways to epsilon are slow
_NARROWINGS: Final = 3  # of an interval that does not decide, where no number of digits was asked for
_log: Final = logging.getLogger(__name__)
_MOST_UNDECIDED: Final = 4  # values between the two certificates; with more a digit less says as much
_FINEST: Final = 1e-15
_TELLS: Final = 1e-8  # of a point value, that it may be off at most where it tells how narrow an interval must be


@final
@dataclass(frozen=True)
class Calibration:
    """A parameter that provably meets a budget, beside one that provably does not.

    Attributes:
        parameter: Its name.
        value: Exact; meets the budget.
        beyond: One unit of the last place further; does not.  None if no larger value is allowed (a rate of one).
            Where values between are undecided or the answer is wide it lies farther away; where the answer is wide or
            not decided it may be unknown: None.
        unit: The unit of the last place.
        digits: How many significant digits the value has.
        spent: Epsilon at the value: its upper end is within the budget.
        overspent: Epsilon beyond: its lower end exceeds the budget.
        undecided: How many values, each a unit apart, lie between both: their intervals hold the budget, however
            narrow they were made.
        wide: Whether a limit of time stopped the search: the value meets the budget, but a better one may too.
        decided: False where every value beyond may meet the budget as well, for all that is known.
    """

    parameter: str
    value: Fraction
    beyond: Fraction | None
    unit: Fraction
    digits: int
    spent: Interval
    overspent: Interval | None
    undecided: int = 0
    wide: bool = False
    decided: bool = True

    def decimal(self, x: Fraction) -> str:
        """A multiple of the unit with the places that the unit has."""
        places = max(0, -math.floor(math.log10(self.unit) + 0.5))
        scaled = x * 10**places
        if scaled.denominator != 1:
            raise InvalidArgumentError("x", x, f"must be a multiple of {self.unit}")
        text = str(scaled.numerator).rjust(places + 1, "0")
        return f"{text[:-places]}.{text[-places:]}" if places else text


def calibrate(
    template: Template,
    *,
    epsilon: Exact,
    delta: Exact,
    adjacency: type[Adjacency],
    accountant: str = BEST,
    digits: int | None = None,
    limit: float | Fraction | None = None,
) -> Calibration:
    r"""The value of a template's open parameter that spends a budget as fully as can be certified.

    Args:
        template: An event with one ``?``, see `dpref.privacy.events.expression.parse_template`.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in [0, 1); at zero no accountant is named.
        adjacency: The neighbouring relation.
        accountant: The accountant that certifies, see `dpref.privacy.accountants.certify`.
        digits: Significant digits of the value; by default as many as the intervals decide, at most 6 (an integer is
            found exactly where they decide it).
        limit: Seconds of processor time after which the best value certified so far is returned, marked as wide; None
            for any time.

    Returns:
        The value, certified, and the value beyond it, refuted; where no digit can be decided and none was asked for,
        the value alone, and ``decided`` is False.

    Raises:
        BudgetError: If no value meets the budget, or every value does.
        InvalidArgumentError: If an argument is out of its domain.
        UnsupportedEventError: If no accountant supports the event under that adjacency.
        PrecisionError: If the intervals are too wide for the digits wanted (the message says how many they decide), or
            time was over before any value was certified.

    >>> from dpref.privacy.events.expression import parse_template
    >>> from dpref.units import ReplaceOne
    >>> template = parse_template("compose(gaussian(noise_multiplier=?), 1000)")
    >>> float(calibrate(template, epsilon=1, delta=Fraction(1, 10**5), adjacency=ReplaceOne).value)
    117.973
    """
    positive_double("epsilon", epsilon)
    half_open_unit("delta", delta)
    if digits is not None and natural("digits", digits) > MOST_DIGITS:
        raise InvalidArgumentError("digits", digits, f"must be at most {MOST_DIGITS}")
    if template.parameter not in DIRECTIONS:
        raise InvalidArgumentError("event", template.parameter, "can only calibrate " + ", ".join(DIRECTIONS))
    search = _Search(template, Fraction(epsilon), Fraction(delta), adjacency, accountant)
    with time_limit(limit) as time:
        try:
            return search.run(digits)
        except OutOfTimeError:
            return search.best()
        except (BudgetError, PrecisionError):  # such as of the last accountant, which had no time left
            if not time.over:
                raise
            return search.best()


class _Search:
    """One calibration: a float search for the point, then certificates on the decimal grid."""

    def __init__(
        self, template: Template, epsilon: Fraction, delta: Fraction, adjacency: type[Adjacency], accountant: str
    ) -> None:
        self.template = template
        self.epsilon = epsilon
        self.delta = delta
        self.adjacency = adjacency
        self.accountant = accountant
        self.direction, self.most = DIRECTIONS[template.parameter]
        if template.parameter in {"count", "steps"}:
            self.most = Fraction(template.largest_count())
        self.thorough = False  # whether intervals are narrowed until they decide, or only once
        self._intervals: dict[Fraction, Interval] = {}
        self._points: dict[Fraction, float | None] = {}

    # ---------------------------------------------------------------- certificates

    def interval(self, value: Fraction) -> Interval:
        """What is known of a value, from a quick accountant if there is one."""
        if value not in self._intervals:
            checkpoint(f"{self.template.parameter} = {float(value):.6g}")
            ledger = Ledger(self.template.fill(value), self.adjacency)
            accountant = quick_accountant(ledger) if self.accountant == BEST and self.delta else self.accountant
            self._intervals[value] = certify(ledger, delta=self.delta, accountant=accountant)
            _log.info("%s = %g: %s", self.template.parameter, value, self._intervals[value])
        return self._intervals[value]

    def verdict(self, value: Fraction) -> int:
        """1 if the value meets the budget, -1 if it does not, 0 if neither is proved."""
        try:
            found = self.interval(value)
        except PrecisionError:
            return 0
        event = self.template.fill(value)
        if (
            self._decided(found) == 0
            and self.delta
            and self.accountant in {BEST, "gaussian"}
            and _only_gaussians(event)
        ):
            mu_squared = gdp(Ledger(event, self.adjacency)).value

            def excess() -> Any:
                return gaussian_delta(BALL, ball(self.epsilon), BALL.sqrt(ball(mu_squared))) - ball(self.delta)

            return self._tightened(value, found, -sign(excess))
        if self._decided(found) == 0 and self.delta:
            wanted = self._apart(value)
            steps = narrowing(Ledger(event, self.adjacency), self.delta, self.accountant, found, wanted)
            for step, finer in enumerate(steps):
                self._intervals[value] = found = finer
                if self._decided(found) != 0 or (step == _NARROWINGS and not self.thorough):
                    break
        return self._decided(found)

    def _decided(self, found: Interval) -> int:
        return 1 if found.upper <= self.epsilon else -1 if found.lower > self.epsilon else 0

    def _tightened(self, value: Fraction, found: Interval, verdict: int) -> int:
        """The interval at a value whose verdict was reached in balls finer than doubles."""
        if verdict > 0:
            self._intervals[value] = replace(found, upper=min(found.upper, float_up(self.epsilon)))
        if verdict < 0:
            self._intervals[value] = replace(found, lower=max(found.lower, float_down(self.epsilon)))
        return verdict

    # ---------------------------------------------------------------- the float search

    def excess(self, value: float) -> float:
        """About log(epsilon / budget) at a value, with the sign that grows with the value; zero where it blurs."""
        goal = float(self.epsilon)
        point = self._point(self._exactly(value))
        if point is not None:
            return self.direction * (math.log(point / goal) if point > 0 else -math.inf)
        try:
            found = self.interval(self._exactly(value))
        except PrecisionError:
            return math.inf * self.direction
        if found.lower > 0 and abs(found.upper - goal) <= found.width / 4:
            return 0.0
        if not 0 < found.upper < math.inf:
            return math.copysign(math.inf, found.upper - goal) * self.direction
        return self.direction * math.log(found.upper / goal)

    def _point(self, value: Fraction) -> float | None:
        """Epsilon without a certificate, if there is a way to compute it quickly."""
        event = self.template.fill(value)
        known = _only_gaussians(event) or is_single(Ledger(event, self.adjacency))
        if not self.delta or self.accountant not in {BEST, "fast"} or (known and self.accountant == BEST):
            return None
        from dpref.privacy.fast import point as fast_point  # noqa: PLC0415 - slow to import

        if value not in self._points:
            try:
                self._points[value] = fast_point.epsilon(Ledger(event, self.adjacency), self.delta)
            except (PrecisionError, UnsupportedEventError):
                self._points[value] = None
        return self._points[value]

    def _apart(self, value: Fraction) -> Fraction | None:
        """How far epsilon is from the budget, about: so narrow an interval decides; None where nothing tells."""
        point = self._point(value) if self.thorough else self._points.get(value)
        apart = 0.0 if point is None else abs(point - float(self.epsilon))
        return Fraction(apart) if apart > _TELLS * float(self.epsilon) else None

    def _exactly(self, value: float) -> Fraction:
        return Fraction(max(1, round(value))) if self.template.integral else Fraction(repr(value))

    def run(self, digits: int | None) -> Calibration:
        if self.most is not None and self.most <= 1 and self.verdict(self.most) == 1:
            return Calibration(self.template.parameter, self.most, None, self.most, 1, self.interval(self.most), None)
        self.thorough = digits is not None
        wanted = DEFAULT_DIGITS if digits is None else digits
        near, slope = self._root(max(_FINEST, 10.0 ** -(wanted + (1 if self.thorough else 0))))
        unit_digits = digits if digits is not None else self._decidable(near, slope)
        while True:
            found = self._on_grid(near, unit_digits)
            if found is not None:
                return found
            checkpoint()
            if digits is None and unit_digits == 1 and (found := self._one_sided(near)) is not None:
                return found
            if digits is not None or unit_digits == 1:
                raise PrecisionError(self._too_many(unit_digits, near, slope))
            unit_digits -= 1

    def _too_many(self, digits: int, near: float, slope: float) -> str:
        decidable = min(digits - 1, self._decidable(near, slope)) if self.interval(self._exactly(near)).lower > 0 else 0
        some = f"about {decidable} can" if decidable else "not even one can"
        more = "" if decidable or not self.thorough else "; without a number of digits one side is certified"
        name = self.template.parameter
        return f"{digits} digits of {name} cannot be certified with the accountant {self.accountant}; {some}{more}"

    def _root(self, tolerance: float) -> tuple[float, float]:
        """A value at which about epsilon is spent, and the slope of log spend against log value there."""
        top = min(_MOST, float(self.most)) if self.most is not None else _MOST
        low = high = min(1.0, top)
        at_low = at_high = self.excess(low)  # increasing in the value
        while at_low > 0:
            high, at_high = low, at_low
            low = low / _WIDEN
            if low < (1 if self.template.integral else _LEAST):
                raise BudgetError(self._no_value(least=True))
            at_low = self.excess(low)
        while at_high < 0:
            low, at_low = high, at_high
            if high >= top:
                raise BudgetError(self._no_value(least=False))
            high = min(top, _WIDEN * high)
            at_high = self.excess(high)
        return crossing(self.excess, (low, at_low), (high, at_high), 0.5 if self.template.integral else 0.0, tolerance)

    def _no_value(self, *, least: bool) -> str:
        none = least == (self.direction > 0)
        meets = "no value of {} is known to meet" if none else "every value of {} meets"
        return f"{meets.format(self.template.parameter)} epsilon = {self.epsilon} at delta = {self.delta}"

    def _decidable(self, near: float, slope: float) -> int:
        """How many digits the width of the interval at the root lets one decide, if all goes well."""
        value = self._exactly(near)
        most = len(str(value.numerator)) if self.template.integral else DEFAULT_DIGITS
        if _only_gaussians(self.template.fill(value)):
            return most
        width = self.interval(value).width / (FINER if self.thorough or self._point(value) is None else 1)
        blur = near * width / max(float(self.epsilon) * abs(slope), 1e-300)
        digits = most
        while digits > 1 and unit_of(near, digits, integral=self.template.integral) < blur:
            digits -= 1
        return digits

    # ---------------------------------------------------------------- the decimal grid

    def _on_grid(self, near: float, digits: int) -> Calibration | None:
        """The last grid value that meets the budget, if the next one provably does not."""
        unit = unit_of(near, digits, integral=self.template.integral)
        private = -self.direction  # the way in which less is spent
        k = max(1, math.floor(Fraction(near) / unit))
        top = None if self.most is None else math.floor(self.most / unit)

        good = gallop(k, private, lambda index: self._meets(index, unit))
        if good is None:
            return None
        beyond, undecided = good - private, 0
        while True:
            if beyond <= 0 or (top is not None and beyond > top):
                return None
            if self.verdict(beyond * unit) == -1:
                break
            beyond, undecided = beyond - private, undecided + 1
            if undecided > (0 if self.thorough else _MOST_UNDECIDED):
                return None
        return Calibration(
            self.template.parameter,
            good * unit,
            beyond * unit,
            unit,
            len(str(good)),
            self.interval(good * unit),
            self.interval(beyond * unit),
            undecided,
        )

    def _one_sided(self, near: float) -> Calibration | None:
        """The last grid value that meets the budget, whatever is true of the next one."""
        unit = unit_of(near, DEFAULT_DIGITS, integral=self.template.integral)
        index = gallop(max(1, math.floor(Fraction(near) / unit)), -self.direction, lambda k: self._meets(k, unit))
        if index is None:
            return None
        good, digits = index * unit, len(str(index))
        return Calibration(
            self.template.parameter, good, None, unit, digits, self.interval(good), overspent=None, decided=False
        )

    def _meets(self, index: int, unit: Fraction) -> bool:
        return index > 0 and (self.most is None or index * unit <= self.most) and self.verdict(index * unit) == 1

    def best(self) -> Calibration:
        """The best value that was certified on the way, and the nearest one that was refuted."""
        order = sorted(self._intervals, key=lambda value: -self.direction * value)  # the best first
        verdicts = {value: self._decided(self._intervals[value]) for value in order}
        good = next((value for value in order if verdicts[value] == 1), None)
        if good is None:
            raise PrecisionError(f"no value of {self.template.parameter} was certified within the limit of time")
        beyond = next((v for v in reversed(order[: order.index(good)]) if verdicts[v] == -1), None)
        unit = min(last_place(v) for v in (good, beyond) if v is not None)
        overspent = None if beyond is None else self._intervals[beyond]
        digits = len(str((good / unit).numerator))
        name = self.template.parameter
        spent = self._intervals[good]
        return Calibration(name, good, beyond, unit, digits, spent, overspent, wide=True, decided=beyond is not None)


def _only_gaussians(event: Event) -> bool:
    return all(isinstance(leaf, Gaussian) for leaf in multiplicities(event))
