"""Words that the generated pages of obligations share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from dpref.audit.mathml import prose
from proofs import latex
from proofs.citations import CITATIONS
from proofs.registry import Goal, Obligation
from proofs.status import NO_GOALS, Row, by_construction

_LONGEST = 240  # characters; claims that are longer are read in the code
_GLANCE = 30  # and up to here they stand in the line
SPECIAL = re.compile(r"[_*\[\]$\\|`~{}]")
_KEPT = re.compile(r"(\$\$.+?\$\$|\$[^$]+\$|(?:\{[a-z:]+\})?`[^`]*`|\[[^\]]*\]\([^)]*\)|</?[a-z][^>]*>|\*+)", re.DOTALL)
_KEY = re.compile(rf"\b(?:{'|'.join(map(re.escape, CITATIONS))})\b(?=: )")

LEFT_OUT = """The measure theory under the formulas (that means, densities and conditioning behave as said), the source
of randomness, and floating-point samplers: see [what is not covered](../../limits.md)."""
DETAILS = """<details><summary>{summary}</summary>

```{{code-block}} {language}
{text}
```

</details>
"""


def raw(html: str) -> str:
    """HTML in Markdown: what means something to Markdown is written as entities, outside of tags."""
    pieces = re.split(r"(<[^>]*>)", html)
    return "".join(
        p.replace("|", "&#124;") if p.startswith("<") else SPECIAL.sub(lambda m: f"&#{ord(m[0])};", p) for p in pieces
    )


def said(text: str) -> str:
    """Plain text with its letters and roots as formulas, and its signs as signs."""
    return raw(prose(text))


def worded(text: str) -> str:
    """Markdown with its plain letters, roots and powers as formulas: code, links, roles and formulas stay as they are.

    >>> worded("at most n^2, see `n^2`")
    'at most <math alttext="n^2"><msup><mi>n</mi><mn>2</mn></msup></math>, see `n^2`'
    """
    return "".join(said(part) if i % 2 == 0 else part for i, part in enumerate(_KEPT.split(text)))


def slug(name: str) -> str:
    """An obligation's name as a file name and a label."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def badge(status: str) -> str:
    """A status as coloured text."""
    return f'<span class="status status-{slug(status)}">{status}</span>'


def standing(row: Row) -> str:
    """Return the statuses of an obligation's sentence and of its formulas, each with the column that it is about."""
    return f"sentence {badge(row.sentence)}, formulas {formulas(row)}"


def formulas(row: Row) -> str:
    """Return the status of the formulas; a refutation that takes something from the literature says from where."""
    if row.formulas == NO_GOALS:
        return "–"
    keys = dict.fromkeys(assumption.partition(": ")[0] for assumption in row.resting)
    sources = ", ".join(f"{{cite:t}}`{key}`" if key in CITATIONS else key for key in keys)
    return f"{badge(row.formulas)}{', resting on ' * bool(sources)}{sources}"


def noted(row: Row) -> str:
    """The title of an obligation as the cell of a table, with what has to be known beside its status."""
    remarks = [remark for remark in row.remarks if not (row.resting and remark.startswith("resting on "))]
    lines = [capitalised(row.title), *(f"<small>{worded(sourced(capitalised(remark)))}.</small>" for remark in remarks)]
    return "<br>".join(lines).replace("|", "\\|")


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
    return f"{worded(text)} ({{cite:t}}`{key}`)" if key in CITATIONS else worded(assumption)


def sourced(text: str) -> str:
    """Words in which keys of the bibliography may stand before what is taken from there, with these as citations."""
    return _KEY.sub(lambda found: f"{{cite:t}}`{found[0]}`", text)


def stated(goal: Goal) -> str:
    """A claim of the kernel as a formula: what it says, and for which values of its symbols.

    A claim that is longer than a glance stands on a line of its own, which scrolls by itself on a narrow screen.
    """
    claim = goal.claim
    relation = claim.relation.removeprefix("not ")
    raw = " == ".join(map(str, goal.sides)) if goal.sides else f"{claim.expr} {relation} 0"
    box = ", ".join(f"${part}$" for part in latex.box(claim.domain))
    remarks = [f"for {box}"] if box else []
    if relation != claim.relation:
        remarks = ["false at the witness", *remarks]
    elif by_construction(claim):
        remarks = ["by construction", *remarks]
    told = ", ".join(remarks)
    if raw == "0 == 0":
        return f"both sides are one term, {told}".removesuffix(", ")
    if len(raw) > _LONGEST:
        return f"a claim too long to be written out, {told}".removesuffix(", ")
    formula = "=".join(map(latex.formula, goal.sides)) if goal.sides else latex.sides(claim.expr, relation)
    if len(raw) <= _GLANCE:
        return f"${formula}$, {told}".removesuffix(", ")
    return f"{told}\n\n  $$\n  {formula}\n  $$\n"


def every_goal(obligation: Obligation) -> str:
    """Return the sentence of an obligation about numbers alone: its goals, each on a line with its domain."""
    lines = []
    for goal in obligation.goals():
        claim = goal.claim
        relation = claim.relation.removeprefix("not ")
        text = "=".join(map(latex.formula, goal.sides)) if goal.sides else latex.sides(claim.expr, relation)
        box = ", ".join(f"${part}$" for part in latex.box(claim.domain))
        lines.append(f"{f'For {box}:' if box else 'Without a variable:'}\n\n$$\n{text}\n$$")
    return "\n\n".join(lines)


def bibtex(key: str) -> str:
    """One reference as BibTeX, to be copied."""
    return DETAILS.format(summary="Cite", language="bibtex", text=CITATIONS[key].bibtex.strip())


def capitalised(title: str) -> str:
    """A title that begins like a sentence, unless it begins with a symbol such as zCDP."""
    return title if title[1:2].isupper() else title[:1].upper() + title[1:]
