"""Ledgers to and from dp_accounting: against classes of the same shape always, against the real ones if installed."""

from __future__ import annotations

import importlib.util
import math
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

from dpref.errors import InvalidArgumentError, MissingExtraError, UnsupportedEventError
from dpref.interop.dp_accounting import from_dp_event, neighboring_relation, to_dp_event
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Ledger,
    NonPrivate,
    Poisson,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut

INSTALLED = importlib.util.find_spec("dp_accounting") is not None
SHAPES = {
    "NoOpDpEvent": [],
    "NonPrivateDpEvent": [],
    "UnsupportedDpEvent": [],
    "GaussianDpEvent": ["noise_multiplier"],
    "LaplaceDpEvent": ["noise_multiplier"],
    "DiscreteLaplaceDpEvent": ["noise_parameter", "sensitivity"],
    "RandomizedResponseDpEvent": ["noise_parameter", "num_buckets"],
    "PoissonSampledDpEvent": ["sampling_probability", "event"],
    "SampledWithReplacementDpEvent": ["source_dataset_size", "sample_size", "event"],
    "SampledWithoutReplacementDpEvent": ["source_dataset_size", "sample_size", "event"],
    "ComposedDpEvent": ["events"],
    "SelfComposedDpEvent": ["event", "count"],
    "ZCDpEvent": ["rho"],
}


def stand_in() -> Any:
    module = types.ModuleType("dp_accounting.dp_event")
    for name, fields in SHAPES.items():
        setattr(module, name, make_dataclass(name, fields, frozen=True))
    return module


