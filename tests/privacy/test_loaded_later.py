"""Accountants that are slow to import are imported when they are asked, by names that a type checker reads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from dpref.privacy import accountants, loaded_later
from tests.test_layers import ASKED_IN_TURN, LATE, imported, modules

SLOW = ("smoothing", "rounds", "fast.accountant", "fast.curves", "renyi.accountant", "pld.accountant")


def test_what_asks_the_front_door_in_turn_is_imported_inside_functions_alone() -> None:
    sources = modules("dpref")
    above = [node for node in ast.parse(sources[LATE]).body if isinstance(node, ast.Import | ast.ImportFrom)]
    for _, asked in ASKED_IN_TURN:
        assert "dpref.privacy.accountants" in imported(asked, sources[asked], sources)
        assert asked in imported(LATE, sources[LATE], sources)
        assert asked not in imported(LATE, "\n".join(map(ast.unparse, above)), sources)


def test_the_front_door_loads_no_accountant_before_it_asks() -> None:
    names = [f"dpref.privacy.{name}" for name in SLOW]
    script = f"import sys, {accountants.__name__}; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_planted_bug_a_misspelt_name_is_seen_by_mypy(tmp_path: Path) -> None:
    text = Path(loaded_later.__file__).read_text(encoding="utf-8")
    for right, wrong in (
        ("rounds import within", "rounds import withn"),
        ("    return curves", "    from dpref.privacy.fast import fft\n\n    return fft"),
    ):
        assert right in text
        changed = tmp_path / f"{wrong.split()[-1]}.py"
        changed.write_text(text.replace(right, wrong), encoding="utf-8")
    files = sorted(str(path) for path in tmp_path.glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *files]
    said = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False).stdout
    assert 'has no attribute "withn"' in said
    assert "Incompatible return value type (got Module" in said
