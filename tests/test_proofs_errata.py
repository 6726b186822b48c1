"""Of everything that a specification calls false there is an obligation or a claim, or the reason why there is none."""

from __future__ import annotations

import pytest

from dpref.audit.catalogue import find
from proofs import errata
from proofs.errata import Entry, entries, papers
from proofs.registry import registry


@pytest.mark.parametrize("paper", papers())
def test_every_entry_that_is_no_matter_of_printing_is_settled(paper: str) -> None:
    assert [entry.name for entry in entries(paper) if not entry.settled] == []
    assert all(find(f"{paper}/{claim}").expected for entry in entries(paper) for claim in entry.claims)


def test_reasons_are_given_for_what_has_no_claim_alone() -> None:
    bare = {o for paper in papers() for entry in entries(paper) if not entry.claims for o in entry.obligations}
    assert set(errata.WHY_NO_CLAIM) <= bare


def test_planted_bug_an_entry_without_obligation_or_reason_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Entry("E1", (), (), "").settled
    assert not Entry("E1", (), (), "about utility").settled
    assert not Entry("E1", ("a/E1",), (), "").settled
    known = registry()
    monkeypatch.setattr(errata, "registry", lambda: {k: o for k, o in known.items() if not k.endswith("/E10")})
    assert [entry.name for entry in entries("dp-erm-revisited") if not entry.settled] == ["E10"]
    monkeypatch.undo()
    monkeypatch.setattr(errata, "WHY_NO_CLAIM", {})
    monkeypatch.setattr(errata, "_told", lambda obligation: "")
    assert [entry.name for entry in entries("private-saddle-points") if not entry.settled] == ["E2", "E10"]
    assert [entry.name for entry in entries("dp-erm-revisited") if not entry.settled] == ["E6", "E14"]
