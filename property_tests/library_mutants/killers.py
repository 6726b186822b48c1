"""What can notice a change: obligations that are proved again, examples in docstrings, and tests."""

from __future__ import annotations

import doctest
import fnmatch
import functools
import importlib
import inspect
import io
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from property_tests.library_mutants import scope

# Files whose tests read texts, start other processes, or change certificates: they execute no formula.
NO_KILLERS: Final = (
    "tests/test_layers.py",
    "tests/test_library_mutation.py",
    "tests/test_proofs_contents.py",
    "tests/test_public_names.py",
    "tests/test_repository.py",
    "tests/test_typing.py",
    "property_tests/test_proof_mutation.py",
)
_MODULES: Final = "test_the_examples_of_a_module"  # the examples are killers of their own


class TimeUp(BaseException):
    """The time of a mutant is up."""


class NeedsCompiler(BaseException):
    """A test compiles a kernel: too slow for a killer, and kernels are compared with the reference elsewhere."""


@dataclass(eq=False)  # pytest wants plugins that hash
class Reports:
    """A plugin that keeps whether something failed, and whether anything ran."""

    failed: bool = False
    failure: str = ""
    passed: bool = False
    reason: BaseException | None = None

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Keep what a test raised, if that was no failure of its own."""
        if call.excinfo is not None and isinstance(call.excinfo.value, TimeUp | NeedsCompiler):
            self.reason = call.excinfo.value

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome."""
        if report.failed and not isinstance(self.reason, NeedsCompiler):
            self.failed, self.failure = True, report.nodeid
        self.passed |= report.when == "call" and report.passed


def doctests(modules: Iterable[str] | None = None) -> dict[str, Callable[[], bool | None]]:
    """Every example of the library, an object at a time."""
    found: dict[str, Callable[[], bool | None]] = {}
    for name in scope.library_modules() if modules is None else modules:
        module = importlib.import_module(name)
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            if test.examples:
                found[f"example {test.name}"] = _example(test)
    return found


def _example(test: doctest.DocTest) -> Callable[[], bool]:
    def run() -> bool:
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            return runner.run(test, out=lambda _: None, clear_globs=False).failed == 0

    return run


def goals() -> dict[str, Callable[[], bool | None]]:
    """Every obligation with goals: it passes if all of them are proved."""
    registry = importlib.import_module("proofs.registry")
    return {f"goal {o.id}": _goal(o) for o in registry.registry().values() if not o.open_because}


def _goal(o: Any) -> Callable[[], bool | None]:
    def run() -> bool | None:
        try:
            return bool(o.prove()) or None
        except Exception:  # noqa: BLE001 - whatever a wrong formula raises, it is not proved
            return False

    return run


def tests(items: Iterable[pytest.Item], reports: Reports) -> dict[str, Callable[[], bool | None]]:
    """Every collected test."""
    return {f"test {i.nodeid}": _test(i, reports) for i in items if i.originalname != _MODULES}  # type: ignore[attr-defined]


def _test(item: pytest.Item, reports: Reports) -> Callable[[], bool | None]:
    def run() -> bool | None:
        reports.failed, reports.passed, reports.reason = False, False, None
        with warnings.catch_warnings():
            item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        if reports.reason is not None:
            raise reports.reason
        return None if not (reports.failed or reports.passed) else not reports.failed

    return run


def mentioning(names: Iterable[str], runs: Iterable[str]) -> set[str]:
    """The obligations whose goals mention one of some names, and the tests whose files do."""
    word = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names))
    return {killer for killer in runs if word.search(_text_of(killer))}


@functools.cache
def _text_of(killer: str) -> str:
    """What a killer is written as: none for an example, which is found by what it executes."""
    kind, _, name = killer.partition(" ")
    if kind == "goal":
        return inspect.getsource(importlib.import_module("proofs.registry").registry()[name].goals)
    return _read(scope.ROOT / name.partition("::")[0]) if kind == "test" else ""


@functools.cache
def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_files(patterns: Sequence[str]) -> list[str]:
    """The test files whose tests are killers, those only that one of the patterns names.

    Raises:
        ValueError: If a pattern names none.
    """
    found = [
        str(p.relative_to(scope.ROOT)) for d in ("tests", "property_tests") for p in (scope.ROOT / d).glob("test_*.py")
    ]
    able = sorted((f for f in found if f not in NO_KILLERS), reverse=True)
    for pattern in patterns:
        if not fnmatch.filter(able, pattern):
            raise ValueError(
                f"--tests {pattern}: must name test files, such as 'tests/test_c*.py'; give a pattern that does"
            )
    return [f for f in able if any(fnmatch.fnmatchcase(f, pattern) for pattern in patterns)]


def in_pytest(arguments: list[str], work: Callable[[list[pytest.Item], Reports], None]) -> None:
    """Collect tests and do the work where pytest would run them."""

    class Loop(Reports):
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            work(session.items, self)
            return True

    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "--capture=no", "-qq", "--no-header", "--no-summary"]
    # The library, whose plugin pytest finds, is imported here already.
    options += ["-W", "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*options, *arguments], plugins=[Loop()])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"the tests could not be collected: {code!r}; run pytest --collect-only")


def forbid_compilers() -> None:
    """From here on, whatever would compile a kernel raises; what the fast path needs is compiled before."""
    from numba.core.dispatcher import Dispatcher

    for name in ("dpref.kernels.fft", "dpref.privacy.fast.fft"):
        assert all(run() for run in doctests([name]).values())

    def refuse(*_: object, **__: object) -> None:
        raise NeedsCompiler

    Dispatcher._compile_for_args = refuse  # type: ignore[attr-defined]
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))
