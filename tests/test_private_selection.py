"""Private selection and trade-off functions: exact laws, parametric curves, printed formulas."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import pytest

from dpref.privacy.closed_forms.best_of import expected_repetitions, expected_repetitions_logarithmic
from dpref.privacy.closed_forms.divergences import gaussian_delta
from dpref.privacy.closed_forms.tradeoff import (
    dp_tradeoff_at,
    gaussian_tradeoff,
    gaussian_tradeoff_at,
    laplace_tradeoff_at,
    tradeoff_delta,
)
from dpref.privacy.renyi.curves import RenyiCurve
from dpref.privacy.renyi.divergences import pure_renyi
from dpref.privacy.renyi.selection import (
    negative_binomial_renyi,
    poisson_selection_renyi,
    select,
    select_poisson,
    select_pure,
)
from dpref.reals import BALL, FLOAT, ball, exact
from tests.effort import part
from tests.losses import approximate, pure

# ------------------------------------------------------------------------------------ selection


def _mp(x: Fraction) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


def law(eta: mp.mpf, gamma: mp.mpf, most: int) -> list[mp.mpf]:
    """Truncated negative binomial probabilities of 1, ..., most (Papernot and Steinke 2022, Definition 1)."""
    weights, coefficient = [], mp.mpf(1)
    for k in range(1, most + 1):
        coefficient = (1 - gamma) ** k * (mp.mpf(1) / k if eta == 0 else mp.rf(eta, k) / mp.factorial(k))
        weights.append(coefficient)
    norm = mp.log(1 / gamma) if eta == 0 else gamma ** (-eta) - 1
    return [w / norm for w in weights]


def selected(one: list[mp.mpf], repetitions: list[mp.mpf]) -> list[mp.mpf]:
    """The law of the best of K draws, outcomes ordered from worst to best; what is left is the empty selection."""

    def f(x: mp.mpf) -> mp.mpf:
        return mp.fsum(w * x**k for k, w in enumerate(repetitions, start=1))

    total, found = mp.mpf(0), []
    for p in one:
        found.append(f(total + p) - f(total))
        total += p
    return found


def renyi(p: list[mp.mpf], q: list[mp.mpf], alpha: mp.mpf) -> mp.mpf:
    return mp.log(mp.fsum(x**alpha * y ** (1 - alpha) for x, y in zip(p, q, strict=True))) / (alpha - 1)


def response(epsilon: mp.mpf) -> tuple[list[mp.mpf], list[mp.mpf]]:
    """A rare good outcome that the neighbour makes e^epsilon times likelier."""
    rare = mp.mpf(1) / 20
    p, q = [1 - rare * mp.e**epsilon, rare * mp.e**epsilon], [1 - rare, rare]
    return p, q


@pytest.mark.slow
@pytest.mark.parametrize("eta", part([Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(2)], 2))
def test_selection_by_a_negative_binomial_law_is_below_its_theorem(eta: Fraction) -> None:
    gamma, epsilon = Fraction(1, 10), Fraction(3, 10)
    with mp.workdps(30):
        p, q = response(_mp(epsilon))
        weights = law(_mp(eta), _mp(gamma), 1200)
        assert mp.fsum(weights) == pytest.approx(1, abs=1e-9)
        mean = float(mp.fsum(k * w for k, w in enumerate(weights, start=1)))
        ours = (
            expected_repetitions_logarithmic(FLOAT, 0.1) if eta == 0 else expected_repetitions(FLOAT, float(eta), 0.1)
        )
        assert ours == pytest.approx(mean, rel=1e-9)
        one = RenyiCurve(lambda order: pure_renyi(BALL, ball(order), ball(epsilon)), tight=False)
        curve = select(one, eta=eta, gamma=gamma)
        for alpha in (2, 8, 40):
            for first, second in ((p, q), (q, p)):
                true = float(renyi(selected(first, weights), selected(second, weights), mp.mpf(alpha)))
                assert true <= curve.at(alpha).upper
        best, worst = selected(p, weights), selected(q, weights)
        loss = max(abs(mp.log(x / y)) for x, y in zip(best, worst, strict=True))
        assert float(loss) <= select_pure(pure(epsilon), eta=eta).value


def test_selection_from_a_poisson_law_is_below_its_theorem() -> None:
    mean, epsilon = 6, Fraction(1, 10)
    with mp.workdps(30):
        p, q = response(_mp(epsilon))
        weights = [mp.e ** (-mean) * mp.mpf(mean) ** k / mp.factorial(k) for k in range(1, 120)]
        empty = mp.e ** (-mean)
        one = RenyiCurve(lambda order: pure_renyi(BALL, ball(order), ball(epsilon)), tight=False)
        curve = select_poisson(one, mean=mean, epsilon=epsilon, delta=0)
        for alpha in (2, 5, 10):
            for first, second in ((p, q), (q, p)):
                laws = [*selected(first, weights), empty], [*selected(second, weights), empty]
                assert float(renyi(*laws, mp.mpf(alpha))) <= curve.at(alpha).upper
    assert curve.at(11).upper == math.inf  # e^0.1 > 1 + 1/10
    # Without the empty selection the formula would fall below zero at small means.
    assert poisson_selection_renyi(FLOAT, 2.0, 0.0, 0.0, 0.01) >= 0
    assert math.log(0.01) < 0


def test_selection_formula_has_the_printed_terms() -> None:
    value = negative_binomial_renyi(FLOAT, 5.0, 0.2, (4.0, 0.1), 1.0, 0.01, 100.0)
    assert value == pytest.approx(0.2 + 2 * 0.75 * 0.1 + 2 * math.log(100) / 4 + math.log(100) / 4)


# ------------------------------------------------------------------------------------ trade-off functions


def test_gaussian_tradeoff_is_its_parametric_curve_and_gives_the_exact_delta() -> None:
    mu, epsilon = 1.2, 0.7
    for threshold in (-1.0, 0.3, 2.0):
        a, error = gaussian_tradeoff(FLOAT, threshold, mu)
        found = gaussian_tradeoff_at(exact(mu) ** 2, exact(a))
        assert found.lower == pytest.approx(error, rel=1e-12)
        assert tradeoff_delta(FLOAT, a, error, epsilon) <= gaussian_delta(FLOAT, epsilon, mu)
    a, error = gaussian_tradeoff(FLOAT, epsilon / mu + mu / 2, mu)
    assert tradeoff_delta(FLOAT, a, error, epsilon) == pytest.approx(gaussian_delta(FLOAT, epsilon, mu), rel=1e-12)


def test_laplace_tradeoff_is_the_best_threshold_test() -> None:
    scale = Fraction(2)

    def tail(x: float) -> float:
        return 0.5 * math.exp(-x) if x > 0 else 1 - 0.5 * math.exp(x)

    for threshold in (-1.0, 0.1, 0.4, 0.9, 3.0):
        a, error = tail(threshold), 1 - tail(threshold - 0.5)
        found = laplace_tradeoff_at(scale, exact(a))
        assert found.lower == pytest.approx(error, rel=1e-12)
        assert found.upper >= dp_tradeoff_at(pure(Fraction(1, 2)), exact(a)).lower
    edge = laplace_tradeoff_at(Fraction(1), Fraction(1, 2))
    assert edge.lower <= math.exp(-1) / 2 <= edge.upper


def test_tradeoff_of_dp_at_its_ends_and_bounds() -> None:
    loss = approximate(Fraction(1), Fraction(1, 10))
    assert dp_tradeoff_at(loss, 0).lower == pytest.approx(0.9)
    assert dp_tradeoff_at(loss, Fraction(9, 10)).upper == 0.0
    assert dp_tradeoff_at(loss, 1).upper == 0.0
    assert gaussian_tradeoff_at(1, 0).upper == 1.0
    assert gaussian_tradeoff_at(0, Fraction(1, 3)).lower == pytest.approx(2 / 3)
