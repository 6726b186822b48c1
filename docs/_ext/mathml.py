"""Mathematics as MathML, written when the pages are built: they need neither a script nor a network to be read."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from dpref.audit.mathml import together

LOGGER = logging.getLogger(__name__)
DOLLARS = re.compile(r"(?<![\\$])\$(?!\$)([^$]+?)\$(?!\$)")
# What a cell of a table may grow by: a role is longer than two dollars, and there are a few of them at most.
ROOM = 40
ACCENT = r"\\(?:bar|check|dot|hat|overline|tilde|vec|widehat|widetilde)(?![a-zA-Z])"
# Commands that the converter does not know, as ones that it does; arguments of one digit, which it reads as numbers.
SYNONYMS = (
    (re.compile(r"\\[td]frac(?![a-zA-Z])"), r"\\frac"),
    (re.compile(r"\\frac\s*(\d)\s*(\d)"), r"\\frac{\1}{\2}"),
    (re.compile(r"(\\frac|\\sqrt|[\^_])\s*(\d)"), r"\1{\2}"),
    (re.compile(r"\\(big|Big|bigg|Bigg)(?![a-zA-Z])"), r"\\\1l"),
    (re.compile(r"\\dots(?![a-zA-Z])"), r"\\ldots"),
    (re.compile(r"^(?=[\^_])"), r"{}"),
    (re.compile(r"\\lvert(?![a-zA-Z])"), r"|"),
    (re.compile(r"\\rvert(?![a-zA-Z])"), r"|"),
    # An accented letter is one letter: with an empty base of its own, its index stands beside it and not below.
    (re.compile(rf"({ACCENT}\s*(?:\{{[^{{}}]*\}}|\\[a-zA-Z]+|[a-zA-Z]))(?=\s*[_^])"), r"\1{}"),
)


def mathml(formula: str, *, block: bool) -> str:
    r"""The MathML of a LaTeX formula.

    >>> quarter = mathml(r"\frac14(x)", block=False)
    >>> quarter == mathml(r"\frac{1}{4}(x)", block=False) and "<mn>14</mn>" not in quarter
    True
    >>> mathml(r"x^23", block=False) == mathml(r"x^{2}3", block=False) != mathml(r"x^{23}", block=False)
    True
    >>> "under" in mathml(r"\hat\Phi_k^{1/2} + \bar x_t", block=False)
    False

    Raises:
        latex2mathml.MathError: If the formula uses a command that the converter does not know.
    """
    for pattern, replacement in SYNONYMS:
        formula = pattern.sub(replacement, formula)
    if block and "\\\\" in formula and "\\begin" not in formula:
        formula = rf"\begin{{aligned}}{formula}\end{{aligned}}"
    converted = str(latex2mathml.tex2mathml(formula, as_block=block))
    # Browsers set no space around the name of a function, and none for the invisible operator after it.
    converted = re.sub("<mi>(ln|log|exp|sinh|cosh|tanh)</mi>", r'<mo lspace="0.17em" rspace="0">\1</mo>', converted)
    return re.sub(r"<mo>&ApplyFunction;</mo>(?!\s*<mo[^>]*>\()", '<mspace width="0.17em"/>', converted)


def _render(node: nodes.Element, *, block: bool) -> str:
    try:
        return mathml(node.astext(), block=block)
    # Beside its own error the converter raises whatever an unforeseen command leads to.
    except (latex2mathml.MathError, LookupError, AttributeError, TypeError, ValueError) as error:
        LOGGER.warning("no MathML for %r: %s", node.astext(), error, location=node, type="mathml")
        return f"<code>{html.escape(node.astext())}</code>"


def _visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_render(node, block=False))
    raise nodes.SkipNode


def _visit_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_render(node, block=True)}</div>')
    raise nodes.SkipNode


def _depart(translator: Any, node: nodes.Element) -> None:
    raise SphinxError(f"a skipped node is left: {node.astext()} ({type(translator).__name__})")


def _dollars(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: object,
    lines: list[str],
) -> None:
    """Docstrings write ``$...$``; reStructuredText wants ``:math:`` in front of backquotes."""
    text = re.sub(r"^( *)\$\$(.+?)\$\$", _directive, "\n".join(lines), flags=re.DOTALL | re.MULTILINE)
    text = DOLLARS.sub(_role, "\n".join(_widened(text.split("\n"))))
    lines[:] = text.split("\n")


def _directive(match: re.Match[str]) -> str:
    """A formula between double dollars, which begins a line, as a directive."""
    return f"\n{match[1]}.. math:: {' '.join(match[2].split())}\n\n{match[1]}"


def _role(match: re.Match[str]) -> str:
    """``$x$`` as a role, set apart from letters and markup that touch it."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    left = "\\ " if re.search(r"[\w`*)]$", before) else ""
    right = "\\ " if re.match(r"[\w`*(]", after) else ""
    return f"{left}:math:`{' '.join(match[1].split())}`{right}"


def _widened(lines: list[str]) -> Iterator[str]:
    """The same lines with room in the columns of simple tables for roles in place of dollars."""
    edges: list[int] = []
    for line in lines:
        if re.fullmatch(r"\s*=+( +=+)+\s*", line):
            edges = [match.start() for match in re.finditer("=+", line)]
            yield line[: edges[0]] + "".join(
                "=" * (end - start - 1 + ROOM) + " " for start, end in pairwise([*edges, len(line) + 1])
            )
        elif edges and line.strip():
            cells = [line[start:end].rstrip() for start, end in pairwise([*edges, len(line) + 1])]
            widths = [end - start + ROOM for start, end in pairwise([*edges, len(line) + 1])]
            yield (
                line[: edges[0]]
                + "".join(
                    cell.ljust(width - (len(DOLLARS.sub(_role, cell)) - len(cell)))
                    for cell, width in zip(cells, widths, strict=True)
                ).rstrip()
            )
        else:
            edges = []
            yield line


def _together(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """A formula stays on one line with the signs that touch it."""
    if "body" in context:
        context["body"] = together(context["body"])


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer and the reading of dollars in docstrings."""
    app.add_html_math_renderer("mathml", (_visit_inline, _depart), (_visit_block, _depart))
    app.connect("autodoc-process-docstring", _dollars)
    app.connect("html-page-context", _together)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
