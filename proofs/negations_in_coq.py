"""The Coq sources of the negations of printed statements: read, put in order, compiled.

A theorem's own words are read from the sources, so that nothing is said twice; `axioms` asks ``coqc``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from proofs.coq.axioms import Resting, rests_on
from proofs.coq.privacy import THEORY, asking, coqc, needed
from proofs.negations import AGREEMENT, NEGATIONS

FOLDER: Final = "negations"
_DECLARED: Final = r"^ *(?:Theorem|Lemma|Corollary|Definition|Fixpoint) {}\b.*?\.(?=\n)"


def source(file: str) -> str:
    """The Coq source of a file of negations."""
    return (THEORY / FOLDER / f"{file}.v").read_text(encoding="utf-8")


def files() -> tuple[str, ...]:
    """The files of negations, in the order in which they need one another."""
    return tuple(name.removeprefix(f"{FOLDER}/") for name in _order() if name.startswith(f"{FOLDER}/"))


def _order() -> list[str]:
    return needed(f"{FOLDER}/{path.stem}" for path in sorted((THEORY / FOLDER).glob("*.v")))


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


def compile_into(folder: Path) -> None:
    """Compile all files of negations and what they need.

    Args:
        folder: Where the sources and the compiled files go.

    Raises:
        NotChecked: Coq refuses one of them.
    """
    for name in _order():
        copy = folder / f"{name}.v"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(THEORY / f"{name}.v", copy)
        coqc(folder, name)


def compile_one(folder: Path, name: str) -> None:
    """Compile one file of negations again, where `compile_into` has compiled the rest.

    Args:
        folder: That folder.
        name: The file, without ``.v``.

    Raises:
        NotChecked: Coq refuses it.
    """
    coqc(folder, f"{FOLDER}/{name}")


def axioms(folder: Path, names: Sequence[str]) -> Resting:
    """Return what theorems rest on.

    Args:
        folder: A folder in which all files are compiled, such as one of `compile_into`.
        names: The theorems.
    """
    head = f"From Dpref.{FOLDER} Require {' '.join(files())}.\n"
    return rests_on(asking(folder), head, [f"{FOLDER}.{where(name)}.{name}" for name in names])
