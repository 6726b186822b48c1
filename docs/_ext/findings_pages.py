"""The pages of findings: one that lists them all, and one for the authors of each paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from generated import write_pages
from words import DETAILS, badge, cited, parts, said, slug, worded

from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.audit.mathml import math
from dpref.audit.papers.titles import TITLES
from proofs.findings.checking import program_of
from proofs.findings.citing import anchor, bibtex, citation
from proofs.findings.declared import CONCERNS, KINDS, Finding
from proofs.findings.evidence import LEVELS, Audited, evidence
from proofs.findings.gathering import corrections, findings, read
from proofs.findings.witnesses import number
from proofs.registry import registry

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

INDEX = """# Findings

Five papers were read line by line, their algorithms run, and their statements written as formulas. {holding} claims
about them, as printed or repaired, hold and are certified. This page lists {total} printed sentences that fail, or that
their printed proof does not show. Each has its place, the kindest reading, and what is true instead. A sentence that is
called false has an instance as well, and a short program that needs nothing of ours.

{papers}

## The kinds of fault

{kinds}

A finding of the kinds *slip* and *remark* calls no theorem false. Sentences about privacy come first.

{sections}

## Corrections

An id never changes its meaning. These findings were withdrawn, superseded or corrected:

{corrections}

## Citing a finding

`dpref findings ID --bibtex` prints an entry with the id, the text that was read, the version of dpref, the commit
where it is known, and the digests of the certificates. `dpref findings --json` prints the whole list. `dpref findings
ID --check` replays the certificates, builds the worst cases and runs the program anew. `dpref findings --note PAPER`
writes a note to the authors.

## To the authors

If we misread a sentence, the mistake is ours, and we shall mend it here. Each page says how the sentence was read, on
which data it fails, and under which reading it holds. A finding states *confirmed*, *disputed* with your words, or *not
yet answered*. That a sentence fails does not mean that a result is lost: beside each stands a form that holds.

```{{toctree}}
:hidden:

{toctree}
```
"""
PAGE = """# {authors} ({year})

*{title}* {{cite:p}}`{citation}`

[All findings](index.md) · [the paper in dpref](../../papers/{paper}.md) ·
[its errata, obligation by obligation](../theorems/{errata}-errata.md)

**What was read.** arXiv {arxiv}, version {version}, {date}, “{read}”; SHA-256 of the text `{sha256}`. Other versions:
{others} {code}The authors were asked: {asked}.

{holding} claims about the paper's algorithms, as printed or repaired, hold and are certified; [the paper's own
page](../../papers/{paper}.md) lists them.

{body}
"""
_CONCERNS = {"privacy": "Privacy", "utility": "Rates, steps and experiments"}


def place(finding: Finding) -> str:
    """Return a link to a finding's own place."""
    return f"{{ref}}`{finding.printed[0].place.replace('`', '')} <{anchor(finding)}>`"


def quoted(finding: Finding) -> list[str]:
    """Return the paper's own words, each with its place."""
    return [f'<q class="printed">{said(q.words)}</q> ({said(q.place)})' for q in finding.printed]


def reference(name: str) -> str:
    """Return a link to a claim's or an obligation's place."""
    paper, _, item = name.partition("/")
    if "@" not in item:
        return f"[`{name}`](../theorems/{slug(name)}.md)"
    algorithm = next((c.algorithm for c in catalogue() if c.id == name), "")
    page = f"../algorithms/{algorithm}.md" if algorithm in ALGORITHMS else f"../../papers/{paper}.md"
    return f"[`{item}`]({page})"


def shown(a: Audited) -> str:
    """Return a claim's verdict and, where something is certified from below, how much."""
    unit = "rho" if a.claim.is_zcdp else "epsilon"
    claimed = math(unit, "=", f"{float(a.claim.claimed.value):g}")
    verdict = f"{reference(a.claim.id)} {badge(a.claim.expected or 'open')}, claimed {claimed}"
    if a.least == "0":
        return verdict
    least = "$\\infty$" if a.least == "inf" else f"${number(a.least)}$"
    text = f"{verdict}, true at least {least}" + f" ({said(a.witness)})" * bool(a.witness)
    if a.claim.is_zcdp and a.certified_in_epsilon:
        ends = [number(f"{float(end):.6g}") for end in (a.delta, a.epsilon_claimed, a.epsilon_least)]
        text += "; at $\\delta={}$ that claims $\\varepsilon\\le{}$, and the truth is at least ${}$".format(*ends)
    return text


def hypotheses(finding: Finding) -> list[str]:
    """Return each hypothesis, and whether a computation or a reader checked it at the instance."""
    return [f"{worded(h.words)} ({f'`{h.check}` holds' if h.check else '*in words*'})" for h in finding.hypotheses]


def instance(finding: Finding) -> dict[str, str]:
    """Return the instance, written out."""
    at = finding.instance
    if at is None:
        return {}
    return {
        "Parameters": ", ".join(f"`{name} = {value}`" for name, value in at.parameters.items()),
        "Data D" if at.neighbour else "Instance": worded(at.data),
        "Neighbour D'": worded(at.neighbour),
        "Released": worded(at.released),
        "Event": worded(at.event),
    }


