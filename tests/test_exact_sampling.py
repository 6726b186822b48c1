"""The exact samplers: their laws by going through every coin, chi-square tests, recorded bits, planted bugs."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.mechanisms import bits, discrete_gaussian, discrete_laplace
from dpref.mechanisms.bits import BitSource, GeneratorBits, RecordedBits, SystemBits
from tests.effort import runs

Draw = Callable[[BitSource], int]
LEAST = 1e-5  # a path of coins less likely than this is not followed
VARIANCES = (Fraction(1, 3), Fraction(1), Fraction(10), Fraction(2**20))


class NotFollowed(Exception):
    """A path that is too unlikely."""


class Again(Exception):
    """A draw that begins again."""


class Path(BitSource):
    """Coins that fall as a list of choices says, then always the first way; what else they might do is kept.

    A draw asks for one uniform integer an attempt: the second time, it has begun again.
    """

    def __init__(self, choices: tuple[int, ...], probability: float) -> None:
        self.choices, self.at, self.begun = choices, 0, False
        self.probability = probability
        self.others: list[tuple[tuple[int, ...], float]] = []

    def take(self, count: int) -> int:
        raise AssertionError("coins and uniform integers are all that a sampler asks for")

    def below(self, n: int) -> int:
        if self.begun:
            raise Again
        self.begun = True
        return self._choose([1 / n] * n)

    def bernoulli(self, numerator: int, denominator: int) -> bool:
        assert 0 <= numerator <= denominator
        assert math.gcd(numerator, denominator) == 1
        if numerator in {0, denominator}:
            return numerator > 0
        return self._choose([numerator / denominator, 1 - numerator / denominator]) == 0

    def _choose(self, chances: list[float]) -> int:
        if len(chances) == 1:
            return 0
        if self.at < len(self.choices):
            self.at += 1
            return self.choices[self.at - 1]
        self.others += [((*self.choices, i), self.probability * chances[i]) for i in range(1, len(chances))]
        self.choices = (*self.choices, 0)
        self.probability *= chances[0]
        self.at += 1
        if self.probability < LEAST:
            raise NotFollowed
        return 0


def law(draw: Draw) -> tuple[dict[int, float], float]:
    """What one attempt of a sampler gives, with its probability; and the probability of what was not followed."""
    found: Counter[int] = Counter()
    lost = 0.0
    todo: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while todo:
        choices, probability = todo.pop()
        if probability < LEAST:
            lost += probability
            continue
        path = Path(choices, probability)
        try:
            x = draw(path)
        except Again:
            pass
        except NotFollowed:
            lost += path.probability
        else:
            found[x] += path.probability  # type: ignore[assignment]
        todo += path.others
    return dict(found), lost


def differs(draw: Draw, mass: Callable[[int], float]) -> float:
    """By how much an attempt's law differs from a mass function up to a factor, less what was not followed."""
    found, lost = law(draw)
    share = found[0] / mass(0)
    return max(abs(found.get(x, 0.0) / share - mass(x)) - 2 * lost / share for x in range(-40, 41))


def gaussian(variance: Fraction) -> Callable[[int], float]:
    return lambda x: math.exp(-x * x / (2 * variance))


def laplace(scale: Fraction) -> Callable[[int], float]:
    return lambda x: math.exp(-abs(x) / scale)


def bits_of(seed: int) -> BitSource:
    return GeneratorBits(np.random.default_rng(seed))


