"""Files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from dpref.errors import InvalidArgumentError


def writable(argument: str, path: Path) -> None:
    """Refuse a place where no file can be, before anything is spent.

    Args:
        argument: What an error calls it.
        path: Where a file is to be written.

    Raises:
        InvalidArgumentError: If its folder is not there, or it is a folder itself.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidArgumentError(argument, str(path), "must be a file in a folder that is there")


def write_whole(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write a file beside its place and move it there.

    Args:
        path: Where to.
        text: What.
        mode: Who may read it.
    """
    partial = path.with_name(f".{path.name}.part")
    try:
        partial.touch(mode=mode)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
