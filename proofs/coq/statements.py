"""Theorems of Coq, written from what certificates record: of the second checker, this alone has to be trusted.

A recorded claim is a formula, a relation to zero and a box; `statement` writes it as a proposition about real numbers
in the words of Coq's standard library and of ``theory/Real.v``, read off the JSON: no rule, proof or normal form is
looked at.  Coq's functions are total (1 / 0 is a number that nobody knows), so a theorem also says that its formula is
*defined*: no denominator is zero, logarithms and powers with other exponents than whole numbers are of positive
numbers, square roots of numbers that are not negative, derivatives and limits exist; a refutation is so at its witness.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

FUNCTIONS: Final = {"exp": "exp", "log": "ln", "erfc": "erfc", "tanh": "tanh"}
NAMED: Final = {"pi": "PI", "E": "(exp 1)"}
ROOTS: Final = {1: "{}", 2: "(sqrt {})", 4: "(sqrt (sqrt {}))"}
JUMPS: Final = ("Sum 3", "limit 0", "limit 2")  # where a formula need not be continuous in a symbol
RELATIONS: Final = {"==": "{} = 0", ">": "0 < {}", ">=": "0 <= {}"}
_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]*")
_NUMERAL: Final = re.compile("(-?(?:0|[1-9][0-9]*))(?:/([1-9][0-9]*))?")
Json = Mapping[str, Any]


class Unstated(Exception):
    """What is recorded has no statement in Coq; the message says why."""


def variable(name: Any) -> str:
    """A symbol as a Coq variable, which no constant, keyword or other symbol is called."""
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise Unstated(f"not the name of a symbol: {name!r:.80}")
    return f"v_{name}"


def rational(text: Any) -> Fraction | None:
    """The rational number that a numeral writes; None for anything else."""
    found = _NUMERAL.fullmatch(text) if isinstance(text, str) else None
    return Fraction(int(found[1]), int(found[2] or 1)) if found else None


def number(text: Any) -> str:
    """A numeral, or a number that has a name."""
    q = rational(text)
    if q is None and text not in (*NAMED,):
        raise Unstated(f"not a number: {text!r:.80}")
    return NAMED[text] if q is None else f"({str(q).replace('/', ' / ')})"


def function(x: Json, body: str) -> str:
    """The function of one variable with this body."""
    return f"(fun {variable(x['symbol'])} => {body})"


def pattern(running: Sequence[str]) -> str:
    """The point of a sequence, its coordinates in the order of the box."""
    return running[0] if len(running) == 1 else f"'({', '.join(running)})"


def term(j: Json, running: Sequence[str] = ()) -> str:  # noqa: PLR0911 - one return for each head
    """A recorded formula as a real number of Coq; ``running`` are the variables of the sequence l."""
    ((head, a),) = j.items()
    if head in ("symbol", "number"):
        return variable(a) if head == "symbol" else number(a)
    inner = [term(x, running) for x in a]
    if head in ("Add", "Mul"):
        return f"({(' + ' if head == 'Add' else ' * ').join(inner)})"
    if head == "Pow" and len(a) == 2:
        q = rational(a[1].get("number"))
        if q is None or q.denominator not in ROOTS:
            return f"(Rpower {inner[0]} {inner[1]})"
        root, n = ROOTS[q.denominator].format(inner[0]), abs(q.numerator)
        whole = root if n == 1 else f"({root} ^ {n})"
        return whole if q > 0 else f"(/ {whole})"
    if head in FUNCTIONS and len(a) == 1:
        return f"({FUNCTIONS[head]} {inner[0]})"
    if head == "Sum" and len(a) == 4 and re.fullmatch("-?[0-9]+", a[2].get("number", "")):  # body, t, first, last
        return f"(sum_from {function(a[1], inner[0])} {inner[2]} {inner[3]})"
    if head == "total" and running and len(a) == 1:
        return f"(total (fun {pattern(running)} => {inner[0]}) l)"
    if head == "slope" and len(a) == 2:  # body, x
        return f"(Derive {function(a[1], inner[0])} {inner[1]})"
    if head == "limit" and len(a) == 4 and a[3] in ({"number": "1"}, {"number": "-1"}):  # body, x, end, side
        return f"(limit_{'above' if a[3]['number'] == '1' else 'below'} {function(a[1], inner[0])} {inner[2]})"
    raise Unstated(f"no formula of Coq for {head!r:.80}")


def defined(j: Json, running: Sequence[str] = ()) -> list[str]:
    """What makes a recorded formula a number: propositions, each once, in the order in which they occur."""
    ((head, a),) = j.items()
    if head in ("symbol", "number"):
        return []
    if head == "total":
        return [f"(forall p, In p l -> let {pattern(running)} := p in {c})" for c in defined(a[0], running)]
    if head in ("Sum", "slope", "limit"):
        x, body, f = term(a[1]), defined(a[0]), function(a[1], term(a[0]))
        if a[1]["symbol"] in (symbols(a[3]) if head == "Sum" else symbols(j, *JUMPS) if head == "slope" else ()):
            raise Unstated(f"a sum up to its own {x}, or a derivative of what {x} changes by jumps")
        if head == "Sum":
            first, last = term(a[2]), term(a[3])
            between = [f"(forall {x} : R, isint {x} -> {first} <= {x} <= {last} -> {c})" for c in body]
            return [*defined(a[3]), f"isint {last}", f"{first} - 1 <= {last}", *between]
        if head == "slope":
            return [*(c.replace("0 <= ", "0 < ", 1) for c in body), f"ex_derive {f} {x}"]  # on both sides of x
        side, end = "above" if a[3] == {"number": "1"} else "below", term(a[2])
        return [*(f"near_{side} {function(a[1], c)} {end}" for c in body), f"has_limit_{side} {f} {end}"]
    found = [c for x in a for c in defined(x, running)] + [f"0 < {term(x, running)}" for x in a if head == "log"]
    if head == "Pow":
        q, base = rational(a[1].get("number")), term(a[0], running)
        if q is None or q.denominator > 1:
            found.append(f"0 {'<=' if q is not None and q > 0 and q.denominator in ROOTS else '<'} {base}")
        elif q < 0:
            found.append(f"{base} <> 0")
    return list(dict.fromkeys(found))


def box(i: Json) -> list[str]:
    """What an interval says of its symbol."""
    s, lo, hi, ends, integer = i["interval"]
    x, low, high = variable(s["symbol"]), rational(lo["number"]), rational(hi["number"])
    known = (low is not None or lo["number"] == "-oo") and (high is not None or hi["number"] == "oo")
    some = low is None or high is None or low < high or (low == high and ends == "[]")
    whole = low is not None and low.denominator == 1 and ends[0] == "[" and high is None
    if not (known and some and ends in ("[]", "[)", "(]", "()") and (integer is False or (integer is True and whole))):
        raise Unstated(f"no interval, or one without points, or of integers that do not run to infinity: {i!r:.200}")
    above = f"{number(lo['number'])} {'<=' if ends[0] == '[' else '<'} {x}" if low is not None else ""
    below = f"{x} {'<=' if ends[1] == ']' else '<'} {number(hi['number'])}" if high is not None else ""
    return [h for h in (above, below, f"isint {x}" * integer) if h]


def symbols(j: Json, *below: str) -> set[str]:
    """The names of a formula's symbols, or of those alone that stand in an argument ``below``, such as ``Sum 3``."""
    ((head, a),) = j.items()
    if head in ("symbol", "number"):
        return {a} if head == "symbol" and not below else set()
    return set[str]().union(*(symbols(x, *(() if f"{head} {n}" in below else below)) for n, x in enumerate(a)))


