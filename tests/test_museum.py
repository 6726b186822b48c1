"""The museum: its own evidence refutes every broken form and no fixed one; and the score of auditors is counted."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from dpref.cli import app
from dpref.errors import InvalidArgumentError
from dpref.foreign.pairs import Pair, neighbours
from dpref.museum import auditors, score, table
from dpref.museum.auditors import auditor_named, mean_threshold
from dpref.museum.catalogue import exhibits
from dpref.museum.evidence import first_difference, too_small, witnessed
from dpref.museum.exhibit import Accounting, Exhibit, Loop, Release, Source
from tests.effort import part

RELEASES = [e for e in exhibits() if isinstance(e, Release)]
ACCOUNTINGS = [e for e in exhibits() if isinstance(e, Accounting)]
LOOPS = [e for e in exhibits() if isinstance(e, Loop)]
WITNESSED = [e for e in RELEASES if e.witness is not None]
FOLDER = Path(inspect.getfile(auditors)).parent / "exhibits"


def by_id(exhibit: Exhibit) -> str:
    return exhibit.id


def always(f: Any, pair: Any, claim: Any, trials: int, seed: int) -> bool:
    return True


def never(f: Any, pair: Any, claim: Any, trials: int, seed: int) -> tuple[bool, float]:
    return False, 0.0


def unable(f: Any, pair: Any, claim: Any, trials: int, seed: int) -> bool:
    raise ValueError("no scores")


def test_there_are_enough_published_bugs_and_each_names_what_was_read() -> None:
    published = [e for e in exhibits() if all(s.address.startswith("https://") for s in e.sources) and e.sources]
    assert len(published) == len(exhibits()) >= 25
    assert len({e.id for e in exhibits()}) == len(exhibits())


def test_a_third_is_held_out_by_its_id_alone() -> None:
    held = [e.id for e in exhibits() if e.held_out]
    assert len(exhibits()) / 4 < len(held) < len(exhibits()) / 2
    other = Loop(id=held[0], title="", bug_class="state", sources=(Source(""),), broken=list, fixed=list,  # type: ignore[arg-type]
                 data=np.zeros(1), tape=np.zeros(1), differs=(0, ""))  # fmt: skip
    assert other.held_out


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_an_exhibit_needs_numpy_alone(path: Path) -> None:
    allowed = {
        "numpy",
        "numpy.random",
        "numpy.typing",
        "__future__",
        "collections.abc",
        "fractions",
        "math",
        "statistics",
        "typing",
    }
    ours = {"dpref.foreign.claims", "dpref.museum.exhibit", "dpref.reals", "dpref.units"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    found |= {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert found <= allowed | ours


def test_every_file_of_exhibits_is_in_the_catalogue() -> None:
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    every = [e for name in files for e in import_module(f"dpref.museum.exhibits.{name}").EXHIBITS]
    assert {e.id for e in every} == {e.id for e in exhibits()}


@pytest.mark.parametrize("exhibit", RELEASES, ids=by_id)
def test_the_pairs_are_neighbours(exhibit: Release) -> None:
    assert neighbours(Pair(exhibit.d0, exhibit.d1), exhibit.adjacency).problem == ""


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", part(WITNESSED, 16), ids=by_id)
def test_the_witness_refutes_the_broken_form_and_not_the_fixed_one(exhibit: Release) -> None:
    assert witnessed(exhibit, "broken", seed=0)
    assert not witnessed(exhibit, "fixed", seed=0)


def test_what_shows_values_or_bits_has_a_witness_and_what_is_safe_has_none() -> None:
    assert {e.id for e in RELEASES if e.level != "safe"} == {e.id for e in WITNESSED}


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", ACCOUNTINGS, ids=by_id)
def test_a_certified_interval_refutes_the_report_of_the_broken_form(exhibit: Accounting) -> None:
    assert too_small(exhibit, "broken") == (exhibit.level == "accountant")
    assert not too_small(exhibit, "fixed")


@pytest.mark.parametrize("exhibit", LOOPS, ids=by_id)
def test_the_first_difference_is_where_the_mistake_is(exhibit: Loop) -> None:
    assert first_difference(exhibit) == exhibit.differs


def test_the_same_batches_whether_the_size_comes_first_or_each_record_has_its_coin() -> None:
    from math import comb

    n, rate = 5, Fraction(1, 3)
    for size in range(n + 1):
        chance_of_a_size = comb(n, size) * rate**size * (1 - rate) ** (n - size)
        assert chance_of_a_size / comb(n, size) == rate**size * (1 - rate) ** (n - size)


# ------------------------------------------------------------------------------------ the score


def scored(name: str, seeds: int = 1) -> list[dict[str, Any]]:
    return score.to_json(score.results(score.cases([f"tests.test_museum:{name}"], 100, seeds), jobs=1))


def test_who_always_refutes_catches_all_and_is_unsound() -> None:
    entries = scored("always")
    total = score.totals(entries)[0]
    assert total.caught == total.broken == sum(e["level"] in {"values", "bits"} for e in entries)
    assert total.alarms == total.correct
    assert total.unsound
    assert "unsound" in " ".join(table.summary(total))


def test_who_never_refutes_catches_nothing_and_is_sound() -> None:
    total = score.totals(scored("never"))[0]
    assert total.caught == total.alarms == 0
    assert not total.unsound
    assert total.problems == 0


def test_who_cannot_judge_is_reported() -> None:
    entries = scored("unable")
    assert entries[0]["auditors"]["tests.test_museum:unable"]["problem"] == "ValueError: no scores"
    assert score.totals(entries)[0].problems == len(RELEASES)


def test_calls_are_counted() -> None:
    exhibit = next(e for e in RELEASES if e.id == "privcount-noise-never-added")
    found = score.judge(score.Case("mean", exhibit.id, "broken", 0, 1_000))
    assert found.calls == 2_000
    assert found.finding is not None
    assert found.finding.refuted


def test_a_threshold_on_the_mean_sees_a_shift_and_not_its_absence() -> None:
    def shifted(data: float, rng: np.random.Generator) -> float:
        return data + rng.normal()

    claim = RELEASES[0].claim
    assert mean_threshold(shifted, (0, 5), claim, 2_000, 0)[0]
    assert not mean_threshold(shifted, (0, 0), claim, 2_000, 0)[0]


def test_an_unknown_auditor_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"auditor = 'nobody': must be one of dpref, "):
        auditor_named("nobody")


def museum(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["museum", "--jobs", "1", "--trials", "100", *arguments])


def test_json_is_an_array_with_an_object_for_every_exhibit() -> None:
    result = museum("--auditor", "tests.test_museum:never", "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert [entry["id"] for entry in document] == [e.id for e in exhibits()]


def test_an_unsound_auditor_is_exit_code_one_and_both_tables_are_shown() -> None:
    result = museum("--auditor", "tests.test_museum:always", "--auditor", "tests.test_museum:never")
    assert result.exit_code == 1
    assert "unsound" in result.stdout
    assert "wishart" in result.stdout


@pytest.mark.parametrize(("arguments", "rule"), [
    (("--auditor", "nobody"), "auditor = 'nobody'"),
    (("--trials", "3"), "trials = 3"),
    (("--seeds", "0"), "seeds = 0"),
    (("--json", "--markdown"), "json = True: excludes --markdown"),
])  # fmt: skip
def test_bad_usage_is_one_line_and_exit_code_two(arguments: tuple[str, ...], rule: str) -> None:
    result = CliRunner().invoke(app, ["museum", "--jobs", "1", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"dpref: {rule}")
    assert result.stderr.count("\n") == 1


def test_the_tables_in_markdown_have_a_row_for_every_exhibit() -> None:
    text = table.markdown(scored("never"), 100, 1)
    lines = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(lines) == len(exhibits()) + 3


def test_the_commands_of_the_page_are_ones_that_the_command_line_takes() -> None:
    page = (Path(__file__).parents[1] / "docs" / "foreign" / "museum.md").read_text(encoding="utf-8")
    lines = re.findall(r"^dpref (museum.*)$", page.replace("\\\n", ""), re.MULTILINE)
    assert len(lines) >= 5
    for line in lines:
        verb, *arguments = shlex.split(line, comments=True)
        command = get_command(app).commands[verb]  # type: ignore[attr-defined]
        command.make_context(verb, arguments)


def test_the_page_shows_the_score_of_every_exhibit() -> None:
    text = (Path(__file__).parents[1] / "docs" / "foreign" / "museum-score.inc").read_text(encoding="utf-8")
    first = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")]
    assert first[-len(exhibits()) :] == [e.id for e in exhibits()]
