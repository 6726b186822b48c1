"""The fields of a claims file, from the JSON Schema that checks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from generated import write_pages
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from dpref.audit.builders import INSTANCES, parameters_of


def schema(name: str) -> Mapping[str, Any]:
    """A schema that ships with the package."""
    loaded: Mapping[str, Any] = json.loads(files("dpref").joinpath("schemas", name).read_text("utf-8"))
    return loaded


def resolved(node: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A node with its reference into ``$defs`` followed."""
    reference = str(node.get("$ref", ""))
    return {**root["$defs"][reference.rsplit("/", 1)[1]], **node} if reference else node


def rows(node: Mapping[str, Any], root: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """One table row a property: name, whether it must be there, what it holds."""
    for name, child in node.get("properties", {}).items():
        if name == "$schema":
            continue
        field = resolved(child, root)
        needed = "yes" if name in node.get("required", ()) else ""
        yield f"| `{prefix}{name}` | {needed} | {describe(field)} |"
        if "properties" in field:
            yield from rows(field, root, f"{prefix}{name}.")


def describe(field: Mapping[str, Any]) -> str:
    """What a field holds, in words."""
    if "description" in field:
        return str(field["description"]).replace("|", "\\|")
    if "enum" in field:
        return "one of " + ", ".join(f"`{value}`" for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(
            str(option.get("type", option.get("$ref", "")).rsplit("/", 1)[-1]) for option in field["anyOf"]
        )
    kind = field.get("type", "")
    if field.get("pattern", "").startswith("^(-?inf"):
        return "decimal text"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def table(node: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """The table of an object's properties."""
    return "\n".join(["| field | required | holds |", "|---|---|---|", *rows(node, root)]) + "\n"


def parameters() -> str:
    """The table of what a claim about each algorithm can give, by the instance that it is run on."""
    rows = []
    for algorithm in INSTANCES:
        for instance, names in parameters_of(algorithm).items():
            listed = ", ".join(f"`{name}`" for name in sorted(names))
            rows.append(f"| `{algorithm}` | {instance or 'the only one'} | {listed} |")
    return "\n".join(["| algorithm | instance | parameters |", "|---|---|---|", *rows]) + "\n"


def generate(app: Sphinx) -> None:
    """Write the tables below ``generated/schema``."""
    claims, verdict = schema("claims.schema.json"), schema("verdict.schema.json")
    tables = {"claim.md": table(claims["$defs"]["claim"], claims), "verdict.md": table(verdict, verdict)}
    tables["parameters.md"] = parameters()
    write_pages(Path(app.srcdir) / "generated" / "schema", tables)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the tables before Sphinx looks for sources."""
    app.connect("builder-inited", generate)
    return {"version": "1", "parallel_read_safe": True}
