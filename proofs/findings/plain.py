r"""Text with formulas between dollars as plain text, for a terminal and for BibTeX.

>>> plain(r"at most $\frac{2L_0}n$, for $\varepsilon\le1$")
'at most (2 L_0)/n, for epsilon <= 1'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_WORDS: Final[Mapping[str, str]] = {
    "le": "<=", "leq": "<=", "ge": ">=", "geq": ">=", "ne": "!=", "in": "in", "to": "->", "cdot": "*", "times": "*",
    "pm": "+-", "infty": "inf", "dots": "...", "ldots": "...", "ll": "<<", "gg": ">>", "approx": "~", "sim": "~",
    "varepsilon": "epsilon", "varphi": "phi", "lVert": "|", "rVert": "|", "|": "|", "{": "{", "}": "}", "mid": "|",
    "sum": "sum", "int": "int", "lceil": "ceil(", "rceil": ")", "nabla": "grad", "partial": "d", "propto": "~",
    "langle": "<", "rangle": ">", "top": "T", "succeq": ">=", "qquad": " ", "quad": " ", ",": "", "!": "", " ": " ",
    "prime": "'",
}  # fmt: skip
_DROPPED: Final = frozenset({"left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "displaystyle", "limits"})
_STYLES: Final = frozenset({
    "mathrm", "mathbb", "mathcal", "mathbf", "text", "operatorname", "hat",
    "bar", "tilde", "widehat", "widetilde", "overline", "boldsymbol", "vec",
})  # fmt: skip
_ONE: Final = r"(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\[a-zA-Z]+|[^\\{}\s])"


def plain(text: str) -> str:
    """The text with every formula written as in a line of code."""
    return re.sub(r"\$\$?(.+?)\$\$?", lambda m: formula(m[1]), text, flags=re.DOTALL)


def formula(latex: str) -> str:
    """One formula."""
    for command, shown in ((r"[dt]?frac", _fraction), (r"sqrt", _root)):
        count = 2 if "frac" in command else 1
        pattern = re.compile(rf"\\{command}\s*" + r"\s*".join([_ONE] * count))
        while found := pattern.search(latex):
            latex = latex[: found.start()] + shown(*map(_bare, found.groups())) + latex[found.end() :]
    for style in _STYLES:
        latex = re.sub(rf"\\{style}(?![a-zA-Z])\s*{_ONE}", lambda m: _bare(m[1]), latex)
    latex = re.sub(r"([_^])\{([^{}]*)\}", _index, latex.replace(r"\{", "\x01").replace(r"\}", "\x02"))
    latex = re.sub(r"([\d)])(?=[A-Za-z\\])", r"\1 ", latex)
    latex = re.sub(r"\\([a-zA-Z]+|.)", _word, latex)
    latex = re.sub(r"(?<=[\w)\]])(<=|>=|!=|->|=|<|>)(?=[\w(\[\-.])", r" \1 ", latex.replace("{", "").replace("}", ""))
    latex = re.sub(r"\s+(?=[_^,)\]/;.])|(?<=[(\[/])\s+", "", latex.replace("\x01", "{").replace("\x02", "}"))
    return re.sub(r"\s+", " ", latex).strip()


def _bare(group: str) -> str:
    return group[1:-1] if group.startswith("{") else group


def _fraction(above: str, below: str) -> str:
    return f"{_grouped(above)}/{_grouped(below)}"


def _root(inside: str) -> str:
    return f" sqrt({inside})"


def _grouped(text: str) -> str:
    whole = re.fullmatch(r"[\d.]+|(\\[a-zA-Z]+|[A-Za-z])(_\w|_\{\w+\})?(\^\d)?", text)
    return text if whole else f"({text})"


def _index(found: re.Match[str]) -> str:
    sign, inside = found.groups()
    return sign + (inside if re.fullmatch(r"\\?\w+", inside) else f"({inside})")


def _word(found: re.Match[str]) -> str:
    name = found[1]
    if name in _DROPPED:
        return ""
    shown = _WORDS.get(name, name)
    return f" {shown} " if len(shown) > 1 or shown in "<>*~" else shown
