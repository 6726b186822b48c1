r"""Exponentials in vectors of doubles with proved relative errors, independent of any mathematics library.

Everything is built from tables whose entries are balls rounded to doubles, and from additions and multiplications,
which IEEE 754 rounds correctly.  $u = 2^{-53}$ throughout, and every bound is stated in units of u.

Obligations (derived in ``docs/fast-path.md``): ``fast-path/geometric-table``, ``fast-path/vector-exponential``,
``fast-path/vector-expm1``, ``fast-path/roots-of-unity``.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np
from flint import arb

from dpref.errors import PrecisionError
from dpref.reals import FloatArray, precision

UNIT: Final = 2.0**-53
TABLE_ERROR: Final = 2.01  # of a ball of radius below 2**-80 relative, rounded to one of the two doubles around it
GEOMETRIC_ERROR: Final = 5.1
EXP_ERROR: Final = 4.2
EXPM1_ERROR: Final = 1.5
ROOT_ERROR: Final = 3.5
LESS_ERROR: Final = 6.1
_BITS: Final = 128
_ACCURATE_BITS: Final = 82  # of a table entry: more than TABLE_ERROR presumes
_RANGE: Final = 690.0  # exp(690) < 2**996: no overflow, no underflow
_STEPS: Final = 64  # exp(y) = 2**i * 2**(j/64) * exp(r), |r| <= log(2)/128
_EXPM1_RANGE: Final = 0.125
_EXPM1_TERMS: Final = 12


def geometric(start: arb, rate: arb, count: int) -> FloatArray:
    r"""$e^{a+bk}$ for $k = 0..n-1$, each within ``GEOMETRIC_ERROR`` u of its exact value, relatively.

    Two tables of about $\sqrt n$ entries and one product: $(1+2.01u)^2(1+u) \le 1+5.1u$.

    Args:
        start: a, a ball.
        rate: b, a ball.
        count: n, at least 1.

    Returns:
        Shape (n,).

    Raises:
        PrecisionError: If an exponent leaves the range in which doubles keep their relative accuracy.

    >>> bool(abs(geometric(arb(0), arb(1), 3)[2] - math.e**2) < 1e-14)
    True
    """
    block = 1 << max(1, (count - 1).bit_length() // 2)
    with precision(_BITS):
        last = (count - 1) // block * block
        ends = (start, start + rate * last, start + rate * (count - 1), rate * (block - 1))
        reach = max(map(abs, ends), key=lambda x: float(x.mid()))
        if not reach < _RANGE:
            raise PrecisionError(f"an exponent of {float(reach.mid()):.3g} leaves the range of doubles")
        coarse = np.array([float((start + rate * i).exp().mid()) for i in range(0, count, block)])
        fine = np.array([float((rate * j).exp().mid()) for j in range(block)])
    with np.errstate(over="ignore", under="ignore"):  # of products beyond the last one asked for
        return np.asarray(np.multiply.outer(coarse, fine).reshape(-1)[:count])


def geometric_less(start: arb, rate: arb, count: int, less: arb) -> FloatArray:
    r"""$e^{a+bk} - d$ for $k = 0..n-1$, each within ``LESS_ERROR`` u, relatively, however near zero.

    With $k = iB + j$ it is $(e^{a+biB}-d) + e^{a+biB}(e^{bj}-1)$: two terms that are not negative,
    of three table entries: $(1+2.01u)^2(1+u)^2\le1+6.1u$.

    Args:
        start: a, a ball.
        rate: b, a ball, positive.
        count: n, at least 1.
        less: d, a ball, below $e^a$.

    Returns:
        Shape (n,).

    Raises:
        PrecisionError: If an exponent leaves the range of doubles, or the first difference is not known well enough.

    >>> bool(geometric_less(arb(2) ** -40, arb(2) ** -40, 2, arb(1))[1] == 2.0**-39 + 2.0**-79)
    True
    """
    block = 1 << max(1, (count - 1).bit_length() // 2)
    with precision(_BITS):
        ends = (start, start + rate * (count - 1 + block))
        if not all(abs(end) < _RANGE for end in ends):
            raise PrecisionError("an exponent leaves the range of doubles")
        powers = [(start + rate * i).exp() for i in range(0, count, block)]
        differences = [power - less for power in powers]
        if not (differences[0] > 0 and all(d.rel_accuracy_bits() > _ACCURATE_BITS for d in differences)):
            raise PrecisionError("a difference of exponentials is not known well enough")
        coarse, apart = (np.array([float(x.mid()) for x in table]) for table in (powers, differences))
        fine = np.array([float((rate * j).expm1().mid()) for j in range(block)])
    return np.asarray((apart[:, np.newaxis] + np.multiply.outer(coarse, fine)).reshape(-1)[:count])


@cache
def _exp_table() -> FloatArray:
    with precision(_BITS):
        return np.array([float((arb(2).log() * j / _STEPS).exp().mid()) for j in range(_STEPS)])


@cache
def _exp_split() -> tuple[float, float, float]:
    """64/log(2) (any double near it), log(2)/64 rounded to 30 bits, and the rest."""
    with precision(_BITS):
        step = arb(2).log() / _STEPS
        high = math.floor(float(step.mid()) * 2.0**36) / 2.0**36
        return float((1 / step).mid()), high, float((step - high).mid())


def exponential(y: FloatArray) -> FloatArray:
    r"""$e^y$ entry by entry, within ``EXP_ERROR`` u of the exact value, relatively, for $|y| \le 690$.

    $y = k\ln2/64 + r$ with $|r| < 0.0055$, Taylor's polynomial of degree 6 for $e^r$, a table for $2^{j/64}$, and an
    exact power of two.

    Raises:
        PrecisionError: If an argument is out of range or NaN.

    >>> bool(abs(exponential(np.array([1.0]))[0] - math.e) < 1e-15)
    True
    """
    if not np.all(np.abs(y) <= _RANGE):
        raise PrecisionError("an exponent leaves the range of doubles")
    inverse, high, low = _exp_split()
    k = np.rint(y * inverse)
    r = y - k * high
    k *= low
    r -= k
    total = r / 6
    for divisor in (5.0, 4.0, 3.0, 2.0):
        total += 1
        total *= r
        total /= divisor
    total += 1
    total *= r
    total += 1
    whole = np.rint(y * inverse).astype(np.int64)
    total *= _exp_table()[whole & (_STEPS - 1)]
    whole >>= 6
    whole += 1023
    whole <<= 52
    total *= whole.view(np.float64)
    return total


def expm1_ratio(y: FloatArray) -> FloatArray:
    r"""$(e^y-1)/y$ entry by entry (1 at zero), within ``EXPM1_ERROR`` u, relatively, for $|y| \le 1/8$.

    Taylor's polynomial with 12 terms; what it leaves out is below $2^{-61}$.

    Raises:
        PrecisionError: If an argument is out of range or NaN.

    >>> expm1_ratio(np.array([0.0])).tolist()
    [1.0]
    """
    if not np.all(np.abs(y) <= _EXPM1_RANGE):
        raise PrecisionError("an argument of expm1 leaves [-1/8, 1/8]")
    total = y / _EXPM1_TERMS
    for divisor in range(_EXPM1_TERMS - 1, 1, -1):
        total += 1
        total *= y
        total /= divisor
    total += 1
    return total


@cache
def roots_of_unity(levels: int) -> tuple[FloatArray, FloatArray]:
    r"""The twiddle factors $e^{-2\pi ij/(2h)}$ at position $h+j$, for every power of two $h < N = 2^n$, $0 \le j < h$.

    Up to $2^{12}$ of a level come straight from balls; beyond, $\omega^{mi+j} = A_i + A_i D_j$ with
    $D_j = \omega^j - 1$ small, so that the product's error hardly counts.

    Args:
        levels: n, the binary logarithm of the length.

    Returns:
        Cosines and sines, each of shape (N,); every root is within ``ROOT_ERROR`` u of the exact one.

    >>> cosines, sines = roots_of_unity(2)
    >>> cosines.tolist(), sines.tolist()
    ([0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, -1.0])
    """
    cosines, sines = np.zeros(1 << levels), np.zeros(1 << levels)
    if levels > 0:
        half = 1 << (levels - 1)
        top_re, top_im = _half_circle(half)
        while half > 0:
            stride = (1 << (levels - 1)) // half
            cosines[half : 2 * half], sines[half : 2 * half] = top_re[::stride], top_im[::stride]
            half //= 2
    cosines.flags.writeable = sines.flags.writeable = False
    return cosines, sines


def _half_circle(half: int) -> tuple[FloatArray, FloatArray]:
    r"""$e^{-\pi ij/h}$ for $0 \le j < h$."""
    block = 1 if half <= 1 << 12 else 1 << (half.bit_length() // 2)
    with precision(_BITS):
        coarse = [(-arb(j) / half).sin_cos_pi() for j in range(0, half, block)]
        a_re = np.array([float(c.mid()) for _, c in coarse])
        a_im = np.array([float(s.mid()) for s, _ in coarse])
        if block == 1:
            return a_re, a_im
        halves = [(arb(j) / (2 * half)).sin_cos_pi() for j in range(block)]  # cos(x) - 1 = -2 sin(x/2)**2
        d_re = np.array([float((-2 * s * s).mid()) for s, _ in halves])
        d_im = np.array([float((-2 * s * c).mid()) for s, c in halves])
    product_re = np.multiply.outer(a_re, d_re) - np.multiply.outer(a_im, d_im)
    product_im = np.multiply.outer(a_re, d_im) + np.multiply.outer(a_im, d_re)
    return (a_re[:, None] + product_re).reshape(-1), (a_im[:, None] + product_im).reshape(-1)
