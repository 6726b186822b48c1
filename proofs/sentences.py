"""The status of a sentence: what is known of the words above an obligation's goals, apart from the goals themselves.

No goal can say what its sentence means, so a sentence has the weakest status, *in words*, until something else states
or refutes it: a recorded theorem of Coq, a corollary that holds the library's formulas, a published theorem, a test,
or, where the sentence is about numbers alone, the goals, from which it is then printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from proofs.coq.corollaries import COROLLARIES
from proofs.negations import NEGATIONS

if TYPE_CHECKING:
    from proofs import kernel as k
    from proofs.registry import Obligation

# From the strongest to the weakest; what is refuted stands apart.
SENTENCES: Final = (
    "theorem", "follows", "formula", "cited", "tested", "in words", "open", "refuted by a theorem",
    "refuted by computation",
)  # fmt: skip
STATED: Final = SENTENCES[:3]  # no reader has to be believed
LONGEST: Final = 240  # characters of a claim that is written out
BY_GOALS: Final = ("its goals",)
FALSE: Final = "false: "  # before a goal that says that a claim does not hold everywhere on its domain
_CHECKED: Final = ("proved", "certified")
_PLAIN: Final = re.compile(rf"{FALSE}-?[\d/]+ \S+ -?[\d/]+")
_NUMBERED: Final = re.compile(r"(Theorem|Lemma|Proposition|Corollary|Fact|Equation|Section) [\w.()]+")


@dataclass(frozen=True)
class Sentence:
    """The status of a sentence.

    Attributes:
        status: One of `SENTENCES`.
        by: What gives it this status: theorems, corollaries or negations in Coq, its goals, a citation, tests.
    """

    status: str
    by: tuple[str, ...] = ()


def recorded(folder: Path) -> frozenset[str]:
    """Return the names of the theorems and corollaries whose statements Coq has checked, as a folder records them."""
    try:
        kept: Any = json.loads((folder / "theorems.json").read_text(encoding="utf-8"))
        return frozenset[str](kept["statements"])
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()


def negations_of(o: Obligation) -> tuple[str, ...]:
    """Return the theorems of Coq that are the negation of an obligation's sentence."""
    return tuple(n.theorem for n in NEGATIONS if o.id in n.obligations)


def corollaries_of(o: Obligation) -> Mapping[str, str]:
    """Return the corollaries of an obligation, with the names under which Coq has them.

    >>> from proofs.registry import registry
    >>> corollaries_of(registry()["composition/expected-loss"])
    {'expected_loss': 'Corollaries.expected_loss.holds'}
    """
    return {c.name: f"Corollaries.{c.name}.holds" for c in COROLLARIES if c.obligation == o.id}


def sentence_of(o: Obligation, formulas: str, chain: str, stated: frozenset[str] = frozenset()) -> Sentence:
    """Return the strongest status that something besides a reader gives a sentence, else *in words*.

    Args:
        o: The obligation.
        formulas: The status of its formulas.
        chain: The weakest status along its formulas and its premises.
        stated: The theorems and corollaries that Coq is known to have checked.
    """
    nobody = Sentence("open" if o.open_because or chain == "open" else "in words")
    if o.refutes:
        if names := negations_of(o):
            return Sentence("refuted by a theorem", names)
        return Sentence("refuted by computation", BY_GOALS) if o.numbers and formulas == "refuted" else nobody
    gap = o.open_because or o.not_proved or any(t.beyond for t in o.theorems)
    known = corollaries_of(o)
    names = tuple(known.get(name, name) for name in o.stated_by)
    found = {
        "follows" if known.keys() & set(o.stated_by) else "theorem": names * (not gap and stated.issuperset(names)),
        "formula": BY_GOALS * (o.numbers and formulas in _CHECKED),
        "cited": (f"{o.citation}, {o.published}",) * bool(o.published and not o.open_because),
        "tested": o.tests * (not o.open_because),
    }
    return next((Sentence(status, by) for status, by in found.items() if by), nobody)


def problems(o: Obligation, goals: Sequence[str]) -> list[str]:
    """Return what is wrong with how an obligation says that its sentence is more than words.

    Args:
        o: The obligation.
        goals: Its goals, printed.
    """
    known = {t.name for t in o.theorems} | corollaries_of(o).keys()
    found = [f"{name} is no theorem that it names and no corollary of it" for name in o.stated_by if name not in known]
    if o.published and not _NUMBERED.fullmatch(o.published):
        found.append(f"{o.published!r} is not the number of a published theorem")
    if o.numbers and not (goals and all(goals)):
        found.append("it is about numbers alone, and not all of its goals can be printed")
    if o.numbers and o.refutes and all(_PLAIN.fullmatch(goal) for goal in goals if goal.startswith(FALSE)):
        found.append("it is refuted by computation, and its false goals compare two numbers")
    return found


def printed(fact: k.Fact) -> str:
    """Return a goal without LaTeX, with the values of its symbols; nothing where it is too long.

    >>> import sympy as sp
    >>> from proofs import kernel
    >>> from proofs.search import positive
    >>> printed(kernel.sign(sp.sympify("1/x"), ">", positive("x")))
    '1/x > 0 for 0 < x'
    """
    expr, relation, domain = fact.claim
    left, right = fact.args[:2] if fact.rule == "identity" else (expr, 0)
    text = f"{left} {relation.removeprefix('not ')} {right}"
    told = " and ".join(_interval(i) for i in domain)
    if len(text) > LONGEST:
        return ""
    return f"{FALSE * relation.startswith('not ')}{text}{f' for {told}' * bool(told)}"


def _interval(i: Any) -> str:
    low = f"{i.lo} {'<=' if i.ends[0] == '[' else '<'} " if i.lo.is_finite else ""
    high = f" {'<=' if i.ends[1] == ']' else '<'} {i.hi}" if i.hi.is_finite else ""
    return f"{low}{i.symbol}{high}{' (an integer)' * i.integer}" if low or high else f"every {i.symbol}"
