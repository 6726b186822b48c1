"""Neighbouring data sets: random ones for property tests, worst ones for audits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpref.checks import natural
from dpref.errors import InvalidArgumentError
from dpref.problems.datasets import Dataset, scale_rows
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut


class NeighbourPair(NamedTuple):
    """Two data sets that differ in one record, and the direction in which they differ."""

    first: Dataset
    second: Dataset
    direction: FloatArray  # (d,), Euclidean norm 1 up to rounding


def replace_record(data: Dataset, index: int, features: FloatArray, label: float) -> Dataset:
    """The data with record ``index`` replaced by (features, label).

    Args:
        data: n records of d features.
        index: Which record, in ``range(n)``.
        features: Shape (d,).
        label: -1 or +1.

    Raises:
        InvalidArgumentError: If there is no such record, or the new one is invalid.

    >>> from dpref.problems.datasets import synthetic
    >>> replace_record(synthetic(5, 2, seed=0), 1, np.array([0.6, 0.8]), -1.0).features[1].tolist()
    [0.6, 0.8]
    """
    if not 0 <= index < data.n:
        raise InvalidArgumentError("index", index, f"must lie in range({data.n})")
    rows, labels = data.features.copy(), data.labels.copy()
    rows[index], labels[index] = features, label
    return Dataset(rows, labels, data.name, data.source)


def remove_record(data: Dataset, index: int) -> Dataset:
    """The data without record ``index``.

    Raises:
        InvalidArgumentError: If there is no such record.

    >>> from dpref.problems.datasets import synthetic
    >>> remove_record(synthetic(5, 2, seed=0), 4).n
    4
    """
    if not 0 <= index < data.n:
        raise InvalidArgumentError("index", index, f"must lie in range({data.n})")
    return Dataset(np.delete(data.features, index, axis=0), np.delete(data.labels, index), data.name, data.source)


def zero_record(data: Dataset, index: int) -> Dataset:
    """The data with record ``index`` replaced by the null record, whose gradient is zero for every parameter.

    Raises:
        InvalidArgumentError: If there is no such record.

    >>> from dpref.problems.datasets import synthetic
    >>> zero_record(synthetic(5, 2, seed=0), 0).features[0].tolist()
    [0.0, 0.0]
    """
    return replace_record(data, index, np.zeros(data.dimension), 1.0)


def random_neighbour(data: Dataset, adjacency: type[Adjacency], rng: np.random.Generator) -> Dataset:
    """A neighbour in which a random record is replaced, nulled, or removed.

    Raises:
        InvalidArgumentError: If the adjacency is unknown.

    >>> from dpref.problems.datasets import synthetic
    >>> random_neighbour(synthetic(5, 2, seed=0), AddOrRemoveOne, np.random.default_rng(0)).n
    4
    """
    index = int(rng.integers(data.n))
    if adjacency is ZeroOut:
        return zero_record(data, index)
    if adjacency is AddOrRemoveOne:
        return remove_record(data, index)
    if adjacency is ReplaceOne:
        row = scale_rows(rng.standard_normal((1, data.dimension)) * rng.choice([0.1, 1.0, 10.0]))[0]
        return replace_record(data, index, row, float(rng.choice([-1.0, 1.0])))
    raise InvalidArgumentError("adjacency", adjacency, "is not a known adjacency")


def least_variance_direction(data: Dataset) -> FloatArray:
    """The unit vector along which the records vary least, shape (d,): an optimiser hardly drifts along it.

    >>> rows = np.array([[0.9, 0.1], [-0.9, 0.1]])
    >>> least_variance_direction(Dataset(rows, np.array([1.0, -1.0]))).round(12).tolist()
    [0.0, 1.0]
    """
    _, vectors = np.linalg.eigh(data.features.T @ data.features)
    direction = vectors[:, 0]
    return np.asarray(direction * np.sign(direction[np.argmax(np.abs(direction))]))


def worst_case_pair(data: Dataset, adjacency: type[Adjacency], index: int = 0) -> NeighbourPair:
    """A pair whose gradients differ as much as the adjacency allows, while the parameter stays near the start.

    The record is a unit vector along the least-variance direction.  Replaced, its label is flipped, which turns its
    clipped gradient round; zeroed or removed, its gradient disappears.

    Args:
        data: The data; record ``index`` is overwritten.
        adjacency: The neighbouring relation.
        index: Which record.

    >>> from dpref.problems.datasets import synthetic
    >>> pair = worst_case_pair(synthetic(10, 2, seed=1), AddOrRemoveOne)
    >>> pair.first.n - pair.second.n
    1
    """
    natural("index", index, least=0)
    direction = least_variance_direction(data)
    first = replace_record(data, index, scale_rows(direction[None, :])[0], 1.0)
    if adjacency is ZeroOut:
        second = zero_record(first, index)
    elif adjacency is AddOrRemoveOne:
        second = remove_record(first, index)
    elif adjacency is ReplaceOne:
        second = replace_record(first, index, first.features[index], -1.0)
    else:
        raise InvalidArgumentError("adjacency", adjacency, "is not a known adjacency")
    return NeighbourPair(first, second, direction)
