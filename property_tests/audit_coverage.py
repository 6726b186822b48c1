r"""How often an audit shows more than there is: mechanisms with known losses, many seeds, exact confidence intervals.

    python -m property_tests.audit_coverage --seeds 300

A false alarm is a seed whose lower bound on epsilon, rho or mu exceeds the true value (of rho and mu, an upper bound on
it).  At confidence c that has probability at most 1 - c, for every mechanism.  The command prints one line a mechanism
with Clopper and Pearson's interval of the rate; it fails if an interval lies above the promise.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from dpref.audit.empirical import estimate
from dpref.audit.statistics import binomial_lower, binomial_upper
from dpref.reals import FloatArray

LEVEL = Fraction(99, 100)  # of the intervals of the rates
_PHI = NormalDist()


@dataclass(frozen=True)
class Mechanism:
    """Outcomes on two neighbours, and how far apart they are.

    Attributes:
        name: For the table.
        draw: ``(neighbour, n, rng) -> outcomes``, shape (n,).
        delta: ``epsilon -> delta``, the larger of both directions.
        pure: The log-ratio of probabilities that no outcome exceeds, perhaps infinite.
        rho: An upper bound on rho.
        mu: An upper bound on mu.
    """

    name: str
    draw: Callable[[int, int, np.random.Generator], FloatArray]
    delta: Callable[[float], float]
    pure: float
    rho: float
    mu: float

    def epsilon(self, delta: float) -> float:
        """The least epsilon at a delta, from above, by bisection.

        >>> round(gaussian(1.0).epsilon(0.01), 3)
        2.318
        """
        if delta == 0:
            return self.pure
        low, high = 0.0, min(self.pure, 100.0)
        if self.delta(low) <= delta:
            return 0.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return high + 1e-9


def of_pure(
    name: str,
    draw: Callable[[int, int, np.random.Generator], FloatArray],
    delta: Callable[[float], float],
    pure: float,
) -> Mechanism:
    """A mechanism that is pure DP: rho is at most pure^2 / 2, and randomised response has the largest mu."""
    return Mechanism(name, draw, delta, pure, pure * pure / 2, -2 * _PHI.inv_cdf(1 / (1 + math.exp(pure))))


def gaussian(mu: float) -> Mechanism:
    """N(0, 1) and N(mu, 1)."""

    def delta(epsilon: float) -> float:
        if mu == 0:
            return 0.0
        shift = epsilon / mu
        return _PHI.cdf(mu / 2 - shift) - math.exp(epsilon) * _PHI.cdf(-mu / 2 - shift)

    name = f"Gaussian, mu = {mu:g}" if mu else "no loss at all"
    pure = math.inf if mu else 0.0
    return Mechanism(name, lambda i, n, rng: rng.standard_normal(n) + mu * i, delta, pure, mu * mu / 2, mu)


def laplace() -> Mechanism:
    """Laplace noise of scale 1 on 0 and on 1."""
    return of_pure("Laplace", lambda i, n, rng: rng.laplace(size=n) + i, lambda e: -math.expm1((e - 1) / 2), 1.0)


def cauchy() -> Mechanism:
    r"""Cauchy noise on 0 and on 1: the ratio exceeds $e^\varepsilon$ between the roots of a quadratic polynomial."""

    def delta(epsilon: float) -> float:
        a = math.exp(epsilon)
        if a == 1:
            low, high = 0.5, math.inf
        else:
            root = math.sqrt(max(0.0, a * a - (a - 1) * (2 * a - 1)))
            low, high = (a - root) / (a - 1), (a + root) / (a - 1)

        def mass(centre: float) -> float:
            return (math.atan(high - centre) - math.atan(low - centre)) / math.pi

        return mass(1.0) - a * mass(0.0)

    return of_pure("Cauchy (heavy tails)", lambda i, n, rng: rng.standard_cauchy(n) + i, delta, 2 * math.asinh(0.5))


def finite(name: str, outcomes: Sequence[float], zero: Sequence[float], one: Sequence[float]) -> Mechanism:
    """Finitely many outcomes with their probabilities; the outcome 0.5 stands for a normal draw, the same on both."""
    laws = np.array(zero) / sum(zero), np.array(one) / sum(one)

    def draw(i: int, n: int, rng: np.random.Generator) -> FloatArray:
        drawn = rng.choice(np.array(outcomes), size=n, p=laws[i])
        return np.where(drawn == 0.5, rng.standard_normal(n), drawn)

    def delta(epsilon: float) -> float:
        return max(float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) for p, q in (laws, laws[::-1]))

    return of_pure(name, draw, delta, float(np.abs(np.log(laws[0] / laws[1])).max()))


def geometric() -> Mechanism:
    """Two-sided geometric noise of ratio 1/e on 0 and on 1: the losses are 1 and -1, as of randomised response."""
    q = 1 / (1 + math.e)
    ratio = 1 - math.exp(-1)
    return of_pure(
        "two-sided geometric (integers)",
        lambda i, n, rng: (rng.geometric(ratio, n) - rng.geometric(ratio, n) + i).astype(np.float64),
        lambda epsilon: max(0.0, 1 - q - math.exp(epsilon) * q),
        1.0,
    )


INF, NAN, E = math.inf, math.nan, math.e
MECHANISMS: tuple[Mechanism, ...] = (
    gaussian(0.0),
    gaussian(1.0),
    laplace(),
    cauchy(),
    geometric(),
    finite("randomised response", (0, 1), (E, 1), (1, E)),
    finite("five answers in no order", (3, 1, 4, 0, 5), (1, E, 1, 1, 1), (1, 1, 1, E, 1)),
    finite("exponential mechanism", (0, 1, 2, 3), (1, 2, 3, 4), (4, 3, 3, 2)),
    finite("NaN tells", (NAN, 0.5), (2, 98), (5, 95)),
    finite("NaN tells the other one", (NAN, 0.5), (5, 95), (2, 98)),
    finite("NaN and infinities", (NAN, -INF, INF, 0), (4, 3, 2, 1), (1, 2, 3, 4)),
    finite("one number in the middle", (0.123, 0.5), (2, 98), (5, 95)),
    finite("a rare far number", (1e9, 0.5), (1, 199), (4, 196)),
)


@dataclass(frozen=True)
class Row:
    """What many seeds showed of one mechanism.

    Attributes:
        mechanism: Which.
        epsilon: The true one at delta.
        shown: The largest lower bound on it.
        alarms: In how many seeds some bound was too large.
        seeds: How many there were.
        promise: The rate of alarms that is promised.
    """

    mechanism: Mechanism
    epsilon: float
    shown: float
    alarms: int
    seeds: int
    promise: Fraction

    @property
    def interval(self) -> tuple[float, float]:
        """Clopper and Pearson's interval of the rate of alarms."""
        error = (1 - LEVEL) / 2
        return binomial_lower(self.alarms, self.seeds, error), binomial_upper(self.alarms, self.seeds, error)

    @property
    def word(self) -> str:
        """Whether the rate is shown to be within the promise, may be, or is not."""
        low, high = self.interval
        return "BROKEN" if low > self.promise else "within" if high <= self.promise else "not contradicted"


