"""What has to be trusted of the translation to Coq: how much it is, and that nothing else writes a theorem."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import proofs
from proofs import kernel as k
from proofs.coq import axioms, checkers, printed, running, statements, taken
from proofs.coq.scripts import Lemmas
from proofs.registry import Obligation, no_goals
from proofs.search import positive

ROOT = Path(proofs.__file__).parent
LINES = 200
X = sp.Symbol("x")
# Functions of other files on which it depends what a theorem says, or whether it counts.
ASKED: tuple[Callable[..., Any], ...] = (
    printed.assumptions, printed.located, axioms.rests_on, running.assumptions, taken.script,
)  # fmt: skip
# Whatever writes a sentence of Coq that states or assumes something, and what it writes.
WRITERS = {
    "coq/statements.py": {"theorem"},  # of certificates
    "coq/taken.py": {"script"},  # of facts that certificates take, in the words of statements.py
    "coq/axioms.py": {"rests_on"},  # a tuple of theorems, to ask what they rest on
    "coq/running.py": {"_located", "written"},  # one that is looked for; lemmas
    "coq/privacy.py": {"script"},  # corollaries of theorems that are written by hand
}
# Sentences begin where a line does; a paper's "Theorem 4.1: ..." has no name.
STATING = re.compile(
    r"^ *(?:Notation \S|(?:Theorem|Lemma|Corollary|Definition|Fixpoint|Axiom|Parameter|Hypothesis|Variable|Conjecture)"
    r" [A-Za-z_{][\w{}]*\s*(?::|\(|\{))",
    re.MULTILINE,
)


def code(text: str) -> list[str]:
    """The lines of Python that are neither blank nor comments nor docstrings."""
    tree, out = ast.parse(textwrap.dedent(text)), set[int]()
    docs = set[int]()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and isinstance(body, list) and body:
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first.end_lineno:
                docs |= {*range(first.lineno, first.end_lineno + 1)}
    lines = textwrap.dedent(text).splitlines()
    out = {n for n, line in enumerate(lines, start=1) if line.strip() and not line.strip().startswith("#")}
    return [lines[n - 1] for n in sorted(out - docs)]


def stating(source: str) -> set[str]:
    """The functions of a module that hold a text of Coq which states or assumes something."""
    return {
        name
        for name, node in functions(ast.parse(source))
        if any(STATING.search(text) for text in texts(node)) and not name.startswith("test_")
    }


def functions(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The outermost functions, methods too, and the module itself without them."""
    rest = ast.Module([], [])
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node)
        elif isinstance(node, ast.stmt):
            rest.body.append(node)
    yield "<module>", rest


def texts(node: ast.AST) -> Iterator[str]:
    """Constant texts, and formatted ones with {} for each value; docstrings are no texts."""
    docs = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
    for n in ast.walk(node):
        if isinstance(n, ast.JoinedStr):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in n.values)
        elif isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docs:
            yield n.value


def test_what_is_trusted_is_short() -> None:
    """The translator whole, and what asks Coq on what its theorems rest, as code."""
    trusted = [*code(inspect.getsource(statements)), *(line for f in ASKED for line in code(inspect.getsource(f)))]
    assert len(inspect.getsource(statements).splitlines()) < LINES
    assert len(trusted) < LINES


def test_the_words_of_the_theorems_are_a_few_definitions() -> None:
    real = (ROOT / "coq" / "theory" / "Real.v").read_text(encoding="utf-8")
    words = re.findall(r"^(?:Definition|Fixpoint) (\w+)", real, flags=re.MULTILINE)
    assert words == [
        "isint", "sum_of_first", "sum_from", "total", "limit_above", "limit_below", "has_limit_above",
        "has_limit_below", "near_above", "near_below",
    ]  # fmt: skip
    assert not re.search(r"\b(Lemma|Theorem|Notation|Coercion|Ltac|Hint|Instance)\b", re.sub(r"\(\*.*?\*\)", "", real))
    erfc = (ROOT / "coq" / "theory" / "Erfc.v").read_text(encoding="utf-8")
    assert len(re.findall(r"^Definition erfc ", erfc, flags=re.MULTILINE)) == 1
    assert {"statements.py", "theory/Real.v", "theory/Erfc.v"} == set(checkers.TRUSTED)


def test_nothing_else_writes_what_states_or_assumes_something() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): writers
        for path in sorted(ROOT.rglob("*.py"))
        if (writers := stating(path.read_text(encoding="utf-8")))
    }
    assert found == WRITERS


@pytest.mark.parametrize(
    "planted",
    [
        'def helper(x):\n    return f"Theorem {x} : True.\\n"\n',
        'def helper(x):\n    return "Axiom a : 0 = 1."\n',
        'class Lemmas:\n    def more(self):\n        return "Notation \\"x < y\\" := (x <= y) : R_scope."\n',
        'HEAD = "Definition PI := 5."\n',
    ],
)
def test_planted_bug_a_writer_of_theorems_that_hides_elsewhere_is_seen(planted: str) -> None:
    assert stating(planted)


def test_a_file_of_theorems_holds_what_the_translator_wrote_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the scripts write stands in another file: lemmas that say anything change no theorem."""
    facts = [k.sign(X, ">", positive("x")).certificate(), k.identity(X + X, 2 * X, positive("x")).certificate()]
    o = Obligation("test/a", "test", "a", "A test", "words", "nobody", no_goals)
    files = dict[str, str]()

    def compile_(folder: Path, name: str, parts: Any, timeout: float) -> str:
        files[name] = "".join(parts)
        return ""

    def lie(self: Lemmas, number: int, recorded: Any) -> str:
        return self.add(f"claim_{number}", "0 = 1", "Abort.\nAxiom claim : 0 = 1.\nTheorem test__a_1 : True.\nProof.")

    monkeypatch.setattr(running, "_compile", compile_)
    honest = running.check(tmp_path, 7, [(o, facts)])
    said = files["Theorems_07"]
    expected = [
        statements.theorem(f"test__a_{i}", f, f"Proofs_07.test__a.claim_{i - 1}") for i, f in enumerate(facts, 1)
    ]
    head = "From Dpref Require Import Real.\nFrom Certificates Require Proofs_07.\n"
    assert said == head + statements.comment("test/a: A test. words") + "".join(expected)
    monkeypatch.setattr(Lemmas, "claim", lie)
    lied = running.check(tmp_path, 7, [(o, facts)])
    assert files["Theorems_07"] == said
    assert "Axiom claim" in files["Proofs_07"]
    assert honest[1] == lied[1] == []
