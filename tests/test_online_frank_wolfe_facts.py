"""Small facts that the paper's theorems rest on, on thousands of random instances."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpref.geometry.linear_minimization import LpBall
from dpref.geometry.norms import Index, dual_index, lp_norm
from dpref.problems.losses import Squared
from dpref.problems.stream import StreamProblem
from dpref.reals import FLOAT_ARRAY

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("rho", [2.0, 2.5, 3.0, 8.0])
def test_squared_norms_are_smooth(rho: float) -> None:
    x, y = RNG.standard_normal((2, 20_000, 3))
    y *= 10.0 ** RNG.uniform(-3, 2, (20_000, 1))

    def square(v: np.ndarray) -> np.ndarray:
        return np.asarray(np.sum(np.abs(v) ** rho, axis=1) ** (2 / rho))

    size = np.sum(np.abs(x) ** rho, axis=1, keepdims=True) ** (2 / rho - 1)
    gradient = 2 * size * np.sign(x) * np.abs(x) ** (rho - 1)
    gap = square(x) + np.sum(gradient * y, axis=1) + (rho - 1) * square(y) - square(x + y)
    assert (gap >= -1e-9 * (square(x) + square(y))).all()
    if rho > 2:  # no smaller constant serves: a planted bug
        smaller = gap - 0.9 * (rho - 1) * square(y)
        assert (smaller < -1e-9 * (square(x) + square(y))).any()


def test_harmonic_and_root_sums() -> None:
    t = np.arange(1, 200_001)
    assert (np.cumsum(1 / t) - 1 <= np.log(t) + 1e-9).all()
    assert (np.cumsum(t**-0.5) <= 2 * np.sqrt(t)).all()
    assert (np.cumsum(np.log(t) / t) <= np.log(t) ** 2 / 2 + 1).all()
    assert not (np.cumsum(t**-0.5) <= 1.9 * np.sqrt(t)).all()  # a planted bug


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_the_mean_over_signs_is_the_trace(p: float) -> None:
    for d in (2, 3, 5):
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1).T * d ** (-1 / p)
        root = RNG.standard_normal((d, d))
        h = root @ root.T
        values = np.einsum("ki,ij,kj->k", signs, h, signs)
        assert np.allclose(np.linalg.norm(signs, ord=p, axis=1), 1)
        assert values.mean() == pytest.approx(np.trace(h) * d ** (-2 / p))
        assert values.min() <= np.trace(h) * d ** (-2 / p) * (1 + 1e-12)


@pytest.mark.parametrize("p", [Fraction(3, 2), Fraction(2), Fraction(4)])
def test_an_interior_minimiser_bounds_the_gradient(p: Fraction) -> None:
    """Quadratics with a minimiser at distance at least gamma from the sphere of an l_p ball of radius 1."""
    d, body, q = 3, LpBall(p, Fraction(1)), dual_index(p)
    for _ in range(200):
        center, theta = (v / lp_norm(v, p) * RNG.uniform(0, 0.9) for v in RNG.standard_normal((2, d)))
        root = RNG.standard_normal((d, d))
        h = root @ root.T + 0.1 * np.eye(d)
        slope = h @ (theta - center)
        vertex = body.minimise(FLOAT_ARRAY, slope)
        gamma = 1 - lp_norm(center, p)
        assert slope @ (theta - vertex) >= gamma * lp_norm(slope, q) - 1e-9
        assert (theta - center) @ slope / 2 <= slope @ slope / (2 * np.linalg.eigvalsh(h)[0]) + 1e-9


@pytest.mark.parametrize("p", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), math.inf])
def test_the_linear_minimiser_attains_the_dual_norm(p: Index) -> None:
    body = LpBall(p, Fraction(2))
    for g in RNG.standard_normal((300, 4)) * 10.0 ** RNG.integers(-6, 6, (300, 1)):
        v = body.minimise(FLOAT_ARRAY, g)
        assert lp_norm(v, p) == pytest.approx(2)
        assert float(g @ v) == pytest.approx(-2 * lp_norm(g, dual_index(p)))


def test_clipping_is_a_contraction() -> None:
    of = StreamProblem(Squared(), n=1, dimension=1, domain=LpBall(Fraction(2), Fraction(9)), clip=Fraction(1, 2))
    free = StreamProblem(Squared(), n=1, dimension=1, domain=LpBall(Fraction(2), Fraction(9)))
    one, record = np.ones(1), (np.ones(1), np.asarray(0.3))
    for a, b in RNG.uniform(-3, 3, (500, 2)):
        clipped = [of.gradient(FLOAT_ARRAY, x * one, record)[0] for x in (a, b)]
        whole = [free.gradient(FLOAT_ARRAY, x * one, record)[0] for x in (a, b)]
        assert abs(clipped[0] - clipped[1]) <= abs(whole[0] - whole[1]) + 1e-12
        assert max(map(abs, clipped)) <= 0.5
