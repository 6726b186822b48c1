"""Outputs of callables as numbers and texts, pairs of data sets, and chunks of runs."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from dpref.errors import ForeignCodeError, InvalidArgumentError
from dpref.foreign.chunks import ChunkSpec, run_chunk
from dpref.foreign.data import fingerprint
from dpref.foreign.outputs import Outputs
from dpref.foreign.pairs import ON_TRUST, Pair, candidates, neighbours
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut


@dataclass(frozen=True)
class Answer:
    value: float
    word: str


MIXED: tuple[Any, ...] = (
    1.5,
    float("nan"),
    float("inf"),
    None,
    "a",
    b"\x00\xff",
    True,
    3,
    2**60,
    2**60 + 1,
    1e400,
    np.float32(0.1),
    np.longdouble(1) / 3,
    np.array([1 + 2j]),
    np.array(["x", None], dtype=object),
    np.array("2020-01-01", dtype="M8[D]"),
    [1.0, None],
    (1.0, [2.0, {"k": 3}]),
    {"b": 1, "a": 2.0},
    {1, 2},
    Fraction(1, 3),
    Answer(1.0, "w"),
    [],
    (),
    np.empty(0),
)


def row(outputs: Outputs, i: int) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    numbers = outputs.numbers[i].tolist()
    while numbers and numbers[-1] != numbers[-1]:
        numbers.pop()
    return outputs.structures[outputs.code[i]], tuple(repr(number) for number in numbers), outputs.texts[i]


def test_outputs_of_any_kind_are_told_apart() -> None:
    seen = Outputs.of(MIXED)
    assert len({row(seen, i) for i in range(len(MIXED))}) == len(MIXED) - 1  # infinity is 1e400
    assert len(seen) == len(MIXED)
    assert list(dict.fromkeys(seen.code.tolist())) == list(range(len(seen.structures)))


@pytest.mark.parametrize("value", MIXED, ids=lambda value: f"{type(value).__name__} {value}"[:30])
def test_one_output_reads_alike_alone_and_among_others(value: Any) -> None:
    alone, several = Outputs.of([value]), Outputs.of([value, value, value])
    assert row(alone, 0) == row(several, 2) == row(Outputs.of([None, value, "z"]), 1)


def test_the_keys_of_a_dict_come_in_one_order() -> None:
    seen = Outputs.of([{"b": 1.0, "a": 2.0}, {"a": 2.0, "b": 1.0}])
    assert seen.numbers.tolist() == [[2.0, 1.0], [2.0, 1.0]]
    assert len(seen.structures) == 1


def test_a_batch_reads_as_its_runs() -> None:
    rng = np.random.default_rng(0)
    values, words = rng.normal(size=(4, 3)), ["a", "b", "a", "c"]
    batch = Outputs.batch({"v": values, "w": np.array(words)}, 4)
    single = Outputs.of([{"v": v, "w": np.str_(w)} for v, w in zip(values, words, strict=True)])
    assert batch.numbers.tolist() == single.numbers.tolist()
    assert batch.texts == single.texts


@pytest.mark.parametrize("output", [np.zeros(3), (np.zeros(4), np.zeros(3)), ["a"]])
def test_a_batch_with_another_number_of_rows_is_refused(output: Any) -> None:
    with pytest.raises(ForeignCodeError, match="axis 0 must count the 4 runs"):
        Outputs.batch(output, 4)


def test_concatenated_outputs_keep_their_structures() -> None:
    parts = [Outputs.of([value]) for value in MIXED]
    together = Outputs.concatenate(parts)
    assert [row(together, i) for i in range(len(MIXED))] == [row(part, 0) for part in parts]


def test_what_is_no_output_is_named() -> None:
    with pytest.raises(ForeignCodeError, match=r"returned a builtins\.object"):
        Outputs.of([1.0, object()])


# ------------------------------------------------------------------------------------ pairs


class Column:
    """As a series of pandas."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def to_numpy(self) -> Any:
        return self.values


class Frame:
    """As a data frame of pandas with one column."""

    def __init__(self, values: Any, index: Any = None, name: str = "x") -> None:
        self.columns, self._values = [name], values
        self.index = np.arange(len(values)) if index is None else index

    def __getitem__(self, name: str) -> Column:
        return Column(self._values)

    def to_numpy(self) -> Any:
        return np.asarray(self._values)[:, None]


