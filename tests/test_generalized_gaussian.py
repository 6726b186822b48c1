"""Norms, linear minimisation and generalised Gaussian noise: closed forms, distributions, the privacy of a node."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.geometry.linear_minimization import LpBall, Polytope, simplex
from dpref.geometry.norms import Regularity, check_index, dual_index, lp_norm, regularity
from dpref.mechanisms.generalized_gaussian import GeneralizedGaussianMechanism, RegularNoise, unit_draws
from dpref.mechanisms.noise import GaussianNoise, Noise
from dpref.privacy.accountants import certify, survey
from dpref.privacy.events.ledger import Compose, Gaussian, GeneralizedGaussian, Laplace, Ledger, Poisson, Repeat
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.renyi.accountant import divergence
from dpref.reals import BALL_ARRAY, FLOAT_ARRAY, exact, precision
from dpref.units import L1, L2, Linf, Norm, ReplaceOne, Sensitivity, ZeroOut, lq
from tests.effort import part

INDICES = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(10), math.inf]


def node(sigma: float, q: Fraction, dimension: int) -> GeneralizedGaussianMechanism:
    return GeneralizedGaussianMechanism(Fraction(1), sigma, regularity(q, dimension), dimension)


@pytest.mark.parametrize("p", INDICES)
def test_the_oracle_attains_minus_r_times_the_dual_norm(p: Fraction) -> None:
    rng = np.random.default_rng(0)
    ball = LpBall(p, Fraction(3, 2))
    for _ in range(50):
        g = rng.standard_normal(6) * rng.choice([1e-9, 1.0, 1e9])
        v = ball.minimise(FLOAT_ARRAY, g)
        assert lp_norm(v, p) == pytest.approx(1.5)
        assert float(g @ v) == pytest.approx(-1.5 * lp_norm(g, dual_index(p)), rel=1e-10)
    assert not ball.minimise(FLOAT_ARRAY, np.zeros(3)).any()
    assert ball.diameter() == 3.0


def test_vertices_and_simplex() -> None:
    square = Polytope(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]))
    assert square.minimise(FLOAT_ARRAY, np.array([2.0, -1.0])).tolist() == [-1.0, 1.0]
    assert square.diameter() == 4.0
    assert simplex(4).diameter() == 2.0


def test_a_vertex_that_is_given_twice_does_not_stop_a_run_in_balls() -> None:
    twice = Polytope(np.array([[-1.0, -1.0], [0.0, 1.0], [-1.0, -1.0]]))
    assert twice.vertices.tolist() == [[-1.0, -1.0], [0.0, 1.0]]
    with precision(100):
        third = BALL_ARRAY.lift(np.ones(2)) / BALL_ARRAY.number(Fraction(3))
        assert [float(x) for x in twice.minimise(BALL_ARRAY, third)] == [-1.0, -1.0]
    point = Polytope(np.ones((3, 2)))
    assert point.diameter() == 0
    assert point.minimise(FLOAT_ARRAY, np.zeros(2)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("q", INDICES)
@pytest.mark.parametrize("d", [1, 2, 7, 200])
def test_the_associated_norm_lies_between_the_norm_and_its_regular_multiple(q: Fraction, d: int) -> None:
    """Definition 2.2, the property that the printed index breaks (E-1)."""
    found, rng = regularity(q, d), np.random.default_rng(d)
    for x in [np.eye(d)[0], np.ones(d), *(rng.standard_normal((30, d)) ** 3)]:
        norm, plus = lp_norm(x, q) ** 2, (found.scale * lp_norm(x, found.index)) ** 2
        assert norm <= plus * (1 + 1e-12)
        assert plus <= found.kappa / float(found.smoothness) * norm * (1 + 1e-12)
    assert found.kappa >= 1


@pytest.mark.parametrize("q", [Fraction(1), Fraction(8, 7), Fraction(3, 2), Fraction(199, 100)])
def test_kappa_is_at_least_the_square_of_the_factor_as_it_is_rounded(q: Fraction) -> None:
    """On a unit vector the associated norm's square is scale^2: a kappa rounded by itself fell below it."""
    for d in range(1, 400):
        found = regularity(q, d)
        assert exact(found.scale) ** 2 <= exact(found.kappa) <= exact(found.scale) ** 2 * (1 + Fraction(1, 2**51))


@pytest.mark.parametrize(
    ("noise", "norm"),
    [
        (GaussianNoise(1.0), L1),
        (GaussianNoise(1.0), Linf),
        (RegularNoise(1.0, lq(Fraction(3)), 3.0, 1.0, Fraction(2)), L2),
        (RegularNoise(0.0, lq(Fraction(3)), 3.0, 1.0, None), L2),
    ],
)
def test_noise_is_charged_for_a_sensitivity_in_its_own_norm_only(noise: Noise, norm: type[Norm]) -> None:
    """An l_1 bound is no l_2 bound's equal, nor an l_2 bound an l_3 one's: the loss would be misstated."""
    with pytest.raises(InvalidArgumentError, match="sensitivity"):
        noise.event(Sensitivity(Fraction(1), norm, ReplaceOne))


