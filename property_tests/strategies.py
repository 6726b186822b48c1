"""Hypothesis strategies for problems, data, plans: everything that is registered, on small instances."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from dpref.algorithms.erm import dynamic_gradient_descent, gradient_descent, svrg
from dpref.algorithms.erm.budget import Dynamic, Influence, Momentum, Schedule, Uniform
from dpref.algorithms.forms import Form
from dpref.algorithms.kl import adaptive_gradient_descent, spider
from dpref.algorithms.registry import ALGORITHMS, Algorithm
from dpref.geometry.prox import NONE, Regulariser
from dpref.geometry.sets import WHOLE_SPACE, L2Ball
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Huber, Logistic, Loss, Squared
from dpref.units import Adjacency


@dataclass(frozen=True)
class Instance:
    """One algorithm with everything that a run needs."""

    algorithm: Algorithm
    problem: ERMProblem
    data: Dataset
    plan: Any
    seed: int


def fractions(low: Fraction, high: Fraction) -> st.SearchStrategy[Fraction]:
    return st.integers(0, 64).map(lambda k: low + (high - low) * Fraction(k, 64))


@st.composite
def datasets(draw: st.DrawFn, n: int, dimension: int) -> Dataset:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = draw(st.sampled_from([0.1, 1.0, 30.0]))
    labels = rng.choice([-1.0, 1.0], n)
    return Dataset(scale_rows(scale * rng.standard_normal((n, dimension))), labels)


@st.composite
def problems(draw: st.DrawFn) -> ERMProblem:
    losses: list[Loss] = [Logistic(), Squared(), Huber(Fraction(1, 2)), Huber(Fraction(2))]
    loss = draw(st.sampled_from(losses))
    bounded = draw(st.booleans())
    clip = draw(st.none() | fractions(Fraction(1, 50), Fraction(2)))
    if loss.needs_parameter_bound and not bounded and clip is None:
        clip = Fraction(1, 2)
    return ERMProblem(
        loss,
        n=draw(st.integers(2, 6)),
        dimension=draw(st.integers(1, 4)),
        clip=clip,
        ridge=draw(st.sampled_from([Fraction(0), Fraction(1, 10)])),
        domain=L2Ball(draw(fractions(Fraction(1, 4), Fraction(3)))) if bounded else WHOLE_SPACE,
    )


@st.composite
def schedules(draw: st.DrawFn, steps: int) -> tuple[Schedule, Fraction]:
    """A schedule and a momentum factor that goes with it."""
    kind = draw(st.sampled_from(["uniform", "dynamic", "influence", "momentum"]))
    beta = draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(9, 10)]))
    if kind == "dynamic":
        return Dynamic(draw(fractions(Fraction(1, 5), Fraction(99, 100)))), beta
    if kind == "influence":
        return Influence(tuple(draw(fractions(Fraction(1, 10), Fraction(10))) for _ in range(steps))), beta
    if kind == "momentum":
        form = draw(st.sampled_from(Form))
        return Momentum(Fraction(1, 3), draw(fractions(Fraction(1, 2), Fraction(99, 100))), form), Fraction(1, 3)
    return Uniform(), beta


@st.composite
def steps_and_start(draw: st.DrawFn, problem: ERMProblem, most: Fraction) -> dict[str, Any]:
    """A step size and a start, each perhaps the default."""
    return {
        "step_size": draw(st.none() | fractions(most / 30, most)),
        "start": draw(st.none() | st.just(np.full(problem.dimension, 0.3))),
    }


@st.composite
def gradient_descent_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    calibration: Any = draw(st.sampled_from(["safe", "zcdp", "exact", "as-printed"]))
    return gradient_descent.Params(
        epsilon=draw(fractions(Fraction(1, 10), Fraction(20))),
        delta=draw(st.sampled_from([Fraction(1, 100), Fraction(1, 10**9)])),
        steps=draw(st.integers(2, 5)),
        adjacency=adjacency,
        calibration=calibration,
        constant=Fraction(16) if calibration == "as-printed" else None,
        output=draw(st.sampled_from(["last", "random"])),
        **draw(steps_and_start(problem, Fraction(3))),
    )


@st.composite
def dynamic_gradient_descent_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    steps = draw(st.integers(2, 5))
    schedule, beta = draw(schedules(steps))
    form = draw(st.sampled_from(Form))
    return dynamic_gradient_descent.Params(
        budget=draw(fractions(Fraction(1, 50), Fraction(10))),
        steps=steps,
        schedule=schedule,
        adjacency=adjacency,
        form=form,
        momentum=beta,
        population=draw(st.none() | st.just(2 * problem.n)) if form is Form.AS_PRINTED else None,
        **draw(steps_and_start(problem, Fraction(3))),
    )


@st.composite
def regularisers(draw: st.DrawFn, *, bounded: bool) -> Regulariser:
    """Any regulariser; no set where the problem has its own."""
    first, second = (draw(st.sampled_from([Fraction(0), Fraction(1, 20)])) for _ in range(2))
    sets = (
        [NONE] if bounded else [NONE, Regulariser(radius=Fraction(1)), Regulariser(box=(Fraction(-1, 3), Fraction(1)))]
    )
    return draw(st.sampled_from(sets)) + Regulariser(first, second)


@st.composite
def svrg_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    """The formula within its range, or as printed (the accountant's own calibration has its own tests)."""
    form = draw(st.sampled_from(Form))
    epochs, inner = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    batch = draw(st.integers(1, problem.n)) if form is Form.REPAIRED else 1
    most = min(Fraction(7 * batch**2 * epochs * inner, problem.n**2), Fraction(9))
    return svrg.Params(
        epsilon=draw(fractions(most / 20, most)),
        delta=draw(st.sampled_from([Fraction(1, 100), Fraction(1, 10**9)])),
        epochs=epochs,
        inner=inner,
        adjacency=adjacency,
        form=form,
        calibration="formula",
        constant=Fraction(16) if form is Form.AS_PRINTED else None,
        batch=batch,
        regulariser=draw(regularisers(bounded=problem.domain.radius is not None)),
        **draw(steps_and_start(problem, Fraction(3, 8))),
    )


@st.composite
def adaptive_gradient_descent_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    """Budgets that let some rounds through, under a cap that keeps balls quick."""
    form = draw(st.sampled_from(Form))
    return adaptive_gradient_descent.Params(
        budget=draw(fractions(Fraction(1), Fraction(5000))),
        failure=Fraction(1, 20),
        adjacency=adjacency,
        form=form,
        reading=draw(st.sampled_from(adaptive_gradient_descent.READINGS)) if form is Form.AS_PRINTED else None,
        smoothness=problem.smoothness * draw(st.sampled_from([1, 3])),
        rounds=draw(st.integers(1, 5)),
        start=draw(st.none() | st.just(np.full(problem.dimension, 0.3))),
    )


@st.composite
def spider_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    """A scale gamma for which a few rounds suffice, and budgets on both sides of the trivial regime."""
    bound, smoothness, form = problem.gradient_bound, problem.smoothness, draw(st.sampled_from(Form))
    least = Fraction(1, 20) if form is Form.REPAIRED else Fraction(1, 2)
    return spider.Params(
        budget=(Fraction(800, problem.n) * draw(fractions(least, Fraction(3)))) ** 2,
        failure=Fraction(1, 20),
        gamma=bound / (128 * smoothness),
        kappa=draw(fractions(Fraction(1), Fraction(2))),
        adjacency=adjacency,
        form=form,
        smoothness=smoothness * draw(st.sampled_from([1, 2])),
        start=draw(st.none() | st.just(np.full(problem.dimension, 0.3))),
    )


PARAMS = {
    "spider": spider_params,
    "adaptive-gradient-descent": adaptive_gradient_descent_params,
    "gradient-descent": gradient_descent_params,
    "dynamic-gradient-descent": dynamic_gradient_descent_params,
    "svrg": svrg_params,
    "svrg-plus-plus": svrg_params,
}


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Any registered algorithm on any small problem, under any adjacency, in any form."""
    algorithm = ALGORITHMS[draw(st.sampled_from(sorted(ALGORITHMS)))]
    problem = draw(problems())
    adjacency = draw(st.sampled_from(sorted(algorithm.adjacencies, key=lambda a: a.name)))
    plan = algorithm.plan(problem, draw(PARAMS[algorithm.name](problem, adjacency)))
    data = draw(datasets(problem.n, problem.dimension))
    return Instance(algorithm, problem, data, plan, draw(st.integers(0, 2**32 - 1)))
