"""The verb ``dpref museum``: published bugs, and who catches them.

Exit codes: 0 the score, 1 an auditor refutes what is right more often than it says, 2 bad usage.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, Final

import typer

from dpref.cli.progress import cpus, progress

UNSOUND: Final = 1

_HELP: Final = """Score auditors on published bugs of differentially private code.

Every exhibit has a broken form and a fixed one. For each auditor: how many broken forms it refutes, how many correct\
 ones, how often it calls them, and how long it takes.

An AUDITOR is dpref, unlearned (without scikit-learn), proof (accountants' reports and transcripts), mean (a threshold\
 on the mean), or package.module:function, called as (f, pair, claim, trials, seed), which returns whether the claim is\
 refuted, or that and a lower bound. dpref.museum.adapters has some of other packages.

Exit code: 0, or 1 if an auditor is unsound: it refutes correct code more often than once in a thousand."""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(museum)


def museum(
    *,
    auditor: Annotated[
        list[str] | None, typer.Option(metavar="AUDITOR", help="Who is scored; may be repeated; by default all four.")
    ] = None,
    trials: Annotated[int, typer.Option(help="Pairs of runs of a judgement.")] = 2_000,
    seeds: Annotated[int, typer.Option(help="Judgements of every form, each at a seed of its own.")] = 1,
    jobs: Annotated[int | None, typer.Option(help="Processes; by default one a CPU.")] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="The tables as Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array, one object an exhibit.")] = False,
) -> None:
    """Score auditors on the exhibits."""
    from dpref.checks import natural
    from dpref.errors import InvalidArgumentError
    from dpref.museum import score, table

    if as_json and as_markdown:
        raise InvalidArgumentError("json", as_json, "excludes --markdown")
    todo = score.cases(tuple(dict.fromkeys(auditor or score.DEFAULT_AUDITORS)), trials, seeds)
    with progress(len(todo)) as bar:
        found = score.results(todo, cpus() if jobs is None else natural("jobs", jobs, least=1), bar("museum"))
    entries = score.to_json(found)
    if as_json:
        typer.echo(json.dumps(entries, indent=2))
    elif as_markdown:
        typer.echo(table.markdown(entries, trials, seeds), nl=False)
    else:
        _show([list(map(str, row)) for row in table.rows(entries)])
        _show([list(table.HEADINGS), *map(table.summary, score.totals(entries))])
    raise typer.Exit(UNSOUND if any(total.unsound for total in score.totals(entries)) else 0)


def _show(cells: list[list[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    head, *body = cells
    shown: Any = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in head:
        shown.add_column(heading, overflow="fold")
    for row in body:
        shown.add_row(*row)
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=160)
    console.print(shown)
