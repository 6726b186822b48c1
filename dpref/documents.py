"""JSON files from outside: nothing is guessed, nothing is rounded, and what is wrong is named with its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from dpref.errors import DocumentError

_MOST_ERRORS: Final = 5
_LONGEST_RULE: Final = 300


@cache
def schema(name: str) -> Mapping[str, Any]:
    """A schema that ships with the package, such as ``claims.schema.json``."""
    loaded: Mapping[str, Any] = json.loads(files("dpref").joinpath("schemas", name).read_text("utf-8"))
    return loaded


def read_text(path: Path, most: int) -> str:
    """The text of a file.

    Args:
        path: The file.
        most: How many bytes it may have.

    Raises:
        DocumentError: If it cannot be read, is larger, or is not UTF-8.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(most + 1)
    except (OSError, ValueError) as error:  # no path has a null byte
        raise DocumentError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > most:
        raise DocumentError(f"is larger than {most} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError(f"is not UTF-8 text (byte {error.start})") from None


def parse_document(
    text: str, schema: str | Mapping[str, Any], *, decimal: Callable[[str], object] = str
) -> dict[str, Any]:
    """The JSON object of a text, after checking that it follows a schema.

    Args:
        text: The text.
        schema: The schema, or the name of one that ships with the package.
        decimal: Reads a number with a point or an exponent from its text: a double is not the number that was written.

    Raises:
        DocumentError: If the text is not JSON or breaks the schema; the message names the place and the rule.
    """
    try:
        document: dict[str, Any] = json.loads(
            text, parse_float=decimal, parse_constant=_refuse_constant, object_pairs_hook=_refuse_duplicates
        )
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise DocumentError(f"line {error.lineno}, column {error.colno}: is not JSON: {reason}") from None
    except RecursionError:
        raise DocumentError("is nested too deeply") from None
    except DocumentError:
        raise
    except ValueError as error:  # an integer of too many digits
        raise DocumentError(f"is not JSON: {error}") from None
    broken = list(violations(document, schema))
    if broken:
        more = len(broken) - _MOST_ERRORS
        raise DocumentError("\n".join(broken[:_MOST_ERRORS] + ([f"... and {more} more"] if more > 0 else [])))
    return document


def violations(document: object, name: str | Mapping[str, Any]) -> Iterator[str]:
    """How a document breaks a schema, or the one of a name, one line a violation: the place, and the rule."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to load

    found = Draft202012Validator(schema(name) if isinstance(name, str) else name).iter_errors(document)
    for error in sorted(found, key=lambda e: [str(part) for part in e.absolute_path]):
        rule = error.message
        described = isinstance(error.schema, dict) and "description" in error.schema
        if error.validator not in {"required", "additionalProperties"} and described:
            rule = f"must be {error.schema['description']}"
        elif len(rule) > _LONGEST_RULE:
            rule = rule[: _LONGEST_RULE - 3] + "..."
        yield f"{_place(error.absolute_path)}: {rule}"


def _place(parts: Iterable[str | int]) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return place.lstrip(".") or "the file"


def _refuse_constant(text: str) -> object:
    raise DocumentError(f"{text} is not a number that JSON knows")


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DocumentError(f"the key {twice!r} stands twice in one object")
    return document
