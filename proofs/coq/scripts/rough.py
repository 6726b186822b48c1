"""Rough port."""
from __future__ import annotations
import json, re
from functools import reduce
import sympy as sp
from proofs import balls, induction, kernel as k
from proofs.algebra import BINDERS, Rejected, change, interval, limit_of, slope, substitute, total, Interval
from proofs.coq import statements as st
from proofs.coq.statements import term

class Unsupported(Exception):
    """No translation yet."""

RUN: list[str] = []
def name(s): return st.variable(s)
def rat(t): return st.number(t)
def hyps(i): return st.box({"interval": i["interval"]})
def relation(e, r): return st.RELATIONS[r].format(e)
def totals(j): return st.running_symbols(j)

def statement(claim):
    """Without definedness."""
    old, st.defined = st.defined, lambda j, running=(): []
    try:
        RUN[:] = [name(i["interval"][0]["symbol"]) for i in claim[2] if i["interval"][0]["symbol"] in totals(claim[0])]
        return st.statement(claim)
    finally: st.defined = old

def T(e):
    return term(k.encode(e), RUN)


# ------------------------------------------------------------------------------------------- proofs (untrusted)


def show(ring, r):
    """A normal form in Coq's terms, generators included."""
    def gen(g):
        if g in ring.root_inv:
            b, n = ring.root_inv[g]
            return root(b, n)
        kind, of = ring.meaning[g] if g in ring.meaning else (None, None)
        if kind is None:
            return name(g.name)
        if kind == "base":
            return go(of)
        if kind in ("exp", "log"):
            return f"({'exp' if kind == 'exp' else 'ln'} {go(of)})"
        if kind == "pi":
            return "PI"
        if kind == "erfc":
            return f"(erfc {go(of)})"
        return T(of)
    def root(b, n):
        if n == 2:
            return f"(sqrt {gen(b)})"
        if n == 4:
            return f"(sqrt (sqrt {gen(b)}))"
        if n == 1:
            return gen(b)
        return f"(Rpower {gen(b)} (1 / {n}))"
    def go(r):
        if r.is_Symbol:
            return gen(r)
        if r.is_Rational:
            return rat(str(r))
        if isinstance(r, (sp.Add, sp.Mul)):
            return "(" + (" + " if r.is_Add else " * ").join(map(go, r.args)) + ")"
        if isinstance(r, sp.Pow) and r.exp.is_Rational:
            n, q = int(r.exp.p), int(r.exp.q)
            b = go(r.base) if q == 1 else root(r.base, q)
            out = b if abs(n) == 1 else f"({b} ^ {abs(n)})"
            return out if n > 0 else f"(/ {out})"
        raise Unsupported(f"normal form {r}")
    ring.root_inv = {w: (g, n) for g, (n, w) in ring.root.items()}
    return go(r)


def subterms(*es):
    """Roots, logarithms and exponentials, innermost first."""
    out = []
    for e in es:
        for x in sp.postorder_traversal(e):
            if isinstance(x, sp.Pow) and not x.exp.is_Integer:
                x = sp.sqrt(x.base) if x.exp.is_Rational and x.exp.q == 2 else x
                ok = x.is_Pow
            else:
                ok = isinstance(x, (sp.exp, sp.log, sp.tanh))
            if ok and x not in out:
                out.append(x)
    return out


def normalise(ring, *es):
    """Coq equations between awkward subterms and their normal forms, and the rewriting with them."""
    lines, eqs = [], []
    for x in subterms(*es):
        a, b = T(x), show(ring, ring.normal(x))
        if a == b:
            continue
        h = f"E{len(eqs)}"
        back = " ".join(f"try rewrite {q}." for q in reversed(eqs))
        if x.is_Pow and x.exp == sp.Rational(1, 2):
            first = back.replace(".", ";") or "idtac;"
            tac = f"apply sqrt_eq; [pos' | {first} roots; modf]"
        elif isinstance(x, sp.log):
            prod_ = factored(ring, x.args[0])
            tac = f"replace {T(x.args[0])} with {prod_} by (roots; modf); logs; modf" if prod_ else f"{back} logs; modf"
        elif x.is_Pow:
            b = T(x.base)
            tac = f"unfold Rpower; first [solve [exps ltac:(logs; modf)] | rewrite <- (exp_ln {b}) by pos'; rewrite ?ln_exp; exps ltac:(logs; modf)]"
        elif isinstance(x, sp.exp):
            tac = f"{back} exps ltac:(modf)"
        else:
            raise Unsupported(f"normalising {x.func}")
        lines.append(f"assert ({h} : {a} = {b}) by ({dots(tac)}).")
        eqs.append(h)
    lines += [f"try rewrite {h}." for h in reversed(eqs)]
    return "\n  ".join(lines)


