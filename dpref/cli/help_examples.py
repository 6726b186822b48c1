"""The examples that ``--help`` ends with, a list a verb; each is a command that a shell takes as it stands."""

from __future__ import annotations

from typing import Final

import typer

_PLACE: Final = "--delta 1e-5 --adjacency replace-one"
EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "audit": (
        "dpref audit --quick --html report.html",
        "dpref audit dp-erm-revisited/definition-3.4",
        "dpref audit mine:count --pair mine:pair --epsilon 1 --adjacency replace-one",
        "dpref audit --list",
    ),
    "run": (
        f"dpref run gradient-descent --data people.csv --target bought --bounds bounds.json --epsilon 1 {_PLACE}",
        f"dpref run spider --data p.csv --target y --bounds b.json --epsilon 1 {_PLACE} --plan-only",
    ),
    "certify": (
        f"dpref certify 'compose(gaussian(100), 10000)' {_PLACE}",
        "dpref certify 'poisson(gaussian(1), rate=1/100)' --epsilon 1 --adjacency add-or-remove-one --json",
        "dpref certify 'laplace(1)' --adjacency zero-out --profile 0:1:5 --tradeoff --gdp --plot laplace.svg",
    ),
    "calibrate": (
        f"dpref calibrate 'compose(gaussian(?), 100)' --epsilon 1 {_PLACE}",
        f"dpref calibrate 'compose(gaussian(20), ?)' --epsilon 1 {_PLACE}",
    ),
    "crosscheck": (
        "dpref crosscheck --peer dp-accounting=/path/to/python",
        "dpref crosscheck --mine my_accountant:epsilon --grid gaussian",
    ),
    "reproduce": (
        "dpref reproduce",
        "dpref reproduce dynamic-privacy-budget/table-1 --quick --out reproduced",
    ),
    "vectors make": ("dpref vectors make vectors --family sensitivity --sample 2",),
    "vectors check": (
        "dpref vectors check vectors",
        "dpref vectors check vectors --mine my_accountant:answer",
    ),
    "museum": ("dpref museum --auditor dpref --auditor mean --trials 500",),
    "algorithms": (
        "dpref algorithms",
        "dpref algorithms spider --json",
    ),
    "prove": (
        "dpref prove --paper gaussian",
        "dpref prove --formulas refuted",
        "dpref prove --from-nothing",
    ),
    "findings": (
        "dpref findings --concerns privacy",
        "dpref findings dp-erm-revisited/theorem-5.3",
        "dpref findings dp-erm-revisited/theorem-5.3 --bibtex",
    ),
    "bench accounting": ("dpref bench accounting --repeat 1",),
    "bench algorithms": ("dpref bench algorithms --records 1000 --dimension 10",),
    "bench audit": ("dpref bench audit --repeat 1",),
}


def attach(app: typer.Typer, group: str = "") -> None:
    """End the help of every verb with its examples.

    Args:
        app: The command line, every verb registered.
        group: The words before the verbs' names.
    """
    for command in app.registered_commands:
        name = group + str(command.name or getattr(command.callback, "__name__", ""))
        if name in EXAMPLES:
            command.epilog = "\n\n".join(("For example:", *EXAMPLES[name]))
    for below in app.registered_groups:
        if below.typer_instance is not None:
            attach(below.typer_instance, f"{group}{below.name} ")
