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
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, NamedTuple, Self, final

import numpy as np
from flint import arb

from dpref.foreign.betting import GRAIN, NEGLIGIBLE, STAKES, Integers, Point
from dpref.foreign.cells import Cells
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
    """Bets on the values of one feature and their parts, frozen before the runs that they are about.

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
        if len({bet.event.feature for bet in self.bets}) > 1:
            raise ArithmeticError("a portfolio bets on more than one feature")

    @classmethod
    def alone(cls, event: Event, epsilon: Fraction | None) -> Self:
        """A single bet.

        Args:
            event: On what.
            epsilon: As of a `Bet`.
        """
        return cls((Bet(event, epsilon),), (GRAIN,))

    @property
    def feature(self) -> int:
        """What all events are sets of values of."""
        return self.bets[0].event.feature

    def cases(self, cells: Cells) -> Integers:
        """The case of each pair of cells: bit j is whether event j came up on the accused data set, J + j on the other.

        Args:
            cells: Of the feature, by these events and perhaps others.

        Returns:
            Shape (cells * cells,), as of `Cells.pairs`.
        """
        many = len(cells.inside)
        sides = np.divmod(np.arange(many * many), many)
        found = np.zeros(many * many, dtype=np.int64)
        for j, (event, _) in enumerate(self.bets):
            inside = cells.inside[:, cells.events.index(event)].astype(np.int64)
            found |= inside[sides[event.speaks_for]] << j
            found |= inside[sides[1 - event.speaks_for]] << (len(self.bets) + j)
        return found

    def happened(self, cases: Integers) -> tuple[Integers, Integers]:
        """Which events came up on the accused data set and which on the other, shape (cases, bets) each.

        Args:
            cases: As of `cases`.
        """
        bets = np.arange(len(self.bets))
        return cases[:, None] >> bets & 1, cases[:, None] >> (len(bets) + bets) & 1

    def logs(self, claim: Claim, cases: Integers) -> FloatArray:
        """About the logarithm of what each stake comes to in each case, shape (stakes, cases); nothing rests on it.

        Args:
            claim: What is tested.
            cases: As of `cases`.
        """
        points = np.array([[float(x) for x in bet.point(claim)] for bet in self.bets])
        with np.errstate(over="ignore"):  # against a claim of 710 or more nothing is won
            rate = 1 / (np.exp(points[:, 0]) + points[:, 1])
        delta, (hit, alarm) = points[:, 1], self.happened(cases)
        won = (rate * (hit - delta) - alarm * (1 - rate * delta)) @ (np.array(self.parts) / GRAIN)
        return np.asarray(np.log1p(_U[:, None] * won))


class _Seat(NamedTuple):
    """A portfolio at work.

    Attributes:
        at: Which of the cells are those of its feature.
        cases: Of each pair of cells.
        logs: What each stake comes to in each pair of cells, shape (stakes, cells * cells).
    """

    at: int
    cases: Integers
    logs: FloatArray


@final
@dataclass(frozen=True, eq=False)
class Play:
    """An epoch of some portfolios: what each stakes, and what it saw.

    Attributes:
        claim: What they bet against.
        portfolios: The portfolios.
        shares: Their weights, in units of 1/`GRAIN`, shape (portfolios,).
        stakes: For each the weight of each of `STAKES`, in units of 1/`GRAIN`, shape (portfolios, stakes).
        cells: Of each feature that they bet on.
        seats: How each portfolio reads them.
        counts: Of each feature the runs in each pair of cells, shape (cells * cells,).
    """

    claim: Claim
    portfolios: tuple[Portfolio, ...]
    shares: Integers
    stakes: Integers
    cells: tuple[Cells, ...]
    seats: tuple[_Seat, ...]
    counts: tuple[Integers, ...]

    def __post_init__(self) -> None:
        k = len(self.portfolios)
        if (len(self.shares), self.stakes.shape, len(self.seats)) != (k, (k, len(STAKES)), k):
            raise ArithmeticError("the parts of an epoch do not fit together")
        if min(self.shares.min(), self.stakes.min()) < 0 or max(self.shares.sum(), *self.stakes.sum(axis=1)) > GRAIN:
            raise ArithmeticError("the portfolios stake more than there is")

    @classmethod
    def begin(cls, claim: Claim, portfolios: Sequence[Portfolio], shares: Integers, stakes: Integers) -> Self:
        """Before the first run.

        Args:
            claim: What they bet against.
            portfolios: Chosen from earlier runs.
            shares: Their weights.
            stakes: And those of their stakes.
        """
        features = list(dict.fromkeys(portfolio.feature for portfolio in portfolios))
        events = [[bet.event for p in portfolios if p.feature == feature for bet in p.bets] for feature in features]
        cells, seats = tuple(map(Cells.of, events)), []
        for portfolio in portfolios:
            at = features.index(portfolio.feature)
            cases = portfolio.cases(cells[at])
            seats.append(_Seat(at, cases, portfolio.logs(claim, cases)))
        none = tuple(np.zeros(len(some.inside) ** 2, dtype=np.int64) for some in cells)
        return cls(claim, tuple(portfolios), shares, stakes, cells, tuple(seats), none)

    def after(self, first: FloatArray, second: FloatArray) -> Self:
        """With more runs.

        Args:
            first: Features on d0, shape (n, features).
            second: Features on d1, likewise.
        """
        more = [cells.pairs(first[:, cells.feature], second[:, cells.feature]) for cells in self.cells]
        return replace(self, counts=tuple(map(np.add, self.counts, more)))

    def seen(self, k: int) -> tuple[Integers, Integers]:
        """The cases of a portfolio that came up, sorted, and how often.

        Args:
            k: Which portfolio.
        """
        seat = self.seats[k]
        counted = np.zeros(int(seat.cases.max()) + 1, dtype=np.int64)
        np.add.at(counted, seat.cases, self.counts[seat.at])
        cases = np.flatnonzero(counted)
        return cases, counted[cases]

    def logs(self) -> FloatArray:
        """About the logarithms of the terms of the wealth, shape (portfolios, stakes); nothing rests on them."""
        with np.errstate(divide="ignore"):
            weights = np.log(self.shares / GRAIN)[:, None] + np.log(self.stakes / GRAIN)
        return np.asarray(weights + [seat.logs @ self.counts[seat.at] for seat in self.seats])

    def certified(self, within: float = NEGLIGIBLE) -> arb:
        """What the epoch multiplies the wealth by, a ball whose lower end is a lower end of it.

        Args:
            within: Terms further (in logarithms) below the largest are left out, which makes it no larger.

        >>> from dpref.foreign.claims import DPClaim
        >>> alone, most = Portfolio.alone(Event(0, "above", 0.0, (), 1), None), GRAIN * np.eye(10, dtype=int)[-1:]
        >>> sure = Play.begin(DPClaim(Fraction(0)), [alone], np.array([GRAIN]), most)
        >>> sure.after(np.zeros((10, 1)), np.ones((10, 1))).certified() > 1.9899**10
        True
        """
        logs = self.logs()
        kept = logs > logs.max() - within
        total = arb(0)
        with precision(_BITS):
            for k in np.flatnonzero(kept.any(axis=1)).tolist():
                cases, counted = self.seen(k)
                won, times = _won(self.portfolios[k], self.claim, cases), counted.tolist()
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