def for_all(names: Sequence[str], known: Sequence[str]) -> str:
    """The quantifiers and the hypotheses."""
    return (f"forall {' '.join(names)} : R, " if names else "") + "".join(f"{h} -> " for h in known)


def statement(claim: Sequence[Any], sides: Sequence[Json] = ()) -> str:
    """A recorded claim as a proposition; with ``sides`` (other than claim and zero), also that they are equal."""
    (expr, relation, domain), sides = claim, () if list(sides) == [claim[0], {"number": "0"}] else sides
    names = [variable(i["interval"][0]["symbol"]) for i in domain]
    known = {x: box(i) for x, i in zip(names, domain, strict=True)}
    ran = {variable(s) for j in (expr, *sides) for s in symbols(j, "total 0")}
    running = [x for x in names if x in ran]
    if len(known) < len(names) or len(running) < len(ran) or relation.removeprefix("not ") not in RELATIONS:
        raise Unstated("a symbol with two intervals, one that runs in a total and has none, or no relation")
    free = [x for x in names if x not in ran]
    if "loop" in expr:
        return _loop(expr["loop"], relation, free, known)
    here = [h for x in free for h in known[x]]
    value = RELATIONS[relation.removeprefix("not ")].format(term(expr, running))
    equal = [f"{term(sides[0], running)} = {term(sides[1], running)}"] if sides else []
    means = list(dict.fromkeys(c for j in (*sides, expr) for c in defined(j, running)))
    if relation.startswith("not "):
        if running:
            raise Unstated("a refutation of a claim about sequences")
        return (f"exists {' '.join(free)} : R, " if free else "") + " /\\ ".join([*here, *means, f"~ ({value})"])
    of = f"forall l : list ({' * '.join('R' for _ in running)}), l <> nil -> " if running else ""
    lies = " /\\ ".join(h for x in running for h in known[x]) or "True"
    every = f"(forall p, In p l -> let {pattern(running)} := p in {lies}) -> " if running else ""
    return for_all(free, here) + of + every + " /\\ ".join([*means, *equal, value])


