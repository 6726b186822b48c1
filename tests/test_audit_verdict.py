"""Verdicts: the rule that turns evidence into an outcome, the recorded outcomes, alarms, and JSON rounded outward."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from flint import arb

from dpref.algorithms.dynamic_gradient_descent.formulas import bias_corrected_weight
from dpref.algorithms.dynamic_gradient_descent.plan import Params
from dpref.algorithms.dynamic_gradient_descent.plan import plan as make_plan
from dpref.algorithms.dynamic_gradient_descent.schedules import Dynamic, Schedule, Uniform
from dpref.audit import builders
from dpref.audit import subjects as audit_subjects
from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue, find
from dpref.audit.claim_files import VERDICT_SCHEMA
from dpref.audit.claims import Claim
from dpref.audit.empirical import Empirical, draw, estimate
from dpref.audit.gaussian_mechanism import GaussianMechanismSubject
from dpref.audit.known import Ends
from dpref.audit.run import Run
from dpref.audit.subjects import Neighbour, Release, Witness
from dpref.audit.verdict import Verdict, audit, judge
from dpref.audit.verdict_json import verdict_to_json
from dpref.documents import schema, violations
from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.accountants import survey
from dpref.privacy.closed_forms.gaussian import gdp
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, NonPrivate
from dpref.privacy.events.walks import leaves
from dpref.reals import RATIONAL, FloatArray, ball
from dpref.units import ZCDP, Adjacency, ApproximateDP, PrivacyLoss, ReplaceOne, ZeroOut
from tests.effort import part
from tests.witnessed import BY_RUNS_ALONE

DELTA = Fraction(1, 100)
NOTHING = Empirical(0.0, 0.0, 0.0, 0.0, DELTA, Fraction(999, 1000), 100, 0, {}, (np.zeros(0), np.zeros(0)))


def nothing(claim: Claim) -> Empirical:
    """Runs that show nothing at the claim's delta."""
    return replace(NOTHING, delta=claim.delta)


ONE = Gaussian(Fraction(1))


@dataclass(frozen=True)
class Subject:
    """Whatever ledger, witness and noise a test wants."""

    event: Event = ONE
    witness: Fraction | arb | None = Fraction(1)
    std: float = 1.0
    adjacency: type[ReplaceOne] = ReplaceOne
    release: Release = "output"

    def ledger(self) -> Ledger[ReplaceOne]:
        return Ledger(self.event, ReplaceOne)

    def witnesses(self, delta: Fraction) -> tuple[Witness, ...]:
        return () if self.witness is None else (Witness("planted", "mu-squared", self.witness, "a test"),)

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        return neighbour + self.std * rng.standard_normal(trials)

    def facts(self) -> Mapping[str, str]:
        return {"subject": "of a test"}


def zcdp(rho: Fraction, adjacency: type[Adjacency] = ReplaceOne) -> Claim:
    return Claim(
        paper="p",
        item="i",
        form="f",
        adjacency=adjacency,
        algorithm="a",
        claimed=PrivacyLoss(rho, ZCDP, adjacency),
        delta=DELTA,
    )


def approximate(epsilon: Fraction, delta: Fraction = DELTA) -> Claim:
    return replace(zcdp(Fraction(1)), claimed=PrivacyLoss(epsilon, ApproximateDP, ReplaceOne, delta), delta=delta)


def judged(claim: Claim, subject: audit_subjects.Subject, empirical: Empirical) -> Verdict:
    """The verdict if the library had built the subject from a plan of its own."""
    with patch.object(builders, "BUILDERS", {claim.algorithm: lambda _: subject}):
        return judge(claim, build(claim), empirical)


def seen(subject: Subject, trials: int = 4000, seed: int = 0) -> Empirical:
    return estimate(draw(subject, "verdict", trials, seed), DELTA)


# ------------------------------------------------------------------------------------ the rule


@pytest.mark.parametrize(
    ("rho", "outcome"),
    [
        (Fraction(1, 2), "holds"),
        (Fraction(1, 2) + Fraction(1, 10**30), "holds"),
        (Fraction(1, 2) - Fraction(1, 10**30), "refuted"),
    ],
)
def test_a_zcdp_claim_is_decided_exactly(rho: Fraction, outcome: str) -> None:
    assert judged(zcdp(rho), Subject(), NOTHING).outcome == outcome


def test_an_approximate_claim_is_decided_to_the_last_place() -> None:
    found = [o.interval for o in survey(Subject().ledger(), delta=DELTA) if o.interval is not None]
    high, low = Fraction(min(i.upper for i in found)), Fraction(max(i.lower for i in found))
    assert low < high < low * (1 + Fraction(1, 10**15))
    assert judged(approximate(high), Subject(), NOTHING).outcome == "holds"
    assert judged(approximate((low + high) / 2), Subject(), NOTHING).outcome == "undecided"
    assert judged(approximate(low - Fraction(1, 10**12)), Subject(), NOTHING).outcome == "refuted"


