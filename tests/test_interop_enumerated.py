"""Every reader and writer of dp_accounting's events against the privacy curve summed or integrated from its fields.

The record's view is taken here, independently of the library: a record adds a number of size at most the event's bound
to a sum, the sum gets the event's noise, and two neighbouring data sets are written down for each adjacency.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import pytest

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.interop.dp_accounting import Divisor, from_dp_event, to_dp_event
from dpref.privacy.accountants import certify
from dpref.privacy.events.discrete import DiscreteLaplace
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Gaussian,
    Laplace,
    Ledger,
    NonPrivate,
    Poisson,
    Repeat,
    SampleWithoutReplacement,
)
from dpref.privacy.events.selection import Select
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.test_interop import m, stand_in
from tests.test_selection_event import best, chances, gained

__all__ = ["m"]  # the fixture: dp_accounting's classes, or classes of the same shape

Density = Callable[[float], float]
REACH = 120  # beyond, no law below has a mass of 1e-12
CASES: list[tuple[type[Adjacency], Divisor | None]] = [
    (AddOrRemoveOne, None),
    (ZeroOut, None),
    (ReplaceOne, "record"),
    (ReplaceOne, "sensitivity"),
]


def contributions(adjacency: type[Adjacency], divisor: Divisor | None) -> tuple[float, float]:
    """What the record adds in either data set, in units of the event's bound."""
    if adjacency is not ReplaceOne:
        return 1.0, 0.0
    return (1.0, -1.0) if divisor == "record" else (0.5, -0.5)


