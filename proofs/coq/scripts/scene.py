"""Formulas in a Coq proof: each root, logarithm and exponential is an equation with a variable of known sign.

Untrusted: what is written here Coq checks.  The kernel's normal form says what a formula is in terms of generators; a
`Scene` introduces those into the proof as variables (a root by its power, an exponential by its argument, a logarithm by
its exponential), shows for every awkward part of a formula that it equals its normal form, from the inside out, and then
closes equations with ``field`` and signs by writing a polynomial with coefficients of one sign in what is not negative.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final

import sympy as sp

from proofs import kernel as k
from proofs.algebra import Ring, factors, quotient
from proofs.coq import statements
from proofs.terms import BINDERS, Domain, Rejected, substitute, unevaluated

Images = Mapping[sp.Symbol, sp.Expr]
NO_IMAGES: Final[Images] = {}
DEBUG = __import__("os").environ.get("DBG")
LONGEST: Final = 20_000  # characters of one formula


class Unsupported(Exception):  # noqa: N818 - an answer: no proof is written
    """No proof of this is written; the message says why."""


def text(e: sp.Expr, images: Images = NO_IMAGES, running: Sequence[str] = ()) -> str:
    """A formula in Coq, with places in the stead of some of its symbols."""
    to = {statements.variable(s.name): text(i, running=running) for s, i in images.items()}
    whole = statements.term(k.encode(e), running)
    return re.sub(r"\bv_\w+", lambda m: to.get(m[0], m[0]), whole) if to else whole


class Scene:
    """The proof of one lemma: what has been said so far, and what is known of the formulas in it.

    Attributes:
        ring: Normal forms on the lemma's box.
        out: The sentences of the proof.
    """

    def __init__(
        self,
        ring: Ring,
        sides: Sequence[tuple[str, sp.Expr, str]] = (),
        running: Sequence[str] = (),
        tag: str = "",
        domain: Domain = (),
    ) -> None:
        """A scene whose side conditions are hypotheses: (name, expression, relation)."""
        self.ring, self.running, self.tag, self.domain = ring, tuple(running), tag, domain
        self.out = list[str]()
        self.variables, self.counter = dict[sp.Symbol, str](), 0
        self.equations = dict[str, tuple[str, sp.Expr]]()  # an awkward part's text: its equation's name, its value
        self.signs, self.bounds, self.exps = dict[Any, str](), set[sp.Symbol](), dict[Any, tuple[str, sp.Expr, str, sp.Expr, str]]()
        self.sides = list[tuple[sp.Expr, str, str]]()
        self.arguments = dict[sp.Symbol, tuple[sp.Expr, str]]()
        self.double: tuple[Any, Mapping[sp.Symbol, sp.Expr]] = None, {}
        for name, e, relation in sides:
            self.look(e)
        for name, e, relation in sides:
            self.side(name, e, relation)

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

    # -------------------------------------------------------------------------------- generators

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
        to |= {g: of for g, (kind, of) in self.ring.meaning.items() if kind == "base" and of.is_Symbol and g not in self.ring.root}
        for g, (kind, of) in self.ring.meaning.items():
            if kind in ("pi", "opaque"):
                continue
            inner = of.xreplace({x: w**n for x, (n, w) in self.ring.root.items()}).xreplace(found).xreplace(to).xreplace(to)
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
            self.out.append(f"destruct (root_value {n} {arg} {self.positive(of, '>')} ltac:(lia)) as ({x} & {x}p & {x}e).")
        else:
            self.out.append(f"destruct (root_weak {n} {arg} {self.positive(of, '>=')} ltac:(lia)) as ({x} & {x}p & {x}e).")
        return x

    def _bounded(self, w: sp.Symbol) -> bool:
        """Whether the range of a generator says more than its introduction."""
        g = next((g for g, (_, v) in self.ring.root.items() if v == w), w)
        kind, (lo, hi, _) = self.ring.meaning.get(g, ("", None))[0], self.ring.range[w]
        return {"exp": (lo, hi) != (0, sp.oo), "base": (lo, hi) != (0, sp.oo), "erfc": (lo, hi) != (0, 2), "": False}.get(
            kind, bool(lo.is_finite or hi.is_finite)
        )

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
            self.out.append(self._total_positive(x, of))
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

    def _total_positive(self, x: str, of: sp.Expr) -> str:
        """A sum of positive terms over a sequence is positive."""
        inner = Scene(Ring(self.domain), (), self.running, f"{self.tag}t", self.domain)
        (body,) = of.args
        inner.look(body)
        n, v = inner.ring.normal(body), inner.value(body)
        r = ">" if inner.certain(n, ">") else ">="
        h = inner.positive(n, r)
        proof = f"apply ({'gt' if r == '>' else 'ge'}_eq {inner.show(inner.rooted(n))}); [exact {h} | {inner.equal(inner.text(body), v, inner.rooted(n))}]"
        lines = [f"rewrite <- {x}e. {'apply total_gt; [assumption | ]' if r == '>' else 'apply total_ge'}.", at_point_of(self.running), *inner.out, f"{proof}."]
        return f"assert ({x}p : {statements.RELATIONS[r].format(x)}).\n  {{ " + "\n    ".join(lines) + " }"

    # -------------------------------------------------------------------------------- values of formulas

    def value(self, e: sp.Expr, images: Images = NO_IMAGES) -> sp.Expr:
        """What a formula is in symbols and generators; each awkward part of it gets its equation first."""
        if e.is_Symbol:
            return self.value(images[e]) if e in images else e
        if e.is_Rational:
            return e
        if e == sp.pi:
            return self.ring.normal(e)
        if isinstance(e, sp.Add | sp.Mul):
            return e.func(*(self.value(x, images) for x in e.args))
        if isinstance(e, sp.Pow):
            b, p = e.args
            if p.is_Integer:
                v = self.value(b, images)
                if p < 0:
                    self.nonzero(self.ring.normal(unevaluated(b, images)))
                return v**p
            if p.is_Rational and p.q in (2, 4):
                return self._root(b, int(p.q), images) ** p.p
        t = self.text(e, images)
        if t not in self.equations:
            self._atom(e, t, images)
        return self.equations[t][1]

    def _root(self, b: sp.Expr, q: int, images: Images) -> sp.Expr:
        t = statements.ROOTS[q].format(self.text(b, images))
        if t not in self.equations:
            inner = self.value(b, images)
            r = self.ring.normal(sp.Pow(unevaluated(b, images), sp.Rational(1, q), evaluate=False))
            v = self.rooted(r)
            h = self.positive(r, ">=")
            proof = f"apply root{q}_is; [exact {h} | {self.equal(self.text(b, images), v**q, inner)}]"
            self._equation(t, v, proof)
        return self.equations[t][1]

    def _equation(self, t: str, v: sp.Expr, proof: str) -> None:
        shown = self.show(v)
        name = self.fresh("E")
        self.say(name, f"{t} = {shown}", proof)
        self.equations[t] = name, v

    def _atom(self, e: sp.Expr, t: str, images: Images) -> None:
        raw = unevaluated(e, images)
        if e.func in BINDERS:
            there = substitute(e, images, inside=True)
            v = self.ring.normal(there)
            x = self.variable(v)
            self._equation(t, v, f"first [exact {x}e | rewrite <- {x}e; same_head]")
            return
        if e == sp.E or isinstance(e, sp.exp):
            p = e.args[0] if e.args else sp.S.One
            self._equation(t, *self._exponential(self.text(p, images), self.value(p, images), unevaluated(p, images)))
        elif isinstance(e, sp.log):
            inner, r = self.value(e.args[0], images), self.ring.normal(raw)
            total, product, rewriting, shown = self._product(self._logarithms(self.ring.normal(raw.args[0])))
            v = self.rooted(r)
            left = self.equal("", v, total)
            last = self.equal(self.text(e.args[0], images), product, inner)
            self._equation(t, v, f"apply ln_is; transitivity (exp ({shown})); [f_equal; {left} | {rewriting}{last}]")
        elif isinstance(e, sp.Pow):
            b, p = e.args
            ln = sp.log(b, evaluate=False)
            power, log = self.value(p, images), self.value(ln, images)
            exponent = unevaluated(p, images) * unevaluated(ln, images)
            where = f"{self.text(p, images)} {self.text(ln, images)}"
            self._equation(t, *self._exponential(where, power * log, exponent, "unfold Rpower; "))
        elif isinstance(e, sp.tanh):
            u = self.value(e.args[0], images)
            where, v = self.text(e.args[0], images), self.rooted(self.ring.normal(raw))
            double, proof = self._exponential(where, 2 * u, 2 * raw.args[0])
            self._equation(t, v, f"rewrite tanh_exp, ({self._said(f'exp (2 * {where})', double, proof)}); {self.equal('', (double - 1) / (double + 1), v)}")
        elif isinstance(e, sp.erfc):
            u, there = self.value(e.args[0], images), e.args[0].xreplace(dict(images))
            if not isinstance(sp.erfc(there), sp.erfc) and isinstance(sp.erfc(-there), sp.erfc):
                v = 2 - self.value(sp.erfc(-there))
                back = self.text(-there)
                flip = self.equal(self.text(e.args[0], images) + back, u, -self.value(-there))
                self._equation(t, v, f"rewrite (erfc_flip _ {back}); [{self.equal(self.text(sp.erfc(-there)), v, v)} | {flip}]")
                return
            v = self.ring.normal(raw)
            x, of = self.variable(v), self.rooted(self.ring.meaning[v][1])
            where = self.text(e.args[0], images)
            self._equation(t, v, f"transitivity (erfc {self.show(of)}); [f_equal; {self.equal(where, u, of)} | exact {x}e]")
        else:
            raise Unsupported(f"no value of {e.func}")

    def bell(self, u: sp.Expr) -> sp.Expr:
        """The value of exp (- u^2), as Coq writes it where it differentiates erfc."""
        where = self.text(u)
        t = f"(exp ((-1) * ({where} * {where})))"
        if t not in self.equations:
            self._equation(t, *self._exponential(where, -self.value(u) ** 2, -(u**2)))
        return self.equations[t][1]

    def _said(self, t: str, v: sp.Expr, proof: str) -> str:
        return self.say(self.fresh("Q"), f"{t} = {self.show(v)}", proof)

    def _exponential(self, where: str, value: sp.Expr, raw: sp.Expr, before: str = "") -> tuple[sp.Expr, str]:
        """Value and proof of exp of something."""
        r = self.ring.normal(raw)
        total, product, rewriting, shown = self._product(self._monomials(r))
        v = self.rooted(self.ring.exponential(r))
        first, last = self.equal(where, value, total), self.equal("", product, v)
        return v, f"{before}transitivity (exp ({shown})); [f_equal; {first} | {rewriting}{last}]"

    def _monomials(self, r: sp.Expr) -> list[tuple[sp.Rational, sp.Expr]]:
        """The exponent as the kernel takes it apart: coefficients, and generators of logarithms or monomials."""
        n, d = self.ring.fraction(r)
        content, d = sp.Poly(d, *d.free_symbols).primitive() if d.free_symbols else (d, sp.Poly(1, sp.Dummy()))
        found, gens = [], sorted(n.free_symbols, key=str)
        for powers, c in sp.Poly(n, *gens).terms() if gens else [((), n)]:
            above, below = quotient(prod(map(pow, gens, powers), start=sp.S.One) / d.as_expr())
            if c != 0:
                found.append((c / content, self.ring.back(above / below)))
        return found

    def _logarithms(self, r: sp.Expr) -> list[tuple[sp.Rational, sp.Expr]]:
        found = []
        for f, e, _ in self.ring.split(r):
            g, q = f.as_base_exp()
            kind, of = self.ring.meaning.get(g, ("", None))
            if kind == "exp":
                found.append((sp.sympify(e * q), of))
            else:
                h = of if kind == "base" else f
                log = self.ring.atom("log", h, h - 1, -sp.oo, 0, sp.oo)
                found.append((sp.sympify(e * (q if kind == "base" else 1)), log))
        return found

    def _product(self, found: Sequence[tuple[sp.Rational, sp.Expr]]) -> tuple[sp.Expr, sp.Expr, str, str]:
        """A sum of c * m, the product of exp (c * m) in generators, the rewriting of one into the other, the sum's text."""
        if not found:
            return sp.S.Zero, sp.S.One, "rewrite exp_0; ", "0"
        pieces = [self._piece(c, m) for c, m in found]
        total = sum((c * m for (c, _), (*_, m, _) in zip(found, pieces, strict=True)), sp.S.Zero)
        shown = " + ".join(f"{self.show(c)} * {t}" for (c, _), (*_, t) in zip(found, pieces, strict=True))
        names = ", ".join(dict.fromkeys(name for name, *_ in pieces))
        return total, prod((v for _, v, *_ in pieces), start=sp.S.One), f"transitivity ({' * '.join(t for _, _, t, *_ in pieces)}); [rewrite ?exp_plus; rewrite {names}; reflexivity | ]; ", shown

    def _piece(self, c: sp.Rational, m: sp.Expr) -> tuple[str, sp.Expr, str, sp.Expr, str]:
        """The equation exp (c * m) = a power of a generator."""
        if (c, m) in self.exps:
            return self.exps[c, m]
        kind, of = self.ring.meaning.get(m, ("", None))
        inner = self.rooted(m)
        shown = self.show(inner)
        if kind == "log":
            base = self.ring.atoms.get(("base", of))
            n, w = self._first(*self.ring.root.get(base, (1, None))) if base is not None else (1, None)
            if c.is_Integer:
                n, v, e = 1, self.rooted(of), f"{shown}e"
            elif w is None:
                raise Unsupported("a fractional power of what has no root")
            else:
                x = self.variable(w)
                e = self.say(self.fresh("K"), f"exp ({shown} / {n}) = {x}", f"apply (root_exp {n} _ _ _ {shown}e {x}e {x}p); lia")
                v = w
        else:
            g = self.ring.atom("exp", m, m, 0, 1, sp.oo)
            n, w = self._first(*self.ring.root.get(g, (1, g)))
            e, v = f"{self.variable(w)}e", w
            inner, shown = self.arguments[w]
        power = c * n
        if not power.is_Integer:
            raise Unsupported("a root that was not foreseen")
        many, lemma = abs(int(power)), "exp_nat" if power > 0 else "exp_reciprocal"
        whole = f"{self.show(c)} * {shown}"
        base_text = f"({self.show(v)} ^ {many})"
        product = base_text if power > 0 else f"(/ {base_text})"
        claim = f"exp ({whole}) = {product}"
        by = f"{shown} / {n}" if not (kind == "log" and n == 1) else shown
        name = self.say(self.fresh("K"), claim, f"apply ({lemma} ({by}) {self.show(v)} {many} _ {e}); by_count")
        self.exps[c, m] = name, v**power, product, inner, shown
        return self.exps[c, m]

    # -------------------------------------------------------------------------------- equations

    def rewriting(self, where: str) -> str:
        """The rewriting of the awkward parts that occur in a text, the outermost first."""
        names = [name for t, (name, _) in reversed(self.equations.items()) if t in where]
        return f"rewrite ?{', ?'.join(names)}; " if names else ""

    def equal(self, where: str, left: sp.Expr, right: sp.Expr) -> str:
        """A proof of ``left = right``, where awkward parts in the text ``where`` still have to be rewritten."""
        rewriting = self.rewriting(where)
        n, d = quotient((left - right).xreplace(self.doubles()))
        if n == 0:
            return f"{rewriting}by_field"
        self.nonzero(d)
        parts = []
        bases = [(g, of) for g, (kind, of) in reversed(self.ring.meaning.items()) if kind == "base"]
        for g, of in sorted(bases, key=lambda base: bool(base[1].is_Symbol)):
            m, w = self.ring.root.get(g, (1, None))
            if w is None or n == 0:
                continue
            if of.is_Symbol:
                x, f = of, w**m
                if not n.has(x):
                    continue
                rest = n.xreplace({x: f})
                q, rem = sp.div(sp.Poly(n - rest, x, w), sp.Poly(x - f, x, w))
                self.variable(w)
                parts.append((q.as_expr(), f"({self.variable(w)} ^ {m} - {self.show(x)})", -1, self.variable(w)))
            else:
                f = self.rooted(of)
                if not n.has(w):
                    continue
                above, below = quotient(f)
                if below != 1:
                    q, rem = sp.pdiv(sp.Poly(n, w), sp.Poly(below * w**m - above, w))
                    raise Unsupported("a root of a fraction")
                q, rem = sp.div(sp.Poly(n, w), sp.Poly(w**m - f, w))
                rest = sp.expand(rem.as_expr())
                parts.append((q.as_expr(), f"({self.variable(w)} ^ {m} - {self.show(f)})", 1, self.variable(w)))
            n = sp.expand(rest)
        if n != 0:
            raise Unsupported(f"the normal forms differ by {n!s:.300} {self.ring.meaning if DEBUG else ''!s:.3000}")
        total = " + ".join(f"{'- ' if s < 0 else ''}{self.show(sp.factor_terms(q) / d)} * {r}" for q, r, s, _ in parts)
        names = ", ".join(f"(root_eq _ _ {w}e)" for _, _, _, w in parts)
        return f"{rewriting}apply Rminus_diag_uniq; transitivity ({total}); [by_field | rewrite {names}; ring]"

    def nonzero(self, r: sp.Expr) -> None:
        """Say the sign of a denominator and of its factors, for ``field``."""
        n, d = self.ring.fraction(r)
        for f in (*(f for f, _ in factors(n)[1]), n, r, d):
            for s in (f, -f):
                if not s.is_Rational and self.certain(s, ">"):
                    self.positive(s, ">")
                    break

    # -------------------------------------------------------------------------------- signs

    def certain(self, r: sp.Expr, relation: str) -> bool:
        """Whether the kernel knows this sign."""
        return self.ring.sign(r) in {">": ("+",), ">=": ("+", "0+", "0")}[relation]

    def positive(self, r: sp.Expr, relation: str) -> str:
        """The name of the hypothesis ``0 < r`` or ``0 <= r`` about a normal form."""
        key = (r, relation)
        if key not in self.signs:
            if (r, ">") in self.signs and relation == ">=":
                return f"(Rlt_le _ _ {self.signs[r, '>']})"
            if relation == ">=" and r != 0 and self.certain(r, ">"):
                return f"(Rlt_le _ _ {self.positive(r, '>')})"
            if r.is_Symbol and r not in self.ring.root and not self._beside(r):
                self.variable(r)
                if isinstance(r, sp.Dummy) and self._bounded(r):
                    self.bound(r)
                self.signs[key] = self.say(self.fresh("P"), statements.RELATIONS[relation].format(self.show(r)), "lra")
                return self.signs[key]
            form, value = self.form(r, relation)
            inner = self.rooted(r)
            lemma, tactic = ("gt_eq", "strict") if relation == ">" else ("ge_eq", "weak")
            proof = f"apply ({lemma} {form}); [{self.reading(r, tactic)} | {self.equal('', inner, value)}]"
            self.signs[key] = self.say(self.fresh("P"), statements.RELATIONS[relation].format(self.show(inner)), proof)
        return self.signs[key]

    def _beside(self, x: sp.Symbol) -> bool:
        """Whether the sign of a symbol comes from a side condition alone."""
        return self.ring.coefficients(x) in ("?", "0+", "0-") and any(g == x for g, _, _ in self.sides)

    def reading(self, r: sp.Expr, tactic: str) -> str:
        """The sign of a form; a symbol with two closed ends is away from one of them."""
        found = []
        for x in sorted(self.rooted(r).free_symbols, key=str):
            lo, hi, ends = self.ring.range[x]
            if ends == "[]" and lo.is_Rational and hi.is_Rational:
                found.append(f"destruct (Rle_or_lt {self.show(x)} {self.show((lo + hi) / 2)}); ")
        return f"first [solve [{tactic}] | {''.join(found)}{tactic}]" if found else tactic

    def form(self, r: sp.Expr, relation: str) -> tuple[str, sp.Expr]:
        """A product that equals r and whose sign can be read off, and its value."""
        n, d = self.ring.fraction(r)
        if n == 0:
            return "0", sp.S.Zero
        found = self._factored(n, d)
        if found is None:
            found = self._by_side(n / d)
        if found is None:
            raise Unsupported("a sign that is not found again")
        c, parts, value = found
        if c <= 0:
            raise Unsupported("a sign that comes out the other way")
        return "(" + " * ".join([statements.number(str(c)), *parts]) + ")", value

    def _factored(self, n: sp.Expr, d: sp.Expr) -> tuple[sp.Rational, list[str], sp.Expr] | None:
        c, parts, value = sp.S.One, list[str](), n / d
        for poly, p in ((n, 1), (d, -1)):
            q, found = factors(poly)
            c *= q**p
            for f, e in found:
                s, pieces = self.ring.coefficients(f), None
                if s in ("?", "0+", "0-") and (by := self._by_side(f)) is not None:
                    sign, pieces, _ = by
                    t = f"({' * '.join([statements.number(str(abs(sign))), *pieces])})"
                    c *= sp.sign(sign) ** e
                elif s == "?" and e % 2:
                    return None
                elif s == "?":
                    t = self.show(f)
                else:
                    c *= (-1) ** e if s[-1] == "-" else 1
                    t = self.bernstein(-f if s[-1] == "-" else f)
                t = t if e == 1 else f"({t} ^ {e})"
                parts.append(t if p == 1 else f"(/ {t})")
        return (c, parts, value) if c > 0 else None

    def _by_side(self, r: sp.Expr) -> tuple[sp.Rational, list[str], sp.Expr] | None:
        """r as a side condition times a constant and factors of known sign."""
        for g, s, name in self.sides:
            try:
                (c, above), (e, below) = map(factors, self.ring.fraction(self.ring.back(r) / g))
            except Rejected:
                continue
            if c == 0:
                continue
            c, parts = c / e, [self.show(self.rooted(g))]
            for p, found in ((1, above), (-1, below)):
                for f, i in found:
                    u = self.ring.coefficients(f)
                    if u not in ("+", "-"):
                        break
                    c *= (-1) ** i if u == "-" else 1
                    t = self.bernstein(-f if u == "-" else f)
                    t = t if i == 1 else f"({t} ^ {i})"
                    parts.append(t if p == 1 else f"(/ {t})")
                else:
                    continue
                break
            else:
                value = self.rooted(g) * sp.Mul(*(f**i for f, i in above)) / sp.Mul(*(f**i for f, i in below))
                return c, parts, value * factors_constant(self.ring, r, g)
        return None

    def side(self, name: str, e: sp.Expr, relation: str) -> None:
        """A hypothesis about an expression, as one about its normal form."""
        r = self.ring.normal(e)
        if self.ring.zero(r):
            return
        v = self.value(e)
        lemma = "gt_eq" if relation == ">" else "ge_eq"
        t = self.text(e)
        proof = f"apply ({lemma} {t}); [exact {name} | symmetry; {self.equal(t, v, self.rooted(r))}]"
        h = self.say(self.fresh("S"), statements.RELATIONS[relation].format(self.show(self.rooted(r))), proof)
        self.sides.append((r, relation, h))

    def _mapped(self, poly: Any, xs: Sequence[sp.Symbol], low: Any, high: Any, which: Mapping[sp.Symbol, str]) -> Any:
        """A polynomial in x - lo (l), in hi - x (h), or in both (2), symbol by symbol: powers and coefficients."""
        whole = sp.S.Zero
        for powers, c in poly.terms():
            t = c
            for x, j, n in zip(xs, powers, poly.degree_list(), strict=True):
                lo, hi, _ = self.ring.range[x]
                u, v = low[x], high[x]
                if which.get(x, "l" if hi == sp.oo else "h") == "l":
                    t *= (u + (lo if lo.is_finite else 0)) ** j
                elif which.get(x, "h") == "h":
                    t *= (hi - v) ** j
                else:
                    t *= (lo * v + hi * u) ** j * (u + v) ** (n - j) / (hi - lo) ** n
            whole += t
        return sp.Poly(sp.expand(whole), *low.values(), *high.values()).terms()

    def bernstein(self, f: sp.Expr) -> str:
        """A polynomial of certain sign in pieces that are not negative: x - lo, hi - x, even powers; strict ones first."""
        xs = sorted(f.free_symbols, key=str)
        if not xs:
            return statements.number(str(f))
        low, high = ({x: sp.Dummy(f"{side}{i}") for i, x in enumerate(xs)} for side in ("low", "high"))
        pieces, weak = dict[sp.Symbol, str](), set[sp.Symbol]()
        poly = sp.Poly(f, *xs)
        for x in xs:
            lo, hi, ends = self.ring.range[x]
            x_ = self.show(x)
            if self._bounded(x):
                self.bound(x)
            pieces[low[x]] = x_ if lo in (0, -sp.oo) else f"({x_} - {statements.number(str(lo))})"
            pieces[high[x]] = f"({statements.number(str(hi))} - {x_})" if hi.is_finite else ""
            weak |= {low[x]} if ends[0] == "[" or (lo == -sp.oo and hi == sp.oo) else set()
            weak |= {high[x]} if ends[1] == "]" else set()
        gens = [*low.values(), *high.values()]
        finite = [x for x in xs if self.ring.range[x][0].is_finite and self.ring.range[x][1].is_finite]
        best = None
        for which in itertools.product("lh2", repeat=len(finite)) if len(finite) < 5 else ["2" * len(finite)]:
            terms = self._mapped(poly, xs, low, high, dict(zip(finite, which, strict=True)))
            if any(c < 0 for _, c in terms):
                continue
            clear = [not any(i and g in weak for i, g in zip(m, gens, strict=True)) for m, _ in terms]
            if best is None or any(clear):
                best = [t for _, t in sorted(zip(clear, terms, strict=True), key=lambda pair: not pair[0])]
            if any(clear):
                break
        if best is None:
            raise Unsupported("a polynomial whose sign is not found again")
        each = []
        for powers, c in best:
            factors_ = [pieces[g] if i == 1 else f"{pieces[g]} ^ {i}" for i, g in zip(powers, gens, strict=True) if i]
            each.append(" * ".join([statements.number(str(c)), *factors_]))
        return f"({' + '.join(each)})"


