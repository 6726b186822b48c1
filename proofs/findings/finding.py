"""One finding: what is printed, what is true, how it is known, and where each of these stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from dpref.audit.claims import KINDS, Claim, Kind
from dpref.audit.papers.titles import TITLES, Title
from proofs.findings.quoting import Quotation
from proofs.registry import Concern

Standing: TypeAlias = Literal["refuted", "not shown"]
Level: TypeAlias = Literal["audit", "certified witness", "kernel certificate", "Coq", "negated in Coq"]

LEVELS: Final[Mapping[Level, str]] = {
    "audit": "runs of the algorithm, or of its worst case, at confidence 0.999 beside what is certified",
    "certified witness": "neighbouring data and an event that show so much loss in certified arithmetic",
    "kernel certificate": "a refutation that the proof kernel replays from a file, with its digest",
    "Coq": "the same refutation, checked by Coq from the statement alone",
    "negated in Coq": "the sentence with its quantifiers, negated as one theorem about what the algorithm releases",
}


class Certificate(NamedTuple):
    """A refutation that the kernel replays.

    Attributes:
        obligation: Its id.
        digest: SHA-256 of the certificate's file, in hexadecimal.
        witness: Where the statement is false, formulas between dollars; empty where the proof names no point.
        second: What else has checked it, such as Coq; empty if nothing has.
    """

    obligation: str
    digest: str
    witness: str
    second: str = ""


@dataclass(frozen=True)
class Audited:
    """A claim of the catalogue about the printed statement, with what is certified of it from below.

    Attributes:
        claim: As the catalogue has it.
        least: The true loss is at least this, in the claim's unit, as decimal text that was rounded down.
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
        """Of the loss that is claimed and of what is certified of it."""
        return "rho" if self.claim.is_zcdp else "epsilon"

    @property
    def certified(self) -> bool:
        """Whether the certified lower end alone refutes the claim."""
        return self.least == "inf" or Fraction(self.least) > self.claim.claimed.value

    @property
    def certified_in_epsilon(self) -> bool:
        """Whether it does so in epsilon and delta."""
        return self.epsilon_least == "inf" or Fraction(self.epsilon_least) > Fraction(self.epsilon_claimed)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A printed statement that is refuted, or whose printed proof does not show it.

    Attributes:
        id: ``paper/item`` of the claims about it, or the id of the obligation that refutes it.
        paper: Short name of the paper.
        item: The paper's numbering.
        title: A few words.
        statement: What is printed, in the library's words, formulas between dollars; plain text of an audited claim.
        quotations: What is printed, in the paper's words.
        true: What is true in its place, formulas between dollars.
        repaired: Ids of the claims and obligations that hold in its place.
        concerns: Privacy, or something else.
        kind: In which way the statement fails.
        standing: Whether it is refuted, or only not shown by the printed proof.
        adjacencies: The neighbouring relations in which it fails; none where neighbours play no part.
        charitable: Ids of the claims that read it in the paper's favour, with their recorded verdicts.
        audited: The claims of the catalogue that judge it.
        certificates: The refutations that the kernel replays.
        negations: The theorems of Coq that negate the printed sentence itself.
        resting: What a refutation takes from the literature.
        citation: Key of the paper's BibTeX entry.
    """

    id: str
    paper: str
    item: str
    title: str
    statement: str
    quotations: tuple[Quotation, ...]
    true: str
    repaired: tuple[str, ...]
    concerns: Concern
    kind: Kind
    standing: Standing
    adjacencies: tuple[str, ...]
    charitable: tuple[tuple[str, str], ...]
    audited: tuple[Audited, ...]
    certificates: tuple[Certificate, ...]
    negations: tuple[str, ...]
    resting: tuple[str, ...]
    citation: str

    @property
    def source(self) -> Title:
        """The paper's authors, year and title."""
        return TITLES[self.paper]

    @property
    def levels(self) -> tuple[Level, ...]:
        """How it is known, the most independent of us last."""
        refuted = [a for a in self.audited if a.claim.expected == "refuted"]
        found: dict[Level, bool] = {
            "audit": bool(self.audited),
            "certified witness": any(a.certified for a in refuted),
            "kernel certificate": bool(self.certificates),
            "Coq": bool(self.certificates) and all(c.second for c in self.certificates),
            "negated in Coq": bool(self.negations),
        }
        return tuple(level for level, there in found.items() if there)

    @property
    def command(self) -> str:
        """What reproduces it."""
        if self.audited:
            return f"dpref audit {self.id}"
        return f"python -m proofs {self.id}"

    @property
    def order(self) -> tuple[bool, int, int]:
        """Privacy first, refuted before not shown, then as the kinds are ordered."""
        return self.concerns != "privacy", KINDS.index(self.kind), self.standing != "refuted"

    def to_json(self) -> dict[str, Any]:
        """As ``dpref/schemas/findings.schema.json`` describes it."""
        return {
            "id": self.id,
            "paper": {"name": self.paper, **self.source._asdict(), "citation": self.citation},
            "item": self.item,
            "title": self.title,
            "concerns": self.concerns,
            "kind": self.kind,
            "standing": self.standing,
            "printed": {"statement": self.statement, "quotations": [q._asdict() for q in self.quotations]},
            "true": self.true,
            "repaired": list(self.repaired),
            "adjacencies": list(self.adjacencies),
            "charitable": [{"claim": name, "verdict": verdict} for name, verdict in self.charitable],
            "levels": list(self.levels),
            "audited": [
                {
                    "claim": a.claim.id,
                    "verdict": a.claim.expected,
                    "kind": a.claim.kind,
                    "release": a.claim.release,
                    "reading": a.claim.reading,
                    "unit": a.unit,
                    "at_least": a.least,
                    "witness": a.witness,
                    "delta": a.delta,
                    "epsilon_claimed": a.epsilon_claimed,
                    "epsilon_at_least": a.epsilon_least,
                }
                for a in self.audited
            ],
            "certificates": [
                {"obligation": c.obligation, "sha256": c.digest, "witness": c.witness, "second": c.second}
                for c in self.certificates
            ],
            "negations": list(self.negations),
            "resting": list(self.resting),
            "reproduce": self.command,
        }
