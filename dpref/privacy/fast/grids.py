"""Which grid a composition is put on, and the measures of its pairs there.

The grid, the window and the tilt are found in floats; they decide how wide an interval is, never whether it holds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias, final

import numpy as np

from dpref.errors import PrecisionError
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.fft import LARGEST_LEVEL
from dpref.privacy.fast.lower import dominated
from dpref.privacy.fast.lowered import lowered
from dpref.privacy.fast.measure import Cumulants, Factors, GridMeasure
from dpref.privacy.fast.pld import NATS
from dpref.privacy.fast.upper import dominating, raised
from dpref.privacy.time_limit import checkpoint
from dpref.reals import FloatArray

METHOD: Final = "fast privacy loss distribution"
_SPARE: Final = 25.0  # nats by which what is cut off lies below delta
FEW: Final = 4  # pairs, of which each may take its time
ROUGH_REACH: Final = 14.0
_ROUGH_POINTS: Final = 1200
_APART: Final = 0.1  # standard deviations, at most, from one point of many pairs to the next
_GRID_BITS: Final = 40
_ROOT_BITS: Final = 400  # after the binary point of a root; noise multipliers are at least 1e-60

Pairs: TypeAlias = tuple[tuple[Pair, int], ...]
Sides: TypeAlias = dict[tuple[str, str], Factors]


@final
@dataclass(frozen=True)
class Grid:
    """A step, and how many standard deviations of the noise are kept on either side."""

    step: Fraction
    reach: float


def rough(pairs: Pairs, way: str, far: float = ROUGH_REACH) -> Cumulants:
    """Cumulants by a sum over the line, in floats.

    Args:
        pairs: With how often each is composed.
        way: "remove" or "add".
        far: How many standard deviations count on either side: far beyond what is kept, a tilted sum may diverge.

    >>> one = ((Pair(Fraction(1), Fraction(2)), 4),)
    >>> round(rough(one, "remove").at(0.0)[1], 6)
    0.5
    """
    few = len(pairs) <= FEW
    losses, logs = zip(*(_rough_losses(pair, way, far, few=few) for pair, _ in pairs), strict=True)
    return Cumulants(losses, logs, tuple(count for _, count in pairs))


@lru_cache(maxsize=1024)
def _rough_losses(pair: Pair, way: str, far: float, *, few: bool) -> tuple[FloatArray, FloatArray]:
    """Losses at points of the line, and the logarithms of the masses there; of many pairs so many as must be."""
    line = pair.mu + 2 * far
    points = _ROUGH_POINTS if few else min(_ROUGH_POINTS, math.ceil(line * max(1.0, pair.mu) / _APART))
    z = np.linspace(-far, pair.mu + far, points)
    x = pair.losses(z)
    log_mass = -z * z / 2 - math.log(math.sqrt(2 * math.pi)) + math.log(z[1] - z[0])
    return (x, log_mass + x) if way == "remove" else (-x, log_mass)


def reach(pairs: Pairs, log_delta: float, spare: float = _SPARE) -> float:
    """How many standard deviations are kept, so that what is cut off lies so many nats below delta.

    Raises:
        PrecisionError: If delta is too small for doubles.
    """
    steps = sum(count for _, count in pairs)
    found = math.ceil(4 * math.sqrt(2 * (math.log(steps) - log_delta + spare))) / 4
    if not found < 30:
        raise PrecisionError("delta is too small for doubles")
    return found


def coarsest(pairs: Pairs, ways: Iterable[str]) -> float:
    """Half the largest deviation of a loss: a grid that is coarser than the losses themselves merges badly."""
    spreads = [rough(((pair, 1),), way).at(0.0)[2] for pair, _ in pairs for way in ways]
    return math.sqrt(max(spreads)) / 2


def extent(pairs: Pairs, far: float) -> float:
    """How far the losses of one step reach, up to so many standard deviations of the noise."""
    return max(pair.loss(far + pair.mu) - pair.loss(-far) for pair, _ in pairs)


def chosen(pairs: Pairs, found: Mapping[str, Cumulants], tilt: float, width: float, log_delta: float) -> Grid:
    """The one grid of a composition by a single transform.

    Args:
        pairs: With how often each is composed.
        found: Cumulants of each direction.
        tilt: Of interest.
        width: About how wide an interval may become.
        log_delta: The logarithm of delta there.

    Raises:
        PrecisionError: If it would be too long, or delta is too small for doubles.
    """
    far = reach(pairs, log_delta)
    # Spreading adds and merging removes a variance of about h^2/6 + h^2/12 a step, which moves epsilon by (1 + theta)/2
    # times that.
    step = min(math.sqrt(8 * width / (sum(count for _, count in pairs) * (1 + tilt))), coarsest(pairs, found))
    whole = extent(pairs, far)
    for cumulants in found.values():
        at = cumulants.tilt_for_delta(log_delta)
        low, high = (cumulants.at(cumulants.edge(at, NATS, sign))[1] for sign in (-1, 1))
        whole = max(whole, high - low)
    levels = max(3, round(math.log2(1.05 * whole / step)))
    if levels > LARGEST_LEVEL:
        raise PrecisionError(f"a grid of {whole / step:.3g} points is needed; ask for a wider interval")
    return Grid(Fraction(math.ceil(1.05 * whole / 2**levels * 2**_GRID_BITS), 2**_GRID_BITS), far)


def factors(pairs: Pairs, keys: Collection[tuple[str, str]], grid: Grid, *, fine: bool = False) -> Sides:
    """The measures of every pair on a grid.

    Args:
        pairs: With how often each is composed.
        keys: What is wanted: bounds from above ("upper") or below ("lower"), and of which direction.
        grid: For all of them.
        fine: Whether the grid is so fine that chords lose little, and that the edges of merged cells would be too near.
    """
    ends = sorted({end for end, _ in keys})
    made = {end: _measures(pairs, grid, above=end == "upper", fine=fine) for end in ends}
    return {(end, way): tuple((both[way == "add"], count) for both, count in made[end]) for end, way in keys}


def _measures(
    pairs: Pairs, grid: Grid, *, above: bool, fine: bool
) -> list[tuple[tuple[GridMeasure, GridMeasure], int]]:
    measures = (_raised if fine else _dominating) if above else (_lowered if fine else _dominated)
    return [(measures(pair, grid.step, grid.reach), count) for pair, count in plain_as_one(pairs, above=above)]


def all_keys(ways: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Both ends of every direction."""
    return tuple((end, way) for way in ways for end in ("upper", "lower"))


