r"""Convolution powers by a double-precision Fourier transform, with a proved bound on the error of every coefficient.

Let $w_1,\dots,w_m\ge0$ be vectors of doubles of length $N = 2^n$ and $y_1,\dots,y_m$ their exact transforms.  The
kernel `dpref.kernels.fft` and its twin `dpref.privacy.fast.transform`, bit for bit the same, return $\hat y_i$ with

$$|\hat y_{i,j}-y_{i,j}| \le E_i = \bigl((1+g)^n-1\bigr)\lVert w_i\rVert_1,\qquad 1+g = (1+u)(1+\eta),$$

because every output is a sum over the inputs along paths of at most n levels, each at most one sum (a factor $1+e$,
$|e|\le u$) and at most one product with a rounded root of unity (a factor $1+e$, $|e|\le\eta = \tau+\sqrt5u(1+\tau)$,
$\tau = 3.5u$).  What is transformed is real, so that of two conjugate outputs one is computed and stands for both.
With $m_{i,j} = |\hat y_{i,j}|+E_i$ and $t=\sum_iT_i$ factors in all, the computed product of powers misses the exact
one by at most

$$\Bigl(\sum_iT_iE_i + \rho_tM\Bigr)\,M^{m-1}\prod_im_{i,j}^{T_i-1},\qquad \rho_t = (1+\sqrt5u)^{t-1}-1,\quad
M = \max_i\bigl(\lVert w_i\rVert_1+2E_i,\,1\bigr),$$

and the inverse transform adds $(1+g)^n-1$ times the mean magnitude of what it transforms. What counts is therefore the
*mean* of the products of magnitudes, which is about as large as the largest coefficient of the result: the error is
small relatively to the peak. Every bound is evaluated in balls.

Obligations: ``fast-path/transform``, ``fast-path/powers``, ``fast-path/inverse`` (derived in ``docs/fast-path.md``).

References:
    Brisebarre, Joldes, Muller, Nanes and Picot, "Error analysis of some operations involved in the Cooley-Tukey fast
    Fourier transform", 2020, Section 3.
    Brent, Percival and Zimmermann, "Error bounds on complex floating-point multiplication", 2007, Theorem 1.
    Higham, "Accuracy and stability of numerical algorithms", 2002, Sections 3.1, 4.2 and 24.1.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final, final

import numpy as np
from flint import arb

from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.fast import transform
from dpref.privacy.fast.exp import ROOT_ERROR, UNIT, roots_of_unity
from dpref.reals import BALL, FloatArray, Ops, T, precision, upper

BITS: Final = 128
LARGEST_LEVEL: Final = 22
MOST_UNCOMPILED: Final = 20 << 20  # butterflies of one transform: with more of them, compiling takes less long
UNDERFLOW: Final = 2.0**-400  # more than all absolute errors of gradual underflow together, for N <= 2**22
_MAGNITUDE_SLACK: Final = 8.0  # units in which one magnitude bound of the kernel is rounded


@final
@dataclass(frozen=True)
class Power:
    """A circular convolution power and how far every coefficient of it may be off.

    Attributes:
        values: Coefficients, shape (N,), clipped below at zero.
        error: Every exact coefficient lies within this distance of its value.
    """

    values: FloatArray
    error: float


def product_error(o: Ops[T], unit: T) -> T:
    r"""$\sqrt5\,u$: relative error of a complex product of four real ones (Brent, Percival and Zimmermann 2007)."""
    return o.sqrt(o.number(5)) * unit


def butterfly_error(o: Ops[T], unit: T, root_error: T) -> T:
    r"""$g = (1+u)(1+\tau)(1+\sqrt5u)-1$: what one level of the transform does to one term of an output."""
    return (1 + unit) * (1 + root_error) * (1 + product_error(o, unit)) - 1


def transform_error(o: Ops[T], unit: T, root_error: T, levels: int) -> T:
    r"""$(1+g)^n-1$: error of an output of the transform, relatively to the sum of the inputs' magnitudes."""
    return (1 + butterfly_error(o, unit, root_error)) ** levels - 1