def planted(module: ModuleType, right: str, wrong: str, **given: Any) -> dict[str, Any]:
    """The names of a module with one place of its text replaced."""
    text = inspect.getsource(module)
    assert text.count(right) == 1, right
    names: dict[str, Any] = {"__name__": module.__name__}
    exec(compile(text.replace(right, wrong), "planted", "exec"), names)  # noqa: S102 - our own text
    return names | given


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(5, 2)])
def test_every_path_of_the_coins_adds_up_to_the_discrete_gaussian(variance: Fraction) -> None:
    assert differs(lambda source: discrete_gaussian.discrete_gaussian(variance, source), gaussian(variance)) < 1e-12


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2)])
def test_every_path_of_the_coins_adds_up_to_the_discrete_laplace(scale: Fraction) -> None:
    assert differs(lambda source: discrete_laplace.discrete_laplace(scale, source), laplace(scale)) < 1e-12


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(7, 3)])
def test_coin_of_an_exponential(exponent: Fraction) -> None:
    found, lost = law(lambda source: int(bits.bernoulli_exp(exponent, source)))
    assert abs(found.get(1, 0.0) - math.exp(-exponent)) <= lost + 1e-12


def test_planted_bug_negative_zero_is_kept() -> None:
    wrong = planted(discrete_laplace, "not (negative and magnitude == 0)", "True")["discrete_laplace"]
    assert differs(lambda source: wrong(Fraction(1), source), laplace(Fraction(1))) > 0.1


def test_planted_bug_standard_deviation_in_place_of_the_variance() -> None:
    right = "p, q = checked.numerator, checked.denominator"
    roots = "p, q = math.isqrt(checked.numerator), math.isqrt(checked.denominator)"
    wrong = planted(discrete_gaussian, right, roots)["discrete_gaussian"]
    assert differs(lambda source: wrong(Fraction(4), source), gaussian(Fraction(4))) > 0.05


def test_planted_bug_proposal_of_the_floor_is_not_the_known_answer() -> None:
    """With t = floor(sigma) the law is right from sigma = 1 on; the draws are others, and below 1 there is none."""
    wrong = planted(discrete_gaussian, "math.isqrt(p // q) + 1", "math.isqrt(p // q)")["discrete_gaussians"]
    right = [discrete_gaussian.discrete_gaussian(Fraction(10), bits_of(seed)) for seed in range(40)]
    assert right != [wrong(Fraction(10), 1, bits_of(seed))[0] for seed in range(40)]
    with pytest.raises(InvalidArgumentError, match="too few for this draw"):
        wrong(Fraction(1, 3), 1, RecordedBits("01" * 999))


def p_value(draws: list[int], mass: Callable[[int], float]) -> float:
    """Of Pearson's chi-square over cells that expect at least 20 draws, the rest in one."""
    from scipy.stats import chi2

    reach = range(min(-60, *draws), max(60, *draws) + 1)
    masses = np.array([mass(x) for x in reach])
    edges = np.cumsum(masses / masses.sum()) * len(draws)
    cell = np.maximum(np.floor(edges / 20 - 1e-9), 0).astype(int)
    seen = np.bincount(cell, weights=np.bincount(np.array(draws) - reach.start, minlength=len(reach)))
    expected = np.bincount(cell, weights=masses / masses.sum()) * len(draws)
    kept = expected > 5
    statistic = float((((seen - expected) ** 2)[kept] / expected[kept]).sum())
    return float(chi2.sf(statistic, int(kept.sum()) - 1))


@pytest.mark.slow
@pytest.mark.parametrize("variance", VARIANCES)
def test_draws_pass_a_chi_square_test_at_level_one_in_a_million(variance: Fraction) -> None:
    draws = discrete_gaussian.discrete_gaussians(variance, runs(100_000, 10_000), bits_of(7))
    assert p_value(draws, gaussian(variance)) > 1e-6


def test_planted_bug_the_chi_square_test_sees_another_variance() -> None:
    draws = discrete_gaussian.discrete_gaussians(Fraction(10), 4_000, bits_of(7))
    assert p_value(draws, gaussian(Fraction(10))) > 1e-6
    assert p_value(draws, gaussian(Fraction(14))) < 1e-6


