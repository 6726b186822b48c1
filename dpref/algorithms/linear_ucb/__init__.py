"""DP-UCB: private linear UCB by a tree of Gram matrices (Shariff and Sheffet 2018), the bandit's baseline."""

from __future__ import annotations

from typing import Any, Final

from dpref.algorithms.declaration import SAMPLED, Algorithm
from dpref.algorithms.linear_ucb import algorithm, plan
from dpref.algorithms.linear_ucb.plan import Params, Plan
from dpref.problems.bandit import BanditData, LinearBandit

ALGORITHM: Final = Algorithm[LinearBandit, BanditData, Params[Any], Plan[Any]](
    name="linear-ucb",
    paper="private-online-frank-wolfe",
    items=("Figure 5.1, DP-UCB", "Shariff and Sheffet, additive Gaussian noise"),
    oracle_cost="none",
    adjacencies=SAMPLED,
    evidence=("private-online-frank-wolfe/ucb-leaf", "private-online-frank-wolfe/billboard", "gaussian/composition"),
    measure="joint (epsilon, delta)",
    planning=plan,
    run=algorithm.run,
)

__all__ = ["ALGORITHM", "Params", "Plan", "algorithm", "plan"]
