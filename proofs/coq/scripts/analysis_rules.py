"""Proofs of the rules of analysis: derivatives, monotone functions, convex minima, limits.  Untrusted."""

from __future__ import annotations

import sympy as sp

from proofs import kernel as k
from proofs.coq.scripts.algebra_rules import finish
from proofs.coq.scripts.lemmas import (
    CLAIMED,
    SPLIT,
    Lemmas,
    block,
    bullet,
    defined,
    hypotheses,
    in_interval,
    names_of,
    proposition,
    script,
)  # fmt: skip
from proofs.coq.scripts.scene import Scene, Unsupported, conditions, text
from proofs.coq.scripts.variables import by_form
from proofs.coq.statements import for_all
from proofs.terms import BINDERS, change, interval, limit_of, slope


def slope_value(s: Scene, e: sp.Expr, x: sp.Symbol) -> sp.Expr:  # noqa: PLR0911 - one return for each head
    """The derivative of a formula as Coq works it out, in the scene's variables."""
    if e == x or not e.has(x):
        return sp.S.One if e == x else sp.S.Zero
    if e.func in BINDERS:
        raise Unsupported("the derivative of a head")
    if e.is_Add:
        return sp.Add(*(slope_value(s, a, x) for a in e.args))
    if e.is_Mul:
        each = [s.value(a) for a in e.args]
        return sp.Add(*(sp.Mul(*each[:i], slope_value(s, a, x), *each[i + 1 :]) for i, a in enumerate(e.args)))
    if e.is_Pow:
        b, p = e.args
        inner, db = s.value(b), slope_value(s, b, x)
        if p.is_Integer:
            return p * inner ** (p - 1) * db
        if p.is_Rational and p.q in (2, 4):
            root, rate = s.value(sp.Pow(b, sp.Rational(1, 2))), db
            rate = db / (2 * root)
            if p.q == 4:
                root = s.value(sp.Pow(b, sp.Rational(1, 4)))
                rate = rate / (2 * root)
            return p.p * root ** (p.p - 1) * rate
        return s.value(e) * (slope_value(s, p, x) * s.value(sp.log(b, evaluate=False)) + s.value(p) * db / inner)
    u = e.args[0]
    inner, rate = s.value(u), slope_value(s, u, x)
    if isinstance(e, sp.exp):
        return s.value(e) * rate
    if isinstance(e, sp.log):
        return rate / inner
    if isinstance(e, sp.tanh):
        return (1 - s.value(e) ** 2) * rate
    if isinstance(e, sp.erfc):
        return -2 / s.value(sp.sqrt(sp.pi)) * s.bell(u) * rate
    raise Unsupported(f"the derivative of {e.func}")


def derives(s: Scene, g: sp.Expr, x: sp.Symbol, d: sp.Expr) -> str:
    """A tactic for ``is_derive (fun x => g) x d``; what makes g defined is said before."""
    defined(s, g)
    s.look(g, d, sp.sqrt(sp.pi))
    for e in (g, d):
        s.value(e)
    found = slope_value(s, g, x)
    proof = s.equal(s.text(g) + s.text(d) + " ".join(s.equations), found, s.value(d))
    return f"unfold Rpower in *; auto_derive; [side | {proof}]"


@script
def derivative(book: Lemmas, f: k.Fact) -> str:
    """The derivative exists, and is the formula."""
    g, x, d, domain, side = f.args
    s = book.scene(domain, side, smooth=True)
    s.look(g, d, sp.diff(g, x), f.claim.expr)
    v, head = text(x), text(slope(g, x))
    s.say("Rate", f"is_derive (fun {v} => {text(g)}) {v} {text(d)}", derives(s, g, x, d))
    value = s.value(d)
    same = f"transitivity {text(d)}; [exact (is_derive_unique _ _ _ Rate) | {s.equal(text(d), value, value)}]"
    s.say("Slope", f"{head} = {s.show(value)}", same)
    s.equations[head] = "Slope", value
    last = s.equal(text(f.claim.expr), s.value(f.claim.expr), sp.S.Zero)
    return finish(book, f, [*s.out, f"{last}."])


