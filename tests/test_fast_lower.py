"""Slivers of dominated measures: what is left out of a cell suffices in balls, and its factors are proved ones."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dpref.privacy.fast import lower as fast_lower
from dpref.privacy.fast.cells import Pair, is_narrow
from dpref.privacy.fast.edges import Merged, merge
from dpref.reals import ball, precision
from proofs.algebra import Rejected
from proofs.registry import registry
from tests.effort import part

PAIRS = [
    (Pair(Fraction(1, 100), Fraction(1)), Fraction(1, 300)),
    (Pair(Fraction(1), Fraction(4)), Fraction(1, 200)),
    (Pair(Fraction(1, 10**6), Fraction(3)), Fraction(1, 10**8)),
    (Pair(Fraction(1, 3), Fraction(30)), Fraction(1, 2**14)),
]
ENOUGH = 20  # cells in which something is left out and something kept


def nudged(pair: Pair, step: Fraction, seed: int) -> Merged:
    """Edges that miss their places by up to a fortieth of a cell, so that many moments have the wrong sign."""
    honest = merge(pair, step, 8.0)
    inner = honest.edges.copy()
    width = np.minimum(np.diff(inner, prepend=inner[0] - 1), np.diff(inner, append=inner[-1] + 1))
    rng = np.random.default_rng(seed)
    inner[1:] += (width * rng.uniform(-1, 1, len(inner)) * 10 ** rng.uniform(-9, -1.6, len(inner)))[1:]
    return Merged(pair, honest.start, honest.step, honest.skip, np.maximum.accumulate(inner), honest.odd, honest.exps)


def kept(m: Merged, i: int, share: arb, *, upper_end: bool) -> tuple[arb, arb]:
    """The moment and the mass (P, or Q at the upper end) of a cell without a part of its width at one end."""
    low, high = arb(float(m.edges[i])), arb(float(m.edges[i + 1]))
    cut = (high - low) * share
    low, high = (low, high - cut) if upper_end else (low + cut, high)
    moved, still = m.pair.masses(low, high)
    rate = ball(m.pair.rate)
    loss = ball(Fraction(m.start)) + ball(m.step) * (m.skip + i)
    p = rate * moved + ball(1 - m.pair.rate) * still
    return rate * moved - (loss.expm1() + rate) * still, still if upper_end else p


def attained(m: Merged, i: int, *, upper_end: bool) -> arb:
    """The most mass that can stay in a cell with a moment of the right sign, by bisection in balls."""
    low, high = arb(0), arb(1)

    def fits(share: arb) -> bool:
        moment, _ = kept(m, i, share, upper_end=upper_end)
        return bool(moment <= 0 if upper_end else moment >= 0)

    if fits(low):
        return kept(m, i, low, upper_end=upper_end)[1]
    for _ in range(48):
        middle = ((low + high) / 2).mid()
        low, high = (low, middle) if fits(middle) else (middle, high)
    return kept(m, i, high, upper_end=upper_end)[1]


def claims(m: Merged) -> Iterator[tuple[int, bool, float, float]]:
    """Cells, ends, what is claimed to stay there, and the relative error that is granted."""
    index = np.arange(len(m.edges) - 1)
    narrow = index[is_narrow(m.pair, m.edges[:-1], m.edges[1:])]
    forward, backward, relative = fast_lower._narrow_masses(m, narrow)
    for upper_end, masses in ((False, forward), (True, backward)):
        for i, mass in zip(narrow.tolist(), masses.tolist(), strict=True):
            if mass > 0:
                yield i, upper_end, mass, relative


def left_out(m: Merged, i: int, *, upper_end: bool) -> bool:
    moment, _ = kept(m, i, arb(0), upper_end=upper_end)
    return bool(moment > 0 if upper_end else moment < 0)


def all_attained(m: Merged) -> tuple[bool, int]:
    """Whether every claim holds in balls, and for how many of them something had to be left out."""
    holds, cells = True, 0
    with precision(160):
        chosen = [c for c in claims(m) if left_out(m, c[0], upper_end=c[1])]
        for i, upper_end, mass, relative in chosen[:: max(1, len(chosen) // 30)]:
            cells += 1
            holds = holds and bool(arb(mass) * (1 - arb(relative)) <= attained(m, i, upper_end=upper_end))
    return holds, cells


@pytest.mark.parametrize("shift", [-6, -1, 0, 1, 6])
def test_what_balls_claim_to_stay_in_a_wide_cell_can_stay(shift: int) -> None:
    """A point left or right of where the cell merges: in one direction all stays, in the other a part at most."""
    pair, edges = Pair(Fraction(1, 3), Fraction(1)), np.array([0.0, 0.5, 1.5])
    honest = Merged(pair, 0.0, Fraction(1, 64), 0, edges, 0, np.ones(3))
    for i in (0, 1):
        with precision(256):
            p, q, _ = fast_lower._integrals(honest, i, float(edges[i]), float(edges[i + 1]))
        start = float((p / q).log().mid()) + shift / 64 - i / 64
        m = Merged(pair, start, Fraction(1, 64), 0, edges, 0, np.ones(3))
        with precision(256):
            forward, backward = fast_lower._ball_masses(m, i, fast_lower._Ends())
            room = arb(2) ** -44  # of the bisection
            assert arb(forward) <= attained(m, i, upper_end=False) + room
            assert arb(backward) <= attained(m, i, upper_end=True) + room
            whole = forward if shift < 0 else backward
            assert shift == 0 or whole >= float((p if shift < 0 else q).mid()) * (1 - 1e-15)
            assert forward < p + room
            assert backward < q + room


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "step"), part(PAIRS, -(-len(PAIRS) // 2)), ids=str)
def test_what_is_claimed_to_stay_in_a_cell_can_stay(pair: Pair, step: Fraction) -> None:
    holds, cells = all_attained(nudged(pair, step, 7))
    assert holds
    assert cells >= ENOUGH


def test_planted_bug_less_than_the_sliver_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_lower, "LEFT_OUT", Fraction(2, 5))  # 2/5 of 2/1 of what would just do
    assert not all_attained(nudged(*PAIRS[1], seed=7))[0]


@pytest.mark.slow
def test_planted_bug_a_doubtful_moment_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_lower, "SLIVER", 0)
    assert not all_attained(nudged(*PAIRS[0], seed=7))[0]


def test_cells_whose_distances_are_not_settled_keep_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = merge(*PAIRS[0], 8.0)
    assert len(list(claims(honest))) > ENOUGH
    monkeypatch.setattr(fast_lower, "SETTLED", 10**15)
    assert not list(claims(honest))


# ------------------------------------------------------------------------------------ the factors

WEAKER = [
    ("SLIVER", 1),
    ("LEFT_OUT", 1),
    ("RISE", Fraction(39, 5)),
    ("SHARE", 32),
    ("SETTLED", 2),
    ("ROUGHEST", Fraction(1, 2)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), WEAKER)
def test_a_weaker_factor_is_not_provable(name: str, value: int | Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    obligation = registry()["fast-path/sliver"]
    monkeypatch.setattr(fast_lower, name, value)
    with pytest.raises((Rejected, AssertionError)):
        obligation.prove()
