"""The five papers, as a reader knows them: authors, year, title."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class Title(NamedTuple):
    """What names a paper.

    Attributes:
        authors: As they are cited in running text.
        year: Of publication.
        title: In full.
    """

    authors: str
    year: int
    title: str

    def __str__(self) -> str:
        return f"{self.authors} ({self.year}), {self.title}"


TITLES: Final[Mapping[str, Title]] = MappingProxyType(
    {
        "dp-erm-revisited": Title(
            "Wang, Ye and Xu",
            2017,
            "Differentially private empirical risk minimization revisited: Faster and more general",
        ),
        "dynamic-privacy-budget": Title(
            "Hong, Wang and Zhou",
            2022,
            "Dynamic privacy budget allocation improves data efficiency of differentially private gradient descent",
        ),
        "kl-condition": Title(
            "Menart, Ullah, Arora, Bassily and Guzmán",
            2024,
            "Differentially private non-convex optimization under the KL condition with optimal rates",
        ),
        "private-online-frank-wolfe": Title(
            "Han, Liang, Liang, Wang, Yao and Zhang",
            2022,
            "On private online convex optimization: Optimal algorithms in lp-geometry and high dimensional contextual"
            " bandits",
        ),
        "private-saddle-points": Title(
            "González, Guzmán and Paquette",
            2024,
            "Mirror descent algorithms with nearly dimension-independent rates for differentially-private stochastic"
            " saddle-point problems",
        ),
    }
)
