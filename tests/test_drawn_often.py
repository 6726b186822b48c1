"""The bound on a record that is drawn a random number of times: the largest over all tests, by golden sections."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb
from mpmath import mpf

from dpref.errors import PrecisionError
from dpref.privacy.closed_forms.mixtures import drawn_often, enclosed_root
from dpref.reals import ball, precision

Parts = list[tuple[Fraction, Fraction, Fraction]]

PARTS: Parts = [
    (Fraction(3, 10), Fraction(6, 5), Fraction(3, 2)),
    (Fraction(1, 10), Fraction(5, 2), Fraction(3)),
]
FAR: Parts = [(Fraction(1, 5), Fraction(1, 4), Fraction(2)), (Fraction(1, 5), Fraction(3), Fraction(1, 2))]


def real(x: Fraction) -> mpf:
    return mpf(x.numerator) / x.denominator


def bound(still: Fraction, parts: Parts, x: Fraction, r: mpf) -> tuple[mpf, mpf]:
    """What a test of size Phi(r) without the record gives at most, and its mass under Q."""
    scale, value, mass = mpmath.exp(real(x)), mpf(0), real(still) * mpmath.ncdf(r)
    for w, a, c in parts:
        place = min(real(c) / 2 - real(x) / real(c), r + real(a))
        value += real(w) * (mpmath.ncdf(place) - scale * mpmath.ncdf(place - real(c)))
        mass += real(w) * mpmath.ncdf(place - real(c))
    return value - (scale - 1) * real(still) * mpmath.ncdf(r), mass


def largest(still: Fraction, parts: Parts, x: Fraction) -> tuple[mpf, mpf]:
    ratio, low, high = (mpmath.sqrt(5) - 1) / 2, mpf(-25), mpf(25)
    for _ in range(110):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if bound(still, parts, x, a)[0] > bound(still, parts, x, b)[0] else (a, high)
    return bound(still, parts, x, (low + high) / 2)


@pytest.mark.parametrize("x", [Fraction(1, 50), Fraction(1, 2), Fraction(2), Fraction(4)])
@pytest.mark.parametrize("parts", [PARTS, PARTS[:1], FAR], ids=["two", "one", "unlike"])
def test_a_record_that_is_drawn_often_gives_the_largest_of_all_tests(parts: Parts, x: Fraction) -> None:
    still = 1 - sum((w for w, _, _ in parts), Fraction(0))
    with precision(140), mpmath.workdps(45):
        found = drawn_often(ball(still), [(ball(w), ball(a), ball(c)) for w, a, c in parts], ball(x))
        value, mass = largest(still, parts, x)
        assert abs(mpf(found[0].mid().str(40, radius=False)) - value) < 1e-25
        assert abs(mpf(found[1].mid().str(40, radius=False)) - mass) < 1e-12
        assert found[0].rad() < 1e-25


def test_at_zero_and_where_everything_is_drawn_each_part_takes_its_best() -> None:
    with precision(140), mpmath.workdps(45):
        parts = [(ball(w), ball(a), ball(c)) for w, a, c in PARTS]
        everything, zero = drawn_often(arb(0), parts, arb(1) / 2), drawn_often(ball(Fraction(3, 5)), parts, arb(0))
        for found, still, x in ((everything, Fraction(0), Fraction(1, 2)), (zero, Fraction(3, 5), Fraction(0))):
            value, mass = bound(still, PARTS, x, mpf(60))
            assert abs(mpf(found[0].mid().str(40, radius=False)) - value) < 1e-25
            assert found[0].rad() < 1e-25
            assert found[1].overlaps(arb(mpmath.nstr(mass, 40)))
            assert found[1].upper() < arb(mpmath.nstr(mass, 40)) + arb("0.000001")
        unsure = arb(0).union(arb(1) / 16)
        value, mass = drawn_often(ball(Fraction(3, 5)), parts, unsure)
        for x in (Fraction(0), Fraction(1, 16)):
            inside = drawn_often(ball(Fraction(3, 5)), parts, ball(x))
            assert value.contains(inside[0].mid())
            assert mass.contains(inside[1].mid())
        assert value.rad() < 0.2
        assert mass.rad() < 0.55


def test_a_root_is_enclosed_or_refused() -> None:
    with precision(100):
        found = enclosed_root(lambda y: y * y - 2, lambda y: 2 * y, arb(2))
        assert found.contains(arb(2).sqrt().mid())
        assert found.rad() < arb(2) ** -80
        exact = enclosed_root(lambda y: y - 3, lambda _: arb(1), arb(50))
        assert exact.contains(3)
        assert exact.rad() < arb(2) ** -80
        far = enclosed_root(lambda y: y - 2**40, lambda _: arb(1), arb(0))
        assert far.contains(2**40)
        with pytest.raises(PrecisionError, match="could not be enclosed"):
            enclosed_root(lambda y: y * y + 1, lambda y: 2 * y, arb(2))
        half = arb(1) / 2
        with pytest.raises(PrecisionError, match="could not be enclosed"):
            enclosed_root(lambda y: y * y + half, lambda y: 2 * y, arb(2))
        with pytest.raises(PrecisionError, match="could not be enclosed"):
            enclosed_root(lambda y: -y * y - half, lambda y: -2 * y, arb(2))
        with pytest.raises(PrecisionError, match="could not be enclosed"):
            enclosed_root(lambda y: -y, lambda _: arb(-1), arb(2))
