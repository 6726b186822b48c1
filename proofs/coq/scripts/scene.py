"""Formulas in a Coq proof: each root, logarithm and exponential is an equation with a variable of known sign.

Untrusted: what is written here Coq checks.  The kernel's normal form says what a formula is in terms of generators; a
`Scene` introduces those into the proof as variables, shows for every awkward part of a formula that it equals its
normal form, from the inside out, and then closes equations with ``field``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import sympy as sp

from proofs.algebra import Ring, factors, quotient
from proofs.coq import statements
from proofs.coq.scripts.signs import Signs
from proofs.coq.scripts.variables import NO_IMAGES, Images, Piece, Unsupported, by_form, text
from proofs.terms import BINDERS, substitute, unevaluated

__all__ = ("NO_IMAGES", "Images", "Scene", "Unsupported", "text")


class Scene(Signs):
    """The proof of one lemma: what has been said so far, and what is known of the formulas in it."""

    def total_positive(self, x: str, of: sp.Expr) -> str:
        """A sum of positive terms over a sequence is positive."""
        inner = Scene(Ring(self.domain), self.running, f"{self.tag}t", self.domain)
        (body,) = of.args
        inner.look(body)
        n, v = inner.ring.normal(body), inner.value(body)
        r = ">" if inner.certain(n, ">") else ">="
        h = inner.positive(n, r)
        proof = by_form(r, inner.show(inner.rooted(n)), f"exact {h}", inner.equal(inner.text(body), v, inner.rooted(n)))
        lines = [
            f"rewrite <- {x}e. {'apply total_gt; [assumption | ]' if r == '>' else 'apply total_ge'}.",
            at_point_of(self.running),
            *inner.out,
            f"{proof}.",
        ]
        return f"assert ({x}p : {statements.RELATIONS[r].format(x)}).\n  {{ " + "\n    ".join(lines) + " }"

    def value(self, e: sp.Expr, images: Images = NO_IMAGES) -> sp.Expr:  # noqa: PLR0911 - one return for each kind
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
            known, last = (
                self._said(f"exp (2 * {where})", double, proof),
                self.equal("", (double - 1) / (double + 1), v),
            )
            self._equation(t, v, f"rewrite tanh_exp, {known}; {last}")
        elif isinstance(e, sp.erfc):
            u, there = self.value(e.args[0], images), e.args[0].xreplace(dict(images))
            if there == 0:
                self._equation(t, sp.S.One, "transitivity (erfc 0); [f_equal; ring | exact erfc_0]")
                return
            if not isinstance(sp.erfc(there), sp.erfc) and isinstance(sp.erfc(-there), sp.erfc):
                v = 2 - self.value(sp.erfc(-there))
                back = self.text(-there)
                flip = self.equal(self.text(e.args[0], images) + back, u, -self.value(-there))
                self._equation(
                    t, v, f"rewrite (erfc_flip _ {back}); [{self.equal(self.text(sp.erfc(-there)), v, v)} | {flip}]"
                )
                return
            v = self.ring.normal(raw)
            x, of = self.variable(v), self.rooted(self.ring.meaning[v][1])
            where = self.text(e.args[0], images)
            self._equation(
                t, v, f"transitivity (erfc {self.show(of)}); [f_equal; {self.equal(where, u, of)} | exact {x}e]"
            )
        else:
            raise Unsupported(f"no value of {e.func}")

    def bell(self, u: sp.Expr) -> sp.Expr:
        """The value of exp (- u^2), as Coq writes it where it differentiates erfc."""
        where = self.text(u)
        t = f"(exp ((-1) * ({where} * {where})))"
        if t not in self.equations:
            self._equation(t, *self._exponential(where, -(self.value(u) ** 2), -(u**2)))
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
        """A sum of c * m, the product of exp (c * m), the rewriting of one into the other, and the sum's text."""
        if not found:
            return sp.S.Zero, sp.S.One, "rewrite exp_0; ", "0"
        pieces = [self._piece(c, m) for c, m in found]
        total = sum((c * m for (c, _), (*_, m, _) in zip(found, pieces, strict=True)), sp.S.Zero)
        shown = " + ".join(f"{self.show(c)} * {t}" for (c, _), (*_, t) in zip(found, pieces, strict=True))
        names = ", ".join(dict.fromkeys(name for name, *_ in pieces))
        product = " * ".join(t for _, _, t, *_ in pieces)
        rewriting = f"transitivity ({product}); [rewrite ?exp_plus; rewrite {names}; reflexivity | ]; "
        return total, prod((v for _, v, *_ in pieces), start=sp.S.One), rewriting, shown

    def _piece(self, c: sp.Rational, m: sp.Expr) -> Piece:
        """The equation exp (c * m) = a power of a generator."""
        if (c, m) in self.exponentials:
            return self.exponentials[c, m]
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
                e = self.say(
                    self.fresh("K"), f"exp ({shown} / {n}) = {x}", f"apply (root_exp {n} _ _ _ {shown}e {x}e {x}p); lia"
                )
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
        self.exponentials[c, m] = Piece(name, v**power, product, inner, shown)
        return self.exponentials[c, m]

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
                q, _ = sp.div(sp.Poly(n - rest, x, w), sp.Poly(x - f, x, w))
                self.variable(w)
                parts.append((q.as_expr(), f"({self.variable(w)} ^ {m} - {self.show(x)})", -1, self.variable(w)))
            else:
                f = self.rooted(of)
                if not n.has(w):
                    continue
                _, below = quotient(f)
                if below != 1:
                    raise Unsupported("a root of a fraction")
                q, rem = sp.div(sp.Poly(n, w), sp.Poly(w**m - f, w))
                rest = sp.expand(rem.as_expr())
                parts.append((q.as_expr(), f"({self.variable(w)} ^ {m} - {self.show(f)})", 1, self.variable(w)))
            n = sp.expand(rest)
        if n != 0:
            raise Unsupported(f"the normal forms differ by {n!s:.300}")
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

    def side(self, name: str, e: sp.Expr, relation: str) -> None:
        """A hypothesis about an expression, as one about its normal form."""
        r = self.ring.normal(e)
        if self.ring.zero(r):
            return
        v = self.value(e)
        t = self.text(e)
        proof = by_form(relation, t, f"exact {name}", f"symmetry; {self.equal(t, v, self.rooted(r))}")
        h = self.say(self.fresh("S"), statements.RELATIONS[relation].format(self.show(self.rooted(r))), proof)
        self.sides.append((r, relation, h))


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
