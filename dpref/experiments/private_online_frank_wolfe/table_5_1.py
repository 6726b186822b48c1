"""Table 5.1: risks of DP-TOFW, NoisySFW and NoisySGD, as published and with a noise that is private."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

from dpref.experiments.experiment import Experiment, Found, Panel, Part, Report, Table, curve, spread
from dpref.experiments.private_online_frank_wolfe.methods import (
    MODES,
    SFW,
    SGD,
    TOFW,
    Method,
    Mode,
    best,
    certified_epsilon,
    certified_text,
)
from dpref.experiments.private_online_frank_wolfe.printed import TABLE_5_1 as PRINTED
from dpref.experiments.private_online_frank_wolfe.regression import TableCell

NOT_RUN: Final = "not run"
LATE: Final = 2000  # beyond this horizon the NoisySGD rows fit the same parameter as the others
INFERENCE: Final = (
    "An inference, not a finding: with common constants (beta, L) = (1, 4) the published DP-TOFW and NoisySFW rows are "
    "matched with the printed Gamma scale 2 sigma_+ (E-2) and not with 2 sigma_+^2. Which code made the table, with "
    "which constants, is not known; the DP-TOFW rows alone would also fit a right sampler with constants about 35 "
    "times too small."
)
UNBOUNDED: Final = (
    "As published no gradient is clipped and labels are Gaussian, so that no bound L holds: the epsilon in that column "
    "is that of the noise if the bounds held; '-' where the printed norm has no theorem (E-1). The best scale is that "
    "of the least risk on the test set, as in the paper: no epsilon pays for that (E-23)."
)
FITTED: Final = (
    "For p = inf the paper does not say what its sampler's slip makes of the plain Gaussian there. Of two readings, "
    "sqrt(sigma_+) over d^(1/2) and over d^(1/4), the second was taken after the first had missed one published cell "
    "(d = 10): the agreement of the DP-TOFW rows at p = inf, and the epsilon certified for them, are fitted."
)
OTHER_PROBLEM: Final = (
    "The printed NoisySGD rows with T <= 2000 fit a parameter with five entries and are run on that, as published; "
    "they are not comparable with the DP-TOFW rows beside them. LocalMD has no numbers in the paper."
)


class Shape(NamedTuple):
    """What is computed."""

    horizons: tuple[int, ...]
    dimensions: tuple[int, ...]
    seeds: int
    longest_sgd: int  # the longest horizon at which NoisySGD is run
    sgd_certified: bool  # whether its epsilon is, which takes a minute each


def rows(shape: Shape) -> list[tuple[int, int, str, Method]]:
    """The rows of the table, in its order.

    Args:
        shape: What is computed.

    >>> [method.name for *_, method in rows(Shape((1000,), (5,), 1, 0, False))]
    ['NoisySFW', 'DP-TOFW', 'NoisySGD', 'DP-TOFW']
    """
    kinds = (("1.5", SFW), ("1.5", TOFW), ("inf", SGD), ("inf", TOFW))
    return [(n, d, p, method) for n in shape.horizons for d in shape.dimensions for p, method in kinds]


def cell_of(horizon: int, dimension: int, p: str, method: Method, mode: Mode) -> TableCell:
    """The problem of a row.

    Args:
        horizon: T.
        dimension: d.
        p: Of the set.
        method: Which.
        mode: As published or private.

    >>> cell_of(1000, 20, "inf", SGD, "published").support, cell_of(1000, 20, "inf", SGD, "private").support
    (5, 20)
    """
    other = method is SGD and mode == "published" and horizon <= LATE
    return TableCell(horizon, dimension, p, 5 if other else dimension)


def runs(row: tuple[int, int, str, Method], mode: Mode, shape: Shape) -> Found:
    """One row in one mode: the best scale's risks, and the epsilon of its noise."""
    cell, method = cell_of(*row, mode), row[-1]
    asked = method is not SGD or shape.sgd_certified
    return best(method, cell, mode, shape.seeds) | {"epsilon": certified_epsilon(method, cell, mode) if asked else None}


def key(row: tuple[int, int, str, Method], mode: Mode) -> str:
    """The name of a part."""
    return f"{mode} {row[0]} {row[1]} {row[2]} {row[3].name}"


def parts(shape: Shape) -> tuple[Part, ...]:
    """One for each row and mode; NoisySGD at short horizons alone."""
    done = [row for row in rows(shape) if row[-1] is not SGD or row[0] <= shape.longest_sgd]
    return tuple(Part(key(row, mode), partial(runs, row, mode, shape)) for row in done for mode in MODES)


