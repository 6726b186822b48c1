"""Claims that the scripts find no proof of, and the theorems of the library that prove them by hand.  Untrusted.

What a certificate's theorem says is written from its record all the same; a claim that has changed since is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# By obligation and by the number of the claim, citations left out: ``File.theorem``.
BY_HAND: Final[Mapping[str, Mapping[int, str]]] = {
    "composition/trade-off": {n: f"CurveSteps.trade_off_{n + 1}" for n in range(4)},
    "dp-erm-revisited/P24": {4: "RootSteps.step_size"},
    "dp-erm-revisited/P76": {6: "ErfcSteps.far_refuted_1", 8: "ErfcSteps.far_refuted_2"},
    "dynamic-privacy-budget/PO-10": {1: "RootSteps.best_split_at", 2: "RootSteps.best_split"},
    "dynamic-privacy-budget/PO-14": {1: "RootSteps.root_below_one", 3: "RootSteps.root_of_product"},
    "dynamic-privacy-budget/PO-15": {1: "RootSteps.momentum_bound_attained"},
    "dynamic-privacy-budget/PO-43": {2: "RootSteps.moving_average"},
    "private-online-frank-wolfe/PO-12": {0: "ErfcSteps.noise_on_a_box", 1: "ErfcSteps.noise_on_an_interval"},
}


def by_hand(obligation: str, number: int) -> str:
    """The theorem that proves a claim by hand; nothing for most."""
    return BY_HAND.get(obligation, {}).get(number, "")


def files(obligation: str) -> frozenset[str]:
    """The files of the library that an obligation's theorems of this kind stand in."""
    return frozenset(t.partition(".")[0] for t in BY_HAND.get(obligation, {}).values())
