"""The ledger: a frozen tree of mechanism events that documents completely what an algorithm spends.

An algorithm *describes* itself by a ledger; accountants judge it (the split is the one of Google's ``dp_accounting``).
The ledger that is computed from a plan must equal the one that a curator observes on the transcript.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar, final

from dpref.checks import natural, positive_rational
from dpref.errors import InvalidArgumentError
from dpref.units import Adjacency

A = TypeVar("A", bound=Adjacency)


@final
@dataclass(frozen=True)
class NonPrivate:
    """An answer without noise: no accountant gives it a finite loss."""

    def __str__(self) -> str:
        return "nonprivate()"


@final
@dataclass(frozen=True)
class Gaussian:
    """One answer with Gaussian noise of standard deviation ``noise_multiplier`` times the l2 sensitivity.

    Attributes:
        noise_multiplier: sigma / Delta_2, exact and positive.
    """

    noise_multiplier: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))

    def __str__(self) -> str:
        return f"gaussian(noise_multiplier={self.noise_multiplier})"


@final
@dataclass(frozen=True)
class VarianceReducedGaussian:
    r"""One answer $\frac1b\sum_{i\in B}(g_i-h_i)+\frac1n\sum_{i\le n}h_i+N(0,\sigma^2I)$, all of norm at most G.

    B is a fresh uniform set of b of the n records, drawn without replacement and kept secret; $g_i$ and $h_i$ are
    vectors of record i alone, of norm at most G each.

    Attributes:
        noise_multiplier: sigma / G, exact and positive.
        batch: b, at least 1 and below n (with b = n nothing is sampled and the answer is a plain `Gaussian`).
        records: n.
    """

    noise_multiplier: Fraction
    batch: int
    records: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", positive_rational("noise_multiplier", self.noise_multiplier))
        if natural("batch", self.batch) >= natural("records", self.records):
            raise InvalidArgumentError("batch", self.batch, f"must be below the number of records, {self.records}")

    def __str__(self) -> str:
        return (
            f"variance_reduced_gaussian(noise_multiplier={self.noise_multiplier}, batch={self.batch},"
            f" records={self.records})"
        )


@final
@dataclass(frozen=True)
class Compose:
    """Adaptive composition of several events.

    Attributes:
        events: The events, in the order in which they happened.
    """

    events: tuple[Event, ...]

    def __str__(self) -> str:
        return "compose(" + ", ".join(map(str, self.events)) + ")"


@final
@dataclass(frozen=True)
class Repeat:
    """Adaptive composition of ``count`` equal events.

    Attributes:
        event: The event.
        count: How often it happened, at least once.
    """

    event: Event
    count: int

    def __post_init__(self) -> None:
        natural("count", self.count)

    def __str__(self) -> str:
        return f"compose({self.event}, {self.count})"


Event: TypeAlias = NonPrivate | Gaussian | VarianceReducedGaussian | Compose | Repeat


def leaves(event: Event) -> Iterator[tuple[Event, int]]:
    """The mechanism events of a tree in order, each with how often it happened in a row.

    >>> [(str(e), k) for e, k in leaves(Repeat(Compose((Gaussian(Fraction(1)), Gaussian(Fraction(1)))), 3))]
    [('gaussian(noise_multiplier=1)', 6)]
    """
    run: tuple[Event, int] | None = None
    for leaf, count in _walk(event, 1):
        if run is not None and run[0] == leaf:
            run = (leaf, run[1] + count)
            continue
        if run is not None:
            yield run
        run = (leaf, count)
    if run is not None:
        yield run


def _walk(event: Event, count: int) -> Iterator[tuple[Event, int]]:
    match event:
        case Compose(events) if len(events) == 1:
            yield from _walk(events[0], count)
        case Compose(events):
            for _ in range(count):
                for e in events:
                    yield from _walk(e, 1)
        case Repeat(inner, times):
            parts = list(leaves(inner))
            if len(parts) == 1:
                yield parts[0][0], parts[0][1] * times * count
            else:
                for _ in range(times * count):
                    yield from parts
        case _:
            yield event, count


def multiplicities(event: Event) -> dict[Event, int]:
    """How often each mechanism event of a tree happened in all, whatever the order.

    Unlike `leaves` it never unrolls a repetition and does not recurse, so a million steps cost what one does.

    >>> {str(e): k for e, k in multiplicities(Repeat(Compose((Gaussian(Fraction(1)), NonPrivate())), 10**6)).items()}
    {'gaussian(noise_multiplier=1)': 1000000, 'nonprivate()': 1000000}
    """
    counts: dict[Event, int] = {}
    stack = [(event, 1)]
    while stack:
        node, count = stack.pop()
        match node:
            case Compose(events):
                stack.extend((e, count) for e in reversed(events))
            case Repeat(inner, times):
                stack.append((inner, count * times))
            case _:
                counts[node] = counts.get(node, 0) + count
    return counts


def canonical(event: Event) -> Event:
    """The same spending written one way: runs of equal mechanism events are merged, nesting is flattened."""
    parts = tuple(leaf if count == 1 else Repeat(leaf, count) for leaf, count in leaves(event))
    return parts[0] if len(parts) == 1 else Compose(parts)


@final
@dataclass(frozen=True)
class Ledger(Generic[A]):
    """Events together with the adjacency under which their multipliers are stated.

    Attributes:
        event: What is spent.
        adjacency: For which neighbouring relation.
    """

    event: Event
    adjacency: type[A]

    def __str__(self) -> str:
        return f"{canonical(self.event)} under {self.adjacency.name}"

    def __add__(self, other: Ledger[A]) -> Ledger[A]:
        if self.adjacency is not other.adjacency:
            raise InvalidArgumentError("other", other.adjacency.name, "ledgers compose within one adjacency")
        return Ledger(Compose(_parts(self.event) + _parts(other.event)), self.adjacency)


def _parts(event: Event) -> tuple[Event, ...]:
    # Sums of many ledgers stay flat, so that no function that recurses over the tree can overflow.
    return event.events if isinstance(event, Compose) else (event,)
