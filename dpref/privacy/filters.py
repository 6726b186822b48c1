r"""Privacy filters and odometers: composition whose losses are chosen on the way, in exact arithmetic.

A filter holds a budget.  Before each release it is asked whether the release's loss, which may depend on everything
released so far, still fits; what does not fit is refused and nothing is spent.  On every path the admitted losses then
add up to at most the budget, which is the hypothesis of the fully adaptive composition theorems.  The rule that makes
them true is that the question comes *before* the release, and that the loss of one release is fixed by what was
released before it: a round that first measures something and then chooses its noise is two releases.

* `ZCDPFilter`: $\sum\rho_i \le \rho$, rational numbers.
* `RenyiFilter`: $\sum D_i(\alpha) \le B(\alpha)$ at *every* order of a fixed list, rational upper bounds.
* `ApproximateDPFilter`: $\sqrt{2\ln(1/\delta')\sum\varepsilon_i^2}+\frac12\sum\varepsilon_i^2 \le \varepsilon$ and
  $\sum\delta_i \le \delta''$, certified in balls: what is not proved to fit is refused.
* `ZCDPOdometer`: never refuses; says which multiple of a step has been reached.

References:
    Feldman and Zrnic, "Individual privacy accounting via a Rényi filter", 2021, Sections 3 and 4.
    Whitehouse, Ramdas, Rogers and Wu, "Fully-adaptive composition in differential privacy", 2023, Theorem 1.
    Rogers, Roth, Ullman and Vadhan, "Privacy odometers and filters", 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Generic, Literal, TypeAlias, TypeVar, final, get_args

from dpref.checks import one_of, open_unit, positive_rational, rational
from dpref.errors import BudgetExceededError, InvalidArgumentError, UnsupportedEventError
from dpref.privacy.closed_forms.composition import concentrated_epsilon
from dpref.privacy.closed_forms.concentrated import event_rho
from dpref.privacy.closed_forms.gaussian import zcdp
from dpref.privacy.events.ledger import Compose, Event, Exponential, Ledger
from dpref.privacy.events.walks import canonical, multiplicities
from dpref.privacy.interval import sign
from dpref.privacy.renyi.curves import valid_order
from dpref.reals import BALL, Exact, ball
from dpref.units import ZCDP, Adjacency, ApproximateDP, PrivacyLoss, PureDP, known_adjacency

A = TypeVar("A", bound=Adjacency)

_DECISION_BITS = 1 << 12


@final
class ZCDPFilter(Generic[A]):
    r"""Admits releases while their $\rho$ add up to at most the budget, exactly.

    What was released is then $\rho$-zCDP, however the losses were chosen (Feldman and Zrnic 2021; Whitehouse et al.
    2023, Theorem 1).

    >>> from dpref.units import ReplaceOne
    >>> filter_ = ZCDPFilter(PrivacyLoss(Fraction(1), ZCDP, ReplaceOne))
    >>> filter_.spend(PrivacyLoss(Fraction(1, 2), ZCDP, ReplaceOne))
    >>> [filter_.admits(PrivacyLoss(Fraction(thousandths, 1000), ZCDP, ReplaceOne)) for thousandths in (500, 501)]
    [True, False]
    """

    def __init__(self, budget: PrivacyLoss[ZCDP, A]) -> None:
        self._budget = _of_zcdp("budget", budget)
        self._spent = Fraction(0)
        self._events: list[Event | None] = []

    @property
    def budget(self) -> PrivacyLoss[ZCDP, A]:
        """The largest loss of all releases together."""
        return self._budget

    @property
    def spent(self) -> PrivacyLoss[ZCDP, A]:
        """The sum of what was admitted."""
        return PrivacyLoss(self._spent, ZCDP, self.budget.adjacency)

    @property
    def remaining(self) -> PrivacyLoss[ZCDP, A]:
        """What still fits."""
        return PrivacyLoss(self.budget.value - self._spent, ZCDP, self.budget.adjacency)

    @property
    def ledger(self) -> Ledger[A]:
        """The admitted events, in order: its exact zCDP loss is `spent`.

        Raises:
            UnsupportedEventError: If something was spent without saying by which event.
        """
        events = tuple(event for event in self._events if event is not None)
        if len(events) != len(self._events):
            raise UnsupportedEventError("some of the losses were spent without an event; the ledger is not known")
        return Ledger(Compose(events), self.budget.adjacency)

    def admits(self, loss: PrivacyLoss[ZCDP, A]) -> bool:
        """Whether a release of that loss still fits; asking spends nothing."""
        self._check(loss)
        return self._spent + loss.value <= self.budget.value

    def spend(self, loss: PrivacyLoss[ZCDP, A]) -> None:
        """Admit a release of that loss, before it is made.

        Raises:
            BudgetExceededError: If it does not fit; nothing is spent.
            InvalidArgumentError: If the loss is of another measure or adjacency.
        """
        self._admit(loss, None)

    def spend_event(self, event: Event) -> None:
        """Admit a tree of Gaussian events, before they happen; the ledger remembers them.

        Raises:
            BudgetExceededError: If it does not fit; nothing is spent and the ledger stays as it is.
            UnsupportedEventError: If an event is not Gaussian, so that its rho is not an exact number.
        """
        self._admit(zcdp(Ledger(event, self.budget.adjacency)), event)

    def _admit(self, loss: PrivacyLoss[ZCDP, A], event: Event | None) -> None:
        if not self.admits(loss):
            raise BudgetExceededError(f"rho = {loss.value} does not fit: {self.remaining.value} of the budget is left")
        self._spent += loss.value
        self._events.append(event)

    def _check(self, loss: PrivacyLoss[ZCDP, A]) -> None:
        _of_zcdp("loss", loss)
        if loss.adjacency is not self.budget.adjacency:
            raise InvalidArgumentError("loss", loss.adjacency.name, f"must be under {self.budget.adjacency.name}")


@final
class ZCDPOdometer(Generic[A]):
    r"""Adds up losses without a budget and reports the least multiple of a step that is not below their sum.

    For every fixed k the transcript up to the last release before the report exceeds k steps is what a `ZCDPFilter` of
    that budget lets through, so it is (k step)-zCDP; the running sum itself, read at a time chosen by the data, is not
    a bound (Feldman and Zrnic 2021, Section 4).

    >>> from dpref.units import ReplaceOne
    >>> odometer = ZCDPOdometer(PrivacyLoss(Fraction(1, 10), ZCDP, ReplaceOne))
    >>> odometer.record(PrivacyLoss(Fraction(1, 4), ZCDP, ReplaceOne))
    >>> odometer.reading.value
    Fraction(3, 10)
    """

    def __init__(self, step: PrivacyLoss[ZCDP, A]) -> None:
        self._step = _of_zcdp("step", step)
        positive_rational("step", step.value)
        self._spent = Fraction(0)

    @property
    def step(self) -> PrivacyLoss[ZCDP, A]:
        """Readings are multiples of it."""
        return self._step

    @property
    def reading(self) -> PrivacyLoss[ZCDP, A]:
        """The bound so far: a whole number of steps."""
        steps = -(-self._spent // self.step.value)
        return PrivacyLoss(steps * self.step.value, ZCDP, self.step.adjacency)

    def record(self, loss: PrivacyLoss[ZCDP, A]) -> None:
        """Add a release's loss.

        Raises:
            InvalidArgumentError: If the loss is of another measure or adjacency.
        """
        _of_zcdp("loss", loss)
        if loss.adjacency is not self.step.adjacency:
            raise InvalidArgumentError("loss", loss.adjacency.name, f"must be under {self.step.adjacency.name}")
        self._spent += loss.value


@final
class RenyiFilter:
    r"""Admits releases while at every order of a fixed list their Rényi divergences add up to at most a budget.

    Divergences are rational upper bounds (an `Interval`'s upper end, made exact).  What was released then has
    divergence at most $B(\alpha)$ at *each* order, so any of them may be converted afterwards (Feldman and Zrnic 2021,
    Section 4, once for each order).

    >>> filter_ = RenyiFilter({2: Fraction(1), 8: Fraction(4)})
    >>> filter_.spend({2: Fraction(1, 2), 8: Fraction(2)})
    >>> filter_.admits({2: Fraction(1, 4), 8: Fraction(3)})
    False
    """

    def __init__(self, budget: Mapping[Exact, Exact]) -> None:
        if not budget:
            raise InvalidArgumentError("budget", budget, "must name at least one order")
        self._budget = {valid_order(order): rational("budget", value) for order, value in budget.items()}
        self._spent = dict.fromkeys(self._budget, Fraction(0))

    @property
    def budget(self) -> Mapping[Fraction, Fraction]:
        """What all releases together may lose, at each order."""
        return MappingProxyType(self._budget)

    @property
    def spent(self) -> Mapping[Fraction, Fraction]:
        """The sums of what was admitted, at each order."""
        return MappingProxyType(dict(self._spent))

    def admits(self, divergences: Mapping[Exact, Exact]) -> bool:
        """Whether a release of these divergences still fits; asking spends nothing.

        Raises:
            InvalidArgumentError: If the orders are not those of the budget, or a value is negative or a float.
        """
        after = self._after(divergences)
        return all(after[order] <= most for order, most in self.budget.items())

    def spend(self, divergences: Mapping[Exact, Exact]) -> None:
        """Admit a release, before it is made.

        Raises:
            BudgetExceededError: If it does not fit at some order; nothing is spent at any.
            InvalidArgumentError: If the orders are not those of the budget, or a value is negative or a float.
        """
        if not self.admits(divergences):
            raise BudgetExceededError("the Rényi divergences do not fit at every order")
        self._spent = self._after(divergences)

    def _after(self, divergences: Mapping[Exact, Exact]) -> dict[Fraction, Fraction]:
        asked = {valid_order(order): rational("divergences", value) for order, value in divergences.items()}
        if asked.keys() != self.budget.keys():
            raise InvalidArgumentError("divergences", divergences, "must name exactly the orders of the budget")
        return {order: self._spent[order] + value for order, value in asked.items()}


@final
class ApproximateDPFilter(Generic[A]):
    r"""Admits $(\varepsilon_i,\delta_i)$-DP releases so that all together are $(\varepsilon,\delta'+\delta'')$-DP.

    Args:
        epsilon: The target, exact and positive.
        slack: $\delta'$, exact, in (0, 1).
        failure: $\delta''$, exact, in [0, 1): what the releases' own deltas may add up to.
        adjacency: Under which all losses are stated.

    References:
        Whitehouse et al. 2023, Theorem 1.

    >>> from dpref.units import ReplaceOne
    >>> filter_ = ApproximateDPFilter(Fraction(1), Fraction(1, 10**6), Fraction(0), ReplaceOne)
    >>> filter_.spend(PrivacyLoss(Fraction(3, 20), PureDP, ReplaceOne))
    >>> [filter_.admits(PrivacyLoss(Fraction(tenths, 10), PureDP, ReplaceOne)) for tenths in (1, 2)]
    [True, False]
    """

    def __init__(self, epsilon: Fraction, slack: Fraction, failure: Fraction, adjacency: type[A]) -> None:
        self._epsilon = positive_rational("epsilon", epsilon)
        self._slack = open_unit("slack", slack)
        self._failure = rational("failure", failure)
        if self._failure >= 1:
            raise InvalidArgumentError("failure", failure, "must be below one")
        known_adjacency(adjacency)
        self._adjacency = adjacency
        self._spent_squares = Fraction(0)
        self._spent_delta = Fraction(0)

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of the guarantee."""
        return self._epsilon

    @property
    def slack(self) -> Fraction:
        r"""$\delta'$."""
        return self._slack

    @property
    def failure(self) -> Fraction:
        r"""$\delta''$: what the releases' own deltas may add up to."""
        return self._failure

    @property
    def adjacency(self) -> type[A]:
        """Under which all losses are stated."""
        return self._adjacency

    @property
    def spent_squares(self) -> Fraction:
        r"""$\sum\varepsilon_i^2$ of what was admitted."""
        return self._spent_squares

    @property
    def spent_delta(self) -> Fraction:
        r"""$\sum\delta_i$ of what was admitted."""
        return self._spent_delta

    @property
    def delta(self) -> Fraction:
        """The delta of the guarantee."""
        return self.slack + self.failure

    def admits(self, loss: PrivacyLoss[PureDP, A] | PrivacyLoss[ApproximateDP, A]) -> bool:
        """Whether a release of that loss is proved to fit; asking spends nothing."""
        if not _checked(loss) or loss.measure not in {PureDP, ApproximateDP}:
            raise InvalidArgumentError("loss", loss, "must be a PrivacyLoss of pure or approximate DP")
        if loss.adjacency is not self.adjacency:
            raise InvalidArgumentError("loss", loss.adjacency.name, f"must be under {self.adjacency.name}")
        squares = self._spent_squares + loss.value**2
        if self._spent_delta + loss.delta > self.failure:
            return False
        if squares == 0:
            return True
        return (
            sign(
                lambda: (
                    ball(self.epsilon)
                    - concentrated_epsilon(BALL, ball(squares / 2), ball(squares), -ball(self.slack).log())
                ),
                limit=_DECISION_BITS,
            )
            > 0
        )

    def spend(self, loss: PrivacyLoss[PureDP, A] | PrivacyLoss[ApproximateDP, A]) -> None:
        """Admit a release, before it is made.

        Raises:
            BudgetExceededError: If it is not proved to fit; nothing is spent.
            InvalidArgumentError: If the loss is of another measure or adjacency.
        """
        if not self.admits(loss):
            raise BudgetExceededError(f"epsilon = {loss.value}, delta = {loss.delta} does not fit")
        self._spent_squares += loss.value**2
        self._spent_delta += loss.delta


Spending: TypeAlias = Literal["fixed", "stopped", "filtered"]


def agrees(spending: Spending, planned: Ledger[A], observed: Ledger[A]) -> bool:
    r"""Whether a run has spent what its plan says.

    Args:
        spending: ``"fixed"``: the same events in the same order.  ``"stopped"``: some of the planned events, as where a
            rule that reads private answers ends a round early.  ``"filtered"``: any Gaussian events whose exact
            $\sum\rho_i$ is at most the planned one, as a `ZCDPFilter` admits them, and some of the planned choices.
        planned: From the plan.
        observed: From the transcript.

    Returns:
        True only if both are under one adjacency and the observed ledger is what the declaration allows.

    Raises:
        InvalidArgumentError: If there is no such declaration.
        UnsupportedEventError: If there is no theorem for the rho of a filtered event.

    >>> from dpref.privacy.events.ledger import Gaussian, Repeat
    >>> from dpref.units import ReplaceOne
    >>> planned, observed = (Ledger(Repeat(Gaussian(Fraction(1)), k), ReplaceOne) for k in (3, 2))
    >>> [agrees(s, planned, observed) for s in ("fixed", "stopped", "filtered")]
    [False, True, True]
    """
    one_of("spending", spending, get_args(Spending))
    if planned.adjacency is not observed.adjacency:
        return False
    if spending == "fixed":
        return canonical(planned.event) == canonical(observed.event)
    most, seen = multiplicities(planned.event), multiplicities(observed.event)
    if spending == "stopped":
        return all(count <= most.get(event, 0) for event, count in seen.items())
    chosen = all(count <= most.get(event, 0) for event, count in seen.items() if isinstance(event, Exponential))
    return chosen and _gaussian_rho(seen) <= _gaussian_rho(most)


def _gaussian_rho(counts: Mapping[Event, int]) -> Fraction:
    """What the answers add up to; choices, whose epsilon no rho may pay for, aside."""
    answers = ((event, count) for event, count in counts.items() if not isinstance(event, Exponential))
    return sum((count * event_rho(event) for event, count in answers), Fraction(0))


def _of_zcdp(argument: str, loss: PrivacyLoss[ZCDP, A]) -> PrivacyLoss[ZCDP, A]:
    if not _checked(loss) or loss.measure is not ZCDP:
        raise InvalidArgumentError(argument, loss, "must be a PrivacyLoss of zCDP")
    return loss


def _checked(loss: object) -> bool:
    """Whether it is a `PrivacyLoss`, whose value was checked: a negative one would reopen the budget."""
    return type(loss) is PrivacyLoss
