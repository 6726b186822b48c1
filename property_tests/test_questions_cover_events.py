"""Every event under every adjacency is asked about with a truth at hand, or is refused: a new event fails here."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import pytest

from dpref.errors import UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.events.expression import event_kinds, event_name, parse_event
from dpref.privacy.events.ledger import Compose, Event, Ledger, Repeat
from dpref.privacy.events.parallel import Parallel
from dpref.privacy.examples import event_session
from dpref.units import adjacency_named
from property_tests.certified_questions import ALL
from property_tests.composed_questions import question
from property_tests.test_single_widths import one_answer

KINDS = {**event_kinds(), **{event_name(kind): kind for kind in (Compose, Repeat, Parallel)}}
DRAWN = 6000  # of one command's 1e5: what is drawn fewer than three times here has no fifty questions there
ENOUGH = 3
DIVIDED = ("nonprivate", "compose", "repeat", "parallel")  # not one answer with noise: widths are those of the parts


def kinds_in(event: Any) -> Iterator[str]:
    """The names of an event and of all events inside it."""
    yield event_name(type(event))
    for field in fields(event):
        value = getattr(event, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if is_dataclass(part) and type(part).__module__.startswith("dpref.privacy.events"):
                yield from kinds_in(part)


def counted(cases: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """How many texts under an adjacency have an event of a name."""
    found: dict[tuple[str, str], int] = {}
    for text, adjacency in cases:
        for name in set(kinds_in(parse_event(text))):
            found[name, adjacency] = found.get((name, adjacency), 0) + 1
    return found


@lru_cache(maxsize=1)
def asked_about() -> dict[tuple[str, str], int]:
    """What the command of ``certified_answers.py`` asks about."""
    cases = (question(random.Random(f"cover/{k}")).case for k in range(DRAWN))  # noqa: S311
    return counted((case.text, case.adjacency) for case in cases)


def example(kind: type[Event]) -> str:
    """The text of a class's example."""
    (text,) = re.findall(r'parse_event\("(.*)"\)', "\n".join(event_session(kind)))
    return str(text)


def refused(kind: type[Event], adjacency: str) -> bool:
    """Whether the example of an event is refused under an adjacency."""
    try:
        certify(Ledger(parse_event(example(kind)), adjacency_named(adjacency)), delta=Fraction(1, 10**6), limit=5)
    except UnsupportedEventError:
        return True
    return False


def left_out(drawn: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    """Events and adjacencies that are answered, and that next to no question is about."""
    few = (pair for pair in product(KINDS, ALL) if drawn.get(pair, 0) < ENOUGH)
    return [(name, adjacency) for name, adjacency in few if not refused(KINDS[name], adjacency)]


@pytest.mark.slow
def test_every_event_under_every_adjacency_is_asked_about_or_refused() -> None:
    assert left_out(asked_about()) == []


@pytest.mark.slow
def test_planted_bug_an_event_that_nothing_is_asked_about_is_found() -> None:
    drawn = {pair: count for pair, count in asked_about().items() if pair[0] != "sampled_column"}
    assert left_out(drawn) == [("sampled_column", adjacency) for adjacency in ALL]


@pytest.mark.slow
def test_the_width_of_every_event_is_measured_under_every_adjacency() -> None:
    cases = (one_answer(random.Random(f"cover/{k}")) for k in range(DRAWN))  # noqa: S311
    drawn = counted((case.text, case.adjacency) for case in cases)
    assert [pair for pair in left_out(drawn) if pair[0] not in DIVIDED] == []
