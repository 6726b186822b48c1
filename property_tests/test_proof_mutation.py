"""Certificates altered by the thousand: each is rejected, or proves something else that is true."""
# ruff: noqa: S311 - samples, not secrets

from __future__ import annotations

import random
from typing import Any

import pytest

from proofs import kernel as k
from proofs.terms import Claim, Rejected
from property_tests.certificate_mutants import SECONDS, TooSlow, campaign, facts, limited, mutate
from property_tests.kernel_numbers import counterexample, is_witness

MUTANTS = 600  # in the suite; ``nox -s certificate_mutants`` judges 20,000
FACTS = facts()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_changed_certificate_is_rejected_or_proves_something_true(seed: int) -> None:
    rng = random.Random(seed)
    rejected = other = 0
    for _ in range(MUTANTS // 6):
        name, original = rng.choice([(n, f) for n, f in FACTS if f["rule"] != "axiom"])
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
    assert rejected > MUTANTS // 12
    assert other > 0


@pytest.mark.slow
def test_a_sample_of_the_campaign_finds_no_hole() -> None:
    """Certificates and goals; the whole run is ``python -m property_tests.certificate_mutants --count 20000``."""
    lines: list[str] = []
    counts = campaign(90, seed=0, points=40, log=lines.append)
    assert lines == []
    assert counts.total() == 90
    assert counts["accepted, true"] > 3
    assert counts["rejected"] > 45


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fact"), FACTS, ids=[n for n, _ in FACTS])
def test_every_committed_claim_is_true_at_random_points(name: str, fact: dict[str, Any]) -> None:
    """The claim as it is written down; tests/test_proofs.py replays that it is what the rules prove."""
    claim = Claim(*k.decode(fact["claim"]))
    if fact["rule"] == "refute":
        assert is_witness(claim, k.decode(fact["args"][3]))
    elif fact["rule"] != "axiom":
        assert counterexample(claim, random.Random(name), samples=4) is None


def test_the_second_reading_finds_a_false_claim() -> None:
    fact = k.replay(dict(FACTS)["zcdp/log-below-line[0]"])
    false = fact.claim._replace(expr=-fact.claim.expr - 1)
    assert counterexample(false, random.Random(0)) is not None
