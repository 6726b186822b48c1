"""The wealth against one claim: which portfolios an epoch begins with, and what they have won.

Portfolios are chosen from earlier runs, and any choice is valid: the best events, each alone, and for each of the
columns that look best the parts that would have grown fastest over all its thresholds, in both orders.  What an event
won in earlier runs is lowered by a standard deviation first, because the best of many has been lucky.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from flint import arb

from dpref.foreign.betting import GRAIN, LARGEST_STAKE, STAKES, Integers, factors_at, split
from dpref.foreign.claims import Claim
from dpref.foreign.events import Field, Pool
from dpref.foreign.portfolios import MOST_BETS, Bet, Play, Portfolio
from dpref.reals import FloatArray, precision

ALONE: Final = 4  # events
COLUMNS: Final = 4  # with a portfolio each
EVEN: Final = 0.25  # of the wealth is shared evenly, whatever earlier runs say
_STEPS: Final = 150
_SMALL: Final = 0.02  # of the largest part: what is less is left out
_LEAST: Final = 1e-3  # of a factor, once it is lowered
_U: Final = np.array([float(u) for u in STAKES])
_BITS: Final = 128


class Wealth:
    """The wealth against one claim.

    Args:
        claim: The claim.
    """

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.plays: list[Play] = []
        self._logs: list[float] = []

    def begin(self, field: Field) -> bool:
        """A new epoch, if there is anything to bet on.

        Args:
            field: What there is to choose from.

        Returns:
            Whether there is.
        """
        portfolios, grown = choose(self.claim, field)
        if not portfolios:
            return False
        self.plays.append(Play.begin(self.claim, portfolios, split(grown.max(axis=1), EVEN), split(grown, EVEN)))
        self._logs.append(0.0)
        return True

    def see(self, first: FloatArray, second: FloatArray) -> float:
        """More runs of the epoch.

        Args:
            first: Features on d0, shape (n, features).
            second: Features on d1, likewise.

        Returns:
            About the logarithm of the wealth by now.
        """
        self.plays[-1] = self.plays[-1].after(first, second)
        terms = self.plays[-1].logs()
        self._logs[-1] = float(terms.max() + np.log(np.exp(terms - terms.max()).sum()))
        return math.fsum(self._logs)

    @property
    def won(self) -> float:
        """The largest logarithm of a term of the last epoch; minus infinity before the first."""
        return float(self.plays[-1].logs().max()) if self.plays else -math.inf

    def strongest(self) -> tuple[Bet, tuple[int, int, int]]:
        """The bet that has won most in the last epoch, and how often its event came up there, elsewhere, of how many.

        Of the portfolio that has won most it is the bet that would have won most alone.
        """
        play = self.plays[-1]
        k = int(np.argmax(play.logs().max(axis=1)))
        cases, times = play.seen(k)
        (hits, alarms), found = play.portfolios[k].happened(cases), []
        for j, bet in enumerate(play.portfolios[k].bets):
            alone = Portfolio((bet,), (GRAIN,)).logs(self.claim, hits[:, j] | alarms[:, j] << 1) @ times
            found.append((float(alone.max()), (int(times @ hits[:, j]), int(times @ alarms[:, j]), int(times.sum()))))
        best = max(range(len(found)), key=lambda j: found[j][0])
        return play.portfolios[k].bets[best], found[best][1]


class Shared:
    """A wealth of which several have equal parts: nearly the best of them, whichever that is.

    One bets on what can be seen without a learned score, the other on that as well: a score that was fitted on few runs
    promises more than it keeps, and draws on its own part alone.

    Args:
        claim: The claim.
        parts: How many.
    """

    def __init__(self, claim: Claim, parts: int) -> None:
        self.parts: tuple[Wealth, ...] = tuple(Wealth(claim) for _ in range(parts))
        self._logs = [0.0] * parts
        self._betting = [False] * parts

    def begin(self, part: int, field: Field) -> None:
        """A new epoch of one of them, if there is anything to bet on.

        Args:
            part: Which one.
            field: What it may choose from.
        """
        self._betting[part] = self.parts[part].begin(field)

    def see(self, first: FloatArray, second: FloatArray) -> float:
        """More runs of the epoch.

        Args:
            first: Features on d0, shape (n, features).
            second: Features on d1, likewise.

        Returns:
            About the logarithm of the wealth by now.
        """
        for k, wealth in enumerate(self.parts):
            if self._betting[k]:
                self._logs[k] = wealth.see(first, second)
        return float(np.logaddexp.reduce(self._logs)) - math.log(len(self.parts))

    def plays(self) -> tuple[tuple[Play, ...], ...]:
        """The epochs of each so far."""
        return tuple(tuple(wealth.plays) for wealth in self.parts)

    @property
    def strongest(self) -> Wealth:
        """The one that has won most in its last epoch."""
        return max(self.parts, key=lambda wealth: wealth.won)


def certified(parts: Sequence[Sequence[Play]]) -> arb:
    """A ball whose lower end is a lower end of the wealth after some epochs; one, before the first.

    Args:
        parts: The epochs of each of those that have equal parts of it, all against one claim.
    """
    with precision(_BITS):
        return sum((_product(plays) for plays in parts), arb(0)) / len(parts) if parts else arb(1)


def _product(plays: Sequence[Play]) -> arb:
    total = arb(1)
    for play in plays:
        total *= play.certified()
    return total


def choose(claim: Claim, field: Field) -> tuple[list[Portfolio], FloatArray]:
    """The portfolios against a claim, and what each stake would have won in the runs that they are judged by.

    Args:
        claim: The claim.
        field: What there is to choose from.
    """
    useful = [epsilon for epsilon in claim.points() if claim.delta_of(epsilon) < 1]
    if not len(field) or not useful:
        return [], np.empty((0, 0))
    points = [(epsilon, claim.delta_of(epsilon)) for epsilon in useful]
    factors, epsilons = factors_at(points), useful if len(claim.points()) > 1 else [None]
    picks = field.best(factors, ALONE)
    order = np.argsort(-picks.grown.max(axis=2), axis=None, kind="stable")[:ALONE]
    at = [(int(p), int(k)) for p, k in zip(*np.unravel_index(order, picks.rows.shape), strict=True)]
    found = [
        (Portfolio.alone(picks.event(p, k), epsilons[p]), picks.grown[p, k] * field.judged_by(int(picks.rows[p, k])))
        for p, k in at
    ]
    doubles = np.array([[float(x) for x in point] for point in points])
    for pool in field.pools(factors, COLUMNS):
        parts, grown = balanced(pool, doubles[pool.points])
        kept = np.flatnonzero(parts)
        if len(kept) > 1:
            bets = tuple(Bet(pool.events[j], epsilons[pool.points[j]]) for j in kept.tolist())
            found.append((Portfolio(bets, tuple(parts[kept].tolist())), grown))
    return [portfolio for portfolio, _ in found], np.array([grown for _, grown in found])


def balanced(pool: Pool, points: FloatArray) -> tuple[Integers, FloatArray]:
    """The parts of a portfolio that would have grown fastest (Cover's iteration), and what it would have won.

    Args:
        pool: The events.
        points: Epsilon and delta of each, shape (events, 2).

    Returns:
        Parts in units of 1/`GRAIN`, all but the `MOST_BETS` largest zero, and the logarithm of what each stake won.
    """
    runs = pool.times.sum()
    chance = pool.times / runs
    with np.errstate(over="ignore"):
        rate, delta = 1 / (np.exp(points[:, 0]) + points[:, 1]), points[:, 1]
    won = rate * (pool.hits - delta) - pool.alarms * (1 - rate * delta)
    factors = np.column_stack([_factors(_lowered(won, chance, runs)), np.ones(len(won))])
    parts = np.full(factors.shape[1], 1 / factors.shape[1])
    for _ in range(_STEPS):
        parts = parts * ((chance / (factors @ parts)) @ factors)
    parts = parts[:-1]
    parts[np.argsort(-parts, kind="stable")[MOST_BETS:]] = 0
    parts[parts < _SMALL * parts.max()] = 0
    exact = np.floor(parts / parts.sum() * (1 - 1e-12) * GRAIN).astype(np.int64)
    after = _lowered((won @ (exact / GRAIN))[:, None], chance, runs)
    return exact, np.asarray(pool.times @ np.log(np.maximum(1 + after * _U, _LEAST)))


def _lowered(won: FloatArray, chance: FloatArray, runs: int) -> FloatArray:
    """What bets won in each case, less a standard deviation of their mean, and less a run's."""
    mean = chance @ won
    deviation = np.sqrt(np.maximum(chance @ (won * won) - mean * mean, 0) / runs)
    return np.asarray(won - deviation - 1 / runs)


def _factors(won: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(1 + float(LARGEST_STAKE) * won, _LEAST))


def strength(claim: Claim, field: Field) -> float:
    """How strongly runs speak against a claim: the largest estimated growth, or before that the largest distance.

    Args:
        claim: The claim.
        field: What there is to choose from.

    Returns:
        A number to compare by: growth if positive, else how far the best event is from any (between -1 and 0).
    """
    if not len(field):
        return -1.0
    points = [(epsilon, claim.delta_of(epsilon)) for epsilon in claim.points() if claim.delta_of(epsilon) < 1]
    best = float(field.best(factors_at(points), 1).grown.max()) if points else 0.0
    hit, alarm = field.rates[:, :2].sum(axis=1), field.rates[:, [0, 2]].sum(axis=1)
    return best if best > 0 else float((hit - alarm).max()) - 1.0
