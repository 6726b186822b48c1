"""The help texts of the command line, as a user sees them."""

from __future__ import annotations

import os
from pathlib import Path

from generated import write_pages
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from typer.testing import CliRunner

from dpref.cli import app as command

VERBS = ("audit", "algorithms", "prove")


def help_text(*verb: str) -> str:
    """What ``dpref VERB --help`` prints, 84 columns wide and without colours."""
    plain = {"COLUMNS": "84", "TERMINAL_WIDTH": "84", "NO_COLOR": "1", "TERM": "dumb"}
    result = CliRunner().invoke(command, [*verb, "--help"], prog_name="dpref", env={**os.environ, **plain})
    lines = [line.rstrip() for line in result.output.strip().splitlines()]
    return "\n".join(lines)


def generate(app: Sphinx) -> None:
    """Write one part a verb below ``generated/command_line``."""
    parts = {f"{verb}.md": f"```text\n{help_text(verb)}\n```\n" for verb in VERBS}
    write_pages(Path(app.srcdir) / "generated" / "command_line", parts)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the parts before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    return {"version": "1", "parallel_read_safe": True}
