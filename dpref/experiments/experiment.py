"""What an experiment is: parts that can be computed apart and kept, and a report made of what they found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from dpref.reals import FloatArray, decimal_down, decimal_up

Size: TypeAlias = Literal["quick", "default", "full"]
Found: TypeAlias = dict[str, Any]

_DIGITS: Final = 5  # of certified ends
_UNNOTICED: Final = 1e-9  # relatively: an end that is a double beside a budget is that budget
SIZES: Final[tuple[Size, ...]] = ("quick", "default", "full")

S = TypeVar("S")


@dataclass(frozen=True)
class Part:
    """A piece of work that needs no other and is kept once it is done.

    Attributes:
        name: Unique within its experiment and size.
        work: Computes what is kept; JSON.
    """

    name: str
    work: Callable[[], Found]


@dataclass(frozen=True)
class Curve:
    """A line of a panel, with its spread over the seeds.

    Attributes:
        name: In the legend.
        x: Shape (k,).
        y: The middle, shape (k,).
        low: Lower end of the spread, shape (k,).
        high: Upper end, shape (k,).
        dashed: How the printed forms are drawn.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """One picture of a figure.

    Attributes:
        title: Above it.
        x: Label of the axis.
        y: Label of the axis.
        curves: What is drawn.
        scales: Of the two axes, "linear" or "log".
    """

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    scales: tuple[str, str] = ("linear", "linear")


@dataclass(frozen=True)
class Table:
    """Rows under headings, as text.

    Attributes:
        heads: One a column.
        rows: One text a column each.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Report:
    """What an experiment says.

    Attributes:
        table: Its numbers.
        panels: Its figure.
        sentence: What did and did not reproduce, computed from the numbers.
        notes: What was left out and why.
    """

    table: Table
    panels: tuple[Panel, ...]
    sentence: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Experiment(Generic[S]):
    """An experiment of a paper.

    Attributes:
        name: ``paper/item``.
        title: What is shown.
        printed: The set-up as far as the paper prints it.
        stands_in: What replaces the rest here, and why.
        shapes: What is computed at each size.
        takes: How long each size takes on two cores, in words.
        parts: The work of a shape.
        report: What the parts say together, by name.
        packages: What must be installed besides dpref, by the name under which it is imported.
    """

    name: str
    title: str
    printed: str
    stands_in: str
    shapes: Mapping[Size, S]
    takes: Mapping[Size, str]
    parts: Callable[[S], tuple[Part, ...]]
    report: Callable[[S, Mapping[str, Found]], Report]
    packages: tuple[str, ...] = field(default=("matplotlib",))


AnyExperiment: TypeAlias = Experiment[Any]


@dataclass(frozen=True)
class Spread:
    """A sample over seeds: its mean, with the standard deviation of the sample and the error of the mean.

    Attributes:
        mean: Of the sample.
        deviation: Standard deviation of the sample, zero for one value.
        count: How many values.

    >>> print(spread([1.0, 2.0, 3.0]))
    2 ± 1
    """

    mean: float
    deviation: float
    count: int

    @property
    def error(self) -> float:
        """Twice the standard error of the mean."""
        return 2 * self.deviation / float(np.sqrt(self.count))

    @property
    def estimate(self) -> str:
        """The mean with its error, of a quantity that is estimated from all seeds together."""
        return f"{short(self.mean, 2)} ± {short(self.error, 1)}"

    def __str__(self) -> str:
        return f"{short(self.mean, 3)} ± {short(self.deviation, 2)}"


def short(x: float, digits: int) -> str:
    """A number to so many significant digits, without an exponent where it has up to six places.

    >>> short(184.0, 2), short(0.0123, 1)
    ('180', '0.01')
    """
    return f"{float(f'{x:.{digits}g}'):g}"


def enclosed(low: float, high: float | None) -> str:
    """A certified interval as text: its ends are rounded outward, to five digits, if that moves them noticeably.

    Args:
        low: Lower end.
        high: Upper end; None where no accountant has one.

    >>> enclosed(0.0921279, 0.0921282), enclosed(2.5, None)
    ('[0.092127, 0.092129]', '[2.5, ?]')
    """
    return f"[{_end(low, decimal_down)}, {'?' if high is None else _end(high, decimal_up)}]"


def _end(x: float, outward: Callable[[float, int], str]) -> str:
    near = short(x, _DIGITS)
    return near if abs(float(near) - x) <= _UNNOTICED * abs(x) else outward(x, _DIGITS)


def spread(values: Sequence[float] | FloatArray) -> Spread:
    """The spread of a sample.

    Args:
        values: Shape (k,), at least one.

    >>> spread([2.0]).error
    0.0
    """
    sample = np.asarray(values, dtype=float)
    return Spread(float(sample.mean()), float(sample.std(ddof=1)) if len(sample) > 1 else 0.0, len(sample))


def slopes(x: FloatArray, y: FloatArray) -> Spread:
    """The slopes of least-squares lines, one a seed.

    Args:
        x: Shape (k,).
        y: Shape (seeds, k).

    >>> slopes(np.array([0.0, 1.0]), np.array([[0.0, 2.0], [1.0, 3.0]]))
    Spread(mean=2.0, deviation=0.0, count=2)
    """
    centred = x - x.mean()
    return spread(y @ centred / (centred @ centred))


def curve(name: str, x: Sequence[float], samples: Sequence[Sequence[float]], *, dashed: bool = False) -> Curve:
    """A line through the means of samples, within their standard deviations.

    Args:
        name: In the legend.
        x: Shape (k,).
        samples: k samples over the seeds.
        dashed: How the printed forms are drawn.

    >>> curve("a", [1.0], [[1.0, 3.0]]).y
    (2.0,)
    """
    found = [spread(sample) for sample in samples]
    low = tuple(s.mean - s.deviation for s in found)
    high = tuple(s.mean + s.deviation for s in found)
    return Curve(name, tuple(x), tuple(s.mean for s in found), low, high, dashed)