@pytest.fixture(
    params=[
        "stand-in",
        pytest.param(
            "real",
            marks=[pytest.mark.slow, pytest.mark.skipif(not INSTALLED, reason="dp_accounting is not installed")],
        ),
    ]
)
def m(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if request.param == "real":
        yield importlib.import_module("dp_accounting.dp_event")
        return
    package = types.ModuleType("dp_accounting")
    relations = Enum("NeighboringRelation", "ADD_OR_REMOVE_ONE REPLACE_ONE REPLACE_SPECIAL")  # type: ignore[misc]
    package.NeighboringRelation = relations  # type: ignore[attr-defined]
    events = stand_in()
    monkeypatch.setitem(sys.modules, "dp_accounting", package)
    monkeypatch.setitem(sys.modules, "dp_accounting.dp_event", events)
    yield events


G = Gaussian(Fraction(1, 2))
EVENTS: list[Event] = [
    NonPrivate(),
    G,
    Laplace(Fraction(3)),
    DiscreteLaplace(Fraction(4), 2),
    Compose(()),
    Compose((G, Laplace(Fraction(1)))),
    Repeat(Compose((G, NonPrivate())), 10**9),
    Poisson(G, Fraction(1, 64)),
    Repeat(Poisson(Compose((G, G)), Fraction(1)), 7),
    SampleWithoutReplacement(G, 3, 100),
]


@pytest.mark.usefixtures("m")
@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_there_and_back_is_the_same(event: Event) -> None:
    for adjacency in (AddOrRemoveOne, ZeroOut):
        ledger = Ledger(event, adjacency)
        assert from_dp_event(to_dp_event(ledger), adjacency) == ledger
    for divisor in ("record", "sensitivity"):
        replaced = Ledger(event, ReplaceOne)
        assert from_dp_event(to_dp_event(replaced, divisor=divisor), ReplaceOne, divisor=divisor) == replaced


def test_the_fields_are_the_right_ones(m: Any) -> None:
    event = Repeat(SampleWithoutReplacement(Poisson(G, Fraction(1, 4)), 3, 100), 5)
    theirs = m.SelfComposedDpEvent(
        m.SampledWithoutReplacementDpEvent(
            source_dataset_size=100,
            sample_size=3,
            event=m.PoissonSampledDpEvent(sampling_probability=0.25, event=m.GaussianDpEvent(noise_multiplier=0.5)),
        ),
        count=5,
    )
    assert to_dp_event(Ledger(event, ZeroOut)) == theirs
    assert to_dp_event(Ledger(DiscreteLaplace(Fraction(4), 3), ZeroOut)) == m.DiscreteLaplaceDpEvent(0.25, 3)


def test_a_double_is_the_rational_that_it_is(m: Any) -> None:
    found = from_dp_event(m.PoissonSampledDpEvent(0.01, m.GaussianDpEvent(0.1)), ZeroOut)
    assert found.event == Poisson(Gaussian(Fraction(0.1)), Fraction(0.01))
    assert Fraction(0.1) != Fraction(1, 10)


@pytest.mark.usefixtures("m")
def test_what_is_no_double_is_refused_or_rounded_to_the_costlier_side() -> None:
    ledger = Ledger(Poisson(Gaussian(Fraction(1, 10)), Fraction(1, 100)), ZeroOut)
    with pytest.raises(InvalidArgumentError, match="is not a double"):
        to_dp_event(ledger)
    rounded = to_dp_event(ledger, outward=True)
    assert Fraction(rounded.event.noise_multiplier) < Fraction(1, 10)
    assert Fraction(rounded.sampling_probability) > Fraction(1, 100)
    lattice = to_dp_event(Ledger(DiscreteLaplace(Fraction(3)), ZeroOut), outward=True)
    assert Fraction(lattice.noise_parameter) > Fraction(1, 3)
    for value in (Fraction(1, 10**400), Fraction(10**400)):
        with pytest.raises(InvalidArgumentError):
            to_dp_event(Ledger(Laplace(value), ZeroOut), outward=value < 1)


def test_replace_one_needs_to_know_what_a_multiplier_divides_by(m: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="divisor"):
        to_dp_event(Ledger(G, ReplaceOne))
    with pytest.raises(InvalidArgumentError, match="divisor"):
        from_dp_event(m.LaplaceDpEvent(1.0), ReplaceOne)
    assert to_dp_event(Ledger(G, ReplaceOne), divisor="record") == m.GaussianDpEvent(1.0)
    assert from_dp_event(m.GaussianDpEvent(1.0), ReplaceOne, divisor="record").event == G
    assert from_dp_event(m.GaussianDpEvent(1.0), ReplaceOne, divisor="sensitivity").event == Gaussian(Fraction(1))
    with pytest.raises(InvalidArgumentError, match="divisor"):
        to_dp_event(Ledger(G, ZeroOut), divisor="batch")  # type: ignore[arg-type]


def test_degenerate_events(m: Any) -> None:
    assert from_dp_event(m.GaussianDpEvent(0), ZeroOut).event == NonPrivate()
    assert from_dp_event(m.LaplaceDpEvent(0.0), ZeroOut).event == NonPrivate()
    assert from_dp_event(m.SelfComposedDpEvent(m.GaussianDpEvent(1.0), 0), ZeroOut).event == Compose(())
    assert from_dp_event(m.PoissonSampledDpEvent(0.0, m.GaussianDpEvent(1.0)), ZeroOut).event == Compose(())


def test_what_has_no_counterpart_is_refused(m: Any) -> None:
    theirs = [
        m.UnsupportedDpEvent(),
        m.RandomizedResponseDpEvent(0.5, 2),
        m.SampledWithReplacementDpEvent(10, 2, m.GaussianDpEvent(1.0)),
        m.ZCDpEvent(1.0),
        "GaussianDpEvent",
        None,
        G,
    ]

    @dataclass(frozen=True)
    class GaussianDpEvent:
        noise_multiplier: float

    class Narrower(m.GaussianDpEvent):  # type: ignore[misc]
        pass

    for event in [*theirs, GaussianDpEvent(1.0), Narrower(1.0), m.ComposedDpEvent([m.GaussianDpEvent(1.0), "x"])]:
        with pytest.raises(UnsupportedEventError, match="no exact counterpart"):
            from_dp_event(event, ZeroOut)
    with pytest.raises(UnsupportedEventError, match="no exact counterpart"):
        to_dp_event(Ledger(Compose((G, Exponential(Fraction(1)))), ZeroOut))


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, "1", None, True, 1j])
def test_bad_numbers_are_refused(m: Any, value: Any) -> None:
    for event in (
        m.GaussianDpEvent(value),
        m.LaplaceDpEvent(value),
        m.DiscreteLaplaceDpEvent(value, 1),
        m.PoissonSampledDpEvent(value, m.GaussianDpEvent(1.0)),
        m.SelfComposedDpEvent(m.GaussianDpEvent(1.0), -1 if value is True else value),
    ):
        if value is True and isinstance(event, m.SelfComposedDpEvent):
            continue
        with pytest.raises(InvalidArgumentError):
            from_dp_event(event, ZeroOut)


def test_too_deep_is_refused(m: Any) -> None:
    event = m.GaussianDpEvent(1.0)
    for _ in range(200):
        event = m.ComposedDpEvent([event])
    with pytest.raises(InvalidArgumentError, match="nested deeper"):
        from_dp_event(event, ZeroOut)


@pytest.mark.usefixtures("m")
def test_relations() -> None:
    named = {a: neighboring_relation(a).name for a in (AddOrRemoveOne, ReplaceOne, ZeroOut)}
    assert named == {AddOrRemoveOne: "ADD_OR_REMOVE_ONE", ReplaceOne: "REPLACE_ONE", ZeroOut: "REPLACE_SPECIAL"}
    with pytest.raises(InvalidArgumentError):
        neighboring_relation(int)  # type: ignore[arg-type]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    monkeypatch.setitem(sys.modules, "dp_accounting.dp_event", None)
    with pytest.raises(MissingExtraError, match="crosscheck"):
        to_dp_event(Ledger(G, ZeroOut))
