"""One page a theorem, from the registry of obligations: no page can claim more than the kernel has just checked."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import privacy_pages
from generated import write_pages
from papers import paper_pages
from replays import report_on_all
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata
from sphinx_proof.domain import ProofDomain
from theorem_pages import index, page
from words import slug

from proofs.citations import CITATIONS
from proofs.registry import registry


def generate(app: Sphinx) -> None:
    """Replay the certificates and write the pages below ``generated/theorems``.

    Raises:
        ExtensionError: If an obligation's certificate is missing, stale, or worse than recorded.
    """
    report = report_on_all()
    if not report.ok:
        raise ExtensionError("the obligations do not hold: " + "; ".join(report.problems))
    obligations = registry()
    rows = {row.id: row for row in report.rows}
    pages = {f"{slug(name)}.md": page(obligation, rows[name]) for name, obligation in obligations.items()}
    if len(pages) != len(obligations):
        raise ExtensionError("two obligations would share a page")
    pages |= paper_pages(obligations, report) | privacy_pages.pages(obligations, report)
    pages["index.md"] = index(obligations, report)
    write_pages(Path(app.srcdir) / "generated" / "theorems", pages)


def write_bibliography(source: Path) -> None:
    """Write what the obligations cite and ``references.bib`` lacks to ``generated/proofs.bib``."""
    known = (source / "references.bib").read_text(encoding="utf-8")
    missing = [entry.bibtex for key, entry in CITATIONS.items() if f"{{{key}," not in known]
    path = source / "generated" / "proofs.bib"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(missing), encoding="utf-8")


class MergedProofs(ProofDomain):  # type: ignore[misc]  # sphinx_proof has no types
    """What sphinx_proof keeps lies in the environment, which it merges itself: pages may be read side by side."""

    def merge_domaindata(self, docnames: AbstractSet[str], otherdata: Mapping[str, Any]) -> None:
        """There is nothing of the domain's own."""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the bibliography at once, and the pages before Sphinx looks for sources."""
    write_bibliography(Path(app.srcdir))
    app.add_domain(MergedProofs, override=True)
    app.connect("builder-inited", generate, priority=400)
    return {"version": "1", "parallel_read_safe": True}
