"""The help texts of the command line, as a user sees them."""

from __future__ import annotations

import os
from pathlib import Path

from generated import write_pages
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from typer.testing import CliRunner

from dpref.cli import app as command


def verbs() -> list[str]:
    """The verbs of the command line, in the order in which ``dpref --help`` lists them."""
    named = [entry.name or getattr(entry.callback, "__name__", "") for entry in command.registered_commands]
    return [verb.replace("_", "-") for verb in named]


def help_text(*verb: str) -> str:
    """What ``dpref VERB --help`` prints, 84 columns wide and without colours."""
    plain = {"COLUMNS": "84", "TERMINAL_WIDTH": "84", "NO_COLOR": "1", "TERM": "dumb"}
    result = CliRunner().invoke(command, [*verb, "--help"], prog_name="dpref", env={**os.environ, **plain})
    lines = [line.rstrip() for line in result.output.strip().splitlines()]
    return "\n".join(lines)


def generate(app: Sphinx) -> None:
    """Write one section a verb to ``generated/command_line``."""
    sections = [f"## `dpref {verb}`\n\n```text\n{help_text(verb)}\n```\n" for verb in verbs()]
    write_pages(Path(app.srcdir) / "generated" / "command_line", {"verbs.md": "\n".join(sections)})


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the sections before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    return {"version": "1", "parallel_read_safe": True}
