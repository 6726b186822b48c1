"""The numbers of accelerated mirror descent: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, Literal

import numpy as np
from flint import arb

from dpref.algorithms.accelerated_mirror_descent import formulas, utility
from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.hypotheses import common_hypotheses
from dpref.checks import MOST_IN_A_PLAN, natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.geometry.gaussian_width import gaussian_width
from dpref.geometry.linear_minimization import LinearMinimizationOracle, LpBall, Polytope
from dpref.geometry.mirror import MirrorMap, mirror_map
from dpref.geometry.norms import lp_norm
from dpref.geometry.sets import L2Ball, WholeSpace
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.calibration import gaussian_noise_multiplier
from dpref.privacy.events.ledger import Compose, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, RATIONAL, FloatArray, ball, evaluate, exact, float_down, float_up, upper
from dpref.units import L2, A, Adjacency, ApproximateDP, PrivacyLoss

YStep = Literal["coupled", "noisy", "exact"]
_CODES = {"coupled": 0, "noisy": 1, "exact": 2}


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, the set, and how both become noise and steps.

    Attributes:
        epsilon: Privacy budget, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        adjacency: The neighbouring relation, always explicit.
        y_step: How the repaired form makes y: "coupled" (the default) from the new z, "noisy" by line 6 along the noisy
            gradient; the printed form's is "exact".
        calibration: How the repaired form computes sigma: "exact" (the default), or "printed" by Eq. (9).
        constant: c of Eq. (9), wherever it is used.
        steps: T; by default that of Theorem 5.4 with its constant, rounded up.
        constraint: C, a ball of an l_p norm; by default the problem's Euclidean ball.
        diameter: Which bound on the Euclidean length of a vector gives L_C: "half" of the diameter of C (the default),
            or "whole" as printed.
        smoothness: A bound on L, exact; by default the problem's own.
    """

    epsilon: Fraction
    delta: Fraction
    adjacency: type[A]
    y_step: YStep | None = None
    calibration: Literal["exact", "printed"] | None = None
    constant: Fraction | None = None
    steps: int | None = None
    constraint: LinearMinimizationOracle | None = None
    diameter: Literal["half", "whole"] | None = None
    smoothness: Fraction | None = None


