"""Verdicts as a terminal shows them; plain ASCII words, so that any terminal and any log can."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dpref.audit.catalogue import catalogue
from dpref.audit.claims import Claim, Outcome
from dpref.audit.empirical import MOST_TRIALS
from dpref.audit.known import Bound, Ends
from dpref.audit.papers.titles import TITLES
from dpref.audit.reach import reach, trials_needed
from dpref.audit.rules import Aim
from dpref.audit.verdict import DECLARED, HYPOTHESIS, Verdict
from dpref.reals import decimal_down, decimal_up

COLOURS: Final = {"holds": "green", "refuted": "red", "undecided": "yellow"}
_DIGITS: Final = 4


def reach_lines(claims: Iterable[tuple[Claim, int]], confidence: Fraction) -> Iterator[str]:
    """What runs can show at most, whatever they find, and which claims are beyond that.

    Args:
        claims: Each with its number of runs on each data set.
        confidence: Of the empirical bounds.
    """
    for count, group in groupby(sorted(claims, key=itemgetter(1)), key=itemgetter(1)):
        judged = [claim for claim, _ in group]
        most = [f"epsilon {up(max(reach(count, c.delta, confidence).epsilon for c in judged))}"]
        if any(c.is_zcdp for c in judged):
            most.append(f"rho {up(reach(count, judged[0].delta, confidence).rho)}")
        shown = " and ".join(most)
        yield f"{count} runs on each of two data sets at confidence {decimal_down(confidence, 6)} show at most {shown}."
        for claim in judged:
            needed = trials_needed(claim, confidence)
            if needed is None or needed > count:
                yield f"Beyond them: {claim.id}, which runs can refute only from {needed_text(needed)}."


def needed_text(trials: int | None) -> str:
    """How many runs a claim needs before runs can refute it.

    >>> needed_text(1571), needed_text(None)
    ('--trials 1571', 'more than 10000000 runs (the most)')
    """
    return f"more than {MOST_TRIALS} runs (the most)" if trials is None else f"--trials {trials}"


def show(verdicts: Sequence[Verdict], console: Console) -> None:
    """Print what the runs could show, a table for every paper, details of a single verdict, alarms, and a summary."""
    for confidence in sorted({v.empirical.confidence for v in verdicts}):
        counted = [(v.claim, v.empirical.trials) for v in verdicts if v.empirical.confidence == confidence]
        for line in reach_lines(counted, confidence):
            console.print(Text(line))
    for paper, group in groupby(sorted(verdicts, key=lambda v: v.claim.paper), key=lambda v: v.claim.paper):
        console.print(_table(paper, list(group)))
    if len(verdicts) == 1:
        console.print(_details(verdicts[0]))
    for verdict in verdicts:
        for alarm in verdict.alarms:
            console.print(Text(f"ALARM {verdict.claim.id}: {alarm}", style="bold white on red"))
        for note in verdict.notes:
            console.print(Text(f"NOTE {verdict.claim.id}: {note}", style="yellow"))
    console.print(summary(verdicts))


def opening(judged: Sequence[Claim]) -> Iterator[Text]:
    """What the recorded verdicts of the catalogue say of the papers, and the papers' names.

    Args:
        judged: The built-in claims that are about to be judged.
    """
    printed = [claim for claim in catalogue() if claim.form.startswith("as-printed")]
    false = sum(claim.expected == "refuted" for claim in printed)
    all_of_them = len(judged) == len(catalogue())
    yield Text(
        f"Of {len(printed)} privacy statements of {_counted(len(TITLES), 'paper')}, each as printed and under the"
        f" adjacency that is named with it, {false} are recorded as refuted."
        f" {'All' if all_of_them else len(judged)} of the {len(catalogue())} recorded verdicts are made anew:"
    )
    for paper, title in TITLES.items():
        yield Text(f"  {paper}: {title}.", style="dim")


def line(v: Verdict) -> Text:
    """A verdict in one line: what is claimed, and what decides."""
    unit = "rho" if v.claim.is_zcdp else "epsilon"
    claimed = f"{unit} <= {up(v.claim.claimed.value)}"
    by_runs = f"runs show >= {down(v.empirical_lower)}"
    reason = {
        "holds": f"certified {unit} <= {up(v.certified.upper)}",
        "refuted": _from_below(unit, v.certified.lower) if "certified" in v.evidence else by_runs,
        "undecided": f"certified {certified_text(v, v.certified)}, {by_runs}",
    }[v.outcome]
    text = Text(f"{v.outcome:9}", style=f"bold {COLOURS[v.outcome]}")
    text.append(f" {v.claim.id}", style="default").append(f": claimed {claimed}; {reason}", style="not bold default")
    if not v.as_recorded:
        text.append(f"; recorded: {v.claim.expected}", style="bold red")
    return text


def _from_below(unit: str, lower: Fraction | float) -> str:
    return f"certified: no finite {unit}" if lower == math.inf else f"certified >= {down(lower)}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def up(x: Bound) -> str:
    """Four digits, rounded up."""
    return plain(decimal_up(x, _DIGITS))


def down(x: Bound) -> str:
    """Four digits, rounded down."""
    return plain(decimal_down(x, _DIGITS))


def plain(text: str) -> str:
    """Decimal text with a small exponent where it is shorter.

    >>> plain("0.0000102"), plain("7.223E+4")
    ('1.02e-5', '72230')
    """
    value = Decimal(text)
    if not value.is_finite():
        return text
    if -4 < value.adjusted() < 6:
        return f"{value:f}"
    mantissa, exponent = f"{value:e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def interval_text(ends: Ends, outcome: Outcome) -> str:
    """The end that decides, rounded outward, where both ends agree to a millionth; otherwise both.

    >>> interval_text(Ends(0.47, 0.4700000001), "holds")
    '<= 0.4701'
    """
    if ends.lower > 0 and ends.upper <= ends.lower * (1 + Fraction(1, 10**6)):
        return f">= {down(ends.lower)}" if outcome == "refuted" else f"<= {up(ends.upper)}"
    if ends.lower == 0:
        return f"<= {up(ends.upper)}"
    return f"{down(ends.lower)} .. {up(ends.upper)}"


def certified_text(v: Verdict, ends: Ends) -> str:
    """What is certified, or that a subject which speaks for itself leaves nothing certified."""
    return "nothing" if v.declared is not None else interval_text(ends, v.outcome)


def _table(paper: str, verdicts: Iterable[Verdict]) -> RenderableType:
    table = Table(title=Text(paper, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("verdict", no_wrap=True)
    table.add_column("claim", overflow="fold", min_width=18)
    for heading in ("claimed", "certified", "empirical"):
        table.add_column(heading, no_wrap=True)
    for v in verdicts:
        table.add_row(Text(v.outcome, style=f"bold {COLOURS[v.outcome]}"), _name(v), *_numbers(v))
    return table


def _name(v: Verdict) -> Text:
    claim = v.claim
    name = Text(f"{claim.item}@{claim.form}")
    name.append(f"\n{claim.adjacency.name}", style="cyan")
    name.append(f", {claim.release}", style="dim")
    if not v.as_recorded:
        name.append(f" recorded: {claim.expected}", style="bold red")
    return name


def _numbers(v: Verdict) -> list[Text]:
    """Claimed, certified and seen: in the claim's unit, and for zCDP in epsilon on a second line."""
    claim = v.claim
    at = f" at {plain(decimal_up(claim.delta, 3))}"
    cells = [
        Text(f"eps <= {up(v.claimed_epsilon)}{at}"),
        Text(certified_text(v, v.epsilon)),
        Text(f">= {down(v.empirical.epsilon)}"),
    ]
    if not claim.is_zcdp:
        return cells
    first = (
        f"rho <= {up(claim.claimed.value)}",
        certified_text(v, v.certified),
        f">= {down(v.empirical.rho)}",
    )
    for cell in cells:
        cell.stylize("dim")
    return [Text(text + "\n").append(cell) for text, cell in zip(first, cells, strict=True)]


