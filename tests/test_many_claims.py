"""Many claims: the same verdicts whatever judges them, and nothing lost but the claim in progress."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dpref.audit import empirical, kept_runs, many
from dpref.audit.builders import build
from dpref.audit.catalogue import catalogue, find, headline
from dpref.audit.claim_files import parse_claims
from dpref.audit.claims import Claim
from dpref.audit.kept_runs import KeptRuns
from dpref.audit.many import Settings
from dpref.audit.papers.titles import TITLES
from dpref.audit.verdict import audit
from dpref.audit.verdict_json import verdict_to_json
from dpref.cli import app
from dpref.errors import InvalidArgumentError, WorkerError
from dpref.version import LOADED
from tests.claimed import CLAIM
from tests.effort import LONG, part

ROOT = Path(__file__).parents[1]
CLAIMS = parse_claims(json.dumps({"claims": [{**CLAIM, "item": f"theorem-{i}"} for i in range(2 * many.FEW)]}))


def settings(kept: KeptRuns | None = None, trials: int = 100) -> Settings:
    return Settings(trials=trials, seed=0, confidence=Fraction(99, 100), kept=kept)


@pytest.fixture(autouse=True)
def unaltered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may work on the library's files while its tests run."""
    monkeypatch.setattr(kept_runs, "LOADED", time.time_ns() + 10**15)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the claims whose runs are drawn."""
    names: list[str] = []
    draw = empirical.draw

    def counted(subject: Any, name: str, *rest: Any) -> Any:
        names.append(name)
        return draw(subject, name, *rest)

    monkeypatch.setattr(empirical, "draw", counted)
    return names


# ------------------------------------------------------------------------------------ runs that are kept


def test_runs_are_drawn_once(tmp_path: Path, drawn: list[str]) -> None:
    kept = KeptRuns(tmp_path)
    first, again = (verdict_to_json(many.judge_one(CLAIMS[0], settings(kept))) for _ in range(2))
    assert first == again
    assert drawn == [CLAIMS[0].id]
    assert first == verdict_to_json(many.judge_one(CLAIMS[0], settings()))


@pytest.mark.parametrize("other", ["seed", "trials", "claim", "library"])
def test_runs_of_something_else_are_not_taken(
    other: str, tmp_path: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, claim, asked = KeptRuns(tmp_path), CLAIMS[0], {"trials": 100, "seed": 0}
    many.judge_one(claim, settings(kept))
    if other in asked:
        asked[other] += 1
    elif other == "claim":  # the same name, another parameter
        claim = parse_claims(
            json.dumps({"claims": [{**CLAIM, "item": "theorem-0", "parameters": {"noise_multiplier": "2"}}]})
        )[0]
        assert claim.id == CLAIMS[0].id
    else:
        monkeypatch.setattr(kept_runs, "fingerprint", lambda: "another")
    many.judge_one(claim, Settings(trials=asked["trials"], seed=asked["seed"], confidence=Fraction(99, 100), kept=kept))
    assert len(drawn) == 2


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_runs_of_files_that_were_changed_under_way_are_not_kept(
    when: str, tmp_path: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if when == "before":
        monkeypatch.setattr(kept_runs, "LOADED", 0)
    else:
        draw = empirical.draw

        def changing(*given: Any) -> Any:
            monkeypatch.setattr(kept_runs, "LOADED", 0)
            return draw(*given)

        monkeypatch.setattr(empirical, "draw", changing)
    for _ in range(2):
        many.judge_one(CLAIMS[0], settings(KeptRuns(tmp_path)))
    assert len(drawn) == 2
    assert [*tmp_path.rglob("*.scores")] == []


def test_a_file_that_was_written_since_is_seen_whatever_time_it_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0 < LOADED < time.time_ns()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "algorithm.py").touch()
    os.utime(tmp_path / "inner" / "algorithm.py", (0, 0))
    assert not kept_runs.altered(tmp_path)
    monkeypatch.setattr(kept_runs, "LOADED", time.time_ns())
    assert kept_runs.altered(tmp_path)
    monkeypatch.setattr(kept_runs, "LOADED", time.time_ns() + 10**15)
    (tmp_path / "inner" / "algorithm.py").unlink()
    assert kept_runs.altered(tmp_path)


def test_another_subject_or_name_has_no_kept_runs(tmp_path: Path, drawn: list[str]) -> None:
    claim, drawer = CLAIMS[0], KeptRuns(tmp_path).drawer(CLAIMS[0])
    asked: Any = (100, 0, 1, lambda _: None)
    drawer(build(claim), claim.id, *asked)

    class Silent:
        def __init__(self) -> None:
            self.built: Any = build(claim)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.built, name)

        def scores(self, neighbour: int, size: int, rng: Any) -> Any:
            return rng.standard_normal(size)

    silent: Any = Silent()
    found, alone = (d(silent, claim.id, *asked) for d in (drawer, empirical.draw))
    assert np.array_equal(found, alone)
    drawer(build(claim), "another name", *asked)
    assert drawn == [claim.id, claim.id, claim.id, "another name"]
    assert len([*tmp_path.rglob("*.scores")]) == 1


@pytest.mark.parametrize("harm", ["torn", "altered", "empty"])
def test_a_harmed_file_is_as_good_as_none(harm: str, tmp_path: Path, drawn: list[str]) -> None:
    kept = KeptRuns(tmp_path)
    first = many.judge_one(CLAIMS[0], settings(kept))
    (file,) = tmp_path.rglob("*.scores")
    content = bytearray(file.read_bytes())
    if harm == "altered":
        content[40] ^= 1
    file.write_bytes(bytes({"torn": content[:-8], "altered": content, "empty": bytearray()}[harm]))
    assert verdict_to_json(many.judge_one(CLAIMS[0], settings(kept))) == verdict_to_json(first)
    assert len(drawn) == 2
    many.judge_one(CLAIMS[0], settings(kept))
    assert len(drawn) == 2


def test_the_fingerprint_reads_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept_runs.fingerprint()
    texts = kept_runs.sources()
    assert {"audit/kept_runs.py", "kernels/gradients.py"} <= {name for name, _ in texts}
    changed = [(name, text + b"#" * (name == "kernels/gradients.py")) for name, text in texts]
    monkeypatch.setattr(kept_runs, "sources", lambda: changed)
    assert kept_runs.fingerprint.__wrapped__() != before


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidArgumentError, match=r"store = .*file.*: must be a folder that can be written"):
        KeptRuns(tmp_path / "file", required=True)


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert many.judge_one(CLAIMS[0], settings(KeptRuns(tmp_path / "file"))).outcome == "holds"


# ------------------------------------------------------------------------------------ processes


@pytest.mark.parametrize(
    "claim", [CLAIMS[0], find("dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one")]
)
def test_a_verdict_travels(claim: Claim) -> None:
    verdict = audit(claim, trials=100)
    there = pickle.loads(pickle.dumps(verdict))  # noqa: S301 (its own)
    assert verdict_to_json(there) == verdict_to_json(verdict)
    assert all(np.array_equal(a, b) for a, b in zip(there.empirical.scores, verdict.empirical.scores, strict=True))


@pytest.mark.slow
def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    alone = {v.claim.id: verdict_to_json(v) for v in many.judged(CLAIMS, settings(), 1)}
    together = {v.claim.id: verdict_to_json(v) for v in many.judged(CLAIMS, settings(KeptRuns(tmp_path)), 2)}
    assert together == alone
    assert len(list(tmp_path.rglob("*.scores"))) == len(CLAIMS)
    assert not active_children()


@pytest.mark.slow
def test_a_process_that_dies_is_named_and_loses_its_claim_alone(tmp_path: Path) -> None:
    found = many.judged(CLAIMS, settings(KeptRuns(tmp_path), trials=200_000), 2)
    first = next(found)
    for child in active_children():
        os.kill(child.pid or 0, signal.SIGKILL)
    with pytest.raises(WorkerError, match=r"judged somebody/theorem-\d+@\S+ died \(exit code -9\).*goes on from there"):
        list(found)
    assert first.claim in CLAIMS
    assert not active_children()


def dead_worker(written: bytes) -> many._Worker:
    """A process that wrote so much of its answer and was killed."""
    here, there = multiprocessing.Pipe()
    os.write(there.fileno(), written)
    there.close()
    process = multiprocessing.get_context("spawn").Process(target=signal.pause, daemon=True)
    process.start()
    process.kill()
    return many._Worker(process, here, [CLAIMS[0]])


@pytest.mark.slow
@pytest.mark.parametrize("written", [b"", b"\0\0", b"\0\0\0\x64the beginning"], ids=["none", "length", "half"])
def test_a_process_that_dies_in_the_middle_of_its_answer_is_named(written: bytes) -> None:
    with pytest.raises(WorkerError, match=re.escape(f"judged {CLAIMS[0].id} died (exit code -9)")):
        dead_worker(written).verdict()


@pytest.mark.slow
def test_a_process_that_dies_before_its_next_claims_is_named() -> None:
    with pytest.raises(WorkerError, match=re.escape(f"judged {CLAIMS[1].id} died (exit code -9)")):
        dead_worker(b"").take([[CLAIMS[1]]])


def audited(file: Path, store: Path) -> subprocess.Popen[str]:
    arguments = ["audit", str(file), "--trials", "100000", "--json", "--store", str(store), "--jobs", "2"]
    return subprocess.Popen([sys.executable, "-m", "dpref", *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT)


@pytest.mark.slow
@pytest.mark.parametrize("signal_sent", part([signal.SIGKILL, signal.SIGINT], 1))
@pytest.mark.whole
def test_what_was_killed_goes_on_where_it_was(signal_sent: signal.Signals, tmp_path: Path) -> None:
    file, store = tmp_path / "claims.json", tmp_path / "store"
    if signal_sent == signal.SIGINT and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        pytest.skip("Ctrl-C is ignored here, as in a job in the background")
    file.write_text(json.dumps({"claims": [{**CLAIM, "item": f"theorem-{i}"} for i in range(len(CLAIMS))]}))
    whole, _ = audited(file, tmp_path / "undisturbed").communicate(timeout=120)
    for several in (1, 6):
        process = audited(file, store)
        while len(list(store.rglob("*.scores"))) < several and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal_sent)
        process.communicate(timeout=60)
        assert process.returncode in {-signal.SIGKILL, 130}
    kept = len(list(store.rglob("*.scores")))
    assert 6 <= kept < len(CLAIMS)
    assert audited(file, store).communicate(timeout=120)[0] == whole


# ------------------------------------------------------------------------------------ a first look


def test_every_paper_has_its_title_and_its_main_claims() -> None:
    assert set(TITLES) == {claim.paper for claim in catalogue()} == {claim.paper for claim in headline()}
    for paper in TITLES:
        forms = {claim.form.split("-")[0] for claim in headline() if claim.paper == paper}
        assert forms >= {"as", "repaired"} or paper == "dp-erm-revisited"
    bibliography = (ROOT / "docs" / "references.bib").read_text("utf-8").replace("{", "").replace("}", "")
    for title in TITLES.values():
        assert title.title.replace("lp-geometry", "$\\ell_p$-geometry") in bibliography


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--quick", "kl-condition"), "--quick = 'kl-condition': chooses the claims by itself"),
        (("--docs", "https://here"), "--docs = 'https://here': is for the links of --html PAGE"),
        (("--no-store", "--store", "here"), "--no-store = 'here': contradicts --store"),
    ],
)
def test_contradictions_are_refused(arguments: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, ["audit", *arguments])
    assert (result.exit_code, message in result.stderr) == (2, True)


@LONG  # the gate types this command itself: it is the README's
@pytest.mark.slow
def test_a_first_look_says_what_was_found_and_what_it_left(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = CliRunner().invoke(app, ["audit", "--quick", "--jobs", "1", "--html", str(page)])
    lines = result.stdout.splitlines()
    false = sum(claim.expected == "refuted" and claim.form.startswith("as-printed") for claim in catalogue())
    assert f"under the adjacency that is named with it, {false} are recorded as refuted." in lines[0]
    assert f"{len(headline())} of the {len(catalogue())} recorded verdicts" in lines[0]
    findings = {
        name: "certified: no finite epsilon" if number == "infinite" else f"certified >= {number}"
        for number, name in re.findall(r"\*\*(\S+)\*\*[^*]*?`(\S+)`\)", (ROOT / "docs" / "index.md").read_text("utf-8"))
    }
    for claim in headline():
        (line,) = (text for text in lines if f" {claim.id}: claimed " in text)
        assert line.startswith(f"{claim.expected:9} ")
        assert "certified" in line
        if claim.expected == "refuted":  # the first page of the documentation says the same number
            assert findings.get(claim.id, "") in line, line
    assert set(findings) <= {claim.id for claim in headline() if claim.expected == "refuted"}
    assert len(findings) == 5
    assert f"Not judged: {len(catalogue()) - len(headline())} other claims" in result.stdout
    assert lines[-1] == f"The report: {page}"
    assert page.stat().st_size > 10_000
    assert result.exit_code == 0
