"""One mutant in a forked child: the library is imported with the change, asked, and tested.

The parent has imported everything but the library and its tests, so that an import takes a second, and a constant, a
default or a class is changed like any other text.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.abc
import importlib.util
import io
import json
import os
import re
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Final, NoReturn

import pytest

from property_tests.library_mutants import changes, scope

_MEMORY: Final = 6 << 30
_FILES: Final = 12  # test files of a mutant
PATIENCE: Final = 12.0  # seconds of tests a mutant; five times as many where an answer is wrong
_ROOM: Final = 5.0  # of a question, over ten times what it takes

Asked = tuple[str, int]  # "recorded" or the seed of fresh questions, and the number


@dataclass(frozen=True)
class Known:
    """What the library as it stands makes of a question.

    Attributes:
        answers: The ways and their ends; none if the question is too slow.
        seconds: That it took.
        functions: The functions that it executed.
    """

    answers: list[tuple[str, float, float]]
    seconds: float
    functions: frozenset[str]


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and loads its changed tree."""

    def __init__(self, mutant: changes.Mutant) -> None:
        self.module, self.path = mutant.module, str(scope.path_of(mutant.module))
        self.code = compile(changes.changed(mutant), self.path, "exec", dont_inherit=True)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        packages = [self.path.rpartition("/")[0]] if self.path.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=packages
        )

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, vars(module))  # noqa: S102 - the library's own text, changed in one place


def judged(mutant: changes.Mutant, known: Mapping[Asked, Known], patience: float = PATIENCE) -> dict[str, Any]:
    """The outcome of a mutant: ``killed``, ``harmless``, ``time``, ``dangerous`` or ``unknown``, and what shows it."""
    most = 60 + 8 * patience + 3 * sum(k.seconds for k in known.values())
    found, end, seconds = in_child(lambda: _outcome(mutant, known, patience), most)
    how, why = found if found is not None else ("time" if end == "time" else "unknown", end)
    return {"how": how, "why": why, "seconds": round(seconds, 1)}


def _outcome(mutant: changes.Mutant, known: Mapping[Asked, Known], patience: float) -> tuple[str, str]:
    sys.meta_path.insert(0, _Loader(mutant))
    try:
        importlib.import_module(mutant.module)
        oracle = importlib.import_module("property_tests.oracle")
    except Exception as error:  # noqa: BLE001 - a library that cannot be imported is noticed by everything
        return "killed", f"import: {error!r}"
    reaching = {q: k for q, k in known.items() if k.answers and any(map(mutant.reaches, k.functions))}
    ends: dict[str, str] = {}  # of each outcome the first question that shows it
    for name, before in reaching.items():
        how, why = _answered(oracle, name, before)
        ends.setdefault(how, why)
        if how == "killed":
            return how, why
    killer, finished = _killer(mutant, patience * (5 if "dangerous" in ends else 1))
    if killer:
        return "killed", killer
    if not finished:
        ends.setdefault("time", "the tests take longer")
    ends.setdefault("unknown", "no question executes it")
    return next((how, ends[how]) for how in ("dangerous", "time", "harmless", "unknown") if how in ends)


def _answered(oracle: ModuleType, name: Asked, before: Known) -> tuple[str, str]:
    """The outcome of one question, by itself."""
    seed, number = name
    question, curves = (oracle.recorded()[number], None) if seed == "recorded" else oracle.drawn(seed, number)
    try:
        with oracle.limited(10 * before.seconds + _ROOM):
            found = oracle.answers(question)
    except TimeoutError:
        return "time", str(question)
    except Exception as error:  # noqa: BLE001 - whatever it is, no answer comes
        return ("killed" if seed == "recorded" else "harmless"), f"oracle: {error!r}"
    said = [(a.way, a.lower, a.upper) for a in found]
    if seed == "recorded":
        problem = next((text for a in found if (text := a.wrong(question))), "")
        if set(question.ways) - {w for w, *_ in said}:
            problem = problem or f"{question} is refused"
        return ("killed", f"oracle: {problem}") if problem else ("harmless", str(question))
    problem = "" if said == before.answers else _problem(oracle, question, curves, found)
    return ("dangerous", problem) if problem else ("harmless", str(question))


def _problem(oracle: ModuleType, question: Any, asked: Any, found: Sequence[Any]) -> str:
    try:
        with oracle.limited(30):
            return str(oracle.wrong(question, asked, found))
    except (ArithmeticError, TimeoutError):  # no truth to hold it against
        return ""


# ------------------------------------------------------------------------------------ the tests


