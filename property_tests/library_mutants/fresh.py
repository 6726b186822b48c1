"""A change that runs when a module is imported and is no plain constant: the library is imported anew in the child."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

import pytest

from property_tests.library_mutants import changes, constants, engine, killers, scope

_OWN = "property_tests.library_mutants"


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and loads its changed tree."""

    def __init__(self, mutant: changes.Mutant) -> None:
        self.module, self.path = mutant.module, str(scope.path_of(mutant.module))
        self.code = compile(changes.changed(mutant), self.path, "exec", dont_inherit=True)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, vars(module))  # noqa: S102 - the library's own text, changed in one place


def first_that_fails(mutant: changes.Mutant, order: Sequence[str]) -> tuple[str, str]:
    """The killer of a change that runs at import."""
    loader = _Loader(mutant)  # it looks up the module's file, so before the module is forgotten
    for name in list(sys.modules):
        if name.partition(".")[0] in ("dpref", "proofs", "tests", "property_tests") and not name.startswith(_OWN):
            del sys.modules[name]
    sys.meta_path.insert(0, loader)
    try:
        importlib.import_module(mutant.module)
    except Exception:  # noqa: BLE001 - a library that cannot be imported is noticed by everything
        return "import", "fails"
    plain = [name for name in order if not name.startswith("test ")]
    examples = [n.partition(" ")[2] for n in plain if n.startswith("example ")]
    modules = {m for m in scope.library_modules() if any(e == m or e.startswith(m + ".") for e in examples)}
    runs = killers.doctests(sorted(modules))
    if len(examples) < len(plain):
        runs |= killers.goals()
    for name in plain:
        if name in runs and runs[name]() is False:
            return name, "fails"
    killer = _first_test([name.partition(" ")[2] for name in order if name.startswith("test ")])
    return (f"test {killer}", "fails") if killer else ("", "survives")


def _first_test(nodeids: Sequence[str]) -> str:
    """The first of these tests that fails; none if all pass."""
    if not nodeids:
        return ""
    reports = killers.Reports()
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "--capture=no", "-qq", "-x", "--no-header", "--no-summary"]
    code = pytest.main([*options, *nodeids], plugins=[reports])
    if reports.failed:
        return reports.failure
    return nodeids[0] if code == pytest.ExitCode.INTERRUPTED else ""  # it cannot be collected any more


# ------------------------------------------------------------------------------------ whom it reaches


@functools.cache
def _names() -> dict[str, frozenset[str]]:
    """Which functions of the library mention which names."""
    found: dict[str, set[str]] = {}
    for where, functions in engine.live().items():
        for function in functions:
            for code in _inside(function.__code__):
                for name in code.co_names:
                    found.setdefault(name, set()).add(engine.name_of(where))
    return {name: frozenset(those) for name, those in found.items()}


def _inside(code: CodeType) -> list[CodeType]:
    return [code, *(d for c in code.co_consts if isinstance(c, CodeType) for d in _inside(c))]


def users(mutant: changes.Mutant) -> list[str]:
    """The functions that a change at import can reach: those that mention what it defines."""
    if mutant.function != "<module>":  # a default of a function, or a field of a class
        name = mutant.function.rpartition(".")[2]
        module = {f for fs in _names().values() for f in fs if f.startswith(f"{mutant.module}:")}
        return sorted({mutant.name} | module | _names().get(name, frozenset()))
    return sorted({f for name in _defined(mutant) for f in _names().get(name, frozenset())})


def _defined(mutant: changes.Mutant) -> set[str]:
    """The names of the statement that the change is in, and of those that are made from them."""
    names: set[str] = set()
    for statement in changes.parsed(mutant.module).body:
        mentioned = {n.id for n in constants.at_import(statement) if isinstance(n, ast.Name)}
        if statement is constants.statement_of(mutant) or names & mentioned:
            names |= constants.targets(statement)
    return names
