"""Privacy profiles, trade-off functions and Gaussian-DP parameters against closed forms and exact enumeration."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy import directions as directions_module
from dpref.privacy import gaussian_dp
from dpref.privacy.accountants import certify
from dpref.privacy.closed_forms.gaussian import gaussian_delta_at
from dpref.privacy.closed_forms.tradeoff import dp_tradeoff_at, gaussian_tradeoff_at, laplace_tradeoff_at
from dpref.privacy.curves import Band, privacy_profile, tradeoff_curve
from dpref.privacy.events.expression import parse_event
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.gaussian_dp import gdp_parameter
from dpref.privacy.pld import accountant
from dpref.units import AddOrRemoveOne, Adjacency, PrivacyLoss, PureDP, ReplaceOne, ZeroOut

SMALL = Fraction(1, 10**6)
ALPHAS = [Fraction(0), SMALL, *(Fraction(k, 7) for k in range(1, 7)), 1 - SMALL, Fraction(1)]
COIN = ((4, 3, 9), (1, 6, 9))  # sixteenths: the losses are 2 ln 2, -ln 2 and 0
MINE = "custom(mine, add_or_remove_one=finite([4/16, 3/16, 9/16], [1/16, 6/16, 9/16], attained=true))"


def ledger(text: str, adjacency: type[Adjacency] = ReplaceOne) -> Ledger[Any]:
    return Ledger(parse_event(text), adjacency)


def composed(count: int) -> list[tuple[Fraction, Fraction]]:
    """All outcomes of so many draws from either law, by enumeration."""
    words = list(itertools.product(range(3), repeat=count))
    first, second = ([Fraction(math.prod(law[i] for i in word), 16**count) for word in words] for law in COIN)
    return list(zip(first, second, strict=True))


def exact_delta(outcomes: list[tuple[Fraction, Fraction]], epsilon: Fraction) -> Any:
    with mpmath.workdps(50):
        growth = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        found = [mpmath.mpf(p.numerator) / p.denominator - growth * q.numerator / q.denominator for p, q in outcomes]
        return mpmath.fsum(x for x in found if x > 0)


def exact_tradeoff(outcomes: list[tuple[Fraction, Fraction]], a: Fraction) -> Fraction:
    """Neyman and Pearson: the outcomes of the largest P/Q first, until the type I error is used up."""
    left, error = a, Fraction(1)
    for p, q in sorted(outcomes, key=lambda pq: pq[0] / pq[1], reverse=True):
        share = min(Fraction(1), left / q)
        left, error = left - share * q, error - share * p
    return error


def test_golden_gaussian() -> None:
    band = tradeoff_curve(ledger("gaussian(1)"), [Fraction(1, 20)]).band
    assert band.lower[0] <= 0.740488977158556 <= band.upper[0] + 1e-15
    assert band.upper[0] - band.lower[0] < 1e-12


@pytest.mark.parametrize(
    ("text", "mu_squared"), [("gaussian(1/3)", Fraction(9)), ("compose(gaussian(2), gaussian(3))", Fraction(13, 36))]
)
def test_gaussians_are_exact(text: str, mu_squared: Fraction) -> None:
    found = ledger(text)
    mu_squared = {"gaussian(1/3)": Fraction(9), "compose(gaussian(5), 12)": Fraction(12, 25)}.get(
        text, Fraction(13, 36)
    )
    profile = privacy_profile(found, [Fraction(k, 3) for k in range(-6, 7)])
    for x, low, high in zip(profile.points, profile.band.lower, profile.band.upper, strict=True):
        other = gaussian_delta_at(mu_squared, abs(x))
        with mpmath.workdps(40):
            e = mpmath.mpf(x.numerator) / x.denominator
            ends = [1 - mpmath.exp(e) + mpmath.exp(e) * end if x < 0 else end for end in (other.lower, other.upper)]
        assert low <= ends[1]
        assert ends[0] <= high
        assert high - low <= 1e-12 * high
    curve = tradeoff_curve(found, ALPHAS)
    for a, low, high in zip(curve.points, curve.band.lower, curve.band.upper, strict=True):
        known = gaussian_tradeoff_at(mu_squared, a)
        assert low <= known.upper
        assert known.lower <= high
        assert high - low <= 1e-6


def test_laplace_and_randomized_response_are_exact() -> None:
    curve = tradeoff_curve(ledger("laplace(2/3)", ZeroOut), ALPHAS)
    for a, low, high in zip(curve.points, curve.band.lower, curve.band.upper, strict=True):
        known = laplace_tradeoff_at(Fraction(2, 3), a)
        assert low <= known.upper
        assert known.lower <= high
        assert high - low <= 1e-8
    whole = tradeoff_curve(ledger("laplace(1)", ZeroOut), ["0.05", "0.5"]).band  # the last loss is beyond any delta's
    assert max(high - low for low, high in zip(whole.lower, whole.upper, strict=True)) < 1e-8
    curve = tradeoff_curve(ledger("randomized_response(1)"), ALPHAS)
    for a, low, high in zip(curve.points, curve.band.lower, curve.band.upper, strict=True):
        known = dp_tradeoff_at(PrivacyLoss(Fraction(1), PureDP, ReplaceOne), a)
        assert low <= known.upper
        assert known.lower <= high
        assert high - low <= 1e-8


@pytest.mark.parametrize("count", [1, 2, 4])
def test_finite_pairs_against_enumeration(count: int) -> None:
    """Both directions of a lopsided pair, composed exactly."""
    spent = ledger(f"compose({MINE}, {count})", AddOrRemoveOne)
    outcomes = composed(count)
    ways = {"removed": outcomes, "added": [(q, p) for p, q in outcomes]}
    epsilons = [Fraction(k, 4) for k in range(-8, 9)]
    profile, curve = privacy_profile(spent, epsilons), tradeoff_curve(spent, ALPHAS)
    assert set(profile.directions) == set(curve.directions) == set(ways)
    for way, law in ways.items():
        band = profile.directions[way]
        for i, x in enumerate(profile.points):
            truth = exact_delta(law, x)
            assert band.lower[i] <= truth + 1e-40
            assert truth <= band.upper[i] + 1e-40
            assert band.upper[i] - band.lower[i] <= 1e-9
        band = curve.directions[way]
        for i, a in enumerate(curve.points):
            truth = exact_tradeoff(law, a)
            assert band.lower[i] <= truth <= band.upper[i]
            assert band.upper[i] - band.lower[i] <= 1e-6
    both = [min(exact_tradeoff(law, a) for law in ways.values()) for a in curve.points]
    assert all(curve.band.lower[i] <= truth <= curve.band.upper[i] for i, truth in enumerate(both))


SAMPLED = "compose(poisson(gaussian(1), rate=1/10), 30)"


@pytest.mark.slow
def test_sampled_gaussians_agree_with_certify() -> None:
    """The fast path's bands overlap the intervals that are computed point by point, and tests obey duality."""
    spent = ledger(SAMPLED, AddOrRemoveOne)
    epsilons = [Fraction(k, 2) for k in range(7)]
    profile = privacy_profile(spent, epsilons)
    for x, low, high in zip(profile.points, profile.band.lower, profile.band.upper, strict=True):
        found = certify(spent, epsilon=x, accountant="fast")
        assert low <= found.upper
        assert found.lower <= high
        assert high - low <= 1e-2 * high
    curve = tradeoff_curve(spent, [Fraction(k, 10) for k in range(1, 10)])
    for a, low, high in zip(curve.points, curve.band.lower, curve.band.upper, strict=True):
        lines = [1 - y - math.exp(x) * a for x, y in zip(profile.points, profile.band.upper, strict=True)]
        assert max(lines) <= high
        assert 0 < low <= high <= low + 1e-3


