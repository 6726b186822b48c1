"""Other accountants in processes of their own: whatever they do, the comparison goes on and says what happened."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from dpref.bench import accounting
from dpref.crosscheck import compare as comparing
from dpref.crosscheck.cases import GAUSSIAN_GRID, GRIDS, Case, gaussian_case, grid
from dpref.crosscheck.compare import BELOW, HOLDS, NO_ANSWER, UNJUDGED, Truth, compare, judge, summary, truth
from dpref.crosscheck.peers import (
    PEERS,
    Answer,
    Peer,
    PeerFailure,
    PeerProcess,
    ask_all,
    installed,
    interpreter_options,
)
from dpref.errors import InvalidArgumentError
from dpref.privacy.events.ledger import Gaussian, Poisson, Repeat
from dpref.privacy.interval import Interval
from dpref.reals import exact
from dpref.units import AddOrRemoveOne

PEER = PEERS[0]
CASES = (gaussian_case(1.0, 1000, 1e-6), gaussian_case(10.0, 10**6, 1e-12), Case(0.5, 1.0, 3, 1e-5))
READY = """
import json, sys, os, time
def say(what): print("dpref-answer " + json.dumps(what), flush=True)
say({"ready": True, "version": "1.0"})
for line in sys.stdin:
    question = json.loads(line)
    n = question["id"]
"""

Scripts = Callable[[str], str]


@pytest.fixture
def interpreter(tmp_path: Path) -> Scripts:
    """An "interpreter" that runs a given script instead of the worker."""

    def make(body: str) -> str:
        script = tmp_path / f"peer{len(list(tmp_path.iterdir()))}.py"
        script.write_text(body, encoding="utf-8")
        launcher = script.with_suffix(".sh")
        launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}"\n', encoding="utf-8")
        launcher.chmod(0o755)
        return str(launcher)

    return make


def answers(path: str, limit: float = 20.0) -> list[Answer]:
    return list(ask_all(PEER, path, CASES, limit=limit))


def test_good_answers_pass_through_noise(interpreter: Scripts) -> None:
    path = interpreter(
        READY + '    print("WARNING: chatter", flush=True)\n    say({"id": n, "upper": 1.5 + n, "seconds": [0.25]})\n'
    )
    assert answers(path) == [Answer(upper=1.5 + n, seconds=(0.25,)) for n in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("    os._exit(7)\n", "ended with exit code 7"),
        ("    os.kill(os.getpid(), 9)\n", "died of signal 9"),
        ('    print("dpref-answer {", flush=True)\n', "answers what is not JSON"),
        ("    say([1])\n", "answers what is not a JSON object"),
        ('    say({"id": n + 1, "upper": 1.0, "seconds": [1.0]})\n', "answers another question"),
        ('    say({"id": n, "upper": "1", "seconds": [1.0]})\n', "answers upper = 1"),
        ('    say({"id": n, "upper": True, "seconds": [1.0]})\n', "answers upper = True"),
        ('    say({"id": n, "upper": 1.0})\n', "answers without a time"),
        ('    say({"id": n, "upper": 1.0, "seconds": ["x"]})\n', "answers without a time"),
        ('    say({"id": n, "seconds": [1.0]})\n', "answers nothing"),
        ('    say({"id": n, "upper": float("nan"), "seconds": [1.0]})\n', "answers NaN"),
        ('    say({"id": n, "problem": "\\x1b[31mred\\n"})\n', " [31mred "),
        ('    print("x" * (3 << 20), flush=True)\n', "writes without answering"),
        ('    sys.stdout.write("x" * (3 << 20)); sys.stdout.flush(); time.sleep(60)\n', "writes without answering"),
    ],
)
def test_what_goes_wrong_is_said_and_the_next_case_is_asked(interpreter: Scripts, body: str, problem: str) -> None:
    good = '    if n == 1:\n        say({"id": n, "upper": 2.0, "seconds": [0.5]})\n        continue\n'
    found = answers(interpreter(READY + good + body))
    assert [a.problem for a in found] == [problem, "", problem]
    assert found[1] == Answer(upper=2.0, seconds=(0.5,))


@pytest.mark.slow
def test_one_that_hangs_is_killed_with_its_children(interpreter: Scripts, tmp_path: Path) -> None:
    marker = tmp_path / "child"
    path = interpreter(
        READY
        + "    import subprocess\n    child = subprocess.Popen(['sleep', '1000000'])\n"
        + f"    open({str(marker)!r}, 'w').write(str(child.pid))\n    time.sleep(1000000)\n"
    )
    (found,) = ask_all(PEER, path, CASES[:1], limit=2.0)
    assert found.problem == "no answer within 2 s"
    child = int(marker.read_text(encoding="utf-8"))
    for _ in range(100):
        if ended(child):
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child of a killed peer goes on")


def ended(process: int) -> bool:
    """Whether there is no such process, or only what nobody has asked after."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{process}/stat")  # where there is none, the system asks after orphans itself
    return state.exists() and state.read_text(encoding="utf-8").split()[2] == "Z"


