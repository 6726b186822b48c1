"""What tests share of Coq's library: the same file is compiled once, another one again, a refused one always."""

from __future__ import annotations

import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest

from proofs.coq.privacy import needed
from tests.coq_once import Once

BASE, LATER = "Definition one := 1.\n", "From Dpref Require Import Base.\nDefinition two := one + one.\n"


class Compiler:
    """In the place of ``coqc``: it refuses what holds the word Admitted, and counts its calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, work: Path, file: str) -> str:
        self.calls.append(file)
        text = (work / f"{file}.v").read_text()
        if "Admitted" in text:
            raise ValueError(file)
        (work / f"{file}.vo").write_text(f"{len(self.calls)}: {text}")
        return f"call {len(self.calls)}"


@pytest.fixture
def once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Once:
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/coqc")
    (tmp_path / "kept").mkdir()
    return Once(Compiler(), needed, nullcontext, tmp_path / "kept")


def laid_out(folder: Path, base: str = BASE, later: str = LATER) -> Path:
    folder.mkdir()
    (folder / "Base.v").write_text(base)
    (folder / "Later.v").write_text(later)
    return folder


def compiled(once: Once, work: Path) -> list[str]:
    return [once(work, file) for file in ("Base", "Later")]


def calls(once: Once) -> list[str]:
    assert isinstance(once.coqc, Compiler)
    return once.coqc.calls


def test_the_same_files_in_another_folder_are_not_compiled_again(once: Once, tmp_path: Path) -> None:
    first, second = laid_out(tmp_path / "a"), laid_out(tmp_path / "b")
    assert compiled(once, first) == compiled(once, second) == ["call 1", "call 2"]
    assert calls(once) == ["Base", "Later"]
    assert (second / "Later.vo").read_bytes() == (first / "Later.vo").read_bytes()


def test_a_file_is_compiled_again_where_what_it_needs_is_another(once: Once, tmp_path: Path) -> None:
    compiled(once, laid_out(tmp_path / "a"))
    compiled(once, laid_out(tmp_path / "b", base=BASE.replace("1", "2")))
    assert calls(once) == ["Base", "Later"] * 2


def test_what_is_refused_is_refused_each_time_and_not_kept(once: Once, tmp_path: Path) -> None:
    for name in ("a", "b"):
        work = laid_out(tmp_path / name, later=LATER + "Admitted.\n")
        once(work, "Base")
        with pytest.raises(ValueError, match="Later"):
            once(work, "Later")
    assert calls(once) == ["Base", "Later", "Later"]


def test_another_program_of_that_name_is_asked_anew(
    once: Once, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = laid_out(tmp_path / "a")
    once(work, "Base")
    monkeypatch.setattr(shutil, "which", lambda _: "/opt/coqc")
    assert once(work, "Base") == "call 2"


def test_without_the_program_nothing_is_handed_out(once: Once, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = laid_out(tmp_path / "a")
    once(work, "Base")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert once(work, "Base") == "call 2"
