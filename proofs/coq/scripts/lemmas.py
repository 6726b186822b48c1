"""Every fact of a certificate as a lemma of Coq, and every recorded claim from the lemma of its fact.  Untrusted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import sympy as sp

from proofs import kernel as k
from proofs.coq import statements
from proofs.coq.scripts.scene import NO_IMAGES, Images, Scene, Unsupported, at_point_of, conditions, some_point, text
from proofs.coq.scripts.variables import by_form
from proofs.coq.statements import RELATIONS, box, for_all, pattern, symbols, variable
from proofs.terms import Claim, Domain, Interval, Sum, heads, slope, total, unevaluated

# A conjunction whose parts are all known.
SPLIT: Final = "repeat match goal with |- _ /\\ _ => split end; first [assumption | known_part]."
Script = Callable[["Lemmas", k.Fact], str]
SCRIPTS: Final = dict[str, Script]()


def script(make: Script) -> Script:
    """Register how a rule is proved, under the rule's own name."""
    SCRIPTS[make.__name__.rstrip("_")] = make
    return make


def hypotheses(i: Interval) -> list[str]:
    """What an interval says of its symbol."""
    return box({"interval": k.encode(i)["interval"]})


def names_of(domain: Sequence[Interval]) -> list[str]:
    """The variables of a box."""
    return [variable(i.symbol.name) for i in domain]


def running_of(claim: Claim, *more: sp.Expr) -> list[str]:
    """The variables of a claim that run in its totals, in the order of the box."""
    ran = set[str]().union(*(symbols(k.encode(e), "total 0") for e in (claim.expr, *more)))
    return [variable(i.symbol.name) for i in claim.domain if i.symbol.name in ran]


def relation(t: str, r: str) -> str:
    """A relation to zero of a text."""
    return RELATIONS[r].format(t)


def plain(claim: Claim) -> str:
    """A claim without its definedness: what the lemmas of a tree say."""
    run = running_of(claim)
    free = [i for i in claim.domain if variable(i.symbol.name) not in run]
    known = [h for i in free for h in hypotheses(i)]
    value = relation(text(claim.expr, running=run), claim.relation)
    inside = [h for i in claim.domain if i not in free for h in hypotheses(i)]
    if not run:
        return for_all(names_of(free), known) + value
    of = f"forall l : list ({' * '.join('R' for _ in run)}), "
    lies = " /\\ ".join(inside) or "True"
    every = f"l <> nil -> (forall p, In p l -> let {pattern(run)} := p in {lies}) -> "
    return for_all(names_of(free), ()) + of + for_all((), known) + every + value


