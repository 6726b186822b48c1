"""The proof of a kernel fact in words: what each rule does, with its premises where they are used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sympy as sp

from proofs import latex
from proofs.citations import CITATIONS
from proofs.kernel import Fact

Domain = tuple[Any, ...]


def shown(fact: Fact) -> str:
    """What a fact says, as a formula on a line of its own; both sides of an identity as they were written."""
    claim = fact.claim
    relation = claim.relation.removeprefix("not ")
    if fact.rule == "identity" and fact.args[1] != 0:
        left, right = fact.args[:2]
        return f"{latex.formula(left)}={latex.formula(right)}"
    return latex.sides(claim.expr, relation)


def where(domain: Domain) -> str:
    """For which values of its symbols."""
    found = ", ".join(f"${part}$" for part in latex.box(domain))
    return f" for {found}" if found else ""


def listed(terms: Any) -> str:
    """Formulas, one after another."""
    return ", ".join(f"${latex.formula(sp.sympify(t))}$" for t in terms)


def rooted(text: str) -> str:
    """Words in which a root is written as one.

    >>> rooted("at most sqrt(5) u")
    'at most $\\sqrt{5}$ u'
    """
    return re.sub(r"sqrt\(([^()]*)\)", lambda m: rf"$\sqrt{{{m[1]}}}$", text)


def _identity(f: Fact) -> str:
    return "both sides have one normal form"


def _sign(f: Fact) -> str:
    return "by the signs of its coefficients"


def _squares(f: Fact) -> str:
    parts = "+".join(
        rf"{'' if w == 1 else latex.formula(w)}\left({latex.formula(q)}\right)^{{2}}" for w, q in f.args[1]
    )
    return f"it is the sum of squares ${parts}$"


def _combine(f: Fact) -> str:
    weights = [m for m, _ in f.args[2]]
    if all(m == 1 for m in weights):
        return "it is the sum of what follows"
    return f"it is the sum of what follows, times {listed(weights)}"


def _instantiate(f: Fact) -> str:
    places = ", ".join(f"${latex.letter(s.name)}={latex.formula(e)}$" for s, e in f.args[1])
    return f"it is what follows{', at ' * bool(places)}{places}"


def _congruence(f: Fact) -> str:
    return f"equals are put in for ${latex.letter(f.args[1].name)}$, by what follows"


def _join(f: Fact) -> str:
    return f"on two boxes that touch in ${latex.letter(f.args[2].name)}$, by what follows"


def _derivative(f: Fact) -> str:
    return "by the rules of differentiation"


def _monotone(f: Fact) -> str:
    x, end = latex.letter(f.args[1].name), "lower" if f.args[2] == "lo" else "upper"
    return f"as a function of ${x}$ it is not negative at the {end} end, and does not fall on the way, by what follows"


def _minimum(f: Fact) -> str:
    x, at = latex.letter(f.args[1].name), latex.formula(f.args[2])
    return f"it is convex in ${x}$ by what follows, and its derivative vanishes at ${x}={at}$"


def _limit(f: Fact) -> str:
    return (
        f"as ${latex.letter(f.args[1].name)}\\to{latex.formula(f.args[2])}$ it is squeezed between the two that follow"
    )


def _axiom(f: Fact) -> str:
    key, _, text = str(f.args[-1]).partition(": ")
    source = f"{text} ({{cite:t}}`{key}`)" if key in CITATIONS else str(f.args[-1])
    return f"taken from the literature: {rooted(source)}"


def _cases(f: Fact) -> str:
    return f"one number ${latex.letter(f.args[2].name)}$ after another, and all others together, by what follows"


def _summation(f: Fact) -> str:
    return f"by induction on ${latex.letter(f.args[3].name)}$: the start, and then the step"


def _accumulate(f: Fact) -> str:
    return "it holds for one term by what follows, and terms are added up"


def _loop(f: Fact) -> str:
    return "by induction on the number of steps: the start, and then what one step adds"


def _cover(f: Fact) -> str:
    boxes = f.args[2].split().count("0")
    return f"by ball arithmetic of {f.args[3]} bits on {boxes} box{'es' * (boxes != 1)} that cover the whole"


def _refute(f: Fact) -> str:
    point = ", ".join(f"${latex.letter(s.name)}={latex.formula(q)}$" for s, q in f.args[3])
    return f"false{' at ' * bool(point)}{point}, by ball arithmetic of {f.args[4]} bits"


def _distinguish(f: Fact) -> str:
    laws = [",".join(map(latex.formula, law)) for law in f.args[:2]]
    event = " or ".join(str(i + 1) for i in f.args[2])
    broken = ",".join(map(latex.formula, f.args[3:5]))
    return (
        f"two laws of the output on neighbouring data sets, $({laws[0]})$ and $({laws[1]})$, and the event that it is"
        f" number {event}, which breaks $(\\varepsilon,\\delta)=({broken})$"
    )


WORDS: Mapping[str, Callable[[Fact], str]] = {
    "identity": _identity, "sign": _sign, "squares": _squares, "combine": _combine, "instantiate": _instantiate,
    "congruence": _congruence, "join": _join, "derivative": _derivative, "monotone": _monotone, "minimum": _minimum,
    "limit": _limit, "axiom": _axiom, "cases": _cases, "summation": _summation, "accumulate": _accumulate,
    "loop": _loop, "cover": _cover, "refute": _refute, "distinguish": _distinguish,
}  # fmt: skip


def because(fact: Fact, seen: dict[int, str], depth: int = 0) -> Iterator[str]:
    """Why a fact holds, as the lines of a nested list; a fact that was told before is named by its number.

    Args:
        fact: What the kernel has checked.
        seen: Numbers of the facts that were told, by identity; grows.
        depth: How far inside the list.
    """
    for premise in fact.premises():
        if premise.claim.expr.is_Rational and premise.rule in {"identity", "sign"}:
            continue  # such as 0 = 0, where an induction starts from nothing
        pad = "  " * depth
        if id(premise) in seen:
            yield f"{pad}* ({seen[id(premise)]}), as above"
            continue
        seen[id(premise)] = str(len(seen) + 1)
        inside = "" if premise.claim.domain == fact.claim.domain else where(premise.claim.domain)
        yield f"{pad}* ({seen[id(premise)]}) ${shown(premise)}${inside}: {WORDS[premise.rule](premise)}"
        yield from because(premise, seen, depth + 1)
