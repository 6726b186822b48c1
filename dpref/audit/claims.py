"""A privacy claim: an algorithm, what is said about it, and what we found.

A claim is named ``paper/item@form,adjacency``.  The form says which reading is audited: ``as-printed``, ``repaired``,
or one of these with a suffix where one printed statement is audited at several settings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, final

from dpref.audit.empirical import check_trials
from dpref.audit.subjects import RELEASES, Release
from dpref.checks import half_open_unit, one_of, open_unit, positive_rational, runnable
from dpref.errors import InvalidArgumentError
from dpref.units import ZCDP, Adjacency, ApproximateDP, PrivacyLoss, PureDP

Outcome: TypeAlias = Literal["holds", "refuted", "undecided"]
Parameter: TypeAlias = Fraction | int | str

OUTCOMES: Final[tuple[Outcome, ...]] = ("holds", "refuted", "undecided")
MOST_QUOTED: Final = 39  # words of a quotation
DEFAULT_DELTA: Final = Fraction(1, 100_000)

_SLUG: Final = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")


@final
@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a paper (or a user) says about the privacy of an algorithm.

    Attributes:
        paper: Short name of the paper, a slug.
        item: The item of the paper, a slug: ``algorithm-1``, ``theorem-6.1``.
        form: Which reading: ``as-printed``, ``repaired``, or one of these with a suffix.
        adjacency: The neighbouring relation under which the claim is audited.
        algorithm: Name of the subject's builder (see `dpref.audit.builders`).
        parameters: The builder's parameters, exact numbers or text.
        claimed: The claimed loss: zCDP, or (epsilon, delta)-DP, where delta may be 0 (pure DP is kept as that); its
            adjacency is the claim's.
        release: What is released: the final output, or every noisy answer.
        delta: The delta at which epsilons are shown beside a zCDP claim; of an (epsilon, delta) claim its own delta.
        expected: The recorded verdict, if there is one.
        obligations: Ids of the proof obligations that the verdict rests on.
        quote: The sentence that is judged, in the paper's words, fewer than 40.
        place: Where it stands.
        statement: What is claimed, in one sentence, with the numbers that are audited.
        reading: How it was read, and what the verdict means.
        charitable: Id of the claim that reads the same statement in the paper's favour, if that is another one.
        trials: Runs on each data set where the default number is too few for the recorded verdict, or too slow.
    """

    paper: str
    item: str
    form: str
    adjacency: type[Adjacency]
    algorithm: str
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: MappingProxyType({}))
    claimed: PrivacyLoss[Any, Any]
    release: Release = "transcript"
    delta: Fraction = DEFAULT_DELTA
    expected: Outcome | None = None
    obligations: tuple[str, ...] = ()
    quote: str = ""
    place: str = ""
    statement: str = ""
    reading: str = ""
    charitable: str | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        for name in ("paper", "item", "form", "algorithm"):
            if not _SLUG.fullmatch(getattr(self, name)):
                raise InvalidArgumentError(
                    name, getattr(self, name), "must be lower-case letters and digits, joined by '-' or '.'"
                )
        if self.claimed.measure is PureDP:
            pure = PrivacyLoss(self.claimed.value, ApproximateDP, self.claimed.adjacency, Fraction(0))
            object.__setattr__(self, "claimed", pure)
        if self.claimed.measure not in {ZCDP, ApproximateDP}:
            raise InvalidArgumentError("claimed", self.claimed, "must be a zCDP, a pure or an (epsilon, delta) loss")
        if self.claimed.adjacency is not self.adjacency:
            raise InvalidArgumentError("claimed", self.claimed, f"must be stated under {self.adjacency.name}")
        runnable("claimed", positive_rational("claimed", self.claimed.value))
        if self.claimed.measure is ApproximateDP:
            object.__setattr__(self, "delta", self.claimed.delta)
        runnable("delta", (open_unit if self.is_zcdp else half_open_unit)("delta", self.delta))
        for name, value in self.parameters.items():
            if not isinstance(value, str):
                runnable(f"parameters.{name}", value)
        one_of("release", self.release, RELEASES)
        if self.expected is not None:
            one_of("expected", self.expected, OUTCOMES)
        if self.trials is not None:
            check_trials(self.trials)
        self._check_words()
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def _check_words(self) -> None:
        for name in ("quote", "place", "statement", "reading"):
            if not getattr(self, name).isprintable():  # a lone surrogate is in no file, a control character in no line
                raise InvalidArgumentError(name, getattr(self, name), "must be one line of printable characters")
        if len(self.quote.split()) > MOST_QUOTED:
            raise InvalidArgumentError("quote", self.quote, f"must have at most {MOST_QUOTED} words")
        if bool(self.quote) != bool(self.place):
            raise InvalidArgumentError("place", self.place, "must be given with a quotation, and only with one")

    @property
    def id(self) -> str:
        """``paper/item@form,adjacency``."""
        return f"{self.paper}/{self.item}@{self.form},{self.adjacency.name}"

    @property
    def is_zcdp(self) -> bool:
        """Whether the claim is in zCDP (and not in (epsilon, delta))."""
        return self.claimed.measure is ZCDP
