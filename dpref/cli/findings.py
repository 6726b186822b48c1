"""The verb ``dpref findings``: what is false in the five papers, what is true instead, and how to cite it.

Exit codes: 0 listed, or as recorded (``--check``); 1 a finding is not what is recorded of it; 2 bad usage.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dpref.cli import completion
from dpref.cli.progress import console, still_at_work
from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from proofs.findings.finding import Finding

_HELP: Final = """List the printed statements of the five papers that are refuted, or not shown by their printed proof.

An ID is that of a finding (paper/item), of an obligation that refutes it, or the name of a paper; one finding is\
 shown whole. Ids keep their meaning: what becomes of one is said, never silently changed.

Exit code 0, or 1 if --check finds that something is not what is recorded of it. Bad usage: 2."""


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
        bool, typer.Option("--check", help="Replay their certificates and build their worst cases anew.")
    ] = False,
) -> None:
    """List findings, or show one."""
    from dpref.version import VERSION
    from proofs.findings import citing, gathering
    from proofs.registry import CONCERNS

    if concerns not in (None, *CONCERNS):
        raise InvalidArgumentError("concerns", concerns, f"must be one of {', '.join(CONCERNS)}")
    given = [o for o, on in (("--json", as_json), ("--bibtex", as_bibtex), ("--check", check)) if on]
    if len(given) > 1:
        raise InvalidArgumentError("options", " ".join(given), "must be one of the three, each a form of its own")
    found = tuple({f.id: f for name in ids for f in gathering.named(name)}.values()) if ids else gathering.findings()
    found = tuple(f for f in found if concerns in (None, f.concerns))
    if check:
        raise typer.Exit(1 if _differ(found) else 0)
    if as_json:
        document = {"version": VERSION, "commit": citing.checkout(), "findings": [f.to_json() for f in found]}
        typer.echo(json.dumps(document, indent=2))
    elif as_bibtex:
        typer.echo(citing.bibtex(found), nl=False)
    elif ids and len(found) == 1:
        _show(found[0])
    else:
        _list(found)


def _differ(found: Sequence[Finding]) -> bool:
    from proofs.findings.checking import differences
    from proofs.terms import Rejected

    wrong = 0
    for finding in found:
        with still_at_work("findings"):
            try:
                lines = list(differences(finding.id))
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
        kind = f"{f.concerns}: {f.kind}" + " (not refuted)" * (f.standing != "refuted")
        if kind != shown:
            table.add_section()
            colour = "red" if f.concerns == "privacy" and f.standing == "refuted" else "yellow"
            table.add_row(Text(kind, style=colour))
            shown = kind
        table.add_row(Text(f.id), Text(f"{f.item}: {f.title}"))
    out = console()
    out.print(table)
    privacy = [f.kind for f in found if f.concerns == "privacy" and f.standing == "refuted"]
    counted = ", ".join(f"{privacy.count(kind)} {kind}" for kind in dict.fromkeys(privacy))
    out.print(
        f"{len(found)} findings, {sum(f.standing == 'refuted' for f in found)} of them refuted; of these {len(privacy)}"
        f" are about privacy{': ' * bool(counted)}{counted}. `dpref findings ID` shows one whole.",
        highlight=False,
        soft_wrap=True,
    )


def _show(f: Finding) -> None:
    from proofs.findings.finding import LEVELS
    from proofs.findings.plain import plain

    rows: list[tuple[str, str]] = [
        ("paper", str(f.source)),
        ("item", f.item),
        ("kind", f"{f.kind}; {f.standing}; concerns {f.concerns}"),
        *((f"printed ({q.place})", f'"{q.words}"') for q in f.quotations),
        ("statement" if f.quotations else "printed", plain(f.statement)),
        ("true instead", plain(f.true)),
        ("rests on", ", ".join(f.repaired)),
        ("adjacency", ", ".join(f.adjacencies)),
        *(("how it was read", plain(reading)) for reading in [a.claim.reading for a in f.audited][:1]),
        *(("charitable reading", f"{verdict}: {name}") for name, verdict in f.charitable),
        *(("audited", _audited(a)) for a in f.audited),
        *(
            (f"certificate {c.obligation}", f"SHA-256 {c.digest}. {plain(c.witness)} {c.second}")
            for c in f.certificates
        ),
        *(("negated in Coq", name) for name in f.negations),
        *(("taken from the literature", text) for text in f.resting),
        *((level, LEVELS[level]) for level in f.levels),
        ("reproduce", f"{f.command}    (and: dpref findings {f.id} --check)"),
        ("cite", f"dpref findings {f.id} --bibtex"),
    ]
    _print(f"{f.id}: {f.title}", rows)


def _audited(a: Any) -> str:
    verdict = f"{a.claim.expected}: {a.claim.id}"
    if a.least == "0":
        return f"{verdict}; nothing is certified from below, the runs alone speak"
    return f"{verdict}; {a.unit} is at least {a.least} where {float(a.claim.claimed.value):g} is claimed. {a.witness}"


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
