"""The verb ``dpref findings``: what is false in the five papers, what is true instead, and how to cite it.

Exit codes: 0 listed, or as recorded (``--check``); 1 a finding is not what is recorded of it; 2 bad usage.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dpref.cli import completion
from dpref.cli.progress import console, still_at_work
from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from proofs.findings.declared import Finding
    from proofs.findings.evidence import Audited

_HELP: Final = """List the printed sentences of the five papers that fail, or that their printed proof does not show.

An ID names a finding (paper/item), a claim or an obligation about it, or a paper. One finding is shown whole. An id\
 keeps its meaning, and dpref says what became of an id that was withdrawn.

Exit code 0, or 1 if --check finds something that is not as recorded. Bad usage: 2."""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(findings)


def findings(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Only these.", autocompletion=completion.findings)
    ] = None,
    *,
    concerns: Annotated[str | None, typer.Option(help="Only those about privacy, or about utility.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    as_bibtex: Annotated[
        bool, typer.Option("--bibtex", help="Entries to cite the findings and their papers with.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Replay certificates, build worst cases and run the programs anew.")
    ] = False,
    note: Annotated[
        str | None,
        typer.Option(
            "--note", metavar="PAPER", help="Write a note to the authors of a paper: Markdown, and PDF with typst."
        ),
    ] = None,
) -> None:
    """List findings, or show one."""
    from dpref.version import VERSION
    from proofs.findings import citing, gathering
    from proofs.findings.declared import CONCERNS
    from proofs.findings.document import document

    if concerns not in (None, *CONCERNS):
        raise InvalidArgumentError("concerns", concerns, f"must be one of {', '.join(CONCERNS)}")
    forms = {"--json": as_json, "--bibtex": as_bibtex, "--check": check, "--note": note is not None}
    given = [option for option, on in forms.items() if on]
    if len(given) > 1:
        raise InvalidArgumentError("options", " ".join(given), f"must be one of {', '.join(forms)}, each alone")
    if note is not None:
        _write_note(note, ids)
        return
    found = tuple({f.id: f for name in ids for f in gathering.named(name)}.values()) if ids else gathering.findings()
    found = tuple(f for f in found if concerns in (None, f.concerns))
    if check:
        raise typer.Exit(1 if _differ(found) else 0)
    if as_json:
        kept = {c.id: c for c in gathering.corrections()}
        listed = {"findings": list(map(document, found)), "corrections": [c._asdict() for c in kept.values()]}
        typer.echo(json.dumps({"version": VERSION, "commit": citing.checkout(), **listed}, indent=2))
    elif as_bibtex:
        typer.echo(citing.bibtex(found), nl=False)
    elif ids and len(found) == 1:
        _show(found[0])
    else:
        _list(found)


def _write_note(paper: str, ids: Sequence[str] | None) -> None:
    from proofs.findings import note

    if ids:
        raise InvalidArgumentError("ID", " ".join(ids), "must be left out with --note, which names a paper")
    for path in note.write(paper, Path()):
        typer.echo(f"The note: {path}")


def _differ(found: Sequence[Finding]) -> bool:
    from proofs.findings.checking import differences
    from proofs.terms import Rejected

    wrong = 0
    for finding in found:
        with still_at_work("findings"):
            try:
                lines = list(differences(finding))
            except Rejected as error:
                lines = [f"{finding.id}: {error}"]
        wrong += bool(lines)
        typer.echo("\n".join(f"DIFFERS {line}" for line in lines) or f"as recorded: {finding.id}")
    return wrong > 0


def _list(found: Sequence[Finding]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("finding", no_wrap=True)
    table.add_column("printed in: what", overflow="fold")
    shown = ""
    for f in found:
        kind = f"{f.concerns}: {f.kind}"
        if kind != shown:
            table.add_section()
            table.add_row(Text(kind, style="red" if f.needs_program and f.concerns == "privacy" else "yellow"))
            shown = kind
        table.add_row(Text(f.id), Text(f"{f.printed[0].place}: {_plain(f.title)}"))
    out = console()
    out.print(table)
    kinds = [f.kind for f in found]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    out.print(f"{len(found)} findings: {counted}. `dpref findings ID` shows one.", highlight=False, soft_wrap=True)


def _show(f: Finding) -> None:
    from dpref.audit.papers.titles import TITLES
    from proofs.findings.evidence import LEVELS, evidence
    from proofs.findings.gathering import read
    from proofs.registry import registry

    known, at, text, instead = evidence(f), f.instance, read(f.paper), registry()[f.instead]
    values = ", ".join(f"{name} = {value}" for name, value in at.parameters.items()) if at else ""
    rows: list[tuple[str, str]] = [
        ("paper", f"{TITLES[f.paper]}; arXiv {text.arxiv}, version {text.version}"),
        ("kind", f"{f.kind}, about {f.concerns}"),
        ("only for", f.only_for),
        *((f"printed, {q.place}", f'"{q.words}"') for q in f.printed),
        ("that is", f.sentence),
        ("why it fails", f.fails),
        *(("hypothesis", f"{h.words} ({_checked(f.holds(h), h.check)})") for h in f.hypotheses),
        ("parameters", values),
        ("data", at.data if at else ""),
        ("neighbour", at.neighbour if at else ""),
        ("released", at.released if at else ""),
        ("event", at.event if at else ""),
        *(("the program prints", line) for line in f.prints),
        ("kindest reading", f"{f.kindest.reading} Our verdict: {f.kindest.verdict}. {f.kindest.shown_by}"),
        ("true instead", f"{instead.title}. {instead.statement} ({instead.id})"),
        ("known before", f.known),
        *(("audited", _audited(a)) for a in known.audited),
        *((f"certificate {c.obligation}", f"SHA-256 {c.digest}. {c.witness} {c.second}") for c in known.certificates),
        *(("negated in Coq", name) for name in known.negations),
        *(("taken from the literature", text) for text in known.resting),
        *((level, LEVELS[level]) for level in known.levels),
        ("the authors", f"{f.answer.status}. {f.answer.words} {f.answer.mended}"),
        ("check", f"dpref findings {f.id} --check"),
        ("cite", f"dpref findings {f.id} --bibtex"),
    ]
    _print(f"{f.id}: {_plain(f.title)}", [(name, _plain(text)) for name, text in rows])


def _checked(holds: bool, check: str) -> str:
    if not check:
        return "in words"
    return f"{check}: {'holds' if holds else 'does not hold'}"


def _audited(a: Audited) -> str:
    verdict = f"{a.claim.expected}: {a.claim.id}"
    if a.least == "0":
        return verdict
    return f"{verdict}; {a.unit} is at least {a.least} where {float(a.claim.claimed.value):g} is claimed. {a.witness}"


def _plain(text: str) -> str:
    from proofs.findings.plain import plain

    return plain(text)


def _print(title: str, rows: Sequence[tuple[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", overflow="fold", ratio=1)
    table.add_column(overflow="fold", ratio=4)
    for name, text in rows:
        if text.strip():
            table.add_row(Text(name), Text(" ".join(text.split())))
    out = console()
    out.print(Text(title, style="bold"))
    out.print(table)
