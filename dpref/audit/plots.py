"""The pictures of an HTML report, as SVG text: scores, privacy curves, and the strip that compares claims."""

from __future__ import annotations

import html
import math
from fractions import Fraction
from typing import Final

import numpy as np

from dpref.audit.drawing import BOTTOM, LEFT, RIGHT, TOP, Axis, Drawing
from dpref.audit.empirical import Empirical
from dpref.audit.known import Bound
from dpref.audit.mathml import signs
from dpref.audit.rules import Beyond
from dpref.audit.terminal import certified_text, down, up
from dpref.audit.verdict import Verdict
from dpref.privacy.closed_forms.gaussian import gaussian_delta_at
from dpref.privacy.closed_forms.zcdp import zcdp_to_delta
from dpref.reals import FloatArray, exact

_POINTS: Final = 81
_BINS: Final = 50
_DRAWN: Final = 1e100  # outcomes beyond it are counted and not drawn, as infinite ones are
_WIDE: Final = 8.0  # numbers further apart than this are set on a logarithmic axis
_TAILED: Final = 30.0  # outcomes that reach so many times as far as nine in ten of them, too


def scores_svg(verdict: Verdict) -> str:
    """Histograms of the finite scores on both data sets, and the test that speaks for the claim's unit."""
    seen = verdict.empirical
    test = seen.tests["rho" if verdict.claim.is_zcdp else "epsilon"]
    at = test.rule.threshold if isinstance(test.rule, Beyond) else test.rule.value
    drawn = [s[np.abs(s) < _DRAWN] for s in seen.scores]
    marks = np.concatenate([*drawn, [at] if abs(at) < _DRAWN else []])
    x = _scores_axis(marks)
    edges = x.grid(_BINS + 1)
    shares = [100 * np.histogram(s, edges)[0] / of.size for s, of in zip(drawn, seen.scores, strict=True)]
    most = max(float(share.max()) for share in shares) or 1.0
    name = (
        f"Scores of {verdict.claim.id}, {seen.trials} runs on either neighbour; the test ({test.rule}) says neighbour 1"
        f" in {test.hits[0]} of {test.hits[1]} runs on neighbour 1 and in {test.alarms[0]} of {test.alarms[1]} on"
        " neighbour 0"
    )
    drawing = Drawing(x, Axis(0.0, 1.05 * most, BOTTOM, TOP), name)
    for i, of in enumerate(("first", "second")):
        left_out = seen.scores[i].size - drawn[i].size
        drawing.bars(of, edges.tolist(), shares[i].tolist())
        drawing.entry(of, f"neighbour {i}" + (f", {left_out} infinite or NaN not drawn" if left_out else ""))
    if abs(at) < _DRAWN:
        drawing.upright("test", at)
    drawing.entry("test", f"test: {test.rule}")
    return drawing.text("score" + (" (logarithmic far from zero)" if x.scale == "both" else ""), "% of runs")


