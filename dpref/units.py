"""Typed sensitivities, privacy losses and adjacencies, with exact values.

A sensitivity carries its norm and its adjacency, a privacy loss its measure and its adjacency, both as types (which
``mypy --strict`` checks) and as values (which are checked again at run time).  There is no default adjacency anywhere:
the same noise buys a budget four times smaller under one adjacency than under another.

References:
    Bun and Steinke, "Concentrated differential privacy", 2016 (zCDP, Definition 1.1).
    Dong, Roth and Su, "Gaussian differential privacy", 2022 (GDP, Definition 2.6).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Final, Generic, TypeVar, final

from dpref.checks import rational
from dpref.errors import InvalidArgumentError
from dpref.reals import Exact


class Norm:
    """A norm in which a sensitivity is measured (a type-level tag), and its index q."""

    name: str
    index: Fraction | float


@final
class L1(Norm):
    """Sum of absolute values."""

    name = "l1"
    index: Fraction | float = Fraction(1)


@final
class L2(Norm):
    """Euclidean norm."""

    name = "l2"
    index: Fraction | float = Fraction(2)


@final
class Linf(Norm):
    """Largest absolute value."""

    name = "linf"
    index: Fraction | float = math.inf


@final
class Span(Norm):
    """Largest entry less the smallest, a seminorm: how far the differences of scores move, all that a choice sees."""

    name = "span"
    index: Fraction | float = math.inf


def lq(index: Fraction | float) -> type[Norm]:
    r"""The tag of the norm $\|\cdot\|_q$: one class for each q, and the named ones for 1, 2 and infinity.

    Args:
        index: q, exact and at least 1, or infinity.

    Raises:
        InvalidArgumentError: If q is a finite float or below 1.

    >>> lq(Fraction(2)) is L2, lq(Fraction(3)).name, lq(Fraction(3)) is lq(Fraction(3))
    (True, 'l3', True)
    >>> [str(lq(q).index) for q in (1, 2, Fraction(3, 2), math.inf)]
    ['1', '2', '3/2', 'inf']
    """
    if index == math.inf:
        return Linf
    q = rational("index", index)
    if q < 1:
        raise InvalidArgumentError("index", index, "must be at least 1")
    return _lq(q)


@cache
def _lq(index: Fraction) -> type[Norm]:
    named = {Fraction(1): L1, Fraction(2): L2}
    return named.get(index) or type(f"L{index}", (Norm,), {"name": f"l{index}", "index": index})


class Measure:
    """A measure of privacy loss (a type-level tag)."""

    name: str


@final
class PureDP(Measure):
    """epsilon-differential privacy; the value is epsilon."""

    name = "pure"


@final
class ApproximateDP(Measure):
    """(epsilon, delta)-differential privacy; the value is epsilon, with a delta beside it."""

    name = "approximate"


@final
class ZCDP(Measure):
    """rho-zero-concentrated differential privacy; the value is rho."""

    name = "zcdp"


@final
class JointDP(Measure):
    r"""(epsilon, delta)-joint differential privacy: of what all others are told; the value is epsilon, with a delta.

    Of a stream of users: the law of the actions of everybody but user t moves by at most $e^\varepsilon$ and $\delta$
    when t's record moves to a neighbour under the loss's adjacency.  Her own action may show it.  Joint losses do not
    add: two mechanisms may tell everybody together what neither does.  Add those of the billboards.
    """

    name = "joint"


@final
class GDP(Measure):
    """mu-Gaussian differential privacy; the value is mu squared, which is what adds under composition."""

    name = "gdp"


class Adjacency:
    """A neighbouring relation between data sets (a type-level tag)."""

    name: str
    description: str


@final
class ReplaceOne(Adjacency):
    """One record is replaced by any other; the number of records is the same and public."""

    name = "replace-one"
    description = "one record is replaced by any other; n is the same"


@final
class AddOrRemoveOne(Adjacency):
    """One record is added or removed; divisors and noise scales use a fixed public n."""

    name = "add-or-remove-one"
    description = "one record is added or removed; n in formulas is a fixed public constant"


@final
class ZeroOut(Adjacency):
    """One record is replaced by a null record that contributes nothing; n is the same."""

    name = "zero-out"
    description = "one record is replaced by a null record that contributes nothing; n is the same"


ADJACENCIES: Final[Mapping[str, type[Adjacency]]] = MappingProxyType(
    {a.name: a for a in (ReplaceOne, AddOrRemoveOne, ZeroOut)}
)


def adjacency_named(name: str) -> type[Adjacency]:
    """The adjacency of that name.

    Raises:
        InvalidArgumentError: If there is none; the message lists the names.

    >>> adjacency_named("zero-out").__name__
    'ZeroOut'
    """
    try:
        return ADJACENCIES[name]
    except KeyError:
        raise InvalidArgumentError("adjacency", name, "must be one of " + ", ".join(ADJACENCIES)) from None


def known_adjacency(adjacency: type[Adjacency]) -> type[Adjacency]:
    """The adjacency, if it is one of the three: formulas that tell them apart must not take a name for another class.

    Raises:
        InvalidArgumentError: If it is not.

    >>> known_adjacency("replace-one")
    Traceback (most recent call last):
    dpref.errors.InvalidArgumentError: adjacency = 'replace-one': must be ReplaceOne, AddOrRemoveOne or ZeroOut
    """
    if not any(adjacency is known for known in ADJACENCIES.values()):
        raise InvalidArgumentError("adjacency", adjacency, "must be ReplaceOne, AddOrRemoveOne or ZeroOut")
    return adjacency


def differing_records(adjacency: type[Adjacency]) -> int:
    """How many terms of a sum over the records differ: of a replaced record the old and the new one, else one.

    >>> differing_records(ReplaceOne), differing_records(ZeroOut)
    (2, 1)
    """
    return 2 if known_adjacency(adjacency) is ReplaceOne else 1


N = TypeVar("N", bound=Norm)
M = TypeVar("M", bound=Measure)
A = TypeVar("A", bound=Adjacency)


@final
@dataclass(frozen=True)
class Sensitivity(Generic[N, A]):
    """sup of ||f(D) - f(D')|| over neighbouring D, D', in one norm and one adjacency.

    Attributes:
        value: The supremum, exact.
        norm: The norm's tag.
        adjacency: The adjacency's tag.

    >>> Sensitivity(Fraction(2, 100), L2, ReplaceOne).value
    Fraction(1, 50)
    """

    value: Fraction
    norm: type[N]
    adjacency: type[A]

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", rational("sensitivity", self.value))
        norm: object = self.norm
        if not (isinstance(norm, type) and issubclass(norm, Norm)):
            raise InvalidArgumentError("norm", self.norm, "must be a norm's tag, such as L2")
        known_adjacency(self.adjacency)

    def __add__(self, other: Sensitivity[N, A]) -> Sensitivity[N, A]:
        if (self.norm, self.adjacency) != (other.norm, other.adjacency):
            raise InvalidArgumentError("other", other, "sensitivities add within one norm and one adjacency")
        return Sensitivity(self.value + other.value, self.norm, self.adjacency)

    def scale(self, factor: Exact) -> Sensitivity[N, A]:
        """The sensitivity of ``factor * f``."""
        return Sensitivity(abs(Fraction(factor)) * self.value, self.norm, self.adjacency)


@final
@dataclass(frozen=True)
class PrivacyLoss(Generic[M, A]):
    """A privacy loss under one measure and one adjacency; losses of one kind add, of two kinds never mix.

    Attributes:
        value: epsilon (pure, approximate), rho (zCDP) or mu squared (GDP): what adds under composition.
        measure: The measure's tag.
        adjacency: The adjacency's tag.
        delta: The additive slack; zero except for (epsilon, delta)-DP and its joint notion.

    >>> (PrivacyLoss(Fraction(1, 2), ZCDP, ReplaceOne) + PrivacyLoss(Fraction(1), ZCDP, ReplaceOne)).value
    Fraction(3, 2)
    """

    value: Fraction
    measure: type[M]
    adjacency: type[A]
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", rational("privacy loss", self.value))
        object.__setattr__(self, "delta", rational("delta", self.delta))
        if not any(self.measure is known for known in (PureDP, ApproximateDP, JointDP, ZCDP, GDP)):
            raise InvalidArgumentError("measure", self.measure, "must be PureDP, ApproximateDP, JointDP, ZCDP or GDP")
        known_adjacency(self.adjacency)
        if self.delta and self.measure not in {ApproximateDP, JointDP}:
            raise InvalidArgumentError("delta", self.delta, "only (epsilon, delta)-DP has a delta")

    def __add__(self, other: PrivacyLoss[M, A]) -> PrivacyLoss[M, A]:
        if (self.measure, self.adjacency) != (other.measure, other.adjacency):
            raise InvalidArgumentError("other", other, "losses add within one measure and one adjacency")
        if self.measure is JointDP:
            raise InvalidArgumentError("other", other, "joint losses do not add: add those of the billboards instead")
        return PrivacyLoss(self.value + other.value, self.measure, self.adjacency, self.delta + other.delta)


def billboard(public: PrivacyLoss[ApproximateDP, A]) -> PrivacyLoss[JointDP, A]:
    """The joint privacy of actions that are functions of a public sequence and of the own record.

    The billboard lemma (Hsu et al., "Private matchings and allocations", 2014; obligation
    ``private-online-frank-wolfe/billboard``): what everybody else is told is a function of the billboard and of their
    own records, and costs what the billboard costs.

    Args:
        public: The loss of the billboard.

    Raises:
        InvalidArgumentError: If it is not an (epsilon, delta) loss.

    >>> billboard(PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne, Fraction(1, 100))).measure.name
    'joint'
    """
    if public.measure is not ApproximateDP:
        raise InvalidArgumentError("public", public.measure, "must be an (epsilon, delta) loss; convert it first")
    if public.adjacency is AddOrRemoveOne:
        raise InvalidArgumentError("public", public.adjacency, "must keep every user's place: replace-one or zero-out")
    return PrivacyLoss(public.value, JointDP, public.adjacency, public.delta)
