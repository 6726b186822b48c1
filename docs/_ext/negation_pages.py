"""The page of negations: each false printed statement with its Coq theorem, in the words of the sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from generated import write_pages
from words import said, slug, worded

from proofs.findings.evidence import evidence
from proofs.findings.gathering import findings
from proofs.negation import Negation
from proofs.negations import AGREEMENT, NEGATIONS
from proofs.negations_in_coq import FOLDER, definitions, theorem_text, where

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

HEAD = """# Refutations as negations

Each printed privacy statement below is false, and a Coq theorem is its negation: about the released output of the
algorithm, which is written in Coq as the paper's own recursion over data, losses and noise, with the printed noise. The
theorem holds the quantifiers of the sentence; what fails for which parameters stands in the theorems after it. Every
loss is shown to meet the statement's hypotheses. Where no dimension is said, parameters are real numbers (dimension
one); a statement about every dimension is false as soon as it is false there.

A law says which functions have which mean under it; `private` bounds every event that has a probability on both data
sets, and `concentrated` bounds the Rényi divergence of what any finite partition of the outputs tells, which is zCDP
(van Erven and Harremoës 2014, Theorem 2). The files are `proofs/coq/theory/negations/*.v`. The theorems rest on the
axioms of Coq's real numbers; those that need numbers rest also on its primitive integers and doubles.
"""


def section(row: Negation) -> str:
    """One statement with its theorem."""
    blocks = [theorem_text(row.file, name) for name in (*definitions(row.file, row.theorem), row.theorem)]
    blocks += [theorem_text(where(name), name) for name in row.stronger]
    paper, _, printed = row.statement.partition(", ")
    place, _, sentence = printed.partition(": ")
    facts = [
        f"*Neighbours.* {row.adjacency}.",
        f"*Instance.* {said(row.instance)}.",
        f"*Event.* {said(row.event)}.",
        f"*Its probabilities.* {said(row.probabilities)}.",
        f"*Obligations.* {', '.join(f'`{name}`' for name in row.obligations)}.",
    ]
    code = "\n\n".join(f"```coq\n{block}\n```" for block in blocks)
    listed = "\n".join(f"* {fact}" for fact in facts)
    label = f"(negation-{slug(row.theorem)})="
    head = f"{label}\n## {place} ({paper})\n\n*Printed.* {said(sentence)}."
    return f"{head}\n\n{listed}\n\n`{FOLDER}/{row.file}.v`:\n\n{code}\n"


def page() -> str:
    """The whole page."""
    laws = ("law", "point", "bind", "law_close", "private", "law_renyi", "concentrated")
    blocks = [*(theorem_text("Laws", name) for name in laws), *(theorem_text(where(name), name) for name in AGREEMENT)]
    code = "\n\n".join(f"```coq\n{block}\n```" for block in blocks)
    usual = f"## The definitions, and that they are the usual ones\n\n{code}\n"
    others = [f for f in findings() if f.concerns == "privacy" and not evidence(f).negations]
    listed = "\n".join(f"* `{f.id}` ({f.kind}): {worded(f.title)}" for f in others)
    told = "No theorem of Coq negates these sentences about privacy; their programs and certificates show the fault:"
    return "\n".join(
        [
            HEAD,
            usual,
            *map(section, NEGATIONS),
            f"## Findings without a negation in Coq\n\n{told}\n\n{listed}\n",
        ]
    )


def generate(app: Sphinx) -> None:
    """Write the page below ``generated/negations``."""
    write_pages(Path(app.srcdir) / "generated" / "negations", {"index.md": page()})


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the page before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    return {"version": "1", "parallel_read_safe": True}
