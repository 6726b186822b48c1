r"""What an honest implementation may differ by: the run is repeated on its tape in balls, whose radii are the answer.

The number system of the repetition (`dpref.enclosures`) holds what any floating-point evaluation of the formulas may
compute: sums in any order, every operation with an error of $4u$, functions of the mathematical library with $32u$.
Four roundings where a formula has one are room for another way to write it (a factor that is multiplied in instead of
divided by, $1/(1+e^s)$ for $(1-\tanh\frac s2)/2$).  $u=2^{-53}$ or $2^{-24}$; in single precision what enters, data and
draws, is rounded too.

Where the other side divides a gradient by (norm + s) before it cuts it at C, its factor is
$\min(1,\frac C{\|g\|+s})$.  For $\|g\|\le C$ the gradient moves by at most
$\|g\|\frac{\|g\|+s-C}{\|g\|+s}\le\frac{s\|g\|}{\|g\|+s}<s$, and for $\|g\|>C$ by $\frac{Cs}{\|g\|+s}<s$: a mean
moves by less than s, whatever C is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np
from flint import arb

from dpref.enclosures import enclosure_array
from dpref.errors import DprefError, InvalidArgumentError
from dpref.foreign.replay.recording import Recording, Source, memoryless, queried, replayed
from dpref.reals import Array, FloatArray, ball, exact, precision, upper
from dpref.transcript import Answer

ROOM: Final = 4.0
# The unit roundoff, and the least normal number: what is smaller is flushed to zero by many implementations.
SYSTEMS: Final = {"float64": (2.0**-53, 2.0**-1022), "float32": (2.0**-24, 2.0**-126)}
AMPLIFIED: Final = 1e-3
_BITS: Final = 160


@dataclass(frozen=True, eq=False)
class Expected:
    """What a quantity of one step should be, and by how much an honest implementation may miss it.

    Attributes:
        value: Shape (d,).
        tolerance: Shape (d,); infinite where nothing is proved.
    """

    value: FloatArray
    tolerance: FloatArray

    @property
    def amplified(self) -> bool:
        """Whether the tolerance says nothing any more: the run has amplified rounding beyond a thousandth."""
        return bool((self.tolerance > AMPLIFIED * (1 + np.linalg.norm(self.value))).any())


Steps = list[dict[str, Expected]]


def expected(
    recording: Recording,
    dtype: str = "float64",
    clip_slack: Fraction = Fraction(0),
    *,
    room: float = ROOM,
    iterates: tuple[FloatArray, ...] | None = None,
) -> Steps:
    """What each quantity of each step should be, with the tolerance that the ball run proves.

    Args:
        recording: The reference.
        dtype: In which the other implementation computes.
        clip_slack: What it adds to a norm before it divides by it.
        room: How many roundings it may make where the formula has one.
        iterates: Its own, from which each step of the reference then starts; None lets the reference go its own way.

    Raises:
        InvalidArgumentError: If the run cannot be repeated.

    >>> from dpref.foreign.replay.recording import example
    >>> last = expected(example())[-1]["iterate"]
    >>> bool(0 < last.tolerance.max() < 1e-14)
    True
    """
    if recording.source is None:
        return _from_file(recording, dtype, clip_slack, iterates)
    if iterates is None:
        return _once(recording, dtype, clip_slack, room)
    return _proved(recording, recording.source, dtype, clip_slack, room, iterates)


@lru_cache(maxsize=8)
def _once(recording: Recording, dtype: str, clip_slack: Fraction, room: float) -> Steps:
    """The run's own, which does not depend on who is compared with it."""
    source = recording.source
    return [] if source is None else _proved(recording, source, dtype, clip_slack, room, None)


def _proved(
    recording: Recording,
    source: Source,
    dtype: str,
    clip_slack: Fraction,
    room: float,
    iterates: tuple[FloatArray, ...] | None,
) -> Steps:
    unit, tiny = SYSTEMS[dtype]
    o = enclosure_array(room * unit, tiny, 0.0 if dtype == "float64" else unit)
    slack = None if clip_slack == 0 else o.lift(0.0) + arb(0, 1) * ball(clip_slack)
    with precision(_BITS):
        pairs = _repeated(recording, source, o, slack, iterates)
        return [
            _step(recording, t, query, iterate, o, own=iterates is not None) for t, (query, iterate) in enumerate(pairs)
        ]


