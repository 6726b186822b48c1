"""The numbers of adaptive noisy gradient descent: what is chosen, what the run needs, what it spends."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Generic, Literal, TypeAlias, get_args

from flint import arb

from dpref.algorithms.adaptive_gradient_descent.formulas import (
    noise_radius,
    norm_noise,
    printed_charge,
    printed_floor,
    printed_norm_noise,
    printed_spread,
)
from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import standard_multiplier
from dpref.privacy.events.ledger import Compose, Event, FilteredGaussians, Gaussian, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, ball, evaluate, exact, float_up, lower, upper
from dpref.units import L2, ZCDP, A, Adjacency, PrivacyLoss, Sensitivity

Reading: TypeAlias = Literal["scalar", "vector", "absolute", "clamped"]
READINGS: Final[tuple[Reading, ...]] = get_args(Reading)
_SLACK: Final = 1 + Fraction(1, 2**30)  # covers the roundings of the printed form's doubles


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, and how the printed norm is read.

    Attributes:
        rho: Exact, positive: the claim is rho-zCDP.
        failure: beta, exact, in (0, 1): probability with which the utility bound may fail.
        adjacency: The neighbouring relation, always explicit.
        reading: How the printed line 3 is read; None for the repaired form (and R1 for the printed one).
        smoothness: L_1, exact, at least the problem's; the problem's by default.
        rounds: A public cap on the number of rounds, or None.

    >>> from dpref.units import ReplaceOne
    >>> Params(rho=Fraction(1), failure=Fraction(1, 20), adjacency=ReplaceOne).form.value
    'repaired'
    """

    rho: Fraction
    failure: Fraction
    adjacency: type[A]
    reading: Reading | None = None
    smoothness: Fraction | None = None
    rounds: int | None = None


