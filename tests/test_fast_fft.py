"""The fast path's transform: kernels bit for bit, convolution powers within their stated errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from dpref.kernels import fft
from dpref.kernels.twin import interpreted
from dpref.privacy.fast import fft as fast_fft
from dpref.privacy.fast.exp import ROOT_ERROR, UNIT, roots_of_unity
from dpref.reals import BALL, FloatArray, precision

# ------------------------------------------------------------------------------------ the kernel


@pytest.mark.slow
@pytest.mark.parametrize("levels", [0, 1, 2, 3, 5, 7])
def test_the_transforms_equal_their_interpreted_twins_bit_for_bit(levels: int) -> None:
    rng = np.random.default_rng(levels)
    roots, size = roots_of_unity(levels), 1 << levels
    start, spectrum = rng.normal(size=size), rng.normal(size=(2, size // 2 + 1))
    outputs = []
    for to_spectrum, from_spectrum in (
        (fft.to_spectrum, fft.from_spectrum),
        (interpreted(fft.to_spectrum), interpreted(fft.from_spectrum)),
    ):
        found, back, values = np.empty_like(spectrum), spectrum.copy(), np.empty(size)
        to_spectrum(start.copy(), found[0], found[1], *roots)
        from_spectrum(back[0], back[1], values, *roots)
        outputs.append(found.tobytes() + values.tobytes())
    assert outputs[0] == outputs[1]


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


def transformed(x: FloatArray, levels: int) -> NDArray[np.complex128]:
    """The kernel's transform of real numbers in natural order."""
    size = 1 << levels
    re, im, whole = np.empty(size // 2 + 1), np.empty(size // 2 + 1), np.empty(size, dtype=complex)
    fft.to_spectrum(x.copy(), re, im, *roots_of_unity(levels))
    whole[0], whole[size // 2] = re[0], re[-1]
    for k in range(
        levels - 1
    ):  # the transform of length 2^k, of the outputs whose index over 2^(levels-k-2) is 1 mod 4
        index = (size >> (k + 2)) * (4 * np.array(reversed_bits(k)) + 1)
        whole[index] = re[1 << k : 2 << k] + 1j * im[1 << k : 2 << k]
        whole[-index] = np.conj(whole[index])
    return whole


@pytest.mark.parametrize("levels", range(10))
def test_the_inverse_undoes_the_transform(levels: int) -> None:
    size, roots = 1 << levels, roots_of_unity(levels)
    x, found = np.random.default_rng(levels).random(size), np.empty((3, size // 2 + 1))
    values = np.empty(size)
    fft.to_spectrum(x.copy(), found[0], found[1], *roots)
    fft.from_spectrum(found[0], found[1], values, *roots)
    assert np.abs(values / size - x).max() < 1e-15 * (levels + 1)


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


# ------------------------------------------------------------------------------------ what stands for two


def granted(weights: FloatArray, steps: int, levels: int) -> tuple[float, float]:
    """The error that a power is granted, and the forward part of its bound, from the magnitudes of all N outputs."""
    found = fast_fft.convolution_power([(weights, steps)], levels)
    relative = float(fast_fft.transform_error(BALL, arb(UNIT), arb(ROOT_ERROR * UNIT), levels).mid())
    magnitudes = np.abs(np.fft.fft(weights, 1 << levels))
    return found.error, float(np.mean(magnitudes ** (steps - 1))) * steps * relative


@pytest.mark.parametrize("levels", [0, 1, 2, 6])
def test_the_error_counts_all_outputs_where_one_of_two_is_computed(levels: int) -> None:
    weights = np.random.default_rng(levels).random(1 << levels) ** 6
    error, forward = granted(weights / weights.sum(), 40, levels)
    assert forward <= error <= 2.5 * forward + 1e-13


def test_planted_bug_a_computed_output_that_stands_for_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.zeros(64)
    weights[0] = 1.0  # all outputs are one, so that the mean of their magnitudes is
    total = np.sum
    monkeypatch.setattr(np, "sum", lambda x, *a, **k: total(x, *a, **k) if len(x) != 31 else 0.0)
    error, forward = granted(weights, 40, 6)
    assert error < forward
