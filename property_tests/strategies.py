"""Hypothesis strategies for problems, data, plans: everything that is registered, on small instances."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_gradient_descent_plan
from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_mirror_descent_plan
from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Influence, Momentum, Schedule, Uniform
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent import plan as gradient_descent_plan
from dpref.algorithms.mirror_descent import plan as mirror_descent_plan
from dpref.algorithms.online_frank_wolfe import plan as online_frank_wolfe_plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.spider import plan as spider_plan
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.geometry.linear_minimization import LinearMinimizationOracle, LpBall, Polytope, simplex
from dpref.geometry.norms import Index
from dpref.geometry.prox import NONE, Regulariser
from dpref.geometry.sets import WHOLE_SPACE, L2Ball
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, GameData
from dpref.problems.losses import Huber, Linear, Logistic, Loss, Squared
from dpref.problems.protocol import Problem
from dpref.problems.stream import StreamProblem
from dpref.units import Adjacency


@dataclass(frozen=True)
class Instance:
    """One algorithm with everything that a run needs."""

    algorithm: AnyAlgorithm
    problem: Problem
    data: Any
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
    calibration: Any = draw(st.sampled_from(["safe", "zcdp", "exact", None]))
    form = Form.REPAIRED if calibration else draw(st.sampled_from(Form))
    return gradient_descent_plan.Params(
        epsilon=draw(fractions(Fraction(1, 10), Fraction(20))),
        delta=draw(st.sampled_from([Fraction(1, 100), Fraction(1, 10**9)])),
        steps=draw(st.integers(2, 5)),
        adjacency=adjacency,
        form=form,
        calibration=calibration,
        constant=Fraction(16) if form is Form.AS_PRINTED else None,
        output=draw(st.sampled_from(["last", "random"])),
        **draw(steps_and_start(problem, Fraction(3))),
    )


@st.composite
def dynamic_gradient_descent_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    steps = draw(st.integers(2, 5))
    schedule, beta = draw(schedules(steps))
    form = draw(st.sampled_from(Form))
    return dynamic_gradient_descent_plan.Params(
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
    return svrg_plan.Params(
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
def games(draw: st.DrawFn) -> Game:
    return Game(
        n=draw(st.integers(8, 12)),
        rows=draw(st.integers(1, 4)),
        columns=draw(st.integers(1, 4)),
        lipschitz=draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5, 2)])),
        ramp=draw(st.sampled_from([None, Fraction(1, 4)])),
    )


@st.composite
def game_data(draw: st.DrawFn, problem: Game) -> GameData:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bound = float(problem.lipschitz) / (1 if problem.ramp is None else 2) * (1 - 2.0**-50)
    payoffs = bound * rng.uniform(-1, 1, (problem.n, problem.rows, problem.columns))
    slopes = 0 * payoffs[:, :, 0] if problem.ramp is None else bound * rng.choice([-1.0, 1.0], payoffs.shape[:2])
    return GameData(payoffs, slopes, rng.uniform(-0.5, 0.5, problem.n))


@st.composite
def mirror_descent_params(draw: st.DrawFn, problem: Game, adjacency: type[Adjacency]) -> Any:
    form = draw(st.sampled_from(Form))
    return mirror_descent_plan.Params(
        epsilon=draw(fractions(Fraction(1, 10), Fraction(30))),
        delta=draw(st.sampled_from([Fraction(1, 100), Fraction(1, 10**9)])),
        steps=draw(st.integers(1, problem.n)),
        samples=draw(st.integers(1, 4)),
        adjacency=adjacency,
        form=form,
        calibration=None if form is Form.AS_PRINTED else draw(st.sampled_from(["pure", "zcdp"])),
        step_size=draw(st.none() | st.just(Fraction(1, 7))),
    )


@st.composite
def bias_reduced_params(draw: st.DrawFn, problem: Game, adjacency: type[Adjacency]) -> Any:
    """Budget 4 on at least 8 records: whatever the levels are, the batches fit."""
    assert problem.n >= 8
    form, truncation = draw(st.sampled_from(Form)), draw(st.integers(1, 2))
    return bias_reduced_mirror_descent_plan.Params(
        epsilon=draw(fractions(Fraction(1, 10), Fraction(30))),
        delta=draw(st.sampled_from([Fraction(1, 100), Fraction(1, 10**9)])),
        stopping=Fraction(4),
        truncation=truncation,
        alpha=draw(st.sampled_from([Fraction(2), Fraction(3, 2)])),
        levels=tuple(draw(st.lists(st.integers(0, truncation), min_size=4, max_size=4))),
        adjacency=adjacency,
        form=form,
        calibration=None if form is Form.AS_PRINTED else draw(st.sampled_from(["printed", "pure", "zcdp"])),
    )


SQUARE = Polytope(np.array([[1.0, 0.5], [1.0, -1.0], [-1.0, 1.0], [-0.25, -1.0]]))


@st.composite
def stream_problems(draw: st.DrawFn) -> StreamProblem:
    """Any loss on any kind of set."""
    losses: list[Loss] = [Logistic(), Squared(), Huber(Fraction(1, 2)), Linear()]
    dimension, p = draw(st.integers(1, 4)), draw(st.sampled_from(NORMS))
    domain: LinearMinimizationOracle = LpBall(p, draw(fractions(Fraction(1, 4), Fraction(3))))
    if draw(st.booleans()):
        domain = draw(st.sampled_from([simplex(dimension), *([SQUARE] if dimension == 2 else [])]))
    return StreamProblem(
        draw(st.sampled_from(losses)),
        n=draw(st.integers(1, 6)),
        dimension=dimension,
        domain=domain,
        feature_bound=draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(8)])),
        clip=draw(st.none() | fractions(Fraction(1, 50), Fraction(2))),
    )


NORMS: list[Index] = [Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2), Fraction(3), math.inf]


@st.composite
def online_frank_wolfe_params(draw: st.DrawFn, problem: StreamProblem, adjacency: type[Adjacency]) -> Any:
    """Every calibration; as printed with E-1 mended (with its tiny noise a Frank-Wolfe step is ill-conditioned)."""
    form = draw(st.sampled_from(Form)) if problem.domain.index != 1 else Form.REPAIRED
    how: Any = draw(st.sampled_from(["accountant", "zcdp", "eq-3.2"])) if form is Form.REPAIRED else None
    repairs: Any = draw(st.sampled_from([("E-1",), ("E-1", "E-2")]))
    return online_frank_wolfe_plan.Params(
        epsilon=draw(fractions(Fraction(1, 10), Fraction(2))),
        delta=draw(st.sampled_from([Fraction(1, 100), Fraction(1, 10**9)])),
        adjacency=adjacency,
        form=form,
        calibration=how,
        step_scale=draw(st.sampled_from([Fraction(1), Fraction(2, 5)])),
        repairs=repairs if form is Form.AS_PRINTED else (),
    )


@st.composite
def streams(draw: st.DrawFn, problem: StreamProblem) -> Dataset:
    """Records within the problem's bound."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = scale_rows(
        draw(st.sampled_from([0.1, 30.0])) * rng.standard_normal((problem.n, problem.dimension)), problem.dual
    )
    return Dataset(rows * (float(problem.feature_bound) * (1 - 2.0**-40)), rng.choice([-1.0, 1.0], problem.n))


