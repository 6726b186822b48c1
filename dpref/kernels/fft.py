"""A plain radix-2 Cooley-Tukey transform, compiled: nothing but additions and four-product complex multiplications.

It is plain on purpose: every output is reached from every input along a path of log2(N) butterflies, each of which is
one complex multiplication and one complex addition, and that is all that the error bound in
`dpref.privacy.fast.fft` uses.  Real and imaginary parts are separate arrays.  ``roots[h + j]`` holds
``exp(-2 pi i j / (2 h))`` for every power of two ``h`` and ``0 <= j < h`` (entry 0 is unused).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@njit(cache=False, nogil=True, error_model="python")
def decimate_in_frequency(re: Vector, im: Vector, cosines: Vector, sines: Vector) -> None:
    """The discrete Fourier transform in place; the output is in bit-reversed order.

    Args:
        re: Real parts, shape (N,), N a power of two.
        im: Imaginary parts, shape (N,).
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,).

    >>> re, im = np.array([1.0, 2.0]), np.zeros(2)
    >>> decimate_in_frequency(re, im, np.array([0.0, 1.0]), np.zeros(2))
    >>> re, im
    (array([ 3., -1.]), array([0., 0.]))
    """
    n = re.shape[0]
    half = n // 2
    while half > 0:
        for start in range(0, n, 2 * half):
            for j in range(half):
                a = start + j
                b = a + half
                dr = re[a] - re[b]
                di = im[a] - im[b]
                re[a] = re[a] + re[b]
                im[a] = im[a] + im[b]
                wr = cosines[half + j]
                wi = sines[half + j]
                re[b] = dr * wr - di * wi
                im[b] = dr * wi + di * wr
        half //= 2


@njit(cache=False, nogil=True, error_model="python")
def decimate_in_time(re: Vector, im: Vector, cosines: Vector, sines: Vector) -> None:
    """N times the inverse transform in place; the input is in bit-reversed order, the output in natural order.

    Args:
        re: Real parts, shape (N,), N a power of two.
        im: Imaginary parts, shape (N,).
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,); the inverse uses their conjugates.

    >>> re, im = np.array([3.0, -1.0]), np.zeros(2)
    >>> decimate_in_time(re, im, np.array([0.0, 1.0]), np.zeros(2))
    >>> re, im
    (array([2., 4.]), array([0., 0.]))
    """
    n = re.shape[0]
    half = 1
    while half < n:
        for start in range(0, n, 2 * half):
            for j in range(half):
                a = start + j
                b = a + half
                wr = cosines[half + j]
                wi = -sines[half + j]
                tr = re[b] * wr - im[b] * wi
                ti = re[b] * wi + im[b] * wr
                re[b] = re[a] - tr
                im[b] = im[a] - ti
                re[a] = re[a] + tr
                im[a] = im[a] + ti
        half *= 2


@njit(cache=False, nogil=True, error_model="python")
def multiply_power(
    re: Vector, im: Vector, bound: Vector, base_re: Vector, base_im: Vector, steps: int, error: float
) -> None:
    """Multiply ``re + i im`` by ``base**steps`` and ``bound`` by ``(|base| + error)**(steps - 1)``, entry by entry.

    Args:
        re: Real parts of the product so far, shape (N,).
        im: Imaginary parts, shape (N,).
        bound: Product of the magnitude bounds so far, shape (N,).
        base_re: Real parts of the base, shape (N,).
        base_im: Imaginary parts, shape (N,).
        steps: The power, at least 1.
        error: What is added to the base's magnitude before its power is taken.

    >>> re, im, bound = np.ones(1), np.zeros(1), np.ones(1)
    >>> multiply_power(re, im, bound, np.zeros(1), np.array([2.0]), 3, 0.5)  # (2 i)^3 and 2.5^2
    >>> im, round(float(bound[0]), 9)
    (array([-8.]), 6.25)
    """
    for j in range(re.shape[0]):
        br = base_re[j]
        bi = base_im[j]
        m = math.sqrt(br * br + bi * bi) * (1.0 + 2.0**-50) + error
        zr = re[j]
        zi = im[j]
        c = bound[j]
        p = steps
        fewer = steps - 1
        while p > 0:
            if p % 2 == 1:
                t = zr * br - zi * bi
                zi = zr * bi + zi * br
                zr = t
            if fewer % 2 == 1:
                c *= m
            p //= 2
            fewer //= 2
            if p > 0:
                t = br * br - bi * bi
                bi = br * bi + bi * br
                br = t
                m *= m
        re[j] = zr
        im[j] = zi
        bound[j] = c
