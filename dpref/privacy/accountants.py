"""The front door: one function that asks every accountant that supports a ledger, and intersects what they prove.

Every accountant returns an interval that holds the exact value, so all of them overlap and their intersection holds it
too.  An accountant says for which events under which adjacency it has a theorem; what no accountant supports is
refused, never guessed.  New accountants join by `register`.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any, Final

from dpref.checks import open_unit, rational
from dpref.errors import InvalidArgumentError, OutOfTimeError, PrecisionError, UnsupportedEventError
from dpref.privacy import supremum
from dpref.privacy.accountant import Accountant, Outcome
from dpref.privacy.closed_forms import basic, gaussian, zcdp
from dpref.privacy.closed_forms.concentrated import concentrated
from dpref.privacy.events.guarantees import Concentrated
from dpref.privacy.events.ledger import Event, Ledger, NonPrivate
from dpref.privacy.events.walks import alternatives, assumed, concentrated_first, multiplicities, selects
from dpref.privacy.interval import Interval, largest
from dpref.privacy.loaded_later import (
    curve,
    fast,
    fast_curves,
    fast_within,
    later,
    later_on_batches,
    pld_delta,
    pld_epsilon,
    renyi,
    rounds,
    rounds_within,
    smoothing,
)
from dpref.privacy.refusals import explained, grouped
from dpref.privacy.renyi import variance_reduction as svrg
from dpref.privacy.time_limit import checkpoint, clock, time_limit
from dpref.reals import DEFAULT_PRECISION, Exact
from dpref.units import ADJACENCIES, Adjacency

BEST: Final = "best"
SUPREMUM: Final = "supremum"  # what answers at delta = 0, and no other question
NARROW: Final = 1e-3
NOTHING_PROVED: Final = "nothing was proved in time"
_log: Final = logging.getLogger(__name__)

_ACCOUNTANTS: Final[dict[str, Accountant]] = {}


def register(accountant: Accountant) -> Accountant:
    """Add an accountant to those that `certify` asks, after the ones that are there already.

    Raises:
        InvalidArgumentError: If the name is taken.
    """
    if accountant.name in {*_ACCOUNTANTS, BEST}:
        raise InvalidArgumentError("accountant", accountant.name, "is registered already")
    _ACCOUNTANTS[accountant.name] = accountant
    return accountant


def accountants() -> tuple[Accountant, ...]:
    """All accountants, in the order in which they are asked.

    >>> [a.name for a in accountants()][:2]
    ['gaussian', 'zcdp']
    """
    return tuple(_ACCOUNTANTS.values())


def accountant_named(name: object) -> Accountant:
    """The accountant of that name.

    Raises:
        InvalidArgumentError: If there is none; the message lists the names.
    """
    if not isinstance(name, str) or name not in _ACCOUNTANTS:
        raise InvalidArgumentError("accountant", name, "must be one of " + ", ".join([BEST, *_ACCOUNTANTS]))
    return _ACCOUNTANTS[name]


def quick_accountant(ledger: Ledger[Any]) -> str:
    """The first accountant that supports a ledger and is quick, or ``"best"`` if none is.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ReplaceOne
    >>> quick_accountant(Ledger(Gaussian(Fraction(1)), ReplaceOne))
    'gaussian'
    """
    return next((a.name for a in accountants() if a.quick and not a.refused(ledger)), BEST)


def certify(
    ledger: Ledger[Any],
    *,
    delta: Exact | None = None,
    epsilon: Exact | None = None,
    accountant: str = BEST,
    limit: float | Fraction | None = None,
) -> Interval:
    r"""What a ledger spends, certified: epsilon at a delta, or delta at an epsilon.

    Args:
        ledger: Events and the adjacency under which their parameters are stated.
        delta: Exact, in [0, 1); then the least epsilon for which the ledger is $(\varepsilon,\delta)$-DP is enclosed.
            At zero that is the essential supremum of the loss, and no accountant is named (`dpref.privacy.supremum`).
        epsilon: Exact, not negative; then the least delta is.  Exactly one of the two is given.
        accountant: A name of `accountants`, or ``"best"``: the intersection of all that support the ledger, except that
            after a closed form nobody is asked, and after an answer within a thousandth no slow one.
        limit: Seconds of processor time after which the best that is proved so far is the answer, marked as wide;
            None for any time.

    Returns:
        An interval that holds the exact value; its method names the accountant that each end comes from.  If time was
        over before anything was proved, it is what holds of everything: an epsilon or a delta in [0, inf] or [0, 1].

    Raises:
        InvalidArgumentError: If an argument is out of its domain, or not exactly one of delta and epsilon is given.
        UnsupportedEventError: If no accountant (or not the one asked for) supports the ledger.
        PrecisionError: If none of those that support it reaches a certified answer, or two of them contradict each
            other.

    >>> from dpref.privacy.events.expression import parse_event
    >>> from dpref.units import AddOrRemoveOne
    >>> ledger = Ledger(parse_event("compose(gaussian(noise_multiplier=100), 10000)"), AddOrRemoveOne)
    >>> print(certify(ledger, delta=Fraction(1, 10**6)))
    epsilon in [4.886554117, 4.886554118]
    """
    asked = accountants() if accountant == BEST else (accountant_named(accountant),)
    with time_limit(limit) as limited:
        outcomes = tuple(_outcomes(ledger, delta, epsilon, asked, impatient=accountant == BEST))
    found = _intersection(outcomes)
    if found is None and limited.over:
        most = math.inf if epsilon is None else 1.0
        quantity = "delta" if delta is None else "epsilon"
        found = Interval(0.0, most, quantity, NOTHING_PROVED, DEFAULT_PRECISION, ledger.adjacency)
    if found is not None:
        return replace(found, wide=found.wide or limited.over)
    said = grouped((outcome.accountant, outcome.refusal) for outcome in outcomes)
    if any(outcome.undecided for outcome in outcomes):
        raise PrecisionError(f"no certified bound ({said})")
    others = [] if accountant == BEST else [a.name for a in accountants() if not a.refused(ledger)]
    raise UnsupportedEventError(explained(ledger, supported, said, others))


def supported(event: Event, adjacency: type[Adjacency]) -> bool:
    """Whether some accountant has a theorem for an event, with all that it is composed of, under an adjacency.

    >>> from dpref.privacy.events.ledger import Gaussian, Poisson
    >>> from dpref.units import AddOrRemoveOne, ReplaceOne
    >>> event = Poisson(Gaussian(Fraction(1)), Fraction(1, 100))
    >>> supported(event, AddOrRemoveOne), supported(event, ReplaceOne)
    (True, False)
    """
    try:
        return any(not a.refused(Ledger(event, adjacency)) for a in accountants())
    except UnsupportedEventError:  # such as of too many choices of parallel parts
        return False


def _intersection(outcomes: Sequence[Outcome]) -> Interval | None:
    found = [outcome.interval for outcome in outcomes if outcome.interval is not None]
    return reduce(Interval.intersection, found) if found else None


def survey(ledger: Ledger[Any], *, delta: Exact | None = None, epsilon: Exact | None = None) -> tuple[Outcome, ...]:
    """What every accountant makes of a ledger, side by side; the arguments are those of `certify`.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ZeroOut
    >>> [str(o.interval) for o in survey(Ledger(Gaussian(Fraction(1)), ZeroOut), epsilon=1)][:2]
    ['delta in [0.1269367375, 0.1269367376]', 'delta in [0, 0.2468463308]']
    """
    return tuple(_outcomes(ledger, delta, epsilon, accountants(), impatient=False))


def _outcomes(
    ledger: Ledger[Any],
    delta: Exact | None,
    epsilon: Exact | None,
    asked: tuple[Accountant, ...],
    *,
    impatient: bool,
) -> Iterator[Outcome]:
    """Ask accountants in turn; an impatient caller asks nobody after a closed form, and no slow one needlessly."""
    _check_ledger(ledger)
    if (delta is None) == (epsilon is None):
        raise InvalidArgumentError("delta", delta, "exactly one of delta and epsilon must be given")
    if delta is not None and rational("delta", delta) == 0:
        yield _at_zero(ledger, asked)
        return
    at = rational("epsilon", epsilon) if delta is None else open_unit("delta", delta)
    made: list[Outcome] = []
    for candidate in asked:
        if impatient and candidate.slow and (_is_narrow(_intersection(made))):
            continue
        if impatient and any(o.accountant in candidate.after and o.interval is not None for o in made):
            continue
        outcome = _costliest(candidate, ledger, at, of_epsilon=delta is not None)
        made.append(outcome)
        yield outcome
        if impatient and candidate.closed_form and outcome.interval is not None and not selects(ledger.event):
            return


def _at_zero(ledger: Ledger[Any], asked: tuple[Accountant, ...]) -> Outcome:
    if len(asked) == 1:
        rule = f"must lie strictly between 0 and 1 for the accountant {asked[0].name}; at zero name none"
        raise InvalidArgumentError("delta", 0, rule)
    try:
        return Outcome(SUPREMUM, supremum.epsilon(ledger))
    except UnsupportedEventError as error:
        return Outcome(SUPREMUM, None, str(error))


def _is_narrow(found: Interval | None) -> bool:
    return found is not None and found.width <= NARROW * found.upper < math.inf


def _costliest(candidate: Accountant, ledger: Ledger[Any], at: Fraction, *, of_epsilon: bool) -> Outcome:
    """Of events on parallel parts the largest loss; nothing, if nothing is known of one of them."""
    parts = (replace(ledger, event=concentrated_first(event)) for event in alternatives(ledger.event))
    made = [_outcome(candidate, part, at, of_epsilon=of_epsilon) for part in parts]
    found = [outcome.interval for outcome in made if outcome.interval is not None]
    missing = (outcome for outcome in made if outcome.interval is None)
    return next(missing, replace(made[0], interval=largest(found)) if found else made[0])


def _outcome(candidate: Accountant, ledger: Ledger[Any], at: Fraction, *, of_epsilon: bool) -> Outcome:
    refused = candidate.refused(ledger)
    if refused and candidate.single and sum(multiplicities(ledger.event).values()) > 1:
        return Outcome(candidate.name, None, "answers for a single event, not for a composition")
    if refused:
        shown = ", ".join(map(str, refused[:3])) + (", ..." if len(refused) > 3 else "")
        return Outcome(candidate.name, None, f"no theorem for {shown}")
    begun = clock()
    try:
        checkpoint(candidate.title)
        interval = (candidate.epsilon if of_epsilon else candidate.delta)(ledger, at)
        _log.info("accountant %s: %s, in %.2f s", candidate.name, interval, clock() - begun)
    except UnsupportedEventError as error:
        return Outcome(candidate.name, None, str(error))
    except (PrecisionError, OutOfTimeError) as error:
        return Outcome(candidate.name, None, str(error), undecided=True)
    return Outcome(candidate.name, replace(interval, adjacency=ledger.adjacency, assumed=assumed(ledger.event)))


def _check_ledger(ledger: Ledger[Any]) -> None:
    if not isinstance(ledger, Ledger):
        raise InvalidArgumentError("ledger", ledger, "must be a Ledger: events and an adjacency")
    if ledger.adjacency not in ADJACENCIES.values():
        raise InvalidArgumentError("adjacency", ledger.adjacency, "must be one of " + ", ".join(ADJACENCIES))


# ------------------------------------------------------------------------------------ the accountants


_FINEST: Final = Fraction(1, 10**5)  # relative width that a grid of balls reaches in reasonable time


def _is_concentrated(event: Event, _: object) -> bool:
    return isinstance(event, Concentrated) or (gaussian.supports(event) and not isinstance(event, NonPrivate))


def _pld_within(ledger: Ledger[Any], delta: Fraction, width: Fraction) -> Interval:
    found = pld_epsilon(ledger, delta)
    if found.width <= width or not 0 < found.upper < math.inf:
        return found
    wanted = max(width / Fraction(found.upper), _FINEST)
    return pld_epsilon(ledger, delta, relative_width=wanted)


register(
    Accountant(
        "gaussian", "closed form of composed Gaussians",
        lambda event, _: gaussian.supports(event), gaussian.epsilon, gaussian.delta, closed_form=True, quick=True,
    )
)  # fmt: skip
register(
    Accountant(
        name="zcdp",
        title="zero-concentrated DP and its best conversion",
        supports=_is_concentrated,
        epsilon=lambda ledger, delta: zcdp.zcdp_to_epsilon(concentrated(ledger).value, delta),
        delta=lambda ledger, epsilon: zcdp.zcdp_to_delta(concentrated(ledger).value, epsilon),
    )
)
register(
    Accountant(
        "basic", "guarantees of epsilon and delta, added up", basic.supports, basic.epsilon, basic.delta,
    )
)  # fmt: skip
register(
    Accountant(
        "variance-reduced", "Rényi divergences of stochastic variance reduction at integer orders",
        svrg.supports, svrg.epsilon, svrg.delta,
    )
)  # fmt: skip
register(
    Accountant(
        "curve", "the curve of a single answer, inverted in balls",
        *later(curve), True, quick=True, single=True,
    )
)  # fmt: skip
register(
    Accountant(
        "smoothing", "continuous noise of nearby variances, of gridded answers",
        *later(smoothing), quick=True,
    )
)  # fmt: skip
register(
    Accountant(
        "rounds", "sampled Gaussians of nearby multipliers, of banded matrix mechanisms",
        *later(rounds), quick=True, within=rounds_within,
    )
)  # fmt: skip
register(
    Accountant(
        "fast", "privacy loss distributions in doubles, with proved errors",
        *later_on_batches(fast), quick=True, within=fast_within,
    )
)  # fmt: skip
register(
    Accountant(
        "fast-curves", "privacy loss distributions of curves, composed in doubles, with proved errors",
        *later(fast_curves), quick=True, after=("fast", "rounds"),
    )
)  # fmt: skip
register(
    Accountant(
        "renyi", "Renyi divergences, the best order, and the best conversion",
        *later_on_batches(renyi), slow=True,
    )
)  # fmt: skip
register(
    Accountant(
        name="pld",
        title="privacy loss distributions in balls",
        supports=lambda event, adjacency: isinstance(event, NonPrivate) or curve().supports(event, adjacency),
        epsilon=pld_epsilon,
        delta=pld_delta,
        slow=True,
        within=_pld_within,
        after=("fast-curves", "rounds"),
    )
)
