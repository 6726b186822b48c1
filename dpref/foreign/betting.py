r"""A test by betting, valid at every moment.

A claim says that for every event E and both orders of the data sets $P_1(E)\le e^\varepsilon P_0(E)+\delta$.  Run t
draws $Y^0_t\sim P_0$ and $Y^1_t\sim P_1$.  An *expert* is an event and an order; before run t it is fixed, from earlier
runs only.  Its payoff

$$Z_t=\mathbf 1[Y^1_t\in E_t]-e^\varepsilon\,\mathbf 1[Y^0_t\in E_t]-\delta$$

has a conditional mean of at most zero under the claim, whatever else the two runs of a pair have to do with each other.
With $0\le u<1$ and $\lambda=u/(e^\varepsilon+\delta)$ no factor $1+\lambda Z_t$ is negative, so
$W_t=\prod(1+\lambda Z_t)$ is a supermartingale from 1, and $\Pr(\sup_tW_t\ge1/\alpha)\le\alpha$ (Ville).  Averages of
such processes with weights fixed beforehand are such processes, and so are products over consecutive epochs; there is
no other correction for the number of experts.  (An expert who stakes on several events in one run is a *portfolio*,
`dpref.foreign.portfolios`.)  In an epoch only four counts of each expert enter:

$$\mathcal E=\sum_kw_k\sum_uv_{k,u}\,
(1-u+\lambda)^{n_{11}}(1+\lambda(1-\delta))^{n_{10}}(1-u)^{n_{01}}(1-\lambda\delta)^{n_{00}},$$

where $n_{ab}$ counts the runs with $a=\mathbf 1[Y^1\in E]$ and $b=\mathbf 1[Y^0\in E]$.  Doubles search; what is
reported is the lower end of a ball, which anybody can compute again from the counts.

References:
    Ville, "Étude critique de la notion de collectif", 1939.
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024.
    Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic statistics and safe anytime-valid inference", 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.reals import FloatArray, ball, lower, precision

Integers: TypeAlias = NDArray[np.int64]

STAKES: Final = (*(Fraction(1, 2**k) for k in range(7, 0, -1)), Fraction(3, 4), Fraction(9, 10), Fraction(99, 100))
LARGEST_STAKE: Final = STAKES[-1]
GRAIN: Final = 2**20  # weights are multiples of its inverse, so that they are exact and sum to at most one
_U: Final = np.array([float(u) for u in STAKES])
_BITS: Final = 128
NEGLIGIBLE: Final = 12.0

Point: TypeAlias = tuple[Fraction, Fraction]  # epsilon and delta


@final
@dataclass(frozen=True, eq=False)
class Round:
    """An epoch of some experts: what each stakes, and what it saw.

    Attributes:
        shares: The experts' weights, in units of 1/`GRAIN`, shape (experts,).
        stakes: For each expert the weight of each of `STAKES`, in units of 1/`GRAIN`, shape (experts, stakes).
        counts: $n_{11}, n_{10}, n_{01}, n_{00}$ of each expert, shape (experts, 4).
    """

    shares: Integers
    stakes: Integers
    counts: Integers

    def __post_init__(self) -> None:
        k = len(self.shares)
        if self.stakes.shape != (k, len(STAKES)) or self.counts.shape != (k, 4):
            raise ArithmeticError("the parts of an epoch do not fit together")
        if min(self.shares.min(), self.stakes.min()) < 0 or max(self.shares.sum(), *self.stakes.sum(axis=1)) > GRAIN:
            raise ArithmeticError("the experts stake more than there is")


def log_factors(epsilon: float | FloatArray, delta: float | FloatArray) -> FloatArray:
    """The logarithms of an expert's four factors at each stake, shape (..., stakes, 4).

    Args:
        epsilon: Of the claim, or several.
        delta: Of the claim, below 1, or several.

    >>> log_factors(1.0, 0.0).shape
    (10, 4)
    """
    with np.errstate(over="ignore"):  # against a claim of 710 or more nothing is won
        e, d = np.exp(np.asarray(epsilon))[..., None], np.asarray(delta)[..., None]
    rate = _U / (e + d)
    both, hit, alarm = np.log1p(rate - _U), np.log1p(rate * (1 - d)), np.log1p(-_U)
    return np.stack([both, hit, np.broadcast_to(alarm, hit.shape), np.log1p(-rate * d)], axis=-1)


def factors_at(points: Sequence[Point]) -> FloatArray:
    """As `log_factors`, at points of claims.

    Args:
        points: Epsilon and delta of each.
    """
    return log_factors(*(np.array([float(point[i]) for point in points]) for i in (0, 1)))


def log_epoch(shares: Integers, stakes: Integers, counts: Integers, factors: FloatArray) -> FloatArray:
    """About the logarithm of what an epoch multiplies the wealth by, shape (...); nothing rests on it.

    Args:
        shares: As of a `Round`, shape (..., experts).
        stakes: Shape (..., experts, stakes).
        counts: Shape (..., experts, 4).
        factors: As of `log_factors`, shape (..., experts, stakes, 4).
    """
    terms = _log_terms(shares, stakes, counts, factors)
    terms = terms.reshape(*terms.shape[:-2], -1)
    most = terms.max(axis=-1)
    return np.asarray(most + np.log(np.exp(terms - most[..., None]).sum(axis=-1)))


def _log_terms(shares: Integers, stakes: Integers, counts: Integers, factors: FloatArray) -> FloatArray:
    """The logarithms of the terms, shape (..., experts, stakes)."""
    with np.errstate(divide="ignore"):
        weights = np.log(shares / GRAIN)[..., None] + np.log(stakes / GRAIN)
    return np.asarray(np.matmul(factors, counts[..., None])[..., 0] + weights)


def certified_wealth(rounds: Sequence[Round], experts: Sequence[Sequence[Expert]], within: float = NEGLIGIBLE) -> arb:
    r"""The lower end of the wealth, for every claim between two.

    Args:
        rounds: The epochs.
        experts: Who bets in each epoch.
        within: Terms further (in logarithms) below the largest are left out, which makes it no larger.

    Returns:
        A ball whose lower end is a lower end of the wealth of each of the claims.

    >>> sure = Round(np.array([GRAIN]), GRAIN * np.eye(10, dtype=int)[-1:], np.array([[0, 10, 0, 0]]))
    >>> one = (Fraction(0), Fraction(0))
    >>> round(float(certified_wealth([sure], [[Expert(one, one)]]).lower()), 4) == round(1.99**10, 4)
    True
    """
    total = arb(1)
    with precision(_BITS):
        for played, betting in zip(rounds, experts, strict=True):
            logs = _log_terms(played.shares, played.stakes, played.counts, np.stack([e.factors for e in betting]))
            epoch = arb(0)
            for k in np.flatnonzero(logs.max(axis=1) > logs.max() - within).tolist():
                counts = [int(n) for n in played.counts[k]]
                for i in np.flatnonzero(logs[k] > logs.max() - within).tolist():
                    weight = arb(int(played.shares[k]) * int(played.stakes[k, i])) / (GRAIN * GRAIN)
                    epoch += weight * betting[k].term(i, counts)
            total *= epoch
        return total


class Expert:
    r"""Who bets, seen by every claim between two.

    As epsilon grows and delta stays (or delta grows and epsilon stays), the first three factors do not grow; of the
    fourth the smaller of its values at the ends is taken, between which it is monotone.

    Args:
        least: Epsilon and delta of the least claim.
        largest: Epsilon and delta of the largest.
    """

    def __init__(self, least: Point, largest: Point) -> None:
        self.factors: FloatArray = factors_at([largest])[0]
        self._ends = least, largest
        self._known: dict[int, tuple[arb, arb, arb, arb]] = {}

    def term(self, stake: int, counts: Sequence[int]) -> arb:
        """A ball whose lower end is a lower end of what a stake comes to.

        Args:
            stake: Which of `STAKES`.
            counts: $n_{11}, n_{10}, n_{01}, n_{00}$.
        """
        with precision(_BITS):
            if stake not in self._known:
                self._known[stake] = self._of(ball(STAKES[stake]))
            total = arb(1)
            for factor, count in zip(self._known[stake], counts, strict=True):
                total *= factor**count
            return total

    def _of(self, stake: arb) -> tuple[arb, arb, arb, arb]:
        """The factors of a stake in the four cases, for every claim between the two."""
        low, high = (stake / (ball(e).exp() + ball(d)) for e, d in self._ends)
        least, largest = (ball(d) for _, d in self._ends)
        idle = arb.min(1 - low * least, 1 - high * largest)
        return 1 - stake + high, 1 + high * (1 - largest), 1 - stake, idle


def crossed(wealth: arb, error: Fraction) -> bool:
    """Whether a wealth is certainly at least the inverse of an error.

    Args:
        wealth: A ball.
        error: Exact, positive.
    """
    with precision(_BITS):
        return bool(wealth.lower() >= 1 / ball(error))


def e_value(wealth: arb) -> float:
    """A wealth as a double, rounded down.

    Args:
        wealth: A ball.
    """
    return max(0.0, lower(wealth))


# ------------------------------------------------------------------------------------ how much to stake


def cautious_rates(hits: FloatArray, alarms: FloatArray, runs: int) -> FloatArray:
    """About how often each of the four cases will come up in a run, by what earlier runs show, shape (events, 4).

    The hit count is lowered by a standard deviation, the alarm count is raised by one and by 1.

    Args:
        hits: How often the event came up on the one data set, shape (events,).
        alarms: How often on the other.
        runs: Number of runs.
    """
    p = np.maximum(hits - np.sqrt(hits * (1 - hits / runs)), 0) / runs
    q = np.minimum(alarms + np.sqrt(alarms * (1 - alarms / runs)) + 1, runs) / runs
    return np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)


def split(scores: FloatArray, even: float = 0.5) -> Integers:
    r"""Weights in units of 1/`GRAIN` along the last axis: a part even, the rest in proportion to $e^{\text{score}}$.

    Args:
        scores: Logarithms, such as the growth that is expected of an epoch.
        even: The part that is even, in (0, 1].

    >>> int(split(np.zeros(3)).sum()) <= GRAIN
    True
    """
    tilted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = (1 - even) * tilted / tilted.sum(axis=-1, keepdims=True) + even / scores.shape[-1]
    return np.asarray(np.floor(weights * (1 - 1e-12) * GRAIN).astype(np.int64))
