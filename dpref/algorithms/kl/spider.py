r"""KL Spider (Menart et al. 2024, Algorithm 1): variance-reduced rounds with a stopping rule on private estimates.

Round k aims at the excess risk $\hat\Phi_k$: it estimates the gradient once with noise $\hat\sigma$, then follows it by
noisy gradient *differences*, which are less sensitive because every update has the same length $s_k$,

.. math::
    \nabla_{k,0}=\nabla F(w_{k,0})+b_{k,0},\qquad
    w_{k,t+1}=w_{k,t}-s_k\frac{\nabla_{k,t}}{\|\nabla_{k,t}\|},\qquad
    \nabla_{k,t+1}=\nabla_{k,t}+\nabla F(w_{k,t+1})-\nabla F(w_{k,t})+b_{k,t+1},

until $T_k$ updates are done or $\|\nabla_{k,t}\|<\frac7{8\gamma}\hat\Phi_k^{1/\kappa}$.

Source: M. Menart, E. Ullah, R. Arora, R. Bassily, C. Guzman, "Differentially private non-convex optimization under the
KL condition with optimal rates", Algorithm 1, Theorem 1, Lemmas 1, 2, 8, 9.  Adjacency: replace-one in the paper's
definition, its sensitivities are zero-out's.  Cost: n gradients an answer, at most $n\sum_kN_k$.
Obligations: ``kl-condition/PO-1``, ``PO-5``, ``PO-7``, ``PO-11``, ``PO-13``, ``PO-14``, ``E1``.

``Form.AS_PRINTED`` against the default ``Form.REPAIRED``:

* noise: printed $\hat\sigma=\frac{L_0\sqrt K}{n\sqrt\rho}$ and
  $\sigma_k=\frac{\hat\Phi_k^{1/\kappa}\sqrt{T_kK}}{\gamma n\sqrt\rho}$ whatever the adjacency, over $2\rho$ under
  replace-one (E1); repaired, each half of $\rho$ is shared out with the true sensitivities.  The floor's constant is 32
  as printed, 40 repaired.
* line 10 makes one update more than is used, and line 17 keeps the iterate before the one that passed the test (and
  none where the test fails at once: then $w_{k,0}$ is kept here); repaired: at most $N_k=\lfloor T_k\rfloor$ updates,
  and the last iterate is kept (E11, E12).
* where the floor is not below $F_0$, or $\beta'>\frac12$, the theorem promises nothing that $w_0$ does not already
  meet: the repaired form asks nothing and returns it (E13).

$K$ is rounded up before any noise scale is made from it, in both forms (E12).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from flint import arb

from dpref.algorithms.choices import check_choices
from dpref.algorithms.forms import Form
from dpref.algorithms.kl import spider_schedule as formulas
from dpref.checks import finite_array, open_unit, positive_rational
from dpref.curator import Curator, Held
from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import norm
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.ledger import Compose, Event, Ledger, Repeat, canonical
from dpref.problems.erm import ERMProblem, Records
from dpref.reals import BALL, Array, FloatArray, as_double, ball, evaluate, exact, lower, upper
from dpref.units import L2, ZCDP, Adjacency, PrivacyLoss, Sensitivity, differing_records

A = TypeVar("A", bound=Adjacency)

MOST_ROUNDS: Final = 1_000_000


@dataclass(frozen=True)
class Params(Generic[A]):
    """What the user chooses; everything is public.

    Attributes:
        rho: Exact, positive: the claim is rho-zCDP.
        failure: beta, exact, in (0, 1).
        gamma: Scale of the KL condition, exact, positive (a wrong one hurts utility, not privacy).
        kappa: Its exponent, exact, in [1, 2].
        adjacency: The neighbouring relation, always explicit.
        form: As printed or repaired.
        gap: F_0, exact: a bound on the excess risk of the start for every data set, at most (gamma L_0)^kappa, which
            (rounded down) is the default.
        smoothness: L_1, exact, at least the problem's; the problem's by default.
        start: w_0, data-independent, shape (d,); the origin by default.

    >>> from dpref.units import ReplaceOne
    >>> Params(Fraction(1), Fraction(1, 20), gamma=Fraction(1, 2), kappa=Fraction(2), adjacency=ReplaceOne).form.value
    'repaired'
    """

    rho: Fraction
    failure: Fraction
    gamma: Fraction
    kappa: Fraction
    adjacency: type[A]
    form: Form = Form.REPAIRED
    gap: Fraction | None = None
    smoothness: Fraction | None = None
    start: FloatArray | None = None


class Round(NamedTuple):
    """The numbers of one round."""

    target: float  # the excess risk aimed at
    threshold: float  # the estimate below which the round ends
    length: float  # of every update
    updates: int  # at most
    differences: int  # gradient differences released, at most
    std: float  # noise of a difference
    sensitivity: Fraction  # of a difference


@dataclass(frozen=True)
class Plan(Generic[A]):
    """Every number that the run needs.

    Attributes:
        form: As printed or repaired.
        sensitivity: True l2 sensitivity of a mean gradient.
        rho: What the run may spend, in zCDP.
        outer_std: Noise of the gradient that begins a round.
        rounds: The rounds; none where the start already meets the theorem.
        start: w_0, shape (d,).

    >>> from dpref.algorithms import examples
    >>> examples.spider(updates=2).plan.steps  # a gradient and a difference
    2
    """

    form: Form
    sensitivity: Sensitivity[L2, A]
    rho: Fraction
    outer_std: float
    rounds: tuple[Round, ...]
    start: tuple[float, ...]

    @property
    def steps(self) -> int:
        """The largest number of answers; each costs n gradients."""
        return sum(1 + r.differences for r in self.rounds)


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Args:
        problem: The public side; its gradient bound is L_0.
        params: The user's choices: budget, length of the run, options.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the printed form's own numbers do not exist.

    References:
        Menart et al. 2024, Algorithm 1; the errata's 3.1s.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> params = Params(Fraction(1), Fraction(1, 20), Fraction(1, 2), Fraction(2), ReplaceOne)
    >>> plan(logistic_problem(10**5), params).steps
    112
    """
    check_choices(params)
    given = _given(problem, params)
    start = finite_array("start", [0.0] * problem.dimension if params.start is None else params.start, ndim=1)
    if start.shape != (problem.dimension,):
        raise InvalidArgumentError("start", start.shape, f"must have shape ({problem.dimension},)")
    sensitivity = problem.sensitivity(params.adjacency)
    count = _count(given)
    outer, rounds = 0.0, tuple[Round, ...]()
    if count:
        outer = _up(
            lambda: (
                formulas.shared_noise(BALL, ball(sensitivity.value), ball(count), ball(given.rho))
                if given.repaired
                else formulas.printed_outer_noise(BALL, ball(given.bound), ball(count), ball(given.n), ball(given.rho))
            )
        )
        rounds = tuple(_round(given, count, target, params.adjacency) for target in _targets(given, count))
    return Plan(params.form, sensitivity, given.rho, outer, rounds, tuple(map(float, start)))


