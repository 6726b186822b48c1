"""Mechanisms that the auditor of callables has not seen: 22 broken ones, and 10 that are as private as they claim.

Each takes ``(data, rng)`` and returns whatever such code returns; records are rows of an array.  The correct ones
answer in integers, words or sets of keys, so that no low-order bit tells anything, and spend all or nearly all of their
budget on their pair.  They were written without a look at the auditor, and nothing in it may be fitted to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from dpref.reals import FloatArray
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne


@dataclass(frozen=True)
class Mechanism:
    """A callable, the two data sets on which it is tried, and what it claims.

    Attributes:
        run: ``(data, rng) -> output``.
        d0: A data set.
        d1: Its neighbour.
        epsilon: Claimed, at ``delta``.
        delta: Claimed.
        rho: Claimed in place of both: rho-zCDP.
        adjacency: How the data sets are related.
    """

    run: Callable[[FloatArray, Generator], Any]
    d0: FloatArray
    d1: FloatArray
    epsilon: Fraction = Fraction(1)
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None
    adjacency: type[Adjacency] = ReplaceOne

    @property
    def name(self) -> str:
        return self.run.__name__


def rows(*records: float | Sequence[float]) -> FloatArray:
    return np.array(records, float)


def geometric(rng: Generator, scale: float, size: int | None = None) -> Any:
    """Two-sided geometric noise: P(k) in proportion to exp(-|k| / scale)."""
    stop = 1 - math.exp(-1 / scale)
    return rng.geometric(stop, size) - rng.geometric(stop, size)


_REACH: Final = np.arange(-60, 61)


def discrete_gaussian(rng: Generator, variance: float, size: int) -> Any:
    """Discrete Gaussian noise by its table; what lies beyond 60 has less than 1e-12 of the mass."""
    weights = np.exp(-(_REACH**2) / (2 * variance))
    return _REACH[np.searchsorted(np.cumsum(weights / weights.sum())[:-1], rng.random(size))]


# ------------------------------------------------------------------------------------ broken


def visits_unbounded(data: FloatArray, rng: Generator) -> float:
    """A row is one person's number of visits, and nobody's is bounded; the noise is for one visit."""
    return float(data.sum() + rng.laplace(scale=1))


def mean_over_private_count(data: FloatArray, rng: Generator) -> float:
    """Mean of values in [0, 1], the noise divided by the number of records, which neighbours do not share."""
    return float(np.clip(data, 0, 1).mean() + rng.laplace(scale=1 / len(data)))


def binary_response_of_eight(data: FloatArray, rng: Generator) -> int:
    """Randomised response over eight words, with the probability of truth that is right for two."""
    if rng.random() < math.e / (1 + math.e):
        return int(data[0])
    return int((data[0] + rng.integers(1, 8)) % 8)


def choice_without_half(data: FloatArray, rng: Generator) -> str:
    """Exponential mechanism whose scores move both ways, without the 2 in exp(epsilon u / 2)."""
    scores = np.bincount(data.astype(int), minlength=3)
    weights = np.exp(scores - scores.max())
    return ("red", "green", "blue")[rng.choice(3, p=weights / weights.sum())]


def redrawn_into_range(data: FloatArray, rng: Generator) -> float:
    """A share in [0, 1] whose Laplace noise is drawn again until the answer is a share."""
    while not 0 <= (answer := float(np.clip(data, 0, 1).mean() + rng.laplace(scale=1 / len(data)))) <= 1:
        pass
    return answer


def only_ever_more(data: FloatArray, rng: Generator) -> int:
    """Geometric noise of one sign, so that no count is ever understated."""
    return int(data.sum() + rng.geometric(1 - math.exp(-1)))


def noise_cut_off(data: FloatArray, rng: Generator) -> float:
    """Laplace noise held within four scales, to spare the user outliers."""
    return float(data.sum() + np.clip(rng.laplace(scale=1), -4, 4))


def alarms_without_end(data: FloatArray, rng: Generator) -> list[bool]:
    """Sparse vector that goes on after its first alarm."""
    threshold = 1 + rng.laplace(scale=2)
    return [bool(query + rng.laplace(scale=4) >= threshold) for query in data.sum(0)]


def three_winners(data: FloatArray, rng: Generator) -> tuple[int, ...]:
    """The three largest of six noisy counts, in order; charged as one choice."""
    noisy = data.sum(0) + rng.gumbel(scale=2, size=6)
    return tuple(int(i) for i in np.argsort(-noisy)[:3])


def median_by_one_draw(data: FloatArray, rng: Generator) -> float:
    """Binary search for a median in [0, 16]; every comparison sees the same draw, and one is charged."""
    low, high, noise = 0.0, 16.0, rng.laplace(scale=1)
    for _ in range(8):
        middle = (low + high) / 2
        if (data < middle).sum() + noise < len(data) / 2:
            low = middle
        else:
            high = middle
    return low


def centre_of_cluster(data: FloatArray, rng: Generator) -> FloatArray:
    """A centre of k-means: noisy coordinate sums over the number of points, which is not noisy."""
    return np.asarray((np.clip(data, -1, 1).sum(0) + rng.laplace(scale=2, size=2)) / len(data))


def noise_for_half(data: FloatArray, rng: Generator) -> FloatArray:
    """Six sums with a vector of noise that was drawn for three and repeated."""
    return np.asarray(np.clip(data, 0, 1).sum(0) + np.resize(rng.laplace(scale=6, size=3), 6))


def sure_votes(data: FloatArray, rng: Generator) -> int:
    """Votes of teachers for a label, noisy only where the teachers do not agree."""
    votes = np.bincount(data.astype(int), minlength=3)
    if votes.max() > 8:
        return int(votes.argmax())
    return int((votes + rng.laplace(scale=2, size=3)).argmax())


def tree_of_whole_budgets(data: FloatArray, rng: Generator) -> FloatArray:
    """Prefix sums of eight bits from a binary tree of four levels, each of them with the whole budget."""
    levels = [data.reshape(-1, 2**k).sum(1) for k in range(4)]
    noisy = [level + rng.laplace(scale=1, size=len(level)) for level in levels]
    return np.array([sum(noisy[k][(t >> k) - 1] for k in range(4) if t >> k & 1) for t in range(1, 9)])


def batches_in_order(data: FloatArray, rng: Generator) -> FloatArray:
    """Running totals of eight fixed batches, each noisy; accounted as if each record fell into each by chance 1/8."""
    return np.cumsum(np.clip(data, -1, 1).reshape(8, -1).sum(1) + rng.normal(size=8))


def nobody_checked_for_nan(data: FloatArray, rng: Generator) -> float:
    """A clipped sum; clipping leaves NaN what it is."""
    return float(np.clip(data, 0, 1).sum() + rng.laplace(scale=1))


def free_intercept(data: FloatArray, rng: Generator) -> dict[str, float]:
    """A line through (x, y) in [-1, 1]^2: the slope's numerator is noisy, the intercept is the mean of y."""
    x, y = np.clip(data, -1, 1).T
    return {"slope": float(x @ y + rng.laplace(scale=2)), "intercept": float(y.mean())}