class Unconvertible:
    """As a tensor that wants gradients, or lies elsewhere."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError

    def __reduce__(self) -> Any:
        raise RuntimeError


@dataclass
class Beside:
    x: Any

    def __post_init__(self) -> None:
        self.twice = 2 * self.x


def masked(values: Any, mask: Any) -> Any:
    return np.ma.array(values, mask=mask)


X = np.arange(12.0).reshape(6, 2)
MOVED = np.vstack([X[:5], [[9.0, 9.0]]])
NULLED = np.vstack([X[:5], [[0.0, 0.0]]])


@pytest.mark.parametrize(
    ("first", "second", "adjacency", "fine"),
    [
        (X, MOVED, ReplaceOne, True),
        (X, MOVED, ZeroOut, False),
        (X, NULLED, ZeroOut, True),
        (X, X[:5], AddOrRemoveOne, True),
        (X, X[:5], ReplaceOne, False),
        (X, X[:4], AddOrRemoveOne, False),
        (X, MOVED, AddOrRemoveOne, False),
        (X, X + 1, ReplaceOne, False),
        ((X, np.ones(6)), (X, np.eye(6)[0] + 1), ReplaceOne, True),
        ((X, np.ones(6)), (MOVED, np.eye(6)[0] + 1), ReplaceOne, False),
        ({"x": X, "n": 3}, {"x": MOVED, "n": 3}, ReplaceOne, True),
        ({"x": X, "n": 3}, {"x": MOVED, "n": 4}, ReplaceOne, False),
        ([1, "a", None], [1, "b", None], ReplaceOne, True),
        ([1, "a", None], [1, "a"], AddOrRemoveOne, True),
        (X, X[::-1], ReplaceOne, True),
        (np.array([np.nan, 1.0]), np.array([np.nan, 2.0]), ReplaceOne, True),
        (np.array([0.0, 1.0]), np.array([-0.0, 2.0]), ReplaceOne, True),
        (1.0, 50.0, ReplaceOne, True),
        # What an index calls a record belongs to it, unless it only counts.
        (Frame([1.0, 2.0, 3.0], ["u", "u", "u"]), Frame([1.0, 2.0, 4.0], ["a", "b", "c"]), ReplaceOne, False),
        (Frame([1.0, 2.0, 3.0], ["a", "b", "c"]), Frame([1.0, 2.0, 4.0], ["a", "b", "d"]), ReplaceOne, True),
        (Frame([1.0, 2.0, 3.0]), Frame([1.0, 3.0], [0, 2]), AddOrRemoveOne, True),
        (Frame([1.0, 2.0, 3.0]), Frame([1.0, 3.0]), AddOrRemoveOne, True),
        (Frame([1.0, 2.0]), Frame([1.0, 3.0], name="y"), ReplaceOne, False),
        (Frame([1, 2]), Frame([1.0, 3.0]), ReplaceOne, False),
        (masked([1.0, 2.0, 3.0], [1, 1, 1]), masked([1.0, 2.0, 4.0], [0, 0, 0]), ReplaceOne, False),
        (masked([1.0, 2.0, 3.0], [1, 0, 0]), masked([1.0, 2.0, 4.0], [1, 0, 0]), ReplaceOne, True),
        (np.arange(8.0).reshape(2, 4), np.arange(8.0).reshape(2, 2, 2), ReplaceOne, False),
        (np.zeros(3), np.array([0, 0, 1]), ReplaceOne, False),
        # Names and texts
        ({"x": X, "y": X + 1}, {"y": X, "x": X + 1}, ReplaceOne, False),
        ({"x": X}, {"z": MOVED}, ReplaceOne, False),
        ({"x": X, "y": np.ones(6)}, {"y": np.ones(6), "x": MOVED}, ReplaceOne, True),
        ({5: X, "n": 1}, {"5": MOVED, "n": 1}, ReplaceOne, False),
        (np.array(["a", "b"]), np.array(["a", "bcd"]), ReplaceOne, True),
        # What is no null record
        (["0", "a"], ["b", "a"], ZeroOut, False),
        (np.array([1j, 2]), np.array([3j, 2]), ZeroOut, False),
        (masked([0.0, 2.0], [1, 0]), masked([3.0, 2.0], [0, 0]), ZeroOut, False),
        # No record at all
        (X[:1], X[:0], AddOrRemoveOne, True),
    ],
)
def test_pairs_are_looked_at(first: Any, second: Any, adjacency: type[Adjacency], fine: bool) -> None:
    assert (not neighbours(Pair(first, second), adjacency).problem) == fine
    assert (not neighbours(Pair(second, first), adjacency).problem) == fine


def test_what_cannot_be_looked_into_is_the_callers_word() -> None:
    assert neighbours(Pair(object(), 2), ReplaceOne).warnings == (ON_TRUST,)
    assert neighbours(Pair(1, 2), ReplaceOne, same=lambda first, second: False).problem
    assert neighbours(Pair(Unconvertible(), Unconvertible()), ReplaceOne).warnings == (ON_TRUST,)
    assert neighbours(Pair(Beside(X), Beside(MOVED)), ReplaceOne).warnings == (ON_TRUST,)
    (warning,) = neighbours(Pair((X, Unconvertible()), (MOVED, Unconvertible())), ReplaceOne).warnings
    assert warning == "that [1] is the same in both is the caller's word: it cannot be looked into"


def test_what_is_no_record_and_differs_is_named() -> None:
    said = neighbours(Pair({"x": np.zeros(3)}, {"x": np.array([0, 0, 1])}), ReplaceOne).problem
    assert "'x', rows of float64, each of shape () and rows of int64" in said
    said = neighbours(Pair(Frame([1.0], ["u"]), Frame([2.0])), ReplaceOne).problem
    assert not said
    said = neighbours(Pair(Frame([1.0, 2.0], ["u", "v"]), Frame([1.0, 3.0])), ReplaceOne).problem
    assert "2 records differ: under replace-one one may; without the index of the rows" in said


def test_the_record_that_differs_is_named_and_another_order_is_said() -> None:
    found = neighbours(Pair(np.zeros(4), np.array([0.0, 0.0, 7.0, 0.0])), ReplaceOne)
    assert (found.differ, found.warnings) == ("0. and 7.", ())
    shuffled = neighbours(Pair(X, MOVED[::-1]), ReplaceOne)
    assert any("another order" in warning for warning in shuffled.warnings)
    assert not neighbours(Pair(X, np.delete(X, 2, axis=0)), AddOrRemoveOne).warnings


def test_a_two_tuple_is_always_the_pair() -> None:
    assert candidates(((1, 2), (3, 4)))[0].second == (3, 4)
    assert len(candidates(lambda: ((1, 2), (3, 4)))) == 1
    assert len(candidates(lambda: [(1, 2), (3, 4)])) == 2


@pytest.mark.parametrize("pair", [[1, 2], 5, (1, 2, 3), list, lambda: [(1, 2), 3], lambda: None])
def test_what_is_no_pair_is_refused(pair: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="pair"):
        candidates(pair)


def test_a_changed_data_set_looks_changed() -> None:
    rows = np.arange(4.0)
    before = fingerprint({"a": [rows, "x"]})
    rows[[0, 1]] = rows[[1, 0]]
    assert fingerprint({"a": [rows, "x"]}) != before
    assert fingerprint(masked([1.0], [1])) != fingerprint(masked([1.0], [0]))
    assert fingerprint(Frame([1.0], ["a"])) != fingerprint(Frame([1.0], ["b"]))
    data = Beside(rows)
    before = fingerprint(data)
    data.twice[0] = 7.0
    assert fingerprint(data) != before
    assert fingerprint(Unconvertible()) is None


# ------------------------------------------------------------------------------------ chunks


def noisy(data: Any, rng: Generator) -> Any:
    return data + rng.normal()


def many(data: Any, rng: Generator, n: int) -> Any:
    return data + rng.normal(size=n)


def reused(data: Any, rng: Generator, buffer: Any = np.zeros(1)) -> Any:  # noqa: B008 - the bug that is meant
    buffer[0] = data + rng.normal()
    return buffer


def test_a_chunk_follows_from_its_seed_and_index_and_travels() -> None:
    spec = ChunkSpec(noisy, Pair(0.0, 1.0), 3, 5, 20)
    here, there = run_chunk(spec), run_chunk(pickle.loads(pickle.dumps(spec)))  # noqa: S301 - our own
    assert here.first.numbers.tobytes() == there.first.numbers.tobytes()
    other = run_chunk(ChunkSpec(noisy, Pair(0.0, 1.0), 3, 6, 20))
    control = run_chunk(ChunkSpec(noisy, Pair(0.0, 1.0), 3, 5, 20, purpose="control"))
    firsts = {result.first.numbers.tobytes() for result in (here, other, control)}
    assert len(firsts | {here.second.numbers.tobytes()}) == 4


def test_a_reused_buffer_is_copied() -> None:
    assert len(set(run_chunk(ChunkSpec(reused, Pair(0.0, 1.0), 0, 0, 9)).first.numbers[:, 0].tolist())) == 9


def test_a_batch_is_one_call() -> None:
    assert run_chunk(ChunkSpec(many, Pair(0.0, 1.0), 0, 0, 30, batched=True)).second.numbers.shape == (30, 1)


@pytest.mark.parametrize(
    ("seeding", "call"),
    [("seed", lambda data, seed: float(seed)), ("own", lambda data: float(np.random.default_rng().random()))],
)
def test_randomness_may_come_as_an_integer_or_be_the_callables_own(seeding: Any, call: Any) -> None:
    result = run_chunk(ChunkSpec(call, Pair(0, 1), 0, 0, 10, seeding=seeding))
    assert len(set(result.first.numbers[:, 0].tolist())) == 10
