"""A folder of results that are written once, each whole or not at all.

A file is written beside its place, flushed to the disk and linked to its name, so that whoever is killed at any moment
leaves whole files and at most a temporary one.  Each ends in the SHA-256 of what stands before; one that was torn or
altered is moved aside, and its chunk is run again.  Names are digests of all that a result depends on: what was run, on
what, with which seed, and by which code.  So nothing is read that another code has written, and a longer audit finds
what a shorter one has done.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections import deque
from dataclasses import fields, is_dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from dpref.errors import InvalidArgumentError, StoreError
from dpref.foreign.chunks import ChunkResult, ChunkSpec, name_of, resolve
from dpref.foreign.code_files import sources
from dpref.foreign.identity import digest
from dpref.foreign.outputs import Outputs
from dpref.reals import Array

SCHEMA: Final = "urn:dpref:schema:chunk:2"
KINDS: Final = {kind.__name__: kind for kind in (ChunkResult, Outputs)}
ABANDONED: Final = 86_400.0  # seconds after which a temporary file belongs to nobody
_VARYING: Final = ("seed", "index", "size")
_NOT_SHARED: Final = (*_VARYING, "pair", "limit")  # a name and a limit of time change no result
_REMEMBERED: Final = 8


# ------------------------------------------------------------------------------------ one file


def publish(path: Path, body: bytes) -> None:
    """Write a file whole, once: whoever sees its name sees all of it, also after a crash.

    Args:
        path: Where; its folder is made.
        body: What; its digest is added.

    Raises:
        StoreError: If the file is there and says something else.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     publish(Path(folder, "one"), b"text")
    ...     read(Path(folder, "one"))
    b'text'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(body + _seal(body))
            file.flush()
            os.fsync(file.fileno())
        _name(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    _flush(path.parent)
    _flush(path.parent.parent)
    if read(path) != body:
        raise StoreError(f"{path}: was written with another content by somebody else")


def read(path: Path) -> bytes | None:
    """What `publish` wrote, or None where there is nothing; a file without its right digest is moved aside.

    Args:
        path: Where; what is damaged goes to the same name with ``.torn`` after it.
    """
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    length = len(_seal(b""))
    body, seal = found[:-length], found[-length:]
    if seal == _seal(body):
        return body
    path.replace(path.with_name(path.name + ".torn"))
    return None


def _name(temporary: Path, path: Path) -> None:
    """Give a finished file its name, unless it is taken."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not path.exists():
            temporary.replace(path)
    temporary.unlink(missing_ok=True)


def _seal(body: bytes) -> bytes:
    return b"\n" + hashlib.sha256(body).hexdigest().encode()


def _flush(folder: Path) -> None:
    """Make a folder's entries durable, where a folder can be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ------------------------------------------------------------------------------------ results as bytes


def packed(result: ChunkResult) -> bytes:
    """A result as bytes, the same for the same result.

    Args:
        result: What one chunk gave.
    """
    arrays: list[Array] = []
    tree = _tree(result, arrays)
    with BytesIO() as file:
        text = np.frombuffer(json.dumps({"schema": SCHEMA, "result": tree}).encode(), np.uint8)
        np.savez(file, text, *arrays)
        return file.getvalue()


def unpacked(body: bytes) -> ChunkResult:
    """The result that `packed` wrote.

    Args:
        body: Its bytes.
    """
    with np.load(BytesIO(body), allow_pickle=False) as file:
        text, *arrays = (file[f"arr_{i}"] for i in range(len(file.files)))
    found = _value(json.loads(text.tobytes())["result"], arrays)
    if not isinstance(found, ChunkResult):
        raise StoreError(f"a file of schema {SCHEMA} holds a {type(found).__name__}")
    return found


def _tree(value: Any, arrays: list[Array]) -> Any:
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if is_dataclass(value):
        inside = {field.name: _tree(getattr(value, field.name), arrays) for field in fields(value)}
        return {type(value).__name__: inside}
    return [_tree(item, arrays) for item in value] if isinstance(value, tuple) else value


def _value(tree: Any, arrays: list[Array]) -> Any:
    if isinstance(tree, list):
        return tuple(_value(item, arrays) for item in tree)
    if not isinstance(tree, dict):
        return tree
    ((name, inside),) = tree.items()
    if name == "array":
        return arrays[inside]
    return KINDS[name](**{key: _value(item, arrays) for key, item in inside.items()})


# ------------------------------------------------------------------------------------ the folder


@final
class Store:
    """Chunks of audits in a folder, found again by what they depend on.

    Args:
        folder: Where; it is made, unless ``resume``.
        resume: Whether the folder must be there.
        code_version: Stands for the text of the target's code, where somebody keeps count of that; by default its
            files are read.

    Attributes:
        folder: Where.
        found: How many results were read.
        written: How many were written.

    Raises:
        InvalidArgumentError: If there is no folder to resume from, or something else of that name.
    """

    def __init__(self, folder: Path | str, *, resume: bool = False, code_version: str | None = None) -> None:
        self.folder: Path = Path(folder)
        if resume and not self.folder.is_dir():
            raise InvalidArgumentError("store", str(folder), "must exist to be resumed; without resume it is made")
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidArgumentError("store", str(folder), "must be a folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.code_version = code_version
        self.found: int = 0
        self.written: int = 0
        self._known: deque[tuple[tuple[object, ...], str]] = deque(maxlen=_REMEMBERED)
        for left in self.folder.glob("**/.*.tmp"):  # of a process that was killed
            if time.time() - left.stat().st_mtime > ABANDONED:
                left.unlink(missing_ok=True)

    def __str__(self) -> str:
        damaged = f", {len(self.torn)} damaged files moved aside" if self.torn else ""
        return f"{self.folder}: {self.found} chunks found, {self.written} run{damaged}"

    @property
    def torn(self) -> list[Path]:
        """The files that were moved aside because they were damaged."""
        return sorted(self.folder.glob("**/*.torn"))

    def look_again(self) -> None:
        """An audit begins: data and code may have changed since the last one."""
        self._known.clear()

    def key(self, spec: ChunkSpec) -> str:
        """The digest of everything that the chunk's result depends on.

        Args:
            spec: The chunk.
        """
        varying = {name: getattr(spec, name) for name in _VARYING}
        return digest((SCHEMA, self._digest_of_the_rest(spec), varying))

    def get(self, spec: ChunkSpec) -> ChunkResult | None:
        """The chunk's result, if it is here and whole.

        Args:
            spec: The chunk.
        """
        body = read(self._path(spec))
        if body is None:
            return None
        self.found += 1
        return unpacked(body)

    def put(self, spec: ChunkSpec, result: ChunkResult) -> None:
        """Keep a result.

        Args:
            spec: The chunk.
            result: What it gave.

        Raises:
            StoreError: If the chunk gave something else before: it is no function of its seed.
        """
        path, body = self._path(spec), packed(result)
        try:
            publish(path, body)
        except StoreError:
            rule = "gave two different results for one seed: it must be a function of its data and its generator alone"
            raise StoreError(f"chunk {spec.index} of {name_of(spec.target)} {rule}; see {path}") from None
        self.written += 1

    def _path(self, spec: ChunkSpec) -> Path:
        key = self.key(spec)
        return self.folder / key[:2] / f"{key}.npz"

    def _digest_of_the_rest(self, spec: ChunkSpec) -> str:
        """Of what many chunks share: found once, because the data may be large."""
        shared = {f.name: getattr(spec, f.name) for f in fields(spec) if f.name not in _NOT_SHARED}
        shared |= {"first": spec.pair.first, "second": spec.pair.second}
        for known, found in self._known:
            if all(a is b for a, b in zip(known, shared.values(), strict=True)):
                return found
        # Of a callable that is given itself, and not by name, the digest has the code.
        named = [name for name in (spec.target, spec.score) if isinstance(name, str)]
        code: Any = self.code_version
        if code is None:
            code = [(sources(name.partition(":")[0]), resolve(name)) for name in named]
        found = digest((shared, code), self.code_version)
        self._known.append((tuple(shared.values()), found))
        return found
