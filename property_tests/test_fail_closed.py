"""Every public question about privacy refuses what is no number of its kind: an error, never a guess, never zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpref.errors import BudgetError, DprefError, InvalidArgumentError
from dpref.privacy import accountants, calibration, event_calibration
from dpref.privacy.closed_forms import gaussian
from dpref.privacy.events.expression import parse_event, parse_template
from dpref.privacy.events.ledger import Gaussian, Laplace, Ledger, NonPrivate, Poisson, Repeat
from dpref.privacy.fast import accountant as fast_accountant
from dpref.privacy.fast import point as fast_point
from dpref.privacy.interval import Interval
from dpref.privacy.pld import accountant as loss_distribution
from dpref.privacy.renyi import accountant as renyi_accountant
from dpref.privacy.renyi import curves as renyi_curves
from dpref.privacy.renyi import selection
from dpref.privacy.renyi import variance_reduction as svrg
from dpref.units import AddOrRemoveOne, ReplaceOne
from property_tests.calibration_questions import CALIBRATIONS
from property_tests.curve_questions import CURVES
from property_tests.fail_closed_questions import ACCOUNTANTS, LEDGERS, PLAIN, SAMPLED, THEOREMS
from property_tests.matrix_questions import MATRICES
from property_tests.public_surface import EXEMPT, numeric_parameters, public_names
from property_tests.question import Question
from property_tests.refused_values import TENTH
from property_tests.sampler_questions import SAMPLERS
from tests.effort import part

# A wrong value is wrong at the first look: a few hundred questions of 25 values each, more of them by night.
FEW = settings(max_examples=max(25, settings().max_examples // 20))
QUESTIONS = (*LEDGERS, *ACCOUNTANTS, *THEOREMS, *CALIBRATIONS, *CURVES, *MATRICES, *SAMPLERS)
EVERY = [(question, argument) for question in QUESTIONS for argument in question.wrong]
ASKED = part(EVERY, len(EVERY) // 3)


def refuses(answer: Callable[[], Any]) -> bool:
    """Whether an answer is an error of the library, "no", or an infinite upper end."""
    try:
        found = answer()
    except DprefError:
        return True
    return found is False or (isinstance(found, Interval | float) and upper(found) == math.inf)


def upper(found: Interval | float) -> float:
    """The claim."""
    return found.upper if isinstance(found, Interval) else found


# ------------------------------------------------------------------------------------ every public function


def test_every_public_function_is_asked_or_excused() -> None:
    there, asked = public_names(), {question.name for question in QUESTIONS}
    excused = {name for name in EXEMPT if ":" not in name}
    assert len(asked) == len(QUESTIONS)
    assert asked.isdisjoint(excused)
    assert sorted(there.keys() - asked - excused) == []
    assert sorted((asked | excused) - there.keys()) == []
    assert all(EXEMPT.values())


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=[question.name for question in QUESTIONS])
def test_every_numeric_argument_is_asked(question: Question) -> None:
    arguments = numeric_parameters(public_names()[question.name])
    excused = {name.partition(":")[2] for name in EXEMPT if name.startswith(f"{question.name}:")}
    assert question.wrong
    assert sorted(arguments - question.wrong.keys() - excused) == []


@pytest.mark.slow
@pytest.mark.parametrize("question", part(QUESTIONS, len(QUESTIONS) // 2), ids=lambda question: question.name)
def test_right_arguments_are_answered(question: Question) -> None:
    """Or else the refusals below would say nothing."""
    more = {"delta": TENTH} if question.name in {"accountants.certify", "accountants.survey"} else {}
    assert not refuses(lambda: question.ask(**question.good, **more))


@pytest.mark.slow
@pytest.mark.parametrize(("question", "argument"), ASKED, ids=[f"{x.name}, {argument}" for x, argument in ASKED])
def test_wrong_arguments_are_refused(question: Question, argument: str) -> None:
    @FEW
    @given(question.wrong[argument])
    def refused(value: Any) -> None:
        arguments = {**question.good, argument: value}
        if question.name in {"accountants.certify", "accountants.survey"} and argument not in {"delta", "epsilon"}:
            arguments["delta"] = TENTH
        assert refuses(lambda: question.ask(**arguments)), f"{argument} = {value!r} is answered"

    refused()


# ------------------------------------------------------------------------------------ no noise, no theorem


@given(st.integers(1, 10**4))
def test_no_noise_is_infinite_for_every_accountant(digits: int) -> None:
    ledger = Ledger(Repeat(NonPrivate(), 2), AddOrRemoveOne)
    for outcome in accountants.survey(ledger, delta=Fraction(1, 10**digits)):
        assert outcome.interval is None or outcome.interval.upper == math.inf


def test_an_unsupported_event_is_refused_by_every_specialist() -> None:
    ledger = Ledger(Poisson(Laplace(Fraction(1)), TENTH), ReplaceOne)
    for ask in (
        fast_accountant.epsilon, fast_point.epsilon, gaussian.epsilon, renyi_accountant.epsilon,
        loss_distribution.pld_epsilon, svrg.epsilon,
    ):  # fmt: skip
        with pytest.raises(DprefError):
            ask(ledger, TENTH)


# ------------------------------------------------------------------------------------ beyond what can be certified


@pytest.mark.slow
@FEW
@given(st.integers(60, 5000))
def test_a_delta_below_what_can_be_certified_is_an_error_or_infinite(digits: int) -> None:
    for ask in (fast_accountant.epsilon, fast_point.epsilon):
        try:
            found = ask(SAMPLED, Fraction(1, 10**digits))
        except DprefError:
            continue
        assert upper(found) > 1


@pytest.mark.slow
@FEW
@given(st.integers(1, 40), st.integers(2, 60))
def test_a_grid_with_too_few_cells_is_wider_and_never_lower(cells: int, digits: int) -> None:
    delta = Fraction(1, 10**digits)
    exact = gaussian.epsilon(PLAIN, delta)
    try:
        found = loss_distribution.pld_epsilon(PLAIN, delta, most_cells=cells)
    except DprefError:
        return
    assert found.lower <= exact.upper
    assert found.upper >= exact.lower


@FEW
@given(st.sampled_from(["nan", "inf"]), st.lists(st.sampled_from([2, 3, 8, Fraction(5, 2)]), min_size=1, max_size=3))
def test_a_curve_without_a_bound_gives_none(value: str, orders: Sequence[Fraction]) -> None:
    curve = renyi_curves.RenyiCurve(lambda _: arb(value), tight=False)
    for made in (
        curve,
        curve.repeat(2),
        renyi_curves.compose([curve, curve]),
        selection.select(curve, eta=1, gamma=TENTH),
    ):
        assert refuses(lambda made=made: made.at(orders[0]))  # type: ignore[misc]
        assert refuses(lambda made=made: renyi_curves.renyi_to_epsilon(made, TENTH, orders=orders))  # type: ignore[misc]
        try:
            trivial = renyi_curves.renyi_to_delta(made, 1, orders=orders).upper
        except DprefError:
            continue
        assert trivial == 1


# ------------------------------------------------------------------------------------ calibrations without a solution


@given(st.integers(1, 6), st.sampled_from(["gaussian(1/1000)", "laplace(1/1000)"]))
def test_a_budget_that_no_count_meets_is_an_error(digits: int, step: str) -> None:
    template = parse_template(f"compose({step}, ?)")
    with pytest.raises(BudgetError):
        event_calibration.calibrate(template, epsilon=Fraction(1, 10**digits), delta=TENTH / 1000, adjacency=ReplaceOne)
    event = parse_event("gaussian(1/1000)")
    assert isinstance(event, Gaussian)
    assert calibration.largest_steps(event.noise_multiplier, Fraction(1, 10**digits), TENTH / 1000) == 0


@given(st.integers(320, 700))
def test_noise_beyond_every_double_is_an_error(digits: int) -> None:
    tiny = Fraction(1, 10 ** (2 * digits))
    with pytest.raises(DprefError):
        calibration.zcdp_noise_multiplier(tiny, steps=1)
    with pytest.raises(DprefError):
        calibration.gaussian_noise_multiplier(tiny, tiny, steps=1)


@pytest.mark.slow
def test_no_order_of_variance_reduction_reaches_a_tiny_budget() -> None:
    tiny = Fraction(1, 10**300)
    with pytest.raises(InvalidArgumentError):
        svrg.noise_multiplier(tiny, tiny, steps=1, batch=1, records=9, adjacency=ReplaceOne)