def density(event: Any, at: float) -> Density:
    """The answer's density when the sum, in units of the bound, is ``at``."""
    match type(event).__name__:
        case "GaussianDpEvent":
            sigma = event.noise_multiplier
            return lambda x: math.exp(-(((x - at) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))
        case "LaplaceDpEvent":
            return lambda x: math.exp(-abs(x - at) / event.noise_multiplier) / (2 * event.noise_multiplier)
        case "PoissonSampledDpEvent":
            rate = event.sampling_probability
        case "SampledWithoutReplacementDpEvent":
            rate = event.sample_size / event.source_dataset_size
        case "MixtureOfGaussiansDpEvent":
            parts = zip(event.sensitivities, event.sampling_probs, strict=True)
            normal = [(w, density(_Gaussian(event.standard_deviation), c * at)) for c, w in parts]
            return lambda x: math.fsum(w * law(x) for w, law in normal)
        case "TruncatedSubsampledGaussianDpEvent":
            rate, event = kept(event), _Inside(_Gaussian(event.noise_multiplier))
        case name:
            raise AssertionError(name)
    taken, left = density(event.event, at), density(event.event, 0.0)
    return lambda x: rate * taken(x) + (1 - rate) * left(x)


class GaussianDpEvent(NamedTuple):
    """The noise inside an event that does not hold one."""

    noise_multiplier: float


class _Inside(NamedTuple):
    event: Any


_Gaussian = GaussianDpEvent


def kept(event: Any) -> float:
    """The chance that a record is drawn and kept, over how many of the others are drawn."""
    n, q, most = event.dataset_size - 1, event.sampling_probability, event.truncated_batch_size
    others = ((k, math.comb(n, k) * q**k * (1 - q) ** (n - k)) for k in range(n + 1))
    return math.fsum(q * chance * min(1.0, most / (k + 1)) for k, chance in others)


def masses(event: Any, at: float) -> dict[tuple[int, ...], float]:
    """The same for events whose answers are integers, and for their compositions."""
    match type(event).__name__:
        case "DiscreteLaplaceDpEvent":
            a, centre = event.noise_parameter, at * event.sensitivity
            assert centre == int(centre)
            return {(z,): math.tanh(a / 2) * math.exp(-a * abs(z - centre)) for z in range(-REACH, REACH + 1)}
        case "PoissonSampledDpEvent":
            taken, left = masses(event.event, at), masses(event.event, 0.0)
            rate = event.sampling_probability
            return {z: rate * taken[z] + (1 - rate) * left[z] for z in taken}
        case "ComposedDpEvent":
            return product([masses(e, at) for e in event.events])
        case "SelfComposedDpEvent":
            return product([masses(event.event, at)] * event.count)
        case name:
            raise AssertionError(name)


def product(laws: Sequence[dict[tuple[int, ...], float]]) -> dict[tuple[int, ...], float]:
    found: dict[tuple[int, ...], float] = {(): 1.0}
    for law in laws:
        found = {y + z: p * q for y, p in found.items() for z, q in law.items()}
    return found


def integrated(p: Density, q: Density, x: float) -> float:
    from scipy.integrate import quad

    kinks = [k / 2 for k in range(-40, 41)]

    def gain(y: float) -> float:
        return max(p(y) - math.exp(x) * q(y), 0.0)

    pieces = [(-REACH, -20), *itertools.pairwise(kinks), (20, REACH)]
    return math.fsum(quad(gain, low, high, epsabs=1e-11)[0] for low, high in pieces)


def summed(p: dict[tuple[int, ...], float], q: dict[tuple[int, ...], float], x: float) -> float:
    return sum(max(p[z] - math.exp(x) * q[z], 0.0) for z in p)


def truth(event: Any, adjacency: type[Adjacency], divisor: Divisor | None, x: float) -> float:
    here, there = contributions(adjacency, divisor)
    leaf = event
    while hasattr(leaf, "event") or hasattr(leaf, "events"):
        leaf = leaf.event if hasattr(leaf, "event") else leaf.events[0]
    if type(leaf).__name__ == "DiscreteLaplaceDpEvent":
        p, q = masses(event, here), masses(event, there)
        return max(summed(p, q, x), summed(q, p, x))
    f, g = density(event, here), density(event, there)
    return max(integrated(f, g, x), integrated(g, f, x))


def theirs(m: Any) -> dict[str, Any]:
    gauss, laplace, lattice = m.GaussianDpEvent(1.5), m.LaplaceDpEvent(2.0), m.DiscreteLaplaceDpEvent(0.5, 2)
    return {
        "gaussian": gauss,
        "laplace": laplace,
        "discrete laplace": lattice,
        "poisson of gaussian": m.PoissonSampledDpEvent(0.25, gauss),
        "poisson of laplace": m.PoissonSampledDpEvent(0.25, laplace),
        "poisson of discrete laplace": m.PoissonSampledDpEvent(0.25, lattice),
        "composed": m.ComposedDpEvent([lattice, m.DiscreteLaplaceDpEvent(0.75, 2)]),
        "composed with itself": m.SelfComposedDpEvent(lattice, 2),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
@pytest.mark.parametrize("name", list(theirs(stand_in())))
def test_what_is_read_encloses_the_truth(
    m: Any, name: str, adjacency: type[Adjacency], divisor: Divisor | None
) -> None:
    event, x = theirs(m)[name], Fraction(1, 8)
    ledger = from_dp_event(event, adjacency, divisor=divisor)
    if "poisson" in name and adjacency is ReplaceOne and (name != "poisson of gaussian" or divisor != "record"):
        with pytest.raises(UnsupportedEventError):
            certify(ledger, epsilon=x)
        return
    found, exact = certify(ledger, epsilon=x), truth(event, adjacency, divisor, float(x))
    assert found.lower - 1e-9 <= exact <= found.upper + 1e-9
    assert exact > 1e-3
    assert found.upper - found.lower <= 0.02 * exact


OURS: list[Event] = [
    Gaussian(Fraction(3, 2)),
    Laplace(Fraction(2)),
    DiscreteLaplace(Fraction(2), 4),
    Poisson(Gaussian(Fraction(3, 2)), Fraction(1, 4)),
    Compose((DiscreteLaplace(Fraction(2), 2), DiscreteLaplace(Fraction(4), 2))),
    Repeat(DiscreteLaplace(Fraction(2), 2), 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
@pytest.mark.parametrize("event", OURS, ids=str)
@pytest.mark.usefixtures("m")
def test_what_is_written_costs_what_it_says(event: Event, adjacency: type[Adjacency], divisor: Divisor | None) -> None:
    if isinstance(event, Poisson) and divisor == "sensitivity":
        return  # refused by every accountant here; the fields are checked in tests.test_interop
    if isinstance(event, Poisson) and divisor == "record":
        event = replace(event, contribution="ball")
    ledger, x = Ledger(event, adjacency), Fraction(1, 8)
    written = to_dp_event(ledger, divisor=divisor)
    found, exact = certify(ledger, epsilon=x), truth(written, adjacency, divisor, float(x))
    assert found.lower - 1e-9 <= exact <= found.upper + 1e-9


@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
def test_batches_of_fixed_size(m: Any, adjacency: type[Adjacency], divisor: Divisor | None) -> None:
    event, x = m.SampledWithoutReplacementDpEvent(8, 2, m.GaussianDpEvent(1.5)), Fraction(1, 4)
    ledger = from_dp_event(event, adjacency, divisor=divisor)
    assert isinstance(ledger.event, SampleWithoutReplacement)
    assert to_dp_event(ledger, divisor=divisor) == event
    # All other records add nothing, which one query attains; it is not the worst where one takes another's place.
    assert truth(event, adjacency, divisor, float(x)) <= certify(ledger, epsilon=x).upper


@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
def test_what_has_no_noise_or_does_nothing(m: Any, adjacency: type[Adjacency], divisor: Divisor | None) -> None:
    nothing = from_dp_event(m.NoOpDpEvent(), adjacency, divisor=divisor)
    assert (nothing.event, to_dp_event(nothing, divisor=divisor)) == (Compose(()), m.NoOpDpEvent())
    assert certify(nothing, epsilon=Fraction(0)).upper == 0
    bare = from_dp_event(m.NonPrivateDpEvent(), adjacency, divisor=divisor)
    assert (bare.event, to_dp_event(bare, divisor=divisor)) == (NonPrivate(), m.NonPrivateDpEvent())
    assert certify(bare, epsilon=Fraction(9)).upper == 1


def response(event: Any, truth: int | None) -> list[float]:
    """The law of an answer, from the fields; of a special record it is uniform."""
    p, k = event.noise_parameter, event.num_buckets
    return [1 / k] * k if truth is None else [p / k + (1 - p) * (j == truth) for j in range(k)]


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut])
def test_mixtures_are_what_they_integrate_to(m: Any, adjacency: type[Adjacency]) -> None:
    for shifts, weights in (([0.0, 1.0], [0.75, 0.25]), ([0.5, 1.0, 3.0], [0.5, 0.25, 0.25]), ([2.0], [1.0])):
        event = m.MixtureOfGaussiansDpEvent(1.5, shifts, weights)
        found = certify(from_dp_event(event, adjacency), epsilon=Fraction(1, 8))
        exact = truth(event, adjacency, None, 0.125)
        assert found.lower - 1e-9 <= exact <= found.upper + 1e-9
        assert found.upper - found.lower <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
def test_truncated_samples_enclose_records_whose_others_add_nothing(
    m: Any, adjacency: type[Adjacency], divisor: Divisor | None
) -> None:
    event = m.TruncatedSubsampledGaussianDpEvent(10, 0.25, 4, 1.5)
    if divisor == "sensitivity":
        with pytest.raises(UnsupportedEventError):
            certify(from_dp_event(event, adjacency, divisor=divisor), epsilon=Fraction(1, 8))
        return
    found = certify(from_dp_event(event, adjacency, divisor=divisor), epsilon=Fraction(1, 8))
    exact = truth(event, adjacency, divisor, 0.125)
    assert exact > 1e-3
    assert found.lower - 1e-9 <= exact <= found.upper


@pytest.mark.parametrize("adjacency", [ReplaceOne, ZeroOut])
@pytest.mark.parametrize(("chance", "k"), [(0.5, 2), (0.25, 3), (0.9, 5), (1e-6, 4)])
def test_responses_are_read_and_written(m: Any, chance: float, k: int, adjacency: type[Adjacency]) -> None:
    event = m.RandomizedResponseDpEvent(chance, k)
    divisor: Divisor | None = "record" if adjacency is ReplaceOne else None
    ledger = from_dp_event(event, adjacency, divisor=divisor, outward=True)
    for x in (Fraction(0), Fraction(1, 8), Fraction(1)):
        p, q = response(event, 0), response(event, 1 if adjacency is ReplaceOne else None)
        exact = max(
            math.fsum(max(a - math.exp(x) * b, 0.0) for a, b in zip(*way, strict=True)) for way in ((p, q), (q, p))
        )
        found = certify(ledger, epsilon=x)
        assert found.lower - 1e-12 <= exact <= found.upper + 1e-15
        assert found.upper - found.lower <= 1e-12
    again = to_dp_event(ledger, divisor=divisor, outward=True)
    assert again.num_buckets == k
    assert chance * (1 - 1e-12) <= again.noise_parameter <= chance  # to the costlier side
    with pytest.raises(InvalidArgumentError, match="outward"):
        to_dp_event(ledger, divisor=divisor)
    with pytest.raises(UnsupportedEventError):
        to_dp_event(Ledger(ledger.event, AddOrRemoveOne), outward=True)


@pytest.mark.parametrize(("mean", "shape"), [(1.0, math.inf), (3.0, math.inf), (2.0, 1.0), (5.0, 0.0), (4.0, 2.5)])
def test_selections_are_read_and_enclose_the_sum_over_the_runs(m: Any, mean: float, shape: float) -> None:
    run = m.RandomizedResponseDpEvent(0.5, 3)
    event = m.RepeatAndSelectDpEvent(run, mean, shape)
    ledger = from_dp_event(event, ReplaceOne, divisor="record", outward=True)
    assert isinstance(ledger.event, Select)
    with mpmath.workdps(30):
        runs = chances(ledger.event)
        laws = [best([mpmath.mpf(c) for c in response(run, truth)], runs) for truth in range(3)]
        for x in (Fraction(0), Fraction(1, 2), Fraction(1)):
            exact = max(float(gained(p, q, x)) for p, q in itertools.permutations(laws, 2))
            found = certify(ledger, epsilon=x)
            assert found.lower - 1e-9 <= exact <= found.upper + 1e-9
    written = to_dp_event(ledger, divisor="record", outward=True)
    assert (written.mean, written.shape) == (mean, shape)


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "shape"), [(10.0, math.inf), (10.0, 1.0), (10.0, 0.0)])
def test_a_selection_is_never_worse_than_their_own_bound(mean: float, shape: float) -> None:
    theirs = pytest.importorskip("dp_accounting")
    event = theirs.dp_event.RepeatAndSelectDpEvent(theirs.dp_event.GaussianDpEvent(10.0), mean, shape)
    bound = theirs.rdp.RdpAccountant(neighboring_relation=theirs.NeighboringRelation.ADD_OR_REMOVE_ONE)
    ours = certify(from_dp_event(event, AddOrRemoveOne), delta=Fraction(1, 10**6)).upper
    assert 0 < ours <= bound.compose(event).get_epsilon(1e-6)


