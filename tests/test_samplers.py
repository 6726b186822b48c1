"""Truncated Poisson batches, draws with replacement, mixtures and groups: against every pair of neighbours at hand.

A data set is a list of contributions on a line, its answer a mixture of normal laws, one for each batch.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from flint import arb
from scipy.integrate import trapezoid

import dpref
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.binomial import binomial_tail, truncation
from dpref.privacy.events.expression import format_event, parse_event
from dpref.privacy.events.ledger import Event, Gaussian, Ledger, Repeat
from dpref.privacy.events.sampled import Group, MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.training import training_ledger
from dpref.privacy.training_text import ledger_of
from dpref.reals import ball, lower, precision, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.normal_mixtures import (
    Mixture,
    Sampler,
    against_one,
    batches_of,
    draws_of,
    hockey_stick,
    poisson_of,
    truncated_of,
)

LOSSES = (-0.6, -0.05, 0.0, 0.05, 0.4, 1.0)
SLIP = 2e-6  # of the trapezoidal rule
ONE = Gaussian(Fraction(1))


def curve(event: Event | str, adjacency: type[Adjacency], side: str, x: float | str) -> float:
    made = parse_event(event) if isinstance(event, str) else event
    found: float = float(getattr(pairs(made, adjacency), side).curve(arb(x))[0].mid())
    return found


TRUNCATED = "truncated_poisson(gaussian(1), rate=1/100, batch=15, records=1000)"
KNOWN = [
    (TRUNCATED, "remove", "1", 1.698617514261e-5),
    (TRUNCATED, "attained_remove", "1", 2.5711864829099e-9),
    (TRUNCATED, "add", "0.005", 1.05185923644781e-3),
    (TRUNCATED, "attained_add", "0.005", 9.32067630232783e-4),
    ("group(poisson(gaussian(1), 1/10), 3)", "remove", "1", 0.0133868274048543),
    ("group(poisson(gaussian(1), 1/10), 3)", "attained_add", "0.2", 0.0137837970568322),
    ("mixture_gaussian([0, 1, 2, 3], [729/1000, 243/1000, 27/1000, 1/1000])", "add", "0.2", 0.0137837970568322),
    ("sample_with_replacement(gaussian(2), 2, 10)", "remove", "1", 0.00382605181578704),
]


@pytest.mark.parametrize(("text", "side", "x", "value"), KNOWN)
def test_values_that_were_computed_elsewhere(text: str, side: str, x: str, value: float) -> None:
    """To thirteen digits, with another library; dp_accounting's bound on the first is 1.72543e-5, above it."""
    with precision(128):
        assert curve(text, AddOrRemoveOne, side, x) == pytest.approx(value, rel=1e-12)


def test_how_often_a_sample_is_cut() -> None:
    with precision(128):
        found = truncation(Fraction(1, 100), 15, 1000)
        assert float(found.full.mid()) == pytest.approx(0.0818941935097166, rel=1e-14)
    assert float(found.share_above) == pytest.approx(0.00876812818584033, rel=1e-14)
    assert float(found.rate_below) == pytest.approx(0.00989911685127204, rel=1e-14)


def test_binomial_tails_at_random_points() -> None:
    """Against exact sums; planted bug: a small tail as one less a large one in doubles, which has no digits."""
    rng = np.random.default_rng(1)
    lost = 0
    for _ in range(50):
        n, q = int(rng.integers(2, 200)), Fraction(int(rng.integers(1, 60)), 64)
        k = int(rng.integers(1, n + 2))
        exact = sum((math.comb(n, j) * q**j * (1 - q) ** (n - j) for j in range(k, n + 1)), Fraction(0))
        tail, rest = binomial_tail(n, q, k)
        assert lower(tail) <= exact <= upper(tail)
        assert lower(rest) <= 1 - exact <= upper(rest)
        small, value = (tail, exact) if exact < Fraction(1, 2) else (rest, 1 - exact)
        assert value == 0 or float(small.rad() / small.mid()) < 1e-12
        lost += 0 < value < Fraction(1, 10**17) and float(1 - (1 - float(value))) == 0
    assert lost > 5


# ------------------------------------------------------------------------------------ all neighbours


