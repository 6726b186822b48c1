"""Facts about powers and moments that the divergences rest on: tangents, chords, distributions on two points."""

from __future__ import annotations

import sympy as sp

from proofs import kernel as k
from proofs.algebra import Claim
from proofs.search import States, grow, numbers, positive

ALPHA, BETA, EPSILON, Y, _SHARE = sp.symbols("alpha beta epsilon y m")


def moment(p: sp.Expr, q: sp.Expr) -> sp.Expr:
    """An outcome's term of the moment ``exp((alpha - 1) D_alpha)``."""
    return p**ALPHA * q ** (1 - ALPHA)


def nothing(claim: Claim, states: States) -> k.Fact:
    """``0 >= 0`` where the states start."""
    return k.sign(sp.S.Zero, ">=", tuple(d for d in claim.domain if d.symbol not in [x for x, _, _ in states]))


def bernoulli() -> k.Fact:
    """``exp((1 + beta) y) - 1 - (1 + beta) (exp y - 1) >= 0``: x^alpha above its tangent at one, x = exp y."""
    f, beta = sp.exp((1 + BETA) * Y) - 1 - (1 + BETA) * (sp.exp(Y) - 1), positive("beta")
    left = grow(f, Y, numbers("y", hi=0, ends="(]") + beta, anchor="hi")
    return k.join(left, grow(f, Y, numbers("y", lo=0, ends="()") + beta), Y)


def two_points() -> k.Fact:
    """Two points of range epsilon: ``alpha (alpha - 1) epsilon^2 / 8 - log(1 + m A) + alpha log(1 + m B) >= 0``.

    A = exp(alpha epsilon) - 1 and B = exp(epsilon) - 1.  It vanishes at the orders 0 and 1 and is convex; so it does
    not fall at 1, and beyond 1 neither.
    """
    rest = positive("epsilon") + numbers("m", lo=0, hi=1, ends="[]")
    log = sp.log(1 + _SHARE * (sp.exp(ALPHA * EPSILON) - 1)) - ALPHA * sp.log(1 + _SHARE * (sp.exp(EPSILON) - 1))
    f = (ALPHA - 1) * ALPHA * EPSILON**2 / 8 - log
    first, second = sp.diff(f, ALPHA), sp.diff(f, ALPHA, 2)
    ends, all_ = numbers("alpha", lo=0, hi=1, ends="[]") + rest, numbers("alpha", lo=0, ends="[)") + rest
    growing = sp.exp(ALPHA * EPSILON)
    weight = EPSILON**2 / 4 / (1 + _SHARE * (growing - 1)) ** 2
    convex = k.squares(second, ((weight, 1 - _SHARE - _SHARE * growing),), all_)
    inside = numbers("alpha", lo=0, hi=1) + rest
    rise = k.combine(ALPHA * second, ">=", ((ALPHA, k.instantiate(convex, (), inside)),), inside)
    tangent = grow(ALPHA * first - f, ALPHA, ends, growth=rise)  # at the order 0, from the order alpha
    steep = k.combine(
        first.subs(ALPHA, 1), ">=", ((sp.S.One, k.instantiate(tangent, ((ALPHA, sp.S.One),), rest)),), rest
    )
    beyond = numbers("alpha", lo=1, ends="[)") + rest
    up = grow(first, ALPHA, beyond, growth=k.instantiate(convex, (), numbers("alpha", lo=1) + rest), start=steep)
    return grow(f, ALPHA, beyond, growth=k.instantiate(up, (), numbers("alpha", lo=1) + rest))
