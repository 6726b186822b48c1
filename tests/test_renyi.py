"""Rényi divergences and the accountant that adds them: golden values, an independent mirror, planted bugs.

The mirror evaluates with mpmath, differently: integer orders by the plain binomial sum minus one, fractional orders by
the trapezoidal rule, which converges geometrically for the analytic integrand.  ``DPREF_RENYI_POINTS=4000`` runs it on
four thousand random points instead of the usual two hundred.
"""

from __future__ import annotations

import functools
import math
import os
import random
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import pytest
from flint import arb

from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms import conversions
from dpref.privacy.closed_forms.divergences import gaussian_renyi
from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.renyi import accountant, subsampled_gaussian, without_replacement
from dpref.privacy.renyi.divergences import (
    bounded_range_renyi,
    discrete_laplace_renyi,
    laplace_renyi,
    pure_renyi,
    randomised_response_renyi,
    weak_triangle,
)
from dpref.privacy.renyi.subsampled_gaussian import Direction, integer_moment, poisson_gaussian_renyi
from dpref.privacy.renyi.without_replacement import BOUNDS, amplified_divergence, small_shift, without_replacement_renyi
from dpref.reals import BALL, FLOAT, RATIONAL, ball, precision
from dpref.terms import TERM
from dpref.units import AddOrRemoveOne, ReplaceOne
from tests.effort import runs

POINTS = int(os.environ.get("DPREF_RENYI_POINTS", "200"))
DELTA = Fraction(1, 10**6)

# ------------------------------------------------------------------------------------ the mirror


def mirror_integer(order: int, rate: Fraction, noise: Fraction) -> mp.mpf:
    q, s2 = mp.mpf(rate.numerator) / rate.denominator, (mp.mpf(noise.denominator) / noise.numerator) ** 2
    terms = (
        mp.binomial(order, k) * q**k * (1 - q) ** (order - k) * mp.e ** (k * (k - 1) * s2 / 2) for k in range(order + 1)
    )
    return mp.log(mp.fsum(terms)) / (order - 1)


def mirror_fractional(order: Fraction, rate: Fraction, noise: Fraction, direction: Direction) -> mp.mpf:
    r"""$\ln\int (dM/dN)^\beta dN / (\alpha-1)$ by the trapezoidal rule, at sixty digits and more."""
    a, q = mp.mpf(order.numerator) / order.denominator, mp.mpf(rate.numerator) / rate.denominator
    s = mp.mpf(noise.denominator) / noise.numerator
    beta = a if direction == "remove" else 1 - a
    digits = float(mp.mp.dps)
    # The logarithm's zeros lie at the distance pi / s from the real line; the Gaussian itself asks for the other bound.
    step = min(
        0.9 * 2 * math.pi * math.pi / float(s) / (2.303 * digits), 0.9 * math.sqrt(2 / (2.303 * digits)) * math.pi
    )
    reach = math.sqrt(2 * 2.303 * digits)
    low, high = -reach, reach + max(float(a), 2) * float(s)
    h, rest, half = mp.mpf(step), 1 - q, s * s / 2
    total = mp.fsum(
        mp.e ** (beta * mp.log(rest + q * mp.e ** (s * x - half)) - x * x / 2)
        for x in (k * h for k in range(math.floor(low / step), math.ceil(high / step) + 1))
    )
    return mp.log(h * total / mp.sqrt(2 * mp.pi)) / (a - 1)


def mirror(order: Fraction, rate: Fraction, noise: Fraction, direction: Direction) -> mp.mpf:
    lost = -2 * math.log10(rate) + 2 * max(0.0, math.log10(noise)) - math.log10(min(1.0, float(order - 1)))
    with mp.workdps(32 + math.ceil(lost)):
        if order.denominator == 1 and direction == "remove":
            return mirror_integer(int(order), rate, noise)
        return mirror_fractional(order, rate, noise, direction)


def random_point(rng: random.Random) -> tuple[Fraction, Fraction, Fraction, Direction]:
    rate = Fraction(10 ** rng.uniform(-9, -0.002)).limit_denominator(10**14)
    noise = Fraction(10 ** rng.uniform(-0.4, 2)).limit_denominator(10**4)
    if rng.random() < 0.4:
        return Fraction(round(2 ** rng.uniform(1, 9))), rate, noise, "remove"
    order = 1 + Fraction(2 ** rng.uniform(-7, 5)).limit_denominator(1000)
    return order, rate, noise, "add" if rng.random() < 0.25 else "remove"


