"""What a curator keeps between answers: its trees, and which records the answers that share none have read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, final, runtime_checkable

from dpref.errors import InvalidArgumentError
from dpref.mechanisms.noise import Noise
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.events.ledger import Compose, Event
from dpref.privacy.events.partition import costliest
from dpref.units import Sensitivity


@final
@dataclass(frozen=True)
class OpenTree:
    """A tree aggregation that a curator keeps, with its noise and the place of its event in the ledger."""

    sums: TreeAggregation
    sensitivity: Sensitivity[Any, Any]
    noise: Noise
    place: int


@runtime_checkable
class Divisible(Protocol):
    """Data whose records have places, so that a part of them can be handed out."""

    def part(self, rows: range) -> Any:
        """The records at these places, counted from zero, as data of the same kind."""


@final
@dataclass
class Partition:
    """The parts that were read so far; a record of one is in no other.

    Attributes:
        place: Of its event in the curator's ledger.
        spent: What the answers so far spend together.
        parts: The rows of each answer.

    >>> parts = Partition(place=0)
    >>> parts.take(range(0, 3))
    >>> parts.take(range(2, 4))
    Traceback (most recent call last):
    dpref.errors.InvalidArgumentError: rows = range(2, 4): must not meet range(0, 3), which was answered already
    """

    place: int
    spent: Event = field(default_factory=lambda: Compose(()))
    parts: list[range] = field(default_factory=list)

    def take(self, rows: range) -> None:
        """Mark rows as read.

        Args:
            rows: Places of records, counted from zero.

        Raises:
            InvalidArgumentError: If they are no places in order, or one of them was read already.
        """
        if rows.step != 1 or rows.start < 0 or len(rows) == 0:
            raise InvalidArgumentError("rows", rows, "must be places in order, at least one, counted from zero")
        for part in self.parts:
            if rows.start < part.stop and part.start < rows.stop:
                raise InvalidArgumentError("rows", rows, f"must not meet {part}, which was answered already")
        self.parts.append(rows)

    def pay(self, event: Event) -> Event:
        """Add what one answer spends, and return what all of them do.

        Args:
            event: Of the answer.

        Raises:
            UnsupportedEventError: If it cannot be compared with those before.

        >>> from fractions import Fraction
        >>> from dpref.privacy.events.ledger import Gaussian
        >>> print(Partition(place=0, spent=Gaussian(Fraction(2))).pay(Gaussian(Fraction(3))))
        gaussian(noise_multiplier=2)
        """
        self.spent = costliest((self.spent, event))
        return self.spent
