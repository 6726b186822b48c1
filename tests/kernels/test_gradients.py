"""Mean gradients of more records than one block has, against numpy's; the kernels are interpreted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpref.kernels import gradients
from dpref.kernels.records import Linear
from dpref.kernels.twin import interpreted
from dpref.reals import FloatArray

CLIP = 0.75
SIZES = [(3, 5), (64, 5), (65, 5), (130, 5), (131, 40), (70, 330), (2, 321)]


def drawn(records: int, d: int, clip: float) -> tuple[Linear, FloatArray]:
    """Squared losses whose gradients are of all lengths, so that the clip decides for some of each block."""
    rng = np.random.default_rng(records + d)
    features = rng.standard_normal((records, d)) * 10.0 ** rng.integers(-2, 2, (records, 1)) / math.sqrt(d)
    return Linear(features, rng.standard_normal(records), records, 1, 0.0, clip, 0.0, math.inf), rng.standard_normal(d)


@pytest.mark.parametrize("clip", [CLIP, math.inf])
@pytest.mark.parametrize(("records", "d"), SIZES)
def test_each_record_is_clipped_by_its_own_norm(records: int, d: int, clip: float) -> None:
    problem, theta = drawn(records, d, clip)
    rows = (problem.features @ theta - problem.labels)[:, None] * problem.features
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    expected = (rows * np.minimum(1.0, clip / np.maximum(lengths, 1e-300))).sum(axis=0) / records
    norms = interpreted(gradients.feature_norms)(problem)
    found = interpreted(gradients.mean_gradient)(problem, norms, theta)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-13)
    batch = np.arange(records, dtype=np.int64)[::-1]
    assert np.allclose(interpreted(gradients.batch_gradient)(problem, theta, batch, records), expected, rtol=1e-12)
    if clip < math.inf and records > 3:
        assert 0 < np.count_nonzero(lengths > clip) < records
