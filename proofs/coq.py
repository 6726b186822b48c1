"""A second opinion, off by default: leaf facts as Coq goals for coq-interval, and a run that checks them.

A leaf is a fact by ``cover`` or ``refute``: a bound on a closed box, or at a point.  Coq checks it with an interval
arithmetic of its own.  Debian has the packages ``coq``, ``libcoq-interval`` and ``libcoq-coquelicot``; where
``coqc`` is absent, `run` says so and checks nothing.  erfc is unknown to coq-interval, so facts that hold it are
left out.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import sympy as sp

from proofs import kernel as k
from proofs.algebra import Rejected
from proofs.registry import registry

HEAD: Final = "Require Import Reals.\nFrom Interval Require Import Tactic.\nOpen Scope R_scope.\n"
ABSENT: Final = "coq is not installed (Debian: coq, libcoq-interval, libcoq-coquelicot): nothing was checked"
_FUNCTIONS: Final = {sp.exp: "exp", sp.log: "ln"}


@dataclass(frozen=True)
class Opinion:
    """What Coq says of one fact.

    Attributes:
        obligation: Id of the obligation.
        fact: Its number among the obligation's facts.
        agrees: Whether Coq accepts it.
        detail: Coq's complaint, or nothing.
    """

    obligation: str
    fact: int
    agrees: bool
    detail: str


def term(e: sp.Expr) -> str:
    """An expression in Coq's real numbers.

    Raises:
        Rejected: If coq-interval does not know a function in it.

    >>> term(sp.exp(sp.Symbol("x")) / 3)
    '((1/3) * exp (x))'
    """
    if isinstance(e, sp.Symbol):
        return str(e.name)
    if e.is_Rational:
        return f"({int(e.p)})" if e.is_Integer else f"({int(e.p)}/{int(e.q)})"
    if e in (sp.pi, sp.E):
        return "PI" if e == sp.pi else "(exp 1)"
    if isinstance(e, sp.Add | sp.Mul):
        return "(" + (" + " if e.is_Add else " * ").join(map(term, e.args)) + ")"
    if isinstance(e, sp.Pow):
        return _power(*e.args)
    if e.func in _FUNCTIONS:
        return f"{_FUNCTIONS[e.func]} ({term(e.args[0])})"
    raise Rejected(f"{e.func} is unknown to coq-interval")


def _power(b: sp.Expr, p: sp.Expr) -> str:
    if p.is_Integer:
        return f"({term(b)} ^ {int(p)})" if p > 0 else f"(/ ({term(b)} ^ {-int(p)}))"
    if abs(p) == sp.Rational(1, 2):
        return f"(sqrt ({term(b)}))" if p > 0 else f"(/ sqrt ({term(b)}))"
    return f"(exp (({term(p)}) * ln ({term(b)})))"


def lemma(name: str, fact: k.Fact) -> str:
    """A fact by ``cover`` or ``refute`` as a Coq lemma with its proof."""
    expr, _, domain = fact.claim
    if fact.rule == "refute":
        at = dict(fact.args[3])
        value = expr.subs(at, simultaneous=True)
        return f"Lemma {name} : {term(value)} < 0.\nProof. interval with (i_prec 120). Qed.\n"
    names = [d.symbol.name for d in domain]
    bounds = " -> ".join(f"{term(d.lo)} <= {d.symbol} <= {term(d.hi)}" for d in domain)
    quantified = f"forall {' '.join(names)} : R, {bounds} -> " if names else ""
    intros = f"intros {' '.join(names)} {' '.join('H' + n for n in names)}. " if names else ""
    options = ", ".join([*(f"i_bisect {n}" for n in names), "i_depth 30", "i_prec 60"])
    return f"Lemma {name} : {quantified}0 < {term(expr)}.\nProof. {intros}interval with ({options}). Qed.\n"


def leaves() -> Iterator[tuple[str, int, str]]:
    """Every committed leaf fact that coq-interval can express: obligation, number, Coq text."""
    for o in registry().values():
        for i, g in enumerate(o.goals()):
            if not g.claim.relation.startswith("not >") and "classical" not in o.id:
                continue
            try:
                fact = g.tactic(g.claim)
                if fact.rule in ("cover", "refute"):
                    yield o.id, i, lemma(f"leaf_{i}", fact)
            except Rejected:
                continue


def run(limit: int | None = None, timeout: float = 60.0) -> list[Opinion] | str:
    """Check the leaf facts with Coq.

    Args:
        limit: Check at most this many.
        timeout: Seconds for each.

    Returns:
        An opinion a fact, or a sentence that says why there is none.
    """
    coqc = shutil.which("coqc")
    if coqc is None:
        return ABSENT
    opinions = []
    for number, (name, i, text) in enumerate(leaves()):
        if limit is not None and number >= limit:
            break
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "leaf.v"
            path.write_text(HEAD + text, encoding="utf-8")
            try:
                done = subprocess.run(  # noqa: S603 - coqc on a file that was just written
                    [coqc, "-q", path.name], cwd=folder, capture_output=True, text=True, timeout=timeout, check=False
                )
                opinions.append(Opinion(name, i, done.returncode == 0, done.stderr.strip()[-200:]))
            except subprocess.TimeoutExpired:
                opinions.append(Opinion(name, i, agrees=False, detail=f"no answer in {timeout} s"))
    return opinions