class _Given(NamedTuple):
    """Checked public numbers, exact."""

    rho: Fraction
    beta: Fraction
    gamma: Fraction
    kappa: Fraction
    gap: Fraction
    bound: Fraction
    smoothness: Fraction
    n: int
    d: int
    repaired: bool


def _given(problem: ERMProblem, params: Params[Any]) -> _Given:
    gamma, kappa = positive_rational("gamma", params.gamma), positive_rational("kappa", params.kappa)
    if not 1 <= kappa <= 2:
        raise InvalidArgumentError("kappa", kappa, "must lie in [1, 2]")
    smoothness = problem.smoothness if params.smoothness is None else positive_rational("smoothness", params.smoothness)
    if smoothness < problem.smoothness:
        raise InvalidArgumentError("smoothness", smoothness, f"must be at least the problem's {problem.smoothness}")
    bound = problem.gradient_bound
    most = evaluate(lambda: formulas.power(BALL, ball(gamma * bound), ball(kappa)))
    gap = exact(lower(most)) if params.gap is None else positive_rational("gap", params.gap)
    if ball(gap) > most:
        raise InvalidArgumentError("gap", gap, "must be at most (gamma L_0)^kappa")
    rho, beta = positive_rational("rho", params.rho), open_unit("failure", params.failure)
    repaired = params.form is Form.REPAIRED
    return _Given(rho, beta, gamma, kappa, gap, bound, smoothness, problem.n, problem.dimension, repaired)


def _up(formula: Callable[[], arb]) -> float:
    return upper(evaluate(formula))


def _hardness(g: _Given) -> arb:
    return formulas.condition(BALL, ball(g.gap), ball(g.gamma), ball(g.kappa), ball(g.smoothness))


