"""The curator: the only object that touches data and noise together.

An algorithm never sees the data and never calls a random generator.  It hands the curator a query (a function of the
data) with its declared sensitivity, and receives a noisy answer.  Three curators run the same algorithm text:

* `LiveCurator` draws noise;
* `RecordingCurator` draws noise and keeps the transcript;
* `ReplayingCurator` forces what was recorded: the *answers* (on a neighbouring data set, so that the difference of
  every query can be compared with its declared sensitivity) or the *noise* (to match another implementation, or the
  same one in ball arithmetic).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Literal, TypeAlias, TypeVar, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.gaussian import gaussian_event
from dpref.mechanisms.variance_reduced import variance_reduced_event, variance_reduced_sensitivity
from dpref.privacy.ledger import Compose, Event, Ledger, canonical
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops
from dpref.units import L2, Adjacency, Sensitivity

Indices: TypeAlias = NDArray[np.int64]

A = TypeVar("A", bound=Adjacency)
D = TypeVar("D")


@final
@dataclass(frozen=True)
class Answer:
    """One line of a transcript.

    Attributes:
        label: What the query is, in the algorithm's words.
        query: The exact answer before noise, shape (d,).
        sensitivity: What the algorithm declared.
        std: Standard deviation of the noise per coordinate.
        noise: The standard normal draw, shape (d,).
        answer: ``query + std * noise``, shape (d,): what the algorithm saw.
    """

    label: str
    query: Array
    sensitivity: Sensitivity[L2, Any]
    std: float
    noise: FloatArray
    answer: Array


@final
@dataclass(frozen=True)
class Held:
    """A handle to something that a curator has computed and keeps: an algorithm can pass it on, never look inside.

    Attributes:
        number: Which one.
        label: What it is, in the algorithm's words.
    """

    number: int
    label: str


@final
@dataclass(frozen=True)
class Transcript:
    """Everything that an algorithm asked and saw, and the random indices, of which it may not have seen all.

    Attributes:
        answers: Gaussian answers, in order.
        indices: Data-independent random indices, in order; those of a batch one after another.
    """

    answers: tuple[Answer, ...]
    indices: tuple[int, ...] = ()


class Curator(ABC, Generic[D, A]):
    """Data, a number system and a source of noise.

    Args:
        data: The private data; reachable only through queries.
        adjacency: The neighbouring relation in which sensitivities are declared.
        ops: The number system of the run.
    """

    def __init__(self, data: D, adjacency: type[A], ops: Ops[Array] = FLOAT_ARRAY) -> None:
        self._data = data
        self._events: list[Event] = []
        self._held: list[Array] = []
        self.adjacency = adjacency
        self.ops = ops

    def gaussian(
        self, query: Callable[[D], Array], *, sensitivity: Sensitivity[L2, A], std: float, label: str
    ) -> Array:
        """Answer a query with Gaussian noise.

        Args:
            query: Function of the data, value of shape (d,).
            sensitivity: Its l2 sensitivity under the curator's adjacency.
            std: Standard deviation of the noise per coordinate, a finite double >= 0.
            label: Names the query in the transcript.

        Returns:
            Query plus noise, shape (d,).

        Raises:
            InvalidArgumentError: If the query is not finite, the norm or adjacency is another one, or std is invalid.
        """
        self._check(sensitivity, std)
        value = query(self._data)
        self._refuse_infinite(value, label)
        self._events.append(gaussian_event(sensitivity, std))
        return self._answer(value, sensitivity, std, label)

    def hold(self, query: Callable[[D], Array], *, label: str) -> Held:
        """Compute something from the data and keep it for later queries; nothing is released and nothing is spent.

        Args:
            query: Function of the data, value of shape (d,).
            label: Names it in errors.

        Returns:
            A handle, to be given to `variance_reduced_gaussian`.

        Raises:
            InvalidArgumentError: If the value is not finite.
        """
        value = query(self._data)
        self._refuse_infinite(value, label)
        self._held.append(value)
        return Held(len(self._held) - 1, label)

    def held_gaussian(
        self,
        query: Callable[..., Array],
        *,
        held: tuple[Held, ...],
        sensitivity: Sensitivity[L2, A],
        std: float,
        label: str,
    ) -> Array:
        """Answer a function of held values with Gaussian noise: one pass over the data serves several answers.

        Args:
            query: Function of the held values alone, value of shape (k,).
            held: Handles of this curator, in the order of the query's arguments.
            sensitivity: Its l2 sensitivity as a function of the data, under the curator's adjacency.
            std: Standard deviation of the noise per coordinate, a finite double >= 0.
            label: Names the query in the transcript.

        Returns:
            Query plus noise, shape (k,).

        Raises:
            InvalidArgumentError: If a handle is not of this curator, or as for `gaussian`.
        """
        for handle in held:
            if not 0 <= handle.number < len(self._held):
                raise InvalidArgumentError("held", handle, "is not a handle of this curator")
        values = tuple(self._held[handle.number] for handle in held)
        return self.gaussian(lambda _: query(*values), sensitivity=sensitivity, std=std, label=label)

    def variance_reduced_gaussian(
        self,
        query: Callable[[D, Indices, Array], Array],
        *,
        held: Held,
        gradient_bound: Fraction,
        batch: int,
        records: int,
        std: float,
        label: str,
    ) -> Array:
        r"""Answer a stochastic variance-reduced query with Gaussian noise.

        The curator draws a fresh batch B of b of the n records, keeps it to itself, and answers
        $\frac1b\sum_{i\in B}(g_i-h_i)+\frac1n\sum_ih_i+N(0,\sigma^2I)$.

        Args:
            query: ``(data, B, held value) -> (d,)``; the held value is the full mean of the $h_i$.
            held: Handle to that mean.
            gradient_bound: G, an upper bound on the norm of every $g_i$ and $h_i$, exact.
            batch: b, at most n; with b = n every record is in and the answer is a plain Gaussian one.
            records: n, public.
            std: Standard deviation of the noise per coordinate, a finite double >= 0.
            label: Names the query in the transcript.

        Returns:
            Query plus noise, shape (d,).

        Raises:
            InvalidArgumentError: If the value is not finite, or an argument is out of its domain.
        """
        if natural("batch", batch) > natural("records", records):
            raise InvalidArgumentError("batch", batch, f"must be at most the number of records, {records}")
        if not 0 <= held.number < len(self._held):
            raise InvalidArgumentError("held", held, "is not a handle of this curator")
        sensitivity = variance_reduced_sensitivity(gradient_bound, batch, records, self.adjacency)
        self._check(sensitivity, std)
        value = query(self._data, self._indices(records, batch), self._held[held.number])
        self._refuse_infinite(value, label)
        self._events.append(variance_reduced_event(gradient_bound, batch, records, std, self.adjacency))
        return self._answer(value, sensitivity, std, label)

    def _check(self, sensitivity: Sensitivity[L2, A], std: float) -> None:
        if sensitivity.adjacency is not self.adjacency or sensitivity.norm is not L2:
            raise InvalidArgumentError("sensitivity", sensitivity, f"must be l2 under {self.adjacency.name}")
        if not (np.isfinite(std) and std >= 0):
            raise InvalidArgumentError("std", std, "must be finite and not negative")

    @staticmethod
    def _refuse_infinite(value: Array, label: str) -> None:
        if not all_finite(value):
            raise InvalidArgumentError(label, value, "a query's value must be finite")

    def uniform_index(self, count: int, *, label: str) -> int:
        """A uniform index in ``range(count)``, independent of the data (it costs nothing)."""
        if count < 1:
            raise InvalidArgumentError(label, count, "must be at least 1")
        return int(self._indices(count, 1)[0])

    @property
    def ledger(self) -> Ledger[A]:
        """What has been spent so far, observed."""
        return Ledger(canonical(Compose(tuple(self._events))), self.adjacency)

    @abstractmethod
    def _answer(self, value: Array, sensitivity: Sensitivity[L2, A], std: float, label: str) -> Array: ...

    @abstractmethod
    def _indices(self, count: int, size: int) -> Indices: ...


@final
class LiveCurator(Curator[D, A]):
    """Draws fresh noise and forgets it."""

    def __init__(self, data: D, adjacency: type[A], rng: np.random.Generator) -> None:
        super().__init__(data, adjacency)
        self._rng = rng

    def _answer(self, value: Array, sensitivity: Sensitivity[L2, A], std: float, label: str) -> Array:  # noqa: ARG002
        return value + std * self._rng.standard_normal(value.shape)

    def _indices(self, count: int, size: int) -> Indices:
        return draw_batch(self._rng, count, size)


@final
class RecordingCurator(Curator[D, A]):
    """Draws fresh noise and writes everything down."""

    def __init__(self, data: D, adjacency: type[A], rng: np.random.Generator) -> None:
        super().__init__(data, adjacency)
        self._rng = rng
        self._answers: list[Answer] = []
        self._drawn: list[int] = []

    @property
    def transcript(self) -> Transcript:
        """What was asked and seen so far."""
        return Transcript(tuple(self._answers), tuple(self._drawn))

    def _answer(self, value: Array, sensitivity: Sensitivity[L2, A], std: float, label: str) -> Array:
        noise = self._rng.standard_normal(value.shape)
        answer = value + std * noise
        # Copies: an algorithm may go on to change its arrays in place.
        self._answers.append(Answer(label, value.copy(), sensitivity, std, noise, answer.copy()))
        return answer

    def _indices(self, count: int, size: int) -> Indices:
        drawn = draw_batch(self._rng, count, size)
        self._drawn.extend(map(int, drawn))
        return drawn


@final
class ReplayingCurator(Curator[D, A]):
    """Forces a recorded transcript on an algorithm.

    Args:
        data: The data of this run (for ``force="answers"``, usually a neighbour of the recorded run's).
        adjacency: The neighbouring relation.
        transcript: What was recorded.
        force: ``"answers"`` returns the recorded answers; ``"noise"`` adds the recorded noise to this run's queries.
        ops: The number system of this run.
    """

    def __init__(
        self,
        data: D,
        adjacency: type[A],
        transcript: Transcript,
        *,
        force: Literal["answers", "noise"],
        ops: Ops[Array] = FLOAT_ARRAY,
    ) -> None:
        super().__init__(data, adjacency, ops)
        self._recorded = transcript
        self._force = force
        self._queries: list[Array] = []
        self._drawn = 0

    @property
    def queries(self) -> tuple[Array, ...]:
        """The exact values of this run's queries, in order, each of shape (d,)."""
        return tuple(self._queries)

    def _answer(self, value: Array, sensitivity: Sensitivity[L2, A], std: float, label: str) -> Array:  # noqa: ARG002
        step = len(self._queries)
        if step >= len(self._recorded.answers):
            raise InvalidArgumentError(label, step, "the recorded transcript has no further answer")
        recorded = self._recorded.answers[step]
        if value.shape != recorded.answer.shape:
            raise InvalidArgumentError(label, value.shape, f"must have the recorded shape {recorded.answer.shape}")
        self._queries.append(value.copy())
        if self._force == "answers":
            return self.ops.lift(recorded.answer.copy())
        noisy: Array = value + self.ops.lift(std) * self.ops.lift(recorded.noise)
        return noisy

    def _indices(self, count: int, size: int) -> Indices:
        drawn = np.array(self._recorded.indices[self._drawn : self._drawn + size], dtype=np.int64)
        if drawn.size < size:
            raise InvalidArgumentError("transcript", self._drawn, "the recorded transcript has no further index")
        self._drawn += size
        if not ((drawn >= 0) & (drawn < count)).all():
            raise InvalidArgumentError("transcript", drawn, f"a recorded index must lie in range({count})")
        return drawn


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


def all_finite(value: Array) -> bool:
    """Whether every entry of an array of doubles or of balls is finite."""
    if value.dtype == object:
        return all(x.is_finite() if isinstance(x, arb) else np.isfinite(x) for x in value.flat)
    return bool(np.isfinite(value).all())
