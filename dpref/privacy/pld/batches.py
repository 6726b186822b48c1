"""Which dominating pair belongs to answers on a random batch, under each adjacency, or why there is none.

All answers on one batch are one mechanism: their pairs are composed before the sampler is applied, Gaussian ones
exactly (`dpref.privacy.events.batches`), others on a grid (`dpref.privacy.pld.composed`).  Nested samplers of one kind
are one sampler; of two kinds the inner one is applied first.  A sampler that draws from a stated number of records may
draw from a batch of that number alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from dpref.errors import UnsupportedEventError
from dpref.privacy.events.allocation import RandomAllocation, Shuffled
from dpref.privacy.events.batches import gaussian_mu_squared, simplified
from dpref.privacy.events.custom import Custom
from dpref.privacy.events.factorization import is_factored
from dpref.privacy.events.groups import holds_group
from dpref.privacy.events.guarantees import Approximate, Concentrated, Profile
from dpref.privacy.events.ledger import (
    Compose,
    Event,
    FilteredGaussians,
    Gaussian,
    Poisson,
    RandomizedResponse,
    Repeat,
    SampleWithoutReplacement,
    VarianceReducedGaussian,
)
from dpref.privacy.events.sampled import SampleWithReplacement, TruncatedPoisson
from dpref.privacy.events.selection import Select
from dpref.privacy.events.walks import customs, leaves, multiplicities
from dpref.privacy.pld.composed import composed
from dpref.privacy.pld.pair import PairSet
from dpref.privacy.pld.sampling import poisson, replaced_in_sample, without_replacement, zeroed_in_batch
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne, ZeroOut

PairsOf: TypeAlias = Callable[[Event, type[Adjacency]], PairSet]


def sampled_pairs(event: Event, adjacency: type[Adjacency], answer: PairsOf) -> PairSet:
    """The dominating pairs of a sampled event.

    Args:
        event: `Poisson` or `SampleWithoutReplacement` of anything.
        adjacency: The neighbouring relation.
        answer: The pairs of one answer on a batch.

    Raises:
        UnsupportedEventError: If no dominating pair is known for the event under that adjacency.

    >>> from dpref.privacy.pld.pairs import pairs
    >>> twice = Poisson(Repeat(Gaussian(Fraction(2)), 2), Fraction(1, 10))
    >>> sampled_pairs(twice, ZeroOut, pairs).remove.name
    'poisson(compose(gaussian(noise_multiplier=2), 2), rate=1/10), removed'
    """
    match simplified(event):
        case Poisson(inner) | SampleWithoutReplacement(inner) if holds_group(inner):
            raise _unsupported(event, adjacency, "the records of a group are sampled one by one: group(poisson(...))")
        case Poisson() as sampled:
            _refuse_counted(sampled, adjacency)
            return _poisson(sampled, adjacency, answer)
        case SampleWithoutReplacement() as sampled:
            _refuse_counted(sampled, adjacency)
            return _fixed(sampled, adjacency, answer)
        case other:
            raise _unsupported(other, adjacency, "no dominating pair is known")


def _together(event: Event, adjacency: type[Adjacency], answer: PairsOf) -> PairSet:
    """The pairs of all answers on one batch."""
    if not isinstance(event, Compose | Repeat):
        return answer(event, adjacency)
    total = gaussian_mu_squared(event)
    relation: Any = adjacency
    return answer(FilteredGaussians(total / 2), adjacency) if total else _product(event, relation, answer)


@lru_cache(maxsize=32)
def _product(event: Compose | Repeat, adjacency: Any, answer: PairsOf) -> PairSet:
    """The product of the answers' pairs: cached, since its curve is made on a grid."""
    counts = multiplicities(event)
    if not counts:
        raise _unsupported(event, adjacency, "there is no answer on the batch")
    found = [(answer(e, adjacency), count) for e, count in counts.items() if not isinstance(e, Gaussian)]
    if len(customs(event)) > 1:
        # Each attains its pair on neighbours of its own, which need not be the same ones.
        others = [e for e in counts if not isinstance(e, Gaussian)]
        found = [
            (replace(p, attained_remove=None, attained_add=None) if customs(e) else p, count)
            for e, (p, count) in zip(others, found, strict=True)
        ]
    total = gaussian_mu_squared(Compose(tuple(Repeat(e, k) for e, k in counts.items() if isinstance(e, Gaussian))))
    if total is not None:
        found.append((answer(FilteredGaussians(total / 2), adjacency), 1))
    return composed(str(event), found)


def _poisson(event: Poisson, adjacency: type[Adjacency], answer: PairsOf) -> PairSet:
    inner, rate = event.event, event.rate
    if adjacency is ReplaceOne:
        return answer(inner, adjacency) if rate == 1 else _replaced(event)
    base = _together(inner, adjacency, answer)
    told = [e for e in _innermost(inner) if isinstance(e, Custom | Approximate | Concentrated | Profile)]
    if told and rate < 1 and adjacency is not AddOrRemoveOne:
        needed = (
            "a pair for add_or_remove_one" if isinstance(told[0], Custom) else "a guarantee under add-or-remove-one"
        )
        why = (
            "nothing says that its answer to a batch without a record is the one to a null record; "
            f"give {needed}, or one of the sampled mechanism itself"
        )
        raise _unsupported(event, adjacency, why)
    if rate < 1 and any(isinstance(e, Custom) for e in told):
        # The other records are sampled too: the pair still dominates, but nobody says what attains it.
        base = replace(base, attained_remove=None, attained_add=None)
    return poisson(str(event), base, rate)


