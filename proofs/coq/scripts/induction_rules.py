"""Proofs of the rules of induction: whole numbers, sums, sequences, loops.  Untrusted."""

from __future__ import annotations

import sympy as sp

from proofs import kernel as k
from proofs.coq.scripts.algebra_rules import finish
from proofs.coq.scripts.lemmas import (
    CLAIMED, LEMMA, STATED, Lemmas, block, defined, hypotheses, names_of, proposition, relation, running_of,
    script, signed,
)  # fmt: skip
from proofs.coq.scripts.scene import Scene, at_point_of, conditions, point, text
from proofs.coq.statements import for_all, pattern, variable
from proofs.terms import Domain, Interval, change, interval


def weakly(p: k.Fact, r: str) -> str:
    """The step from the premise's relation to the one that is asked for."""
    if p.claim.relation == r:
        return ""
    return "right; symmetry; " if p.claim.relation == "==" else "left; "


@script
def cases(book: Lemmas, f: k.Fact) -> str:
    """One whole number after the other, and those beyond."""
    expr, r, n, each, beyond, domain = f.args
    i, rest, v = interval(domain, n), change(domain, n), text(n)
    lines = [f"assert (Whole : isint {v}) by assumption.", f"assert (From : {text(i.lo)} <= {v}) by assumption."]
    for j, p in enumerate(each):
        here = i.lo + j
        s = book.scene(rest)
        s.look(p.claim.expr)
        s.look(expr, images={n: here})
        t = text(expr, {n: here})
        proof = s.equal(t + text(p.claim.expr), s.value(expr, {n: here}), s.value(p.claim.expr))
        body = f"change ({relation(t, r)}); apply ({LEMMA[r]} {text(p.claim.expr)}); [{weakly(p, r)}apply ({book.use(p)}); box | {proof}]"
        lines.append(f"destruct (next_integer ({int(here)}) {v} Whole From) as [Here | Next].")
        lines.append("{ " + f"clear Whole From; rewrite Here in *; clear Here; " + " ".join([*s.out, body]) + ". }")
        lines.append(f"clear From; assert (From : {text(here + 1)} <= {v}) by exact Next; clear Next.")
    later = change(domain, n, lo=i.lo + len(each))
    s = book.scene(later)
    s.look(expr, beyond.claim.expr)
    proof = s.equal(text(expr) + text(beyond.claim.expr), s.value(expr), s.value(beyond.claim.expr))
    return finish(
        book,
        f,
        [
            *lines,
            *s.out,
            f"apply ({LEMMA[r]} {text(beyond.claim.expr)}); [{weakly(beyond, r)}apply ({book.use(beyond)}); box | {proof}].",
        ],
    )


@script
def summation(book: Lemmas, f: k.Fact) -> str:
    """Induction on the last term."""
    term, t, first, n, closed, r, ratio, base, step, domain, side = f.args
    v, w = text(n), text(t)
    rest, later = change(domain, n), change(domain, n, lo=sp.Integer(first))
    e = book.scene((*later, Interval(t, sp.Integer(first), sp.oo, "[)")), side)
    before = n - 1
    e.look(term, ratio)
    e.look(term, images={n: before})
    old = e.equal(
        text(term) + text(ratio) + text(term, {n: before}), e.value(term), e.value(ratio) * e.value(term, {n: before})
    )
    at = book.scene(rest)
    at.look(base.claim.expr)
    at.look(closed, images={n: sp.Integer(first - 1)})
    there = text(closed, {n: sp.Integer(first - 1)})
    start = at.equal(
        there + text(base.claim.expr), at.value(closed, {n: sp.Integer(first - 1)}), at.value(base.claim.expr)
    )
    s = book.scene(later, side)
    s.look(closed, ratio, step.claim.expr)
    s.look(closed, images={n: before})
    s.look(term, images={t: n})
    value = s.value(closed) - s.value(ratio) * s.value(closed, {n: before}) - s.value(term, {t: n})
    shown = f"{text(closed)} - {text(ratio)} * {text(closed, {n: before})} - {text(term, {t: n})}"
    grown = s.equal(shown + text(step.claim.expr), value, s.value(step.claim.expr))
    lemma, close = ("sum_eq", "z_eq") if r == "==" else ("sum_ge", "ge_eq")
    functions = f"(fun {w} {v} => {text(term)}) (fun {v} => {text(closed)}) (fun {v} => {text(ratio)})"
    whole = f"(fun {v} => {text(closed)}) {v} - sum_from (fun {w} => {text(term)}) {text(sp.Integer(first))} {v}"
    less = f"replace ({v} - 1) with {text(before)} by ring"
    lines = [
        f"apply ({close} ({whole})); [ | cbv beta; ring].",
        f"apply ({lemma} {functions} {text(sp.Integer(first))} (ex_intro _ ({first})%Z eq_refl)); [ .. | assumption | lra].",
        f"- rename {v} into stop; intros {v} {w} Whole From1 From2; cbv beta; {less}. " + " ".join([*e.out, f"{old}."]),
        f"- cbv beta; replace ({text(sp.Integer(first))} - 1) with {text(sp.Integer(first - 1))} by lra. "
        + " ".join(
            [
                *at.out,
                f"apply ({close} {text(base.claim.expr)}); [{weakly(base, r)}apply ({book.use(base)}); box | {start}].",
            ]
        ),
        f"- rename {v} into stop; intros {v} Whole From1; cbv beta; {less}. "
        + " ".join(
            [
                *s.out,
                f"apply ({close} {text(step.claim.expr)}); [{weakly(step, r)}apply ({book.use(step)}); box | {grown}].",
            ]
        ),
    ]
    if r != "==":
        q = book.scene(later, side)
        proof = signed(q, ratio, ">=")
        lines.append(f"- rename {v} into stop; intros {v} Whole From1; cbv beta. " + " ".join([*q.out, f"{proof}."]))
    return finish(book, f, lines)


