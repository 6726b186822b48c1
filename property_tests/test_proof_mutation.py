"""Certificates altered by the thousand: each is rejected, or proves something else that is true."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import random
from typing import Any

import pytest

from proofs import kernel as k
from proofs.check import CERTIFICATES
from proofs.terms import Claim, Rejected
from property_tests.certificate_mutants import SECONDS, TooSlow, campaign, facts, limited, mutate
from property_tests.kernel_numbers import counterexample, is_witness
from tests.effort import part

MUTANTS = 100  # a seed; ``nox -s certificate_mutants`` judges 20,000
FOLDERS = sorted(p.name for p in CERTIFICATES.iterdir() if p.is_dir())


@pytest.fixture(scope="module")
def committed() -> list[tuple[str, dict[str, Any]]]:
    return facts()


@pytest.mark.slow
@pytest.mark.parametrize("seed", part(range(6), 2))
def test_a_changed_certificate_is_rejected_or_proves_something_true(
    seed: int, committed: list[tuple[str, dict[str, Any]]]
) -> None:
    rng = random.Random(seed)
    rejected = other = 0
    for _ in range(MUTANTS):
        name, original = rng.choice([(n, f) for n, f in committed if f["rule"] != "axiom"])
        mutant = {**original, **mutate({"rule": original["rule"], "args": original["args"]}, rng)}
        if mutant == original:
            continue
        try:
            with limited(SECONDS):
                fact = k.decode({"fact": {"rule": mutant["rule"], "args": mutant["args"]}})
        except TooSlow:
            continue
        except Exception:  # noqa: BLE001 - replay turns whatever a malformed certificate raises into Rejected
            rejected += 1
            with pytest.raises(Rejected):
                k.replay(mutant)
            continue
        if k.encode(tuple(fact.claim)) == original["claim"]:
            continue
        other += 1
        with pytest.raises(Rejected, match="another claim"):
            k.replay(mutant)
        if fact.rule == "refute":
            assert is_witness(fact.claim, fact.args[3]), (name, fact.claim)
        elif "axiom" not in fact.rules():
            assert counterexample(fact.claim, rng) is None, (name, fact.claim)
    assert rejected > MUTANTS // 2
    assert other > 0


@pytest.mark.slow
def test_a_sample_of_the_campaign_finds_no_hole() -> None:
    """Certificates and goals; the whole run is ``python -m property_tests.certificate_mutants --count 20000``."""
    lines: list[str] = []
    counts = campaign(130, seed=0, points=40, log=lines.append)
    assert lines == []
    assert counts.total() == 130
    assert counts["accepted, true"] > 3
    assert counts["rejected"] > 65


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_committed_claim_is_true_at_random_points(
    folder: str, committed: list[tuple[str, dict[str, Any]]]
) -> None:
    """The claims as they are written down; tests/test_proofs.py replays that they are what the rules prove."""
    here = [(name, fact) for name, fact in committed if name.startswith(folder + "/")]
    for name, fact in part(here, -(-len(here) // 4)):
        claim = Claim(*k.decode(fact["claim"]))
        if fact["rule"] == "refute":
            assert is_witness(claim, k.decode(fact["args"][3])), name
        elif fact["rule"] != "axiom":
            assert counterexample(claim, random.Random(name), samples=4) is None, name


def test_the_second_reading_finds_a_false_claim(committed: list[tuple[str, dict[str, Any]]]) -> None:
    fact = k.replay(dict(committed)["zcdp/log-below-line[0]"])
    false = fact.claim._replace(expr=-fact.claim.expr - 1)
    assert counterexample(false, random.Random(0)) is not None
