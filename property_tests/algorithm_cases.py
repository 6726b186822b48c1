"""Generic properties, each asked of every registered algorithm under each of its adjacencies: of every *case*.

A property is a function of one instance.  `for_every_case` makes a test of it with one parameter set a case, so that a
new algorithm, or a new adjacency of an old one, is asked as soon as it is registered.  A case of which no example
reached the end of the property fails, unless the property excuses it with a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import update_wrapper
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis.errors import Unsatisfiable

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.units import Adjacency
from property_tests.strategies import Instance, instances_of
from tests.effort import WHOLE, runs


class Case(NamedTuple):
    """A registered algorithm under one of its adjacencies."""

    name: str
    adjacency: type[Adjacency]

    def __str__(self) -> str:
        return f"{self.name}-{self.adjacency.name}"


def cases(algorithms: Mapping[str, AnyAlgorithm]) -> tuple[Case, ...]:
    """Return every case of some algorithms."""
    return tuple(Case(name, adjacency) for name in sorted(algorithms) for adjacency in algorithms[name].adjacencies)


CASES: Final = cases(ALGORITHMS)
EXAMPLES: Final = max(runs(10, 3), settings().max_examples // len(CASES))

Body: TypeAlias = Callable[[Instance], None]
Test: TypeAlias = Callable[[Case], None]


@dataclass(frozen=True)
class Property:
    """What is asserted of an instance, and of which instances it says something.

    Attributes:
        body: The assertions.
        where: Whether the property says something of an instance.
        excused: The cases of which no instance can be asked, each with the reason.
        reached: How many examples of each case passed the assertions in this process.
    """

    body: Body
    where: Callable[[Instance], bool]
    excused: Mapping[Case, str]
    reached: Counter[Case] = field(default_factory=Counter)


PROPERTIES: Final[dict[Test, Property]] = {}


def always(_: Instance) -> bool:
    return True


def asks(instance: Instance) -> bool:
    """Whether the plan asks anything: of a run without an answer, what is said of each answer says nothing."""
    return bool(instance.plan.steps > 0)


def for_every_case(
    *,
    where: Callable[[Instance], bool] = always,
    examples: int = EXAMPLES,
    excused: Mapping[Case, str] = MappingProxyType({}),
) -> Callable[[Body], Test]:
    """Return a decorator that makes a test of a property, with the cases as its parameter sets."""

    def made(body: Body) -> Test:
        found = Property(body, where, excused)

        def test(case: Case) -> None:
            before = found.reached[case]

            def asked(instance: Instance) -> None:
                assume(where(instance))
                body(instance)
                found.reached[case] += 1

            # Hypothesis seeds by the name: another stream for each case.
            asked.__name__ = f"{body.__name__}_{case}".replace("-", "_")
            try:
                settings(
                    max_examples=examples,
                    derandomize=settings().derandomize and not WHOLE,
                    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
                )(given(instances_of(*case))(asked))()
            except Unsatisfiable:
                assert case in excused, f"no example of {case} satisfies the assumptions of {body.__name__}"
            reached = found.reached[case] > before
            assert reached or case in excused, f"no example of {case} reached the assertions of {body.__name__}"
            assert not (reached and case in excused), f"{case} is excused, and {body.__name__} can be asked of it"

        update_wrapper(test, body, assigned=("__module__", "__name__", "__qualname__", "__doc__"), updated=())
        vars(test).pop("__wrapped__")  # pytest would read the parameters of the property
        marked: Test = pytest.mark.parametrize("case", CASES, ids=str)(test)
        PROPERTIES[marked] = found
        return marked

    return made


def asked_of(test: Test) -> set[Case]:
    """Return the cases that are the parameter sets of a test, as pytest reads them."""
    marks: list[Any] = getattr(test, "pytestmark", [])
    return {case for mark in marks if mark.name == "parametrize" and mark.args[0] == "case" for case in mark.args[1]}


def failure(test: Test, instance: Instance) -> AssertionError | None:
    """Return what a property asserts in vain of one instance; None where it holds or says nothing."""
    said = PROPERTIES[test]
    if not said.where(instance):
        return None
    try:
        said.body(instance)
    except AssertionError as error:
        return error
    return None
