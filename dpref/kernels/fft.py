r"""A plain radix-2 Cooley-Tukey transform of real numbers, compiled: only additions and four-product complex products.

It is plain on purpose: every output is reached from every input along a path of at most log2(N) levels, each of which
is at most one complex multiplication and one addition, and that is all that the error bound in
`dpref.privacy.fast.fft` uses.  Of two outputs that are conjugate to each other one is computed.  With x the numbers,
$s_j = x_j+x_{j+N/2}$ and $d_j = x_j-x_{j+N/2}$, the outputs of even index are the transform of s, of N/2 real numbers,
and those of index $4k+1$ the complex transform of the N/4 numbers $(d_j-id_{j+N/4})\,e^{-2\pi ij/N}$; those of index
$4k+3$ are conjugate to these.

A spectrum is kept in N/2 + 1 entries: the complex transform of length h at [h, 2h), in bit-reversed order, for every
power of two h < N/2; the sum of all numbers at 0 and the alternating sum at N/2, both real.  Real and imaginary parts
are separate arrays.  ``roots[h + j]`` holds ``exp(-2 pi i j / (2 h))`` for every power of two ``h`` and ``0 <= j < h``
(entry 0 is unused).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@njit(cache=False, nogil=True, error_model="python")
def to_spectrum(values: Vector, re: Vector, im: Vector, cosines: Vector, sines: Vector) -> None:
    """The discrete Fourier transform of real numbers, which are overwritten.

    Args:
        values: Shape (N,), N a power of two.
        re: Real parts of the spectrum, shape (N // 2 + 1,); overwritten.
        im: Imaginary parts, likewise.
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,).

    >>> re, im = np.empty(2), np.empty(2)
    >>> to_spectrum(np.array([1.0, 2.0]), re, im, np.array([0.0, 1.0]), np.zeros(2))
    >>> re, im
    (array([ 3., -1.]), array([0., 0.]))
    """
    n = values.shape[0]
    half = n // 2
    while half > 0:
        for j in range(half):
            a = values[j]
            b = values[j + half]
            values[j] = a + b
            values[j + half] = a - b
        quarter = half // 2
        for j in range(quarter):
            a = values[half + j]
            b = values[half + quarter + j]
            wr = cosines[half + j]
            wi = sines[half + j]
            re[quarter + j] = a * wr + b * wi
            im[quarter + j] = a * wi - b * wr
        half = quarter
    top = n // 2
    re[0] = values[0]
    im[0] = 0.0
    if n > 1:
        re[top] = values[1]
        im[top] = 0.0
    half = top // 4
    while half > 0:
        for start in range(2 * half, top, 2 * half):
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
def from_spectrum(re: Vector, im: Vector, values: Vector, cosines: Vector, sines: Vector) -> None:
    """N times the inverse transform, of a spectrum that is overwritten.

    Args:
        re: Real parts of the spectrum, shape (N // 2 + 1,), N a power of two.
        im: Imaginary parts, likewise; zero at both ends.
        values: Shape (N,); overwritten.
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,); the inverse uses their conjugates.

    >>> values = np.empty(2)
    >>> from_spectrum(np.array([3.0, -1.0]), np.zeros(2), values, np.array([0.0, 1.0]), np.zeros(2))
    >>> values
    array([2., 4.])
    """
    n = values.shape[0]
    top = n // 2
    half = 1
    while 4 * half <= top:
        for start in range(2 * half, top, 2 * half):
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
    values[0] = re[0]
    if n > 1:
        values[0] = re[0] + re[top]
        values[1] = re[0] - re[top]
    half = 2
    while half < n:
        quarter = half // 2
        for j in range(quarter):
            wr = cosines[half + j]
            wi = -sines[half + j]
            d = 2.0 * (re[quarter + j] * wr - im[quarter + j] * wi)
            e = -2.0 * (re[quarter + j] * wi + im[quarter + j] * wr)
            s = values[j]
            t = values[quarter + j]
            values[j] = s + d
            values[quarter + j] = t + e
            values[half + j] = s - d
            values[half + quarter + j] = t - e
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
