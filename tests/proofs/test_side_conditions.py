"""Each side condition of the kernel's rules has a false certificate that it refuses, or a reason why there is none."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

from proofs import kernel as k
from proofs.terms import Claim, Rejected
from property_tests import side_conditions
from property_tests.analysis_condition_certificates import ALONE, COVERED, UNJUSTIFIED
from property_tests.ball_points import Reader, at_point
from property_tests.false_theorems import NESTED
from property_tests.harmless_conditions import HARMLESS
from property_tests.side_conditions import conditions, kernel_without

RECORDED: Final = "replay: same"  # without it the fact is true, and the certificate records another claim


def accepted(kernel: Any, certificate: Mapping[str, Any], *, recorded: bool = True) -> str:
    """Why a kernel does not accept a certificate; nothing where it does."""
    try:
        fact = kernel.replay(certificate)
    except Exception as error:  # noqa: BLE001 - the copy has a `Rejected` of its own
        return str(error) or type(error).__name__
    assert (json.dumps(kernel.encode(tuple(fact.claim))) == json.dumps(certificate["claim"])) is recorded
    return ""


def uncovered(names: set[str]) -> set[str]:
    """Conditions that have no entry, or more than one, and entries that have no condition."""
    entries = [*ALONE, *COVERED, *HARMLESS]
    return (names ^ set(entries)) | {e for e in entries if entries.count(e) > 1}


def test_every_condition_of_the_source_has_one_entry_and_every_entry_its_condition() -> None:
    assert uncovered({*conditions()}) == set()


def test_planted_bug_a_condition_that_comes_or_goes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    source = ast.unparse(side_conditions.TREES["kernel"])
    more = source.replace("require(anchor in ('lo', 'hi'),", "require(f != g and anchor in ('lo',),")
    assert more != source
    monkeypatch.setitem(side_conditions.TREES, "kernel", ast.parse(more))
    changed = {*conditions.__wrapped__()}
    gone, come = "monotone: anchor in ('lo', 'hi')", {"monotone: f != g", "monotone: anchor in ('lo',)"}
    assert uncovered(changed) == {gone, *come}


@pytest.mark.parametrize("name", ALONE)
def test_planted_bug_a_kernel_without_the_condition_accepts_what_is_false(name: str) -> None:
    certificate = ALONE[name]
    with pytest.raises(Rejected):
        k.replay(certificate)
    assert accepted(kernel_without(name), certificate, recorded=name != RECORDED) == ""


@pytest.mark.parametrize("name", COVERED)
def test_planted_bug_a_kernel_without_the_condition_and_those_that_repeat_it_accepts_it(name: str) -> None:
    others, certificate = COVERED[name]
    with pytest.raises(Rejected):
        k.replay(certificate)
    assert accepted(kernel_without(name), certificate)
    assert accepted(kernel_without(name, *others), certificate) == ""


@pytest.mark.parametrize("name", [n for n, h in HARMLESS.items() if h.certificate])
def test_without_the_condition_an_attempt_fails_or_proves_what_is_true(name: str) -> None:
    _, certificate, said = HARMLESS[name]
    assert certificate is not None
    with pytest.raises(Rejected):
        k.replay(certificate)
    found = accepted(kernel_without(name), certificate)
    assert re.search(said, found) if said else found == ""
    if not said:
        assert verdicts(certificate) == {"true"}


def test_a_copy_of_the_kernel_refuses_all_of_them() -> None:
    copied = kernel_without()
    for certificate in [*ALONE.values(), *(c.certificate for c in COVERED.values())]:
        assert accepted(copied, certificate)


def verdicts(certificate: Mapping[str, Any], kernel: Any = k, enough: frozenset[str] = frozenset()) -> set[str]:
    """What points of its box say of a claim, up to one that says enough; a refutation's claim is what it refutes."""
    claim, rng, said = Claim(*kernel.decode(certificate["claim"])), random.Random(0), set[str]()
    for _ in range(300 if enough else 40):
        reader = Reader(claim, rng)
        said.add(at_point(claim, claim.relation.removeprefix("not "), reader, reader.somewhere(rng)))
        if said & enough:
            break
    return said


@pytest.mark.parametrize("name", [n for n in ALONE if n not in UNJUSTIFIED])
def test_what_passes_without_a_condition_is_false(name: str) -> None:
    certificate, kernel = ALONE[name], kernel_without(name, NESTED)  # to read a head inside another too
    if certificate["claim"][1].startswith("not"):  # that there is a point where something fails
        assert verdicts(certificate, kernel) == {"true"}
    else:
        enough = frozenset(("false", "undefined"))
        assert verdicts(certificate, kernel, enough) & enough
