"""Coverage: every generic property is asked of every registered algorithm under each of its adjacencies."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from dpref.algorithms.declaration import AnyAlgorithm
from dpref.algorithms.registry import ALGORITHMS
from dpref.units import ADJACENCIES, ReplaceOne, ZeroOut
from property_tests import test_algorithms, test_budgets, test_running
from property_tests.algorithm_cases import CASES, PROPERTIES, Case, Test, asked_of, failure, for_every_case
from property_tests.small_instances import small_instances
from property_tests.strategies import Instance

ROOT = Path(__file__).parents[1]
MODULES = (test_algorithms, test_budgets, test_running)
OF_MODULES = [test for test in PROPERTIES if test.__module__ in {module.__name__ for module in MODULES}]


def left_out(test: Test, algorithms: Mapping[str, AnyAlgorithm]) -> set[str]:
    """Return the registered cases that a property is not asked of."""
    registered = {Case(name, adjacency) for name, of in algorithms.items() for adjacency in of.adjacencies}
    return {str(case) for case in registered - asked_of(test)}


@pytest.mark.parametrize("test", OF_MODULES, ids=lambda test: test.__name__)
def test_a_property_is_asked_of_every_registered_case(test: Test) -> None:
    assert left_out(test, ALGORITHMS) == set()
    assert all(PROPERTIES[test].excused.values())


def test_the_properties_are_found() -> None:
    """Those of the modules named here are all that were made, and the registry has as many cases as it declares."""
    modules = {test.__module__ for test in PROPERTIES} - {__name__}
    assert modules == {module.__name__ for module in MODULES}
    assert len(OF_MODULES) >= 13
    assert len(CASES) == sum(len(algorithm.adjacencies) for algorithm in ALGORITHMS.values())


# ------------------------------------------------------------------------------------ how a case could be lost


def lost_by(text: str) -> Iterator[str]:
    """Yield what in a module could leave a case out in silence.

    An algorithm is drawn outside of `for_every_case`, or the cases of a test are chosen by what an object happens to
    have, or a property returns before it asserts anything.
    """
    for node in ast.parse(text).body:
        decorators = getattr(node, "decorator_list", [])
        chosen = decorators if isinstance(node, ast.FunctionDef | ast.ClassDef) else [node]
        yield from (
            f"line {call.lineno}: {name}"
            for part in chosen
            for call in ast.walk(part)
            if isinstance(call, ast.Call) and (name := ast.unparse(call.func)) in {"hasattr", "instances_of"}
        )
        if any("for_every_case" in ast.unparse(decorator) for decorator in decorators):
            returns = (inner for inner in ast.walk(node) if isinstance(inner, ast.Return))
            yield from (f"line {inner.lineno}: return" for inner in returns)


def test_no_case_is_lost_by_how_tests_choose() -> None:
    paths = [path for folder in ("tests", "property_tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {path.name: list(lost_by(path.read_text("utf-8"))) for path in paths}
    assert {name: lost for name, lost in found.items() if lost} == {}


# ------------------------------------------------------------------------------------ planted bugs


def test_planted_bug_a_further_adjacency_that_no_property_is_asked_of_is_seen() -> None:
    name = next(name for name, of in ALGORITHMS.items() if len(of.adjacencies) < len(ADJACENCIES))
    (further, *_) = set(ADJACENCIES.values()) - set(ALGORITHMS[name].adjacencies)
    more = {**ALGORITHMS, name: replace(ALGORITHMS[name], adjacencies=(*ALGORITHMS[name].adjacencies, further))}
    assert {str(lost) for test in OF_MODULES for lost in left_out(test, more)} == {f"{name}-{further.name}"}
    assert {str(lost) for lost in left_out(OF_MODULES[0], {**more, "new": ALGORITHMS["svrg"]})} == {
        f"{name}-{further.name}",
        *(f"new-{adjacency.name}" for adjacency in ALGORITHMS["svrg"].adjacencies),
    }


def made(*, hidden: str = "", excused: Mapping[Case, str] = MappingProxyType({})) -> Test:
    """Return a property that says nothing of one algorithm."""

    @for_every_case(where=lambda instance: instance.algorithm.name != hidden, excused=excused)
    def holds(instance: Instance) -> None:
        assert instance.plan.steps >= 0

    return holds


@pytest.fixture(autouse=True)
def no_property_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = dict(PROPERTIES)
    yield
    PROPERTIES.clear()
    PROPERTIES.update(before)


def test_planted_bug_a_property_that_filters_a_case_out_fails_there() -> None:
    case, other = Case("gradient-descent", ReplaceOne), Case("gradient-descent", ZeroOut)
    found = made(hidden="gradient-descent")
    found(Case("svrg", ZeroOut))
    with pytest.raises(AssertionError, match="no example of gradient-descent-replace-one"):
        found(case)
    excused = made(hidden="gradient-descent", excused={case: "a reason"})
    excused(case)
    with pytest.raises(AssertionError, match="no example"):
        excused(other)


def test_planted_bug_an_excuse_that_is_not_needed_fails() -> None:
    case = Case("gradient-descent", ReplaceOne)
    with pytest.raises(AssertionError, match="is excused, and holds can be asked of it"):
        made(excused={case: "a reason"})(case)


def test_planted_bug_a_property_that_never_runs_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypothesis gives no example where its phases leave them out, and says nothing."""
    monkeypatch.setattr("property_tests.algorithm_cases.given", lambda _: lambda _: lambda: None)
    with pytest.raises(AssertionError, match="no example"):
        made()(Case("gradient-descent", ReplaceOne))


def test_the_examples_reach_the_assertions() -> None:
    found, case = made(), Case("gradient-descent", ReplaceOne)
    found(case)
    assert PROPERTIES[found].reached[case] >= 3
    assert failure(found, small_instances(case)[0]) is None


@pytest.mark.parametrize(
    "text",
    [
        '@pytest.mark.parametrize("name", [name for name in ALGORITHMS if hasattr(examples, name)])\ndef test_it(): 0',
        "EVERY = [name for name in sorted(ALGORITHMS) if hasattr(examples, name)]",
        '@given(instances_of("svrg", ReplaceOne))\ndef test_it(instance): 0',
        "@for_every_case()\ndef test_it(instance):\n    if not instance.plan.steps:\n        return\n    assert 0",
    ],
)
def test_planted_bug_a_case_that_is_lost_by_how_a_test_chooses_is_seen(text: str) -> None:
    assert len(list(lost_by(text))) == 1
