r"""One statement of an audit: its experts, its bets, and the lower bound that goes with it.

**Lower bound.**  Each value $\theta_1<\theta_2<\dots$ of a grid of the claimed quantity has a wealth of its own.  With
$L_t=\theta_j$, j the largest index such that all of $1..j$ have reached $1/\alpha$ by time t, $L_t$ ever reaches the
true value with probability at most $\alpha$: the first grid value at or above the truth is a true claim, and to pass it
it must be rejected.  Eight neighbouring values share their experts and bets, and are certified together where that
suffices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from dpref.foreign.betting import (
    Bet,
    Point,
    Round,
    bets,
    certified_wealth,
    crossed,
    e_value,
    log_factors,
    log_wealth,
)
from dpref.foreign.claims import Claim
from dpref.foreign.events import EXPERTS, Candidates, Event, best
from dpref.reals import FloatArray, float_down

SHARED: Final = 8  # neighbouring grid values with the same experts
_ALMOST: Final = 1e-6  # by which doubles must pass the threshold before a ball is asked


class Expert(NamedTuple):
    """An event, and the point of the claim's curve that it speaks against.

    Attributes:
        event: The event.
        epsilon: Of the point; None where it is the claim's own epsilon.
    """

    event: Event
    epsilon: Fraction | None


def points_of(claim: Claim) -> list[Point]:
    """The points of a claim that runs can speak against.

    Args:
        claim: The claim.
    """
    found = [(epsilon, claim.delta_of(epsilon)) for epsilon in claim.points()]
    return [point for point in found if point[1] < 1]


def _point(claim: Claim, epsilon: Fraction | None) -> Point:
    at = claim.value if epsilon is None else epsilon
    return at, claim.delta_of(at)


@dataclass
class Wealth:
    """The wealth against every claim between two, epoch by epoch.

    Attributes:
        least: The least claim.
        largest: The largest one; the same for a single claim.
        experts: Those of each epoch.
        rounds: What they staked and saw.
    """

    least: Claim
    largest: Claim
    experts: list[list[Expert]] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)

    def begin(self, experts: list[Expert], staked: tuple[Bet, ...]) -> None:
        """A new epoch.

        Args:
            experts: Who bets in it.
            staked: How.
        """
        self.experts.append(experts)
        self.rounds.append(Round(staked, np.zeros((len(staked), 4), dtype=np.int64)))

    def see(self, counts: Sequence[tuple[int, int, int, int]]) -> None:
        """More runs of the epoch.

        Args:
            counts: Of each expert's event.
        """
        now = self.rounds[-1]
        self.rounds[-1] = Round(now.bets, now.counts + np.array(counts, dtype=np.int64).reshape(-1, 4))

    def log(self) -> float:
        """About its logarithm, against the largest claim."""
        points = [[_point(self.largest, e.epsilon) for e in experts] for experts in self.experts]
        return log_wealth(self.rounds, [[(float(a), float(b)) for a, b in at] for at in points])

    def certified(self) -> tuple[float, Callable[[Fraction], bool]]:
        """Its lower end, and whether that is at least the inverse of an error."""
        points = [
            [(_point(self.least, e.epsilon), _point(self.largest, e.epsilon)) for e in experts]
            for experts in self.experts
        ]
        wealth = certified_wealth(self.rounds, points)
        return e_value(wealth), lambda error: crossed(wealth, error)

    def passes(self, error: Fraction) -> bool:
        """Whether it is certainly at least the inverse of an error.

        Args:
            error: Exact.
        """
        return self.log() > _ALMOST - math.log(error) and self.certified()[1](error)


def choose(claim: Claim, found: Sequence[Candidates], runs: int) -> tuple[list[Expert], tuple[Bet, ...]]:
    """The experts against a claim, and their bets.

    Args:
        claim: The claim.
        found: What there is to choose from.
        runs: How many runs it was counted on.
    """
    chosen: list[tuple[float, Expert, FloatArray]] = []
    own = len(claim.points()) == 1
    for epsilon, delta in points_of(claim):
        factors = log_factors(float(epsilon), float(delta))
        for event, grown in best(found, runs, factors):
            chosen.append((float(grown.max()), Expert(event, None if own else epsilon), grown))
    top = sorted(chosen, key=lambda one: -one[0])[:EXPERTS]
    if not top:
        return [], ()
    return [expert for _, expert, _ in top], bets(np.array([grown for _, _, grown in top]), runs)


class Bound:
    r"""The lower bound: a wealth for each group of neighbouring values of a grid.

    Args:
        grid: Claims of growing values.
        error: $\alpha$, exact.
    """

    def __init__(self, grid: Sequence[Claim], error: Fraction) -> None:
        self._error = error
        self._groups = [list(grid[i : i + SHARED]) for i in range(0, len(grid), SHARED)]
        self._wealth = [Wealth(group[0], group[-1]) for group in self._groups]
        self._passed = [[False] * len(group) for group in self._groups]
        self._betting = [False] * len(self._groups)

    @property
    def value(self) -> float:
        """The largest value up to which all have been passed, rounded down; zero if none has."""
        last = 0.0
        for group, passed in zip(self._groups, self._passed, strict=True):
            for claim, has in zip(group, passed, strict=True):
                if not has:
                    return last
                last = float_down(claim.value)
        return last

    def begin(self, found: Sequence[Candidates], runs: int) -> None:
        """A new epoch: the groups that are not passed choose their experts.

        Args:
            found: What there is to choose from.
            runs: How many runs it was counted on.
        """
        for i, (wealth, passed) in enumerate(zip(self._wealth, self._passed, strict=True)):
            experts, staked = ([], ()) if all(passed) else choose(wealth.largest, found, runs)
            self._betting[i] = bool(experts)
            if experts:
                wealth.begin(experts, staked)

    def end(self, counts: Callable[[Event], tuple[int, int, int, int]]) -> None:
        """The end of an epoch: what the events came to, and who is passed.

        Args:
            counts: Of an event, in the epoch.
        """
        for wealth, group, passed, betting in zip(self._wealth, self._groups, self._passed, self._betting, strict=True):
            if not betting:
                continue
            wealth.see([counts(expert.event) for expert in wealth.experts[-1]])
            if wealth.passes(self._error):
                passed[:] = [True] * len(group)
                continue
            for i, claim in enumerate(group):
                alone = Wealth(claim, claim, wealth.experts, wealth.rounds)
                passed[i] = passed[i] or alone.passes(self._error)
