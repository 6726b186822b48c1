r"""Basic composition of guarantees: $(\sum_i\varepsilon_i,\sum_i\delta_i)$, the deltas exact.

It is worse than what their dominating pairs compose to, except where delta is just the sum of the deltas: there the
pairs, in balls, cannot tell whether it suffices.  A guarantee on a sample of rate q is one of
$(\ln(1+q(e^\varepsilon-1)),q\delta)$.

References:
    Dwork and Roth, "The algorithmic foundations of differential privacy", 2014, Theorem 3.16.
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018, Theorems 8 and 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any, Final, TypeAlias

from flint import arb

from dpref.checks import open_unit, rational
from dpref.errors import UnsupportedEventError
from dpref.privacy.closed_forms.amplification import sampled_loss
from dpref.privacy.events.guarantees import Approximate, Profile
from dpref.privacy.events.ledger import Event, Ledger, Poisson, SampleWithoutReplacement
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval
from dpref.reals import BALL, DEFAULT_PRECISION, Exact, ball, float_up, precision, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

METHOD: Final = "basic composition of guarantees"
_MOST_CHOICES: Final = 10_000
_Table: TypeAlias = list[tuple[arb, Fraction]]


def supports(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether an event is a guarantee, or one on a sample.

    >>> supports(Poisson(Approximate(Fraction(1), Fraction(1, 100)), Fraction(1, 2)), AddOrRemoveOne)
    True
    """
    match event:
        case Poisson(inner, _):
            return adjacency is AddOrRemoveOne and supports(inner, adjacency)
        case SampleWithoutReplacement(Approximate() | Profile()):
            return adjacency is ReplaceOne
        case Profile():
            return event.added is None or adjacency is not ReplaceOne
        case _:
            return isinstance(event, Approximate)


def epsilon(ledger: Ledger[Any], delta: Exact) -> Interval:
    r"""An epsilon for which a ledger of guarantees is $(\varepsilon,\delta)$-DP: the least sum at a sum of deltas.

    Args:
        ledger: Events that `supports` takes.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Returns:
        ``[0, bound]``; infinite if the deltas add up to more.

    Raises:
        InvalidArgumentError: If delta is out of its domain or a float.
        UnsupportedEventError: If an event is not supported, or the tables have too many points.

    >>> from dpref.privacy.events.expression import parse_event
    >>> from dpref.units import ZeroOut
    >>> print(epsilon(Ledger(parse_event("compose(approximate(1, 1e-6), 10)"), ZeroOut), Fraction(1, 10**5)))
    epsilon in [0, 10]
    """
    d = open_unit("delta", delta)
    with precision(DEFAULT_PRECISION):
        found = min((upper(e) for e, spent in _sums(ledger) if spent <= d), default=float("inf"))
    return Interval(0.0, found, "epsilon", METHOD, DEFAULT_PRECISION, ledger.adjacency)


def delta(ledger: Ledger[Any], epsilon: Exact) -> Interval:
    r"""A delta for which a ledger of guarantees is $(\varepsilon,\delta)$-DP; as `epsilon`.

    >>> from dpref.privacy.events.expression import parse_event
    >>> from dpref.units import ZeroOut
    >>> print(delta(Ledger(parse_event("compose(approximate(1, 1e-6), 10)"), ZeroOut), 10))
    delta in [0, 0.00001000000001]
    """
    e = rational("epsilon", epsilon)
    with precision(DEFAULT_PRECISION):
        found = min([Fraction(1), *(spent for loss, spent in _sums(ledger) if loss <= ball(e))])
    return Interval(0.0, float_up(found), "delta", METHOD, DEFAULT_PRECISION, ledger.adjacency)


def _sums(ledger: Ledger[Any]) -> Iterator[tuple[arb, Fraction]]:
    """The sums of one guarantee of each event, equal events by the same one, the larger delta of both directions."""
    tables, choices = [], 1
    for event, count in multiplicities(ledger.event).items():
        if not supports(event, ledger.adjacency):
            raise UnsupportedEventError(f"{event} is no guarantee of epsilon and delta")
        tables.append([(e * count, d * count) for e, d in _table(event)])
        choices *= len(tables[-1])
    if choices > _MOST_CHOICES:
        raise UnsupportedEventError(f"{choices} choices of one point of each table are more than {_MOST_CHOICES}")
    for chosen in product(*tables):
        yield sum((e for e, _ in chosen), arb(0)), sum((d for _, d in chosen), Fraction(0))


def _table(event: Event) -> _Table:
    match event:
        case Poisson(inner, rate):
            return _sampled(_table(inner), rate)
        case SampleWithoutReplacement(inner, batch, records):
            return _sampled(_table(inner), Fraction(batch, records))
        case Approximate(epsilon, delta):
            return [(ball(epsilon), delta)]
        case Profile():
            pairs = zip(event.removed_points, event.added_points, strict=True)
            return [(ball(epsilon), max(delta, other)) for (epsilon, delta), (_, other) in pairs]
    raise UnsupportedEventError(f"{event} is no guarantee of epsilon and delta")


def _sampled(table: _Table, rate: Fraction) -> _Table:
    return table if rate == 1 else [(sampled_loss(BALL, ball(rate), e), rate * d) for e, d in table]
