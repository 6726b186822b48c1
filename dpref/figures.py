"""How pictures are drawn: matplotlib's SVG as text that can stand in a page, alone or beside others.

Colours that must follow the page's light or dark scheme are drawn as ``currentColor``.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE: Final = "#3b7dd8"
ORANGE: Final = "#e08a1e"
GREEN: Final = "#2e9e5b"
RED: Final = "#d64545"
PURPLE: Final = "#8b5cc7"
INK: Final = "#010203"  # replaced by currentColor

_STYLE: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "font.size": 9.0,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
}


def svg(draw: Callable[[Figure], None], salt: str, width: float = 4.9, height: float = 3.0) -> str:
    """One figure as SVG text that can stand in a page beside others: its ids are its own, and it has no date.

    Args:
        draw: Draws on an empty figure.
        salt: What makes its ids its own.
        width: In inches.
        height: In inches.
    """
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    stamp = hashlib.sha256(salt.encode()).hexdigest()[:10]
    with rc_context({**_STYLE, "svg.hashsalt": stamp}):
        figure: Figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r'\bid="', f'id="{stamp}-', text)
    text = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{stamp}-", text)
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