def test_without_a_witness_nothing_certified_refutes() -> None:
    verdict = judged(zcdp(Fraction(1, 10)), Subject(witness=None), NOTHING)
    assert verdict.outcome == "undecided"
    assert verdict.certified == Ends(Fraction(0), Fraction(1, 2))
    assert verdict.evidence == ()


def test_without_a_witness_the_runs_may_refute() -> None:
    subject = Subject(witness=None)
    verdict = judged(zcdp(Fraction(1, 10)), subject, seen(subject))
    assert verdict.outcome == "refuted"
    assert verdict.evidence == ("empirical",)


def test_both_kinds_of_evidence_are_named() -> None:
    verdict = judged(zcdp(Fraction(1, 10)), Subject(), seen(Subject()))
    assert verdict.evidence == ("certified", "empirical")
    verdict = judged(approximate(Fraction(1)), Subject(), seen(Subject()))
    assert verdict.evidence == ("certified", "empirical")


def test_a_zcdp_claim_is_refuted_by_the_epsilon_that_it_implies() -> None:
    # The runs show epsilon 3 at delta 0.01, more than 0.1-zCDP allows, but (say) no rho.
    verdict = judged(
        zcdp(Fraction(1, 10)), Subject(event=Gaussian(Fraction(1, 4)), witness=None), replace(NOTHING, epsilon=3.0)
    )
    assert verdict.outcome == "refuted"
    assert verdict.evidence == ("empirical",)


def test_a_ball_is_used_at_its_lower_end() -> None:
    verdict = judged(zcdp(Fraction(1, 2)), Subject(witness=arb("0.9", "0.1")), NOTHING)
    assert verdict.certified.lower < Fraction(401, 1000)
    assert verdict.outcome == "holds"


def test_an_answer_without_noise_never_holds() -> None:
    verdict = judged(zcdp(Fraction(10**9)), Subject(event=NonPrivate(), witness=None), NOTHING)
    assert verdict.certified.upper == math.inf
    assert verdict.outcome == "undecided"
    assert verdict_to_json(verdict)["certified"]["upper"] == "inf"
    assert verdict_to_json(verdict)["slack"]["lower"] == "-inf"


def test_an_event_that_no_accountant_covers_is_refused() -> None:
    with pytest.raises(UnsupportedEventError):
        judged(zcdp(Fraction(1)), Subject(event=object(), witness=None), NOTHING)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------ alarms


def test_planted_bug_noise_halved_raises_the_alarm() -> None:
    # The ledger says sigma = 1, the run adds sigma = 1/2: the runs show more than the ledger allows.
    honest, halved = Subject(witness=None), Subject(witness=None, std=0.5)
    assert judged(zcdp(Fraction(1, 2)), honest, seen(honest)).outcome == "holds"
    verdict = judged(zcdp(Fraction(1, 2)), halved, seen(halved))
    assert verdict.outcome == "undecided"
    assert "more loss than the certified upper end" in verdict.alarms[0]


def test_planted_bug_sensitivity_halved_in_the_ledger_crosses_the_certified_ends() -> None:
    verdict = judged(zcdp(Fraction(10)), Subject(event=Gaussian(Fraction(2)), witness=Fraction(1)), NOTHING)
    assert verdict.outcome == "undecided"
    assert "ledger or the witness is wrong" in verdict.alarms[0]


def mu_squared(subject: Run) -> Any:
    """The only witness's number."""
    (witness,) = subject.witnesses(DELTA)
    assert witness.unit == "mu-squared"
    return witness.value


def gradient_run(release: Release, name: str = "algorithm-1@as-printed,zero-out") -> Run:
    subject = build(replace(find("dynamic-privacy-budget/" + name), release=release))
    assert isinstance(subject, Run)
    return subject


@pytest.mark.parametrize("release", ["output", "transcript"])
def test_planted_bug_a_ledger_that_forgets_its_last_step_contradicts_the_witness(release: Release) -> None:
    subject = gradient_run(release)

    def forgetful(plan: Any) -> Ledger[Any]:
        *events, _ = (event for event, count in leaves(subject.algorithm.ledger(plan).event) for _ in range(count))
        return Ledger(Compose(tuple(events)), subject.adjacency)

    planning = SimpleNamespace(ledger=forgetful)
    broken = replace(subject, algorithm=replace(subject.algorithm, planning=planning))
    claim = zcdp(Fraction(10), ZeroOut)
    assert not judged(claim, subject, NOTHING).alarms
    assert "ledger or the witness is wrong" in judged(claim, broken, NOTHING).alarms[0]


