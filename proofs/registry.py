"""Obligations: what is claimed, about which formula of the library, and on what evidence.

An obligation is a function whose docstring says what is claimed, and which returns `Goal` objects: kernel claims that
are built from the library's own formulas, read through ``TERM``, each with a tactic that finds its proof.
``python -m proofs --write`` runs the tactics and commits the certificates; `proofs.check.run` only replays them and
compares their claims with the goals of today, and `proofs.status` computes what is said of them.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import sympy as sp

from dpref.terms import TERM
from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim, Domain, Rejected, slope
from proofs.citation import Citation
from proofs.citations import CITATIONS
from proofs.formulas import formula
from proofs.search import auto

# Each package names its modules, in the order in which a reader meets them, as its `PARTS`.
PACKAGES: Final = (
    "proofs.topics",
    "proofs.papers.dp_erm_revisited",
    "proofs.papers.kl_condition",
    "proofs.papers.private_saddle_points",
    "proofs.papers.private_online_frank_wolfe",
    "proofs.papers.dynamic_privacy_budget",
)

Tactic = Callable[[Claim], k.Fact]


@dataclass(frozen=True)
class Goal:
    """One kernel claim of an obligation, with the tactic that proves it.

    Attributes:
        claim: Built from the library's formulas, read through ``TERM``.
        tactic: Untrusted; its fact must be exactly the claim.
        note: What the claim says, in words.
        sides: For an identity of two terms that are kept apart, both of them; else nothing.
    """

    claim: Claim
    tactic: Tactic
    note: str = ""
    sides: tuple[sp.Expr, ...] = ()

    def recorded(self, certificate: Mapping[str, Any]) -> bool:
        """Whether a fact's certificate records this goal: its claim, and both sides where they are kept apart."""
        if certificate["claim"] != k.encode(tuple(self.claim)):
            return False
        return not self.sides or (certificate["rule"], certificate["args"][:2]) == ("identity", k.encode(self.sides))


def goal(expr: sp.Expr, relation: str, domain: Domain, tactic: Tactic = auto, note: str = "") -> Goal:
    """A `Goal`; the plain tactic is an identity or a sign."""
    return Goal(Claim(sp.sympify(expr), relation, domain), tactic, note)


def equal(left: sp.Expr, right: sp.Expr, domain: Domain, note: str = "", side: tuple[k.Fact, ...] = ()) -> Goal:
    """The identity ``left == right`` as a `Goal` whose certificate keeps both sides, also where they are one term.

    The claim is about the difference, which sympy may cancel to ``0 == 0``: a reader, the drift check and a second
    checker then still see what was compared.

    >>> x = sp.Symbol("x")
    >>> equal(x * x, x**2, ()).sides
    (x**2, x**2)
    """
    sides = (sp.sympify(left), sp.sympify(right))
    return Goal(
        Claim(sides[0] - sides[1], "==", domain), lambda c: k.identity(*sides, c.domain, side), note, sides
    )  # fmt: skip


def of_fact(make: Callable[[], k.Fact], expr: sp.Expr, relation: str, domain: Domain, note: str = "") -> Goal:
    """A `Goal` whose tactic ignores the claim (the claim is compared afterwards)."""
    return goal(expr, relation, domain, lambda _: make(), note)


def derivative(f: sp.Expr, x: sp.Symbol, rate: sp.Expr, domain: Domain, note: str = "") -> Goal:
    """That ``rate`` is the derivative of f in x, as a `Goal`."""
    return of_fact(lambda: k.derivative(f, x, rate, domain), slope(f, x) - rate, "==", domain, note)


def refutation(expr: sp.Expr, relation: str, domain: Domain, *, prec: int = 128, note: str = "", **at: object) -> Goal:
    """The claim ``expr relation 0`` on the box is false at a rational point."""
    point = tuple((sp.Symbol(n), sp.Rational(str(v))) for n, v in at.items())
    return goal(
        expr,
        f"not {relation}",
        domain,
        lambda c: balls.refute(c.expr, relation, c.domain, point, prec),
        note or "witness",
    )


def cited(text: str, cite: str) -> Goal:
    """A step that is taken from the literature: it makes the obligation ``assumed``."""
    return goal(sp.S.Zero, "==", (), lambda c: k.axiom(c.expr, c.relation, c.domain, f"{cite}: {text}"), text)


