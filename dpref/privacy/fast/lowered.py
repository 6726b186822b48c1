r"""A dominated measure from the dominating one: its chords, lowered by what they lie above the curve.

`dpref.privacy.fast.upper` splits every cell's mass to the cell's ends, which interpolates $\delta$ linearly in $\alpha
= e^\varepsilon$.  How far a chord lies above $\delta$ within the cell $[A, A']$, its *gap*, is bounded twice:

* by its slopes at the ends, which are $a/A$ and $b/A'$ with a and b the parts: where both lines meet it is
  $\frac{ab(1-e^{-h})}{a+be^{-h}}$;
* by the largest density g of the ratio under Q: a ratio r raises the chord at $\alpha$ above $(r-\alpha)_+$ by
  $\frac{(\min(r,\alpha)-A)(A'-\max(r,\alpha))}{A'-A}$, whose integral over r is at most $\frac{(A'-A)^2}8$
  (obligation ``fast-path/gap``).  The density at z is $\varphi(z)/(\mu r(z))$ with $r = qe^{\mu z-\mu^2/2}$; its
  logarithm is concave with second derivative -1, so that within a cell of width w it exceeds that at both ends by at
  most $w^2/8$.

`dpref.privacy.fast.coarser` makes a measure of the lowered chords.  On a fine grid that keeps as much as merging cells
does (`dpref.privacy.fast.lower`), and it takes no search for edges and hardly any balls; on a grid that is coarse for
the losses merging keeps more, and this refuses.

For the reversed pair everything is read at $1/\alpha$: parts of a cell are $be^{-x'}$ and $ae^{-x}$, and a gap is
divided by $\alpha\ge A$.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Final

import numpy as np
from flint import arb

from dpref.privacy.fast.cells import REACH, Pair
from dpref.privacy.fast.coarser import SPARE, below_chords
from dpref.privacy.fast.exp import LESS_ERROR, UNIT, exponential
from dpref.privacy.fast.measure import LEAST_MASS, GridMeasure
from dpref.privacy.fast.upper import Grid, grid, split
from dpref.reals import FloatArray, ball, precision

GAP_SLACK: Final = 2.0**-12  # relatively, on a gap: more than all that the numbers in it are off
_BITS: Final = 128
_FARTHEST: Final = 36.0  # where the normal density is still far from the end of the range of doubles


def lowered(pair: Pair, step: Fraction, reach: float = REACH) -> tuple[GridMeasure, GridMeasure]:
    """The dominated measures of the pair (P, Q) and of the reversed pair (Q, P).

    Args:
        pair: Sampling rate and noise multiplier.
        step: h, the width of the grid's cells, exact.
        reach: How many standard deviations are kept on either side.

    Returns:
        Removal, addition.

    Raises:
        PrecisionError: If the grid cannot be built, or is too coarse.

    >>> remove, add = lowered(Pair(Fraction(1, 2), Fraction(2)), Fraction(1, 200))
    >>> bool(0.9999 < remove.masses.sum() <= 1 and 0.9999 < add.masses.sum() <= 1)
    True
    """
    g = grid(pair, step, reach)
    cells = split(g)
    left, right = cells.left * (1 - cells.own), cells.right * (1 - cells.own)
    with precision(_BITS):
        h = ball(step)
        up, down, shrunk = (float(x.mid()) for x in (1 / h.expm1(), -1 / (-h).expm1(), (-h).exp()))
    least = np.where(left + right > 0, left + right * shrunk, 1.0)
    by_slopes = right * (left / least) / down * (1 + 2 * cells.own)  # far out a product of both would underflow
    gap = np.minimum(by_slopes, _by_density(g, up, shrunk)) * (1 + GAP_SLACK)
    granted, off = SPARE * UNIT, 3 * float(np.max(cells.own)) + 2 * cells.relative
    forward = below_chords(left, right, gap, (up, down), granted, off)
    swapped = [x[::-1] for x in (right / g.exps[1:], left / g.exps[:-1], gap / g.exps[:-1])]
    backward = below_chords(swapped[0], swapped[1], swapped[2], (up, down), granted, off)
    start, last = step * g.first, step * (g.first + len(g.points) - 1)
    relative = cells.relative + granted
    return (
        GridMeasure(start, step, np.where(forward < LEAST_MASS, 0.0, forward), 0.0, relative),
        GridMeasure(-last, step, np.where(backward < LEAST_MASS, 0.0, backward), 0.0, relative),
    )


def _by_density(g: Grid, up: float, shrunk: float) -> FloatArray:
    r"""The bound on the gap of every cell of less than the width one by the density of the ratio; infinite for others.

    With $\alpha$ at a point it is $\varphi\alpha\cdot\frac\alpha{\mu r}$ times the squared width over $\alpha^2$,
    in this order: the density of the ratio under Q may be below all doubles where that under P is not.

    The ratio there is recomputed at the rounded ends, so that their densities are known: they are off by what z is off
    times |z|, at most, and by the ratio's own error.
    """
    inside = np.flatnonzero(np.abs(g.points) < _FARTHEST)
    z, ratio = g.points[inside], g.ratio[inside]
    off = np.abs(g.pair.ratio(z) / ratio - 1) + g.pair.ratio_error(np.abs(z)) + LESS_ERROR * UNIT
    known = off * (1.01 / g.pair.mu) * (np.abs(z) + 1) + off < GAP_SLACK / 4
    exps = g.exps[inside]
    density = np.full(len(g.points), np.inf)
    density[inside[known]] = (exponential(-(z**2) / 2) * exps * (exps / (g.pair.mu * ratio)))[known]
    with np.errstate(invalid="ignore"):
        width = np.diff(g.points)
    near = np.flatnonzero(width < 1)
    bound = np.full(len(width), np.inf)
    most = np.maximum(density[near], density[near + 1] * shrunk**2)  # both with the lower end's alpha
    bound[near] = most * exponential(width[near] ** 2 / 8) / up**2 * _eighth_of_density()
    return bound


@cache
def _eighth_of_density() -> float:
    with precision(_BITS):
        return float((1 / (8 * (2 * arb.pi()).sqrt())).mid())
