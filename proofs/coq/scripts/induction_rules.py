"""Proofs of the rules of induction: whole numbers, sums, sequences, loops.  Untrusted."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from proofs import kernel as k
from proofs.coq.scripts.algebra_rules import finish
from proofs.coq.scripts.lemmas import (
    CLAIMED,
    STATED,
    Lemmas,
    block,
    bullet,
    defined,
    hypotheses,
    in_interval,
    names_of,
    proposition,
    relation,
    running_of,
    script,
    signed,
)  # fmt: skip
from proofs.coq.scripts.scene import Scene, at_point_of, conditions, point, text
from proofs.coq.scripts.variables import LEMMA, by_form
from proofs.coq.statements import for_all, pattern, variable
from proofs.terms import Domain, Interval, change, interval


@script
def cases(book: Lemmas, f: k.Fact) -> str:
    """One whole number after the other, and those beyond."""
    expr, r, n, each, beyond, domain = f.args
    i, rest, v = interval(domain, n), change(domain, n), text(n)
    lines = [f"assert (Whole : isint {v}) by assumption.", f"assert (From : {text(i.lo)} <= {v}) by assumption."]
    for j, p in enumerate(each):
        here = i.lo + j
        s = book.scene(rest)
        s.look(expr, images={n: here})
        t = text(expr, {n: here})
        last = book.from_premise(s, p, r, t, s.value(expr, {n: here}))
        lines += [
            f"destruct (next_integer ({int(here)}) {v} Whole From) as [Here | Next].",
            "{ clear Whole From. rewrite Here in *. clear Here.",
            *s.out,
            f"change ({relation(t, r)}); {last}. }}",
            f"clear From; assert (From : {text(here + 1)} <= {v}) by exact Next; clear Next.",
        ]
    s = book.scene(change(domain, n, lo=i.lo + len(each)))
    s.look(expr)
    last = book.from_premise(s, beyond, r, text(expr), s.value(expr))
    return finish(book, f, [*lines, *s.out, f"{last}."])


@script
def summation(book: Lemmas, f: k.Fact) -> str:
    """Induction on the last term."""
    term, t, first, n, closed, r, ratio, base, step, domain, side = f.args
    v, w, one = text(n), text(t), text(sp.Integer(first))
    before, end = {n: n - 1}, {n: sp.Integer(first - 1)}
    rest, later = change(domain, n), change(domain, n, lo=sp.Integer(first))
    e = book.scene((*later, Interval(t, sp.Integer(first), sp.oo, "[)")), side)
    e.look(term, ratio)
    e.look(term, images=before)
    shown = text(term) + text(ratio) + text(term, before)
    old = e.equal(shown, e.value(term), e.value(ratio) * e.value(term, before))
    at = book.scene(rest)
    at.look(closed, images=end)
    start = book.from_premise(at, base, r, text(closed, end), at.value(closed, end))
    s = book.scene(later, side)
    s.look(closed, ratio)
    s.look(closed, images=before)
    s.look(term, images={t: n})
    value = s.value(closed) - s.value(ratio) * s.value(closed, before) - s.value(term, {t: n})
    shown = f"{text(closed)} - {text(ratio)} * {text(closed, before)} - {text(term, {t: n})}"
    grown = book.from_premise(s, step, r, shown, value)
    lemma = "sum_eq" if r == "==" else "sum_ge"
    functions = f"(fun {w} {v} => {text(term)}) (fun {v} => {text(closed)}) (fun {v} => {text(ratio)})"
    whole = f"((fun {v} => {text(closed)}) {v} - sum_from (fun {w} => {text(term)}) {one} {v})"
    less = f"cbv beta; replace ({v} - 1) with {text(n - 1)} by ring."
    lines = [
        f"apply ({LEMMA[r]} {whole}); [ | cbv beta; ring].",
        f"apply ({lemma} {functions} {one} (ex_intro _ ({first})%Z eq_refl)); [ .. | assumption | lra].",
        bullet(f"rename {v} into stop. intros {v} {w} Whole From1 From2. {less}", *e.out, f"{old}."),
        bullet(f"cbv beta; replace ({one} - 1) with {text(sp.Integer(first - 1))} by lra.", *at.out, f"{start}."),
        bullet(f"rename {v} into stop. intros {v} Whole From1. {less}", *s.out, f"{grown}."),
    ]
    if r != "==":
        q = book.scene(later, side)
        proof = signed(q, ratio, ">=")
        lines.append(bullet(f"rename {v} into stop. intros {v} Whole From1. cbv beta.", *q.out, f"{proof}."))
    return finish(book, f, lines)


@script
def accumulate(book: Lemmas, f: k.Fact) -> str:
    """A fact at every point of a sequence, added up."""
    fact, terms = f.args
    run = running_of(f.claim)
    c, r, pat = fact.claim, f.claim.relation, pattern(run)
    known = " /\\ ".join(h for i in c.domain if variable(i.symbol.name) in run for h in hypotheses(i)) or "True"
    s = book.scene(c.domain)
    every = (c.expr, *(x for pair in terms for x in pair))
    s.look(*every)
    for x in every:
        s.value(x)
    proof = f"{s.rewriting(' '.join(map(s.text, every)))}by_field"
    whole, body = text(f.claim.expr, running=run), f"(total (fun {pat} => {text(c.expr)}) l)"
    lemma = {">=": "total_ge", ">": "total_gt; [assumption | ]", "==": "total_z"}[r]
    lines = [
        f"apply ({LEMMA[r]} {body}).",
        bullet(f"apply {lemma}. {at_point_of(run)} apply ({book.use(fact)}); box."),
        f"- assert (Same : forall l, (forall p, In p l -> let {pat} := p in {known}) -> {whole} = {body}).",
        "  { forget_list. intros l Every. induction l as [ | p l IH]; [cbn; ring | ].",
        "    assert (Here := Every p (or_introl eq_refl)).",
        "    rewrite !total_cons, <- IH by (intros q Hq; apply Every; right; assumption).",
        f"    {point(run)}cbv beta iota zeta in *; clear IH Every; taken_apart; general_totals.",
        *(f"    {line}" for line in s.out),
        f"    {proof}. }}",
        "  apply Same; assumption.",
    ]
    return finish(book, f, lines)


# ------------------------------------------------------------------------------------ loops


@script
def loop(book: Lemmas, f: k.Fact) -> str:
    """The states in the box that keep the invariant hold the starts and are closed under steps."""
    inv, r, states, ratio, base, step, domain, side = f.args
    own = [x for x, _, _ in states]
    rest = tuple(d for d in domain if d.symbol not in own)
    vs, rs = " ".join(map(text, own)), " ".join(names_of(rest))
    inside = [h for d in domain if d.symbol in own for h in hypotheses(d)]
    first, after = ({x: pair[i] for x, *pair in states} for i in (0, 1))

    def into_box(s: Scene, to: Mapping[sp.Symbol, sp.Expr]) -> None:
        s.look(inv, images=to)
        for x, e in to.items():
            in_interval(s, e, interval(domain, x))

    at = book.scene(rest)
    into_box(at, first)
    there = text(inv, first)
    start = book.from_premise(at, base, r, there, at.value(inv, first))
    s = book.scene(domain, side)
    s.look(inv, ratio, step.claim.expr)
    into_box(s, after)
    s.out.append(book.known(step, "Step"))
    grown, known = text(inv, after), f"({text(ratio)} * {text(inv)} + {text(step.claim.expr)})"
    value = s.value(ratio) * s.value(inv) + s.value(step.claim.expr)
    equation = s.equal(grown + known, s.value(inv, after), value)
    if r == "==":
        s.say("Old", f"{text(ratio)} * {text(inv)} = 0", "rewrite Kept; apply Rmult_0_r")
    else:
        s.say("Ratio", f"0 <= {text(ratio)}", signed(s, ratio, ">="))
        s.say("Old", f"0 <= {text(ratio)} * {text(inv)}", "apply Rmult_le_pos; assumption")
    keep = " & ".join([*(f"In{i}" for i in range(len(inside))), "Kept"])
    kept = " /\\ ".join([*inside, relation(text(inv), r)])
    choose = f"intros {rs}; intros." if rs else "intros."
    lines = [
        f"intros {vs} Reached.",
        f"apply (Reached (fun {vs} => {kept})); clear Reached {vs}.",
        bullet(choose, *at.out, f"in_box; change ({relation(there, r)}); {start}."),
        bullet(
            f"intros {vs} {f'({keep})' if inside else 'Kept'}. {choose}",
            *s.out,
            f"in_box; change ({relation(grown, r)}); {by_form(r, known, 'add_up', equation)}.",
        ),
    ]
    return "\n  ".join(lines)


def reached(f: k.Fact) -> tuple[list[str], str, str]:
    """The states' variables, what is chosen anew at each step, and that a state is reached."""
    _, _, states, _, _, _, domain, _ = f.args
    own = [x for x, _, _ in states]
    rest = [d for d in domain if d.symbol not in own]
    anew = for_all(names_of(tuple(rest)), [h for d in rest for h in hypotheses(d)])
    state = " ".join(text(x) for x in own)
    start, after = (" ".join(text(pair[i]) for _, *pair in states) for i in (0, 1))
    whole = (
        f"(forall S : {'R -> ' * len(own)}Prop, ({anew}S {start}) -> "
        f"(forall {state} : R, S {state} -> {anew}S {after}) -> S {state})"
    )
    return [text(x) for x in own], anew, whole