@dataclass(frozen=True)
class Plan(Planned[L2, ApproximateDP, A]):
    """T mirror steps on a ball, and how y is made of them.

    Attributes:
        std: Standard deviation of a noisy answer per coordinate, rounded up.
        steps: Answers: T, and as printed as many again without noise.
        y_step: How y is made.
        mirror: The map of the constraint set.
        step_size: alpha_{k+1} over k + 2, rounded down.
        descent: How far the y-step goes against a gradient; zero where y is coupled.
        start: x_0, shape (p,).
        calibrated: Whether the noise was made for the budget, so that it is kept; Eq. (9) leaves a constant open.
        excess_bound: What Theorem 5.4 promises of the mean excess risk, rounded up; infinite where it promises nothing.
    """

    std: float
    steps: int
    y_step: YStep
    mirror: MirrorMap
    step_size: float
    descent: float
    start: tuple[float, ...]
    calibrated: bool
    excess_bound: float

    @property
    def iterations(self) -> int:
        """T."""
        return self.steps // 2 if self.y_step == "exact" else self.steps

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each answer."""
        return ((0.0, self.std) if self.y_step == "exact" else (self.std,)) * self.iterations

    @property
    def promise(self) -> PrivacyLoss[ApproximateDP, A] | None:
        """The budget where the noise was calibrated for it; else the claims are judged."""
        return self.claimed if self.calibrated else None

    @property
    def numbers(self) -> dict[str, Any]:
        """Those of the map, and a number for the y-step; a kernel that decides on a double is given exactly that."""
        mirror, radius = self.mirror, self.mirror.ball.radius
        exact_ones = {"exponent": mirror.index, "dual": mirror.dual, "scale": mirror.scale, "radius": radius}
        doubles = {name: float(x) if Fraction(float(x)) == x else x for name, x in exact_ones.items()}
        return {**doubles, "kind": mirror.kind, "y_step": _CODES[self.y_step]}

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Linear losses move each gradient by the whole sensitivity; the constraint bends the output."""
        shift = problem.sensitivity(self.sensitivity.adjacency).value
        return tuple(Move(shift, std, self.iterations) for std in dict.fromkeys(self.stds))


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the set is not centrally symmetric or has no map here.

    References:
        Wang, Ye and Xu 2017, Algorithm 3, Eqs. (9) and (77); errata E1, E8, E28.

    >>> from dpref.problems.examples import huber_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(huber_problem(), Params(Fraction(1), Fraction(1, 100), ReplaceOne, steps=3))
    >>> made.steps, made.step_size, made.y_step  # L_C is 1 times 2 squared
    (3, 0.0625, 'coupled')
    """
    y_step = _y_step(params)
    budget = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    mirror = mirror_map(_ball(problem, params.constraint), problem.dimension)
    if y_step != "coupled" and mirror.ball.p != 2 and problem.dimension > 1:
        rule = f"the {y_step} y-step, a minimum over C, has a closed form on the Euclidean ball only: couple y instead"
        raise InvalidArgumentError("y_step", mirror.ball.name, rule)
    start = _start(problem, mirror, params.start)
    L, inside = _smoothness(problem, mirror, params)
    divergence, spread = exact(upper(evaluate(lambda: mirror.most(start)))), _spread(mirror)
    steps = _steps(problem, params, budget, (inside, divergence, spread))
    std = _std(problem, params, budget, steps)
    weighted = L if y_step == "exact" else inside  # line 4 prints L (E8)
    curvature = inside if y_step == "exact" else 2 * inside
    descent = formulas.descent_length(RATIONAL, curvature, mirror.ball.radius)
    promised = params.form is Form.REPAIRED and all(h.holds for h in common_hypotheses(problem, "theorem-5.4"))
    given = inside, divergence, Fraction(steps), exact(std) ** 2 * spread
    return Plan(
        form=params.form,
        claimed=PrivacyLoss(budget[0], ApproximateDP, params.adjacency, budget[1]),
        sensitivity=problem.sensitivity(params.adjacency),
        std=std,
        steps=2 * steps if y_step == "exact" else steps,
        y_step=y_step,
        mirror=mirror,
        step_size=float_down(formulas.mirror_weight(RATIONAL, weighted, Fraction(0)) / 2),
        descent=0.0 if y_step == "coupled" else float_down(descent),
        start=tuple(map(float, start)),
        calibrated=params.form is Form.REPAIRED and params.calibration != "printed",
        excess_bound=float_up(utility.excess_bound(RATIONAL, *given)) if promised else math.inf,
    )


def _y_step(params: Params[Any]) -> YStep:
    """How y is made; the printed form has one way, and the repaired one two others."""
    if params.form is Form.AS_PRINTED:
        if params.y_step not in {None, "exact"}:
            raise InvalidArgumentError("y_step", params.y_step, "must be exact in the printed form (line 6)")
        return "exact"
    if params.y_step == "exact":
        raise InvalidArgumentError("y_step", params.y_step, "releases an exact gradient: must be coupled or noisy")
    return params.y_step or "coupled"


def _ball(problem: ERMProblem, constraint: LinearMinimizationOracle | None) -> LpBall:
    """C, where it is a ball within the problem's domain; the others are refused by name."""
    domain = problem.domain
    if not isinstance(domain, L2Ball | WholeSpace):
        raise InvalidArgumentError("domain", domain.name, "must be a Euclidean ball or the whole space")
    if constraint is None:
        if domain.radius is None:
            raise InvalidArgumentError(
                "constraint", None, "must be given where the problem's domain is the whole space"
            )
        return LpBall(Fraction(2), domain.radius, domain.name)
    if isinstance(constraint, Polytope) and not _symmetric(constraint):
        raise InvalidArgumentError("constraint", constraint.name, "must be centrally symmetric, C = -C (Section 5)")
    if not isinstance(constraint, LpBall):
        raise InvalidArgumentError("constraint", constraint.name, "has no mirror map here: must be an LpBall")
    reach = mirror_map(constraint, problem.dimension).half_diameter_squared
    if domain.radius is not None and reach > domain.radius**2:
        rule = f"must lie within the problem's domain, the Euclidean ball of radius {domain.radius}"
        raise InvalidArgumentError("constraint", constraint.radius, rule)
    return constraint


def _symmetric(polytope: Polytope) -> bool:
    """Whether with each vertex its opposite is one."""
    rows = {tuple(row) for row in (polytope.vertices + 0.0).tolist()}
    return all(tuple(row) in rows for row in (0.0 - polytope.vertices).tolist())


def _start(problem: ERMProblem, mirror: MirrorMap, given: FloatArray | None) -> FloatArray:
    """x_0, which must lie in C; of a point on its edge what rounding put outside is taken back."""
    start, radius = np.array(problem.start(given)), float(mirror.ball.radius)
    norm = lp_norm(start, mirror.ball.p)
    if norm > radius * (1 + 2.0**-40):
        rule = f"must lie in the constraint set, of radius {mirror.ball.radius}"
        raise InvalidArgumentError("start", start, rule)
    return start if norm <= radius else np.asarray(start * (radius / norm * (1 - 2.0**-50)))


