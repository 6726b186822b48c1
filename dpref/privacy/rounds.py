"""The accountant of banded matrix mechanisms with cyclic Poisson sampling: between two ledgers of sampled Gaussians.

The norm of a column is a square root, and other accountants take rational noise multipliers.  With a little less noise
a round spends no less, with a little more no more (noise that is added afterwards is post-processing); both ledgers are
asked of the other accountants, the first for the upper end, the second for the lower one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from dpref.checks import open_unit, positive_rational, rational
from dpref.errors import UnsupportedEventError
from dpref.privacy.accountants import accountant_named, certify
from dpref.privacy.closed_forms.roots import rational_root
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, Poisson, Repeat
from dpref.privacy.events.matrix import SampledColumn
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.interval import Interval
from dpref.reals import Exact
from dpref.units import Adjacency, ReplaceOne

METHOD: Final = "rounds"


def supports(event: Event, _: type[Adjacency]) -> bool:
    """Whether an event is a round of a banded matrix mechanism.

    >>> supports(Gaussian(Fraction(1)), ReplaceOne)
    False
    """
    return isinstance(event, SampledColumn)


def epsilon(ledger: Ledger[Any], delta: Exact) -> Interval:
    r"""$\varepsilon(\delta)$ of a ledger of rounds, certified.

    Args:
        ledger: Rounds of banded matrix mechanisms alone.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).

    Raises:
        InvalidArgumentError: If delta is out of its domain or a float.
        UnsupportedEventError: If another event is in the ledger.

    >>> from dpref.privacy.events.matrix import PrefixSumSqrt
    >>> banded = PrefixSumSqrt(Fraction(2), 600, bands=4, min_separation=4, rate=Fraction(1, 50))
    >>> found = epsilon(Ledger(banded, ReplaceOne), Fraction(1, 10**5))
    >>> 0 < found.lower < found.upper < 1.03 * found.lower
    True
    """
    d = open_unit("delta", delta)
    most = certify(_nearby(ledger, up=False), delta=d)
    return _between(most, certify(_nearby(ledger, up=True), delta=d))


def within(ledger: Ledger[Any], delta: Fraction, width: Fraction) -> Interval:
    """`epsilon` in an interval about as narrow as asked, where the fast path answers for sampled Gaussians.

    Args:
        ledger: As for `epsilon`.
        delta: As for `epsilon`.
        width: How wide the interval may be.

    >>> from dpref.units import ZeroOut
    >>> ledger = Ledger(Repeat(SampledColumn(Fraction(2), Fraction(2), Fraction(1, 100)), 100), ZeroOut)
    >>> within(ledger, Fraction(1, 10**5), Fraction(1, 10**4)).width < 2e-4
    True
    """
    fast, d, w = accountant_named("fast"), open_unit("delta", delta), positive_rational("width", width)
    dearer, cheaper = (_nearby(ledger, up=up) for up in (False, True))
    if fast.within is None or fast.refused(dearer):
        return epsilon(ledger, d)
    return _between(fast.within(dearer, d, w), fast.within(cheaper, d, w))


def delta(ledger: Ledger[Any], epsilon: Exact) -> Interval:
    r"""$\delta(\varepsilon)$ of a ledger of rounds, certified; as `epsilon`.

    Args:
        ledger: As for `epsilon`.
        epsilon: The epsilon of (epsilon, delta)-DP, exact, not negative.

    >>> one = SampledColumn(Fraction(1), Fraction(1), Fraction(1, 100))
    >>> from dpref.units import ZeroOut
    >>> print(delta(Ledger(one, ZeroOut), 1))
    delta in [2.732009261E-9, 2.732009262E-9]
    """
    e = rational("epsilon", epsilon)
    most = certify(_nearby(ledger, up=False), epsilon=e)
    return _between(most, certify(_nearby(ledger, up=True), epsilon=e))


def _nearby(ledger: Ledger[Any], *, up: bool) -> Ledger[Any]:
    """The ledger with Gaussian answers to Poisson samples, of rational multipliers a little smaller or larger."""
    made: list[Event] = []
    for event, count in multiplicities(ledger.event).items():
        if not isinstance(event, SampledColumn):
            raise UnsupportedEventError(f"{METHOD}: {event} is no round of a banded matrix mechanism")
        norm = event.squared_norm if event.attained is None or not up else event.attained
        if norm == 0:
            continue
        made.append(Repeat(_sampled(event, norm, ledger.adjacency, up=up), count))
    return Ledger(made[0] if len(made) == 1 else Compose(tuple(made)), ledger.adjacency)


def _sampled(event: SampledColumn, squared_norm: Fraction, adjacency: type[Adjacency], *, up: bool) -> Event:
    replaced = adjacency is ReplaceOne
    squared_multiplier = event.noise_multiplier**2 / (squared_norm * (4 if replaced else 1))
    answer = Gaussian(rational_root(squared_multiplier, up=up))
    return answer if event.rate == 1 else Poisson(answer, event.rate, "ball" if replaced else None)


def _between(most: Interval, least: Interval) -> Interval:
    """The upper end of the one and the lower end of the other."""
    low = min(least.lower, most.upper)
    width = math.nextafter(most.upper - low, math.inf) if low < most.upper < math.inf else 0.0
    slack = width if math.isfinite(width) else 0.0
    return replace(most, lower=low, slack=slack, wide=most.wide or least.wide)
