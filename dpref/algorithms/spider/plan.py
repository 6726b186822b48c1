"""The numbers of KL Spider: what the user chooses, the rounds, what they spend."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Generic, NamedTuple

from flint import arb

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.spider import formulas
from dpref.checks import open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.privacy.events.ledger import Compose, Event, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, ball, evaluate, exact, lower, upper
from dpref.units import L2, ZCDP, A, Adjacency, PrivacyLoss, Sensitivity, differing_records

MOST_ROUNDS: Final = 1_000_000


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, and the KL condition that the rounds are made for.

    Attributes:
        rho: Exact, positive: the claim is rho-zCDP.
        failure: beta, exact, in (0, 1).
        gamma: Scale of the KL condition, exact, positive (a wrong one hurts utility, not privacy).
        kappa: Its exponent, exact, in [1, 2].
        adjacency: The neighbouring relation, always explicit.
        gap: F_0, exact: a bound on the excess risk of the start for every data set, at most (gamma L_0)^kappa, which
            (rounded down) is the default.
        smoothness: L_1, exact, at least the problem's; the problem's by default.

    >>> from dpref.units import ReplaceOne
    >>> Params(Fraction(1), Fraction(1, 20), gamma=Fraction(1, 2), kappa=Fraction(2), adjacency=ReplaceOne).form.value
    'repaired'
    """

    rho: Fraction
    failure: Fraction
    gamma: Fraction
    kappa: Fraction
    adjacency: type[A]
    gap: Fraction | None = None
    smoothness: Fraction | None = None


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
class Plan(Planned[L2, ZCDP, A]):
    """The rounds, each with its length, its noise and the estimate at which it ends.

    Attributes:
        outer_std: Noise of the gradient that begins a round.
        rounds: The rounds; none where the start already meets the theorem.
        start: w_0, shape (d,).
        warning: Where the targets' floor is not below F_0, what that means and the least n at which the repaired form
            starts; else empty.

    >>> from dpref.algorithms import examples
    >>> examples.spider(updates=2).plan.steps  # a gradient and a difference
    2
    """

    outer_std: float
    rounds: tuple[Round, ...]
    start: tuple[float, ...]
    warning: str = ""

    @property
    def steps(self) -> int:
        """The largest number of answers; each costs n gradients."""
        return sum(1 + r.differences for r in self.rounds)

    @property
    def numbers(self) -> dict[str, Any]:
        """Each number of the rounds as one sequence, and whether a round ends at its last iterate."""
        return {
            "thresholds": tuple(r.threshold for r in self.rounds),
            "lengths": tuple(r.length for r in self.rounds),
            "stds": tuple(r.std for r in self.rounds),
            "updates": tuple(r.updates for r in self.rounds),
            "differences": tuple(r.differences for r in self.rounds),
            "keep_last": self.form is Form.REPAIRED,
        }

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """A loss that is linear wherever the run can be moves the gradient that begins a round, and no difference."""
        shift = problem.sensitivity(self.sensitivity.adjacency).value
        return (Move(shift, self.outer_std, len(self.rounds)),) if self.rounds else ()


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the printed form's own numbers do not exist.

    References:
        Menart et al. 2024, Algorithm 1; the errata's 3.1s.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> params = Params(Fraction(1), Fraction(1, 20), Fraction(1, 2), Fraction(2), ReplaceOne)
    >>> plan(logistic_problem(10**5), params).steps, plan(logistic_problem(100), params).warning.split("; ")[1]
    (112, 'the run returns its start and asks nothing')
    """
    given = _given(problem, params)
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
    claimed = PrivacyLoss(given.rho, ZCDP, params.adjacency)
    start = problem.start(params.start)
    warning = _warning(given, count)
    return Plan(outer, rounds, start, warning, form=params.form, sensitivity=sensitivity, claimed=claimed)


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


def _rounds(g: _Given) -> int:
    """K, whether or not a run can make something of it; of more than can be planned only that it is more."""
    real = _up(lambda: formulas.real_rounds(BALL, _hardness(g), ball(g.gap), ball(g.kappa), _least(g)))
    return max(0, math.ceil(min(real, MOST_ROUNDS + 1.0)))


def _count(g: _Given) -> int:
    """K, or 0 where the repaired form has nothing to do; whatever is not certain counts as nothing to do."""
    count = _rounds(g)
    if count > MOST_ROUNDS:
        raise InvalidArgumentError("gamma", g.gamma, f"needs more than {MOST_ROUNDS} rounds")
    if g.repaired:
        return count if _starts(g) else 0
    if count == 0 or not _each(g, count) < 1:
        raise InvalidArgumentError("rho", g.rho, "K and beta' of the printed form do not exist at so small a budget")
    return count


def _starts(g: _Given) -> bool:
    """Whether beta' is at most a half and the floor of the targets certainly below F_0."""
    count = _rounds(g)
    return count > 0 and bool(_each(g, count) <= arb(1) / 2) and bool(_floor(g, count) < ball(g.gap))


def _warning(g: _Given, count: int) -> str:
    """What is said of a plan whose targets cannot fall below F_0."""
    if _starts(g):
        return ""
    least, rounds = _least_records(g), _rounds(g)
    floor = f"{upper(evaluate(lambda: _floor(g, rounds))):.3g}" if rounds and _each(g, rounds) < 1 else "without bound"
    what = (
        "the run returns its start and asks nothing; it" if count == 0 else "no target is below it; the repaired form"
    )
    return (
        f"n is too small: the targets' floor, {floor}, is not below F_0, {upper(ball(g.gap)):.3g}, for a beta' up to"
        f" 1/2; {what} starts at n = {least}"
    )


def least_records(problem: ERMProblem, params: Params[Any]) -> int:
    r"""The least n at which the repaired form starts, whatever n the problem has.

    With the real K (not its ceiling) the floor over $F_0$ falls as n grows, once it is near one; with the ceiling it
    jumps up where K does, and falls in between.  So n is found by halving, and then among the smaller K as long as the
    last n that has such a K starts.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> least_records(logistic_problem(), Params(Fraction(1), Fraction(1, 20), Fraction(1, 2), Fraction(2), ReplaceOne))
    1254
    """
    return _least_records(_given(problem, params))


def _least_records(g: _Given) -> int:
    def starts(n: int) -> bool:
        return _starts(g._replace(n=n, repaired=True))

    def rounds(n: int) -> int:
        return _rounds(g._replace(n=n))

    most = 1
    while not starts(most):
        most *= 2
    found = _first(starts, 1, most)
    while (count := rounds(found)) > 1:
        last = _first(lambda n: rounds(n) >= count, 1, found) - 1
        if last < 1 or not starts(last):
            break
        found = _first(starts, _first(lambda n: rounds(n) >= rounds(last), 1, last), last)  # noqa: B023
    return found


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first integer of [low, high] that holds, if all after it do; ``high`` is known to."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high


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


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import spider as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    5
    """
    base = Params(Fraction(1), Fraction(1, 20), Fraction(1, 256), Fraction(2), adjacency)
    # So easy a condition, and so large a budget, that a few rounds do.
    easy = replace(base, rho=Fraction(800, problem.n) ** 2, gamma=problem.gradient_bound / (128 * problem.smoothness))
    tame = replace(easy, kappa=Fraction(1), rho=9 * easy.rho)
    return (
        base,
        easy,
        tame,
        replace(easy, kappa=Fraction(3, 2), form=Form.AS_PRINTED),
        replace(tame, form=Form.AS_PRINTED, smoothness=2 * problem.smoothness),
    )
