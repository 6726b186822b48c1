"""Every status and every kind of fault has a colour, since white letters without one cannot be read."""

import re
from pathlib import Path

from proofs.findings.declared import KINDS
from proofs.sentences import SENTENCES

CSS = Path(__file__).parents[2] / "docs" / "_static" / "dpref.css"
FORMULAS = ("proved", "certified", "by construction", "proved in part", "assumed", "tested", "refuted", "open")
VERDICTS = ("holds", "refuted", "undecided")


def uncoloured(css: str) -> set[str]:
    coloured = set(re.findall(r"\.status-([a-z-]+)(?=[^{}]*\{[^}]*background)", css))
    return {word for word in (*KINDS, *SENTENCES, *FORMULAS, *VERDICTS) if word.replace(" ", "-") not in coloured}


def test_every_badge_has_a_background() -> None:
    assert uncoloured(CSS.read_text(encoding="utf-8")) == set()


def test_planted_bug_a_badge_without_a_background_is_seen() -> None:
    css = CSS.read_text(encoding="utf-8").replace(".status-privacy-lost", ".other")
    assert uncoloured(css) == {"privacy lost"}
