r"""What a number of runs could show at most, and how many a claim needs: known before the first of them.

No portfolio does better than an expert that is always right and bets the largest stake throughout: n runs multiply its
wealth by $(1+u\frac{1-\delta}{e^\varepsilon+\delta})^n$, u = 0.99, and if that is below $1/\alpha$ the claim cannot be
refuted whatever the code does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from dpref.foreign.betting import LARGEST_STAKE
from dpref.foreign.claims import Claim, DPClaim
from dpref.foreign.layout import LEAST_TRIALS, MOST_TRIALS, bet_on

_STEP: Final = Fraction(1, 100)
_OCTAVES: Final = 4  # below the claim, where the grid of a curve begins
_PER_OCTAVE: Final = 12
_MOST_EXPONENT: Final = 700.0  # of what a double can hold
_HIGHEST_OCTAVE: Final = 12


def ceiling(claim: Claim, trials: int, error: Fraction, *, batched: bool = False) -> float:
    """The largest epsilon (rho, mu) that so many runs could show.

    Args:
        claim: What is claimed; of (epsilon, delta)-DP its delta counts, of a curve its kind.
        trials: Pairs of runs.
        error: Exact.
        batched: Whether one call makes all runs of a chunk.

    >>> round(ceiling(DPClaim(Fraction(1)), 2000, Fraction(1, 1000)), 2)
    5.45
    """
    runs = bet_on(trials, batched=batched)
    needed = math.expm1(-math.log(error) / runs) if runs else math.inf
    if isinstance(claim, DPClaim):
        delta = float(claim.delta)
        return math.log(max(1.0, float(LARGEST_STAKE) * (1 - delta) / needed - delta))
    low, high = -_PER_OCTAVE * _HIGHEST_OCTAVE, _PER_OCTAVE * _HIGHEST_OCTAVE
    if _gain(_scaled(claim, low)) < needed:
        return 0.0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _gain(_scaled(claim, middle)) >= needed else (low, middle)
    return float(_scaled(claim, high).value)


def trials_needed(claim: Claim, error: Fraction, *, batched: bool = False) -> int | None:
    """The least number of pairs of runs that could refute a claim, by an expert that is never wrong.

    Args:
        claim: The claim.
        error: Exact.
        batched: Whether one call makes all runs of a chunk.

    Returns:
        The number; experts that err need more.  None if no number of runs would do.

    >>> trials_needed(DPClaim(Fraction(6)), Fraction(1, 1000))
    3199
    """
    gain = _gain(claim)
    if gain <= 0:
        return None
    runs = math.ceil(-math.log(error) / math.log1p(gain))
    low, high = LEAST_TRIALS - 1, LEAST_TRIALS + 2 * runs
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bet_on(middle, batched=batched) >= runs else (middle, high)
    return high


def _gain(claim: Claim) -> float:
    """By what an expert that is always right multiplies its wealth a run, less one."""
    best = 0.0
    for epsilon in claim.points():
        delta = float(claim.delta_of(epsilon))
        if float(epsilon) < _MOST_EXPONENT:
            best = max(best, float(LARGEST_STAKE) * (1 - delta) / (math.exp(epsilon) + delta))
    return best


def _scaled(claim: Claim, steps: int) -> Claim:
    """The claim of a multiple of what is claimed."""
    return claim.at(claim.value * Fraction(2.0 ** (steps / _PER_OCTAVE)).limit_denominator(10**6))


def grid(claim: Claim, error: Fraction) -> Sequence[Claim]:
    """The claims that the lower bound passes one by one: steps of 1/100 of epsilon, or of a twelfth of an octave.

    They reach as far as the longest audit could, so that a longer audit has the bets of a shorter one.

    Args:
        claim: What is claimed.
        error: Exact.
    """
    most = ceiling(claim, MOST_TRIALS, error)
    if isinstance(claim, DPClaim):
        return _steps(claim.delta, max(1, math.ceil(most / _STEP)))
    found = [_scaled(claim, -_OCTAVES * _PER_OCTAVE)]
    while float(found[-1].value) < most:
        found.append(_scaled(claim, len(found) - _OCTAVES * _PER_OCTAVE))
    return found


@lru_cache(maxsize=8)
def _steps(delta: Fraction, count: int) -> Sequence[DPClaim]:
    """So many claims at a delta, a step apart; a suite of tests asks for the same ones again and again."""
    return tuple(DPClaim(Fraction(i * _STEP.numerator, _STEP.denominator), delta) for i in range(1, count + 1))
