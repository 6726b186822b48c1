"""From a claim to a verdict: what is certified, what was seen, and what follows.

* ``holds`` if the claimed loss is at least the certified upper end;
* ``refuted`` if it is below the certified lower end, or below the empirical lower bound at its confidence;
* ``undecided`` otherwise.

Certified are only the ends that the library has derived from a plan of its own (`dpref.audit.provenance.is_derived`).
The ledger and the witnesses of any other subject are what it *declares*: they are shown as that, and decide nothing in
either direction.  Such a subject's runs may refute a claim; it never makes one hold.

The empirical bound may exceed the certified upper end only if the library is wrong or an event of probability one minus
the confidence has happened.  Then, and when the two certified ends cross, nothing is concluded: the verdict is
``undecided`` and carries an alarm.  Runs that show more than a subject declares are no alarm, but a note: its ledger is
wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeAlias, final

from dpref.audit.builders import build
from dpref.audit.claims import Claim, Outcome
from dpref.audit.empirical import DEFAULT_CONFIDENCE, DEFAULT_TRIALS, Drawer, Empirical, check_trials, draw, estimate
from dpref.audit.known import (
    NOTHING,
    SECONDS,
    Bound,
    Ends,
    Known,
    assumed_mechanisms,
    check_adjacency,
    declared,
    known,
)
from dpref.audit.provenance import is_derived
from dpref.audit.reach import Reach, reach, trials_needed
from dpref.audit.subjects import Subject, Witness
from dpref.checks import natural, open_unit
from dpref.errors import InvalidArgumentError
from dpref.privacy.closed_forms.zcdp import zcdp_to_epsilon
from dpref.reals import decimal_up, exact

Evidence: TypeAlias = Literal["certified", "empirical"]

HYPOTHESIS: Final = "the release's worst trade-off curve is exactly Gaussian"
DECLARED: Final = "declared, not checked"

_KINDS: Final[tuple[Evidence, ...]] = ("certified", "empirical")


@final
@dataclass(frozen=True)
class Verdict:
    """Everything that an audit of one claim found.

    Attributes:
        claim: What was claimed.
        outcome: What follows.
        certified: The interval that holds the true loss, in the claim's unit (rho, or epsilon at the claim's delta).
        epsilon: The interval that holds the true epsilon at the claim's delta.
        claimed_epsilon: What the claim says about epsilon at that delta.
        mu_squared: The interval that holds the worst pair's Gaussian-DP parameter, squared.
        empirical: What was seen.
        evidence: Which kinds of evidence support the outcome, each by itself.
        alarms: Contradictions within the evidence; empty unless something is wrong.
        facts: What was run, for a reader.
        reach: What so many runs could have shown at most.
        trials_needed: The least number of runs that could refute the claim; None if no number that can be asked for.
        witness: On which the certified lower end of the loss rests; None if that is zero.
        declared: What the subject says of itself, where the library has not derived it; else None.
        notes: What a reader must know about where the evidence comes from.
    """

    claim: Claim
    outcome: Outcome
    certified: Ends
    epsilon: Ends
    claimed_epsilon: Bound
    mu_squared: Ends
    empirical: Empirical
    evidence: tuple[Evidence, ...]
    alarms: tuple[str, ...]
    facts: Mapping[str, str]
    reach: Reach
    trials_needed: int | None
    witness: Witness | None = None
    declared: Known | None = None
    notes: tuple[str, ...] = ()

    @property
    def empirical_lower(self) -> float:
        """The empirical lower bound in the claim's unit."""
        return self.empirical.rho if self.claim.is_zcdp else self.empirical.epsilon

    @property
    def most_shown(self) -> float:
        """The largest empirical lower bound, in the claim's unit, that some outcome of the runs would have given."""
        return self.reach.rho if self.claim.is_zcdp else self.reach.epsilon

    @property
    def slack(self) -> Ends:
        """Claimed minus true, in the claim's unit: what the claim gives away, or (negative) what it lacks."""
        claimed = self.claim.claimed.value
        return Ends(_minus(claimed, self.certified.upper), _minus(claimed, self.certified.lower))

    @property
    def as_recorded(self) -> bool:
        """Whether the outcome is the one that the claim records (true if it records none)."""
        return self.claim.expected in {None, self.outcome}


def audit(
    claim: Claim,
    subject: Subject | None = None,
    *,
    trials: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    confidence: Fraction = DEFAULT_CONFIDENCE,
    advance: Callable[[int], None] = lambda _: None,
    drawn: Drawer = draw,
) -> Verdict:
    """Judge a claim.

    Args:
        claim: What is claimed.
        subject: What is run instead of what the claim says, or what `build` has made of the claim already.
        trials: Runs on each of the two data sets; by default what the claim asks for, or 2000 (see `runs`).
        seed: Makes the runs reproducible, whatever the number of threads.
        jobs: Number of threads.
        confidence: Of the empirical bounds, jointly; exact, in (0, 1).
        advance: Called with the number of runs finished since the last call.
        drawn: What makes the runs, or has kept them (see `dpref.audit.kept_runs`).

    Returns:
        The verdict.

    Raises:
        InvalidArgumentError: If an argument or one of the claim's parameters is out of its domain.
        UnsupportedEventError: If no accountant covers the ledger of a subject that `build` made.

    >>> from dpref.audit.catalogue import find
    >>> claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one")
    >>> audit(claim, trials=100).outcome
    'refuted'
    """
    subject = build(claim) if subject is None else subject
    check_adjacency(claim, subject)
    scores = drawn(subject, claim.id, runs(claim, trials), seed, jobs, advance)
    return judge(claim, subject, estimate(scores, claim.delta, confidence, seed))


