r"""A recorded run as others replay it: the unit draws, the conventions, and each step's query, answer and iterate.

Notation: answer t is $a_t=q_t+\sigma_tz_t$ with the query $q_t$, the noise $\sigma_tz_t$ and the unit draw $z_t$, which
stands on the *tape*; $x_t$ is the iterate that the answers up to $a_t$ make.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from importlib import import_module
from inspect import signature
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.checks import one_of
from dpref.curator import RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops, exact
from dpref.transcript import Answer, Selection, Transcript

DTYPES: Final = ("float64", "float32")
QUANTITIES: Final = ("indices", "query", "noise", "answer", "iterate")


class Leaf(NamedTuple):
    """A named part of the parameters.

    Attributes:
        name: What it is called.
        shape: Its shape; its coordinates are flattened in C order.
    """

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many coordinates it has."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """In which units a run speaks; they are data, and nobody guesses them.

    Attributes:
        gradient: Whether queries and answers are means or sums over the records.
        std_of: Of which of both the noise's scale is.
        divisor: What a mean divides by.
        clip: What is clipped.
        clip_slack: s, where a norm is divided by (norm + s): no record's gradient moves by more than s.
        order: In which order the tape holds the draws.
        layout: The leaves of the parameters, in the order in which they are drawn.
        dtype: In which the run computes.
    """

    gradient: Literal["mean", "sum"] = "mean"
    std_of: Literal["mean", "sum"] = "mean"
    divisor: Literal["n", "batch", "expected-batch", "one"] = "n"
    clip: Literal["per-record", "per-layer", "none"] = "none"
    clip_slack: Fraction = Fraction(0)
    order: Literal["leaves-within-steps"] = "leaves-within-steps"
    layout: tuple[Leaf, ...] = ()
    dtype: Literal["float64", "float32"] = "float64"

    def __post_init__(self) -> None:
        one_of("dtype", self.dtype, DTYPES)
        if self.clip_slack < 0:
            raise InvalidArgumentError("clip_slack", self.clip_slack, "must not be negative")


@dataclass(frozen=True, eq=False, kw_only=True)
class Step:
    """What is known of one step of somebody else's run; what is None is not compared.

    Attributes:
        indices: The records of its random batch, in any order, as they are drawn: counted within a block where only a
            block is sampled from.
        query: Before noise, shape (d,).
        noise: As it was added to the query, shape (d,).
        answer: Their sum, shape (d,).
        iterate: What the step leads to, shape (d,).
    """

    indices: tuple[int, ...] | None = None
    query: FloatArray | None = None
    noise: FloatArray | None = None
    answer: FloatArray | None = None
    iterate: FloatArray | None = None


@dataclass(frozen=True, kw_only=True)
class ForeignRun:
    """Somebody else's run on a tape, with its conventions.

    Attributes:
        steps: One for each answer.
        conventions: In which units its steps speak.
        unread: How many draws of the tape it left.
        how: How the tape got in, in words.
    """

    steps: tuple[Step, ...]
    conventions: Conventions = field(default_factory=Conventions)
    unread: int = 0
    how: str = "an argument"


Run: TypeAlias = ForeignRun | Sequence[Step] | Sequence[FloatArray] | FloatArray


class Source(NamedTuple):
    """What a recording was made from: with it the run can be repeated in another number system."""

    algorithm: AnyAlgorithm
    problem: Any
    data: Any
    plan: Any


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """A run of a registered algorithm, written down so that others can be compared with it.

    Attributes:
        algorithm: The algorithm's name.
        parameters: What its plan fixed: doubles, exact numbers, words.
        problem: The public problem and the records, as a kernel reads them, by name.
        conventions: In which units the steps speak.
        transcript: Queries, unit draws and answers.
        iterates: After each answer; empty where an algorithm does not go step by step.
        output: What the run released.
        source: From which it was made; None of one that was read from a file.
        tolerances: By dtype, quantity and step, what an honest implementation may err, where a file gives it; of the
            output alone where there are no iterates.
        sampled: How many of the random indices each step drew; empty where a file does not say it.
    """

    algorithm: str
    parameters: Mapping[str, Any]
    problem: Mapping[str, Any]
    conventions: Conventions
    transcript: Transcript
    iterates: tuple[FloatArray, ...]
    output: FloatArray
    source: Source | None = None
    tolerances: Mapping[str, Mapping[str, tuple[FloatArray, ...]]] = field(default_factory=dict)
    sampled: tuple[int, ...] = ()

    @property
    def steps(self) -> int:
        """How many answers there are."""
        return len(self.transcript.answers)

    @property
    def draws(self) -> tuple[FloatArray, ...]:
        """The unit draws of each step, flattened."""
        return tuple(entry.noise.ravel() for entry in self.transcript.answers)

    @property
    def records(self) -> int:
        """n, the public number of records."""
        return int(self.problem["n"])

    def batch(self, step: int) -> tuple[int, ...]:
        """The records of a step's random batch, as they were drawn; none of a step that draws none."""
        if len(self.sampled) != self.steps:
            raise InvalidArgumentError("indices", step, "the file does not say which step drew them: record() it again")
        first = sum(self.sampled[:step])
        drawn = self.transcript.indices[first : first + self.sampled[step]]
        if self.parameters.get("sampling") == "poisson":  # one draw a record, which is in if it is below the size
            return tuple(i for i, draw in enumerate(drawn) if draw < self.parameters["batch"])
        return drawn

    def divisor(self, step: int) -> int:
        """By what the mean of a step divides: n, or its random batch's size, the expected one if it is Poisson."""
        if not self.transcript.indices:
            return self.records
        drawn = self.batch(step)
        return (
            int(self.parameters["batch"])
            if self.parameters.get("sampling") == "poisson"
            else len(drawn) or self.records
        )

    def noise(self, step: int) -> FloatArray:
        """The noise of a step as it was added: its scale times its draw, flattened."""
        entry = self.transcript.answers[step]
        return np.asarray(entry.scale * entry.noise.ravel())

    def noise_multiplier(self, clip: Fraction | float, step: int = 0) -> float:
        r"""What adds the same noise to a sum of gradients cut at C: $\sigma n/C$ for a $\sigma$ of their mean.

        Args:
            clip: C, by which the other implementation multiplies it.
            step: Of which step.

        >>> one = example()
        >>> one.noise_multiplier(Fraction(1, 16)) == float(exact(one.transcript.answers[0].scale) * 160)
        True
        """
        factor = self.divisor(step) if self.conventions.std_of == "mean" else 1
        return float(exact(self.transcript.answers[step].scale) * factor / Fraction(clip))

    def with_layout(self, *leaves: Leaf) -> Recording:
        """The same run for code whose parameters are in several leaves.

        Args:
            leaves: In the order in which they are drawn; together they have the coordinates of an answer.

        Raises:
            InvalidArgumentError: If they have more or fewer.
        """
        widths = {entry.noise.size for entry in self.transcript.answers}
        total = sum(leaf.size for leaf in leaves)
        if widths != {total}:
            raise InvalidArgumentError("leaves", leaves, f"have {total} coordinates, the answers {sorted(widths)}")
        return replace(self, conventions=replace(self.conventions, layout=tuple(leaves)))


