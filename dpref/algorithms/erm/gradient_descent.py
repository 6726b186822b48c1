r"""DP-GD: noisy gradient descent (Wang, Ye, Xu 2017, Algorithm 4).

.. math:: x_t = \Pi_C\big(x_{t-1} - \eta\,(\nabla F(x_{t-1}, D) + z_{t-1})\big), \qquad z_{t-1} \sim N(0, \sigma^2 I_p)

and the output is $x_T$ (Section 6.1, Polyak-Lojasiewicz) or $x_m$ with $m$ uniform on $\{0,\dots,T-1\}$ (Section 6.2,
(non-)convex).  Privacy: Theorem 6.1 with $\sigma^2$ of Eq. (11); utility: Theorems 6.2 and 6.3.

Source: D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited", 2017.
Adjacency: replace-one in the paper (sensitivity $2G/n$); any here.  Cost: n gradients a step.
Obligations: ``dp-erm-revisited/P47`` to ``P49``, ``P52``, ``dp-erm-revisited/E9``, ``sensitivity/replace-one``.

What differs from the print, and why:

* Eq. (11) leaves its constant c open and is claimed for every epsilon > 0; no c works for all of them (E9).
  ``form=Form.AS_PRINTED`` takes c from the caller; the default is the value that the paper's own proof gives,
  $\sigma^2=\Delta^2T(2\ln\frac1\delta+\varepsilon)/\varepsilon^2$, and ``"zcdp"`` and ``"exact"`` are tighter.
* The output index is printed as uniform on $\{0,\dots,m-1\}$, which is circular; the proof has $\{0,\dots,T-1\}$ (E16).
* The print never projects although its assumptions hold on C only (E14); a domain is projected on where one is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from flint import arb

from dpref.algorithms.choices import check_choices
from dpref.algorithms.forms import Form
from dpref.checks import finite_array, natural, open_unit, positive_double, positive_rational
from dpref.curator import Curator
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.calibration import gaussian_noise_multiplier
from dpref.privacy.conversions import zcdp_rho
from dpref.privacy.ledger import Ledger, Repeat
from dpref.problems.erm import ERMProblem, Records, step_size
from dpref.reals import BALL, Array, FloatArray, Ops, T, ball, evaluate, exact, float_up, upper
from dpref.units import L2, Adjacency, Sensitivity

A = TypeVar("A", bound=Adjacency)
Calibration = Literal["safe", "zcdp", "exact"]
Output = Literal["last", "random"]

# ------------------------------------------------------------------------------------ formulas


def printed_variance(o: Ops[T], c: T, G: T, steps: T, log_inverse_delta: T, n: T, epsilon: T) -> T:
    r"""$\sigma^2 = c\,\frac{G^2T\ln(1/\delta)}{n^2\varepsilon^2}$ (Eq. 11), c unspecified in the paper.

    Args:
        c: The open constant.
        G: Bound on the gradients.
        steps: T, the number of steps.
        log_inverse_delta: $\ln\frac1\delta$.
        n: Number of records.
        epsilon: Privacy budget.

    >>> from dpref.reals import RATIONAL
    >>> printed_variance(RATIONAL, *map(Fraction, (8, 1, 50, 10, 100, 2)))
    Fraction(1, 10)
    """
    return c * G * G * steps * log_inverse_delta / (n * n * epsilon * epsilon)


def safe_variance(o: Ops[T], sensitivity: T, steps: T, log_inverse_delta: T, epsilon: T) -> T:
    r"""$\sigma^2 = \Delta^2T\frac{2\ln(1/\delta)+\varepsilon}{\varepsilon^2}$ (the proof of Theorem 6.1; E9).

    Args:
        sensitivity: $\Delta$ of one query, in the gradient's units.
        steps: T, the number of steps.
        log_inverse_delta: $\ln\frac1\delta$.
        epsilon: Privacy budget.

    >>> from dpref.reals import RATIONAL
    >>> safe_variance(RATIONAL, *map(Fraction, (3, 4, 1, 2)))  # 9 * 4 * (2 + 2) / 4
    Fraction(36, 1)
    """
    return sensitivity * sensitivity * steps * (2 * log_inverse_delta + epsilon) / (epsilon * epsilon)


def zcdp_variance(o: Ops[T], sensitivity: T, steps: T, log_inverse_delta: T, epsilon: T) -> T:
    r"""$\sigma^2 = \frac{\Delta^2T}{2\rho}$ with $\rho=(\sqrt{L+\varepsilon}-\sqrt L)^2$, $L=\ln(1/\delta)$.

    Args:
        sensitivity: $\Delta$ of one query, in the gradient's units.
        steps: T, the number of steps.
        log_inverse_delta: $\ln\frac1\delta$.
        epsilon: Privacy budget.

    >>> from dpref.reals import FLOAT
    >>> zcdp_variance(FLOAT, 0.5, 8.0, 1.0, 3.0)  # rho = (2 - 1)^2
    1.0
    """
    return sensitivity * sensitivity * steps / (2 * zcdp_rho(o, epsilon, log_inverse_delta))


def steps_polyak_lojasiewicz(o: Ops[T], kappa: T, signal: T) -> T:
    r"""$T=\kappa\ln\frac{n^2\varepsilon^2}{pG^2\ln(1/\delta)}$ (Theorem 6.2, whose print hides $\kappa$; E17).

    Args:
        kappa: Condition number $L/\mu$.
        signal: The fraction in the logarithm.

    >>> from dpref.reals import FLOAT
    >>> round(steps_polyak_lojasiewicz(FLOAT, 10.0, 1e4), 3)  # 10 * 4 ln 10
    92.103
    """
    return kappa * o.log(signal)


def steps_nonconvex(o: Ops[T], L: T, gap: T, variance_per_step: T, dimension: T) -> T:
    r"""$T=\sqrt{2L\Delta_0/(p\,\sigma^2/T)}$: balances the two terms of Eq. (87) (Theorem 6.3, P45).

    Args:
        L: Smoothness of the objective.
        gap: $\Delta_0=F(x_0)-F^*$.
        variance_per_step: $\sigma^2/T$, which does not depend on T.
        dimension: p, the number of parameters.

    >>> from dpref.reals import FLOAT
    >>> steps_nonconvex(FLOAT, 2.0, 1.0, 0.25, 4.0)
    2.0
    """
    return o.sqrt(2 * L * gap / (dimension * variance_per_step))


# ------------------------------------------------------------------------------------ plan


@dataclass(frozen=True)
class Params(Generic[A]):
    """What the user chooses.

    Attributes:
        epsilon: Privacy budget, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        steps: T, the number of steps.
        adjacency: The neighbouring relation, always explicit.
        form: As printed (Eq. 11, with an open constant) or repaired.
        calibration: How the repaired form computes sigma: "safe" (the default) is the proof's own value.
        constant: c of Eq. (11), for the printed form only.
        output: "last" (Theorem 6.2) or "random" (Theorem 6.3).
        step_size: eta, exact; 1/L by default (rounded down).
        start: x_0, data-independent, shape (p,); the origin by default.
    """

    epsilon: Fraction
    delta: Fraction
    steps: int
    adjacency: type[A]
    form: Form = Form.REPAIRED
    calibration: Calibration | None = None
    constant: Fraction | None = None
    output: Output = "last"
    step_size: Fraction | None = None
    start: FloatArray | None = None


@dataclass(frozen=True)
class Plan(Generic[A]):
    """Every number that the run needs.

    Attributes:
        sensitivity: l2 sensitivity of each query.
        std: Standard deviation of each answer's noise per coordinate, rounded up.
        steps: T, the number of steps.
        step_size: eta, the step size.
        output: Which iterate is released.
        start: x_0, shape (p,).
        form: As printed or repaired.
        calibration: How the noise was computed; None as printed.
        claimed: The (epsilon, delta) that the noise was computed for.
    """

    sensitivity: Sensitivity[L2, A]
    std: float
    steps: int
    step_size: float
    output: Output
    start: tuple[float, ...]
    form: Form
    calibration: Calibration | None
    claimed: tuple[Fraction, Fraction]

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each step."""
        return (self.std,) * self.steps


