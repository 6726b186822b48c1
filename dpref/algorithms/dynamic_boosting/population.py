r"""The true excess risk of the chosen candidate, from a plan to a certified bound with probability $1-3p$.

On shared records p is spent three times: that no run is good, that Eq. (15) fails, that a comparison's noise is large.
On parts: that no run is good, that a comparison's noise is large, that the held-out records are far from the
population.  What one run's mean empirical excess risk is, the caller says, or
`dpref.algorithms.dynamic_gradient_descent.population.mean_excess`.

Obligations: ``dynamic-privacy-budget/markov``, ``comparison``, ``equation-17-repaired``, ``boosting-on-parts``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dpref.algorithms.dynamic_boosting import utility
from dpref.algorithms.dynamic_boosting.plan import Plan
from dpref.algorithms.dynamic_gradient_descent.population import lipschitz, population_risk
from dpref.algorithms.forms import Form
from dpref.algorithms.hypotheses import Hypothesis
from dpref.checks import open_unit, positive_rational, rational
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, ball, evaluate, exact, upper


@dataclass(frozen=True)
class BoostedRisk:
    """A bound on the true excess risk of what is returned.

    Attributes:
        form: As printed or repaired, as the plan's.
        hypotheses: The conditions, decided exactly; the bound holds if all do and the form is repaired.
        probability: With which it holds: 1 - 3p, or 1 - p as the print has it.
        bound: Rounded up.
    """

    form: Form
    hypotheses: tuple[Hypothesis, ...]
    probability: Fraction
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the bound is proved: repaired, and every hypothesis holds."""
        return self.form is Form.REPAIRED and all(h.holds for h in self.hypotheses)


def boosted_risk(
    problem: ERMProblem,
    plan: Plan[Any],
    *,
    strong_convexity: Fraction,
    mean: Fraction,
    distance: Fraction,
    failure: Fraction,
) -> BoostedRisk:
    r"""What is returned is good with high probability, certified.

    Args:
        problem: The public side, of all records.
        plan: In either form.
        strong_convexity: $\mu$ of every record's regularised loss, exact, positive, public.
        mean: The mean empirical excess risk of one run on the records that it reads, exact.
        distance: A bound on the distance of the later candidates from the first, exact: twice the radius of the
            domain, or what was seen (the candidates are released).
        failure: p, exact, in (0, 1); the plan's runs must be enough for it.

    Raises:
        InvalidArgumentError: If an argument is out of its domain.

    References:
        Hong, Wang and Zhou 2022, Section 4.4; the errata's T16 and T17.

    >>> from dpref.algorithms.examples import dynamic_boosting as example
    >>> given = {"strong_convexity": Fraction(1), "mean": Fraction(1, 64), "distance": Fraction(0)}
    >>> boosted_risk(*example()[::2], **given, failure=Fraction(1, 4)).bound  # sqrt(2 / 32) and 16 / 2
    8.25
    """
    mu, own, p = (
        positive_rational("strong_convexity", strong_convexity),
        rational("mean", mean),
        open_unit("p", failure),
    )
    apart, p, printed = rational("distance", distance), open_unit("failure", failure), plan.form is Form.AS_PRINTED
    local, runs = plan.local(problem), ball(plan.repetitions)
    base = population_risk(local, plan.base, strong_convexity=mu, gap=own, failure=p)
    largest = max(apart, exact(plan.nearest))

    def bound() -> arb:
        G, n = ball(lipschitz(local)), ball(local.n)
        gap = ball(own)
        if printed:
            return utility.printed_chosen_excess(BALL, G, ball(mu), n, ball(p), gap)
        compared = held_out = arb(0)
        if plan.comparisons:
            compared = utility.comparison_error(BALL, ball(largest), ball(exact(plan.std)), runs, ball(p))
            held_out = utility.held_out_error(BALL, ball(largest), ball(plan.slope_bound), n, runs, ball(p))
        if plan.part:
            return utility.parts_chosen_excess(BALL, gap, ball(exact(base.stability)), compared, held_out)
        return utility.shared_chosen_excess(BALL, G, ball(mu), n, ball(p), gap, compared)

    enough = Fraction(1, 2**plan.repetitions) <= p
    return BoostedRisk(
        form=plan.form,
        hypotheses=(*base.hypotheses, Hypothesis("section-4.4/runs", "2^-k <= p", enough)),
        probability=1 - (p if printed else 3 * p),
        bound=upper(evaluate(bound)),
    )
