"""``dpref audit`` of a callable with a store: killed at random moments, resumed, told where its chunks are run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dpref.cli import app
from dpref.cli.long import place
from dpref.errors import InvalidArgumentError
from property_tests.killed_audits import command, under_fire, undisturbed
from tests.effort import runs


@pytest.mark.slow
def test_killed_at_random_moments_and_begun_again_it_prints_the_same(tmp_path: Path) -> None:
    """The 20 kills of ``python -m property_tests.killed_audits`` take minutes; here are a few, of one process."""
    expected, seconds = undisturbed(2_000)
    assert (expected.code, json.loads(expected.printed)["verdict"]) == (3, "not refuted")
    moments = iter(np.random.default_rng(1).uniform(0, seconds, size=1_000).tolist())
    for found in under_fire(tmp_path, 2_000, 1, runs(20, 2), moments):
        assert found[:2] == expected[:2]
    # And the chunks that were kept are all that the same command needs, from anywhere in the store's life.
    again = subprocess.run([*command(2_000, 1, tmp_path / "0"), "--resume"], capture_output=True, check=False)
    assert again.stdout == expected.printed
    assert again.stderr.decode().splitlines()[-1] == f"dpref: {tmp_path / '0'}: 20 chunks found, 0 run"


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    audit = command(400, 1, None)[3:]
    none = ["--store", str(tmp_path / "none")]
    cases = [
        ([*audit, "--resume"], "dpref: --resume = True: needs --store DIR"),
        ([*audit, *none, "--resume"], "must exist to be resumed; without resume it is made"),
        ([*audit, "--executor", "nobody"], "executor = 'nobody': must be threads, processes, loky, ray, dask:ADDRESS"),
        (["audit", "kl-condition/theorem-9", "--executor", "threads"], "is about a callable"),
    ]
    for words, expected in cases:
        found = CliRunner().invoke(app, words)
        assert (found.exit_code, found.stdout) == (2, ""), words
        (line,) = found.stderr.splitlines()
        assert expected in line
    assert list(tmp_path.iterdir()) == []


def test_options_without_a_store_are_refused() -> None:
    nothing = {"store": None, "jobs": None, "executor": None, "resume": False, "code_version": None}
    with place(nothing) as where:
        assert where == {"executor": None, "store": None}
    with pytest.raises(InvalidArgumentError, match="--code-version"), place(nothing | {"code_version": "1"}):
        pass
