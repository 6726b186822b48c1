"""From a claim's words to a subject that can be judged and run: one builder an algorithm name.

What `build` makes, the library has derived from a plan of its own, and its ledger and witnesses are the library's:
`dpref.audit.provenance` tells it from what only looks like it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import numpy as np

from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_gradient_descent_plan
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Influence, Momentum, Schedule, Uniform
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent import plan as gradient_descent_plan
from dpref.algorithms.registry import algorithm_named
from dpref.algorithms.spider import plan as spider_plan
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.audit.claims import Claim
from dpref.audit.gaussian_mechanism import GaussianMechanismSubject, calibrated_multiplier
from dpref.audit.gradient_run import GradientRun, audit_data
from dpref.audit.kl_run import LINEAR_SMOOTHNESS, AdaptiveRun, linear_pair, linear_problem
from dpref.audit.online_builders import online_frank_wolfe_run
from dpref.audit.parameters import MOST_PUBLIC, MOST_STEPS, MOST_STORED, MOST_TO_RUN, Parameters, form_of
from dpref.audit.provenance import remember
from dpref.audit.saddle_builders import (
    bias_reduced_draw,
    bias_reduced_run,
    bias_reduced_score,
    mirror_descent_run,
)
from dpref.audit.spider_run import SpiderRun, squares_pair
from dpref.audit.subjects import Subject
from dpref.audit.svrg_run import DRIFT_STEP, SVRGRun, drift_pair, drift_problem, drift_start, real_pair
from dpref.errors import InvalidArgumentError
from dpref.geometry.prox import NONE, Regulariser
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Logistic, Loss
from dpref.reals import exact
from dpref.units import ReplaceOne

Builder: TypeAlias = Callable[[Claim], Subject]


def gaussian_mechanism(claim: Claim) -> Subject:
    """``gaussian-mechanism``: ``noise_multiplier``, or ``calibration``, ``epsilon`` and ``delta``; and ``count``."""
    given = Parameters(claim, {"noise_multiplier", "calibration", "epsilon", "delta", "count"})
    count = given.integer("count", 1)
    if "noise_multiplier" in given:
        for name in ("calibration", "epsilon", "delta"):
            if name in given:
                raise InvalidArgumentError(
                    f"parameters.{name}", claim.parameters[name], "clashes with noise_multiplier"
                )
        return GaussianMechanismSubject(claim.adjacency, given.number("noise_multiplier"), count, claim.release)
    calibration = given.text("calibration")
    multiplier = calibrated_multiplier(calibration, given.number("epsilon"), given.number("delta"), count)
    return GaussianMechanismSubject(claim.adjacency, multiplier, count, claim.release, calibration)


def gradient_descent_run(claim: Claim) -> Subject:
    """``gradient-descent`` (DP-ERM revisited, Algorithm 4): ``epsilon, delta, steps, calibration, constant, output``.

    The form is the one that the claim's form begins with; the printed one takes a ``constant``, the other a
    ``calibration``.
    Beside them, as for every algorithm on data: ``loss`` (logistic, huber), ``threshold`` of the Huber loss, ``clip``.
    """
    given = Parameters(claim, {"epsilon", "delta", "steps", "calibration", "constant", "output", *PROBLEM_NAMES})
    problem = _problem(given)
    params = gradient_descent_plan.Params(
        epsilon=given.number("epsilon"),
        delta=given.number("delta"),
        steps=given.integer("steps"),
        adjacency=claim.adjacency,
        form=form_of(claim),
        calibration=given.text("calibration") if "calibration" in given else None,  # type: ignore[arg-type]
        constant=given.number("constant") if "constant" in given else None,
        output=given.text("output", "last"),  # type: ignore[arg-type]
    )
    plan = gradient_descent_plan.plan(problem, params)
    algorithm = algorithm_named("gradient-descent")
    return GradientRun.on_audit_data(algorithm, problem, plan, claim.release, output=plan.output)


def dynamic_gradient_descent_run(claim: Claim) -> Subject:
    """``dynamic-gradient-descent`` (dynamic privacy budget, Algorithm 1): ``budget, steps, schedule, momentum``.

    ``schedule`` is uniform, dynamic (needs ``gamma``), influence (needs ``influences``, with commas) or momentum
    (needs ``gamma`` and ``momentum``); ``population`` is the printed form's N.  The form is the one that the claim's
    form begins with.
    """
    names = {"budget", "steps", "schedule", "gamma", "influences", "momentum", "population", *PROBLEM_NAMES}
    given = Parameters(claim, names)
    problem = _problem(given)
    form = form_of(claim)
    params = dynamic_gradient_descent_plan.Params(
        budget=given.number("budget"),
        steps=given.integer("steps"),
        schedule=_schedule(given, form),
        adjacency=claim.adjacency,
        form=form,
        momentum=given.number("momentum") if "momentum" in given else Fraction(0),
        population=given.integer("population", most=MOST_PUBLIC) if "population" in given else None,
    )
    plan = dynamic_gradient_descent_plan.plan(problem, params)
    algorithm = algorithm_named("dynamic-gradient-descent")
    return GradientRun.on_audit_data(algorithm, problem, plan, claim.release)


def svrg_run(claim: Claim) -> Subject:
    """``svrg`` and ``svrg-plus-plus``: ``epsilon, delta, epochs, inner, batch, calibration, constant, range_constant``.

    ``l2`` is the weight lambda of the regulariser (lambda/2)|x|^2.

    ``instance`` is real (the default; with ``loss``, ``threshold``, ``clip``) or drift (with ``records``).  The form is
    the one that the claim's form begins with.

    >>> from dpref.audit.catalogue import find
    >>> subject = svrg_run(find("dp-erm-revisited/equation-3@without-range-output,replace-one"))
    >>> subject.plan.lengths, subject.release
    ((2,), 'output')
    """
    names = {"epsilon", "delta", "epochs", "inner", "batch", "calibration", "constant", "range_constant", "l2"}
    given = Parameters(claim, names | {"instance", "records", *PROBLEM_NAMES})
    algorithm, turning = algorithm_named(claim.algorithm), _instance(given, claim, "drift")
    if turning and claim.adjacency is not ReplaceOne:
        raise InvalidArgumentError("adjacency", claim.adjacency.name, "must be replace-one on the drift instance")
    problem = drift_problem(given.integer("records", most=MOST_STORED)) if turning else _problem(given)
    epochs, inner = given.integer("epochs"), given.integer("inner")
    steps = epochs * inner if claim.algorithm == "svrg" else inner * 2 ** min(epochs + 1, 99)
    given.fits("steps", ("epochs", "inner"), steps, MOST_STEPS)
    params = svrg_plan.Params(
        epsilon=given.number("epsilon"),
        delta=given.number("delta"),
        epochs=epochs,
        inner=inner,
        adjacency=claim.adjacency,
        form=form_of(claim),
        calibration=given.text("calibration") if "calibration" in given else None,  # type: ignore[arg-type]
        constant=given.number("constant") if "constant" in given else None,
        range_constant=given.number("range_constant") if "range_constant" in given else None,
        batch=given.integer("batch", 1),
        regulariser=Regulariser(l2=given.number("l2")) if "l2" in given else NONE,
        step_size=DRIFT_STEP if turning else None,
    )
    plan = algorithm.plan(problem, params)
    if turning:
        shrink = 1 / (1 + plan.step_size * float(plan.regulariser.l2))
        plan = replace(plan, start=tuple(map(float, drift_start(plan.std, plan.steps, shrink))))
    pair = drift_pair(problem.n) if turning else real_pair(claim.adjacency)
    return SVRGRun(algorithm, problem, plan, pair, claim.release, turning)


def adaptive_gradient_descent_run(claim: Claim) -> Subject:
    """``adaptive-gradient-descent`` (KL condition, Algorithm 3): ``rho, failure, reading``.

    ``instance`` is real (the default; with ``loss``, ``threshold``, ``clip``) or linear (with ``records``).

    >>> from dpref.audit.catalogue import find
    >>> subject = adaptive_gradient_descent_run(find("kl-condition/theorem-3@repaired,zero-out"))
    >>> subject.plan.reading, subject.adjacency.name
    ('clamped', 'zero-out')
    """
    given = Parameters(claim, {"rho", "failure", "reading", "instance", "records", *PROBLEM_NAMES})
    linear = _instance(given, claim, "linear")
    problem = linear_problem(given.integer("records", most=MOST_PUBLIC)) if linear else _problem(given)
    params = adaptive_gradient_descent_plan.Params(
        rho=given.number("rho"),
        failure=given.number("failure"),
        adjacency=claim.adjacency,
        form=form_of(claim),
        reading=given.text("reading") if "reading" in given else None,  # type: ignore[arg-type]
        smoothness=LINEAR_SMOOTHNESS if linear else None,
    )
    pair = linear_pair(claim.adjacency) if linear else real_pair(claim.adjacency)
    plan = adaptive_gradient_descent_plan.plan(problem, params)
    return AdaptiveRun(problem, plan, pair, claim.release)


def spider_run(claim: Claim) -> Subject:
    """``spider`` (KL condition, Algorithm 1): ``rho, failure, gamma, kappa, gap, records, threshold, instance``.

    ``instance`` is squares (of which ``kappa`` is 2 and one record is replaced) or linear, and of the first
    there is a ``start``; both are refused where they break an assumption of the paper.

    >>> from dpref.audit.catalogue import find
    >>> subject = spider_run(find("kl-condition/theorem-1@repaired,replace-one"))
    >>> subject.problem.n, subject.instance, subject.adjacency.name
    (1000000, 'linear', 'replace-one')
    """
    names = {"rho", "failure", "gamma", "kappa", "gap", "instance", "records", "threshold", "start"}
    given, instance = Parameters(claim, names), _spider_instance(claim)
    squares = instance == "squares"
    records = given.integer("records", most=MOST_TO_RUN if squares else MOST_PUBLIC)
    start, gap = exact(float(given.number("start"))) if squares else Fraction(0), given.number("gap")
    problem = ERMProblem(Huber(given.number("threshold")), n=records, dimension=1)
    params = spider_plan.Params(
        rho=given.number("rho"),
        failure=given.number("failure"),
        gamma=given.number("gamma"),
        kappa=given.number("kappa"),
        adjacency=claim.adjacency,
        form=form_of(claim),
        gap=gap,
        start=np.array([float(start)]),
    )
    pair = squares_pair(records) if squares else linear_pair(claim.adjacency)
    return SpiderRun(problem, spider_plan.plan(problem, params), pair, claim.release, instance, gap, start)


def _spider_instance(claim: Claim) -> Literal["linear", "squares"]:
    """Which instance a claim about KL Spider is run on; only what the instance is may be asked of it."""
    given, gamma, kappa = claim.parameters, claim.parameters.get("gamma"), claim.parameters.get("kappa")
    instance = given.get("instance")
    if instance == "linear":
        if "start" in given:
            raise InvalidArgumentError("parameters.start", given["start"], "does not belong to linear")
        return "linear"
    if instance != "squares":
        raise InvalidArgumentError("parameters.instance", instance, "must be linear or squares")
    if claim.adjacency is not ReplaceOne:
        raise InvalidArgumentError("adjacency", claim.adjacency.name, "must be replace-one on the squares instance")
    if isinstance(gamma, str) or isinstance(kappa, str) or kappa != 2 or (gamma or 0) ** 2 < Fraction(1, 2):
        rule = "the squares instance is (gamma, 2)-KL for gamma^2 >= 1/2 only"
        raise InvalidArgumentError("parameters.kappa, parameters.gamma", (kappa, gamma), rule)
    return "squares"


PROBLEM_NAMES: Final = frozenset({"loss", "threshold", "clip"})


def _instance(given: Parameters, claim: Claim, synthetic: str) -> bool:
    """Whether the run is on the synthetic instance of that name, and not on real data."""
    instance = given.text("instance", "real")
    if instance not in {"real", synthetic}:
        raise InvalidArgumentError("parameters.instance", instance, f"must be real or {synthetic}")
    for name in ("records",) if instance == "real" else PROBLEM_NAMES:
        if name in given:
            raise InvalidArgumentError(f"parameters.{name}", claim.parameters[name], f"does not belong to {instance}")
    return instance == synthetic


def _problem(given: Parameters) -> ERMProblem:
    data = audit_data()
    name = given.text("loss", "logistic")
    if name not in {"logistic", "huber"}:
        raise InvalidArgumentError("parameters.loss", name, "must be logistic or huber")
    if name != "huber" and "threshold" in given:
        raise InvalidArgumentError("parameters.threshold", given.number("threshold"), "belongs to the Huber loss")
    loss: Loss = Huber(given.number("threshold")) if name == "huber" else Logistic()
    clip = given.number("clip") if "clip" in given else None
    return ERMProblem(loss, n=data.n, dimension=data.dimension, clip=clip)


def _schedule(given: Parameters, form: Form) -> Schedule:
    name = given.text("schedule", "uniform")
    for parameter, owners in (("gamma", {"dynamic", "momentum"}), ("influences", {"influence"})):
        if parameter in given and name not in owners:
            raise InvalidArgumentError(f"parameters.{parameter}", name, f"does not belong to the schedule {name}")
    match name:
        case "uniform":
            return Uniform()
        case "dynamic":
            return Dynamic(given.number("gamma"))
        case "momentum":
            return Momentum(given.number("momentum"), given.number("gamma"), form)
        case "influence":
            return Influence(given.numbers("influences"))
        case _:
            raise InvalidArgumentError("parameters.schedule", name, "must be uniform, dynamic, influence or momentum")


BUILDERS: Final[Mapping[str, Builder]] = MappingProxyType(
    {
        "gaussian-mechanism": gaussian_mechanism,
        "gradient-descent": gradient_descent_run,
        "dynamic-gradient-descent": dynamic_gradient_descent_run,
        "svrg": svrg_run,
        "svrg-plus-plus": svrg_run,
        "online-frank-wolfe": online_frank_wolfe_run,
        "mirror-descent": mirror_descent_run,
        "bias-reduced-mirror-descent": bias_reduced_run,
        "bias-reduced-score": bias_reduced_score,
        "bias-reduced-draw": bias_reduced_draw,
        "adaptive-gradient-descent": adaptive_gradient_descent_run,
        "spider": spider_run,
    }
)


def build(claim: Claim) -> Subject:
    """The subject of a claim.

    Raises:
        InvalidArgumentError: If no builder has that name, or the parameters do not fit it.

    >>> from dpref.audit.catalogue import find
    >>> build(find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")).adjacency.name
    'replace-one'
    """
    if claim.algorithm not in BUILDERS:
        raise InvalidArgumentError("algorithm", claim.algorithm, "must be one of " + ", ".join(BUILDERS))
    return remember(claim, BUILDERS[claim.algorithm](claim))
