"""The axioms that a theorem may rest on, by their full names, and what compares theorems and files with them.

``Print Assumptions`` prints the shortest name that is free where it is asked, so that an axiom of a file called
``Uint63.v`` looks like one of Coq's.  `rests_on` has Coq say each name in full.  `written` reads the sources as text in
addition: an axiom is refused before anything is compiled, and so is a file with the name of a file of Coq's libraries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from proofs.coq.printed import assumptions, located

# What Coq's real numbers and coquelicot rest on.
REALS: Final = frozenset(
    {
        "Coq.Logic.Classical_Prop.classic",
        "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
        "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
        "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
    }
)
# Coq's primitive integers and doubles, with which coq-interval computes: by the file of Coq's own library.
_PRIMITIVE: Final = {
    "Coq.Floats.FloatAxioms": """
        Prim2SF_SF2Prim Prim2SF_valid SF2Prim_Prim2SF abs_spec add_spec classify_spec compare_spec div_spec
        eqb_spec frshiftexp_spec ldshiftexp_spec ltb_spec mul_spec next_down_spec next_up_spec
        normfr_mantissa_spec of_uint63_spec opp_spec sqrt_spec sub_spec""",
    "Coq.Floats.PrimFloat": """
        abs add classify compare div eqb float frshiftexp ldshiftexp ltb mul next_down next_up normfr_mantissa
        of_uint63 opp sqrt sub""",
    "Coq.Numbers.Cyclic.Int63.PrimInt63": """
        add addc addcarryc addmuldiv compare div diveucl diveucl_21 eqb head0 int land leb lor lsl lsr ltb lxor
        mod mul mulc sub subc subcarryc tail0""",
    "Coq.Numbers.Cyclic.Int63.Uint63": """
        add_spec addc_def_spec addcarryc_def_spec addmuldiv_def_spec compare_def_spec div_spec diveucl_21_spec
        diveucl_def_spec eqb_correct eqb_refl head0_spec land_spec leb_spec lor_spec lsl_spec lsr_spec ltb_spec
        lxor_spec mod_spec mul_spec mulc_spec of_to_Z sub_spec subc_def_spec subcarryc_def_spec tail0_spec""",
}
PRIMITIVES: Final = frozenset(f"{file}.{name}" for file, names in _PRIMITIVE.items() for name in names.split())
ALLOWED: Final = REALS | PRIMITIVES
MEND: Final = "prove it, or take back what rests on it; proofs/coq/axioms.py lists the axioms that are allowed"


@dataclass(frozen=True)
class Resting:
    """The axioms that theorems rest on.

    Attributes:
        axioms: Their full names.
        by: A theorem that rests on it, for each axiom that is not allowed.
    """

    axioms: tuple[str, ...] = ()
    by: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each axiom that is not allowed."""
        return tuple(f"{self.by.get(a, 'a theorem')} rests on the axiom {a}: {MEND}" for a in foreign(self.axioms))


def foreign(axioms: Iterable[str]) -> tuple[str, ...]:
    """Return the axioms that are not allowed.

    >>> foreign(["Coq.Logic.Classical_Prop.classic", "Uint63.boom", "Classical_Prop.classic"])
    ('Uint63.boom', 'Classical_Prop.classic')
    """
    return tuple(a for a in axioms if a not in ALLOWED)


def rests_on(ask: Callable[[str, str], str], head: str, theorems: Sequence[str]) -> Resting:
    """Return what theorems rest on together, and for each axiom that is not allowed one of them that rests on it.

    Args:
        ask: Compiles a text as a file of that name, and returns what Coq prints.
        head: The sentences that open what the theorems' names need.
        theorems: Their names.
    """
    together = ", ".join(f"@{name}" for name in theorems)
    short = assumptions(ask("Resting", f"{head}Definition all := ({together}, tt).\nPrint Assumptions all.\n"))
    if not short:
        return Resting()
    full = located(short, ask("Named", head + "".join(f"Locate {name}.\n" for name in short)))
    wrong = {name for name in short if foreign([full[name]])}
    by = _blamed(ask, head, theorems, wrong) if wrong else {}
    return Resting(tuple(sorted(full.values())), {full[name]: by[name] for name in by})


def _blamed(ask: Callable[[str, str], str], head: str, theorems: Sequence[str], wrong: set[str]) -> dict[str, str]:
    """The first theorem that rests on each of these axioms."""
    found = dict[str, str]()
    for number, theorem in enumerate(theorems):
        if wrong <= found.keys():
            break
        for name in wrong & {*assumptions(ask(f"Blamed_{number}", f"{head}Print Assumptions {theorem}.\n"))}:
            found.setdefault(name, theorem)
    return found


# ------------------------------------------------------------------------------------ the sources as text

_ALWAYS: Final = re.compile(r"(Axiom|Parameter|Conjecture)s?|Admitted|Admit|Declare|Primitive")
_IN_A_SECTION: Final = re.compile(r"Hypothes[ie]s|Variables?|Context")
_UNCHECKED: Final = re.compile(r"\b(admit|give_up|bypass_check)\b|Unset (?:Guard|Positivity|Universe) Checking")
_BEFORE: Final = re.compile(r"(?:#\[[^]]*\]|Local|Global|Polymorphic|Monomorphic|Program|Time|Fail|[-+*{}]|\s)+")
_TOKEN: Final = re.compile(r'\(\*|\*\)|"(?:[^"]|"")*"')


def without_comments(text: str) -> str | None:
    """Return a source of Coq without its comments, which nest, and without strings; None where a comment has no end."""
    kept, depth, last = list[str](), 0, 0
    for token in _TOKEN.finditer(text):
        kept += [text[last : token.start()]] if depth == 0 else []
        depth += {"(*": 1, "*)": -1}.get(token[0], 0)
        last = token.end()
    return " ".join([*kept, text[last:]]) if depth == 0 else None


def scanned(text: str) -> list[str]:
    """Return what a source of Coq assumes or leaves unproved, by its words alone.

    >>> scanned("Section a. Variable x : nat. End a. Variable y : nat. (* Axiom z : False. *)")
    ['Variable y : nat']
    """
    said, opened, found = without_comments(text), list[str](), list[str]()
    if said is None:
        return ["a comment has no end"]
    for sentence in re.split(r"\.(?=\s|$)", said):
        words = _BEFORE.sub("", sentence, count=1) if _BEFORE.match(sentence) else sentence
        word, _, rest = " ".join(words.split()).partition(" ")
        if word == "Section" or (word == "Module" and ":=" not in rest):
            opened.append(word)
        elif word == "End" and opened:
            opened.pop()
        unchecked = _UNCHECKED.search(sentence)
        if _ALWAYS.fullmatch(word) or (_IN_A_SECTION.fullmatch(word) and "Section" not in opened) or unchecked:
            found.append(unchecked[0] if unchecked else f"{word} {rest}".strip()[:80])
    return found


def written(theory: Path, libraries: Iterable[str] = ()) -> list[str]:
    """Return what is wrong with the sources in a folder: axioms, unfinished proofs, names of Coq's own files.

    Args:
        theory: The folder.
        libraries: The files of Coq's libraries; those of the allowed axioms count always.
    """
    taken = {*libraries, *(name.split(".")[-2] for name in ALLOWED)}
    found = list[str]()
    for path in sorted(theory.rglob("*.v")):
        name = path.relative_to(theory).as_posix()
        if path.stem in taken:
            found.append(f"{name} has the name of a file of Coq's libraries: rename it")
        text = path.read_text(encoding="utf-8")
        found += [f"{name} assumes something, or leaves it unproved: {said}; {MEND}" for said in scanned(text)]
    return found
