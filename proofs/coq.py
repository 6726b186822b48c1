"""A second opinion, off by default: leaf facts as Coq goals for coq-interval, and a run that checks them.

A leaf is a fact by ``cover``, ``refute`` or ``distinguish``: a bound on a closed box, at a point, or of two numbers.
Coq checks it with an interval arithmetic of its own.  Debian has the packages ``coq``, ``libcoq-interval`` and
``libcoq-coquelicot`` (which coq-interval needs); where ``coqc`` is absent, `run` says so and checks nothing.  erfc and
tanh are unknown to coq-interval, so facts that hold them are left out.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import sympy as sp

from proofs import balls
from proofs import kernel as k
from proofs.algebra import Rejected, substitute
from proofs.check import CERTIFICATES, path_of
from proofs.registry import Obligation, registry

HEAD: Final = "Require Import Reals.\nFrom Interval Require Import Tactic.\nOpen Scope R_scope.\n"
ABSENT: Final = "coq is not installed (Debian: coq, libcoq-interval, libcoq-coquelicot): nothing was checked"
LEAVES: Final = ("cover", "refute", "distinguish")
_CLOSED: Final = "interval with (i_prec 200)."
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


@dataclass(frozen=True)
class Summary:
    """What ``dpref prove --coq`` says.

    Attributes:
        checked: How many leaf facts Coq was asked about; nothing where it is absent.
        disagreements: Those that it did not accept.
        skipped: Leaves that coq-interval cannot state, or the sentence that says why nothing was checked.
    """

    checked: int
    disagreements: tuple[Opinion, ...]
    skipped: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether Coq contradicts nothing (an absent Coq contradicts nothing)."""
        return not self.disagreements

    @property
    def text(self) -> str:
        """In words, a line each."""
        if not self.checked:
            return f"coq: skipped; {self.skipped[0]}" if self.skipped else "coq: no leaf to check"
        wrong = [f"coq does not accept {o.obligation}[{o.fact}]: {o.detail}" for o in self.disagreements]
        accepted = self.checked - len(wrong)
        return "\n".join(
            [f"coq: accepts {accepted} of {self.checked} leaf facts; {len(self.skipped)} left out", *wrong]
        )

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def summary(opinions: list[Opinion] | str) -> Summary:
    """The result of `run` in one object."""
    if isinstance(opinions, str):
        return Summary(0, (), (opinions,))
    return Summary(len(opinions), tuple(o for o in opinions if not o.agrees), tuple(left_out()))


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
    """A fact by ``cover``, ``refute`` or ``distinguish`` as a Coq lemma with its proof.

    Raises:
        Rejected: If coq-interval cannot state it: a function that it does not know, or a value that is exactly zero.
    """
    expr, _, domain = fact.claim
    if fact.rule == "refute":
        at = dict(fact.args[3])
        point = {s: (balls.fraction(q), balls.fraction(q)) for s, q in at.items()}
        value = balls.evaluate(expr, point, fact.args[4])
        if not (value > 0 or value < 0):
            raise Rejected("exactly zero: no interval can tell")
        number = term(substitute(expr, at))
        return f"Lemma {name} : {f'0 < {number}' if value > 0 else f'{number} < 0'}.\nProof. {_CLOSED} Qed.\n"
    if not domain:
        return f"Lemma {name} : 0 < {term(expr)}.\nProof. {_CLOSED} Qed.\n"
    names = [d.symbol.name for d in domain]
    bounds = " -> ".join(f"{term(d.lo)} <= {d.symbol} <= {term(d.hi)}" for d in domain)
    intros = f"intros {' '.join(names)} {' '.join('H' + n for n in names)}."
    options = ", ".join([*(f"i_bisect {n}" for n in names), "i_depth 30", "i_prec 60"])
    quantified = f"forall {' '.join(names)} : R, {bounds} -> 0 < {term(expr)}"
    return f"Lemma {name} : {quantified}.\nProof. {intros} interval with ({options}). Qed.\n"


def leaves(folder: Path = CERTIFICATES) -> Iterator[tuple[str, int, str | None, str]]:
    """Every leaf of every committed certificate: obligation, number, Coq text or nothing, and why there is none."""
    for o in registry().values():
        found = list(_leaves_of(o, folder))
        for i, fact in enumerate(found):
            try:
                yield o.id, i, lemma(f"leaf_{i}", fact), ""
            except Rejected as error:
                yield o.id, i, None, str(error)


def _leaves_of(o: Obligation, folder: Path) -> Iterator[k.Fact]:
    stack = [k.replay(c) for c in json.loads(path_of(o, folder).read_text(encoding="utf-8"))["facts"]]
    seen = set[str]()
    while stack:
        fact = stack.pop()
        stack += fact.premises()
        if fact.rule in LEAVES and (text := json.dumps(fact.certificate(), sort_keys=True)) not in seen:
            seen.add(text)
            yield fact


def run(limit: int | None = None, timeout: float = 60.0) -> list[Opinion] | str:
    """Check the leaf facts with Coq.

    Args:
        limit: Check at most this many.
        timeout: Seconds for each.

    Returns:
        An opinion a fact that coq-interval can state, or a sentence that says why there is none.
    """
    coqc = shutil.which("coqc")
    if coqc is None:
        return ABSENT
    stated = [(name, i, text) for name, i, text, _ in leaves() if text is not None]
    return [_opinion(coqc, *leaf, timeout) for leaf in stated[:limit]]


def left_out() -> list[str]:
    """The leaves that coq-interval cannot state, with the reason."""
    return [f"{name}[{i}]: {why}" for name, i, text, why in leaves() if text is None]


def _opinion(coqc: str, name: str, i: int, text: str, timeout: float) -> Opinion:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "leaf.v"
        path.write_text(HEAD + text, encoding="utf-8")
        try:
            done = subprocess.run(  # noqa: S603 - coqc on a file that was just written
                [coqc, "-q", path.name], cwd=folder, capture_output=True, text=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return Opinion(name, i, agrees=False, detail=f"no answer in {timeout} s")
    complaint = done.stderr.strip()
    if "Interval" in complaint and "Cannot find" in complaint:
        complaint = f"coq-interval is not installed (Debian: libcoq-interval): {complaint}"
    return Opinion(name, i, done.returncode == 0, complaint[-200:] if done.returncode else "")