def coverage(
    mechanism: Mechanism, seeds: int, trials: int, delta: Fraction, confidence: Fraction, first: int = 0
) -> Row:
    """Audit one mechanism with many seeds."""
    true, alarms, shown = mechanism.epsilon(float(delta)), 0, 0.0
    for seed in range(first, first + seeds):
        rng = np.random.default_rng(seed)
        seen = estimate((mechanism.draw(0, trials, rng), mechanism.draw(1, trials, rng)), delta, confidence)
        tolerance = 1 + 1e-9  # of the true values, which are doubles
        alarms += (
            seen.epsilon > true * tolerance
            or seen.rho > mechanism.rho * tolerance
            or seen.mu > mechanism.mu * tolerance
        )
        shown = max(shown, seen.epsilon)
    return Row(mechanism, true, shown, alarms, seeds, 1 - confidence)


def table(rows: Sequence[Row]) -> str:
    """One line a mechanism."""
    head = (
        f"{'mechanism':31} {'epsilon':>8} {'shown':>8} {'alarms':>9} {'rate':>7}  {'interval of the rate':20} promise"
    )
    lines = [head]
    for row in rows:
        low, high = row.interval
        counted = f"{row.alarms}/{row.seeds}"
        lines.append(
            f"{row.mechanism.name:31} {row.epsilon:8.4f} {row.shown:8.4f} {counted:>9} {row.alarms / row.seeds:7.4f}"
            f"  [{low:.5f}, {high:.5f}]   {float(row.promise):.4f} {row.word}"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description="False alarms of audits of mechanisms with known losses.")
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--trials", type=int, default=1000, help="runs on each neighbour")
    parser.add_argument("--delta", type=Fraction, default=Fraction(1, 1000))
    parser.add_argument("--confidence", type=Fraction, default=Fraction(19, 20))
    chosen = parser.parse_args(arguments)
    print(
        f"{chosen.seeds} seeds, {chosen.trials} runs on each neighbour, delta {chosen.delta}, joint confidence"
        f" {chosen.confidence}; intervals of the rate at confidence {LEVEL}"
    )
    rows = [coverage(m, chosen.seeds, chosen.trials, chosen.delta, chosen.confidence) for m in MECHANISMS]
    print(table(rows))
    return int(any(row.word == "BROKEN" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