@dataclass(frozen=True)
class Plan(Planned[L2, ZCDP, A]):
    r"""What is known before the first answer: the noise of a norm, and what a gradient's follows from.

    Attributes:
        reading: How N_t is made.
        failure: beta.
        rounds: The most rounds that the budget (and the cap) can admit.
        norm_std: Noise of the norm.
        floor_std: The least noise of a gradient.
        spread: The noise of a gradient is N_t over this.
        norm_cost: What a norm is charged, rounded up.
        charge: As printed, $L_0^2d\log(n\sqrt\rho/\beta)/n^2$; the charge is this over $N_t^2$.
        step_size: 1 / (2 L_1), rounded down.
        start: w_0, shape (d,).
    """

    reading: Reading
    failure: Fraction
    rounds: int
    norm_std: float
    floor_std: float
    spread: float
    norm_cost: float
    charge: float
    step_size: float
    start: tuple[float, ...]

    @property
    def rho(self) -> Fraction:
        """What the run may spend, in zCDP."""
        return self.claimed.value

    @property
    def steps(self) -> int:
        """The largest number of answers, two for each round."""
        return 2 * self.rounds

    @property
    def stop_norm(self) -> float:
        """Repaired: the norm at or below which the run stops, 2 G sigma_min; as printed there is none."""
        return self.spread * self.floor_std if self.form is Form.REPAIRED else -math.inf

    @property
    def limit(self) -> float:
        """What the charges are tested against: rho, or rho / 2 as printed; rounded down."""
        return -float_up(-(self.rho if self.form is Form.REPAIRED else self.rho / 2))

    @property
    def numbers(self) -> dict[str, Any]:
        """The choices as flags, half of the budget, and the sensitivity."""
        return {
            "vector_norm": self.reading == "vector",
            "absolute": self.reading == "absolute",
            "clamped": self.reading == "clamped",
            "repaired": self.form is Form.REPAIRED,
            "cap": self.rho / 2,
            "sensitivity": self.sensitivity.value,
        }


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number that the run starts from, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    References:
        Menart et al. 2024, Algorithm 3; the errata's 3.3s.

    >>> from dpref.problems.losses import Logistic
    >>> from dpref.units import ReplaceOne
    >>> made = plan(ERMProblem(Logistic(), n=100, dimension=2), Params(Fraction(1), Fraction(1, 20), ReplaceOne))
    >>> made.rounds, made.sensitivity.value
    (100, Fraction(1, 50))
    """
    rho, beta = positive_rational("rho", params.rho), open_unit("failure", params.failure)
    repaired = params.form is Form.REPAIRED
    reading = params.reading or ("clamped" if repaired else "scalar")
    if reading not in READINGS or (repaired and reading != "clamped"):
        raise InvalidArgumentError("reading", reading, "must be clamped, or with the printed form another reading")
    smoothness = _smoothness(problem, params)
    sensitivity = problem.sensitivity(params.adjacency)
    bound, n, d = problem.gradient_bound, problem.n, problem.dimension
    if n * n * rho <= beta * beta:
        raise InvalidArgumentError("rho", rho, "n sqrt(rho) / beta must exceed one: its logarithm scales the noise")
    if repaired:
        cap = math.isqrt(math.floor(n * n * rho)) + 1
        norm_std = _up(lambda: norm_noise(BALL, ball(sensitivity.value), ball(n), ball(rho)))
        floor_std = _up(lambda: ball(sensitivity.value) / ball(rho).sqrt())
        spread = _up(lambda: 2 * noise_radius(BALL, ball(d), ball(cap), ball(beta)))
        norm_cost, charge = float_up(exact_cost(sensitivity, norm_std)), 0.0
        rounds = max(1, math.floor(rho / exact(norm_cost)))
    else:
        norm_std = _up(lambda: printed_norm_noise(BALL, ball(bound), ball(n), ball(rho)))
        floor_std = _up(lambda: printed_floor(BALL, ball(bound), ball(n), ball(rho)))
        spread = _up(lambda: printed_spread(BALL, ball(d), ball(n), ball(rho), ball(beta)))
        norm_cost = _up(lambda: ball(rho).sqrt() / ball(n))
        charge = _up(lambda: printed_charge(BALL, ball(bound), ball(n), ball(exact(spread)), arb(1)))
        rounds = math.floor(rho / 2 / exact(norm_cost)) + 2  # one more than exact sums would admit
    return Plan(
        form=params.form,
        reading=reading,
        sensitivity=sensitivity,
        claimed=PrivacyLoss(rho, ZCDP, params.adjacency),
        failure=beta,
        rounds=rounds if params.rounds is None else min(rounds, natural("rounds", params.rounds)),
        norm_std=norm_std,
        floor_std=floor_std,
        spread=spread,
        norm_cost=norm_cost,
        charge=charge,
        step_size=lower(evaluate(lambda: 1 / (2 * ball(smoothness)))),
        start=problem.start(params.start),
    )


def _up(formula: Any) -> float:
    return upper(evaluate(formula))


def _smoothness(problem: ERMProblem, params: Params[Any]) -> Fraction:
    if params.smoothness is None:
        return problem.smoothness
    if positive_rational("smoothness", params.smoothness) < problem.smoothness:
        raise InvalidArgumentError(
            "smoothness", params.smoothness, f"must be at least the problem's {problem.smoothness}"
        )
    return params.smoothness


def exact_cost(sensitivity: Sensitivity[L2, Any], std: float) -> Fraction:
    """What one Gaussian answer costs in zCDP, exact.

    Args:
        sensitivity: Of the answer.
        std: Of its noise, positive.

    Raises:
        InvalidArgumentError: If the noise is not finite.
        ZeroDivisionError: If it is zero.

    >>> from dpref.units import ReplaceOne
    >>> exact_cost(Sensitivity(Fraction(1, 50), L2, ReplaceOne), std=0.125)  # 1 / (2 * 6.25**2)
    Fraction(8, 625)
    """
    return 1 / (2 * standard_multiplier(sensitivity, std) ** 2)


def ledger(plan: Plan[A]) -> Ledger[A]:
    r"""An upper budget: what a run spends is at most this, on every path.

    Repaired: what the filter lets through.  As printed with $N_t\ge0$ (R2, R3): $\frac c2\rho+c\frac{\sqrt\rho}n$ with
    c = 2 under replace-one and 1/2 where the sensitivity is $L_0/n$ (E5).  As printed under R1 nothing better is true
    than every round at the least noise (E4).

    >>> from dpref.algorithms import examples
    >>> ledger(examples.adaptive_gradient_descent().plan).event
    FilteredGaussians(rho=Fraction(1, 1))
    """
    adjacency = plan.sensitivity.adjacency
    if plan.form is Form.REPAIRED:
        return Ledger(FilteredGaussians(plan.rho), adjacency)
    norm_event = Gaussian(standard_multiplier(plan.sensitivity, plan.norm_std))
    if plan.reading == "scalar":
        floor = Gaussian(standard_multiplier(plan.sensitivity, plan.floor_std))
        events: tuple[Event, ...] = (Repeat(norm_event, plan.rounds), Repeat(floor, plan.rounds))
        return Ledger(canonical(Compose(events)), adjacency)
    norm_rho = exact_cost(plan.sensitivity, plan.norm_std)
    share = norm_rho / exact(plan.norm_cost)  # c: the true cost over the recorded one
    return Ledger(FilteredGaussians((share * plan.rho / 2 + norm_rho) * _SLACK), adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import adaptive_gradient_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    7
    """
    base = Params(Fraction(1), Fraction(1, 20), adjacency, rounds=5)
    large = replace(base, rho=Fraction(5000))
    printed = replace(large, form=Form.AS_PRINTED)
    return (
        base,
        large,
        replace(base, rho=Fraction(200), smoothness=3 * problem.smoothness),
        *(replace(printed, reading=reading) for reading in READINGS),
    )
