"""What a curator takes in and hands out: nothing aliased, wrapped around, copied or mistaken for something else."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.curator import GriddedCurator, LiveCurator, RecordingCurator
from dpref.curator import gridded as curators
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.mechanisms.bits import SystemBits
from dpref.mechanisms.exponential import ChoiceNoise
from dpref.mechanisms.gridded import rounded, squared_sensitivity
from dpref.mechanisms.noise import GaussianNoise
from dpref.mechanisms.tree import TreeAggregation
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.ledger import Compose, Gaussian, Repeat
from dpref.privacy.events.tree import most_nodes
from dpref.problems.erm import Records
from dpref.reals import FloatArray
from dpref.units import L2, Linf, ReplaceOne, Sensitivity, Span

ONE = Sensitivity(Fraction(1), L2, ReplaceOne)
DATA = Records(np.zeros((20, 1)), np.arange(20.0))


def live(data: Any, seed: int = 0) -> Any:
    return LiveCurator(data, ReplaceOne, np.random.default_rng(seed))


def on_grid(data: Any, grid: Fraction = Fraction(1), error: Fraction = Fraction(0)) -> Any:
    return GriddedCurator(data, ReplaceOne, grid=grid, evaluation_error=error)


def opened(of: Any, leaves: int = 4, std: float = 64.0) -> Any:
    return of.tree(leaves=leaves, sensitivity=ONE, noise=GaussianNoise(std), label="tree")


# ------------------------------------------------------------------------------------ nodes of a gridded tree

ELEMENTS = (0.5, 2.0**60, -(2.0**60))
MOVES = ((128.0, 129.0), (0.5, 1.5), (-0.5, 0.5))


def nodes(stream: tuple[float, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], Any]:
    """The integers that get noise, one node an element, and the ledger."""
    seen: list[int] = []

    def noted(self: Any, integers: list[int], sigma: Fraction) -> FloatArray:
        seen.extend(integers)
        return np.zeros(len(integers))

    monkeypatch.setattr(curators.GriddedCurator, "_released", noted)
    of = on_grid(stream)
    tree = opened(of, len(stream))
    for t in range(len(stream)):
        of.prefix_sum(tree, lambda data, t=t: np.array([data[t]]), label="x")
    return seen, of.ledger.event


@pytest.mark.slow
def test_no_node_of_a_gridded_tree_moves_further_than_is_accounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stream of four of these elements, and every neighbour of it that one element makes: at every height."""
    for others in itertools.product(ELEMENTS, repeat=3):
        for place, (x, y) in itertools.product(range(4), MOVES):
            one, other = ((*others[:place], z, *others[place:]) for z in (x, y))
            (first, event), (second, _) = nodes(one, monkeypatch), nodes(other, monkeypatch)
            moved = [(a - b) ** 2 for a, b in zip(first, second, strict=True) if a != b]
            assert isinstance(event, Repeat)
            assert isinstance(event.event, GriddedGaussian)
            assert event.event.squared_sensitivity == squared_sensitivity(Fraction(1), Fraction(1), 1, Fraction(0)) == 4
            assert max(moved, default=0) <= event.event.squared_sensitivity
            assert len(moved) <= event.count == most_nodes(4)


