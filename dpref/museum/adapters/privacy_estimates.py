"""The bounds of privacy-estimates (Zanella-Béguelin et al. 2023), on the counts of an attack's guesses."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from dpref.foreign.mechanism import DEFAULT_ERROR
from dpref.museum.adapters.attack import attack_scores


def beta(f: Callable[..., Any], pair: tuple[Any, Any], claim: Any, trials: int, seed: int) -> Any:
    """Its Clopper-Pearson bound, at the threshold that is best on the first half of the scores.

    Its joint bounds integrate a density, which takes minutes for a judgement; they are left out.

    Args:
        f: ``(data, rng) -> output``.
        pair: Two data sets.
        claim: What is claimed.
        trials: Runs on either.
        seed: Of all runs.
    """
    estimates: Any = import_module("privacy_estimates")
    zero, one = attack_scores(f, pair, trials, seed)
    point = claim.points()[len(claim.points()) // 2]
    delta, half = float(claim.delta_of(point)), len(zero) // 2

    def bound(part: slice, threshold: float) -> float:
        said = [(s[part] >= threshold).sum() for s in (zero, one)]
        quiet = [(s[part] < threshold).sum() for s in (zero, one)]
        counts = {"FP": said[0], "TP": said[1], "TN": quiet[0], "FN": quiet[1]}
        return float(estimates.compute_eps_lo(estimates.AttackResults(**counts), delta, float(DEFAULT_ERROR), "beta"))

    candidates = np.unique(np.quantile(np.concatenate([zero[:half], one[:half]]), np.linspace(0.005, 0.995, 100)))
    best = max(candidates, key=lambda threshold: bound(slice(half), threshold))
    found = bound(slice(half, None), best)
    return found > point, found