def _loop(a: Sequence[Json], relation: str, names: Sequence[str], known: Mapping[str, list[str]]) -> str:
    """Of each state that a loop reaches: one that lies in every set with the starts and closed under steps."""
    own = [variable(x["symbol"]) for x in a[1::3]]
    chosen = [x for x in names if x not in own]
    if relation not in RELATIONS or not own or not set(own) <= set(names) or len(set(own)) < len(own):
        raise Unstated("a loop without states, or a state without an interval")
    anew = for_all(chosen, [h for x in chosen for h in known[x]])
    state, start, after = " ".join(own), " ".join(map(term, a[2::3])), " ".join(map(term, a[3::3]))
    begun, kept = f"({anew}S {start})", f"(forall {state} : R, S {state} -> {anew}S {after})"
    reached = f"(forall S : {'R -> ' * len(own)}Prop, {begun} -> {kept} -> S {state})"
    starts, steps = ([f"({anew}{c})" for j in a[n::3] for c in defined(j)] for n in (2, 3))
    holds = " /\\ ".join([*defined(a[0]), *steps, RELATIONS[relation].format(term(a[0]))])
    return " /\\ ".join([*starts, f"(forall {state} : R, {reached} -> {holds})"])


def comment(words: str) -> str:
    """Words as a comment of Coq, which nothing in them can end, and in which nothing can begin."""
    plain = words.replace("*", "\u2217").replace('"', "''")
    return f"(* {''.join(c if c.isprintable() else ' ' for c in plain)} *)\n"


def theorem(name: str, fact: Mapping[str, Any], proof: str) -> str:
    """The theorem that a recorded fact states, proved by a lemma; an identity states its two sides too."""
    if not (_NAME.fullmatch(name) and all(map(_NAME.fullmatch, proof.split(".")))):
        raise Unstated(f"not names: {name!r:.80}, {proof!r:.80}")
    sides = fact["args"][:2] if fact["rule"] == "identity" else []
    return f"Theorem {name} :\n  {statement(fact['claim'], sides)}.\nProof. exact {proof}. Qed.\n"
