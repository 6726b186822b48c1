"""Figure 5.3: SubOpt against time, for NoisySFW and DP-TOFW at p = 1.5 and the best scale of each."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np

from dpref.algorithms import noisy_frank_wolfe, online_frank_wolfe
from dpref.algorithms.declaration import AnyAlgorithm, numbers_of
from dpref.experiments.experiment import Experiment, Found, Panel, Part, Report, Table, curve, spread
from dpref.experiments.private_online_frank_wolfe.methods import (
    CERTIFIED,
    MODES,
    SFW,
    TOFW,
    Method,
    Mode,
    best,
    certified_epsilon,
    certified_text,
    public,
)
from dpref.experiments.private_online_frank_wolfe.regression import TableCell, arrays, drawn
from dpref.kernels.records import Tape
from dpref.mechanisms.generalized_gaussian import unit_draws

POINTS: Final = 40  # of a curve
REPEATS: Final = 3  # of a timed run, the fastest of which counts
KERNELS: Final[dict[str, AnyAlgorithm]] = {
    SFW.name: noisy_frank_wolfe.ALGORITHM,
    TOFW.name: online_frank_wolfe.ALGORITHM,
}
CLOCK: Final = (
    "Times are those of the compiled kernels here, noise included, spread evenly over the steps of a run; they are no "
    "part of what must be the same on another machine. The numbers of gradients are."
)


class Shape(NamedTuple):
    """What is computed."""

    cells: tuple[tuple[int, int], ...]  # T and d
    seeds: int


def timed(method: Method, cell: TableCell, mode: Mode, scale: Fraction, seed: int) -> float:
    """Seconds of a run with its noise, the fastest of three; fresh noise does not change them.

    Args:
        method: DP-TOFW or NoisySFW.
        cell: Of the table.
        mode: As published or private.
        scale: Of the step.
        seed: Of data and noise.
    """
    algorithm, plan = KERNELS[method.name], method.plan(cell, mode, scale)
    records, least = arrays(public(cell, mode), drawn(cell, seed)), float("inf")
    for _ in range(REPEATS):
        started = perf_counter()
        noise = unit_draws(float(plan.index), plan.steps, cell.dimension, np.random.default_rng([seed, 1]))
        tape = Tape(noise, np.empty((0, cell.dimension)), np.empty(0, dtype=np.int64))
        algorithm.kernel.run(records, numbers_of(algorithm, plan), tape)
        least = min(least, perf_counter() - started)
    return least


def runs(method: Method, mode: Mode, size: tuple[int, int], shape: Shape) -> Found:
    """The best scale's SubOpt along the run, its seconds, its gradients, and the epsilon of its noise."""
    cell = TableCell(*size, "1.5", size[1])
    scale = Fraction(best(method, cell, mode, shape.seeds)["scale"]).limit_denominator(1000)
    paths, seconds = [], []
    for seed in range(shape.seeds):
        ((_, path),) = method.paths(cell, mode, (scale,), seed)
        at, data = np.unique(np.linspace(0, len(path) - 1, POINTS).astype(int)), drawn(cell, seed)
        paths.append([data.suboptimality(path[k]) for k in at])
        seconds.append(timed(method, cell, mode, scale, seed))
    made: Any = method.plan(cell, mode, scale)
    return {
        "scale": float(scale),
        "paths": paths,
        "seconds": seconds,
        "gradients": made.oracle_calls,
        "epsilon": certified_epsilon(method, cell, mode),
    }


def _name(method: Method, mode: Mode, size: tuple[int, int]) -> str:
    return f"{mode} {method.name} {size[0]} {size[1]}"


def parts(shape: Shape) -> tuple[Part, ...]:
    """One for each cell, algorithm and mode."""
    return tuple(
        Part(_name(method, mode, size), partial(runs, method, mode, size, shape))
        for size in shape.cells
        for method in (SFW, TOFW)
        for mode in MODES
    )


def report(shape: Shape, found: Mapping[str, Found]) -> Report:
    """The last SubOpt, the time and the gradients of each, and the curves over time."""
    rows, panels, said = [], [], []
    for size in shape.cells:
        for mode in MODES:
            lines, slow, fewer = [], {}, {}
            for method in (SFW, TOFW):
                part = found[_name(method, mode, size)]
                taken, last = spread(part["seconds"]), spread([path[-1] for path in part["paths"]])
                slow[method.name], fewer[method.name] = taken.mean, part["gradients"]
                spent = certified_text(part["epsilon"])
                rows.append((str(size[0]), str(size[1]), mode, method.name, spent, f"{part['scale']:g}", str(last),
                             f"{1000 * taken.mean:.3g}", str(part["gradients"])))  # fmt: skip
                columns = [list(column) for column in zip(*part["paths"], strict=True)]
                lines.append(
                    curve(
                        f"{method.name} (certified ε {spent})",
                        list(np.linspace(0, 1000 * taken.mean, len(columns))),
                        columns,
                    )
                )
            title = f"T = {size[0]}, d = {size[1]}, {mode}"
            panels.append(Panel(title, "milliseconds", "SubOpt", tuple(lines), ("linear", "log")))
            ratios = (slow[TOFW.name] / slow[SFW.name], fewer[TOFW.name] / fewer[SFW.name])
            said.append(f"{title}: {ratios[0]:.2g} times the time and {ratios[1]:.2g} times the gradients")
    heads = ("T", "d", "noise", "algorithm", "certified ε", "best scale", "last SubOpt", "ms", "gradients")
    return Report(Table(heads, tuple(rows)), tuple(panels), f"DP-TOFW takes, at {'; '.join(said)}.", (CLOCK, CERTIFIED))


FIGURE_5_3: Final = Experiment[Shape](
    name="private-online-frank-wolfe/figure-5.3",
    title="SubOpt against time",
    printed="SubOpt against wall-clock time, p = 1.5, best scale each: T = 1000, d = 5 and T = 2000, d = 10.",
    stands_in="The regression of table-5.1 and the compiled kernels, as published and with a noise that is private.",
    shapes={
        "quick": Shape(((1000, 5),), 3),
        "default": Shape(((1000, 5), (2000, 10)), 15),
        "full": Shape(((1000, 5), (2000, 10)), 50),
    },
    takes={"quick": "30 seconds", "default": "a minute", "full": "two minutes"},
    parts=parts,
    report=report,
)