@script
def monotone(book: Lemmas, f: k.Fact) -> str:
    """The mean value theorem between the end and the point."""
    g, x, anchor, growth, start, domain, side = f.args
    i, v = interval(domain, x), text(x)
    up = anchor == "lo"
    end, d = i.lo if up else i.hi, sp.diff(g, x)
    moved = i.ends == "()" or (i.ends[0] if up else i.ends[1]) in "()"
    kind = "gs" if start.claim.relation == ">" else "gt" if growth.claim.relation == ">" and moved else "ge"
    # inside: the derivative, and its sign
    s = book.scene(change(domain, x, ends="()"), side, smooth=True)
    s.look(g, d, growth.claim.expr)
    derive = derives(s, g, x, d)
    rate = text(d) if up else f"- {text(d)}"
    grows = ">" if kind == "gt" else ">="
    rising = book.from_premise(s, growth, grows, rate, s.value(d) if up else -s.value(d))
    # up to the end: continuity
    c = book.scene(change(domain, x, ends="[" + i.ends[1] if up else i.ends[0] + "]"), side)
    defined(c, g)
    # at the end: the value
    at = book.scene(change(domain, x))
    at.look(g, images={x: end})
    there, begins = text(g, {x: end}), ">" if kind == "gs" else ">="
    first = book.from_premise(at, start, begins, there, at.value(g, {x: end}))
    functions = f"(fun {v} => {text(g)}) (fun {v} => {text(d)})"
    less = {">": "<", ">=": "<="}
    lines = [
        f"apply (mono_{'up' if up else 'dn'}_{kind} {functions} {text(end)} {v}); rename {v} into stop.",
        bullet("lra."),
        bullet(f"intros {v} At.", *s.out, f"{derive}."),
        bullet(f"intros {v} At.", *c.out, "unfold Rpower in *; cont."),
        bullet(f"intros {v} At.", *s.out, f"change (0 {less[grows]} {rate}); {rising}."),
        bullet(*at.out, f"change (0 {less[begins]} {there}); {first}."),
    ]
    return finish(book, f, lines)


@script
def minimum(book: Lemmas, f: k.Fact) -> str:
    """A convex function is least where its derivative vanishes."""
    g, x, at, convex, domain, side = f.args
    i, v, d = interval(domain, x), text(x), sp.diff(g, x)
    dd = sp.diff(d, x)
    s = book.scene(domain, side, smooth=True)
    s.look(g, d, dd, convex.claim.expr)
    first, second = derives(s, g, x, d), derives(s, d, x, dd)
    bent = book.from_premise(s, convex, ">=", text(dd), s.value(dd))
    h = book.scene(domain, side)
    h.look(f.claim.expr, at, g)
    for e in (g, d):
        h.look(e, images={x: at})
    in_interval(h, at, i)
    zero = h.equal(text(d, {x: at}), h.value(d, {x: at}), sp.S.Zero)
    least = text(g, {x: at})
    gap = h.equal(text(f.claim.expr) + text(g) + least, h.value(f.claim.expr), h.value(g) - h.value(g, {x: at}))
    inside = [f"assert (Box{j} : {t}) by (destruct (within_hull _ _ _ At); lra)." for j, t in enumerate(hypotheses(i))]
    functions = f"(fun {v} => {text(g)}) (fun {v} => {text(d)}) (fun {v} => {text(dd)})"
    lines = [
        *h.out,
        f"{by_form('>=', f'({text(g)} - {least})', 'idtac', gap)}.",
        f"rename {v} into stop. apply (minimum_at {functions} {text(at)} stop).",
        bullet(f"intros {v} At.", *inside, *s.out, f"{first}."),
        bullet(f"intros {v} At.", *inside, *s.out, f"{second}."),
        bullet(f"intros {v} At.", *inside, *s.out, f"change (0 <= {text(dd)}); {bent}."),
        bullet(f"change ({text(d, {x: at})} = 0); {zero}."),
    ]
    return finish(book, f, lines)


