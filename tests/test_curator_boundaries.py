"""Curators at their boundaries: noise worked out from the same source, and the last argument that is taken."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.curator import GriddedCurator, LiveCurator, RecordingCurator, ReplayingCurator
from dpref.curator.modes import draw_batch
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.bits import GeneratorBits
from dpref.mechanisms.discrete_gaussian import discrete_gaussians
from dpref.mechanisms.discrete_laplace import discrete_laplace
from dpref.mechanisms.exponential import ChoiceNoise, gumbel_max
from dpref.mechanisms.noise import GaussianNoise
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.events.participation import SquaredSensitivity
from dpref.privacy.sensitivities import sensitivity_to_json
from dpref.transcript import Transcript
from dpref.units import L2, Linf, ReplaceOne, Sensitivity, Span, ZeroOut

ONE = Sensitivity(Fraction(1), L2, ReplaceOne)
DATA = np.array([0.25, -1.5, 2.0])


def twins(seed: int = 5) -> tuple[Any, GeneratorBits]:
    """A gridded curator, and the bits that it is going to read."""
    bits, same = (GeneratorBits(np.random.default_rng(seed)) for _ in range(2))
    grid = Fraction(1, 64)
    return GriddedCurator(DATA, ReplaceOne, grid=grid, evaluation_error=Fraction(0), bits=bits), same


def live(data: Any = DATA, adjacency: Any = ReplaceOne) -> tuple[Any, np.random.Generator]:
    """A live curator, and a generator that draws what its own is going to draw."""
    return LiveCurator(data, adjacency, np.random.default_rng(3)), np.random.default_rng(3)


def recording(data: Any = DATA) -> Any:
    return RecordingCurator(data, ReplaceOne, np.random.default_rng(3))


# ------------------------------------------------------------------------------------ exact noise on a grid


@pytest.mark.parametrize("std", [1.0, 2.0, 3.0])
def test_a_gridded_answer_is_the_rounded_query_plus_noise_of_its_variance_in_units_of_the_grid(std: float) -> None:
    of, bits = twins()
    noise = np.array(discrete_gaussians((64 * Fraction(std)) ** 2, 3, bits))
    answer = of.gaussian(lambda x: x, sensitivity=ONE, std=std, label="q")
    assert (64 * answer).tolist() == (64 * DATA + noise).tolist()


def test_a_gridded_sum_is_the_sum_of_its_contributions_plus_noise() -> None:
    of, bits = twins()
    noise = np.array(discrete_gaussians(Fraction(64) ** 2, 2, bits))
    rows = np.array([[0.5, 0.0], [0.25, -0.5], [-0.125, 0.25]])
    answer = of.gridded_sum(lambda _: rows, clip=Fraction(1), std=1.0, label="sum")
    assert (64 * answer).tolist() == (64 * rows.sum(axis=0) + noise).tolist()


def test_a_gridded_count_is_the_count_plus_noise() -> None:
    of, bits = twins()
    noise = discrete_laplace(Fraction(50), bits)
    assert noise != 0
    assert of.laplace_count(len, sensitivity=1, scale=Fraction(50), label="n") == 3 + noise
    for bad in (True, 3.0):
        with pytest.raises(InvalidArgumentError, match="must be an integer"):
            of.laplace_count(lambda _, bad=bad: bad, sensitivity=1, scale=Fraction(50), label="n")


def test_a_sum_is_clipped_at_the_grid_or_above_and_has_rows() -> None:
    of, _ = twins()
    assert of.gridded_sum(lambda _: np.ones((1, 1)), clip=Fraction(1, 64), std=1.0, label="sum").shape == (1,)
    with pytest.raises(InvalidArgumentError, match="at least the grid"):
        of.gridded_sum(lambda _: np.ones((1, 1)), clip=Fraction(1, 65), std=1.0, label="sum")
    for bad in (np.ones(3), np.ones((3, 0)), np.ones((3, 1, 1))):
        with pytest.raises(InvalidArgumentError, match="one row a record"):
            of.gridded_sum(lambda _, bad=bad: bad, clip=Fraction(1), std=1.0, label="sum")


@pytest.mark.parametrize("std", [0.0, math.nextafter(1.0, 0.0), math.inf, math.nan, "1", None])
def test_noise_on_a_grid_is_at_least_64_of_its_units(std: Any) -> None:
    of, _ = twins()
    with pytest.raises(InvalidArgumentError, match="std"):
        of.gridded_sum(lambda _: np.ones((1, 1)), clip=Fraction(1), std=std, label="sum")
    assert of.gridded_sum(lambda _: np.ones((1, 1)), clip=Fraction(1), std=1.0, label="sum").shape == (1,)


# ------------------------------------------------------------------------------------ batches


def test_a_batch_of_every_record_draws_nothing() -> None:
    for sampling in ("fixed", "poisson"):
        of, rng = live(np.arange(4.0), ZeroOut)
        how = {"sampling": sampling, "batch": 4, "records": 4, "sensitivity": Sensitivity(Fraction(1), L2, ZeroOut)}
        answer = of.sampled_gaussian(lambda data, batch: data[batch], **how, std=1.0, label="q")
        assert answer.tolist() == (np.arange(4.0) + rng.standard_normal(4)).tolist()


def test_a_batch_of_fixed_size_has_each_record_at_most_once() -> None:
    for seed in range(20):
        of: Any = LiveCurator(np.arange(5.0), ReplaceOne, np.random.default_rng(seed))
        how = {"sampling": "fixed", "batch": 4, "records": 5, "sensitivity": ONE, "std": 0.0, "label": "q"}
        assert len(set(of.sampled_gaussian(lambda data, batch: data[batch], **how).tolist())) == 4


def test_one_index_is_one_draw_and_more_are_a_choice_without_repetition() -> None:
    rng, twin = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(9):
        assert draw_batch(rng, 10, 1).tolist() == [twin.integers(10)]
        assert draw_batch(rng, 10, 2).tolist() == twin.choice(10, 2, replace=False).tolist()
    assert draw_batch(rng, 10, 0).tolist() == []


def test_an_index_is_drawn_from_as_many_as_a_machine_counts() -> None:
    of, rng = live()
    assert of.uniform_index(sys.maxsize, label="i") == rng.integers(sys.maxsize)
    with pytest.raises(InvalidArgumentError, match="must be at most"):
        of.uniform_index(sys.maxsize + 1, label="i")


def test_variance_reduction_takes_a_batch_of_every_record_and_no_larger() -> None:
    of, rng = live()
    how: dict[str, Any] = {"gradient_bound": Fraction(1), "records": 3, "label": "q"}
    how["held"] = of.hold(lambda data: data, label="mean")
    answer = of.variance_reduced_gaussian(lambda _, batch, mean: mean[batch], batch=3, std=1.0, **how)
    assert answer.tolist() == (DATA + rng.standard_normal(3)).tolist()
    with pytest.raises(InvalidArgumentError, match="at most the number of records"):
        of.variance_reduced_gaussian(lambda _, batch, mean: mean[batch], batch=4, std=1.0, **how)
    with pytest.raises(InvalidArgumentError, match="finite and not negative"):
        of.variance_reduced_gaussian(lambda _, batch, mean: mean[batch], batch=1, std=-0.5, **how)


# ------------------------------------------------------------------------------------ what is declared and held


def test_a_sensitivity_is_declared_in_the_norm_and_the_adjacency_that_are_asked_for() -> None:
    of, _ = live()
    for other in (Sensitivity(Fraction(1), L2, ZeroOut), Sensitivity(Fraction(1), Linf, ReplaceOne)):
        with pytest.raises(InvalidArgumentError, match="must be l2 under replace-one"):
            of.gaussian(lambda x: x, sensitivity=other, std=1.0, label="q")


def test_the_largest_double_is_a_deviation() -> None:
    of, _ = live()
    assert of.tree(leaves=1, sensitivity=ONE, noise=GaussianNoise(sys.float_info.max), label="sums").label == "sums"


@pytest.mark.parametrize("value", [np.array([1j]), np.array([]), np.array(["1"]), np.array([], dtype=object)])
def test_a_query_has_real_numbers_and_at_least_one(value: np.ndarray) -> None:
    of, _ = live()
    with pytest.raises(InvalidArgumentError, match="must hold real numbers, at least one"):
        of.gaussian(lambda _: value, sensitivity=ONE, std=1.0, label="q")


def test_what_is_computed_from_a_held_value_is_held_beside_it_unless_it_takes_its_place() -> None:
    of, _ = live()
    first = of.hold(lambda data: data, label="first")
    beside = of.hold(lambda _, held: 2 * held, label="beside", given=first)
    assert beside.number != first.number
    assert of.hold(lambda _, held: held, label="instead", given=first, instead=True).number == first.number
    fresh = of.hold(lambda data: data, label="fresh", instead=True)
    assert fresh.number not in {first.number, beside.number}


# ------------------------------------------------------------------------------------ choices


def mixture(of: Any, weights: list[float], epsilon: Fraction = Fraction(1), draws: int = 1) -> Any:
    one = Sensitivity(Fraction(1), Linf, ReplaceOne)
    scores = np.log(np.array(weights))
    return of.select(lambda _: scores, sensitivity=one, epsilon=epsilon, label="m", mixture=True, draws=draws)


def test_a_mixture_is_drawn_by_its_weights_as_they_are() -> None:
    of = recording()
    noise = np.random.default_rng(3).gumbel(size=(5, 3))
    scores = np.log(np.array([0.5, 0.3, 0.2]))
    assert mixture(of, [0.5, 0.3, 0.2], draws=5).tolist() == [gumbel_max(scores, row, 1.0) for row in noise]
    assert of.transcript.answers[0].scale == 1.0
    assert ExponentialMixture(Fraction(1)) in {of.ledger.event, getattr(of.ledger.event, "event", None)}
    with pytest.raises(InvalidArgumentError, match="epsilon"):
        mixture(of, [0.5, 0.5], Fraction(2))


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_weights_of_a_mixture_sum_to_one_up_to_a_billionth(sign: int) -> None:
    of = recording()
    assert mixture(of, [0.5, 0.5 + sign * 0.9e-9]).shape == (1,)
    for error in (1.1e-9, 1e-6, 0.4):
        with pytest.raises(InvalidArgumentError, match="must sum to one"):
            mixture(of, [0.5, 0.5 + sign * error])


def test_noisy_scores_fall_into_as_many_blocks_as_divide_them() -> None:
    of, rng = live(np.arange(6.0))
    one, noise = Sensitivity(Fraction(1), Span, ReplaceOne), ChoiceNoise("gumbel", 2.0)
    drawn = rng.gumbel(size=(2, 3))
    found = of.noisy_max(lambda data: data, sensitivity=one, noise=noise, label="q", blocks=2)
    assert found.tolist() == [gumbel_max(np.arange(6.0)[3 * i : 3 * i + 3], drawn[i], 2.0) for i in range(2)]
    with pytest.raises(InvalidArgumentError, match="must divide the number of scores, 6"):
        of.noisy_max(lambda data: data, sensitivity=one, noise=noise, label="q", blocks=4)


# ------------------------------------------------------------------------------------ what was written down


def recorded(size: int) -> tuple[Any, Transcript]:
    """A curator that has answered on two batches, one after a free index, and what it wrote down."""
    of: Any = RecordingCurator(np.arange(5.0), ReplaceOne, np.random.default_rng(2))
    for batch in (size, 3):
        of.sampled_gaussian(lambda data, b: data[b], **asked(batch))
    return of, of.transcript


def asked(batch: int) -> dict[str, Any]:
    return {"sampling": "fixed", "batch": batch, "records": 5, "sensitivity": ONE, "std": 1.0, "label": "q"}


def test_the_indices_before_each_answer_are_counted() -> None:
    of, transcript = recorded(2)
    assert of.sampled == (2, 3)
    assert len(transcript.indices) == 5


def test_a_replay_reads_one_batch_after_another_and_adds_what_it_is_told() -> None:
    _, transcript = recorded(2)
    widening = np.array([0.5])
    again: Any = ReplayingCurator(np.arange(5.0), ReplaceOne, transcript, force="noise", widening=widening)
    for batch in (2, 3):
        again.sampled_gaussian(lambda data, b: data[b], **asked(batch))
    expected = [[i + 0.5 for i in part] for part in (transcript.indices[:2], transcript.indices[2:])]
    assert [query.tolist() for query in again.queries] == expected
    with pytest.raises(InvalidArgumentError, match="no further index"):
        again.uniform_index(5, label="i")


@pytest.mark.parametrize(("index", "fits"), [(-1, False), (0, True), (4, True), (5, False)])
def test_a_recorded_index_lies_in_the_range_that_is_asked_for(index: int, fits: bool) -> None:
    of: Any = ReplayingCurator(DATA, ReplaceOne, replace(Transcript(()), indices=(index,)), force="answers")
    if fits:
        assert of.uniform_index(5, label="i") == index
    else:
        with pytest.raises(InvalidArgumentError, match="must lie in range"):
            of.uniform_index(5, label="i")


# ------------------------------------------------------------------------------------ sensitivities as text


@pytest.mark.parametrize(("digits", "shown"), [(99, True), (100, True), (101, False)])
def test_an_exact_sensitivity_of_at_most_a_hundred_characters_is_shown_as_one(digits: int, shown: bool) -> None:
    number = Fraction(10 ** (digits - 1))
    squared = sensitivity_to_json(SquaredSensitivity(number, number, "a rule"))["squared"]
    assert squared.get("exact") == (str(number) if shown else None)


def test_a_sensitivity_that_is_not_exact_is_shown_between_decimals_that_are_rounded_outward() -> None:
    attained, squared = Fraction(1, 3), Fraction(2, 3)
    ends = sensitivity_to_json(SquaredSensitivity(squared, attained, "a rule"))["squared"]
    assert set(ends) == {"lower", "upper"}
    assert attained - Fraction(1, 10**6) < Fraction(ends["lower"]) < attained
    assert squared < Fraction(ends["upper"]) < squared + Fraction(1, 10**6)
