r"""The fast path of accounting: every constant of its forward error analysis (``docs/fast-path.md``).

$u = 2^{-53}$. A claim $1+Cu\ge\prod(1+c_iu)$ is proved with the difference divided by u, on the box $0\le u\le2^{-53}$.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from dpref.privacy.fast import exp as fast_exp
from dpref.privacy.fast import fft as fast_fft
from dpref.privacy.fast import pld as fast_pld
from dpref.terms import TERM
from proofs.algebra import Domain
from proofs.registry import Goal, Paper, cited, goal, proven, read_as
from proofs.search import bisect, box, numbers, positive

_PAPER = Paper("fast-path", "higham2002accuracy")
obligation = _PAPER.obligation
U, TAU, A, B, E, F, X, Y, W = sp.symbols("u tau a b e f x y w")
UNIT = sp.Rational(1, 2**53)


def constant(x: float) -> sp.Rational:
    """A double of the library as the rational that it is."""
    return exactly(Fraction(x))


def exactly(x: Fraction) -> sp.Rational:
    """A rational of the library as a term."""
    return sp.Rational(x.numerator, x.denominator)


def per_unit(expr: sp.Expr) -> sp.Expr:
    """An expression that vanishes at u = 0, divided by u."""
    return sp.expand(sp.expand(expr) / U)


def small(**more: tuple[object, object]) -> Domain:
    """The box of u, and of more."""
    return box(u=(0, UNIT), **more)


_PAPER.declare(
    "rounding",
    item="Section 2.2",
    title="Every result of arithmetic on doubles is off by a relative error of at most u",
    statement=r"A sum of two doubles, rounded to the nearest double, is $(1+e)$ times what it should be, $|e|\le u$, "
    r"and so is any other result, of a product or of a quotient, that is not below $2^{-1022}$ in magnitude.",
    theorems=(
        proven("Doubles.rounded_sum", "a sum of doubles"),
        proven("Doubles.rounded_result", "any result that is not below 2^-1022"),
    ),
    not_proved="That no product or quotient on the fast path is below 2^-1022, and that nothing overflows.",
)


# ------------------------------------------------------------------------------------ vectors of exponentials


@obligation(
    "geometric-table",
    premises=("rounding",),
    not_proved="That a ball of radius below 2^-80, rounded to a neighbouring double, is off by at most 2.01 u.",
)
def geometric_table() -> Sequence[Goal]:
    r"""An entry of a geometric sequence.

    A product of two table entries, each off by at most $2.01u$, and one rounding: $(1+2.01u)^2(1+u)\le1+5.1u$.
    """
    entry = constant(fast_exp.TABLE_ERROR)
    slack = 1 + constant(fast_exp.GEOMETRIC_ERROR) * U - (1 + entry * U) ** 2 * (1 + U)
    return [goal(per_unit(slack), ">", small(), bisect)]


@obligation(
    "vector-exponential",
    premises=("rounding",),
    not_proved="The count of roundings in the evaluation of the polynomial, which docs/fast-path.md lists.",
)
def vector_exponential() -> Sequence[Goal]:
    r"""The exponential of a double.

    With $|r|<0.0055$: Taylor's remainder $r^7e^r/5040\le u/1000$; the reduced argument is off by $0.006u$, the
    polynomial's evaluation by $1.03u$, the table by $2.01u$, the last product by $u$; together at most $4.2u$.
    """
    parts = (
        sp.Rational(6, 1000),
        sp.Rational(103, 100),
        constant(fast_exp.TABLE_ERROR),
        sp.S.One,
        sp.Rational(1, 1000),
    )
    product = sp.prod([1 + c * U for c in parts])
    slack = 1 + constant(fast_exp.EXP_ERROR) * U - product
    remainder = UNIT / 1000 - X**7 * sp.exp(X) / 5040
    return [
        goal(remainder, ">", box(x=(0, sp.Rational(55, 10000))), bisect, "Taylor's remainder"),
        goal(per_unit(slack), ">", small(), bisect, "all factors together"),
    ]


@obligation(
    "vector-expm1",
    premises=("rounding",),
    not_proved="That each of Horner's steps inside t adds at most 3.6 u in all, as docs/fast-path.md derives.",
)
def vector_expm1() -> Sequence[Goal]:
    r"""(exp y - 1) / y of a double.

    For $|y|\le\frac18$ the terms left out add up to at most $\frac{(1/8)^{12}}{13!}\frac1{1-1/112}<2^{-61}$; Horner's
    rule ends with $1+t$, $|t|<0.067$ off by $3.6u$ relatively, and one rounding: $0.067\cdot3.6u/0.93+u+2^{-61}/u\cdot
    u<1.5u$.
    """
    rest = sp.Rational(1, 8) ** 12 / sp.factorial(13) / (1 - sp.Rational(1, 112))
    inner = sp.Rational(67, 1000) * sp.Rational(36, 10) / sp.Rational(93, 100)
    most = inner + 1 + sp.Rational(1, 2**61) / UNIT
    return [
        goal(sp.Rational(1, 2**61) - rest, ">", (), note="what Taylor's polynomial leaves out"),
        goal(constant(fast_exp.EXPM1_ERROR) - most, ">", (), note="in units of u"),
    ]


@obligation("roots-of-unity", citation="brent2007error")
def roots_of_unity() -> Sequence[Goal]:
    r"""A root of unity.

    $A+AD$ with table entries off by $2.01u$ and $|D|\le\frac1{20}$, one complex product and one sum: off by at most
    $3.5u$.
    """
    entry = 1 + constant(fast_exp.TABLE_ERROR) * U
    product = sp.Rational(1, 20) * (entry**2 * (1 + fast_fft.product_error(TERM, U)) - 1)
    sum_ = 1 + (entry - 1) + product
    slack = constant(fast_exp.ROOT_ERROR) * U - (sum_ * (1 + U) - 1)
    return [
        goal(per_unit(slack), ">", small(), bisect),
        # |D| <= the angle of a block of 2^7 (2^11) roots out of a half circle of 2^13 (2^21).
        goal(sp.Rational(1, 20) - sp.pi / 2**6, ">", (), bisect, "the largest block"),
        cited("a complex product of doubles is off by at most sqrt(5) u", "brent2007error"),
    ]


# ------------------------------------------------------------------------------------ the transform


read_as("fast-path.transform_error", lambda: [fast_fft.transform_error(TERM, U, TAU, n) for n in (1, 3)])


read_as("fast-path.power_error", lambda: [fast_fft.power_error(TERM, U, t) for t in (2, 5)])


@obligation(
    "transform",
    item="Section 3",
    citation="brisebarre2020error",
    about=("fast-path.product_error", "fast-path.butterfly_error", "fast-path.transform_error"),
    premises=("roots-of-unity",),
    theorems=(proven("Butterflies.transform_error", "how far n levels of butterflies with rounding take an output"),),
)
def transform() -> Sequence[Goal]:
    r"""The transform.

    A level multiplies every term of an output by at most $1+g=(1+u)(1+\tau)(1+\sqrt5u)$, so that n levels are off by at
    most $((1+g)^n-1)$ times the sum of the inputs' magnitudes.
    """
    domain = positive("u", "tau")
    one = fast_fft.butterfly_error(TERM, U, TAU)
    eta = TAU + fast_fft.product_error(TERM, U) * (1 + TAU)
    error = [fast_fft.transform_error(TERM, U, TAU, n) for n in range(4)]
    return [
        goal(fast_fft.product_error(TERM, U) - sp.sqrt(5) * U, "==", domain, note="a complex product, as cited"),
        goal(one - ((1 + U) * (1 + eta) - 1), "==", domain, note="one sum, one product with a rounded root"),
        goal(error[0], "==", domain, note="no level, no error"),
        *(goal(error[n + 1] - (error[n] * (1 + one) + one), "==", domain, note="one level more") for n in range(3)),
        cited("a complex product of doubles is off by at most sqrt(5) u", "brent2007error"),
    ]


@obligation(
    "powers",
    citation="brent2007error",
    about=("fast-path.power_error", "fast-path.product_error"),
    not_proved="The induction over the factors, for magnitudes of complex numbers.",
)
def powers() -> Sequence[Goal]:
    r"""Products of transforms.

    $\hat y\hat z-yz=\hat y(\hat z-z)+(\hat y-y)z$, so with $m=|\hat y|+E$ a product of t factors is off by at most
    $\sum_iE_i\prod_{j\ne i}m_j$; t - 1 rounded complex products add $(1+\sqrt5u)^{t-1}-1$ relatively.
    """
    domain = numbers("x", "y", "e", "f")
    rho = [fast_fft.power_error(TERM, U, t) for t in range(1, 5)]
    delta = fast_fft.product_error(TERM, U)
    return [
        goal((X + E) * (Y + F) - X * Y - ((X + E) * F + E * Y), "==", domain, note="two factors"),
        goal(rho[0], "==", positive("u"), note="one factor is not multiplied"),
        *(goal(rho[t + 1] - (rho[t] * (1 + delta) + delta), "==", positive("u")) for t in range(3)),
        cited("a complex product of doubles is off by at most sqrt(5) u", "brent2007error"),
    ]


@obligation(
    "inverse",
    citation="brisebarre2020error",
    premises=("transform", "powers"),
    theorems=(
        proven("InverseTransform.inverse_transform", "the inverse transform is the conjugate one, divided by N"),
    ),
)
def inverse() -> Sequence[Goal]:
    r"""The inverse transform.

    A coefficient of the inverse is the mean of N terms: errors of size $d_j$ in its input and a relative error R of the
    transform of magnitudes $m_j$ make at most $(1+R)\,\overline d+R\,\overline m$.
    """
    d, m, r = sp.symbols("d m r")
    return [goal((1 + r) * (d + m) - m - ((1 + r) * d + r * m), "==", positive("d", "m", "r"))]


# ------------------------------------------------------------------------------------ tilting, windows, sums


@obligation("tilt", premises=("geometric-table",))
def tilt() -> Sequence[Goal]:
    r"""A tilted mass.

    A mass times an entry of a geometric sequence and one rounding: $(1+5.1u)(1+u)\le1+6.15u$.
    """
    slack = 1 + constant(fast_pld.TILT_ERROR) * U - (1 + constant(fast_exp.GEOMETRIC_ERROR) * U) * (1 + U)
    back = sp.exp(A + B * X) * sp.exp(-A - B * X)
    return [
        goal(per_unit(slack), ">", small(), bisect),
        goal(back - 1, "==", numbers("a", "b", "x"), note="tilting is undone exactly"),
    ]


@obligation(
    "aliasing",
    citation="zhu2022optimal",
    theorems=(
        proven("Cells.generating_product", "the moment generating function of a sum of losses is the product"),
        proven("Cells.chernoff", "the mass of losses above b"),
    ),
)
def aliasing() -> Sequence[Goal]:
    r"""The mass outside the window.

    Chernoff: an indicator of $x\ge b$ is at most $e^{\lambda(x-b)}$ for $\lambda\ge0$, so that the mass outside a
    window is at most $e^{-\lambda b}\prod_i(\sum_kw_{i,k}e^{\lambda k})^{T_i}$, on either side.
    """
    return [
        goal(sp.exp(W * X) - 1, ">", positive("w", "x"), note="above b, x - b > 0"),
        goal(sp.exp(W * X), ">", numbers("x") + positive("w"), note="below b"),
    ]


@obligation(
    "tail-sum",
    premises=("rounding",),
    theorems=(
        proven(
            "Rounding.recursive_summation",
            "recursive summation of n positive terms is off by at most (n - 1) u / (1 - n u)",
        ),
    ),
)
def tail_sum() -> Sequence[Goal]:
    r"""The sum over the tail.

    An error E of every coefficient makes at most $E\sum_{j\ge0}e^{-\beta
    j}(1-e^{-h(j+1)})=E\bigl(\frac1{1-e^{-\beta}}-\frac{e^{-h}}{1-e^{-\beta-h}}\bigr)$; n additions of positive terms
    are off by at most $(n-1)u$ relatively, to first order.
    """
    domain = positive("b", "h")
    h = sp.Symbol("h")

    def whole(base: sp.Expr, n: int) -> sp.Expr:
        return sum((sp.exp(-base * j) for j in range(n)), sp.S.Zero) + sp.exp(-base * n) / (1 - sp.exp(-base))

    return [
        goal(1 / (1 - sp.exp(-B)) - whole(B, 3), "==", domain, note="a geometric series, three terms and the rest"),
        goal(
            sp.exp(-B * 2) * (1 - sp.exp(-3 * h)) - (sp.exp(-2 * B) - sp.exp(-h) * sp.exp(-2 * (B + h))), "==", domain,
            note="a term is the difference of terms of two series",
        ),
    ]  # fmt: skip
