"""Words that the generated pages of obligations share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from proofs import latex
from proofs.citations import CITATIONS
from proofs.registry import Goal
from proofs.status import Row, by_construction

_LONGEST = 480  # characters of LaTeX: claims that are longer are read in the code

LEFT_OUT = """The measure theory under the formulas (that means, densities and conditioning behave as said), the source
of randomness, and floating-point samplers: see [what is not covered](../../limits.md)."""
DETAILS = """<details><summary>{summary}</summary>

```{{code-block}} {language}
{text}
```

</details>
"""


def slug(name: str) -> str:
    """An obligation's name as a file name and a label."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def badge(status: str) -> str:
    """A status as coloured text."""
    return f'<span class="status status-{slug(status)}">{status}</span>'


def standing(row: Row) -> str:
    """The status of an obligation; a refutation that takes something from the literature says from where."""
    keys = dict.fromkeys(assumption.partition(": ")[0] for assumption in row.resting)
    sources = ", ".join(f"{{cite:t}}`{key}`" if key in CITATIONS else key for key in keys)
    return f"{badge(row.status)}{', resting on ' * bool(sources)}{sources}"


def noted(row: Row) -> str:
    """The title of an obligation as the cell of a table, with what has to be known beside its status."""
    remarks = [remark for remark in row.remarks if not (row.resting and remark.startswith("resting on "))]
    said = [capitalised(row.title), *(f"<small>{capitalised(remark)}.</small>" for remark in remarks)]
    return "<br>".join(said).replace("|", "\\|")


def link(name: str) -> str:
    """A link to another obligation's page."""
    return f"[`{name}`]({slug(name)}.md)"


def bullets(items: Iterable[str]) -> str:
    """A list in Markdown; a single item stands alone."""
    found = list(items)
    return found[0] if len(found) == 1 else "\n".join(f"* {item}" for item in found)


def parts(named: Mapping[str, str]) -> str:
    """Named parts below one another, only those that say something."""
    return "\n\n".join(
        f"**{name}.** {text}" if "\n" not in text else f"**{name}.**\n\n{text}" for name, text in named.items() if text
    )


def cited(assumption: str) -> str:
    """An assumption, ``key: text``, with its key as a citation."""
    key, _, text = assumption.partition(": ")
    return f"{text} ({{cite:t}}`{key}`)" if key in CITATIONS else assumption


def stated(goal: Goal) -> str:
    """A claim of the kernel as a formula: what it says, and for which values of its symbols."""
    claim = goal.claim
    relation = claim.relation.removeprefix("not ")
    text = "=".join(map(latex.formula, goal.sides)) if goal.sides else latex.sides(claim.expr, relation)
    said = f"${text}$" if len(text) <= _LONGEST else "a claim too long to be written out"
    if text == "0=0":
        said = "both sides are one term"
    if relation != claim.relation:
        said += ", false at the witness,"
    elif by_construction(claim):
        said += ", by construction,"
    box = ", ".join(f"${part}$" for part in latex.box(claim.domain))
    return f"{said} for {box}" if box else said.removesuffix(",")


def bibtex(key: str) -> str:
    """One reference as BibTeX, to be copied."""
    return DETAILS.format(summary="Cite", language="bibtex", text=CITATIONS[key].bibtex.strip())


def capitalised(title: str) -> str:
    """A title that begins like a sentence, unless it begins with a symbol such as zCDP."""
    return title if title[1:2].isupper() else title[:1].upper() + title[1:]
