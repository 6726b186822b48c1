"""Records for a stream's problem, and a run that is written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpref.curator import RecordingCurator, Transcript
from dpref.problems.datasets import Dataset, scale_rows
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray
from dpref.units import ReplaceOne


def data(of: StreamProblem, seed: int = 0) -> Dataset:
    """Directions of all kinds, as long as the problem allows, with random signs."""
    rng = np.random.default_rng(seed)
    rows = scale_rows(rng.standard_normal((of.n, of.dimension)), of.dual) * float(of.feature_bound)
    return Dataset(rows, rng.choice([-1.0, 1.0], of.n))


def recorded(run: Callable[..., FloatArray], of: StreamProblem, plan: Any) -> tuple[FloatArray, Transcript]:
    """What a run on these releases, and its transcript."""
    curator = RecordingCurator(of.read(data(of)), ReplaceOne, np.random.default_rng(1))
    return run(of, plan, curator), curator.transcript
