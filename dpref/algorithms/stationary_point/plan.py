"""The numbers of the search for a stationary point: those of adaptive noisy gradient descent, and the selection's."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Generic, Literal, TypeAlias

from dpref.algorithms.adaptive_gradient_descent import plan as descent_plan
from dpref.algorithms.adaptive_gradient_descent.plan import READINGS
from dpref.algorithms.forms import Form
from dpref.algorithms.stationary_point.formulas import selection_scale
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import exponential_event, gumbel_scale, selection_range
from dpref.privacy.events.ledger import Compose, Ledger
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, RATIONAL, ball, evaluate, exact, upper
from dpref.units import ZCDP, A, Adjacency, Linf, PrivacyLoss, Sensitivity

Rule: TypeAlias = Literal["noisy-norms", "exponential"]


@dataclass(frozen=True)
class Params(descent_plan.Params[A], Generic[A]):
    """The choices of adaptive noisy gradient descent, and how an iterate is selected.

    Attributes:
        rule: By the least noisy norm, which is free, or by the exponential mechanism on the exact ones, which costs
            half of rho under replace-one; as printed the latter, else the former by default.
    """

    rule: Rule | None = None


@dataclass(frozen=True)
class Plan(descent_plan.Plan[A]):
    r"""The plan of the descent, and the selection's.

    Attributes:
        budget: rho of the descent; the claim is what the descent and the selection together are said to spend.
        epsilon: Of the selection by the exponential mechanism, exact; None where the noisy norms decide.
    """

    budget: Fraction
    epsilon: Fraction | None

    @property
    def rho(self) -> Fraction:
        """What the descent may spend, in zCDP."""
        return self.budget

    @property
    def steps(self) -> int:
        """The largest number of answers, two for each round and the selection."""
        return super().steps + (self.epsilon is not None)

    @property
    def score_sensitivity(self) -> Sensitivity[Linf, A]:
        """Of the norm at any iterate: that of the gradient."""
        return Sensitivity(self.sensitivity.value, Linf, self.sensitivity.adjacency)

    @property
    def numbers(self) -> dict[str, Any]:
        """Those of the descent, whether there is a selection, and the scale of its noise."""
        selects = self.epsilon is not None
        scale = gumbel_scale(self.score_sensitivity, self.epsilon) if self.epsilon is not None else 0.0
        return {**super().numbers, "selects": selects, "selection_scale": scale}


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number that the run starts from, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule.

    References:
        Menart et al. 2024, Algorithm 3, Theorem 5; the erratum E8, the errata's 3.3s and 3.4.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(128), Params(Fraction(1), Fraction(1, 20), ReplaceOne, rule="exponential"))
    >>> made.epsilon, made.claimed.value  # 2 sqrt(rho), and rho + rho / 2
    (Fraction(2, 1), Fraction(3, 2))
    """
    printed = params.form is Form.AS_PRINTED
    rule = params.rule or ("exponential" if printed else "noisy-norms")
    if printed and rule != "exponential":
        raise InvalidArgumentError("rule", rule, "must be exponential with the printed form")
    made = descent_plan.plan(problem, params)
    total, epsilon = made.rho, None
    if rule == "exponential":
        bound, n = problem.gradient_bound, problem.n
        scale = exact(upper(evaluate(lambda: selection_scale(BALL, ball(bound), ball(n), ball(made.rho)))))
        epsilon = selection_range(RATIONAL, made.sensitivity.value, scale)
        total = 2 * made.rho if printed else made.rho * Fraction(3, 2)
    own = {field.name: getattr(made, field.name) for field in fields(made)}
    claimed = PrivacyLoss(total, ZCDP, params.adjacency)
    return Plan(**{**own, "claimed": claimed, "budget": made.rho, "epsilon": epsilon})


def ledger(plan: Plan[A]) -> Ledger[A]:
    """An upper budget: the descent's, and the selection.

    >>> from dpref.algorithms import examples
    >>> ledger(examples.stationary_point().plan).event.events
    (FilteredGaussians(rho=Fraction(1, 1)), Exponential(epsilon=Fraction(2, 1)))
    """
    descent = descent_plan.ledger(plan)
    if plan.epsilon is None:
        return descent
    return Ledger(canonical(Compose((descent.event, exponential_event(plan.epsilon)))), descent.adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import stationary_point as example
    >>> [p.rule for p in examples(example().problem, example().plan.sensitivity.adjacency)][:3]
    [None, 'noisy-norms', 'exponential']
    """
    base = Params(Fraction(1), Fraction(1, 20), adjacency, rounds=5)
    large = replace(base, rho=Fraction(5000))
    printed = replace(large, form=Form.AS_PRINTED)
    return (
        base,
        replace(large, rule="noisy-norms"),
        replace(large, rule="exponential"),
        *(replace(printed, reading=reading) for reading in READINGS),
    )
