"""The verb ``dpref run``: a paper's algorithm on the user's own data.

Exit codes: 0 done, 2 bad usage, bad data or a plan that is not certified to keep to the budget.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dpref.cli.progress import still_at_work
from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from dpref.fitting import Fitted

_HELP: Final = """Run a paper's algorithm on your own data, with a certified epsilon.

The plan is shown before the run: noise, steps, what is certified, what the utility theorem promises at this n. A plan\
 that is not certified to spend at most EPSILON at DELTA under ADJACENCY does not run.

Bounds are public knowledge and come from you, never from the data: docs/your-own-data.md.

Example: dpref run gradient-descent --data people.csv --target bought --bounds bounds.json --epsilon 1 --delta 1e-5\
 --adjacency replace-one"""
_LONGEST: Final = 200
_PRIVATE: Final = "it holds your data: keep it as safe as them"


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(run)


def run(
    algorithm: Annotated[str, typer.Argument(metavar="ALGORITHM", help="Such as gradient-descent.")],
    *,
    data: Annotated[Path, typer.Option(metavar="FILE", help="A .csv file with a header, or a .parquet file.")],
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column that is to be predicted.")],
    bounds: Annotated[Path, typer.Option(metavar="FILE", help="Public bounds of the columns, JSON.")],
    epsilon: Annotated[str, typer.Option(help="The most that may be spent, exact, such as 1 or 1/2.")],
    delta: Annotated[str, typer.Option(help="Exact, such as 1e-5.")],
    adjacency: Annotated[str, typer.Option(help="replace-one, add-or-remove-one or zero-out.")],
    loss: Annotated[str, typer.Option(help="logistic, squared or huber.")] = "logistic",
    regularisation: Annotated[str, typer.Option(help="Weight of half the squared norm of the mapped weights.")] = "0",
    radius: Annotated[str | None, typer.Option(help="Of the ball in which mapped weights are sought.")] = None,
    clip: Annotated[str | None, typer.Option(help="At which gradients of mapped records are clipped.")] = None,
    intercept: Annotated[bool, typer.Option(help="Whether the predictor has a constant.")] = True,
    form: Annotated[str, typer.Option(help="repaired or as-printed.")] = "repaired",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the algorithm, such as steps=100."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out.")] = None,
    exact_noise: Annotated[
        bool, typer.Option("--exact-noise", help="Draw discrete noise, exactly, on a grid: docs/exact-noise.md.")
    ] = False,
    evaluation_error: Annotated[
        str | None,
        typer.Option(help="With --exact-noise: how far doubles may be from a query's value, such as 1e-9."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeats a run; whoever knows it knows the noise. For tests.")
    ] = None,
    plan_only: Annotated[bool, typer.Option("--plan-only", help="Show the plan and run nothing.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The result as JSON.")] = None,
    transcript: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The recorded run, which holds the data.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Run an algorithm on a table of records."""
    from dpref.checks import natural
    from dpref.fitting import Bounds, prepare, read_table
    from dpref.fitting.whole_files import writable, write_whole

    files = {name: path for name, path in (("out", out), ("transcript", transcript)) if path is not None}
    for name, path in files.items():
        others = {"data": data, "bounds": bounds, **files}
        writable(name, path, {other: others[other] for other in others if other != name})
    if seed is not None:
        natural("seed", seed, least=0)
    known = Bounds.read(bounds)
    table = read_table(data, target, known, ignored=ignore or ())
    asked: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "adjacency": adjacency,
        "bounds": known,
        "loss": loss,
        "regularisation": regularisation,
        "radius": radius,
        "clip": clip,
        "intercept": intercept,
        "form": form,
        "noise": "gridded" if exact_noise else "floating",
        "evaluation_error": evaluation_error,
    }
    if exact_noise and transcript is not None:
        raise InvalidArgumentError("transcript", str(transcript), "is of noise that is drawn as doubles alone")
    asked |= _pairs(settings or (), taken={*asked, "algorithm", "n", "dimension", "features", "target"})
    with still_at_work("run", lambda: "planning"):
        made = prepare(algorithm, table.features, table.target, **asked)
    if plan_only:
        document = {"plan": made.preview.to_json()}
        typer.echo(json.dumps(document, indent=2) if as_json else str(made.preview))
    else:
        if not as_json:
            typer.echo(made.preview)
        with still_at_work("run", lambda: algorithm):
            fitted = made.run(seed=seed, recorded=transcript is not None)
        document = fitted.to_json()
        typer.echo(json.dumps(document, indent=2) if as_json else _result(fitted))
        if transcript is not None:
            fitted.save_transcript(transcript)
            typer.echo(f"dpref: the transcript is in {transcript}; {_PRIVATE}", err=True)
    if out is not None:
        write_whole(out, json.dumps(document, indent=2) + "\n")
        typer.echo(f"dpref: the result is in {out}", err=True)


def _pairs(settings: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for given in settings:
        name, equals, value = given.partition("=")
        if not (equals and name.isidentifier()) or name in found:
            raise InvalidArgumentError("--set", given, "must be NAME=VALUE, each name once")
        if name in taken:
            raise InvalidArgumentError("--set", given, f"is for the algorithm's own parameters, and {name} is none")
        found[name] = value
    return found


def _result(fitted: Fitted) -> str:
    """What was released and spent, line by line; weights are in the units of the file."""
    found = fitted.to_json()
    lines = [("spent", f"{fitted.epsilon} at delta = {found['delta']}, {found['adjacency']}")]
    ledger = found["ledger"]
    if len(ledger) > _LONGEST:
        ledger = f"{ledger[:_LONGEST]}... (whole with --json or --out)"
    lines += [("ledger", ledger), ("intercept", repr(found["intercept"]))]
    lines += [(f"weight of {name}", repr(value)) for name, value in found["weights"].items()]
    width = max(len(name) for name, _ in lines)
    warned = [f"warning: {text}" for text in fitted.warnings]
    return "\n".join(["", *(f"{name:<{width}}  {text}" for name, text in lines), *warned])