@dataclass(frozen=True)
class Theorem:
    """A theorem of Coq that an obligation names in place of a citation.

    Attributes:
        name: ``File.theorem`` of ``proofs/coq/theory``.
        text: What it says, in words.
        beyond: ``citation: what it says`` for output spaces that are not finite; empty where nothing is left to assume.
    """

    name: str
    text: str
    beyond: str = ""


def proven(name: str, text: str) -> Theorem:
    """A step that Coq proves as it is needed."""
    return Theorem(name, text)


def finite(name: str, text: str, cite: str) -> Theorem:
    """A step that Coq proves on finite output spaces; on all others it is taken from the literature.

    >>> finite("Approximate.billboard", "the billboard lemma", "hsu2014private").beyond
    'hsu2014private: the billboard lemma'
    """
    return Theorem(name, text, f"{cite}: {text}")


@dataclass(frozen=True)
class Obligation:
    """One claim of a paper or of a topic.

    Attributes:
        id: ``paper/item``; stable.
        paper: Short name of the paper or topic.
        item: The paper's numbering.
        title: A few words.
        statement: LaTeX (Markdown text with formulas between dollars); for a printed form, what is printed.
        citation: Key of `proofs.citations.CITATIONS`.
        goals: Builds the kernel claims from the library's formulas.
        about: Ids of those formulas (`proofs.formulas`); empty means about no formula of the library.
        premises: Ids of obligations that it rests on.
        theorems: What Coq proves of it, about privacy itself.
        refutes: Whether the goals refute the statement.
        repaired_by: For a refuted form, the id of the right one.
        tests: Names of tests that are part of the evidence, ``path::function``.
        open_because: Why nothing is proved.
        not_proved: What the formulas leave out, in words; the status is then *proved in part* at best.
        stated_by: Theorems among `theorems`, or corollaries by name, that together say the whole sentence in Coq.
        numbers: Whether it is about numbers alone: its sentence is printed from its goals, and its words are a comment.
        published: ``Theorem 2``: the sentence is this one of the work that it cites.
        code: Where the obligation is written, ``file.py:line``.
    """

    id: str
    paper: str
    item: str
    title: str
    statement: str
    citation: str
    goals: Callable[[], Sequence[Goal]] = field(repr=False)
    about: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    theorems: tuple[Theorem, ...] = ()
    refutes: bool = False
    repaired_by: str = ""
    tests: tuple[str, ...] = ()
    open_because: str = ""
    not_proved: str = ""
    stated_by: tuple[str, ...] = ()
    numbers: bool = False
    published: str = ""
    code: str = ""

    @property
    def reference(self) -> Citation:
        """The citation."""
        return CITATIONS[self.citation]

    def prove(self) -> list[k.Fact]:
        """Run the tactics; every fact must be exactly its goal's claim.

        Raises:
            Rejected: If a tactic fails, or proves something else.
        """
        facts = []
        for g in self.goals():
            fact = g.tactic(g.claim)
            sides = k.encode(fact.args[:2]) if g.sides else []
            if not g.recorded({"claim": k.encode(tuple(fact.claim)), "rule": fact.rule, "args": sides}):
                raise Rejected(f"{self.id}: the tactic proved {fact.claim} instead of {g.claim}")
            facts.append(fact)
        return facts


Goals = Callable[[], Sequence[Goal]]
_REGISTRY: dict[str, Obligation] = {}


def obligation(name: str, **more: Any) -> Callable[[Goals], Goals]:
    """Register a function that returns goals as the obligation ``name`` (``paper/item``).

    The function's docstring is what is claimed: its first line is the title, the rest the statement. A line that ends
    in a backslash goes on without a space, where a formula is longer than a line.
    """

    def register(goals: Goals) -> Goals:
        title, _, statement = (goals.__doc__ or "").partition("\n\n")
        if not statement:
            raise ValueError(f"{name}: the docstring must be a title, an empty line, and the statement (not under -OO)")
        joined = " ".join(re.sub(r"\\\n\s*", "", statement).split())
        where = f"{goals.__module__.replace('.', '/')}.py:{inspect.unwrap(goals).__code__.co_firstlineno}"
        _register(name, title=title.strip().removesuffix("."), statement=joined, goals=goals, code=where, **more)
        return goals

    return register


