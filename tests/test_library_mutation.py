"""A sample of the library's mutants is killed, and the run itself cannot be fooled."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpref.algorithms.dynamic_gradient_descent import schedules as budget
from dpref.privacy.closed_forms import conversions
from dpref.reals import FLOAT
from property_tests.library_mutants import changes, constants, engine, equivalent, fresh, scope, trial

ROOT = Path(__file__).parents[1]
MODULE = "dpref.privacy.closed_forms.conversions"


def example() -> bool:
    return conversions.zcdp_epsilon(FLOAT, 0.5, 8.0) == 4.5


def mutant_of(function: str, change: str) -> changes.Mutant:
    return next(m for m in changes.mutants(MODULE) if m.function == function and m.change.startswith(change))


def judged(mutant: changes.Mutant, killer: Callable[[], bool | None]) -> tuple[str, str]:
    engine.ready()
    who = {"example": killer}
    outcome = engine.in_child(lambda: engine.first_that_fails(mutant, ["example"], who, [1.0]), 10)
    assert outcome.value is not None
    killer_name, how = outcome.value
    return killer_name, how


@pytest.mark.slow
def test_a_sample_of_the_mutants_is_killed() -> None:
    command = [sys.executable, "-m", "property_tests.library_mutants", "--sample", "4", "--seed", "9"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all: 4 of 4 killed" in done.stdout


@pytest.mark.slow
def test_a_killer_that_fails_is_named() -> None:
    assert judged(mutant_of("zcdp_epsilon", "2 -> 4"), example) == ("example", "fails")


@pytest.mark.slow
def test_planted_bug_a_killer_that_cannot_fail_kills_nothing() -> None:
    assert judged(mutant_of("zcdp_epsilon", "2 -> 4"), lambda: True) == ("", "survives")


def test_planted_bug_a_change_of_another_function_is_not_killed_by_chance() -> None:
    assert judged(mutant_of("pure_zcdp", "2 -> 4"), example) == ("", "survives")


@pytest.mark.slow
def test_a_killer_without_an_end_is_stopped() -> None:
    def endless() -> bool:
        while True:
            pass

    assert judged(mutant_of("pure_zcdp", "2 -> 4"), endless) == ("example", "time")


def test_a_mutant_stays_in_its_child() -> None:
    judged(mutant_of("zcdp_epsilon", "2 -> 4"), example)
    assert example()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("2 * x", {"2 -> 4", "2 -> 3", "2 -> 1", "Mult -> Div"}),
        ("x / 9", {"9 -> 18", "9 -> 10", "9 -> 8", "9 -> 3", "Div -> Mult"}),
        ("0.25 + x", {"0.25 -> 0.5", "0.25 -> 0.125", "0.25 -> 1.25", "0.25 -> -0.75", "Add -> Sub"}),
        ("x < y", {"Lt -> LtE", "Lt -> Gt"}),
        ("o.sqrt(x)", {"drop sqrt"}),
        ("upper(x)", {"upper -> lower"}),
        ("math.nextafter(x, -math.inf)", {"USub -> UAdd"}),
        ("a and not b", {"And -> Or", "drop not"}),
        ("True", set()),
    ],
)
def test_the_changes_of_an_expression(source: str, expected: set[str]) -> None:
    tree = ast.parse(source)
    words = {w for node, _, _ in changes.sites(tree) for w, _ in changes.variants(node)}
    assert words == expected


@pytest.mark.slow
def test_every_change_differs_from_the_text_and_from_every_other() -> None:
    found = changes.mutants(MODULE)
    texts = [ast.unparse(changes.changed(m)) for m in found]
    assert len(set(texts)) == len(texts) > 50
    assert ast.unparse(changes.parsed(MODULE)) not in texts


def test_a_default_is_changed_by_importing_the_library_anew() -> None:
    doubled = next(m for m in changes.mutants("dpref.units") if m.at_import and m.function == "PrivacyLoss")
    assert not constants.is_plain(doubled)
    killer = "example dpref.units.PrivacyLoss"
    assert engine.in_child(lambda: fresh.first_that_fails(doubled, [killer]), 60).value == [killer, "fails"]


@pytest.mark.slow
def test_a_constant_is_changed_wherever_it_was_imported_to() -> None:
    halved = next(m for m in changes.mutants("dpref.checks") if m.change.startswith("1000000 -> 500000"))
    assert constants.is_plain(halved)
    assert vars(budget)["MOST_IN_A_PLAN"] == 10**6

    def example() -> bool:
        return bool(vars(budget)["MOST_IN_A_PLAN"] == 10**6)

    assert judged(halved, example) == ("example", "fails")
    assert example()


def test_the_scope_names_modules_that_exist() -> None:
    there = set(scope.library_modules())
    assert set(scope.OUTSIDE) <= there
    assert {m for m in there if not scope.decides_privacy(m)} == set(scope.UTILITY)
    assert not set(scope.OUTSIDE) & set(scope.modules())


@pytest.fixture(scope="module")
def all_mutants() -> set[str]:
    return {f"{m.name}: {m.change}" for module in scope.modules() for m in changes.mutants(module)}


@pytest.mark.slow
def test_every_function_whose_killers_are_recorded_has_mutants_today(all_mutants: set[str]) -> None:
    there = {":".join(m.split(":")[:2]) for m in all_mutants}
    assert set(trial.known().killers) - there == set()


@pytest.mark.slow
def test_no_mutant_that_decides_privacy_is_known_to_survive(all_mutants: set[str]) -> None:
    survivors = [s for s in trial.known().survivors if s in all_mutants]
    assert not [s for s in survivors if scope.decides_privacy(s.partition(":")[0])]
    assert len(survivors) <= 0.01 * len(all_mutants)


@pytest.mark.parametrize("entry", equivalent.LIST, ids=lambda e: e.function)
def test_an_entry_of_the_equivalent_changes_is_about_a_change_of_today(entry: equivalent.Equivalent) -> None:
    assert any(equivalent.listed(m) is entry for module in scope.modules() for m in changes.mutants(module))


@pytest.mark.slow
def test_planted_bug_a_real_change_listed_as_equivalent_is_seen() -> None:
    values = equivalent.Equivalent("*", ("*",), "none", lambda: [conversions.zcdp_epsilon(FLOAT, 0.5, 8.0)])
    replay = equivalent.Equivalent("*", ("*",), "none")
    wrong, elsewhere = mutant_of("zcdp_epsilon", "2 -> 4"), mutant_of("pure_zcdp", "2 -> 4")
    engine.ready()

    def holds(mutant: changes.Mutant, entry: equivalent.Equivalent) -> object:
        who = {"example": example}
        return engine.in_child(lambda: equivalent.checked(mutant, entry, ["example"], who, {}), 10).value

    assert holds(wrong, values) is False
    assert holds(elsewhere, values) is True
    assert holds(wrong, replay) is False
    assert holds(elsewhere, replay) is False, "a function that nothing calls is not shown to be the same"


def test_who_executes_what_is_what_runs() -> None:
    passed, where = engine.executed(example, 1.0)
    assert passed
    assert [name for _, name, _ in where] == ["zcdp_epsilon"]
