"""The verb ``dpref algorithms``: what there is, whether its printed form holds, and where it stands."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from dpref.cli import completion
from dpref.cli.progress import console


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(algorithms)


def algorithms(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Show these, with their places.", autocompletion=completion.algorithms
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
