"""Compiled kernels that are kept: loaded where the text is the same, compiled anew where anything is not."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numba import njit

from dpref.audit import kept_kernels, kept_runs
from dpref.audit.kept_kernels import keep_kernels

HALF = "from numba import njit\n\n@njit\ndef part(x):\n    return x / {divisor}\n"
RUN = "from numba import njit\nfrom dpref.kernels.planted import part\n\n@njit\ndef run(x):\n    return part(x) + 1\n"

Loader = Callable[[int], ModuleType]


@pytest.fixture(autouse=True)
def unaltered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may work on the library's files while its tests run."""
    monkeypatch.setattr(kept_runs, "LOADED", time.time_ns() + 10**15)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loader:
    """Loads a kernel that calls a function of another file, as a process that has just begun does."""
    source = tmp_path / "source"
    source.mkdir()

    def loaded(name: str, text: str) -> ModuleType:
        path = source / f"{name.rsplit('.', maxsplit=1)[-1]}.py"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    def load(divisor: int) -> ModuleType:
        loaded("dpref.kernels.planted", HALF.format(divisor=divisor))
        return loaded("dpref.algorithms.planted_kernel", RUN)

    return load


def taken(module: ModuleType, folder: Path) -> tuple[Any, int, int]:
    """What the kernel gives of 3.0, and how often it was loaded and not."""
    keep_kernels(folder, module.__name__)
    given = module.run(3.0)
    stats = module.run.stats
    return given, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())


@pytest.mark.slow
def test_a_kernel_is_compiled_once(kernel: Loader, tmp_path: Path) -> None:
    assert taken(kernel(2), tmp_path / "kept") == (2.5, 0, 1)
    assert taken(kernel(2), tmp_path / "kept") == (2.5, 1, 0)


@pytest.mark.slow
def test_a_torn_file_costs_the_time_of_compiling(kernel: Loader, tmp_path: Path) -> None:
    taken(kernel(2), tmp_path)
    torn = [*tmp_path.rglob("*.nbc"), *tmp_path.rglob("*.nbi")]
    assert torn
    for path in torn:
        path.write_bytes(path.read_bytes()[:40])
    given, loaded, _ = taken(kernel(2), tmp_path)
    assert (given, loaded) == (2.5, 0)


@pytest.mark.slow
def test_planted_bug_only_the_digest_sees_that_a_function_which_a_kernel_calls_was_changed(
    kernel: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it numba loads the old code, since the kernel's own file is as it was."""
    monkeypatch.setattr(kept_kernels, "fingerprint", lambda: "the same text")
    assert taken(kernel(2), tmp_path) == (2.5, 0, 1)
    assert taken(kernel(12), tmp_path) == (2.5, 1, 0)  # stale: 3 / 12 + 1 is 1.25
    monkeypatch.setattr(kept_kernels, "fingerprint", lambda: "another text")
    assert taken(kernel(12), tmp_path) == (1.25, 0, 1)


@pytest.mark.slow
def test_what_was_compiled_of_text_that_changed_since_it_was_loaded_is_not_kept(
    kernel: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest is of the files as they are now, the kernel of what they were when it was loaded."""
    with monkeypatch.context() as patch:
        patch.setattr(kept_runs, "LOADED", 0)
        assert taken(kernel(2), tmp_path)[0] == 2.5
    assert taken(kernel(12), tmp_path) == (1.25, 0, 1)  # where 2.5 would be that of the old text


def test_this_numba_has_what_is_read_of_its_inside() -> None:
    """If this fails, numba has changed: kernels still run, and are compiled by every process."""
    found = kept_kernels.numbas_inside()
    assert found is not None
    assert isinstance(njit(lambda x: x)._cache, found[1])


@pytest.mark.parametrize(
    "missing",
    [
        "numba.config.CACHE_DIR",
        "numba.config.USING_SVML",
        "numba.core.caching.NullCache",
        "numba.core.caching.FunctionCache",
        "numba.core.caching.Cache.save_overload",
        "numba.core.dispatcher.Dispatcher",
        "numba.core.dispatcher.Dispatcher.enable_caching",
    ],
)
def test_a_numba_with_another_inside_keeps_nothing(
    kernel: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, missing: str
) -> None:
    module = kernel(2)
    with monkeypatch.context() as patch, caplog.at_level("INFO", logger=kept_kernels.__name__):
        if missing.endswith("save_overload"):  # its parent has the abstract one
            patch.delattr("numba.core.caching._Cache.save_overload")
        patch.delattr(missing)
        keep_kernels(tmp_path / "kept", module.__name__)
    assert "compiled anew by every process" in caplog.text
    assert missing.rpartition(".")[2] in caplog.text
    assert not (tmp_path / "kept").exists()
    assert module.run.stats.cache_path is None


def test_numbas_settings_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import config

    before = kept_kernels.digest(config)
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert kept_kernels.digest(config) != before


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_costs_nothing_else(kernel: Loader, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    given, loaded, _ = taken(kernel(2), tmp_path / "file")
    assert (given, loaded) == (2.5, 0)
