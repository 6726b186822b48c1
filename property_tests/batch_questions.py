"""Random questions about batches, epochs and groups, each with curves that some data sets have: see
``certified_questions.py``.

A record contributes at most one clipping norm; under replace-one its multiplier is of twice that.  Of truncated samples
and shuffled batches the worst data sets are not known: what is owed is what two kinds of data sets spend.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from flint import arb

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
from property_tests.independent_compositions import ERROR, together
from property_tests.independent_epochs import few_steps, many_steps
from property_tests.independent_laws import (
    NORMAL,
    Curve,
    Masses,
    Root,
    Weighted,
    diluted,
    either_way,
    largest,
    outcomes_either_way,
    real,
    response,
)

NOTHING: Final = Fraction(0)
ABSENT: Final = (ADD_OR_REMOVE, ZERO)


def binomial(trials: int, rate: Fraction) -> list[Fraction]:
    """The chance of each number."""
    return [math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(trials + 1)]


# ------------------------------------------------------------------------------------ mixtures, groups, draws


def mixture(rng: random.Random) -> Case:
    """Normal laws at a few places, against one of them at zero."""
    z, tickets = noise_size(rng), [rng.randrange(1, 1000) for _ in range(rng.randrange(1, 5))]
    shifts = [size(rng, -2, 1) for _ in tickets]
    if len(shifts) > 1 and rng.random() < 0.7:
        shifts[0] = NOTHING
    weights = [Fraction(ticket, sum(tickets)) for ticket in tickets]
    lists = (", ".join(map(str, numbers)) for numbers in (shifts, weights))
    text = "mixture_gaussian(shifts=[{}], weights=[{}], noise_multiplier={})".format(*lists, z)
    first = [(w, s / z) for w, s in zip(weights, shifts, strict=True)]
    return Case("mixture_gaussian", text, rng.choice(ABSENT), Truth(either_way(NORMAL, first, [(ONE, NOTHING)])))


def group_on_a_sample(rng: random.Random) -> Case:
    """As many of the group as are drawn move the answer; of draws with replacement others stand at the other end."""
    z, m, adjacency = noise_size(rng), rng.randrange(2, 7), rng.choice(ABSENT)
    if rng.random() < 0.5:
        q = share(rng)
        text, drawn, move = f"poisson(gaussian({z}), rate={q})", binomial(m, q), ONE / z
    else:
        n, b = m + rng.randrange(1, 40), rng.randrange(1, 6)
        text = f"sample_with_replacement(gaussian({z}), {b}, {n})"
        drawn, move = binomial(b, Fraction(m, n)), (2 if adjacency == ADD_OR_REMOVE else 1) / z
    truth = either_way(NORMAL, [(w, k * move) for k, w in enumerate(drawn)], [(ONE, NOTHING)])
    return Case(f"group({text.partition('(')[0]})", f"group({text}, size={m})", adjacency, Truth(truth))


# ------------------------------------------------------------------------------------ truncated samples


def _truncated(rate: Fraction, batch: int, others: tuple[int, Fraction], mine: Fraction | None) -> Weighted:
    """The law of the sum, other records alike: each centre with its weight."""
    (count, value), found = others, dict[Fraction, Fraction]()
    for m, chance in enumerate(binomial(count, rate)):
        drawn = NOTHING if mine is None else rate
        kept = drawn * min(ONE, Fraction(batch, m + 1))
        alone = value * min(m, batch)
        beside = value * min(m, batch - 1) + (mine or 0)
        for centre, weight in ((alone, chance * (1 - kept)), (beside, chance * kept)):
            found[centre] = found.get(centre, NOTHING) + weight
    return [(weight, centre) for centre, weight in found.items() if weight]


def truncated_sample(rng: random.Random) -> Case:
    """Others that contribute nothing, and others at the end that the record is not at: half-lines, never too large."""
    z, q, adjacency = noise_size(rng), min(share(rng), Fraction(99, 100)), rng.choice(ALL)
    n = rng.randrange(2, 25)
    b = rng.randrange(1, n + 1)
    radius = 1 / (2 * z) if adjacency == REPLACE else 1 / z
    curves = []
    for far in (NOTHING, -radius):
        first = _truncated(q, b, (n - 1, far), radius)
        instead = {ADD_OR_REMOVE: None, ZERO: NOTHING, REPLACE: -radius}[adjacency]
        curves.append(either_way(NORMAL, first, _truncated(q, b, (n - 1, far), instead)))
    stated = ", contribution=ball" if adjacency == REPLACE else ""
    text = f"truncated_poisson(gaussian({z}), rate={q}, batch={b}, records={n}{stated})"
    return Case("truncated_poisson", text, adjacency, Truth(largest(*curves)))


# ------------------------------------------------------------------------------------ epochs


def allocation(rng: random.Random) -> Case:
    """In k of t steps, the others contributing nothing; of a record that is replaced, by none or by its opposite."""
    adjacency, s = rng.choice(ALL), size(rng, -0.7, 0.3)
    z = 1 / (2 * s) if adjacency == REPLACE else 1 / s
    if rng.random() < 0.7:
        t, k = rng.choice(((2, 1), (3, 1), (3, 2)))
        curve = few_steps(float(s), t, k)
    else:
        s = min(s, Fraction(6, 5))
        z = 1 / (2 * s) if adjacency == REPLACE else 1 / s
        t, k = rng.randrange(4, 400), 1
        curve = many_steps(float(s), t)
    if adjacency == REPLACE:
        curve = largest(curve, either_way(NORMAL, [(ONE, Root((2 * k * s) ** 2 / t))], [(ONE, NOTHING)]))
    stated = ", contribution=ball" if adjacency == REPLACE else ""
    text = f"random_allocation(gaussian({z}), steps={t}, participations={k}{stated})"
    return Case("random_allocation", text, adjacency, Truth(curve, rounding=ERROR))


def shuffled(rng: random.Random) -> Case:
    """Under replace-one the others stand at one end and the records at both: a random step; above, one known step."""
    s, t = size(rng, -0.7, 0.3), rng.choice((2, 3))
    known = either_way(NORMAL, [(ONE, s)], [(ONE, NOTHING)])
    truth = Truth(few_steps(float(s), t, 1), known, rounding=ERROR)
    return Case("shuffled", f"shuffled(gaussian({1 / s}), batches={t})", REPLACE, truth)


# ------------------------------------------------------------------------------------ several answers on one batch


def _upper_tail(y: arb) -> arb:
    return NORMAL.above(y)


def _beside_normals(outcomes: Callable[[], Masses], shift: Root, rate: Fraction) -> Curve:
    """A normal law that moves together with outcomes, on a sample: for each outcome a half-line."""

    def removed(x: arb) -> arb:
        alpha, q, s, total = x.exp(), real(rate), real(shift), arb(0)
        for p, other in outcomes():
            far, near = q * p, (alpha - 1 + q) * other
            if near > 0:
                y = ((near / far).log() + s * s / 2) / s
                total += far * _upper_tail(y - s) - near * _upper_tail(y)
            else:
                total += far - near
        return total

    def added(x: arb) -> arb:
        alpha, q, s, total = x.exp(), real(rate), real(shift), arb(0)
        for p, other in outcomes():
            far, near = alpha * q * p, (1 - alpha * (1 - q)) * other
            if near > 0:
                y = ((near / far).log() + s * s / 2) / s
                total += near * _upper_tail(-y) - far * _upper_tail(s - y)
        return total

    return largest(removed, added)


def _responses(rng: random.Random, null: str) -> tuple[str, Callable[[], Masses]]:
    epsilon, k = size(rng, -1.5, 0.5), rng.choice((2, 2, 3))
    there, absent = response(epsilon, k, 0), response(epsilon, k, 1 if null == "category" else None)

    def masses() -> Masses:
        return list(zip(there(), absent(), strict=True))

    return f"randomized_response({epsilon}, {k}, {null})", masses


def several_on_a_batch(rng: random.Random) -> Case:
    """Gaussian answers and randomized responses to one Poisson sample, or to one batch of fixed size."""
    adjacency = rng.choice(ALL)
    null = "category" if adjacency == REPLACE else rng.choice(("uniform", "category"))
    told: Sequence[tuple[str, Callable[[], Masses]]] = [_responses(rng, null) for _ in range(rng.randrange(0, 3))]
    noises = [size(rng, -0.3, 0.8) for _ in range(rng.randrange(0 if len(told) > 1 else 1, 3))]
    if adjacency == REPLACE:
        n = rng.randrange(2, 100)
        b = rng.randrange(1, n)
        sampler, q = f"sample_without_replacement({{}}, {b}, {n})", Fraction(b, n)
    else:
        q = min(size(rng, -2.5, -0.1), Fraction(9, 10))
        sampler = f"poisson({{}}, rate={q})"
    text = ", ".join([f"gaussian({z})" for z in noises] + [text for text, _ in told])
    outcomes = together(*(masses for _, masses in told))
    if noises:
        curve = _beside_normals(outcomes, Root(sum((1 / z**2 for z in noises), NOTHING)), q)
    else:
        curve = outcomes_either_way(diluted(outcomes, q))
    return Case("several on one batch", sampler.format(f"compose({text})"), adjacency, Truth(curve))
