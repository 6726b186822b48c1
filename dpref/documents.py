"""JSON files from outside: nothing is guessed, nothing is rounded, and what is wrong is named with its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from dpref.errors import InvalidArgumentError

_MOST_BYTES: Final = 1_000_000
_LONGEST_RULE: Final = 300


def read_document(path: str, schema: str) -> dict[str, Any]:
    """The JSON object in a file, its decimal numbers as texts, since a double is not the number that was written.

    Args:
        path: The file.
        schema: The name of the schema among ``dpref/schemas`` that it must follow.

    Raises:
        InvalidArgumentError: If there is no such file, or it breaks a rule, which is named with its place.
    """

    def refused(rule: str) -> InvalidArgumentError:
        return InvalidArgumentError("file", path, rule)

    try:
        with Path(path).open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)  # a device or a sparse file has no end
    except (OSError, ValueError) as error:
        raise refused(f"must be a file that can be read ({getattr(error, 'strerror', None) or error})") from None
    if len(raw) > _MOST_BYTES:
        raise refused(f"must not be larger than {_MOST_BYTES} bytes")
    try:
        document = json.loads(
            raw.decode("utf-8"), parse_float=str, parse_constant=_refuse_constant, object_pairs_hook=_without_repetition
        )
    except RecursionError:
        raise refused("must not be nested deeply") from None
    except ValueError as error:  # not UTF-8, not JSON, or an integer of too many digits
        raise refused(f"must be a JSON object: {error}") from None
    for violation in _violations(document, schema):
        raise refused(violation)
    found: dict[str, Any] = document
    return found


def _violations(document: object, schema: str) -> Iterator[str]:
    """How a document breaks a schema: the place, and the rule."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow to load

    rules = json.loads(files("dpref").joinpath("schemas", schema).read_text("utf-8"))
    found = Draft202012Validator(rules).iter_errors(document)
    for error in sorted(found, key=lambda e: [str(part) for part in e.absolute_path]):
        described = isinstance(error.schema, dict) and "description" in error.schema
        named = error.validator in {"required", "additionalProperties"} or not described
        rule = error.message[:_LONGEST_RULE] if named else f"must be {error.schema['description']}"
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        yield f"{place.lstrip('.') or 'the object'}: {rule}"


def _refuse_constant(text: str) -> object:
    message = f"{text} is no number"
    raise ValueError(message)


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            message = f"the key {name!r} stands twice"
            raise ValueError(message)
    return dict(pairs)