@pytest.mark.parametrize(("element", "total"), [(128.0, 128), (128.4, 128), (129.0, 129)])
def test_a_node_is_the_exact_sum_of_rounded_elements(
    element: float, total: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = nodes((2.0**60, element, -(2.0**60), 0.4), monkeypatch)[0]
    assert found == [2**53, 2**53 + total, -(2**53), total]


# ------------------------------------------------------------------------------------ what a tree takes in


@pytest.mark.parametrize(
    ("dtype", "stream"),
    [(np.uint8, [200, 56]), (np.int8, [100, 100]), (np.float16, [2048, 1]), (np.int64, [2**62, 2**62]), (bool, [1, 1])],
)
def test_elements_of_any_type_are_added_as_doubles(dtype: Any, stream: list[int]) -> None:
    of = live(np.array(stream, dtype=dtype))
    tree = opened(of, std=0.0)
    answers = [of.prefix_sum(tree, lambda data, t=t: data[t : t + 1], label="x") for t in range(2)]
    assert [float(answer[0]) for answer in answers] == [stream[0], sum(stream)]
    assert {answer.dtype for answer in answers} == {np.dtype(np.float64)}


def test_a_buffer_that_a_query_uses_again_is_not_an_element_again() -> None:
    of, buffer = live(np.array([1.0, 5.0])), np.empty(1)

    def element(t: int) -> Any:
        def fill(data: FloatArray) -> FloatArray:
            buffer[0] = data[t]
            return buffer

        return fill

    tree = opened(of, std=0.0)
    assert [float(of.prefix_sum(tree, element(t), label="x")[0]) for t in range(2)] == [1.0, 6.0]


def test_an_answer_that_is_changed_in_place_does_not_change_later_ones() -> None:
    of = live(np.array([1.0, 2.0, 4.0]))
    tree = opened(of, std=0.0)
    for t, expected in enumerate((1.0, 3.0, 7.0)):
        answer = of.prefix_sum(tree, lambda data, t=t: data[t : t + 1], label="x")
        assert answer.tolist() == [expected]
        answer += 100.0


def test_what_a_query_asks_of_its_own_curator_is_paid_for_too() -> None:
    of = live(np.array([1.0]))
    tree = opened(of)

    def element(data: FloatArray) -> FloatArray:
        of.gaussian(lambda data: data, sensitivity=ONE, std=2.0, label="q")
        asked: FloatArray = of.prefix_sum(tree, lambda data: data, label="inner")
        return asked * 0 + data

    of.prefix_sum(tree, element, label="outer")
    assert of.ledger.event == Compose((Repeat(Gaussian(Fraction(64)), 2), Gaussian(Fraction(2))))


def test_a_query_that_leaves_a_restriction_open_overwrites_nothing() -> None:
    of = live(DATA)
    tree, scopes = opened(of), []

    def element(data: Any) -> FloatArray:
        scopes.append(of.restricted(range(3)))
        scopes[0].__enter__().gaussian(lambda data: data.labels, sensitivity=ONE, std=2.0, label="q")
        return np.zeros(1)

    of.prefix_sum(tree, element, label="x")
    scopes[0].__exit__(None, None, None)
    assert of.ledger.event == Compose((Gaussian(Fraction(64)), Gaussian(Fraction(2))))


def test_what_is_held_is_neither_the_querys_array_nor_changed_by_later_queries() -> None:
    of, buffer = live(np.zeros(1)), np.zeros(1)
    held = of.hold(lambda data: buffer, label="h")
    buffer[0] = 77.0

    def answer() -> float:
        return float(of.held_gaussian(lambda v: v, held=(held,), sensitivity=ONE, std=0.0, label="x")[0])

    assert answer() == 0.0
    with pytest.raises(ValueError, match="read-only"):
        of.held_gaussian(lambda v: np.add(v, 1.0, out=v), held=(held,), sensitivity=ONE, std=0.0, label="x")
    assert answer() == 0.0


@pytest.mark.parametrize("make", [live, on_grid])
def test_an_element_of_another_shape_is_refused_and_nothing_is_spent(make: Any) -> None:
    of = make(np.array([1.0]))
    tree = opened(of)
    of.prefix_sum(tree, lambda _: np.zeros(3), label="a")
    spent = of.ledger
    for wrong in (np.zeros(1), np.zeros((3, 1)), np.zeros((1, 3))):
        with pytest.raises(InvalidArgumentError, match="shape"):
            of.prefix_sum(tree, lambda _, wrong=wrong: wrong, label="b")
    assert of.ledger == spent
    of.prefix_sum(tree, lambda _: np.zeros(3), label="c")
    assert of._trees[tree.number].sums.arrived == 2


def test_a_node_is_paid_for_before_it_is_released_and_a_failure_loses_no_element() -> None:
    of = RecordingCurator(np.array([1.0]), ReplaceOne, np.random.default_rng(0))
    tree = opened(of)
    seen: list[Any] = []

    def failing(rng: Any, shape: Any) -> Any:
        seen.append(of.ledger.event)
        raise MemoryError

    of._trees[tree.number] = opened_with(of._trees[tree.number], failing)
    with pytest.raises(MemoryError):
        of.prefix_sum(tree, lambda data: data, label="x")
    assert seen == [Gaussian(Fraction(64))]
    sums = TreeAggregation(4)
    for x in (1.0, 2.0, 4.0):
        sums.add(np.array([x]), lambda total: total)

    def fail(total: Any) -> Any:
        raise MemoryError

    with pytest.raises(MemoryError):
        sums.add(np.array([8.0]), fail)
    assert sums.add(np.array([8.0]), lambda total: total).tolist() == [15.0]


def opened_with(tree: Any, draw: Any) -> Any:
    """The tree with noise that is drawn in this way."""

    class Drawn:
        std, norm, event = tree.noise.std, tree.noise.norm, staticmethod(tree.noise.event)

    Drawn.draw = staticmethod(draw)  # type: ignore[attr-defined]
    return type(tree)(tree.sums, tree.sensitivity, Drawn(), tree.place)


# ------------------------------------------------------------------------------------ bits are used once


def asked(of: Any) -> float:
    return float(of.gaussian(lambda data: data, sensitivity=ONE, std=2.0**70, label="q")[0])


def test_the_systems_bits_are_never_drawn_twice_after_a_copy_or_a_fork() -> None:
    bits = SystemBits()
    bits.take(1)
    for other in (copy.copy(bits), copy.deepcopy(bits), pickle.loads(pickle.dumps(bits))):  # noqa: S301 - our own
        assert bits.take(128) != other.take(128)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, str(bits.take(128)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(read, 100)) != bits.take(128)


def test_threads_draw_bits_of_their_own_as_wide_as_asked_for() -> None:
    bits = SystemBits()
    drawn: list[int] = []
    threads = [threading.Thread(target=lambda: drawn.extend(bits.take(128) for _ in range(500))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 2000
    assert all(0 <= x < 2**128 for x in drawn)


@pytest.mark.parametrize("make", [live, on_grid])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_curator_cannot_be_copied(make: Any, copied: Any) -> None:
    with pytest.raises(TypeError, match="neither ledger"):
        copied(make(np.zeros(1)))


# ------------------------------------------------------------------------------------ handles and restrictions


def test_a_handle_from_within_a_restriction_names_nothing_outside_it() -> None:
    of = live(DATA)
    outer, tree, place = of.hold(lambda _: np.full(1, 1e6), label="h"), opened(of, std=0.001), of.share()
    with of.restricted(range(3)) as own:
        inner, inner_tree, inner_place = own.hold(lambda _: np.zeros(1), label="h"), opened(own), own.share()
        for strange in (outer, inner_tree):
            with pytest.raises(InvalidArgumentError, match="handle"):
                own.held_gaussian(lambda v: v, held=(strange,), sensitivity=ONE, std=1.0, label="x")
    for strange in (inner, tree, inner_tree):
        with pytest.raises(InvalidArgumentError, match="handle"):
            of.held_gaussian(lambda v: v, held=(strange,), sensitivity=ONE, std=1.0, label="x")
    for strange in (inner_tree, inner, outer):
        with pytest.raises(InvalidArgumentError, match="handle"):
            of.prefix_sum(strange, lambda _: np.zeros(1), label="y")
    one, noise = Sensitivity(Fraction(1), Span, ReplaceOne), ChoiceNoise("laplace", 1.0)
    of.noisy_max(lambda data: data.labels, sensitivity=one, noise=noise, label="", place=place)
    with pytest.raises(InvalidArgumentError, match="place"):
        of.noisy_max(lambda data: data.labels, sensitivity=one, noise=noise, label="", place=inner_place)


def test_a_handle_of_another_curator_is_refused() -> None:
    one, other = live(DATA), live(DATA)
    handles = [c.hold(lambda _: np.zeros(1), label="h") for c in (one, other)]
    with pytest.raises(InvalidArgumentError, match="handle"):
        one.held_gaussian(lambda v: v, held=(handles[1],), sensitivity=ONE, std=1.0, label="x")


def test_restrictions_that_end_in_the_wrong_order_lose_nothing_that_was_spent() -> None:
    of = live(DATA)
    whole, part = ({"sensitivity": ONE, "std": std, "label": ""} for std in (1.0, 2.0))
    of.gaussian(lambda data: data.labels, **whole)
    first = of.restricted(range(10))
    first.__enter__()
    second = of.restricted(range(3))
    second.__enter__().gaussian(lambda data: data.labels, **part)
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert of.ledger.event == Compose((Gaussian(Fraction(1)), Gaussian(Fraction(2))))
    assert of.gaussian(lambda data: data.labels, **whole).shape == (20,)


# ------------------------------------------------------------------------------------ types of values


@pytest.mark.parametrize(
    "value",
    [np.array([x], dtype=t) for t in (bool, np.int8, np.uint8, np.int16, np.float32, np.longdouble) for x in (0, 1)],
    ids=lambda v: f"{v.dtype}-{v[0]}",
)
def test_a_gridded_answer_depends_on_the_value_not_on_its_type(value: Any) -> None:
    assert rounded(value, Fraction(1, 2**20)) == [int(value[0]) << 20]
    of = on_grid(value, Fraction(1, 2**20))
    assert of.gaussian(lambda data: data, sensitivity=ONE, std=1.0, label="q").dtype == np.float64


def test_an_answer_carries_nothing_past_the_noise() -> None:
    """A mask, a subclass with the data on it, digits beyond a double's."""
    masked = np.ma.MaskedArray([1.0, 2.0], mask=[True, False])
    long = np.array([1.0, 2.0], dtype=np.longdouble)
    for value in (masked, long):
        answer = live(value).gaussian(lambda data: data, sensitivity=ONE, std=1.0, label="q")
        assert type(answer) is np.ndarray
        assert answer.dtype == np.float64
    with pytest.raises(InvalidArgumentError, match="finite"):
        live(np.ma.MaskedArray([np.nan, 1.0], mask=[True, False])).hold(lambda data: data, label="h")


@pytest.mark.parametrize(
    "value",
    [
        np.array([1 + 0j]), np.array(["1"]), np.array([None]), np.array([1j], dtype=object), np.array([], dtype=float),
        np.array(["2020"], dtype="M8[Y]"), np.array([10**400], dtype=object), [1.0], 1.0,
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_array_of_real_numbers_is_refused(value: Any) -> None:
    of = live(None)
    exactly = Sensitivity(Fraction(1), Linf, ReplaceOne)
    asks: list[Callable[[], Any]] = [
        lambda: of.gaussian(lambda _: value, sensitivity=ONE, std=1.0, label="q"),
        lambda: of.hold(lambda _: value, label="q"),
        lambda: of.prefix_sum(opened(of), lambda _: value, label="q"),
        lambda: of.select(lambda _: value, sensitivity=exactly, epsilon=Fraction(1), label="q"),
    ]
    for ask in asks:
        with pytest.raises(InvalidArgumentError, match="a query's value"):
            ask()
    assert of.ledger.event == Compose(())


def test_noise_is_drawn_with_the_double_that_is_accounted() -> None:
    """2^53 + 1 is no double."""
    of = live(np.zeros(1))
    of.gaussian(lambda data: data, sensitivity=ONE, std=2**53 + 1, label="q")
    assert of.ledger.event == Gaussian(Fraction(2**53))
    assert (GaussianNoise(2**53 + 1).std, ChoiceNoise("laplace", 2**53 + 1).scale) == (2.0**53, 2.0**53)


def test_noise_of_another_shape_than_the_answer_is_refused() -> None:
    """One draw for all coordinates would be subtracted from all of them."""
    of = live(np.zeros(3))
    tree = opened(of)
    of._trees[tree.number] = opened_with(of._trees[tree.number], lambda rng, _: rng.standard_normal(1))
    with pytest.raises(InvalidArgumentError, match="noise"):
        of.prefix_sum(tree, lambda data: data, label="x")


def test_a_gridded_answer_is_accounted_in_the_l2_norm_alone() -> None:
    """A sensitivity of 1 in the linf norm is one of sqrt d in the norm of the event."""
    of = on_grid(np.zeros(3))

    class Mislabelled:
        std, norm, draw = 64.0, Linf, None

        def event(self, sensitivity: Any) -> Gaussian:
            return Gaussian(Fraction(64))

    one = Sensitivity(Fraction(1), Linf, ReplaceOne)
    tree = of.tree(leaves=2, sensitivity=one, noise=Mislabelled(), label="t")
    with pytest.raises(UnsupportedEventError, match="Gaussian"):
        of.prefix_sum(tree, lambda data: data, label="x")
