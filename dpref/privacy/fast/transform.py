"""The transform and the powers of `dpref.kernels.fft` in numpy: the same operations on each number in the same order.

Compiling the kernels takes as long as dozens of answers, and most processes ask for one: they use this module, in which
nothing is compiled.  Real and imaginary parts are separate arrays and each operation is one that IEEE 754 rounds
correctly, so that the results are the kernels' bit for bit and the error analysis of `dpref.privacy.fast.fft` is
theirs.  What must not be used here: numpy's complex product, ``einsum`` and ``fft``, which round otherwise.

Levels whose butterflies are short are done on a transposed copy, along its long axis: the layout changes, no number.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dpref.reals import FloatArray

_BLOCK: Final = 64  # butterflies of fewer numbers than this are short


def decimate_in_frequency(re: FloatArray, im: FloatArray, cosines: FloatArray, sines: FloatArray) -> None:
    """The discrete Fourier transform in place; the output is in bit-reversed order.

    Args:
        re: Real parts, shape (N,), N a power of two.
        im: Imaginary parts, shape (N,).
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,).

    >>> re, im = np.array([1.0, 2.0]), np.zeros(2)
    >>> decimate_in_frequency(re, im, np.array([0.0, 1.0]), np.zeros(2))
    >>> re.tolist(), im.tolist()
    ([3.0, -1.0], [0.0, 0.0])
    """
    size = len(re)
    block, work = min(_BLOCK, size), np.empty((4, size // 2))
    half = size // 2
    while half >= block:
        _apart(re.reshape(-1, 2, half), im.reshape(-1, 2, half), cosines[half : 2 * half], sines[half : 2 * half], work)
        half //= 2
    columns_re, columns_im = re.reshape(-1, block).T.copy(), im.reshape(-1, block).T.copy()
    while half > 0:
        shape, roots = (-1, 2, half, size // block), slice(half, 2 * half)
        _apart(
            columns_re.reshape(shape),
            columns_im.reshape(shape),
            cosines[roots, np.newaxis],
            sines[roots, np.newaxis],
            work,
        )
        half //= 2
    re.reshape(-1, block)[:] = columns_re.T
    im.reshape(-1, block)[:] = columns_im.T


def _apart(re: FloatArray, im: FloatArray, cosines: FloatArray, sines: FloatArray, work: FloatArray) -> None:
    """One level: sums to the first halves, differences times roots to the second ones."""
    dr, di, first, second = (w.reshape(re[:, 0].shape) for w in work)
    a_re, b_re, a_im, b_im = re[:, 0], re[:, 1], im[:, 0], im[:, 1]
    np.subtract(a_re, b_re, out=dr)
    np.subtract(a_im, b_im, out=di)
    np.add(a_re, b_re, out=a_re)
    np.add(a_im, b_im, out=a_im)
    np.multiply(dr, cosines, out=first)
    np.multiply(di, sines, out=second)
    np.subtract(first, second, out=b_re)
    np.multiply(dr, sines, out=first)
    np.multiply(di, cosines, out=second)
    np.add(first, second, out=b_im)


def decimate_in_time(re: FloatArray, im: FloatArray, cosines: FloatArray, sines: FloatArray) -> None:
    """N times the inverse transform in place; the input is in bit-reversed order, the output in natural order.

    Args:
        re: Real parts, shape (N,), N a power of two.
        im: Imaginary parts, shape (N,).
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,); the inverse uses their conjugates.

    >>> re, im = np.array([3.0, -1.0]), np.zeros(2)
    >>> decimate_in_time(re, im, np.array([0.0, 1.0]), np.zeros(2))
    >>> re.tolist(), im.tolist()
    ([2.0, 4.0], [0.0, 0.0])
    """
    size = len(re)
    block, work, conjugate = min(_BLOCK, size), np.empty((4, size // 2)), np.negative(sines)
    columns_re, columns_im = re.reshape(-1, block).T.copy(), im.reshape(-1, block).T.copy()
    half = 1
    while half < block:
        shape, roots = (-1, 2, half, size // block), slice(half, 2 * half)
        _together(
            columns_re.reshape(shape),
            columns_im.reshape(shape),
            cosines[roots, np.newaxis],
            conjugate[roots, np.newaxis],
            work,
        )
        half *= 2
    re.reshape(-1, block)[:] = columns_re.T
    im.reshape(-1, block)[:] = columns_im.T
    while half < size:
        roots = slice(half, 2 * half)
        _together(re.reshape(-1, 2, half), im.reshape(-1, 2, half), cosines[roots], conjugate[roots], work)
        half *= 2


def _together(re: FloatArray, im: FloatArray, cosines: FloatArray, sines: FloatArray, work: FloatArray) -> None:
    """One level: second halves times roots, subtracted from the first ones and added to them."""
    tr, ti, product = (w.reshape(re[:, 0].shape) for w in work[:3])
    a_re, b_re, a_im, b_im = re[:, 0], re[:, 1], im[:, 0], im[:, 1]
    np.multiply(b_re, cosines, out=tr)
    np.multiply(b_im, sines, out=product)
    np.subtract(tr, product, out=tr)
    np.multiply(b_re, sines, out=ti)
    np.multiply(b_im, cosines, out=product)
    np.add(ti, product, out=ti)
    np.subtract(a_re, tr, out=b_re)
    np.subtract(a_im, ti, out=b_im)
    np.add(a_re, tr, out=a_re)
    np.add(a_im, ti, out=a_im)


def multiply_power(
    re: FloatArray,
    im: FloatArray,
    bound: FloatArray,
    base_re: FloatArray,
    base_im: FloatArray,
    steps: int,
    error: float,
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
    >>> im.tolist(), bound.round(12).tolist()
    ([-8.0], [6.25])
    """
    br, bi, magnitude = base_re.copy(), base_im.copy(), np.empty_like(base_re)
    first, second = np.empty_like(br), np.empty_like(br)

    def multiply(x_re: FloatArray, x_im: FloatArray) -> None:
        """Multiply by the base; a square if that is what is given."""
        np.multiply(x_re, br, out=first)
        np.multiply(x_im, bi, out=second)
        np.subtract(first, second, out=first)
        np.multiply(x_re, bi, out=second)
        np.multiply(x_im, br, out=x_im)
        np.add(second, x_im, out=x_im)
        x_re[:] = first

    with np.errstate(all="ignore"):
        np.multiply(br, br, out=first)
        np.multiply(bi, bi, out=second)
        np.sqrt(first + second, out=magnitude)
        magnitude *= 1.0 + 2.0**-50
        magnitude += error
        power, fewer = steps, steps - 1
        while power > 0:
            if power % 2 == 1:
                multiply(re, im)
            if fewer % 2 == 1:
                bound *= magnitude
            power //= 2
            fewer //= 2
            if power > 0:
                multiply(br, bi)
                magnitude *= magnitude
