"""Small pictures as SVG text: axes, lines, steps and marks that take the page's colours from its style sheet.

Everything drawn has a class (``claimed``, ``certified``, ``seen``, ``first``, ``second``, ``test``), which the page's
style gives its colour and dashes, so that one picture serves a light page, a dark one and paper.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, final

import numpy as np

from dpref.reals import FloatArray

WIDTH: Final = 420.0
HEIGHT: Final = 290.0
LEFT: Final = 58.0
RIGHT: Final = 408.0
TOP: Final = 66.0
BOTTOM: Final = 238.0

_MOST_TICKS: Final = 6
_SHORTEST: Final = 2.5  # how high the bar of a single run is at least, so that none is lost

Scale = Literal["linear", "log", "both"]


@final
@dataclass(frozen=True)
class Axis:
    """Where numbers lie between two ends of the paper.

    Attributes:
        low: The number at the beginning; positive if the scale is logarithmic.
        high: The number at the end, larger.
        begin: Its place.
        end: Its place.
        scale: ``linear``, ``log``, or ``both``: linear within ``width`` of zero and logarithmic on either side of that.
        width: Of the linear part.

    >>> Axis(1.0, 100.0, 0.0, 50.0, "log").at(10.0)
    25.0
    """

    low: float
    high: float
    begin: float
    end: float
    scale: Scale = "linear"
    width: float = 1.0

    def at(self, value: float) -> float:
        """The place of a number; of one beyond an end that end."""
        low, high = self.warped(self.low), self.warped(self.high)
        share = (self.warped(min(max(value, self.low), self.high)) - low) / (high - low)
        return self.begin + share * (self.end - self.begin)

    def warped(self, value: float) -> float:
        """The number as the scale has it."""
        if self.scale == "log":
            return math.log10(value)
        return math.asinh(value / self.width) if self.scale == "both" else value

    def grid(self, points: int) -> FloatArray:
        """Numbers at equal distances on paper, the ends exact, shape (points,)."""
        even = np.linspace(self.warped(self.low), self.warped(self.high), points)
        if self.scale == "log":
            even = np.power(10.0, even)
        elif self.scale == "both":
            even = self.width * np.sinh(even)
        even[0], even[-1] = self.low, self.high
        return even

    def ticks(self) -> list[float]:
        """Round numbers between the ends."""
        if self.scale == "log":
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            if last > first:
                every = -(-(last - first + 1) // _MOST_TICKS)
                return [10.0**k for k in range(first, last + 1, every)]
            return [
                m * 10.0**first / 10 for m in (1, 2, 5, 10, 20, 50) if self.low <= m * 10.0**first / 10 <= self.high
            ]
        if self.scale == "both":
            first, last = math.ceil(math.log10(self.width)), math.floor(math.log10(max(-self.low, self.high)))
            every = max(1, -(-(last - first + 1) // 2))
            powers = [10.0**k for k in range(last, first - 1, -every)]
            return sorted(x for x in (*(-p for p in powers), 0.0, *powers) if self.low <= x <= self.high)
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 2))
        step *= next(m for m in (1, 2, 5, 10) if (self.high - self.low) / (m * step) <= _MOST_TICKS)
        return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step + 1e-9) + 1)]


@final
@dataclass
class Drawing:
    """A picture with two axes and a legend above.

    Attributes:
        x: The horizontal axis.
        y: The vertical axis.
        name: What it shows, for who does not see it.
    """

    x: Axis
    y: Axis
    name: str
    _parts: list[str] = field(default_factory=list, init=False)
    _named: int = field(default=0, init=False)

    def line(self, of: str, xs: Sequence[float], ys: Sequence[float]) -> None:
        """A line through points; where a number is NaN it is interrupted."""
        for piece in _pieces(xs, ys):
            points = " ".join(f"{self.x.at(x):.1f},{self.y.at(y):.1f}" for x, y in piece)
            self._parts.append(f'<polyline class="{of}" points="{points}"/>')

    def band(self, of: str, xs: Sequence[float], below: Sequence[float], above: Sequence[float]) -> None:
        """What lies between two curves."""
        there = [f"{self.x.at(x):.1f},{self.y.at(y):.1f}" for x, y in zip(xs, above, strict=True)]
        back = [f"{self.x.at(x):.1f},{self.y.at(y):.1f}" for x, y in zip(xs, below, strict=True)]
        self._parts.append(f'<polygon class="{of} band" points="{" ".join([*there, *back[::-1]])}"/>')

    def bars(self, of: str, edges: Sequence[float], heights: Sequence[float]) -> None:
        """The outline of bars; one that is not empty is never too low to be seen."""
        floor = self.y.at(0.0)
        tops = [min(self.y.at(h), floor - _SHORTEST) if h > 0 else floor for h in heights]
        corners = [f"{self.x.at(edges[0]):.1f},{floor:.1f}"]
        for left, right, top in zip(edges[:-1], edges[1:], tops, strict=True):
            corners += [f"{self.x.at(left):.1f},{top:.1f}", f"{self.x.at(right):.1f},{top:.1f}"]
        corners.append(f"{self.x.at(edges[-1]):.1f},{floor:.1f}")
        self._parts.append(f'<polygon class="{of} area" points="{" ".join(corners)}"/>')

    def upright(self, of: str, x: float) -> None:
        """A line from below to above."""
        at = self.x.at(x)
        self._parts.append(f'<polyline class="{of}" points="{at:.1f},{BOTTOM:g} {at:.1f},{TOP:g}"/>')

    def mark(self, of: str, x: float, y: float) -> None:
        """A point."""
        self._parts.append(f'<circle class="{of} mark" cx="{self.x.at(x):.1f}" cy="{self.y.at(y):.1f}" r="4.5"/>')

    def entry(self, of: str, text: str) -> None:
        """A line of the legend."""
        y = 14.0 + 16.0 * self._named
        self._named += 1
        self._parts.append(f'<polyline class="{of}" points="{LEFT:g},{y - 4:g} {LEFT + 26:g},{y - 4:g}"/>')
        self._parts.append(f'<text x="{LEFT + 33:g}" y="{y:g}">{html.escape(text)}</text>')

    def text(self, x_name: str, y_name: str) -> str:
        """All of it, with the names of its axes."""
        frame = [f'<path class="frame" d="M{LEFT:g} {TOP:g}V{BOTTOM:g}H{RIGHT:g}"/>']
        for value in self.x.ticks():
            at = self.x.at(value)
            frame.append(f'<path class="frame" d="M{at:.1f} {BOTTOM:g}v4"/>')
            frame.append(f'<text x="{at:.1f}" y="{BOTTOM + 18:g}" text-anchor="middle">{_number(value)}</text>')
        for value in self.y.ticks():
            at = self.y.at(value)
            frame.append(f'<path class="frame" d="M{LEFT:g} {at:.1f}h-4"/>')
            frame.append(f'<text x="{LEFT - 7:g}" y="{at + 4:.1f}" text-anchor="end">{_number(value)}</text>')
        middle = (LEFT + RIGHT) / 2
        frame.append(f'<text x="{middle:g}" y="{HEIGHT - 10:g}" text-anchor="middle">{html.escape(x_name)}</text>')
        up = f'transform="translate(13 {(TOP + BOTTOM) / 2:g}) rotate(-90)"'
        frame.append(f'<text {up} text-anchor="middle">{html.escape(y_name)}</text>')
        head = f'<svg class="plot" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{html.escape(self.name)}">'
        return head + "".join(self._parts + frame) + "</svg>"


def _pieces(xs: Sequence[float], ys: Sequence[float]) -> list[list[tuple[float, float]]]:
    found: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if math.isnan(y):
            found.append([])
        else:
            found[-1].append((x, y))
    return [piece for piece in found if len(piece) > 1]


def _number(value: float) -> str:
    """A tick's number: short, with powers of ten as such."""
    if value and not 1e-3 <= abs(value) < 1e4:
        exponent = math.floor(math.log10(abs(value)) + 1e-9)
        mantissa = f"{value / 10.0**exponent:.3g}".replace("-", "\u2212")
        shown = mantissa.removesuffix("1") if mantissa in {"1", "\u22121"} else f"{mantissa}\u00b7"
        return f'{shown}10<tspan dy="-4" font-size="9">{str(exponent).replace("-", chr(0x2212))}</tspan>'
    return f"{value:.6g}".replace("-", "\u2212")
