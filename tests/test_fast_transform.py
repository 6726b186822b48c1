"""The fast path's transform without compilation: bit for bit the kernels', and no compiler is loaded to ask once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import TypeAlias

import numpy as np
import pytest

from dpref.kernels import fft as kernels
from dpref.kernels.twin import interpreted
from dpref.privacy.events.ledger import Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.fast import accountant, fft, transform
from dpref.privacy.fast.exp import roots_of_unity
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne

Transformed: TypeAlias = Callable[..., bytes]
LEVELS = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10]


def numbers(levels: int, rows: int) -> FloatArray:
    """Normal numbers of very different sizes, some of them zero and negative zero."""
    rng = np.random.default_rng(levels)
    drawn = rng.normal(size=(rows, 1 << levels)) * 2.0 ** rng.integers(-300, 4, size=(rows, 1 << levels))
    drawn[:, :: max(1, drawn.shape[1] // 5)] *= 0.0
    return np.asarray(drawn)


def after(change: Callable[..., None], given: FloatArray, *more: FloatArray | float) -> bytes:
    """What is left of arrays that are changed in place."""
    rows = given.copy()
    change(*rows, *more)
    return rows.tobytes()


def spectrum_of(module: ModuleType, levels: int, *, plain: bool) -> bytes:
    """The transform of numbers by the kernel's text, or by its twin."""
    (given,), found = numbers(levels, 1), np.empty((2, (1 << levels) // 2 + 1))
    change = interpreted(module.to_spectrum) if plain else module.to_spectrum
    change(given.copy(), *found, *roots_of_unity(levels))
    return found.tobytes()


def numbers_of(module: ModuleType, levels: int, *, plain: bool) -> bytes:
    """The inverse transform, likewise."""
    spectrum, found = numbers(levels, 4).reshape(2, -1)[:, : (1 << levels) // 2 + 1], np.empty(1 << levels)
    change = interpreted(module.from_spectrum) if plain else module.from_spectrum
    change(*spectrum.copy(), found, *roots_of_unity(levels))
    return found.tobytes()


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("transformed", [spectrum_of, numbers_of])
def test_the_transforms_are_the_kernels_bit_for_bit(transformed: Transformed, levels: int) -> None:
    assert transformed(transform, levels, plain=False) == transformed(kernels, levels, plain=True)


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 64, 12345, 10**12 + 39])
def test_the_powers_are_the_kernels_bit_for_bit(steps: int) -> None:
    rng = np.random.default_rng(steps)
    given, base = rng.normal(size=(3, 40)), rng.normal(size=(2, 40)) / 2
    base[:, 3], base[:, 5] = 0.0, [0.6, -0.8]
    with np.errstate(all="ignore"):
        expected = after(interpreted(kernels.multiply_power), given, *base, steps, 2.0**-40)
    assert after(transform.multiply_power, given, *base, steps, 2.0**-40) == expected


@pytest.mark.slow
@pytest.mark.parametrize("levels", [11, 14, 17])
def test_long_transforms_are_the_compiled_ones_bit_for_bit(levels: int) -> None:
    for transformed in (spectrum_of, numbers_of):
        assert transformed(transform, levels, plain=False) == transformed(kernels, levels, plain=False)


def test_planted_bug_numpys_complex_product_rounds_otherwise() -> None:
    """A power by complex numbers is nearly the same, and the comparison of bits tells them apart."""
    base = np.random.default_rng(1).normal(size=(2, 400))
    given = np.vstack([base[::-1], np.ones(400)])
    right = given.copy()
    transform.multiply_power(right[0], right[1], right[2], base[0], base[1], 1000, 0.0)
    with np.errstate(all="ignore"):
        other = (given[0] + 1j * given[1]) * (base[0] + 1j * base[1]) ** 1000
    finite = np.isfinite(right[0]) & np.isfinite(other.real) & (right[0] != 0)
    assert np.allclose(other.real[finite], right[0][finite], rtol=1e-9)
    assert other.real[finite].tobytes() != right[0][finite].tobytes()


def test_an_interval_is_the_same_whoever_transforms(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(Repeat(Poisson(Gaussian(Fraction(1)), Fraction(1, 10)), 20), AddOrRemoveOne)
    found = []
    for chosen in (transform, kernels):
        monkeypatch.setattr(fft, "_kernels", lambda _, chosen=chosen: chosen)
        found.append(accountant.epsilon(ledger, Fraction(1, 10**6)))
    assert found[0] == found[1]
    assert 0 < found[0].lower < found[0].upper


def test_the_kernels_are_used_where_they_are_loaded_or_the_work_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fft._kernels(1) is kernels
    monkeypatch.delitem(sys.modules, "dpref.kernels.fft")
    assert fft._kernels(fft.MOST_UNCOMPILED) is transform
    monkeypatch.setitem(sys.modules, "dpref.kernels.fft", kernels)
    assert fft._kernels(fft.MOST_UNCOMPILED + 1) is kernels


SLOW_TO_LOAD = [
    "numba",
    "llvmlite",
    "scipy",
    "sympy",
    "rich",
    "matplotlib",
    "jinja2",
    "mpmath",
    "dp_accounting",
    "opacus",
]
WATCHED = f"""
import json, sys
from dpref.cli import main
sys.argv = ["dpref", "certify", "compose(poisson(gaussian(1), rate=1/100), 10000)", "--delta", "1e-6",
            "--adjacency", "add-or-remove-one", "--json"]
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted(set({SLOW_TO_LOAD}) & set(sys.modules))), file=sys.stderr)
"""


def test_a_process_that_certifies_a_sampled_ledger_loads_no_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stderr) == []
    answer = json.loads(done.stdout)["epsilon"]
    assert 6.9061 < float(answer["lower"]) < 6.90738 < float(answer["upper"]) < 6.9098