@script
def limit(book: Lemmas, f: k.Fact) -> str:
    """A function between two that are continuous up to the end, where they have one value."""
    g, x, end, value, below, above, domain, side = f.args
    i, v = interval(domain, x), text(x)
    if end != i.lo:
        raise Unsupported("a limit from below")
    bounds = (g - below.claim.expr, g + above.claim.expr)
    c = book.scene(change(domain, x, ends="[" + i.ends[1]), side)
    defined(c, *bounds)
    at = book.scene(change(domain, x))
    at.look(value)
    for e in bounds:
        at.look(e, images={x: end})
    ends = [at.equal(text(e, {x: end}) + text(value), at.value(e, {x: end}), at.value(value)) for e in bounds]
    width = "1" if i.hi == sp.oo else f"({text(i.hi)} - {text(i.lo)})"
    function = [f"(fun {v} => {text(e)})" for e in (g, *bounds)]

    def weaker(p: k.Fact) -> str:
        weak = "left; " if p.claim.relation == ">" else ""
        return by_form(">=", text(p.claim.expr), f"{weak}apply ({book.use(p)}); box", "ring")

    def close_to(t: str) -> str:
        return f"enough (C : forall {v}, {v} = {text(end)} -> continuity_pt {t} {v}) by (apply C; reflexivity)."

    free = names_of(change(domain, x))
    known = [h for d in change(domain, x) for h in hypotheses(d)]
    tends = f"is_lim (fun h => {function[0]} ({text(end)} + Rabs h)) 0 {text(value)}"
    lines = [
        book.intro(change(domain, x)),
        f"apply (has_limit_squeeze {' '.join(function)} {text(end)} {width} {text(value)}).",
        bullet("lra."),
        *(bullet(f"intros {v} At. cbv beta; {weaker(p)}.") for p in (below, above)),
        *(bullet(close_to(t), f"intros {v} At.", *c.out, "unfold Rpower in *; cont.") for t in function[1:]),
        *(
            bullet(*at.out, f"change ({text(e, {x: end})} = {text(value)}); {proof}.")
            for e, proof in zip(bounds, ends, strict=True)
        ),
    ]
    name = book.add(f"limit_{len(book.out)}", for_all(free, known) + tends, "\n  ".join(lines))
    book.limits[f] = f"({' '.join([name, *free])})"
    head = by_form("==", f"({text(limit_of(g, x, end, sp.S.One))} - {text(value)})", "idtac", "ring")
    return finish(book, f, [f"{head}.", f"apply Rminus_diag_eq, limit_above_is, {book.limits[f]}; box."])


def limit_claimed(book: Lemmas, f: k.Fact, name: str) -> str:
    """The limit exists, what it is of is defined on the way to the end, and it is the number."""
    g, x, end, value, _, _, domain, side = f.args
    i, v = interval(domain, x), text(x)
    lines = [book.intro(f.claim.domain), book.known(f, "Value")]
    for j, (r, e) in enumerate(dict.fromkeys(conditions(g))):
        s = book.scene(domain, side)
        defined(s, g)
        width = "1" if i.hi == sp.oo else f"({text(i.hi)} - {text(i.lo)})"
        start = f"exists {width}. split; [lra | ]. intros {v} At."
        claim = f"near_above (fun {v} => {proposition(r, e)}) {text(end)}"
        lines.append(block(f"Near{j}", claim, [start, *s.out, "assumption."]))
    exists = f"has_limit_above (fun {v} => {text(g)}) {text(end)}"
    lines.append(f"assert (Has : {exists}) by (apply (limit_above_exists _ _ {text(value)}), {book.limits[f]}; box).")
    s = book.scene(f.claim.domain)
    defined(s, value)
    return "\n  ".join([*lines, *s.out, SPLIT])


CLAIMED["limit"] = limit_claimed