def erratum(name: str, *, repaired_by: str, **more: Any) -> Callable[[Goals], Goals]:
    """Register an obligation whose goals refute its statement, the printed form; ``repaired_by`` is the right one."""
    return obligation(name, refutes=True, repaired_by=repaired_by, **more)


def no_goals() -> Sequence[Goal]:
    """The goals of an obligation that is only tested, or open."""
    return ()


def declare(name: str, **more: Any) -> None:
    """Register an obligation without kernel claims (tested or open), its title and its statement among the rest."""
    where = f"{no_goals.__module__.replace('.', '/')}.py:{no_goals.__code__.co_firstlineno}"
    _register(name, goals=no_goals, code=where, **more)


def _register(name: str, *, item: str = "", **more: Any) -> None:
    paper, _, rest = name.partition("/")
    if name in _REGISTRY:
        raise ValueError(f"two obligations named {name}")
    _REGISTRY[name] = Obligation(id=name, paper=paper, item=item or rest, **more)


@dataclass(frozen=True)
class Paper:
    """A paper or a topic: its obligations have one citation where they name no other, and own ids without its name.

    >>> Paper("kl-condition", "menart2024kl").id("PO-1"), Paper("kl-condition", "menart2024kl").id("gaussian/zcdp")
    ('kl-condition/PO-1', 'gaussian/zcdp')
    """

    name: str
    citation: str

    def id(self, name: str) -> str:
        """The id of an obligation of this paper, or of the one that is named in full."""
        return name if "/" in name else f"{self.name}/{name}"

    def obligation(self, name: str, **more: Any) -> Callable[[Goals], Goals]:
        """`obligation`, of this paper."""
        return obligation(self.id(name), **self._filled(more))

    def erratum(self, name: str, **more: Any) -> Callable[[Goals], Goals]:
        """`erratum`, of this paper."""
        return erratum(self.id(name), **self._filled(more))

    def declare(self, name: str, **more: Any) -> None:
        """`declare`, of this paper."""
        declare(self.id(name), **self._filled(more))

    def _filled(self, more: Mapping[str, Any]) -> dict[str, Any]:
        ids: dict[str, Any] = {"premises": tuple(map(self.id, more.get("premises", ())))}
        if "repaired_by" in more:
            ids["repaired_by"] = self.id(more["repaired_by"])
        return {"citation": self.citation, **more, **ids}


def registry() -> Mapping[str, Obligation]:
    """All obligations by id, in the order in which they are written."""
    for package in PACKAGES:
        for part in importlib.import_module(package).PARTS:
            importlib.import_module(f"{package}.{part}")
    return _REGISTRY


# ------------------------------------------------------------------------------------ readings


_INTEGERS: Final = (
    {"steps": 4, "t": 1, "turn": 2, "epochs": 3},
    {"steps": 4, "t": 3, "turn": 2, "epochs": 2},
    {"steps": 2, "t": 1, "turn": 3, "epochs": 1},
)


def reading(name: str) -> Any:
    """The library formula as JSON: read through ``TERM`` on symbols named like its parameters."""
    if name in _READERS:
        return [k.encode(sp.sympify(v)) for v in _READERS[name]()]
    parameters = list(inspect.signature(formula(name)).parameters.values())[1:]
    readings = []
    for integers in _INTEGERS if any(p.annotation == "int" for p in parameters) else _INTEGERS[:1]:
        values = [_argument(p, integers) for p in parameters]
        value = formula(name)(TERM, *values)
        readings.append(k.encode(tuple(value) if isinstance(value, list | tuple) else sp.sympify(value)))
    return readings


_READERS: Final[dict[str, Callable[[], Sequence[Any]]]] = {}


def read_as(name: str, terms: Callable[[], Sequence[Any]]) -> None:
    """Register how a library function that is not a formula over ``Ops[T]`` is read as terms."""
    _READERS[name] = terms


def _argument(p: inspect.Parameter, integers: Mapping[str, int]) -> Any:
    if str(p.annotation).startswith("Sequence"):
        return [sp.Symbol(f"{p.name}{i}") for i in itertools.islice(itertools.count(1), 3)]
    return integers[p.name] if p.annotation == "int" else sp.Symbol(p.name)
