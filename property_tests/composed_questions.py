"""Random questions about several answers, each with the curve that answers it: see ``certified_questions.py``."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Final

from flint import arb

from property_tests.batch_questions import (
    allocation,
    group_on_a_sample,
    mixture,
    several_on_a_batch,
    shuffled,
    truncated_sample,
)
from property_tests.certified_questions import (
    ADD_OR_REMOVE,
    ALL,
    ONE,
    REPLACE,
    ZERO,
    Asked,
    Case,
    Truth,
    noise_size,
    share,
    single,
    size,
    small_delta,
    some_epsilon,
)
from property_tests.further_questions import further
from property_tests.guarantee_questions import approximate, concentrated, selected_response
from property_tests.independent_compositions import (
    ERROR,
    Centres,
    Law,
    few,
    laplace,
    listed,
    many,
    mirrored,
    normals,
    repeated,
    together,
)
from property_tests.independent_laws import (
    NORMAL,
    Masses,
    Root,
    diluted,
    either_way,
    largest,
    outcomes_either_way,
    response,
)
from property_tests.matrix_answers import matrix_mechanism, sampled_round

HALF: Final = Fraction(1, 2)
Directions = tuple[Law, ...]  # of one event: with the record first, and without it first; one law if they are the same


def composed_gaussians(rng: random.Random) -> Case:
    """Several Gaussian answers of any number are one: squared shifts add up."""
    parts, total = [], Fraction(0)
    for _ in range(rng.randrange(1, 4)):
        z, count = noise_size(rng), rng.choice((1, 2, rng.randrange(1, 1000), 10 ** rng.randrange(1, 13)))
        scale = math.isqrt(count) if rng.random() < 0.5 else 1  # so that the whole is neither nothing nor all
        z *= scale
        parts.append(f"compose(gaussian({z}), {count})")
        total += count / z**2
    truth = either_way(NORMAL, [(ONE, Root(total))], [(ONE, Fraction(0))])
    return Case("several gaussians", f"compose({', '.join(parts)})", rng.choice(ALL), Truth(truth))


def composed_responses(rng: random.Random) -> Case:
    """Randomized response, sampled or not, and finite pairs, by the count of each answer."""
    adjacency, parts, laws, outcomes = rng.choice(ALL), list[str](), list[Callable[[], Masses]](), 1
    while not parts or (rng.random() < 0.5 and outcomes < 60):
        epsilon, k = size(rng, -1.5, 0.7), rng.choice((2, 2, 2, 3))
        most = (60 if k == 2 else 8) if outcomes == 1 else 3
        count = rng.randrange(1, most)
        null = "category" if adjacency == REPLACE else rng.choice(("uniform", "category"))
        one, other = response(epsilon, k, 0), response(epsilon, k, 1 if null == "category" else None)

        def law(one: Callable[[], list[arb]] = one, other: Callable[[], list[arb]] = other) -> Masses:
            return list(zip(one(), other(), strict=True))

        text = f"randomized_response({epsilon}, {k}, {null})"
        outcomes_of: Callable[[], Masses] = law
        if adjacency != REPLACE and rng.random() < 0.5:
            q = share(rng)
            text, outcomes_of = f"poisson({text}, rate={q})", diluted(law, q)
        parts.append(f"compose({text}, {count})")
        laws.append(repeated(outcomes_of, count))
        outcomes *= count + 1
    truth = outcomes_either_way(together(*laws))
    return Case("several randomized responses", f"compose({', '.join(parts)})", adjacency, Truth(truth))


# ------------------------------------------------------------------------------------ in doubles


def _both(first: Centres, second: Centres) -> Directions:
    return normals(first, second), normals(*mirrored(first, second))


def ordinary(rng: random.Random, adjacency: str) -> tuple[str, Directions]:
    """An event on a line with noise of ordinary size, and its laws in both directions."""
    z = size(rng, -0.3, 0.8)
    s, q = float(1 / z), min(size(rng, -2.5, -0.2), Fraction(3, 4))
    rate = float(q)
    which = rng.randrange(3)
    if which == 0:
        return f"gaussian({z})", (normals([(1.0, s)], [(1.0, 0.0)]),)
    n = rng.randrange(2, 400)
    b = rng.randrange(1, n)
    if adjacency == REPLACE:
        if which == 1:
            pair = [(1 - rate, 0.0), (rate, s / 2)], [(1 - rate, 0.0), (rate, -s / 2)]
            return f"poisson(gaussian({z}), rate={q}, contribution=ball)", (normals(*pair),)
        pair = [(1 - b / n, 0.0), (b / n, s)], [(1.0, 0.0)]
        return f"sample_without_replacement(gaussian({z}), {b}, {n})", _both(*pair)
    if which == 2 and adjacency == ADD_OR_REMOVE:
        pair = [(1 - b / n, 0.0), (b / n, 2 * s)], [(1.0, 0.0)]
        return f"sample_without_replacement(gaussian({z}), {b}, {n})", _both(*pair)
    return f"poisson(gaussian({z}), rate={q})", _both([(1 - rate, 0.0), (rate, s)], [(1.0, 0.0)])


def on_a_lattice(rng: random.Random, adjacency: str) -> tuple[str, Directions]:
    """Discrete noise, sampled or not, and its laws as lists."""
    moved, scale = rng.randrange(1, 4), size(rng, -0.5, 0.7)
    if rng.random() < 0.5:
        text, there, absent = f"discrete_gaussian({scale}, {moved})", *discrete_gaussians(float(scale), moved)
    else:
        text, there, absent = f"discrete_laplace({scale}, {moved})", *discrete_laplaces(float(scale), moved)
    if adjacency != REPLACE and rng.random() < 0.6:
        q = min(size(rng, -2, -0.2), Fraction(3, 4))
        rate = float(q)
        text = f"poisson({text}, rate={q})"
        there = [rate * p + (1 - rate) * a for p, a in zip(there, absent, strict=True)]
    forward = [(p, a) for p, a in zip(there, absent, strict=True) if p > 0 and a > 0]
    return text, (listed(forward, _NOTHING), listed([(a, p) for p, a in forward], _NOTHING))


def discrete_gaussians(scale: float, moved: int) -> tuple[list[float], list[float]]:
    """A discrete Gaussian moved and not, over all integers at which a double shows both."""
    reach = int(38 * scale) + 4
    weight = [math.exp(-(k**2) / (2 * scale**2)) for k in range(-reach, reach + 1)]
    whole, beyond = sum(weight), [0.0] * moved
    there, absent = ([w / whole for w in side] for side in (beyond + weight, weight + beyond))
    return there, absent


def discrete_laplaces(scale: float, moved: int) -> tuple[list[float], list[float]]:
    """A discrete Laplace law moved and not: before 0 and from its place on, the ratio of both is one number each."""
    ratio = math.exp(-1 / scale)
    weight = [1 / (1 - ratio), *(ratio**k for k in range(1, moved)), ratio**moved / (1 - ratio)]
    absent = [w * (1 - ratio) / (1 + ratio) for w in weight]
    return absent[::-1], absent


def laplace_answer(rng: random.Random, _: str) -> tuple[str, Directions]:
    """Laplace noise."""
    scale = size(rng, -0.3, 1)
    return f"laplace({scale})", (laplace(float(1 / scale)),)


def two_or_three(rng: random.Random) -> Case:
    """Two or three answers of different kinds; a replaced record may go either way in each of them."""
    adjacency = rng.choice(ALL)
    chosen = [ordinary(rng, adjacency), rng.choice((ordinary, on_a_lattice, laplace_answer))(rng, adjacency)]
    if rng.random() < 0.3:
        chosen.append(rng.choice((ordinary, laplace_answer))(rng, adjacency))
    event = f"compose({', '.join(text for text, _ in chosen)})"
    directions = [laws if len(laws) == 2 else laws * 2 for _, laws in chosen]
    if adjacency == REPLACE:
        ways = list(product(*directions))
    else:
        ways = [tuple(laws[side] for laws in directions) for side in (0, 1)]
    truth = Truth(largest(*(few(way) for way in ways)), rounding=ERROR)
    return Case("two or three answers", event, adjacency, truth)


def long_training(rng: random.Random) -> Case:
    """Hundreds to millions of sampled Gaussian answers, of one or two kinds."""
    adjacency = rng.choice((ADD_OR_REMOVE, ZERO, REPLACE))
    texts, sides = [], ([], [])  # type: tuple[list[str], tuple[list[tuple[Law, int]], list[tuple[Law, int]]]]
    for _ in range(rng.choice((1, 1, 2))):
        z, q = size(rng, -0.2, 0.7), min(size(rng, -3.5, -0.5), Fraction(1, 2))
        s, rate = float(1 / z), float(q)
        # The whole has about the divergence of one Gaussian answer with a shift between 0.2 and 4.
        one = rate**2 * math.expm1(s**2)
        count = max(2, round(10 ** rng.uniform(-1.4, 1.2) / one))
        if adjacency == REPLACE:
            first, second = [(1 - rate, 0.0), (rate, s / 2)], [(1 - rate, 0.0), (rate, -s / 2)]
            texts.append(f"compose(poisson(gaussian({z}), rate={q}, contribution=ball), {count})")
        else:
            first, second = [(1 - rate, 0.0), (rate, s)], [(1.0, 0.0)]
            texts.append(f"compose(poisson(gaussian({z}), rate={q}), {count})")
        for side, law in zip(sides, (normals(first, second), normals(*mirrored(first, second))), strict=True):
            side.append((law, count))
    truth = Truth(largest(*map(many, sides[: 1 if adjacency == REPLACE else 2])), rounding=ERROR)
    return Case("many sampled gaussians", f"compose({', '.join(texts)})", adjacency, truth)


_NOTHING: Final = 1e-300  # of a law that a list of all that a double shows leaves out
MIXED: Final[Mapping[Callable[[random.Random], Case], int]] = {
    single: 165,
    matrix_mechanism: 10,
    sampled_round: 3,
    composed_gaussians: 8,
    composed_responses: 2,
    two_or_three: 4,
    long_training: 1,
    approximate: 4,
    concentrated: 2,
    selected_response: 4,
    mixture: 5,
    group_on_a_sample: 5,
    truncated_sample: 5,
    allocation: 2,
    shuffled: 1,
    several_on_a_batch: 4,
    further: 12,
}


def question(rng: random.Random) -> Asked:
    """A case of one answer mostly, or of several, and a delta or an epsilon."""
    draw = rng.choices(list(MIXED), list(MIXED.values()))[0]
    case = draw(rng)
    plain = case.truth.rounding == ERROR
    if rng.random() < (0.8 if plain else 0.5):
        return Asked(case, min(size(rng, -10, -2), HALF) if plain else small_delta(rng), None)
    return Asked(case, None, size(rng, -1.5, 0.7) if plain else some_epsilon(rng))
