"""The command line: ``dpref audit``, ``dpref algorithms``, ``dpref prove``, and the verbs of the other ``cli_`` files.

Answers go to standard output (with ``--json``, JSON and nothing else), everything else to standard error.  A user's
mistake is one line and exit code 2, never a traceback.
"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import suppress
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from dpref import (
    cli_accounting,
    cli_audit,
    cli_compare,
    cli_complete,
    cli_help,
    cli_museum,
    cli_reproduce,
    cli_run,
    cli_vectors,
)
from dpref.cli_progress import console, show_log, still_at_work
from dpref.errors import DprefError, InvalidArgumentError
from dpref.version import VERSION

OK: Final = 0
NO: Final = 1
USAGE: Final = 2


class _Commands(TyperGroup):
    """Turns the library's errors into one line on standard error and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except DprefError as error:
            typer.echo(f"dpref: {error}", err=True)
            raise typer.Exit(USAGE) from None


app: Final = typer.Typer(
    name="dpref",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


cli_audit.register(app)
cli_accounting.register(app)
cli_compare.register(app)
cli_reproduce.register(app)
cli_run.register(app)
cli_vectors.register(app)
cli_museum.register(app)


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode gets a question mark, not a traceback
    try:
        try:
            app()
        finally:
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:  # such as a full disk behind the shell's redirection
        # What is still buffered cannot be written either: without this the interpreter would say so once more.
        with suppress(io.UnsupportedOperation):  # where standard output is no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        typer.echo(f"dpref: {error.filename or 'standard output'}: {error.strerror or error}", err=True)
        sys.exit(USAGE)


def _version(*, value: bool) -> None:
    if value:
        typer.echo(f"dpref {VERSION}")
        raise typer.Exit(OK)


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=lambda value: _version(value=value), is_eager=True, help="Show it.")
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose", "-v", count=True, help="Before the verb: say what is done and how long it takes; -vv: details."
        ),
    ] = 0,
) -> None:
    """Audit privacy claims, list the algorithms, replay the proofs."""
    show_log(verbose)


# ------------------------------------------------------------------------------------ algorithms


@app.command()
def algorithms(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Show these, with their places.", autocompletion=cli_complete.algorithms
        ),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on standard output.")] = False,
) -> None:
    """List the algorithms: paper, theorem, adjacency, measure, and whether the printed form holds."""
    from dpref.algorithms.places import places
    from dpref.algorithms.registry import ALGORITHMS, algorithm_named
    from dpref.audit.catalogue import catalogue
    from dpref.audit.printed_forms import printed_form_holds

    chosen = [algorithm_named(name) for name in names] if names else list(ALGORITHMS.values())
    claims = {a.name: [c for c in catalogue() if c.algorithm == a.name] for a in chosen}
    fields = ("name", "paper", "items", "measure", "paper_adjacency", "oracle_cost", "evidence")
    entries: list[dict[str, Any]] = [
        {f: getattr(a, f) for f in fields}
        | {"printed_form_holds": printed_form_holds(claims[a.name]), "claims": [c.id for c in claims[a.name]]}
        | {"places": places(a)}
        for a in chosen
    ]
    if as_json:
        typer.echo(json.dumps(entries, indent=2))
        return
    from rich.table import Table

    out = console()
    for entry in entries:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold")
        for field in fields[1:]:
            value = entry[field]
            table.add_row(field.replace("_", " "), ", ".join(value) if isinstance(value, tuple) else value)
        for adjacency, verdicts in entry["printed_form_holds"].items():
            table.add_row(f"as printed, {adjacency}", verdicts)
        table.add_row("claims", str(len(entry["claims"])) + f" (dpref audit --list {entry['paper']})")
        for role, place in entry["places"].items() if names else ():
            table.add_row(role, place)
        out.print(f"[bold]{entry['name']}[/bold]", highlight=False)
        out.print(table, highlight=False)
        out.print()


# ------------------------------------------------------------------------------------ prove


@app.command()
def prove(
    *,
    paper: Annotated[str | None, typer.Option(help="Show only this paper or topic.")] = None,
    status: Annotated[str | None, typer.Option(help="Show only this status, such as proved-in-part.")] = None,
    with_coq: Annotated[bool, typer.Option("--coq", help="Also check the leaf facts with Coq, if installed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Replay every proof against the library's own formulas. Exit 0 if all is as recorded, else 1."""
    from proofs import coq
    from proofs.check import run
    from proofs.registry import registry
    from proofs.status import STATUSES

    status = status and status.replace("-", " ")
    papers = tuple(dict.fromkeys(o.paper for o in registry().values()))
    for name, given, known in (("paper", paper, papers), ("status", status, STATUSES)):
        if given not in (None, *known):
            raise InvalidArgumentError(name, given, f"must be one of {', '.join(known)}")
    with still_at_work("prove"):
        report = run(paper, status)
        second = coq.summary(coq.run()) if with_coq else None
    if as_json:
        typer.echo(json.dumps(report.to_json() | ({"coq": second.to_json()} if second else {}), indent=2))
    else:
        _show_proofs(report)
        if second:
            console().print(second.text, highlight=False)
    raise typer.Exit(OK if report.ok and (second is None or second.ok) else NO)


def _show_proofs(report: Any) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    colours = {"proved": "green", "certified": "green", "tested": "", "refuted": "red"}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("status", "obligation", "statement"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "status")
    for row in report.rows:
        said = Text(row.title).append("".join(f"; {remark}" for remark in row.remarks), style="dim")
        table.add_row(Text(row.status, style=colours.get(row.status, "yellow")), Text(row.id), said)
    out = console()
    out.print(table)
    for problem in report.problems:
        out.print(Text(f"PROBLEM {problem}", style="bold red"))
    counts = ", ".join(f"{count} {status}" for status, count in report.counts.items())
    total = f"{len(report.rows)} obligations{': ' * bool(counts)}{counts}"
    out.print(f"{total}; replayed in {report.seconds:.2f} s", highlight=False)


cli_help.attach(app)
