"""The evidence for a finding: what is certified of its claims, which certificates refute it, which theorem negates it.

The program of a finding is its reader's own check; what stands here is dpref's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from dpref.audit.catalogue import find
from dpref.audit.claims import Claim
from proofs.check import ASSUMPTIONS, CERTIFICATES, path_of
from proofs.findings import register, second
from proofs.findings.declared import Finding
from proofs.negation import settles
from proofs.negations import NEGATIONS
from proofs.registry import registry

Level: TypeAlias = Literal["program", "audit", "certified witness", "kernel certificate", "Coq", "negated in Coq"]

LEVELS: Final[Mapping[Level, str]] = {
    "program": "a short program of numpy or mpmath computes it without dpref",
    "audit": "dpref runs the algorithm, or its worst case, at confidence 0.999",
    "certified witness": "neighbouring data and an event show so much loss in certified arithmetic",
    "kernel certificate": "the proof kernel replays a refutation of a formula from a file with a digest",
    "Coq": "Coq checks the same refutation from the formula alone",
    "negated in Coq": "a theorem of Coq negates the sentence, with its quantifiers, about the algorithm's output",
}
_NOTHING: Final = {"at_least": "0", "witness": "", "delta": "0", "epsilon_claimed": "inf", "epsilon_at_least": "0"}


class Certificate(NamedTuple):
    """A refutation of a formula that the kernel replays.

    Attributes:
        obligation: Its id.
        digest: SHA-256 of the certificate's file, in hexadecimal.
        witness: Where the formula is false, formulas between dollars; empty where the proof names no point.
        second: The second checker that accepted it, such as Coq; empty if none has.
    """

    obligation: str
    digest: str
    witness: str
    second: str = ""


@dataclass(frozen=True)
class Audited:
    """A claim of the catalogue about the printed sentence, with what is certified of it from below.

    Attributes:
        claim: As the catalogue has it.
        least: The true loss is at least this, in the claim's unit, as decimal text that was rounded down; ``0`` where
            nothing is certified.
        witness: On which losses and data; empty where nothing is certified.
        delta: At which the next two are epsilons: the claim's own, or the one that is shown beside a zCDP claim.
        epsilon_claimed: What the claim says about epsilon there, rounded up.
        epsilon_least: What the witness shows of epsilon there, rounded down; 0 where it shows another divergence.
    """

    claim: Claim
    least: str
    witness: str
    delta: str
    epsilon_claimed: str
    epsilon_least: str

    @property
    def unit(self) -> str:
        """Return the unit of the claimed loss: rho or epsilon."""
        return "rho" if self.claim.is_zcdp else "epsilon"

    @property
    def certified(self) -> bool:
        """Return whether the certified lower end alone refutes the claim."""
        return self.least == "inf" or Fraction(self.least) > self.claim.claimed.value

    @property
    def certified_in_epsilon(self) -> bool:
        """Return whether it does so in epsilon and delta."""
        return self.epsilon_least == "inf" or Fraction(self.epsilon_least) > Fraction(self.epsilon_claimed)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What dpref itself shows of a finding.

    Attributes:
        audited: The claims of the catalogue that judge it.
        certificates: The refutations that the kernel replays.
        negations: The theorems of Coq that negate the printed sentence.
        resting: What a refutation takes from the literature.
        levels: How it is known, the most independent of us last.
    """

    audited: tuple[Audited, ...]
    certificates: tuple[Certificate, ...]
    negations: tuple[str, ...]
    resting: tuple[str, ...]
    levels: tuple[Level, ...]


def evidence(finding: Finding) -> Evidence:
    """Return the recorded evidence for a finding; `proofs.findings.checking` works it out anew."""
    entry = register.read().get(finding.id, {"refuted": {}, "certified": {}})
    claims = tuple(find(name) for name in finding.claims)
    audited = tuple(_audited(claim, entry) for claim in claims)
    certificates = tuple(_certificate(name, entry) for name in finding.refutations)
    refuted = [a for a in audited if a.claim.expected == "refuted"]
    negations = tuple(n.theorem for n in NEGATIONS if any(settles(p, a.claim) for p in n.claims for a in refuted))
    known: dict[Level, bool] = {
        "program": bool(finding.prints),
        "audit": bool(audited),
        "certified witness": any(a.certified for a in refuted),
        "kernel certificate": bool(certificates),
        "Coq": bool(certificates) and all(c.second for c in certificates),
        "negated in Coq": bool(negations),
    }
    return Evidence(
        audited=audited,
        certificates=certificates,
        negations=negations,
        resting=tuple(dict.fromkeys(a for name in finding.refutations for a in _assumed(name))),
        levels=tuple(level for level, there in known.items() if there),
    )


def _audited(claim: Claim, entry: Mapping[str, Any]) -> Audited:
    r = entry["certified"].get(claim.id, _NOTHING)
    return Audited(claim, r["at_least"], r["witness"], r["delta"], r["epsilon_claimed"], r["epsilon_at_least"])


def _certificate(name: str, entry: Mapping[str, Any]) -> Certificate:
    obligation = registry()[name]
    digest = register.digest_of(path_of(obligation))
    return Certificate(name, digest, entry["refuted"].get(name, ""), second.checker_of(obligation))


def _assumed(name: str) -> list[str]:
    found: dict[str, list[str]] = json.loads((CERTIFICATES / ASSUMPTIONS).read_text(encoding="utf-8"))
    return found.get(name, [])
