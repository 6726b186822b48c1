"""The event of answers about disjoint parts of the data, of which a record is in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from dpref.errors import InvalidArgumentError


@final
@dataclass(frozen=True)
class Parallel:
    r"""What is spent on each of several parts of the data, where neighbours differ within one part.

    Given what was answered before, an answer about another part has the same law on both data sets, also where what is
    asked of a part depends on what others answered.  For every set of outcomes the hockey-stick divergence is then a
    mean of divergences on the record's own part, and so is at most the largest over the parts at each epsilon
    (adaptive parallel composition; McSherry, "Privacy integrated queries", 2009, Theorem 4).  That the parts are
    disjoint, and that a record keeps its part, is for the curator to see to.

    Attributes:
        events: What is spent on each part, at least two (`dpref.privacy.events.walks.alternatives` takes them apart).
    """

    events: tuple[Any, ...]

    def __post_init__(self) -> None:
        if len(self.events) < 2:
            raise InvalidArgumentError("events", len(self.events), "must be those of at least two parts")

    def __str__(self) -> str:
        return "parallel(" + ", ".join(map(str, self.events)) + ")"
