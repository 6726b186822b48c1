"""Walks over a tree of events: its mechanisms, how often each happened, and one way of writing the same spending."""

from __future__ import annotations

import dataclasses
import itertools
import math
import typing
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final, TypeVar

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.events.custom import Custom
from dpref.privacy.events.factorization import rounds
from dpref.privacy.events.groups import of_a_group
from dpref.privacy.events.guarantees import Concentrated, with_one_concentrated
from dpref.privacy.events.ledger import Compose, Event, Repeat
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, ToeplitzGaussian
from dpref.privacy.events.parallel import Parallel
from dpref.privacy.events.sampled import Group
from dpref.privacy.events.selection import Select
from dpref.privacy.events.syntax import DEEPEST
from dpref.privacy.time_limit import remark

E = TypeVar("E", bound=Event)

_MOST_RUNS: Final = 10**7
_MANY: Final = 4096  # different events, after which it is said how many there are
_MOST_ALTERNATIVES: Final = 1000


def leaves(event: Event) -> Iterator[tuple[Event, int]]:
    """The mechanism events of a tree in order, each with how often it happened in a row.

    >>> from fractions import Fraction
    >>> from dpref.privacy.events.ledger import Gaussian
    >>> [(str(e), k) for e, k in leaves(Repeat(Compose((Gaussian(Fraction(1)), Gaussian(Fraction(1)))), 3))]
    [('gaussian(noise_multiplier=1)', 6)]
    """
    for leaf, run in groupby(_walk(event), key=itemgetter(0)):
        yield leaf, sum(count for _, count in run)


def _walk(event: Event) -> Iterator[tuple[Event, int]]:
    match event:
        case Compose(events):
            for e in events:
                yield from _walk(e)
        case Repeat(inner, times):
            first = list(islice(leaves(inner), 2))
            if len(first) == 1:
                yield first[0][0], first[0][1] * times
            elif first:
                for _ in range(times):
                    yield from leaves(inner)
        case Parallel(events):
            yield parallel(events), 1
        case _:
            yield event, 1


def multiplicities(event: Event) -> dict[Event, int]:
    """How often each mechanism event of a tree happened in all, whatever the order.

    Unlike `leaves` it never unrolls a repetition and does not recurse, so a million steps cost what one does.  What a
    group spends on a composition is composed of what it spends on each part, and a matrix mechanism with cyclic Poisson
    sampling is the composition of its rounds.

    >>> from fractions import Fraction
    >>> from dpref.privacy.events.ledger import Gaussian, NonPrivate
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
            case Group() if (inner := of_a_group(node)) != node:
                stack.append((inner, count))
            case MatrixGaussian() | ToeplitzGaussian() | PrefixSumSqrt() if node.rate is not None:
                stack.extend((column, count * times) for column, times in reversed(rounds(node)))
            case _:
                counts[node] = counts.get(node, 0) + count
                if len(counts) % _MANY == 0:
                    remark(f"counting {len(counts)} different events")
    return counts


def assumed(event: Event) -> tuple[str, ...]:
    """The names of a tree's mechanisms whose spending is assumed, each once: what rests on them must say so.

    >>> from fractions import Fraction
    >>> from dpref.privacy.events.custom import Custom, FinitePair
    >>> coin = FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4)))
    >>> assumed(Repeat(Custom("mine", zero_out=coin), 5))
    ('mine',)
    """
    return tuple(dict.fromkeys(custom.name for custom in customs(event)))


def customs(event: Event) -> tuple[Custom, ...]:
    """A tree's mechanisms whose spending is assumed, each once: two of one name and different pairs are two."""
    found: dict[Custom, None] = {}
    stack = list(reversed(multiplicities(event)))
    while stack:
        node = stack.pop()
        if isinstance(node, Custom):
            found[node] = None
        stack.extend(reversed(parts(node)))
    return tuple(found)


def canonical(event: Event) -> Event:
    """The same spending written one way: runs of equal mechanism events are merged, nesting is flattened.

    Raises:
        InvalidArgumentError: If the event unrolls into more than ten million runs.
    """
    parts = tuple(leaf if count == 1 else Repeat(leaf, count) for leaf, count in islice(leaves(event), _MOST_RUNS))
    if len(parts) == _MOST_RUNS:
        raise InvalidArgumentError("event", str(event)[:80], f"must unroll into fewer than {_MOST_RUNS} runs")
    return parts[0] if len(parts) == 1 else Compose(parts)


def parallel(events: Iterable[Event]) -> Event:
    """What is spent on disjoint parts, written one way: parts that spend no more than another are left out.

    A part spends no more than another one if every mechanism event happens in it at most as often.

    Args:
        events: What is spent on each part.

    >>> from fractions import Fraction
    >>> from dpref.privacy.events.ledger import Gaussian
    >>> one, two = Gaussian(Fraction(1)), Gaussian(Fraction(2))
    >>> print(parallel([Repeat(one, 2), one, two]))
    parallel(compose(gaussian(noise_multiplier=1), 2), gaussian(noise_multiplier=2))
    """
    kept: dict[Event, dict[Event, int]] = {}
    for event in map(canonical, events):
        counts = multiplicities(event)
        if any(_at_most(counts, other) for other in kept.values()):
            continue
        kept = {e: other for e, other in kept.items() if not _at_most(other, counts)} | {event: counts}
    found = tuple(kept) or (Compose(()),)
    return found[0] if len(found) == 1 else Parallel(found)


