"""Ledgers to and from dp_accounting: against classes of the same shape always, against the real ones if installed."""

from __future__ import annotations

import doctest
import importlib.util
import math
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, make_dataclass, replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest

from dpref.errors import InvalidArgumentError, MissingExtraError, UnsupportedEventError
from dpref.interop.dp_accounting import from_dp_event, neighboring_relation, to_dp_event
from dpref.interop.dp_accounting_reader import READ, REFUSED
from dpref.privacy.accountants import certify
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.guarantees import Approximate, Concentrated
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
from dpref.privacy.events.matrix import TreeGaussian
from dpref.privacy.events.sampled import MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select
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
    "ZCDpEvent": ["rho", "xi"],
    "RepeatAndSelectDpEvent": ["event", "mean", "shape"],
    "MixtureOfGaussiansDpEvent": ["standard_deviation", "sensitivities", "sampling_probs"],
    "TruncatedSubsampledGaussianDpEvent": [
        "dataset_size",
        "sampling_probability",
        "truncated_batch_size",
        "noise_multiplier",
    ],
    "SingleEpochTreeAggregationDpEvent": ["noise_multiplier", "step_counts"],
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
    TreeGaussian(Fraction(3), 9, 1),
    Concentrated(Fraction(1, 2)),
    Concentrated(Fraction(1, 2), Fraction(1, 4)),
    SampleWithReplacement(G, 2, 10),
    Select(G, mean=Fraction(3, 2)),
    Select(Compose((G, G)), eta=Fraction(1, 2), mean=Fraction(4)),
    Select(G, eta=Fraction(-1, 2), mean=Fraction(4)),
]


@pytest.mark.usefixtures("m")
@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_there_and_back_is_the_same(event: Event) -> None:
    for adjacency in (AddOrRemoveOne, ZeroOut):
        ledger = Ledger(event, adjacency)
        assert from_dp_event(to_dp_event(ledger), adjacency) == ledger
    stated = in_a_ball(event)
    sides: tuple[tuple[Literal["record", "sensitivity"], Event], ...] = (("record", stated), ("sensitivity", event))
    for divisor, told in sides:
        replaced = Ledger(told, ReplaceOne)
        assert from_dp_event(to_dp_event(replaced, divisor=divisor), ReplaceOne, divisor=divisor) == replaced
        if stated != event:
            with pytest.raises(UnsupportedEventError, match="let both say the same"):
                to_dp_event(Ledger(event if told is stated else stated, ReplaceOne), divisor=divisor)


def in_a_ball(event: Event) -> Event:
    """The same, its samples saying that contributions lie in a ball."""
    if isinstance(event, Repeat):
        return Repeat(in_a_ball(event.event), event.count)
    return replace(event, contribution="ball") if isinstance(event, Poisson) else event


def test_a_norm_bound_says_that_contributions_lie_in_a_ball_and_a_sensitivity_does_not(m: Any) -> None:
    """Records that contribute 0 or 1 have the sensitivity 1 and spend more than those of a ball of radius 1/2."""
    alike = m.PoissonSampledDpEvent(0.25, m.GaussianDpEvent(0.5))
    cut, whole = (m.TruncatedSubsampledGaussianDpEvent(10, 0.25, batch, 0.5) for batch in (9, 10))
    shifted = certify(Ledger(Poisson(Gaussian(Fraction(1, 2)), Fraction(1, 4)), AddOrRemoveOne), epsilon=2)
    for event in (alike, cut, whole):
        with pytest.raises(UnsupportedEventError, match="contribution=ball"):
            certify(from_dp_event(event, ReplaceOne, divisor="sensitivity"), epsilon=2)
        found = certify(from_dp_event(event, ReplaceOne, divisor="record"), epsilon=2)
        assert found.lower > shifted.upper  # as the planted bug, a ball that nobody stated, would not be
    unstated = Poisson(Gaussian(Fraction(1, 2)), Fraction(1, 4), "ball")
    assert certify(Ledger(unstated, ReplaceOne), epsilon=2).upper < 0.02 * shifted.lower


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


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="dp_accounting is not installed")
def test_every_class_of_theirs_is_read_or_refused_with_a_reason() -> None:
    """And the page lists each of them once."""
    theirs = importlib.import_module("dp_accounting.dp_event")
    classes = {
        name for name, value in vars(theirs).items() if isinstance(value, type) and issubclass(value, theirs.DpEvent)
    }
    assert classes == READ | set(REFUSED)
    assert not READ & set(REFUSED)
    page = (Path(__file__).parents[1] / "docs" / "events" / "dp_accounting.md").read_text(encoding="utf-8")
    for name in classes:
        assert page.count(f"| `{name}` |") == 1
    for name in REFUSED:
        assert re.search(rf"\| `{name}` \| refused", page)
    shown = page.partition("```{code-block} pycon\n")[2].partition("```")[0]
    examples = doctest.DocTestParser().get_doctest(shown, {}, "dp_accounting", "dp_accounting.md", 0)
    assert examples.examples
    assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0


