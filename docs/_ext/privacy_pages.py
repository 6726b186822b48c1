"""The page of privacy in Coq, from the library's own comments and statements, and the page of what remains assumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from words import cited, link, worded

from proofs.check import CERTIFICATES, Report
from proofs.coq import privacy
from proofs.coq.corollaries import COROLLARIES
from proofs.missing import BEYOND, MISSING
from proofs.registry import Obligation

PRIVACY = """# Privacy, proved in Coq

What *differentially private* means, and what follows from it, in Coq: on finite output spaces, with masses that may be
zero, and on output spaces of any kind, from nothing but the axioms of Coq's real numbers ({axioms}). Obligations name
these theorems in place of a citation; [what remains assumed](assumptions.md) is one list. {count} theorems are named;
`python -m proofs --theorems` has Coq check all of them, and every statement below is read from the file that it checks
(`proofs/coq/theory`, `coqc -Q proofs/coq/theory Dpref`).

{files}

## The library's formulas in these theorems

What fills each place is the library's formula, read through `TERM` and printed by the translator of certificates: a
changed formula is another statement, which Coq has not checked.

{corollaries}
"""
ASSUMPTIONS = """# What is assumed

Every step that dpref takes from the literature, with the obligations that rest on it, computed from their certificates.
The committed list is `proofs/certificates/assumptions.json`; `dpref prove` fails when an obligation rests on anything
that it does not name.

## Taken from Coq

Theorems of Coq from which the kernel takes facts about formulas ({taken_count}): such a theorem says just the recorded
fact, as [the translator](../../second-checker.md) writes it. Coq alone has checked it, and what rests on it says so.

{taken}

## Assumed everywhere

{count} steps, which nothing here proves, with what a proof in Coq would need that is not there.

{everywhere}

## Proved on finite output spaces, assumed on others

{finite_count} steps. [Coq proves them](privacy.md) for mechanisms with finitely many outputs; for the Gaussian, the
Laplace and other mechanisms whose outputs are not finitely many they are taken from the literature, and the obligation
says *proved in part*. What the proof on finite output spaces uses and the theory does not have elsewhere stands beside
each.

{finite}
"""
BAR = "\\|"
TABLE = "| step | obligations |\n|---|---|\n"


def pages(obligations: Mapping[str, Obligation], report: Report) -> dict[str, str]:
    """Both pages, by file name."""
    return {"privacy.md": privacy_page(obligations), "assumptions.md": assumptions_page(report)}


def privacy_page(obligations: Mapping[str, Obligation]) -> str:
    """Definitions and theorems, a section a file, in the order in which they build on one another."""
    names = privacy.named(obligations.values())
    users: dict[str, list[str]] = {name: [] for name in names}
    for o in obligations.values():
        for theorem in o.theorems:
            users[theorem.name].append(o.id)
    taken = [fact.theorem for fact in sorted(privacy.accepted(CERTIFICATES))]
    files = privacy.needed(sorted({name.partition(".")[0] for name in [*names, *taken]}))
    return PRIVACY.format(
        axioms=", ".join(f"`{axiom}`" for axiom in privacy.recorded_axioms()),
        count=len(names),
        files="\n\n".join(_file(file, users) for file in files),
        corollaries="\n\n".join(
            f"{link(c.obligation)}, from `{c.theorem}`:\n\n{_code(f'Corollary {c.name} : {c.stated()}')}"
            for c in COROLLARIES
        ),
    )


def _file(file: str, users: Mapping[str, list[str]]) -> str:
    head = privacy.header(file)
    parts = [f"## {head.title}", f"`{file}.v`", worded(head.text)]
    for d in privacy.declarations(file):
        by = ", ".join(map(link, users.get(f"{file}.{d.name}", ())))
        told = [worded(d.comment)] * bool(d.comment) + [f"Named by {by}."] * bool(by)
        parts += [" ".join(told)] * bool(told) + [_code(d.text)]
    return "\n\n".join(parts)


def _code(text: str) -> str:
    return f"```{{code-block}} coq\n{text}\n```"


def assumptions_page(report: Report) -> str:
    """The one list: what is assumed everywhere, and what Coq proves on finite output spaces."""
    everywhere: dict[str, list[str]] = {}
    finite: dict[str, list[str]] = {}
    taken: dict[str, list[str]] = {}
    for row in report.rows:
        for found, steps in ((everywhere, row.assumptions), (finite, row.beyond), (taken, row.taken)):
            for step in steps:
                found.setdefault(step, []).append(row.id)
    return ASSUMPTIONS.format(
        taken_count=len(taken), taken=_table({f"[`{name}`](privacy.md)": ids for name, ids in taken.items()}),
        count=len(everywhere), everywhere=_missing(everywhere, MISSING), finite_count=len(finite),
        finite=_missing(finite, BEYOND),
    )  # fmt: skip


def _missing(found: Mapping[str, Iterable[str]], why: Mapping[str, str]) -> str:
    """Steps that are assumed, and what is missing for each; a step without a reason is an error."""
    rows = (
        f"| {cited(step).replace('|', BAR)} | {', '.join(map(link, ids))} | {worded(why[step]).replace('|', BAR)} |"
        for step, ids in sorted(found.items())
    )
    return "| step | obligations | what is missing |\n|---|---|---|\n" + "\n".join(rows)


def _table(found: Mapping[str, Iterable[str]]) -> str:
    rows = ((cited(step).replace("|", BAR), ", ".join(map(link, ids))) for step, ids in sorted(found.items()))
    return TABLE + "\n".join(f"| {step} | {ids} |" for step, ids in rows)
