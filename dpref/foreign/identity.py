"""What a result depends on, as a digest: plain data by its value, code by what was loaded and by the text of its files.

Two equal digests mean the same value and the same code.  Two different ones may still mean the same: then work is done
again that need not have been, and nothing worse.

Of a function count its compiled code, what is bound to it (defaults, a closure's variables), the values of the globals
that it names, and the same of the functions, classes and modules among them, as far as these were not installed; and
the text of all files behind it (`dpref.foreign.code_files`).  A file that was edited after it was imported is not what
runs: what runs and what its file says are both in the digest.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import io
import json
import logging
import pickle
import random
import sys
import threading
import types
from collections.abc import Callable, Iterator
from enum import Enum
from fractions import Fraction
from typing import Any, Final

import numpy as np

from dpref.errors import InvalidArgumentError
from dpref.foreign.code_files import has_files, is_installed, is_standard, sources, version_of


def digest(value: object, version: str | None = None) -> str:
    """SHA-256 of a value's canonical form, in hexadecimal.

    Args:
        value: Numbers, text, arrays, functions and classes, tuples, lists, dicts, sets and dataclasses of these, and
            whatever can be pickled.
        version: Stands for all code and for the globals that it names, where somebody keeps count of that; None to
            read them.

    Raises:
        InvalidArgumentError: If a part of it has no canonical form.

    >>> digest((1, np.zeros(2))) == digest((1, np.zeros(2))) != digest((1, np.zeros(3)))
    True
    >>> digest(lambda x: x + 1) == digest(lambda x: x + 2)
    False
    """
    return _sha(json.dumps(_Form(version).whole(value), sort_keys=True).encode())


class _Form:
    """A value as JSON that no other value has; functions and classes are numbered as they are met, and told once.

    Args:
        version: As of `digest`.
    """

    def __init__(self, version: str | None) -> None:
        self.version = version
        self.numbers: dict[int, int] = {}
        self.met: list[Any] = []
        self.texts: dict[str, str] = {}

    def whole(self, value: object) -> list[Any]:
        """The value, and the code that it leads to."""
        form, told = [self.of(value)], 0
        while told < len(self.met):
            form.append(self.told(self.met[told]))
            told += 1
        return form

    def of(self, value: Any) -> Any:
        """A value; of code its number."""
        if value is None or type(value) in {bool, int, str}:
            return value
        if isinstance(value, _CODE):
            return self.of_code(value)
        if isinstance(value, np.generic):
            return self.of(np.asarray(value))
        form = _PLAIN.get(type(value))
        if form is None or (isinstance(value, np.ndarray) and value.dtype.kind == "O"):
            return self.of_object(value)
        return {type(value).__name__: form(value, self.of)}

    def of_code(self, value: Any) -> dict[str, Any]:
        """A function or class by its number, what is made of some by its parts."""
        if isinstance(value, functools.partial):
            return {"partial": [self.of(part) for part in (value.func, value.args, value.keywords)]}
        if isinstance(value, types.MethodType):
            return {"method": [self.of(value.__func__), self.of(value.__self__)]}
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.met)
            self.met.append(value)
        return {"code": self.numbers[id(value)]}

    def of_object(self, value: Any) -> dict[str, Any]:
        """An object: its class, and its state; of what somebody's package made of a function, that function."""
        kind, wrapped = self.of(type(value)), getattr(value, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType) and _is_foreign(type(value).__module__):
            return {"wrapped": [kind, self.of(wrapped)]}
        if isinstance(value, Enum):
            return {"enum": [kind, value.name]}
        if dataclasses.is_dataclass(value):
            return {"dataclass": [kind, {name: self.of(part) for name, part in _state(value)}]}
        if isinstance(value, tuple):
            return {"named tuple": [kind, *(self.of(item) for item in value)]}
        body = io.BytesIO()
        try:
            _Pickler(body, self).dump(value)
        except _NOT_PICKLED as error:
            rule = (
                f"cannot be pickled ({error}), so that a store cannot tell it from another: give plain data or a name"
            )
            raise InvalidArgumentError("value", value, rule) from None
        return {"pickle": [kind, _sha(body.getvalue())]}

    # -------------------------------------------------------------------------------- functions and classes

    def told(self, code: Any) -> dict[str, Any]:
        """A function or class: its name, its text, what was compiled, and what it holds and names."""
        module = code.__module__ or "builtins"
        name = f"{module}:{code.__qualname__}"
        if self.version is not None:
            unnamed = "<" in name and isinstance(code, types.FunctionType)  # two lambdas of a file have one name
            return {"code": [name, self.version, self.bound(code), self.compiled(code) if unnamed else None]}
        if is_standard(module):
            return {"code": [name, sys.version, self.bound(code)]}
        if is_installed(module):
            return {"code": [name, version_of(module), self.bound(code)]}
        text = self.text(module)
        if isinstance(code, type):
            return {"class": [name, text, {key: self.member(part) for key, part in self.members(code)}]}
        if isinstance(code, types.FunctionType):
            return {"function": [name, text, self.compiled(code), self.bound(code), self.named(code)]}
        return {"code": [name, text]}

    def text(self, module: str) -> str:
        """The digest of a module's text; nothing where it was typed at a prompt."""
        if module not in self.texts:
            self.texts[module] = sources(module) if has_files(module) else ""
        return self.texts[module]

    def compiled(self, code: types.FunctionType) -> Any:
        """What a function does."""
        return self.of(_compiled(code.__code__))

    def bound(self, code: Any) -> Any:
        """What a function holds: default arguments, and the variables of the scopes around it."""
        if not isinstance(code, types.FunctionType):
            return None
        return self.of((code.__defaults__, code.__kwdefaults__, *_enclosed(code)))

    def named(self, function: types.FunctionType) -> dict[str, Any]:
        """The globals that a function names, and of modules that are not installed what it may take from them.

        Of this library's own functions none: its text is there, and its modules keep no state that changes a result.
        """
        if _is_own(function.__module__):
            return {}
        names, found = sorted(_names(function.__code__)), {}
        for name in names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                found[name] = self.module(value, names)
            elif name in function.__globals__:
                found[name] = self.told_of(value, f"{name}, a global of {function.__module__}")
        return found

    def module(self, module: types.ModuleType, names: list[str]) -> Any:
        """What of a module may be meant by names."""
        name = module.__name__
        if is_standard(name):
            return [name]
        if is_installed(name):
            return [name, version_of(name)]
        if _is_own(name):
            return [name, self.text(name)]
        inside = {key: vars(module)[key] for key in names if key in vars(module)}
        return [
            name,
            {
                key: [part.__name__] if isinstance(part, types.ModuleType) else self.told_of(part, f"{name}.{key}")
                for key, part in inside.items()
            },
        ]

    def members(self, kind: type) -> Iterator[tuple[str, Any]]:
        """The code and the data in the body of a class, and its bases."""
        yield "bases", kind.__bases__
        for key, part in sorted(vars(kind).items()):
            if isinstance(part, staticmethod | classmethod):
                yield key, part.__func__
            elif isinstance(part, property):
                yield key, (part.fget, part.fset)
            elif isinstance(part, functools.cached_property):
                yield key, part.func
            elif isinstance(part, types.FunctionType) or not key.startswith("__"):
                yield key, part

    def member(self, part: Any) -> Any:
        """Of what stands in the body of a class and has no form, such as a descriptor's, its kind alone."""
        try:
            return self.told_of(part, "a member of a class")
        except InvalidArgumentError:
            if type(part) in _DATA:
                raise
            return {"object": self.of(type(part))}

    def told_of(self, value: Any, what: str) -> Any:
        """What is found under a name; where it has no form the error says what it is."""
        if isinstance(value, _CHANGING):  # what has been drawn, logged or locked so far is no part of the code
            return {"object": self.of(type(value))}
        try:
            return self.of(value)
        except InvalidArgumentError:
            rule = "cannot be pickled, so that a store cannot tell it from another: say which code it is (code_version)"
            raise InvalidArgumentError(what, value, rule) from None


