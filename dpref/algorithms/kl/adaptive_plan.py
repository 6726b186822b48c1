r"""The numbers of adaptive noisy gradient descent: formulas, plan and ledger, all from public information.

Notation of the paper: $L_0,L_1$ the Lipschitz and smoothness constants of each record's loss, $N_t$ the noisy norm of
the gradient, $\hat\sigma$ the noise of the norm, $\sigma_t$ that of the gradient; m is the most rounds.

Units: $L_0$, $N_t$, sensitivities and noises are those of a gradient; $\rho,\beta,n,d$ and m are numbers.

Source: Menart et al. 2024, Algorithm 3, by its lines; the errata's 3.3s and E22 for the repaired constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar, get_args

from flint import arb

from dpref.algorithms.choices import check_choices
from dpref.algorithms.forms import Form
from dpref.checks import finite_array, natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import standard_multiplier
from dpref.privacy.ledger import Compose, Event, FilteredGaussians, Gaussian, Ledger, Repeat, canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, FloatArray, Ops, T, ball, evaluate, exact, float_up, lower, upper
from dpref.units import L2, Adjacency, Sensitivity

A = TypeVar("A", bound=Adjacency)
Reading: TypeAlias = Literal["scalar", "vector", "absolute", "clamped"]

READINGS: Final[tuple[Reading, ...]] = get_args(Reading)
_SLACK: Final = 1 + Fraction(1, 2**30)  # covers the roundings of the printed form's doubles

# ------------------------------------------------------------------------------------ formulas


def printed_norm_noise(o: Ops[T], bound: T, n: T, rho: T) -> T:
    r"""$\hat\sigma=L_0/(\sqrt n\rho^{1/4})$ (line 3).

    Args:
        bound: $L_0$, the largest norm of a record's gradient.
        n: Number of records.
        rho: zCDP budget of the run.

    >>> from dpref.reals import FLOAT
    >>> printed_norm_noise(FLOAT, bound=1.0, n=100.0, rho=0.0625)  # 1 / (10 * 1/2)
    0.2
    """
    return bound / o.sqrt(n * o.sqrt(rho))


def printed_spread(o: Ops[T], d: T, n: T, rho: T, beta: T) -> T:
    r"""$\sqrt{d\log(n\sqrt\rho/\beta)}$: what $N_t$ is divided by (line 4).

    Args:
        d: Number of parameters.
        n: Number of records.
        rho: zCDP budget of the run.
        beta: Failure probability of the utility bound.

    >>> from dpref.reals import FLOAT
    >>> round(printed_spread(FLOAT, d=4.0, n=100.0, rho=1.0, beta=0.01), 3)  # 2 sqrt(log 10^4)
    6.07
    """
    return o.sqrt(d * o.log(n * o.sqrt(rho) / beta))


def printed_floor(o: Ops[T], bound: T, n: T, rho: T) -> T:
    r"""$2L_0/(n\sqrt\rho)$: the least noise (line 4).

    Args:
        bound: $L_0$, the largest norm of a record's gradient.
        n: Number of records.
        rho: zCDP budget of the run.

    >>> from dpref.reals import FLOAT
    >>> printed_floor(FLOAT, bound=1.0, n=100.0, rho=1.0)
    0.02
    """
    return 2 * bound / (n * o.sqrt(rho))


def printed_charge(o: Ops[T], bound: T, n: T, spread: T, size: T) -> T:
    r"""$L_0^2d\log(n\sqrt\rho/\beta)/(n^2N^2)$: what line 6 records, before the cap.

    Args:
        bound: $L_0$, the largest norm of a record's gradient.
        n: Number of records.
        spread: $\sqrt{d\log(n\sqrt\rho/\beta)}$, from `printed_spread`.
        size: N, not zero.

    >>> from dpref.reals import FLOAT
    >>> printed_charge(FLOAT, bound=1.0, n=100.0, spread=25.0, size=0.5)  # (25 / 50)**2
    0.25
    """
    return (bound * spread / (n * size)) ** 2


def norm_noise(o: Ops[T], sensitivity: T, n: T, rho: T) -> T:
    r"""$\Delta\sqrt{n/(2\sqrt\rho)}$: a norm then costs $\sqrt\rho/n$ (3.3s).

    Args:
        sensitivity: $\Delta$, of the norm.
        n: Number of records.
        rho: zCDP budget of the run.

    >>> from dpref.reals import FLOAT
    >>> noise = norm_noise(FLOAT, sensitivity=0.02, n=200.0, rho=1.0)
    >>> round(noise, 12), round(gaussian_cost(FLOAT, 0.02, noise), 12)
    (0.2, 0.005)
    """
    return sensitivity * o.sqrt(n / (2 * o.sqrt(rho)))


def noise_radius(o: Ops[T], d: T, rounds: T, beta: T) -> T:
    r"""$G=\sqrt d+\sqrt{2\log(m/\beta)}$: $P(\|N(0,I_d)\|>G)\le\beta/m$ (3.3s, E23).

    Args:
        d: Number of parameters.
        rounds: m, the number of rounds.
        beta: Probability with which any of the rounds may exceed it.

    >>> from dpref.reals import FLOAT
    >>> round(noise_radius(FLOAT, d=4.0, rounds=100.0, beta=0.05), 3)  # 2 + sqrt(2 log 2000)
    5.899
    """
    return o.sqrt(d) + o.sqrt(2 * o.log(rounds / beta))


def norm_error(o: Ops[T], std: T, rounds: T, beta: T) -> T:
    r"""$\nu=\hat\sigma\sqrt{2\log(2m/\beta)}$: $P(|\hat b_t|>\nu)\le\beta/m$ (3.3s, E23).

    Args:
        std: $\hat\sigma$.
        rounds: m, the number of rounds.
        beta: Probability with which any of the rounds may exceed it.

    >>> from dpref.reals import FLOAT
    >>> round(norm_error(FLOAT, std=0.2, rounds=100.0, beta=0.05), 3)  # 0.2 sqrt(2 log 4000)
    0.815
    """
    return std * o.sqrt(2 * o.log(2 * rounds / beta))


def gaussian_cost(o: Ops[T], sensitivity: T, std: T) -> T:
    r"""$\Delta^2/(2\sigma^2)$: the zCDP of a Gaussian answer.

    Args:
        sensitivity: $\Delta$.
        std: $\sigma$.

    >>> from dpref.reals import FLOAT
    >>> gaussian_cost(FLOAT, sensitivity=1.0, std=2.0)
    0.125
    """
    return (sensitivity / std) ** 2 / 2


def descent(o: Ops[T], square: T, product: T, error: T, smoothness: T) -> T:
    r"""$\frac{3\|g\|^2+2\langle g,e\rangle-\|e\|^2}{8L_1}$: what a step of $1/(2L_1)$ along $g+e$ gains at least (E22).

    Args:
        square: $\|g\|^2$.
        product: $\langle g,e\rangle$.
        error: $\|e\|^2$.
        smoothness: $L_1$, the Lipschitz constant of the gradients.

    >>> from dpref.reals import FLOAT
    >>> descent(FLOAT, square=4.0, product=-1.0, error=2.0, smoothness=1.0)  # (12 - 2 - 2) / 8
    1.0
    """
    return (3 * square + 2 * product - error) / (8 * smoothness)


def stopping_bound(o: Ops[T], gamma: T, kappa: T, radius: T, floor: T, nu: T) -> T:
    r"""$\gamma^\kappa(2G\sigma_{\min}+\nu)^\kappa$: the excess risk where the run stops at a small gradient.

    Args:
        gamma: Scale of the KL condition.
        kappa: Exponent of the KL condition.
        radius: G, from `noise_radius`.
        floor: $\sigma_{\min}$, the least noise.
        nu: $\nu$, from `norm_error`.

    >>> from dpref.reals import FLOAT
    >>> round(stopping_bound(FLOAT, gamma=2.0, kappa=2.0, radius=1.0, floor=0.5, nu=1.0), 12)  # (2 * 2)**2
    16.0
    """
    return o.exp(kappa * o.log(gamma * (2 * radius * floor + nu)))


# ------------------------------------------------------------------------------------ plan


@dataclass(frozen=True)
class Params(Generic[A]):
    """What the user chooses.

    Attributes:
        rho: Exact, positive: the claim is rho-zCDP.
        failure: beta, exact, in (0, 1): probability with which the utility bound may fail.
        adjacency: The neighbouring relation, always explicit.
        form: As printed or repaired.
        reading: How the printed line 3 is read; None for the repaired form (and R1 for the printed one).
        smoothness: L_1, exact, at least the problem's; the problem's by default.
        rounds: A public cap on the number of rounds, or None.
        start: w_0, data-independent, shape (d,); the origin by default.

    >>> from dpref.units import ReplaceOne
    >>> Params(rho=Fraction(1), failure=Fraction(1, 20), adjacency=ReplaceOne).form.value
    'repaired'
    """

    rho: Fraction
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
        rho: What the run may spend, in zCDP.
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
    rho: Fraction
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
        """The largest number of answers: two for each round."""
        return 2 * self.rounds

    @property
    def stop_norm(self) -> float:
        """Repaired: the norm at or below which the run stops, 2 G sigma_min; as printed there is none."""
        return self.spread * self.floor_std if self.form is Form.REPAIRED else -math.inf

    @property
    def limit(self) -> float:
        """What the charges are tested against: rho, or rho / 2 as printed; rounded down."""
        return -float_up(-(self.rho if self.form is Form.REPAIRED else self.rho / 2))


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number that the run starts from, from public information alone.

    Args:
        problem: The public side; its gradient bound is L_0.
        params: The user's choices: budget, length of the run, options.

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
    check_choices(params)
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
    start = finite_array("start", [0.0] * d if params.start is None else params.start, ndim=1)
    if start.shape != (d,):
        raise InvalidArgumentError("start", start.shape, f"must have shape ({d},)")
    return Plan(
        form=params.form,
        reading=reading,
        sensitivity=sensitivity,
        rho=rho,
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

    Args:
        plan: What `plan` computed: rounds, step sizes, noise, start.

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
