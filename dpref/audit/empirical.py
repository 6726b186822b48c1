r"""The empirical lower bound: run a subject on both data sets of a pair and test which was which.

The runs are cut into two halves.  On the first half a test, a set of outcomes, is chosen for each of three aims (the
largest epsilon, the largest rho, the largest mu; `dpref.audit.rules` says among which); the second half, which had no
say in the choice, evaluates each test once.

Why the bounds are valid.  Let the runs be independent, A the set that an aim's search returns and m the number of runs
of the second half.  A is a function of the first half, so given the first half it is a fixed set, and the numbers of
the second half's runs in A are binomial, $\mathrm{Bin}(m,P_1(A))$ and $\mathrm{Bin}(m,P_0(A))$.  Clopper and Pearson's
bounds fail for either with probability at most $e/2$ given the first half, whatever A is, and so with probability at
most $e$ in all.  How many sets were compared, and by what criterion, does not enter: thresholds at the outermost
ranks, single values and NaN are free.  The error $1-\mathrm{confidence}=3e$ is split evenly over the three aims, so
everything that is reported holds jointly, and each number may be read off whichever test gives the most.

What a subject returns is an outcome, whatever it is: infinite, NaN, the same number many times.  None is dropped and
none is refused, because the rare run that overflows may be the one that tells the data sets apart.

The runs are drawn in chunks of fixed size, each with its own child of one seed: the result depends on the seed and the
claim's name, and not on the number of threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias, final

import numpy as np

from dpref.audit.rules import AIMS, Aim, Rule, Scores, choose
from dpref.audit.statistics import Rates, epsilon_lower, gdp_epsilon_lower, gdp_lower, rates, zcdp_lower
from dpref.audit.subjects import Neighbour, Subject
from dpref.checks import half_open_unit, natural, open_unit
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray

Drawer: TypeAlias = Callable[[Subject, str, int, int, int, Callable[[int], None]], Scores]

CHUNK: Final = 250
LEAST_TRIALS: Final = 100
MOST_TRIALS: Final = 10_000_000  # scores are kept in memory, and a list of chunks is made before the first run
DEFAULT_TRIALS: Final = 2_000
DEFAULT_CONFIDENCE: Final = Fraction(999, 1000)


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
        scores: All outcomes, neighbour 0 and neighbour 1, each of shape (trials,).
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
    scores: Scores = field(repr=False, compare=False)


# ------------------------------------------------------------------------------------ running


def check_trials(trials: int) -> int:
    """The number of runs on each neighbour, if it is enough for two halves and not too many to keep.

    Raises:
        InvalidArgumentError: If it is neither.
    """
    return natural("trials", trials, least=LEAST_TRIALS, most=MOST_TRIALS)


def evaluated(trials: int) -> int:
    """How many of the runs on a data set evaluate the tests; the others choose them.

    >>> evaluated(301)
    151
    """
    return trials - trials // 2


def error_of_an_aim(confidence: Fraction) -> Fraction:
    """The share of each aim's test in the error probability.

    >>> error_of_an_aim(Fraction(97, 100))
    Fraction(1, 100)
    """
    return (1 - open_unit("confidence", confidence)) / len(AIMS)


def draw(
    subject: Subject,
    name: str,
    trials: int,
    seed: int,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> Scores:
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
        InvalidArgumentError: If an argument is out of its domain, or a subject returns something other than one real
            number a run.
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
        with np.errstate(all="ignore"):  # what overflows is an outcome
            scores = np.asarray(subject.scores(neighbour, size, np.random.default_rng(child)))
        if scores.shape != (size,) or scores.dtype.kind not in "biuf":
            what = f"{scores.dtype} of shape {scores.shape}"
            raise InvalidArgumentError("scores", what, f"a subject must return {size} real numbers, one a run")
        return scores.astype(np.float64)

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


# ------------------------------------------------------------------------------------ estimating


def estimate(
    scores: Scores,
    delta: Fraction,
    confidence: Fraction = DEFAULT_CONFIDENCE,
    seed: int = 0,
) -> Empirical:
    """Lower bounds on epsilon, rho and mu from scored runs.

    Args:
        scores: Outcomes on neighbour 0 and on neighbour 1, equally many, shape (trials,) each; any doubles.
        delta: At which epsilon is meant, exact, in [0, 1).
        confidence: Joint probability of everything that is returned, exact, in (0, 1).
        seed: Of the runs, kept for the record.

    Raises:
        InvalidArgumentError: If there are too few runs or an argument is out of its domain.
    """
    for s in scores:
        if s.shape != (scores[0].size,):
            raise InvalidArgumentError("scores", s.shape, "must be equally many numbers on either neighbour")
    trials = natural("trials", scores[0].size, least=LEAST_TRIALS)
    half_open_unit("delta", delta)
    error, half = error_of_an_aim(confidence), trials - evaluated(trials)
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
