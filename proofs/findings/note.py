"""A note to the authors of a paper: scope, what holds, the results in order of weight, and how to answer.

dpref writes the note; people send it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from dpref.audit.catalogue import catalogue
from dpref.audit.papers.titles import TITLES
from dpref.errors import InvalidArgumentError
from dpref.version import VERSION
from proofs.findings.checking import program_of
from proofs.findings.citing import site
from proofs.findings.declared import KINDS, Finding
from proofs.findings.gathering import findings, order, read
from proofs.findings.plain import plain
from proofs.registry import registry

SHOWN: Final = 2  # results that are shown whole, half a page each
_HEAD: Final = """# A note on “{title}”

To the authors, {authors}. We wrote the paper's algorithms as programs, ran them, and checked the printed statements by
computer. This note says what we found. Each result comes with a short program that needs nothing of ours. If we
misread a sentence, the mistake is ours, and we shall correct the public page and say so on it.

**What we read.** arXiv {arxiv}, version {version} ({date}). {others}

## What holds

{holds}

## What we could not confirm

{count}

{results}
{rest}
## How to confirm or dispute a result

Each result has a page: {site}/generated/findings/{paper}.html. A page states *confirmed*, *disputed* (with your words)
or *not yet answered*. To answer, write to {address} and name the id. dpref {dpref} wrote this note.
"""


def note(paper: str) -> str:
    """Return the note on a paper, in Markdown.

    Raises:
        InvalidArgumentError: If there is no such paper.
    """
    if paper not in TITLES:
        raise InvalidArgumentError("--note", paper, f"must be the short name of a paper: {', '.join(TITLES)}")
    title, text = TITLES[paper], read(paper)
    # An ordinary instance leads, and a degenerate one never does.
    own = sorted((f for f in findings() if f.paper == paper), key=lambda f: (f.concerns, bool(f.only_for), order(f)))
    whole = [f for f in own if f.prints and f.kind != "remark"][:SHOWN]
    rest = [f for f in own if f not in whole and f.kind not in {"slip", "remark"}]
    kinds = ", ".join(
        f"{sum(f.kind == kind for f in own)} {kind}" for kind in KINDS if any(f.kind == kind for f in own)
    )
    listed = "".join(f"* `{f.id}` ({f.kind}), {f.printed[0].place}: {plain(f.title)}\n" for f in rest)
    return _HEAD.format(
        title=text.title, authors=title.authors, arxiv=text.arxiv, version=text.version, date=text.date,
        others=text.others, holds=_holds(paper), count=f"{len(own)} sentences, by kind: {kinds}.",
        results="\n".join(map(_result, whole)), rest=f"## Further, in one line each\n\n{listed}\n" if listed else "",
        site=site(), paper=paper, address=site("Issues"), dpref=VERSION,
    )  # fmt: skip


def _holds(paper: str) -> str:
    """List the printed claims that hold, each at the setting at which it was judged."""
    claims = [c for c in catalogue() if c.paper == paper and c.expected == "holds" and c.form.startswith("as-printed")]
    said = dict.fromkeys(
        f"* {c.place or c.item}: {c.statement} Judged at {'rho' if c.is_zcdp else 'epsilon'} ="
        f" {float(c.claimed.value):g}{'' if c.is_zcdp else f', delta = {float(c.delta):g}'}, {c.adjacency.name}."
        for c in claims
    )
    lines = "\n".join(said) or "* No printed claim about privacy holds under the adjacency that we read."
    repaired = sum(c.paper == paper and c.expected == "holds" and "repaired" in c.form for c in catalogue())
    return f"{lines}\n\n{repaired} repaired forms hold as well; the page states each."


def _result(f: Finding) -> str:
    """Return half a page on one finding."""
    instead, at = registry()[f.instead], f.instance
    named = {} if at is None else {"D": at.data, "D'": at.neighbour, "Released": at.released, "Event": at.event}
    if at and not at.neighbour:
        named = {"Instance": at.data}
    program = program_of(f).read_text(encoding="utf-8").strip()
    quoted = "; ".join(f"“{q.words}” ({q.place})" for q in f.printed[:1])
    parts = [
        f"### {plain(f.title)}\n",
        f"*{f.id}*, {f.kind}. " + f"Only for {plain(f.only_for)}. " * bool(f.only_for) + f"{quoted}\n",
        f"{plain(f.fails)}\n",
        " ".join(f"*{name}.* {plain(text).rstrip('.')}." for name, text in named.items()) + "\n" * bool(named),
        f"*Kindest reading.* {plain(f.kindest.reading)} Our verdict on it: {f.kindest.verdict}.\n",
        f"*True instead.* {plain(instead.title).rstrip('.')}. {plain(instead.statement)}\n",
        f"*Known before.* {plain(f.known)}\n" if f.known else "",
        f"```python\n{program}\n```\n",
        f"It prints: {'; '.join(f.prints)}.\n",
    ]
    return "\n".join(part for part in parts if part)


def write(paper: str, folder: Path) -> list[Path]:
    """Write the note as Markdown and, where typst is installed, as PDF; return the files."""
    text = note(paper)
    path = folder / f"dpref-note-{paper}.md"
    path.write_text(text, encoding="utf-8")
    try:
        import typst  # noqa: PLC0415 - optional
    except ImportError:
        return [path]
    compiler: Any = typst
    pdf = path.with_suffix(".pdf")
    pdf.write_bytes(compiler.compile(typeset(text).encode()))
    return [path, pdf]


_SPECIAL: Final = re.compile(r"([\\#$@<>_*`~\[\]])")


def typeset(markdown: str) -> str:
    """Return the note's Markdown in the language of typst; it knows headings, items, code and emphasis."""
    lines, code = ["#set page(margin: 2cm)", "#set text(size: 9.5pt)", "#show raw: set text(size: 7pt)"], False
    for line in markdown.splitlines():
        if line.startswith("```"):
            code = not code
        if code or line.startswith("```"):
            lines.append(line)
            continue
        marks = re.match(r"(#+ |\* )?(.*)", line)
        head, rest = (marks[1] or "", marks[2]) if marks else ("", line)
        head = head.replace("#", "=").replace("* ", "- ")
        pieces = re.split(r"(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)", rest)
        lines.append(head + "".join(map(_piece, pieces)))
    return "\n".join(lines)


def _piece(text: str) -> str:
    """Return code as it is, emphasis as a call, and other text with its special characters escaped."""
    if text.startswith("`"):
        return text
    plain_text = _SPECIAL.sub(r"\\\1", text.strip("*") if text.startswith("*") else text)
    if text.startswith("**"):
        return f"#strong[{plain_text}]"
    return f"#emph[{plain_text}]" if text.startswith("*") else plain_text
