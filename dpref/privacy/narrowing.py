"""Narrower intervals, where a ledger's first one does not decide: by asking accountants that can choose their width."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from dpref.checks import open_unit, positive_rational
from dpref.errors import PrecisionError
from dpref.privacy.accountant import Accountant
from dpref.privacy.accountants import BEST, accountant_named, accountants, certify, quick_accountant
from dpref.privacy.events.ledger import Ledger
from dpref.privacy.events.walks import alternatives
from dpref.privacy.interval import Interval
from dpref.reals import Exact, exact

FINER: Final = 6  # by which an interval that decides nothing is narrowed
_WORTH_IT: Final = 0.7


def certify_within(ledger: Ledger[Any], delta: Exact, width: Exact, accountant: str = BEST) -> Interval:
    r"""Epsilon at a delta, in an interval about as narrow as asked, if some accountant can do that.

    Args:
        ledger: As for `dpref.privacy.accountants.certify`.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        width: Exact, positive: how wide the interval may be.
        accountant: As for ``ledger``; ``"best"`` asks the accountants in turn until one is narrow enough.

    Returns:
        The intersection of what was found, which may still be wider.

    Raises:
        InvalidArgumentError: If an argument is out of its domain.
        UnsupportedEventError: If no accountant supports the ledger.
        PrecisionError: If none of those that support it reaches a certified answer, or two answers contradict each
            other.
    """
    d, w = open_unit("delta", delta), positive_rational("width", width)
    found = _first(ledger, d, accountant)
    for candidate in _narrower(ledger, accountant):
        if found.width <= w:
            break
        try:
            finer = _within(candidate, ledger, d, w)
        except PrecisionError:
            continue
        found = found.intersection(finer)
    return found


def narrowing(
    ledger: Ledger[Any],
    delta: Exact,
    accountant: str = BEST,
    known: Interval | None = None,
    wanted: Exact | None = None,
) -> Iterator[Interval]:
    r"""Epsilon at a delta, in narrower and narrower intervals, as long as some accountant finds one.

    Args:
        ledger: As for `dpref.privacy.accountants.certify`.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        accountant: As for `certify_within`.
        known: An interval to begin with; by default what a quick accountant answers.
        wanted: A width to ask for first, where it is less than what the next one would be.

    Yields:
        Intersections of all that was found so far, and first of all the one to begin with.

    Raises:
        InvalidArgumentError: If delta is out of its domain.
        UnsupportedEventError: If no accountant supports the ledger.
        PrecisionError: If none of those that support it reaches a certified answer, or two answers contradict each
            other.

    >>> from dpref.privacy.examples import sampled_gaussians
    >>> narrower = narrowing(sampled_gaussians(steps=1000), Fraction(1, 10**6))
    >>> next(narrower).width > 2 * next(narrower).width
    True
    """
    d = open_unit("delta", delta)
    first = None if wanted is None else positive_rational("wanted", wanted)
    found = _first(ledger, d, accountant) if known is None else known
    yield found
    for candidate in _narrower(ledger, accountant):
        width = math.inf
        while found.width > 0:
            asked = exact(found.width) / FINER if found.width < math.inf else Fraction(1)
            if first is not None:
                asked, first = min(asked, first), None
            try:
                finer = _within(candidate, ledger, d, asked)
            except PrecisionError:
                break
            found = found.intersection(finer)
            yield found
            if not finer.width < _WORTH_IT * width:
                break
            width = finer.width


def _first(ledger: Ledger[Any], delta: Fraction, accountant: str) -> Interval:
    return certify(ledger, delta=delta, accountant=quick_accountant(ledger) if accountant == BEST else accountant)


def _narrower(ledger: Ledger[Any], accountant: str) -> tuple[Accountant, ...]:
    """Who can be asked for a narrower interval: nobody of parallel parts, nor if there is a closed form.

    No interval is narrower than a closed form's.
    """
    if len(alternatives(ledger.event)) > 1:
        return ()
    asked = accountants() if accountant == BEST else (accountant_named(accountant),)
    able = [a for a in asked if not a.refused(ledger)]
    names = {a.name for a in able}
    finer = (a for a in able if a.within is not None and names.isdisjoint(a.after))
    return () if any(a.closed_form for a in able) else tuple(finer)


def _within(candidate: Accountant, ledger: Ledger[Any], delta: Fraction, width: Fraction) -> Interval:
    if candidate.within is None:
        raise PrecisionError(f"{candidate.name} has one width only")
    return replace(candidate.within(ledger, delta, width), adjacency=ledger.adjacency)
