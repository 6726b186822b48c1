"""``dpref run``: a table from a file, the plan before the run, and a mistake is one line with rule and mend."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from dpref.cli import app
from dpref.documents import violations
from dpref.errors import DocumentError, InvalidArgumentError
from dpref.fitting import Bounds, Classes, Range, read_table
from dpref.fitting.whole_files import write_whole
from dpref.foreign.replay import read_transcript

HEADER = "age,income,bought\n"
ROWS = "".join(f"{20 + k % 60},{1000 * k},{'yes' if k % 60 > 30 else 'no'}\n" for k in range(80))
BOUNDS: dict[str, Any] = {
    "features": {"age": [18, 90], "income": [0, 80000.5]},
    "target": {"classes": ["no", "yes"]},
}
PAGE = Path(__file__).parents[1] / "docs" / "your-own-data.md"


BUILT = get_command(app)  # once: each build takes longer than a refusal


@pytest.fixture(autouse=True)
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typer.testing._get_command", lambda _: BUILT, raising=False)


def invoke(arguments: list[str]) -> Result:
    return CliRunner().invoke(app, arguments)


def files(tmp_path: Path, table: str = HEADER + ROWS, bounds: object = None) -> list[str]:
    data, public = tmp_path / "people.csv", tmp_path / "bounds.json"
    data.write_text(table, encoding="utf-8")
    public.write_text(bounds if isinstance(bounds, str) else json.dumps(bounds or BOUNDS), encoding="utf-8")
    return ["--data", str(data), "--bounds", str(public)]


def options(**changed: str) -> list[str]:
    given = {"target": "bought", "epsilon": "1", "delta": "1e-5", "adjacency": "replace-one"} | changed
    return [part for name, value in given.items() for part in (f"--{name}", value)]


def run(tmp_path: Path, *more: str, algorithm: str = "gradient-descent", table: str = HEADER + ROWS) -> Result:
    return invoke(["run", algorithm, *files(tmp_path, table), *options(), *more])


def test_the_plan_is_said_before_the_result(tmp_path: Path) -> None:
    result = run(tmp_path, "--set", "steps=3", "--seed", "1")
    assert result.exit_code == 0, result.output
    plan, _, spent = result.stdout.partition("\nspent")
    assert re.search(r"^certified +epsilon in \[0\.99\d*, 1\] at delta = 0\.00001, asked 1$", plan, re.MULTILINE)
    assert "no theorem promises that the answer is better than the start, at n = 80" in plan
    assert "weight of age" in spent
    assert "gaussian(noise_multiplier=" in spent


def test_json_is_all_that_standard_output_holds_and_out_has_the_same(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    result = run(tmp_path, "--set", "steps=3", "--json", "--out", str(out))
    found = json.loads(result.stdout)
    assert found == json.loads(out.read_text())
    assert set(found["weights"]) == {"age", "income"}
    assert float(found["epsilon"]["upper"]) <= 1
    assert (found["adjacency"], found["plan"]["steps"], found["delta"]) == ("replace-one", 3, "1/100000")


def test_plan_only_runs_nothing(tmp_path: Path) -> None:
    result = run(tmp_path, "--plan-only", "--json")
    assert set(json.loads(result.stdout)) == {"plan"}


def test_the_transcript_is_read_back_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    result = run(tmp_path, "--set", "steps=2", "--transcript", str(path))
    assert "it holds your data" in result.stderr
    assert read_transcript(path).steps == 2
    assert list(violations(json.loads(path.read_text()), "transcript.schema.json")) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


MISTAKES: list[tuple[str, str, list[str], str]] = [
    ("", HEADER, [], "must have at least one record below its header"),
    ("", "", [], "is empty: a header with the names of the columns must come first"),
    ("", "age,income\n1,2\n", [], "target = 'bought': is no column of"),
    ("", "age,bought\n1,no\n", [], "bounds = 'income': is no column of"),
    ("", HEADER + ROWS, ["--ignore", "name"], "ignore = 'name': is no column of"),
    ("", HEADER + "20,high,no\n", [], "income = 'high': record 1: must be a finite number"),
    ("", HEADER + "20,1,no\n30,nan,no\n", [], "income = 'nan': record 2: must be a finite number"),
    ("", HEADER + "20,1e999,no\n", [], "income = '1e999': record 1: must be a finite number"),
    ("", HEADER + "20,,no\n", [], "income = '': record 1: must be a finite number: put a value there"),
    ("", HEADER + "20,1,perhaps\n", [], "record 1: must be 'no' or 'yes', the classes that the bounds name"),
    ("", HEADER + "20,1,\n", [], "bought = '': record 1: must not be empty: put a value there"),
    ("", HEADER + "20,1\n", [], "line 2 has 2 cells, the header 3"),
    ("", "age,age,bought\n1,2,no\n", [], "the column 'age' stands twice in its header"),
    ("", "20,20,no\n1,2,no\n", [], "a number stands twice in its first line: a header with names must come first"),
    ("", ROWS, [], "whose first line has numbers in it: a header with the names of the columns must come first"),
    ("", ",age,income,bought\n0,20,1,no\n", [], "leave it out with --ignore ''"),
    ("", HEADER + ROWS, ["--ignore", "age"], "ignore = 'age': cannot be left out: the bounds or the target name it"),
    ("", HEADER + ROWS, ["--ignore", "bought"], "ignore = 'bought': cannot be left out"),
    ("", "age,income,bought,name\n1,2,no,x\n", [], "leave it out with --ignore name"),
    ("", HEADER + '"20,1,no\n', [], "is not CSV"),
    ("", HEADER + ROWS, ["--epsilon", "0"], "epsilon = '0': must be positive"),
    ("", HEADER + ROWS, ["--epsilon", "-1"], "epsilon = '-1': must be positive"),
    ("", HEADER + ROWS, ["--epsilon", "nan"], "epsilon = 'nan': must be an exact number"),
    ("", HEADER + ROWS, ["--delta", "0"], "delta = 0: must lie strictly between 0 and 1"),
    ("", HEADER + ROWS, ["--delta", "1"], "delta = 1: must lie strictly between 0 and 1"),
    ("", HEADER + ROWS, ["--adjacency", "one-off"], "adjacency = 'one-off': must be one of replace-one"),
    ("", HEADER + ROWS, ["--adjacency", "add-or-remove-one"], "the bounds must give a public one"),
    ("", HEADER + ROWS, ["--target", "age"], "must not be one of the bounded features"),
    ("", HEADER + ROWS, ["--loss", "hinge"], "loss = 'hinge': must be one of logistic, squared, huber"),
    ("", HEADER + ROWS, ["--regularisation", "-1"], "regularisation = -1: must not be negative"),
    ("", HEADER + ROWS, ["--radius", "0"], "radius = '0': must be positive"),
    ("", HEADER + ROWS, ["--form", "new"], "form = 'new': must be one of as-printed, repaired"),
    ("", HEADER + ROWS, ["--set", "steps"], "must be NAME=VALUE, each name once"),
    ("", HEADER + ROWS, ["--set", "steps=1", "--set", "steps=2"], "must be NAME=VALUE, each name once"),
    ("", HEADER + ROWS, ["--set", "epsilon=9"], "is for the algorithm's own parameters, and epsilon is none"),
    ("", HEADER + ROWS, ["--set", "stops=9"], "is no parameter of gradient-descent, which has"),
    ("", HEADER + ROWS, ["--set", "steps=1/2"], "steps = '1/2': must be an integer"),
    ("", HEADER + ROWS, ["--set", "steps=0"], "steps = 0: must be at least 1"),
    ("", HEADER + ROWS, ["--set", "output=first"], "output = 'first': must be one of last, random"),
    ("", HEADER + ROWS, ["--seed", "-1"], "seed = -1: must be at least 0"),
    ("mirror-descent", HEADER + ROWS, [], "takes the records of a Game, no features and target; those that do:"),
    ("sgd", HEADER + ROWS, [], "algorithm = 'sgd': must be one of"),
    ("svrg", HEADER + ROWS, ["--adjacency", "add-or-remove-one"], "is analysed under replace-one, zero-out alone"),
    ("accelerated-mirror-descent", HEADER + ROWS, [], "seeks its answer in a ball: give its radius"),
    ("spider", HEADER + ROWS, [], "without one give gamma and kappa of the KL condition yourself"),
    ("adaptive-gradient-descent", HEADER + "20,1,no\n", ["--epsilon", "1e-6"], "n sqrt(rho) / beta must exceed one"),
]


@pytest.mark.parametrize(("algorithm", "table", "more", "message"), MISTAKES, ids=[case[-1] for case in MISTAKES])
def test_a_mistake_is_one_line_and_writes_nothing(
    tmp_path: Path, algorithm: str, table: str, more: list[str], message: str
) -> None:
    out = tmp_path / "result.json"
    changed = dict(zip((name[2:] for name in more[::2] if name != "--set"), more[1::2], strict=False))
    settings = more if "--set" in more else []
    arguments = [*files(tmp_path, table), *options(**({} if settings else changed)), *settings, "--out", str(out)]
    result = invoke(["run", algorithm or "gradient-descent", *arguments])
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert not out.exists()


BAD_BOUNDS = [
    ("{", "is not JSON"),
    ("[]", "the file: must be an object with the public bounds of the features and of the target"),
    ({"features": {"age": [18, 90]}, "target": {"classes": ["no", "yes"]}}, "bounds = 'income': is a column of"),
    ({**BOUNDS, "features": {"age": [90, 18], "income": [0, 1]}}, "bounds of age = '[90, 18]': the least value must"),
    ({**BOUNDS, "features": {"age": [18, 18], "income": [0, 1]}}, "the least value must be below the largest"),
    ({**BOUNDS, "features": {"age": [18, "old"], "income": [0, 1]}}, "bounds of age = 'old': must be an exact number"),
    ({**BOUNDS, "features": {"age": [0, "1e400"], "income": [0, 1]}}, "must be within the range of doubles"),
    ({**BOUNDS, "features": ["age", "income"]}, "norm must bound the Euclidean norm of a record"),
    ({**BOUNDS, "features": {}}, "features"),
    ({**BOUNDS, "target": {"classes": ["no", "no"]}}, "must be two different labels"),
    ({**BOUNDS, "target": {"classes": [1, "1.0"]}}, "must be two different labels"),
    ({**BOUNDS, "target": {"range": [0, 1]}}, "target = 'no': record 1: must be a finite number"),
    ({**BOUNDS, "target": {}}, "target: must be either"),
    ({"target": BOUNDS["target"]}, "'features' is a required property"),
    ({**BOUNDS, "norm": 0}, "norm = 0: must be positive"),
    ({**BOUNDS, "records": 7}, "records = 7: must be the number of records, 80, which is public"),
    ({**BOUNDS, "minimum": "from the data"}, "minimum"),
]


@pytest.mark.parametrize(("bounds", "message"), BAD_BOUNDS, ids=[message for _, message in BAD_BOUNDS])
def test_bad_bounds_are_refused(tmp_path: Path, bounds: object, message: str) -> None:
    arguments = ["run", "gradient-descent", *files(tmp_path, bounds=bounds), *options()]
    result = invoke(arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert message in result.stderr


@pytest.mark.parametrize(("name", "place"), [("out", "."), ("transcript", "nowhere/at/all.json")])
def test_a_place_where_no_file_can_be_is_refused_before_anything_is_spent(
    tmp_path: Path, name: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(tmp_path, f"--{name}", place)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{name} = '{place}': must be a file in a folder that is there" in result.stderr


@pytest.mark.parametrize("name", ["out", "transcript"])
def test_a_pipe_or_a_device_is_no_file_to_replace(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    result = run(tmp_path, f"--{name}", "pipe")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{name} = 'pipe': must be a regular file" in result.stderr
    assert Path("pipe").is_fifo()


def test_a_file_that_is_read_or_written_otherwise_is_not_replaced(tmp_path: Path) -> None:
    given = files(tmp_path)
    data, public, out = tmp_path / "people.csv", tmp_path / "bounds.json", tmp_path / "result.json"
    for more, name in (
        (["--out", str(data)], "out"),
        (["--transcript", str(public)], "transcript"),
        (["--out", str(out), "--transcript", str(tmp_path / "." / "result.json")], "out"),
    ):
        result = invoke(["run", "gradient-descent", *given, *options(), *more])
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{name} = " in result.stderr
        assert "must not be the file of" in result.stderr
    assert data.read_text() == HEADER + ROWS
    assert not out.exists()


def test_an_error_about_a_missing_header_shows_no_record(tmp_path: Path) -> None:
    result = run(tmp_path, table=ROWS)
    assert "20, 0, no" not in result.stderr
    assert "header" in result.stderr


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    result = run(tmp_path, "--out", str(tmp_path / "result.json"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "must be in a folder that can be written: Permission denied" in result.stderr


def test_planted_bug_a_link_in_the_place_of_the_partial_file_takes_no_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the name of that file can be known, whoever may write to the folder can put a link there."""
    victim, path = tmp_path / "victim", tmp_path / "run.json"
    victim.write_text("")
    monkeypatch.setattr("secrets.token_hex", lambda _: "known")
    for name in (".run.json.part", ".dpref-known.part"):
        (tmp_path / name).symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_whole(path, "private", mode=0o600)
    assert (victim.read_text(), path.exists()) == ("", False)


