r"""The algorithms of Table 5.1 on its regression, as published and with a noise that is private.

* As published: $\beta=1$, $L=4$ of the squared loss and no clipping, norm and sampler as printed.  For $p=\infty$ the
  paper prints a plain Gaussian; the slip of the sampler is taken there too, as one revision of the public code has it.
  NoisySGD releases its last point in a box of radius 1.
* Private: gradients clipped at $L=1$ with $\beta=2$, the repaired norm, sampler and sensitivities, noise by zCDP;
  NoisySGD with the printed noise.

The certified epsilon is that of the noise against the sensitivity that was declared for it.  As published nothing keeps
the gradients within L = 4: it says what would be spent if they were.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from dpref.algorithms import noisy_frank_wolfe, noisy_sgd, online_frank_wolfe
from dpref.algorithms.declaration import AnyAlgorithm, numbers_of
from dpref.algorithms.forms import Form
from dpref.algorithms.online_frank_wolfe.calibration import printed_level, printed_noise
from dpref.experiments.private_online_frank_wolfe.regression import RADIUS, TableCell, arrays, drawn, problem
from dpref.kernels.records import Tape
from dpref.mechanisms.generalized_gaussian import unit_draws
from dpref.privacy.accountants import certify
from dpref.privacy.events.ledger import Event, Gaussian, Ledger
from dpref.privacy.events.tree import tree_event
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray, decimal_up, exact
from dpref.units import ReplaceOne, lq

Mode = Literal["published", "private"]

MODES: Final[tuple[Mode, ...]] = ("published", "private")
EPSILON: Final = Fraction(1)
SMOOTHNESS, LIPSCHITZ = Fraction(1), Fraction(4)  # of the squared loss, as the public code has them
CLIP: Final = Fraction(1, 2)  # of the halved loss: L = 1 of the squared one
BLOCK: Final = 1 << 16  # steps of NoisySGD between draws
CERTIFIED: Final = (
    "The certified epsilon is an upper end at delta = 1/T under replace-one, of the noise at the largest scale of the "
    "step, for gradients within the declared bounds; as published nothing keeps them there, and '-' says that the "
    "printed norm has no theorem (E-1)."
)
LABELS: Final[dict[Mode, int]] = {"published": 0, "private": 1}

# The points along each scale's run, shape (k, d), of which the last is released.
Paths = Callable[[TableCell, Mode, tuple[Fraction, ...], int], Iterator[tuple[Fraction, FloatArray]]]


def budget(cell: TableCell) -> dict[str, Any]:
    """(1, 1/T) under replace-one.

    Args:
        cell: Of the table.
    """
    return {"epsilon": EPSILON, "delta": Fraction(1, cell.horizon), "adjacency": ReplaceOne}


def public(cell: TableCell, mode: Mode) -> StreamProblem:
    """The problem, with clipped gradients where that is what makes the noise valid.

    Args:
        cell: Of the table.
        mode: As published or private.
    """
    return problem(cell, CLIP if mode == "private" else None)


# ------------------------------------------------------------------------------------ the noise as published


def printed_std(cell: TableCell, sensitivity: Fraction, answers: int) -> float:
    r"""The factor before a unit draw for the halved loss: half of $\sqrt{\sigma_+}$, by the printed Gamma scale (E-2).

    Args:
        cell: Of the table.
        sensitivity: s, of an answer of the squared loss.
        answers: n in Eq. (3.2); 1 for Lemma 2.1.

    >>> round(printed_std(TableCell(1000, 20, "1.5", 20), Fraction(16), 1000), 2)  # sigma_+ = 1074
    16.38
    """
    of, d = problem(cell, None), cell.dimension
    delta = Fraction(1, cell.horizon)
    if of.dual < 2:
        level = printed_level(Fraction(d), sensitivity / 2, EPSILON, delta, answers) / math.sqrt(d)
        return math.sqrt(level) / 2
    _, kappa = printed_noise(of.dual, d, lq(of.dual), ())
    return math.sqrt(printed_level(kappa, sensitivity / 2, EPSILON, delta, answers)) / 2


def _planned(algorithm: AnyAlgorithm, cell: TableCell, mode: Mode, scale: Fraction) -> Any:
    """Frank-Wolfe's numbers by zCDP, or as printed."""
    how = {"calibration": "zcdp"} if mode == "private" else {"form": Form.AS_PRINTED}
    return algorithm.plan(public(cell, mode), algorithm.params(**budget(cell), step_scale=scale, **how))