def factored(ring, e):
    """The argument of a logarithm as the product that the normal form took it apart into."""
    parts = ring.split(ring.normal(e))
    if not all(sp.Rational(n).q == 1 for _, n, _ in parts):
        return None
    each = []
    for f, n, _ in parts:
        b = show(ring, f)
        b = b if abs(n) == 1 else f"({b} ^ {abs(int(n))})"
        each.append(b if n > 0 else f"(/ {b})")
    return f"({' * '.join(each)})" if each else None


def dots(t):
    return re.sub(r"\.\s", "; ", t)


def known_roots(ring):
    """Equations w * w = f for the generators, the deepest root first."""
    out = []
    for g, (n, _) in ring.root.items():
        kind, of = ring.meaning.get(g, (None, g))
        if n == 2:
            out.append(show(ring, of if kind == "base" else g))
    return out


def equal(ring, lhs, rhs):
    """A proof of an equation between two formulas."""
    d = ring.normal(lhs) - ring.normal(rhs)
    ring.fraction(d)
    return f"{normalise(ring, lhs, rhs)}\n  roots; modf."


def bern(ring, f):
    """A polynomial of certain sign, in non-negative pieces."""
    xs = sorted(f.free_symbols, key=str)
    if not xs:
        return f
    poly, out = sp.Poly(f, *xs), 0
    degs = poly.degree_list()
    for m, c in poly.terms():
        t = c
        for x, j, n in zip(xs, m, degs):
            lo, hi, ends = ring.range[x]
            if lo == -sp.oo and hi == sp.oo:
                t = sp.Mul(t, x**j, evaluate=True)
            elif hi == sp.oo:
                t *= (U(x) + lo) ** j
            elif lo == -sp.oo:
                t *= (hi - V(x)) ** j
            else:
                t *= (lo * V(x) + hi * U(x)) ** j * (U(x) + V(x)) ** (n - j) / (hi - lo) ** n
        out += t
    return sp.expand(out)


def U(x):
    return sp.Dummy(f"U|{x.name}") if False else _cache(("U", x))


def V(x):
    return _cache(("V", x))


_C = {}


def _cache(key):
    return _C.setdefault(key, sp.Dummy("p"))


def show_pieces(ring, e):
    """Pieces x - lo and hi - x in Coq."""
    inv = {d: key for key, d in _C.items()}
    def go(r):
        if r in inv:
            w, x = inv[r]
            lo, hi, _ = ring.range[x]
            return f"({show(ring, x)} - {rat(str(lo))})" if w == "U" and lo != 0 else show(ring, x) if w == "U" else f"({rat(str(hi))} - {show(ring, x)})"
        if r.is_Symbol:
            return show(ring, r)
        if r.is_Rational:
            return rat(str(r))
        if isinstance(r, (sp.Add, sp.Mul)):
            return "(" + (" + " if r.is_Add else " * ").join(map(go, r.args)) + ")"
        if isinstance(r, sp.Pow):
            b, n = go(r.base), int(r.exp)
            out = b if abs(n) == 1 else f"({b} ^ {abs(n)})"
            return out if n > 0 else f"(/ {out})"
        raise Unsupported(f"piece {r}")
    return go(e)


def positive_form(ring, e):
    """A Coq term that equals the formula and whose sign can be read off."""
    c, parts = sp.S.One, []
    for poly, p in zip(ring.fraction(ring.normal(e)), (1, -1)):
        q, factors = sp.factor_list(poly)
        c *= q**p
        for f, n in factors:
            if n % 2 == 0:
                s = ring.coefficients(f)
                f = -f if s in ("-", "0-") else f
            else:
                s = ring.coefficients(f)
                if s in ("-", "0-"):
                    f, c = -f, -c
                elif s == "?":
                    c, f = (-c, -f) if ring.by_side(f)[-1:] == "-" else (c, f)
                    b = show(ring, f)
                    b = b if n == 1 else f"({b} ^ {n})"
                    parts.append(b if p == 1 else f"(/ {b})")
                    continue
            b = show_pieces(ring, bern(ring, f)) if s != "?" else show(ring, f)
            b = b if n == 1 else f"({b} ^ {n})"
            parts.append(b if p == 1 else f"(/ {b})")
    return "(" + " * ".join([rat(str(c)), *parts]) + ")"


