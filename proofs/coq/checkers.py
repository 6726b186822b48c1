"""Which certificates two checkers accept, the kernel and Coq, and why the others have one; as a full run recorded it.

``certificates/checkers.json`` has, by the ids of obligations, the digest of the facts that Coq accepted (``two``) or
the reason why it did not (``one``).  ``python -m proofs.coq --write`` asks Coq about every certificate and writes the
file anew.  A certificate that is new, or has changed since, has one checker until then.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from proofs.coq.taken import of_facts

FILE: Final = "checkers.json"
COUNTED: Final = ("proved", "certified", "refuted")  # the statuses that say what a checker has accepted
HERE: Final = Path(__file__).parent
TRUSTED: Final = ("statements.py", "theory/Real.v", "theory/Erfc.v")  # another translator asks Coq other questions
TAKEN: Final = "what the kernel takes from Coq has no checker but Coq:"
NEW: Final = "new or changed since Coq was last asked about everything"


@dataclass(frozen=True)
class Checkers:
    """What Coq said of each certificate.

    Attributes:
        two: Digests of the facts that it accepted, by the obligation's id.
        one: Why it did not accept the others.
    """

    two: Mapping[str, str] = field(default_factory=dict)
    one: Mapping[str, str] = field(default_factory=dict)

    def alone(self, obligation: str, facts: Sequence[Mapping[str, Any]]) -> str:
        """Why these facts of an obligation have only one checker; nothing where they have two."""
        if self.two.get(obligation) == digest(facts):
            alone = dict.fromkeys(t.theorem for t in of_facts(facts))
            return f"{TAKEN} {', '.join(alone)}" if alone else ""
        return self.one.get(obligation, NEW)


@cache
def _trusted() -> bytes:
    return b"".join((HERE / name).read_bytes() for name in TRUSTED)


def digest(facts: Sequence[Mapping[str, Any]]) -> str:
    """Of all that the facts of a certificate record, and of what writes them as theorems and says their words."""
    recorded = json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(_trusted() + recorded).hexdigest()[:16]


def counts(status: str, facts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a certificate has anything that a second checker could check: more than citations."""
    return status in COUNTED and any(f["rule"] != "axiom" for f in facts)


def read(folder: Path) -> Checkers:
    """What is recorded in a folder of certificates; nothing has two checkers where nothing is."""
    path = folder / FILE
    return Checkers(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else Checkers()


def write(folder: Path, checkers: Checkers) -> None:
    """Record it."""
    content = {name: dict(sorted(entries.items())) for name, entries in asdict(checkers).items()}
    (folder / FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