def _details(v: Verdict) -> RenderableType:
    claim, seen = v.claim, v.empirical
    unit: Aim = "rho" if claim.is_zcdp else "epsilon"
    rows = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    facts = {
        "the paper says": f'"{claim.quote}" ({claim.place})' if claim.quote else None,
        "claim": claim.statement,
        "reading": claim.reading,
        **v.facts,
        "released": claim.release,
        "slack": f"{unit} claimed minus true: {down(v.slack.lower)} .. {up(v.slack.upper)}",
        DECLARED: None if v.declared is None else f"{unit} {interval_text(v.declared.loss, v.outcome)}",
        "evidence": ", ".join(v.evidence) or "none that decides",
        "runs": f"{seen.trials} on each of two neighbours, half to choose a test and half to evaluate it;"
        f" seed {seen.seed}; joint confidence {decimal_down(seen.confidence, 6)}",
        "runs can show": f"at most {unit} {up(v.most_shown)}; they can refute it from {needed_text(v.trials_needed)}",
        "test": str(seen.tests[unit].rule),
        "Gaussian mu": f">= {down(seen.mu)}; epsilon >= {down(seen.gaussian_epsilon)} if {HYPOTHESIS}",
        "rests on": ", ".join(claim.obligations),
        "charitable": claim.charitable,
    }
    for name, value in facts.items():
        if value:
            rows.add_row(name, Text(value))  # a file's words are words, never markup
    return Group(Padding(rows, (0, 0, 1, 0)))


def summary(verdicts: Sequence[Verdict]) -> Text:
    """How many verdicts of each kind there are, and which are not the recorded ones."""
    text = Text(f"{_counted(len(verdicts), 'claim')}: ")
    counts = {outcome: sum(v.outcome == outcome for v in verdicts) for outcome in COLOURS}
    for i, (outcome, count) in enumerate((o, c) for o, c in counts.items() if c):
        word = "hold" if outcome == "holds" and count > 1 else outcome
        text.append(("" if i == 0 else ", ") + str(count) + " ").append(word, style=COLOURS[outcome])
    different = [v.claim.id for v in verdicts if not v.as_recorded]
    if different:
        text.append("; not as recorded: " + ", ".join(different), style="bold red")
    elif any(v.claim.expected for v in verdicts):
        text.append("; all as recorded" if len(verdicts) > 1 else "; as recorded")
    return text