def fields(finding: Finding) -> str:
    """Return everything about a finding, below its heading."""
    known, instead, told = evidence(finding), registry()[finding.instead], finding.answer
    certificates = [
        f"{reference(c.obligation)}, SHA-256 `{c.digest}`{', accepted by ' * bool(c.second)}{c.second}. {c.witness}"
        for c in known.certificates
    ]
    kindest = f"{worded(finding.kindest.reading)} {badge(finding.kindest.verdict)}"
    return parts(
        {
            "Printed": listed(quoted(finding)),
            "As mathematics": worded(finding.sentence),
            "Why it fails": worded(finding.fails),
            "Hypotheses": listed(hypotheses(finding)),
            **instance(finding),
            "The program prints": listed([f"`{line}`" for line in finding.prints]),
            "The kindest reading": f"{kindest} {reference(finding.kindest.shown_by)}"
            if finding.kindest.shown_by
            else kindest,
            "True instead": f"{worded(instead.title.rstrip('.') + '. ' + instead.statement)} ({reference(instead.id)})",
            "Known before": worded(finding.known),
            "Audited": listed(map(shown, known.audited)),
            "A formula of it is refuted by": listed(certificates),
            "Negated in Coq": listed([f"[`{name}`](#negation-{slug(name)})" for name in known.negations]),
            "Taken from the literature": listed(map(cited, known.resting)),
            "Known by": "; ".join(f"*{level}* ({LEVELS[level]})" for level in known.levels),
            "The authors": " ".join(filter(None, (told.status, worded(told.words), worded(told.mended)))),
            "Check": f"`dpref findings {finding.id} --check`",
        }
    )


def listed(items: Iterable[str]) -> str:
    """Return a list in Markdown; one item stands alone."""
    found = list(items)
    return found[0] if len(found) == 1 else "".join(f"\n* {item}" for item in found)


def whole(finding: Finding) -> str:
    """Return one finding on its paper's page."""
    only = f"**Known only for {worded(finding.only_for)}.**" if finding.only_for else ""
    text = program_of(finding).read_text(encoding="utf-8").strip() if finding.prints else ""
    program = DETAILS.format(summary="The program", language="python", text=text) if text else ""
    entry = DETAILS.format(summary="Cite", language="bibtex", text=bibtex([finding]).strip())
    kind = f"{badge(finding.kind)} `{finding.id}`"
    heading = f"({anchor(finding)})=\n### {finding.printed[0].place}: {worded(finding.title.rstrip('.'))}"
    return "\n\n".join(filter(None, [heading, only, kind, fields(finding), program, entry]))


def cell(text: str) -> str:
    """Return text as the cell of a table."""
    return text.replace("\\|", "\\Vert ").replace("|", "\\vert ").replace("\n", " ")


def table(found: Sequence[Finding]) -> str:
    """Return a row a finding; on a narrow screen a card each (``dpref.css``)."""
    head = ("sentence", "printed", "why it fails", "the kindest reading")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for f in found:
        title = TITLES[f.paper]
        only = f"Only for {worded(f.only_for)}. " if f.only_for else ""
        cells = (
            f"**{place(f)}** {title.authors} ({title.year})<br>{worded(f.title)}",
            quoted(f)[0],
            only + worded(f.fails),
            f"{worded(f.kindest.reading)} {badge(f.kindest.verdict)}",
        )
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return "\n".join(["::::{container} findings", *lines, "::::"])


def sections(found: Sequence[Finding]) -> str:
    """Return the tables: privacy by kind, then the others by kind."""
    grouped = {
        f"{_CONCERNS[concern]}: {kind}": [f for f in found if (f.concerns, f.kind) == (concern, kind)]
        for concern in CONCERNS
        for kind in KINDS
    }
    return "\n\n".join(f"## {title}\n\n{table(rows)}" for title, rows in grouped.items() if rows)


def counted(found: Sequence[Finding]) -> str:
    """Return how many findings there are of each kind."""
    kinds = [f.kind for f in found]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS if kind in kinds)


def index(found: Sequence[Finding]) -> str:
    """Return the overview."""
    papers = [
        f"* [{title.authors} ({title.year})]({name}.md), *{title.title}*: "
        f"{counted([f for f in found if f.paper == name])}."
        for name, title in TITLES.items()
    ]
    changed = [
        f"* `{c.id}` was {c.what}{' by ' * bool(c.by)}{f'`{c.by}`' * bool(c.by)} on {c.date}. {worded(c.why)}"
        for c in corrections()
    ]
    return INDEX.format(
        holding=sum(c.expected == "holds" for c in catalogue()),
        total=len(found),
        papers="\n".join(papers),
        kinds="\n".join(f"* *{kind}*: {words}" for kind, words in KINDS.items()),
        sections=sections(found),
        corrections="\n".join(changed) or "None.",
        toctree="\n".join(TITLES),
    )


def page(paper: str, found: Sequence[Finding]) -> str:
    """Return what was found in one paper, after what was read of it."""
    title, text = TITLES[paper], read(paper)
    groups = {concern: [f for f in found if f.concerns == concern] for concern in CONCERNS}
    body = [f"## {_CONCERNS[name]}\n\n" + "\n\n".join(map(whole, part)) for name, part in groups.items() if part]
    return PAGE.format(
        authors=title.authors,
        year=title.year,
        title=title.title,
        citation=citation(paper),
        paper=paper,
        errata=slug(paper),
        arxiv=text.arxiv,
        version=text.version,
        date=text.date,
        read=text.title,
        sha256=text.sha256,
        others=worded(text.others),
        code=f"The authors' code: {worded(text.code)} " if text.code else "",
        asked=worded(text.asked),
        holding=sum(c.paper == paper and c.expected == "holds" for c in catalogue()),
        body="\n\n".join(body),
    )


def pages() -> dict[str, str]:
    """Return all pages by file name."""
    found = findings()
    return {"index.md": index(found)} | {
        f"{name}.md": page(name, [f for f in found if f.paper == name]) for name in TITLES
    }


def generate(app: Sphinx) -> None:
    """Write the pages below ``generated/findings``."""
    write_pages(Path(app.srcdir) / "generated" / "findings", pages())


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", generate, priority=400)
    return {"version": "1", "parallel_read_safe": True}
