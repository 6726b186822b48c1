r"""Adaptive noisy gradient descent (Menart et al. 2024, Algorithm 3): noise scaled to a private gradient norm.

.. math::
    N_t=\|\nabla F(w_t;S)\|+\hat b_t,\ \hat b_t\sim N(0,\hat\sigma^2),\qquad
    \nabla_t=\nabla F(w_t;S)+b_t,\ b_t\sim N(0,\sigma_t^2I_d),\qquad w_{t+1}=w_t-\tfrac1{2L_1}\nabla_t,

where $\sigma_t$ is proportional to $N_t$, and the run stops when its zCDP budget does not admit a further answer.
Neither $\gamma$ nor $\kappa$ of the KL condition is needed.

Source: M. Menart, E. Ullah, R. Arora, R. Bassily, C. Guzman, "Differentially private non-convex optimization under the
KL condition with optimal rates", Algorithm 3, Theorems 3 to 5.  Adjacency: replace-one in the paper's definition.
Cost: n gradients a round (the norm and the gradient share one pass).
Obligations: ``kl-condition/PO-20`` to ``PO-23``, ``PO-46``, ``E4``, ``E5``.

``Form.AS_PRINTED`` against the default ``Form.REPAIRED``:

* $N_t$: printed as a scalar plus "$N(0,I_d\hat\sigma^2)$".  ``reading`` says how: ``"scalar"`` (R1, the only one that
  fits Lemma 10), ``"vector"`` (R2, the norm of a noisy vector), ``"absolute"`` and ``"clamped"`` (R3).  Under R1 a
  negative $N_t$ gives the smallest noise and is charged next to nothing (E4).  Repaired: clamped at zero.
* charge: printed $\min\{L_0^2d\log(n\sqrt\rho/\beta)/(n^2N_t^2),\rho/2\}+\sqrt\rho/n$, tested after the round against
  $\rho/2$; repaired: $\Delta^2/(2\sigma^2)$ of the noise that is used, asked of a `ZCDPFilter` before each of the two
  answers of a round, with the true sensitivity (E5, E6).
* noise: printed $N_t/\sqrt{d\log(n\sqrt\rho/\beta)}$; repaired $N_t/(2G)$, which makes Lemma 12 true (E22).
* the floor: printed, the noise is never below $2L_0/(n\sqrt\rho)$ and the run goes on; repaired, it stops where the
  gradient is that small (E24).
* Theorem 3 releases $w_0,\dots,w_T$ and not the unused $w_{T+1}$: the answer that would make it is not asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from flint import arb

from dpref.algorithms.forms import Form
from dpref.checks import finite_array, natural, open_unit, positive_rational
from dpref.curator import Curator
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import norm
from dpref.mechanisms.gaussian import standard_multiplier
from dpref.privacy.filters import ZCDPFilter
from dpref.privacy.ledger import Compose, Event, FilteredGaussians, Gaussian, Ledger, Repeat, canonical
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import BALL, Array, FloatArray, Ops, T, as_double, ball, evaluate, exact, float_up, lower, upper
from dpref.units import L2, ZCDP, Adjacency, PrivacyLoss, Sensitivity

A = TypeVar("A", bound=Adjacency)
Reading: TypeAlias = Literal["scalar", "vector", "absolute", "clamped"]
Stop: TypeAlias = Literal["", "budget", "small gradient", "rounds"]

READINGS: Final[tuple[Reading, ...]] = get_args(Reading)
_SLACK: Final = 1 + Fraction(1, 2**30)  # covers the roundings of the printed form's doubles

# ------------------------------------------------------------------------------------ formulas


def printed_norm_noise(o: Ops[T], bound: T, n: T, rho: T) -> T:
    r"""$\hat\sigma=L_0/(\sqrt n\rho^{1/4})$ (line 3)."""
    return bound / o.sqrt(n * o.sqrt(rho))


def printed_spread(o: Ops[T], d: T, n: T, rho: T, beta: T) -> T:
    r"""$\sqrt{d\log(n\sqrt\rho/\beta)}$: what $N_t$ is divided by (line 4)."""
    return o.sqrt(d * o.log(n * o.sqrt(rho) / beta))


def printed_floor(o: Ops[T], bound: T, n: T, rho: T) -> T:
    r"""$2L_0/(n\sqrt\rho)$: the least noise (line 4)."""
    return 2 * bound / (n * o.sqrt(rho))


def printed_charge(o: Ops[T], bound: T, n: T, spread: T, size: T) -> T:  # noqa: ARG001
    r"""$L_0^2d\log(n\sqrt\rho/\beta)/(n^2N^2)$: what line 6 records, before the cap."""
    return (bound * spread / (n * size)) ** 2


def norm_noise(o: Ops[T], sensitivity: T, n: T, rho: T) -> T:
    r"""$\Delta\sqrt{n/(2\sqrt\rho)}$: a norm then costs $\sqrt\rho/n$."""
    return sensitivity * o.sqrt(n / (2 * o.sqrt(rho)))


def noise_radius(o: Ops[T], d: T, rounds: T, beta: T) -> T:
    r"""$G=\sqrt d+\sqrt{2\log(m/\beta)}$: $P(\|N(0,I_d)\|>G)\le\beta/m$."""
    return o.sqrt(d) + o.sqrt(2 * o.log(rounds / beta))


def norm_error(o: Ops[T], std: T, rounds: T, beta: T) -> T:
    r"""$\nu=\hat\sigma\sqrt{2\log(2m/\beta)}$: $P(|\hat b_t|>\nu)\le\beta/m$."""
    return std * o.sqrt(2 * o.log(2 * rounds / beta))


def gaussian_cost(o: Ops[T], sensitivity: T, std: T) -> T:  # noqa: ARG001
    r"""$\Delta^2/(2\sigma^2)$."""
    return (sensitivity / std) ** 2 / 2


def descent(o: Ops[T], square: T, product: T, error: T, smoothness: T) -> T:  # noqa: ARG001
    r"""$\frac{3\|g\|^2+2\langle g,e\rangle-\|e\|^2}{8L_1}$: what a step of $1/(2L_1)$ along $g+e$ gains at least (E22).

    Args:
        o: The number system.
        square: $\|g\|^2$.
        product: $\langle g,e\rangle$.
        error: $\|e\|^2$.
        smoothness: $L_1$.
    """
    return (3 * square + 2 * product - error) / (8 * smoothness)


def stopping_bound(o: Ops[T], gamma: T, kappa: T, radius: T, floor: T, nu: T) -> T:
    r"""$\gamma^\kappa(2G\sigma_{\min}+\nu)^\kappa$: the excess risk where the run stops at a small gradient."""
    return o.exp(kappa * o.log(gamma * (2 * radius * floor + nu)))


# ------------------------------------------------------------------------------------ plan


@dataclass(frozen=True)
class Params(Generic[A]):
    """What the user chooses.

    Attributes:
        budget: rho, exact, positive: the claim is rho-zCDP.
        failure: beta, exact, in (0, 1): probability with which the utility bound may fail.
        adjacency: The neighbouring relation, always explicit.
        form: As printed or repaired.
        reading: How the printed line 3 is read; None for the repaired form (and R1 for the printed one).
        smoothness: L_1, exact, at least the problem's; the problem's by default.
        rounds: A public cap on the number of rounds, or None.
        start: w_0, data-independent, shape (d,); the origin by default.
    """

    budget: Fraction
    failure: Fraction
    adjacency: type[A]
    form: Form = Form.REPAIRED
    reading: Reading | None = None
    smoothness: Fraction | None = None
    rounds: int | None = None
    start: FloatArray | None = None


@dataclass(frozen=True)
class Plan(Generic[A]):
    r"""Every number that does not depend on answers.

    Attributes:
        form: As printed or repaired.
        reading: How N_t is made.
        sensitivity: True l2 sensitivity of the norm and of the gradient.
        budget: rho.
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

    form: Form
    reading: Reading
    sensitivity: Sensitivity[L2, A]
    budget: Fraction
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
    def steps(self) -> int:
        """The most answers: two a round."""
        return 2 * self.rounds

    @property
    def stop_norm(self) -> float:
        """Repaired: the norm at or below which the run stops, 2 G sigma_min; as printed there is none."""
        return self.spread * self.floor_std if self.form is Form.REPAIRED else -math.inf

    @property
    def limit(self) -> float:
        """What the charges are tested against: rho, or rho / 2 as printed; rounded down."""
        return -float_up(-(self.budget if self.form is Form.REPAIRED else self.budget / 2))


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number that the run starts from, from public information alone.

    Args:
        problem: The public side; its gradient bound is L_0.
        params: The user's choices.

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
    rho, beta = positive_rational("budget", params.budget), open_unit("failure", params.failure)
    repaired = params.form is Form.REPAIRED
    reading = params.reading or ("clamped" if repaired else "scalar")
    if reading not in READINGS or (repaired and reading != "clamped"):
        raise InvalidArgumentError("reading", reading, "must be clamped, or with the printed form another reading")
    smoothness = _smoothness(problem, params)
    sensitivity = problem.sensitivity(params.adjacency)
    bound, n, d = problem.gradient_bound, problem.n, problem.dimension
    if n * n * rho <= beta * beta:
        raise InvalidArgumentError("budget", rho, "n sqrt(rho) / beta must exceed one: its logarithm scales the noise")
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
    start = finite_array("start", [0.0] * d if params.start is None else params.start, ndim=1)
    if start.shape != (d,):
        raise InvalidArgumentError("start", start.shape, f"must have shape ({d},)")
    return Plan(
        form=params.form,
        reading=reading,
        sensitivity=sensitivity,
        budget=rho,
        failure=beta,
        rounds=rounds if params.rounds is None else min(rounds, natural("rounds", params.rounds)),
        norm_std=norm_std,
        floor_std=floor_std,
        spread=spread,
        norm_cost=norm_cost,
        charge=charge,
        step_size=lower(evaluate(lambda: 1 / (2 * ball(smoothness)))),
        start=tuple(map(float, start)),
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
    """What one Gaussian answer costs, exact."""
    return 1 / (2 * standard_multiplier(sensitivity, std) ** 2)


def ledger(plan: Plan[A]) -> Ledger[A]:
    r"""An upper budget: what a run spends is at most this, on every path.

    Repaired: what the filter lets through.  As printed with $N_t\ge0$ (R2, R3): $\frac c2\rho+c\frac{\sqrt\rho}n$ with
    c = 2 under replace-one and 1/2 where the sensitivity is $L_0/n$ (E5).  As printed under R1 nothing better is true
    than every round at the least noise (E4).
    """
    adjacency = plan.sensitivity.adjacency
    if plan.form is Form.REPAIRED:
        return Ledger(FilteredGaussians(plan.budget), adjacency)
    norm_event = Gaussian(standard_multiplier(plan.sensitivity, plan.norm_std))
    if plan.reading == "scalar":
        floor = Gaussian(standard_multiplier(plan.sensitivity, plan.floor_std))
        events: tuple[Event, ...] = (Repeat(norm_event, plan.rounds), Repeat(floor, plan.rounds))
        return Ledger(canonical(Compose(events)), adjacency)
    norm_rho = exact_cost(plan.sensitivity, plan.norm_std)
    share = norm_rho / exact(plan.norm_cost)  # c: the true cost over the recorded one
    return Ledger(FilteredGaussians((share * plan.budget / 2 + norm_rho) * _SLACK), adjacency)


# ------------------------------------------------------------------------------------ run


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,)
    recorded: float  # as printed: the sum of the recorded charges
    t: int  # rounds done
    stop: Stop  # why the run has ended, or nothing