def test_a_process_that_goes_on_has_not_ended() -> None:
    assert not ended(os.getpid())


def test_one_that_cannot_start(interpreter: Scripts, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("nothing to run", encoding="utf-8")
    for path in (str(plain), str(tmp_path / "missing"), str(tmp_path)):
        assert [a.problem for a in answers(path)] == [answers(path)[0].problem] * 3
        assert answers(path)[0].problem.startswith("cannot be started")
    assert [a.problem for a in answers(interpreter("raise SystemExit(3)"))] == ["ended with exit code 3"] * 3
    with pytest.raises(PeerFailure, match="no answer within"):
        PeerProcess(PEER, interpreter("import time; time.sleep(100)"), start_limit=0.5)
    with pytest.raises(PeerFailure, match="not installed"):
        PeerProcess(Peer("x", "dp-accounting", "surely_missing_module", "riskcal"), sys.executable)


# ------------------------------------------------------------------------------------ the worker itself

MODULES = {
    "dp_accounting/__init__.py": "",
    "dp_accounting/dp_event.py": """
from dataclasses import dataclass
@dataclass
class GaussianDpEvent: noise_multiplier: float
@dataclass
class PoissonSampledDpEvent: sampling_probability: float; event: object
@dataclass
class SelfComposedDpEvent: event: object; count: int
""",
    "dp_accounting/pld/__init__.py": """
import os
print("chatter on standard output")
os.write(1, b"dpref-answer {}\\n")
class PLDAccountant:
    def compose(self, event): self.event = event
    def get_epsilon(self, delta):
        step, scale = self.event.event, 1.0
        if hasattr(step, "sampling_probability"):
            step, scale = step.event, step.sampling_probability
        if delta < 1e-11: raise ValueError("too small\\nindeed")
        return scale * self.event.count / step.noise_multiplier
""",
}


@pytest.fixture
def with_modules(tmp_path: Path) -> str:
    for name, text in MODULES.items():
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    launcher = tmp_path / "python"
    launcher.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path / "lib"}" exec "{sys.executable}" "$@"\n', encoding="utf-8")
    launcher.chmod(0o755)
    return str(launcher)


def test_the_worker_asks_the_accountant_and_hides_its_chatter(with_modules: str) -> None:
    found = list(ask_all(PEER, with_modules, CASES, repeat=3))
    assert found[0].upper == 1000 / CASES[0].noise_multiplier
    assert found[1].problem == "ValueError: too small indeed"
    assert found[2].upper == 1.5
    assert len(found[0].seconds) == 3
    assert {peer.name for peer, path, _ in installed({"dp-accounting": with_modules}) if path == with_modules} == {
        peer.name for peer in PEERS if peer.package == "dp-accounting"
    }


def test_the_worker_imports_nothing_of_ours() -> None:
    source = Path(comparing.__file__).with_name("worker.py").read_text(encoding="utf-8")
    assert "import dpref" not in source
    assert "from dpref" not in source
    assert {peer.function for peer in PEERS} <= set(__import__("dpref.crosscheck.worker", fromlist=["x"]).ACCOUNTANTS)


def test_a_named_interpreter_without_the_package_is_bad_usage(interpreter: Scripts) -> None:
    path = interpreter("raise SystemExit(1)")
    with pytest.raises(InvalidArgumentError, match="ended with exit code 1"):
        installed({"dp-accounting": path})


