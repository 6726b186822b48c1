"""Groups of records on samples of a stated number of records, and samples of samples: against every data set at hand.

Each record of a group that is removed leaves one record less to draw from, so that the others are drawn more often.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dpref.errors import UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.curves import privacy_profile
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.groups import on_fewer_records
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.pld.pairs import pairs
from dpref.reals import ball, lower, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.normal_mixtures import Sampler, draws_of, hockey_stick, truncated_of

LOSSES = (-1.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.5)
SLIP = 2e-6  # of the trapezoidal rule


def ends(text: str, adjacency: type[Adjacency], x: float) -> list[float]:
    """What dominates a removed group and an added one, and what is attained of both."""
    found = pairs(parse_event(text), adjacency)
    assert found.attained_remove is not None
    assert found.attained_add is not None
    at = ball(Fraction(x))
    highs = [upper(pair.curve(at)[0]) for pair in (found.remove, found.add)]
    return [*highs, *(lower(pair.curve(at)[0]) for pair in (found.attained_remove, found.attained_add))]


def two(adjacency: type[Adjacency], ours: list[float], rest: list[float]) -> tuple[list[float], list[float]]:
    other: list[float] = {AddOrRemoveOne: [], ZeroOut: [0.0] * len(ours), ReplaceOne: [-x for x in ours]}[adjacency]
    return [*ours, *rest], [*other, *rest]


CASES = [(kind, n, size, b) for kind, n, b in product(("draws", "cut"), (3, 4), (1, 2)) for size in range(2, n)]


@pytest.mark.parametrize("adjacency", [AddOrRemoveOne, ZeroOut, ReplaceOne])
@pytest.mark.parametrize(("kind", "n", "size", "b"), CASES)
def test_no_group_is_above_the_pair_that_dominates(
    kind: str, n: int, size: int, b: int, adjacency: type[Adjacency]
) -> None:
    """Planted bug: every step from one data set to the next taken for the first, whose records are drawn least."""
    radius = 3.0 if size == n - 1 else 1.0
    z = Fraction(1) / int(radius) / (2 if adjacency is ReplaceOne else 1)
    made: Sampler = draws_of(b) if kind == "draws" else truncated_of(0.75, b)
    name = "sample_with_replacement" if kind == "draws" else "truncated_poisson"
    rest = f"batch={b}, records={n}" + (", rate=3/4, contribution=ball" if kind == "cut" else "")
    rng = np.random.default_rng(7)
    for far in (-radius, 0.0, float(rng.uniform(-radius, radius))):
        first, second = two(adjacency, [radius] * size, [far] * (n - size))
        for x in LOSSES:
            removed, added, low, least = ends(f"group({name}(gaussian({z}), {rest}), size={size})", adjacency, x)
            assert hockey_stick(made(first), made(second), x) <= removed + SLIP
            assert hockey_stick(made(second), made(first), x) <= added + SLIP
            assert low <= removed * (1 + 1e-12)
            assert least <= added * (1 + 1e-12)


def test_a_group_among_draws_with_replacement_attains_its_pair() -> None:
    made = draws_of(2)
    for adjacency, far in ((AddOrRemoveOne, -1.0), (ZeroOut, 0.0), (ReplaceOne, -1.0)):
        first, second = two(adjacency, [1.0, 1.0], [far, far])
        z = "1/2" if adjacency is ReplaceOne else "1"
        for x in LOSSES:
            found = ends(f"group(sample_with_replacement(gaussian({z}), 2, 4), 2)", adjacency, x)[2:]
            exact = hockey_stick(made(first), made(second), x), hockey_stick(made(second), made(first), x)
            assert found == pytest.approx(list(exact), abs=SLIP)


def test_an_added_group_is_seen_as_often_as_it_is_drawn() -> None:
    """Three of four records, one of which is drawn: seen three times out of four, so that the loss is up to ln 4."""
    event = parse_event("group(sample_with_replacement(gaussian(1/100), batch=1, records=4), size=3)")
    found = privacy_profile(Ledger(event, AddOrRemoveOne), [1, 2]).directions["added"]
    assert found.lower[0] == pytest.approx(1 - math.e / 4, abs=1e-9)
    assert found.upper == pytest.approx((1 - math.e / 4, 0.0), abs=1e-9)


def test_on_fewer_records_the_selection_draws_from_fewer() -> None:
    best = "select(sample_without_replacement(gaussian(noise_multiplier=1), batch=2, records={}), mean=2)"
    event = parse_event(best.format(9))
    assert str(on_fewer_records(event, 4)) == best.format(5)
    both = parse_event(f"compose(compose({best.format(9)}, 2), laplace(1))")
    assert str(on_fewer_records(both, 1)) == f"compose(compose({best.format(8)}, 2), laplace(scale=1))"
    many, few = (pairs(parse_event(f"group({best.format(n)}, 2)"), AddOrRemoveOne).add for n in (9, 9 * 9))
    assert upper(few.curve(ball(Fraction(1)))[0]) < upper(many.curve(ball(Fraction(1)))[0])


REFUSED = [
    ("group(sample_with_replacement(gaussian(1), 2, 4), 4)", AddOrRemoveOne, "none of the 4 records"),
    ("group(sample_with_replacement(gaussian(1), 2, 4), 5)", ZeroOut, "none of the 4 records"),
    ("group(select(sample_without_replacement(gaussian(1), 8, 10), mean=2), 5)", AddOrRemoveOne, "too few"),
    ("poisson(sample_without_replacement(gaussian(1), 1, 10), 1/2)", AddOrRemoveOne, "has a random number"),
    ("poisson(select(sample_with_replacement(gaussian(1), 1, 10), mean=2), 1/2)", ZeroOut, "has a random number"),
    ("poisson(compose(truncated_poisson(gaussian(1), 1/2, 1, 10), 3), 1/2)", ZeroOut, "has a random number"),
    ("sample_without_replacement(sample_with_replacement(gaussian(1), 1, 1000), 2, 100)", ReplaceOne, "from 2 records"),
]


@pytest.mark.parametrize(("text", "adjacency", "why"), REFUSED)
def test_a_batch_of_another_number_of_records_is_refused(text: str, adjacency: type[Adjacency], why: str) -> None:
    """Of 100 records 2 are drawn, and one of them again: seen once in 100, not once in 50,000."""
    with pytest.raises(UnsupportedEventError, match=why):
        certify(Ledger(parse_event(text), adjacency), delta=Fraction(1, 10**5))


def test_a_batch_of_a_batch_that_fits_is_answered() -> None:
    fits = parse_event("sample_without_replacement(sample_with_replacement(gaussian(1), 1, 2), 2, 100)")
    plain = parse_event("sample_without_replacement(gaussian(1), 1, 100)")
    found, same = (certify(Ledger(event, ReplaceOne), epsilon=1) for event in (fits, plain))
    assert found.upper == pytest.approx(same.upper, rel=1e-9)
    whole = parse_event("poisson(sample_without_replacement(gaussian(1), 1, 100), 1)")
    assert certify(Ledger(whole, AddOrRemoveOne), epsilon=1).upper > 0