class _Pickler(pickle.Pickler):
    """Objects with code in them: the code as `_Form` has it, where a pickle has a name."""

    def __init__(self, file: io.BytesIO, form: _Form) -> None:
        super().__init__(file, protocol=5)
        self.form = form

    def persistent_id(self, value: Any) -> Any:
        """What stands for functions and classes."""
        if isinstance(value, types.FunctionType) or (isinstance(value, type) and value.__module__ != "builtins"):
            return json.dumps(self.form.of_code(value))
        return None


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
_DATA: Final = frozenset({*_PLAIN, bool, int, str})
_CODE: Final = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)
_CHANGING: Final = (
    np.random.Generator,
    np.random.BitGenerator,
    np.random.RandomState,
    random.Random,
    logging.Logger,
    type(threading.Lock()),
    type(threading.RLock()),
)
_NOT_PICKLED: Final = (
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
    NotImplementedError,
    pickle.PicklingError,
)


def _is_own(module: str | None) -> bool:
    return (module or "").partition(".")[0] == "dpref"


def _is_foreign(module: str) -> bool:
    """Whether a module is Python's own or was installed."""
    return is_standard(module) or is_installed(module)


def _compiled(code: types.CodeType) -> tuple[Any, ...]:
    """What a compiled function does, without where it stands."""
    constants = tuple(_compiled(c) if isinstance(c, types.CodeType) else _constant(c) for c in code.co_consts)
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    return code.co_code, constants, *names, *shape, code.co_exceptiontable


def _constant(value: object) -> object:
    return repr(value) if isinstance(value, complex | types.EllipsisType) else value


def _names(code: types.CodeType) -> Iterator[str]:
    """The names of globals and attributes in a function and in those that it makes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _enclosed(function: types.FunctionType) -> tuple[Any, ...]:
    """What a function holds of the scopes around it."""
    return tuple(cell.cell_contents for cell in function.__closure__ or ())


def _state(value: Any) -> Iterator[tuple[str, Any]]:
    """A dataclass's fields, and what else was set on it; not what it keeps so as not to compute it again."""
    names = dict.fromkeys([*(field.name for field in dataclasses.fields(value)), *getattr(value, "__dict__", ())])
    for name in names:
        if not isinstance(getattr(type(value), name, None), functools.cached_property) and hasattr(value, name):
            yield name, getattr(value, name)


def _sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
