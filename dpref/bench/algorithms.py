"""Time of every registered algorithm: compiled kernel, reference loop, and one pass over memory per gradient.

All three are measured in one run on one core and shown side by side.  The reference is recorded once; the kernel then
runs on the recorded tape, so that both do the same work.  A per-record gradient has to read its record at least once:
``pass`` is the time in which numpy adds up as many bytes as all gradients of the run read.  Times are the process's own
(what other processes take of the core is not counted), and kernel and pass take turns, so that both meet the same load.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, TypeAlias, final

import numpy as np

from dpref.algorithms.adaptive_gradient_descent import plan as adaptive_gradient_descent_plan
from dpref.algorithms.bias_reduced_mirror_descent import plan as bias_reduced_mirror_descent_plan
from dpref.algorithms.dynamic_gradient_descent import plan as dynamic_gradient_descent_plan
from dpref.algorithms.dynamic_gradient_descent.schedules import Uniform
from dpref.algorithms.forms import Form
from dpref.algorithms.gradient_descent import plan as gradient_descent_plan
from dpref.algorithms.mirror_descent import plan as mirror_descent_plan
from dpref.algorithms.online_frank_wolfe import plan as online_frank_wolfe_plan
from dpref.algorithms.registry import ALGORITHMS
from dpref.algorithms.spider import plan as spider_plan
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.checks import natural
from dpref.crosscheck.compare import duration
from dpref.curator import RecordingCurator
from dpref.geometry.linear_minimization import LpBall
from dpref.mechanisms.truncated_geometric import draw_levels
from dpref.problems.datasets import synthetic
from dpref.problems.erm import ERMProblem
from dpref.problems.games import Game, sampled_game
from dpref.problems.losses import Logistic
from dpref.problems.stream import StreamProblem
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

RECORDS: Final = 100_000
DIMENSION: Final = 100
SPEED_UP: Final = 20.0  # a kernel is at least so many times faster than its reference,
PASSES: Final = 2.0  # or at most so many times slower than one pass over memory per gradient

_BUDGET: Final = Fraction(1)
_DELTA: Final = Fraction(1, 10**6)


@final
@dataclass(frozen=True, eq=False)
class Case:
    """An algorithm on an instance that is large enough to be timed.

    Attributes:
        problem: The public side.
        data: The data.
        params: What the user chooses.
        gradients: ``(plan, answers) -> per-record gradients`` of a run with that many answers.
        records: The array that gradients read, one record a row.
    """

    problem: Any
    data: Any
    params: Any
    gradients: Callable[[Any, int], int]
    records: FloatArray


Maker: TypeAlias = Callable[[int, int], Case]


def _counted(plan: Any, answers: int) -> int:
    calls: int = plan.oracle_calls
    return calls


def _erm(params: Any, passes: Callable[[int], int] | None = lambda answers: answers) -> Maker:
    """Logistic losses; ``passes`` over the data as a function of the answers, or what the plan counts."""

    def make(n: int, d: int) -> Case:
        data = synthetic(n, d, seed=0)
        gradients = _counted if passes is None else (lambda _, answers: n * passes(answers))
        return Case(ERMProblem(Logistic(), n=n, dimension=d), data, params, gradients, data.features)

    return make


def _stream(n: int, d: int) -> Case:
    problem = StreamProblem(Logistic(), n=n, dimension=d, domain=LpBall(Fraction(2), Fraction(1)))
    data = synthetic(n, d, seed=0)
    params = online_frank_wolfe_plan.Params(_BUDGET, _DELTA, ReplaceOne, calibration="zcdp")
    return Case(problem, data, params, _counted, data.features)


def _game(params: Any) -> Maker:
    """Bilinear games with about d payoffs a record."""

    def make(n: int, d: int) -> Case:
        side = max(2, round(d**0.5))
        data = sampled_game(n, np.zeros((side, side)), seed=0)
        return Case(Game(n=n, rows=side, columns=side), data, params, _counted, data.payoffs.reshape(n, -1))

    return make


_STEPS: Final = 5
_SVRG: Final = svrg_plan.Params(
    _BUDGET, _DELTA, 1, 2000, ReplaceOne, form=Form.AS_PRINTED, calibration="formula", constant=Fraction(16)
)
_LEVELS: Final = draw_levels(3, 64, np.random.default_rng(0))

CASES: Final[Mapping[str, Maker]] = MappingProxyType(
    {
        "gradient-descent": _erm(gradient_descent_plan.Params(_BUDGET, _DELTA, _STEPS, ReplaceOne)),
        "dynamic-gradient-descent": _erm(dynamic_gradient_descent_plan.Params(_BUDGET, _STEPS, Uniform(), ReplaceOne)),
        "svrg": _erm(_SVRG, None),
        "svrg-plus-plus": _erm(_SVRG, None),
        "adaptive-gradient-descent": _erm(
            adaptive_gradient_descent_plan.Params(_BUDGET, Fraction(1, 20), ReplaceOne, rounds=_STEPS),
            lambda answers: -(-answers // 2),
        ),
        "spider": _erm(spider_plan.Params(_BUDGET, Fraction(1, 20), Fraction(1, 256), Fraction(2), ReplaceOne)),
        "online-frank-wolfe": _stream,
        "mirror-descent": _game(mirror_descent_plan.Params(_BUDGET, _DELTA, 20, 20, ReplaceOne)),
        "bias-reduced-mirror-descent": _game(
            bias_reduced_mirror_descent_plan.Params(_BUDGET, _DELTA, Fraction(64), 3, Fraction(2), _LEVELS, ReplaceOne)
        ),
    }
)


@final
@dataclass(frozen=True)
class Line:
    """One algorithm's times, in seconds of the processor.

    Attributes:
        name: The algorithm.
        records: Records of the instance.
        answers: Answers of the run.
        gradients: Per-record gradients of the run.
        reference: The reference loop.
        kernel: The compiled kernel on the same tape, median.
        passes: One pass over memory per gradient.
    """

    name: str
    records: int
    answers: int
    gradients: int
    reference: float
    kernel: float
    passes: float

    @property
    def speed_up(self) -> float:
        """Reference over kernel."""
        return self.reference / self.kernel

    @property
    def over_memory(self) -> float:
        """Kernel over passes."""
        return self.kernel / self.passes

    @property
    def fast(self) -> bool:
        """Whether one of the two bars is met."""
        return self.speed_up >= SPEED_UP or self.over_memory <= PASSES


def in_turn(first: Callable[[], object], second: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Median processor seconds of two functions that take turns ``repeat`` times."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        for run, taken in zip((first, second), seconds, strict=True):
            begun = time.process_time()
            run()
            taken.append(time.process_time() - begun)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def measure(name: str, n: int, d: int, repeat: int) -> Line:
    """Time one algorithm.

    Args:
        name: In the registry.
        n: Records.
        d: Dimension.
        repeat: Repetitions of the kernel and of the pass, of which the median counts.

    >>> line = measure("gradient-descent", 1000, 5, 1)
    >>> line.answers, line.gradients
    (5, 5000)
    """
    natural("n", n, least=1000)
    natural("d", d)
    natural("repeat", repeat)
    algorithm, case = ALGORITHMS[name], CASES[name](n, d)
    plan = algorithm.plan(case.problem, case.params)
    records = case.problem.read(case.data)
    with one_core():
        curator = RecordingCurator(records, plan.sensitivity.adjacency, np.random.default_rng(0))
        begun = time.process_time()
        algorithm.run(case.problem, plan, curator)
        reference = time.process_time() - begun
        transcript = curator.transcript
        tape = (transcript.noise(), np.array(transcript.indices, dtype=np.int64))
        algorithm.kernel(case.problem, case.data, plan, *tape)  # compiles
        flat = case.records.reshape(-1)
        kernel, whole = in_turn(
            lambda: algorithm.kernel(case.problem, case.data, plan, *tape), lambda: np.add.reduce(flat), repeat
        )
    answers = len(transcript.answers)
    gradients = case.gradients(plan, answers)
    passes = gradients * whole / len(case.records)
    return Line(name, len(case.records), answers, gradients, reference, kernel, passes)


def benchmark(n: int, d: int, repeat: int, advance: Callable[[str], None] = lambda name: None) -> list[Line]:
    """Every registered algorithm, in the registry's order.

    Args:
        n: Records.
        d: Dimension.
        repeat: Repetitions.
        advance: Called with a name before each algorithm.
    """
    lines = []
    for name in ALGORITHMS:
        advance(name)
        lines.append(measure(name, n, d, repeat))
    return lines


HEADS: Final = (
    "algorithm", "records", "answers", "gradients", "reference", "kernel", "speed-up", "pass", "kernel / pass", "fast",
)  # fmt: skip


def texts(line: Line) -> tuple[str, ...]:
    """A line of the table.

    >>> texts(Line("x", 100, 5, 500, 2.0, 0.05, 0.04))
    ('x', '100', '5', '500', '2 s', '50 ms', '40', '40 ms', '1.2', 'yes')
    """
    return (
        line.name, str(line.records), str(line.answers), str(line.gradients), duration(line.reference),
        duration(line.kernel), f"{line.speed_up:.0f}", duration(line.passes), f"{line.over_memory:.1f}",
        "yes" if line.fast else "no",
    )  # fmt: skip


def to_json(lines: list[Line]) -> list[dict[str, Any]]:
    """The table as JSON, times in seconds."""
    return [
        {
            "algorithm": line.name, "records": line.records, "answers": line.answers, "gradients": line.gradients,
            "reference": line.reference, "kernel": line.kernel, "pass": line.passes, "fast": line.fast,
        }
        for line in lines
    ]  # fmt: skip


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core, where the system lets it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
