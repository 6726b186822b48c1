"""The numbers of NoisySFW: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic

from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.noisy_frank_wolfe.formulas import (
    difference_sensitivity,
    gradient_sensitivity,
    printed_difference_sensitivity,
    step_size,
)
from dpref.algorithms.online_frank_wolfe import plan as online
from dpref.algorithms.online_frank_wolfe.calibration import (
    Calibration,
    calibrated,
    chosen,
    node_noise,
    printed_level,
    printed_noise,
    regular_noise,
)
from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.noise import Noise
from dpref.privacy.closed_forms.parallel import heaviest
from dpref.privacy.events.ledger import Ledger
from dpref.problems.stream import StreamProblem
from dpref.reals import BALL, RATIONAL, ball, evaluate, exact, lower, upper
from dpref.units import L2, A, Adjacency, ApproximateDP, Norm, PrivacyLoss, Sensitivity, differing_records

_HAIR: Final = 1 + Fraction(1, 2**40)  # of noise more: accountants that answer at an epsilon need not find its last bit


@dataclass(frozen=True)
class Params(online.Params[A], Generic[A]):
    """The budget of the whole run, and how it becomes noise: as for DP-TOFW, with another meaning of the scale.

    Attributes:
        step_scale: c, exact and positive: the factor of the paper's step size.

    >>> from dpref.units import ReplaceOne
    >>> Params(epsilon=Fraction(1), delta=Fraction(1, 1000), adjacency=ReplaceOne).calibration is None
    True
    """


@dataclass(frozen=True)
class Plan(Planned[Norm, ApproximateDP, A]):
    """One noisy mean gradient of half of the records, then noisy mean differences on batches of the others.

    Attributes:
        calibration: How the noise was computed.
        half: m, the records of the first answer.
        batch: b, those of each later one.
        iterations: T, the steps of Frank-Wolfe.
        std: The factor before a unit draw of the first answer's noise.
        difference: The sensitivity of a mean difference; None where gradients do not change, and none is asked for.
        difference_std: The factor of its noise.
        index: rho of the associated norm.
        kappa: Its regularity constant, exact; 1 for plain Gaussian noise, None without a theorem.
        step_size: eta.
        start: The first iterate, shape (d,).
    """

    calibration: Calibration
    half: int
    batch: int
    iterations: int
    std: float
    difference: Sensitivity[Norm, A] | None
    difference_std: float
    index: float
    kappa: Fraction | None
    step_size: float
    start: tuple[float, ...]

    @property
    def steps(self) -> int:
        """Number of answers."""
        return 1 if self.difference is None else self.iterations

    @property
    def stds(self) -> tuple[float, ...]:
        """The scale of each answer's noise."""
        return (self.std,) + (self.difference_std,) * (self.steps - 1)

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients: two a record of a difference."""
        return self.half + 2 * self.batch * (self.steps - 1)

    @property
    def numbers(self) -> dict[str, Any]:
        """The number of answers."""
        return {"answers": self.steps}

    def noise(self, std: float) -> Noise:
        """The noise of an answer, at that level."""
        return regular_noise(std, self.sensitivity.norm, self.index, self.kappa)

    def moves(self, problem: StreamProblem) -> tuple[Move, ...]:
        """The first answer, where its noise is plain Gaussian: linear losses move it along an axis."""
        if self.index != 2 or self.sensitivity.norm is not L2:
            return ()
        records = differing_records(self.sensitivity.adjacency)
        return (
            Move(gradient_sensitivity(RATIONAL, Fraction(records), problem.lipschitz, Fraction(self.half)), self.std),
        )


def plan(problem: StreamProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, there is one record only, or the printed form does not
            exist for the problem.

    References:
        Bassily, Guzman and Nandi 2021, Algorithm 3; Han et al., Section 5.3 and Lemma 2.1.

    >>> from dpref.problems.examples import stream_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(stream_problem(n=1000), Params(Fraction(1), Fraction(1, 1000), ReplaceOne))
    >>> made.half, made.batch, made.iterations, made.oracle_calls
    (500, 15, 31, 1400)
    """
    n = natural("n", problem.n, least=2)
    tag = problem.sensitivity(params.adjacency).norm  # which refuses an adjacency that moves records
    eta = _step(n, params.step_scale)
    half, batch, iterations = n // 2, max(1, math.isqrt(n // 4)), math.isqrt(n)
    records = Fraction(differing_records(params.adjacency))
    first = gradient_sensitivity(RATIONAL, records, problem.lipschitz, Fraction(half))
    rest = problem.smoothness, problem.domain.diameter(), exact(eta)
    later = difference_sensitivity(RATIONAL, records, *rest, Fraction(batch))
    budget = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    how = chosen(params.calibration, params.form, params.repairs)
    if params.form is Form.AS_PRINTED:
        noise, kappa = printed_noise(problem.dual, problem.dimension, tag, params.repairs)
        share, most = records / 2, 2 * problem.lipschitz / n  # half of the printed sensitivity under replace-one
        changes = evaluate(lambda: printed_difference_sensitivity(BALL, *map(ball, (*rest, Fraction(n))))) / 2
        levels = [share * most, share * exact(upper(changes))]
        stds = [online.printed_std(problem, printed_level(kappa, s, *budget, 1), params.repairs) for s in levels]
    else:
        noise = node_noise(problem.dual, problem.dimension, tag)
        stds = [calibrated(noise, s * noise.stretch * _HAIR, *budget, 1, how) if s else 0.0 for s in (first, later)]

    def declared(value: Fraction) -> Sensitivity[Norm, A]:
        return Sensitivity(value * noise.stretch, noise.norm, params.adjacency)

    asked = later > 0 and iterations > 1
    return Plan(
        sensitivity=declared(first),
        form=params.form,
        calibration=how,
        claimed=PrivacyLoss(budget[0], ApproximateDP, params.adjacency, budget[1]),
        half=half,
        batch=batch,
        iterations=iterations,
        std=stds[0],
        difference=declared(later) if asked else None,
        difference_std=stds[1] if asked else 0.0,
        index=noise.index,
        kappa=noise.kappa,
        step_size=eta,
        start=tuple(map(float, problem.domain.start(problem.dimension))),
    )


def _step(n: int, scale: Fraction) -> float:
    """The step size, rounded down; a longer one than 1 would leave the set."""
    c = positive_rational("step_scale", scale)
    eta = lower(evaluate(lambda: step_size(BALL, ball(n), ball(c))))
    if not 0 < eta <= 1:
        raise InvalidArgumentError("step_scale", c, f"must make a step of at most 1, not {eta:.3g}")
    return eta


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: the heaviest of its answers, as a record is in one of them alone.

    >>> from dpref.algorithms import examples
    >>> print(ledger(examples.noisy_frank_wolfe().plan))
    gaussian(noise_multiplier=1) under replace-one
    """
    events = [plan.noise(plan.std).event(plan.sensitivity)]
    if plan.difference is not None:
        events.append(plan.noise(plan.difference_std).event(plan.difference))
    return heaviest([Ledger(event, plan.sensitivity.adjacency) for event in events])


def examples(problem: StreamProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import noisy_frank_wolfe as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    5
    """
    return tuple(Params(**vars(params)) for params in online.examples(problem, adjacency))
