"""Three curators: fresh noise, fresh noise that is written down, and what was written down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeVar, final

import numpy as np

from dpref.curator.interface import Curator, Draw
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.mechanisms.noise import standard_normal
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops
from dpref.transcript import Answer, Entry, Indices, Selection, Transcript
from dpref.units import Adjacency, Sensitivity

A = TypeVar("A", bound=Adjacency)
D = TypeVar("D")
E = TypeVar("E", Answer, Selection)


class DrawingCurator(Curator[D, A]):
    """Draws its indices from a generator; what it does with noise is for its kinds to say.

    Args:
        data: The private data.
        adjacency: The neighbouring relation.
        rng: Draws everything.
    """

    def __init__(self, data: D, adjacency: type[A], rng: np.random.Generator) -> None:
        super().__init__(data, adjacency)
        self._rng = rng

    def _indices(self, count: int, size: int) -> Indices:
        return draw_batch(self._rng, count, size)

    def _independent(self, count: int, size: int) -> Indices:
        return self._rng.integers(count, size=size)

    def _unit_scores(self, noise: ChoiceNoise, shape: tuple[int, int], label: str) -> FloatArray:
        return noise.draw(self._rng, shape)

    def _unit_draw(self, draw: Draw, shape: tuple[int, ...]) -> FloatArray:
        noise = draw(self._rng, shape)
        if noise.shape != shape:
            raise InvalidArgumentError("noise", noise.shape, f"must be drawn for each coordinate, in the shape {shape}")
        return noise


@final
class LiveCurator(DrawingCurator[D, A]):
    """Draws fresh noise and forgets it.

    The noise is as secret as the generator: two curators of one seed, or both sides of a fork, draw the same, and
    whoever sees the answers of both can subtract it.  One generator serves one curator, in one thread of one process.
    """

    def _answer(
        self, value: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw = standard_normal
    ) -> Array:
        return value + std * self._unit_draw(draw, value.shape)


@final
class RecordingCurator(DrawingCurator[D, A]):
    """Draws fresh noise and writes everything down."""

    def __init__(self, data: D, adjacency: type[A], rng: np.random.Generator) -> None:
        super().__init__(data, adjacency, rng)
        self._answers: list[Entry] = []
        self._drawn: list[int] = []
        self._drawn_before: list[int] = []

    @property
    def transcript(self) -> Transcript:
        """What was asked and seen so far."""
        return Transcript(tuple(self._answers), tuple(self._drawn))

    @property
    def sampled(self) -> tuple[int, ...]:
        """How many random indices were drawn for each answer, since the one before it."""
        return tuple(np.diff(self._drawn_before, prepend=0).tolist())

    def _answer(
        self, value: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw = standard_normal
    ) -> Array:
        noise = self._unit_draw(draw, value.shape)
        answer = value + std * noise
        # Copies: an algorithm may go on to change its arrays in place.
        self._answers.append(Answer(label, value.copy(), sensitivity, std, noise, answer.copy()))
        self._drawn_before.append(len(self._drawn))
        return answer

    def _indices(self, count: int, size: int) -> Indices:
        drawn = super()._indices(count, size)
        self._drawn.extend(map(int, drawn))
        return drawn

    def _independent(self, count: int, size: int) -> Indices:
        drawn = super()._independent(count, size)
        self._drawn.extend(map(int, drawn))
        return drawn

    def _selected(self, unanswered: Selection) -> Indices:
        answer = super()._selected(unanswered)
        self._answers.append(replace(unanswered, query=unanswered.query.copy(), answer=answer.copy()))
        self._drawn_before.append(len(self._drawn))
        return answer


@final
class ReplayingCurator(Curator[D, A]):
    """Forces a recorded transcript on an algorithm.

    Args:
        data: The data of this run (for ``force="answers"``, usually a neighbour of the recorded run's).
        adjacency: The neighbouring relation.
        transcript: What was recorded.
        force: ``"answers"`` returns the recorded answers; ``"noise"`` adds the recorded noise to this run's queries;
            ``"choices"`` does so too, but chooses what was chosen.
        ops: The number system of this run.
        widening: Added to every entry of an answered query, such as a ball of what another implementation may err.
    """

    def __init__(
        self,
        data: D,
        adjacency: type[A],
        transcript: Transcript,
        *,
        force: Literal["answers", "noise", "choices"],
        ops: Ops[Array] = FLOAT_ARRAY,
        widening: Array | None = None,
    ) -> None:
        super().__init__(data, adjacency, ops)
        self._recorded = transcript
        self._force = force
        self._widening = widening
        self._queries: list[Array] = []
        self._drawn = 0

    @property
    def queries(self) -> tuple[Array, ...]:
        """The exact values of this run's queries, in order, each of shape (d,)."""
        return tuple(self._queries)

    def _answer(
        self, value: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw = standard_normal
    ) -> Array:
        recorded = self._next(Answer, label)
        if value.shape != recorded.answer.shape:
            raise InvalidArgumentError(label, value.shape, f"must have the recorded shape {recorded.answer.shape}")
        value = value.copy() if self._widening is None else value + self._widening
        self._queries.append(value)
        if self._force == "answers":
            return self.ops.lift(recorded.answer.copy())
        noisy: Array = value + self.ops.lift(std) * self.ops.lift(recorded.noise)
        return noisy

    def _unit_scores(self, noise: ChoiceNoise, shape: tuple[int, int], label: str) -> FloatArray:
        recorded = self._next(Selection, label)
        if recorded.noise.shape != shape:
            raise InvalidArgumentError(label, shape, f"must have the recorded shape {recorded.noise.shape}")
        return recorded.noise

    def _selected(self, unanswered: Selection) -> Indices:
        recorded = self._next(Selection, unanswered.label)
        self._queries.append(unanswered.query.copy())
        return super()._selected(unanswered) if self._force == "noise" else recorded.answer.copy()

    def _next(self, kind: type[E], label: str) -> E:
        step = len(self._queries)
        if step >= len(self._recorded.answers):
            raise InvalidArgumentError(label, step, "the recorded transcript has no further answer")
        recorded = self._recorded.answers[step]
        if not isinstance(recorded, kind):
            raise InvalidArgumentError(label, recorded.label, f"the recorded answer must be of kind {kind.__name__}")
        return recorded

    def _indices(self, count: int, size: int) -> Indices:
        drawn = np.array(self._recorded.indices[self._drawn : self._drawn + size], dtype=np.int64)
        if drawn.size < size:
            raise InvalidArgumentError("transcript", self._drawn, "the recorded transcript has no further index")
        self._drawn += size
        if not ((drawn >= 0) & (drawn < count)).all():
            raise InvalidArgumentError("transcript", drawn, f"a recorded index must lie in range({count})")
        return drawn

    def _independent(self, count: int, size: int) -> Indices:
        return self._indices(count, size)


def draw_batch(rng: np.random.Generator, count: int, size: int) -> Indices:
    """A uniform set of ``size`` of ``count`` indices, none twice, shape (size,); in order if it is all of them.

    >>> draw_batch(np.random.default_rng(0), 3, 3).tolist()
    [0, 1, 2]
    """
    if size == count:
        return np.arange(count, dtype=np.int64)
    if size == 1:
        return np.array([rng.integers(count)], dtype=np.int64)
    return np.asarray(rng.choice(count, size, replace=False), dtype=np.int64)
