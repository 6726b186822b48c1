"""Sensitivities of other people's queries: exact where they can be, and refused with the pair that exceeds them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.foreign.pairs import Pair
from dpref.foreign.replay import SensitivityError, Step, assert_sensitivity, assert_sensitivity_of_run, worst_pairs
from dpref.foreign.replay.sensitivity import distance, evaluated, search
from dpref.foreign.replay.tape import Tape, TapeGenerator
from dpref.reals import FloatArray
from dpref.units import L1, L2, AddOrRemoveOne, Linf, ReplaceOne, ZeroOut
from tests.foreign_loops import CLIP, numpy_loop, reference

ROWS = np.array([[0.1, 0.7], [0.3, 0.2], [0.9, 0.4]])
BOX = (0.0, 1.0)


def total(rows: Any) -> Any:
    return rows.sum(axis=0)


def test_a_sum_is_evaluated_exactly_and_attains_its_bound() -> None:
    pairs = list(worst_pairs(ROWS, ReplaceOne, BOX))
    for norm, bound in ((L1, 2), (Linf, 1)):
        found = assert_sensitivity(total, pairs, bound, norm=norm)
        assert found.exactly
        assert found.distance == bound
    found = assert_sensitivity(total, pairs, Fraction(1414213562373096, 10**15))
    assert Fraction(1414213562373095, 10**15) < found.distance < Fraction(1414213562373096, 10**15)
    with pytest.raises(SensitivityError, match=r"moves by 2 in l1, 1\.9 is declared"):
        assert_sensitivity(total, pairs, Fraction(19, 10), norm=L1)


@pytest.mark.parametrize(("adjacency", "bound"), [(AddOrRemoveOne, 1), (ZeroOut, 1), (ReplaceOne, 2)])
def test_each_adjacency_has_its_own_worst_pair(adjacency: Any, bound: int) -> None:
    pairs = list(worst_pairs(ROWS, adjacency, (-1.0, 1.0)))
    assert assert_sensitivity(total, pairs, bound, norm=Linf).distance == bound
    with pytest.raises(SensitivityError):
        assert_sensitivity(total, pairs, bound - Fraction(1, 10**9), norm=Linf)


@pytest.mark.parametrize("adjacency", [ReplaceOne, AddOrRemoveOne, ZeroOut])
@pytest.mark.parametrize("bounds", [(1.0, 2.0), (-2.0, -1.0), (0.1, 0.3)])
def test_worst_pairs_stay_within_their_bounds(bounds: tuple[float, float], adjacency: Any) -> None:
    """A zero out of bounds is no record, but where zero-out puts it; 0.1 + 0.3 - 0.1 is more than 0.3."""
    low, high = bounds
    given = list(worst_pairs(np.array([[low, high], [high, high]]), adjacency, bounds))
    for pair in given:
        for rows in (pair.first, pair.second):
            within = (low <= rows) & (rows <= high)
            assert (within | ((adjacency is ZeroOut) & (rows == 0))).all()
    bound = Fraction(high) - Fraction(low) if adjacency is ReplaceOne else max(abs(Fraction(x)) for x in bounds)
    assert assert_sensitivity(total, given, bound, norm=Linf).distance == bound


def test_records_out_of_their_bounds_are_refused_and_whole_numbers_are_numbers() -> None:
    with pytest.raises(InvalidArgumentError, match="widen the bounds, or clip the records"):
        worst_pairs(2 * ROWS, ReplaceOne, BOX)
    with pytest.raises(InvalidArgumentError, match="entries out of"):
        worst_pairs(np.array([np.nan]), ReplaceOne, BOX)
    null = np.array([[1.5], [0.0]])
    assert list(worst_pairs(null, ZeroOut, (1.0, 2.0)))
    whole = list(worst_pairs(np.array([1, 2], dtype=np.uint8), ReplaceOne, (0.5, 2.5)))
    assert assert_sensitivity(total, whole, 2, norm=L1).distance == 2


def test_where_n_is_public_no_pair_has_fewer_records() -> None:
    """A mean of n records moves by 1/n under replace-one; on one record alone it would move by 1."""
    bound = Fraction(1, 2)
    given = worst_pairs(ROWS[:2, :1], ReplaceOne, BOX)
    assert assert_sensitivity(lambda rows: rows.sum(axis=0) / len(rows), given, bound, norm=Linf).distance == bound


@pytest.mark.parametrize("adjacency", [ReplaceOne, AddOrRemoveOne])
def test_records_of_a_stream_keep_their_places(adjacency: Any) -> None:
    def first_half(rows: Any) -> Any:
        return rows[:1].sum(axis=0)

    rows = np.array([[0.25], [1.0], [0.5]])
    stream = list(worst_pairs(rows, adjacency, BOX, ordered=True))
    assert assert_sensitivity(first_half, stream, 1, norm=Linf).distance == 1
    assert all(np.array_equal(p.first[1:2], p.second[1:2]) for p in stream if p.name.startswith("the data"))
    assert any("another order" in pair.name for pair in worst_pairs(rows, adjacency, BOX))


def largest_square(rows: Any) -> Any:
    """Claimed to move by the square of the larger bound, a mistake where the bounds are (-1, 3): it is 9 - 0."""
    return (rows * rows).sum(axis=0)


def true_divisor(rows: Any) -> Any:
    return rows.sum(axis=0) / max(len(rows), 1)


def no_root(rows: Any) -> Any:
    return rows.sum(axis=0)


PLANTED: dict[str, tuple[Any, Any, Any, Fraction | int, Any]] = {
    "square of the lower bound": (largest_square, ReplaceOne, (-1.0, 3.0), 1, Linf),
    "division by the true size": (true_divisor, AddOrRemoveOne, BOX, Fraction(1, 3), Linf),
    "l2 for l1": (no_root, ReplaceOne, BOX, Fraction(3, 2), L1),
    "add-or-remove for replace": (total, ReplaceOne, (-1.0, 1.0), 1, Linf),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_bug_in_a_declared_sensitivity_is_refused_with_its_pair(name: str) -> None:
    query, adjacency, bounds, declared, norm = PLANTED[name]
    with pytest.raises(SensitivityError, match="is declared") as caught:
        assert_sensitivity(query, worst_pairs(ROWS, adjacency, bounds), declared, norm=norm)
    first, second = (evaluated(query, side)[0] for side in (caught.value.pair.first, caught.value.pair.second))
    assert distance(first, second, norm) == caught.value.distance > declared


@pytest.mark.slow
def test_climbing_finds_what_no_corner_shows() -> None:
    """A peak inside the box: corners move it by 0, the middle by one half."""

    def peak(rows: Any) -> Any:
        return (rows * (1 - rows)).sum(axis=0)

    corners = [(np.array([[0.0], [0.1]]), np.array([[1.0], [0.1]]))]
    assert assert_sensitivity(peak, corners, Fraction(1, 10), norm=Linf).distance == 0
    with pytest.raises(SensitivityError, match=r"changed .* at random"):
        assert_sensitivity(peak, corners, Fraction(1, 10), norm=Linf, climbs=60, bounds=BOX)
    found = search(peak, corners, norm=Linf, climbs=60, bounds=BOX)
    assert found.distance == search(peak, corners, norm=Linf, climbs=60, bounds=BOX).distance <= Fraction(1, 4)


@pytest.mark.parametrize("turned", [False, True])
def test_climbing_leaves_the_zeroed_record_zero(turned: bool) -> None:
    """Else a pair that differs by a zeroed record becomes one that differs by a replaced one: -1 beside 1."""
    zeroed = Pair(np.array([[0.0], [0.5]]), np.array([[1.0], [0.5]]))
    pair = Pair(zeroed.second, zeroed.first) if turned else zeroed
    assert assert_sensitivity(total, pair, 1, norm=L1, climbs=20, bounds=(-1.0, 1.0)).distance == 1
    assert search(total, pair, norm=L1, climbs=20, bounds=(-2.0, 2.0)).distance > 1


def test_climbs_are_made_or_refused() -> None:
    """A record that is added is climbed too; where nothing can be, no climb passes for one."""
    added = (np.array([[0.25], [0.5]]), np.array([[0.25]]))
    found = search(total, [(ROWS, ROWS[::-1].copy()), added], norm=L1, climbs=10, bounds=BOX)
    assert (found.evaluated, found.distance > Fraction(1, 2)) == (12, True)
    assert found.pair is not None
    assert found.pair.second.tolist() == [[0.25]]
    assert search(total, Pair(*added[::-1]), norm=L1, climbs=10, bounds=BOX).distance == found.distance
    for pair in (({"x": ROWS}, {"x": ROWS + 1}), (ROWS, ROWS + 1), (np.array([1]), np.array([2])), (ROWS, ROWS[:1])):
        with pytest.raises(InvalidArgumentError, match="no pair can be climbed"):
            search(lambda data: 0, [pair], climbs=10)


def test_climbing_stays_among_the_entries_that_were_given() -> None:
    """Records beyond them may be none: a sum of entries in [0, 1] would be refused."""
    pairs = list(worst_pairs(ROWS, ReplaceOne, BOX))
    assert assert_sensitivity(total, pairs, 1, norm=Linf, climbs=10).distance == 1


@pytest.mark.slow
def test_a_query_with_a_root_is_evaluated_in_doubles() -> None:
    def clipped(rows: Any) -> Any:
        return (rows / np.maximum(1, np.sqrt((rows**2).sum(axis=1)))[:, None]).sum(axis=0)

    pairs = list(worst_pairs(3 * ROWS, ReplaceOne, (-3.0, 3.0)))
    found = assert_sensitivity(clipped, pairs, 2, slack=Fraction(1, 10**12))
    assert not found.exactly
    assert found.distance > Fraction(19, 10)
    with pytest.raises(InvalidArgumentError, match="cannot be evaluated exactly"):
        assert_sensitivity(clipped, pairs, 2, arithmetic="exact")
    with pytest.raises(SensitivityError):
        assert_sensitivity(clipped, pairs, Fraction(19, 10))


def test_another_order_of_the_records_moves_a_sum_of_doubles() -> None:
    rows = np.array([[1e16], [1.0], [-1e16]])
    pair = Pair(rows, rows[[0, 2, 1]], "the same records in another order")
    assert assert_sensitivity(total, [pair], 0).distance == 0
    with pytest.raises(SensitivityError, match="another order"):
        assert_sensitivity(total, [pair], Fraction(1, 2), arithmetic="doubles")


def test_the_last_unit_is_decided_exactly_and_called_rounding() -> None:
    pair = (np.array([[0.1 + 0.2]]), np.array([[0.0]]))
    with pytest.raises(SensitivityError, match="so little more is rounding"):
        assert_sensitivity(total, [pair], Fraction(3, 10), arithmetic="doubles")
    found = assert_sensitivity(total, [pair], Fraction(3, 10), slack=Fraction(1, 10**16), arithmetic="doubles")
    assert found.distance > Fraction(3, 10)


def test_pairs_are_given_in_any_of_three_ways() -> None:
    one = Pair(ROWS, ROWS[1:])
    assert all(search(total, given).evaluated == 1 for given in (one, [one], lambda: [(ROWS, ROWS[1:])]))
    for wrong in ([ROWS], [(1, 2, 3)]):
        with pytest.raises(InvalidArgumentError, match="2-tuples"):
            search(total, wrong)
    with pytest.raises(InvalidArgumentError, match="at least one pair"):
        assert_sensitivity(total, [], 1)
    with pytest.raises(InvalidArgumentError, match="not finite"):
        search(lambda rows: rows * np.nan, one)
    with pytest.raises(InvalidArgumentError, match="numbers on one data set"):
        search(lambda rows: rows[:, 0], one)


def test_structures_of_arrays_are_evaluated_exactly_too() -> None:
    data = {"features": ROWS, "labels": np.array([1, 0, 1])}
    value, exactly = evaluated(lambda d: (d["features"].sum(), d["labels"].sum()), data)
    assert exactly
    assert value[1] == 2


def cut_at_one(rows: Any) -> Any:
    return np.minimum(rows, 1).sum(axis=0)


def test_what_exact_numbers_cannot_hold_is_evaluated_in_doubles_or_refused() -> None:
    pair = (np.array([np.inf]), np.array([0.0]))
    found = assert_sensitivity(cut_at_one, [pair], 1)
    assert (found.exactly, found.distance) == (False, distance([Fraction(1)], [Fraction(0)]))
    with pytest.raises(InvalidArgumentError, match="cannot be evaluated exactly"):
        assert_sensitivity(cut_at_one, [pair], 1, arithmetic="exact")
    with (
        pytest.raises(InvalidArgumentError, match="not finite"),
        np.errstate(invalid="ignore"),
    ):
        assert_sensitivity(lambda rows: rows.sum(axis=0) / len(rows), worst_pairs(ROWS, AddOrRemoveOne, BOX), 1)
    for answer in (None, 1j, "one"):
        with pytest.raises(InvalidArgumentError, match="no real number"):
            evaluated([answer].__getitem__, 0)


def test_whole_numbers_beyond_doubles_are_told_apart() -> None:
    """As doubles they would be one number, and the query would seem not to move."""
    pair = (np.array([2**53]), np.array([2**53 + 1]))
    assert assert_sensitivity(total, [pair], 1, norm=L1, arithmetic="doubles").distance == 1


# ------------------------------------------------------------------------------------ a whole run


def runs(bug: str = "") -> Any:
    run = reference(4)

    def foreign(data: Any, draws: Sequence[FloatArray]) -> list[Step]:
        return numpy_loop(run, TapeGenerator(run, Tape(run, tuple(draws))), bug, data=data)

    return run, foreign


def worst_gradients() -> Pair:
    """A record whose clipped gradient turns round when its label does."""
    run = reference(4)
    x, y = run.problem["features"].copy(), run.problem["labels"].copy()
    x[0], y[0] = np.array([0.0, 0.0, 1.0]), 1.0
    other = y.copy()
    other[0] = -1.0
    return Pair({"features": x, "labels": y}, {"features": x, "labels": other}, "a label turned round")


def test_the_queries_of_a_run_move_by_what_is_declared() -> None:
    run, foreign = runs()
    bound = Fraction(2) * Fraction(CLIP) / run.records
    found = assert_sensitivity_of_run(foreign, [worst_gradients()], bound, draws=run)
    assert bound * Fraction(999_999, 10**6) < found.distance <= bound * (1 + Fraction(1, 10**9))


def test_planted_bug_a_run_that_does_not_clip_is_refused_at_its_step() -> None:
    run, foreign = runs("unclipped")
    bound = Fraction(2) * Fraction(CLIP) / run.records
    with pytest.raises(SensitivityError, match="step 0 of 4: the query moves by") as caught:
        assert_sensitivity_of_run(foreign, [worst_gradients()], bound, draws=run)
    assert caught.value.step == 0


def test_planted_bug_a_step_that_forgets_to_clip_late_is_found_there() -> None:
    """Without forced answers the iterates of the two runs would have parted long before."""
    run, right = runs()
    _, wrong = runs("unclipped")

    def foreign(data: Any, draws: Sequence[FloatArray]) -> list[Step]:
        return [*right(data, draws)[:2], *wrong(data, draws)[2:]]

    bound = Fraction(2) * Fraction(CLIP) / run.records
    with pytest.raises(SensitivityError) as caught:
        assert_sensitivity_of_run(foreign, [worst_gradients()], bound, draws=run)
    assert caught.value.step == 2


def constant(query: float, noise: float = 1.0) -> Any:
    """A run whose query is the data, and whose noise is so many times the draw."""
    return lambda data, draws: [Step(query=query * data, noise=noise * z) for z in draws]


def test_no_pair_and_no_draw_are_no_agreement() -> None:
    one = np.ones(1)
    pairs = iter([(0 * one, one)])
    assert assert_sensitivity_of_run(constant(1), pairs, 1, draws=[one]).evaluated == 1
    with pytest.raises(InvalidArgumentError, match="at least one pair"):
        assert_sensitivity_of_run(constant(1), pairs, 0, draws=[one])
    with pytest.raises(InvalidArgumentError, match="at least one step"):
        assert_sensitivity_of_run(constant(1), [(0 * one, one)], 0, draws=[])


def own_scale(data: Any, draws: Any) -> list[Step]:
    """Noise of another scale on another data set: the answers come out otherwise than they were."""
    return [Step(query=data, noise=(1 + data[0]) * z) for z in draws]


def per_coordinate(data: Any, draws: Any) -> list[Step]:
    return [Step(query=data, noise=np.array([1.0, 3.0]) * z) for z in draws]


def shorter(data: Any, draws: Any) -> list[Step]:
    return [Step(query=data, noise=z) for z in draws[int(data[0]) :]]


def wider(data: Any, draws: Any) -> list[Step]:
    return [Step(query=np.ones(2 + int(data[0])), noise=np.ones(2 + int(data[0]))) for _ in draws]


@pytest.mark.parametrize(
    ("foreign", "said"),
    [
        (own_scale, "cannot be forced"),
        (per_coordinate, "cannot be forced"),
        (shorter, "makes 2 steps of 3 draws"),
        (wider, "2 coordinates on one data set and 3 on the other"),
        (constant(np.nan), "not finite"),
        (lambda data, draws: [Step(query=data, noise=np.ones(3)) for _ in draws], "2 coordinates in its query and 3"),
    ],
)
def test_a_run_whose_answers_cannot_be_forced_is_refused(foreign: Any, said: str) -> None:
    pair = (np.zeros(2), np.ones(2))
    with pytest.raises(InvalidArgumentError, match=said):
        assert_sensitivity_of_run(foreign, [pair], 2, draws=[np.array([1.0, -2.0])] * 3)


def test_a_run_may_change_the_draws_that_it_gets() -> None:
    """Noise that is scaled in place must not become the next run's draws."""

    def in_place(data: Any, draws: Any) -> list[Step]:
        steps, w = [], np.zeros(2)
        for z in draws:
            steps.append(Step(query=w + data, noise=np.multiply(z, 8.0, out=z)))
            w = w + data + z
        return steps

    pair = (np.zeros(2), np.ones(2))
    found = assert_sensitivity_of_run(in_place, [pair], 1, norm=Linf, draws=[np.ones(2)] * 3)
    assert found.distance == 1


def test_a_run_without_noise_cannot_be_forced() -> None:
    run, _ = runs()
    silent = [Step(query=np.ones(3) / 1000, noise=np.zeros(3))] * 4
    with pytest.raises(InvalidArgumentError, match="adds no noise"):
        assert_sensitivity_of_run(lambda data, draws: silent, [worst_gradients()], 1, draws=run)
    with pytest.raises(InvalidArgumentError, match="the query and the noise of every step"):
        assert_sensitivity_of_run(lambda data, draws: [Step()] * 4, [worst_gradients()], 1, draws=run)
    assert L2.name == "l2"
