"""Matrix mechanisms as dp_accounting's events: what both sides spend is compared, not how it is written."""

from __future__ import annotations

import importlib
from fractions import Fraction
from typing import Any

import pytest

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.interop.dp_accounting import Divisor, from_dp_event, neighboring_relation, to_dp_event
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.concentrated import concentrated
from dpref.privacy.events.ledger import Compose, Ledger, NonPrivate
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, SampledColumn, ToeplitzGaussian, TreeGaussian
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut
from tests.test_interop import INSTALLED, m

__all__ = ["m"]  # the fixture: dp_accounting's classes, or classes of the same shape

CASES: list[tuple[type[Adjacency], Divisor | None]] = [
    (AddOrRemoveOne, None),
    (ZeroOut, None),
    (ReplaceOne, "record"),
    (ReplaceOne, "sensitivity"),
]
MECHANISMS = [
    PrefixSumSqrt(Fraction(2), 8, None, 2, 4),
    ToeplitzGaussian(Fraction(3), (Fraction(1), Fraction(-1, 2)), 6),
    MatrixGaussian(Fraction(4), (Fraction(1), Fraction(1, 3), Fraction(1))),
    TreeGaussian(Fraction(5), 9, 3, 2),
    TreeGaussian(Fraction(5), 9, 1, padded=True),
]


@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
@pytest.mark.parametrize(("counts", "nodes"), [(1, 1), (8, 4), ([3, 9, 8], 4), ([7], 3)])
def test_a_tree_of_one_epoch_spends_as_many_nodes_as_its_largest_tree_has_levels(
    m: Any, adjacency: type[Adjacency], divisor: Divisor | None, counts: Any, nodes: int
) -> None:
    """A record of norm r moves each node by r, or by 2r where it is replaced; theirs is std over r, or over that."""
    theirs = m.SingleEpochTreeAggregationDpEvent(noise_multiplier=2.0, step_counts=counts)
    ledger = from_dp_event(theirs, adjacency, divisor=divisor)
    moved = Fraction(2 if divisor == "record" else 1, 2)
    expected = certify(from_dp_event(m.GaussianDpEvent(1.0), ZeroOut), epsilon=1)  # four nodes of moves of a half
    found = certify(ledger, epsilon=1)
    if moved**2 * nodes == 1:
        assert (found.lower, found.upper) == (expected.lower, expected.upper)
    assert (moved**2 * nodes > 1) == (found.lower > expected.upper)
    assert (moved**2 * nodes < 1) == (found.upper < expected.lower)


@pytest.mark.parametrize(("adjacency", "divisor"), CASES)
@pytest.mark.parametrize("event", MECHANISMS, ids=str)
def test_other_mechanisms_are_written_as_the_gaussian_that_spends_a_little_more(
    m: Any, event: Any, adjacency: type[Adjacency], divisor: Divisor | None
) -> None:
    ledger = Ledger(event, adjacency)
    with pytest.raises(UnsupportedEventError, match="outward=True"):
        to_dp_event(ledger, divisor=divisor)
    theirs = to_dp_event(ledger, divisor=divisor, outward=True)
    assert isinstance(theirs, m.GaussianDpEvent)
    ours, back = (certify(x, epsilon=1) for x in (ledger, from_dp_event(theirs, adjacency, divisor=divisor)))
    assert ours.upper <= back.upper * (1 + 1e-15)
    assert back.upper == pytest.approx(ours.upper, rel=1e-12)


@pytest.mark.usefixtures("m")
def test_rounds_are_written_as_sampled_gaussians() -> None:
    event = ToeplitzGaussian(Fraction(2), (Fraction(3, 4), Fraction(1)), 3, min_separation=2, rate=Fraction(1, 4))
    theirs = to_dp_event(Ledger(event, ZeroOut), outward=True)
    back = from_dp_event(theirs, ZeroOut).event
    assert isinstance(back, Compose)
    assert len(back.events) == 2
    sampled = to_dp_event(Ledger(SampledColumn(Fraction(5), Fraction(25, 16), Fraction(1, 4)), ZeroOut), outward=True)
    assert sampled.sampling_probability == 0.25
    assert 3.9999 < sampled.event.noise_multiplier <= 4


def test_what_is_no_tree(m: Any) -> None:
    tree = m.SingleEpochTreeAggregationDpEvent
    assert from_dp_event(tree(0.0, 4), ZeroOut).event == NonPrivate()
    assert from_dp_event(tree(1.0, []), ZeroOut).event == Compose(())
    for wrong in (0, [1, 0], 1.5):
        with pytest.raises(InvalidArgumentError):
            from_dp_event(tree(1.0, wrong), ZeroOut)
    with pytest.raises(InvalidArgumentError, match="must be record or sensitivity"):
        from_dp_event(tree(1.0, 4), ReplaceOne)


@pytest.mark.parametrize(("multiplier", "published"), [("1.13", 19.74), ("8.83", 2.04)])
def test_what_is_published_of_a_training_with_a_tree_is_an_upper_bound(multiplier: str, published: float) -> None:
    """1600 steps of one epoch at delta = 1e-6 (Kairouz et al. 2021, Stack Overflow), by Rényi divergences there."""
    tree = TreeGaussian(Fraction(multiplier), 1600, max_participations=1)
    found = certify(Ledger(tree, ZeroOut), delta=Fraction(1, 10**6))
    assert 0.8 * published < found.lower <= found.upper < published


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="dp_accounting is not installed")
@pytest.mark.parametrize("counts", [1, 7, 8, 1600, [3, 100, 20]])
def test_its_own_accountant_counts_the_same_nodes(counts: Any) -> None:
    events, rdp = (importlib.import_module(f"dp_accounting.{name}") for name in ("dp_event", "rdp"))
    theirs = events.SingleEpochTreeAggregationDpEvent(2.0, counts)
    accountant = rdp.RdpAccountant([4.0], neighboring_relation(ZeroOut)).compose(theirs)
    ledger = from_dp_event(theirs, ZeroOut)
    exact = certify(ledger, delta=Fraction(1, 10**5))
    assert exact.upper <= accountant.get_epsilon(1e-5)
    assert concentrated(ledger).value * 4 == pytest.approx(float(accountant._rdp[0]))
