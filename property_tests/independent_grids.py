r"""Measures of the fast path against what they stand for, each at losses on, between and beyond its points.

A measure of a pair is held against the pair's curve in closed form; one on a coarser grid, a block, and a whole
composition in stages against polynomials of balls.  What is compared is the curve at every loss, far out in the tails
too, where deltas are as small as $e^{-450}$: a measure that lies on the wrong side of the truth anywhere spoils every
composition with it, however little weighs there.

``python -m property_tests.independent_grids --count 1000 --seed 0`` draws a thousand of them.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
from flint import arb, arb_poly

from dpref.errors import DprefError
from dpref.privacy.fast.blocks import Stages
from dpref.privacy.fast.cells import Pair
from dpref.privacy.fast.coarser import coarser_above, coarser_below
from dpref.privacy.fast.doubles import in_doubles
from dpref.privacy.fast.lower import dominated
from dpref.privacy.fast.lowered import lowered
from dpref.privacy.fast.measure import GridMeasure
from dpref.privacy.fast.upper import dominating, raised
from dpref.reals import FloatArray, ball, precision

Factors: TypeAlias = Sequence[tuple[GridMeasure, int]]
Curve: TypeAlias = Callable[[Fraction], arb]
BITS: Final = 500
LOSSES: Final = 40
LONGEST: Final = 1500  # of a composition that is multiplied out
REACHES: Final = (4.0, 7.25, 13.25, 20.0, 27.0, 29.75)
STEPS: Final = tuple(Fraction(x) for x in ("1/200", "1/64", "1/8", "1", "7/3"))
MEASURES: Final = ((dominating, True), (raised, True), (dominated, False), (lowered, False))


@dataclass(frozen=True)
class Ended:
    """What became of one comparison.

    Attributes:
        kind: What was compared, or that it was refused.
        problem: Where the measure lies on the wrong side, in words; empty if nowhere.
        compared: At how many losses.
    """

    kind: str
    problem: str = ""
    compared: int = 0


def of_factors(factors: Factors) -> Curve:
    """delta of a composition of exactly these masses."""
    step, origin = factors[0][0].step, sum((m.start * k for m, k in factors), Fraction(0))
    # Second masses are as large as e to the range of the losses, and balls of a product as wide as the largest one's.
    bits = BITS + math.ceil(sum(k * (2 * step * len(m.masses) + abs(math.log2(m.masses.max()))) for m, k in factors))
    with precision(bits):
        product, finite, whole = arb_poly([1]), arb(1), arb(1)
        for measure, count in factors:
            masses = [arb(float(p)) for p in measure.masses]
            total = sum(masses, arb(0))
            product = product * arb_poly(masses) ** count if (len(factors), count) != (1, 1) else arb_poly(masses)
            finite, whole = finite * total**count, whole * (total + measure.infinity) ** count
        above, steep, weight, ratio = [arb(0)], [arb(0)], (-ball(origin)).exp(), (-ball(step)).exp()
        infinite = whole - finite if any(m.infinity for m, _ in factors) else arb(0)
        masses = list(product.coeffs())
        weights = [weight := weight * (ratio if k else 1) for k in range(len(masses))]
        for p, w in zip(reversed(masses), reversed(weights), strict=True):
            above.append(above[-1] + p)
            steep.append(steep[-1] + p * w)

    def curve(loss: Fraction) -> arb:
        beyond = min(max(len(masses) - math.floor((loss - origin) / step) - 1, 0), len(masses))
        with precision(bits):
            return infinite + above[beyond] - ball(loss).exp() * steep[beyond]

    return curve


def of_pair(pair: Pair, *, removed: bool) -> Curve:
    """delta of one answer of a sampled Gaussian, by the normal law's tails."""

    def tail(z: arb) -> arb:
        return (z / arb(2).sqrt()).erfc() / 2

    def curve(loss: Fraction) -> arb:
        with precision(BITS):
            t, q, mu = ball(loss).exp(), ball(pair.rate), 1 / ball(pair.noise_multiplier)
            edge = ((t if removed else 1 / t) - (1 - q)) / q
            if not edge > 0:
                return 1 - t if removed else arb(0)
            z = edge.log() / mu + mu / 2
            if removed:
                return q * tail(z - mu) + (1 - q - t) * tail(z)
            return tail(-z) - t * ((1 - q) * tail(-z) + q * tail(mu - z))

    return curve


def compared(kind: str, factors: Factors, truth: Curve, *, above: bool, losses: Sequence[Fraction]) -> Ended:
    """Whether the masses that a composition stands for lie on their side of the truth at all these losses."""
    found = of_factors(factors)
    with precision(8 * BITS):
        off = (sum((k * arb(m.relative) for m, k in factors), arb(0)) * (1 + arb(2) ** -9)).expm1()
        for loss in losses:
            value, exact = found(loss), truth(loss)
            if not (value * (1 + off) >= exact if above else value * (1 - off) <= exact):
                # Two balls of one number overlap: that is no error, if they are small.
                if value.overlaps(exact) and abs(value - exact) < arb(2) ** -(BITS - 60):
                    continue
                return Ended(kind, f"at {float(loss)!r}: {value.str(20)} for {exact.str(20)}", len(losses))
    return Ended(kind, compared=len(losses))