def _at_most(counts: dict[Event, int], others: dict[Event, int]) -> bool:
    return all(count <= others.get(event, 0) for event, count in counts.items())


def alternatives(event: Event) -> tuple[Event, ...]:
    """What a record may have cost, one event for each choice of the parts that it is in; none has parallel parts.

    Where parts are sampled from or repeated they are left as they are: no accountant has a theorem for these.

    Raises:
        UnsupportedEventError: If there are more than a thousand.

    >>> from dpref.privacy.events.ledger import Exponential, NonPrivate
    >>> a, b, c = Exponential(1), Exponential(2), NonPrivate()
    >>> [str(e) for e in alternatives(Compose((Parallel((a, b)), c)))]  # doctest: +NORMALIZE_WHITESPACE
    ['compose(exponential(epsilon=1), nonprivate())', 'compose(exponential(epsilon=2), nonprivate())']
    """
    if isinstance(event, Parallel):
        return tuple(one for part in event.events for one in alternatives(part))
    if not isinstance(event, Compose):
        return (event,)
    each = [alternatives(part) for part in event.events]
    count = math.prod(map(len, each))
    if count > _MOST_ALTERNATIVES:
        raise UnsupportedEventError(
            f"{count} choices of parts are more than {_MOST_ALTERNATIVES}; divide the data once"
        )
    return (event,) if count == 1 else tuple(map(Compose, itertools.product(*each)))


def concentrated_first(event: Event) -> Event:
    """The same spending with all zCDP guarantees added up to one, where there are several.

    >>> from fractions import Fraction
    >>> from dpref.privacy.events.guarantees import Concentrated
    >>> print(concentrated_first(Repeat(Concentrated(Fraction(1, 4)), 4)))
    zcdp(rho=1, xi=0)
    """
    counts = multiplicities(event)
    if sum(count for e, count in counts.items() if isinstance(e, Concentrated)) < 2:
        return event
    merged = tuple(e if k == 1 else Repeat(e, k) for e, k in with_one_concentrated(counts).items())
    return merged[0] if len(merged) == 1 else Compose(merged)


def selects(event: Event) -> bool:
    """Whether some answer is the best of several runs: of these several bounds are known, and none is always best.

    >>> from fractions import Fraction
    >>> from dpref.privacy.events.ledger import Laplace, Poisson
    >>> selects(Poisson(Select(Laplace(Fraction(1)), mean=Fraction(2)), Fraction(1, 2)))
    True
    """
    return any(isinstance(node, Select) or any(map(selects, parts(node))) for node in multiplicities(event))


def answers(event: Event) -> int:
    """How many answers an event describes, each step of a composition counted.

    >>> from dpref.privacy.events.ledger import NonPrivate
    >>> answers(Repeat(Compose((NonPrivate(), NonPrivate())), 1000))
    2000
    """
    return _answers(event, 1)


def _answers(event: Event, depth: int) -> int:
    if depth > 2 * DEEPEST:
        raise InvalidArgumentError("event", "...", f"must not be nested deeper than {2 * DEEPEST}")
    inner = sum(_answers(part, depth + 1) for part in parts(event))
    return inner * event.count if isinstance(event, Repeat) else max(inner, 0 if isinstance(event, Compose) else 1)


def parts(event: Event) -> tuple[Event, ...]:
    """The events directly inside an event."""
    if isinstance(event, Compose | Parallel):
        return event.events
    return tuple(_inside(event).values())


def _inside(event: Event) -> dict[str, Event]:
    """The fields of an event that are events."""
    fields = {field.name: getattr(event, field.name) for field in dataclasses.fields(event)}
    return {name: value for name, value in fields.items() if isinstance(value, typing.get_args(Event))}


def normal_form(event: Event) -> Event:
    """The same spending written one way: nesting is flattened, equal neighbours are merged; nothing is unrolled.

    >>> from dpref.privacy.events.ledger import Exponential, NonPrivate
    >>> a, b = NonPrivate(), Exponential(1)
    >>> print(normal_form(Compose((a, Compose((Repeat(a, 2), b)), Repeat(Compose((b,)), 1)))))
    compose(compose(nonprivate(), 3), compose(exponential(epsilon=1), 2))
    """
    answers(event)  # refuses what is nested too deeply
    return _normal(event)


def _normal(event: Event) -> Event:
    if isinstance(event, Repeat):
        inner = _normal(event.event)
        if inner == Compose(()):
            return inner
        base, count = (inner.event, inner.count) if isinstance(inner, Repeat) else (inner, 1)
        return base if count * event.count == 1 else Repeat(base, count * event.count)
    if isinstance(event, Compose):
        return _merged(event)
    if isinstance(event, Parallel):
        return Parallel(tuple(map(_normal, event.events)))
    return _rebuilt(event)


def _rebuilt(event: E) -> E:
    changed: dict[str, Any] = {name: _normal(value) for name, value in _inside(event).items()}
    return dataclasses.replace(event, **changed) if changed else event


def _merged(event: Compose) -> Event:
    merged: list[tuple[Event, int]] = []
    for part in event.events:
        flat = _normal(part)
        for e in flat.events if isinstance(flat, Compose) else (flat,):
            base, count = (e.event, e.count) if isinstance(e, Repeat) else (e, 1)
            if merged and merged[-1][0] == base:
                count += merged.pop()[1]
            merged.append((base, count))
    events = tuple(base if count == 1 else Repeat(base, count) for base, count in merged)
    return events[0] if len(events) == 1 else Compose(events)
