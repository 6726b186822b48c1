"""Parameters that name a choice rather than a number: what they may be is what their annotations say."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from dpref.checks import instance, one_of
from dpref.errors import InvalidArgumentError
from dpref.units import known_adjacency


def check_choices(params: Any) -> None:
    """Refuse a field whose value its annotation does not allow: an unknown form, calibration, adjacency or schedule.

    Without it a misspelt choice would silently be read as another one.  Numbers are checked where they are used.

    Args:
        params: A dataclass whose annotations can be evaluated.

    Raises:
        InvalidArgumentError: If a field is not what its annotation says; the message names it.

    >>> from dpref.algorithms.spider.plan import Params
    >>> from dpref.units import ReplaceOne
    >>> check_choices(Params(Fraction(1), Fraction(1, 20), Fraction(1), Fraction(2), ReplaceOne, form="as-printed"))
    Traceback (most recent call last):
    dpref.errors.InvalidArgumentError: form = 'as-printed': must be a Form
    """
    hints = get_type_hints(type(params))
    for field in fields(params):
        _check(field.name, getattr(params, field.name), hints[field.name])


def _check(name: str, value: object, hint: Any) -> None:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        if value is not None or NoneType not in arguments:
            (inner,) = (argument for argument in arguments if argument is not NoneType)
            _check(name, value, inner)
    elif origin is Literal:
        one_of(name, value, arguments)
    elif origin is type:
        if not isinstance(value, type):
            raise InvalidArgumentError(name, value, "must be ReplaceOne, AddOrRemoveOne or ZeroOut")
        known_adjacency(value)
    elif origin is tuple:
        if not isinstance(value, tuple):
            raise InvalidArgumentError(name, value, "must be a tuple")
        for item in value:
            _check(name, item, arguments[0])
    elif origin is None and hint not in {Fraction, int}:
        instance(name, value, hint)
