"""The dominating pairs of a mechanism of the user's own: nothing is known of it but what its event assumes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Final

from flint import arb, ctx

from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.curves import finite_curve
from dpref.privacy.events.custom import (
    AssumedPair,
    CurvePair,
    Custom,
    FinitePair,
    GibbsPair,
    Outcomes,
    reversed_outcomes,
)
from dpref.privacy.pld.pair import Curve, Pair, PairSet, Split, common_lattice, worse
from dpref.reals import ball, precision
from dpref.units import Adjacency, ReplaceOne

_MOST_STEPS: Final = 200
_KINK_BITS: Final = 96  # fewer than a grid has, so that it tells a kink from the grid point above it


def assumed_pairs(event: Custom, adjacency: type[Adjacency]) -> PairSet:
    """The pairs of a mechanism of the user's own under an adjacency.

    Where a record is replaced both orders of two neighbours are neighbours, in every step of a composition: a pair that
    differs from its reverse is combined with it.

    Raises:
        UnsupportedEventError: If the event assumes no pair under that adjacency.
    """
    given = event.pair(adjacency)
    if given is None:
        why = f"no pair is assumed under it; give {adjacency.name.replace('-', '_')}"
        raise UnsupportedEventError(f"custom({event.name}) under {adjacency.name}: {why}")
    forward = _pair(f"custom({event.name})", given, forward=True)
    backward = forward if given.symmetric else _pair(f"custom({event.name}), reversed", given, forward=False)
    attained = (forward, backward) if given.attained else (None, None)
    if adjacency is ReplaceOne and not given.symmetric:
        both = worse(f"custom({event.name}), both orders", forward, backward)
        return PairSet(both, both, *attained)
    return PairSet(forward, backward, *attained)


def _pair(name: str, given: AssumedPair, *, forward: bool) -> Pair:
    if isinstance(given, CurvePair):
        return Pair(name, given.curve if forward else _reversed(given.curve))
    made: dict[int, Outcomes] = {}

    def outcomes() -> Outcomes:
        if ctx.prec not in made:
            found = given.outcomes()
            made[ctx.prec] = found if forward else reversed_outcomes(found)
        return made[ctx.prec]

    def finite() -> tuple[arb, arb]:
        without = [(p, q) for loss, p, q in outcomes() if loss.is_finite()]
        return sum((p for p, _ in without), arb(0)), sum((q for _, q in without), arb(0))

    whole = all(loss.is_finite() for loss, _, _ in outcomes())
    split = _split(given, outcomes, forward=forward) if isinstance(given, GibbsPair) else None
    kinks = _kinks(given) if isinstance(given, FinitePair) else None if split else Fraction(0)
    return Pair(name, lambda x: finite_curve(x, outcomes()), split, None if whole else finite, kinks)


def _kinks(given: FinitePair) -> Fraction:
    """Very nearly the largest number of which all losses are multiples; zero if no simple one is found."""
    common = Fraction(1)
    for ratio in (p / q for p, q in zip(given.first, given.second, strict=True) if p and q):
        # Euclid's algorithm on logarithms; powers of one number only become smaller by it.
        a, b = max(ratio, 1 / ratio), common
        largest = max(a.numerator, b.numerator)
        for _ in range(_MOST_STEPS):
            if b == 1 or a.numerator > largest:
                break
            a, b = (a / b, b) if a >= b else (b, a)
        if b != 1:
            return Fraction(0)
        common = a
    with precision(_KINK_BITS):
        mantissa, exponent = ball(common).log().lower().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _split(given: GibbsPair, outcomes: Callable[[], Outcomes], *, forward: bool) -> Split | None:
    """The atoms on a lattice, where the losses are exact and not all zero."""
    losses = given.losses
    if losses is None or not any(losses):
        return None
    lattice = reduce(common_lattice, map(abs, losses))
    multiples = [(loss if forward else -loss) / lattice for loss in losses]

    def atoms() -> list[tuple[int, arb]]:
        merged: dict[int, arb] = {}
        for multiple, (_, p, _) in zip(multiples, outcomes(), strict=True):
            merged[multiple.numerator] = merged.get(multiple.numerator, arb(0)) + p
        return sorted(merged.items())

    return Split(lattice, atoms)


def _reversed(curve: Curve) -> Curve:
    r"""The curve of (Q, P) from that of (P, Q): $e^xh(-x)+1-e^x$, with the mass $P(L\le-x)$."""

    def backward(x: arb) -> tuple[arb, arb]:
        value, mass = curve(-x)
        return x.exp() * value - x.expm1(), 1 - value - (-x).exp() * mass

    return backward
