"""Mechanisms to try an auditor on: broken ones, each with one mistake, and correct ones whose claim is exact.

The correct ones answer on a grid, or choose: their low-order bits say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from dpref.foreign.claims import Claim, DPClaim, GDPClaim, ZCDPClaim
from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

ONE: Final = DPClaim(Fraction(1))
SMALL: Final = Fraction(1, 100_000)
N: Final = 20

EMPTY: Final = np.zeros(N)
FULL: Final = np.concatenate([np.ones(1), np.zeros(N - 1)])
COUNT: Final = (EMPTY, FULL)


@dataclass(frozen=True)
class Case:
    """A mechanism with its claim, and the number of runs that should show its mistake."""

    f: Callable[[Any, Generator], Any]
    pair: tuple[Any, Any]
    claim: Claim
    adjacency: type[Adjacency] = ReplaceOne
    trials: int = 2_000

    @property
    def name(self) -> str:
        return self.f.__name__


# ------------------------------------------------------------------------------------ broken


def scale_upside_down(data: FloatArray, rng: Generator) -> Any:
    """Scale epsilon/sensitivity, 1/2 where it should be 2."""
    return data.sum() + rng.laplace(scale=0.5)


def half_the_noise(data: FloatArray, rng: Generator) -> Any:
    return float(data.sum() + rng.laplace(scale=0.5))


def variance_for_deviation(data: FloatArray, rng: Generator) -> Any:
    """The deviation for 1-GDP of sums of sensitivity 1/2 is 1/2; its square is used."""
    return data.sum() / 2 + rng.normal(scale=0.25)


def threshold_noise_only(data: FloatArray, rng: Generator) -> Any:
    """Sparse vector without noise on the queries."""
    threshold = rng.laplace(scale=2)
    return [bool(query >= threshold) for query in data]


def no_cutoff(data: FloatArray, rng: Generator) -> Any:
    """Sparse vector that never stops."""
    threshold = rng.laplace(scale=2)
    return [bool(query + rng.laplace(scale=4) >= threshold) for query in data]


def comparison_is_answered(data: FloatArray, rng: Generator) -> Any:
    """Sparse vector that releases the noisy answer that passed."""
    threshold = rng.laplace(scale=2)
    said: list[float | None] = []
    for query in data:
        noisy = query + rng.laplace(scale=4)
        if noisy >= threshold:
            return [*said, noisy]
        said.append(None)
    return said


def one_draw_for_two(data: FloatArray, rng: Generator) -> Any:
    noise = rng.laplace(scale=2)
    return data.sum() + noise, (data * data).sum() * 2 + noise


def one_key_for_all(data: FloatArray, rng: Generator) -> Any:
    """Every leaf of a tree gets the noise of the same key."""
    seed = int(rng.integers(2**32))
    rows = data.reshape(4, 5).sum(axis=1)
    return {f"leaf {i}": row + np.random.default_rng(seed).normal(scale=4) for i, row in enumerate(rows)}


def batch_is_clipped(data: FloatArray, rng: Generator) -> Any:
    """The mean gradient is clipped and not each record's; noise for records of norm 1."""
    gradient = data.mean(axis=0)
    gradient = gradient / max(1.0, float(np.linalg.norm(gradient)))
    return gradient + rng.normal(scale=0.2, size=2)


def unnoised_bias(data: FloatArray, rng: Generator) -> Any:
    weights = data[:, None] * np.ones(3)
    return {"weights": weights.sum(axis=0) + rng.normal(scale=8, size=3), "bias": data.mean()}


def true_batch_size(data: FloatArray, rng: Generator) -> Any:
    """The sum is noised, and divided by the number of records that there happen to be."""
    return (data.sum() + rng.laplace()) / len(data), len(data)


def nan_of_an_outlier(data: FloatArray, rng: Generator) -> Any:
    if data.max() > 0.5 and rng.random() < 0.5:
        return math.nan
    return rng.laplace()


def public_seed(data: FloatArray, rng: Generator) -> Any:
    return data.sum() + np.random.default_rng(42).laplace()


def no_factor_two(data: FloatArray, rng: Generator) -> Any:
    """Exponential mechanism with exp(epsilon score) for scores that move both ways."""
    scores = np.concatenate([[data.sum()], np.full(9, 1 - data.sum())])
    return int((scores + rng.gumbel(size=10)).argmax())


def noise_before_clipping(data: FloatArray, rng: Generator) -> Any:
    """Noise first, then a clip to where only one of the data sets can be."""
    return float(np.clip(data.sum() + rng.laplace(scale=1), 0, 1)) + data.sum() * 0.02


def best_of_many(data: FloatArray, rng: Generator) -> Any:
    """The best of 100 noisy scores, charged once."""
    return float(np.max(data.sum() + rng.laplace(size=100)))


