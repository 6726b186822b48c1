"""What a curator writes down: one line for each noisy answer or selection, and handles to what it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dpref.mechanisms.exponential import gumbel_max
from dpref.reals import Array, FloatArray
from dpref.units import Linf, Sensitivity

Indices: TypeAlias = NDArray[np.int64]


@final
@dataclass(frozen=True)
class Answer:
    """One line of a transcript.

    Attributes:
        label: What the query is, in the algorithm's words.
        query: The exact answer before noise, shape (d,).
        sensitivity: What the algorithm declared.
        std: The factor before the noise (its standard deviation per coordinate, if it is Gaussian).
        noise: The unit draw (standard normal, if it is Gaussian), shape (d,).
        answer: ``query + std * noise``, shape (d,): what was released.
    """

    label: str
    query: Array
    sensitivity: Sensitivity[Any, Any]
    std: float
    noise: FloatArray
    answer: Array

    @property
    def scale(self) -> float:
        """The factor of the noise: its standard deviation."""
        return self.std

    def reproduced(self) -> Array:
        """The answer as query, scale and noise give it."""
        return self.query + self.std * self.noise


@final
@dataclass(frozen=True)
class Selection:
    """One line of a transcript: candidates drawn by the exponential mechanism, all from the same scores.

    Attributes:
        label: What is chosen, in the algorithm's words.
        query: The exact scores, shape (d,).
        sensitivity: What the algorithm declared, of every score.
        epsilon: What one draw spends, exact.
        scale: Of the Gumbel noise.
        noise: Standard Gumbel draws, shape (k, d).
        answer: The chosen indices, shape (k,): what the algorithm saw.
    """

    label: str
    query: Array
    sensitivity: Sensitivity[Linf, Any]
    epsilon: Fraction
    scale: float
    noise: FloatArray
    answer: Indices

    def reproduced(self) -> Array:
        """The chosen indices as scores, scale and noise give them."""
        return np.array([gumbel_max(self.query, row, self.scale) for row in self.noise], dtype=np.int64)


Entry: TypeAlias = Answer | Selection


@final
@dataclass(frozen=True)
class Held:
    """A handle to something that a curator has computed and keeps: an algorithm can pass it on, never look inside.

    Attributes:
        number: Which one.
        label: What it is, in the algorithm's words.
    """

    number: int
    label: str


@final
@dataclass(frozen=True)
class Transcript:
    """Everything that an algorithm asked and saw, and the random indices, of which it may not have seen all.

    Attributes:
        answers: Noisy answers and selections, in order; of a tree its nodes, one an element.
        indices: Data-independent random indices, in order; those of a batch one after another.
    """

    answers: tuple[Entry, ...]
    indices: tuple[int, ...] = ()

    def noise(self) -> FloatArray:
        """The tape that a kernel runs on: one answer a row, a short one filled up with zeros; choices end to end.

        A choice among noisy answers is a row too.
        """
        parts = [entry.noise.ravel() for entry in self.answers]
        if parts and all(isinstance(entry, Selection) for entry in self.answers):
            return np.concatenate(parts)
        rows = np.zeros((len(parts), max((part.size for part in parts), default=0)))
        for row, part in zip(rows, parts, strict=True):
            row[: part.size] = part
        return rows
