"""Proofs of the rules of exact algebra.  Untrusted."""

from __future__ import annotations

import sympy as sp

from proofs import kernel as k
from proofs.coq import taken
from proofs.coq.scripts.lemmas import Lemmas, hypotheses, in_interval, names_of, relation, running_of, script, signed
from proofs.coq.scripts.scene import Unsupported, text
from proofs.coq.scripts.variables import by_form
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
    return finish(book, f, [*s.out, f"{proof}."])


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
    whole = f"({' + '.join(parts) or '0'})"
    last = by_form(">=", whole, "add_up", s.equal(s.text(expr) + whole, left, value))
    return finish(book, f, [*s.out, f"{last}."])


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
            product = "Rmult_lt_0_compat" if both == ">" else "Rmult_le_pos"
            s.say(f"Q{i}", relation(f"({part})", both), f"apply {product}; first [assumption | left; assumption]")
        parts.append(part)
        value += s.value(m) * s.value(e)
    whole = f"({' + '.join(parts) or '0'})"
    last = by_form(r, whole, "add_up", s.equal(s.text(expr) + whole, left, value))
    return finish(book, f, [*s.out, f"{last}."])


@script
def instantiate(book: Lemmas, f: k.Fact) -> str:
    """A fact at places that are functions of another box."""
    fact, to, domain, side = f.args
    c, images, run = fact.claim, dict(to), running_of(f.claim)
    s = book.scene(domain, side, run)
    s.look(f.claim.expr, *images.values())
    s.look(c.expr, images=images)
    for o in c.domain:
        if o.symbol in images:
            in_interval(s, images[o.symbol], o)
    there = s.text(c.expr, images)
    equation = s.equal(s.text(f.claim.expr) + there, s.value(f.claim.expr), s.value(c.expr, images))
    last = by_form(c.relation, there, f"apply ({book.use(fact, images, run)}); box", equation)
    return finish(book, f, [*s.out, f"{last}."])


@script
def congruence(book: Lemmas, f: k.Fact) -> str:
    """Equals for equals."""
    g, x, left, right, same, domain, side = f.args
    run, known = running_of(f.claim), same.claim.expr
    s = book.scene(domain, side, run)
    s.look(left, right, known, f.claim.expr)
    s.look(g, images={x: left})
    s.look(g, images={x: right})
    s.out.append(book.known(same, "Known", run))
    equation = s.equal(s.text(left) + s.text(right) + s.text(known), s.value(left) - s.value(right), s.value(known))
    equal = f"apply Rminus_diag_uniq; {by_form('==', s.text(known), 'exact Known', equation)}"
    s.say("Same", f"{s.text(left)} = {s.text(right)}", equal)
    there, other = s.text(g, {x: left}), s.text(g, {x: right})
    value = s.value(g, {x: left}) - s.value(g, {x: right})
    whole = s.equal(s.text(f.claim.expr) + there + other, s.value(f.claim.expr), value)
    body = f"(fun {text(x)} => {text(g)})"
    rewritten = f"change ({body} {s.text(left)} - {body} {s.text(right)} = 0); rewrite Same; ring"
    return finish(book, f, [*s.out, f"{by_form('==', f'({there} - {other})', rewritten, whole)}."])


@script
def axiom(book: Lemmas, f: k.Fact) -> str:
    """A fact that the kernel takes from a theorem of Coq, which says more: that it is defined."""
    theorem = taken.named(str(f.args[-1]))
    if not theorem:
        raise Unsupported("a fact from the literature")
    book.files.add(theorem.partition(".")[0])
    arguments = [*names_of(f.claim.domain), *("ltac:(assumption)" for i in f.claim.domain for _ in hypotheses(i))]
    return finish(
        book, f, [f"pose proof ({theorem} {' '.join(arguments)}) as Known.", "decompose [and] Known; assumption."]
    )


@script
def join(book: Lemmas, f: k.Fact) -> str:
    """One claim on two boxes that touch."""
    left, right, x = f.args
    i = interval(left.claim.domain, x)
    test = "Rle_or_lt" if i.ends[1] == "]" else "Rlt_or_le"

    def weak(p: k.Fact) -> str:
        apply = f"apply ({book.use(p)}); box"
        if p.claim.relation == f.claim.relation:
            return apply
        return f"{'left; ' if p.claim.relation == '>' else 'right; symmetry; '}{apply}"

    return finish(book, f, [f"destruct ({test} {text(x)} {text(i.hi)}); [{weak(left)} | {weak(right)}]."])
