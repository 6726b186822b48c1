r"""The accountant of a single answer: the curve of its dominating pair, evaluated and inverted in balls.

One answer needs no grid.  Its $\delta(\varepsilon)$ is the curve h of its dominating pair at $\varepsilon\ge0$, the
larger of both directions, which `dpref.privacy.pld.pairs` gives as a formula in balls: for sampled mechanisms the
mixture $\gamma h(\ln(1+(e^\varepsilon-1)/\gamma))$ and its counterpart for the reversed pair.  What a query attains is
a curve too.  $\varepsilon(\delta)$ is a double at which the first curve is proved to be at most delta, and one at which
the second is proved to exceed it: since curves never rise, any two such doubles enclose it, and the search for
neighbouring ones decides only how narrow the interval is.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Theorem 11.
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018, Theorem 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, TypeVar

from flint import arb, ctx

from dpref.checks import open_unit, rational
from dpref.errors import DprefError, OutOfTimeError, UnsupportedEventError
from dpref.privacy.events.ledger import Event, Ledger
from dpref.privacy.events.walks import assumed, multiplicities
from dpref.privacy.interval import Interval, sign
from dpref.privacy.pld.pair import Curve, Pair, PairSet
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.searches import LAST, double, least_integer, ordinal
from dpref.privacy.time_limit import checkpoint
from dpref.reals import DEFAULT_PRECISION, Exact, ball, exact, lower, precision, upper
from dpref.units import Adjacency

A = TypeVar("A", bound=Adjacency)


METHOD: Final = "curve of a single answer"
_FINEST: Final = 512  # bits, beyond which a comparison is left undecided, and a smaller delta has no digits
_ACCURATE: Final = 2.0**-50


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether one mechanism event has a dominating pair under an adjacency.

    >>> from dpref.privacy.events.ledger import Laplace, Poisson
    >>> from dpref.units import AddOrRemoveOne, ReplaceOne
    >>> sampled = Poisson(Laplace(Fraction(1)), Fraction(1, 10))
    >>> supports(sampled, AddOrRemoveOne), supports(sampled, ReplaceOne)
    (True, False)
    """
    try:
        pairs(event, adjacency)
    except DprefError:
        return False
    return True


def is_single(ledger: Ledger[A]) -> bool:
    """Whether a ledger holds one answer, however it is written.

    >>> from dpref.privacy.events.ledger import Compose, Laplace, Repeat
    >>> from dpref.units import ZeroOut
    >>> is_single(Ledger(Compose((Repeat(Laplace(Fraction(1)), 1),)), ZeroOut))
    True
    """
    return sum(multiplicities(ledger.event).values()) == 1


def epsilon(ledger: Ledger[A], delta: Exact) -> Interval:
    r"""$\varepsilon(\delta)$ of a ledger with a single answer, certified.

    Args:
        ledger: One mechanism event that has a dominating pair under the ledger's adjacency.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        Neighbouring doubles, or nearly, where a query attains the dominating pair; otherwise its lower end is what
        some query attains, zero if none is known.

    Raises:
        InvalidArgumentError: If delta is out of its domain or a float.
        UnsupportedEventError: If the ledger is a composition, or its event has no dominating pair.

    >>> from dpref.privacy.events.ledger import Laplace, Poisson
    >>> from dpref.units import AddOrRemoveOne
    >>> sampled = Poisson(Laplace(Fraction(1)), Fraction(1, 10))
    >>> print(epsilon(Ledger(sampled, AddOrRemoveOne), Fraction(1, 10**6)))
    epsilon in [0.1585604393, 0.1585604394]
    """
    d = open_unit("delta", delta)
    found = _pairs(ledger)
    high, bits = _crossing(_bounds(found), d, 1.0, above=False)
    low, more = _crossing(_attained(found), d, high, above=True)
    return _interval(min(low, high), high, "epsilon", max(bits, more), found, ledger)