def record(source: Source | tuple[AnyAlgorithm, Any, Any, Any], *, seed: int = 0) -> Recording:
    """Run an algorithm and write everything down.

    Args:
        source: Algorithm, public problem, private data and plan.
        seed: Makes the draws.

    >>> from dpref.algorithms import examples, gradient_descent
    >>> run = record((gradient_descent.ALGORITHM, *examples.gradient_descent()))
    >>> [x.tolist() for x in run.iterates]
    [[0.5], [0.75]]
    """
    made = Source(*source)
    algorithm, problem, data, plan = made
    curator: Any = RecordingCurator(problem.read(data), plan.sensitivity.adjacency, np.random.default_rng(seed))
    output = np.asarray(algorithm.run(problem, plan, curator), dtype=np.float64)
    return written_down(made, curator.transcript, output, curator.sampled)


def written_down(made: Source, transcript: Transcript, output: FloatArray, sampled: tuple[int, ...] = ()) -> Recording:
    """A run that a recording curator has seen, with its iterates and the conventions of its problem.

    Args:
        made: Algorithm, public problem, private data and plan.
        transcript: What the curator wrote down.
        output: What the run released.
        sampled: How many random indices each answer drew, if it is known.

    >>> from dpref.algorithms import examples, gradient_descent
    >>> run = record((gradient_descent.ALGORITHM, *examples.gradient_descent()))
    >>> run.source is not None and written_down(run.source, run.transcript, run.output).steps
    2
    """
    algorithm, problem, data, plan = made
    stepped = list(replayed(made, transcript, FLOAT_ARRAY) or ())
    points = tuple(np.asarray(x) for _, x in stepped if x is not None)
    same = all(np.array_equal(q, a.query) for (q, _), a in zip(stepped, transcript.answers, strict=False))
    arrays = problem.arrays(data)
    mean = hasattr(problem, "mean_gradient")
    width = max((entry.noise.size for entry in transcript.answers), default=0)
    return Recording(
        algorithm=algorithm.name,
        parameters=plan_parameters(plan),
        problem={"format": type(arrays).__name__, "loss": loss_name(problem), "n": problem.n, **arrays._asdict()},
        conventions=Conventions(
            gradient="mean" if mean else "sum",
            std_of="mean" if mean else "sum",
            divisor="n" if mean else "one",
            clip="none" if getattr(problem, "clip", None) is None else "per-record",
            layout=(Leaf("parameters", (width,)),),
        ),
        transcript=transcript,
        iterates=points if same and len(points) == len(transcript.answers) else (),
        output=output,
        source=made,
        sampled=sampled,
    )


