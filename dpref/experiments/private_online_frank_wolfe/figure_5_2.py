"""Figure 5.2: how much the scale of the step matters, along a run (T = 2000, d = 10)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from dpref.experiments.experiment import Curve, Experiment, Found, Panel, Part, Report, Table, curve, spread
from dpref.experiments.private_online_frank_wolfe.methods import (
    CERTIFIED,
    MODES,
    SFW,
    SGD,
    TOFW,
    Method,
    Mode,
    certified_epsilon,
    certified_text,
    scales_of,
)
from dpref.experiments.private_online_frank_wolfe.regression import TableCell, drawn

KINDS: Final = (("NoisySFW, p = 1.5", SFW, "1.5"), ("DP-TOFW, p = 1.5", TOFW, "1.5"),
                ("NoisySGD, p = inf", SGD, "inf"), ("DP-TOFW, p = inf", TOFW, "inf"))  # fmt: skip
POINTS: Final = 40  # of a curve
UNSEEN: Final = "The figure has no numbers in the text; the scales are those of the public code."


class Shape(NamedTuple):
    """What is computed."""

    horizon: int
    dimension: int
    seeds: int
    sgd: bool  # whether NoisySGD is run, with its T^2 steps


def runs(method: Method, p: str, mode: Mode, shape: Shape) -> Found:
    """SubOpt along the run, for each scale and seed, and the epsilon of the noise at the largest scale."""
    cell = TableCell(shape.horizon, shape.dimension, p, shape.dimension)
    scales = scales_of(method, cell, mode)
    found: dict[str, list[list[float]]] = {str(float(scale)): [] for scale in scales}
    for seed in range(shape.seeds):
        data = drawn(cell, seed)
        for scale, path in method.paths(cell, mode, scales, seed):
            chosen = np.unique(np.linspace(0, len(path) - 1, POINTS).astype(int))
            found[str(float(scale))].append([data.suboptimality(path[k]) for k in chosen])
    return {"epsilon": certified_epsilon(method, cell, mode), "scales": found}


def parts(shape: Shape) -> tuple[Part, ...]:
    """One for each algorithm and mode."""
    kinds = [kind for kind in KINDS if shape.sgd or kind[1] is not SGD]
    return tuple(Part(f"{mode} {name}", partial(runs, method, p, mode, shape))
                 for name, method, p in kinds for mode in MODES)  # fmt: skip


def report(shape: Shape, found: Mapping[str, Found]) -> Report:
    """The last SubOpt of each scale, how far apart they are, and the curves as published."""
    rows, panels, ratios = [], [], {}
    for name, _, _ in KINDS:
        for mode in MODES:
            part = found.get(f"{mode} {name}")
            if part is None:
                rows.append((name, mode, "not run", "", "", ""))
                continue
            last = {scale: spread([path[-1] for path in paths]) for scale, paths in part["scales"].items()}
            best, worst = (pick(last, key=lambda scale: last[scale].mean) for pick in (min, max))
            ratios[name, mode] = last[worst].mean / last[best].mean
            spent = certified_text(part["epsilon"])
            ratio = f"{ratios[name, mode]:.3g}"
            rows.append((name, mode, spent, f"{best}: {last[best]}", f"{worst}: {last[worst]}", ratio))
            if mode == "published":
                panels.append(
                    Panel(
                        f"{name} (certified ε {spent})",
                        "share of the run",
                        "SubOpt",
                        tuple(_lines(part["scales"])),
                        ("linear", "log"),
                    )
                )
    said = "; ".join(f"{name}, {mode}: {ratio:.3g}" for (name, mode), ratio in ratios.items())
    sentence = f"The worst scale's last SubOpt over the best one's: {said}."
    heads = ("algorithm", "noise", "certified ε", "best scale: last SubOpt", "worst scale", "ratio")
    return Report(Table(heads, tuple(rows)), tuple(panels), sentence, (UNSEEN, CERTIFIED))


def _lines(part: Found) -> list[Curve]:
    lines = []
    for scale, paths in part.items():
        columns = [list(column) for column in zip(*paths, strict=True)]
        lines.append(curve(f"scale {scale}", list(np.linspace(0, 1, len(columns))), columns))
    return lines


FIGURE_5_2: Final = Experiment[Shape](
    name="private-online-frank-wolfe/figure-5.2",
    title="how much the scale of the step matters",
    printed="SubOpt against iterations for several step scales, T = 2000, d = 10, (1, 1/T)-DP.",
    stands_in="The regression of table-5.1, as published and with a noise that is private.",
    shapes={
        "quick": Shape(2000, 10, 3, sgd=False),
        "default": Shape(2000, 10, 15, sgd=True),
        "full": Shape(2000, 10, 50, sgd=True),
    },
    takes={"quick": "40 seconds", "default": "5 minutes", "full": "15 minutes"},
    parts=parts,
    report=report,
)
