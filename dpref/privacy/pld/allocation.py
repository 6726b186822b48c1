r"""Dominating pairs of an epoch in which every record takes part in one of t steps, or in k of them.

**Random allocation** (one of t steps, uniform and independent of the other records; what a record contributes is a
vector of norm at most s in units of the noise).  Under add-or-remove-one and zero-out the pair
$P=\frac1t\sum_iN(se_i)$, $Q=N(0)$ dominates and is attained, also where steps depend on earlier answers (Chua et al.
2025).  With $\bar Y$ the mean of t independent likelihood ratios,

$$h_{\mathrm{removed}}(x)=\mathbb E(\bar Y-e^x)_+,\qquad h_{\mathrm{added}}(x)=\mathbb E(1-e^x\bar Y)_+,$$

between the laws of `dpref.privacy.pld.ratio_laws`.

**k of t steps.**  Choose at random k disjoint blocks of $m=\lfloor t/k\rfloor$ steps such that each holds one of the
k steps, and publish the blocks: their choice does not depend on the data, so by joint convexity k allocations of one in
m dominate.  Below, the sum of all answers is one Gaussian answer of $\mu=ks/\sqrt t$.

**Replace-one.**  The record is first removed, then the other one added: for every $x_1$,
$h(x)\le h_{\mathrm{removed}}(x_1)+e^{x_1}h_{\mathrm{added}}(x-x_1)$, the best of which is a bound and so
a pair.  Attained are the removal alone (the other record contributes nothing) and, of the sum of all answers,
$\mu=2ks/\sqrt t$ (both at opposite ends).

**Shuffled batches of one size.**  Above, the whole order is published and what is left is one Gaussian answer an epoch
(under add-or-remove-one of two of them, of shifts 2s and s: a record takes the place of the absent one, and the last
batch has one less).  Below: under replace-one, all other records at one end of the ball and the two records at both, it
is a random allocation of shift 2s; under add-or-remove-one the same without the last batch; under zero-out the largest
of the t answers tells P from Q.

A bound is never above that of one Gaussian answer, which publishing the steps of each record gives.

References:
    Chua, Ghazi, Harrison, Kamath, Kumar, Leeman, Manurangsi, Sinha and Zhang, "Balls-and-bins sampling for DP-SGD",
    2025.
    Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha and Zhang, "How private are DP-SGD implementations?", 2024.
    Feldman and Shenfeld, "Privacy amplification by random allocation", 2025.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Final, final

from flint import arb

from dpref.errors import PrecisionError, UnsupportedEventError
from dpref.privacy.closed_forms.allocations import in_two_steps
from dpref.privacy.closed_forms.curves import gaussian_curve
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.events.allocation import RandomAllocation, Shuffled
from dpref.privacy.events.ledger import Gaussian
from dpref.privacy.pld.pair import Curve, Pair, PairSet
from dpref.privacy.pld.ratio_laws import LARGEST_SHIFT, mean_of_ratios, product_of_means
from dpref.reals import BALL, ball, lower, precision, upper
from dpref.units import AddOrRemoveOne, Adjacency, ReplaceOne

MOST_STEPS: Final = 1 << 18  # of which doubles bear the rounding
_BITS: Final = 320
_FARTHEST_CUT: Final = 10.0
_FARTHEST: Final = 10**60  # in doubles, of what a search looks at
_HALVINGS: Final = 60
_SURE: Final = 1 - 2.0**-53
_LARGEST_EXPONENT: Final = 700.0
_SPLITS: Final = 24


def allocation_pairs(event: RandomAllocation, adjacency: type[Adjacency]) -> PairSet:
    """The pairs of one epoch of random allocation.

    Args:
        event: Gaussian answers.
        adjacency: Under replace-one the event must say that contributions lie in a ball.

    Raises:
        UnsupportedEventError: If the answers are not Gaussian, or their contributions under replace-one not in a ball.
    """
    z, t, k = _multiplier(event, adjacency), event.steps, event.participations
    if adjacency is ReplaceOne:
        if event.contribution != "ball":
            why = (
                "how far a contribution is from an absent record's is not stated; of a sum of clipped contributions "
                "say contribution=ball (any is at most half the sensitivity away), or use add-or-remove-one or zero-out"
            )
            raise UnsupportedEventError(f"{event} under {adjacency.name}: {why}")
        return _replaced(str(event), 1 / (2 * z), t, k)
    return _allocated(str(event), 1 / z, t, k)


def shuffled_pairs(event: Shuffled, adjacency: type[Adjacency]) -> PairSet:
    """The pairs of one epoch of shuffled batches: far apart, since nothing proves that the order amplifies.

    Args:
        event: Gaussian answers.
        adjacency: Any.

    Raises:
        UnsupportedEventError: If the answers are not Gaussian.
    """
    s, t, name = 1 / _multiplier(event, adjacency), event.batches, str(event)
    if t == 1:  # all records, in every order
        return _tight(_one_answer(s**2))
    sums = _one_answer(s**2 / t)  # of the sum of all answers
    if adjacency is AddOrRemoveOne:
        bound = _one_answer(5 * s**2)
        return PairSet(bound, bound, *_attained(name, 2 * s, t, 1, sums))
    bound = _one_answer(s**2)
    remove, add = _attained(name, s, t, 0, sums)
    if adjacency is ReplaceOne:
        return PairSet(bound, bound, remove, add)
    return PairSet(bound, bound, Pair(f"{name}, largest answer", _largest_answer(s, t), smooth=True), add)


def _multiplier(event: RandomAllocation | Shuffled, adjacency: type[Adjacency]) -> Fraction:
    if isinstance(event.event, Gaussian):
        return event.event.noise_multiplier
    why = "what an epoch of such answers spends is known of Gaussian ones alone; sample each answer by itself"
    raise UnsupportedEventError(f"{event} under {adjacency.name}: {why}")


def _tight(pair: Pair) -> PairSet:
    return PairSet(pair, pair, pair, pair)


def _one_answer(mu_squared: Fraction) -> Pair:
    return Pair(f"gaussian pair, mu^2 = {mu_squared}", _gaussian(mu_squared), smooth=True)


def _gaussian(mu_squared: Fraction) -> Curve:
    return lambda x: gaussian_curve(BALL, x, BALL.sqrt(ball(mu_squared)))


def _allocated(name: str, s: Fraction, t: int, k: int) -> PairSet:
    whole, sums = _one_answer(k * s**2), _one_answer(k**2 * s**2 / t)
    if t == k:
        return _tight(whole)
    remove, add = (_bound(name, s, t, k, removed=removed) for removed in (True, False))
    attained = _attained(name, s, t, 0, sums) if k == 1 else (sums, sums)
    return PairSet(remove or whole, add or whole, *attained)


def _replaced(name: str, s: Fraction, t: int, k: int) -> PairSet:
    """Both records lie in a ball of radius s around an absent one's contribution."""
    whole, sums = _one_answer(4 * k * s**2), _one_answer(4 * k**2 * s**2 / t)
    if t == k:
        return _tight(whole)
    remove, add = (_bound(name, s, t, k, removed=removed) for removed in (True, False))
    if remove is None or add is None:
        return PairSet(whole, whole, sums, sums)
    bound = Pair(f"{name}, removed and added", _either(_then(remove.curve, add.curve), whole.curve), smooth=True)
    return PairSet(bound, bound, _attained(name, s, t, 0, sums)[0] if k == 1 else sums, sums)