def data(
    adjacency: type[Adjacency], rng: np.random.Generator, radius: float, *, group: int = 1
) -> tuple[list[float], ...]:
    """Two data sets of at most four records, at the ends of the ball half of the time; a group differs."""
    records = rng.uniform(-radius, radius, 4 + group)
    ends = rng.random(4 + group) < 0.6
    records[ends] = np.sign(records[ends]) * radius
    if rng.random() < 0.3:
        records[:group], records[group:] = radius, -radius
    rest = [float(x) for x in records[2 * group : 2 * group + int(rng.integers(2, 4 - group + 1))]]
    ours, others = ([float(x) for x in part] for part in (records[:group], records[group : 2 * group]))
    if adjacency is ReplaceOne:
        return [*rest, *ours], [*rest, *others]
    return [*rest, *ours], ([*rest, *[0.0] * group] if adjacency is ZeroOut else rest)


def scale_of(adjacency: type[Adjacency], radius: float) -> Fraction:
    return Fraction(1 / radius) if adjacency is not ReplaceOne else Fraction(1 / (2 * radius))


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut, ReplaceOne])
@pytest.mark.parametrize("kind", ["truncated", "replaced"])
def test_no_neighbours_are_above_the_pair_that_dominates(kind: str, adjacency: type[Adjacency]) -> None:
    """Planted bugs: a record that displaces another moves the answer by C for 2C, and a record that is kept never."""
    rng = np.random.default_rng(5)
    half, sparse = 0, 0
    for _ in range(30):
        radius, x = float(rng.uniform(0.4, 1.5)), float(rng.choice(LOSSES))
        first, second = data(adjacency, rng, radius)
        z, size = scale_of(adjacency, radius), int(rng.integers(1, len(first)))
        if kind == "truncated":
            rate = float(rng.choice([0.25, 0.5, 0.75]))
            made: Sampler = truncated_of(rate, size)
            events: list[Event] = [TruncatedPoisson(Gaussian(m), Fraction(q), size, len(first), "ball") for m, q in
                      ((z, rate), (2 * z, rate), (z, rate / 8))]  # fmt: skip
        else:
            made = draws_of(2)
            events = [SampleWithReplacement(Gaussian(m), b, len(first)) for m, b in ((z, 2), (2 * z, 2), (z, 1))]
        for one, two, side in ((first, second, "remove"), (second, first, "add")):
            exact = hockey_stick(made(one), made(two), x)
            above, shift, rare = (curve(event, adjacency, side, x) for event in events)
            assert exact <= above + SLIP
            half += exact > shift + 1e-4
            sparse += exact > rare + 1e-4
    assert min(half, sparse) > 0


@pytest.mark.parametrize("x", LOSSES)
def test_what_is_called_attained_is_attained(x: float) -> None:
    """Planted bug: the upper end of a truncated sample called attained; no other data set at hand reaches it."""
    r, z = 0.8, Fraction(5, 4)
    cut, twice = TruncatedPoisson(Gaussian(z), Fraction(1, 2), 1, 4), SampleWithReplacement(Gaussian(z), 2, 4)
    made, drawn = truncated_of(0.5, 1), draws_of(2)
    alone, gone, opposite = [0.0, 0.0, 0.0, r], [0.0, 0.0, 0.0], [-r, -r, -r, r]
    cases: list[tuple[Event, type[Adjacency], Mixture, Mixture]] = [
        (cut, AddOrRemoveOne, made(alone), made(gone)),
        (cut, ZeroOut, made(alone), made([*gone, 0.0])),
        (twice, AddOrRemoveOne, drawn(opposite), drawn(opposite[:-1])),
        (twice, ZeroOut, drawn(alone), drawn([*gone, 0.0])),
    ]
    for event, adjacency, first, second in cases:
        ends = hockey_stick(first, second, x), hockey_stick(second, first, x)
        found = [curve(event, adjacency, side, x) for side in ("attained_remove", "attained_add")]
        assert found == pytest.approx(ends, abs=SLIP)
    for event, first, second in (
        (TruncatedPoisson(Gaussian(z / 2), Fraction(1, 2), 1, 4, "ball"), made(alone), made([*gone, -r])),
        (SampleWithReplacement(Gaussian(z / 2), 2, 4), drawn(opposite), drawn([-r] * 4)),
    ):
        ends = hockey_stick(first, second, x), hockey_stick(second, first, x)
        found = [curve(event, ReplaceOne, side, x) for side in ("attained_remove", "attained_add")]
        assert found == pytest.approx(ends, abs=SLIP)
    if x == 1.0:
        assert curve(cut, AddOrRemoveOne, "remove", x) > hockey_stick(made(opposite), made(opposite[:-1]), x) + 1e-3