def signed(ring, e, rel, fallback="pos'"):
    """A proof of 0 < e or 0 <= e."""
    lemma = "gt_eq" if rel == ">" else "ge_eq"
    try:
        return f"first [ solve [pos] | apply ({lemma} {positive_form(ring, e)}); [solve [pos'] | {one(equal(ring, e, sp.S.Zero))}] | {fallback} ]"
    except (Rejected, Unsupported):
        return f"first [ solve [pos] | {fallback} ]"


def one(script):
    """Sentences as one tactic."""
    s = re.sub(r"\.(\s+|$)", "; ", script).strip()
    return "(" + s.rstrip("; ") + ")"


class Proof:
    """A file of lemmas, one for each fact."""

    def __init__(self):
        self.out, self.names = [], {}

    def fact(self, f):
        key = json.dumps(f.certificate(), sort_keys=True)
        if key not in self.names:
            for p in f.premises():
                self.fact(p)
            n = f"f{len(self.names)}"
            stm = statement(k.encode(tuple(f.claim)))
            RUN_ = list(RUN)
            script = getattr(self, "r_" + f.rule, None)
            if script is None:
                raise Unsupported(f"rule {f.rule}")
            body = script(f)
            self.out.append(f"Lemma {n} : {stm}.\nProof.\n  {body}\nQed.\n")
            self.names[key] = n
        return self.names[key]

    def intro(self, f, skip=()):
        vs = [name(i.symbol.name) for i in f.claim.domain if name(i.symbol.name) not in RUN]
        return f"intros {' '.join(vs)}; intros." if vs else "intros."

    def use(self, p, to=None):
        """A premise at the point at hand, its box conditions left to the box tactic."""
        n = self.fact(p)
        args = " ".join(f"({(to or {}).get(i.symbol, name(i.symbol.name))})" for i in p.claim.domain)
        return f"{n} {args}"

    def known(self, p, h):
        c = p.claim
        return f"assert ({h} : {relation(T(c.expr), c.relation)}) by (apply ({self.use(p)}); box)."

    def sides(self, f):
        side = [q for q in f.args if isinstance(q, tuple) and q and all(isinstance(x, k.Fact) for x in q)]
        return "\n  ".join(self.known(p, f"S{i}") for i, p in enumerate(side[-1] if side else ()))

    # each rule

    def r_identity(self, f):
        lhs, rhs, dom, side = f.args
        ring = k.ring_of(dom, side)
        return f"{self.intro(f)} {self.sides(f)}\n  {equal(ring, f.claim.expr, sp.S.Zero)}"

    def r_sign(self, f):
        expr, rel, dom, side = f.args
        return f"{self.intro(f)} {self.sides(f)}\n  {signed(k.ring_of(dom, side), expr, rel)}."

    def r_squares(self, f):
        expr, terms, dom, side = f.args
        ring = k.ring_of(dom, side)
        sq = " + ".join(f"({T(w)}) * ({T(q)}) ^ 2" for w, q in terms)
        ws = [f"assert (W{i} : 0 <= {T(w)}) by ({signed(ring, w, '>=')})." for i, (w, _) in enumerate(terms)]
        eq = equal2(ring, [expr, *(w for w, _ in terms), *(q for _, q in terms)])
        return f"{self.intro(f)} {self.sides(f)} {' '.join(ws)}\n  apply (ge_eq ({sq})); [pos | {one(eq)}]."

    def r_combine(self, f):
        expr, rel, terms, dom, side = f.args
        ring = k.ring_of(dom, side)
        lines = [self.known(p, f"P{i}") for i, (_, p) in enumerate(terms)]
        parts, pieces = [], []
        for i, (m, p) in enumerate(terms):
            e = p.claim.expr
            parts.append(f"({T(m)}) * ({T(e)})")
            if p.claim.relation == "==":
                lines.append(f"assert (Q{i} : {parts[-1]} = 0) by (rewrite P{i}; ring).")
            else:
                s = ">" if ring.sign(ring.normal(m)) == "+" else ">="
                lines.append(f"assert (M{i} : {relation(T(m), s)}) by ({signed(ring, m, s)}).")
                both = ">" if s == ">" and p.claim.relation == ">" else ">="
                lines.append(f"assert (Q{i} : {relation(parts[-1], both)}) by "
                             + (f"(apply Rmult_lt_0_compat; assumption)." if both == ">" else f"(apply Rmult_le_pos; first [assumption | left; assumption])."))
        lem = {"==": "z_eq", ">": "gt_eq", ">=": "ge_eq"}[rel]
        eq = equal2(ring, [expr, *(m for m, _ in terms), *(p.claim.expr for _, p in terms)])
        return f"{self.intro(f)} {self.sides(f)}\n  " + "\n  ".join(lines) + f"\n  apply ({lem} ({' + '.join(parts)})); [lra | clear -; {one(eq)}].".replace("clear -; ", "")

    def r_instantiate(self, f):
        fact, to, dom, side = f.args
        c, images, ring = fact.claim, dict(to), k.ring_of(dom, side)
        if totals(k.encode(c.expr)):
            raise Unsupported("instantiate below total")
        lines, hs = [], []
        for o in c.domain:
            if o.symbol in images:
                e = images[o.symbol]
                if o.integer:
                    raise Unsupported("integer instantiation")
                for low, d, end in ((o.lo, e - o.lo, o.ends[0]), (o.hi, o.hi - e, o.ends[1])):
                    if low not in (sp.oo, -sp.oo):
                        r = ">" if end in "()" else ">="
                        lines.append(f"assert (B{len(lines)} : {relation(T(d), r)}) by ({signed(ring, d, r)}).")
        at = {s: T(e) for s, e in images.items()}
        lem = {"==": "z_eq", ">": "gt_eq", ">=": "ge_eq"}[c.relation]
        eq = equal2(ring, [f.claim.expr, *[raw(x, images) for x in subterms(c.expr)]])
        return f"{self.intro(f)} {self.sides(f)} {' '.join(lines)}\n  eapply {lem}; [apply ({self.use(fact, at)}); box' | try reflexivity; {one(eq)}]."

    def r_congruence(self, f):
        g, x, left, right, equal_, dom, side = f.args
        ring = k.ring_of(dom, side)
        return (f"{self.intro(f)} {self.sides(f)} {self.known(equal_, 'P')}\n"
                f"  assert (Q : {T(left)} = {T(right)}) by (apply Rminus_diag_uniq; rewrite <- P; {one(equal2(ring, [left, right, equal_.claim.expr]))}).\n"
                f"  first [rewrite Q; ring | {one(equal2(ring, [f.claim.expr]))}].")

    def r_join(self, f):
        left, right, x = f.args
        i = interval(left.claim.domain, x)
        t = "Rle_or_lt" if i.ends[1] == "]" else "Rlt_or_le"
        weak = lambda p: f"apply ({self.use(p)}); box" if p.claim.relation == f.claim.relation else f"left; apply ({self.use(p)}); box" if p.claim.relation == ">" else f"right; symmetry; apply ({self.use(p)}); box"
        return f"{self.intro(f)} destruct ({t} {name(x.name)} {T(i.hi)}); [{weak(left)} | {weak(right)}]."

    def r_derivative(self, f):
        g, x, d, dom, side = f.args
        ring = k.ring_of(dom, side, smooth=True)
        v = name(x.name)
        return (f"{self.intro(f)} {self.sides(f)}\n  assert (D : is_derive (fun {v} => {T(g)}) {v} ({T(d)})).\n"
                f"  {{ auto_derive; [{bounds(ring, sp.diff(g, x), g, d)}side | {one(equal2(ring, [g, sp.diff(g, x), d]))}]. }}\n"
                f"  derive_is ({T(d)}) D; ring.")

    def r_monotone(self, f):
        g, x, anchor, growth, start, dom, side = f.args
        i = interval(dom, x)
        up = anchor == "lo"
        end = i.lo if up else i.hi
        moved = i.ends == "()" or (i.ends[0] if up else i.ends[1]) in "()"
        kind = "gs" if start.claim.relation == ">" else "gt" if growth.claim.relation == ">" and moved else "ge"
        v, inside = name(x.name), change(dom, x, ends="()")
        d = sp.diff(g, x)
        ring = k.ring_of(inside, side, smooth=True)
        rest = change(dom, x)
        at = k.ring_of(rest)
        lem = f"mono_{'up' if up else 'dn'}_{kind} (fun {v} => {T(g)}) (fun {v} => {T(d)}) {T(end)} {v}"
        exact = growth.claim.relation == (">" if kind == "gt" else ">=")
        grow = f"{'' if exact else 'left; '}apply ({self.use(growth)}); box"
        glem = "gt_eq" if kind == "gt" else "ge_eq"
        rise = d if up else -d
        st = "" if kind == "gs" else {"==": "right; symmetry; ", ">": "left; ", ">=": ""}[start.claim.relation]
        ends = [f"  - intros c Hc; cbv beta; auto_derive; [side | {one(equal2(ring, [d, g]))}].\n"
                f"  - intros c Hc; cont.\n"
                f"  - intros c Hc; cbv beta; apply ({glem} ({T(growth.claim.expr)})); [{grow} | {one(equal2(ring, [d, growth.claim.expr]))}].\n"]
        ends = [re.sub(rf"\b{v}\b", "c", e) for e in ends]
        return (f"{self.intro(f)} {self.sides(f)}\n  apply ({lem}).\n  - lra.\n{ends[0]}"
                f"  - cbv beta; apply ({'gt_eq' if kind == 'gs' else 'ge_eq'} ({T(start.claim.expr)})); [{st}apply ({self.use(start)}); box | consts; {one(equal2(at, [start.claim.expr, substitute(g, {x: end})]))}].")

    def r_limit(self, f):
        g, x, end, value, below, above, dom, side = f.args
        i, v = interval(dom, x), name(x.name)
        if end != i.lo:
            raise Unsupported("a limit from below")
        ring, at = k.ring_of(change(dom, x, ends="[" + i.ends[1]), side), k.ring_of(change(dom, x))
        lo, up = g - below.claim.expr, g + above.claim.expr
        h0 = "1" if i.hi == sp.oo else f"({T(i.hi)} - {T(i.lo)})"
        cast = lambda p: f"{'left; ' if p.claim.relation == '>' else ''}apply ({self.use(p)}); box"
        weaker = lambda p: f"apply (ge_eq ({T(p.claim.expr)})); [{cast(p)} | ring]"
        return (f"{self.intro(f)} {self.sides(f)}\n  apply (z_eq ({T(limit_of(g, x, end, sp.S.One))} - ({T(value)}))); [ | ring].\n"
                f"  apply Rminus_diag_eq.\n  apply (limit_above_squeeze (fun {v} => {T(g)}) (fun {v} => {T(lo)}) (fun {v} => {T(up)}) {T(end)} {h0} {T(value)}).\n"
                f"  - lra.\n  - intros {v} Hx; cbv beta; {weaker(below)}.\n  - intros {v} Hx; cbv beta; {weaker(above)}.\n"
                f"  - cont.\n  - cont.\n  - cbv beta; {one(equal2(at, [substitute(lo, {x: end}), value]))}.\n  - cbv beta; {one(equal2(at, [substitute(up, {x: end}), value]))}.")

    def r_cover(self, f):
        expr, dom, splits, prec = f.args
        bis = ", ".join([*(f"i_bisect {name(d.symbol.name)}" for d in dom), "i_depth 30", "i_prec 60"])
        return f"{self.intro(f)} interval with ({bis})."

    def r_refute(self, f):
        expr, rel, dom, witness, prec = f.args
        at = dict(witness)
        ex = "".join(f"exists ({T(at[d.symbol])}). " for d in dom)
        ints = "try (eexists; first [reflexivity | (instantiate (1 := 0%Z); lra)])"
        parts = sum(len(hyps({"interval": k.encode(d)["interval"]})) for d in dom)
        sp_ = "split; [first [lra | (eexists; lra)] | ]; " * parts
        pt = {s: (balls.fraction(q), balls.fraction(q)) for s, q in at.items()}
        num = raw(expr, at)
        v = balls.evaluate(expr, pt, prec)
        if v > 0 or v < 0:
            goal = f"assert (Z : {'0 < ' + text_at(expr, at) if v > 0 else text_at(expr, at) + ' < 0'}) by (unfold Rpower; first [lra | iv | {ERFC}]); lra"
        else:
            goal = f"assert (Z : {text_at(expr, at)} = 0) by ({one(equal2(k.ring_of(()), [substitute(expr, at)]))}); lra"
        return f"{ex}{sp_}intros N; {goal}."

    def r_distinguish(self, f):
        return "intros; interval with (i_prec 200)."

    def r_accumulate(self, f):
        fact, terms = f.args
        run = list(RUN)
        n = len(run)
        vs = [name(i.symbol.name) for i in f.claim.domain if name(i.symbol.name) not in run]
        pat = run[0] if n == 1 else "'(" + ", ".join(run) + ")"
        rel = f.claim.relation
        body = T(fact.claim.expr)
        lem = {">=": "total_ge", ">": "total_gt", "==": "total_z"}[rel]
        eqlem = {"==": "z_eq", ">": "gt_eq", ">=": "ge_eq"}[rel]
        destr = f"rename p into {run[0]}" if n == 1 else "destruct p as " + reduce(lambda a, b: f"[{a} {b}]", run)
        ring = k.ring_of(fact.claim.domain)
        whole = f.claim.expr
        return (f"intros {' '.join(vs)}; intros; name_list.\n  apply ({eqlem} (total (fun {pat} => {body}) l)).\n"
                f"  - apply {lem}; [{'assumption | ' if rel == '>' else ''}intros p Hp; specialize (H_all p Hp); {destr}; cbv beta iota zeta in *; apply ({self.use(fact)}); box].\n"
                f"  - assert (L : forall l, (forall p, In p l -> let {pat} := p in {self.inside(f)}) -> {T(whole)} = total (fun {pat} => {body}) l).\n"
                f"    {{ clear H_ne H_all l; intros l H_all; induction l as [|p l IH]; [cbn; ring | ].\n"
                f"      assert (Hb := H_all p (or_introl eq_refl)). rewrite !total_cons, <- IH by (intros q Hq; apply H_all; right; assumption).\n"
                f"      {destr}; cbv beta iota zeta in *; clear IH H_all; gen_totals; {one(equal2(ring, [fact.claim.expr, *(m for m, _ in terms), *(q for _, q in terms)]))}. }}\n"
                f"    apply L; assumption.")

    def inside(self, f):
        known = [h for i in f.claim.domain if name(i.symbol.name) in RUN for h in hyps(k.encode(i))]
        return " /\\ ".join(known) or "True"

    def r_summation(self, f):
        t_, t, first, n, closed, rel, ratio, base, step, dom, side = f.args
        v, w = name(n.name), name(t.name)
        rest, later = change(dom, n), change(dom, n, lo=sp.Integer(first))
        ring = k.ring_of(later, side)
        from proofs.algebra import Interval
        earlier = k.ring_of((*later, Interval(t, sp.Integer(first), sp.oo, "[)")), side)
        lem = "sum_eq" if rel == "==" else "sum_ge"
        el = "z_eq" if rel == "==" else "ge_eq"
        at = k.ring_of(rest)
        cast = lambda p: "" if p.claim.relation == rel else "left; "
        fm1 = sp.Integer(first - 1)
        head = (f"{self.intro(f)} {self.sides(f)}\n"
                f"  apply ({el} ((fun {v} => {T(closed)}) {v} - sum_from (fun {w} => {T(t_)}) ({first}) {v})); [ | cbv beta; ring].\n"
                f"  apply ({lem} (fun {w} {v} => {T(t_)}) (fun {v} => {T(closed)}) (fun {v} => {T(ratio)}) ({first}) (ex_intro _ ({first})%Z eq_refl)); [ .. | assumption | lra].\n")
        ren = lambda text: re.sub(rf"\b{w}\b", "t", re.sub(rf"\b{v}\b", "n", text))
        s = ren(f"  - intros {v} {w} In Hn Ht; cbv beta; {one(equal2(earlier, [t_, ratio, substitute(t_, {n: n - 1})]))}.\n")
        s += f"  - cbv beta; apply ({el} ({T(base.claim.expr)})); [{cast(base)}apply ({self.use(base)}); box | {one(equal2(at, [substitute(closed, {n: fm1}), base.claim.expr]))}].\n"
        s += ren(f"  - intros {v} In Hn; cbv beta; apply ({el} ({T(step.claim.expr)})); [{cast(step)}apply ({self.use(step)}); box | {one(equal2(ring, [closed, substitute(closed, {n: n - 1}), ratio, substitute(t_, {t: n}), step.claim.expr]))}].\n")
        if rel != "==":
            s += ren(f"  - intros {v} In Hn; cbv beta; {signed(ring, ratio, '>=')}.\n")
        return head + s

    def r_loop(self, f):
        inv, rel, states, ratio, base, step, dom, side = f.args
        own = [x for x, _, _ in states]
        vs = [name(x.name) for x in own]
        rest = [d for d in dom if d.symbol not in own]
        ring = k.ring_of(dom, side)
        rdom = tuple(rest)
        at = k.ring_of(rdom)
        box = [h for d in dom if d.symbol in own for h in hyps(k.encode(d))]
        Q = " /\\ ".join([*box, relation(T(inv), rel)])
        el = "z_eq" if rel == "==" else "ge_eq"
        rs = " ".join(name(d.symbol.name) for d in rest)
        first = substitute(inv, {x: x0 for x, x0, _ in states})
        after = substitute(inv, {x: u for x, _, u in states})
        def boxes(r, which):
            out = []
            for x, x0, u in states:
                i, e = interval(dom, x), (x0, u)[which]
                for end, d, o in ((i.lo, e - i.lo, i.ends[0]), (i.hi, i.hi - e, i.ends[1])):
                    if end not in (sp.oo, -sp.oo):
                        rr = ">" if o in "()" else ">="
                        out.append(f"split; [assert (B : {relation(T(d), rr)}) by ({signed(r, d, rr)}); lra | ]; ")
                if i.integer:
                    out.append("split; [isints | ]; ")
            return "".join(out)
        cast = lambda p: "" if p.claim.relation == rel else "left; " if p.claim.relation == ">" else "right; symmetry; "
        ih = f"({T(ratio)}) * ({T(inv)}) + ({T(step.claim.expr)})"
        if rel == "==":
            last = f"assert (St : {T(step.claim.expr)} = 0) by (apply ({self.use(step)}); box); apply (z_eq ({ih})); [rewrite St, HI; ring | {one(equal2(ring, [after, ratio, inv, step.claim.expr]))}]"
        else:
            last = (f"assert (St : 0 <= {T(step.claim.expr)}) by ({cast(step)}apply ({self.use(step)}); box); assert (Ra : 0 <= {T(ratio)}) by ({signed(ring, ratio, '>=')}); "
                    f"apply (ge_eq ({ih})); [apply Rplus_le_le_0_compat; [apply Rmult_le_pos; assumption | assumption] | {one(equal2(ring, [after, ratio, inv, step.claim.expr]))}]")
        pats = " & ".join([*(f"HB{i}" for i in range(len(box))), "HI"]) if box else ""
        ri = f"intros {rs}; intros; " if rs else "intros; "
        return (f"intros P P0 PS. exists (fun {' '.join(vs)} => {Q}). split; [ | split].\n"
                f"  - {ri}{boxes(at, 0)}cbv beta; apply ({el} ({T(base.claim.expr)})); [{cast(base)}apply ({self.use(base)}); box | {one(equal2(at, [first, base.claim.expr]))}].\n"
                f"  - intros {' '.join(vs)} {f'({pats})' if box else 'HI'}; {ri}{boxes(ring, 1)}cbv beta; {last}.\n"
                f"  - intros {' '.join(vs)} {f'({pats})' if box else 'HI'}; assumption.")

    def r_cases(self, f):
        raise Unsupported("cases")


