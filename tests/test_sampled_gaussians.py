"""Gaussian answers on random batches: their dominating pairs against every pair of neighbours that one can write down.

A data set is a list of contributions on a line, its answer a mixture of normal laws, one for each batch.  Nothing here
is taken from the library but what is tested.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.three_laws import batch_filled, batch_zeroed, poisson_replaced
from dpref.privacy.events.expression import format_event, parse_event
from dpref.privacy.events.ledger import Event, Gaussian, Laplace, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.pld.pairs import pairs
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.normal_mixtures import batches_of, hockey_stick, poisson_of

LOSSES = (-0.6, -0.05, 0.0, 0.05, 0.4, 1.0)


def curve(event: Event, adjacency: type[Adjacency], side: str, x: float) -> float:
    return float(getattr(pairs(event, adjacency), side).curve(arb(x))[0].mid())


# ------------------------------------------------------------------------------------ the formulas


@pytest.mark.parametrize("x", LOSSES)
@pytest.mark.parametrize(("rate", "s"), [(0.01, 1.0), (0.3, 0.4), (0.5, 2.0)])
def test_the_curves_are_those_of_their_mixtures(rate: float, s: float, x: float) -> None:
    g, z = arb(rate), arb(s)
    replaced = [(1 - rate, 0.0), (rate, s)], [(1 - rate, 0.0), (rate, -s)]
    assert float(poisson_replaced(g, z, arb(x))[0].mid()) == pytest.approx(hockey_stick(*replaced, x), abs=2e-6)
    zeroed = [(1 - rate, -s), (rate, s)], [(1 - rate, -s), (rate, 0.0)]
    if x >= 0:
        assert float(batch_zeroed(g, z, arb(x))[0].mid()) == pytest.approx(hockey_stick(*zeroed, x), abs=2e-6)
    if x > 0:
        assert float(batch_filled(g, z, arb(x))[0].mid()) == pytest.approx(hockey_stick(*zeroed[::-1], x), abs=2e-6)


def test_values_that_were_computed_elsewhere() -> None:
    """To thirteen digits, from a computation with another library."""
    tenth, hundredth = Fraction(1, 10), Fraction(1, 100)
    known: list[tuple[Event, type[Adjacency], str, float, float]] = [
        (Poisson(Gaussian(Fraction(1, 2)), hundredth, "ball"), ReplaceOne, "remove", 1.0, 2.95694897553222e-9),
        (Poisson(Gaussian(Fraction(1)), tenth, "ball"), ReplaceOne, "add", 0.5, 4.80202511231033e-6),
        (SampleWithoutReplacement(Gaussian(Fraction(2)), 1, 10), AddOrRemoveOne, "remove", 0.5, 0.00203253692034036),
        (SampleWithoutReplacement(Gaussian(Fraction(1)), 1, 10), ZeroOut, "remove", 0.5, 0.0163658165290047),
    ]
    for event, adjacency, side, x, value in known:
        assert curve(event, adjacency, side, x) == pytest.approx(value, rel=1e-13)


@pytest.mark.slow
def test_a_composition_that_was_computed_elsewhere() -> None:
    step = Repeat(Poisson(Gaussian(Fraction(1, 2)), Fraction(1, 100), "ball"), 1000)
    found = certify(Ledger(step, ReplaceOne), delta=Fraction(1, 10**6))
    assert found.lower <= 3.214237 <= found.upper <= 3.214237 * 1.004


# ------------------------------------------------------------------------------------ all neighbours


def neighbours(adjacency: type[Adjacency], rng: np.random.Generator, radius: float) -> tuple[list[float], list[float]]:
    """Two data sets of at most four records, contributions within the radius, at its ends half of the time."""
    count = int(rng.integers(2, 5))
    records = rng.uniform(-radius, radius, count + 1)
    ends = rng.random(count + 1) < 0.5
    records[ends] = np.sign(records[ends]) * radius
    rest, one, other = list(records[2:]), float(records[0]), float(records[1])
    if adjacency is ReplaceOne:
        return [*rest, one], [*rest, other]
    return [*rest, one], ([*rest, 0.0] if adjacency is ZeroOut else rest)


def sampled_at(multiplier: Fraction, rate: Fraction) -> Event:
    return Poisson(Gaussian(multiplier), rate, "ball")


CASES: list[tuple[str, type[Adjacency]]] = [
    ("poisson", ReplaceOne),
    ("batch", AddOrRemoveOne),
    ("batch", ZeroOut),
    ("batch", ReplaceOne),
]


@pytest.mark.parametrize(("kind", "adjacency"), CASES, ids=lambda v: v if isinstance(v, str) else v.name)
def test_no_pair_of_neighbours_is_above_the_pair_that_dominates(kind: str, adjacency: type[Adjacency]) -> None:
    """Planted bug: a record that takes the place of another one moves the answer by the radius alone."""
    rng = np.random.default_rng(0)
    above_the_bug = 0
    for _ in range(40):
        radius = float(rng.uniform(0.3, 1.5))
        first, second = neighbours(adjacency, rng, radius)
        x = float(rng.choice(LOSSES))
        z = Fraction(1 / radius) if adjacency is not ReplaceOne else Fraction(1 / (2 * radius))
        if kind == "poisson":
            rate = float(rng.choice([0.1, 0.5]))
            made = poisson_of(rate)
            event, looser = sampled_at(z, Fraction(rate)), sampled_at(2 * z, Fraction(rate))
        else:
            made = batches_of(1)
            event, looser = (SampleWithoutReplacement(Gaussian(m), 1, len(first)) for m in (z, 2 * z))
        for one, two, side in ((first, second, "remove"), (second, first, "add")):
            exact = hockey_stick(made(one), made(two), x)
            assert exact <= curve(event, adjacency, side, x) + 2e-6
            above_the_bug += exact > curve(looser, adjacency, side, x) + 1e-4
    assert above_the_bug > 0


@pytest.mark.parametrize("x", LOSSES)
def test_what_is_called_attained_is_attained(x: float) -> None:
    r, n = 0.8, 4
    ball, half = Fraction(1 / r), Fraction(1 / (2 * r))
    sampled = poisson_of(0.25)([0.0, 0.0, r]), poisson_of(0.25)([0.0, 0.0, -r])
    event: Event = Poisson(Gaussian(half), Fraction(1, 4), "ball")
    assert curve(event, ReplaceOne, "attained_remove", x) == pytest.approx(hockey_stick(*sampled, x), abs=2e-6)
    event, made = SampleWithoutReplacement(Gaussian(ball), 1, n), batches_of(1)
    gone = made([-r] * 3 + [r]), made([-r] * 3)
    null = made([-r] * 3 + [r]), made([-r] * 3 + [0.0])
    full = made([-r] * 3 + [0.0]), made([-r] * 3 + [-r])
    for adjacency, side, data in (
        (AddOrRemoveOne, "attained_remove", gone),
        (AddOrRemoveOne, "attained_add", gone[::-1]),
        (ZeroOut, "attained_remove", null),
        (ZeroOut, "attained_add", full),
    ):
        assert curve(event, adjacency, side, x) == pytest.approx(hockey_stick(*data, x), abs=2e-6)


# ------------------------------------------------------------------------------------ compositions, texts, refusals


@pytest.mark.slow
def test_a_batch_under_zero_out_composes_to_an_interval() -> None:
    ledger = Ledger(Repeat(SampleWithoutReplacement(Gaussian(Fraction(2)), 1, 100), 1000), ZeroOut)
    best = certify(ledger, delta=Fraction(1, 10**6))
    assert 0 < best.lower <= best.upper < 1.06 * best.lower
    assert best.upper < certify(ledger, delta=Fraction(1, 10**6), accountant="renyi").upper


def test_a_batch_of_fixed_size_that_loses_a_record_is_a_sample_with_half_the_noise() -> None:
    batch = Ledger(Repeat(SampleWithoutReplacement(Gaussian(Fraction(2)), 2, 100), 1000), AddOrRemoveOne)
    sample = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 50)), 1000), AddOrRemoveOne)
    for accountant in ("fast", "renyi"):
        one, two = (certify(ledger, delta=Fraction(1, 10**6), accountant=accountant) for ledger in (batch, sample))
        assert (one.lower, one.upper) == (two.lower, two.upper)


@pytest.mark.parametrize(("share", "adjacency"), [*product((1, 2), (ReplaceOne, ZeroOut))])
def test_the_whole_of_the_records_is_no_sample(share: int, adjacency: type[Adjacency]) -> None:
    whole = SampleWithoutReplacement(Gaussian(Fraction(3)), 2 * share, 2 * share)
    plain = certify(Ledger(Gaussian(Fraction(3)), adjacency), epsilon=Fraction(1, 2))
    found = certify(Ledger(whole, adjacency), epsilon=Fraction(1, 2), accountant="curve")
    assert found.lower <= plain.upper
    assert plain.lower <= found.upper <= plain.upper * (1 + 1e-12)


def test_the_contribution_is_written_where_it_is_stated() -> None:
    text = "poisson(gaussian(noise_multiplier=1), rate=1/10, contribution=ball)"
    event = parse_event(text)
    assert format_event(event) == str(event) == text
    assert format_event(Poisson(Gaussian(Fraction(1)), Fraction(1, 10))) == text.replace(", contribution=ball", "")
    with pytest.raises(InvalidArgumentError, match="contribution"):
        Poisson(Gaussian(Fraction(1)), Fraction(1, 10), "cube")  # type: ignore[arg-type]


REFUSED: list[tuple[Any, type[Adjacency], str]] = [
    (Poisson(Gaussian(Fraction(1)), Fraction(1, 10)), ReplaceOne, "contribution=ball"),
    (Poisson(Laplace(Fraction(1)), Fraction(1, 10), "ball"), ReplaceOne, "may change either way"),
    (SampleWithoutReplacement(Laplace(Fraction(1)), 1, 10), AddOrRemoveOne, "of a Gaussian one alone"),
    (SampleWithoutReplacement(Laplace(Fraction(1)), 1, 10), ZeroOut, "of a Gaussian one alone"),
]


@pytest.mark.parametrize(("event", "adjacency", "why"), REFUSED)
def test_what_has_no_theorem_is_refused_with_what_has_one(event: Event, adjacency: type[Adjacency], why: str) -> None:
    with pytest.raises(UnsupportedEventError, match=why):
        certify(Ledger(event, adjacency), delta=Fraction(1, 1000))
