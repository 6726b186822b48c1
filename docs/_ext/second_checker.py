"""How many certificates have two checkers, and why the others have one: from what the last full run recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from generated import write_pages

from proofs.check import CERTIFICATES, path_of
from proofs.coq.checkers import COUNTED, counts, read
from proofs.registry import registry

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata


def coverage() -> str:
    """A table by status, and the certificates that have one checker with the reason for each."""
    checkers, found = read(CERTIFICATES), dict[str, list[tuple[str, str]]]()
    for o in registry().values():
        c = json.loads(path_of(o).read_text(encoding="utf-8"))
        if counts(c["status"], c["facts"]):
            found.setdefault(c["status"], []).append((o.id, checkers.alone(o.id, c["facts"])))
    rows: list[tuple[str, int, int]] = [
        (s, len(found[s]), sum(not why for _, why in found[s])) for s in COUNTED if s in found
    ]
    rows.append(("all", sum(n for _, n, _ in rows), sum(n for _, _, n in rows)))
    table = [f"| {status} | {every} | {two} | {every - two} |" for status, every, two in rows]
    head = ["| status | certificates | two checkers | one checker |", "|---|---|---|---|"]
    alone = [f"| `{name}` | {_plain(why)} |" for s in COUNTED for name, why in found.get(s, []) if why]
    reasons = ["", "| one checker | why |", "|---|---|", *alone] if alone else []
    return "\n".join([*head, *table, *reasons, ""])


def _plain(why: str) -> str:
    """A reason as a cell: no sign that Markdown reads."""
    return why.replace("|", "/").replace("<", "&lt;").replace("*", "\\*").replace("`", "'").replace("$", "\\$")


def generate(app: Sphinx) -> None:
    """Write the table to ``generated/second_checker``."""
    write_pages(Path(app.srcdir) / "generated" / "second_checker", {"coverage.md": coverage()})


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the table before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    return {"version": "1", "parallel_read_safe": True}
