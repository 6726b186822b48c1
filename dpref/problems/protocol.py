"""What every problem offers, so that audits, tables and generic tests need not know which kind it is."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from dpref.reals import FLOAT_ARRAY, Array, Ops
from dpref.units import Adjacency


class Pair(Protocol):
    """Two neighbouring data sets."""

    @property
    def first(self) -> Any:
        """The one."""

    @property
    def second(self) -> Any:
        """The other."""


class Problem(Protocol):
    """The public side of a problem: what is known of the data, and which data sets are neighbours."""

    @property
    def n(self) -> int:
        """Public number of records."""

    def read(self, data: Any, o: Ops[Array] = FLOAT_ARRAY) -> Any:
        """The data in a number system, after checking that they are an instance of this problem."""

    def arrays(self, data: Any) -> Any:
        """The data and the public problem as a kernel reads them, a named tuple of `dpref.kernels.records`."""

    def random_neighbour(self, data: Any, adjacency: type[Adjacency], rng: np.random.Generator) -> Any:
        """A data set that differs from the given one in a random record."""

    def worst_case_pair(self, data: Any, adjacency: type[Adjacency]) -> Pair:
        """A pair that differs in one record as much as the problem allows."""
