"""The variables of a Coq proof: symbols, and for each root, logarithm and exponential one with its equation.

Untrusted: what is written here Coq checks.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import sympy as sp

from proofs import kernel as k
from proofs.algebra import Ring
from proofs.coq import statements
from proofs.terms import BINDERS, Domain, Rejected, unevaluated

Images = Mapping[sp.Symbol, sp.Expr]
NO_IMAGES: Final[Images] = {}
LONGEST: Final = 20_000  # characters of one formula


LEMMA: Final = {"==": "z_eq", ">": "gt_eq", ">=": "ge_eq"}


def by_form(r: str, form: str, premise: str, equation: str) -> str:
    """A tactic for a relation to zero: what is known of a form, and that the formula equals it."""
    return f"apply ({LEMMA[r]} {form}); [{premise} | {equation}]"


class Unsupported(Exception):
    """No proof of this is written; the message says why."""


def text(e: sp.Expr, images: Images = NO_IMAGES, running: Sequence[str] = ()) -> str:
    """A formula in Coq, with places in the stead of some of its symbols."""
    to = {statements.variable(s.name): text(i, running=running) for s, i in images.items()}
    whole = statements.term(k.encode(e), running)
    return re.sub(r"\bv_\w+", lambda m: to.get(m[0], m[0]), whole) if to else whole


class Piece(NamedTuple):
    """exp (c m) as a power of a variable: the equation's name, value and text of the power, value and text of m."""

    name: str
    value: sp.Expr
    text: str
    inner: sp.Expr
    shown: str


