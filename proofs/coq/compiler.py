"""``coqc`` on one file, within a limit of processor time, so that a machine at work refuses nothing."""

from __future__ import annotations

import math
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PACKAGES: Final = ("coq", "libcoq-coquelicot", "libcoq-interval")
_LIMITED: Final = 'ulimit -S -t "$0" && exec "$@"'


@dataclass(frozen=True)
class Answer:
    """What ``coqc`` made of a file.

    Attributes:
        printed: What the file's questions print.
        complaint: Why it is refused; nothing where it is accepted.
    """

    printed: str
    complaint: str


def ask(program: str, folder: Path, file: str, options: Sequence[str], seconds: float) -> Answer:
    """Return what ``coqc`` says of a file.

    Args:
        program: Where ``coqc`` is.
        folder: The folder from which the file and the options are named.
        file: Its name, without ``.v``.
        options: Where libraries are, and which warnings are printed.
        seconds: The limit of processor time; time spent waiting for a processor does not count.
    """
    limit = math.ceil(seconds)
    done = subprocess.run(  # noqa: S603 - coqc on a file that is ours
        ["/bin/sh", "-c", _LIMITED, str(limit), program, "-q", *options, f"{file}.v"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Answer(done.stdout, f"no answer in {limit} s of processor time")
    return Answer(done.stdout, "" if done.returncode == 0 else done.stderr.strip() or "coqc failed")


def libraries(program: str) -> frozenset[str]:
    """Return the names of all modules of Coq's own libraries and of those installed beside them."""
    said = subprocess.run([program, "-where"], capture_output=True, text=True, check=True)  # noqa: S603 - coqc
    return frozenset(path.stem for path in Path(said.stdout.strip()).rglob("*.vo"))


def installed() -> str | None:
    """Return where ``coqc`` is, or None."""
    return shutil.which("coqc")