def delta(ledger: Ledger[A], epsilon: Exact) -> Interval:
    r"""$\delta(\varepsilon)$ of a ledger with a single answer, certified; as `epsilon`.

    Args:
        ledger: As for `epsilon`.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.

    >>> from dpref.privacy.events.ledger import Gaussian, Poisson
    >>> from dpref.units import AddOrRemoveOne
    >>> print(delta(Ledger(Poisson(Gaussian(Fraction(1)), Fraction(1, 100)), AddOrRemoveOne), 1))
    delta in [2.732009261E-9, 2.732009262E-9]
    """
    e = rational("epsilon", epsilon)
    found = _pairs(ledger)
    bits = DEFAULT_PRECISION
    low, high = 0.0, 1.0
    while True:
        try:
            checkpoint(METHOD)
            with precision(bits):
                x = ball(e)
                high = min(high, max(upper(curve(x)[0]) for curve in _bounds(found)))
                low = max([low, *(lower(curve(x)[0]) for curve in _attained(found))])
        except OutOfTimeError:
            if bits == DEFAULT_PRECISION:
                raise
            return _interval(max(0.0, min(low, high)), max(0.0, high), "delta", bits // 2, found, ledger)
        # Where nothing attains the pair, the width does not tell whether the digits suffice.
        done = high - low <= _ACCURATE * high if _is_tight(found) else bits > DEFAULT_PRECISION
        if done or bits >= _FINEST:
            return _interval(max(0.0, min(low, high)), max(0.0, high), "delta", bits, found, ledger)
        bits *= 2


def _pairs(ledger: Ledger[A]) -> PairSet:
    counts = multiplicities(ledger.event)
    if sum(counts.values()) != 1:
        raise UnsupportedEventError("answers for a single event, not for a composition")
    return pairs(next(iter(counts)), ledger.adjacency)


def _bounds(found: PairSet) -> Sequence[Curve]:
    return _curves(found.remove, found.add)


def _attained(found: PairSet) -> Sequence[Curve]:
    return _bounds(found) if found.pointwise else _curves(found.attained_remove, found.attained_add)


def _curves(*chosen: Pair | None) -> Sequence[Curve]:
    kept = {id(pair): pair.curve for pair in chosen if pair is not None}
    return tuple(kept.values())


def _is_tight(found: PairSet) -> bool:
    return found.pointwise or (found.attained_remove is found.remove and found.attained_add is found.add)


def _crossing(curves: Sequence[Curve], goal: Fraction, near: float, *, above: bool) -> tuple[float, int]:
    """The least double at which all curves are proved to be at most the goal, or the largest at which one exceeds it.

    Returns:
        That double (zero if none exceeds the goal, infinity if all doubles are too small), and the precision used.
    """
    used = DEFAULT_PRECISION

    def excess(x: float) -> int:
        """1 if some curve is proved to exceed the goal, -1 if all are proved not to, else 0."""
        nonlocal used
        checkpoint(METHOD)
        at = exact(x)
        signs = []
        for curve in curves:

            def difference(curve: Curve = curve) -> arb:
                nonlocal used
                used = max(used, ctx.prec)
                return curve(ball(at))[0] - ball(goal)

            signs.append(sign(difference, limit=_FINEST))
            if signs[-1] > 0:
                return 1
        return -1 if all(s < 0 for s in signs) else 0

    if not above:
        if excess(0.0) < 0:
            return 0.0, used
        return double(least_integer(ordinal(near), lambda k: k > LAST or excess(double(k)) < 0)), used
    if not curves or excess(0.0) <= 0:
        return 0.0, used
    beyond = least_integer(max(1, ordinal(near)), lambda k: k > LAST or excess(double(k)) <= 0)
    return double(beyond - 1), used


def _interval(low: float, high: float, quantity: str, bits: int, found: PairSet, ledger: Ledger[A]) -> Interval:
    slack = 0.0 if _is_tight(found) or low == high else math.nextafter(high - low, math.inf)
    slack = slack if math.isfinite(slack) else 0.0
    return Interval(low, high, quantity, METHOD, bits, ledger.adjacency, slack, assumed=assumed(ledger.event))
