"""The obligations of the paper on private online Frank-Wolfe: all are registered, and few are open."""

from __future__ import annotations

import pytest

from proofs import Report, Row
from proofs.registry import registry

PAPER = "private-online-frank-wolfe"
NUMBERED = (*(f"PO-{n}" for n in range(1, 56)), "PO-46b")
# Errata that are no matter of printing.
ERRATA = tuple(f"E-{n}" for n in (*range(1, 24), *range(25, 30), 31, 33, 34, 42, 44, 45))
SUPPLEMENTS = ("S-7", "S-9", "S-10", "S-11", "A-7", "A-8")


@pytest.fixture(scope="module")
def own(report: Report) -> dict[str, Row]:
    return {row.id.partition("/")[2]: row for row in report.rows if row.paper == PAPER}


def test_every_numbered_obligation_and_every_erratum_is_registered(own: dict[str, Row]) -> None:
    assert [name for name in (*NUMBERED, *ERRATA, *SUPPLEMENTS) if name not in own] == []


def test_at_most_one_in_twenty_is_open_and_every_open_one_says_what_was_tried(own: dict[str, Row]) -> None:
    unknown = [row for name, row in own.items() if row.status == "open"]
    assert len(unknown) <= len(own) / 20
    assert all(registry()[row.id].open_because for row in unknown)


def test_an_erratum_that_is_refuted_has_a_witness_and_a_repaired_form(own: dict[str, Row]) -> None:
    refuted = {name: row for name, row in own.items() if name in ERRATA and row.status == "refuted"}
    assert {f"E-{n}" for n in (1, 2, 4, 6, 8, 9, 10, 11, 13, 14, 15, 17, 21, 22, 23, 42, 45)} <= set(refuted)
    assert [name for name, row in refuted.items() if not (row.witness and row.repaired_by)] == []
