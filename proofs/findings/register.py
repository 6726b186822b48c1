"""What the ids of findings mean: a committed register, and the promise that an id goes on meaning what it meant.

The register says of every id which printed statement it stands for, which certificates refute it and with what digest,
and what is certified of the claims about it. ``python -m proofs.findings`` writes it anew from what exists, and refuses
where an id would be lost or would come to mean something else: for that an entry is made in `CHANGES`, which says what
became of it. So an id that was cited is found again, whatever is learned later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from dpref.errors import InvalidArgumentError

REGISTER: Final = Path(__file__).parent / "register.json"
SCHEMA: Final = 1


class Change(NamedTuple):
    """What became of an id.

    Attributes:
        id: The id as it was cited.
        what: ``superseded`` by another id, ``withdrawn`` because it was wrong, or ``reworded`` as the print has it.
        since: The version of dpref since which this is so.
        why: One sentence.
        was: `fingerprint` of what it said.
        by: The id that takes its place, where it is superseded.
    """

    id: str
    what: Literal["superseded", "withdrawn", "reworded"]
    since: str
    why: str
    was: str
    by: str = ""


# The newest last. An entry is never removed.
CHANGES: Final[tuple[Change, ...]] = ()


def fingerprint(says: Iterable[str]) -> str:
    """A short name of a printed statement.

    >>> fingerprint(["Theorem 1 holds."])
    '6d815240f4ee9600'
    """
    return hashlib.sha256("\n".join(says).encode()).hexdigest()[:16]


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read(path: Path = REGISTER) -> dict[str, dict[str, Any]]:
    """The entries by id.

    Raises:
        InvalidArgumentError: If the file is of another schema.
    """
    document = json.loads(path.read_text(encoding="utf-8"))
    if document["schema"] != SCHEMA:
        raise InvalidArgumentError("register", document["schema"], f"must follow schema {SCHEMA}")
    found: dict[str, dict[str, Any]] = document["findings"]
    return found


def write(entries: Mapping[str, Mapping[str, Any]], path: Path = REGISTER) -> None:
    """Write the register; what it said before is kept where `CHANGES` says what became of it.

    Raises:
        InvalidArgumentError: If an id would be lost or come to mean something else without an entry in `CHANGES`.
    """
    before = read(path) if path.exists() else {}
    broken = broken_promises(before, entries, CHANGES)
    if broken:
        raise InvalidArgumentError("findings", len(broken), "must keep what they mean: " + "; ".join(broken))
    text = json.dumps({"schema": SCHEMA, "findings": dict(sorted(entries.items()))}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def broken_promises(
    before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]], changes: Sequence[Change] = CHANGES
) -> list[str]:
    """Ids that are lost, or that mean something else than they did, though no change says so.

    Args:
        before: Entries of an earlier register.
        now: Entries of today's.
        changes: What is said to have become of ids.

    Returns:
        A line each.
    """
    said = {(change.id, change.was): change for change in changes}
    broken = []
    for name, entry in before.items():
        was = fingerprint(entry["says"])
        change = said.get((name, was))
        if name not in now:
            kept = change is not None and (
                change.what == "withdrawn" or (change.what == "superseded" and change.by in now)
            )
            problem = "is gone"
        else:
            kept = fingerprint(now[name]["says"]) == was or (change is not None and change.what == "reworded")
            problem = "says something else"
        if not kept:
            broken.append(f"{name} {problem} (it was {was}), and no entry of proofs.findings.register.CHANGES says so")
    return broken
