"""Certificates for tests to ask about and to spoil, and modules that a test writes and imports.

Replaying every certificate takes half a minute, and is done once a run (``report``, in the outer conftest.py); a
test that plants something in a certificate works in a small world of three topics.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

TOPICS = ("zcdp", "sensitivity", "gaussian")


@pytest.fixture
def certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry of a few topics with what they rest on, and a copy of their certificates for a test to spoil."""
    from proofs import check, registry
    from proofs.coq import privacy

    names = [name for name, o in registry().items() if o.paper in TOPICS]
    world = {o.id: o for o in check.in_order(registry(), names)}
    folder = tmp_path / "certificates"
    for o in world.values():
        check.path_of(o, folder).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(check.path_of(o), check.path_of(o, folder))
    shutil.copy(check.CERTIFICATES / privacy.RECORD, folder)
    monkeypatch.setattr(check, "registry", lambda: world)
    check.write_statuses(folder)
    return folder


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModuleType]]:
    """Writes modules into a folder of the import path, and imports the first."""
    folder = tmp_path / "code"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    names: set[str] = set()

    def write(**texts: str) -> ModuleType:
        for name, text in texts.items():
            path = folder / (name.replace("__", "/") + ".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            names.add(name.split("__")[0])
        for name in [name for name in sys.modules if name.split(".")[0] in names]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return importlib.import_module(next(iter(texts)).replace("__", "."))

    yield write
    for name in [name for name in sys.modules if name.split(".")[0] in names]:
        del sys.modules[name]