def again_until_plausible(data: FloatArray, rng: Generator) -> float:
    """A noisy count that is taken again while it is negative; one is charged."""
    while (answer := float(data.sum() + rng.laplace(scale=1))) < 0:
        pass
    return answer


def scale_of_these_data(data: FloatArray, rng: Generator) -> float:
    """A median, with noise for how far the median of these very data can move."""
    ordered = np.sort(data)
    middle = len(data) // 2
    local = max(ordered[middle + 1] - ordered[middle], ordered[middle] - ordered[middle - 1])
    return float(ordered[middle] + rng.laplace(scale=local))


def gaussian_for_laplace(data: FloatArray, rng: Generator) -> float:
    """A count with Gaussian noise of Laplace's scale, sold as pure."""
    return float(data.sum() + rng.normal(scale=1))


def model_that_remembers(data: FloatArray, rng: Generator) -> str:
    """Text from a noisy histogram, except that one sentence in a hundred is a record."""
    if rng.random() < 0.01:
        return f"word{int(data[rng.integers(len(data))])}"
    noisy = np.bincount(data.astype(int), minlength=12)[:4] + rng.laplace(scale=2, size=4)
    return f"word{int(noisy.argmax())}"


def sorted_before_noise(data: FloatArray, rng: Generator) -> list[tuple[str, float]]:
    """A noisy histogram whose lines stand in the order of the true counts."""
    counts = np.bincount(data.astype(int), minlength=3)
    order = np.argsort(-counts, kind="stable")
    return [("abc"[i], float(counts[i] + rng.laplace(scale=2))) for i in order]


