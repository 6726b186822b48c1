"""The navigation beside every page, written once for all pages that it shows alike, with headings that have a level."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


class SharedNavigation:
    """What is written of the navigation so far: by the folder of the page and by how it was asked for."""

    def __init__(self) -> None:
        self.written: dict[tuple[PurePosixPath, tuple[tuple[str, Any], ...]], str] = {}

    def share(self, app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
        """Pages that stand in no table of contents are not marked in it: those of a folder have the same navigation.

        Two of three pages are of that kind, one a theorem, and writing the navigation takes longer than all else.
        """
        write: Callable[..., str] | None = context.get("toctree")
        if write is None or any(page in pages for pages in app.env.toctree_includes.values()):
            return
        folder = PurePosixPath(page).parent

        def navigation(**asked: Any) -> str:
            key = (folder, tuple(sorted(asked.items())))
            if key not in self.written:
                self.written[key] = str(write(**asked))
            return self.written[key]

        context["toctree"] = navigation


def levels(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Give the headings of the navigation a level: without one a screen reader does not know how deep they are."""
    navigation = str(context.get("furo_navigation_tree", ""))
    context["furo_navigation_tree"] = navigation.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> ExtensionMetadata:
    """Before the theme asks for the navigation (at 500) it is shared; afterwards its headings get their level."""
    app.connect("html-page-context", SharedNavigation().share, priority=400)
    app.connect("html-page-context", levels, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