def power_error(o: Ops[T], unit: T, factors: int) -> T:
    r"""$\rho_t = (1+\sqrt5u)^{t-1}-1$: relative error of a product of t complex factors, in any order of products."""
    return (1 + product_error(o, unit)) ** (factors - 1) - 1


def _kernels(butterflies: int) -> ModuleType:
    """The compiled kernels where they are compiled already, or the work is worth it; else the same in numpy."""
    if "dpref.kernels.fft" in sys.modules or butterflies > MOST_UNCOMPILED:
        from dpref.kernels import fft  # noqa: PLC0415 - slow to load

        return fft
    return transform


def convolution_power(weights: Sequence[tuple[FloatArray, int]], levels: int) -> Power:
    r"""$w_1^{*T_1}*\dots*w_m^{*T_m}$ on the integers modulo $N = 2^n$, certified.

    Args:
        weights: Vectors of non-negative doubles, of at most N entries and of sum at most about one, each with how often
            it is convolved.
        levels: n, the binary logarithm of the length.

    Returns:
        The coefficients with their common error bound.

    Raises:
        InvalidArgumentError: If the window is too long, or a vector does not fit.
        PrecisionError: If a sum exceeds one so much that its power is out of hand, or anything is not finite.

    >>> convolution_power([(np.array([0.5, 0.5]), 3)], 2).values.round(9).tolist()
    [0.125, 0.375, 0.375, 0.125]
    """
    if not 0 <= levels <= LARGEST_LEVEL:
        raise InvalidArgumentError("levels", levels, f"must lie in [0, {LARGEST_LEVEL}]")
    size = 1 << levels
    fft = _kernels(size * levels // 2)
    cosines, sines = roots_of_unity(levels)
    entries = size // 2 + 1
    re, im, bound = np.ones(entries), np.zeros(entries), np.ones(entries)
    with precision(BITS):
        relative = transform_error(BALL, arb(UNIT), arb(ROOT_ERROR * UNIT), levels)
        forward, most = arb(0), arb(1)
        for vector, steps in weights:
            if len(vector) > size or not np.all(vector >= 0):
                raise InvalidArgumentError("weights", vector, f"must be at most {size} non-negative numbers")
            base_re, base_im, values = np.empty(entries), np.empty(entries), np.zeros(size)
            values[: len(vector)] = vector
            total = arb(math.fsum(vector)) * (1 + arb(2 * UNIT))
            error = relative * total + UNDERFLOW
            fft.to_spectrum(values, base_re, base_im, cosines, sines)
            # The kernel adds the error to a magnitude that is itself a rounded square root.
            fft.multiply_power(re, im, bound, base_re, base_im, steps, upper(error * (1 + arb(2) ** -40)))
            forward += steps * error
            most = most.max(total + 2 * error)
        factors = sum(steps for _, steps in weights)
        if not most**factors <= 2:
            raise PrecisionError("the weights sum to more than one, so that their powers are not bounded")
        # Each of the `factors` real products of a bound, and each of the N additions of the mean, rounds once.
        whole = float(np.sum(bound)) + float(np.sum(bound[1:-1]))  # all but the first and the last stand for two
        mean = arb(whole) * (1 + arb(UNIT)) ** (size + _MAGNITUDE_SLACK * factors) / size + UNDERFLOW
        rounding = power_error(BALL, arb(UNIT), factors)
        product = (forward + rounding * most) * most ** (len(weights) - 1)
        values = np.empty(size)
        fft.from_spectrum(re, im, values, cosines, sines)
        magnitude = most ** len(weights) * (1 + rounding)
        distance = upper(mean * (product + relative * magnitude) * (1 + relative) + UNDERFLOW)
    values /= size
    if not (math.isfinite(distance) and np.all(np.isfinite(values))):
        raise PrecisionError("the transform is not finite")
    np.maximum(values, 0.0, out=values)
    return Power(values, distance)
