"""Private tree aggregation: what it answers, what it keeps, what it costs, and the mistakes that are made with it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
import pytest

from dpref.curator import Curator, Held, LiveCurator, RecordingCurator, ReplayingCurator
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.generalized_gaussian import RegularNoise
from dpref.mechanisms.noise import GaussianNoise
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.concentrated import concentrated, event_rho
from dpref.privacy.events.ledger import Compose, Gaussian, GeneralizedGaussian, Laplace, Ledger, NonPrivate, Repeat
from dpref.privacy.events.tree import most_nodes, tree_event
from dpref.reals import FloatArray
from dpref.units import L2, Linf, ReplaceOne, Sensitivity, ZeroOut, lq

ONE = Sensitivity(Fraction(1), L2, ReplaceOne)
L3 = lq(Fraction(3))
STREAM = np.arange(1.0, 12.0)[:, None] * np.array([1.0, -0.5])


def element(t: int, data: FloatArray) -> FloatArray:
    return np.asarray(data[t])


def prefix_sums(curator: Curator[FloatArray, Any], noise: Any, leaves: int = 11) -> list[FloatArray]:
    tree = curator.tree(
        leaves=leaves, sensitivity=Sensitivity(Fraction(1), noise.norm, ReplaceOne), noise=noise, label="t"
    )
    return [curator.prefix_sum(tree, partial(element, t), label=f"element {t + 1}") for t in range(leaves)]


def recorder(seed: int = 0) -> RecordingCurator[FloatArray, ReplaceOne]:
    return RecordingCurator(STREAM, ReplaceOne, np.random.default_rng(seed))


def test_without_noise_the_prefix_sums_are_exact() -> None:
    sums = prefix_sums(recorder(), GaussianNoise(0.0))
    assert np.array_equal(sums, np.cumsum(STREAM, axis=0))


@pytest.mark.slow
def test_an_answer_has_the_noise_of_as_many_nodes_as_binary_digits_one() -> None:
    """Six standard errors: a correct tree fails with probability below 1e-7."""
    trials, std = 4000, 3.0
    squares = np.zeros(11)
    rng = np.random.default_rng(5)
    for _ in range(trials):
        sums = prefix_sums(LiveCurator(np.zeros((11, 1)), ReplaceOne, rng), GaussianNoise(std))
        squares += np.square(np.ravel(sums))
    digits = np.array([t.bit_count() for t in range(1, 12)])
    assert np.all(np.abs(squares / trials / std**2 - digits) < 6 * digits * np.sqrt(2 / trials))


def test_the_transcript_holds_one_node_an_element_and_replays() -> None:
    noise = RegularNoise(2.0, L3, 3.0, 1.0, Fraction(2))
    curator = recorder()
    sums = prefix_sums(curator, noise)
    answers = curator.transcript.answers
    assert [tuple(a.query) for a in answers[:4]] == [
        tuple(STREAM[0]), tuple(STREAM[:2].sum(axis=0)), tuple(STREAM[2]), tuple(STREAM[:4].sum(axis=0)),
    ]  # fmt: skip
    assert np.array_equal(sums[5], answers[3].answer + answers[5].answer)
    forces: tuple[Literal["answers", "noise"], ...] = ("answers", "noise")
    for force in forces:
        replay = ReplayingCurator(STREAM, ReplaceOne, curator.transcript, force=force)
        assert np.array_equal(prefix_sums(replay, noise), sums)
        assert replay.ledger == curator.ledger


@pytest.mark.parametrize("n", range(1, 12))
def test_the_observed_ledger_is_that_of_the_planned_tree(n: int) -> None:
    noise = RegularNoise(2.0, L3, 3.0, 1.0, Fraction(2))
    curator = recorder()
    prefix_sums(curator, noise, n)
    node = noise.event(Sensitivity(Fraction(1), L3, ReplaceOne))
    assert node == GeneralizedGaussian(Fraction(2), Fraction(2))
    expected = tree_event(node, n)
    assert curator.ledger.event == (expected if most_nodes(n) > 1 else node)


def test_a_stream_that_ends_early_has_spent_less_and_an_open_tree_nothing() -> None:
    curator = recorder()
    tree = curator.tree(leaves=11, sensitivity=ONE, noise=GaussianNoise(2.0), label="t")
    found = [curator.ledger.event]
    for t in range(3):
        curator.prefix_sum(tree, partial(element, t), label="x")
        found.append(curator.ledger.event)
    node = Gaussian(Fraction(2))
    assert found == [Compose(()), node, Repeat(node, 2), Repeat(node, 2)]


def test_two_trees_and_an_answer_compose() -> None:
    curator = recorder()
    prefix_sums(curator, GaussianNoise(2.0), 4)
    curator.gaussian(lambda data: data[0], sensitivity=ONE, std=1.0, label="x")
    prefix_sums(curator, GaussianNoise(4.0), 2)
    first, second, third = Repeat(Gaussian(Fraction(2)), 3), Gaussian(Fraction(1)), Repeat(Gaussian(Fraction(4)), 2)
    assert curator.ledger.event == Compose((first, second, third))


def test_a_full_tree_a_strange_handle_and_a_wrong_norm_are_refused() -> None:
    curator = recorder()
    tree = curator.tree(leaves=1, sensitivity=ONE, noise=GaussianNoise(2.0), label="t")
    curator.prefix_sum(tree, lambda data: data[0], label="x")
    with pytest.raises(InvalidArgumentError, match="planned for 1"):
        curator.prefix_sum(tree, lambda data: data[0], label="x")
    with pytest.raises(InvalidArgumentError, match="handle"):
        curator.prefix_sum(Held(1, "other"), lambda data: data[0], label="x")
    with pytest.raises(InvalidArgumentError, match="finite"):
        curator.prefix_sum(
            curator.tree(leaves=2, sensitivity=ONE, noise=GaussianNoise(2.0), label="t"),
            lambda data: data[0] * np.nan,
            label="x",
        )
    wrongs: list[Any] = [Sensitivity(Fraction(1), Linf, ReplaceOne), Sensitivity(Fraction(1), L2, ZeroOut)]
    for wrong in wrongs:
        with pytest.raises(InvalidArgumentError, match="l2 under replace-one"):
            curator.tree(leaves=2, sensitivity=wrong, noise=GaussianNoise(2.0), label="t")
    with pytest.raises(InvalidArgumentError, match="leaves"):
        TreeAggregation(0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: GaussianNoise(-1.0),
        lambda: GaussianNoise(np.nan),
        lambda: RegularNoise(-1.0, L3, 3.0, 1.0, None),
        lambda: RegularNoise(1.0, L3, 0.0, 1.0, None),
        lambda: RegularNoise(1.0, L3, 3.0, np.inf, None),
        lambda: lq(Fraction(1, 2)),
        lambda: lq(1.5),
    ],
)
def test_bad_noise_is_refused(make: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        make()


def test_noise_without_a_theorem_or_without_size_is_accounted_as_none() -> None:
    s = Sensitivity(Fraction(1), L3, ReplaceOne)
    assert RegularNoise(2.0, L3, 0.6, 1.0, None).event(s) == NonPrivate()
    assert RegularNoise(0.0, L3, 3.0, 1.0, Fraction(2)).event(s) == GaussianNoise(0.0).event(ONE) == NonPrivate()


def test_zcdp_adds_over_regular_and_plain_gaussians() -> None:
    events = (Gaussian(Fraction(1)), GeneralizedGaussian(Fraction(2), Fraction(3)))
    assert [event_rho(e) for e in events] == [Fraction(1, 2), Fraction(3, 8)]
    ledger = Ledger(Compose((Repeat(events[0], 2), events[1])), ReplaceOne)
    assert concentrated(ledger).value == Fraction(11, 8)
    assert "zCDP" in certify(ledger, epsilon=1, accountant="zcdp").method
    with pytest.raises(Exception, match="zCDP theorem"):
        event_rho(Laplace(Fraction(1)))


# ------------------------------------------------------------------------------------ planted bugs


def test_planted_bug_right_children_in_place_of_left_ones_are_seen_without_noise() -> None:
    tree = TreeAggregation(8)
    sums = []
    for t in range(8):
        sums.append(float(tree.add(np.array([1.0]), lambda total: total)[0]))
        tree._live = tree._live[-1:] if t == 5 else tree._live
    assert sums[:6] == [1, 2, 3, 4, 5, 6]
    assert sums != list(range(1, 9))


def test_planted_bug_one_noise_for_every_answer_is_seen_in_the_ledger() -> None:
    """Prefix sums answered one by one, without a tree: the first element is in all of them."""

    def prefix(t: int, data: FloatArray) -> FloatArray:
        return np.asarray(data[: t + 1].sum(axis=0))

    curator = recorder()
    for t in range(8):
        curator.gaussian(partial(prefix, t), sensitivity=ONE, std=2.0, label="x")
    assert curator.ledger.event != tree_event(Gaussian(Fraction(2)), 8)


def test_planted_bug_a_record_in_two_elements_is_seen_on_replay() -> None:
    """Element t reads record t and record 1: more nodes move than the ledger pays for."""

    def twice(t: int, data: FloatArray) -> FloatArray:
        return np.asarray(element(t, data) + data[0] / 8)

    def run(curator: Curator[FloatArray, Any]) -> None:
        tree = curator.tree(leaves=8, sensitivity=ONE, noise=GaussianNoise(2.0), label="t")
        for t in range(8):
            curator.prefix_sum(tree, partial(twice, t), label="x")

    curator = recorder()
    run(curator)
    neighbour = STREAM.copy()
    neighbour[0] += 0.5
    replay = ReplayingCurator(neighbour, ReplaceOne, curator.transcript, force="answers")
    run(replay)
    moved = sum(bool((a != b.query).any()) for a, b in zip(replay.queries, curator.transcript.answers, strict=True))
    assert moved > most_nodes(8)
