"""Time of many runs of DP-GD, as an audit draws them: ours, and batched BLAS with a link function, side by side.

The runs are those of the breast-cancer data, 569 records in 30 dimensions, 50 steps; all work on the same tapes, and in
turn.  The baseline takes as many runs at once and does nothing but the mathematics of a step: two matrix products, and
the slope of the logistic loss by whichever of two formulas is faster, ``exp`` or ``tanh``.  Noise is drawn beforehand
for both, and timed by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple, final

import numpy as np

from dpref.algorithms.gradient_descent import ALGORITHM, Params
from dpref.audit.many_descents import outputs
from dpref.audit.many_gradients import LANES
from dpref.bench.algorithms import in_turn, one_core
from dpref.checks import natural
from dpref.crosscheck.compare import duration
from dpref.problems.datasets import Dataset, breast_cancer
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

STEPS: Final = 50
AT_ONCE: Final = 4 * LANES
MOST: Final = 1.5  # times the baseline


class Subject(NamedTuple):
    """What is run.

    Attributes:
        problem: The public problem.
        data: The private records.
        plan: The numbers of the run.
    """

    problem: ERMProblem
    data: Dataset
    plan: Any


@final
@dataclass(frozen=True)
class Line:
    """Seconds of the processor a run.

    Attributes:
        ours: `dpref.audit.many_descents.outputs`.
        exp: Batched BLAS, with the link function by ``exp``.
        tanh: Batched BLAS, with the link function by ``tanh``.
        products: Its matrix products alone.
        noise: Drawing the noise of a run.
        apart: The largest difference of an output, ours against the baseline.
    """

    ours: float
    exp: float
    tanh: float
    products: float
    noise: float
    apart: float

    @property
    def over_baseline(self) -> float:
        """Ours over the faster baseline."""
        return self.ours / min(self.exp, self.tanh)


def subject() -> Subject:
    """DP-GD on the breast-cancer data, 50 steps.

    >>> (subject().data.features.shape, subject().plan.steps)
    ((569, 30), 50)
    """
    data = breast_cancer()
    problem = ERMProblem(Logistic(), n=data.n, dimension=data.dimension)
    return Subject(problem, data, ALGORITHM.plan(problem, Params(Fraction(1), Fraction(1, 10**5), STEPS, ReplaceOne)))


def by_exp(margins: FloatArray) -> None:
    r"""$\frac1{1+e^m}$, in place."""
    np.exp(margins, out=margins)
    margins += 1.0
    np.reciprocal(margins, out=margins)


def by_tanh(margins: FloatArray) -> None:
    r"""$\frac{1-\tanh(m/2)}2$, in place."""
    margins *= 0.5
    np.tanh(margins, out=margins)
    margins -= 1.0
    margins *= -0.5


def by_products(of: Subject, noise: FloatArray, link: Callable[[FloatArray], None] | None) -> FloatArray:
    """The outputs of all runs by batched BLAS, shape (runs, d).

    Args:
        of: What is run.
        noise: Standard normal draws, shape (runs, T, d).
        link: Turns margins into minus the slope of the loss, in place; None leaves them.
    """
    signed = of.data.features * of.data.labels[:, None]
    backward, forward = signed / of.problem.n, np.ascontiguousarray(signed.T)
    theta = np.tile(np.asarray(of.plan.start, dtype=np.float64), (len(noise), 1))
    margins = np.empty((len(noise), len(signed)))
    for t in range(of.plan.steps):
        np.matmul(theta, forward, out=margins)
        if link is not None:
            link(margins)
        theta += of.plan.step_size * (margins @ backward - of.plan.std * noise[:, t])
    return theta


def measure(repeat: int, runs: int = AT_ONCE) -> Line:
    """Time all of them on one core, in turn.

    Args:
        repeat: Repetitions, of which the median counts.
        runs: How many at once.
    """
    natural("repeat", repeat)
    of, rng = subject(), np.random.default_rng(0)
    shape = (natural("runs", runs), of.plan.steps, of.problem.dimension)
    noise = rng.standard_normal(shape)
    with one_core():
        mine = outputs(*of, noise)  # compiles
        apart = float(np.abs(mine - by_products(of, noise, by_exp)).max())
        functions: tuple[Callable[[], object], ...] = (
            lambda: outputs(*of, noise),
            lambda: by_products(of, noise, by_exp),
            lambda: by_products(of, noise, by_tanh),
            lambda: by_products(of, noise, None),
            lambda: rng.standard_normal(shape),
        )
        seconds = [taken / runs for taken in in_turn(functions, repeat)]
    ours, exp, tanh, products, drawing = seconds
    return Line(ours, exp, tanh, products, drawing, apart)


def drawn(runs: int, jobs: int) -> float:
    """Seconds of the clock in which so many runs are drawn and done, noise included.

    Args:
        runs: How many; in chunks, each with its own child of one seed.
        jobs: Number of threads.
    """
    of = subject()
    outputs(*of, np.zeros((1, of.plan.steps, of.problem.dimension)))  # compiles
    sizes = [min(AT_ONCE, natural("runs", runs) - first) for first in range(0, runs, AT_ONCE)]
    seeds = np.random.SeedSequence(0).spawn(len(sizes))

    def chunk(size: int, seed: np.random.SeedSequence) -> float:
        noise = np.random.default_rng(seed).standard_normal((size, of.plan.steps, of.problem.dimension))
        return float(outputs(*of, noise).sum())

    begun = time.perf_counter()
    with ThreadPoolExecutor(natural("jobs", jobs)) as pool:
        list(pool.map(chunk, sizes, seeds))
    return time.perf_counter() - begun


HEADS: Final = (
    "ours", "BLAS + exp", "BLAS + tanh", "products alone", "noise", "ours / baseline",
    f"at most {MOST}",
)  # fmt: skip


def texts(line: Line) -> tuple[str, ...]:
    """The line of the table.

    >>> texts(Line(3e-4, 4e-4, 5e-4, 1e-4, 6e-5, 1e-15))
    ('0.3 ms', '0.4 ms', '0.5 ms', '0.1 ms', '0.06 ms', '0.75', 'yes')
    """
    times = (line.ours, line.exp, line.tanh, line.products, line.noise)
    met = "yes" if line.over_baseline <= MOST else "no"
    return (*map(duration, times), f"{line.over_baseline:.2f}", met)
