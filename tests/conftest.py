"""Set-up that every test shares: one thread a numerical library, so that results and timings do not depend on cores.

Replaying every certificate takes most of a minute. A process does it once, for all tests that ask about the whole
registry; a test that plants something in a certificate works in a small world of three topics.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from proofs import Report

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# SVML rounds exp, log and their kin otherwise: a kernel would no longer equal its interpreted twin bit for bit.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

TOPICS = ("zcdp", "sensitivity", "gaussian")


@pytest.fixture(scope="session")
def report() -> Report:
    """What ``dpref prove`` finds, of the whole registry and of the committed certificates."""
    import proofs

    return proofs.run()


@pytest.fixture(scope="session")
def leaves() -> list[tuple[str, int, str | None, str]]:
    """Every leaf fact of the committed certificates, as Coq would be asked about it."""
    from proofs import coq

    return list(coq.leaves())


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
