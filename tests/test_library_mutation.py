"""A sample of the library's mutants is killed, and the run itself cannot be fooled."""

from __future__ import annotations

import ast
import fnmatch
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpref.algorithms.dynamic_gradient_descent import schedules as budget
from dpref.errors import PrecisionError
from dpref.privacy.closed_forms import conversions
from dpref.reals import FLOAT
from property_tests.library_mutants import (
    changes,
    constants,
    effort,
    effort_entries,
    engine,
    entries,
    equivalent,
    fresh,
    killers,
    record,
    scope,
    score,
    trial,
)
from property_tests.library_mutants.entry import Equivalent
from property_tests.library_mutants.equivalent_values import Valid

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
    command = [sys.executable, "-m", "property_tests.library_mutants", "--again", "4", "--seed", "9"]
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
        ("_log.info('%.2f s', 2 * x)", set()),
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
    assert set(scope.UTILITY) <= {m for m in scope.modules() if not scope.decides_privacy(m)}
    assert not set(scope.OUTSIDE) & set(scope.modules())


def test_instances_to_begin_with_are_left_out_and_nothing_that_is_mutated_reads_them() -> None:
    left_out = {m for m in scope.library_modules() if scope.is_instances(m)}
    assert {"dpref.algorithms.examples", "dpref.problems.examples"} <= left_out
    assert not left_out & set(scope.modules())
    assert {m: those for m in scope.modules() if (those := scope.imports(m) & left_out)} == {}
    called = [f"{m}:{f}" for m in scope.modules() for f in calling(changes.parsed(m), "examples")]
    assert called == [], "instances read by what is mutated"
    assert calling(ast.parse("def plan(a):\n    return a.examples(1)[0]"), "examples") == ["plan"]


def calling(tree: ast.AST, name: str) -> list[str]:
    """The functions of another name that call one of this name."""
    return [
        f.name
        for f in ast.walk(tree)
        if isinstance(f, ast.FunctionDef) and f.name != name
        for call in ast.walk(f)
        if isinstance(call, ast.Call) and name in (getattr(call.func, "attr", ""), getattr(call.func, "id", ""))
    ]


def test_a_promise_of_the_risk_decides_privacy_if_something_that_does_imports_it() -> None:
    deciding = {m for m in scope.modules() if scope.decides_privacy(m)}
    risk = set(scope.modules()) - deciding - set(scope.UTILITY)
    assert "dpref.algorithms.boosted_mirror_descent.utility" in risk
    assert "dpref.algorithms.noisy_gradient_descent.utility" in deciding, "a stage's target rests on its tail bound"
    assert {m: those for m in deciding if (those := scope.imports(m) & risk)} == {}


@pytest.fixture(scope="module")
def all_mutants() -> set[str]:
    return {f"{m.name}: {m.change}" for module in scope.modules() for m in changes.mutants(module)}


def test_a_sample_is_drawn_from_judged_and_unjudged_mutants_alike() -> None:
    everything = {m.name: [n for n in changes.mutants(MODULE) if n.name == m.name] for m in changes.mutants(MODULE)}
    some = score.drawn(everything, 10, seed=3)
    assert sum(map(len, some.values())) == 10
    assert some == score.drawn(everything, 10, seed=3) != score.drawn(everything, 10, seed=4)
    assert score.drawn(everything, 0, seed=3) == everything
    ever = {m for seed in range(200) for those in score.drawn(everything, 10, seed).values() for m in those}
    assert ever == set(changes.mutants(MODULE))


def line_of(mutant: changes.Mutant, how: str) -> score.Line:
    return {"mutant": mutant.name, "change": mutant.change, "how": how, "killer": "example x", "seconds": 0.0}


