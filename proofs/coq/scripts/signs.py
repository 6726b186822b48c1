"""Signs in a Coq proof: polynomials in pieces that are not negative, products of factors, side conditions.

Untrusted: what is written here Coq checks.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from proofs.algebra import Ring, factors
from proofs.coq import statements
from proofs.coq.scripts.variables import Unsupported, Variables
from proofs.terms import Rejected


class Signs(Variables):
    """The kernel's reasons for a sign, told to Coq."""

    @abstractmethod
    def equal(self, where: str, left: sp.Expr, right: sp.Expr) -> str:
        """A proof of ``left = right``."""

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
        for g, _, _ in self.sides:
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
        """A polynomial of certain sign in pieces that are not negative, x - lo and hi - x; strict ones first."""
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
