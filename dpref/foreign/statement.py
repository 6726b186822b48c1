"""One statement while its runs come in: features, experts, wealth, and what crossed when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from dpref.foreign.claims import Claim
from dpref.foreign.events import Event, candidates
from dpref.foreign.features import FeatureMap, Level, units
from dpref.foreign.outputs import Outputs
from dpref.foreign.process import Bound, Wealth, choose
from dpref.foreign.report import Found, StatementName
from dpref.reals import FloatArray

_SIDES: Final = ("d0", "d1")


class Statement:
    """A claim, tested on outputs as they come.

    Args:
        name: Values, bits or control.
        claim: What is tested.
        grid: The claims of the lower bound, of growing values; none for no bound.
        error: Error probability, exact; the bound has half of it and the verdict's share of the bound the other.
    """

    def __init__(self, name: StatementName, claim: Claim, grid: Sequence[Claim], error: Fraction) -> None:
        self.name, self.claim, self.error = name, claim, error
        self._level: Level = "bits" if name == "bits" else "values"
        self._wealth = Wealth(claim, claim)
        self._bound = Bound(grid, error / 2) if grid else None
        self._past: list[tuple[Outputs, Outputs]] = []
        self._runs = 0
        self._units: FloatArray | None = None
        self._map: FeatureMap | None = None
        self._epoch: list[tuple[FloatArray, FloatArray]] = []
        self._most = 1.0
        self._at: int | None = None
        self._betting = False

    @property
    def refuted(self) -> bool:
        """Whether the wealth has reached the inverse of the error."""
        return self._at is not None

    def learn(self) -> None:
        """The start of an epoch: features and experts are chosen from all earlier runs, and frozen."""
        first, second = (Outputs.concatenate(pair[side] for pair in self._past) for side in (0, 1))
        self._past = [(first, second)]
        if self._units is None:
            self._units = units(Outputs.concatenate([first, second]))
        self._map = FeatureMap.fit(self._level, self._units, first, second)
        found = candidates(self._map.of(first), self._map.of(second))
        experts, staked = choose(self.claim, found, self._runs)
        self._betting = bool(experts)
        if experts:
            self._wealth.begin(experts, staked)
        if self._bound is not None:
            self._bound.begin(found, self._runs)

    def see(self, first: Outputs, second: Outputs, after: int) -> None:
        """More runs, bet on if an epoch has begun.

        Args:
            first: Outputs on d0.
            second: Outputs on d1.
            after: Pairs of runs that have been made by now.
        """
        self._past.append((first, second))
        self._runs += len(first)
        if self._map is None:
            return
        read = self._map.of(first), self._map.of(second)
        self._epoch.append(read)
        if not self._betting:
            return
        self._wealth.see([expert.event.counts(*read) for expert in self._wealth.experts[-1]])
        if self._wealth.log() > math.log(self._most):
            e_value, crosses = self._wealth.certified()
            self._most = max(self._most, e_value)
            if self._at is None and crosses(self.error):
                self._at = after

    def close(self) -> None:
        """The end of an epoch: the lower bound counts its events in all of it."""
        if self._bound is None or not self._epoch:
            self._epoch = []
            return
        known: dict[Event, tuple[int, int, int, int]] = {}

        def counts(event: Event) -> tuple[int, int, int, int]:
            if event not in known:
                each = [event.counts(*read) for read in self._epoch]
                known[event] = (
                    sum(c[0] for c in each),
                    sum(c[1] for c in each),
                    sum(c[2] for c in each),
                    sum(c[3] for c in each),
                )
            return known[event]

        self._bound.end(counts)
        self._epoch = []

    def found(self) -> Found:
        """What there is to report."""
        lower = self._bound.value if self._bound is not None else 0.0
        if self._bound is not None and self.refuted and self._most >= 2 / float(self.error):
            lower = max(lower, float(self.claim.value))
        if self._map is None or not self._wealth.rounds:
            return Found(
                self.name,
                refuted=False,
                e_value=1.0,
                at=None,
                lower=lower,
                event="",
                speaks_for="",
                counts=(0, 0, 0),
                score="",
            )
        last = self._wealth.rounds[-1]
        k = max(range(len(last.bets)), key=lambda i: last.bets[i].share)
        event, (both, hit, alarm, none) = self._wealth.experts[-1][k].event, last.counts[k].tolist()
        return Found(
            self.name,
            refuted=self.refuted,
            e_value=self._most,
            at=self._at,
            lower=lower,
            event=event.words(self._map.names),
            speaks_for=_SIDES[event.speaks_for],
            counts=(both + hit, both + alarm, both + hit + alarm + none),
            score="value",
        )