def loss_name(problem: Any) -> str:
    """The name of the problem's loss, or nothing."""
    return getattr(getattr(problem, "loss", None), "name", "")


def plan_parameters(plan: Any) -> Mapping[str, Any]:
    """What a plan fixed and another implementation may need: its numbers and words.

    >>> from dpref.algorithms import examples
    >>> plan_parameters(examples.gradient_descent().plan)["step_size"]
    0.5
    """
    kinds = (bool, int, float, str, Fraction)
    found = {f.name: getattr(plan, f.name) for f in fields(plan)}

    def plain(value: Any) -> bool:
        return isinstance(value, kinds) or (isinstance(value, tuple) and all(isinstance(x, kinds) for x in value))

    return MappingProxyType({name: value for name, value in found.items() if plain(value)})


def replayed(
    source: Source,
    transcript: Transcript,
    o: Ops[Array],
    *,
    widening: Array | None = None,
    instead: Sequence[FloatArray] = (),
) -> Iterator[tuple[Array, Array | None]] | None:
    """The queries and iterates of a run on the recorded noise and choices, in another number system.

    Args:
        source: What is run.
        transcript: Whose noise it gets.
        o: The number system.
        widening: Added to every entry of an answered query.
        instead: Iterates that take the place of the run's own before the next step begins.

    Returns:
        A query and the iterate after it, for each answer; None where the algorithm does not go step by step, or some
        step asks for more than one answer.
    """
    algorithm, problem, data, plan = source
    module = import_module(algorithm.run.__module__)
    init, step = getattr(module, "init", None), getattr(module, "step", None)
    known = {"problem", "plan", "o", "curator", "state"}
    if init is None or step is None or not {*signature(init).parameters, *signature(step).parameters} <= known:
        return None
    records, adjacency = problem.read(data, o), plan.sensitivity.adjacency
    curator: Any = ReplayingCurator(records, adjacency, transcript, force="choices", ops=o, widening=widening)
    given = {"problem": problem, "plan": plan, "o": o, "curator": curator}
    state: Any = init(**{name: given[name] for name in signature(init).parameters})
    names = getattr(state, "_fields", ())
    if not (names and isinstance(state[0], np.ndarray)):
        return None
    found: list[tuple[Array, Array | None]] = []
    while len(found) < len(transcript.answers):
        if instead and found:
            state = state._replace(**{names[0]: o.lift(instead[len(found) - 1])})
        state = step(**{k: {**given, "state": state}[k] for k in signature(step).parameters})
        if state is None or len(curator.queries) != len(found) + 1:
            return None
        found.append((curator.queries[-1], state[0]))
    return iter(found)


def memoryless(source: Source) -> bool:
    """Whether an iterate and the number of the step decide what a step does: no other array is carried along.

    >>> memoryless(example().source)
    True
    """
    module = import_module(source.algorithm.run.__module__)
    hints = getattr(getattr(module, "State", None), "__annotations__", {}).values()
    kinds = [getattr(hint, "__forward_arg__", str(hint)) for hint in hints]
    return kinds.count("Array") == 1 and not any("Held" in kind for kind in kinds)


def queried(
    source: Source, transcript: Transcript, o: Ops[Array], *, widening: Array | None = None
) -> tuple[tuple[Array, ...], Array]:
    """The queries and the output of a run on the recorded noise and choices, in another number system."""
    algorithm, problem, data, plan = source
    records, adjacency = problem.read(data, o), plan.sensitivity.adjacency
    curator: Any = ReplayingCurator(records, adjacency, transcript, force="choices", ops=o, widening=widening)
    output = algorithm.run(problem, plan, curator)
    return curator.queries, output


def kind_of(entry: Answer | Selection) -> str:
    """What a step's unit draws are.

    >>> kind_of(example().transcript.answers[0])
    'gaussian'
    """
    if isinstance(entry, Selection):
        return "choice" if entry.epsilon is None else "gumbel"
    return "gaussian" if entry.sensitivity.norm.name == "l2" else "generalized-gaussian"


def example(steps: int = 3, seed: int = 0) -> Recording:
    """Noisy gradient descent on ten records in three dimensions, clipped to 1/16: small enough to be read.

    >>> example().steps
    3
    """
    from dpref.algorithms.gradient_descent import ALGORITHM, Params  # noqa: PLC0415 - an example's, not everyone's
    from dpref.problems.datasets import synthetic  # noqa: PLC0415
    from dpref.problems.erm import ERMProblem  # noqa: PLC0415
    from dpref.problems.losses import Logistic  # noqa: PLC0415
    from dpref.units import ReplaceOne  # noqa: PLC0415

    data = synthetic(10, 3, seed=1)
    problem = ERMProblem(Logistic(), n=data.n, dimension=3, clip=Fraction(1, 16))
    params = Params(Fraction(1), Fraction(1, 1000), steps, ReplaceOne, step_size=Fraction(1, 2))
    return record((ALGORITHM, problem, data, ALGORITHM.plan(problem, params)), seed=seed)
