"""The pictures of an HTML report, as SVG text: scores, privacy curves, and the strip that compares claims at a glance.

Colours that must follow the page's light or dark scheme are drawn as ``currentColor``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from dpref.audit.empirical import Empirical
from dpref.audit.rules import Beyond
from dpref.audit.terminal import down, up
from dpref.audit.verdict import Bound, Verdict
from dpref.figures import BLUE, GREEN, INK, ORANGE, PURPLE, RED, svg
from dpref.privacy.closed_forms.gaussian import gaussian_delta_at
from dpref.privacy.closed_forms.zcdp import zcdp_to_delta
from dpref.reals import FloatArray, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS: Final = 81
_DRAWN: Final = 1e100  # outcomes beyond it are counted and not drawn, as infinite ones are
_WIDEST: Final = 6.0  # the certified upper end is drawn up to this multiple of everything else


def scores_svg(verdict: Verdict) -> str:
    """Histograms of the finite scores on both data sets, and the test that speaks for the claim's unit."""
    seen = verdict.empirical
    test = seen.tests["rho" if verdict.claim.is_zcdp else "epsilon"]

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        drawn = [s[np.abs(s) < _DRAWN] for s in seen.scores]
        edges = np.histogram_bin_edges(np.concatenate(drawn), bins=50).tolist()
        for i, colour in enumerate((BLUE, ORANGE)):
            scores, left_out = drawn[i], seen.scores[i].size - drawn[i].size
            axes.plot(
                [], [], color=colour, label=f"neighbour {i}" + (f", {left_out} infinite or NaN" if left_out else "")
            )
            if scores.size:
                axes.hist(scores, edges, density=True, color=colour, alpha=0.25)
                axes.hist(scores, edges, density=True, color=colour, histtype="step", linewidth=1.2)
        at = test.rule.threshold if isinstance(test.rule, Beyond) else test.rule.value
        if abs(at) < _DRAWN:
            axes.axvline(at, color=INK, linewidth=0.9, linestyle="--", label=f"test: {test.rule}")
        else:
            axes.plot([], [], color=INK, linewidth=0.9, linestyle="--", label=f"test: {test.rule}")
        axes.set_xlabel("score of what is released")
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_title(
            f"true positives >= {down(test.bounds.true_positive)}, false positives <= {up(test.bounds.false_positive)}",
            fontsize=9.0,
            loc="left",
        )
        axes.legend(loc="best")

    return svg(draw, verdict.claim.id + "/scores")


def curves_svg(verdict: Verdict) -> str:
    """delta(epsilon): what is claimed, what is certified, and what the runs show."""
    others = (verdict.claimed_epsilon, verdict.epsilon.lower, verdict.empirical.epsilon)
    shown = max(0.5, *map(_finite, others))
    # A loose upper end must not squeeze everything else against the left margin.
    largest = min(max(shown, _finite(verdict.epsilon.upper)), _WIDEST * shown)
    grid = np.linspace(0.0, 1.25 * largest, _POINTS)
    floor = min(1e-6, float(verdict.claim.delta) / 1e3 or 1e-9)  # delta = 0 lies below any logarithmic axis

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        if verdict.declared is None:
            above, below = (np.maximum(curve, floor / 10) for curve in certified_deltas(verdict, grid))
            axes.fill_between(grid, below, above, color=PURPLE, alpha=0.25, linewidth=0)
            axes.plot(grid, above, color=PURPLE, linewidth=1.6, label="certified")
            axes.plot(grid, below, color=PURPLE, linewidth=0.8)
        _claimed_curve(axes, verdict, grid, floor)
        axes.plot(grid, _seen(verdict.empirical, grid), color=ORANGE, linewidth=1.4, label="empirical, at least")
        if verdict.claim.delta > 0:
            axes.axhline(float(verdict.claim.delta), color=INK, linewidth=0.5, linestyle=":")
        axes.set_yscale("log")
        axes.set_ylim(floor, 1.3)
        axes.set_xlim(0.0, float(grid[-1]))
        axes.set_xlabel("epsilon")
        axes.set_title("delta(epsilon)", fontsize=9.0, loc="left")
        axes.legend(loc="best")

    return svg(draw, verdict.claim.id + "/curves")


def strip_svg(verdict: Verdict) -> str:
    """Loss over claimed loss on a logarithmic axis: the claim is the middle line, the certified interval a bar."""
    claimed = verdict.claim.claimed.value
    width, middle, half = 200.0, 100.0, 88.0

    def place(bound: Bound) -> float:
        if bound <= 0:
            return middle - half
        if bound == math.inf:
            return middle + half
        ratio = Fraction(bound) / claimed  # of any size: a double could overflow
        octaves = math.log2(ratio.numerator) - math.log2(ratio.denominator)
        return middle + half * max(-4.0, min(4.0, octaves)) / 4.0

    low, high = place(verdict.certified.lower), place(verdict.certified.upper)
    colour = {"holds": GREEN, "refuted": RED, "undecided": PURPLE}[verdict.outcome]
    parts = [
        f'<line x1="{middle - half}" x2="{middle + half}" y1="10" y2="10" stroke="currentColor" stroke-opacity=".2"/>',
        f'<line x1="{middle}" x2="{middle}" y1="2" y2="18" stroke="currentColor" stroke-width="1.5"/>',
        f'<rect x="{low - 2:.2f}" y="5" width="{max(high - low, 0) + 4:.2f}" height="10" rx="2" fill="{colour}"/>',
    ]
    if verdict.empirical_lower > 0:
        x = place(verdict.empirical_lower)
        parts.append(f'<path d="M{x:.2f} 10 l-4 -5 v10 z" fill="{ORANGE}"/>')
    label = f"{verdict.outcome}: the true loss beside the claimed one"
    head = f'<svg viewBox="0 0 {width:g} 20" width="{width:g}" height="20" role="img" aria-label="{label}">'
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


def _claimed_curve(axes: Axes, verdict: Verdict, grid: FloatArray, floor: float) -> None:
    claim = verdict.claim
    colour = GREEN if verdict.outcome == "holds" else RED
    if claim.is_zcdp:
        rho = claim.claimed.value
        deltas = [zcdp_to_delta(rho, exact(e)).upper for e in grid.tolist()]
        axes.plot(grid, deltas, color=colour, linewidth=1.4, linestyle="--", label="claimed, at most")
        return
    epsilon, delta = float(claim.claimed.value), max(float(claim.claimed.delta), floor)
    axes.plot(
        [epsilon, epsilon, float(grid[-1])], [1.0, delta, delta], color=colour, linewidth=1.4, linestyle="--",
        label="claimed, at most",
    )  # fmt: skip
    axes.plot([epsilon], [delta], "o", color=colour, markersize=5)


def _seen(seen: Empirical, grid: FloatArray) -> FloatArray:
    """The largest delta that the tests' rates prove at each epsilon; NaN (not drawn) where they prove none."""
    best = np.zeros_like(grid)
    with np.errstate(over="ignore"):
        growth = np.exp(grid)
    for test in seen.tests.values():
        p, q = test.bounds.true_positive, test.bounds.false_positive
        best = np.maximum(best, np.maximum(p - growth * q, (1 - q) - growth * (1 - p)))
    return np.where(best > 0, best, np.nan)


def _finite(bound: Bound) -> float:
    return float(bound) if math.isfinite(bound) else 0.0
