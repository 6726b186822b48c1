"""Mirror maps and Gaussian widths of balls: steps are optimal, maps are strongly convex, widths are what they say."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.geometry.gaussian_width import gaussian_width, simulated_width
from dpref.geometry.linear_minimization import LpBall, Polytope, simplex
from dpref.geometry.mirror import MirrorMap, mirror_map
from dpref.geometry.norms import Index, dual_index, lp_norm
from dpref.kernels.mirror import mirror_step
from dpref.kernels.records import MirrorNumbers
from dpref.kernels.twin import interpreted
from dpref.reals import BALL_ARRAY, FLOAT_ARRAY, FloatArray, precision

BALLS: list[tuple[Index, int]] = [
    *((Fraction(1), d) for d in (1, 2, 3, 8, 40)),
    *((Fraction(6, 5), d) for d in (1, 5)),
    *((Fraction(3, 2), d) for d in (2, 9)),
    *((Fraction(2), d) for d in (1, 7)),
    *((math.inf, d) for d in (1, 6)),
]


SIZES = [(Fraction(1), 0.01), (Fraction(1, 10), 1.0), (Fraction(3), 30.0), (Fraction(1), 1e6), (Fraction(2), 0.3)]


def cases(p: Index, d: int) -> list[tuple[MirrorMap, FloatArray, FloatArray, float]]:
    """Maps with points of their balls, gradients and lengths of very different sizes, some coordinates zero."""
    found = []
    for seed, (radius, size) in enumerate(SIZES):
        rng = np.random.default_rng([seed, d])
        z, g = rng.standard_normal(d), size * rng.standard_normal(d) * (rng.random(d) < 0.8)
        z *= float(radius) * rng.random() / lp_norm(z, p) * (seed != 4)
        found.append((mirror_map(LpBall(p, radius), d), z, g, 0.7))
    return found


def exact_gradient(mirror: MirrorMap, x: FloatArray) -> Any:
    """The gradient of w in 60 digits, from its definition."""
    a, radius, s = (mpmath.mpf(v.numerator) / v.denominator for v in (mirror.index, mirror.ball.radius, mirror.scale))
    sizes = [mpmath.mpf(float(v)) / radius for v in x]
    norm = sum(abs(v) ** a for v in sizes) ** (1 / a)
    return [mpmath.sign(v) * abs(v) ** (a - 1) * norm ** (2 - a) / (s * radius) if v else mpmath.mpf(0) for v in sizes]


def support(mirror: MirrorMap, v: Any) -> Any:
    """The largest inner product of v with a point of the ball."""
    q, radius = dual_index(mirror.ball.p), mpmath.mpf(mirror.ball.radius.numerator) / mirror.ball.radius.denominator
    sizes = [abs(x) for x in v]
    if q == math.inf:
        return radius * max(sizes)
    q = mpmath.mpf(Fraction(q).numerator) / Fraction(q).denominator
    return radius * sum(x**q for x in sizes) ** (1 / q)


def gap(mirror: MirrorMap, u: FloatArray, z: FloatArray, g: FloatArray, alpha: float) -> tuple[float, float]:
    """How far a point is from the first-order condition of the step, and the size of its terms."""
    with mpmath.workdps(60):
        at, from_ = exact_gradient(mirror, u), exact_gradient(mirror, z)
        slope = [a - b + mpmath.mpf(alpha) * float(v) for a, b, v in zip(at, from_, g, strict=True)]
        found = sum(a * float(v) for a, v in zip(slope, u, strict=True)) + support(mirror, slope)
        return float(found), float(
            support(mirror, at) + support(mirror, from_) + alpha * support(mirror, list(map(float, g)))
        )


@pytest.mark.parametrize(("p", "d"), BALLS)
def test_a_step_meets_the_first_order_condition_to_the_accuracy_of_doubles(p: Index, d: int) -> None:
    """The objective is convex: its slope at u has no point of the ball further down than the gap."""
    for mirror, z, g, alpha in cases(p, d):
        u = mirror.step(FLOAT_ARRAY, z, g, FLOAT_ARRAY.lift(alpha))
        assert lp_norm(u, p) <= float(mirror.ball.radius) * (1 + 1e-14)
        found, size = gap(mirror, u, z, g, alpha)
        assert -1e-13 * size <= found <= 1e-12 * size


@pytest.mark.parametrize("p", [Fraction(1), Fraction(3, 2), Fraction(2), math.inf])
def test_planted_bug_a_step_that_is_a_little_shorter_is_seen(p: Index) -> None:
    for mirror, z, g, alpha in cases(p, 6)[:3]:
        found, size = gap(mirror, mirror.step(FLOAT_ARRAY, z, g, FLOAT_ARRAY.lift(0.999 * alpha)), z, g, alpha)
        inside = lp_norm(mirror.step(FLOAT_ARRAY, z, g, FLOAT_ARRAY.lift(alpha)), p) < 0.999 * float(mirror.ball.radius)
        assert not inside or found > 1e-10 * size


@pytest.mark.parametrize(("p", "d"), [(Fraction(1), 8), (Fraction(3, 2), 9), (Fraction(2), 7), (math.inf, 6)])
def test_a_step_in_balls_holds_the_step_in_doubles_nearly(p: Index, d: int) -> None:
    for mirror, z, g, alpha in cases(p, d):
        plain = mirror.step(FLOAT_ARRAY, z, g, FLOAT_ARRAY.lift(alpha))
        with precision(200):
            balls = mirror.step(BALL_ARRAY, *map(BALL_ARRAY.lift, (z, g, alpha)))
            assert max(float(x.rad()) for x in balls) < 1e-50
        assert np.allclose([float(x) for x in balls], plain, rtol=1e-10, atol=1e-13 * float(mirror.ball.radius))


@pytest.mark.parametrize(("p", "d"), BALLS)
def test_the_kernel_s_step_is_the_reference_s(p: Index, d: int) -> None:
    for mirror, z, g, alpha in cases(p, d):
        numbers = MirrorNumbers(mirror.kind, *map(float, (mirror.index, mirror.dual, mirror.scale, mirror.ball.radius)))
        compiled = interpreted(mirror_step)(numbers, z, g, alpha)
        reference = mirror.step(FLOAT_ARRAY, z, g, FLOAT_ARRAY.lift(alpha))
        assert np.allclose(compiled, reference, rtol=1e-10, atol=1e-13 * float(mirror.ball.radius))


@pytest.mark.parametrize(("p", "d"), BALLS)
def test_a_map_is_strongly_convex_in_the_norm_of_its_ball_and_bounded_as_it_says(p: Index, d: int) -> None:
    rng = np.random.default_rng(d)
    mirror = mirror_map(LpBall(p, Fraction(3, 2)), d)
    for _ in range(40):
        x, y = (v * 1.5 / lp_norm(v, p) for v in rng.standard_normal((2, d)) ** 3)
        x *= rng.random()
        divergence = float(mirror.divergence(FLOAT_ARRAY, y, x))
        assert (lp_norm(y - x, p) / 1.5) ** 2 / 2 <= divergence * (1 + 1e-9) + 1e-12
        assert divergence <= float(mirror.most(x)) * (1 + 1e-12)


def test_the_divergence_of_the_l1_ball_grows_like_the_logarithm_of_the_dimension() -> None:
    """B_w(x, 0) is at most (e^2 / 2) ln d, where the Euclidean map has d / 2."""
    for d in (3, 100, 10**6):
        assert float(mirror_map(LpBall(Fraction(1), Fraction(1)), d).most(np.zeros(1))) <= math.e**2 / 2 * math.log(d)


def test_a_ball_between_the_euclidean_and_the_box_has_no_map() -> None:
    with pytest.raises(InvalidArgumentError, match=r"p = .*must be at most 2, or infinity.*of radius 2\.15443"):
        mirror_map(LpBall(Fraction(3), Fraction(1)), 100)


@pytest.mark.parametrize(("index", "d"), [(Fraction(3), 10), (Fraction(3), 1000), (Fraction(8), 300)])
def test_the_euclidean_ball_around_such_a_ball_has_the_smaller_bound(index: Fraction, d: int) -> None:
    """Divergences by signs drawn one after another, widths by 400 draws: B W is at most pi/2 d^(2/p - 1) of C's."""
    p, rng, x, least = float(index), np.random.default_rng(d), np.zeros(d), 0.0
    for j in range(d):  # the Euclidean map's w = |x|^2 / 2 in C grows by exactly what strong convexity asks for
        x[j] = rng.choice([-1.0, 1.0]) * d ** (-1 / p)
        least += lp_norm(np.array([x[j]]), index) ** 2 / 2
    assert lp_norm(x, index) == pytest.approx(1)
    assert float(x @ x) / 2 == pytest.approx(least) == pytest.approx(d ** (1 - 2 / p) / 2)
    radius, draws = d ** (0.5 - 1 / p), rng.standard_normal((400, d))
    assert float(np.linalg.norm(x)) == pytest.approx(radius)  # the ball holds C, and touches it at the corner
    width = float(np.mean((np.abs(draws) ** (p / (p - 1))).sum(axis=1) ** (1 - 1 / p)))
    around = gaussian_width(LpBall(Fraction(2), Fraction(radius)), d).value
    of_c, of_ball = least * (width**2 + radius**2), (around**2 + radius**2) / 2
    assert d ** (2 / p - 1) < of_ball / of_c < math.pi / 2 * d ** (2 / p - 1)


