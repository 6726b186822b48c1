"""The numbers of DP-TOFW: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpref.algorithms.choices import Budgeted
from dpref.algorithms.declaration import Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe.calibration import (
    Calibration,
    Erratum,
    calibrated,
    chosen,
    node_noise,
    printed_level,
    printed_noise,
    regular_noise,
)
from dpref.checks import open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.noise import Noise
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.events.tree import tree_event
from dpref.privacy.events.walks import canonical
from dpref.problems.stream import StreamProblem
from dpref.reals import BALL, ball, evaluate, exact, upper
from dpref.units import A, Adjacency, ApproximateDP, Norm, PrivacyLoss, Sensitivity


@dataclass(frozen=True)
class Params(Budgeted[A]):
    """The budget of the whole stream, and how it becomes noise.

    Attributes:
        calibration: How the noise is computed; of the printed form "eq-3.2" only.
        step_scale: c, exact, in (0, 1].
        repairs: Of the printed form, the errata (E-1, E-2) that are mended all the same.

    >>> from dpref.units import ReplaceOne
    >>> Params(epsilon=Fraction(1), delta=Fraction(1, 1000), adjacency=ReplaceOne).form.value
    'repaired'
    """

    calibration: Calibration | None = None
    step_scale: Fraction = Fraction(1)
    repairs: tuple[Erratum, ...] = ()


@dataclass(frozen=True)
class Plan(Planned[Norm, ApproximateDP, A]):
    """The noise of a node of the tree, and the steps along the stream.

    Attributes:
        calibration: How the noise was computed.
        records: n, the number of records.
        std: The factor before a unit draw of the noise.
        index: rho of the associated norm.
        kappa: Its regularity constant, exact; 1 for plain Gaussian noise, None without a theorem.
        step_scale: c.
        start: The first iterate, shape (d,).
    """

    calibration: Calibration
    records: int
    std: float
    index: float
    kappa: Fraction | None
    step_scale: Fraction
    start: tuple[float, ...]

    @property
    def noise(self) -> Noise:
        """The noise that every node of the tree gets."""
        return regular_noise(self.std, self.sensitivity.norm, self.index, self.kappa)

    @property
    def steps(self) -> int:
        """Number of noisy nodes: one for each record."""
        return self.records

    @property
    def stds(self) -> tuple[float, ...]:
        """The scale of each node's noise."""
        return (self.std,) * self.records

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients: two a record, and one for the first (as printed it has two as well)."""
        return 2 * self.records - (self.form is Form.REPAIRED)

    @property
    def numbers(self) -> dict[str, Any]:
        """Whether a gradient is taken ahead of its record, as printed."""
        return {"ahead": self.form is Form.AS_PRINTED}


def plan(problem: StreamProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, or the printed form does not exist for the problem.

    References:
        Han et al., Algorithm 1, Theorem 3.1, Eq. (3.2).

    >>> from dpref.problems.examples import stream_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(stream_problem(n=1000), Params(Fraction(1), Fraction(1, 1000), ReplaceOne))
    >>> made.sensitivity.value, round(made.std, 2), made.oracle_calls
    (Fraction(3, 1), 24.43, 1999)
    """
    c = positive_rational("step_scale", params.step_scale)
    if c > 1:
        raise InvalidArgumentError("step_scale", c, "must be at most 1")
    declared = problem.sensitivity(params.adjacency, c)
    budget = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    how = chosen(params.calibration, params.form, params.repairs)
    if params.form is Form.AS_PRINTED:
        noise, kappa = printed_noise(problem.dual, problem.dimension, declared.norm, params.repairs)
        std = printed_std(problem, printed_level(kappa, declared.value / 2, *budget, problem.n), params.repairs)
    else:
        noise = node_noise(problem.dual, problem.dimension, declared.norm)
        std = calibrated(noise, declared.value * noise.stretch, *budget, problem.n, how)
    return Plan(
        sensitivity=Sensitivity(declared.value * noise.stretch, noise.norm, params.adjacency),
        form=params.form,
        calibration=how,
        claimed=PrivacyLoss(budget[0], ApproximateDP, params.adjacency, budget[1]),
        records=problem.n,
        std=std,
        index=noise.index,
        kappa=noise.kappa,
        step_scale=c,
        start=tuple(map(float, problem.domain.start(problem.dimension))),
    )


def printed_std(problem: StreamProblem, level: float, repairs: tuple[Erratum, ...]) -> float:
    r"""The factor before a unit draw: $\sigma_+$, or $\sqrt{\sigma_+}$ as Algorithm 4 is printed (E-2).

    For q below 2 the noise is plain Gaussian and does not come from Algorithm 4.

    Args:
        problem: Whose dual index counts.
        level: $\sigma_+$.
        repairs: With "E-2" it is $\sigma_+$ everywhere.

    >>> from dpref.problems.examples import stream_problem
    >>> printed_std(stream_problem(), 9.0, ()), printed_std(stream_problem(), 9.0, ("E-2",))
    (3.0, 9.0)
    """
    if problem.dual < 2 or "E-2" in repairs:
        return level
    return upper(evaluate(lambda: BALL.sqrt(ball(exact(level)))))


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: a tree over the whole stream (Theorem 3.1; a record is in so many nodes: E-20).

    >>> from dpref.problems.examples import stream_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(stream_problem(n=1000), Params(Fraction(1), Fraction(1, 10), ReplaceOne))
    >>> ledger(made).event.count, ledger(made).adjacency.name  # floor(log2 1000) + 1 nodes
    (10, 'replace-one')
    """
    node = plan.noise.event(plan.sensitivity)
    return Ledger(canonical(tree_event(node, plan.records)), plan.sensitivity.adjacency)


def examples(problem: StreamProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import online_frank_wolfe as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    5
    """
    base = Params(Fraction(1), Fraction(1, 10**6), adjacency, calibration="zcdp")
    repaired = (base, replace(base, calibration="accountant"), replace(base, calibration="eq-3.2"))
    # As printed alone its tiny noise makes a step ill-conditioned, and for p = 1 there is none.
    mended: tuple[tuple[Erratum, ...], ...] = (("E-1",), ("E-1", "E-2")) if problem.domain.index != 1 else ()
    printed = replace(base, form=Form.AS_PRINTED, calibration=None)
    return (*repaired, *(replace(printed, repairs=repairs) for repairs in mended))