def _killer(mutant: changes.Mutant, patience: float) -> tuple[str, bool]:
    """The first example or test that fails, and whether all came to their end."""
    begun = time.process_time()
    name = _example(mutant.module)
    if name:
        return f"example {name}", True

    class Reports:
        failure = ""

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed and not self.failure:
                self.failure = report.nodeid

        def pytest_runtest_setup(self) -> None:
            if time.process_time() - begun > patience:
                pytest.exit("time", returncode=70)

        def pytest_collectreport(self, report: pytest.CollectReport) -> None:
            if report.failed:
                self.failure = report.nodeid

    reports = Reports()
    files = [str(p.relative_to(scope.ROOT)) for p in _files(mutant.module)]
    if not files:
        return "", True
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-qq", "-x", "--no-header", "--no-summary"]
    # What the parent imported before pytest is not rewritten.
    options += ["-W", "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*options, "-m", "not slow", *files], plugins=[reports])
    return (f"test {reports.failure}" if reports.failure else ""), int(code) != 70


def _example(module: str) -> str:
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module)):
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            if test.examples and runner.run(test, out=lambda _: None).failed:
                return test.name
    return ""


def _files(module: str) -> list[Path]:
    """The files of tests nearest to a module: those that import it, then those that import what imports it."""
    package, _, name = module.rpartition(".")
    near = re.compile(rf"\b{re.escape(module)}\b|from {re.escape(package)} import [^\n]*\b{name}\b")
    importers = {m for m in scope.library_modules() if module in scope.imports(m)}
    paths = (p for folder in ("tests", "property_tests") for p in (scope.ROOT / folder).rglob("test_*.py"))
    texts = {p: p.read_text(encoding="utf-8") for p in paths}
    own = {p for p in texts if p.stem.endswith(name)}
    first = [p for p in sorted(texts) if near.search(texts[p])]
    second = [p for p in sorted(texts) if any(re.search(rf"\b{re.escape(m)}\b", texts[p]) for m in importers)]
    ordered = [*sorted(own), *first, *second]
    return [p for p in dict.fromkeys(ordered) if p.stem not in _NO_KILLERS][:_FILES]


# Files whose tests read texts, or start other processes: they execute no formula.
_NO_KILLERS: Final = (
    "test_layers", "test_library_mutants", "test_oracle", "test_public_names", "test_repository", "test_typing",
    "test_proofs_contents", "test_proof_mutation",
)  # fmt: skip


# ------------------------------------------------------------------------------------ the library as it stands


def asked(those: Sequence[Asked], seconds: float) -> list[list[Any]]:
    """What the library as it stands answers, what it takes, and which functions it executes."""
    from property_tests import oracle

    recorded, found = oracle.recorded(), list[list[Any]]()
    for seed, number in those:
        question = recorded[number] if seed == "recorded" else oracle.drawn(seed, number)[0]
        codes, begun = set[CodeType](), time.process_time()

        def note(frame: FrameType, _event: str, _argument: object, codes: set[CodeType] = codes) -> None:
            codes.add(frame.f_code)

        try:
            with oracle.limited(seconds):
                sys.setprofile(note)
                answers = [(a.way, a.lower, a.upper) for a in oracle.answers(question)]
        except TimeoutError:
            answers = []
        finally:
            sys.setprofile(None)
        where = (c for c in codes if c.co_filename.startswith(str(scope.LIBRARY)))
        names = {f"{scope.module_of(c.co_filename)}:{c.co_qualname.replace('<locals>.', '')}" for c in where}
        found.append([[seed, number], answers, time.process_time() - begun, sorted(names)])
    return found


# ------------------------------------------------------------------------------------ children


def in_child(work: Callable[[], Any], limit: float) -> tuple[Any, str, float]:
    """Return what work returns as JSON, how the child ended (``done``, ``time``, ``crash``, an error), and its time."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _work_and_exit(work, limit, write)
    os.close(write)
    answer, end = b"", time.monotonic() + 8 * limit + 60
    with os.fdopen(read, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(end - time.monotonic(), 0))[0] and (part := pipe.read(1 << 16)):
            answer += part
    if time.monotonic() >= end:
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if status == 0:
        value, said = json.loads(answer)
        return value, said, seconds
    by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return None, "time" if by in (signal.SIGXCPU, signal.SIGKILL) else "crash", seconds


def _work_and_exit(work: Callable[[], Any], limit: float, write: int) -> NoReturn:
    status = 1
    try:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 2, int(limit) + 4))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        try:
            answer = json.dumps([work(), "done"])
        except Exception as error:  # noqa: BLE001 - told to the parent
            answer = json.dumps([None, repr(error)])
        with os.fdopen(write, "wb") as pipe:
            pipe.write(answer.encode())
        status = 0
    finally:
        os._exit(status)