@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
def test_concentrated_guarantees_are_what_they_say(m: Any, adjacency: type[Adjacency], divisor: Divisor | None) -> None:
    event = m.ComposedDpEvent([m.ZCDpEvent(0.25, 0.0), m.ZCDpEvent(0.25, 0.0)])
    ledger = from_dp_event(event, adjacency, divisor=divisor)
    assert abs(certify(ledger, epsilon=1).upper - 0.246846330782944) < 1e-14
    assert to_dp_event(ledger, divisor=divisor) == event


def test_planted_bug_a_discrete_laplace_event_at_half_its_loss(m: Any) -> None:
    """Before the divisor was read: epsilon 1/2 and delta(1/2) = 0, where replacing one record gives delta .2449."""
    event = m.DiscreteLaplaceDpEvent(0.5, 1)
    ledger = from_dp_event(event, ReplaceOne, divisor="record")
    assert ledger.event == DiscreteLaplace(Fraction(2), 2)
    found = certify(ledger, epsilon=Fraction(1, 2))
    assert found.lower - 1e-9 <= truth(event, ReplaceOne, "record", 0.5) <= found.upper + 1e-9
    assert found.lower > 0.2448
    assert certify(Ledger(DiscreteLaplace(Fraction(2), 1), ReplaceOne), epsilon=Fraction(1, 2)).upper < 1e-12
    with pytest.raises(InvalidArgumentError, match="divisor"):
        from_dp_event(event, ReplaceOne)
    odd = Ledger(DiscreteLaplace(Fraction(2), 3), ReplaceOne)
    with pytest.raises(InvalidArgumentError, match="even"):
        to_dp_event(odd, divisor="record")
    assert to_dp_event(odd, divisor="record", outward=True) == m.DiscreteLaplaceDpEvent(0.5, 2)
    assert to_dp_event(odd, divisor="sensitivity") == m.DiscreteLaplaceDpEvent(0.5, 3)
