"""Hypothesis strategies for problems, data and plans: everything that is registered, on small instances.

Problems and data are drawn by the kind of problem that an algorithm is declared for.  Its parameters are those of its
declaration's ``examples``, with some fields varied as their annotations allow: a new algorithm is drawn as soon as it
is registered.
"""

from __future__ import annotations

import math
import types
from dataclasses import dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
from hypothesis import strategies as st

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LinearMinimizationOracle, LpBall, Polytope, simplex
from dpref.geometry.norms import Index
from dpref.geometry.sets import WHOLE_SPACE, L2Ball
from dpref.problems.bandit import LINKS, Bandit, BanditData, LinearBandit, Link
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, GameData
from dpref.problems.losses import Huber, Linear, Logistic, Loss, Squared
from dpref.problems.protocol import Problem
from dpref.problems.queries import Queries, QueryData
from dpref.problems.stream import StreamProblem, VertexStream
from dpref.reals import FloatArray
from dpref.units import Adjacency

MOST = 6  # a longer count of an example is drawn anew, up to this: runs in balls are slow
LONG = 12
STEPS = 80  # and a plan that asks for more answers is not run
FACTORS = [Fraction(1), Fraction(1, 2), Fraction(2), Fraction(1, 8), Fraction(8)]


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


# ------------------------------------------------------------------------------------ problems and data


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
def query_problems(draw: st.DrawFn) -> Queries:
    """Queries with values between the extremes too, not closed under negation."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    return Queries(draw(st.integers(2, 9)), rng.choice([-1.0, 0.25, 1.0], shape))


@st.composite
def query_data(draw: st.DrawFn, problem: Queries) -> QueryData:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return problem.data(rng.integers(problem.elements, size=problem.n))


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


@st.composite
def vertex_streams(draw: st.DrawFn) -> VertexStream:
    """The same on sets that list their vertices."""
    found = draw(stream_problems())
    vertices = LpBall(Fraction(1), draw(fractions(Fraction(1, 4), Fraction(3))))
    listed: list[LinearMinimizationOracle] = [simplex(found.dimension)] if found.dimension > 1 else []
    listed += [SQUARE, replace(SQUARE, p=Fraction(3))] if found.dimension == 2 else []
    domain: LinearMinimizationOracle = draw(st.sampled_from([vertices, *listed]))
    return VertexStream(found.loss, found.n, found.dimension, domain, found.feature_bound, found.clip)


@st.composite
def bandits(draw: st.DrawFn) -> Bandit:
    """Few users, two or three arms, either link."""
    link: Link = draw(st.sampled_from(LINKS))
    bound = Fraction(1) if link == "logistic" else draw(st.sampled_from([Fraction(1), Fraction(20)]))
    arms = draw(st.integers(2, 3))
    radius, context_bound = draw(fractions(Fraction(1, 4), Fraction(3))), draw(fractions(Fraction(1, 3), Fraction(2)))
    return Bandit(draw(st.integers(arms, 7)), draw(st.integers(1, 3)), arms, link, radius, context_bound, bound)


@st.composite
def linear_bandits(draw: st.DrawFn) -> LinearBandit:
    """The same with the identity for a link, and fewer parameters."""
    found = draw(bandits())
    return LinearBandit(
        found.n, min(found.dimension, 2), 2, "identity", found.radius, found.context_bound, found.reward_bound
    )


@st.composite
def bandit_data(draw: st.DrawFn, problem: Bandit) -> BanditData:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    contexts = float(problem.context_bound) * (1 - 2.0**-40) * rng.uniform(-1, 1, (problem.n, problem.dimension))
    low = 0.0 if problem.link == "logistic" else -1.0
    rewards = float(problem.reward_bound) * rng.uniform(low, 1 - 2.0**-40, (problem.n, problem.arms))
    return BanditData(contexts, rewards)


NORMS: list[Index] = [Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2), Fraction(3), math.inf]


@st.composite
def streams(draw: st.DrawFn, problem: StreamProblem) -> Dataset:
    """Records within the problem's bound."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = scale_rows(
        draw(st.sampled_from([0.1, 30.0])) * rng.standard_normal((problem.n, problem.dimension)), problem.dual
    )
    return Dataset(rows * (float(problem.feature_bound) * (1 - 2.0**-40)), rng.choice([-1.0, 1.0], problem.n))


