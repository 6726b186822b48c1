"""What the ids of findings mean: a committed register, and the promise that an id goes on meaning what it meant.

For each id the register holds the printed sentence, the kind of fault, the digests of the certificates that refute it,
and what is certified of the claims about it.  ``python -m proofs.findings`` writes it anew and refuses where an id
would be lost or come to mean something else, unless the paper's ``CORRECTIONS`` say what became of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from dpref.errors import InvalidArgumentError
from proofs.findings.declared import Correction, Finding

REGISTER: Final = Path(__file__).parent / "register.json"
SCHEMA: Final = 3  # of the second edition, whose drafts had 2; the ids of the first are in the corrections


def meaning(finding: Finding) -> list[str]:
    """Return what an id stands for: the printed words with their places, the sentence and the kind."""
    return [*(f"{q.place}: {q.words}" for q in finding.printed), finding.sentence, finding.kind]


def fingerprint(means: Iterable[str]) -> str:
    """Return a short name of a meaning.

    >>> fingerprint(["Theorem 1 holds."])
    '6d815240f4ee9600'
    """
    return hashlib.sha256("\n".join(means).encode()).hexdigest()[:16]


def digest_of(path: Path) -> str:
    """Return the SHA-256 digest of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read(path: Path = REGISTER) -> dict[str, dict[str, Any]]:
    """Return the entries by id.

    Raises:
        InvalidArgumentError: If the file is of another schema.
    """
    document = json.loads(path.read_text(encoding="utf-8"))
    if document["schema"] != SCHEMA:
        raise InvalidArgumentError("register", document["schema"], f"must follow schema {SCHEMA}")
    found: dict[str, dict[str, Any]] = document["findings"]
    return found


def write(entries: Mapping[str, Mapping[str, Any]], corrections: Iterable[Correction], path: Path = REGISTER) -> None:
    """Write the register.

    Raises:
        InvalidArgumentError: If an id would be lost or come to mean something else without a correction.
    """
    corrections = tuple(corrections)
    before = read(path) if path.exists() else {}
    broken = broken_promises(before, entries, corrections)
    if broken:
        raise InvalidArgumentError("findings", len(broken), "must keep what they mean: " + "; ".join(broken))
    changed = [c._asdict() for c in corrections]
    document = {"schema": SCHEMA, "findings": dict(sorted(entries.items())), "corrections": changed}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def broken_promises(
    before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]], corrections: Iterable[Correction]
) -> list[str]:
    """Return a line for each id that is lost or means something else though no correction says so.

    A correction covers the one meaning whose fingerprint it names, so that a later change needs a later correction.
    """
    said = {(correction.id, correction.was): correction for correction in corrections}
    broken = []
    for name, entry in before.items():
        was = fingerprint(entry["means"])
        change = said.get((name, was))
        if name not in now:
            kept = change is not None and (
                change.what == "withdrawn" or (change.what == "superseded" and change.by in now)
            )
            problem = "is gone"
        else:
            kept = fingerprint(now[name]["means"]) == was or (change is not None and change.what == "corrected")
            problem = "means something else"
        if not kept:
            broken.append(f"{name} {problem} (it was {was}), and no correction of its paper says so")
    return broken
