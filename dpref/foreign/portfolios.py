r"""A portfolio of bets: one wealth that is put on several events at once, and what it comes to.

A bet j is an event, an order of the data sets and a point of the claim; by `dpref.foreign.betting` its payoff Z_j has
a conditional mean of at most zero under the claim, and is at least $-(e^{\varepsilon_j}+\delta_j)$.  A portfolio gives
it a part $p_j\ge0$ of what is staked, with $\sum_jp_j\le1$, and multiplies its wealth in every run by

$$1+u\sum_jp_j\frac{Z_j}{e^{\varepsilon_j}+\delta_j}\;\ge\;1-u\;>\;0.$$

The mean of this factor is at most one because means add: that takes the laws of the two outputs of a run one at a
time, so neither must the events be disjoint nor the two runs of a pair independent.  An average of wealths becomes the
best of them; a portfolio is what its bets win together: where both tails of an answer speak against the claim, in
opposite orders, it grows faster than a bet on either, up to twice as fast; and bets on several thresholds are one bet
whose payoff rises in steps.

Only counts enter: how many runs had which *case*, that is which of the events had happened on the accused data set and
which on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple, Self, final

import numpy as np
from flint import arb

from dpref.foreign.betting import GRAIN, NEGLIGIBLE, STAKES, Integers, Point
from dpref.foreign.claims import Claim
from dpref.foreign.events import Event
from dpref.reals import FloatArray, ball, precision

MOST_BETS: Final = 8  # of a portfolio, so that a case is a number below 2**16
_BITS: Final = 128
_U: Final = np.array([float(u) for u in STAKES])


class Bet(NamedTuple):
    """An event, and the point of the claim's curve that it speaks against.

    Attributes:
        event: The event.
        epsilon: Of the point; None where it is the claim's own epsilon.
    """

    event: Event
    epsilon: Fraction | None

    def point(self, claim: Claim) -> Point:
        """Epsilon and delta that a claim implies.

        Args:
            claim: The claim.
        """
        at = claim.value if self.epsilon is None else self.epsilon
        return at, claim.delta_of(at)


@final
@dataclass(frozen=True)
class Portfolio:
    """Bets and their parts, frozen before the runs that they are about.

    Attributes:
        bets: At most `MOST_BETS`.
        parts: Of the stake, in units of 1/`GRAIN`.
    """

    bets: tuple[Bet, ...]
    parts: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.bets) == len(self.parts) <= MOST_BETS:
            raise ArithmeticError("the parts of a portfolio do not fit together")
        if min(self.parts) < 0 or sum(self.parts) > GRAIN:
            raise ArithmeticError("a portfolio stakes more than there is")

    @classmethod
    def alone(cls, event: Event, epsilon: Fraction | None) -> Self:
        """A single bet.

        Args:
            event: On what.
            epsilon: As of a `Bet`.
        """
        return cls((Bet(event, epsilon),), (GRAIN,))

    def cases(self, first: FloatArray, second: FloatArray) -> Integers:
        """The case of each run: bit j is whether event j came up on the accused data set, bit J + j on the other.

        Args:
            first: Features on d0, shape (n, features).
            second: Features on d1, likewise.
        """
        found = np.zeros(len(first), dtype=np.int64)
        for j, (event, _) in enumerate(self.bets):
            sides = event.of(first), event.of(second)
            found |= sides[event.speaks_for].astype(np.int64) << j
            found |= sides[1 - event.speaks_for].astype(np.int64) << (len(self.bets) + j)
        return found

    def happened(self, cases: Integers) -> tuple[Integers, Integers]:
        """Which events came up on the accused data set and which on the other, shape (cases, bets) each.

        Args:
            cases: As of `cases`.
        """
        bets = np.arange(len(self.bets))
        return cases[:, None] >> bets & 1, cases[:, None] >> (len(bets) + bets) & 1

    def log_growth(self, claim: Claim, cases: Integers, times: Integers) -> FloatArray:
        """About the logarithm of what each stake comes to, shape (stakes,); nothing rests on it.

        Args:
            claim: What is tested.
            cases: Distinct ones.
            times: How often each came up.
        """
        points = np.array([[float(x) for x in bet.point(claim)] for bet in self.bets])
        with np.errstate(over="ignore"):  # against a claim of 710 or more nothing is won
            rate = 1 / (np.exp(points[:, 0]) + points[:, 1])
        delta, (hit, alarm) = points[:, 1], self.happened(cases)
        won = (rate * (hit - delta) - alarm * (1 - rate * delta)) @ (np.array(self.parts) / GRAIN)
        return np.asarray(np.log1p(_U[:, None] * won) @ times)


@final
@dataclass(frozen=True, eq=False)
class Play:
    """An epoch of some portfolios: what each stakes, and what it saw.

    Attributes:
        portfolios: The portfolios.
        shares: Their weights, in units of 1/`GRAIN`, shape (portfolios,).
        stakes: For each the weight of each of `STAKES`, in units of 1/`GRAIN`, shape (portfolios, stakes).
        cases: Of each portfolio the cases that came up, sorted.
        times: Of each portfolio how often.
    """

    portfolios: tuple[Portfolio, ...]
    shares: Integers
    stakes: Integers
    cases: tuple[Integers, ...]
    times: tuple[Integers, ...]

    def __post_init__(self) -> None:
        k = len(self.portfolios)
        if (len(self.shares), self.stakes.shape, len(self.cases), len(self.times)) != (k, (k, len(STAKES)), k, k):
            raise ArithmeticError("the parts of an epoch do not fit together")
        if min(self.shares.min(), self.stakes.min()) < 0 or max(self.shares.sum(), *self.stakes.sum(axis=1)) > GRAIN:
            raise ArithmeticError("the portfolios stake more than there is")

    @classmethod
    def begin(cls, portfolios: Sequence[Portfolio], shares: Integers, stakes: Integers) -> Self:
        """Before the first run.

        Args:
            portfolios: Chosen from earlier runs.
            shares: Their weights.
            stakes: And those of their stakes.
        """
        none = (np.empty(0, dtype=np.int64),) * len(portfolios)
        return cls(tuple(portfolios), shares, stakes, none, none)

    def after(self, first: FloatArray, second: FloatArray) -> Self:
        """With more runs.

        Args:
            first: Features on d0, shape (n, features).
            second: Features on d1, likewise.
        """
        cases, times = [], []
        for portfolio, known, before in zip(self.portfolios, self.cases, self.times, strict=True):
            counted = np.bincount(portfolio.cases(first, second), minlength=int(known.max(initial=-1)) + 1)
            counted[known] += before
            cases.append(np.flatnonzero(counted))
            times.append(counted[cases[-1]])
        return type(self)(self.portfolios, self.shares, self.stakes, tuple(cases), tuple(times))

    def logs(self, claim: Claim) -> FloatArray:
        """About the logarithms of the terms of the wealth, shape (portfolios, stakes); nothing rests on them.

        Args:
            claim: What is tested.
        """
        with np.errstate(divide="ignore"):
            weights = np.log(self.shares / GRAIN)[:, None] + np.log(self.stakes / GRAIN)
        parts = zip(self.portfolios, self.cases, self.times, strict=True)
        return np.asarray(weights + [portfolio.log_growth(claim, *seen) for portfolio, *seen in parts])

    def certified(self, claim: Claim, within: float = NEGLIGIBLE) -> arb:
        """What the epoch multiplies the wealth by, a ball whose lower end is a lower end of it.

        Args:
            claim: What is tested.
            within: Terms further (in logarithms) below the largest are left out, which makes it no larger.

        >>> from dpref.foreign.claims import DPClaim
        >>> alone = Portfolio.alone(Event(0, "above", 0.0, (), 1), None)
        >>> sure = Play.begin([alone], np.array([GRAIN]), GRAIN * np.eye(10, dtype=int)[-1:])
        >>> sure.after(np.zeros((10, 1)), np.ones((10, 1))).certified(DPClaim(Fraction(0))) > 1.9899**10
        True
        """
        logs = self.logs(claim)
        kept = logs > logs.max() - within
        total = arb(0)
        with precision(_BITS):
            for k in np.flatnonzero(kept.any(axis=1)).tolist():
                won = _won(self.portfolios[k], claim, self.cases[k])
                times = self.times[k].tolist()
                for i in np.flatnonzero(kept[k]).tolist():
                    term, stake = arb(int(self.shares[k]) * int(self.stakes[k, i])) / (GRAIN * GRAIN), ball(STAKES[i])
                    for gain, count in zip(won, times, strict=True):
                        term *= (1 + stake * gain) ** count
                    total += term
            return total


def _won(portfolio: Portfolio, claim: Claim, cases: Integers) -> list[arb]:
    """What a stake of one wins in each case, in balls."""
    hit, alarm = [], []
    for bet, part in zip(portfolio.bets, portfolio.parts, strict=True):
        epsilon, delta = (ball(x) for x in bet.point(claim))
        rate, share = 1 / (epsilon.exp() + delta), arb(part) / GRAIN
        hit.append((share * rate * (0 - delta), share * rate * (1 - delta)))
        alarm.append((arb(0), share * (1 - rate * delta)))
    found = []
    for hits, alarms in zip(*(side.tolist() for side in portfolio.happened(cases)), strict=True):
        won = arb(0)
        for j, (has_hit, has_alarm) in enumerate(zip(hits, alarms, strict=True)):
            won += hit[j][has_hit] - alarm[j][has_alarm]
        found.append(won)
    return found
