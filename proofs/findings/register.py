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
CHANGES: Final[tuple[Change, ...]] = (
    Change(
        "dp-erm-revisited/E8",
        "reworded",
        "0.1.0",
        "Appendix B.7, where the paper has it right, is named.",
        "dea06be97aec14b6",
    ),
    Change(
        "dp-erm-revisited/E14", "reworded", "0.1.0", "The reading in the paper's favour is named.", "e25d2bfb6256b82f"
    ),
    Change(
        "dp-erm-revisited/E17",
        "reworded",
        "0.1.0",
        "Theorem 6.2 prints a soft O, and proof B.4 shows what is meant.",
        "ac2cd27dc1c87bcc",
    ),
    Change(
        "dp-erm-revisited/E18",
        "reworded",
        "0.1.0",
        "Proof B.5 has a constant inside its O with which the theorem stands.",
        "e85cf0272b957283",
    ),
    Change(
        "dynamic-privacy-budget/section-4.4",
        "reworded",
        "0.1.0",
        "The quotation was a fragment of the sentence.",
        "ea0ccd3ef7115609",
    ),
    Change("kl-condition/E3", "reworded", "0.1.0", "That Theorem 1 is not touched is said.", "ab19bd9861f6bb07"),
    Change(
        "kl-condition/E10", "reworded", "0.1.0", "That the paper names the public bound is said.", "f3b527043dbdfa7e"
    ),
    Change(
        "kl-condition/E20",
        "reworded",
        "0.1.0",
        "The section says less of convex losses than was put down here.",
        "d00053f47eb979de",
    ),
    Change(
        "kl-condition/E23",
        "reworded",
        "0.1.0",
        "The bound of one round is what the proof uses, and is not printed.",
        "797654486abb236f",
    ),
    Change(
        "private-online-frank-wolfe/E-21",
        "reworded",
        "0.1.0",
        "The parameter is described in Section 5.3, not 5.2.",
        "025aa2221a0ee70a",
    ),
    Change(
        "private-online-frank-wolfe/E-22",
        "reworded",
        "0.1.0",
        "The number stands in the published code, not in the paper.",
        "3a7b749f782dfe7f",
    ),
    Change(
        "private-saddle-points/E2",
        "reworded",
        "0.1.0",
        "The support is the printed one, and the proposition that holds all the same is named.",
        "a41547ff559b09c0",
    ),
)


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