def init(problem: ERMProblem, plan: Plan[A], o: Ops[Array]) -> State:
    """w_0, projected where the problem has a constraint set."""
    return State(problem.domain.project(o, o.lift(plan.start)), 0.0, 0, "")


def step(
    problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A], filter_: ZCDPFilter[A]
) -> State:
    """One round: a noisy norm, the noise that follows from it, a noisy gradient, a step; or the reason to stop."""
    o, repaired = curator.ops, plan.form is Form.REPAIRED
    if state.t >= plan.rounds:
        return state._replace(stop="rounds")
    cost = PrivacyLoss(exact(plan.norm_cost), ZCDP, plan.sensitivity.adjacency)
    if repaired and not filter_.admits(cost):
        return state._replace(stop="budget")
    gradient = curator.hold(partial(problem.mean_gradient, o, state.w), label=f"gradient at w_{state.t}")
    regular = partial(problem.regularised, o, state.w)
    noisy = curator.held_gaussian(
        regular if plan.reading == "vector" else lambda g: norm(o, regular(g)).reshape(1),
        held=(gradient,),
        sensitivity=plan.sensitivity,
        std=plan.norm_std,
        label=f"norm at w_{state.t}",
    )
    size = gradient_size(plan, as_double(norm(o, noisy) if plan.reading == "vector" else noisy))
    recorded = state.recorded
    if repaired:
        filter_.spend(cost)
        if size <= plan.stop_norm:
            return state._replace(stop="small gradient")
    else:
        recorded += recorded_cost(plan, size)
        if recorded > plan.limit:
            return state._replace(recorded=recorded, stop="budget")
    std = gradient_noise(plan, size)
    if repaired:
        cost = PrivacyLoss(exact(float_up(exact_cost(plan.sensitivity, std))), ZCDP, plan.sensitivity.adjacency)
        if not filter_.admits(cost):
            return state._replace(stop="budget")
        filter_.spend(cost)
    answer = curator.held_gaussian(
        lambda g: g, held=(gradient,), sensitivity=plan.sensitivity, std=std, label=f"gradient at w_{state.t}"
    )
    w = problem.domain.project(o, state.w - o.lift(plan.step_size) * regular(answer))
    return State(w, recorded, state.t + 1, "")