class State(NamedTuple):
    """Where the run stands."""

    x: Array  # (p,)
    t: int  # steps done


def noise_std(problem: ERMProblem, params: Params[Any]) -> float:
    """The standard deviation that the calibration asks for, rounded up to a double.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        params: The user's choices: budget, length of the run, options.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the printed form has no constant.

    >>> from dpref.problems.losses import Logistic
    >>> from dpref.units import ReplaceOne
    >>> problem = ERMProblem(Logistic(), n=10, dimension=1)  # sensitivity 1/5
    >>> round(noise_std(problem, Params(Fraction(1), Fraction(1, 100), 1, ReplaceOne)), 4)  # root of 2 ln 100 + 1, / 5
    0.6391
    """
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    steps = natural("steps", params.steps)
    sensitivity = problem.sensitivity(params.adjacency).value
    printed, calibration = params.form is Form.AS_PRINTED, params.calibration or "safe"
    if printed != (params.constant is not None):
        raise InvalidArgumentError("constant", params.constant, "is needed by the printed form, and only by it")
    if printed and params.calibration is not None:
        raise InvalidArgumentError("calibration", params.calibration, "belongs to the repaired form")
    if calibration == "exact":
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


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        params: The user's choices: budget, length of the run, options.

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
    check_choices(params)
    if params.output not in {"last", "random"}:
        raise InvalidArgumentError("output", params.output, 'must be "last" or "random"')
    eta = step_size(problem) if params.step_size is None else positive_double("step_size", params.step_size)
    start = finite_array("start", [0.0] * problem.dimension if params.start is None else params.start, ndim=1)
    if start.shape != (problem.dimension,):
        raise InvalidArgumentError("start", start.shape, f"must have shape ({problem.dimension},)")
    return Plan(
        sensitivity=problem.sensitivity(params.adjacency),
        std=noise_std(problem, params),
        steps=params.steps,
        step_size=eta,
        output=params.output,
        start=tuple(map(float, start)),
        form=params.form,
        calibration=None if params.form is Form.AS_PRINTED else params.calibration or "safe",
        claimed=(Fraction(params.epsilon), Fraction(params.delta)),
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: T Gaussian answers.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> made = replace(examples.gradient_descent().plan, std=2.5)  # the sensitivity is 1
    >>> print(ledger(made))
    compose(gaussian(noise_multiplier=5/2), 2) under replace-one
    """
    return Ledger(Repeat(gaussian_event(plan.sensitivity, plan.std), plan.steps), plan.sensitivity.adjacency)


# ------------------------------------------------------------------------------------ run


def init(problem: ERMProblem, plan: Plan[A], o: Ops[Array]) -> State:
    """The state before the first step: the start, projected on the constraint set.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: What `plan` computed: number and size of the steps, noise, start.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.gradient_descent().live()
    >>> init(problem, replace(made, start=(3.0,)), curator.ops).x.tolist()  # the parameter lies in [-2, 2]
    [2.0]
    """
    return State(problem.domain.project(o, o.lift(plan.start)), 0)


def step(problem: ERMProblem, plan: Plan[A], state: State, curator: Curator[Records, A]) -> State:
    """One step: a noisy gradient, a move against it, a projection.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: What `plan` computed: number and size of the steps, noise, start.
        state: The iterate and the counters after the steps so far.
        curator: The private side; holds the records and the noise.

    A step without noise, from 0 against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.gradient_descent().live()
    >>> step(problem, made, init(problem, made, curator.ops), curator)
    State(x=array([0.5]), t=1)
    """
    o = curator.ops
    g = curator.gaussian(
        partial(problem.mean_gradient, o, state.x),
        sensitivity=plan.sensitivity,
        std=plan.std,
        label=f"gradient at x_{state.t}",
    )
    x = state.x - o.lift(plan.step_size) * problem.regularised(o, state.x, g)
    return State(problem.domain.project(o, x), state.t + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Take every step of Algorithm 4 and return the iterate that the plan releases.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: What `plan` computed: number and size of the steps, noise, start.
        curator: The private side; holds the records and the noise.

    Returns:
        x_T or x_m, shape (p,).

    Two steps without noise, against the gradient x - 1:

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.gradient_descent().live()
    >>> run(problem, made, curator).tolist()
    [0.75]
    """
    state = init(problem, plan, curator.ops)
    iterates = [state.x]
    for _ in range(plan.steps):
        state = step(problem, plan, state, curator)
        iterates.append(state.x)
    if plan.output == "last":
        return state.x
    return iterates[curator.uniform_index(plan.steps, label="output index")]