def test_bits_are_read_from_left_to_right() -> None:
    recorded = RecordedBits("110011")
    assert (recorded.take(3), recorded.take(0), recorded.take(2), recorded.used) == (6, 0, 1, 5)
    with pytest.raises(InvalidArgumentError, match="too few for this draw"):
        recorded.take(2)
    with pytest.raises(InvalidArgumentError, match="must be a text of 0 and 1"):
        RecordedBits("012")


def test_the_same_bits_give_the_same_draws() -> None:
    """Bytes of a generator, written down as a text of bits, are read in the same order."""
    rng = np.random.default_rng(1)
    text = "".join(format(byte, "08b") for _ in range(200) for byte in rng.bytes(64))
    for variance in VARIANCES:
        live = discrete_gaussian.discrete_gaussians(variance, 20, bits_of(1))
        assert live == discrete_gaussian.discrete_gaussians(variance, 20, RecordedBits(text))


class OnPaper:
    """The three algorithms once more, as they are printed: over fractions, on a text of bits."""

    def __init__(self, text: str) -> None:
        self.text = iter(text)

    def uniform(self, n: int) -> int:
        digits = math.ceil(math.log2(n))
        while True:
            drawn = int("0" + "".join(next(self.text) for _ in range(digits)), 2)
            if drawn < n:
                return drawn

    def coin(self, p: Fraction) -> bool:
        return self.uniform(p.denominator) < p.numerator

    def exponential(self, gamma: Fraction) -> bool:
        if gamma > 1:
            return self.exponential(Fraction(1)) and self.exponential(gamma - 1)
        k = 1
        while self.coin(gamma / k):
            k += 1
        return k % 2 == 1

    def laplace(self, scale: Fraction) -> int:
        t, s = scale.numerator, scale.denominator
        u = self.uniform(t)
        if not self.exponential(Fraction(u, t)):
            return self.laplace(scale)
        v = 0
        while self.exponential(Fraction(1)):
            v += 1
        magnitude, negative = (u + t * v) // s, self.coin(Fraction(1, 2))
        if negative and magnitude == 0:
            return self.laplace(scale)
        return -magnitude if negative else magnitude

    def gaussian(self, variance: Fraction) -> int:
        t = math.isqrt(math.floor(variance)) + 1
        y = self.laplace(Fraction(t))
        kept = self.exponential((abs(y) - variance / t) ** 2 / (2 * variance))
        return y if kept else self.gaussian(variance)


def test_known_answers_of_two_hundred_texts_of_bits() -> None:
    found = []
    for seed in range(200):
        text = format(int.from_bytes(np.random.default_rng(seed).bytes(500), "big"), "04000b")
        parameter = (*VARIANCES, Fraction(373, 100), Fraction(7, 2))[seed % 6]
        drawn = (
            discrete_gaussian.discrete_gaussian(parameter, RecordedBits(text)),
            discrete_laplace.discrete_laplace(parameter, RecordedBits(text)),
        )
        assert drawn == (OnPaper(text).gaussian(parameter), OnPaper(text).laplace(parameter))
        found.append(drawn)
    assert found[:8] == [(1, 0), (1, 0), (-3, -1), (-175, 1018923), (0, 1), (-1, 2), (0, 0), (-1, 4)]


def test_draws_of_large_and_of_exact_parameters_are_integers() -> None:
    for variance in (Fraction(2**60), Fraction(3, 7), Fraction(1, 10**6)):
        (drawn,) = discrete_gaussian.discrete_gaussians(variance, 1, SystemBits())
        assert isinstance(drawn, int)
        assert abs(drawn) <= 60 * max(1.0, float(variance) ** 0.5)


@pytest.mark.parametrize("variance", [Fraction(0), Fraction(-1), 1.5])
def test_parameters_are_exact_and_positive(variance: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="variance"):
        discrete_gaussian.discrete_gaussian(variance, SystemBits())
    with pytest.raises(InvalidArgumentError, match="scale"):
        discrete_laplace.discrete_laplace(variance, SystemBits())
