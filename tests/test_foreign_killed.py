"""``dpref audit`` of a callable with a store: killed at random moments, resumed, told where its chunks are run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dpref.cli_long import place
from dpref.errors import InvalidArgumentError
from property_tests.killed_audits import command, under_fire, undisturbed
from tests.effort import runs

pytestmark = pytest.mark.slow


def run(words: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words, capture_output=True, check=False)


def test_killed_at_random_moments_and_begun_again_it_prints_the_same(tmp_path: Path) -> None:
    """The 20 kills of ``python -m property_tests.killed_audits`` take minutes; here are a few, of two processes."""
    expected, seconds = undisturbed(1_000)
    assert (expected.code, json.loads(expected.printed)["verdict"]) == (3, "not refuted")
    moments = iter(np.random.default_rng(1).uniform(0, seconds, size=1_000).tolist())
    for found in under_fire(tmp_path, 1_000, 2, runs(20, 2), moments):
        assert found[:2] == expected[:2]
    # And the chunks that were kept are all that the same command needs, from anywhere in the store's life.
    again = run([*command(1_000, 1, tmp_path / "0"), "--resume"])
    assert again.stdout == expected.printed
    assert again.stderr.decode().splitlines()[-1] == f"dpref: {tmp_path / '0'}: 50 chunks found, 0 run"


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    cases = [
        (["--resume"], "dpref: --resume = True: needs --store DIR"),
        (["--store", str(tmp_path / "none"), "--resume"], "must exist to be resumed; without resume it is made"),
        (
            ["--executor", "nobody"],
            "dpref: executor = 'nobody': must be threads, processes, loky, ray, dask:ADDRESS or",
        ),
    ]
    for words, expected in cases:
        found = run([*command(400, 1, None), *words])
        assert (found.returncode, found.stdout) == (2, b"")
        (line,) = found.stderr.decode().splitlines()
        assert expected in line
    assert list(tmp_path.iterdir()) == []


def test_a_store_is_not_for_the_built_in_claims() -> None:
    found = run([*command(400, 1, None)[:4], "kl-condition/theorem-9", "--store", "x"])
    assert (found.returncode, found.stdout) == (2, b"")
    assert "is about a callable" in found.stderr.decode()


def test_options_without_a_store_are_refused() -> None:
    nothing = {"store": None, "jobs": None, "executor": None, "resume": False, "code_version": None}
    with place(nothing) as where:
        assert where == {"executor": None, "store": None}
    with pytest.raises(InvalidArgumentError, match="--code-version"), place(nothing | {"code_version": "1"}):
        pass