def test_the_printed_index_breaks_the_definition() -> None:
    """E-1: q = 3, d = 1000 with the printed index q - 1 = 2 and kappa = q - 1 = 2 fails at the all-ones vector."""
    printed = Regularity(2.0, Fraction(2), 1.0, Fraction(1))
    x = np.ones(1000)
    norm, plus = lp_norm(x, Fraction(3)) ** 2, (printed.scale * lp_norm(x, printed.index)) ** 2
    assert plus > 2 * printed.kappa / float(printed.smoothness) * norm


@pytest.mark.slow
@pytest.mark.parametrize(("q", "d"), [(Fraction(2), 1), (Fraction(2), 4), (Fraction(3), 3), (math.inf, 50)])
def test_the_squared_norm_of_a_draw_is_gamma(q: Fraction, d: int) -> None:
    """Kolmogorov-Smirnov at level 1e-4 a case, fixed seed: false-alarm rate 4e-4 for the four cases."""
    from scipy import stats

    mechanism, rng = node(3.0, q, d), np.random.default_rng(7)
    squares = [mechanism.norm_plus(mechanism.sample(rng)) ** 2 for _ in range(4000)]
    assert stats.kstest(squares, stats.gamma(d / 2, scale=2 * 9.0).cdf).pvalue > 1e-4


@pytest.mark.parametrize("index", [60.0, 1001.0, 1e6])
def test_a_large_index_leaves_no_coordinate_at_zero(index: float) -> None:
    r"""The norm is then nearly the largest coordinate and the direction nearly uniform on the surface of a cube.

    In five dimensions $E|Z_1|=E\,r\,(\frac15+\frac45\cdot\frac12)$ up to $O(1/\rho)$; six standard errors.
    """
    draws = unit_draws(index, 20_000, 5, np.random.default_rng(3))
    assert np.isfinite(draws).all()
    assert np.count_nonzero(draws) == draws.size
    expected = math.sqrt(2) * math.gamma(3) / math.gamma(5 / 2) * 0.6  # the mean of chi with five degrees of freedom
    error = 6 * float(np.abs(draws).std()) / math.sqrt(draws.shape[0])
    assert abs(float(np.abs(draws).mean()) - expected) < error + 2 / index


@pytest.mark.slow
def test_the_printed_gamma_scale_is_another_distribution() -> None:
    """E-2, and the planted bug of the test above: at sigma = 3 the printed sampler has a third of the energy."""
    from scipy import stats

    mechanism, rng = node(3.0, Fraction(3), 3), np.random.default_rng(7)
    squares = [mechanism.norm_plus(mechanism.sample_as_printed(rng)) ** 2 for _ in range(4000)]
    assert stats.kstest(squares, stats.gamma(1.5, scale=18.0).cdf).pvalue < 1e-50
    assert np.mean(squares) == pytest.approx(9.0, rel=0.1)


def test_euclidean_noise_is_plain_gaussian() -> None:
    from scipy import stats

    mechanism, rng = node(2.0, Fraction(2), 3), np.random.default_rng(3)
    draws = np.array([mechanism.sample(rng) for _ in range(3000)])
    assert all(stats.kstest(draws[:, j] / 2, "norm").pvalue > 1e-4 for j in range(3))


@pytest.mark.slow
@pytest.mark.parametrize("alpha", part([2, 5], 1))
def test_the_renyi_bound_holds_by_quadrature_in_the_plane(alpha: int) -> None:
    """PO-9: D_alpha of the shifted density, integrated numerically, is below alpha kappa / (2 sigma^2)."""
    from scipy import integrate

    mechanism = node(1.5, Fraction(4), 2)
    claimed = divergence(Ledger(mechanism.event, ReplaceOne), alpha).upper
    for shift in (np.array([1.0, 0.0]), np.full(2, 2 ** (-1 / 4))):
        assert lp_norm(shift, Fraction(4)) == pytest.approx(1)

        def density(y: float, x: float) -> float:
            return math.exp(-(mechanism.norm_plus(np.array([x, y])) ** 2) / (2 * 1.5**2))

        def power(y: float, x: float, shift: np.ndarray = shift) -> float:
            return density(y, x) * math.exp(alpha * mechanism.log_density_ratio(np.array([x, y]), shift))

        options = {"epsabs": 1e-6, "epsrel": 1e-6}
        total, total_error = integrate.dblquad(density, -14, 14, -14, 14, **options)
        moment, moment_error = integrate.dblquad(power, -14, 22, -14, 22, **options)
        # The bound is attained where the associated norm is Euclidean, so the quadrature's own error counts.
        assert math.log((moment - moment_error) / (total + total_error)) / (alpha - 1) <= claimed


INDEX_3 = Regularity(2.0, Fraction(3), 1.0, Fraction(2))
INDEX_4 = Regularity(3.0, Fraction(4), 1.0, Fraction(3))


