"""Certificates for tests to ask about and to spoil.

Replaying every certificate takes half a minute, and is done once a run (``report``, in the outer conftest.py); a
test that plants something in a certificate works in a small world of three topics.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

TOPICS = ("zcdp", "sensitivity", "gaussian")


@pytest.fixture
def certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry of a few topics with what they rest on, and a copy of their certificates for a test to spoil."""
    from proofs import check, registry

    names = [name for name, o in registry().items() if o.paper in TOPICS]
    world = {o.id: o for o in check.in_order(registry(), names)}
    folder = tmp_path / "certificates"
    for o in world.values():
        check.path_of(o, folder).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(check.path_of(o), check.path_of(o, folder))
    monkeypatch.setattr(check, "registry", lambda: world)
    check.write_statuses(folder)
    return folder
