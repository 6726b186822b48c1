"""Random questions about matrix mechanisms, whose sensitivity is found by looking at every pattern of steps."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, pairwise, product

from property_tests.certified_questions import ALL, ONE, REPLACE, Case, Truth, noise_size, share
from property_tests.independent_laws import NORMAL, Root, either_way

Columns = list[list[Fraction]]
NOTHING = Fraction(0)


def _listed(numbers: list[Fraction]) -> str:
    return "[" + ", ".join(map(str, numbers)) + "]"


def _numbers(rng: random.Random, count: int) -> list[Fraction]:
    """The first one positive, the others of any sign or none of them negative."""
    low = rng.choice((-5, 0))
    return [ONE, *(Fraction(rng.randrange(low, 6), rng.choice((1, 2, 7))) for _ in range(count - 1))]


def _toeplitz(coefficients: list[Fraction], steps: int) -> Columns:
    return [[NOTHING] * i + (coefficients + [NOTHING] * steps)[: steps - i] for i in range(steps)]


def _drawn(rng: random.Random) -> tuple[str, Columns]:
    """The beginning of a mechanism's text, and the columns of its matrix."""
    which, steps = rng.choice(("prefix", "toeplitz", "inverse", "matrix", "tree")), rng.randrange(1, 7)
    given = _numbers(rng, rng.randrange(1, steps + 1))
    match which:
        case "prefix":
            roots = [ONE]
            for j in range(1, steps):
                roots.append(roots[-1] * (2 * j - 1) / (2 * j))
            bands = rng.randrange(1, 8)
            return f"prefix_sum_sqrt({{}}, {steps}, bands={bands}, ", _toeplitz(roots[:bands], steps)
        case "toeplitz":
            return f"toeplitz_gaussian({{}}, {_listed(given)}, {steps}, ", _toeplitz(given, steps)
        case "inverse":
            inverse = [ONE]
            for t in range(1, steps):
                inverse.append(-sum((given[i] * inverse[t - i] for i in range(1, min(t + 1, len(given)))), NOTHING))
            return f"toeplitz_gaussian({{}}, {_listed(given)}, {steps}, inverse=true, ", _toeplitz(inverse, steps)
        case "matrix":
            rows = [_numbers(rng, t + 1) for t in range(steps)]
            columns = [[NOTHING] * i + [rows[t][i] for t in range(i, steps)] for i in range(steps)]
            return f"matrix_gaussian({{}}, {_listed([x for row in rows for x in row])}, ", columns
        case _:
            nodes = [range(i, i + w) for w in (1, 2, 4, 8) for i in range(0, steps - w + 1, w)]
            return f"tree_gaussian({{}}, {steps}, ", [[Fraction(t in node) for node in nodes] for t in range(steps)]


def _squares(columns: Columns, most: int, separation: int) -> tuple[Fraction, Fraction]:
    """The most that signs reach over all patterns, and the most of the sums of absolute inner products."""
    reached = bound = NOTHING
    for k in range(1, min(most, len(columns)) + 1):
        for chosen in combinations(range(len(columns)), k):
            if any(j - i < separation for i, j in pairwise(chosen)):
                continue
            gram = [
                [sum((x * y for x, y in zip(columns[i], columns[j], strict=True)), NOTHING) for j in chosen]
                for i in chosen
            ]
            bound = max(bound, sum((abs(x) for row in gram for x in row), NOTHING))
            for signs in product((1, -1), repeat=k):
                signed = (s * r * gram[i][j] for i, s in enumerate(signs) for j, r in enumerate(signs))
                reached = max(reached, sum(signed, NOTHING))
    return reached, bound


def matrix_mechanism(rng: random.Random) -> Case:
    """One Gaussian answer: what signs reach is owed, and no more than the triangle inequality may be claimed."""
    begun, columns = _drawn(rng)
    k, b, z, adjacency = rng.randrange(1, 5), rng.randrange(1, 5), noise_size(rng), rng.choice(ALL)
    reached, bound = _squares(columns, k, b)
    scale = (4 if adjacency == REPLACE else 1) / z**2
    owed, allowed = (either_way(NORMAL, [(ONE, Root(x * scale))], [(ONE, NOTHING)]) for x in (reached, bound))
    text = f"{begun.format(z)}max_participations={k}, min_separation={b})"
    return Case(begun.partition("(")[0], text, adjacency, Truth(owed, allowed))


def sampled_round(rng: random.Random) -> Case:
    """A banded mechanism of one round: the larger of its columns, on a Poisson sample."""
    z, q, steps, adjacency = (
        noise_size(rng),
        share(rng),
        rng.randrange(1, 6),
        rng.choice(ALL),
    )
    given = _numbers(rng, steps)
    square = sum((x * x for x in given), NOTHING) / z**2
    there, absent = (q, Root(square)), (1 - q, NOTHING)
    second: list[tuple[Fraction, Fraction | Root]] = [(ONE, NOTHING)]
    if adjacency == REPLACE:
        second = [(q, Root(square, negative=True)), absent]
    text = f"toeplitz_gaussian({z}, {_listed(given)}, {steps}, min_separation={steps}, rate={q})"
    return Case("a sampled round", text, adjacency, Truth(either_way(NORMAL, [absent, there], second)))
