"""Random questions about the events that the other kinds leave out, or ask under one adjacency alone.

Where the worst data sets are not known, what some data sets spend is owed, and what may be claimed is a bound: what is
spent where the draws of the sampler are published (joint convexity).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from dpref.reals import exact, precision, upper
from property_tests.batch_questions import binomial
from property_tests.certified_questions import (
    ADD_OR_REMOVE,
    ALL,
    ONE,
    REPLACE,
    ZERO,
    Case,
    Truth,
    noise_size,
    share,
    size,
)
from property_tests.guarantee_questions import nothing
from property_tests.independent_compositions import ERROR
from property_tests.independent_epochs import few_steps
from property_tests.independent_laws import (
    LAPLACE,
    NORMAL,
    Curve,
    Masses,
    Root,
    Weighted,
    discrete_gaussian,
    discrete_laplace,
    either_way,
    largest,
    on_integers,
    outcomes_either_way,
    real,
)

NONE = Fraction(0)
BITS = 128


def apart(move: Fraction | Root) -> Curve:
    """Two normal laws so far apart."""
    return either_way(NORMAL, [(ONE, move)], [(ONE, NONE)])


def published(parts: Sequence[tuple[Fraction, Fraction]]) -> Curve:
    """Normal laws whose distance is drawn with these weights, and published."""
    curves = [(weight, apart(move)) for weight, move in parts if weight and move]
    return lambda x: sum((real(weight) * curve(x) for weight, curve in curves), arb(0))


def draws(rng: random.Random) -> Case:
    """Draws with replacement: others that contribute nothing, or (of an absent record) stand at the other end."""
    z, adjacency, b = noise_size(rng), rng.choice(ALL), rng.randrange(1, 6)
    n = rng.choice((2, 3, 10, rng.randrange(2, 1000), 10 ** rng.randrange(1, 9)))
    move = (2 if adjacency == ADD_OR_REMOVE else 1) / z
    parts = [(w, k * move) for k, w in enumerate(binomial(b, Fraction(1, n)))]
    owed = either_way(NORMAL, parts, [(ONE, NONE)])
    truth = Truth(owed, None if adjacency == ADD_OR_REMOVE else published(parts))
    text = f"sample_with_replacement(gaussian({z}), batch={b}, records={n})"
    return Case("sample_with_replacement", text, adjacency, truth)


def group(rng: random.Random) -> Case:
    """So many records move an answer with added noise so many times as far."""
    m, size_of = rng.randrange(2, 9), noise_size(rng)
    which = rng.choice(("gaussian", "laplace", "discrete_laplace"))
    match which:
        case "gaussian":
            truth = apart(m / size_of)
        case "laplace":
            truth = either_way(LAPLACE, [(ONE, m / size_of)], [(ONE, NONE)])
        case _:
            size_of = size(rng, -1, 2)
            truth = on_integers(discrete_laplace(size_of), [(ONE, Fraction(m))], [(ONE, NONE)])
    return Case(f"group({which})", f"group({which}({size_of}), size={m})", rng.choice(ALL), Truth(truth))


def shuffled_elsewhere(rng: random.Random) -> Case:
    """Shuffled epochs where a record is absent or null: others that contribute nothing, and others at the other end.

    Under zero-out, of others at the other end the sum of all answers tells; under add-or-remove-one the sum without the
    last batch, which has one record less.
    """
    s, t, adjacency = size(rng, -0.7, 0.3), rng.choice((2, 3)), rng.choice((ADD_OR_REMOVE, ZERO))
    if adjacency == ZERO:
        summed, known = apart(Root(s**2 / t)), apart(s)
    else:
        seen = Fraction(t - 1, t)
        first: Weighted = [(1 - seen, NONE), (seen, Root(4 * s**2 / (t - 1)))]
        summed, known = either_way(NORMAL, first, [(ONE, NONE)]), apart(Root(5 * s**2))
    truth = Truth(largest(few_steps(float(s), t, 1), summed), known, rounding=ERROR)
    return Case("shuffled", f"shuffled(gaussian({1 / s}), batches={t})", adjacency, truth)


def sampled_column(rng: random.Random) -> Case:
    """A record moves a sampled round by at most a norm; some record by what is attained, if that is said to be less."""
    z, q, squared, adjacency = noise_size(rng), share(rng), size(rng, -2, 2), rng.choice(ALL)
    least = squared if rng.random() < 0.6 else squared * Fraction(rng.randrange(1, 10), 10)

    def curve(square: Fraction) -> Curve:
        far = square / z**2
        second: Weighted = [(ONE, NONE)]
        if adjacency == REPLACE:
            second = [(q, Root(far, negative=True)), (1 - q, NONE)]
        return either_way(NORMAL, [(1 - q, NONE), (q, Root(far))], second)

    stated = "" if least == squared else f", attained={least}"
    text = f"sampled_column({z}, squared_norm={squared}, rate={q}{stated})"
    return Case("sampled_column", text, adjacency, Truth(curve(least), curve(squared)))


def variance_reduced(rng: random.Random) -> Case:
    """A record in the batch moves the answer by its difference, and in any case by its share of the average."""
    z, adjacency = noise_size(rng), rng.choice((REPLACE, ZERO))
    n = rng.choice((2, 3, 10, rng.randrange(2, 1000), 10 ** rng.randrange(1, 7)))
    b = rng.choice((1, rng.randrange(1, n)))
    q, there, always = Fraction(b, n), 1 / (b * z), 1 / (n * z)

    def law(now: int, anchor: int) -> Weighted:
        """Of a record whose vectors are these multiples of the bound, on a line; the others' are zero."""
        return [(1 - q, anchor * always), (q, (now - anchor) * there + anchor * always)]

    instead = [(0, 0)] if adjacency == ZERO else [(-1, 0), (-1, -1), (-1, 1)]
    owed = largest(*(either_way(NORMAL, law(1, h), law(*other)) for h in (-1, 0, 1) for other in instead))
    ends = 1 if adjacency == ZERO else 2
    bound = published([(1 - q, ends * always), (q, ends * (2 * there - always))])
    text = f"variance_reduced_gaussian({z}, batch={b}, records={n})"
    return Case("variance_reduced_gaussian", text, adjacency, Truth(owed, bound))


