"""The built-in claims: names old and new, what each says of itself, and that each can be built."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from dpref.algorithms.forms import Form
from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue, find, select
from dpref.audit.claim_files import claim_to_json, parse_claims
from dpref.audit.parameters import form_of
from dpref.audit.renamed import RENAMED
from dpref.errors import UnknownClaimError
from tests.effort import part


def test_names_are_unique_and_every_charitable_reading_is_a_claim() -> None:
    names = {claim.id for claim in catalogue()}
    assert len(names) == len(catalogue())
    assert {claim.charitable for claim in catalogue()} - {None} <= names
    assert all(claim.charitable != claim.id for claim in catalogue())


def test_every_built_in_claim_records_a_verdict_says_what_is_claimed_and_how_it_was_read() -> None:
    for claim in catalogue():
        assert claim.expected is not None
        assert claim.statement
        assert claim.reading
        assert claim.obligations


def test_every_built_in_claim_quotes_its_sentence_and_has_a_charitable_reading_where_it_fails() -> None:
    """A claim that judges a transcript instead of the output says so."""
    for claim in catalogue():
        assert claim.quote
        assert claim.place
        if claim.expected != "holds":
            assert claim.charitable is not None, claim.id
            if claim.release == "transcript":
                assert "transcript" in claim.reading.lower(), claim.id


def test_a_charitable_reading_is_never_refuted() -> None:
    readings = {claim.charitable for claim in catalogue() if claim.charitable}
    assert {find(name).expected for name in readings} <= {"holds", "undecided"}


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_old_names_are_understood_with_a_note_for_one_release(old: str) -> None:
    with pytest.warns(FutureWarning, match="the old name ends with the next release"):
        chosen = select([old], catalogue())
    assert {f"{c.paper}/{c.item}@{c.form}" for c in chosen} == {RENAMED[old]}
    if "@" in old:
        with pytest.warns(FutureWarning, match="is now"):
            assert find(f"{old},{chosen[0].adjacency.name}") == chosen[0]
        assert not any(claim.id.startswith(old + ",") for claim in catalogue()), "an old name never means something new"


@pytest.mark.slow
def test_the_obligations_of_the_catalogue_exist() -> None:
    from proofs.registry import registry

    known = set(registry())
    for claim in catalogue():
        assert set(claim.obligations) <= known, claim.id


@pytest.mark.slow
@pytest.mark.parametrize("name", part((claim.id for claim in catalogue()), 60, seed=3))
def test_a_built_in_claim_builds_a_subject_of_its_own_adjacency_and_release(name: str) -> None:
    claim = find(name)
    subject = build(claim)
    assert subject.adjacency is claim.adjacency
    assert subject.release == claim.release
    assert subject.ledger().adjacency is claim.adjacency
    assert all(name and value for name, value in subject.facts().items())
    assert len({witness.name for witness in subject.witnesses(Fraction(1, 10**6))}) <= 2


def test_the_catalogue_survives_json() -> None:
    document = json.dumps({"claims": [claim_to_json(claim) for claim in catalogue()]})
    assert parse_claims(document) == catalogue()


def test_selection_by_leading_parts_keeps_the_order_of_the_names_and_repeats_nothing() -> None:
    one = "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one"
    chosen = select([one, "dp-erm-revisited/definition-3.4"], catalogue())
    assert chosen[0].id == one
    assert len({c.id for c in chosen}) == len(chosen) == 2


def test_an_unknown_name_suggests_its_neighbours() -> None:
    with pytest.raises(UnknownClaimError, match=r"did you mean dynamic-privacy-budget/algorithm-1@as-printed"):
        find("dynamic-privacy-budget/algorithm-1@as-printd,replace-one")
    with pytest.raises(UnknownClaimError, match="--list"):
        select(["?"], catalogue())


@pytest.mark.parametrize("name", ["", "dynamic", "dynamic-privacy-budget/", "dp-erm-revisited/definition-3"])
def test_a_part_that_is_not_a_whole_part_is_unknown(name: str) -> None:
    with pytest.raises(UnknownClaimError):
        select([name], catalogue())


def test_every_built_in_form_is_one_that_builders_know() -> None:
    one = catalogue()[0]
    assert {form_of(claim) for claim in catalogue()} == set(Form)
    assert form_of(replace(one, form="as-printed-epsilon-10.5")) is Form.AS_PRINTED
    assert form_of(replace(one, form="repaired")) is Form.REPAIRED
    assert form_of(replace(one, form="without-range-output")) is Form.AS_PRINTED