_SIX: Final = (0.3, 0.6, 0, 0.1, 0.9, 1)
BROKEN: Final = (
    Mechanism(visits_unbounded, rows(1, 2, 0, 1), rows(1, 2, 0, 7)),
    Mechanism(mean_over_private_count, rows(0, 0), rows(0, 0, 1), adjacency=AddOrRemoveOne),
    Mechanism(binary_response_of_eight, rows(3), rows(5)),
    Mechanism(choice_without_half, rows(0, 0, 0, 0, 0, 1, 1, 1, 1, 1), rows(0, 0, 0, 0, 1, 1, 1, 1, 1, 1)),
    Mechanism(redrawn_into_range, rows(0, 0), rows(0, 1)),
    Mechanism(only_ever_more, rows(1, 0, 1), rows(1, 1, 1)),
    Mechanism(noise_cut_off, rows(1, 0, 1), rows(1, 1, 1)),
    Mechanism(alarms_without_end, rows([1] * 40, [0, 1] * 20), rows([1] * 40, [1, 0] * 20)),
    Mechanism(three_winners, rows([1] * 6, [1, 1, 1, 0, 0, 0]), rows([1] * 6, [0, 0, 0, 1, 1, 1])),
    Mechanism(median_by_one_draw, rows(2, 3, 4, 12, 13, 14, 14), rows(2, 3, 4, 1, 13, 14, 14)),
    Mechanism(centre_of_cluster, rows((0, 0), (0, 0)), rows((0, 0), (0, 0), (1, 1)), adjacency=AddOrRemoveOne),
    Mechanism(noise_for_half, rows(_SIX, [0] * 6), rows(_SIX, [1, 0, 0, 0, 0, 0])),
    Mechanism(sure_votes, rows(*[1] * 9, 0), rows(*[1] * 8, 0, 0)),
    Mechanism(tree_of_whole_budgets, rows(0, 1, 0, 0, 1, 1, 0, 1), rows(1, 1, 0, 0, 1, 1, 0, 1)),
    Mechanism(batches_in_order, np.zeros(16), rows(*[0] * 9, 1, *[0] * 6), Fraction("1.782"), Fraction(1, 1000)),
    Mechanism(nobody_checked_for_nan, rows(0, 1, 1), rows(0, 1, math.nan)),
    Mechanism(free_intercept, rows((0, 0), (1, 1)), rows((0, 0), (1, 0.5))),
    Mechanism(again_until_plausible, rows(0, 0), rows(0, 1)),
    Mechanism(scale_of_these_data, rows(0, 4, 5, 6, 10), rows(0, 4, 5, 10, 10)),
    Mechanism(gaussian_for_laplace, rows(0, 1), rows(1, 1)),
    Mechanism(model_that_remembers, rows(0, 0, 1, 2), rows(0, 0, 1, 9), delta=Fraction(1, 10**5)),
    Mechanism(sorted_before_noise, rows(0, 1, 1, 2), rows(0, 0, 1, 2)),
)


# ------------------------------------------------------------------------------------ correct


def geometric_count(data: FloatArray, rng: Generator) -> int:
    """The two-sided geometric mechanism."""
    return int(data.sum() + geometric(rng, 1))


def response_of_eight(data: FloatArray, rng: Generator) -> list[int]:
    """Randomised response over eight words for each of three people, epsilon 2."""
    lie = rng.random(3) >= math.exp(2) / (math.exp(2) + 7)
    return [int(word) for word in (data + lie * rng.integers(1, 8, 3)) % 8]


def discrete_gaussian_sum(data: FloatArray, rng: Generator) -> int:
    """Discrete Gaussian of variance 9 on a sum that moves by 2: delta(1) = 0.0315612472..."""
    return int(np.clip(data, -1, 1).sum() + discrete_gaussian(rng, 9, 1)[0])


