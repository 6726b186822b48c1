"""What is known of a claim before any run: every accountant is asked where the quick ones leave it open, for a time."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from dpref.audit import known
from dpref.audit.builders import build
from dpref.audit.catalogue import find
from dpref.audit.verdict import audit
from dpref.errors import PrecisionError
from dpref.privacy.accountant import Outcome
from dpref.privacy.interval import Interval
from dpref.units import ReplaceOne

CLAIM = "dp-erm-revisited/theorem-6.1@repaired,replace-one"


def interval(low: float, high: float) -> Interval:
    return Interval(low, high, "epsilon", "a test", 53, ReplaceOne)


def upper(monkeypatch: pytest.MonkeyPatch, quick: tuple[float, float], patient: tuple[float, float] | None) -> Any:
    """The upper end of a claim of epsilon 1 where accountants answer so; None for one that must not be asked."""

    def surveyed(*_: object, **__: object) -> tuple[Outcome, ...]:
        assert patient is not None, "the quick answer decides"
        return Outcome("quick", interval(*quick)), Outcome("slow", interval(*patient)), Outcome("none", None, "no")

    monkeypatch.setattr(known, "certify", lambda *_, **__: interval(*quick))
    monkeypatch.setattr(known, "survey", surveyed)
    claim = find(CLAIM)
    assert claim.claimed.value == 1
    return known.certified(claim, build(claim)).loss.upper


def test_an_open_claim_is_put_to_every_accountant(monkeypatch: pytest.MonkeyPatch) -> None:
    assert upper(monkeypatch, (0.9, 1.1), (0.8, 0.99)) == Fraction(0.99)
    assert upper(monkeypatch, (0.9, 1.1), (0.8, 1.2)) == Fraction(1.1)


def test_planted_bug_an_accountant_that_contradicts_another_makes_no_claim_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(PrecisionError, match="disjoint"):
        upper(monkeypatch, (0.9, 1.1), (0.1, 0.5))


@pytest.mark.parametrize("quick", [(0.9, 1.0), (1.01, 1.1)])
def test_a_claim_that_the_quick_answer_decides_is_put_to_nobody_else(
    quick: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert upper(monkeypatch, quick, None) == quick[1]


def test_a_claim_that_a_witness_refutes_is_put_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def surveyed(*_: object, **__: object) -> tuple[Outcome, ...]:
        pytest.fail("the witness decides")

    monkeypatch.setattr(known, "survey", surveyed)
    claim = find("dp-erm-revisited/remark-4.1@as-printed,replace-one")
    found = known.certified(claim, build(claim)).loss
    assert found.lower > claim.claimed.value


def test_accountants_that_are_stopped_leave_a_wide_answer_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")
    in_time = audit(claim, trials=100)
    monkeypatch.setattr(known, "SECONDS", 1e-9)
    stopped = audit(claim, trials=100)
    assert (in_time.outcome, stopped.outcome) == ("holds", "undecided")
    assert stopped.certified.upper == math.inf
    assert "processor time" in stopped.facts["certified upper end"]
    assert "certified upper end" not in in_time.facts


@pytest.mark.slow
def test_noise_that_the_slower_accountant_found_is_certified_by_it() -> None:
    claim = find("dp-erm-revisited/theorem-4.1@repaired-accountant,replace-one")
    assert known.certified(claim, build(claim)).loss.upper <= claim.claimed.value