def rare_leak(data: FloatArray, rng: Generator) -> Any:
    """With probability 1/1000 the truth."""
    noisy = data.sum() + rng.laplace(scale=2)
    return 10.0 + data.sum() if rng.random() < 1e-3 else noisy


def four_charged_once(data: FloatArray, rng: Generator) -> Any:
    return data.sum() + rng.laplace(size=4)


def only_the_first(data: FloatArray, rng: Generator) -> Any:
    """Noise on the first coordinate."""
    return np.array([rng.laplace(scale=2), 0.0, 0.0]) + data[-3:]


def wrong_coin(data: FloatArray, rng: Generator) -> Any:
    """Randomised response with odds e squared."""
    truth = data[0] > 0.5
    return bool(truth) if rng.random() < math.exp(2) / (1 + math.exp(2)) else not truth


def bins_that_are_there(data: FloatArray, rng: Generator) -> Any:
    """Noisy counts of the values that occur, and of no others."""
    values, counts = np.unique(data, return_counts=True)
    return {f"{value:g}": count + rng.laplace(scale=2) for value, count in zip(values, counts, strict=True)}


def bounds_from_data(data: FloatArray, rng: Generator) -> Any:
    low, high = data.min(), data.max()
    return float(data.mean() + rng.laplace(scale=(high - low) / len(data)))


def value_of_the_winner(data: FloatArray, rng: Generator) -> Any:
    """Noisy maximum that releases its value as well, at the price of the place."""
    noisy = data[:5] + rng.exponential(scale=2, size=5)
    return int(noisy.argmax()), float(noisy.max())


def in_words(data: FloatArray, rng: Generator) -> Any:
    """A text with half the noise."""
    return f"about {round(data.sum() + rng.laplace(scale=0.4))}"


def cut_tails(data: FloatArray, rng: Generator) -> Any:
    """Laplace noise that is redrawn beyond 3, claimed pure."""
    noise = rng.laplace(scale=1.5)
    while abs(noise) > 3:
        noise = rng.laplace(scale=1.5)
    return data.sum() + noise


def forgets_a_step(data: FloatArray, rng: Generator) -> Any:
    """Gradient descent whose last step is not noised, released with its iterates."""
    x = [0.0]
    for step in range(5):
        x.append(0.5 * x[-1] + data.mean() + (rng.normal(scale=0.5) if step < 4 else 0.0))
    return np.array(x)


def mean_for_sum(data: FloatArray, rng: Generator) -> Any:
    """Noise that fits the mean, added to the sum."""
    return (data.sum() + rng.laplace(scale=1 / len(data))) / len(data)


def noise_of_the_replaced(data: FloatArray, rng: Generator) -> Any:
    """A histogram under replacement with the noise for removal."""
    counts = np.array([(data < 0.5).sum(), (data >= 0.5).sum()])
    return counts + rng.laplace(size=2)


def later_with_less(data: FloatArray, rng: Generator) -> Any:
    """A stream of sums whose noise shrinks with time; each is charged as the first."""
    return [float(data.sum() + rng.normal(scale=4 / t)) for t in range(1, 9)]


def spread_tells(data: FloatArray, rng: Generator) -> Any:
    """Noise in proportion to the private value."""
    return float(rng.laplace(scale=1 + data.sum()))


_SIGNS: Final = np.array([[1.0, 0.0]] * N)
_FLIPPED: Final = np.array([[-1.0, 0.0]] + [[1.0, 0.0]] * (N - 1))

BROKEN: Final[tuple[Case, ...]] = (
    Case(scale_upside_down, COUNT, DPClaim(Fraction(1, 2))),
    Case(half_the_noise, COUNT, ONE),
    Case(variance_for_deviation, COUNT, GDPClaim(Fraction(1))),
    Case(threshold_noise_only, (np.tile([0.0, 1.0], 10), np.tile([1.0, 0.0], 10)), ONE),
    Case(no_cutoff, (np.tile([0.0, 1.0], 10), np.tile([1.0, 0.0], 10)), ONE, trials=5_000),
    Case(comparison_is_answered, (np.zeros(N), np.ones(N)), ONE, trials=50_000),
    Case(one_draw_for_two, COUNT, ONE),
    Case(one_key_for_all, COUNT, ZCDPClaim(Fraction(1, 32))),
    Case(batch_is_clipped, (_SIGNS, _FLIPPED), GDPClaim(Fraction(1, 4))),
    Case(unnoised_bias, COUNT, ZCDPClaim(Fraction(1, 40))),
    Case(true_batch_size, (EMPTY, EMPTY[1:]), ONE, AddOrRemoveOne),
    Case(nan_of_an_outlier, COUNT, ONE),
    Case(public_seed, COUNT, ONE),
    Case(no_factor_two, COUNT, ONE),
    Case(noise_before_clipping, COUNT, ONE, trials=5_000),
    Case(best_of_many, COUNT, DPClaim(Fraction(1, 2)), trials=5_000),
    Case(rare_leak, COUNT, DPClaim(Fraction(1), Fraction(1, 10**6)), trials=200_000),
    Case(four_charged_once, COUNT, ONE),
    Case(only_the_first, (EMPTY, FULL[::-1].copy()), ONE),
    Case(wrong_coin, COUNT, ONE),
    Case(bins_that_are_there, COUNT, ONE),
    Case(bounds_from_data, COUNT, ONE),
    Case(value_of_the_winner, (np.zeros(5), np.ones(5)), ONE, trials=50_000),
    Case(in_words, COUNT, ONE),
    Case(cut_tails, COUNT, ONE),
    Case(forgets_a_step, COUNT, ZCDPClaim(Fraction(1, 50))),
    Case(mean_for_sum, COUNT, ONE),
    Case(noise_of_the_replaced, COUNT, ONE, trials=50_000),
    Case(later_with_less, COUNT, ZCDPClaim(Fraction(8, 32))),
    Case(spread_tells, COUNT, ONE, trials=5_000),
)

