"""Whose word counts: only what the library derived is certified; delta = 0; what runs can show is said beforehand."""

from __future__ import annotations

import html
import io
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue, find
from dpref.audit.claim_files import VERDICT_SCHEMA, claim_to_json, parse_claims
from dpref.audit.claims import Claim
from dpref.audit.empirical import estimate
from dpref.audit.gaussian_mechanism import GaussianMechanismSubject
from dpref.audit.known import Ends
from dpref.audit.provenance import is_derived
from dpref.audit.report import render
from dpref.audit.subjects import Neighbour
from dpref.audit.subjects import Subject as AnySubject
from dpref.audit.terminal import reach_lines, show, up
from dpref.audit.verdict import DECLARED, Verdict, audit, judge, runs
from dpref.audit.verdict_json import verdict_to_json
from dpref.documents import violations
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.custom import Custom, FinitePair
from dpref.privacy.events.ledger import Compose, Gaussian, Laplace, RandomizedResponse
from dpref.reals import FloatArray
from dpref.units import ApproximateDP, PrivacyLoss, PureDP, ReplaceOne
from tests.test_audit_verdict import Subject, approximate, judged, nothing, seen, zcdp


def declares(rho: Fraction = Fraction(1, 2), **fields: Any) -> Verdict:
    """The verdict on a foreign subject, which declares sigma = 1 unless told otherwise."""
    subject = Subject(**fields)
    return judge(zcdp(rho), subject, seen(subject))


def test_half_the_declared_noise_is_never_judged_holds() -> None:
    """The trap: a ledger that promises sigma = 1, a run that adds 1/2."""
    verdict = declares(std=0.5)
    assert verdict.outcome == "refuted"
    assert verdict.evidence == ("empirical",)
    assert verdict.alarms == ()
    assert verdict.notes[0].startswith("the subject's ledger and witnesses are declared, not checked")
    assert "spends more than its ledger says" in verdict.notes[1]
    loose = declares(Fraction(4), std=0.5)  # more than its runs show
    assert (loose.outcome, loose.evidence) == ("undecided", ())


def test_an_honest_foreign_subject_is_undecided_and_told_why() -> None:
    verdict = declares()
    assert verdict.outcome == "undecided"
    assert verdict.certified == verdict.epsilon == Ends(Fraction(0), math.inf)
    assert verdict.declared is not None
    assert verdict.declared.loss == Ends(Fraction(1, 2), Fraction(1, 2))
    assert len(verdict.notes) == 1
    document = verdict_to_json(verdict)
    assert document["provenance"] == DECLARED == "declared, not checked"
    assert document["declared"] == {"lower": "0.5", "upper": "0.5"}
    assert document["certified"] == {"lower": "0", "upper": "inf"}
    assert list(violations(document, VERDICT_SCHEMA)) == []


def test_what_a_foreign_subject_says_against_itself_refutes_nothing() -> None:
    verdict = declares(witness=Fraction(100), std=1000.0)
    assert (verdict.outcome, verdict.evidence) == ("undecided", ())
    assert "its ledger or its witness is wrong" in verdict.notes[1]


def test_a_foreign_ledger_that_no_accountant_covers_says_nothing() -> None:
    verdict = declares(event=object())
    assert verdict.outcome == "undecided"
    assert verdict.declared is not None
    assert verdict.declared.loss.upper == math.inf


class Wrapped:
    """Somebody's own run behind the library's description of itself."""

    def __init__(self, inner: AnySubject) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        return 0.0 * self._inner.scores(neighbour, trials, rng)


