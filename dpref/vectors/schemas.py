"""The JSON Schema of each family's file, and of the folder's index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dpref.vectors.family import Family
from dpref.vectors.fields import TEXT
from dpref.vectors.notes import BUG_TYPES

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
VERSION: Final = "1.0"

_COUNT: Final = {"type": "integer", "minimum": 0}
_NOTE: Final = {
    "type": "object",
    "additionalProperties": False,
    "required": ["bugType", "description"],
    "properties": {
        "bugType": {"enum": list(BUG_TYPES)},
        "description": TEXT,
        "effect": TEXT,
        "links": {"type": "array", "items": TEXT},
    },
}


def urn(name: str) -> str:
    """The name of a schema, with the number of its meaning.

    >>> urn("accountant")
    'urn:dpref:schema:vectors-accountant:1'
    """
    return f"urn:dpref:schema:vectors-{name}:{VERSION.partition('.')[0]}"


def file_schema(family: Family) -> dict[str, Any]:
    """What the file of a family must look like."""
    test = _object(
        required=("tcId", "comment", "flags", "result", *family.required),
        tcId={"type": "integer", "minimum": 1},
        comment=TEXT,
        flags={"type": "array", "items": TEXT, "minItems": 1},
        result={"enum": ["valid", "invalid", "acceptable"]},
        **family.given,
        **family.answers,
    )
    group = _object(
        required=("type", "topic", "tests"),
        type={"const": family.kind},
        topic=TEXT,
        tests={"type": "array", "items": {"$ref": "#/$defs/test"}},
    )
    return {
        "$schema": DIALECT,
        "$id": urn(family.name),
        "title": f"Golden vectors of dpref: {family.name}",
        **_object(
            required=("family", "schema", "version", "generator", "numberOfTests", "header", "notes", "testGroups"),
            family={"const": family.name},
            schema={"const": urn(family.name)},
            version={"type": "string", "pattern": "^[0-9]+\\.[0-9]+$"},
            generator=TEXT,
            numberOfTests=_COUNT,
            header={"type": "array", "items": TEXT},
            notes={"type": "object", "additionalProperties": _NOTE},
            testGroups={"type": "array", "items": group},
        ),
        "$defs": {"test": test},
    }


def index_schema() -> dict[str, Any]:
    """What ``index.json`` of a folder must look like."""
    return {
        "$schema": DIALECT,
        "$id": urn("index"),
        "title": "Golden vectors of dpref: the files of a folder",
        **_object(
            required=("schema", "version", "generator", "whole", "files"),
            schema={"const": urn("index")},
            version=TEXT,
            generator=TEXT,
            whole={"type": "boolean"},
            files={"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
        ),
    }


def _object(required: tuple[str, ...], **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
    }