# ------------------------------------------------------------------------------------ correct


def laplace_on_a_grid(data: FloatArray, rng: Generator) -> Any:
    return round(float(data.sum() + rng.laplace()), 2)


def gaussian_on_a_grid(data: FloatArray, rng: Generator) -> Any:
    return np.round(data[:1].sum() + rng.normal(size=1), 2)


def gaussian_at_a_point(data: FloatArray, rng: Generator) -> Any:
    """Claimed at one point of its curve."""
    return round(float(data.sum() + rng.normal()), 2)


def fair_coin(data: FloatArray, rng: Generator) -> Any:
    truth = bool(data[0] > 0.5)
    return truth if rng.random() < math.e / (1 + math.e) else not truth


def geometric(data: FloatArray, rng: Generator) -> Any:
    stop = 1 - math.exp(-1)
    return int(data.sum()) + int(rng.geometric(stop)) - int(rng.geometric(stop))


def truncated_geometric(data: FloatArray, rng: Generator) -> Any:
    return min(max(geometric(data, rng), -2), 3)


def sampled_gaussian(data: FloatArray, rng: Generator) -> Any:
    """A fifth of the records, each by a coin of its own; the data sets differ in one record more."""
    return round(float(data[rng.random(len(data)) < 0.2].sum() + rng.normal()), 2)


def gradient_descent(data: FloatArray, rng: Generator) -> Any:
    """Three steps on (x - a)^2/2, gradients clipped at 1/2, all iterates released."""
    x, said = 0.0, []
    for _ in range(3):
        gradient = np.clip(x - data, -0.5, 0.5).sum() + rng.normal(scale=math.sqrt(3))
        x -= 0.05 * gradient
        said.append(round(20 * x, 2))
        x = said[-1] / 20
    return said


def exponential_choice(data: FloatArray, rng: Generator) -> Any:
    scores = np.concatenate([[data.sum()], np.full(9, 1 - data.sum())])
    return int((scores / 2 + rng.gumbel(size=10)).argmax())


def place_of_the_winner(data: FloatArray, rng: Generator) -> Any:
    """Noisy maximum of counts that all rise together."""
    return int((data[:5] + rng.exponential(scale=1, size=5)).argmax())


def histogram(data: FloatArray, rng: Generator) -> Any:
    counts = np.array([(data < 0.5).sum(), (data >= 0.5).sum()])
    low, high = np.round(counts + rng.laplace(scale=2, size=2), 2).tolist()
    return {"low": low, "high": high}


def one_alarm(data: FloatArray, rng: Generator) -> Any:
    """Sparse vector that ends at its first alarm."""
    threshold, said = rng.laplace(scale=2), []
    for query in data:
        said.append(bool(query + rng.laplace(scale=4) >= threshold))
        if said[-1]:
            break
    return said


CORRECT: Final[tuple[Case, ...]] = (
    Case(laplace_on_a_grid, COUNT, ONE),
    Case(gaussian_on_a_grid, COUNT, GDPClaim(Fraction(1))),
    Case(gaussian_at_a_point, COUNT, DPClaim(Fraction(1), Fraction(126938, 10**6))),
    Case(fair_coin, COUNT, ONE),
    Case(geometric, COUNT, ONE),
    Case(truncated_geometric, COUNT, ONE),
    Case(
        sampled_gaussian,
        (EMPTY, np.concatenate([EMPTY, np.ones(1)])),
        DPClaim(Fraction(1, 2), Fraction(124947, 10**7)),
        AddOrRemoveOne,
    ),
    Case(gradient_descent, COUNT, GDPClaim(Fraction(1))),
    Case(exponential_choice, COUNT, ONE),
    Case(place_of_the_winner, (EMPTY, FULL), ONE),
    Case(histogram, COUNT, ONE),
    Case(one_alarm, (np.tile([0.0, 1.0], 10), np.tile([1.0, 0.0], 10)), ONE),
)
