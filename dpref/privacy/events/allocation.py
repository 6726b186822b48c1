"""The events of an epoch in which every record takes part in a fixed number of steps: random allocation, shuffling."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, Literal, final

from dpref.checks import natural
from dpref.errors import InvalidArgumentError


@final
@dataclass(frozen=True)
class RandomAllocation:
    """One epoch of t answers, in k of which each record takes part: a uniform choice, independent of other records'.

    With k = 1 every record is thrown into one of t batches ("balls in bins"); how large a batch becomes is random.

    Attributes:
        event: One answer, to the batch of one step.
        steps: t, the answers of the epoch.
        participations: k, in how many of them a record takes part.
        contribution: Under replace-one, ``"ball"`` says that what any record adds to a Gaussian answer is at most half
            of the sensitivity away from what an absent one adds, as after clipping; None says nothing of the kind.
    """

    event: Any
    steps: int
    participations: int = 1
    contribution: Literal["ball"] | None = dataclass_field(default=None, metadata={"silent": True})

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", natural("steps", self.steps, least=1))
        object.__setattr__(self, "participations", natural("participations", self.participations, least=1))
        if self.participations > self.steps:
            raise InvalidArgumentError(
                "participations", self.participations, f"must not exceed the number of steps, {self.steps}"
            )
        if self.contribution not in {"ball", None}:
            raise InvalidArgumentError("contribution", self.contribution, "must be ball, or not be given")

    def __str__(self) -> str:
        stated = f", contribution={self.contribution}" if self.contribution else ""
        return f"random_allocation({self.event}, steps={self.steps}, participations={self.participations}{stated})"


@final
@dataclass(frozen=True)
class Shuffled:
    """One epoch over shuffled records: a fresh uniform order, kept secret, is cut into batches of one fixed size.

    The number of batches and their size are public.  Under add-or-remove-one the last batch has one record less on
    the smaller data set, and as many answers are given; the size is that of the larger one.

    Attributes:
        event: One answer, to one batch.  Its parameters are stated as everywhere: under add-or-remove-one and zero-out
            the sensitivity is how far a record moves the answer to a batch that it joins.
        batches: How many batches there are.
    """

    event: Any
    batches: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "batches", natural("batches", self.batches, least=1))

    def __str__(self) -> str:
        return f"shuffled({self.event}, batches={self.batches})"
