"""What an audit of a callable found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, final

from dpref.foreign.claims import Claim
from dpref.foreign.digits import down, short_down, short_up
from dpref.privacy.interval import Interval
from dpref.units import Adjacency

Outcome: TypeAlias = Literal["refuted", "not refuted", "error"]
StatementName: TypeAlias = Literal["values", "bits", "control"]

Bits: TypeAlias = Literal["report", "refute", "off"]

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
        more_often_on: The data set on which the event is too frequent.
        counts: How often it came up there, how often on the other, and in how many runs.
        score: Which score it is an event of.
    """

    name: StatementName
    refuted: bool
    e_value: float
    at: int | None
    lower: float
    event: str = ""
    more_often_on: str = ""
    counts: tuple[int, int, int] = (0, 0, 0)
    score: str = ""

    def words(self) -> str:
        """The statement for a terminal."""
        hits, alarms, runs = self.counts
        if not self.event:
            return "not refuted; there was nothing to bet on"
        seen = f"{self.event} in {hits} of {runs} runs on {self.more_often_on}, {alarms} on the other"
        when = f"refuted after {self.at} pairs" if self.refuted else "not refuted"
        return f"{when}, wealth {short_down(self.e_value, 3)} ({seen}; score: {self.score})"

    def to_json(self) -> dict[str, Any]:
        """The statement as JSON."""
        hits, alarms, runs = self.counts
        return {
            "refuted": self.refuted,
            "e_value": finite(self.e_value),
            "after": self.at,
            "lower": finite(self.lower),
            "event": self.event,
            "more_often_on": self.more_often_on,
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
        pair: The name of the pair of data sets, if it has one.
        trials: Pairs of runs that were made.
        error: Probability with which a correct callable is refuted, at most; and with which the control errs.
        seed: Of all runs.
        lower: Lower bound on the claimed quantity, by the values.
        ceiling: What this many runs could have shown at most.
        needed: The least number of pairs of runs that could refute the claim; None if no number could.
        statements: Values, bits, control.
        score: The score that the values' event belongs to.
        warnings: What a reader should know.
        declared: What a ledger of the user's own says, if there is one; not checked.
        differ: The records in which the data sets differ, where they can be told.
        bits: What was made of the low-order bits.
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
    differ: str = ""
    bits: Bits = "report"

    def statement(self, name: StatementName) -> Found | None:
        """The statement of that name, if there is one.

        Args:
            name: ``"values"``, ``"bits"`` or ``"control"``.
        """
        return next((found for found in self.statements if found.name == name), None)

    def lines(self) -> list[str]:
        """The verdict for a terminal."""
        name = self.claim.parameter
        differ = f" (they differ in {self.differ})" if self.differ else ""
        rows = [
            ("verdict", f"{self.outcome}: {self.reason}"),
            ("claimed", f"{self.claim} under {self.adjacency.name}"),
            ("pair", f"{self.pair or 'as given'}{differ}"),
            ("runs", f"{self.trials} pairs, seed {self.seed}, error {float(self.error):g} {self._whose()}"),
        ]
        if self.outcome != "error":
            rows.append((name, f"at least {down(self.lower, 2)}; these runs could have shown {down(self.ceiling, 2)}"))
            rows.append(("needed", self._needs()))
        rows += [(found.name, found.words()) for found in self.statements]
        if self.declared is not None:
            ends = f"{short_down(self.declared.lower, 6)}, {short_up(self.declared.upper, 6)}"
            rows.append((DECLARED, f"{self.declared.quantity} in [{ends}]"))
        rows += [("warning", warning) for warning in self.warnings]
        return [self.target, *(f"  {label:<10} {text}" for label, text in rows)]

    def _whose(self) -> str:
        if self.bits != "refute":
            return "of each statement"
        half = float(each_error(self.error, self.bits))
        return f"of a refutation ({half:g} by the values, {half:g} by the bits) and of the control"

    def _needs(self) -> str:
        if self.needed is None:
            return "no number of runs could refute this claim"
        return f"{self.needed} pairs of runs at the least, to refute this claim by an event that is never wrong"

    def to_json(self) -> dict[str, Any]:
        """The verdict as JSON: numbers are rounded down, and none is infinite."""
        return {
            "target": self.target,
            "verdict": self.outcome,
            "reason": self.reason,
            "claimed": self.claim.to_json(),
            "adjacency": self.adjacency.name,
            "pair": {"name": self.pair, "differ": self.differ},
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
            else {
                "quantity": self.declared.quantity,
                "lower": finite(self.declared.lower),
                "upper": finite(self.declared.upper),
                "status": DECLARED,
            },
        }


def each_error(error: Fraction, bits: Bits) -> Fraction:
    """The error of each of the statements that may refute, which together have one.

    Args:
        error: Together.
        bits: Whether there is another one beside that of the values.

    >>> each_error(Fraction(1, 1000), "refute"), each_error(Fraction(1, 1000), "report")
    (Fraction(1, 2000), Fraction(1, 1000))
    """
    return error / 2 if bits == "refute" else error


def finite(x: float) -> float | None:
    """A number as JSON can hold it.

    Args:
        x: Perhaps infinite.
    """
    return x if math.isfinite(x) else None
