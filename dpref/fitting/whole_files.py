"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dpref.errors import InvalidArgumentError


def writable(argument: str, path: Path, others: Mapping[str, Path]) -> None:
    """Refuse a place where no file can be, or where another one is, before anything is spent.

    Args:
        argument: What an error calls it.
        path: Where a file is to be written.
        others: What else is read or written, by what an error calls it.

    Raises:
        InvalidArgumentError: If its folder is not there or cannot be written, or it is a folder or one of the others.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidArgumentError(argument, str(path), "must be a file in a folder that is there")
    if path.exists() and not path.is_file():
        # A rename would put a file in the place of /dev/null, or of a pipe that somebody reads.
        raise InvalidArgumentError(argument, str(path), "must be a regular file: a device or a pipe cannot be replaced")
    for name, other in others.items():
        if path.resolve() == other.resolve():
            raise InvalidArgumentError(argument, str(path), f"must not be the file of {name}, which it would replace")
    try:
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        rule = f"must be in a folder that can be written: {error.strerror or error}"
        raise InvalidArgumentError(argument, str(path), rule) from None


def write_whole(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write a file beside its place and move it there.

    The file beside it has a name that nobody can know before, and is made anew: a link that somebody put there would
    take private data to where it points.

    Args:
        path: Where to.
        text: What.
        mode: Who may read it.
    """
    partial = path.with_name(f".dpref-{secrets.token_hex(16)}.part")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as stream:
            stream.write(text)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
