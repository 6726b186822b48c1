"""What outputs are read as: each by itself whatever stands beside it, different ones differently, none too late."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import Generator

from dpref.errors import ForeignCodeError
from dpref.foreign.chunks import ChunkSpec, run_chunk
from dpref.foreign.features import FeatureMap, Level, units
from dpref.foreign.outputs import Outputs
from dpref.foreign.pairs import Pair

BIG = 2**60


class Two(NamedTuple):
    a: Any
    b: Any


@dataclass
class Loose:
    value: Any


@dataclass(frozen=True)
class Fixed:
    value: Any


def read(outputs: Outputs, i: int) -> tuple[str, bytes, tuple[str, ...]]:
    numbers = outputs.numbers[i]
    while len(numbers) and np.isnan(numbers[-1]):
        numbers = numbers[:-1]
    return outputs.structures[outputs.code[i]], numbers.tobytes(), outputs.texts[i]


# ------------------------------------------------------------------------------------ whatever stands beside it


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([1, 1]), np.array([1, BIG])),
        (np.array([1, 1]), np.array([1, 2**70], dtype=object)),
        (np.array([1.0, 2.0]), np.array([1.0, None])),
        (np.array([1, 2]), np.array([1, 2.5])),
        (np.array([1.0, 2.0]), np.array([1.0, 1j])),
        (np.array([BIG, 1]), np.array([BIG, 2.5])),
        (np.array([[BIG, 1], [3, 4]]), np.array([[BIG, 1], [3, 2.5]])),
        (np.array([BIG + 1, 1]), np.array([BIG + 1, 2**70])),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, BIG]])),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, None]])),
        (np.array(["a", "b"]), np.array(["a", "bcd"])),
        (np.array(["a", "b"]), np.array(["a", None])),
        (np.array([[1.0, np.nan], [3, 4]]), np.array([[1.0, np.nan], [3, None]])),
        (np.array([["a", 1.5], ["b", None]]), np.array([["a", 1.5], ["b", 2**70]], dtype=object)),
        (np.array([["a", "b"]] * 2), np.array([["a", "b"], ["a", "bcd"]])),
        ((np.array([1, 1]), np.zeros(2)), (np.array([1, BIG]), np.zeros(2))),
        (Two(np.array([1, 1]), np.zeros(2)), Two(np.array([1, BIG]), np.zeros(2))),
        (Fixed((np.array([1, 1]),)), Fixed((np.array([1, BIG]),))),
        ({"a": {"b": np.array([1, 1])}}, {"a": {"b": np.array([1, BIG])}}),
        (np.ma.array([1, 1], mask=[True, False]), np.ma.array([1, BIG], mask=[True, True])),
        ([{1: 2.0}, {1: 2.0}], [{1: 2.0}, {True: 2.0}]),
    ],
)
def test_a_row_of_a_batch_reads_alike_whatever_stands_beside_it(one: Any, other: Any) -> None:
    assert read(Outputs.batch(one, 2), 0) == read(Outputs.batch(other, 2), 0)
    assert read(Outputs.batch(other, 2), 0) != read(Outputs.batch(other, 2), 1)


def test_an_equal_key_of_another_type_before_it_does_not_rename_a_dict() -> None:
    assert read(Outputs.of([{1: 2.0}, {True: 2.0}]), 1) == read(Outputs.of([{True: 2.0}]), 0)


# ------------------------------------------------------------------------------------ different ones differently


class Series:
    """As that of pandas."""

    def __init__(self, values: Any, index: Any, name: str = "") -> None:
        self.values, self.index, self.name = values, index, name

    def to_numpy(self) -> Any:
        return np.asarray(self.values)

    def __array__(self, *args: Any, **more: Any) -> Any:
        return np.asarray(self.values)


class Frame:
    """As that of pandas."""

    def __init__(self, columns: dict[str, Any], index: Any) -> None:
        self.parts, self.index = columns, index
        self.columns = list(columns)

    def items(self) -> Any:
        return [(name, Series(values, self.index, name)) for name, values in self.parts.items()]

    to_numpy = __array__ = None


LONG = np.finfo(np.longdouble).eps < np.finfo(np.float64).eps


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([2**53]), np.array([2**53 + 1])),
        (np.int64(2**53), np.int64(2**53 + 1)),
        (2**200 + 2**110, 2**200 + 2**110 + 1),
        ({1, 2}, [1, 2]),
        ({1, 2}, frozenset({1, 2})),
        (np.ma.array([1.0], mask=[True]), np.ma.array([1.0], mask=[False])),
        (np.ma.array([1.0], mask=[False]), np.array([1.0])),
        ({5: 1.0}, {"5": 1.0}),
        ({1: 1.0}, {True: 1.0}),
        ({"a: float, b": 1.0}, {"a": 1.0}),
        (0.0, -0.0),
        (np.array([0x7FF8000000000000]).view(np.float64), np.array([0x7FF8000000000001]).view(np.float64)),
        (Series([1.0], ["a"]), Series([1.0], ["b"])),
        (Series([1.0], ["a"], "x"), Series([1.0], ["a"], "y")),
        (Frame({"x": [1.0]}, [0]), Frame({"y": [1.0]}, [0])),
        (Frame({"x": [1.0]}, [0]), Frame({"x": [1.0]}, [1])),
        *[
            pytest.param(one, other, marks=pytest.mark.skipif(not LONG, reason="long doubles are doubles here"))
            for one, other in (
                (np.clongdouble(1), np.clongdouble(1) + np.finfo(np.longdouble).eps),
                (np.longdouble("1e400"), np.longdouble("1e401")),
                (np.longdouble("1e-400"), np.longdouble("1e-401")),
                (np.clongdouble(np.longdouble("1e400")), np.clongdouble(np.longdouble("1e401"))),
            )
        ],
    ],
)
def test_what_differs_is_read_differently(one: Any, other: Any) -> None:
    alone, both = (Outputs.of([one]), Outputs.of([other])), Outputs.of([one, other])
    bits = [(*read(outputs, 0), outputs.numbers[0].view(np.int64).tolist()) for outputs in alone]
    assert bits[0] != bits[1]
    assert [read(both, 0), read(both, 1)] == [read(alone[0], 0), read(alone[1], 0)]


def test_an_entry_beside_a_text_stays_a_number() -> None:
    row = Outputs.batch(np.array([["a", 1.5], ["b", 2**60 + 1]], dtype=object), 2)
    assert [row.numbers[0, 0], row.numbers[1].tolist()] == [1.5, [2.0**60, 1.0]]
    both = Outputs.batch(np.array([[2**60 + 1, 0.5], [2**60, 0.5]], dtype=object), 2)
    assert read(both, 0) != read(both, 1)


class Labelled:
    def __array__(self, *args: Any, **more: Any) -> Any:
        return np.zeros(2)


class Unwilling(Labelled):
    __dlpack__ = None

    def __array__(self, *args: Any, **more: Any) -> Any:
        raise RuntimeError("it requires a gradient")


class Unit(np.ndarray[Any, Any]):
    """An array with something beside its entries."""


def united() -> Unit:
    made = np.zeros(2).view(Unit)
    made.unit = "m"  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (Labelled(), "of an array with labels or units, its values and these"),
        (united(), "of an array with labels or units, its values and these"),
        (Unwilling(), r"cannot be converted to an array of numpy \(RuntimeError: it requires a gradient\)"),
        ({object(): 1.0}, r"a dict with a key of builtins\.object: its keys must be texts"),
    ],
)
def test_what_cannot_be_told_apart_is_refused_and_named(output: Any, words: str) -> None:
    with pytest.raises(ForeignCodeError, match=words):
        Outputs.of([output])


def features(level: Level, first: list[Any], second: list[Any]) -> tuple[Any, Any]:
    seen = Outputs.of(first), Outputs.of(second)
    fitted = FeatureMap.fit(level, units(Outputs.concatenate(seen)), *seen)
    made = fitted.of(seen[0]), fitted.of(seen[1])
    assert made[0].shape[1] == len(fitted.names)
    return made


NAN = np.array([0x7FF8000000000000, 0x7FF8000000000001]).view(np.float64).tolist()


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (NAN[0], NAN[1]), (NAN[0], -NAN[0])])
def test_the_sign_of_zero_and_the_bits_of_nan_are_bits_and_no_values(one: float, other: float) -> None:
    for level in ("values", "bits"):
        first, second = features(level, [[one, 1.0]] * 9, [[other, 1.0]] * 9)
        assert np.array_equal(first, second, equal_nan=True) == (level == "values")


# ------------------------------------------------------------------------------------ texts


@pytest.mark.parametrize("noise", [lambda i: f"{i:032x}", lambda i: Fraction(i, 7), lambda i: Decimal(i) / 7])
def test_a_text_that_is_always_new_does_not_hide_the_label_beside_it(noise: Callable[[int], Any]) -> None:
    first, second = features("values", [("no", noise(i)) for i in range(99)], [("yes", noise(-i)) for i in range(99)])
    assert any(set(a) == {x} and set(b) == {y} for a, b in zip(first.T, second.T, strict=True) for x, y in [(0, 1)])


def test_texts_that_are_mostly_new_are_named() -> None:
    def unread(texts: list[Any]) -> tuple[str, ...]:
        seen = Outputs.of(texts)
        return FeatureMap.fit("values", units(seen), seen, seen.take(slice(0, 0))).unread

    assert unread([("a", f"{i}") for i in range(99)]) == ("text 1",)
    assert unread([f"{i}" for i in range(99)]) == ("the text",)
    assert unread([f"{i % 9}" for i in range(99)]) == unread([1.0] * 99) == ()
    assert unread([f"{i % 500}" for i in range(5_000)]) == ("the text",)  # frequent, but too many to be told apart


# ------------------------------------------------------------------------------------ never too late


def reused(buffer: Any, write: Callable[[Any, float], Any]) -> Callable[[Any, Generator], Any]:
    def f(data: Any, rng: Generator) -> Any:
        write(buffer, rng.normal() if not isinstance(buffer, bytearray) else int(rng.integers(256)))
        return buffer

    return f


def first_entry(buffer: Any, value: float) -> None:
    buffer[0] = value


OBJECT = np.array([None, [0.0]], dtype=object)


@pytest.mark.parametrize(
    ("buffer", "write"),
    [
        (np.zeros(1), first_entry),
        (bytearray(1), first_entry),
        (Two(np.zeros(1), 0), lambda buffer, value: first_entry(buffer.a, value)),
        (Loose(np.zeros(1)), lambda buffer, value: first_entry(buffer.value, value)),
        (Fixed([0.0]), lambda buffer, value: first_entry(buffer.value, value)),
        (Loose(0.0), lambda buffer, value: setattr(buffer, "value", value)),
        (np.ma.array([0.0]), first_entry),
        (np.zeros(1).view(np.matrix), lambda buffer, value: buffer.fill(value)),
        (OBJECT, lambda buffer, value: first_entry(buffer[1], value)),
        (np.zeros(1, dtype=[("x", float)])[0], first_entry),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_used_again_is_copied_before_the_next_run(buffer: Any, write: Any) -> None:
    result = run_chunk(ChunkSpec(reused(buffer, write), Pair(0.0, 1.0), 0, 0, 9))
    assert len({read(side, i) for side in (result.first, result.second) for i in range(9)}) > 15


def test_what_cannot_be_copied_is_named_with_its_run() -> None:
    with pytest.raises(
        ForeignCodeError, match=r"returned a builtins\.generator that cannot be copied .* \(in run 0, on"
    ):
        run_chunk(ChunkSpec(lambda data, rng: (i for i in range(3)), Pair(0.0, 1.0), 0, 0, 2))
