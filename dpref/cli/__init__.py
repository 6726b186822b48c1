"""The command line: ``dpref`` and its verbs, a file each.

Answers go to standard output (with ``--json``, JSON and nothing else), everything else to standard error.  A user's
mistake is one line and exit code 2, never a traceback.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Annotated, Any, Final
from unicodedata import category

import typer
from typer.core import TyperGroup

from dpref.cli import (
    accounting,
    algorithms,
    audit,
    compare,
    findings,
    help_examples,
    museum,
    prove,
    reproduce,
    run,
    vectors,
)
from dpref.cli.progress import show_log
from dpref.errors import DprefError
from dpref.version import VERSION

OK: Final = 0
USAGE: Final = 2


class _Commands(TyperGroup):
    """Turns the library's errors into one line on standard error and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except DprefError as error:
            typer.echo(f"dpref: {_visible(str(error))}", err=True)
            raise typer.Exit(USAGE) from None


def _visible(text: str) -> str:
    """A message whose control characters are written out: a file's name may hold one that a terminal would obey."""
    return "".join(repr(c)[1:-1] if category(c) == "Cc" and c != "\n" else c for c in text)


app: Final = typer.Typer(
    name="dpref",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


for _verb in (audit, accounting, compare, reproduce, run, vectors, museum, algorithms, prove, findings):
    _verb.register(app)


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


help_examples.attach(app)