def test_one_sampled_gaussian_against_quadrature() -> None:
    """The removed direction of one answer: thresholds are the best tests, their errors two normal tails."""
    rate, spent = 0.1, ledger("poisson(gaussian(1), rate=1/10)", AddOrRemoveOne)
    thresholds = np.linspace(-3, 4, 9)
    tail = [float(mpmath.ncdf(-t)) for t in thresholds]
    power = [(1 - rate) * float(mpmath.ncdf(-t)) + rate * float(mpmath.ncdf(1 - t)) for t in thresholds]
    curve = tradeoff_curve(spent, tail)
    order = sorted(range(9), key=lambda i: tail[i])
    band = curve.directions["removed"]
    assert all(band.lower[k] <= 1 - power[i] + 1e-12 for k, i in enumerate(order))
    assert all(1 - power[i] <= band.upper[k] + 1e-12 for k, i in enumerate(order))
    assert max(high - low for low, high in zip(band.lower, band.upper, strict=True)) < 1e-9


def test_what_is_not_attained_is_not_claimed() -> None:
    """Of a pair that nobody says is attained the error may be as large as without any answer."""
    curve = tradeoff_curve(
        ledger(MINE.replace(", attained=true", ""), AddOrRemoveOne), [Fraction(1, 4), Fraction(1, 2)]
    )
    assert curve.band.upper == (0.75, 0.5)
    assert curve.band.lower[0] < 0.6