def test_only_the_very_object_that_was_built_for_these_parameters_speaks_for_the_library() -> None:
    claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")
    built = build(claim)
    assert isinstance(built, GaussianMechanismSubject)
    more = replace(claim, claimed=PrivacyLoss(Fraction(2), ApproximateDP, ReplaceOne, claim.delta))
    quieter = replace(claim, parameters={**claim.parameters, "epsilon": Fraction(1, 2)})
    assert judge(claim, built, nothing(claim)).declared is None
    assert judge(more, built, nothing(more)).outcome == "holds"
    others: list[tuple[Claim, Any]] = [
        (claim, replace(built, noise_multiplier=Fraction(100))),
        (claim, replace(built)),
        (claim, Wrapped(built)),
        (claim, GaussianMechanismSubject(ReplaceOne, Fraction(100))),
        (quieter, built),
        (replace(claim, release="transcript"), built),
    ]
    for about, subject in others:
        verdict = judge(about, subject, nothing(about))
        assert verdict.outcome == "undecided"
        assert verdict.declared is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one", "noise_multiplier"),
        ("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one", "scores"),
        ("kl-condition/theorem-1@as-printed,replace-one", "plan.outer_std"),
        ("kl-condition/theorem-1@as-printed,replace-one", "pair.second.labels"),
    ],
)
def test_what_was_changed_after_it_was_built_is_declared(name: str, change: str) -> None:
    """A claim that is refuted must not hold of a subject into which more noise was written."""
    claim = find(name)
    subject = build(claim)
    assert is_derived(claim, subject)
    subject.scores(0, 2, np.random.default_rng(0))
    assert is_derived(claim, subject)
    *path, last = change.split(".")
    owner: Any = subject
    for step in path:
        owner = getattr(owner, step)
    if last == "labels":
        labels = owner.labels
        labels.setflags(write=True)
        labels[0] = 0.0
    else:
        object.__setattr__(owner, last, Fraction(100) if last == "noise_multiplier" else 100.0)
    assert not is_derived(claim, subject)
    if last == "noise_multiplier":
        assert judge(claim, subject, nothing(claim)).outcome == "undecided"


def test_what_was_seen_at_another_delta_or_adjacency_is_not_judged() -> None:
    """A smaller delta has a larger epsilon, which would refute a claim that holds."""
    claim = approximate(Fraction(5), Fraction(1, 10))
    outcomes = np.random.default_rng(0).normal(size=(2, 200)) + np.array([[0.0], [3.0]])
    apart = estimate((outcomes[0], outcomes[1]), Fraction(0))
    with pytest.raises(InvalidArgumentError, match=r"empirical.delta = 0: must be the claim's, 1/10"):
        judge(claim, Subject(), apart)
    other = find("kl-condition/theorem-1@repaired,zero-out")
    with pytest.raises(InvalidArgumentError, match="the claim is about replace-one"):
        judge(approximate(Fraction(1)), build(other), nothing(approximate(Fraction(1))))


def test_planted_bug_a_judge_that_believes_every_subject_falls_into_the_trap(monkeypatch: pytest.MonkeyPatch) -> None:
    """A little less noise than declared: more than the claim, and too little more for the runs to show it."""
    assert declares(std=0.95).outcome == "undecided"
    monkeypatch.setattr("dpref.audit.verdict.is_derived", lambda *_: True)
    assert declares(std=0.95).outcome == "holds"


