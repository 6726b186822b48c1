"""Events as JSON objects, for languages that have no parser of expressions; and the ledgers of the algorithms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from dpref.algorithms.registry import ALGORITHMS
from dpref.errors import DprefError
from dpref.privacy.events.expression import event_fields, event_name, format_event, parse_event, stated
from dpref.privacy.events.ledger import Compose, Event, Ledger, Repeat
from dpref.privacy.events.walks import normal_form
from dpref.units import adjacency_named
from dpref.vectors.family import exact_text
from dpref.vectors.instances import first_plans

_BITS: Final = 12  # of a rounded noise multiplier: as short a double as a person would type


def event_to_json(event: Event) -> dict[str, Any]:
    """An event as nested objects: its name, and its arguments by name.

    >>> event_to_json(parse_event("compose(gaussian(noise_multiplier=1/2), 3)"))["event"]
    {'type': 'gaussian', 'noise_multiplier': '0.5'}
    """
    if isinstance(event, Repeat):
        return {"type": "compose", "count": event.count, "event": event_to_json(event.event)}
    if isinstance(event, Compose):
        return {"type": "compose", "events": [event_to_json(part) for part in event.events]}
    found: dict[str, Any] = {"type": event_name(type(event))}
    return found | {name: _written(value) for name, value in stated(event).items()}


def _written(value: Any) -> Any:
    if isinstance(value, Fraction):
        return exact_text(value)
    if value is None or isinstance(value, int | str):
        return value
    return [_written(part) for part in value] if isinstance(value, tuple) else event_to_json(value)


def asked_of(event: str | Event, adjacency: str) -> dict[str, Any]:
    """What a test gives of a ledger: its events as text and as objects, and the adjacency.

    Args:
        event: Or the expression that describes it.
        adjacency: Its name.
    """
    found = normal_form(parse_event(event) if isinstance(event, str) else event)
    return {"expression": format_event(found), "event": event_to_json(found), "adjacency": adjacency}


def ledger_of(given: Mapping[str, Any]) -> Ledger[Any]:
    """The ledger that a test gives.

    Raises:
        ValueError: If its two ways to say it differ.
        DprefError: If it is no ledger.
    """
    event = parse_event(given["expression"])
    if event_to_json(event) != given["event"]:
        raise ValueError(f"event and expression differ: {given['expression']}")
    return Ledger(event, adjacency_named(given["adjacency"]))


def rounded(event: Event) -> Event:
    """The same event with its noise multiplier, or what it has for one, rounded to a short double.

    >>> print(rounded(parse_event("gaussian(noise_multiplier=1/3)")))
    gaussian(noise_multiplier=2731/8192)
    """
    if isinstance(event, Compose):
        return Compose(tuple(map(rounded, event.events)))
    return replace(event, **{name: _short(getattr(event, name)) for name in event_fields(type(event))})


def _short(value: Any) -> Any:
    if isinstance(value, Fraction):
        unit = Fraction(2) ** (math.floor(math.log2(value)) - _BITS + 1)
        return round(value / unit) * unit
    if value is None or isinstance(value, int | str):
        return value
    return tuple(map(_short, value)) if isinstance(value, tuple) else rounded(value)


def ledgers() -> Iterator[tuple[str, dict[str, Any]]]:
    """What every registered algorithm spends in its first repaired example: its name, and what a test gives of it."""
    for name in ALGORITHMS:
        for plan in first_plans(name):
            try:
                event = rounded(normal_form(ALGORITHMS[name].ledger(plan).event))
                given = asked_of(event, plan.sensitivity.adjacency.name)
                ledger_of(given)
            except (DprefError, TypeError, ValueError):  # an event that no text describes
                continue
            yield name, given
            break


def numbers_to_json(plan: Any) -> dict[str, Any]:
    """What a plan fixed and another implementation may need: its numbers and words, by name.

    Args:
        plan: Of an algorithm.
    """
    found = {name: _plain(value) for name, value in vars(plan).items()}
    return {name: value for name, value in found.items() if value is not None}


def _plain(value: Any) -> Any:
    """A number, a word or a list of them as JSON; None for anything else."""
    if isinstance(value, Fraction | float):
        return exact_text(value) if isinstance(value, Fraction) or math.isfinite(value) else str(value)
    if isinstance(value, int | str):
        return value
    if isinstance(value, tuple):
        parts = [_plain(part) for part in value]
        return None if None in parts else parts
    return None
