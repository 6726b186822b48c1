"""Prox operators, the accountant of variance reduction, and its witnesses, over random inputs."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dpref.algorithms import svrg, svrg_plus_plus
from dpref.algorithms.svrg import plan as svrg_plan
from dpref.audit.papers.dp_erm_revisited.witnesses import output_epsilon, transcript_epsilon
from dpref.errors import UnsupportedEventError
from dpref.geometry.prox import NONE, Regulariser
from dpref.mechanisms.variance_reduced import variance_reduced_event, variance_reduced_sensitivity
from dpref.privacy.accountants import accountants, certify
from dpref.privacy.closed_forms.gaussian import gaussian_epsilon
from dpref.privacy.events.ledger import Compose, Event, Gaussian, Ledger, Repeat, VarianceReducedGaussian
from dpref.privacy.renyi import variance_reduction as accountant
from dpref.privacy.renyi.divergences import weak_triangle
from dpref.privacy.renyi.subsampled_gaussian import poisson_divergence
from dpref.privacy.renyi.without_replacement import shifted_mixture, small_shift
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.reals import BALL, BALL_ARRAY, Array, ball, exact, lower, precision, upper
from dpref.units import AddOrRemoveOne, ReplaceOne, ZeroOut
from property_tests.effort import DEAR
from property_tests.strategies import fractions

COORDINATES = st.lists(st.floats(-50, 50).map(lambda x: round(x, 6)), min_size=3, max_size=3)
ETA = BALL_ARRAY.number(Fraction(7, 5))
VERY_SMALL = 1e-30


@st.composite
def regularisers(draw: st.DrawFn) -> Regulariser:
    """Any regulariser."""
    first, second = (draw(st.sampled_from([Fraction(0), Fraction(1, 20)])) for _ in range(2))
    sets = [NONE, Regulariser(radius=Fraction(1)), Regulariser(box=(Fraction(-1, 3), Fraction(1)))]
    return draw(st.sampled_from(sets)) + Regulariser(first, second)


def square(x: Array) -> arb:
    total: arb = (x * x).sum()
    return total


# ------------------------------------------------------------------------------------ prox


@given(regularisers(), COORDINATES, COORDINATES)
def test_prox_is_nonexpansive(r: Regulariser, first: list[float], second: list[float]) -> None:
    """Lemma B.2, in ball arithmetic: only a certified violation fails."""
    with precision(200):
        x, y = BALL_ARRAY.lift(first), BALL_ARRAY.lift(second)
        moved = r.prox(BALL_ARRAY, ETA, x) - r.prox(BALL_ARRAY, ETA, y)
        assert not square(moved) > square(x - y)


def optimal(r: Regulariser, prox: Any, y: Array, other: Array) -> bool:
    r"""Whether $\phi(z)\ge\phi(p)+\frac12\|z-p\|^2$ for $\phi(z)=\frac12\|z-y\|^2+\eta r(z)$: p minimises phi."""
    eta = ETA[()]
    p, z = prox(BALL_ARRAY, ETA, y), r.project(BALL_ARRAY, other)
    at = [square(x - y) / 2 + eta * r.value(BALL_ARRAY, x) for x in (p, z)]
    return not lower(at[0] + square(z - p) / 2 - at[1]) > VERY_SMALL


@given(regularisers(), COORDINATES, COORDINATES)
def test_prox_minimises_its_objective(r: Regulariser, first: list[float], second: list[float]) -> None:
    with precision(200):
        y, z = BALL_ARRAY.lift(first), BALL_ARRAY.lift(second)
        moved = r.prox(BALL_ARRAY, ETA, y)
        assert optimal(r, r.prox, y, z)
        assert optimal(r, r.prox, y, moved + z / 1000)
        assert not square(r.project(BALL_ARRAY, moved) - moved) > VERY_SMALL


@pytest.mark.parametrize(
    "wrong",
    [
        lambda r, o, eta, y: replace(r, l1=2 * r.l1).prox(o, eta, y),
        lambda r, o, eta, y: replace(r, l2=r.l2 / 2).prox(o, eta, y),
        lambda r, o, eta, y: replace(r, radius=None).prox(o, eta, r.project(o, y)),
        lambda r, o, eta, y: r.prox(o, eta / 2, y),
    ],
    ids=["threshold doubled", "division halved", "projected first", "step forgotten"],
)
def test_planted_bug_a_wrong_prox_is_seen(wrong: Any) -> None:
    r = Regulariser(Fraction(1, 2), Fraction(1, 3), radius=Fraction(2))
    rng = np.random.default_rng(0)
    with precision(200):
        points = [BALL_ARRAY.lift(3 * rng.standard_normal(3)) for _ in range(9)]
        right = [r.prox(BALL_ARRAY, ETA, y) for y in points]
        assert not all(optimal(r, partial(wrong, r), y, z) for y, z in zip(points, right, strict=True))


# ------------------------------------------------------------------------------------ lemmas


@given(st.integers(2, 40), fractions(Fraction(1, 1000), Fraction(1)), fractions(Fraction(0), Fraction(3)))
def test_the_lemmas_bound_the_exact_sums(order: int, rate: Fraction, more: Fraction) -> None:
    """Lemmas 6.3a and 6.3b under their own conditions, against the finite sums."""
    if rate == 1:
        rate = Fraction(999, 1000)
    multiplier = Fraction(int((4 * order) ** 0.5) + 1) + more  # 4 alpha s^2 <= 1
    with precision(128):
        exact_sums = [poisson_divergence(Fraction(k), rate, multiplier) for k in (2 * order, 2 * order - 1)]
        shift = 1 / ball(multiplier)
        assert exact_sums[0] < shifted_mixture(BALL, 2 * order, ball(rate), shift)
        together = weak_triangle(BALL, ball(order), *exact_sums)
        assert together < small_shift(BALL, order, ball(rate), shift)


# ------------------------------------------------------------------------------------ the accountant

ANSWERS = st.tuples(st.integers(2, 2000), st.integers(1, 2000), fractions(Fraction(1, 10), Fraction(60)))


def ledger(n: int, answers: int, z: Fraction, batch: int = 1) -> Ledger[ReplaceOne]:
    return Ledger(Repeat(VarianceReducedGaussian(z, batch, n), answers), ReplaceOne)


@pytest.mark.slow
@DEAR
@given(ANSWERS, st.sampled_from([Fraction(1, 100), Fraction(1, 10**8)]))
def test_witnesses_lie_below_the_certified_upper_end(answers: tuple[int, int, Fraction], d: Fraction) -> None:
    n, k, z = answers
    found = accountant.epsilon(ledger(n, k, z), d)
    assert found.lower <= found.upper
    assert transcript_epsilon(n, 1, k, z, d) <= found.upper
    assert output_epsilon(n, z, d) <= accountant.epsilon(ledger(n, 2, z), d).upper


@pytest.mark.slow
@DEAR
@given(ANSWERS, fractions(Fraction(1, 10), Fraction(5)))
def test_more_noise_and_fewer_answers_never_cost_more(answers: tuple[int, int, Fraction], e: Fraction) -> None:
    """The search is not certified to be the best, so a hair is allowed."""
    n, k, z = answers
    here = accountant.delta(ledger(n, k, z), e).upper
    assert accountant.delta(ledger(n, k, 2 * z), e).upper <= here * (1 + 1e-6)
    assert accountant.delta(ledger(n, max(1, k // 2), z), e).upper <= here * (1 + 1e-6)


MANY = st.lists(
    st.builds(
        lambda z, batch, rest: VarianceReducedGaussian(z, batch, batch + rest),
        fractions(Fraction(1), Fraction(60)),
        st.integers(1, 20),
        st.integers(1, 2000),
    )
    | st.builds(Gaussian, fractions(Fraction(1), Fraction(60))),
    min_size=1,
    max_size=4,
)


@pytest.mark.slow
@DEAR
@given(MANY, st.randoms(use_true_random=False))
def test_the_order_of_different_events_does_not_matter(events: list[Event], shuffling: random.Random) -> None:
    """Each event has a choice of its own, which never costs more than to forget that it was sampled."""
    d = Fraction(1, 10**5)
    shuffled = events.copy()
    shuffling.shuffle(shuffled)
    here = accountant.epsilon(Ledger(Compose(tuple(events)), ReplaceOne), d)
    there = accountant.epsilon(Ledger(Compose(tuple(shuffled)), ReplaceOne), d)
    assert math.isclose(here.upper, there.upper, rel_tol=1e-12)
    unsampled = [
        Gaussian(event.noise_multiplier / (Fraction(4, event.batch) - Fraction(2, event.records)))
        if isinstance(event, VarianceReducedGaussian)
        else event
        for event in events
    ]
    assert here.upper <= accountant.epsilon(Ledger(Compose(tuple(unsampled)), ReplaceOne), d).upper * (1 + 1e-12)


@given(ANSWERS, st.data())
def test_every_order_and_split_is_a_valid_bound(answers: tuple[int, int, Fraction], data: st.DataObject) -> None:
    """What is chosen in floats is at most what any single choice gives, evaluated in balls, up to the search's grid."""
    n, _, z = answers
    event = VarianceReducedGaussian(z, 1, n)
    choice = accountant.Choice(data.draw(st.integers(2, 30)), data.draw(st.sampled_from([0.5, 0.9])), "weak-triangle")
    with precision(128):
        sampled = accountant.event_renyi(event, ReplaceOne, choice)
        plain = accountant.event_renyi(event, ReplaceOne, accountant.Choice(choice.order))
        linear = accountant.linear_mu_squared(Ledger(event, ReplaceOne)) * choice.order / 2
        assert lower(sampled) >= float(linear) * (1 - 1e-12)
        assert upper(plain) >= float(linear)


