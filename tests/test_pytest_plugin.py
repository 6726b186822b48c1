"""The pytest plugin, in runs of its own: what it promises a suite, and that it costs nothing where it is not used."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dpref.testing import audits
from tests.effort import runs

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "docs" / "_static"
# Where the distribution was installed before it had the entry point, the plugin is named.
LOADED = any(entry.name == "dpref" for entry in entry_points(group="pytest11"))
PLUGIN = () if LOADED else ("-p", "dpref.pytest_plugin")

MECHANISMS = """
import numpy as np
import pytest

PAIR = (np.zeros(9), np.eye(9)[0])


def coin(data, rng):
    p = 0.7 if data.sum() > 0 else 0.3  # ln(7/3) < 0.85
    return bool(rng.random() < p)


def leak(data, rng):
    return float(data.sum())


def fails(data, rng):
    raise ArithmeticError("no answer")
"""
PASSES = """
def test_coin(dp_audit):
    dp_audit(coin, PAIR, epsilon="0.85", adjacency="replace-one", trials=400).assert_not_refuted()
"""
FAILS = """
def test_leak(dp_audit):
    dp_audit(leak, PAIR, epsilon=1, adjacency="replace-one", trials=400).assert_not_refuted()
"""


def suite(pytester: pytest.Pytester, *parts: str) -> None:
    pytester.makepyfile(test_mine="\n".join([MECHANISMS, *parts]))


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "--strict-markers", *PLUGIN, *arguments)


# ------------------------------------------------------------------------------------ who does not use it


def test_it_is_an_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"dpref": "dpref.pytest_plugin"}


UNUSED = """
import sys
import pytest
code = pytest.main(["-q", "-p", "no:cacheprovider", "-W", "error", *sys.argv[1:]])
print("loaded:", *sorted(name for name in sys.modules if name.split(".")[0] in {"dpref", "numpy", "flint"}))
"""


def test_a_suite_that_does_not_use_it_loads_nothing_and_sees_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own(): assert True\n", encoding="utf-8")
    found, without = (
        subprocess.run(
            [sys.executable, "-c", UNUSED, *options],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
        ).stdout
        for options in (("-p", "dpref.pytest_plugin"), ())
    )
    assert found.splitlines()[-1] == "loaded: dpref dpref.pytest_plugin dpref.version"
    seconds = re.compile(r"in \d+\.\d+s")
    plain, other = (seconds.sub("", text).splitlines()[:-1] for text in (found, without))
    assert plain == other
    assert not (tmp_path / ".dpref").exists()


# ------------------------------------------------------------------------------------ audits


@pytest.mark.slow
def test_planted_bug_a_leak_fails_and_a_correct_mechanism_passes(pytester: pytest.Pytester) -> None:
    suite(pytester, PASSES, FAILS)
    result = run(pytester, "-rA", "--junit-xml=report.xml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["dpref: 2 statistical tests, together wrong with probability at most 0.001 where the code is right"]
    )
    text = result.stdout.str()
    assert "refuted: " in text
    assert re.search(r"not refuted: .*coin", text)
    assert "could have shown at most" in text
    assert 'again: pytest "test_mine.py::test_leak" --dpref-seed 0 --dpref-error 1/1000' in text
    cases = ET.parse(pytester.path / "report.xml").getroot().iter("testcase")  # noqa: S314 - this run wrote it
    properties = {
        case.attrib["name"]: {p.attrib["name"]: p.attrib["value"] for p in case.iter("property")} for case in cases
    }
    assert properties["test_coin"]["dpref_outcome"] == "not refuted"
    assert float(properties["test_coin"]["dpref_ceiling"]) > 2
    assert properties["test_leak"]["dpref_outcome"] == "refuted"


@pytest.mark.slow
@pytest.mark.parametrize("other", ["", "def test_planned(dp_audit):\n    pass\n"])
def test_an_audit_that_was_not_planned_is_refused(pytester: pytest.Pytester, other: str) -> None:
    """Asked for while tests run, it has no share of the error, whether others have one or not."""
    pytester.makepyfile(f"{other}def test_late(request):\n    request.getfixturevalue('dp_audit')(None)\n")
    result = run(pytester)
    result.assert_outcomes(passed=bool(other), failed=1)
    assert "test_late: dp_audit must be an argument of the test" in result.stdout.str()
    assert "KeyError" not in result.stdout.str()


@pytest.mark.slow
def test_an_error_is_a_failure_and_marks_set_what_calls_leave_out(pytester: pytest.Pytester) -> None:
    suite(
        pytester,
        """
