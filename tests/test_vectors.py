"""Golden vectors: the same bytes every time, ids that keep their meaning, and bugs that they find."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from dpref.algorithms.registry import ALGORITHMS
from dpref.cli import app
from dpref.errors import InvalidArgumentError
from dpref.vectors import index
from dpref.vectors.check import read, recomputed, run
from dpref.vectors.families import FAMILIES
from dpref.vectors.family import Question, ends, exact_text, said
from dpref.vectors.make import INDEX, answered, file_of, index_of, make, text_of
from dpref.vectors.notes import NOTES

CONSUMER = Path(index.__file__).with_name("consumer.mjs")
QUICK = ("sampler", "sensitivity")
# Of the numbers of the first version: a number that is given keeps its question, so that these digests never change.
RELEASED = {
    "accountant": (139, "98d23e43c74d7cb8"),
    "calibration": (19, "69e72d1b63f80123"),
    "sensitivity": (82, "b54d30bf0cfe5d20"),
    "sampler": (76, "9e29f7e3a6de3093"),
    "claims": (150, "71c3567d89b961f3"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one family."""
    folder = tmp_path_factory.mktemp("vectors")
    make(folder, ("sampler",), sample=12)
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """The same folder, for a test to spoil."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def texts(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in folder.rglob("*.json")}


def signed(folder: Path) -> Path:
    """The folder with an index that agrees with what is in it: as somebody would who spoils it on purpose."""
    files = texts(folder)
    whole = json.loads(files.pop(INDEX))["whole"]
    (folder / INDEX).write_text(text_of(index_of(files, whole=whole)), encoding="utf-8")
    return folder


def changed(folder: Path, change: Callable[[dict[str, Any]], Any], name: str = "sampler.json") -> Path:
    document = json.loads((folder / name).read_text(encoding="utf-8"))
    change(document)
    (folder / name).write_text(text_of(document), encoding="utf-8")
    return signed(folder)


def listed(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [test for group in document["testGroups"] for test in group["tests"]]


def problems(folder: Path) -> list[str]:
    found = read(folder)
    return [*found.problems, *(recomputed(found) if not found.problems else ())]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["vectors", *arguments])


# ------------------------------------------------------------------------------------ files


def test_the_same_bytes_every_time(made: Path, tmp_path: Path) -> None:
    make(tmp_path, ("sampler",), sample=12)
    assert texts(tmp_path) == texts(made)
    assert set(texts(made)) >= {"index.json", "sampler.json", "schemas/sampler.schema.json"}


def test_a_folder_as_it_was_made_has_no_problem(made: Path) -> None:
    assert problems(made) == []


def test_planted_bug_a_changed_digit_is_seen(copy: Path) -> None:
    path = copy / "sampler.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"bitsConsumed": ', '"bitsConsumed": 1', 1), encoding="utf-8")
    assert problems(copy) == ["sampler.json: was changed: its SHA-256 is not the one of index.json"]
    # Signed anew it is computed again.
    (found,) = problems(signed(copy))
    assert "bitsConsumed is 1" in found


@pytest.mark.slow
def test_planted_bug_a_changed_interval_is_seen(tmp_path: Path) -> None:
    make(tmp_path, ("sensitivity",))

    def widen(document: dict[str, Any]) -> None:
        valid = next(t for t in listed(document) if "distance" in t)
        valid["distance"][0]["upper"] = "1000"

    (found,) = problems(changed(tmp_path, widen, "sensitivity.json"))
    assert 'distance is [{"lower"' in found


def test_planted_bug_a_deleted_test_is_seen(copy: Path) -> None:
    def delete(document: dict[str, Any]) -> None:
        del document["testGroups"][0]["tests"][0]

    assert any("numberOfTests is 12, and 11 are there" in line for line in problems(changed(copy, delete)))

    def count(document: dict[str, Any]) -> None:
        document["numberOfTests"] -= 1

    assert problems(changed(copy, count)) == []  # of a sample nobody can tell; of a whole folder:
    document = json.loads((copy / "index.json").read_text(encoding="utf-8"))
    (copy / "index.json").write_text(text_of(document | {"whole": True}), encoding="utf-8")
    assert any("tests are missing, the first is tcId" in line for line in problems(copy))
    assert any(line == "claims.json: is missing" for line in problems(copy))


def test_planted_bug_a_number_that_stands_twice_is_seen(copy: Path) -> None:
    def repeat(document: dict[str, Any]) -> None:
        tests = document["testGroups"][0]["tests"]
        tests.append(tests[0])
        document["numberOfTests"] += 1

    assert any("stands 2 times" in line for line in problems(changed(copy, repeat)))


def test_planted_bug_a_flag_without_a_note_is_seen(copy: Path) -> None:
    def flag(document: dict[str, Any]) -> None:
        listed(document)[0]["flags"].append("Unexplained")

    assert any("the flag Unexplained has no note" in line for line in problems(changed(copy, flag)))


def test_planted_bug_a_number_that_asks_something_else_is_seen(copy: Path) -> None:
    def ask_more(document: dict[str, Any]) -> None:
        listed(document)[0]["draws"] += 1

    assert any("asks something else than it always did" in line for line in problems(changed(copy, ask_more)))


def test_planted_bug_a_broken_schema_is_seen(copy: Path) -> None:
    def word(document: dict[str, Any]) -> None:
        listed(document)[0]["outputs"] = ["one"]

    assert any("'one' is not of type 'integer'" in line for line in problems(changed(copy, word)))


def test_a_missing_or_an_additional_file_is_seen(copy: Path) -> None:
    (copy / "more.json").write_text("{}", encoding="utf-8")
    (copy / "sampler.json").unlink()
    assert problems(copy) == ["more.json: is not in index.json", "sampler.json: is missing"]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="must be empty or hold vectors alone"):
        make(tmp_path, ("sampler",), sample=1)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


# ------------------------------------------------------------------------------------ numbers


def test_numbers_are_exact_or_rounded_outward() -> None:
    assert [exact_text(Fraction(x)) for x in ("1/128", "-5/2", "1/3", "7")] == ["0.0078125", "-2.5", "1/3", "7"]
    assert Fraction(exact_text(0.1)) == Fraction(0.1)
    held = ends(1 / 3, 2 / 3)
    assert Fraction(held["lower"]) <= Fraction(1 / 3) < Fraction(2 / 3) <= Fraction(held["upper"])
    assert said("1/3") == Fraction(1, 3)
    assert said(math.inf) == math.inf
    for nonsense in (math.nan, "many", None, True, [1]):
        with pytest.raises(InvalidArgumentError, match="answer"):
            said(nonsense)


def questions() -> Iterator[tuple[str, Question]]:
    for family in FAMILIES.values():
        yield from ((family.name, question) for question in family.questions())


@pytest.mark.slow
def test_ids_never_change_meaning() -> None:
    """Every question has its number in the committed index, and every number its question."""
    assert index.updated(FAMILIES.values()) == index.committed(), "python -m dpref.vectors numbers what is new"
    for name, family in FAMILIES.items():
        asked = {family.meaning(q.given, q.result) for q in family.questions()}
        current = {n for n, digest in index.known(name).items() if digest in asked}
        assert current == set(index.known(name)) - set(index.withdrawn(name))


@pytest.mark.parametrize("name", sorted(RELEASED))
def test_the_numbers_of_the_first_version_are_as_they_were(name: str) -> None:
    count, digest = RELEASED[name]
    first = [index.known(name)[number] for number in range(1, count + 1)]
    assert hashlib.sha256("".join(first).encode()).hexdigest()[:16] == digest


def test_planted_bug_an_edited_question_gets_another_number() -> None:
    family = FAMILIES["sampler"]
    question = next(iter(family.questions()))
    assert index.numbered(family, [question], index.known("sampler"))[0][0] == 1
    edited = Question(**{**vars(question), "given": {**question.given, "draws": 9}})
    assert index.numbered(family, [edited], index.known("sampler"))[0][0] == len(index.known("sampler")) + 1
    with pytest.raises(ValueError, match="asked twice"):
        index.numbered(family, [question, question], {})


@pytest.mark.slow
def test_every_registered_algorithm_has_its_vectors_and_every_flag_its_note() -> None:
    named: Counter[tuple[str, str]] = Counter()
    size, flags = 0, set()
    for family, question in questions():
        named[family, str(question.given.get("algorithm", ""))] += 1
        size += len(json.dumps(question.given)) + 1000
        flags |= set(question.flags)
    for family in ("accountant", "sensitivity"):
        assert [name for name in ALGORITHMS if not named[family, name]] == []
    assert flags == set(NOTES)
    assert size < 5_000_000
    assert max(Counter(family for family, _ in questions()).values()) <= 300


def test_an_implementation_that_is_right_passes_and_one_that_is_not_fails(made: Path) -> None:
    folder = read(made)

    def mine(asked: dict[str, Any]) -> Any:
        assert "outputs" not in asked
        return FAMILIES["sampler"].answer(asked, asked["result"])["outputs"] if asked["family"] == "sampler" else None

    report = run(folder, mine)
    assert report.counts("sampler") == {"passes": 12}
    assert run(folder, lambda _: None).counts("sampler") == {"not answered": 12}

    def biased(asked: dict[str, Any]) -> Any:
        return [abs(x) for x in mine(asked) or []]

    assert len(run(folder, biased).failed) > 4


# ------------------------------------------------------------------------------------ another language


def consume(script: str, folder: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; on Debian apt-get install nodejs")
    path = tmp_path / "consumer.mjs"
    path.write_text(script, encoding="utf-8")
    return subprocess.run([node, str(path), str(folder)], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.slow
def test_a_consumer_in_another_language_of_at_most_60_lines_passes(tmp_path: Path) -> None:
    script = CONSUMER.read_text(encoding="utf-8")
    assert len(script.splitlines()) <= 60
    folder = tmp_path / "vectors"
    make(folder, QUICK)
    family, asked = (
        FAMILIES["accountant"],
        [(1, q) for q in FAMILIES["accountant"].questions() if q.topic == "gaussian"],
    )
    (folder / "accountant.json").write_text(text_of(file_of(family, asked, answered(family, asked))), encoding="utf-8")
    found = consume(script, folder, tmp_path)
    assert (found.returncode, found.stdout.splitlines()) == (
        0,
        ["sampler: 76 tests", "sensitivity: 12 tests", "accountant: 22 tests"],
    )
    for right, wrong in (
        ("root(p / q) + 1n", "root(p / q) + 2n"),  # another proposal
        ("negative && size === 0n", "false"),  # minus zero is kept
        ("2n * p * q * t * t", "p * q * t * t"),  # half the variance
        ("most > clip / size ?", "false ?"),  # no clip
        ("1 / e.noise_multiplier ** 2 / 2", "1 / e.noise_multiplier ** 2 / 16"),
        ("* Math.log(1 / delta)", ""),
    ):
        assert script.count(right) == 1
        spoilt = consume(script.replace(right, wrong), folder, tmp_path)
        assert spoilt.returncode == 1, right
        assert "FAILS" in spoilt.stdout


# ------------------------------------------------------------------------------------ the command line


@pytest.mark.slow
def test_the_verbs_and_their_exit_codes(
    made: Path, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        "def nothing(asked): return None",
        "def wrong(asked): return [9] if asked['family'] == 'sampler' else None",
    ]
    (tmp_path / "my_sampler.py").write_text("\n".join(lines), encoding="utf-8")
    assert call("check", str(made), "--jobs", "1").exit_code == 0
    assert call("check", str(made), "--mine", "my_sampler:nothing").exit_code == 3
    found = call("check", str(made), "--mine", "my_sampler:wrong", "--json")
    assert found.exit_code == 1
    document = json.loads(found.stdout)
    assert document["outcomes"]["sampler"] == {"fails": 12}
    assert document["failed"][0]["flags"] == ["ExactCoin"]
    assert "ExactCoin (FLOATING_POINT)" in call("check", str(made), "--mine", "my_sampler:wrong").stdout
    (copy / "sampler.json").write_text("{}", encoding="utf-8")
    assert call("check", str(copy), "--jobs", "1").exit_code == 1
    for arguments in (
        ("check", str(tmp_path / "nowhere")),
        ("check", str(made), "--mine", "my_sampler"),
        ("check", str(made), "--mine", "my_sampler:absent"),
        ("make", str(tmp_path), "--sample", "1"),
        ("make", str(tmp_path / "new"), "--family", "astrology"),
        ("make", str(tmp_path / "new"), "--sample", "0"),
    ):
        refused = call(*arguments)
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1), arguments
    assert call("make", str(tmp_path / "new"), "--family", "sampler", "--sample", "2", "--jobs", "1").exit_code == 0
    assert read(tmp_path / "new").problems == ()


@pytest.mark.slow
def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parents[1] / "docs"
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (docs / "vectors.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    commands = [line.split() for line in blocks[0].splitlines()]
    assert len(commands) == 3
    monkeypatch.chdir(tmp_path)
    shutil.copy(docs / "_static" / "my_accountant.py", tmp_path)
    for command in commands:
        assert command[:2] == ["dpref", "vectors"]
        found = call(*command[2:], *(() if "--mine" in command else ("--jobs", "1")))
        assert found.exit_code == 0, (command, found.output)
    assert blocks[1].split() == ["node", "consumer.mjs", "vectors"]
    assert consume(CONSUMER.read_text(encoding="utf-8"), tmp_path / "vectors", tmp_path).returncode == 0
