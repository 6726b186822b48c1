"""Coq refuses every false theorem of `property_tests.false_theorems`, though the kernel is weakened to accept it."""

from __future__ import annotations

import ast
import importlib
import itertools
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import proofs
from proofs.coq import running
from proofs.coq.privacy import needed
from proofs.coq.statements import Unstated, theorem
from property_tests.false_theorems import FOUND, FalseTheorem
from property_tests.side_conditions import TRUSTED, tree_without
from tests.effort import part

ROOT = Path(proofs.__file__).parent
COPIED = (
    *TRUSTED, "coq/__init__", "coq/statements", "coq/taken", "coq/scripts/__init__",
    *(f"coq/scripts/{p.stem}" for p in (ROOT / "coq" / "scripts").glob("[a-z]*.py")),
)  # fmt: skip
_number = itertools.count()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("coqc") is None, reason="coq is not installed"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The theory, compiled."""
    folder = tmp_path_factory.mktemp("coq")
    if why := running.missing(folder):
        pytest.skip(why)
    assert running.build_theory(folder, needed([running.USED])) == ""
    return folder


@pytest.fixture
def weakened(tmp_path: Path) -> Iterator[Any]:
    """The kernel and the scripts, copied with changes, as a package of their own."""
    made = []

    def build(*conditions: str) -> Any:
        name = f"weak_{next(_number)}"
        for module in COPIED:
            trusted = module in TRUSTED
            path = ROOT / f"{module}.py"
            text = ast.unparse(tree_without(module, *conditions)) if trusted else path.read_text(encoding="utf-8")
            text = text.replace("from proofs.", f"from {name}.").replace("from proofs import", f"from {name} import")
            path = tmp_path / name / f"{module}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (tmp_path / name / "__init__.py").write_text("")
        made.append(name)
        return importlib.import_module(f"{name}.induction"), importlib.import_module(f"{name}.coq.scripts")

    sys.path.insert(0, str(tmp_path))
    try:
        yield build
    finally:
        sys.path.remove(str(tmp_path))
        for module in [m for m in sys.modules if m.partition(".")[0] in made]:
            del sys.modules[module]


@pytest.mark.parametrize("f", part([pytest.param(f, id=f.name) for f in FOUND], 12))
def test_coq_refuses_what_a_weakened_kernel_accepts(f: FalseTheorem, weakened: Any, built: Path) -> None:
    _, scripts = weakened(*f.without)
    book = scripts.Lemmas()
    try:
        stated = theorem("false", f.certificate, "Proofs.claim_0")
    except (Unstated, KeyError, AttributeError, TypeError):
        return  # the statement's writer refuses it
    try:
        book.claim(0, f.certificate)
        lemmas = "".join(f"Lemma {n} : {s}.\nProof.\n  {p}\nQed.\n" for n, s, p in book.out)
    except Exception:  # noqa: BLE001 - no proof is written: what Coq's tactics find of the bare statement
        whole = stated.split(":", 1)[1].split(".\nProof.")[0]
        tactics = "intros; repeat split; first [lra | nra | strict | weak | by_field]."
        lemmas = f"Lemma claim_0 :{whole}.\nProof.\n  {tactics}\nQed.\n"
    text = "From Dpref Require Import Points.\nSet Default Timeout 60.\n"
    assert running._compile(built, "Proofs", [text, lemmas], 300.0) or running._compile(
        built,
        "Theorems",
        ["From Dpref Require Import Real.\nFrom Certificates Require Proofs.\n", stated],
        300.0,
    )
