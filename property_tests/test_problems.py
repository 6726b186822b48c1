"""Losses and their constants, data sets, neighbours: what the formulas say is true of the functions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dpref.errors import InvalidArgumentError
from dpref.geometry.sets import L2Ball, norm, shrink
from dpref.problems.datasets import Dataset, breast_cancer, scale_rows, synthetic
from dpref.problems.erm import ERMProblem, step_size
from dpref.problems.losses import Huber, Logistic, Loss, Squared, exact_lipschitz
from dpref.problems.neighbours import random_neighbour, remove_record, replace_record, worst_case_pair, zero_record
from dpref.reals import BALL, FLOAT, FLOAT_ARRAY, ball, precision
from dpref.terms import TERM
from dpref.units import ADJACENCIES, AddOrRemoveOne, ReplaceOne, ZeroOut
from property_tests.strategies import datasets, fractions, problems

LOSSES: list[Loss] = [Logistic(), Squared(), Huber(Fraction(1, 2)), Huber(Fraction(3))]
numbers = st.integers(-400, 400).map(lambda k: Fraction(k, 64))
labels = st.sampled_from([Fraction(-1), Fraction(1)])


@given(st.sampled_from(LOSSES), numbers, numbers, labels)
def test_value_is_the_integral_of_the_derivative(loss: Loss, s: Fraction, u: Fraction, y: Fraction) -> None:
    """Mean value: between two points the slope of the loss lies between its derivatives there (losses are convex)."""
    if s == u:
        return
    low, high = min(s, u), max(s, u)
    with precision(200):
        slope = (loss.value(BALL, ball(high), ball(y)) - loss.value(BALL, ball(low), ball(y))) / ball(high - low)
        tiny = arb(2) ** -100
        assert loss.derivative(BALL, ball(low), ball(y)) <= slope + tiny
        assert slope <= loss.derivative(BALL, ball(high), ball(y)) + tiny


@given(st.sampled_from(LOSSES), numbers, numbers, labels)
def test_smoothness_and_curvature_bound_the_change_of_the_derivative(
    loss: Loss, s: Fraction, u: Fraction, y: Fraction
) -> None:
    radius = max(abs(s), abs(u), Fraction(1, 64))
    with precision(200):
        change = loss.derivative(BALL, ball(max(s, u)), ball(y)) - loss.derivative(BALL, ball(min(s, u)), ball(y))
        gap, tiny = ball(abs(s - u)), arb(2) ** -100
        assert change <= loss.smoothness(BALL, arb(1)) * gap + tiny
        assert change >= loss.curvature(BALL, arb(1), ball(radius)) * gap - tiny


@given(st.sampled_from(LOSSES), fractions(Fraction(1, 8), Fraction(2)), fractions(Fraction(1, 8), Fraction(4)), labels)
def test_lipschitz_constant_bounds_the_gradient(loss: Loss, r: Fraction, radius: Fraction, y: Fraction) -> None:
    bound = exact_lipschitz(loss, r, radius)
    for s in (-r * radius, -r * radius / 3, Fraction(0), r * radius / 2, r * radius):
        with precision(200):
            slope = loss.derivative(BALL, ball(s), ball(y))
            assert abs(slope) * ball(r) <= ball(bound) + arb(2) ** -100


def test_lipschitz_constants_are_attained_or_approached() -> None:
    assert abs(Squared().derivative(FLOAT, -2.0, 1.0)) == exact_lipschitz(Squared(), Fraction(1), Fraction(2))
    assert abs(Huber(Fraction(1, 2)).derivative(FLOAT, 5.0, 1.0)) == 0.5
    assert abs(Logistic().derivative(FLOAT, -40.0, 1.0)) == 1.0


def test_a_loss_reads_as_a_term() -> None:
    import sympy as sp

    s, y = sp.symbols("s y", real=True)
    assert Squared().derivative(TERM, s, y) == s - y
    assert sp.diff(Squared().value(TERM, s, y), s).expand() == s - y
    gap = sp.diff(sp.log(1 + sp.exp(-y * s)), s) - Logistic().derivative(TERM, s, y)
    assert sp.simplify(gap.rewrite(sp.exp)) == 0


@given(problems(), st.data())
def test_every_record_gradient_is_within_the_bound(problem: ERMProblem, data: st.DataObject) -> None:
    records = data.draw(datasets(problem.n, problem.dimension))
    theta = np.random.default_rng(0).standard_normal(problem.dimension) * 3
    theta = problem.domain.project(FLOAT_ARRAY, theta)
    one = ERMProblem(problem.loss, 1, problem.dimension, clip=problem.clip, domain=problem.domain)
    for i in range(problem.n):
        row = one.mean_gradient(
            FLOAT_ARRAY, theta, one.read(Dataset(records.features[i : i + 1], records.labels[i : i + 1]))
        )
        assert np.linalg.norm(row) <= float(problem.gradient_bound) * (1 + 1e-14)


@given(problems(), st.data())
def test_the_mean_gradient_is_the_gradient_of_the_objective(problem: ERMProblem, data: st.DataObject) -> None:
    if problem.clip is not None:
        return
    records = problem.read(data.draw(datasets(problem.n, problem.dimension)))
    theta = np.random.default_rng(1).standard_normal(problem.dimension) / 2
    gradient = problem.regularised(FLOAT_ARRAY, theta, problem.mean_gradient(FLOAT_ARRAY, theta, records))
    h = 1e-6
    for j in range(problem.dimension):
        shift = np.zeros(problem.dimension)
        shift[j] = h
        up = problem.objective(FLOAT_ARRAY, theta + shift, records)
        down = problem.objective(FLOAT_ARRAY, theta - shift, records)
        assert abs((up - down) / (2 * h) - gradient[j]) < 1e-6


def test_strong_convexity_and_step_size() -> None:
    ball_problem = ERMProblem(Logistic(), 10, 2, ridge=Fraction(1, 10), domain=L2Ball(Fraction(2)))
    assert 0.1 < ball_problem.strong_convexity(Fraction(1)) < 0.1 + 0.25
    assert ERMProblem(Logistic(), 10, 2).strong_convexity(Fraction(1)) == 0
    assert ERMProblem(Squared(), 10, 2, domain=L2Ball(Fraction(1))).strong_convexity(Fraction(1, 4)) == 0.25
    assert step_size(ERMProblem(Logistic(), 10, 2)) == 4.0
    assert step_size(ball_problem) <= Fraction(1) / (Fraction(1, 4) + Fraction(1, 10))


def test_the_real_data_are_what_they_say() -> None:
    data = breast_cancer()
    assert (data.n, data.dimension, int((data.labels == 1).sum())) == (569, 30, 212)
    assert data.rows_within(Fraction(1))
    assert "CC BY 4.0" in data.source
    assert not Dataset(data.features * 1.001, data.labels).rows_within(Fraction(1))


@given(st.integers(1, 5), st.integers(0, 10**6), st.integers(-24, 24), st.sampled_from([-320, -300, 0, 300]))
def test_rows_are_compared_with_their_bound_exactly(d: int, seed: int, units: int, exponent: int) -> None:
    """A row whose squared norm is a few units from the bound's, at every scale."""
    row = np.random.default_rng(seed).standard_normal(d) * 2.0**exponent
    square = sum(Fraction(float(v)) ** 2 for v in row)
    bound = Fraction(float(np.linalg.norm(row)) * (1 + units * 2.0**-53))
    assert Dataset(row[None, :], np.ones(1)).rows_within(bound) == (square <= bound * bound)