@pytest.mark.parametrize("option", ["dp-accounting", "nobody=/bin/sh", "dp-accounting=/no/such/file", "=", ""])
def test_bad_peer_options(option: str) -> None:
    with pytest.raises(InvalidArgumentError, match="--peer"):
        interpreter_options([option])


# ------------------------------------------------------------------------------------ verdicts


def certified(low: float, high: float) -> Truth:
    return Truth(Interval(low, high, "epsilon", "planted", 128, AddOrRemoveOne), 0.0)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (Answer(upper=2.0), HOLDS),
        (Answer(upper=math.inf), HOLDS),
        (Answer(upper=math.nextafter(2.0, 0)), BELOW),
        (Answer(estimate=1.0), BELOW),
        (Answer(estimate=1.0, upper=2.5), HOLDS),
        (Answer(upper=-1.0), BELOW),
        (Answer(problem="crash"), NO_ANSWER),
    ],
)
def test_verdicts(answer: Answer, verdict: str) -> None:
    row = judge(CASES[0], "peer", answer, certified(2.0, 3.0))
    assert row.verdict == verdict
    assert row.shortfall <= 2.0 - (answer.claim or 0.0) if verdict == BELOW else row.shortfall == 0
    assert judge(CASES[0], "peer", Answer(upper=1.0), certified(0.0, 3.0)).verdict == UNJUDGED
    assert judge(CASES[0], "peer", Answer(upper=1.0), Truth(None, 0.0, "none")).verdict == UNJUDGED


def test_a_lower_bound_above_the_truth_is_seen() -> None:
    assert judge(CASES[0], "peer", Answer(upper=4.0, lower=3.5), certified(2.0, 3.0)).lower_fails
    assert not judge(CASES[0], "peer", Answer(upper=4.0, lower=2.5), certified(2.0, 3.0)).lower_fails


def test_a_planted_accountant_that_forgets_a_step_is_below(interpreter: Scripts) -> None:
    few = truth(gaussian_case(1.0, 1000, 1e-6)).interval
    assert few is not None
    forgetful = READY + f'    say({{"id": n, "upper": {few.lower * 0.999!r}, "seconds": [0.1]}})\n'
    truths, rows = compare(CASES[:1], [(PEER, interpreter(forgetful), "1")], limit=20)
    assert [row.verdict for row in rows] == [BELOW]
    assert next(iter(summary(rows)))[1:3] == (1, 1)
    report = json.dumps(comparing.to_json(truths, rows, [(PEER, "", "1")]), allow_nan=False)
    assert '"verdict": "below"' in report
    assert any("BELOW by" in line[3] for line in comparing.table(truths, rows))


def test_cases_are_what_they_say() -> None:
    assert len(GAUSSIAN_GRID) == 140
    case = Case(0.01, 1.0, 7, 1e-6)
    assert case.ledger.event == Repeat(Poisson(Gaussian(Fraction(1)), exact(0.01)), 7)
    assert grid("quick") == GRIDS["quick"]
    with pytest.raises(InvalidArgumentError, match="quick"):
        grid("all")


@pytest.mark.slow
def test_the_benchmark_has_a_cell_for_everyone(interpreter: Scripts) -> None:
    path = interpreter(READY + '    say({"id": n, "upper": 9.0, "seconds": [3.0, 1.0, 2.0]})\n')
    cases = (accounting.GAUSSIAN[0], Case(0.5, 10.0, 2, 1e-5))
    lines = accounting.benchmark(cases, [(PEER, path, "1.0")], repeat=1)
    assert [line.certified for line in lines] == [True] * (len(lines) - 2) + [False] * 2
    assert {len(line.cells) for line in lines} == {2}
    assert accounting.texts(lines[-1])[:2] == ("9", "2 s")
    assert accounting.texts(lines[0])[2:] == ("-", "not supported")
    json.dumps(accounting.to_json(cases, lines), allow_nan=False)


def test_no_process_is_left_behind(interpreter: Scripts) -> None:
    path = interpreter(READY + '    say({"id": n, "upper": 9.0, "seconds": [3.0]})\n')
    with PeerProcess(PEER, path) as process:
        child = process._process
    assert child.poll() is not None
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
    assert isinstance(child, subprocess.Popen)
