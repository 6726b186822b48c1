"""Event expressions: what is written is read back as the same spending, and any text at all is read or refused."""

from __future__ import annotations

import typing
from collections import Counter
from fractions import Fraction
from typing import Any, Literal

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from dpref.errors import ExpressionError, InvalidArgumentError
from dpref.privacy.events import expression, walks
from dpref.privacy.events.custom import FinitePair, GibbsPair
from dpref.privacy.events.expression import event_fields, event_kinds, format_event, parse_event, parse_template
from dpref.privacy.events.guarantees import Profile
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Repeat
from dpref.privacy.events.parallel import Parallel
from dpref.privacy.events.walks import answers, multiplicities, normal_form

numbers = st.fractions(Fraction(1, 10**6), 10**6) | st.floats(5e-324, 1.7e308).map(Fraction)
small = st.fractions(Fraction(1, 1000), 1)
signed = st.fractions(-2, 2, max_denominator=60)
PLAIN: dict[type, st.SearchStrategy[Any]] = {
    Fraction: small | numbers,
    int: st.integers(1, 1000),
    str: st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True),
    bool: st.booleans(),
}


def argument(hint: Any, inner: st.SearchStrategy[Event]) -> st.SearchStrategy[Any]:
    """Values of one field of an event class: a new class is covered as soon as it exists."""
    if hint in PLAIN:
        return PLAIN[hint]
    if typing.get_origin(hint) is tuple:  # of as many entries as a triangle has
        return st.sampled_from([1, 3, 6]).flatmap(lambda n: st.lists(signed, min_size=n, max_size=n)).map(tuple)
    if typing.get_origin(hint) is Literal:
        return st.sampled_from(typing.get_args(hint))
    if FinitePair in typing.get_args(hint):
        return st.none() | assumed_pairs()
    if type(None) in typing.get_args(hint):
        return st.none() | argument(typing.get_args(hint)[0], inner)
    assert Gaussian in typing.get_args(hint), hint
    return inner


@st.composite
def assumed_pairs(draw: st.DrawFn) -> FinitePair | GibbsPair:
    """Pairs that a text can give."""
    size, attained = draw(st.integers(1, 4)), draw(st.booleans())
    first, second = (draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)) for _ in range(2))
    if any(first) and any(second):
        p, q = (tuple(Fraction(k, sum(side)) for k in side) for side in (first, second))
        return FinitePair(p, q, attained)
    a, b = (tuple(Fraction(k - 5, 7) for k in side) for side in (first, second))
    return GibbsPair(a, b, attained)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """The arguments of a table of guarantees."""
    epsilons = sorted(draw(st.sets(small, min_size=1, max_size=3)))
    deltas = st.lists(st.fractions(0, Fraction(9, 10)), min_size=len(epsilons), max_size=len(epsilons))
    falling = deltas.map(lambda found: tuple(sorted(found, reverse=True)))
    added = draw(st.none() | falling)
    return {"epsilons": tuple(epsilons), "deltas": draw(falling), "added": added, "worst_case": draw(st.booleans())}


@st.composite
def mechanisms(draw: st.DrawFn, inner: st.SearchStrategy[Event], *, nested: bool) -> Event:
    kinds = [k for k in event_kinds().values() if nested == ("event" in event_fields(k))]
    kind: Any = draw(st.sampled_from(kinds))
    values = {name: draw(argument(hint, inner)) for name, hint in event_fields(kind).items()}
    values = draw(tables()) if kind is Profile else values
    try:
        event: Event = kind(**values)
    except InvalidArgumentError:
        reject()
    return event


def grow(inner: st.SearchStrategy[Event]) -> st.SearchStrategy[Event]:
    composed = st.lists(inner, max_size=4).map(lambda events: Compose(tuple(events)))
    parted = st.lists(inner, min_size=2, max_size=3).map(lambda events: Parallel(tuple(events)))
    return composed | parted | st.builds(Repeat, inner, st.integers(1, 1000)) | mechanisms(inner, nested=True)


leaves = mechanisms(st.nothing(), nested=False) | st.sampled_from([Gaussian(Fraction(1)), Gaussian(Fraction(2))])
events = st.recursive(leaves, grow, max_leaves=8).filter(lambda e: answers(e) <= expression.MOST_ANSWERS)


def spending(event: Event) -> Counter[Event]:
    """How often each mechanism happens, whatever the order and the form."""
    counts: Counter[Event] = Counter()
    for leaf, count in multiplicities(event).items():
        counts[normal_form(leaf)] += count
    return counts


def is_read_back(event: Event) -> bool:
    """Whether the text of an event is read as its normal form, is written in the same way, and spends the same."""
    text = format_event(event)
    again = parse_event(text)
    return (again, format_event(again), spending(again)) == (normal_form(event), text, spending(event))


@given(events)
def test_what_is_written_is_read_back(event: Event) -> None:
    assert is_read_back(event)


@given(events)
def test_the_plain_text_of_an_event_is_an_expression(event: Event) -> None:
    assert parse_event(str(event)) == event


@pytest.mark.slow
@given(events, events)
def test_the_canonical_form_does_not_depend_on_nesting(a: Event, b: Event) -> None:
    assert format_event(Compose((a, Compose((b, a))))) == format_event(Compose((Compose((a, b)), a)))


def test_planted_bug_a_lost_repetition_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    original = walks._normal
    monkeypatch.setattr(walks, "_normal", lambda e: original(e.event if isinstance(e, Repeat) else e))
    assert not is_read_back(Compose((Repeat(Gaussian(Fraction(1)), 3), Gaussian(Fraction(2)))))


def test_planted_bug_a_rounded_number_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expression, "_word", lambda value: repr(float(value)))
    assert not is_read_back(Gaussian(Fraction(1, 3)))


fragments = st.sampled_from(
    [
        "compose(",
        "gaussian(",
        "nonprivate()",
        ")",
        ",",
        "=",
        "?",
        "/",
        "-",
        "1",
        "0.5",
        "1e9",
        "[",
        "]",
        "noise_multiplier",
        " ",
    ]
)


@given(st.text() | st.lists(fragments, max_size=12).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_event, parse_template):
        try:
            read(text)
        except ExpressionError as error:
            refused_at = error.position
        else:
            refused_at = 0
        assert 0 <= refused_at <= len(text)


@given(numbers)
def test_a_filled_template_is_the_event(value: Fraction) -> None:
    assert parse_template("compose(gaussian(?), 12)").fill(value) == Repeat(Gaussian(value), 12)
