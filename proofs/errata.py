"""What a specification lists as false or in want of a condition, and by what each entry is settled.

An entry's tag is the specification's own. Of every one that is neither a typo nor presentation there is an obligation
of that number (or several, ``T16a``); the claims that rest on those are the audit's part. An entry about privacy whose
printed form is refuted and that no claim rests on says here why the kernel judges it alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dpref.audit.catalogue import catalogue
from proofs.findings.gathering import findings, named
from proofs.registry import registry

PRINT: Final = "typo or presentation"
# Of each paper, its numbered entries and among these the ones that are tagged as typos or as presentation.
_NUMBERED: Final[Mapping[str, tuple[str, range]]] = {
    "dp-erm-revisited": ("E", range(1, 35)),
    "dynamic-privacy-budget": ("T", range(1, 28)),
    "kl-condition": ("E", range(1, 41)),
    "private-online-frank-wolfe": ("E-", range(1, 47)),
    "private-saddle-points": ("E", range(1, 42)),
}
_PRINT: Final[Mapping[str, frozenset[int]]] = {
    "dp-erm-revisited": frozenset({16, *range(19, 26), 30, 31}),
    "dynamic-privacy-budget": frozenset({11, 12, 22, 24}),
    "kl-condition": frozenset({2, 7, 12, 14, 15, 16, 19, 21, 29, 34, 38, 39}),
    "private-online-frank-wolfe": frozenset({30, 32, *range(35, 42), 43, 46}),
    "private-saddle-points": frozenset({11, 12, 16, 17, *range(21, 25), 29, 33, 34, 40}),
}
# Claims about what the entry says of privacy, whose obligation is about its other half.
ITEMS: Final[Mapping[str, tuple[str, ...]]] = {
    "dp-erm-revisited/E2": ("dp-erm-revisited/equation-3",),
    "dp-erm-revisited/E3": ("dp-erm-revisited/equation-6",),
    "dynamic-privacy-budget/T17": ("dynamic-privacy-budget/section-4.4",),
}
# Why the kernel alone judges a refuted form about privacy: no sentence of it promises an epsilon of a release.
WHY_NO_CLAIM: Final[Mapping[str, str]] = {
    "dp-erm-revisited/E6": "a gap of the proof of Theorem 4.1, whose statement holds in its range once epsilon is "
    "bounded: it is the claim theorem-4.1@as-printed-in-range, which is not refuted",
    "dp-erm-revisited/E14": "a hypothesis that the iterates leave: without it no sensitivity is bounded, and every "
    "release of dpref clips or projects, so that there is no run to audit",
}
_NO_PRIVACY: Final = "about utility: an audit judges promises of privacy alone"
_HOLDS: Final = "a remark or a gap that is filled: nothing printed about it promises privacy and is false"


@dataclass(frozen=True)
class Entry:
    """An entry of a specification's list: its name, obligations and claims by id, and why there is no claim.

    ``why`` is empty where there is a claim; an entry that is a matter of printing has the reason `PRINT`.
    """

    name: str
    obligations: tuple[str, ...]
    claims: tuple[str, ...]
    why: str

    @property
    def settled(self) -> bool:
        """Whether it is a matter of printing, or has an obligation or a claim and says why where it has no claim."""
        return self.why == PRINT or bool((self.obligations or self.claims) and (self.claims or self.why))


def papers() -> tuple[str, ...]:
    """The papers whose entries are listed.

    >>> papers()[0]
    'dp-erm-revisited'
    """
    return tuple(_NUMBERED)


def entries(paper: str) -> tuple[Entry, ...]:
    """The entries of a paper in the specification's order.

    >>> entries("dp-erm-revisited")[9].claims
    ('definition-3.4@as-printed-epsilon-10.5,replace-one',)
    """
    letter, numbers = _NUMBERED[paper]
    return tuple(_entry(paper, f"{letter}{n}", n in _PRINT[paper]) for n in numbers)


def _entry(paper: str, name: str, printing: bool) -> Entry:
    own = [o for o in registry().values() if re.fullmatch(rf"{paper}/{name}([a-z]|-[a-z].*)?", o.id)]
    ids, items = {o.id for o in own}, ITEMS.get(f"{paper}/{name}", ())
    judged = {claim for f in findings() if f.paper == paper for claim in f.claims}
    claims = tuple(
        c.id.removeprefix(f"{paper}/")
        for c in catalogue()
        if c.id in judged and (ids.intersection(c.obligations) or f"{c.paper}/{c.item}" in items)
    )
    privacy = {f.id: f for f in findings() if f.concerns == "privacy" and ids.intersection(f.refutations)}
    about_privacy = [o.id for o in own if any(o.id in f.refutations for f in privacy.values())]
    if claims:
        why = ""
    elif printing and not about_privacy:
        why = PRINT
    elif about_privacy:
        why = "; ".join(filter(None, (WHY_NO_CLAIM.get(i) or _told(i) for i in about_privacy)))
    else:
        why = _NO_PRIVACY if any(o.refutes for o in own) else _HOLDS
    return Entry(name, tuple(sorted(ids)), claims, why)


def _told(obligation: str) -> str:
    """Return the finding that judges a refuted formula about privacy where no claim does, with its kind."""
    (finding, *_) = named(obligation)
    return f"the finding {finding.id} ({finding.kind}): no sentence of it promises an epsilon of a release"
