"""The verb ``dpref prove``: every proof, replayed against the library's own formulas."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpref.cli.progress import console, still_at_work
from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from proofs.check import Report
    from proofs.tally import Tally


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(prove)


def prove(
    *,
    paper: Annotated[str | None, typer.Option(help="Show only this paper or topic.")] = None,
    formulas: Annotated[
        str | None, typer.Option(help="Show only obligations whose formulas have this status, such as proved-in-part.")
    ] = None,
    sentence: Annotated[
        str | None, typer.Option(help="Show only obligations whose sentence has this status, such as in-words.")
    ] = None,
    with_coq: Annotated[
        bool,
        typer.Option(
            "--coq", help="Let Coq compile its whole library too, and every certificate: a quarter of an hour."
        ),
    ] = False,
    coq_sample: Annotated[
        int, typer.Option(min=0, metavar="N", help="With --coq: only N certificates, every day others.")
    ] = 0,
    coq_files: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="With --coq: keep the files that Coq reads here.")
    ] = None,
    from_nothing: Annotated[
        bool,
        typer.Option(
            "--from-nothing",
            help="Search for every proof again, without a look at the recorded ones, and compare digests: a minute.",
        ),
    ] = False,
    as_table: Annotated[
        bool,
        typer.Option(
            "--table", help="Count sentences and formulas by paper and status, and what is assumed (Markdown)."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Replay every proof against the library's own formulas. Exit 0 if all is as recorded, else 1; 3 without Coq."""
    if from_nothing:
        if paper or formulas or sentence or with_coq or as_table:
            raise InvalidArgumentError("--from-nothing", from_nothing, "derives everything: leave the others out")
        raise typer.Exit(0 if _derive_again(as_json=as_json) else 1)
    from proofs.check import run
    from proofs.coq import running
    from proofs.registry import registry
    from proofs.sentences import SENTENCES
    from proofs.status import STATUSES

    formulas, sentence = (word and word.replace("-", " ") for word in (formulas, sentence))
    papers = tuple(dict.fromkeys(o.paper for o in registry().values()))
    choices = (("paper", paper, papers), ("formulas", formulas, STATUSES), ("sentence", sentence, SENTENCES))
    for name, given, known in choices:
        if given not in (None, *known):
            raise InvalidArgumentError(name, given, f"must be one of {', '.join(known)}")
    if (coq_sample or coq_files) and not with_coq:
        raise InvalidArgumentError("coq", with_coq, "must be given with --coq-sample and --coq-files")
    with still_at_work("prove"):
        report = run(paper, formulas, sentence)
        day = date.today().toordinal()  # noqa: DTZ011 - any day will do
        second = running.run(sample=coq_sample, seed=day, folder=coq_files) if with_coq else None
    tally = _tally(report) if as_table else None
    if as_json:
        more = ({"coq": second.to_json()} if second else {}) | ({"table": tally.to_json()} if tally else {})
        typer.echo(json.dumps(report.to_json() | more, indent=2))
    elif tally:
        typer.echo(tally.text)
        for problem in report.problems:
            typer.echo(f"PROBLEM {problem}")
    else:
        _show_proofs(report)
    if second and not as_json:
        console().print(second.text, highlight=False)
    raise typer.Exit(1 if not report.ok else running.exit_code(second) if second else 0)


def _tally(report: Report) -> Tally:
    from proofs.check import CERTIFICATES
    from proofs.coq.checkers import read
    from proofs.tally import of_rows

    return of_rows(report.rows, read(CERTIFICATES).two)


def _derive_again(*, as_json: bool) -> bool:
    """Derive every certificate from nothing, and say which differ from the committed ones."""
    from proofs.anew import compare

    with still_at_work("prove"):
        found = compare()
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
        return found.ok
    for line in found.differences:
        typer.echo(f"DIFFERS {line}")
    same = f"{found.compared} files derived from nothing: {len(found.differences)} differ"
    typer.echo(f"{same}; {found.seconds:.0f} s")
    return found.ok


def _show_proofs(report: Any) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    colours = {"proved": "green", "certified": "green", "tested": "", "refuted": "red"}
    colours |= {"theorem": "green", "follows": "green", "formula": "green", "refuted by a theorem": "red"}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("sentence", "formulas", "obligation", "in words"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("sentence", "formulas"))
    for row in report.rows:
        words = Text(row.named).append("".join(f"; {remark}" for remark in row.remarks), style="dim")
        statuses = (Text(s, style=colours.get(s, "yellow")) for s in (row.sentence, row.formulas))
        table.add_row(*statuses, Text(row.id), words)
    out = console()
    out.print(table)
    for problem in report.problems:
        out.print(Text(f"PROBLEM {problem}", style="bold red"))
    if report.rows:
        out.print(report.counted, highlight=False)
    out.print(f"{len(report.rows)} obligations; replayed in {report.seconds:.2f} s", highlight=False)