def gradient_size(plan: Plan[Any], noisy: float) -> float:
    """N_t from the noisy norm, as it is read."""
    if plan.reading == "absolute":
        return abs(noisy)
    return max(noisy, 0.0) if plan.reading == "clamped" else noisy


def gradient_noise(plan: Plan[Any], size: float) -> float:
    r"""$\sigma_t=\max\{N_t/s,\sigma_{\min}\}$, s the plan's spread."""
    return max(size / plan.spread, plan.floor_std)


def recorded_cost(plan: Plan[Any], size: float) -> float:
    """Line 6: what the printed form charges for a round."""
    cap = float(plan.budget) / 2
    square = size * size
    return (cap if cap * square <= plan.charge else plan.charge / square) + plan.norm_cost


def trace(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> State:
    """Run and return the last state, with the reason why the run has ended.

    Args:
        problem: The public side.
        plan: The numbers.
        curator: The private side; holds the records and the noise.
    """
    filter_ = ZCDPFilter(PrivacyLoss(plan.budget, ZCDP, plan.sensitivity.adjacency))
    state = init(problem, plan, curator.ops)
    while not state.stop:
        state = step(problem, plan, state, curator, filter_)
    return state


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Algorithm 3.

    Args:
        problem: The public side.
        plan: The numbers.
        curator: The private side; holds the records and the noise.

    Returns:
        The last iterate that was released, shape (d,).
    """
    return trace(problem, plan, curator).w


def promise(plan: Plan[Any]) -> PrivacyLoss[ZCDP, Any] | None:
    """rho-zCDP of the repaired form; the printed forms are judged by their claims."""
    return PrivacyLoss(plan.budget, ZCDP, plan.sensitivity.adjacency) if plan.form is Form.REPAIRED else None
