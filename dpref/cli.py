"""The command line: ``dpref audit``, ``dpref algorithms``, ``dpref prove``, and the verbs of the other ``cli_`` files.

Answers go to standard output (with ``--json``, JSON and nothing else), everything else to standard error.  A user's
mistake is one line and exit code 2, never a traceback.
"""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from dpref import cli_accounting, cli_compare, cli_reproduce
from dpref.cli_progress import cpus, progress, still_at_work
from dpref.errors import ClaimFileError, DprefError, InvalidArgumentError
from dpref.version import VERSION

if TYPE_CHECKING:
    from dpref.audit.claims import Claim
    from dpref.audit.subjects import Subject
    from dpref.audit.verdict import Verdict

OK: Final = 0
NO: Final = 1
USAGE: Final = 2
UNDECIDED: Final = 3


class _Commands(TyperGroup):
    """Turns the library's errors into one line on standard error and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except DprefError as error:
            typer.echo(f"dpref: {error}", err=True)
            raise typer.Exit(USAGE) from None


app = typer.Typer(
    name="dpref",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


cli_accounting.register(app)
cli_compare.register(app)
cli_reproduce.register(app)


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
) -> None:
    """Audit privacy claims, list the algorithms, replay the proofs."""


# ------------------------------------------------------------------------------------ audit

_AUDIT_HELP: Final = """Judge privacy claims: certified interval, empirical lower bound, verdict.

A CLAIM is a name (paper/item@form,adjacency), a leading part of one (paper, paper/item, paper/item@form),\
 or a JSON file of claims (its name ends in .json). Without any, the whole built-in catalogue is judged.

