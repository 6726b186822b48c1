"""The audit of vertex sampling: the witnesses of the sensitivity, run by the reference, and the recorded verdicts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue, find
from dpref.audit.claims import Claim, Parameter
from dpref.audit.papers.private_saddle_points.witnesses import DrawSubject, Witness
from dpref.audit.run import Run
from dpref.audit.verdict import audit
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.composition import optimal_delta
from dpref.reals import ball, exact, precision
from dpref.units import ApproximateDP, PrivacyLoss, PureDP, ReplaceOne, ZeroOut
from tests.effort import part
from tests.witnessed import witnessed

QUARTER = Fraction(1, 4)
CLAIMS = [c.id for c in catalogue() if c.paper == "private-saddle-points"]
PROOFS, STATEMENTS = ([name for name in CLAIMS if ("/proof-" in name) is proof] for proof in (True, False))


@pytest.mark.parametrize(("truncation", "value"), [(1, "7"), (2, "8"), (3, "8.5"), (5, "8.875"), (10, "8.99609375")])
def test_the_d_3_witness_moves_one_score_by_the_whole_range(truncation: int, value: str) -> None:
    """Exactly 4 C_M + 1 in units of tau alpha L0, twice the printed 4.5 in the limit; the other scores stay."""
    witness = Witness.at(3, truncation, QUARTER)
    moved = witness.moved()
    assert moved[0].contains(ball(Fraction(value)))
    assert moved[0].rel_accuracy_bits() > 150
    assert moved[0] > 4.5
    assert all(abs(x) < 1e-40 for x in moved[1:])
    assert witness.plan.sensitivity.value == Fraction(value) * QUARTER


def test_the_d_4_witness_moves_two_scores_in_opposite_directions() -> None:
    moved = Witness.at(4, 10, QUARTER).moved()
    assert moved[0].contains(ball(Fraction(2303, 256)))
    assert moved[3].contains(ball(Fraction(-2303, 256)))
    assert all(abs(x) < 1e-40 for x in moved[1:3])


def test_the_log_ratio_of_the_d_4_witness_approaches_twice_the_sensitivity() -> None:
    """The more later records tilt the draw: above 9 from the start, 17.99 in units of tau alpha L0 with thirty."""
    found = []
    for tilts in (0, 4, 10, 30):
        witness = Witness.at(4, 10, QUARTER, tilts)
        subject = DrawSubject(witness, (np.ones(4) / 4, np.ones(4) / 4))
        found.append(witnessed(subject, "epsilon", Fraction(1, 10**12)) / float(QUARTER))
    assert found == sorted(found)
    assert 8.99 < found[0] < 9 < found[1] < found[2]
    assert found[3] == pytest.approx(17.992, abs=1e-3)
    assert found[3] < 2 * 2303 / 256


@pytest.mark.slow
@pytest.mark.parametrize("name", [*part(STATEMENTS, 2, seed=1), *PROOFS])
def test_every_claim_gets_its_recorded_verdict(name: str) -> None:
    verdict = audit(find(name), trials=2000)
    assert verdict.as_recorded, (verdict.outcome, verdict.certified, verdict.empirical_lower)
    assert verdict.alarms == ()
    if verdict.outcome == "refuted":
        assert verdict.evidence == ("certified", "empirical")
        assert verdict.empirical_lower > verdict.claim.claimed.value


def test_the_sensitivity_claims_are_certified_to_the_last_digit() -> None:
    subject: Any = build(find("private-saddle-points/proof-3.18-sensitivity@as-printed,replace-one"))
    with precision(200):
        exactly = ball((Fraction(2303, 256) / Fraction(9, 2)) ** 2)
        found = witnessed(subject, "mu-squared")
        assert found.overlaps(exactly)
        assert found.rel_accuracy_bits() > 150


def test_generic_pure_dp_does_not_carry_the_printed_calibration() -> None:
    """60 draws at epsilon = 50, delta = 1e-6: randomised responses of the true 18 tau alpha L0 would reach 0.08."""
    U, epsilon, delta = 10, 50.0, 1e-6
    printed = epsilon / math.sqrt(48 * U * -math.log(delta))  # 9 tau alpha L0
    one = PrivacyLoss(exact(2 * printed), PureDP, ReplaceOne)
    assert optimal_delta(one, 6 * U, 50).lower > 0.08
    assert optimal_delta(PrivacyLoss(exact(printed), PureDP, ReplaceOne), 6 * U, 50).upper < 1e-6


@pytest.mark.slow
def test_the_runs_score_the_likelier_neighbour_higher() -> None:
    """Loud settings: a large epsilon; means five standard errors apart."""
    claim = find("private-saddle-points/proposition-3.3@repaired,replace-one")
    settings: dict[str, dict[str, Parameter]] = {
        "mirror-descent": {"steps": 20, "samples": 2},
        "bias-reduced-mirror-descent": {"stopping": 40, "truncation": 2, "alpha": Fraction(1, 2)},
    }
    for name, more in settings.items():
        parameters: dict[str, Parameter] = {
            "epsilon": 90,
            "delta": Fraction(1, 10**5),
            "records": 400,
            "rows": 4,
            "columns": 4,
            **more,
        }
        loss = PrivacyLoss(Fraction(90), ApproximateDP, ReplaceOne, Fraction(1, 10**5))
        loud = Claim(
            paper=claim.paper, item="loud", form="repaired", adjacency=ReplaceOne, algorithm=name,
            parameters=parameters, claimed=loss,
        )  # fmt: skip
        subject = build(loud)
        assert isinstance(subject, Run)
        rng = np.random.default_rng(0)
        null, other = subject.scores(0, 150, rng), subject.scores(1, 150, rng)
        assert other.mean() - null.mean() > 5 * math.sqrt((other.var() + null.var()) / 150)
        verdict = audit(loud, subject, trials=1000)
        assert 0.5 < verdict.empirical.epsilon < verdict.epsilon.upper


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("proof-3.18-draw@repaired", {"unit": Fraction(1, 3)}),
        ("proof-3.18-draw@repaired", {"truncation": 0}),
        ("proof-3.18-draw@repaired", {"tilts": 3}),
        ("proposition-3.3@repaired", {"steps": 1000}),
        ("proposition-3.3@repaired", {"calibration": "exact"}),
        ("proposition-3.17@as-printed", {"calibration": "zcdp"}),
        ("proposition-3.17@repaired", {"stopping": 1000}),
    ],
)
def test_parameters_that_do_not_fit_are_refused(name: str, changes: dict[str, Any]) -> None:
    claim = find(f"private-saddle-points/{name},replace-one")
    kept = {key: getattr(claim, key) for key in ("paper", "item", "form", "adjacency", "algorithm", "claimed")}
    with pytest.raises(InvalidArgumentError):
        build(Claim(**kept, parameters={**claim.parameters, **changes}))


def test_releases_and_adjacencies_that_are_not_covered_are_refused() -> None:
    claim = find("private-saddle-points/proof-3.18-draw@repaired,replace-one")
    loss = PrivacyLoss(Fraction(5), ApproximateDP, ZeroOut, Fraction(1, 10**6))
    with pytest.raises(InvalidArgumentError, match="replace"):
        build(
            Claim(
                paper="x", item="y", form="z", adjacency=ZeroOut, algorithm=claim.algorithm,
                parameters=claim.parameters, claimed=loss,
            )
        )  # fmt: skip
    run = find("private-saddle-points/proposition-3.3@repaired,replace-one")
    with pytest.raises(InvalidArgumentError, match="transcripts"):
        build(
            Claim(
                paper="x", item="y", form="repaired", adjacency=ReplaceOne, algorithm=run.algorithm,
                parameters=run.parameters, claimed=run.claimed, release="output",
            )
        )  # fmt: skip
