"""Refusals that help: what has no theorem, under which adjacency it would have one, and the nearest event that has.

Nothing here is a list of cases: whether something is supported is asked of the accountants, under every adjacency and
for every event that differs from the refused one by little (a statement more, another sampler, none).  Why there is no
theorem is what the dominating pairs say.
"""

from __future__ import annotations

import itertools
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias, final

from dpref.errors import DprefError
from dpref.privacy.events.custom import AssumedPair, Custom, FinitePair
from dpref.privacy.events.expression import event_fields
from dpref.privacy.events.ledger import Compose, Event, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.pld.pairs import pairs
from dpref.units import ADJACENCIES, Adjacency

Supports: TypeAlias = Callable[[Event, type[Adjacency]], bool]

_SHOWN: Final = 2
_MOST_TRIED: Final = 400
_YOURS: Final = FinitePair((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
_TOGETHER: Final = "each of its events is supported, but no one accountant has a theorem for all of them together"


@final
@dataclass(frozen=True)
class Refusal:
    """Why an event is not accounted under an adjacency, and what is.

    Attributes:
        event: The event.
        adjacency: The adjacency.
        missing: Which statement is missing.
        under: The adjacencies under which it is supported.
        nearest: Events that are supported under the same adjacency, the nearest first; at least one.  They are other
            mechanisms: their numbers are of use if they are what is run.
    """

    event: Event
    adjacency: type[Adjacency]
    missing: str
    under: tuple[type[Adjacency], ...]
    nearest: tuple[Event, ...]

    def __str__(self) -> str:
        others = " and ".join(adjacency.name for adjacency in self.under) or "no other adjacency"
        near = ", or ".join(map(str, self.nearest))
        return (
            f"{self.event}: {self.missing}; supported under {others}; nearest that is supported under"
            f" {self.adjacency.name}, if it is what you run: {near}"
        )


def refusals(ledger: Ledger[Any], supports: Supports) -> tuple[Refusal, ...]:
    """One refusal for each event of a ledger that is not supported; none if all are.

    Args:
        ledger: What was refused.
        supports: Whether some accountant has a theorem for an event (a composition: for all of it) under an adjacency.

    >>> from dpref import ReplaceOne, parse_event
    >>> from dpref.privacy.accountants import supported
    >>> (found,) = refusals(Ledger(parse_event("poisson(laplace(1), rate=1/2)"), ReplaceOne), supported)
    >>> [adjacency.name for adjacency in found.under], str(found.nearest[0])
    (['add-or-remove-one', 'zero-out'], 'sample_without_replacement(laplace(scale=1), batch=1, records=2)')
    """
    counts = multiplicities(ledger.event)
    missing = [event for event in counts if not supports(event, ledger.adjacency)]
    if missing or supports(ledger.event, ledger.adjacency):
        return tuple(refusal(event, ledger.adjacency, supports) for event in missing)
    fewer: list[Event] = [Compose(tuple(Repeat(e, counts[e]) for e in counts if e != one)) for one in counts]
    near = tuple(event for event in fewer if supports(event, ledger.adjacency)) or tuple(counts)
    return (
        Refusal(
            ledger.event, ledger.adjacency, _TOGETHER, _under(ledger.event, ledger.adjacency, supports), near[:_SHOWN]
        ),
    )


def grouped(said: Iterable[tuple[str, str]]) -> str:
    """Each text once, after the names of those who said it.

    Args:
        said: Names and texts.

    >>> grouped([("one", "no"), ("two", "no")])
    'one, two: no'
    """
    names: dict[str, list[str]] = {}
    for name, text in said:
        names.setdefault(text, []).append(name)
    return "; ".join(f"{', '.join(given)}: {text}" for text, given in names.items())


def explained(ledger: Ledger[Any], supports: Supports, said: str, others: Sequence[str]) -> str:
    """The text of a refusal: what is not supported, why, under which adjacency it would be, and the nearest that is.

    Args:
        ledger: What was refused.
        supports: As of `refusals`.
        said: What those said that were asked.
        others: The accountants that were not asked and have a theorem.
    """
    if others:
        return f"{said}; supported by {', '.join(others)}"
    found = "; ".join(map(str, refusals(ledger, supports)[:_SHOWN]))
    return f"not supported under {ledger.adjacency.name} adjacency: {found or said}"


def refusal(event: Event, adjacency: type[Adjacency], supports: Supports) -> Refusal:
    """The refusal of one event; the arguments are those of `refusals`."""
    under = _under(event, adjacency, supports)
    near = (other for other in _near(event, adjacency) if supports(other, adjacency))
    return Refusal(event, adjacency, why(event, adjacency), under, tuple(itertools.islice(near, _SHOWN)))


def _under(event: Event, adjacency: type[Adjacency], supports: Supports) -> tuple[type[Adjacency], ...]:
    return tuple(a for a in ADJACENCIES.values() if a is not adjacency and supports(event, a))


def why(event: Event, adjacency: type[Adjacency]) -> str:
    """Which statement is missing, as the dominating pairs say it.

    Args:
        event: An event that no accountant supports.
        adjacency: Under this adjacency.

    >>> from dpref.privacy.events.ledger import RandomizedResponse
    >>> from dpref.units import AddOrRemoveOne
    >>> why(RandomizedResponse(Fraction(1)), AddOrRemoveOne).partition(",")[0]
    "an absent record's answer is missing"
    """
    try:
        pairs(event, adjacency)
    except DprefError as error:
        return str(error).partition(f" under {adjacency.name}: ")[2] or str(error)
    return _TOGETHER


# ------------------------------------------------------------------------------------ what is near


def _near(event: Event, adjacency: type[Adjacency]) -> Iterator[Event]:
    """Events one change away, then two, and last a pair of one's own; each once."""
    seen = {event}
    level = [event] if isinstance(event, typing.get_args(Event)) else []
    for _ in range(2):
        found: list[Event] = []
        for other in itertools.islice(itertools.chain.from_iterable(map(_changed, level)), _MOST_TRIED):
            if other not in seen:
                seen.add(other)
                found.append(other)
                yield other
        level = found
    yield _with(Custom("yours", zero_out=_YOURS), adjacency.name.replace("-", "_"), _YOURS)


def _changed(event: Event) -> Iterator[Event]:
    """Events that differ by one thing: a statement, the sampler, what is sampled, and last no sampler."""
    for made in (_stated, _merged, _resampled, _inside, _unsampled):
        try:
            yield from made(event)
        except DprefError:  # such as a rate that is no batch of whole records
            continue


def _stated(event: Event) -> Iterator[Event]:
    """With something said that it leaves open: a word, or a pair that it states for another adjacency."""
    values = (getattr(event, name) for name in event_fields(type(event)))
    given = next((value for value in values if isinstance(value, typing.get_args(AssumedPair))), None)
    for name, hint in event_fields(type(event)).items():
        if getattr(event, name) is not None:
            continue
        kinds = typing.get_args(hint) if typing.get_origin(hint) in {typing.Union, types.UnionType} else ()
        words = [word for kind in kinds for word in typing.get_args(kind) if isinstance(word, str)]
        pair = [given] if given is not None and type(given) in kinds else []
        for value in (*words, *pair):
            yield _with(event, name, value)


def _merged(event: Event) -> Iterator[Event]:
    """A sample of a sample as one."""
    match event:
        case Poisson(Poisson(inner, first, stated), second):
            yield Poisson(inner, first * second, event.contribution or stated)
        case SampleWithoutReplacement(SampleWithoutReplacement(inner, batch, _), _, records):
            yield SampleWithoutReplacement(inner, batch, records)


def _resampled(event: Event) -> Iterator[Event]:
    """The same on a batch that is drawn in the other way."""
    match event:
        case Poisson(inner, rate):
            yield SampleWithoutReplacement(inner, rate.numerator, rate.denominator)
        case SampleWithoutReplacement(inner, batch, records):
            yield Poisson(inner, Fraction(batch, records))


def _inside(event: Event) -> Iterator[Event]:
    """With what it holds changed."""
    if isinstance(event, Poisson | SampleWithoutReplacement):
        for other in _changed(event.event):
            yield _with(event, "event", other)


def _unsampled(event: Event) -> Iterator[Event]:
    """On all records."""
    if isinstance(event, Poisson | SampleWithoutReplacement):
        yield event.event


def _with(event: Event, name: str, value: object) -> Event:
    changed: dict[str, Any] = {name: value}
    return replace(event, **changed)