ERFC = "erfcs"


def bounds(ring, *es):
    return ""


def equal2(ring, es):
    """`equal`, where several formulas occur in the goal."""
    for e in es:
        try:
            ring.fraction(ring.normal(e))
        except Rejected:
            pass
    good = []
    for e in es:
        try:
            ring.normal(e)
            good.append(e)
        except Rejected:
            pass
    return f"{normalise(ring, *good)}\n  roots; modf."


def raw(e, images):
    return substitute(e, images)


def text_at(e, at):
    """The formula's text with the witness's numbers in it."""
    t = T(e)
    for s, q in at.items():
        t = re.sub(rf"\b{re.escape(name(s.name))}\b", T(q), t)
    return t


def translate(cert):
    """A Coq file for a certificate; its last theorems are written from the recorded claims."""
    p = Proof()
    ends = []
    for i, c in enumerate(cert["facts"]):
        n = p.fact(k.replay(c))
        ends.append(f"Theorem claim_{i} : {statement(c['claim'])}.\nProof. exact {n}. Qed.\nPrint Assumptions claim_{i}.\n")
    return HEAD + "\n".join(p.out) + "\n" + "\n".join(ends)


if __name__ == "__main__":
    print(translate(json.loads(open(sys.argv[1], encoding="utf-8").read())))
