"""Every finding, gathered from the papers' ``findings.py``, and what became of ids that there were."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from dpref.audit.papers.titles import TITLES
from dpref.errors import InvalidArgumentError
from proofs.findings.declared import CONCERNS, KINDS, Correction, Finding, Provenance

_KINDS: Final = list(KINDS)


def order(finding: Finding) -> tuple[int, int]:
    """Return the place of a finding: privacy before utility, and then as the kinds are ordered."""
    return CONCERNS.index(finding.concerns), _KINDS.index(finding.kind)


@cache
def findings() -> tuple[Finding, ...]:
    """Return every finding, those about privacy first, then by kind, then in the papers' order.

    >>> first = findings()[0]
    >>> first.concerns, first.kind
    ('privacy', 'privacy lost')
    """
    found = [finding for paper in TITLES for finding in _module(paper).FINDINGS]
    return tuple(sorted(found, key=order))


def read(paper: str) -> Provenance:
    """Return what was read of a paper."""
    found: Provenance = _module(paper).READ
    return found


@cache
def corrections() -> tuple[Correction, ...]:
    """Return what became of findings that were withdrawn, superseded or corrected, in the papers' order."""
    return tuple(correction for paper in TITLES for correction in _module(paper).CORRECTIONS)


def named(name: str) -> tuple[Finding, ...]:
    """Return the finding with this id, those that an obligation or a claim of this id refutes, or those of a paper.

    Raises:
        InvalidArgumentError: If there is none; the message says what became of an id that there was.

    >>> [f.id for f in named("dp-erm-revisited/E1")]
    ['dp-erm-revisited/theorem-5.3']
    """
    for fits in (
        lambda f: f.id == name,
        lambda f: name in (*f.refutations, *f.claims),
        lambda f: f.paper == name,
    ):
        if found := tuple(f for f in findings() if fits(f)):
            return found
    for correction in reversed(corrections()):
        if correction.id == name:
            by = f" by {correction.by}" if correction.by else ""
            raise InvalidArgumentError("ID", name, f"was {correction.what}{by} on {correction.date}: {correction.why}")
    raise InvalidArgumentError(
        "ID", name, "must be the id of a finding, a claim, an obligation or a paper: dpref findings"
    )


def _module(paper: str) -> Any:
    return import_module(f"proofs.papers.{paper.replace('-', '_')}.findings")
