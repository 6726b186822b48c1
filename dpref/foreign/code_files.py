"""Which text a result depends on: a module's own files, and those of what it imports that nobody installed.

Code that is being worked on changes from one run to the next; a package that was installed changes when another release
of it is, so that its version stands for it, and Python's own modules with Python.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

from dpref.errors import InvalidArgumentError

_IMPORT: Final = re.compile(
    rb"(?:^|[;:])[ \t]*(?:from[ \t]+(\w[\w.]*)[ \t]+import\b|import[ \t]+([\w., \t]+))", re.MULTILINE
)
_CALLED: Final = re.compile(rb"import(?:_module|__)\(\s*[\"']([\w.]+)")
_INSTALLED: Final = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")})
_STANDARD: Final = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")})
_CODE: Final = (".py", *EXTENSION_SUFFIXES)


def sources(module: str) -> str:
    """SHA-256 of the text that a module's code depends on.

    That is its top package, or its file and what lies beside it and is imported; and likewise what these import, save
    packages that were installed, of which the version counts, and Python's own.

    Args:
        module: Its dotted name; it is imported if it is not yet.

    Raises:
        InvalidArgumentError: If it has no file.

    >>> len(sources("dpref.version")), sources("dpref.version") == sources("dpref")
    (64, True)
    """
    if not has_files(module):
        raise InvalidArgumentError("module", module, "must come from a file; or say which code it is (code_version)")
    together = hashlib.sha256()
    waiting, seen, versions = sorted(_own_files(module).items()), {module.partition(".")[0]}, set()
    while waiting:
        name, path = waiting.pop(0)
        text, imported = _text(path)
        together.update(f"{name}\0{text}\n".encode())
        for top in sorted(imported - seen):
            seen.add(top)
            if is_installed(top):
                versions.add(version_of(top))
            elif not is_standard(top):
                waiting += sorted((f"{top}/{inner}", file) for inner, file in _files_of(top).items())
    together.update(repr(sorted(versions)).encode())
    return together.hexdigest()


def has_files(module: str) -> bool:
    """Whether a module's code comes from files.

    Args:
        module: Its dotted name; it is imported if it is not yet.

    >>> has_files("dpref.version"), has_files("sys")
    (True, False)
    """
    try:
        loaded = sys.modules.get(module) or importlib.import_module(module)
    except ImportError:  # of a function that was made from text, such as a named tuple's
        return False
    file = getattr(loaded, "__file__", None)
    return bool(_folders(module)) or (file is not None and Path(file).is_file())


def is_installed(module: str) -> bool:
    """Whether a module's top package stands among the installed ones.

    Args:
        module: Its dotted name.

    >>> is_installed("numpy.random"), is_installed("json")
    (True, False)
    """
    return any(folder in path.parents for path in _origins(module.partition(".")[0]) for folder in _INSTALLED)


def is_standard(module: str) -> bool:
    """Whether a module is Python's own: a file of somebody else may have the name of one.

    Args:
        module: Its dotted name.

    >>> is_standard("json.decoder"), is_standard("numpy")
    (True, False)
    """
    top = module.partition(".")[0]
    found = _origins(top) if top in sys.stdlib_module_names else (Path(),)
    return all(any(folder in path.parents for folder in _STANDARD) for path in found) and not is_installed(top)


def version_of(module: str) -> str:
    """What stands for the code of an installed package, whether it is loaded already or not.

    Args:
        module: Its dotted name, or that of a part of it.

    >>> import numpy
    >>> version_of("numpy.random") == f"numpy {numpy.__version__}"
    True
    """
    top = module.partition(".")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # which some packages give to who asks for this name
        loaded = getattr(sys.modules.get(top), "__version__", None)
    return f"{top} {loaded or _released(top)}"


@functools.cache
def _released(top: str) -> str:
    """The version in the metadata of what was installed: many a package has no other."""
    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:
        found = _brought().get(top, ())
        return ", ".join(sorted({metadata.version(name) for name in found}))


_brought: Final = functools.cache(metadata.packages_distributions)


def _folders(module: str) -> list[Path]:
    """The folders of a module's top package; none of a single file."""
    return [Path(folder) for folder in getattr(sys.modules.get(module.partition(".")[0]), "__path__", ())]


def _own_files(module: str) -> dict[str, Path]:
    """The files of a module's own code, by the names that they have among themselves."""
    folders = _folders(module)
    return _within(folders) if folders else dict(_beside(Path(str(sys.modules[module].__file__))))


@functools.cache
def _origins(top: str) -> tuple[Path, ...]:
    """Where a top module or package is found."""
    loaded = sys.modules.get(top)
    try:
        spec = getattr(loaded, "__spec__", None) or importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return ()
    if spec is None:
        return ()
    places = spec.submodule_search_locations or ([spec.origin] if spec.has_location else [])
    return tuple(Path(place).resolve() for place in places if place)


def _files_of(top: str) -> dict[str, Path]:
    """The files of what is imported by this name and was not installed."""
    places = _origins(top)
    folders = [place for place in places if place.is_dir()]
    return _within(folders) if folders else {place.name: place for place in places if place.is_file()}


def _within(folders: list[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for i, folder in enumerate(folders):
        for place, _, names in os.walk(folder):
            inside = place[len(str(folder)) + 1 :]
            found |= {f"{i}/{inside}/{name}": Path(place, name) for name in names if name.endswith(_CODE)}
    return found


def _beside(first: Path) -> Iterator[tuple[str, Path]]:
    """A file, and the files and packages of its folder that it imports, and those that these import."""
    waiting, seen = [first], {first}
    while waiting:
        path = waiting.pop()
        yield str(path.relative_to(first.parent)) if path != first else "", path
        if path.suffix != ".py":
            continue
        for name in _text(path)[1] - {""}:
            beside = first.parent / name
            files = (path for path in sorted(beside.rglob("*")) if path.name.endswith(_CODE))
            for found in (*(first.parent / f"{name}{suffix}" for suffix in _CODE), *files):
                if found.is_file() and found not in seen:
                    seen.add(found)
                    waiting.append(found)


def _text(path: Path) -> tuple[str, frozenset[str]]:
    """A file's digest, and the first parts of the names that it imports; read again when it has changed."""
    state = path.stat()
    return _read(path, state.st_mtime_ns, state.st_size)


@functools.cache
def _read(path: Path, changed: int, size: int) -> tuple[str, frozenset[str]]:
    body = path.read_bytes()
    return hashlib.sha256(body).hexdigest(), frozenset(_imported(body)) if path.suffix == ".py" else frozenset()


def _imported(body: bytes) -> Iterator[str]:
    """What lines say that look like imports: too much does no harm, and a package of many files is read fast."""
    found = [*_IMPORT.findall(body), *((name, b"") for name in _CALLED.findall(body))]
    for source, names in found:
        for name in [source] if source else names.split(b","):
            yield name.split()[0].partition(b".")[0].decode() if name.split() else ""
