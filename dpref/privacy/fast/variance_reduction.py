"""The least noise with which variance-reduced answers are certified, by their dominating pair."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final

from dpref.checks import natural, open_unit, positive_rational
from dpref.errors import InvalidArgumentError, PrecisionError
from dpref.privacy.events.ledger import Ledger, Repeat, VarianceReducedGaussian
from dpref.privacy.fast.curves import EQUAL_WIDTH, epsilon_above
from dpref.privacy.renyi import variance_reduction as renyi
from dpref.privacy.time_limit import checkpoint
from dpref.reals import Exact, exact
from dpref.units import ADJACENCIES, Adjacency

_ROUGH_WIDTH: Final = Fraction(1, 50)
_FIRST_STEP: Final = 0.7  # of the Rényi accountant's noise
_NEAR: Final = 1e-3  # relative distance of epsilon from its goal that is near enough
_TRIES: Final = 8
_FIRST_SLOPE: Final = -2.0  # of ln epsilon in ln sigma
_FLATTEST: Final = -0.5
_FAR: Final = 0.01  # relative distance of two values at which two grids differ little


def noise_multiplier(
    epsilon: Exact, delta: Exact, *, steps: int, batch: int, records: int, adjacency: type[Adjacency]
) -> float:
    r"""A $\sigma/G$ with which K variance-reduced answers are certified $(\varepsilon,\delta)$-DP, near the least.

    The dominating pair is composed for a few values, on a coarse grid first; each value that is returned has been
    certified.  Where Rényi divergences certify less noise, or doubles do not suffice, theirs is returned.

    Args:
        epsilon: The epsilon of (epsilon, delta)-DP, exact, positive.
        delta: The delta of (epsilon, delta)-DP, exact, in (0, 1).
        steps: K, the number of answers.
        batch: b, below n.
        records: n.
        adjacency: Replace-one or zero-out.

    Raises:
        InvalidArgumentError: If an argument is out of its domain, or no noise of reasonable size suffices.
        UnsupportedEventError: Under another adjacency.
    """
    e, d, count = positive_rational("epsilon", epsilon), open_unit("delta", delta), natural("steps", steps)
    return _least(e, d, count, natural("batch", batch), natural("records", records), adjacency.name)


@lru_cache(maxsize=256)
def _least(e: Fraction, d: Fraction, count: int, batch: int, records: int, name: str) -> float:
    adjacency = ADJACENCIES[name]
    first = renyi.noise_multiplier(e, d, steps=count, batch=batch, records=records, adjacency=adjacency)

    def spent(z: float, width: Fraction) -> float:
        checkpoint(f"noise multiplier {z:.6g}")
        event = Repeat(VarianceReducedGaussian(exact(z), batch, records), count)
        return epsilon_above(Ledger(event, adjacency), d, width=width)

    return min(first, least_noise(spent, e, first * _FIRST_STEP))


def least_noise(spent: Callable[[float, Fraction], float], goal: Fraction, first: float) -> float:
    """A noise near the least at which an epsilon is certified; a secant search on two grids, in logarithms.

    Args:
        spent: A certified epsilon at a noise, on a grid of a relative width.
        goal: What it must not exceed.
        first: Where the search begins.

    Returns:
        A noise at which ``spent`` was at most the goal; infinite if none was found.

    Raises:
        InvalidArgumentError: If the goal or the first noise is not positive.

    >>> round(least_noise(lambda z, width: (1 + float(width) / 10) / z**2, Fraction(4), 1.0), 4)
    0.5002
    """
    best, goal = math.inf, positive_rational("goal", goal)
    given: object = first
    if not (isinstance(given, float) and 0 < given < math.inf):
        raise InvalidArgumentError("first", first, "must be a positive double")
    z, width, slope, last = first, _ROUGH_WIDTH, _FIRST_SLOPE, None
    for _ in range(_TRIES):
        try:
            found = spent(z, width)
        except PrecisionError:
            break
        if not 0 < found < math.inf:
            z *= 1 / _FIRST_STEP if found else _FIRST_STEP
            continue
        best = min(best, z) if found <= goal else best
        excess = math.log(found / goal)
        if last is not None and (last[2] == width or abs(z / last[0] - 1) > _FAR) and last[0] != z:
            slope = min(_FLATTEST, (excess - last[1]) / math.log(z / last[0]))
        if -_NEAR < excess <= 0 and width == EQUAL_WIDTH:
            break
        last = z, excess, width
        width = EQUAL_WIDTH if abs(excess) < 2 * _ROUGH_WIDTH else width
        z *= math.exp(-(excess + _NEAR / 4) / slope)
    return best