def runs(claim: Claim, trials: int | None) -> int:
    """Runs on each data set: as many as asked for, else as the claim needs, else the default number.

    Raises:
        InvalidArgumentError: If fewer or more are asked for than an audit can use; 0 is a number like any other.

    >>> from dpref.audit.catalogue import find
    >>> claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one")
    >>> runs(claim, None), runs(claim, 100)
    (2000, 100)
    """
    if trials is not None:
        return check_trials(trials)
    return DEFAULT_TRIALS if claim.trials is None else claim.trials


def check(*, trials: int | None, seed: int, jobs: int, confidence: Fraction) -> None:
    """Refuse settings of an audit before any work is done.

    Raises:
        InvalidArgumentError: If one of them is out of its domain; the message names it.
    """
    if trials is not None:
        check_trials(trials)
    natural("seed", seed, least=0)
    natural("jobs", jobs)
    open_unit("confidence", confidence)


def judge(claim: Claim, subject: Subject, empirical: Empirical) -> Verdict:
    """The verdict on a claim, given what was seen.

    Raises:
        InvalidArgumentError: If the subject has another adjacency, or what was seen is stated at another delta.
        UnsupportedEventError: If no accountant covers the ledger of a subject that `build` made.
    """
    check_adjacency(claim, subject)
    if empirical.delta != claim.delta:
        rule = f"must be the claim's, {claim.delta}: estimate the scores at that delta"
        raise InvalidArgumentError("empirical.delta", empirical.delta, rule)
    names = assumed_mechanisms(subject)
    derived = is_derived(claim, subject) and not names
    found = known(claim, subject) if derived else NOTHING
    said = None if derived else declared(claim, subject)
    claimed = claim.claimed.value
    claimed_epsilon: Bound = zcdp_to_epsilon(claimed, claim.delta).upper if claim.is_zcdp else claimed
    seen = empirical.rho if claim.is_zcdp else empirical.epsilon
    alarms = tuple(_contradictions(found, empirical, seen))
    below = claimed < found.loss.lower, claimed < seen or claimed_epsilon < empirical.epsilon
    evidence: tuple[Evidence, ...] = ()
    outcome: Outcome = "undecided"
    if not alarms and claimed >= found.loss.upper:
        outcome, evidence = "holds", ("certified",)
    elif not alarms and any(below):
        outcome, evidence = "refuted", tuple(kind for kind, so in zip(_KINDS, below, strict=True) if so)
    return Verdict(
        claim=claim,
        outcome=outcome,
        certified=found.loss,
        epsilon=found.epsilon,
        claimed_epsilon=claimed_epsilon,
        mu_squared=found.mu_squared,
        empirical=empirical,
        evidence=evidence,
        alarms=alarms,
        facts={**subject.facts(), **({} if said else _rests_on(found))},
        reach=reach(empirical.trials, claim.delta, empirical.confidence),
        trials_needed=trials_needed(claim, empirical.confidence),
        witness=found.witness,
        declared=said,
        notes=() if said is None else tuple(_notes(said, empirical, seen, names)),
    )


def _rests_on(found: Known) -> dict[str, str]:
    stopped = {"certified upper end": f"the best that was proved in {SECONDS:g} s of processor time"}
    return (stopped if found.wide else {}) | _witnessed(found.witness)


def _witnessed(witness: Witness | None) -> dict[str, str]:
    if witness is None:
        return {"certified witness": "none: the runs alone speak for the lower side"}
    obligations = ", ".join(witness.obligations) or "no obligation: its docstring derives it"
    return {"certified witness": witness.attained, "the witness rests on": obligations}


def _contradictions(of: Known, empirical: Empirical, seen: float) -> list[str]:
    found = []
    if of.loss.crossed or of.epsilon.crossed:
        found.append("the certified lower end lies above the certified upper end: the ledger or the witness is wrong")
    if seen > of.loss.upper or empirical.epsilon > of.epsilon.upper:
        found.append(
            f"the runs show more loss than the certified upper end allows: either the library is wrong or an event of"
            f" probability {decimal_up(1 - empirical.confidence, 3)} has happened (audit again with another seed)"
        )
    return found


def _notes(said: Known, empirical: Empirical, seen: float, names: tuple[str, ...]) -> list[str]:
    why = "the library has not built it from a plan of its own"
    if names:
        why = f"what {', '.join(names)} spends is assumed"
    found = [
        f"the subject's ledger and witnesses are {DECLARED}: {why}, only its runs count, and runs make no claim hold"
    ]
    if said.loss.crossed or said.epsilon.crossed:
        found.append("the subject declares a lower end above its upper end: its ledger or its witness is wrong")
    if seen > said.loss.upper or empirical.epsilon > said.epsilon.upper:
        found.append("the runs show more loss than the subject declares: it spends more than its ledger says")
    return found


def _minus(claimed: Fraction, bound: Bound) -> Bound:
    """Exact; minus infinity if the bound is infinite."""
    return (
        claimed - bound if isinstance(bound, Fraction) else (-math.inf if math.isinf(bound) else claimed - exact(bound))
    )
