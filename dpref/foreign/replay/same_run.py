"""Whether somebody else's run on the tape is the reference's: the first step and quantity that differ, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dpref.checks import one_of
from dpref.errors import InvalidArgumentError
from dpref.foreign.replay.guess import guesses
from dpref.foreign.replay.recording import DTYPES, QUANTITIES, Conventions, ForeignRun, Recording, Run, Step
from dpref.foreign.replay.tolerance import Expected, expected
from dpref.reals import FloatArray

Mode = Literal["global", "local"]


class RunsDifferError(AssertionError):
    """Two runs on one tape differ.

    Attributes:
        step: The first step that differs, counted from zero.
        quantity: Its first quantity that does, in the order indices, query, noise, answer, iterate.
        guesses: What the difference looks like.
    """

    def __init__(self, message: str, step: int, quantity: str, said: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.step: int = step
        self.quantity: str = quantity
        self.guesses: tuple[str, ...] = said


@dataclass(frozen=True)
class Agreement:
    """What was compared, when nothing differed.

    Attributes:
        steps: How many steps.
        quantities: Which quantities of at least one of them.
        worst: The largest distance, in units of its tolerance.
        largest: The largest distance.
    """

    steps: int
    quantities: tuple[str, ...]
    worst: float
    largest: float


def assert_same_run(
    reference: Recording,
    run: Run,
    *,
    mode: Mode = "global",
    dtype: str | None = None,
    tolerance: float | None = None,
) -> Agreement:
    """Compare somebody else's run on the reference's tape with the reference, step by step.

    Args:
        reference: From `record`, or read from a file.
        run: Steps, a `ForeignRun`, or the iterates alone, shape (T, d).
        mode: ``"global"`` compares with the reference's own run, ``"local"`` each step with what the reference does
            from the iterate that the other run had reached.
        dtype: In which the other side computes: ``"float64"`` or ``"float32"``; by default what its conventions say.
        tolerance: Instead of what the ball run proves, a bound on every difference.

    Returns:
        What was compared.

    Raises:
        RunsDifferError: At the first quantity beyond its tolerance; an `AssertionError`.
        InvalidArgumentError: If there is nothing to compare, or the run amplifies rounding so much that the proved
            tolerance says nothing (compare in the mode ``"local"`` then).

    >>> from dpref.foreign.replay.recording import example
    >>> one = example()
    >>> assert_same_run(one, np.array(one.iterates)).steps
    3
    """
    one_of("mode", mode, ("global", "local"))
    given = _as_run(run)
    _counted(reference, given.steps)
    foreign = translated(reference, given)
    dtype = foreign.conventions.dtype if dtype is None else dtype
    one_of("dtype", dtype, DTYPES)
    steps = foreign.steps
    own = _iterates(steps) if mode == "local" else None
    slack = foreign.conventions.clip_slack
    values = expected(reference, dtype, slack, iterates=own)
    if tolerance is not None:
        values = [{k: Expected(e.value, np.full(e.value.shape, tolerance)) for k, e in step.items()} for step in values]
    found = _Comparison(reference, dtype)
    for t, step in enumerate(steps):
        found.compare(t, step, values[t])
    if found.compared == 0:
        raise InvalidArgumentError("run", run, "has no quantity that could be compared: give iterates, or answers")
    if foreign.unread:
        raise RunsDifferError(f"{foreign.unread} draws of the tape were never read", len(steps) - 1, "noise")
    return Agreement(len(steps), tuple(q for q in QUANTITIES if q in found.seen), found.worst, found.largest)


def translated(reference: Recording, run: ForeignRun) -> ForeignRun:
    """A run in the units of the reference: sums divided by the size of a step's batch, or means multiplied by it.

    Args:
        reference: Whose units are wanted.
        run: Whose conventions say in which units it speaks.
    """
    own, wanted = run.conventions.gradient, reference.conventions.gradient
    if own == wanted:
        return run

    def scaled(t: int, x: FloatArray | None) -> FloatArray | None:
        if x is None:
            return None
        return x / reference.divisor(t) if own == "sum" else x * reference.divisor(t)

    steps = tuple(
        replace(s, query=scaled(t, s.query), noise=scaled(t, s.noise), answer=scaled(t, s.answer))
        for t, s in enumerate(run.steps)
    )
    return replace(run, steps=steps)


class _Comparison:
    """What has agreed so far."""

    def __init__(self, reference: Recording, dtype: str) -> None:
        self._reference, self._dtype = reference, dtype
        self.compared, self.seen, self.worst, self.largest = 0, set[str](), 0.0, 0.0
        self._agreed: list[str] = []

    def compare(self, t: int, step: Step, values: dict[str, Expected]) -> None:
        self._agreed = []
        if step.indices is not None and self._reference.transcript.indices:
            self._indices(t, step.indices)
        for quantity in ("query", "noise", "answer", "iterate"):
            given = getattr(step, quantity)
            if given is None:
                continue
            if quantity not in values:
                rule = "the recording has no tolerance for it: record() the run again, or leave it out"
                raise InvalidArgumentError("run", f"{quantity} of step {t}", rule)
            self._one(t, quantity, np.asarray(given, dtype=np.float64).ravel(), values[quantity])

    def _indices(self, t: int, indices: tuple[int, ...]) -> None:
        recorded, whole = self._reference.batch(t), range(self._reference.records)
        full = not recorded and sorted(indices) == list(whole)  # a step that draws nothing has every record
        if sorted(indices) != sorted(recorded) and not full:
            self._differ(t, "indices", f"are {list(indices)}, the reference's are {list(recorded)}", ())
        self._agreed.append("indices")
        self.seen.add("indices")

    def _one(self, t: int, quantity: str, foreign: FloatArray, value: Expected) -> None:
        wanted, tolerance = value.value.ravel(), value.tolerance.ravel()
        if foreign.shape != wanted.shape:
            self._differ(t, quantity, f"has {foreign.size} coordinates, the reference has {wanted.size}", ())
        distance = np.abs(foreign - wanted)
        beyond = ~(distance <= tolerance)
        if beyond.any():
            allowed = float(tolerance[beyond].max())
            what = (
                f"differs in {beyond.sum()} of {beyond.size} coordinates,"
                f" largest |difference| {float(np.max(distance)):.3g} (tolerance {allowed:.2g})"
            )
            flat = Expected(wanted, tolerance)
            said = dict.fromkeys(guesses(self._reference, t, quantity, foreign, flat, self._dtype))
            self._differ(t, quantity, what, tuple(said))
        if value.amplified:
            rule = f"at step {t} the proved tolerance of the {quantity}, {float(tolerance.max()):.2g}, says nothing"
            raise InvalidArgumentError(
                "mode", "global", f'{rule}: the run amplifies rounding; compare with mode="local"'
            )
        self.compared += 1
        self.seen.add(quantity)
        self._agreed.append(quantity)
        self.largest = max(self.largest, float(distance.max(initial=0.0)))
        known = tolerance > 0
        self.worst = max(self.worst, float((distance[known] / tolerance[known]).max(initial=0.0)))

    def _differ(self, t: int, quantity: str, what: str, said: tuple[str, ...]) -> None:
        lines = [f"step {t} of {self._reference.steps}, {quantity}: {what}", *(f"  {line}" for line in said)]
        before = [f"steps 0-{t - 1} agree to {self.largest:.2g}"] if t else []
        agree = "agrees" if len(self._agreed) == 1 else "agree"
        here = [f"{' and '.join(self._agreed)} of step {t} {agree}"] if self._agreed else []
        if before or here:
            lines.append("  " + "; ".join(before + here))
        raise RunsDifferError("\n".join(lines), t, quantity, said)


def _as_run(run: Run) -> ForeignRun:
    if isinstance(run, ForeignRun):
        return run
    given: Sequence[Any] = list(run)
    steps = (x if isinstance(x, Step) else Step(iterate=np.asarray(x, dtype=np.float64).ravel()) for x in given)
    return ForeignRun(steps=tuple(steps), conventions=Conventions())


def _counted(reference: Recording, steps: Sequence[Step]) -> None:
    if len(steps) != reference.steps:
        here = min(len(steps), reference.steps)
        raise RunsDifferError(f"{len(steps)} steps, the reference has {reference.steps}", here, "steps")
    if not reference.iterates and any(step.iterate is not None for step in steps[:-1]):
        rule = f"{reference.algorithm} has no iterate after each answer: give only the last one, its output"
        raise InvalidArgumentError("run", "iterates", rule)


def _iterates(steps: Sequence[Step]) -> tuple[FloatArray, ...]:
    found = [step.iterate for step in steps if step.iterate is not None]
    if len(found) < len(steps):
        raise InvalidArgumentError("mode", "local", "needs the iterate of every step")
    return tuple(np.asarray(x, dtype=np.float64).ravel() for x in found)