@pytest.mark.slow
@DEAR
@given(
    st.sampled_from([svrg.ALGORITHM, svrg_plus_plus.ALGORITHM]),
    st.integers(2, 300),
    st.integers(1, 4),
    st.integers(1, 40),
    st.sampled_from([Fraction(1, 20), Fraction(1, 10**5), Fraction(1, 10**12)]),
    st.data(),
)
def test_theorem_6_3_the_formula_is_private_in_its_range(
    algorithm: Any, n: int, epochs: int, inner: int, d: Fraction, data: st.DataObject
) -> None:
    """Eqs. (3) and (6) with the proved constants, anywhere in the range, judged by the accountant."""
    batch = data.draw(st.integers(1, n))
    counted = epochs * inner if algorithm is svrg.ALGORITHM else 2**epochs * inner
    most = min(Fraction(7 * batch**2 * counted, n**2), Fraction(599, 100))
    params = svrg_plan.Params(
        most * data.draw(fractions(Fraction(1, 50), Fraction(1))),
        d,
        epochs,
        inner,
        data.draw(st.sampled_from([ReplaceOne, ZeroOut])),
        calibration="formula",
        batch=batch,
    )
    if params.epsilon > Fraction(599, 100) or (d == Fraction(1, 20) and params.epsilon > Fraction(299, 50)):
        return
    plan = algorithm.plan(ERMProblem(Logistic(), n=n, dimension=2), params)
    assert certify(algorithm.ledger(plan), epsilon=params.epsilon, accountant="variance-reduced").upper <= d