@pytest.mark.parametrize("release", ["output", "transcript"])
def test_planted_bug_a_plan_with_half_the_sensitivity_contradicts_the_witness(release: Release) -> None:
    subject = gradient_run(release)
    halved = replace(subject.plan, sensitivity=subject.plan.sensitivity.scale(Fraction(1, 2)))
    verdict = judged(zcdp(Fraction(10), ZeroOut), replace(subject, plan=halved), NOTHING)
    assert verdict.outcome == "undecided"
    assert "ledger or the witness is wrong" in verdict.alarms[0]


@pytest.mark.parametrize("schedule", [Uniform(), Dynamic(Fraction(9, 10))])
def test_the_witness_of_a_transcript_is_the_ledger_s_own_number_exactly(schedule: Schedule) -> None:
    base = gradient_run("transcript")
    subject = replace(base, plan=make_plan(base.problem, Params(Fraction(1), 30, schedule, ReplaceOne)))
    assert mu_squared(subject) == gdp(subject.ledger()).value


def test_the_witness_of_an_output_with_momentum_is_what_the_weights_of_equation_13_give() -> None:
    base = gradient_run("output")
    params = Params(Fraction(1), 6, Dynamic(Fraction(9, 10)), ReplaceOne, momentum=Fraction(1, 2))
    plan = make_plan(base.problem, params)
    subject = replace(base, plan=plan)
    weights = [bias_corrected_weight(RATIONAL, Fraction(1, 2), 6, t) for t in range(1, 7)]
    noise = sum(w * w * Fraction(std) ** 2 for w, std in zip(weights, plan.stds, strict=True))
    wanted = (2 * base.problem.gradient_bound / base.problem.n * sum(weights)) ** 2 / noise
    # The plan's bias corrections are doubles: they differ from the exact ones in the last place.
    assert float(mu_squared(subject)) == pytest.approx(float(wanted), rel=1e-14)
    assert mu_squared(subject) < ball(gdp(subject.ledger()).value)


@pytest.mark.slow
def test_no_alarm_for_the_gaussian_mechanism_over_many_seeds() -> None:
    # Confidence 0.999 and 40 fixed seeds: a correct program fails with probability at most 0.04, and never does here.
    for seed in range(40):
        verdict = judged(zcdp(Fraction(1, 2)), Subject(), seen(Subject(), 400, seed))
        assert verdict.outcome == "holds"
        assert not verdict.alarms


# ------------------------------------------------------------------------------------ the catalogue


@pytest.mark.slow
@pytest.mark.parametrize("name", part((claim.id for claim in catalogue()), 10, seed=2))
def test_certificates_alone_give_the_recorded_verdict(name: str) -> None:
    """A part of the claims; test_cli.py judges more of them, with few runs."""
    claim = find(name)
    verdict = judge(claim, build(claim), replace(NOTHING, delta=claim.delta))
    assert verdict.outcome == ("undecided" if name in BY_RUNS_ALONE else claim.expected)
    assert not verdict.alarms


WANTED = {
    "dynamic-privacy-budget/algorithm-1@as-printed,zero-out": "holds",
    "dynamic-privacy-budget/algorithm-1@as-printed,replace-one": "refuted",
    "dynamic-privacy-budget/section-4.1.3@as-printed,replace-one": "refuted",
    "dynamic-privacy-budget/section-4.1.3@repaired,replace-one": "holds",
    "dynamic-privacy-budget/lemma-c.4-inversion@as-printed,replace-one": "refuted",
    "dynamic-privacy-budget/lemma-c.4-inversion@repaired,replace-one": "holds",
    "dp-erm-revisited/theorem-6.1@repaired,replace-one": "holds",
    "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one": "holds",
    "dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one": "refuted",
}


@pytest.mark.parametrize(("name", "outcome"), WANTED.items())
def test_the_catalogue_says_what_it_must(name: str, outcome: str) -> None:
    assert find(name).expected == outcome


def test_golden_epsilons_of_the_printed_conversion() -> None:
    claim = find("dynamic-privacy-budget/lemma-c.4-inversion@as-printed,replace-one")
    verdict = judge(claim, build(claim), nothing(claim))
    assert float(verdict.epsilon.lower) == pytest.approx(152.3, abs=0.1)
    repaired = find("dynamic-privacy-budget/lemma-c.4-inversion@repaired,replace-one")
    assert float(judge(repaired, build(repaired), nothing(repaired)).epsilon.upper) == pytest.approx(3.457, abs=1e-3)


