"""Runs that were drawn once are not drawn again: scores in a folder, each under everything that they depend on.

Only runs are kept.  What is certified is derived anew in every audit, so that a file in the folder can make a verdict
neither hold nor be refuted by a certificate; a file that is torn or altered is as good as none.

Kept are the runs of what `dpref.audit.builders.build` makes of a claim, by the code that the key names.  Those of
another subject, and of a process under whose feet the library's files were changed, are drawn and forgotten.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, final

import numpy as np
from platformdirs import user_cache_path

from dpref.audit import empirical
from dpref.audit.claim_files import claim_to_json
from dpref.audit.claims import Claim
from dpref.audit.empirical import Drawer
from dpref.audit.provenance import is_derived
from dpref.audit.rules import Scores
from dpref.audit.subjects import Subject
from dpref.errors import InvalidArgumentError
from dpref.version import LOADED, VERSION

_DIGEST: Final = hashlib.sha256().digest_size
_log: Final = logging.getLogger(__name__)
_CLOCKS: Final = 10**9  # ns by which a file system's clock may lag behind


@final
@dataclass(frozen=True)
class KeptRuns:
    """A folder of scores.

    Attributes:
        folder: Where they lie; made when the first is kept.
        required: Whether a folder that cannot be written is an error: one that was asked for, not the cache.
    """

    folder: Path
    required: bool = False

    def __post_init__(self) -> None:
        if self.required:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=self.folder).close()
            except OSError as error:
                rule = f"must be a folder that can be written: {error.strerror or error}"
                raise InvalidArgumentError("store", str(self.folder), rule) from None

    def drawer(self, claim: Claim, draw: Drawer | None = None) -> Drawer:
        """What draws the runs of a claim, or takes those that are kept.

        Args:
            claim: Whose runs.
            draw: What draws those that are not kept; by default `dpref.audit.empirical.draw`.

        Raises:
            InvalidArgumentError: When it draws, as `dpref.audit.empirical.draw`.
        """

        def drawn(
            subject: Subject, name: str, trials: int, seed: int, jobs: int, advance: Callable[[int], None]
        ) -> Scores:
            if name != claim.id or not is_derived(claim, subject):
                return (draw or empirical.draw)(subject, name, trials, seed, jobs, advance)
            path = self._path(claim, trials, seed)
            kept = _read(path, trials)
            if kept is not None and not altered():
                _log.info("%s: %d pairs of runs were kept in %s", claim.id, trials, path)
                advance(2 * trials)
                return kept
            begun = time.perf_counter()
            scores = (draw or empirical.draw)(subject, name, trials, seed, jobs, advance)
            _log.info("%s: %d pairs of runs drawn in %.2f s", claim.id, trials, time.perf_counter() - begun)
            with suppress(OSError):  # a full disk costs the next audit time, and this one nothing
                if not altered():
                    _write(path, scores)
            return scores

        return drawn

    def _path(self, claim: Claim, trials: int, seed: int) -> Path:
        asked = {"claim": claim_to_json(claim), "trials": trials, "seed": seed, "made by": fingerprint()}
        key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        return self.folder / f"{VERSION}-{fingerprint()[:12]}" / f"{key}.scores"


def cache_folder() -> Path:
    """Where runs are kept unless somebody says where: in the user's cache folder."""
    return user_cache_path("dpref", appauthor=False) / "audit"


def kernel_folder() -> Path:
    """Where compiled kernels are kept: in the user's cache folder, whatever folder is named for runs."""
    return user_cache_path("dpref", appauthor=False) / "kernels"


@cache
def fingerprint() -> str:
    """Of everything that a run's score depends on besides the claim: the library's text, and what runs it."""
    digest = hashlib.sha256()
    for name, text in sorted(sources()):
        digest.update(f"{name}\0{hashlib.sha256(text).hexdigest()}\n".encode())
    made_by = (*(f"{p} {metadata.version(p)}" for p in ("numpy", "numba")), sys.version, platform.machine())
    digest.update("\n".join(made_by).encode())
    return digest.hexdigest()


def altered(folder: Path | None = None) -> bool:
    """Whether a file of the library was written since this process loaded it: what runs may not be what the files say.

    A file that is gone counts as written, and so does a package in an archive, whose files tell no times.

    Args:
        folder: Where to look; by default the package.
    """
    package = files("dpref") if folder is None else folder
    if not isinstance(package, Path):
        return True
    for entry in _places(package):
        try:
            times = entry.stat()
        except OSError:
            return True
        # A copy or a checkout may set the first time back, but not the second.
        if max(times.st_mtime_ns, times.st_ctime_ns) > LOADED - _CLOCKS:
            return True
    return False


@cache
def _places(folder: Path) -> tuple[Path, ...]:
    return tuple(entry for _, entry in _texts(folder) if isinstance(entry, Path))


def sources() -> list[tuple[str, bytes]]:
    """The library's text: names and contents of its files."""
    return [(name, entry.read_bytes()) for name, entry in _texts(files("dpref"))]


def _texts(folder: Traversable, at: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _texts(entry, f"{at}{entry.name}/")
        elif entry.name.endswith((".py", ".csv", ".json")):
            yield at + entry.name, entry


def _read(path: Path, trials: int) -> Scores | None:
    """Scores of a file that is whole; None of any other."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, values = content[:_DIGEST], content[_DIGEST:]
    if hashlib.sha256(values).digest() != digest or len(values) != 2 * trials * 8:
        return None
    first, second = np.frombuffer(values, dtype="<f8").astype(np.float64).reshape(2, trials)
    return first, second


def _write(path: Path, scores: Scores) -> None:
    """All of a file or nothing of it, whenever the process is killed."""
    values = np.stack(scores).astype("<f8").tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(hashlib.sha256(values).digest() + values)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
