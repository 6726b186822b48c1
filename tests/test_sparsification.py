"""Maurey's sparsification: the bounds of Section 2, on every multiset of small cases and in exact arithmetic."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from dpref.algorithms.anytime_mirror_descent.utility import (
    first_order_bias,
    first_order_moment,
    second_order_bias,
    second_order_moment,
)
from dpref.algorithms.mirror_descent import utility as product
from dpref.errors import InvalidArgumentError
from dpref.mechanisms.sparsification import (
    deviation,
    maximum_moment,
    mean_value,
    multisets,
    printed_maximum_moment,
    sparsify,
    value_bias,
)
from dpref.reals import FLOAT, RATIONAL

Point = tuple[Fraction, ...]
POINTS: tuple[Point, ...] = (
    (Fraction(1, 2), Fraction(1, 2)),
    (Fraction(1, 5), Fraction(1, 2), Fraction(3, 10)),
    (Fraction(1, 3), Fraction(0), Fraction(2, 3)),
    (Fraction(1, 10), Fraction(2, 5), Fraction(1, 4), Fraction(1, 4)),
)
CASES = [(point, samples) for point in POINTS for samples in (1, 2, 3, 7)]
WEIGHTS = (Fraction(3), Fraction(-2), Fraction(1), Fraction(-5, 2))


def quadratic(a: Sequence[Fraction]) -> Fraction:
    """Largest entry of the second derivative: L1 = 4."""
    return sum((Fraction((-1) ** (i * j) * (4 - abs(i - j))) * u * v / 2
                for (i, u), (j, v) in itertools.product(enumerate(a), repeat=2)), Fraction(0))  # fmt: skip


def cubic(a: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The gradient of the sum of w x^3: L0 <= 9, L1 <= 18 and L2 = 18 on the simplex."""
    return tuple(3 * w * x * x for w, x in zip(WEIGHTS, a, strict=False))


def kinked(a: Sequence[Fraction], x: Point) -> tuple[Fraction, ...]:
    """The gradient of the sum of (a_i - x_i)_+^2: L1 = 2, and no second derivative at x."""
    return tuple(2 * max(u - v, Fraction(0)) for u, v in zip(a, x, strict=True))


@pytest.mark.parametrize(("x", "samples"), CASES)
def test_the_multisets_are_a_law_with_the_right_mean(x: Point, samples: int) -> None:
    found = list(multisets(x, samples))
    assert sum(chance for chance, _ in found) == 1
    assert len(found) == math.comb(samples + len(x) - 1, samples)
    assert all(mean_value(x, samples, lambda a, i=i: a[i]) == x[i] for i in range(len(x)))  # type: ignore[misc]


@pytest.mark.parametrize(("x", "samples"), CASES)
def test_corollary_2_3_bounds_the_value_exactly(x: Point, samples: int) -> None:
    """|E F(a) - F(x)| <= 2 L1 / T; of quadratics it is (sum_i H_ii x_i - x H x) / (2 T), at most half of that."""
    moved = mean_value(x, samples, quadratic) - quadratic(x)
    corners = sum(w * quadratic([Fraction(i == j) for j in range(len(x))]) for i, w in enumerate(x))
    assert moved == (corners - quadratic(x)) / samples
    assert abs(moved) <= value_bias(RATIONAL, Fraction(4), Fraction(samples)) / 2


@pytest.mark.parametrize(("x", "samples"), CASES)
def test_corollaries_2_4_and_2_6_bound_the_bias_exactly(x: Point, samples: int) -> None:
    largest = Fraction(0)
    for i in range(len(x)):
        moved = mean_value(x, samples, lambda a, i=i: cubic(a)[i]) - cubic(x)[i]  # type: ignore[misc]
        assert abs(moved) <= second_order_bias(RATIONAL, Fraction(18), Fraction(samples))
        largest = max(largest, abs(moved))
        kink = mean_value(x, samples, lambda a, i=i: kinked(a, x)[i])  # type: ignore[misc]
        assert kink**2 * samples <= 16 * 2**2  # the square of 4 L1 / sqrt(T)
        assert float(kink) <= first_order_bias(FLOAT, 2.0, float(samples))
    assert largest == max(abs(3 * w) * v * (1 - v) / samples for w, v in zip(WEIGHTS, x, strict=False))


@pytest.mark.parametrize(("x", "samples"), CASES)
def test_the_second_moments_are_bounded_on_every_case(x: Point, samples: int) -> None:
    """Corollary 2.12 in its safe form, and E41."""

    def square(gradient: Callable[[Point], tuple[Fraction, ...]], a: Point) -> Fraction:
        return max(abs(u - v) for u, v in zip(gradient(a), gradient(x), strict=True)) ** 2

    d, count = float(len(x)), float(samples)
    smooth = float(mean_value(x, samples, lambda a: square(cubic, a)))
    assert 0 < smooth <= second_order_moment(FLOAT, 18.0, 18.0, d, count)
    rough = float(mean_value(x, samples, lambda a: square(lambda b: kinked(b, x), a)))
    assert 0 < rough <= first_order_moment(FLOAT, 2.0, d, count)


