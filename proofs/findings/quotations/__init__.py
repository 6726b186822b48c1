"""The papers' own words where an erratum is about them: fewer than 40 of each sentence, and where they stand.

Claims of the catalogue carry their quotations themselves (`dpref.audit.claims`).  Formulas are written on a line, in
letters: what the paper sets as a fraction or with an index is the same formula here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from proofs.findings.quotations import (
    dp_erm_revisited,
    dynamic_privacy_budget,
    kl_condition,
    private_online_frank_wolfe,
    private_saddle_points,
)


class Quotation(NamedTuple):
    """The paper's own words, fewer than 40, and where they stand."""

    words: str
    place: str


_PAPERS: Final[Mapping[str, Mapping[str, tuple[tuple[str, str], ...]]]] = {
    "dp-erm-revisited": dp_erm_revisited.QUOTATIONS,
    "dynamic-privacy-budget": dynamic_privacy_budget.QUOTATIONS,
    "kl-condition": kl_condition.QUOTATIONS,
    "private-online-frank-wolfe": private_online_frank_wolfe.QUOTATIONS,
    "private-saddle-points": private_saddle_points.QUOTATIONS,
}

QUOTATIONS: Final[Mapping[str, tuple[Quotation, ...]]] = {
    f"{paper}/{name}": tuple(Quotation(*one) for one in said)
    for paper, items in _PAPERS.items()
    for name, said in items.items()
}
