"""An audit of the built-in claims that is killed or interrupted at random moments, and begun again until it ends.

``python -m property_tests.killed_catalogue [--moments 10] [--seed 0] [--trials 200] [CLAIM ...]`` runs ``dpref audit``
with a store of its own, on the claims that are named or on all of them.  It ends the whole group of processes after
random times, in turn by ``SIGKILL`` and by ``SIGINT`` (Ctrl-C), and begins it again.  After each moment the runs of
every claim whose verdict was said must be kept, and nothing that was kept before may be gone; in the end the JSON must
be that of an undisturbed audit without a store, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dpref.audit.catalogue import catalogue

LONGEST = 3_600.0  # seconds, after which an audit hangs
PATIENCE = 60.0  # seconds in which an audit that is interrupted has to end


class Stopped(NamedTuple):
    """How a command was ended.

    Attributes:
        code: Its exit code, or None if it had ended by itself before.
        said: Of how many claims it said the verdict.
    """

    code: int | None
    said: int


def command(claims: list[str], trials: int, store: Path | None, *, as_json: bool) -> list[str]:
    """The audit's command line."""
    words = [sys.executable, "-m", "dpref", "audit", *claims, "--trials", str(trials)]
    words += ["--store", str(store)] if store is not None else ["--no-store"]
    return [*words, "--json"] if as_json else words


def stopped(words: list[str], seconds: float, by: signal.Signals) -> Stopped:
    """Begin a command and end its group of processes after so many seconds.

    Raises:
        TimeoutExpired: If it does not end when it is interrupted.
    """
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        printed, _ = running.communicate(timeout=seconds)
        code = None
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, by)
        printed, _ = running.communicate(timeout=PATIENCE)
        code = running.returncode
    outcomes = ("holds ", "refuted ", "undecided ")
    return Stopped(code, sum(line.startswith(outcomes) for line in printed.decode().splitlines()))


def kept(store: Path) -> set[str]:
    """The names of the runs in a store, which are whole: each has its digest."""
    return {path.name for path in store.rglob("*.scores")}


def whole(words: list[str]) -> bytes:
    """What a command prints when nobody disturbs it.

    Raises:
        TimeoutExpired: If it hangs.
    """
    return subprocess.run(words, stdout=subprocess.PIPE, check=False, timeout=LONGEST).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("claims", nargs="*")
    for name, default in (("moments", 10), ("seed", 0), ("trials", 200)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    # In the background a shell starts its commands deaf to Ctrl-C, and what they start inherits that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    expected = whole(command(asked.claims, asked.trials, None, as_json=True))
    seconds = time.monotonic() - began
    print(f"undisturbed: {seconds:.0f} s, {len(expected)} bytes, of {len(catalogue())} built-in claims", flush=True)
    rng, right = np.random.default_rng(asked.seed), True
    with tempfile.TemporaryDirectory() as folder:
        before: set[str] = set()
        store = Path(folder)
        for moment in range(asked.moments):
            by = (signal.SIGKILL, signal.SIGINT)[moment % 2]
            after = float(rng.uniform(0, max(5.0, 2 * seconds / asked.moments)))
            found = stopped(command(asked.claims, asked.trials, store, as_json=False), after, by)
            now = kept(store)
            well = before <= now and found.said <= len(now)
            right &= well
            ended = "had ended" if found.code is None else f"{by.name} after {after:.1f} s, exit code {found.code}"
            print(
                f"{ended}: {found.said} verdicts said, runs of {len(now)} claims kept",
                "" if well else "LOST",
                flush=True,
            )
            before = now
        same = whole(command(asked.claims, asked.trials, store, as_json=True)) == expected
    print("in the end the same, byte for byte" if same else "in the end DIFFERENT")
    return 0 if right and same else 1


if __name__ == "__main__":
    sys.exit(main())