pytestmark = pytest.mark.dpref(trials=400, pair=PAIR, adjacency="replace-one")


def test_raises(dp_audit):
    dp_audit(fails, epsilon=1).assert_not_refuted()


def test_not_refuted_is_not_refuted(dp_audit):
    dp_audit(coin, epsilon=2).assert_refuted()


@pytest.mark.dpref(trials=400, error="1/10000", pair=PAIR, adjacency="replace-one")
def test_leak(dp_audit):
    dp_audit(leak, rho="0.5").assert_refuted()


def test_twice(dp_audit):
    dp_audit(leak, epsilon=1)
    dp_audit(leak, epsilon=1)


def test_nothing_claimed(dp_audit):
    dp_audit(leak)
""",
    )
    result = run(pytester)
    result.assert_outcomes(passed=1, failed=4)
    text = result.stdout.str()
    assert "no answer" in text
    assert "dp_audit is for one audit a test" in text
    assert "exactly one of epsilon, rho and mu must be given" in text


@pytest.mark.slow
def test_a_run_is_repeatable_and_another_seed_is_another_run(pytester: pytest.Pytester) -> None:
    suite(pytester, PASSES)

    def shown(*arguments: str) -> str:
        text = run(pytester, "-rA", *arguments).stdout.str()
        return "\n".join(re.findall(r"^values: .*$", text, re.MULTILINE))

    assert shown() == shown()
    assert shown() != shown("--dpref-seed", "1")
    random = run(pytester, "--dpref-seed", "random").stdout.str()
    (seed,) = set(re.findall(r"; --dpref-seed (\d+)", random))
    assert shown("--dpref-seed", seed) == shown("--dpref-seed", seed)


# ------------------------------------------------------------------------------------ one error


NAMES = """
def test_{}(dp_audit):
    share = dp_audit._plan.shares[dp_audit._request.node.nodeid]
    with open("shares.txt", "a") as file:
        print("{}", share, file=file)
"""


def shares(pytester: pytest.Pytester, *arguments: str) -> dict[str, Fraction]:
    """What each test of a run may spend."""
    path = pytester.path / "shares.txt"
    path.unlink(missing_ok=True)
    assert run(pytester, *arguments).ret == 0
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.split()[0]: Fraction(line.split()[1]) for line in lines}


def test_no_test_moves_the_share_of_another(pytester: pytest.Pytester) -> None:
    suite(pytester, NAMES.format("b", "b"), NAMES.format("a", "a"))
    first = shares(pytester)
    assert first["a"] == 4 * first["b"]  # ranks 1 and 2: ties by name
    assert sum(first.values()) < Fraction(1, 1000)
    suite(pytester, *(NAMES.format(name, name) for name in ("0", "b", "a", "c")))
    later = shares(pytester)
    assert {name: later[name] for name in ("a", "b")} == first
    assert later["a"] == 9 * later["0"] == 16 * later["c"]
    assert shares(pytester, "-k", "test_c") == {"c": later["c"]}
    kept = json.loads((pytester.path / ".dpref" / "shares.json").read_text(encoding="utf-8"))["seen"]
    assert kept == [f"test_mine.py::test_{name}" for name in ("a", "b", "0", "c")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--dpref-error", "2"), "--dpref-error = 2: must lie strictly between 0 and 1"),
        (("--dpref-error", "few"), "--dpref-error"),
        (("--dpref-seed", "1/2"), "must be an integer or 'random'"),
        (("--dpref-error", "1/10000"), "the shares of 1 tests add up to 0.001"),
    ],
)
def test_what_cannot_be_promised_is_refused(pytester: pytest.Pytester, arguments: tuple[str, ...], said: str) -> None:
    suite(pytester, '@pytest.mark.dpref(error="1/1000")' + PASSES)
    result = run(pytester, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_a_spoilt_file_of_shares_is_refused(pytester: pytest.Pytester) -> None:
    suite(pytester, PASSES)
    (pytester.path / ".dpref").mkdir()
    (pytester.path / ".dpref" / "shares.json").write_text("[]", encoding="utf-8")
    result = run(pytester)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "is not what dpref wrote" in result.stderr.str()


@pytest.mark.slow
def test_a_correct_mechanism_fails_no_more_often_than_its_error(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each test may spend a twentieth; a run in which that is exceeded comes once in 10,000."""
    from scipy.stats import binom

    count = runs(200, 16)
    suite(
        pytester,
        f"""
@pytest.mark.dpref(error="1/20", trials=300, pair=PAIR, adjacency="replace-one", bits="off")
@pytest.mark.parametrize("k", range({count}))
def test_coin(dp_audit, k):
    dp_audit(coin, epsilon="0.8473").assert_not_refuted()  # ln(7/3) = 0.84729786...
""",
    )
    monkeypatch.setattr(
        audits,
        "planned",
        lambda _, items: audits.Plan(Fraction(1), dict.fromkeys((item.nodeid for item in items), Fraction(1, 20)), 0),
    )
    failed = run(pytester).parseoutcomes().get("failed", 0)
    assert failed <= binom.ppf(0.9999, count, 0.05)