def _smoothness(problem: ERMProblem, mirror: MirrorMap, params: Params[Any]) -> tuple[Fraction, Fraction]:
    """L, and L_C by the bound that is asked for; as printed, the whole diameter's."""
    own = problem.smoothness
    L = own if params.smoothness is None else positive_rational("smoothness", params.smoothness)
    if own > L or L == 0:
        rule = f"must be positive, and at least the problem's own, {own}"
        raise InvalidArgumentError("smoothness", params.smoothness, rule)
    printed = params.form is Form.AS_PRINTED
    if printed and params.diameter == "half":
        raise InvalidArgumentError("diameter", params.diameter, "must be whole in the printed form (line 6)")
    whole = printed or params.diameter == "whole"
    return L, L * mirror.half_diameter_squared * (4 if whole else 1)


def _spread(mirror: MirrorMap) -> Fraction:
    """W of Theorem 5.4, from the certified width or a bound on it."""
    width = exact(gaussian_width(mirror.ball, mirror.dimension).value)
    return utility.spread(RATIONAL, width, mirror.half_diameter_squared)


def _steps(
    problem: ERMProblem, params: Params[Any], budget: tuple[Fraction, Fraction], theorem: tuple[Fraction, ...]
) -> int:
    """T as given, or the theorem's, rounded up, from L_C, a bound on the divergence, and W."""
    if params.steps is not None:
        return natural("steps", params.steps, most=MOST_IN_A_PLAN)
    if params.form is Form.AS_PRINTED:
        raise InvalidArgumentError("steps", None, "is needed by the printed form, whose theorem leaves a constant open")
    smoothness, divergence, spread = theorem
    per_step = exact(_std(problem, params, budget, 1)) ** 2  # sigma^2 grows like T

    def wanted() -> arb:
        return formulas.iterations(BALL, *map(ball, (smoothness, divergence, per_step, spread)))

    return natural("steps", math.ceil(upper(evaluate(wanted))), most=MOST_IN_A_PLAN)


def _std(problem: ERMProblem, params: Params[Any], budget: tuple[Fraction, Fraction], steps: int) -> float:
    """The noise of T answers, rounded up."""
    printed = params.form is Form.AS_PRINTED or params.calibration == "printed"
    if printed != (params.constant is not None):
        raise InvalidArgumentError("constant", params.constant, "is needed by the noise of Eq. (9), and only by it")
    if params.form is Form.AS_PRINTED and params.calibration == "exact":
        raise InvalidArgumentError("calibration", params.calibration, "belongs to the repaired form")
    epsilon, delta = budget
    if not printed:
        sensitivity = problem.sensitivity(params.adjacency).value
        return float_up(exact(gaussian_noise_multiplier(epsilon, delta, steps=steps)) * sensitivity)
    c = ball(positive_rational("constant", params.constant))

    def std() -> arb:
        G, n, log = ball(problem.gradient_bound), ball(problem.n), -ball(delta).log()
        return formulas.printed_variance(BALL, c, G, ball(steps), log, n, ball(epsilon)).sqrt()

    return upper(evaluate(std))


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: T Gaussian answers; as printed, T without noise as well.

    >>> from dpref.problems.examples import huber_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(huber_problem(), Params(Fraction(1), Fraction(1, 100), ReplaceOne, steps=3))
    >>> print(ledger(replace(made, std=2.5)))  # the sensitivity is 1
    compose(gaussian(noise_multiplier=5/2), 3) under replace-one
    """
    events = [gaussian_event(plan.sensitivity, std) for std in plan.stds[: plan.steps // plan.iterations]]
    one = events[0] if len(events) == 1 else Compose(tuple(events))
    return Ledger(canonical(Repeat(one, plan.iterations)), plan.sensitivity.adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.problems.examples import huber_problem
    >>> from dpref.units import ReplaceOne
    >>> [p.form.value for p in examples(huber_problem(), ReplaceOne)][-1]
    'as-printed'
    """
    radius = problem.domain.radius or Fraction(1)
    base = Params(Fraction(1), Fraction(1, 10**6), adjacency, steps=5, constraint=LpBall(Fraction(2), radius))
    return (
        base,
        replace(base, constraint=LpBall(Fraction(1), radius), calibration="exact", diameter="half"),
        replace(base, constraint=LpBall(Fraction(3, 2), radius), diameter="whole"),
        replace(base, constraint=LpBall(math.inf, radius / problem.dimension)),
        replace(base, y_step="noisy", calibration="printed", constant=Fraction(16)),
        replace(base, y_step="noisy"),
        replace(base, form=Form.AS_PRINTED, constant=Fraction(16)),
    )
