"""One statement while its runs come in: features, experts, wealth, and what crossed when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from dpref.foreign.betting import crossed, e_value
from dpref.foreign.claims import Claim, rounded_down
from dpref.foreign.events import Event, Field
from dpref.foreign.features import FeatureMap, Level, units
from dpref.foreign.outputs import Outputs
from dpref.foreign.portfolios import Play
from dpref.foreign.process import Bound
from dpref.foreign.report import Found, StatementName
from dpref.foreign.scores import CALLER, VALUE, Score, fit
from dpref.foreign.wealth import Shared, certified
from dpref.reals import FloatArray

SIDES: Final = ("d0", "d1")
_SLACK: Final = 1e-9
_ALMOST: Final = 1e-6  # by which doubles may miss the threshold and a ball is asked all the same


@dataclass(frozen=True, eq=False)
class Reading:
    """How an epoch reads outputs: features, and scores made of them; fixed by earlier runs.

    Attributes:
        features: The features.
        scores: The scores.
    """

    features: FeatureMap
    scores: Sequence[Score] = ()

    def of(self, outputs: Outputs) -> FloatArray:
        """Features and scores, shape (n, features + scores).

        Args:
            outputs: n outputs.
        """
        read = self.features.of(outputs)
        return np.column_stack([read, *(score.of(read) for score in self.scores)]) if self.scores else read

    def names(self) -> list[str]:
        """Of the columns."""
        return [*self.features.names, *(score.name for score in self.scores)]

    def score(self, column: int) -> str:
        """Which score a column belongs to.

        Args:
            column: Which one.
        """
        beyond = column - len(self.features.names)
        if beyond >= 0:
            return self.scores[beyond].name
        return CALLER if self.features.is_given(column) else VALUE


class Statement:
    """A claim, tested on outputs as they come.

    Args:
        name: Values, bits or control.
        claim: What is tested.
        grid: The claims of the lower bound, of growing values; none for no bound.
        error: Error probability, exact.
        most: The largest value that could be shown.
        learn: Whether a classifier is fitted.
        scored: Whether the caller's scores come with each output.
        seed: Of the classifier.
    """

    def __init__(
        self,
        name: StatementName,
        claim: Claim,
        grid: Sequence[Claim],
        error: Fraction,
        *,
        most: float = math.inf,
        learn: bool = False,
        scored: bool = False,
        seed: int = 0,
    ) -> None:
        self.name: StatementName = name
        self.claim: Claim = claim
        self.error: Fraction = error
        self._learn, self._scored, self._seed = learn, scored, seed
        self._wealth = Shared(claim, 2 if learn else 1)
        # The bound is wrong if either a value of its grid or, at half the error, the claim itself is wrongly passed.
        self._bound = Bound(grid, error / 2, most) if grid else None
        self._past: list[tuple[Outputs, Outputs]] = []
        self._units: FloatArray | None = None
        self._reading: Reading | None = None
        self._epoch: list[tuple[FloatArray, FloatArray]] = []
        self._best_log = 0.0
        self._best: tuple[tuple[Play, ...], ...] = ()
        self._at: int | None = None
        self._surely = False

    @property
    def refuted(self) -> bool:
        """Whether the wealth has reached the inverse of the error."""
        return self._at is not None

    def learn(self) -> None:
        """The start of an epoch: features, scores and experts are chosen from all earlier runs, and frozen."""
        first, second = (Outputs.concatenate(pair[side] for pair in self._past) for side in (0, 1))
        self._past = [(first, second)]
        if self._units is None:
            self._units = units(Outputs.concatenate([first, second]))
        level: Level = "bits" if self.name == "bits" else "values"
        features = FeatureMap.fit(level, self._units, first, second, scored=self._scored)
        read = features.of(first), features.of(second)
        found = Field(*read)
        cut = len(first) * 2 // 3  # scores are fitted on what comes before, and their events chosen on what comes after
        scores = fit(read[0][:cut], read[1][:cut], learn=self._learn, seed=self._seed)
        for k, score in enumerate(scores):
            if score.learned:
                self._wealth.begin(0, found)
            found.extend(len(features.names) + k, *(score.of(side[cut:])[:, None] for side in read))
        self._reading = Reading(features, scores)
        for part in range(any(score.learned for score in scores), len(self._wealth.parts)):
            self._wealth.begin(part, found)
        if self._bound is not None:
            self._bound.begin(found, self.claim)

    def see(self, first: Outputs, second: Outputs, after: int) -> None:
        """More runs, bet on if an epoch has begun.

        Args:
            first: Outputs on d0.
            second: Outputs on d1.
            after: Pairs of runs that have been made by now.
        """
        self._past.append((first, second))
        if self._reading is None or not len(first):
            return
        read = self._reading.of(first), self._reading.of(second)
        if self._bound is not None:
            self._epoch.append(read)
        log = self._wealth.see(*read)
        if log > self._best_log + _SLACK:
            self._best_log, self._best = log, self._wealth.plays()
            if not self._surely and log > -math.log(self.error) - _ALMOST:
                wealth = certified(self._best)
                self._surely = crossed(wealth, self.error / 2)
                if self._at is None and crossed(wealth, self.error):
                    self._at = after

    def close(self) -> None:
        """The end of an epoch: the lower bound counts its events in all of it."""
        if self._bound is not None and self._epoch:
            read = tuple(np.concatenate([pair[side] for pair in self._epoch]) for side in (0, 1))
            known: dict[Event, tuple[int, int, int, int]] = {}

            def counts(event: Event) -> tuple[int, int, int, int]:
                return known.setdefault(event, event.counts(*read)) if event not in known else known[event]

            self._bound.end(counts)
        self._epoch = []

    def lower(self) -> float:
        """The lower bound on what is claimed."""
        if self._bound is None:
            return 0.0
        return max(self._bound.value, rounded_down(self.claim.value) if self._surely else 0.0)

    @property
    def unread(self) -> tuple[str, ...]:
        """The texts that are mostly new, so that what they say is not looked at."""
        return () if self._reading is None else self._reading.features.unread

    def found(self) -> Found:
        """What there is to report."""
        if self._reading is None or not any(self._wealth.plays()):
            return Found(self.name, refuted=False, e_value=1.0, at=None, lower=self.lower())
        (event, _), counts = self._wealth.strongest.strongest()
        return Found(
            self.name,
            refuted=self.refuted,
            e_value=max(1.0, e_value(certified(self._best))),
            at=self._at,
            lower=self.lower(),
            event=event.words(self._reading.names()),
            more_often_on=SIDES[event.speaks_for],
            counts=counts,
            score=self._reading.score(event.feature),
        )
