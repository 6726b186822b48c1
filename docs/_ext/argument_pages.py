"""Proofs to be read: one page a headline theorem, its steps in order, with what checks each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from findings_pages import place, reference
from generated import write_pages
from replays import report_on_all
from rule_words import WORDS, because, shown, where
from words import LEFT_OUT, badge, bullets, cited, parts, said, sourced, standing, worded

from proofs import latex
from proofs.arguments import ARGUMENTS
from proofs.check import Report, in_order, path_of, replayed, run
from proofs.findings import second
from proofs.findings.evidence import Audited, evidence
from proofs.findings.gathering import named
from proofs.findings.register import digest_of
from proofs.findings.witnesses import number
from proofs.headlines import HEADLINES, Headline, Part
from proofs.kernel import Fact
from proofs.registry import Goal, Obligation, registry
from proofs.status import Row, by_construction

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

INDEX = """# Proofs to be read

Each page is one argument from its hypotheses to its conclusion, with what it rests on in the place where it is used,
the formulas as they stand in the certificates, and who has checked which step. *By the signs of its coefficients* means
that no coefficient of a normal form is negative once every symbol is counted from the end of its interval; the other
rules say what they do. `dpref prove` replays the same certificates; [the rules](../../kernel-rules.md) of the kernel
and [the list of everything](../theorems/index.md) are elsewhere.

{parts}

```{{toctree}}
:hidden:

{toctree}
```
"""
PAGE = """# {title}

{leads}

**Supposed.**

{hypotheses}

{false}

## The argument

{argument}

## Its steps

{steps}

## What it rests on

{rests}
"""
PARTS: Mapping[Part, str] = {
    "privacy": "The papers' privacy",
    "erratum": "What is false in the papers",
    "accounting": "How losses are accounted",
}


def chain(headline: Headline) -> list[Obligation]:
    """The steps of an argument: what the declared ones rest on, and then these, each once."""
    return in_order(registry(), headline.steps)


def display(formula: str) -> str:
    """A formula on a line of its own."""
    return f"$$\n{formula}\n$$"


def indented(text: str, width: int) -> str:
    """A block inside a list."""
    return "\n".join(" " * width + line if line else line for line in text.split("\n"))


def told(goal: Goal, fact: Fact, seen: dict[int, str]) -> str:
    """One claim of a step: in words, as a formula, and why it holds."""
    note = worded(goal.note.rstrip("."))
    if fact.rule == "axiom":
        return f"{note}: **assumed**, {WORDS['axiom'](fact)}."
    box = where(fact.claim.domain)
    words = note + box if note else box.strip().replace("for", "For", 1) or "Everywhere"
    if fact.rule == "distinguish":
        return f"{words}: {WORDS['distinguish'](fact)}."
    if by_construction(fact.claim) and not any(s.free_symbols for s in goal.sides):
        return f"{words}: by construction, both sides are built as one term or are numbers."
    formula = display(_both(goal) if goal.sides else shown(fact))
    why = "both sides are built as one term" if by_construction(fact.claim) else WORDS[fact.rule](fact)
    inside = "\n".join(because(fact, seen))
    return f"{words}:\n\n{formula}\n\n*Checked:* {why}.{chr(10) * 2 if inside else ''}{inside}"


def _both(goal: Goal) -> str:
    left, right = goal.sides
    return f"{latex.formula(left)}={latex.formula(right)}"


def step(number_: int, obligation: Obligation, row: Row) -> str:
    """One step: what it says, and its claims."""
    seen: dict[int, str] = {}
    claims = [
        "* " + indented(told(goal, fact, seen), 2).lstrip()
        for goal, fact in zip(obligation.goals(), replayed(obligation), strict=True)
    ]
    opening = f"What is printed, and is false ({obligation.item}):" if obligation.refutes else ""
    return "\n\n".join(
        filter(
            None,
            [
                f"### {number_}. {said(obligation.title)}",
                f"{standing(row)} {reference(obligation.id)}",
                opening,
                obligation.statement,
                "What is checked:" if claims else "",
                "\n\n".join(claims),
                checked_by(obligation, row),
            ],
        )
    )


def checked_by(obligation: Obligation, row: Row) -> str:
    """By whom a step is checked: the kernel's rules, a second checker where one is recorded, tests."""
    digest = digest_of(path_of(obligation))
    checker = second.checker_of(obligation)
    evidence = re.sub(r"tests/\S+?::\w+", lambda m: f"`{m[0]}`", row.evidence)
    found = [f"the kernel: {evidence}"] if evidence else []
    found += [f"{checker}, which accepts the same certificate"] * bool(checker)
    return f"*By whom:* {'; '.join(found)}. *Certificate:* SHA-256 `{digest}`."


def false_in_epsilon(headline: Headline) -> str:
    """Where what is printed is false, in epsilon and delta; nothing where nothing is false.

    Raises:
        ValueError: If a headline about what is false has no claim that shows it in epsilon and delta.
    """
    refuting = [o for o in chain(headline) if o.refutes]
    if not refuting:
        return ""
    (finding, *_) = named(refuting[0].id)
    shown_ = [a for a in evidence(finding).audited if a.certified_in_epsilon and a.claim.expected == "refuted"]
    if not shown_:
        raise ValueError(f"{headline.name}: no claim of {finding.id} shows in epsilon and delta what is false")
    return "\n\n".join(
        [
            "## Where it is false, in epsilon and delta",
            bullets(in_epsilon(a) for a in shown_),
            f"*True instead.* {registry()[finding.instead].statement}",
            f"The finding: {place(finding)}.",
        ]
    )