def test_a_file_is_readable_by_whom_its_mode_and_the_mask_say(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "open", "text")
        write_whole(tmp_path / "closed", "text", mode=0o600)
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("open", "closed")] == [0o640, 0o600]


def test_a_seeded_run_is_called_one(tmp_path: Path) -> None:
    seeded, fresh = run(tmp_path, "--set", "steps=1", "--seed", "1"), run(tmp_path, "--set", "steps=1")
    assert seeded.stdout.splitlines()[-1].startswith("warning: the noise was drawn from a seed: ")
    assert "seed" not in fresh.stdout


def test_a_missing_file_and_one_that_is_no_text_are_refused(tmp_path: Path) -> None:
    public = Bounds({"x": (0, 1)}, Classes(0, 1))
    with pytest.raises(DocumentError, match="cannot be read: No such file"):
        read_table(tmp_path / "none.csv", "y", public)
    (tmp_path / "raw.csv").write_bytes(b"x,y\n\xff,1\n")
    with pytest.raises(DocumentError, match="is not UTF-8 text"):
        read_table(tmp_path / "raw.csv", "y", public)


def test_labels_are_compared_by_value_however_they_are_written() -> None:
    assert Classes(0, 1).encoded(["0", "1.0", 1, np.int64(0), True]).tolist() == [-1, 1, 1, -1, 1]
    assert Classes("a", "1e999999999").encoded(["1e999999999", " a"]).tolist() == [1, -1]
    assert Classes("1_0", "10").encoded(["10", "1_0"]).tolist() == [1, -1]  # no number has a line in it