@pytest.mark.parametrize("kind", ["poisson", "fixed"])
def test_no_groups_are_above_the_pair_that_dominates(kind: str) -> None:
    """Planted bugs: a group for a single record, and weights of a sampler that draws less."""
    rng = np.random.default_rng(11)
    single = sparse = 0
    for _ in range(25):
        radius, x = float(rng.uniform(0.4, 1.2)), float(rng.choice(LOSSES))
        first, second = data(AddOrRemoveOne, rng, radius, group=2)
        z, n = Fraction(1 / radius), len(first)
        made: Sampler = poisson_of(0.25) if kind == "poisson" else batches_of(2)
        text = (
            "poisson(gaussian({}), {})"
            if kind == "poisson"
            else f"sample_without_replacement(gaussian({{}}), {{}}, {n})"
        )
        full, little = (text.format(z, share) for share in (("1/4", "1/50") if kind == "poisson" else (2, 1)))
        for one, two, side in ((first, second, "remove"), (second, first, "add")):
            exact = hockey_stick(made(one), made(two), x)
            assert exact <= curve(f"group({full}, 2)", AddOrRemoveOne, side, x) + SLIP
            single += exact > curve(full, AddOrRemoveOne, side, x) + 1e-4
            sparse += exact > curve(f"group({little}, 2)", AddOrRemoveOne, side, x) + 1e-4
    assert min(single, sparse) > 0


def test_groups_attain_their_pairs() -> None:
    sampled = poisson_of(0.25)([0.0, 0.8, 0.8]), poisson_of(0.25)([0.0])
    fixed = batches_of(2)([-0.8, -0.8, -0.8, 0.8, 0.8]), batches_of(2)([-0.8, -0.8, -0.8])
    for text, (first, second) in (
        ("group(poisson(gaussian(5/4), 1/4), 2)", sampled),
        ("group(sample_without_replacement(gaussian(5/4), 2, 5), 2)", fixed),
    ):
        for x in LOSSES:
            ends = hockey_stick(first, second, x), hockey_stick(second, first, x)
            found = [curve(text, AddOrRemoveOne, side, x) for side in ("attained_remove", "attained_add")]
            assert found == pytest.approx(ends, abs=SLIP)


def test_mixtures_at_random_points() -> None:
    """Against 30 digits; planted bug: the directions exchanged."""
    rng = np.random.default_rng(2)
    exchanged = 0
    with mp.workdps(30):
        for _ in range(50):
            count = int(rng.integers(1, 5))
            parts = [Fraction(int(k), 8) for k in rng.integers(1, 24, count)]
            shifts = [Fraction(int(rng.integers(2)) * int(rng.integers(1, 4))), *parts]
            tickets = rng.integers(1, 20, count + 1)
            weights = [Fraction(int(k), int(tickets.sum())) for k in tickets]
            x = Fraction(int(rng.integers(-60, 90)), 60)
            event = MixtureGaussian(tuple(shifts), tuple(weights), Fraction(3, 2))
            shares = [mp.mpf(w.numerator) / w.denominator for w in weights]
            centres = [mp.mpf(float(s)) / mp.mpf("1.5") for s in shifts]
            level = mp.mpf(x.numerator) / x.denominator
            ends = [against_one(shares, centres, level, forward=way) for way in (True, False)]
            with precision(128):
                found = pairs(event, ZeroOut)
                curves = [pair.curve(ball(x))[0] for pair in (found.remove, found.add)]
            for one, exact in zip(curves, ends, strict=True):
                assert lower(one) - 1e-18 <= exact <= upper(one) + 1e-18
                assert upper(one) - lower(one) < 1e-15
            exchanged += abs(ends[0] - ends[1]) > 1e-4
    assert exchanged > 20


# ------------------------------------------------------------------------------------ groups of everything

