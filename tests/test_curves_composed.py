"""Any smooth pairs compose in doubles: against the special path and the grid of balls, cheaply, wherever points lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpz_poly

from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import certify
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Compose, Gaussian, Laplace, Ledger, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.fast import accountant as fast
from dpref.privacy.fast import curves, placement, stages
from dpref.privacy.pld import accountant as in_balls
from dpref.privacy.pld import convolution
from dpref.privacy.pld import pairs as known
from dpref.privacy.pld.discretisation import Masses
from dpref.privacy.pld.pair import Curve, Pair, PairSet
from dpref.privacy.pld.pairs import gaussian_pair
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut

MILLIONTH, COARSE = Fraction(1, 10**6), Fraction(1, 200)
SAMPLED = Poisson(Gaussian(Fraction(1)), Fraction(1, 100))
FIXED = SampleWithoutReplacement(Gaussian(Fraction(1)), 10, 1000)


@pytest.mark.parametrize("steps", [30, 10000])
def test_sampled_gaussians_spend_what_the_special_path_says(steps: int) -> None:
    ledger = Ledger(Repeat(SAMPLED, steps), AddOrRemoveOne)
    one, other = curves.epsilon(ledger, MILLIONTH), fast.epsilon(ledger, MILLIONTH)
    assert one.lower <= other.upper
    assert other.lower <= one.upper
    assert one.width <= 3e-3 * one.upper


def test_delta_is_enclosed_too() -> None:
    ledger = Ledger(Repeat(SAMPLED, 1000), AddOrRemoveOne)
    one, other = curves.delta(ledger, 2), fast.delta(ledger, 2)
    assert max(one.lower, other.lower) <= min(one.upper, other.upper)
    assert one.width <= 0.02 * one.upper


@pytest.mark.slow
def test_events_of_all_kinds_compose_together() -> None:
    """Sampled answers of different noise and rate, a plain one, and batches of fixed size."""
    parts: list[Any] = [Repeat(Poisson(Gaussian(1 + Fraction(k, 20)), Fraction(1, 100 + k)), 50) for k in range(2)]
    parts.append(Gaussian(Fraction(3)))
    alone = fast.epsilon(Ledger(Compose(tuple(parts)), AddOrRemoveOne), MILLIONTH)
    mixed = curves.epsilon(Ledger(Compose(tuple(parts)), AddOrRemoveOne), MILLIONTH, width=COARSE)
    assert max(alone.lower, mixed.lower) <= min(alone.upper, mixed.upper)
    parts.append(Repeat(SampleWithoutReplacement(Gaussian(Fraction(4)), 10, 1000), 100))
    more = curves.epsilon(Ledger(Compose(tuple(parts)), AddOrRemoveOne), MILLIONTH, width=COARSE)
    assert mixed.lower < more.lower <= more.upper < mixed.upper + 1
    assert more.width <= 1e-2 * more.upper


def counted(found: PairSet, calls: list[str]) -> PairSet:
    """Pairs that note each value of a curve."""
    made: dict[int, Pair] = {}

    def noting(pair: Pair | None) -> Pair | None:
        if pair is None:
            return None

        def curve(x: arb, original: Curve = pair.curve) -> tuple[arb, arb]:
            calls.append(pair.name)
            return original(x)

        return made.setdefault(id(pair), replace(pair, curve=curve))

    return PairSet(*(noting(p) for p in (found.remove, found.add, found.attained_remove, found.attained_add)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "adjacency", "most"),
    [(FIXED, ZeroOut, 12000), (FIXED, ReplaceOne, 12000), (replace(SAMPLED, contribution="ball"), ReplaceOne, 4000)],
    ids=["zeroed out", "replaced", "sampled"],
)  # fmt: skip
def test_ten_thousand_steps_cost_a_few_thousand_values(
    event: Any, adjacency: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(curves, "pairs", lambda e, a: counted(known.pairs(e, a), calls))
    found = curves.epsilon(Ledger(Repeat(event, 10000), adjacency), MILLIONTH)
    assert 0 < found.lower < found.upper < 60
    assert len(calls) < most


def test_what_has_atoms_is_left_to_the_grid_of_balls() -> None:
    assert not curves.supports(Laplace(Fraction(1)), ReplaceOne)
    assert not curves.supports(Poisson(Laplace(Fraction(1)), Fraction(1, 2)), AddOrRemoveOne)
    assert not curves.supports(parse_event("exponential(1)"), ReplaceOne)
    with pytest.raises(UnsupportedEventError, match="no curve on the fast path for laplace"):
        curves.epsilon(Ledger(Compose((SAMPLED, Laplace(Fraction(1)))), AddOrRemoveOne), MILLIONTH)


def test_the_best_accountant_does_not_ask_it_after_the_special_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "epsilon", lambda *_: pytest.fail("asked"))
    assert certify(Ledger(Repeat(SAMPLED, 100), AddOrRemoveOne), delta=MILLIONTH).upper < 1


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [slice(None, None, 3), slice(1, None, 2), slice(0, None, 7)])
def test_wherever_the_points_lie_the_ends_hold(chosen: slice, monkeypatch: pytest.MonkeyPatch) -> None:
    """The placement decides about the width alone: others give other ends, and all hold."""
    ledger = Ledger(Repeat(SAMPLED, 1000), AddOrRemoveOne)
    exactly = fast.epsilon(ledger, MILLIONTH)

    def fewer(*arguments: Any) -> placement.Placement:
        found = placement.place(*arguments)
        return replace(found, points={key: points[chosen] for key, points in found.points.items()})

    monkeypatch.setattr(curves, "place", fewer)
    found = curves.epsilon(ledger, MILLIONTH)
    assert found.lower <= exactly.upper
    assert exactly.lower <= found.upper
    assert found.upper < math.inf


def widths(points: Sequence[int]) -> list[int]:
    return [b - a for a, b in pairwise(points)]


def test_points_lie_close_together_where_the_losses_are() -> None:
    pair = known.pairs(SAMPLED, AddOrRemoveOne).remove
    found = placement.place([[(pair, 10**4)]], [], Fraction(16), [lambda c: (c.tilt_for_delta(-14.0), -14.0)], 1e-3)
    points = found.points[id(pair)]
    assert max(widths(points)) >= 2**6 * min(widths(points))
    assert len(points) < 400
    closest = int(np.argmin(widths(points)))
    assert abs(points[closest] * found.step) < Fraction(1, 10)


def test_planted_bug_a_grid_that_is_not_refined_is_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "_PASSES", 3)
    ledger = Ledger(Repeat(SAMPLED, 10000), AddOrRemoveOne)
    found = curves.epsilon(ledger, MILLIONTH)
    assert found.lower < 6.9
    assert found.upper > 6.91
    assert found.width > 0.1 * found.upper


def test_the_reach_of_a_plain_answer_is_cut_evenly() -> None:
    one = gaussian_pair(Fraction(1))
    found = placement.place([[(one, 100)]], [], Fraction(16), [lambda c: (c.tilt_for_delta(-9.0), -9.0)], 0.01)
    assert found.points[id(one)][0] * found.step == -16
    assert found.points[id(one)][-1] * found.step == 16


def test_no_grid_is_begun_that_is_known_to_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rate 1e-9, a billion steps: one transform is refused at once, and the balls stop while a round is cheap."""
    ledger = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 10**9)), 10**9), AddOrRemoveOne)
    monkeypatch.setattr(stages, "factors", lambda *_: None)
    with pytest.raises(PrecisionError, match=r"points is needed|grid points"):
        fast.epsilon(ledger, MILLIONTH, width=Fraction(1, 10**8))
    monkeypatch.setattr(in_balls, "MOST_WORK", 1 << 24)
    lengths: list[int] = []

    def noting(plan: Any, grid: Any, spare: Any) -> Any:
        made = composed(plan, grid, spare)
        lengths.append(made[0])
        return made

    composed = in_balls._composed
    monkeypatch.setattr(in_balls, "_composed", noting)
    found = in_balls.pld_epsilon(ledger, MILLIONTH)
    assert 6.5671617e-5 < found.upper < 0.2
    assert len(lengths) == 1


def test_a_product_that_takes_too_long_is_refused_before_it_is_begun() -> None:
    long = Masses(0, fmpz_poly([1] * (convolution.LONGEST_PRODUCT // 2 + 1)), 0, 64, above=True)
    with pytest.raises(PrecisionError, match="takes too long"):
        convolution.product(long, long, Fraction(1))
