"""What is commonly but wrongly reported for shuffled batches: the number that Poisson samples of the same rate have.

Loaders of training data shuffle, and accountants are asked about Poisson samples.  Nothing proves that a shuffled epoch
spends as little; often it provably spends more.  Whoever asks about shuffled batches gets both numbers.

References:
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha and Zhang, "How private are DP-SGD implementations?", 2024.
    Lebeda, Regehr, Kamath and Steinke, "Avoiding pitfalls for privacy accounting of subsampled mechanisms under
    composition", 2024.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, final

from dpref.privacy.accountants import certify
from dpref.privacy.events.allocation import Shuffled
from dpref.privacy.events.ledger import Compose, Event, Ledger, Poisson, Repeat
from dpref.privacy.interval import Interval
from dpref.reals import Exact
from dpref.units import Adjacency, ReplaceOne


@final
@dataclass(frozen=True)
class PoissonInstead:
    """What shuffled batches spend, beside what Poisson samples would.

    Attributes:
        found: Of the ledger with shuffled epochs.
        poisson: Of the ledger in which each of its batches is a Poisson sample of the same rate.
    """

    found: Interval
    poisson: Interval

    @property
    def refuted(self) -> bool:
        """Whether what Poisson samples spend is proved to be too little."""
        return self.found.lower > self.poisson.upper

    def __str__(self) -> str:
        low, high = self.poisson.as_decimal(6)
        verdict = "is proved to be too little" if self.refuted else "is not proved of them"
        return (
            f"batches of a shuffled epoch are no Poisson samples, whose {self.poisson.quantity} in [{low}, {high}] "
            f"{verdict}: what is certified is {' to '.join(self.found.as_decimal(6))}"
        )


def as_poisson(ledger: Ledger[Any]) -> Ledger[Any] | None:
    """The ledger in which batches of shuffled epochs are taken for Poisson samples; None if it has no such epoch.

    >>> from dpref.privacy.events.expression import parse_event
    >>> from dpref.units import ZeroOut
    >>> print(as_poisson(Ledger(parse_event("shuffled(gaussian(1), batches=10)"), ZeroOut)).event)
    compose(poisson(gaussian(noise_multiplier=1), rate=1/10), 10)
    """
    event = _replaced(ledger.event, ledger.adjacency)
    return None if event == ledger.event else replace(ledger, event=event)


def poisson_instead(
    ledger: Ledger[Any], found: Interval, *, delta: Exact | None = None, epsilon: Exact | None = None
) -> PoissonInstead | None:
    """Both numbers, if a ledger has shuffled epochs.

    Args:
        ledger: What was asked about.
        found: What it spends.
        delta: As it was given to `dpref.privacy.accountants.certify`.
        epsilon: Likewise.
    """
    other = as_poisson(ledger)
    return None if other is None else PoissonInstead(found, certify(other, delta=delta, epsilon=epsilon))


def _replaced(event: Event, adjacency: type[Adjacency]) -> Event:
    match event:
        case Shuffled(answer, batches) if batches > 1:  # one batch of all records is no sample
            sample = Poisson(answer, Fraction(1, batches), "ball" if adjacency is ReplaceOne else None)
            return Repeat(sample, batches)
        case Repeat(inner, count):
            return Repeat(_replaced(inner, adjacency), count)
        case Compose(events):
            return Compose(tuple(_replaced(e, adjacency) for e in events))
        case _:
            return event