MOVED = [
    ("group(gaussian(6), 3)", "gaussian(2)"),
    ("group(compose(gaussian(6), laplace(2)), 2)", "compose(gaussian(3), laplace(1))"),
    ("group(compose(discrete_gaussian(3, 2), 5), 4)", "compose(discrete_gaussian(3, 8), 5)"),
    ("group(group(exponential(1), 2), 3)", "exponential(6)"),
    ("group(compose(group(noisy_max(1, gumbel), 1), filtered_gaussians(1)), 2)",
     "compose(noisy_max(2, gumbel), filtered_gaussians(4))"),
    ("group(poisson(gaussian(1), 1/2), 1)", "poisson(gaussian(1), 1/2)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "same"), MOVED)
def test_a_group_moves_an_answer_as_much_as_its_records_together(text: str, same: str) -> None:
    assert multiplicities(parse_event(text)) == multiplicities(parse_event(same))


def test_the_group_property_bounds_a_sampled_laplace_answer() -> None:
    """Two records on a sample, summed: the worst case by the trapezoidal rule; planted bug: a single record's curve."""
    y = np.linspace(-40, 43, 400_001)
    single = 0
    for rate in (0.2, 0.6):
        laws = [np.exp(-np.abs(y - k)) / 2 for k in range(3)]
        first = (1 - rate) ** 2 * laws[0] + 2 * rate * (1 - rate) * laws[1] + rate**2 * laws[2]
        for x in (-0.5, 0.0, 0.2, 0.7):
            for p, q, side in ((first, laws[0], "remove"), (laws[0], first, "add")):
                exact = float(trapezoid(np.maximum(p - math.exp(x) * q, 0.0), y))
                text = f"poisson(laplace(1), {rate})"
                assert exact <= curve(f"group({text}, 2)", ZeroOut, side, x) + 1e-6
                single += exact > curve(text, ZeroOut, side, x) + 1e-3
    assert single > 4


def test_a_group_of_pure_answers_is_as_many_times_as_private() -> None:
    found = certify(Ledger(Group(parse_event("randomized_response(1, null=category)"), 3), ZeroOut), epsilon=3)
    assert found.upper < 1e-15
    assert certify(Ledger(Repeat(ONE, 4), ZeroOut), epsilon=1) == certify(
        Ledger(Group(Repeat(Gaussian(Fraction(3)), 4), 3), ZeroOut), epsilon=1
    )


# ------------------------------------------------------------------------------------ compositions


@pytest.mark.slow
def test_two_answers_of_a_group_against_a_convolution() -> None:
    """h of two is the mean under P of h of one at what is left of the loss."""
    q, x = 0.1, 0.5
    weights = [(1 - q) ** 3, 3 * q * (1 - q) ** 2, 3 * q * q * (1 - q), q**3]
    y = np.linspace(-9, 13, 401)
    ratio = sum(w * np.exp(k * y - k * k / 2) for k, w in enumerate(weights))
    mass = np.exp(-y * y / 2) / math.sqrt(2 * math.pi) * ratio
    with mp.workdps(20):
        shares, centres = [mp.mpf(w) for w in weights], [mp.mpf(k) for k in range(4)]
        rest = [float(against_one(shares, centres, mp.mpf(x - loss), forward=True)) for loss in np.log(ratio)]
    exact = float(trapezoid(mass * np.array(rest), y))
    ledger = Ledger(parse_event("compose(group(poisson(gaussian(1), 1/10), 3), 2)"), AddOrRemoveOne)
    found = certify(ledger, epsilon=Fraction(1, 2), accountant="pld")
    assert found.lower <= exact * (1 + 1e-6)
    assert exact * (1 - 1e-6) <= found.upper
    assert found.upper < 1.02 * found.lower


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut, ReplaceOne])
def test_a_training_on_truncated_samples(adjacency: type[Adjacency]) -> None:
    """Cut at almost all records it is a Poisson sample; cut at its mean it spends more than that is known to."""
    given: dict[str, Any] = {"records": 1000, "batch": 10, "steps": 100, "noise_multiplier": 2, "adjacency": adjacency}
    free = dpref.dpsgd(**given, delta=1e-5, sampling="poisson")
    rarely, often = (
        dpref.dpsgd(**given, delta=1e-5, sampling="truncated-poisson", truncated_batch=b) for b in (60, 12)
    )
    assert rarely.lower <= free.upper
    assert free.lower <= rarely.upper < free.upper * 1.01
    assert often.lower < free.lower
    assert often.upper > free.upper * 1.01


def test_what_a_training_on_truncated_samples_is() -> None:
    given: dict[str, Any] = {"records": 1000, "batch": 10, "steps": 5, "noise_multiplier": 2}
    step = TruncatedPoisson(Gaussian(Fraction(1)), Fraction(1, 100), 15, 1000, "ball")
    ledger = training_ledger(**given, sampling="truncated-poisson", truncated_batch="15", adjacency=ReplaceOne)
    assert ledger.event == Repeat(step, 5)
    text = "dpsgd(records=1000, batch=10, steps=5, noise_multiplier=2, sampling=truncated-poisson, truncated_batch=15)"
    assert ledger_of(text, ReplaceOne) == ledger
    wrongs: list[dict[str, Any]] = [{"sampling": "poisson", "truncated_batch": 15}, {"sampling": "truncated-poisson"}]
    for wrong in wrongs:
        with pytest.raises(InvalidArgumentError, match="must be given with truncated-poisson sampling"):
            training_ledger(**given, **wrong, adjacency=ZeroOut)
    with pytest.raises(InvalidArgumentError, match="must not exceed the number of records"):
        training_ledger(**given, sampling="truncated-poisson", truncated_batch=1001, adjacency=ZeroOut)