def tofw_plan(cell: TableCell, mode: Mode, scale: Fraction) -> Any:
    """DP-TOFW's numbers.

    Args:
        cell: Of the table.
        mode: As published or private.
        scale: Of the step.
    """
    made = _planned(online_frank_wolfe.ALGORITHM, cell, mode, scale)
    moved = 2 * (SMOOTHNESS * 2 * RADIUS + LIPSCHITZ)
    return made if mode == "private" else replace(made, std=printed_std(cell, moved, cell.horizon))


def sfw_plan(cell: TableCell, mode: Mode, scale: Fraction) -> Any:
    """NoisySFW's numbers.

    Args:
        cell: Of the table.
        mode: As published or private.
        scale: Of the step.
    """
    made = _planned(noisy_frank_wolfe.ALGORITHM, cell, mode, scale)
    if mode == "private":
        return made
    later = 4 * SMOOTHNESS * 2 * RADIUS * exact(made.step_size / math.sqrt(cell.horizon))
    stds = [printed_std(cell, s, 1) for s in (4 * LIPSCHITZ / cell.horizon, later)]
    return replace(made, std=stds[0], difference_std=stds[1])


def sgd_plan(cell: TableCell, mode: Mode, scale: Fraction) -> Any:
    """NoisySGD's numbers, of its last point: as published for L = 4 in a box of radius 1.

    Args:
        cell: Of the table.
        mode: As published or private.
        scale: Of the step.
    """
    chosen = noisy_sgd.Params(**budget(cell), step_scale=scale, output="last")
    made = noisy_sgd.ALGORITHM.plan(problem(cell, CLIP), chosen)  # for L = 1 in a box of radius 2
    if mode == "private":
        return made
    ratio = float(LIPSCHITZ)
    return replace(made, std=made.std * ratio, step_size=made.step_size / ratio / 2, radius=Fraction(1))


# ------------------------------------------------------------------------------------ runs


def frank_wolfe(algorithm: Any, plan_of: Callable[[TableCell, Mode, Fraction], Any]) -> Paths:
    """Runs of DP-TOFW or NoisySFW: every scale on the same unit draws.

    Args:
        algorithm: Its declaration.
        plan_of: Its numbers.
    """

    def paths(
        cell: TableCell, mode: Mode, scales: tuple[Fraction, ...], seed: int
    ) -> Iterator[tuple[Fraction, FloatArray]]:
        records = arrays(public(cell, mode), drawn(cell, seed))
        noise: FloatArray | None = None
        for scale in scales:
            plan = plan_of(cell, mode, scale)
            if noise is None:
                rng = np.random.default_rng([seed, cell.horizon, cell.dimension, LABELS[mode], 1])
                noise = unit_draws(float(plan.index), plan.steps, cell.dimension, rng)
            tape = Tape(noise, np.empty((0, cell.dimension)), np.empty(0, dtype=np.int64))
            yield scale, algorithm.kernel.run(records, numbers_of(algorithm, plan), tape).points

    return paths


def sgd_paths(
    cell: TableCell, mode: Mode, scales: tuple[Fraction, ...], seed: int
) -> Iterator[tuple[Fraction, FloatArray]]:
    """Runs of NoisySGD: every scale on the same draws, a block of them at a time.

    Args:
        cell: Of the table.
        mode: As published or private.
        scales: Of the step.
        seed: Of data and draws.
    """
    from dpref.algorithms.noisy_sgd.kernel import advance  # noqa: PLC0415 - numba loads where it is asked for

    records = arrays(public(cell, mode), drawn(cell, seed))
    plans = [numbers_of(noisy_sgd.ALGORITHM, sgd_plan(cell, mode, scale)) for scale in scales]
    points = [plan.start.copy() for plan in plans]
    seen = [[w.copy()] for w in points]
    total, left = np.zeros(cell.dimension), plans[0].steps
    rng = np.random.default_rng([seed, cell.horizon, cell.dimension, LABELS[mode], 2])
    while left > 0:
        size = min(left, BLOCK)
        noise, indices = rng.standard_normal((size, cell.dimension)), rng.integers(cell.horizon, size=size)
        for plan, w, path in zip(plans, points, seen, strict=True):
            advance(records, plan, noise, indices, w, total)
            path.append(w.copy())
        left -= size
    yield from zip(scales, map(np.array, seen), strict=True)


