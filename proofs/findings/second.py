"""Which certificates a second checker has accepted: those whose very facts the record of the full Coq run names."""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from proofs.check import CERTIFICATES, path_of
from proofs.coq import checkers
from proofs.registry import Obligation

NAME: Final = "Coq"


@cache
def _record() -> checkers.Checkers:
    return checkers.read(CERTIFICATES)


def checker_of(o: Obligation) -> str:
    """The name of the second checker that accepted the obligation's certificate of today; empty if none is recorded."""
    certificate = json.loads(path_of(o).read_text(encoding="utf-8"))
    facts = certificate["facts"]
    accepted = checkers.counts(certificate["status"], facts) and not _record().alone(o.id, facts)
    return NAME if accepted else ""
