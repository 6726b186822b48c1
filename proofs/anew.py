"""Every certificate, derived again from nothing: the tactics run in an empty folder, and the files are compared.

Nothing here looks at a committed certificate before the new ones are written, and then only at its digest.  What Coq
has said of theorems (``theorems.json``) is read: a status depends on it, and ``python -m proofs --theorems`` writes it.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from proofs.check import ASSUMPTIONS, CERTIFICATES, in_order, path_of, write
from proofs.registry import registry


@dataclass(frozen=True)
class Comparison:
    """What came out of deriving certificates again.

    Attributes:
        compared: How many files were derived.
        differences: A line for each file whose SHA-256 digest is not that of the committed one.
        seconds: Wall-clock time.
    """

    compared: int
    differences: tuple[str, ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether every file came out as it is committed, to the bit."""
        return not self.differences

    def to_json(self) -> dict[str, Any]:
        """Plain JSON: ``{"ok", "compared", "differences", "seconds"}``."""
        differences = list(self.differences)
        return {"ok": self.ok, **asdict(self), "differences": differences, "seconds": round(self.seconds, 3)}


def derive(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """Run the tactics, and write the certificates.

    Args:
        folder: An empty folder.
        only: Nothing but these obligations and what they rest on; everything where none is named.

    Returns:
        The files, relative to the folder; the list of assumptions where everything was derived.

    Raises:
        ValueError: If the folder is not empty: what lies there might be read.
        Rejected: If a tactic fails.
    """
    if any(folder.iterdir()):
        raise ValueError(f"{folder} must be empty")
    chosen = in_order(registry(), only)
    write([o.id for o in chosen], folder)
    found = [path_of(o, folder).relative_to(folder) for o in chosen]
    return found if only else [*found, Path(ASSUMPTIONS)]


def compare(only: Sequence[str] = (), committed: Path = CERTIFICATES) -> Comparison:
    """Derive certificates in an empty folder, and compare them with the committed ones.

    Args:
        only: Nothing but these obligations and what they rest on; everything where none is named.
        committed: Where the committed certificates are.

    >>> compare(["zcdp/log-below-line"]).ok
    True
    """
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = derive(folder, only)
        lines = [line for path in found if (line := _difference(path, folder, committed))]
    if not only:
        stray = {p.relative_to(committed) for p in committed.glob("*/*.json")} - {*found}
        lines += [f"{path.as_posix()}: committed, and derived from nothing" for path in sorted(stray)]
    return Comparison(len(found), tuple(lines), time.perf_counter() - start)


def _difference(path: Path, folder: Path, committed: Path) -> str:
    try:
        was = hashlib.sha256((committed / path).read_bytes()).hexdigest()
    except FileNotFoundError:
        return f"{path.as_posix()}: derived, and not committed"
    now = hashlib.sha256((folder / path).read_bytes()).hexdigest()
    return "" if was == now else f"{path.as_posix()}: committed with SHA-256 {was}, derived with {now}"
