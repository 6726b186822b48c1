"""What an audit of a callable found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, final

from dpref.foreign.claims import Claim
from dpref.privacy.interval import Interval
from dpref.units import Adjacency

Outcome: TypeAlias = Literal["refuted", "not refuted", "error"]
StatementName: TypeAlias = Literal["values", "bits", "control"]

DECLARED: str = "declared, not checked"


@final
@dataclass(frozen=True)
class Found:
    """One of the three statements of an audit.

    Attributes:
        name: What it is about.
        refuted: Whether its wealth reached the inverse of the error.
        e_value: The largest wealth that was certified, rounded down.
        at: After how many pairs of runs it was reached; None if it was not.
        lower: Lower bound on the claimed quantity; zero if there is none.
        event: The event that weighs most, in words.
        speaks_for: The data set on which the event is too frequent.
        counts: How often it came up there, how often on the other, and in how many runs.
        score: Which score it is an event of.
    """

    name: StatementName
    refuted: bool
    e_value: float
    at: int | None
    lower: float
    event: str
    speaks_for: str
    counts: tuple[int, int, int]
    score: str

    def to_json(self) -> dict[str, Any]:
        """The statement as JSON."""
        hits, alarms, runs = self.counts
        return {
            "refuted": self.refuted,
            "e_value": finite(self.e_value),
            "after": self.at,
            "lower": finite(self.lower),
            "event": self.event,
            "more_often_on": self.speaks_for,
            "counts": {"there": hits, "on_the_other": alarms, "runs": runs},
            "score": self.score,
        }


@final
@dataclass(frozen=True)
class Judgement:
    """The verdict on a callable: refuted, not refuted, or an error; it never holds.

    Attributes:
        outcome: The verdict.
        reason: One line that says why.
        target: The callable.
        claim: What was claimed.
        adjacency: The neighbouring relation.
        pair: The pair of data sets, in words.
        trials: Pairs of runs that were made.
        error: Error probability of each statement.
        seed: Of all runs.
        lower: Lower bound on the claimed quantity, by the values.
        ceiling: What this many runs could have shown at most.
        needed: The least number of pairs of runs that could refute the claim; None if no number could.
        statements: Values, bits, control.
        score: The score that the values' event belongs to.
        warnings: What a reader should know.
        declared: What a ledger of the user's own says, if there is one; not checked.
    """

    outcome: Outcome
    reason: str
    target: str
    claim: Claim
    adjacency: type[Adjacency]
    pair: str
    trials: int
    error: Fraction
    seed: int
    lower: float = 0.0
    ceiling: float = 0.0
    needed: int | None = None
    statements: tuple[Found, ...] = ()
    score: str = ""
    warnings: tuple[str, ...] = ()
    declared: Interval | None = None

    def statement(self, name: StatementName) -> Found | None:
        """The statement of that name, if there is one.

        Args:
            name: ``"values"``, ``"bits"`` or ``"control"``.
        """
        return next((found for found in self.statements if found.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """The verdict as JSON: numbers are rounded down, and none is infinite."""
        return {
            "target": self.target,
            "verdict": self.outcome,
            "reason": self.reason,
            "claimed": self.claim.to_json(),
            "adjacency": self.adjacency.name,
            "pair": self.pair,
            "empirical": {
                "lower": finite(self.lower),
                "parameter": self.claim.parameter,
                "confidence": str(1 - self.error),
                "trials": self.trials,
                "seed": self.seed,
            },
            "ceiling": finite(self.ceiling),
            "needed": self.needed,
            "trials": self.trials,
            "seed": self.seed,
            "score": self.score,
            "statements": {found.name: found.to_json() for found in self.statements},
            "warnings": list(self.warnings),
            "declared": None
            if self.declared is None
            else {"lower": finite(self.declared.lower), "upper": finite(self.declared.upper), "status": DECLARED},
        }


def finite(x: float) -> float | None:
    """A number as JSON can hold it.

    Args:
        x: Perhaps infinite.
    """
    return x if math.isfinite(x) else None
