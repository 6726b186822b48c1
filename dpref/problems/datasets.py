"""Data sets: a matrix of features and labels in {-1, +1}, one row a record."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

import numpy as np
from flint import arb

from dpref.checks import finite_array, natural
from dpref.errors import InvalidArgumentError
from dpref.reals import DEFAULT_PRECISION, FloatArray, ball, exact, precision

_SHRINK = 1.0 - 2.0**-50
_SHRINK_MORE = 1.0 - 2.0**-40
_TINY = 2.0**-900


@dataclass(frozen=True, eq=False)
class Dataset:
    """Records of a linear prediction problem.

    Attributes:
        features: Shape (n, d), finite doubles.
        labels: Shape (n,), each -1 or +1.
        name: What the data are.
        source: Where they come from, with the licence.

    >>> Dataset(np.array([[0.6, 0.8]]), np.array([1.0])).n
    1
    """

    features: FloatArray
    labels: FloatArray
    name: str = "data"
    source: str = ""

    def __post_init__(self) -> None:
        features = finite_array("features", self.features, ndim=2)
        labels = finite_array("labels", self.labels, ndim=1)
        if labels.shape[0] != features.shape[0]:
            raise InvalidArgumentError("labels", labels.shape, f"must have one entry a row, {features.shape[0]}")
        self._check_labels(labels)
        features.setflags(write=False)
        labels.setflags(write=False)
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", labels)

    def _check_labels(self, labels: FloatArray) -> None:
        if not np.isin(labels, (-1.0, 1.0)).all():
            raise InvalidArgumentError("labels", labels, "must be -1 or +1")

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.features.shape[0])

    @property
    def dimension(self) -> int:
        """Number of features."""
        return int(self.features.shape[1])

    def rows_within(self, bound: Fraction, index: Fraction | float = Fraction(2)) -> bool:
        """Whether every row has norm at most ``bound``, in l_2 (decided exactly) or in another l_q.

        Where q is neither 1, 2 nor infinity, balls decide; a row that they cannot place is taken to be too long.
        """
        if index != 2:
            return all(_norm_within([abs(exact(v)) for v in row if v != 0], bound, index) for row in self.features)
        squares = np.einsum("ij,ij->i", self.features, self.features)
        limit = float(bound * bound)
        slack = (self.dimension + 4) * 2.0**-52
        doubtful = np.flatnonzero(squares > limit * (1 - slack))
        # A correctly rounded sum of rounded squares errs by 2**-52 relative, the limit and its product by as much again
        # (and underflow adds nothing to a limit that is not tiny), so that fractions decide the last units only.
        near = (squares < 2 * limit) & (limit > _TINY)
        return all(
            (near[i] and math.fsum(self.features[i] ** 2) <= limit * (1 - 3 * 2.0**-52))
            or sum(exact(v) ** 2 for v in self.features[i]) <= bound * bound
            for i in doubtful
        )


@dataclass(frozen=True, eq=False)
class Measurements(Dataset):
    """Records whose labels are numbers in [-1, 1]: the constants of the losses are those of the interval's ends.

    >>> Measurements(np.array([[0.6, 0.8]]), np.array([0.25])).labels.tolist()
    [0.25]
    """

    def _check_labels(self, labels: FloatArray) -> None:
        if not (np.abs(labels) <= 1).all():
            raise InvalidArgumentError("labels", labels, "must lie in [-1, 1]")


def _norm_within(sizes: list[Fraction], bound: Fraction, index: Fraction | float) -> bool:
    if index == math.inf:
        return max(sizes, default=Fraction(0)) <= bound
    if index == 1 or len(sizes) <= 1:
        return sum(sizes, Fraction(0)) <= bound
    q = Fraction(index)
    with precision(DEFAULT_PRECISION):
        return bool(sum(((ball(v / bound).log() * ball(q)).exp() for v in sizes), arb(0)) <= 1)


def scale_rows(features: FloatArray, index: Fraction | float = Fraction(2)) -> FloatArray:
    """Each row divided by max(1, its l_q norm), so that no norm exceeds 1; shape (n, d) in and out.

    The factor is a hair below the exact one, so that rounding never pushes a row outside the unit ball.

    >>> scale_rows(np.array([[3.0, 4.0], [0.1, 0.0]])).round(9).tolist()
    [[0.6, 0.8], [0.1, 0.0]]
    """
    if index != 2:
        sizes = np.linalg.norm(features, ord=float(index), axis=1)
        return np.asarray(features * (_SHRINK_MORE / np.maximum(_SHRINK_MORE, sizes))[:, None])
    norms = np.sqrt(np.einsum("ij,ij->i", features, features))
    return np.asarray(features * (_SHRINK / np.maximum(_SHRINK, norms))[:, None])


def breast_cancer() -> Dataset:
    """The Wisconsin diagnostic breast-cancer data: 569 records, 30 features, malignant = +1.

    Columns are standardised (the data are public here: a private pipeline would have to pay for that) and each row is
    scaled to norm at most 1.

    References:
        Wolberg, Street and Mangasarian, UCI Machine Learning Repository, 1995, doi 10.24432/C5DW2B; CC BY 4.0.

    >>> breast_cancer().features.shape
    (569, 30)
    """
    text = files("dpref.problems").joinpath("data/breast_cancer_wisconsin.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(text.splitlines()))[1:]
    raw = np.array([[float(v) for v in row[1:]] for row in rows])
    labels = np.array([1.0 if row[0] == "M" else -1.0 for row in rows])
    standardised = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    return Dataset(
        scale_rows(standardised),
        labels,
        name="breast cancer (Wisconsin, diagnostic)",
        source="Wolberg, Street, Mangasarian 1995, doi 10.24432/C5DW2B, CC BY 4.0",
    )


def synthetic(n: int, dimension: int, seed: int) -> Dataset:
    """A reproducible random instance with rows in the unit ball.

    >>> synthetic(5, 3, seed=0).features.shape
    (5, 3)
    """
    natural("n", n)
    natural("dimension", dimension)
    rng = np.random.default_rng(natural("seed", seed, least=0))
    features = rng.standard_normal((n, dimension)) / np.sqrt(dimension)
    labels = np.where(features[:, 0] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return Dataset(scale_rows(features), labels, name=f"synthetic {n} x {dimension}, seed {seed}")