SAME = [
    ("truncated_poisson(gaussian(1), 1, 2, 10)", "sample_without_replacement(gaussian(1), 2, 10)"),
    ("truncated_poisson(gaussian(1), 1/4, 10, 10)", "poisson(gaussian(1), 1/4)"),
    ("sample_with_replacement(gaussian(1), 1, 10)", "sample_without_replacement(gaussian(1), 1, 10)"),
    ("truncated_poisson(compose(gaussian(2), 4), 1/4, 2, 10)", "truncated_poisson(gaussian(1), 1/4, 2, 10)"),
]


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut])
@pytest.mark.parametrize(("text", "same"), SAME)
def test_ends_of_a_family_are_members_of_another(text: str, same: str, adjacency: type[Adjacency]) -> None:
    for x in LOSSES:
        for side in ("remove", "add"):
            assert curve(text, adjacency, side, x) == pytest.approx(curve(same, adjacency, side, x), abs=1e-9)


# ------------------------------------------------------------------------------------ texts, refusals

TEXTS = [
    "truncated_poisson(gaussian(noise_multiplier=1), rate=1/100, batch=15, records=1000)",
    "truncated_poisson(gaussian(noise_multiplier=1), rate=1/100, batch=15, records=1000, contribution=ball)",
    "sample_with_replacement(gaussian(noise_multiplier=1), batch=15, records=1000)",
    "mixture_gaussian(shifts=[0, 1], weights=[9/10, 1/10], noise_multiplier=2)",
    "group(compose(poisson(gaussian(noise_multiplier=1), rate=1/10), 3), size=2)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_events_are_written_and_read(text: str) -> None:
    event = parse_event(text)
    assert format_event(event) == str(event) == text


REFUSED = [
    ("truncated_poisson(laplace(1), 1/10, 2, 10)", ZeroOut, "known of Gaussian ones alone"),
    ("truncated_poisson(gaussian(1), 1/10, 2, 10)", ReplaceOne, "contribution=ball"),
    ("sample_with_replacement(laplace(1), 2, 10)", ReplaceOne, "known of Gaussian ones alone"),
    ("mixture_gaussian([1], [1])", ReplaceOne, "no law of it is shared"),
    ("group(poisson(gaussian(1), 1/10), 3)", ReplaceOne, "contribution=ball"),
    ("group(sample_without_replacement(gaussian(1), 8, 10), 3)", AddOrRemoveOne, "fewer than 8 records"),
    ("poisson(group(gaussian(1), 3), 1/10)", ZeroOut, "sampled one by one"),
    ("group(nonprivate(), 3)", ZeroOut, "no dominating pair is known"),
]


@pytest.mark.parametrize(("text", "adjacency", "why"), REFUSED)
def test_what_has_no_theorem_is_refused(text: str, adjacency: type[Adjacency], why: str) -> None:
    with pytest.raises(UnsupportedEventError, match=why):
        certify(Ledger(parse_event(text), adjacency), delta=Fraction(1, 1000))


WRONG: list[tuple[Any, tuple[Any, ...], str]] = [
    (TruncatedPoisson, (ONE, Fraction(2), 1, 2), "rate"),
    (TruncatedPoisson, (ONE, Fraction(1), 3, 2), "batch"),
    (TruncatedPoisson, (ONE, Fraction(1), 1, 2, "cube"), "contribution"),
    (SampleWithReplacement, (ONE, 0, 2), "batch"),
    (MixtureGaussian, ((Fraction(0),), (Fraction(1),)), "shifts"),
    (MixtureGaussian, ((Fraction(1),), (Fraction(1, 2), Fraction(1, 2))), "weights"),
    (MixtureGaussian, ((Fraction(1), Fraction(2)), (Fraction(1, 2), Fraction(1, 3))), "weights"),
    (Group, (ONE, 0), "size"),
]


@pytest.mark.parametrize(("kind", "given", "argument"), WRONG)
def test_wrong_numbers_are_named(kind: Any, given: tuple[Any, ...], argument: str) -> None:
    with pytest.raises(InvalidArgumentError, match=argument):
        kind(*given)