# ------------------------------------------------------------------------------------ symmetric sets, widths


@pytest.mark.parametrize("p", [Fraction(1), Fraction(3, 2), Fraction(2), math.inf])
def test_lemma_5_1_with_half_of_its_constant(p: Index) -> None:
    """P36: the Euclidean norm is at most half of the diameter times the norm of the ball, and that is attained."""
    rng = np.random.default_rng(0)
    mirror = mirror_map(LpBall(p, Fraction(2)), 5)
    half = math.sqrt(float(mirror.half_diameter_squared))
    vectors = [*rng.standard_normal((200, 5)), np.eye(5)[0], np.ones(5)]
    ratios = [np.linalg.norm(v) / (half * lp_norm(v, p) / 2) for v in vectors]
    assert 1 - 1e-12 <= max(ratios) <= 1 + 1e-12


@pytest.mark.parametrize(("p", "how", "tight"), [
    (Fraction(1), "upper bound", 1.35), (Fraction(6, 5), "upper bound", 1.2), (Fraction(3, 2), "upper bound", 1.1),
    (Fraction(2), "closed form", 1.0), (Fraction(4), "upper bound", 1.1), (math.inf, "closed form", 1.0),
])  # fmt: skip
@pytest.mark.parametrize("d", [2, 30])
def test_widths_against_a_simulation(p: Index, how: str, tight: float, d: int) -> None:
    """And Lemma 5.2 with its constant: the second moment is at most the squared width plus the largest squared norm."""
    width = gaussian_width(LpBall(p, Fraction(2)), d)
    draws = np.random.default_rng(1).standard_normal((20_000, d))
    sups = 2 * np.linalg.norm(draws, ord=float(dual_index(p)), axis=1)
    error = 6 * sups.std() / math.sqrt(len(sups))
    assert width.how == how
    assert sups.mean() - error <= width.value <= tight * sups.mean() + error
    reach = 2 * d ** max(0.0, 0.5 - (0.0 if p == math.inf else 1 / float(p)))
    assert (sups**2).mean() <= sups.mean() ** 2 + reach**2


def test_a_width_that_is_simulated_says_so_and_is_near() -> None:
    found = simulated_width(
        simplex(3), np.random.default_rng(4).standard_normal((2000, 3))
    )  # the mean of the largest of three normals
    assert found.how == "Monte Carlo"
    assert abs(found.value - 1.5 / math.sqrt(math.pi)) < found.error < 0.2
    with pytest.raises(InvalidArgumentError, match=r"body = 'simplex'.*simulated_width"):
        gaussian_width(simplex(3), 3)
    with pytest.raises(InvalidArgumentError, match="index of at most 2"):
        simulated_width(Polytope(np.eye(2), p=Fraction(3)), np.ones((1, 2)))
