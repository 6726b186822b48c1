"""What a curator keeps between answers, and what data must be for a part of them to be handed out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

from dpref.mechanisms.noise import Noise
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.events.ledger import Event
from dpref.units import Sensitivity


@final
@dataclass(frozen=True)
class OpenTree:
    """A tree aggregation that a curator keeps, with its noise and the place of its event in the ledger."""

    sums: TreeAggregation
    sensitivity: Sensitivity[Any, Any]
    noise: Noise
    place: int


@final
@dataclass(frozen=True, eq=False)
class Scope:
    """What a curator had before it was restricted to a part of the records, and where that part's spending goes."""

    outside: Mapping[str, Any]
    spent: list[Event]


@runtime_checkable
class Divisible(Protocol):
    """Data whose records have places, so that a part of them can be handed out."""

    def part(self, rows: range) -> Any:
        """The records at these places, counted from zero, as data of the same kind."""