def _then(first: Curve, second: Curve) -> Curve:
    """A bound for two changes one after the other, at the best of some splits of the loss."""

    def split(x: arb, part: float) -> tuple[arb, arb]:
        x1 = x * part
        (a, _), (b, mass) = first(x1), second(x - x1)
        return in_two_steps(BALL, a, b, x1.exp()), mass

    def curve(x: arb) -> tuple[arb, arb]:
        tried = (split(x, 0.5 + 0.02 * i) for i in range(_SPLITS))
        return min(tried, key=lambda found: upper(found[0]))

    return curve


def _either(curve: Curve, other: Curve) -> Curve:
    """The smaller one of two bounds at every loss."""

    def smaller(x: arb) -> tuple[arb, arb]:
        (a, p), (b, q) = curve(x), other(x)
        return a.min(b), p if a < b else q

    return smaller


# ------------------------------------------------------------------------------------ laws as curves


@final
@dataclass(frozen=True)
class _Lines:
    r"""A curve as the largest of lines $a_j-e^xb_j$, in the order in which they are the largest.

    Attributes:
        places: Where $e^x$ passes from one line to the next; of the reversed pair, where $e^{-x}$ does.
        first: a, one more than places.
        second: b.
        infinite: Mass of the first law at an infinite loss, part of every a.
    """

    places: list[float]
    first: list[arb]
    second: list[arb]
    infinite: arb

    @classmethod
    def removed(cls, places: list[float], p: list[arb], q: list[arb], infinite: arb) -> _Lines:
        """Of atoms with increasing ratios of P to Q."""
        return cls(places, _sums(p[::-1], infinite)[::-1], _sums(q[::-1], arb(0))[::-1], infinite)

    @classmethod
    def added(cls, places: list[float], p: list[arb], q: list[arb]) -> _Lines:
        """Of the same atoms, Q against P."""
        return cls(places, _sums(q, arb(0)), _sums(p, arb(0)), q[0] if places[0] == 0 else arb(0))

    def at(self, place: arb, e: arb) -> list[tuple[arb, arb]]:
        """The lines that may be the largest."""
        near = range(bisect_left(self.places, lower(place)), bisect_right(self.places, upper(place)) + 1)
        return [(self.first[j] - e * self.second[j], self.second[j]) for j in near]


def _sums(masses: list[arb], start: arb) -> list[arb]:
    return list(accumulate(masses, initial=start))


