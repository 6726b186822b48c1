r"""How compositions of very many steps are cut into stages, and what each direction of them needs.

The number of blocks of each stage, and how much coarser its grid is, are found in floats: they decide how wide an
interval is and how long it takes, never whether it holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from dpref.errors import PrecisionError
from dpref.privacy.fast import grids
from dpref.privacy.fast.blocks import Stages
from dpref.privacy.fast.coarser import MOST_TIMES
from dpref.privacy.fast.fft import LARGEST_LEVEL
from dpref.privacy.fast.grids import Pairs, Sides
from dpref.privacy.fast.measure import Cumulants
from dpref.privacy.time_limit import checkpoint

_FAR: Final = 15.0  # nats by which what lies above all blocks' windows weighs less than delta
_WORTH: Final = 1 << 16  # of a single transform: with fewer points stages save little
_SAVES: Final = 0.7  # part of a single transform's work that stages may cost
_OUTER, _INNER = 15.5, 18.0  # standard deviations that a window is wide, about: of the sum, and of a block
_BASE: Final = 4
_ALIKE: Final = 3  # a number of blocks may be off by a third to divide the number of steps
_MOST_TRIED: Final = 1 << 10
_STEP_BITS: Final = 12
_LEAST_BLOCK: Final = 16  # steps: with fewer, masses of a block are as steep as those of a step
_SHARE: Final = 0.75  # of the width that is wanted: an interval in stages is not to be wider than by one transform
_MOST_PEAKED: Final = 0.5  # with more, a few large losses decide, and a tilted block's error counts beside delta
_LARGE_WIDTH: Final = 7e-5  # of epsilon, that is enough where one transform has no grid for less


def factors(
    pairs: Pairs,
    rough: Mapping[str, Cumulants],
    tilts: Mapping[str, float],
    leading: str,
    width: float,
    log_delta: float,
) -> Sides | None:
    """Measures of the last stage that bound every direction from above and the leading one from below.

    A direction that spends less needs only be told from the leading one: its grids are coarser.

    Args:
        pairs: With how often each is composed.
        rough: Cumulants of each direction.
        tilts: Of interest, for each direction.
        leading: The direction that spends most.
        width: About how wide an interval may become.
        log_delta: The logarithm of delta there.

    Returns:
        None if one transform does as well; without what bounds from below, where doubles do not suffice for that.

    Raises:
        PrecisionError: If doubles do not suffice.
    """
    if rough[leading].peakedness(tilts[leading]) > _MOST_PEAKED:
        return None
    far = grids.reach(pairs, log_delta, _FAR)
    single, coarsest = grids.extent(pairs, far), grids.coarsest(pairs, rough)
    losses = {way: cumulants.at(tilts[way])[1] for way, cumulants in rough.items()}
    found: Sides = {}
    for way in sorted(rough, key=lambda way: way != leading):
        room = max(_SHARE * width, (losses[leading] - losses[way]) / 2)
        worth = _WORTH if way == leading else _BASE * _BASE
        planned = plan(rough[way], tilts[way], log_delta, width=room, single=single, coarsest=coarsest, worth=worth)
        if planned is None:
            if way == leading:
                return None
            grid = grids.chosen(pairs, rough, tilts[way], room, log_delta)
            found.update(grids.factors(pairs, [("upper", way)], grid))
            continue
        checkpoint(grids.METHOD)
        step, stages = planned
        unit = Fraction(2) ** (math.floor(math.log2(step)) - _STEP_BITS)
        grid = grids.Grid(math.floor(step / float(unit)) * unit, far)
        for key in grids.all_keys([way])[: 2 if way == leading else 1]:
            try:
                first = grids.factors(pairs, [key], grid, fine=True)[key]
                found[key] = stages.compose(first, above=key[0] == "upper")
            except PrecisionError:
                if key[0] == "upper":
                    raise
    return found


def enough(pairs: Pairs, rough: Cumulants, tilt: float, width: float, loss: float) -> float:
    """The width, or where one transform has no grid for it and epsilon is large, a little part of that.

    >>> from dpref.privacy.fast.cells import Pair
    >>> many = ((Pair(Fraction(1), Fraction(1)), 10**9),)
    >>> enough(many, grids.rough(many, "remove"), 0.5, 0.01, 1e6)
    70.0
    """
    step = math.sqrt(8 * width / (sum(rough.counts) * (1 + tilt)))
    long = grids.extent(pairs, 0.0) + _OUTER * math.sqrt(max(rough.at(tilt)[2], 0.0)) > step * (1 << LARGEST_LEVEL)
    return max(width, _LARGE_WIDTH * loss) if long else width


def plan(
    rough: Cumulants, tilt: float, log_delta: float, *, width: float, single: float, coarsest: float, worth: int
) -> tuple[float, Stages] | None:
    r"""The stages of a composition, and the step of the first grid; None if one transform does as well.

    The grids add $\frac{1+\theta}8\sum_ln_lh_l^2$ to the width, $n_l$ being the number of what is composed on the l-th
    one: each is granted an equal part.

    Args:
        rough: Cumulants of the composition.
        tilt: Of interest.
        log_delta: The logarithm of delta there.
        width: About how wide an interval may become.
        single: How far the losses of one step reach.
        coarsest: A grid that is coarser than this merges badly.
        worth: Points of a single transform, below which nothing is cut.
    """
    steps, deviation = sum(rough.counts), math.sqrt(max(rough.at(tilt)[2], 0.0))
    step = min(math.sqrt(8 * width / (steps * (1 + tilt))), coarsest)
    whole = _work((single + _OUTER * deviation) / step)
    if (single + _OUTER * deviation) / step < worth:
        return None
    best: tuple[float, float, tuple[tuple[int, int], ...]] = (_SAVES * whole, step, ())
    for blocks in _cuts(rough.counts):
        if steps < _LEAST_BLOCK * blocks[0]:
            continue
        numbers = (steps, *blocks)
        ratios = [min(max(1, math.floor(math.sqrt(a / b))), MOST_TIMES) for a, b in zip(numbers, blocks, strict=False)]
        scales = [math.prod(ratios[:level]) for level in range(len(numbers))]
        spent = sum(n * scale**2 for n, scale in zip(numbers, scales, strict=True))
        h = min(math.sqrt(8 * width / ((1 + tilt) * spent)), coarsest)
        windows = [single + _INNER * deviation / math.sqrt(n) for n in blocks] + [single + _OUTER * deviation]
        left_over = any(count % blocks[0] for count in rough.counts), *(a % b for a, b in pairwise(blocks)), 0
        work = sum(
            _work(window / (h * scale)) * (2 if left else 1)
            for window, scale, left in zip(windows, scales, left_over, strict=True)
        )
        if work < best[0]:
            best = work, h, tuple(zip(blocks, ratios, strict=True))
    if not best[2]:
        return None
    far = -log_delta + math.log(best[2][0][0]) + _FAR
    return best[1], Stages(tilt, far, best[2])


def _work(points: float) -> float:
    """About the work of a transform whose window holds so many points."""
    levels = max(1, math.ceil(math.log2(points)))
    return float(levels << levels) if levels <= LARGEST_LEVEL else math.inf


def _cuts(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Numbers of blocks to try: one of them, and two one after another; the second ones divide the first, if any do."""
    shared, most = math.gcd(*counts), max(counts)
    powers = range(1, math.ceil(math.log(max(most, _BASE), _BASE)))
    for k in powers:
        outer = _divisor(shared, _BASE**k)
        yield (outer,)
        for between in range(1, len(powers) - k + 1):
            yield outer * _divisor(shared // outer, _BASE**between), outer


def _divisor(number: int, near: int) -> int:
    """A divisor near a number, so that no steps are left over; the number itself if there is none."""
    for apart in range(min(near // _ALIKE, _MOST_TRIED)):
        if number % (near - apart) == 0:
            return near - apart
        if number % (near + apart) == 0:
            return near + apart
    return near