def test_events_whose_parameters_have_edges(m: Any) -> None:
    def read(event: Any, **given: Any) -> Event:
        return from_dp_event(event, ZeroOut, **given).event

    assert read(m.ZCDpEvent(0.0, 0.0)) == Compose(())
    assert read(m.ZCDpEvent(0.0, 0.5)) == Approximate(Fraction(1, 2), Fraction(0))
    assert read(m.RepeatAndSelectDpEvent(m.GaussianDpEvent(1.0), 4.0, 1.0)) == Select(
        Gaussian(Fraction(1)), eta=Fraction(1), mean=Fraction(4)
    )
    few = read(m.RepeatAndSelectDpEvent(m.GaussianDpEvent(1.0), 0.5, math.inf))
    assert few == Select(Gaussian(Fraction(1)), mean=Fraction(1, 2))
    for mean, shape in ((1.0, 1.0), (2.0, -1.0), (2.0, -math.inf), (0.0, math.inf), (2.0, math.nan), (2.0, "1")):
        with pytest.raises(InvalidArgumentError):
            read(m.RepeatAndSelectDpEvent(m.GaussianDpEvent(1.0), mean, shape))
    assert read(m.RandomizedResponseDpEvent(0.0, 3)) == NonPrivate()
    assert read(m.RandomizedResponseDpEvent(1.0, 3)) == read(m.RandomizedResponseDpEvent(0.0, 1)) == Compose(())
    with pytest.raises(InvalidArgumentError, match="outward"):
        read(m.RandomizedResponseDpEvent(0.5, 2))
    with pytest.raises(InvalidArgumentError, match="exceed 1"):
        read(m.RandomizedResponseDpEvent(1.5, 2))
    with pytest.raises(UnsupportedEventError, match="absent record"):
        from_dp_event(m.RandomizedResponseDpEvent(0.5, 2), AddOrRemoveOne, outward=True)
    mixture = MixtureGaussian((Fraction(0), Fraction(2)), (Fraction(3, 4), Fraction(1, 4)), Fraction(3))
    truncated = TruncatedPoisson(G, Fraction(1, 8), 9, 100)
    for event in (mixture, truncated):
        for adjacency in (AddOrRemoveOne, ZeroOut):
            ledger = Ledger(event, adjacency)
            assert from_dp_event(to_dp_event(ledger), adjacency) == ledger
        with pytest.raises(UnsupportedEventError):
            to_dp_event(Ledger(event, ReplaceOne), divisor="record")
    stated = Ledger(replace(truncated, contribution="ball"), ReplaceOne)
    assert from_dp_event(to_dp_event(stated, divisor="record"), ReplaceOne, divisor="record") == stated
    with pytest.raises(UnsupportedEventError, match="let both say the same"):
        to_dp_event(stated, divisor="sensitivity")
    with pytest.raises(InvalidArgumentError, match="is not a double"):
        to_dp_event(Ledger(replace(mixture, weights=(Fraction(2, 3), Fraction(1, 3))), ZeroOut), outward=True)
    assert read(m.MixtureOfGaussiansDpEvent(0.0, [1.0], [1.0])) == NonPrivate()
    assert read(m.MixtureOfGaussiansDpEvent(1.0, [0.0], [1.0])) == Compose(())
    tenths = m.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], [0.9, 0.1])
    with pytest.raises(InvalidArgumentError, match="sum one"):
        read(tenths)
    mended = read(tenths, outward=True)
    assert isinstance(mended, MixtureGaussian)
    assert sum(mended.weights) == 1
    assert mended.weights[1] >= Fraction(0.1)
    for wrong in ([0.5, 0.4], [0.5, 0.5, 0.5], []):
        with pytest.raises(InvalidArgumentError):
            read(m.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0], wrong), outward=True)
    with pytest.raises(UnsupportedEventError, match="mixture against a mixture"):
        from_dp_event(tenths, ReplaceOne, divisor="record", outward=True)
    assert read(m.TruncatedSubsampledGaussianDpEvent(9, 0.5, 9, 1.0)) == Poisson(Gaussian(Fraction(1)), Fraction(1, 2))
    assert read(m.TruncatedSubsampledGaussianDpEvent(9, 0.0, 4, 1.0)) == Compose(())
    assert read(m.TruncatedSubsampledGaussianDpEvent(9, 0.5, 4, 0.0)) == NonPrivate()
    replaced = from_dp_event(m.TruncatedSubsampledGaussianDpEvent(9, 0.5, 4, 1.0), ReplaceOne, divisor="record").event
    assert replaced == TruncatedPoisson(Gaussian(Fraction(1, 2)), Fraction(1, 2), 4, 9, "ball")
    geometric = Ledger(Select(G, eta=Fraction(1), gamma=Fraction(1, 4)), ZeroOut)
    assert to_dp_event(geometric) == m.RepeatAndSelectDpEvent(m.GaussianDpEvent(0.5), 4.0, 1.0)
    with pytest.raises(UnsupportedEventError, match="give the mean"):
        to_dp_event(Ledger(Select(G, eta=Fraction(2), gamma=Fraction(1, 4)), ZeroOut))


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, "1", None, True, 1j])
def test_bad_numbers_are_refused(m: Any, value: Any) -> None:
    for event in (
        m.GaussianDpEvent(value),
        m.LaplaceDpEvent(value),
        m.DiscreteLaplaceDpEvent(value, 1),
        m.PoissonSampledDpEvent(value, m.GaussianDpEvent(1.0)),
        m.ZCDpEvent(value, 0.0),
        m.RandomizedResponseDpEvent(value, 2),
        m.RepeatAndSelectDpEvent(m.GaussianDpEvent(1.0), value, math.inf),
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
