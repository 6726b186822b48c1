"""Proofs of the rules of analysis: derivatives, monotone functions, convex minima, limits.  Untrusted."""

from __future__ import annotations

from functools import reduce

import sympy as sp

from proofs import kernel as k
from proofs.coq.scripts.algebra_rules import finish
from proofs.coq.scripts.lemmas import Lemmas, defined, hypotheses, script
from proofs.coq.scripts.scene import Scene, Unsupported, text
from proofs.terms import BINDERS, change, interval, limit_of, slope


def slope_value(s: Scene, e: sp.Expr, x: sp.Symbol) -> sp.Expr:
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


def derives(s: Scene, g: sp.Expr, x: sp.Symbol, d: sp.Expr, value: sp.Expr | None = None) -> str:
    """A tactic for ``is_derive (fun x => g) x d`` where d is a text's formula; definedness is said before."""
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
    proof = derives(s, g, x, d)
    s.say("Rate", f"is_derive (fun {v} => {text(g)}) {v} {text(d)}", proof)
    value = s.value(d)
    s.say(
        "Slope",
        f"{head} = {s.show(value)}",
        f"transitivity {text(d)}; [exact (is_derive_unique _ _ _ Rate) | {s.equal(text(d), value, value)}]",
    )
    s.equations[head] = "Slope", value
    last = s.equal(text(f.claim.expr), s.value(f.claim.expr), sp.S.Zero)
    return finish(book, f, [*s.out, f"{last}."])


@script
def monotone(book: Lemmas, f: k.Fact) -> str:
    """The mean value theorem between the end and the point."""
    g, x, anchor, growth, start, domain, side = f.args
    i = interval(domain, x)
    up = anchor == "lo"
    end = i.lo if up else i.hi
    moved = i.ends == "()" or (i.ends[0] if up else i.ends[1]) in "()"
    kind = "gs" if start.claim.relation == ">" else "gt" if growth.claim.relation == ">" and moved else "ge"
    v, inside = text(x), change(domain, x, ends="()")
    closed = change(domain, x, ends="[" + i.ends[1] if up else i.ends[0] + "]")
    d = sp.diff(g, x)
    rise = d if up else -d
    grow, first = growth.claim, start.claim
    # inside: derivative, and its sign
    s = book.scene(inside, side, smooth=True)
    s.look(g, d, rise, grow.expr)
    derive = derives(s, g, x, d)
    same = s.equal(text(rise) + text(grow.expr), s.value(rise), s.value(grow.expr))
    exact = "" if grow.relation == (">" if kind == "gt" else ">=") else "left; "
    sign = "gt_eq" if kind == "gt" else "ge_eq"
    rising = f"apply ({sign} {text(grow.expr)}); [{exact}apply ({book.use(growth)}); box | cbv beta; {same}]"
    # up to the end: continuity
    c = book.scene(closed, side)
    c.look(g)
    defined(c, g)
    # at the end: the value
    rest = change(domain, x)
    at = book.scene(rest)
    at.look(first.expr)
    at.look(g, images={x: end})
    there = text(g, {x: end})
    value = at.equal(there + text(first.expr), at.value(g, {x: end}), at.value(first.expr))
    weak = "" if kind == "gs" else {"==": "right; symmetry; ", ">": "left; ", ">=": ""}[first.relation]
    lines = [
        f"apply (mono_{'up' if up else 'dn'}_{kind} (fun {v} => {text(g)}) (fun {v} => {text(d)}) {text(end)} {v}); rename {v} into stop.",
        "- lra.",
        f"- intros {v} At; " + "\n    ".join([*s.out, f"{derive}."]),
        f"- intros {v} At; " + "\n    ".join([*c.out, "unfold Rpower in *; cont."]),
        f"- intros {v} At; "
        + "\n    ".join(
            [
                *s.out,
                f"change (0 {'<' if kind == 'gt' else '<='} {text(rise) if up else '- ' + text(d)}); {rising if up else rising}.",
            ]
        ),
        "- "
        + "\n    ".join(
            [
                *at.out,
                f"change (0 {'<' if kind == 'gs' else '<='} {there}); apply ({'gt_eq' if kind == 'gs' else 'ge_eq'} {text(first.expr)}); [{weak}apply ({book.use(start)}); box | {value}].",
            ]
        ),
    ]
    return finish(book, f, lines)


