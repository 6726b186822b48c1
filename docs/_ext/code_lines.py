"""Lines of code on a narrow screen: they are broken between words, and never inside an option or a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

LONGEST: Final = 32  # characters; a word that is longer than a phone's line has to be broken somewhere
_BLOCK: Final = re.compile(r"<pre>.*?</pre>", re.DOTALL)
_TAG: Final = re.compile(r"(<[^>]*>)")
_HYPHENED: Final = re.compile(r"(?:[^\s<>&-]|-(?=\S)|&[a-z#0-9]+;)*-(?:[^\s<>&]|&[a-z#0-9]+;)+")


def unbroken(page: str) -> str:
    """HTML whose words with hyphens, in blocks of code, stay on one line: browsers would begin a line after a hyphen.

    >>> unbroken("<pre>dpref run --plan-only</pre> a-b")
    '<pre>dpref run <span class="unbroken">--plan-only</span></pre> a-b'
    """
    return _BLOCK.sub(lambda block: "".join(map(_kept, _TAG.split(block[0]))), page)


def _kept(piece: str) -> str:
    if piece.startswith("<"):
        return piece
    return _HYPHENED.sub(
        lambda word: f'<span class="unbroken">{word[0]}</span>' if len(word[0]) <= LONGEST else word[0], piece
    )


def _of_page(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if "body" in context:
        context["body"] = unbroken(context["body"])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Mark the words after a page was written."""
    app.connect("html-page-context", _of_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
