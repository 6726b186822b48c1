"""Whole curves: privacy profiles at negative losses, trade-off functions by duality, and the Gaussian-DP parameter."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from proofs.registry import Goal, Paper, equal, goal
from proofs.search import numbers, positive

obligation = Paper("whole-curves", "dong2022gaussian").obligation
P, Q, A, Y, Z, T = sp.symbols("p q a y z t")


@obligation("mirror", tests=("tests/test_curves.py::test_finite_pairs_against_enumeration",))
def mirror() -> Sequence[Goal]:
    r"""A privacy curve at negative losses is that of the other direction.

    For every event S with masses p and q, and $a=e^x$, $P(S)-aQ(S)=1-a+a(Q(S^c)-\frac1aP(S^c))$; the largest value over
    all S on either side is $h(x)=1-e^x+e^x\bar h(-x)$.
    """
    domain = numbers("p", "q") + positive("a")
    return [equal(P - A * Q, 1 - A + A * ((1 - Q) - (1 - P) / A), domain, "an event and its complement")]


@obligation("tangents", item="Proposition 2.12", tests=("tests/test_curves.py::test_gaussians_are_exact",))
def tangents() -> Sequence[Goal]:
    r"""Every upper end of a privacy curve bounds all tests from below.

    A test with errors q and $1-p$ has $p-aq\le h$, say $h=p-aq+y$ with $y\ge0$, at every $a=e^x$: its type II error is
    at least $1-h-aq$, whatever a was tried.
    """
    domain = numbers("p", "q") + positive("a") + numbers("y", lo=0, ends="[)")
    return [goal((1 - P) - (1 - (P - A * Q + Y) - A * Q), ">=", domain, note="the error above the tangent")]


@obligation("cells", item="Corollary 2.13", tests=("tests/test_curves.py::test_tangents_cover_whole_cells",))
def cells() -> Sequence[Goal]:
    r"""A tangent above a chord at both ends of a cell is above it inside.

    The slacks y and z at the ends are not negative, so neither is what lies between. A convex curve is below the chord
    of its upper ends, and a Gaussian's is above its tangent: on such a cell the Gaussian's is above.
    """
    domain = numbers("t", lo=0, hi=1, ends="[]") + numbers("y", "z", lo=0, ends="[)")
    return [goal(T * Y + (1 - T) * Z, ">=", domain, note="the slack inside")]
