"""What an experiment leaves: a figure (SVG), a table (Markdown) and everything as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dpref.experiments.experiment import AnyExperiment, Found, Panel, Report, Size, Table
from dpref.figures import BLUE, GREEN, ORANGE, PURPLE, RED, svg
from dpref.version import VERSION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS: Final = (BLUE, ORANGE, GREEN, RED, PURPLE, "#7a7a7a", "#b8860b", "#2a9d9d")
_WIDTH: Final = 4.4  # inches a panel
_HEIGHT: Final = 3.4


def figure(report: Report, salt: str) -> str:
    """The panels side by side, as SVG text; printed forms are dashed.

    Args:
        report: What the experiment says.
        salt: What makes the figure's ids its own.
    """

    def draw(canvas: Figure) -> None:
        for place, panel in enumerate(report.panels, 1):
            _panel(canvas.add_subplot(1, len(report.panels), place), panel)

    return svg(draw, salt, width=_WIDTH * max(1, len(report.panels)), height=_HEIGHT)


def _panel(axes: Any, panel: Panel) -> None:
    methods = [line.name.rpartition(",")[0] or line.name for line in panel.curves]
    colours = dict(zip(dict.fromkeys(methods), cycle(_COLOURS), strict=False))
    for method, line in zip(methods, panel.curves, strict=True):
        colour = colours[method]
        axes.plot(line.x, line.y, color=colour, linewidth=1.3, linestyle="--" if line.dashed else "-", label=line.name)
        axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale(panel.scales[0])
    axes.set_yscale(panel.scales[1])
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    axes.set_title(panel.title, fontsize=9.0, loc="left")
    axes.legend(loc="best", fontsize=6.5)


def markdown(table: Table) -> str:
    """A table as Markdown.

    Args:
        table: Which.

    >>> print(markdown(Table(("a", "b"), (("1", "2"),))))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    rows = (table.heads, ("---",) * len(table.heads), *table.rows)
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def page(experiment: AnyExperiment, size: Size, report: Report) -> str:
    """The set-up, the sentence and the table as one Markdown text.

    Args:
        experiment: Which.
        size: How much.
        report: What it says.
    """
    setting = (
        f"# {experiment.name}: {experiment.title}",
        f"**Printed.** {experiment.printed}",
        f"**Here** ({size}). {experiment.stands_in} Shape: `{experiment.shapes[size]!r}`.",
        f"**Result.** {report.sentence}",
        markdown(report.table),
        *(f"*{note}*" for note in report.notes),
    )
    return "\n\n".join(setting) + "\n"


def to_json(experiment: AnyExperiment, size: Size, report: Report, found: Mapping[str, Found]) -> dict[str, Any]:
    """Everything, with what each part found (their names hold the seeds).

    Args:
        experiment: Which.
        size: How much.
        report: What it says.
        found: Of each part, by its name.
    """
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "version": VERSION,
        "size": size,
        "shape": repr(experiment.shapes[size]),
        "printed": experiment.printed,
        "stands_in": experiment.stands_in,
        **asdict(report),
        "parts": dict(found),
    }


def files(experiment: AnyExperiment, size: Size, report: Report, document: str) -> Mapping[Path, str]:
    """What is written into the experiment's folder, by name.

    Args:
        experiment: Which.
        size: How much.
        report: What it says.
        document: Its JSON.
    """
    drawing = figure(report, f"{experiment.name}/{size}")
    return {
        Path("table.md"): page(experiment, size, report),
        Path("result.json"): document + "\n",
        Path("figure.svg"): drawing,
    }
