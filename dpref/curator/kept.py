"""What a curator keeps between answers, and what data must be for a part of them to be handed out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final, runtime_checkable

from dpref.mechanisms.noise import Noise
from dpref.mechanisms.tree import TreeAggregation
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
