"""Privacy itself in Coq: the library of ``theory/*.v``, the theorems that obligations name, and what Coq says of them.

An obligation names a theorem in place of a citation.  `compiled` runs ``coqc`` on the files that the named theorems
need, on the corollaries that put the library's own formulas into them (`proofs.coq.corollaries`), and on the facts that
certificates take from theorems (`proofs.coq.taken`), and reads back every statement and every axiom.  `record` keeps
that answer beside the certificates with a digest of each file; `accepted` says which facts it holds of, and `problems`
compares the files of today with it.  Neither needs Coq.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proofs.coq import axioms, compiler, taken
from proofs.coq.corollaries import COROLLARIES
from proofs.coq.corollary import Corollary
from proofs.coq.taken import Taken
from proofs.registry import Obligation, registry

THEORY: Final = Path(__file__).parent / "theory"
RECORD: Final = "theorems.json"
ROOT: Final = "Dpref"
ABSENT: Final = "coqc is not installed (Debian: coq, libcoq-coquelicot, libcoq-interval): nothing was checked"
_REQUIRE: Final = re.compile(rf"^From {ROOT}(?:\.(\w+))? Require (?:Import |Export )?([A-Za-z\s]+?)\.$", re.MULTILINE)
_DECLARED: Final = re.compile(
    r"(?:^\(\*\* (?P<comment>(?:(?!\*\)).)*?) ?\*\)\n)?"
    r"^ *(?P<kind>Theorem|Corollary|Definition|Fixpoint|Inductive) (?P<name>\w+)(?P<text>.*?\.)(?=\s*\n)",
    re.MULTILINE | re.DOTALL,
)
_LONGEST: Final = 600  # seconds of processor time for one file


class NotChecked(Exception):
    """Coq is absent, or does not accept a file; the message says which and why."""


@dataclass(frozen=True)
class Declaration:
    """A definition or a theorem of the library, as it is written.

    Attributes:
        file: The file's name, without ``.v``.
        kind: Theorem, Corollary, Definition, Fixpoint or Inductive.
        name: Its name in the file.
        text: The source from the kind to the last full stop before the proof.
        comment: What the documentation comment above it says; may be empty.
    """

    file: str
    kind: str
    name: str
    text: str
    comment: str


@dataclass(frozen=True)
class Header:
    """The comment at the head of a file: its title, and what is proved in it."""

    title: str
    text: str


@dataclass(frozen=True)
class Checked:
    """What Coq says.

    Attributes:
        statements: What each named theorem and each corollary says, in Coq's own words.
        axioms: What all of them together rest on.
        taken: The facts that certificates take from theorems, which say just these.
    """

    statements: Mapping[str, str]
    axioms: tuple[str, ...]
    taken: tuple[Taken, ...] = ()


def _file(theorem: str) -> str:
    return theorem.partition(".")[0]


def source(file: str, theory: Path | None = None) -> str:
    """The text of a file of the library."""
    return ((theory or THEORY) / f"{file}.v").read_text(encoding="utf-8")


def header(file: str) -> Header:
    """The comment that a file begins with.

    >>> header("Finite").title
    'Privacy on finite output spaces: the definitions'
    """
    comment = source(file).removeprefix("(*").partition("*)")[0]
    title, _, text = comment.removeprefix("* * ").partition("\n\n")
    if not comment.startswith("* * "):
        title, text = file, comment
    return Header(title.strip(), "\n\n".join(" ".join(p.split()) for p in text.split("\n\n")))


def declarations(file: str) -> list[Declaration]:
    """The definitions and the theorems of a file, in its order; lemmas are steps and are left out."""
    return [
        Declaration(
            file, m["kind"], m["name"], " ".join(f"{m['kind']} {m['name']}{m['text']}".split()),
            " ".join((m["comment"] or "").split()),
        )
        for m in _DECLARED.finditer(source(file))
    ]  # fmt: skip


def needed(files: Iterable[str], theory: Path | None = None) -> list[str]:
    """These files of the library (``Finite``, ``negations/Laws``) and all that they need, each after what it needs."""
    done: list[str] = []

    def visit(file: str) -> None:
        if file not in done:
            for folder, names in _REQUIRE.findall(source(file, theory)):
                for other in names.split():
                    visit(f"{folder}/{other}" if folder else other)
            done.append(file)

    for file in files:
        visit(file)
    return done


def named(obligations: Iterable[Obligation]) -> list[str]:
    """The theorems that obligations or corollaries name, ``File.theorem``, each once."""
    found = [t.name for o in obligations for t in o.theorems]
    return sorted({*found, *(c.theorem for c in COROLLARIES)})


def script(corollaries: Sequence[Corollary] = COROLLARIES) -> str:
    """The corollaries as one file of Coq: the library's formulas, read through ``TERM``, in the library's theorems.

    Each stands in a module of its own, which opens the file of its theorem and what that needs, and nothing else.
    """
    files = " ".join(needed(_file(c.theorem) for c in corollaries))
    parts = [
        f"(* {c.obligation}: {', '.join(c.about)} *)\nModule {c.name}.\n"
        f"Import {' '.join(needed([_file(c.theorem)]))}.\nCorollary holds : {c.stated()}\n"
        f"Proof.\n{c.proof.strip()}\nQed.\nEnd {c.name}.\n"
        for c in corollaries
    ]
    head = f"From Coq Require Import Reals Lra List Psatz.\nFrom {ROOT} Require {files}.\nOpen Scope R_scope.\n"
    return "\n".join([head, *parts])


def named_corollary(c: Corollary) -> str:
    """What Coq calls a corollary."""
    return f"Corollaries.{c.name}.holds"


def compiled(
    names: Sequence[str],
    corollaries: Sequence[Corollary] = COROLLARIES,
    theory: Path = THEORY,
    facts: Sequence[Taken] = (),
) -> Checked:
    """Have Coq check the files that hold the theorems, the corollaries, and the facts that certificates take from it.

    Args:
        names: Theorems, ``File.theorem``.
        corollaries: What is put into a file of its own, after the library.
        theory: Where the library is.
        facts: What certificates take, in another file of its own.

    Raises:
        NotChecked: If ``coqc`` is absent or refuses a file, or a theorem is not in it or rests on an axiom that is not
            allowed. A source that assumes something is refused before anything is compiled.
    """
    program = compiler.installed()
    if program is None:
        raise NotChecked(ABSENT)
    if wrong := axioms.written(theory, compiler.libraries(program)):
        raise NotChecked("; ".join(wrong))
    every = [*names, *map(named_corollary, corollaries)]
    files = needed(map(_file, [*names, *(c.theorem for c in corollaries)]), theory)
    library = needed([*files, *(["Real"] * bool(facts)), *(_file(t.theorem) for t in facts)], theory)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for file in library:
            copy = work / f"{file}.v"
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(theory / f"{file}.v", copy)
            coqc(work, file)
        return asked(work, every, files, corollaries, facts)


def asked(
    work: Path,
    every: Sequence[str],
    files: Sequence[str],
    corollaries: Sequence[Corollary] = COROLLARIES,
    facts: Sequence[Taken] = (),
) -> Checked:
    """Return what Coq says in a folder in which the library is compiled.

    Args:
        work: The folder.
        every: Theorems and corollaries, by the names that Coq has for them.
        files: The files that are opened.
        corollaries: What is put into a file of its own.
        facts: What certificates take, in another file of its own.

    Raises:
        NotChecked: If ``coqc`` refuses a file, or a theorem is not in it, or rests on an axiom that is not allowed.
    """
    if corollaries:
        (work / "Corollaries.v").write_text(script(corollaries), encoding="utf-8")
        coqc(work, "Corollaries")
        files = [*files, "Corollaries"]
    if facts:
        (work / f"{taken.FILE}.v").write_text(taken.script(facts), encoding="utf-8")
        coqc(work, taken.FILE)
    required = f"From Coq Require Import Reals.\nFrom {ROOT} Require {taken.FILE}.\n" * bool(facts)
    imported = f"From {ROOT} Require Import {' '.join(files)}.\n" * bool(files)
    head = f"{required}{imported}Set Printing Width 110.\n"
    questions = "\n".join(f"Check @{ROOT}.{n}." for n in every)
    statements = asking(work)("Asked", f"{head}Open Scope R_scope.\n{questions}\n")
    proved = [f"{taken.FILE}.{taken.fact_name(i)}" for i in range(len(facts))]
    resting = axioms.rests_on(asking(work), head, [f"{ROOT}.{n}" for n in [*every, *proved]])
    if resting.problems:
        raise NotChecked("; ".join(resting.problems))
    return Checked(dict(zip(every, _statements(statements), strict=True)), resting.axioms, tuple(facts))


def asking(work: Path) -> Callable[[str, str], str]:
    """Return what compiles a text as a file of that folder and returns what Coq prints, as `coqc` does."""

    def ask(name: str, text: str) -> str:
        (work / f"{name}.v").write_text(text, encoding="utf-8")
        return coqc(work, name)

    return ask


def coqc(work: Path, file: str) -> str:
    """Compile a file of a folder that is laid out as the library is, and say what Coq prints.

    Raises:
        NotChecked: If Coq is absent, or refuses it.
    """
    program = compiler.installed()
    if program is None:
        raise NotChecked(ABSENT)
    answer = compiler.ask(program, work, file, ("-w", "none", "-Q", ".", ROOT), _LONGEST)
    if answer.complaint:
        raise NotChecked(f"coqc refuses {file}.v: {answer.complaint[-2000:]}")
    return answer.printed


def _statements(printed: str) -> list[str]:
    """What ``Check`` prints of each name: a line that begins with it, and the type in lines that are set in."""
    return [
        " ".join(b.split(":", 1)[1].split()) for b in re.split(r"^(?=\S)", printed, flags=re.MULTILINE) if b.strip()
    ]


# ------------------------------------------------------------------------------------ what was checked


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _digests(names: Sequence[str], theory: Path | None = None) -> dict[str, str]:
    files = needed(map(_file, ["Real", *names, *(c.theorem for c in COROLLARIES)]), theory)
    return {file: _digest(source(file, theory)) for file in sorted(files)} | {"Corollaries": _digest(script())}


def record(folder: Path) -> Checked:
    """Have Coq check everything that is named, and write down what it says.

    Raises:
        NotChecked: As `compiled`.
    """
    names, facts = named(registry().values()), of_certificates(folder)
    found = compiled(names, facts=facts)
    content = {
        "files": _digests([*names, *(t.theorem for t in facts)]),
        "axioms": list(found.axioms),
        "statements": dict(found.statements),
        "taken": [list(t) for t in found.taken],
    }
    (folder / RECORD).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return found


def of_certificates(folder: Path) -> list[Taken]:
    """The facts that certificates take from theorems of Coq, each once."""
    texts = (p.read_text(encoding="utf-8") for p in sorted(folder.glob("*/*.json")))
    return list(dict.fromkeys(t for x in texts if '"axiom"' in x for t in taken.of_facts(json.loads(x)["facts"])))


def accepted(folder: Path) -> frozenset[Taken]:
    """The facts that theorems of Coq have been found to say, by files that are still the same; needs no Coq.

    Nothing is accepted where the record is missing, malformed or names an axiom that is not allowed, and no fact of a
    file that has changed since.
    """
    try:
        kept: Any = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        files, every = dict(kept["files"]), [Taken(*t) for t in kept["taken"]]
        wrong = axioms.foreign(kept["axioms"])
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()
    if wrong:
        return frozenset()
    changed = {f for t in every for f in _of_fact(t) if files.get(f) != _digest(_text(f))}
    return frozenset(t for t in every if not changed & {*_of_fact(t)})


def _of_fact(fact: Taken) -> list[str]:
    """The files that say what a fact and its theorem mean, if they are there."""
    try:
        return needed(["Real", _file(fact.theorem)])
    except OSError:
        return [_file(fact.theorem)]


def _text(file: str) -> str:
    return source(file) if (THEORY / f"{file}.v").exists() else ""


def recorded_axioms(folder: Path = Path(__file__).parents[1] / "certificates") -> list[str]:
    """The axioms that all named theorems rest on, as Coq has said."""
    return list(json.loads((folder / RECORD).read_text(encoding="utf-8"))["axioms"])


def problems(folder: Path, obligations: Iterable[Obligation]) -> list[str]:
    """Return what is wrong with the record and the library without asking Coq.

    Named theorems may be missing from the record, files may not be the ones that Coq has checked, and either may have
    an axiom that is not allowed.
    """
    every = list(obligations)
    mend = "run: python -m proofs --theorems"
    if not any(o.theorems for o in every):
        return []
    try:
        kept: Any = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        files, statements = dict(kept["files"]), dict(kept["statements"])
        wrong = [f"{RECORD}: a theorem rests on the axiom {a}: {axioms.MEND}" for a in axioms.foreign(kept["axioms"])]
    except (OSError, ValueError, KeyError, TypeError):
        return [f"{RECORD} is missing or malformed; {mend}"]
    wrong += axioms.written(THEORY)
    names = named(every)
    absent = [n for n in names if not (THEORY / f"{_file(n)}.v").exists()]
    if absent:
        return wrong + [f"{n}: the library of Coq has no such file" for n in absent]
    unknown = [*names, *map(named_corollary, COROLLARIES)]
    found = [f"{n}: no theorem that Coq has checked; {mend}" for n in unknown if n not in statements]
    changed = [f for f, d in _digests(names).items() if files.get(f) != d]
    return wrong + found + [f"{f}.v is not what Coq has checked; {mend}" for f in changed]
