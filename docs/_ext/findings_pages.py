"""The pages of findings: one that lists them all, and one for the authors of each paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from generated import write_pages
from words import DETAILS, badge, capitalised, cited, parts, said, slug

from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.audit.claims import KINDS
from dpref.audit.mathml import math
from dpref.audit.papers.titles import TITLES
from proofs.findings.citing import bibtex
from proofs.findings.finding import LEVELS, Audited, Finding
from proofs.findings.gathering import findings
from proofs.findings.witnesses import number

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

INDEX = """# Findings

Five papers were read line by line, their algorithms run, their statements written as formulas, and their proofs
checked. {holding} claims about them, as printed or repaired, hold and are certified. This page lists what does not
hold: {total} printed statements, each with its place, what is true instead, the neighbouring relation, the reading that
is kindest to it, and the evidence.

{refuted} are refuted; of {shown} it is only known that the printed proof does not show them. {false} of the refuted
ones are privacy statements that are *false as stated*. Those come first, and what is about rates, steps and experiments
stands apart, below.

{papers}

## What the words mean

{kinds}

{levels}

{sections}

## Citing a finding, and what an id promises

`dpref findings ID --bibtex` prints an entry that names the finding by its id, the version of dpref, the commit where
it is known, and the SHA-256 digest of the certificate that refutes the statement, beside the entry of the paper.
`dpref findings --json` is the whole list; `dpref findings ID --check` replays its certificates and builds its worst
cases anew.

**An id keeps its meaning.** The committed register `proofs/findings/register.json` says of every id which printed
statement it stands
for. An id never goes away and never comes to stand for another statement without an entry that says so: it is
*superseded* by another
id, *withdrawn* because it was wrong, or *reworded* because the print was copied wrongly, with the version and the
reason, and
`dpref findings ID` then answers with that entry. A test holds this.

## To the authors

If a statement is misread here, that is a mistake of ours, and we should like to mend it: every page says how the
statement was read, in which setting it fails, and under which reading it holds. That a statement fails does not mean
that a paper's result is lost. Most findings are constants, ranges, adjacencies and slips, and beside each stands a
form that holds.

```{{toctree}}
:hidden:

{toctree}
```
"""
PAGE = """# {authors} ({year})

*{title}* {{cite:p}}`{citation}`

[All findings](index.md) · [the paper in dpref](../../papers/{paper}.md) ·
[its errata, obligation by obligation](../theorems/{errata}-errata.md)

{count} {holding} claims about its algorithms, as printed or repaired, hold and are certified; its own page lists them.

{body}
"""
MEANINGS = {
    "false as stated": "false inside the statement's own hypotheses",
    "slip in print": "false as printed, where the paper itself has it right elsewhere",
    "formula used outside its range": "a formula where the theorem around it does not claim it",
    "proof does not show it": "a step of a proof is false or open, whatever becomes of the theorem",
    "not accounted for in the text": "something that the text does not mention costs privacy, or leaves nothing to say",
}


def anchor(finding: Finding) -> str:
    """The label of a finding, on the page of its paper."""
    return f"finding-{slug(finding.id)}"


def place(finding: Finding) -> str:
    """A link to a finding's own place."""
    return f"{{ref}}`{finding.item.replace('`', '')} <{anchor(finding)}>`"


def printed(finding: Finding) -> str:
    """What is printed: the paper's own words, and of an erratum what is judged of them."""
    words = [f'<q class="printed">{said(q.words)}</q>' for q in finding.quotations]
    return "<br>".join(words if finding.audited else [*words, finding.statement])


def reference(name: str) -> str:
    """A link to a claim's or an obligation's place."""
    paper, _, item = name.partition("/")
    if "@" not in item:
        return f"[`{name}`](../theorems/{slug(name)}.md)"
    algorithm = next((c.algorithm for c in catalogue() if c.id == name), "")
    page = f"../algorithms/{algorithm}.md" if algorithm in ALGORITHMS else f"../../papers/{paper}.md"
    return f"[`{item}`]({page})"


