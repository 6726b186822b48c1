"""Exact normal forms: the part of the trusted base that decides equality and sign.

A normal form is a fraction of polynomials over Q in symbols and in atoms of known range.  Nothing here simplifies,
searches or uses a float: two expressions are equal when the polynomial of their difference is the zero polynomial, and
an expression is positive when, after every range is mapped to non-negative numbers, no coefficient is negative.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from math import comb, lcm, prod
from typing import Any

import sympy as sp
from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz_mpoly_ctx

from proofs.terms import (  # isort: skip
    BINDERS, Claim, Domain, Interval, Rejected, Sum, bound, check_box, free, interval, is_rational, limit_of, loop_of,
    slope, substitute, total, within,
)  # fmt: skip

# What goals are written with is imported from here, whichever of the two files holds it.
__all__ = (
    "Claim", "Domain", "Interval", "Rejected", "Ring", "Sum", "bound", "free", "interval", "limit_of", "loop_of",
    "slope", "substitute", "total",
)  # fmt: skip

LARGEST = 200_000  # terms of a polynomial whose ranges are mapped: no committed proof needs more than 2,160
_FLIP = {"+": "-", "-": "+", "0+": "0-", "0-": "0+", "0": "0", "?": "?"}


def _times(a: str, b: str) -> str:
    if "?" in (a, b):
        return "?"
    if "0" in (a, b):
        return "0"
    s = "+" if a[-1] == b[-1] else "-"
    return s if len(a) == len(b) == 1 else "0" + s


@lru_cache(maxsize=16384)
def quotient(e: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """A rational function as coprime polynomials over the integers, the denominator's first coefficient positive."""
    gens, n, d = _polynomials(e)
    return _written(n, gens), _written(d, gens)


@lru_cache(maxsize=16384)
def factors(e: sp.Expr) -> tuple[sp.Integer, tuple[tuple[sp.Expr, int], ...]]:
    """A polynomial over the integers as a constant and its irreducible factors with their exponents."""
    gens, n, d = _polynomials(e)
    if d != 1:
        raise Rejected(f"{e} is not a polynomial over the integers")
    c, found = n.factor()
    return sp.Integer(int(c)), tuple((_written(f, gens), int(i)) for f, i in found)


def _polynomials(e: sp.Expr) -> tuple[list[sp.Symbol], Any, Any]:
    gens = sorted(e.free_symbols, key=sp.default_sort_key)
    context = fmpz_mpoly_ctx.get([f"x{i}" for i in range(len(gens))], Ordering.lex)
    of, one = dict(zip(gens, context.gens(), strict=True)), context.constant(1)

    def read(e: sp.Expr) -> tuple[Any, Any]:
        if e.is_Symbol or is_rational(e):
            return (of[e], one) if e.is_Symbol else (int(e.p) * one, int(e.q) * one)
        if e.is_Pow and e.exp.is_Integer:
            (n, d), k = read(e.base), abs(int(e.exp))
            if (n == 0 and e.exp < 0) or comb(max(len(n), len(d)) + k - 1, k) > LARGEST:
                raise Rejected(f"a division by zero, or too many terms: {e}")
            sign = 1 if e.exp > 0 or n.leading_coefficient() > 0 or k % 2 == 0 else -1
            return (n**k, d**k) if e.exp > 0 else (sign * d**k, sign * n**k)
        if not isinstance(e, sp.Add | sp.Mul):
            raise Rejected(f"{e} is not a rational function")
        n, d = read(e.args[0])
        for m, b in map(read, e.args[1:]):
            n, d = (n * m, d * b) if e.is_Mul else (n + m, d) if b == d else (n * b + m * d, d * b)
        g = n.gcd(d)
        return n / g, d / g

    return gens, *read(e)


def _written(p: Any, gens: list[sp.Symbol]) -> sp.Expr:
    return sp.Add(*(prod(map(pow, gens, map(int, m)), start=sp.Integer(int(c))) for m, c in p.terms()))


