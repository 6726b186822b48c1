"""Pages about a whole paper: its items, its errata, its tables, from the registry and the replayed certificates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from words import LEFT_OUT, bibtex, bullets, capitalised, cited, link, parts, slug, standing

from proofs.check import Report
from proofs.citations import CITATIONS
from proofs.errata import entries
from proofs.errata import papers as listed
from proofs.findings.witnesses import where_false
from proofs.papers.dynamic_privacy_budget import PAPER, contents
from proofs.registry import Obligation

PAGE = """---
orphan: true
---

[Theorems](index.md#{paper})

# {title}

*{called}*

{body}

**Not proved.** {left_out}

{bibtex}
"""


KNOWN = """The formulas of {count} printed statements are false at a witness that the kernel checks. A sentence is
called refuted where a theorem of Coq or its own formulas refute it; elsewhere a reader has compared it with them."""
TABLES = """All bounds are orders of magnitude, for 1-smooth and 1-Lipschitz losses, with every other logarithm left
out, as printed. What holds is said beside each row; no row says more than its obligations."""


def cell(text: str) -> str:
    """Text as the cell of a table."""
    return text.replace("|", "\\vert ").replace("\n", " ")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown whose last column is wide."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([":::{container} wide", *lines, ":::"])


def citation_of(paper: str, obligations: Mapping[str, Obligation]) -> str:
    """The key of a paper: what most of its obligations cite."""
    keys = [o.citation for o in obligations.values() if o.paper == paper]
    return max(keys, key=keys.count)


def errata(paper: str, report: Report, obligations: Mapping[str, Obligation]) -> str:
    """Everything printed that is false, where it is false, and the form that holds."""
    rows = {row.id: row for row in report.rows}
    found = []
    for row in report.rows:
        if row.paper != paper or row.formulas != "refuted":
            continue
        repaired = f"{link(row.repaired_by)} {standing(rows[row.repaired_by])}" if row.repaired_by else "none is known"
        gaps = [gap.text if gap.obligation == row.id else f"{link(gap.obligation)}: {gap.text}" for gap in row.gaps]
        said = {
            "Witness": where_false(obligations[row.id]),
            "Resting on": bullets(map(cited, row.resting)),
            "Not proved": bullets(gaps),
            "Repaired form": repaired,
        }
        found.append(
            "\n\n".join(
                [
                    f"## {capitalised(row.title)}",
                    f"*{row.item}* · {link(row.id)} · {standing(row)}",
                    obligations[row.id].statement,
                    parts(said),
                ]
            )
        )
    count = len(found)
    known = KNOWN.format(count=count) if count else "None is known."
    return "\n\n".join([known, *found, settled(paper, report)])


def settled(paper: str, report: Report) -> str:
    """By what every entry of the specification's list is settled; nothing for a paper whose entries are not listed."""
    if paper not in listed():
        return ""
    rows = {row.id: row for row in report.rows}
    body = [
        (
            f"**{entry.name}**",
            " ".join(f"[`{o.partition('/')[2]}`]({slug(o)}.md)&nbsp;{standing(rows[o])}" for o in entry.obligations),
            "<br>".join(f"`{claim}`" for claim in entry.claims) or entry.why,
        )
        for entry in entries(paper)
    ]
    return "## Each entry and what settles it\n\n" + table(
        ("entry", "obligations", "claims, or why there is none"), body
    )


def checked_by(names: Iterable[str], report: Report) -> str:
    """Links to obligations with their statuses; a paper's own are named without it."""
    rows = {row.id: row for row in report.rows}
    found = map(contents.identifier, names)
    return " ".join(
        f"[`{name.removeprefix(PAPER.name + '/')}`]({slug(name)}.md)&nbsp;{standing(rows[name])}" for name in found
    )


def items(report: Report) -> str:
    """The paper item by item."""
    return table(
        ("item", "obligations"),
        (
            (f"**{item.name}**: {item.about}. {cell(item.note)}".strip(), checked_by(item.obligations, report))
            for item in contents.ITEMS
        ),
    )


def bounds(head: Sequence[str], rows: Iterable[contents.TableRow], report: Report) -> str:
    """A table of bounds with what was checked of every row."""
    body = ((*map(cell, row.cells), f"{cell(row.verdict)}<br>{checked_by(row.obligations, report)}") for row in rows)
    return table((*head, "what holds, and where it is checked"), body)


def narrow(row: contents.TableRow) -> contents.TableRow:
    """A row of Table 2 in two cells."""
    block, algorithm, bound, steps = row.cells
    return replace(row, cells=(f"{algorithm}<br>*{block}*", f"{bound}<br>$T$: {steps}"))


def paper_pages(obligations: Mapping[str, Obligation], report: Report) -> dict[str, str]:
    """The pages by file name."""
    pages = {}
    for paper in dict.fromkeys(row.paper for row in report.rows):
        if is_paper(paper, report):
            pages[f"{slug(paper)}-errata.md"] = page(paper, obligations, "Errata", errata(paper, report, obligations))
    whole = PAPER.name
    pages[f"{slug(whole)}-items.md"] = page(whole, obligations, "Item by item", items(report))
    tables = "\n\n".join(
        [
            TABLES,
            "## Table 1: utility upper bounds",
            bounds(contents.TABLE_1_HEAD, contents.TABLE_1, report),
            "## Table 2: true excess risk",
            bounds(("algorithm", "bound and $T$, as printed"), map(narrow, contents.TABLE_2), report),
        ]
    )
    pages[f"{slug(whole)}-tables.md"] = page(whole, obligations, "Tables 1 and 2", tables)
    return pages


def is_paper(name: str, report: Report) -> bool:
    """Whether a group of obligations is a paper, not a topic that papers share: something in it is refuted."""
    return any(row.formulas == "refuted" for row in report.rows if row.paper == name)


def links_of(paper: str, report: Report) -> str:
    """Links to the pages about a paper."""
    found = [f"[Errata]({slug(paper)}-errata.md)"] if is_paper(paper, report) else []
    if paper == PAPER.name:
        found += [f"[Item by item]({slug(paper)}-items.md)", f"[Tables 1 and 2]({slug(paper)}-tables.md)"]
    return " · ".join(found)


def page(paper: str, obligations: Mapping[str, Obligation], title: str, body: str) -> str:
    """One page about a paper."""
    key = citation_of(paper, obligations)
    called = re.sub(r"[{}]", "", dict(CITATIONS[key].fields)["title"])  # braces are for BibTeX
    return PAGE.format(paper=slug(paper), title=title, called=called, body=body, left_out=LEFT_OUT, bibtex=bibtex(key))
