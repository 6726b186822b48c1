r"""Dominating pairs of sampled mechanisms: a record that may be absent mixes both sides of a pair.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 11
    (Poisson sampling), Proposition 30 (sampling without replacement).
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dpref.privacy.closed_forms.curves import added_factor, added_order, gaussian_curve, removed_order
from dpref.privacy.closed_forms.three_laws import batch_filled, batch_zeroed, poisson_replaced
from dpref.privacy.events.batches import rational_root
from dpref.privacy.pld.pair import Curve, Pair, PairSet, extended
from dpref.reals import BALL, ball


def mixed_first(curve: Curve, rate: Fraction) -> Curve:
    r"""The curve of $((1-\gamma)Q+\gamma P, Q)$ from that of (P, Q): $\gamma h$ at $1+(e^x-1)/\gamma$, if positive.

    References:
        Balle, Barthe and Gaboardi 2018, Theorem 2 (advanced joint convexity).
    """

    def mixed(x: arb) -> tuple[arb, arb]:
        gamma = ball(rate)
        alpha = removed_order(BALL, gamma, x)
        if alpha > 0:
            value, mass = curve(alpha.log())
            return gamma * value, mass
        outside = (-x.expm1(), arb(1))
        if alpha <= 0:
            return outside
        # The ball straddles the least loss ln(1 - gamma): the curve is convex and above both of its lines.
        return outside[0].union(outside[0] + gamma * alpha.upper().nonnegative_part()), arb(0).union(arb(1))

    return mixed


def mixed_second(curve: Curve, rate: Fraction) -> Curve:
    r"""The curve of $(P, (1-\gamma)P+\gamma Q)$ from that of (P, Q).

    With $c = 1-(1-\gamma)e^x$ it is c times the curve at $\gamma e^x/c$, and zero where c is not positive.
    """

    def mixed(x: arb) -> tuple[arb, arb]:
        gamma = ball(rate)
        rest = ball(1 - rate)
        c = added_factor(BALL, rest, x)
        if c > 0:
            value, mass = curve(added_order(BALL, gamma, c, x).log())
            return c * value, rest * value + gamma * mass / c
        if c <= 0:
            return arb(0), arb(0)
        return arb(0).union(c.upper()), arb(0).union(arb(1))

    return mixed


def poisson(name: str, base: PairSet, rate: Fraction) -> PairSet:
    """The pairs of a mechanism on a Poisson sample.

    Args:
        name: What the pairs are called.
        base: The mechanism's own, on a batch with the record and on one without it.
        rate: Probability of taking part, exact, in (0, 1].
    """
    if rate == 1:
        return base

    def removed(pair: Pair) -> Pair:
        finite = _finite(pair, rate, first=True)
        return Pair(f"{name}, removed", mixed_first(pair.curve, rate), finite=finite, smooth=pair.smooth)

    def added(pair: Pair) -> Pair:
        finite = _finite(pair, rate, first=False)
        return Pair(f"{name}, added", mixed_second(pair.curve, rate), finite=finite, smooth=pair.smooth)

    remove, add = removed(base.remove), added(base.add)
    return PairSet(
        remove,
        add,
        remove if base.attained_remove is base.remove else base.attained_remove and removed(base.attained_remove),
        add if base.attained_add is base.add else base.attained_add and added(base.attained_add),
        pointwise=base.pointwise,
    )


def _finite(pair: Pair, rate: Fraction, *, first: bool) -> Callable[[], tuple[arb, arb]] | None:
    """What mixing leaves of a side's infinite losses: its share on the side that is mixed, nothing on the other."""
    given = pair.finite
    if given is None:
        return None

    def masses() -> tuple[arb, arb]:
        p, q = given()
        return (1 - ball(rate) * (1 - p), arb(1)) if first else (arb(1), 1 - ball(rate) * (1 - q))

    return masses


def without_replacement(name: str, base: PairSet, rate: Fraction, *, attained: bool) -> PairSet:
    """The pairs of a mechanism on a batch of fixed size: first side mixed for e^x >= 1, second side for e^x < 1.

    Each alone is attained, with all other records equal, if what is released without the record is another record's
    answer.

    Args:
        name: What the pairs are called.
        base: The mechanism's own, under replace-one adjacency.
        rate: The batch's share of the records.
        attained: Whether the answer to a batch without the record is the answer to some other record.
    """
    if rate == 1:
        return base
    first, second = mixed_first(base.remove.curve, rate), mixed_second(base.remove.curve, rate)

    def combined(x: arb) -> tuple[arb, arb]:
        if x >= 0:
            return first(x)
        if x < 0:
            return second(x)
        (a, p), (b, q) = first(x), second(x)
        return a.union(b), p.union(q)

    given = base.remove.finite

    def masses() -> tuple[arb, arb]:
        p, q = (arb(1), arb(1)) if given is None else given()
        return 1 - ball(rate) * (1 - p), 1 - ball(rate) * (1 - q)

    bound = Pair(f"{name}, combined", combined, finite=given and masses, smooth=base.remove.smooth)
    real = base.attained_remove if attained else None
    return PairSet(
        bound,
        bound,
        real and Pair(f"{name}, mixed first", mixed_first(real.curve, rate), smooth=real.smooth),
        real and Pair(f"{name}, mixed second", mixed_second(real.curve, rate), smooth=real.smooth),
        pointwise=base.pointwise and attained,
    )


def replaced_in_sample(name: str, mu_squared: Fraction, rate: Fraction) -> PairSet:
    """The pair of a Gaussian answer to a Poisson sample under replace-one, which a query attains in every step.

    The other records contribute nothing, and the two records lie at opposite ends of the ball.

    Args:
        name: What the pair is called.
        mu_squared: Square of the ball's diameter over the standard deviation, exact; of several answers their sum.
        rate: Probability of taking part, exact, in (0, 1).
    """

    def curve(x: arb) -> tuple[arb, arb]:
        return poisson_replaced(ball(rate), _root(mu_squared / 4), x)

    pair = Pair(name, curve, smooth=True)
    return PairSet(pair, pair, pair, pair)


def zeroed_in_batch(name: str, mu_squared: Fraction, rate: Fraction) -> PairSet:
    """The pairs of a Gaussian answer to a batch of fixed size under zero-out.

    The worst other records are not the same at all losses: of each direction the pair that is worst at x >= 0 bounds,
    with the other direction's below; what is attained is each of these by itself.

    Args:
        name: What the pairs are called.
        mu_squared: Square of the distance of a contribution from a null record's over the standard deviation, exact;
            of several answers their sum.
        rate: The batch's share of the records, below 1.
    """

    def zeroed(x: arb) -> tuple[arb, arb]:
        return batch_zeroed(ball(rate), _root(mu_squared), x)

    filled = mixed_first(lambda x: gaussian_curve(BALL, x, _root(mu_squared)), rate)
    zeroed_really = extended(zeroed, lambda x: batch_filled(ball(rate), _root(mu_squared), x))
    return PairSet(
        Pair(f"{name}, zeroed out", extended(zeroed, filled), smooth=True),
        Pair(f"{name}, filled in", extended(filled, zeroed), smooth=True),
        Pair(f"{name}, zeroed out, attained", zeroed_really, smooth=True),
        Pair(f"{name}, filled in, attained", filled, smooth=True),
    )


def _root(square: Fraction) -> arb:
    root = rational_root(square)
    return ball(square).sqrt() if root is None else ball(root)