class Lemmas:
    """The lemmas of one certificate, in the order in which Coq needs them.

    Attributes:
        out: Name, statement and proof of each.
    """

    def __init__(self) -> None:
        """No lemma yet."""
        self.out = list[tuple[str, str, str]]()
        self.names = dict[str, str]()
        self.limits = dict[k.Fact, str]()
        self.scenes = 0
        self.both: tuple[sp.Expr, ...] = ()
        self.files = set[str]()  # of the theory, that facts are taken from

    def add(self, name: str, statement: str, proof: str) -> str:
        """One more lemma."""
        self.out.append((name, statement, proof))
        return name

    def fact(self, f: k.Fact) -> str:
        """The name of a fact's lemma, which is written where it is new."""
        key = json.dumps(f.certificate(), sort_keys=True)
        if key not in self.names:
            for p in f.premises():
                self.fact(p)
            self.scenes = 0
            if f.rule not in SCRIPTS:
                raise Unsupported(f"a fact by {f.rule}")
            proof = SCRIPTS[f.rule](self, f)
            self.names[key] = self.add(f"fact_{len(self.names)}", STATED.get(f.rule, stated)(f), proof)
        return self.names[key]

    def claim(self, number: int, recorded: Mapping[str, Any]) -> str:
        """The lemma that proves a recorded claim as `statements` writes it."""
        f = k.replay(recorded)
        name = self.fact(f)
        sides = recorded["args"][:2] if recorded["rule"] == "identity" else []
        whole = statements.statement(recorded["claim"], sides)
        self.both = f.args[:2] if sides and list(f.args[:2]) != [f.claim.expr, sp.S.Zero] else ()
        return self.add(f"claim_{number}", whole, CLAIMED.get(f.rule, claimed)(self, f, name))

    def by_hand(self, number: int, recorded: Mapping[str, Any], theorem: str) -> str:
        """The lemma that proves a recorded claim by a theorem of the library."""
        self.files.add(theorem.partition(".")[0])
        sides = recorded["args"][:2] if recorded["rule"] == "identity" else []
        whole = statements.statement(recorded["claim"], sides)
        return self.add(f"claim_{number}", whole, f"exact {theorem}.")

    # ------------------------------------------------------------------------ parts of a proof

    def intro(self, domain: Domain, run: Sequence[str] = ()) -> str:
        """The variables under their own names, the hypotheses under any."""
        free = [x for x in names_of(domain) if x not in run]
        return f"intros {' '.join(free)}; intros." if free else "intros."

    def use(self, p: k.Fact, images: Images = NO_IMAGES, running: Sequence[str] = ()) -> str:
        """A premise at a place; what its box asks for is left to the tactic `box`."""
        run = running_of(p.claim)
        free = [i.symbol for i in p.claim.domain if variable(i.symbol.name) not in run]
        args = [text(images[s], running=running) if s in images else variable(s.name) for s in free]
        if run and list(running) != run:
            args.append(f"(map (fun {pattern(running)} => ({', '.join(run)})) l)")
        elif run:
            args.append("l")
        return " ".join([self.fact(p), *args])

    def scene(self, domain: Domain, side: Sequence[k.Fact] = (), running: Sequence[str] = (), **more: Any) -> Scene:
        """A scene on a box, its side facts as hypotheses."""
        ring = k.ring_of(domain, tuple(side), **more)
        lines, sides = [], []
        self.scenes += 1
        for i, p in enumerate(side):
            name = f"Side{self.scenes}_{i}"
            lines.append(self.known(p, name, running))
            sides.append((name, p.claim.expr, p.claim.relation))
        found = Scene(ring, running, f"{self.scenes}_", domain)
        found.out += lines
        for _, e, _ in sides:
            found.look(e)
        for name, e, r in sides:
            found.side(name, e, r)
        return found

    def known(self, p: k.Fact, name: str, running: Sequence[str] = (), images: Images = NO_IMAGES) -> str:
        """A premise as a hypothesis of that name."""
        run, e = running_of(p.claim), p.claim.expr
        t, equations = relation(text(e, images, running), p.claim.relation), []
        if run not in ([], list(running)):
            mapped = f"(map (fun {pattern(running)} => ({', '.join(run)})) l)"
            for i, h in enumerate(sorted((x for x in heads(e) if x.func is total), key=str)):
                there = text(h, images, run).replace(" l)", f" {mapped})")
                same = "rewrite total_map; apply total_same; intros p _; pairs; reflexivity"
                equations.append(f"assert ({name}T{i} : {text(h, images, running)} = {there}) by ({same}).")
        rewriting = "".join(f"rewrite {name}T{i}; " for i in range(len(equations)))
        start = ""
        if {*names_of(p.claim.domain)} & {*running} - {*run}:
            start = f"{some_point(running)[:-1]}; "
        known = f"assert ({name} : {t}) by ({rewriting}{start}apply ({self.use(p, images, running)}); box)."
        return "\n  ".join([*equations, known])

    def from_premise(self, s: Scene, p: k.Fact, r: str, where: str, value: sp.Expr) -> str:
        """A tactic for a relation of the formula in ``where``, whose value is that of the premise's."""
        e = p.claim.expr
        s.look(e)
        equation = s.equal(where + text(e), value, s.value(e))
        return by_form(r, text(e), f"{weakly(p, r)}apply ({self.use(p)}); box", equation)


def bullet(*lines: str) -> str:
    """One goal's part of a proof."""
    return "- " + "\n    ".join(lines)


def stated(f: k.Fact) -> str:
    """What a fact's lemma says."""
    return plain(f.claim)


STATED: Final = dict[str, Callable[[k.Fact], str]]()


def weakly(p: k.Fact, r: str) -> str:
    """The step from a premise's relation to the one that is asked for."""
    if p.claim.relation == r:
        return ""
    return "right; symmetry; " if p.claim.relation == "==" else "left; "


def in_interval(s: Scene, e: sp.Expr, i: Interval) -> None:
    """Say that a formula lies in an interval."""
    s.look(e, *(gap for low, gap in ((i.lo, e - i.lo), (i.hi, i.hi - e)) if low.is_finite))
    for low, gap, end, above in ((i.lo, e - i.lo, i.ends[0], True), (i.hi, i.hi - e, i.ends[1], False)):
        if not low.is_finite:
            continue
        r, n = ">" if end in "()" else ">=", s.ring.normal(gap)
        h, value = s.positive(n, r), s.value(e) - low if above else low - s.value(e)
        ends = (text(low), s.text(e)) if above else (s.text(e), text(low))
        equation = s.equal(s.text(e), value, s.rooted(n))
        proof = f"apply {'lt' if r == '>' else 'le'}_of_gap; {by_form(r, s.show(s.rooted(n)), f'exact {h}', equation)}"
        s.say(s.fresh("B"), f" {'<' if r == '>' else '<='} ".join(ends), proof)


