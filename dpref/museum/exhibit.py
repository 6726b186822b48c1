"""What an exhibit of the museum is: the smallest code that makes a published mistake, and the same code without it.

Three kinds, by what shows the mistake.  A `Release` returns an output, and runs on a pair of data sets show it; an
`Accounting` reports a number, and a certified interval shows it; a `Loop` makes steps on given noise, and the first
step that differs shows it.  Every exhibit carries the evidence against its broken form: a witness event, an event of
the accountants, or the place of the first difference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias, final

from numpy.random import Generator
from numpy.typing import NDArray

from dpref.foreign.claims import Claim, DPClaim
from dpref.reals import FloatArray
from dpref.units import Adjacency

BugClass: TypeAlias = Literal[
    "accountant",
    "adjacency",
    "calibration",
    "composition",
    "data-dependent parameter",
    "floating-point sensitivity",
    "mechanism",
    "NaN",
    "no noise",
    "noise reuse",
    "rounding of noise",
    "sampling",
    "sensitivity",
    "state",
]
Level: TypeAlias = Literal["values", "bits", "safe", "accountant", "transcript"]
HELD_OUT: Final = 3  # one exhibit in so many is kept from whoever tunes an auditor


@final
@dataclass(frozen=True)
class Source:
    """Where a mistake was described, and how much of that was read.

    Attributes:
        address: Of the thread or the paper.
        read: The whole thread, or of a paper its abstract.
    """

    address: str
    read: Literal["thread", "abstract"] = "thread"


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """What all kinds have in common.

    Attributes:
        id: Never changes.
        title: What the broken form does, as a sentence.
        bug_class: What kind of mistake it is.
        sources: Where it was described.
        level: What shows it: the values or the low-order bits of an output, an accountant, a transcript; or ``"safe"``:
            wrong, or taken for wrong, and no violation of the claim.
    """

    id: str
    title: str
    bug_class: BugClass
    sources: tuple[Source, ...]
    level: Level

    @property
    def held_out(self) -> bool:
        """Whether it is kept from whoever tunes an auditor: a third of them, by a hash of the id."""
        return hashlib.sha256(self.id.encode()).digest()[0] % HELD_OUT == 0


@final
@dataclass(frozen=True, kw_only=True)
class Release(Exhibit):
    """A mistake that outputs show.

    Attributes:
        broken: ``(data, rng) -> output``.
        fixed: The same without the mistake.
        d0: A data set, an array with a row for each record.
        d1: Its neighbour.
        adjacency: How they are related.
        claim: What both forms claim.
        witness: The event that shows the mistake, as a predicate of outputs; none for safe ones.
        likely: The data set on which the event is the likelier.
        at: The epsilon of the statement against which the event speaks; for a `DPClaim` its own.
        trials: Runs on either data set that suffice for the witness.
    """

    broken: Callable[[Any, Generator], Any]
    fixed: Callable[[Any, Generator], Any]
    d0: NDArray[Any]
    d1: NDArray[Any]
    adjacency: type[Adjacency]
    claim: Claim
    witness: Callable[[Any], bool] | None = None
    likely: Literal[0, 1] = 1
    at: Fraction | None = None
    trials: int = 2_000
    level: Level = "values"

    @property
    def statement(self) -> tuple[Fraction, Fraction]:
        """The epsilon and the delta that the witness speaks against."""
        if self.at is not None:
            return self.at, self.claim.delta_of(self.at)
        if not isinstance(self.claim, DPClaim):
            message = f"{self.id} needs the epsilon of its witness"
            raise TypeError(message)
        return self.claim.epsilon, self.claim.delta


@final
@dataclass(frozen=True, kw_only=True)
class Accounting(Exhibit):
    """A mistake that an accountant shows.

    Attributes:
        broken: What is run, as an event expression, and the epsilon that is reported for it.
        fixed: The same without the mistake.
        delta: At which epsilon is reported.
        adjacency: Of the report.
    """

    broken: Callable[[], tuple[str, float]]
    fixed: Callable[[], tuple[str, float]]
    delta: Fraction
    adjacency: type[Adjacency]
    level: Level = "accountant"


Steps: TypeAlias = list[dict[str, FloatArray]]


@final
@dataclass(frozen=True, kw_only=True)
class Loop(Exhibit):
    """A mistake that a transcript shows.

    Attributes:
        broken: ``(data, tape) -> steps``, each the quantities of a step by name, in causal order.
        fixed: The same without the mistake.
        data: The records.
        tape: Unit noise, a row a step.
        differs: The first step and its first quantity in which the broken form is not the fixed one.
    """

    broken: Callable[[FloatArray, FloatArray], Steps]
    fixed: Callable[[FloatArray, FloatArray], Steps]
    data: FloatArray
    tape: FloatArray
    differs: tuple[int, str]
    level: Level = "transcript"