def some_losses(rng: random.Random, measure: GridMeasure, *, everywhere: bool = True) -> list[Fraction]:
    """Losses on and between the points that have mass, most of them near the ends; and beyond both."""
    held = np.flatnonzero(measure.masses)
    first, last = int(held[0]), int(held[-1])
    places = [rng.uniform(first, last) if rng.random() < 0.5 else last - rng.expovariate(0.1) for _ in range(LOSSES)]
    near = [measure.start + measure.step * Fraction(round(64 * place), 64) for place in places]
    return near + ([measure.start - 3, measure.start + measure.step * (last + 2)] if everywhere else [])


def some_pair(rng: random.Random) -> Pair:
    """A rate of any size, and noise from a twentieth to fifty."""
    rate = rng.choice((Fraction(1), Fraction(rng.randint(1, 99), 100), 1 - Fraction(1, 10**7), Fraction(1, 10**6)))
    return Pair(rate, Fraction(round(1000 * math.exp(rng.uniform(-3, 4))), 1000))


def some_measure(rng: random.Random, size: int) -> GridMeasure:
    """Humps, steep flanks, atoms, noise or a single mass, with and without an infinite loss."""
    step, k = rng.choice(STEPS), np.arange(size, dtype=np.float64)
    shape = rng.choice(("humps", "steep", "atoms", "noise", "one"))
    logs: FloatArray = -(((k - rng.uniform(0, size)) / (size * rng.uniform(0.1, 0.4))) ** 2) / 2
    if shape == "steep":
        logs = rng.uniform(-2, 2) * k
    elif shape == "noise":
        logs = np.array([rng.gauss(0, 1) for _ in range(size)])
    masses = np.exp(logs - logs.max())
    if shape == "atoms":
        masses[rng.randrange(size)] += 2.0
    elif shape == "one":
        masses[:] = k == size // 2
    masses *= rng.choice((1.0, 1.0, 0.99, 1e-150)) / masses.sum()
    start = rng.randint(-size, 0) * step + rng.choice((Fraction(0), step / 7))
    return GridMeasure(start, step, np.where(masses < 2.0**-600, 0.0, masses), rng.choice((0.0, 1e-9)))


def a_pair(rng: random.Random) -> Ended:
    """One measure of a pair."""
    pair, reach, (made, above), way = some_pair(rng), rng.choice(REACHES), rng.choice(MEASURES), rng.randrange(2)
    whole = pair.loss(reach + pair.mu) - pair.loss(-reach)
    step = Fraction(math.ceil(whole / math.exp(rng.uniform(2, 7)) * 2**40), 2**40)
    with in_doubles():
        measure = made(pair, step, reach)[way]
    truth, losses = of_pair(pair, removed=way == 0), some_losses(rng, measure)
    return compared(made.__name__, [(measure, 1)], truth, above=above, losses=losses)


def a_coarser_grid(rng: random.Random) -> Ended:
    """A measure on every m-th point, for steps of up to a hundred nats and more."""
    measure, times, above = some_measure(rng, rng.randint(1, 120)), rng.randint(1, 64), rng.random() < 0.5
    coarse = (coarser_above if above else coarser_below)(measure, times)
    losses = some_losses(rng, measure) + some_losses(rng, coarse)
    return compared(
        f"coarser {'above' if above else 'below'}",
        [(coarse, 1)],
        of_factors([(measure, 1)]),
        above=above,
        losses=losses,
    )


def in_stages(rng: random.Random) -> Ended:
    """A composition of one, two or three measures, cut once, twice or three times."""
    above, step = rng.random() < 0.5, rng.choice(STEPS[:3])
    drawn = [some_measure(rng, rng.randint(8, 40)) for _ in range(rng.randint(1, 3))]
    factors = [
        (GridMeasure(m.start * step / m.step, step, m.masses.copy(), m.infinity), rng.choice((1, 3, 16, 30)))
        for m in drawn
    ]
    while sum(k * len(m.masses) for m, k in factors) > LONGEST:
        factors = [(m, -(-k // 2)) for m, k in factors]
    cuts = tuple((rng.randint(1, 6), rng.randint(1, 4)) for _ in range(rng.randint(1, 3)))
    with in_doubles():
        last = Stages(rng.choice((0.0, 0.1, 1.0, 5.0)), rng.choice((5.0, 40.0)), cuts).compose(factors, above=above)
    truth, origin = of_factors(factors), sum((m.start * k for m, k in factors), Fraction(0))
    end = origin + step * sum(k * (len(m.masses) - 1) for m, k in factors)
    losses = [origin + (end - origin) * Fraction(rng.randint(-10, 1010), 1000) for _ in range(LOSSES)]
    return compared(f"stages {'above' if above else 'below'}", last, truth, above=above, losses=losses)


def comparisons(count: int, seed: int) -> Iterator[Ended]:
    """So many comparisons, each of its own seed: with count n the first ones are those of any smaller count."""
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")  # noqa: S311 - a sample, not a secret
        asked = rng.choice((a_pair, a_coarser_grid, in_stages))
        try:
            ended = asked(rng)
        except DprefError:
            ended = Ended(f"refused: {asked.__name__}")
        yield Ended(ended.kind, ended.problem and f"{seed}/{number}, {ended.problem}", ended.compared)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, and say what was on the wrong side; the exit status is whether anything was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    kinds, losses, wrong = Counter[str](), 0, 0
    for ended in comparisons(given.count, given.seed):
        kinds[ended.kind] += 1
        losses += ended.compared
        wrong += bool(ended.problem)
        if ended.problem:
            print(f"{ended.kind}: {ended.problem}")
    print(", ".join(f"{kind}: {number}" for kind, number in sorted(kinds.items())))
    print(f"{losses} losses compared, {wrong} measures on the wrong side")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