class Ring:
    """Normal forms of expressions on a box: fractions of polynomials in symbols and in atoms of known range.

    Atoms are exp of a monomial, log of an irreducible polynomial, positive bases under a root, erfc, pi, and whatever
    is unknown.  The rewritings are exp(a+b) = exp(a) exp(b), b**e = exp(e log b), log(ab) = log a + log b and
    (ab)**p = a**p b**p; each checks the signs that it needs.  Equal normal forms are equal numbers at every point of
    the box; `normal` rejects an expression that is not defined (``smooth``: not analytic) on the whole box.  Heads may
    jump, so with ``along`` a head that involves that symbol is rejected: what is left is continuous in it.
    """

    def __init__(self, domain: Domain, side: tuple[Claim, ...] = (), smooth: bool = False, along: Any = None) -> None:
        self.range: dict[sp.Symbol, tuple[Any, Any, str]] = {d[0]: d[1:4] for d in check_box(domain)}
        self.smooth, self.along = smooth, along
        self.atoms, self.meaning = dict[Any, sp.Symbol](), dict[sp.Symbol, tuple[str, Any]]()
        self.root, self.side = dict[sp.Symbol, tuple[int, sp.Symbol]](), list[tuple[sp.Expr, str]]()
        self.memo, self.signs = dict[sp.Expr, sp.Expr](), dict[sp.Expr, str]()
        self.fractions = dict[sp.Expr, tuple[sp.Expr, sp.Expr]]()
        for f in side:
            if f.relation not in (">", ">="):
                raise Rejected("a side condition must be an inequality that is proved")
            within(domain, f.domain)
            if not self.zero(known := self.normal(f.expr)):  # zero says nothing, and nothing can be divided by it
                self.side.append((known, "+" if f.relation == ">" else "0+"))
                self.signs.clear()

    def atom(self, kind: str, of: Any, near: Any, low: Any, pivot: Any, high: Any) -> sp.Symbol:
        """The generator kind(of), in (low, high), above or below ``pivot`` as the sign of ``near`` says."""
        if (kind, of) not in self.atoms:
            s = "?" if near is None else self.sign(near)
            low, pivot, high = (sp.Integer(x) if isinstance(x, int) else x for x in (low, pivot, high))
            above, below = s in ("+", "0+"), s in ("-", "0-")
            vanishes = kind == "base" and self.sign(of) != "+"
            ends = ("[" if s == "0+" or vanishes else "(") + ("]" if s == "0-" else ")")
            g = sp.Dummy(kind, nonnegative=True) if kind in ("exp", "base") else sp.Dummy(kind)
            self.atoms[kind, of], self.meaning[g] = g, (kind, of)
            self.range[g] = pivot if above else low, pivot if below else high, ends
        return self.atoms[kind, of]

    def normal(self, e: sp.Expr) -> sp.Expr:
        """The normal form, as an expression in symbols and generators."""
        if e not in self.memo:
            self.memo[e] = self._normal(e)
        return self.memo[e]

    def _normal(self, e: sp.Expr) -> sp.Expr:  # noqa: PLR0911, PLR0912 - one return for each kind of expression
        if is_rational(e) or (e.is_Symbol and e in self.range):
            return e
        if isinstance(e, sp.Add | sp.Mul):
            return e.func(*map(self.normal, e.args))
        if e == sp.pi:
            return self.atom("pi", e, sp.S.One, 3, 3, 4)
        if isinstance(e, sp.Pow | sp.exp) or e == sp.E:
            b, p = e.as_base_exp() if isinstance(e, sp.Pow) else (sp.E, e.args[0] if e.args else sp.S.One)
            p = self.normal(p)
            if p.is_Integer and b != sp.E:
                b = self.normal(b)
                if p < 0 and self.sign(b) not in ("+", "-"):
                    raise Rejected(f"the denominator {e.args[0]} may vanish")
                return b**p
            if p.is_Rational and b != sp.E:
                return self.power(self.normal(b), p)
            return self.exponential(p * (1 if b == sp.E else self.logarithm(self.normal(b))))
        if isinstance(e, sp.log):
            return self.logarithm(self.normal(e.args[0]))
        if isinstance(e, sp.tanh):
            u = self.exponential(2 * self.normal(e.args[0]))
            return (u - 1) / (u + 1)
        if isinstance(e, sp.erfc):
            u = sp.cancel(r := self.normal(e.args[0]))
            if not self.zero(r - u):
                raise Rejected(f"{r} was not cancelled to {u}")
            return self.atom("erfc", u, -u, 0, 1, 2)
        if e.func in BINDERS and free(e) <= set(self.range):
            if self.along in e.free_symbols:
                raise Rejected(f"{e} is not known to be continuous in {self.along}")
            return self.atom("opaque", e, self.normal(e.args[0]) if e.func is total else None, -sp.oo, 0, sp.oo)
        raise Rejected(f"{e} has no meaning on this box")

    def fraction(self, r: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """Numerator and denominator, coprime polynomials over Q in which roots are generators of their own."""
        if r in self.fractions:
            return self.fractions[r]
        bases = (of for kind, of in self.meaning.values() if kind == "base")
        for p in sorted({p for x in (r, *bases) for p in x.atoms(sp.Pow) if p.exp.q > 1}, key=str):
            g, k, old = p.base, p.exp.q, self.root.get(p.base, (1,))[0]
            if old % k:
                self.root[g] = (lcm(k, old), sp.Dummy("root", nonnegative=True))
                self.range[self.root[g][1]] = self.range[g]
                self.fractions.clear()
        to = {g: of for g, (kind, of) in self.meaning.items() if kind == "base" and of.is_Symbol}
        to |= {x: w**k for g, (k, w) in self.root.items() for x in (g, to.get(g, g))}
        n, d = quotient(r.xreplace(to))
        for g, (kind, of) in reversed(self.meaning.items()):
            k, w = self.root.get(g, (1, g))
            if kind == "base" and not of.is_Symbol and (n.has(w) or d.has(w)):
                f = of.xreplace(to)
                n, d = (sum(c * f ** (i // k) * w ** (i % k) for (i,), c in sp.Poly(x, w).terms()) for x in (n, d))
                n, d = quotient(n / d)
        self.fractions[r] = n, d
        return n, d

    def back(self, r: sp.Expr) -> sp.Expr:
        """Generators of roots, as powers again."""
        return r.xreplace({w: g ** sp.Rational(1, k) for g, (k, w) in self.root.items()})

    def zero(self, e: sp.Expr) -> bool:
        """Whether a normal form is identically zero."""
        return bool(self.fraction(e)[0] == 0)

    def split(self, r: sp.Expr) -> list[tuple[sp.Expr, int, str]]:
        """A non-negative normal form as a product of non-negative factors with their exponents and signs."""
        parts = [a.as_base_exp() for a in sp.Mul.make_args(r)]
        product = len(parts) > 1 or not (r.is_Symbol or parts[0][1] == 1)
        if product and all(self.sign(b) in ("+", "0+") and (i.is_Integer or b in self.meaning) for b, i in parts):
            each = [(i, [(b, 1, self.sign(b))] if b.is_Symbol else self.split(b)) for b, i in parts]
            return [(f, e * i, s) for i, factors in each for f, e, s in factors]
        out, const = list[tuple[sp.Expr, int, str]](), sp.S.One
        for poly, power in zip(self.fraction(r), (1, -1), strict=True):
            c, found = factors(poly)
            const *= c**power
            for f, e in found:
                s = self.factor_sign(f)
                const *= (-1) ** e if s[-1] == "-" else 1
                out.append((self.back(-f if s[-1] == "-" else f), power * e, _FLIP[s] if s[-1] == "-" else s))
        if const <= 0 or any(s not in ("+", "0+") or (s == "0+" and e < 0) for _, e, s in out):
            out, const = [(r, 1, self.sign(r))], sp.S.One
        if out and out[0][2] not in ("+", "0+"):
            raise Rejected(f"{r} is not known to be positive")
        return out + [(sp.Integer(q), e, "+") for q, e in sp.factorrat(const).items()]

    def power(self, r: sp.Expr, p: sp.Rational) -> sp.Expr:
        """A rational power of a non-negative number."""
        factors = self.split(r)
        if any(s != "+" and (e * p < 0 or self.smooth) for _, e, s in factors):
            raise Rejected(f"a root of {r}, which may vanish")
        return prod((self.base(f, e * p) for f, e, _ in factors), start=sp.S.One)

    def base(self, f: sp.Expr, p: sp.Rational) -> sp.Expr:
        """A rational power of one factor."""
        g = f.as_base_exp()[0]
        if p.is_Integer or self.meaning.get(g, ("",))[0] in ("exp", "base"):
            return f**p
        return self.atom("base", f, f - 1, 0, 1, sp.oo) ** p

    def logarithm(self, r: sp.Expr) -> sp.Expr:
        """The logarithm of a positive number."""
        out = sp.S.Zero
        for f, e, s in self.split(r):
            if s != "+":
                raise Rejected(f"the logarithm of {r}, which may vanish")
            g, q = f.as_base_exp()
            kind, of = self.meaning.get(g, ("", None))
            h = of if kind == "base" else f
            term = (
                q * of if kind == "exp" else self.atom("log", h, h - 1, -sp.oo, 0, sp.oo) * (q if kind == "base" else 1)
            )
            out += e * term
        return out

    def exponential(self, r: sp.Expr) -> sp.Expr:
        """exp of a sum of monomials over one denominator, as a product of powers."""
        n, d = self.fraction(r)
        content, d = sp.Poly(d, *d.free_symbols).primitive() if d.free_symbols else (d, sp.Poly(1, sp.Dummy()))
        out, gens = sp.S.One, sorted(n.free_symbols, key=str)
        for powers, c in sp.Poly(n, *gens).terms() if gens else [((), n)]:
            above, below = quotient(prod(map(pow, gens, powers), start=sp.S.One) / d.as_expr())
            m = self.back(above / below)
            kind, of = self.meaning.get(m, ("", None))
            out *= self.base(of, c / content) if kind == "log" else self.atom("exp", m, m, 0, 1, sp.oo) ** (c / content)
        return out

    def sign(self, r: sp.Expr) -> str:
        """``+ - 0+ 0- 0`` where certain on the whole box, else ``?``."""
        if r not in self.signs:
            s = "+"
            n, d = self.fraction(r)
            for poly in (n, d):
                c, found = factors(poly)
                s = _times(s, "0" if c == 0 else "+" if c > 0 else "-")
                for f, e in found:
                    t = self.factor_sign(f)
                    s = _times(s, t if e % 2 else ("+" if t in ("+", "-") else "0+"))
            self.signs[r] = self.by_side(n / d) if s == "?" else s
        return self.signs[r]

    def factor_sign(self, f: sp.Expr) -> str:
        """The sign of an irreducible polynomial, from its coefficients or from a side condition."""
        s = self.coefficients(f)
        return self.by_side(f) if s in ("?", "0+", "0-") and self.by_side(f) != "?" else s

    def by_side(self, r: sp.Expr) -> str:
        """The sign, where a side condition states it up to factors whose coefficients give theirs."""
        for g, s in self.side:
            (c, above), (e, below) = map(factors, self.fraction(self.back(r) / g))
            t = "0" if c == 0 else "+" if c * e > 0 else "-"
            for f, i in (*above, *below):
                u = self.coefficients(f) if t in ("+", "-") else "?"
                t = _times(t, u if i % 2 or len(u) > 1 else _times(u, u))
            if t in ("+", "-"):
                return s if t == "+" else _FLIP[s]
        return "?"

    def coefficients(self, f: sp.Expr) -> str:
        """The sign of a polynomial whose coefficients agree once every range is mapped to non-negative numbers.

        On [lo, oo), x = lo + u; on [lo, hi], x = (lo u + hi v) / (u + v), not both zero.  The sign is strict if for
        every choice of new variables that may vanish some term is free of them.
        """
        symbols, poly, below = _polynomials(f)
        if not below.is_constant():
            raise Rejected(f"{f} is not a polynomial")
        if not symbols:
            return "0" if f == 0 else "+" if f > 0 else "-"
        degrees = poly.degrees()
        moved = [n + 1 for x, n in zip(symbols, degrees, strict=True) if self.range[x][:2] != (0, sp.oo)]
        if len(poly) * prod(moved, start=1) + sum(n * n for n in moved) > LARGEST:
            return "?"  # it could be worked out, but not within any memory
        context = fmpq_mpoly_ctx.get([f"u{i}" for i in range(2 * len(symbols))], Ordering.lex)
        powers, vanishing, even = list[list[Any]](), list[list[int]](), list[int]()
        for i, (x, n) in enumerate(zip(symbols, degrees, strict=True)):
            (lo, hi, ends), u, v = self.range[x], *context.gens()[2 * i : 2 * i + 2]
            low, high = (fmpq(int(x.p), int(x.q)) if x.is_Rational else fmpq() for x in (lo, hi))
            if lo == -sp.oo and hi == sp.oo:
                even.append(2 * i)
            if sp.oo in (-lo, hi):
                image, over = u if lo == -hi else u + low if hi == sp.oo else high - u, context.constant(1)
                may = [2 * i] if lo == -hi or (ends[0] if hi == sp.oo else ends[1]) in "[]" else []
            else:
                image, over = low * u + high * v, u + v
                may = [2 * i + 1] * (ends[0] == "[") + [2 * i] * (ends[1] == "]")
            powers.append([image**j * over ** (n - j) for j in range(n + 1)])
            vanishing += [may] if may else []
        each = ((zip(powers, m, strict=True), context.constant(c)) for m, c in poly.terms())
        mapped = sum((prod((p[j] for p, j in places), start=c) for places, c in each), context.constant(0))
        if mapped == 0:
            return "0"
        terms = list(mapped.terms())
        if len({c > 0 for _, c in terms}) > 1 or any(m[i] % 2 for m, _ in terms for i in even):
            return "?"
        strict = all(any(not any(m[i] for i in zeros) for m, _ in terms) for zeros in itertools.product(*vanishing))
        return ("" if strict else "0") + ("+" if terms[0][1] > 0 else "-")
