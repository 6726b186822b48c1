r"""Means of independent likelihood ratios, between two discrete laws in the convex order.

$Y_i=e^{sZ_i-s^2/2}$ with standard normal $Z_i$ is the likelihood ratio of N(s) against N(0), and $\bar Y$ the mean of t
of them.  What an allocation spends are expectations of $(\bar Y-K)_+$ and $(K-\bar Y)_+$: convex functions of every
$Y_i$.  So one $Y_i$ may be replaced by a variable that is a mean-preserving *spread* of it, which bounds both from
above, or by one of which it is a spread (a *contraction*: cells that are merged into their means), which bounds both
from below.  Sums are formed by doubling; after each sum all atoms are put into about a thousand cells.

A law Z of atoms is *above* a variable $X\ge0$ with doubt e and rest b if its mass is at least one and for all $K\ge0$

$$\mathbb E_Z(z-K)_++b\ge\mathbb E((1-e)X-K)_+,\qquad\mathbb E_Z(K-z)_+\ge\mathbb E(K-(1+e)X)_+,$$

and *below* it if its mass is at most one, $\mathbb E_Z(z-K)_+\le\mathbb E((1+e)X-K)_+$ and $\mathbb E_Z(K-z)_+\le
\mathbb E(K-(1-e)X)_+$.  The sum of independent laws that are above is above the sum, rests add up (times the other
one's mass) and the larger doubt remains; products behave likewise, and their doubts multiply.  Masses and places are
doubles that are meant as they stand, and roundings go into the doubt (of places) or into the masses, upwards above and
downwards below: all terms are positive, so every error is relative.  In which cell a sum lies is read off its bits.

References:
    Chua, Ghazi, Harrison, Kamath, Kumar, Leeman, Manurangsi, Sinha and Zhang, "Balls-and-bins sampling for DP-SGD",
    2025 (the pair).
    Shaked and Shanthikumar, "Stochastic orders", 2007, Section 3.A (the convex order).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, final

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpref.errors import PrecisionError
from dpref.privacy.closed_forms.allocations import joint_doubt, upper_share
from dpref.privacy.closed_forms.divergences import normal_cdf
from dpref.privacy.time_limit import checkpoint
from dpref.reals import BALL, FLOAT, FloatArray, ball, lower, precision, upper

LARGEST_SHIFT: Final = 6  # of s: beyond, masses and places together leave the range of doubles
CELLS: Final = 1024  # of a sum that is summed again
LAST_CELLS: Final = 4096  # of the whole sum
REACH: Final = 13.25  # standard deviations; beyond on either side lies less than 2**-130
_LEAST_MASS: Final = 2.0**-300
_UNIT: Final = 2.0**-53
_FINER: Final = 64  # as many cells, about, are sums put into before these are merged
_BITS: Final = 128
_NEAR: Final = 0.4  # the share of all cells for the variance
_SMALL: Final = 0.25  # for small sums
_FAR: Final = 0.35  # for both tails
_NATS: Final = (0.5, 4.0, 14.0)
_FARTHEST: Final = 600.0
_STEEPEST: Final = 2.0**200
_TAIL: Final = 12.0  # decimal orders of mass after which the tails' cells become few
_FLOOR: Final = 0.01
_FIRST: Final = 1 << 16  # points from which the cells of one ratio are chosen
_SLACK: Final = 2.0**-20  # of a float's sum
_TINY: Final = 1e-300
_BLOCK: Final = 32
_UNLIKELY: Final = 2.0**-120
_LARGEST_PLACE: Final = 2.0**220
_LEAST_PLACE: Final = 2.0**-320


@final
@dataclass(frozen=True)
class Sum:
    """How much of a sum of ratios a part of it is, which decides where its cells are needed.

    Attributes:
        held: How many ratios the part has.
        whole: How many the sum has.
        tilts: Rates of exponential weights under which the sum is as small as it is with some small probabilities.
    """

    held: int
    whole: int
    tilts: tuple[float, ...]

    @property
    def cells(self) -> int:
        """About how many atoms it gets."""
        return CELLS if self.held < self.whole else LAST_CELLS


_PRODUCT: Final = Sum(1, 1, ())


@final
@dataclass(frozen=True)
class Law:
    """A discrete law above or below a variable that is not negative.

    Attributes:
        places: Where the atoms lie, increasing, shape (n,).
        masses: How much each weighs, shape (n,).
        above: Which of both.
        doubt: e, relative, of places.
        rest: b, of a law above.
    """

    places: FloatArray
    masses: FloatArray
    above: bool
    doubt: float = 0.0
    rest: float = 0.0


@lru_cache(maxsize=128)
def mean_of_ratios(s: Fraction, count: int, *, above: bool) -> Law:
    r"""A law above or below $\sum_{i\le t}Y_i$.

    Args:
        s: Exact, in (0, 6].
        count: t, at least 1.
        above: Which of both.

    Raises:
        PrecisionError: If s is too large.

    >>> law = mean_of_ratios(Fraction(1), 3, above=False)
    >>> round(float(law.masses @ law.places), 6), round(float(law.masses.sum()), 6)
    (3.0, 1.0)
    """
    if not 0 < s <= LARGEST_SHIFT:
        raise PrecisionError(f"a shift of {float(s):.3g} standard deviations is too large for doubles")
    tilts = tuple(_tilt(s, count, nats) for nats in _NATS)
    power, found = ratio(s, Sum(1, count, tilts), above=above), None
    size, held = 1, 0  # how many ratios are in the power, and in what is found
    for bit in range(count.bit_length()):
        if bit:
            size *= 2
            power = total(power, power, Sum(size, count, tilts))
        if count >> bit & 1:
            held += size
            found = power if found is None else total(found, power, Sum(held, count, tilts))
    return power if found is None else found


@lru_cache(maxsize=128)
def product_of_means(s: Fraction, count: int, factors: int, *, above: bool) -> Law:
    r"""A law above or below $\prod_{j\le k}\frac1m\sum_{i\le m}Y_{ji}$.

    Args:
        s: As for `mean_of_ratios`.
        count: m, at least 1.
        factors: k, at least 1.
        above: Which of both.

    Raises:
        PrecisionError: If places leave the range of doubles.

    >>> law = product_of_means(Fraction(1), 3, 2, above=True)
    >>> 1 <= float(law.masses @ law.places) < 1.001
    True
    """
    one = mean_of_ratios(s, count, above=above)
    doubt = joint_doubt(FLOAT, one.doubt, 4 * _UNIT)
    power = replace(one, places=one.places / count, rest=one.rest / count * (1 + _SLACK), doubt=doubt)
    found = None
    while True:
        if factors & 1:
            found = power if found is None else product(found, power, _PRODUCT)
        factors >>= 1
        if not factors and found is not None:
            return found
        power = product(power, power, _PRODUCT)


def ratio(s: Fraction, part: Sum, *, above: bool) -> Law:
    """A law above or below one Y: masses of its cells are balls, rounded up above and down below."""
    shift, z = float(s), np.linspace(-REACH, REACH + float(s), _FIRST)
    fine = np.exp(shift * z - shift * shift / 2)
    density = np.exp(-z[1:] * z[1:] / 2) * (z[1] - z[0])
    places = fine[np.append(_starts(fine, density, density * fine[1:], part), -1)]
    with precision(_BITS):
        points = [arb(float(y)) for y in places]
        zs = [y.log() / ball(s) + ball(s) / 2 for y in points]
        masses, moments = _normal(zs), _normal([z - ball(s) for z in zs])
        (first, *inner, last), (first_moment, *inner_moments, last_moment) = masses, moments
        if not above:
            means = [float((moment / m).mid()) for m, moment in zip(masses, moments, strict=True)]
            return Law(np.array(means), np.array([max(0.0, lower(m)) for m in masses]), above, 4 * _UNIT)
        low = first_moment / points[0]  # below the first place: to it and to zero
        atoms = [first - low, low, *(arb(0) for _ in inner)]
        for i, (m, moment) in enumerate(zip(inner, inner_moments, strict=True)):
            right = upper_share(BALL, m, moment, points[i], points[i + 1])
            atoms[i + 1] += m - right
            atoms[i + 2] += right
        atoms[-1] += last  # beyond the last place: to it, and the rest of the mean is kept apart
        rest = upper(last_moment - last * points[-1])
        return Law(np.append(0.0, places), np.array([upper(m) for m in atoms]), above, 0.0, rest)


def _normal(cuts: list[arb]) -> list[arb]:
    """What the standard normal law gives to the cells between increasing cuts, and beyond on both sides."""
    positive = [bool(z.mid() > 0) for z in cuts]
    # Below zero the mass on the left, above it the one on the right, negative: nothing cancels.
    tails = [
        -normal_cdf(BALL, -z) if is_right else normal_cdf(BALL, z) for z, is_right in zip(cuts, positive, strict=True)
    ]
    tails, sides = [arb(0), *tails, arb(0)], [False, *positive, True]
    return [b - a + (t - s) for (a, b), (s, t) in zip(pairwise(tails), pairwise(sides), strict=True)]


def total(a: Law, b: Law, part: Sum) -> Law:
    """A law above or below the sum of two independent variables, of laws that are so for each.

    Args:
        a: The first one's.
        b: The second one's, on the same side.
        part: How much of the whole the sum is.
    """
    a, b = _trimmed(a), _trimmed(b)
    rest = (a.rest + b.rest * float(np.sum(a.masses))) * (1 + _SLACK)
    return _combined(a, b, np.add, part, rest)


def product(a: Law, b: Law, part: Sum) -> Law:
    """The same of the product."""
    a, b = _trimmed(a), _trimmed(b)
    rest = (a.rest * (float(b.places @ b.masses) + b.rest) + b.rest * float(a.places @ a.masses)) * (1 + _SLACK)
    return _combined(a, b, np.multiply, part, rest)


def _combined(a: Law, b: Law, operation: np.ufunc, part: Sum, rest: float) -> Law:
    places = operation.outer(a.places, b.places)
    checkpoint(f"{places.size} pairs of likelihood ratios")
    if not (places[-1, -1] < _LARGEST_PLACE and np.min(places[places > 0]) > _LEAST_PLACE):
        raise PrecisionError("likelihood ratios leave the range of doubles")
    x, weights = places.reshape(-1), np.multiply.outer(a.masses, b.masses).reshape(-1)
    edges, index = _cells_of(x, _FINER * part.cells)
    size = len(edges) - 1
    most = int(np.bincount(index, minlength=size).max())
    mass: FloatArray = np.bincount(index, weights, minlength=size).astype(np.float64)
    weights *= x - edges[index]  # rounded once
    excess: FloatArray = np.bincount(index, weights, minlength=size).astype(np.float64)
    found = merged(edges, mass, excess, most, part, above=a.above)
    doubt = joint_doubt(FLOAT, joint_doubt(FLOAT, a.doubt, b.doubt), joint_doubt(FLOAT, found.doubt, 4 * _UNIT))
    return Law(found.places, found.masses, a.above, doubt, rest)


def _trimmed(law: Law) -> Law:
    """Without the atoms at both ends that hardly weigh anything.

    Below they are left out.  Above, the small ones weigh as much at zero and at the first place that is kept, and the
    large ones go to the last place that is kept; what they were worth beyond is part of the rest.
    """
    left = np.cumsum(law.masses)
    right = np.cumsum((law.masses * np.maximum(1.0, law.places))[::-1])[::-1]
    kept = np.flatnonzero((left > _UNLIKELY) & (right > _UNLIKELY))
    first, last = int(kept[0]), int(kept[-1])
    places, masses = law.places[first : last + 1], law.masses[first : last + 1].copy()
    if not law.above:
        return replace(law, places=places, masses=masses)
    small = float(left[first - 1]) * (1 + _SLACK) if first else 0.0
    large = slice(last + 1, None)
    masses[0] += small
    masses[-1] += float(np.sum(law.masses[large])) * (1 + _SLACK)
    worth = float(law.masses[large] @ law.places[large]) * (1 + _SLACK)
    if first:
        places, masses = np.append(0.0, places), np.append(max(small, _LEAST_MASS), masses)
    return replace(law, places=places, masses=masses * (1 + 4 * _UNIT), rest=(law.rest + worth) * (1 + _SLACK))


def _cells_of(x: FloatArray, cells: int) -> tuple[FloatArray, NDArray[np.int64]]:
    """Cells, equal within a power of two, and in which one each number lies: its leading bits, exactly.

    Args:
        x: Not negative.
        cells: How many there are at most, and one that begins at zero.
    """
    bits = x.view(np.int64)
    first, last = int(bits[bits > 0].min()), int(bits.max())
    shift = max(0, (last - first).bit_length() - cells.bit_length() + 1)
    base = (first >> shift) - 1
    index = np.maximum((bits >> shift) - base, 0)
    edges = ((base + np.arange((last >> shift) - base + 2, dtype=np.int64)) << shift).view(np.float64)
    edges[0] = 0.0
    return edges, index


def merged(edges: FloatArray, mass: FloatArray, excess: FloatArray, most: int, part: Sum, *, above: bool) -> Law:
    """Atoms for cells of which mass and first moment are known: at the ends of wider cells, or at their means.

    Args:
        edges: Of the cells, increasing, shape (n + 1,).
        mass: Shape (n,), sums of at most ``most`` rounded positive terms each.
        excess: The first moments from each cell's left end on, likewise.
        most: How many terms a sum has.
        part: How much of the whole it is the law of.
        above: At the ends, or at the means.
    """
    starts = _starts(edges, mass, mass * edges[:-1] + excess, part)
    lengths = np.diff(np.append(starts, len(mass)))
    left = edges[starts]
    wide = np.add.reduceat(mass, starts)
    moved = np.add.reduceat(excess + mass * (edges[:-1] - np.repeat(left, lengths)), starts)
    theta = (most + int(lengths.max()) + 16) * _UNIT  # relative error of each of both sums, with those of their terms
    if not above:
        kept = wide >= _LEAST_MASS
        mean = left[kept] + moved[kept] / wide[kept]
        doubt = float(np.max(1 - left[kept] / mean)) * 3 * theta + 8 * _UNIT
        return Law(mean, wide[kept] * (1 - 2 * theta), above, doubt)
    ends = np.append(left, edges[-1])
    share = moved / (np.where(wide > 0, wide, 1.0) * np.diff(ends))  # within 2 theta and a few units, relatively
    masses = np.full(len(ends), _LEAST_MASS)
    masses[1:] += wide * np.minimum(1.0, share * (1 + 3 * theta))
    masses[:-1] += wide * np.minimum(1.0, np.maximum(1 - share, 0.0) + 4 * theta)
    return Law(ends, masses * (1 + 2 * theta), above)


def _starts(edges: FloatArray, mass: FloatArray, moment: FloatArray, part: Sum) -> NDArray[np.int64]:
    """Where wider cells begin: nothing here decides more than how good the bound is.

    Most of them go where they add the least variance to the logarithm of the whole sum, of which a cell adds in
    proportion to its mass and its width squared; some to where large or small losses come from.
    """
    # Sums of far apart ratios leave most cells empty: a block of cells tells more of a law.
    blocks = np.arange(0, len(mass), _BLOCK)
    ends = np.append(edges[blocks], edges[-1])
    held, worth = np.add.reduceat(mass, blocks), np.add.reduceat(moment, blocks)
    width, y, t = np.diff(ends), ends[1:], part.whole
    near = np.cbrt(held * (1 + y / t)) * np.cbrt(width / (t + y)) ** 2
    small = [np.cbrt(held * np.exp(-np.minimum(tilt * y, _FARTHEST))) * np.cbrt(width) ** 2 for tilt in part.tilts]
    length = np.diff(np.log(np.maximum(ends, ends[1] / 2)))
    heavy = np.maximum(held + worth / t, _TINY) / np.maximum(length, _TINY)
    orders = np.log10(heavy.max()) - np.log10(heavy)
    far = (y / (y + (t - part.held)) + _FLOOR) / (1 + (orders / _TAIL) ** 4) * length
    with np.errstate(divide="ignore", invalid="ignore"):  # a sum that is zero or infinite is refused in the next line
        density = _NEAR * near / near.sum() + _FAR * far / far.sum()
        for wanted in small:
            density += _SMALL / len(small) * wanted / wanted.sum()
    if not np.all(np.isfinite(density)):
        raise PrecisionError("the cells of a law of likelihood ratios leave the range of doubles")
    sizes = np.diff(np.append(blocks, len(mass)))
    index = np.floor(np.cumsum(np.repeat(density / sizes, sizes)) * part.cells).astype(np.int64)
    index[0] = 0
    return np.flatnonzero(np.diff(index, prepend=-1) > 0)


def _tilt(s: Fraction, count: int, nats: float) -> float:
    """The tilt under which the sum is as small as it is with probability e^-nats, in floats."""
    shift, z = float(s), np.linspace(-REACH, REACH, 1 << 12)
    log_y, logs = shift * z - shift * shift / 2, -z * z / 2
    logs -= math.log(float(np.exp(logs).sum()))

    def rare(tilt: float) -> float:
        exponent = logs - tilt * np.exp(log_y)
        weight = np.exp(exponent - exponent.max())
        mean = float(weight @ np.exp(log_y)) / float(weight.sum())
        return -count * (float(exponent.max()) + math.log(float(weight.sum())) + tilt * mean)

    low, high = 0.0, 1.0
    while rare(high) < nats and high < _STEEPEST:
        low, high = high, 2 * high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if rare(middle) < nats else (low, middle)
    return high