def _least(g: _Given) -> arb:
    return formulas.least_excess(BALL, ball(g.gamma), ball(g.bound), ball(g.d), ball(g.n), ball(g.rho))


def _each(g: _Given, count: int) -> arb:
    return formulas.failure_each(BALL, ball(g.beta), ball(count), _least(g), ball(g.gap), ball(g.kappa))


def _floor(g: _Given, count: int) -> arb:
    constant = 40 if g.repaired else 32
    return formulas.floor(BALL, arb(constant), _least(g), ball(count), _each(g, count), ball(g.kappa))


def _count(g: _Given) -> int:
    """K, or 0 where the repaired form has nothing to do; whatever is not certain counts as nothing to do."""
    real = _up(lambda: formulas.real_rounds(BALL, _hardness(g), ball(g.gap), ball(g.kappa), _least(g)))
    if real > MOST_ROUNDS:
        raise InvalidArgumentError("gamma", g.gamma, f"needs more than {MOST_ROUNDS} rounds")
    count = max(0, math.ceil(real))
    if g.repaired:
        nothing = count == 0 or not (_each(g, count) <= arb(1) / 2 and _floor(g, count) < ball(g.gap))
        return 0 if nothing else count
    if count == 0 or not _each(g, count) < 1:
        raise InvalidArgumentError("rho", g.rho, "K and beta' of the printed form do not exist at so small a budget")
    return count


def _targets(g: _Given, count: int) -> list[float]:
    """Phi_1, ..., Phi_K, rounded up."""
    c = evaluate(lambda: formulas.contraction(BALL, _hardness(g)))
    least = evaluate(lambda: BALL.minimum(_floor(g, count), ball(g.gap)))
    return [min(upper(BALL.maximum(ball(g.gap) / c**k, least)), upper(ball(g.gap))) for k in range(1, count + 1)]


