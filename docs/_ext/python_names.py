"""Names of Python objects, looked up among the endings of known names instead of in all of them.

A page of the reference names thousands of types that no page describes (``int``, ``Sequence``).  For each, Sphinx
compares the ending of every name that it knows; here an ending that no known name has is seen at once.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.domains.python import ObjectEntry, PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata


def endings(name: str) -> set[str]:
    """A dotted name, and what is left of it after each dot.

    Args:
        name: As of an object.

    >>> sorted(endings("dpref.units.ZeroOut"))
    ['ZeroOut', 'dpref.units.ZeroOut', 'units.ZeroOut']
    """
    parts = name.split(".")
    return {".".join(parts[i:]) for i in range(len(parts))}


class QuickPythonDomain(PythonDomain):
    """The same domain: whatever it finds ends, at a dot, in what was looked for."""

    _known: tuple[int, frozenset[str]] = (-1, frozenset())

    def find_obj(
        self,
        env: BuildEnvironment,
        modname: str,
        classname: str,
        name: str,
        type: str | None,  # noqa: A002 - Sphinx names it so
        searchmode: int = 0,
    ) -> list[tuple[str, ObjectEntry]]:
        """As Sphinx finds it."""
        objects: dict[str, Any] = self.objects
        if self._known[0] != len(objects):
            self._known = len(objects), frozenset().union(*map(endings, objects))
        if name.removesuffix("()") not in self._known[1]:
            return []
        return super().find_obj(env, modname, classname, name, type, searchmode)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Put the domain in the place of Sphinx's own."""
    app.add_domain(QuickPythonDomain, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
