r"""What answers on disjoint parts of the data spend together: what those on one of the parts do.

Given all answers so far, an answer on a part that is equal in both of two neighbours has the same law on both; those on
the one part in which they differ are Gaussian ones whose means move by at most their sensitivity.  By adaptive
composition (Dong, Roth and Su 2022, Theorem 3.2) all of them together are $\mu$-GDP with that part's
$\mu^2=\sum_i\kappa_i\Delta_i^2/\sigma_i^2$, also where what is asked of a part depends on what others answered.  The
largest $\mu$ dominates the others at every order.

How many parts differ is a question of the neighbours.  A part of places, as a curator hands out:

* *replace-one*: the other record stands at the place of the first, so that one part differs.  (Parts by what a record
  says are another matter: the record leaves one part and enters another, both differ, and their losses add up.)
* *zero-out*: the null record stands at the place of the record, so that one part differs.
* *add-or-remove-one*: every later record changes its place, and all later parts differ.  Refused.

Of a generalised Gaussian answer with $\kappa>1$ nothing but its bound $\mu^2=\kappa/z^2$ is known, and every accountant
takes it at that bound: the certificate of the largest $\mu$ therefore holds for all parts.  Among single answers of one
kappa it is that of the least multiplier, which dominates in truth too: what moves the mean less is one of the shifts of
what moves it more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from dpref.errors import InvalidArgumentError, UnsupportedEventError
from dpref.privacy.closed_forms.composition import Partition, parallel
from dpref.privacy.closed_forms.gaussian import gdp
from dpref.privacy.events.ledger import Event, Ledger, NonPrivate
from dpref.privacy.events.walks import multiplicities
from dpref.privacy.events.walks import parallel as parallel_parts
from dpref.units import AddOrRemoveOne, Adjacency

A = TypeVar("A", bound=Adjacency)


def heaviest(ledgers: Sequence[Ledger[A]], *, partition: Partition = "by position") -> Ledger[A]:
    """Of Gaussian ledgers, one for each part of a partition, the one that spends most: what all spend together.

    Single answers with generalised Gaussian noise are compared too, among themselves and with Gaussian ones.

    Args:
        ledgers: One for each part, at least one.
        partition: How the data is split (`dpref.privacy.closed_forms.composition.parallel`).

    Returns:
        The first of several that spend most; one with an answer without noise, if there is one.

    Raises:
        InvalidArgumentError: If neighbours under the adjacency can differ in more than one part.
        UnsupportedEventError: If an event is not Gaussian, so that two ledgers may cross.

    >>> from dpref.privacy.events.ledger import Gaussian
    >>> from dpref.units import ReplaceOne
    >>> print(heaviest([Ledger(Gaussian(z), ReplaceOne) for z in (3, 2)]))
    gaussian(noise_multiplier=2) under replace-one
    """
    for ledger in ledgers:
        if NonPrivate() in multiplicities(ledger.event):
            return ledger
    losses = [gdp(ledger) for ledger in ledgers]
    most = parallel(losses, partition=partition)
    return ledgers[losses.index(most)]


def alongside(ledgers: Sequence[Ledger[A]]) -> Event:
    """What ledgers on disjoint parts spend together: the heaviest of Gaussian ones, else what a record may have cost.

    Args:
        ledgers: One for each part, at least one, under one adjacency under which records keep places.

    >>> from dpref.privacy.events.ledger import Exponential, Gaussian
    >>> from dpref.units import ReplaceOne
    >>> print(alongside([Ledger(event, ReplaceOne) for event in (Gaussian(3), Exponential(1))]))
    parallel(gaussian(noise_multiplier=3), exponential(epsilon=1))
    """
    try:
        return heaviest(ledgers).event
    except UnsupportedEventError:
        return parallel_parts(ledger.event for ledger in ledgers)


def check_part(part: range, others: Iterable[range], adjacency: type[Adjacency]) -> None:
    """Refuse a part of the places of a data set that neighbours would share with another part.

    Args:
        part: The places of its records.
        others: The parts so far, which may have it already.
        adjacency: The neighbouring relation.

    Raises:
        InvalidArgumentError: If it overlaps with another one, or a record's place depends on the other records.

    >>> from dpref.units import ReplaceOne
    >>> check_part(range(3), [range(3), range(3, 6)], ReplaceOne)
    """
    if adjacency is AddOrRemoveOne:
        raise InvalidArgumentError("part", part, "needs an adjacency under which records keep their places")
    if part.step != 1 or part.start < 0 or len(part) == 0:
        raise InvalidArgumentError("part", part, "must be places in order, at least one, counted from zero")
    if any(max(part.start, other.start) < min(part.stop, other.stop) for other in others if other != part):
        raise InvalidArgumentError("part", part, "must be disjoint from the other parts")
