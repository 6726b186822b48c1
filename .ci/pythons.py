"""The interpreters of this machine that the gate runs on, and why others are not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

WANTED: Final = ("3.11", "3.12", "3.13", "3.14")
_ASKED: Final = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2], sys.executable)"


def find() -> tuple[dict[str, Path], dict[str, str]]:
    """Return the interpreter of each wanted version, and for each version without one the reason."""
    found, absent = dict[str, Path](), dict[str, str]()
    for version in WANTED:
        answer = first(version, candidates(version))
        if isinstance(answer, Path):
            found[version] = answer
        else:
            absent[version] = answer
    return found, absent


def first(version: str, paths: Iterator[Path], ask: Callable[[Path], tuple[str, str]] | None = None) -> Path | str:
    """Return the first interpreter that is of this version and can make environments, else why there is none."""
    why = "there is no such interpreter on PATH, under pyenv or with py"
    for path in paths:
        answer, executable = (ask or _ask)(path)
        if answer == version:
            return Path(executable)
        if answer:
            why = f"{path}: {answer}"
    return why


def _ask(path: Path) -> tuple[str, str]:
    """Return the version and the file of an interpreter, or its complaint and nothing."""
    try:
        done = subprocess.run([path, "-c", _ASKED], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error), ""
    version, _, executable = done.stdout.strip().partition(" ")
    return (version, executable) if done.returncode == 0 else ((done.stderr.split("\n")[-2:] or [""])[0], "")


def candidates(version: str) -> Iterator[Path]:
    """Yield what may be this version: by its name, from pyenv, from Python's launcher."""
    if named := shutil.which(f"python{version}"):
        yield Path(named)
    for root in (os.environ.get("PYENV_ROOT"), _printed("pyenv", "root").strip(), Path.home() / ".pyenv"):
        if root:
            yield from sorted(Path(root).glob(f"versions/{version}.*/bin/python3"), key=_release, reverse=True)
    for line in _printed("py", "-0p").splitlines():
        if re.search(rf"[-:]{re.escape(version)}\b", line):
            yield Path(line.split(maxsplit=1)[-1].lstrip("* "))


def _release(path: Path) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", path.parents[1].name)))


def _printed(*words: str) -> str:
    program = shutil.which(words[0])
    if program is None:
        return ""
    return subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False).stdout  # noqa: S603