def gridded(rng: random.Random) -> Case:
    """Discrete noise on integers: one of them moves by the sensitivity, rounded down."""
    sigma, squared = size(rng, -0.5, 1.3), rng.randrange(1, 30)
    dimension = rng.choice((1, 1, 2, 5))
    curve = on_integers(discrete_gaussian(sigma), [(ONE, Fraction(math.isqrt(squared)))], [(ONE, NONE)])
    truth = Truth(curve, None if dimension == 1 else lambda _: arb(1))  # of several the worst direction is not sought
    text = f"gridded_gaussian({sigma}, squared_sensitivity={squared}, dimension={dimension})"
    return Case("gridded_gaussian", text, rng.choice(ALL), truth)


def tabulated(rng: random.Random) -> Case:
    """The curve of two lists of probabilities at a few places, rounded up: these lists keep to the table."""
    outcomes = rng.randrange(2, 6)
    tickets = [[rng.randrange(1, 1000) for _ in range(outcomes)] for _ in range(2)]

    def masses() -> Masses:
        first, second = ([real(Fraction(k, sum(side))) for k in side] for side in tickets)
        return list(zip(first, second, strict=True))

    curve = outcomes_either_way(masses)
    epsilons = sorted({size(rng, -2, 0.5) for _ in range(rng.randrange(1, 6))})
    with precision(BITS):
        deltas = [exact(upper(curve(real(epsilon)))) for epsilon in epsilons]
    kept = [(e, d) for e, d in zip(epsilons, deltas, strict=True) if d < 1]
    lists = (", ".join(map(str, side)) for side in zip(*kept, strict=True))
    text = "profile(epsilons=[{}], deltas=[{}])".format(*lists)
    return Case("profile", text, rng.choice(ALL), Truth(curve, nothing))


def no_noise(rng: random.Random) -> Case:
    """An answer that tells the data sets apart."""
    return Case("nonprivate", "nonprivate()", rng.choice(ALL), Truth(lambda _: arb(1)))


FURTHER: tuple[Callable[[random.Random], Case], ...] = (
    draws,
    group,
    shuffled_elsewhere,
    sampled_column,
    variance_reduced,
    gridded,
    tabulated,
    no_noise,
)


def further(rng: random.Random) -> Case:
    """A case of an event that is drawn nowhere else, or under another adjacency."""
    return rng.choice(FURTHER)(rng)
