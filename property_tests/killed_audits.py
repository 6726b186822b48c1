"""An audit that is killed at random moments, and begun again by the same command until it ends.

``python -m property_tests.killed_audits [--kills 20] [--seed 0] [--jobs 1] [--trials 3000]`` runs ``dpref audit`` of a
mechanism here with a store, kills its whole group of processes (``SIGKILL``) after random times, begins it again, and
compares the JSON that it prints in the end with that of an undisturbed audit, byte for byte.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PAIR = (np.zeros(9), np.eye(9)[0])
LONGEST = 600.0  # seconds, after which an audit hangs


def noisy(data: Any, rng: np.random.Generator, n: int) -> Any:
    """A sum at its claim of epsilon = 1, slowly."""
    time.sleep(0.01)
    return data.sum() + rng.laplace(scale=1.0, size=n)


class Outcome(NamedTuple):
    """How a command ended.

    Attributes:
        code: The exit code.
        printed: Its standard output.
        told: Its standard error.
    """

    code: int
    printed: bytes
    told: str


def command(trials: int, jobs: int, store: Path | None) -> list[str]:
    """The audit's command line."""
    here = "property_tests.killed_audits"
    words = [sys.executable, "-m", "dpref", "audit", f"{here}:noisy", "--pair", f"{here}:PAIR", "--epsilon", "1"]
    words += ["--adjacency", "replace-one", "--batched", "--trials", str(trials), "--no-learn", "--json"]
    words += ["--jobs", str(jobs)] if jobs > 1 else []
    return [*words, "--store", str(store)] if store else words


def ended(words: list[str], patience: float) -> Outcome | None:
    """How a command ends, or None if it was killed, with all its processes, because it had not by then."""
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        printed, told = running.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        return None
    return Outcome(running.returncode, printed, told.decode())


def undisturbed(trials: int) -> tuple[Outcome, float]:
    """An audit without a store, and how many seconds it took."""
    began = time.monotonic()
    found = ended(command(trials, 1, None), LONGEST)
    if found is None:
        raise TimeoutError(f"the audit had not ended after {LONGEST} s")
    return found, time.monotonic() - began


def under_fire(folder: Path, trials: int, jobs: int, kills: int, moments: Iterator[float]) -> Iterator[Outcome]:
    """How audits end that are killed after so many seconds each, until so many were; each has a store of its own."""
    killed = 0
    for number in itertools.count():
        while True:
            patience = next(moments) if killed < kills else LONGEST
            found = ended(command(trials, jobs, folder / str(number)), patience)
            if found is not None:
                yield found
                break
            if patience == LONGEST:
                raise TimeoutError(f"the audit had not ended after {LONGEST} s")
            killed += 1
        if killed >= kills:
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    for name, default in (("kills", 20), ("seed", 0), ("jobs", 1), ("trials", 3_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    expected, seconds = undisturbed(asked.trials)
    print(f"undisturbed: exit code {expected.code}, {seconds:.1f} s, {len(expected.printed)} bytes")
    moments = iter(np.random.default_rng(asked.seed).uniform(0, seconds, size=100 * asked.kills).tolist())
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for found in under_fire(Path(folder), asked.trials, asked.jobs, asked.kills, moments):
            agrees = found[:2] == expected[:2]
            same &= agrees
            print(found.told.splitlines()[-1], "the same, byte for byte" if agrees else "DIFFERENT", sep="; ")
    print(f"killed {asked.kills} times")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
