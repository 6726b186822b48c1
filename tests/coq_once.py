"""A file of Coq that one test has had compiled is handed to the others, which would have the same compiled again."""

from __future__ import annotations

import hashlib
import pickle
import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Once:
    """``coqc`` on a file of a folder, or what it made and said of the same file before.

    Two files are the same if they and all that they need are, word for word.  What was compiled fits only the very
    files that it was compiled beside, so that all of them come from here, one after the other.

    Attributes:
        coqc: Compiles a file of a folder and says what Coq prints; raises if Coq refuses it.
        needed: The files that a file of a folder needs, and itself.
        turn: Makes workers wait for each other.
        kept: Where compiled files are.
    """

    coqc: Callable[[Path, str], str]
    needed: Callable[[Iterable[str], Path], list[str]]
    turn: Callable[[], AbstractContextManager[None]]
    kept: Path

    def __call__(self, work: Path, file: str) -> str:
        """Lay the compiled file beside its source, and say what Coq printed."""
        program = shutil.which("coqc")
        if program is None:
            return self.coqc(work, file)
        read = [program, *(f"{name}\n{(work / f'{name}.v').read_text('utf-8')}" for name in self.needed([file], work))]
        kept = self.kept / hashlib.sha256("\0".join(read).encode()).hexdigest()
        with self.turn():
            if not kept.exists():
                said = self.coqc(work, file)
                kept.write_bytes(pickle.dumps((said, (work / f"{file}.vo").read_bytes())))
        said, made = pickle.loads(kept.read_bytes())  # noqa: S301 - this run wrote it
        (work / f"{file}.vo").write_bytes(made)
        return str(said)