def test_no_noise_and_no_answers() -> None:
    assert tradeoff_curve(ledger("nonprivate()"), [0, "1/2", 1]).band.upper == (0.0, 0.0, 0.0)
    assert privacy_profile(ledger("nonprivate()"), [-1, 3]).band.lower == (1.0, 1.0)
    nothing = ledger("compose()")
    assert privacy_profile(nothing, [0, 1]).band.upper == (0.0, 0.0)
    curve = tradeoff_curve(nothing, ["1/4", "1/2"])
    assert curve.band.lower == pytest.approx((0.75, 0.5), abs=1e-9)
    assert curve.band.upper == (0.75, 0.5)


def test_parallel_parts_are_the_worst_of_them() -> None:
    one, both = ledger("gaussian(1)"), ledger("parallel(gaussian(1), laplace(3))")
    assert privacy_profile(both, [0, 1]).band.upper == privacy_profile(one, [0, 1]).band.upper


def test_gridded_answers_are_read_point_by_point() -> None:
    """No pair is known of them: lower ends of errors and both ends of delta all the same."""
    spent = ledger("gridded_gaussian(sigma=100, squared_sensitivity=10000)")
    profile = privacy_profile(spent, [0, 1])
    assert profile.band.lower[1] <= 0.126936737506644 <= profile.band.upper[1]
    curve = tradeoff_curve(spent, ["1/20"])
    assert 0.7 < curve.band.lower[0] < 0.740488977158556
    assert curve.band.upper[0] == pytest.approx(0.95, abs=1e-12)


