"""Which refutations a second checker has accepted, and of which certificate.

The record is written by whatever runs the checker: a JSON object from an obligation's id to the name of the checker and
the digest of the certificate that it was given.  A record of another certificate than today's counts for nothing.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

RECORD: Final = Path(__file__).parents[1] / "coq" / "accepted.json"


@cache
def _accepted() -> dict[str, dict[str, str]]:
    if not RECORD.exists():
        return {}
    found: dict[str, dict[str, str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def checker_of(obligation: str, digest: str) -> str:
    """The name of the second checker that accepted this very certificate; empty if none is recorded.

    Args:
        obligation: Its id.
        digest: SHA-256 of its certificate, in hexadecimal.
    """
    entry = _accepted().get(obligation, {})
    return entry.get("checker", "") if entry.get("sha256") == digest else ""
