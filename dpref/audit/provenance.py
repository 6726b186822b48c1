"""Whether a subject is one that the library has derived from a plan of its own, and still is what it was.

What `dpref.audit.builders.build` makes has the library's ledger and witnesses.  It is known by its identity and by
everything that it holds: a subject of another class, a wrapper around one, a copy with one field replaced, a subject
that was built for other parameters, and one whose own plan, data or methods were changed after it was built are not it,
and what they say of themselves is declared.  A class or a module that is patched changes the library itself, which no
subject shows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import is_dataclass
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

import numpy as np

from dpref.audit.claims import Claim
from dpref.audit.subjects import Subject

_Key: TypeAlias = tuple[int, Hashable, frozenset[tuple[str, object]]]

_BUILT: Final[WeakValueDictionary[_Key, Subject]] = WeakValueDictionary()


def remember(claim: Claim, subject: Subject) -> Subject:
    """The subject, which is from now on known to be derived for a claim; for `dpref.audit.builders.build` alone."""
    _BUILT[_key(claim, subject)] = subject
    return subject


def is_derived(claim: Claim, subject: Subject) -> bool:
    """Whether `build` made this very object, unchanged, for this claim or one that differs only in what is claimed.

    >>> from dpref.audit.builders import build
    >>> from dpref.audit.catalogue import find
    >>> claim = find("dp-erm-revisited/definition-3.4@as-printed-epsilon-1,replace-one")
    >>> is_derived(claim, build(claim))
    True
    """
    return _BUILT.get(_key(claim, subject)) is subject


def _key(claim: Claim, subject: Subject) -> _Key:
    """The object's identity, what it holds, and everything of a claim that a builder may read."""
    read = {"algorithm": claim.algorithm, "form": claim.form, "adjacency": claim.adjacency, "release": claim.release}
    parameters = (("parameters." + k, v) for k, v in claim.parameters.items())
    return id(subject), _held(subject), frozenset({*read.items(), *parameters})


def _held(value: Any) -> Hashable:
    """What a subject holds, down to the numbers of its arrays; of a function, which one it is."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).digest()
    if isinstance(value, Mapping):
        return tuple((key, _held(inner)) for key, inner in value.items())
    if isinstance(value, tuple | list):
        return type(value), tuple(map(_held, value))
    if is_dataclass(value) and not isinstance(value, type):
        return type(value), tuple((name, _held(inner)) for name, inner in vars(value).items())
    try:
        hash(value)
    except (TypeError, ValueError):  # a set, or a ball, which does not even equal itself
        return type(value), id(value)
    return type(value), value
