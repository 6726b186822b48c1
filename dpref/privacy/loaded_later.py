"""The accountants whose modules are slow to import: a module is imported when its accountant is first asked.

The imports stand inside functions and name what they import, so that a type checker reads them.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

from dpref.privacy.accountant import Bound
from dpref.privacy.batched import Supports, on_batches, supports_batches
from dpref.privacy.events.ledger import Event, Ledger
from dpref.privacy.interval import Interval
from dpref.units import Adjacency


class Bounds(Protocol):
    """A module whose functions are an accountant's."""

    def supports(self, event: Event, adjacency: type[Adjacency], /) -> bool:
        """Return whether the accountant has a theorem for an event."""

    def epsilon(self, ledger: Ledger[Any], delta: Fraction, /) -> Interval:
        """Return an interval that holds epsilon at a delta."""

    def delta(self, ledger: Ledger[Any], epsilon: Fraction, /) -> Interval:
        """Return an interval that holds delta at an epsilon."""


def later(load: Callable[[], Bounds]) -> tuple[Supports, Bound, Bound]:
    """Return the three functions of a module, which the first call of one of them imports."""
    return (
        lambda event, adjacency: load().supports(event, adjacency),
        lambda ledger, delta: load().epsilon(ledger, delta),
        lambda ledger, epsilon: load().delta(ledger, epsilon),
    )


def later_on_batches(load: Callable[[], Bounds]) -> tuple[Supports, Bound, Bound]:
    """Return the same functions, which answer for several Gaussian answers on one batch too."""
    supports, epsilon, delta = later(load)
    return supports_batches(supports), on_batches(epsilon), on_batches(delta)


def curve() -> Bounds:
    """Import the curve of a single answer."""
    from dpref.privacy.pld import single_answer

    return single_answer


def smoothing() -> Bounds:
    """Import the accountant of gridded answers."""
    from dpref.privacy import smoothing as module

    return module


def rounds() -> Bounds:
    """Import the accountant of banded matrix mechanisms."""
    from dpref.privacy import rounds as module

    return module


def rounds_within(ledger: Ledger[Any], delta: Fraction, width: Fraction) -> Interval:
    """Return epsilon of banded matrix mechanisms, in an interval about as narrow as asked."""
    from dpref.privacy.rounds import within

    return within(ledger, delta, width)


def fast() -> Bounds:
    """Import privacy loss distributions in doubles."""
    from dpref.privacy.fast import accountant

    return accountant


def fast_within(ledger: Ledger[Any], delta: Fraction, width: Fraction) -> Interval:
    """Return epsilon by privacy loss distributions in doubles, in an interval about as narrow as asked."""
    from dpref.privacy.fast.accountant import epsilon

    return on_batches(epsilon)(ledger, delta, width=width)


def fast_curves() -> Bounds:
    """Import privacy loss distributions of curves, in doubles."""
    from dpref.privacy.fast import curves

    return curves


def renyi() -> Bounds:
    """Import Rényi divergences."""
    from dpref.privacy.renyi import accountant

    return accountant


def pld_epsilon(ledger: Ledger[Any], delta: Fraction, *, relative_width: Fraction | None = None) -> Interval:
    """Return epsilon by privacy loss distributions in balls; None asks for their usual width."""
    from dpref.privacy.pld import accountant

    width = accountant.DEFAULT_WIDTH if relative_width is None else relative_width
    return accountant.pld_epsilon(ledger, delta, relative_width=width)


def pld_delta(ledger: Ledger[Any], epsilon: Fraction) -> Interval:
    """Return delta by privacy loss distributions in balls."""
    from dpref.privacy.pld import accountant

    return accountant.pld_delta(ledger, epsilon)