def _innermost(event: Event) -> Iterator[Event]:
    """What is done with a sample, or a sample of a sample, in each of several runs."""
    match event:
        case Poisson(inner) | Select(inner):
            yield from _innermost(inner)
        case Compose() | Repeat():
            for answer in multiplicities(event):
                yield from _innermost(answer)
        case _:
            yield event


def _replaced(event: Poisson) -> PairSet:
    """A replaced record may change a sample either way; a Gaussian answer of stated radius has a pair all the same.

    So have several: laws of answers that each move by at most a normal shift are no farther apart than normal laws of
    the total shift, which is all that the pair rests on.
    """
    total = gaussian_mu_squared(event.event)
    if total is None:
        why = (
            "the sampled record may change either way in every step; use add-or-remove-one or zero-out "
            "(of a Gaussian answer with contribution=ball a pair is known)"
        )
    elif event.contribution == "ball":
        return replaced_in_sample(str(event), total, event.rate)
    else:
        why = (
            "how far a contribution is from an absent record's is not stated; of a sum of clipped contributions "
            "say contribution=ball (any is at most half the sensitivity away), or use add-or-remove-one or zero-out"
        )
    raise _unsupported(event, ReplaceOne, why)


def _fixed(event: SampleWithoutReplacement, adjacency: type[Adjacency], answer: PairsOf) -> PairSet:
    inner, share = event.event, Fraction(event.batch, event.records)
    if adjacency is ReplaceOne:
        base = _together(inner, adjacency, answer)
        if isinstance(inner, Compose | Repeat) and base.remove is not base.add:
            raise _unsupported(event, adjacency, "the pair of an answer must be the same in both orders")
        return without_replacement(str(event), base, share, attained=_rest_is_an_answer(inner))
    total = gaussian_mu_squared(inner)
    if total is None:
        why = (
            "a batch of fixed size has another record in the place of an absent one, and how far that moves the "
            "answer is known of a Gaussian one alone (twice its sensitivity); use replace-one"
        )
        raise _unsupported(event, adjacency, why)
    if adjacency is ZeroOut:
        return _together(inner, adjacency, answer) if share == 1 else zeroed_in_batch(str(event), total, share)
    return poisson(str(event), answer(FilteredGaussians(2 * total), ReplaceOne), share)


def _refuse_counted(event: Poisson | SampleWithoutReplacement, adjacency: type[Adjacency]) -> None:
    """Answers that are no answers to one batch.

    A variance-reduced answer samples by itself, from a number of records that a batch does not have, and so does a
    sampler that states another one.  A matrix mechanism has many steps, and one batch is no statement about each of
    them.  An epoch draws batches of its own.
    """
    if any(isinstance(e, VarianceReducedGaussian) for e, _ in leaves(event.event)):
        raise _unsupported(event, adjacency, "a variance-reduced answer draws its own batch; it is not sampled again")
    if any(isinstance(e, RandomAllocation | Shuffled) for e, _ in leaves(event.event)):
        raise _unsupported(event, adjacency, "an epoch draws its own batches from all records; it is not sampled again")
    if any(is_factored(e) for e, _ in leaves(event.event)):
        why = (
            "which of its steps a sampled record takes part in is not said; where at most min_separation diagonals are "
            "nonzero, give the event itself a rate (cyclic Poisson sampling)"
        )
        raise _unsupported(event, adjacency, why)
    for drawn in _counted(event.event):
        if isinstance(event, SampleWithoutReplacement) and drawn.records != event.batch:
            raise _unsupported(event, adjacency, f"the inner batch is drawn from {event.batch} records")
        if isinstance(event, Poisson) and event.rate < 1:
            why = f"the inner batch is drawn from {drawn.records} records, and a Poisson sample has a random number"
            raise _unsupported(event, adjacency, why)


def _counted(event: Event) -> Iterator[SampleWithoutReplacement | SampleWithReplacement | TruncatedPoisson]:
    """What draws from a stated number of records."""
    match event:
        case SampleWithoutReplacement() | SampleWithReplacement() | TruncatedPoisson():
            yield event
        case Poisson(inner) | Select(inner):
            yield from _counted(inner)
        case Compose() | Repeat():
            for answer in multiplicities(event):
                yield from _counted(answer)
        case _:
            return


def _rest_is_an_answer(event: Event) -> bool:
    """Whether what is released when a record is not in the batch is the answer to some other record.

    Of randomized response only where a category answers in its place: mixed with another answer, or one that is not
    stated, the two sides are nearer to each other.  Of an assumed pair nobody says so.
    """
    match event:
        case RandomizedResponse(null=null):
            return null == "category"
        case Select(run):
            return _rest_is_an_answer(run)
        case Compose() | Repeat():
            return all(map(_rest_is_an_answer, multiplicities(event)))
        case _:
            return not isinstance(event, Custom)


def _unsupported(event: Event, adjacency: type[Adjacency], why: str) -> UnsupportedEventError:
    return UnsupportedEventError(f"{event} under {adjacency.name}: {why}")