def _round(g: _Given, count: int, target: float, adjacency: type[Adjacency]) -> Round:
    phi = exact(target)
    real = evaluate(lambda: formulas.length(BALL, ball(g.gap), ball(phi), ball(g.kappa)))
    updates = max(1, math.floor(upper(real)))
    step = lower(
        evaluate(lambda: formulas.step_length(BALL, ball(phi), ball(g.gamma), ball(g.kappa), ball(g.smoothness)))
    )
    moved = differing_records(adjacency) * g.smoothness * exact(step) / g.n
    edge = evaluate(lambda: formulas.threshold(BALL, ball(phi), ball(g.gamma), ball(g.kappa)))
    if g.repaired:
        std = _up(lambda: formulas.shared_noise(BALL, ball(moved), ball(updates * count), ball(g.rho)))
        return Round(target, upper(edge), step, updates, updates - 1, std, moved)

    def printed() -> arb:
        real = formulas.length(BALL, ball(g.gap), ball(phi), ball(g.kappa))
        numbers = (ball(phi), ball(g.gamma), ball(g.kappa), real, ball(count), ball(g.n), ball(g.rho))
        return formulas.printed_inner_noise(BALL, *numbers)

    std = _up(printed)
    return Round(target, upper(edge), step, updates + 1, updates + 1, std, moved)


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run can spend at most: every round with all of its differences; early stops leave some out.

    Args:
        plan: What `plan` computed: rounds, step sizes, noise, start.

    References:
        Lemma 8; PO-13 and E1.

    >>> from dpref.algorithms import examples
    >>> [event.noise_multiplier for event in ledger(examples.spider(updates=2).plan).event.events]
    [Fraction(1, 1), Fraction(8, 1)]
    """
    adjacency = plan.sensitivity.adjacency
    events: list[Event] = []
    for r in plan.rounds:
        events.append(gaussian_event(plan.sensitivity, plan.outer_std))
        if r.differences:
            inner = gaussian_event(Sensitivity(r.sensitivity, L2, adjacency), r.std)
            events.append(Repeat(inner, r.differences))
    return Ledger(canonical(Compose(tuple(events))), adjacency)


# ------------------------------------------------------------------------------------ run


class State(NamedTuple):
    """Where the run stands."""

    w: Array  # (d,) w_{k,t}
    previous: Array  # (d,) w_{k,t-1}, or w_{k,0} before the first update
    estimate: Array  # (d,) the private gradient estimate at w
    gradient: Held  # handle to the exact gradient at w
    t: int  # updates done in this round


def begin(problem: ERMProblem, plan: Plan[A], w: Array, curator: Curator[Records, A]) -> State:
    """Begin a round with a fresh noisy gradient (line 8).

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: What `plan` computed: rounds, step sizes, noise, start.
        w: w_{k,0}, shape (d,).
        curator: The private side; holds the records, the exact gradients and the noise.

    Raises:
        InvalidArgumentError: If a gradient is not finite, or the curator's adjacency is not the plan's.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.spider().live()
    >>> state = begin(problem, made, curator.ops.lift(made.start), curator)
    >>> state.w.tolist(), state.estimate.shape, state.t
    ([0.0, 0.0], (2,), 0)
    """
    gradient = curator.hold(partial(problem.mean_gradient, curator.ops, w), label="gradient")
    answer = curator.held_gaussian(
        lambda g: g, held=(gradient,), sensitivity=plan.sensitivity, std=plan.outer_std, label="gradient"
    )
    return State(w, w, problem.regularised(curator.ops, w, answer), gradient, 0)


def step(problem: ERMProblem, plan: Plan[A], k: int, state: State, curator: Curator[Records, A]) -> State | None:
    """One update of a round with its noisy gradient difference, or None if the round is over (lines 10 to 15).

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: What `plan` computed: rounds, step sizes, noise, start.
        k: The round, from 0.
        state: Where it stands.
        curator: The private side; holds the records, the exact gradients and the noise.

    Raises:
        InvalidArgumentError: If a gradient is not finite, or the curator's adjacency is not the plan's.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.spider().live()
    >>> following = step(problem, made, 0, begin(problem, made, curator.ops.lift(made.start), curator), curator)
    >>> round(as_double(norm(curator.ops, following.w)), 12), step(problem, made, 0, following, curator)
    (0.5, None)
    """
    o, r = curator.ops, plan.rounds[k]
    if state.t >= r.updates:
        return None
    size = norm(o, state.estimate)
    if as_double(size) < r.threshold:
        return None
    w = problem.domain.project(o, state.w - o.lift(r.length) / size * state.estimate)
    if state.t >= r.differences:
        return state._replace(w=w, previous=state.w, t=state.t + 1)
    gradient = curator.hold(partial(problem.mean_gradient, o, w), label="gradient")
    difference = curator.held_gaussian(
        lambda new, old: new - old,
        held=(gradient, state.gradient),
        sensitivity=Sensitivity(r.sensitivity, L2, plan.sensitivity.adjacency),
        std=r.std,
        label=f"gradient difference {state.t + 1} of round {k + 1}",
    )
    moved = problem.regularised(o, w - state.w, difference)
    return State(w, state.w, state.estimate + moved, gradient, state.t + 1)


def run(problem: ERMProblem, plan: Plan[A], curator: Curator[Records, A]) -> Array:
    """Run all rounds of Algorithm 1 and return the point that the last one reaches.

    Args:
        problem: The public problem: loss, number of records, bounds, constraint set.
        plan: What `plan` computed: rounds, step sizes, noise, start.
        curator: The private side; holds the records, the exact gradients and the noise.

    Returns:
        The start of the round after the last, shape (d,).

    Raises:
        InvalidArgumentError: As for `begin` and `step`.

    >>> from dpref.algorithms import examples
    >>> problem, made, curator = examples.spider().live()
    >>> w = run(problem, made, curator)
    >>> round(as_double(norm(curator.ops, w)), 12), curator.ledger == ledger(made)  # one update of length 1/2
    (0.5, True)
    """
    w = problem.domain.project(curator.ops, curator.ops.lift(plan.start))
    for k in range(len(plan.rounds)):
        last = begin(problem, plan, w, curator)
        while (following := step(problem, plan, k, last, curator)) is not None:
            last = following
        w = last.w if plan.form is Form.REPAIRED else last.previous
    return w


def promise(plan: Plan[Any]) -> PrivacyLoss[ZCDP, Any] | None:
    """What a plan promises: rho-zCDP repaired (Theorem 1), None as printed, where the claim is judged instead (E1).

    Args:
        plan: What `plan` computed: rounds, step sizes, noise, start.

    >>> from dpref.algorithms import examples
    >>> promise(examples.spider().plan).value
    Fraction(1, 1)
    """
    return PrivacyLoss(plan.rho, ZCDP, plan.sensitivity.adjacency) if plan.form is Form.REPAIRED else None