@lru_cache(maxsize=64)
def _lines(s: Fraction, t: int, k: int, absent: int, *, above: bool, removed: bool) -> _Lines | None:
    r"""A curve above or below that of $\bar Y$, k independent ones multiplied; ``absent`` of t ratios are one.

    None where doubles do not hold it.  The doubt of places is taken off or put on them, in the direction in which the
    curve stays above or below.
    """
    try:
        law = mean_of_ratios(s, t - absent, above=above) if k == 1 else product_of_means(s, t // k, k, above=above)
    except PrecisionError:
        return None
    with precision(_BITS):
        scale = (arb(t) if k == 1 else arb(1)) * (1 + (-1 if removed == above else 1) * arb(law.doubt))
        rounded = upper if removed == above else lower
        places = [max(0.0, rounded((arb(y) + absent) / scale)) for y in law.places.tolist()]
        q = [arb(m) for m in law.masses.tolist()]
        p = [m * arb(y) for m, y in zip(q, places, strict=True)]
        if removed:
            return _Lines.removed(places, p, q, arb(law.rest) / scale)
        return _Lines.added(places, p, q)


def _largest_answer(s: Fraction, t: int) -> Curve:
    r"""Whether the largest of t answers exceeds c: the record's batch is at 2s, or without it at s, all others at 0.

    $P(S)=1-\Phi(c-2s)\Phi(c)^{t-1}$ and $Q(S)=1-\Phi(c-s)\Phi(c)^{t-1}$, at about the best c for every loss.
    """
    others_about, shift_about = float(min(t - 1, _FARTHEST)), float(min(s, Fraction(_FARTHEST)))  # any c is valid

    def passed(shift: float, c: float) -> float:
        logs = [math.log1p(-min(math.erfc(z * math.sqrt(0.5)) / 2, _SURE)) for z in (c - shift, c)]
        return -math.expm1(logs[0] + others_about * logs[1])

    def best(x: float) -> float:
        shift, growth = shift_about, math.exp(min(x, _LARGEST_EXPONENT))
        left, right = -_FARTHEST_CUT, 2 * shift + _FARTHEST_CUT
        for _ in range(_HALVINGS):
            a, b = left + (right - left) * 0.38, left + (right - left) * 0.62
            first, second = (passed(2 * shift, c) - growth * passed(shift, c) for c in (a, b))
            left, right = (a, right) if first <= second else (left, b)  # equal where both are sure
        return left

    def curve(x: arb) -> tuple[arb, arb]:
        c = arb(best(float(x.mid())))
        others = normal_cdf(BALL, c) ** (t - 1)
        p, q = (1 - normal_cdf(BALL, c - shift) * others for shift in (2 * ball(s), ball(s)))
        return _least(p - x.exp() * q, q, x)

    return curve


def _bound(name: str, s: Fraction, t: int, k: int, *, removed: bool) -> Pair | None:
    """A pair above; None where nothing is gained.  With more steps than are counted an epoch only spends less."""
    steps = min(t, k * MOST_STEPS)
    if steps // k == 1 or s > LARGEST_SHIFT:
        return None

    whole = _gaussian(k * s**2)

    def lines() -> _Lines | None:
        return _lines(s, steps, k, 0, above=True, removed=removed)

    def curve(x: arb) -> tuple[arb, arb]:
        e, found = x.exp(), lines()
        if found is None:
            return whole(x)
        tried = found.at(e if removed else 1 / e, e)
        return max((value for value, _ in tried), key=upper), tried[0][1]

    def finite() -> tuple[arb, arb]:
        found = lines()
        return 1 - (arb(0) if found is None else found.infinite), arb(1)

    return Pair(_named(name, removed=removed), _either(curve, whole), finite=finite, smooth=True)


def _attained(name: str, s: Fraction, t: int, absent: int, otherwise: Pair) -> tuple[Pair, Pair]:
    """Pairs below those that are attained, in both directions; another one where steps or s are beyond the laws."""
    if s > LARGEST_SHIFT or t > MOST_STEPS:
        return otherwise, otherwise

    def pair(*, removed: bool) -> Pair:
        def lines() -> _Lines | None:
            return _lines(s, t, 1, absent, above=False, removed=removed)

        return Pair(f"{_named(name, removed=removed)}, attained", _below(lines, removed=removed), smooth=True)

    return pair(removed=True), pair(removed=False)


def _below(lines: Callable[[], _Lines | None], *, removed: bool) -> Curve:
    """One line at every loss, each of them below the curve; so is the least that any pair has."""

    def curve(x: arb) -> tuple[arb, arb]:
        e, found = x.exp(), lines()
        if found is None:
            return _least(arb(0), arb(0), x)
        place = e if removed else 1 / e
        return _least(*found.at(arb(place.mid()), e)[0], x)

    return curve


def _least(value: arb, mass: arb, x: arb) -> tuple[arb, arb]:
    """A line below a curve, or where they are higher the lines that are below every curve."""
    flat = -x.expm1()
    if flat > value and flat > 0:
        return flat, arb(1)
    return (arb(0), arb(0)) if value < 0 else (value, mass)


def _named(name: str, *, removed: bool) -> str:
    return f"{name}, {'removed' if removed else 'added'}"
