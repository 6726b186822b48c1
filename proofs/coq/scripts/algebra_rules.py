"""Proofs of the rules of exact algebra.  Untrusted."""

from __future__ import annotations

import sympy as sp

from proofs import kernel as k
from proofs.coq.scripts.lemmas import LEMMA, Lemmas, relation, running_of, script, signed
from proofs.coq.scripts.scene import text
from proofs.terms import interval


def finish(book: Lemmas, f: k.Fact, lines: list[str]) -> str:
    """The proof with its introduction."""
    return "\n  ".join([book.intro(f.claim.domain, running_of(f.claim)), *lines])


@script
def identity(book: Lemmas, f: k.Fact) -> str:
    """Both sides have one normal form."""
    _, _, domain, side = f.args
    e = f.claim.expr
    s = book.scene(domain, side, running_of(f.claim))
    s.look(e)
    proof = s.equal(s.text(e), s.value(e), sp.S.Zero)
    return finish(book, f, [*s.out, f"{proof}."])


@script
def sign(book: Lemmas, f: k.Fact) -> str:
    """A form whose sign can be read off."""
    expr, r, domain, side = f.args
    s = book.scene(domain, side, running_of(f.claim))
    proof = signed(s, expr, r)
    return finish(book, f, [*s.out, proof + "."])


@script
def squares(book: Lemmas, f: k.Fact) -> str:
    """A sum of squares with weights."""
    expr, terms, domain, side = f.args
    s = book.scene(domain, side, running_of(f.claim))
    s.look(expr, *(x for pair in terms for x in pair))
    left = s.value(expr)
    parts, value = [], sp.S.Zero
    for i, (w, q) in enumerate(terms):
        s.say(f"W{i}", relation(s.text(w), ">="), signed(s, w, ">="))
        part = f"{s.text(w)} * {s.text(q)} ^ 2"
        s.say(f"Q{i}", f"0 <= {part}", f"apply Rmult_le_pos; [exact W{i} | apply pow2_ge_0]")
        parts.append(part)
        value += s.value(w) * s.value(q) ** 2
    whole = " + ".join(parts) or "0"
    proof = s.equal(s.text(expr) + whole, left, value)
    return finish(book, f, [*s.out, f"apply (ge_eq ({whole})); [add_up | {proof}]."])


@script
def combine(book: Lemmas, f: k.Fact) -> str:
    """A combination of facts."""
    expr, r, terms, domain, side = f.args
    run = running_of(f.claim)
    s = book.scene(domain, side, run)
    s.look(expr, *(m for m, _ in terms), *(p.claim.expr for _, p in terms))
    left = s.value(expr)
    parts, value = [], sp.S.Zero
    for i, (m, p) in enumerate(terms):
        e = p.claim.expr
        s.out.append(book.known(p, f"P{i}", run))
        part = f"{s.text(m)} * {s.text(e)}"
        if p.claim.relation == "==":
            s.say(f"Q{i}", f"{part} = 0", f"rewrite P{i}; apply Rmult_0_r")
        else:
            strict = s.certain(s.ring.normal(m), ">")
            s.say(f"M{i}", relation(s.text(m), ">" if strict else ">="), signed(s, m, ">" if strict else ">="))
            both = ">" if strict and p.claim.relation == ">" else ">="
            proof = (
                "apply Rmult_lt_0_compat; assumption"
                if both == ">"
                else "apply Rmult_le_pos; first [assumption | left; assumption]"
            )
            s.say(f"Q{i}", relation(f"({part})", both), proof)
        parts.append(part)
        value += s.value(m) * s.value(e)
    whole = " + ".join(parts) or "0"
    proof = s.equal(s.text(expr) + whole, left, value)
    return finish(book, f, [*s.out, f"apply ({LEMMA[r]} ({whole})); [add_up | {proof}]."])


@script
def instantiate(book: Lemmas, f: k.Fact) -> str:
    """A fact at places that are functions of another box."""
    fact, to, domain, side = f.args
    c, images, run = fact.claim, dict(to), running_of(f.claim)
    s = book.scene(domain, side, run)
    s.look(f.claim.expr, *images.values())
    s.look(c.expr, images=images)
    for o in c.domain:
        if o.symbol not in images:
            continue
        e = images[o.symbol]
        for low, gap, end, up in ((o.lo, e - o.lo, o.ends[0], True), (o.hi, o.hi - e, o.ends[1], False)):
            if low.is_finite:
                r, t, b = "<" if end in "()" else "<=", s.text(e), text(low)
                left, right = (b, t) if up else (t, b)
                s.look(gap)
                n = s.ring.normal(gap)
                h = s.positive(n, ">" if r == "<" else ">=")
                v = s.value(e)
                value = v - low if up else low - v
                proof = s.equal(t, value, s.rooted(n))
                lemma = "lt_of_gap" if r == "<" else "le_of_gap"
                s.say(
                    s.fresh("B"),
                    f"{left} {r} {right}",
                    f"apply {lemma}; apply ({'gt' if r == '<' else 'ge'}_eq {s.show(s.rooted(n))}); [exact {h} | {proof}]",
                )
    left = s.value(f.claim.expr)
    right = s.value(c.expr, images)
    there = s.text(c.expr, images)
    proof = s.equal(s.text(f.claim.expr) + there, left, right)
    premise = f"apply ({book.use(fact, images, run)}); box"
    return finish(book, f, [*s.out, f"apply ({LEMMA[c.relation]} {there}); [{premise} | {proof}]."])


@script
def congruence(book: Lemmas, f: k.Fact) -> str:
    """Equals for equals."""
    g, x, left, right, same, domain, side = f.args
    run = running_of(f.claim)
    s = book.scene(domain, side, run)
    s.look(left, right, same.claim.expr, f.claim.expr)
    s.look(g, images={x: left})
    s.look(g, images={x: right})
    s.out.append(book.known(same, "Known", run))
    a, b, d = s.value(left), s.value(right), s.value(same.claim.expr)
    proof = s.equal(s.text(left) + s.text(right) + s.text(same.claim.expr), a - b, d)
    s.say(
        "Same",
        f"{s.text(left)} = {s.text(right)}",
        f"apply Rminus_diag_uniq; apply (z_eq {s.text(same.claim.expr)}); [exact Known | {proof}]",
    )
    there, other = s.text(g, {x: left}), s.text(g, {x: right})
    value = s.value(g, {x: left}) - s.value(g, {x: right})
    whole = s.equal(s.text(f.claim.expr) + there + other, s.value(f.claim.expr), value)
    body = f"(fun {text(x)} => {text(g)})"
    return finish(
        book,
        f,
        [
            *s.out,
            f"apply (z_eq ({there} - {other})); [change ({body} {s.text(left)} - {body} {s.text(right)} = 0); rewrite Same; ring | {whole}].",
        ],
    )


@script
def join(book: Lemmas, f: k.Fact) -> str:
    """One claim on two boxes that touch."""
    left, right, x = f.args
    i = interval(left.claim.domain, x)
    test = "Rle_or_lt" if i.ends[1] == "]" else "Rlt_or_le"

    def weak(p: k.Fact) -> str:
        apply = f"apply ({book.use(p)}); box"
        return (
            apply
            if p.claim.relation == f.claim.relation
            else f"{'left; ' if p.claim.relation == '>' else 'right; symmetry; '}{apply}"
        )

    return finish(book, f, [f"destruct ({test} {text(x)} {text(i.hi)}); [{weak(left)} | {weak(right)}]."])