class Drawn(NamedTuple):
    """What is drawn of a kind of problem: an instance, and data for it."""

    problems: Any
    data: Any


KINDS: dict[type, Drawn] = {
    ERMProblem: Drawn(problems, lambda problem: datasets(problem.n, problem.dimension)),
    StreamProblem: Drawn(stream_problems, streams),
    VertexStream: Drawn(vertex_streams, streams),
    Bandit: Drawn(bandits, bandit_data),
    LinearBandit: Drawn(linear_bandits, bandit_data),
    Game: Drawn(games, game_data),
    Queries: Drawn(query_problems, query_data),
}


def kind_of(algorithm: AnyAlgorithm) -> type:
    """The kind of problem that an algorithm is declared for."""
    found: type = algorithm.kind
    return found


# ------------------------------------------------------------------------------------ parameters


def plain(hint: Any) -> Any:
    """An annotation without its ``| None``."""
    if get_origin(hint) in {Union, types.UnionType}:
        return next(part for part in get_args(hint) if part is not types.NoneType)
    return hint


def is_choice(hint: Any) -> bool:
    """Whether a field names one of a few ways: then only an example knows what goes with it."""
    kind = plain(hint)
    return get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, Enum | bool))


def varied(hint: Any, value: Any, others: list[Any], problem: Problem) -> st.SearchStrategy[Any]:
    """Values of a field, from its annotation, an example's value and those of the other examples."""
    kind = plain(hint)
    if kind == FloatArray:
        return st.none() | st.just(np.full(getattr(problem, "dimension", 1), 0.3))
    if kind is Fraction and value is not None:
        return st.sampled_from(FACTORS).map(lambda factor: factor * value)
    if kind is int and value is not None:
        # A number that is that of the records stays it: a batch of all is another mechanism than one of some.
        return st.integers(1, MOST) if value > LONG else st.integers(value if value == problem.n else 1, value)
    if get_origin(kind) is tuple:
        return st.permutations(value).map(tuple)
    return st.just(value) if is_choice(hint) else st.sampled_from(others)


def is_long(hint: Any, value: Any) -> bool:
    """Whether a field is a count of which a run in balls needs fewer."""
    return plain(hint) is int and value is not None and value > LONG


def shortened(params: Any) -> Any:
    """Parameters with no long count."""
    hints = get_type_hints(type(params))
    return replace(params, **{name: MOST for name, value in vars(params).items() if is_long(hints[name], value)})


@st.composite
def parameters(draw: st.DrawFn, algorithm: AnyAlgorithm, problem: Problem, adjacency: type[Adjacency]) -> Any:
    """One of the declaration's examples with some of its fields varied; long counts are always."""
    examples = algorithm.examples(problem, adjacency)
    example = draw(st.sampled_from(examples))
    hints, changes = get_type_hints(algorithm.params), {}
    for field in fields(example):
        value, others = getattr(example, field.name), [getattr(other, field.name) for other in examples]
        if is_long(hints[field.name], value) or draw(st.integers(0, 3)) == 0:
            changes[field.name] = draw(varied(hints[field.name], value, others, problem))
    return replace(example, **changes)


def planned(algorithm: AnyAlgorithm, problem: Problem, params: Any) -> Any:
    """The plan of some parameters, or None where it is refused or too long to be run in balls."""
    try:
        plan = algorithm.plan(problem, params)
    except InvalidArgumentError:
        return None
    return plan if plan.steps <= STEPS else None


@st.composite
def instances_of(draw: st.DrawFn, name: str, adjacency: type[Adjacency]) -> Instance:
    """One registered algorithm under one of its adjacencies on any small problem, in any form."""
    algorithm = ALGORITHMS[name]
    kind = KINDS[kind_of(algorithm)]
    problem = draw(kind.problems())
    plans = parameters(algorithm, problem, adjacency).map(lambda params: planned(algorithm, problem, params))
    plan = draw(plans.filter(lambda made: made is not None))
    return Instance(algorithm, problem, draw(kind.data(problem)), plan, draw(st.integers(0, 2**32 - 1)))