def signed(s: Scene, e: sp.Expr, r: str, images: Images = NO_IMAGES) -> str:
    """A tactic for ``0 < e`` or ``0 <= e`` as the lemma writes e."""
    s.look(e, images=images)
    normal = s.ring.normal(unevaluated(e, images))
    v = s.value(e, images)
    h = s.positive(normal, r)
    inner = s.rooted(normal)
    return by_form(r, s.show(inner), f"exact {h}", s.equal(s.text(e, images), v, inner))


def condition(s: Scene, r: str, e: sp.Expr, images: Images = NO_IMAGES) -> None:
    """Say that a denominator is not zero, that the argument of a logarithm is positive, ..."""
    t = s.text(e, images)
    if r != "<>":
        s.say(s.fresh("D"), relation(t, r), signed(s, e, r, images))
        return
    normal, claim = s.ring.normal(unevaluated(e, images)), f"{t} <> 0"
    if s.certain(normal, ">"):
        s.say(s.fresh("D"), claim, f"apply Rgt_not_eq; unfold Rgt; {signed(s, e, '>', images)}")
        return
    v, h, inner = s.value(e, images), s.positive(-normal, ">"), s.rooted(-normal)
    below = by_form(">", s.show(inner), f"exact {h}", s.equal(t, -v, inner))
    s.say(s.fresh("D"), claim, f"apply Rlt_not_eq, Ropp_lt_cancel; rewrite Ropp_0; {below}")


def defined(s: Scene, *es: sp.Expr, images: Images = NO_IMAGES) -> None:
    """Say what makes the formulas defined, outside of heads."""
    s.look(*es, images=images)
    for r, e in dict.fromkeys(c for x in es for c in conditions(x)):
        condition(s, r, e, images)


def block(name: str, claim: str, lines: Sequence[str]) -> str:
    """An assertion with a proof of its own lines."""
    return f"assert ({name} : {claim}).\n  {{ " + "\n    ".join(lines) + " }"


def proposition(r: str, e: sp.Expr, running: Sequence[str] = ()) -> str:
    """What `condition` says, as `statements` writes it."""
    t = text(e, running=running)
    return f"{t} <> 0" if r == "<>" else relation(t, r)


def heads_defined(book: Lemmas, s: Scene, domain: Domain, side: Sequence[k.Fact], *es: sp.Expr) -> None:
    """Say what makes the heads in the formulas defined."""
    for h in sorted(set[sp.Expr]().union(*map(heads, es)), key=str):
        if h.func is total:
            for r, e in dict.fromkeys(conditions(h.args[0])):
                inner = book.scene(domain, (), s.running)
                defined(inner, h.args[0])
                claim = f"forall p, In p l -> let {pattern(s.running)} := p in {proposition(r, e)}"
                s.out.append(block(s.fresh("D"), claim, [at_point_of(s.running), *inner.out, "assumption."]))
        elif h.func is Sum:
            body, t, first, last = h.args
            inside = (*(d for d in domain if d.symbol != t), Interval(t, first, sp.oo, "[)", integer=True))
            for r, e in dict.fromkeys(conditions(body)):
                inner = book.scene(inside, side)
                defined(inner, body)
                x, start = text(t), f"intros {text(t)} Whole (From & To)."
                claim = f"forall {x} : R, isint {x} -> {text(first)} <= {x} <= {text(last)} -> {proposition(r, e)}"
                s.out.append(block(s.fresh("D"), claim, [start, *inner.out, "assumption."]))
        elif h.func is slope:
            body, x = h.args
            inner = book.scene(domain, side, s.running, smooth=True)
            for r, e in dict.fromkeys(conditions(body)):
                condition(inner, r, e)
                if r == ">=":
                    condition(inner, ">", e)
            s.out += inner.out
            claim = f"ex_derive (fun {text(x)} => {text(body)}) {text(x)}"
            s.say(s.fresh("D"), claim, "unfold Rpower in *; auto_derive; side")


def side_of(f: k.Fact) -> tuple[k.Fact, ...]:
    """The side facts of a rule that takes some, which are its last argument."""
    last = f.args[-1]
    return last if isinstance(last, tuple) and last and all(isinstance(x, k.Fact) for x in last) else ()


def claimed(book: Lemmas, f: k.Fact, name: str) -> str:
    """A recorded claim from its lemma: definedness, both sides, the relation."""
    c = f.claim
    both = book.both
    run = running_of(c, *both)
    s = book.scene(c.domain, side_of(f), run)
    defined(s, *both, c.expr)
    heads_defined(book, s, c.domain, side_of(f), *both, c.expr)
    if both:
        s.look(*both)
        left, right = (s.value(e) for e in both)
        ends = [s.text(e) for e in both]
        s.say("Sides", " = ".join(ends), s.equal(" ".join(ends), left, right))
    value = book.known(f, "Value", run)
    return "\n  ".join([book.intro(c.domain, run), value, *s.out, SPLIT])


CLAIMED: Final = dict[str, Callable[[Lemmas, k.Fact, str], str]]()
