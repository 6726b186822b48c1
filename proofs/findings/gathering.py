"""Every finding, derived: from the claims that do not hold, and from the obligations whose statement is refuted.

Claims about one item of a paper are one finding, ``paper/item``, with the obligations about privacy that they rest on
and that are refuted; a refuted obligation that no such claim rests on is a finding of its own, under its own id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue, find
from dpref.audit.claims import KINDS, Claim, Kind
from dpref.audit.papers.titles import TITLES
from dpref.audit.papers.true_instead import TRUE_INSTEAD
from dpref.errors import InvalidArgumentError, UnknownClaimError
from proofs.check import ASSUMPTIONS, CERTIFICATES, path_of
from proofs.findings import register, second
from proofs.findings.finding import Audited, Certificate, Finding
from proofs.findings.quoting import Quotation, quotations
from proofs.negation import settles
from proofs.negations import NEGATIONS
from proofs.registry import Obligation, registry

# What stands for an entry that the register lacks, until it is written anew; a test asks for every entry.
_MISSING: Final[Mapping[str, Any]] = {"refuted": {}, "certified": {}}
_NOTHING: Final = {"at_least": "0", "witness": "", "delta": "0", "epsilon_claimed": "inf", "epsilon_at_least": "0"}


@dataclass(frozen=True)
class Source:
    """What a finding is derived from: claims about one item, and refuted obligations; one of them may be empty."""

    id: str
    claims: tuple[Claim, ...]
    obligations: tuple[Obligation, ...]

    @property
    def says(self) -> tuple[str, ...]:
        """What is printed: sentences of the paper, or the statement of the obligation."""
        if self.claims:
            return tuple(dict.fromkeys(claim.quote for claim in self.claims))
        return (self.obligations[0].statement,)


def sources() -> tuple[Source, ...]:
    """Of every finding, what it is derived from, in the papers' order."""
    refuted = {o.id: o for o in registry().values() if o.refutes and _recorded(o) == "refuted" and o.paper in TITLES}
    items: dict[str, list[Claim]] = {}
    for claim in catalogue():
        if claim.kind is not None:
            items.setdefault(f"{claim.paper}/{claim.item}", []).append(claim)
    found, taken = [], set[str]()
    for name, claims in items.items():
        resting = dict.fromkeys(o for claim in claims for o in claim.obligations)
        own = tuple(refuted[o] for o in resting if o in refuted and refuted[o].concerns == "privacy")
        taken |= {o.id for o in own}
        found.append(Source(name, tuple(claims), own))
    found += [Source(o.id, (), (o,)) for o in refuted.values() if o.id not in taken]
    papers = list(TITLES)
    return tuple(sorted(found, key=lambda s: papers.index(s.id.partition("/")[0])))


def _recorded(o: Obligation) -> str:
    """The status that the committed certificate records, which `proofs.check.run` compares with the computed one."""
    try:
        return str(json.loads(path_of(o).read_text(encoding="utf-8"))["status"])
    except FileNotFoundError:
        return "missing"


@cache
def findings() -> tuple[Finding, ...]:
    """Every finding, those about privacy first, then as they fail, then in the papers' order.

    >>> first = findings()[0]
    >>> first.concerns, first.kind, first.standing
    ('privacy', 'false as stated', 'refuted')
    """
    entries = register.read()
    made = [_finding(source, entries.get(source.id, _MISSING)) for source in sources()]
    return tuple(sorted(made, key=lambda f: f.order))


def named(name: str) -> tuple[Finding, ...]:
    """The finding of that id, or those that the obligation of that id refutes.

    Raises:
        InvalidArgumentError: If there is none; the message says what became of an id that there was.

    >>> [f.id for f in named("dp-erm-revisited/E1")]
    ['dp-erm-revisited/theorem-5.3']
    """
    found = [f for f in findings() if name == f.id]
    found = found or [f for f in findings() if name in (c.obligation for c in f.certificates)]
    found = found or [f for f in findings() if name == f.paper]
    if found:
        return tuple(found)
    for change in reversed(register.CHANGES):
        if change.id == name:
            by = f" by {change.by}" if change.by else ""
            raise InvalidArgumentError("ID", name, f"is {change.what}{by} since {change.since}: {change.why}")
    raise InvalidArgumentError("ID", name, "must be the id of a finding, of its obligation or a paper: dpref findings")


