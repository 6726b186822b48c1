"""What is asked of the obligations of every paper: all are registered, few are open, and those say what was tried."""

from __future__ import annotations

import pytest

from proofs import Report
from proofs.registry import registry
from tests.numbered import ERRATA, NUMBERED, REFUTED


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_obligation_and_every_erratum_is_registered(paper: str, report: Report) -> None:
    known = {row.id for row in report.rows}
    assert [name for name in (*NUMBERED[paper], *ERRATA[paper]) if f"{paper}/{name}" not in known] == []


@pytest.mark.parametrize("paper", NUMBERED)
def test_at_most_one_in_twenty_is_open_and_every_open_one_says_what_was_tried(paper: str, report: Report) -> None:
    own = [row for row in report.rows if row.paper == paper]
    unknown = [row for row in own if row.sentence == "open"]
    assert len(unknown) <= len(own) / 20
    assert all(registry()[row.id].open_because for row in unknown)


@pytest.mark.parametrize("paper", NUMBERED)
def test_an_erratum_that_is_refuted_has_a_witness_and_a_repaired_form(paper: str, report: Report) -> None:
    own = {row.id.partition("/")[2]: row for row in report.rows if row.paper == paper}
    refuted = {name for name in (*ERRATA[paper], *REFUTED[paper]) if own[name].formulas == "refuted"}
    assert refuted == REFUTED[paper]
    assert [name for name in refuted if not (own[name].witness and own[name].repaired_by)] == []
