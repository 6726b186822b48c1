"""A corollary: a theorem of Coq with the library's formulas in it.

A corollary's statement is Coq with holes, ``{epsilon}``; what fills a hole is the library's formula, read through
``TERM`` and printed by the trusted translator, so that a changed formula is another statement.  Its symbols are the
variables ``v_epsilon``, ``v_L``, ... of the statement.  The proof derives it from the theorem and is not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import sympy as sp

from proofs import kernel as k
from proofs.coq.statements import term


@dataclass(frozen=True)
class Corollary:
    """A theorem of Coq with the library's formulas in it.

    Attributes:
        obligation: Id of the obligation that it belongs to.
        name: Its name in Coq.
        theorem: ``File.theorem`` of the library, which it follows from.
        about: Ids of the formulas.
        statement: Coq, with a hole for each formula.
        formulas: What fills the holes.
        proof: Coq's tactics.
    """

    obligation: str
    name: str
    theorem: str
    about: tuple[str, ...]
    statement: str
    formulas: Callable[[], Mapping[str, sp.Expr]]
    proof: str

    def stated(self) -> str:
        """The statement with the formulas of today."""
        filled = {hole: term(k.encode(sp.sympify(f))) for hole, f in self.formulas().items()}
        return " ".join(self.statement.format(**filled).split()) + "."


# Two distributions on a finite output space, and a guarantee that equals the one that is known.
PAIR: Final = "forall O (l : list O) (p q : O -> R), distribution l p -> distribution l q -> "
EQUAL: Final = "match goal with H : DP _ _ ?x _ _ |- DP _ _ ?y _ _ => replace y with x; [exact H |] end."