@script
def minimum(book: Lemmas, f: k.Fact) -> str:
    """A convex function is least where its derivative vanishes."""
    g, x, at, convex, domain, side = f.args
    v, d = text(x), sp.diff(g, x)
    dd = sp.diff(d, x)
    s = book.scene(domain, side, smooth=True)
    s.look(g, d, dd, convex.claim.expr, at)
    s.look(d, images={x: at})
    first, second = derives(s, g, x, d), derives(s, d, x, dd)
    same = s.equal(text(dd) + text(convex.claim.expr), s.value(dd), s.value(convex.claim.expr))
    weak = {"==": "right; symmetry; ", ">": "left; ", ">=": ""}[convex.claim.relation]
    h = book.scene(domain, side)
    h.look(d, images={x: at})
    h.look(f.claim.expr, at)
    h.look(g, images={x: at})
    h.look(g)
    i, bounds = interval(domain, x), []
    for low, gap, e in ((i.lo, at - i.lo, i.ends[0]), (i.hi, i.hi - at, i.ends[1])):
        if low.is_finite:
            h.look(gap)
    for low, gap, e, below in ((i.lo, at - i.lo, i.ends[0], True), (i.hi, i.hi - at, i.ends[1], False)):
        if low.is_finite:
            strict = e in "()"
            n = h.ring.normal(gap)
            p = h.positive(n, ">" if strict else ">=")
            value = h.value(at) - low if below else low - h.value(at)
            left, right = (text(low), text(at)) if below else (text(at), text(low))
            proof = h.equal(text(at), value, h.rooted(n))
            bounds.append(
                h.say(
                    h.fresh("B"),
                    f"{left} {'<' if strict else '<='} {right}",
                    f"apply {'lt' if strict else 'le'}_of_gap; apply ({'gt' if strict else 'ge'}_eq {h.show(h.rooted(n))}); [exact {p} | {proof}]",
                )
            )
    zero = h.equal(text(d, {x: at}), h.value(d, {x: at}), sp.S.Zero)
    whole = h.equal(
        text(f.claim.expr) + text(g) + text(g, {x: at}), h.value(f.claim.expr), h.value(g) - h.value(g, {x: at})
    )
    whole_box = [
        f"assert (Box{j} : {t}) by (destruct (within_hull _ _ _ At); lra)." for j, t in enumerate(hypotheses(i))
    ]
    between = f"intros {v} At. {' '.join(whole_box)} "
    lines = [
        *h.out,
        f"apply (ge_eq ({text(g)} - {text(g, {x: at})})); [ | {whole}].",
        f"rename {v} into stop.",
        f"apply (minimum_at (fun {v} => {text(g)}) (fun {v} => {text(d)}) (fun {v} => {text(dd)}) {text(at)} stop).",
        f"- {between}" + "\n    ".join([*s.out, f"{first}."]),
        f"- {between}" + "\n    ".join([*s.out, f"{second}."]),
        f"- {between}"
        + "\n    ".join(
            [
                *s.out,
                f"change (0 <= {text(dd)}); apply (ge_eq {text(convex.claim.expr)}); [{weak}apply ({book.use(convex)}); box | {same}].",
            ]
        ),
        f"- change ({text(d, {x: at})} = 0); {zero}.",
    ]
    return finish(book, f, lines)


@script
def limit(book: Lemmas, f: k.Fact) -> str:
    """A function between two that are continuous up to the end, where they have one value."""
    g, x, end, value, below, above, domain, side = f.args
    i, v = interval(domain, x), text(x)
    if end != i.lo:
        raise Unsupported("a limit from below")
    full = change(domain, x, ends="[" + i.ends[1])
    lo, hi = g - below.claim.expr, g + above.claim.expr
    c = book.scene(full, side)
    c.look(lo, hi)
    defined(c, lo, hi)
    at = book.scene(change(domain, x))
    at.look(value)
    for e in (lo, hi):
        at.look(e, images={x: end})
    ends = [at.equal(text(e, {x: end}) + text(value), at.value(e, {x: end}), at.value(value)) for e in (lo, hi)]
    width = "1" if i.hi == sp.oo else f"({text(i.hi)} - {text(i.lo)})"

    def weaker(p: k.Fact) -> str:
        return f"apply (ge_eq {text(p.claim.expr)}); [{'left; ' if p.claim.relation == '>' else ''}apply ({book.use(p)}); box | ring]"

    def function(e: sp.Expr) -> str:
        return f"(fun {v} => {text(e)})"

    def close_to(e: sp.Expr) -> str:
        return f"enough (C : forall {v}, {v} = {text(end)} -> continuity_pt {function(e)} {v}) by (apply C; reflexivity). intros {v} At."

    lines = [
        f"apply (z_eq ({text(limit_of(g, x, end, sp.S.One))} - {text(value)})); [ | ring].",
        f"apply Rminus_diag_eq, limit_above_is. apply (has_limit_squeeze {function(g)} {function(lo)} {function(hi)} {text(end)} {width} {text(value)}).",
        "- lra.",
        f"- intros {v} At; cbv beta; {weaker(below)}.",
        f"- intros {v} At; cbv beta; {weaker(above)}.",
        *("- " + "\n    ".join([close_to(e), *c.out, "unfold Rpower in *; cont."]) for e in (lo, hi)),
        *(
            "- " + "\n    ".join([*at.out, f"change ({text(e, {x: end})} = {text(value)}); {proof}."])
            for e, proof in zip((lo, hi), ends, strict=True)
        ),
    ]
    return finish(book, f, lines)
