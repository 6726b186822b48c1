"""What all tests share: one thread a numerical library, and dear work that is done once for all workers of a run.

Under ``pytest -n`` each worker is a process.  A file's tests go to one worker, which makes their fixtures once; what
several files need is done by the first that needs it and handed to the others in the run's temporary folder: compiled
kernels, the replay of the certificates, Coq's library.  That folder begins empty, so that nothing in it is older than
the run.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import pkgutil
import random
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from tests.coq_once import Once
from tests.costs import Costs

if TYPE_CHECKING:
    from proofs import Report

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# SVML rounds exp, log and their kin otherwise: a kernel would no longer equal its interpreted twin bit for bit.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")

ROOT = Path(__file__).parent


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A whole file to one worker, unless the command line says otherwise."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415 - the hook is only called where xdist is

    return LoadFileScheduling(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that asks what a run costs."""
    parser.addoption("--cost", action="store_true", help="say at the end what the tests cost by folder")


def pytest_configure(config: pytest.Config) -> None:
    """Count the cost where it is asked for, and of the whole run."""
    if config.getoption("cost") or os.environ.get("DPREF_EFFORT") == "full":
        config.pluginmanager.register(Costs(ROOT), "costs")


# These files change the library or the proofs and run tests against each change, or need a browser or a cluster.
WHOLE_FILES = (
    "test_library_mutation.py",
    "test_proof_mutation.py",
    "test_report_in_chromium.py",
    "test_foreign_clusters.py",
)


def needs_whole_run(item: pytest.Item) -> bool:
    """Return whether a test compiles with Coq, or lies in a file that only the whole run takes."""
    reasons = [str(mark.kwargs.get("reason")) for mark in item.iter_markers("skipif")]
    return item.path.name in WHOLE_FILES or any(r in {"coq is not installed", "coqc is not installed"} for r in reasons)


def asked_for(config: pytest.Config, path: Path) -> bool:
    """Return whether the run takes what is ``whole`` in a file.

    ``DPREF_EFFORT=full``, a file named on the command line and any ``-m`` that names ``whole`` ask for it.
    """
    if os.environ.get("DPREF_EFFORT") == "full" or "whole" in config.getoption("markexpr"):
        return True
    return path in {Path(config.invocation_params.dir, a.partition("::")[0]).resolve() for a in config.args}


def not_drawn(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the cases of ``sampled`` tests beyond the number that the mark names; the test's name is the seed."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, cases in tests.items():
        (mark,) = cases[0].iter_markers("sampled")
        drawn = random.Random(name).sample(cases, min(mark.args[0], len(cases)))  # noqa: S311 - not a secret
        yield from (case for case in cases if case not in drawn)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which nothing would run."""
    left_out = collection_path.name in WHOLE_FILES and not asked_for(config, collection_path.resolve())
    return True if left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests as ``slow`` and ``whole`` by what they need, and leave out ``whole`` ones that nobody asked for."""
    for item in items:
        if {"report", "reported"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if needs_whole_run(item):
            item.add_marker(pytest.mark.whole)
    for item in not_drawn(items):
        item.add_marker(pytest.mark.whole)
    whole = {item for item in items if item.get_closest_marker("whole")}
    taken = {path: asked_for(config, path.resolve()) for path in {item.path for item in whole}}
    left_out = {item for item in whole if not taken[item.path]}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The folder that all workers of this run see, or nothing where there is one process (or no lock among several)."""
    worker = hasattr(request.config, "workerinput") and os.name == "posix"
    return tmp_path_factory.getbasetemp().parent if worker else None


@pytest.fixture(scope="session", autouse=True)
def no_cache_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Runs that an audit keeps begin anew with the tests; the commands that tests start see the same folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


class Turn:
    """A lock among the workers of a run; who holds it may take it again."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.path, self.depth = folder / "lock", 0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait until no other worker is inside."""
        import fcntl  # noqa: PLC0415 - there is none on Windows, where workers share nothing

        self.depth += 1
        with self.path.open("w") as lock:
            if self.depth == 1:
                fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                self.depth -= 1


def digest() -> str:
    """Of everything that a replay of the certificates reads."""
    files = [p for d in ("dpref", "proofs") for p in (ROOT / d).rglob("*") if p.suffix in {".py", ".json"}]
    return hashlib.sha256(b"".join(str(p).encode() + p.read_bytes() for p in sorted(files))).hexdigest()


@pytest.fixture(scope="session")
def report(shared: Path | None) -> Report:
    """What ``dpref prove`` finds, of the whole registry and of the committed certificates: one replay for all tests."""
    from proofs import run  # noqa: PLC0415 - sympy loads where it is asked for

    if shared is None:
        return run()
    with Turn(shared / "proofs").taken():
        kept = shared / "proofs" / digest()
        if not kept.exists():
            kept.write_bytes(pickle.dumps(run()))
        found: Report = pickle.loads(kept.read_bytes())  # noqa: S301 - this run wrote it
        return found


@pytest.fixture(scope="session", autouse=True)
def compiled_once(shared: Path | None) -> Iterator[None]:
    """A kernel that one worker has compiled is loaded by the others: numba's cache, in a folder of this run."""
    if shared is None:
        yield
        return
    from numba.core import config, registry  # noqa: PLC0415 - numba loads where it is asked for

    turn = Turn(shared / "kernels")
    compile_here = registry.CPUDispatcher.compile

    def compile_in_turn(kernel: Any, signature: Any) -> Any:
        # Numba's index of a kernel is not safe against two writers, and what the other compiles need not be compiled.
        with turn.taken():
            return compile_here(kernel, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "CACHE_DIR", str(shared / "kernels"))
        patch.setattr(registry.CPUDispatcher, "compile", compile_in_turn)
        for module in kernel_modules():
            for kernel in vars(module).values():
                if isinstance(kernel, registry.CPUDispatcher) and kernel.py_func.__module__ == module.__name__:
                    kernel.enable_caching()
        yield


@pytest.fixture(scope="session", autouse=True)
def theory_once(shared: Path | None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A file of Coq's library that one test has had compiled is handed to the others."""
    readers = [sys.modules.get(name) for name in ("proofs.coq.privacy", "proofs.negations_in_coq")]
    if readers[0] is None:  # no test that was collected reads the library
        yield
        return
    turn = Turn((tmp_path_factory.mktemp("coq") if shared is None else shared) / "theory")
    once = Once(readers[0].coqc, readers[0].needed, turn.taken, turn.path.parent)
    with pytest.MonkeyPatch.context() as patch:
        for reader in filter(None, readers):
            patch.setattr(reader, "coqc", once)
        yield


def kernel_modules() -> list[ModuleType]:
    """The modules whose kernels the tests compile."""
    import dpref  # noqa: PLC0415

    names = [m.name for m in pkgutil.walk_packages(dpref.__path__, "dpref.")]
    return [importlib.import_module(n) for n in names if n.endswith(".kernel") or n.startswith("dpref.kernels.")]