def in_epsilon(a: Audited) -> str:
    """A claim and what is certified against it, at its delta."""
    delta, claimed = _power(a.delta), _power(a.epsilon_claimed)
    least = (
        "for no $\\varepsilon$ at all"
        if a.epsilon_least == "inf"
        else f"not below $\\varepsilon={_power(a.epsilon_least)}$"
    )
    stated = f"$\\rho={number(f'{float(a.claim.claimed.value):g}')}$, hence " if a.claim.is_zcdp else ""
    return (
        f"Claimed: {stated}$(\\varepsilon,\\delta)=({claimed},{delta})$. True at this $\\delta$: {least}"
        f" ({reference(a.claim.id)}; {said(a.witness)})."
    )


def _power(text: str) -> str:
    return number(f"{float(text):.6g}")


def rests(steps: Sequence[Obligation], rows: Mapping[str, Row]) -> str:
    """What is assumed and left out anywhere in the argument, and what is not assumed."""
    last = [rows[o.id] for o in steps]
    assumed = dict.fromkeys(a for row in last for a in row.assumptions)
    theorems = {t.name: t.text for o in steps for t in o.theorems}
    taken = dict.fromkeys(t for row in last for t in row.taken)
    gaps = dict.fromkeys((gap.obligation, gap.text) for row in last for gap in row.gaps)
    counted = Report(tuple(last), (), 0).counts
    counts = [f"{column} {', '.join(f'{n} {badge(s)}' for s, n in found.items())}" for column, found in counted.items()]
    return parts(
        {
            "Assumed": bullets(map(cited, assumed)) or "nothing beyond the kernel and what it trusts",
            "Taken from Coq": bullets(f"`{t}`, which Coq alone has checked" for t in taken),
            "Proved in Coq": bullets(f"`{name}`: {worded(text)}" for name, text in theorems.items()),
            "Not proved": bullets(f"{reference(name)}: {worded(sourced(text))}" for name, text in gaps),
            "Steps": f"{len(last)}: {'; '.join(counts)}",
            "Never proved here": LEFT_OUT,
        }
    )


def page(headline: Headline, rows: Mapping[str, Row]) -> str:
    """The page of one headline.

    Raises:
        ValueError: If it supposes nothing or has no steps.
    """
    steps = chain(headline)
    if not steps or not headline.hypotheses or not any(o.goals() for o in steps):
        raise ValueError(f"{headline.name}: an argument has hypotheses, and steps with claims")
    return PAGE.format(
        title=headline.title,
        leads=headline.leads,
        hypotheses=listed(headline.hypotheses),
        false=false_in_epsilon(headline),
        argument=in_words(headline),
        steps="\n\n".join(step(i, o, rows[o.id]) for i, o in enumerate(steps, start=1)),
        rests=rests(steps, rows),
    )


def in_words(headline: Headline) -> str:
    """The argument, a sentence for each turn, with the numbers of the steps that it rests on.

    Raises:
        ValueError: If it leaves out a step, or names what is none.
    """
    sentences = ARGUMENTS[headline.name]
    numbers = {f"{{{o.id}}}": f"step {i}" for i, o in enumerate(chain(headline), start=1)}
    named_ = {m for sentence in sentences for m in re.findall(r"\{[a-z][a-z-]*/[\w.-]+\}", sentence)}
    if named_ != set(numbers):
        raise ValueError(f"{headline.name}: the argument and its steps differ in {sorted(named_ ^ set(numbers))}")
    for name, number_ in numbers.items():
        sentences = tuple(sentence.replace(name, number_) for sentence in sentences)
    return "\n".join(f"{i}. {sentence}" for i, sentence in enumerate(sentences, start=1))


def listed(items: Iterable[str]) -> str:
    """A list in Markdown, also of one item."""
    return "\n".join(f"* {item}" for item in items)


def index() -> str:
    """The overview."""
    found = [
        f"## {title}\n\n" + listed(f"[{h.title}]({h.name}.md)" for h in HEADLINES if h.part == part)
        for part, title in PARTS.items()
    ]
    return INDEX.format(parts="\n\n".join(found), toctree="\n".join(h.name for h in HEADLINES))


def pages(headlines: Iterable[Headline] = HEADLINES, report: Report | None = None) -> dict[str, str]:
    """All pages by file name, from a report on everything or, without one, on what they need."""
    chosen = list(headlines)
    found = report or run(only=list(dict.fromkeys(name for h in chosen for name in h.steps)))
    rows = {row.id: row for row in found.rows}
    return {"index.md": index()} | {f"{h.name}.md": page(h, rows) for h in chosen}


def generate(app: Sphinx) -> None:
    """Write the pages below ``generated/arguments``."""
    write_pages(Path(app.srcdir) / "generated" / "arguments", pages(report=report_on_all()))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", generate, priority=400)
    return {"version": "1", "parallel_read_safe": True}