@pytest.mark.slow
@pytest.mark.whole
def test_replace_one_costs_four_times_the_claim_and_the_runs_show_it_too() -> None:
    claim = find("dynamic-privacy-budget/algorithm-1@as-printed,replace-one")
    verdict = audit(claim, trials=2000, seed=0)
    assert verdict.outcome == "refuted"
    assert verdict.evidence == ("certified", "empirical")
    assert verdict.empirical.rho > claim.claimed.value
    assert verdict.empirical.epsilon > verdict.claimed_epsilon
    spent = find("dynamic-privacy-budget/algorithm-1@as-printed,zero-out")
    upper = judge(spent, build(spent), nothing(spent)).certified.upper
    assert isinstance(upper, Fraction)
    assert verdict.certified.upper == 4 * upper


# ------------------------------------------------------------------------------------ JSON


def test_the_json_has_the_promised_fields_and_follows_the_published_schema() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema(VERDICT_SCHEMA))
    for claim in (zcdp(Fraction(1, 3)), approximate(Fraction(1, 3), Fraction(1, 7))):
        document = verdict_to_json(judged(claim, Subject(), replace(seen(Subject(), 400), delta=claim.delta)))
        assert list(violations(document, VERDICT_SCHEMA)) == []
        fields = "id paper item form adjacency claimed certified empirical verdict obligations"
        assert set(fields.split()) <= set(document)
        assert set(document["certified"]) == {"lower", "upper"}
        assert set(document["empirical"]) == {"lower", "confidence", "trials", "seed"}


def test_the_schema_refuses_numbers_that_are_not_text() -> None:
    document: dict[str, Any] = verdict_to_json(judged(zcdp(Fraction(1)), Subject(), NOTHING))
    document["certified"]["upper"] = 0.5
    assert list(violations(document, VERDICT_SCHEMA))


def test_numbers_are_rounded_outward() -> None:
    third = Fraction(1, 3)
    subject = Subject(event=Gaussian(Fraction(3)), witness=Fraction(1, 9))
    document = verdict_to_json(judged(zcdp(third), subject, NOTHING))
    exact = Fraction(1, 18)
    assert Fraction(Decimal(document["certified"]["lower"])) < exact < Fraction(Decimal(document["certified"]["upper"]))
    assert Fraction(Decimal(document["claimed"]["rho"])) > third
    slack = third - exact
    assert Fraction(Decimal(document["slack"]["lower"])) < slack < Fraction(Decimal(document["slack"]["upper"]))


def test_every_number_seen_is_rounded_down_and_every_number_claimed_up() -> None:
    x = 1 / 3  # its decimal expansion has more than 17 digits
    shown = replace(NOTHING, epsilon=x, rho=x, mu=x, gaussian_epsilon=x, confidence=Fraction(2, 3))
    verdict = judged(zcdp(Fraction(1, 3)), Subject(), shown)
    document = verdict_to_json(verdict)
    for text in (
        document["empirical"]["lower"],
        document["epsilon"]["empirical"],
        document["gaussian"]["mu"],
        document["gaussian"]["epsilon"],
    ):
        assert x - 1e-16 < Fraction(Decimal(text)) < Fraction(x)
    assert Fraction(Decimal(document["empirical"]["confidence"])) < Fraction(2, 3)
    assert isinstance(verdict.claimed_epsilon, float)
    assert Fraction(Decimal(document["epsilon"]["claimed"])) > Fraction(verdict.claimed_epsilon)
    assert Fraction(Decimal(document["epsilon"]["delta"])) >= verdict.claim.delta


# ------------------------------------------------------------------------------------ audit


def test_the_same_seed_gives_the_same_verdict_whatever_the_threads() -> None:
    claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")
    one, four = audit(claim, trials=500, seed=5), audit(claim, trials=500, seed=5, jobs=4)
    assert verdict_to_json(one) == verdict_to_json(four)
    assert verdict_to_json(one) != verdict_to_json(audit(claim, trials=500, seed=6))


def test_audit_refuses_too_few_trials() -> None:
    with pytest.raises(InvalidArgumentError, match="trials = 10: must be at least 100"):
        audit(catalogue()[0], trials=10)


def test_several_answers_are_as_distinguishable_as_their_witness_says() -> None:
    subject = GaussianMechanismSubject(ReplaceOne, Fraction(4), count=16)
    scores = draw(subject, "several", 4000, seed=0)
    mu_squared = float(subject.mu_squared)
    # A log-likelihood ratio of a Gaussian pair has mean -+ mu^2/2 and variance mu^2; six standard errors.
    assert np.mean(scores[1]) == pytest.approx(mu_squared / 2, abs=6 * math.sqrt(mu_squared / 4000))
    assert np.mean(scores[0]) == pytest.approx(-mu_squared / 2, abs=6 * math.sqrt(mu_squared / 4000))
