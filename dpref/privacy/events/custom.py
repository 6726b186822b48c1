r"""An event for a mechanism of the user's own: what it spends is *assumed*, and every result that rests on it says so.

For each adjacency two distributions (P, Q) are given that dominate the mechanism's: for all neighbours $D, D'$ and all
$\alpha\ge0$ no set of outcomes has $\Pr[M(D)\in S]-\alpha\Pr[M(D')\in S]$ above $\sup_SP(S)-\alpha Q(S)$, whatever the
mechanism has answered before.  Where a record is removed, D is the data set that has it.  The reverse, (Q, P), then
dominates the other direction.  Nothing of this can be checked here; what can be is: masses that are not negative and
sum to one, and divergences that do not contradict the pair.

References:
    Zhu, Dong and Wang, "Optimal accounting of differential privacy via characteristic function", 2022, Definition 7.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, final

from flint import arb

from dpref.checks import instance, rational
from dpref.errors import InvalidArgumentError
from dpref.reals import DEFAULT_PRECISION, ball, precision
from dpref.units import ADJACENCIES, Adjacency, known_adjacency

MOST_OUTCOMES: Final = 1000
_LARGEST_WEIGHT: Final = 10**4
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,79}", re.ASCII)
_CHECKED_ORDERS: Final = (Fraction(3, 2), Fraction(2), Fraction(4), Fraction(16))
_CHECKED_LOSSES: Final = tuple(Fraction(k, 4) for k in (-32, -8, -4, -1, 0, 1, 4, 8, 32))

Curve: TypeAlias = Callable[[arb], tuple[arb, arb]]
Outcomes: TypeAlias = list[tuple[arb, arb, arb]]


@dataclass(frozen=True)
class _Listed:
    """Two distributions on the same outcomes, as two lists of exact numbers."""

    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]
    attained: bool = False

    @property
    def symmetric(self) -> bool:
        """Whether the reversed pair is the same, so that one stands for both directions."""
        pairs = Counter(zip(self.first, self.second, strict=True))
        return pairs == Counter(zip(self.second, self.first, strict=True))

    def _check(self) -> None:
        instance("attained", self.attained, bool)
        if not 0 < len(self.first) <= MOST_OUTCOMES:
            raise InvalidArgumentError("first", len(self.first), f"must have from 1 to {MOST_OUTCOMES} outcomes")
        if len(self.first) != len(self.second):
            rule = f"must have as many outcomes as first, {len(self.first)}"
            raise InvalidArgumentError("second", len(self.second), rule)

    def _written(self, name: str) -> str:
        sides = ", ".join("[" + ", ".join(map(str, side)) + "]" for side in (self.first, self.second))
        return f"{name}({sides}{', attained=true' if self.attained else ''})"


@final
@dataclass(frozen=True)
class FinitePair(_Listed):
    """Two distributions on the same outcomes, one exact probability for each.

    Attributes:
        first: P, outcome by outcome: with the record.
        second: Q, of the same outcomes in the same order.
        attained: Whether some neighbours' outcomes have just these distributions, which is assumed too: then the lower
            end of an interval rests on them, else it is what the other events attain.

    >>> FinitePair((Fraction(3, 4), Fraction(1, 3)), (Fraction(1, 4), Fraction(3, 4)))
    Traceback (most recent call last):
    dpref.errors.InvalidArgumentError: first = 13/12: must sum to one; add the missing mass or scale it
    """

    def __post_init__(self) -> None:
        for side in ("first", "second"):
            masses = tuple(rational(side, mass) for mass in getattr(self, side))
            object.__setattr__(self, side, masses)
            if sum(masses) != 1:
                raise InvalidArgumentError(side, sum(masses), "must sum to one; add the missing mass or scale it")
        self._check()

    def __str__(self) -> str:
        return self._written("finite")

    def outcomes(self) -> Outcomes:
        """(loss, P-mass, Q-mass) of each outcome, at the working precision; a loss may be infinite."""
        found: Outcomes = []
        for p, q in zip(self.first, self.second, strict=True):
            if p or q:
                loss = ball(p / q).log() if p and q else arb.pos_inf() if p else arb.neg_inf()
                found.append((loss, ball(p), ball(q)))
        return found


@final
@dataclass(frozen=True)
class GibbsPair(_Listed):
    r"""Two distributions on the same outcomes, with probabilities proportional to $e^{a_i}$ and $e^{b_i}$.

    Attributes:
        first: The exact numbers a, outcome by outcome: with the record.
        second: The exact numbers b, of the same outcomes in the same order.
        attained: As of a `FinitePair`.

    >>> response = GibbsPair((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    >>> [round(float(p), 3) for _, p, _ in response.outcomes()]
    [0.731, 0.269]
    """

    def __post_init__(self) -> None:
        for side in ("first", "second"):
            object.__setattr__(self, side, tuple(_weight(side, weight) for weight in getattr(self, side)))
        self._check()

    def __str__(self) -> str:
        return self._written("gibbs")

    @property
    def losses(self) -> tuple[Fraction, ...] | None:
        """The loss of every outcome, where both sides have the same weights in another order: then it is exact."""
        if sorted(self.first) != sorted(self.second):
            return None
        return tuple(a - b for a, b in zip(self.first, self.second, strict=True))

    def outcomes(self) -> Outcomes:
        """(loss, P-mass, Q-mass) of each outcome, at the working precision."""
        p, q = ([ball(weight).exp() for weight in side] for side in (self.first, self.second))
        whole_p, whole_q = sum(p, arb(0)), sum(q, arb(0))
        exact = self.losses
        shift = arb(0) if exact else (whole_q / whole_p).log()
        return [
            (ball(self.first[i] - self.second[i]) + shift, p[i] / whole_p, q[i] / whole_q)
            for i in range(len(self.first))
        ]


@final
@dataclass(frozen=True)
class CurvePair:
    r"""Two distributions that are known by their privacy curve, as a function in balls.

    Attributes:
        curve: From a ball around x to balls that hold $h(x)=\sup_SP(S)-e^xQ(S)$ and $Q(L>x)$,
            $L=\ln\frac{dP}{dQ}$; it is asked at growing precision (`dpref.reals.precision`), and all losses are finite.
        symmetric: Whether the reversed pair has the same curve.
        attained: As of a `FinitePair`.
    """

    curve: Curve
    symmetric: bool = False
    attained: bool = False

    def __post_init__(self) -> None:
        instance("symmetric", self.symmetric, bool)
        instance("attained", self.attained, bool)
        with precision(DEFAULT_PRECISION):
            points = [(ball(x).exp(), *self._at(ball(x))) for x in _CHECKED_LOSSES]
        for alpha, value, mass in points:
            if value < 0 or value < 1 - alpha or value > 1 or mass < 0 or mass > 1:
                rule = "must lie between max(0, 1 - e^x) and 1, its mass between 0 and 1; no mass may be missing"
                raise InvalidArgumentError("curve", (alpha.log(), value, mass), rule)
            for other, there, _ in points:
                if there < value - mass * (other - alpha):
                    rule = "must be convex in e^x with the slope -Q(L > x)"
                    raise InvalidArgumentError("curve", (alpha.log(), value, mass), rule)
        for (alpha, value, _), (_, reverse, _) in zip(points, reversed(points), strict=True):
            if self.symmetric and not value.overlaps(alpha * reverse + 1 - alpha):  # losses stand in pairs x, -x
                rule = f"contradicts the curve at the loss {alpha.log()}: the reversed pair has another; leave it out"
                raise InvalidArgumentError("symmetric", self.symmetric, rule)

    def __str__(self) -> str:
        return "function"

    def _at(self, x: arb) -> tuple[arb, arb]:
        value, mass = self.curve(x)
        for number in (value, mass):
            _check_ball("curve", number, "must return two finite balls of flint.arb", finite=True)
        return value, mass


AssumedPair: TypeAlias = FinitePair | GibbsPair | CurvePair


def _weight(side: str, weight: object) -> Fraction:
    """An exact number of either sign."""
    size = rational(side, abs(weight) if isinstance(weight, int | Fraction) and weight < 0 else weight)
    if size > _LARGEST_WEIGHT:
        raise InvalidArgumentError(side, weight, f"must lie between -{_LARGEST_WEIGHT} and {_LARGEST_WEIGHT}")
    return size if size == weight else -size


def _check_ball(argument: str, number: object, rule: str, *, finite: bool) -> None:
    """Refuse what a user's function must not return, whatever its annotations say."""
    if not isinstance(number, arb) or number.is_nan() or (finite and not number.is_finite()):
        raise InvalidArgumentError(argument, number, rule)


def _finite_divergence(outcomes: Outcomes, order: arb) -> arb:
    r"""$D_\alpha(P\|Q)=\frac1{\alpha-1}\ln\sum_ip_ie^{(\alpha-1)L_i}$; infinite if P has mass where Q has none."""
    if any(q == 0 for _, _, q in outcomes):
        return arb.pos_inf()
    gained = (p * ((order - 1) * loss).exp() for loss, p, _ in outcomes if p != 0)
    return sum(gained, arb(0)).log() / (order - 1)


def reversed_outcomes(outcomes: Outcomes) -> Outcomes:
    """The outcomes of (Q, P)."""
    return [(-loss, q, p) for loss, p, q in outcomes]


@final
@dataclass(frozen=True)
class Custom:
    """A mechanism of the user's own, by a pair that is assumed to dominate it under each adjacency.

    Attributes:
        name: What reports call it: a letter, then letters, digits, ``_`` and ``-``.
        replace_one: The pair for neighbours that differ in one replaced record, both ways; None if there is none.
        add_or_remove_one: The pair for a record that is removed.
        zero_out: The pair for a record that becomes a null record.
        renyi: From an order above one to a ball that bounds the mechanism's divergence of that order, both ways, under
            every adjacency that has a pair; for finite pairs None says that the pair's own divergence is taken.

    >>> response = FinitePair((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    >>> print(Custom("my_response", replace_one=response))
    custom(my_response, replace_one=finite([3/4, 1/4], [1/4, 3/4]))
    """

    name: str
    replace_one: AssumedPair | None = None
    add_or_remove_one: AssumedPair | None = None
    zero_out: AssumedPair | None = None
    renyi: Callable[[Fraction], arb] | None = None

    def __post_init__(self) -> None:
        name: object = self.name
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InvalidArgumentError("name", self.name, "must be a letter, then at most 79 letters, digits, _ and -")
        if not self.pairs:
            fields = ", ".join(map(field_of, ADJACENCIES.values()))
            raise InvalidArgumentError("name", self.name, f"needs a pair for one adjacency: {fields}")
        for field, pair in self.pairs.items():
            if not isinstance(pair, FinitePair | GibbsPair | CurvePair):
                raise InvalidArgumentError(field, pair, "must be a FinitePair, a GibbsPair or a CurvePair")
            if self.renyi is not None:
                _check_divergence(self.renyi, field, pair)

    def __str__(self) -> str:
        pairs = [f"{field}={pair}" for field, pair in self.pairs.items()]
        return f"custom({', '.join([self.name, *pairs, *(['renyi=function'] if self.renyi else [])])})"

    @property
    def pairs(self) -> dict[str, AssumedPair]:
        """The pairs that are given, by the names of their fields."""
        fields = map(field_of, ADJACENCIES.values())
        return {field: getattr(self, field) for field in fields if getattr(self, field) is not None}

    def pair(self, adjacency: type[Adjacency]) -> AssumedPair | None:
        """The pair under an adjacency, or None."""
        return self.pairs.get(field_of(known_adjacency(adjacency)))


def field_of(adjacency: type[Adjacency]) -> str:
    """The field of a `Custom` event that holds the pair of an adjacency.

    >>> [field_of(adjacency) for adjacency in ADJACENCIES.values()]
    ['replace_one', 'add_or_remove_one', 'zero_out']
    """
    return adjacency.name.replace("-", "_")


def _check_divergence(renyi: Callable[[Fraction], arb], field: str, pair: AssumedPair) -> None:
    """Refuse what is no bound on divergences, or lies below those that an attained pair has, at a few orders."""
    with precision(DEFAULT_PRECISION):
        for order in _CHECKED_ORDERS:
            bound, rule = renyi(order), f"must be a ball of flint.arb, not negative, at order {order}"
            _check_ball("renyi", bound, rule, finite=False)
            if bound < 0:
                raise InvalidArgumentError("renyi", bound, rule)
            if pair.attained and any(bound < least for least in _least_divergences(pair, order)):
                rule = f"contradicts {field} at order {order}, which is said to be attained; correct one of them"
                raise InvalidArgumentError("renyi", bound, rule)


def _least_divergences(pair: AssumedPair, order: Fraction) -> list[arb]:
    """What the divergence of a pair, one way or the other, is known to be at least."""
    alpha = ball(order)
    if not isinstance(pair, CurvePair):
        outcomes = pair.outcomes()
        return [_finite_divergence(way, alpha) for way in (outcomes, reversed_outcomes(outcomes))]
    least = []
    for x in _CHECKED_LOSSES:
        # Of S = {L > x}: P(S)^alpha Q(S)^(1 - alpha) is at most exp((alpha - 1) D), by data processing.
        value, q = pair.curve(ball(x))
        p = value + ball(x).exp() * q
        if p > 0 and q > 0:
            least.append((alpha * p.log() + (1 - alpha) * q.log()) / (alpha - 1))
    return least
