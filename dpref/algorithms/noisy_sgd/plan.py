"""The numbers of NoisySGD: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from flint import arb

from dpref.algorithms.choices import Budgeted, Iterative
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_sgd.formulas import step_size, variance
from dpref.algorithms.promises import certified
from dpref.checks import finite_array, instance, natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.norms import Index, to_euclidean
from dpref.mechanisms.sampled import sampled_gaussian_event
from dpref.privacy.events.ledger import Compose, Event, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.stream import StreamProblem
from dpref.reals import BALL, ball, evaluate, lower, upper
from dpref.units import L2, A, Adjacency, ApproximateDP, PrivacyLoss, Sensitivity, differing_records

Output = Literal["average", "last"]


@dataclass(frozen=True)
class Params(Budgeted[A], Iterative):
    """The budget of the whole run, and how it becomes noise.

    Attributes:
        points: T, the number of points, of which all but the last are asked at; n^2 by default.
        step_scale: The factor of the step size, exact and positive.
        noise_scale: The factor of the noise, exact and positive; 1 as printed.
        certify: Whether the repaired form promises what an accountant certifies (a minute where n is in the thousands).
        output: The average of the points, or the last of them.
    """

    points: int | None = None
    step_scale: Fraction = Fraction(1)
    noise_scale: Fraction = Fraction(1)
    certify: bool = False
    output: Output = "average"


@dataclass(frozen=True)
class Plan(Planned[L2, ApproximateDP, A]):
    """T - 1 noisy gradients of single records, drawn with replacement.

    Attributes:
        records: n.
        steps: T - 1, the number of answers.
        std: Standard deviation of a noisy gradient per coordinate, rounded up.
        step_size: eta, rounded down.
        index: p of the ball; infinity for a box.
        radius: Of the ball.
        start: The first point, shape (d,).
        output: What is released of the points.
        promised: (epsilon, delta), certified, or None.
    """

    records: int
    steps: int
    std: float
    step_size: float
    index: Index
    radius: Fraction
    start: tuple[float, ...]
    output: Output
    promised: PrivacyLoss[ApproximateDP, A] | None

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each answer."""
        return (self.std,) * self.steps

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients."""
        return self.steps

    @property
    def promise(self) -> PrivacyLoss[ApproximateDP, A] | None:
        """What was certified, where that was asked for."""
        return self.promised

    @property
    def numbers(self) -> dict[str, Any]:
        """p, and whether the points are averaged."""
        return {"p": self.index, "average": self.output == "average"}


def plan(problem: StreamProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the set is no ball.

    References:
        Bassily, Feldman, Guzman and Talwar 2020, Algorithm 2; Han et al., Section 5.3.

    >>> from dpref.problems.examples import stream_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(stream_problem(n=1000), Params(Fraction(1), Fraction(1, 1000), ReplaceOne))
    >>> made.steps, round(made.std, 3)
    (999999, 7.434)
    """
    instance("domain", problem.domain, LpBall)
    domain: Any = problem.domain
    n, d = problem.n, problem.dimension
    points = n * n if params.points is None else params.points
    natural("points", points)
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    factors = positive_rational("noise_scale", params.noise_scale), positive_rational("step_scale", params.step_scale)
    printed = params.form is Form.AS_PRINTED
    if printed and (params.certify or factors[0] != 1):
        raise InvalidArgumentError("noise_scale", factors[0], "is 1, and certify False, in the printed form")
    lipschitz = problem.lipschitz * to_euclidean(problem.dual, d)
    moved = differing_records(problem.sensitivity(params.adjacency).adjacency) * lipschitz

    def noise() -> arb:
        return ball(factors[0]) * BALL.sqrt(variance(BALL, ball(lipschitz), -ball(delta).log(), ball(epsilon)))

    def step() -> arb:
        sizes = ball(domain.radius), ball(lipschitz), ball(n), ball(d)
        return ball(factors[1]) * step_size(BALL, *sizes, -ball(delta).log(), ball(epsilon))

    made = Plan(
        sensitivity=Sensitivity(moved, L2, params.adjacency),
        form=params.form,
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        records=n,
        steps=points - 1,
        std=upper(evaluate(noise)),
        step_size=lower(evaluate(step)),
        index=domain.index,
        radius=domain.radius,
        start=_start(problem, params),
        output=params.output,
        promised=None,
    )
    spent = ledger(made)  # which refuses what no accountant bounds
    return replace(made, promised=certified(spent, delta, digits=2)) if params.certify else made


def _start(problem: StreamProblem, params: Params[A]) -> tuple[float, ...]:
    if params.start is None:
        return tuple(map(float, problem.domain.start(problem.dimension)))
    found = finite_array("start", params.start, ndim=1)
    if found.shape != (problem.dimension,):
        raise InvalidArgumentError("start", found.shape, f"must have shape ({problem.dimension},)")
    return tuple(found.tolist())


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: a Gaussian answer on one uniform record for each step.

    >>> from dpref.algorithms import examples
    >>> print(ledger(examples.noisy_sgd(std=4.0).plan))
    compose(sample_without_replacement(gaussian(noise_multiplier=2), batch=1, records=2), 3) under replace-one
    """
    event: Event = Compose(())
    if plan.steps:
        event = Repeat(sampled_gaussian_event(plan.sensitivity, plan.std, "fixed", 1, plan.records), plan.steps)
    return Ledger(canonical(event), plan.sensitivity.adjacency)


def examples(problem: StreamProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import noisy_sgd as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    4
    """
    base = Params(Fraction(1), Fraction(1, 10**6), adjacency, points=min(2 * problem.n, problem.n**2))
    return (
        base,
        replace(base, points=3, certify=True, noise_scale=Fraction(1, 2)),
        replace(base, output="last", step_scale=Fraction(2)),
        replace(base, form=Form.AS_PRINTED),
    )
