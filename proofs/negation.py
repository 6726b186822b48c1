"""A printed privacy statement that is false, with the Coq theorem that is its negation: what is said of it.

`proofs.negations` has the statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from dpref.audit.claims import Claim

# Words that several negations share.
REPLACE: Final = "replace-one"
SIGNS: Final = "records are signs s, the loss is s G x; n plus signs against n - 1 plus signs and a minus"
HALF_LINE: Final = "the output lies on the far side of the one data set's mean, moved by u standard deviations"
LARGE: Final = (
    "normal_cdf u against at most exp(-(gap - u)^2 / 2) / 2, the gap in standard deviations growing like epsilon"
)
FAR: Final = "the output lies a times the gap beyond the other data set's mean, a the order"
EXACT_TAILS: Final = "normal_cdf(-(a - 1) gap) against normal_cdf(-a gap), at a large order a"


@dataclass(frozen=True)
class Negation:
    """A printed statement and the theorem that it is false.

    Attributes:
        statement: What is printed, in our words: paper, place, sentence.
        adjacency: Which data sets are neighbours.
        file: The source of the theorem, without ``.v``.
        theorem: Its name: the negation of the statement.
        stronger: Theorems that say more: for which parameters it fails.
        instance: Data sets, loss and release.
        event: The event that tells the data sets apart.
        probabilities: What it has under the one data set and under the other.
        claims: Claims of the catalogue that it settles: ``paper/item`` for all refuted forms, or ``paper/item@form``.
        obligations: Obligations about the same statement: refuted ones, and those that its claims name.
        numbers: By theorem: a claim, and the names of its parameters whose values stand in the theorem.
    """

    statement: str
    adjacency: str
    file: str
    theorem: str
    instance: str
    event: str
    probabilities: str
    claims: tuple[str, ...] = ()
    obligations: tuple[str, ...] = ()
    stronger: tuple[str, ...] = ()
    numbers: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=lambda: MappingProxyType({}))


def settles(pattern: str, claim: Claim) -> bool:
    """Whether a pattern of `Negation.claims` means this claim.

    Args:
        pattern: ``paper/item`` for every form, or ``paper/item@form``.
        claim: The claim.
    """
    named = f"{claim.paper}/{claim.item}"
    return pattern in {named, f"{named}@{claim.form}"}