@given(ANSWERS)
def test_other_accountants_refuse_the_event(answers: tuple[int, int, Fraction]) -> None:
    spent = ledger(*answers)
    for other in accountants():
        if other.name in {"variance-reduced", "fast-curves", "pld"} or (other.single and answers[1] == 1):
            assert other.refused(spent) == ()
            continue
        assert other.refused(spent)
        for ask, at in ((other.epsilon, Fraction(1, 100)), (other.delta, Fraction(1))):
            with pytest.raises(UnsupportedEventError):
                ask(spent, at)
    with pytest.raises(UnsupportedEventError):
        certify(Ledger(spent.event, AddOrRemoveOne), epsilon=1)


@pytest.mark.slow
@DEAR
@given(fractions(Fraction(1), Fraction(20)), st.integers(1, 50))
def test_plain_gaussians_are_accounted_as_gaussians(z: Fraction, k: int) -> None:
    """Alone, the Renyi bound lies above the exact value; beside a variance-reduced event both count."""
    d = Fraction(1, 10**6)
    exact_value = gaussian_epsilon(k / z**2, d)
    found = accountant.epsilon(Ledger(Repeat(Gaussian(z), k), ReplaceOne), d)
    assert found.lower <= exact_value.upper
    assert exact_value.lower <= found.upper <= 1.5 * exact_value.upper + 0.1
    both = Ledger(Compose((Repeat(Gaussian(z), k), VarianceReducedGaussian(z, 1, 10))), ReplaceOne)
    assert accountant.epsilon(both, d).upper > found.upper


@given(st.integers(1, 30), st.integers(1, 30), fractions(Fraction(1, 10), Fraction(3)))
def test_with_the_whole_data_the_answer_is_a_gaussian_of_sensitivity_two_g_over_n(b: int, n: int, g: Fraction) -> None:
    batch, records = min(b, n), max(b, n)
    declared = variance_reduced_sensitivity(g, batch, records, ReplaceOne).value
    assert declared == 4 * g / batch - 2 * g / records
    whole = variance_reduced_event(g, records, records, 2.0, ReplaceOne)
    assert whole == Gaussian(exact(2.0) * records / (2 * g))