def test_a_sample_prints_the_exact_interval_of_the_score(capsys: pytest.CaptureFixture[str]) -> None:
    mutants = changes.mutants(MODULE)
    lines = [line_of(m, "fails") for m in mutants[:50]] + [line_of(mutants[50], "equivalent")]
    assert score.summary(lines, 1.0, mutants) == 0
    # of 50 that are all noticed, the lower end is the 50th root of 0.025
    assert (
        f"  of {len(mutants)} mutants: {100 * 0.025**0.02:.2f} to 100.00 % at 95 % confidence"
        in capsys.readouterr().out
    )
    lines[0] = line_of(mutants[0], "survives")
    assert score.summary(lines, 1.0, mutants) == 1
    assert "49 of 50 killed = 98.00 %, 1 more are equivalent\n  of" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("how", "narrow", "kept"), [("fails", True, True), ("survives", True, False), ("survives", False, True)]
)
def test_survivors_are_remembered_only_where_everything_tried_to_kill_them(how: str, narrow: bool, kept: bool) -> None:
    mutants = [m for m in changes.mutants(MODULE) if m.function == "zcdp_epsilon"]
    lines = [line_of(m, "fails") for m in mutants[1:]] + [line_of(mutants[0], how)]
    everything = {mutants[0].name: mutants}
    assert (score.whole(lines, everything, narrow=narrow) == lines) is kept
    assert score.whole(lines[1:], everything, narrow=narrow) == [], "a function of which one mutant was not judged"


def test_killers_can_be_those_of_some_files_only() -> None:
    assert killers.test_files(["tests/test_u*.py"]) == ["tests/test_units.py"]
    with pytest.raises(ValueError, match="must name test files"):
        killers.test_files(["tests/test_nowhere.py"])


def test_of_the_cases_of_a_test_some_are_recorded_and_the_others_taken_to_be_alike() -> None:
    names = [f"test tests/test_a.py::test[{i}]" for i in range(9)]
    assert record.few([*names, "example a"], 3) == [names[0], names[3], names[6], "example a"]
    assert record.few(names, 0) == names
    found = {names[0]: (0.1, ["f"]), names[3]: (0.2, []), "example a": (0.1, ["h"])}
    assert record.like_the_others(found, [names[0], names[1], "example b"]) == {names[1]: (0.2, ["f"])}


def test_a_default_is_tried_against_the_examples_of_its_module() -> None:
    doubled = next(m for m in changes.mutants("dpref.units") if m.at_import and m.function == "PrivacyLoss")
    examples = ["example dpref.units.PrivacyLoss", "example dpref.units_of.else"]
    known = record.Record(dict.fromkeys(examples, 0.1), {})
    assert trial.Trial(dict.fromkeys(examples, example), known).order(doubled) == examples[:1]


@pytest.mark.slow
def test_a_constant_is_tried_against_the_obligations_and_tests_that_mention_it() -> None:
    able, other = "goal fast-path/vector-exponential", "goal zcdp/post-processing"
    here = "test tests/test_library_mutation.py::test_a_killer"  # this file names it too: EXP_ERROR
    assert killers.mentioning(["EXP_ERROR"], [able, other, here, "example dpref.units"]) == {able, here}


@pytest.mark.slow
def test_every_function_whose_killers_are_recorded_has_mutants_today(all_mutants: set[str]) -> None:
    there = {":".join(m.split(":")[:2]) for m in all_mutants}
    assert set(trial.known().killers) - there == set()


@pytest.mark.slow
def test_no_mutant_that_decides_privacy_is_known_to_survive(all_mutants: set[str]) -> None:
    survivors = [s for s in trial.known().survivors if s in all_mutants]
    assert not [s for s in survivors if scope.decides_privacy(s.partition(":")[0])]
    assert len(survivors) <= 0.01 * len(all_mutants)


@pytest.mark.parametrize("entry", entries.LIST, ids=lambda e: e.function)
def test_an_entry_of_the_equivalent_changes_is_about_a_change_of_today(entry: Equivalent) -> None:
    assert any(equivalent.listed(m) is entry for module in scope.modules() for m in changes.mutants(module))