Exit code of one claim: 0 holds, 1 refuted, 3 undecided. Of several: 1 if any is refuted, else 3 if any is undecided.\
 Of the catalogue: 0 if every verdict is the recorded one, else 1. Bad usage: 2."""


@app.command(help=_AUDIT_HELP)
def audit(
    claims: Annotated[list[str] | None, typer.Argument(metavar="CLAIM", help="What to judge.")] = None,
    *,
    trials: Annotated[
        int | None,
        typer.Option(
            help="Runs on each of two data sets; by default 2000 or what a claim needs. At confidence 0.999 runs can"
            " refute a claim of a large epsilon only from about 17.4 exp(epsilon) of them: the output says how many."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Makes the runs reproducible, whatever the number of jobs.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Threads; by default one a CPU.")] = None,
    confidence: Annotated[str, typer.Option(help="Of each claim's empirical bounds, jointly; exact.")] = "0.999",
    as_json: Annotated[bool, typer.Option("--json", help="Verdicts as a JSON array on standard output.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a self-contained page with plots.")] = None,
    names_only: Annotated[bool, typer.Option("--list", help="List the claims instead of judging them.")] = False,
) -> None:
    """Judge claims, print the verdicts, and exit with what they say."""
    from dpref.audit.catalogue import catalogue
    from dpref.audit.claim_files import claim_to_json, exact_number
    from dpref.audit.verdict_json import verdict_to_json

    chosen = _chosen(claims) if claims else catalogue()
    if names_only:
        entries = [claim_to_json(claim) for claim in chosen]
        typer.echo(json.dumps({"claims": entries}, indent=2) if as_json else "\n".join(claim.id for claim in chosen))
        return
    settings = {
        "trials": trials,
        "seed": seed,
        "jobs": cpus() if jobs is None else jobs,
        "confidence": exact_number(confidence, "confidence"),
    }
    with _page(html) as write_page:
        verdicts = _judged(chosen, settings)
        write_page(verdicts)
    if as_json:
        typer.echo(json.dumps([verdict_to_json(v) for v in verdicts], indent=2))
    else:
        from dpref.audit.terminal import show

        show(verdicts, _console())
    for v in verdicts:
        for alarm in v.alarms:
            typer.echo(f"dpref: ALARM: {v.claim.id}: {alarm}", err=True)
    raise typer.Exit(exit_code(verdicts, whole_catalogue=not claims))


def exit_code(verdicts: Sequence[Verdict], *, whole_catalogue: bool) -> int:
    """What the verdicts say to a shell."""
    if whole_catalogue:
        return OK if all(v.as_recorded for v in verdicts) else NO
    outcomes = {v.outcome for v in verdicts}
    return NO if "refuted" in outcomes else UNDECIDED if "undecided" in outcomes else OK


def _chosen(names: Sequence[str]) -> tuple[Claim, ...]:
    """Claims of files and of the catalogue, in the order of the arguments, each once."""
    from dpref.audit.catalogue import catalogue, select
    from dpref.audit.claim_files import read_claims

    chosen: dict[str, Claim] = {}
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        for name in names:
            found = read_claims(Path(name)) if name.endswith(".json") else select([name], catalogue())
            if name.endswith(".json"):
                _check_references(name, found)
            for claim in found:
                if chosen.setdefault(claim.id, claim) != claim:
                    raise InvalidArgumentError("CLAIM", name, f"has another claim named {claim.id}")
    for note in notes:  # an old name of a claim
        typer.echo(f"dpref: note: {note.message}", err=True)
    return tuple(chosen.values())


def _check_references(file: str, claims: Sequence[Claim]) -> None:
    """Refuse a file whose claims refer to a claim or to an obligation that is nowhere."""
    from dpref.audit.catalogue import catalogue

    names, obligations = {claim.id for claim in (*claims, *catalogue())}, set[str]()
    if any(claim.obligations for claim in claims):  # whose modules are slow to load
        from proofs.registry import registry

        obligations = set(registry())
    for i, claim in enumerate(claims):
        if claim.charitable is not None and claim.charitable not in names:
            rule = f"{claim.charitable!r} must be the name of a claim of this file or of dpref audit --list"
            raise ClaimFileError(f"{file}: claims[{i}].charitable: {rule}")
        for j, obligation in enumerate(claim.obligations):
            if obligation not in obligations:
                rule = f"{obligation!r} must be an obligation, see dpref prove"
                raise ClaimFileError(f"{file}: claims[{i}].obligations[{j}]: {rule}")


def _judged(claims: Sequence[Claim], settings: dict[str, Any]) -> list[Verdict]:
    from dpref.audit import verdict

    verdict.check(**settings)
    if sys.stderr.isatty():  # before the work, for who watches it; the report says it again
        from dpref.audit.terminal import reach_lines

        for line in reach_lines([(c, verdict.runs(c, settings["trials"])) for c in claims], settings["confidence"]):
            typer.echo(line, err=True)
    with progress(2 * sum(verdict.runs(claim, settings["trials"]) for claim in claims)) as bar:
        subjects = [_built(claim) for claim in claims]
        return [
            verdict.audit(claim, subject, **settings, advance=bar(claim.id))
            for claim, subject in zip(claims, subjects, strict=True)
        ]


def _built(claim: Claim) -> Subject:
    """Every claim's subject is built before the first one is run, so that a mistake costs no work."""
    from dpref.audit.builders import build

    try:
        return build(claim)
    except DprefError as error:
        raise ClaimFileError(f"{claim.id}: {error}") from None


def _page(path: Path | None) -> AbstractContextManager[Callable[[Sequence[Verdict]], None]]:
    """The HTML page: refused before the work if it cannot be written, and renamed into place after it."""
    if path is None:
        return nullcontext(lambda _: None)
    from dpref.audit.report import page

    return page(path)


# ------------------------------------------------------------------------------------ algorithms


@app.command()
def algorithms(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Show these, with their places.")
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

    console = _console()
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
        console.print(f"[bold]{entry['name']}[/bold]", highlight=False)
        console.print(table, highlight=False)
        console.print()


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
            _console().print(second.text, highlight=False)
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
    console = _console()
    console.print(table)
    for problem in report.problems:
        console.print(Text(f"PROBLEM {problem}", style="bold red"))
    counts = ", ".join(f"{count} {status}" for status, count in report.counts.items())
    total = f"{len(report.rows)} obligations{': ' * bool(counts)}{counts}"
    console.print(f"{total}; replayed in {report.seconds:.2f} s", highlight=False)


# ------------------------------------------------------------------------------------ the terminal


def _console() -> Any:
    from rich.console import Console

    # A pipe or a file has no width of its own; names should not be folded there.
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=140)
