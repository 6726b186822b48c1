"""What an accountant is: a way to bound what a ledger spends, and what it makes of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

from dpref.privacy.events.ledger import Event, Ledger
from dpref.privacy.events.walks import alternatives, multiplicities
from dpref.privacy.interval import Interval
from dpref.privacy.time_limit import remark
from dpref.units import Adjacency

Bound: TypeAlias = Callable[[Ledger[Any], Fraction], Interval]


@final
@dataclass(frozen=True)
class Accountant:
    """A way to bound what a ledger spends, with the events that it supports.

    Attributes:
        name: What a user calls it.
        title: What it does, as a phrase.
        supports: Whether it has a theorem for one mechanism event under an adjacency (compositions are its own matter).
        epsilon: The interval of epsilon at a delta.
        delta: The interval of delta at an epsilon.
        closed_form: Whether its interval is exact up to rounding (or what it bounds, no other bounds better).
        quick: Whether a search may ask it many times.
        single: Whether it answers for one event only, and for no composition.
        slow: Whether ``"best"`` asks it only while what the others have proved is wider than a thousandth of epsilon.
        within: Epsilon at a delta, in an interval about as narrow as asked; None if it has no choice.
        after: Those that compose the same pairs faster: after an answer of theirs ``"best"`` does not ask this one.
    """

    name: str
    title: str
    supports: Callable[[Event, type[Adjacency]], bool]
    epsilon: Bound
    delta: Bound
    closed_form: bool = False
    quick: bool = False
    slow: bool = False
    single: bool = False
    within: Callable[[Ledger[Any], Fraction, Fraction], Interval] | None = None
    after: tuple[str, ...] = ()

    def refused(self, ledger: Ledger[Any]) -> tuple[Event, ...]:
        """The events that it does not support: all, if it takes single answers only and the ledger composes several."""
        found: dict[Event, None] = {}
        for counts in map(multiplicities, alternatives(ledger.event)):
            remark(f"whether {self.title} supports {len(counts)} different events")
            several = self.single and sum(counts.values()) > 1
            found |= {event: None for event in counts if several or not self.supports(event, ledger.adjacency)}
        return tuple(found)


@final
@dataclass(frozen=True)
class Outcome:
    """What one accountant made of a ledger.

    Attributes:
        accountant: Its name.
        interval: What it proves, or None.
        refusal: Why there is none, or the empty text.
        undecided: Whether it has a theorem, but no certified answer within its precision limit.
    """

    accountant: str
    interval: Interval | None
    refusal: str = ""
    undecided: bool = False
