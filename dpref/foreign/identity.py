"""What a result depends on, as a digest: plain data by its value, code by the text of the files that it comes from.

Two equal digests mean the same value and the same code.  Two different ones may still mean the same: then work is done
again that need not have been, and nothing worse.  A function's text is that of its whole top package or, of a single
file, of that file and of the files beside it that it imports.  What other installed packages say is not looked at.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib
import json
import marshal
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from dpref.errors import InvalidArgumentError


def digest(value: object, version: str | None = None) -> str:
    """SHA-256 of a value's canonical form, in hexadecimal.

    Args:
        value: Numbers, text, arrays, functions and classes, tuples, lists, dicts, sets and dataclasses of these, and
            whatever can be pickled.
        version: Stands for the text of all code, where somebody keeps count of that; None to read the files.

    Raises:
        InvalidArgumentError: If a part of it has no canonical form.

    >>> digest((1, np.zeros(2))) == digest((1, np.zeros(2))) != digest((1, np.zeros(3)))
    True
    """
    return _sha(json.dumps(canonical(value, version), sort_keys=True).encode())


def canonical(value: Any, version: str | None = None) -> Any:
    """A value as JSON that no other value shares.

    Args:
        value: As for `digest`.
        version: As for `digest`.

    >>> canonical((True, 0.5, Fraction(1, 3)))
    {'tuple': [True, {'float': '0x1.0000000000000p-1'}, {'Fraction': '1/3'}]}
    """
    if value is None or type(value) in {bool, int, str}:
        return value
    if isinstance(value, _CODE):
        return _of_code(value, version)
    if isinstance(value, np.generic):
        return canonical(np.asarray(value), version)
    form = _PLAIN.get(type(value))
    if form is None or (isinstance(value, np.ndarray) and value.dtype.kind == "O"):
        return _of_object(value, version)
    return {type(value).__name__: form(value, lambda part: canonical(part, version))}


_PLAIN: Final[dict[type, Callable[[Any, Callable[[Any], Any]], Any]]] = {
    float: lambda x, _: x.hex(),
    Fraction: lambda x, _: str(x),
    bytes: lambda x, _: _sha(x),
    bytearray: lambda x, _: _sha(x),
    np.ndarray: lambda x, _: [repr(x.dtype), list(x.shape), _sha(np.ascontiguousarray(x).tobytes())],
    list: lambda x, inner: [inner(part) for part in x],
    tuple: lambda x, inner: [inner(part) for part in x],
    dict: lambda x, inner: [[inner(key), inner(part)] for key, part in x.items()],
    set: lambda x, inner: sorted(json.dumps(inner(part), sort_keys=True) for part in x),
    frozenset: lambda x, inner: sorted(json.dumps(inner(part), sort_keys=True) for part in x),
}
_CODE: Final = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)


def sources(module: str) -> str:
    """SHA-256 of the text of a module's top package, or of its file and the files beside it that it imports.

    Args:
        module: Its dotted name; it is imported if it is not yet.

    Raises:
        InvalidArgumentError: If it has no file.

    >>> len(sources("dpref.version")), sources("dpref.version") == sources("dpref")
    (64, True)
    """
    found = _files(module)
    if not found:
        raise InvalidArgumentError("module", module, "must come from a file; or say which code it is (code_version)")
    together = hashlib.sha256()
    for name, path in sorted(found.items()):
        state = path.stat()
        together.update(f"{name}\0{_text_of(path, state.st_mtime_ns, state.st_size)}\n".encode())
    return together.hexdigest()


@functools.cache
def _text_of(path: Path, changed: int, size: int) -> str:
    """The digest of a file, read again when it has changed."""
    return _sha(path.read_bytes())


def _files(module: str) -> dict[str, Path]:
    """The files of a module's code, by the names that they have among themselves."""
    loaded = sys.modules.get(module) or importlib.import_module(module)
    top = sys.modules.get(module.partition(".")[0], loaded)
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    if folders:
        within = {(i, path): folder for i, folder in enumerate(folders) for path in folder.rglob("*.py")}
        return {f"{i}/{path.relative_to(folder)}": path for (i, path), folder in within.items()}
    file = getattr(loaded, "__file__", None)
    return dict(_beside(Path(file))) if file and Path(file).is_file() else {}


def _beside(first: Path) -> Iterator[tuple[str, Path]]:
    """A file, and the files and packages of its folder that it imports, and those that these import."""
    waiting, seen = [first], {first}
    while waiting:
        path = waiting.pop()
        yield str(path.relative_to(first.parent)) if path != first else "", path
        if path.suffix != ".py":
            continue
        for name in _imported(path):
            beside = first.parent / name
            for found in (beside.with_suffix(".py"), *sorted(beside.rglob("*.py"))):
                if found.is_file() and found not in seen:
                    seen.add(found)
                    waiting.append(found)


def _imported(path: Path) -> Iterator[str]:
    """The first parts of the names that a file imports."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _of_code(value: Any, version: str | None) -> dict[str, Any]:
    """A function or class: its name, its text, and what is bound to it."""
    if isinstance(value, functools.partial):
        return {"partial": [canonical(part, version) for part in (value.func, value.args, value.keywords)]}
    if isinstance(value, types.MethodType):
        return {"method": [canonical(value.__func__, version), canonical(value.__self__, version)]}
    name = f"{value.__module__}:{value.__qualname__}"
    text = _text(value, value.__module__ or "builtins") if version is None else version
    if not isinstance(value, types.FunctionType):
        return {"code": [name, text]}
    bound = value.__defaults__, value.__kwdefaults__, _enclosed(value)
    return {"code": [name, text, canonical(bound, version)]}


def _enclosed(function: types.FunctionType) -> tuple[Any, ...]:
    """What a function holds of the scopes around it; itself, as a recursive one does, only by name."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return tuple("itself" if content is function else content for content in cells)


def _text(value: Any, module: str) -> str:
    """The digest of a module's files, or of the compiled function where it was typed at a prompt."""
    if module.partition(".")[0] in sys.stdlib_module_names:
        return sys.version
    if isinstance(value, types.FunctionType) and not _files(module):
        return _sha(marshal.dumps(value.__code__))
    return sources(module)


def _of_object(value: Any, version: str | None) -> dict[str, Any]:
    """An object: its class with that one's text, and its state."""
    kind = canonical(type(value), version)
    if isinstance(value, Enum):
        return {"enum": [kind, value.name]}
    if dataclasses.is_dataclass(value):
        state = {field.name: canonical(getattr(value, field.name), version) for field in dataclasses.fields(value)}
        return {"dataclass": [kind, state]}
    if isinstance(value, tuple):
        return {"named tuple": [kind, *(canonical(item, version) for item in value)]}
    try:
        return {"pickle": [kind, _sha(pickle.dumps(value, protocol=5))]}
    except (TypeError, ValueError, AttributeError, RecursionError, NotImplementedError, pickle.PicklingError) as error:
        rule = f"cannot be pickled ({error}), so that a store cannot tell it from another: give plain data or a name"
        raise InvalidArgumentError("value", value, rule) from None


def _sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
