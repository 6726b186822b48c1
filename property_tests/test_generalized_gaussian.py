"""The lemma on a line behind generalised Gaussian noise, on random log-concave densities."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

Vector = NDArray[np.float64]

WIDTH, CELLS = 30.0, 30_000
AT = np.linspace(-WIDTH, WIDTH, CELLS + 1)
CURVATURES = st.lists(st.floats(0.05, 1), min_size=2, max_size=12)


def quantiles(curvatures: list[float]) -> tuple[Vector, Vector]:
    """P(X <= a) and P(X <= a - 1) at places a, for a density whose potential has these curvatures, piece by piece."""
    curvature = np.asarray(curvatures)[(np.arange(CELLS + 1) * len(curvatures)) // (CELLS + 1)]
    step = AT[1] - AT[0]
    slope = np.cumsum(curvature) * step
    slope -= slope[CELLS // 2]
    potential = np.cumsum(slope) * step
    density = np.exp(-(potential - potential.min()))
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    below /= below[-1]
    shift = round(1 / step)
    inside = (below[shift:] < 1 - 1e-6) & (below[:-shift] > 1e-6)
    return below[shift:][inside], below[:-shift][inside]


@given(CURVATURES)
def test_a_flat_potential_moves_no_quantile_further_than_a_gaussian(curvatures: list[float]) -> None:
    """Curvature at most 1: a shift by 1 moves the normal quantile of every half-line by at most 1."""
    from scipy.stats import norm

    here, there = quantiles(curvatures)
    assert float(np.max(norm.ppf(here) - norm.ppf(there))) <= 1 + 1e-4


def test_planted_bug_a_curvature_above_one_is_seen() -> None:
    from scipy.stats import norm

    here, there = quantiles([1.0, 1.0, 1.1, 1.1, 1.0])
    assert float(np.max(norm.ppf(here) - norm.ppf(there))) > 1.01
