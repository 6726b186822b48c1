"""Typed quantities at run time: exact values, and the same refusals that the types make before the run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from dpref.algorithms.gradient_descent.plan import Params, plan
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.problems.erm import ERMProblem
from dpref.problems.losses import Logistic
from dpref.units import (
    ADJACENCIES,
    GDP,
    L1,
    L2,
    ZCDP,
    AddOrRemoveOne,
    Adjacency,
    ApproximateDP,
    Linf,
    Measure,
    Norm,
    PrivacyLoss,
    PureDP,
    ReplaceOne,
    Sensitivity,
    ZeroOut,
    adjacency_named,
    differing_records,
)

NOT_EXACT: tuple[Any, ...] = (0.5, math.nan, math.inf, True, "1/2", None, Fraction(-1, 2), -1)


@pytest.mark.parametrize("value", NOT_EXACT)
def test_a_sensitivity_is_an_exact_non_negative_number(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="sensitivity"):
        Sensitivity(value, L2, ReplaceOne)


@pytest.mark.parametrize("value", NOT_EXACT)
def test_a_privacy_loss_is_an_exact_non_negative_number(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="privacy loss"):
        PrivacyLoss(value, ZCDP, ReplaceOne)
    with pytest.raises(InvalidArgumentError, match="delta"):
        PrivacyLoss(Fraction(1), ApproximateDP, ReplaceOne, value)


def test_sensitivities_add_and_scale_exactly() -> None:
    third = Sensitivity(Fraction(1, 3), L2, ZeroOut)
    assert (third + third + third).value == 1
    assert third.scale(Fraction(-3, 7)).value == Fraction(1, 7)
    assert third.scale(0).value == 0
    assert third.scale(2) == Sensitivity(Fraction(2, 3), L2, ZeroOut)


def test_losses_add_exactly_and_so_do_their_deltas() -> None:
    tenth = PrivacyLoss(Fraction(1, 10), ApproximateDP, ReplaceOne, Fraction(1, 10**6))
    assert tenth + tenth + tenth == PrivacyLoss(Fraction(3, 10), ApproximateDP, ReplaceOne, Fraction(3, 10**6))


@pytest.mark.parametrize("measure", [PureDP, ZCDP, GDP])
def test_only_approximate_differential_privacy_has_a_delta(measure: type[Measure]) -> None:
    with pytest.raises(InvalidArgumentError, match="delta"):
        PrivacyLoss(Fraction(1), measure, ReplaceOne, Fraction(1, 100))


@pytest.mark.parametrize(("norm", "adjacency"), [(L1, ReplaceOne), (Linf, ReplaceOne), (L2, ZeroOut)])
def test_sensitivities_of_two_kinds_do_not_add(norm: type[Norm], adjacency: type[Adjacency]) -> None:
    left: Sensitivity[Any, Any] = Sensitivity(Fraction(1), L2, ReplaceOne)
    right: Sensitivity[Any, Any] = Sensitivity(Fraction(1), norm, adjacency)
    with pytest.raises(InvalidArgumentError, match="one norm and one adjacency"):
        left + right


@pytest.mark.parametrize(("measure", "adjacency"), [(GDP, ReplaceOne), (PureDP, ReplaceOne), (ZCDP, AddOrRemoveOne)])
def test_losses_of_two_kinds_do_not_add(measure: type[Measure], adjacency: type[Adjacency]) -> None:
    left: PrivacyLoss[Any, Any] = PrivacyLoss(Fraction(1), ZCDP, ReplaceOne)
    right: PrivacyLoss[Any, Any] = PrivacyLoss(Fraction(1), measure, adjacency)
    with pytest.raises(InvalidArgumentError, match="one measure and one adjacency"):
        left + right


def test_quantities_are_frozen_and_hashable() -> None:
    one: Sensitivity[Any, Any] = Sensitivity(Fraction(1), L2, ReplaceOne)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.value = Fraction(0)  # type: ignore[misc]
    assert {one, Sensitivity(Fraction(2, 2), L2, ReplaceOne)} == {one}
    assert one != Sensitivity(Fraction(1), L2, ZeroOut)
    assert one != Sensitivity(Fraction(1), L1, ReplaceOne)


def test_every_adjacency_has_its_own_name_and_says_what_it_is() -> None:
    assert set(ADJACENCIES) == {"replace-one", "add-or-remove-one", "zero-out"}
    for name, adjacency in ADJACENCIES.items():
        assert adjacency_named(name) is adjacency
        assert adjacency.description
    with pytest.raises(TypeError):
        ADJACENCIES["swap"] = ReplaceOne  # type: ignore[index]


@pytest.mark.parametrize("name", ["", "replace", "ReplaceOne", "swap-two"])
def test_an_unknown_adjacency_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="replace-one, add-or-remove-one, zero-out"):
        adjacency_named(name)


def test_there_is_no_default_adjacency() -> None:
    for kind in (Sensitivity, PrivacyLoss):
        fields = {field.name: field for field in dataclasses.fields(kind)}
        assert fields["adjacency"].default is dataclasses.MISSING
        assert fields["adjacency"].default_factory is dataclasses.MISSING


NOT_AN_ADJACENCY: tuple[Any, ...] = ("replace-one", None, Adjacency, ReplaceOne(), 2, type("Mine", (Adjacency,), {}))


@pytest.mark.parametrize("adjacency", NOT_AN_ADJACENCY)
def test_an_adjacency_that_is_none_of_the_three_is_refused_and_not_taken_for_the_cheaper(adjacency: Any) -> None:
    """The sensitivity under replace-one is twice the others': a slip must not halve the noise."""
    problem = ERMProblem(Logistic(), n=6, dimension=2)
    makers: tuple[Callable[[], object], ...] = (
        lambda: Sensitivity(Fraction(1), L2, adjacency),
        lambda: PrivacyLoss(Fraction(1), ZCDP, adjacency),
        lambda: Ledger(Gaussian(Fraction(1)), adjacency),
        lambda: differing_records(adjacency),
        lambda: problem.sensitivity(adjacency),
        lambda: plan(problem, Params(Fraction(1), Fraction(1, 1000), 4, adjacency)),
    )
    for make in makers:
        with pytest.raises(InvalidArgumentError, match=r"adjacency = .*must be ReplaceOne, AddOrRemoveOne or ZeroOut"):
            make()


@pytest.mark.parametrize("tag", ["l2", None, ReplaceOne, L2(), 2])
def test_norms_and_measures_are_tags(tag: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="norm"):
        Sensitivity(Fraction(1), tag, ReplaceOne)
    with pytest.raises(InvalidArgumentError, match="measure"):
        PrivacyLoss(Fraction(1), tag, ReplaceOne)
