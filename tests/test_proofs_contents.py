"""The whole paper is registered: every numbered obligation, every erratum, every item and every row of its tables."""

from __future__ import annotations

import pytest

from proofs import Report, Row
from proofs.citations import CITATIONS
from proofs.papers.dynamic_privacy_budget import PAPER, contents
from proofs.registry import registry

Rows = dict[str, Row]

# Errata of the specification with several parts are one obligation each, or one for each part.
ERRATA = (
    *(f"T{n}" for n in range(1, 28) if n != 16),
    *("T4f", "T16a", "T16b", "T25-prior-rows", "printed-rho", "printed-budget", "lemma-C.7-as-printed"),
)
# (what is false as printed, what holds): the headline errata.
REPAIRED = {
    "T4": "theorem-4.6-C",
    "printed-rho": "zcdp/rho-of-epsilon",
    "printed-budget": "zcdp/rho-of-epsilon",
    "T16b": "equation-15-repaired",
    "T19": "stability",
    "lemma-C.7-as-printed": "lemma-C.7",
    "T21": "PO-57",
}
NUMBERED = (
    "Theorem 3.5", "Theorem 4.2", "Theorem 4.3", "Lemma 4.4", "Theorem 4.5", "Theorem 4.6", "Theorem 4.7",
    "Theorem 4.8", "Theorem 4.9", "Theorem 4.10", "Theorem 4.11", "Theorem 4.13", "Theorem 4.14", "Algorithm 1",
    "Lemma C.1", "Lemma C.3", "Lemma C.4", "Lemma C.5", "Lemma C.6", "Lemma C.7", "Lemma C.8", "Definition C.2",
    "Definition 3.4", "Definition 4.1", "Definition 4.12", "Table 1", "Table 2",
)  # fmt: skip


@pytest.fixture(scope="module")
def rows(report: Report) -> Rows:
    return {row.id: row for row in report.rows}


@pytest.fixture(scope="module")
def own(rows: Rows) -> list[Row]:
    return [row for row in rows.values() if row.paper == PAPER.name]


def test_every_numbered_obligation_and_every_erratum_is_registered(rows: Rows, own: list[Row]) -> None:
    wanted = [*(f"PO-{n}" for n in range(1, 62)), *ERRATA]
    assert [name for name in wanted if contents.identifier(name) not in rows] == []
    assert len(own) >= 61


def test_at_most_one_in_twenty_is_open_and_every_open_one_says_why(own: list[Row]) -> None:
    unknown = [row for row in own if row.sentence == "open"]
    assert len(unknown) <= len(own) / 20
    assert all(registry()[row.id].open_because for row in unknown)


def test_every_erratum_that_is_refuted_has_a_witness_and_a_repaired_form(own: list[Row]) -> None:
    for row in own:
        if row.formulas == "refuted":
            assert row.witness, row.id
            assert row.repaired_by, row.id


def test_the_headline_errata_are_repaired_by_what_is_at_least_proved_in_part(rows: Rows) -> None:
    for printed, repaired in REPAIRED.items():
        row = rows[contents.identifier(printed)]
        assert row.formulas == "refuted"
        assert row.repaired_by == contents.identifier(repaired)
        assert rows[row.repaired_by].formulas in ("proved", "certified", "by construction", "proved in part"), row.id


def test_what_is_only_tested_says_why(own: list[Row]) -> None:
    assert all(registry()[row.id].not_proved for row in own if row.sentence == "tested")


def test_every_item_of_the_paper_is_listed_with_obligations_that_exist(rows: Rows) -> None:
    for item in contents.ITEMS:
        assert item.obligations
        for name in item.obligations:
            assert contents.identifier(name) in rows, (item.name, name)
    listed = " ; ".join(item.name for item in contents.ITEMS)
    assert [name for name in NUMBERED if name not in listed] == []


def test_every_obligation_of_the_paper_is_on_the_list_of_items(own: list[Row]) -> None:
    listed = {contents.identifier(name) for item in contents.ITEMS for name in item.obligations}
    assert [row.id for row in own if row.id not in listed] == []


def test_every_row_of_the_tables_names_what_was_checked(rows: Rows) -> None:
    assert (len(contents.TABLE_1), len(contents.TABLE_2)) == (10, 13)
    for row in (*contents.TABLE_1, *contents.TABLE_2):
        assert row.verdict
        assert all(contents.identifier(name) in rows for name in row.obligations)
        printed_wrong = row.verdict.startswith("False")
        statuses = {rows[contents.identifier(name)].formulas for name in row.obligations}
        assert not printed_wrong or "refuted" in statuses


def test_shared_topics_are_there(rows: Rows) -> None:
    topics = ("zcdp/to-dp", "gaussian/privacy-curve", "exponential-mechanism/pure-dp", "smooth/co-coercivity",
              "smooth/strong-convexity-gives-pl", "smooth/descent", "sensitivity/replace-one")  # fmt: skip
    assert set(topics) <= set(rows)
    assert all(o.citation in CITATIONS for o in registry().values())
