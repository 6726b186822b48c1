"""A claim's parameters, read by the annotations of the dataclass that they make.

Exact numbers, integers, words of a `Literal` and tuples of them can stand in a claim; a field of another kind is set by
the library.  An integer is at most `MOST_TO_RUN` unless its annotation says more: ``Annotated[int, AtMost(10**9)]``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from dpref.algorithms.forms import Form
from dpref.audit.claim_files import exact_number
from dpref.audit.claims import Claim, Parameter
from dpref.checks import AtMost, one_of, runnable
from dpref.errors import InvalidArgumentError

K = TypeVar("K")

# A printed formula may be judged without the range that its theorem gives it.
FORMS: Final[Mapping[str, Form]] = MappingProxyType(
    {"as-printed": Form.AS_PRINTED, "repaired": Form.REPAIRED, "without-range": Form.AS_PRINTED}
)

MOST_TO_RUN: Final = 10_000
MOST_STEPS: Final = 100_000  # of one run with short steps
MOST_STORED: Final = 1_000_000  # records of few numbers each
MOST_NUMBERS: Final = 10_000_000  # in one array
MOST_PUBLIC: Final = 10**9  # a size that is only calculated with


def form_of(claim: Claim) -> Form:
    """The form of the algorithm that a claim is about: the one that its form is, or begins with before a suffix.

    Raises:
        InvalidArgumentError: If it is neither: a slip of the pen must not audit the other form.
    """
    for name, form in FORMS.items():
        if claim.form == name or claim.form.startswith(name + "-"):
            return form
    rule = "must be " + " or ".join(FORMS) + ", or one of these with a suffix"
    raise InvalidArgumentError("form", claim.form, rule)


def fits(what: str, sizes: Mapping[str, int], size: int, most: int) -> None:
    """Refuse parameters that fit one by one, and whose product does not fit into memory or into a day.

    Args:
        what: What there would be too many of.
        sizes: The parameters.
        size: How many they make.
        most: How many can be run.

    Raises:
        InvalidArgumentError: If they are too many.
    """
    if size > most:
        place = ", ".join(f"parameters.{name}" for name in sizes)
        shown = ", ".join(map(str, sizes.values()))
        raise InvalidArgumentError(place, shown, f"must make at most {most} {what} to be run")


def known(claim: Claim, names: Collection[str]) -> None:
    """Refuse a parameter that nobody reads.

    Raises:
        InvalidArgumentError: If there is one.
    """
    for name, value in claim.parameters.items():
        if name not in names:
            rule = f"{claim.algorithm} knows the parameters " + ", ".join(sorted(names))
            raise InvalidArgumentError(f"parameters.{name}", value, rule)


def readable(kind: type) -> Iterator[str]:
    """The fields of a dataclass that a claim can give.

    >>> from dpref.algorithms.gradient_descent import Params
    >>> list(readable(Params))
    ['epsilon', 'delta', 'steps', 'calibration', 'constant', 'output', 'step_size']
    """
    hints = get_type_hints(kind, include_extras=True)
    return (field.name for field in fields(kind) if field.init and _choices(hints[field.name]))


def read(kind: type, claim: Claim, skip: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a dataclass that a claim gives, by name.

    Args:
        kind: The dataclass.
        claim: Whose parameters are read.
        skip: Fields that are set otherwise.

    Raises:
        InvalidArgumentError: If one is missing, or is not what its annotation says.
    """
    hints, found = get_type_hints(kind, include_extras=True), {}
    named = set(readable(kind)) - set(skip)
    for field in fields(kind):
        if field.name not in named:
            continue
        place = f"parameters.{field.name}"
        if field.name in claim.parameters:
            found[field.name] = _value(place, claim.parameters[field.name], _choices(hints[field.name]))
        elif field.default is MISSING:
            raise InvalidArgumentError(place, None, "is missing")
    return found


def made(kind: type[K], claim: Claim) -> K:
    """The dataclass, made of a claim's parameters alone.

    Raises:
        InvalidArgumentError: If one is missing, or is not what its annotation says.
    """
    return kind(**read(kind, claim))


def _choices(hint: Any) -> tuple[Any, ...]:
    """The readable kinds of value that an annotation allows; none if it allows another kind."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        parts = [_choices(a) for a in arguments if a is not NoneType]
        return tuple(choice for part in parts for choice in part) if all(parts) else ()
    if origin is tuple:
        return (hint,) if _choices(arguments[0]) else ()
    plain = arguments[0] if origin is Annotated else hint
    return (hint,) if plain in {Fraction, int} or get_origin(plain) is Literal else ()


def _value(place: str, value: Parameter, choices: tuple[Any, ...]) -> Any:
    words = [c for c in choices if get_origin(c) is Literal]
    others = [c for c in choices if c not in words]
    if words and (isinstance(value, str) or not others):
        return _word(place, value, get_args(words[0]))
    (hint,) = others
    if get_origin(hint) is tuple:
        return _several(place, value, get_args(hint)[0])
    if isinstance(value, str):
        raise InvalidArgumentError(place, value, "must be an exact number")
    if hint is Fraction:
        return Fraction(value)
    most = next((a.value for a in get_args(hint) if isinstance(a, AtMost)), MOST_TO_RUN)
    if Fraction(value).denominator != 1:
        raise InvalidArgumentError(place, value, "must be an integer")
    if value > most:
        raise InvalidArgumentError(place, value, f"must be at most {most} to be run")
    return int(value)


def _word(place: str, value: Parameter, words: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        raise InvalidArgumentError(place, value, "must be text")
    one_of(place, value, words)
    return value


def _several(place: str, value: Parameter, kind: Any) -> tuple[Any, ...]:
    """Values with commas between them (one number alone is a number already)."""
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else [value]
    if get_origin(kind) is Literal:
        return tuple(_word(place, part, get_args(kind)) for part in parts)
    exact = (runnable(place, exact_number(p, place)) if isinstance(p, str) else p for p in parts)
    return tuple(_value(place, part, (kind,)) for part in exact)