@pytest.mark.slow
def test_workers_find_what_one_process_finds(pytester: pytest.Pytester) -> None:
    suite(pytester, PASSES, FAILS)
    result = run(pytester, "-n", "2", "-p", "xdist", "-rA")
    result.assert_outcomes(passed=1, failed=1)
    text = result.stdout.str()
    alone = run(pytester, "-rA").stdout.str()
    values = re.compile(r"^values: .*$", re.MULTILINE)
    assert sorted(values.findall(text)) == sorted(values.findall(alone)) != []
    assert "dpref: 2 statistical tests" in text


# ------------------------------------------------------------------------------------ vectors


@pytest.mark.slow
def test_each_vector_is_a_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
import pytest


@pytest.mark.dpref_vectors("sampler", only=["bernoulli-exp"], skip={"ExactCoin": "no coins here"})
def test_skipped(dp_vector):
    dp_vector.check(lambda asked: [])


@pytest.mark.dpref_vectors("sampler", only=["bernoulli-exp"])
def test_wrong(dp_vector):
    dp_vector.check(lambda asked: [0] * 8 if dp_vector.number == 1 else None)


@pytest.mark.dpref_vectors("accountant", only=["tree"])
def test_right(dp_vector):
    dp_vector.check(lambda asked: 100.0)
"""
    )
    result = run(pytester, "-rs")
    result.assert_outcomes(skipped=22 + 21, failed=1, passed=3)
    assert "no coins here" in result.stdout.str()
    assert "sampler-1 [ExactCoin]: " in result.stdout.str()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("", "needs the mark dpref_vectors"),
        ('@pytest.mark.dpref_vectors("astrology")', "must be one of accountant"),
        ('@pytest.mark.dpref_vectors("sampler", only=["dice"])', "sampler has the topics bernoulli-exp"),
    ],
)
def test_vectors_that_are_none_are_refused(pytester: pytest.Pytester, mark: str, said: str) -> None:
    pytester.makepyfile(f"import pytest\n\n\n{mark}\ndef test_one(dp_vector): pass\n")
    result = run(pytester)
    assert result.ret in {pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED}
    assert said in result.stderr.str() + result.stdout.str()


@pytest.mark.slow
def test_the_examples_of_the_page_pass(pytester: pytest.Pytester) -> None:
    for name in ("my_accountant.py", "test_accountant.py", "test_release.py"):
        (pytester.path / name).write_text((STATIC / name).read_text(encoding="utf-8"), encoding="utf-8")
    result = run(pytester)
    result.assert_outcomes(passed=28, skipped=10)  # a sampled Gaussian is not supported


@pytest.mark.slow
def test_a_loop_on_a_tape_is_compared_with_its_reference(pytester: pytest.Pytester) -> None:
    (pytester.path / "test_loop.py").write_text((STATIC / "test_loop.py").read_text(encoding="utf-8"), encoding="utf-8")
    run(pytester).assert_outcomes(passed=1)
    spoilt = (pytester.path / "test_loop.py").read_text(encoding="utf-8").replace("std * draw", "2 * std * draw")
    (pytester.path / "test_loop.py").write_text(spoilt, encoding="utf-8")
    result = run(pytester)
    result.assert_outcomes(failed=1)
    assert "step 0 of 5, iterate: differs" in result.stdout.str()