def shown(a: Audited) -> str:
    """What is certified of a claim."""
    unit = "rho" if a.claim.is_zcdp else "epsilon"
    claimed = math(unit, "=", f"{float(a.claim.claimed.value):g}")
    verdict = f"{reference(a.claim.id)} {badge(a.claim.expected or 'open')}, claimed {claimed}"
    if a.least == "0":
        return f"{verdict}; nothing is certified from below: the runs alone speak"
    least = "$\\infty$" if a.least == "inf" else f"${number(a.least)}$"
    text = f"{verdict}, true at least {least}" + f" ({said(a.witness)})" * bool(a.witness)
    if a.claim.is_zcdp and a.certified_in_epsilon:
        ends = [number(f"{float(end):.6g}") for end in (a.delta, a.epsilon_claimed, a.epsilon_least)]
        text += "; at $\\delta={}$ that claims $\\varepsilon\\le{}$, and the truth is at least ${}$".format(*ends)
    return text


def short(finding: Finding) -> str:
    """Under which relation it fails, the verdict of the kindest reading, and the levels of evidence."""
    kindest = " ".join(dict.fromkeys(badge(verdict) for _, verdict in finding.charitable))
    named = {
        "Fails under": ", ".join(finding.adjacencies),
        "The kindest reading": kindest,
        "Known by": ", ".join(finding.levels),
    }
    return "<br>".join(f"{name}: {text}" for name, text in named.items() if text)


def fields(finding: Finding) -> str:
    """Everything about a finding, below its heading."""
    words = [f'<q class="printed">{said(q.words)}</q> ({said(q.place)})' for q in finding.quotations]
    favourable = [f"{reference(name)} {badge(verdict)}" for name, verdict in finding.charitable]
    certificates = [
        f"{reference(c.obligation)}, SHA-256 `{c.digest}`{', accepted by ' * bool(c.second)}{c.second}. {c.witness}"
        for c in finding.certificates
    ]
    return parts(
        {
            "Printed": listed(words) or finding.statement,
            "What is judged": said(finding.statement) if finding.audited else finding.statement * bool(words),
            "How it was read": listed(map(said, readings(finding))),
            "True instead": finding.true,
            "Which rests on": ", ".join(map(reference, finding.repaired)),
            "Fails under": ", ".join(finding.adjacencies),
            "The kindest reading": listed(favourable),
            "Audited": listed(map(shown, finding.audited)),
            "Refuted by": listed(certificates),
            "Negated in Coq": listed([f"[`{name}`](#negation-{slug(name)})" for name in finding.negations]),
            "Taken from the literature": listed(map(cited, finding.resting)),
            "Known by": "; ".join(f"*{level}* ({LEVELS[level]})" for level in finding.levels),
            "Reproduce": f"`{finding.command}`",
        }
    )


def readings(finding: Finding) -> list[str]:
    """How each claim was read, every sentence once: what several claims share is said of the first."""
    told: set[str] = set()
    found = []
    for a in finding.audited:
        sentences = re.split(r"(?<=[.)]) (?=[A-Z(])", a.claim.reading)
        fresh = [s for s in sentences if s not in told]
        told.update(fresh)
        if fresh:
            found.append(" ".join(fresh) if len(finding.audited) == 1 else f"{a.claim.form}: {' '.join(fresh)}")
    return found


def listed(items: Iterable[str]) -> str:
    """A list in Markdown; one item stands alone."""
    found = list(items)
    return found[0] if len(found) == 1 else "".join(f"\n* {item}" for item in found)


def whole(finding: Finding) -> str:
    """One finding on its paper's page."""
    how = finding.kind if finding.standing == "refuted" else f"{finding.kind}, not refuted"
    entry = DETAILS.format(summary="Cite", language="bibtex", text=bibtex([finding]).strip())
    return "\n\n".join(
        [
            f"({anchor(finding)})=\n### {finding.item}: {heading(finding)}",
            f"{badge('refuted') if finding.standing == 'refuted' else badge('open')} *{how}* · `{finding.id}`",
            fields(finding),
            entry,
        ]
    )


def heading(finding: Finding) -> str:
    """The title; one that is made of a claim is plain text."""
    title = capitalised(finding.title.rstrip("."))
    return title if "$" in title else said(title)


