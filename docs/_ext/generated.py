"""Pages that are written from the code when the documentation is built; none of them is committed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_pages(folder: Path, pages: Mapping[str, str]) -> None:
    """Make the folder hold exactly these pages, touching only those that changed (so that builds stay quick).

    Args:
        folder: Where, below ``docs/generated``.
        pages: Text by file name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for stale in set(folder.glob("*.md")) - {folder / name for name in pages}:
        stale.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
