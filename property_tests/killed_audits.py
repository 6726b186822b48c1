"""An audit that is killed at random moments, and begun again by the same command until it ends.

``python -m property_tests.killed_audits [--kills 20] [--seed 0] [--jobs 1] [--trials 3000]`` runs ``dpref audit`` of a
mechanism here with a store, kills its whole group of processes (``SIGKILL``) after random times, and compares the JSON
that the last one prints with that of an undisturbed audit, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
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
    """How an audit under fire went.

    Attributes:
        kills: How many of its processes were killed.
        code: The exit code of the last one.
        printed: Its standard output.
        told: Its standard error.
        seconds: How long it took, without the killed ones.
    """

    kills: int
    code: int
    printed: bytes
    told: str
    seconds: float


def command(trials: int, jobs: int, store: Path | None) -> list[str]:
    """The audit's command line."""
    here = "property_tests.killed_audits"
    words = [sys.executable, "-m", "dpref", "audit", f"{here}:noisy", "--pair", f"{here}:PAIR", "--epsilon", "1"]
    words += ["--adjacency", "replace-one", "--batched", "--trials", str(trials), "--no-learn", "--json"]
    words += ["--jobs", str(jobs)] if jobs > 1 else []
    return [*words, "--store", str(store)] if store else words


def under_fire(words: list[str], kills: int, rng: random.Random, whole: float) -> Outcome:
    """Begin a command again and again, and kill it so many times, at any moment of what it takes as a whole."""
    killed = 0
    while True:
        began = time.monotonic()
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        patience = rng.uniform(0, whole) if killed < kills else LONGEST
        try:
            printed, told = running.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            if patience == LONGEST:
                raise
            killed += 1
        else:
            return Outcome(killed, running.returncode, printed, told.decode(), time.monotonic() - began)


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    for name, default in (("kills", 20), ("seed", 0), ("jobs", 1), ("trials", 3_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    undisturbed = under_fire(command(asked.trials, asked.jobs, None), 0, rng, 0.0)
    print(f"undisturbed: exit code {undisturbed.code}, {undisturbed.seconds:.1f} s, {len(undisturbed.printed)} bytes")
    with tempfile.TemporaryDirectory() as folder:
        words = command(asked.trials, asked.jobs, Path(folder, "store"))
        found = under_fire(words, asked.kills, rng, undisturbed.seconds)
    print(
        f"killed {found.kills} times: exit code {found.code}, {len(found.printed)} bytes\n{found.told.splitlines()[-1]}"
    )
    same = (found.code, found.printed) == (undisturbed.code, undisturbed.printed)
    print("the same, byte for byte" if same else "DIFFERENT")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
