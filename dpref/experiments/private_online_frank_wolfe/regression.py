r"""The regression of Section 5.2: $y=\langle x,\theta\rangle+\nu$, squared losses on an l_p ball of radius 2.

The library's squared loss is half of the paper's, so that its $\beta$, L and noise are half of theirs; Frank-Wolfe does
not see the difference, and a gradient step is twice as long.

What the text leaves open is set to what Table 5.1 shows: $\nu\sim N(0,0.05^2)$ and, against the text, a parameter with
equal entries; only the NoisySGD rows up to T = 2000 fit a parameter whose first five entries alone are not zero.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.norms import Index, dual_index
from dpref.kernels.records import LinearStream
from dpref.problems.losses import Squared
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray

RADIUS: Final = Fraction(2)
NOISE: Final = 0.05
TESTED: Final = 10_000
INDICES: Final[dict[str, Index]] = {"1.5": Fraction(3, 2), "inf": math.inf}


class TableCell(NamedTuple):
    """A problem of the table."""

    horizon: int  # T, the number of records
    dimension: int
    p: str  # "1.5" or "inf"
    support: int  # the entries of the parameter that are not zero: all, or five

    @property
    def norm(self) -> Index:
        """p."""
        return INDICES[self.p]


class Drawn(NamedTuple):
    """A data set with what is needed to judge a parameter."""

    features: FloatArray  # (T, d)
    labels: FloatArray  # (T,)
    tested: FloatArray  # (10000, d)
    answers: FloatArray  # (10000,)
    truth: FloatArray  # (d,)

    def risk(self, w: FloatArray) -> float:
        """The mean square on the test set; w has shape (d,)."""
        return float(np.mean((self.tested @ w - self.answers) ** 2))

    def suboptimality(self, w: FloatArray) -> float:
        """0 at the true parameter, 1 at the origin; w has shape (d,)."""
        best = self.risk(self.truth)
        return (self.risk(w) - best) / (self.risk(np.zeros(len(w))) - best)


def problem(cell: TableCell, clip: Fraction | None) -> StreamProblem:
    """The public side.

    Args:
        cell: Which.
        clip: Of the halved loss's derivative; None as published.

    >>> problem(TableCell(10, 5, "1.5", 5), Fraction(1, 2)).lipschitz
    Fraction(1, 2)
    """
    domain = LpBall(cell.norm, RADIUS)
    return StreamProblem(Squared(), n=cell.horizon, dimension=cell.dimension, domain=domain, clip=clip)


def drawn(cell: TableCell, seed: int) -> Drawn:
    """Records and a test set.

    Args:
        cell: Which.
        seed: Of both.

    >>> found = drawn(TableCell(10, 5, "inf", 5), 0)
    >>> found.truth.tolist(), found.suboptimality(np.zeros(5))
    ([1.0, 1.0, 1.0, 1.0, 1.0], 1.0)
    """
    rng = np.random.default_rng([seed, cell.horizon, cell.dimension])
    truth = (np.arange(cell.dimension) < cell.support).astype(float)
    truth /= np.linalg.norm(truth, ord=float(cell.norm))
    rows = rng.standard_normal((cell.horizon + TESTED, cell.dimension))
    rows /= np.linalg.norm(rows, ord=float(dual_index(cell.norm)), axis=1, keepdims=True)
    labels = rows @ truth + NOISE * rng.standard_normal(len(rows))
    n = cell.horizon
    return Drawn(rows[:n].copy(), labels[:n].copy(), rows[n:].copy(), labels[n:].copy(), truth)


def arrays(of: StreamProblem, data: Drawn) -> LinearStream:
    """The records as kernels read them: labels are no classes here, and no `Dataset` holds them.

    Args:
        of: The public side.
        data: The records.

    >>> cell = TableCell(10, 5, "inf", 5)
    >>> arrays(problem(cell, None), drawn(cell, 0)).clip
    inf
    """
    kind, dual, radius, vertices = of.domain.encoding()
    clip = math.inf if of.clip is None else float(of.clip)
    loss = of.loss.code, float(of.loss.parameter)
    return LinearStream(data.features, data.labels, *loss, clip, kind, dual, radius, np.ascontiguousarray(vertices))
