"""What the files of several families hold alike: the names of the adjacencies, and the JSON Schema of their fields."""

from __future__ import annotations

from typing import Any, Final

ADD: Final = "add-or-remove-one"
REPLACE: Final = "replace-one"
ZERO: Final = "zero-out"

TEXT: Final = {"type": "string"}
EVENT: Final[dict[str, Any]] = {"type": "object", "required": ["type"], "properties": {"type": TEXT}}
NUMBER: Final = {"type": "string", "pattern": r"^-?[0-9]+(/[0-9]+|(\.[0-9]+)?([eE][+-]?[0-9]+)?)$"}
INTERVAL: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["lower", "upper"],
    "additionalProperties": False,
    "properties": {
        end: {"type": "string", "pattern": r"^(-?inf|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)$"}
        for end in ("lower", "upper")
    },
}
ADJACENCY: Final = {"enum": [ADD, REPLACE, ZERO]}
