r"""What an accountant composed, as a privacy curve that can be read at every loss, each end in its own direction.

Of a pair (P, Q) with loss $L = \ln\frac{dP}{dQ}$ a measure gives $h(x) = \sup_S P(S)-e^xQ(S)$ and the two errors of the
test "L > x": of type I, $Q(L>x)$, and of type II, $P(L\le x)$.  An upper end is a number that no neighbour's curve
exceeds, a lower end one that some neighbours reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias, final


class Measure(Protocol):
    """A composition that bounds from above, or from below.

    Attributes:
        origin: The curve bends only at losses ``origin + k * step``, or nearly.
        step: Positive.
        method: How it was computed.
        precision: In bits.
    """

    origin: Fraction
    step: Fraction
    method: str
    precision: int

    def delta(self, loss: Fraction) -> float:
        """h at a loss: not below it where the measure bounds from above, not above it where it does from below."""
        ...

    def test(self, loss: Fraction) -> tuple[float, float]:
        """The errors of the test "above this loss", of type I and II: at most these, where it bounds from below."""
        ...


@final
@dataclass(frozen=True)
class Composition:
    """A ledger in one direction.

    Attributes:
        above: What dominates it.
        below: What some neighbours attain, or None if nothing is known.
    """

    above: Measure
    below: Measure | None


Compositions: TypeAlias = tuple[Composition, Composition]  # a record removed, a record added
