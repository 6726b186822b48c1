"""The mutants' operators and keys, and the judgement: a wrong answer that no test notices is dangerous."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest

from property_tests.library_mutants import changes, scope

MODULE = "dpref.privacy.closed_forms.conversions"
CALIBRATION = "dpref.privacy.calibration"


def words_of(source: str) -> set[str]:
    return {w for node, _, _ in changes.sites(ast.parse(source)) for w, _ in changes.variants(node)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("2 * x", {"2 -> 4", "2 -> 3", "2 -> 1", "Mult -> Div"}),
        ("x / 9", {"9 -> 18", "9 -> 10", "9 -> 8", "9 -> 3", "Div -> Mult"}),
        ("x < y", {"Lt -> LtE", "Lt -> Gt"}),
        ("y = o.sqrt(x)", {"drop sqrt"}),
        ("y = upper(x)", {"drop upper", "upper -> lower"}),
        ("y = math.nextafter(x, -math.inf)", {"USub -> UAdd", "swap x and -math.inf of nextafter"}),
        ("y = f(a, b)", {"swap a and b of f"}),
        ("y = f(BALL, b)", set()),
        ("y = max(a, b)", {"max -> min", "drop max for a", "drop max for b"}),
        ("check(x)", {"drop statement"}),
        ("x += y", {"Add -> Sub", "drop statement"}),
        ("x = x * y", {"Mult -> Div", "drop statement"}),
        ("if a: b", {"drop guard"}),
        ("y = a if c else b", {"swap branches"}),
        ("x is ReplaceOne", {"ReplaceOne -> AddOrRemoveOne", "ReplaceOne -> ZeroOut"}),
        ("y = side.above", {"above -> below"}),
        ("_log.info('%.2f s', 2 * x)", set()),
    ],
)
def test_the_changes_of_an_expression(source: str, expected: set[str]) -> None:
    assert words_of(source) == expected


def test_every_change_differs_from_the_text_and_from_every_other() -> None:
    found = changes.mutants(MODULE)
    texts = [ast.unparse(changes.changed(m)) for m in found]
    assert len(set(texts)) == len(texts) > 50
    assert ast.unparse(changes.parsed(MODULE)) not in texts


def test_a_key_names_the_function_and_the_text_and_neither_path_nor_line() -> None:
    mutant = next(m for m in changes.mutants(MODULE) if m.function == "zcdp_epsilon")
    assert mutant.key.startswith("zcdp_epsilon: ")
    assert MODULE not in mutant.key
    assert len({m.key for m in changes.mutants(MODULE)}) == len(changes.mutants(MODULE))


def test_the_scope_names_modules_that_exist_and_the_survivors_are_mutants_of_today() -> None:
    there = set(scope.library_modules())
    assert set(scope.OUTSIDE) <= there
    assert all(scope.modules((package,)) for package in (*scope.CERTIFIES, *scope.BESIDE))
    survivors = json.loads((scope.ROOT / "property_tests/library_mutants/survivors.json").read_text(encoding="utf-8"))
    assert set(survivors) <= {m.key for module in scope.modules() for m in changes.mutants(module)}


# Each runs in a process of its own: the command forks before the library is imported.
JUDGED = f"""
from property_tests.library_mutants import __main__, changes, trial
mutant = next(m for m in changes.mutants({CALIBRATION!r}) if m.key.startswith({{key!r}}))
known = {{{{("fresh 1", 36): trial.Known([("", 0.0, 0.0)], 1.0, frozenset([mutant.name]))}}}}
{{patch}}
print(trial.judged(mutant, known)["how"])
"""
BASIC = "zcdp_noise_multiplier: 2 -> 3 in `least = "


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patch", "how"),
    [
        ("", "killed"),
        ("trial._killer = lambda *_: ('', True)", "dangerous"),
        ("trial._killer = lambda *_: ('', False); known = {}", "time"),
        ("trial._killer = lambda *_: ('', True); known = {}", "unknown"),
    ],
)
def test_planted_bug_too_little_noise_is_dangerous_unless_a_test_notices(patch: str, how: str) -> None:
    script = JUDGED.format(key=BASIC, patch=patch)
    environment = {**os.environ, "PYTHONPATH": str(scope.ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=scope.ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == how, done.stderr
