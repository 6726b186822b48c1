"""The curves that ``dpref certify`` shows: ``--profile``, ``--tradeoff``, ``--gdp``, and their picture, ``--plot``."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import typer
from typer.core import TyperCommand

from dpref.errors import InvalidArgumentError, PrecisionError

if TYPE_CHECKING:
    from dpref.privacy.curves import CertifiedCurve
    from dpref.privacy.events.ledger import Ledger
    from dpref.privacy.gaussian_dp import GaussianParameter

AUTO: Final = "auto"
_OPTIONAL: Final = ("--profile", "--tradeoff")
_BEGINS_AS_NUMBER: Final = re.compile(r"[-+]?[0-9.,]")  # neither an event nor an option does
_MOST_POINTS: Final = 10_000
_FIRST_DELTA: Final = Fraction(1, 10**10)  # the profile's last epsilon, where none are given, has about this delta
_CELLS: Final = 40
_SMALL: Final = ("1/1000", "1/200", "1/100")
_DIGITS: Final = 8
_HEIGHT: Final = 290
_STYLE: Final = """
svg { color: #1d2330; background: #fff; }
text { fill: currentColor; font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.frame { stroke: currentColor; stroke-opacity: .55; fill: none; }
.plot polyline { fill: none; stroke-width: 2; }
.certified { stroke: #6d46a3; } .certified.band { fill: #6d46a3; fill-opacity: .2; stroke: none; }
.first { stroke: #2b62b0; stroke-dasharray: 8 4; } .second { stroke: #a85a00; stroke-dasharray: 2 3; }
@media (prefers-color-scheme: dark) {
  svg { color: #e6e9ef; background: #14171d; }
  .certified { stroke: #c0a2ec; } .certified.band { fill: #c0a2ec; }
  .first { stroke: #8fb9f6; } .second { stroke: #f2a94b; }
}
"""


class CurveCommand(TyperCommand):
    """A verb whose options for curves may stand without a value: then the points are chosen."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give such an option its value."""
        filled: list[str] = []
        for i, word in enumerate(args):
            filled.append(word)
            if word in _OPTIONAL and not (i + 1 < len(args) and _BEGINS_AS_NUMBER.match(args[i + 1])):
                filled.append(AUTO)
        return super().parse_args(ctx, filled)


@final
@dataclass(frozen=True)
class Curves:
    """What was computed, and how it is shown.

    Attributes:
        profile: The privacy profile, if it was asked for.
        tradeoff: The trade-off function, likewise.
        gdp: The Gaussian-DP parameter, likewise.
    """

    profile: CertifiedCurve | None = None
    tradeoff: CertifiedCurve | None = None
    gdp: GaussianParameter | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields of the JSON object: ends as decimal text, rounded outward."""
        from dpref.reals import decimal_down, decimal_up

        found: dict[str, Any] = {}
        for name, argument, curve in self._curves():
            bands = {"": curve.band, **curve.directions}
            ends = {
                way: {
                    "lower": [decimal_down(x) for x in band.lower],
                    "upper": [decimal_up(x) for x in band.upper],
                }
                for way, band in bands.items()
            }
            found[name] = {argument: [str(x) for x in curve.points], **ends.pop(""), "directions": ends}
            found[name] |= {"method": curve.method, "precision": curve.precision}
            found[name] |= {"assumed": list(curve.assumed)} if curve.assumed else {}
        if self.gdp is not None:
            found["gdp"] = {
                **dict(zip(("lower", "upper"), self.gdp.everywhere.as_decimal(), strict=True)),
                "range": {
                    "epsilon": str(self.gdp.range_end),
                    "delta": decimal_up(self.gdp.range_delta),
                    **dict(zip(("lower", "upper"), self.gdp.on_range.as_decimal(), strict=True)),
                },
            }
        return found

    def lines(self) -> list[str]:
        """The text: one line a point."""
        from dpref.reals import decimal_down, decimal_up

        shown: list[str] = []
        for name, _, curve in self._curves():
            head = {"profile": "epsilon", "tradeoff": "type I"}[name]
            shown.append(f"{head:<14} {curve.quantity}")
            for x, low, high in zip(curve.points, curve.band.lower, curve.band.upper, strict=True):
                ends = f"[{decimal_down(low, _DIGITS)}, {decimal_up(high, _DIGITS)}]"
                shown.append(f"{_short(x):<14} {ends}")
            shown.append(f"  method     {curve.method}")
            if curve.assumed:
                shown.append(f"  assumed    {', '.join(curve.assumed)}")
            if len(curve.directions) > 1:
                ways = " and ".join(curve.directions)
                shown.append(f"  directions {ways}: here the worse one at each point, in --json each by itself")
        if self.gdp is not None:
            everywhere = ", ".join(self.gdp.everywhere.as_decimal(10))
            on_range = ", ".join(self.gdp.on_range.as_decimal(10))
            unknown = " (no finite one is proved)" if math.isinf(self.gdp.everywhere.upper) else ""
            shown.append(f"mu in [{everywhere}] for all epsilons{unknown}")
            end = decimal_down(float(self.gdp.range_end), 6)
            beyond = decimal_up(self.gdp.range_delta, 3)
            shown.append(f"mu in [{on_range}] for |epsilon| <= {end}; beyond, delta is at most {beyond}")
        return shown

    def svg(self, name: str) -> str:
        """The picture: one panel a curve, below each other, so that a phone shows them as large as they can be.

        Args:
            name: What the curves are of.
        """
        draw = {"profile": _profile_panel, "tradeoff": _tradeoff_panel}
        panels = [draw[kind](curve, name) for kind, _, curve in self._curves()]
        height = _HEIGHT * len(panels)
        placed = [
            panel.replace("<svg ", f'<svg x="0" y="{_HEIGHT * i}" width="420" height="{_HEIGHT}" ', 1)
            for i, panel in enumerate(panels)
        ]
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 {height}" style="max-width: 60rem">'
        return f"{head}<title>{html.escape(name)}</title><style>{_STYLE}</style>{''.join(placed)}</svg>\n"

    def _curves(self) -> list[tuple[str, str, CertifiedCurve]]:
        named = (("profile", "epsilons", self.profile), ("tradeoff", "alphas", self.tradeoff))
        return [(name, argument, curve) for name, argument, curve in named if curve is not None]


def compute(ledger: Ledger[Any], *, profile: str | None, tradeoff: str | None, gdp: bool) -> Curves:
    """The curves that were asked for.

    Args:
        ledger: Whose.
        profile: Epsilons as text, or ``auto``.
        tradeoff: Type I errors as text, or ``auto``.
        gdp: Whether the Gaussian-DP parameter is.
    """
    from dpref.privacy.curves import privacy_profile, tradeoff_curve
    from dpref.privacy.gaussian_dp import gdp_parameter

    epsilons = None if profile is None else _epsilons(ledger) if profile == AUTO else points(profile, "--profile")
    alphas = None if tradeoff is None else _alphas() if tradeoff == AUTO else points(tradeoff, "--tradeoff")
    try:
        return Curves(
            None if epsilons is None else privacy_profile(ledger, epsilons),
            None if alphas is None else tradeoff_curve(ledger, alphas),
            gdp_parameter(ledger) if gdp else None,
        )
    except InvalidArgumentError as error:
        option = {"epsilons": "--profile", "alphas": "--tradeoff"}.get(error.argument)
        if option is None:
            raise
        raise InvalidArgumentError(option, profile if option == "--profile" else tradeoff, error.rule) from None


def points(text: str, argument: str) -> list[Fraction]:
    """Numbers from a list, ``0,1/2,1``, or from a range with a count, ``0:4:41``.

    Args:
        text: The list or range.
        argument: What an error calls it.

    Raises:
        InvalidArgumentError: If it is neither.

    >>> [str(x) for x in points("-1:1:5", "--profile")]
    ['-1', '-1/2', '0', '1/2', '1']
    """
    from dpref.privacy.events.expression import parse_number

    if ":" not in text:
        return [parse_number(part, argument) for part in text.split(",")]
    parts = [parse_number(part, argument) for part in text.split(":")]
    if len(parts) != 3 or parts[2].denominator != 1 or not 2 <= parts[2] <= _MOST_POINTS:
        rule = f"must be a list, 0,1/2,1, or first:last:count, 0:4:41, with a count from 2 to {_MOST_POINTS}"
        raise InvalidArgumentError(argument, text, rule)
    first, last, count = parts[0], parts[1], int(parts[2])
    return [first + (last - first) * k / (count - 1) for k in range(count)]


def _epsilons(ledger: Ledger[Any]) -> list[Fraction]:
    """From 0 to where delta is hardly seen, in round steps."""
    from dpref.privacy.accountants import certify

    try:
        reach = certify(ledger, delta=_FIRST_DELTA).upper
    except PrecisionError:
        reach = math.inf
    if not 0 < reach < math.inf:
        reach = 1.0
    unit = Fraction(10) ** (math.floor(math.log10(reach / _CELLS)) - 1)
    step = math.ceil(Fraction(reach) / _CELLS / unit) * unit
    return [step * k for k in range(_CELLS + 1)]


def _alphas() -> list[Fraction]:
    return sorted({Fraction(k, _CELLS) for k in range(_CELLS + 1)} | set(map(Fraction, _SMALL)))


def _short(x: Fraction) -> str:
    """A decimal where it is one that is short, else the fraction."""
    text = f"{float(x):.10g}"
    return text if Fraction(text) == x else str(x)


# ------------------------------------------------------------------------------------ pictures


def _profile_panel(curve: CertifiedCurve, name: str) -> str:
    from dpref.audit.drawing import BOTTOM, LEFT, RIGHT, TOP, Axis, Drawing

    xs = [float(x) for x in curve.points]
    seen = [y for y in curve.band.upper if y > 0]
    floor = max(1e-12, min(seen, default=1e-3)) / 2
    room = 0.0 if xs[-1] > xs[0] else 1.0
    drawing = Drawing(
        Axis(xs[0] - room, xs[-1] + room, LEFT, RIGHT),
        Axis(floor, 1.3, BOTTOM, TOP, "log"),
        f"privacy profile of {name}",
    )
    _draw(drawing, curve, xs, floor)
    return drawing.text("\u03b5", "\u03b4")


def _tradeoff_panel(curve: CertifiedCurve, name: str) -> str:
    from dpref.audit.drawing import BOTTOM, LEFT, RIGHT, TOP, Axis, Drawing

    drawing = Drawing(Axis(0.0, 1.0, LEFT, RIGHT), Axis(0.0, 1.0, BOTTOM, TOP), f"trade-off function of {name}")
    _draw(drawing, curve, [float(x) for x in curve.points], 0.0)
    return drawing.text("type I error", "type II error")


def _draw(drawing: Any, curve: CertifiedCurve, xs: Sequence[float], floor: float) -> None:
    """The band of the worst direction, and each direction by its claim where there are two."""
    drawing.band("certified", xs, [max(y, floor) for y in curve.band.lower], [max(y, floor) for y in curve.band.upper])
    for end in (curve.band.lower, curve.band.upper):
        drawing.line("certified", xs, [y if y >= floor else math.nan for y in end])
    drawing.entry("certified", "certified band")
    if len(curve.directions) == 1:
        return
    for of, (way, band) in zip(("first", "second"), curve.directions.items(), strict=True):
        claim = band.upper if curve.quantity == "delta" else band.lower
        drawing.line(of, xs, [y if y >= floor else math.nan for y in claim])
        drawing.entry(of, f"a record is {way}, at {'most' if curve.quantity == 'delta' else 'least'}")


def write(path: Path, text: str) -> None:
    """Write a picture.

    Args:
        path: Where.
        text: SVG.
    """
    path.write_text(text, encoding="utf-8")
    typer.echo(f"The picture: {path}", err=True)
