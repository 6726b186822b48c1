r"""Delta = 0: the essential supremum of the privacy loss, which adds up over a composition.

A ledger is $(\varepsilon,0)$-DP just if no outcome is more than $e^\varepsilon$ times likelier for one of two
neighbours.  The largest loss of independent answers is the sum of theirs, so that nothing has to be composed: each
event has its own, one for a record that is removed and one for a record that is added, and the direction is one
throughout.  Nothing here is read off a grid, which would move the last mass to an infinite loss.

* What is bounded adds: Laplace $1/b$, discrete Laplace $\Delta/b$, randomized response, the exponential mechanism and
  noisy max $\varepsilon$ (of the last two some query comes as near to it as one likes: a candidate that is hardly ever
  chosen).
* On a sample of rate q a removed record's $\varepsilon$ becomes $\ln(1+q(e^\varepsilon-1))$, an added one's
  $-\ln(1-q(1-e^{-\varepsilon}))$: that is finite even of an unbounded loss.
* Gaussian noise of any kind bounds nothing, and the method says so.

References:
    Dwork and Roth, "The algorithmic foundations of differential privacy", 2014, Theorems 3.6, 3.10, 3.14.
    Balle, Barthe and Gaboardi, "Privacy amplification by subsampling", 2018, Theorems 8 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias, TypeVar, final

from flint import arb

from dpref.privacy.closed_forms.amplification import sampled_loss, sampled_loss_reversed
from dpref.privacy.events.custom import CurvePair, Custom
from dpref.privacy.events.discrete import DiscreteGaussian, DiscreteLaplace
from dpref.privacy.events.factorization import squared_mu
from dpref.privacy.events.gridded import GriddedGaussian
from dpref.privacy.events.guarantees import Approximate, Profile
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    Exponential,
    FilteredGaussians,
    Gaussian,
    GeneralizedGaussian,
    Laplace,
    Ledger,
    NoisyMax,
    NonPrivate,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
    VarianceReducedGaussian,
)
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, SampledColumn, ToeplitzGaussian, TreeGaussian
from dpref.privacy.events.mixture import ExponentialMixture
from dpref.privacy.events.sampled import MixtureGaussian, SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select
from dpref.privacy.events.walks import alternatives, assumed, customs, multiplicities
from dpref.privacy.interval import Interval, largest
from dpref.privacy.pld.pairs import pairs
from dpref.privacy.pld.selection import largest_of_responses, weight_shift
from dpref.reals import BALL, DEFAULT_PRECISION, ball, exact, float_down, float_up, lower, precision, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

A = TypeVar("A", bound=Adjacency)
Loss: TypeAlias = Fraction | arb

METHOD: Final = "essential supremum of the loss"
INFINITE: Final = arb.pos_inf()
_NOTHING: Final = Fraction(0)
_UNBOUNDED: Final = (
    NonPrivate,
    Gaussian,
    VarianceReducedGaussian,
    GeneralizedGaussian,
    FilteredGaussians,
    DiscreteGaussian,
    GriddedGaussian,
)
_WITHOUT_PAIRS: Final = (NonPrivate, DiscreteGaussian, GriddedGaussian)  # or not with all of their parameters
_CHOICES: Final = (Exponential, ExponentialMixture, NoisyMax)


@final
@dataclass(frozen=True)
class Losses:
    """The largest losses of one event, exact where they are rational.

    Attributes:
        remove: Of a record that is removed; an infinite ball if nothing bounds it.
        add: Of a record that is added.
        attained_remove: What some query attains, or comes as near to as one likes; zero if nothing is known.
        attained_add: Likewise.
    """

    remove: Loss
    add: Loss
    attained_remove: Loss
    attained_add: Loss


def epsilon(ledger: Ledger[A]) -> Interval:
    r"""The least epsilon for which a ledger is $(\varepsilon,0)$-DP, certified.

    Args:
        ledger: Any events that have dominating pairs, or an unbounded loss.

    Returns:
        An interval; ``[inf, inf]`` if some answer's loss is unbounded, and its method then names the answer.

    Raises:
        UnsupportedEventError: If nothing is known of an event under the ledger's adjacency.

    >>> from dpref.privacy.events.expression import parse_event
    >>> from dpref.units import AddOrRemoveOne
    >>> print(epsilon(Ledger(parse_event("compose(poisson(laplace(1), rate=1/10), 10)"), AddOrRemoveOne)))
    epsilon in [1.585650787, 1.585650788]
    """
    with precision(DEFAULT_PRECISION):
        found = largest([_of_composition(replace(ledger, event=event)) for event in alternatives(ledger.event)])
    return replace(found, assumed=assumed(ledger.event))


def _of_composition(ledger: Ledger[A]) -> Interval:
    counts = multiplicities(ledger.event)
    found = [(event, largest_losses(event, ledger.adjacency), count) for event, count in counts.items()]
    alone = len(customs(ledger.event)) < 2  # each attains its pair on neighbours of its own
    real = [(one, k) for event, one, k in found if alone or not customs(event)]
    high = max(_ends((one.remove, k) for _, one, k in found)[1], _ends((one.add, k) for _, one, k in found)[1])
    low = max(_ends((one.attained_remove, k) for one, k in real)[0], _ends((one.attained_add, k) for one, k in real)[0])
    unbounded = (str(event) for event, one, _ in found if INFINITE in (one.remove, one.add))
    why = f"{METHOD}: nothing bounds that of {next(unbounded)}" if high == math.inf else METHOD
    return Interval(min(low, high), high, "epsilon", why, DEFAULT_PRECISION, ledger.adjacency)


def _ends(losses: Iterable[tuple[Loss, int]]) -> tuple[float, float]:
    """The sum of losses, rounded down and up."""
    found = _sum(losses)
    if isinstance(found, Fraction):
        return float_down(found), float_up(found)
    return max(0.0, lower(found)), max(0.0, upper(found))


def _sum(losses: Iterable[tuple[Loss, int]]) -> Loss:
    exact, rest = Fraction(0), None
    for loss, count in losses:
        if isinstance(loss, Fraction):
            exact += loss * count
        else:
            rest = loss * count + (0 if rest is None else rest)
    return exact if rest is None else rest + ball(exact)


def largest_losses(event: Event, adjacency: type[Adjacency]) -> Losses:
    """The largest losses of one mechanism event.

    Args:
        event: A mechanism, possibly under sampling; not a composition.
        adjacency: The neighbouring relation in which the event's multipliers are stated.

    Raises:
        UnsupportedEventError: If the event has no dominating pair under that adjacency.

    >>> from dpref.units import ZeroOut
    >>> largest_losses(Laplace(Fraction(2)), ZeroOut).remove
    Fraction(1, 2)
    """
    if not isinstance(event, _WITHOUT_PAIRS):
        pairs(event, adjacency)  # refuses what has no theorem
    return _losses(event, adjacency)


def _losses(event: Event, adjacency: type[Adjacency]) -> Losses:  # noqa: PLR0911, PLR0912 - one for each kind
    match event:
        case Poisson(inner, rate):
            return _losses(inner, adjacency) if rate == 1 else _sampled(event, rate, adjacency)
        case SampleWithoutReplacement(inner, batch, records):
            share = Fraction(batch, records)
            return _losses(inner, adjacency) if share == 1 else _sampled(event, share, adjacency)
        case Compose() | Repeat():
            return _together(event, adjacency)
        case Select():
            return _selected(event, adjacency)
        case Laplace(scale):
            return _both(1 / scale)
        case TruncatedPoisson() | SampleWithReplacement() | MixtureGaussian():
            return _of_shifts(event, adjacency)
        case DiscreteLaplace(scale, sensitivity):
            return _both(sensitivity / scale)
        case RandomizedResponse():
            return _responses(event, adjacency)
        case Exponential(epsilon) | ExponentialMixture(epsilon) | NoisyMax(epsilon, _):
            return _both(epsilon)
        case Custom():
            return _assumed(event, adjacency)
        case Approximate() | Profile():
            return _guaranteed(event)
        case SampledColumn() | MatrixGaussian() | ToeplitzGaussian() | PrefixSumSqrt() | TreeGaussian():
            real = INFINITE if squared_mu(event, adjacency).attained else _NOTHING
            return Losses(INFINITE, INFINITE, real, real)
        case _ if isinstance(event, _UNBOUNDED):
            return _both(INFINITE)
        case _:  # of a zCDP guarantee, and of whatever else has a pair, no bound is known, and nothing is attained
            return Losses(INFINITE, INFINITE, _NOTHING, _NOTHING)


def _of_shifts(event: Event, adjacency: type[Adjacency]) -> Losses:
    """Normal noise around a random centre: what is farthest out is seen, of a removed record at least."""
    real = INFINITE if pairs(event, adjacency).attained_remove is not None else _NOTHING
    return Losses(INFINITE, INFINITE, real, real)


def _both(loss: Loss) -> Losses:
    return Losses(loss, loss, loss, loss)


def _together(event: Compose | Repeat, adjacency: type[Adjacency]) -> Losses:
    """Of several answers on one batch."""
    found = [(_losses(one, adjacency), count) for one, count in multiplicities(event).items()]
    fields = ("remove", "add", "attained_remove", "attained_add")
    return Losses(*(_sum((getattr(one, name), count) for one, count in found) for name in fields))


def _selected(event: Select, adjacency: type[Adjacency]) -> Losses:
    """One run's largest loss, and what the ratio of both sides' weights may add to it; exact of the enumerated."""
    found = pairs(event, adjacency)
    if isinstance(event.event, RandomizedResponse) and found.attained_remove is not None:
        loss = largest_of_responses(event, event.event)
        return _both(loss)
    run = _losses(event.event, adjacency)
    if INFINITE in (run.remove, run.add):
        # A weight between two positive numbers leaves an unbounded ratio unbounded.
        real = INFINITE if INFINITE in (run.attained_remove, run.attained_add) else _NOTHING
        return Losses(INFINITE, INFINITE, real, real)
    base = max(_ends([(run.remove, 1)])[1], _ends([(run.add, 1)])[1])
    bound = ball(exact(base)) + weight_shift(event, pairs(event.event, adjacency))
    return Losses(bound, bound, _NOTHING, _NOTHING)


def _responses(event: RandomizedResponse, adjacency: type[Adjacency]) -> Losses:
    """A category against another, or against what answers in place of an absent record."""
    if adjacency is ReplaceOne or event.null == "category":
        return _both(event.epsilon)
    if event.null is None:
        return Losses(event.epsilon, event.epsilon, _NOTHING, _NOTHING)
    loss = ball(event.epsilon)
    other = (event.categories / (loss.exp() + (event.categories - 1))).log()
    return Losses(loss + other, -other, loss + other, -other)


def _guaranteed(event: Approximate | Profile) -> Losses:
    """The least epsilon that holds with delta zero."""
    remove = add = ((event.epsilon, event.delta),) if isinstance(event, Approximate) else event.removed_points
    if isinstance(event, Profile):
        add = event.added_points
    ends: list[Loss] = [next((e for e, delta in points if not delta), INFINITE) for points in (remove, add)]
    return Losses(*ends, *(ends if event.worst_case else [_NOTHING, _NOTHING]))


def _assumed(event: Custom, adjacency: type[Adjacency]) -> Losses:
    """The largest loss of the pairs that are assumed; of a pair that is a function nothing is known."""
    given = event.pair(adjacency)
    if given is None or isinstance(given, CurvePair):
        return Losses(INFINITE, INFINITE, _NOTHING, _NOTHING)
    outcomes = given.outcomes()
    remove = _largest([loss for loss, p, _ in outcomes if p > 0])
    add = _largest([-loss for loss, _, q in outcomes if q > 0])
    if adjacency is ReplaceOne:
        remove = add = _largest([remove, add])
    return Losses(remove, add, *((remove, add) if given.attained else (_NOTHING, _NOTHING)))


def _largest(losses: list[arb]) -> arb:
    found = losses[0]
    for loss in losses[1:]:
        found = INFINITE if INFINITE in (found, loss) else found.max(loss)
    return found


def _sampled(event: Poisson | SampleWithoutReplacement, rate: Fraction, adjacency: type[Adjacency]) -> Losses:
    """A record that takes part by chance; where both orders of a pair are neighbours, the larger loss counts."""
    base, known = _losses(event.event, adjacency), pairs(event, adjacency)
    # What is attained without sampling need not be with it: a lower end needs that its pair is attained as well.
    is_choice = isinstance(event.event, _CHOICES)
    real = [
        loss if attained is not None or is_choice else _NOTHING
        for loss, attained in ((base.attained_remove, known.attained_remove), (base.attained_add, known.attained_add))
    ]
    remove, attained_remove = (_amplified(loss, rate) for loss in (base.remove, real[0]))
    if adjacency is ReplaceOne or (isinstance(event, SampleWithoutReplacement) and adjacency is not AddOrRemoveOne):
        return Losses(remove, remove, attained_remove, attained_remove)
    add, attained_add = (_amplified_reversed(loss, rate) for loss in (base.add, real[1]))
    return Losses(remove, add, attained_remove, attained_add)


def _amplified(loss: Loss, rate: Fraction) -> Loss:
    if isinstance(loss, Fraction):
        return sampled_loss(BALL, ball(rate), ball(loss)) if loss else loss
    return loss if loss == INFINITE else sampled_loss(BALL, ball(rate), loss)


def _amplified_reversed(loss: Loss, rate: Fraction) -> Loss:
    if isinstance(loss, Fraction):
        return sampled_loss_reversed(BALL, ball(rate), ball(loss)) if loss else loss
    return -ball(1 - rate).log() if loss == INFINITE else sampled_loss_reversed(BALL, ball(rate), loss)