def loop_stated(f: k.Fact) -> str:
    """Every state that can be reached is in its box and keeps the invariant."""
    inv, r, states, _, _, _, domain, _ = f.args
    own = [x for x, _, _ in states]
    vs, _, whole = reached(f)
    inside = [h for d in domain if d.symbol in own for h in hypotheses(d)]
    kept = " /\\ ".join([*inside, relation(text(inv), r)])
    return f"forall {' '.join(vs)} : R, {whole} -> {kept}"


def loop_claimed(book: Lemmas, f: k.Fact, name: str) -> str:
    """Definedness of starts, of the invariant and of steps, and the invariant."""
    inv, _, states, _, _, _, domain, side = f.args
    own = [x for x, _, _ in states]
    rest = tuple(d for d in domain if d.symbol not in own)
    vs, anew, _ = reached(f)
    rs = names_of(rest)
    choose = f"intros {' '.join(rs)}; intros." if rs else "intros."
    lines = []

    def every(box: Domain, sides: tuple[k.Fact, ...], e: sp.Expr, i: int) -> None:
        for j, (r, c) in enumerate(dict.fromkeys(conditions(e))):
            s = book.scene(box, sides)
            defined(s, e)
            lines.append(block(f"Def{i}_{j}", f"{anew}{proposition(r, c)}", [choose, *s.out, "assumption."]))

    for i, (_, start, _) in enumerate(states):
        every(rest, (), start, i)
    lines.append("repeat match goal with |- _ /\\ _ => split; [assumption | ] end.")
    lines.append(f"intros {' '.join(vs)} Reached. assert (Value := {name} {' '.join(vs)} Reached). pairs.")
    s = book.scene(tuple(d for d in domain if d.symbol in own))
    defined(s, inv)
    lines += s.out
    for i, (_, _, after) in enumerate(states):
        every(domain, side, after, len(states) + i)
    return "\n  ".join([*lines, "repeat match goal with |- _ /\\ _ => split end; assumption."])


STATED["loop"] = loop_stated
CLAIMED["loop"] = loop_claimed
