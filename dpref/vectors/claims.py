"""The claims of papers, with what is certified about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue, find
from dpref.audit.claim_files import claim_to_json
from dpref.audit.known import certified
from dpref.vectors.family import PASSES, Family, Judged, Question, Result, ends, number, paragraphs, said
from dpref.vectors.fields import INTERVAL

HEADER: Final = paragraphs("""
Each test gives a claim of a paper as a claims file has it: an algorithm with its parameters, an adjacency, what is
released, and the loss that is claimed (rho, or epsilon at a delta).

certified holds the true loss; verdict (holds, refuted or undecided) is what follows from it, or what runs of the
algorithm have shown where it leaves the question open.

valid: holds and refuted must not be taken for one another; an upper bound must not lie below certified.lower, a lower
bound not above certified.upper.
""")

_QUESTION: Final = (
    "id",
    "paper",
    "item",
    "form",
    "adjacency",
    "algorithm",
    "parameters",
    "claimed",
    "release",
    "delta",
)
_FLAGS: Final = {"holds": "PaperHolds", "refuted": "PaperRefuted"}


def questions() -> Iterator[Question]:
    """One question for each claim of the catalogue."""
    for claim in catalogue():
        entry = claim_to_json(claim)
        flag = _FLAGS.get(str(claim.expected), "PaperUndecided")
        given = {"claim": {name: entry[name] for name in _QUESTION}}
        yield Question(topic=claim.paper, comment=claim.statement or claim.id, flags=(flag,), given=given)


def answer(given: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """What is certified about a claim of the catalogue.

    Raises:
        ValueError: If the catalogue's claim of that name is another one, or its recorded verdict is not what follows.
    """
    claim = find(given["claim"]["id"])
    entry = claim_to_json(claim)
    if any(entry[name] != given["claim"][name] for name in _QUESTION):
        raise ValueError(f"{claim.id} is another claim in the catalogue")
    known = certified(claim, build(claim)).loss
    claimed = claim.claimed.value
    follows = "holds" if claimed >= known.upper else "refuted" if claimed < known.lower else "undecided"
    if claim.expected != follows != "undecided":
        raise ValueError(f"{claim.id} is recorded as {claim.expected}, and {follows} follows")
    return {"verdict": claim.expected or follows, "certified": ends(known.lower, known.upper)}


def judge(test: Mapping[str, Any], answered: Any) -> Judged:
    """What is said of a verdict, or of bounds on a loss.

    Args:
        test: Of a file.
        answered: ``"holds"``, ``"refuted"``, ``"undecided"``, or ``upper`` and ``lower`` by name.
    """
    if isinstance(answered, Mapping):
        low, high = (number(test["certified"][end]) for end in ("lower", "upper"))
        if "upper" in answered and said(answered["upper"]) < low:
            return Judged("fails", f"upper bound {answered['upper']} lies below {test['certified']['lower']}")
        if "lower" in answered and said(answered["lower"]) > high:
            return Judged("fails", f"lower bound {answered['lower']} lies above {test['certified']['upper']}")
        return PASSES
    if {answered, test["verdict"]} == {"holds", "refuted"}:
        return Judged("fails", f"{answered} is said of a claim that is {test['verdict']}")
    return PASSES if answered == test["verdict"] else Judged("loose", f"{answered}; {test['verdict']} is proved")


FAMILY: Final = Family(
    name="claims",
    kind="ClaimTest",
    header=HEADER,
    questions=questions,
    answer=answer,
    judge=judge,
    given={"claim": {"type": "object", "required": list(_QUESTION)}},
    required=("claim",),
    answers={"verdict": {"enum": ["holds", "refuted", "undecided"]}, "certified": INTERVAL},
)