def plain_as_one(pairs: Pairs, *, above: bool) -> Pairs:
    r"""Plain Gaussians as one, whose $1/\sigma^2$ is their sum; its root is rounded to what spends more (or less)."""
    plain = {pair: count for pair, count in pairs if pair.plain}
    if len(plain) < 2:
        return pairs
    total = sum((count / pair.noise_multiplier**2 for pair, count in plain.items()), Fraction(0))
    root = math.isqrt(math.floor(4**_ROOT_BITS / total)) + (0 if above else 1)
    return (*((pair, k) for pair, k in pairs if not pair.plain), (Pair(Fraction(1), Fraction(root, 2**_ROOT_BITS)), 1))


@lru_cache(maxsize=32)
def _dominating(pair: Pair, step: Fraction, reach: float) -> tuple[GridMeasure, GridMeasure]:
    checkpoint(METHOD)
    return dominating(pair, step, reach)


@lru_cache(maxsize=32)
def _dominated(pair: Pair, step: Fraction, reach: float) -> tuple[GridMeasure, GridMeasure]:
    checkpoint(METHOD)
    return dominated(pair, step, reach)


@lru_cache(maxsize=32)
def _raised(pair: Pair, step: Fraction, reach: float) -> tuple[GridMeasure, GridMeasure]:
    checkpoint(METHOD)
    return raised(pair, step, reach)


@lru_cache(maxsize=32)
def _lowered(pair: Pair, step: Fraction, reach: float) -> tuple[GridMeasure, GridMeasure]:
    checkpoint(METHOD)
    try:
        return lowered(pair, step, reach)
    except PrecisionError:
        return dominated(pair, step, reach)
