"""What the documentation shows of other people's libraries is what they do."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "foreign" / "peers.md"


@pytest.mark.parametrize("package", ["optax", "diffprivlib"])
def test_the_page_needs_its_libraries(package: str) -> None:
    """Each is named in the group of dependencies that the page says it runs in."""
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    group = re.search(r"^peers = \[(.*)\]$", project, flags=re.MULTILINE)
    assert group is not None
    assert f'"{package}' in group[1]


@pytest.mark.filterwarnings("default")
def test_the_page_shows_what_the_libraries_do() -> None:
    for package in ("jax", "optax", "diffprivlib"):
        pytest.importorskip(package, reason=f"{package} is not installed: nox -s peers", exc_type=ImportError)
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\{code-block\} pycon\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    assert len(examples.examples) > 20
    shown: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(examples, out=shown.append)
    assert result.failed == 0, "".join(shown)
