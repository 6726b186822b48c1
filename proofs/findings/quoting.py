"""What is printed, in the papers' own words, where an erratum is about it: ``quotations.toml``, read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from dpref.audit.claims import MOST_QUOTED

QUOTATIONS: Final = Path(__file__).with_name("quotations.toml")


class Quotation(NamedTuple):
    """The paper's own words, fewer than 40, and where they stand."""

    words: str
    place: str


@cache
def quotations(path: Path = QUOTATIONS) -> Mapping[str, tuple[Quotation, ...]]:
    """The quotations of each finding that no claim quotes for, by its id.

    Raises:
        ValueError: If one is longer than a quotation may be, or does not say where it stands.

    >>> quotations()["dynamic-privacy-budget/T19"]
    (Quotation(words='Then PGD is s-uniformly stable with s = G^2 T eta / N.', place='Theorem 4.14'),)
    """
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    said = {name: tuple(Quotation(**one) for one in those) for name, those in found.items()}
    for name, those in said.items():
        for words, place in those:
            if not words or not place or len(words.split()) > MOST_QUOTED:
                raise ValueError(f"{name}: a quotation has 1 to {MOST_QUOTED} words and a place: {words!r}, {place!r}")
    return said
