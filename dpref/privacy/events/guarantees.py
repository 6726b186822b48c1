"""The events of mechanisms of which nothing is known but a guarantee: (epsilon, delta), zCDP, or a table of both.

What such an event spends is what its guarantee allows.  The mechanism behind it may spend less, so that no query is
known to attain anything and lower ends rest on the other events, unless ``worst_case`` asks for the worst mechanism of
that guarantee.  A guarantee is one under the ledger's adjacency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Final, TypeVar, final

from dpref.checks import half_open_unit, instance, rational
from dpref.errors import InvalidArgumentError

E = TypeVar("E")

MOST_POINTS: Final = 1000


@final
@dataclass(frozen=True)
class Approximate:
    r"""A mechanism that is $(\varepsilon,\delta)$-DP, and of which nothing else is known.

    Attributes:
        epsilon: Exact, not negative.
        delta: Exact, in [0, 1); not zero together with epsilon.
        worst_case: Whether the question is what the worst mechanism of that guarantee spends: both ends are then its.
    """

    epsilon: Fraction
    delta: Fraction
    worst_case: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", rational("epsilon", self.epsilon))
        object.__setattr__(self, "delta", half_open_unit("delta", self.delta))
        instance("worst_case", self.worst_case, bool)
        if not self.epsilon and not self.delta:
            raise InvalidArgumentError("epsilon", self.epsilon, "must be positive if delta is zero; or leave it out")

    def __str__(self) -> str:
        worst = str(self.worst_case).lower()
        return f"approximate(epsilon={self.epsilon}, delta={self.delta}, worst_case={worst})"


@final
@dataclass(frozen=True)
class Concentrated:
    r"""A mechanism with $D_\alpha\le\xi+\rho\alpha$ for all $\alpha>1$, and of which nothing else is known: zCDP.

    Attributes:
        rho: Exact and positive.
        xi: Exact, not negative; zero for $\rho$-zCDP.
    """

    rho: Fraction
    xi: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", rational("rho", self.rho))
        object.__setattr__(self, "xi", rational("xi", self.xi))
        if self.rho == 0:
            raise InvalidArgumentError("rho", self.rho, "must be positive; of a pure guarantee say approximate")

    def __str__(self) -> str:
        return f"zcdp(rho={self.rho}, xi={self.xi})"


@final
@dataclass(frozen=True)
class Profile:
    r"""A mechanism that is $(\varepsilon_i,\delta_i)$-DP for each point of a table, and of which nothing else is known.

    Attributes:
        epsilons: Exact, not negative, increasing.
        deltas: A delta for each of them, exact, in [0, 1), none above the one before.
        added: The same for a record that is added, where ``deltas`` holds for one that is removed alone; None if
            ``deltas`` holds both ways.
        worst_case: As of `Approximate`.
    """

    epsilons: tuple[Fraction, ...]
    deltas: tuple[Fraction, ...]
    added: tuple[Fraction, ...] | None = field(default=None, metadata={"silent": True})
    worst_case: bool = False

    def __post_init__(self) -> None:
        epsilons = tuple(rational("epsilons", epsilon) for epsilon in self.epsilons)
        object.__setattr__(self, "epsilons", epsilons)
        if not 0 < len(epsilons) <= MOST_POINTS:
            raise InvalidArgumentError("epsilons", len(epsilons), f"must be from 1 to {MOST_POINTS} numbers")
        if any(a >= b for a, b in pairwise(epsilons)):
            raise InvalidArgumentError("epsilons", self.epsilons, "must increase")
        for name in ("deltas", "added"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, self._deltas(name))
        instance("worst_case", self.worst_case, bool)
        if not epsilons[-1] and not all((self.deltas[-1], *(self.added or ())[-1:])):
            raise InvalidArgumentError("epsilons", self.epsilons, "must not say that nothing is spent; leave it out")

    def _deltas(self, name: str) -> tuple[Fraction, ...]:
        found = tuple(half_open_unit(name, delta) for delta in getattr(self, name))
        if len(found) != len(self.epsilons):
            raise InvalidArgumentError(name, len(found), f"must be as many as epsilons, {len(self.epsilons)}")
        if any(a < b for a, b in pairwise(found)):
            raise InvalidArgumentError(
                name, found, "must not increase: a smaller epsilon's delta holds for a larger one"
            )
        return found

    def __str__(self) -> str:
        lists = {"epsilons": self.epsilons, "deltas": self.deltas, "added": self.added}
        written = [f"{name}=[{', '.join(map(str, found))}]" for name, found in lists.items() if found is not None]
        return f"profile({', '.join(written)}, worst_case={str(self.worst_case).lower()})"

    @property
    def removed_points(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """(epsilon, delta) where a record is removed."""
        return tuple(zip(self.epsilons, self.deltas, strict=True))

    @property
    def added_points(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """(epsilon, delta) where a record is added."""
        return tuple(zip(self.epsilons, self.deltas if self.added is None else self.added, strict=True))


def with_one_concentrated(counts: Mapping[E, int]) -> dict[E | Concentrated, int]:
    """Events and how often each happens, with all zCDP guarantees added up to one: divergences add, order by order.

    >>> print(*with_one_concentrated({Concentrated(Fraction(1, 4)): 3, Concentrated(Fraction(1, 8)): 2}))
    zcdp(rho=1, xi=0)
    """
    found = [(event, count) for event, count in counts.items() if isinstance(event, Concentrated)]
    kept: dict[E | Concentrated, int] = {e: k for e, k in counts.items() if not isinstance(e, Concentrated)}
    if found:
        rho, xi = (sum((getattr(e, name) * k for e, k in found), Fraction(0)) for name in ("rho", "xi"))
        kept[Concentrated(rho, xi)] = 1
    return kept