def report(shape: Shape, found: Mapping[str, Found]) -> Report:
    """Risks beside the printed ones, the certified epsilon of each, and which of two methods is ahead."""
    made = [_line(row, [found.get(key(row, mode)) for mode in MODES]) for row in rows(shape)]
    heads = (
        "T", "d", "p", "algorithm", "printed risk", "printed SubOpt", "risk, as published", "SubOpt", "certified ε",
        "risk, private", "SubOpt", "certified ε",
    )  # fmt: skip
    notes = (INFERENCE, UNBOUNDED, FITTED, OTHER_PROBLEM)
    return Report(Table(heads, tuple(made)), _panels(shape, found), _sentence(shape, found), notes)


def _line(row: tuple[int, int, str, Method], here: list[Found | None]) -> tuple[str, ...]:
    printed = PRINTED.get((*row[:3], row[3].name))
    cells = ["-", "-"]
    if printed is not None:
        cells = [f"{printed.risk:.3g} ± {printed.risk_deviation:.2g}",
                 f"{printed.subopt:.3g} ± {printed.subopt_deviation:.2g}"]  # fmt: skip
    for part in here:
        if part is None:
            cells += [NOT_RUN, NOT_RUN, NOT_RUN]
            continue
        cells += [str(spread(part["risk"])), str(spread(part["subopt"])), certified_text(part["epsilon"])]
    return (str(row[0]), str(row[1]), row[2], row[3].name, *cells)


def _panels(shape: Shape, found: Mapping[str, Found]) -> tuple[Panel, ...]:
    panels = []
    for d in shape.dimensions:
        lines = []
        for mode in MODES:
            for method in (TOFW, SFW):
                samples = [found[key((n, d, "1.5", method), mode)]["subopt"] for n in shape.horizons]
                lines.append(curve(f"{method.name}, {mode}", shape.horizons, samples, dashed=mode == "published"))
        panels.append(Panel(f"p = 1.5, d = {d}", "T", "SubOpt", tuple(lines), ("log", "log")))
    return tuple(panels)


def _sentence(shape: Shape, found: Mapping[str, Found]) -> str:
    near = total = 0
    ahead = dict.fromkeys(MODES, 0)
    pairs = [(n, d) for n in shape.horizons for d in shape.dimensions]
    for row in rows(shape):
        printed, part = PRINTED.get((*row[:3], row[3].name)), found.get(key(row, "published"))
        if printed is not None and part is not None and row[3] is not SGD:
            total += 1
            near += abs(spread(part["risk"]).mean - printed.risk) <= 2 * printed.risk_deviation
    for mode in MODES:
        for n, d in pairs:
            risks = [spread(found[key((n, d, "1.5", method), mode)]["risk"]).mean for method in (TOFW, SFW)]
            ahead[mode] += risks[0] < risks[1]
    return (
        f"As published, {near} of {total} risks of DP-TOFW and NoisySFW lie within two of the table's standard "
        f"deviations. At p = 1.5 DP-TOFW has the lower risk in {ahead['published']} of {len(pairs)} cells as "
        f"published, and in {ahead['private']} with a noise that is private."
    )


TABLE_5_1: Final = Experiment[Shape](
    name="private-online-frank-wolfe/table-5.1",
    title="risks of DP-TOFW and its baselines on a regression, as published and private",
    printed=(
        "Linear regression on normalised Gaussian contexts, T from 1000 to 10000, d = 5, 10, 20, an l_p ball of radius "
        "2 with p = 1.5 and infinity, (1, 1/T)-DP, 10 seeds, the best of several step scales."
    ),
    stands_in=(
        "What the text leaves open is what the table shows: label noise 0.05, a parameter with equal entries, "
        "(beta, L) = (1, 4), grids of the public code. Beside it the same with gradients clipped at L = 1 (beta = 2), "
        "the repaired noise and a wider grid."
    ),
    shapes={
        "quick": Shape((1000,), (5, 10), 3, 0, sgd_certified=False),
        "default": Shape((1000, 2000, 5000, 10_000), (5, 10, 20), 15, 2000, sgd_certified=True),
        "full": Shape((1000, 2000, 5000, 10_000), (5, 10, 20), 10, 10_000, sgd_certified=True),
    },
    takes={"quick": "40 seconds", "default": "20 minutes", "full": "half a day"},
    parts=parts,
    report=report,
)
