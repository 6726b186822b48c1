"""The command line: exit codes, pure JSON, one line for a mistake and never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dpref import __version__
from dpref.algorithms.registry import ALGORITHMS
from dpref.audit.catalogue import catalogue
from dpref.audit.claim_files import VERDICT_SCHEMA, parse_claims
from dpref.audit.empirical import estimate
from dpref.cli import app
from dpref.documents import violations
from proofs import Report, check
from tests.claimed import CLAIM
from tests.effort import WHOLE, part
from tests.witnessed import BY_RUNS_ALONE

HOLDS = "dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one"
REFUTED = "dp-erm-revisited/definition-3.4@as-printed-epsilon-10.5,replace-one"


def dpref(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def process(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from dpref.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def claims_file(tmp_path: Path, *claims: dict[str, Any], name: str = "claims.json") -> str:
    path = tmp_path / name
    path.write_text(json.dumps({"claims": list(claims)}))
    return str(path)


def undecided(tmp_path: Path) -> str:
    """A claim between the two certified ends, which are neighbouring doubles for the best of the accountants."""
    from fractions import Fraction

    from dpref.privacy.accountants import survey
    from dpref.privacy.events.ledger import Gaussian, Ledger
    from dpref.units import ReplaceOne

    surveyed = survey(Ledger(Gaussian(Fraction(1)), ReplaceOne), delta=Fraction(1, 100))
    found = [o.interval for o in surveyed if o.interval is not None]
    middle = (max(Fraction(i.lower) for i in found) + min(Fraction(i.upper) for i in found)) / 2
    claimed = {"measure": "approximate", "epsilon": str(middle), "delta": "1/100"}
    return claims_file(tmp_path, {**CLAIM, "item": "between", "claimed": claimed}, name="between.json")


# ------------------------------------------------------------------------------------ exit codes


def test_one_claim_says_its_outcome(tmp_path: Path) -> None:
    assert dpref("audit", HOLDS, "--trials", "100").exit_code == 0
    assert dpref("audit", REFUTED, "--trials", "100").exit_code == 1
    assert dpref("audit", undecided(tmp_path), "--trials", "100").exit_code == 3


def test_several_claims_say_the_worst(tmp_path: Path) -> None:
    assert dpref("audit", HOLDS, REFUTED, "--trials", "100").exit_code == 1
    assert dpref("audit", HOLDS, undecided(tmp_path), "--trials", "100").exit_code == 3
    assert dpref("audit", REFUTED, undecided(tmp_path), "--trials", "100").exit_code == 1
    assert dpref("audit", "dp-erm-revisited/definition-3.4", "--trials", "100").exit_code == 1


def some_claims() -> list[str]:
    """A part of the catalogue, with a repaired form of every algorithm; all of it where everything is run."""
    repaired = {
        c.algorithm: c.id for c in reversed(catalogue()) if c.form.startswith("repaired") and c.expected == "holds"
    }
    chosen = {claim.id for claim in part(catalogue(), 20)} | {repaired[name] for name in ALGORITHMS}
    return [claim.id for claim in catalogue() if claim.id in chosen]


@pytest.mark.slow
@pytest.mark.whole  # the gate judges every claim in a step of its own
def test_the_catalogue_is_as_recorded() -> None:
    """With few runs; the claims that only runs refute need more (test_online_frank_wolfe_audit.py makes them)."""
    asked = some_claims()
    # One after another, so that they share what is compiled.
    result = dpref("audit", *([] if WHOLE else asked), "--trials", "100", "--json", "--jobs", "1")
    documents = json.loads(result.stdout)
    assert [d["id"] for d in documents] == asked
    assert {d["id"] for d in documents if d["verdict"] != d["expected"]} <= BY_RUNS_ALONE
    assert result.exit_code == 1
    assert all(not list(violations(d, VERDICT_SCHEMA)) for d in documents)
    # No runs show more than the certified upper end, of any registered algorithm's repaired form above all.
    assert not any(d["alarms"] for d in documents)
    repaired = {d["algorithm"] for d in documents if d["form"].startswith("repaired") and d["verdict"] == "holds"}
    assert set(ALGORITHMS) <= repaired


def test_a_catalogue_that_is_not_as_recorded_exits_1(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    wrong = tuple(replace(c, expected="holds") for c in catalogue() if c.id in {HOLDS, REFUTED})
    monkeypatch.setattr("dpref.audit.catalogue.catalogue", lambda: wrong)
    result = dpref("audit", "--trials", "100")
    assert result.exit_code == 1
    assert "not as recorded" in result.stdout
    monkeypatch.setattr("dpref.audit.catalogue.catalogue", lambda: wrong[:1])
    assert dpref("audit", "--trials", "100").exit_code == 0


# ------------------------------------------------------------------------------------ output


@pytest.mark.slow
def test_json_is_all_that_standard_output_holds() -> None:
    result = process("audit", HOLDS, REFUTED, "--trials", "100", "--json", "--seed", "9")
    assert result.returncode == 1
    assert [d["verdict"] for d in json.loads(result.stdout)] == ["holds", "refuted"]
    assert result.stderr == ""
    assert json.loads(result.stdout)[0]["empirical"]["seed"] == 9


def test_the_table_names_claim_adjacency_and_verdict() -> None:
    result = dpref("audit", HOLDS, REFUTED, "--trials", "100")
    for word in ("definition-3.4@as-printed-epsilon-1", "replace-one", "holds", "refuted", "11.04", "all as recorded"):
        assert word in result.stdout


def test_one_claim_is_shown_with_its_details() -> None:
    result = dpref("audit", REFUTED, "--trials", "100")
    for word in (
        "Gaussian Mechanism preservers",
        "certified witness",
        "omits epsilon <= 1",
        "rests on",
        "charitable",
        "evidence",
        "slack",
        "exactly Gaussian",
    ):
        assert word in result.stdout


def test_the_result_does_not_depend_on_jobs() -> None:
    one = dpref("audit", HOLDS, "--trials", "600", "--json", "--jobs", "1").stdout
    assert one == dpref("audit", HOLDS, "--trials", "600", "--json", "--jobs", "3").stdout


def test_confidence_is_exact_and_used() -> None:
    (document,) = json.loads(dpref("audit", HOLDS, "--trials", "100", "--json", "--confidence", "9/10").stdout)
    assert document["empirical"]["confidence"] == "0.9"


def test_an_alarm_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    def exaggerated(*arguments: Any) -> Any:
        return replace(estimate(*arguments), epsilon=1e6)

    monkeypatch.setattr("dpref.audit.verdict.estimate", exaggerated)
    result = dpref("audit", HOLDS, "--trials", "100")
    assert result.exit_code == 3
    assert "ALARM" in result.stderr
    assert "ALARM" in result.stdout


def test_list_names_the_claims_and_as_json_is_a_claims_file() -> None:
    assert dpref("audit", "--list").stdout.split() == [claim.id for claim in catalogue()]
    assert parse_claims(dpref("audit", "--list", "--json").stdout) == catalogue()
    assert dpref("audit", "dp-erm-revisited/definition-3.4", "--list").stdout.split() == [HOLDS, REFUTED]


def test_an_old_name_of_a_claim_is_understood_with_a_note() -> None:
    result = dpref("audit", "dp-erm-revisited/theorem-4.1@as-printed-output,replace-one", "--list")
    assert result.exit_code == 0
    assert result.stdout.split() == ["dp-erm-revisited/equation-3@without-range-output,replace-one"]
    assert "dpref: note: dp-erm-revisited/theorem-4.1@as-printed-output,replace-one is now" in result.stderr


@pytest.mark.slow
def test_html_is_written(tmp_path: Path) -> None:
    path = tmp_path / "audit.html"
    assert dpref("audit", HOLDS, "--trials", "100", "--html", str(path)).exit_code == 0
    assert HOLDS in path.read_text("utf-8")


def test_words_of_a_claims_file_are_shown_as_they_stand(tmp_path: Path) -> None:
    words = {"statement": "noise [red]small[/red] [/nope]", "reading": "[/]"}
    result = dpref("audit", claims_file(tmp_path, {**CLAIM, **words}), "--trials", "100")
    assert result.exit_code == 0
    for word in words.values():
        assert word in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("charitable", "somebody/theorem-2@as-printed,replace-one", "claims[0].charitable: 'somebody/theorem-2"),
        ("obligations", ["zcdp/to-dp", "[bold]x"], "claims[0].obligations[1]: '[bold]x' must be an obligation"),
    ],
)
def test_a_claims_file_that_refers_to_nothing_is_refused(tmp_path: Path, field: str, value: Any, place: str) -> None:
    result = dpref("audit", "--list", claims_file(tmp_path, {**CLAIM, field: value}))
    assert result.exit_code == 2
    assert place in result.output
    known = {"charitable": HOLDS, "obligations": ["zcdp/to-dp"]}[field]
    assert dpref("audit", "--list", claims_file(tmp_path, {**CLAIM, field: known})).exit_code == 0


def test_claims_of_a_file_and_of_the_catalogue_go_together(tmp_path: Path) -> None:
    result = dpref("audit", claims_file(tmp_path, CLAIM), HOLDS, "--trials", "100", "--json")
    assert [d["id"] for d in json.loads(result.stdout)] == ["somebody/theorem-1@as-printed,replace-one", HOLDS]


def test_algorithms() -> None:
    documents = json.loads(dpref("algorithms", "--json").stdout)
    assert all(d["paper"] and d["evidence"] for d in documents)
    claims = {d["name"]: d["claims"] for d in documents}
    for name in ("gradient-descent", "dynamic-gradient-descent"):
        assert claims[name] == [claim.id for claim in catalogue() if claim.algorithm == name] != []
    assert "gradient-descent" in dpref("algorithms").stdout


@pytest.mark.slow
def test_prove(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_checked", lambda *_: {row.id: row for row in report.rows})
    result = dpref("prove", "--json", "--paper", "gaussian")
    document = json.loads(result.stdout)
    assert document["ok"] is True
    assert result.exit_code == 0
    assert {row["paper"] for row in document["obligations"]} == {"gaussian"}
    shown = dpref("prove", "--formulas", "refuted")
    assert shown.exit_code == 0
    assert "dynamic-privacy-budget/printed-rho" in shown.stdout


def test_version_and_help_load_nothing_heavy() -> None:
    result = process("--version")
    assert (result.returncode, result.stdout.strip()) == (0, f"dpref {__version__}")
    imports = (
        "import sys; sys.argv=['dpref','--help']\nfrom dpref.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    )
    heavy = "print(sorted({'numpy','flint','numba','sympy','matplotlib','jsonschema','jinja2'} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", imports + heavy],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert result.stdout.splitlines()[-1] == "[]"


# ------------------------------------------------------------------------------------ mistakes


def refusal(*arguments: str) -> str:
    """What stands on the standard error of a command that is refused, which says nothing else."""
    result = dpref(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert "Traceback" not in result.output
    return result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit", "nobody/nothing"), "no claim is named 'nobody/nothing'"),
        (("audit", HOLDS[:-1]), f"did you mean {HOLDS}"),
        (("audit", ""), "no claim is named ''"),
        (("audit", "missing.json"), "missing.json: cannot be read"),
        (("audit", HOLDS, "--trials", "99"), "trials = 99: must be at least 100"),
        (("audit", HOLDS, "--trials", "-1"), "trials = -1"),
        (("audit", HOLDS, "--trials", "many"), "--trials"),
        (("audit", HOLDS, "--trials", "99999999999999999999"), "must be at most 10000000"),
        (("audit", HOLDS, "--seed", "-1"), "seed = -1"),
        (("audit", HOLDS, "--jobs", "0"), "jobs = 0"),
        (("audit", HOLDS, "--confidence", "nan"), "confidence = 'nan'"),
        (("audit", HOLDS, "--confidence", "1"), "confidence = 1: must lie strictly between 0 and 1"),
        (("audit", HOLDS, "--confidence", "-0.5"), "confidence = '-0.5'"),
        (("audit", HOLDS, "--confidence", "1/0"), "must not divide by zero"),
        (("audit", HOLDS, "--colour"), "--colour"),
        (("audit", HOLDS, "--html", "/nowhere/at/all.html"), "cannot be written: No such file"),
        (("audit", HOLDS, "--html", "."), "cannot be written"),
        (("prove", "--paper", "unheard-of"), "paper = 'unheard-of': must be one of gaussian, zcdp"),
        (("prove", "--formulas", "true"), "formulas = 'true': must be one of proved, certified, by construction"),
        (("unheard-of",), "unheard-of"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: tuple[str, ...], message: str) -> None:
    assert message in refusal(*arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: is not JSON"),
        ('{"claims": [NaN]}', "NaN is not a number that JSON knows"),
        ('{"claims": []}', "claims: must be a list of 1 to 1000 claims"),
        (
            json.dumps({"claims": [{**CLAIM, "claimed": {"measure": "zcdp", "rho": 0.5}}]}),
            "claims[0].claimed.rho: must be",
        ),
        (json.dumps({"claims": [{**CLAIM, "claimed": {"measure": "zcdp", "rho": "0"}}]}), "must be positive"),
        (json.dumps({"claims": [{**CLAIM, "parameters": {"noise_multiplier": 0}}]}), "noise_multiplier"),
        (
            json.dumps({"claims": [{**CLAIM, "parameters": {"noise_multiplier": 1, "count": -3}}]}),
            "as-printed,replace-one: count = -3",
        ),
        (json.dumps({"claims": [{**CLAIM, "algorithm": "unheard-of"}]}), "algorithm = 'unheard-of'"),
        (json.dumps({"claims": [CLAIM, CLAIM]}), "must not repeat"),
    ],
)
def test_a_bad_claims_file_is_refused_by_name_and_nothing_is_written(tmp_path: Path, text: str, message: str) -> None:
    path, page = tmp_path / "claims.json", tmp_path / "page.html"
    path.write_text(text)
    assert message in refusal("audit", str(path), "--trials", "100", "--html", str(page))
    assert names(tmp_path) == ["claims.json"]


def test_two_claims_of_one_name_are_refused(tmp_path: Path) -> None:
    first = claims_file(tmp_path, CLAIM)
    second = claims_file(tmp_path, {**CLAIM, "claimed": {"measure": "zcdp", "rho": 1}}, name="other.json")
    assert "has another claim named" in refusal("audit", first, second, "--trials", "100")
    assert dpref("audit", first, first, "--trials", "100").exit_code == 0


@pytest.mark.slow
def test_no_traceback_from_a_real_process(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"\xff")
    result = process("audit", str(broken))
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("dpref: ")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [("audit", "--list", "--json"), ("--version",)])
def test_output_that_cannot_be_written_is_one_line(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "dpref", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
            cwd=Path(__file__).parents[1],
        )
    assert (result.returncode, result.stderr) == (2, "dpref: standard output: No space left on device\n")


@pytest.mark.slow
def test_an_interrupted_audit_leaves_nothing_and_says_nothing(tmp_path: Path) -> None:
    """Ctrl-C where the runs are drawn and are about to be judged."""
    arguments = ["audit", HOLDS, "--trials", "100", "--html", str(tmp_path / "audit.html")]
    code = (
        "import os, signal, time; from dpref.audit import verdict; from dpref.cli import main;"
        # A shell starts its background jobs deaf to Ctrl-C, and with them the tests.
        " signal.signal(signal.SIGINT, signal.default_int_handler);"
        " verdict.estimate = lambda *_: (os.kill(os.getpid(), signal.SIGINT), time.sleep(1)); main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=Path(__file__).parents[1],
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")
    assert names(tmp_path) == []