def inside(value: mp.mpf, low: float, high: float) -> bool:
    with mp.workdps(60):
        return bool(mp.mpf(low) <= value <= mp.mpf(high))


def violations(divergence: Callable[..., tuple[float, float]], count: int, seed: int) -> list[tuple[object, ...]]:
    rng = random.Random(seed)  # noqa: S311
    found: list[tuple[object, ...]] = []
    for _ in range(count):
        point = random_point(rng)
        low, high = divergence(*point)
        assert 0 < low <= high <= low * (1 + 1e-14), point
        if not inside(mirror(*point), low, high):
            found.append(point)
    return found


def certified(order: Fraction, rate: Fraction, noise: Fraction, direction: Direction) -> tuple[float, float]:
    found = poisson_gaussian_renyi(
        order, rate=rate, noise_multiplier=noise, adjacency=AddOrRemoveOne, direction=direction
    )
    return found.lower, found.upper


@pytest.mark.slow
def test_subsampled_gaussian_holds_the_mirrored_value_at_random_points() -> None:
    assert violations(certified, runs(POINTS, POINTS // 3), seed=3) == []


@pytest.mark.slow
def test_planted_bug_a_sum_over_the_floor_of_a_fractional_order_is_seen() -> None:
    def floored(order: Fraction, *rest: object) -> tuple[float, float]:
        return certified(Fraction(max(2, math.floor(order))), *rest)  # type: ignore[arg-type]

    def without_left_tail(
        order: Fraction, rate: Fraction, noise: Fraction, direction: Direction
    ) -> tuple[float, float]:
        low, high = certified(order, rate, noise, direction)
        return low * (1 - 1e-9), high * (1 - 1e-9)

    assert violations(floored, 20, seed=3)
    assert len(violations(without_left_tail, 5, seed=3)) == 5


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize(
    ("order", "rate", "noise"),
    [
        (Fraction(3, 2), Fraction(1, 2), Fraction(1, 100)),  # far tails: the divergence is thousands
        (Fraction(61, 2), Fraction(1, 1000), Fraction(1, 20)),
        (1 + Fraction(1, 10**7), Fraction(1, 10**40), Fraction(1)),
        (Fraction(5, 2), Fraction(1, 2), Fraction(10**8)),
        (Fraction(3, 2), 1 - Fraction(1, 10**7), Fraction(1)),
    ],
)
def test_subsampled_gaussian_at_extreme_points(
    order: Fraction, rate: Fraction, noise: Fraction, direction: Direction
) -> None:
    low, high = certified(order, rate, noise, direction)
    assert 0 < low <= high <= low * (1 + 1e-14)
    shift = 1 / float(noise)
    # Between the quadratic behaviour of small shifts and the Gaussian mechanism without sampling.
    assert high <= float(order) * shift**2 / 2 * (1 + 1e-12)
    if shift < 1e-6:
        assert low == pytest.approx(float(order * rate**2) * shift**2 / 2, rel=1e-6)


def test_integral_and_sum_agree_at_integer_orders() -> None:
    for order, rate, noise in [
        (2, Fraction(1, 10), Fraction(1)),
        (7, Fraction(1, 10**9), Fraction(2)),
        (30, Fraction(1, 3), Fraction(3)),
    ]:
        with precision(200):
            by_sum = integer_moment(BALL, order, ball(rate), 1 / ball(noise) ** 2)
            by_integral = subsampled_gaussian.integral_moment(Fraction(order), rate, noise, "remove")
            assert by_sum.overlaps(by_integral)
            assert by_integral.rel_accuracy_bits() > 60


@pytest.mark.slow
def test_integer_sum_refuses_fractional_orders() -> None:
    for order in (2.5, Fraction(5, 2), 2.0, True, 1):
        with pytest.raises(InvalidArgumentError, match="integer"):
            integer_moment(FLOAT, order, 0.1, 1.0)  # type: ignore[arg-type]
    assert str(integer_moment(TERM, 2, TERM.number(Fraction(1, 2)), TERM.number(1))) == "-1/4 + E/4"


def test_rates_zero_and_one_are_nothing_and_the_gaussian_mechanism() -> None:
    for order in (Fraction(2), Fraction(5, 2)):
        assert certified(order, Fraction(0), Fraction(1), "remove") == (0.0, 0.0)
        low, high = certified(order, Fraction(1), Fraction(2), "add")
        assert low <= order / 8 <= high


# ------------------------------------------------------------------------------------ closed forms


def quadrature(
    alpha: mp.mpf, p: Callable[[mp.mpf], mp.mpf], q: Callable[[mp.mpf], mp.mpf], points: list[float]
) -> mp.mpf:
    return mp.log(mp.quad(lambda x: p(x) ** alpha * q(x) ** (1 - alpha), points)) / (alpha - 1)


@pytest.mark.parametrize("alpha", ["1.25", "2", "7.5"])
@pytest.mark.parametrize("scale", ["0.5", "3"])
def test_laplace_by_quadrature(alpha: str, scale: str) -> None:
    a, b = mp.mpf(alpha), mp.mpf(scale)
    reach = float(60 * b)
    value = quadrature(a, lambda x: mp.exp(-abs(x - 1) / b), lambda x: mp.exp(-abs(x) / b), [-reach, 0, 1, reach])
    value -= mp.log(2 * b) / (a - 1)
    ours = laplace_renyi(FLOAT, float(alpha), 1 / float(scale))
    assert ours == pytest.approx(float(value), rel=1e-9)


def two_laws(p: list[Fraction], q: list[Fraction], alpha: int) -> Fraction:
    return sum((x**alpha / y ** (alpha - 1) for x, y in zip(p, q, strict=True)), Fraction(0))


def test_randomised_response_is_the_sum_over_its_answers() -> None:
    odds = Fraction(5, 2)  # e^epsilon
    for k in (2, 3, 7):
        p = [odds, *[Fraction(1)] * (k - 1)]
        q = [Fraction(1), odds, *[Fraction(1)] * (k - 2)]
        total = odds + k - 1
        exact = math.log(two_laws([x / total for x in p], [x / total for x in q], 4)) / 3
        assert randomised_response_renyi(FLOAT, 4.0, math.log(odds), k) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("moves", [1, 2, 5])
def test_discrete_laplace_is_the_sum_over_the_integers(moves: int) -> None:
    scale, alpha = mp.mpf(3) / 2, mp.mpf("2.5")
    with mp.workdps(30):
        norm = (mp.e ** (1 / scale) - 1) / (mp.e ** (1 / scale) + 1)
        terms = [norm * mp.e ** (-(alpha * abs(x - moves) + (1 - alpha) * abs(x)) / scale) for x in range(-300, 300)]
        value = mp.log(mp.fsum(terms)) / (alpha - 1)
    assert discrete_laplace_renyi(FLOAT, 2.5, 1.5, moves) == pytest.approx(float(value), rel=1e-12)


def test_pure_dp_is_bun_and_steinkes_form() -> None:
    for alpha, epsilon in [(1.5, 0.1), (3.0, 1.0), (20.0, 0.7)]:
        sinh = math.log((math.sinh(alpha * epsilon) - math.sinh((alpha - 1) * epsilon)) / math.sinh(epsilon))
        assert pure_renyi(FLOAT, alpha, epsilon) == pytest.approx(sinh / (alpha - 1), rel=1e-9)


def test_bounded_range_is_attained_and_never_exceeded_by_two_points() -> None:
    epsilon, alpha = 1.3, 3.0
    best = bounded_range_renyi(FLOAT, alpha, epsilon)
    found = -math.inf
    for k in range(1, 2000):
        q = k / 2000
        t = math.log1p(q * math.expm1(epsilon))
        moment = q * math.exp(alpha * (epsilon - t)) + (1 - q) * math.exp(-alpha * t)
        found = max(found, math.log(moment) / (alpha - 1))
    assert found <= best <= found + 1e-6
    assert best < alpha * epsilon**2 / 8
    # Two candidates whose scores move by one in opposite directions, at the worst base probabilities.
    assert best < pure_renyi(FLOAT, alpha, epsilon)


def test_bounded_range_is_lost_by_mixtures_but_zcdp_is_not() -> None:
    """Two mechanisms of range ln 4, mixed by a hidden coin with separate outcomes: range ln 9, yet (ln 4)^2/8-zCDP."""
    half = Fraction(1, 2)

    def range_of(p: list[Fraction], q: list[Fraction]) -> Fraction:
        ratios = [x / y for x, y in zip(p, q, strict=True)]
        return max(ratios) / min(ratios)

    parts = []
    for mass in (Fraction(1, 9), Fraction(2, 3)):
        least = 1 / (1 + 3 * mass)
        parts.append(([4 * least * mass, least * (1 - mass)], [mass, 1 - mass]))
    for p, q in parts:
        assert sum(p) == sum(q) == 1
        assert range_of(p, q) == 4
    mixed_p = [half * x for p, _ in parts for x in p]
    mixed_q = [half * x for _, q in parts for x in q]
    assert range_of(mixed_p, mixed_q) == 9
    rho = conversions.bounded_range_zcdp(FLOAT, math.log(4))
    for alpha in (2, 3, 8, 50):
        for p, q in ((mixed_p, mixed_q), (mixed_q, mixed_p)):
            assert math.log(two_laws(p, q, alpha)) / (alpha - 1) <= rho * alpha


def test_pure_and_bounded_range_to_zcdp_are_above_the_exact_divergences() -> None:
    for epsilon in (0.01, 0.3, 2.0, 8.0):
        for alpha in (1.001, 1.5, 2.0, 10.0, 100.0 / epsilon**0.5):
            assert pure_renyi(FLOAT, alpha, epsilon) <= conversions.pure_zcdp(FLOAT, epsilon) * alpha * (1 + 1e-9)
            exact = bounded_range_renyi(FLOAT, alpha, epsilon)
            assert exact <= conversions.bounded_range_zcdp(FLOAT, epsilon) * alpha * (1 + 1e-6)
    assert conversions.pure_zcdp(RATIONAL, Fraction(3)) == Fraction(9, 2)
    assert conversions.bounded_range_zcdp(RATIONAL, Fraction(2)) == Fraction(1, 2)
    # A factor too small would be seen: at small epsilon and orders near one both are attained to leading order.
    assert pure_renyi(FLOAT, 1.01, 1e-3) > 0.999 * conversions.pure_zcdp(FLOAT, 1e-3) * 1.01
    assert bounded_range_renyi(FLOAT, 1.01, 1e-2) > 0.99 * conversions.bounded_range_zcdp(FLOAT, 1e-2) * 1.01


# ------------------------------------------------------------------------------------ without replacement


@pytest.mark.slow
def test_bounds_without_replacement_are_above_the_divergence_of_a_worst_case() -> None:
    """Neighbours whose batch mean moves by -s/2 or s/2 when the record is drawn: the pair attains the sensitivity s."""
    for rate, noise in [
        (Fraction(1, 100), Fraction(8)),
        (Fraction(1, 5), Fraction(2)),
        (Fraction(1, 1000), Fraction(1)),
    ]:
        q, s = float(rate), 1 / float(noise)
        for order in (2, 3, 8):

            def moment(x: mp.mpf, order: int = order, q: float = q, s: float = s) -> mp.mpf:
                up, down = mp.exp(s / 2 * x - s * s / 8), mp.exp(-s / 2 * x - s * s / 8)
                return mp.npdf(x) * (1 - q + q * up) ** order * (1 - q + q * down) ** (1 - order)

            true = float(mp.log(mp.quad(moment, [-30, -5, 0, 5, 30])) / (order - 1))
            for bound in BOUNDS:
                if bound in without_replacement.applicable(Fraction(order), noise):
                    found = without_replacement_renyi(order, rate=rate, noise_multiplier=noise, bound=bound)
                    assert found.lower == 0.0
                    assert found.upper >= true
                    assert found.adjacency is ReplaceOne


def _gaussian_of_order(shift: arb, order: int) -> arb:
    return gaussian_renyi(BALL, arb(order), shift)


def test_theorem_nine_against_a_plain_evaluation() -> None:
    gamma, z, order = 0.01, 2.0, 6
    total = 1.0
    for j in range(2, order + 1):
        d = j / (2 * z * z)
        term = min(4 * math.expm1(d), 2 * math.exp(d)) if j == 2 else 2 * math.exp((j - 1) * d)
        total += gamma**j * math.comb(order, j) * term
    ours = amplified_divergence(FLOAT, order, gamma, lambda j: j / (2 * z * z))
    assert ours == pytest.approx(math.log(total) / (order - 1), rel=1e-12)
    for k, noise in [(order, Fraction(2)), (2, Fraction(1, 3)), (40, Fraction(5))]:
        shift = 1 / ball(noise)
        own = functools.partial(_gaussian_of_order, shift)
        by_formula = amplified_divergence(BALL, k, ball(Fraction(1, 100)), own)
        fast = without_replacement.gaussian_bound("wang-balle-kasiviswanathan", Fraction(k), Fraction(1, 100), noise)
        assert by_formula.overlaps(fast)
    pure = amplified_divergence(FLOAT, order, gamma, lambda j: pure_renyi(FLOAT, float(j), 0.1), 0.1)
    assert pure < amplified_divergence(FLOAT, order, gamma, lambda j: pure_renyi(FLOAT, float(j), 0.1))


def test_lemma_of_small_shifts_is_the_weak_triangle_of_its_halves() -> None:
    gamma, s = Fraction(1, 100), Fraction(1, 9)
    for order in (2, 5, 9):
        first = without_replacement.shifted_mixture(RATIONAL, 2 * order, gamma, s)
        second = without_replacement.shifted_mixture(RATIONAL, 2 * order - 1, gamma, s)
        assert small_shift(RATIONAL, order, gamma, s) == weak_triangle(RATIONAL, Fraction(order), first, second)


def test_small_shift_holds_its_lemma_and_its_condition() -> None:
    """The lemma bounds the subsampled Gaussian's own divergence; the condition is exact."""
    for order, gamma, z in [
        (2, Fraction(1, 10), Fraction(2)),
        (8, Fraction(1, 2), Fraction(4)),
        (50, Fraction(1, 100), Fraction(10)),
    ]:
        assert 2 * order <= z * z
        exact = certified(Fraction(order), gamma, z, "remove")
        assert exact[1] <= float(without_replacement.shifted_mixture(RATIONAL, order, gamma, 1 / z)) * 0.29
    assert "small-shift" in without_replacement.applicable(Fraction(4), Fraction(4))
    with pytest.raises(InvalidArgumentError, match="small-shift"):
        without_replacement_renyi(4, rate=Fraction(1, 10), noise_multiplier=4 - Fraction(1, 10**9), bound="small-shift")


@pytest.mark.parametrize("bound", ["wang-balle-kasiviswanathan", "small-shift"])
def test_integer_bounds_refuse_fractional_orders(bound: without_replacement.Bound) -> None:
    with pytest.raises(InvalidArgumentError, match="integer"):
        without_replacement_renyi(Fraction(5, 2), rate=Fraction(1, 10), noise_multiplier=100, bound=bound)
    with pytest.raises(InvalidArgumentError, match="integer"):
        amplified_divergence(FLOAT, 2.5, 0.1, math.sqrt)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="integer"):
        small_shift(FLOAT, 2.5, 0.1, 0.1)  # type: ignore[arg-type]


def test_chord_between_integer_orders_is_not_below_the_exact_curve() -> None:
    gamma, z = Fraction(1, 50), Fraction(3)
    for order in (Fraction(3, 2), Fraction(5, 2), Fraction(41, 4)):
        best = without_replacement_renyi(order, rate=gamma, noise_multiplier=z)
        one_sided = certified(order, gamma, 2 * z, "remove")
        assert best.upper > one_sided[0]


@pytest.mark.slow
def test_scan_of_orders_with_the_mirror_gives_the_same_epsilon() -> None:
    best = math.inf
    for k in range(140, 160):
        order = Fraction(k, 20)
        d = float(mirror(order, Fraction(1, 100), Fraction(1), "remove"))
        a = float(order)
        best = min(best, 1000 * d + (math.log(1e6) - math.log(a)) / (a - 1) + math.log1p(-1 / a))
    step = Poisson(Gaussian(Fraction(1)), Fraction(1, 100))
    found = accountant.epsilon(Ledger(Repeat(step, 1000), AddOrRemoveOne), DELTA)
    assert found.upper == pytest.approx(best, rel=1e-4)
    assert found.upper <= best
