"""The Coq sources of the negations of printed statements: read, put in order, compiled.

A theorem's own words are read from the sources, so that nothing is said twice; `compiled` asks ``coqc``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from proofs.coq import printed
from proofs.negations import AGREEMENT, NEGATIONS

THEORY: Final = Path(__file__).parent / "coq" / "theory"
FOLDER: Final = "negations"
_LONGEST: Final = 300  # seconds for one file
_REQUIRE: Final = re.compile(r"^From Dpref(?:\.(\w+))? Require(?: Import| Export)? ([\w ]+)\.$", re.MULTILINE)
_DECLARED: Final = r"^ *(?:Theorem|Lemma|Corollary|Definition|Fixpoint) {}\b.*?\.(?=\n)"


class NotCompiledError(Exception):
    """``coqc`` refuses a file, or is not there; the message says which."""


def source(file: str) -> str:
    """The Coq source of a file of negations."""
    return (THEORY / FOLDER / f"{file}.v").read_text(encoding="utf-8")


def files() -> tuple[str, ...]:
    """The files of negations, in the order in which they need one another."""
    return tuple(name for folder, name in required((FOLDER, path.stem) for path in _sources()) if folder == FOLDER)


def _sources() -> list[Path]:
    return sorted((THEORY / FOLDER).glob("*.v"))


def required(wanted: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The files (folder, name) that these need, and they themselves, each after what it needs.

    Args:
        wanted: Folders below the theory ("" for the theory itself) and names.
    """
    order: dict[tuple[str, str], None] = {}

    def visit(at: tuple[str, str]) -> None:
        if at in order:
            return
        text = (THEORY / at[0] / f"{at[1]}.v").read_text(encoding="utf-8")
        for folder, names in _REQUIRE.findall(text):
            for name in names.split():
                visit((folder, name))
        order[at] = None

    for at in wanted:
        visit(at)
    return tuple(order)


def theorem_text(file: str, name: str) -> str:
    """A definition or theorem as it is written, from its keyword to the full stop before its proof.

    Args:
        file: The source, without ``.v``.
        name: The theorem.

    Raises:
        KeyError: It is not there.
    """
    found = re.search(_DECLARED.format(re.escape(name)), source(file), re.MULTILINE | re.DOTALL)
    if found is None:
        raise KeyError(f"{file}.v has no theorem {name}")
    return found[0]


def definitions(file: str, theorem: str) -> tuple[str, ...]:
    """The definitions of the same file that a theorem's statement rests on: the negated statement, algorithms, noise.

    Args:
        file: The source, without ``.v``.
        theorem: The theorem.

    Returns:
        Their names, in the order of the file.
    """
    text = source(file)
    declared = re.findall(r"^ *(?:Definition|Fixpoint) (\w+)", text, re.MULTILINE)
    used = {theorem}
    while True:
        said = " ".join(theorem_text(file, name) for name in used)
        more = used | {name for name in declared if re.search(rf"\b{name}\b", said)}
        if more == used:
            return tuple(name for name in declared if name in used)
        used = more


def where(name: str) -> str:
    """The file of negations that holds a theorem.

    Raises:
        KeyError: None does.
    """
    for file in files():
        if re.search(rf"^ *(?:Theorem|Lemma|Corollary) {re.escape(name)}\b", source(file), re.MULTILINE):
            return file
    raise KeyError(f"no file of negations has a theorem {name}")


def theorems() -> tuple[str, ...]:
    """The names of all theorems of `NEGATIONS` and `AGREEMENT`."""
    return tuple(dict.fromkeys([*AGREEMENT, *(name for row in NEGATIONS for name in (row.theorem, *row.stronger))]))


def number(value: object) -> str:
    """A parameter of a claim as the Coq source writes it: ``100``, ``1 / 100000``."""
    exact = Fraction(str(value))
    return str(exact.numerator) if exact.denominator == 1 else f"{exact.numerator} / {exact.denominator}"


def _run(folder: Path, path: str) -> str:
    command = ["coqc", "-q", "-w", "none", "-Q", ".", "Dpref", path]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_LONGEST)  # noqa: S603
    if done.returncode:
        raise NotCompiledError(f"{path}: {done.stderr.strip()}")
    return done.stdout


def compile_into(folder: Path) -> None:
    """Compile all files of negations and what they need.

    Args:
        folder: Where the sources and the compiled files go.

    Raises:
        NotCompiledError: Coq refuses one of them.
    """
    for at, name in required((FOLDER, path.stem) for path in _sources()):
        (folder / at).mkdir(parents=True, exist_ok=True)
        shutil.copy(THEORY / at / f"{name}.v", folder / at)
        _run(folder, f"{at}/{name}.v".lstrip("/"))


def compile_one(folder: Path, name: str) -> None:
    """Compile one file of negations again, where `compile_into` has compiled the rest.

    Args:
        folder: That folder.
        name: The file, without ``.v``.

    Raises:
        NotCompiledError: Coq refuses it.
    """
    _run(folder, f"{FOLDER}/{name}.v")


def axioms(folder: Path, names: Sequence[str]) -> frozenset[str]:
    """What theorems rest on, as Coq prints it.

    Args:
        folder: A folder of `compile_into`.
        names: The theorems.
    """
    imports = f"From Dpref.{FOLDER} Require {' '.join(files())}."
    listed = ", ".join(f"@{FOLDER}.{where(name)}.{name}" for name in names)
    path = folder / "Assumptions.v"
    path.write_text(f"{imports}\nDefinition results := ({listed}).\nPrint Assumptions results.\n", encoding="utf-8")
    return frozenset(printed.assumptions(_run(folder, path.name)))


def compiled() -> frozenset[str]:
    """Compile everything in a folder of its own and say which axioms the negations rest on.

    Raises:
        NotCompiledError: Coq is not installed, or refuses a file.
    """
    if shutil.which("coqc") is None:
        raise NotCompiledError("coqc is not installed (Debian: coq, libcoq-coquelicot, libcoq-interval)")
    with tempfile.TemporaryDirectory() as temporary:
        compile_into(Path(temporary))
        return axioms(Path(temporary), theorems())