@script
def accumulate(book: Lemmas, f: k.Fact) -> str:
    """A fact at every point of a sequence, added up."""
    fact, terms = f.args
    run = running_of(f.claim)
    c, r, pat = fact.claim, f.claim.relation, pattern(run)
    body = text(c.expr)
    lemma = {">=": "total_ge", ">": "total_gt", "==": "total_z"}[r]
    nonempty = "assumption | " if r == ">" else ""
    known = " /\\ ".join(h for i in c.domain if variable(i.symbol.name) in run for h in hypotheses(i)) or "True"
    s = book.scene(c.domain)
    s.look(c.expr, *(x for pair in terms for x in pair))
    sums = [sp.Dummy(f"s{i}") for i in range(len(terms))]
    value = s.value(c.expr)
    shown = [s.text(c.expr), *(s.text(x) for pair in terms for x in pair)]
    for m, phi in terms:
        s.value(m), s.value(phi)
    proof = f"{s.rewriting(' '.join(shown))}by_field"
    del sums, value
    whole = text(f.claim.expr, running=run)
    lines = [
        f"apply ({LEMMA[r]} (total (fun {pat} => {body}) l)).",
        f"- apply {lemma}; [{nonempty}{at_point_of(run)[:-1]}; apply ({book.use(fact)}); box].",
        f"- assert (Same : forall l, (forall p, In p l -> let {pat} := p in {known}) -> {whole} = total (fun {pat} => {body}) l).",
        "  {",
        "    match goal with A : forall p, In p l -> _ |- _ => clear A end. match goal with A : l <> nil |- _ => clear A end. clear l. intros l Every. induction l as [ | p l IH]; [cbn; ring | ].",
        "    assert (Here := Every p (or_introl eq_refl)). rewrite !total_cons, <- IH by (intros q Hq; apply Every; right; assumption).",
        f"    {point(run)}cbv beta iota zeta in *; clear IH Every. repeat match goal with H : _ /\\ _ |- _ => destruct H end. general_totals. "
        + " ".join([*s.out, f"{proof}. }}"]),
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
    vs, rs = [text(x) for x in own], names_of(rest)
    inside = [h for d in domain if d.symbol in own for h in hypotheses(d)]
    close, r_ = ("z_eq" if r == "==" else "ge_eq"), r
    first, after = ({x: pair[i] for x, *pair in states} for i in (0, 1))

    def into_box(s: Scene, which: int) -> None:
        for x, *pair in states:
            i, e = interval(domain, x), pair[which]
            s.look(e)
            for low, gap, end, below in ((i.lo, e - i.lo, i.ends[0], True), (i.hi, i.hi - e, i.ends[1], False)):
                if low.is_finite:
                    s.look(gap)
                    n, strict = s.ring.normal(gap), end in "()"
                    p = s.positive(n, ">" if strict else ">=")
                    value = s.value(e) - low if below else low - s.value(e)
                    left, right = (text(low), text(e)) if below else (text(e), text(low))
                    proof = s.equal(text(e), value, s.rooted(n))
                    s.say(
                        s.fresh("B"),
                        f"{left} {'<' if strict else '<='} {right}",
                        f"apply {'lt' if strict else 'le'}_of_gap; apply ({'gt' if strict else 'ge'}_eq {s.show(s.rooted(n))}); [exact {p} | {proof}]",
                    )

    at = book.scene(rest)
    at.look(base.claim.expr)
    at.look(inv, images=first)
    into_box(at, 0)
    there = text(inv, first)
    start = at.equal(there + text(base.claim.expr), at.value(inv, first), at.value(base.claim.expr))
    s = book.scene(domain, side)
    s.look(inv, ratio, step.claim.expr)
    s.look(inv, images=after)
    into_box(s, 1)
    s.out.append(book.known(step, "Step"))
    grown, known = text(inv, after), f"{text(ratio)} * {text(inv)} + {text(step.claim.expr)}"
    value = s.value(ratio) * s.value(inv) + s.value(step.claim.expr)
    proof = s.equal(grown + known, s.value(inv, after), value)
    if r == "==":
        s.say("Old", f"{text(ratio)} * {text(inv)} = 0", "rewrite Kept; apply Rmult_0_r")
    else:
        s.say("Ratio", f"0 <= {text(ratio)}", signed(s, ratio, ">="))
        s.say("Old", f"0 <= {text(ratio)} * {text(inv)}", "apply Rmult_le_pos; assumption")
    keep = " & ".join([*(f"In{i}" for i in range(len(inside))), "Kept"])
    kept = " /\\ ".join([*inside, relation(text(inv), r_)])
    pattern_ = f"({keep})" if inside else "Kept"
    choose = f"intros {' '.join(rs)}; intros. " if rs else "intros. "
    lines = [
        f"intros {' '.join(vs)} Reached.",
        f"apply (Reached (fun {' '.join(vs)} => {kept})); clear Reached {' '.join(vs)}.",
        f"- {choose}"
        + " ".join(
            [
                *at.out,
                f"in_box; change ({relation(there, r)}); apply ({close} {text(base.claim.expr)}); [{weakly(base, r)}apply ({book.use(base)}); box | {start}].",
            ]
        ),
        f"- intros {' '.join(vs)} {pattern_}. {choose}"
        + " ".join([*s.out, f"in_box; change ({relation(grown, r)}); apply ({close} ({known})); [add_up | {proof}]."]),
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
