"""The empirical lower bound: run a subject on both data sets of a pair and test which was which.

The runs are cut into two halves.  On the first half a threshold and a direction are chosen for each of three aims (the
largest epsilon, the largest rho, the largest mu); the second half, which had no say in the choice, evaluates each test
once.  The error probability is split evenly over the three tests, and within each over its two rates, so everything
that is reported holds jointly at the stated confidence, and each number may be read off whichever test gives the most.

The runs are drawn in chunks of fixed size, each with its own child of one seed: the result depends on the seed and the
claim's name, and not on the number of threads.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.audit.statistics import Rates, epsilon_lower, gdp_epsilon_lower, gdp_lower, rates, wilson, zcdp_lower
from dpref.audit.subjects import Neighbour, Subject
from dpref.checks import natural, open_unit
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray

Aim: TypeAlias = Literal["epsilon", "rho", "mu"]

AIMS: Final[tuple[Aim, ...]] = ("epsilon", "rho", "mu")
CHUNK: Final = 250
LEAST_TRIALS: Final = 100
MOST_TRIALS: Final = 10_000_000  # scores are kept in memory, and a list of chunks is made before the first run
DEFAULT_TRIALS: Final = 2_000
DEFAULT_CONFIDENCE: Final = Fraction(999, 1000)
_CANDIDATES: Final = 4096
_ORDERS: Final = (1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 64.0)


@final
@dataclass(frozen=True)
class Rule:
    """Say "neighbour 1" if the score lies strictly beyond a threshold.

    Attributes:
        threshold: The threshold.
        direction: 1 if larger scores speak for neighbour 1, -1 if smaller ones do.
    """

    threshold: float
    direction: Literal[1, -1]

    def positives(self, scores: FloatArray) -> int:
        """How many of the scores, shape (n,), are called neighbour 1."""
        return int(np.count_nonzero(self.direction * scores > self.direction * self.threshold))


@final
@dataclass(frozen=True)
class Evaluation:
    """One rule, evaluated on runs that had no part in choosing it.

    Attributes:
        rule: The rule.
        hits: True positives and the number of runs on neighbour 1.
        alarms: False positives and the number of runs on neighbour 0.
        bounds: The rates' joint bounds.
    """

    rule: Rule
    hits: tuple[int, int]
    alarms: tuple[int, int]
    bounds: Rates


@final
@dataclass(frozen=True)
class Empirical:
    """What was seen; all numbers hold jointly at the confidence.

    Attributes:
        epsilon: Lower bound on epsilon at delta, for any mechanism.
        rho: Lower bound on rho, for any mechanism.
        mu: Lower bound on the Gaussian-DP parameter, for any mechanism.
        gaussian_epsilon: Lower bound on epsilon at delta *if* the worst trade-off curve is exactly Gaussian.
        delta: At which the epsilons are stated.
        confidence: Probability with which everything here is right.
        trials: Runs on each neighbour, half of them to choose and half to evaluate.
        seed: Reproduces the runs.
        tests: The evaluated test of each aim.
        scores: All scores, neighbour 0 and neighbour 1, each of shape (trials,).
    """

    epsilon: float
    rho: float
    mu: float
    gaussian_epsilon: float
    delta: Fraction
    confidence: Fraction
    trials: int
    seed: int
    tests: Mapping[Aim, Evaluation]
    scores: tuple[FloatArray, FloatArray] = field(repr=False, compare=False)


# ------------------------------------------------------------------------------------ running


def check_trials(trials: int) -> int:
    """The number of runs on each neighbour, if it is enough for two halves and not too many to keep.

    Raises:
        InvalidArgumentError: If it is neither.
    """
    return natural("trials", trials, least=LEAST_TRIALS, most=MOST_TRIALS)


def draw(
    subject: Subject,
    name: str,
    trials: int,
    seed: int,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[FloatArray, FloatArray]:
    """Run a subject on both neighbours.

    Args:
        subject: What is run.
        name: The claim's name, which the random stream depends on besides the seed.
        trials: Runs on each neighbour.
        seed: A natural number.
        jobs: Number of threads; it does not change the result.
        advance: Called with the number of runs finished since the last call.

    Returns:
        Scores on neighbour 0 and on neighbour 1, each of shape (trials,).

    Raises:
        InvalidArgumentError: If an argument is out of its domain or a score is not finite.
    """
    check_trials(trials)
    natural("seed", seed, least=0)
    natural("jobs", jobs)
    sizes = [min(CHUNK, trials - start) for start in range(0, trials, CHUNK)]
    stream = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    seeds = np.random.SeedSequence([seed, stream]).spawn(2 * len(sizes))
    tasks: list[tuple[Neighbour, int, np.random.SeedSequence]] = []
    for i, size in enumerate(sizes):
        tasks += [(0, size, seeds[2 * i]), (1, size, seeds[2 * i + 1])]

    def run(task: tuple[Neighbour, int, np.random.SeedSequence]) -> FloatArray:
        neighbour, size, child = task
        with np.errstate(all="ignore"):  # what overflows is not finite, and refused below
            scores = subject.scores(neighbour, size, np.random.default_rng(child))
        if scores.shape != (size,):
            raise InvalidArgumentError("scores", scores.shape, f"a subject must return {size} of them")
        lost = int(np.count_nonzero(~np.isfinite(scores)))
        if lost:
            rule = "must be finite: the claim's noise or loss is beyond the range of doubles"
            raise InvalidArgumentError("scores", f"{lost} of {size} NaN or infinite", rule)
        return scores

    parts: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            for (neighbour, size, _), scores in zip(tasks, pool.map(run, tasks), strict=True):
                parts[neighbour].append(scores)
                advance(size)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return np.concatenate(parts[0]), np.concatenate(parts[1])


# ------------------------------------------------------------------------------------ choosing


def choose(aim: Aim, scores: tuple[FloatArray, FloatArray], delta: Fraction, error: Fraction) -> Rule:
    """The rule that looks best for an aim on the runs at hand; a search, so approximations are good enough.

    Args:
        aim: What is to be made large.
        scores: Scores on neighbour 0 and on neighbour 1.
        delta: At which epsilon is meant.
        error: Error probability that the evaluation will have.
    """
    candidates = np.unique(np.concatenate(scores))
    if candidates.size > _CANDIDATES:
        candidates = candidates[np.linspace(0, candidates.size - 1, _CANDIDATES).astype(np.intp)]
    z = NormalDist().inv_cdf(1 - float(error) / 2)
    best, rule = -math.inf, Rule(float(candidates[-1]), 1)
    directions: tuple[Literal[1, -1], ...] = (1, -1)
    for direction in directions:
        below = [np.sort(direction * s) for s in scores]
        thresholds = direction * candidates
        alarms, hits = (s.size - np.searchsorted(s, thresholds, side="right") for s in below)
        p = _wilson(hits, below[1].size, -z)
        q = _wilson(alarms, below[0].size, z)
        values = _OBJECTIVES[aim](p, q, float(delta))
        top = int(np.argmax(values))
        if values[top] > best:
            best, rule = float(values[top]), Rule(float(candidates[top]), direction)
    return rule


def _wilson(counts: NDArray[np.intp], trials: int, z: float) -> FloatArray:
    tiny = 1e-12
    return np.array([min(1 - tiny, max(tiny, wilson(k, trials, z))) for k in counts.tolist()])


def _epsilon_objective(p: FloatArray, q: FloatArray, delta: float) -> FloatArray:
    tiny = 1e-300
    return np.log(np.maximum(np.maximum(p - delta, tiny) / q, np.maximum(1 - q - delta, tiny) / (1 - p)))


def _rho_objective(p: FloatArray, q: FloatArray, delta: float) -> FloatArray:
    best = np.zeros_like(p)
    for a in _ORDERS:
        for x, y in ((p, q), (q, p)):
            hit, miss = a * np.log(x) + (1 - a) * np.log(y), a * np.log1p(-x) + (1 - a) * np.log1p(-y)
            best = np.maximum(best, np.logaddexp(hit, miss) / (a * (a - 1)))
    return np.where(p > q, best, -1.0)


def _mu_objective(p: FloatArray, q: FloatArray, delta: float) -> FloatArray:
    inverse = NormalDist().inv_cdf
    return np.array([inverse(x) - inverse(y) for x, y in zip(p.tolist(), q.tolist(), strict=True)])


_OBJECTIVES: Final[Mapping[Aim, Callable[[FloatArray, FloatArray, float], FloatArray]]] = {
    "epsilon": _epsilon_objective,
    "rho": _rho_objective,
    "mu": _mu_objective,
}


# ------------------------------------------------------------------------------------ estimating


def estimate(
    scores: tuple[FloatArray, FloatArray],
    delta: Fraction,
    confidence: Fraction = DEFAULT_CONFIDENCE,
    seed: int = 0,
) -> Empirical:
    """Lower bounds on epsilon, rho and mu from scored runs.

    Args:
        scores: Scores on neighbour 0 and on neighbour 1, equally many, shape (trials,) each.
        delta: At which epsilon is meant, exact.
        confidence: Joint probability of everything that is returned, exact, in (0, 1).
        seed: Of the runs, kept for the record.

    Raises:
        InvalidArgumentError: If there are too few runs or an argument is out of its domain.
    """
    for s in scores:
        if s.shape != (scores[0].size,) or not np.isfinite(s).all():
            raise InvalidArgumentError("scores", s.shape, "must be equally many finite numbers on either neighbour")
    trials = natural("trials", scores[0].size, least=LEAST_TRIALS)
    open_unit("delta", delta)
    error = (1 - open_unit("confidence", confidence)) / len(AIMS)
    half = trials // 2
    chosen_on, evaluated_on = tuple(s[:half] for s in scores), tuple(s[half:] for s in scores)
    tests = {}
    for aim in AIMS:
        rule = choose(aim, (chosen_on[0], chosen_on[1]), delta, error)
        alarms, hits = ((rule.positives(s), int(s.size)) for s in evaluated_on)
        tests[aim] = Evaluation(rule, hits, alarms, rates(hits, alarms, error))
    mu = max(gdp_lower(t.bounds) for t in tests.values())
    return Empirical(
        epsilon=max(epsilon_lower(t.bounds, delta) for t in tests.values()),
        rho=max(zcdp_lower(t.bounds) for t in tests.values()),
        mu=mu,
        gaussian_epsilon=gdp_epsilon_lower(mu, delta),
        delta=delta,
        confidence=confidence,
        trials=trials,
        seed=seed,
        tests=tests,
        scores=scores,
    )