class Method(NamedTuple):
    """An algorithm of the table.

    Attributes:
        name: In the table.
        plan: Its numbers.
        ledger: What they spend.
        paths: Its points, scale by scale.
        scales: The factors of its step among which the best is shown, by mode.
    """

    name: str
    plan: Callable[[TableCell, Mode, Fraction], Any]
    ledger: Callable[[Any], Ledger[Any]]
    paths: Paths
    scales: dict[Mode, tuple[Fraction, ...]]


def _hundredths(*scales: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(scale, 100) for scale in scales)


_BOX: Final = _hundredths(60, 70, 80, 100)
TOFW: Final = Method(
    "DP-TOFW",
    tofw_plan,
    online_frank_wolfe.ALGORITHM.ledger,
    frank_wolfe(online_frank_wolfe.ALGORITHM, tofw_plan),
    {"published": _hundredths(40, 60, 100), "private": _hundredths(5, 10, 20, 40, 60, 80, 100)},
)
SFW: Final = Method(
    "NoisySFW",
    sfw_plan,
    noisy_frank_wolfe.ALGORITHM.ledger,
    frank_wolfe(noisy_frank_wolfe.ALGORITHM, sfw_plan),
    {"published": _hundredths(1, 2, 4, 6, 8, 10), "private": _hundredths(2, 5, 10, 20, 40, 80)},
)
SGD: Final = Method(
    "NoisySGD",
    sgd_plan,
    noisy_sgd.ALGORITHM.ledger,
    sgd_paths,
    {"published": _hundredths(10, 40, 80, 100, 120, 200), "private": _hundredths(10, 40, 80, 100, 120, 200)},
)


def scales_of(method: Method, cell: TableCell, mode: Mode) -> tuple[Fraction, ...]:
    """The grid of a method: the public code's as published, a wider one where the noise is private.

    Args:
        method: Which.
        cell: Of the table; DP-TOFW has another grid in the box.
        mode: As published or private.

    >>> [float(scale) for scale in scales_of(TOFW, TableCell(1000, 5, "inf", 5), "published")]
    [0.6, 0.7, 0.8, 1.0]
    """
    return _BOX if method is TOFW and mode == "published" and cell.p == "inf" else method.scales[mode]


def best(method: Method, cell: TableCell, mode: Mode, seeds: int) -> dict[str, Any]:
    """The scale with the least mean risk, and what it gives, seed by seed.

    Args:
        method: Which.
        cell: Of the table.
        mode: As published or private.
        seeds: How many.
    """
    scales = scales_of(method, cell, mode)
    risks: dict[Fraction, list[float]] = {scale: [] for scale in scales}
    others: dict[Fraction, list[float]] = {scale: [] for scale in scales}
    for seed in range(seeds):
        data = drawn(cell, seed)
        for scale, path in method.paths(cell, mode, scales, seed):
            risks[scale].append(data.risk(path[-1]))
            others[scale].append(data.suboptimality(path[-1]))
    chosen = min(scales, key=lambda scale: float(np.mean(risks[scale])))
    return {"scale": float(chosen), "risk": risks[chosen], "subopt": others[chosen]}


def certified_epsilon(method: Method, cell: TableCell, mode: Mode) -> float | None:
    """What the noise certifiably spends at delta = 1/T, for gradients within the declared bounds; None without a bound.

    The scale of the step is 1, at which most is spent, or the largest of the grid.

    Args:
        method: Which.
        cell: Of the table.
        mode: As published or private.
    """
    # NoisySGD's multiplier is the same for every L.
    plan = method.plan(cell, "private" if method is SGD else mode, max(scales_of(method, cell, mode)))
    if mode == "private" or method is SGD:
        spent = method.ledger(plan)
    elif cell.p == "inf":
        moved = 2 * (SMOOTHNESS * 2 * RADIUS + LIPSCHITZ)
        event: Event = Gaussian(2 * exact(plan.std) / moved)
        spent = Ledger(tree_event(event, cell.horizon), ReplaceOne)
    else:
        return None  # the printed norm has no theorem (E-1)
    return certify(spent, delta=Fraction(1, cell.horizon)).upper


def certified_text(epsilon: float | None) -> str:
    """A certified upper end, rounded up; ``-`` where there is none.

    Args:
        epsilon: What `certified_epsilon` gives.

    >>> certified_text(0.12341), certified_text(None)
    ('0.1235', '-')
    """
    return "-" if epsilon is None else decimal_up(epsilon, 4)