def hockey_stick(found: Regularity, shift: np.ndarray, epsilon: Fraction, cells: int) -> float:
    """delta of noise at sigma = 3/2 moved by a vector of the plane, by midpoints."""
    at = (np.arange(cells) + 0.5) / cells * 24 - 12
    x, y = np.meshgrid(at, at)
    rho = float(found.index)

    def density(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(-((found.scale * (abs(x) ** rho + abs(y) ** rho) ** (1 / rho)) ** 2) / (2 * 1.5**2)))

    here = density(x, y)
    gain = np.maximum(density(x - shift[0], y - shift[1]) - math.exp(epsilon) * here, 0)
    return float(gain.sum() / here.sum())


@pytest.mark.slow
@pytest.mark.parametrize("angle", [0.0, 0.4, math.pi / 4])
@pytest.mark.parametrize(
    ("q", "found"), [(Fraction(4), regularity(Fraction(4), 2)), (Fraction(4), INDEX_4), (Fraction(3), INDEX_3)]
)
def test_the_privacy_curve_lies_below_the_gaussian_one_in_the_plane(
    q: Fraction, found: Regularity, angle: float
) -> None:
    """Obligation gaussian-dp, against quadrature; in the Euclidean case it is attained at 45 degrees."""
    shift = np.array([math.cos(angle), math.sin(angle)])
    shift /= lp_norm(shift, q)
    event = GeneralizedGaussian(Fraction(3, 2), exact(found.kappa))
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
        fine, coarse = hockey_stick(found, shift, epsilon, 800), hockey_stick(found, shift, epsilon, 400)
        claimed = certify(Ledger(event, ReplaceOne), epsilon=epsilon).upper
        assert fine - 2 * abs(fine - coarse) <= claimed
        if found.index == 2 and angle > 0.5:
            assert fine == pytest.approx(claimed, abs=1e-5)


@pytest.mark.slow
def test_all_accountants_know_generalised_noise_and_the_closed_form_is_the_best() -> None:
    ledger = Ledger(Repeat(GeneralizedGaussian(Fraction(9), Fraction(2)), 10), ReplaceOne)
    found = {o.accountant: o.interval for o in survey(ledger, delta=Fraction(1, 10**5)) if o.interval is not None}
    assert {"gaussian", "zcdp", "renyi", "pld"} <= set(found)
    assert all(interval.lower == 0 for interval in found.values())
    best = found["gaussian"].upper
    assert best == certify(Ledger(Repeat(Gaussian(Fraction(9)), 20), ReplaceOne), delta=Fraction(1, 10**5)).upper
    assert best <= found["pld"].upper <= best * 1.001
    assert found["zcdp"].upper > 1.04 * best
    mixed = Ledger(Compose((GeneralizedGaussian(Fraction(9), Fraction(2)), Laplace(Fraction(5)))), ReplaceOne)
    assert 0 < certify(mixed, delta=Fraction(1, 10**5)).upper < math.inf


def test_a_euclidean_norm_attains_what_is_claimed() -> None:
    ledger = Ledger(GeneralizedGaussian(Fraction(9), Fraction(1)), ReplaceOne)
    plain = Ledger(Gaussian(Fraction(9)), ReplaceOne)
    assert certify(ledger, epsilon=1).as_decimal() == certify(plain, epsilon=1).as_decimal()
    for kappa, attained in ((Fraction(1), True), (Fraction(2), False)):
        found = pairs(Poisson(GeneralizedGaussian(Fraction(9), kappa), Fraction(1, 10)), ZeroOut)
        assert (found.attained_remove is found.remove, found.attained_add is found.add) == (attained, attained)
        assert attained or found.attained_remove is found.attained_add is None


def test_a_euclidean_node_costs_what_a_gaussian_costs() -> None:
    general = divergence(Ledger(GeneralizedGaussian(Fraction(3), Fraction(1)), ReplaceOne), 4)
    plain = divergence(Ledger(Gaussian(Fraction(3)), ReplaceOne), 4)
    assert general.upper == plain.upper


def test_regularity_costs_noise() -> None:
    cheap, dear = (
        certify(Ledger(Repeat(GeneralizedGaussian(Fraction(9), kappa), 10), ReplaceOne), delta=Fraction(1, 10**5)).upper
        for kappa in (Fraction(1), Fraction(4))
    )
    assert cheap < dear < math.inf


@pytest.mark.parametrize(
    "make",
    [
        lambda: check_index(Fraction(1, 2)),
        lambda: check_index(1.5),
        lambda: regularity(Fraction(3), 0),
        lambda: LpBall(Fraction(2), Fraction(0)),
        lambda: Polytope(np.zeros((0, 2))),
        lambda: Polytope(np.array([[np.nan]])),
        lambda: GeneralizedGaussian(Fraction(0), Fraction(1)),
        lambda: GeneralizedGaussian(Fraction(1), Fraction(1, 2)),
        lambda: node(0.0, Fraction(3), 2),
        lambda: node(math.nan, Fraction(3), 2),
        lambda: node(1.0, Fraction(3), 0),
    ],
)
def test_bad_arguments_are_refused(make: object) -> None:
    with pytest.raises(InvalidArgumentError):
        make()  # type: ignore[operator]
