r"""How many records a sampler draws: binomial tails without cancellation, and weights of the draws of a few records.

A tail is summed on the side that is away from the mean, where terms fall, and what is not summed is bounded by a
geometric series; the other side is one less that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, final

from flint import arb, ctx

from dpref.errors import PrecisionError
from dpref.privacy.time_limit import checkpoint
from dpref.reals import ball, precision

MOST_TERMS: Final = 10**6  # of a tail: announced before it is summed
_MOST_TRIALS: Final = 10**300
_LONGEST_WEIGHTS: Final = 1 << 13  # of a probability that is kept as it is
_LONGEST_COUNTS: Final = 1 << 20
_SHARE_BITS: Final = 320  # to which a probability is rounded where it must be a rational number
_GUARD_BITS: Final = 64
_TERM_BITS: Final = 8
_BELOW, _ABOVE = 12, 14  # standard deviations between which numbers are told apart
_DEVIATIONS: Final = 60  # standard deviations beyond which nothing is left at any precision used here


def binomial_tail(trials: int, rate: Fraction, least: int) -> tuple[arb, arb]:
    r"""$\Pr(\mathrm{Bin}(n,q)\ge k)$ and the complement, the smaller of both accurate.

    Args:
        trials: n.
        rate: q, in (0, 1).
        least: k, at least 1.

    Raises:
        PrecisionError: If the tail has more than a million terms.

    >>> [part.str(5, radius=False) for part in binomial_tail(3, Fraction(1, 10), 2)]
    ['0.028000', '0.97200']
    """
    if least > trials:
        return arb(0), arb(1)
    with precision(ctx.prec + _GUARD_BITS):
        odds = ball(rate / (1 - rate))
        if least > trials * rate:
            tail = _sum(_rising(trials, rate, odds, least))
            return tail, 1 - tail
        tail = _sum(_falling(trials, rate, odds, least - 1))
        return 1 - tail, tail


def _check_work(trials: int, rate: Fraction) -> None:
    terms = min(trials, _DEVIATIONS * math.isqrt(math.ceil(trials * rate * (1 - rate)) + 1))
    if terms > MOST_TERMS:
        raise PrecisionError(f"a binomial tail of {terms} terms is too long to be summed")


def _mass(trials: int, rate: Fraction, k: int) -> arb:
    _check_work(trials, rate)
    whole, part, rest = (arb(j + 1).lgamma() for j in (trials, k, trials - k))
    return (whole - part - rest + k * ball(rate).log() + (trials - k) * ball(1 - rate).log()).exp()


def _rising(trials: int, rate: Fraction, odds: arb, k: int) -> Iterator[tuple[arb, arb]]:
    """Masses from k on, each with the ratio of the next one to it."""
    mass = _mass(trials, rate, k)
    for j in range(k, trials + 1):
        ratio = odds * (trials - j) / (j + 1)
        yield mass, ratio
        mass *= ratio


def _falling(trials: int, rate: Fraction, odds: arb, k: int) -> Iterator[tuple[arb, arb]]:
    mass = _mass(trials, rate, k)
    for j in range(k, -1, -1):
        ratio = j / (odds * (trials - j + 1))
        yield mass, ratio
        mass *= ratio


def _sum(terms: Iterator[tuple[arb, arb]]) -> arb:
    """The sum of terms whose ratios fall; once they are small and below one, the rest is a geometric series."""
    total = arb(0)
    for mass, ratio in terms:
        checkpoint()
        total += mass
        if ratio < 1 and mass * ratio < total * (1 - ratio) * arb(2) ** -(ctx.prec + _TERM_BITS):
            return total + arb(0).union(mass * ratio / (1 - ratio))
    return total


@final
@dataclass(frozen=True)
class Truncation:
    r"""What a Poisson sample that is cut to a batch does to one record, given what is drawn of the others.

    Attributes:
        full: $\tau=\Pr(\mathrm{Bin}(n-1,q)\ge B)$: the others alone fill the batch.
        free: $1-\tau$.
        share_above: At least $\bar r=\frac Bn\Pr(\mathrm{Bin}(n,q)>B)/\tau$, the record's chance to be kept then.
        rate_below: At most $(1-\tau)q+\tau\bar r$, its chance to be in the batch.
    """

    full: arb
    free: arb
    share_above: Fraction
    rate_below: Fraction


def truncation(rate: Fraction, batch: int, records: int) -> Truncation:
    """How often a Poisson sample is cut, at the working precision.

    Args:
        rate: q, in (0, 1).
        batch: B, below ``records``.
        records: n.

    Raises:
        PrecisionError: If the tails are too long.

    >>> found = truncation(Fraction(1, 100), 15, 1000)
    >>> print(found.full.str(9, radius=False), round(float(found.share_above), 9), round(float(found.rate_below), 9))
    0.0818941935 0.008768128 0.009899117
    """
    return _truncation(rate, batch, records, ctx.prec)


@lru_cache(maxsize=64)
def _truncation(rate: Fraction, batch: int, records: int, _: int) -> Truncation:
    with precision(max(ctx.prec, _SHARE_BITS)):
        full, free = binomial_tail(records - 1, rate, batch)
        over, _rest = binomial_tail(records, rate, batch + 1)
        kept = over * batch / records
        return Truncation(
            full,
            free,
            min(Fraction(1), _rational(kept / full, up=True)),
            max(Fraction(0), _rational(free * ball(rate) + kept, up=False)),
        )


def _rational(x: arb, *, up: bool) -> Fraction:
    scaled = x * arb(2) ** _SHARE_BITS
    whole = (scaled.upper().ceil() if up else scaled.lower().floor()).unique_fmpz()
    if whole is None:
        raise PrecisionError("a probability could not be rounded")
    return Fraction(int(whole), 1 << _SHARE_BITS)


@final
@dataclass(frozen=True)
class Draws:
    """How many records are drawn, as numbers with exact weights of sum one: stochastically at least that, and at most.

    Attributes:
        above: Numbers, each with its weight, that are at least as large.
        below: Likewise that are at most as large; the same where the law itself is short enough.
    """

    above: tuple[tuple[int, Fraction], ...]
    below: tuple[tuple[int, Fraction], ...]


def binomial_draws(trials: int, rate: Fraction, most: int) -> Draws:
    r"""$\mathrm{Bin}(n,q)$, exactly if it is short, else between two laws on a few numbers.

    Args:
        trials: n.
        rate: q, in (0, 1].
        most: About how many numbers are told apart; one between two of them counts as the next, or the last.

    Raises:
        PrecisionError: If the tails are too long.

    >>> binomial_draws(2, Fraction(1, 3), 5).above
    ((0, Fraction(4, 9)), (1, Fraction(4, 9)), (2, Fraction(1, 9)))
    >>> binomial_draws(300, Fraction(1, 3), 5).above[-1][0]
    300
    """
    if rate == 1:
        return Draws(((trials, Fraction(1)),), ((trials, Fraction(1)),))
    if trials <= most and trials * rate.denominator.bit_length() <= _LONGEST_WEIGHTS:
        exact = tuple((k, math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k)) for k in range(trials + 1))
        return Draws(exact, exact)
    points = _told_apart(trials, rate, most)
    with precision(_SHARE_BITS):
        tails = {k: binomial_tail(trials, rate, k)[0] for k in {*points[1:], *(k + 1 for k in points)}}
        ends = {k: (_rational(tail, up=False), _rational(tail, up=True)) for k, tail in tails.items()}
    up, down = {0: Fraction(1)}, {0: Fraction(1)}
    for k in sorted(ends):
        down[k] = min(*down.values(), max(Fraction(0), ends[k][0]))
    for k in sorted(ends, reverse=True):
        up[k] = min(Fraction(1), max(ends[k][1], *(up[j] for j in up if j > k), Fraction(0)))
    above = [(0, 1 - up[1])] + [(b, up[a + 1] - up[b + 1]) for a, b in pairwise(points)]
    below = [(a, down[a] - down[b]) for a, b in pairwise(points)] + [(trials, down[trials])]
    return Draws(_positive(above), _positive(below))


def _told_apart(trials: int, rate: Fraction, most: int) -> list[int]:
    """Zero, the number of trials, and what is likely between: each number, or evenly spaced ones.

    Raises:
        PrecisionError: If there are more trials than a double can be near.
    """
    if trials > _MOST_TRIALS:
        raise PrecisionError("a binomial law of so many trials is beyond the range of doubles")
    mean, deviation = trials * float(rate), math.sqrt(trials * float(rate) * float(1 - rate))
    first, last = max(0.0, mean - _BELOW * deviation), min(float(trials), mean + _ABOVE * deviation + _ABOVE)
    if last <= most:
        first, last = 0.0, float(min(trials, most))
    stride = max(1, math.ceil((last - first) / most))
    return sorted({0, trials, *range(math.floor(first), min(trials, math.ceil(last)) + 1, stride)})


def _positive(weights: list[tuple[int, Fraction]]) -> tuple[tuple[int, Fraction], ...]:
    return tuple((k, w) for k, w in weights if w)


def hypergeometric_draws(records: int, group: int, batch: int, most: int) -> Draws:
    """How many of a group a uniform batch holds, as `binomial_draws`.

    >>> hypergeometric_draws(10, 2, 5, 5).above
    ((0, Fraction(2, 9)), (1, Fraction(5, 9)), (2, Fraction(2, 9)))

    Raises:
        PrecisionError: If the numbers of ways are too long.
    """
    if min(batch, records - batch) * records.bit_length() > _LONGEST_COUNTS:
        raise PrecisionError(f"the ways to draw {batch} of {records} records are too many to be counted")
    whole, ways = min(group, batch), math.comb(records, batch)
    listed = [
        (k, Fraction(math.comb(group, k) * math.comb(records - group, batch - k), ways))
        for k in range(min(whole, most) + 1)
    ]
    missing = 1 - sum((w for _, w in listed), Fraction(0))
    return Draws(_positive([*listed, (whole, missing)]), _positive([(0, missing + listed[0][1]), *listed[1:]]))
