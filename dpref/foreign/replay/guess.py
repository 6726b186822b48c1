"""What a difference looks like: a known ratio, a draw of another step or leaf, another order, another clipping."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.foreign.replay.recording import Recording
from dpref.foreign.replay.tolerance import Expected
from dpref.geometry.sets import shrink
from dpref.reals import FLOAT_ARRAY, FloatArray

CONSTANT: Final = {"float64": 1e-6, "float32": 1e-3}
_NOISE: Final = {
    "0": "no noise was added",
    "-1": "the sign is turned round",
    "n": "the noise was scaled for the sum and added to the mean, or divided by n once too seldom",
    "1/n": "the noise was scaled for the mean and added to the sum, or divided by n twice",
    "sqrt(n)": "the noise of n records was added up, one draw each",
    "1/sqrt(n)": "the noise was averaged over n draws",
    "sqrt(2)": "the draws have variance 2, or a factor of two is in the variance",
    "1/sqrt(2)": "the draws have variance 1/2, or a factor of two is in the variance",
    "2": "doubled, such as for a replaced record (2C) where a removed one (C) was planned",
    "1/2": "halved, such as for a removed record (C) where a replaced one (2C) was planned",
    "C": "the noise multiplier was multiplied by the clipping norm twice",
    "1/C": "the noise multiplier was never multiplied by the clipping norm",
}
_QUERY: Final = {
    "0": "there is no gradient",
    "-1": "the sign is turned round",
    "n": "a sum was taken for a mean",
    "1/n": "a mean was taken for a sum, or divided by n twice",
    "C": "the gradient is in units of the clipping norm, or multiplied by it",
    "1/C": "the gradient was divided by the clipping norm",
}


def numbers(recording: Recording) -> dict[str, float]:
    """The ratios that mistakes make, by name: of records, batch, dimension and clipping norm.

    Args:
        recording: The reference.

    >>> from dpref.foreign.replay.recording import example
    >>> found = numbers(example())
    >>> found["n"], found["1/C"]
    (10.0, 16.0)
    """
    clip = float(recording.problem.get("clip", math.inf))
    batch = recording.parameters.get("batch", recording.parameters.get("batch_size", 0))
    d = max((draw.size for draw in recording.draws), default=1)
    sizes = {"n": float(recording.records), "b": float(batch or 0), "sqrt(n)": math.sqrt(recording.records)}
    sizes |= {"C": clip if math.isfinite(clip) else 0.0, "sqrt(2)": math.sqrt(2), "2": 2.0, "sqrt(d)": math.sqrt(d)}
    found = {"0": 0.0, "-1": -1.0}
    for name, value in sizes.items():
        if value > 0 and value != 1:
            found |= {name: value, f"1/{name}": 1 / value}
    return found


def ratio(foreign: FloatArray, value: Expected, dtype: str) -> float | None:
    """What the reference is multiplied by in every coordinate, if it is one number.

    Args:
        foreign: The other side's, shape (d,).
        value: The reference's.
        dtype: In which the other side computes.

    >>> ratio(np.array([1.0, 2.0]), Expected(np.array([2.0, 4.0]), np.zeros(2)), "float64")
    0.5
    """
    if not (np.isfinite(foreign).all() and np.isfinite(value.tolerance).all()):
        return None
    large = np.abs(value.value) > 4 * value.tolerance / CONSTANT[dtype]
    if not large.any() or ((np.abs(foreign - value.value)[~large] > value.tolerance[~large]).all() and (~large).any()):
        return None
    ratios = foreign[large] / value.value[large]
    middle = float(np.median(ratios))
    room = CONSTANT[dtype] * max(abs(middle), 1e-3)
    return middle if (np.abs(ratios - middle) <= room).all() else None


def guesses(
    recording: Recording, step: int, quantity: str, foreign: FloatArray, value: Expected, dtype: str
) -> Iterator[str]:
    """Sentences about a difference, the most telling first; none where it looks like nothing known.

    Args:
        recording: The reference.
        step: At which they differ.
        quantity: In what.
        foreign: The other side's.
        value: The reference's.
        dtype: In which the other side computes.

    >>> from dpref.foreign.replay.recording import example
    >>> one = example()
    >>> z = Expected(one.noise(0), np.zeros(3))
    >>> next(guesses(one, 0, "noise", z.value / 10, z, "float64"))
    'foreign / reference = 0.1 = 1/n: the noise was scaled for the mean and added to the sum, or divided by n twice'
    """
    found = ratio(foreign, value, dtype)
    if found is not None:
        yield _ratio_in_words(recording, quantity, found, dtype)
    if quantity == "noise":
        yield from _other_draws(recording, step, foreign, dtype)
    if quantity == "query":
        yield from _other_clipping(recording, step, foreign, dtype)
    if quantity == "iterate":
        yield from _implied_noise(recording, step, foreign, dtype)


def _ratio_in_words(recording: Recording, quantity: str, found: float, dtype: str) -> str:
    known = numbers(recording)
    names = [name for name, value in known.items() if abs(found - value) <= CONSTANT[dtype] * max(abs(value), 1e-3)]
    if abs(found - 1) <= CONSTANT[dtype]:
        more = '; single precision? then dtype="float32"' if dtype == "float64" else ""
        return f"they agree but for rounding, which is more than {dtype} explains{more}"
    words = {"noise": _NOISE, "query": _QUERY, "answer": _QUERY}.get(quantity, {})
    said = next((words[name] for name in names if name in words), "")
    if names == ["0"]:
        return f"the foreign {quantity} is zero" + (f": {said}" if said else "")
    equal = "".join(f" = {name}" for name in names if name != f"{found:.6g}")
    return f"foreign / reference = {found:.6g}{equal}" + (f": {said}" if said else "")


def _near(a: FloatArray, b: FloatArray, dtype: str) -> bool:
    return a.shape == b.shape and bool(np.abs(a - b).max() <= CONSTANT[dtype] * np.abs(b).max())


def _other_draws(recording: Recording, step: int, foreign: FloatArray, dtype: str) -> Iterator[str]:
    own = recording.noise(step)
    for other in range(recording.steps):
        if other != step and _near(foreign, recording.noise(other), dtype) and recording.noise(other).any():
            how = "a draw was used twice" if other < step else "a draw was left out"
            yield f"it is the noise of step {other}: {how}"
    ends = np.cumsum([leaf.size for leaf in recording.conventions.layout]).tolist()
    parts = {
        leaf.name: slice(end - leaf.size, end) for leaf, end in zip(recording.conventions.layout, ends, strict=True)
    }
    for name, place in parts.items():
        for other_name, other_place in parts.items():
            if name != other_name and _near(foreign[place], own[other_place], dtype):
                yield f"leaf {name!r} has the draws of leaf {other_name!r}: the leaves are drawn in another order"
    if own.size > 1 and own.any() and not _near(foreign, own, dtype) and _near(np.sort(foreign), np.sort(own), dtype):
        yield "the same draws in another order: leaves, or the flattening of one, are in another order"


def _other_clipping(recording: Recording, step: int, foreign: FloatArray, dtype: str) -> Iterator[str]:
    """Whether the query is what another clipping would make of the same records at the same iterate."""
    if recording.source is None or not (recording.iterates and hasattr(recording.source.problem, "mean_gradient")):
        return
    _, problem, data, plan = recording.source
    clip, records = problem.clip, problem.read(data)
    try:
        point = recording.iterates[step - 1] if step else problem.domain.project(FLOAT_ARRAY, np.array(plan.start))
        free = replace(problem, clip=None).mean_gradient(FLOAT_ARRAY, point, records)
    except (InvalidArgumentError, AttributeError):
        return
    if clip is None:
        return
    whole = shrink(FLOAT_ARRAY, free, np.asarray(float(clip)))
    if _near(foreign, free, dtype):
        more = ", or only the batch, whose mean is short" if _near(free, whole, dtype) else ""
        yield f"it is the mean of the gradients as they are: nothing was clipped{more}"
    elif _near(foreign, whole, dtype):
        yield "it is the clipped mean of the gradients: the batch was clipped, not each record"


def _implied_noise(recording: Recording, step: int, foreign: FloatArray, dtype: str) -> Iterator[str]:
    """Of a plain step the iterate tells the noise, as everything before it agrees."""
    eta = recording.parameters.get("step_size")
    if not isinstance(eta, float) or recording.algorithm != "gradient-descent" or not recording.iterates:
        return
    noise = recording.noise(step)
    implied = noise - (foreign - recording.iterates[step]) / eta
    room = np.full(noise.shape, 64 * {"float64": 2.0**-53, "float32": 2.0**-24}[dtype])
    found = ratio(implied, Expected(noise, room * (1 + np.abs(foreign))), dtype)
    if found is not None:
        yield "as if of the noise: " + _ratio_in_words(recording, "noise", found, dtype)
    yield from (f"as if of the noise: {said}" for said in _other_draws(recording, step, implied, dtype))
