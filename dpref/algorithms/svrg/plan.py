"""The numbers of DP-SVRG and of its variants: what the user chooses, what the run needs, what it spends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic

import numpy as np

from dpref.algorithms.choices import Iterative
from dpref.algorithms.declaration import Move, Planned
from dpref.algorithms.forms import Form
from dpref.algorithms.hypotheses import Hypothesis, common_hypotheses
from dpref.algorithms.svrg.calibration import PROVED_CONSTANT, Calibrated, Calibration, Setting, noise_std
from dpref.algorithms.svrg.defaults import epoch_floor, noise_floor, smallest_batch, start_risk, warning
from dpref.algorithms.svrg.two_part import Answers, Noise, Stds, certified_stds, check_choice, default_ratio, events
from dpref.algorithms.svrg.utility import theorem_4_2
from dpref.checks import (
    MOST_IN_A_PLAN,
    natural,
    open_unit,
    positive_double,
    positive_rational,
    rational,
)
from dpref.errors import InvalidArgumentError
from dpref.geometry.prox import NONE, Regulariser
from dpref.geometry.sets import L2Ball, WholeSpace
from dpref.mechanisms.variance_reduced import (
    sampled_difference_sensitivity,
    variance_reduced_event,
    variance_reduced_sensitivity,
)
from dpref.privacy.events.ledger import Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.problems.erm import ERMProblem
from dpref.reals import FLOAT_ARRAY, RATIONAL, ball, exact, lower
from dpref.units import L2, A, Adjacency, ApproximateDP, PrivacyLoss, Sensitivity


@dataclass(frozen=True)
class Params(Iterative, Generic[A]):
    """The budget, the epochs and the regulariser.

    Attributes:
        epsilon: Privacy budget, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        epochs: T, the number of epochs.
        inner: m, the inner steps of an epoch (of DP-SVRG++: half those of its first epoch).
        adjacency: Replace-one or zero-out, always explicit.
        calibration: How sigma is computed; the printed form has "formula" and "remark-4.1" only.
        constant: c of the formula; of the repaired form 3080 (6160 for DP-SVRG++) or more.
        range_constant: c_1 of the formula's range; of the repaired form 7 or less; as printed, unchecked if None.
        batch: b records in a sampled difference, drawn without replacement; by default 1, as in the print, with a
            formula, and with an accountant what `dpref.algorithms.svrg.defaults` chooses.
        noise: "whole", on every answer, as in the print; or "two-part": once an epoch on the full gradient, and on
            every sampled difference (errata 3.6.4; the repaired form with the accountant's noise alone).
        ratio: sigma_2 / sigma_1 of noise in two parts, exact; by default `dpref.algorithms.svrg.two_part` has it.
        regulariser: r; the problem's own ridge and ball are added to it.
        step_size: eta, exact; by default one that the utility theorem allows, rounded down.
        strong_convexity: A public lower bound on the curvature of F, exact; r's own is added.
        utility: Whether to refuse a plan that breaks a hypothesis of the utility theorem.
    """

    epsilon: Fraction
    delta: Fraction
    epochs: int
    inner: int
    adjacency: type[A]
    calibration: Calibration | None = None
    constant: Fraction | None = None
    range_constant: Fraction | None = None
    batch: int | None = None
    regulariser: Regulariser = NONE
    step_size: Fraction | None = None
    strong_convexity: Fraction = Fraction(0)
    utility: bool = False
    noise: Noise = "whole"
    ratio: Fraction | None = None


@dataclass(frozen=True)
class Plan(Planned[L2, ApproximateDP, A]):
    """Epochs of inner steps on sampled batches, every answer with the same noise, or that noise in two parts.

    Attributes:
        calibration: How the noise was computed.
        gradient_bound: G, exact.
        records: n, the number of records.
        batch: b, the number of records in a sampled batch.
        lengths: Inner steps of each epoch.
        carry: Whether an epoch starts from the last iterate (DP-SVRG++) or from the snapshot (DP-SVRG).
        std: sigma, rounded up; in two parts, sigma_1 of a sampled difference.
        step_size: eta, the step size.
        regulariser: r, with the problem's ridge and ball.
        start: The first snapshot, shape (p,).
        hypotheses: The utility theorem's conditions.
        warning: What to know before it starts: where the noise's floor exceeds what the start can lose; else empty.
        epoch_std: sigma_2 of an epoch's full gradient, rounded up; None where every answer has the whole noise.
    """

    calibration: Calibration
    gradient_bound: Fraction
    records: int
    batch: int
    lengths: tuple[int, ...]
    carry: bool
    std: float
    step_size: float
    regulariser: Regulariser
    start: tuple[float, ...]
    hypotheses: tuple[Hypothesis, ...]
    warning: str = ""
    epoch_std: float | None = None

    @property
    def inner_steps(self) -> int:
        """K: the number of inner steps, each with a batch."""
        return sum(self.lengths)

    @property
    def steps(self) -> int:
        """The number of noisy answers: K, and with noise in two parts one more an epoch."""
        return self.inner_steps + (0 if self.epoch_std is None else len(self.lengths))

    @property
    def stds(self) -> tuple[float, ...]:
        """The noise of each answer."""
        first = () if self.epoch_std is None else (self.epoch_std,)
        return tuple(std for length in self.lengths for std in (*first, *(self.std,) * length))

    @property
    def oracle_calls(self) -> int:
        """Number of single-record gradients: one pass over the data an epoch and two batches a step."""
        return len(self.lengths) * self.records + 2 * self.batch * self.inner_steps

    @property
    def numbers(self) -> dict[str, Any]:
        """The regulariser's, and the start in the regulariser's set."""
        return {
            "start": self.regulariser.project(FLOAT_ARRAY, np.array(self.start)),
            "l1": self.regulariser.l1,
            "l2": self.regulariser.l2,
            "low": -math.inf if self.regulariser.box is None else self.regulariser.box[0],
            "high": math.inf if self.regulariser.box is None else self.regulariser.box[1],
            "radius": math.inf if self.regulariser.radius is None else self.regulariser.radius,
            "two_part": self.epoch_std is not None,
            "epoch_std": 0.0 if self.epoch_std is None else self.epoch_std,
        }

    def moves(self, problem: ERMProblem) -> tuple[Move, ...]:
        """Of linear losses the sampled difference vanishes, and the full gradient moves by the whole sensitivity."""
        shift = problem.sensitivity(self.sensitivity.adjacency).value
        if self.epoch_std is None:
            return (Move(shift, self.std, self.steps),)
        return (Move(shift, self.epoch_std, len(self.lengths)),)


def plan(problem: ERMProblem, params: Params[A]) -> Plan[A]:
    """Every number of the run, from public information alone.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, epsilon is outside the formula's range, or (with
            ``utility``) a hypothesis of Theorem 4.2 fails.

    References:
        Wang, Ye and Xu 2017, Algorithm 1, Eqs. (3) and (4), Theorems 4.1 and 4.2.

    >>> from dpref.problems.examples import logistic_problem
    >>> from dpref.units import ReplaceOne
    >>> made = plan(logistic_problem(), Params(Fraction(1), Fraction(1, 10**5), 2, 10, ReplaceOne))
    >>> made.lengths, made.batch, made.oracle_calls
    ((10, 10), 100, 4200)
    """
    epochs, inner = natural("epochs", params.epochs, most=MOST_IN_A_PLAN), natural("inner", params.inner)
    calibrated = Calibrated("Theorem 4.1", epochs * inner, epochs * inner, 1, PROVED_CONSTANT)
    eta = default_step_size(problem, params, 48)
    regulariser = effective_regulariser(problem, params.regulariser)
    mu = rational("strong_convexity", params.strong_convexity) + regulariser.l2
    hypotheses = (
        *common_hypotheses(problem, "theorem-4.2"),
        *theorem_4_2(exact(eta), smoothness(problem), mu, inner),
    )

    def floor(std: float) -> float:
        return noise_floor(eta, float(smoothness(problem)), std, problem.dimension)

    return make_plan(problem, params, calibrated, (inner,) * epochs, eta, regulariser, hypotheses, floor, carry=False)


def smoothness(problem: ERMProblem) -> Fraction:
    """L: the smoothness constant of the loss alone (the ridge term is part of r), exact.

    >>> from dpref.problems.losses import Logistic  # r^2 / 4
    >>> smoothness(ERMProblem(Logistic(), n=10, dimension=1, feature_bound=Fraction(3), ridge=Fraction(1)))
    Fraction(9, 4)
    """
    return problem.loss.smoothness(RATIONAL, problem.feature_bound)


def effective_regulariser(problem: ERMProblem, regulariser: Regulariser) -> Regulariser:
    """The regulariser r together with the problem's ridge term and ball.

    Args:
        regulariser: r alone.

    Raises:
        InvalidArgumentError: If the problem's domain is neither a ball nor the whole space, or r has a box and the
            problem a ball.

    >>> from dpref.problems.losses import Logistic
    >>> problem = ERMProblem(Logistic(), n=10, dimension=1, ridge=Fraction(1, 10), domain=L2Ball(Fraction(2)))
    >>> r = effective_regulariser(problem, Regulariser(l2=Fraction(1, 5)))
    >>> r.l2, r.radius
    (Fraction(3, 10), Fraction(2, 1))
    """
    if not isinstance(problem.domain, L2Ball | WholeSpace):
        raise InvalidArgumentError("domain", problem.domain.name, "must be a Euclidean ball or the whole space")
    return regulariser + Regulariser(l2=problem.ridge, radius=problem.domain.radius)


def default_step_size(problem: ERMProblem, params: Params[Any], divisor: int) -> float:
    """The step size as given, else 1 / (divisor L) rounded down.

    Args:
        divisor: What the utility theorem divides 1 / L by.

    Raises:
        InvalidArgumentError: If the given step size is not an exact positive number, or rounds to no double.

    >>> from dpref.problems.losses import Logistic
    >>> from dpref.units import ReplaceOne
    >>> problem = ERMProblem(Logistic(), n=10, dimension=1, feature_bound=Fraction(2))  # L = 1
    >>> default_step_size(problem, Params(Fraction(1), Fraction(1, 100), 1, 1, ReplaceOne), 16)
    0.0625
    """
    if params.step_size is not None:
        return positive_double("step_size", params.step_size)
    return lower(1 / ball(divisor * smoothness(problem)))


def make_plan(
    problem: ERMProblem,
    params: Params[A],
    calibrated: Calibrated,
    lengths: tuple[int, ...],
    eta: float,
    regulariser: Regulariser,
    hypotheses: tuple[Hypothesis, ...],
    floor: Callable[[float], float],
    *,
    carry: bool,
) -> Plan[A]:
    """The part of the plan that DP-SVRG and DP-SVRG++ share.

    Args:
        calibrated: The privacy theorem's formula.
        lengths: Inner steps of each epoch.
        eta: Step size.
        regulariser: r, with the problem's ridge and ball.
        hypotheses: The utility theorem's conditions, decided.
        floor: What noise of a standard deviation on every answer leaves of the risk, by the utility theorem.
        carry: Whether an epoch starts from the last iterate.

    Raises:
        InvalidArgumentError: If a parameter breaks its rule, the adjacency is another one, or (with ``utility``) a
            hypothesis does not hold.

    >>> from dpref.algorithms import examples
    >>> problem, params = examples.huber_problem(), examples.svrg_params()
    >>> theorem = Calibrated("Theorem 4.1", steps=6, answers=6, log_ratio=1, constant=PROVED_CONSTANT)
    >>> make_plan(problem, params, theorem, (3, 3), 0.5, NONE, (), float, carry=False).oracle_calls  # 2 * 2 + 6 * 2 * 2
    28
    """
    if params.utility:
        for h in hypotheses:
            if not h.holds:
                raise InvalidArgumentError("utility", h.name, f"the hypothesis does not hold: {h.statement}")
    start = problem.start(params.start)
    constants = params.constant, params.range_constant
    check_choice(params.noise, params.ratio, params.form, params.calibration, constants)
    if params.batch is not None and natural("batch", params.batch) > problem.n:
        raise InvalidArgumentError("batch", params.batch, f"must be at most the number of records, {problem.n}")
    mu = rational("strong_convexity", params.strong_convexity) + regulariser.l2
    calibration = params.calibration or ("formula" if params.form is Form.AS_PRINTED else "accountant")
    epsilon, delta = positive_rational("epsilon", params.epsilon), open_unit("delta", params.delta)
    risk = start_risk(problem, np.array(start))
    chosen = params.batch is None and calibration in {"accountant", "renyi"}
    batch = smallest_batch(epsilon, calibrated.steps, problem.n) if chosen else params.batch or 1

    def stds_of(size: int) -> Stds:
        if params.noise == "two-part":
            answers = Answers(problem.gradient_bound, problem.n, size, params.adjacency, lengths)
            ratio = default_ratio(sum(lengths), len(lengths)) if params.ratio is None else params.ratio
            return certified_stds(answers, ratio, epsilon, delta)
        setting = Setting(problem.gradient_bound, problem.n, size, params.adjacency, epsilon, delta)
        whole = noise_std(setting, calibrated, params.form, calibration, params.constant, params.range_constant)
        return Stds(whole, None)

    def left(stds: Stds) -> float:
        """What the noise leaves of the risk."""
        shared = 0.0 if stds.full is None else epoch_floor(eta, float(mu), stds.full, problem.dimension, max(lengths))
        return floor(stds.difference) + shared

    def moved(size: int) -> Sensitivity[L2, A]:
        if params.noise == "two-part":
            return sampled_difference_sensitivity(problem.gradient_bound, size, params.adjacency)
        return variance_reduced_sensitivity(problem.gradient_bound, size, problem.n, params.adjacency)

    sensitivity = moved(batch)
    stds = stds_of(batch)
    if chosen and batch < problem.n and not left(stds) < risk / 2:
        batch, stds = problem.n, stds_of(problem.n)
        sensitivity = moved(batch)
    return Plan(
        form=params.form,
        sensitivity=sensitivity,
        calibration=calibration,
        claimed=PrivacyLoss(epsilon, ApproximateDP, params.adjacency, delta),
        gradient_bound=problem.gradient_bound,
        records=problem.n,
        batch=batch,
        lengths=lengths,
        carry=carry,
        std=stds.difference,
        step_size=eta,
        regulariser=regulariser,
        start=start,
        hypotheses=hypotheses,
        warning=warning(left(stds), risk) if params.form is Form.REPAIRED else "",
        epoch_std=stds.full,
    )


def ledger(plan: Plan[A]) -> Ledger[A]:
    """What the run will spend: K variance-reduced answers, or an epoch's full gradient and its sampled differences.

    >>> from dataclasses import replace
    >>> from dpref.algorithms import examples
    >>> made = replace(examples.svrg().plan, batch=1, std=2.5)
    >>> print(ledger(made))
    compose(variance_reduced_gaussian(noise_multiplier=5/2, batch=1, records=2), 2) under replace-one
    """
    adjacency = plan.sensitivity.adjacency
    if plan.epoch_std is not None:
        answers = Answers(plan.gradient_bound, plan.records, plan.batch, adjacency, plan.lengths)
        return Ledger(canonical(events(answers, plan.std, plan.epoch_std)), adjacency)
    event = variance_reduced_event(plan.gradient_bound, plan.batch, plan.records, plan.std, adjacency)
    return Ledger(event if plan.steps == 1 else Repeat(event, plan.steps), adjacency)


def examples(problem: ERMProblem, adjacency: type[Adjacency]) -> tuple[Params[Any], ...]:
    """Parameters that suit a problem: the first are timed, all are varied by property tests.

    >>> from dpref.algorithms.examples import svrg as example
    >>> len(examples(example().problem, example().plan.sensitivity.adjacency))
    9
    """
    base = Params(
        Fraction(1),
        Fraction(1, 10**6),
        1,
        2000,
        adjacency,
        form=Form.AS_PRINTED,
        calibration="formula",
        constant=Fraction(16),
    )
    free, weight = problem.domain.radius is None, Fraction(1, 20)
    least = Fraction(7, problem.n**2)  # in the formula's range for any batch and number of steps
    repaired = replace(
        base, form=Form.REPAIRED, calibration="accountant", constant=None, epochs=2, inner=3, batch=problem.n
    )
    formula = replace(repaired, epsilon=least, calibration="formula")
    alone = replace(repaired, calibration="renyi")
    parts = replace(repaired, noise="two-part")
    return (
        base,
        replace(base, regulariser=Regulariser(l1=weight, radius=Fraction(1)), step_size=Fraction(1, 8)),
        replace(base, calibration="remark-4.1"),
        replace(repaired, regulariser=Regulariser(l2=weight, box=(Fraction(-1, 3), Fraction(1)) if free else None)),
        replace(formula, regulariser=Regulariser(weight, weight), batch=(problem.n + 1) // 2),
        replace(formula, batch=1),
        alone,
        replace(parts, regulariser=Regulariser(l1=weight), ratio=Fraction(1, 2)),
        replace(parts, epochs=1, batch=(problem.n + 1) // 2),
    )