class Variables(ABC):
    """What has been said in a proof so far, and the variables that stand for the kernel's generators.

    Attributes:
        ring: Normal forms on the lemma's box.
        out: The sentences of the proof.
    """

    def __init__(self, ring: Ring, running: Sequence[str] = (), tag: str = "", domain: Domain = ()) -> None:
        """Nothing said yet; ``tag`` keeps the names of two scenes of one proof apart."""
        self.ring, self.running, self.tag, self.domain = ring, tuple(running), tag, domain
        self.out, self.counter = list[str](), 0
        self.variables, self.bounds = dict[sp.Symbol, str](), set[sp.Symbol]()
        self.equations = dict[str, tuple[str, sp.Expr]]()  # an awkward part's text: its equation's name, its value
        self.signs = dict[Any, str]()
        self.exponentials = dict[Any, Piece]()
        self.sides = list[tuple[sp.Expr, str, str]]()
        self.arguments = dict[sp.Symbol, tuple[sp.Expr, str]]()
        self.double: tuple[Any, Mapping[sp.Symbol, sp.Expr]] = None, {}

    def fresh(self, letter: str) -> str:
        """A new name."""
        self.counter += 1
        return f"{letter}{self.tag}{self.counter}"

    def say(self, name: str, claim: str, proof: str) -> str:
        """Assert something."""
        if len(claim) + len(proof) > LONGEST:
            raise Unsupported("a formula of too many terms")
        self.out.append(f"assert ({name} : {claim}) by ({proof}).")
        return name

    def look(self, *es: sp.Expr, images: Images = NO_IMAGES) -> None:
        """Let the ring see all formulas first, so that it knows every root before one is introduced."""
        for _ in range(2):
            for e in es:
                self._look(e, images)

    def _look(self, e: sp.Expr, images: Images) -> None:
        if e.func in BINDERS:
            return
        for x in e.args:
            self._look(x, images)
        if e in images:
            self._look(images[e], NO_IMAGES)
            return
        for x in (e, sp.log(e.base)) if e.is_Pow and not e.exp.is_Integer else (e,):
            try:
                self.ring.fraction(self.ring.normal(unevaluated(x, images)))
            except Rejected:
                continue

    def text(self, e: sp.Expr, images: Images = NO_IMAGES) -> str:
        """A formula as it stands in the lemma."""
        return text(e, images, self.running)

    def rooted(self, r: sp.Expr) -> sp.Expr:
        """A normal form in roots of generators instead of their fractional powers."""
        return r.xreplace({g: w**n for g, (n, w) in self.ring.root.items()}).xreplace(self.doubles())

    def doubles(self) -> Mapping[sp.Symbol, sp.Expr]:
        """Generators that are the same as earlier ones, which the ring writes in two ways."""
        state = (len(self.ring.meaning), tuple(self.ring.root.values()))
        if self.double[0] == state:
            return self.double[1]
        first, found = dict[Any, sp.Symbol](), dict[sp.Symbol, sp.Expr]()
        to = {of: w**n for g, (n, w) in self.ring.root.items() if (of := self.ring.meaning[g][1]).is_Symbol}
        to |= {
            g: of
            for g, (kind, of) in self.ring.meaning.items()
            if kind == "base" and of.is_Symbol and g not in self.ring.root
        }
        for g, (kind, of) in self.ring.meaning.items():
            if kind in ("pi", "opaque"):
                continue
            inner = (
                of.xreplace({x: w**n for x, (n, w) in self.ring.root.items()}).xreplace(found).xreplace(to).xreplace(to)
            )
            other = first.setdefault((kind, sp.together(inner)), g)
            (n, w), (m, v) = (self.ring.root.get(x, (1, x)) for x in (g, other))
            if other != g and m % n == 0:
                found[w] = v ** (m // n)
        self.double = state, found
        return found

    def _first(self, n: int, w: sp.Symbol | None) -> tuple[int, sp.Symbol | None]:
        """A root in the generator that came first, and how deep it is then."""
        b, p = self.doubles().get(w, w).as_base_exp() if w is not None else (None, 1)
        return n * int(p), b

    def show(self, r: sp.Expr) -> str:
        """A rational function of symbols and generators in Coq."""
        if r.is_Symbol:
            same = self.doubles().get(r)
            return self.variable(r) if same is None else self.show(same)
        if r.is_Rational:
            return statements.number(str(r))
        if isinstance(r, sp.Add | sp.Mul):
            return "(" + (" + " if r.is_Add else " * ").join(map(self.show, r.args)) + ")"
        if isinstance(r, sp.Pow) and r.exp.is_Integer:
            b, n = self.show(r.base), abs(int(r.exp))
            whole = b if n == 1 else f"({b} ^ {n})"
            return whole if r.exp > 0 else f"(/ {whole})"
        raise Unsupported(f"a normal form with {r.func}")

    def variable(self, g: sp.Symbol) -> str:
        """A symbol or a generator, introduced where it is new."""
        if not isinstance(g, sp.Dummy):
            return statements.variable(g.name)
        if g not in self.variables:
            owner = next((x for x, (_, w) in self.ring.root.items() if w == g), g)
            if owner == g and g in self.ring.root:
                raise Unsupported("a generator beside its root")
            self.variables[g] = self._introduce(owner, g)
        return self.variables[g]

    def _introduce(self, g: sp.Symbol, w: sp.Symbol) -> str:
        kind, of = self.ring.meaning[g]
        n = self.ring.root.get(g, (1, g))[0]
        if kind == "pi":
            return "PI"
        x = self.fresh({"exp": "u", "base": "w", "log": "l", "erfc": "e", "opaque": "o"}[kind])
        if kind == "opaque":
            self.out.append(f"destruct (some_value {self.text(of)}) as ({x} & {x}e).")
            return x
        arg = self.show(self.rooted(of))
        if kind == "exp":
            self.arguments[w] = self.rooted(of), arg
            self.out.append(f"destruct (exp_value ({arg} / {n})) as ({x} & {x}p & {x}e).")
        elif kind == "erfc":
            self.out.append(f"destruct (erfc_value {arg}) as ({x} & {x}p & {x}q & {x}e).")
        elif kind == "log":
            self.out.append(f"destruct (ln_value {arg} {self.positive(of, '>')}) as ({x} & {x}e).")
        elif self.certain(of, ">"):
            self.out.append(
                f"destruct (root_value {n} {arg} {self.positive(of, '>')} ltac:(lia)) as ({x} & {x}p & {x}e)."
            )
        else:
            self.out.append(
                f"destruct (root_weak {n} {arg} {self.positive(of, '>=')} ltac:(lia)) as ({x} & {x}p & {x}e)."
            )
        return x

    def _bounded(self, w: sp.Symbol) -> bool:
        """Whether the range of a generator says more than its introduction."""
        g = next((g for g, (_, v) in self.ring.root.items() if v == w), w)
        kind, (lo, hi, _) = self.ring.meaning.get(g, ("", None))[0], self.ring.range[w]
        return {
            "exp": (lo, hi) != (0, sp.oo),
            "base": (lo, hi) != (0, sp.oo),
            "erfc": (lo, hi) != (0, 2),
            "": False,
        }.get(kind, bool(lo.is_finite or hi.is_finite))

    def bound(self, w: sp.Symbol) -> None:
        """Say on which side of its pivot a generator lies."""
        if w in self.bounds or not isinstance(w, sp.Dummy):
            return
        if w in self.doubles():
            for x in self.doubles()[w].free_symbols:
                self.bound(x)
            return
        self.bounds.add(w)
        x = self.variable(w)
        g = next((g for g, (_, v) in self.ring.root.items() if v == w), w)
        kind, of = self.ring.meaning[g]
        if kind == "pi":
            self.out.append("pose proof PI_bounds.")
            return
        near = {"exp": of, "erfc": -of}.get(kind, of if kind == "opaque" else of - 1)
        if kind == "opaque":
            self.out.append(self.total_positive(x, of))
            return
        up = self.certain(near, ">=")
        strict = self.certain(near if up else -near, ">")
        if kind == "base" and of.is_Symbol:  # of - 1 is a product of w - 1 and more by now
            self.positive(of, ">")
            h = "I"
        else:
            h = self.positive(near if up else -near, ">" if strict else ">=")
        lemma = f"{'pow' if kind == 'base' else kind}_{'above' if up else 'below'}{'' if strict else '_weak'}"
        more = {"exp": " ltac:(lra)", "base": ""}.get(kind, "")
        base = f"{'' if strict else ' ltac:(lia)'} ltac:(lra)" if kind == "base" else ""
        holes = "_ _" if kind in ("log", "erfc") else "_ _ _"
        self.out.append(f"pose proof ({lemma} {holes} {x}e{base} ltac:(first [exact {h} | lra]){more}) as {x}b.")

    @abstractmethod
    def certain(self, r: sp.Expr, relation: str) -> bool:
        """Whether the kernel knows this sign."""

    @abstractmethod
    def positive(self, r: sp.Expr, relation: str) -> str:
        """The name of the hypothesis ``0 < r`` or ``0 <= r`` about a normal form."""

    @abstractmethod
    def total_positive(self, x: str, of: sp.Expr) -> str:
        """A sum of positive terms over a sequence is positive."""
