r"""Several Gaussian answers on one batch are one answer, and a sample of a sample is a sample.

Adaptive Gaussian answers of noise multipliers $z_i$ have together the pair of one answer with $\mu^2=\sum_iz_i^{-2}$,
exactly, and a sampler is put over that pair: never over each answer by itself, which would draw a new batch for each.
Where $1/\mu$ is no rational number, an event of a little less and one of a little more noise enclose the answer.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Final

from dpref.privacy.events.groups import holds_group
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Poisson, Repeat, SampleWithoutReplacement
from dpref.privacy.events.walks import multiplicities

_DIGITS: Final = 256  # bits of a noise multiplier that is no rational number


def gaussian_mu_squared(event: Event) -> Fraction | None:
    r"""$\mu^2$ of Gaussian answers, adaptively composed; None if there are other answers, or none.

    >>> gaussian_mu_squared(Compose((Gaussian(Fraction(1)), Repeat(Gaussian(Fraction(2)), 3))))
    Fraction(7, 4)
    """
    if holds_group(event):  # whose records are sampled one by one
        return None
    total = Fraction(0)
    for answer, count in multiplicities(event).items():
        if not isinstance(answer, Gaussian):
            return None
        total += count / answer.noise_multiplier**2
    return total or None


def rational_root(square: Fraction) -> Fraction | None:
    """The square root of a number, if it is rational.

    >>> rational_root(Fraction(9, 4)), rational_root(Fraction(2))
    (Fraction(3, 2), None)
    """
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    return root if root * root == square else None


def simplified(event: Event) -> Event:
    """The same spending with samplers of one kind multiplied, and Gaussian answers on one batch made one if rational.

    >>> inner = Poisson(Repeat(Gaussian(Fraction(2)), 4), Fraction(1, 2))
    >>> print(simplified(Poisson(inner, Fraction(1, 5))))
    poisson(gaussian(noise_multiplier=1), rate=1/10)
    """
    return _rewritten(event, 0)


def enclosed(event: Event) -> tuple[Event, Event]:
    """What spends at least as much, and what spends at most as much, with one Gaussian answer on every batch.

    Args:
        event: Any event.

    Returns:
        `simplified` twice, if it leaves no Gaussian answers together on a batch.

    >>> more, less = enclosed(Poisson(Repeat(Gaussian(Fraction(1)), 2), Fraction(1, 5)))
    >>> more.event.noise_multiplier**2 < Fraction(1, 2) < less.event.noise_multiplier**2
    True
    """
    more = _rewritten(event, -1)
    less = _rewritten(event, 1)
    return (more, more) if more == less else (more, less)


def _rewritten(event: Event, rounding: int) -> Event:
    """Noise multipliers that are not rational are left alone (0), or rounded down (-1) or up (1)."""
    match event:
        case Compose(events):
            return Compose(tuple(_rewritten(e, rounding) for e in events))
        case Repeat(inner, count):
            return Repeat(_rewritten(inner, rounding), count)
        case Poisson(inner) | SampleWithoutReplacement(inner):
            return _resampled(event, _rewritten(inner, rounding), rounding)
        case _:
            return event


def _resampled(event: Poisson | SampleWithoutReplacement, inner: Event, rounding: int) -> Event:
    """A sampler of what is written simply."""
    if isinstance(event, Poisson) and isinstance(inner, Poisson):
        return Poisson(inner.event, event.rate * inner.rate, event.contribution or inner.contribution)
    if isinstance(event, SampleWithoutReplacement) and isinstance(inner, SampleWithoutReplacement):
        fits = inner.records == event.batch
        return SampleWithoutReplacement(inner.event, inner.batch, event.records) if fits else event
    return dataclasses.replace(event, event=_one_answer(inner, rounding))


def _one_answer(event: Event, rounding: int) -> Event:
    total = None if isinstance(event, Gaussian) else gaussian_mu_squared(event)
    if total is None:
        return event
    root = rational_root(total)
    if root is not None:
        return Gaussian(1 / root)
    if rounding == 0:
        return event
    scale = 1 << max(0, _DIGITS + (total.numerator.bit_length() - total.denominator.bit_length()) // 2)
    down = math.isqrt(scale * scale * total.denominator // total.numerator)
    return Gaussian(Fraction(down if rounding < 0 else down + 1, scale))
