"""What every curator does without noise of its own kind: it keeps values, counts what is spent, and chooses."""

from __future__ import annotations

import itertools
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any, Final, Generic, NoReturn, SupportsIndex, TypeVar

import numpy as np
from flint import arb

from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.exponential import ChoiceNoise, exponential_event, gumbel_scale, mixture_event
from dpref.privacy.events.ledger import Compose, Event, Ledger
from dpref.privacy.events.walks import canonical
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops
from dpref.transcript import Held, Indices, Selection
from dpref.units import AddOrRemoveOne, Adjacency, Linf, Norm, Sensitivity, Span, known_adjacency

A = TypeVar("A", bound=Adjacency)
D = TypeVar("D")

_SUM_TOLERANCE: Final = 1e-9  # rounding of a sum of weights
_NOT_YET: Final = np.array([], dtype=np.int64)
# Of everything that a handle can name: no number ever names two things, of one curator or of two.
NUMBERS: Final[Iterator[int]] = itertools.count()


class Keeper(ABC, Generic[D, A]):
    """Holds the private data and what was computed from them, chooses among candidates, and counts what is spent.

    It cannot be copied or pickled: a copy would draw the same noise and have a ledger of its own, neither of which is
    the whole.  It serves one thread at a time.  A query is given the data themselves, and must leave them as they are.

    Args:
        data: The private data; reachable only through queries.
        adjacency: The neighbouring relation in which sensitivities are declared.
        ops: The number system of the run.
    """

    def __init__(self, data: D, adjacency: type[A], ops: Ops[Array] = FLOAT_ARRAY) -> None:
        known_adjacency(adjacency)
        self._data = data
        self._events: list[Event] = []
        self._held: dict[int, Array] = {}
        self._shared: dict[int, int] = {}
        self.adjacency: Final = adjacency
        self.ops: Final = ops

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("a curator cannot be copied or pickled: neither ledger would say what both have answered")

    def hold(
        self, query: Callable[..., Array], *, label: str, given: Held | None = None, instead: bool = False
    ) -> Held:
        """Compute something from the data and keep it for later queries; nothing is released and nothing is spent.

        Args:
            query: Function of the data, value of shape (d,); with ``given``, of the data and of what is held there.
            label: Names it in errors.
            given: Handle to what the query needs besides the data.
            instead: Whether the value takes the place of the given one, under the same handle: a stream's state.

        Returns:
            A handle, to be given to `variance_reduced_gaussian`, to `select`, or to this method again.

        Raises:
            InvalidArgumentError: If the value is not finite, or the handle is not one of this curator's.
        """
        value = self._entered(self._asked(query, given), label)
        value.flags.writeable = False  # what later queries are declared to be functions of
        number = given.number if instead and given is not None else next(NUMBERS)
        self._held[number] = value
        return Held(number, label)

    def select(
        self,
        scores: Callable[..., Array],
        *,
        sensitivity: Sensitivity[Linf, A],
        epsilon: Fraction,
        label: str,
        given: Held | tuple[Held, ...] | None = None,
        draws: int = 1,
        mixture: bool = False,
    ) -> Indices:
        r"""Draw candidates by the exponential mechanism, $P(i)\propto e^{\varepsilon s_i/(2\Delta)}$, independently.

        From a mixture they are drawn with $P(i)=e^{s_i}$.  That it is one, with shares that do not depend on the data,
        of mechanisms that spend $\varepsilon=\Delta$ each, is the algorithm's promise.

        Args:
            scores: Function of the data (and, with ``given``, of what is held there), value of shape (d,).
            sensitivity: $\Delta$: how far any score moves between neighbours, in the linf norm.
            epsilon: What one draw spends, exact and positive.
            label: Names the choice in the transcript.
            given: Handle, or handles, to what the scores are computed from besides the data.
            draws: How many candidates are drawn from these scores.
            mixture: Whether they are the logarithms of a mixture's weights.

        Returns:
            The chosen indices, shape (draws,).

        Raises:
            InvalidArgumentError: If a score is not finite, the norm or adjacency is another one, epsilon is invalid, or
                the weights of a mixture do not sum to one.

        >>> from dpref import LiveCurator, ReplaceOne
        >>> curator = LiveCurator(np.array([0.0, 900.0]), ReplaceOne, np.random.default_rng(0))
        >>> one = Sensitivity(Fraction(1), Linf, ReplaceOne)
        >>> curator.select(lambda data: data, sensitivity=one, epsilon=Fraction(1), label="best").tolist()
        [1]
        """
        if sensitivity.adjacency is not self.adjacency or sensitivity.norm is not Linf:
            raise InvalidArgumentError("sensitivity", sensitivity, f"must be linf under {self.adjacency.name}")
        if mixture and epsilon != sensitivity.value:
            raise InvalidArgumentError("epsilon", epsilon, "must be the sensitivity of a mixture's logarithms")
        event = mixture_event(sensitivity, draws) if mixture else exponential_event(epsilon, draws)
        scale = 1.0 if mixture else gumbel_scale(sensitivity, epsilon)
        value = self._scores(scores, given, label)
        if mixture and not abs(float(self.ops.exp(value).sum()) - 1) <= _SUM_TOLERANCE:
            raise InvalidArgumentError(label, value.shape, "the weights of a mixture must sum to one")
        self._events.append(event)
        noise = self._unit_scores(ChoiceNoise("gumbel", scale), (draws, value.size), label)
        return self._selected(Selection(label, value, sensitivity, epsilon, scale, noise, _NOT_YET))

    def noisy_max(
        self,
        scores: Callable[..., Array],
        *,
        sensitivity: Sensitivity[Span, A],
        noise: ChoiceNoise,
        label: str,
        given: Held | None = None,
        blocks: int = 1,
        place: int | None = None,
        parts: Mapping[range, Sensitivity[Span, A]] | None = None,
    ) -> Indices:
        """Report the candidate of the largest noisy score, of each of several blocks of candidates.

        Args:
            scores: Function of the data (and, with ``given``, of what is held there), value of shape (blocks d,).
            sensitivity: How far the differences of scores move between neighbours: largest less smallest change, of
                several blocks added up.
            noise: What every score gets.
            label: Names the choice in the transcript.
            given: Handle to what the scores are computed from besides the data.
            blocks: How many candidates are reported, one of each block of d scores.
            place: From `share`: choices that share a place cost as much as one.
            parts: The places of the only records that move the scores, in disjoint parts, and how far a record of each
                part does, none further than the sensitivity; what disjoint parts spend is not added up.  That no other
                record moves them is the algorithm's promise.

        Returns:
            The indices of the candidates, counted within their blocks, shape (blocks,).

        Raises:
            InvalidArgumentError: If a score is not finite, the norm or adjacency is another one, the scores do not
                divide into the blocks, another cost is at the place, a part overlaps with another one or moves the
                scores further, or there are both a place and parts.

        >>> from dpref import LiveCurator, ReplaceOne
        >>> curator = LiveCurator(np.array([0.0, 900.0]), ReplaceOne, np.random.default_rng(0))
        >>> one, noise = Sensitivity(Fraction(1), Span, ReplaceOne), ChoiceNoise("laplace", 1.0)
        >>> curator.noisy_max(lambda data: data, sensitivity=one, noise=noise, label="best").tolist()
        [1]
        """
        self._check_declared(sensitivity, Span, noise.scale)
        event, value = noise.event(sensitivity), self._scores(scores, given, label)
        if value.size % natural("blocks", blocks):
            raise InvalidArgumentError("blocks", blocks, f"must divide the number of scores, {value.size}")
        if parts is not None:
            if place is not None:
                raise InvalidArgumentError("place", place, "must be None where parts say what is spent")
            self._spend_on(parts, sensitivity, noise)
        elif place is None:
            self._events.append(event)
        elif place not in self._shared or self._events[self._shared[place]] not in {Compose(()), event}:
            raise InvalidArgumentError("place", place, "must be one of `share`, for choices of one cost")
        else:
            self._events[self._shared[place]] = event
        drawn = self._unit_scores(noise, (blocks, value.size // blocks), label)
        unanswered = Selection(label, value, sensitivity, None, noise.scale, drawn, _NOT_YET, blocks=blocks)
        return self._selected(unanswered)

    def _spend_on(
        self, parts: Mapping[range, Sensitivity[Span, A]], most: Sensitivity[Span, A], noise: ChoiceNoise
    ) -> None:
        for part, moved in parts.items():
            self._check_declared(moved, Span, noise.scale)
            if moved.value > most.value:
                raise InvalidArgumentError("parts", moved.value, f"must be at most the sensitivity, {most.value}")
            self._events_of(part).append(noise.event(moved))

    def share(self) -> int:
        """A place in the ledger for choices of which any record moves one alone: together they cost as much as one.

        That is the algorithm's promise, as it is of a tree's elements (replaying its answers on a neighbour tests it).
        """
        if self.adjacency is AddOrRemoveOne:
            raise InvalidArgumentError("adjacency", self.adjacency.name, "must be one under which records keep places")
        place = next(NUMBERS)
        self._shared[place] = len(self._events)
        self._events.append(Compose(()))
        return place

    def _scores(self, scores: Callable[..., Array], given: Held | tuple[Held, ...] | None, label: str) -> Array:
        value = self._entered(self._asked(scores, given), label)
        if value.ndim != 1:
            raise InvalidArgumentError(label, value.shape, "scores must have one axis")
        return value

    def _asked(self, query: Callable[..., Array], given: Held | tuple[Held, ...] | None) -> Array:
        handles = given if isinstance(given, tuple) else () if given is None else (given,)
        return query(self._data, *map(self._held_by, handles))

    def _held_by(self, held: Held) -> Array:
        if held.number not in self._held:
            raise InvalidArgumentError("held", held, "is not a handle of this curator, or no longer one")
        return self._held[held.number]

    def _check_declared(self, sensitivity: Sensitivity[Any, A], norm: type[Norm], std: float) -> float:
        """The factor of the noise as a double: an integer beyond 2^53 would be accounted as it is and drawn rounded."""
        if sensitivity.adjacency is not self.adjacency or sensitivity.norm is not norm:
            raise InvalidArgumentError("sensitivity", sensitivity, f"must be {norm.name} under {self.adjacency.name}")
        given: object = std
        if not (isinstance(given, float | int) and 0 <= given <= sys.float_info.max):
            raise InvalidArgumentError("std", std, "must be finite and not negative")
        return float(given)

    def _entered(self, given: object, label: str) -> Array:
        """A query's value as everything goes on with it: a copy of its own, of doubles (or of balls, in balls).

        Neither the query's buffer nor its type is kept: an integer type wraps around when values are added, a masked
        array carries its mask past the noise.  An error shows its shape alone: the value has no noise yet.
        """
        if not isinstance(given, np.ndarray):
            raise InvalidArgumentError(label, type(given).__name__, "a query's value must be an array")
        value: Array | None = None
        if given.dtype.kind in "biufO" and given.size > 0:
            balls = given.dtype == object and self.ops is not FLOAT_ARRAY
            with suppress(TypeError, ValueError, OverflowError), np.errstate(over="ignore"):
                value = np.array(given, dtype=object if balls else np.float64)
        if value is None:
            raise InvalidArgumentError(label, given.shape, "a query's value must hold real numbers, at least one")
        if not all_finite(value):
            raise InvalidArgumentError(label, given.shape, "a query's value must be finite")
        return value

    @property
    def ledger(self) -> Ledger[A]:
        """What the answers so far have spent, as they were given."""
        return Ledger(canonical(Compose(tuple(self._events))), self.adjacency)

    @abstractmethod
    def _events_of(self, part: range | None) -> list[Event]:
        """Where what is spent on a part of the records goes, None for all of them."""

    @abstractmethod
    def _unit_scores(self, noise: ChoiceNoise, shape: tuple[int, int], label: str) -> FloatArray: ...

    def _selected(self, unanswered: Selection) -> Indices:
        """The choice that scores and noise give (a curator may keep it, or replace it by another)."""
        return unanswered.reproduced()


def all_finite(value: Array) -> bool:
    """Whether every entry of an array of doubles or of balls is finite."""
    if value.dtype == object:
        return all(x.is_finite() if isinstance(x, arb) else np.isfinite(x) for x in value.flat)
    return bool(np.isfinite(value).all())
