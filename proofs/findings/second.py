"""Which certificates a second checker has accepted, as `proofs.coq.checkers` records it.

What is recorded is the digest of the facts that Coq was given.  A certificate that has changed since counts for
nothing.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from proofs.check import CERTIFICATES, path_of
from proofs.coq.checkers import Checkers, counts, read
from proofs.registry import registry

CHECKER = "Coq"


def checker_of(obligation: str, digest: str, folder: Path = CERTIFICATES, known: Checkers | None = None) -> str:
    """The name of the second checker that accepted this very certificate; empty if none is recorded.

    Args:
        obligation: Its id.
        digest: SHA-256 of its certificate, in hexadecimal.
        folder: Where the certificates are.
        known: What is recorded; read from the folder where it is None.
    """
    text = path_of(registry()[obligation], folder).read_bytes()
    c = json.loads(text)
    if hashlib.sha256(text).hexdigest() != digest or not counts(c["status"], c["facts"]):
        return ""
    return "" if (known or read(folder)).alone(obligation, c["facts"]) else CHECKER