def factors_constant(ring: Ring, r: sp.Expr, g: sp.Expr) -> sp.Rational:
    """The constant of a quotient of normal forms."""
    (c, _), (e, _) = map(factors, ring.fraction(ring.back(r) / g))
    return sp.Rational(c) / e


def point(run: Sequence[str]) -> str:
    """A point of the sequence, taken apart into the running variables."""
    if len(run) == 1:
        return f"rename p into {run[0]}; "
    nested = run[0]
    for x in run[1:]:
        nested = f"[{nested} {x}]"
    return f"destruct p as {nested}; "


def at_point_of(run: Sequence[str]) -> str:
    """An arbitrary point of the sequence, with what is known of it."""
    known = "match goal with A : forall p, In p l -> _ |- _ => specialize (A p At) end; "
    return f"intros p At; {known}{point(run)}pairs."


def some_point(run: Sequence[str]) -> str:
    """Some point of the sequence, for what is known of every one."""
    known = "match goal with A : forall p, In p l -> _ |- _ => pose proof (A p At) end; "
    return f"destruct (a_point l ltac:(assumption)) as (p & At); {known}{point(run)}pairs."


def conditions(e: sp.Expr) -> Iterable[tuple[str, sp.Expr]]:
    """What makes an expression outside of heads defined, the innermost first: (relation, formula)."""
    if e.func in BINDERS:
        return
    for x in e.args:
        yield from conditions(x)
    if isinstance(e, sp.log):
        yield ">", e.args[0]
    elif isinstance(e, sp.Pow):
        b, p = e.args
        if p.is_Integer:
            if p < 0:
                yield "<>", b
        else:
            yield (">=" if p.is_Rational and p > 0 and p.q in (2, 4) else ">"), b
