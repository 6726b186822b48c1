"""The picture of the output in the README: ``python docs/picture.py`` audits a few claims and draws what is printed."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dpref.audit.catalogue import catalogue, select
from dpref.audit.terminal import show
from dpref.audit.verdict import audit

CLAIMS = ("dynamic-privacy-budget/algorithm-1", "dp-erm-revisited/definition-3.4")
PICTURE = Path(__file__).parent / "_static" / "audit.svg"
# Rich's own frame, less the fonts that it would fetch from a network.
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""


def main() -> None:
    """Audit the claims and write the picture."""
    console = Console(
        file=StringIO(), record=True, width=100, force_terminal=True, color_system="truecolor", highlight=False
    )
    console.print(Text(f"$ dpref audit {' '.join(CLAIMS)}\n", style="bold"))
    show([audit(claim) for claim in select(CLAIMS, catalogue())], console)
    svg = console.export_svg(title="dpref audit", code_format=FRAME, unique_id="dpref")
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