@pytest.mark.parametrize(
    ("alphas", "epsilons"),
    [([], []), ([-1], [10**7]), ([2], ["x"]), ([math.nan], [math.inf]), (["0.5", "1.5"], [None])],
)
def test_bad_points_are_refused(alphas: Any, epsilons: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        tradeoff_curve(ledger("gaussian(1)"), alphas)
    with pytest.raises(InvalidArgumentError):
        privacy_profile(ledger("gaussian(1)"), epsilons)


def test_unsupported_ledgers_are_refused() -> None:
    with pytest.raises(UnsupportedEventError):
        tradeoff_curve(ledger("poisson(laplace(1), rate=1/2)"), [Fraction(1, 2)])
    with pytest.raises(UnsupportedEventError):
        privacy_profile(ledger("compose(nonprivate(), poisson(laplace(1), rate=1/2))"), [1])


# ------------------------------------------------------------------------------------ planted bugs


def test_planted_bug_exchanged_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removed for added: enumeration sees it."""
    truth = exact_tradeoff(composed(2), SMALL)
    spent = ledger(f"compose({MINE}, 2)", AddOrRemoveOne)
    band = tradeoff_curve(spent, [SMALL]).directions["removed"]
    assert band.lower[0] <= truth <= band.upper[0]
    right = accountant.pld_composed
    monkeypatch.setattr(accountant, "pld_composed", lambda *given: right(*given)[::-1])
    band = tradeoff_curve(spent, [SMALL]).directions["removed"]
    assert not band.lower[0] <= truth <= band.upper[0]


def test_planted_bug_no_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left of zero the curve of the other direction counts, not its mirror image."""
    truth = float(exact_delta(composed(2), Fraction(-1)))
    spent = ledger(f"compose({MINE}, 2)", AddOrRemoveOne)
    most = directions_module.Direction.most
    assert privacy_profile(spent, [-1]).directions["removed"].upper[0] >= truth
    monkeypatch.setattr(directions_module.Direction, "most", lambda self, x: most(self, abs(x)))
    assert max(most(way, Fraction(1)) for way in directions_module.directions(spent, Fraction(1))[0]) < truth


def test_planted_bug_lower_end_of_nothing() -> None:
    """A lower end above the upper one is an error, never an answer."""
    with pytest.raises(PrecisionError, match="contradict"):
        Band((0.5,), (0.25,))


# ------------------------------------------------------------------------------------ Gaussian-DP


def test_gdp_of_randomized_response_and_gaussians() -> None:
    with mpmath.workdps(30):
        c = 1 / (1 + mpmath.e)
        truth = float(-2 * mpmath.sqrt(2) * mpmath.erfinv(2 * c - 1))
    found = gdp_parameter(ledger("randomized_response(1)"))
    assert found.everywhere.lower <= truth <= found.everywhere.upper <= truth * 1.0002
    assert found.range_delta == 0.0
    found = gdp_parameter(ledger("compose(gaussian(2), 9)"))
    assert found.everywhere.lower <= 1.5 <= found.everywhere.upper <= 1.5 + 1e-15
    assert found.everywhere.width < 1e-15


def test_gdp_of_what_has_none() -> None:
    found = gdp_parameter(ledger("nonprivate()"))
    assert found.everywhere.lower == found.everywhere.upper == math.inf


@pytest.mark.slow
def test_gdp_of_sampled_gaussians_is_that_of_the_tail() -> None:
    """All samples may hold the record: no mu below the root of T suffices, and on a range a far smaller one does."""
    found = gdp_parameter(ledger(SAMPLED, AddOrRemoveOne), delta="1e-6")
    assert found.everywhere.lower <= math.sqrt(30) <= found.everywhere.upper
    assert found.everywhere.width < 1e-12
    assert 0.5 < found.on_range.lower <= found.on_range.upper < 1.1
    profile = privacy_profile(ledger(SAMPLED, AddOrRemoveOne), [found.range_end * k / 20 for k in range(21)])
    square = Fraction(found.on_range.upper) ** 2
    assert all(
        low <= gaussian_delta_at(square, x).upper for x, low in zip(profile.points, profile.band.lower, strict=True)
    )


def test_tangents_cover_whole_cells() -> None:
    """Where a cell counts as covered, the Gaussian's profile lies above the chord at all points between."""
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(60):
        left = Fraction(int(rng.integers(0, 64)), 32)
        right = left + Fraction(int(rng.integers(1, 16)), 64)
        mu = float(rng.uniform(0.3, 3))
        ends = [gaussian_delta_at(Fraction(mu) ** 2, x).lower * rng.uniform(0.9, 1.0) for x in (left, right)]
        if not gaussian_dp.covers(mu, (left, right), (ends[0], ends[1])):
            continue
        covered += 1
        for k in range(9):
            x = left + (right - left) * Fraction(k, 8)
            share = (math.exp(x) - math.exp(left)) / (math.exp(right) - math.exp(left))
            assert gaussian_delta_at(Fraction(mu) ** 2, x).upper >= ends[0] + share * (ends[1] - ends[0]) - 1e-12
    assert covered > 10
