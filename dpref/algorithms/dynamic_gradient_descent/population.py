r"""Population risk of a run (Section 4.4): from a plan to certified bounds, as printed and repaired.

The records are drawn independently from a population with the risk F, and $f_d$ is the empirical risk of the records d.
A run with the mean empirical excess risk e and the uniform stability s has the mean true excess risk $e+s$ (Theorems
4.13 and 4.14); with probability $1-p$ over the records a parameter with the empirical excess risk e has the true one of
Eq. (15).

``Form.AS_PRINTED`` against ``Form.REPAIRED``, the form of the plan:

* stability: printed $\frac{G^2T\eta}N$, the constant of zero-out; Theorem 4.13 exchanges records, so repaired
  $\frac{2G^2T\eta}N$, or $\frac{2G^2}{\mu N}(1-\gamma^T)$ where that is less (T19, T16a);
* in the mean: Table 2 prints e alone, the stability term is dropped (T16a);
* with probability: printed Eq. (15) has a spurious 1/N in its first term (T16b).

Obligations: ``dynamic-privacy-budget/stability``, ``PO-51``, ``PO-52``, ``theorem-4.13``, ``equation-15-repaired``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dpref.algorithms.dynamic_gradient_descent import utility
from dpref.algorithms.dynamic_gradient_descent.plan import Plan
from dpref.algorithms.forms import Form
from dpref.algorithms.hypotheses import Hypothesis, common_hypotheses
from dpref.checks import open_unit, positive_rational, rational
from dpref.errors import InvalidArgumentError
from dpref.problems.erm import ERMProblem
from dpref.reals import BALL, ball, evaluate, exact, upper


@dataclass(frozen=True)
class PopulationRisk:
    """What a plan and a mean empirical excess risk say of the true one; every number is rounded up.

    Attributes:
        form: As printed or repaired, as the plan's.
        hypotheses: The conditions, decided exactly; the bounds hold if all do and the form is repaired.
        stability: s.
        in_mean: Bound on the mean true excess risk.
        with_probability: Bound on the true excess risk of a parameter with that empirical one, with probability 1 - p
            over the records.
    """

    form: Form
    hypotheses: tuple[Hypothesis, ...]
    stability: float
    in_mean: float
    with_probability: float

    @property
    def holds(self) -> bool:
        """Whether the bounds are proved: repaired, and every hypothesis holds."""
        return self.form is Form.REPAIRED and all(h.holds for h in self.hypotheses)


def lipschitz(problem: ERMProblem) -> Fraction:
    r"""G of the regularised loss of a record, exact: $G_\ell+\lambda r$ on a ball of radius r.

    Raises:
        InvalidArgumentError: If there is a ridge and no bounded domain, so that there is none.

    >>> from dpref.geometry.sets import L2Ball
    >>> from dpref.problems.losses import Linear
    >>> lipschitz(ERMProblem(Linear(), n=10, dimension=2, ridge=Fraction(1, 4), domain=L2Ball(Fraction(4))))
    Fraction(2, 1)
    """
    if problem.ridge == 0:
        return problem.gradient_bound
    if problem.domain.radius is None:
        raise InvalidArgumentError("domain", problem.domain.name, "a ridge is Lipschitz on a bounded domain only")
    return problem.gradient_bound + problem.ridge * problem.domain.radius


def uniform_stability(problem: ERMProblem, plan: Plan[Any], *, strong_convexity: Fraction | None = None) -> float:
    r"""s: how much replacing one record changes the mean loss of a run at any record, rounded up.

    Args:
        problem: The public side; its losses are convex.
        plan: Of a run without momentum and with $\eta\le\frac2M$; its form says which constant.
        strong_convexity: $\mu$, exact, positive, public, or None: then the bound grows with the steps.

    Returns:
        As printed Theorem 4.14's; repaired twice that or, if less and $\eta\le\frac1M$, the strongly convex one.

    Raises:
        InvalidArgumentError: If $\mu$ is not positive or exceeds M, or the loss is not Lipschitz.

    >>> from dpref.algorithms.examples import dynamic_gradient_descent as example
    >>> [uniform_stability(*example()[::2], strong_convexity=mu) for mu in (None, Fraction(1))]
    [1.0, 0.75]
    """
    eta, steps, smoothness = exact(plan.step_size), plan.steps, problem.smoothness
    printed = plan.form is Form.AS_PRINTED

    def convex() -> arb:
        formula = utility.stability_as_printed if printed else utility.stability
        return formula(BALL, ball(lipschitz(problem)), ball(eta), ball(steps), ball(problem.n))

    stable = upper(evaluate(convex))
    if strong_convexity is None:
        return stable
    mu = positive_rational("strong_convexity", strong_convexity)
    if mu > smoothness:
        raise InvalidArgumentError("strong_convexity", mu, f"must be at most the smoothness constant {smoothness}")
    if printed or eta * smoothness > 1:
        return stable

    def strongly_convex() -> arb:
        G, left = ball(lipschitz(problem)), ball(1 - eta * mu)
        return utility.strongly_convex_stability(BALL, G, ball(mu), ball(problem.n), left, ball(steps))

    return min(stable, upper(evaluate(strongly_convex)))


def population_risk(
    problem: ERMProblem, plan: Plan[Any], *, strong_convexity: Fraction, gap: Fraction, failure: Fraction
) -> PopulationRisk:
    r"""Stability and the two bounds on the true excess risk, certified.

    Args:
        problem: The public side; its n is N.
        plan: Of a run, in either form.
        strong_convexity: $\mu$ of every record's regularised loss, exact, positive, public.
        gap: e, exact: the mean empirical excess risk for ``in_mean``, the parameter's own for ``with_probability``.
        failure: p, exact, in (0, 1).

    Raises:
        InvalidArgumentError: If an argument is out of its domain.

    References:
        Hong, Wang and Zhou 2022, Theorems 4.11, 4.13 and 4.14, Eq. (15), Table 2.

    >>> from dpref.algorithms.examples import dynamic_gradient_descent as example
    >>> given = {"strong_convexity": Fraction(1), "gap": Fraction(1, 32), "failure": Fraction(1, 2)}
    >>> risk = population_risk(*example()[::2], **given)
    >>> risk.stability, risk.in_mean, risk.with_probability
    (0.75, 0.78125, 4.25)
    """
    mu, own = positive_rational("strong_convexity", strong_convexity), rational("gap", gap)
    p, eta = open_unit("failure", failure), exact(plan.step_size)
    smoothness, printed = problem.smoothness, plan.form is Form.AS_PRINTED
    stable = uniform_stability(problem, plan, strong_convexity=mu)

    def probable() -> arb:
        formula = utility.true_excess_risk_as_printed if printed else utility.true_excess_risk
        return formula(BALL, ball(lipschitz(problem)), ball(mu), ball(problem.n), ball(p), ball(own))

    return PopulationRisk(
        form=plan.form,
        hypotheses=(
            *common_hypotheses(problem, "section-4.4"),
            Hypothesis("section-4.4/step-size", "eta <= 2/M", eta * smoothness <= 2),
            Hypothesis("section-4.4/momentum", "plain steps: Theorem 4.14 is not about momentum", plan.momentum == 0),
        ),
        stability=stable,
        in_mean=upper(ball(own)) if printed else upper(ball(own) + ball(exact(stable))),
        with_probability=upper(evaluate(probable)),
    )


def mean_excess(
    problem: ERMProblem, plan: Plan[Any], *, strong_convexity: Fraction, start_gap: Fraction
) -> tuple[float, tuple[Hypothesis, ...]]:
    r"""$\rho^T\Delta_1+\sum_t\rho^{T-t}\frac{MD}2(\eta s_t)^2$: the mean empirical excess risk of a run (Theorem 4.2).

    $\rho=1-2\mu\eta(1-\frac M2\eta)$, and $s_t$ is the noise that the plan adds.

    Args:
        problem: The public side.
        plan: Of a run.
        strong_convexity: $\mu$, or the constant of the Polyak-Lojasiewicz inequality, exact, positive, public.
        start_gap: $\Delta_1$, exact: a public bound on the excess risk of the start.

    Returns:
        The bound, rounded up, and its hypotheses, decided exactly.

    Raises:
        InvalidArgumentError: If an argument is out of its domain.

    References:
        Hong, Wang and Zhou 2022, Theorem 4.2.

    >>> from dpref.algorithms.examples import dynamic_gradient_descent as example
    >>> mean_excess(*example()[::2], strong_convexity=Fraction(1, 2), start_gap=Fraction(1))[0]  # 0.625^2, no noise
    0.390625
    """
    mu, gap = positive_rational("strong_convexity", strong_convexity), rational("start_gap", start_gap)
    eta, smoothness, dimension = exact(plan.step_size), problem.smoothness, problem.dimension

    def bound() -> arb:
        factor = utility.step_factor(BALL, ball(mu), ball(smoothness), ball(eta))
        risk = ball(gap)
        for std in plan.stds:  # G sigma / n is the noise's standard deviation
            noise = utility.step_noise(
                BALL, ball(smoothness), ball(dimension), ball(exact(std)), arb(1), arb(1), ball(eta)
            )
            risk = factor * risk + noise
        return risk

    hypotheses = (
        *common_hypotheses(problem, "theorem-4.2"),
        Hypothesis("theorem-4.2/step-size", "eta <= 1/M", eta * smoothness <= 1),
        Hypothesis("theorem-4.2/domain", "no constraint set", problem.domain.radius is None),
        Hypothesis("theorem-4.2/momentum", "plain steps", plan.momentum == 0),
    )
    return upper(evaluate(bound)), hypotheses
