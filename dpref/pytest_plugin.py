"""A pytest plugin: audits, replays and golden vectors as tests.  It imports nothing of dpref until a test asks for it.

The mark ``dpref`` sets what an audit of the fixture `dp_audit` is; the mark ``dpref_vectors`` makes one test a vector
of the fixture `dp_vector`; `dp_reference` and `dp_tape` are recorded runs and their draws.

There is no assert in here: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dpref.foreign.replay.recording import Recording
    from dpref.foreign.replay.tape import TapeGenerator
    from dpref.testing.audits import Auditing, Plan
    from dpref.testing.vectors import VectorTest

_PLAN: pytest.StashKey[Plan] = pytest.StashKey()
_LINE: pytest.StashKey[str] = pytest.StashKey()
_MARKS = (
    "dpref(trials, error, bits, pair, adjacency, ...): what the audits of a test are; every argument of dp_audit",
    "dpref_vectors(family, only, skip, folder): one test a golden vector, for the fixture dp_vector",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; none of them changes a run that does not use the fixtures."""
    group = parser.getgroup("dpref", "differential privacy")
    group.addoption("--dpref-error", metavar="P", help="error probability of all statistical tests together (1/1000)")
    group.addoption(
        "--dpref-seed",
        metavar="SEED",
        default="0",
        help="an integer that goes into every seed, or 'random' for another one each time, which is shown (0)",
    )
    group.addoption("--dpref-store", metavar="DIR", help="keep the runs of audits here, and go on from them")
    group.addoption("--dpref-vectors", metavar="DIR", help="the folder of golden vectors; without it they are computed")
    parser.addini("dpref_error", "error probability of all statistical tests together", default="1/1000")


def pytest_configure(config: pytest.Config) -> None:
    """The marks, and a random seed that all workers share."""
    for mark in _MARKS:
        config.addinivalue_line("markers", mark)
    if config.getoption("dpref_seed") == "random":
        import secrets  # noqa: PLC0415 - only where it is asked for

        config.option.dpref_seed = str(secrets.randbits(32))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a vector."""
    if "dp_vector" not in metafunc.fixturenames:
        return
    from dpref.testing.vectors import vector_tests  # noqa: PLC0415 - only where it is asked for

    mark = metafunc.definition.get_closest_marker("dpref_vectors")
    if mark is None:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: dp_vector needs the mark dpref_vectors(family)")
    found = vector_tests(metafunc.config.getoption("dpref_vectors"), *mark.args, **mark.kwargs)
    metafunc.parametrize("dp_vector", found, ids=[test.name for test in found], indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every statistical test gets its share of the error, before the first one runs."""
    statistical = [item for item in items if "dp_audit" in getattr(item, "fixturenames", ())]
    if not statistical:
        return
    from dpref.testing import audits  # noqa: PLC0415 - only where it is asked for

    config.stash[_PLAN] = audits.planned(config, statistical)
    if hasattr(config, "workeroutput"):
        config.workeroutput["dpref"] = config.stash[_PLAN].line


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """What the statistical tests promise together, where there are any."""
    return [config.stash[_PLAN].line] if _PLAN in config.stash else []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The same line, from a worker of pytest-xdist."""
    line = getattr(node, "workeroutput", {}).get("dpref")
    if line:
        node.config.stash[_LINE] = line


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Where workers collect the tests, the line comes at the end."""
    if _LINE in config.stash:
        terminalreporter.write_line(config.stash[_LINE])


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Auditing:
    """Audit: ``dp_audit(f, pair, epsilon=1, delta="1e-5", adjacency="replace-one").assert_not_refuted()``."""
    from dpref.testing.audits import NOT_PLANNED, Auditing  # noqa: PLC0415 - only where it is asked for

    if _PLAN not in request.config.stash:
        raise pytest.UsageError(f"{request.node.nodeid}: {NOT_PLANNED}")
    return Auditing(request, request.config.stash[_PLAN])


@pytest.fixture(scope="session")
def dp_reference() -> Callable[[str], Recording]:
    """The recorded run of a name such as ``gradient-descent-1``: an algorithm, and which of its examples."""
    from dpref.testing.vectors import reference  # noqa: PLC0415 - only where it is asked for

    return reference


@pytest.fixture(scope="session")
def dp_tape() -> Callable[[str], TapeGenerator]:
    """A generator whose draws are those of a recorded run."""
    from dpref.testing.vectors import tape  # noqa: PLC0415 - only where it is asked for

    return tape


@pytest.fixture
def dp_vector(request: pytest.FixtureRequest) -> VectorTest:
    """One golden vector: ``dp_vector.check(my_accountant)``."""
    found: VectorTest = request.param
    if found.skipped:
        pytest.skip(found.skipped)
    return found