def _scores_axis(marks: FloatArray) -> Axis:
    """From the least to the largest; logarithmic far from zero where few lie far beyond the others."""
    low, high = (float(marks.min()), float(marks.max())) if marks.size else (-1.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        low, high = low - max(1.0, abs(low)), high + max(1.0, abs(high))
    room = 0.02 * (high - low)
    usual = float(np.quantile(np.abs(marks), 0.9)) if marks.size else 0.0
    if usual > 0 and max(-low, high) > _TAILED * usual:
        return Axis(1.1 * low if low < 0 else 0.0, 1.1 * high if high > 0 else 0.0, LEFT, RIGHT, "both", usual)
    return Axis(low - room, high + room, LEFT, RIGHT)


def curves_svg(verdict: Verdict) -> str:
    """delta(epsilon): what is claimed, what is certified, and what the runs show."""
    claim, delta = verdict.claim, float(verdict.claim.delta)
    ends = (verdict.claimed_epsilon, verdict.epsilon.lower, verdict.epsilon.upper, verdict.empirical.epsilon)
    x = _epsilon_axis([float(e) for e in ends if 0 < e < math.inf])
    grid = x.grid(_POINTS)
    floor = min(1e-6, delta / 1e3 or 1e-9)  # delta = 0 lies below any logarithmic axis
    certified = certified_text(verdict, verdict.epsilon)
    name = (
        f"delta against epsilon of {claim.id}: at delta = {up(claim.delta)} claimed epsilon at most"
        f" {up(verdict.claimed_epsilon)}, certified {certified}, runs show at least {down(verdict.empirical.epsilon)}"
    )
    drawing = Drawing(x, Axis(floor, 1.3, BOTTOM, TOP, "log"), name)
    xs = grid.tolist()
    if verdict.declared is None:
        above, below = (np.maximum(curve, floor / 10).tolist() for curve in certified_deltas(verdict, grid))
        drawing.band("certified", xs, below, above)
        for curve in (above, below):
            drawing.line("certified", xs, _above(floor, curve))
        drawing.entry("certified", signs(f"certified {certified}").replace("inf", "\u221e"))
    if claim.is_zcdp:
        rho = claim.claimed.value
        drawing.line("claimed", xs, _above(floor, [zcdp_to_delta(rho, exact(e)).upper for e in xs]))
    else:
        epsilon, least = float(claim.claimed.value), max(delta, floor)
        drawing.line("claimed", [epsilon, epsilon, xs[-1]], [1.0, least, least])
        drawing.mark("claimed", epsilon, least)
    drawing.entry("claimed", f"claimed, at most {up(verdict.claimed_epsilon)}")
    drawing.line("seen", xs, _seen(verdict.empirical, grid).tolist())
    drawing.entry("seen", f"seen in runs, at least {down(verdict.empirical.epsilon)}")
    return drawing.text("\u03b5" + (" (logarithmic)" if x.scale == "log" else ""), "\u03b4")


def _above(floor: float, curve: list[float]) -> list[float]:
    """The curve, interrupted where it lies below the paper."""
    return [delta if delta >= floor else math.nan for delta in curve]


def _epsilon_axis(ends: list[float]) -> Axis:
    """All ends, none of them squeezed against a margin."""
    most, least = max(ends, default=1.0), min(ends, default=1.0)
    if most > _WIDE * least:
        return Axis(least / 3, 3 * most, LEFT, RIGHT, "log")
    return Axis(0.0, 1.25 * most, LEFT, RIGHT)


def strip_svg(verdict: Verdict) -> str:
    """Loss over claimed loss on a logarithmic axis: the claim is the middle line, the certified interval a bar.

    What lies beyond an end of the axis is an arrow there.
    """
    claimed = verdict.claim.claimed.value
    width, middle, half, most = 200.0, 100.0, 88.0, 4.0

    def octaves(bound: Bound) -> float:
        if bound <= 0 or bound == math.inf:
            return math.copysign(math.inf, bound - 1)
        ratio = Fraction(bound) / claimed  # of any size: a double could overflow
        return math.log2(ratio.numerator) - math.log2(ratio.denominator)

    def place(bound: Bound) -> float:
        return middle + half * max(-most, min(most, octaves(bound))) / most

    ends = verdict.certified
    low, high = place(ends.lower), place(ends.upper)
    left, right, long = middle - half, middle + half, max(high - low, 0) + 6
    parts = [
        f'<path class="frame" d="M{left:g} 10H{right:g}M{middle - half / 2:g} 7v6M{middle + half / 2:g} 7v6"/>',
        f'<path class="middle" d="M{middle:g} 0V20"/>',
        f'<rect class="{verdict.outcome}" x="{low - 3:.2f}" y="5" width="{long:.2f}" height="10" rx="2"/>',
    ]
    if octaves(ends.upper) > most:
        parts.append(f'<path class="{verdict.outcome}" d="M{right:g} 3l9 7l-9 7z"/>')
    if octaves(ends.lower) < -most:
        parts.append(f'<path class="{verdict.outcome}" d="M{left:g} 3l-9 7l9 7z"/>')
    if verdict.empirical_lower > 0:
        parts.append(f'<path class="seen" d="M{place(verdict.empirical_lower):.2f} 10l-5 -7v14z"/>')
    label = (
        f"{verdict.outcome}: claimed at most {up(claimed)}, certified {certified_text(verdict, ends)}, runs show"
        f" at least {down(verdict.empirical_lower)}"
    )
    head = f'<svg class="strip" viewBox="0 0 {width:g} 20" role="img" aria-label="{html.escape(label)}">'
    return head + "".join(parts) + "</svg>"


# ------------------------------------------------------------------------------------ curves


def certified_deltas(verdict: Verdict, grid: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""What is certified of delta at every epsilon of a grid: upper and lower bounds, shape (len(grid),) each.

    The Gaussian pairs of the certified ends of mu, and what the certified epsilon at the claim's delta says of the
    rest of the curve: with $(\varepsilon_0,\delta_0)$ an upper end, $\delta(\varepsilon) \le \delta_0 +
    (1-\delta_0)\max(0, e^{\varepsilon_0}-e^\varepsilon)/(1+e^{\varepsilon_0})$ (the dominating pair of Kairouz, Oh
    and Viswanath, 2015, Section 3), and below a lower end $\delta(\varepsilon) \ge \delta_0$.
    """
    above, below = _gaussian(verdict.mu_squared.upper, grid)[1], _gaussian(verdict.mu_squared.lower, grid)[0]
    delta, least, most = float(verdict.claim.delta), float(verdict.epsilon.lower), float(verdict.epsilon.upper)
    if math.isfinite(most):
        # e^a - e^b over 1 + e^a, without overflow.
        excess = -np.expm1(np.minimum(grid - most, 0.0)) / (1 + math.exp(-most))
        above = np.minimum(above, delta + (1 - delta) * excess)
    return above, np.where(grid < least, np.maximum(below, delta), below)


def _gaussian(mu_squared: Bound, grid: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The certified ends of delta at every epsilon of a grid, shape (len(grid),) each."""
    if isinstance(mu_squared, float) and math.isinf(mu_squared):
        return np.ones_like(grid), np.ones_like(grid)
    value = exact(mu_squared) if isinstance(mu_squared, float) else mu_squared
    intervals = [gaussian_delta_at(value, exact(e)) for e in grid.tolist()]
    return np.array([x.lower for x in intervals]), np.array([x.upper for x in intervals])


def _seen(seen: Empirical, grid: FloatArray) -> FloatArray:
    """The largest delta that the tests' rates prove at each epsilon; NaN (not drawn) where they prove none."""
    best = np.zeros_like(grid)
    with np.errstate(over="ignore"):
        growth = np.exp(grid)
    for test in seen.tests.values():
        p, q = test.bounds.true_positive, test.bounds.false_positive
        best = np.maximum(best, np.maximum(p - growth * q, (1 - q) - growth * (1 - p)))
    return np.where(best > 0, best, np.nan)
