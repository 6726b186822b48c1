"""The numbers of DP-GD: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, Literal

from flint import arb

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent.formulas import printed_variance, safe_variance, zcdp_variance
from dpref.checks import natural, open_unit, positive_double, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.calibration import gaussian_noise_multiplier
from dpref.privacy.events.ledger import Ledger, Repeat
from dpref.problems.erm import ERMProblem, step_size
from dpref.reals import BALL, ball, evaluate, exact, float_up, upper
from dpref.units import L2, A, Adjacency, ApproximateDP, PrivacyLoss

Calibration = Literal["safe", "zcdp", "exact"]
Output = Literal["last", "random"]


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, and how it becomes noise and steps.

    Attributes:
        epsilon: Privacy budget, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        steps: T, the number of steps.
        adjacency: The neighbouring relation, always explicit.
        calibration: How the repaired form computes sigma: "exact" (the default) is the least that suffices, "safe" is
            the proof's own value, "zcdp" lies between.
        constant: c of Eq. (11), which the print leaves open; for the printed form only.
        output: "last" (Theorem 6.2) or "random" (Theorem 6.3).
        step_size: eta, exact; 1/L by default (rounded down).
    """

    epsilon: Fraction
    delta: Fraction
    steps: int
    adjacency: type[A]
    calibration: Calibration | None = None
    constant: Fraction | None = None
    output: Output = "last"
    step_size: Fraction | None = None


@dataclass(frozen=True)
class Plan(Planned[L2, ApproximateDP, A]):
    """T steps of one length, whose answers have the same noise, and which iterate is released.

    Attributes:
        std: Standard deviation of each answer's noise per coordinate, rounded up.
        steps: T, the number of steps.
        step_size: eta, the step size.
        output: Which iterate is released.
        start: x_0, shape (p,).
        calibration: How the noise was computed; None as printed.
    """

    std: float
    steps: int
    step_size: float
    output: Output
    start: tuple[float, ...]
    calibration: Calibration | None

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each step."""
        return (self.std,) * self.steps

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Linear losses move each gradient by the whole sensitivity; a ball or a ridge bends the last iterate."""
        bent = problem.domain.radius is not None or problem.ridge != 0 or self.output != "last"
        shift = problem.sensitivity(self.sensitivity.adjacency).value
        return (Move(shift, self.std, self.steps, None if bent else Fraction(1)),)

    def released(self, indices: tuple[int, ...]) -> int:
        """The last iterate, or the one that was drawn."""
        return indices[-1] if self.output == "random" else self.steps


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    References:
        Wang, Ye and Xu 2017, Algorithm 4, Eq. (11), Theorem 6.1.

    >>> from dpref.problems.losses import Logistic
    >>> from dpref.units import ReplaceOne
    >>> problem = ERMProblem(Logistic(), n=1000, dimension=5)
    >>> plan(problem, Params(Fraction(1), Fraction(1, 10**5), 10, ReplaceOne)).std < 0.04
    True
    """
    if params.output not in {"last", "random"}:
        raise InvalidArgumentError("output", params.output, 'must be "last" or "random"')
    eta = step_size(problem) if params.step_size is None else positive_double("step_size", params.step_size)
    return Plan(
        sensitivity=problem.sensitivity(params.adjacency),
        std=noise_std(problem, params),
        steps=params.steps,
        step_size=eta,
        output=params.output,
        start=problem.start(params.start),
        form=params.form,
        calibration=None if params.form is Form.AS_PRINTED else params.calibration or "exact",
        claimed=PrivacyLoss(params.epsilon, ApproximateDP, params.adjacency, params.delta),
    )


def noise_std(problem: ERMProblem, params: Params[Any]) -> float:
    """The standard deviation that the calibration asks for, rounded up to a double.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the printed form has no constant.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> once = Params(Fraction(1), Fraction(1, 100), 1, ReplaceOne, calibration="safe")
    >>> [round(noise_std(logistic_problem(10), replace(once, calibration=how)), 4) for how in ("safe", "exact")]
    [0.6391, 0.3756]
    """
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    steps = natural("steps", params.steps)
    sensitivity = problem.sensitivity(params.adjacency).value
    printed, calibration = params.form is Form.AS_PRINTED, params.calibration or "exact"
    if printed != (params.constant is not None):
        raise InvalidArgumentError("constant", params.constant, "is needed by the printed form, and only by it")
    if printed and params.calibration is not None:
        raise InvalidArgumentError("calibration", params.calibration, "belongs to the repaired form")
    if calibration == "exact" and not printed:
        return float_up(exact(gaussian_noise_multiplier(epsilon, delta, steps=steps)) * sensitivity)

    def std() -> arb:
        L = -ball(delta).log()
        common = (ball(steps), L)
        if printed:
            c, G = ball(positive_rational("constant", params.constant)), ball(problem.gradient_bound)
            return printed_variance(BALL, c, G, *common, ball(problem.n), ball(epsilon)).sqrt()
        if calibration not in {"safe", "zcdp"}:
            raise InvalidArgumentError("calibration", calibration, "must be safe, zcdp or exact")
        variance = safe_variance if calibration == "safe" else zcdp_variance
        return variance(BALL, ball(sensitivity), *common, ball(epsilon)).sqrt()

    return upper(evaluate(std))


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: T Gaussian answers.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> made = replace(examples.gradient_descent().plan, std=2.5)  # the sensitivity is 1
    >>> print(ledger(made))
    compose(gaussian(noise_multiplier=5/2), 2) under replace-one
    """
    return Ledger(Repeat(gaussian_event(plan.sensitivity, plan.std), plan.steps), plan.sensitivity.adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import gradient_descent as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    4
    """
    base = Params(Fraction(1), Fraction(1, 10**6), 5, adjacency)
    return (
        base,
        replace(base, calibration="zcdp", output="random"),
        replace(base, calibration="safe", step_size=Fraction(1, 2)),
        replace(base, form=Form.AS_PRINTED, constant=Fraction(16)),
    )
