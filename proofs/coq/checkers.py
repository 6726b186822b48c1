"""Which certificates two checkers accept, the kernel and Coq, and why the others have one; as `running` recorded it.

``certificates/checkers.json`` lists, by id, the certificates that Coq does not check, each with the reason.
``python -m proofs.coq --write`` asks Coq about every certificate and writes the list anew; ``dpref prove --coq`` fails
when Coq does not accept one that is not on it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FILE: Final = "checkers.json"
COUNTED: Final = ("proved", "certified", "refuted")  # the statuses that say what was checked


def one_checker(folder: Path) -> dict[str, str]:
    """The certificates that only the kernel checks, each with the reason; empty where no list lies in the folder."""
    path = folder / FILE
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def record(folder: Path, alone: Mapping[str, str]) -> None:
    """Write the list."""
    (folder / FILE).write_text(json.dumps(dict(sorted(alone.items())), indent=1) + "\n", encoding="utf-8")
