"""The fast path on random laws: its bounds hold the exact values, are not absurdly wide, and behave as privacy does."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_poly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpref.errors import DprefError
from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.fast.exp import (
    EXP_ERROR,
    EXPM1_ERROR,
    GEOMETRIC_ERROR,
    ROOT_ERROR,
    UNIT,
    expm1_ratio,
    exponential,
    geometric,
    roots_of_unity,
)
from dpref.privacy.fast.fft import convolution_power
from dpref.privacy.fast.measure import Cumulants, GridMeasure
from dpref.privacy.fast.pld import Curve, compose
from dpref.reals import ball, exact, precision
from dpref.units import AddOrRemoveOne
from property_tests.effort import DEAR


@st.composite
def laws(draw: st.DrawFn, step: Fraction = Fraction(1, 20)) -> GridMeasure:
    masses = np.array(draw(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=24)))
    start = Fraction(draw(st.integers(-40, 10)), 60)
    return GridMeasure(start, step, masses / masses.sum(), draw(st.sampled_from([0.0, 1e-12])))


def exact_delta(factors: list[tuple[GridMeasure, int]], epsilon: Fraction) -> arb:
    """delta of exactly these masses, by polynomials of balls."""
    with precision(500):
        product, all_mass, finite, origin = arb_poly([1]), arb(1), arb(1), Fraction(0)
        for measure, count in factors:
            total = sum((arb(float(p)) for p in measure.masses), arb(0))
            product *= arb_poly([arb(float(p)) for p in measure.masses]) ** count
            finite *= total**count
            all_mass *= (total + measure.infinity) ** count
            origin += count * measure.start
        delta = all_mass - finite
        for k, mass in enumerate(product.coeffs()):
            loss = origin + k * factors[0][0].step
            if loss > epsilon:
                delta += mass * (1 - ball(epsilon - loss).exp())
        return delta


@pytest.mark.slow
@given(laws(), st.integers(1, 60), st.floats(-30.0, -0.5), st.floats(-3.0, 3.0))
def test_the_interval_holds_delta_wherever_it_is_asked(law: GridMeasure, steps: int, log: float, off: float) -> None:
    factors = [(law, steps)]
    cumulants = Cumulants.of(factors)
    theta = cumulants.tilt_for_delta(log)
    _, mean, variance = cumulants.at(theta)
    epsilon = exact(mean + off * math.sqrt(variance))
    low, high = compose(factors, theta=theta).delta(epsilon)
    truth = exact_delta(factors, epsilon)  # a ball: zero is only known to its radius
    assert arb(low) <= truth.upper()
    assert truth.lower() <= arb(high)


@DEAR
@given(laws(), laws(), st.integers(1, 20), st.integers(1, 20), st.floats(-20.0, -1.0))
def test_composition_does_not_depend_on_order_or_grouping(
    a: GridMeasure, b: GridMeasure, m: int, n: int, log: float
) -> None:
    theta = Cumulants.of([(a, m), (b, n)]).tilt_for_delta(log)
    epsilon = exact(Cumulants.of([(a, m), (b, n)]).at(theta)[1])
    truth = exact_delta([(a, m), (b, n)], epsilon)
    for factors in ([(a, m), (b, n)], [(b, n), (a, m)], [(a, 1), (b, n), *([(a, m - 1)] if m > 1 else [])]):
        low, high = compose(factors, theta=theta).delta(epsilon)
        assert arb(low) <= truth.upper()
        assert truth.lower() <= arb(high)


@given(
    st.lists(st.floats(0.0, 1.0), min_size=2, max_size=16).filter(lambda x: sum(x) > 0.1),
    st.integers(1, 50),
    st.integers(4, 7),
)
def test_every_coefficient_lies_within_its_bound_and_the_bound_is_not_absurd(
    weights: list[float], steps: int, levels: int
) -> None:
    w = np.array(weights) / math.fsum(weights)
    found = convolution_power([(w, steps)], levels)
    with precision(300):
        wrapped = [arb(0)] * (1 << levels)
        for k, c in enumerate((arb_poly([arb(float(x)) for x in w]) ** steps).coeffs()):
            wrapped[k % len(wrapped)] += c
        for value, truth in zip(found.values.tolist(), wrapped, strict=True):
            assert abs(truth - value) <= found.error
    # About one unit for each of T powers and 6 n for each of the two transforms, relatively to at most one.
    assert found.error <= (13 * levels + 4 * steps + 20) * max(1, steps) * UNIT


@DEAR
@given(laws(), st.integers(2, 40), st.floats(-15.0, -2.0))
def test_delta_falls_with_epsilon_and_epsilon_with_delta(law: GridMeasure, steps: int, log: float) -> None:
    factors = [(law, steps)]
    curve: Curve = compose(factors, theta=Cumulants.of(factors).tilt_for_delta(log))
    points = [Fraction(k, 7) for k in range(0, 40, 3)]
    ends = [curve.delta(e) for e in points]
    assert all(a[1] >= b[0] for i, a in enumerate(ends) for b in ends[i:])
    # Infinite losses weigh up to 40e-12 here; below that delta has no epsilon.
    deltas = [Fraction(1, 10**k) for k in range(1, 10)]
    found = [curve.epsilon(d) for d in deltas]
    assert all(a[0] <= b[1] for i, a in enumerate(found) for b in found[i:])
    assert all(low <= high for low, high in found)


@pytest.mark.slow
@settings(max_examples=max(6, settings().max_examples // 10))
@given(
    st.integers(1, 400),
    st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000),
    st.fractions(Fraction(3, 4), Fraction(5), max_denominator=50),
    st.integers(4, 10),
)
def test_more_steps_more_sampling_and_less_noise_never_spend_less(
    steps: int, rate: Fraction, noise: Fraction, digits: int
) -> None:
    delta = Fraction(1, 10**digits)

    def spent(t: int, q: Fraction, z: Fraction) -> tuple[float, float]:
        found = fast_accountant.epsilon(Ledger(Repeat(Poisson(Gaussian(z), q), t), AddOrRemoveOne), delta)
        assert 0 <= found.lower <= found.upper < math.inf
        assert found.width <= 0.02 + 0.02 * found.lower
        return found.lower, found.upper

    here = spent(steps, rate, noise)
    for more in (
        spent(steps + 7, rate, noise),
        spent(steps, rate * Fraction(3, 2), noise),
        spent(steps, rate, noise / 2),
    ):
        assert more[1] >= here[0]


@given(st.floats(-690, 690), st.floats(-0.125, 0.125))
def test_exponentials_lie_within_their_stated_errors(y: float, small: float) -> None:
    with precision(128):
        assert abs(arb(float(exponential(np.array([y]))[0])) / arb(y).exp() - 1) <= EXP_ERROR * UNIT
        if small != 0 and abs(small) > 1e-300:
            assert (
                abs(arb(float(expm1_ratio(np.array([small]))[0])) * small / arb(small).expm1() - 1)
                <= EXPM1_ERROR * UNIT
            )


@given(st.floats(-300, 300), st.floats(-0.05, 0.05), st.integers(1, 5000), st.integers(0, 4999))
def test_geometric_tables_lie_within_their_stated_error(start: float, rate: float, count: int, at: int) -> None:
    k = at % count
    with precision(128):
        truth = (arb(start) + arb(rate) * k).exp()
        assert abs(arb(float(geometric(arb(start), arb(rate), count)[k])) / truth - 1) <= GEOMETRIC_ERROR * UNIT


@given(st.integers(1, 16), st.integers(0, 2**16))
def test_roots_of_unity_lie_within_their_stated_error(levels: int, at: int) -> None:
    cosines, sines = roots_of_unity(levels)
    half = 1 << (levels - 1)
    j = at % half
    with precision(128):
        sine, cosine = (arb(-j) / half).sin_cos_pi()
        gap = ((cosine - float(cosines[half + j])) ** 2 + (sine - float(sines[half + j])) ** 2).sqrt()
        assert gap <= ROOT_ERROR * UNIT


@pytest.mark.slow
@given(
    st.one_of(st.none(), st.floats(allow_nan=True), st.text(max_size=3), st.integers(-3, 0), st.fractions(1, 3)),
    st.integers(0, 1),
)
def test_whatever_is_no_delta_is_refused_with_an_error_of_the_library(value: object, which: int) -> None:
    ledger = Ledger(Gaussian(Fraction(1)), AddOrRemoveOne)
    call = (fast_accountant.epsilon, fast_accountant.delta)[which]
    assume(not (which == 1 and isinstance(value, int | Fraction) and value >= 0))  # a good epsilon
    with pytest.raises(DprefError) as caught:
        call(ledger, value)  # type: ignore[arg-type]
    assert str(caught.value).startswith("delta" if which == 0 else "epsilon")
