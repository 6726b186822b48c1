"""What is known of a subject's loss before any run: the ends that its ledger and its witnesses give.

From above the accountants speak of the ledger; from below the witnesses, each with its obligation.  Whether these ends
are certified or only declared is a matter of who made the subject (`dpref.audit.provenance.is_derived`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias, final

from flint import arb

from dpref.audit.claims import Claim
from dpref.audit.provenance import is_derived
from dpref.audit.subjects import Subject, Witness
from dpref.errors import InvalidArgumentError, PrecisionError, UnsupportedEventError
from dpref.privacy.accountants import certify, survey
from dpref.privacy.closed_forms.concentrated import concentrated
from dpref.privacy.closed_forms.gaussian import gaussian_epsilon, gdp
from dpref.privacy.closed_forms.pure import pure_epsilon
from dpref.privacy.events.walks import assumed
from dpref.privacy.interval import Interval
from dpref.privacy.time_limit import DEFAULT_LIMIT, time_limit
from dpref.reals import Exact, exact, lower

Bound: TypeAlias = Fraction | float

SECONDS: Final = 2 * DEFAULT_LIMIT  # of processor time for a claim's accounts; no built-in claim takes a fifth of it
_TINY_DELTA: Final = Fraction(1, 10**30)


@final
@dataclass(frozen=True)
class Ends:
    """A certified interval: exact rationals, or doubles that were rounded outward; the upper end may be infinite."""

    lower: Bound
    upper: Bound

    @property
    def crossed(self) -> bool:
        """Whether the ends contradict each other, which no correct certificate does."""
        return self.lower > self.upper


@final
@dataclass(frozen=True)
class Known:
    """Intervals that a ledger and its witnesses give.

    Attributes:
        loss: In the claim's unit (rho, or epsilon at the claim's delta).
        epsilon: At the claim's delta.
        mu_squared: The worst pair's Gaussian-DP parameter, squared.
        witness: The strongest of the witnesses of the loss; None if nothing is known from below.
        wide: Whether the accountants were stopped after `SECONDS`: the upper end is the best that was proved by then.
    """

    loss: Ends
    epsilon: Ends
    mu_squared: Ends
    witness: Witness | None = None
    wide: bool = False


NOTHING: Final = Known(_ANYTHING := Ends(Fraction(0), math.inf), _ANYTHING, _ANYTHING)


def certified(claim: Claim, subject: Subject) -> Known:
    """The intervals of a loss and its witness, before any run; of what `build` did not make they are unbounded.

    >>> from dpref.audit.builders import build
    >>> from dpref.audit.catalogue import find
    >>> claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one")
    >>> certified(claim, build(claim)).loss.lower > claim.claimed.value
    True
    """
    check_adjacency(claim, subject)
    return known(claim, subject) if is_derived(claim, subject) and not assumed_mechanisms(subject) else NOTHING


def assumed_mechanisms(subject: Subject) -> tuple[str, ...]:
    """The mechanisms of a ledger whose spending is assumed; a verdict that rests on one is no better than that."""
    try:
        return assumed(subject.ledger().event)
    except (TypeError, UnsupportedEventError):  # a ledger that somebody declares and no accountant reads
        return ()


def check_adjacency(claim: Claim, subject: Subject) -> None:
    """Refuse a subject of another adjacency than the claim's.

    Raises:
        InvalidArgumentError: If it has another.
    """
    if subject.adjacency is not claim.adjacency:
        raise InvalidArgumentError("adjacency", subject.adjacency.name, f"the claim is about {claim.adjacency.name}")


def known(claim: Claim, subject: Subject) -> Known:
    """What a subject's ledger and witnesses give."""
    # Two different Gaussians have no finite epsilon at delta = 0; of another pair a bound at a tiny delta is one at 0.
    at = claim.delta or _TINY_DELTA
    witnesses = subject.witnesses(at)
    mu_squared = Ends(max((_mu_squared(w) for w in witnesses), default=Fraction(0)), _spent(subject))
    least = max((_epsilon(w, claim.delta) for w in witnesses), default=0.0)
    with time_limit(SECONDS) as time:
        at_delta = Ends(least, _epsilon_spent(subject, claim, least))
    loss = at_delta
    if claim.is_zcdp:
        loss = Ends(max((_rho(w) for w in witnesses), default=Fraction(0)), _rho_spent(subject, mu_squared.upper))
    lower_end: Callable[[Witness], Bound] = _rho if claim.is_zcdp else lambda w: _epsilon(w, claim.delta)
    strongest = max(witnesses, key=lower_end, default=None)
    if strongest is not None and lower_end(strongest) == 0:
        strongest = None
    return Known(loss, at_delta, mu_squared, strongest, time.over)


def declared(claim: Claim, subject: Subject) -> Known:
    """The same of a subject that may say anything, or nothing that an accountant understands."""
    try:
        return known(claim, subject)
    except (UnsupportedEventError, PrecisionError):
        return NOTHING


def _epsilon_spent(subject: Subject, claim: Claim, least: Bound) -> Bound:
    """At the claim's delta; where what is quick leaves an (epsilon, delta) claim open, every accountant is asked.

    Open is what lies between both ends, of which the lower one may be the quick answer's or ``least``, a witness's.
    A plan's noise may be the least that one of them certifies, which is not always the quickest.  Their answers are
    intersected: two that contradict each other are an error, and the smaller of them decides nothing.
    """
    ledger = subject.ledger()
    if claim.delta == 0:
        return pure_epsilon(ledger)
    found = certify(ledger, delta=claim.delta)
    if claim.is_zcdp or not max(least, found.lower) <= claim.claimed.value < found.upper:
        return found.upper
    others = (o.interval for o in survey(ledger, delta=claim.delta) if o.interval is not None)
    return reduce(Interval.intersection, others, found).upper


def _mu_squared(witness: Witness) -> Bound:
    return _value(witness) if witness.unit == "mu-squared" else Fraction(0)


def _rho(witness: Witness) -> Bound:
    return _value(witness) if witness.unit == "rho" else _mu_squared(witness) / 2


def _epsilon(witness: Witness, delta: Fraction) -> float:
    if witness.unit == "epsilon":
        return float(_value(witness))
    mu_squared = _mu_squared(witness)
    if mu_squared == 0:
        return 0.0
    return math.inf if delta == 0 else gaussian_epsilon(_exact(mu_squared), delta).lower


def _value(witness: Witness) -> Bound:
    return exact(max(0.0, lower(witness.value))) if isinstance(witness.value, arb) else witness.value


def _spent(subject: Subject) -> Bound:
    """Mu squared of the ledger; infinite where its worst pair is not known to be Gaussian, or has no noise."""
    try:
        return gdp(subject.ledger()).value
    except UnsupportedEventError:
        return math.inf


def _rho_spent(subject: Subject, mu_squared: Bound) -> Bound:
    """Half of mu squared; of what is not Gaussian throughout the sum of each event's rho, or infinite."""
    if mu_squared < math.inf:
        return mu_squared / 2
    try:
        return concentrated(subject.ledger()).value
    except UnsupportedEventError:
        return math.inf


def _exact(bound: Bound) -> Exact:
    return bound if isinstance(bound, Fraction) else exact(bound)
