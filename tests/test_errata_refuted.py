"""Every erratum of the two papers of budgets is refuted and names the form that holds, or says here why it is not."""

from __future__ import annotations

from typing import Final

import pytest

from proofs.registry import Obligation, registry
from tests.numbered import ERRATA

SILENT: Final = "The print leaves it out and says nothing false; the obligation says what has to be assumed."
LOOSE: Final = "What is printed holds and is loose; the obligation proves the better constant."
REMARK: Final = "A remark: the paper makes no such claim."
# Errata that are tagged neither typo nor presentation and that nothing refutes, with the reason.
NOT_REFUTED: Final = {
    "dp-erm-revisited": {
        "E12": LOOSE,
        "E13": LOOSE,
        "E27": "An entry counts iterations where the column counts gradients; what its source counts is not proved.",
        "E28": LOOSE,
        "E29": SILENT,
        "E32": SILENT,
        "E33": "Two readings of a noise whose unit is not printed; the obligation gives the cost of both.",
        "E34": SILENT,
    },
    "dynamic-privacy-budget": {
        "T8": REMARK,
        "T9": REMARK,
        "T10": REMARK,
        "T14": REMARK,
        "T23": REMARK,
        "T25-prior-rows": "Open: the print does not show what the earlier papers state; the obligation says more.",
        "T26": REMARK,
    },
}
TAGGED: Final = {
    "dp-erm-revisited": ERRATA["dp-erm-revisited"],
    "dynamic-privacy-budget": (
        *(f"T{n}" for n in range(1, 28) if n not in (11, 12, 16, 22, 24)),
        *("T4f", "T16a", "T16b", "T25-prior-rows"),
    ),
}


def unexplained(paper: str, known: dict[str, Obligation]) -> list[str]:
    """Errata that are absent, or neither refuted with a repaired form nor excused, or excused although refuted."""
    wrong = []
    for name in TAGGED[paper]:
        found = known.get(f"{paper}/{name}")
        refuted = found is not None and found.refutes and bool(found.repaired_by)
        if found is None or refuted == (name in NOT_REFUTED[paper]):
            wrong.append(name)
    return wrong


@pytest.mark.parametrize("paper", TAGGED)
def test_every_erratum_is_refuted_and_repaired_or_says_why_not(paper: str) -> None:
    assert unexplained(paper, dict(registry())) == []
    assert set(NOT_REFUTED[paper]) <= set(TAGGED[paper])


@pytest.mark.parametrize("paper", TAGGED)
def test_an_erratum_that_loses_its_obligation_is_found(paper: str) -> None:
    name = TAGGED[paper][0]
    assert unexplained(paper, {k: o for k, o in registry().items() if k != f"{paper}/{name}"}) == [name]
