"""Which certificates and files the gate lets Coq compile, in a small repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / ".ci"))


def git(root: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *words], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    certificates, theory = tmp_path / "proofs" / "certificates", tmp_path / "proofs" / "coq" / "theory"
    (certificates / "paper").mkdir(parents=True)
    (theory / "negations").mkdir(parents=True)
    for n in range(6):
        (certificates / "paper" / f"c{n}.json").write_text(f"{n}", encoding="utf-8")
    known = {"two": {f"paper/c{n}": "" for n in range(5)}, "one": {"paper/c5": "no proof is written"}}
    (certificates / "checkers.json").write_text(json.dumps(known), encoding="utf-8")
    (theory / "Base.v").write_text("Definition one := 1.\n", encoding="utf-8")
    (theory / "Middle.v").write_text("From Dpref Require Import\n  Base.\n", encoding="utf-8")
    (theory / "negations" / "Top.v").write_text("From Dpref Require Import Middle.\n", encoding="utf-8")
    (theory / "Alone.v").write_text("Definition two := 2.\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "begin")
    return tmp_path


def change(root: Path, path: str, text: str) -> None:
    (root / path).write_text(text, encoding="utf-8")
    git(root, "commit", "--quiet", "--all", "--message", "change")


def test_planted_bug_a_changed_certificate_is_compiled_whatever_the_sample(root: Path) -> None:
    from touched import changed, choose

    change(root, "proofs/certificates/paper/c3.json", "33")
    chosen = choose(root, changed(root), set(), 0, 0)
    assert (list(chosen.certificates), chosen.touched, chosen.theory) == (["paper/c3"], 1, {})


def test_what_coq_accepted_before_is_not_compiled_again_and_the_rest_is_sampled_by_the_seed(root: Path) -> None:
    from touched import changed, choose

    change(root, "proofs/certificates/paper/c3.json", "33")
    first = choose(root, changed(root), set(), 2, 7)
    assert len(first.certificates) == 3
    assert choose(root, changed(root), set(), 2, 7) == first
    assert choose(root, changed(root), {*first.certificates.values()}, 2, 7).touched == 0
    drawn = {i for seed in range(40) for i in choose(root, set(), set(), 1, seed).certificates}
    assert drawn == {f"paper/c{n}" for n in range(5)}  # the one that has no proof in Coq is never asked about


def test_planted_bug_a_change_of_the_translator_voids_the_digests(root: Path) -> None:
    from touched import changed, choose

    change(root, "proofs/certificates/paper/c3.json", "33")
    before = choose(root, changed(root), set(), 0, 0)
    (root / "proofs" / "coq" / "statements.py").write_text("1\n", encoding="utf-8")
    assert choose(root, changed(root), {*before.certificates.values()}, 0, 0).touched == 1


def test_planted_bug_a_changed_file_of_the_library_is_compiled_with_all_that_need_it(root: Path) -> None:
    from touched import changed, choose, in_order

    change(root, "proofs/coq/theory/Base.v", "Definition one := 0.\n")
    chosen = choose(root, changed(root), set(), 0, 0)
    assert set(chosen.theory) == {"Base.v", "Middle.v", "negations/Top.v"}
    theory = root / "proofs" / "coq" / "theory"
    assert in_order(theory, ["negations/Top.v"]) == ["Base.v", "Middle.v", "negations/Top.v"]
    assert choose(root, changed(root), {*chosen.theory.values()}, 0, 0).theory == {}


def test_a_change_begins_where_it_left_the_main_branch(root: Path) -> None:
    from touched import base

    assert base(root) == ""
    start = git(root, "rev-parse", "HEAD")
    git(root, "checkout", "--quiet", "-b", "topic")
    for text in ("1", "2"):
        change(root, "proofs/certificates/paper/c3.json", f"3{text}")
    assert base(root) == start
    git(root, "branch", "--force", "main", "topic")
    assert base(root) == git(root, "rev-parse", "HEAD~1")


def test_planted_bug_without_a_start_everything_is_touched(root: Path) -> None:
    from touched import changed

    assert len(changed(root)) == 6 + 1 + 4


def test_a_record_that_cannot_be_read_has_accepted_nothing(tmp_path: Path) -> None:
    from touched import read, write

    record = tmp_path / "kept" / "coq.json"
    assert read(record) == set()
    write(record, {"a", "b"})
    assert read(record) == {"a", "b"}
    record.write_text("{", encoding="utf-8")
    assert read(record) == set()