@pytest.mark.slow
def test_planted_bug_a_real_change_listed_as_equivalent_is_seen() -> None:
    values = Equivalent("*", ("*",), "none", lambda: [conversions.zcdp_epsilon(FLOAT, 0.5, 8.0)])
    replay = Equivalent("*", ("*",), "none")
    wrong, elsewhere = mutant_of("zcdp_epsilon", "2 -> 4"), mutant_of("pure_zcdp", "2 -> 4")
    engine.ready()

    def holds(mutant: changes.Mutant, entry: Equivalent) -> object:
        who = {"example": example}
        return engine.in_child(lambda: equivalent.checked(mutant, entry, ["example"], who, {}), 10).value

    assert holds(wrong, values) is False
    assert holds(elsewhere, values) is True
    assert holds(wrong, replay) is False
    assert holds(elsewhere, replay) is False, "a function that nothing calls is not shown to be the same"


def test_every_entry_of_effort_is_about_a_change_of_today_and_names_whole_statements() -> None:
    there = [
        m for module in scope.modules() if module.startswith("dpref.privacy.fast") for m in changes.mutants(module)
    ]

    def is_about_one(entry: Equivalent) -> bool:
        near = (m for m in there if fnmatch.fnmatchcase(m.name, entry.function))
        return any(equivalent.listed(m) is entry for m in near)

    assert [e.function for e in effort_entries.EFFORT if not is_about_one(e)] == []
    assert all(e.last and e.values is not None and e.reason for e in effort_entries.EFFORT)


@pytest.mark.slow
def test_all_that_effort_may_change_holds_the_truth_as_the_library_stands() -> None:
    panels = {e.values for e in effort_entries.EFFORT}
    whole = effort.edges, effort.searches, effort.noises
    assert panels == {*whole, effort.blocks_of_steps, effort.compositions, effort.placed}
    assert all(one.holds for panel in whole for one in panel())


def planted(module: str, function: str, change: str) -> changes.Mutant:
    mutants = changes.mutants(f"dpref.privacy.fast.{module}")
    return next(m for m in mutants if m.function == function and m.change.startswith(change))


WRONG = [
    ("pld", "Curve._ratio", "Mult -> Div", effort.compositions),
    ("pld", "compose", "drop not", effort.compositions),
    ("lower", "dominated", "Sub -> Add in `return (GridMeasure", effort.edges),
    ("blocks", "block", "Add -> Sub in `values = (values + power.error)", effort.blocks_of_steps),
    ("grids", "plain_as_one", "Div -> Mult in `total", effort.intervals),
    ("curves", "_pairs", "Div -> Mult in `squares", effort.placed),
    ("variance_reduction", "least_noise", "LtE -> GtE in `best", effort.noises),
]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "function", "change", "panel"), WRONG, ids=lambda x: getattr(x, "__name__", x))
def test_planted_bug_a_change_that_matters_listed_as_effort_is_seen(
    module: str, function: str, change: str, panel: Callable[[], list[Valid]]
) -> None:
    engine.ready()
    entry = Equivalent("*", ("*",), "none", panel, last=True)
    mutant = planted(module, function, change)
    assert engine.in_child(lambda: equivalent.checked(mutant, entry, [], {}, {}), 60).value is not True


def test_a_change_of_effort_is_equivalent_only_if_nothing_notices_it() -> None:
    engine.ready()
    halved = planted("placement", "_Direction.coarse", "Div -> Mult")

    def judge(killer: Callable[[], bool | None]) -> object:
        executes = record.Record({"example x": 0.1}, {halved.name: ["example x"]})
        return trial.Trial({"example x": killer}, executes).judge(halved)["how"]

    assert judge(lambda: False) == "fails"
    assert judge(lambda: True) == "equivalent"


def test_planted_bug_refusals_alone_show_nothing() -> None:
    def refuse() -> bool:
        raise PrecisionError("no answer")

    assert all(one.holds for one in effort.panel([lambda: True] * 3 + [refuse]))
    assert not all(one.holds for one in effort.panel([lambda: True, refuse]))
    assert not all(one.holds for one in effort.panel([lambda: False]))


def test_who_executes_what_is_what_runs() -> None:
    passed, where = engine.executed(example, 1.0)
    assert passed
    assert [name for _, name, _ in where] == ["zcdp_epsilon"]
