"""The draws of a recorded run, one after another, for code that asks a generator for them.

`TapeGenerator` has the methods of a numpy generator that private optimizers call.  Each call takes the next draws of
the tape and is noted; a method that it does not have, a draw of another kind than was recorded, or one draw too many
raises `UnexpectedDraw`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpref.errors import DprefError
from dpref.foreign.replay.recording import Recording, kind_of
from dpref.reals import FloatArray


class UnexpectedDraw(DprefError, AssertionError):
    """Code on a tape asks for randomness that the recorded run did not have."""


class Note(NamedTuple):
    """One call for draws.

    Attributes:
        method: Which.
        scale: The factor of the draws.
        shape: How many, in which shape.
    """

    method: str
    scale: float
    shape: tuple[int, ...]


class Tape:
    """The unit draws of a recording in their order, leaves within steps.

    Args:
        recording: Whose they are.
        draws: Other draws in their place, one array a step; of answers that are to come out as they were.

    >>> from dpref.foreign.replay.recording import example
    >>> tape = Tape(example())
    >>> tape.take("gaussian", (3,), "normal").shape, tape.unread
    ((3,), 6)
    """

    def __init__(self, recording: Recording, draws: tuple[FloatArray, ...] | None = None) -> None:
        parts = recording.draws if draws is None else draws
        self._kinds = [kind_of(entry) for entry in recording.transcript.answers]
        self._ends = np.cumsum([part.size for part in parts]).astype(np.int64)
        self._numbers = np.concatenate([np.asarray(p, dtype=np.float64).ravel() for p in parts] or [np.empty(0)])
        self._indices = recording.transcript.indices
        self._at = self._index_at = 0
        self.notes: list[Note] = []

    @property
    def unread(self) -> int:
        """How many draws nobody has asked for yet."""
        return self._numbers.size - self._at

    @property
    def step(self) -> int:
        """The step to which the next draw belongs."""
        return int(np.searchsorted(self._ends, self._at, side="right"))

    def take(self, kind: str, shape: tuple[int, ...], method: str, scale: float = 1.0) -> FloatArray:
        """The next unit draws.

        Args:
            kind: What they must be: ``"gaussian"``, ``"gumbel"`` or another of `kind_of`.
            shape: How many, in which shape.
            method: Who asks.
            scale: By what they will be multiplied.

        Raises:
            UnexpectedDraw: If the tape is at its end, or its next draws are of another kind.
        """
        count = int(np.prod(shape, dtype=np.int64))
        where = f"{method} asks for {count} draws"
        if count > self.unread:
            raise UnexpectedDraw(f"{where} at step {self.step}, where the tape has {self.unread} left")
        if count and self._kinds[self.step] != kind:
            raise UnexpectedDraw(f"{where} that are {kind}; those of step {self.step} are {self._kinds[self.step]}")
        self.notes.append(Note(method, scale, shape))
        taken = self._numbers[self._at : self._at + count].reshape(shape)
        self._at += count
        return taken.copy()

    def take_indices(self, count: int, size: int, method: str) -> NDArray[np.int64]:
        """The next recorded random indices.

        Args:
            count: Each must lie in ``range(count)``.
            size: How many.
            method: Who asks.

        Raises:
            UnexpectedDraw: If there are not so many left, or one is too large.
        """
        taken = self._indices[self._index_at : self._index_at + size]
        if len(taken) < size:
            raise UnexpectedDraw(f"{method} asks for {size} indices, where the tape has {len(taken)} left")
        if not all(0 <= i < count for i in taken):
            raise UnexpectedDraw(f"{method} asks for indices below {count}; the tape has {list(taken)}")
        self._index_at += size
        return np.array(taken, dtype=np.int64)

    def finish(self) -> None:
        """Refuse a tape that was not read to its end.

        Raises:
            UnexpectedDraw: If draws are left.
        """
        if self.unread:
            raise UnexpectedDraw(f"{self.unread} draws of the tape were never read, from step {self.step} on")


Size = int | tuple[int, ...] | None
_ABSENT: Final = "is not on the tape: pass the draws in another way"


class TapeGenerator:
    """What a numpy loop takes for its ``rng``: the draws come from a recording.

    Args:
        recording: Whose tape it is.
        tape: Another reader of it.

    >>> from dpref.foreign.replay.recording import example
    >>> rng = TapeGenerator(example())
    >>> rng.normal(0.0, 2.0, size=3).tolist() == (2.0 * example().draws[0]).tolist()
    True
    """

    def __init__(self, recording: Recording, tape: Tape | None = None) -> None:
        self.tape: Tape = Tape(recording) if tape is None else tape

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise UnexpectedDraw(f"Generator.{name} {_ABSENT}")

    def _draw(self, kind: str, size: Size, method: str, loc: float, scale: float) -> Any:
        shape = () if size is None else (size,) if isinstance(size, int | np.integer) else tuple(size)
        drawn = loc + scale * self.tape.take(kind, shape, method, scale)
        return drawn if size is not None else float(drawn)

    def standard_normal(self, size: Size = None, dtype: Any = np.float64) -> Any:
        """Standard normal draws of that shape."""
        drawn = self._draw("gaussian", size, "standard_normal", 0.0, 1.0)
        return drawn if size is None else drawn.astype(dtype)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Size = None) -> Any:
        """Normal draws of that mean, standard deviation and shape."""
        return self._draw("gaussian", size, "normal", loc, scale)

    def gumbel(self, loc: float = 0.0, scale: float = 1.0, size: Size = None) -> Any:
        """Gumbel draws of that place, scale and shape."""
        return self._draw("gumbel", size, "gumbel", loc, scale)

    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: Size = None) -> Any:
        """Laplace draws of that place, scale and shape: those of a choice by noise that was not Gumbel."""
        return self._draw("choice", size, "laplace", loc, scale)

    def integers(self, low: int, high: int | None = None, size: Size = None) -> Any:
        """Uniform indices from ``range(low)``, or from ``range(low, high)``."""
        first, last = (0, low) if high is None else (low, high)
        count = int(np.prod(() if size is None else size, dtype=np.int64))
        drawn = first + self.tape.take_indices(last - first, count, "integers")
        return int(drawn[0]) if size is None else drawn.reshape(size)

    def choice(self, a: Any, size: Size = None, replace: bool = True) -> Any:
        """Uniform elements of an array, or of ``range(a)``."""
        among = np.arange(a) if isinstance(a, int | np.integer) else np.asarray(a)
        count = int(np.prod(() if size is None else size, dtype=np.int64))
        drawn = among[self.tape.take_indices(len(among), count, "choice")]
        return drawn[0] if size is None else drawn.reshape(size)

    def permutation(self, x: Any) -> Any:
        """The elements of an array, or of ``range(x)``, in the recorded order."""
        among = np.arange(x) if isinstance(x, int | np.integer) else np.asarray(x)
        return among[self.tape.take_indices(len(among), len(among), "permutation")]
