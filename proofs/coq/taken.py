"""Facts that certificates take from Coq: a cited fact whose citation names a theorem that says just this fact.

The kernel's rule for what it does not prove is ``axiom``.  Where its citation is ``Coq: File.theorem``, `script` asks
Coq whether that theorem of ``theory/*.v`` proves the fact as the trusted translator writes it, definedness included:
the theorem's name is the whole proof, so that a theorem with one more hypothesis, or of something else, is refused.
What Coq accepts is recorded with the theorems (`proofs.coq.privacy`); only that counts, and it has one checker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import sympy as sp

from proofs import kernel as k
from proofs.algebra import Domain
from proofs.coq import statements

_CITED: Final = re.compile(r"Coq: (\w+\.\w+)")
ROOT: Final = "Dpref"
FILE: Final = "TakenFacts"


class Taken(NamedTuple):
    """A fact that a theorem of Coq states: ``File.theorem``, and the fact as the translator writes it."""

    theorem: str
    statement: str


def by_coq(theorem: str, expr: sp.Expr, relation: str, domain: Domain) -> k.Fact:
    """A fact that the kernel takes from a theorem of Coq, ``File.theorem``."""
    return k.axiom(expr, relation, domain, f"Coq: {theorem}")


def named(citation: str) -> str:
    """The theorem that a citation names; nothing for any other citation.

    >>> named("Coq: ErfcFacts.scaled"), named("somebody: Coq: ErfcFacts.scaled"), named("Coq: ErfcFacts.scaled, mostly")
    ('ErfcFacts.scaled', '', '')
    """
    found = _CITED.fullmatch(citation)
    return found[1] if found else ""


def taken(claim: Sequence[Any], citation: str) -> Taken | None:
    """What a recorded axiom takes from Coq; None for a citation, or where there is nothing to check about the claim."""
    theorem = named(citation)
    if not theorem or "number" in claim[0]:  # 0 == 0: any citation could be hidden behind it
        return None
    try:
        return Taken(theorem, statements.statement(claim))
    except statements.Unstated:
        return None


def of_facts(recorded: Iterable[Mapping[str, Any]]) -> list[Taken]:
    """What recorded facts take from Coq, at any depth, each once."""
    return list(dict.fromkeys(t for f in recorded for t in _walk(f)))


def _walk(j: Any) -> Iterator[Taken]:
    if isinstance(j, list):
        for x in j:
            yield from _walk(x)
    elif isinstance(j, dict):
        if j.get("rule") == "axiom" and (found := taken(j["args"][:3], j["args"][3])):
            yield found
        for x in j.values():
            yield from _walk(x)


def leaves(fact: k.Fact) -> Iterator[k.Fact]:
    """The axioms that a fact rests on."""
    if fact.rule == "axiom":
        yield fact
    for p in fact.premises():
        if "axiom" in p.rules():
            yield from leaves(p)


def parted(facts: Iterable[k.Fact], accepted: frozenset[Taken]) -> tuple[frozenset[str], frozenset[str]]:
    """The citations that facts rest on, and the theorems of Coq that they take facts from.

    A fact that Coq has not accepted is a citation like any other.
    """
    cited, theorems = set[str](), set[str]()
    for fact in facts:
        for leaf in leaves(fact):
            citation = str(leaf.args[-1])
            found = taken(k.encode(tuple(leaf.claim)), citation)
            if found in accepted and found is not None:
                theorems.add(found.theorem)
            else:
                cited.add(citation)
    return frozenset(cited), frozenset(theorems)


def script(every: Sequence[Taken]) -> str:
    """A file of Coq in which each fact is a theorem whose proof is the named theorem.

    Files are required and not imported: what they define or write differently changes no statement.
    """
    files = " ".join(sorted({t.theorem.partition(".")[0] for t in every}))
    head = f"From {ROOT} Require Import Real.\n" + f"From {ROOT} Require {files}.\n" * bool(files)
    parts = [
        f"Theorem {fact_name(n)} :\n  {t.statement}.\nProof. exact {t.theorem}. Qed.\n" for n, t in enumerate(every)
    ]
    return "\n".join([head, *parts])


def fact_name(number: int) -> str:
    """What the n-th fact is called in that file."""
    return f"taken_{number}"