def test_lemma_2_8_bounds_the_tail_exactly() -> None:
    """Of the quadratic, 4-Lipschitz and 4-smooth on the simplex."""
    x, samples = POINTS[1], 7
    for beta in (0.25, 0.5, 1.0, 2.0):
        allowed = deviation(FLOAT, 4.0, 4.0, 2.0, float(samples), beta)
        tail = mean_value(x, samples, lambda a, allowed=allowed: Fraction(quadratic(a) - quadratic(x) >= allowed))  # type: ignore[misc]
        assert tail <= math.exp(-(beta**2))


def test_the_bound_of_the_product_of_two_simplices_holds_on_every_pair() -> None:
    """E6: the bias of the gradient of a cubic in the sum of two players' weights is within 4 L2 / K."""
    x, y, K = Fraction(1, 2), Fraction(1, 2), 3
    pairs = list(itertools.product(multisets((x, 1 - x), K), multisets((y, 1 - y), K)))
    bias = sum(p * q * 3 * (a[0] + b[0]) ** 2 for (p, a), (q, b) in pairs) - 3 * (x + y) ** 2
    assert bias == 3 * (x * (1 - x) + y * (1 - y)) / K
    assert bias <= product.second_order_bias(RATIONAL, Fraction(6), Fraction(K))


def test_the_printed_second_moment_of_a_maximum_fails_for_many_functions() -> None:
    """E5 and P13: sums of a million signs, exact up to the rounding of doubles, at A / C = 2.4.

    The functions have a quadratic part A that all share and linear parts with random signs as slopes, which are
    independent binomials given what is drawn.  The safe form holds.
    """
    T, ratio = 10**6, 2.4
    slope = ratio * 2 * math.sqrt(2 * T)  # L1 over L0, with D = 1: A = L1 / (2 T), C = sqrt(2 / T) L0
    L0 = 1.0
    L1, c = slope * L0, L0 - slope * L0 / T  # the linear parts have slopes of size c, since L0 = c + L1 D / T
    k = np.arange(T // 2 - 8000, T // 2 + 8001)
    factorial = np.array([math.lgamma(v + 1) + math.lgamma(T - v + 1) for v in k.tolist()])
    chances = np.exp(math.lgamma(T + 1) - factorial - T * math.log(2))
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    sizes = (L1 / (2 * T) + c * (2 * k - T) / T) ** 2
    order = np.argsort(sizes)
    below = np.cumsum(chances[order]) / chances.sum()
    found = []
    for M in (1000, 2000, 5000, 10_000, 100_000):
        maximum = float((sizes[order] * np.diff(below**M, prepend=0.0)).sum())
        numbers = (L0, L1, 1.0, float(T), float(M))
        assert maximum <= maximum_moment(FLOAT, *numbers)
        found.append(maximum / printed_maximum_moment(FLOAT, *numbers))
    assert found == pytest.approx([0.978, 1.004, 1.035, 1.056, 1.112], abs=2e-3)


def test_drawn_averages_follow_the_exact_law() -> None:
    """A chi-square statistic on 1,000 draws, 15 multisets: a true law exceeds 45 with probability below 1e-4."""
    x, samples, rng = POINTS[3], 2, np.random.default_rng(0)
    law = {average: chance for chance, average in multisets(x, samples)}
    seen = dict.fromkeys(law, 0)
    for _ in range(1000):
        drawn = sparsify(np.array([float(v) for v in x]), samples, rng)
        seen[tuple(Fraction(v).limit_denominator(2) for v in drawn.tolist())] += 1
    assert sum((seen[a] - 1000 * float(p)) ** 2 / (1000 * float(p)) for a, p in law.items()) < 45


def test_planted_bug_a_law_without_its_multinomials_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(math, "comb", lambda n, k: 1)
    assert sum(chance for chance, _ in multisets(POINTS[1], 3)) < 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: sparsify(np.array([0.5, 0.6]), 2, np.random.default_rng(0)),
        lambda: sparsify(np.array([1.5, -0.5]), 2, np.random.default_rng(0)),
        lambda: sparsify(np.array([0.5, 0.5]), 0, np.random.default_rng(0)),
        lambda: list(multisets((Fraction(1, 2), Fraction(1, 3)), 2)),
        lambda: list(multisets((Fraction(3, 2), Fraction(-1, 2)), 2)),
        lambda: list(multisets((Fraction(1, 2), Fraction(1, 2)), 0)),
        lambda: list(multisets((Fraction(1, 20),) * 20, 20)),
    ],
)
def test_bad_input_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgumentError):
        call()