def cell(text: str) -> str:
    """Text as the cell of a table."""
    return text.replace("\\|", "\\Vert ").replace("|", "\\vert ").replace("\n", " ")


def table(found: Sequence[Finding]) -> str:
    """A row each; on a narrow screen a card each (``dpref.css``)."""
    head = ("statement", "printed", "true instead", "how it is known")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for f in found:
        title = TITLES[f.paper]
        cells = (
            f"**{place(f)}** {title.authors} ({title.year})<br>{heading(f)}",
            printed(f),
            f.true,
            short(f),
        )
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return "\n".join(["::::{container} findings", *lines, "::::"])


def sections(found: Sequence[Finding]) -> str:
    """The tables: privacy by kind, what is only not shown, and everything else."""
    privacy = [f for f in found if f.concerns == "privacy" and f.standing == "refuted"]
    grouped = [
        (f"Privacy statements: {kind}", [f for f in privacy if f.kind == kind])
        for kind in KINDS
        if any(f.kind == kind for f in privacy)
    ]
    grouped.append(
        ("Privacy statements that are not shown, and not refuted", [f for f in found if f.standing != "refuted"])
    )
    grouped.append(("Rates, steps and experiments", [f for f in found if f.concerns != "privacy"]))
    return "\n\n".join(f"## {title}\n\n{table(rows)}" for title, rows in grouped if rows)


def index(found: Sequence[Finding]) -> str:
    """The overview."""
    refuted = [f for f in found if f.standing == "refuted"]
    count = {
        name: [sum(f.paper == name for f in refuted), sum(f.paper == name and f.concerns == "privacy" for f in refuted)]
        for name in TITLES
    }
    papers = [
        f"* [{title.authors} ({title.year})]({name}.md), *{title.title}*: {count[name][0]} refuted, {count[name][1]} of"
        " them about privacy."
        for name, title in TITLES.items()
    ]
    return INDEX.format(
        holding=sum(c.expected == "holds" for c in catalogue()),
        total=len(found),
        refuted=len(refuted),
        shown=len(found) - len(refuted),
        false=sum(f.concerns == "privacy" and f.kind == "false as stated" for f in refuted),
        papers="\n".join(papers),
        kinds="\n".join(f"* *{kind}*: {MEANINGS[kind]}." for kind in KINDS),
        levels="Known by:\n\n" + "\n".join(f"* *{level}*: {words}." for level, words in LEVELS.items()),
        sections=sections(found),
        toctree="\n".join(TITLES),
    )


def page(paper: str, found: Sequence[Finding]) -> str:
    """What was found in one paper."""
    title = TITLES[paper]
    privacy = [f for f in found if f.concerns == "privacy"]
    rest = [f for f in found if f.concerns != "privacy"]
    body = [f"## {name}\n\n" + "\n\n".join(map(whole, part)) for name, part in
            (("Privacy", privacy), ("Rates, steps and experiments", rest)) if part]  # fmt: skip
    refuted = sum(f.standing == "refuted" for f in found)
    return PAGE.format(
        authors=title.authors,
        year=title.year,
        title=title.title,
        citation=found[0].citation,
        paper=paper,
        errata=slug(paper),
        count=f"{refuted} printed statements are refuted, {sum(f.standing == 'refuted' for f in privacy)} of them about"
        f" privacy.",
        holding=sum(c.paper == paper and c.expected == "holds" for c in catalogue()),
        body="\n\n".join(body),
    )


def pages() -> dict[str, str]:
    """All pages by file name."""
    found = findings()
    by_paper: Mapping[str, list[Finding]] = {name: [f for f in found if f.paper == name] for name in TITLES}
    return {"index.md": index(found)} | {f"{name}.md": page(name, fs) for name, fs in by_paper.items() if fs}


def generate(app: Sphinx) -> None:
    """Write the pages below ``generated/findings``."""
    write_pages(Path(app.srcdir) / "generated" / "findings", pages())


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", generate, priority=400)
    return {"version": "1", "parallel_read_safe": True}
