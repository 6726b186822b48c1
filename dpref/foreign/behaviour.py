"""What a callable does besides returning outputs: other shapes, the same output each time, noise that it keeps.

A mechanism that ignores its generator is judged like any other.  One that drew its noise once and returns it ever after
is not: its runs say nothing about a run of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from dpref.errors import ForeignCodeError
from dpref.foreign.chunks import SIDES, ChunkResult, Seeding
from dpref.foreign.layout import Slot
from dpref.foreign.outputs import Outputs

NO_RANDOMNESS: Final = "the output does not depend on rng: in every run on one data set it was the same"
NO_SEED: Final = "the output was the same in every run on one data set: its randomness, if any, has a fixed seed"
_SHAPE: Final = re.compile(r"\((?:\d+,)+\d*\)|\(\)")
_NUMBERS: Final = re.compile(r"(?:float|int|bool|uint|complex|number)\d*(\([\d,]*\))?")
_SEVERAL: Final = 5
_MANY: Final = 10


@dataclass(eq=False)
class Behaviour:
    """What was seen of a callable so far.

    Attributes:
        name: The callable.
        seeding: What it is given.
        shapes: Whether an array of another shape is an error.
        batched: Whether a call makes many runs.
    """

    name: str
    seeding: Seeding
    shapes: bool
    batched: bool
    _shapes: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    _sample: list[Outputs | None] = field(default_factory=lambda: [None, None])
    _constant: list[bool] = field(default_factory=lambda: [True, True])
    _drew: list[bool] = field(default_factory=lambda: [False, False])

    def see(self, slot: Slot, result: ChunkResult) -> None:
        """Look at a chunk.

        Args:
            slot: Its place.
            result: What it saw.

        Raises:
            ForeignCodeError: If an array has another shape than before, or noise is kept between calls.
        """
        sides = (0, 0) if slot.purpose == "control" else (0, 1)
        for side, outputs, drew in zip(sides, (result.first, result.second), result.drew, strict=True):
            if self.shapes:
                self._same_shapes(slot, side, outputs)
            known = self._sample[side]
            stopped = not self.batched and len(outputs) >= _SEVERAL and drew == (True, False)
            same = (stopped or self._constant[side]) and _all_equal(outputs, outputs.take(slice(0, 1)))
            if stopped and same:
                raise self._keeps(slot, side)
            if known is not None and self._drew[side] and not any(drew) and _recurs(outputs, known):
                raise self._keeps(slot, side)
            if known is None:
                self._sample[side] = known = outputs
                self._drew[side] = any(drew)
            self._constant[side] = same and self._constant[side] and _all_equal(outputs, known.take(slice(0, 1)))

    def warnings(self) -> tuple[str, ...]:
        """What a reader should know."""
        if None in self._sample or not all(self._constant):
            return ()
        return (NO_RANDOMNESS if self.seeding == "argument" else NO_SEED,)

    def _same_shapes(self, slot: Slot, side: int, outputs: Outputs) -> None:
        for i, structure in enumerate(outputs.structures):
            family, shape = _family(structure)
            before = self._shapes[side].setdefault(family, shape)
            if shape != before:
                run = slot.start + int(np.argmax(outputs.code == i))
                raise ForeignCodeError(
                    f"{self.name} returned shape {shape} (in run {run}, on the {SIDES[side]} data set), and {before}"
                    " before: the shape must not change (with exceptions='output' it is an outcome like any other)"
                )

    def _keeps(self, slot: Slot, side: int) -> ForeignCodeError:
        return ForeignCodeError(
            f"{self.name} keeps its noise: it read rng before and not in runs {slot.start} to"
            f" {slot.start + slot.size - 1} on the {SIDES[side]} data set, and returned what it had returned;"
            " its runs must not depend on each other"
        )


def _family(structure: str) -> tuple[str, str]:
    """A structure without the shapes of its arrays, and those; a plain number is an array without axes."""
    numbers = _NUMBERS.fullmatch(structure)
    if numbers:
        return "numbers", numbers[1] or "()"
    return _SHAPE.sub("", structure), " ".join(_SHAPE.findall(structure))


def _all_equal(outputs: Outputs, one: Outputs) -> bool:
    """Whether all outputs are the same one."""
    if outputs.structures[:1] != one.structures[:1] or outputs.code.any() or set(outputs.texts) != set(one.texts):
        return False
    return outputs.numbers.shape[1] == one.numbers.shape[1] and np.array_equal(
        outputs.numbers, np.broadcast_to(one.numbers, outputs.numbers.shape), equal_nan=True
    )


def _recurs(outputs: Outputs, known: Outputs) -> bool:
    """Whether outputs are among those known, and constant or too many to be so by chance."""
    before, now = (set(zip(map(bytes, o.numbers), o.texts, strict=True)) for o in (known, outputs))
    return now <= before and (len(now) == 1 or len(now) > _MANY)
