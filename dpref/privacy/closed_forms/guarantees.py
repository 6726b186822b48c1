r"""The curves of guarantees: the largest that a table of (epsilon, delta) allows, and what zCDP allows at a level.

Write $\alpha=e^x$ and $h(x)=\sup_SP(S)-\alpha Q(S)$.  As a function of $\alpha\ge0$ it is convex, never rises, is 1 at
zero, and the two orders of the data sets are tied by $h(x)=1-e^x+e^xh'(-x)$, $h'$ the curve of $(Q,P)$.  What is known
at some levels therefore bounds h at all: the largest such function below all that is known is the curve of a pair, so
it composes.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022.
    Kairouz, Oh and Viswanath, "The composition theorem for differential privacy", 2015.
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy", 2020, Proposition 12.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias, final

from flint import arb

from dpref.privacy.closed_forms.conversions import renyi_delta_optimised, zcdp_renyi
from dpref.privacy.closed_forms.zcdp import best_excess
from dpref.reals import BALL, Ops, T, ball

Points: TypeAlias = Sequence[tuple[Fraction, Fraction]]


def reversed_delta(o: Ops[T], alpha: T, delta: T) -> T:
    r"""$1-\alpha(1-\delta)$: what $(\ln\frac1\alpha,\delta)$ in one order says of $\alpha<1$ in the other.

    >>> from dpref.reals import RATIONAL
    >>> reversed_delta(RATIONAL, Fraction(1, 3), Fraction(1, 100))
    Fraction(67, 100)
    """
    return 1 - alpha * (1 - delta)


@final
@dataclass(frozen=True)
class _Dot:
    """A level and what the curve is at most there."""

    loss: Fraction | None  # None for the level of minus infinity, where the curve is one
    alpha: arb
    value: arb

    def fall(self, later: _Dot) -> arb:
        """How fast the line to a later dot falls, in alpha."""
        return (self.value - later.value) / (later.alpha - self.alpha)


def table_atoms(removed: Points, added: Points) -> list[tuple[Fraction | float, arb, arb]]:
    r"""Atoms (loss, P, Q) of the pair that dominates every mechanism of a table of guarantees.

    Its curve is the lower convex hull, in $\alpha=e^x$, of what the table says at $\alpha_i=e^{\varepsilon_i}$, of what
    the other order's says at $1/\alpha_i$ (`reversed_delta`), and of 1 at zero; it is horizontal after its last point.
    A point that is not proved to lie below the others' line is left out, which bounds all the same.

    Args:
        removed: (epsilon, delta) of the pair in this order, by increasing epsilon.
        added: The same of the pair in the other order.

    >>> [(loss, round(float(p), 3)) for loss, p, _ in table_atoms([(1, Fraction(1, 10))], [(1, Fraction(1, 10))])]
    [(-inf, 0.0), (Fraction(-1, 1), 0.242), (Fraction(1, 1), 0.658), (inf, 0.1)]
    """
    hull = [_Dot(None, arb(0), arb(1))]
    for dot in _dots(removed, added):
        while len(hull) > 1 and not hull[-2].fall(hull[-1]) > hull[-1].fall(dot):
            hull.pop()
        if dot.value < hull[-1].value:
            hull.append(dot)
    falls = [a.fall(b) for a, b in pairwise(hull)]
    atoms: list[tuple[Fraction | float, arb, arb]] = [(-math.inf, arb(0), 1 - falls[0])]
    for dot, before, after in zip(hull[1:], falls, [*falls[1:], arb(0)], strict=True):
        if dot.loss is not None:
            atoms.append((dot.loss, dot.alpha * (before - after), before - after))
    return [*atoms, (math.inf, hull[-1].value, arb(0))]


def _dots(removed: Points, added: Points) -> list[_Dot]:
    """What is known, from the left; where both orders speak of one level the smaller counts."""
    values: dict[Fraction, arb] = {}
    for epsilon, delta in added:
        values[-Fraction(epsilon)] = reversed_delta(BALL, ball(-epsilon).exp(), ball(delta))
    for epsilon, delta in removed:
        value = ball(delta)
        values[Fraction(epsilon)] = values[Fraction(0)].min(value) if not epsilon and 0 in values else value
    return [_Dot(loss, ball(loss).exp(), values[loss]) for loss in sorted(values)]


def concentrated_delta(rho: Fraction, xi: Fraction, x: arb) -> tuple[arb, arb]:
    r"""The least $\frac{e^{(a-1)(\xi+\rho a-x)}}{a-1}(1-\frac1a)^a$ over orders $a>1$, at $x\ge0$, and its slope.

    Every order gives a bound, so the best is looked for in doubles, and only its bound is evaluated in balls.

    Returns:
        The bound, and $q$ such that $-q$ is its slope in $e^x$.

    >>> print(concentrated_delta(Fraction(1, 2), Fraction(0), arb(1))[0].str(12, radius=False))
    0.246846330783
    """
    excess = arb(best_excess(ball(rho), x - ball(xi)))
    value = renyi_delta_optimised(BALL, ball(xi) + zcdp_renyi(BALL, ball(rho), 1 + excess), 1 + excess, x)
    return (value, excess * value * (-x).exp()) if value < 1 else (arb(1), arb(0))