def _repeated(
    recording: Recording, source: Source, o: Any, slack: Array | None, iterates: tuple[FloatArray, ...] | None
) -> list[tuple[Array | None, Array | None]]:
    """The queries and iterates of the ball run; what it cannot decide is None."""
    transcript, nothing = recording.transcript, [(None, None)] * recording.steps
    if iterates is not None and not (recording.iterates and memoryless(source)):
        rule = f"a step of {recording.algorithm} is not decided by the iterate alone; only the whole run is"
        raise InvalidArgumentError("mode", "local", rule)
    try:
        if recording.iterates:
            return list(replayed(source, transcript, o, widening=slack, instead=iterates or ()) or nothing)
        queries, output = queried(source, transcript, o, widening=slack)
        return [(q, None) for q in queries[:-1]] + [(queries[-1], output)] if queries else []
    except (DprefError, ArithmeticError, ValueError):
        return list(nothing)


def _step(
    recording: Recording, t: int, query: Array | None, iterate: Array | None, o: Any, *, own: bool
) -> dict[str, Expected]:
    entry = recording.transcript.answers[t]
    found = {"query": _expected(query, np.asarray(entry.query), own=own)}
    if isinstance(entry, Answer):
        scaled = o.lift(entry.std) * o.lift(entry.noise)
        answer = None if query is None else query + scaled
        noise = recording.noise(t)
        # Noise that is read off as a difference carries the roundings of the sum that it was taken from.
        room = abs(scaled) if answer is None else abs(scaled) + abs(answer)
        unit = 8 * o.exp(o.lift([0.0]))[0].unit
        found["noise"] = Expected(noise, np.array([upper(arb(x)) * unit for x in room]))
        found["answer"] = _expected(answer, np.asarray(entry.answer), own=own)
    else:
        unit = 8 * o.exp(o.lift([0.0]))[0].unit
        found["noise"] = Expected(recording.noise(t), unit * np.abs(recording.noise(t)))
        found["answer"] = Expected(np.asarray(entry.answer, dtype=np.float64), np.zeros(entry.answer.shape))
    if recording.iterates:
        found["iterate"] = _expected(iterate, recording.iterates[t], own=own)
    elif t == recording.steps - 1:
        found["iterate"] = _expected(iterate, recording.output, own=own)
    return found


def _expected(run: Array | None, recorded: FloatArray, *, own: bool) -> Expected:
    """The recorded value with its distance from the ball's further end; of a step of its own the ball's middle."""
    if run is None or not all(arb(x).is_finite() for x in run.flat):
        return Expected(recorded, np.full(recorded.shape, math.inf))
    if own:
        return Expected(
            np.array([float(arb(x).mid()) for x in run.flat]),
            np.array([_far(x, float(arb(x).mid())) for x in run.flat]),
        )
    # A ball that does not hold the recorded run has taken another branch of the algorithm: it proves nothing.
    held = all(arb(x).contains(arb(float(v))) for x, v in zip(run.flat, recorded.flat, strict=True))
    far = [_far(x, float(v)) if held else math.inf for x, v in zip(run.flat, recorded.flat, strict=True)]
    return Expected(recorded, np.array(far))


def _far(x: Any, value: float) -> float:
    return upper(abs(arb(x) - ball(exact(value))))


def _from_file(
    recording: Recording, dtype: str, clip_slack: Fraction, iterates: tuple[FloatArray, ...] | None
) -> Steps:
    if iterates is not None:
        raise InvalidArgumentError("mode", "local", "needs a recording that was made here: record() it again")
    if clip_slack != 0:
        raise InvalidArgumentError("clip_slack", clip_slack, "needs a recording that was made here: record() it again")
    if dtype not in recording.tolerances:
        raise InvalidArgumentError("dtype", dtype, "the file has no tolerance for it")
    given = recording.tolerances[dtype]
    values = {
        "query": [np.asarray(entry.query) for entry in recording.transcript.answers],
        "noise": [recording.noise(t) for t in range(recording.steps)],
        "answer": [np.asarray(entry.answer, dtype=np.float64) for entry in recording.transcript.answers],
        "iterate": list(recording.iterates),
    }
    found: Steps = [{} for _ in range(recording.steps)]
    if found and "output" in given:
        found[-1]["iterate"] = Expected(recording.output, given["output"][0])
    for name, tolerances in given.items():
        if name == "output":
            continue
        for step, value, tolerance in zip(found, values[name], tolerances, strict=True):
            step[name] = Expected(value, tolerance)
    if "noise" not in given:  # of a run with choices a file has no tolerance of the noise
        unit = 8 * ROOM * SYSTEMS[dtype][0]
        for t, (step, entry) in enumerate(zip(found, recording.transcript.answers, strict=True)):
            noise, size = recording.noise(t), np.abs(recording.noise(t))
            if isinstance(entry, Answer) and "answer" in step:
                size = size + np.abs(step["answer"].value) + step["answer"].tolerance
            step["noise"] = Expected(noise, unit * size)
    return found