@st.composite
def adaptive_gradient_descent_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    """Budgets that let some rounds through, under a cap that keeps balls quick."""
    form = draw(st.sampled_from(Form))
    return adaptive_gradient_descent_plan.Params(
        rho=draw(fractions(Fraction(1), Fraction(5000))),
        failure=Fraction(1, 20),
        adjacency=adjacency,
        form=form,
        reading=draw(st.sampled_from(adaptive_gradient_descent_plan.READINGS)) if form is Form.AS_PRINTED else None,
        smoothness=problem.smoothness * draw(st.sampled_from([1, 3])),
        rounds=draw(st.integers(1, 5)),
        start=draw(st.none() | st.just(np.full(problem.dimension, 0.3))),
    )


@st.composite
def spider_params(draw: st.DrawFn, problem: ERMProblem, adjacency: type[Adjacency]) -> Any:
    """A scale gamma for which a few rounds suffice, and budgets on both sides of the trivial regime."""
    bound, smoothness, form = problem.gradient_bound, problem.smoothness, draw(st.sampled_from(Form))
    least = Fraction(1, 20) if form is Form.REPAIRED else Fraction(1, 2)
    return spider_plan.Params(
        rho=(Fraction(800, problem.n) * draw(fractions(least, Fraction(3)))) ** 2,
        failure=Fraction(1, 20),
        gamma=bound / (128 * smoothness),
        kappa=draw(fractions(Fraction(1), Fraction(2))),
        adjacency=adjacency,
        form=form,
        smoothness=smoothness * draw(st.sampled_from([1, 2])),
        start=draw(st.none() | st.just(np.full(problem.dimension, 0.3))),
    )


@dataclass(frozen=True)
class Kind:
    """What an algorithm is given: problems, parameters (of a problem and an adjacency) and data (of a problem)."""

    params: Callable[[Any, type[Adjacency]], st.SearchStrategy[Any]]
    problems: Callable[[], st.SearchStrategy[Any]] = problems
    data: Callable[[Any], st.SearchStrategy[Any]] = lambda problem: datasets(problem.n, problem.dimension)


KINDS = {
    "gradient-descent": Kind(gradient_descent_params),
    "dynamic-gradient-descent": Kind(dynamic_gradient_descent_params),
    "adaptive-gradient-descent": Kind(adaptive_gradient_descent_params),
    "spider": Kind(spider_params),
    "svrg": Kind(svrg_params),
    "svrg-plus-plus": Kind(svrg_params),
    "online-frank-wolfe": Kind(online_frank_wolfe_params, stream_problems, streams),
    "mirror-descent": Kind(mirror_descent_params, games, game_data),
    "bias-reduced-mirror-descent": Kind(bias_reduced_params, games, game_data),
}


@st.composite
def instances_of(draw: st.DrawFn, name: str) -> Instance:
    """One registered algorithm on any small problem, under any adjacency, in any form."""
    algorithm, kind = ALGORITHMS[name], KINDS[name]
    problem = draw(kind.problems())
    adjacency = draw(st.sampled_from(sorted(algorithm.adjacencies, key=lambda a: a.name)))
    plan = algorithm.plan(problem, draw(kind.params(problem, adjacency)))
    return Instance(algorithm, problem, draw(kind.data(problem)), plan, draw(st.integers(0, 2**32 - 1)))


def instances() -> st.SearchStrategy[Instance]:
    """Any registered algorithm on any small problem, under any adjacency, in any form."""
    return st.sampled_from(sorted(ALGORITHMS)).flatmap(instances_of)
