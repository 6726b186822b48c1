"""What every user chooses, and choices that are no numbers: what they may be is what their annotations say."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Generic, Literal, Union, get_args, get_origin, get_type_hints

from dpref.algorithms.forms import Form
from dpref.checks import instance, one_of
from dpref.errors import InvalidArgumentError
from dpref.reals import FloatArray
from dpref.units import A, known_adjacency


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the user of every algorithm chooses.

    Attributes:
        form: As printed or repaired.

    Raises:
        InvalidArgumentError: If a field is not what its annotation says; the message names it.

    >>> from dpref.algorithms.spider.plan import Params
    >>> from dpref.units import ReplaceOne
    >>> Params(Fraction(1), Fraction(1, 20), Fraction(1), Fraction(2), ReplaceOne, form="as-printed")
    Traceback (most recent call last):
    dpref.errors.InvalidArgumentError: form = 'as-printed': must be a Form
    """

    form: Form = Form.REPAIRED

    def __post_init__(self) -> None:
        """Refuse a field that is not what its annotation says: a misspelt choice must not be read as another one.

        Numbers are checked where they are used.
        """
        hints = get_type_hints(type(self))
        for field in fields(self):
            _check(field.name, getattr(self, field.name), hints[field.name])


@dataclass(frozen=True, kw_only=True)
class Iterative(Choices):
    """The same of an algorithm whose iterates begin at a point.

    Attributes:
        start: That point, data-independent, shape (d,); the origin by default.
    """

    start: FloatArray | None = None


@dataclass(frozen=True)
class Budgeted(Choices, Generic[A]):
    """The same of an algorithm that is given epsilon and delta for a whole stream, whose records keep their places.

    Attributes:
        epsilon: Privacy budget of the whole run, exact, positive.
        delta: Privacy slack, exact, in (0, 1).
        adjacency: Replace-one or zero-out, always explicit.
    """

    epsilon: Fraction
    delta: Fraction
    adjacency: type[A]


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
