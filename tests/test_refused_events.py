"""Every refusal helps: all kinds of events, on all samplers, under all adjacencies, as expressions can write them."""

from __future__ import annotations

import itertools
import re
import typing
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from dpref.errors import DprefError, UnsupportedEventError
from dpref.privacy import refusals as refusals_module
from dpref.privacy.accountants import certify, supported
from dpref.privacy.event_calibration import calibrate
from dpref.privacy.events.custom import AssumedPair, FinitePair
from dpref.privacy.events.expression import event_fields, event_kinds, parse_event, parse_template
from dpref.privacy.events.ledger import Event, Gaussian, Laplace, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.examples import event_session
from dpref.privacy.refusals import Refusal, refusal, refusals
from dpref.units import ADJACENCIES, AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

HALF = Fraction(1, 2)
COIN = FinitePair((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
NUMBERS = ((Fraction(3), Fraction(2)), (HALF, HALF))
SAMPLERS: tuple[tuple[str, Any], ...] = (
    ("plain", lambda event: event),
    ("poisson", lambda event: Poisson(event, HALF)),
    ("poisson of a ball", lambda event: Poisson(event, HALF, "ball")),
    ("batch", lambda event: SampleWithoutReplacement(event, 1, 10)),
    ("batch of all", lambda event: SampleWithoutReplacement(event, 10, 10)),
    ("poisson twice", lambda event: Poisson(Poisson(event, HALF), HALF)),
    ("batch twice", lambda event: SampleWithoutReplacement(SampleWithoutReplacement(event, 2, 5), 5, 10)),
    ("batch of poisson", lambda event: SampleWithoutReplacement(Poisson(event, HALF), 1, 10)),
    ("poisson of a batch", lambda event: Poisson(SampleWithoutReplacement(event, 1, 10), HALF)),
)


def values(hint: Any, numbers: tuple[Fraction, Fraction], place: int) -> list[Any]:
    """Something for an argument of that type: each word, some number, some event."""
    kinds = typing.get_args(hint) or (hint,)
    if Gaussian in kinds:
        return [Gaussian(Fraction(1))]
    words = [word for kind in (hint, *kinds) for word in typing.get_args(kind) if isinstance(word, str)]
    found: list[Any] = list(dict.fromkeys(words))
    found += [numbers[min(place, 1)]] if Fraction in kinds else []
    found += [10**place] if int in kinds else []
    found += ["mine"] if str in kinds else []
    found += [COIN] if set(kinds) & set(typing.get_args(AssumedPair)) else []
    return found + ([None] if type(None) in kinds else [])


def instances(kind: type[Any]) -> list[Event]:
    """Events of a class, as its annotations allow: every choice of words and of what is left out."""
    made: dict[Event, None] = {}
    for numbers in NUMBERS:
        places = itertools.count()
        choices = [values(hint, numbers, next(places)) for hint in event_fields(kind).values()]
        for chosen in itertools.product(*choices):
            try:
                made[kind(*chosen)] = None
            except (DprefError, TypeError, AttributeError):
                continue
    return list(made)


def examples(kind: type[Any]) -> list[Event]:
    """The events of the example on its page, where annotations do not do: numbers that must fit together."""
    text = re.search(r'parse_event\("(.*?)"\)', "\n".join(event_session(kind)))
    return list(multiplicities(parse_event(text[1]))) if text else []


EVERYTHING = [
    *(event for kind in event_kinds().values() for event in instances(kind) or examples(kind)),
    Repeat(Gaussian(Fraction(1)), 2),
]


def cases() -> Iterator[tuple[Event, type[Adjacency]]]:
    """Every event on every sampler under every adjacency."""
    for event, (_, sampled), adjacency in itertools.product(EVERYTHING, SAMPLERS, ADJACENCIES.values()):
        yield sampled(event), adjacency


def test_all_kinds_are_there() -> None:
    assert {type(event) for event in EVERYTHING} >= set(event_kinds().values())
    assert len(list(cases())) > 500


@pytest.mark.slow
def test_every_refusal_has_its_parts_and_recommends_what_is_supported() -> None:
    known: dict[tuple[Event, str], bool] = {}
    refused = 0

    def asked(event: Event, adjacency: type[Adjacency]) -> bool:
        if (event, adjacency.name) not in known:
            known[event, adjacency.name] = supported(event, adjacency)
        return known[event, adjacency.name]

    for event, adjacency in cases():
        if asked(event, adjacency):
            continue
        refused += 1
        found = refusals(Ledger(event, adjacency), asked)
        assert found
        for one in found:
            assert len(one.missing) > 20
            assert one.nearest
            assert all(asked(other, adjacency) for other in one.nearest)
            assert all(other != one.event for other in one.nearest)
            assert set(one.under) == {a for a in ADJACENCIES.values() if asked(one.event, a)}
            assert adjacency not in one.under
    assert refused > 100


EXAMPLES = [
    ("poisson(laplace(1), rate=1/10)", ReplaceOne, "sample_without_replacement(laplace(scale=1), batch=1, records=10)"),
    ("poisson(gaussian(1), rate=1/10)", ReplaceOne, "rate=1/10, contribution=ball)"),
    ("randomized_response(1)", AddOrRemoveOne, "null=uniform"),
    ("sample_without_replacement(laplace(1), batch=1, records=5)", ZeroOut, "poisson(laplace(scale=1), rate=1/5)"),
    ("custom(mine, replace_one=finite([3/4, 1/4], [1/4, 3/4]))", ZeroOut, "zero_out=finite([3/4, 1/4], [1/4, 3/4])"),
]


@pytest.mark.parametrize(("text", "adjacency", "nearest"), EXAMPLES, ids=lambda x: str(x)[:40])
def test_what_certify_says(text: str, adjacency: type[Adjacency], nearest: str) -> None:
    """What, why, where it would be supported, and what is near: in one line, and what is near can be asked."""
    event = parse_event(text)
    with pytest.raises(UnsupportedEventError) as caught:
        certify(Ledger(event, adjacency), delta=Fraction(1, 100))
    said = str(caught.value)
    assert said.startswith(f"not supported under {adjacency.name} adjacency: {event}: ")
    assert "; supported under " in said
    assert nearest in said.partition("nearest that is supported under")[2]
    (found,) = refusals(Ledger(event, adjacency), supported)
    assert certify(Ledger(found.nearest[0], adjacency), delta=Fraction(1, 100)).upper < 10
    assert re.fullmatch(r"[^\n]+", said)


def test_what_calibrate_says() -> None:
    template = parse_template("compose(poisson(laplace(?), rate=1/10), 100)")
    with pytest.raises(UnsupportedEventError, match="nearest that is supported under replace-one"):
        calibrate(template, epsilon=1, delta=Fraction(1, 100), adjacency=ReplaceOne)


def test_an_accountant_that_was_asked_for_names_those_that_can() -> None:
    with pytest.raises(UnsupportedEventError, match=r"no theorem for exponential.*; supported by curve, renyi, pld"):
        certify(Ledger(parse_event("exponential(1)"), ZeroOut), delta=Fraction(1, 100), accountant="gaussian")


def test_what_is_supported_apart_only() -> None:
    """Where no accountant takes all events together, what is near leaves one of them out."""
    event = parse_event("compose(laplace(1), compose(gaussian(1), 2))")

    def apart(event: Event, _: type[Adjacency]) -> bool:
        return event != whole

    whole = event
    (found,) = refusals(Ledger(event, ReplaceOne), apart)
    assert [str(other) for other in found.nearest] == [
        "compose(compose(gaussian(noise_multiplier=1), 2))",
        "compose(compose(laplace(scale=1), 1))",
    ]


def test_planted_bug_a_recommendation_that_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """A neighbour that is recommended unasked is one that no accountant supports."""
    event = Poisson(Laplace(Fraction(1)), HALF)
    assert all(supported(other, ReplaceOne) for other in refusal(event, ReplaceOne, supported).nearest)
    found: list[Refusal] = [refusal(event, ReplaceOne, lambda *_: True)]
    assert not all(supported(other, ReplaceOne) for other in found[0].nearest)
    monkeypatch.setattr(refusals_module, "_unsampled", lambda _: iter(()))
    assert refusal(event, ReplaceOne, supported).nearest != found[0].nearest
