"""Normal forms of random expressions: defined, equal, and of the right sign, by numbers."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import random

import mpmath as mp
import pytest
import sympy as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from proofs import kernel as k
from proofs.algebra import Claim, Interval, Rejected, Ring, factors, quotient
from proofs.search import natural, positive, unit
from property_tests.effort import DEAR
from property_tests.kernel_numbers import Undefined, sample, value

X, Y, N, A = sp.symbols("x y n a")
ONE = sp.S.One


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> sp.Expr:  # noqa: PLR0911
    kind = draw(st.integers(0, 9)) if depth else draw(st.integers(0, 1))
    if kind == 0:
        return sp.Rational(draw(st.integers(-4, 4)), draw(st.integers(1, 4)))
    if kind == 1:
        return draw(st.sampled_from((X, Y, N)))
    parts = [draw(expressions(depth - 1)) for _ in range(2)]
    match kind:
        case 2 | 3:
            return parts[0] + parts[1]
        case 4 | 5:
            return parts[0] * parts[1]
        case 6:
            return parts[0] ** draw(st.sampled_from((2, -1, sp.Rational(1, 2), sp.Rational(-1, 2), N)))
        case 7:
            return sp.exp(parts[0])
        case 8:
            return sp.log(parts[0])
    return sp.erfc(parts[0])


DOMAIN: tuple[Interval, ...] = (*positive("x"), *unit("y"), *natural("n"))


@pytest.mark.slow
@given(expressions(), st.integers(0, 2**32))
def test_a_normal_form_is_defined_and_equal_and_its_sign_is_right(e: sp.Expr, seed: int) -> None:
    assume(not e.has(sp.zoo, sp.nan, sp.I, sp.oo))
    ring = Ring(DOMAIN)
    try:
        sign = ring.sign(ring.normal(e))
    except Rejected:
        return
    rng = random.Random(seed)
    with mp.workdps(50):
        for _ in range(3):
            at = {d.symbol: sample(d, rng) for d in DOMAIN}
            try:
                v = value(e, at, Claim(e, "==", DOMAIN), rng)
            except (Undefined, ZeroDivisionError) as error:
                raise AssertionError(f"{e} is not defined at {at}") from error
            except OverflowError:
                return
            if mp.isfinite(v) and abs(v) > mp.mpf(10) ** -20:
                assert not (sign in ("+", "0+") and v < 0), (e, at)
                assert not (sign in ("-", "0-") and v > 0), (e, at)
                assert sign != "0", (e, at)


@pytest.mark.slow
@DEAR
@given(expressions(depth=2), expressions(depth=2), st.integers(0, 2**32))
def test_equal_normal_forms_are_equal_numbers(a: sp.Expr, b: sp.Expr, seed: int) -> None:
    assume(not (a + b).has(sp.zoo, sp.nan, sp.I, sp.oo))
    pairs = ((sp.exp(a + b), sp.exp(a) * sp.exp(b)), (a * (b + 1), a * b + a), (a, b))
    for left, right in pairs:
        try:
            fact = k.identity(left, right, DOMAIN)
        except Rejected:
            continue
        with mp.workdps(50):
            rng = random.Random(seed)
            at = {d.symbol: sample(d, rng) for d in DOMAIN}
            try:
                x, y = (value(e, at, fact.claim, rng) for e in (left, right))
            except OverflowError:
                return
            assert not mp.isfinite(x) or abs(x - y) <= mp.mpf(10) ** -30 * (1 + abs(x)), (left, right, at)


@st.composite
def rational_functions(draw: st.DrawFn, depth: int = 3) -> sp.Expr:
    kind = draw(st.integers(0, 4)) if depth else draw(st.integers(0, 1))
    if kind == 0:
        return sp.Rational(draw(st.integers(-4, 4)), draw(st.integers(1, 4)))
    if kind == 1:
        return draw(st.sampled_from((X, Y, N)))
    parts = [draw(rational_functions(depth - 1)) for _ in range(2)]
    return parts[0] + parts[1] if kind == 2 else parts[0] * parts[1] ** draw(st.sampled_from((-2, -1, 1, 3)))


@given(rational_functions())
def test_a_quotient_is_what_sympy_cancels_to_and_its_factors_multiply_to_it(e: sp.Expr) -> None:
    """The second computation is sympy's own, which shares no code with FLINT's polynomials."""
    assume(not e.has(sp.zoo, sp.nan))
    try:
        above, below = quotient(e)
    except Rejected:  # a sum that is zero stands below: sympy does not see it before it expands
        assert any(sp.expand(p.base) == 0 or sp.cancel(p.base) == 0 for p in e.atoms(sp.Pow))
        return
    p, q = sp.fraction(sp.together(sp.cancel(e)))
    assert sp.expand(above * q - below * p) == 0
    assert sp.gcd(above, below) == 1
    for poly in (above, below):
        c, found = factors(poly)
        assert sp.expand(c * sp.prod([f**i for f, i in found]) - poly) == 0
        assert all(len(sp.factor_list(f)[1]) == 1 and i > 0 for f, i in found)


@pytest.mark.parametrize("e", [1 / (X * (Y + 1) - X * Y - X), (X + Y + N + 1) ** 200, sp.sqrt(X), sp.exp(X)], ids=str)
def test_what_is_no_quotient_is_refused(e: sp.Expr) -> None:
    with pytest.raises(Rejected):
        quotient(e)


@pytest.mark.parametrize("e", [1 / X, X / 2, X / (1 + X)])
def test_what_is_no_polynomial_over_the_integers_has_no_factors(e: sp.Expr) -> None:
    with pytest.raises(Rejected, match="not a polynomial over the integers"):
        factors(e)


def test_the_coefficients_of_a_quotient_are_not_those_of_its_numerator() -> None:
    above = 1 + X
    assert Ring(DOMAIN).coefficients(above) == "+"
    with pytest.raises(Rejected, match="not a polynomial"):
        Ring(DOMAIN).coefficients(above / (X - 1))
