"""Time of every registered algorithm: compiled kernel, reference loop, and what a kernel cannot or should not beat.

All are measured in one run on one core and one thread, and shown side by side. The reference is recorded once; the
kernel then runs on the recorded tape, so that both do the same work. A per-record gradient has to read its record at
least once: ``pass`` is the time in which numpy adds up as many bytes as all gradients of the run read. Where a kernel
asks for the gradient of all records of a linear predictor, two baselines compute as many such gradients
(`dpref.bench.baselines`), and the losses of as many points where it compares some: ``BLAS``, and ``loop``, the faster
of two blocked loops. Times are the process's own (what other processes take of the core is not counted), and all but
the reference take turns, so that they meet the same load.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from types import FunctionType
from typing import Any, Final, NamedTuple, final

import numpy as np

from dpref.algorithms.declaration import AnyAlgorithm, numbers_of
from dpref.algorithms.registry import ALGORITHMS
from dpref.bench.baselines import by_blocks, by_products, slopes_by_blocks, slopes_by_products
from dpref.bench.instances import MEMORY, instance, kind_of, records_within
from dpref.checks import natural
from dpref.crosscheck.compare import duration
from dpref.curator import RecordingCurator
from dpref.kernels.gradients import mean_gradient
from dpref.kernels.records import Linear, Tape
from dpref.kernels.values import mean_slopes
from dpref.reals import FloatArray
from dpref.units import ReplaceOne

DIMENSIONS: Final = (10, 100, 1000)
_PATIENCE: Final = 5.0  # seconds after which three turns are enough
_TICK: Final = 1e-3  # seconds that are surely told from none
SPEED_UP: Final = 20.0  # a kernel is at least so many times faster than its reference,
PASSES: Final = 2.0  # or at most so many times slower than one pass over memory per gradient;
_READERS: Final[dict[str, Callable[..., Any]]] = {"mean_gradient": mean_gradient, "mean_slopes": mean_slopes}
BEST: Final = 1.3  # and where it asks for full gradients, at most so many times slower than the better baseline


@final
@dataclass(frozen=True)
class Line:
    """One algorithm's times, in seconds of the processor.

    Attributes:
        algorithm: Its name.
        dimension: Of the instance.
        records: Of the instance.
        answers: Answers of the run.
        gradients: Per-record gradients of the run.
        reference: The reference loop.
        kernel: The compiled kernel on the same tape, median.
        passes: One pass over memory per gradient.
        blas: As many full gradients by matrix products; None where a run asks for others.
        loop: As many by the faster of two blocked loops; None where a run asks for others.
    """

    algorithm: str
    dimension: int
    records: int
    answers: int
    gradients: int
    reference: float
    kernel: float
    passes: float
    blas: float | None = None
    loop: float | None = None

    @property
    def speed_up(self) -> float:
        """Reference over kernel."""
        return self.reference / self.kernel

    @property
    def over_memory(self) -> float | None:
        """Kernel over passes; None of a run that reads no gradient, because its plan does nothing at this n."""
        return self.kernel / self.passes if self.gradients else None

    @property
    def fast(self) -> bool | None:
        """Whether one of the first two bars is met; None of a run that reads no gradient."""
        return None if self.over_memory is None else self.speed_up >= SPEED_UP or self.over_memory <= PASSES

    @property
    def over_best(self) -> float | None:
        """Kernel over the better baseline, where there are two and something to read."""
        if not self.gradients or self.blas is None or self.loop is None:
            return None
        return self.kernel / min(self.blas, self.loop)


def in_turn(functions: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """Median processor seconds of functions that take turns ``repeat`` times, or three times where that is slow.

    What is over in less than the clock can tell is run again until a millisecond has gone by.

    >>> in_turn([lambda: None], 1)[0] > 0
    True
    """
    seconds: list[list[float]] = [[] for _ in functions]
    for turn in range(repeat):
        if turn >= 3 and sum(map(sum, seconds)) > _PATIENCE:
            break
        for run, taken in zip(functions, seconds, strict=True):
            begun, spent, times = time.process_time(), 0.0, 0
            while spent < _TICK:
                run()
                spent, times = time.process_time() - begun, times + 1
            taken.append(spent / times)
    return [statistics.median(taken) for taken in seconds]


class Asked(NamedTuple):
    """What a run asks of all records of a linear predictor.

    Attributes:
        gradients: How often their gradients.
        slopes: The arguments of each comparison of points by their losses.
    """

    gradients: int
    slopes: tuple[tuple[Any, ...], ...]


def full_gradients(algorithm: AnyAlgorithm, problem: Any, data: Any, plan: Any, noise: FloatArray) -> Asked | None:
    """How often a run asks all records of a linear predictor for their gradients, or None if it asks otherwise.

    Counted on the kernel's own text.  A plan that samples its gradients counts them itself.

    Args:
        algorithm: A registered algorithm.
        problem: The public problem.
        data: The private records.
        plan: The plan of the run.
        noise: Its tape.
    """
    run = algorithm.kernel.run
    if hasattr(plan, "oracle_calls") or not _asks(run, "mean_gradient"):
        return None
    calls: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _READERS}
    tape = Tape(noise, np.empty((0, *noise.shape[1:])), np.empty(0, dtype=np.int64))
    _counting(run, calls)(problem.arrays(data), numbers_of(algorithm, plan), tape)
    return Asked(len(calls["mean_gradient"]), tuple(calls["mean_slopes"]))


def _asks(function: Any, reader: str) -> bool:
    """Whether a compiled function calls another of that name, by itself or by what it calls."""
    text = getattr(function, "py_func", None)
    if text is None:
        return False
    return any(name == reader or _asks(text.__globals__.get(name), reader) for name in text.__code__.co_names)


def _counting(function: Any, calls: dict[str, list[tuple[Any, ...]]]) -> Callable[..., Any]:
    """The text of a function in which the readers of all records note with what they are called."""
    text = function.py_func
    scope = dict(text.__globals__)

    def noting(name: str) -> Callable[..., Any]:
        def noted(*arguments: Any) -> Any:
            calls[name].append(arguments)
            return _READERS[name](*arguments)

        return noted

    for name in text.__code__.co_names:
        if name in _READERS:
            scope[name] = noting(name)
        elif any(_asks(scope.get(name), reader) for reader in _READERS):
            scope[name] = _counting(scope[name], calls)
    return FunctionType(text.__code__, scope)


def measure(algorithm: AnyAlgorithm, n: int, d: int, repeat: int) -> Line:
    """Time one algorithm on its first example.

    Args:
        algorithm: A registered algorithm.
        n: Records.
        d: Dimension.
        repeat: Repetitions of all but the reference, of which the median counts.

    >>> line = measure(ALGORITHMS["gradient-descent"], 1000, 5, 1)
    >>> line.answers, line.gradients
    (5, 5000)
    """
    natural("repeat", repeat)
    problem, data, read, rows = instance(kind_of(algorithm), n, d)
    plan = algorithm.plan(problem, algorithm.examples(problem, ReplaceOne)[0])
    with one_core():
        curator: Any = RecordingCurator(read, plan.sensitivity.adjacency, np.random.default_rng(0))
        begun = time.process_time()
        algorithm.run(problem, plan, curator)
        reference = time.process_time() - begun
        transcript = curator.transcript
        tape = transcript.noise(), np.array(transcript.indices, dtype=np.int64)
        arrays, flat = problem.arrays(data), rows.reshape(-1)
        trace = algorithm.trace(problem, data, plan, *tape)  # compiles
        functions: list[Callable[[], object]] = [
            lambda: algorithm.trace(problem, data, plan, *tape),
            lambda: np.add.reduce(flat),
        ]
        asked = full_gradients(algorithm, problem, data, plan, tape[0])
        if asked is not None:
            functions += _baselines(arrays, trace.points[-1], asked)
        kernel, whole, *others = in_turn(functions, repeat)
    gradients = plan.oracle_calls if asked is None else asked.gradients * len(rows)
    return Line(
        algorithm.name, d, len(rows), len(transcript.answers), gradients, reference, kernel,
        passes=gradients * whole / len(rows), blas=others[0] if others else None, loop=min(others[1:], default=None),
    )  # fmt: skip


def _baselines(arrays: Linear, theta: FloatArray, asked: Asked) -> list[Callable[[], object]]:
    """As many gradients and comparisons by matrix products, and by both blocked loops, which are compiled here."""

    def products() -> None:
        by_products(arrays, theta, asked.gradients)
        for compared in asked.slopes:
            slopes_by_products(*compared)

    def loop(*, together: bool) -> None:
        by_blocks(arrays, theta, asked.gradients, together=together)
        for compared in asked.slopes:
            slopes_by_blocks(*compared)

    for compared in asked.slopes:
        slopes_by_blocks(*compared)
    by_blocks(arrays, theta, 1, together=True)
    return [products, partial(loop, together=True), partial(loop, together=False)]


def benchmark(n: int | None, d: int, repeat: int, advance: Callable[[str], None] = lambda name: None) -> list[Line]:
    """Every registered algorithm, in the registry's order.

    Args:
        n: Records, or None for as many as fit into `MEMORY`.
        d: Dimension.
        repeat: Repetitions.
        advance: Called with a name before each algorithm.
    """
    lines = []
    for name, algorithm in ALGORITHMS.items():
        advance(name)
        size = records_within(MEMORY, d, kind_of(algorithm).most) if n is None else n
        lines.append(measure(algorithm, size, d, repeat))
    return lines


HEADS: Final = (
    "algorithm", "records", "answers", "gradients", "reference", "kernel", "speed-up", "pass", "kernel / pass", "fast",
    "BLAS", "loop", "kernel / best", f"at most {BEST}",
)  # fmt: skip


def texts(line: Line) -> tuple[str, ...]:
    """A line of the table.

    >>> texts(Line("x", 9, 100, 5, 500, 2.0, 0.05, 0.04))[4:]
    ('2 s', '50 ms', '40', '40 ms', '1.2', 'yes', '-', '-', '-', '-')
    >>> texts(Line("x", 9, 100, 5, 500, 2.0, 0.05, 0.04, 0.05, 0.04))[10:]
    ('50 ms', '40 ms', '1.25', 'yes')
    """
    bars, baselines = ("-",) * 2, ("-",) * 4
    if line.over_memory is not None:
        bars = f"{line.over_memory:.1f}", "yes" if line.fast else "no"
    if line.blas is not None and line.loop is not None and line.over_best is not None:
        times = duration(line.blas), duration(line.loop)
        baselines = (*times, f"{line.over_best:.2f}", "yes" if line.over_best <= BEST else "no")
    return (
        line.algorithm, str(line.records), str(line.answers), str(line.gradients), duration(line.reference),
        duration(line.kernel), f"{line.speed_up:.0f}", duration(line.passes), *bars, *baselines,
    )  # fmt: skip


def to_json(lines: list[Line]) -> list[dict[str, Any]]:
    """The table as JSON, times in seconds."""
    return [{**asdict(line), "fast": line.fast, "over_best": line.over_best} for line in lines]


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