def _finding(source: Source, entry: Mapping[str, Any]) -> Finding:
    claims, obligations = source.claims, source.obligations
    paper = source.id.partition("/")[0]
    first = obligations[0] if obligations else None
    audited = tuple(_audited(claim, entry) for claim in claims)
    certificates = tuple(_certificate(o, entry) for o in obligations)
    shared: dict[str, Any] = {
        "id": source.id,
        "paper": paper,
        "audited": audited,
        "certificates": certificates,
        "negations": _negations(claims),
        "resting": tuple(dict.fromkeys(a for o in obligations for a in _assumed(o))),
        "citation": _citation(paper),
    }
    if claims:
        return Finding(
            **shared,
            standing="refuted" if any(c.expected == "refuted" for c in claims) else "not shown",
            item=numbering(claims[0].item),
            title=first.title if first else claims[0].statement,
            statement=claims[0].statement,
            quotations=tuple(dict.fromkeys(Quotation(c.quote, c.place) for c in claims)),
            true=TRUE_INSTEAD[paper][claims[0].item],
            repaired=_repaired(claims, obligations),
            concerns="privacy",
            kind=_kind(claims),
            adjacencies=tuple(dict.fromkeys(c.adjacency.name for c in claims)),
            charitable=tuple(
                (name, find(name).expected or "") for name in dict.fromkeys(c.charitable for c in claims) if name
            ),
        )
    if first is None or first.kind is None or first.concerns is None:
        raise ValueError(f"{source.id}: neither a claim nor a refuted obligation with its kind")
    right = registry()[first.repaired_by]
    return Finding(
        **shared,
        standing="refuted",
        item=first.item,
        title=first.title,
        statement=first.statement,
        quotations=quotations().get(source.id, ()),
        true=f"{right.title}. {right.statement}",
        repaired=(right.id,),
        concerns=first.concerns,
        kind=first.kind,
        adjacencies=_of_the_paper(paper) if first.concerns == "privacy" else (),
        charitable=(),
    )


def numbering(item: str) -> str:
    """A claim's item as the paper numbers it.

    >>> [numbering(item) for item in ("theorem-5.3", "lemma-c.4-inversion", "appendix-a")]
    ['Theorem 5.3', 'Lemma C.4, inversion', 'Appendix A']
    """
    kind, number, *rest = item.split("-")
    return f"{kind.capitalize()} {number.upper()}" + ", ".join(["", *rest])


def _kind(claims: Sequence[Claim]) -> Kind:
    """The gravest kind among those that are refuted, or among all where none is."""
    refuted = [c for c in claims if c.expected == "refuted"] or claims
    return min((c.kind for c in refuted if c.kind), key=KINDS.index)


def _repaired(claims: Sequence[Claim], obligations: Iterable[Obligation]) -> tuple[str, ...]:
    """What holds instead: repaired forms of the item, charitable readings, and the right forms of its obligations."""
    failing = {(c.paper, c.item) for c in claims}
    forms = [
        c.id for c in catalogue() if (c.paper, c.item) in failing and c.expected == "holds" and "repaired" in c.form
    ]
    kind = [c.charitable for c in claims if c.charitable and find(c.charitable).expected == "holds"]
    return tuple(dict.fromkeys([*forms, *kind, *(o.repaired_by for o in obligations)]))


def _audited(claim: Claim, entry: Mapping[str, Any]) -> Audited:
    r = entry["certified"].get(claim.id, _NOTHING)
    return Audited(claim, r["at_least"], r["witness"], r["delta"], r["epsilon_claimed"], r["epsilon_at_least"])


def _certificate(o: Obligation, entry: Mapping[str, Any]) -> Certificate:
    digest = register.digest_of(path_of(o))
    return Certificate(o.id, digest, entry["refuted"].get(o.id, ""), second.checker_of(o))


def _negations(claims: Sequence[Claim]) -> tuple[str, ...]:
    """The theorems of Coq that negate the sentence of a refuted claim."""
    refuted = [c for c in claims if c.expected == "refuted"]
    return tuple(n.theorem for n in NEGATIONS if any(settles(p, c) for p in n.claims for c in refuted))


def _assumed(o: Obligation) -> list[str]:
    found: dict[str, list[str]] = json.loads((CERTIFICATES / ASSUMPTIONS).read_text(encoding="utf-8"))
    return found.get(o.id, [])


@cache
def _citation(paper: str) -> str:
    """The key of a paper: what most of its obligations cite."""
    keys = [o.citation for o in registry().values() if o.paper == paper]
    if not keys:
        raise UnknownClaimError(f"{paper} has no obligation")
    return max(keys, key=keys.count)


def _of_the_paper(paper: str) -> tuple[str, ...]:
    """The neighbouring relation of the paper's definition, as its algorithms declare it."""
    return tuple(dict.fromkeys(a.paper_adjacency for a in ALGORITHMS.values() if a.paper == paper))
