"""Accountants that know one Gaussian answer on a batch, asked about several.

An answer with a little less noise bounds from above, and one with a little more from below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeAlias

from dpref.privacy.events.batches import enclosed
from dpref.privacy.events.ledger import Event, Ledger
from dpref.privacy.interval import Interval
from dpref.units import Adjacency

Supports: TypeAlias = Callable[[Event, type[Adjacency]], bool]
Q = ParamSpec("Q")
Asked: TypeAlias = Callable[Concatenate[Ledger[Any], Q], Interval]


def supports_batches(supports: Supports) -> Supports:
    """Whether an accountant supports an event whose Gaussian answers on one batch are made one.

    >>> from dpref.privacy.events.expression import parse_event
    >>> from dpref.privacy.fast.accountant import supports
    >>> from dpref.units import ZeroOut
    >>> supports_batches(supports)(parse_event("poisson(compose(gaussian(1), 2), rate=1/10)"), ZeroOut)
    True
    """
    return lambda event, adjacency: supports(enclosed(event)[0], adjacency)


def on_batches(bound: Asked[Q]) -> Asked[Q]:
    """The same bound, of ledgers with several Gaussian answers on one batch too.

    >>> import dpref
    >>> from dpref.privacy.fast import accountant
    >>> ledger = Ledger(dpref.parse_event("poisson(compose(gaussian(3), 9), rate=1/10)"), dpref.ZeroOut)
    >>> on_batches(accountant.delta)(ledger, 1).lower > 0
    True
    """

    def bounded(ledger: Ledger[Any], /, *arguments: Q.args, **named: Q.kwargs) -> Interval:
        more, less = (replace(ledger, event=event) for event in enclosed(ledger.event))
        high = bound(more, *arguments, **named)
        if more == less or high.lower == 0.0:
            return high
        return replace(high, lower=min(high.lower, bound(less, *arguments, **named).lower))

    return bounded
