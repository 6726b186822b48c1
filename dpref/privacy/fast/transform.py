"""The transform and the powers of `dpref.kernels.fft` in numpy: the same operations on each number in the same order.

Compiling the kernels takes as long as dozens of answers, and most processes ask for one: they use this module, in which
nothing is compiled.  Real and imaginary parts are separate arrays and each operation is one that IEEE 754 rounds
correctly, so that the results are the kernels' bit for bit and the error analysis of `dpref.privacy.fast.fft` is
theirs.  What must not be used here: numpy's complex product, ``einsum`` and ``fft``, which round otherwise.

Levels whose butterflies are short are done on a transposed copy, along its long axis: the layout changes, no number.
There the first column, in which the short transforms lie, goes through every level and is then put back where none of
its transforms is so long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from dpref.reals import FloatArray

_BLOCK: Final = 64  # butterflies of fewer numbers than this are short

_Level: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray], None]


def to_spectrum(values: FloatArray, re: FloatArray, im: FloatArray, cosines: FloatArray, sines: FloatArray) -> None:
    """The discrete Fourier transform of real numbers, which are overwritten.

    Args:
        values: Shape (N,), N a power of two.
        re: Real parts of the spectrum, shape (N // 2 + 1,), laid out as `dpref.kernels.fft` says; overwritten.
        im: Imaginary parts, likewise.
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,).

    >>> re, im = np.empty(2), np.empty(2)
    >>> to_spectrum(np.array([1.0, 2.0]), re, im, np.array([0.0, 1.0]), np.zeros(2))
    >>> re.tolist(), im.tolist()
    ([3.0, -1.0], [0.0, 0.0])
    """
    top = len(values) // 2
    work, half = np.empty((4, max(1, top))), top
    while half > 0:
        quarter, whole = half // 2, values[: 2 * half].reshape(2, half)
        difference = np.subtract(whole[0], whole[1], out=work[0, :half])
        np.add(whole[0], whole[1], out=whole[0])
        if quarter:
            here, roots = slice(quarter, half), slice(half, half + quarter)
            first, second = difference[:quarter], difference[quarter:]
            product = work[1, :quarter]
            np.multiply(first, cosines[roots], out=re[here])
            np.multiply(second, sines[roots], out=product)
            re[here] += product
            np.multiply(first, sines[roots], out=im[here])
            np.multiply(second, cosines[roots], out=product)
            im[here] -= product
        half = quarter
    re[0], im[0] = values[0], 0.0
    if top:
        re[top], im[top] = work[0, 0], 0.0  # the last difference
    halves = [1 << k for k in reversed(range(max(0, top.bit_length() - 2)))]
    long = [half for half in halves if half >= _BLOCK]
    _long_levels(_apart, long, (re[:top], im[:top], cosines, sines, work))
    _short_levels(_apart, halves[len(long) :], (re[:top], im[:top], cosines, sines, work))


def from_spectrum(re: FloatArray, im: FloatArray, values: FloatArray, cosines: FloatArray, sines: FloatArray) -> None:
    """N times the inverse transform, of a spectrum that is overwritten.

    Args:
        re: Real parts of the spectrum, shape (N // 2 + 1,), N a power of two.
        im: Imaginary parts, likewise; zero at both ends.
        values: Shape (N,); overwritten.
        cosines: Real parts of the roots, shape (N,).
        sines: Imaginary parts of the roots, shape (N,); the inverse uses their conjugates.

    >>> values = np.empty(2)
    >>> from_spectrum(np.array([3.0, -1.0]), np.zeros(2), values, np.array([0.0, 1.0]), np.zeros(2))
    >>> values.tolist()
    [2.0, 4.0]
    """
    top, conjugate = len(values) // 2, np.negative(sines)
    work = np.empty((4, max(1, top)))
    halves = [1 << k for k in range(max(0, top.bit_length() - 2))]
    short = [half for half in halves if half < _BLOCK]
    _short_levels(_together, short, (re[:top], im[:top], cosines, conjugate, work))
    _long_levels(_together, halves[len(short) :], (re[:top], im[:top], cosines, conjugate, work))
    values[0] = re[0]
    if top:
        values[0], values[1] = re[0] + re[top], re[0] - re[top]
    half = 2
    while half <= top:
        quarter, product = half // 2, work[2, : half // 2]
        here, roots = slice(quarter, half), slice(half, half + quarter)
        added = work[0, :half]
        first, second = added[:quarter], added[quarter:]
        np.multiply(re[here], cosines[roots], out=first)
        np.multiply(im[here], conjugate[roots], out=product)
        first -= product
        first *= 2.0
        np.multiply(re[here], conjugate[roots], out=second)
        np.multiply(im[here], cosines[roots], out=product)
        second += product
        second *= -2.0
        np.subtract(values[:half], added, out=values[half : 2 * half])
        values[:half] += added
        half *= 2


_Parts: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]


def _long_levels(level: _Level, halves: list[int], parts: _Parts) -> None:
    """Levels of all transforms that are long enough for them."""
    re, im, cosines, sines, work = parts
    for half in halves:
        shape, roots = (-1, 2, half), slice(half, 2 * half)
        level(re[2 * half :].reshape(shape), im[2 * half :].reshape(shape), cosines[roots], sines[roots], work)


def _short_levels(level: _Level, halves: list[int], parts: _Parts) -> None:
    """The same for short butterflies."""
    re, im, cosines, sines, work = parts
    if not halves:
        return
    block = min(_BLOCK, len(re))
    columns = [x.reshape(-1, block).T.copy() for x in (re, im)]
    for half in halves:
        shape, roots = (-1, 2, half, len(re) // block), slice(half, 2 * half)
        kept = [x[: 2 * half, 0].copy() for x in columns]
        first, second = (x.reshape(shape) for x in columns)
        level(first, second, cosines[roots, np.newaxis], sines[roots, np.newaxis], work)
        for x, k in zip(columns, kept, strict=True):
            x[: 2 * half, 0] = k
    for x, column in zip((re, im), columns, strict=True):
        x.reshape(-1, block)[:] = column.T


def _apart(re: FloatArray, im: FloatArray, cosines: FloatArray, sines: FloatArray, work: FloatArray) -> None:
    """One level: sums to the first halves, differences times roots to the second ones."""
    dr, di, first, second = (w[: re[:, 0].size].reshape(re[:, 0].shape) for w in work)
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


def _together(re: FloatArray, im: FloatArray, cosines: FloatArray, sines: FloatArray, work: FloatArray) -> None:
    """One level: second halves times roots, subtracted from the first ones and added to them."""
    tr, ti, product = (w[: re[:, 0].size].reshape(re[:, 0].shape) for w in work[:3])
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
