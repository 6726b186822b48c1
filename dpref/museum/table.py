"""The score as text: what each auditor found of each exhibit, and what it adds up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpref.museum.score import CONFIDENCE, Total, totals

_LEVELS = {
    "values": "values",
    "bits": "low-order bits",
    "accountant": "an accountant's report",
    "transcript": "a transcript",
    "safe": "nothing: no violation",
}


def cell(counts: dict[str, Any]) -> str:
    """What an auditor found of an exhibit: how often it refuted the broken form, and after a ! the correct one.

    Args:
        counts: Of a document's exhibit.

    >>> cell({"caught": 3, "of": 3, "false_alarms": 1, "of_correct": 3, "problem": None})
    '3/3 !1/3'
    """
    caught = f"{counts['caught']}/{counts['of']}" if counts["of"] else "silent" if not counts["false_alarms"] else ""
    alarms = f"!{counts['false_alarms']}/{counts['of_correct']}" if counts["false_alarms"] else ""
    return " ".join(part for part in (caught, alarms, "error" * (counts["problem"] is not None)) if part)


def rows(entries: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """A row an exhibit, after a row of headings.

    Args:
        entries: As of `dpref.museum.score.to_json`.
    """
    names = [total.auditor for total in totals(entries)]
    yield ["exhibit", "shown by", *names]
    for entry in entries:
        found = entry["auditors"]
        yield [entry["id"], _LEVELS[entry["level"]], *(cell(found[n]) if n in found else "" for n in names)]


def summary(total: Total) -> list[str]:
    """A row of an auditor's totals.

    Args:
        total: Its score.
    """
    _, upper = total.alarm_rate
    return [
        total.auditor,
        f"{total.exhibits[0]} of {total.exhibits[1]}",
        f"{total.alarms} of {total.correct} (rate at most {upper:.2g})" + ", unsound" * total.unsound,
        str(total.problems),
        f"{total.calls:,.0f}",
        f"{total.seconds:.2g} s",
    ]


HEADINGS = ("auditor", "caught", "false alarms", "could not judge", "calls a judgement", "time a judgement")


def markdown(entries: Sequence[dict[str, Any]], trials: int, seeds: int) -> str:
    """The score as two tables in Markdown.

    Args:
        entries: As of `dpref.museum.score.to_json`.
        trials: Pairs of runs of a judgement.
        seeds: Seeds of every judgement.
    """
    judged = f"{trials:,} pairs of runs, {seeds} seed" + "s" * (seeds != 1)
    setting = (
        f"Each of {len(entries)} exhibits, broken and fixed, {judged}, error 0.001;"
        f" the rate of false alarms is bounded at confidence {float(CONFIDENCE)}."
    )
    lines = [
        setting,
        "",
        *_table([list(HEADINGS), *map(summary, totals(entries))]),
        "",
        "Of each exhibit: at how many seeds the broken form was refuted, and after a ! the correct one.",
        "",
        *_table(list(rows(entries))),
    ]
    return "\n".join(lines) + "\n"


def _table(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *body = cells
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in body:
        yield "| " + " | ".join(row) + " |"