def halved_choice(data: FloatArray, rng: Generator) -> str:
    """The exponential mechanism."""
    scores = np.bincount(data.astype(int), minlength=3)
    weights = np.exp((scores - scores.max()) / 2)
    return ("red", "green", "blue")[rng.choice(3, p=weights / weights.sum())]


def first_alarm(data: FloatArray, rng: Generator) -> int | None:
    """Sparse vector that stops at its first alarm: which of six queries, or none."""
    threshold = 1 + geometric(rng, 2)
    alarms = np.flatnonzero(data.sum(0) + geometric(rng, 4, 6) >= threshold)
    return int(alarms[0]) if alarms.size else None


def tree_of_shared_budget(data: FloatArray, rng: Generator) -> FloatArray:
    """Prefix sums of eight bits from a binary tree of four levels, a quarter of the budget each."""
    levels = [data.reshape(-1, 2**k).sum(1) for k in range(4)]
    noisy = [level + geometric(rng, 4, len(level)) for level in levels]
    return np.array([sum(noisy[k][(t >> k) - 1] for k in range(4) if t >> k & 1) for t in range(1, 9)])


def permute_and_flip(data: FloatArray, rng: Generator) -> bytes:
    """Candidates in random order, the first whose coin of chance exp((u - max u) / 2) falls right."""
    scores = np.bincount(data.astype(int), minlength=4)
    for i in rng.permutation(4):
        if rng.random() < math.exp((scores[i] - scores.max()) / 2):
            return b"wxyz"[i : i + 1]
    raise AssertionError  # the best candidate's coin always falls right


def sampled_count(data: FloatArray, rng: Generator) -> int:
    """A geometric count of half of the records, each taken by a fair coin: epsilon = ln((1 + e) / 2) < 0.6202."""
    return int(data[rng.random(len(data)) < 0.5].sum() + geometric(rng, 1))


def keys_above_threshold(data: FloatArray, rng: Generator) -> dict[str, int]:
    """Noisy counts of the keys that are there, if at least 5: delta = e^-4 / (1 + e^-1) < 0.0134."""
    keys, counts = np.unique(data, return_counts=True)
    noisy = counts + geometric(rng, 1, len(keys))
    return {f"key{int(k)}": int(c) for k, c in zip(keys, noisy, strict=True) if c >= 5}


def descent_on_integers(data: FloatArray, rng: Generator) -> FloatArray:
    """Three steps towards a mean, each an integer sum that moves by 4 with variance 64: rho = 3 * 16 / 128."""
    place, path = 0, []
    for noise in discrete_gaussian(rng, 64, 3):
        place -= int(np.clip(place - data, -2, 2).sum() + noise) // 4
        path.append(place)
    return np.array(path)


CORRECT: Final = (
    Mechanism(geometric_count, rows(1, 0, 1), rows(1, 1, 1)),
    Mechanism(response_of_eight, rows(3, 1, 7), rows(3, 5, 7), Fraction(2)),
    Mechanism(discrete_gaussian_sum, rows(1, 1, -1), rows(1, 1, 1), delta=Fraction("0.0315612473")),
    Mechanism(halved_choice, rows(0, 1, 1, 1, 1, 1, 1), rows(0, 0, 1, 1, 1, 1, 1)),
    Mechanism(first_alarm, rows([1] * 6, [0] * 6), rows([1] * 6, [0, 1, 0, 1, 0, 1])),
    Mechanism(tree_of_shared_budget, rows(0, 1, 0, 0, 1, 1, 0, 1), rows(1, 1, 0, 0, 1, 1, 0, 1)),
    Mechanism(permute_and_flip, rows(0, 0, 0, 0, 1, 1, 1, 1), rows(0, 0, 0, 0, 0, 1, 1, 1)),
    Mechanism(sampled_count, rows(1, 0), rows(1, 0, 1), Fraction("0.6202"), adjacency=AddOrRemoveOne),
    Mechanism(
        keys_above_threshold,
        rows(0, 0, 0, 0, 1),
        rows(0, 0, 0, 0, 1, 2),
        delta=Fraction("0.0134"),
        adjacency=AddOrRemoveOne,
    ),
    Mechanism(descent_on_integers, rows(1, -1, 0, 6), rows(1, -1, 0, -6), rho=Fraction(3, 8)),
)