@given(st.integers(1, 6), st.integers(1, 6), st.floats(1e-3, 1e6))
def test_scaled_rows_lie_exactly_in_the_unit_ball(n: int, d: int, scale: float) -> None:
    rows = scale_rows(np.random.default_rng(n * 7 + d).standard_normal((n, d)) * scale)
    assert all(sum(Fraction(v) ** 2 for v in row) <= 1 for row in rows)


@given(st.sampled_from(sorted(ADJACENCIES)), st.integers(0, 2**32 - 1))
def test_neighbours_differ_in_one_record(name: str, seed: int) -> None:
    adjacency, data = ADJACENCIES[name], synthetic(7, 3, seed=1)
    neighbour = random_neighbour(data, adjacency, np.random.default_rng(seed))
    pair = worst_case_pair(data, adjacency)
    for first, second in ((data, neighbour), (pair.first, pair.second)):
        if adjacency is AddOrRemoveOne:
            assert second.n == first.n - 1
            continue
        rows = (first.features != second.features).any(axis=1) | (first.labels != second.labels)
        assert rows.sum() <= 1
        if adjacency is ZeroOut:
            changed = np.flatnonzero(rows)
            assert all(not second.features[i].any() for i in changed)


def test_shrink_is_the_projection_onto_the_ball() -> None:
    x = np.array([[3.0, 4.0], [0.3, 0.4]])
    cut = shrink(FLOAT_ARRAY, x, np.asarray(1.0))
    assert norm(FLOAT_ARRAY, cut) == pytest.approx([1.0, 0.5])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dataset(np.zeros((0, 3)), np.zeros(0)),
        lambda: Dataset(np.zeros((2, 3)), np.zeros(3)),
        lambda: Dataset(np.zeros(3), np.zeros(3)),
        lambda: Dataset(np.array([[np.nan]]), np.array([1.0])),
        lambda: Dataset(np.array([[np.inf]]), np.array([1.0])),
        lambda: Dataset(np.array([[1.0]]), np.array([0.0])),
        lambda: Dataset(np.array([["a"]]), np.array([1.0])),
        lambda: Dataset(np.array([[0.5 + 0.5j]]), np.array([1.0])),
        lambda: ERMProblem(Logistic(), 0, 1),
        lambda: ERMProblem(Logistic(), 1, -1),
        lambda: ERMProblem(Logistic(), 1, 1, clip=Fraction(0)),
        lambda: ERMProblem(Logistic(), 1, 1, feature_bound=Fraction(-1)),
        lambda: ERMProblem(Logistic(), 1, 1, ridge=Fraction(-1)),
        lambda: ERMProblem(Squared(), 1, 1),
        lambda: Huber(Fraction(0)),
        lambda: L2Ball(Fraction(0)),
        lambda: ERMProblem(Logistic(), 5, 3).read(synthetic(5, 2, seed=0)),
        lambda: ERMProblem(Logistic(), 5, 3).read(synthetic(9, 3, seed=0)),
        lambda: ERMProblem(Logistic(), 5, 3, feature_bound=Fraction(1, 10)).read(synthetic(5, 3, seed=0)),
        lambda: replace_record(synthetic(5, 2, seed=0), 5, np.zeros(2), 1.0),
        lambda: remove_record(synthetic(5, 2, seed=0), -1),
        lambda: zero_record(synthetic(5, 2, seed=0), 9),
        lambda: synthetic(0, 1, seed=0),
    ],
)
def test_bad_problems_and_data_are_refused(make: object) -> None:
    with pytest.raises(InvalidArgumentError):
        make()  # type: ignore[operator]


def test_the_sensitivity_of_a_mean_depends_on_the_adjacency() -> None:
    problem = ERMProblem(Logistic(), n=50, dimension=2)
    assert problem.sensitivity(ReplaceOne).value == 2 * problem.sensitivity(ZeroOut).value
    assert problem.sensitivity(AddOrRemoveOne).value == problem.sensitivity(ZeroOut).value == Fraction(1, 50)
