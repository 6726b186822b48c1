"""``dpref audit package.module:function``: exit codes, what goes where, and mistakes in one line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dpref.cli import app

MODULE = """
import numpy as np
from fractions import Fraction
from dpref.privacy.events.ledger import Gaussian, Ledger
from dpref.units import ReplaceOne

pair = np.zeros(9), np.eye(9)[0]
far = np.zeros(9), np.ones(9)
ledger = Ledger(Gaussian(Fraction(1)), ReplaceOne)


def several():
    yield np.zeros(9), np.zeros(9)
    yield pair


def broken(data, rng):
    return data.sum() + rng.laplace(scale=0.3)


def correct(data, rng):
    return round(data.sum() + rng.laplace(scale=2.0), 2)


def batch(data, rng, n):
    return data.sum() + rng.laplace(scale=0.3, size=n)


def raises(data, rng):
    raise ValueError("no")


def log_ratio(outputs):
    return np.array(outputs)
"""
CLAIM = ("--epsilon", "1", "--adjacency", "replace-one", "--trials", "400", "--no-learn")
PAIR = ("--pair", "judged_by_dpref:pair")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "judged_by_dpref.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("judged_by_dpref", None)


def audit(function: str, *options: str) -> Any:
    return CliRunner().invoke(app, ["audit", f"judged_by_dpref:{function}", *options])


def test_refuted_is_one() -> None:
    result = audit("broken", *PAIR, *CLAIM)
    assert result.exit_code == 1, result.output
    assert "verdict    refuted" in result.stdout
    assert "400 pairs of runs, error 0.001: the largest epsilon that can be shown is 3.23" in result.stderr
    assert "is searched for modules" in result.stderr


def test_not_refuted_is_three_and_never_nothing() -> None:
    result = audit("correct", *PAIR, *CLAIM)
    assert result.exit_code == 3, result.output
    assert "not refuted" in result.stdout
    assert "these runs could have shown" in result.stdout
    assert "pairs of runs at the least" in result.stdout


def test_not_refuted_may_be_accepted_and_then_it_is_said() -> None:
    result = audit("correct", *PAIR, *CLAIM, "--accept-not-refuted")
    assert result.exit_code == 0
    assert "it shows nothing" in result.stderr.splitlines()[-1]


def test_json_is_one_object_and_nothing_else() -> None:
    result = audit("broken", *PAIR, *CLAIM, "--json", "--ledger", "judged_by_dpref:ledger")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["verdict"], found["trials"]) == (1, "refuted", 400)
    assert {"claimed", "empirical", "ceiling", "seed", "score"} <= set(found)
    assert found["empirical"]["lower"] > 1
    assert found["declared"]["status"] == "declared, not checked"


def test_an_error_is_two_and_one_line() -> None:
    result = audit("raises", *PAIR, *CLAIM)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].startswith("dpref: judged_by_dpref:raises raised ValueError: no (in run 0")
    far = audit("broken", "--pair", "judged_by_dpref:far", *CLAIM)
    assert far.exit_code == 2
    assert "9 records differ" in far.stderr


def test_batches_scores_several_pairs_and_bits() -> None:
    options = ("--batched", "--score", "judged_by_dpref:log_ratio", "--pair", "judged_by_dpref:several", "--bits")
    result = audit("batch", *options, *CLAIM, "--trials", "600")
    assert result.exit_code == 1, result.output
    assert "candidate 1" in result.stdout


@pytest.mark.parametrize("claim", [("--rho", "0.01"), ("--mu", "1/10")])
def test_other_claims(claim: tuple[str, str]) -> None:
    result = audit("broken", *PAIR, *claim, *CLAIM[2:])
    assert result.exit_code == 1, result.output
    assert claim[0].strip("-") in result.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((*PAIR, "--epsilon", "1"), "--adjacency"),
        (CLAIM, "--pair"),
        ((*PAIR, "--adjacency", "replace-one"), "must be given by exactly one of --epsilon, --rho and --mu"),
        ((*PAIR, *CLAIM, "--mu", "1"), "must be given by exactly one of --epsilon, --rho and --mu"),
        ((*PAIR, "--rho", "1", "--delta", "0.1", "--adjacency", "zero-out"), "must not be given with --rho"),
        ((*PAIR, "--epsilon", "x", "--adjacency", "zero-out"), "must be an exact number"),
        ((*PAIR, "--epsilon", "1", "--adjacency", "zero"), "must be one of replace-one"),
        ((*PAIR, "--epsilon", "9", "--adjacency", "replace-one"), "ask for --trials 63323 at the least"),
        ((*PAIR, "--epsilon", "800", "--adjacency", "replace-one"), "cannot be refuted by any number of runs"),
        (("--pair", "judged_by_dpref:nothing", *CLAIM), "has no nothing"),
        (("--pair", "nowhere:pair", *CLAIM), "cannot be imported"),
        ((*PAIR, *CLAIM, "--trials", "7"), "must be at least"),
        ((*PAIR, "--epsilon", "-1", "--adjacency", "zero-out"), "epsilon = '-1': must not be negative"),
        ((*PAIR, *CLAIM, "--error", "0"), "error = 0: must lie strictly between 0 and 1"),
        ((*PAIR, *CLAIM, "--error", "1"), "error = 1: must lie strictly between 0 and 1"),
        ((*PAIR, *CLAIM, "--error", "1e-400"), "must lie between 1e-100 and 1e100"),
        ((*PAIR, *CLAIM, "--html", "x.html"), "--html = 'x.html': is about claims of papers"),
        ((*PAIR, *CLAIM, "--quick"), "--quick = 'True': is about claims of papers"),
        ((*PAIR, *CLAIM, "--store", "x", "--no-store"), "contradicts --store"),
        ((*PAIR, *CLAIM, "--seeding", "x"), "must be one of argument, seed, own"),
    ],
)
def test_a_mistake_is_one_line_that_names_it(options: tuple[str, ...], words: str) -> None:
    result = audit("broken", *options)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert words in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("option", [("--epsilon", "1"), ("--accept-not-refuted",), ("--resume",), ("--no-learn",)])
def test_options_of_callables_are_refused_for_claims(option: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["audit", "dp-erm-revisited/definition-3.4", *option])
    assert result.exit_code == 2
    assert "is about a callable" in result.stderr


def test_a_callable_comes_alone() -> None:
    result = CliRunner().invoke(app, ["audit", "a:b", "dp-erm-revisited"])
    assert result.exit_code == 2


PAGE = Path(__file__).parents[1] / "docs" / "foreign" / "callables.md"


@pytest.mark.slow
def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    module, example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "mine.py").write_text(module, encoding="utf-8")
    (commands,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    codes = [CliRunner().invoke(app, line.split()[1:]).exit_code for line in commands.splitlines()]
    assert codes == [1, 3, 1, 1, 1]
    exec(example, {})  # noqa: S102 - the page's own
    sys.modules.pop("mine", None)
