"""The text of the theorem pages, from the registry of obligations and from what was computed of each."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from papers import links_of
from words import (
    DETAILS,
    LEFT_OUT,
    badge,
    bibtex,
    bullets,
    capitalised,
    cited,
    every_goal,
    formulas,
    link,
    noted,
    parts,
    slug,
    sourced,
    standing,
    stated,
    worded,
)

from proofs.check import CERTIFICATES, Report, path_of
from proofs.findings.witnesses import where_false
from proofs.formulas import place_of
from proofs.registry import Obligation, no_goals
from proofs.sentences import BY_GOALS, STATED
from proofs.status import Row

SHORT = 60  # characters of a claim that is said beside its witness
ROOT = Path(__file__).parents[2]
INDEX = """# Theorems

Every obligation that dpref's formulas and verdicts rest on, with two statuses that were computed when these pages were
built ([what the words mean](../../evidence.md)): one of its sentence, and one of its formulas, which the kernel has
replayed. `dpref prove` replays the same certificates. What is
taken from the literature is [one list](assumptions.md); what Coq proves about privacy itself is [one page](privacy.md).

{counts}

{tables}
"""
# The pages are reached from the overview: a navigation of a hundred entries on every page helps nobody.
PAGE = """---
orphan: true
---

[Theorems](index.md#{paper})

# {title}

{standing} `{id}`

{statement}

{sections}

{details}
"""
STATEMENT = """````{{prf:{kind}}} {item}
:label: {label}
:nonumber:

{statement}

{{cite:p}}`{citation}`
````"""
# What a paper says and is false is no theorem of any kind.
REFUTED = """````{{admonition}} Refuted statement ({item})
:class: error

{statement}

{{cite:p}}`{citation}`
````"""


def placed(name: str) -> str:
    """A formula's id, as a link to where it stands."""
    return f"{{py:obj}}`{name} <{place_of(name)}>`"


def sentence(row: Row) -> str:
    """Return why the sentence has its status, with what Coq has printed where it states it."""
    told = {
        "in words": "A reader has compared the words with the formulas below; nothing else has.",
        "tested": "A search for counterexamples did not find one. The words themselves are not checked.",
        "formula": "It is about numbers alone, and is printed from the formulas that were replayed.",
        "cited": f"It is a published theorem: {'; '.join(row.sentence_by)}.",
        "refuted by computation": "It is printed from its formulas, which are false at the witness.",
        "refuted by a theorem": f"[A theorem of Coq is its negation](../negations/index.md): "
        f"{', '.join(f'`{name}`' for name in row.sentence_by)}.",
    }
    if row.sentence not in ("theorem", "follows"):
        return told.get(row.sentence, "")
    kept = json.loads((CERTIFICATES / "theorems.json").read_text(encoding="utf-8"))["statements"]
    how = "holds the library's formulas, and follows from theorems" if row.sentence == "follows" else "is the sentence"
    blocks = [f"```{{code-block}} coq\n{name} :\n  {kept[name]}\n```" for name in row.sentence_by]
    return "\n\n".join([f"In Coq, this statement {how}:", *blocks])


def sections(obligation: Obligation, row: Row) -> str:
    """What stands below the statement: only what there is."""
    assumed = {assumption.partition(": ")[2] for assumption in row.assumptions}
    goals = [
        f"{worded(goal.note)}: assumed"
        if goal.note in assumed
        else ": ".join(filter(None, (worded(goal.note), stated(goal))))
        for goal in obligation.goals()
    ]
    certificate = path_of(obligation)
    located = where_false(obligation) if row.witness and certificate.exists() else row.witness
    named = {
        "Sentence": sentence(row),
        "In words": obligation.statement if row.sentence_by == BY_GOALS else "",
        "Repaired form": link(obligation.repaired_by) if obligation.repaired_by else "",
        "Where it is false" if obligation.refutes else "Witness": located,
        "Evidence": row.evidence,
        "Steps": bullets(goals),
        "About": bullets(
            [f"{{py:obj}}`{name} <{place_of(name)}>`" for name in obligation.about] or ["No formula of the library."]
        ),
        "Rests on": bullets(map(link, obligation.premises)),
        "Resting on" if row.resting else "Assumed": bullets(map(cited, row.assumptions)),
        "Taken from Coq": bullets(f"[`{name}`](privacy.md), which Coq alone has checked" for name in row.taken),
        "Proved in Coq": bullets(
            f"{worded(t.text)} ([`{t.name}`](privacy.md)){', on finite output spaces' * bool(t.beyond)}"
            for t in obligation.theorems
        ),
        "Tests": bullets(f"`{name}`" for name in obligation.tests),
        "Not proved": f"{worded(sourced(obligation.not_proved))} {LEFT_OUT}".strip(),
        "Not proved in what it rests on": bullets(
            f"{link(gap.obligation)}: {worded(sourced(gap.text))}" for gap in row.gaps if gap.obligation != row.id
        ),
        "Open because": worded(obligation.open_because),
        "Source": bullets(
            [f"`{obligation.code}`"]
            + [f"`{certificate.relative_to(ROOT).as_posix()}` (certificate)"] * certificate.exists()
        ),
    }
    return parts(named)


def source(obligation: Obligation) -> str:
    """The text of the obligation: its statement, its goals, and how they are proved."""
    if obligation.goals is no_goals:
        return ""
    return DETAILS.format(
        summary=f"Code of the obligation ({obligation.code})",
        language="python",
        text=inspect.getsource(obligation.goals).strip(),
    )


def page(obligation: Obligation, row: Row) -> str:
    """The page of one obligation in MyST."""
    refuted = row.sentence.startswith("refuted")
    statement = (REFUTED if refuted else STATEMENT).format(
        kind="theorem" if row.sentence in STATED else "conjecture" if row.sentence == "open" else "observation",
        item=obligation.item,
        label=f"theorem-{slug(obligation.id)}",
        statement=every_goal(obligation) if row.sentence_by == BY_GOALS else obligation.statement,
        citation=obligation.citation,
    )
    return PAGE.format(
        paper=slug(obligation.paper),
        title=capitalised(obligation.title),
        standing=standing(row),
        id=obligation.id,
        statement=statement,
        sections=sections(obligation, row),
        details=bibtex(obligation.citation) + "\n" + source(obligation),
    )


def table(rows: Iterable[Row]) -> str:
    """The obligations of one paper or topic, a row each."""
    lines = ["| obligation | in words | sentence | formulas |", "|---|---|---|---|"]
    lines += [f"| {link(row.id)} | {noted(row)} | {badge(row.sentence)} | {formulas(row)} |" for row in rows]
    return "\n".join(lines)


def index(obligations: Mapping[str, Obligation], report: Report) -> str:
    """The overview, one table a paper or topic, in the order in which they are written."""
    papers = dict.fromkeys(obligation.paper for obligation in obligations.values())
    tables = [
        f"## {paper}\n\n{links_of(paper, report)}\n\n{table(row for row in report.rows if row.paper == paper)}"
        for paper in papers
    ]
    return INDEX.format(
        counts=f"{len(report.rows)} obligations.\n\n{bullets(map(capitalised, report.counted.splitlines()))}",
        tables="\n\n".join(tables),
    )
