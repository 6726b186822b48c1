"""The verbs ``dpref vectors make`` and ``dpref vectors check``.

Exit codes: 0 everything is right, 1 a vector or an implementation is wrong, 2 bad usage, 3 an implementation answered
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dpref.cli.progress import cpus, progress
from dpref.errors import InvalidArgumentError

if TYPE_CHECKING:
    from dpref.vectors.check import Folder, Report

_NO: Final = 1
_NOTHING: Final = 3
_SHOWN: Final = 20

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the vectors.")]
FamilyOption = Annotated[
    list[str] | None,
    typer.Option(help="accountant, calibration, transcript, sensitivity, sampler or claims; all, if none is named."),
]
JobsOption = Annotated[int | None, typer.Option(help="Processes; by default one a CPU.")]


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    verbs = typer.Typer(
        no_args_is_help=True, help="Golden vectors: make them, check them, test an implementation on them."
    )
    verbs.command("make")(make)
    verbs.command("check")(check)
    app.add_typer(verbs, name="vectors")


def make(
    folder: FolderArgument,
    *,
    family: FamilyOption = None,
    sample: Annotated[
        int | None, typer.Option(metavar="N", help="N tests of each family, always the same ones; for a quick look.")
    ] = None,
    jobs: JobsOption = None,
) -> None:
    """Compute every answer, certified, and write the files: the same byte for byte every time.

    All of them take about three minutes of processor time, most of it for the claims; --sample 5 some seconds.
    """
    from dpref.checks import natural
    from dpref.vectors.families import FAMILIES
    from dpref.vectors.make import make as write_all

    if sample is not None:
        natural("--sample", sample)
    with progress(0) as bar:
        counts = write_all(
            folder,
            tuple(family) if family else tuple(FAMILIES),
            sample=sample,
            jobs=_jobs(jobs),
            advance=lambda name: bar(name)(1),
        )
    for name, count in counts.items():
        typer.echo(f"{folder / name}.json: {count} tests")


def check(
    folder: FolderArgument,
    *,
    mine: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE.MODULE:FUNCTION",
            help="Your implementation: it is given each test as a dictionary without its answers, and returns its own,"
            " or None for what it does not support.",
        ),
    ] = None,
    jobs: JobsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Check a folder, and compute every answer again; or test an implementation on it.

    Exit code: 0 if all is right, 1 if a vector or the implementation is wrong, 3 if it answered nothing, 2 for bad
    usage.
    """
    from dpref.vectors.check import read, recomputed, run

    function = None if mine is None else _target(mine)
    found = read(folder)
    problems = list(found.problems)
    report: Report | None = None
    if function is not None and not problems:
        with _bar(found) as advance:
            report = run(found, function, advance)
    elif not problems:
        with _bar(found) as advance:
            problems += recomputed(found, _jobs(jobs), advance)
    for problem in problems[:_SHOWN]:
        typer.echo(f"dpref: {problem}", err=True)
    if len(problems) > _SHOWN:
        typer.echo(f"dpref: and {len(problems) - _SHOWN} more problems", err=True)
    typer.echo(json.dumps(_to_json(found, problems, report), indent=2) if as_json else _text(found, problems, report))
    if problems or (report is not None and report.failed):
        raise typer.Exit(_NO)
    if report is not None and not report.answered:
        raise typer.Exit(_NOTHING)


def _jobs(jobs: int | None) -> int:
    from dpref.checks import natural

    return cpus() if jobs is None else natural("--jobs", jobs)


@contextmanager
def _bar(folder: Folder) -> Iterator[Callable[[str], None]]:
    with progress(sum(map(len, folder.tests.values()))) as bar:
        yield lambda name: bar(name)(1)


def _target(name: str) -> Callable[[dict[str, Any]], Any]:
    """The function that ``package.module:function`` names, looked for in the current folder too."""
    import sys
    from importlib import import_module

    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise InvalidArgumentError("--mine", name, "must be package.module:function")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise InvalidArgumentError("--mine", name, f"cannot be loaded: {error}") from None
    if not callable(found):
        raise InvalidArgumentError("--mine", name, "must be a function")
    called: Callable[[dict[str, Any]], Any] = found
    return called


def _to_json(folder: Folder, problems: list[str], report: Report | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "whole": folder.whole,
        "tests": {name: len(tests) for name, tests in folder.tests.items()},
        "problems": problems,
    }
    if report is not None:
        found["outcomes"] = {name: dict(report.counts(name)) for name in folder.tests}
        found["failed"] = [
            {
                "family": name,
                "tcId": number,
                "flags": report.flags[name, number],
                "why": report.judged[name, number].why,
            }
            for name, number in report.failed
        ]
    return found


def _text(folder: Folder, problems: list[str], report: Report | None) -> str:
    if report is None:
        counts = ", ".join(f"{name} {len(tests)}" for name, tests in folder.tests.items())
        return f"{len(problems)} problems" if problems else f"all answers come out again: {counts}"
    from dpref.vectors.notes import NOTES

    lines = []
    for name in folder.tests:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(report.counts(name).items()))
        lines.append(f"{name}: {counts}")
    seen: set[str] = set()
    for name, number in report.failed:
        flags = report.flags[name, number]
        lines.append(f"FAILS {name} tcId {number} [{', '.join(flags)}]: {report.judged[name, number].why}")
        seen.update(flags)
    lines += [f"{flag} ({NOTES[flag].bug}): {NOTES[flag].description}" for flag in sorted(seen)]
    return "\n".join(lines)
