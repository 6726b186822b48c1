r"""A test by betting, valid at every moment.

A claim says that for every event E and both orders of the data sets $P_1(E)\le e^\varepsilon P_0(E)+\delta$.  Run t
draws $Y^0_t\sim P_0$ and $Y^1_t\sim P_1$.  An *expert* is an event and an order; before run t it is fixed, from earlier
runs only.  Its payoff

$$Z_t=\mathbf 1[Y^1_t\in E_t]-e^\varepsilon\,\mathbf 1[Y^0_t\in E_t]-\delta$$

has a conditional mean of at most zero under the claim, whatever else the two runs of a pair have to do with each other.
With $0\le u<1$ and $\lambda=u/(e^\varepsilon+\delta)$ no factor $1+\lambda Z_t$ is negative, so
$W_t=\prod(1+\lambda Z_t)$ is a supermartingale from 1, and $\Pr(\sup_tW_t\ge1/\alpha)\le\alpha$ (Ville).  Averages of
such processes with weights fixed beforehand are such processes, and so are products over consecutive epochs; there is
no other correction for the number of experts.  In an epoch only four counts of each expert enter:

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

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.reals import FloatArray, ball, lower, precision

STAKES: Final = (*(Fraction(1, 2**k) for k in range(7, 0, -1)), Fraction(3, 4), Fraction(9, 10), Fraction(99, 100))
LARGEST_STAKE: Final = STAKES[-1]
GRAIN: Final = 2**20  # weights are multiples of its inverse, so that they are exact and sum to at most one
_U: Final = np.array([float(u) for u in STAKES])
_BITS: Final = 128
_NEGLIGIBLE: Final = 12.0  # terms so far (in logarithms) below the largest are left out of a ball: none is negative

Point = tuple[Fraction, Fraction]  # epsilon and delta


@final
@dataclass(frozen=True)
class Bet:
    """What an expert stakes in an epoch.

    Attributes:
        share: Its weight, in units of 1/`GRAIN`.
        stakes: The weight of each of `STAKES`, in units of 1/`GRAIN`.
    """

    share: int
    stakes: tuple[int, ...]

    def __post_init__(self) -> None:
        if min(self.share, *self.stakes) < 0 or sum(self.stakes) > GRAIN or len(self.stakes) != len(STAKES):
            raise ArithmeticError("an expert stakes more than it has")


@final
@dataclass(frozen=True)
class Round:
    """An epoch of some experts: their bets, and the counts so far.

    Attributes:
        bets: One an expert.
        counts: $n_{11}, n_{10}, n_{01}, n_{00}$ of each expert, shape (experts, 4).
    """

    bets: tuple[Bet, ...]
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        if sum(bet.share for bet in self.bets) > GRAIN or self.counts.shape != (len(self.bets), 4):
            raise ArithmeticError("the experts stake more than there is")


def log_factors(epsilon: float | FloatArray, delta: float | FloatArray) -> FloatArray:
    """The logarithms of an expert's four factors at each stake, shape (..., stakes, 4).

    Args:
        epsilon: Of the claim, or several.
        delta: Of the claim, below 1, or several.

    >>> log_factors(1.0, 0.0).shape
    (10, 4)
    """
    e, d = np.exp(np.asarray(epsilon))[..., None], np.asarray(delta)[..., None]
    rate = _U / (e + d)
    both, hit, alarm = np.log1p(rate - _U), np.log1p(rate * (1 - d)), np.log1p(-_U)
    return np.stack([both, hit, np.broadcast_to(alarm, hit.shape), np.log1p(-rate * d)], axis=-1)


def log_wealth(rounds: Iterable[Round], points: Sequence[Sequence[tuple[float, float]]]) -> float:
    """About the logarithm of the wealth; nothing rests on it.

    Args:
        rounds: The epochs.
        points: Epsilon and delta of each expert of each epoch.
    """
    total = 0.0
    for played, at in zip(rounds, points, strict=True):
        epsilon, delta = (np.array(column) for column in zip(*at, strict=True))
        total += float(_log_sum(_terms(played, log_factors(epsilon, delta))))
    return total


def _terms(played: Round, factors: FloatArray) -> FloatArray:
    """The logarithms of the terms of an epoch, shape (experts, stakes)."""
    weights = np.array([[bet.share / GRAIN * stake / GRAIN for stake in bet.stakes] for bet in played.bets])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weights) + np.einsum("ksc,kc->ks", factors, played.counts))


def _log_sum(terms: FloatArray) -> float:
    most = float(terms.max())
    return most + math.log(float(np.exp(terms - most).sum())) if most > -math.inf else -math.inf


def certified_wealth(rounds: Sequence[Round], points: Sequence[Sequence[tuple[Point, Point]]]) -> arb:
    r"""The lower end of the wealth, for every claim between two.

    As epsilon grows and delta stays (or delta grows and epsilon stays), the first three factors do not grow; of the
    fourth the smaller of its values at the ends is taken, between which it is monotone.

    Args:
        rounds: The epochs.
        points: For each expert of each epoch, epsilon and delta of the least and of the largest claim.

    Returns:
        A ball whose lower end is a lower end of the wealth of each of the claims.

    >>> sure = Round((Bet(GRAIN, (0,) * 9 + (GRAIN,)),), np.array([[0, 10, 0, 0]]))
    >>> one = (Fraction(0), Fraction(0))
    >>> round(float(certified_wealth([sure], [[(one, one)]]).lower()), 4) == round(1.99**10, 4)
    True
    """
    total = arb(1)
    with precision(_BITS):
        for played, at in zip(rounds, points, strict=True):
            logs = _terms(played, np.array([log_factors(float(top[0]), float(top[1])) for _, top in at]))
            kept = np.argwhere(logs > logs.max() - _NEGLIGIBLE)
            epoch = arb(0)
            for k, i in kept.tolist():
                bet, counts = played.bets[k], [int(n) for n in played.counts[k]]
                weight = Fraction(bet.share * bet.stakes[i], GRAIN * GRAIN)
                epoch += ball(weight) * _term(STAKES[i], counts, *at[k])
            total *= epoch
        return total


def _term(u: Fraction, counts: Sequence[int], least: Point, largest: Point) -> arb:
    both, hit, alarm, none = counts
    low, high = (ball(u) / (ball(e).exp() + ball(d)) for e, d in (least, largest))
    idle = arb.min(1 - low * ball(least[1]), 1 - high * ball(largest[1]))
    return (
        (1 - ball(u) + high) ** both * (1 + high * (1 - ball(largest[1]))) ** hit * (1 - ball(u)) ** alarm * idle**none
    )


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


def growth(hits: FloatArray, alarms: FloatArray, runs: int, factors: FloatArray) -> FloatArray:
    """About how much an expert's wealth grows a run, by what earlier runs show, shape (events, stakes).

    The hit count is lowered by a standard deviation, the alarm count is raised by one and by 1.

    Args:
        hits: How often the event came up on the one data set, shape (events,).
        alarms: How often on the other.
        runs: Number of runs.
        factors: As of `log_factors`, shape (stakes, 4).
    """
    p = np.maximum(hits - np.sqrt(hits * (1 - hits / runs)), 0) / runs
    q = np.minimum(alarms + np.sqrt(alarms * (1 - alarms / runs)) + 1, runs) / runs
    rates = np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)
    return np.asarray(rates @ factors.T)


def bets(grown: FloatArray, runs: int) -> tuple[Bet, ...]:
    r"""The bets of some experts: half in proportion to $e^{n\hat g}$, half even, among experts and among stakes.

    Args:
        grown: Estimated growth of each expert at each stake, shape (experts, stakes).
        runs: How many runs the growth is trusted for.

    >>> sum(bet.share for bet in bets(np.zeros((3, 10)), 100)) <= GRAIN
    True
    """
    shares = _split(grown.max(axis=1) * runs)
    return tuple(Bet(share, _split(row * runs)) for share, row in zip(shares, grown, strict=True))


def _split(scores: FloatArray) -> tuple[int, ...]:
    tilted = np.exp(scores - scores.max())
    weights = (tilted / tilted.sum() + 1 / len(scores)) / 2
    return tuple(int(weight * (1 - 1e-12) * GRAIN) for weight in weights)


# ------------------------------------------------------------------------------------ what runs can show


def ceiling_growth(error: Fraction, runs: int) -> float:
    r"""$\alpha^{-1/n}$: how much the best possible expert's wealth must grow in each of n runs.

    Args:
        error: $\alpha$, exact.
        runs: n, the runs that are bet on.
    """
    return -math.log(error) / runs if runs else math.inf
