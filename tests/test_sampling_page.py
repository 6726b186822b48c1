"""Every command on the page of samplers runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dpref.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "events" / "sampling.md"
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page(command: str) -> None:
    name, *arguments = shlex.split(command)
    assert name == "dpref"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "epsilon" in result.stdout
