"""The fast path's transform: kernels bit for bit, convolution powers within their stated errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb

from dpref.kernels import fft
from dpref.kernels.twin import interpreted
from dpref.privacy.fast import fft as fast_fft
from dpref.privacy.fast.exp import roots_of_unity
from dpref.reals import BALL, FloatArray, precision

# ------------------------------------------------------------------------------------ the kernel


@pytest.mark.slow
@pytest.mark.parametrize("levels", [0, 1, 2, 5, 7])
def test_the_transform_equals_its_interpreted_twin_bit_for_bit(levels: int) -> None:
    rng = np.random.default_rng(levels)
    cosines, sines = roots_of_unity(levels)
    start = rng.normal(size=(2, 1 << levels))
    for kernel in (fft.decimate_in_frequency, fft.decimate_in_time):
        compiled, plain = start.copy(), start.copy()
        kernel(compiled[0], compiled[1], cosines, sines)
        interpreted(kernel)(plain[0], plain[1], cosines, sines)
        assert compiled.tobytes() == plain.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 2, 3, 100, 12345])
def test_powers_equal_their_interpreted_twin_bit_for_bit(steps: int) -> None:
    rng = np.random.default_rng(steps)
    base = rng.normal(size=(2, 32)) / 3
    outputs = []
    for kernel in (fft.multiply_power, interpreted(fft.multiply_power)):
        out = np.vstack([np.ones(32), np.zeros(32), np.ones(32)])
        kernel(out[0], out[1], out[2], base[0], base[1], steps, 1e-15)
        outputs.append(out.tobytes())
    assert outputs[0] == outputs[1]


def reversed_bits(levels: int) -> list[int]:
    return [int(format(i, f"0{levels}b")[::-1] or "0", 2) if levels else 0 for i in range(1 << levels)]


def transformed(x: FloatArray, levels: int) -> FloatArray:
    """The kernel's transform in natural order, as complex numbers."""
    re, im = x.copy(), np.zeros_like(x)
    fft.decimate_in_frequency(re, im, *roots_of_unity(levels))
    return np.asarray((re + 1j * im)[reversed_bits(levels)])


@pytest.mark.parametrize("levels", [4, 10, 14])
def test_the_transform_agrees_with_numpy_within_the_bound(levels: int) -> None:
    x = np.random.default_rng(levels).random(1 << levels)
    bound = float(fast_fft.transform_error(BALL, arb(2) ** -53, arb(3) * arb(2) ** -53, levels).mid()) * x.sum()
    assert np.abs(transformed(x, levels) - np.fft.fft(x)).max() <= 2 * bound


def test_the_transform_lies_within_the_bound_of_exact_sums_and_the_bound_is_not_absurd() -> None:
    levels = 6
    worst = 0.0
    for seed in range(8):
        x = np.random.default_rng(seed).random(1 << levels) ** 4
        found = transformed(x, levels)
        with precision(200):
            size = 1 << levels
            circle = [(arb(-2 * j) / size).sin_cos_pi() for j in range(size)]
            unit = arb(2) ** -53
            bound = fast_fft.transform_error(BALL, unit, 3 * unit, levels) * math.fsum(x)
            for j in range(size):
                re = sum((arb(float(v)) * circle[j * k % size][1] for k, v in enumerate(x)), arb(0))
                im = sum((arb(float(v)) * circle[j * k % size][0] for k, v in enumerate(x)), arb(0))
                gap = ((re - float(found[j].real)) ** 2 + (im - float(found[j].imag)) ** 2).sqrt()
                assert gap <= bound
                worst = max(worst, float((gap / bound).mid()))
    assert worst > 1e-3
