"""Which text a key depends on: whose a module is, which release of a package, and what code imports in any place."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

import pytest

from dpref.foreign.code_files import is_standard, sources, version_of
from dpref.foreign.identity import digest


def test_a_package_that_is_not_loaded_or_has_no_version_of_its_own_has_that_of_its_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bare_package-3.1.dist-info").mkdir()
    (tmp_path / "bare_package-3.1.dist-info" / "METADATA").write_text("Name: bare-package\nVersion: 3.1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert version_of("bare_package.part") == "bare_package 3.1"
    loaded = importlib.import_module("flint").__version__
    code = "from dpref.foreign.code_files import version_of; print(version_of('flint'))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == f"flint {loaded}\n"  # which this does not load


def test_a_file_with_the_name_of_a_standard_module_is_its_owners(tmp_path: Path) -> None:
    """In a process of its own, which has loaded no module of that name."""
    assert is_standard("profile")
    code = "from dpref.foreign.identity import digest; import profile; print(digest(profile.release))"
    found = set()
    for factor in (1, 2):
        (tmp_path / "profile.py").write_text(f"def release(data, rng):\n    return data * {factor}\n")
        path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        ended = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        found.add(ended.stdout)
    assert len(found) == 2


@pytest.mark.parametrize(
    "line",
    [
        "import helper",
        "import json; import helper; import csv",
        "try: import helper\n    except ImportError: pass",
        'import importlib; helper = importlib.import_module("helper")',
        'helper = __import__("helper")',
    ],
)
def test_what_is_imported_where_it_is_used_counts(line: str, written: Callable[..., ModuleType]) -> None:
    mine = f"def f(data, rng):\n    {line}\n    return helper.scale\n"
    keys = {digest(written(mine=mine, helper=f"scale = {scale}\n").f) for scale in (1, 2)}
    assert len(keys) == 2


def test_extension_modules_beside_the_code_count(written: Callable[..., ModuleType], tmp_path: Path) -> None:
    folder, keys = tmp_path / "code", set()
    for body in (b"first", b"second"):
        (folder / f"fast{EXTENSION_SUFFIXES[0]}").write_bytes(body)
        keys.add(digest(written(mine="def f(data, rng):\n    import fast\n    return fast.run(data)\n").f))
    written(pack__one="def f(data, rng):\n    return 1\n")
    for body in (b"first", b"second"):
        (folder / "pack" / f"fast{EXTENSION_SUFFIXES[0]}").write_bytes(body)
        keys.add(sources("pack.one"))
    assert len(keys) == 4