def test_a_numeric_target_is_read_as_a_feature_is() -> None:
    with pytest.raises(InvalidArgumentError, match="target = '1_0': record 1: must be a finite number"):
        Range(0, 10).encoded(["1_0"])


def test_columns_come_in_the_order_of_the_bounds(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("y,b,a,c\n1,2,3,4\n\n0,5,6,7\n")
    table = read_table(tmp_path / "t.csv", "y", Bounds({"a": (0, 1), "b": (0, 1)}, Range(0, 1)), ignored=["c"])
    assert table.features.tolist() == [[3, 2], [6, 5]]
    assert table.target == ["1", "0"]


def test_a_parquet_file_says_the_same_as_the_csv(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is the extra data")
    import pyarrow as pa
    from pyarrow import parquet

    public = Bounds({"a": (0, 1)}, Classes("no", "yes"))
    parquet.write_table(pa.table({"a": [0.5, 2], "y": ["no", "yes"]}), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", "y", public)
    assert (table.features.tolist(), table.target) == ([[0.5], [2.0]], ["no", "yes"])
    parquet.write_table(pa.table({"a": [0.5, None], "y": ["no", "yes"]}), tmp_path / "t.parquet")
    with pytest.raises(InvalidArgumentError, match="a = None: record 2: must be a finite number"):
        read_table(tmp_path / "t.parquet", "y", public)
    (tmp_path / "t.parquet").write_text("no such thing")
    with pytest.raises(DocumentError, match="cannot be read"):
        read_table(tmp_path / "t.parquet", "y", public)


@pytest.mark.slow
def test_the_page_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    table, program = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (public,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    commands = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    exec(table, {})  # noqa: S102 - the page's own
    Path("bounds.json").write_text(public)
    results = [invoke(line.split()[1:]) for line in commands]
    assert [result.exit_code for result in results] == [0] * len(commands), [r.stderr for r in results]
    assert results[0].stdout == shown
    found: dict[str, Any] = {}
    exec(program, found)  # noqa: S102
    assert found["right"] > 3500  # of 5,000; 100 seeded runs gave 4,331 to 4,900, and the start alone gives half


def test_a_file_whose_name_a_terminal_would_obey_is_named_with_its_characters_written_out() -> None:
    words = ["--target", "y", "--epsilon", "1", "--delta", "1e-5", "--adjacency", "replace-one"]
    result = invoke(["run", "gradient-descent", "--data", "t.csv", "--bounds", "\x1b[31m", *words])
    assert result.exit_code == 2
    assert result.stderr == "dpref: \\x1b[31m: cannot be read: No such file or directory\n"