def test_what_rests_on_an_assumed_mechanism_is_never_judged_holds() -> None:
    """Even of a subject that the library built: the mechanism's pair is the user's word."""
    coin = FinitePair((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    subject = Subject(event=Compose((Gaussian(Fraction(1)), Custom("mine", replace_one=coin))), witness=None)
    claim = approximate(Fraction(100))
    verdict = judged(claim, subject, nothing(claim))
    assert (verdict.outcome, verdict.evidence, verdict.certified.upper) == ("undecided", (), math.inf)
    assert "what mine spends is assumed" in verdict.notes[0]
    assert judged(claim, Subject(witness=None), nothing(claim)).outcome == "holds"


# ------------------------------------------------------------------------------------ delta = 0


def test_a_gaussian_is_not_pure_dp_at_any_epsilon() -> None:
    pure = approximate(Fraction(10**6), Fraction(0))
    verdict = judged(pure, Subject(), nothing(pure))
    assert (verdict.outcome, verdict.evidence) == ("refuted", ("certified",))
    assert verdict.certified == Ends(math.inf, math.inf)
    assert list(violations(verdict_to_json(verdict), VERDICT_SCHEMA)) == []


@pytest.mark.parametrize(("epsilon", "outcome"), [(Fraction(3), "holds"), (Fraction(2), "undecided")])
def test_a_pure_claim_is_judged_by_the_sum_of_the_events_epsilons(epsilon: Fraction, outcome: str) -> None:
    event = Compose((Laplace(Fraction(2)), RandomizedResponse(Fraction(5, 2))))
    claim = replace(zcdp(Fraction(1)), claimed=PrivacyLoss(epsilon, PureDP, ReplaceOne))
    assert claim.claimed == PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, Fraction(0))
    assert judged(claim, Subject(event=event, witness=None), nothing(claim)).outcome == outcome


def test_a_drawn_vertex_is_judged_at_delta_0() -> None:
    claim = find("private-saddle-points/proof-3.18-draw@repaired,replace-one")
    (pure,) = parse_claims(json.dumps({"claims": [at_delta_0(claim)]}))
    verdict = judge(pure, build(pure), nothing(pure))
    assert verdict.outcome == claim.expected == "holds"
    assert 3.6 < verdict.certified.lower < verdict.certified.upper == claim.claimed.value
    assert verdict.certified.lower > judge(claim, build(claim), nothing(claim)).certified.lower


def at_delta_0(claim: Claim) -> dict[str, Any]:
    entry = claim_to_json(claim)
    entry["claimed"]["delta"] = entry["delta"] = 0
    return entry


def test_runs_refute_a_pure_claim() -> None:
    flipped = Subject(event=RandomizedResponse(Fraction(3)), witness=None)
    verdict = judge(
        approximate(Fraction(1), Fraction(0)), flipped, replace(seen(flipped), epsilon=1.5, delta=Fraction(0))
    )
    assert (verdict.outcome, verdict.evidence) == ("refuted", ("empirical",))


# ------------------------------------------------------------------------------------ what runs can show


def test_every_verdict_says_what_its_runs_could_have_shown() -> None:
    claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one")
    verdict = audit(claim, trials=2000)
    assert verdict.most_shown == pytest.approx(4.74, abs=0.005)
    assert verdict.trials_needed == 631869
    document = verdict_to_json(verdict)["reach"]
    assert float(document["lower"]) >= verdict.most_shown >= verdict.empirical_lower
    assert document["trials"] == 631869


@pytest.mark.parametrize("trials", [0, 99, -1, True])
def test_a_number_of_runs_that_is_none_is_refused_and_not_replaced(trials: int) -> None:
    claim = catalogue()[0]
    for ask in (lambda: runs(claim, trials), lambda: audit(claim, trials=trials)):
        with pytest.raises(InvalidArgumentError, match=f"trials = {trials}"):
            ask()


def said(console_output: str) -> str:
    return " ".join(console_output.split())


@pytest.mark.slow
def test_the_terminal_and_the_page_say_what_is_declared_and_what_runs_can_show() -> None:
    verdict = declares(std=0.5)
    console = Console(width=200, record=True, file=io.StringIO())
    show([verdict], console)
    for text in (said(console.export_text()), said(re.sub(r"<[^>]*>", " ", html.unescape(render([verdict]))))):
        assert "declared, not checked" in text
        assert "nothing" in text
        assert re.search(rf"at most (rho )?{re.escape(up(verdict.most_shown))}", text)
        assert "the runs show more loss than the subject declares" in text


def test_what_runs_can_show_is_said_before_they_are_made() -> None:
    names = (
        "dp-erm-revisited/definition-3.4@as-printed-epsilon-1",
        "dp-erm-revisited/theorem-6.1@repaired-epsilon-100",
    )
    near, far = (find(name + ",replace-one") for name in names)
    lines = list(reach_lines([(near, 2000), (far, 2000)], Fraction(999, 1000)))
    assert lines[0] == "2000 runs on each of two data sets at confidence 0.999 show at most epsilon 4.741."
    assert len(lines) == 2
    assert lines[1].startswith(f"Beyond them: {far.id}")
    assert "more than 10000000 runs" in lines[1]


@pytest.mark.slow
def test_odd_outcomes_and_pure_claims_can_be_drawn() -> None:
    """NaN, infinities and numbers that no axis holds are counted in the legend; no log axis holds delta = 0."""
    odd = np.array([math.nan, math.inf, -math.inf, 1e308, 0.0] * 40)
    for scores in ((odd, odd + 0.0), (np.full(200, math.nan), np.full(200, math.inf))):
        empirical = estimate(scores, Fraction(0))
        flipped = Subject(event=RandomizedResponse(Fraction(3)), witness=None)
        for verdict in (judge(pure(), flipped, empirical), judged(pure(), flipped, empirical)):
            text = render([verdict])
            assert "infinite or NaN" in text
            assert list(violations(verdict_to_json(verdict), VERDICT_SCHEMA)) == []


def pure() -> Claim:
    return approximate(Fraction(1), Fraction(0))
