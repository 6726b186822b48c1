"""What an algorithm may ask of private data; `dpref.curator.modes` says where the noise comes from."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, Final, Self, TypeAlias, TypeVar

import numpy as np

from dpref.checks import instance, natural
from dpref.curator.keeping import NUMBERS, Keeper
from dpref.curator.kept import Divisible, OpenTree, Scope
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.noise import GaussianNoise, Noise, standard_normal
from dpref.mechanisms.sampled import Sampling, sampled_gaussian_event
from dpref.mechanisms.tree import TreeAggregation
from dpref.mechanisms.variance_reduced import variance_reduced_event, variance_reduced_sensitivity
from dpref.privacy.closed_forms.parallel import alongside, check_part
from dpref.privacy.events.ledger import Compose, Event, Ledger, Repeat
from dpref.privacy.events.walks import canonical
from dpref.reals import FLOAT_ARRAY, Array, FloatArray, Ops
from dpref.transcript import Held, Indices
from dpref.units import L2, AddOrRemoveOne, Adjacency, Sensitivity

Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], FloatArray]

A = TypeVar("A", bound=Adjacency)
D = TypeVar("D")

_OF_A_SCOPE: Final = ("_data", "_events", "_parts", "_held", "_shared", "_trees")


class Curator(Keeper[D, A]):
    """Holds the private data, answers queries about them with noise, and counts what the answers spend.

    Args:
        data: The private data; reachable only through queries.
        adjacency: The neighbouring relation in which sensitivities are declared.
        ops: The number system of the run.
    """

    def __init__(self, data: D, adjacency: type[A], ops: Ops[Array] = FLOAT_ARRAY) -> None:
        super().__init__(data, adjacency, ops)
        self._trees: dict[int, OpenTree] = {}
        self._parts: dict[range, list[Event]] = {}
        self._scopes: list[Scope] = []

    def gaussian(
        self,
        query: Callable[[D], Array],
        *,
        sensitivity: Sensitivity[L2, A],
        std: float,
        label: str,
        part: range | None = None,
    ) -> Array:
        """Answer a query with Gaussian noise.

        Args:
            query: Function of the data, value of shape (d,), d public.
            sensitivity: Its l2 sensitivity under the curator's adjacency.
            std: Standard deviation of the noise per coordinate, a finite double >= 0.
            label: Names the query in the transcript.
            part: The places of the only records that the query is given, or None for all; what disjoint parts spend
                is not added up.

        Returns:
            Query plus noise, shape (d,).

        Raises:
            InvalidArgumentError: If the query is not finite, an argument is invalid, or two parts overlap.
        """
        std = self._check_declared(sensitivity, L2, std)
        return self._noised(query, part, sensitivity, GaussianNoise(std), label)

    @contextmanager
    def restricted(self, part: range) -> Iterator[Self]:
        """This curator of one part's records alone, for an algorithm that runs on them as on a data set of its own.

        What is held, shared and opened within is gone at its end; what disjoint parts spend is not added up.  Where
        restrictions are nested and the outer one ends first, the inner one ends with it.

        Args:
            part: The places of the records, counted from zero.

        Raises:
            InvalidArgumentError: If two parts overlap, or records keep no places.

        >>> from dpref.problems.examples import equal_records, live_curator, logistic_problem
        >>> curator = live_curator(logistic_problem(), equal_records(100))
        >>> with curator.restricted(range(3)) as own:
        ...     print(own.hold(lambda data: data.labels, label="labels of three records").label)
        labels of three records
        """
        spent, records = self._events_of(part), self._records_at(part)
        scope = Scope({name: getattr(self, name) for name in _OF_A_SCOPE}, spent)
        self._data, self._events, self._parts = records, [], {}
        self._held, self._shared, self._trees = {}, {}, {}
        self._scopes.append(scope)
        try:
            yield self
        finally:
            while scope in self._scopes:
                self._leave(self._scopes[-1])

    def _leave(self, scope: Scope) -> None:
        scope.spent.append(self.ledger.event)
        for name, value in scope.outside.items():
            setattr(self, name, value)
        self._scopes.pop()

    def on_part(
        self, query: Callable[[Any], Array], *, part: range, sensitivity: Sensitivity[Any, A], noise: Noise, label: str
    ) -> Array:
        """Answer a query about a part of the records with noise for any norm.

        Args:
            query: Function of the records of the part alone, value of shape (d,).
            part: Their places, counted from zero; what disjoint parts spend is not added up.
            sensitivity: Of the query as a function of these, in the norm of the noise.
            noise: What is added.
            label: Names the query in the transcript.

        Returns:
            Query plus noise, shape (d,).

        Raises:
            InvalidArgumentError: If the part overlaps with another one, or as for `gaussian`.
        """
        self._check_declared(sensitivity, noise.norm, noise.std)
        return self._noised(query, part, sensitivity, noise, label)

    def _noised(
        self,
        query: Callable[[Any], Array],
        part: range | None,
        sensitivity: Sensitivity[Any, A],
        noise: Noise,
        label: str,
    ) -> Array:
        spent = self._events_of(part)
        value = self._entered(query(self._data if part is None else self._records_at(part)), label)
        spent.append(self._spent(noise.event(sensitivity), sensitivity, noise.std, value.size))
        return self._answer(value, sensitivity, noise.std, label, draw=noise.draw)

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
        values = tuple(map(self._held_by, held))
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
        at_hand = self._held_by(held)
        sensitivity = variance_reduced_sensitivity(gradient_bound, batch, records, self.adjacency)
        std = self._check_declared(sensitivity, L2, std)
        value = self._entered(query(self._data, self._indices(records, batch), at_hand), label)
        event = variance_reduced_event(gradient_bound, batch, records, std, self.adjacency)
        self._events.append(self._spent(event, sensitivity, std, value.size))
        return self._answer(value, sensitivity, std, label)

    def sampled_gaussian(
        self,
        query: Callable[[D, Indices], Array],
        *,
        sampling: Sampling,
        batch: int,
        records: int,
        sensitivity: Sensitivity[L2, A],
        std: float,
        label: str,
    ) -> Array:
        """Answer a query on a random batch with Gaussian noise.

        The curator draws a fresh batch and keeps it to itself.  A Poisson batch takes every record with probability
        b/n, independently: record i is in it if the i-th of n uniform draws from ``range(n)`` is below b.

        A Poisson batch is accounted under zero-out by comparing one that has the record with one that does not.  These
        are neighbours' batches only if the answer to a batch with the null record is the one to the batch without it: a
        sum divided by a public number, not a mean over as many records as were drawn.

        Args:
            query: ``(data, indices of the batch, counted from zero) -> (d,)``; of a Poisson batch, the same with and
                without a null record.
            sampling: ``"fixed"``, b of the n records without replacement, or ``"poisson"``.
            batch: b, the batch's size, or its expected size; with b = n every record is in, and nothing is sampled.
            records: n, public.
            sensitivity: Of the query on a batch that has the record, under the curator's adjacency.
            std: Standard deviation of the noise per coordinate, a finite double >= 0.
            label: Names the query in the transcript.

        Returns:
            Query plus noise, shape (d,).

        Raises:
            InvalidArgumentError: If the value is not finite, or an argument is out of its domain.

        >>> from dpref import LiveCurator, ZeroOut
        >>> how = dict(sampling="poisson", batch=2, records=4, std=0, label="", sensitivity=Sensitivity(4, L2, ZeroOut))
        >>> curator = LiveCurator(np.arange(4.0), ZeroOut, np.random.default_rng(0))
        >>> curator.sampled_gaussian(lambda data, batch: data[batch].sum(keepdims=True), **how).tolist()
        [3.0]
        """
        std = self._check_declared(sensitivity, L2, std)
        event = sampled_gaussian_event(sensitivity, std, sampling, batch, records)
        if sampling == "poisson" and batch < records:
            drawn = np.flatnonzero(self._independent(records, records) < batch)
        else:
            drawn = self._indices(records, batch)
        value = self._entered(query(self._data, drawn), label)
        self._events.append(self._spent(event, sensitivity, std, value.size))
        return self._answer(value, sensitivity, std, label)

    def tree(self, *, leaves: int, sensitivity: Sensitivity[Any, A], noise: Noise, label: str) -> Held:
        """Open a tree that will answer every prefix sum of a stream; nothing is spent before an element arrives.

        Args:
            leaves: The most elements that the stream may have, public.
            sensitivity: How far one element moves, in the norm of the noise.  A record may enter one element alone:
                that is the algorithm's promise (replaying its answers on a neighbour tests it).
            noise: The noise that every node gets.
            label: Names the tree in errors.

        Returns:
            A handle, to be given to `prefix_sum`.

        Raises:
            InvalidArgumentError: If the norm or the adjacency is another one, or an argument is out of its domain.
        """
        self._check_declared(sensitivity, noise.norm, noise.std)
        held = Held(next(NUMBERS), label)
        self._trees[held.number] = OpenTree(TreeAggregation(leaves), sensitivity, noise, len(self._events))
        self._events.append(Compose(()))
        return held

    def prefix_sum(self, tree: Held, query: Callable[[D], Array], *, label: str) -> Array:
        """Add the next element to a tree and answer the noisy sum of all of its elements so far.

        The transcript's answer is the node that this element completes; the returned sum is made of such nodes.

        Args:
            tree: Handle to the tree.
            query: The element, a function of the data, value of shape (d,).
            label: Names the element in the transcript.

        Returns:
            Shape (d,).

        Raises:
            InvalidArgumentError: If the element is not finite or of another shape than the first, or the tree is full
                or another curator's.
        """
        if tree.number not in self._trees:
            raise InvalidArgumentError("tree", tree, "is not a handle of this curator, or no longer one")
        opened, events = self._trees[tree.number], self._events
        element = self._entered(query(self._data), label)
        noise, sensitivity = opened.noise, opened.sensitivity
        node = self._spent(noise.event(sensitivity), sensitivity, noise.std, element.size)

        def release(total: Array) -> Array:
            # What the nodes so far, this one included, cost the element that is in most of them.
            events[opened.place] = Repeat(node, opened.sums.depth)
            return self._node(total, sensitivity, noise.std, label, noise.draw)

        return opened.sums.add(self._leaf(element), release)

    def _leaf(self, element: Array) -> Array:
        """An element of a tree in the numbers in which its nodes are added up."""
        return element

    def _node(self, total: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw) -> Array:
        """The noisy answer of a node, whose leaves are `_leaf`'s."""
        return self._answer(total, sensitivity, std, label, draw=draw)

    def _records_at(self, places: range) -> Any:
        if self.adjacency is AddOrRemoveOne:
            raise InvalidArgumentError("adjacency", self.adjacency.name, "must be one under which records keep places")
        instance("data", self._data, Divisible)
        return self._data.part(places)  # type: ignore[attr-defined]

    def _events_of(self, part: range | None) -> list[Event]:
        if part is None:
            return self._events
        check_part(part, self._parts, self.adjacency)
        return self._parts.setdefault(part, [])

    def _spent(self, event: Event, sensitivity: Sensitivity[Any, A], std: float, size: int) -> Event:
        """What an answer of so many coordinates spends; a curator with noise of its own says it in its own way."""
        return event

    def uniform_index(self, count: int, *, label: str) -> int:
        """A uniform index in ``range(count)``, independent of the data (it costs nothing)."""
        if natural(label, count) > sys.maxsize:
            raise InvalidArgumentError(label, count, f"must be at most {sys.maxsize}")
        (index,) = self._indices(count, 1)
        return int(index)

    @property
    def ledger(self) -> Ledger[A]:
        """What the answers so far have spent, as they were given; of disjoint parts what the heaviest has."""
        parts = [Ledger(Compose(tuple(events)), self.adjacency) for events in self._parts.values()]
        most = (alongside(parts),) if parts else ()
        return Ledger(canonical(Compose((*self._events, *most))), self.adjacency)

    @abstractmethod
    def _answer(
        self, value: Array, sensitivity: Sensitivity[Any, A], std: float, label: str, draw: Draw = standard_normal
    ) -> Array: ...

    @abstractmethod
    def _indices(self, count: int, size: int) -> Indices: ...

    @abstractmethod
    def _independent(self, count: int, size: int) -> Indices: ...
