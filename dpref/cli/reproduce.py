"""The verb ``dpref reproduce``: the papers' experiments.

Exit codes: 0 done, 2 bad usage or a package that is missing, 130 interrupted.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dpref.cli import completion
from dpref.cli.progress import cpus, progress
from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from dpref.experiments.experiment import Size

INTERRUPTED: Final = 130
_HELP: Final = """Carry out an experiment of a paper: figure, table and JSON, printed and repaired noise side by side.

Without an EXPERIMENT, list them. What is finished is kept: a run that was stopped goes on where it was.

The files go to OUT/EXPERIMENT/SIZE: figure.svg, table.md, result.json."""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(reproduce)


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="EXPERIMENT",
            help="Such as dynamic-privacy-budget/table-1.",
            autocompletion=completion.experiments,
        ),
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="A small shape, in under 30 seconds.")] = False,
    full: Annotated[bool, typer.Option("--full", help="The printed shape; may take hours.")] = False,
    out: Annotated[Path, typer.Option(help="The folder under which the files go.")] = Path("reproduced"),
    jobs: Annotated[int | None, typer.Option(help="Threads; by default one a CPU.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as one JSON object on standard output.")] = False,
) -> None:
    """List the experiments, or carry one out."""
    from dpref.checks import natural
    from dpref.experiments import pages, work
    from dpref.experiments.catalogue import experiment_named

    if quick and full:
        raise InvalidArgumentError("full", full, "excludes --quick")
    if name is None:
        _list(as_json=as_json)
        return
    experiment = experiment_named(name)
    size: Size = "quick" if quick else "full" if full else "default"
    threads = cpus() if jobs is None else natural("jobs", jobs)
    folder = work.prepared(experiment, size, out)
    typer.echo(f"dpref: {name}, {size}: takes about {experiment.takes[size]} on two cores", err=True)
    try:
        with progress(len(experiment.parts(experiment.shapes[size]))) as bar:
            found = work.carry_out(experiment, size, folder, threads, lambda part: bar(part)(1))
    except KeyboardInterrupt:
        typer.echo(
            f"dpref: stopped; what is finished is kept in {folder}, and the same command goes on from it", err=True
        )
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # the interpreter would wait for the parts that are under way, which may take an hour
    report = experiment.report(experiment.shapes[size], found)
    document = json.dumps(pages.to_json(experiment, size, report, found), indent=2)
    for file, text in pages.files(experiment, size, report, document).items():
        work.write(folder / file, text)
    typer.echo(document if as_json else pages.page(experiment, size, report))
    typer.echo(f"dpref: figure.svg, table.md and result.json are in {folder}", err=True)


def _list(*, as_json: bool) -> None:
    from dpref.experiments.catalogue import EXPERIMENTS

    if as_json:
        entries = [
            {"name": e.name, "title": e.title, "takes": {str(size): time for size, time in e.takes.items()}}
            for e in EXPERIMENTS
        ]
        typer.echo(json.dumps(entries, indent=2))
        return
    for experiment in EXPERIMENTS:
        times = ", ".join(f"{size} {text}" for size, text in experiment.takes.items())
        typer.echo(f"{experiment.name}: {experiment.title} ({times})")
