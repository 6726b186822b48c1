"""Sensitivities of matrix mechanisms: against every pattern and many contributions of small matrices, in rationals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, product
from random import Random

import numpy as np
import pytest

from dpref.errors import InvalidArgumentError
from dpref.privacy.events import participation
from dpref.privacy.events.factorization import _sensitivity, rounds, sensitivity, squared_mu
from dpref.privacy.events.matrix import MatrixGaussian, PrefixSumSqrt, ToeplitzGaussian, TreeGaussian
from dpref.privacy.events.participation import Pattern, SquaredSensitivity, of_gram, of_toeplitz
from dpref.privacy.events.tree import nodes, tree_sensitivity
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut

Matrix = list[list[Fraction]]
ONE = Fraction(1)


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - of a test


def patterns(steps: int, most: int, separation: int) -> list[tuple[int, ...]]:
    """All of them, by looking at every set of steps."""
    every = (chosen for size in range(1, most + 1) for chosen in combinations(range(steps), size))
    return [chosen for chosen in every if all(j - i >= separation for i, j in pairwise(chosen))]


def product_of(matrix: Matrix, i: int, j: int) -> Fraction:
    return sum((row[i] * row[j] for row in matrix), Fraction(0))


def signed(matrix: Matrix, most: int, separation: int) -> Fraction:
    """The most that contributions on a line reach: all patterns, all signs."""
    best = Fraction(0)
    for chosen in patterns(len(matrix), most, separation):
        for signs in product((1, -1), repeat=len(chosen) - 1):
            pairs = list(zip((1, *signs), chosen, strict=True))
            value = sum((sum((s * row[i] for s, i in pairs), Fraction(0)) ** 2 for row in matrix), Fraction(0))
            best = max(best, value)
    return best


def absolute(matrix: Matrix, most: int, separation: int) -> Fraction:
    """The triangle inequality over all patterns."""
    found = patterns(len(matrix), most, separation)
    sums = ((abs(product_of(matrix, i, j)) for i, j in product(chosen, repeat=2)) for chosen in found)
    return max(sum(terms, Fraction(0)) for terms in sums)


def turned(matrix: Matrix, most: int, separation: int, dimension: int, random: np.random.Generator) -> float:
    """The most that unit vectors reach, each in turn put where it helps most, from several beginnings."""
    values, best = np.array(matrix, dtype=float), 0.0
    for chosen in patterns(len(matrix), most, separation):
        columns = values[:, chosen]
        for _ in range(3):
            u = random.standard_normal((len(chosen), dimension))
            u /= np.linalg.norm(u, axis=1)[:, None]
            for _ in range(20):
                for i in range(len(chosen)):
                    pull = columns[:, i] @ columns @ u - columns[:, i] @ columns[:, i] * u[i]
                    size = np.linalg.norm(pull)
                    u[i] = pull / size if size > 0 else u[i]
            best = max(best, float(np.sum((columns @ u) ** 2)))
    return best


def random_matrix(random: Random, steps: int, bands: int, *, signs: bool) -> Matrix:
    def entry(t: int, i: int) -> Fraction:
        if not 0 <= t - i < bands:
            return Fraction(0)
        return Fraction(random.randint(-6 if signs else 0, 6), random.choice((1, 2, 3, 7)))

    found = [[entry(t, i) for i in range(steps)] for t in range(steps)]
    found[0][0] = found[0][0] or ONE
    return found


def event_of(matrix: Matrix, most: int | None, separation: int) -> MatrixGaussian:
    entries = tuple(x for t, row in enumerate(matrix) for x in row[: t + 1])
    return MatrixGaussian(ONE, entries, most, separation)


def toeplitz(coefficients: list[Fraction], steps: int) -> Matrix:
    c = [*coefficients, *[Fraction(0)] * steps]
    return [[c[t - i] if t >= i else Fraction(0) for i in range(steps)] for t in range(steps)]


def drawn(random: Random) -> tuple[Matrix, int, int]:
    steps = random.randint(1, 7)
    matrix = random_matrix(random, steps, random.randint(1, steps), signs=random.random() < 0.6)
    return matrix, random.randint(1, 4), random.randint(1, 4)


# ------------------------------------------------------------------------------------ general matrices


@pytest.mark.parametrize("seed", range(60))
def test_the_sensitivity_is_between_what_signs_reach_and_the_triangle_inequality(seed: int) -> None:
    matrix, most, separation = drawn(seeded(seed))
    found = sensitivity(event_of(matrix, most, separation))
    reached, bound = signed(matrix, most, separation), absolute(matrix, most, separation)
    assert found.attained <= reached <= found.squared <= bound
    if found.exact:
        assert found.squared == reached
    if all(product_of(matrix, i, j) >= 0 for i, j in product(range(len(matrix)), repeat=2)):
        assert found.exact


@pytest.mark.parametrize("dimension", [2, 3])
def test_no_unit_vectors_reach_more(dimension: int) -> None:
    random, numbers = np.random.default_rng(dimension), seeded(17 + dimension)
    for _ in range(8):
        matrix, most, separation = drawn(numbers)
        found = sensitivity(event_of(matrix, most, separation))
        assert turned(matrix, most, separation, dimension, random) <= float(found.squared) * (1 + 1e-12)


def test_three_unit_vectors_in_the_plane_reach_more_than_signs() -> None:
    """Inner products that are all negative: directions at 120 degrees beat all signs, and stay below the bound."""
    third, half, none = Fraction(-3, 4), Fraction(-1, 2), Fraction(0)
    matrix = [[ONE, none, none], [third, ONE, none], [half, half, ONE]]
    found = sensitivity(event_of(matrix, None, 1))
    plane = turned(matrix, 3, 1, 2, np.random.default_rng(1))
    assert found.attained == signed(matrix, 3, 1) < plane < found.squared == absolute(matrix, 3, 1)
    assert not found.is_attained


def fresh(event: MatrixGaussian) -> SquaredSensitivity:
    """As if it had not been asked for before."""
    _sensitivity.cache_clear()
    return sensitivity(event)


def test_every_rule_gives_the_same_or_a_looser_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(30):
        matrix, most, separation = drawn(seeded(1000 + seed))
        event = event_of(matrix, most, separation)
        exact = fresh(event)
        with monkeypatch.context() as small:
            small.setattr(participation, "MOST_PATTERNS", 0)
            walked = fresh(event)
            small.setattr(participation, "MOST_WALKS", 0)
            loose = fresh(event)
        reached = signed(matrix, most, separation)
        assert walked.attained <= reached <= exact.squared <= walked.squared <= loose.squared
        assert loose.attained <= reached


def test_the_rule_is_named() -> None:
    dense = [[ONE / (1 + t) if t >= i else 0 * ONE for i in range(6)] for t in range(6)]
    banded = [[ONE if 0 <= t - i < 2 else 0 * ONE for i in range(6)] for t in range(6)]
    cases = [(dense, 1, 1), (dense, None, 1), (dense, 2, 2), (banded, 3, 2)]
    named = [participation.ONE, participation.EVERY, participation.ENUMERATION, participation.ORTHOGONAL]
    assert [sensitivity(event_of(*case)).rule for case in cases] == named
    assert all(sensitivity(event_of(*case)).exact for case in cases)


def test_beyond_the_budget_of_patterns_the_dynamic_programme_bounds() -> None:
    random = seeded(5)
    matrix = random_matrix(random, 40, 40, signs=True)
    event = event_of(matrix, 8, 2)
    found = sensitivity(event)
    assert Pattern.of(40, 8, 2).count() > participation.MOST_PATTERNS
    assert found.rule == participation.DYNAMIC
    value = 0.0
    columns = np.array(matrix, dtype=float)
    for _ in range(2000):
        chosen = sorted(random.sample(range(33), 8))
        chosen = [x + i for i, x in enumerate(chosen)]
        value = max(value, float(np.abs(columns[:, chosen].T @ columns[:, chosen]).sum()))
    assert value <= found.squared
    assert found.attained < found.squared
    positive = event_of([[abs(x) for x in row] for row in matrix], 8, 2)
    assert sensitivity(positive).squared < 2 * sensitivity(positive).attained


# ------------------------------------------------------------------------------------ Toeplitz matrices


@pytest.mark.parametrize("seed", range(40))
def test_a_toeplitz_matrix_has_the_sensitivity_of_its_entries(seed: int) -> None:
    random = seeded(seed)
    steps, most, separation = random.randint(1, 8), random.randint(1, 4), random.randint(1, 4)
    given = [Fraction(random.randint(-4, 6), random.choice((1, 2, 5))) for _ in range(random.randint(1, steps))]
    if seed % 2:
        given = sorted((abs(x) for x in given), reverse=True)
    given[0] = given[0] or ONE
    found = sensitivity(ToeplitzGaussian(ONE, tuple(given), steps, False, most, separation))
    dense = sensitivity(event_of(toeplitz(given, steps), most, separation))
    assert (found.squared, found.attained) == (dense.squared, dense.attained)
    if seed % 2:
        assert found.exact
        assert found.squared == absolute(toeplitz(given, steps), most, separation)


@pytest.mark.parametrize("seed", range(2))
def test_a_toeplitz_matrix_is_one_however_it_is_given(seed: int) -> None:
    """Too many patterns to be looked at: only the rule for Toeplitz matrices is exact."""
    random = seeded(seed)
    given = sorted((Fraction(random.randint(1, 99), 100) for _ in range(40)), reverse=True)
    dense = event_of(toeplitz(given, 40), 6, 3)
    assert Pattern.of(40, 6, 3).count() > participation.MOST_PATTERNS
    assert sensitivity(dense) == sensitivity(ToeplitzGaussian(ONE, tuple(given), 40, False, 6, 3))
    assert sensitivity(dense).rule == participation.TOEPLITZ
    entries = list(dense.matrix)
    entries[-1] += Fraction(1, 100)
    assert sensitivity(replace(dense, matrix=tuple(entries))).rule == participation.DYNAMIC


@pytest.mark.parametrize("seed", range(12))
def test_an_inverse_is_that_of_the_matrix(seed: int) -> None:
    random = seeded(seed)
    steps = random.randint(1, 6)
    given = [ONE * random.choice((1, 2, -3)), *(Fraction(random.randint(-3, 3), 4) for _ in range(steps - 1))]
    event = ToeplitzGaussian(ONE, tuple(given), steps, True, 2, 2)
    matrix, columns = toeplitz(given, steps), []
    for unit in range(steps):  # forward substitution
        column: list[Fraction] = []
        for t in range(steps):
            known = sum((matrix[t][i] * column[i] for i in range(t)), Fraction(0))
            column.append(((t == unit) - known) / matrix[t][t])
        columns.append(column)
    inverse = [[columns[i][t] for i in range(steps)] for t in range(steps)]
    assert sensitivity(event) == sensitivity(ToeplitzGaussian(ONE, tuple(columns[0]), steps, False, 2, 2))
    assert sensitivity(event).squared == sensitivity(event_of(inverse, 2, 2)).squared


def test_the_square_root_of_prefix_sums_is_one() -> None:
    """Its square has ones on and below the diagonal; its sensitivity is that of its entries."""
    coefficients = [ONE]
    for j in range(1, 9):
        coefficients.append(coefficients[-1] * (2 * j - 1) / (2 * j))
    squares = [sum(coefficients[i] * coefficients[t - i] for i in range(t + 1)) for t in range(9)]
    assert squares == [1] * 9
    for bands, most, separation in ((None, 3, 2), (4, 2, 3), (2, None, 4), (9, 1, 1)):
        kept = coefficients[: bands or 9]
        found = sensitivity(PrefixSumSqrt(ONE, 9, bands, most, separation))
        assert found == sensitivity(ToeplitzGaussian(ONE, tuple(kept), 9, False, most, separation))


def test_many_steps_are_enclosed_in_balls() -> None:
    """At the border of what is exact both ways are asked; far beyond, the sum is compared with doubles."""
    exact = sensitivity(PrefixSumSqrt(ONE, 512, None, 5, 100))
    balls = sensitivity(PrefixSumSqrt(ONE, 513, None, 5, 100))
    assert exact.exact
    assert balls.attained < balls.squared
    assert balls.is_attained
    coefficients = np.cumprod(np.concatenate([[1.0], (2 * np.arange(1, 513) - 1) / (2 * np.arange(1, 513))]))
    for found, steps in ((exact, 512), (balls, 513)):
        entries = sum(np.concatenate([np.zeros(100 * i), coefficients[: steps - 100 * i]]) for i in range(5))
        assert float(found.squared) == pytest.approx(float(np.sum(np.square(entries))), rel=1e-12)


# ------------------------------------------------------------------------------------ trees


def tree_value(leaves: int, chosen: tuple[int, ...]) -> int:
    return sum(sum(node.first <= leaf + 1 <= node.last for leaf in chosen) ** 2 for node in nodes(leaves))


def tree_matrix(leaves: int, *, padded: bool) -> list[range]:
    """The nodes as ranges of leaves, by walking down from the root."""
    height = (leaves - 1).bit_length()
    every = [range(first, first + (1 << h)) for h in range(height + 1) for first in range(0, leaves, 1 << h)]
    return [node for node in every if padded or node.stop <= leaves]


@pytest.mark.parametrize("leaves", [1, 2, 3, 5, 8, 11])
@pytest.mark.parametrize("padded", [False, True])
def test_a_tree_has_the_largest_sum_over_all_patterns(leaves: int, *, padded: bool) -> None:
    every = tree_matrix(leaves, padded=padded)
    for most, separation in product((1, 2, 3, 4), (1, 2, 3, 4, 5)):
        known = max(
            sum(sum(leaf in node for leaf in chosen) ** 2 for node in every)
            for chosen in patterns(leaves, most, separation)
        )
        found = tree_sensitivity(leaves, most, separation, padded=padded)
        assert found == SquaredSensitivity(Fraction(known), Fraction(known), found.rule)
        if not padded:
            assert known == max(tree_value(leaves, chosen) for chosen in patterns(leaves, most, separation))


def test_a_large_tree_is_answered_at_once() -> None:
    found = tree_sensitivity(1 << 15, 6, 5000)
    assert found.exact
    assert found.rule == participation.DYNAMIC
    equal_steps = [5000 * i for i in range(6)]
    counted = 0
    for height in range(16):
        held: dict[int, int] = {}
        for leaf in equal_steps:
            held[leaf >> height] = held.get(leaf >> height, 0) + 1
        counted += sum(k * k for node, k in held.items() if (node + 1) << height <= 1 << 15)
    assert counted < found.squared
    many = tree_sensitivity(10**6, 100, 1000)  # too many to be counted one by one
    assert many.attained < many.squared < 1.3 * many.attained


# ------------------------------------------------------------------------------------ values from elsewhere


def test_the_golden_values() -> None:
    one = sensitivity(PrefixSumSqrt(Fraction(2), 8, max_participations=1))
    two = sensitivity(PrefixSumSqrt(Fraction(2), 8, max_participations=2, min_separation=4))
    assert one == SquaredSensitivity(Fraction(7207405, 4194304), Fraction(7207405, 4194304), participation.ONE)
    assert (two.squared, two.attained) == (Fraction(18034413, 4194304),) * 2
    trees = [sensitivity(TreeGaussian(ONE, 8, k, b)) for k, b in ((2, 4), (2, 1), (4, 2))]
    assert [str(tree.squared) for tree in trees] == ["10", "14", "32"]
    assert all(tree.exact for tree in trees)


def test_a_replaced_record_moves_rows_twice_as_far() -> None:
    event = PrefixSumSqrt(Fraction(3), 8, max_participations=2, min_separation=4)
    square = sensitivity(event).squared / 9
    assert [squared_mu(event, a).squared for a in (AddOrRemoveOne, ZeroOut, ReplaceOne)] == [square, square, 4 * square]


# ------------------------------------------------------------------------------------ rounds


@pytest.mark.parametrize("seed", range(20))
def test_rounds_have_the_norms_of_one_groups_columns(seed: int) -> None:
    random = seeded(seed)
    steps, separation = random.randint(2, 9), random.randint(1, 4)
    matrix = random_matrix(random, steps, min(separation, steps), signs=True)
    entries = tuple(x for t, row in enumerate(matrix) for x in row[: t + 1])
    event = MatrixGaussian(ONE, entries, min_separation=separation, rate=Fraction(1, 3))
    norms = [product_of(matrix, i, i) for i in range(steps)]
    groups = [norms[i::separation] for i in range(min(separation, steps))]
    most = [column.squared_norm for column, count in rounds(event) for _ in range(count)]
    least = [c.squared_norm if c.attained is None else c.attained for c, count in rounds(event) for _ in range(count)]
    assert most == [x for t in range(len(groups[0])) if (x := max(group[t] for group in groups if t < len(group)))]
    assert sum(least) == max(map(sum, groups))
    if all(x > 0 for x in norms):
        assert len(most) == -(-steps // separation)


# ------------------------------------------------------------------------------------ planted bugs


def fails(check: object, *arguments: object) -> bool:
    try:
        check(*arguments)  # type: ignore[operator]
    except AssertionError:
        return True
    return False


def test_planted_bug_root_k_for_columns_that_are_not_orthogonal(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(gram: list[list[int]], unit: Fraction, pattern: Pattern) -> SquaredSensitivity:
        square = pattern.most * max(gram[i][i] for i in range(pattern.steps)) * unit
        return SquaredSensitivity(square, square, participation.ORTHOGONAL)

    monkeypatch.setattr("dpref.privacy.events.factorization.of_gram", wrong)
    _sensitivity.cache_clear()
    caught = [fails(test_the_sensitivity_is_between_what_signs_reach_and_the_triangle_inequality, s) for s in range(9)]
    _sensitivity.cache_clear()
    assert any(caught)


def test_planted_bug_a_band_too_many() -> None:
    """Columns b apart of a matrix with b + 1 bands overlap: as orthogonal ones they would count too little."""
    assert of_toeplitz([2, 1, 1], ONE, Pattern.of(6, 2, 2)).squared > 12
    with pytest.raises(InvalidArgumentError, match="number of nonzero diagonals"):
        PrefixSumSqrt(ONE, 8, bands=3, min_separation=2, rate=Fraction(1, 2))
    with pytest.raises(InvalidArgumentError, match="number of nonzero diagonals"):
        ToeplitzGaussian(ONE, (ONE, ONE, ONE), 8, min_separation=2, rate=Fraction(1, 2))
    with pytest.raises(InvalidArgumentError, match="number of nonzero diagonals"):
        MatrixGaussian(ONE, (ONE, ONE, ONE, ONE, ONE, ONE), min_separation=2, rate=Fraction(1, 2))
    gram = [[2, 1, 1], [1, 2, 1], [1, 1, 2]]
    assert of_gram(gram, ONE, Pattern.of(3, 2, 2)).squared == 6


def test_planted_bug_a_separation_that_is_one_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = participation.Pattern.of
    monkeypatch.setattr(participation.Pattern, "of", staticmethod(lambda n, k, b: right(n, k, b + 1)))
    _sensitivity.cache_clear()
    caught = [fails(test_the_sensitivity_is_between_what_signs_reach_and_the_triangle_inequality, s) for s in range(9)]
    _sensitivity.cache_clear()
    assert any(caught)


def test_planted_bug_replace_one_that_is_not_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpref.privacy.events.factorization.ReplaceOne", None)
    assert fails(test_a_replaced_record_moves_rows_twice_as_far)
